//! Runs whose values stay on a device from the first stage to the last: fields, positions, and what each stage makes of them. In: the
//! stages of a text, fields, points. Out: what the runs have made, or the reason why the device does not run them.
//!
//! Nothing of the handle changes here. So a run that a device gives up can be repeated elsewhere.

use std::ops::Range;

use super::counted::Query;
use super::device::Device;
use super::made::evaluate_numbers;
use super::sum::Given;
use super::sum::device::{Place, Shape, put_field, shader_of, sum_with, tables_of};
use crate::error::{Error, Result};
use crate::fields::{Field, FieldView, Fields, Of};
use crate::formula::{
    Formula, Makes, Number, PointEvaluator, PointWork, Reduction, Schedule, StageKind, StageOfText, SumPrecision, Total,
};
use crate::gpu::{Attempt, EachPoint, FieldOf, Gpu, OfFormula, Put, Shader, ShaderMakes, Source, TotalWords};
use crate::list::{Rows, push, reserve_keeping, resize_discarding};
use crate::points::{PointsView, Precision, Values};
use crate::simd::Isa;
use crate::threads::Team;
use crate::version::Version;

const WHAT: &str = "a run on the GPU";

/// Evaluates an expression with the type of a precision.
macro_rules! by_number {
    ($precision:expr, $number:ident => $body:expr) => {
        match $precision {
            SumPrecision::Single => {
                type $number = f32;
                $body
            }
            SumPrecision::Double => {
                type $number = f64;
                $body
            }
        }
    };
}

/// What runs have made.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The fields of the last run that was complete, by slot.
    pub fields: Vec<(u32, Field)>,
    /// Its numbers, by slot.
    pub numbers: Option<Vec<f64>>,
    /// The positions, if points have moved.
    pub positions: Option<Values>,
    /// The error that ended the runs before the last.
    pub error: Option<Error>,
}

/// Runs a text so many times.
pub fn run<T: Precision>(
    query: &mut Query<T>,
    (formula, fields): (&Formula, &Fields),
    stages: &[StageOfText],
    times: i64,
) -> Result<Attempt<Outcome>> {
    let mut place = Place::of(query);
    place.stays = true;
    let prepared = match prepare(formula, fields, stages, &place)? {
        Ok(prepared) => prepared,
        Err(why) => return Ok(Err(why)),
    };
    let mut run = Run {
        formula,
        given: fields,
        place,
        prepared,
        numbers: formula.numbers_before()?,
        made: Vec::new(),
        kept: Vec::new(),
        positions: None,
        complete: None,
        has_moved: false,
    };
    for _ in &formula.syntax().fields.slots {
        push(&mut run.made, None, WHAT)?;
    }
    for _ in &formula.syntax().fields.all {
        push(&mut run.kept, None, WHAT)?;
    }
    let done = run.all(query, stages, times);
    if run.has_moved {
        // The device has other coordinates than the handle.
        let (gpu, index) = device(query)?.gpu_and_index()?;
        index.begin();
        gpu.set_sent(None);
    }
    done
}

fn device<'a, T>(query: &'a mut Query<T>) -> Result<&'a mut Device> {
    query.device.as_deref_mut().ok_or(Error::NO_POINTS)
}

/// A stage for the device. None of numbers.
struct Prepared {
    schedule: Schedule,
    shader: Option<Shader>,
}

/// The shaders of all stages, or why the device does not evaluate one of them.
fn prepare(formula: &Formula, given: &Fields, stages: &[StageOfText], place: &Place) -> Result<Attempt<Vec<Prepared>>> {
    let (syntax, mut prepared) = (formula.syntax(), Vec::new());
    let shapes = match shapes(formula, given, stages, place.positions())? {
        Ok(shapes) => shapes,
        Err(why) => return Ok(Err(why)),
    };
    let mut positions = syntax.points.and_then(|name| syntax.fields.initial(name));
    for stage in stages {
        let schedule = Schedule::new(&stage.program, true)?;
        let mut makes = Vec::new();
        let (precision, of_points) = match stage.kind {
            StageKind::Pairs { .. } => (formula.precision(), None),
            StageKind::Points(precision) => {
                for statement in syntax.statements_of(&stage.statements) {
                    let made = match statement.makes.total() {
                        Some(reduction) => ShaderMakes::Total(reduction),
                        None if syntax.is_of_points(statement) => ShaderMakes::Positions,
                        None => ShaderMakes::Field,
                    };
                    push(&mut makes, made, WHAT)?;
                }
                (precision, Some(&makes[..]))
            }
            StageKind::Numbers => {
                let shader = None;
                push(&mut prepared, Prepared { schedule, shader }, WHAT)?;
                continue;
            }
        };
        let program = (&stage.program, &schedule);
        let shader = match by_number!(precision, F => {
            let tables = formula.tables::<F>()?;
            shader_of::<F>(program, &tables, (&shapes, positions), place, of_points)?
        }) {
            Ok(shader) => Some(shader),
            Err(why) => return Ok(Err(why)),
        };
        if makes.contains(&ShaderMakes::Positions) {
            let mut statements = syntax.statements_of(&stage.statements);
            positions = statements.find(|made| syntax.is_of_points(made)).map(|made| made.slot);
        }
        push(&mut prepared, Prepared { schedule, shader }, WHAT)?;
    }
    Ok(Ok(prepared))
}

/// Of each slot the components, and whether they are in real64.
fn shapes(formula: &Formula, given: &Fields, stages: &[StageOfText], positions: Shape) -> Result<Attempt<Vec<Shape>>> {
    let (syntax, mut shapes) = (formula.syntax(), Vec::new());
    for (slot, known) in (0..).zip(&syntax.fields.slots) {
        let field = given.find(formula.field_name(slot), Of::Points).map(Field::view);
        let shape = match Some(known.name) == syntax.points {
            true => positions,
            false => field.map_or((1, false), |view| (view.components, !view.is_single())),
        };
        push(&mut shapes, shape, WHAT)?;
    }
    for stage in stages {
        let precision = match stage.kind {
            StageKind::Pairs { .. } => formula.precision(),
            StageKind::Points(precision) => precision,
            StageKind::Numbers => continue,
        };
        for (statement, output) in syntax.statements_of(&stage.statements).zip(&stage.program.outputs) {
            if statement.makes.total().is_none() {
                shapes[statement.slot as usize] = (output.width, precision == SumPrecision::Double);
            }
        }
    }
    // A run begins with what the one before has made.
    for (slot, known) in (0..).zip(&syntax.fields.slots) {
        let Some(last) = syntax.fields.last(known.name).map(|last| shapes[last as usize]) else {
            continue;
        };
        let is_initial = known.made_by.is_none();
        if last.1 != shapes[slot].1 || is_initial && last != shapes[slot] {
            return Ok(Err("a field whose precision changes"));
        }
    }
    Ok(Ok(shapes))
}

/// The state of runs.
struct Run<'a> {
    formula: &'a Formula,
    given: &'a Fields,
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
        self.bring_home(query, error).map(Ok)
    }

    fn begin(&mut self) -> Result<()> {
        if let Some(numbers) = &self.complete {
            self.numbers = self.formula.numbers_again(numbers)?;
        }
        let syntax = self.formula.syntax();
        self.positions = syntax.points.and_then(|name| syntax.fields.initial(name));
        Ok(())
    }

    /// Ends a run: what it has made is there for the next.
    fn end<T>(&mut self, query: &mut Query<T>) -> Result<()> {
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
        let is_used = |of| given.has(of) || is_kept(of);
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
            positions: self.positions,
            constants: rounded(&self.numbers)?,
            tables: self.formula.tables()?,
            with_self: self.formula.includes_self(),
            versions,
        };
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

    fn each_point<T: Precision, F: Number>(
        &mut self,
        query: &mut Query<T>,
        (stage, later): (&StageOfText, &[StageOfText]),
        number: usize,
    ) -> Result<Step> {
        let Prepared { schedule, shader } = &self.prepared[number];
        let Some(shader) = shader else { return Ok(Step::Next) };
        let (syntax, views, tables) = (self.formula.syntax(), self.views()?, self.formula.tables::<F>()?);
        let constants = rounded::<F>(&self.numbers)?;
        let work = PointWork::<F> {
            program: &stage.program,
            schedule,
            fields: &views,
            constants: &constants,
            tables: &tables,
            cutoff: F::default(),
            totals: &[],
            active: 0,
            results: &[],
            isa: Isa::best(),
        };
        let constants = shader.constants(&PointEvaluator::new(&work)?.uniforms()?)?;
        let (numbers, _) = tables_of(&tables)?;
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
            put_field(
                views[field],
                self.place.shape(views[field], F::PRECISION),
                range,
                None,
                put,
            );
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
        let words = match query
            .device
            .as_deref_mut()
            .ok_or(Error::NO_POINTS)?
            .gpu()?
            .each_point(&work, team)?
        {
            Ok(words) => words,
            Err(why) => return Ok(Step::Refused(why)),
        };
        let layout = shader.totals;
        let totals = totals::<F>(
            &words,
            layout,
            syntax.statements_of(&stage.statements).map(|made| made.makes),
        )?;
        let (mut totals, mut versions) = (totals.into_iter(), outputs.iter().map(|(_, version)| *version));
        drop(views);
        for (statement, output) in syntax.statements_of(&stage.statements).zip(&stage.program.outputs) {
            if statement.makes.total().is_some() {
                self.numbers[statement.slot as usize] = totals.next().unwrap_or_default();
                continue;
            }
            let version = versions.next().flatten().unwrap_or_default();
            if !syntax.is_of_points(statement) {
                self.put::<F>(statement.slot, output.width, version);
            }
        }
        let Some(moved) = moved else { return Ok(Step::Next) };
        let asks = words.chunks_exact(layout.all()).any(|share| share[0] & 1 != 0);
        self.move_points::<T>(query, moved, later, asks)
    }

    /// Moves the points to the positions that a statement has made. `asks`: the host has to look at some of them.
    fn move_points<T: Precision>(
        &mut self,
        query: &mut Query<T>,
        (slot, of): (u32, FieldOf),
        later: &[StageOfText],
        asks: bool,
    ) -> Result<Step> {
        let (dim, stamp) = (query.session.points.dim(), query.session.points.stamp());
        let (len, team) = (query.job.inputs.len, query.job.team);
        let is_read = |slot: &u32| later.iter().any(|stage| stage.program.reads(*slot));
        if let Some(before) = self.positions.filter(is_read) {
            let version = Version::new();
            device(query)?.gpu()?.keep_points((version, of.1), dim)?;
            self.put::<T>(before, dim, version);
        }
        if asks {
            let values = fetch::<T>(device(query)?.gpu()?, (of, dim), len, team)?;
            let (inputs, periods) = (query.job.inputs, *query.session.points.periods());
            let view = PointsView::interleaved(dim, &values)?;
            let checked = inputs.checked(&view).map(drop);
            let checked = checked.and_then(|()| view.check_wraps(&periods, inputs.settings.index_base));
            if let Err(error) = checked {
                return Ok(Step::Failed(error));
            }
            let mut wrapped = Vec::new();
            reserve_keeping(&mut wrapped, values.len(), WHAT)?;
            wrapped.extend(
                values
                    .iter()
                    .enumerate()
                    .map(|(k, &coord)| periods.wrap(k % dim, coord)),
            );
            let view = PointsView::interleaved(dim, &wrapped)?;
            device(query)?.gpu()?.send(&view, stamp, team)?;
        } else {
            device(query)?.gpu()?.move_points(of, dim)?;
        }
        let (gpu, index) = device(query)?.gpu_and_index()?;
        index.begin(); // of other positions
        gpu.set_sent(Some((stamp, len)));
        (self.positions, self.has_moved) = (Some(slot), true);
        Ok(Step::Next)
    }

    /// Brings home what the runs have made.
    fn bring_home<T: Precision>(&mut self, query: &mut Query<T>, error: Option<Error>) -> Result<Outcome> {
        let (dim, len, team) = (query.session.points.dim(), query.job.inputs.len, query.job.team);
        let mut outcome = Outcome {
            error,
            numbers: self.complete.take(),
            ..Outcome::default()
        };
        let gpu = device(query)?.gpu()?;
        for (slot, mut field) in self.kept.iter_mut().filter_map(Option::take) {
            let shape = (field.version, field.components);
            field.values = match field.view().is_single() {
                true => f32::hold(fetch(gpu, ((shape.0, 1), shape.1), len, team)?),
                false => f64::hold(fetch(gpu, ((shape.0, 2), shape.1), len, team)?),
            };
            push(&mut outcome.fields, (slot, field), WHAT)?;
        }
        if self.has_moved {
            let of = (Version::new(), size_of::<T>() / size_of::<u32>());
            gpu.keep_points(of, dim)?;
            outcome.positions = Some(T::hold(fetch(gpu, (of, dim), len, team)?));
        }
        Ok(outcome)
    }
}

/// Brings a field home.
fn fetch<F: Precision>(gpu: &mut Gpu, field: (FieldOf, usize), len: usize, team: &Team) -> Result<Vec<F>> {
    let mut values = Vec::new();
    resize_discarding(&mut values, len * field.1, F::default(), WHAT)?;
    let mut rows = Rows::new(&mut values);
    let cells = rows.cells();
    gpu.fetch_field(field, team, &|first, bytes| {
        let numbers = bytes.chunks_exact(size_of::<F>()).map(bytemuck::pod_read_unaligned);
        for (at, number) in (first / size_of::<F>()..).zip(numbers) {
            cells.put(at, number);
        }
    })?;
    Ok(values)
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

/// The totals that the words of all workgroups make.
fn totals<F: Number>(words: &[u32], layout: TotalWords, makes: impl Iterator<Item = Makes>) -> Result<Vec<f64>> {
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
