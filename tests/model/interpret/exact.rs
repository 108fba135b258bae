//! Exact sums in the caller's memory.

use neargrid::capi::sum::*;

use super::super::truth::Exact;
use super::*;

const WORDS: usize = NEARGRID_SUM_WORDS as usize;

/// The words of a sum, and its terms.
#[derive(Clone)]
pub(super) struct Slot {
    words: Vec<i64>,
    terms: Exact,
}

impl Default for Slot {
    fn default() -> Slot {
        Slot {
            words: vec![0; WORDS],
            terms: Exact::default(),
        }
    }
}

impl Run {
    pub(super) fn sum_exactly(&mut self, which: usize, act: &Act, null: bool) -> Checked {
        let slot = self.exact[which].clone();
        let mut checks = Checks::default();
        let words = match act {
            Act::Spoil(true) => {
                checks.must(true, BAD_VALUE);
                vec![i64::MAX; WORDS]
            }
            _ => slot.words.clone(),
        };
        let mut after = slot.terms;
        let sum = self.arena.change(&words, null);
        checks.must(null, NULL_POINTER);
        let status = match act {
            Act::Clear => {
                self.exact[which] = Slot::default();
                return Ok(());
            }
            Act::Spoil(_) => {
                checks.must(true, BAD_COUNT);
                let values = self.arena.read(&[1.0], false);
                call!(self, neargrid_sum_add(sum, -1_i64, values))
            }
            Act::Add(values) => {
                checks.must(values.iter().any(|value| !value.is_finite()), NON_FINITE);
                values.iter().for_each(|&value| after.add_product(value, 1.0));
                let (n, values) = (values.len() as i64, self.arena.read(values, values.is_empty()));
                call!(self, neargrid_sum_add(sum, n, values))
            }
            Act::AddProducts(pairs) => {
                let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
                checks.must(x.iter().chain(&y).any(|value| !value.is_finite()), NON_FINITE);
                pairs.iter().for_each(|&(x, y)| after.add_product(x, y));
                let (x, y) = (self.arena.read(&x, x.is_empty()), self.arena.read(&y, y.is_empty()));
                call!(self, neargrid_sum_add_products(sum, pairs.len() as i64, x, y))
            }
            Act::Merge => {
                let other = self.exact[(which + 1) % SUMS].clone();
                after.merge(&other.terms);
                let other = self.arena.read(&other.words, false);
                call!(self, neargrid_sum_merge(sum, other))
            }
            Act::Round => {
                let value = self.arena.write::<f64>(1, false);
                let words = In {
                    pointer: sum.pointer.cast_const(),
                };
                let status = call!(self, neargrid_sum_round(words, value));
                if self.judge(status, checks.answer(|| ()), None)?.is_some() {
                    same("an exact sum", &value.values(), &[after.rounded()])?;
                }
                return Ok(());
            }
        };
        let is_done = self.judge(status, checks.answer(|| ()), None)?.is_some();
        if is_done {
            (self.exact[which].words, self.exact[which].terms) = (sum.values(), after);
        } else if !null {
            same("words of a refused call", &sum.values(), &words)?;
        }
        Ok(())
    }
}
