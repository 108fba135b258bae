//! The settings of a handle, a function each; those of later versions are refused.

use super::checks;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::status::neargrid_status;
use crate::domain::TieRule;
use crate::error::{Error, Result, Status};
use crate::kinds::{GhostPairs, MAX_TYPES};
use crate::plan::Backend;
use crate::points::{check_dim, check_len};
use crate::search::Search;

/// A pair is two points with d2 <= c2: the default.
pub const NEARGRID_TIE_INCLUSIVE: i32 = 0;
/// A pair is two points with d2 < c2.
pub const NEARGRID_TIE_EXCLUSIVE: i32 = 1;

/// A GPU where there is one and the problem is large enough to win, otherwise the CPU: the default.
pub const NEARGRID_BACKEND_AUTO: i32 = 0;
/// The CPU.
pub const NEARGRID_BACKEND_CPU: i32 = 1;
/// A GPU; where there is none, queries fail with NO_DEVICE.
pub const NEARGRID_BACKEND_GPU: i32 = 2;

/// The best GPU there is: the default.
pub const NEARGRID_DEVICE_AUTO: i32 = -1;

/// All points are active, none is a ghost: the default.
pub const NEARGRID_ALL_ACTIVE: i64 = -1;

/// Pairs and half rows hold all pairs of an active point and a ghost: the default.
pub const NEARGRID_GHOST_PAIRS_ALL: i32 = 0;
/// Pairs and half rows hold those of an active point and a ghost of larger global id.
pub const NEARGRID_GHOST_PAIRS_LARGER_IDS: i32 = 1;

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

/// Sets the search radius, in the unit of the coordinates: finite and greater than 0. For real32 points it is rounded
/// to real32; the range of its square is checked by the query, which knows the precision. There is no default.
/// Status: OK, NULL_POINTER, BAD_CUTOFF.
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_cutoff(search: *mut neargrid_search, cutoff: f64) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { setter(search, |search| search.set_cutoff(cutoff)) }
}

/// Sets whether points exactly one cutoff apart are a pair: NEARGRID_TIE_INCLUSIVE (default) or NEARGRID_TIE_EXCLUSIVE.
/// Status: OK, NULL_POINTER, BAD_VALUE.
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_tie_rule(search: *mut neargrid_search, rule: i32) -> neargrid_status {
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

/// Sets where indices start, 0 (default) or 1: ids, offsets, and points named in messages.
/// Status: OK, NULL_POINTER, BAD_VALUE.
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_index_base(search: *mut neargrid_search, base: i32) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { setter(search, |search| search.set_index_base(base.into())) }
}

/// Sets how many threads a query uses: 1 to 1024, or 0 (default) for all that the process may use, but only the calling
/// one for few points and inside the caller's own OpenMP parallel region. Results do not depend on it. Helper threads belong to
/// the process: all searches share one pool, which has no more of them than the largest search asked for, each with a stack of
/// 2 MiB. They sleep while no search needs them, and live until the process exits.
/// Status: OK, NULL_POINTER, BAD_VALUE; a query may return THREADS.
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_threads(search: *mut neargrid_search, threads: i32) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { setter(search, |search| search.set_threads(threads.into())) }
}

/// Sets who searches: NEARGRID_BACKEND_AUTO (default), _CPU or _GPU. A forced backend that is missing makes queries fail
/// with NO_DEVICE; it is never changed in silence.
/// Status: OK, NULL_POINTER, BAD_VALUE.
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_backend(search: *mut neargrid_search, backend: i32) -> neargrid_status {
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

/// Sets which GPU the handle searches on, where it searches on one: an index from 0 on, as the example device_info lists them,
/// or NEARGRID_DEVICE_AUTO (default) for the best by kind: discrete, integrated, virtual, other. Whether there is such a GPU
/// turns out at the first query that wants one (BAD_VALUE). The variable NEARGRID_DEVICE overrides this. A process may use
/// several GPUs, by a handle each.
/// Status: OK, NULL_POINTER, BAD_VALUE.
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_device(search: *mut neargrid_search, device: i32) -> neargrid_status {
    let allowed = "-1 (the best) or the index of a GPU";
    let refused = || Error::not_allowed(Status::BadValue, "device", device, allowed);
    // SAFETY: the caller's promise.
    unsafe {
        setter(search, |search| {
            let index = (device != NEARGRID_DEVICE_AUTO).then(|| usize::try_from(device).map_err(|_| refused()));
            search.set_device(index.transpose()?);
            Ok(())
        })
    }
}

/// Has the handle take its turn among the GPUs, for processes that share a machine: of those of the best kind that is there it
/// takes number `turn`, from 0 on, counted round and round. The number of a process on its machine is a good one. This and
/// neargrid_search_set_device undo each other; the variable NEARGRID_DEVICE overrides both.
/// Status: OK, NULL_POINTER, BAD_VALUE (a negative turn).
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_device_turn(search: *mut neargrid_search, turn: i32) -> neargrid_status {
    let refused = |_| Error::not_allowed(Status::BadValue, "turn", turn, "0 or greater");
    // SAFETY: the caller's promise.
    unsafe {
        setter(search, |search| {
            search.set_device_turn(usize::try_from(turn).map_err(refused)?);
            Ok(())
        })
    }
}

/// Sets the most memory in bytes that a handle takes for a result; 0 (default) is no limit. Counted are offsets, ids and left
/// points in memory of the library, what a search keeps in order to fill them, and chunks (neargrid_chunks_begin), those on a
/// GPU and on their way from it included, where they take at least 16 MiB each. Not counted are points, index, some megabytes
/// for each thread, and the caller's arrays. A list that would take more is refused with MEMORY_LIMIT: it can be had in chunks
/// or in the caller's arrays.
/// Status: OK, NULL_POINTER, BAD_COUNT.
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_memory_limit(search: *mut neargrid_search, bytes: i64) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { setter(search, |search| search.set_memory_limit(bytes)) }
}

/// Sets an axis-aligned box: `dim` lower corners, lengths (greater than 0) and periodic flags (0 or 1). With all flags 0
/// the domain is open, as by default, and points may lie anywhere. Along a periodic axis they may lie anywhere too: a point
/// inside, lo <= x < lo + length, keeps its coordinate, searches wrap copies of the others into the box, and take the nearest
/// image of a pair. `dim` must be that of the points if an axis is periodic, and such an axis at least two cutoffs long, which
/// queries check (BAD_DOMAIN). In the precision of the points lo + length must be finite and above lo, or they are refused
/// (BAD_DOMAIN). A handle whose periodic axes change forgets its points: set the box, then the points.
/// Status: OK, NULL_POINTER, BAD_DIM, BAD_VALUE, BAD_DOMAIN.
///
/// # Safety
/// `search` is NULL or a valid handle; the arrays are NULL or readable for `dim` elements.
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

/// Sets how many of the points, from the first, are active: 0 up to the number of points, or NEARGRID_ALL_ACTIVE (default).
/// The rest are ghosts, neighbors of active points but not of one another: each pair of an active point and a ghost is there
/// once, a pair of ghosts never, and in full rows those of ghosts list active points. Lists have rows of all points. More
/// than there are points is refused by the query, which knows them. It stays when points are set anew.
/// Status: OK, NULL_POINTER, BAD_COUNT.
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_active(search: *mut neargrid_search, n_active: i64) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        setter(search, |search| {
            search.set_active(Some(n_active).filter(|&active| active != NEARGRID_ALL_ACTIVE))
        })
    }
}

/// Sets which pairs of an active point and a ghost are in pairs and half rows: NEARGRID_GHOST_PAIRS_ALL (default), or
/// NEARGRID_GHOST_PAIRS_LARGER_IDS, only those where the ghost has the larger global id (neargrid_search_set_ids; points
/// without ids are ordered by their numbers, where ghosts are behind). So processes that hold each other's points as ghosts
/// have each pair once among them. Full rows hold all in either case. It stays when points are set anew.
/// Status: OK, NULL_POINTER, BAD_VALUE.
///
/// # Safety
/// `search` is NULL or a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_ghost_pairs(search: *mut neargrid_search, which: i32) -> neargrid_status {
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

/// Sets a type per point and which types interact: points of types that do not are no neighbors. Types and mask are copied,
/// and stay when points are set anew. No types (n = 0) undo them: all points interact.
///
/// `n`: number of points; another number than that of the points set is refused by the query. `types`: n types, counted from
/// the index base on. `ntypes`: 1 to 32. `mask`: ntypes x ntypes flags (0 or 1), symmetric: whether type a interacts with b.
/// `types` and `mask` are not read, and `ntypes` may be anything, where n is 0.
/// Status: OK, NULL_POINTER, BAD_COUNT (n, ntypes), BAD_VALUE (a type, the mask), OUT_OF_MEMORY. On failure nothing changes.
///
/// # Safety
/// `search` is NULL or a valid handle; `types` is NULL or readable for `n`, `mask` for
/// `ntypes` * `ntypes` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_types(
    search: *mut neargrid_search,
    n: i64,
    types: *const i32,
    ntypes: i32,
    mask: *const i32,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        setter(search, |search| {
            let n = check_len("n", n)?;
            let types = checks::slice(types, n, "types")?;
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
            search.set_types(types, &interact[..entries])
        })
    }
}
