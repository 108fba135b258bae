//! Values of pairs that the statements of a run make, until all are made. In: outputs of stages. Out: what later stages read, and in the
//! end the pair fields of the handle.

use crate::error::Result;
use crate::fields::{Field, FieldView};
use crate::formula::{Formula, Makes};
use crate::list::push;
use crate::pair_fields::{PairField, PairFields, PairRows};
use crate::points::Values;
use crate::threads::Team;
use crate::version::Version;

const WHAT: &str = "the pair fields of a run";

/// Values by slot.
#[derive(Debug, Default)]
pub struct MadePairs {
    /// The rows of the points as they are, once they are found.
    pub rows: Option<Version>,
    fields: Vec<Option<PairField>>,
    /// Memory for the next values.
    spare: Vec<Values>,
    /// Memory for values of other rows, by slot.
    pub memory: Vec<Values>,
}

impl MadePairs {
    pub fn new(formula: &Formula) -> Result<MadePairs> {
        let mut made = MadePairs::default();
        for _ in &formula.syntax().pairs.slots {
            push(&mut made.fields, None, WHAT)?;
            push(&mut made.spare, Values::None, WHAT)?;
        }
        Ok(made)
    }

    /// Begins a run.
    pub fn begin(&mut self) {
        for (made, spare) in self.fields.iter_mut().zip(&mut self.spare) {
            if let Some(field) = made.take() {
                *spare = field.values.values;
            }
        }
    }

    /// The memory that values of a slot had before.
    pub fn spare(&mut self, slot: u32) -> Values {
        std::mem::take(&mut self.spare[slot as usize])
    }

    /// Takes the values of a slot, for the entries of `rows`.
    pub fn put(&mut self, slot: u32, rows: Version, (values, components): (Values, usize)) {
        self.fields[slot as usize] = Some(PairField {
            rows,
            values: Field {
                values,
                components,
                version: Version::new(),
                on_device: None,
            },
        });
    }

    /// The values of a slot, or those that its name has before the run.
    fn find<'a>(&'a self, formula: &Formula, pairs: &'a PairFields, slot: u32) -> Option<&'a PairField> {
        match &self.fields[slot as usize] {
            Some(field) => Some(field),
            None => pairs.find(formula.pair_field_name(slot)),
        }
    }

    /// By slot: values that are of other rows, brought to the entries of `rows`, in `memory` by slot. `is_read` says which slots.
    pub fn carried(
        &self,
        (formula, pairs): (&Formula, &PairFields),
        (rows, memory): (&PairRows, Vec<Values>),
        is_read: impl Fn(u32) -> bool,
        team: &Team,
    ) -> Result<Vec<Option<Field>>> {
        let (mut carried, mut memory) = (Vec::new(), memory.into_iter());
        for slot in 0..self.fields.len() as u32 {
            let field = self.find(formula, pairs, slot);
            let (name, memory) = (formula.pair_field_name(slot), memory.next().unwrap_or_default());
            let field = match field.filter(|field| is_read(slot) && field.rows != rows.version) {
                Some(field) => pairs.carried((name, field), rows, memory, team)?,
                None => None,
            };
            push(&mut carried, field, WHAT)?;
        }
        Ok(carried)
    }

    /// By slot: the values of the entries of `rows`; none where all are zero.
    pub fn views<'a>(
        &'a self,
        (formula, pairs): (&Formula, &'a PairFields),
        rows: &PairRows,
        carried: &'a [Option<Field>],
    ) -> Result<Vec<Option<FieldView<'a>>>> {
        let mut views = Vec::new();
        for (slot, carried) in (0..).zip(carried) {
            let here = self
                .find(formula, pairs, slot)
                .filter(|field| field.rows == rows.version);
            let field = here.map(|field| &field.values).or(carried.as_ref());
            push(&mut views, field.map(Field::view), WHAT)?;
        }
        Ok(views)
    }

    /// Ends a run: what the statements have made becomes the handle's.
    pub fn end(&mut self, formula: &Formula, pairs: &mut PairFields) -> Result<()> {
        let syntax = formula.syntax();
        for statement in syntax.statements.iter().filter(|made| made.makes == Makes::Pair) {
            let slot = statement.slot;
            let name = syntax.pairs.slots[slot as usize].name;
            if syntax.pairs.last(name) != Some(slot) {
                continue;
            }
            if let Some(field) = self.fields[slot as usize].take() {
                let before = pairs.replace(formula.pair_field_name(slot), field)?;
                self.spare[slot as usize] = before.map(|field| field.values.values).unwrap_or_default();
            }
        }
        pairs.retain(self.rows);
        Ok(())
    }
}
