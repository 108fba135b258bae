//! A row of ascending places in few bytes: the first place, and the gaps from one to the next, each in as many bits as the
//! row's largest needs, an even number. Four gaps are a word of 64 bits on the way: they are narrowed to the front of it, and
//! the word is stored over what the one before left empty; to widen them goes the same way back, and sums of all before make
//! places of them. The algorithm stands once, over the abstraction [`Gaps`].

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use std::ops::Range;

use super::Isa;
use crate::cpu::numbers::Numbers;
use crate::list::Rows;
#[cfg(target_arch = "x86_64")]
use crate::list::gathers_are_fast;

/// Bytes that may be written behind a row, and that must be readable there.
pub(crate) const BEHIND: usize = 64;

/// Places that must be readable behind a row that is packed, and may be written behind one that is unpacked.
pub(crate) const PLACES_BEHIND: usize = 32;

/// Bytes of the first place, and of half the number of bits of a gap.
const HEADER: usize = 3;

/// Gaps of a word.
const FOUR: usize = 4;

/// A vector of gaps or places, of 16 bits each. All methods are unsafe because an instance may only run where its instruction
/// set is available, and because loads and stores go through raw pointers.
trait Gaps: Copy {
    /// How many: a multiple of [`FOUR`] and divisor of [`PLACES_BEHIND`].
    const COUNT: usize;
    /// What depends on the number of bits.
    type Bits: Copy;

    /// For gaps of twice `half` bits.
    unsafe fn bits(half: usize) -> Self::Bits;
    /// All alike.
    unsafe fn splat(value: u16) -> Self;
    /// The gaps in front of the `count` places that follow the first; 0 for the rest.
    unsafe fn between(places: *const u16, count: usize) -> Self;
    /// Bitwise.
    unsafe fn or(self, other: Self) -> Self;
    /// All of them, bitwise.
    unsafe fn or_all(self) -> u16;
    /// Writes them narrowed; may write up to [`BEHIND`] bytes.
    unsafe fn store_narrow(self, bits: Self::Bits, to: *mut u8);
    /// Reads what was narrowed; may read up to [`BEHIND`] bytes.
    unsafe fn load_narrow(from: *const u8, bits: Self::Bits) -> Self;
    /// Each with those before it, and with `last`. Where that does not fit, those before are still right.
    unsafe fn sums(self, last: Self) -> Self;
    /// All like the last.
    unsafe fn last(self) -> Self;
    /// Unaligned.
    unsafe fn store(self, to: *mut u16);
}

/// What is done with places when they are unpacked.
trait Sink<G: Gaps> {
    /// Takes the first `count` of `places`, one at least, which are those from `at` on.
    unsafe fn put(&mut self, at: usize, count: usize, places: G);
}

/// Places, with room for [`PLACES_BEHIND`] more.
struct ToPlaces(*mut u16);

impl<G: Gaps> Sink<G> for ToPlaces {
    #[inline(always)]
    unsafe fn put(&mut self, at: usize, _count: usize, places: G) {
        // SAFETY: whoever made it keeps that room writable.
        unsafe { places.store(self.0.add(at)) }
    }
}

/// The numbers at the places, each plus `base`, looked up one by one; `to` has room for them.
struct ToNumbers<'a> {
    numbers: Numbers<'a>,
    base: i32,
    to: *mut i32,
}

impl<G: Gaps> Sink<G> for ToNumbers<'_> {
    #[inline(always)]
    unsafe fn put(&mut self, at: usize, count: usize, places: G) {
        let mut each = [0; PLACES_BEHIND];
        // SAFETY: a vector has no more places, and whoever made it keeps that room writable.
        unsafe {
            places.store(each.as_mut_ptr());
            let each = each[..count].iter().enumerate();
            match self.numbers.shared {
                0 => each.for_each(|(k, &place)| {
                    let number = self.numbers.wholes[usize::from(place)] as i32;
                    self.to.add(at + k).write(number + self.base);
                }),
                _ => each.for_each(|(k, &place)| {
                    self.to.add(at + k).write(self.numbers.of(place) as i32 + self.base);
                }),
            }
        }
    }
}

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

type PackFn = unsafe fn(&[u16], usize, &mut [u8]) -> usize;
type UnpackFn = unsafe fn(&[u8], usize, &mut [u16]) -> usize;
type LookUpFn = unsafe fn(&[u8], usize, ToNumbers) -> usize;

/// The kernels of one instruction set: rows are the same bytes for all.
#[derive(Clone, Copy)]
pub struct Kernels {
    pack: PackFn,
    unpack: UnpackFn,
    look_up: LookUpFn,
}

impl Kernels {
    /// Writes the row of the first `len` of `places`, one at least, to the front of `to`; returns its bytes. There are
    /// [`PLACES_BEHIND`] more places, and there is room for [`most`] bytes and [`BEHIND`].
    #[inline]
    pub fn pack(&self, places: &[u16], len: usize, to: &mut [u8]) -> usize {
        assert!(len > 0 && places.len() >= len + PLACES_BEHIND && to.len() >= most(len) + BEHIND);
        // SAFETY: `kernels` hands out instances of available instruction sets only; both slices are padded (checked above).
        unsafe { (self.pack)(places, len, to) }
    }

    /// Writes the `len` places of the row that begins with `bytes` to the front of `to`, which has room for [`PLACES_BEHIND`]
    /// more. Returns the row's bytes; [`BEHIND`] more follow.
    #[inline]
    pub fn unpack(&self, bytes: &[u8], len: usize, to: &mut [u16]) -> usize {
        assert!(to.len() >= len + PLACES_BEHIND);
        check(bytes, len);
        // SAFETY: as in `pack`, and gaps have 16 bits at the most.
        unsafe { (self.unpack)(bytes, len, to) }
    }

    /// Stores the numbers at the places of the row that begins with `bytes`, each plus `base`, at the row's `place` in the list.
    /// Returns the row's bytes; [`BEHIND`] more follow.
    #[inline]
    pub fn look_up(
        &self,
        bytes: &[u8],
        numbers: Numbers,
        base: i32,
        (rows, place): (&mut Rows, Range<usize>),
    ) -> usize {
        let len = place.len();
        check(bytes, len);
        let to = rows.at(place);
        // SAFETY: as in `unpack`; `at` checks that the row's place lies inside the rows, and returns where `len` ids may be written.
        unsafe { (self.look_up)(bytes, len, ToNumbers { numbers, base, to }) }
    }
}

/// Checks that `bytes` begins with a row of `len` places.
#[inline]
fn check(bytes: &[u8], len: usize) {
    assert!(len > 0 && bytes.len() >= HEADER);
    let half = usize::from(bytes[HEADER - 1]);
    assert!(half <= size_of::<u64>() && bytes.len() >= size_of_gaps(half, len) + BEHIND);
}

/// The kernels of an instruction set.
pub fn kernels(isa: Isa) -> Kernels {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 if isa.is_available() && gathers_are_fast() => avx512::GATHERING,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 if isa.is_available() => avx512::KERNELS,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 if isa.is_available() => avx2::KERNELS,
        _ => scalar::KERNELS,
    }
}

/// # Safety
/// The instruction set is available, and the slices are padded as [`Kernels::pack`] has it.
#[inline(always)]
unsafe fn pack<G: Gaps>(places: &[u16], len: usize, to: &mut [u8]) -> usize {
    let (from, start) = (places.as_ptr(), to.as_mut_ptr());
    // SAFETY: vectors begin before the row's last place and what is behind it is there; `half * COUNT / 4` bytes of each are
    // the row's, and the last is written where it begins.
    unsafe {
        let mut all = G::splat(0);
        for first in (0..len - 1).step_by(G::COUNT) {
            all = all.or(G::between(from.add(first), len - 1 - first));
        }
        let half = (u16::BITS - all.or_all().leading_zeros()).div_ceil(2) as usize;
        start.cast::<[u8; 2]>().write(places[0].to_le_bytes());
        start.add(HEADER - 1).write(half as u8);
        let (bits, mut at) = (G::bits(half), start.add(HEADER));
        for first in (0..len - 1).step_by(G::COUNT) {
            G::between(from.add(first), len - 1 - first).store_narrow(bits, at);
            at = at.add(half * G::COUNT / FOUR);
        }
        size_of_gaps(half, len)
    }
}

/// # Safety
/// As for [`pack`], and the sink has the room.
#[inline(always)]
unsafe fn unpack<G: Gaps>(bytes: &[u8], len: usize, sink: &mut impl Sink<G>) -> usize {
    let (first, half) = (u16::from_le_bytes([bytes[0], bytes[1]]), usize::from(bytes[HEADER - 1]));
    // SAFETY: as in `pack`, the other way round.
    unsafe {
        let (bits, mut last) = (G::bits(half), G::splat(first));
        let mut from = bytes.as_ptr().add(HEADER);
        sink.put(0, 1, last);
        for at in (1..len).step_by(G::COUNT) {
            let places = G::load_narrow(from, bits).sums(last);
            sink.put(at, (len - at).min(G::COUNT), places);
            (last, from) = (places.last(), from.add(half * G::COUNT / FOUR));
        }
    }
    size_of_gaps(half, len)
}

/// The kernels, wrapped so that they are compiled for their instruction set.
macro_rules! packed_kernels {
    ($gaps:ty $(, $feature:literal)?) => {
        $(#[target_feature(enable = $feature)])?
        unsafe fn pack(places: &[u16], len: usize, to: &mut [u8]) -> usize {
            // SAFETY: the caller vouches for the instruction set and the padding.
            unsafe { super::pack::<$gaps>(places, len, to) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn unpack(bytes: &[u8], len: usize, to: &mut [u16]) -> usize {
            // SAFETY: as for `pack`.
            unsafe { super::unpack::<$gaps>(bytes, len, &mut super::ToPlaces(to.as_mut_ptr())) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn look_up(bytes: &[u8], len: usize, mut to: super::ToNumbers) -> usize {
            // SAFETY: as for `pack`.
            unsafe { super::unpack::<$gaps>(bytes, len, &mut to) }
        }

        pub const KERNELS: super::Kernels = super::Kernels { pack, unpack, look_up };
    };
}
use packed_kernels;

#[cfg(test)]
mod tests {
    use super::*;

    /// Packs a row, and unpacks it, as every instruction set does, which must be alike; returns its bytes.
    fn there_and_back(row: &[u16]) -> usize {
        let (len, mut padded) = (row.len(), row.to_vec());
        padded.resize(len + PLACES_BEHIND, 0x5A5A);
        let mut bytes = vec![0; most(len) + BEHIND];
        let took = kernels(Isa::Scalar).pack(&padded, len, &mut bytes);
        assert!(took <= most(len) && took == size(&bytes, len));
        for isa in Isa::ALL {
            let mut again = vec![0xA5; most(len) + BEHIND];
            assert_eq!(kernels(isa).pack(&padded, len, &mut again), took);
            assert_eq!(again[..took], bytes[..took]);
            again[took..].fill(0xFF);
            let mut back = vec![7; len + PLACES_BEHIND];
            assert_eq!(kernels(isa).unpack(&again, len, &mut back), took);
            assert_eq!(back[..len], *row);
            check_numbers(isa, &again, row);
        }
        took
    }

    /// Looks up the numbers of a row, of a list of whole ones and of one whose numbers share some; nothing else is written.
    fn check_numbers(isa: Isa, bytes: &[u8], row: &[u16]) {
        const GUARD: i32 = -7;
        let wholes: Vec<u32> = (0..1 << u16::BITS).map(|k| 3 * k).collect();
        let lows: Vec<u16> = (0..=1 << u16::BITS).map(|k: u32| (3 * (k % 8)) as u16).collect();
        let firsts: Vec<u32> = wholes.iter().copied().step_by(8).collect();
        let whole = Numbers {
            wholes: &wholes,
            shared: 0,
            lows: &[],
        };
        let shared = Numbers {
            wholes: &firsts,
            shared: 3,
            lows: &lows,
        };
        let all = if isa == Isa::Avx512 && isa.is_available() {
            vec![kernels(isa), avx512_without_gathers()]
        } else {
            vec![kernels(isa)]
        };
        for (kernels, numbers) in all
            .into_iter()
            .flat_map(|kernels| [(kernels, whole), (kernels, shared)])
        {
            let mut ids = vec![GUARD; row.len() + 40];
            let place = 3..3 + row.len();
            let mut rows = Rows::new(&mut ids);
            assert_eq!(
                kernels.look_up(bytes, numbers, 1, (&mut rows, place.clone())),
                size(bytes, row.len())
            );
            assert!(ids[..3].iter().chain(&ids[place.end..]).all(|&id| id == GUARD));
            assert!((ids[place].iter()).eq(row.iter().map(|&at| 3 * i32::from(at) + 1).collect::<Vec<_>>().iter()));
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn avx512_without_gathers() -> Kernels {
        avx512::KERNELS
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn avx512_without_gathers() -> Kernels {
        scalar::KERNELS
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
