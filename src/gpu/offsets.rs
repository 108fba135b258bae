//! Offsets of rows on their way to the host, of which only the low words cross the bus.
//!
//! in: the download of low words and of what follows them; out: offsets, and what the device says of blocks.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use super::channel::Channel;
use super::report::{BlockCounts, COUNTS_WORDS};
use super::transfer::{Crew, Download, SHARE};
use crate::error::Result;
use crate::list::as_atomic_i64;
use crate::threads::Team;

impl Channel {
    /// The offsets with `base` added, and what the device says of blocks.
    pub fn fetch_offsets(
        &mut self,
        base: i64,
        download: Download,
        team: &Team,
        offsets: &mut [i64],
    ) -> Result<BlockCounts> {
        const EACH: usize = SHARE / size_of::<u32>();
        let rows = offsets.len() - 1;
        let (places, told) = (
            as_atomic_i64(&mut offsets[..rows]),
            [const { AtomicU32::new(0) }; COUNTS_WORDS],
        );
        let crew = Crew {
            team,
            consume: &|share, bytes| {
                let (words, first): (&[u32], _) = (bytemuck::cast_slice(bytes), share * EACH);
                let (lows, rest) = words.split_at(words.len().min(rows.saturating_sub(first)));
                for (place, &low) in places[rows.min(first)..].iter().zip(lows) {
                    place.store(i64::from(low) + base, Relaxed);
                }
                for (to, &word) in told[first.saturating_sub(rows)..].iter().zip(rest) {
                    to.store(word, Relaxed);
                }
            },
            background: &|| false,
        };
        self.finish_download(download, &crew)?;
        let counts: BlockCounts = bytemuck::cast(told.map(AtomicU32::into_inner));
        offsets[rows] = counts.total() as i64 + base;
        if counts.total() > u32::MAX.into() {
            add_high_words(&mut offsets[..rows], base);
        }
        Ok(counts)
    }
}

/// Makes offsets, to which `base` was added, of their low words: a row has less than 2^32 ids.
fn add_high_words(offsets: &mut [i64], base: i64) {
    let (mut before, mut high) = (base, 0);
    for offset in offsets {
        high += i64::from(*offset < before) << 32;
        before = *offset;
        *offset += high;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offsets beyond 2^32 are those whose low words travelled, also where a row ends just there, and empty rows follow.
    #[test]
    fn high_words_are_found() {
        let lengths = [
            0,
            1 << 31,
            (1 << 31) - 1,
            1,
            0,
            5,
            u32::MAX.into(),
            0,
            u32::MAX.into(),
            1,
            7,
        ];
        for base in [0, 1] {
            let ends = lengths.iter().scan(0, |end: &mut i64, length: &i64| {
                let start = *end;
                *end += length;
                Some(start)
            });
            let starts: Vec<i64> = ends.collect();
            let mut offsets: Vec<i64> = starts.iter().map(|&start| i64::from(start as u32) + base).collect();
            add_high_words(&mut offsets, base);
            assert!(
                offsets
                    .iter()
                    .zip(&starts)
                    .all(|(offset, start)| *offset == start + base)
            );
            assert!(starts[lengths.len() - 1] > 3 << 32);
        }
    }
}
