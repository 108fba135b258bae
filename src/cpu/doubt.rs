//! Doubtful pairs, which the caller's arithmetic decides, and its answers, kept from a count for the fill after it.

use crate::error::Result;
use crate::list::{holds, push};

/// The way in which doubtful pairs are decided.
pub enum Doubt<'a> {
    /// By the caller's arithmetic.
    Decide,
    /// So too, and what it says is kept; fails where there is no memory for that.
    Keep(&'a mut Answers, Result<()>),
    /// As it was kept, from this answer on. Coordinates are not needed.
    Recall(&'a Answers, usize),
}

impl Doubt<'_> {
    /// Decides a pair, about which `exact` is the caller's arithmetic.
    pub fn decide(&mut self, exact: impl FnOnce() -> bool) -> bool {
        match self {
            Doubt::Decide => exact(),
            Doubt::Keep(answers, kept) => {
                let answer = exact();
                if let Err(error) = answers.push(answer) {
                    *kept = Err(error);
                }
                answer
            }
            Doubt::Recall(answers, next) => {
                *next += 1;
                answers.get(*next - 1)
            }
        }
    }

    /// Fails where an answer could not be kept.
    pub fn finish(self) -> Result<()> {
        match self {
            Doubt::Keep(_, kept) => kept,
            _ => Ok(()),
        }
    }
}

/// The caller's arithmetic about doubtful pairs, in the order in which they were met: a bit each.
#[derive(Debug, Default)]
pub struct Answers {
    bits: Vec<u32>,
    len: usize,
}

holds! { Answers { bits; len } }

impl Answers {
    /// Forgets all, keeps the memory.
    pub fn clear(&mut self) {
        self.bits.clear();
        self.len = 0;
    }

    /// Number of answers so far.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Appends an answer.
    pub fn push(&mut self, answer: bool) -> Result<()> {
        let bit = self.len as u32 % u32::BITS;
        if bit == 0 {
            push(&mut self.bits, 0, "the answers about doubtful pairs")?;
        }
        self.bits[self.len / u32::BITS as usize] |= u32::from(answer) << bit;
        self.len += 1;
        Ok(())
    }

    /// The answer number `k`.
    pub fn get(&self, k: usize) -> bool {
        self.bits[k / u32::BITS as usize] >> (k as u32 % u32::BITS) & 1 == 1
    }
}
