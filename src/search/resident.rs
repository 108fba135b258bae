//! Runs whose values stay on a device from the first stage to the last: fields, positions, and what each stage makes of them. In: the
//! stages of a text, fields, points. Out: what the runs have made, or the reason why the device does not run them.
//!
//! Nothing of the handle changes here. So a run that a device gives up can be repeated elsewhere.

mod moved;
mod prepared;
mod totals;

use std::ops::Range;

use super::counted::Query;
use super::device::Device;
use super::home::{field_of, points_of};
use super::made::evaluate_numbers;
use super::restored::restoring;
use super::sum::Given;
use super::sum::device::{Place, sum_with, tables_of, why_on_cpu};
use super::sum::put::put_field;
use crate::error::{Error, Result};
use crate::fields::{Field, FieldView, Fields, Of};
use crate::formula::{
    Formula, Number, PointEvaluator, PointWork, Schedule, StageKind, StageOfText, SumPrecision, Table,
};
use crate::gpu::{Attempt, EachPoint, OfFormula, Put, Source};
use crate::kinds::Actives;
use crate::list::{push, reserve_keeping};
use crate::points::Precision;
use crate::simd::Isa;
use crate::version::Version;

use prepared::{Prepared, by_number, prepare};
use totals::totals;

const WHAT: &str = "a run on the GPU";

/// The results of runs.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The fields of the last run that was complete, by slot. Their values are on the device.
    pub fields: Vec<(u32, Field)>,
    /// Its numbers, by slot.
    pub numbers: Option<Vec<f64>>,
    /// The field that the positions are, if points have moved.
    pub points: Option<Version>,
    /// The error that ended the runs before the last.
    pub error: Option<Error>,
}

/// Runs a text `times` times.
pub fn run<T: Precision>(
    query: &mut Query<T>,
    (formula, fields): (&Formula, &Fields),
    stages: &[StageOfText],
    times: i64,
) -> Result<Attempt<Outcome>> {
    if let Some(why) = why_on_cpu(query, formula.precision())? {
        return Ok(Err(why));
    }
    let mut place = Place::of(query);
    place.stays = true;
    let prepared = match prepare(formula, fields, stages, &place)? {
        Ok(prepared) => prepared,
        Err(why) => return Ok(Err(why)),
    };
    let gpu = device(query)?.gpu()?;
    if let Some(why) = prepared.iter().find_map(|stage| gpu.why_not(stage.shader.as_ref()?)) {
        return Ok(Err(why));
    }
    let mut run = Run {
        formula,
        given: fields,
        len: query.job.inputs.len,
        place,
        prepared,
        numbers: formula.numbers_before()?,
        made: Vec::new(),
        kept: Vec::new(),
        positions: None,
        complete: None,
        has_moved: false,
        before: None,
    };
    for _ in &formula.syntax().fields.slots {
        push(&mut run.made, None, WHAT)?;
    }
    for _ in &formula.syntax().fields.all {
        push(&mut run.kept, None, WHAT)?;
    }
    run.check_there(query)?;
    device(query)?.gpu()?.let_times_wait(true)?;
    let mut ended = Ok(());
    let done = restoring(
        (query, run),
        |(query, run)| run.all(query, stages, times),
        |(query, run)| ended = run.leave(query),
    );
    ended.and(done)
}

fn device<'a, T>(query: &'a mut Query<T>) -> Result<&'a mut Device> {
    query.device.as_deref_mut().ok_or(Error::NO_POINTS)
}

/// The state of runs.
struct Run<'a> {
    formula: &'a Formula,
    given: &'a Fields,
    /// The number of points.
    len: usize,
    place: Place,
    prepared: Vec<Prepared>,
    numbers: Vec<f64>,
    /// Fields that this run has made, by slot, and those of the run before, by name. Their values are on the device.
    made: Vec<Option<Field>>,
    kept: Vec<Option<(u32, Field)>>,
    /// The slot of the positions that the points have now.
    positions: Option<u32>,
    /// The numbers of the last run that was complete.
    complete: Option<Vec<f64>>,
    has_moved: bool,
    /// The version of the positions before this step, if it moves them more than once.
    before: Option<Version>,
}

/// The way on after a stage.
enum Step {
    Next,
    /// The device does not evaluate it.
    Refused(&'static str),
    /// The runs end.
    Failed(Error),
}

impl Run<'_> {
    /// Leaves the device.
    fn leave<T: Precision>(&self, query: &mut Query<T>) -> Result<()> {
        let (gpu, index) = device(query)?.gpu_and_index()?;
        if self.has_moved {
            // The device has other coordinates than the handle.
            index.begin();
            gpu.set_sent(None);
        }
        gpu.let_times_wait(false)
    }

    fn all<T: Precision>(
        &mut self,
        query: &mut Query<T>,
        stages: &[StageOfText],
        times: i64,
    ) -> Result<Attempt<Outcome>> {
        let mut error = None;
        query.index()?; // the device has the points
        'runs: for _ in 0..times {
            self.begin()?;
            for number in 0..stages.len() {
                match self.stage(query, stages, number)? {
                    Step::Next => (),
                    Step::Refused(why) => return Ok(Err(why)),
                    Step::Failed(failure) => {
                        error = Some(failure);
                        break 'runs;
                    }
                }
            }
            self.end(query)?;
        }
        self.outcome(query, error).map(Ok)
    }

    /// Refuses a device that has lost what the handle has left there.
    fn check_there<T: Precision>(&self, query: &mut Query<T>) -> Result<()> {
        let (of_points, slots) = (points_of(&query.session.points), 0..self.made.len() as u32);
        let given = slots.filter_map(|slot| self.given.find(self.formula.field_name(slot), Of::Points));
        let fields = given.filter(|field| field.on_device.is_some()).map(field_of);
        match device(query)?.has_fields(of_points.into_iter().chain(fields)) {
            true => Ok(()),
            false => Err(Error::DeviceLost {
                reason: "since the run before".into(),
            }),
        }
    }

    fn begin(&mut self) -> Result<()> {
        if let Some(numbers) = &self.complete {
            self.numbers = self.formula.numbers_again(numbers)?;
        }
        self.before = None;
        let syntax = self.formula.syntax();
        self.positions = syntax.points.and_then(|name| syntax.fields.initial(name));
        Ok(())
    }

    /// Ends a run: what it has made is there for the next.
    fn end<T: Precision>(&mut self, query: &mut Query<T>) -> Result<()> {
        let syntax = self.formula.syntax();
        for (slot, made) in (0..).zip(&mut self.made) {
            let name = syntax.fields.slots[slot as usize].name;
            let field = made.take();
            if let Some(field) = field.filter(|_| syntax.fields.last(name) == Some(slot)) {
                self.kept[name as usize] = Some((slot, field));
            }
        }
        let mut complete = self.complete.take().unwrap_or_default();
        complete.clear();
        reserve_keeping(&mut complete, self.numbers.len(), WHAT)?;
        complete.extend_from_slice(&self.numbers);
        self.complete = Some(complete);
        let (given, kept) = (self.given, &self.kept);
        let is_kept = |of| kept.iter().flatten().any(|(_, field)| field.version == of);
        let points = query.session.points.on_device();
        let is_used = |of| points == Some(of) || given.has(of) || is_kept(of);
        device(query)?.gpu()?.retain_fields(is_used);
        Ok(())
    }

    fn stage<T: Precision>(&mut self, query: &mut Query<T>, stages: &[StageOfText], number: usize) -> Result<Step> {
        let (stage, later) = (&stages[number], &stages[number + 1..]);
        match stage.kind {
            StageKind::Pairs { .. } => {
                by_number!(self.formula.precision(), F => self.sum::<T, F>(query, stage, number))
            }
            StageKind::Points(precision) => {
                by_number!(precision, F => self.each_point::<T, F>(query, (stage, later), number))
            }
            StageKind::Numbers => {
                evaluate_numbers(self.formula, stage, &mut self.numbers)?;
                Ok(Step::Next)
            }
        }
    }

    /// Fields by slot. Values of those that were made are on the device.
    fn views(&self) -> Result<Vec<[Option<FieldView<'_>>; 2]>> {
        let mut views = Vec::new();
        for (slot, made) in (0..).zip(&self.made) {
            let name = self.formula.syntax().fields.slots[slot as usize].name;
            let kept = self.kept[name as usize].as_ref().map(|(_, field)| field);
            let field = made.as_ref().or(kept);
            let field = field.or_else(|| self.given.find(self.formula.field_name(slot), Of::Points));
            push(&mut views, [field.map(Field::view); 2], WHAT)?;
        }
        Ok(views)
    }

    /// Takes a field whose values are on the device.
    fn put<F: Precision>(&mut self, slot: u32, components: usize, version: Version) {
        self.made[slot as usize] = Some(Field {
            values: F::hold(Vec::new()),
            components,
            version,
            on_device: Some(self.len),
        });
    }

    fn sum<T: Precision, F: Number>(
        &mut self,
        query: &mut Query<T>,
        stage: &StageOfText,
        number: usize,
    ) -> Result<Step> {
        let Prepared { schedule, shader } = &self.prepared[number];
        let Some(shader) = shader else { return Ok(Step::Next) };
        let mut versions = Vec::new();
        for _ in &stage.statements {
            push(&mut versions, Version::new(), WHAT)?;
        }
        let given = Given::<F> {
            program: &stage.program,
            schedule,
            fields: self.views()?,
            pairs: Vec::new(),
            positions: self.positions,
            constants: rounded(&self.numbers)?,
            tables: self.formula.tables()?,
            with_self: self.formula.includes_self(),
            versions,
        };
        given.check_limit(query.job.inputs, query.job.inputs.len)?;
        query.job.list_excluded(stage.program.reads_class);
        if let Err(why) = sum_with(query, &given, (shader, &self.place), None)? {
            return Ok(Step::Refused(why));
        }
        let versions = given.versions;
        let statements = self.formula.syntax().statements_of(&stage.statements);
        for ((statement, output), version) in statements.zip(&stage.program.outputs).zip(versions) {
            self.put::<F>(statement.slot, output.width, version);
        }
        Ok(Step::Next)
    }

    /// Values that are the same for all points, by register.
    fn uniforms<F: Number>(&self, stage: &StageOfText, schedule: &Schedule, tables: &[&Table<F>]) -> Result<Vec<F>> {
        let work = PointWork::<F> {
            program: &stage.program,
            schedule,
            fields: &[],
            constants: &rounded::<F>(&self.numbers)?,
            tables,
            cutoff: F::default(),
            totals: &[],
            active: Actives::default(),
            results: &[],
            isa: Isa::best(),
        };
        PointEvaluator::new(&work)?.uniforms()
    }

    /// Takes the totals of a stage, and the fields that it has made on the device.
    fn take_made<F: Number>(&mut self, stage: &StageOfText, totals: Vec<f64>, outputs: &[(usize, Option<Version>)]) {
        let syntax = self.formula.syntax();
        let (mut totals, mut outputs) = (totals.into_iter(), outputs.iter());
        for statement in syntax.statements_of(&stage.statements) {
            if statement.makes.total().is_some() {
                self.numbers[statement.slot as usize] = totals.next().unwrap_or_default();
            } else if let Some(&(width, Some(version))) = outputs.next()
                && !syntax.is_of_points(statement)
            {
                self.put::<F>(statement.slot, width, version);
            }
        }
    }

    fn each_point<T: Precision, F: Number>(
        &mut self,
        query: &mut Query<T>,
        (stage, later): (&StageOfText, &[StageOfText]),
        number: usize,
    ) -> Result<Step> {
        let Prepared { schedule, shader } = &self.prepared[number];
        let Some(shader) = shader else { return Ok(Step::Next) };
        let (syntax, views, tables) = (self.formula.syntax(), self.views()?, self.formula.tables::<F>()?);
        let constants = shader.constants(&self.uniforms(stage, schedule, &tables)?)?;
        let (numbers, _) = tables_of(&[], &tables)?;
        let (mut outputs, mut moved) = (Vec::new(), None);
        for (statement, output) in syntax.statements_of(&stage.statements).zip(&stage.program.outputs) {
            if statement.makes.total().is_none() {
                let version = Version::new();
                push(&mut outputs, (output.width, Some(version)), WHAT)?;
                if syntax.is_of_points(statement) {
                    moved = Some((statement.slot, (version, size_of::<F>() / size_of::<u32>())));
                }
            }
        }
        let sources = sources(&views, self.positions)?;
        let fill = |field: usize, range: Range<usize>, put: &mut Put| {
            let shape = self.place.shape(views[field], F::PRECISION);
            put_field(views[field], shape, range, None, put);
        };
        let work = EachPoint {
            formula: OfFormula {
                shader,
                constants: bytemuck::cast_slice(&constants),
                tables: bytemuck::cast_slice(&numbers),
                size: size_of::<F>(),
                outputs: &outputs,
                asks_host: moved.is_some(),
                sources: &sources,
                fill: &fill,
            },
            active: query.job.inputs.kinds.active_of(query.job.inputs.len)?,
        };
        let team = query.job.team;
        let words = match device(query)?.gpu()?.each_point(&work, team)? {
            Ok(words) => words,
            Err(why) => return Ok(Step::Refused(why)),
        };
        drop(views);
        let layout = shader.totals;
        let makes = syntax.statements_of(&stage.statements).map(|made| made.makes);
        let totals = totals::<F>(&words, layout, makes)?;
        self.take_made::<F>(stage, totals, &outputs);
        let Some(moved) = moved else { return Ok(Step::Next) };
        let asks = words.chunks_exact(layout.all()).any(|share| share[0] & 1 != 0);
        self.move_points::<T>(query, moved, later, asks)
    }
}

/// All numbers, rounded.
fn rounded<F: Number>(numbers: &[f64]) -> Result<Vec<F>> {
    let mut rounded = Vec::new();
    reserve_keeping(&mut rounded, numbers.len(), WHAT)?;
    rounded.extend(numbers.iter().map(|&number| F::from_f64(number)));
    Ok(rounded)
}

/// The source of each field.
pub fn sources(views: &[[Option<FieldView>; 2]], positions: Option<u32>) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for (slot, [view, _]) in (0..).zip(views) {
        let version = view.and_then(|view| view.version);
        let source = match positions == Some(slot) {
            true => Source::Points,
            false => version.map_or(Source::Given, Source::Field),
        };
        push(&mut sources, source, WHAT)?;
    }
    Ok(sources)
}
