//! Pair fields: stages that read or make them, and their values for the caller.

use super::Search;
use super::fields::POINTS;
use super::run::spare;
use crate::arguments::{check_ids, check_name};
use crate::error::{Error, Result, Status};
use crate::fields::{Field, Fields};
use crate::formula::{Formula, Makes, Number, Schedule, StageOfText};
use crate::list::{push, reserve_discarding, resize_discarding};
use crate::pair_fields::checked::{checked, checked_by_ids};
use crate::pair_fields::{Owners, PairField, PairFields, PairRows};
use crate::points::{Numbers, Precision};

use crate::search::exchange::Exchange;
use crate::search::made::Made;
use crate::search::neighbors::NeighborsKind;
use crate::search::pair_values::{PairFieldAsked, PairValues};
use crate::search::precision::by_precision;
use crate::search::report::Evaluated;
use crate::search::restored::restoring;
use crate::search::sum::{Given, Outputs, RowsListed, collect};
use crate::simd::Isa;
use crate::version::Version;

const WHAT: &str = "pair fields";

/// Pair fields have full rows.
const KIND: NeighborsKind = NeighborsKind::Full;

/// Refuses the name of a pair field that no text can read.
fn check_pair_name(name: &str) -> Result<()> {
    check_name(name)?;
    match name {
        POINTS => {
            let allowed = "the name of a pair field; 'x' is the field of the points";
            Err(Error::not_allowed(Status::BadValue, "name", name, allowed))
        }
        _ => Ok(()),
    }
}

/// Stages of values of pairs.
impl Search {
    /// Evaluates a stage over the rows of all points, which are listed for it.
    pub(super) fn pair_stage<F: Number>(
        &mut self,
        (fields, exchange): (&mut Fields, Option<&mut dyn Exchange>),
        formula: &Formula,
        made: &mut Made,
        stage: &StageOfText,
    ) -> Result<()> {
        if stage.program.reads_class {
            let what = "a stage with pair fields that reads the class of excluded pairs";
            return Err(Error::NotSupported { what });
        }
        let (tests, seconds) = (self.report.tests, self.report.seconds);
        let version = match made.pairs.rows {
            Some(version) => version,
            None => self.list_pair_rows()?,
        };
        made.pairs.rows = Some(version);
        let with_ghosts = self.bring_values(exchange, fields, formula, (made, stage))?;
        let outputs = restoring(
            (fields, &mut *made, with_ghosts),
            |(fields, made, _)| self.evaluate_pairs::<F>(fields, formula, made, (stage, version)),
            |(fields, made, with_ghosts)| std::mem::take(with_ghosts).end(fields, formula, made),
        );
        let outputs = outputs?;
        self.report.join((tests, seconds));
        self.report.evaluated = Some(Evaluated::OnCpu(WHAT));
        for (statement, output) in formula.syntax().statements_of(&stage.statements).zip(outputs) {
            match statement.makes {
                Makes::Pair => made.pairs.put(statement.slot, version, output),
                _ => {
                    let (mut values, components) = output;
                    values.truncate(self.inputs.owned() * components);
                    made.put(statement.slot, (values, components), Version::new())
                }
            }
        }
        Ok(())
    }

    /// Finds the rows of the points as they are, and takes them up.
    fn list_pair_rows(&mut self) -> Result<Version> {
        let mut rows = self.pair_fields.spare_rows();
        let base = self.inputs.settings.index_base;
        self.neighbors(KIND)?;
        let offsets = self.counted.offsets_of(&self.inputs, self.order.get(), KIND);
        let ids: &[i32] = self.lists.ids.get();
        self.inputs
            .check_limit(WHAT, (8 * offsets.len() + 4 * ids.len()) as u64)?;
        let team = self.inputs.team_for(ids.len())?;
        let ghosts = self.ghosts_that_share()?;
        let owners = Owners {
            ids: self.inputs.ids.all(),
            ghosts: &ghosts,
        };
        rows.set((offsets, ids), owners, (base, &team))?;
        self.pair_fields.add_rows(rows)
    }

    /// The outputs of a stage, of which those of pairs have a value for each entry of the rows of a version.
    fn evaluate_pairs<F: Number>(
        &mut self,
        fields: &Fields,
        formula: &Formula,
        made: &mut Made,
        (stage, version): (&StageOfText, Version),
    ) -> Result<Outputs> {
        let mut memory = spare(formula, made, stage, |makes| makes != Makes::Pair)?.into_iter();
        let (mut spare, program) = (Vec::new(), &stage.program);
        for statement in formula.syntax().statements_of(&stage.statements) {
            let values = match statement.makes {
                Makes::Pair => made.pairs.spare(statement.slot),
                _ => memory.next().unwrap_or_default(),
            };
            push(&mut spare, values, WHAT)?;
        }
        let rows = self.pair_fields.rows_of(version).ok_or_else(|| Error::Internal {
            text: "no rows for pair fields".into(),
        })?;
        let team = self.inputs.team_for(rows.ids.len().max(self.inputs.len))?;
        let both = (formula, &self.pair_fields);
        let is_read = |slot| program.reads_pair_field(slot);
        let memory = std::mem::take(&mut made.pairs.memory);
        let carried = made.pairs.carried(both, (rows, memory), is_read, &team)?;
        let schedule = Schedule::new(program, self.inputs.has_one_cutoff(KIND))?;
        let given = Given::<F> {
            program,
            schedule: &schedule,
            fields: made.views(formula, fields, program)?,
            pairs: made.pairs.views(both, rows, &carried)?,
            positions: made.positions,
            constants: made.constants()?,
            tables: formula.tables()?,
            with_self: false,
            versions: Vec::new(),
        };
        let counts = [self.inputs.len, rows.ids.len()];
        let sizes = (program.outputs.iter()).map(|output| [counts[usize::from(output.is_of_pairs)], output.width]);
        let numbers: usize = sizes.clone().map(|[count, width]| count * width).sum();
        self.inputs.check_limit(WHAT, (numbers * size_of::<F>()) as u64)?;
        let listed = RowsListed {
            first: 0,
            offsets: &rows.offsets,
            ids: &rows.ids,
            base: 0,
            shifts: None,
        };
        let isa = self.inputs.settings.environment.isa.unwrap_or_else(Isa::best);
        let (outputs, ()) = collect(sizes, spare, |results| {
            given.begin(results);
            by_precision!(self.session, T => {
                given.sum_listed(&self.inputs, self.held::<T>()?, (KIND, isa, &team), &listed, results)
            })
        })?;
        for field in carried {
            let values = field.map(|field| field.values).unwrap_or_default();
            push(&mut made.pairs.memory, values, WHAT)?;
        }
        Ok(outputs)
    }
}

/// The caller's part.
impl Search {
    /// Sets a pair field: `values` has `components` numbers for each entry of rows of full neighbors, entry after entry. `components` is
    /// 1, or the dimension of the points for a vector. A formula reads it as `name_ij`, and gives it new values. A pair that the rows do
    /// not have has the value 0.
    ///
    /// Rows are those of the points by their numbers, or by their global ids, where these are set. They ascend as those of
    /// [`neighbors`](Search::neighbors). The handle keeps a copy. On failure the pair field stays.
    pub fn set_pair_field<T: Precision>(
        &mut self,
        name: &str,
        (offsets, ids): (&[i64], &[i32]),
        values: &[T],
        components: usize,
    ) -> Result<()> {
        check_pair_name(name)?;
        let (base, ghosts) = (self.inputs.settings.index_base, self.ghosts_that_share()?);
        let owners = Owners {
            ids: self.inputs.ids.all(),
            ghosts: &ghosts,
        };
        let team = self.inputs.team_for(ids.len())?;
        let (rows, values) = checked((offsets, ids, values), components, owners, (base, &team))?;
        if self.is_single().is_some() {
            // Points are set. Rows of points that are gone play no part.
            let points = self.inputs.len.max(offsets.len().saturating_sub(1));
            check_ids("ids", ids, points, base, &team)?;
        }
        self.put_pair_field(name, rows, values)
    }

    /// The same by rows that list global ids, or point numbers if no ids are set. Each row ascends. An entry whose id has no point
    /// plays no part.
    pub fn set_pair_field_by_ids<T: Precision>(
        &mut self,
        name: &str,
        (offsets, ids): (&[i64], &[i64]),
        values: &[T],
        components: usize,
    ) -> Result<()> {
        let asked = PairFieldAsked {
            name,
            offsets,
            ids,
            values,
            components,
        };
        let ghosts = self.ghosts_that_share()?;
        let owners = Owners {
            ids: self.inputs.ids.all(),
            ghosts: &ghosts,
        };
        let (rows, values) = self.pair_field_of(&asked, owners)?;
        self.put_pair_field(name, rows, values)
    }

    /// Whether each point is a ghost. Empty unless points share ids.
    fn ghosts_that_share(&self) -> Result<Vec<bool>> {
        let (mut ghosts, ids, roles) = (Vec::new(), &self.inputs.ids, self.inputs.kinds.roles());
        if let Some(ids) = ids.all().filter(|_| ids.are_shared()) {
            reserve_discarding(&mut ghosts, ids.len(), WHAT)?;
            ghosts.extend((0..ids.len()).map(|point| !roles.is_active(point)));
        }
        Ok(ghosts)
    }

    /// The rows and values of a pair field for points with the ids of `owners`.
    pub(crate) fn pair_field_of<T: Precision>(
        &self,
        asked: &PairFieldAsked<T>,
        owners: Owners,
    ) -> Result<(PairRows, Field)> {
        check_pair_name(asked.name)?;
        let (given, base) = (
            (asked.offsets, asked.ids, asked.values),
            self.inputs.settings.index_base,
        );
        let team = self.inputs.team_for(asked.ids.len())?;
        checked_by_ids(given, asked.components, owners, (base, &team))
    }

    /// Makes room, so that [`put_pair_field`](Search::put_pair_field) needs no memory.
    pub(crate) fn make_pair_room(&mut self, name: &str) -> Result<()> {
        self.pair_fields.make_room(name)
    }

    /// All pair fields.
    pub(crate) fn pair_fields(&self) -> &PairFields {
        &self.pair_fields
    }

    /// Gives a pair field other rows.
    pub(crate) fn put_pair_field(&mut self, name: &str, rows: PairRows, values: Field) -> Result<()> {
        let rows = self.pair_fields.add_rows(rows)?;
        let done = self.pair_fields.replace(name, PairField { rows, values });
        self.pair_fields.retain(None);
        done.map(drop)
    }

    /// A copy of the values that a pair field has, and of the rows that have them: those of the last statement that made it, or as they
    /// were set. real64 values are rounded for real32.
    ///
    /// ```
    /// # use neargrid::{Formula, NeighborsKind, PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(1.0)?;
    /// let mut formula = Formula::new("age_ij = age_ij + 1; oldest max= age_ij")?;
    /// for x in [1.0, 1.0, 2.0, 1.0] {
    ///     search.set_points(&PointsView::interleaved(1, &[0.0, x])?)?;
    ///     search.run(&mut formula, NeighborsKind::Full, 1)?;
    /// }
    /// let age = search.pair_field::<f32>("age")?;
    /// assert_eq!((&age.offsets[..], &age.ids[..]), (&[0, 1, 2][..], &[1, 0][..]));
    /// assert_eq!((&age.values[..], age.components), (&[1.0, 1.0][..], 1)); // a new contact
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn pair_field<T: Precision>(&self, name: &str) -> Result<PairValues<T>> {
        let (base, rows) = (self.inputs.settings.index_base, self.pair_fields.get(name)?.1);
        let mut ids = Vec::new();
        resize_discarding(&mut ids, rows.ids.len(), 0, WHAT)?;
        (ids.iter_mut().zip(&rows.ids)).for_each(|(to, id)| *to = id.wrapping_add(base as i32));
        self.with_values(name, ids, 0..rows.ids.len())
    }

    /// The same with global ids, or with point numbers where no ids are set. Each row ascends. It can be set by
    /// [`set_pair_field_by_ids`](Search::set_pair_field_by_ids).
    pub fn pair_field_by_ids<T: Precision>(&self, name: &str) -> Result<PairValues<T, i64>> {
        let (base, rows) = (self.inputs.settings.index_base, self.pair_fields.get(name)?.1);
        let (mut order, mut ids) = (Vec::new(), Vec::new());
        reserve_discarding(&mut order, rows.ids.len(), WHAT)?;
        order.extend(rows.ids.iter().map(|&number| rows.id_of(number, base)).zip(0..));
        for ends in rows.offsets.windows(2) {
            order[ends[0] as usize..ends[1] as usize].sort_unstable();
        }
        reserve_discarding(&mut ids, rows.ids.len(), WHAT)?;
        ids.extend(order.iter().map(|&(id, _): &(i64, usize)| id));
        self.with_values(name, ids, order.iter().map(|&(_, entry)| entry))
    }

    /// The rows of a pair field with `ids`, and the values of `entries`.
    fn with_values<T: Precision, I>(
        &self,
        name: &str,
        ids: Vec<I>,
        entries: impl Iterator<Item = usize>,
    ) -> Result<PairValues<T, I>> {
        let ((field, rows), base) = (self.pair_fields.get(name)?, self.inputs.settings.index_base);
        let (components, mut offsets, mut values) = (field.values.components, Vec::new(), Vec::new());
        resize_discarding(&mut offsets, rows.offsets.len(), 0, WHAT)?;
        (offsets.iter_mut().zip(&rows.offsets)).for_each(|(to, offset)| *to = offset + base);
        let from = field.values.values.numbers();
        reserve_discarding(&mut values, from.len(), WHAT)?;
        for entry in entries {
            let of_entry = entry * components..(entry + 1) * components;
            match from {
                Numbers::F32(from) => values.extend(from[of_entry].iter().map(|&from| T::from_f64(from.into()))),
                Numbers::F64(from) => values.extend(from[of_entry].iter().map(|&from| T::from_f64(from))),
            }
        }
        Ok(PairValues {
            offsets,
            ids,
            values,
            components,
        })
    }

    /// The numbers that a pair field has for each entry, the number of rows, and that of entries.
    pub fn pair_field_size(&self, name: &str) -> Result<[usize; 3]> {
        let (field, rows) = self.pair_fields.get(name)?;
        Ok([
            field.values.components,
            rows.offsets.len().saturating_sub(1),
            rows.ids.len(),
        ])
    }
}
