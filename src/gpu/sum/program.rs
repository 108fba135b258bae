//! A program as shader code, for sums on a GPU. In: the steps of the program. Out: pieces that `shaders/sum.wgsl` and
//! `shaders/columns.wgsl` import, and what the record of a point holds.
//!
//! A record has what pairs read of the point as a neighbor, and then the other fields. The device makes it of the
//! fields. Coordinates stay where the search has them.

use std::fmt::{self, Write};
use std::ops::Range;

use crate::error::Result;
use crate::formula::Number as FormulaNumber;
use crate::formula::SumPrecision;
use crate::formula::program::{Kind, Program, Reduction, Side};
use crate::formula::schedule::{Schedule, Stage, Step, What};
use crate::gpu::attempt::Attempt;
use crate::list::{push, resize_discarding};
use crate::radii::RadiusRule;

const WHAT: &str = "the shader of a formula";

/// The piece for statements of each point.
pub(super) const FORMULA_POINT: &str = "formula_point";

/// Steps of a formula that a GPU evaluates, at most: a driver may compile longer ones for minutes.
const MOST_STEPS: usize = 1 << 10;

/// Numbers of a vector in shaders.
const LANES: usize = 4;

/// Lanes that share a row: `PARTS` in `shaders/shared/exchange.wgsl`.
pub(crate) const PARTS: usize = 4;

/// A component of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    pub field: u32,
    pub component: usize,
}

/// The content of a place of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Field(Component),
    /// Values that the device computes for the column of neighbors.
    Column(usize),
}

/// The places of a record.
#[derive(Debug, Default)]
pub struct Record {
    contents: Vec<Content>,
    /// Columns of neighbors that are fields as they are.
    aliases: Vec<Option<Component>>,
    /// Places that pairs read, from the first on.
    of_pairs: usize,
    /// The fields, in the order in which the device gets them.
    pub fields: Vec<PlacedField>,
}

/// A field among the numbers that the device gets: all of its components for each point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedField {
    pub field: u32,
    pub components: usize,
    /// Words of a component.
    pub words: usize,
    /// Words of the fields before, for each point.
    pub before: usize,
}

/// What a statement for each point makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Makes {
    Field,
    /// The positions of the points.
    Positions,
    /// A number of the terms of all points.
    Total(Reduction),
}

/// The words that a workgroup makes of terms: flags, digits of exact sums, bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TotalWords {
    pub flags: usize,
    /// Digits of one sum, which are 16 bits apart, and of all.
    pub of_sum: usize,
    pub digits: usize,
    pub bounds: usize,
}

impl TotalWords {
    fn new(makes: &[Makes], is_double: bool) -> TotalWords {
        let sums = makes
            .iter()
            .filter(|makes| matches!(makes, Makes::Total(Reduction::Sum)));
        let totals = makes.iter().filter(|makes| matches!(makes, Makes::Total(_)));
        let (sums, totals) = (sums.count(), totals.count());
        // `SUM_DIGITS` in `shaders/shared/digits.wgsl` and its form for real64.
        let (of_sum, words) = if is_double { (133, 2) } else { (19, 1) };
        TotalWords {
            flags: 1 + sums,
            of_sum,
            digits: of_sum * sums,
            bounds: words * (totals - sums),
        }
    }

    pub fn all(&self) -> usize {
        self.flags + self.digits + self.bounds
    }
}

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
    /// The registers, the same for all pairs, that pairs divide by.
    divisors: Vec<u32>,
}

/// A table among the numbers of all.
#[derive(Clone, Copy, Debug)]
pub struct PlacedTable {
    /// The place where its values begin, after its last and first place, scale and steps.
    pub at: usize,
    pub is_cubic: bool,
}

/// Inputs of a formula beside the points.
#[derive(Clone, Copy, Debug)]
pub struct Reads<'a> {
    pub tables: &'a [PlacedTable],
    /// Components of each field, and whether they come in real64.
    pub fields: &'a [(usize, bool)],
}

/// Properties of the points.
#[derive(Clone, Copy, Debug)]
pub struct Points {
    pub dim: usize,
    /// In real64.
    pub is_wide: bool,
    pub is_periodic: bool,
    /// The rule of cutoffs and the field of radii, if each point has a radius.
    pub radii: Option<(RadiusRule, u32)>,
}

impl Points {
    /// The radius of a point, as cutoffs are computed of it; `None` where real32 does not do.
    fn radius(&self) -> Option<Component> {
        let is_rounded = |rule| rule == RadiusRule::Mean && self.is_wide;
        let (_, field) = self.radii.filter(|&(rule, _)| !is_rounded(rule))?;
        Some(Component { field, component: 0 })
    }
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
        if is_double && points.radii.is_some() {
            return Ok(Err("real64 by radii"));
        }
        let record = Record::new(schedule, reads.fields, points)?;
        let totals = TotalWords::new(of_points.unwrap_or_default(), is_double);
        let divisors = if is_double { Vec::new() } else { divisors(schedule)? };
        let writer = Writer {
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
            record,
            divisors,
        }))
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

impl Record {
    fn new(schedule: &Schedule, fields: &[(usize, bool)], points: Points) -> Result<Record> {
        let mut made = Record::default();
        // The text of each register of the stage as it was read.
        let mut read = Vec::new();
        crate::list::resize_discarding(&mut read, schedule.registers, None, WHAT)?;
        crate::list::resize_discarding(&mut made.aliases, schedule.columns[1], None, WHAT)?;
        for step in &schedule.stages[Stage::Target as usize] {
            match step.what {
                What::Keep(column) => {
                    let alias = read[step.operands[0] as usize];
                    made.aliases[column] = alias;
                    made.add(alias.map_or(Content::Column(column), Content::Field))?;
                }
                What::Read(field, _, component) => read[step.to as usize] = Some(Component { field, component }),
                _ => read[step.to as usize] = None,
            }
        }
        if let (true, Some(radius)) = (schedule.cuts, points.radius()) {
            made.add(Content::Field(radius))?;
        }
        made.of_pairs = made.contents.len();
        for stage in [Stage::Row, Stage::Target] {
            for step in &schedule.stages[stage as usize] {
                if let What::Read(field, _, component) = step.what {
                    made.add(Content::Field(Component { field, component }))?;
                }
            }
        }
        made.place_fields(fields)?;
        Ok(made)
    }

    /// Places the fields whose components there are.
    fn place_fields(&mut self, fields: &[(usize, bool)]) -> Result<()> {
        for content in &self.contents {
            let Content::Field(Component { field, .. }) = *content else {
                continue;
            };
            if self.fields.iter().all(|placed| placed.field != field) {
                let before = self.words();
                let (components, is_wide) = fields[field as usize];
                let placed = PlacedField {
                    field,
                    components,
                    words: 1 + usize::from(is_wide),
                    before,
                };
                push(&mut self.fields, placed, WHAT)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, content: Content) -> Result<()> {
        match self.contents.contains(&content) {
            true => Ok(()),
            false => push(&mut self.contents, content, WHAT),
        }
    }

    /// Numbers of a record: whole vectors.
    pub fn len(&self) -> usize {
        self.contents.len().next_multiple_of(LANES).max(LANES)
    }

    /// Words of all fields, for each point.
    pub fn words(&self) -> usize {
        self.fields
            .last()
            .map_or(0, |last| last.before + last.components * last.words)
    }

    /// The number of a record that has `content`.
    fn number(&self, content: Content) -> Number {
        Number(self.contents.iter().position(|&other| other == content).unwrap_or(0))
    }

    fn column(&self, column: usize) -> Number {
        self.number(self.aliases[column].map_or(Content::Column(column), Content::Field))
    }
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

/// A number of a record, as shaders write it.
struct Number(usize);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "record_{}[{}]", self.0 / LANES, self.0 % LANES)
    }
}

/// The text of an operand.
struct Operand<'a> {
    names: &'a [u32],
    uniform: usize,
    register: u32,
}

impl fmt::Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let register = self.register as usize;
        match register < self.uniform {
            true => write!(f, "summed.uniforms[{}][{}]", register / LANES, register % LANES),
            false => write!(f, "v{}", self.names[register]),
        }
    }
}

struct Writer<'a> {
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

impl PlacedField {
    /// Bytes of all components of a point.
    pub fn bytes(&self) -> usize {
        size_of::<u32>() * self.words * self.components
    }

    /// A component for point `k` of those whose fields there are.
    fn read(&self, k: &str, component: usize, is_double: bool) -> String {
        let PlacedField {
            components,
            words,
            before,
            ..
        } = self;
        let at = format!("{before}u * summed.points + ({k} * {components}u + {component}u) * {words}u");
        match (words, is_double) {
            (1, _) => format!("of_single(bitcast<f32>(fields[{at}]))"),
            (_, true) => format!("double(vec2(fields[{at}], fields[{at} + 1u]))"),
            (_, false) => format!("single_of(double(vec2(fields[{at}], fields[{at} + 1u])))"),
        }
    }
}

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

    /// Makes the record of point `j`.
    fn target(&self) -> Text {
        let mut text = String::new();
        self.read_record(&mut text)?;
        self.steps(&mut text, Stage::Target)?;
        for k in 0..self.record.len() / LANES {
            writeln!(text, "    records[j * RECORD + {k}u] = record_{k};")?;
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
                        writeln!(text, "    {number} = {};", placed.read("k", *component, self.is_double))?;
                    }
                }
                Content::Column(_) => (),
            }
        }
        Ok(())
    }

    /// Evaluates the statements of point `k` of a range: its values, and its terms if it takes part in totals.
    fn point(&self, makes: &[Makes]) -> Text {
        let mut text = String::new();
        for column in 0..self.schedule.columns[0] {
            writeln!(text, "var<private> row_{column}: Number;")?;
        }
        writeln!(text, "#import formula_totals")?;
        writeln!(text, "\nfn evaluate_point(k: u32, has_terms: bool) {{")?;
        writeln!(text, "{{")?;
        self.read_record(&mut text)?;
        self.steps(&mut text, Stage::Row)?;
        writeln!(text, "}}")?;
        let names = self.steps(&mut text, Stage::Pair)?;
        let mut terms = self.schedule.terms.iter();
        let (mut before, mut totals) = (0, [0, 0]);
        for (output, makes) in self.program.outputs.iter().zip(makes) {
            let (width, terms) = (output.width, terms.by_ref().take(output.width));
            for (component, &term) in terms.enumerate() {
                let term = self.operand(&names, term);
                let place = format!("records[{before}u * summed.points + k * {width}u + {component}u]");
                match makes {
                    Makes::Field => writeln!(text, "    {place} = {term};")?,
                    Makes::Positions => writeln!(text, "    {place} = wrapped({term}, {component}u);")?,
                    Makes::Total(Reduction::Sum) => {
                        writeln!(text, "    if has_terms {{ add_term({}u, {term}); }}", totals[0])?;
                    }
                    Makes::Total(reduction) => {
                        let (bound, of) = (format!("bound_{}", totals[1]), format!("{term}"));
                        let is_better = match reduction {
                            Reduction::Max => format!("is_before({bound}, {of})"),
                            _ => format!("is_before({of}, {bound})"),
                        };
                        writeln!(text, "    if has_terms && {is_better} {{ {bound} = {of}; }}")?;
                    }
                }
            }
            match makes {
                Makes::Total(reduction) => totals[usize::from(*reduction != Reduction::Sum)] += 1,
                Makes::Field | Makes::Positions => before += width,
            }
        }
        writeln!(text, "}}")?;
        Ok(text)
    }

    /// The bounds of a lane: the largest or smallest terms that it has seen.
    fn totals(&self, makes: &[Makes]) -> Text {
        let mut text = String::new();
        let reductions = makes.iter().filter_map(|makes| match makes {
            Makes::Total(reduction) => Some(*reduction),
            _ => None,
        });
        let bounds: Vec<_> = reductions.filter(|reduction| *reduction != Reduction::Sum).collect();
        for k in 0..bounds.len() {
            writeln!(text, "var<private> bound_{k}: Number;")?;
        }
        writeln!(text, "\nfn begin_bounds() {{")?;
        for (k, reduction) in bounds.iter().enumerate() {
            let start = if *reduction == Reduction::Max {
                "-infinity()"
            } else {
                "infinity()"
            };
            writeln!(text, "    bound_{k} = {start};")?;
        }
        writeln!(text, "}}\n\nfn end_bounds(at: u32, lane: u32) {{")?;
        for (k, reduction) in bounds.iter().enumerate() {
            let is_largest = *reduction == Reduction::Max;
            writeln!(text, "    let joined_{k} = join_bounds(bound_{k}, {is_largest}, lane);")?;
            let place = k * self.words();
            writeln!(text, "    if lane == 0u {{ put_bound(at + {place}u, joined_{k}); }}")?;
        }
        writeln!(text, "}}")?;
        Ok(text)
    }

    /// Words of a number.
    fn words(&self) -> usize {
        1 + usize::from(self.is_double)
    }

    /// Reads a row, evaluates its pairs, and joins their terms. Each lane of a row has the sums of its own outputs.
    fn rows(&self) -> Text {
        let mut text = String::new();
        for column in 0..self.schedule.columns[0] {
            writeln!(text, "var<private> row_{column}: Number;")?;
        }
        let number = if self.points.is_wide { "vec2<u32>" } else { "f32" };
        for axis in self.axes() {
            writeln!(text, "var<private> x_{axis}: {number};")?;
        }
        if self.radius().is_some() {
            writeln!(text, "var<private> own_radius: f32;")?;
        }
        writeln!(text, "\nfn begin_row(i: u32) {{")?;
        self.load(&mut text, "i", self.record.len())?;
        for axis in self.axes() {
            writeln!(text, "    x_{axis} = {};", self.coordinate("i", axis))?;
        }
        if let Some(radius) = self.radius() {
            writeln!(text, "    own_radius = {};", self.record.number(Content::Field(radius)))?;
        }
        self.steps(&mut text, Stage::Row)?;
        writeln!(text, "}}\n\nfn evaluate(i: u32, j: u32) {{")?;
        self.load(&mut text, "j", self.record.of_pairs)?;
        self.displacement(&mut text)?;
        let names = self.steps(&mut text, Stage::Pair)?;
        for (k, &term) in self.schedule.terms.iter().enumerate() {
            writeln!(text, "    term_{k} = {};", self.operand(&names, term))?;
        }
        writeln!(text, "}}\n")?;
        self.sums(&mut text)?;
        self.outputs(&mut text)?;
        Ok(text)
    }

    /// The sums of a lane: those of the outputs that are as many apart as lanes share a row.
    fn sums(&self, text: &mut String) -> fmt::Result {
        let each = self.schedule.terms.len().div_ceil(PARTS);
        for k in 0..self.schedule.terms.len() {
            writeln!(text, "var<private> term_{k}: Number;")?;
        }
        for k in 0..each {
            writeln!(text, "var<private> sum_{k}: Number;")?;
        }
        writeln!(text, "\nfn begin_sums(part: u32, row: u32, is_first: bool) {{")?;
        for k in 0..each {
            writeln!(text, "    sum_{k} = first_sum(part + {}u, row, is_first);", k * PARTS)?;
        }
        writeln!(text, "}}\n\nfn join_terms(part: u32, count: u32, channel: u32) {{")?;
        for k in 0..each {
            let term = |at: usize| match at < self.schedule.terms.len() {
                true => format!("term_{at}"),
                false => "Number(0.0)".to_owned(),
            };
            let [a, b, c, d] = [0, 1, 2, 3].map(|part| term(k * PARTS + part));
            writeln!(
                text,
                "    let terms_{k} = exchange(vec4<Number>({a}, {b}, {c}, {d}), channel);"
            )?;
            writeln!(
                text,
                "    sum_{k} = join(part + {}u, sum_{k}, terms_{k}, count);",
                k * PARTS
            )?;
        }
        writeln!(text, "}}\n\nfn end_sums(part: u32, row: u32) {{")?;
        for k in 0..each {
            writeln!(text, "    end_sum(part + {}u, row, sum_{k});", k * PARTS)?;
        }
        writeln!(text, "}}\n")
    }

    /// The way in which the terms of an output are joined, and the place of its numbers.
    fn outputs(&self, text: &mut String) -> fmt::Result {
        let start = |reduction| match reduction {
            Reduction::Sum => "Number(0.0)",
            Reduction::Max => "-infinity()",
            Reduction::Min => "infinity()",
        };
        let joined = |reduction| match reduction {
            Reduction::Sum => "sum + term",
            Reduction::Max => "select(sum, term, is_less(sum, term))",
            Reduction::Min => "select(sum, term, is_less(term, sum))",
        };
        let place = |before, width| format!("{before}u * summed.rows + row * {width}u + output - {before}u");
        self.by_output(text, "start_of(output: u32) -> Number", |reduction, _, _| {
            start(reduction).into()
        })?;
        self.by_output(
            text,
            "joined(output: u32, sum: Number, term: Number) -> Number",
            |reduction, _, _| joined(reduction).into(),
        )?;
        self.by_output(text, "place_of(output: u32, row: u32) -> u32", |_, before, width| {
            place(before, width)
        })
    }

    /// A function that returns for a number of the outputs what `value` says of its reduction, the numbers of outputs
    /// before, and the width.
    fn by_output(
        &self,
        text: &mut String,
        signature: &str,
        value: impl Fn(Reduction, usize, usize) -> String,
    ) -> fmt::Result {
        writeln!(text, "fn {signature} {{")?;
        let mut before = 0;
        let mut value_of_last = String::new();
        for output in &self.program.outputs {
            let value = value(output.reduction, before, output.width);
            if before > 0 && value != value_of_last {
                writeln!(
                    text,
                    "    if output < {before}u {{\n        return {value_of_last};\n    }}"
                )?;
            }
            (before, value_of_last) = (before + output.width, value);
        }
        writeln!(text, "    return {value_of_last};\n}}\n")
    }

    /// The axes whose coordinates pairs read.
    fn axes(&self) -> Range<usize> {
        match self.schedule.displaces {
            true => 0..self.points.dim,
            false => 0..0,
        }
    }

    /// The radius that pairs read.
    fn radius(&self) -> Option<Component> {
        self.points.radius().filter(|_| self.schedule.cuts)
    }

    /// The cutoff of a pair: radii are never negative, and ordered as their bits are.
    fn cutoff(&self, text: &mut String) -> fmt::Result {
        let (Some((rule, _)), Some(radius)) = (self.points.radii, self.radius()) else {
            return write!(text, "mean_radius(i, j)");
        };
        let other = self.record.number(Content::Field(radius));
        let of_bits = |name| format!("bitcast<f32>({name}(bitcast<u32>(own_radius), bitcast<u32>({other})))");
        match rule {
            RadiusRule::Gather => write!(text, "own_radius"),
            RadiusRule::Scatter => write!(text, "{other}"),
            RadiusRule::Max => write!(text, "{}", of_bits("max")),
            RadiusRule::Min => write!(text, "{}", of_bits("min")),
            RadiusRule::Mean => write!(text, "0.5 * (own_radius + {other})"),
        }
    }

    /// The coordinate of a point along an axis; in real64 its bits.
    fn coordinate(&self, point: &str, axis: usize) -> String {
        let at = format!("{point} * {}u + {axis}u", self.points.dim);
        match self.points.is_wide {
            true => format!("wide_coords[{at}]"),
            false => format!("bitcast<f32>(coord_word({at}))"),
        }
    }

    /// The displacement of points in real64. The axes share the one branch for what is not settled at once.
    fn displacement(&self, text: &mut String) -> fmt::Result {
        if self.axes().is_empty() || !self.points.is_wide {
            return Ok(());
        }
        for axis in self.axes() {
            let (other, length) = (self.coordinate("j", axis), self.length(axis));
            writeln!(text, "    let y_{axis} = {other};")?;
            writeln!(text, "    var d_{axis} = difference_of(x_{axis}, y_{axis}, {length});")?;
        }
        if self.is_double {
            return Ok(());
        }
        let are_settled: Vec<_> = self.axes().map(|axis| format!("is_settled(d_{axis})")).collect();
        writeln!(text, "    if !({}) {{", are_settled.join(" && "))?;
        for axis in self.axes() {
            let any = format!("difference_of_any(x_{axis}, y_{axis}, {})", self.length(axis));
            writeln!(text, "        if !is_settled(d_{axis}) {{ d_{axis} = {any}; }}")?;
        }
        writeln!(text, "    }}")
    }

    /// The bits of the length of an axis of points in real64, or 0 if none is periodic.
    fn length(&self, axis: usize) -> String {
        match self.points.is_periodic {
            true => format!("length_of_axis({axis}u)"),
            false => "vec2<u32>()".to_owned(),
        }
    }

    /// Loads the first `numbers` of a record.
    fn load(&self, text: &mut String, point: &str, numbers: usize) -> fmt::Result {
        for k in 0..numbers.div_ceil(LANES) {
            writeln!(text, "    let record_{k} = records[{point} * RECORD + {k}u];")?;
        }
        Ok(())
    }

    fn operand<'a>(&self, names: &'a [u32], register: u32) -> Operand<'a> {
        Operand {
            names,
            uniform: self.schedule.uniform,
            register,
        }
    }

    /// The steps of a stage. Returns the number of the value that each register has in the end.
    fn steps(&self, text: &mut String, stage: Stage) -> std::result::Result<Vec<u32>, fmt::Error> {
        let mut names = vec![0; self.schedule.registers];
        let shared = self.shared_divisors(stage);
        let mut made = Vec::new();
        for (number, step) in (0..).zip(&self.schedule.stages[stage as usize]) {
            if let What::Keep(column) = step.what {
                let value = self.operand(&names, step.operands[0]);
                match stage {
                    Stage::Row => writeln!(text, "    row_{column} = {value};")?,
                    _ if self.record.aliases[column].is_none() => {
                        writeln!(text, "    {} = {value};", self.record.column(column))?;
                    }
                    _ => (), // the field is there
                }
                continue;
            }
            match self.divisor_of(step, &names).filter(|by| shared.contains(by)) {
                Some(by) => {
                    if !made.contains(&by) {
                        made.push(by);
                        writeln!(text, "    let divisor_{by} = divisor_of(v{by});")?;
                    }
                    let dividend = self.operand(&names, step.operands[0]);
                    writeln!(text, "    let v{number} = divide_by({dividend}, divisor_{by});")?;
                }
                None => {
                    write!(text, "    let v{number} = ")?;
                    self.value(text, &names, step)?;
                    writeln!(text, ";")?;
                }
            }
            names[step.to as usize] = number;
        }
        Ok(names)
    }

    /// The number of the value that a step divides by, if it is not the same for all pairs.
    fn divisor_of(&self, step: &Step, names: &[u32]) -> Option<u32> {
        let by = step.operands[1] as usize;
        let is_division = matches!(step.what, What::Operation(Kind::Divide)) && !self.is_double;
        let divides = is_division && by >= self.schedule.uniform;
        divides.then(|| names[by])
    }

    /// Those of a stage that several steps divide by, so that the reciprocal is made once.
    fn shared_divisors(&self, stage: Stage) -> Vec<u32> {
        let mut names = vec![0; self.schedule.registers];
        let (mut seen, mut shared) = (Vec::new(), Vec::new());
        for (number, step) in (0..).zip(&self.schedule.stages[stage as usize]) {
            if let Some(by) = self.divisor_of(step, &names) {
                let list = if seen.contains(&by) { &mut shared } else { &mut seen };
                list.push(by);
            }
            if !matches!(step.what, What::Keep(_)) {
                names[step.to as usize] = number;
            }
        }
        shared
    }

    /// The operation of a step.
    fn value(&self, text: &mut String, names: &[u32], step: &Step) -> fmt::Result {
        let [a, b, c] = step.operands.map(|of| self.operand(names, of));
        match step.what {
            What::AddProduct => write!(text, "{a} + {b} * {c}"),
            What::Displace(axis) if self.points.is_wide => write!(text, "d_{axis}"),
            What::Displace(axis) => {
                let other = self.coordinate("j", axis);
                match self.points.is_periodic {
                    true => write!(text, "of_single(to_nearest(x_{axis} - {other}, {axis}u))"),
                    false => write!(text, "of_single(x_{axis} - {other})"),
                }
            }
            What::Spread(Side::I, column) => write!(text, "row_{column}"),
            What::Spread(Side::J, column) => write!(text, "{}", self.record.column(column)),
            What::Read(field, _, component) => {
                let content = Content::Field(Component { field, component });
                write!(text, "{}", self.record.number(content))
            }
            What::Operation(kind) => self.operation(text, kind, [a, b, c]),
            What::Cut => self.cutoff(text),
            What::Keep(_) => Ok(()), // of no step that comes here
        }
    }

    fn operation(&self, text: &mut String, kind: Kind, [a, b, c]: [Operand; 3]) -> fmt::Result {
        match kind {
            Kind::Negate => write!(text, "negated({a})"),
            Kind::Abs => write!(text, "magnitude_of({a})"),
            Kind::Sqrt => write!(text, "square_root({a})"),
            Kind::Exp => write!(text, "exponential({a})"),
            Kind::Log => write!(text, "logarithm({a})"),
            Kind::Sin => write!(text, "sine({a})"),
            Kind::Cos => write!(text, "cosine({a})"),
            Kind::Tan => write!(text, "tangent({a})"),
            Kind::Tanh => write!(text, "hyperbolic_tangent({a})"),
            Kind::Atan2 => write!(text, "angle_of({a}, {b})"),
            Kind::Erf => write!(text, "error_function({a})"),
            Kind::Erfc => write!(text, "complementary_error({a})"),
            Kind::Sign => write!(text, "sign_of({a})"),
            Kind::Floor => write!(text, "floor({a})"),
            Kind::Add => write!(text, "{a} + {b}"),
            Kind::Subtract => write!(text, "{a} - {b}"),
            Kind::Multiply => write!(text, "{a} * {b}"),
            Kind::Divide => match self.divisors.iter().position(|&known| known == b.register) {
                Some(k) => write!(text, "divide_by({a}, summed.divisors[{k}])"),
                None => write!(text, "divide({a}, {b})"),
            },
            Kind::Min => write!(text, "select({a}, {b}, is_less({b}, {a}))"),
            Kind::Max => write!(text, "select({a}, {b}, is_less({a}, {b}))"),
            Kind::Pow => write!(text, "power({a}, {b})"),
            Kind::Less => write!(text, "select(Number(0.0), Number(1.0), is_less({a}, {b}))"),
            Kind::LessEqual => write!(
                text,
                "select(Number(0.0), Number(1.0), is_less({a}, {b}) || is_equal({a}, {b}))"
            ),
            Kind::Equal => write!(text, "select(Number(0.0), Number(1.0), is_equal({a}, {b}))"),
            Kind::NotEqual => write!(text, "select(Number(1.0), Number(0.0), is_equal({a}, {b}))"),
            Kind::Select => write!(text, "select({a}, {b}, is_zero({c}))"),
            Kind::Table(table) => {
                let PlacedTable { at, is_cubic } = self.tables[table as usize];
                let function = if is_cubic { "spline_value" } else { "table_value" };
                write!(
                    text,
                    "{function}({at}u, {a}, tables[{}u], tables[{}u], tables[{}u], tables[{}u])",
                    at - 4,
                    at - 3,
                    at - 2,
                    at - 1
                )
            }
            // The same for all pairs, steps of another kind, or in syntax only.
            Kind::Number { .. } | Kind::Constant(_) | Kind::Cutoff | Kind::Field(..) => Ok(()),
            Kind::Displacement | Kind::Dot | Kind::Square | Kind::Distance => Ok(()),
            Kind::Component(_) | Kind::Vector(_) | Kind::Cross | Kind::And | Kind::Or | Kind::Not => Ok(()),
        }
    }
}
