//! Sums, maxima and minima over neighbors by a formula.

use std::ffi::{CStr, c_char};

use super::checks;
use super::exclusive::{self, Entered, Exclusive};
use super::guard::guard;
use super::handle::{self, neargrid_search};
use super::neighbors::{kind_of, neargrid_neighbors};
use super::status::neargrid_status;
use crate::error::{Error, Result, Status};
use crate::formula::{Formula, SumPrecision, TableOf};

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
/// A table is called with r/c, the distance over the cutoff.
pub const NEARGRID_TABLE_R_OVER_C: neargrid_table = 2;

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
pub(super) unsafe fn enter<'a>(formula: *const neargrid_formula) -> Result<Entered<'a, Formula>> {
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
pub(super) unsafe fn text<'a>(pointer: *const c_char, argument: &'static str) -> Result<&'a str> {
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
/// neighbors j of point i. `name_ij = expression` gives a pair field new values: one for each pair, which lives from run to run. An
/// expression may continue on the next line inside parentheses. `#` and `!` begin comments.
///
/// Names that end in `_i` and `_j` are fields of the two points. `d` is the vector x_i - x_j to the nearest image, `r2` is
/// dot(d, d), `r` its root, `c` the cutoff of the pair, and `pi` is built in. A name that is called with `r`, `r2` or `r/c`
/// is a radial table. Every other name without a value is a constant. There are `+ - * / ^` (also `**`), comparisons, which
/// `and`, `or` and `not` join, and the functions dot, cross, min, max, abs, sqrt, exp, log, pow, sin, cos, tan,
/// tanh, atan2, erf, erfc, sign and floor. `v.x`, `v.y` and `v.z` are components of a vector, and `vector(a, b, c)` is one of numbers, as many as the points have axes.
/// `select(a, b, condition)` is `a` where the condition holds and `b` elsewhere.
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
        let made = Formula::new(text)?;
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

/// Returns a constant of the formula, or a number that its statements have made in the last run.
///
/// - `name`: its name in the text.
/// - `value`: receives the number.
///
/// Returns OK, NULL_POINTER, BAD_VALUE (the formula has no such number), BAD_STATE (it has no value yet).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_formula_number(
    formula: *const neargrid_formula,
    name: *const c_char,
    value: *mut f64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (formula, name, out) = unsafe { (enter(formula)?, text(name, "name")?, checks::out(value, "value")?) };
        out.set(formula.number(name)?);
        Ok(())
    })
}

/// Sets a radial table of the formula: values at equal steps, linear between them. Before the first and after the last value
/// it is that value.
///
/// - `name`: its name in the text.
/// - `of`: NEARGRID_TABLE_R, NEARGRID_TABLE_R2 or NEARGRID_TABLE_R_OVER_C, with which the formula calls it.
/// - `first`, `last`: r, r2 or r/c of the first and of the last value.
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
    // SAFETY: the caller's promise.
    unsafe { set_table(formula, name, (of, [first, last]), (n, values), Formula::set_table) }
}

/// As neargrid_formula_set_table, with a cubic spline between the values, which must be finite. Its first and second
/// derivatives are continuous, and its third one is at the second value and at the last but one ("not a knot").
///
/// - `n`: number of values, 4 or more.
///
/// Returns the statuses of neargrid_formula_set_table; also NON_FINITE and BAD_VALUE (`values`: not finite, or so large that
/// the spline is not).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_formula_set_cubic_table(
    formula: *mut neargrid_formula,
    name: *const c_char,
    of: neargrid_table,
    first: f64,
    last: f64,
    n: i64,
    values: *const f64,
) -> neargrid_status {
    // SAFETY: the caller's promise.
    unsafe {
        set_table(
            formula,
            name,
            (of, [first, last]),
            (n, values),
            Formula::set_cubic_table,
        )
    }
}

/// A way to set a table.
type Setter = fn(&mut Formula, &str, TableOf, [f64; 2], &[f64]) -> Result<()>;

/// Sets a table in one of the ways that there are.
///
/// # Safety
/// Those of [`enter`] and [`text`], and `values` is NULL or has `n` numbers.
unsafe fn set_table(
    formula: *mut neargrid_formula,
    name: *const c_char,
    (of, range): (neargrid_table, [f64; 2]),
    (n, values): (i64, *const f64),
    set: Setter,
) -> neargrid_status {
    guard(|| {
        let kinds = [
            (NEARGRID_TABLE_R, "r", TableOf::R),
            (NEARGRID_TABLE_R2, "r2", TableOf::R2),
            (NEARGRID_TABLE_R_OVER_C, "r/c", TableOf::ROverC),
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
        set(&mut formula, name, checks::choice(of, "of", &kinds)?, range, values)
    })
}

/// Runs a formula: its sums over the neighbors of each point or query, its statements for each point, and its numbers. The rows are
/// those of neargrid_neighbors_copy with the same kind, found in chunks, so that memory does not grow with the number of neighbors.
/// Chunks of neargrid_chunks_begin end with this call, and views of lists become invalid. neargrid_field_copy_f64 returns the fields that
/// it makes, neargrid_formula_number its numbers.
///
/// - `formula`: every name that it reads has a value, or a statement before makes it.
/// - `kind`: NEARGRID_NEIGHBORS_HALF, NEARGRID_NEIGHBORS_FULL or NEARGRID_NEIGHBORS_QUERIES.
/// - `times`: the number of times to run it, one after the other, 0 or more.
///
/// Every operation is rounded once in the precision of the formula, or of the field that a statement for each point assigns, and none is
/// fused. Terms are joined in the order of the row, one after the other, as in a loop over the row. So the result does not depend on
/// backend or threads.
///
/// Returns the statuses of neargrid_neighbors_count, and also MEMORY_LIMIT and those of a formula that does not fit, with line and column:
/// BAD_STATE (a name has no value), BAD_VALUE (a vector where a number belongs, or the other way round), NOT_SUPPORTED (pair fields
/// with other rows than full ones, or with points that are their own neighbors), BAD_DIM (components of a field), BAD_COUNT (values of
/// a field, `times`); NON_FINITE (a statement moves a point to no finite place; no point has moved then). On failure
/// fields and numbers are as after the last run that was complete. Values stay on the GPU that has made them until they are read; DEVICE_LOST
/// names those that only a lost GPU had, and that are set no longer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn neargrid_search_run(
    search: *mut neargrid_search,
    formula: *mut neargrid_formula,
    kind: neargrid_neighbors,
    times: i64,
) -> neargrid_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut search = unsafe { handle::enter(search)? };
        // SAFETY: the caller's promise.
        let asked = unsafe { enter(formula) }.and_then(|formula| Ok((formula, kind_of(kind)?, times)));
        match search.both() {
            (search, Some(ranks)) => match asked {
                Ok((mut formula, kind, times)) => ranks.run(search, Ok((&mut formula, kind, times))),
                Err(error) => ranks.run(search, Err(error)),
            },
            (search, None) => {
                let (mut formula, kind, times) = asked?;
                search.run(&mut formula, kind, times)
            }
        }
    })
}
