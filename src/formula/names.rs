//! Names of a formula, and the values that they have one after the other. In: names in the order of the text. Out: a slot for each
//! value, which a statement makes or which is there before the first one.

use super::program::Name;
use crate::error::Result;
use crate::memory::push;

const WHAT: &str = "a formula";

/// A value of a name.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The number of its name.
    pub name: u32,
    /// The statement that makes it; otherwise it is there before.
    pub made_by: Option<u32>,
}

/// Names of one kind, fields or numbers, and their slots in the order of the text.
#[derive(Debug, Default)]
pub struct Names {
    /// Each once, by its first place.
    pub all: Vec<Name>,
    pub slots: Vec<Slot>,
}

impl Names {
    /// The slot that a reader of the name sees now.
    pub fn read(&mut self, text: &str, name: Name) -> Result<u32> {
        let number = self.number_of(text, name)?;
        match self.last(number) {
            Some(slot) => Ok(slot),
            None => self.add(number, None),
        }
    }

    /// A slot for the value that a statement gives the name.
    pub fn make(&mut self, text: &str, name: Name, statement: u32) -> Result<u32> {
        let number = self.number_of(text, name)?;
        self.add(number, Some(statement))
    }

    /// The slot of a name that a statement made last, or the one that is there before.
    pub fn last(&self, name: u32) -> Option<u32> {
        self.slots
            .iter()
            .rposition(|slot| slot.name == name)
            .map(|at| at as u32)
    }

    /// The slot of a name that is there before the first statement, if any reads it.
    pub fn initial(&self, name: u32) -> Option<u32> {
        let is_initial = |slot: &Slot| slot.name == name && slot.made_by.is_none();
        self.slots.iter().position(is_initial).map(|at| at as u32)
    }

    /// The number of a name, if there is one.
    pub fn find(&self, text: &str, name: &str) -> Option<u32> {
        let found = self.all.iter().position(|known| &text[known.start..known.end] == name);
        found.map(|at| at as u32)
    }

    fn number_of(&mut self, text: &str, name: Name) -> Result<u32> {
        match self.find(text, &text[name.start..name.end]) {
            Some(number) => Ok(number),
            None => {
                push(&mut self.all, name, WHAT)?;
                Ok(self.all.len() as u32 - 1)
            }
        }
    }

    fn add(&mut self, name: u32, made_by: Option<u32>) -> Result<u32> {
        push(&mut self.slots, Slot { name, made_by }, WHAT)?;
        Ok(self.slots.len() as u32 - 1)
    }
}
