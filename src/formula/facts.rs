//! Facts of a formula that ranks compare before they run it: everything that it reads except the values of points.

use super::program::{Kind, Name};
use super::{Formula, read_of};
use crate::error::{Result, Words, words};
use crate::fields::{Field, Fields, Of};
use crate::memory::push;
use crate::pair_fields::PairFields;
use crate::real::Real;

/// Names and values.
type Facts = Vec<(&'static str, Words)>;

impl Formula {
    /// The facts that must be equal on all ranks that run the formula. The values of its names were checked.
    pub(crate) fn facts(&self, (fields, pairs): (&Fields, &PairFields), of_queries: bool, times: i64) -> Result<Facts> {
        let mut facts = Vec::new();
        for fact in [
            ("text", words(&self.text)),
            ("precision", words(format_args!("{:?}", self.precision))),
            ("include_self", words(self.include_self)),
            ("times", words(times)),
        ] {
            add(&mut facts, fact)?;
        }
        self.add_numbers(&mut facts)?;
        for of in [Of::Points, Of::Queries] {
            for name in self.fields_read(of, of_queries) {
                let name = self.spelled(name);
                add(&mut facts, ("field", shape((name, of.name()), fields.find(name, of))))?;
            }
        }
        for name in &self.syntax.pairs.all {
            let name = self.spelled(name);
            let field = pairs.find(name).map(|field| &field.values);
            add(&mut facts, ("field", shape((name, "pairs"), field)))?;
        }
        Ok(facts)
    }

    /// Adds the numbers that have a value before the first statement, and the tables.
    fn add_numbers(&self, facts: &mut Facts) -> Result<()> {
        let numbers = &self.syntax.numbers;
        for (at, (name, value)) in (0..).zip(numbers.all.iter().zip(&self.numbers)) {
            if let (Some(_), Some(value)) = (numbers.initial(at), value) {
                let fact = words(format_args!("'{}': {value:?}", self.spelled(name)));
                add(facts, ("constant", fact))?;
            }
        }
        for (name, table) in self.syntax.tables.iter().zip(&self.tables) {
            if let Some(table) = table {
                add(
                    facts,
                    ("table", words(format_args!("'{}': {table}", self.spelled(name)))),
                )?;
            }
        }
        Ok(())
    }

    /// The names of the fields of points, or of queries, that the text reads as they are before its first statement.
    fn fields_read(&self, of: Of, of_queries: bool) -> impl Iterator<Item = &Name> {
        let (names, points) = (&self.syntax.fields, self.syntax.points);
        let is_read = move |name: u32| {
            self.syntax.nodes.iter().any(|node| {
                let Kind::Field(slot, side) = node.kind else {
                    return false;
                };
                let slot = names.slots[slot as usize];
                slot.name == name && slot.made_by.is_none() && read_of(side, of_queries) == of
            })
        };
        let all = (0..).zip(&names.all);
        let read = all.filter(move |&(name, _)| Some(name) != points && is_read(name));
        read.map(|(_, name)| name)
    }
}

/// The shape of a field in words, or `none`.
fn shape((name, of): (&str, &str), field: Option<&Field>) -> Words {
    match field {
        None => words(format_args!("'{name}' of {of}: none")),
        Some(field) => {
            let precision = if field.view().is_single() { f32::NAME } else { f64::NAME };
            let components = field.components;
            words(format_args!("'{name}' of {of}: {components} in {precision}"))
        }
    }
}

fn add(facts: &mut Facts, fact: (&'static str, Words)) -> Result<()> {
    push(facts, fact, "the settings that ranks compare")
}
