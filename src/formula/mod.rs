//! Sums over neighbors by a formula: text, compiled to a list of operations, evaluated over the pairs of rows.
//!
//! in: the text, and what the caller gives its names; out: [`Program`], which every backend runs, and the outputs. Here
//! no row is found.

mod evaluate;
pub(crate) mod functions;
mod hints;
mod lexer;
mod number;
mod parse;
pub(crate) mod program;
pub(crate) mod schedule;
mod tables;
mod types;

pub(crate) use evaluate::{Cutoffs, Evaluator, FieldView, ROWS, TARGETS, Work, start};
pub(crate) use number::Number;
pub(crate) use program::{Program, Side};
pub(crate) use schedule::Schedule;
pub(crate) use tables::Table;
pub use tables::TableOf;

use std::fmt::{self, Display, Formatter};

use crate::environment::Environment;
use crate::error::{Error, Result, Status};
use crate::list::{Out, push, reserve_keeping, resize_discarding};
use crate::points::{Precision, Values};
use crate::real::Real;
use crate::threads::Team;
use hints::Quoted;
use parse::Syntax;
use program::Name;
use tables::Given;

const WHAT: &str = "a formula";

/// Bytes of a formula's text, at most.
const LONGEST: usize = 1 << 16;

/// In which precision a formula is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SumPrecision {
    /// real32.
    #[default]
    Single,
    /// real64.
    Double,
}

/// Values for each point or query.
#[derive(Debug)]
struct Field {
    values: Values,
    len: usize,
    components: usize,
}

/// A formula whose outputs are sums, maxima or minima over the neighbors of each point;
/// [`Search::sum`](crate::Search::sum) evaluates it.
///
/// ```
/// use neargrid::{Formula, NeighborsKind, PointsView, Search};
/// let mut formula = Formula::new("
///     w = 1 - r/c            # a temporary
///     rho += m_j * w         # outputs
///     nearest min= r
/// ")?;
/// formula.set_field("m", &[1.0, 2.0, 4.0], 1)?;
/// let mut search = Search::new()?;
/// search.set_cutoff(2.0)?;
/// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 2.5])?)?;
/// search.sum(&mut formula, NeighborsKind::Full)?;
/// assert_eq!(formula.output::<f32>("rho")?, [1.0, 1.5, 0.5]);
/// assert_eq!(formula.output::<f32>("nearest")?, [1.0, 1.0, 1.5]);
/// # Ok::<(), neargrid::Error>(())
/// ```
#[derive(Debug)]
pub struct Formula {
    text: String,
    syntax: Syntax,
    precision: SumPrecision,
    include_self: bool,
    constants: Vec<Option<f64>>,
    /// Of points and of queries.
    fields: Vec<[Option<Field>; 2]>,
    tables: Vec<Option<Given>>,
    /// Of the last sum, and how many numbers each has for a row.
    outputs: Vec<(Values, usize)>,
    /// Those of the sum before, whose memory the next one uses.
    spare: Vec<(Values, usize)>,
    /// Whether the calling thread is one of a parallel region.
    in_parallel: fn() -> bool,
}

impl Formula {
    /// A formula from its text. The error says line and column, and what to write instead.
    ///
    /// Statements are on lines of their own or are separated by `;`. `name = expression` is a temporary.
    /// `name += expression`, `name max= expression` and `name min= expression` are outputs: the sum, the largest or the
    /// smallest of the terms of all neighbors `j` of point `i`. An expression may continue on the next line inside
    /// parentheses. `#` and `!` begin comments.
    ///
    /// Names that end in `_i` and `_j` are fields of the two points. `d` is the vector `x_i - x_j` to the nearest
    /// image, `r2` is `dot(d, d)`, `r` its root, and `c` the cutoff of the pair. A name that is called with `r` or `r2`
    /// is a radial table. Every other name that has no value yet is a constant. There are `+ - * / ^` (also `**`),
    /// comparisons, and the functions `dot`, `min`, `max`, `abs`, `sqrt`, `exp`, `log`, `pow`, `sin`, `cos`, `tan`,
    /// `tanh`, `atan2`, `erf`, `erfc`, `sign` and `floor`. `select(a, b, condition)` is `a` where the condition holds and
    /// `b` elsewhere.
    pub fn new(text: &str) -> Result<Formula> {
        if text.len() > LONGEST {
            let allowed = format_args!("0 to {LONGEST}");
            return Err(Error::not_allowed(
                Status::BadCount,
                "length of the formula",
                text.len(),
                allowed,
            ));
        }
        let mut copy = String::new();
        copy.try_reserve_exact(text.len()).map_err(|_| Error::OutOfMemory {
            what: WHAT,
            bytes: text.len() as u64,
        })?;
        copy.push_str(text);
        let syntax = parse::parse(text)?;
        let mut formula = Formula {
            text: copy,
            precision: SumPrecision::default(),
            include_self: false,
            constants: Vec::new(),
            fields: Vec::new(),
            tables: Vec::new(),
            outputs: Vec::new(),
            spare: Vec::new(),
            in_parallel: || false,
            syntax,
        };
        for _ in &formula.syntax.constants {
            push(&mut formula.constants, None, WHAT)?;
        }
        for _ in &formula.syntax.fields {
            push(&mut formula.fields, [None, None], WHAT)?;
        }
        for _ in &formula.syntax.tables {
            push(&mut formula.tables, None, WHAT)?;
        }
        Ok(formula)
    }

    /// Sets the precision of all operations and outputs: [`Single`](SumPrecision::Single) by default. Coordinates,
    /// fields and constants are rounded to it once, when they are read.
    pub fn set_precision(&mut self, precision: SumPrecision) {
        self.precision = precision;
    }

    /// Sets whether a point is a neighbor of itself, at its place in its row and with `r = 0`. Default: it is not.
    pub fn set_include_self(&mut self, include: bool) {
        self.include_self = include;
    }

    /// Sets a constant.
    pub fn set_constant(&mut self, name: &str, value: f64) -> Result<()> {
        let number = self.number_of("constant", &self.syntax.constants, name)?;
        self.constants[number] = Some(value);
        Ok(())
    }

    /// Sets a field: `values` has `components` numbers for each point, one point after the other. `components` is 1, or
    /// the dimension of the points for a vector. The formula copies the values, and they remain until they are set
    /// again.
    pub fn set_field<T: Precision>(&mut self, name: &str, values: &[T], components: usize) -> Result<()> {
        self.set_values(name, values, components, 0)
    }

    /// Sets the values that a field has for queries: `name_i` reads them where rows are those of queries. Otherwise as
    /// [`set_field`](Formula::set_field).
    pub fn set_query_field<T: Precision>(&mut self, name: &str, values: &[T], components: usize) -> Result<()> {
        self.set_values(name, values, components, 1)
    }

    fn set_values<T: Precision>(&mut self, name: &str, values: &[T], components: usize, of: usize) -> Result<()> {
        let number = self.number_of("field", &self.syntax.fields, name)?;
        if !(1..=3).contains(&components) {
            let allowed = "1, or the dimension of the points";
            return Err(Error::not_allowed(Status::BadDim, "components", components, allowed));
        }
        if !values.len().is_multiple_of(components) {
            let allowed = format_args!("a multiple of {components}, the number of components");
            return Err(Error::not_allowed(
                Status::BadCount,
                "number of values",
                values.len(),
                allowed,
            ));
        }
        let team = self.team_for(values.len())?;
        let place = &mut self.fields[number][of];
        // Its memory is used again where the values have the same precision.
        let mut before = place.take();
        let held = before.as_mut().and_then(|field| T::held_mut(&mut field.values));
        let mut copy = held.map(std::mem::take).unwrap_or_default();
        if copy.len() != values.len() {
            resize_discarding(&mut copy, values.len(), T::default(), "a field")?;
        }
        Out::new(&mut copy).in_pieces(&team, 1, |first, piece| {
            piece.write_all(0, &values[first..first + piece.len()]);
        })?;
        *place = Some(Field {
            values: T::hold(copy),
            len: values.len(),
            components,
        });
        Ok(())
    }

    /// Sets a radial table: `values` at equal steps of `r` or `r2`, the first at `first` and the last at `last`.
    /// Between them the table is linear; before the first and after the last it has their values.
    pub fn set_table(&mut self, name: &str, of: TableOf, [first, last]: [f64; 2], values: &[f64]) -> Result<()> {
        let number = self.number_of("table", &self.syntax.tables, name)?;
        let called = match self.syntax.tables_of_square[number] {
            true => TableOf::R2,
            false => TableOf::R,
        };
        if of != called {
            let allowed = format_args!("{}, with which the formula calls {}", called.name(), Quoted(name));
            return Err(Error::not_allowed(Status::BadValue, "table of", of.name(), allowed));
        }
        self.tables[number] = Some(Given::new([first, last], values)?);
        Ok(())
    }

    /// An output of the last sum: a number for each row, or `dim` numbers for a vector, one row after the other. `T` is
    /// the precision of that sum: `f32` for single and `f64` for double.
    pub fn output<T: Precision>(&self, name: &str) -> Result<&[T]> {
        let (values, _) = self.output_values(name)?;
        T::held(values).ok_or_else(|| {
            let held = if matches!(values, Values::F32(_)) {
                f32::NAME
            } else {
                f64::NAME
            };
            let allowed = format_args!(
                "{held}, the precision of the sum; set_precision, before the sum, chooses {}",
                T::NAME
            );
            Error::not_allowed(Status::BadValue, "precision", T::NAME, allowed)
        })
    }

    /// The numbers that an output of the last sum has for each row: 1, or the dimension of the points.
    pub fn components(&self, name: &str) -> Result<usize> {
        Ok(self.output_values(name)?.1)
    }

    /// The number of rows of an output of the last sum.
    pub fn rows(&self, name: &str) -> Result<usize> {
        let (values, components) = self.output_values(name)?;
        let len = match values {
            Values::None => 0,
            Values::F32(values) => values.len(),
            Values::F64(values) => values.len(),
        };
        Ok(len / components)
    }

    fn output_values(&self, name: &str) -> Result<&(Values, usize)> {
        let mut names = self.syntax.outputs.iter().map(|output| &output.name);
        let Some(number) = names.position(|known| self.spelled(known) == name) else {
            let outputs = self.syntax.outputs.iter().map(|output| output.name);
            return Err(self.unknown("output", name, outputs));
        };
        self.outputs.get(number).ok_or(Error::BadState {
            missing: "outputs",
            remedy: "sum",
        })
    }

    fn spelled(&self, name: &Name) -> &str {
        &self.text[name.start..name.end]
    }

    fn number_of(&self, what: &'static str, known: &[Name], name: &str) -> Result<usize> {
        let found = known.iter().position(|known| self.spelled(known) == name);
        found.ok_or_else(|| self.unknown(what, name, known.iter().copied()))
    }

    /// The refusal of a name that is not among those known.
    fn unknown(&self, what: &'static str, name: &str, known: impl Iterator<Item = Name> + Clone) -> Error {
        let (text, near) = (&self.text[..], self.near(name, known.clone()));
        let names = known;
        let (allowed, is) = (Known { what, text, names }, self.meaning(name));
        let name = Quoted(name);
        match (is, near) {
            (Some(is), _) => Error::not_allowed(
                Status::BadValue,
                "name",
                &name,
                format_args!("{allowed}; {name} is {is}"),
            ),
            (_, Some(near)) => Error::not_allowed(
                Status::BadValue,
                "name",
                &name,
                format_args!("{allowed}; perhaps {near}"),
            ),
            _ => Error::not_allowed(Status::BadValue, "name", &name, allowed),
        }
    }

    /// The known name that is the most like `name`.
    fn near(&self, name: &str, mut known: impl Iterator<Item = Name> + Clone) -> Option<&str> {
        let field = name.strip_suffix("_i").or_else(|| name.strip_suffix("_j"));
        let same = known.clone().find(|known| Some(self.spelled(known)) == field);
        let near = same.or_else(|| known.find(|known| hints::is_near(name.trim(), self.spelled(known))));
        near.map(|near| &self.text[near.start..near.end])
    }

    /// The role of a name in the formula.
    fn meaning(&self, name: &str) -> Option<&'static str> {
        let Syntax {
            outputs,
            temporaries,
            constants,
            fields,
            tables,
            ..
        } = &self.syntax;
        let among = |names: &[Name]| names.iter().any(|known| self.spelled(known) == name);
        let is = [
            (among(constants), "a constant, one number for all points (set_constant)"),
            (among(fields), "a field, with a value for each point (set_field)"),
            (among(tables), "a radial table (set_table)"),
            (among(temporaries), "a temporary, which is gone after each neighbor"),
            (
                outputs.iter().any(|output| self.spelled(&output.name) == name),
                "an output, which the sum makes",
            ),
            (
                parse::QUANTITIES.iter().any(|(known, _)| *known == name),
                "built in, and has its value for each pair",
            ),
        ];
        is.into_iter().find(|(is, _)| *is).map(|(_, what)| what)
    }
}

impl Formula {
    /// The precision of the next sum.
    pub(crate) fn precision(&self) -> SumPrecision {
        self.precision
    }

    pub(crate) fn includes_self(&self) -> bool {
        self.include_self
    }

    /// The program for points of `dim` axes, once every name has a value that fits. `counts` are the numbers of points
    /// and of queries; `of_queries` says that rows are those of queries.
    pub(crate) fn program(&self, dim: usize, counts: [usize; 2], of_queries: bool) -> Result<Program> {
        let missing = |name: &Name, what: &str, call: &str| {
            let text = format_args!("the {what} '{}' has no value yet; {call}?", self.spelled(name));
            name.at.error(Status::BadState, text)
        };
        for (name, value) in self.syntax.constants.iter().zip(&self.constants) {
            let is_field = self
                .syntax
                .fields
                .iter()
                .any(|field| self.spelled(field) == self.spelled(name));
            let call = match is_field {
                true => "set_constant, or in the formula the field's name with _i or _j",
                false => "set_constant",
            };
            value.ok_or_else(|| missing(name, "constant", call))?;
        }
        for (name, table) in self.syntax.tables.iter().zip(&self.tables) {
            table.as_ref().ok_or_else(|| missing(name, "table", "set_table"))?;
        }
        for node in &self.syntax.nodes {
            let program::Kind::Field(number, side) = node.kind else {
                continue;
            };
            let of = usize::from(of_queries && side == Side::I);
            let name = &self.syntax.fields[number as usize];
            let call = ["set_field", "set_field for queries"][of];
            let Some(field) = &self.fields[number as usize][of] else {
                return Err(missing(&Name { at: node.at, ..*name }, "field", call));
            };
            if field.components != 1 && field.components != dim {
                let text = format_args!(
                    "the field '{}' has {} components; 1 or {dim}, the dimension of the points?",
                    self.spelled(name),
                    field.components
                );
                return Err(node.at.error(Status::BadDim, text));
            }
            if field.len != field.components * counts[of] {
                let text = format_args!(
                    "the field '{}' has {} values; {} for {} {}?",
                    self.spelled(name),
                    field.len,
                    field.components * counts[of],
                    counts[of],
                    ["points", "queries"][of]
                );
                return Err(node.at.error(Status::BadCount, text));
            }
        }
        types::program(&self.text, &self.syntax, dim, &|number, side| {
            let field = self.field_view(number as usize, side, of_queries);
            field.is_some_and(|field| field.components > 1)
        })
    }

    fn field_view(&self, number: usize, side: Side, of_queries: bool) -> Option<FieldView<'_>> {
        let of = usize::from(of_queries && side == Side::I);
        self.fields[number][of].as_ref().map(|field| FieldView {
            values: &field.values,
            components: field.components,
        })
    }

    /// All fields as rows read them.
    pub(crate) fn field_views(&self, of_queries: bool) -> Result<Vec<[Option<FieldView<'_>>; 2]>> {
        let mut views = Vec::new();
        for number in 0..self.fields.len() {
            let view = [Side::I, Side::J].map(|side| self.field_view(number, side, of_queries));
            push(&mut views, view, WHAT)?;
        }
        Ok(views)
    }

    /// All constants, rounded.
    pub(crate) fn constants<F: Number>(&self) -> Result<Vec<F>> {
        let mut constants = Vec::new();
        reserve_keeping(&mut constants, self.constants.len(), WHAT)?;
        constants.extend(self.constants.iter().flatten().map(|&value| F::from_f64(value)));
        Ok(constants)
    }

    /// All tables, rounded.
    pub(crate) fn tables<F: Number>(&self) -> Result<Vec<Table<F>>> {
        tables::rounded(self.tables.iter().flatten())
    }

    /// Outputs of the sum before the last, for their memory.
    pub(crate) fn take_spare(&mut self) -> Vec<(Values, usize)> {
        std::mem::take(&mut self.spare)
    }

    /// Sets how to find out that the calling thread is one of a parallel region, and copies alone.
    pub(crate) fn set_parallel_probe(&mut self, in_parallel: fn() -> bool) {
        self.in_parallel = in_parallel;
    }

    /// The threads that copy `len` numbers, by the rules of a search with as many points.
    pub(crate) fn team_for(&self, len: usize) -> Result<Team> {
        Team::new(Environment::read()?.threads_for(0, len, self.in_parallel).0)
    }

    /// Makes `outputs` those of the last sum.
    pub(crate) fn set_outputs(&mut self, outputs: Vec<(Values, usize)>) {
        self.spare = std::mem::replace(&mut self.outputs, outputs);
    }
}

/// The names that there are.
struct Known<'a, I> {
    what: &'static str,
    text: &'a str,
    names: I,
}

impl<I: Iterator<Item = Name> + Clone> Display for Known<'_, I> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        const MOST: usize = 10;
        let Known { what, text, names } = self;
        if names.clone().next().is_none() {
            return write!(f, "one of the {what}s of the formula, which has none");
        }
        write!(f, "one of the {what}s of the formula:")?;
        for (k, name) in names.clone().take(MOST).enumerate() {
            let before = if k > 0 { ", " } else { " " };
            write!(f, "{before}{}", &text[name.start..name.end])?;
        }
        if names.clone().nth(MOST).is_some() {
            f.write_str(", ...")?;
        }
        Ok(())
    }
}
