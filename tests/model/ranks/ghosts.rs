//! Ghosts, fields that travel to them, and points that migrate.

use std::collections::HashMap;

use neargrid::capi::{ghosts::*, migration::*, skin::*};

use super::precision::Precise;
use super::rows::{same, same_bits};
use super::team::{Room, Told};
use super::*;

/// Ghosts as a rank has them: ids, ranks and places.
type Ghosts<T> = (Vec<i64>, Vec<i32>, Vec<T>);

impl World {
    /// The points that the numbers of each rank mean: its own, and its ghosts. These are looked at.
    pub(super) fn names(&mut self, h: usize) -> Result<Vec<Vec<usize>>, String> {
        match self.hands[h].model.single {
            true => self.names_in::<f32>(h),
            false => self.names_in::<f64>(h),
        }
    }

    fn names_in<T: Precise>(&mut self, h: usize) -> Result<Vec<Vec<usize>>, String> {
        let before = self.skin_lists(h);
        let dim = self.hands[h].model.dim.unwrap_or(1);
        let found = self.team.together(&Checks::default().answer(|| ()), |seat| {
            let mut n = Room::<i64>::new(1);
            let [mut ids, mut ranks, mut x] = [(); 3].map(|()| Room::<usize>::new(1));
            let out = (ids.pointer(false), ranks.pointer(false), x.pointer(false));
            // SAFETY: places for a number and pointers; then as many elements as was told.
            unsafe {
                let status = T::ghosts(seat.searches[h], n.at(false), out);
                Told::of(status, &[&n, &ids, &ranks, &x], || {
                    let n = n.first() as usize;
                    (ids.lent::<i64>(n), ranks.lent::<i32>(n), x.lent::<T>(n * dim))
                })
            }
        })?;
        if self.skin_lists(h) > before {
            return Err("a list with a skin was made for ghosts".to_owned());
        }
        let found = found.map_err(|status| format!("ghosts: status {status}"))?;
        self.check_ghosts(h, &found, true)
    }

    /// The points that a rank's own numbers and those of ghosts mean.
    pub(super) fn check_ghosts<T: Precise>(
        &self,
        h: usize,
        found: &[Ghosts<T>],
        ascend: bool,
    ) -> Result<Vec<Vec<usize>>, String> {
        let hand = &self.hands[h];
        let (numbers, owners, held) = (hand.numbers(), hand.deal.owners(), hand.model.held());
        let points: HashMap<i64, usize> = numbers.iter().copied().zip(0..).collect();
        let mut place = vec![0; owners.len()];
        for mine in &hand.deal.mine {
            mine.iter().enumerate().for_each(|(k, &point)| place[point] = k);
        }
        let mut names = hand.deal.mine.clone();
        for (rank, (ids, ranks, x)) in found.iter().enumerate() {
            let ghosts: Option<Vec<usize>> = ids.iter().map(|id| points.get(id).copied()).collect();
            let ghosts =
                ghosts.ok_or_else(|| format!("rank {rank} has a ghost of an id that no point has: {ids:?}"))?;
            let owned: Vec<i32> = ghosts.iter().map(|&point| owners[point] as i32).collect();
            same(&format!("the owners of ghosts on rank {rank}"), ranks, &owned)?;
            if owned.contains(&(rank as i32)) {
                return Err(format!("a point of rank {rank} is a ghost there: {ghosts:?}"));
            }
            let order: Vec<_> = ghosts.iter().map(|&point| (owners[point], place[point])).collect();
            if ascend && !order.is_sorted_by(|a, b| a < b) {
                return Err(format!("ghosts of rank {rank} are in another order: {order:?}"));
            }
            let wanted: Vec<f64> = ghosts.iter().flat_map(|&point| held[point].clone()).collect();
            same_bits(&format!("the positions of ghosts on rank {rank}"), x, &T::all(&wanted))?;
            names[rank].extend(ghosts);
        }
        Ok(names)
    }

    /// A question that generated sequences do not have: fields of ghosts, points that migrate, or counters.
    pub(super) fn report(&mut self, h: usize) -> Result<Played, String> {
        match self.draw.below(4) {
            0 => self.migrate(h),
            1 => self.counters(h),
            _ => self.halo(h),
        }
    }

    /// Brings a field to ghosts.
    fn halo(&mut self, h: usize) -> Result<Played, String> {
        let mut checks = match self.hands[h].model.cell {
            Some(_) => self.check_images(h, Some(Kind::Full)),
            None => self.check_rows(h, Some(Kind::Full), false),
        };
        let fault = self.team.fault.take();
        if checks.is_refused() || self.hands[h].model.limit > 0 || self.is_large(h) {
            return Ok(Played::Skipped("there are no rows, and so no ghosts"));
        }
        let names = self.names(h)?;
        self.team.fault = fault;
        let bytes = self.draw.pick(&[1, 3, 8, 24]);
        let value = |point: usize, k: usize| (point * 31 + k * 7) as u8;
        let mine = &self.hands[h].deal.mine;
        let few = self.odd.filter(|_| self.draw.once_in(4));
        checks.must(few.is_some_and(|rank| !mine[rank].is_empty()), BAD_COUNT);
        let few = few.filter(|&rank| !mine[rank].is_empty());
        let found = self.team.together(&checks.answer(|| ()), |seat| {
            let (own, all) = (&mine[seat.rank], &names[seat.rank]);
            let given: Vec<u8> = own
                .iter()
                .flat_map(|&point| (0..bytes).map(move |k| value(point, k)))
                .collect();
            let ghosts = all.len() - own.len();
            let mut came = Room::<u8>::new(ghosts * bytes);
            let n = own.len() as i64 - i64::from(few == Some(seat.rank));
            let (from, to) = (given.as_ptr().cast(), came.at(false).cast());
            // SAFETY: as many elements, and room for those of ghosts.
            let status =
                unsafe { neargrid_halo_exchange(seat.searches[h].cast(), bytes as i64, n, from, ghosts as i64, to) };
            Told::of(status, &[&came], || came.values().to_vec())
        })?;
        for (rank, came) in found.iter().flatten().enumerate() {
            let ghosts = &names[rank][mine[rank].len()..];
            let wanted: Vec<u8> = ghosts
                .iter()
                .flat_map(|&point| (0..bytes).map(move |k| value(point, k)))
                .collect();
            same(&format!("a field of ghosts on rank {rank}"), came, &wanted)?;
        }
        Ok(Played::Done)
    }

    fn counters(&mut self, h: usize) -> Result<Played, String> {
        let hand = &self.hands[h];
        let of = |deal: &Deal| deal.mine.iter().map(|mine| mine.len() as i64).collect::<Vec<_>>();
        let (mut points, mut queries, has_points) = (of(&hand.deal), of(&hand.queries), hand.model.dim.is_some());
        if !has_points {
            // Another box has dropped both.
            points.fill(0);
            queries.fill(0);
        }
        same("the counter of points", &self.counter(h, 0), &points)?;
        same("the counter of queries", &self.counter(h, 13), &queries)?;
        let plans = self.counter(h, 16);
        same("the counter of plans", &plans, &vec![plans[0]; plans.len()])?;
        let shares = self.team.each(|seat| {
            let mut share = Room::<f64>::new(1);
            // SAFETY: a handle of ours, and a place for a number.
            let status = unsafe { neargrid_search_skin_used(seat.searches[h].cast_const().cast(), share.at(false)) };
            (status, share.first().to_bits())
        });
        same("the used part of the skin", &shares, &vec![shares[0]; shares.len()])?;
        Ok(Played::Done)
    }

    fn migrate(&mut self, h: usize) -> Result<Played, String> {
        match (self.hands[h].model.dim, self.hands[h].model.single) {
            (None, _) => Ok(Played::Skipped("no points migrate")),
            (_, true) => self.migrate_in::<f32>(h),
            (_, false) => self.migrate_in::<f64>(h),
        }
    }

    /// Points go where a plan says: equal numbers, in an order that does not hang on who had them. Then ranks set these points.
    fn migrate_in<T: Precise>(&mut self, h: usize) -> Result<Played, String> {
        let hand = &self.hands[h];
        let (model, ranks, mine) = (hand.model.clone(), self.team.ranks(), hand.deal.mine.clone());
        let (n, dim) = (model.n(), model.dim.unwrap_or(1));
        let checks = Checks::default();
        let has_ids = !model.ids.is_empty();
        if has_ids && model.ids.len() != n {
            return Ok(Played::Skipped("ids of other points"));
        }
        let fault = self.team.fault.take();
        let orders: Vec<Option<Vec<usize>>> = [mine.clone(), Deal::new(&mut self.draw, n, ranks).mine]
            .into_iter()
            .map(|mine| {
                let (points, ids) = (&model.points, &model.ids);
                let planned = self.team.together(&checks.clone().answer(|| ()), |seat| {
                    let own = &mine[seat.rank];
                    let x: Vec<T> = own
                        .iter()
                        .flat_map(|&i| &points[i * dim..(i + 1) * dim])
                        .map(|&x| T::of(x))
                        .collect();
                    let ids: Vec<i64> = own.iter().map(|&i| if has_ids { ids[i] } else { 0 }).collect();
                    let ids = if has_ids { ids.as_ptr() } else { std::ptr::null() };
                    let (mut after, sizes) = (Room::<i64>::new(1), (dim as i32, own.len() as i64));
                    // SAFETY: as many coordinates and ids, and a place for a number.
                    let status = unsafe { T::plan(seat.searches[h], sizes, x.as_ptr(), ids, after.at(false)) };
                    Told::of(status, &[&after], || after.first())
                })?;
                let Ok(after) = planned else { return Ok(None) };
                let (least, most) = (n / ranks, n.div_ceil(ranks));
                if after
                    .iter()
                    .any(|&count| !(least as i64..=most as i64).contains(&count))
                {
                    return Err(format!("{n} points migrate to {ranks} ranks: {after:?}"));
                }
                let moved = self.team.together(&Checks::default().answer(|| ()), |seat| {
                    let own: Vec<u64> = mine[seat.rank].iter().map(|&i| i as u64).collect();
                    let mut came = Room::<i64>::new(after[seat.rank] as usize);
                    let (from, to) = (own.as_ptr().cast(), came.at(false).cast());
                    let [before, after] = [own.len() as i64, after[seat.rank]];
                    // SAFETY: as many elements, and room for those that come.
                    let status =
                        unsafe { neargrid_migration_move(seat.searches[h].cast(), 8, before, from, after, to) };
                    Told::of(status, &[&came], || came.values().to_vec())
                })?;
                let moved = moved.map_err(|status| format!("points do not move: status {status}"))?;
                Ok(Some(moved.concat().into_iter().map(|point| point as usize).collect()))
            })
            .collect::<Result<_, String>>()?;
        self.team.fault = fault;
        let [Some(order), Some(other)] = &orders[..] else {
            return Ok(Played::Done);
        };
        let mut sorted = order.clone();
        sorted.sort_unstable();
        same("the points that have migrated", &sorted, &(0..n).collect::<Vec<_>>())?;
        if has_ids && !Model::shared(&model.ids, |_| true) {
            same("points that migrate from elsewhere", other, order)?;
        }
        Ok(Played::Done)
    }
}
