//! The registers of steps, and the operations that compute one from others.

use crate::error::Result;
use crate::formula::functions;
use crate::formula::number::Number;
use crate::formula::program::Kind;
use crate::formula::schedule::Step;
use crate::formula::tables::{Course, Table};
use crate::memory::{boxed, push};
use crate::real::Real;

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

    /// Computes an operation into the spare register.
    #[inline(always)]
    pub fn operate(&mut self, kind: Kind, step: &Step, len: usize, (constants, tables): (&[F], &[&Table<F>])) {
        let lanes = self;
        match kind {
            Kind::Number { single, double } => lanes.spare.fill(F::of_bits(single, double)),
            Kind::Constant(constant) => lanes.spare.fill(constants[constant as usize]),
            Kind::Table(table) => {
                let table = tables[table as usize];
                match table.course() {
                    Course::Linear => lanes.few(step, len, |x, _| table.linear(x)),
                    Course::Cubic => lanes.few(step, len, |x, _| table.cubic(x)),
                }
            }
            Kind::Exp => lanes.few(step, len, |x, _| functions::exp(x)),
            Kind::Log => lanes.few(step, len, |x, _| functions::log(x)),
            Kind::Pow => lanes.few(step, len, functions::pow),
            Kind::Sin => lanes.few(step, len, |x, _| functions::sin(x)),
            Kind::Cos => lanes.few(step, len, |x, _| functions::cos(x)),
            Kind::Tan => lanes.few(step, len, |x, _| functions::tan(x)),
            Kind::Tanh => lanes.few(step, len, |x, _| functions::tanh(x)),
            Kind::Atan2 => lanes.few(step, len, functions::atan2),
            Kind::Erf => lanes.few(step, len, |x, _| functions::erf(x)),
            Kind::Erfc => lanes.few(step, len, |x, _| functions::erfc(x)),
            Kind::Negate => lanes.each(step, len, |x, _, _| -x),
            Kind::Abs => lanes.each(step, len, |x, _, _| x.magnitude()),
            Kind::Sqrt => lanes.each(step, len, |x, _, _| Real::sqrt(x)),
            Kind::Floor => lanes.each(step, len, |x, _, _| functions::Float::floor(x)),
            Kind::Sign => lanes.each(step, len, |x, _, _| {
                let (zero, one) = (F::default(), F::ONE);
                if x > zero {
                    one
                } else if x < zero {
                    -one
                } else {
                    x
                }
            }),
            Kind::Add => lanes.each(step, len, |a, b, _| a + b),
            Kind::Subtract => lanes.each(step, len, |a, b, _| a - b),
            Kind::Multiply => lanes.each(step, len, |a, b, _| a * b),
            Kind::Divide => lanes.each(step, len, |a, b, _| a / b),
            Kind::Min => lanes.each(step, len, |a, b, _| if b < a { b } else { a }),
            Kind::Max => lanes.each(step, len, |a, b, _| if a < b { b } else { a }),
            Kind::Less => lanes.each(step, len, |a, b, _| truth(a < b)),
            Kind::LessEqual => lanes.each(step, len, |a, b, _| truth(a <= b)),
            Kind::Equal => lanes.each(step, len, |a, b, _| truth(a == b)),
            Kind::NotEqual => lanes.each(step, len, |a, b, _| truth(a != b)),
            Kind::Select => lanes.each(step, len, |a, b, c| if c == F::default() { b } else { a }),
            // These are other steps, or in syntax only.
            Kind::Dot | Kind::Displacement | Kind::Cutoff | Kind::Field(..) | Kind::Square | Kind::Distance => (),
            Kind::Class | Kind::OfPair(_) | Kind::Component(_) | Kind::Vector(_) | Kind::Cross => (),
            Kind::And | Kind::Or | Kind::Not => (),
        }
    }
}

/// The registers that a step reads, found by one function for all kinds of steps: an array's `map` takes long to
/// compile.
fn operands<'a, F>(registers: &'a [Box<Lane<F>>], step: &Step) -> [&'a Lane<F>; 3] {
    step.operands.map(|of| &*registers[of as usize])
}

/// A condition as a number.
#[inline(always)]
fn truth<F: Number>(holds: bool) -> F {
    if holds { F::ONE } else { F::default() }
}
