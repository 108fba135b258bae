//! Arrays of C whose elements are a stride apart: coordinates, fields, ids, types, radii, and outputs.

use std::borrow::Cow;
use std::fmt::Arguments;

use super::checks::{array, slice};
use crate::arguments::{check_count, check_dim};
use crate::error::{Error, Result, Status};
use crate::list::{Out, reserve_discarding};
use crate::points::{Axis, PointsView, Real};

/// The caller's points: `n` of them, `stride` bytes apart, one base pointer per axis.
///
/// # Safety
/// For each axis below `dim`, the `n` coordinates that start at the base pointer, `stride` bytes apart, are readable and
/// unchanged during the call.
pub unsafe fn points<'a, T: Real>(
    dim: i64,
    n: i64,
    n_argument: &'static str,
    bases: [(*const T, &'static str); 3],
    stride: i64,
) -> Result<PointsView<'a, T>> {
    let dim = check_dim(dim)?;
    let n = check_count(n_argument, n)?;
    let mut axes = [Axis::default(); 3];
    if n > 0 {
        let span = span::<T>(n, stride, "stride")?;
        let (x, size) = (bases[0].0, size_of::<T>());
        let follows = |k: usize| std::ptr::eq(bases[k].0, x.wrapping_add(k));
        if !x.is_null() && stride == (dim * size) as i64 && (0..dim).all(follows) {
            // SAFETY: point after point, so these are the coordinates and nothing else; the caller keeps them readable.
            let bytes = unsafe { std::slice::from_raw_parts(x.cast::<u8>(), n * dim * size) };
            let axes = [0, 1, 2].map(|axis| Axis::new(bytes, axis * size, stride as isize));
            return PointsView::new(dim, n, axes);
        }
        if let Some(&(_, argument)) = bases[..dim].iter().find(|(base, _)| base.is_null()) {
            return Err(Error::NullPointer {
                argument,
                expected: "the coordinates of the points",
            });
        }
        check_overlap(n, stride, &bases[..dim])?;
        for (axis, &(base, _)) in axes.iter_mut().zip(&bases[..dim]) {
            let first = if stride < 0 { span - size_of::<T>() } else { 0 };
            let lowest = base.cast::<u8>().wrapping_sub(first);
            // SAFETY: the coordinates lie within `span` bytes from the lowest, which is the last one where the stride is
            // negative; the caller keeps them readable. Bytes between them belong to the caller's structures, and are not read.
            *axis = unsafe { Axis::from_raw(lowest, span, first, stride as isize) };
        }
    }
    PointsView::new(dim, n, axes)
}

/// Bytes from the lowest number of an array with a stride to the end of the highest.
fn span<T>(n: usize, stride: i64, argument: &'static str) -> Result<usize> {
    let refused = |allowed: Arguments| Error::not_allowed(Status::BadValue, argument, stride, allowed);
    let (size, step) = (size_of::<T>(), stride.unsigned_abs() as usize);
    if n > 1 && step < size {
        let allowed = format_args!(
            "the number of bytes, not elements, from one point to the next: {size} or more, or -{size} or less"
        );
        return Err(refused(allowed));
    }
    step.checked_mul(n - 1)
        .and_then(|bytes| bytes.checked_add(size))
        .filter(|&bytes| bytes <= isize::MAX as usize)
        .ok_or_else(|| refused(format_args!("small enough that n points fit into memory")))
}

/// Refuses two axes of which a coordinate of one point overlaps that of another point: then the stride is wrong, most often that of
/// one number where it must be that of a point. Axes that are the same are fine.
fn check_overlap<T>(n: usize, stride: i64, bases: &[(*const T, &str)]) -> Result<()> {
    let (size, step) = (size_of::<T>(), i128::from(stride));
    for (k, &(a, first)) in bases.iter().enumerate() {
        for &(b, second) in bases[k + 1..].iter().filter(|_| n > 1) {
            let apart = b.addr() as i128 - a.addr() as i128;
            // Points of `a` before the first of `b` in memory, and bytes beyond; the next one of `a` is the rest of a step away.
            let (points, bytes) = (apart.div_euclid(step), apart.rem_euclid(step));
            let (next, rest) = (points + step.signum(), step.abs() - bytes);
            let shares = |points: i128, bytes: i128| bytes < size as i128 && points.unsigned_abs() < n as u128;
            if apart != 0 && (shares(points, bytes) || shares(next, rest)) {
                let point = bases.len() * size;
                let allowed = format_args!(
                    "a number of bytes, not elements, for which the coordinates in {first} and {second} do not overlap: \
                     {second} - {first} is {apart} bytes, and for points that stand one after the other the stride is {point}"
                );
                return Err(Error::not_allowed(Status::BadValue, "stride", stride, allowed));
            }
        }
    }
    Ok(())
}

/// An array read during the call, whose elements are `stride` bytes apart; NULL is fine where it is empty. Elements one after the
/// other are not copied. Others need not be aligned.
///
/// # Safety
/// `pointer` is NULL or, for each of `n` elements `stride` bytes apart, readable during the call.
pub unsafe fn strided<'a, T: Copy>(
    pointer: *const T,
    n: usize,
    (stride, stride_argument): (i64, &'static str),
    argument: &'static str,
) -> Result<Cow<'a, [T]>> {
    if n == 0 || pointer.is_null() {
        // SAFETY: nothing is read.
        return unsafe { slice(pointer, n, argument) }.map(Cow::Borrowed);
    }
    span::<T>(n, stride, stride_argument)?;
    // SAFETY: the caller's promise, and `span` checked that no address overflows.
    unsafe { together([pointer], n, stride, argument) }
}

/// Numbers with 1 to 3 components, those of an element one after the other; `bases` has a pointer for each component.
///
/// # Safety
/// As for [`strided`], for each pointer of the components.
pub unsafe fn components<'a, T: Copy>(
    bases: &[(*const T, &'static str)],
    n: usize,
    stride: i64,
) -> Result<Cow<'a, [T]>> {
    if n == 0 {
        return Ok(Cow::Borrowed(&[]));
    }
    check_components(bases, n, stride, "an input array")?;
    // SAFETY: the caller's promise, and no address overflows.
    unsafe {
        match *bases {
            [(x, argument)] => together([x], n, stride, argument),
            [(x, argument), (y, _)] => together([x, y], n, stride, argument),
            [(x, argument), (y, _), (z, _)] => together([x, y, z], n, stride, argument),
            _ => Ok(Cow::Borrowed(&[])),
        }
    }
}

/// Refuses NULL, a stride of no sense, and components that overlap.
fn check_components<T>(
    bases: &[(*const T, &'static str)],
    n: usize,
    stride: i64,
    expected: &'static str,
) -> Result<()> {
    if let Some(&(_, argument)) = bases.iter().find(|(base, _)| base.is_null()) {
        return Err(Error::NullPointer { argument, expected });
    }
    span::<T>(n, stride, "stride")?;
    check_overlap(n, stride, bases)
}

/// Whether components stand one after the other, element after element, at aligned addresses.
fn stand_together<T, const N: usize>(bases: [*const T; N], stride: i64) -> bool {
    let x = bases[0];
    let follow = bases
        .iter()
        .enumerate()
        .all(|(k, &base)| std::ptr::eq(base, x.wrapping_add(k)));
    follow && stride == (N * size_of::<T>()) as i64 && x.is_aligned()
}

/// # Safety
/// As for [`components`]; no pointer is NULL and no address overflows.
unsafe fn together<'a, T: Copy, const N: usize>(
    bases: [*const T; N],
    n: usize,
    stride: i64,
    argument: &'static str,
) -> Result<Cow<'a, [T]>> {
    if stand_together(bases, stride) {
        // SAFETY: the caller's promise.
        return unsafe { slice(bases[0], n * N, argument) }.map(Cow::Borrowed);
    }
    let mut copy = Vec::new();
    reserve_discarding(&mut copy, n * N, "a copy of an input array")?;
    for k in 0..n as isize {
        for base in bases {
            // SAFETY: the caller's promise.
            copy.push(unsafe { base.wrapping_byte_offset(k * stride as isize).read_unaligned() });
        }
    }
    Ok(Cow::Owned(copy))
}

/// The place of numbers with 1 to 3 components that are written.
pub enum Components<'a, T> {
    /// One after the other.
    Together(Out<'a, T>),
    /// Elsewhere.
    Apart(Columns<T>),
}

/// A pointer for each component, whose elements are a stride apart.
pub struct Columns<T> {
    bases: [*mut T; 3],
    width: usize,
    n: usize,
    stride: i64,
}

impl<T: Copy> Columns<T> {
    /// Writes numbers whose components stand one after the other.
    pub fn write(&self, values: &[T]) {
        let elements = values.chunks_exact(self.width).take(self.n);
        for (k, element) in elements.enumerate() {
            for (base, &value) in self.bases.iter().zip(element) {
                // SAFETY: `components_out` has the caller's promise.
                unsafe {
                    base.wrapping_byte_offset(k as isize * self.stride as isize)
                        .write_unaligned(value)
                }
            }
        }
    }
}

/// The place of numbers with 1 to 3 components that are written; `bases` has a pointer for each component.
///
/// # Safety
/// For each pointer, `n` elements `stride` bytes apart are writable during the call, and until the result is gone.
pub unsafe fn components_out<'a, T: Copy + Send>(
    bases: &[(*mut T, &'static str)],
    n: usize,
    stride: i64,
) -> Result<Components<'a, T>> {
    if n == 0 || bases.is_empty() {
        return Ok(Components::Together(Out::empty()));
    }
    let mut read = [(std::ptr::null(), ""); 3];
    for (to, &(base, argument)) in read.iter_mut().zip(bases) {
        *to = (base.cast_const(), argument);
    }
    let read = &read[..bases.len()];
    check_components(read, n, stride, "an array for the result")?;
    let together = match *read {
        [(x, _)] => stand_together([x], stride),
        [(x, _), (y, _)] => stand_together([x, y], stride),
        [(x, _), (y, _), (z, _)] => stand_together([x, y, z], stride),
        _ => false,
    };
    if together {
        let (first, argument) = bases[0];
        // SAFETY: the caller's promise.
        return Ok(Components::Together(unsafe {
            array(first, n * bases.len(), argument)?
        }));
    }
    let mut places = [std::ptr::null_mut(); 3];
    for (place, &(base, _)) in places.iter_mut().zip(bases) {
        *place = base;
    }
    Ok(Components::Apart(Columns {
        bases: places,
        width: bases.len(),
        n,
        stride,
    }))
}
