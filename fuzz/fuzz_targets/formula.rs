//! Texts of formulas: each is refused at a place in the text, or runs; two runs are those that `times` of 2 makes. The first byte chooses
//! how the others are read: as a text, or as choices of statements.
#![no_main]

use libfuzzer_sys::fuzz_target;
use neargrid::{Error, Formula, NeighborsKind, PointsView, Result, Search, SumPrecision, TableOf};

mod sentences;
use sentences::{FIELDS, MADE, NUMBERS, PAIRS, TABLES, Text, VECTORS};

const POINTS: usize = 4;
const VALUES: [f64; 12] = [0.0, 0.25, 1.0, 0.0, 0.0, 0.5, 1.5, 0.75, -0.5, 1.25, 0.125, 2.0];

/// The way in which a text runs, by the bits of a byte.
#[derive(Debug)]
struct Setting {
    dim: usize,
    is_single: bool,
    is_double_formula: bool,
    with_self: bool,
    is_periodic: bool,
    excludes: bool,
    kind: NeighborsKind,
}

impl Setting {
    fn new(bits: u8, excludes: bool) -> Setting {
        let is = |bit: u8| bits >> bit & 1 == 1;
        let kind = match bits & 3 {
            0 => NeighborsKind::Half,
            1 => NeighborsKind::Queries,
            _ => NeighborsKind::Full,
        };
        Setting {
            dim: 1 + usize::from(bits >> 6) % 3,
            is_single: is(2),
            is_double_formula: is(3),
            with_self: is(4) && kind != NeighborsKind::Queries,
            is_periodic: is(5),
            excludes,
            kind,
        }
    }

    fn search(&self) -> Result<Search> {
        let (dim, mut search) = (self.dim, Search::new()?);
        search.set_cutoff(1.5)?;
        search.set_box(&[0.0; 3][..dim], &[4.0; 3][..dim], &[self.is_periodic; 3][..dim])?;
        let coords = &VALUES[..POINTS * dim];
        if self.is_single {
            let coords: Vec<f32> = coords.iter().map(|&x| x as f32).collect();
            search.set_points(&PointsView::interleaved(dim, &coords)?)?;
            search.set_queries(&PointsView::interleaved(dim, &coords[dim..])?)?;
        } else {
            search.set_points(&PointsView::interleaved(dim, coords)?)?;
            search.set_queries(&PointsView::interleaved(dim, &coords[dim..])?)?;
        }
        if self.excludes {
            search.set_exclusions(&[0, 1, 3, 4, 4], &[1, 0, 2, 1], Some(&[1, 1, 3, 3]))?;
        }
        search.set_field("a", &VALUES[..POINTS], 1)?;
        search.set_field("b", &[1.0_f32, 2.0, 3.0, 4.0], 1)?;
        search.set_field("m", &[1.0, 0.5, -2.0, 4.0], 1)?;
        search.set_field("v", coords, dim)?;
        search.set_field("u", &[0.5_f32; 3 * POINTS][..dim * POINTS], dim)?;
        for name in FIELDS {
            search.set_query_field(name, &VALUES[..POINTS - 1], 1)?;
        }
        for name in VECTORS {
            search.set_query_field(name, &coords[dim..], dim)?;
        }
        Ok(search)
    }

    fn give(&self, formula: &mut Formula) {
        if self.is_double_formula {
            formula.set_precision(SumPrecision::Double);
        }
        formula.set_include_self(self.with_self);
        for name in NUMBERS.iter().chain(&FIELDS).chain(&MADE) {
            let _ = formula.set_constant(name, 0.5);
        }
        for name in TABLES.iter().chain(&["a", "b", "m", "v", "W"]) {
            for of in [TableOf::R, TableOf::R2] {
                let _ = formula.set_table(name, of, [0.0, 1.0], &[1.0, 0.0]);
            }
            let _ = formula.set_cubic_table(name, TableOf::ROverC, [0.0, 1.0], &[1.0, 0.5, 0.1, 0.0]);
        }
    }
}

/// The bits of all that runs have made, and whether they failed. NaN is NaN.
fn made(search: &mut Search, formula: &Formula, done: &Result<()>) -> Vec<u64> {
    let bits = |value: f64| if value.is_nan() { u64::MAX } else { value.to_bits() };
    let mut all = vec![u64::from(done.is_ok())];
    for name in FIELDS.iter().chain(&VECTORS).chain(&MADE).chain(&["x"]) {
        if let Ok(values) = search.field_as::<f64>(name) {
            all.extend(values.iter().map(|&value| bits(value)));
        }
        if let Ok(values) = search.query_field::<f64>(name) {
            all.extend(values.iter().map(|&value| bits(value)));
        } else if let Ok(values) = search.query_field::<f32>(name) {
            all.extend(values.iter().map(|&value| bits(value.into())));
        }
    }
    for name in PAIRS {
        if let Ok(pairs) = search.pair_field::<f64>(name) {
            all.extend(pairs.ids.iter().map(|&id| id as u64));
            all.extend(pairs.values.iter().map(|&value| bits(value)));
        }
    }
    let numbers = NUMBERS.iter().chain(&MADE);
    all.extend(numbers.filter_map(|name| formula.number(name).ok().map(bits)));
    all
}

fuzz_target!(|bytes: &[u8]| {
    let [how, bits, bytes @ ..] = bytes else { return };
    let setting = Setting::new(*bits, how & 4 != 0);
    let mut text = Text::new(bytes, setting.dim);
    match how % 4 {
        0 => text.written.push_str(&String::from_utf8_lossy(bytes)),
        _ => text.statements(),
    }
    let text = &text.written[..];
    let lines = text.split('\n').count();
    let check = |error: &Error| match error {
        Error::Formula { line, column, .. } => assert!(*line >= 1 && *line as usize <= lines && *column >= 1),
        Error::NotSupported { what } => assert!(what.contains("class") && text.contains("class"), "{error}"),
        Error::NonFinite { .. } => assert!(text.contains("x_i"), "{error}"), // which moves points
        error => assert!(text.len() > 1 << 16, "{error}\n{text}"),
    };
    let mut formula = match Formula::new(text) {
        Ok(formula) => formula,
        Err(error) => return check(&error),
    };
    let mut run = |each: i64, times: i64| {
        setting.give(&mut formula);
        let mut search = setting.search().expect("points");
        let done = (0..times).try_for_each(|_| search.run(&mut formula, setting.kind, each));
        if let Err(error) = &done {
            check(error);
        }
        made(&mut search, &formula, &done)
    };
    assert_eq!(run(2, 1), run(1, 2), "{setting:?}\n{text}");
});
