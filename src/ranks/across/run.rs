//! Runs of formulas across ranks: before rows are summed over, ghosts have the values that are read of neighbors.

use super::prepare::take_columns;
use super::{Meeting, Need, Ranks};
use crate::error::{Error, Result};
use crate::formula::{Formula, Total};
use crate::memory::{push, reserve_keeping};
use crate::points::{PointsView, Values};
use crate::ranks::agree::meet;
use crate::ranks::halo;
use crate::search::{Exchange, NeighborsKind, Search};

const WHAT: &str = "values of ghosts";

impl Ranks {
    /// Runs a formula on all ranks. `asked` is the formula, the kind of rows and how many times.
    pub fn run(&mut self, search: &mut Search, asked: Result<(&mut Formula, NeighborsKind, i64)>) -> Result<()> {
        let asked = asked.and_then(|(formula, kind, times)| {
            search.check_run_across(formula, kind, times)?;
            Ok((Need::Rows(kind), (formula, kind, times)))
        });
        // TODO-facts
        let (formula, kind, times) = self.meet(search, "run", asked)?;
        let comm = self.comm.clone();
        let meeting = Meeting::of(&comm);
        let mut exchange = OfRanks { ranks: self, meeting: &meeting };
        let done = search.run_across(Some(&mut exchange), formula, kind, times);
        meeting.agree(done)
    }
}

/// The steps of a run that ranks do together.
struct OfRanks<'a> {
    ranks: &'a mut Ranks,
    meeting: &'a Meeting<'a>,
}

impl Exchange for OfRanks<'_> {
    fn bring_ghosts(&mut self, search: &mut Search, kind: NeighborsKind) -> Result<()> {
        let need = Need::Rows(kind);
        let mut made = self.ranks.made(search, need);
        self.meeting.of(|comm| meet(comm, Ok(()), &[], None, &mut made))?;
        let prepared = self.ranks.prepare(search, need, made);
        self.meeting.after(prepared)
    }

    fn bring_values(&mut self, _: &Search, fields: &mut [(Values, usize)], are_read: &[bool]) -> Result<()> {
        let plan = self.ranks.plan.get();
        let ghosts: usize = plan.receives.iter().map(|&(_, count)| count).sum();
        let packed = || {
            let (mut columns, mut widths) = (Vec::new(), Vec::new());
            for ((values, components), is_read) in fields.iter().zip(are_read) {
                let width = if *is_read { values.width() * components } else { 0 };
                push(&mut columns, (values.as_bytes(), width), WHAT)?;
                push(&mut widths, width, WHAT)?;
            }
            let expected = halo::expect_ghosts(plan, widths.iter().sum())?;
            Ok((halo::pack_columns(plan, &columns)?, expected, widths))
        };
        let (out, expected, widths) = self.meeting.agree(packed())?;
        let came = self.meeting.after(self.ranks.comm.exchange(out, expected))?;
        let columns = take_columns(&came, &widths)?;
        for (((values, components), column), is_read) in fields.iter_mut().zip(columns).zip(are_read) {
            match is_read {
                true => values.append_bytes(&column, WHAT)?,
                false => values.append_zeros(ghosts * *components, WHAT)?,
            }
        }
        Ok(())
    }

    fn join(&mut self, totals: &mut [Total]) -> Result<()> {
        if totals.is_empty() {
            return Ok(());
        }
        let mut mine = Vec::new();
        let local = reserve_keeping(&mut mine, totals.len() * Total::NUMBERS, WHAT);
        self.meeting.agree(local)?;
        totals.iter().for_each(|total| mine.extend(total.to_numbers()));
        let all = self.meeting.after(self.ranks.comm.all_gather(bytemuck::cast_slice(&mine)))?;
        let others = all.iter().enumerate().filter(|&(rank, _)| rank != self.ranks.comm.rank());
        for (_, bytes) in others {
            let each = bytes.chunks_exact(Total::NUMBERS * size_of::<i64>());
            for (total, bytes) in totals.iter_mut().zip(each) {
                let numbers: [i64; Total::NUMBERS] = bytemuck::pod_read_unaligned(bytes);
                let Some(mut other) = Total::of_numbers(total.reduction(), &numbers)? else {
                    return Err(Error::Internal {
                        text: "a total of another rank is none".into(),
                    });
                };
                total.merge(&mut other);
            }
        }
        Ok(())
    }

    fn move_points(&mut self, search: &mut Search, positions: &Values) -> Result<()> {
        let dim = search.dim();
        match positions {
            Values::F32(positions) => {
                let view = PointsView::interleaved(dim, positions)?;
                self.ranks.update(search, &view, self.meeting).map(|_| ())
            }
            Values::F64(positions) => {
                let view = PointsView::interleaved(dim, positions)?;
                self.ranks.update(search, &view, self.meeting).map(|_| ())
            }
            Values::None => Ok(()),
        }
    }
}
