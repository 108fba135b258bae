//! Rows that ranks take into lists, and rows in chunks.

use neargrid::capi::{chunks::*, list::*};

use super::rows::{Chunks, Rows, entries, named, same};
use super::team::{Room, Told};
use super::*;

impl World {
    pub(super) fn take(&mut self, h: usize, list: usize, kind: i32, null: bool) -> Result<Played, String> {
        let asked = kind_of(kind);
        let mut checks = self.check_rows(h, asked, false);
        let wanted = self.dealt(h, asked.unwrap_or(Kind::Full), &checks);
        let nulls = self.nulls(null.into());
        checks.must(nulls.contains(&1), NULL_POINTER);
        let found = self.search(h, asked.unwrap_or(Kind::Full), checks, |seat| {
            let place = match nulls[seat.rank] {
                1 => std::ptr::null_mut(),
                _ => &raw mut seat.lists[list],
            };
            // SAFETY: a handle of ours, and the place of a list.
            let status = unsafe { neargrid_neighbors_take(seat.searches[h].cast(), kind, place) };
            Told::of(status, &[], || ())
        })?;
        if found.is_some() {
            let rows = self.rows_of_list(list)?;
            let names = self.names_for(h, asked.unwrap_or(Kind::Full))?;
            self.compare(h, &rows, names.as_ref(), &wanted)?;
            self.lists[list] = rows;
        }
        self.view_list(list)
    }

    /// The rows that a list of each rank has.
    pub(super) fn rows_of_list(&mut self, list: usize) -> Result<Vec<Rows>, String> {
        self.team.alone("a list", |seat| {
            let (mut n, mut total) = (Room::<i64>::new(1), Room::<i64>::new(1));
            let (mut offsets, mut ids) = (Room::<usize>::new(1), Room::<usize>::new(1));
            let raw = seat.lists[list].cast_const();
            if raw.is_null() {
                return Told::of(OK, &[], Rows::default);
            }
            // SAFETY: a list, and places; then as many elements as was told.
            unsafe {
                let (places, lent) = (
                    (n.at(false), total.at(false)),
                    (offsets.pointer(false), ids.pointer(false)),
                );
                let status = neargrid_list_view(raw, places.0, places.1, lent.0, lent.1);
                Told::of(status, &[], || Rows {
                    offsets: offsets.lent(n.first() as usize + 1),
                    ids: ids.lent(total.first() as usize),
                })
            }
        })
    }

    /// A list has the rows that it took.
    pub(super) fn view_list(&mut self, list: usize) -> Result<Played, String> {
        let rows = self.rows_of_list(list)?;
        let none = vec![Rows::default(); rows.len()];
        let taken = if self.lists[list].is_empty() {
            &none
        } else {
            &self.lists[list]
        };
        match rows == *taken {
            true => Ok(Played::Done),
            false => Err("a list has other rows than it took".to_owned()),
        }
    }

    pub(super) fn destroy_list(&mut self, list: usize) -> Result<Played, String> {
        self.lists[list].clear();
        self.team.each(|seat| {
            let raw = std::mem::replace(&mut seat.lists[list], std::ptr::null_mut());
            // SAFETY: made by the library or NULL, and not used again.
            unsafe { neargrid_list_destroy(raw) };
        });
        Ok(Played::Done)
    }

    pub(super) fn chunks_begin(&mut self, h: usize, kind: i32, max_entries: i64, null: bool) -> Result<Played, String> {
        let asked = kind_of(kind);
        let mut checks = self.check_rows(h, asked, true);
        checks.must(max_entries < 1, BAD_COUNT);
        let wanted = self.dealt(h, asked.unwrap_or(Kind::Full), &checks);
        let longest = wanted.iter().flatten().map(Vec::len).max().unwrap_or(0);
        checks.must(longest as i64 > max_entries && !checks.is_refused(), CAPACITY);
        // To ask for ghosts later might end the chunks.
        let names = match (checks.is_refused(), asked, self.team.fault.take()) {
            (false, Some(kind), fault) if kind != Kind::Queries => {
                let names = self.names_for(h, kind)?;
                self.team.fault = fault;
                names
            }
            _ => None,
        };
        let nulls = self.nulls(null.into());
        checks.must(nulls.contains(&1), NULL_POINTER);
        let found = self.search(h, asked.unwrap_or(Kind::Full), checks, |seat| {
            let mut total = Room::<i64>::new(1);
            let place = total.at(nulls[seat.rank] == 1);
            // SAFETY: a handle of ours, and a place for a number.
            let status = unsafe { neargrid_chunks_begin(seat.searches[h].cast(), kind, max_entries, place) };
            Told::of(status, &[&total], || total.first())
        })?;
        let (Some(found), Some(kind)) = (found, asked) else {
            return Ok(Played::Done);
        };
        let needs: Vec<i64> = wanted.iter().map(|rows| entries(rows)).collect();
        same("the entries of all chunks", &found, &needs)?;
        self.hands[h].chunks = Some(Chunks {
            kind,
            next: vec![0; wanted.len()],
            rows: wanted,
            max_entries,
            pairs: None,
            names,
        });
        Ok(Played::Done)
    }

    /// Each rank asks for its own next chunk.
    pub(super) fn chunks_next(&mut self, h: usize, pairs: bool) -> Result<Played, String> {
        let Some(mut chunks) = self.hands[h].chunks.take() else {
            return Ok(Played::Skipped("no chunks are left, or something has changed"));
        };
        // Pairs come in the order of ids, which may be another than that of rows.
        let pairs = chunks
            .pairs
            .unwrap_or(pairs && chunks.kind != Kind::Queries && self.hands[h].model.ids.is_empty());
        if pairs && self.hands[h].deal.mine.iter().any(|mine| !mine.is_sorted()) {
            return Ok(Played::Skipped("chunks of pairs come in another order than rows"));
        }
        let found = self.team.alone("the next chunk", |seat| {
            let (mut first, mut count) = (Room::<i64>::new(1), Room::<i64>::new(1));
            let (mut left, mut ids) = (Room::<usize>::new(1), Room::<usize>::new(1));
            let search = seat.searches[h].cast();
            // SAFETY: places for numbers and pointers; then as many elements as was told.
            unsafe {
                let status = match pairs {
                    true => {
                        neargrid_chunks_next_pairs(search, count.at(false), left.pointer(false), ids.pointer(false))
                    }
                    false => {
                        let (left, ids) = (left.pointer(false), ids.pointer(false));
                        neargrid_chunks_next(search, first.at(false), count.at(false), left, ids)
                    }
                };
                Told::of(status, &[], || match (pairs, count.first()) {
                    (_, 0) => (0, Vec::new(), Vec::new()),
                    (true, n) => (n, Vec::new(), ids.lent::<i32>(n as usize)),
                    (false, n) => {
                        let offsets = left.lent::<i64>(n as usize + 1);
                        let len = offsets[n as usize] - offsets[0];
                        (n, offsets, ids.lent::<i32>(len as usize))
                    }
                })
            }
        })?;
        let base = self.hands[h].model.base;
        for (rank, (count, offsets, ids)) in found.into_iter().enumerate() {
            let rows = &chunks.rows[rank][chunks.next[rank]..];
            let mut room = chunks.max_entries;
            let fits = |row: &&Vec<usize>| {
                room -= row.len() as i64;
                room >= 0
            };
            let rows: Vec<Vec<usize>> = rows.iter().take_while(fits).cloned().collect();
            chunks.next[rank] += rows.len();
            let (total, wanted) = (entries(&rows), if pairs { entries(&rows) } else { rows.len() as i64 });
            same(&format!("the size of a chunk on rank {rank}"), &[count], &[wanted])?;
            if !pairs && count > 0 {
                same(
                    &format!("the offsets of a chunk on rank {rank}"),
                    &[offsets[count as usize] - offsets[0]],
                    &[total],
                )?;
            }
            if let Some(names) = &chunks.names {
                same(
                    &format!("ids of a chunk on rank {rank}"),
                    &named(&ids, base, &names[rank])?,
                    &rows.concat(),
                )?;
            }
        }
        chunks.pairs = Some(pairs);
        let is_over = chunks
            .rows
            .iter()
            .zip(&chunks.next)
            .all(|(rows, next)| rows.len() == *next);
        self.hands[h].chunks = (!is_over).then_some(chunks);
        Ok(Played::Done)
    }
}
