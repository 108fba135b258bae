//! Pair fields: named values of the entries of rows, a number or a vector each, which live from one run to the next.
//!
//! in: rows, and values of their entries; out: the values that the entries of other rows have, found by their pairs. Here nothing is
//! evaluated, and no row is found.

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
    /// Of all points, where they are set; otherwise empty.
    pub global_ids: Vec<i64>,
}

holds! { PairRows { offsets, ids, global_ids; version } }

impl PairRows {
    /// Becomes a copy of rows, whose numbers begin with `base`.
    pub fn set(
        &mut self,
        (offsets, ids): (&[i64], &[i32]),
        global_ids: Option<&[i64]>,
        (base, team): (i64, &Team),
    ) -> Result<()> {
        let global_ids = global_ids.unwrap_or_default();
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
}

holds! { Named { field; name } }

/// All pair fields of a handle, and the rows that they have values of.
#[derive(Debug, Default)]
pub struct PairFields {
    named: Vec<Named>,
    rows: Vec<PairRows>,
    /// Memory for the next rows.
    spare: Vec<PairRows>,
}

holds! { PairFields { named, rows, spare } }

impl PairFields {
    /// The pair field of a name, if there is one.
    pub fn find(&self, name: &str) -> Option<&PairField> {
        let named = self.named.iter().find(|named| named.name == name)?;
        named.field.as_ref()
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

    /// A copy of the name of pair field `number`, in the order in which they were made; none after the last.
    pub fn name(&self, number: usize) -> Result<Option<String>> {
        let mut made = self.named.iter().filter(|named| named.field.is_some());
        let Some(named) = made.nth(number) else { return Ok(None) };
        let (mut copy, bytes) = (String::new(), named.name.len() as u64);
        let room = copy.try_reserve_exact(named.name.len());
        room.map_err(|_| Error::OutOfMemory { what: WHAT, bytes })?;
        copy.push_str(&named.name);
        Ok(Some(copy))
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
        let number = match self.named.iter().position(|named| named.name == name) {
            Some(number) => number,
            None => {
                let mut copy = String::new();
                copy.try_reserve_exact(name.len()).map_err(|_| Error::OutOfMemory {
                    what: WHAT,
                    bytes: name.len() as u64,
                })?;
                copy.push_str(name);
                let named = Named {
                    name: copy,
                    field: None,
                };
                push(&mut self.named, named, WHAT)?;
                self.named.len() - 1
            }
        };
        Ok(self.named[number].field.replace(field))
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
        let carrying = Carrying::in_order(&from.contacts(), &to.contacts(), 0, team)?;
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

/// Values of pairs that a caller gave, checked: rows that begin with `base`, and `components` numbers for each entry.
pub fn checked<T: Precision>(
    (offsets, ids, values): (&[i64], &[i32], &[T]),
    components: usize,
    global_ids: Option<&[i64]>,
    (base, team): (i64, &Team),
) -> Result<(PairRows, Field)> {
    if !(1..=3).contains(&components) {
        let allowed = "1, or the dimension of the points";
        return Err(Error::not_allowed(Status::BadDim, "components", components, allowed));
    }
    let contacts = Contacts {
        first_row: base,
        offsets,
        ids,
        global_ids,
    };
    // Rows are checked as those that values are carried to.
    let (none, mut copy) = (PairRows::default(), Vec::new());
    let old = Contacts {
        global_ids,
        ..none.contacts()
    };
    Carrying::new(&old, &contacts, base, team)?.check_values(&columns(components), 0, values.len())?;
    resize_discarding(&mut copy, values.len(), T::default(), WHAT)?;
    copy.copy_from_slice(values);
    let (mut rows, offsets) = (PairRows::default(), if offsets.len() > 1 { offsets } else { &[] });
    rows.set((offsets, ids), global_ids, (base, team))?;
    let field = Field {
        values: T::hold(copy),
        components,
        version: Version::new(),
        on_device: None,
    };
    Ok((rows, field))
}
