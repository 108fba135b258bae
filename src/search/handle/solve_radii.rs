//! Radii at which sums over neighbors reach a target.

use super::Search;
use super::run::as_exchange;
use crate::error::{Error, Result, Status};
use crate::fields::{Field, Of};
use crate::formula::{Formula, StageKind};
use crate::kinds::Actives;
use crate::list::{push, resize_discarding};
use crate::points::Precision;
use crate::radii::RadiusRule;
use crate::search::exchange::Exchange;
use crate::search::neighbors::NeighborsKind;
use crate::search::restored::restoring;
use crate::search::solve_radii::{Brackets, RadiusRange, SolvedRadii};

const WHAT: &str = "trial radii";

impl Search {
    /// The smallest radius of each active point, or of each query, at which a sum over the neighbors within it reaches `target`:
    /// smoothing lengths. `T` is the precision of the points.
    ///
    /// The formula makes `field`, a number for each row, by `+=` or `max=`; other statements than those over neighbors are refused.
    /// In it `c` is the radius of the row's point, as with the rule [`RadiusRule::Gather`](crate::RadiusRule::Gather). The sum must not
    /// decrease where the radius grows. With [`set_include_self`](Formula::set_include_self) a point counts itself.
    ///
    /// The formula runs once for each trial of all points. Radii that are set play no part, and stay. Afterwards the fields that the
    /// formula makes are those at the radii that are returned. On failure they are as before.
    ///
    /// ```
    /// # use neargrid::{Formula, NeighborsKind, Outcome, PointsView, RadiusRange, Search};
    /// let mut search = Search::new()?;
    /// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 3.0])?)?;
    /// let mut formula = Formula::new("n += 1 - r/c")?;
    /// let range = RadiusRange { smallest: 0.1, largest: 9.0, tolerance: 1e-5, max_iterations: 99 };
    /// let found = search.solve_radii::<f64>(&mut formula, NeighborsKind::Full, ("n", 0.5), &range)?;
    /// assert_eq!(found.unsolved(), 0);
    /// assert!(found.radii.iter().zip([2.0, 2.0, 10.0 / 3.0]).all(|(h, root)| (h - root).abs() < 1e-4));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn solve_radii<T: Precision>(
        &mut self,
        formula: &mut Formula,
        kind: NeighborsKind,
        (field, target): (&str, f64),
        range: &RadiusRange,
    ) -> Result<SolvedRadii<T>> {
        self.solve_across(None, formula, kind, (field, target), range)
    }

    /// The work of [`solve_radii`](Search::solve_radii), with other ranks where there are such.
    pub(crate) fn solve_across<T: Precision>(
        &mut self,
        exchange: Option<&mut dyn Exchange>,
        formula: &mut Formula,
        kind: NeighborsKind,
        (field, target): (&str, f64),
        range: &RadiusRange,
    ) -> Result<SolvedRadii<T>> {
        let rows = self.check_solve::<T>(formula, kind, (field, target), range)?;
        let of = if kind.is_of_queries() { Of::Queries } else { Of::Points };
        let mut fields = self.copies_of_made(formula, of)?;
        let mut radii = std::mem::take(&mut self.inputs.radii);
        restoring(
            (self, formula, false),
            |(search, formula, is_solved)| {
                let solved = search.solve::<T>(exchange, formula, (kind, rows), (field, target), range)?;
                *is_solved = true;
                Ok(solved)
            },
            |(search, formula, is_solved)| {
                search.inputs.radii = std::mem::take(&mut radii);
                for (slot, before) in fields.drain(..).filter(|_| !*is_solved) {
                    search.fields.put_back(formula.field_name(slot), of, before);
                }
            },
        )
    }

    /// Copies of the fields that a formula makes anew, by slot; of some there is none yet.
    fn copies_of_made(&mut self, formula: &Formula, of: Of) -> Result<Vec<(u32, Option<Field>)>> {
        let mut copies = Vec::new();
        for statement in &formula.syntax().statements {
            let name = formula.field_name(statement.slot);
            self.field_home(name, of)?;
            let copy = self.fields.find(name, of).map(Field::copy).transpose()?;
            push(&mut copies, (statement.slot, copy), WHAT)?;
        }
        Ok(copies)
    }

    /// The number of rows that radii are sought for.
    pub(crate) fn rows_to_solve(&self, kind: NeighborsKind) -> Result<usize> {
        self.check_points_held()?;
        match kind {
            NeighborsKind::Queries => self.inputs.queries_set(),
            _ => self.inputs.kinds.own_roles().active_of(self.inputs.owned()),
        }
    }

    /// Refuses radii that cannot be sought. Returns the number of rows.
    pub(crate) fn check_solve<T: Precision>(
        &self,
        formula: &Formula,
        kind: NeighborsKind,
        (field, target): (&str, f64),
        range: &RadiusRange,
    ) -> Result<usize> {
        range.check(target, self.held::<T>()?.periods())?;
        self.check_formula(formula, kind, 1)?;
        if kind == NeighborsKind::Half {
            let allowed = "full or queries, whose rows have all neighbors";
            return Err(Error::not_allowed(Status::BadValue, "kind", "half", allowed));
        }
        formula.check_sums(field)?;
        let stages = self.stages_of(formula, &self.fields, kind.is_of_queries())?;
        let is_one_sum = matches!(stages[..], [ref only] if matches!(only.kind, StageKind::Pairs { moves: 0, .. }));
        formula.keep(stages);
        if !is_one_sum {
            return Err(Error::NotSupported {
                what: "solve_radii by sums of which one reads another",
            });
        }
        self.rows_to_solve(kind)
    }

    fn solve<T: Precision>(
        &mut self,
        mut exchange: Option<&mut dyn Exchange>,
        formula: &mut Formula,
        (kind, rows): (NeighborsKind, usize),
        (field, target): (&str, f64),
        range: &RadiusRange,
    ) -> Result<SolvedRadii<T>> {
        let mut brackets = Brackets::<T>::new(rows, target, range)?;
        let of = if kind.is_of_queries() { Of::Queries } else { Of::Points };
        let all = self.inputs.rows_of(kind).len();
        let (mut trials, mut radii) = (Vec::new(), Vec::new());
        resize_discarding(&mut trials, rows, T::default(), WHAT)?;
        // Points that are not active have the radius 0.
        resize_discarding(&mut radii, all, T::default(), WHAT)?;
        let places = self.active_rows(kind)?;
        let mut spent = (0, [0.0; 6]);
        for iteration in 0..range.max_iterations {
            let any = brackets.trials(&mut trials);
            let any = exchange.as_mut().map_or(Ok(any), |exchange| exchange.any(any))?;
            if !any {
                break;
            }
            spread(&places, &trials, &mut radii);
            self.run_with(as_exchange(&mut exchange), formula, kind, &radii)?;
            spent = self.report.join(spent);
            let sums = self.values_as::<f64>(field, of)?;
            if sums.len() != all {
                let allowed = "the name of a number for each row, not of a vector";
                return Err(Error::not_allowed(Status::BadValue, "field", field, allowed));
            }
            brackets.take(places.iter().map(|&row| sums[row]), iteration);
        }
        let solved = brackets.end()?;
        spread(&places, &solved.radii, &mut radii);
        self.run_with(as_exchange(&mut exchange), formula, kind, &radii)?;
        if let Some(exchange) = exchange {
            exchange.any(false)?; // fields are of these radii on all ranks, or on none
        }
        self.report.join(spent);
        Ok(solved)
    }

    /// The rows that radii are sought for.
    fn active_rows(&self, kind: NeighborsKind) -> Result<Vec<usize>> {
        let rows = self.inputs.rows_of(kind).len();
        let active = match kind.is_of_queries() {
            true => Actives::first(rows),
            false => self.inputs.kinds.own_roles().actives(rows)?,
        };
        let mut places = Vec::new();
        active.among(0, rows).try_for_each(|row| push(&mut places, row, WHAT))?;
        Ok(places)
    }

    /// Runs a formula with radii.
    fn run_with<T: Precision>(
        &mut self,
        exchange: Option<&mut dyn Exchange>,
        formula: &mut Formula,
        kind: NeighborsKind,
        radii: &[T],
    ) -> Result<()> {
        match kind.is_of_queries() {
            true => self.set_query_radii(radii)?,
            false => self.set_radii(radii, RadiusRule::Gather)?,
        }
        match exchange {
            None => self.run(formula, kind, 1),
            // Ghosts get their radii on the way.
            exchange => self.run_across(exchange, formula, kind, 1),
        }
    }
}

/// Puts the radii of some rows among those of all.
fn spread<T: Precision>(places: &[usize], some: &[T], all: &mut [T]) {
    places.iter().zip(some).for_each(|(&row, &radius)| all[row] = radius);
}
