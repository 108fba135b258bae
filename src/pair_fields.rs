//! Pair fields: named values of the entries of rows, a number or a vector each, which live from one run to the next.
//!
//! in: rows, and values of their entries; out: the values that the entries of other rows have, found by their pairs. Here nothing is
//! evaluated, and no row is found.

pub mod checked;

use crate::carry::{Carrying, Columns, Contacts};
use crate::error::{Error, Result, Status, words};
use crate::fields::Field;
use crate::list::{Out, holds, push, reserve_keeping, resize_discarding};
use crate::points::{Precision, Values};
use crate::threads::Team;
use crate::version::Version;

const WHAT: &str = "a pair field";

/// Values go with the entry as they are.
fn columns(count: usize) -> Columns<'static> {
    Columns { count, signs: &[] }
}

/// The rows whose entries have values. Numbers begin with 0.
#[derive(Debug, Default)]
pub struct PairRows {
    pub version: Version,
    pub offsets: Vec<i64>,
    pub ids: Vec<i32>,
    /// The ids of all points if they are set. Otherwise empty.
    pub global_ids: Vec<i64>,
    /// Whether each point is a ghost. Empty unless points share ids.
    pub ghosts: Vec<bool>,
}

holds! { PairRows { offsets, ids, global_ids; version, ghosts } }

/// The ids of points that have rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Owners<'a> {
    /// The id of each point, if ids are set.
    pub ids: Option<&'a [i64]>,
    /// Whether each point is a ghost. Empty unless points share ids.
    pub ghosts: &'a [bool],
}

impl PairRows {
    /// Becomes a copy of rows, whose numbers begin with `base`.
    pub fn set(&mut self, (offsets, ids): (&[i64], &[i32]), owners: Owners, (base, team): (i64, &Team)) -> Result<()> {
        let (global_ids, ghosts) = (owners.ids.unwrap_or_default(), owners.ghosts);
        resize_discarding(&mut self.ghosts, ghosts.len(), false, WHAT)?;
        self.ghosts.copy_from_slice(ghosts);
        resize_discarding(&mut self.offsets, offsets.len().max(1), 0, WHAT)?;
        resize_discarding(&mut self.ids, ids.len(), 0, WHAT)?;
        resize_discarding(&mut self.global_ids, global_ids.len(), 0, WHAT)?;
        self.offsets[0] = 0;
        (self.offsets.iter_mut().zip(offsets)).for_each(|(to, offset)| *to = offset - base);
        let base = base as i32;
        Out::new(&mut self.ids).in_pieces(team, 1, |first, piece| {
            (0..piece.len()).for_each(|k| piece.write(k, ids[first + k].wrapping_sub(base)));
        })?;
        self.global_ids.copy_from_slice(global_ids);
        self.version = Version::new();
        Ok(())
    }

    /// The id of a point by its number: the global id, or the number from `base` on where no ids are set.
    pub fn id_of(&self, number: i32, base: i64) -> i64 {
        let id = self.global_ids.get(number as usize).copied();
        id.unwrap_or(i64::from(number) + base)
    }

    fn contacts(&self) -> Contacts<'_> {
        Contacts {
            first_row: 0,
            offsets: &self.offsets,
            ids: &self.ids,
            global_ids: Some(&self.global_ids[..]).filter(|ids| !ids.is_empty()),
        }
    }
}

/// Values of the entries of rows.
#[derive(Debug, Default)]
pub struct PairField {
    /// The version of the rows.
    pub rows: Version,
    /// Entry after entry.
    pub values: Field,
}

holds! { PairField { values; rows } }

#[derive(Debug, Default)]
struct Named {
    name: String,
    field: Option<PairField>,
    /// Whether the last run read or made it.
    is_in_run: bool,
}

holds! { Named { field; name, is_in_run } }

/// All pair fields of a handle, and the rows that they have values of.
#[derive(Debug, Default)]
pub struct PairFields {
    /// The pair fields, sorted by name.
    named: Vec<Named>,
    rows: Vec<PairRows>,
    /// Memory for the next rows.
    spare: Vec<PairRows>,
}

holds! { PairFields { named, rows, spare } }

impl PairFields {
    /// The pair field of a name, if there is one.
    pub fn find(&self, name: &str) -> Option<&PairField> {
        self.named[self.number_of(name).ok()?].field.as_ref()
    }

    /// The pair field of a name.
    pub fn get(&self, name: &str) -> Result<(&PairField, &PairRows)> {
        let found = self
            .find(name)
            .and_then(|field| Some((field, self.rows_of(field.rows)?)));
        found.ok_or_else(|| Error::NoField {
            name: words(name),
            of: "pairs",
        })
    }

    /// A copy of the first name of a pair field after another in the order of the alphabet; none after the last.
    pub fn name_after(&self, last: &str) -> Result<Option<String>> {
        let made = self.named.iter().filter(|named| named.field.is_some());
        let names = made.map(|named| &named.name[..]).filter(|name| *name > last);
        names.min().map(copied).transpose()
    }

    /// Notes the names that a run reads or makes.
    pub fn note_run(&mut self, has: impl Fn(&str) -> bool) {
        for named in &mut self.named {
            named.is_in_run = has(&named.name);
        }
    }

    /// The names of fields that the last run neither read nor made.
    pub fn not_in_run(&self) -> impl Iterator<Item = &str> {
        let named = self
            .named
            .iter()
            .filter(|named| named.field.is_some() && !named.is_in_run);
        named.map(|named| &named.name[..])
    }

    /// The rows of a version.
    pub fn rows_of(&self, version: Version) -> Option<&PairRows> {
        self.rows.iter().find(|rows| rows.version == version)
    }

    /// Memory for rows, perhaps that of rows of before.
    pub fn spare_rows(&mut self) -> PairRows {
        self.spare.pop().unwrap_or_default()
    }

    /// Takes rows up. They stay until [`retain`](PairFields::retain) finds no use of them.
    pub fn add_rows(&mut self, rows: PairRows) -> Result<Version> {
        let version = rows.version;
        reserve_keeping(&mut self.spare, self.rows.len() + 1, WHAT)?; // so that `retain` needs no memory
        push(&mut self.rows, rows, WHAT)?;
        Ok(version)
    }

    /// Makes `field` the pair field of a name; returns the one before.
    pub fn replace(&mut self, name: &str, field: PairField) -> Result<Option<PairField>> {
        let number = self.place(name)?;
        Ok(self.named[number].field.replace(field))
    }

    /// Makes room for a pair field: rows and values of this name can be taken up without more memory.
    pub fn make_room(&mut self, name: &str) -> Result<()> {
        self.place(name)?;
        let rows = self.rows.len() + 1;
        reserve_keeping(&mut self.spare, rows, WHAT)?;
        reserve_keeping(&mut self.rows, rows, WHAT)
    }

    /// The number of a name, or the number that it would get.
    fn number_of(&self, name: &str) -> std::result::Result<usize, usize> {
        self.named.binary_search_by(|named| named.name[..].cmp(name))
    }

    /// The place of a name.
    fn place(&mut self, name: &str) -> Result<usize> {
        let number = match self.number_of(name) {
            Ok(number) => return Ok(number),
            Err(number) => number,
        };
        let all = self.named.len() + 1;
        reserve_keeping(&mut self.named, all, WHAT)?;
        let (name, field, is_in_run) = (copied(name)?, None, false);
        self.named.insert(number, Named { name, field, is_in_run });
        Ok(number)
    }

    /// Gives up rows that no pair field has values of, but for those of a version. Their memory is kept.
    pub fn retain(&mut self, also: Option<Version>) {
        let PairFields { named, rows, spare } = self;
        let is_used = |version: Version| {
            let mut fields = named.iter().filter_map(|named| named.field.as_ref());
            also == Some(version) || fields.any(|field| field.rows == version)
        };
        let mut at = 0;
        while at < rows.len() {
            if is_used(rows[at].version) {
                at += 1;
                continue;
            }
            let unused = rows.swap_remove(at);
            if spare.is_empty() {
                spare.push(unused); // it has the capacity
            }
        }
    }

    /// Frees the memory that is kept for the next rows.
    pub fn trim(&mut self) {
        self.spare = Vec::new();
    }

    /// The values that the entries of rows have: those of the same pair where there are such, otherwise zero. `None` where all are zero
    /// because there are no entries. `memory` is used for them.
    pub fn carried(
        &self,
        (name, field): (&str, &PairField),
        to: &PairRows,
        memory: Values,
        team: &Team,
    ) -> Result<Option<Field>> {
        let Some(from) = self.rows_of(field.rows) else {
            return Err(Error::Internal {
                text: "a pair field without rows".into(),
            });
        };
        if from.ids.is_empty() || to.ids.is_empty() {
            return Ok(None);
        }
        check_ids(name, [from, to])?;
        let carrying = Carrying::in_order([&from.contacts(), &to.contacts()], [&from.ghosts, &to.ghosts], 0, team)?;
        let components = field.values.components;
        let values = match &field.values.values {
            Values::F32(values) => carry(&carrying, components, values, (to.ids.len(), memory), team)?,
            Values::F64(values) => carry(&carrying, components, values, (to.ids.len(), memory), team)?,
            Values::None => Values::None,
        };
        Ok(Some(Field {
            values,
            components,
            version: Version::new(),
            on_device: None,
        }))
    }
}

fn copied(name: &str) -> Result<String> {
    let (mut copy, bytes) = (String::new(), name.len() as u64);
    let room = copy.try_reserve_exact(name.len());
    room.map_err(|_| Error::OutOfMemory { what: WHAT, bytes })?;
    copy.push_str(name);
    Ok(copy)
}

/// Refuses points that have global ids in one list and none in the other.
fn check_ids(name: &str, [from, to]: [&PairRows; 2]) -> Result<()> {
    let [before, now] = [from, to].map(|rows| if rows.global_ids.is_empty() { "not set" } else { "set" });
    if before == now {
        return Ok(());
    }
    let allowed =
        format_args!("{before}, as when the pair field '{name}' got its values; get them, and set them again");
    Err(Error::not_allowed(Status::BadState, "global ids", now, allowed))
}

fn carry<T: Precision>(
    carrying: &Carrying,
    components: usize,
    old_values: &[T],
    (entries, mut memory): (usize, Values),
    team: &Team,
) -> Result<Values> {
    let columns = columns(components);
    let mut values = T::held_mut(&mut memory).map(std::mem::take).unwrap_or_default();
    resize_discarding(&mut values, entries * components, T::default(), WHAT)?;
    let parts = carrying.parts(&columns, Out::new(&mut values))?;
    carrying.write(&columns, old_values, team, parts);
    Ok(T::hold(values))
}
