//! The steps of a stage: each computes a register, for up to a block of rows, neighbors or pairs.

use std::mem::swap;
use std::ops::Range;

use super::points::read as read_entries;
use super::{Cutoffs, Evaluator, Segment, TARGETS};
use crate::formula::number::Number;
use crate::formula::program::Side;
use crate::formula::schedule::{Stage, Step, What};
use crate::points::Numbers;
use crate::real::Real;

impl<T: Real, F: Number> Evaluator<'_, T, F> {
    /// Does the steps of a stage for `len` rows, targets or pairs, from the one at `first` on.
    #[inline(always)]
    pub(super) fn steps(&mut self, stage: Stage, first: usize, len: usize) {
        for step in &self.work.schedule.stages[stage as usize] {
            let to = step.to as usize;
            if let What::Keep(column) = step.what {
                let columns = match stage {
                    Stage::Row => &mut self.columns_of_rows,
                    _ => &mut self.targets.columns,
                };
                let from = &self.lanes.registers[step.operands[0] as usize];
                columns[column][first..first + len].copy_from_slice(&from[..len]);
                continue;
            }
            swap(&mut self.lanes.spare, &mut self.lanes.registers[to]);
            match step.what {
                What::Operation(kind) => {
                    let (constants, tables) = (self.work.constants, self.work.tables);
                    self.lanes.operate(kind, step, len, (constants, tables));
                }
                _ => self.read(step, first, len),
            }
            swap(&mut self.lanes.spare, &mut self.lanes.registers[to]);
        }
    }

    /// Reads the cutoffs of pairs into the spare register.
    #[inline(always)]
    fn cutoffs(&mut self, first: usize) {
        match &self.work.cutoffs {
            Cutoffs::Same(cutoff) => self.lanes.spare.fill(F::from_f64(cutoff.to_f64())),
            Cutoffs::ByRadii(reach) => {
                let Some(radii) = self.targets.radii.first_chunk() else {
                    return;
                };
                for Segment { row, pairs } in &self.segments {
                    let mine = reach.of(self.rows[*row].point as usize);
                    let ranks = &self.ranks[first..][pairs.clone()];
                    for (to, &rank) in self.lanes.spare[pairs.clone()].iter_mut().zip(ranks) {
                        let cutoff = reach.rule.cutoff(mine, at(radii, rank));
                        *to = F::from_f64(cutoff.to_f64());
                    }
                }
            }
            Cutoffs::ByTypes(cutoffs) => {
                let numbers = &self.targets.numbers[..];
                for Segment { row, pairs } in &self.segments {
                    let mine = self.rows[*row].point as usize;
                    let ranks = &self.ranks[first..][pairs.clone()];
                    for (to, &rank) in self.lanes.spare[pairs.clone()].iter_mut().zip(ranks) {
                        let cutoff = cutoffs.of(mine, numbers[usize::from(rank)] as usize);
                        *to = F::from_f64(cutoff.to_f64());
                    }
                }
            }
        }
    }

    /// Reads what a step is, for the points of its stage, into the spare register.
    #[inline(always)]
    fn read(&mut self, step: &Step, first: usize, len: usize) {
        let work = self.work;
        match step.what {
            What::AddProduct => self.lanes.each(step, len, |a, b, c| a + b * c),
            What::Displace(axis) => match work.periods.0[axis] {
                None => self.displace(axis, first, |x, y| Real::sub(x, y)),
                Some(_) => self.displace(axis, first, |x, y| work.periods.difference(axis, x, y)),
            },
            What::Cut => self.cutoffs(first),
            What::Class => self.read_classes(first),
            What::Spread(Side::I, column) => {
                let column = &self.columns_of_rows[column];
                for Segment { row, pairs } in &self.segments {
                    self.lanes.spare[pairs.clone()].fill(column[*row]);
                }
            }
            What::Spread(Side::J, column) => {
                let Some(column) = self.targets.columns[column].first_chunk() else {
                    return;
                };
                let ranks = &self.ranks[first..first + len];
                for (to, &rank) in self.lanes.spare.iter_mut().zip(ranks) {
                    *to = at(column, rank);
                }
            }
            What::Read(field, side, k) => {
                if work.positions == Some(field) {
                    return self.read_field(side, &work.axes[k], [1, 0], first..first + len);
                }
                let Some(view) = work.fields[field as usize][side as usize] else {
                    return; // checked before
                };
                let place = [view.stride, work.first_row];
                match view.component(k) {
                    Numbers::F32(values) => self.read_field(side, values, place, first..first + len),
                    Numbers::F64(values) => self.read_field(side, values, place, first..first + len),
                }
            }
            What::OfPair(slot, k) => self.read_pair_field((slot, k), first, len),
            What::Operation(_) | What::Keep(_) => (),
        }
    }

    /// Reads the class of each pair, 0 of those that are not excluded.
    #[inline(always)]
    fn read_classes(&mut self, first: usize) {
        for Segment { row, pairs } in &self.segments {
            let point = self.rows[*row].point;
            let row = self.work.excluded.map(|excluded| excluded.row_with_classes(point));
            let row = row.unwrap_or_default();
            let by_shift = self.work.excluded.filter(|excluded| excluded.are_of_images());
            let by_shift = by_shift.filter(|_| self.work.cell.is_some());
            let ranks = &self.ranks[first..][pairs.clone()];
            for (to, &rank) in self.lanes.spare[pairs.clone()].iter_mut().zip(ranks) {
                let other = self.targets.numbers[usize::from(rank)];
                let class = match by_shift {
                    None => class_of(row, other),
                    Some(excluded) => excluded.class_of_image(point, (other, self.targets.shifts[usize::from(rank)])),
                };
                *to = F::from_f64(class.into());
            }
        }
    }

    /// Reads a component of a pair field for each pair of a block.
    #[inline(always)]
    fn read_pair_field(&mut self, (slot, k): (u32, usize), first: usize, len: usize) {
        let (to, first) = (&mut self.lanes.spare[..len], self.first_entry + first);
        let Some(view) = self.work.pairs[slot as usize] else {
            return to.fill(F::default()); // no pair has a value yet
        };
        match view.component(k) {
            Numbers::F32(values) => read_entries(to, values, view.stride, first),
            Numbers::F64(values) => read_entries(to, values, view.stride, first),
        }
    }

    /// Reads a value for each row or target of a range, of which those of points are `stride` apart; the first is that of
    /// the row of number `first_row`.
    #[inline(always)]
    fn read_field<S: Real>(&mut self, side: Side, values: &[S], [stride, first_row]: [usize; 2], range: Range<usize>) {
        // Queries are among the targets too. No row lists them, and they have no value of this field.
        let value = |point: usize| F::from_f64(values.get(point * stride).copied().unwrap_or_default().to_f64());
        match side {
            Side::I => {
                for (to, row) in self.lanes.spare.iter_mut().zip(&self.rows[range]) {
                    *to = value(row.point as usize - first_row);
                }
            }
            Side::J => {
                for (to, &j) in self.lanes.spare.iter_mut().zip(&self.targets.numbers[range]) {
                    *to = value(j as usize);
                }
            }
        }
    }

    /// The difference of each pair, rounded. The loop has no case to decide that is the same for all pairs.
    #[inline(always)]
    fn displace(&mut self, axis: usize, first: usize, difference: impl Fn(T, T) -> T) {
        let Some(others) = self.targets.axes[axis].first_chunk() else {
            return;
        };
        let mine = &self.work.axes[axis];
        for Segment { row, pairs } in &self.segments {
            let x = mine[self.rows[*row].point as usize];
            let ranks = &self.ranks[first..][pairs.clone()];
            for (to, &rank) in self.lanes.spare[pairs.clone()].iter_mut().zip(ranks) {
                *to = F::from_f64(difference(x, at(others, rank)).to_f64());
            }
        }
    }
}

/// The class of a pair, given the row of excluded pairs of its point. Most points are not between the ends of the row.
#[inline(always)]
fn class_of((ids, classes): (&[u32], &[u8]), other: u32) -> u8 {
    let [Some(&first), Some(&last)] = [ids.first(), ids.last()] else {
        return 0;
    };
    if !(first..=last).contains(&other) {
        return 0;
    }
    ids.binary_search(&other).map_or(0, |at| classes[at])
}

/// The value that a column has for a target. No rank is larger, which the compiler sees here.
#[inline(always)]
fn at<S: Copy>(column: &[S; TARGETS], rank: u16) -> S {
    column[usize::from(rank) % TARGETS]
}
