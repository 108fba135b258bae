//! Pair fields, from scratch: a loop over full rows for each statement, and values that are found by their pairs.

use std::collections::BTreeMap;

use neargrid::Real;

use super::carried::Contacts;
use super::model::{BAD_DIM, BAD_STATE, BAD_VALUE, Checks, Kind, Model, NOT_SUPPORTED};
use super::sums::{Formula, H, Pair};

/// Pair fields that texts read and make, and one of no text.
pub const PAIR_FIELDS: [&std::ffi::CStr; 3] = [c"q", c"w", c"none"];
pub const Q: usize = 0;
pub const W: usize = 1;

/// Values of the entries of rows.
#[derive(Clone, Debug)]
pub struct PairField {
    pub components: usize,
    pub single: bool,
    pub contacts: Contacts,
    /// The first entry of each row.
    starts: Vec<usize>,
    pub values: Vec<f64>,
}

impl PairField {
    pub fn new(components: usize, single: bool, contacts: Contacts, values: Vec<f64>) -> PairField {
        let before = |end: &mut usize, row: &Vec<usize>| Some(std::mem::replace(end, *end + row.len()));
        PairField {
            components,
            single,
            starts: contacts.rows.iter().scan(0, before).collect(),
            contacts,
            values,
        }
    }
}

pub type PairFields = BTreeMap<usize, PairField>;

/// A statement that gives each pair a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// `q_ij = q_ij*h + select(m_j, 1, m_j > 0)`
    Mass,
    /// `w_ij = w_ij + d`
    Displacement,
    /// `q_ij = q_ij + 1`
    One,
    /// `q_ij = q_ij - r`
    Distance,
}

impl Statement {
    fn name(self) -> usize {
        match self {
            Statement::Displacement => W,
            _ => Q,
        }
    }

    fn value<F: Real>(self, old: F, pair: &Pair<F>, k: usize, (h, mass): (f64, F)) -> F {
        let one = F::from_f64(1.0);
        match self {
            Statement::Mass => old
                .mul(F::from_f64(h))
                .add(if mass > F::default() { mass } else { one }),
            Statement::Displacement => old.add(pair.d[k]),
            Statement::One => old.add(one),
            Statement::Distance => old.sub(pair.r),
        }
    }
}

impl Formula {
    /// The pair field that it makes.
    pub fn pair_field(&self) -> Option<usize> {
        match self.text {
            11 | 13 => Some(Q),
            12 => Some(W),
            _ => None,
        }
    }

    /// The reasons why a run with pair fields makes nothing.
    pub fn check_pairs(&self, checks: &mut Checks, model: &Model, kind: Kind) {
        let (Some(name), Some(dim)) = (self.pair_field(), model.dim) else {
            return;
        };
        checks.must(
            kind != Kind::Full || self.with_self || model.cell.is_some(),
            NOT_SUPPORTED,
        );
        if let Some(field) = model.pair_fields.get(&name) {
            checks.must(field.components != 1 && field.components != dim, BAD_DIM);
            let is_vector = field.components > 1;
            checks.must(dim > 1 && is_vector != (name == W), BAD_VALUE);
        }
    }

    /// Gives each pair a value; the statuses of a refusal.
    pub fn make_pairs(&self, model: &mut Model, statement: Statement) -> Vec<i32> {
        match (model.single, self.double) {
            (true, false) => self.make_pairs_in::<f32, f32>(model, statement),
            (true, true) => self.make_pairs_in::<f32, f64>(model, statement),
            (false, false) => self.make_pairs_in::<f64, f32>(model, statement),
            (false, true) => self.make_pairs_in::<f64, f64>(model, statement),
        }
    }

    fn make_pairs_in<T: Real, F: Real>(&self, model: &mut Model, statement: Statement) -> Vec<i32> {
        let (cloud, reach) = (model.cloud::<T>(), model.reach::<T>(Kind::Full));
        let contacts = Contacts {
            rows: model.rows(Kind::Full),
            global_ids: Some(model.ids.clone()).filter(|ids| !ids.is_empty()),
            ghosts: model.ghosts(),
        };
        let entries = contacts.rows.iter().map(Vec::len).sum::<usize>();
        let old = model.pair_fields.get(&statement.name());
        let has_values = |field: &&PairField| !field.values.is_empty() && entries > 0;
        let found = match old.filter(has_values) {
            None => vec![None; entries],
            Some(field) => {
                let mut checks = Checks::default();
                check_carried(&mut checks, &field.contacts, &contacts);
                if checks.is_refused() {
                    return checks.answer(|| ()).statuses;
                }
                contacts.found_in(&field.contacts, false)
            }
        };
        let components = if statement.name() == W { cloud.dim } else { 1 };
        let mut values = Vec::new();
        let pairs = (contacts.rows.iter().enumerate()).flat_map(|(i, row)| row.iter().map(move |&j| (i, j)));
        for ((i, j), found) in pairs.zip(found) {
            let pair = Pair::<F>::new((&cloud, None), &reach, (i, j, [0; 3]));
            let mass = match statement {
                Statement::Mass => self.mass_of(model, j),
                _ => F::default(),
            };
            for k in 0..components {
                let old = found
                    .zip(old)
                    .map_or(0.0, |((at, _), field)| field.values[at * components + k]);
                let h = self.numbers[H].unwrap_or(0.0);
                let value = statement.value(F::from_f64(old), &pair, k, (h, mass));
                values.push(value.to_f64());
            }
        }
        let made = PairField::new(components, !self.double, contacts, values);
        model.pair_fields.insert(statement.name(), made);
        Vec::new()
    }
}

/// The reasons why values are not carried from some rows to others, which both have entries.
fn check_carried(checks: &mut Checks, old: &Contacts, new: &Contacts) {
    checks.must(old.global_ids.is_some() != new.global_ids.is_some(), BAD_STATE);
    old.check(checks);
    new.check(checks);
}

impl Model {
    /// The value of an entry of the rows as they are now.
    pub fn pair_value(&self, name: usize, (i, j): (usize, usize), k: usize) -> f64 {
        let field = &self.pair_fields[&name];
        let at = field.starts[i]
            + field.contacts.rows[i]
                .iter()
                .position(|&other| other == j)
                .expect("the pair is in the rows");
        field.values[at * field.components + k]
    }
}
