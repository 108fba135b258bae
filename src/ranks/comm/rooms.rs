//! Memory of a communicator.

use std::ffi::c_void;

use super::mail::Mail;
use crate::error::Result;
use crate::memory::{filled, with_capacity};

pub const WHAT: &str = "data exchanged by all ranks";

/// Memory for what is exchanged. It is there before: a rank that is refused some in the middle of a call leaves others waiting.
#[derive(Debug)]
pub struct Rooms {
    /// One for each rank.
    pub sizes: Vec<i64>,
    pub counts: Vec<i32>,
    pub starts: Vec<i32>,
    pub out: Parts,
    pub expected: Parts,
}

/// Ranks, addresses and lengths of mail, as C takes them: at most one for each rank.
#[derive(Debug)]
pub struct Parts {
    pub ranks: Vec<i32>,
    pub places: Vec<*mut c_void>,
    pub bytes: Vec<i64>,
}

impl Parts {
    fn new(ranks: usize) -> Result<Parts> {
        Ok(Parts {
            ranks: with_capacity(ranks, WHAT)?,
            places: with_capacity(ranks, WHAT)?,
            bytes: with_capacity(ranks, WHAT)?,
        })
    }

    /// Becomes those of some mail.
    pub fn set(&mut self, mails: &mut [Mail]) {
        self.ranks.clear();
        self.places.clear();
        self.bytes.clear();
        self.ranks.extend(mails.iter().map(|mail| mail.rank as i32));
        self.bytes.extend(mails.iter().map(|mail| mail.bytes.len() as i64));
        let places = mails.iter_mut().map(|mail| mail.bytes.as_mut_ptr().cast());
        self.places.extend(places);
    }
}

impl Rooms {
    /// Bytes for each rank.
    pub(crate) const EACH: usize = size_of::<([i64; 5], [i32; 4])>();

    /// For a number of ranks.
    pub fn new(ranks: usize) -> Result<Rooms> {
        Ok(Rooms {
            sizes: filled(ranks, 0, WHAT)?,
            counts: filled(ranks, 0, WHAT)?,
            starts: filled(ranks, 0, WHAT)?,
            out: Parts::new(ranks)?,
            expected: Parts::new(ranks)?,
        })
    }
}
