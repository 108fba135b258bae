//! Pairs and rows: counted, copied, viewed, and the distances of pairs.

use neargrid::capi::{neighbors::*, pairs::*};

use super::super::call::{Capacity, What};
use super::precision::Precise;
use super::rows::{Rows, entries, named, same, same_bits};
use super::team::{Out, Room, Told};
use super::*;

impl World {
    pub(super) fn count(&mut self, h: usize, what: What, null: bool) -> Result<Played, String> {
        let kind = self.hands[h].model.kind(what);
        let mut checks = self.check_rows(h, kind, false);
        let wanted = self.dealt(h, kind.unwrap_or(Kind::Full), &checks);
        let nulls = self.nulls(null.into());
        checks.must(nulls.contains(&1), NULL_POINTER);
        let found = self.search(h, kind.unwrap_or(Kind::Full), checks, |seat| {
            let (mut total, null) = (Room::<i64>::new(1), nulls[seat.rank] == 1);
            // SAFETY: a handle of ours, and a place for a number.
            let status = unsafe {
                match what {
                    What::Pairs => neargrid_pairs_count(seat.searches[h].cast(), total.at(null)),
                    What::Rows(kind) => neargrid_neighbors_count(seat.searches[h].cast(), kind, total.at(null)),
                }
            };
            Told::of(status, &[&total], || total.first())
        })?;
        if let Some(found) = found {
            let wanted_counts: Vec<i64> = wanted.iter().map(|rows| entries(rows)).collect();
            same("the counts of ranks", &found, &wanted_counts)?;
            self.check_entries(h, &wanted)?;
        }
        Ok(Played::Done)
    }

    pub(super) fn copy(&mut self, h: usize, what: What, capacity: Capacity, nulls: u8) -> Result<Played, String> {
        let kind = self.hands[h].model.kind(what);
        let mut checks = self.check_rows(h, kind, false);
        let asked = kind.unwrap_or(Kind::Full);
        let (wanted, mine, is_pairs) = (self.dealt(h, asked, &checks), self.mine(h, asked), what == What::Pairs);
        let odd = self.odd;
        let room = |rank: usize| {
            let need = entries(&wanted[rank]);
            match capacity {
                Capacity::More(more) => need + more,
                _ if odd.is_some_and(|odd| odd != rank) => need,
                Capacity::Less(less) => (need - less).max(0),
                Capacity::Is(capacity) => capacity,
            }
        };
        let rooms: Vec<i64> = (0..self.team.ranks()).map(room).collect();
        let nulls = self.nulls(nulls & 1);
        checks.must(nulls.contains(&1), NULL_POINTER);
        checks.must(rooms.iter().any(|&room| room < 0), BAD_COUNT);
        let too_small = (0..rooms.len()).any(|rank| rooms[rank] < entries(&wanted[rank]));
        checks.must(too_small && !checks.is_refused(), CAPACITY);
        let found = self.search(h, asked, checks, |seat| {
            let (room, null) = (rooms[seat.rank], nulls[seat.rank] == 1);
            let (len, n) = (room.clamp(0, 1 << 20) as usize, mine[seat.rank].len());
            let (mut total, mut ids) = (Room::<i64>::new(1), Room::<i32>::new(len));
            let (mut left, mut offsets) = (Room::<i32>::new(len), Room::<i64>::new(n + 1));
            let search = seat.searches[h].cast();
            // SAFETY: arrays that are as long as the call says.
            let status = unsafe {
                match what {
                    What::Pairs => neargrid_pairs_copy(search, room, total.at(null), left.at(false), ids.at(false)),
                    What::Rows(kind) => {
                        let (offsets, ids) = (offsets.at(false), ids.at(false));
                        neargrid_neighbors_copy(search, kind, n as i64, room, total.at(null), offsets, ids)
                    }
                }
            };
            let need = entries(&wanted[seat.rank]);
            let is_told = status == CAPACITY && total.first() == need;
            let is_clean = status == OK || is_told || total.is_untouched();
            let told = Told::of(status, &[&left, &offsets, &ids], || {
                let front = need as usize;
                let behind = ids.is_untouched_from(front) && (!is_pairs || left.is_untouched_from(front));
                (
                    total.first(),
                    left.values()[..front].to_vec(),
                    offsets.values().to_vec(),
                    ids.values()[..front].to_vec(),
                    behind,
                )
            });
            told.and(is_clean)
        })?;
        let Some(found) = found else { return Ok(Played::Done) };
        let totals: Vec<i64> = found.iter().map(|found| found.0).collect();
        let needs: Vec<i64> = wanted.iter().map(|rows| entries(rows)).collect();
        same("the totals of ranks", &totals, &needs)?;
        if found.iter().any(|found| !found.4) {
            return Err("an array behind the result was written".to_owned());
        }
        self.check_entries(h, &wanted)?;
        let names = self.names_for(h, asked)?;
        if is_pairs {
            let pairs: Vec<_> = found.into_iter().map(|(_, left, _, ids, _)| [left, ids]).collect();
            return self
                .compare_pairs(h, &pairs, names.as_ref(), &wanted)
                .map(|()| Played::Done);
        }
        let rows: Vec<Rows> = found
            .into_iter()
            .map(|(_, _, offsets, ids, _)| Rows { offsets, ids })
            .collect();
        self.compare(h, &rows, names.as_ref(), &wanted)?;
        Ok(Played::Done)
    }

    pub(super) fn view(&mut self, h: usize, what: What, nulls: u8) -> Result<Played, String> {
        let kind = self.hands[h].model.kind(what);
        let mut checks = self.check_rows(h, kind, false);
        let asked = kind.unwrap_or(Kind::Full);
        let wanted = self.dealt(h, asked, &checks);
        let nulls = self.nulls(nulls & if what == What::Pairs { 7 } else { 15 });
        checks.must(nulls.iter().any(|&null| null != 0), NULL_POINTER);
        let found = self.search(h, asked, checks, |seat| {
            let is_null = |k: u32| nulls[seat.rank] >> k & 1 == 1;
            let (mut n, mut total) = (Room::<i64>::new(1), Room::<i64>::new(1));
            let (mut first, mut ids) = (Room::<usize>::new(1), Room::<usize>::new(1));
            let search = seat.searches[h].cast();
            // SAFETY: places for numbers and pointers; then as many elements as was told.
            unsafe {
                let status = match what {
                    What::Pairs => neargrid_pairs_view(
                        search,
                        total.at(is_null(0)),
                        first.pointer(is_null(1)),
                        ids.pointer(is_null(2)),
                    ),
                    What::Rows(kind) => {
                        let (n, total) = (n.at(is_null(3)), total.at(is_null(0)));
                        neargrid_neighbors_view(
                            search,
                            kind,
                            n,
                            total,
                            first.pointer(is_null(1)),
                            ids.pointer(is_null(2)),
                        )
                    }
                };
                Told::of(status, &[&n, &total, &first, &ids], || {
                    let len = total.first() as usize;
                    match what {
                        What::Pairs => (Vec::new(), first.lent::<i32>(len), ids.lent::<i32>(len)),
                        What::Rows(_) => (
                            first.lent::<i64>(n.first() as usize + 1),
                            Vec::new(),
                            ids.lent::<i32>(len),
                        ),
                    }
                })
            }
        })?;
        let Some(found) = found else { return Ok(Played::Done) };
        self.check_entries(h, &wanted)?;
        let names = self.names_for(h, asked)?;
        if what == What::Pairs {
            let pairs: Vec<_> = found.into_iter().map(|(_, left, ids)| [left, ids]).collect();
            self.compare_pairs(h, &pairs, names.as_ref(), &wanted)?;
            return self.distances(h, &pairs, names.as_ref()).map(|()| Played::Done);
        }
        let rows: Vec<Rows> = found
            .into_iter()
            .map(|(offsets, _, ids)| Rows { offsets, ids })
            .collect();
        self.compare(h, &rows, names.as_ref(), &wanted)?;
        Ok(Played::Done)
    }

    /// Distances and displacements of the pairs of ranks.
    fn distances(&mut self, h: usize, pairs: &[[Vec<i32>; 2]], names: Option<&Vec<Vec<usize>>>) -> Checked {
        match (names, self.hands[h].model.single) {
            (None, _) => Ok(()),
            (Some(names), true) => self.distances_in::<f32>(h, pairs, names),
            (Some(names), false) => self.distances_in::<f64>(h, pairs, names),
        }
    }

    fn distances_in<T: Precise>(&mut self, h: usize, pairs: &[[Vec<i32>; 2]], names: &[Vec<usize>]) -> Checked {
        let dim = self.hands[h].model.dim.unwrap_or(1);
        let found = self.team.alone("distances", |seat| {
            let [i, j] = &pairs[seat.rank];
            let (mut distances, mut displacements) = (Room::<T>::new(i.len()), Room::<T>::new(i.len() * dim));
            let out = (distances.at(false), displacements.at(false));
            // SAFETY: as many pairs, and room for them.
            let status = unsafe { T::distances(seat.searches[h], i.len() as i64, (i.as_ptr(), j.as_ptr()), out) };
            Told::of(status, &[], || {
                [distances.values().to_vec(), displacements.values().to_vec()]
            })
        })?;
        let model = &self.hands[h].model;
        for (rank, ([i, j], found)) in pairs.iter().zip(found).enumerate() {
            let both = [i, j].map(|side| named(side, model.base, &names[rank]));
            let [i, j] = both;
            let pairs: Vec<(usize, usize)> = i?.into_iter().zip(j?).collect();
            for (of, found) in found.into_iter().enumerate() {
                let wanted = T::all(&model.quantities(of == 1, &pairs));
                same_bits(&format!("distances on rank {rank}"), &found, &wanted)?;
            }
        }
        Ok(())
    }
}
