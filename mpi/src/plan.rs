//! The plan: which points each rank sends to which others, so that every rank has all that may be near its own.
//!
//! in: this rank's points; out: the ranks near it, which of its points they want, and its ghosts. In four steps, each agreed:
//! every rank tells all others a few boxes around its points; ranks whose boxes are within reach of each other trade the cells
//! that they occupy there; each sends the points within reach of the other's cells.

use crate::agree::agree;
use crate::blocks::{self, Foreign, outline, select};
use crate::boxes::{Reach, Tight, from_bytes, to_bytes};
use crate::cells::region;
use crate::comm::{Comm, Mail};
use crate::error::{Result, filled, room};
use crate::points::{Domain, Placed, Real, place};
use crate::stats::Traffic;

/// Who sends what to whom; ghosts stand in the order of their ranks, and of their numbers there.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Ranks to send to, ascending, and which points, ascending.
    pub sends: Vec<(usize, Vec<u32>)>,
    /// Ranks to receive from, ascending, and how many ghosts.
    pub receives: Vec<(usize, usize)>,
    /// Ranks whose boxes are within reach.
    pub near: usize,
    /// What making it sent.
    pub traffic: Traffic,
}

/// Points of other ranks.
#[derive(Clone, Debug, Default)]
pub struct Arrived<T> {
    pub ids: Vec<i64>,
    pub ranks: Vec<i32>,
    pub coords: Vec<T>,
}

/// What a plan is made for.
pub struct Scene<'a, T> {
    pub dim: usize,
    pub coords: &'a [T],
    pub ids: &'a [i64],
    pub domain: &'a Domain,
    pub cutoff: f64,
    pub reach: Reach,
    /// Where numbers of points start, in messages.
    pub base: i64,
}

/// Makes the plan and exchanges the ghosts, if this rank's settings were `checked` to be good; collective.
pub fn make<C: Comm, T: Real>(comm: &C, scene: &Scene<T>, checked: Result<()>) -> Result<(Plan, Arrived<T>)> {
    if comm.size() == 1 {
        agree(comm, checked)?;
        return Ok((Plan::default(), Arrived::default()));
    }
    let placed = checked.and_then(|()| place(scene.dim, scene.coords, scene.domain, scene.base));
    let outlined = placed.and_then(|mut placed| {
        let boxes = outline(&mut placed, &scene.reach);
        Ok((placed, to_bytes(&boxes)?, boxes))
    });
    let (mut placed, told, boxes) = agree(comm, outlined)?;
    let mut plan = Plan::default();
    let all = comm.all_gather(&told)?;
    let near = agree(comm, neighborhood(&all, comm.rank(), &boxes, &scene.reach))?;
    plan.near = near.len();
    let ranks: Vec<usize> = near.iter().map(|(rank, _)| *rank).collect();
    let (mut shell, regions) = agree(comm, shells(&mut placed, &near, scene))?;
    drop(placed);
    let cells = trade(comm, &ranks, regions, &mut plan.traffic)?;
    let parcels = agree(comm, wanted(&mut shell, &cells, scene))?;
    let (sends, parcels): (Vec<_>, Vec<_>) = parcels.into_iter().unzip();
    let came = trade(comm, &ranks, parcels, &mut plan.traffic)?;
    let arrived = agree(comm, unpack(&ranks, &came, scene.dim))?;
    plan.sends = ranks
        .iter()
        .copied()
        .zip(sends)
        .filter(|(_, points)| !points.is_empty())
        .collect();
    let counts = came.iter().map(|bytes| bytes.len() / bytes_of_ghost::<T>(scene.dim));
    plan.receives = ranks.into_iter().zip(counts).filter(|&(_, count)| count > 0).collect();
    Ok((plan, arrived))
}

/// The other ranks that have a box within reach of one of `mine`, and their boxes. Both of two ranks find the same.
fn neighborhood(all: &[Vec<u8>], me: usize, mine: &[Tight], reach: &Reach) -> Result<Vec<(usize, Vec<Tight>)>> {
    let mut near = Vec::new();
    for (rank, bytes) in all.iter().enumerate().filter(|&(rank, _)| rank != me) {
        let boxes = from_bytes(bytes)?;
        if boxes.iter().any(|tight| mine.iter().any(|own| reach.joins(own, tight))) {
            near.push((rank, boxes));
        }
    }
    Ok(near)
}

/// The points within reach of a box of a rank near this one, each once; and for each such rank the cells of those near it, as
/// they travel.
fn shells<T: Real>(
    placed: &mut [Placed],
    near: &[(usize, Vec<Tight>)],
    scene: &Scene<T>,
) -> Result<(Vec<Placed>, Vec<Vec<u8>>)> {
    let foreign = foreign(near.iter().map(|(_, boxes)| &boxes[..]));
    let selected = select(placed, &foreign, near.len(), &scene.reach)?;
    let mut regions = Vec::with_capacity(near.len());
    for points in &selected {
        regions.push(to_bytes(&region(points, scene.cutoff)?)?);
    }
    let mut shell = room(selected.iter().map(Vec::len).sum(), "the points near other ranks")?;
    selected.iter().for_each(|points| shell.extend_from_slice(points));
    shell.sort_unstable_by_key(|placed| placed.point);
    shell.dedup_by_key(|placed| placed.point);
    Ok((shell, regions))
}

fn foreign<'a>(boxes: impl Iterator<Item = &'a [Tight]>) -> Vec<Foreign> {
    let numbered = (0..).zip(boxes);
    numbered
        .flat_map(|(near, boxes)| boxes.iter().map(move |&tight| Foreign { near, tight }))
        .collect()
}

/// For each near rank the points within reach of its cells, ascending, and the bytes that tell it of them.
fn wanted<T: Real>(shell: &mut [Placed], cells: &[Vec<u8>], scene: &Scene<T>) -> Result<Vec<(Vec<u32>, Vec<u8>)>> {
    let cells = cells
        .iter()
        .map(|bytes| from_bytes(bytes))
        .collect::<Result<Vec<_>>>()?;
    let foreign = foreign(cells.iter().map(|boxes| &boxes[..]));
    let selected = select(shell, &foreign, cells.len(), &scene.reach)?;
    let mut parcels = Vec::with_capacity(selected.len());
    for selected in selected {
        let mut points: Vec<u32> = selected.iter().map(|placed| placed.point).collect();
        points.sort_unstable();
        let mut bytes = room(points.len() * bytes_of_ghost::<T>(scene.dim), "ghosts on their way")?;
        let at = points.iter().map(|&point| point as usize);
        at.clone()
            .for_each(|point| bytes.extend_from_slice(bytemuck::bytes_of(&scene.ids[point])));
        at.for_each(|point| {
            let coords = &scene.coords[point * scene.dim..(point + 1) * scene.dim];
            bytes.extend_from_slice(bytemuck::cast_slice(coords));
        });
        parcels.push((points, bytes));
    }
    Ok(parcels)
}

/// An id and its coordinates.
fn bytes_of_ghost<T>(dim: usize) -> usize {
    size_of::<i64>() + dim * size_of::<T>()
}

fn unpack<T: Real>(ranks: &[usize], came: &[Vec<u8>], dim: usize) -> Result<Arrived<T>> {
    let count = |bytes: &Vec<u8>| bytes.len() / bytes_of_ghost::<T>(dim);
    let total = came.iter().map(count).sum::<usize>();
    let mut arrived = Arrived {
        ids: room(total, "ghosts")?,
        ranks: room(total, "ghosts")?,
        coords: room(total * dim, "ghosts")?,
    };
    for (&rank, bytes) in ranks.iter().zip(came) {
        let (ids, coords) = bytes.split_at(count(bytes) * size_of::<i64>());
        arrived.ids.extend(
            ids.chunks_exact(size_of::<i64>())
                .map(bytemuck::pod_read_unaligned::<i64>),
        );
        arrived.coords.extend(
            coords
                .chunks_exact(size_of::<T>())
                .map(bytemuck::pod_read_unaligned::<T>),
        );
        arrived.ranks.extend(std::iter::repeat_n(rank as i32, count(bytes)));
    }
    Ok(arrived)
}

/// Gives each of `ranks` its bytes and takes theirs, of which nobody knows yet how many they are: two messages each.
fn trade<C: Comm>(comm: &C, ranks: &[usize], out: Vec<Vec<u8>>, traffic: &mut Traffic) -> Result<Vec<Vec<u8>>> {
    let mail = |rank: usize, bytes: Vec<u8>| Mail { rank, bytes };
    let sizes = ranks
        .iter()
        .zip(&out)
        .map(|(&rank, bytes)| mail(rank, (bytes.len() as u64).to_ne_bytes().to_vec()));
    let coming = comm.exchange(
        sizes.collect(),
        ranks.iter().map(|&rank| mail(rank, vec![0; 8])).collect(),
    )?;
    let expect = |coming: &[Mail]| -> Result<Vec<Mail>> {
        let size = |bytes: &[u8]| bytemuck::pod_read_unaligned::<u64>(bytes) as usize;
        coming
            .iter()
            .map(|mail| {
                Ok(Mail {
                    rank: mail.rank,
                    bytes: filled(size(&mail.bytes), 0, "ghosts")?,
                })
            })
            .collect()
    };
    let expected = agree(comm, expect(&coming))?;
    out.iter().for_each(|bytes| {
        traffic.count(size_of::<u64>());
        traffic.count(bytes.len());
    });
    let out = ranks.iter().zip(out).map(|(&rank, bytes)| mail(rank, bytes)).collect();
    Ok(comm
        .exchange(out, expected)?
        .into_iter()
        .map(|mail| mail.bytes)
        .collect())
}

const _: () = assert!(blocks::MOST >= 2, "one box would join ranks that are far apart");
