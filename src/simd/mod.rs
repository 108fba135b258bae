//! Instruction sets: vectors of numbers, and [`Simd::run`], which compiles work for each instruction set and runs it
//! with the one of this machine. Nothing here knows a search.
//!
//! in: a [`Kernel`]; out: what it returns.
//!
//! A kernel is a struct of its arguments and the algorithm, once, over the vectors of an [`InstructionSet`]. `vector`
//! says what a new instruction set needs; the instances are in `scalar`, `neon`, `avx2` and `avx512`.

#![allow(unsafe_code)]

mod scalar;
mod vector;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;

pub use vector::{InstructionSet, IntoFrame, Kernel, KernelIn, Lanes16, Vector, WORD, Width};

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

/// The instruction set that kernels run with: an instruction set that this machine has.
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
