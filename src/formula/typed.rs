//! A text whose shapes are known, and the programs of its statements. In: the operations of all statements. Out: those that some statements
//! need.

use super::parse::Syntax;
use super::program::{Kind, Makes, Operation, Output, Program, Reduction};
use crate::error::Result;
use crate::list::{push, resize_discarding};

const WHAT: &str = "the operations of a formula";

/// No place.
const NONE: u32 = u32::MAX;

/// A text whose shapes are known.
#[derive(Debug, Default)]
pub struct Typed {
    pub dim: usize,
    pub operations: Vec<Operation>,
    /// Of each statement: the operation whose results are its terms or its value, and their width.
    pub terms: Vec<(u32, usize)>,
}

impl Typed {
    /// Has all pairs the class 0, as none is excluded.
    pub fn forget_classes(&mut self) {
        let is_class = |operation: &&mut Operation| operation.kind == Kind::Class;
        for operation in self.operations.iter_mut().filter(is_class) {
            operation.kind = Kind::Number { single: 0, double: 0 };
        }
    }

    /// The places of operations in a program, before any has one.
    pub fn places(&self) -> Result<Vec<u32>> {
        let mut places = Vec::new();
        resize_discarding(&mut places, self.operations.len(), NONE, WHAT)?;
        Ok(places)
    }

    /// The program of some statements, without operations that none of them needs. With `goes_on`, a statement reads the values
    /// that an earlier one has made for the same point. It always reads those for the same pair. `is_here` tells whether a
    /// statement is among these. `places` is as [`places`](Typed::places) makes it, before and after.
    pub fn program(
        &self,
        syntax: &Syntax,
        (statements, is_here): (&[u32], &dyn Fn(u32) -> bool),
        goes_on: bool,
        places: &mut [u32],
    ) -> Result<Program> {
        let made_here = |operation: &Operation| {
            let (slot, goes_on) = match operation.kind {
                Kind::Field(slot, _) => (syntax.fields.slots[slot as usize], goes_on),
                Kind::Constant(slot) => (syntax.numbers.slots[slot as usize], goes_on),
                Kind::OfPair(slot) => (syntax.pairs.slots[slot as usize], true),
                _ => return None,
            };
            let by = slot.made_by.filter(|&by| goes_on && is_here(by))?;
            Some(self.terms[by as usize].0)
        };
        let needed = self.needed(statements, &made_here, places)?;
        let mut made = Program {
            dim: self.dim,
            ..Program::default()
        };
        for &at in &needed {
            let (at, operation) = (at as usize, &self.operations[at as usize]);
            if let Some(before) = made_here(operation) {
                places[at] = places[before as usize];
                continue;
            }
            let mut moved = *operation;
            for k in 0..operation.operands().len() {
                moved.operands[k] = places[operation.operands[k] as usize];
            }
            places[at] = made.operations.len() as u32;
            push(&mut made.operations, moved, WHAT)?;
        }
        for of in statements {
            let (operation, width) = self.terms[*of as usize];
            let output = Output {
                operation: places[operation as usize],
                reduction: match syntax.statements[*of as usize].makes {
                    Makes::Neighbors(reduction) | Makes::All(reduction) => reduction,
                    Makes::Pair | Makes::Point | Makes::Numbers => Reduction::Sum, // of the only term
                },
                width,
                is_of_pairs: syntax.statements[*of as usize].makes == Makes::Pair,
            };
            push(&mut made.outputs, output, WHAT)?;
        }
        needed.iter().for_each(|&at| places[at as usize] = NONE);
        Ok(made)
    }

    /// The operations that statements need, ascending: each has a lower number than its readers. Marks their `places`.
    fn needed(
        &self,
        statements: &[u32],
        made_here: &dyn Fn(&Operation) -> Option<u32>,
        places: &mut [u32],
    ) -> Result<Vec<u32>> {
        let (mut left, mut needed) = (Vec::new(), Vec::new());
        let need = |left: &mut Vec<u32>, of: u32, places: &mut [u32]| {
            let place = &mut places[of as usize];
            match std::mem::replace(place, 0) {
                NONE => push(left, of, WHAT),
                _ => Ok(()),
            }
        };
        for &statement in statements {
            need(&mut left, self.terms[statement as usize].0, places)?;
        }
        while let Some(at) = left.pop() {
            push(&mut needed, at, WHAT)?;
            let operation = &self.operations[at as usize];
            for &of in operation.operands() {
                need(&mut left, of, places)?;
            }
            if let Some(made) = made_here(operation) {
                need(&mut left, made, places)?;
            }
        }
        needed.sort_unstable();
        Ok(needed)
    }
}
