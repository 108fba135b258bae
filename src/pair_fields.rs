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

/// Values of pairs that a caller gave, checked: rows that begin with `base`, and `components` numbers for each entry.
pub fn checked<T: Precision>(
    (offsets, ids, values): (&[i64], &[i32], &[T]),
    components: usize,
    owners: Owners,
    (base, team): (i64, &Team),
) -> Result<(PairRows, Field)> {
    let global_ids = owners.ids;
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
    rows.set((offsets, ids), owners, (base, team))?;
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
    owners: Owners,
    (base, team): (i64, &Team),
) -> Result<(PairRows, Field)> {
    let (own, mut ghosts) = (owners.ids, Vec::new());
    let (mut numbers, mut all, rows) = (Vec::new(), Vec::new(), offsets.len().saturating_sub(1));
    let points = own.map_or(MAX_POINTS as usize, <[i64]>::len);
    if rows > points {
        let allowed = format_args!("0 to {points}, the number of points");
        return Err(Error::not_allowed(Status::BadCount, "n", rows, allowed));
    }
    check_len("the length of ids", ids.len(), check_offsets("offsets", offsets, base)?)?;
    check_order((offsets, ids), owners, base)?;
    match own {
        Some(own) => {
            number(own, &named(offsets, ids, base)?, base as i32, (&mut all, &mut numbers))?;
            if !owners.ghosts.is_empty() {
                resize_discarding(&mut ghosts, all.len(), true, WHAT)?;
                ghosts[..own.len()].fill(false);
                ghosts[..owners.ghosts.len()].copy_from_slice(owners.ghosts);
            }
        }
        None => {
            check_numbers(ids, base)?;
            reserve_discarding(&mut numbers, ids.len(), WHAT)?;
            numbers.extend(ids.iter().map(|&id| id as i32));
        }
    }
    checked(
        (offsets, &numbers, values),
        components,
        Owners {
            ids: own.map(|_| &all[..]),
            ghosts: &ghosts,
        },
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

/// Refuses rows that do not ascend. A row may have an id more than once if points share ids.
fn check_order((offsets, ids): (&[i64], &[i64]), owners: Owners, base: i64) -> Result<()> {
    let may_repeat = !owners.ghosts.is_empty();
    for (row, ends) in offsets.windows(2).enumerate() {
        let [begin, end] = [0, 1].map(|k| (ends[k] - base) as usize);
        let mut follow = ids[begin..end].windows(2);
        let falls = |two: &[i64]| two[0] > two[1] || two[0] == two[1] && !may_repeat;
        let Some(k) = follow.position(falls) else {
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

/// The id of each entry, and the number of earlier entries of its row with the same id. The ids of each row ascend.
pub fn named(offsets: &[i64], ids: &[i64], base: i64) -> Result<Vec<(i64, u32)>> {
    let mut named = Vec::new();
    reserve_discarding(&mut named, ids.len(), WHAT)?;
    for ends in offsets.windows(2) {
        let row = &ids[(ends[0] - base) as usize..(ends[1] - base) as usize];
        let twins = row.chunk_by(|a, b| a == b);
        named.extend(twins.flat_map(|same| same.iter().copied().zip(0..)));
    }
    Ok(named)
}

/// Numbers points from `base` on: first the points with the ids `own`, then all others. `ids` has for each entry the id of its
/// point, and the number of points with this id before it. `all` receives the id of each number.
pub fn number(
    own: &[i64],
    ids: &[(i64, u32)],
    base: i32,
    (all, numbers): (&mut Vec<i64>, &mut Vec<i32>),
) -> Result<()> {
    let (mut by_id, mut sorted, mut others) = (Vec::new(), Vec::new(), Vec::new());
    reserve_discarding(&mut by_id, own.len(), WHAT)?;
    by_id.extend(own.iter().copied().zip(0u32..));
    by_id.sort_unstable();
    reserve_discarding(&mut sorted, own.len(), WHAT)?;
    for same in by_id.chunk_by(|a, b| a.0 == b.0) {
        sorted.extend(
            same.iter()
                .zip(0u32..)
                .map(|(&(id, point), before)| ((id, before), point)),
        );
    }
    for &named in ids {
        if sorted.binary_search_by_key(&named, |&(own, _)| own).is_err() {
            push(&mut others, named, WHAT)?;
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
    all.extend(others.iter().map(|&(id, _)| id));
    reserve_discarding(numbers, ids.len(), WHAT)?;
    let number = |named: &(i64, u32)| sorted[sorted.partition_point(|(other, _)| other < named)].1;
    numbers.extend(ids.iter().map(|named| (number(named) as i32).wrapping_add(base)));
    Ok(())
}
