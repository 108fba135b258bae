//! Kernels of the search: which of the targets in a range are in reach of a point, and how rows are written.
//!
//! in: slices of coordinates, numbers and bits; out: bits, counts, rows. Kernels know no block and no result, and
//! allocate nothing.
//!
//! A kernel is written once, over the vectors of an [`InstructionSet`](crate::simd::InstructionSet). Families of
//! kernels:
//!
//! * [`quantized`] tests 32 targets at a time by 16-bit coordinates and is what nearly every search uses. The band of
//!   doubt around the cutoff that makes it exact is that of [`Quantized`](crate::grid::Quantized).
//! * [`exact`] tests by the caller's own coordinates, and [`few`] tests each of a few points against every other in the
//!   same way. They are exact by construction: each lane does the scalar loop's operations in its order, with no fused multiply-add.
//! * [`binned`] counts hits of either in bins of distance, by the caller's own coordinates.
//! * [`banded`] tests in real32 where each target has a radius of its own.

#![allow(unsafe_code)]

pub mod banded;
pub mod binned;
pub mod exact;
pub mod few;
pub mod quantized;

#[cfg(test)]
mod tests {
    use super::exact::{Among, RowBits, Targets};
    use super::quantized;
    use crate::domain::Periods;
    use crate::grid::PADDING;
    use crate::simd::{Isa, Simd};

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
        let index = &[0; quantized::TARGET_PADDING + 8];
        let to = &mut [0; 64];
        Simd::new(Isa::best()).run(quantized::rows::List { hits, index, to });
    }
}
