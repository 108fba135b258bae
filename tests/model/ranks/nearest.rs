//! The k nearest.

use super::super::call::Call;
use super::precision::Precise;
use super::rows::{same, same_bits};
use super::team::{Out, Room, Told};
use super::*;

/// Ids, distances and counts of the rows of a rank.
type Nearest<T> = (Vec<i32>, Vec<T>, Vec<i32>);

impl World {
    pub(super) fn knn(&mut self, h: usize, call: &Call) -> Result<Played, String> {
        match call {
            Call::Knn { single: true, .. } => self.knn_in::<f32>(h, call),
            _ => self.knn_in::<f64>(h, call),
        }
    }

    fn check_knn(&self, h: usize, single: bool, (kind, k, measure): (i32, i32, i32)) -> Checks {
        let (hand, mut checks) = (&self.hands[h], Checks::default());
        let model = &hand.model;
        checks.must(!(0..=2).contains(&kind), BAD_VALUE);
        checks.must(!(0..=2).contains(&measure), BAD_VALUE);
        checks.must(!(1..=1024).contains(&k), BAD_COUNT);
        let is_wrong = model.knn_within > 0.0 && !is_radius(model.single, model.knn_within);
        checks.must(is_wrong, BAD_RADIUS);
        hand.check_ranks(&mut checks);
        checks.must(single != model.single, BAD_VALUE);
        checks.must(kind == 2 && !model.has_queries, BAD_STATE);
        checks.must(model.misfit() && kind != 2, BAD_COUNT);
        checks.may(model.misfit(), BAD_COUNT);
        checks.may(model.misfit(), NOT_SUPPORTED);
        checks.must(model.cell.is_some(), NOT_SUPPORTED);
        let are_first = |mine: &Vec<usize>| mine.is_sorted_by_key(|&i| !model.is_active(i));
        let are_mixed = !model.misfit() && !hand.deal.mine.iter().all(are_first);
        checks.must(model.have_absent() || kind != 2 && are_mixed, NOT_SUPPORTED);
        checks
    }

    fn knn_in<T: Precise>(&mut self, h: usize, call: &Call) -> Result<Played, String> {
        let &Call::Knn {
            single,
            view,
            kind,
            k,
            measure,
            off,
            nulls,
        } = call
        else {
            return Ok(Played::Done);
        };
        let mut checks = self.check_knn(h, single, (kind, k, measure));
        let hand = &self.hands[h];
        let rows: Vec<Vec<usize>> = match kind {
            2 => hand.queries.mine.clone(),
            _ => {
                let active = |mine: &Vec<usize>| mine.iter().copied().filter(|&i| hand.model.is_active(i)).collect();
                hand.deal.mine.iter().map(active).collect()
            }
        };
        let (off, nulls) = (off.clamp(-1, 1), self.nulls(nulls & 15));
        let wrong = |rank: usize| if self.odd.is_none_or(|odd| odd == rank) { off } else { 0 };
        let rooms: Vec<i64> = rows
            .iter()
            .enumerate()
            .map(|(rank, rows)| rows.len() as i64 + wrong(rank))
            .collect();
        let is_null = |(nulls, rows): (&u8, &Vec<usize>)| match view {
            true => *nulls != 0,
            false => nulls & 8 != 0 || nulls & 1 != 0 && !rows.is_empty(),
        };
        checks.must(nulls.iter().zip(&rows).any(is_null), NULL_POINTER);
        checks.must(!view && rooms.iter().any(|&room| room < 0), BAD_COUNT);
        let is_less = |(room, rows): (&i64, &Vec<usize>)| (0..rows.len() as i64).contains(room);
        checks.must(!view && rooms.iter().zip(&rows).any(is_less), CAPACITY);
        let width = k.clamp(0, 1024) as usize;
        let told = self.team.together(&checks.clone().answer(|| ()), |seat| {
            let (nulls, count) = (nulls[seat.rank], rows[seat.rank].len());
            let is_null = |bit: u32| nulls >> bit & 1 == 1;
            let (search, mut n) = (seat.searches[h], Room::<i64>::new(1));
            if view {
                let [mut ids, mut distances, mut counts] = [(); 3].map(|()| Room::<usize>::new(1));
                let out = (
                    ids.pointer(is_null(0)),
                    distances.pointer(is_null(1)),
                    counts.pointer(is_null(2)),
                );
                // SAFETY: places for a number and pointers; then as many elements as was told.
                return unsafe {
                    let status = T::knn_view(search, (kind, k, measure), n.at(is_null(3)), out);
                    Told::of(status, &[&n, &ids, &distances, &counts], || {
                        let (rows, len) = (n.first() as usize, n.first() as usize * width);
                        (
                            n.first(),
                            (ids.lent::<i32>(len), distances.lent::<T>(len), counts.lent::<i32>(rows)),
                        )
                    })
                };
            }
            let (mut ids, mut counts) = (Room::<i32>::new(count * width), Room::<i32>::new(count));
            let mut distances = Room::<T>::new(count * width);
            let out = (ids.at(is_null(0)), distances.at(is_null(1)), counts.at(is_null(2)));
            // SAFETY: room for all rows, unless it is refused.
            let status = unsafe { T::knn(search, (kind, k, measure), rooms[seat.rank], n.at(is_null(3)), out) };
            let is_told = status == CAPACITY && n.first() == count as i64;
            let is_clean = status == OK || is_told || n.is_untouched();
            let told = Told::of(status, &[&ids, &distances, &counts], || {
                let part = |null: bool, len: usize| if null { 0 } else { len };
                let len = count * width;
                let ids = ids.values()[..part(is_null(0), len)].to_vec();
                let distances = distances.values()[..part(is_null(1), len)].to_vec();
                (
                    n.first(),
                    (ids, distances, counts.values()[..part(is_null(2), count)].to_vec()),
                )
            });
            told.and(is_clean)
        })?;
        let Ok(found) = told else {
            return Ok(Played::Done);
        };
        let wanted: Vec<i64> = rows.iter().map(|rows| rows.len() as i64).collect();
        same(
            "the rows of ranks",
            &found.iter().map(|found| found.0).collect::<Vec<_>>(),
            &wanted,
        )?;
        let found: Vec<Nearest<T>> = found.into_iter().map(|found| found.1).collect();
        self.compare_nearest(h, (kind, width, measure), &rows, &found)?;
        Ok(Played::Done)
    }

    fn compare_nearest<T: Precise>(
        &mut self,
        h: usize,
        (kind, k, measure): (i32, usize, i32),
        rows: &[Vec<usize>],
        found: &[Nearest<T>],
    ) -> Checked {
        let dim = self.hands[h].model.dim.unwrap_or(1);
        let ghosts = self.team.alone("ghosts of the nearest", |seat| {
            let mut n = Room::<i64>::new(1);
            let [mut ids, mut ranks, mut x] = [(); 3].map(|()| Room::<usize>::new(1));
            let out = (ids.pointer(false), ranks.pointer(false), x.pointer(false));
            // SAFETY: places for a number and pointers; then as many elements as was told.
            unsafe {
                let status = T::knn_ghosts(seat.searches[h], n.at(false), out);
                Told::of(status, &[], || {
                    let n = n.first() as usize;
                    (ids.lent::<i64>(n), ranks.lent::<i32>(n), x.lent::<T>(n * dim))
                })
            }
        })?;
        let names = self.check_ghosts(h, &ghosts, false)?;
        let truth = self.hands[h].truth();
        // All points have rows in the model: those that are no ghosts are asked for by their numbers.
        let all = Model {
            active: None,
            roles: Vec::new(),
            base: 0,
            ..truth.clone()
        };
        let (ids, distances, counts) = all.knn(kind, k, measure);
        for (rank, (rows, (found_ids, found_distances, found_counts))) in rows.iter().zip(found).enumerate() {
            let part = |len: usize, width: usize| (0..len / width.max(1)).zip(rows);
            for (at, &row) in part(found_counts.len(), 1) {
                same(&format!("counts on rank {rank}"), &[found_counts[at]], &[counts[row]])?;
            }
            for (at, &row) in part(found_distances.len(), k) {
                let wanted = T::all(&distances[row * k..(row + 1) * k]);
                same_bits(
                    &format!("distances on rank {rank}"),
                    &found_distances[at * k..(at + 1) * k],
                    &wanted,
                )?;
            }
            for (at, &row) in part(found_ids.len(), k) {
                let name = |&id: &i32| match i64::from(id) - truth.base {
                    -1 => -1,
                    id => names[rank].get(id as usize).map_or(-2, |&name| name as i32),
                };
                let found: Vec<i32> = found_ids[at * k..(at + 1) * k].iter().map(name).collect();
                same(
                    &format!("ids of the nearest on rank {rank}"),
                    &found,
                    &ids[row * k..(row + 1) * k],
                )?;
            }
        }
        Ok(())
    }
}
