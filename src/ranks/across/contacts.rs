//! Pair fields across ranks: the values of a point's pairs go to the rank that has the point now.
//!
//! in: pair fields with the rows of the points that this rank had; out: the same fields with the rows of those that it has. The rows of a
//! point that came are asked for by its global id, of all ranks.

use super::{Need, Ranks};
use crate::error::{Result, Words, words};
use crate::fields::Field;
use crate::memory::{push, reserve_keeping, with_capacity};
use crate::pair_fields::checked::{named, number};
use crate::pair_fields::{Owners, PairField, PairRows};
use crate::points::{Precision, Values};
use crate::ranks::agree::{agree, meet};
use crate::ranks::comm::{Comm, Gathered, Mail};
use crate::ranks::mail::{Reader, deliver, letter};
use crate::ranks::stats::Traffic;
use crate::search::{PairFieldAsked, Search};
use crate::version::Version;

const WHAT: &str = "a pair field";

/// The words before the ids that a rank asks for: bytes of a number, and numbers for a pair.
const WORDS: usize = 2;

impl Ranks {
    /// Brings the rows of pair fields where points have come since these were made. All ranks have numbered their points.
    pub(super) fn bring_pairs(&mut self, search: &mut Search) -> Result<()> {
        let version = self.numbered.version();
        let mut are_there = [self.paired.is_of(&version)];
        meet(&self.comm, Ok(()), [&[]; 2], None, &mut are_there)?;
        if are_there == [true] {
            return Ok(());
        }
        self.paired.begin();
        let mut last = String::new();
        loop {
            let name = search.pair_fields().name_after(&last);
            let shown = name.as_ref().map_or("", |name| name.as_deref().unwrap_or("none"));
            let fact = [("pair field", words(shown))];
            let Some(name) = meet(&self.comm, name, [&fact, &[]], None, &mut [])? else {
                break;
            };
            let (field, rows) = agree(&self.comm, search.pair_fields().get(&name))?;
            if let Some((rows, values)) = moved(&self.comm, self.numbered.get(), (field, rows))? {
                agree(&self.comm, search.put_pair_field(&name, rows, values))?;
            }
            last = name;
        }
        self.paired.finish(version);
        Ok(())
    }

    /// Sets a pair field by rows of this rank's points, which name partners of all ranks by global ids.
    pub fn set_pair_field<T: Precision>(
        &mut self,
        search: &mut Search,
        asked: Result<PairFieldAsked<T>>,
    ) -> Result<()> {
        let facts = asked.as_ref().ok().map(|asked| {
            [
                ("pair field", words(asked.name)),
                ("components", words(asked.components)),
                ("precision of values", Words::Borrowed(T::NAME)),
            ]
        });
        let facts = facts.as_ref().map_or(&[][..], |facts| &facts[..]);
        let asked = asked.map(|asked| (Need::Ids, asked));
        let asked = self.meet(search, "set_pair_field", facts, asked)?;
        let made = search.pair_field_of(
            &asked,
            Owners {
                ids: Some(&self.numbered.get()[..]),
                ghosts: &[],
            },
        );
        let room = made.and_then(|made| search.make_pair_room(asked.name).map(|()| made));
        let (rows, values) = agree(&self.comm, room)?;
        search.put_pair_field(asked.name, rows, values)
    }
}

/// The rows of the points with the ids `own`, and their values; none where all ranks have theirs. Collective.
fn moved(comm: &Comm, own: &[i64], (field, rows): (&PairField, &PairRows)) -> Result<Option<(PairRows, Field)>> {
    let local = Held::new(field, rows).and_then(|held| Ok((asked(own, &held, field)?, held)));
    let (asked, held) = agree(comm, local)?;
    let all = comm.all_gather(bytemuck::cast_slice(&asked))?;
    if all.iter().all(|words| words.len() == WORDS * size_of::<i64>()) {
        return Ok(None);
    }
    let most = |at| {
        all.iter()
            .filter_map(|words| Reader(words).take::<i64>(WORDS).nth(at))
            .max()
    };
    let [width, components] = [0, 1].map(|at| most(at).unwrap_or(0) as usize);
    let out = agree(comm, answers(comm, &all, &held, width * components))?;
    let came = deliver(comm, out, &mut Traffic::default())?;
    agree(comm, joined(own, &held, &came, [width, components])).map(Some)
}

/// The rows that this rank has of a pair field.
struct Held<'a> {
    /// The global id of each row, in ascending order.
    rows: Vec<(i64, usize)>,
    offsets: &'a [i64],
    /// The global ids of partners, entry after entry.
    partners: Vec<i64>,
    values: &'a [u8],
}

impl<'a> Held<'a> {
    fn new(field: &'a PairField, rows: &'a PairRows) -> Result<Held<'a>> {
        let len = rows.offsets.len().saturating_sub(1);
        let (mut sorted, mut partners) = (with_capacity(len, WHAT)?, with_capacity(rows.ids.len(), WHAT)?);
        let own = rows.global_ids.iter().take(len);
        sorted.extend(own.enumerate().map(|(row, &id)| (id, row)));
        sorted.sort_unstable();
        partners.extend(rows.ids.iter().map(|&id| rows.global_ids[id as usize]));
        Ok(Held {
            rows: sorted,
            offsets: &rows.offsets,
            partners,
            values: field.values.values.as_bytes(),
        })
    }

    /// The partners and values, of `each` bytes for an entry, of the point with an id.
    fn row(&self, id: i64, each: usize) -> Option<(&[i64], &[u8])> {
        let at = self.rows.binary_search_by_key(&id, |&(other, _)| other).ok()?;
        let [begin, end] = [0, 1].map(|k| self.offsets[self.rows[at].1 + k] as usize);
        Some((&self.partners[begin..end], &self.values[begin * each..end * each]))
    }
}

/// The words that a rank sends to all others: the sizes of its values, and the ids of points that came.
fn asked(own: &[i64], held: &Held, field: &PairField) -> Result<Vec<i64>> {
    let mut asked = Vec::new();
    push(&mut asked, field.values.values.width() as i64, WHAT)?;
    push(&mut asked, field.values.components as i64, WHAT)?;
    for &id in own {
        if held.row(id, 0).is_none() {
            push(&mut asked, id, WHAT)?;
        }
    }
    Ok(asked)
}

/// For each rank the rows that it asks for and that are here: the id, the number of entries, partners, values.
fn answers(comm: &Comm, all: &Gathered, held: &Held, each: usize) -> Result<Vec<Mail>> {
    let mut out = Vec::new();
    for (rank, words) in all.iter().enumerate().filter(|&(rank, _)| rank != comm.rank()) {
        let ids = words.chunks_exact(size_of::<i64>()).skip(WORDS);
        for id in ids.map(bytemuck::pod_read_unaligned::<i64>) {
            let Some((partners, values)) = held.row(id, each) else {
                continue;
            };
            let bytes = letter(&mut out, rank)?;
            let len = bytes.len() + size_of::<[i64; 2]>() + size_of_val(partners) + values.len();
            reserve_keeping(bytes, len, WHAT)?;
            bytes.extend_from_slice(bytemuck::bytes_of(&[id, partners.len() as i64]));
            bytes.extend_from_slice(bytemuck::cast_slice(partners));
            bytes.extend_from_slice(values);
        }
    }
    Ok(out)
}

/// The rows of this rank's points, of those that were here and of those that came. A point that has none has an empty row.
fn joined(own: &[i64], held: &Held, came: &[Mail], [width, components]: [usize; 2]) -> Result<(PairRows, Field)> {
    let each = width * components;
    let mut arrived = Vec::new();
    for mail in came {
        let mut reader = Reader(&mail.bytes);
        while !reader.0.is_empty() {
            let (id, entries) = (reader.one::<i64>(), reader.one::<i64>() as usize);
            let (partners, rest) = reader.0.split_at(entries * size_of::<i64>());
            let (values, rest) = rest.split_at(entries * each);
            reader.0 = rest;
            push(&mut arrived, (id, partners, values), WHAT)?;
        }
    }
    arrived.sort_unstable_by_key(|&(id, ..)| id);
    let (mut rows, mut partners) = (PairRows::default(), Vec::new());
    let mut values = match width {
        4 => Values::F32(Vec::new()),
        8 => Values::F64(Vec::new()),
        _ => Values::None,
    };
    push(&mut rows.offsets, 0, WHAT)?;
    for &id in own {
        if let Some((some, of_them)) = held.row(id, each) {
            let len = partners.len() + some.len();
            reserve_keeping(&mut partners, len, WHAT)?;
            partners.extend_from_slice(some);
            values.append_bytes(of_them, WHAT)?;
        } else if let Ok(at) = arrived.binary_search_by_key(&id, |&(id, ..)| id) {
            let (_, some, of_them) = arrived[at];
            let some = some.chunks_exact(size_of::<i64>());
            let len = partners.len() + some.len();
            reserve_keeping(&mut partners, len, WHAT)?;
            partners.extend(some.map(bytemuck::pod_read_unaligned::<i64>));
            values.append_bytes(of_them, WHAT)?;
        }
        push(&mut rows.offsets, partners.len() as i64, WHAT)?;
    }
    let partners = named(&rows.offsets, &partners, 0)?;
    number(own, &partners, 0, (&mut rows.global_ids, &mut rows.ids))?;
    rows.version = Version::new();
    let field = Field {
        values,
        components,
        version: Version::new(),
        on_device: None,
    };
    Ok((rows, field))
}
