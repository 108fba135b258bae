//! Points: the caller's coordinates as a typed view that is only read, and the handle's own copy of them.
//!
//! in: the caller's arrays; out: [`PointsView`], [`Points`] (both read by `grid`).

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, Result, Status};
use crate::list::resize_discarding;
use crate::threads::Team;

/// The most points one search takes: ids are int32.
pub const MAX_POINTS: i64 = i32::MAX as i64;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A coordinate's precision: `f32` or `f64`, the caller's own and never another.
pub trait Real: sealed::Sealed + bytemuck::Pod + Default + PartialOrd + std::fmt::Debug + Send + Sync {
    /// The name in messages.
    const NAME: &'static str;
    /// The smallest cutoff squared: below, products of coordinates differences could become subnormal, which GPUs flush.
    const CUTOFF2_MIN: f64;
    /// The largest cutoff squared.
    const CUTOFF2_MAX: f64;
    /// +infinity, the coordinate of padding: in reach of nothing.
    const INFINITY: Self;
    /// Exact.
    fn to_f64(self) -> f64;
    /// Rounded to nearest.
    fn from_f64(value: f64) -> Self;
    /// Neither NaN nor infinite.
    fn is_finite(self) -> bool;
    /// The next smaller number.
    fn next_down(self) -> Self;
    /// The next larger number.
    fn next_up(self) -> Self;
    /// One rounded product.
    fn mul(self, other: Self) -> Self;
    /// One rounded sum.
    fn add(self, other: Self) -> Self;
    /// One rounded difference.
    fn sub(self, other: Self) -> Self;
    /// `self + v * v`, product and sum each rounded.
    fn add_square(self, v: Self) -> Self;
    /// Whether real32 can stand in for most decisions.
    const NARROWS: bool;
}

macro_rules! real {
    ($type:ident, $name:literal) => {
        impl Real for $type {
            const NAME: &'static str = $name;
            const CUTOFF2_MIN: f64 = $type::MIN_POSITIVE as f64 * (1u32 << 26) as f64;
            const CUTOFF2_MAX: f64 = ($type::MAX / 4.0) as f64;
            const INFINITY: Self = $type::INFINITY;
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn from_f64(value: f64) -> Self {
                value as $type
            }
            fn is_finite(self) -> bool {
                $type::is_finite(self)
            }
            fn next_down(self) -> Self {
                $type::next_down(self)
            }
            fn next_up(self) -> Self {
                $type::next_up(self)
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn add_square(self, v: Self) -> Self {
                if cfg!(neargrid_fuse) {
                    v.mul_add(v, self)
                } else {
                    self + v * v
                }
            }
            const NARROWS: bool = size_of::<$type>() > size_of::<f32>();
        }
    };
}
real!(f32, "real32");
real!(f64, "real64");

/// One axis of a [`PointsView`]: coordinate `i` stands `first + i * stride` bytes into `bytes`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Axis<'a> {
    bytes: &'a [u8],
    first: usize,
    stride: isize,
}

impl<'a> Axis<'a> {
    /// An axis over raw bytes. `first` and `stride` may describe any order, also backwards and unaligned;
    /// every coordinate read later must lie inside `bytes`, or that read panics.
    pub fn new(bytes: &'a [u8], first: usize, stride: isize) -> Axis<'a> {
        Axis { bytes, first, stride }
    }

    /// Where coordinate `i` stands.
    #[inline]
    fn address(&self, i: usize) -> *const u8 {
        let at = self.first.wrapping_add_signed(self.stride.wrapping_mul(i as isize));
        self.bytes.as_ptr().wrapping_add(at)
    }

    #[inline]
    fn get<T: Real>(&self, i: usize) -> T {
        let at = self.first.wrapping_add_signed(self.stride.wrapping_mul(i as isize));
        bytemuck::pod_read_unaligned(&self.bytes[at..at + size_of::<T>()])
    }
}

/// The caller's points, borrowed for one call: `dim` axes of `len` coordinates.
#[derive(Clone, Copy, Debug)]
pub struct PointsView<'a, T> {
    dim: usize,
    len: usize,
    axes: [Axis<'a>; 3],
    precision: std::marker::PhantomData<T>,
}

impl<'a, T: Real> PointsView<'a, T> {
    /// Points of `dim` axes and `len` coordinates each; the axes beyond `dim` are not read.
    pub fn new(dim: usize, len: usize, axes: [Axis<'a>; 3]) -> Result<PointsView<'a, T>> {
        check_dim(dim as i64)?;
        check_len("n", len as i64)?;
        Ok(PointsView {
            dim,
            len,
            axes,
            precision: std::marker::PhantomData,
        })
    }

    /// Point after point: `[x0, y0, z0, x1, y1, z1, ...]`, as `pos(3, n)` in Fortran and `pos[n][3]` in C.
    pub fn interleaved(dim: usize, coords: &'a [T]) -> Result<PointsView<'a, T>> {
        check_dim(dim as i64)?;
        let size = size_of::<T>();
        let bytes: &[u8] = bytemuck::cast_slice(coords);
        let axis = |a: usize| Axis::new(bytes, a * size, (dim * size) as isize);
        PointsView::new(dim, coords.len() / dim, [axis(0), axis(1), axis(2)])
    }

    /// One slice per axis, all of the same length.
    pub fn separate(axes: &[&'a [T]]) -> Result<PointsView<'a, T>> {
        check_dim(axes.len() as i64)?;
        let len = axes[0].len();
        let mut views = [Axis::default(); 3];
        for (view, axis) in views.iter_mut().zip(axes) {
            if axis.len() != len {
                let allowed = format!("{len}, as for the first axis");
                return Err(Error::not_allowed(
                    Status::BadCount,
                    "length of an axis",
                    axis.len(),
                    allowed,
                ));
            }
            *view = Axis::new(bytemuck::cast_slice(axis), 0, size_of::<T>() as isize);
        }
        PointsView::new(axes.len(), len, views)
    }

    /// Number of axes: 1, 2 or 3.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The coordinate of point `i` along `axis`.
    #[inline]
    pub fn get(&self, axis: usize, i: usize) -> T {
        self.axes[axis].get(i)
    }

    /// The bytes of points `range`, where they stand point after point with nothing between.
    pub fn bytes_of(&self, range: std::ops::Range<usize>) -> Option<&'a [u8]> {
        let (size, first) = (size_of::<T>(), &self.axes[0]);
        let point = self.dim * size;
        let compact = self.axes[..self.dim].iter().enumerate().all(|(k, axis)| {
            std::ptr::eq(axis.bytes, first.bytes)
                && axis.stride == point as isize
                && axis.first == first.first + k * size
        });
        if !compact {
            return None;
        }
        first
            .bytes
            .get(first.first + range.start * point..first.first + range.end * point)
    }

    /// Has the coordinates of point `i` fetched, to be read soon.
    #[inline]
    pub fn prefetch(&self, i: usize) {
        for axis in &self.axes[..self.dim] {
            crate::list::prefetch(axis.address(i));
        }
    }

    /// Refuses the first point that has a NaN or infinite coordinate. `base` is the caller's index base.
    pub fn check_finite(&self, base: i64, team: &Team) -> Result<()> {
        const POINTS: usize = 1 << 14;
        let first = AtomicUsize::new(usize::MAX);
        team.run(&mut vec![(); team.threads()], self.len.div_ceil(POINTS), |(), task| {
            let points = task * POINTS..((task + 1) * POINTS).min(self.len);
            let is_bad = |&i: &usize| (0..self.dim).any(|axis| !self.get(axis, i).is_finite());
            if let Some(i) = points.clone().find(is_bad) {
                first.fetch_min(i, Ordering::Relaxed);
            }
            Ok(())
        })?;
        let point = first.into_inner();
        if point == usize::MAX {
            return Ok(());
        }
        let bad = (0..self.dim).find(|&axis| !self.get(axis, point).is_finite());
        let axis = bad.unwrap_or(0);
        Err(Error::NonFinite {
            point: point as i64 + base,
            axis: ['x', 'y', 'z'][axis],
            value: self.get(axis, point).to_f64(),
        })
    }
}

/// `dim` must be 1, 2 or 3.
pub fn check_dim(dim: i64) -> Result<usize> {
    match dim {
        1..=3 => Ok(dim as usize),
        _ => Err(Error::not_allowed(Status::BadDim, "dim", dim, "1, 2 or 3")),
    }
}

/// A count of points must be 0 to [`MAX_POINTS`].
pub fn check_len(argument: &'static str, len: i64) -> Result<usize> {
    if (0..=MAX_POINTS).contains(&len) {
        return Ok(len as usize);
    }
    Err(Error::not_allowed(
        Status::BadCount,
        argument,
        len,
        format!("0 to {MAX_POINTS}"),
    ))
}

/// The handle's own copy of the caller's points, kept so that the index can be rebuilt when a setting changes.
#[derive(Debug, Default)]
pub struct Points<T> {
    dim: usize,
    axes: [Vec<T>; 3],
}

impl<T: Real> Points<T> {
    /// No points yet, no memory held.
    pub fn new() -> Points<T> {
        Points {
            dim: 1,
            axes: [Vec::new(), Vec::new(), Vec::new()],
        }
    }

    /// Copies `view`. On failure the earlier points are gone, which the caller must account for.
    pub fn set(&mut self, view: &PointsView<T>) -> Result<()> {
        self.dim = view.dim();
        for (axis, coords) in self.axes.iter_mut().enumerate() {
            let len = if axis < view.dim() { view.len() } else { 0 };
            resize_discarding(coords, len, T::INFINITY, "the copy of the points")?;
            for (i, coord) in coords.iter_mut().enumerate() {
                *coord = view.get(axis, i);
            }
        }
        Ok(())
    }

    /// The copy, as the index reads it.
    pub fn view(&self) -> PointsView<'_, T> {
        let axis = |a: usize| Axis::new(bytemuck::cast_slice(&self.axes[a]), 0, size_of::<T>() as isize);
        PointsView {
            dim: self.dim,
            len: self.axes[0].len(),
            axes: [axis(0), axis(1), axis(2)],
            precision: std::marker::PhantomData,
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.axes.iter().map(|axis| axis.capacity() * size_of::<T>()).sum()
    }
}
