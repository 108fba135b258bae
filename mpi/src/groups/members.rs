//! Members of groups on this rank: their contributions to groups with a home on other ranks, and those of other ranks to groups
//! with a home here.

use super::tally::{Frame, Made, Member, Tally, read_sum, squares, write_sum};
use super::{WHAT, Wanted};
use crate::comm::Mail;
use crate::error::{Error, Result, reserve, room, status};
use crate::fof::Friends;
use crate::held::Held;
use crate::mail::{Reader, letter};
use crate::points::{Domain, Real};

/// This rank's points by group.
pub struct Members<'a, T> {
    held: &'a Held,
    friends: &'a Friends,
    wanted: &'a Wanted<T>,
    moving: bool,
    frame: Frame,
    /// All points, those of a group together, by label.
    order: Vec<u32>,
}

impl<'a, T: Real> Members<'a, T> {
    pub fn new(
        held: &'a Held,
        friends: &'a Friends,
        domain: &Domain,
        wanted: &'a Wanted<T>,
        moving: bool,
    ) -> Result<Members<'a, T>> {
        let mut order = room(held.owned, WHAT)?;
        order.extend(0..held.owned as u32);
        order.sort_unstable_by_key(|&point| (friends.labels[point as usize], point));
        Ok(Members {
            held,
            friends,
            wanted,
            moving,
            frame: Frame::new::<T>(held.dim, domain),
            order,
        })
    }

    fn label(&self, point: u32) -> i64 {
        self.friends.labels[point as usize]
    }

    /// The groups that this rank has members of, by label.
    fn groups(&self) -> impl Iterator<Item = (i64, &[u32])> {
        let groups = self.order.chunk_by(|&a, &b| self.label(a) == self.label(b));
        groups.map(|points| (self.label(points[0]), points))
    }

    /// This rank's members of a group.
    fn of(&self, label: i64) -> &[u32] {
        let first = self.order.partition_point(|&point| self.label(point) < label);
        let end = self.order.partition_point(|&point| self.label(point) <= label);
        &self.order[first..end]
    }

    /// The rank that a group of this rank's `points` is at home on, if not this one; and where its label's point is.
    fn home(&self, label: i64, points: &[u32]) -> Result<(Option<usize>, [f64; 3])> {
        let is_label = |&&point: &&u32| self.held.ids[point as usize] == label;
        if let Some(&own) = points.iter().find(is_label) {
            return Ok((None, self.frame.wrap(self.coords(own as usize).iter().copied())));
        }
        let lost = || Error::new(status::INTERNAL, format!("nobody knows where the group of {label} is"));
        let seat = self.friends.seats.seat(label).ok_or_else(lost)?;
        let at = seat.at[..self.held.dim].iter().map(|&c| T::from_f64(c));
        Ok((Some(seat.rank as usize), self.frame.wrap(at)))
    }

    fn coords(&self, point: usize) -> &[T] {
        &T::held(&self.held.coords)[point * self.held.dim..(point + 1) * self.held.dim]
    }

    /// The data of members.
    fn members(&self, points: &[u32], origin: [f64; 3]) -> impl Iterator<Item = Member> {
        points.iter().map(move |&point| {
            let (point, dim) = (point as usize, self.held.dim);
            let at = self.frame.wrap(self.coords(point).iter().copied());
            let mut velocity = [0.0; 3];
            if let Some(all) = &self.wanted.velocities {
                let own = &all[point * dim..(point + 1) * dim];
                velocity.iter_mut().zip(own).for_each(|(v, x)| *v = x.to_f64());
            }
            Member {
                off: self.frame.difference(&at, &origin),
                mass: self.wanted.masses.as_ref().map_or(1.0, |masses| masses[point].to_f64()),
                velocity,
            }
        })
    }

    /// Sums over the members of groups at home elsewhere, for each home.
    pub fn report(&self) -> Result<Vec<Mail>> {
        let mut out = Vec::new();
        for (label, points) in self.groups() {
            let (Some(home), origin) = self.home(label, points)? else {
                continue;
            };
            let tally = Tally::of(self.members(points, origin), self.held.dim, self.moving)?;
            let bytes = letter(&mut out, home);
            reserve(bytes, 8, WHAT)?;
            bytes.extend_from_slice(&label.to_ne_bytes());
            tally.write(self.held.dim, self.moving, bytes)?;
        }
        Ok(out)
    }

    /// The groups at home here that are large enough.
    pub fn sum(&self, shares: &Shares<'_>, min_size: i64) -> Result<Vec<Made>> {
        let mut made = Vec::new();
        for (label, points) in self.groups() {
            let (None, origin) = self.home(label, points)? else {
                continue;
            };
            let size = points.len() as u64 + shares.of(label).map(|(_, tally)| tally.size).sum::<u64>();
            if size < min_size as u64 {
                continue;
            }
            let mut tally = Tally::of(self.members(points, origin), self.held.dim, self.moving)?;
            shares.of(label).try_for_each(|(_, share)| tally.merge(&share))?;
            reserve(&mut made, 1, WHAT)?;
            made.push(tally.made(label, &origin, &self.frame)?);
        }
        Ok(made)
    }

    /// Sums of squares over this rank's members of the groups whose centers came.
    pub fn report_squares(&self, came: &[Mail]) -> Result<Vec<Mail>> {
        let mut out = Vec::new();
        for mail in came {
            let mut reader = Reader(&mail.bytes);
            while !reader.0.is_empty() {
                let (label, mean) = (reader.one::<i64>(), reader.one());
                let points = self.of(label);
                let (_, origin) = self.home(label, points)?;
                let sum = squares(self.members(points, origin), self.held.dim, &mean)?;
                let bytes = letter(&mut out, mail.rank);
                reserve(bytes, 8, WHAT)?;
                bytes.extend_from_slice(&label.to_ne_bytes());
                write_sum(&sum, bytes)?;
            }
        }
        Ok(out)
    }

    /// Gives the groups their radii, with what came for that.
    pub fn radii(&self, mut made: Vec<Made>, came: &[Mail]) -> Result<Vec<Made>> {
        let mut shares: Vec<(i64, &[u8])> = Vec::new();
        for mail in came {
            let mut reader = Reader(&mail.bytes);
            while !reader.0.is_empty() {
                reserve(&mut shares, 1, WHAT)?;
                shares.push((reader.one(), reader.0));
                read_sum(&mut reader);
            }
        }
        shares.sort_unstable_by_key(|&(label, _)| label);
        for group in &mut made {
            let points = self.of(group.label);
            let (_, origin) = self.home(group.label, points)?;
            let mut sum = squares(self.members(points, origin), self.held.dim, &group.mean)?;
            let first = shares.partition_point(|&(label, _)| label < group.label);
            for &(_, share) in shares[first..].iter().take_while(|&&(label, _)| label == group.label) {
                sum.merge(&read_sum(&mut Reader(share)))?;
            }
            group.radius = (sum.rounded()? / group.mass).sqrt();
        }
        Ok(made)
    }
}

/// The contributions of other ranks to groups at home here, by label: sums as they came.
pub struct Shares<'a> {
    list: Vec<(i64, usize, &'a [u8])>,
    dim: usize,
    moving: bool,
}

impl<'a> Shares<'a> {
    pub fn new(came: &'a [Mail], dim: usize, moving: bool) -> Result<Shares<'a>> {
        let mut list = Vec::new();
        for mail in came {
            let mut reader = Reader(&mail.bytes);
            while !reader.0.is_empty() {
                reserve(&mut list, 1, WHAT)?;
                list.push((reader.one(), mail.rank, reader.0));
                Tally::read(&mut reader, dim, moving);
            }
        }
        list.sort_unstable_by_key(|&(label, rank, _)| (label, rank));
        Ok(Shares { list, dim, moving })
    }

    /// The ranks that have members of a group at home here, and their sums.
    pub fn of(&self, label: i64) -> impl Iterator<Item = (usize, Tally)> {
        let first = self.list.partition_point(|&(other, _, _)| other < label);
        let group = self.list[first..]
            .iter()
            .take_while(move |&&(other, _, _)| other == label);
        group.map(|&(_, rank, bytes)| (rank, Tally::read(&mut Reader(bytes), self.dim, self.moving)))
    }
}
