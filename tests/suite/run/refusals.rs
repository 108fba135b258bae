//! Runs that end early, the report of what was run, and rows of queries.

use super::*;
use neargrid::{Status, SumPrecision};

/// Nothing is done where nothing is asked for, and all of a run counts or nothing.
#[test]
fn all_or_nothing() {
    let setting = Setting::new(2, 0.3);
    let coords: Vec<f64> = Random(3).cloud(2, 20);
    let mut search = setting.search(&coords);
    search
        .run(&mut Formula::new("n += 1").unwrap(), NeighborsKind::Full, 0)
        .unwrap();
    assert_eq!(search.field::<f32>("n").unwrap_err().status(), Status::BadState);
    let mut half = Formula::new("n += 1; k := k + 1; x_i = x_i + select(1, 1/0, k < 3)*x_i").unwrap();
    half.set_constant("k", 0.0).unwrap();
    let error = search.run(&mut half, NeighborsKind::Full, 5).unwrap_err();
    assert_eq!(error.status(), Status::NonFinite);
    assert_eq!(half.number("k").unwrap(), 2.0, "two runs were complete");
    assert_eq!(search.field::<f32>("n").unwrap().len(), 20);
    // Another number of points: the values that are there are of others.
    search
        .set_points(&PointsView::interleaved(2, &coords[..30]).unwrap())
        .unwrap();
    let error = search
        .run(&mut Formula::new("s += n_j").unwrap(), NeighborsKind::Full, 1)
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the field 'n' has values of 20 points; there are 15 points now"),
        "{error}"
    );
}

/// The stages that a text is divided into.
#[test]
fn stages() {
    let mut search = Setting::new(1, 0.3).search(&Random(3).cloud(1, 20));
    search.set_field("v", &[0.5; 20], 1).unwrap();
    let text = "rho += 1 - r/c; n += 1; p_i = rho_i^2; f += (p_i + p_j)*d; top all max= f_i; dt := 0.1/(1 + top)
        v_i = v_i + dt*f_i; x_i = x_i + dt*v_i";
    search
        .run(&mut Formula::new(text).unwrap(), NeighborsKind::Full, 1)
        .unwrap();
    let wanted = "stages: 1: neighbors: rho n; 2: points, real32: p; 3: neighbors: f; 4: points, real32: top; 5: numbers: dt; \
                  6: points, real64: v x\n";
    let info = search.info();
    assert!(info.contains(wanted), "{info}");
    // A run without sums searches nothing, and has stages.
    let mut alone = Formula::new("u_i = 2*v_i; top all max= u_i").unwrap();
    let wanted = "stages: 1: points, real32: u top\n";
    search.run(&mut alone, NeighborsKind::Full, 1).unwrap();
    let info = search.info();
    assert!(info.contains(wanted) && !info.contains("neighbors"), "{info}");
    search.pairs().unwrap();
    let info = search.info();
    assert!(!info.contains("stages"), "{info}");
    let mut fresh = Setting::new(1, 0.3).search(&Random(3).cloud(1, 20));
    fresh.set_field("v", &[0.5; 20], 1).unwrap();
    fresh.run(&mut alone, NeighborsKind::Full, 1).unwrap();
    assert_eq!(
        fresh.info(),
        format!("backend: none yet (no query so far)\n{wanted}{BY_DEFAULT}")
    );
}

const BY_DEFAULT: &str = "precision: single (by default, also for points in real64; set_precision chooses double)\n";

/// The report says that sums over points in real64 are in single precision, if no precision was chosen.
#[test]
fn single_by_default() {
    fn info<T: Precision>(text: &str, precision: Option<SumPrecision>) -> String {
        let coords: Vec<T> = Random(3).cloud(1, 20).iter().map(|&x| T::from_f64(x)).collect();
        let mut search = Setting::new(1, 0.3).search(&coords);
        let mut formula = Formula::new(text).unwrap();
        if let Some(precision) = precision {
            formula.set_precision(precision);
        }
        search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
        assert_eq!(
            search.field::<f64>("n").is_ok(),
            precision == Some(SumPrecision::Double)
        );
        let told = search.info();
        search.pairs().unwrap();
        assert!(!search.info().contains("precision"), "{}", search.info());
        told
    }
    for text in ["n += 1", "n_i = dot(x_i, x_i)", "n_i = 1; top all max= n_i"] {
        assert!(info::<f64>(text, None).contains(BY_DEFAULT), "{text}");
        for precision in [SumPrecision::Single, SumPrecision::Double] {
            assert!(!info::<f64>(text, Some(precision)).contains("precision"), "{text}");
        }
        assert!(!info::<f32>(text, None).contains("precision"), "{text}");
    }
}

/// Positions in real64 are moved in real64, whatever the sums would be.
#[test]
fn moves_have_no_default() {
    let mut search = Setting::new(1, 0.3).search(&Random(3).cloud(1, 20));
    let mut formula = Formula::new("x_i = 0.5*x_i").unwrap();
    search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
    assert!(!search.info().contains("precision"), "{}", search.info());
}

/// Rows of queries: their fields, and no moves.
#[test]
fn queries() {
    let coords: Vec<f64> = Random(4).cloud(2, 40);
    let mut search = Setting::new(2, 0.4).search(&coords[..60]);
    search
        .set_queries(&PointsView::interleaved(2, &coords[60..]).unwrap())
        .unwrap();
    let run = |search: &mut Search, text: &str| search.run(&mut Formula::new(text).unwrap(), NeighborsKind::Queries, 1);
    search.set_field("m", &[2.0; 30], 1).unwrap();
    run(&mut search, "n += m_j; half_i = n_i/4 + x_i*0; most all max= half_i").unwrap_err(); // a vector and a number
    run(&mut search, "n += m_j; half_i = n_i/4; at_i = x_i; all_of_them all+= 1").unwrap();
    let [n, half] = ["n", "half"].map(|name| search.query_field::<f32>(name).unwrap().to_vec());
    assert_eq!(n.len(), 10);
    assert!(n.iter().zip(&half).all(|(n, half)| *half == n / 4.0) && n.iter().any(|&n| n > 0.0));
    assert!(
        search
            .query_field::<f32>("at")
            .unwrap()
            .iter()
            .zip(&coords[60..])
            .all(|(at, x)| *at == *x as f32)
    );
    assert_eq!(
        search.field::<f32>("n").unwrap_err().status(),
        Status::BadState,
        "points have no such field"
    );
    for (text, part) in [
        ("x_i = 2*x_i", "queries do not move: rows of points move the points"),
        (
            "n += 1; s += n_j",
            "the text makes 'n' of queries here, and 'n_j' is of the points: choose another name",
        ),
        (
            "s += w_i",
            "the field 'w' has no value yet; set_field for queries, or a statement that makes it?",
        ),
    ] {
        let message = run(&mut search, text).unwrap_err().to_string();
        assert!(message.contains(part), "{text}: {message}");
    }
}
