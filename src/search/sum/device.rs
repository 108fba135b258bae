//! Sums that a GPU evaluates. In: a formula and what it reads. Out: its outputs, or the word that the GPU does not evaluate it.

use std::ops::Range;
use std::time::Instant;

use super::put::{Shape, first_of_run, put_field, put_numbers, value};
use super::{Given, WHAT};
use crate::error::Result;
use crate::fields::FieldView;
use crate::formula::{Course, Number, PointEvaluator, PointWork, Program, Schedule, SumPrecision, Table};
use crate::gpu::{
    Attempt, OfFormula, PlacedTable, Put, Shader, ShaderMakes, ShaderPoints, ShaderReads, Source, Summed,
};
use crate::kinds::Actives;
use crate::list::{Cells, push, reserve_keeping, resize_discarding};
use crate::points::Precision;
use crate::search::counted::Query;
use crate::search::report::{Evaluated, Phase};
use crate::simd::Isa;

const SLOW: &str = "real64, in which the device is slower than the CPU";

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

    /// The components of a field, and whether the device gets them in real64: if the field has real64 values, and if the formula is
    /// in real64 or fields stay on the device. Queries may have a field of the same name with another shape. The result has room
    /// for both.
    pub fn shape(&self, field: [Option<FieldView>; 2], precision: SumPrecision) -> Shape {
        let views = || field.iter().flatten();
        let components = views().map(|view| view.components).max();
        let is_double = views().any(|view| !view.is_single());
        (
            components.unwrap_or(1),
            is_double && (self.stays || precision == SumPrecision::Double),
        )
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
    tables: &[&Table<F>],
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
        (Some(_), Some(points)) => match first_of_run(points, range.clone()) {
            Some(first) => {
                let numbers = first..first + range.len();
                let put = &mut |number: usize, bytes: &[u8]| put(range.start + number - first, bytes);
                put_field(given.fields[field], shape(field), numbers, of_queries, put);
            }
            None => put_numbers(range, shape(field), put, |number, component| {
                value(given.fields[field], component, points[number] as usize, of_queries)
            }),
        },
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
            let (width, end) = (output.width, begin + rows.len() * output.width);
            let (from, to) = (first.max(begin), end.min(first + numbers.len()));
            let here = numbers.clone().skip(from - first).zip(from..to);
            let searched = rows.start + (from - begin) / width..rows.start + to.saturating_sub(begin).div_ceil(width);
            let row_of = |row: usize| caller(row) - first_row;
            let in_a_row = order
                .points()
                .is_none_or(|points| first_of_run(points, searched.clone()).is_some());
            match in_a_row && from < to {
                true => {
                    let place = row_of(searched.start) * width + (from - begin) % width;
                    here.for_each(|(number, at)| result.put(place + at - from, number));
                }
                false => here.for_each(|(number, at)| {
                    let (row, component) = ((at - begin) / width, (at - begin) % width);
                    result.put(row_of(rows.start + row) * width + component, number);
                }),
            }
            begin = end;
        }
    };
    let summed = Summed {
        full: job.is_full(),
        classes: job.classes.as_ref(),
        excluded: job.excluded_of(),
        classes_of_pairs: job.pairs().filter(|_| given.program.reads_class),
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
pub fn tables_of<F: Number>(cutoffs: &[F], tables: &[&Table<F>]) -> Result<(Vec<F>, Vec<PlacedTable>)> {
    let (mut numbers, mut placed) = (Vec::new(), Vec::new());
    let of = |table: &&Table<F>| table.head().len() + table.numbers().len();
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
