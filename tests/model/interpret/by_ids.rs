//! Calls that name points by their global ids.

use neargrid::capi::pair_fields::*;

use super::super::carried::Contacts;
use super::super::pairs::{PAIR_FIELDS, PairField};
use super::super::sums::values;
use super::*;

impl Model {
    /// The name of a point for the caller: its id, or its number where no ids are set.
    fn name(&self, i: usize) -> i64 {
        self.ids.get(i).copied().unwrap_or(i as i64 + self.base)
    }
}

impl Run {
    pub(super) fn fof_by_ids(&mut self, h: usize, off: i64, nulls: u8) -> Checked {
        let mut checks = Checks::default();
        let model = self.model(h);
        model.check_groups(&mut checks);
        let (n, is_null) = (model.n(), |k: u32| nulls >> k & 1 != 0);
        checks.must(h == 2 || is_null(0) || is_null(1) && n > 0, NULL_POINTER);
        checks.must(off != 0, BAD_COUNT);
        let want = checks.answer(|| {
            let labels = model.groups();
            let groups = (0..n).filter(|&i| labels[i] == i).count() as i64;
            (labels.iter().map(|&i| model.name(i)).collect::<Vec<_>>(), groups)
        });
        let ngroups = self.arena.write::<i64>(1, is_null(0));
        let labels = self.arena.write::<i64>(n, is_null(1));
        let status = call!(self, h, neargrid_fof_copy_ids(n as i64 + off, labels, ngroups));
        if let Some((wanted, groups)) = self.judge(status, want, None)? {
            same("the number of groups", &ngroups.values(), &[groups])?;
            if n > 0 {
                same("labels by ids", &labels.values(), &wanted)?;
            }
        }
        self.handles[h].last = None;
        self.model_mut(h).doubt_chunks();
        Ok(())
    }

    pub(super) fn groups_by_ids(&mut self, h: usize, capacity: Capacity, nulls: u8) -> Checked {
        let mut checks = Checks::default();
        let model = self.model(h);
        let promise = model
            .groups
            .clone()
            .filter(|found| found.value.told.has_groups_of(model));
        checks.must(promise.is_none(), BAD_STATE);
        checks.may(promise.as_ref().is_some_and(|promise| !promise.sure), BAD_STATE);
        let catalogue = promise.map(|promise| promise.value.catalogue);
        let (labels, sizes) = catalogue.map_or_else(Default::default, |found| (found.labels, found.sizes));
        let base = model.base;
        let named = |&label: &i32| model.name((i64::from(label) - base) as usize);
        let names: Vec<i64> = labels.iter().map(named).collect();
        let need = sizes.len() as i64;
        let capacity = capacity.of(need);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        checks.must(h == 2 || is_null(0), NULL_POINTER);
        let some_null = is_null(1) || is_null(2);
        checks.must(some_null && need > 0 && capacity >= need, NULL_POINTER);
        checks.may(some_null && capacity > 0, NULL_POINTER);
        checks.must(capacity < 0, BAD_COUNT);
        checks.must(capacity < need, CAPACITY);
        let room = capacity.max(0) as usize;
        let ngroups = self.arena.write::<i64>(1, is_null(0));
        let [to, of] = [1, 2].map(|k| self.arena.write::<i64>(room, is_null(k)));
        let status = call!(self, h, neargrid_groups_copy_ids(capacity, ngroups, to, of));
        if self
            .judge(status, checks.answer(|| ()), Some((&ngroups, need)))?
            .is_some()
        {
            same("the number of groups", &ngroups.values(), &[need])?;
            for (what, out, wanted) in [("labels by ids", &to, &names), ("sizes by ids", &of, &sizes)] {
                if !out.pointer.is_null() {
                    same(what, &out.values()[..wanted.len()], wanted)?;
                    let is_kept = out.is_untouched_from(wanted.len());
                    is_kept
                        .then_some(())
                        .ok_or(format!("{what} behind the result were written"))?;
                }
            }
        }
        Ok(())
    }

    /// Excludes the pairs of ids whose places among all ids are at most so far apart.
    pub(super) fn set_exclusions_by_ids(
        &mut self,
        h: usize,
        call: &Call,
        checks: &mut Checks,
        after: &mut Model,
    ) -> i32 {
        let &Call::ExclusionsByIds {
            far,
            by_shift,
            wrong,
            rows,
        } = call
        else {
            return -1;
        };
        let (base, points) = (after.base, after.n());
        let own: Vec<i64> = match after.ids.is_empty() {
            true => (0..points as i64).map(|i| i + base).collect(),
            false => after.ids.clone(),
        };
        let mut names = own.clone();
        names.sort_unstable();
        names.dedup();
        let n = (own.len() as i64 + rows).max(0);
        checks.must(n != own.len() as i64, BAD_COUNT);
        let (mut offsets, mut ids) = (vec![base], Vec::new());
        for i in 0..n as usize {
            if let Some(at) = own.get(i).and_then(|id| names.binary_search(id).ok()) {
                let row = at.saturating_sub(far)..(at + far + 1).min(names.len());
                ids.extend(row.rev().filter(|&k| k != at).map(|k| names[k]));
            }
            if i == 0 && (wrong == 1 || wrong == 2) {
                let is_id = |id: &i64| names.binary_search(id).is_ok();
                let strange = (0..).map(|k| (1 << 50) + k).find(|id| !is_id(id)).unwrap_or(0);
                ids.push(if wrong == 1 {
                    strange
                } else {
                    own.first().copied().unwrap_or(0)
                });
                checks.must(true, BAD_VALUE);
            }
            offsets.push(base + ids.len() as i64);
        }
        let mut classes = vec![2; ids.len()];
        if wrong == 3 && !ids.is_empty() {
            let last = offsets[n as usize];
            offsets.iter_mut().filter(|end| **end == last).for_each(|end| *end -= 1);
            ids.pop();
            classes.pop();
            checks.must(true, BAD_VALUE);
        }
        if wrong == 4 && !ids.is_empty() {
            classes[0] = 4;
            checks.must(true, BAD_VALUE);
        }
        after.exclusions = Some(Exclusions {
            names: match after.ids.is_empty() {
                true => Names::NumbersAsIds(points),
                false => Names::Ids(names),
            },
            far,
            by_shift,
        });
        after.changed();
        let shifts = vec![0; 3 * ids.len()];
        let (offsets, ids) = (self.arena.read(&offsets, false), self.arena.read(&ids, false));
        let classes = self.arena.read(&classes, false);
        if by_shift {
            let shifts = self.arena.read(&shifts, false);
            return call!(
                self,
                h,
                neargrid_search_set_exclusions_by_ids_shifts(n, offsets, ids, shifts, classes)
            );
        }
        call!(self, h, neargrid_search_set_exclusions_by_ids(n, offsets, ids, classes))
    }

    pub(super) fn set_pair_field_by_ids(&mut self, h: usize, call: &Call) -> Checked {
        let &Call::PairFieldByIds {
            name,
            list,
            single,
            components,
            gone,
            seed,
            nulls,
        } = call
        else {
            return Ok(());
        };
        let mut checks = Checks::default();
        checks.must(h == 2, NULL_POINTER);
        checks.must(!(1..=3).contains(&components), BAD_DIM);
        // The index base of the list does not matter: the rows are written anew.
        let mut given = self.contacts(h, list, false, &mut Checks::default());
        let model = self.model(h);
        let (base, own) = (model.base, model.ids.clone());
        let are_ids = !own.is_empty();
        checks.must(are_ids && given.rows.len() > own.len(), BAD_COUNT);
        let may_share = Model::shared(&own, |_| true);
        let strange = |j: usize| (1 << 52) + j as i64;
        let name_of = |j: usize| match own.get(j) {
            _ if !are_ids => j as i64 + base,
            Some(_) if gone && j % 3 == 1 => strange(j),
            Some(&id) => id,
            None => strange(j),
        };
        let mut named: Vec<Vec<i64>> = (given.rows.iter())
            .map(|row| row.iter().map(|&j| name_of(j)).collect())
            .collect();
        named.iter_mut().for_each(|row| row.sort_unstable());
        let repeats = |row: &Vec<i64>| row.windows(2).any(|two| two[0] == two[1]);
        checks.must(!may_share && named.iter().any(repeats), BAD_VALUE);
        let entries = named.iter().map(Vec::len).sum::<usize>();
        let len = entries * components.clamp(1, 3) as usize;
        let is_null = nulls & 1 != 0;
        checks.must(is_null && len > 0, NULL_POINTER);
        let contacts = match are_ids {
            true => contacts_of(&named, own, model.ghosts(), may_share),
            false => {
                given.rows.iter_mut().for_each(|row| row.sort_unstable());
                given
            }
        };
        let all = values(seed, len, single);
        let n = named.len() as i64;
        let offsets: Vec<i64> = std::iter::once(base)
            .chain(named.iter().scan(base, |end, row| {
                *end += row.len() as i64;
                Some(*end)
            }))
            .collect();
        let (offsets, ids) = (
            self.arena.read(&offsets, n == 0),
            self.arena.read(&named.concat(), entries == 0),
        );
        let text = PAIR_FIELDS[name];
        let status = if single {
            let given = self.arena.read(&f32::all(&all), is_null);
            call!(
                self,
                h,
                neargrid_search_set_pair_field_by_ids_f32(text, components, n, offsets, ids, given)
            )
        } else {
            let given = self.arena.read(&all, is_null);
            call!(
                self,
                h,
                neargrid_search_set_pair_field_by_ids_f64(text, components, n, offsets, ids, given)
            )
        };
        if self.judge(status, checks.answer(|| ()), None)?.is_some() {
            let field = PairField::new(components as usize, single, contacts, all);
            self.model_mut(h).pair_fields.insert(name, field);
        }
        Ok(())
    }
}

/// Rows of ids by the numbers of points: equal ids of a row are those of the points that share the id, in the order of their
/// numbers. Ids of no point have the numbers after those of points.
fn contacts_of(named: &[Vec<i64>], own: Vec<i64>, mut ghosts: Vec<bool>, may_share: bool) -> Contacts {
    let nth = |row: &[i64], k: usize| row[..k].iter().filter(|&&before| before == row[k]).count();
    let point = |id: i64, n: usize| (0..own.len()).filter(|&point| own[point] == id).nth(n);
    let entries = |row: &Vec<i64>| (0..row.len()).map(|k| (row[k], nth(row, k))).collect::<Vec<_>>();
    let mut strange: Vec<(i64, usize)> = (named.iter().flat_map(entries))
        .filter(|&(id, n)| point(id, n).is_none())
        .collect();
    strange.sort_unstable();
    strange.dedup();
    let number = |entry: &(i64, usize)| match point(entry.0, entry.1) {
        Some(point) => point,
        None => own.len() + strange.iter().position(|other| other == entry).unwrap_or_default(),
    };
    let rows = named
        .iter()
        .map(|row| entries(row).iter().map(number).collect())
        .collect();
    ghosts.resize(own.len() + strange.len(), may_share);
    Contacts {
        rows,
        global_ids: Some(own.iter().copied().chain(strange.iter().map(|&(id, _)| id)).collect()),
        ghosts,
    }
}
