//! Ids in fewer bits than 32, as they come over the bus.
//!
//! in: bytes as `shaders/pack.wgsl` makes them; out: ids.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_loadu_si256,
    _mm256_set_m128i, _mm256_set1_epi32, _mm256_shuffle_epi8, _mm256_srlv_epi32, _mm256_stream_si256,
};
use std::ops::Range;

use crate::list::Pieces;

/// Bits of an id are a multiple of this, so that one begins at the first or at the fifth bit of a byte.
const STEP: u32 = 4;

/// The most bits of a packed id: with the half of a byte in front of them, they lie in four bytes.
const MOST: u32 = 28;

/// Bits of ids up to `largest`, each packed; 32 where that saves nothing.
pub fn id_bits(largest: u32) -> u32 {
    let bits = (32 - largest.max(1).leading_zeros()).next_multiple_of(STEP);
    if bits <= MOST { bits } else { 32 }
}

/// Bytes of that many ids.
pub fn packed_bytes(ids: usize, bits: u32) -> usize {
    (ids * bits as usize).div_ceil(8)
}

impl Pieces<'_> {
    /// Stores all of piece `k`, which was not taken before, of ids that have `bits` bits each: a multiple of 4 up to
    /// 28.
    pub fn store_packed(&self, k: usize, bytes: &[u8], bits: u32) {
        let len = self.range(k).len();
        assert!(bits.is_multiple_of(STEP) && (STEP..=MOST).contains(&bits) && bytes.len() >= packed_bytes(len, bits));
        self.take(k).stores(true, |stores| {
            let to = stores.at(0..len);
            // SAFETY: the piece has `len` elements, which this thread has for itself until after the fence of `stores`;
            // the rest was checked above.
            unsafe { unpack(bytes, bits, to, len) }
        });
        self.note_stored(len);
    }
}

/// Unpacks the first `len` ids of `bytes`, past the caches where there are instructions for it.
///
/// # Safety
/// `to` is writable for `len` elements. `bytes` has as many ids, of a number of bits that is allowed. Any code that
/// reads or writes there next does so after a fence.
unsafe fn unpack(bytes: &[u8], bits: u32, to: *mut i32, len: usize) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: AVX2 is there; else as promised.
        return unsafe { unpack_by_vectors(bytes, bits, to, len) };
    }
    // SAFETY: the caller's promise.
    unsafe { unpack_one_by_one(bytes, bits, to, 0..len) }
}

/// [`unpack`] of the ids `range`, with ordinary stores.
///
/// # Safety
/// `to` is writable up to the end of `range`.
unsafe fn unpack_one_by_one(bytes: &[u8], bits: u32, to: *mut i32, range: Range<usize>) {
    let mask = (1 << bits) - 1;
    for k in range {
        let at = k * bits as usize;
        let mut word = [0; 4];
        let there = &bytes[at / 8..bytes.len().min(at / 8 + 4)];
        word[..there.len()].copy_from_slice(there);
        let id = u32::from_le_bytes(word) >> (at % 8) & mask;
        // SAFETY: the caller's promise.
        unsafe { to.add(k).write(id as i32) }
    }
}

/// [`unpack`] with AVX2, eight ids at a time.
///
/// # Safety
/// As for [`unpack`], and AVX2 is there.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn unpack_by_vectors(bytes: &[u8], bits: u32, to: *mut i32, len: usize) {
    const LANES: usize = 8;
    const LOADED: usize = size_of::<__m128i>();
    let bits_of_id = bits as usize;
    let first = to.align_offset(align_of::<__m256i>()).min(len);
    // The byte where that id begins, and the bits of it before the id: they are the same for every eighth id from there
    // on.
    let (begin, before) = (first * bits_of_id / 8, first * bits_of_id % 8);
    // The places where the four bytes of each of four ids begin, and the bits of them before the id.
    let shuffle: [u8; LOADED] = std::array::from_fn(|place| ((before + place / 4 * bits_of_id) / 8 + place % 4) as u8);
    let shifts: [u32; LANES] = std::array::from_fn(|lane| ((before + lane % 4 * bits_of_id) % 8) as u32);
    let half = bits_of_id / 2; // bytes of four ids
    let vectors = match bytes.len().checked_sub(begin + half + LOADED) {
        Some(room) => ((len - first) / LANES).min(room / bits_of_id + 1),
        None => 0,
    };
    // SAFETY: the arrays are as long as the vectors. The last of the loads ends `half + LOADED` bytes after the first
    // byte of the last eight ids, inside `bytes`. As many ids are stored as there are, from an aligned one on.
    unsafe {
        let shuffle = _mm256_broadcastsi128_si256(_mm_loadu_si128(shuffle.as_ptr().cast()));
        let shifts = _mm256_loadu_si256(shifts.as_ptr().cast());
        let mask = _mm256_set1_epi32((1 << bits) - 1);
        let mut from = bytes.as_ptr().add(begin);
        let mut at: *mut __m256i = to.add(first).cast();
        for _ in 0..vectors {
            let load = |from: *const u8| _mm_loadu_si128(from.cast());
            let fours = _mm256_set_m128i(load(from.add(half)), load(from));
            let words = _mm256_srlv_epi32(_mm256_shuffle_epi8(fours, shuffle), shifts);
            _mm256_stream_si256(at, _mm256_and_si256(words, mask));
            (from, at) = (from.wrapping_add(bits_of_id), at.add(1));
        }
        unpack_one_by_one(bytes, bits, to, 0..first);
        unpack_one_by_one(bytes, bits, to, first + vectors * LANES..len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::Rows;

    /// Packs as the shader does.
    fn pack(ids: &[i32], bits: u32) -> Vec<u8> {
        let mut bytes = vec![0u8; packed_bytes(ids.len(), bits).next_multiple_of(4)];
        for (k, &id) in ids.iter().enumerate() {
            for bit in (0..bits as usize).filter(|bit| id >> bit & 1 == 1) {
                let at = k * bits as usize + bit;
                bytes[at / 8] |= 1 << (at % 8);
            }
        }
        bytes
    }

    /// Ids of all widths come back, wherever they are stored, by vectors and one by one, also where no byte follows the
    /// last one.
    #[test]
    fn ids_come_back() {
        let mut random = 1u32;
        for bits in (STEP..=MOST).step_by(STEP as usize) {
            for len in (0..40).chain([1000, 1023]) {
                let mut next = || {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (random >> (32 - bits)) as i32
                };
                let ids: Vec<i32> = (0..len).map(|_| next()).collect();
                let packed = pack(&ids, bits);
                for bytes in [&packed[..], &packed[..packed_bytes(len, bits)]] {
                    for shift in 0..8 {
                        let mut stored = vec![-1; len + 8];
                        let pieces = Pieces::every(Rows::new(&mut stored[shift..shift + len]), len).unwrap();
                        if len > 0 {
                            pieces.store_packed(0, bytes, bits);
                        }
                        assert!(stored[shift..shift + len] == ids, "{len} ids of {bits} bits");
                        assert!(stored[..shift].iter().chain(&stored[shift + len..]).all(|&id| id == -1));
                    }
                    let mut stored = vec![-1; len];
                    // SAFETY: as many elements as ids.
                    unsafe { unpack_one_by_one(bytes, bits, stored.as_mut_ptr(), 0..len) };
                    assert!(stored == ids, "{len} ids of {bits} bits");
                }
            }
        }
    }

    /// The fewest bits for the largest id.
    #[test]
    fn bits_are_enough() {
        for (largest, bits) in [
            (0, 4),
            (15, 4),
            (16, 8),
            (1 << 20, 24),
            ((1 << 20) - 1, 20),
            ((1 << 28) - 1, 28),
            (1 << 28, 32),
        ] {
            assert_eq!(id_bits(largest), bits, "{largest}");
        }
        assert_eq!(id_bits(u32::MAX), 32);
    }

    /// A piece is stored as a whole, like one that was not packed.
    #[test]
    fn pieces_are_stored() {
        let ids: Vec<i32> = (0..5000).map(|id| id * 37 % 4099).collect();
        let mut stored = vec![-1; ids.len()];
        let pieces = Pieces::every(Rows::new(&mut stored), 2048).unwrap();
        for (k, ids) in ids.chunks(2048).enumerate() {
            pieces.store_packed(k, &pack(ids, 16), 16);
        }
        pieces.into_stored();
        assert_eq!(stored, ids);
    }
}
