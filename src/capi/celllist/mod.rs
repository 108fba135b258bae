//! The common part of the drop-ins: one hidden handle for each thread, created by its first search and reused by later ones.

pub mod by_reference;
pub mod by_value;

use std::cell::{Cell, RefCell};

use super::guard::guard;
use super::pairs::{apart, report_need};
use super::settings::{NEARGRID_TIE_EXCLUSIVE, NEARGRID_TIE_INCLUSIVE};
use super::status::neargrid_status;
use super::{checks, openmp, strides};
use crate::domain::TieRule;
use crate::error::{Error, Result};
use crate::list::{Rows, push};
use crate::points::PointsView;
use crate::search::{NeighborsKind, Precision, Search, check_32_bit};
use crate::spare;

thread_local! {
    /// The one below was used in this thread.
    static REGISTERED: Cell<bool> = const { Cell::new(false) };
    /// The tie rule of `cellList`; `None` for the default.
    static RULE: Cell<Option<TieRule>> = const { Cell::new(None) };
    /// One search, or none yet.
    static HIDDEN: RefCell<Vec<Search>> = const { RefCell::new(Vec::new()) };
}

/// The rule given by the environment variable NEARGRID_TIE, or inclusive if it is not set.
pub const NEARGRID_TIE_DEFAULT: i32 = -1;

/// `None` for the default.
fn rule_of(rule: i32) -> Result<Option<TieRule>> {
    let rules = [
        (NEARGRID_TIE_DEFAULT, "default", None),
        (NEARGRID_TIE_INCLUSIVE, "inclusive", Some(TieRule::Inclusive)),
        (NEARGRID_TIE_EXCLUSIVE, "exclusive", Some(TieRule::Exclusive)),
    ];
    checks::choice(rule, "rule", &rules)
}

/// Sets the rule of this thread's later searches by `cellList`.
pub(super) fn set_rule(rule: i32) -> neargrid_status {
    guard(|| {
        RULE.set(rule_of(rule)?);
        Ok(())
    })
}

/// Runs `work` on this thread's hidden handle.
fn with_hidden<R>(work: impl FnOnce(&mut Search) -> Result<R>) -> Result<R> {
    let gone = |_| Error::Internal {
        text: "called while the thread exits".into(),
    };
    let run = |hidden: &RefCell<Vec<Search>>| {
        let mut hidden = hidden.borrow_mut();
        if hidden.is_empty() {
            let mut made = Search::new()?;
            made.set_parallel_probe(openmp::in_parallel);
            push(&mut hidden, made, "a hidden handle")?;
        }
        work(&mut hidden[0])
    };
    if !REGISTERED.get() {
        spare::check("a hidden handle")?; // the C library takes memory for its destructor
        REGISTERED.set(true);
    }
    HIDDEN.try_with(run).map_err(gone)?
}

/// Runs `work` on this thread's hidden handle, which must hold the result of a search.
fn with_result<R>(work: impl FnOnce(&mut Search) -> Result<R>) -> Result<R> {
    with_hidden(work).map_err(|error| match error {
        Error::BadState { .. } => Error::BadState {
            missing: "result of this thread to fetch",
            remedy: "the cell list search",
        },
        other => other,
    })
}

/// Counts the pairs of `npoints` points that stand point after point at `x`; they can be fetched until the next search
/// of this thread. One that fails leaves nothing to fetch: neither its own half-done state nor an older result.
///
/// # Safety
/// `x` is NULL or readable for dim * npoints elements during the call.
pub(super) unsafe fn count<T: Precision>(
    dim: i32,
    npoints: i64,
    x: *const T,
    cutoff: T,
    rule: Option<TieRule>,
    base: i64,
) -> Result<i64> {
    // SAFETY: the caller's promise.
    let counted = unsafe { interleaved(dim, npoints, x) }.and_then(|view| {
        with_hidden(|search| {
            search.set_index_base(base)?;
            search.set_cutoff(cutoff.to_f64())?;
            search.set_tie_rule(rule.unwrap_or(search.default_tie_rule()));
            search.count_pairs_of(&view)
        })
    });
    counted.inspect_err(|_| discard())
}

/// Leaves nothing to fetch.
fn discard() {
    let _ = HIDDEN.try_with(|hidden| *hidden.borrow_mut() = Vec::new());
}

/// Writes the pairs counted last, which `check` may refuse.
pub(super) fn fetch(left: Rows, right: Rows, check: &dyn Fn(usize) -> Result<()>) -> Result<usize> {
    with_result(|search| search.pairs_into_rows("maxnpair", left, right, check))
}

/// Frees this thread's hidden handle.
pub(super) fn release() {
    guard(|| {
        discard();
        Ok(())
    });
}

/// Searches the pairs of points within a cutoff and counts them. The search belongs to the calling thread: each thread has
/// its own hidden handle and result. neargrid_celllist_fetch and neargrid_celllist_fetch_compact then return the pairs
/// without another search.
///
/// - `dim`: 1, 2 or 3.
/// - `npoints`: number of points.
/// - `x`: `dim` coordinates for each point, point after point. May be NULL if `npoints` is 0.
/// - `cutoff`: finite and greater than 0, in the unit of `x`.
/// - `tie_rule`: NEARGRID_TIE_INCLUSIVE, NEARGRID_TIE_EXCLUSIVE, or NEARGRID_TIE_DEFAULT.
/// - `index_base`: 0 or 1, the number of the first point in pairs and error texts.
/// - `npairs`: receives the number of pairs.
///
/// The handle keeps its memory until neargrid_celllist_release or until the thread ends. A failure discards the thread's
/// earlier result, unless only `npairs` is NULL.
///
/// Returns OK, NULL_POINTER, BAD_DIM, BAD_COUNT, BAD_CUTOFF, NON_FINITE, BAD_VALUE, BAD_ENVIRONMENT, OUT_OF_MEMORY,
/// NO_DEVICE, DEVICE_LOST, THREADS.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_celllist_count_f64(
    dim: i32,
    npoints: i64,
    x: *const f64,
    cutoff: f64,
    tie_rule: i32,
    index_base: i32,
    npairs: *mut i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { count_into(dim, npoints, x, cutoff, tie_rule, index_base, npairs) })
}

/// As neargrid_celllist_count_f64, in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_celllist_count_f32(
    dim: i32,
    npoints: i64,
    x: *const f32,
    cutoff: f32,
    tie_rule: i32,
    index_base: i32,
    npairs: *mut i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { count_into(dim, npoints, x, cutoff, tie_rule, index_base, npairs) })
}

/// # Safety
/// As for [`neargrid_celllist_count_f64`].
unsafe fn count_into<T: Precision>(
    dim: i32,
    npoints: i64,
    x: *const T,
    cutoff: T,
    tie_rule: i32,
    index_base: i32,
    npairs: *mut i64,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe {
        let npairs = checks::out(npairs, "npairs")?;
        let rule = rule_of(tie_rule).inspect_err(|_| discard())?;
        npairs.set(count(dim, npoints, x, cutoff, rule, index_base.into())?);
    }
    Ok(())
}

/// Points that stand point after point at `x`.
///
/// # Safety
/// `x` is NULL or readable for dim * npoints elements during the call.
unsafe fn interleaved<'a, T: Precision>(dim: i32, npoints: i64, x: *const T) -> Result<PointsView<'a, T>> {
    let bases = [(x, "x"), (x.wrapping_add(1), "x"), (x.wrapping_add(2), "x")];
    let bases = if x.is_null() { [(x, "x"); 3] } else { bases };
    let stride = i64::from(dim) * size_of::<T>() as i64;
    // SAFETY: the caller's promise; each axis starts inside the first point.
    unsafe { strides::points(dim.into(), npoints, "npoints", bases, stride) }
}

/// Copies the pairs of the calling thread's last search, with i < j and ordered by (i, j).
///
/// - `maxnpair`: number of elements of each array.
/// - `npairs`: receives the number of pairs.
/// - `pair_i`, `pair_j`: receive the pairs; elements after the first `npairs` are not changed. May be NULL if `maxnpair` is
///   0.
///
/// Returns OK, NULL_POINTER, BAD_COUNT, BAD_VALUE (the results would overlap), BAD_STATE (no search by this thread),
/// CAPACITY, OUT_OF_MEMORY, DEVICE_LOST (search again). After CAPACITY, `npairs` is the size needed and the arrays are
/// unchanged; the call can be repeated with larger arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_celllist_fetch(
    maxnpair: i64,
    npairs: *mut i64,
    pair_i: *mut i32,
    pair_j: *mut i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (npairs, left, right) = unsafe {
            (
                checks::out(npairs, "npairs")?,
                checks::rows(pair_i, "pair_i", maxnpair, "maxnpair")?,
                checks::rows(pair_j, "pair_j", maxnpair, "maxnpair")?,
            )
        };
        let check = apart(npairs.address(), [pair_i, pair_j]);
        npairs.set(report_need(fetch(left, right, &check), &npairs)? as i64);
        Ok(())
    })
}

/// Copies the pairs of the calling thread's last search with compressed left points: `endpos[i]` is the number of pairs whose
/// left point is one of the first i + 1 points.
///
/// - `maxnpair`: number of elements of `pair_j`.
/// - `npairs`: receives the number of pairs.
/// - `endpos`: receives one element for each point. May be NULL if there are no points.
/// - `pair_j`: receives the right points; elements after the first `npairs` are not changed. May be NULL if `maxnpair` is 0.
///
/// Returns the statuses of neargrid_celllist_fetch, and also TOO_MANY_PAIRS (`endpos` cannot hold the number of pairs).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_celllist_fetch_compact(
    maxnpair: i64,
    npairs: *mut i64,
    endpos: *mut i32,
    pair_j: *mut i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (npairs, right) = unsafe {
            (
                checks::out(npairs, "npairs")?,
                checks::rows(pair_j, "pair_j", maxnpair, "maxnpair")?,
            )
        };
        with_result(|search| {
            if endpos.is_null() && !search.is_empty() {
                return Err(Error::NullPointer {
                    argument: "endpos",
                    expected: "an array of npoints elements",
                });
            }
            let ends = checks::written(endpos, search.len(), "endpos");
            // SAFETY: the caller's promise.
            let mut endpos = unsafe { checks::array(endpos, search.len(), "endpos")? };
            check_32_bit(search.count_pairs()?)?;
            let number = checks::written(npairs.address(), 1, "npairs");
            let check =
                |pairs| checks::disjoint(&[number.clone(), ends.clone(), checks::written(pair_j, pairs, "pair_j")]);
            let (offsets, need) = report_need(
                search.neighbors_into_rows("maxnpair", NeighborsKind::Half, right, &check),
                &npairs,
            )?;
            for (i, &end) in offsets[1..].iter().enumerate() {
                endpos.write(i, (end - offsets[0]) as i32);
            }
            npairs.set(need as i64);
            Ok(())
        })
    })
}

/// Frees the memory of the calling thread's hidden handle, and discards its result. The next search creates a new handle.
#[unsafe(no_mangle)]
pub extern "C" fn neargrid_celllist_release() {
    release();
}
