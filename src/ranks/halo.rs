//! Exchanges of the caller's fields along the plan: from owned points to their ghosts, and contributions of ghosts back.

use super::comm::Mail;
use super::mail::expect;
use super::plan::Plan;
use crate::error::{Error, Result, Status};
use crate::memory::with_capacity;

const WHAT: &str = "fields to send";

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

/// Refuses a field that has not `each` elements for each of `points` points.
pub fn check_field(len: usize, each: usize, points: usize) -> Result<()> {
    if each == 0 {
        let argument = "bytes";
        return Err(Error::not_allowed(Status::BadCount, argument, each, "greater than 0"));
    }
    if points.checked_mul(each) != Some(len) {
        let allowed = format_args!("{each} for each of the {points} points");
        let argument = "number of elements of the field";
        return Err(Error::not_allowed(Status::BadCount, argument, len, allowed));
    }
    Ok(())
}

impl Plan {
    /// The number of ghosts.
    pub fn ghosts(&self) -> usize {
        self.receives.iter().map(|(_, count)| count).sum()
    }

    /// The elements of points that are ghosts elsewhere, by rank; `owned` has `bytes` of them for each point.
    pub fn pack(&self, bytes: usize, owned: &[u8]) -> Result<Vec<Mail>> {
        let mut mails = with_capacity(self.sends.len(), WHAT)?;
        for (rank, points) in &self.sends {
            let mut packed = with_capacity(points.len() * bytes, WHAT)?;
            for &point in points {
                let at = point as usize * bytes;
                packed.extend_from_slice(&owned[at..at + bytes]);
            }
            let (rank, bytes) = (*rank, packed);
            mails.push(Mail { rank, bytes });
        }
        Ok(mails)
    }

    /// The same of several columns, for each rank one after the other. Each has its bytes for each point.
    pub fn pack_columns(&self, columns: &[(&[u8], usize)]) -> Result<Vec<Mail>> {
        let each: usize = columns.iter().map(|(_, bytes)| bytes).sum();
        let mut mails = with_capacity(self.sends.len(), WHAT)?;
        for (rank, points) in &self.sends {
            let mut packed = with_capacity(points.len() * each, WHAT)?;
            for &(owned, bytes) in columns.iter().filter(|(_, bytes)| *bytes > 0) {
                for &point in points {
                    packed.extend_from_slice(&owned[point as usize * bytes..][..bytes]);
                }
            }
            let (rank, bytes) = (*rank, packed);
            mails.push(Mail { rank, bytes });
        }
        Ok(mails)
    }

    /// Mail that brings `bytes` for each ghost.
    pub fn expect_ghosts(&self, bytes: usize) -> Result<Vec<Mail>> {
        expect(self.receives.iter().map(|&(rank, count)| (rank, count * bytes)), WHAT)
    }

    /// The elements of ghosts, by the rank that owns them.
    pub fn pack_ghosts(&self, bytes: usize, ghosts: &[u8]) -> Result<Vec<Mail>> {
        let mut mails = self.expect_ghosts(bytes)?;
        let mut rest = ghosts;
        for mail in &mut mails {
            let (here, behind) = rest.split_at(mail.bytes.len());
            mail.bytes.copy_from_slice(here);
            rest = behind;
        }
        Ok(mails)
    }

    /// Mail that brings `bytes` for each point that is a ghost elsewhere.
    pub fn expect_owned(&self, bytes: usize) -> Result<Vec<Mail>> {
        expect(
            self.sends.iter().map(|(rank, points)| (*rank, points.len() * bytes)),
            WHAT,
        )
    }

    /// Adds what came to the owned points, rank after rank, so that sums are the same in every run.
    pub fn add<T: Summand>(&self, components: usize, came: &[Mail], owned: &mut [T]) {
        for ((_, points), mail) in self.sends.iter().zip(came) {
            let numbers = mail.bytes.chunks_exact(size_of::<T>());
            let mut values = numbers.map(bytemuck::pod_read_unaligned::<T>);
            for &point in points {
                let at = point as usize * components;
                for (sum, value) in owned[at..at + components].iter_mut().zip(&mut values) {
                    *sum = sum.plus(value);
                }
            }
        }
    }
}
