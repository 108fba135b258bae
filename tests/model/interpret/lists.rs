//! Pairs and rows: counted, copied, viewed.

use neargrid::capi::padded::neargrid_neighbors_copy_32;

use super::*;

impl Run {
    pub(super) fn check_list(&self, h: usize, what: What) -> Checks {
        let mut checks = Checks::default();
        let kind = self.model(h).kind(what);
        checks.must(kind.is_none(), BAD_VALUE);
        self.model(h)
            .check_search(&mut checks, kind.unwrap_or(Kind::Full), false);
        checks
    }

    /// After a query: what it did, and what it ended.
    pub(super) fn asked(&mut self, h: usize, status: i32, what: What, view: bool, before: Work) -> Checked {
        let Some(kind) = self.model(h).kind(what).filter(|_| h < 2) else {
            return Ok(());
        };
        let now = self.work(h);
        let asked = Asked::List {
            kind,
            pairs: what == What::Pairs,
            view,
        };
        let handle = &mut self.handles[h];
        if status != OK && status != CAPACITY {
            handle.model.doubt_chunks();
            handle.model.doubt_list();
            handle.last = None;
            if now.lists > before.lists {
                handle.model.list = Some(handle.model.skin_list(kind, false));
            }
            return Ok(());
        }
        handle.model.chunks = None;
        let last = handle.last.replace(asked);
        if let Some(Asked::List { kind: last_kind, .. }) = last
            && last_kind == kind
        {
            if (before.builds, before.counts, before.lists) != (now.builds, now.counts, now.lists) {
                return Err(format!(
                    "asked again without a change, it searched again: {before:?} before, {now:?} now"
                ));
            }
            if view && last == Some(asked) && before.fills != now.fills {
                return Err(format!(
                    "asked again without a change, it filled again: {before:?} before, {now:?} now"
                ));
            }
        }
        if handle.model.skin > 0.0 && kind != Kind::Queries {
            let made = now.lists - before.lists;
            let serves = |list: &Promise<SkinList>| list.value.kind == kind;
            if let Some(list) = handle.model.list.as_ref().filter(|list| serves(list))
                && made > 0
                && list.sure
            {
                return Err("a list with a skin was made anew though nothing changed".to_owned());
            }
            if made > 0 {
                handle.model.list = Some(handle.model.skin_list(kind, true));
            }
        } else if now.lists != before.lists {
            return Err("a list with a skin was made without a skin".to_owned());
        }
        Ok(())
    }

    pub(super) fn count(&mut self, h: usize, what: What, null: bool) -> Checked {
        let mut checks = self.check_list(h, what);
        self.refuse_null(&mut checks, h, null.into(), 1);
        let want = {
            let model = self.model(h);
            checks.answer(|| {
                model
                    .rows(model.kind(what).unwrap_or(Kind::Half))
                    .iter()
                    .map(Vec::len)
                    .sum::<usize>()
            })
        };
        let total = self.arena.write::<i64>(1, null);
        let before = self.work(h);
        let status = match what {
            What::Pairs => call!(self, h, neargrid_pairs_count(total)),
            What::Rows(kind) => call!(self, h, neargrid_neighbors_count(kind, total)),
        };
        if let Some(count) = self.judge(status, want, None)? {
            same("the count", &total.values(), &[count as i64])?;
            self.check_entries(h, count)?;
        }
        self.asked(h, status, what, false, before)
    }

    pub(super) fn check_entries(&self, h: usize, entries: usize) -> Checked {
        let mut value = 0;
        // SAFETY: a valid handle.
        unsafe { neargrid_search_counter(self.handles[h].raw.cast_const().cast(), 1, &mut value) };
        same("the counter of entries", &[value], &[entries as i64])
    }

    pub(super) fn copy(&mut self, h: usize, what: What, capacity: Capacity, nulls: u8) -> Checked {
        let mut checks = self.check_list(h, what);
        let is_pairs = what == What::Pairs;
        let rows = match checks.is_refused() {
            true => Vec::new(),
            false => self.model(h).rows(self.model(h).kind(what).unwrap_or(Kind::Half)),
        };
        let need = rows.iter().map(Vec::len).sum::<usize>() as i64;
        let capacity = match capacity {
            Capacity::More(more) => need + more,
            Capacity::Less(less) => (need - less).max(0),
            Capacity::Is(capacity) => capacity,
        };
        checks.must(capacity < 0, BAD_COUNT);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        checks.must(h == 2 || is_null(0), NULL_POINTER);
        let [first, second] = [1, 2].map(is_null);
        checks.must(
            second && capacity > 0 || first && (capacity > 0 || !is_pairs),
            NULL_POINTER,
        );
        checks.must(capacity < need && !checks.is_refused(), CAPACITY);
        let room = capacity.max(0) as usize;
        let total = self.arena.write::<i64>(1, is_null(0));
        let before = self.work(h);
        let model = self.model(h);
        let order: Vec<usize> = match is_pairs {
            true => model.by_rank(Kind::Half),
            false => (0..rows.len()).collect(),
        };
        if is_pairs {
            let pairs = if rows.is_empty() {
                [Vec::new(), Vec::new()]
            } else {
                model.pairs_of(&rows, &order)
            };
            let [i, j] = [first, second].map(|null| self.arena.write::<i32>(room, null));
            let status = call!(self, h, neargrid_pairs_copy(capacity, total, i, j));
            if let Some([wanted_i, wanted_j]) = self.judge(status, checks.answer(|| pairs), Some((&total, need)))? {
                same("the number of pairs", &total.values(), &[need])?;
                same_front("pair_i", &i, &wanted_i)?;
                same_front("pair_j", &j, &wanted_j)?;
                self.check_entries(h, need as usize)?;
            }
            return self.asked(h, status, what, false, before);
        }
        let wanted = model.csr_of(&rows, &order);
        // Of a call that is refused nobody knows how many rows there are.
        let offsets = self.arena.write::<i64>(rows.len() + 1, first);
        let ids = self.arena.write::<i32>(room, second);
        let What::Rows(kind) = what else {
            unreachable!("pairs were copied above")
        };
        let model = self.model(h);
        let n = if kind == 2 { model.nqueries() } else { model.n() } as i64;
        let status = call!(self, h, neargrid_neighbors_copy(kind, n, capacity, total, offsets, ids));
        if let Some((wanted_offsets, wanted_ids)) =
            self.judge(status, checks.answer(|| wanted), Some((&total, need)))?
        {
            same("the number of ids", &total.values(), &[need])?;
            same("offsets", &offsets.values(), &wanted_offsets)?;
            same_front("ids", &ids, &wanted_ids)?;
            self.check_entries(h, need as usize)?;
        }
        self.asked(h, status, what, false, before)
    }

    /// Rows with offsets of 32 bits.
    pub(super) fn copy_32(&mut self, h: usize, kind: i32, capacity: Capacity, nulls: u8) -> Checked {
        let what = What::Rows(kind);
        let mut checks = self.check_list(h, what);
        let rows = match checks.is_refused() {
            true => Vec::new(),
            false => self.model(h).rows(kind_of(kind).unwrap_or(Kind::Full)),
        };
        let need = rows.iter().map(Vec::len).sum::<usize>() as i64;
        let capacity = capacity.of(need);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        checks.must(capacity < 0, BAD_COUNT);
        checks.must(
            h == 2 || is_null(0) || is_null(1) || is_null(2) && capacity > 0,
            NULL_POINTER,
        );
        checks.must(capacity < need && !checks.is_refused(), CAPACITY);
        let total = self.arena.write::<i32>(1, is_null(0));
        let offsets = self.arena.write::<i32>(rows.len() + 1, is_null(1));
        let ids = self.arena.write::<i32>(capacity.max(0) as usize, is_null(2));
        let before = self.work(h);
        let model = self.model(h);
        let n = if kind == 2 { model.nqueries() } else { model.n() } as i64;
        let wanted = model.csr_of(&rows, &(0..rows.len()).collect::<Vec<_>>());
        let want = checks.answer(|| wanted);
        let status = call!(
            self,
            h,
            neargrid_neighbors_copy_32(kind, n, capacity, total, offsets, ids)
        );
        if let Some((wanted_offsets, wanted_ids)) = self.judge_need(status, want, Some((&total, need as i32)))? {
            let wanted_offsets: Vec<i32> = wanted_offsets.iter().map(|&offset| offset as i32).collect();
            same("the number of ids", &total.values(), &[need as i32])?;
            same("offsets of 32 bits", &offsets.values(), &wanted_offsets)?;
            same_front("ids", &ids, &wanted_ids)?;
            self.check_entries(h, need as usize)?;
        }
        self.asked(h, status, what, false, before)
    }

    pub(super) fn view(&mut self, h: usize, what: What, nulls: u8) -> Checked {
        let mut checks = self.check_list(h, what);
        let is_pairs = what == What::Pairs;
        self.refuse_null(&mut checks, h, nulls, if is_pairs { 3 } else { 4 });
        let rows = match checks.is_refused() {
            true => Vec::new(),
            false => self.model(h).rows(self.model(h).kind(what).unwrap_or(Kind::Half)),
        };
        let entries = rows.iter().map(Vec::len).sum::<usize>();
        self.model(h).check_limit(&mut checks, rows.len(), entries, is_pairs);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        let before = self.work(h);
        let total = self.arena.write::<i64>(1, is_null(0));
        let n = if is_pairs {
            None
        } else {
            Some(self.arena.write::<i64>(1, is_null(3)))
        };
        let order: Vec<usize> = match is_pairs {
            true if !rows.is_empty() => self.model(h).by_rank(Kind::Half),
            _ => (0..rows.len()).collect(),
        };
        let ids = self.arena.lend::<i32>(is_null(1));
        let Some(n) = n else {
            let left = self.arena.lend::<i32>(is_null(2));
            let status = call!(self, h, neargrid_pairs_view(total, left, ids));
            let wanted = self.model(h).pairs_of(&rows, &order);
            if let Some([wanted_i, wanted_j]) = self.judge(status, checks.answer(|| wanted), None)? {
                same("the number of pairs", &total.values(), &[entries as i64])?;
                // SAFETY: just lent, and as many as was told.
                let [i, j] = unsafe { [left.values(entries), ids.values(entries)] };
                same("pair_i", &i, &wanted_i)?;
                same("pair_j", &j, &wanted_j)?;
                let pairs = order
                    .iter()
                    .flat_map(|&i| rows[i].iter().map(move |&j| (i, j)))
                    .collect();
                let kept = vec![
                    Kept::new("pair_i", left.lent(), &i),
                    Kept::new("pair_j", ids.lent(), &j),
                ];
                let columns = (
                    In {
                        pointer: left.lent().cast(),
                    },
                    of_view(&ids),
                );
                let list = Some((pairs, Form::Pairs, columns.0, columns.1));
                self.handles[h].view = Some(View {
                    kept,
                    of_groups: false,
                    list,
                });
            }
            return self.asked(h, status, what, true, before);
        };
        let offsets = self.arena.lend::<i64>(is_null(2));
        let What::Rows(kind) = what else {
            unreachable!("pairs were viewed above")
        };
        let status = call!(self, h, neargrid_neighbors_view(kind, n, total, offsets, ids));
        let wanted = self.model(h).csr_of(&rows, &order);
        if let Some((wanted_offsets, wanted_ids)) = self.judge(status, checks.answer(|| wanted), None)? {
            same("the number of rows", &n.values(), &[rows.len() as i64])?;
            same("the number of ids", &total.values(), &[entries as i64])?;
            // SAFETY: just lent, and as many as was told.
            let (found, j) = unsafe { (offsets.values(rows.len() + 1), ids.values(entries)) };
            same("offsets", &found, &wanted_offsets)?;
            same("ids", &j, &wanted_ids)?;
            let pairs = order
                .iter()
                .flat_map(|&i| rows[i].iter().map(move |&j| (i, j)))
                .collect();
            let kept = vec![
                Kept::new("offsets", offsets.lent(), &found),
                Kept::new("ids", ids.lent(), &j),
            ];
            let form = if kind == 2 { Form::OfQueries } else { Form::Rows };
            let list = Some((pairs, form, of_view(&offsets), of_view(&ids)));
            self.handles[h].view = Some(View {
                kept,
                of_groups: false,
                list,
            });
        }
        self.asked(h, status, what, true, before)
    }
}
