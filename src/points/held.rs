//! The handle's own copy of the points, wrapped along periodic axes. Queries may follow them.

use super::axis::Axis;
use super::view::PointsView;
use crate::domain::Periods;
use crate::error::Result;
use crate::list::{Out, holds, push, resize_discarding, resize_keeping, shrink};
use crate::real::Real;
use crate::threads::Team;
use crate::version::Version;

const COPY: &str = "the copy of the points";

/// Points copied axis by axis while the caches still hold them: they are side by side in the caller's memory.
const AT_ONCE: usize = 512;

/// The versions of the points held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Of the first points, which were set together; the others were added after them.
    pub first: Version,
    /// The number of those that were set together.
    pub first_len: usize,
    /// Of all points.
    pub points: Version,
    /// Of the queries after them.
    pub queries: Version,
    /// Stays while points only move: by number they are the same.
    pub lineage: Version,
}

impl Stamp {
    /// The number of those of `len` coordinates, copied under the stamp `before`, that are the same under this one.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))] // there is no device
    pub fn same_as(&self, before: &Stamp, len: usize) -> usize {
        if self.first != before.first {
            0
        } else if (self.points, self.queries) == (before.points, before.queries) {
            len
        } else {
            self.first_len.min(len)
        }
    }
}

/// The handle's own copy of the caller's points, kept so that the index can be rebuilt when a setting changes.
#[derive(Debug, Default)]
pub struct Points<T> {
    dim: usize,
    axes: [Vec<T>; 3],
    periods: Periods<T>,
    stamp: Stamp,
    /// They were set; others are a caller's, even where a copy of the coordinates is here.
    are_held: bool,
    /// The field that they are on a device, which alone has them: the coordinates here are older.
    on_device: Option<Version>,
}

holds! { Points<T> { axes; dim, periods, stamp, are_held, on_device } }

impl<T: Real> Points<T> {
    /// No points any more; the memory is kept for the next.
    pub fn clear(&mut self) {
        self.axes.iter_mut().for_each(Vec::clear);
        self.periods = Periods::default();
        (self.stamp, self.are_held, self.on_device) = (Stamp::default(), false, None);
    }

    /// Whether points were set, which may be none.
    pub fn are_held(&self) -> bool {
        self.are_held
    }

    /// The periodic axes that the copy is wrapped along.
    pub fn periods(&self) -> &Periods<T> {
        &self.periods
    }

    /// The versions of the points. No two handles have the same.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// Number of axes.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.axes[0].len()
    }

    /// The field that the points are on a device, which alone has them.
    pub fn on_device(&self) -> Option<Version> {
        self.on_device
    }

    /// The same points at other positions, which a device alone has, as a field of a version.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))] // there is no device
    pub fn move_on_device(&mut self, field: Version) {
        self.stamp = Stamp {
            first_len: self.len(),
            ..Stamp::default()
        };
        self.on_device = Some(field);
    }

    /// Becomes the same as `other`.
    pub fn copy_from(&mut self, other: &Points<T>) -> Result<()> {
        debug_assert!(other.on_device.is_none(), "points are read where they are not");
        (self.dim, self.periods, self.stamp) = (other.dim, other.periods, Stamp::default());
        for (axis, coords) in self.axes.iter_mut().enumerate() {
            resize_discarding(coords, other.axes[axis].len(), T::INFINITY, COPY)?;
            coords.copy_from_slice(&other.axes[axis]);
        }
        Ok(())
    }

    /// Copies `view`, wrapped along periodic axes. On failure the earlier points are gone, which the caller must
    /// account for.
    pub fn set(&mut self, view: &PointsView<T>, periods: &Periods<T>, team: &Team) -> Result<()> {
        let first_len = view.len();
        self.stamp = Stamp {
            first_len,
            ..Stamp::default()
        };
        self.are_held = true;
        self.copy(view, periods, team)
    }

    /// The same points at other positions: as [`set`](Points::set), but the lineage stays.
    pub fn move_to(&mut self, view: &PointsView<T>, periods: &Periods<T>, team: &Team) -> Result<()> {
        let lineage = self.stamp.lineage;
        let moved = self.set(view, periods, team);
        self.stamp.lineage = lineage;
        moved
    }

    /// Copies the coordinates that the current stamp already represents.
    pub fn copy(&mut self, view: &PointsView<T>, periods: &Periods<T>, team: &Team) -> Result<()> {
        (self.dim, self.periods, self.on_device) = (view.dim(), *periods, None);
        for (axis, coords) in self.axes.iter_mut().enumerate() {
            let len = if axis < view.dim() { view.len() } else { 0 };
            resize_discarding(coords, len, T::INFINITY, COPY)?;
        }
        let share = view.len().div_ceil(team.threads()).max(1);
        let mut shares = self.axes.each_mut().map(|coords| coords.chunks_mut(share));
        let mut pieces = Vec::new();
        for first in (0..view.len()).step_by(share) {
            let piece = shares.each_mut().map(|share| share.next().unwrap_or_default());
            push(&mut pieces, (first, piece), COPY)?;
        }
        team.each(&mut pieces, |(first, piece)| copy_wrapped(view, periods, *first, piece));
        Ok(())
    }

    /// Becomes `from` in the order of `order`, which has as many elements.
    pub fn set_in_order(&mut self, from: &Points<T>, order: &[u32], team: &Team) -> Result<()> {
        debug_assert!(from.on_device.is_none(), "points are read where they are not");
        (self.dim, self.periods) = (from.dim, from.periods);
        for (coords, from) in self.axes.iter_mut().zip(&from.axes) {
            resize_discarding(coords, from.len(), T::INFINITY, COPY)?;
            Out::new(coords).in_pieces(team, 1, |first, coords| {
                for k in 0..coords.len() {
                    coords.write(k, from[order[first + k] as usize]);
                }
            })?;
        }
        Ok(())
    }

    /// Copies `view`, of as many axes, after the points held: queries. On failure some coordinates may be there:
    /// truncate.
    pub fn append(&mut self, view: &PointsView<T>) -> Result<()> {
        debug_assert!(self.on_device.is_none(), "points are appended where they are not");
        self.change_tail();
        for (axis, coords) in self.axes.iter_mut().enumerate().take(self.dim) {
            let first = coords.len();
            resize_keeping(coords, first + view.len(), T::INFINITY, COPY)?;
            for (i, coord) in coords[first..].iter_mut().enumerate() {
                *coord = self.periods.wrap(axis, view.get(axis, i));
            }
        }
        Ok(())
    }

    /// Copies `view`, of as many axes, after the points held, of which there are more then. On failure as for
    /// [`append`](Points::append).
    pub fn extend(&mut self, view: &PointsView<T>) -> Result<()> {
        self.stamp.points = Version::new();
        self.append(view)
    }

    /// The queries after the points are others, and points that move are no longer all there is.
    fn change_tail(&mut self) {
        (self.stamp.queries, self.stamp.lineage) = (Version::new(), Version::new());
    }

    /// Keeps the first `len` points only.
    pub fn truncate(&mut self, len: usize) {
        self.change_tail();
        self.axes.iter_mut().for_each(|axis| axis.truncate(len));
    }

    /// The copy, as the index reads it.
    pub fn view(&self) -> PointsView<'_, T> {
        let axis = |a: usize| Axis::new(bytemuck::cast_slice(&self.axes[a]), 0, size_of::<T>() as isize);
        PointsView {
            dim: self.dim,
            len: self.axes[0].len(),
            axes: [axis(0), axis(1), axis(2)],
            extent: None,
        }
    }

    /// The coordinates, an axis each: as many as the points have.
    pub fn axes(&self) -> &[Vec<T>] {
        debug_assert!(self.on_device.is_none(), "points are read where they are not");
        &self.axes[..self.dim]
    }

    /// Gives back memory that the points do not need.
    pub fn trim(&mut self) {
        self.axes.iter_mut().for_each(shrink);
    }
}

/// Copies the points of `view` from `first` on to `piece`, an array for each axis, wrapped.
fn copy_wrapped<T: Real>(view: &PointsView<T>, periods: &Periods<T>, first: usize, piece: &mut [&mut [T]; 3]) {
    match view.dim() {
        2 if view.is_compact() => return copy_compact::<T, 2>(view, periods, first, piece),
        3 if view.is_compact() => return copy_compact::<T, 3>(view, periods, first, piece),
        _ => {}
    }
    for start in (0..piece[0].len()).step_by(AT_ONCE) {
        for (axis, coords) in piece.iter_mut().enumerate().take(view.dim()) {
            let end = coords.len().min(start + AT_ONCE);
            for (i, coord) in (first + start..).zip(&mut coords[start..end]) {
                *coord = periods.wrap(axis, view.get(axis, i));
            }
        }
    }
}

/// The same of points that are one after the other.
fn copy_compact<T: Real, const DIM: usize>(
    view: &PointsView<T>,
    periods: &Periods<T>,
    first: usize,
    piece: &mut [&mut [T]; 3],
) {
    view.chunks::<DIM>(first..first + piece[0].len(), |at, points| {
        for (axis, coords) in piece.iter_mut().enumerate().take(DIM) {
            let coords = coords[at - first..].iter_mut().zip(points);
            match periods.0[axis] {
                None => coords.for_each(|(coord, point)| *coord = point[axis]),
                Some(_) => coords.for_each(|(coord, point)| *coord = periods.wrap(axis, point[axis])),
            }
        }
    });
}
