//! Migration: points move to ranks so that each rank has the same number, near each other in space.
//!
//! in: points of this rank, distributed in any way; out: which of them go where. The points are ordered along a space-filling
//! curve, by key and then by global id, and cut into as many equal parts as there are ranks. There are four steps, each with an
//! agreement. First all ranks learn the box around all points. Then the key of each point goes to the rank that a sample of all
//! keys selects (sample sort), and this rank finds the places of its keys by counting. It sends them to the owners of the
//! points, which then inform the ranks that receive the points.

use crate::agree::{agree, agree_on};
use crate::boxes::Tight;
use crate::comm::Comm;
use crate::curve::Curve;
use crate::error::{Error, Result, reserve, room, status};
use crate::halo::check_field;
use crate::output::Output;
use crate::parcels::{deliver, deliver_known};
use crate::points::{Domain, Given, Real, place};
use crate::search::Search;
use crate::stats::Traffic;

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
    pub dim: usize,
    pub coords: &'a [T],
    /// None: points are ordered as they are, rank by rank.
    pub ids: Option<&'a [i64]>,
    pub domain: &'a Domain,
    /// The place where numbers of points start, in messages.
    pub base: i64,
}

/// Plans a migration; collective. What it sent, beside it.
pub fn plan<C: Comm, T: Real>(comm: &C, crowd: &Crowd<T>) -> Result<(Migration, Traffic)> {
    let mut traffic = Traffic::default();
    let placed = agree(comm, place(crowd.dim, crowd.coords, crowd.domain, crowd.base))?;
    let counts = counts(comm, placed.len() as u64)?;
    let shares = Shares {
        total: counts.iter().sum(),
        ranks: comm.size() as u64,
    };
    shares.check()?;
    check_ids(comm, &counts, crowd.ids)?;
    let curve = Curve::new(crowd.dim, &bounds(comm, placed.iter().map(|placed| &placed.at))?);
    let first: u64 = counts[..comm.rank()].iter().sum();
    let id = |point: u32| match crowd.ids {
        Some(ids) => ids[point as usize] as u64 ^ (1 << 63), // as unsigned numbers in the same order
        None => first + u64::from(point),
    };
    let keyed = room(placed.len(), "the keys").map(|mut keyed: Vec<Keyed>| {
        keyed.extend(placed.iter().map(|p| ([curve.key(&p.at), id(p.point)], p.point)));
        keyed.sort_unstable();
        keyed
    });
    let keyed = agree(comm, keyed)?;
    drop(placed);
    let cuts = cuts(comm, &keyed, shares.total)?;
    let sizes: Vec<usize> = cuts.windows(2).map(|cut| cut[1] - cut[0]).collect();
    let parcels = agree(comm, parcels(&keyed, &cuts))?;
    let came = deliver(comm, parcels, &mut traffic)?;
    let ranked = agree(comm, rank_keys(&came))?;
    let before_mine = self::counts(comm, ranked.len() as u64)?[..comm.rank()].iter().sum();
    let replies = agree(comm, replies(&came, &ranked, before_mine))?;
    let places = deliver_known(comm, replies, sizes.iter().map(|size| 8 * size), &mut traffic)?;
    let (sends, parcels) = agree(comm, destinations(&keyed, &places, &shares))?;
    let came = deliver(comm, parcels, &mut traffic)?;
    let receives = agree(comm, arrivals(&came))?;
    let me = comm.rank() as u64;
    let after = (shares.start(me + 1) - shares.start(me)) as usize;
    let before = crowd.coords.len() / crowd.dim;
    Ok((
        Migration {
            before,
            after,
            sends,
            receives,
        },
        traffic,
    ))
}

/// A number of each rank.
fn counts<C: Comm>(comm: &C, mine: u64) -> Result<Vec<u64>> {
    let all = comm.all_gather(&mine.to_ne_bytes())?;
    Ok(all.iter().map(|bytes| bytemuck::pod_read_unaligned(bytes)).collect())
}

/// The box around all points of all ranks; any if there are none.
fn bounds<'a, C: Comm>(comm: &C, points: impl Iterator<Item = &'a [f64; 3]>) -> Result<Tight> {
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
fn cuts<C: Comm>(comm: &C, keyed: &[Keyed], total: u64) -> Result<Vec<usize>> {
    let ranks = comm.size();
    let step = (total / (SAMPLES * ranks as u64)).max(1) as usize;
    let mut sample: Vec<Key> = Vec::new();
    let local = reserve(&mut sample, keyed.len() / step + 1, "a sample of all keys");
    agree(comm, local)?;
    sample.extend(keyed.iter().skip(step / 2).step_by(step).map(|&(key, _)| key));
    let all = comm.all_gather(bytemuck::cast_slice(&sample))?;
    let sorted = room(all.iter().map(|bytes| bytes.len() / 16).sum(), "a sample of all keys").map(|mut sorted| {
        sorted.extend(all.iter().flat_map(|bytes| keys(bytes)));
        sorted.sort_unstable();
        sorted
    });
    let sorted = agree(comm, sorted)?;
    let cut = |rank: usize| match sorted.get(rank * sorted.len() / ranks) {
        Some(splitter) if rank > 0 => keyed.partition_point(|(key, _)| key < splitter),
        _ if rank == 0 => 0,
        _ => keyed.len(),
    };
    Ok((0..ranks).map(cut).chain([keyed.len()]).collect())
}

fn keys(bytes: &[u8]) -> impl Iterator<Item = Key> {
    bytes.chunks_exact(size_of::<Key>()).map(bytemuck::pod_read_unaligned)
}

fn parcels(keyed: &[Keyed], cuts: &[usize]) -> Result<Vec<Vec<u8>>> {
    let parcel = |cut: &[usize]| {
        let mut bytes = room((cut[1] - cut[0]) * size_of::<Key>(), "keys to send")?;
        let part = &keyed[cut[0]..cut[1]];
        part.iter()
            .for_each(|(key, _)| bytes.extend_from_slice(bytemuck::bytes_of(key)));
        Ok(bytes)
    };
    cuts.windows(2).map(parcel).collect()
}

/// The keys that came, sorted, each with the rank it came from and its number in that parcel. Keys that are the same are in the
/// order of their ranks, and of their points there.
fn rank_keys(came: &[Vec<u8>]) -> Result<Vec<(Key, u32, u32)>> {
    let mut ranked = room(
        came.iter().map(|bytes| bytes.len() / 16).sum(),
        "the keys of other ranks",
    )?;
    for (rank, bytes) in (0..).zip(came) {
        ranked.extend(keys(bytes).zip(0..).map(|(key, number)| (key, rank, number)));
    }
    ranked.sort_unstable();
    Ok(ranked)
}

/// The place among all of each key that came, for the ranks that they came from.
fn replies(came: &[Vec<u8>], ranked: &[(Key, u32, u32)], first: u64) -> Result<Vec<Vec<u8>>> {
    let mut replies = room(came.len(), "the places of keys")?;
    for bytes in came {
        replies.push(room(bytes.len() / 2, "the places of keys")?);
    }
    // keys of one rank come sorted, and stay in their order
    for (&(_, rank, _), place) in ranked.iter().zip(first..) {
        replies[rank as usize].extend_from_slice(&place.to_ne_bytes());
    }
    Ok(replies)
}

/// Refuses ids on some ranks with points and not on others: all find that out alike.
fn check_ids<C: Comm>(comm: &C, counts: &[u64], ids: Option<&[i64]>) -> Result<()> {
    let given = self::counts(comm, ids.is_some().into())?;
    let rank_where = |flag: u64| (0..counts.len()).find(|&rank| counts[rank] > 0 && given[rank] == flag);
    match (rank_where(1), rank_where(0)) {
        (Some(with), Some(without)) => {
            let text = format!(
                "global ids are given on rank {with} and not on rank {without}: all ranks that have points must give them, or none"
            );
            Err(Error::new(status::DISAGREEMENT, text))
        }
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
        match self.total.div_ceil(self.ranks) <= i32::MAX as u64 {
            true => Ok(()),
            false => {
                let text = format!(
                    "{} points on {} ranks are too many: a rank can have at most 2147483647",
                    self.total, self.ranks
                );
                Err(Error::new(status::BAD_COUNT, text))
            }
        }
    }

    /// The first place of a rank.
    fn start(&self, rank: u64) -> u64 {
        (u128::from(self.total) * u128::from(rank) / u128::from(self.ranks)) as u64
    }
}

/// The ranks that get points, and the places of these there, as that travels.
fn destinations(keyed: &[Keyed], places: &[Vec<u8>], shares: &Shares) -> Result<(Vec<Part>, Vec<Vec<u8>>)> {
    let mut ascending: Vec<u64> = room(keyed.len(), "the places of keys")?;
    ascending.extend(
        places
            .iter()
            .flat_map(|bytes| bytes.chunks_exact(8))
            .map(bytemuck::pod_read_unaligned::<u64>),
    );
    let (mut sends, mut parcels, mut done) = (Vec::new(), Vec::new(), 0);
    for rank in 0..shares.ranks {
        let (start, end) = (shares.start(rank), shares.start(rank + 1));
        let count = ascending[done..].partition_point(|&place| place < end);
        let (mut points, mut bytes) = (room(count, "the migration")?, room(4 * count, "the migration")?);
        points.extend(keyed[done..done + count].iter().map(|&(_, point)| point));
        for place in &ascending[done..done + count] {
            bytes.extend_from_slice(&((place - start) as u32).to_ne_bytes());
        }
        if count > 0 {
            sends.push((rank as usize, points));
        }
        parcels.push(bytes);
        done += count;
    }
    Ok((sends, parcels))
}

/// The ranks that give points, and the place of each.
fn arrivals(came: &[Vec<u8>]) -> Result<Vec<Part>> {
    let mut receives = Vec::new();
    for (rank, bytes) in came.iter().enumerate().filter(|(_, bytes)| !bytes.is_empty()) {
        let mut places = room(bytes.len() / 4, "the migration")?;
        places.extend(bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned::<u32>));
        receives.push((rank, places));
    }
    Ok(receives)
}

impl Migration {
    /// The bytes for each rank of a field that has `bytes` for each point.
    fn pack(&self, ranks: usize, bytes: usize, before: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut parcels = vec![Vec::new(); ranks];
        for (rank, points) in &self.sends {
            let mut packed = room(points.len() * bytes, "fields to send")?;
            for &point in points {
                let at = point as usize * bytes;
                packed.extend_from_slice(&before[at..at + bytes]);
            }
            parcels[*rank] = packed;
        }
        Ok(parcels)
    }

    /// Bytes that come from each rank.
    fn sizes(&self, ranks: usize, bytes: usize) -> Vec<usize> {
        let mut sizes = vec![0; ranks];
        self.receives
            .iter()
            .for_each(|(rank, places)| sizes[*rank] = places.len() * bytes);
        sizes
    }

    /// Puts what came where it belongs.
    fn unpack(&self, bytes: usize, came: &[Vec<u8>], after: &mut Output<u8>) {
        for (rank, places) in &self.receives {
            for (element, &place) in came[*rank].chunks_exact(bytes).zip(places) {
                after.write(place as usize * bytes, element);
            }
        }
    }
}

impl<C: Comm> Search<C> {
    /// Plans a migration that gives each rank the same number of points, or one more, near each other in space. Returns the
    /// number of points that this rank will have. The points of the search do not change. Collective.
    pub fn plan_migration<T: Real>(&mut self, asked: Result<Given<T>>) -> Result<usize> {
        let (base, domain) = (i64::from(self.base()), self.domain());
        let local = self.admit(asked).and_then(|given| {
            self.check_idle()?;
            self.check_given(&given)?;
            check_axes(&domain, given.dim)?;
            Ok(given)
        });
        let dim = local.as_ref().map_or(0, |given| given.dim);
        let facts = [
            ("plan_migration", String::new()),
            ("dim", dim.to_string()),
            ("precision", T::NAME.to_owned()),
            ("box", format!("{domain:?}")),
        ];
        let (given, _) = agree_on(&self.comm, local, true, &facts)?;
        let crowd = Crowd {
            dim,
            coords: &given.coords,
            ids: given.ids,
            domain: &domain,
            base,
        };
        let (migration, traffic) = plan(&self.comm, &crowd)?;
        let after = migration.after;
        (self.migration, self.migrated) = (Some(migration), traffic);
        Ok(after)
    }

    /// Moves a field of the points that the migration was planned for, `bytes` for each, to their new ranks. Collective.
    pub fn migrate(&mut self, asked: Result<(usize, &[u8], Output<u8>)>) -> Result<()> {
        let asked = self.admit(asked);
        let bytes = asked.as_ref().map_or(0, |(bytes, _, _)| *bytes);
        let ranks = self.comm.size();
        let local = asked.and_then(|(bytes, before, after)| {
            self.check_idle()?;
            let migration = self
                .migration
                .as_ref()
                .ok_or_else(|| Error::new(status::BAD_STATE, "no migration planned yet: first call plan_migration"))?;
            check_field(before.len(), bytes, migration.before)?;
            check_field(after.len(), bytes, migration.after)?;
            Ok((migration, migration.pack(ranks, bytes, before)?, after))
        });
        let facts = [("migrate", String::new()), ("bytes of an element", bytes.to_string())];
        let ((migration, parcels, mut after), _) = agree_on(&self.comm, local, true, &facts)?;
        let mut traffic = Traffic::default();
        let sizes = migration.sizes(ranks, bytes);
        let came = deliver_known(&self.comm, parcels, sizes.into_iter(), &mut traffic)?;
        migration.unpack(bytes, &came, &mut after);
        self.migrated = traffic;
        Ok(())
    }

    /// The number of points of this rank before and after the planned migration; 0 if none is planned. Not collective.
    pub fn migration_counts(&self) -> [usize; 2] {
        self.migration
            .as_ref()
            .map_or([0; 2], |migration| [migration.before, migration.after])
    }
}

/// Refuses a box of other axes than the points'.
fn check_axes(domain: &Domain, dim: usize) -> Result<()> {
    if domain.periodic.contains(&true) && domain.periodic.len() != dim {
        let text = format!(
            "the points have dimension {dim} and the periodic box has dimension {}: both must be the same",
            domain.periodic.len()
        );
        return Err(Error::new(status::BAD_DIM, text));
    }
    Ok(())
}
