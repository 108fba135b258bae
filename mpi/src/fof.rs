//! Friends-of-friends groups over all ranks. A label is the smallest global id of a group.
//!
//! Each rank finds the groups of its points and ghosts. A group without ghosts is complete. For the others, each rank sends the
//! labels of its points to the ranks that have ghosts of them. Two labels of one group mean the same group, and the smaller one
//! is passed on, until no rank receives a new label. Ranks unite labels, not points: a group that crosses between two ranks
//! many times is one group after the first round.

mod seats;

use std::collections::HashMap;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

use seats::Seat;
pub(crate) use seats::Seats;

use crate::agree::{agree, agree_on};
use crate::comm::{Comm, Mail};
use crate::error::{Error, Result, filled, reserve, resize, room, status};
use crate::groups::Catalogue;
use crate::held::{Held, no_points};
use crate::mail::{Reader, deliver};
use crate::plan::Plan;
use crate::points::{Coords, Real};
use crate::search::Search;
use crate::stats::Traffic;
use crate::supply::Need;
use crate::team::Team;

const WHAT: &str = "the groups of points";
const NO_ROOM: &str = "out of memory: the groups that have ghosts cannot be kept";

/// The group of each of this rank's points.
#[derive(Clone, Copy, Debug)]
pub struct Fof<'a> {
    /// For each point, the smallest global id of its group.
    pub labels: &'a [i64],
    /// Number of groups over all ranks, including groups of a single point.
    pub groups: i64,
}

/// The result for the current points and settings.
#[derive(Debug)]
pub(crate) struct Friends {
    pub labels: Vec<i64>,
    pub groups: i64,
    /// The places of the labels of groups that have ghosts.
    pub seats: Seats,
    pub rounds: i64,
    pub traffic: Traffic,
}

/// Groups and their catalogue, for the current points and settings.
#[derive(Debug, Default)]
pub(crate) struct Clusters {
    pub friends: Option<Friends>,
    pub groups: Option<Catalogue>,
}

impl<C: Comm> Search<C> {
    /// Finds the groups of this rank's points. Collective.
    pub fn fof(&mut self, asked: Result<()>) -> Result<Fof<'_>> {
        self.prepare_plan("fof", asked)?;
        self.find_friends()?;
        self.held_fof()
    }

    /// The groups found last. Not collective.
    pub fn held_fof(&self) -> Result<Fof<'_>> {
        let friends = self.clusters.friends.as_ref().ok_or_else(no_points)?;
        Ok(Fof {
            labels: &friends.labels,
            groups: friends.groups,
        })
    }

    /// Finds the groups where they are not there yet; collective.
    pub(crate) fn find_friends(&mut self) -> Result<()> {
        let (_, is_there) = agree_on(&self.comm, Ok(()), self.clusters.friends.is_some(), &[])?;
        if is_there {
            return Ok(());
        }
        self.forget_clusters();
        let supplied = self.supply(Need::Groups).and_then(|()| self.team(self.owned()));
        let team = agree(&self.comm, supplied)?;
        let (Some(held), Some(plan)) = (&self.held, &self.plan) else {
            return Err(no_points());
        };
        let base = self.settings.base;
        let local = self.core.fof().and_then(|labels| LocalGroups::new(held, labels, base));
        let local = agree(&self.comm, local)?;
        let mut merging = agree(&self.comm, Merging::begin(held, plan, &local, self.comm.rank()))?;
        merging.first_round(&self.comm, held, plan, &local)?;
        while merging.next_round(&self.comm)? {}
        let spare = std::mem::take(&mut self.spare.labels);
        let (labels, own) = agree(&self.comm, merging.labels(held, &local, spare, &team))?;
        let counts = self.comm.all_gather(&own.to_ne_bytes())?;
        let groups = counts
            .iter()
            .map(|bytes| bytemuck::pod_read_unaligned::<i64>(bytes))
            .sum();
        self.clusters.friends = Some(Friends {
            labels,
            groups,
            seats: merging.seats,
            rounds: merging.rounds,
            traffic: merging.traffic,
        });
        Ok(())
    }
}

/// Groups among this rank's points and ghosts.
struct LocalGroups<'a> {
    /// For each point and ghost the number of a point of its group; without ghosts in it, that of the smallest id.
    names: &'a [i32],
    base: i32,
    /// Those that name groups with ghosts, a bit each; and the place of the smallest id in these.
    crosses: Vec<u64>,
    leaders: HashMap<u32, u32>,
}

impl LocalGroups<'_> {
    fn new<'a>(held: &Held, names: &'a [i32], base: i32) -> Result<LocalGroups<'a>> {
        let mut local = LocalGroups {
            names,
            base,
            crosses: filled(names.len().div_ceil(64), 0, WHAT)?,
            leaders: HashMap::new(),
        };
        let ghosts = names.len() - held.owned;
        (local.leaders.try_reserve(ghosts)).map_err(|_| Error::new(status::OUT_OF_MEMORY, NO_ROOM))?;
        for ghost in held.owned..names.len() {
            let name = local.name(ghost);
            local.crosses[name / 64] |= 1 << (name % 64);
            let leader = local.leaders.entry(name as u32).or_insert(name as u32);
            if held.ids[ghost] < held.ids[*leader as usize] {
                *leader = ghost as u32;
            }
        }
        Ok(local)
    }

    fn name(&self, point: usize) -> usize {
        (self.names[point] - self.base) as usize
    }

    /// The place of the smallest id in the group of a point, if there is a ghost in it.
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
    fn begin(held: &Held, plan: &Plan, local: &LocalGroups, me: usize) -> Result<Merging> {
        let mut seats = Seats::default();
        for name in local.leaders.values().map(|&name| name as usize) {
            let rank = match name.checked_sub(held.owned) {
                Some(ghost) => held.ranks[ghost],
                None => me as i32,
            };
            seats.add(
                held.ids[name],
                Seat {
                    rank,
                    at: position(held, name),
                },
            )?;
        }
        let mut told = Vec::with_capacity(plan.sends.len());
        for (rank, points) in &plan.sends {
            let mut labels = room(points.len(), WHAT)?;
            let names = points.iter().filter_map(|&point| local.crossing(point as usize));
            labels.extend(names.map(|name| held.ids[name]));
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
    fn first_round<C: Comm>(&mut self, comm: &C, held: &Held, plan: &Plan, local: &LocalGroups) -> Result<()> {
        let mut out = Vec::with_capacity(plan.sends.len());
        let mut write = || -> Result<()> {
            for ((rank, points), (_, labels)) in plan.sends.iter().zip(&self.told) {
                let mut bytes = room(8 + labels.len() * Seats::BYTES + points.len() * 8, WHAT)?;
                if labels.is_empty() {
                    continue;
                }
                bytes.extend_from_slice(&(labels.len() as u64).to_ne_bytes());
                labels.iter().for_each(|&label| self.seats.write(label, &mut bytes));
                for (place, &point) in (0u32..).zip(points) {
                    if let Some(name) = local.crossing(point as usize) {
                        let label = labels.partition_point(|&label| label < held.ids[name]) as u32;
                        bytes.extend_from_slice(bytemuck::bytes_of(&[place, label]));
                    }
                }
                out.push(Mail { rank: *rank, bytes });
            }
            Ok(())
        };
        let written = write();
        agree(comm, written)?;
        let came = deliver(comm, std::mem::take(&mut out), &mut self.traffic)?;
        self.rounds += 1;
        agree(comm, self.learn_first(&came, held, plan, local))
    }

    fn learn_first(&mut self, came: &[Mail], held: &Held, plan: &Plan, local: &LocalGroups) -> Result<()> {
        let mut first = held.owned;
        for &(rank, count) in &plan.receives {
            if let Some(mail) = came.iter().find(|mail| mail.rank == rank) {
                let mut reader = Reader(&mail.bytes);
                let told = reader.one::<u64>() as usize;
                let mut labels = room(told, WHAT)?;
                for _ in 0..told {
                    labels.push(self.seats.read(&mut reader)?);
                }
                let pairs = reader.0.len() / size_of::<[u32; 2]>();
                for [place, label] in reader.take::<[u32; 2]>(pairs) {
                    if let Some(name) = local.crossing(first + place as usize) {
                        self.seats.unite(held.ids[name], labels[label as usize]);
                    }
                }
            }
            first += count;
        }
        Ok(())
    }

    /// Sends labels that have changed since they were last sent, if any rank has some. Collective.
    fn next_round<C: Comm>(&mut self, comm: &C) -> Result<bool> {
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
                    reserve(&mut bytes, 8 + Seats::BYTES, WHAT)?;
                    bytes.extend_from_slice(&label.to_ne_bytes());
                    self.seats.write(now, &mut bytes);
                    *label = now;
                }
            }
            labels.sort_unstable();
            labels.dedup();
            if !bytes.is_empty() {
                out.push(Mail { rank: *rank, bytes });
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
        held: &Held,
        local: &LocalGroups,
        mut labels: Vec<i64>,
        team: &Team,
    ) -> Result<(Vec<i64>, i64)> {
        let crossing = local.leaders.values().map(|&name| held.ids[name as usize]);
        let mut found: HashMap<i64, i64> = HashMap::new();
        (found.try_reserve(crossing.len())).map_err(|_| Error::new(status::OUT_OF_MEMORY, NO_ROOM))?;
        found.extend(crossing.map(|id| (id, self.seats.find(id))));
        labels.truncate(held.owned);
        resize(&mut labels, held.owned, 0, WHAT)?;
        let own = AtomicI64::new(0);
        team.pieces(&mut labels, 1 << 13, |first, piece| {
            let mut mine = 0;
            for (point, label) in (first..).zip(piece) {
                *label = match local.crossing(point) {
                    Some(name) => found[&held.ids[name]],
                    None => held.ids[local.name(point)],
                };
                mine += i64::from(*label == held.ids[point]);
            }
            own.fetch_add(mine, Relaxed);
        });
        Ok((labels, own.into_inner()))
    }
}

/// The place of a point, as its owner gave it.
fn position(held: &Held, point: usize) -> [f64; 3] {
    let at = point * held.dim..(point + 1) * held.dim;
    let mut position = [0.0; 3];
    match &held.coords {
        Coords::F32(coords) => position.iter_mut().zip(&coords[at]).for_each(|(c, x)| *c = x.to_f64()),
        Coords::F64(coords) => position.iter_mut().zip(&coords[at]).for_each(|(c, x)| *c = *x),
    }
    position
}
