//! Sorts entries by their keys on many threads: by the highest digit into buckets that fit a cache, then every bucket
//! by comparison of words, each of which has what of a key fits beside the place of the entry.

use std::cmp::Ordering;
use std::sync::atomic::Ordering::Relaxed;

use crate::error::Result;
use crate::list::{as_atomic_u32, as_atomic_u64, holds, push, resize_discarding};
use crate::threads::Team;

/// Bits of a digit, at most.
const DIGIT_BITS: u32 = 10;

/// Entries of a bucket, about, where keys spread evenly.
const BUCKET: usize = 256;

const WHAT: &str = "the spatial order of the points";

/// A point with the key of its cell; ordered by key, then by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    pub(super) key: u64,
    pub point: u32,
}

holds! { nothing for Entry }

impl Ord for Entry {
    /// Without a branch.
    fn cmp(&self, other: &Entry) -> Ordering {
        let rank = |entry: &Entry| u128::from(entry.key) << 32 | u128::from(entry.point);
        rank(self).cmp(&rank(other))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Entries by their buckets, and how many there are in each, kept for the next time.
#[derive(Debug, Default)]
pub struct SortScratch {
    keys: Vec<u64>,
    points: Vec<u32>,
    /// Cells are not divided that are no larger.
    pub finest: f64,
    /// One histogram a thread.
    histograms: Vec<u32>,
}

holds! { SortScratch { keys, points, histograms; finest } }

impl SortScratch {
    /// Sorts by key, then by number; keys have `bits` bits.
    pub fn sort(&mut self, entries: &mut [Entry], bits: u32, team: &Team) -> Result<()> {
        let len = entries.len();
        let digit = (len / BUCKET + 1).ilog2().min(DIGIT_BITS);
        let (buckets, shift) = (1 << digit, bits - digit);
        resize_discarding(&mut self.keys, len, 0, WHAT)?;
        resize_discarding(&mut self.points, len, 0, WHAT)?;
        resize_discarding(&mut self.histograms, team.threads() * buckets, 0, WHAT)?;
        let ends = self.scatter(entries, (buckets, shift), team)?;
        let points = &self.points;
        let (mut rest, mut keys, mut start, mut pieces) = (entries, &mut self.keys[..], 0, Vec::new());
        for end in ends {
            let (bucket, keys_here);
            (bucket, rest) = rest.split_at_mut(end - start);
            (keys_here, keys) = keys.split_at_mut(end - start);
            push(&mut pieces, (bucket, keys_here, start), WHAT)?;
            start = end;
        }
        team.each(&mut pieces, |(bucket, keys, start)| {
            let kept = keys.iter().zip(&points[*start..]);
            (bucket.iter_mut().zip(kept)).for_each(|(entry, (&key, &point))| *entry = Entry { key, point });
            sort_bucket(bucket, keys, shift);
        });
        Ok(())
    }

    /// Brings what entries hold into the order of their buckets, and returns where these end.
    fn scatter(&mut self, entries: &[Entry], (buckets, shift): (usize, u32), team: &Team) -> Result<Vec<usize>> {
        self.histograms.fill(0);
        let share = entries.len().div_ceil(team.threads()).max(1);
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
        let (mut ends, mut sum) = (Vec::new(), 0);
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
                let next = &mut places[(entry.key >> shift) as usize];
                let place = *next as usize;
                *next += 1;
                keys[place].store(entry.key, Relaxed);
                points[place].store(entry.point, Relaxed);
            }
        });
        Ok(ends)
    }
}

/// Sorts entries with these `keys`, which differ in the lowest `shift` bits. Those with the same key are in order
/// already.
fn sort_bucket(bucket: &mut [Entry], keys: &mut [u64], shift: u32) {
    let place_bits = usize::BITS - bucket.len().leading_zeros();
    let left_out = (shift + place_bits).saturating_sub(u64::BITS);
    let (below, places) = ((1 << shift) - 1, (1 << place_bits) - 1);
    for (at, key) in keys.iter_mut().enumerate() {
        *key = (*key & below) >> left_out << place_bits | at as u64;
    }
    let words = keys;
    words.sort_unstable();
    // Each entry comes to its place along a cycle; a word whose place was filled then says so.
    for first in 0..words.len() {
        let (entry, mut to) = (bucket[first], first);
        loop {
            let from = (words[to] & places) as usize;
            words[to] = words[to] & !places | to as u64;
            if from == first {
                break;
            }
            (bucket[to], to) = (bucket[from], from);
        }
        bucket[to] = entry;
    }
    if left_out > 0 {
        let mut rest = bucket;
        for same in words.chunk_by(|a, b| a >> place_bits == b >> place_bits) {
            let entries;
            (entries, rest) = rest.split_at_mut(same.len());
            if same.len() > 1 {
                entries.sort_unstable();
            }
        }
    }
}
