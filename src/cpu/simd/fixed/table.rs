//! The table of kernels of an instruction set.

/// The table of kernels, each wrapped so that it is compiled for its instruction set.
macro_rules! fixed_kernels {
    ($vector:ty, $($feature:literal)?) => {
        use super::super::fixed::{kernel, Box16, Emit, Filter, Kernels, Ranked, Selection, Targets, Test};
        use crate::grid::Packed;

        $(#[target_feature(enable = $feature)])?
        unsafe fn filter(
            points: &[Packed],
            ids: &[u32],
            count: usize,
            how: &Filter,
            to: (&mut [Packed], &mut [u32]),
        ) -> usize {
            // SAFETY: the caller vouches for the instruction set and the padding.
            unsafe { kernel::filter::<$vector>(points, ids, count, how, to) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn select<const DIM: usize>(
            targets: &Targets,
            around: &Box16,
            upper: i16,
            to: &mut Selection,
        ) -> [usize; 2] {
            // SAFETY: as for `filter`.
            unsafe { kernel::select::<$vector, DIM>(targets, around, upper, to) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn zoom(coords: &mut [i16], len: usize, origin: i16, bits: u32) {
            // SAFETY: as for `filter`.
            unsafe { kernel::zoom::<$vector>(coords, len, origin, bits) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn members<const DIM: usize>(targets: &Targets, inside: &Box16, ranks: &mut [u16]) -> usize {
            // SAFETY: as for `filter`.
            unsafe { kernel::members::<$vector, DIM>(targets, inside, ranks) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn test<const DIM: usize>(
            targets: &Targets,
            ranks: &[u16],
            how: &mut Test,
            words: &mut [u32],
            counts: &mut [u32],
        ) -> usize {
            // SAFETY: as for `filter`; the caller vouches for the room and the ranks.
            unsafe { kernel::test::<$vector, DIM>(targets, ranks, how, words, counts) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn pick(ids: &[i32], picks: &[u32], to: &mut [i32]) -> usize {
            // SAFETY: as for `filter`.
            unsafe { kernel::pick::<$vector>(ids, picks, to) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn emit<const SPARSE: bool>(how: &mut Emit, len: usize) {
            // SAFETY: as for `filter`; the caller vouches for the places of the rows.
            unsafe { kernel::emit::<$vector, SPARSE>(how, len) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn list(how: &Ranked, to: &mut [u16]) {
            // SAFETY: as for `filter`; the caller vouches for the words.
            unsafe { kernel::list::<$vector>(how, to) }
        }

        const fn of<const DIM: usize>() -> Kernels {
            Kernels {
                dim: DIM,
                filter,
                select: select::<DIM>,
                zoom,
                members: members::<DIM>,
                test: test::<DIM>,
                pick,
                emit: [emit::<false>, emit::<true>],
                list,
            }
        }

        pub const KERNELS: [Kernels; 3] = [of::<1>(), of::<2>(), of::<3>()];
    };
}
pub(in crate::cpu::simd) use fixed_kernels;
