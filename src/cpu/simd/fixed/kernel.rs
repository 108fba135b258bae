//! The kernels of fixed-point coordinates, once for all instruction sets. They work on words of 32 targets, a bit each.
//!
//! ```text
//! d2 = sum over axes of (p - t)^2 / 2^16, each rounded down
//! filter:   brings points into a frame and keeps those near its box
//! select:   keeps the targets whose distance from a box is at most upper
//! zoom:     moves and magnifies coordinates
//! members:  the ranks of the targets inside a box
//! test:     a word for each member and 32 targets: the bits of d2 <= upper; those with d2 > lower are doubtful
//! pick:     the ids under the bits of a list, in order
//! emit:     a row for each member: the ids under its bits, in order, stored at the row's place
//! list:     a row for each member: where the targets under its bits stand, row after row
//! ```
//!
//! Differences of coordinates are known modulo 2^16: of targets of a leaf, those beyond 2^15 are beyond the cutoff even so.
//! Doubt is rare and is settled by a call out of the loop, in which all vectors may be spilled.

use std::ops::Range;

use super::{
    BATCH, Box16, Emit, Filter, Lanes16, ROWS, Ranked, Selection, Targets, Test, WORD, first_word, stride, words_of,
};
use crate::axes::per_axis;
use crate::grid::Packed;

/// Ids of a row whose memory is fetched before it is packed: of a longer one the processor itself fetches the rest.
const FETCHED: usize = 1024;

/// Of rows that may be sparse, those that have at most that many of the targets of a word, on average, are listed as ranks, and
/// ids looked up one by one: that is faster than bringing all ids of each word along.
const FEW: usize = 4;

/// Ids of a row that is in three lines at most.
const SHORT: usize = 33;

/// Ids of a row from which on, where rows are stored past the caches, it is: of a shorter one too few lines are whole.
const LONG: usize = 48;

/// # Safety
/// V is available, and all lists are padded behind `count` by a vector of points.
#[inline(always)]
pub unsafe fn filter<V: Lanes16>(
    points: &[Packed],
    ids: &[u32],
    count: usize,
    how: &Filter,
    to: (&mut [Packed], &mut [u32]),
) -> usize {
    const { assert!(V::POINTS <= crate::grid::PADDING) }
    let mut kept = 0;
    for at in (0..count).step_by(V::POINTS) {
        // SAFETY: the caller runs where V is available; both sides are padded, and no more is written than was read.
        unsafe {
            let room = (to.0.as_mut_ptr().add(kept), to.1.as_mut_ptr().add(kept));
            kept += V::filter(points.as_ptr().add(at), ids.as_ptr().add(at), count - at, how, room);
        }
    }
    kept
}

/// Lanes from `len` on cleared.
#[inline(always)]
fn cut(mask: u32, at: usize, len: usize) -> u32 {
    if len - at >= WORD {
        mask
    } else {
        mask & ((1 << (len - at)) - 1)
    }
}

/// # Safety
/// V is available, targets are padded, and the selection has as much room, and a bit for each target.
#[inline(always)]
pub unsafe fn select<V: Lanes16, const DIM: usize>(
    targets: &Targets,
    around: &Box16,
    upper: i16,
    to: &mut Selection,
) -> [usize; 2] {
    // SAFETY: the caller runs where V is available; both sides are padded; no more is written than was read.
    unsafe {
        let lo: [V; DIM] = per_axis(|axis| V::splat(around.lo[axis]));
        let hi: [V; DIM] = per_axis(|axis| V::splat(around.hi[axis]));
        let (upper, zero) = (V::splat(upper), V::splat(0));
        let (mut selected, mut own) = (0, 0);
        for at in (0..targets.len).step_by(WORD) {
            let (mut hits, mut inside) = (0, 0);
            for part in (0..WORD).step_by(V::LANES) {
                let outside = |axis: usize| {
                    let coord = V::load(targets.coords[axis].as_ptr().add(at + part));
                    lo[axis]
                        .saturating_sub(coord)
                        .max(coord.saturating_sub(hi[axis]))
                        .max(zero)
                };
                let first = outside(0);
                let (mut d2, mut most) = (first.square(), first);
                for axis in 1..DIM {
                    let next = outside(axis);
                    d2 = d2.add(next.square());
                    most = most.max(next);
                }
                hits |= V::at(d2.le(upper), part);
                inside |= V::at(most.is_zero(), part);
            }
            let hits = cut(hits, at, targets.len);
            to.picks.as_mut_ptr().add(at / WORD).write(hits);
            own += (inside & hits).count_ones() as usize;
            let list = |from: &[i16], to: &mut [i16]| (from.as_ptr().add(at), to.as_mut_ptr().add(selected));
            let mut lists = [list(targets.index, to.index); 4];
            for (entry, axis) in lists[1..].iter_mut().zip(0..DIM) {
                *entry = list(targets.coords[axis], to.coords[axis]);
            }
            V::compress(&lists[..=DIM], hits);
            selected += hits.count_ones() as usize;
        }
        [selected, own]
    }
}

/// # Safety
/// V is available, and `coords` is padded behind `len`.
#[inline(always)]
pub unsafe fn zoom<V: Lanes16>(coords: &mut [i16], len: usize, origin: i16, bits: u32) {
    // SAFETY: the caller runs where V is available; the coordinates are padded.
    unsafe {
        let origin = V::splat(origin);
        for at in (0..len).step_by(V::LANES) {
            let to = coords.as_mut_ptr().add(at);
            V::load(to).sub(origin).shl(bits).store(to);
        }
    }
}

/// # Safety
/// V is available, targets are padded, and `ranks` has as much room.
#[inline(always)]
pub unsafe fn members<V: Lanes16, const DIM: usize>(targets: &Targets, inside: &Box16, ranks: &mut [u16]) -> usize {
    // SAFETY: the caller runs where V is available; the targets are padded, and so is the room for their ranks.
    unsafe {
        let lo: [V; DIM] = per_axis(|axis| V::splat(inside.lo[axis]));
        let hi: [V; DIM] = per_axis(|axis| V::splat(inside.hi[axis]));
        let mut found = 0;
        for at in (0..targets.len).step_by(WORD) {
            let mut hits = 0;
            for part in (0..WORD).step_by(V::LANES) {
                let mut within = u32::MAX;
                for axis in 0..DIM {
                    let coord = V::load(targets.coords[axis].as_ptr().add(at + part));
                    within &= coord.within(lo[axis], hi[axis]);
                }
                hits |= V::at(within & (u32::MAX >> (WORD - V::LANES)), part);
            }
            let hits = cut(hits, at, targets.len);
            V::ranks(hits, at, ranks.as_mut_ptr().add(found));
            found += hits.count_ones() as usize;
        }
        found
    }
}

/// # Safety
/// V is available, targets are padded, ranks are below their number, and there is room for the words of all members.
#[inline(always)]
pub unsafe fn test<V: Lanes16, const DIM: usize>(
    targets: &Targets,
    ranks: &[u16],
    how: &mut Test,
    words: &mut [u32],
    counts: &mut [u32],
) -> usize {
    // SAFETY: the caller runs where V is available; targets are padded, far ones behind the last; `words` has room.
    unsafe {
        let (lower, upper) = (V::splat(how.bounds.lower), V::splat(how.bounds.upper));
        let coords: [*const i16; DIM] = per_axis(|axis| targets.coords[axis].as_ptr());
        let mut word = words.as_mut_ptr();
        for (&rank, count) in ranks.iter().zip(counts) {
            let rank = rank as usize;
            let point: [V; DIM] = per_axis(|axis| V::splat(*coords[axis].add(rank)));
            let (first, mut mask) = first_word(rank, how.full);
            let own = if how.full { rank / WORD * WORD } else { usize::MAX };
            let mut found = 0;
            for at in (first * WORD..targets.len).step_by(WORD) {
                let (mut hits, mut sure) = (0, 0);
                for part in (0..WORD).step_by(V::LANES) {
                    let square = |axis: usize| point[axis].sub(V::load(coords[axis].add(at + part))).square();
                    let mut d2 = square(0);
                    for axis in 1..DIM {
                        d2 = d2.add(square(axis));
                    }
                    hits |= V::at(d2.le(upper), part);
                    sure |= V::at(d2.le(lower), part);
                }
                if at == own {
                    mask = !(1 << (rank % WORD));
                }
                if at + WORD > targets.len {
                    mask = cut(mask, at, targets.len);
                }
                hits &= mask;
                mask = u32::MAX;
                let doubtful = hits & !sure;
                if doubtful != 0 {
                    hits = sure & hits | settled(how, rank, at, doubtful);
                }
                word.write(hits);
                word = word.add(1);
                found += hits.count_ones();
            }
            *count = found;
        }
        word.offset_from(words.as_ptr()) as usize
    }
}

/// Out of the loop, or all its vectors would live in memory.
#[cold]
#[inline(never)]
fn settled(how: &mut Test, rank: usize, at: usize, doubtful: u32) -> u32 {
    (how.settle)(rank, at, doubtful)
}

/// See [`Kernels::pick`](super::Kernels::pick).
///
/// # Safety
/// V is available, there are ids for all bits of `picks`, and room for as many and a word more.
#[inline(always)]
pub unsafe fn pick<V: Lanes16>(ids: &[i32], picks: &[u32], to: &mut [i32]) -> usize {
    let (mut from, start) = (ids.as_ptr(), to.as_mut_ptr());
    let mut end = start;
    for &word in picks {
        // SAFETY: the caller runs where V is available; both sides are padded, and no more is written than was read.
        unsafe {
            end = compressed::<V>(from, word, end);
            from = from.add(WORD);
        }
    }
    // SAFETY: both are in `to`.
    unsafe { end.offset_from(start) as usize }
}

/// The memory of all rows is fetched first. Each is stored some rows after it was packed: to read what was stored just now would
/// wait for all stores before it, and those of other rows wait for memory.
///
/// # Safety
/// V is available, ids are padded behind `len`, there are words for all ranks, and there is room to pack their rows.
#[inline(always)]
pub unsafe fn emit<V: Lanes16, const SPARSE: bool>(how: &mut Emit, len: usize) {
    const BEHIND: usize = ROWS - 1;
    let mut places = [(0, 0); BATCH];
    let base = how.delivery.labels.base as i32;
    for (place, &rank) in places.iter_mut().zip(how.ranks) {
        let range = how.delivery.places.of((how.ids[rank as usize] - base) as usize);
        *place = (range.start, range.end);
    }
    let places = &places[..how.ranks.len()];
    for &(start, end) in places {
        match streams(how, end - start) {
            true => how.stores.prefetch_ends(start..end),
            false if end - start <= SHORT => how.stores.prefetch_three(start..end),
            false => how.stores.prefetch(start..end.min(start + FETCHED)),
        }
    }
    let mut word = how.words.as_ptr();
    for (k, &(start, end)) in places.iter().enumerate() {
        // SAFETY: the caller runs where V is available; ids and rows are padded.
        unsafe {
            let row = how.row.as_mut_ptr().add(k % ROWS * stride(len));
            let found = packed::<V, SPARSE>(how, (how.ranks[k], len, end - start), &mut word, row);
            assert_eq!(end - start, found, "the row of a point changed between count and fill");
            how.delivery
                .labels
                .row(std::slice::from_raw_parts_mut(row, found), how.spare);
            if k >= BEHIND {
                store::<V>(how, len, k - BEHIND, places);
            }
        }
    }
    for k in places.len().saturating_sub(BEHIND)..places.len() {
        // SAFETY: as above.
        unsafe { store::<V>(how, len, k, places) };
    }
}

/// Whether a row of that many ids is stored past the caches.
#[inline(always)]
fn streams(how: &Emit, ids: usize) -> bool {
    how.stores.are_past_caches() && ids >= LONG
}

/// Packs the row of the member at `rank`, whose words begin at `word` and are passed by, to `row`; returns how many ids it has,
/// which should be `expected`.
///
/// # Safety
/// V is available, `word` points to the member's words, and `row` has room for ids of all of them and a word more.
#[inline(always)]
unsafe fn packed<V: Lanes16, const SPARSE: bool>(
    how: &mut Emit,
    (rank, len, expected): (u16, usize, usize),
    word: &mut *const u32,
    row: *mut i32,
) -> usize {
    let first = first_word(rank.into(), how.full).0;
    let words = words_of(rank.into(), len, how.full);
    let ids = how.ids.as_ptr();
    // SAFETY: the caller runs where V is available, has the words, and room for a row and for its ranks.
    unsafe {
        if SPARSE && V::LANES == WORD && expected <= FEW * words {
            let listed = how.listed.as_mut_ptr();
            let found = ranks_of::<V>(*word, first..first + words, listed);
            for k in 0..found {
                row.add(k).write(*ids.add(listed.add(k).read() as usize));
            }
            *word = word.add(words);
            return found;
        }
        let (mut at, mut to) = (first * WORD, row);
        while at < len {
            to = compressed::<V>(ids.add(at), word.read(), to);
            *word = word.add(1);
            at += WORD;
        }
        to.offset_from(row) as usize
    }
}

/// Stores row `k` of a leaf, which is packed.
///
/// # Safety
/// V is available, and row `k` is packed.
#[inline(always)]
unsafe fn store<V: Lanes16>(how: &mut Emit, len: usize, k: usize, places: &[(usize, usize)]) {
    let (start, end) = places[k];
    let found = end - start;
    // SAFETY: the caller runs where V is available and has packed the row; `at` checks its place, which may be written.
    unsafe {
        let (row, to) = (how.row.as_ptr().add(k % ROWS * stride(len)), how.stores.at(start..end));
        match streams(how, found) {
            true => V::stream(row, to, found),
            false => V::copy(row, to, found),
        }
    }
}

/// Writes the ranks of the targets under the bits of words, the first of which is number `words.start`, to `to`; returns how many.
///
/// # Safety
/// V is available, there are as many words as numbers, and room for the ranks of all of their targets and a word more.
#[inline(always)]
unsafe fn ranks_of<V: Lanes16>(first: *const u32, words: Range<usize>, to: *mut u16) -> usize {
    let mut found = 0;
    for (k, number) in words.enumerate() {
        // SAFETY: the caller runs where V is available, has the words, and room for all of their targets.
        unsafe {
            let word = first.add(k).read();
            V::ranks(word, number * WORD, to.add(found));
            found += word.count_ones() as usize;
        }
    }
    found
}

/// Writes the ids under the bits of a word to `to`; returns where the next go.
///
/// # Safety
/// V is available, a word of ids is readable, and a word and a vector more writable at `to`.
#[inline(always)]
unsafe fn compressed<V: Lanes16>(ids: *const i32, word: u32, mut to: *mut i32) -> *mut i32 {
    let mut part = 0;
    while part < WORD {
        let hits = word >> part & (u32::MAX >> (WORD - V::IDS));
        // SAFETY: the caller runs where V is available, and has ids and room for a word.
        unsafe {
            V::compress_ids(ids.add(part), hits, to);
            to = to.add(hits.count_ones() as usize);
        }
        part += V::IDS;
    }
    to
}

/// # Safety
/// V is available, the index is padded, ranks are below the targets' number, and there are words for all of them.
#[inline(always)]
pub unsafe fn list<V: Lanes16>(how: &Ranked, to: &mut [u16]) {
    let (mut found, mut word) = (0, how.words.as_ptr());
    for &rank in how.ranks {
        let words = words_of(rank.into(), how.len, how.full);
        assert!(to.len() - found >= words * WORD);
        let first = first_word(rank.into(), how.full).0;
        // SAFETY: the caller runs where V is available; the index is padded, there are words for all rows, and room for all
        // targets of this one (checked just above).
        unsafe {
            let mut index = how.index.as_ptr().add(first * WORD);
            for _ in 0..words {
                let hits = word.read();
                V::compress(&[(index, to.as_mut_ptr().add(found).cast())], hits);
                found += hits.count_ones() as usize;
                (index, word) = (index.add(WORD), word.add(1));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    use super::super::super::neon;
    use super::super::super::{Isa, scalar};
    #[cfg(target_arch = "x86_64")]
    use super::super::super::{avx2, avx512};
    use super::*;
    use crate::list::Rows;

    /// Rows of all lengths, wherever they begin in a line: copied whole, and nothing beside them.
    fn check<V: Lanes16>(isa: Isa) {
        const GUARD: i32 = -7;
        if !isa.is_available() {
            return;
        }
        let from: Vec<i32> = (0..200).collect();
        let lens = (0..=100).flat_map(|len| (0..16).map(move |start| (len, start)));
        for (len, start) in lens {
            for streams in [false, true] {
                let mut to = vec![GUARD; start + len + 16];
                Rows::new(&mut to).stores(streams, |stores| {
                    let to = stores.at(start..start + len);
                    // SAFETY: the instruction set is there, and both sides are long enough.
                    unsafe {
                        match streams {
                            true => V::stream(from.as_ptr(), to, len),
                            false => V::copy(from.as_ptr(), to, len),
                        }
                    }
                });
                let guards = to[..start].iter().chain(&to[start + len..]);
                assert!(guards.copied().all(|id| id == GUARD), "{isa:?}: {len} ids from {start}");
                assert_eq!(to[start..][..len], from[..len], "{isa:?}: {len} ids from {start}");
            }
        }
    }

    #[test]
    fn rows_of_all_lengths() {
        check::<scalar::Single>(Isa::Scalar);
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        check::<neon::Words>(Isa::Neon);
        #[cfg(target_arch = "x86_64")]
        {
            check::<avx2::Words>(Isa::Avx2);
            check::<avx512::Words>(Isa::Avx512);
        }
    }
}
