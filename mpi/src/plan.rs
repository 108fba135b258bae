//! The plan: which points each rank sends to which others, so that every rank has all points that may be near its own.
//!
//! in: this rank's points; out: the ranks near it, which of its points they need, and its ghosts. There are four steps, each
//! with an agreement: every rank sends a few boxes around its points to all others; ranks whose boxes are within reach of each
//! other exchange the cells that they occupy there; each rank sends its points within reach of the other rank's cells.

use crate::agree::agree;
use crate::blocks::{self, Foreign, outline};
use crate::boxes::{Reach, Tight, from_bytes, to_bytes, write};
use crate::coarse::{Cloud, Coarse};
use crate::comm::{Comm, Delivered, Mail};
use crate::error::{Result, filled, resize, room};
use crate::mail::Letters;
use crate::points::{Domain, Placing, Real};
use crate::shell::{Selection, Shell};
use crate::stats::Traffic;
use crate::team::Team;

/// The points that ranks send each other. Ghosts are in the order of their ranks, those after this one first and then those before it,
/// and of their numbers there: where points are numbered rank by rank, what follows on this rank's has no gap.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Ranks to send to, ascending, and which points, ascending.
    pub sends: Vec<(usize, Vec<u32>)>,
    /// Ranks to receive from, in the order of their ghosts, and how many.
    pub receives: Vec<(usize, usize)>,
    /// Ranks whose boxes are within reach.
    pub near: usize,
    /// The cost of making it, in messages.
    pub traffic: Traffic,
}

/// Points of other ranks: what each told of them, in their order.
#[derive(Clone, Debug, Default)]
pub struct Arrived(pub Vec<(usize, Vec<u8>)>);

impl Arrived {
    /// For each rank how many, ids and coordinates, as bytes.
    pub fn parts(&self, bytes_of_ghost: usize) -> impl Iterator<Item = (usize, usize, &[u8], &[u8])> {
        self.0.iter().map(move |(rank, bytes)| {
            let count = bytes.len() / bytes_of_ghost;
            let (ids, coords) = bytes.split_at(count * size_of::<i64>());
            (*rank, count, ids, coords)
        })
    }
}

/// The search that a plan is made for.
pub struct Scene<'a, T> {
    pub dim: usize,
    pub coords: &'a [T],
    pub ids: &'a [i64],
    pub domain: &'a Domain,
    pub cutoff: f64,
    pub reach: Reach,
    /// The place where numbers of points start, in messages.
    pub base: i64,
    pub team: &'a Team,
    /// Coarse cells of the points are there already.
    pub is_laid: bool,
}

/// Memory for making a plan, kept for the next.
#[derive(Default)]
pub struct Workshop {
    pub coarse: Coarse,
    shell: Shell,
    /// Of points to be sorted.
    marks: Vec<u64>,
    letters: Letters,
}

impl Workshop {
    /// Takes back what came, once it was read.
    pub fn keep(&mut self, arrived: Arrived) {
        self.letters.keep(arrived.0.into_iter().map(|(_, bytes)| bytes));
    }
}

/// Makes the plan and exchanges the ghosts, if this rank's settings were `checked` to be good; collective.
pub fn make<C: Comm, T: Real>(
    comm: &C,
    scene: &Scene<T>,
    Workshop {
        coarse,
        shell,
        marks,
        letters,
    }: &mut Workshop,
    checked: Result<()>,
) -> Result<(Plan, Arrived)> {
    if comm.size() == 1 {
        agree(comm, checked)?;
        return Ok((Plan::default(), Arrived::default()));
    }
    let cloud = Cloud {
        dim: scene.dim,
        coords: scene.coords,
        placing: Placing::new(scene.dim, scene.domain),
        base: scene.base,
        team: scene.team,
    };
    let (told, boxes) = agree(comm, checked.and_then(|()| blocks_of(&cloud, scene, coarse)))?;
    let mut plan = Plan::default();
    let all = comm.all_gather(&told)?;
    let near = agree(comm, neighborhood(&all, comm.rank(), &boxes, &scene.reach))?;
    plan.near = near.len();
    let ranks: Vec<usize> = near.iter().map(|(rank, _)| *rank).collect();
    let regions = foreign(near.iter().map(|(_, boxes)| &boxes[..])).and_then(|foreign| {
        coarse.find(&cloud, &foreign, &scene.reach, (shell, scene.cutoff))?;
        regions(shell, (&foreign, ranks.len()), scene, letters)
    });
    let regions = agree(comm, regions)?;
    let cells = trade(comm, &ranks, regions, (letters, &mut plan.traffic))?;
    let parcels = agree(comm, wanted(shell, &cells, scene, (marks, letters)))?;
    letters.keep(cells);
    let (sends, parcels): (Vec<_>, Vec<_>) = parcels.into_iter().unzip();
    let mut came = trade(comm, &ranks, parcels, (letters, &mut plan.traffic))?;
    plan.sends = ranks
        .iter()
        .copied()
        .zip(sends)
        .filter(|(_, points)| !points.is_empty())
        .collect();
    let mut ranks = ranks;
    let before = ranks.partition_point(|&rank| rank < comm.rank());
    ranks.rotate_left(before);
    came.rotate_left(before);
    let counts = came.iter().map(|bytes| bytes.len() / bytes_of_ghost::<T>(scene.dim));
    plan.receives = ranks
        .iter()
        .copied()
        .zip(counts)
        .filter(|&(_, count)| count > 0)
        .collect();
    Ok((plan, Arrived(ranks.into_iter().zip(came).collect())))
}

/// Boxes around this rank's points, as they travel and as they are.
fn blocks_of<T: Real>(cloud: &Cloud<T>, scene: &Scene<T>, coarse: &mut Coarse) -> Result<(Vec<u8>, Vec<Tight>)> {
    if !scene.is_laid {
        coarse.lay(cloud)?;
    }
    let boxes = outline(&mut coarse.boxes()?, &scene.reach)?;
    Ok((to_bytes(&boxes)?, boxes))
}

/// The other ranks that have a box within reach of one of `mine`, and their boxes. Both of two ranks find the same.
fn neighborhood(all: &[Vec<u8>], me: usize, mine: &[Tight], reach: &Reach) -> Result<Vec<(usize, Vec<Tight>)>> {
    let (mut near, around) = (Vec::new(), Tight::joined(mine));
    for (rank, bytes) in all.iter().enumerate().filter(|&(rank, _)| rank != me) {
        let boxes = from_bytes(bytes)?;
        // Of many ranks most are far from all of this one's: one test for each of their boxes.
        let mut close = boxes.iter().filter(|tight| reach.joins(&around, tight));
        if close.any(|tight| mine.iter().any(|own| reach.joins(own, tight))) {
            near.push((rank, boxes));
        }
    }
    Ok(near)
}

/// For each of `nears` ranks near this one the cells of the points found within reach of its boxes, as they travel.
fn regions<T>(
    shell: &mut Shell,
    (boxes, nears): (&[Foreign], usize),
    scene: &Scene<T>,
    letters: &mut Letters,
) -> Result<Vec<Vec<u8>>> {
    let regions = shell.region(&selection(boxes, nears, scene))?;
    let letter = |cells: &Vec<Tight>| {
        let mut bytes = letters.take(size_of_val(&cells[..]), "boxes on their way")?;
        write(cells, &mut bytes);
        Ok(bytes)
    };
    regions.iter().map(letter).collect()
}

fn selection<'a, T>(boxes: &'a [Foreign], nears: usize, scene: &'a Scene<T>) -> Selection<'a> {
    Selection {
        boxes,
        nears,
        reach: &scene.reach,
        team: scene.team,
    }
}

/// Boxes of near ranks, one rank's after the other's.
fn foreign<'a>(boxes: impl Iterator<Item = &'a [Tight]> + Clone) -> Result<Vec<Foreign>> {
    let mut all = room(boxes.clone().map(<[Tight]>::len).sum(), "the boxes near this rank")?;
    let numbered = (0..).zip(boxes);
    all.extend(numbered.flat_map(|(near, boxes)| boxes.iter().map(move |&tight| Foreign { near, tight })));
    Ok(all)
}

/// For each near rank the points within reach of its cells, ascending, and the bytes that tell it of them.
fn wanted<T: Real>(
    shell: &mut Shell,
    cells: &[Vec<u8>],
    scene: &Scene<T>,
    (marks, letters): (&mut Vec<u64>, &mut Letters),
) -> Result<Vec<(Vec<u32>, Vec<u8>)>> {
    let cells = cells
        .iter()
        .map(|bytes| from_bytes(bytes))
        .collect::<Result<Vec<_>>>()?;
    let foreign = foreign(cells.iter().map(|boxes| &boxes[..]))?;
    let wanted = shell.wanted(&selection(&foreign, cells.len(), scene))?;
    let parcel = |mut points: Vec<u32>| {
        sort(&mut points, scene.ids.len(), marks, scene.team)?;
        let bytes = pack(&points, scene, letters)?;
        Ok((points, bytes))
    };
    wanted.into_iter().map(parcel).collect()
}

/// Sorts some of `n` numbers, each there once: many by a mark for each, in `marks`, which are read by all threads.
fn sort(numbers: &mut [u32], n: usize, marks: &mut Vec<u64>, team: &Team) -> Result<()> {
    const MANY: usize = 1 << 8; // marks for each number
    const AT_ONCE: usize = 1 << 9; // words of marks
    if numbers.len() < n / MANY {
        numbers.sort_unstable();
        return Ok(());
    }
    const BITS: u32 = u64::BITS;
    marks.clear();
    resize(marks, n.div_ceil(BITS as usize), 0, "the plan")?;
    let mut counts = filled(marks.len().div_ceil(AT_ONCE), 0, "the plan")?;
    for &number in &*numbers {
        let word = (number / BITS) as usize;
        marks[word] |= 1 << (number % BITS);
        counts[word / AT_ONCE] += 1;
    }
    let mut parts = room(counts.len(), "the plan")?;
    let firsts = (0..).step_by(AT_ONCE * BITS as usize);
    let mut rest = numbers;
    for ((words, first), &count) in marks.chunks(AT_ONCE).zip(firsts).zip(&counts) {
        let (part, behind) = rest.split_at_mut(count);
        parts.push((words, first, part));
        rest = behind;
    }
    team.map_mut(&mut parts, |(words, first, numbers)| {
        let each = |(first, &word): (u32, &u64)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                rest &= rest.wrapping_sub(1);
                (bit < BITS).then_some(first + bit)
            })
        };
        let marked = (*first..).step_by(BITS as usize).zip(*words).flat_map(each);
        numbers.iter_mut().zip(marked).for_each(|(to, number)| *to = number);
    });
    Ok(())
}

/// Ids and coordinates of points, as they travel: first the ones, then the others.
fn pack<T: Real>(points: &[u32], scene: &Scene<T>, letters: &mut Letters) -> Result<Vec<u8>> {
    const AT_ONCE: usize = 1 << 10;
    let (one, dim) = (size_of::<T>() * scene.dim, scene.dim);
    let mut bytes = letters.take(points.len() * bytes_of_ghost::<T>(dim), "ghosts to send")?;
    let (ids, coords) = bytes.split_at_mut(points.len() * size_of::<i64>());
    let pieces = ids
        .chunks_mut(AT_ONCE * size_of::<i64>())
        .zip(coords.chunks_mut(AT_ONCE * one));
    let mut parts = room(points.len().div_ceil(AT_ONCE), "ghosts to send")?;
    parts.extend(points.chunks(AT_ONCE).zip(pieces));
    scene.team.map_mut(&mut parts, |(points, (ids, coords))| {
        for (&point, id) in points.iter().zip(ids.as_chunks_mut().0) {
            *id = scene.ids[point as usize].to_ne_bytes();
        }
        match dim {
            1 => gather::<T, 1>(points, scene.coords, coords),
            2 => gather::<T, 2>(points, scene.coords, coords),
            _ => gather::<T, 3>(points, scene.coords, coords),
        }
    });
    Ok(bytes)
}

/// The coordinates of points, as many as there is room for.
fn gather<T: Real, const DIM: usize>(points: &[u32], coords: &[T], to: &mut [u8]) {
    let (coords, to) = (coords.as_chunks::<DIM>().0, to.chunks_exact_mut(size_of::<[T; DIM]>()));
    for (&point, to) in points.iter().zip(to) {
        to.copy_from_slice(bytemuck::cast_slice(&coords[point as usize]));
    }
}

/// An id and its coordinates.
pub fn bytes_of_ghost<T>(dim: usize) -> usize {
    size_of::<i64>() + dim * size_of::<T>()
}

/// Gives each of `ranks` its bytes and takes theirs, of which nobody knows yet how many they are: two messages each.
fn trade<C: Comm>(
    comm: &C,
    ranks: &[usize],
    out: Vec<Vec<u8>>,
    (letters, traffic): (&mut Letters, &mut Traffic),
) -> Result<Vec<Vec<u8>>> {
    let mail = |rank: usize, bytes: Vec<u8>| Mail { rank, bytes };
    let sizes = ranks
        .iter()
        .zip(&out)
        .map(|(&rank, bytes)| mail(rank, (bytes.len() as u64).to_ne_bytes().to_vec()));
    let coming = comm.exchange(
        sizes.collect(),
        ranks.iter().map(|&rank| mail(rank, vec![0; 8])).collect(),
    )?;
    let mut expect = |coming: &[Mail]| -> Result<Vec<Mail>> {
        let size = |bytes: &[u8]| bytemuck::pod_read_unaligned::<u64>(bytes) as usize;
        coming
            .iter()
            .map(|mail| {
                Ok(Mail {
                    rank: mail.rank,
                    bytes: letters.take(size(&mail.bytes), "ghosts")?,
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
    let Delivered { came, sent } = comm.wait(comm.post(out, expected)?)?;
    letters.keep(sent.into_iter().map(|mail| mail.bytes));
    Ok(came.into_iter().map(|mail| mail.bytes).collect())
}

const _: () = assert!(blocks::MOST >= 2, "one box would join ranks that are far apart");

#[cfg(test)]
mod tests {
    use super::*;

    /// Few of many numbers and many of few come into order alike.
    #[test]
    fn sorted() {
        for (count, n) in [
            (0u32, 0),
            (0, 1000),
            (1, 1),
            (64, 64),
            (65, 65),
            (700, 1000),
            (1000, 1_000_003),
            (4000, 1_000_003),
        ] {
            let mut numbers: Vec<u32> = (0..count)
                .map(|k| (u64::from(k) * 7_919_317 % n.max(1)) as u32)
                .collect();
            let mut truth = numbers.clone();
            truth.sort_unstable();
            truth.dedup();
            assert_eq!(truth.len(), numbers.len(), "each is there once");
            sort(&mut numbers, n as usize, &mut vec![7; 3], &Team::default()).unwrap();
            assert_eq!(numbers, truth, "{count} of {n}");
        }
    }
}
