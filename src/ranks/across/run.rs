//! Runs of formulas across ranks: before rows are summed over, ghosts have the values that are read of neighbors.

use super::prepare::take_columns;
use super::{Meeting, Need, Ranks};
use crate::error::{Error, Result};
use crate::formula::{Formula, Total};
use crate::memory::{push, reserve_keeping};
use crate::points::{PointsView, Precision, Values};
use crate::ranks::agree::{exchange, meet};
use crate::search::{Exchange, NeighborsKind, RadiiAsked, Search, SolvedRadii};

const WHAT: &str = "values of ghosts";

impl Ranks {
    /// Runs a formula on all ranks. `asked` is the formula, the kind of rows and how many times.
    pub fn run(&mut self, search: &mut Search, asked: Result<(&mut Formula, NeighborsKind, i64)>) -> Result<()> {
        let asked = asked.and_then(|(formula, kind, times)| {
            search.check_points_held()?;
            search.check_formula(formula, kind, times)?;
            Ok((Need::Direct(kind), (formula, kind, times)))
        });
        let facts = asked
            .as_ref()
            .map(|(_, (formula, kind, times))| search.facts_of(formula, *kind, *times));
        let facts = facts.unwrap_or_else(|_| Ok(Vec::new()));
        let (facts, asked) = match facts {
            Ok(facts) => (facts, asked),
            Err(error) => (Vec::new(), Err(error)),
        };
        let (formula, kind, times) = self.meet(search, "run", &facts, asked)?;
        self.bring_pairs(search)?;
        let comm = self.comm.clone();
        let meeting = Meeting::of(&comm);
        let checked = search.check_run(formula, kind, times);
        let stages = checked.and_then(|()| search.stages_in_words(formula, kind));
        let (fact, stages) = match &stages {
            Ok(fact) => (std::slice::from_ref(fact), Ok(())),
            Err(error) => (&[][..], Err(error.clone())),
        };
        meeting.agree_on(fact, stages)?;
        let mut exchange = OfRanks {
            ranks: self,
            meeting: &meeting,
        };
        let done = search.run_across(exchange.unless_alone(), formula, kind, times);
        meeting.agree(done)
    }
}

impl Ranks {
    /// Seeks radii on all ranks, as [`Search::solve_radii`] does. Returns what came with the question, too.
    pub fn solve_radii<T: Precision, A>(
        &mut self,
        search: &mut Search,
        asked: Result<(RadiiAsked, A)>,
    ) -> Result<(A, SolvedRadii<T>)> {
        let asked = asked.and_then(|(asked, rest)| {
            search.check_points_held()?;
            search.check_solve::<T>(asked.formula, asked.kind, (asked.field, asked.target), &asked.range)?;
            asked.formula.check_no_pair_fields()?;
            Ok((Need::Within(asked.kind, asked.range.largest), (asked, rest)))
        });
        let facts = asked.as_ref().map(|(_, (asked, _))| asked.facts(search));
        let (facts, asked) = match facts.unwrap_or_else(|_| Ok(Vec::new())) {
            Ok(facts) => (facts, asked),
            Err(error) => (Vec::new(), Err(error)),
        };
        let (asked, rest) = self.meet(search, "solve_radii", &facts, asked)?;
        let comm = self.comm.clone();
        let meeting = &Meeting::of(&comm);
        let mut exchange = OfRanks { ranks: self, meeting };
        let RadiiAsked {
            formula,
            kind,
            field,
            target,
            range,
        } = asked;
        let solved = search.solve_across(exchange.unless_alone(), formula, kind, (field, target), &range);
        Ok((rest, meeting.agree(solved)?))
    }
}

/// The steps of a run that ranks do together.
struct OfRanks<'a> {
    ranks: &'a mut Ranks,
    meeting: &'a Meeting<'a>,
}

impl OfRanks<'_> {
    /// The steps; none for one rank, which runs as a handle without ranks does.
    fn unless_alone(&mut self) -> Option<&mut dyn Exchange> {
        match self.ranks.comm.size() {
            1 => None,
            _ => Some(self),
        }
    }
}

impl Exchange for OfRanks<'_> {
    fn bring_ghosts(&mut self, search: &mut Search, kind: NeighborsKind) -> Result<()> {
        let need = Need::Direct(kind);
        let mut made = self.ranks.made(search, need);
        self.meeting.by(|comm| meet(comm, Ok(()), [&[]; 2], None, &mut made))?;
        self.meeting.by(|_| self.ranks.prepare(search, need, made))
    }

    fn bring_values(&mut self, _: &Search, fields: &mut [(Values, usize)], are_read: &[bool]) -> Result<()> {
        let plan = self.ranks.plan.get();
        let ghosts = plan.ghosts();
        let packed = || {
            let (mut columns, mut widths) = (Vec::new(), Vec::new());
            for ((values, components), is_read) in fields.iter().zip(are_read) {
                let width = if *is_read { values.width() * components } else { 0 };
                push(&mut columns, (values.as_bytes(), width), WHAT)?;
                push(&mut widths, width, WHAT)?;
            }
            let expected = plan.expect_ghosts(widths.iter().sum())?;
            Ok((plan.pack_columns(&columns)?, expected, widths))
        };
        let (out, expected, widths) = self.meeting.agree(packed())?;
        let came = self.meeting.by(|comm| exchange(comm, out, expected))?.came;
        let columns = take_columns(&came, &widths)?;
        for (((values, components), column), is_read) in fields.iter_mut().zip(columns).zip(are_read) {
            match is_read {
                true => values.append_bytes(&column, WHAT)?,
                false => values.append_zeros(ghosts * *components, WHAT)?,
            }
        }
        Ok(())
    }

    fn any(&mut self, mine: bool) -> Result<bool> {
        let mut none = [!mine];
        self.meeting.by(|comm| meet(comm, Ok(()), [&[]; 2], None, &mut none))?;
        Ok(none == [false])
    }

    fn join(&mut self, totals: &mut [Total]) -> Result<()> {
        if totals.is_empty() {
            return Ok(());
        }
        let mut mine = Vec::new();
        let local = reserve_keeping(&mut mine, totals.len() * Total::NUMBERS, WHAT);
        self.meeting.agree(local)?;
        totals.iter().for_each(|total| mine.extend(total.to_numbers()));
        let all = self.meeting.by(|comm| comm.all_gather(bytemuck::cast_slice(&mine)))?;
        let others = all
            .iter()
            .enumerate()
            .filter(|&(rank, _)| rank != self.ranks.comm.rank());
        for (_, bytes) in others {
            let each = bytes.chunks_exact(Total::NUMBERS * size_of::<i64>());
            for (total, bytes) in totals.iter_mut().zip(each) {
                let mut numbers = [0; Total::NUMBERS];
                bytemuck::cast_slice_mut(&mut numbers[..]).copy_from_slice(bytes);
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
