//! Friends-of-friends groups over all ranks. A label is the smallest global id of a group.
//!
//! Each rank finds the groups of its points and ghosts. A group without ghosts is complete. For the others, each rank sends the
//! labels of its points to the ranks that have ghosts of them. Two labels of one group mean the same group, and the smaller one
//! is passed on, until no rank receives a new label. Ranks unite labels, not points: a group that crosses between two ranks
//! many times is one group after the first round.
//!
//! Points that link nothing join the group of the nearest point that links, on their own rank, which has that point. There they may be the
//! smallest of the group, and the rank of that point has to know. So ranks also pass on smaller labels to the rank that a label came from.

mod seats;

use std::collections::HashMap;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

use seats::{Seat, Seats, reserve};

use super::agree::agree;
use super::cloud::Cloud;
use super::comm::{Comm, Mail};
use super::mail::{Reader, deliver};
use super::plan::Plan;
use super::stats::Traffic;
use super::team::pieces;
use crate::error::Result;
use crate::memory::{filled, push, reserve_keeping, resize_keeping, with_capacity};
use crate::points::{Precision, Real};
use crate::search::Search;
use crate::threads::Team;

const WHAT: &str = "the groups of points";

/// The ids of points and ghosts, and what they are to ranks.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    pub plan: &'a Plan,
    /// Ids of this rank's points.
    pub own: &'a [i64],
    /// Ids of the ghosts, and the ranks that own them.
    pub ghosts: &'a [i64],
    pub ranks: &'a [i32],
    /// Points of some types link nothing and join the groups of others.
    pub attaches: bool,
}

impl Known<'_> {
    /// The id of a point or ghost.
    fn id(&self, point: usize) -> i64 {
        match point.checked_sub(self.own.len()) {
            Some(ghost) => self.ghosts[ghost],
            None => self.own[point],
        }
    }
}

/// The group of each point of this rank.
#[derive(Debug)]
pub struct Friends {
    /// For each point, the smallest global id of its group.
    pub labels: Vec<i64>,
    /// Groups over all ranks, including groups of a single point.
    pub groups: i64,
    /// The places of the labels of groups that have ghosts.
    pub seats: Seats,
    /// Rounds in which ranks exchanged labels.
    pub rounds: i64,
    pub traffic: Traffic,
}

/// Finds the groups of the points of `search`, which has its ghosts within the cutoff. Collective. `spare` is memory of earlier labels.
pub fn find<T: Precision>(comm: &Comm, search: &mut Search, known: &Known, spare: Vec<i64>) -> Result<Friends> {
    let prepared = search.prepare_groups();
    let search = &*search;
    let ghosts = if known.own.is_empty() { 0 } else { known.ghosts.len() };
    let local = prepared.and_then(|()| {
        let (points, team) = (search.held::<T>()?, search.team_for(known.own.len())?);
        let local = LocalGroups::new(known, search.labels(), search.index_base() as i32)?;
        let cloud = Cloud::new(points, 0..known.own.len() + ghosts);
        let merging = Merging::begin(known, &cloud, &local, comm.rank())?;
        Ok((local, merging, team))
    });
    let (local, mut merging, team) = agree(comm, local)?;
    merging.first_round(comm, known, &local)?;
    while merging.next_round(comm)? {}
    let (labels, own) = agree(comm, merging.labels(known, &local, spare, &team))?;
    let counts = comm.all_gather(&own.to_ne_bytes())?;
    let counts = counts.iter().map(bytemuck::pod_read_unaligned::<i64>);
    Ok(Friends {
        labels,
        groups: counts.sum(),
        seats: merging.seats,
        rounds: merging.rounds,
        traffic: merging.traffic,
    })
}

/// Groups among this rank's points and ghosts.
struct LocalGroups<'a> {
    /// For each point and ghost the number of a point of its group; without ghosts in it, that of the smallest id.
    names: &'a [i32],
    base: i32,
    /// Those that name groups of which other ranks may have points, a bit each; and the place of the smallest id in these.
    crosses: Vec<u64>,
    leaders: HashMap<u32, u32>,
}

impl LocalGroups<'_> {
    fn new<'a>(known: &Known, names: &'a [i32], base: i32) -> Result<LocalGroups<'a>> {
        let mut local = LocalGroups {
            names,
            base,
            crosses: filled(names.len().div_ceil(64), 0u64, WHAT)?,
            leaders: HashMap::new(),
        };
        reserve(&mut local.leaders, names.len() - known.own.len(), WHAT)?;
        (known.own.len()..names.len()).for_each(|ghost| local.cross(known, ghost));
        // A point of another rank may join any group that is near it.
        for (_, points) in known.plan.sends.iter().filter(|_| known.attaches) {
            reserve(&mut local.leaders, points.len(), WHAT)?;
            points.iter().for_each(|&point| local.cross(known, point as usize));
        }
        Ok(local)
    }

    /// Notes that there is a point in its group that other ranks know. There is room.
    fn cross(&mut self, known: &Known, point: usize) {
        let name = self.name(point);
        self.crosses[name / 64] |= 1 << (name % 64);
        let leader = self.leaders.entry(name as u32).or_insert(name as u32);
        if known.id(point) < known.id(*leader as usize) {
            *leader = point as u32;
        }
    }

    fn name(&self, point: usize) -> usize {
        (self.names[point] - self.base) as usize
    }

    /// The place of the smallest id in the group of a point, if other ranks may have points of it.
    fn crossing(&self, point: usize) -> Option<usize> {
        let name = self.name(point);
        let crosses = self.crosses[name / 64] >> (name % 64) & 1 == 1;
        crosses.then(|| self.leaders[&(name as u32)] as usize)
    }
}

/// Labels on their way to what they will be.
struct Merging {
    seats: Seats,
    /// Ranks that have ghosts of this rank's points, and the labels sent to them last.
    told: Vec<(usize, Vec<i64>)>,
    rounds: i64,
    traffic: Traffic,
}

impl Merging {
    fn begin<T: Real>(known: &Known, cloud: &Cloud<T>, local: &LocalGroups, me: usize) -> Result<Merging> {
        let mut seats = Seats::default();
        for name in local.leaders.values().map(|&name| name as usize) {
            let rank = match name.checked_sub(known.own.len()) {
                Some(ghost) => known.ranks[ghost],
                None => me as i32,
            };
            let at = cloud.at(name);
            seats.add(known.id(name), Seat { rank, at })?;
        }
        let mut told = with_capacity(known.plan.sends.len(), WHAT)?;
        for (rank, points) in &known.plan.sends {
            let mut labels = with_capacity(points.len(), WHAT)?;
            let names = points.iter().filter_map(|&point| local.crossing(point as usize));
            labels.extend(names.map(|name| known.id(name)));
            labels.sort_unstable();
            labels.dedup();
            told.push((*rank, labels));
        }
        Ok(Merging {
            seats,
            told,
            rounds: 0,
            traffic: Traffic::default(),
        })
    }

    /// Sends the owners' labels of ghosts: how many labels, each with its seat; which ghosts, by their place among those of the
    /// receiver that this rank owns, and which label each has. Collective.
    fn first_round(&mut self, comm: &Comm, known: &Known, local: &LocalGroups) -> Result<()> {
        let out = agree(comm, self.first_mails(known, local))?;
        let came = deliver(comm, out, &mut self.traffic)?;
        self.rounds += 1;
        agree(comm, self.learn_first(&came, known, local))
    }

    fn first_mails(&self, known: &Known, local: &LocalGroups) -> Result<Vec<Mail>> {
        let mut out = with_capacity(self.told.len(), WHAT)?;
        let told = known.plan.sends.iter().zip(&self.told);
        for ((rank, points), (_, labels)) in told.filter(|(_, (_, labels))| !labels.is_empty()) {
            let mut bytes = with_capacity(8 + labels.len() * Seats::BYTES + points.len() * 8, WHAT)?;
            bytes.extend_from_slice(&(labels.len() as u64).to_ne_bytes());
            labels.iter().for_each(|&label| self.seats.write(label, &mut bytes));
            for (place, &point) in (0u32..).zip(points) {
                if let Some(name) = local.crossing(point as usize) {
                    let label = labels.partition_point(|&label| label < known.id(name)) as u32;
                    bytes.extend_from_slice(bytemuck::bytes_of(&[place, label]));
                }
            }
            out.push(Mail { rank: *rank, bytes });
        }
        Ok(out)
    }

    fn learn_first(&mut self, came: &[Mail], known: &Known, local: &LocalGroups) -> Result<()> {
        let mut first = known.own.len();
        if known.own.is_empty() {
            return Ok(()); // it has no groups
        }
        for &(rank, count) in &known.plan.receives {
            if let Some(mail) = came.iter().find(|mail| mail.rank == rank) {
                let mut reader = Reader(&mail.bytes);
                let told = reader.one::<u64>() as usize;
                let mut labels = with_capacity(told, WHAT)?;
                for _ in 0..told {
                    labels.push(self.seats.read(&mut reader)?);
                }
                if known.attaches {
                    self.tell(rank, &labels)?;
                }
                let pairs = reader.0.len() / size_of::<[u32; 2]>();
                for [place, label] in reader.take::<[u32; 2]>(pairs) {
                    if let Some(name) = local.crossing(first + place as usize) {
                        self.seats.unite(known.id(name), labels[label as usize]);
                    }
                }
            }
            first += count;
        }
        Ok(())
    }

    /// Has a rank learn of what becomes of labels that came from it.
    fn tell(&mut self, rank: usize, labels: &[i64]) -> Result<()> {
        if let Some((_, told)) = self.told.iter_mut().find(|(other, _)| *other == rank) {
            let len = told.len() + labels.len();
            reserve_keeping(told, len, WHAT)?;
            told.extend_from_slice(labels);
            told.sort_unstable();
            told.dedup();
        }
        Ok(())
    }

    /// Sends labels that have changed since they were last sent, if any rank has some. Collective.
    fn next_round(&mut self, comm: &Comm) -> Result<bool> {
        let news = agree(comm, self.news())?;
        let mut is_quiet = [i64::from(news.is_empty())];
        comm.min(&mut is_quiet)?;
        if is_quiet[0] == 1 {
            return Ok(false);
        }
        let came = deliver(comm, news, &mut self.traffic)?;
        self.rounds += 1;
        agree(comm, self.learn(&came))?;
        Ok(true)
    }

    /// For each rank, the labels sent to it that have changed since: the old one, and the seat of the new one.
    fn news(&mut self) -> Result<Vec<Mail>> {
        let mut out = Vec::new();
        for (rank, labels) in &mut self.told {
            let mut bytes = Vec::new();
            for label in labels.iter_mut() {
                let now = self.seats.find(*label);
                if now != *label {
                    let len = bytes.len() + 8 + Seats::BYTES;
                    reserve_keeping(&mut bytes, len, WHAT)?;
                    bytes.extend_from_slice(&label.to_ne_bytes());
                    self.seats.write(now, &mut bytes);
                    *label = now;
                }
            }
            labels.sort_unstable();
            labels.dedup();
            if !bytes.is_empty() {
                push(&mut out, Mail { rank: *rank, bytes }, WHAT)?;
            }
        }
        Ok(out)
    }

    fn learn(&mut self, came: &[Mail]) -> Result<()> {
        for mail in came {
            let mut reader = Reader(&mail.bytes);
            while !reader.0.is_empty() {
                let old = reader.one::<i64>();
                let now = self.seats.read(&mut reader)?;
                self.seats.unite(old, now);
            }
        }
        Ok(())
    }

    /// The labels of this rank's points, in the memory of `labels`, and how many points are their own.
    fn labels(
        &mut self,
        known: &Known,
        local: &LocalGroups,
        mut labels: Vec<i64>,
        team: &Team,
    ) -> Result<(Vec<i64>, i64)> {
        let mut found: HashMap<i64, i64> = HashMap::new();
        reserve(&mut found, local.leaders.len(), WHAT)?;
        let crossing = local.leaders.values().map(|&name| known.id(name as usize));
        found.extend(crossing.map(|id| (id, self.seats.find(id))));
        resize_keeping(&mut labels, known.own.len(), 0, WHAT)?;
        let own = AtomicI64::new(0);
        pieces(team, &mut labels, 1 << 13, |first, piece| {
            let mut mine = 0;
            for (point, label) in (first..).zip(piece) {
                *label = match local.crossing(point) {
                    Some(name) => found[&known.id(name)],
                    None => known.id(local.name(point)),
                };
                mine += i64::from(*label == known.id(point));
            }
            own.fetch_add(mine, Relaxed);
        });
        Ok((labels, own.into_inner()))
    }
}
