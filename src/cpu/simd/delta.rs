//! A row of ascending places in few bytes: the first place, and the gaps from one to the next, each in as many bits as the
//! row's largest needs, an even number: delta coding. Four gaps are a word of 64 bits on the way: they are narrowed to the front of it, and
//! the word is stored over what the one before left empty; to widen them goes the same way back, and sums of all before make
//! places of them. The algorithm stands once, over the abstraction [`Gaps`].

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

pub(crate) use super::vector::{BEHIND, PLACES_BEHIND};
pub(super) use scalar::Word;

use super::vector::{Gaps, InstructionSet, Kernel};
use scalar::FOUR;

/// Bytes of the first place, and of half the number of bits of a gap.
const HEADER: usize = 3;

/// The most bytes that a row of that many places takes.
pub fn most(len: usize) -> usize {
    HEADER + size_of::<u16>() * len
}

/// Bytes of the row of `len` places that begins with `bytes`.
pub fn size(bytes: &[u8], len: usize) -> usize {
    size_of_gaps(usize::from(bytes[HEADER - 1]), len)
}

#[inline(always)]
fn size_of_gaps(half: usize, len: usize) -> usize {
    HEADER + (half * (len - 1)).div_ceil(u8::BITS as usize / 2)
}

/// Checks that `bytes` begins with a row of `len` places; returns half the number of bits of a gap.
#[inline(always)]
fn check(bytes: &[u8], len: usize) -> usize {
    assert!(len > 0 && bytes.len() >= HEADER);
    let half = usize::from(bytes[HEADER - 1]);
    assert!(half <= size_of::<u64>() && bytes.len() >= size_of_gaps(half, len) + BEHIND);
    half
}

/// Writes the row of the first `len` of `places`, one at least, to the front of `to`; returns its bytes, which are the same for all
/// instruction sets. There are [`PLACES_BEHIND`] more places, and there is room for [`most`] bytes and [`BEHIND`].
pub struct Pack<'a> {
    pub places: &'a [u16],
    pub len: usize,
    pub to: &'a mut [u8],
}

impl Kernel for Pack<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: InstructionSet>(self, _: S) -> usize {
        let Pack { places, len, to } = self;
        assert!(len > 0 && places.len() >= len + PLACES_BEHIND && to.len() >= most(len) + BEHIND);
        let (from, start) = (places.as_ptr(), to.as_mut_ptr());
        // SAFETY: S is there; vectors begin before the row's last place and what is behind it is there; `half * COUNT / 4` bytes of
        // each are the row's, and the last is written where it begins (checked above).
        unsafe {
            let mut all = S::Gaps::splat(0);
            for first in (0..len - 1).step_by(S::Gaps::COUNT) {
                all = all.or(S::Gaps::between(from.add(first), len - 1 - first));
            }
            let half = (u16::BITS - all.or_all().leading_zeros()).div_ceil(2) as usize;
            start.cast::<[u8; 2]>().write(places[0].to_le_bytes());
            start.add(HEADER - 1).write(half as u8);
            let (bits, mut at) = (S::Gaps::bits(half), start.add(HEADER));
            for first in (0..len - 1).step_by(S::Gaps::COUNT) {
                S::Gaps::between(from.add(first), len - 1 - first).store_narrow(bits, at);
                at = at.add(half * S::Gaps::COUNT / FOUR);
            }
            size_of_gaps(half, len)
        }
    }
}

/// Writes the `len` places of the row that begins with `bytes` to the front of `to`, which has room for [`PLACES_BEHIND`]
/// more. Returns the row's bytes; [`BEHIND`] more follow.
pub struct Unpack<'a> {
    pub bytes: &'a [u8],
    pub len: usize,
    pub to: &'a mut [u16],
}

impl Kernel for Unpack<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: InstructionSet>(self, _: S) -> usize {
        let Unpack { bytes, len, to } = self;
        let half = check(bytes, len);
        assert!(to.len() >= len + PLACES_BEHIND);
        let (first, to) = (u16::from_le_bytes([bytes[0], bytes[1]]), to.as_mut_ptr());
        // SAFETY: S is there; the row is whole, and there is room behind both sides (checked above).
        unsafe {
            let (bits, mut last) = (S::Gaps::bits(half), S::Gaps::splat(first));
            let mut from = bytes.as_ptr().add(HEADER);
            to.write(first);
            for at in (1..len).step_by(S::Gaps::COUNT) {
                let places = S::Gaps::load_narrow(from, bits).sums(last);
                places.store(to.add(at));
                (last, from) = (places.last(), from.add(half * S::Gaps::COUNT / FOUR));
            }
        }
        size_of_gaps(half, len)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Isa, Simd};
    use super::*;

    /// Packs a row, and unpacks it, as every instruction set does, which must be alike; returns its bytes.
    fn there_and_back(row: &[u16]) -> usize {
        let (len, mut padded) = (row.len(), row.to_vec());
        padded.resize(len + PLACES_BEHIND, 0x5A5A);
        let mut bytes = vec![0; most(len) + BEHIND];
        let (places, to) = (&padded[..], &mut bytes[..]);
        let took = Simd::new(Isa::Scalar).run(Pack { places, len, to });
        assert!(took <= most(len) && took == size(&bytes, len));
        for isa in Isa::ALL {
            let mut again = vec![0xA5; most(len) + BEHIND];
            let (simd, to) = (Simd::new(isa), &mut again[..]);
            assert_eq!(simd.run(Pack { places, len, to }), took);
            assert_eq!(again[..took], bytes[..took]);
            again[took..].fill(0xFF);
            let mut back = vec![7; len + PLACES_BEHIND];
            let (bytes, to) = (&again[..], &mut back[..]);
            assert_eq!(simd.run(Unpack { bytes, len, to }), took);
            assert_eq!(back[..len], *row);
        }
        took
    }

    /// Rows come back as they were, whatever their lengths and gaps, and take the bytes that they should.
    #[test]
    fn rows_come_back() {
        let mut seed = 1_u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed >> 16
        };
        for bits in 1..=16 {
            for len in 1..140 {
                let mut row = vec![(random() % 100) as u16];
                while row.len() < len {
                    let gap = 1 + random() % ((1 << bits) - 1);
                    match row[row.len() - 1].checked_add(gap as u16) {
                        Some(place) => row.push(place),
                        None => break,
                    }
                }
                let largest = row.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
                let bits = (u16::BITS - largest.leading_zeros()).next_multiple_of(2) as usize;
                assert_eq!(there_and_back(&row), 3 + ((row.len() - 1) * bits).div_ceil(8));
            }
        }
    }

    /// The largest gaps there are.
    #[test]
    fn far_places_come_back() {
        for row in [vec![0, u16::MAX], vec![u16::MAX], vec![0, 1, u16::MAX - 1, u16::MAX]] {
            there_and_back(&row);
        }
    }
}
