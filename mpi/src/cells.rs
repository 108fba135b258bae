//! The region of points: the cells, as large as the cutoff and alike on all ranks, that they occupy; of each the tight box.

use crate::boxes::Tight;
use crate::error::{Result, room};
use crate::points::Placed;

/// Tight boxes of the occupied cells.
///
/// Where a coordinate is more cells from the origin than an integer counts, cells are larger, and so may a box be: never
/// smaller than its points.
pub fn region(points: &[Placed], cutoff: f64) -> Result<Vec<Tight>> {
    let mut keyed = room(points.len(), "the cells near another rank")?;
    keyed.extend(
        points
            .iter()
            .map(|placed| (placed.at.map(|c| (c / cutoff).floor() as i64), placed.at)),
    );
    keyed.sort_unstable_by_key(|&(cell, _)| cell);
    let cells = keyed.chunk_by(|a, b| a.0 == b.0);
    let mut boxes = room(keyed.len().min(cells.clone().count()), "the cells near another rank")?;
    boxes.extend(cells.map(|cell| Tight::around(cell.iter().map(|(_, at)| at))));
    Ok(boxes)
}
