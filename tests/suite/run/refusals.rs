//! Texts and runs that are refused, each with a sentence that says where and what to do.

use super::*;
use neargrid::{Status, SumPrecision};

fn refusal(text: &str) -> String {
    match Formula::new(text) {
        Ok(_) => panic!("{text} is a formula"),
        Err(error) => {
            assert_eq!(error.status(), Status::BadValue, "{error}");
            error.to_string()
        }
    }
}

#[test]
fn statements() {
    let lines = [
        (
            "v_i = d",
            "column 7: 'd' is of a pair, and there are no pairs here: 'v += ...' adds the terms of all neighbors",
        ),
        ("v_i = 2*m_j", "column 9: 'm_j' is of a pair"),
        ("t = r*2\nv_i = t", "line 1, column 5: 'r' is of a pair"),
        ("a all+= c", "column 9: 'c' is of a pair"),
        (
            "a := m_i",
            "column 6: 'm_i' is of a point, and 'a' is one number: 'a all+= ...' adds the terms of all points",
        ),
        ("a := r", "column 6: 'r' is of a pair"),
        (
            "v_i += d",
            "'v += ...' adds the terms of all its neighbors, and 'v_i = v_i + ...' adds to its own",
        ),
        (
            "v_j = m_j",
            "'v_j' is a value of the neighbor, which is only read: 'v_i = ...' gives each point its own",
        ),
        ("v_i := 2", "'v_i' is a value of each point, and this makes one number"),
        ("v_i all+= 2", "this makes one number"),
        ("x += d", "'x' is the field of the points: 'x_i = ...' moves them"),
        ("x = 2", "'x' is the field of the points"),
        (
            "n += 1\nn += 2",
            "line 2, column 1: 'n' has a value from line 1: choose another name",
        ),
        ("a all+= 1\na := 2", "'a' has a value from line 1"),
        (
            "n += 1\nw_i = n",
            "'n' has a value for each point (line 1): n_i and n_j read it",
        ),
        (
            "a all+= a",
            "'a' is what this statement makes: write only the term of a point",
        ),
        ("a all = 1", "not expected here"),
        ("a all max 1", "'=' is missing"),
        (
            "w = 1 - r/c\nx_i = x_i + d0*v_i\nrho += w",
            "line 3, column 8: 'w' is of pairs of points before they move (line 1)",
        ),
        (
            "x_i.x = 1",
            "column 1: a component can only be read: a statement gives a value to all of 'x_i', as in \
             x_i = vector(..., x_i.y, x_i.z), with as many components as the points have axes",
        ),
        ("a_i = 1\nv_i.z += 0", "line 2, column 1: a component can only be read"),
        (
            "a_i == 1",
            "column 5: '==' compares two values, and a statement gives a value: write a_i = ...",
        ),
        (
            "a_i = |b_i|",
            "abs(a) is the magnitude of a number a, sqrt(dot(a, a)) is the length of a vector",
        ),
        (
            "a_i = random()",
            "noise comes from your program, which sets a field of random numbers before each run",
        ),
        (
            "f += spring_ji",
            "write spring_ij, the value that the row of i has for its neighbor j",
        ),
        (
            "spring_ji = r\nf += 1",
            "column 1: 'spring_ji' has no meaning in a formula: write spring_ij",
        ),
        ("# nothing", "the formula makes nothing"),
    ];
    for (text, part) in lines {
        let message = refusal(text);
        assert!(message.contains(part), "{text}: {message}");
    }
}

#[test]
fn runs() {
    let setting = Setting::new(2, 0.3);
    let coords: Vec<f64> = Random(3).cloud(2, 20);
    let mut search = setting.search(&coords);
    let mut refused = |text: &str, times: i64, status: Status, part: &str| {
        let mut formula = Formula::new(text).unwrap();
        let error = search.run(&mut formula, NeighborsKind::Full, times).unwrap_err();
        assert_eq!(error.status(), status, "{text}: {error}");
        assert!(error.to_string().contains(part), "{text}: {error}");
    };
    refused(
        "p_i = rho_i",
        1,
        Status::BadState,
        "column 7: the field 'rho' has no value yet; set_field, or a statement that makes it?",
    );
    refused("p_i = h", 1, Status::BadState, "the constant 'h' has no value yet");
    refused("k := k + 1", 1, Status::BadState, "the constant 'k' has no value yet");
    refused(
        "x_i = 3",
        1,
        Status::BadValue,
        "'3' is a number here, and a point has 2 coordinates",
    );
    refused(
        "s all+= x_i",
        1,
        Status::BadValue,
        "'x_i' is a vector here, and 's' is one number; dot(x_i, x_i)?",
    );
    refused(
        "n += 1",
        -1,
        Status::BadCount,
        "times = -1 is not allowed: it must be 0 or more",
    );
    refused(
        "x_i = x_i/0",
        1,
        Status::NonFinite,
        "coordinate of point 0 is inf: coordinates must be finite",
    );
    assert_eq!(
        search.field_as::<f64>("x").unwrap(),
        coords,
        "points stay where they were"
    );
    // The next run would read what this one makes.
    search.set_field("u", &coords, 2).unwrap();
    search.set_field("p", &coords[..20], 1).unwrap();
    for (text, part) in [
        (
            "u_i = cross(u_i, x_i)",
            "line 1, column 1: the text reads vectors 'u_i', and this makes numbers: choose another name",
        ),
        ("n += dot(u_j, d); u_i = r0", "column 19: the text reads vectors 'u_i'"),
        (
            "p_i = p_i*x_i",
            "the text reads numbers 'p_i', and this makes vectors: choose another name",
        ),
        ("n_i = 2*p_i; p += d", "column 14: the text reads numbers 'p_i'"),
        (
            "p_i = p_i + 1; p_i = p_i*x_i",
            "column 16: the text reads numbers 'p_i'",
        ),
    ] {
        let mut formula = Formula::new(text).unwrap();
        let _ = formula.set_constant("r0", 1.0);
        let error = search.run(&mut formula, NeighborsKind::Full, 2).unwrap_err();
        assert_eq!(error.status(), Status::BadValue, "{text}: {error}");
        assert!(error.to_string().contains(part), "{text}: {error}");
    }
    // What only later statements read may change, and in 1D a vector is a number.
    let mut other = Formula::new("u_i = dot(x_i, x_i); p_i = u_i*x_i; u_i = p_i").unwrap();
    search.run(&mut other, NeighborsKind::Full, 2).unwrap();
    assert_eq!(
        search.field::<f32>("n").unwrap_err().to_string(),
        "no field 'n' of points: set it, or run a statement that makes it"
    );
    let error = search.set_field("x", &coords, 2).unwrap_err();
    assert!(error.to_string().contains("'x' is the field of the points"), "{error}");
    // Nothing is done where nothing is asked for, and all of a run counts or nothing.
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
