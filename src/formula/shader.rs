//! A program as shader code, for sums on a GPU. In: the steps of the program. Out: pieces that `shaders/sum.wgsl` and
//! `shaders/columns.wgsl` import, and what the record of a point holds.
//!
//! A record has the point's coordinates, what pairs read of it as a neighbor, and then the other fields. The device makes it of the
//! fields.

use std::fmt::{self, Write};

use super::program::{Kind, Program, Reduction, Side};
use super::schedule::{Schedule, Stage, Step, What};
use crate::error::Result;
use crate::list::push;

const WHAT: &str = "the shader of a formula";

/// Steps of a formula that a GPU evaluates, at most: a driver may compile longer ones for minutes.
const MOST_STEPS: usize = 1 << 10;

/// Numbers of a vector in shaders.
const LANES: usize = 4;

/// A component of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    pub field: u32,
    pub component: usize,
}

/// What is at a place of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Coordinate(usize),
    Field(Component),
    /// What the device computes for the column of neighbors.
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
}

/// A formula for a GPU.
#[derive(Debug)]
pub struct Shader {
    /// Names and lines.
    pub pieces: Vec<(&'static str, String)>,
    pub record: Record,
}

/// Properties of the points.
#[derive(Clone, Copy, Debug)]
pub struct Points {
    pub dim: usize,
    /// In real64.
    pub is_wide: bool,
    pub is_periodic: bool,
}

impl Shader {
    /// The shader of a program in single precision; `None` where a GPU does not evaluate it.
    pub fn new(program: &Program, schedule: &Schedule, tables: &[usize], points: Points) -> Result<Option<Shader>> {
        let steps: usize = schedule.stages.iter().map(Vec::len).sum();
        if steps > MOST_STEPS || schedule.cuts {
            return Ok(None);
        }
        let record = Record::new(schedule, points)?;
        let writer = Writer {
            program,
            schedule,
            tables,
            points,
            record: &record,
        };
        let mut pieces = Vec::new();
        let written = [
            ("formula", writer.constants()),
            ("formula_target", writer.target()),
            ("formula_rows", writer.rows()),
        ];
        for (name, text) in written {
            // Strings are written without errors of their own.
            push(&mut pieces, (name, text.unwrap_or_default()), WHAT)?;
        }
        Ok(Some(Shader { pieces, record }))
    }
}

impl Record {
    fn new(schedule: &Schedule, points: Points) -> Result<Record> {
        let mut made = Record::default();
        if schedule.displaces && !points.is_wide {
            for axis in 0..points.dim {
                push(&mut made.contents, Content::Coordinate(axis), WHAT)?;
            }
        }
        // What each register of the stage has as it was read.
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
        made.of_pairs = made.contents.len();
        for stage in [Stage::Row, Stage::Target] {
            for step in &schedule.stages[stage as usize] {
                if let What::Read(field, _, component) = step.what {
                    made.add(Content::Field(Component { field, component }))?;
                }
            }
        }
        Ok(made)
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

    /// The fields, in the order in which the device gets them.
    pub fn fields(&self) -> impl Iterator<Item = Component> {
        self.contents.iter().filter_map(|content| match *content {
            Content::Field(component) => Some(component),
            _ => None,
        })
    }

    /// The number of a record that has `content`.
    fn number(&self, content: Content) -> Number {
        Number(self.contents.iter().position(|&other| other == content).unwrap_or(0))
    }

    fn column(&self, column: usize) -> Number {
        self.number(self.aliases[column].map_or(Content::Column(column), Content::Field))
    }
}

/// A number of a record, as shaders write it.
struct Number(usize);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "record_{}[{}]", self.0 / LANES, self.0 % LANES)
    }
}

/// How an operand is written.
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
    /// Where the values of each table begin, behind its first place, scale and steps.
    tables: &'a [usize],
    points: Points,
    record: &'a Record,
}

type Text = std::result::Result<String, fmt::Error>;

impl Writer<'_> {
    fn constants(&self) -> Text {
        let uniforms = self.schedule.uniform.div_ceil(LANES).max(1);
        let vectors = self.record.len() / LANES;
        let fields = self.record.fields().count();
        Ok(format!(
            "const UNIFORMS = {uniforms}u;\nconst RECORD = {vectors}u;\nconst FIELDS = {fields}u;\n"
        ))
    }

    /// Makes the record of point `j`.
    fn target(&self) -> Text {
        let mut text = String::new();
        let vectors = self.record.len() / LANES;
        for k in 0..vectors {
            writeln!(text, "    var record_{k} = vec4<f32>();")?;
        }
        let mut fields = 0;
        for content in &self.record.contents {
            let number = self.record.number(*content);
            match content {
                Content::Coordinate(axis) => {
                    let dim = self.points.dim;
                    writeln!(text, "    {number} = bitcast<f32>(coord_word(j * {dim}u + {axis}u));")?;
                }
                Content::Field(_) => {
                    writeln!(text, "    {number} = fields[at + {fields}u];")?;
                    fields += 1;
                }
                Content::Column(_) => (),
            }
        }
        self.steps(&mut text, Stage::Target)?;
        for k in 0..vectors {
            writeln!(text, "    records[j * RECORD + {k}u] = record_{k};")?;
        }
        Ok(text)
    }

    /// Begins a row, adds a pair to it, and ends it.
    fn rows(&self) -> Text {
        let mut text = String::new();
        for column in 0..self.schedule.columns[0] {
            writeln!(text, "var<private> row_{column}: f32;")?;
        }
        for (axis, x) in self.coordinates() {
            writeln!(text, "var<private> {x}: f32; // axis {axis}")?;
        }
        for (k, _) in self.schedule.terms.iter().enumerate() {
            writeln!(text, "var<private> sum_{k}: f32;")?;
        }
        writeln!(text, "\nfn begin_row(i: u32) {{")?;
        self.load(&mut text, "i", self.record.len())?;
        for (axis, x) in self.coordinates() {
            writeln!(text, "    {x} = {};", self.record.number(Content::Coordinate(axis)))?;
        }
        self.steps(&mut text, Stage::Row)?;
        for (k, (reduction, ..)) in self.terms().enumerate() {
            let start = match reduction {
                Reduction::Sum => "0.0",
                Reduction::Max => "number_of(SIGN_BIT | INFINITY_BITS)",
                Reduction::Min => "number_of(INFINITY_BITS)",
            };
            writeln!(text, "    sum_{k} = {start};")?;
        }
        writeln!(text, "}}\n\nfn add_pair(i: u32, j: u32) {{")?;
        self.load(&mut text, "j", self.record.of_pairs)?;
        let names = self.steps(&mut text, Stage::Pair)?;
        for (k, (reduction, ..)) in self.terms().enumerate() {
            let term = self.operand(&names, self.schedule.terms[k]);
            match reduction {
                Reduction::Sum => writeln!(text, "    sum_{k} = sum_{k} + {term};")?,
                Reduction::Max => writeln!(text, "    sum_{k} = select(sum_{k}, {term}, is_less(sum_{k}, {term}));")?,
                Reduction::Min => writeln!(text, "    sum_{k} = select(sum_{k}, {term}, is_less({term}, sum_{k}));")?,
            }
        }
        writeln!(text, "}}\n\nfn end_row(row: u32) {{")?;
        for (k, (_, before, width, component)) in self.terms().enumerate() {
            let at = format!("{before}u * summed.rows + row * {width}u + {component}u");
            writeln!(text, "    results[{at}] = sum_{k};")?;
        }
        writeln!(text, "}}")?;
        Ok(text)
    }

    /// Of each number of each output: how its terms are joined, the numbers of outputs before, its width, and which it is.
    fn terms(&self) -> impl Iterator<Item = (Reduction, usize, usize, usize)> {
        let outputs = self.program.outputs.iter().scan(0, |before, output| {
            let first = *before;
            *before += output.width;
            Some((output, first))
        });
        outputs.flat_map(|(output, before)| (0..output.width).map(move |k| (output.reduction, before, output.width, k)))
    }

    /// The axes whose coordinates are in records, and the names of the row's own.
    fn coordinates(&self) -> impl Iterator<Item = (usize, String)> {
        self.record.contents.iter().filter_map(|content| match content {
            Content::Coordinate(axis) => Some((*axis, format!("x_{axis}"))),
            _ => None,
        })
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
        for (number, step) in (0..).zip(&self.schedule.stages[stage as usize]) {
            if let What::Keep(column) = step.what {
                let value = self.operand(&names, step.operands[0]);
                match stage {
                    Stage::Row => writeln!(text, "    row_{column} = {value};")?,
                    _ if self.record.aliases[column].is_none() => {
                        writeln!(text, "    {} = {value};", self.record.column(column))?;
                    }
                    _ => (), // the field stands there
                }
                continue;
            }
            write!(text, "    let v{number} = ")?;
            self.value(text, &names, step)?;
            writeln!(text, ";")?;
            names[step.to as usize] = number;
        }
        Ok(names)
    }

    /// What a step computes.
    fn value(&self, text: &mut String, names: &[u32], step: &Step) -> fmt::Result {
        let [a, b, c] = step.operands.map(|of| self.operand(names, of));
        match step.what {
            What::AddProduct => write!(text, "{a} + {b} * {c}"),
            What::Displace(axis) if self.points.is_wide => write!(text, "rounded_difference(i, j, {axis}u)"),
            What::Displace(axis) => {
                let other = self.record.number(Content::Coordinate(axis));
                match self.points.is_periodic {
                    true => write!(text, "to_nearest(x_{axis} - {other}, {axis}u)"),
                    false => write!(text, "x_{axis} - {other}"),
                }
            }
            What::Spread(Side::I, column) => write!(text, "row_{column}"),
            What::Spread(Side::J, column) => write!(text, "{}", self.record.column(column)),
            What::Read(field, _, component) => {
                let content = Content::Field(Component { field, component });
                write!(text, "{}", self.record.number(content))
            }
            What::Operation(kind) => self.operation(text, kind, [a, b, c]),
            What::Cut | What::Keep(_) => Ok(()), // of no step that comes here
        }
    }

    fn operation(&self, text: &mut String, kind: Kind, [a, b, c]: [Operand; 3]) -> fmt::Result {
        match kind {
            Kind::Negate => write!(text, "negated({a})"),
            Kind::Abs => write!(text, "magnitude_of({a})"),
            Kind::Sqrt => write!(text, "square_root({a})"),
            Kind::Exp => write!(text, "exponential({a})"),
            Kind::Log => write!(text, "logarithm({a})"),
            Kind::Sign => write!(text, "sign_of({a})"),
            Kind::Floor => write!(text, "floor({a})"),
            Kind::Add => write!(text, "{a} + {b}"),
            Kind::Subtract => write!(text, "{a} - {b}"),
            Kind::Multiply => write!(text, "{a} * {b}"),
            Kind::Divide => write!(text, "divide({a}, {b})"),
            Kind::Min => write!(text, "select({a}, {b}, is_less({b}, {a}))"),
            Kind::Max => write!(text, "select({a}, {b}, is_less({a}, {b}))"),
            Kind::Pow => write!(text, "power({a}, {b})"),
            Kind::Less => write!(text, "select(0.0, 1.0, is_less({a}, {b}))"),
            Kind::LessEqual => write!(text, "select(0.0, 1.0, is_less({a}, {b}) || is_equal({a}, {b}))"),
            Kind::Equal => write!(text, "select(0.0, 1.0, is_equal({a}, {b}))"),
            Kind::NotEqual => write!(text, "select(1.0, 0.0, is_equal({a}, {b}))"),
            Kind::Select => write!(text, "select({a}, {b}, is_zero({c}))"),
            Kind::Table(table) => {
                let at = self.tables[table as usize];
                write!(
                    text,
                    "table_value({at}u, {a}, tables[{}u], tables[{}u], tables[{}u])",
                    at - 3,
                    at - 2,
                    at - 1
                )
            }
            // The same for all pairs, steps of another kind, or in syntax only.
            Kind::Number { .. } | Kind::Constant(_) | Kind::Cutoff | Kind::Field(..) => Ok(()),
            Kind::Displacement | Kind::Dot | Kind::Square | Kind::Distance => Ok(()),
        }
    }
}
