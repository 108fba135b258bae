//! Values of contacts, carried from one list to another.

use neargrid::capi::carry::*;

use super::super::carried::Contacts;
use super::super::sums::values;
use super::*;

impl Run {
    /// The rows of a list by the numbers of points from 0 on, where its index base is that of the handle.
    pub(super) fn contacts(&self, h: usize, which: usize, by_ids: bool, checks: &mut Checks) -> Contacts {
        let slot = &self.lists[which];
        let (offsets, ids) = &slot.rows;
        checks.must(offsets.len() > 1 && offsets[0] != self.model(h).base, BAD_VALUE);
        let place = |offset: i64| (offset - offsets[0]) as usize;
        let row = |ends: &[i64]| {
            let ids = ids[place(ends[0])..place(ends[1])].iter();
            ids.map(|&j| (i64::from(j) - offsets[0]) as usize).collect()
        };
        Contacts {
            rows: offsets.windows(2).map(row).collect(),
            global_ids: Some(slot.global_ids.clone()).filter(|ids| by_ids && !ids.is_empty()),
            ghosts: Vec::new(),
        }
    }

    /// The arrays of a list; with an element more, where another index base would have one.
    pub(super) fn rows_of_list(&mut self, which: usize) -> (i64, In<i64>, In<i32>) {
        let (offsets, mut ids) = self.lists[which].rows.clone();
        ids.push(offsets[0] as i32);
        let n = offsets.len() as i64 - 1;
        (n, self.arena.read(&offsets, n == 0), self.arena.read(&ids, n == 0))
    }

    pub(super) fn carry(&mut self, h: usize, call: &Call) -> Checked {
        let &Call::Carry {
            lists,
            by_ids,
            columns,
            signs,
            single,
            seed,
            nulls,
        } = call
        else {
            return Ok(());
        };
        let mut checks = Checks::default();
        checks.must(h == 2, NULL_POINTER);
        checks.must(columns < 0, BAD_COUNT);
        let count = columns.max(0) as usize;
        let [old, new] = [0, 1].map(|k| self.contacts(h, lists[k], by_ids[k], &mut checks));
        old.check(&mut checks);
        new.check(&mut checks);
        let both = [&old, &new].map(|contacts| contacts.global_ids.is_some());
        checks.must(both[0] != both[1], BAD_VALUE);
        let sign = |k: usize| if signs >> (k % 8) & 1 == 0 { 1 } else { -1 };
        let mut given: Vec<i32> = (0..count).map(sign).collect();
        if signs == 0xff {
            given.iter_mut().take(1).for_each(|sign| *sign = 2);
            checks.must(count > 0 && nulls & 1 == 0, BAD_VALUE);
        }
        let [old_entries, entries] = [&old, &new].map(|contacts| contacts.rows.iter().map(Vec::len).sum::<usize>());
        let is_null = |k: u32| nulls >> k & 1 != 0;
        checks.must(is_null(1) && old_entries * count > 0, NULL_POINTER);
        checks.must(is_null(2) && entries * count > 0, NULL_POINTER);
        let all = values(seed, old_entries * count, single);
        let want = checks.answer(|| {
            let value = |(at, turned): (usize, bool), k: usize| match turned && !is_null(0) && given[k] == -1 {
                true => -all[at * count + k],
                false => all[at * count + k],
            };
            let found = new.found_in(&old, true);
            let values =
                (found.iter()).flat_map(|found| (0..count).map(|k| found.map_or(0.0, |found| value(found, k))));
            let lost = old.found_in(&new, true);
            let lost = (lost.iter().enumerate()).filter(|(_, found)| found.is_none());
            let base = self.model(h).base;
            (
                values.collect::<Vec<f64>>(),
                lost.map(|(at, _)| at as i64 + base).collect::<Vec<i64>>(),
            )
        });
        let parts = Parts {
            lists: lists.map(|list| self.rows_of_list(list)),
            global_ids: [&old, &new]
                .map(|contacts| contacts.global_ids.clone())
                .map(|ids| self.ids_of(ids)),
            columns,
            signs: self.arena.read(&given, is_null(0)),
            nlost: self.arena.write::<i64>(1, is_null(3)),
            lost: self.arena.write::<i64>(old_entries, is_null(4)),
        };
        let base = self.model(h).base;
        let found = if single {
            let values = self.arena.read(&f32::all(&all), is_null(1));
            let out = self.arena.write::<f32>(entries * count, is_null(2));
            let status = parts.carry_f32(self, h, base, &values, &out);
            (status, out.values().into_iter().map(f64::from).collect::<Vec<f64>>())
        } else {
            let values = self.arena.read(&all, is_null(1));
            let out = self.arena.write::<f64>(entries * count, is_null(2));
            let status = parts.carry_f64(self, h, base, &values, &out);
            (status, out.values())
        };
        let Some((wanted, lost)) = self.judge(found.0, want, None)? else {
            return Ok(());
        };
        same("carried values", &found.1, &wanted[..found.1.len()])?;
        if !is_null(3) {
            same(
                "the number of lost entries",
                &parts.nlost.values(),
                &[lost.len() as i64],
            )?;
        }
        match is_null(4) {
            true => Ok(()),
            false => {
                same("lost entries", &parts.lost.values()[..lost.len()], &lost)?;
                let is_kept = parts.lost.is_untouched_from(lost.len());
                is_kept
                    .then_some(())
                    .ok_or("lost behind the result was written".to_owned())
            }
        }
    }

    /// The number of global ids, and their array.
    fn ids_of(&mut self, ids: Option<Vec<i64>>) -> (i64, In<i64>) {
        match ids {
            Some(ids) => (ids.len() as i64, self.arena.read(&ids, false)),
            None => (-7, In::null()),
        }
    }
}

/// All arguments but values.
struct Parts {
    lists: [(i64, In<i64>, In<i32>); 2],
    global_ids: [(i64, In<i64>); 2],
    columns: i64,
    signs: In<i32>,
    nlost: Out<i64>,
    lost: Out<i64>,
}

macro_rules! carry {
    ($method:ident, $type:ident, $name:ident) => {
        impl Parts {
            fn $method(&self, run: &mut Run, h: usize, base: i64, old_values: &In<$type>, values: &Out<$type>) -> i32 {
                let ([(old_n, old_offsets, old_ids), (n, offsets, ids)], columns) = (&self.lists, self.columns);
                let [(old_npoints, old_global_ids), (npoints, global_ids)] = &self.global_ids;
                let (signs, nlost, lost) = (&self.signs, &self.nlost, &self.lost);
                call!(
                    run,
                    h,
                    $name(
                        base,
                        *old_n,
                        *old_offsets,
                        *old_ids,
                        *old_npoints,
                        *old_global_ids,
                        base,
                        *n,
                        *offsets,
                        *ids,
                        *npoints,
                        *global_ids,
                        columns,
                        *signs,
                        *old_values,
                        *values,
                        *nlost,
                        *lost
                    )
                )
            }
        }
    };
}
carry!(carry_f32, f32, neargrid_carry_f32);
carry!(carry_f64, f64, neargrid_carry_f64);
