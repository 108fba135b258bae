//! The registers of steps.

use crate::error::Result;
use crate::formula::number::Number;
use crate::formula::schedule::Step;
use crate::memory::{boxed, push};

pub(crate) const WHAT: &str = "the blocks of a sum";

/// Pairs of a block.
pub(crate) const PAIRS: usize = 256;

/// Numbers that are computed at once, at least: whole vectors of every width.
const AT_ONCE: usize = 16;

/// A number for each pair of a block.
pub(super) type Lane<F> = [F; PAIRS];

/// The registers.
#[derive(Debug)]
pub(super) struct Lanes<F> {
    pub registers: Vec<Box<Lane<F>>>,
    /// Takes the place of the register that is written.
    pub spare: Box<Lane<F>>,
}

impl<F: Number> Lanes<F> {
    /// That many registers.
    pub fn new(count: usize) -> Result<Lanes<F>> {
        let lane = || boxed([F::default(); PAIRS], WHAT);
        let mut registers = Vec::new();
        for _ in 0..count {
            push(&mut registers, lane()?, WHAT)?;
        }
        Ok(Lanes {
            registers,
            spare: lane()?,
        })
    }

    /// Computes whole vectors, so that none of the loop is left after them.
    #[inline(always)]
    pub fn each(&mut self, step: &Step, len: usize, f: impl Fn(F, F, F) -> F) {
        let [a, b, c] = operands(&self.registers, step);
        let len = len.next_multiple_of(AT_ONCE);
        let (a, b, c) = (&a[..len], &b[..len], &c[..len]);
        for (((to, &a), &b), &c) in self.spare[..len].iter_mut().zip(a).zip(b).zip(c) {
            *to = f(a, b, c);
        }
    }

    /// Computes no more than there are.
    #[inline(always)]
    pub fn few(&mut self, step: &Step, len: usize, f: impl Fn(F, F) -> F) {
        let [a, b, _] = operands(&self.registers, step);
        for ((to, &a), &b) in self.spare.iter_mut().zip(&a[..len]).zip(&b[..len]) {
            *to = f(a, b);
        }
    }
}

/// The registers that a step reads, found by one function for all kinds of steps: an array's `map` takes long to
/// compile.
fn operands<'a, F>(registers: &'a [Box<Lane<F>>], step: &Step) -> [&'a Lane<F>; 3] {
    step.operands.map(|of| &*registers[of as usize])
}
