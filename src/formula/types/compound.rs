//! Operations that a text writes as one and a program has as several. In: operands. Out: the operation of the result.

use super::{Form, Typer};
use crate::error::Result;
use crate::formula::program::Kind;

impl Typer<'_> {
    pub(super) fn dot(&mut self, a: u32, b: u32) -> Result<u32> {
        let kind = if self.dim == 1 { Kind::Multiply } else { Kind::Dot };
        self.emit(kind, [a, b, 0], Form::Number)
    }

    /// The cross product: a vector in 3D, and its third component in 2D.
    pub(super) fn cross(&mut self, a: u32, b: u32) -> Result<u32> {
        let component = |typer: &mut Self, axis: usize| {
            let [next, last] = [(axis + 1) % 3, (axis + 2) % 3];
            let mut product = |first: usize, second: usize| {
                let a = typer.emit(Kind::Component(first as u8), [a, 0, 0], Form::Number)?;
                let b = typer.emit(Kind::Component(second as u8), [b, 0, 0], Form::Number)?;
                typer.emit(Kind::Multiply, [a, b, 0], Form::Number)
            };
            let [plus, minus] = [product(next, last)?, product(last, next)?];
            typer.emit(Kind::Subtract, [plus, minus, 0], Form::Number)
        };
        if self.dim == 2 {
            return component(self, 2);
        }
        let components = [component(self, 0)?, component(self, 1)?, component(self, 2)?];
        self.emit(Kind::Vector(3), components, Form::Vector)
    }

    /// The exponent, if it is written as a whole number.
    pub(super) fn whole_exponent(&self, node: u32) -> Option<i64> {
        const LARGEST: f64 = (1u32 << 31) as f64;
        let node = &self.syntax.nodes[node as usize];
        match node.kind {
            Kind::Number { double, .. } => {
                let value = f64::from_bits(double);
                (value.trunc() == value && value < LARGEST).then_some(value as i64)
            }
            Kind::Negate if matches!(self.syntax.nodes[node.operands[0] as usize].kind, Kind::Number { .. }) => {
                self.whole_exponent(node.operands[0]).map(|exponent| -exponent)
            }
            _ => None,
        }
    }

    pub(super) fn one(&mut self) -> Result<u32> {
        let one = Kind::Number {
            single: 1f32.to_bits(),
            double: 1f64.to_bits(),
        };
        self.emit(one, [0; 3], Form::Number)
    }

    /// A power by repeated squaring, from the highest binary digit of the exponent down: square, and multiply by `x`
    /// where the digit is 1. A negative power is 1 divided by the positive one.
    pub(super) fn whole_power(&mut self, x: u32, exponent: i64) -> Result<u32> {
        let magnitude = exponent.unsigned_abs();
        if magnitude == 0 {
            return self.one();
        }
        let mut power = x;
        for digit in (0..magnitude.ilog2()).rev() {
            power = self.emit(Kind::Multiply, [power, power, 0], Form::Number)?;
            if magnitude >> digit & 1 == 1 {
                power = self.emit(Kind::Multiply, [power, x, 0], Form::Number)?;
            }
        }
        if exponent > 0 {
            return Ok(power);
        }
        let one = self.one()?;
        self.emit(Kind::Divide, [one, power, 0], Form::Number)
    }
}
