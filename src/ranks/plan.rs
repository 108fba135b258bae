//! The plan: which points each rank sends to which others, so that every rank has all points that may be near its own.
//!
//! in: this rank's points; out: the ranks near it, which of its points they need, and its ghosts. There are four steps, each
//! with an agreement: every rank sends a few boxes around its points to all others; ranks whose boxes are within reach of each
//! other exchange the cells that they occupy there; each rank sends its points within reach of the other rank's cells.

use super::agree::{agree, exchange};
use super::blocks::{self, Foreign, outline};
use super::boxes::{Reach, Tight, from_bytes, to_bytes, write};
use super::cloud::Cloud;
use super::coarse::Coarse;
use super::comm::{Comm, Delivered, Gathered, Mail};
use super::mail::{Letters, expect};
use super::shell::{Selection, Shell};
use super::stats::Traffic;
use crate::axes::in_dim;
use crate::error::Result;
use crate::memory::{filled, push, resize_keeping, with_capacity};
use crate::points::{Axis, PointsView, Real};
use crate::threads::Team;

const WHAT: &str = "the plan";

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
pub struct Arrived(Vec<Mail>);

impl Arrived {
    /// For each rank its number, ids as bytes, and points.
    pub fn parts<T: Real>(&self, dim: usize) -> impl Iterator<Item = Result<(usize, &[u8], PointsView<'_, T>)>> {
        self.0.iter().map(move |Mail { rank, bytes }| {
            let count = bytes.len() / bytes_of_ghost::<T>(dim);
            let (ids, coords) = bytes.split_at(count * size_of::<i64>());
            let axis = |axis: usize| Axis::new(coords, axis * size_of::<T>(), (dim * size_of::<T>()) as isize);
            Ok((*rank, ids, PointsView::new(dim, count, [axis(0), axis(1), axis(2)])?))
        })
    }
}

/// The search that a plan is made for.
pub struct Scene<'a, T> {
    /// The points of this rank, and queries after them, which need ghosts and are none.
    pub cloud: Cloud<'a, T>,
    /// The places by which it is decided who is near whom, where they are not the points themselves.
    pub places: Option<Cloud<'a, f64>>,
    pub ids: &'a [i64],
    /// The largest distance of neighbors.
    pub cutoff: f64,
    pub reach: Reach,
    pub team: &'a Team,
}

/// Memory for making a plan, kept for the next.
#[derive(Debug, Default)]
pub struct Workshop {
    coarse: Coarse,
    shell: Shell,
    /// Of points to be sorted.
    marks: Vec<u64>,
    letters: Letters,
}

impl Workshop {
    /// Takes back what came, once it was read.
    pub fn keep(&mut self, arrived: Arrived) {
        self.letters.keep(arrived.0);
    }
}

/// Makes the plan and exchanges the ghosts, if this rank's settings were `checked` to be good; collective.
pub fn make<T: Real>(
    comm: &Comm,
    scene: &Scene<T>,
    workshop: &mut Workshop,
    checked: Result<()>,
) -> Result<(Plan, Arrived)> {
    if comm.size() == 1 {
        agree(comm, checked)?;
        return Ok((Plan::default(), Arrived::default()));
    }
    let Workshop {
        coarse,
        shell,
        marks,
        letters,
    } = workshop;
    let (told, boxes) = agree(comm, checked.and_then(|()| blocks_of(scene, coarse)))?;
    let mut plan = Plan::default();
    let all = comm.all_gather(&told)?;
    let near = agree(comm, neighborhood(&all, comm.rank(), &boxes, &scene.reach))?;
    drop(all);
    plan.near = near.len();
    let regions = foreign(near.iter().map(|(_, boxes)| &boxes[..])).and_then(|foreign| {
        let (team, near_by) = (scene.team, (&foreign[..], &scene.reach));
        match &scene.places {
            Some(places) => coarse.find((places, team), near_by, (shell, scene.cutoff))?,
            None => coarse.find((&scene.cloud, team), near_by, (shell, scene.cutoff))?,
        }
        regions(shell, &foreign, &near, scene, letters)
    });
    let regions = agree(comm, regions)?;
    let cells = trade(comm, regions, (letters, &mut plan.traffic))?;
    let wanted = wanted(shell, &cells, scene, (marks, letters)).and_then(|wanted| {
        plan.receives = with_capacity(near.len(), WHAT)?;
        Ok(wanted)
    });
    let (sends, parcels) = agree(comm, wanted)?;
    letters.keep(cells);
    let came = trade(comm, parcels, (letters, &mut plan.traffic))?;
    plan.sends = sends;
    plan.sends.retain(|(_, points)| !points.is_empty());
    let counts = came
        .iter()
        .map(|mail| (mail.rank, mail.bytes.len() / bytes_of_ghost::<T>(scene.cloud.dim)));
    plan.receives.extend(counts.filter(|&(_, count)| count > 0));
    Ok((plan, Arrived(came)))
}

/// Boxes around this rank's points, as they travel and as they are.
fn blocks_of<T: Real>(scene: &Scene<T>, coarse: &mut Coarse) -> Result<(Vec<u8>, Vec<Tight>)> {
    match &scene.places {
        Some(places) => coarse.lay(places, scene.team)?,
        None => coarse.lay(&scene.cloud, scene.team)?,
    }
    let boxes = outline(&mut coarse.boxes()?, &scene.reach)?;
    Ok((to_bytes(&boxes)?, boxes))
}

/// The other ranks that have a box within reach of one of `mine`, and their boxes. Both of two ranks find the same.
fn neighborhood(all: &Gathered, me: usize, mine: &[Tight], reach: &Reach) -> Result<Vec<(usize, Vec<Tight>)>> {
    let (mut near, around) = (Vec::new(), Tight::joined(mine));
    for (rank, bytes) in all.iter().enumerate().filter(|&(rank, _)| rank != me) {
        let boxes = from_bytes(bytes)?;
        // Of many ranks most are far from all of this one's: one test for each of their boxes.
        let mut close = boxes.iter().filter(|tight| reach.joins(&around, tight));
        if close.any(|tight| mine.iter().any(|own| reach.joins(own, tight))) {
            push(&mut near, (rank, boxes), "the ranks near this one")?;
        }
    }
    Ok(near)
}

/// For each rank near this one the cells of the points found within reach of its boxes, as they travel.
fn regions<T>(
    shell: &mut Shell,
    foreign: &[Foreign],
    near: &[(usize, Vec<Tight>)],
    scene: &Scene<T>,
    letters: &mut Letters,
) -> Result<Parcels> {
    let regions = shell.region(&selection(foreign, near.len(), scene))?;
    let mut out = with_capacity(near.len(), "boxes to send")?;
    for (&(rank, _), cells) in near.iter().zip(&regions) {
        let mut bytes = letters.take(size_of_val(&cells[..]), "boxes to send")?;
        write(cells, &mut bytes);
        out.push(Mail { rank, bytes });
    }
    Parcels::new(out)
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
    let mut all = with_capacity(boxes.clone().map(<[Tight]>::len).sum(), "the boxes near this rank")?;
    let numbered = (0..).zip(boxes);
    all.extend(numbered.flat_map(|(near, boxes)| boxes.iter().map(move |&tight| Foreign { near, tight })));
    Ok(all)
}

/// Ranks, and points that they get.
type Sends = Vec<(usize, Vec<u32>)>;

/// For each near rank the points within reach of its cells, ascending, and the mail that tells it of them.
fn wanted<T: Real>(
    shell: &mut Shell,
    cells: &[Mail],
    scene: &Scene<T>,
    (marks, letters): (&mut Vec<u64>, &mut Letters),
) -> Result<(Sends, Parcels)> {
    let mut boxes = with_capacity(cells.len(), "received boxes")?;
    for mail in cells {
        boxes.push(from_bytes(&mail.bytes)?);
    }
    let foreign = foreign(boxes.iter().map(|boxes: &Vec<Tight>| &boxes[..]))?;
    let wanted = shell.wanted(&selection(&foreign, cells.len(), scene))?;
    let (mut sends, mut out) = (with_capacity(cells.len(), WHAT)?, with_capacity(cells.len(), WHAT)?);
    let owned = scene.ids.len() as u32;
    for (&Mail { rank, .. }, mut points) in cells.iter().zip(wanted) {
        points.retain(|&point| point < owned);
        sort(&mut points, scene.cloud.len, marks, scene.team)?;
        let bytes = pack(&points, scene, letters)?;
        out.push(Mail { rank, bytes });
        sends.push((rank, points));
    }
    Ok((sends, Parcels::new(out)?))
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
    resize_keeping(marks, n.div_ceil(BITS as usize), 0, WHAT)?;
    let mut counts = filled(marks.len().div_ceil(AT_ONCE), 0usize, WHAT)?;
    for &number in &*numbers {
        let word = (number / BITS) as usize;
        marks[word] |= 1 << (number % BITS);
        counts[word / AT_ONCE] += 1;
    }
    let mut parts = with_capacity(counts.len(), WHAT)?;
    let firsts = (0..).step_by(AT_ONCE * BITS as usize);
    let mut rest = numbers;
    for ((words, first), &count) in marks.chunks(AT_ONCE).zip(firsts).zip(&counts) {
        let (part, behind) = rest.split_at_mut(count);
        parts.push((words, first, part));
        rest = behind;
    }
    team.each(&mut parts, |(words, first, numbers)| {
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
    let dim = scene.cloud.dim;
    let mut bytes = letters.take(points.len() * bytes_of_ghost::<T>(dim), "ghosts to send")?;
    let (ids, coords) = bytes.split_at_mut(points.len() * size_of::<i64>());
    let pieces = ids
        .chunks_mut(AT_ONCE * size_of::<i64>())
        .zip(coords.chunks_mut(AT_ONCE * dim * size_of::<T>()));
    let mut parts = with_capacity(points.len().div_ceil(AT_ONCE), "ghosts to send")?;
    parts.extend(points.chunks(AT_ONCE).zip(pieces));
    scene.team.each(&mut parts, |(points, (ids, coords))| {
        for (&point, id) in points.iter().zip(ids.as_chunks_mut().0) {
            *id = scene.ids[point as usize].to_ne_bytes();
        }
        in_dim!(dim, DIM => gather::<T, DIM>(points, &scene.cloud, coords));
    });
    Ok(bytes)
}

/// The coordinates of points, as many as there is room for.
fn gather<T: Real, const DIM: usize>(points: &[u32], cloud: &Cloud<T>, to: &mut [u8]) {
    for (&point, to) in points.iter().zip(to.chunks_exact_mut(DIM * size_of::<T>())) {
        for (axis, to) in to.chunks_exact_mut(size_of::<T>()).enumerate() {
            to.copy_from_slice(bytemuck::bytes_of(&cloud.axes[axis][point as usize]));
        }
    }
}

/// An id and its coordinates.
fn bytes_of_ghost<T>(dim: usize) -> usize {
    size_of::<i64>() + dim * size_of::<T>()
}

/// Mail for some ranks, each of which has some for this one too. Nobody knows yet how large it is.
struct Parcels {
    out: Vec<Mail>,
    /// The size of each, and room for those that come.
    sizes: [Vec<Mail>; 2],
}

impl Parcels {
    fn new(out: Vec<Mail>) -> Result<Parcels> {
        let sizes = || expect(out.iter().map(|mail| (mail.rank, size_of::<u64>())), "message sizes");
        let (mut told, coming) = (sizes()?, sizes()?);
        for (told, mail) in told.iter_mut().zip(&out) {
            told.bytes.copy_from_slice(&(mail.bytes.len() as u64).to_ne_bytes());
        }
        let sizes = [told, coming];
        Ok(Parcels { out, sizes })
    }
}

/// Gives each of some ranks its parcel and takes theirs: two messages each.
fn trade(comm: &Comm, parcels: Parcels, (letters, traffic): (&mut Letters, &mut Traffic)) -> Result<Vec<Mail>> {
    let Parcels {
        out,
        sizes: [told, coming],
    } = parcels;
    traffic.add(Traffic::of(&told));
    traffic.add(Traffic::of(&out));
    let coming = exchange(comm, told, coming)?.came;
    let expected = with_capacity(coming.len(), "ghosts").and_then(|mut expected| {
        for Mail { rank, bytes } in coming {
            let size: u64 = bytemuck::pod_read_unaligned(&bytes);
            let bytes = letters.take(size as usize, "ghosts")?;
            expected.push(Mail { rank, bytes });
        }
        Ok(expected)
    });
    let expected = agree(comm, expected)?;
    let Delivered { came, sent } = exchange(comm, out, expected)?;
    letters.keep(sent);
    Ok(came)
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
            sort(&mut numbers, n as usize, &mut vec![7; 3], &Team::caller()).unwrap();
            assert_eq!(numbers, truth, "{count} of {n}");
        }
    }
}
