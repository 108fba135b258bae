//! Exchanges of the caller's fields along the plan: from owned points to their ghosts, and contributions of ghosts back.

use crate::agree::agree_on;
use crate::comm::{Comm, Mail};
use crate::error::{Error, Result, filled, room, status};
use crate::output::Output;
use crate::plan::Plan;
use crate::search::{Flight, Search};
use crate::stats::Traffic;

/// A type of numbers in which contributions of ghosts are summed. Integers wrap around on overflow.
pub trait Summand: bytemuck::Pod {
    /// The sum.
    fn plus(self, other: Self) -> Self;
}

impl Summand for f32 {
    fn plus(self, other: f32) -> f32 {
        self + other
    }
}

impl Summand for f64 {
    fn plus(self, other: f64) -> f64 {
        self + other
    }
}

impl Summand for i32 {
    fn plus(self, other: i32) -> i32 {
        self.wrapping_add(other)
    }
}

impl Summand for i64 {
    fn plus(self, other: i64) -> i64 {
        self.wrapping_add(other)
    }
}

impl<C: Comm> Search<C> {
    /// Sends a field of the owned points, `bytes` for each, to their ghosts, and receives the field of this rank's ghosts.
    /// Collective.
    pub fn halo_exchange(&mut self, asked: Result<(usize, &[u8], Output<u8>)>) -> Result<()> {
        let (begin, ghosts) = match self.admit(asked) {
            Ok((bytes, owned, ghosts)) => {
                let fits = check_field(ghosts.len(), bytes, self.ghost_count());
                (fits.map(|()| (bytes, owned)), ghosts)
            }
            Err(error) => (Err(error), Output::empty()),
        };
        self.halo_begin(begin)?;
        self.land(ghosts)
    }

    /// Starts to send a field of the owned points, `bytes` for each, to their ghosts. Collective.
    pub fn halo_begin(&mut self, asked: Result<(usize, &[u8])>) -> Result<()> {
        let asked = self.admit(asked);
        let asked = self.check_plan().map(|_| ()).and(asked);
        let bytes = asked.as_ref().map_or(0, |&(bytes, _)| bytes);
        let local = asked.and_then(|(bytes, owned)| {
            let plan = self.check_plan()?;
            check_field(owned.len(), bytes, self.owned())?;
            Ok((pack(plan, bytes, owned)?, expect_ghosts(plan, bytes)?))
        });
        let facts = [
            ("halo exchange", String::new()),
            ("bytes of an element", bytes.to_string()),
        ];
        let ((out, expected), _) = agree_on(&self.comm, local, true, &facts)?;
        self.halo = traffic(&out);
        let posted = self.comm.post(out, expected)?;
        self.flight = Some(Flight { posted, bytes });
        Ok(())
    }

    /// Waits for the exchange in progress and writes the received field to the ghosts. Collective.
    pub fn halo_finish(&mut self, asked: Result<Output<u8>>) -> Result<()> {
        let local = self.admit(asked).and_then(|ghosts| match &self.flight {
            Some(flight) => check_field(ghosts.len(), flight.bytes, self.ghost_count()).map(|()| ghosts),
            None => Err(Error::new(
                status::BAD_STATE,
                "no halo exchange is in progress: first begin one",
            )),
        });
        let agreed = agree_on(&self.comm, local, true, &[("halo finish", String::new())]);
        if self.comm.has_failed() {
            std::mem::forget(self.flight.take()); // to drop it would be to wait for messages that may never come
        }
        let (ghosts, _) = agreed?;
        self.land(ghosts)
    }

    fn land(&mut self, mut ghosts: Output<u8>) -> Result<()> {
        if let Some(flight) = self.flight.take() {
            let mut at = 0;
            for mail in self.comm.wait(flight.posted)?.came {
                ghosts.write(at, &mail.bytes);
                at += mail.bytes.len();
            }
        }
        Ok(())
    }

    /// Bytes for each point in the exchange in progress; 0 if there is none. Not collective.
    pub fn halo_bytes(&self) -> usize {
        self.flight.as_ref().map_or(0, |flight| flight.bytes)
    }

    /// Adds numbers collected on ghosts, `components` for each, to the points on the ranks that own them. Collective.
    pub fn halo_sum<T: Summand>(&mut self, asked: Result<(usize, &[T], &mut [T])>) -> Result<()> {
        let asked = self.admit(asked);
        let asked = self.check_plan().map(|_| ()).and(asked);
        let components = asked.as_ref().map_or(0, |&(components, _, _)| components);
        let bytes = components * size_of::<T>();
        let local = asked.and_then(|(_, ghosts, owned)| {
            let plan = self.check_plan()?;
            check_field(ghosts.len(), components, self.ghost_count())?;
            check_field(owned.len(), components, self.owned())?;
            let out = pack_ghosts(plan, bytes, bytemuck::cast_slice(ghosts))?;
            Ok((out, expect_owned(plan, bytes)?, owned))
        });
        let facts = [
            ("halo sum", std::any::type_name::<T>().to_owned()),
            ("components", components.to_string()),
        ];
        let ((out, expected, owned), _) = agree_on(&self.comm, local, true, &facts)?;
        self.halo = traffic(&out);
        let came = self.comm.exchange(out, expected)?;
        if let Some(plan) = &self.plan {
            add(plan, components, &came, owned);
        }
        Ok(())
    }
}

pub(crate) fn traffic(out: &[Mail]) -> Traffic {
    let mut traffic = Traffic::default();
    out.iter().for_each(|mail| traffic.count(mail.bytes.len()));
    traffic
}

/// Refuses a field that has not `each` elements for each of `points` points.
pub(crate) fn check_field(len: usize, each: usize, points: usize) -> Result<()> {
    if each == 0 {
        return Err(Error::not_allowed(
            status::BAD_COUNT,
            "number of elements for each point",
            each,
            "greater than 0",
        ));
    }
    if points.checked_mul(each) != Some(len) {
        let text = format!(
            "a field of {len} elements is not allowed: it must have {each} elements for each of the {points} points"
        );
        return Err(Error::new(status::BAD_COUNT, text));
    }
    Ok(())
}

/// The elements of points that are ghosts elsewhere, by rank; `owned` has `bytes` of them for each point.
pub(crate) fn pack(plan: &Plan, bytes: usize, owned: &[u8]) -> Result<Vec<Mail>> {
    let mut mails = Vec::with_capacity(plan.sends.len());
    for (rank, points) in &plan.sends {
        let mut packed = room(points.len() * bytes, "fields to send")?;
        for &point in points {
            let at = point as usize * bytes;
            packed.extend_from_slice(&owned[at..at + bytes]);
        }
        mails.push(Mail {
            rank: *rank,
            bytes: packed,
        });
    }
    Ok(mails)
}

/// Mail that brings `bytes` for each ghost.
pub(crate) fn expect_ghosts(plan: &Plan, bytes: usize) -> Result<Vec<Mail>> {
    let mail = |&(rank, count): &(usize, usize)| {
        Ok(Mail {
            rank,
            bytes: filled(count * bytes, 0, "fields to send")?,
        })
    };
    plan.receives.iter().map(mail).collect()
}

/// The elements of ghosts, by the rank that owns them.
fn pack_ghosts(plan: &Plan, bytes: usize, ghosts: &[u8]) -> Result<Vec<Mail>> {
    let (mut mails, mut rest) = (Vec::with_capacity(plan.receives.len()), ghosts);
    for &(rank, count) in &plan.receives {
        let (here, behind) = rest.split_at(count * bytes);
        let mut packed = room(here.len(), "fields to send")?;
        packed.extend_from_slice(here);
        mails.push(Mail { rank, bytes: packed });
        rest = behind;
    }
    Ok(mails)
}

/// Mail that brings `bytes` for each point that is a ghost elsewhere.
fn expect_owned(plan: &Plan, bytes: usize) -> Result<Vec<Mail>> {
    let mail = |(rank, points): &(usize, Vec<u32>)| {
        Ok(Mail {
            rank: *rank,
            bytes: filled(points.len() * bytes, 0, "fields to send")?,
        })
    };
    plan.sends.iter().map(mail).collect()
}

/// Adds what came to the owned points, rank after rank, so that sums are the same in every run.
fn add<T: Summand>(plan: &Plan, components: usize, came: &[Mail], owned: &mut [T]) {
    for ((_, points), mail) in plan.sends.iter().zip(came) {
        let mut values = mail
            .bytes
            .chunks_exact(size_of::<T>())
            .map(bytemuck::pod_read_unaligned::<T>);
        for &point in points {
            let at = point as usize * components;
            for (sum, value) in owned[at..at + components].iter_mut().zip(&mut values) {
                *sum = sum.plus(value);
            }
        }
    }
}
