//! The only place with intrinsics: which of the targets in a range are in reach of a point.
//!
//! Four families of kernels: [`fixed`] tests 32 targets at a time by 16-bit coordinates and is what nearly every search
//! uses; `kernel` tests by the caller's own coordinates, for blocks that no frame fits; [`few`] so too, each of few points
//! against every other; [`banded`] tests in real32 where each target has a radius of its own. The algorithms stand once each,
//! over the small abstractions [`vector::Vector`] and [`fixed::Lanes16`]; `scalar`, `neon`, `avx2` and `avx512` are the instances.
//! Exactness of `kernel` and [`few`] is by construction: each lane does the scalar loop's operations in its order, with no fused
//! multiply-add. The band around the cutoff that makes `fixed` exact is that of [`Fixed`](crate::grid::Fixed).

pub mod banded;
pub mod few;
pub mod fixed;
mod kernel;
pub mod packed;
mod scalar;
mod vector;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;

use std::ops::Range;

use few::{Bits, Within};

use crate::domain::Periods;
use crate::grid::PADDING;
use crate::points::Real;

/// An instruction set the kernels have an instance for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// Plain Rust, vectorised as far as the compiler can.
    Scalar,
    /// 128-bit vectors of ARM's.
    Neon,
    /// 256-bit vectors.
    Avx2,
    /// 512-bit vectors with compression, of words too (Ice Lake, Zen 4 and later).
    Avx512,
}

impl Isa {
    /// All, from the narrowest.
    pub const ALL: [Isa; 4] = [Isa::Scalar, Isa::Neon, Isa::Avx2, Isa::Avx512];

    /// The name in `NEARGRID_SIMD` and in info.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Scalar => "scalar",
            Isa::Neon => "neon",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        }
    }

    /// Whether this machine has it.
    pub fn is_available(self) -> bool {
        match self {
            Isa::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt"),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vbmi2")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            Isa::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            _ => false,
        }
    }

    /// The widest this machine has.
    pub fn best() -> Isa {
        Isa::ALL
            .into_iter()
            .rev()
            .find(|isa| isa.is_available())
            .unwrap_or(Isa::Scalar)
    }
}

/// Plain Rust that is compiled for every instruction set. What it calls must be inlined. No operation becomes another one, so
/// results have the same bits.
pub trait Compiled {
    /// Does the work; always inlined.
    fn run(self);
}

/// Does work in its instance for an instruction set.
pub fn compiled_for(isa: Isa, work: impl Compiled) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt")]
    fn for_avx2(work: impl Compiled) {
        work.run();
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi2,avx2,popcnt")]
    fn for_avx512(work: impl Compiled) {
        work.run();
    }
    match isa {
        // SAFETY: the instruction set is there.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 if isa.is_available() => unsafe { for_avx512(work) },
        // SAFETY: the same.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 if isa.is_available() => unsafe { for_avx2(work) },
        _ => work.run(),
    }
}

/// A precision that has kernels.
pub trait Width: Real {
    /// The kernels of `isa`, by dim minus one.
    fn kernels(isa: Isa) -> [Kernels<Self>; 3];
}

macro_rules! width {
    ($type:ident) => {
        impl Width for $type {
            fn kernels(isa: Isa) -> [Kernels<$type>; 3] {
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512 if isa.is_available() => avx512::$type::KERNELS,
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2 if isa.is_available() => avx2::$type::KERNELS,
                    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
                    Isa::Neon if isa.is_available() => neon::$type::KERNELS,
                    _ => scalar::$type::KERNELS,
                }
            }
        }
    };
}
width!(f32);
width!(f64);

/// Points tested against: coordinates per axis (only `dim` are read) and ids, each with [`PADDING`] elements more than
/// any range tested.
#[derive(Clone, Copy)]
pub struct Targets<'a, T> {
    pub coords: [&'a [T]; 3],
    pub ids: &'a [i32],
}

/// Where selected targets are written: arrays as long as those of the targets.
pub struct Selection<'a, T> {
    pub coords: [&'a mut [T]; 3],
    pub ids: &'a mut [i32],
}

/// A point to test targets against: those at most `bound` away, squared, are in reach.
pub struct Reach<'a, T> {
    pub point: [T; 3],
    pub bound: T,
    /// Axes along which the nearest image of a target counts.
    pub periods: &'a Periods<T>,
}

/// Targets, 32 at most, that the points from number `points` on are tested against.
pub struct Among<'a, T> {
    pub points: usize,
    pub range: Range<usize>,
    pub bound: T,
    pub periods: &'a Periods<T>,
}

/// A box to select targets around: those at most `upper` away, squared, of which along a periodic axis the nearest image.
pub struct Near<'a, T> {
    pub lo: [T; 3],
    pub hi: [T; 3],
    pub upper: T,
    pub periods: &'a Periods<T>,
}

type CountFn<T> = unsafe fn(&Targets<T>, Range<usize>, &Reach<T>) -> usize;
type RowsFn<T> = unsafe fn(&Targets<T>, &Among<T>, u32, &mut [u32; 32]);
type TestFn<T> = unsafe fn(&Targets<T>, &Within<T>, &mut [Bits], &mut [u32]);
type NearFn<T> = unsafe fn(&Targets<T>, Range<usize>, &Near<T>) -> u32;
type EmitFn<T> = unsafe fn(&Targets<T>, Range<usize>, &Reach<T>, *mut i32) -> usize;
type MeasureFn<T> = unsafe fn(&Targets<T>, Range<usize>, &Reach<T>, *mut i32, *mut T) -> usize;
type RankFn<T> = unsafe fn(*const T, usize, *mut u32);
type SelectFn<T> = unsafe fn(&Targets<T>, usize, &Near<T>, &mut Selection<T>) -> usize;

/// The kernels of one dim, precision and instruction set.
pub struct Kernels<T> {
    dim: usize,
    count: CountFn<T>,
    rows: RowsFn<T>,
    test: TestFn<T>,
    near: NearFn<T>,
    emit: EmitFn<T>,
    measure: MeasureFn<T>,
    select: SelectFn<T>,
    rank: RankFn<T>,
}

impl<T> Clone for Kernels<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Kernels<T> {}

impl<T> Kernels<T> {
    /// How many targets of `range` are in reach.
    #[inline]
    pub fn count(&self, targets: &Targets<T>, range: Range<usize>, reach: &Reach<T>) -> usize {
        self.check(targets, &range);
        // SAFETY: `Width::kernels` hands out instances of available instruction sets only; `check` proved that vectors
        // that start inside the range stay inside the slices.
        unsafe { (self.count)(targets, range, reach) }
    }

    /// Which targets of a range each of some points reaches, as bits, the lowest for the first: `rows[k]` is written for those
    /// bits `k` of `of` that are set.
    #[inline]
    pub fn rows(&self, targets: &Targets<T>, among: &Among<T>, of: u32, rows: &mut [u32; 32]) {
        self.check(targets, &among.range);
        assert!(among.range.len() <= 32);
        self.check(
            targets,
            &(among.points..among.points + 32 - of.leading_zeros() as usize),
        );
        // SAFETY: as in `count`; the points are targets too (checked above).
        unsafe { (self.rows)(targets, among, of, rows) }
    }

    /// Tests as many targets as there are `rows`, infinitely far ones behind them, against each other, and counts the bits of
    /// each row.
    #[inline]
    pub fn test(&self, targets: &Targets<T>, within: &Within<T>, rows: &mut [Bits], counts: &mut [u32]) {
        self.check(targets, &(0..rows.len()));
        assert!(rows.len() <= crate::grid::FEW && counts.len() >= rows.len());
        // SAFETY: as in `count`; a row has a bit for each target.
        unsafe { (self.test)(targets, within, rows, counts) }
    }

    /// Which targets of `range`, 32 at most, [`select`](Kernels::select) would copy, as bits.
    #[inline]
    pub fn near(&self, targets: &Targets<T>, range: Range<usize>, near: &Near<T>) -> u32 {
        self.check(targets, &range);
        assert!(range.len() <= u32::BITS as usize);
        // SAFETY: as in `count`.
        unsafe { (self.near)(targets, range, near) }
    }

    /// Writes the ids of the targets of `range` in reach, in their order, to the front of `row`, and returns how many.
    /// `row` needs room for [`PADDING`] more than the range is long.
    #[inline]
    pub fn emit(&self, targets: &Targets<T>, range: Range<usize>, reach: &Reach<T>, row: &mut [i32]) -> usize {
        self.check(targets, &range);
        assert!(row.len() >= range.len() + PADDING);
        // SAFETY: as in `count`; a vector is written at most at `range.len() - 1`, and there is room for a whole one.
        unsafe { (self.emit)(targets, range, reach, row.as_mut_ptr()) }
    }

    /// Writes ids and distances squared of the targets of `range` in reach, in their order, to the front of `ids` and
    /// `squares`, and returns how many. Both need room for [`PADDING`] more than the range is long.
    #[inline]
    pub fn measure(
        &self,
        targets: &Targets<T>,
        range: Range<usize>,
        reach: &Reach<T>,
        (ids, squares): (&mut [i32], &mut [T]),
    ) -> usize {
        self.check(targets, &range);
        assert!(ids.len().min(squares.len()) >= range.len() + PADDING);
        // SAFETY: as in `emit`.
        unsafe { (self.measure)(targets, range, reach, ids.as_mut_ptr(), squares.as_mut_ptr()) }
    }

    /// Writes to `ranks[k]` how many of the first `len` of `values` are less than the `k`-th. The [`PADDING`] behind them are
    /// not less than any.
    #[inline]
    pub fn rank(&self, values: &[T], len: usize, ranks: &mut [u32]) {
        assert!(values.len() >= len + PADDING && ranks.len() >= len);
        // SAFETY: as in `count`; vectors start before `len`, and as many ranks are written.
        unsafe { (self.rank)(values.as_ptr(), len, ranks.as_mut_ptr()) }
    }

    /// Copies those of the first `len` targets that are `near` a box, in their order, and returns how many. No target in
    /// reach of a point in the box is left out: rounding is monotone, so the rounded distance from the box never exceeds the
    /// rounded distance from the point.
    #[inline]
    pub fn select(&self, targets: &Targets<T>, len: usize, near: &Near<T>, selection: &mut Selection<T>) -> usize {
        self.check(targets, &(0..len));
        let padded = len + PADDING;
        assert!(selection.ids.len() >= padded);
        assert!(selection.coords[..self.dim].iter().all(|coords| coords.len() >= padded));
        // SAFETY: as in `count`; never more is written than was read, into arrays as long.
        unsafe { (self.select)(targets, len, near, selection) }
    }

    fn check(&self, targets: &Targets<T>, range: &Range<usize>) {
        let padded = range.end + PADDING;
        assert!(range.start <= range.end && targets.ids.len() >= padded);
        assert!(targets.coords[..self.dim].iter().all(|coords| coords.len() >= padded));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points whose coordinates are not there are refused, even where there are ids for them.
    #[test]
    #[should_panic(expected = "assertion failed")]
    fn points_are_targets() {
        let (coords, ids) = ([0.0_f64; PADDING + 4], [0; PADDING + 40]);
        let targets = Targets {
            coords: [&coords; 3],
            ids: &ids,
        };
        let among = Among {
            points: 30,
            range: 0..4,
            bound: 1.0,
            periods: &Periods::default(),
        };
        f64::kernels(Isa::best())[2].rows(&targets, &among, 1, &mut [0; 32]);
    }

    /// A member that is none of the targets is refused, before words or an index are read for it.
    #[test]
    #[should_panic(expected = "assertion failed")]
    fn members_are_targets() {
        let ranked = fixed::Ranked {
            index: &[0; fixed::PADDING + 8],
            len: 8,
            ranks: &[60_000],
            words: &[],
            full: false,
        };
        fixed::kernels(Isa::best(), 3).list(&ranked, &mut [0; 64]);
    }
}
