//! The bulk of a cloud, whatever strays there are.

use crate::points::{PointsView, Real};

/// Points looked at to find where the bulk of the cloud lies.
const SAMPLE: usize = 1024;

/// Per axis, a lower and an upper bound.
pub type Extent = [[f64; 2]; 3];

/// The middle of the bulk, the origin of units where leaves are the cells: distances from it are small for all but
/// strays.
pub fn middle<T: Real>(view: &PointsView<T>) -> [f64; 3] {
    let mut middle = [0.0; 3];
    for (axis, m) in middle.iter_mut().enumerate().take(view.dim()) {
        let sorted = sample(view, axis);
        *m = sorted.0[sorted.1 / 2];
    }
    middle
}

/// The part of `extent`, beyond which points are strays, around the bulk of the cloud: the range of a sample without
/// its outer sixteenths, widened by half on each side, so that a uniform cloud keeps its whole extent. A periodic axis
/// has no middle.
pub fn bulk<T: Real>(view: &PointsView<T>, extent: &Extent, lengths: &[Option<f64>; 3]) -> Extent {
    let mut window = *extent;
    let axes = window.iter_mut().enumerate().take(view.dim());
    for (axis, bounds) in axes.filter(|&(axis, _)| lengths[axis].is_none()) {
        let (sorted, len) = sample(view, axis);
        let [lo, hi] = [sorted[len / 16], sorted[len - 1 - len / 16]].map(|c| c.clamp(bounds[0], bounds[1]));
        let margin = 0.5 * (hi - lo);
        *bounds = [bounds[0].max(lo - margin), bounds[1].min(hi + margin)];
    }
    window
}

/// Coordinates of evenly spaced points, sorted: a fixed array and how much of it is filled. `view` is not empty.
fn sample<T: Real>(view: &PointsView<T>, axis: usize) -> ([f64; SAMPLE], usize) {
    let mut values = [0.0; SAMPLE];
    let len = view.len().min(SAMPLE);
    for (k, value) in values[..len].iter_mut().enumerate() {
        *value = view.get(axis, k * view.len() / len).to_f64();
    }
    values[..len].sort_unstable_by(f64::total_cmp);
    (values, len)
}
