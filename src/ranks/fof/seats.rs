//! The labels that belong to the same group, and the place of the point that a label names.

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::ranks::mail::Reader;

/// The point whose id is a label: the rank that owns it, and its coordinates as its search has them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seat {
    pub rank: i32,
    pub at: [f64; 3],
}

/// Makes room for `more` entries.
pub fn reserve<K: Eq + std::hash::Hash, V>(map: &mut HashMap<K, V>, more: usize, what: &'static str) -> Result<()> {
    let bytes = (more * size_of::<(K, V)>()) as u64;
    map.try_reserve(more).map_err(|_| Error::OutOfMemory { what, bytes })
}

/// Labels that are known here; those of one group lead to the smallest of them.
#[derive(Clone, Debug, Default)]
pub struct Seats(HashMap<i64, (i64, Seat)>);

impl Seats {
    /// Bytes of a label and its seat on their way.
    pub(crate) const BYTES: usize = 8 + 8 + 24;

    /// One more label, unless it is known.
    pub fn add(&mut self, label: i64, seat: Seat) -> Result<()> {
        reserve(&mut self.0, 1, "the labels of groups that cross ranks")?;
        self.0.entry(label).or_insert((label, seat));
        Ok(())
    }

    /// The smallest label known of the same group; itself where it is not known.
    pub fn find(&mut self, label: i64) -> i64 {
        let above = |label: i64| self.0.get(&label).map_or(label, |&(above, _)| above);
        let mut top = label;
        while above(top) != top {
            top = above(top);
        }
        let mut below = label;
        while let Some((above, _)) = self
            .0
            .get_mut(&below)
            .filter(|(above, _)| *above != top && below != top)
        {
            below = std::mem::replace(above, top);
        }
        top
    }

    /// Says that two labels are of one group.
    pub fn unite(&mut self, one: i64, other: i64) {
        let (one, other) = (self.find(one), self.find(other));
        if let Some((above, _)) = self.0.get_mut(&one.max(other)) {
            *above = one.min(other);
        }
    }

    /// The place of a label's point; none of labels that are not known.
    pub fn seat(&self, label: i64) -> Option<Seat> {
        self.0.get(&label).map(|&(_, seat)| seat)
    }

    /// Writes a label that is known, and its seat.
    pub fn write(&self, label: i64, bytes: &mut Vec<u8>) {
        let Some((_, Seat { rank, at })) = self.0.get(&label) else {
            return;
        };
        bytes.extend_from_slice(bytemuck::bytes_of(&[label, i64::from(*rank)]));
        bytes.extend_from_slice(bytemuck::bytes_of(at));
    }

    /// Reads what another rank wrote, and returns the label.
    pub fn read(&mut self, reader: &mut Reader) -> Result<i64> {
        let [label, rank] = reader.one::<[i64; 2]>();
        let (rank, at) = (rank as i32, reader.one());
        self.add(label, Seat { rank, at })?;
        Ok(label)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smallest() {
        let (mut seats, nowhere) = (Seats::default(), Seat { rank: 0, at: [0.0; 3] });
        (0..100).for_each(|label| seats.add(label * 7 % 100, nowhere).unwrap());
        (0..98).for_each(|label| seats.unite(label + 2, label));
        assert!((0..100).all(|label| seats.find(label) == label % 2));
        seats.unite(98, 99);
        assert!((0..100).all(|label| seats.find(label) == 0) && seats.find(-5) == -5);
    }
}
