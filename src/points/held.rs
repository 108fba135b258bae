//! The handle's own copy of the points, wrapped along periodic axes. Queries may follow them.

use std::sync::{Mutex, PoisonError};

use super::axis::Axis;
use super::copying::{Copying, copy_wrapped};
use super::view::PointsView;
use crate::domain::Periods;
use crate::error::Result;
use crate::list::{Out, holds, push, resize_discarding, resize_keeping, shrink};
use crate::real::Real;
use crate::threads::Team;
use crate::version::Version;

const COPY: &str = "the copy of the points";

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
    /// The number of queries. They are the last points.
    queries: usize,
    periods: Periods<T>,
    stamp: Stamp,
    /// They were set; others are a caller's, even where a copy of the coordinates is here.
    are_held: bool,
    /// The field that they are on a device, which alone has them: the coordinates here are older.
    on_device: Option<Version>,
}

holds! { Points<T> { axes; dim, queries, periods, stamp, are_held, on_device } }

impl<T: Real> Points<T> {
    /// No points any more; the memory is kept for the next.
    pub fn clear(&mut self) {
        self.axes.iter_mut().for_each(Vec::clear);
        (self.periods, self.queries) = (Periods::default(), 0);
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
        (self.dim, self.periods, self.queries) = (other.dim, other.periods, other.queries);
        self.stamp = Stamp::default();
        for (axis, coords) in self.axes.iter_mut().enumerate() {
            resize_discarding(coords, other.axes[axis].len(), T::INFINITY, COPY)?;
            coords.copy_from_slice(&other.axes[axis]);
        }
        Ok(())
    }

    /// Copies everything from `other` except the coordinates, which the caller sets next.
    pub fn follow(&mut self, other: &Points<T>) {
        (self.dim, self.periods, self.stamp) = (other.dim, other.periods, other.stamp);
        (self.are_held, self.on_device) = (other.are_held, other.on_device);
    }

    /// Makes these points the present ones again after their moved copies failed. A list with a skin may belong to the moved
    /// copies, so it is not used for these.
    pub fn come_back(&mut self) {
        self.stamp.lineage = Version::new();
    }

    /// Gives the stamp of `len` other points, whose coordinates are to be copied next.
    pub fn renew(&mut self, len: usize) {
        self.stamp = Stamp {
            first_len: len,
            ..Stamp::default()
        };
        self.are_held = true;
    }

    /// The same for points of a lineage at other positions.
    pub fn move_on(&mut self, len: usize, lineage: Version) {
        self.renew(len);
        self.stamp.lineage = lineage;
    }

    /// Copies the coordinates that the current stamp already represents: those of `view`, wrapped along periodic axes. On failure the
    /// earlier points are gone, which the caller must account for.
    pub fn copy(&mut self, view: &PointsView<T>, periods: &Periods<T>, team: &Team) -> Result<()> {
        let share = view.len().div_ceil(team.threads()).max(1);
        let mut copying = self.copying(view, periods, share)?;
        let pieces = copying.pieces.iter_mut().enumerate();
        team.share(pieces, |(k, piece)| {
            copy_wrapped(
                view,
                periods,
                k * share,
                piece.get_mut().unwrap_or_else(PoisonError::into_inner),
            )
        });
        Ok(())
    }

    /// Begins such a copy in shares of `share` points. It is done when all shares are copied.
    pub fn copying<'a>(
        &'a mut self,
        view: &'a PointsView<'a, T>,
        periods: &Periods<T>,
        share: usize,
    ) -> Result<Copying<'a, T>> {
        (self.dim, self.periods, self.on_device) = (view.dim(), *periods, None);
        self.queries = 0;
        for (axis, coords) in self.axes.iter_mut().enumerate() {
            let len = if axis < view.dim() { view.len() } else { 0 };
            resize_discarding(coords, len, T::INFINITY, COPY)?;
        }
        let mut shares = self.axes.each_mut().map(|coords| coords.chunks_mut(share));
        let mut pieces = Vec::new();
        for _ in (0..view.len()).step_by(share) {
            let piece = shares.each_mut().map(|share| share.next().unwrap_or_default());
            push(&mut pieces, Mutex::new(piece), COPY)?;
        }
        Ok(Copying {
            view,
            periods: *periods,
            share,
            pieces,
        })
    }

    /// Becomes `from` in the order of `order`, which has as many elements.
    pub fn set_in_order(&mut self, from: &Points<T>, order: &[u32], team: &Team) -> Result<()> {
        debug_assert!(from.on_device.is_none(), "points are read where they are not");
        (self.dim, self.periods, self.queries) = (from.dim, from.periods, from.queries);
        self.stamp = Stamp::default();
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
        self.queries += view.len();
        self.copy_behind(view)
    }

    fn copy_behind(&mut self, view: &PointsView<T>) -> Result<()> {
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

    /// Copies the points of `view` after the points held, and counts them as points. `view` has as many axes. There must be no
    /// queries. On failure the same is true as for [`append`](Points::append).
    pub fn extend(&mut self, view: &PointsView<T>) -> Result<()> {
        debug_assert!(self.queries == 0, "points are appended to queries");
        self.stamp.points = Version::new();
        self.copy_behind(view)
    }

    /// The queries after the points are others, and points that move are no longer all there is.
    fn change_tail(&mut self) {
        (self.stamp.queries, self.stamp.lineage) = (Version::new(), Version::new());
    }

    /// Copies the coordinates of the queries, the points from number `first` on: an array for each axis.
    pub fn take_from(&self, first: usize) -> Result<[Vec<T>; 3]> {
        let mut taken = [const { Vec::new() }; 3];
        for (axis, to) in self.axes.iter().zip(&mut taken).take(self.dim) {
            resize_discarding(to, axis.len() - first, T::INFINITY, COPY)?;
            to.copy_from_slice(&axis[first..]);
        }
        Ok(taken)
    }

    /// Puts such coordinates after the points held.
    pub fn put_back(&mut self, taken: &[Vec<T>; 3]) -> Result<()> {
        self.change_tail();
        self.queries += taken[0].len();
        for (axis, coords) in self.axes.iter_mut().zip(taken).take(self.dim) {
            let first = axis.len();
            resize_keeping(axis, first + coords.len(), T::INFINITY, COPY)?;
            axis[first..].copy_from_slice(coords);
        }
        Ok(())
    }

    /// A number in the precision of the points.
    pub fn rounded(&self, value: f64) -> f64 {
        T::from_f64(value).to_f64()
    }

    /// Keeps only the first `len` points. Queries are the last points, so they go first. The version of the points changes only if
    /// points go, too.
    pub fn truncate(&mut self, len: usize) {
        self.change_tail();
        let points = self.len().saturating_sub(self.queries);
        if len < points {
            self.stamp.points = Version::new();
        }
        self.queries = self.len().min(len).saturating_sub(points);
        self.stamp.first_len = self.stamp.first_len.min(len); // others may follow these
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

#[cfg(test)]
mod tests {
    use super::super::copying::AT_ONCE;
    use super::*;
    use crate::domain::Period;

    /// The bytes put while shares are copied are those of the copy, point after point: of points that are side by side, apart, or wrapped.
    #[test]
    fn a_copy_puts_what_it_copies() {
        const LEN: usize = 2 * AT_ONCE + 7;
        let coords: Vec<f64> = (0..4 * LEN).map(|k| (k as f64 * 0.618).fract() * 3.0 - 1.0).collect();
        let bytes: &[u8] = bytemuck::cast_slice(&coords);
        for (dim, gap, share, is_open) in [
            (1, 0, LEN, true),
            (2, 0, 256, false),
            (3, 0, 256, true),
            (3, 0, LEN, false),
            (3, 1, 256, true),
            (2, 2, 700, false),
        ] {
            let axis = |a: usize| Axis::new(bytes, 8 * a, 8 * (dim + gap) as isize);
            let view = PointsView::new(dim, LEN, [axis(0), axis(1), axis(2)]).unwrap();
            let period = (!is_open).then(|| Period::new(0.0, 1.0));
            let periods = Periods([period, None, period]);
            let put = Mutex::new(vec![0u8; LEN * dim * 8]);
            let mut points = Points::default();
            let copying = points.copying(&view, &periods, share).unwrap();
            for first in (0..LEN).step_by(share) {
                copying.copy(first..LEN.min(first + share), &mut |point, bytes| {
                    let at = point * dim * 8;
                    put.lock().unwrap()[at..at + bytes.len()].copy_from_slice(bytes);
                });
            }
            let put = put.into_inner().unwrap();
            let put = put.chunks_exact(8).map(bytemuck::pod_read_unaligned::<f64>);
            for (k, coord) in put.enumerate() {
                let (i, axis) = (k / dim, k % dim);
                assert_eq!(coord, periods.wrap(axis, view.get(axis, i)), "point {i}, axis {axis}");
                assert_eq!(coord, points.axes()[axis][i], "point {i}, axis {axis}");
            }
        }
    }
}
