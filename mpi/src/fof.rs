//! Groups of friends of friends over all ranks: labels are the smallest global ids.
//!
//! Each rank finds the groups of its points and ghosts. A group without ghosts is complete. Of the others, ranks tell those that
//! have ghosts of their points which label these have; what two labels a group has are the same group, and the smaller one is
//! told on, until nobody learns anything new. A rank unites labels, not points: a group that crosses between two ranks many
//! times is one after the first round.

mod seats;

use seats::Seat;
pub(crate) use seats::Seats;

use crate::agree::{agree, agree_on};
use crate::comm::{Comm, Mail};
use crate::error::{Result, filled, reserve, room};
use crate::groups::Catalogue;
use crate::held::{Held, no_points};
use crate::mail::{Reader, deliver};
use crate::plan::Plan;
use crate::points::{Coords, Real};
use crate::search::Search;
use crate::stats::Traffic;

const WHAT: &str = "the groups of points";

/// Which group each of this rank's points is in.
#[derive(Clone, Copy, Debug)]
pub struct Fof<'a> {
    /// The smallest global id of its group.
    pub labels: &'a [i64],
    /// Number of groups over all ranks, points alone among them.
    pub groups: i64,
}

/// What was found for the points and settings of now.
#[derive(Debug)]
pub(crate) struct Friends {
    pub labels: Vec<i64>,
    pub groups: i64,
    /// Where the labels are of groups that ghosts are in.
    pub seats: Seats,
    pub rounds: i64,
    pub traffic: Traffic,
}

/// Groups and their catalogue, for the points and settings of now.
#[derive(Debug, Default)]
pub(crate) struct Clusters {
    pub friends: Option<Friends>,
    pub groups: Option<Catalogue>,
}

impl<C: Comm> Search<C> {
    /// The groups of this rank's points. Collective.
    pub fn fof(&mut self, asked: Result<()>) -> Result<Fof<'_>> {
        self.prepare("fof", asked)?;
        self.find_friends()?;
        self.held_fof()
    }

    /// The groups that were found last. Not collective.
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
        self.clusters.friends = None;
        self.clusters.groups = None;
        let (Some(held), Some(plan)) = (&self.held, &self.plan) else {
            return Err(no_points());
        };
        let base = self.settings.base;
        let local = self.core.fof().and_then(|labels| LocalGroups::new(held, labels, base));
        let local = agree(&self.comm, local)?;
        let mut merging = agree(&self.comm, Merging::begin(held, plan, &local, self.comm.rank()))?;
        merging.first_round(&self.comm, held, plan, &local)?;
        while merging.next_round(&self.comm)? {}
        let labels = agree(&self.comm, merging.labels(held, &local))?;
        let own = labels.iter().zip(&held.ids).filter(|(label, id)| label == id).count() as i64;
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
struct LocalGroups {
    /// For each point and ghost the place of the point that its group is named by.
    names: Vec<u32>,
    /// For each such place whether a ghost is in the group.
    crosses: Vec<bool>,
}

impl LocalGroups {
    fn new(held: &Held, labels: &[i32], base: i32) -> Result<LocalGroups> {
        let (mut names, mut crosses) = (room(labels.len(), WHAT)?, filled(labels.len(), false, WHAT)?);
        names.extend(labels.iter().map(|&label| (label - base) as u32));
        for &name in &names[held.owned..] {
            crosses[name as usize] = true;
        }
        Ok(LocalGroups { names, crosses })
    }

    /// The place that names the group of a point, if there is a ghost in it.
    fn crossing(&self, point: usize) -> Option<usize> {
        let name = self.names[point] as usize;
        self.crosses[name].then_some(name)
    }
}

/// Labels on their way to what they will be.
struct Merging {
    seats: Seats,
    /// Ranks that have ghosts of this one's points, and the labels that they were told last.
    told: Vec<(usize, Vec<i64>)>,
    rounds: i64,
    traffic: Traffic,
}

impl Merging {
    fn begin(held: &Held, plan: &Plan, local: &LocalGroups, me: usize) -> Result<Merging> {
        let mut seats = Seats::default();
        let named = (0..).zip(&local.crosses).filter(|&(_, crosses)| *crosses);
        for (name, _) in named {
            let name: usize = name;
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

    /// Tells the owners' labels of ghosts: how many labels, each with its seat; which ghosts, by their place among those of the
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
                    let name = local.names[first + place as usize] as usize;
                    self.seats.unite(held.ids[name], labels[label as usize]);
                }
            }
            first += count;
        }
        Ok(())
    }

    /// Tells what labels have become since they were told, if any rank has such news. Collective.
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

    /// For each rank the labels that it was told and that are others now: the old one, and the seat of the new one.
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

    /// The labels of this rank's points.
    fn labels(&mut self, held: &Held, local: &LocalGroups) -> Result<Vec<i64>> {
        let mut labels = room(held.owned, WHAT)?;
        labels.extend(local.names[..held.owned].iter().map(|&name| {
            let id = held.ids[name as usize];
            if local.crosses[name as usize] {
                self.seats.find(id)
            } else {
                id
            }
        }));
        Ok(labels)
    }
}

/// Where a point is, as its owner gave it.
fn position(held: &Held, point: usize) -> [f64; 3] {
    let at = point * held.dim..(point + 1) * held.dim;
    let mut position = [0.0; 3];
    match &held.coords {
        Coords::F32(coords) => position.iter_mut().zip(&coords[at]).for_each(|(c, x)| *c = x.to_f64()),
        Coords::F64(coords) => position.iter_mut().zip(&coords[at]).for_each(|(c, x)| *c = *x),
    }
    position
}
