//! The caller's points in memory, in any order and with any stride, borrowed for one call.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::axis::Axis;
use crate::arguments::{check_count, check_dim};
use crate::axes::per_axis;
use crate::domain::Periods;
use crate::error::{Error, Result, Status};
use crate::memory::{CACHE_LINE, push};
use crate::real::Real;
use crate::room::prefetch;
use crate::threads::Team;

/// The caller's points, borrowed for one call: `dim` axes of `len` coordinates each.
#[derive(Clone, Copy, Debug)]
pub struct PointsView<'a, T> {
    pub(super) dim: usize,
    pub(super) len: usize,
    pub(super) axes: [Axis<'a>; 3],
    /// Of points that were looked at, all finite.
    pub(super) extent: Option<Extent<T>>,
}

/// Lowest and highest coordinate along each axis; infinite along those beyond `dim`, and where there is no point.
pub(crate) type Extent<T> = [[T; 2]; 3];

/// The extent of both.
fn join<T: Real>(a: &Extent<T>, b: &Extent<T>) -> Extent<T> {
    let lower = |a: T, b: T| if b < a { b } else { a };
    let higher = |a: T, b: T| if b > a { b } else { a };
    std::array::from_fn(|k| [lower(a[k][0], b[k][0]), higher(a[k][1], b[k][1])])
}

/// Points that [`PointsView::chunks`] gives at a time, at most.
const CHUNK: usize = 96;

/// Points that are fetched before they are given: the processor's own fetching ends with a page.
const AHEAD: usize = 2 * CHUNK;

impl<'a, T: Real> PointsView<'a, T> {
    /// A view of `len` points with `dim` axes. Axes from `dim` on are ignored.
    pub fn new(dim: usize, len: usize, axes: [Axis<'a>; 3]) -> Result<PointsView<'a, T>> {
        check_dim(dim as i64)?;
        check_count("n", len as i64)?;
        Ok(PointsView {
            dim,
            len,
            axes,
            extent: None,
        })
    }

    /// A view of coordinates stored point after point: `[x0, y0, z0, x1, y1, z1, ...]`, like `pos(3, n)` in Fortran and
    /// `pos[n][3]` in C.
    pub fn interleaved(dim: usize, coords: &'a [T]) -> Result<PointsView<'a, T>> {
        check_dim(dim as i64)?;
        let size = size_of::<T>();
        let bytes: &[u8] = bytemuck::cast_slice(coords);
        let axis = |a: usize| Axis::new(bytes, a * size, (dim * size) as isize);
        PointsView::new(dim, coords.len() / dim, [axis(0), axis(1), axis(2)])
    }

    /// A view of coordinates stored in one slice for each axis. All slices must have the same length.
    pub fn separate(axes: &[&'a [T]]) -> Result<PointsView<'a, T>> {
        check_dim(axes.len() as i64)?;
        let len = axes[0].len();
        let mut views = [Axis::default(); 3];
        for (view, axis) in views.iter_mut().zip(axes) {
            if axis.len() != len {
                let allowed = format_args!("{len}, the length of the first axis");
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

    /// The points of a range, which is inside.
    pub(crate) fn part(&self, range: std::ops::Range<usize>) -> PointsView<'a, T> {
        PointsView {
            dim: self.dim,
            len: range.len(),
            axes: self.axes.map(|axis| axis.from(range.start)),
            extent: None,
        }
    }

    /// Number of axes: 1, 2 or 3.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The coordinate of point `i` along `axis`.
    #[inline]
    pub fn get(&self, axis: usize, i: usize) -> T {
        self.axes[axis].get(i)
    }

    /// Copies the coordinates of all points along `axis` to `to`, which must have `len` elements.
    pub fn copy_axis(&self, axis: usize, to: &mut [T]) {
        match self.axes[axis].slice(0..self.len) {
            Some(coords) => to.copy_from_slice(coords),
            None => (0..).zip(to).for_each(|(i, coord)| *coord = self.get(axis, i)),
        }
    }

    /// Calls `action` with the first number and the `DIM` coordinates each of points of `range`, some at a time; `DIM`
    /// is [`dim`](Self::dim).
    #[inline(always)]
    pub fn chunks<const DIM: usize>(&self, range: std::ops::Range<usize>, mut action: impl FnMut(usize, &[[T; DIM]])) {
        let compact = self.bytes_of(range.clone()).map(bytemuck::try_cast_slice);
        let compact = compact.and_then(|coords| Some(<[T]>::as_chunks::<DIM>(coords.ok()?).0));
        let separate: [Option<&[T]>; DIM] = per_axis(|axis| self.axes[axis].slice(range.clone()));
        let mut gathered = [[T::default(); DIM]; CHUNK];
        for first in range.clone().step_by(CHUNK) {
            let here = first - range.start..(first - range.start + CHUNK).min(range.len());
            if let Some(points) = compact {
                let soon = points.get(here.start + AHEAD..).unwrap_or_default();
                let soon = &soon[..soon.len().min(CHUNK)];
                for point in soon.iter().step_by(CACHE_LINE / size_of::<[T; DIM]>()) {
                    prefetch(point);
                }
                action(first, &points[here]);
                continue;
            }
            let gathered = &mut gathered[..here.len()];
            for (axis, separate) in separate.iter().enumerate() {
                match separate {
                    Some(coords) => {
                        let coords = &coords[here.clone()];
                        gathered.iter_mut().zip(coords).for_each(|(point, &c)| point[axis] = c);
                    }
                    None => {
                        let coords = (first..).map(|i| self.get(axis, i));
                        gathered.iter_mut().zip(coords).for_each(|(point, c)| point[axis] = c);
                    }
                }
            }
            action(first, gathered);
        }
    }

    /// Lowest and highest coordinate along each axis. All are finite.
    pub(crate) fn extent(&self, team: &Team) -> Result<Extent<T>> {
        match self.extent {
            Some(extent) => Ok(extent),
            None => Ok(self.look(team)?.0),
        }
    }

    /// Looks at all points: their extent, and the first that has a coordinate that is not finite, if there is one.
    fn look(&self, team: &Team) -> Result<(Extent<T>, Option<usize>)> {
        const POINTS: usize = 1 << 14;
        const EACH: &str = "the extent of the points";
        let nothing = [[T::INFINITY, T::NEG_INFINITY]; 3];
        let mut extents = Vec::new();
        for _ in 0..team.threads() {
            push(&mut extents, nothing, EACH)?;
        }
        let first = AtomicUsize::new(usize::MAX);
        team.run(&mut extents, self.len.div_ceil(POINTS), |extent, task| {
            let points = task * POINTS..((task + 1) * POINTS).min(self.len);
            match self.extent_of(points.clone()) {
                Some(found) => *extent = join(extent, &found),
                None => {
                    let is_bad = |&i: &usize| self.extent_of(i..i + 1).is_none();
                    first.fetch_min(points.clone().find(is_bad).unwrap_or(points.start), Ordering::Relaxed);
                }
            }
            Ok(())
        })?;
        let extent = extents.iter().fold(nothing, |a, b| join(&a, b));
        Ok((extent, Some(first.into_inner()).filter(|&first| first < self.len)))
    }

    /// The extent of points; `None` where not all of their coordinates are finite.
    fn extent_of(&self, points: std::ops::Range<usize>) -> Option<Extent<T>> {
        match self.dim {
            1 => self.extent_in::<1>(points),
            2 => self.extent_in::<2>(points),
            _ => self.extent_in::<3>(points),
        }
    }

    fn extent_in<const DIM: usize>(&self, points: std::ops::Range<usize>) -> Option<Extent<T>> {
        let (mut lowest, mut highest, mut is_finite) = ([T::INFINITY; LANES], [T::NEG_INFINITY; LANES], true);
        self.chunks::<DIM>(points, |_, points| {
            let (mut low, mut high, mut all) = (lowest, highest, is_finite); // copies, which registers can hold
            each_lane(points, |lane, coord| {
                low[lane] = if coord < low[lane] { coord } else { low[lane] };
                high[lane] = if coord > high[lane] { coord } else { high[lane] };
                all &= coord.is_finite();
            });
            (lowest, highest, is_finite) = (low, high, all);
        });
        let mut extent = [[T::INFINITY, T::NEG_INFINITY]; 3];
        for lane in 0..LANES {
            let mut each = extent;
            each[lane % DIM] = [lowest[lane], highest[lane]];
            extent = join(&extent, &each);
        }
        is_finite.then_some(extent)
    }

    /// Whether they are point after point with nothing between.
    pub fn is_compact(&self) -> bool {
        self.bytes_of(0..self.len).is_some()
    }

    /// The bytes of points `range`, where they are point after point with nothing between.
    pub fn bytes_of(&self, range: std::ops::Range<usize>) -> Option<&'a [u8]> {
        let (first, others) = self.axes[..self.dim].split_first()?;
        first.compact::<T>(others, range)
    }

    /// Has the coordinates of point `i` fetched, to be read soon.
    #[inline]
    pub fn prefetch(&self, i: usize) {
        for axis in &self.axes[..self.dim] {
            prefetch(axis.address(i));
        }
    }

    /// Refuses the first coordinate that cannot be wrapped: its distance from where its periodic axis begins is
    /// infinite.
    pub fn check_wraps(&self, periods: &Periods<T>, base: i64) -> Result<()> {
        // Less than half a unit of the largest number: nothing finite less that overflows.
        let harmless = T::CUTOFF2_MAX * T::ROUNDOFF;
        for (axis, period) in periods.0.iter().enumerate().take(self.dim) {
            let Some(lo) = period.map(|period| period.lo.to_f64()).filter(|lo| lo.abs() > harmless) else {
                continue;
            };
            if let Some(point) = (0..self.len).find(|&i| !periods.wrap(axis, self.get(axis, i)).is_finite()) {
                let (coord, lo) = (self.get(axis, point).to_f64(), crate::error::number(lo));
                let number = point as i64 + base;
                return Err(Error::not_allowed(
                    Status::NonFinite,
                    ["x", "y", "z"][axis],
                    crate::error::number(coord),
                    format_args!("at a finite distance from lo = {lo}, so that point {number} can be wrapped"),
                ));
            }
        }
        Ok(())
    }

    /// The same points, looked at; the first that has a NaN or infinite coordinate is refused. `base` is the caller's
    /// index base.
    pub fn checked(&self, base: i64, team: &Team) -> Result<PointsView<'a, T>> {
        let (extent, bad) = self.look(team)?;
        let Some(point) = bad else {
            let extent = Some(extent);
            return Ok(PointsView { extent, ..*self });
        };
        let bad = (0..self.dim).find(|&axis| !self.get(axis, point).is_finite());
        let axis = bad.unwrap_or(0);
        Err(Error::NonFinite {
            point: point as i64 + base,
            axis: ['x', 'y', 'z'][axis],
            value: self.get(axis, point).to_f64(),
        })
    }
}

/// Lanes of a loop over coordinates: a multiple of every dim, so that a lane is of one axis.
const LANES: usize = 12;

/// Calls `action` with a lane and a coordinate, all lanes before the next of any: a loop that the compiler vectorises.
#[inline(always)]
fn each_lane<T: Real, const DIM: usize>(points: &[[T; DIM]], mut action: impl FnMut(usize, T)) {
    let (chunks, rest) = points.as_flattened().as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, &coord) in chunk.iter().enumerate() {
            action(lane, coord);
        }
    }
    for (lane, &coord) in rest.iter().enumerate() {
        action(lane, coord);
    }
}
