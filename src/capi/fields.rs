//! Fields: named values of the points or of the queries, which formulas read and make.

use std::ffi::c_char;

use super::checks;
use super::formula::text;
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::queries::{are_queries, neargrid_of};
use super::status::neargrid_status;
use super::strides::{self, Components};
use crate::error::{Error, Result, Status};
use crate::fields::Of;
use crate::search::Precision;

/// The owner of values.
fn of_which(of: neargrid_of) -> Result<Of> {
    Ok(if are_queries(of)? { Of::Queries } else { Of::Points })
}

/// The number of components that a field has.
pub(super) fn components_of(components: i32) -> Result<usize> {
    let width = usize::try_from(components).ok().filter(|width| (1..=3).contains(width));
    let allowed = "1, or the dimension of the points";
    width.ok_or_else(|| Error::not_allowed(Status::BadDim, "components", components, allowed))
}

/// # Safety
/// As for [`neargrid_search_set_field_f64`].
unsafe fn set_field<T: Precision>(
    search: *mut neargrid_search,
    name: *const c_char,
    of: neargrid_of,
    (width, n): (i32, i64),
    (values, stride): ([*const T; 3], i64),
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, name) = unsafe { (handle::enter(search)?, text(name, "name")?) };
        let of = of_which(of)?;
        let width = components_of(width)?;
        let n = checks::count_of::<T>(n, "n", width)?;
        let [x, y, z] = values;
        let bases = [(x, "x"), (y, "y"), (z, "z")];
        // SAFETY: the caller's promise.
        let values = unsafe { strides::components(&bases[..width], n, stride)? };
        search.set_values(name, of, &values, width)
    })
}

/// Sets a field, in real64: numbers or vectors of the points, or of the queries, which formulas read by its name with `_i` and `_j`. A name
/// with `_i` reads those of queries where rows are those of queries. The handle keeps a copy until the field is set again or a formula
/// makes it.
///
/// - `name`: its name without `_i` and `_j`. The name `x` is that of the points.
/// - `of`: NEARGRID_OF_POINTS or NEARGRID_OF_QUERIES.
/// - `components`: 1, or the dimension of the points for a vector.
/// - `n`: number of points or queries, checked by neargrid_search_run.
/// - `x`, `y`, `z`: addresses of the components of the first point. `y` is not read if `components` is 1, and `z` only if it is
///   3. They may be NULL if `n` is 0.
/// - `stride`: distance from one point to the next in bytes, as for neargrid_search_set_points_f64.
///
/// Returns OK, NULL_POINTER, BAD_VALUE (`name`, `of`, `stride`), BAD_DIM (`components`), BAD_COUNT (`n`), OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_field_f64(
    search: *mut neargrid_search,
    name: *const c_char,
    of: neargrid_of,
    components: i32,
    n: i64,
    x: *const f64,
    y: *const f64,
    z: *const f64,
    stride: i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { set_field(search, name, of, (components, n), ([x, y, z], stride)) }
}

/// As neargrid_search_set_field_f64, in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_set_field_f32(
    search: *mut neargrid_search,
    name: *const c_char,
    of: neargrid_of,
    components: i32,
    n: i64,
    x: *const f32,
    y: *const f32,
    z: *const f32,
    stride: i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { set_field(search, name, of, (components, n), ([x, y, z], stride)) }
}

/// Returns how many numbers a field has.
///
/// - `name`: its name without `_i` and `_j`; `x` is the field of the points.
/// - `of`: NEARGRID_OF_POINTS or NEARGRID_OF_QUERIES.
/// - `components`: receives 1, or the dimension of the points for a vector.
/// - `n`: receives the number of points or queries.
///
/// Returns OK, NULL_POINTER, BAD_VALUE (`of`), BAD_STATE (no such field).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_field_size(
    search: *const neargrid_search,
    name: *const c_char,
    of: neargrid_of,
    components: *mut i32,
    n: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (search, name) = unsafe { (handle::enter(search)?, text(name, "name")?) };
        // SAFETY: the caller's promise.
        let (components, n) = unsafe { (checks::out(components, "components")?, checks::out(n, "n")?) };
        let [width, points] = search.size_of(name, of_which(of)?)?;
        components.set(width as i32);
        n.set(points as i64);
        Ok(())
    })
}

/// # Safety
/// As for [`neargrid_field_copy_f64`].
unsafe fn copy<T: Precision>(
    search: *const neargrid_search,
    name: *const c_char,
    of: neargrid_of,
    (components, n): (i32, i64),
    (values, stride): ([*mut T; 3], i64),
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, name) = unsafe { (handle::enter(search)?, text(name, "name")?) };
        let of = of_which(of)?;
        let [width, points] = search.size_of(name, of)?;
        if components != width as i32 {
            let allowed = format_args!("{width}, as many as {name} has");
            return Err(Error::not_allowed(Status::BadDim, "components", components, allowed));
        }
        if n != points as i64 {
            let allowed = format_args!("{points}, as many as {name} has values");
            return Err(Error::not_allowed(Status::BadCount, "n", n, allowed));
        }
        let team = search.team_for(points * width)?;
        let numbers = search.values_as::<T>(name, of)?;
        let [x, y, z] = values;
        let bases = [(x, "x"), (y, "y"), (z, "z")];
        // SAFETY: the caller's promise.
        match unsafe { strides::components_out(&bases[..width], points, stride)? } {
            Components::Together(to) => to.in_pieces(&team, 1, |first, piece| {
                piece.write_all(0, &numbers[first..first + piece.len()])
            }),
            Components::Apart(to) => {
                to.write(&numbers);
                Ok(())
            }
        }
    })
}

/// Copies a field that was set or that a formula has made, or the positions of the points, to real64.
///
/// - `name`: its name without `_i` and `_j`; `x` is the field of the points.
/// - `of`: NEARGRID_OF_POINTS or NEARGRID_OF_QUERIES.
/// - `components`: 1, or the dimension of the points for a vector.
/// - `n`: number of points or queries.
/// - `x`, `y`, `z`: addresses that receive the components of the first point. `y` is not used if `components` is 1, and `z` only
///   if it is 3. They may be NULL if `n` is 0.
/// - `stride`: distance from one point to the next in bytes, as for neargrid_search_set_points_f64.
///
/// Returns OK, NULL_POINTER, BAD_VALUE (`of`, `stride`), BAD_DIM (`components`), BAD_COUNT (`n`), BAD_STATE (no such field),
/// OUT_OF_MEMORY, DEVICE_LOST (a run has left values on a GPU: the text names them, and they are set no longer).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_field_copy_f64(
    search: *const neargrid_search,
    name: *const c_char,
    of: neargrid_of,
    components: i32,
    n: i64,
    x: *mut f64,
    y: *mut f64,
    z: *mut f64,
    stride: i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { copy(search, name, of, (components, n), ([x, y, z], stride)) }
}

/// As neargrid_field_copy_f64, to real32: real64 numbers are rounded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_field_copy_f32(
    search: *const neargrid_search,
    name: *const c_char,
    of: neargrid_of,
    components: i32,
    n: i64,
    x: *mut f32,
    y: *mut f32,
    z: *mut f32,
    stride: i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { copy(search, name, of, (components, n), ([x, y, z], stride)) }
}
