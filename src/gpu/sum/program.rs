//! A program as shader code, for sums on a GPU. In: the steps of the program. Out: pieces that `shaders/sum.wgsl`,
//! `shaders/columns.wgsl` and `shaders/each_point.wgsl` import, and what the record of a point holds (`record`).

mod each_point;
mod inputs;
mod pairs;
mod record;
mod steps;
mod totals;

pub use inputs::{PlacedTable, Points, Reads};
pub use record::{PlacedField, Record};
pub use totals::{Makes, TotalWords};

use std::fmt::{self, Write};

use crate::error::Result;
use crate::formula::Number as FormulaNumber;
use crate::formula::SumPrecision;
use crate::formula::program::{Kind, Program};
use crate::formula::schedule::{Schedule, Step, What};
use crate::gpu::attempt::Attempt;
use crate::list::{push, resize_discarding};

use inputs::Component;
use record::{Content, LANES};

const WHAT: &str = "the shader of a formula";

/// The piece for statements of each point.
pub(super) const FORMULA_POINT: &str = "formula_point";

/// Steps of a formula that a GPU evaluates, at most: a driver may compile longer ones for minutes.
const MOST_STEPS: usize = 1 << 10;

/// Storage buffers of a stage of points apart from fields, and uniform buffers: its row in `src/gpu/kernels/table.rs`.
const STORAGE: usize = 2;
const UNIFORM: usize = 2;

/// Lanes that share a row: `PARTS` in `shaders/shared/exchange.wgsl`.
pub(crate) const PARTS: usize = 4;

/// A formula for a GPU.
#[derive(Debug)]
pub struct Shader {
    /// Names and lines.
    pub pieces: Vec<(&'static str, String)>,
    pub record: Record,
    /// Some numbers are in real64: coordinates, fields, or all that is computed.
    pub has_doubles: bool,
    /// All that is computed is in real64.
    pub is_double: bool,
    /// Words of what all points make together.
    pub totals: TotalWords,
    /// The number of buffers of fields that a stage of points reads and makes. 0 for other stages.
    bound: usize,
    /// The registers, the same for all pairs, that pairs divide by.
    divisors: Vec<u32>,
}

impl Shader {
    /// The shader of a program in a precision; or why a GPU does not evaluate it. `of_points`: its statements are for each point.
    pub fn new(
        (program, schedule): (&Program, &Schedule),
        reads: Reads,
        points: Points,
        precision: SumPrecision,
        of_points: Option<&[Makes]>,
    ) -> Result<Attempt<Shader>> {
        let steps: usize = schedule.stages.iter().map(Vec::len).sum();
        if steps > MOST_STEPS {
            return Ok(Err("a long formula"));
        }
        let is_double = precision == SumPrecision::Double;
        if is_double && schedule.stages.iter().flatten().any(is_single_only) {
            return Ok(Err("a function in real64 that devices do not have"));
        }
        if let Some(why) = points.why_not_in_real64().filter(|_| is_double) {
            return Ok(Err(why));
        }
        let record = Record::new(schedule, reads.fields, points)?;
        let totals = TotalWords::new(of_points.unwrap_or_default(), is_double);
        let divisors = if is_double { Vec::new() } else { divisors(schedule)? };
        let writer = Writer {
            is_of_points: of_points.is_some(),
            program,
            schedule,
            tables: reads.tables,
            points,
            record: &record,
            divisors: &divisors,
            is_double,
            totals,
        };
        let mut pieces = Vec::new();
        let written = match of_points {
            None => [
                ("formula", writer.constants()),
                ("formula_target", writer.target()),
                ("formula_rows", writer.rows()),
            ],
            Some(makes) => [
                ("formula", writer.constants()),
                (FORMULA_POINT, writer.point(makes)),
                ("formula_totals", writer.totals(makes)),
            ],
        };
        for (name, text) in written {
            // Strings are written without errors of their own.
            push(&mut pieces, (name, text.unwrap_or_default()), WHAT)?;
        }
        let has_wide_fields = record.fields.iter().any(|placed| placed.words > 1);
        Ok(Ok(Shader {
            pieces,
            has_doubles: is_double || points.is_wide || has_wide_fields,
            is_double,
            totals,
            bound: of_points.map_or(0, |makes| record.fields.len() + made(makes)),
            record,
            divisors,
        }))
    }

    /// The reason why a device with these limits cannot run it, if there is one.
    pub fn why_not_on(&self, limits: &wgpu::Limits) -> Option<&'static str> {
        let all = limits.max_buffers_and_acceleration_structures_per_shader_stage;
        let binds = |most: u32, others: usize| self.bound == 0 || self.bound + others <= most as usize;
        if !binds(limits.max_storage_buffers_per_shader_stage, STORAGE) || !binds(all, STORAGE + UNIFORM) {
            return Some("more fields at once than the device binds");
        }
        let has_room = self.totals.shared_bytes(self.is_double) <= limits.max_compute_workgroup_storage_size as usize;
        (!has_room).then_some("more numbers of all points at once than the device has memory for")
    }

    /// The constants of the shader: what is the same for all pairs, in whole vectors, and then a vector for each
    /// divisor. `uniforms` are the registers.
    pub fn constants<F: FormulaNumber>(&self, uniforms: &[F]) -> Result<Vec<F>> {
        let first = uniforms.len().next_multiple_of(LANES).max(LANES);
        let mut constants = Vec::new();
        let len = first + LANES * self.divisors.len().max(1);
        resize_discarding(&mut constants, len, F::default(), WHAT)?;
        constants[..uniforms.len()].copy_from_slice(uniforms);
        for (vector, &register) in constants[first..].chunks_exact_mut(LANES).zip(&self.divisors) {
            let by = uniforms[register as usize].to_f64() as f32;
            vector.copy_from_slice(&divisor(by).map(|number| F::from_f64(number.into())));
        }
        Ok(constants)
    }
}

/// The number of fields, positions included, that a stage makes.
fn made(makes: &[Makes]) -> usize {
    makes.iter().filter(|makes| !matches!(makes, Makes::Total(_))).count()
}

/// The registers that steps divide by and that are the same for all pairs.
fn divisors(schedule: &Schedule) -> Result<Vec<u32>> {
    let mut divisors = Vec::new();
    for step in schedule.stages.iter().flatten() {
        let by = step.operands[1];
        let is_known = (by as usize) < schedule.uniform && !divisors.contains(&by);
        if is_known && matches!(step.what, What::Operation(Kind::Divide)) {
            push(&mut divisors, by, WHAT)?;
        }
    }
    Ok(divisors)
}

/// A divisor, its reciprocal, and the bits of the magnitude of the least dividend and how many follow it whose
/// quotients come from the reciprocal: none if `divide_fused` in `shaders/shared/arithmetic.wgsl` would not take the
/// divisor. WGSL twin: `divisor_of` there.
fn divisor(by: f32) -> [f32; LANES] {
    const FRACTION: u32 = 0x7f_ffff;
    let exponent = by.to_bits() >> 23 & 0xff;
    let is_plain = (3..251).contains(&exponent) && by.to_bits() & FRACTION != FRACTION;
    let least = 50.max(exponent.saturating_sub(124));
    let end = 253.min(exponent + 125);
    let span = if is_plain && least < end { end - least } else { 0 };
    [
        by,
        1.0 / by,
        f32::from_bits(least.min(253) << 23),
        f32::from_bits(span << 23),
    ]
}

/// The file of `shaders/shared` that an operation takes, if it is one that few formulas have.
fn file_of(step: &Step, is_double: bool) -> Option<&'static str> {
    match step.what {
        What::Operation(Kind::Exp | Kind::Log | Kind::Pow) if is_double => Some("exponential_real64"),
        What::Operation(Kind::Sin | Kind::Cos | Kind::Tan | Kind::Atan2) => Some("trigonometric"),
        What::Operation(Kind::Tanh) => Some("wide_exponential"),
        What::Operation(Kind::Erf | Kind::Erfc) => Some("error_function"),
        _ => None,
    }
}

/// Whether a step is of a function that shaders have in real32 only.
fn is_single_only(step: &Step) -> bool {
    use Kind::{Atan2, Cos, Erf, Erfc, Sin, Tan, Tanh};
    let What::Operation(kind) = step.what else { return false };
    matches!(kind, Sin | Cos | Tan | Tanh | Atan2 | Erf | Erfc)
}

struct Writer<'a> {
    /// Fields are read where they are; otherwise those of a range of points are side by side.
    is_of_points: bool,
    program: &'a Program,
    schedule: &'a Schedule,
    tables: &'a [PlacedTable],
    points: Points,
    record: &'a Record,
    divisors: &'a [u32],
    is_double: bool,
    totals: TotalWords,
}

type Text = std::result::Result<String, fmt::Error>;

impl Writer<'_> {
    fn constants(&self) -> Text {
        let uniforms = self.schedule.uniform.div_ceil(LANES).max(1);
        let vectors = self.record.len() / LANES;
        let (outputs, divisors) = (self.schedule.terms.len(), self.divisors.len().max(1));
        let constants = [
            ("UNIFORMS", uniforms),
            ("DIVISORS", divisors),
            ("RECORD", vectors),
            ("OUTPUTS", outputs),
            ("FLAGS", self.totals.flags.max(1)),
            ("DIGITS", self.totals.digits),
            ("BOUND_WORDS", self.totals.bounds),
        ];
        let mut text = String::new();
        writeln!(text, "alias Number = {};", if self.is_double { "f64" } else { "f32" })?;
        for (name, value) in constants {
            writeln!(text, "const {name} = {value}u;")?;
        }
        if self.record.fields.iter().any(|placed| placed.words > 1) {
            writeln!(text, "#import double")?;
        }
        for step in self.schedule.stages.iter().flatten() {
            if let Some(file) = file_of(step, self.is_double) {
                writeln!(text, "#import {file}")?;
            }
        }
        Ok(text)
    }

    /// Reads the fields of point `k` of a range into its record.
    fn read_record(&self, text: &mut String) -> fmt::Result {
        for k in 0..self.record.len() / LANES {
            writeln!(text, "    var record_{k} = vec4<Number>();")?;
        }
        for content in &self.record.contents {
            let number = self.record.number(*content);
            match content {
                Content::Field(Component { field, component }) => {
                    let mut fields = self.record.fields.iter();
                    if let Some(placed) = fields.find(|placed| placed.field == *field) {
                        let value = placed.read(*component, self.is_of_points, self.is_double);
                        writeln!(text, "    {number} = {value};")?;
                    }
                }
                Content::Column(_) => (),
            }
        }
        Ok(())
    }
}
