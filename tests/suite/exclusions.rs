//! Exclusions: texts that read `class`, and refusals. Rows of many points are tested in tests/suite/roles.rs.

use neargrid::{NeighborsKind, PointsView, Search, Status};

/// Offsets, ids, classes, and the text that refuses them.
type Wrong = (&'static [i64], &'static [i32], Option<&'static [i32]>, &'static str);

/// Each mistake is refused by name, and what was set before stays.
#[test]
fn refusals() {
    let mut search = Search::new().unwrap();
    search.set_index_base(1).unwrap();
    search.set_cutoff(1.0).unwrap();
    search
        .set_points(&PointsView::interleaved(1, &[0.0, 0.5, 1.0]).unwrap())
        .unwrap();
    search.set_exclusions(&[1, 2, 3, 3], &[2, 1], None).unwrap();
    let wrong: [Wrong; 12] = [
        (
            &[0, 1, 2, 2],
            &[2, 1],
            None,
            "element 1 of offsets is 0: it must be 1, the index base",
        ),
        (
            &[1, 3, 2, 3],
            &[2, 1],
            None,
            "element 3 of offsets is 2: it must be at least 3, the element before it",
        ),
        (
            &[1, 2, 3, 4],
            &[2, 1],
            None,
            "number of ids = 2 is not allowed: it must be 3, as many as offsets say",
        ),
        (
            &[1, 2, 3, 3],
            &[4, 1],
            None,
            "element 1 of ids is 4: it must be 1 to 3, the number of a point",
        ),
        (
            &[1, 2, 3, 3],
            &[2, 0],
            None,
            "element 2 of ids is 0: it must be 1 to 3, the number of a point",
        ),
        (
            &[1, 2, 3, 3],
            &[2, 1],
            Some(&[1, 4]),
            "element 2 of classes is 4: it must be 1 to 3",
        ),
        (
            &[1, 2, 3, 3],
            &[2, 1],
            Some(&[0, 1]),
            "element 1 of classes is 0: it must be 1 to 3",
        ),
        (
            &[1, 2, 3, 3],
            &[2, 1],
            Some(&[1]),
            "number of classes = 1 is not allowed: it must be 2, the number of ids",
        ),
        (
            &[1, 2, 3, 3],
            &[1, 1],
            None,
            "ids = a row 1 with 1 itself is not allowed: it must be rows of other points",
        ),
        (
            &[1, 3, 4, 4],
            &[2, 2, 1],
            None,
            "ids = a row 1 with 2 twice is not allowed: it must be each once in a row",
        ),
        (
            &[1, 2, 2, 2],
            &[2],
            None,
            "ids = a row 1 with 2, and a row 2 without 1 is not allowed: it must be symmetric: both rows have the pair",
        ),
        (
            &[1, 2, 3, 3],
            &[2, 1],
            Some(&[1, 2]),
            "classes = 1 for 2 in row 1, and 2 for 1 in row 2 is not allowed: it must be symmetric: the same in both rows",
        ),
    ];
    for (offsets, ids, classes, text) in wrong {
        let error = search.set_exclusions(offsets, ids, classes).unwrap_err();
        assert_eq!(error.to_string(), text);
    }
    assert_eq!(search.count_pairs().unwrap(), 2); // of 1 and 3, and of 2 and 3
    search
        .set_points(&PointsView::interleaved(1, &[0.0, 0.5]).unwrap())
        .unwrap();
    let error = search.count_pairs().unwrap_err();
    assert_eq!(error.status(), Status::BadCount);
    assert_eq!(
        error.to_string(),
        "number of rows of exclusions = 3 is not allowed: it must be 2, the number of points"
    );
    search.set_exclusions(&[1, 1, 1], &[], None).unwrap();
    assert_eq!(search.count_pairs().unwrap(), 1);
}

/// A text that reads the class of pairs gets all pairs, even if the class does not change its result.
#[test]
fn a_class_that_does_not_matter_is_read() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.1).unwrap();
    search
        .set_points(&PointsView::interleaved(1, &[0.0, 1.0, 2.0]).unwrap())
        .unwrap();
    search.set_exclusions(&[0, 1, 2, 2], &[1, 0], None).unwrap();
    for term in [
        "1 + 0*class",
        "class^0",
        "class^-0",
        "class^0.0",
        "pow(class, 0)",
        "(0*class + r)^0",
        "select(1, 1, class > 0)",
        "min(1, 1 + class)",
    ] {
        for text in [format!("n += {term}"), format!("t = {term}\nn += t")] {
            let mut formula = neargrid::Formula::new(&text).unwrap();
            search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
            assert_eq!(search.field::<f32>("n").unwrap(), [1.0, 2.0, 1.0], "{text}");
        }
    }
    let mut formula = neargrid::Formula::new("n += 1; m += class^0; s += n_j^0").unwrap();
    search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
    assert_eq!(search.field::<f32>("n").unwrap(), [0.0, 1.0, 1.0]);
    assert_eq!(search.field::<f32>("s").unwrap(), [0.0, 1.0, 1.0]);
}
