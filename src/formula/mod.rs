//! Sums over neighbors by a formula: text, compiled to a list of operations, evaluated over the pairs of rows.
//!
//! in: the text, and what the caller gives its names; out: [`Program`], which every backend runs, and the outputs. Here
//! no row is found.

mod evaluate;
mod facts;
pub(crate) mod functions;
mod hints;
mod lexer;
mod names;
mod number;
mod pairs;
mod parse;
pub(crate) mod program;
pub(crate) mod schedule;
mod spline;
mod stages;
mod tables;
mod typed;
mod types;

pub(crate) use evaluate::{Cutoffs, Evaluator, PointEvaluator, PointWork, ROWS, TARGETS, Total, Work};
pub(crate) use number::{Number, start};
#[cfg(feature = "gpu")]
pub(crate) use program::Reduction;
pub use program::SumPrecision;
pub(crate) use program::{Makes, Program, Side};
pub(crate) use schedule::Schedule;
pub(crate) use stages::{StageKind, StageOfText};
pub use tables::TableOf;
pub(crate) use tables::{Course, Table};

use std::fmt::{self, Display, Formatter};
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result, Status, Words, words};
use crate::fields::{Fields, Of};
use crate::list::{push, reserve_keeping, resize_keeping};
use crate::pair_fields::PairFields;
use hints::Quoted;
use parse::Syntax;
use program::{Kind, Name};
use tables::Given;
use typed::Typed;

const WHAT: &str = "a formula";

/// Bytes of a formula's text, at most.
const LONGEST: usize = 1 << 16;

/// Statements that make fields and numbers: sums, maxima or minima over the neighbors of each point, and values for each point.
/// [`Search::run`](crate::Search::run) runs them.
///
/// ```
/// use neargrid::{Formula, NeighborsKind, PointsView, Search};
/// let mut formula = Formula::new("
///     w = 1 - r/c            # a temporary
///     rho += m_j * w         # fields
///     nearest min= r
/// ")?;
/// let mut search = Search::new()?;
/// search.set_cutoff(2.0)?;
/// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 2.5])?)?;
/// search.set_field("m", &[1.0, 2.0, 4.0], 1)?;
/// search.run(&mut formula, NeighborsKind::Full, 1)?;
/// assert_eq!(search.field::<f32>("rho")?, [1.0, 1.5, 0.5]);
/// assert_eq!(search.field::<f32>("nearest")?, [1.0, 1.0, 1.5]);
/// # Ok::<(), neargrid::Error>(())
/// ```
#[derive(Debug)]
pub struct Formula {
    text: String,
    syntax: Syntax,
    /// As it was set.
    precision: Option<SumPrecision>,
    include_self: bool,
    /// By name: constants, and numbers that the last run has made.
    numbers: Vec<Option<f64>>,
    tables: Vec<Option<Given>>,
    /// The stages that were made last.
    stages: Mutex<Option<Stages>>,
}

/// The stages of a text, with their inputs.
#[derive(Debug)]
pub(crate) struct Stages {
    of: StagesOf,
    all: Vec<StageOfText>,
}

impl Deref for Stages {
    type Target = [StageOfText];

    fn deref(&self) -> &[StageOfText] {
        &self.all
    }
}

/// The inputs of the stages of a text.
#[derive(Debug, PartialEq)]
struct StagesOf {
    dim: usize,
    /// The precisions of the points and of the formula.
    precisions: [SumPrecision; 2],
    of_queries: bool,
    excludes: bool,
    /// The components of each name's field of points and of queries, and whether it is in real32.
    fields: Vec<[Option<(usize, bool)>; 2]>,
    /// The components of each pair field.
    pairs: Vec<Option<usize>>,
}

impl Formula {
    /// A formula from its text. The error says line and column, and what to write instead.
    ///
    /// Statements are on lines of their own or are separated by `;`. `name = expression` is a temporary.
    /// `name += expression`, `name max= expression` and `name min= expression` are outputs: the sum, the largest or the
    /// smallest of the terms of all neighbors `j` of point `i`. `name_ij = expression` gives a pair field new values: one for each
    /// pair, which lives from run to run. An expression may continue on the next line inside parentheses. `#` and `!` begin comments.
    ///
    /// Names that end in `_i` and `_j` are fields of the two points. `d` is the vector `x_i - x_j` to the nearest
    /// image, `r2` is `dot(d, d)`, `r` its root, `c` the cutoff of the pair, `class` that of an excluded pair
    /// ([`set_exclusions`](crate::Search::set_exclusions)), and `pi` is built in. A name that is called
    /// with `r`, `r2` or `r/c` is a radial table. Every other name that has no value yet is a constant. There are
    /// `+ - * / ^` (also `**`), comparisons, which `and`, `or` and `not` join, and the functions `dot`, `cross`, `min`,
    /// `max`, `abs`, `sqrt`, `exp`, `log`, `pow`, `sin`, `cos`, `tan`, `tanh`, `atan2`, `erf`, `erfc`, `sign` and
    /// `floor`. `v.x`, `v.y` and `v.z` are components of a vector,
    /// and `vector(a, b, c)` is one of numbers, as many as the points have axes. `select(a, b, condition)` is `a` where
    /// the condition holds and `b` elsewhere.
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
            precision: None,
            include_self: false,
            numbers: Vec::new(),
            tables: Vec::new(),
            stages: Mutex::default(),
            syntax,
        };
        for _ in &formula.syntax.numbers.all {
            push(&mut formula.numbers, None, WHAT)?;
        }
        for _ in &formula.syntax.tables {
            push(&mut formula.tables, None, WHAT)?;
        }
        Ok(formula)
    }

    /// Sets the precision of all operations and outputs: [`Single`](SumPrecision::Single) by default. Coordinates,
    /// fields and constants are rounded to it once, when they are read.
    pub fn set_precision(&mut self, precision: SumPrecision) {
        self.precision = Some(precision);
    }

    /// Sets whether a point is a neighbor of itself, at its place in its row and with `r = 0`. Default: it is not.
    pub fn set_include_self(&mut self, include: bool) {
        self.include_self = include;
    }

    /// Sets a constant, or a number that a statement makes: `:=` goes on from it.
    pub fn set_constant(&mut self, name: &str, value: f64) -> Result<()> {
        let number = self.number_of("constant", &self.syntax.numbers.all, name)?;
        self.numbers[number] = Some(value);
        Ok(())
    }

    /// A constant, or the number that a statement has made in the last run.
    pub fn number(&self, name: &str) -> Result<f64> {
        let number = self.number_of("number", &self.syntax.numbers.all, name)?;
        self.numbers[number].ok_or(Error::BadState {
            missing: "number of that name",
            remedy: "set_constant, or run",
        })
    }

    /// Sets a radial table: `values` at equal steps of `r`, `r2` or `r/c`, the first at `first` and the last at `last`.
    /// Between them the table is linear; before the first and after the last it has their values.
    pub fn set_table(&mut self, name: &str, of: TableOf, range: [f64; 2], values: &[f64]) -> Result<()> {
        self.set_course(name, of, range, (values, Course::Linear))
    }

    /// As [`set_table`](Formula::set_table), with a cubic spline between the values, four at least, which must be
    /// finite. Its first and second derivatives are continuous, and its third one is at the second value and at the
    /// last but one ("not a knot"): a cubic polynomial is met exactly, but for rounding.
    pub fn set_cubic_table(&mut self, name: &str, of: TableOf, range: [f64; 2], values: &[f64]) -> Result<()> {
        self.set_course(name, of, range, (values, Course::Cubic))
    }

    fn set_course(&mut self, name: &str, of: TableOf, range: [f64; 2], values: (&[f64], Course)) -> Result<()> {
        let number = self.number_of("table", &self.syntax.tables, name)?;
        let called = self.syntax.tables_of[number];
        if of != called {
            let allowed = format_args!("{}, with which the formula calls {}", called.name(), Quoted(name));
            return Err(Error::not_allowed(Status::BadValue, "table of", of.name(), allowed));
        }
        self.tables[number] = Some(Given::new(range, values.0, values.1)?);
        Ok(())
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
            temporaries,
            numbers,
            fields,
            pairs,
            tables,
            ..
        } = &self.syntax;
        let among = |names: &[Name]| names.iter().any(|known| self.spelled(known) == name);
        let is = [
            (
                among(&numbers.all),
                "a constant, one number for all points (set_constant)",
            ),
            (
                among(&fields.all),
                "a field, with a value for each point (set_field of the search)",
            ),
            (
                pairs
                    .find(name.strip_suffix(parse::PAIR_SUFFIX).unwrap_or(name))
                    .is_some(),
                "a pair field, with a value for each pair (set_pair_field of the search)",
            ),
            (among(tables), "a radial table (set_table)"),
            (among(temporaries), "a temporary, which is gone after each neighbor"),
            (
                parse::QUANTITIES.iter().any(|(known, _)| *known == name),
                match name {
                    "pi" => "built in, 3.14159265...",
                    _ => "built in, and has its value for each pair",
                },
            ),
            (parse::function(name).is_some(), "a function"),
        ];
        is.into_iter().find(|(is, _)| *is).map(|(_, what)| what)
    }
}

impl Formula {
    /// The precision of the next sum.
    pub(crate) fn precision(&self) -> SumPrecision {
        self.precision.unwrap_or_default()
    }

    /// Whether it was set, and is no default.
    pub(crate) fn has_precision(&self) -> bool {
        self.precision.is_some()
    }

    pub(crate) fn includes_self(&self) -> bool {
        self.include_self
    }

    /// Refuses a text with other statements than those over neighbors, and one that makes no field `name`.
    pub(crate) fn check_sums(&self, name: &str) -> Result<()> {
        for statement in &self.syntax.statements {
            if !matches!(statement.makes, Makes::Neighbors(_)) || self.syntax.is_of_points(statement) {
                let text = "solve_radii takes statements over neighbors only: +=, max=, min=";
                return Err(statement.name.at.error(Status::NotSupported, text));
            }
        }
        let made = self.syntax.statements.iter().map(|statement| statement.name);
        match made.clone().any(|made| self.spelled(&made) == name) {
            true => Ok(()),
            false => Err(self.unknown("field", name, made)),
        }
    }

    /// Refuses names that have no value.
    fn check_values(&self) -> Result<()> {
        let missing = |name: &Name, what: &str, call: &str| {
            let text = format_args!("the {what} '{}' has no value yet; {call}?", self.spelled(name));
            name.at.error(Status::BadState, text)
        };
        let Syntax { numbers, tables, .. } = &self.syntax;
        for (at, (name, value)) in (0..).zip(numbers.all.iter().zip(&self.numbers)) {
            if value.is_none() && numbers.initial(at).is_some() {
                return Err(missing(name, "constant", &self.call_for_constant(name)));
            }
        }
        for (name, table) in tables.iter().zip(&self.tables) {
            table
                .as_ref()
                .ok_or_else(|| missing(name, "table", &self.call_for_table(name)))?;
        }
        Ok(())
    }

    /// Refuses fields that are not there or do not fit.
    fn check_fields(&self, fields: &Fields, dim: usize, counts: [usize; 2], of_queries: bool) -> Result<()> {
        for node in &self.syntax.nodes {
            let Kind::Field(slot, side) = node.kind else { continue };
            let slot = self.syntax.fields.slots[slot as usize];
            if of_queries && side == Side::J && slot.made_by.is_some() {
                let name = self.spelled(&self.syntax.fields.all[slot.name as usize]);
                return Err(node.at.error(
                    Status::BadValue,
                    format_args!(
                        "the text makes '{name}' of queries here, and '{name}_j' is of the points: choose another name"
                    ),
                ));
            }
            if slot.made_by.is_some() || Some(slot.name) == self.syntax.points {
                continue;
            }
            let (of, name) = (read_of(side, of_queries), &self.syntax.fields.all[slot.name as usize]);
            let spelled = self.spelled(name);
            let Some(field) = fields.find(spelled, of) else {
                let call = ["set_field", "set_field for queries"][of as usize];
                let text =
                    format_args!("the field '{spelled}' has no value yet; {call}, or a statement that makes it?");
                return Err(node.at.error(Status::BadState, text));
            };
            if field.components != 1 && field.components != dim {
                let text = format_args!(
                    "the field '{spelled}' has {} components; 1 or {dim}, the dimension of the points?",
                    field.components
                );
                return Err(node.at.error(Status::BadDim, text));
            }
            let (len, count) = (field.len(), counts[of as usize]);
            if len != count {
                let points = ["points", "queries"][of as usize];
                let text =
                    format_args!("the field '{spelled}' has values of {len} {points}; there are {count} {points} now");
                return Err(node.at.error(Status::BadCount, text));
            }
        }
        Ok(())
    }

    /// The suggestion for a constant without a value.
    fn call_for_constant(&self, name: &Name) -> Words {
        let name = self.spelled(name);
        if self.syntax.fields.find(name).is_some() {
            return words("set_constant, or in the formula the field's name with _i or _j");
        }
        let mut built_in = parse::QUANTITIES.iter();
        match built_in.find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((known, _)) => words(format_args!("set_constant, or in the formula {known}")),
            None => words("set_constant"),
        }
    }

    /// The suggestion for a table without values.
    fn call_for_table(&self, name: &Name) -> Words {
        hints::near_function(self.spelled(name)).map_or(words("set_table"), |near| {
            words(format_args!("set_table, or in the formula {near}"))
        })
    }

    /// Refuses a text that reads a field and leaves numbers where there were vectors, or the reverse: the next run could not read it.
    fn check_shapes(&self, fields: &Fields, typed: &Typed, of_queries: bool) -> Result<()> {
        let (names, own) = (&self.syntax.fields, read_of(Side::I, of_queries));
        for node in &self.syntax.nodes {
            let Kind::Field(slot, side) = node.kind else { continue };
            let slot = names.slots[slot as usize];
            if slot.made_by.is_some() || Some(slot.name) == self.syntax.points || read_of(side, of_queries) != own {
                continue;
            }
            let last = names
                .last(slot.name)
                .and_then(|last| names.slots[last as usize].made_by);
            let spelled = self.spelled(&names.all[slot.name as usize]);
            let (Some(last), Some(field)) = (last, fields.find(spelled, own)) else {
                continue;
            };
            if typed.terms[last as usize].1 != field.components {
                let [reads, makes] = match field.components {
                    1 => ["numbers", "vectors"],
                    _ => ["vectors", "numbers"],
                };
                let text =
                    format_args!("the text reads {reads} '{spelled}_i', and this makes {makes}: choose another name");
                return Err(self.syntax.statements[last as usize]
                    .name
                    .at
                    .error(Status::BadValue, text));
            }
        }
        Ok(())
    }

    /// The stages for points of `dim` axes, once every name has a value that fits. `counts` are the numbers of points and of queries;
    /// `of_queries` says that rows are those of queries, and `excludes` that pairs are excluded; `points` is the precision of the points,
    /// and `pairs` are the pair fields that there are.
    pub(crate) fn stages(
        &self,
        (fields, pairs): (&Fields, &PairFields),
        (dim, points): (usize, SumPrecision),
        counts: [usize; 2],
        (of_queries, excludes): (bool, bool),
    ) -> Result<Stages> {
        self.check_values()?;
        if let Some(moves) = self
            .syntax
            .statements
            .iter()
            .find(|made| of_queries && self.syntax.is_of_points(made))
        {
            let text = "queries do not move: rows of points move the points";
            return Err(moves.name.at.error(Status::BadValue, text));
        }
        self.check_fields(fields, dim, counts, of_queries)?;
        let mut of = StagesOf {
            dim,
            precisions: [points, self.precision()],
            of_queries,
            excludes,
            fields: Vec::new(),
            pairs: Vec::new(),
        };
        for name in &self.syntax.fields.all {
            let shape = |of| {
                fields
                    .find(self.spelled(name), of)
                    .map(|field| (field.components, field.view().is_single()))
            };
            push(&mut of.fields, [Of::Points, Of::Queries].map(shape), WHAT)?;
        }
        for name in &self.syntax.pairs.all {
            let found = pairs.find(self.spelled(name));
            push(&mut of.pairs, found.map(|field| field.values.components), WHAT)?;
        }
        let kept = self.stages.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(stages) = kept.filter(|stages| stages.of == of) {
            return Ok(stages);
        }
        let all = self.stages_anew((fields, pairs), (dim, points), (of_queries, excludes))?;
        Ok(Stages { of, all })
    }

    /// Takes back stages for the next call of [`stages`](Formula::stages).
    pub(crate) fn keep(&self, stages: Stages) {
        *self.stages.lock().unwrap_or_else(PoisonError::into_inner) = Some(stages);
    }

    /// The stages, made from the present values of names.
    fn stages_anew(
        &self,
        (fields, pairs): (&Fields, &PairFields),
        (dim, points): (usize, SumPrecision),
        (of_queries, excludes): (bool, bool),
    ) -> Result<Vec<StageOfText>> {
        let named = |name: u32| self.spelled(&self.syntax.fields.all[name as usize]);
        let is_vector = |name, side| {
            let field = fields.find(named(name), read_of(side, of_queries));
            Some(name) == self.syntax.points || field.is_some_and(|field| field.components > 1)
        };
        let mut typed = self.typed_with_pairs(dim, &is_vector, pairs)?;
        if !excludes {
            typed.forget_classes();
        }
        self.check_shapes(fields, &typed, of_queries)?;
        let before = |name: u32| {
            let field = fields.find(named(name), read_of(Side::I, of_queries))?;
            Some(if field.view().is_single() {
                SumPrecision::Single
            } else {
                SumPrecision::Double
            })
        };
        stages::stages(&self.syntax, &typed, &self.precisions(points, &before)?)
    }

    /// The precision of each statement. A statement for each point has the precision of the field that it assigns: as an earlier
    /// statement left it, or as it was `before` the run. All other statements have the precision of the formula.
    fn precisions(
        &self,
        points: SumPrecision,
        before: &dyn Fn(u32) -> Option<SumPrecision>,
    ) -> Result<Vec<SumPrecision>> {
        let Syntax { statements, fields, .. } = &self.syntax;
        let (mut all, mut left) = (Vec::new(), Vec::new());
        resize_keeping(&mut left, fields.all.len(), None, WHAT)?;
        for statement in statements {
            let name = || fields.slots[statement.slot as usize].name;
            let precision = match statement.makes {
                Makes::Point if self.syntax.is_of_points(statement) => points,
                Makes::Point => left[name() as usize]
                    .or_else(|| before(name()))
                    .unwrap_or(self.precision()),
                _ => self.precision(),
            };
            if matches!(statement.makes, Makes::Neighbors(_) | Makes::Point) {
                left[name() as usize] = Some(precision);
            }
            push(&mut all, precision, WHAT)?;
        }
        Ok(all)
    }

    /// Its stages, in words.
    pub(crate) fn shown<'a>(&'a self, stages: &'a [StageOfText]) -> impl Display + 'a {
        stages::Shown {
            text: &self.text,
            syntax: &self.syntax,
            stages,
        }
    }

    /// The pair fields that a run makes, in words. Empty if it makes none.
    pub(crate) fn pair_fields_made(&self) -> Words {
        let pairs = &self.syntax.pairs;
        let is_made = |(number, _): &(u32, &Name)| {
            let last = pairs.last(*number).map(|slot| pairs.slots[slot as usize]);
            last.is_some_and(|slot| slot.made_by.is_some())
        };
        let mut made = (0..)
            .zip(&pairs.all)
            .filter(is_made)
            .map(|(_, name)| self.spelled(name));
        let Some(first) = made.next() else {
            return Words::default();
        };
        match made.count() {
            0 => words(format_args!("{first}_ij")),
            more => words(format_args!("{first}_ij and {more} more")),
        }
    }

    /// The syntax that stages refer to.
    pub(crate) fn syntax(&self) -> &Syntax {
        &self.syntax
    }

    /// The name of a field's slot.
    pub(crate) fn field_name(&self, slot: u32) -> &str {
        let slot = self.syntax.fields.slots[slot as usize];
        self.spelled(&self.syntax.fields.all[slot.name as usize])
    }

    /// The numbers that there are before the first statement, by slot.
    pub(crate) fn numbers_before(&self) -> Result<Vec<f64>> {
        let mut numbers = Vec::new();
        reserve_keeping(&mut numbers, self.syntax.numbers.slots.len(), WHAT)?;
        let value = |slot: &names::Slot| self.numbers[slot.name as usize].filter(|_| slot.made_by.is_none());
        numbers.extend(
            self.syntax
                .numbers
                .slots
                .iter()
                .map(|slot| value(slot).unwrap_or(f64::NAN)),
        );
        Ok(numbers)
    }

    /// The numbers that there are before the first statement, by slot, of a run after one that made `numbers`.
    #[cfg(feature = "gpu")]
    pub(crate) fn numbers_again(&self, numbers: &[f64]) -> Result<Vec<f64>> {
        let mut again = Vec::new();
        let slots = &self.syntax.numbers.slots;
        reserve_keeping(&mut again, slots.len(), WHAT)?;
        let last = |slot: &names::Slot| self.syntax.numbers.last(slot.name).filter(|_| slot.made_by.is_none());
        again.extend(
            slots
                .iter()
                .map(|slot| last(slot).map_or(f64::NAN, |last| numbers[last as usize])),
        );
        Ok(again)
    }

    /// Keeps the numbers that statements have made, which `numbers` has by slot.
    pub(crate) fn keep_numbers(&mut self, numbers: &[f64]) {
        for (slot, &value) in self.syntax.numbers.slots.iter().zip(numbers) {
            if slot.made_by.is_some() {
                self.numbers[slot.name as usize] = Some(value);
            }
        }
    }

    /// All tables, rounded.
    pub(crate) fn tables<F: Number>(&self) -> Result<Vec<&Table<F>>> {
        tables::rounded(self.tables.iter().flatten())
    }
}

/// The points or the queries whose values a side of a pair has.
fn read_of(side: Side, of_queries: bool) -> Of {
    match of_queries && side == Side::I {
        true => Of::Queries,
        false => Of::Points,
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
