//! Values that the statements of a run make, until all are made. In: outputs of stages. Out: what later stages read, and in the end the
//! fields of the handle and the numbers of the formula.

mod pairs;

use super::before::Before;
use crate::error::Result;
use crate::fields::{Field, FieldView, Fields, Of};
use crate::formula::{Formula, Makes, Number, PointEvaluator, PointWork, Program, Schedule, Side, StageOfText};
use crate::kinds::Actives;
use crate::list::{push, reserve_keeping, resize_keeping};
use crate::pair_fields::PairFields;
use crate::points::Values;
use crate::simd::Isa;
use crate::version::Version;
pub use pairs::MadePairs;

const WHAT: &str = "the fields of a run";

/// Values by slot.
#[derive(Debug, Default)]
pub struct Made {
    /// Rows are those of queries.
    of_queries: bool,
    fields: Vec<Option<Field>>,
    /// Memory for the next values.
    spare: Vec<Values>,
    pub numbers: Vec<f64>,
    pub pairs: MadePairs,
    /// The points before this step, if it has moved them.
    pub before: Before,
    /// The slot of the positions that the points have now.
    pub positions: Option<u32>,
}

impl Made {
    pub fn new(formula: &Formula, of_queries: bool) -> Result<Made> {
        let mut made = Made {
            of_queries,
            ..Made::default()
        };
        made.pairs = MadePairs::new(formula)?;
        for _ in &formula.syntax().fields.slots {
            push(&mut made.fields, None, WHAT)?;
            push(&mut made.spare, Values::None, WHAT)?;
        }
        Ok(made)
    }

    /// Makes room for all results of a run, so that the run stores all of them or none.
    pub fn make_room(&self, formula: &Formula, (fields, pairs): (&mut Fields, &mut PairFields)) -> Result<()> {
        let (syntax, of) = (formula.syntax(), if self.of_queries { Of::Queries } else { Of::Points });
        for statement in &syntax.statements {
            match statement.makes {
                Makes::Neighbors(_) | Makes::Point if !syntax.is_of_points(statement) => {
                    fields.make_room(formula.field_name(statement.slot), of)?
                }
                Makes::Pair => pairs.make_room(formula.pair_field_name(statement.slot))?,
                _ => (),
            }
        }
        Ok(())
    }

    /// Begins a run.
    pub fn begin(&mut self, formula: &Formula) -> Result<()> {
        self.numbers = formula.numbers_before()?;
        self.pairs.begin();
        let syntax = formula.syntax();
        self.positions = syntax.points.and_then(|name| syntax.fields.initial(name));
        for (made, spare) in self.fields.iter_mut().zip(&mut self.spare) {
            if let Some(field) = made.take() {
                *spare = field.values;
            }
        }
        Ok(())
    }

    /// The memory that values of a slot had before.
    pub fn spare(&mut self, slot: u32) -> Values {
        std::mem::take(&mut self.spare[slot as usize])
    }

    /// Keeps the memory of values of a slot for the next.
    pub fn keep_spare(&mut self, slot: u32, values: Values) {
        self.spare[slot as usize] = values;
    }

    /// Takes the values of a slot.
    pub fn put(&mut self, slot: u32, (values, components): (Values, usize), version: Version) {
        self.fields[slot as usize] = Some(Field {
            values,
            components,
            version,
            on_device: None,
        });
    }

    /// The field of the points that a slot is.
    pub fn field_of_points<'a>(
        &'a mut self,
        slot: u32,
        formula: &Formula,
        known: &'a mut Fields,
    ) -> Option<&'a mut Field> {
        match &mut self.fields[slot as usize] {
            Some(field) => Some(field).filter(|_| !self.of_queries),
            None => known.find_mut(formula.field_name(slot), Of::Points),
        }
    }

    /// The fields that a program reads: for each slot, the field read for i and the field read for j. The present positions are not
    /// among them.
    pub fn views<'a>(
        &'a self,
        formula: &Formula,
        fields: &'a Fields,
        program: &Program,
    ) -> Result<Vec<[Option<FieldView<'a>>; 2]>> {
        let mut views = Vec::new();
        resize_keeping(&mut views, program.slots(), [None; 2], WHAT)?;
        for slot in program.fields() {
            let view = |side| {
                let of = match self.of_queries && side == Side::I {
                    true => Of::Queries,
                    false => Of::Points,
                };
                let field = self.fields[slot as usize].as_ref();
                let field = field.or_else(|| fields.find(formula.field_name(slot), of));
                field.map(Field::view)
            };
            views[slot as usize] = [Side::I, Side::J].map(view);
        }
        Ok(views)
    }

    /// All numbers, rounded.
    pub fn constants<F: Number>(&self) -> Result<Vec<F>> {
        let mut constants = Vec::new();
        reserve_keeping(&mut constants, self.numbers.len(), WHAT)?;
        constants.extend(self.numbers.iter().map(|&number| F::from_f64(number)));
        Ok(constants)
    }

    /// Ends a run: what the statements have made becomes the handle's and the formula's.
    pub fn end(&mut self, formula: &mut Formula, fields: &mut Fields) -> Result<()> {
        let of = if self.of_queries { Of::Queries } else { Of::Points };
        let syntax = formula.syntax();
        for statement in &syntax.statements {
            let is_field = matches!(statement.makes, Makes::Neighbors(_) | Makes::Point);
            if !is_field || syntax.is_of_points(statement) {
                continue;
            }
            let slot = statement.slot;
            let name = syntax.fields.slots[slot as usize].name;
            if syntax.fields.last(name) != Some(slot) {
                continue;
            }
            if let Some(field) = self.fields[slot as usize].take() {
                let before = fields.replace(formula.field_name(slot), of, field)?;
                self.spare[slot as usize] = before.map(|field| field.values).unwrap_or_default();
            }
        }
        formula.keep_numbers(&self.numbers);
        Ok(())
    }
}

/// Makes numbers of numbers, in real64; all are by slot.
pub fn evaluate_numbers(formula: &Formula, stage: &StageOfText, numbers: &mut [f64]) -> Result<()> {
    let schedule = Schedule::new(&stage.program, true)?;
    let constants = &*numbers;
    let work = PointWork {
        program: &stage.program,
        schedule: &schedule,
        fields: &[],
        constants,
        tables: &[],
        cutoff: 0.0,
        totals: &[],
        active: Actives::default(),
        results: &[],
        isa: Isa::best(),
    };
    let mut made = Vec::new();
    for value in PointEvaluator::new(&work)?.numbers() {
        push(&mut made, value, WHAT)?;
    }
    for (statement, value) in formula.syntax().statements_of(&stage.statements).zip(made) {
        numbers[statement.slot as usize] = value;
    }
    Ok(())
}
