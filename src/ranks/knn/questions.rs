//! The points that other ranks are asked about, and the data sent with each.

use super::atlas::{Atlas, Limits, Region, Seeker, around, part};
use super::rows::Rows;
use crate::error::Result;
use crate::memory::{copied, push, reserve_keeping, with_capacity};
use crate::points::Real;
use crate::ranks::boxes::Tight;
use crate::ranks::cloud::Cloud;
use crate::ranks::comm::Mail;

/// Points that are tested one by one.
const LEAF: usize = 16;

const WHAT: &str = "questions to other ranks";

/// The ranks that have a box within a point's limit, ascending, and the points that they are asked about, ascending. Where a limit
/// is infinite, for one because this rank has not enough points to tell, the boxes of all ranks give one, of which `need`
/// points must be within. Points are brought into another order.
pub fn ask(points: &mut [Seeker], atlas: &Atlas, limits: &Limits, need: usize) -> Result<Vec<(usize, Vec<u32>)>> {
    let mut asked: Vec<(usize, Vec<u32>)> = Vec::new();
    let mut work = Vec::new();
    push(&mut work, (0..points.len(), copied(&atlas.foreign, WHAT)?), WHAT)?;
    while let Some((range, mut regions)) = work.pop() {
        let points = &mut points[range.clone()];
        if points.is_empty() {
            continue;
        }
        let (tight, limit) = around(points);
        regions.retain(|region| limits.joins(&tight, &region.tight, limit));
        if regions.is_empty() {
            continue;
        }
        if points.len() <= LEAF || tight.longest().0 == 0.0 {
            let most = if limit.is_infinite() {
                atlas.limit(&tight, need, limits)?
            } else {
                limit
            };
            let limit_of = |seeker: &Seeker| seeker.limit.min(most);
            ask_each(points, &regions, limits, limit_of, &mut asked)?;
            continue;
        }
        let middle = range.start + part(points, &tight);
        push(&mut work, (middle..range.end, copied(&regions, WHAT)?), WHAT)?;
        push(&mut work, (range.start..middle, regions), WHAT)?;
    }
    asked.retain(|(_, points)| !points.is_empty());
    asked.sort_unstable_by_key(|&(rank, _)| rank);
    asked.iter_mut().for_each(|(_, points)| points.sort_unstable());
    Ok(asked)
}

fn ask_each(
    points: &[Seeker],
    regions: &[Region],
    limits: &Limits,
    limit_of: impl Fn(&Seeker) -> f64,
    asked: &mut Vec<(usize, Vec<u32>)>,
) -> Result<()> {
    for group in regions.chunk_by(|a, b| a.rank == b.rank) {
        let rank = group[0].rank;
        let at = match asked.iter().position(|&(other, _)| other == rank) {
            Some(at) => at,
            None => {
                push(asked, (rank, Vec::new()), WHAT)?;
                asked.len() - 1
            }
        };
        let list = &mut asked[at].1;
        reserve_keeping(list, list.len() + points.len(), WHAT)?;
        list.extend(points.iter().filter_map(|seeker| {
            let (at, limit) = (Tight::of(seeker.at), limit_of(seeker));
            let is_near = group.iter().any(|region| limits.joins(&at, &region.tight, limit));
            is_near.then_some(seeker.point)
        }));
    }
    Ok(())
}

/// Questions as they travel: coordinates of all points to one rank, and after them the square of each that neighbors must not
/// exceed, infinite where any are wanted.
pub fn pack<T: Real>(askers: &Cloud<T>, rows: &Rows<T>, asked: &[(usize, Vec<u32>)]) -> Result<Vec<Mail>> {
    let mut mails = with_capacity(asked.len(), WHAT)?;
    for (rank, points) in asked {
        let mut bytes = with_capacity(points.len() * (askers.dim + 1) * size_of::<T>(), WHAT)?;
        let at = points.iter().map(|&point| point as usize);
        at.clone().for_each(|point| askers.write(point, &mut bytes));
        at.for_each(|point| bytes.extend_from_slice(bytemuck::bytes_of(&rows.squares[(point + 1) * rows.k - 1])));
        mails.push(Mail { rank: *rank, bytes });
    }
    Ok(mails)
}
