//! Sums that a GPU evaluates. In: a formula and what it reads. Out: its outputs, or the word that the GPU does not evaluate it.

use std::ops::Range;
use std::time::Instant;

use super::{Given, WHAT};
use crate::error::Result;
use crate::fields::FieldView;
use crate::formula::{Course, Evaluator, Table};
use crate::gpu::{PlacedTable, Put, Shader, ShaderPoints, ShaderReads, Summed};
use crate::list::{Cells, push, reserve_keeping};
use crate::points::{Numbers, Precision};
use crate::search::counted::Query;
use crate::search::report::{Evaluated, Phase};
use crate::simd::Isa;

/// Numbers that a thread gathers at once: those of at least one point.
const NUMBERS: usize = 256;

/// Sums on the GPU that is planned for, or says why it does not evaluate the formula.
pub fn sum<T: Precision>(query: &mut Query<T>, given: &Given<f32>, results: &[Cells<f32>]) -> Result<Evaluated> {
    if given.positions.is_some() {
        return Ok(Evaluated::OnCpu("positions that are read as a field"));
    }
    let periods = query.session.points.periods();
    let reach = match query.job.is_by_radii() {
        true => Some(query.job.reach::<T>()?),
        false => None,
    };
    let points = ShaderPoints {
        dim: given.program.dim,
        is_wide: size_of::<T>() == size_of::<f64>(),
        is_periodic: !periods.is_open(),
        radii: reach.map(|reach| (reach.rule, given.fields.len() as u32)),
    };
    let (tables, placed) = tables_of(given)?;
    let mut widths = Vec::new();
    for [row, neighbor] in &given.fields {
        push(&mut widths, row.or(*neighbor).map_or(1, |view| view.components), WHAT)?;
    }
    push(&mut widths, 1, WHAT)?; // the radii
    let reads = ShaderReads {
        tables: &placed,
        fields: &widths,
    };
    let Some(shader) = Shader::new(given.program, &given.schedule, reads, points)? else {
        return Ok(Evaluated::OnCpu("a long formula"));
    };
    let (inputs, order) = (query.job.inputs, query.job.order());
    if order.labels(&inputs.ids, 0).ghosts.is_some() {
        return Ok(Evaluated::OnCpu(
            "ghosts whose ids are not above those of active points",
        ));
    }
    let index = query.index()?;
    if reach.is_some() {
        if query.limit_memory(None).is_err() {
            return Ok(Evaluated::OnCpu("less memory than the offsets of rows take"));
        }
        query.count(index, None)?;
    } else {
        query.counted.counts.begin(); // the device loses what it kept of them
    }
    let Query {
        job,
        session,
        device,
        report,
        counted,
        ..
    } = query;
    let work = given.work(inputs, &session.points, (job.kind, Isa::best()), results)?;
    let uniforms = Evaluator::new(&work)?.uniforms()?;
    let of_queries = job.kind.is_of_queries().then_some(inputs.len);
    let mut versions = Vec::new();
    // Of queries and of points, or in another order: they are sent each time.
    let is_as_it_is = of_queries.is_none() && order.points().is_none();
    for [row, neighbor] in &given.fields {
        let version = row.or(*neighbor).and_then(|view| view.version).filter(|_| is_as_it_is);
        push(&mut versions, version, WHAT)?;
    }
    push(&mut versions, None, WHAT)?; // the radii
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
        (None, _) => put_numbers(range, 1, put, |number, _| {
            reach.map_or(0.0, |reach| reach.of(caller(number)).to_f64() as f32)
        }),
        (Some(_), None) => put_field(given.fields[field], range, of_queries, put),
        (Some(_), Some(points)) => put_numbers(range, widths[field], put, |number, component| {
            value(given.fields[field], component, points[number] as usize, of_queries)
        }),
    };
    let rows = job.rows();
    let take = |first: usize, numbers: &[f32]| {
        let mut begin = 0;
        for (output, result) in given.program.outputs.iter().zip(results) {
            let end = begin + rows.len() * output.width;
            let from = first.max(begin);
            let here = numbers[from.min(first + numbers.len()) - first..].iter().zip(from..end);
            match order.points() {
                None => {
                    let shift = (rows.start - work.first_row) * output.width;
                    here.for_each(|(&number, at)| result.put(shift + at - begin, number));
                }
                Some(points) => here.for_each(|(&number, at)| {
                    let (row, component) = ((at - begin) / output.width, (at - begin) % output.width);
                    let row = points[rows.start + row] as usize - work.first_row;
                    result.put(row * output.width + component, number);
                }),
            }
            begin = end;
        }
    };
    let summed = Summed {
        full: job.is_full(),
        classes: job.classes.as_ref(),
        bound: match reach {
            None => job.bound()?,
            Some(_) => T::default(), // of no use
        },
        rows: rows.clone(),
        with_self: given.with_self,
        memory_limit: inputs.settings.memory_limit,
        shader: &shader,
        uniforms: &uniforms,
        tables: &tables,
        width: given.program.outputs.iter().map(|output| output.width).sum(),
        versions: &versions,
        outputs: &outputs,
        fill: &fill,
        take: &take,
    };
    let device = device.as_deref_mut().ok_or(crate::error::Error::NO_POINTS)?;
    let gpu = device.gpu()?;
    let found = match reach {
        Some(_) => gpu.sum_by_radii(&counted.counts.get().offsets, &summed, job.team)?,
        None => gpu.sum(&summed, job.team)?,
    };
    match found {
        Ok(entries) => report.entries = entries,
        Err(why) => return Ok(Evaluated::OnCpu(why)),
    }
    report.took(Phase::Fill, Instant::now());
    Ok(Evaluated::OnDevice)
}

/// The numbers of all tables, and their places.
fn tables_of(given: &Given<f32>) -> Result<(Vec<f32>, Vec<PlacedTable>)> {
    let (mut numbers, mut placed) = (Vec::new(), Vec::new());
    let of = |table: &Table<f32>| table.head().len() + table.numbers().len();
    reserve_keeping(&mut numbers, given.tables.iter().map(of).sum(), WHAT)?;
    for table in &given.tables {
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
fn put_field(field: [Option<FieldView>; 2], range: Range<usize>, of_queries: Option<usize>, put: &mut Put) {
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
        let components = row.or(neighbor).map_or(1, |view| view.components);
        let numbers = (range.start - before) * components..(range.end - before) * components;
        match view.and_then(|view| view.together()) {
            Some(Numbers::F32(values)) if numbers.end <= values.len() => {
                put(range.start, bytemuck::cast_slice(&values[numbers]));
            }
            _ => put_numbers(range, components, put, |number, component| {
                value(field, component, number, of_queries)
            }),
        }
    }
}

/// Puts numbers of a range of points, one by one.
fn put_numbers(range: Range<usize>, components: usize, put: &mut Put, number: impl Fn(usize, usize) -> f32) {
    let mut few = [0.0; NUMBERS];
    let at_once = (NUMBERS / components).max(1);
    for first in range.clone().step_by(at_once) {
        let end = range.end.min(first + at_once);
        let points = (first..end).flat_map(|point| (0..components).map(move |component| (point, component)));
        for (to, (point, component)) in few.iter_mut().zip(points) {
            *to = number(point, component);
        }
        put(first, bytemuck::cast_slice(&few[..(end - first) * components]));
    }
}

/// The value of a field for a point, or for a query after the points that there are.
fn value([row, neighbor]: [Option<FieldView>; 2], component: usize, point: usize, of_queries: Option<usize>) -> f32 {
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
        Numbers::F32(values) => values.get(at).copied().unwrap_or_default(),
        Numbers::F64(values) => values.get(at).copied().unwrap_or_default() as f32,
    }
}
