//! Sums, maxima and minima over neighbors by a formula.

use std::ffi::{CStr, c_char};

use super::exclusive::{self, Entered, Exclusive};
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::neighbors::{kind_of, neargrid_neighbors};
use super::queries::{are_queries, neargrid_of};
use super::status::neargrid_status;
use super::strides::{self, Components};
use super::{checks, openmp};
use crate::error::{Error, Result, Status};
use crate::formula::{Formula, SumPrecision, TableOf};
use crate::search::Precision;

/// The precision of a formula: one of NEARGRID_PRECISION_*.
#[allow(non_camel_case_types)]
pub type neargrid_precision = i32;

/// A formula is evaluated in real32.
pub const NEARGRID_PRECISION_SINGLE: neargrid_precision = 0;
/// A formula is evaluated in real64.
pub const NEARGRID_PRECISION_DOUBLE: neargrid_precision = 1;
/// The argument of a table: one of NEARGRID_TABLE_*.
#[allow(non_camel_case_types)]
pub type neargrid_table = i32;

/// A table is called with the distance r.
pub const NEARGRID_TABLE_R: neargrid_table = 0;
/// A table is called with the squared distance r2.
pub const NEARGRID_TABLE_R2: neargrid_table = 1;

/// A formula: its text, the values of its names, and its outputs.
///
/// neargrid_formula_create makes a handle and neargrid_formula_destroy frees it. A formula belongs to no search: any search
/// can evaluate it. Different threads may use the same handle, but only one at a time.
#[allow(non_camel_case_types)]
pub struct neargrid_formula {
    _opaque: [u8; 0],
}

/// The formula behind a handle, for this call alone.
///
/// # Safety
/// `formula` is NULL or came from [`neargrid_formula_create`], and is not freed before the call has begun.
unsafe fn enter<'a>(formula: *const neargrid_formula) -> Result<Entered<'a, Formula>> {
    if formula.is_null() {
        return Err(Error::NullPointer {
            argument: "formula",
            expected: "a handle made by neargrid_formula_create",
        });
    }
    // SAFETY: not NULL, and the caller's promise.
    let entered = unsafe { exclusive::enter(formula.cast::<Exclusive<Formula>>()) };
    entered.map_err(|refused| handle::not_entered(refused, "formula", "neargrid_formula_create"))
}

/// A text that ends with a NUL.
///
/// # Safety
/// `pointer` is NULL or readable up to a NUL during the call.
unsafe fn text<'a>(pointer: *const c_char, argument: &'static str) -> Result<&'a str> {
    if pointer.is_null() {
        let expected = "a text that ends with a NUL";
        return Err(Error::NullPointer { argument, expected });
    }
    // SAFETY: not NULL, and the caller's promise.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|error| {
        let byte = error.valid_up_to() + 1;
        let value = format_args!("a text in another encoding, from byte {byte} on,");
        Error::not_allowed(Status::BadValue, argument, value, "UTF-8")
    })
}

/// Creates a formula from its text.
///
/// - `text`: the formula, at most 65536 bytes of UTF-8 that end with a NUL.
/// - `formula`: receives the handle, or NULL on failure. The caller frees it with neargrid_formula_destroy.
///
/// Statements stand on lines of their own or are separated by `;`. `name = expression` is a temporary. `name += expression`,
/// `name max= expression` and `name min= expression` are outputs: the sum, the largest or the smallest of the terms of all
/// neighbors j of point i. An expression may continue on the next line inside parentheses. `#` and `!` begin comments.
///
/// Names that end in `_i` and `_j` are fields of the two points. `d` is the vector x_i - x_j to the nearest image, `r2` is
/// dot(d, d), `r` its root, and `c` the cutoff of the pair. A name that is called with `r` or `r2` is a radial table. Every
/// other name without a value is a constant. There are `+ - * / ^` (also `**`), comparisons, and the functions dot, min, max,
/// abs, sqrt, exp, log, pow, sin, cos, tan, tanh, atan2, erf, erfc, sign and floor. `select(a, b, condition)` is `a` where the condition holds and `b` elsewhere.
///
/// Returns OK, NULL_POINTER, BAD_COUNT (a longer text), BAD_VALUE (the text says which line and column is wrong and what to
/// write instead), OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_formula_create(
    text: *const c_char,
    formula: *mut *mut neargrid_formula,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (out, text) = unsafe {
            let out = checks::out(formula, "formula")?;
            out.set(std::ptr::null_mut());
            (out, self::text(text, "text")?)
        };
        let mut made = Formula::new(text)?;
        made.set_parallel_probe(openmp::in_parallel);
        let made = exclusive::into_raw(made).ok_or(Error::OutOfMemory {
            what: "a handle",
            bytes: size_of::<Exclusive<Formula>>() as u64,
        })?;
        out.set(made.cast());
        Ok(())
    })
}

/// Frees a formula. Does nothing if `formula` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_formula_destroy(formula: *mut neargrid_formula) {
    guard(|| {
        if !formula.is_null() {
            // SAFETY: not NULL, and the caller's promise.
            unsafe { exclusive::free(formula.cast::<Exclusive<Formula>>()) };
        }
        Ok(())
    });
}

/// Sets the precision of all operations and outputs. Coordinates, fields and constants are rounded to it once.
///
/// - `precision`: NEARGRID_PRECISION_SINGLE (default) or NEARGRID_PRECISION_DOUBLE.
///
/// Returns OK, NULL_POINTER, BAD_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_formula_set_precision(
    formula: *mut neargrid_formula,
    precision: neargrid_precision,
) -> neargrid_status {
    guard(|| {
        let precisions = [
            (NEARGRID_PRECISION_SINGLE, "single", SumPrecision::Single),
            (NEARGRID_PRECISION_DOUBLE, "double", SumPrecision::Double),
        ];
        // SAFETY: the caller's promise.
        let mut formula = unsafe { enter(formula)? };
        formula.set_precision(checks::choice(precision, "precision", &precisions)?);
        Ok(())
    })
}

/// Sets whether a point is a neighbor of itself, at its place in its row and with r = 0.
///
/// - `include`: 1 if it is, 0 if not (default).
///
/// Returns OK, NULL_POINTER, BAD_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_formula_set_include_self(
    formula: *mut neargrid_formula,
    include: i32,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut formula = unsafe { enter(formula)? };
        formula.set_include_self(checks::choice(
            include,
            "include",
            &[(0, "no", false), (1, "yes", true)],
        )?);
        Ok(())
    })
}

/// Sets a constant of the formula.
///
/// - `name`: its name in the text.
///
/// Returns OK, NULL_POINTER, BAD_VALUE (the formula has no such constant).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_formula_set_constant(
    formula: *mut neargrid_formula,
    name: *const c_char,
    value: f64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut formula, name) = unsafe { (enter(formula)?, text(name, "name")?) };
        formula.set_constant(name, value)
    })
}

/// # Safety
/// As for [`neargrid_formula_set_field_f64`].
unsafe fn set_field<T: Precision>(
    formula: *mut neargrid_formula,
    name: *const c_char,
    of: neargrid_of,
    (width, n): (i32, i64),
    (values, stride): ([*const T; 3], i64),
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut formula, name) = unsafe { (enter(formula)?, text(name, "name")?) };
        let of_queries = are_queries(of)?;
        let width = components_of(width)?;
        let n = checks::count_of::<T>(n, "n", width)?;
        let [x, y, z] = values;
        let bases = [(x, "x"), (y, "y"), (z, "z")];
        // SAFETY: the caller's promise.
        let values = unsafe { strides::components(&bases[..width], n, stride)? };
        match of_queries {
            true => formula.set_query_field(name, &values, width),
            false => formula.set_field(name, &values, width),
        }
    })
}

/// The number of components that a field or an output has.
fn components_of(components: i32) -> Result<usize> {
    let width = usize::try_from(components).ok().filter(|width| (1..=3).contains(width));
    let allowed = "1, or the dimension of the points";
    width.ok_or_else(|| Error::not_allowed(Status::BadDim, "components", components, allowed))
}

/// Sets a field of the formula, in real64: numbers or vectors of the points, or of the queries. A name with `_i` reads those of
/// queries where rows are those of queries. The formula keeps a copy until the field is set again.
///
/// - `name`: its name in the text without `_i` and `_j`.
/// - `of`: NEARGRID_OF_POINTS or NEARGRID_OF_QUERIES.
/// - `components`: 1, or the dimension of the points for a vector.
/// - `n`: number of points or queries, checked by neargrid_search_sum.
/// - `x`, `y`, `z`: addresses of the components of the first point. `y` is not read if `components` is 1, and `z` only if it is
///   3. They may be NULL if `n` is 0.
/// - `stride`: distance from one point to the next in bytes, as for neargrid_search_set_points_f64.
///
/// Returns OK, NULL_POINTER, BAD_VALUE (the formula has no such field, `of`, `stride`), BAD_DIM (`components`), BAD_COUNT (`n`),
/// OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_formula_set_field_f64(
    formula: *mut neargrid_formula,
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
    unsafe { set_field(formula, name, of, (components, n), ([x, y, z], stride)) }
}

/// As neargrid_formula_set_field_f64, in real32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_formula_set_field_f32(
    formula: *mut neargrid_formula,
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
    unsafe { set_field(formula, name, of, (components, n), ([x, y, z], stride)) }
}

/// Sets a radial table of the formula: values at equal steps, linear between them. Before the first and after the last value
/// it is that value.
///
/// - `name`: its name in the text.
/// - `of`: NEARGRID_TABLE_R or NEARGRID_TABLE_R2, with which the formula calls it.
/// - `first`, `last`: r or r2 of the first and of the last value.
/// - `n`: number of values, 2 or more.
/// - `values`: `n` numbers.
///
/// Returns OK, NULL_POINTER, BAD_VALUE (the formula has no such table, `of`, `last`), BAD_COUNT (`n`), NON_FINITE (`first`),
/// OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_formula_set_table(
    formula: *mut neargrid_formula,
    name: *const c_char,
    of: neargrid_table,
    first: f64,
    last: f64,
    n: i64,
    values: *const f64,
) -> neargrid_status {
    guard(|| {
        let kinds = [
            (NEARGRID_TABLE_R, "r", TableOf::R),
            (NEARGRID_TABLE_R2, "r2", TableOf::R2),
        ];
        // SAFETY: the caller's promise.
        let (mut formula, name, values) = unsafe {
            let len = checks::count_of::<f64>(n, "n", 1)?;
            (
                enter(formula)?,
                text(name, "name")?,
                checks::slice(values, len, "values")?,
            )
        };
        formula.set_table(name, checks::choice(of, "of", &kinds)?, [first, last], values)
    })
}

/// Evaluates a formula over the neighbors of each point or query. The rows are those of neargrid_neighbors_copy with the same
/// kind, found in chunks, so that memory does not grow with the number of neighbors. Chunks of neargrid_chunks_begin end with
/// this call, and views of lists become invalid.
///
/// - `formula`: every name of it has a value.
/// - `kind`: NEARGRID_NEIGHBORS_HALF, NEARGRID_NEIGHBORS_FULL or NEARGRID_NEIGHBORS_QUERIES.
///
/// Every operation is rounded once in the precision of the formula, and none is fused. Terms are joined in the order of the
/// row, one after the other, as in a loop over the row. So the result does not depend on backend or threads.
///
/// Returns the statuses of neargrid_neighbors_count, and also MEMORY_LIMIT and those of a formula that does not fit, with line
/// and column: BAD_STATE (a name has no value), BAD_VALUE (a vector where a number belongs, or the other way round), BAD_DIM
/// (components of a field), BAD_COUNT (values of a field). On failure the outputs of the last sum remain.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_sum(
    search: *mut neargrid_search,
    formula: *mut neargrid_formula,
    kind: neargrid_neighbors,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (mut search, mut formula) = unsafe { (handle::enter(search)?, enter(formula)?) };
        search.sum(&mut formula, kind_of(kind)?)
    })
}

/// Returns how many numbers an output of the last sum has.
///
/// - `name`: its name in the text.
/// - `components`: receives 1, or the dimension of the points for a vector.
/// - `n`: receives the number of rows.
///
/// Returns OK, NULL_POINTER, BAD_VALUE (the formula has no such output), BAD_STATE (no sum yet).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_formula_size(
    formula: *const neargrid_formula,
    name: *const c_char,
    components: *mut i32,
    n: *mut i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (formula, name) = unsafe { (enter(formula)?, text(name, "name")?) };
        // SAFETY: the caller's promise.
        let (components, n) = unsafe { (checks::out(components, "components")?, checks::out(n, "n")?) };
        components.set(formula.components(name)? as i32);
        n.set(formula.rows(name)? as i64);
        Ok(())
    })
}

/// # Safety
/// As for [`neargrid_formula_copy_f64`].
unsafe fn copy<T: Precision>(
    formula: *const neargrid_formula,
    name: *const c_char,
    (components, n): (i32, i64),
    (values, stride): ([*mut T; 3], i64),
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (formula, name) = unsafe { (enter(formula)?, text(name, "name")?) };
        let output = formula.output::<T>(name)?;
        let (width, rows) = (formula.components(name)?, formula.rows(name)?);
        if components != width as i32 {
            let allowed = format_args!("{width}, as many as {name} has");
            return Err(Error::not_allowed(Status::BadDim, "components", components, allowed));
        }
        if n != rows as i64 {
            let allowed = format_args!("{rows}, the number of rows");
            return Err(Error::not_allowed(Status::BadCount, "n", n, allowed));
        }
        let [x, y, z] = values;
        let bases = [(x, "x"), (y, "y"), (z, "z")];
        // SAFETY: the caller's promise.
        match unsafe { strides::components_out(&bases[..width], rows, stride)? } {
            Components::Together(to) => {
                let team = formula.team_for(output.len())?;
                to.in_pieces(&team, 1, |first, piece| {
                    piece.write_all(0, &output[first..first + piece.len()])
                })
            }
            Components::Apart(to) => {
                to.write(output);
                Ok(())
            }
        }
    })
}

/// Copies an output of the last sum, whose precision is NEARGRID_PRECISION_DOUBLE.
///
/// - `name`: its name in the text.
/// - `components`: 1, or the dimension of the points for a vector.
/// - `n`: number of rows: points, or queries.
/// - `x`, `y`, `z`: addresses that receive the components of the first row. `y` is not used if `components` is 1, and `z` only
///   if it is 3. They may be NULL if `n` is 0.
/// - `stride`: distance from one row to the next in bytes, as for neargrid_search_set_points_f64.
///
/// Returns OK, NULL_POINTER, BAD_VALUE (the formula has no such output, `stride`, or the sum was in single precision), BAD_DIM
/// (`components`), BAD_COUNT (`n`), BAD_STATE (no sum yet).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_formula_copy_f64(
    formula: *const neargrid_formula,
    name: *const c_char,
    components: i32,
    n: i64,
    x: *mut f64,
    y: *mut f64,
    z: *mut f64,
    stride: i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { copy(formula, name, (components, n), ([x, y, z], stride)) }
}

/// As neargrid_formula_copy_f64, of a sum whose precision is NEARGRID_PRECISION_SINGLE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_formula_copy_f32(
    formula: *const neargrid_formula,
    name: *const c_char,
    components: i32,
    n: i64,
    x: *mut f32,
    y: *mut f32,
    z: *mut f32,
    stride: i64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe { copy(formula, name, (components, n), ([x, y, z], stride)) }
}
