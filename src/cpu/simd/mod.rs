//! The only place with intrinsics: which of the targets in a range are in reach of a point, and how rows are written.
//!
//! in: slices of coordinates, numbers and bits; out: bits, counts, rows. Kernels know no grid, no block and no result, and allocate
//! nothing.
//!
//! A [`Kernel`] is a struct of its arguments and the algorithm, once, over the vectors of an [`InstructionSet`]. [`Simd::run`] is the
//! one dispatch. The instances of the vectors are in `scalar`, `neon`, `avx2` and `avx512`. Families of kernels:
//!
//! * [`quantized`] tests 32 targets at a time by 16-bit coordinates and is what nearly every search uses. The band of doubt around the
//!   cutoff that makes it exact is that of [`Quantized`](crate::grid::Quantized).
//! * [`exact`] tests by the caller's own coordinates, and [`few`] tests each of a few points against every other in the same way. They
//!   are exact by construction: each lane does the scalar loop's operations in its order, with no fused multiply-add.
//! * [`banded`] tests in real32 where each target has a radius of its own.

#![allow(unsafe_code)]

pub mod banded;
pub mod exact;
pub mod few;
pub mod quantized;
mod scalar;
mod vector;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;

pub use vector::{InstructionSet, IntoFrame, Kernel, KernelIn, Width};

use crate::axes::in_dim;

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

struct In<K, const DIM: usize>(K);

impl<K: KernelIn, const DIM: usize> Kernel for In<K, DIM> {
    type Output = K::Output;

    #[inline(always)]
    fn run<S: InstructionSet>(self, simd: S) -> K::Output {
        self.0.run::<S, DIM>(simd)
    }
}

/// What kernels run with: an instruction set that this machine has.
#[derive(Clone, Copy, Debug)]
pub struct Simd(Isa);

impl Simd {
    /// Runs kernels with `isa`; as plain Rust where this machine does not have it.
    pub fn new(isa: Isa) -> Simd {
        Simd(if isa.is_available() { isa } else { Isa::Scalar })
    }

    /// Runs a kernel.
    #[inline(always)]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            // SAFETY: `new` has found the instruction set on this machine.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => unsafe { avx512::run(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => unsafe { avx2::run(kernel) },
            // SAFETY: as above.
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            Isa::Neon => unsafe { neon::run(kernel) },
            _ => scalar::run(kernel),
        }
    }

    /// Runs a kernel for coordinates along `dim` axes.
    #[inline(always)]
    pub fn run_in<K: KernelIn>(self, dim: usize, kernel: K) -> K::Output {
        in_dim!(dim, DIM => self.run(In::<K, DIM>(kernel)))
    }
}

#[cfg(test)]
mod tests {
    use super::exact::{Among, RowBits, Targets};
    use super::*;
    use crate::domain::Periods;
    use crate::grid::PADDING;

    /// Points whose coordinates are not there are refused, even where there are ids for them.
    #[test]
    #[should_panic(expected = "assertion failed")]
    fn points_are_targets() {
        let (coords, ids) = ([0.0_f64; PADDING + 4], [0; PADDING + 40]);
        let targets = Targets {
            coords: [&coords; 3],
            ids: &ids,
            bounds: &[],
        };
        let among = Among {
            points: 30,
            range: 0..4,
            bound: 1.0,
            periods: &Periods::default(),
        };
        let rows = &mut [0; 32];
        Simd::new(Isa::best()).run_in(
            3,
            RowBits {
                targets,
                among,
                of: 1,
                rows,
            },
        );
    }

    /// A member that is none of the targets is refused, before words or an index are read for it.
    #[test]
    #[should_panic(expected = "assertion failed")]
    fn members_are_targets() {
        let hits = quantized::Hits {
            len: 8,
            ranks: &[60_000],
            words: &[],
            full: false,
        };
        let index = &[0; quantized::PADDING + 8];
        let to = &mut [0; 64];
        Simd::new(Isa::best()).run(quantized::rows::List { hits, index, to });
    }
}
