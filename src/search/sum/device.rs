//! Sums that a GPU evaluates. In: a formula and what it reads. Out: its outputs, or the word that the GPU does not evaluate it.

use std::ops::Range;
use std::time::Instant;

use super::{Given, WHAT};
use crate::error::Result;
use crate::fields::FieldView;
use crate::formula::{Course, Number, PointEvaluator, PointWork, Program, Schedule, SumPrecision, Table};
use crate::gpu::{
    Attempt, OfFormula, PlacedTable, Put, Shader, ShaderMakes, ShaderPoints, ShaderReads, Source, Summed,
};
use crate::kinds::Actives;
use crate::list::{Cells, push, reserve_keeping, resize_discarding};
use crate::points::{Numbers, Precision};
use crate::search::counted::Query;
use crate::search::report::{Evaluated, Phase};
use crate::simd::Isa;

/// Numbers that a thread gathers at once: those of at least one point.
const NUMBERS: usize = 256;

const SLOW: &str = "real64, in which the device is slower than the CPU";

/// The components of a field, and whether they are in real64.
pub type Shape = (usize, bool);

/// The points whose rows are summed over, as far as shaders depend on them.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    points: ShaderPoints,
    /// Fields stay on the device in their own precision.
    pub stays: bool,
}

impl Place {
    pub fn of<T: Precision>(query: &Query<T>) -> Place {
        Place {
            points: ShaderPoints {
                dim: query.session.points.dim(),
                is_wide: size_of::<T>() == size_of::<f64>(),
                is_periodic: !query.session.points.periods().is_open(),
                radii: None,
                types: None,
            },
            stays: false,
        }
    }

    /// The shape of the positions.
    pub fn positions(&self) -> Shape {
        (self.points.dim, self.points.is_wide)
    }

    /// The components of a field, and whether the device gets them in real64: only where it has such values, and where those of a
    /// formula in real32 stay there.
    pub fn shape(&self, [row, neighbor]: [Option<FieldView>; 2], precision: SumPrecision) -> Shape {
        row.or(neighbor).map_or((1, false), |view| {
            let is_double = !view.is_single();
            (
                view.components,
                is_double && (self.stays || precision == SumPrecision::Double),
            )
        })
    }
}

/// The reason why sums of a precision are for the CPU, where no GPU was asked for.
pub fn why_on_cpu<T: Precision>(query: &mut Query<T>, precision: SumPrecision) -> Result<Option<&'static str>> {
    let (plan, device) = (query.job.plan, &mut query.device);
    let is_slow = match device {
        Some(device) if precision == SumPrecision::Double && !plan.forced => {
            device.gpu()?.is_slower_in_real64(plan.threads)?
        }
        _ => false,
    };
    Ok(is_slow.then_some(SLOW))
}

/// The shader of a program, or why no GPU evaluates it. `shapes` are those of the fields by slot; `positions` is the slot of the positions.
pub fn shader_of<F: Number>(
    program: (&Program, &Schedule),
    tables: &[Table<F>],
    (shapes, positions): (&[Shape], Option<u32>),
    place: &Place,
    of_points: Option<&[ShaderMakes]>,
) -> Result<Attempt<Shader>> {
    let mut cutoffs = Vec::new();
    let types = place.points.types.map_or(0, |(_, types)| types);
    resize_discarding(&mut cutoffs, types * types, F::default(), WHAT)?;
    let (_, placed) = tables_of(&cutoffs, tables)?;
    let mut fields = Vec::new();
    for (slot, &shape) in (0..).zip(shapes) {
        let is_points = positions == Some(slot);
        push(&mut fields, if is_points { place.positions() } else { shape }, WHAT)?;
    }
    push(&mut fields, (1, false), WHAT)?; // the radii, or the types
    let reads = ShaderReads {
        tables: &placed,
        fields: &fields,
    };
    Shader::new(program, reads, place.points, F::PRECISION, of_points)
}

/// Sums on the GPU that is planned for, or says why it does not evaluate the formula.
pub fn sum<T: Precision, F: Number>(query: &mut Query<T>, given: &Given<F>, results: &[Cells<F>]) -> Result<Evaluated> {
    if let Some(why) = why_on_cpu(query, F::PRECISION)? {
        return Ok(Evaluated::OnCpu(why));
    }
    let mut place = Place::of(query);
    if query.job.is_by_radii() {
        place.points.radii = Some((query.job.reach::<T>()?.rule, given.fields.len() as u32));
    }
    let types = query
        .job
        .inputs
        .type_cutoffs(query.job.kind)
        .filter(|_| given.schedule.cuts);
    place.points.types = types.map(|table| (given.fields.len() as u32, table.ntypes()));
    let order = query.job.order().points();
    let reads_positions = given.positions.is_some_and(|slot| given.program.reads(slot));
    if reads_positions && (query.job.kind.is_of_queries() || order.is_some()) {
        return Ok(Evaluated::OnCpu("positions that are read as a field"));
    }
    let mut shapes = Vec::new();
    for field in &given.fields {
        push(&mut shapes, place.shape(*field, F::PRECISION), WHAT)?;
    }
    let (program, fields) = ((given.program, given.schedule), (&shapes[..], given.positions));
    let shader = shader_of(program, &given.tables, fields, &place, None)?;
    let summed = shader.map(|shader| sum_with(query, given, (&shader, &place), Some(results)));
    Ok(match summed {
        Ok(summed) => summed?.map_or_else(Evaluated::OnCpu, |()| Evaluated::OnDevice),
        Err(why) => Evaluated::OnCpu(why),
    })
}

/// Sums with a shader; into results, or into fields that stay on the device.
pub fn sum_with<T: Precision, F: Number>(
    query: &mut Query<T>,
    given: &Given<F>,
    (shader, place): (&Shader, &Place),
    results: Option<&[Cells<F>]>,
) -> Result<Attempt<()>> {
    let reach = match query.job.is_by_radii() {
        true => Some(query.job.reach::<T>()?),
        false => None,
    };
    let (inputs, order) = (query.job.inputs, query.job.order());
    let mut cutoffs: Vec<F> = Vec::new();
    if let Some(table) = inputs
        .type_cutoffs(query.job.kind)
        .filter(|_| place.points.types.is_some())
    {
        for cutoff in table.of_types::<T>(inputs.kinds.types())?.cutoffs() {
            push(&mut cutoffs, F::from_f64(cutoff.to_f64()), WHAT)?;
        }
    }
    let (tables, _) = tables_of(&cutoffs, &given.tables)?;
    let shape = |field: usize| place.shape(given.fields[field], F::PRECISION);
    if order.labels(&inputs.ids, 0).ghosts.is_some() {
        return Ok(Err("ghosts whose ids or numbers are not above those of active points"));
    }
    let index = query.index()?;
    if reach.is_some() {
        if query.limit_memory(None).is_err() {
            return Ok(Err("less memory than the offsets of rows take"));
        }
        query.count(index, None)?;
    } else {
        query.counted.counts.begin(); // the device loses what it kept of them
    }
    let Query {
        job,
        session: _,
        device,
        report,
        counted,
        ..
    } = query;
    let cutoff = match reach {
        None => T::from_f64(inputs.cutoff(job.kind)?).to_f64(),
        Some(_) => 0.0, // of no use
    };
    let work = PointWork {
        program: given.program,
        schedule: given.schedule,
        fields: &[],
        constants: &given.constants,
        tables: &given.tables,
        cutoff: F::from_f64(cutoff),
        totals: &[],
        active: Actives::default(),
        results: &[],
        isa: Isa::best(),
    };
    let constants = shader.constants(&PointEvaluator::new(&work)?.uniforms()?)?;
    let first_row = inputs.rows_of(job.kind).start;
    let of_queries = job.kind.is_of_queries().then_some(inputs.len);
    let mut sources = Vec::new();
    // Of queries and of points, or in another order: they are sent each time.
    let is_as_it_is = of_queries.is_none() && order.points().is_none();
    for (slot, [row, neighbor]) in (0..).zip(&given.fields) {
        let version = row.or(*neighbor).and_then(|view| view.version).filter(|_| is_as_it_is);
        let source = match given.positions == Some(slot) {
            true => Source::Points,
            false => version.map_or(Source::Given, Source::Field),
        };
        push(&mut sources, source, WHAT)?;
    }
    push(&mut sources, Source::Given, WHAT)?; // the radii, or the types
    let mut outputs = Vec::new();
    for (output, &version) in given.program.outputs.iter().zip(&given.versions) {
        push(
            &mut outputs,
            (output.width, Some(version).filter(|_| is_as_it_is)),
            WHAT,
        )?;
    }
    let caller = |number: usize| order.points().map_or(number, |points| points[number] as usize);
    let fill = |field: usize, range: Range<usize>, put: &mut Put| match (given.fields.get(field), order.points()) {
        (None, _) => put_numbers(range, (1, false), put, |number, _| {
            let of_type = |types: &[u8]| types.get(caller(number)).map_or(0.0, |&of| f64::from(of));
            match reach {
                Some(reach) => reach.of(caller(number)).to_f64(),
                None => of_type(inputs.kinds.types()),
            }
        }),
        (Some(_), None) => put_field(given.fields[field], shape(field), range, of_queries, put),
        (Some(_), Some(points)) => put_numbers(range, shape(field), put, |number, component| {
            value(given.fields[field], component, points[number] as usize, of_queries)
        }),
    };
    let rows = job.rows();
    let take = |first: usize, bytes: &[u8]| {
        let (mut begin, numbers) = (
            0,
            bytes
                .chunks_exact(size_of::<F>())
                .map(bytemuck::pod_read_unaligned::<F>),
        );
        for (output, result) in given.program.outputs.iter().zip(results.unwrap_or_default()) {
            let end = begin + rows.len() * output.width;
            let from = first.max(begin);
            let here = numbers.clone().skip(from - first).zip(from..end);
            match order.points() {
                None => {
                    let shift = (rows.start - first_row) * output.width;
                    here.for_each(|(number, at)| result.put(shift + at - begin, number));
                }
                Some(points) => here.for_each(|(number, at)| {
                    let (row, component) = ((at - begin) / output.width, (at - begin) % output.width);
                    let row = points[rows.start + row] as usize - first_row;
                    result.put(row * output.width + component, number);
                }),
            }
            begin = end;
        }
    };
    let summed = Summed {
        full: job.is_full(),
        classes: job.classes.as_ref(),
        excluded: job.excluded_of(),
        classes_of_pairs: job.pairs().filter(|_| given.program.reads_class()),
        bound: match reach {
            None => job.bound()?,
            Some(_) => T::default(), // of no use
        },
        rows: rows.clone(),
        with_self: given.with_self,
        memory_limit: inputs.settings.memory_limit,
        formula: OfFormula {
            shader,
            constants: bytemuck::cast_slice(&constants),
            tables: bytemuck::cast_slice(&tables),
            size: size_of::<F>(),
            outputs: &outputs,
            asks_host: false,
            sources: &sources,
            fill: &fill,
        },
        take: results.is_some().then_some(&take),
    };
    let device = device.as_deref_mut().ok_or(crate::error::Error::NO_POINTS)?;
    let gpu = device.gpu()?;
    let found = match reach {
        Some(_) => gpu.sum_by_radii(&counted.counts.get().offsets, &summed, job.team)?,
        None => gpu.sum(&summed, job.team)?,
    };
    match found {
        Ok(entries) => report.entries = entries,
        Err(why) => return Ok(Err(why)),
    }
    report.took(Phase::Fill, Instant::now());
    Ok(Ok(()))
}

/// The numbers of all tables, and their places.
pub fn tables_of<F: Number>(cutoffs: &[F], tables: &[Table<F>]) -> Result<(Vec<F>, Vec<PlacedTable>)> {
    let (mut numbers, mut placed) = (Vec::new(), Vec::new());
    let of = |table: &Table<F>| table.head().len() + table.numbers().len();
    reserve_keeping(&mut numbers, cutoffs.len() + tables.iter().map(of).sum::<usize>(), WHAT)?;
    numbers.extend_from_slice(cutoffs);
    for table in tables {
        numbers.extend_from_slice(&table.head());
        let place = PlacedTable {
            at: numbers.len(),
            is_cubic: table.course() == Course::Cubic,
        };
        push(&mut placed, place, WHAT)?;
        numbers.extend_from_slice(table.numbers());
    }
    Ok((numbers, placed))
}

/// Puts what a field has for a range of points, and after them of queries.
pub fn put_field(
    field: [Option<FieldView>; 2],
    (components, is_wide): (usize, bool),
    range: Range<usize>,
    of_queries: Option<usize>,
    put: &mut Put,
) {
    let [row, neighbor] = field;
    let points = of_queries.unwrap_or(range.end);
    let of_points = if of_queries.is_some() {
        neighbor
    } else {
        row.or(neighbor)
    };
    for (view, range, before) in [
        (of_points, range.start..range.end.min(points), 0),
        (row, range.start.max(points)..range.end, points),
    ] {
        if range.is_empty() {
            continue;
        }
        let numbers = (range.start - before) * components..(range.end - before) * components;
        match view.and_then(|view| view.together()) {
            Some(Numbers::F32(values)) if !is_wide && numbers.end <= values.len() => {
                put(range.start, bytemuck::cast_slice(&values[numbers]));
            }
            Some(Numbers::F64(values)) if is_wide && numbers.end <= values.len() => {
                put(range.start, bytemuck::cast_slice(&values[numbers]));
            }
            _ => put_numbers(range, (components, is_wide), put, |number, component| {
                value(field, component, number, of_queries)
            }),
        }
    }
}

/// Puts numbers of a range of points, one by one.
fn put_numbers(
    range: Range<usize>,
    (components, is_wide): (usize, bool),
    put: &mut Put,
    number: impl Fn(usize, usize) -> f64,
) {
    let (mut singles, mut doubles) = ([0f32; NUMBERS], [0f64; NUMBERS]);
    let at_once = (NUMBERS / components).max(1);
    for first in range.clone().step_by(at_once) {
        let end = range.end.min(first + at_once);
        let points = (first..end).flat_map(|point| (0..components).map(move |component| (point, component)));
        let (numbers, count) = (
            points.map(|(point, component)| number(point, component)),
            (end - first) * components,
        );
        if is_wide {
            doubles.iter_mut().zip(numbers).for_each(|(to, number)| *to = number);
            put(first, bytemuck::cast_slice(&doubles[..count]));
        } else {
            singles
                .iter_mut()
                .zip(numbers)
                .for_each(|(to, number)| *to = number as f32);
            put(first, bytemuck::cast_slice(&singles[..count]));
        }
    }
}

/// The value of a field for a point, or for a query after the points that there are.
fn value([row, neighbor]: [Option<FieldView>; 2], component: usize, point: usize, of_queries: Option<usize>) -> f64 {
    let (view, at) = match of_queries {
        Some(points) if point >= points => (row, point - points),
        Some(_) => (neighbor, point),
        None => (row.or(neighbor), point),
    };
    let Some(view) = view else {
        return 0.0; // that no row reads
    };
    let at = at * view.stride;
    match view.component(component) {
        Numbers::F32(values) => values.get(at).copied().unwrap_or_default().into(),
        Numbers::F64(values) => values.get(at).copied().unwrap_or_default(),
    }
}
