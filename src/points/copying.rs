//! The copy of points, by shares that any thread may take.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::view::PointsView;
use crate::domain::Periods;
use crate::real::Real;

/// Points copied axis by axis while the caches still hold them: they are side by side in the caller's memory.
pub(super) const AT_ONCE: usize = 512;

/// A copy of points on its way. Any thread may copy a share of them.
pub struct Copying<'a, T> {
    pub(super) view: &'a PointsView<'a, T>,
    pub(super) periods: Periods<T>,
    pub(super) share: usize,
    pub(super) pieces: Vec<Mutex<[&'a mut [T]; 3]>>,
}

impl<T: Real> Copying<'_, T> {
    /// Copies the share that is the points `range`, and puts their bytes, wrapped and point after point, while caches have them.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))] // there is no device
    pub fn copy(&self, range: Range<usize>, put: &mut dyn FnMut(usize, &[u8])) {
        let (view, periods) = (self.view, &self.periods);
        let mut piece = self.pieces[range.start / self.share]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        copy_wrapped(view, periods, range.start, &mut piece);
        if let Some(bytes) = view.bytes_of(range.clone()).filter(|_| periods.is_open()) {
            return put(range.start, bytes);
        }
        let mut points = [T::INFINITY; 3 * AT_ONCE];
        for start in (0..range.len()).step_by(AT_ONCE) {
            let end = range.len().min(start + AT_ONCE);
            for (axis, coords) in piece.iter().enumerate().take(view.dim()) {
                let places = points[axis..].iter_mut().step_by(view.dim());
                places.zip(&coords[start..end]).for_each(|(to, &coord)| *to = coord);
            }
            put(
                range.start + start,
                bytemuck::cast_slice(&points[..(end - start) * view.dim()]),
            );
        }
    }
}

/// Copies the points of `view` from `first` on to `piece`, an array for each axis, wrapped.
pub(super) fn copy_wrapped<T: Real>(
    view: &PointsView<T>,
    periods: &Periods<T>,
    first: usize,
    piece: &mut [&mut [T]; 3],
) {
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
