//! Sorts the points' numbers and places in their cells by the keys of their cells: by the highest digit into buckets, each of
//! which fits a cache, then every bucket by itself.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use super::Packed;
use crate::error::Result;
use crate::list::{as_atomic_u32, as_atomic_u64, push, resize_discarding};
use crate::threads::Team;

/// Bits of the digit that chooses a bucket, at most.
const DIGIT_BITS: u32 = 12;

/// Points of a bucket, about, where they spread evenly.
const BUCKET: usize = 256;

const WHAT: &str = "the index";

/// Points that are worth a thread.
const SHARE_AT_LEAST: usize = 16 * 1024;

/// Keys as they are sorted, kept for the next build.
#[derive(Debug, Default)]
pub struct Radix {
    /// First what of a key its bucket does not say, and in the lowest bits where the point stands; in the end whole keys.
    entries: Vec<u64>,
    /// Numbers and places in their cells of the points, by bucket.
    ids: Vec<u32>,
    packed: Vec<Packed>,
    /// One histogram per thread.
    histograms: Vec<u32>,
}

/// How the bits of an entry are used.
#[derive(Clone, Copy)]
struct Bits {
    digit: u32,
    /// The part of the key below the digit.
    rest: u32,
    at: u32,
}

impl Bits {
    fn new(len: usize, key_bits: u32) -> Bits {
        let digit = (len / BUCKET + 1).ilog2().min(DIGIT_BITS).min(key_bits);
        Bits {
            digit,
            rest: key_bits - digit,
            at: usize::BITS - len.leading_zeros(),
        }
    }

    fn bucket(self, key: u64) -> usize {
        (key >> self.rest) as usize & ((1 << self.digit) - 1)
    }

    fn entry(self, key: u64, at: u32) -> u64 {
        (key & ((1 << self.rest) - 1)) << self.at | u64::from(at)
    }
}

impl Radix {
    /// Whether 64 bits hold all that is sorted of `len` points whose keys have `key_bits` bits.
    pub fn holds(len: usize, key_bits: u32) -> bool {
        let Bits { rest, at, .. } = Bits::new(len, key_bits);
        key_bits < u64::BITS && rest + at <= u64::BITS
    }

    /// Sorts the points by (key, number) into `ids` and `packed`. `each` calls back with the points of a range in order: the
    /// first one's number, and keys and places in cells.
    pub fn sort(
        &mut self,
        (ids, packed): (&mut [u32], &mut [Packed]),
        key_bits: u32,
        team: &Team,
        each: impl Fn(Range<usize>, &mut dyn FnMut(usize, &[(u64, Packed)])) + Sync,
    ) -> Result<()> {
        let len = ids.len();
        let (bits, share) = (Bits::new(len, key_bits), share(len, team));
        let buckets = 1 << bits.digit;
        resize_discarding(&mut self.entries, len, 0, WHAT)?;
        resize_discarding(&mut self.ids, len, 0, WHAT)?;
        resize_discarding(&mut self.packed, len, 0, WHAT)?;
        resize_discarding(&mut self.histograms, len.div_ceil(share) * buckets, 0, WHAT)?;
        let part = |k: usize| k * share..((k + 1) * share).min(len);
        team.share(self.histograms.chunks_mut(buckets).enumerate(), |(k, firsts)| {
            firsts.fill(0);
            each(part(k), &mut |_, points| {
                points.iter().for_each(|&(key, _)| firsts[bits.bucket(key)] += 1);
            });
        });
        first_of_each(&mut self.histograms, buckets);
        let (entries, to_ids) = (as_atomic_u64(&mut self.entries), as_atomic_u32(&mut self.ids));
        let to_packed = as_atomic_u64(&mut self.packed);
        team.share(self.histograms.chunks_mut(buckets).enumerate(), |(k, firsts)| {
            each(part(k), &mut |number, points| {
                for (number, &(key, place)) in (number as u32..).zip(points) {
                    let first = &mut firsts[bits.bucket(key)];
                    let at = *first as usize;
                    entries[at].store(bits.entry(key, *first), Relaxed);
                    to_ids[at].store(number, Relaxed);
                    to_packed[at].store(place, Relaxed);
                    *first += 1;
                }
            });
        });
        self.sort_buckets(ids, packed, bits, team)
    }

    /// Sorts each bucket; what were the first places of the last histogram are now their ends.
    fn sort_buckets(&mut self, mut ids: &mut [u32], mut packed: &mut [Packed], bits: Bits, team: &Team) -> Result<()> {
        let ends = &self.histograms[self.histograms.len() - (1 << bits.digit)..];
        let (mut entries, mut start) = (&mut self.entries[..], 0);
        let mut buckets = Vec::new(); // grows: most of it is memory that was used before, which new pages are not
        for (bucket, &end) in (0u64..).zip(ends) {
            let len = (end - start) as usize;
            let (here, ids_here, packed_here);
            (here, entries) = entries.split_at_mut(len);
            (ids_here, ids) = ids.split_at_mut(len);
            (packed_here, packed) = packed.split_at_mut(len);
            if len > 0 {
                push(&mut buckets, (bucket, here, ids_here, packed_here), WHAT)?;
            }
            start = end;
        }
        let (from_ids, from_packed) = (&self.ids, &self.packed);
        team.each(&mut buckets, |(bucket, entries, ids, packed)| {
            // A bucket's points stand in ascending order of their numbers.
            entries.sort_unstable();
            for ((entry, id), place) in entries.iter_mut().zip(&mut **ids).zip(&mut **packed) {
                let at = (*entry & ((1 << bits.at) - 1)) as usize;
                (*id, *place) = (from_ids[at], from_packed[at]);
                *entry = *bucket << bits.rest | *entry >> bits.at;
            }
        });
        Ok(())
    }

    /// The keys, ascending.
    pub fn keys(&self) -> &[u64] {
        &self.entries
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        (self.entries.capacity() + self.packed.capacity()) * size_of::<u64>()
            + (self.ids.capacity() + self.histograms.capacity()) * size_of::<u32>()
    }
}

/// Turns the counts of all parts, `buckets` of each, into where their points begin: bucket by bucket, and in each part by part.
fn first_of_each(histograms: &mut [u32], buckets: usize) {
    let (mut sum, parts) = (0, histograms.len() / buckets);
    for bucket in 0..buckets {
        for part in 0..parts {
            let first = &mut histograms[part * buckets + bucket];
            (*first, sum) = (sum, sum + *first);
        }
    }
}

/// Points for each thread of a pass.
fn share(len: usize, team: &Team) -> usize {
    len.div_ceil(team.threads()).max(SHARE_AT_LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any keys, on one thread and more, come as a stable sort brings them.
    #[test]
    fn keys_of_all_lengths() {
        let mut radix = Radix::default();
        for (len, key_bits) in [
            (1, 3),
            (300, 40),
            (5_000, 1),
            (50_000, 9),
            (50_000, 33),
            (50_000, 55),
            (20_000, 56),
        ] {
            assert_eq!(Radix::holds(len, key_bits), key_bits < 56, "{len} of {key_bits} bits");
            if key_bits == 56 {
                continue;
            }
            let key = |number: usize| (number as u64 / 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - key_bits);
            let mut expected: Vec<u32> = (0..len as u32).collect();
            expected.sort_by_key(|&number| key(number as usize));
            for threads in [1, 3] {
                let (mut ids, mut packed) = (vec![0; len], vec![0; len]);
                let to = (&mut ids[..], &mut packed[..]);
                let sorted = radix.sort(to, key_bits, &Team::new(threads).unwrap(), |range, action| {
                    range.for_each(|number| action(number, &[(key(number), number as u64 + 7)]));
                });
                sorted.unwrap();
                assert_eq!(ids, expected, "{len} of {key_bits} bits, {threads} threads");
                assert!(ids.iter().zip(&packed).all(|(&id, &place)| place == u64::from(id) + 7));
                assert!(ids.iter().zip(radix.keys()).all(|(&id, &k)| k == key(id as usize)));
            }
        }
    }
}
