//! Fields on their way to a GPU. In: views of fields. Out: their numbers in the order of the search, in pieces.

use std::ops::Range;

use crate::fields::FieldView;
use crate::gpu::Put;
use crate::points::Numbers;

/// The components of a field, and whether they are in real64.
pub type Shape = (usize, bool);

/// Numbers that a thread gathers at once: those of at least one point.
const NUMBERS: usize = 256;

/// The caller's number of the first of some points of the search, if the others follow it in the caller's numbers, too. Points of ranks do so
/// in three parts, which are copied and not gathered.
pub fn first_of_run(points: &[u32], range: Range<usize>) -> Option<usize> {
    let part = &points[range];
    let first = *part.first()?;
    part.iter()
        .zip(first..)
        .all(|(&point, number)| point == number)
        .then_some(first as usize)
}

/// Puts what a field has for a range of points, and after them of queries.
pub fn put_field(
    field: [Option<FieldView>; 2],
    (components, is_wide): Shape,
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
        let whole = view.filter(|view| view.components == components);
        match whole.and_then(|view| view.together()) {
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
pub fn put_numbers(
    range: Range<usize>,
    (components, is_wide): Shape,
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
pub fn value(
    [row, neighbor]: [Option<FieldView>; 2],
    component: usize,
    point: usize,
    of_queries: Option<usize>,
) -> f64 {
    let (view, at) = match of_queries {
        Some(points) if point >= points => (row, point - points),
        Some(_) => (neighbor, point),
        None => (row.or(neighbor), point),
    };
    let Some(view) = view.filter(|view| component < view.components) else {
        return 0.0; // that no row reads
    };
    let at = at * view.stride;
    match view.component(component) {
        Numbers::F32(values) => values.get(at).copied().unwrap_or_default().into(),
        Numbers::F64(values) => values.get(at).copied().unwrap_or_default(),
    }
}
