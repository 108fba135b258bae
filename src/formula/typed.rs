//! A text whose shapes are known, and the programs of its statements. In: the operations of all statements. Out: those that some statements
//! need.

use super::parse::Syntax;
use super::program::{Kind, Makes, Operation, Output, Program, Reduction};
use crate::error::Result;
use crate::list::{push, resize_discarding};

const WHAT: &str = "the operations of a formula";

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

    /// The program of some statements, without operations that none of them needs. Where `goes_on`, a statement reads what one before it
    /// has made of the same point; of the same pair it always does.
    pub fn program(&self, syntax: &Syntax, statements: &[u32], goes_on: bool) -> Result<Program> {
        const NONE: u32 = u32::MAX;
        let made_here = |operation: &Operation| {
            let (slot, goes_on) = match operation.kind {
                Kind::Field(slot, _) => (syntax.fields.slots[slot as usize], goes_on),
                Kind::Constant(slot) => (syntax.numbers.slots[slot as usize], goes_on),
                Kind::OfPair(slot) => (syntax.pairs.slots[slot as usize], true),
                _ => return None,
            };
            let by = slot.made_by.filter(|by| goes_on && statements.contains(by))?;
            Some(self.terms[by as usize].0 as usize)
        };
        let mut places = Vec::new();
        resize_discarding(&mut places, self.operations.len(), NONE, WHAT)?;
        let terms = |statement: &u32| self.terms[*statement as usize];
        statements.iter().for_each(|of| places[terms(of).0 as usize] = 0);
        for (at, operation) in self.operations.iter().enumerate().rev() {
            if places[at] != NONE {
                operation.operands().iter().for_each(|&of| places[of as usize] = 0);
                if let Some(made) = made_here(operation) {
                    places[made] = 0;
                }
            }
        }
        let mut made = Program {
            dim: self.dim,
            ..Program::default()
        };
        for (at, operation) in self.operations.iter().enumerate() {
            if places[at] == NONE {
                continue;
            }
            if let Some(before) = made_here(operation) {
                places[at] = places[before];
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
            let (operation, width) = terms(of);
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
        Ok(made)
    }
}
