//! Names of fields and pair fields, and points in the rows of pair fields. Names that no text can read are refused. The report
//! names pair fields that a run did not read.

use super::*;
use neargrid::Status;

fn line(n: usize) -> Search {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.1).unwrap();
    let x: Vec<f64> = (0..n).map(|k| k as f64).collect();
    search.set_points(&PointsView::interleaved(1, &x).unwrap()).unwrap();
    search.set_queries(&PointsView::interleaved(1, &x).unwrap()).unwrap();
    search
}

/// Names that are refused, and names that a text can read.
#[test]
fn names() {
    let mut search = line(3);
    let (offsets, ids, values) = ([0, 1, 3, 4], [1, 0, 2, 1], [1.0; 4]);
    let long = "a".repeat(300) + " ";
    for name in [
        "", " ", "1 a", "a b", "2a", "_a", "é", "aé", "a-b", "a\n", "v_i", "v_j", "q_ij", "q_ji", "_i", "x_i", &long,
    ] {
        let wide = ids.map(i64::from);
        for refused in [
            search.set_field(name, &[1.0; 3], 1).unwrap_err(),
            search.set_query_field(name, &[1.0; 3], 1).unwrap_err(),
            search.set_pair_field(name, (&offsets, &ids), &values, 1).unwrap_err(),
            search
                .set_pair_field_by_ids(name, (&offsets, &wide), &values, 1)
                .unwrap_err(),
        ] {
            assert_eq!(refused.status(), Status::BadValue, "{name}");
            let (text, shown) = (refused.to_string(), name.escape_debug().take(40).collect::<String>());
            assert!(text.starts_with(&format!("name = '{shown}")), "{text}");
            assert!(
                text.contains("a letter, and then letters, digits and _, without _i, _j, _ij or _ji at its end"),
                "{text}"
            );
            assert!(text.len() < 300, "{text}");
        }
    }
    let refused = search.set_pair_field("x", (&offsets, &ids), &values, 1).unwrap_err();
    assert_eq!(
        (refused.status(), &refused.to_string()[..8]),
        (Status::BadValue, "name = x")
    );
    // Fields may have the names of functions and of built-in values: a text reads d_j and sqrt_ij.
    for name in ["a", "d", "c", "class", "sqrt", "if", "pi", "a_1", "i", "ij", "a_ii"] {
        search.set_field(name, &[1.0, 2.0, 4.0], 1).unwrap();
        search.set_pair_field(name, (&offsets, &ids), &values, 1).unwrap();
        for (text, want) in [("_j", [2.0, 5.0, 2.0]), ("_ij", [1.0, 2.0, 1.0])] {
            let mut formula = Formula::new(&format!("sum += {name}{text}")).unwrap();
            search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
            assert_eq!(search.field::<f32>("sum").unwrap(), want, "{name}{text}");
        }
    }
}

/// Rows that list points that do not exist.
#[test]
fn rows_of_other_points() {
    for base in [0, 1] {
        let mut search = line(4);
        search.set_index_base(base).unwrap();
        let mut set = |offsets: &[i64], ids: &[i32]| {
            let offsets: Vec<i64> = offsets.iter().map(|offset| offset + base).collect();
            let ids: Vec<i32> = ids.iter().map(|id| id + base as i32).collect();
            search.set_pair_field("h", (&offsets, &ids), &vec![1.0; ids.len()], 1)
        };
        for (offsets, ids, status, part) in [
            (&[0, 1, 1, 1, 1][..], &[700][..], Status::BadValue, "of ids is 70"),
            (&[0, 1, 1, 1, 1], &[4], Status::BadValue, "of ids is "),
            (&[0, 1, 1, 1, 1], &[-1], Status::BadValue, "of ids is "),
            (&[0, 1, 1, 1, 2], &[1], Status::BadCount, "ids = 1"),
        ] {
            let refused = set(offsets, ids).unwrap_err();
            assert_eq!(refused.status(), status, "{refused}");
            assert!(refused.to_string().contains(part), "{refused}");
        }
        set(&[0, 1, 1, 1, 1], &[3]).unwrap();
        set(&[0, 1, 1, 1, 1, 1], &[4]).unwrap(); // rows of points that are gone play no part
    }
}

/// A pair field that the last run did not read has a line in the report.
#[test]
fn not_read() {
    let mut search = line(3);
    let rows = (&[0, 1, 3, 4][..], &[1, 0, 2, 1][..]);
    search.set_pair_field("q", rows, &[1.0; 4], 1).unwrap();
    search.set_pair_field("h", rows, &[1.0; 4], 1).unwrap();
    let mut run = |text: &str| {
        let mut formula = Formula::new(text).unwrap();
        search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
        let info = search.info();
        let lines = info.lines().filter(|line| line.starts_with("pair field "));
        lines.map(String::from).collect::<Vec<_>>()
    };
    let line = |name: &str| format!("pair field {name}: set, not read by the last run");
    assert_eq!(run("h_ij = h_ij + 1; s += h_ij"), [line("q")]);
    assert_eq!(run("s += h_ij*q_ij"), [""; 0]);
    assert_eq!(run("s += 1"), [line("h"), line("q")]);
}
