//! Pair fields: named values of the entries of rows, a number or a vector each, which live from one run to the next.
//!
//! in: rows, and values of their entries; out: the values that the entries of other rows have, found by their pairs. Here nothing is
//! evaluated, and no row is found.

use crate::arguments::{MAX_POINTS, check_len, check_offsets};
use crate::carry::{Carrying, Columns, Contacts};
use crate::error::{Error, Result, Status, words};
use crate::fields::Field;
use crate::list::{Out, holds, push, reserve_discarding, reserve_keeping, resize_discarding};
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
}

holds! { Named { field; name } }

/// All pair fields of a handle, and the rows that they have values of.
#[derive(Debug, Default)]
pub struct PairFields {
    /// In the order of the alphabet.
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

    /// The number of a name, or the one that it would have.
    fn number_of(&self, name: &str) -> std::result::Result<usize, usize> {
        self.named.binary_search_by(|named| named.name[..].cmp(name))
    }

    /// The place of a name.
    fn place(&mut self, name: &str) -> Result<usize> {
        let number = match self.number_of(name) {
            Ok(number) => return Ok(number),
            Err(number) => number,
        };
        let (name, field, all) = (copied(name)?, None, self.named.len() + 1);
        reserve_keeping(&mut self.named, all, WHAT)?;
        self.named.insert(number, Named { name, field });
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

/// The same for rows that name points by ids. `own` are the global ids of the points that have the rows, where they are set; otherwise ids
/// are point numbers. Ids of points that are not among these are those of points elsewhere, or of none.
pub fn checked_by_ids<T: Precision>(
    (offsets, ids, values): (&[i64], &[i64], &[T]),
    components: usize,
    own: Option<&[i64]>,
    (base, team): (i64, &Team),
) -> Result<(PairRows, Field)> {
    let (mut numbers, mut all, rows) = (Vec::new(), Vec::new(), offsets.len().saturating_sub(1));
    let points = own.map_or(MAX_POINTS as usize, <[i64]>::len);
    if rows > points {
        let allowed = format_args!("0 to {points}, the number of points");
        return Err(Error::not_allowed(Status::BadCount, "n", rows, allowed));
    }
    check_len("the length of ids", ids.len(), check_offsets("offsets", offsets, base)?)?;
    check_order(offsets, ids, base)?;
    match own {
        Some(own) => number(own, ids, base as i32, (&mut all, &mut numbers))?,
        None => {
            check_numbers(ids, base)?;
            reserve_discarding(&mut numbers, ids.len(), WHAT)?;
            numbers.extend(ids.iter().map(|&id| id as i32));
        }
    }
    checked(
        (offsets, &numbers, values),
        components,
        own.map(|_| &all[..]),
        (base, team),
    )
}

/// Refuses an id that is no point number.
fn check_numbers(ids: &[i64], base: i64) -> Result<()> {
    let allowed = base..=base + MAX_POINTS - 1;
    match ids.iter().position(|id| !allowed.contains(id)) {
        Some(at) => Err(Error::Element {
            argument: "ids",
            position: at as i64 + base,
            value: ids[at],
            allowed: words(format_args!("{} to {}", allowed.start(), allowed.end())),
        }),
        None => Ok(()),
    }
}

/// Refuses rows that do not ascend.
fn check_order(offsets: &[i64], ids: &[i64], base: i64) -> Result<()> {
    for (row, ends) in offsets.windows(2).enumerate() {
        let [begin, end] = [0, 1].map(|k| (ends[k] - base) as usize);
        let Some(k) = ids[begin..end].windows(2).position(|two| two[0] >= two[1]) else {
            continue;
        };
        let (before, row) = (ids[begin + k], row as i64 + base);
        return Err(Error::Element {
            argument: "ids",
            position: (begin + k + 1) as i64 + base,
            value: ids[begin + k + 1],
            allowed: words(format_args!("more than {before}, which is before it in row {row}")),
        });
    }
    Ok(())
}

/// Numbers points with these ids from `base` on: first those with the ids `own`, and after them others. `all` receives the ids by number.
pub fn number(own: &[i64], ids: &[i64], base: i32, (all, numbers): (&mut Vec<i64>, &mut Vec<i32>)) -> Result<()> {
    let (mut sorted, mut others) = (Vec::new(), Vec::new());
    reserve_discarding(&mut sorted, own.len(), WHAT)?;
    sorted.extend(own.iter().copied().zip(0u32..));
    sorted.sort_unstable();
    for &id in ids {
        if sorted.binary_search_by_key(&id, |&(own, _)| own).is_err() {
            push(&mut others, id, WHAT)?;
        }
    }
    others.sort_unstable();
    others.dedup();
    let points = own.len() + others.len();
    if points as i64 > MAX_POINTS {
        let (argument, allowed) = ("number of points in rows", format_args!("at most {MAX_POINTS}"));
        return Err(Error::not_allowed(Status::BadCount, argument, points, allowed));
    }
    reserve_keeping(&mut sorted, points, WHAT)?;
    sorted.extend(others.iter().copied().zip(own.len() as u32..));
    sorted.sort_unstable();
    reserve_discarding(all, points, WHAT)?;
    all.extend_from_slice(own);
    all.extend_from_slice(&others);
    reserve_discarding(numbers, ids.len(), WHAT)?;
    let number = |id: &i64| sorted[sorted.partition_point(|(other, _)| other < id)].1;
    numbers.extend(ids.iter().map(|id| (number(id) as i32).wrapping_add(base)));
    Ok(())
}
