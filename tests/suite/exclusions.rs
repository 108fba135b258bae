//! Exclusions: texts that read `class`. Rows of many points are tested in tests/suite/roles.rs.

use neargrid::{NeighborsKind, PointsView, Search};

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
