//! Records of points: what pairs read of a point as a neighbor, and then the other fields. The device makes them of the fields.
//! Coordinates stay where the search has them.

use std::fmt;

use super::inputs::{Component, Points};
use crate::error::Result;
use crate::formula::schedule::{Schedule, Stage, What};
use crate::list::{push, resize_discarding};

const WHAT: &str = "the records of a formula";

/// Numbers of a vector in shaders.
pub(super) const LANES: usize = 4;

/// The content of a place of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Field(Component),
    /// Values that the device computes for the column of neighbors.
    Column(usize),
}

/// The places of a record.
#[derive(Debug, Default)]
pub struct Record {
    pub(super) contents: Vec<Content>,
    /// Columns of neighbors that are fields as they are.
    pub(super) aliases: Vec<Option<Component>>,
    /// Places that pairs read, from the first on.
    pub(super) of_pairs: usize,
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

impl Record {
    pub(super) fn new(schedule: &Schedule, fields: &[(usize, bool)], points: Points) -> Result<Record> {
        let mut made = Record::default();
        // The text of each register of the stage as it was read.
        let mut read = Vec::new();
        resize_discarding(&mut read, schedule.registers, None, WHAT)?;
        resize_discarding(&mut made.aliases, schedule.columns[1], None, WHAT)?;
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
    pub(super) fn number(&self, content: Content) -> Number {
        Number(self.contents.iter().position(|&other| other == content).unwrap_or(0))
    }

    pub(super) fn column(&self, column: usize) -> Number {
        self.number(self.aliases[column].map_or(Content::Column(column), Content::Field))
    }
}

impl PlacedField {
    /// Bytes of all components of a point.
    pub fn bytes(&self) -> usize {
        size_of::<u32>() * self.words * self.components
    }

    /// A component for point `k` of a range: from the field itself where `is_bound`, else from where all fields of the range are side by
    /// side.
    pub(super) fn read(&self, component: usize, is_bound: bool, is_double: bool) -> String {
        let PlacedField {
            field,
            components,
            words,
            before,
        } = self;
        let (array, at) = match is_bound {
            true => (
                format!("field_{field}"),
                format!("((summed.first_point + k) * {components}u + {component}u) * {words}u"),
            ),
            false => (
                "fields".to_owned(),
                format!("{before}u * summed.points + (k * {components}u + {component}u) * {words}u"),
            ),
        };
        match (words, is_double) {
            (1, _) => format!("of_single(bitcast<f32>({array}[{at}]))"),
            (_, true) => format!("double(vec2({array}[{at}], {array}[{at} + 1u]))"),
            (_, false) => format!("single_of(double(vec2({array}[{at}], {array}[{at} + 1u])))"),
        }
    }
}

/// A number of a record, as shaders write it.
pub(super) struct Number(usize);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "record_{}[{}]", self.0 / LANES, self.0 % LANES)
    }
}
