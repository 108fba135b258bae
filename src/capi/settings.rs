//! The settings of a handle, a function each; those of later versions are refused.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use super::strides;
use crate::arguments::{check_count, check_dim};
use crate::domain::TieRule;
use crate::error::{Error, Result, Status};
use crate::kinds::{GhostPairs, MAX_TYPES};
use crate::plan::Backend;
use crate::search::Search;

/// Whether two points exactly one cutoff apart are a pair: one of NEARGRID_TIE_*.
#[allow(non_camel_case_types)]
pub type neargrid_tie = i32;

/// Two points are a pair if d2 <= cutoff * cutoff, where d2 is their squared distance. The default.
pub const NEARGRID_TIE_INCLUSIVE: neargrid_tie = 0;
/// Two points are a pair if d2 < cutoff * cutoff.
pub const NEARGRID_TIE_EXCLUSIVE: neargrid_tie = 1;

/// The backend of queries: one of NEARGRID_BACKEND_*.
#[allow(non_camel_case_types)]
pub type neargrid_backend = i32;

/// Use a GPU if there is one that is ready and the problem is large enough to gain from it, otherwise the CPU. The default.
pub const NEARGRID_BACKEND_AUTO: neargrid_backend = 0;
/// Use the CPU.
pub const NEARGRID_BACKEND_CPU: neargrid_backend = 1;
/// Use a GPU. Queries fail with NO_DEVICE if there is none.
pub const NEARGRID_BACKEND_GPU: neargrid_backend = 2;

/// The choice of a GPU: one of NEARGRID_DEVICE_*.
#[allow(non_camel_case_types)]
pub type neargrid_device = i32;

/// Use the best GPU: a discrete one, otherwise integrated, virtual or other, in this order. The default.
pub const NEARGRID_DEVICE_BEST: neargrid_device = 0;
/// Use the GPU with a number.
pub const NEARGRID_DEVICE_INDEX: neargrid_device = 1;
/// Share the GPUs of a machine among processes: use the GPU with a number modulo the number of GPUs of the best kind present.
pub const NEARGRID_DEVICE_TURN: neargrid_device = 2;

/// All points are active; there are no ghosts. The default.
pub const NEARGRID_ALL_ACTIVE: i64 = -1;

/// The pairs with ghosts that are found: one of NEARGRID_GHOST_PAIRS_*.
#[allow(non_camel_case_types)]
pub type neargrid_ghost_pairs = i32;

/// Pairs and half rows contain every pair of an active point and a ghost. The default.
pub const NEARGRID_GHOST_PAIRS_ALL: neargrid_ghost_pairs = 0;
/// Pairs and half rows contain a pair of an active point and a ghost only if the ghost has the larger global id.
pub const NEARGRID_GHOST_PAIRS_LARGER_IDS: neargrid_ghost_pairs = 1;

/// The body of a setter: NULL-checked handle, then `set`.
///
/// # Safety
/// As for `handle::enter`.
unsafe fn setter(search: *mut neargrid_search, set: impl FnOnce(&mut Search) -> Result<()>) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        set(&mut search)
    })
}

/// Sets the cutoff: the search radius, in the unit of the coordinates.
///
/// - `cutoff`: finite and greater than 0. There is no default. For real32 points it is rounded to real32. The query checks
///   the range of its square, which depends on the precision of the points.
///
/// Returns OK, NULL_POINTER, BAD_CUTOFF.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_cutoff(search: *mut neargrid_search, cutoff: f64) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { setter(search, |search| search.set_cutoff(cutoff)) }
}

/// Sets whether two points exactly one cutoff apart are a pair.
///
/// - `rule`: NEARGRID_TIE_INCLUSIVE or NEARGRID_TIE_EXCLUSIVE. Until it is set, the environment variable NEARGRID_TIE
///   (inclusive, exclusive) decides; if that is not set either, the rule is inclusive.
///
/// Returns OK, NULL_POINTER, BAD_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_tie_rule(
    search: *mut neargrid_search,
    rule: neargrid_tie,
) -> neargrid_status {
    let rules = [
        (NEARGRID_TIE_INCLUSIVE, "inclusive", TieRule::Inclusive),
        (NEARGRID_TIE_EXCLUSIVE, "exclusive", TieRule::Exclusive),
    ];
    // SAFETY: the caller's promise.
    unsafe {
        setter(search, |search| {
            search.set_tie_rule(checks::choice(rule, "rule", &rules)?);
            Ok(())
        })
    }
}

/// Sets the index base: the number of the first point. It applies to ids, offsets and the point numbers in error texts.
///
/// - `base`: 0 (default) or 1.
///
/// Returns OK, NULL_POINTER, BAD_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_index_base(search: *mut neargrid_search, base: i32) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { setter(search, |search| search.set_index_base(base.into())) }
}

/// Sets the number of threads of a query. The result does not depend on it.
///
/// - `threads`: 1 to 1024, or 0 (default). With 0 a query uses all threads available to the process, but only the calling
///   thread for few points and inside an OpenMP parallel region of the caller.
///
/// All searches of a process share one pool of helper threads. The pool grows to the largest number that a search has needed;
/// each helper has a stack of 2 MiB. Helpers sleep between searches and live until the process exits.
///
/// Returns OK, NULL_POINTER, BAD_VALUE. A query may return THREADS.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_threads(search: *mut neargrid_search, threads: i32) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { setter(search, |search| search.set_threads(threads.into())) }
}

/// Sets the backend that runs queries.
///
/// - `backend`: NEARGRID_BACKEND_AUTO (default), NEARGRID_BACKEND_CPU or NEARGRID_BACKEND_GPU. With NEARGRID_BACKEND_GPU and
///   no GPU, queries fail with NO_DEVICE; they never fall back to the CPU.
///
/// With NEARGRID_BACKEND_AUTO no query waits for a GPU: the second one that is large enough has another thread open it, and
/// the CPU answers until it is ready. With NEARGRID_BACKEND_GPU the first query waits until it is open.
///
/// Returns OK, NULL_POINTER, BAD_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_backend(
    search: *mut neargrid_search,
    backend: neargrid_backend,
) -> neargrid_status {
    let backends = [
        (NEARGRID_BACKEND_AUTO, "auto", Backend::Auto),
        (NEARGRID_BACKEND_CPU, "cpu", Backend::Cpu),
        (NEARGRID_BACKEND_GPU, "gpu", Backend::Gpu),
    ];
    // SAFETY: the caller's promise.
    unsafe {
        setter(search, |search| {
            search.set_backend(checks::choice(backend, "backend", &backends)?);
            Ok(())
        })
    }
}

/// Selects the GPU that the handle uses. A process can use several GPUs through one handle for each. The environment variable
/// NEARGRID_DEVICE overrides this setting.
///
/// - `choice`: NEARGRID_DEVICE_BEST (default), NEARGRID_DEVICE_INDEX or NEARGRID_DEVICE_TURN.
/// - `number`: for NEARGRID_DEVICE_INDEX the number of the GPU, from 0, in the order printed by the example program device_info;
///   a query that needs the GPU checks that it exists and returns BAD_VALUE if it does not. For NEARGRID_DEVICE_TURN for
///   example the rank of the process on its node. Not read for NEARGRID_DEVICE_BEST.
///
/// Returns OK, NULL_POINTER, BAD_VALUE (`choice`, a negative `number`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_device(
    search: *mut neargrid_search,
    choice: neargrid_device,
    number: i32,
) -> neargrid_status {
    let choices = [
        (NEARGRID_DEVICE_BEST, "the best", NEARGRID_DEVICE_BEST),
        (NEARGRID_DEVICE_INDEX, "by number", NEARGRID_DEVICE_INDEX),
        (NEARGRID_DEVICE_TURN, "in turn", NEARGRID_DEVICE_TURN),
    ];
    let refused = |_| Error::not_allowed(Status::BadValue, "number", number, "0 or greater");
    // SAFETY: the caller's promise.
    unsafe {
        setter(search, |search| {
            let choice = checks::choice(choice, "choice", &choices)?;
            if choice == NEARGRID_DEVICE_BEST {
                search.set_device(None);
                return Ok(());
            }
            let number = usize::try_from(number).map_err(refused)?;
            match choice {
                NEARGRID_DEVICE_TURN => search.set_device_turn(number),
                _ => search.set_device(Some(number)),
            }
            Ok(())
        })
    }
}

/// Limits the memory that the handle may use for a result. A list that needs more fails with MEMORY_LIMIT; request it in
/// chunks or in your own arrays instead.
///
/// - `bytes`: the limit in bytes; 0 (default) means no limit.
///
/// The limit covers the offsets, ids and left points in memory of the library, the data that a search keeps to fill them, and
/// chunks (neargrid_chunks_begin), including those on a GPU and in transfer, which take at least 16 MiB each. It does not
/// cover the points, the index, a few megabytes for each thread, and the caller's arrays.
///
/// Returns OK, NULL_POINTER, BAD_COUNT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_memory_limit(search: *mut neargrid_search, bytes: i64) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { setter(search, |search| search.set_memory_limit(bytes)) }
}

/// Sets an axis-aligned box that may be periodic along any axis. Set the box before the points: when the periodic axes
/// change, the handle discards its points.
///
/// - `dim`: 1, 2 or 3. It must be the dimension of the points if any axis is periodic.
/// - `lo`: `dim` lower corners, finite along periodic axes.
/// - `length`: `dim` edge lengths, finite and greater than 0 along periodic axes.
/// - `periodic`: `dim` flags, 1 for a periodic axis and 0 for an open one.
///
/// Points may lie anywhere. The box has no effect along an open axis: `lo` and `length` may be anything there, such as 0,
/// infinity or NaN. With all flags 0 the domain is open, as by default.
/// Along a periodic axis, a point with lo <= x < lo + length keeps its coordinate, and the handle wraps its copy of any other
/// point into the box. The distance of two points is that of their nearest images.
///
/// A periodic axis must be at least two cutoffs long; queries check this (BAD_DOMAIN). In the precision of the points, lo +
/// length must be finite and greater than lo; setting points checks this (BAD_DOMAIN). The call removes a cell
/// (neargrid_search_set_cell).
///
/// Returns OK, NULL_POINTER, BAD_DIM, BAD_VALUE, BAD_DOMAIN.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_box(
    search: *mut neargrid_search,
    dim: i32,
    lo: *const f64,
    length: *const f64,
    periodic: *const i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        setter(search, |search| {
            let axes = check_dim(dim.into())?;
            let lo = checks::slice(lo, axes, "lo")?;
            let length = checks::slice(length, axes, "length")?;
            let flags = [(0, "open", false), (1, "periodic", true)];
            let mut periodic_axes = [false; 3];
            for (axis, &flag) in periodic_axes.iter_mut().zip(checks::slice(periodic, axes, "periodic")?) {
                *axis = checks::choice(flag, "periodic", &flags)?;
            }
            search.set_box(lo, length, &periodic_axes[..axes])
        })
    }
}

/// Sets how many of the points are active. The first `n_active` points are active and the rest are ghosts. A ghost is a
/// neighbor of active points, but not of other ghosts. neargrid_search_set_roles lets them come in any order.
///
/// - `n_active`: 0 to the number of points, or NEARGRID_ALL_ACTIVE (default). The query checks it against the number of
///   points.
///
/// Each pair of an active point and a ghost is found once; a pair of two ghosts is never found. Every point has a row, and
/// the full row of a ghost lists active points only, unless neargrid_search_set_ghost_rows says otherwise. The setting remains when points are set again.
///
/// Across ranks it is about this rank's points, as are roles (neargrid_search_set_roles).
///
/// Returns OK, NULL_POINTER, BAD_COUNT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_active(search: *mut neargrid_search, n_active: i64) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        setter(search, |search| {
            search.set_active(Some(n_active).filter(|&active| active != NEARGRID_ALL_ACTIVE))
        })
    }
}

/// Sets which pairs of an active point and a ghost appear in pairs and half rows. Full rows always contain all of them.
///
/// - `which`: NEARGRID_GHOST_PAIRS_ALL (default), or NEARGRID_GHOST_PAIRS_LARGER_IDS for only those whose ghost has the
///   larger global id (neargrid_search_set_ids). Without ids the point numbers are compared.
///
/// If several processes hold each other's points as ghosts, NEARGRID_GHOST_PAIRS_LARGER_IDS gives each pair to exactly one of
/// them. The setting remains when points are set again.
///
/// Across ranks the setting is about active points of other ranks, and NEARGRID_GHOST_PAIRS_LARGER_IDS is the default. Pairs with points that
/// are ghosts on their own rank (neargrid_search_set_active, neargrid_search_set_roles) all appear, once, on the rank of the active point.
///
/// Returns OK, NULL_POINTER, BAD_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_ghost_pairs(
    search: *mut neargrid_search,
    which: neargrid_ghost_pairs,
) -> neargrid_status {
    let choices = [
        (NEARGRID_GHOST_PAIRS_ALL, "all", GhostPairs::All),
        (NEARGRID_GHOST_PAIRS_LARGER_IDS, "larger ids", GhostPairs::LargerIds),
    ];
    // SAFETY: the caller's promise.
    unsafe {
        setter(search, |search| {
            search.set_ghost_pairs(checks::choice(which, "which", &choices)?);
            Ok(())
        })
    }
}

/// Sets a type for each point and which types interact. Points whose types do not interact are not neighbors. The handle
/// keeps a copy, which remains when points are set again.
///
/// - `n`: number of points, checked by the query, or 0 to remove the types, so that all points interact again.
/// - `types`: `n` types, numbered from the index base. May be NULL if `n` is 0.
/// - `stride`: distance from one type to the next in bytes, as for neargrid_search_set_points_f64.
/// - `ntypes`: number of types, 1 to 32.
/// - `mask`: `ntypes` x `ntypes` flags, 0 or 1, symmetric: whether type a interacts with type b.
///
/// If `n` is 0, the other arguments are ignored.
///
/// Returns OK, NULL_POINTER, BAD_COUNT (`n`, `ntypes`), BAD_VALUE (a type, `stride`, the mask), OUT_OF_MEMORY. On failure the previous
/// types remain.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_types(
    search: *mut neargrid_search,
    n: i64,
    types: *const i32,
    stride: i64,
    ntypes: i32,
    mask: *const i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        setter(search, |search| {
            let n = check_count("n", n)?;
            let types = strides::strided(types, n, (stride, "stride"), "types")?;
            let entries = match usize::try_from(ntypes) {
                _ if n == 0 => 0,
                Ok(ntypes) if (1..=MAX_TYPES).contains(&ntypes) => ntypes * ntypes,
                _ => {
                    let allowed = format_args!("1 to {MAX_TYPES}");
                    return Err(Error::not_allowed(Status::BadCount, "ntypes", ntypes, allowed));
                }
            };
            let flags = [(0, "no", false), (1, "yes", true)];
            let mut interact = [false; MAX_TYPES * MAX_TYPES];
            for (flag, &number) in interact.iter_mut().zip(checks::slice(mask, entries, "mask")?) {
                *flag = checks::choice(number, "mask", &flags)?;
            }
            search.set_types(&types, &interact[..entries])
        })
    }
}
