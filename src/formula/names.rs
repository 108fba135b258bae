//! Names of a formula, and the values that they have one after the other. In: names in the order of the text. Out: a slot for each
//! value, which a statement makes or which is there before the first one.

use std::collections::HashMap;

use super::program::Name;
use crate::error::{Error, Result};
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
    /// Slots of each name: the one before the first statement, if the text reads it, and the last one.
    ends: Vec<(Option<u32>, Option<u32>)>,
    numbers: HashMap<String, u32>,
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
        self.ends[name as usize].1
    }

    /// The slot of a name that is there before the first statement, if any reads it.
    pub fn initial(&self, name: u32) -> Option<u32> {
        self.ends[name as usize].0
    }

    /// The number of a name, if there is one.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    fn number_of(&mut self, text: &str, name: Name) -> Result<u32> {
        let spelled = &text[name.start..name.end];
        if let Some(number) = self.find(spelled) {
            return Ok(number);
        }
        let (number, mut copy) = (self.all.len() as u32, String::new());
        let room = copy.try_reserve_exact(spelled.len());
        room.and(self.numbers.try_reserve(1)).map_err(|_| Error::OutOfMemory {
            what: WHAT,
            bytes: (spelled.len() + size_of::<(String, u32)>()) as u64,
        })?;
        copy.push_str(spelled);
        push(&mut self.all, name, WHAT)?;
        push(&mut self.ends, (None, None), WHAT)?;
        self.numbers.insert(copy, number);
        Ok(number)
    }

    fn add(&mut self, name: u32, made_by: Option<u32>) -> Result<u32> {
        let slot = self.slots.len() as u32;
        push(&mut self.slots, Slot { name, made_by }, WHAT)?;
        let (initial, last) = &mut self.ends[name as usize];
        if made_by.is_none() {
            *initial = Some(slot);
        }
        *last = Some(slot);
        Ok(slot)
    }
}
