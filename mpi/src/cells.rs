//! The region of points: the cells, as large as the cutoff and alike on all ranks, that they occupy; of each the tight box.

use crate::boxes::Tight;
use crate::error::{Result, room};
use crate::points::Placed;
use crate::team::Team;

/// Tight boxes of the cells that points of `shell` occupy, those at some places. These come in pieces; of a cell that is in
/// several there is a box for each.
///
/// Where a coordinate is more cells from the origin than an integer counts, cells are larger, and so may a box be: never
/// smaller than its points.
pub fn region(shell: &[Placed], pieces: &[Vec<u32>], cutoff: f64, team: &Team) -> Result<Vec<Tight>> {
    let regions = team.map(pieces, |places| region_of(shell, places, cutoff));
    let regions = regions.into_iter().collect::<Result<Vec<_>>>()?;
    let mut boxes = room(regions.iter().map(Vec::len).sum(), "the cells near another rank")?;
    regions.iter().for_each(|region| boxes.extend_from_slice(region));
    Ok(boxes)
}

fn region_of(shell: &[Placed], places: &[u32], cutoff: f64) -> Result<Vec<Tight>> {
    let mut keyed = room(places.len(), "the cells near another rank")?;
    keyed.extend(places.iter().map(|&place| {
        let at = shell[place as usize].at;
        (at.map(|c| (c / cutoff).floor() as i64), at)
    }));
    keyed.sort_unstable_by_key(|&(cell, _)| cell);
    let cells = keyed.chunk_by(|a, b| a.0 == b.0);
    let mut boxes = room(cells.clone().count(), "the cells near another rank")?;
    boxes.extend(cells.map(|cell| Tight::around(cell.iter().map(|(_, at)| at))));
    Ok(boxes)
}
