//! Radii at which sums over neighbors reach a target.

use std::ffi::c_char;

use super::checks;
use super::formula::{self, neargrid_formula};
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::neighbors::{kind_of, neargrid_neighbors};
use super::pairs::tell_need;
use super::status::neargrid_status;
use crate::error::{Error, Result};
use crate::list::Out;
use crate::search::{NeighborsKind, Outcome, Precision, RadiiAsked, RadiusRange, Search};

/// The outcome of the search for the radius of a point: one of NEARGRID_OUTCOME_*.
#[allow(non_camel_case_types)]
pub type neargrid_outcome = i32;

/// The sum reaches the target at the radius, and does not at a radius that is smaller by the tolerance.
pub const NEARGRID_OUTCOME_SOLVED: neargrid_outcome = 0;
/// The iterations did not suffice. The radius is the upper end of the bracket.
pub const NEARGRID_OUTCOME_OUT_OF_ITERATIONS: neargrid_outcome = 1;
/// The sum does not reach the target at the largest radius, which is the point's radius.
pub const NEARGRID_OUTCOME_ABOVE_LARGEST: neargrid_outcome = 2;
/// The sum reaches the target at the smallest radius already, which is the point's radius.
pub const NEARGRID_OUTCOME_BELOW_SMALLEST: neargrid_outcome = 3;

const _: () = assert!(
    NEARGRID_OUTCOME_SOLVED == Outcome::Solved as i32
        && NEARGRID_OUTCOME_OUT_OF_ITERATIONS == Outcome::OutOfIterations as i32
        && NEARGRID_OUTCOME_ABOVE_LARGEST == Outcome::AboveLargest as i32
        && NEARGRID_OUTCOME_BELOW_SMALLEST == Outcome::BelowSmallest as i32
);

/// Finds for each active point, or for each query, the smallest radius at which a sum over the neighbors within it reaches a target:
/// smoothing lengths. The formula runs once for each trial of all points, with the rule NEARGRID_RADIUS_GATHER. In the formula c is
/// the radius of the row's point. The sum must not decrease where the radius grows. The results are the same on the CPU and on a GPU.
///
/// - `formula`: makes the sum by `+=` or `max=`. Other statements than those over neighbors are refused, and sums that read others
///   of the same text.
/// - `kind`: NEARGRID_NEIGHBORS_FULL or NEARGRID_NEIGHBORS_QUERIES.
/// - `field`: the name of the sum, a number for each row, that ends with a NUL.
/// - `target`: finite.
/// - `smallest`, `largest`: the radii among which that of a point is sought, each with a square in the range of a cutoff's square. Along
///   a periodic axis no radius may be more than half the length.
/// - `tolerance`: at least 0 and less than 1. The search for a radius ends when its bracket is at most this share of the radius, or
///   when no number is inside the bracket.
/// - `max_iterations`: the most radii that are tried for a point, at least 1.
/// - `capacity`: number of rows that the arrays have room for.
/// - `n`: receives the number of rows: of active points, or of queries.
/// - `radii`: receives `n` radii. They are as neargrid_search_set_radii_f64 takes them.
/// - `outcomes`: receives `n` outcomes, one of NEARGRID_OUTCOME_* each, or NULL if they are not needed.
/// - `nunsolved`: receives the number of rows whose outcome is not NEARGRID_OUTCOME_SOLVED.
///
/// Radii that are set play no part, and stay. Afterwards the fields that the formula makes are those at the radii that are returned,
/// and those of ghosts are at the radius 0. On failure they are as before. For a number of neighbors as target, take the
/// measure NEARGRID_MEASURE_RADIUS of neargrid_knn_copy_f64 instead: it is the radius that finds k neighbors.
///
/// Across ranks the call is collective: each rank seeks the radii of its points, or queries, and the text, `target`, the range and
/// `max_iterations` are the same on all ranks.
///
/// Returns the statuses of neargrid_search_run, and also NULL_POINTER, BAD_COUNT (`max_iterations`, `capacity`), BAD_RADIUS
/// (`smallest`, `largest`), BAD_DOMAIN (`largest`), BAD_VALUE (`kind`, `field`, `target`, `tolerance`, arrays that overlap, or the
/// points set are real32), NOT_SUPPORTED (the formula) and CAPACITY. After CAPACITY, `n` is the number of rows needed, and nothing was
/// searched.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_solve_radii_f64(
    search: *mut neargrid_search,
    formula: *mut neargrid_formula,
    kind: neargrid_neighbors,
    field: *const c_char,
    target: f64,
    smallest: f64,
    largest: f64,
    tolerance: f64,
    max_iterations: i64,
    capacity: i64,
    n: *mut i64,
    radii: *mut f64,
    outcomes: *mut neargrid_outcome,
    nunsolved: *mut i64,
) -> neargrid_status {
    let range = RadiusRange {
        smallest,
        largest,
        tolerance,
        max_iterations,
    };
    let asked = Asked {
        search,
        formula,
        kind,
        field,
        target,
        range,
    };
    // SAFETY: the caller's promise.
    unsafe { solve(asked, (capacity, n), radii, (outcomes, nunsolved)) }
}

/// As neargrid_solve_radii_f64, for points in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_solve_radii_f32(
    search: *mut neargrid_search,
    formula: *mut neargrid_formula,
    kind: neargrid_neighbors,
    field: *const c_char,
    target: f64,
    smallest: f64,
    largest: f64,
    tolerance: f64,
    max_iterations: i64,
    capacity: i64,
    n: *mut i64,
    radii: *mut f32,
    outcomes: *mut neargrid_outcome,
    nunsolved: *mut i64,
) -> neargrid_status {
    let range = RadiusRange {
        smallest,
        largest,
        tolerance,
        max_iterations,
    };
    let asked = Asked {
        search,
        formula,
        kind,
        field,
        target,
        range,
    };
    // SAFETY: the caller's promise.
    unsafe { solve(asked, (capacity, n), radii, (outcomes, nunsolved)) }
}

/// The question.
struct Asked {
    search: *mut neargrid_search,
    formula: *mut neargrid_formula,
    kind: i32,
    field: *const c_char,
    target: f64,
    range: RadiusRange,
}

/// The places of the results.
struct Outs<'a, T> {
    n: checks::Place<'a, i64>,
    nunsolved: checks::Place<'a, i64>,
    radii: Out<'a, T>,
    outcomes: Option<Out<'a, i32>>,
}

/// The kind and the field that are asked for, and the places of the results, checked.
///
/// # Safety
/// As for [`neargrid_solve_radii_f64`].
unsafe fn outs<'a, T: Precision>(
    search: &Search,
    asked: &Asked,
    (capacity, n, need): (i64, *mut i64, &mut Option<usize>),
    radii: *mut T,
    (outcomes, nunsolved): (*mut i32, *mut i64),
) -> Result<(NeighborsKind, &'a str, Outs<'a, T>)> {
    // SAFETY: the caller's promise.
    let (field, n, nunsolved) = unsafe {
        (
            formula::text(asked.field, "field")?,
            checks::out(n, "n")?,
            checks::out(nunsolved, "nunsolved")?,
        )
    };
    let kind = kind_of(asked.kind)?;
    let rows = search.rows_to_solve(kind)?;
    *need = Some(rows);
    if checks::count_of::<T>(capacity, "capacity", 1)? < rows {
        return Err(Error::Capacity {
            argument: "capacity",
            capacity,
            need: rows as i64,
        });
    }
    checks::disjoint(&[
        checks::written(n.address(), 1, "n"),
        checks::written(nunsolved.address(), 1, "nunsolved"),
        checks::written(radii, rows, "radii"),
        checks::written(outcomes, rows, "outcomes"),
    ])?;
    // SAFETY: the caller's promise; the arrays have `rows` elements or more.
    let (radii, outcomes) = unsafe {
        let outcomes = (!outcomes.is_null()).then(|| checks::array(outcomes, rows, "outcomes"));
        (checks::array(radii, rows, "radii")?, outcomes.transpose()?)
    };
    let outs = Outs {
        n,
        nunsolved,
        radii,
        outcomes,
    };
    Ok((kind, field, outs))
}

/// # Safety
/// As for [`neargrid_solve_radii_f64`].
unsafe fn solve<T: Precision>(
    asked: Asked,
    (capacity, n): (i64, *mut i64),
    radii: *mut T,
    (outcomes, nunsolved): (*mut i32, *mut i64),
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut entered = unsafe { handle::enter(asked.search)? };
        let (search, ranks) = entered.both();
        // SAFETY: the caller's promise.
        let mut formula = unsafe { formula::enter(asked.formula) };
        let mut need = None;
        // SAFETY: the caller's promise.
        let outs = unsafe { outs(search, &asked, (capacity, n, &mut need), radii, (outcomes, nunsolved)) };
        let question = outs.and_then(|(kind, field, outs)| {
            let formula = &mut **formula.as_mut().map_err(|error| error.clone())?;
            let (target, range) = (asked.target, asked.range);
            Ok((
                RadiiAsked {
                    formula,
                    kind,
                    field,
                    target,
                    range,
                },
                outs,
            ))
        });
        let solved = match ranks {
            Some(ranks) => ranks.solve_radii::<T, _>(search, question),
            None => question.and_then(|(of, outs)| {
                let solved = search.solve_radii::<T>(of.formula, of.kind, (of.field, of.target), &of.range)?;
                Ok((outs, solved))
            }),
        };
        // SAFETY: the caller's promise.
        let (mut outs, solved) = unsafe { tell_need(solved, n, need)? };
        outs.radii.write_all(0, &solved.radii);
        if let Some(mut outcomes) = outs.outcomes {
            for (at, &outcome) in solved.outcomes.iter().enumerate() {
                outcomes.write(at, outcome as i32);
            }
        }
        outs.n.set(solved.radii.len() as i64);
        outs.nunsolved.set(solved.unsolved() as i64);
        Ok(())
    })
}
