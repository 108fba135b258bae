//! Results and the memory they are in: buffers that are never zeroed twice, rows filled in place by many threads,
//! offsets, and the `pair_i` column.
//!
//! in: counts per row; out: CSR offsets, ids, pairs in the caller's arrays or the handle's. Here nothing is searched.
//!
//! A range of memory has one writer, [`Rows`], which cannot be copied. Threads share it as [`Pieces`], each of which
//! one thread may take, or as [`Cells`], which are written atomically. Rows that tasks store anywhere need
//! [`Rows::alias`], which is unsafe: its callers vouch that no two tasks store the same row.

#![allow(unsafe_code)]

mod aligned;
mod arena;
mod cells;
mod left;
mod out;
#[cfg_attr(not(feature = "gpu"), allow(dead_code))] // only downloads come in pieces of one size
mod pieces;
mod rows;
mod stream;

pub use aligned::Aligned;
pub use arena::{Arena, ArenaWriter};
pub use cells::Cells;
#[cfg(feature = "gpu")]
pub use left::store_left;
pub use left::{LeftColumn, fill_left};
pub use out::Out;
pub use pieces::Pieces;
pub use rows::Rows;
pub use stream::{Stores, pays_for_rows};

pub use crate::memory::*;
pub use crate::room::prefetch;

/// Turns counts into offsets in place: `offsets[i + 1]` holds the count of row `i` before and its end after,
/// `offsets[0]` is `base`. Returns the total.
pub fn scan(offsets: &mut [i64], base: i64) -> i64 {
    let mut end = base;
    for offset in offsets.iter_mut() {
        end += *offset;
        *offset = end;
    }
    end - base
}
