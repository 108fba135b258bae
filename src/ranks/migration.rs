//! Migration: points move to ranks so that each rank has the same number, near each other in space.
//!
//! in: points of this rank, distributed in any way; out: which of them go where. The points are ordered along a space-filling
//! curve, by key and then by global id, and cut into as many equal parts as there are ranks. There are four steps, each with an
//! agreement. First all ranks learn the box around all points. Then the key of each point goes to the rank that a sample of all
//! keys selects (sample sort), and this rank finds the places of its keys by counting. It sends them to the owners of the
//! points, which then inform the ranks that receive the points.

use super::agree::agree;
use super::boxes::Tight;
use super::cloud::Placed;
use super::comm::{Comm, Gathered, Mail};
use super::curve::Curve;
use super::parcels::{deliver, deliver_known, for_each_rank};
use super::stats::Traffic;
use crate::arguments::MAX_POINTS;
use crate::domain::Periods;
use crate::error::{Error, Result, Status};
use crate::list::Out;
use crate::memory::{filled, with_capacity};
use crate::points::{PointsView, Real};

const WHAT: &str = "the migration";
const KEYS: &str = "the places of keys";
const SAMPLE: &str = "a sample of all keys";

/// Keys that a rank shows all others, if points are spread evenly.
const SAMPLES: u64 = 64;

/// A key on its way: place along the curve, global id.
type Key = [u64; 2];

/// A key of this rank's, and the point it is of.
type Keyed = (Key, u32);

/// A rank, and points of this one's or places here.
type Part = (usize, Vec<u32>);

/// The points that ranks send each other.
#[derive(Clone, Debug, Default)]
pub struct Migration {
    /// Points of this rank before and after.
    before: usize,
    after: usize,
    /// Ranks that get some, this one too, ascending, and which points, in their order there.
    sends: Vec<Part>,
    /// Ranks that give some, ascending, and where each of theirs goes.
    receives: Vec<Part>,
}

/// The points to redistribute.
pub struct Crowd<'a, T> {
    pub points: PointsView<'a, T>,
    /// The periodic axes along which coordinates are wrapped.
    pub periods: Periods<T>,
    /// None: points are ordered as they are, rank by rank.
    pub ids: Option<&'a [i64]>,
}

impl<T: Real> Crowd<'_, T> {
    fn placed(&self) -> Result<Vec<Placed>> {
        let mut placed = with_capacity(self.points.len(), WHAT)?;
        placed.extend((0..self.points.len()).map(|i| {
            let mut at = [0.0; 3];
            for (axis, at) in at.iter_mut().enumerate().take(self.points.dim()) {
                *at = self.periods.wrap(axis, self.points.get(axis, i)).to_f64();
            }
            let point = i as u32;
            Placed { at, point }
        }));
        Ok(placed)
    }
}

/// Plans a migration of points that can be wrapped; collective. What it sent, beside it.
pub fn plan<T: Real>(comm: &Comm, crowd: &Crowd<T>) -> Result<(Migration, Traffic)> {
    let mut traffic = Traffic::default();
    let placed = agree(comm, crowd.placed())?;
    let counts = counts(comm, placed.len() as u64)?;
    let shares = Shares {
        total: counts.iter().sum(),
        ranks: comm.size() as u64,
    };
    shares.check()?;
    check_ids(comm, &counts, crowd.ids)?;
    let curve = Curve::new(
        crowd.points.dim(),
        &bounds(comm, placed.iter().map(|placed| &placed.at))?,
    );
    let first = counts.before(comm.rank());
    let id = |point: u32| match crowd.ids {
        Some(ids) => ids[point as usize] as u64 ^ (1 << 63), // as unsigned numbers in the same order
        None => first + u64::from(point),
    };
    let keyed = with_capacity(placed.len(), "the keys").map(|mut keyed: Vec<Keyed>| {
        keyed.extend(placed.iter().map(|p| ([curve.key(&p.at), id(p.point)], p.point)));
        keyed.sort_unstable();
        keyed
    });
    let keyed = agree(comm, keyed)?;
    drop(placed);
    let cuts = cuts(comm, &keyed, shares.total)?;
    let parcels = agree(comm, parcels(&keyed, &cuts))?;
    let came = deliver(comm, parcels, &mut traffic)?;
    let ranked = agree(comm, rank_keys(&came))?;
    let before_mine = self::counts(comm, ranked.len() as u64)?.before(comm.rank());
    let replies = agree(comm, replies(&came, &ranked, before_mine))?;
    let sizes = (0..comm.size()).map(|rank| size_of::<u64>() * (cuts[rank + 1] - cuts[rank]));
    let places = deliver_known(comm, replies, sizes, &mut traffic)?;
    let (sends, parcels) = agree(comm, destinations(&keyed, &places, &shares))?;
    let came = deliver(comm, parcels, &mut traffic)?;
    let receives = agree(comm, arrivals(&came))?;
    let me = comm.rank() as u64;
    let migration = Migration {
        before: crowd.points.len(),
        after: (shares.start(me + 1) - shares.start(me)) as usize,
        sends,
        receives,
    };
    Ok((migration, traffic))
}

/// A number of each rank.
struct Counts(Gathered);

impl Counts {
    fn iter(&self) -> impl Iterator<Item = u64> + Clone {
        self.0.iter().map(bytemuck::pod_read_unaligned)
    }

    /// The sum of those of the ranks before one.
    fn before(&self, rank: usize) -> u64 {
        self.iter().take(rank).sum()
    }
}

/// Tells all ranks a number.
fn counts(comm: &Comm, mine: u64) -> Result<Counts> {
    let all = comm.all_gather(&mine.to_ne_bytes())?;
    Ok(Counts(all))
}

/// The box around all points of all ranks; any if there are none.
fn bounds<'a>(comm: &Comm, points: impl Iterator<Item = &'a [f64; 3]>) -> Result<Tight> {
    let mine = Tight::around(points);
    let [lo, hi] = [mine.lo.map(ordered), mine.hi.map(|c| !ordered(c))];
    let mut all = [lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]];
    comm.min(&mut all)?;
    let [x, y, z, x_hi, y_hi, z_hi] = all;
    Ok(Tight {
        lo: [x, y, z].map(real),
        hi: [x_hi, y_hi, z_hi].map(|bits| real(!bits)),
    })
}

/// A real number as an integer, in the same order; both zeros are one.
fn ordered(value: f64) -> i64 {
    let bits = (value + 0.0).to_bits() as i64;
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

fn real(ordered: i64) -> f64 {
    f64::from_bits((ordered ^ ((ordered >> 63) as u64 >> 1) as i64) as u64)
}

/// The cuts of this rank's keys, which are sorted: part r goes to rank r. By a sample of all keys, of which each rank gives as
/// many as it has points, so that no rank gets many more than others, however they were spread.
fn cuts(comm: &Comm, keyed: &[Keyed], total: u64) -> Result<Vec<usize>> {
    let ranks = comm.size();
    let step = (total / (SAMPLES * ranks as u64)).max(1) as usize;
    let sample = with_capacity(keyed.len() / step + 1, SAMPLE).map(|mut sample: Vec<Key>| {
        sample.extend(keyed.iter().skip(step / 2).step_by(step).map(|&(key, _)| key));
        sample
    });
    let all = comm.all_gather(bytemuck::cast_slice(&agree(comm, sample)?))?;
    let total = all.iter().map(|bytes| bytes.len() / size_of::<Key>()).sum();
    let cuts = with_capacity(total, SAMPLE).and_then(|mut sorted: Vec<Key>| {
        sorted.extend(all.iter().flat_map(keys));
        sorted.sort_unstable();
        let mut cuts = with_capacity(ranks + 1, SAMPLE)?;
        cuts.push(0);
        cuts.extend((1..ranks).map(|rank| match sorted.get(rank * sorted.len() / ranks) {
            Some(splitter) => keyed.partition_point(|(key, _)| key < splitter),
            None => keyed.len(),
        }));
        cuts.push(keyed.len());
        Ok(cuts)
    });
    agree(comm, cuts)
}

fn keys(bytes: &[u8]) -> impl ExactSizeIterator<Item = Key> {
    bytes.chunks_exact(size_of::<Key>()).map(bytemuck::pod_read_unaligned)
}

fn parcels(keyed: &[Keyed], cuts: &[usize]) -> Result<Vec<Mail>> {
    let mut parcels = with_capacity(cuts.len(), "keys to send")?;
    for (rank, cut) in cuts.windows(2).enumerate() {
        let part = &keyed[cut[0]..cut[1]];
        let mut bytes = with_capacity(size_of::<Key>() * part.len(), "keys to send")?;
        let keys = part.iter().map(|(key, _)| bytemuck::bytes_of(key));
        keys.for_each(|key| bytes.extend_from_slice(key));
        parcels.push(Mail { rank, bytes });
    }
    Ok(parcels)
}

/// The keys that came, sorted, each with the rank it came from and its number in that parcel. Keys that are the same are in the
/// order of their ranks, and of their points there.
fn rank_keys(came: &[Mail]) -> Result<Vec<(Key, u32, u32)>> {
    let total = came.iter().map(|mail| keys(&mail.bytes).len()).sum();
    let mut ranked = with_capacity(total, "the keys of other ranks")?;
    for mail in came {
        let numbered = keys(&mail.bytes).zip(0..);
        ranked.extend(numbered.map(|(key, number)| (key, mail.rank as u32, number)));
    }
    ranked.sort_unstable();
    Ok(ranked)
}

/// The place among all of each key that came, for the ranks that they came from.
fn replies(came: &[Mail], ranked: &[(Key, u32, u32)], first: u64) -> Result<Vec<Mail>> {
    let mut replies = with_capacity(came.len(), KEYS)?;
    for mail in came {
        let bytes = with_capacity(keys(&mail.bytes).len() * size_of::<u64>(), KEYS)?;
        let rank = mail.rank;
        replies.push(Mail { rank, bytes });
    }
    // Keys of one rank come sorted, and stay in their order.
    for (&(_, rank, _), place) in ranked.iter().zip(first..) {
        let to = &mut replies[rank as usize].bytes;
        to.extend_from_slice(&place.to_ne_bytes());
    }
    Ok(replies)
}

/// Refuses ids on some ranks with points and not on others: all find that out alike.
fn check_ids(comm: &Comm, counts: &Counts, ids: Option<&[i64]>) -> Result<()> {
    let given = self::counts(comm, ids.is_some().into())?;
    let both = counts.iter().zip(given.iter());
    let rank_where = |flag: u64| both.clone().position(|(count, given)| count > 0 && given == flag);
    match (rank_where(1), rank_where(0)) {
        (Some(with), Some(without)) => Err(super::ids::given_on_some(with, without)),
        _ => Ok(()),
    }
}

/// Equal shares of all places.
struct Shares {
    total: u64,
    ranks: u64,
}

impl Shares {
    /// Refuses more points than a rank can have.
    fn check(&self) -> Result<()> {
        if self.total.div_ceil(self.ranks) <= MAX_POINTS as u64 {
            return Ok(());
        }
        let allowed = format_args!("at most {MAX_POINTS} for each of the {} ranks", self.ranks);
        Err(Error::not_allowed(
            Status::BadCount,
            "number of all points",
            self.total,
            allowed,
        ))
    }

    /// The first place of a rank.
    fn start(&self, rank: u64) -> u64 {
        (u128::from(self.total) * u128::from(rank) / u128::from(self.ranks)) as u64
    }
}

/// The ranks that get points, and the places of these there, as that travels.
fn destinations(keyed: &[Keyed], places: &[Mail], shares: &Shares) -> Result<(Vec<Part>, Vec<Mail>)> {
    let mut ascending: Vec<u64> = with_capacity(keyed.len(), KEYS)?;
    for mail in places {
        let places = mail.bytes.chunks_exact(size_of::<u64>());
        ascending.extend(places.map(bytemuck::pod_read_unaligned::<u64>));
    }
    let (mut sends, mut parcels) = (with_capacity(places.len(), WHAT)?, with_capacity(places.len(), WHAT)?);
    let mut done = 0;
    for rank in 0..places.len() {
        let (start, end) = (shares.start(rank as u64), shares.start(rank as u64 + 1));
        let count = ascending[done..].partition_point(|&place| place < end);
        let mut points = with_capacity(count, WHAT)?;
        let mut bytes = with_capacity(count * size_of::<u32>(), WHAT)?;
        points.extend(keyed[done..done + count].iter().map(|&(_, point)| point));
        for place in &ascending[done..done + count] {
            bytes.extend_from_slice(&((place - start) as u32).to_ne_bytes());
        }
        if count > 0 {
            sends.push((rank, points));
        }
        parcels.push(Mail { rank, bytes });
        done += count;
    }
    Ok((sends, parcels))
}

/// The ranks that give points, and the place of each.
fn arrivals(came: &[Mail]) -> Result<Vec<Part>> {
    let mut receives = with_capacity(came.len(), WHAT)?;
    for mail in came.iter().filter(|mail| !mail.bytes.is_empty()) {
        let came = mail.bytes.chunks_exact(size_of::<u32>());
        let mut places = with_capacity(came.len(), WHAT)?;
        places.extend(came.map(bytemuck::pod_read_unaligned::<u32>));
        receives.push((mail.rank, places));
    }
    Ok(receives)
}

impl Migration {
    /// The number of points of this rank before and after.
    pub fn counts(&self) -> [usize; 2] {
        [self.before, self.after]
    }

    /// Moves a field of the points, `bytes` for each, to their new ranks. All ranks asked for it alike, and the arrays have the size of
    /// [`counts`](Migration::counts). Collective.
    pub fn migrate(&self, comm: &Comm, bytes: usize, before: &[u8], after: &mut Out<u8>) -> Result<Traffic> {
        let packed = self
            .pack(comm, bytes, before)
            .and_then(|parcels| Ok((parcels, self.sizes(comm, bytes)?)));
        let (parcels, sizes) = agree(comm, packed)?;
        let mut traffic = Traffic::default();
        let came = deliver_known(comm, parcels, sizes.into_iter(), &mut traffic)?;
        for (rank, places) in &self.receives {
            for (element, &place) in came[*rank].bytes.chunks_exact(bytes).zip(places) {
                after.write_all(place as usize * bytes, element);
            }
        }
        Ok(traffic)
    }

    /// The bytes for each rank of a field that has `bytes` for each point.
    fn pack(&self, comm: &Comm, bytes: usize, before: &[u8]) -> Result<Vec<Mail>> {
        let mut parcels = for_each_rank(comm)?;
        for (rank, points) in &self.sends {
            let mut packed = with_capacity(points.len() * bytes, "fields to send")?;
            for &point in points {
                let at = point as usize * bytes;
                packed.extend_from_slice(&before[at..at + bytes]);
            }
            parcels[*rank].bytes = packed;
        }
        Ok(parcels)
    }

    /// Bytes that come from each rank.
    fn sizes(&self, comm: &Comm, bytes: usize) -> Result<Vec<usize>> {
        let mut sizes = filled(comm.size(), 0, WHAT)?;
        let came = self.receives.iter();
        came.for_each(|(rank, places)| sizes[*rank] = places.len() * bytes);
        Ok(sizes)
    }
}
