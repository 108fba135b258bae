//! The way from the terms of pairs to results: joined row by row in the order of the row, or kept for each pair.

use super::{Evaluator, ROWS, Segment};
use crate::formula::number::{Number, start};
use crate::formula::program::Reduction;
use crate::real::Real;

impl<T: Real, F: Number> Evaluator<'_, T, F> {
    #[inline(always)]
    pub(super) fn start_sums(&mut self) {
        let mut sums = self.sums.chunks_exact_mut(ROWS);
        for output in &self.work.program.outputs {
            for sums in sums.by_ref().take(output.width) {
                sums[..self.rows.len()].fill(start(output.reduction));
            }
        }
    }

    /// Joins the terms of a block, whose first pair has this number in the batch, to what the rows have.
    #[inline(always)]
    pub(super) fn join(&mut self, first: usize) {
        let mut terms = self.work.schedule.terms.iter().zip(self.sums.chunks_exact_mut(ROWS));
        for (output, result) in self.work.program.outputs.iter().zip(self.work.results) {
            for (k, (&register, sums)) in terms.by_ref().take(output.width).enumerate() {
                let terms = &self.lanes.registers[register as usize];
                if output.is_of_pairs {
                    let len = self.segments.last().map_or(0, |last| last.pairs.end);
                    for (entry, &term) in (self.first_entry + first..).zip(&terms[..len]) {
                        result.put(entry * output.width + k, term);
                    }
                    continue;
                }
                for Segment { row, pairs } in &self.segments {
                    sums[*row] = join(output.reduction, sums[*row], &terms[pairs.clone()]);
                }
            }
        }
    }

    /// Stores the outputs of the rows.
    #[inline(always)]
    pub(super) fn store(&self) {
        let mut sums = self.sums.chunks_exact(ROWS);
        for (output, result) in self.work.program.outputs.iter().zip(self.work.results) {
            let sums = sums.by_ref().take(output.width);
            if output.is_of_pairs {
                sums.for_each(drop); // they are stored
                continue;
            }
            for (k, sums) in sums.enumerate() {
                for (row, &sum) in self.rows.iter().zip(sums) {
                    result.put((row.point as usize - self.work.first_row) * output.width + k, sum);
                }
            }
        }
    }
}

/// Joins terms to what is there, one after the other.
#[inline(always)]
fn join<F: Number>(reduction: Reduction, first: F, terms: &[F]) -> F {
    let terms = terms.iter().copied();
    match reduction {
        Reduction::Sum => terms.fold(first, |sum, term| sum + term),
        Reduction::Max => terms.fold(first, |most, term| if most < term { term } else { most }),
        Reduction::Min => terms.fold(first, |least, term| if term < least { term } else { least }),
    }
}
