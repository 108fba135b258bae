//! Pair fields that the caller sets and gets.

use neargrid::capi::pair_fields::*;

use super::super::pairs::{PAIR_FIELDS, PairField};
use super::super::sums::values;
use super::*;

impl Run {
    pub(super) fn set_pair_field(&mut self, h: usize, call: &Call) -> Checked {
        let &Call::PairFieldSet {
            name,
            list,
            single,
            components,
            seed,
            nulls,
        } = call
        else {
            return Ok(());
        };
        let mut checks = Checks::default();
        checks.must(h == 2, NULL_POINTER);
        checks.must(!(1..=3).contains(&components), BAD_DIM);
        let mut contacts = self.contacts(h, list, false, &mut checks);
        let ids = &self.model(h).ids;
        contacts.global_ids = Some(ids.clone()).filter(|ids| !ids.is_empty());
        contacts.ghosts = self.model(h).ghosts();
        contacts.check(&mut checks);
        let points = self.model(h).n().max(contacts.rows.len());
        let are_there = contacts.rows.iter().flatten().all(|&j| j < points);
        checks.must(!are_there && self.model(h).dim.is_some(), BAD_VALUE);
        let entries = contacts.rows.iter().map(Vec::len).sum::<usize>();
        let len = entries * components.clamp(1, 3) as usize;
        let is_null = nulls & 1 != 0;
        checks.must(is_null && len > 0, NULL_POINTER);
        let all = values(seed, len, single);
        let (n, offsets, ids) = self.rows_of_list(list);
        let text = PAIR_FIELDS[name];
        let status = if single {
            let given = self.arena.read(&f32::all(&all), is_null);
            call!(
                self,
                h,
                neargrid_search_set_pair_field_f32(text, components, n, offsets, ids, given)
            )
        } else {
            let given = self.arena.read(&all, is_null);
            call!(
                self,
                h,
                neargrid_search_set_pair_field_f64(text, components, n, offsets, ids, given)
            )
        };
        if self.judge(status, checks.answer(|| ()), None)?.is_some() {
            let field = PairField::new(components as usize, single, contacts, all);
            self.model_mut(h).pair_fields.insert(name, field);
        }
        Ok(())
    }

    pub(super) fn get_pair_field(&mut self, h: usize, call: &Call) -> Checked {
        let &Call::PairFieldGet {
            name,
            single,
            off,
            nulls,
        } = call
        else {
            return Ok(());
        };
        let field = self.model(h).pair_fields.get(&name).cloned();
        let mut checks = Checks::default();
        checks.must(h == 2, NULL_POINTER);
        checks.must(field.is_none(), BAD_STATE);
        let (rows, wanted) = match &field {
            Some(field) => (field.contacts.rows.clone(), field.values.clone()),
            None => Default::default(),
        };
        let components = field.map_or(1, |field| field.components);
        let entries = rows.iter().map(Vec::len).sum::<usize>();
        let text = PAIR_FIELDS[name];
        let sizes = [1, 2].map(|_| self.arena.write::<i64>(1, false));
        let width = self.arena.write::<i32>(1, false);
        let [n, total] = &sizes;
        let status = call!(self, h, neargrid_pair_field_size(text, width, *n, *total));
        if self.judge(status, checks.clone().answer(|| ()), None)?.is_some() {
            same("components of a pair field", &width.values(), &[components as i32])?;
            same("rows of a pair field", &n.values(), &[rows.len() as i64])?;
            same("entries of a pair field", &total.values(), &[entries as i64])?;
        }
        self.arena.begin();
        let is_null = |k: u32| nulls >> k & 1 != 0;
        checks.must(off != 0, BAD_COUNT);
        checks.must(is_null(0), NULL_POINTER);
        checks.must(entries > 0 && (is_null(1) || is_null(2)), NULL_POINTER);
        let offsets = self.arena.write::<i64>(rows.len() + 1, is_null(0));
        let ids = self.arena.write::<i32>(entries, is_null(1));
        let (wide, n, total) = (components as i32, rows.len() as i64, entries as i64 + off);
        let want = checks.answer(|| self.model(h).csr_of(&rows, &(0..rows.len()).collect::<Vec<_>>()));
        let (status, found) = if single {
            let out = self.arena.write::<f32>(entries * components, is_null(2));
            let status = call!(
                self,
                h,
                neargrid_pair_field_copy_f32(text, wide, n, total, offsets, ids, out)
            );
            (status, out.values().into_iter().map(f64::from).collect())
        } else {
            let out = self.arena.write::<f64>(entries * components, is_null(2));
            let status = call!(
                self,
                h,
                neargrid_pair_field_copy_f64(text, wide, n, total, offsets, ids, out)
            );
            (status, out.values())
        };
        if let Some((wanted_offsets, wanted_ids)) = self.judge(status, want, None)? {
            same("offsets of a pair field", &offsets.values(), &wanted_offsets)?;
            same("ids of a pair field", &ids.values(), &wanted_ids)?;
            let wanted: Vec<f64> = wanted.into_iter().map(|value| rounded(single, value)).collect();
            sums::same_numbers(text, found, &wanted)?;
            self.same_by_ids(h, name, single)?;
        }
        Ok(())
    }

    /// A pair field by global ids has the same entries, each row in the order of its ids.
    fn same_by_ids(&mut self, h: usize, name: usize, single: bool) -> Checked {
        let (
            PairField {
                components,
                contacts,
                values,
                ..
            },
            base,
        ) = (self.model(h).pair_fields[&name].clone(), self.model(h).base);
        let id_of = |number: usize| match &contacts.global_ids {
            Some(ids) => ids[number],
            None => number as i64 + base,
        };
        let (mut offsets, mut entries) = (vec![base], Vec::new());
        for row in &contacts.rows {
            let first = entries.len();
            entries.extend(row.iter().map(|&number| id_of(number)).zip(first..));
            entries[first..].sort_unstable();
            offsets.push(base + entries.len() as i64);
        }
        let of_entry = |entry: usize| values[entry * components..][..components].iter();
        let wanted = entries.iter().flat_map(|&(_, entry)| of_entry(entry));
        let wanted: Vec<f64> = wanted.map(|&value| rounded(single, value)).collect();
        self.arena.begin();
        let (to, ids) = (
            self.arena.write::<i64>(offsets.len(), false),
            self.arena.write::<i64>(entries.len(), false),
        );
        let (text, wide) = (PAIR_FIELDS[name], components as i32);
        let (n, total) = (contacts.rows.len() as i64, entries.len() as i64);
        let (status, found) = if single {
            let out = self.arena.write::<f32>(values.len(), false);
            let status = call!(
                self,
                h,
                neargrid_pair_field_copy_ids_f32(text, wide, n, total, to, ids, out)
            );
            (status, out.values().into_iter().map(f64::from).collect())
        } else {
            let out = self.arena.write::<f64>(values.len(), false);
            let status = call!(
                self,
                h,
                neargrid_pair_field_copy_ids_f64(text, wide, n, total, to, ids, out)
            );
            (status, out.values())
        };
        if self.judge(status, Checks::default().answer(|| ()), None)?.is_some() {
            same("offsets by ids", &to.values(), &offsets)?;
            same(
                "ids of a pair field by ids",
                &ids.values(),
                &entries.iter().map(|&(id, _)| id).collect::<Vec<_>>(),
            )?;
            sums::same_numbers(text, found, &wanted)?;
        }
        Ok(())
    }

    /// All pair fields.
    pub(super) fn check_pair_fields(&mut self, h: usize) -> Checked {
        for name in 0..PAIR_FIELDS.len() {
            if let Some(field) = self.model(h).pair_fields.get(&name) {
                let get = Call::PairFieldGet {
                    name,
                    single: field.single,
                    off: 0,
                    nulls: 0,
                };
                self.arena.begin();
                self.get_pair_field(h, &get)?;
            }
        }
        Ok(())
    }
}
