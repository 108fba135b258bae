//! Sorts the points' numbers by the keys of their cells: by the highest digit into buckets, each of which fits a cache, then
//! every bucket by itself.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use crate::error::Result;
use crate::list::{as_atomic_u64, resize_discarding};
use crate::threads::Team;

/// Bits of the digit that chooses a bucket, at most.
const DIGIT_BITS: u32 = 12;

/// Points of a bucket, about, where they spread evenly.
const BUCKET: usize = 256;

/// Points that are worth a thread.
const SHARE_AT_LEAST: usize = 16 * 1024;

/// Keys as they are sorted, kept for the next build.
#[derive(Debug, Default)]
pub struct Radix {
    /// First what of a key its bucket does not say, then the point's number in the lowest bits; in the end whole keys.
    entries: Vec<u64>,
    /// One histogram per thread.
    histograms: Vec<u32>,
}

/// How the bits of an entry are used.
#[derive(Clone, Copy)]
struct Bits {
    digit: u32,
    /// The part of the key below the digit.
    rest: u32,
    number: u32,
}

impl Bits {
    fn new(len: usize, key_bits: u32) -> Bits {
        let digit = (len / BUCKET + 1).ilog2().min(DIGIT_BITS).min(key_bits);
        Bits {
            digit,
            rest: key_bits - digit,
            number: usize::BITS - len.leading_zeros(),
        }
    }

    fn bucket(self, key: u64) -> usize {
        (key >> self.rest) as usize & ((1 << self.digit) - 1)
    }

    fn entry(self, key: u64, number: usize) -> u64 {
        (key & ((1 << self.rest) - 1)) << self.number | number as u64
    }
}

impl Radix {
    /// Whether 64 bits hold all that is sorted of `len` points whose keys have `key_bits` bits.
    pub fn holds(len: usize, key_bits: u32) -> bool {
        let Bits { rest, number, .. } = Bits::new(len, key_bits);
        key_bits < u64::BITS && rest + number <= u64::BITS
    }

    /// Sorts the points by (key, number): their numbers go to `ids`. `each` calls back with the numbers of a range and their
    /// keys, in order.
    pub fn sort(
        &mut self,
        ids: &mut [u32],
        key_bits: u32,
        team: &Team,
        each: impl Fn(Range<usize>, &mut dyn FnMut(usize, &[u64])) + Sync,
    ) -> Result<()> {
        const WHAT: &str = "the index";
        let len = ids.len();
        let (bits, share) = (Bits::new(len, key_bits), share(len, team));
        let buckets = 1 << bits.digit;
        resize_discarding(&mut self.entries, len, 0, WHAT)?;
        resize_discarding(&mut self.histograms, len.div_ceil(share) * buckets, 0, WHAT)?;
        let part = |k: usize| k * share..((k + 1) * share).min(len);
        let mut parts: Vec<_> = self.histograms.chunks_mut(buckets).enumerate().collect();
        team.each(&mut parts, |(k, firsts)| {
            firsts.fill(0);
            each(part(*k), &mut |_, keys| {
                keys.iter().for_each(|&key| firsts[bits.bucket(key)] += 1);
            });
        });
        let mut sum = 0;
        for bucket in 0..buckets {
            for (_, firsts) in &mut parts {
                (firsts[bucket], sum) = (sum, sum + firsts[bucket]);
            }
        }
        let entries = as_atomic_u64(&mut self.entries);
        team.each(&mut parts, |(k, firsts)| {
            each(part(*k), &mut |number, keys| {
                for (number, &key) in (number..).zip(keys) {
                    let first = &mut firsts[bits.bucket(key)];
                    entries[*first as usize].store(bits.entry(key, number), Relaxed);
                    *first += 1;
                }
            });
        });
        self.sort_buckets(ids, bits, team);
        Ok(())
    }

    /// Sorts each bucket; what were the first places of the last histogram are now their ends.
    fn sort_buckets(&mut self, ids: &mut [u32], bits: Bits, team: &Team) {
        let ends = &self.histograms[self.histograms.len() - (1 << bits.digit)..];
        let (mut entries, mut ids, mut start) = (&mut self.entries[..], ids, 0);
        let mut buckets = Vec::new();
        for (bucket, &end) in (0u64..).zip(ends) {
            let len = (end - start) as usize;
            let (these, ids_of_these);
            (these, entries) = entries.split_at_mut(len);
            (ids_of_these, ids) = ids.split_at_mut(len);
            if len > 0 {
                buckets.push((bucket, these, ids_of_these));
            }
            start = end;
        }
        team.each(&mut buckets, |(bucket, entries, ids)| {
            entries.sort_unstable();
            for (entry, id) in entries.iter_mut().zip(&mut **ids) {
                *id = (*entry & ((1 << bits.number) - 1)) as u32;
                *entry = *bucket << bits.rest | *entry >> bits.number;
            }
        });
    }

    /// The keys, ascending.
    pub fn keys(&self) -> &[u64] {
        &self.entries
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<u64>() + self.histograms.capacity() * size_of::<u32>()
    }
}

/// Points for each thread of a pass.
pub fn share(len: usize, team: &Team) -> usize {
    len.div_ceil(team.threads()).max(SHARE_AT_LEAST)
}
