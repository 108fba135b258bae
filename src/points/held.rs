//! The handle's own copy of the points, wrapped along periodic axes; queries may stand behind them.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Axis, PointsView, Real};
use crate::domain::Periods;
use crate::error::Result;
use crate::list::{Out, push, resize_discarding, resize_keeping, shrink};
use crate::threads::Team;

const COPY: &str = "the copy of the points";

/// Points copied axis by axis while the caches still hold them: they stand side by side in the caller's memory.
const AT_ONCE: usize = 512;

/// A number that nothing had before.
fn next_version() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

/// The handle's own copy of the caller's points, kept so that the index can be rebuilt when a setting changes.
#[derive(Debug, Default)]
pub struct Points<T> {
    dim: usize,
    axes: [Vec<T>; 3],
    periods: Periods<T>,
    /// Of the points, and of what stands behind them: another whenever they are changed.
    versions: [u64; 2],
    /// The version that the first points are of: those behind came later.
    first_version: u64,
}

impl<T: Real> Points<T> {
    /// No points any more; the memory is kept for the next.
    pub fn clear(&mut self) {
        self.axes.iter_mut().for_each(Vec::clear);
        self.periods = Periods::default();
        self.renew();
    }

    /// The periodic axes that the copy is wrapped along.
    pub fn periods(&self) -> &Periods<T> {
        &self.periods
    }

    /// Of the points, and of the queries behind them: what was made of them is theirs while these stay. No two handles have the
    /// same.
    pub fn versions(&self) -> [u64; 2] {
        self.versions
    }

    /// The version that the first points had when they were set: they are the same while it stays.
    pub fn first_version(&self) -> u64 {
        self.first_version
    }

    fn renew(&mut self) {
        self.versions[0] = next_version();
        self.first_version = self.versions[0];
    }

    /// Number of axes.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.axes[0].len()
    }

    /// Becomes the same as `other`.
    pub fn copy_from(&mut self, other: &Points<T>) -> Result<()> {
        (self.dim, self.periods) = (other.dim, other.periods);
        self.renew();
        for (axis, coords) in self.axes.iter_mut().enumerate() {
            resize_discarding(coords, other.axes[axis].len(), T::INFINITY, COPY)?;
            coords.copy_from_slice(&other.axes[axis]);
        }
        Ok(())
    }

    /// Copies `view`, wrapped along periodic axes. On failure the earlier points are gone, which the caller must account for.
    pub fn set(&mut self, view: &PointsView<T>, periods: &Periods<T>, team: &Team) -> Result<()> {
        (self.dim, self.periods) = (view.dim(), *periods);
        self.renew();
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

    /// Copies `view`, of as many axes, behind the points held: queries. On failure some coordinates may be there: truncate.
    pub fn append(&mut self, view: &PointsView<T>) -> Result<()> {
        self.versions[1] = next_version();
        for (axis, coords) in self.axes.iter_mut().enumerate().take(self.dim) {
            let first = coords.len();
            resize_keeping(coords, first + view.len(), T::INFINITY, COPY)?;
            for (i, coord) in coords[first..].iter_mut().enumerate() {
                *coord = self.periods.wrap(axis, view.get(axis, i));
            }
        }
        Ok(())
    }

    /// Copies `view`, of as many axes, behind the points held, of which there are more then. On failure as for
    /// [`append`](Points::append).
    pub fn extend(&mut self, view: &PointsView<T>) -> Result<()> {
        self.versions[0] = next_version();
        self.append(view)
    }

    /// Keeps the first `len` points only.
    pub fn truncate(&mut self, len: usize) {
        self.versions[1] = next_version();
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
        &self.axes[..self.dim]
    }

    /// Gives back memory that the points do not need.
    pub fn trim(&mut self) {
        self.axes.iter_mut().for_each(shrink);
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.axes.iter().map(|axis| axis.capacity() * size_of::<T>()).sum()
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

/// The same of points that stand one after the other.
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
