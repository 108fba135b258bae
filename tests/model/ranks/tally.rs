//! The number of times that each call was played, and why others were not.

use std::collections::BTreeMap;
use std::fmt;

use super::MOST;

#[derive(Clone, Debug, Default)]
pub struct Tally {
    played: BTreeMap<String, u64>,
    skipped: BTreeMap<(String, &'static str), u64>,
    /// Sequences by their number of ranks.
    pub ranks: [u64; MOST + 1],
    /// Calls that a rank made wrongly before.
    pub faults: usize,
}

impl Tally {
    pub fn played(&mut self, name: &str) {
        *self.played.entry(name.to_owned()).or_default() += 1;
    }

    pub fn skipped(&mut self, name: &str, why: &'static str) {
        *self.skipped.entry((name.to_owned(), why)).or_default() += 1;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        writeln!(to, "sequences by ranks from 1 on: {:?}", &self.ranks[1..])?;
        writeln!(to, "calls that one rank made wrongly first: {}", self.faults)?;
        let all: Vec<String> = self
            .played
            .iter()
            .map(|(name, times)| format!("{name} {times}"))
            .collect();
        writeln!(to, "played: {}", all.join(", "))?;
        for ((name, why), times) in &self.skipped {
            writeln!(to, "not played: {name} {times}, {why}")?;
        }
        Ok(())
    }
}
