//! Sorts entries by their keys on many threads: by the highest digit into buckets that fit a cache, then every bucket by
//! the next digit, and what shares that by comparison.

use std::sync::atomic::Ordering::Relaxed;

use super::Entry;
use crate::error::Result;
use crate::list::{as_atomic_u32, as_atomic_u64, push, resize_discarding};
use crate::threads::Team;

/// Bits of a digit, at most.
const DIGIT_BITS: u32 = 12;

/// Entries of a bucket, about, where keys spread evenly, and of what is sorted by comparison.
const BUCKET: usize = 256;
const FEW: usize = 4;

const WHAT: &str = "sorting the points by place";

/// Entries by their buckets, and how many there are in each, kept for the next time.
#[derive(Debug, Default)]
pub struct Scratch {
    keys: Vec<u64>,
    points: Vec<u32>,
    /// One histogram a thread.
    histograms: Vec<u32>,
}

impl Scratch {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.keys.capacity() * 8 + (self.points.capacity() + self.histograms.capacity()) * 4
    }

    /// Sorts by key, then by number; keys have `bits` bits.
    pub fn sort(&mut self, entries: &mut [Entry], bits: u32, team: &Team) -> Result<()> {
        let len = entries.len();
        let digit = (len / BUCKET + 1).ilog2().min(DIGIT_BITS);
        let (buckets, shift) = (1 << digit, bits - digit);
        resize_discarding(&mut self.keys, len, 0, WHAT)?;
        resize_discarding(&mut self.points, len, 0, WHAT)?;
        resize_discarding(&mut self.histograms, team.threads() * buckets, 0, WHAT)?;
        self.histograms.fill(0);
        let share = len.div_ceil(team.threads()).max(1);
        let mut pieces = Vec::new();
        for piece in entries.chunks(share).zip(self.histograms.chunks_mut(buckets)) {
            push(&mut pieces, piece, WHAT)?;
        }
        team.each(&mut pieces, |(entries, histogram)| {
            entries
                .iter()
                .for_each(|entry| histogram[(entry.key >> shift) as usize] += 1);
        });
        drop(pieces);
        let mut ends = Vec::new();
        let mut sum = 0;
        for bucket in 0..buckets {
            for count in self.histograms[bucket..].iter_mut().step_by(buckets) {
                (*count, sum) = (sum, sum + *count);
            }
            push(&mut ends, sum as usize, WHAT)?;
        }
        let (keys, points) = (as_atomic_u64(&mut self.keys), as_atomic_u32(&mut self.points));
        let mut pieces = Vec::new();
        for piece in entries.chunks(share).zip(self.histograms.chunks_mut(buckets)) {
            push(&mut pieces, piece, WHAT)?;
        }
        team.each(&mut pieces, |(entries, places)| {
            for entry in *entries {
                let place = &mut places[(entry.key >> shift) as usize];
                keys[*place as usize].store(entry.key, Relaxed);
                points[*place as usize].store(entry.point, Relaxed);
                *place += 1;
            }
        });
        drop(pieces);
        let (mut rest, mut start, mut pieces) = (entries, 0, Vec::new());
        for end in ends {
            let (bucket, behind) = rest.split_at_mut(end - start);
            push(&mut pieces, (bucket, start), WHAT)?;
            (rest, start) = (behind, end);
        }
        team.each(&mut pieces, |(bucket, start)| {
            let here = *start..*start + bucket.len();
            let from = self.keys[here.clone()].iter().zip(&self.points[here]);
            sort_bucket(bucket, shift, from.map(|(&key, &point)| Entry { key, point }));
        });
        Ok(())
    }
}

/// Makes `bucket` the entries of `from`, whose keys differ in the lowest `shift` bits, in order.
fn sort_bucket(bucket: &mut [Entry], shift: u32, from: impl Iterator<Item = Entry> + Clone) {
    let digit = (bucket.len() / FEW + 1).ilog2().min(DIGIT_BITS).min(shift);
    let (shift, mask) = (shift - digit, (1 << digit) - 1);
    let mut places = [0u32; 1 << DIGIT_BITS];
    let places = &mut places[..1 << digit];
    let of = |entry: Entry| (entry.key >> shift) as usize & mask;
    from.clone().for_each(|entry| places[of(entry)] += 1);
    let mut sum = 0;
    for place in &mut *places {
        (*place, sum) = (sum, sum + *place);
    }
    for entry in from {
        let place = &mut places[of(entry)];
        bucket[*place as usize] = entry;
        *place += 1;
    }
    let mut start = 0;
    for end in places {
        let end = *end as usize;
        if end - start > 1 {
            bucket[start..end].sort_unstable();
        }
        start = end;
    }
}
