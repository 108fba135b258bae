//! Lists that are refused.

use super::{List, worker};

/// The first row that does not ascend is named, whichever thread finds one first.
#[test]
fn the_first_wrong_row() {
    let search = worker(0, 4);
    let rows: Vec<_> = (0..20_000).map(|k| vec![k, k + 1, k + 2]).collect();
    let good = List::<f64>::new(0, &rows, 0, None);
    let mut wrong = good.clone();
    for row in [19_999, 15_000, 1024, 1023, 2] {
        wrong.ids[3 * row + 2] = 0;
        let error = search.lost_contacts(&good.contacts(), &wrong.contacts()).unwrap_err();
        let words = format!(
            "element {} of ids is 0: it must be more than {}, which is before it in row {row}",
            3 * row + 2,
            row + 1
        );
        assert!(error.to_string().contains(&words), "{error}");
    }
}
