//! Totals of all points, of what each workgroup made of its own. CPU twin: `Total` in `src/formula/evaluate/points.rs`.

use crate::error::Result;
use crate::formula::{Makes, Number, Reduction, Total};
use crate::gpu::TotalWords;
use crate::list::{push, resize_discarding};

const WHAT: &str = "the totals of all points";

/// The totals that the words of all workgroups make.
pub fn totals<F: Number>(words: &[u32], layout: TotalWords, makes: impl Iterator<Item = Makes>) -> Result<Vec<f64>> {
    let (mut totals, mut sums, mut bounds) = (Vec::new(), 0, 0);
    let size = size_of::<F>() / size_of::<u32>();
    for reduction in makes.filter_map(Makes::total) {
        let mut total = Total::new(reduction)?;
        let shares = words.chunks_exact(layout.all());
        if reduction == Reduction::Sum {
            let mut digits = Vec::new();
            resize_discarding(&mut digits, layout.of_sum, 0i64, WHAT)?;
            for share in shares {
                total.add_kinds(share[1 + sums]);
                let of_share = &share[layout.flags + sums * layout.of_sum..][..layout.of_sum];
                digits
                    .iter_mut()
                    .zip(of_share)
                    .for_each(|(to, &digit)| *to += i64::from(digit as i32));
            }
            total.add_digits(&mut digits, F::LEAST_EXPONENT);
            sums += 1;
        } else {
            for share in shares {
                let bound = &share[layout.flags + layout.digits + bounds..][..size];
                total.add(F::of_words(bound).to_f64());
            }
            bounds += size;
        }
        push(&mut totals, total.value(), WHAT)?;
    }
    Ok(totals)
}
