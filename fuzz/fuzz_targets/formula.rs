//! Texts of formulas: each is refused at a place in the text, or runs.
#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use neargrid::{Error, Formula, NeighborsKind, PointsView, Result, Search, TableOf};

thread_local! {
    static SEARCH: RefCell<Search> = RefCell::new(a_search());
}

fn a_search() -> Search {
    let mut search = Search::new().expect("a handle");
    search.set_cutoff(2.0).expect("a cutoff");
    search
}

/// The same points and fields for each text, for the one before may have moved or changed them.
fn set(search: &mut Search) -> Result<()> {
    search.set_points(&PointsView::interleaved(2, &[0.0, 0.0, 1.0, 0.0, 0.0, 0.5])?)?;
    for name in ["a", "b", "m", "v"] {
        let components = if name == "v" { 2 } else { 1 };
        search.set_field(name, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..3 * components], components)?;
    }
    Ok(())
}

fuzz_target!(|bytes: &[u8]| {
    let text = &*String::from_utf8_lossy(bytes);
    let lines = text.split('\n').count();
    let check = |error: Error| match error {
        Error::Formula { line, column, .. } => assert!(line >= 1 && line as usize <= lines && column >= 1),
        Error::NonFinite { .. } => assert!(text.contains("x_i"), "{error}"), // which moves points
        error => assert!(text.len() > 1 << 16, "{error}"),
    };
    let mut formula = match Formula::new(text) {
        Ok(formula) => formula,
        Err(error) => return check(error),
    };
    for name in ["a", "b", "m", "v"] {
        let _ = formula.set_constant(name, 0.5);
        let _ = formula.set_table(name, TableOf::R, [0.0, 1.0], &[1.0, 0.0]);
        let _ = formula.set_cubic_table(name, TableOf::ROverC, [0.0, 1.0], &[1.0, 0.5, 0.1, 0.0]);
    }
    SEARCH.with_borrow_mut(|search| {
        set(search).expect("three points");
        if let Err(error) = search.run(&mut formula, NeighborsKind::Full, 1) {
            check(error);
        }
    });
});
