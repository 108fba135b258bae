//! Answers to the questions of other ranks, which are the nearest of this rank's points; and the use of their answers.

use super::{Rows, WHAT};
use crate::comm::Mail;
use crate::core::Core;
use crate::error::{Error, Result, filled, reserve, room, status};
use crate::held::Held;
use crate::mail::Reader;
use crate::points::{Coords, Real};

/// Points of other ranks that answers name, by rank and by their numbers there.
#[derive(Debug)]
pub struct Arrival {
    pub ids: Vec<i64>,
    pub ranks: Vec<i32>,
    pub coords: Coords,
}

impl Arrival {
    pub fn none<T: Real>() -> Arrival {
        Arrival {
            ids: Vec::new(),
            ranks: Vec::new(),
            coords: T::hold(Vec::new()),
        }
    }
}

/// The nearest of this rank's points to each point that `came`, no farther than is asked: for each rank that asks, how many points
/// the answers name, their ids and coordinates, for each question how many neighbors it has here, which of those points they
/// are, and their squares.
pub fn answer<T: Real>(core: &mut Core, held: &Held, came: &[Mail], (k, base): (usize, i32)) -> Result<Vec<Mail>> {
    let dim = held.dim;
    let bytes = (dim + 1) * size_of::<T>();
    let total = came.iter().map(|mail| mail.bytes.len() / bytes).sum::<usize>();
    let (mut coords, mut bounds) = (room(total * dim, WHAT)?, room::<T>(total, WHAT)?);
    for mail in came {
        let mut reader = Reader(&mail.bytes);
        coords.extend(reader.take::<T>(mail.bytes.len() / bytes * dim));
        bounds.extend(reader.take::<T>(mail.bytes.len() / bytes));
    }
    if total == 0 {
        return Ok(Vec::new());
    }
    let (mut ids, mut squares) = (
        filled(total * k, 0, WHAT)?,
        T::hold(filled(total * k, T::default(), WHAT)?),
    );
    core.set_queries(dim, &T::hold(coords))?;
    core.knn(None, k, &mut ids, &mut squares)?;
    let found = Found {
        held,
        k,
        base,
        ids: &ids,
        squares: T::held(&squares),
        bounds: &bounds,
    };
    let mut places = filled(held.owned, u32::MAX, WHAT)?;
    let (mut letters, mut start) = (room(came.len(), WHAT)?, 0);
    for mail in came {
        let end = start + mail.bytes.len() / bytes;
        let bytes = found.letter(start..end, &mut places)?;
        letters.push(Mail { rank: mail.rank, bytes });
        start = end;
    }
    Ok(letters)
}

/// Rows of all questions.
struct Found<'a, T> {
    held: &'a Held,
    k: usize,
    base: i32,
    ids: &'a [i32],
    squares: &'a [T],
    bounds: &'a [T],
}

impl<T: Real> Found<'_, T> {
    /// The neighbors of a question that are near enough, and their squares.
    fn row(&self, question: usize) -> impl Iterator<Item = (usize, T)> + '_ {
        let at = question * self.k..(question + 1) * self.k;
        let row = self.ids[at.clone()].iter().zip(&self.squares[at]);
        let is_there = move |&(&id, &square): &(&i32, &T)| id >= self.base && square <= self.bounds[question];
        row.take_while(is_there)
            .map(|(&id, &square)| ((id - self.base) as usize, square))
    }

    /// The answers to the questions of one rank. `places` has an element for each point, all u32::MAX before and after.
    fn letter(&self, questions: std::ops::Range<usize>, places: &mut [u32]) -> Result<Vec<u8>> {
        let (held, mut named) = (self.held, Vec::new());
        let mut entries = 0;
        for question in questions.clone() {
            reserve(&mut named, self.k, WHAT)?;
            for (point, _) in self.row(question) {
                entries += 1;
                if std::mem::replace(&mut places[point], 0) == u32::MAX {
                    named.push(point);
                }
            }
        }
        named.sort_unstable();
        (0..).zip(&named).for_each(|(place, &point)| places[point] = place);
        let point_bytes = size_of::<i64>() + held.dim * size_of::<T>();
        let head = size_of::<u64>() + questions.len() * size_of::<u32>();
        let each = size_of::<u32>() + size_of::<T>();
        let mut bytes: Vec<u8> = room(head + named.len() * point_bytes + entries * each, WHAT)?;
        bytes.extend_from_slice(&(named.len() as u64).to_ne_bytes());
        let coords = T::held(&held.coords);
        named
            .iter()
            .for_each(|&point| bytes.extend_from_slice(&held.ids[point].to_ne_bytes()));
        for &point in &named {
            bytes.extend_from_slice(bytemuck::cast_slice(&coords[point * held.dim..(point + 1) * held.dim]));
        }
        for question in questions.clone() {
            bytes.extend_from_slice(&(self.row(question).count() as u32).to_ne_bytes());
        }
        let all = || questions.clone().flat_map(|question| self.row(question));
        all().for_each(|(point, _)| bytes.extend_from_slice(&places[point].to_ne_bytes()));
        all().for_each(|(_, square)| bytes.extend_from_slice(bytemuck::bytes_of(&square)));
        named.iter().for_each(|&point| places[point] = u32::MAX);
        Ok(bytes)
    }
}

/// A neighbor on another rank.
#[derive(Clone, Copy)]
struct Entry<T> {
    row: u32,
    square: T,
    id: i64,
    number: i32,
}

/// Order within a row.
fn by_distance<T: Real>(a: (T, i64), b: (T, i64)) -> std::cmp::Ordering {
    a.0.to_f64().total_cmp(&b.0.to_f64()).then(a.1.cmp(&b.1))
}

/// Merges what `came` into the rows, and returns the points that it names. `asked` says which points each rank was asked about.
pub fn merge<T: Real>(
    held: &Held,
    rows: &mut Rows,
    asked: &[(usize, Vec<u32>)],
    came: &[Mail],
    base: i32,
) -> Result<Arrival> {
    let (mut ids, mut ranks, mut coords) = (Vec::new(), Vec::new(), Vec::<T>::new());
    let mut entries: Vec<Entry<T>> = Vec::new();
    for ((rank, points), mail) in asked.iter().zip(came) {
        let mut reader = Reader(&mail.bytes);
        let (count, first) = (reader.one::<u64>() as usize, ids.len());
        if held.owned + first + count > i32::MAX as usize - 1 {
            let text = format!("{count} more ghosts are too many: point numbers end at 2147483647");
            return Err(Error::new(status::BAD_COUNT, text));
        }
        reserve(&mut ids, count, WHAT)?;
        reserve(&mut ranks, count, WHAT)?;
        reserve(&mut coords, count * held.dim, WHAT)?;
        ids.extend(reader.take::<i64>(count));
        coords.extend(reader.take::<T>(count * held.dim));
        ranks.extend(std::iter::repeat_n(*rank as i32, count));
        let lens = reader.take::<u32>(points.len());
        let total = lens.clone().map(|len| len as usize).sum::<usize>();
        let (places, squares) = (reader.take::<u32>(total), reader.take::<T>(total));
        reserve(&mut entries, total, WHAT)?;
        let owners = points
            .iter()
            .zip(lens)
            .flat_map(|(&row, len)| std::iter::repeat_n(row, len as usize));
        entries.extend(owners.zip(places).zip(squares).map(|((row, place), square)| Entry {
            row,
            square,
            id: ids[first + place as usize],
            number: (held.owned + first + place as usize) as i32 + base,
        }));
    }
    entries.sort_unstable_by(|a, b| {
        a.row
            .cmp(&b.row)
            .then_with(|| by_distance((a.square, a.id), (b.square, b.id)))
    });
    for foreign in entries.chunk_by(|a, b| a.row == b.row) {
        merge_row(held, rows, foreign, base);
    }
    let coords = T::hold(coords);
    Ok(Arrival { ids, ranks, coords })
}

/// Merges neighbors on other ranks, in order, into their row.
fn merge_row<T: Real>(held: &Held, rows: &mut Rows, foreign: &[Entry<T>], base: i32) {
    let (row, k) = (foreign[0].row as usize, rows.k);
    let mut own = rows.counts[row] as usize;
    let count = k.min(own + foreign.len());
    let at = row * k..row * k + count;
    let (ids, squares) = (&mut rows.ids[at.clone()], &mut T::held_mut(&mut rows.squares)[at]);
    // The others among the first `count`, and then from the back on, so that nothing is written over.
    let is_own = |own: &[i32], squares: &[T], mine: usize, other: &Entry<T>| {
        let id = held.ids[(own[mine] - base) as usize];
        by_distance((squares[mine], id), (other.square, other.id)).is_lt()
    };
    let (mut mine, mut others) = (0, 0);
    while mine + others < count {
        match others == foreign.len() || mine < own && is_own(ids, squares, mine, &foreign[others]) {
            true => mine += 1,
            false => others += 1,
        }
    }
    own = mine;
    for at in (0..count).rev() {
        if others == 0 {
            break;
        }
        if own > 0 && !is_own(ids, squares, own - 1, &foreign[others - 1]) {
            own -= 1;
            (ids[at], squares[at]) = (ids[own], squares[own]);
        } else {
            others -= 1;
            (ids[at], squares[at]) = (foreign[others].number, foreign[others].square);
        }
    }
    rows.counts[row] = count as i32;
}
