//! Answers to the questions of other ranks, which are the nearest of this rank's points; and the use of their answers.

use super::rows::{Own, Rows, WHAT};
use crate::arguments::MAX_POINTS;
use crate::error::{Error, Result, Status};
use crate::measure::Measure;
use crate::memory::{filled, reserve_keeping, with_capacity};
use crate::points::{PointsView, Precision, Values};
use crate::ranks::comm::Mail;
use crate::ranks::mail::Reader;
use crate::search::{KnnKind, Search};

/// Points of other ranks that answers name, by rank and by their numbers there.
#[derive(Debug)]
pub struct Arrival {
    pub ids: Vec<i64>,
    pub ranks: Vec<i32>,
    /// Coordinates, point after point.
    pub coords: Values,
}

impl Arrival {
    pub fn none<T: Precision>() -> Arrival {
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
pub fn answer<T: Precision>(search: &mut Search, own: &Own<T>, came: &[Mail], k: usize) -> Result<Vec<Mail>> {
    let dim = own.cloud.dim;
    let bytes = (dim + 1) * size_of::<T>();
    let total = came.iter().map(|mail| mail.bytes.len() / bytes).sum::<usize>();
    let (mut coords, mut bounds) = (with_capacity(total * dim, WHAT)?, with_capacity::<T>(total, WHAT)?);
    for mail in came {
        let mut reader = Reader(&mail.bytes);
        coords.extend(reader.take::<T>(mail.bytes.len() / bytes * dim));
        bounds.extend(reader.take::<T>(mail.bytes.len() / bytes));
    }
    if total == 0 {
        return Ok(Vec::new());
    }
    let (mut ids, mut squares) = (filled(total * k, 0, WHAT)?, filled(total * k, T::INFINITY, WHAT)?);
    search.set_queries(&PointsView::interleaved(dim, &coords)?)?;
    search.knn_into(KnnKind::Queries, k, Measure::Square, &mut ids, &mut squares)?;
    let found = Answers {
        own,
        k,
        ids: &ids,
        squares: &squares,
        bounds: &bounds,
    };
    let mut places = filled(own.cloud.len, u32::MAX, WHAT)?;
    let (mut letters, mut start) = (with_capacity(came.len(), WHAT)?, 0);
    for mail in came {
        let end = start + mail.bytes.len() / bytes;
        let bytes = found.letter(start..end, &mut places)?;
        letters.push(Mail { rank: mail.rank, bytes });
        start = end;
    }
    Ok(letters)
}

/// Rows of all questions.
struct Answers<'a, T> {
    own: &'a Own<'a, T>,
    k: usize,
    ids: &'a [i32],
    squares: &'a [T],
    bounds: &'a [T],
}

impl<T: Precision> Answers<'_, T> {
    /// The neighbors of a question that are near enough, and their squares.
    fn row(&self, question: usize) -> impl Iterator<Item = (usize, T)> + '_ {
        let at = question * self.k..(question + 1) * self.k;
        let row = self.ids[at.clone()].iter().zip(&self.squares[at]);
        let is_there = move |&(&id, &square): &(&i32, &T)| id >= self.own.base && square <= self.bounds[question];
        row.take_while(is_there)
            .map(|(&id, &square)| ((id - self.own.base) as usize, square))
    }

    /// The answers to the questions of one rank. `places` has an element for each point, all u32::MAX before and after.
    fn letter(&self, questions: std::ops::Range<usize>, places: &mut [u32]) -> Result<Vec<u8>> {
        let (own, mut named) = (self.own, Vec::new());
        let mut entries = 0;
        for question in questions.clone() {
            let most = named.len() + self.k;
            reserve_keeping(&mut named, most, WHAT)?;
            for (point, _) in self.row(question) {
                entries += 1;
                if std::mem::replace(&mut places[point], 0) == u32::MAX {
                    named.push(point);
                }
            }
        }
        named.sort_unstable();
        (0..).zip(&named).for_each(|(place, &point)| places[point] = place);
        let point_bytes = size_of::<i64>() + own.cloud.dim * size_of::<T>();
        let head = size_of::<u64>() + questions.len() * size_of::<u32>();
        let each = size_of::<u32>() + size_of::<T>();
        let mut bytes: Vec<u8> = with_capacity(head + named.len() * point_bytes + entries * each, WHAT)?;
        bytes.extend_from_slice(&(named.len() as u64).to_ne_bytes());
        let named = &named;
        let ids = named.iter().map(|&point| own.ids[point].to_ne_bytes());
        ids.for_each(|id| bytes.extend_from_slice(&id));
        named.iter().for_each(|&point| own.cloud.write(point, &mut bytes));
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
fn by_distance<T: Precision>(a: (T, i64), b: (T, i64)) -> std::cmp::Ordering {
    a.0.to_f64().total_cmp(&b.0.to_f64()).then(a.1.cmp(&b.1))
}

/// Merges what `came` into the rows, and returns the points that it names. `asked` says which points each rank was asked about.
pub fn merge<T: Precision>(
    own: &Own<T>,
    rows: &mut Rows<T>,
    asked: &[(usize, Vec<u32>)],
    came: &[Mail],
) -> Result<Arrival> {
    let (owned, dim) = (own.cloud.len, own.cloud.dim);
    let (mut ids, mut ranks, mut coords) = (Vec::new(), Vec::new(), Vec::<T>::new());
    let mut entries: Vec<Entry<T>> = Vec::new();
    for ((rank, points), mail) in asked.iter().zip(came) {
        let mut reader = Reader(&mail.bytes);
        let (count, first) = (reader.one::<u64>() as usize, ids.len());
        let all = first + count;
        if (owned + all) as i64 > MAX_POINTS {
            let allowed = format_args!("at most {MAX_POINTS}");
            let argument = "number of points with those of other ranks in rows";
            return Err(Error::not_allowed(Status::BadCount, argument, owned + all, allowed));
        }
        reserve_keeping(&mut ids, all, WHAT)?;
        reserve_keeping(&mut ranks, all, WHAT)?;
        reserve_keeping(&mut coords, all * dim, WHAT)?;
        ids.extend(reader.take::<i64>(count));
        coords.extend(reader.take::<T>(count * dim));
        ranks.extend(std::iter::repeat_n(*rank as i32, count));
        let lens = reader.take::<u32>(points.len());
        let total = lens.clone().map(|len| len as usize).sum::<usize>();
        let (places, squares) = (reader.take::<u32>(total), reader.take::<T>(total));
        let most = entries.len() + total;
        reserve_keeping(&mut entries, most, WHAT)?;
        let owners = points
            .iter()
            .zip(lens)
            .flat_map(|(&row, len)| std::iter::repeat_n(row, len as usize));
        entries.extend(owners.zip(places).zip(squares).map(|((row, place), square)| Entry {
            row,
            square,
            id: ids[first + place as usize],
            number: (owned + first + place as usize) as i32 + own.base,
        }));
    }
    entries.sort_unstable_by(|a, b| {
        a.row
            .cmp(&b.row)
            .then_with(|| by_distance((a.square, a.id), (b.square, b.id)))
    });
    for foreign in entries.chunk_by(|a, b| a.row == b.row) {
        merge_row(own, rows, foreign);
    }
    let coords = T::hold(coords);
    Ok(Arrival { ids, ranks, coords })
}

/// Merges neighbors on other ranks, in order, into their row.
fn merge_row<T: Precision>(own: &Own<T>, rows: &mut Rows<T>, foreign: &[Entry<T>]) {
    let (row, k) = (foreign[0].row as usize, rows.k);
    let mut left = rows.counts[row] as usize;
    let count = k.min(left + foreign.len());
    let at = row * k..row * k + count;
    let (ids, squares) = (&mut rows.ids[at.clone()], &mut rows.squares[at]);
    // The others among the first `count`, and then from the back on, so that nothing is written over.
    let is_own = |mine_of: &[i32], squares: &[T], mine: usize, other: &Entry<T>| {
        let id = own.ids[(mine_of[mine] - own.base) as usize];
        by_distance((squares[mine], id), (other.square, other.id)).is_lt()
    };
    let (mut mine, mut others) = (0, 0);
    while mine + others < count {
        match others == foreign.len() || mine < left && is_own(ids, squares, mine, &foreign[others]) {
            true => mine += 1,
            false => others += 1,
        }
    }
    left = mine;
    for at in (0..count).rev() {
        if others == 0 {
            break;
        }
        if left > 0 && !is_own(ids, squares, left - 1, &foreign[others - 1]) {
            left -= 1;
            (ids[at], squares[at]) = (ids[left], squares[left]);
        } else {
            others -= 1;
            (ids[at], squares[at]) = (foreign[others].number, foreign[others].square);
        }
    }
    rows.counts[row] = count as i32;
}
