//! Pair fields, which ranks set and get by global ids.

use std::collections::HashMap;

use super::super::call::Call;
use super::super::carried::Contacts;
use super::super::pairs::{PAIR_FIELDS, PairField};
use super::super::sums::values;
use super::precision::Precise;
use super::rows::{same, same_bits};
use super::team::{Room, Told};
use super::*;

impl World {
    /// Gives a pair field values for the full rows as they are.
    pub(super) fn set_pair_field(&mut self, h: usize, call: &Call) -> Result<Played, String> {
        let &Call::PairFieldSet {
            name,
            single,
            components,
            seed,
            ..
        } = call
        else {
            return Ok(Played::Done);
        };
        let mut checks = self.check_rows(h, Some(Kind::Full), false);
        if checks.is_refused() || self.hands[h].model.limit > 0 {
            return Ok(Played::Skipped("there are no rows to give values"));
        }
        checks.must(!(1..=3).contains(&components), BAD_DIM);
        let truth = self.hands[h].truth();
        let rows = truth.rows(Kind::Full);
        let width = components.clamp(1, 3) as usize;
        let contacts = Contacts {
            ghosts: truth.ghosts(),
            global_ids: Some(truth.ids.clone()),
            rows,
        };
        let entries = contacts.rows.iter().map(Vec::len).sum::<usize>();
        let field = PairField::new(width, single, contacts, values(seed, entries * width, single));
        let is_done = match single {
            true => self.give_pairs::<f32>(h, name, components, checks, &field)?,
            false => self.give_pairs::<f64>(h, name, components, checks, &field)?,
        };
        self.changed(h);
        if is_done {
            self.hands[h].model.pair_fields.insert(name, field);
        }
        Ok(Played::Done)
    }

    fn give_pairs<T: Precise>(
        &mut self,
        h: usize,
        name: usize,
        components: i32,
        checks: Checks,
        field: &PairField,
    ) -> Result<bool, String> {
        let parts = self.parts_of_pairs(h, field);
        let told = self.team.together(&checks.answer(|| ()), |seat| {
            let (offsets, ids, values) = &parts[seat.rank];
            let (sizes, values) = ((components, offsets.len() as i64 - 1), T::all(values));
            let of = (offsets.as_ptr(), ids.as_ptr());
            // SAFETY: rows of ids, and as many values.
            let status = unsafe { T::set_pairs(seat.searches[h], PAIR_FIELDS[name], sizes, of, values.as_ptr()) };
            Told::of(status, &[], || ())
        })?;
        Ok(told.is_ok())
    }

    /// The rows of each rank's points by global ids, each in their order: offsets, ids and values.
    fn parts_of_pairs(&self, h: usize, field: &PairField) -> Vec<(Vec<i64>, Vec<i64>, Vec<f64>)> {
        let (hand, rows) = (&self.hands[h], &field.contacts.rows);
        let ids = field.contacts.global_ids.clone().unwrap_or_default();
        let starts: Vec<usize> = (rows.iter())
            .scan(0, |end, row| Some(std::mem::replace(end, *end + row.len())))
            .collect();
        // Points may have other numbers than when the rows were made, and some are new.
        let (row_of, now): (HashMap<i64, usize>, _) =
            (ids.iter().copied().zip(0..rows.len()).collect(), hand.numbers());
        let part = |mine: &Vec<usize>| {
            let (mut offsets, mut partners, mut values) = (vec![hand.model.base], Vec::new(), Vec::new());
            for &i in mine {
                let entries = row_of
                    .get(&now[i])
                    .map(|&i| rows[i].iter().map(|&j| ids[j]).zip(starts[i]..));
                let mut row: Vec<_> = entries.into_iter().flatten().collect();
                row.sort_unstable();
                for (id, at) in row {
                    partners.push(id);
                    values.extend_from_slice(&field.values[at * field.components..(at + 1) * field.components]);
                }
                offsets.push(hand.model.base + partners.len() as i64);
            }
            (offsets, partners, values)
        };
        hand.deal.mine.iter().map(part).collect()
    }

    pub(super) fn get_pair_fields(&mut self, h: usize) -> Result<Played, String> {
        self.check_pair_fields(h)?;
        Ok(Played::Done)
    }

    /// The rows of all pair fields, where ranks have those of their points.
    pub(super) fn check_pair_fields(&mut self, h: usize) -> Checked {
        if self.hands[h].are_pairs_elsewhere {
            return Ok(());
        }
        for name in 0..PAIR_FIELDS.len() {
            let Some(field) = self.hands[h].model.pair_fields.get(&name).cloned() else {
                continue;
            };
            match field.single {
                true => self.check_pairs::<f32>(h, name, &field)?,
                false => self.check_pairs::<f64>(h, name, &field)?,
            }
        }
        Ok(())
    }

    fn check_pairs<T: Precise>(&mut self, h: usize, name: usize, field: &PairField) -> Checked {
        let (parts, width) = (self.parts_of_pairs(h, field), field.components);
        let found = self
            .team
            .alone(&format!("pair field {:?}", PAIR_FIELDS[name]), |seat| {
                let (rows, ids, values) = &parts[seat.rank];
                let (mut offsets, mut partners) = (Room::<i64>::new(rows.len()), Room::<i64>::new(ids.len()));
                let mut x = Room::<T>::new(values.len());
                let sizes = (width as i32, rows.len() as i64 - 1, ids.len() as i64);
                let to = (offsets.at(false), partners.at(false));
                // SAFETY: room for all rows, unless their number is another.
                let status = unsafe { T::pairs(seat.searches[h], PAIR_FIELDS[name], sizes, to, x.at(false)) };
                Told::of(status, &[], || {
                    (
                        offsets.values().to_vec(),
                        partners.values().to_vec(),
                        x.values().to_vec(),
                    )
                })
            })?;
        for (rank, ((rows, ids, values), found)) in parts.iter().zip(found).enumerate() {
            let what = |of: &str| format!("{of} of pair field {:?} on rank {rank}", PAIR_FIELDS[name]);
            same(&what("offsets"), &found.0, rows)?;
            same(&what("ids"), &found.1, ids)?;
            same_bits(&what("values"), &found.2, &T::all(values))?;
        }
        Ok(())
    }
}
