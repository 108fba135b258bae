//! Statements for each point, and numbers made of the terms of all. In: what they read. Out: the values of all points, and totals.

use crate::error::Result;
use crate::formula::{Number, PointEvaluator, PointWork, Total};
use crate::list::push;
use crate::threads::Team;

const WHAT: &str = "the statements for each point";

/// Points that a thread takes at once.
const PIECE: usize = 1 << 13;

/// Evaluates all of `rows` points; returns the totals, in the order of the outputs that are such.
pub fn each_point<F: Number>(work: &PointWork<F>, rows: usize, team: &Team) -> Result<Vec<Total>> {
    let mut evaluators = Vec::new();
    for _ in 0..team.threads() {
        push(&mut evaluators, PointEvaluator::new(work)?, WHAT)?;
    }
    team.run(&mut evaluators, rows.div_ceil(PIECE), |evaluator, piece| {
        evaluator.points(piece * PIECE..rows.min((piece + 1) * PIECE));
        Ok(())
    })?;
    let mut all = evaluators.into_iter();
    let mut totals = all.next().map(|first| first.totals).unwrap_or_default();
    for mut other in all {
        totals
            .iter_mut()
            .zip(&mut other.totals)
            .for_each(|(total, other)| total.merge(other));
    }
    Ok(totals)
}
