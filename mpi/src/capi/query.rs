//! Queries: pairs, rows of neighbors, ghosts.

use super::checks::{array, choice, count, disjoint, enter, neargrid_mpi_search, out, span};
use super::guard::guard;
use super::status::{NEARGRID_MPI_SIDES_BOTH, NEARGRID_MPI_SIDES_ONCE, neargrid_status};
use crate::comm::site::Site;
use crate::core::Kind;
use crate::error::Result;
use crate::held::Ghosts;
use crate::list::Sides;
use crate::points::Real;
use crate::search::Search;

fn sides(value: i32) -> Result<Sides> {
    let allowed = [
        (NEARGRID_MPI_SIDES_ONCE, "once", Sides::Once),
        (NEARGRID_MPI_SIDES_BOTH, "both", Sides::Both),
    ];
    choice(value, "sides", &allowed)
}

fn kind(value: i32) -> Result<Kind> {
    choice(value, "kind", &[(0, "half", Kind::Half), (1, "full", Kind::Full)])
}

/// Returns the pairs of this rank as a view. Points are numbered from the index base: first this rank's own points, in the
/// order in which they were set, then its ghosts (neargrid_mpi_ghosts_view_f64). The first query after points or settings
/// change makes the plan: which ranks are near each other, and which points are ghosts on which ranks. Collective.
///
/// - `sides`: NEARGRID_MPI_SIDES_ONCE or NEARGRID_MPI_SIDES_BOTH, the same on all ranks.
/// - `npairs`: receives the number of pairs of this rank.
/// - `pair_i`, `pair_j`: receive pointers to arrays of `npairs` elements, ordered by the global id of the left point, then of
///   the right point. The left point is owned by this rank; if both are, it is the one with the smaller id. The arrays are
///   owned by the handle and valid until the next call on it, except calls for halos and counters.
///
/// Returns the statuses of neargrid_pairs_count (on all ranks that of the first rank that fails), and also BAD_VALUE
/// (`sides`), NULL_POINTER, COMMUNICATION, DISAGREEMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_pairs_view(
    search: *mut neargrid_mpi_search,
    sides: i32,
    npairs: *mut i64,
    pair_i: *mut *const i32,
    pair_j: *mut *const i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        // SAFETY: the caller's promise.
        let outs = unsafe { (out(npairs, "npairs"), out(pair_i, "pair_i"), out(pair_j, "pair_j")) };
        let outs = outs.0.and_then(|npairs| Ok((npairs, outs.1?, outs.2?)));
        let (asked, outs) = both(self::sides(sides), outs);
        let pairs = search.pairs(asked)?;
        if let Some((npairs, pair_i, pair_j)) = outs {
            npairs.set(pairs.left.len() as i64);
            pair_i.set(pairs.left.as_ptr());
            pair_j.set(pairs.right.as_ptr());
        }
        Ok(())
    })
}

/// Copies the pairs of this rank into the caller's arrays, with the contents of neargrid_mpi_pairs_view. Collective.
///
/// - `sides`: as for neargrid_mpi_pairs_view.
/// - `capacity`: number of elements of each array.
/// - `npairs`: receives the number of pairs.
/// - `pair_i`, `pair_j`: receive the pairs; elements after the first `npairs` are not changed. May be NULL if `capacity` is
///   0.
///
/// Returns the statuses of neargrid_mpi_pairs_view, and also BAD_COUNT, BAD_VALUE (results that overlap), CAPACITY (the
/// arrays of at least one rank are too small). After CAPACITY, `npairs` is the size needed on each rank and all arrays
/// are unchanged; another call with larger arrays does not repeat the search.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_pairs_copy(
    search: *mut neargrid_mpi_search,
    sides: i32,
    capacity: i64,
    npairs: *mut i64,
    pair_i: *mut i32,
    pair_j: *mut i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        let arrays = count(capacity, "capacity").and_then(|len| {
            disjoint(&[
                span(npairs, 1, "npairs"),
                span(pair_i, len, "pair_i"),
                span(pair_j, len, "pair_j"),
            ])?;
            // SAFETY: the caller's promise, and apart.
            Ok(unsafe {
                (
                    out(npairs, "npairs")?,
                    array(pair_i, len, "pair_i")?,
                    array(pair_j, len, "pair_j")?,
                )
            })
        });
        let (asked, arrays) = both(self::sides(sides), arrays);
        let need = search.pairs(asked)?.left.len();
        let Some((npairs, mut pair_i, mut pair_j)) = arrays else {
            return Ok(());
        };
        npairs.set(need as i64);
        search.check_capacity(pair_i.len(), need)?;
        let pairs = search.held_pairs()?;
        pair_i.write(0, pairs.left);
        pair_j.write(0, pairs.right);
        Ok(())
    })
}

/// Returns the rows of this rank's points as a view. In index base b, the row of point i is `ids[offsets[i] - b]` to
/// `ids[offsets[i + 1] - 1 - b]`, ordered by global id, with points numbered as in neargrid_mpi_pairs_view. Collective.
///
/// - `kind`: NEARGRID_NEIGHBORS_HALF for the points with larger global ids, or NEARGRID_NEIGHBORS_FULL for all; the same on
///   all ranks.
/// - `n`: receives the number of rows, which is the number of this rank's points.
/// - `total`: receives the number of ids.
/// - `offsets`, `ids`: receive pointers to arrays of `n` + 1 and `total` elements, owned by the handle and valid until the
///   next call on it, except calls for halos and counters.
///
/// Returns the statuses of neargrid_mpi_pairs_view, and also BAD_VALUE (`kind`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_neighbors_view(
    search: *mut neargrid_mpi_search,
    kind: i32,
    n: *mut i64,
    total: *mut i64,
    offsets: *mut *const i64,
    ids: *mut *const i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        // SAFETY: the caller's promise.
        let (counts, lists) = unsafe {
            (
                (out(n, "n"), out(total, "total")),
                (out(offsets, "offsets"), out(ids, "ids")),
            )
        };
        let outs = counts.0.and_then(|n| Ok((n, counts.1?, lists.0?, lists.1?)));
        let (asked, outs) = both(self::kind(kind), outs);
        let rows = search.neighbors(asked)?;
        if let Some((n, total, offsets, ids)) = outs {
            n.set(rows.offsets.len() as i64 - 1);
            total.set(rows.ids.len() as i64);
            offsets.set(rows.offsets.as_ptr());
            ids.set(rows.ids.as_ptr());
        }
        Ok(())
    })
}

/// Copies the rows of this rank's points into the caller's arrays, with the contents of neargrid_mpi_neighbors_view.
/// Collective.
///
/// - `kind`: as for neargrid_mpi_neighbors_view.
/// - `capacity`: number of elements of `ids`.
/// - `total`: receives the number of ids.
/// - `offsets`: receives n + 1 elements, where n is the number of this rank's points.
/// - `ids`: receives the point numbers; elements after the first `total` are not changed. May be NULL if `capacity` is 0.
///
/// Returns the statuses of neargrid_mpi_neighbors_view, and also BAD_COUNT, BAD_VALUE (results that overlap), CAPACITY (the
/// array of at least one rank is too small). After CAPACITY, `total` is the size needed on each rank and all arrays are
/// unchanged; another call with larger arrays does not repeat the search.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_neighbors_copy(
    search: *mut neargrid_mpi_search,
    kind: i32,
    capacity: i64,
    total: *mut i64,
    offsets: *mut i64,
    ids: *mut i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        let rows = search.owned() + 1;
        let arrays = count(capacity, "capacity").and_then(|len| {
            disjoint(&[
                span(total, 1, "total"),
                span(offsets, rows, "offsets"),
                span(ids, len, "ids"),
            ])?;
            // SAFETY: the caller's promise, and apart.
            Ok(unsafe {
                (
                    out(total, "total")?,
                    array(offsets, rows, "offsets")?,
                    array(ids, len, "ids")?,
                )
            })
        });
        let (asked, arrays) = both(self::kind(kind), arrays);
        let need = search.neighbors(asked.clone())?.ids.len();
        let Some((total, mut offsets, mut ids)) = arrays else {
            return Ok(());
        };
        total.set(need as i64);
        search.check_capacity(ids.len(), need)?;
        let rows = search.held_neighbors(asked?)?;
        offsets.write(0, rows.offsets);
        ids.write(0, rows.ids);
        Ok(())
    })
}

/// The request, refused where it or the arrays for it are no good; and the arrays, where they are.
fn both<A: Copy, O>(asked: Result<A>, outs: Result<O>) -> (Result<A>, Option<O>) {
    match (asked, outs) {
        (Ok(asked), Ok(outs)) => (Ok(asked), Some(outs)),
        (Err(error), _) | (_, Err(error)) => (Err(error), None),
    }
}

/// The body of neargrid_mpi_ghosts_view_* and neargrid_mpi_knn_ghosts_view_*, which differ in the `asked_for` ghosts.
///
/// # Safety
/// As for neargrid_mpi_ghosts_view_f64.
pub(super) unsafe fn ghosts<T: Real>(
    search: *mut neargrid_mpi_search,
    n: *mut i64,
    ids: *mut *const i64,
    ranks: *mut *const i32,
    positions: *mut *const T,
    asked_for: impl FnOnce(&mut Search<Site>, Result<()>) -> Result<Ghosts<'_>>,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { enter(search) }?;
        // SAFETY: the caller's promise.
        let outs = unsafe {
            (
                (out(n, "n"), out(ids, "ids")),
                (out(ranks, "ranks"), out(positions, "positions")),
            )
        };
        let outs = outs.0.0.and_then(|n| Ok((n, outs.0.1?, outs.1.0?, outs.1.1?)));
        let outs = outs.and_then(|outs| search.check_precision::<T>().map(|()| outs));
        let (asked, outs) = match outs {
            Ok(outs) => (Ok(()), Some(outs)),
            Err(error) => (Err(error), None),
        };
        let ghosts = asked_for(&mut search, asked)?;
        if let Some((n, ids, ranks, positions)) = outs {
            n.set(ghosts.ids.len() as i64);
            ids.set(ghosts.ids.as_ptr());
            ranks.set(ghosts.ranks.as_ptr());
            positions.set(T::held(ghosts.coords)[ghosts.start..].as_ptr());
        }
        Ok(())
    })
}

/// Returns the ghosts of this rank as a view, for points in real64. Ghost k (from 0) has point number n_owned + k plus the
/// index base, where n_owned is the number of this rank's points. Ghosts are ordered by the rank that owns them, first the
/// ranks after this one and then those before it, and by their point numbers there. Collective.
///
/// - `n`: receives the number of ghosts.
/// - `ids`, `ranks`: receive pointers to arrays of `n` elements: the global ids, and the ranks that own them.
/// - `positions`: receives a pointer to `n` times dim coordinates, point after point, as their owners passed them. They are
///   not moved to the nearest image.
///
/// The arrays are owned by the handle. They are valid until a call sets points or settings, or until a query needs other
/// ghosts.
///
/// Returns the statuses of neargrid_mpi_pairs_view, and also BAD_VALUE (the points set are real32).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_ghosts_view_f64(
    search: *mut neargrid_mpi_search,
    n: *mut i64,
    ids: *mut *const i64,
    ranks: *mut *const i32,
    positions: *mut *const f64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { ghosts(search, n, ids, ranks, positions, Search::ghosts) }
}

/// As neargrid_mpi_ghosts_view_f64, for points in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_mpi_ghosts_view_f32(
    search: *mut neargrid_mpi_search,
    n: *mut i64,
    ids: *mut *const i64,
    ranks: *mut *const i32,
    positions: *mut *const f32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { ghosts(search, n, ids, ranks, positions, Search::ghosts) }
}
