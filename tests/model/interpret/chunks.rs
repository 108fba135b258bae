//! Results in chunks.

use super::*;

impl Run {
    pub(super) fn chunks_begin(&mut self, h: usize, kind: i32, max_entries: i64, null: bool) -> Checked {
        let mut checks = Checks::default();
        self.refuse_null(&mut checks, h, null.into(), 1);
        let asked = kind_of(kind);
        checks.must(asked.is_none(), BAD_VALUE);
        checks.must(max_entries < 1, BAD_COUNT);
        let asked = asked.unwrap_or(Kind::Full);
        let model = self.model(h);
        model.check_search(&mut checks, asked, true);
        let rows = if checks.is_refused() {
            Vec::new()
        } else {
            model.rows(asked)
        };
        let longest = rows.iter().map(Vec::len).max().unwrap_or(0) as i64;
        checks.must(longest > max_entries && !checks.is_refused(), CAPACITY);
        if model.limit > 0 {
            let everyone = (model.n() + model.nqueries()) as u64;
            let chunk = (max_entries.max(0) as u64).min(everyone * everyone);
            checks.may(model.limit < 64 * (chunk + everyone) + (1 << 16), MEMORY_LIMIT);
        }
        let total = rows.iter().map(Vec::len).sum::<usize>() as i64;
        let out = self.arena.write::<i64>(1, null);
        let status = call!(self, h, neargrid_chunks_begin(kind, max_entries, out));
        let is_begun = self.judge(status, checks.answer(|| ()), None)?.is_some();
        let handle = &mut self.handles[h];
        if is_begun {
            same("the entries of all chunks", &out.values(), &[total])?;
            let by_rank = handle.model.by_rank(asked);
            handle.model.chunks = None;
            let value = Chunks {
                told: Box::new(handle.model.clone()),
                rows,
                by_rank,
                max_entries,
                next: 0,
                pairs: None,
                over: false,
            };
            handle.model.chunks = Some(Promise { value, sure: true });
            handle.last = None;
        } else if [CAPACITY, MEMORY_LIMIT, NOT_SUPPORTED].contains(&status) {
            handle.model.doubt_chunks();
            handle.last = None;
        }
        Ok(())
    }

    pub(super) fn chunks_next(&mut self, h: usize, pairs: bool, nulls: u8) -> Checked {
        let mut checks = Checks::default();
        self.refuse_null(&mut checks, h, nulls, if pairs { 3 } else { 4 });
        let model = self.model(h);
        let chunks = (model.chunks.clone()).filter(|chunks| chunks.value.told.is_told_as(model));
        checks.must(chunks.is_none(), BAD_STATE);
        let (mut rows, mut over) = (Vec::new(), false);
        if let Some(Promise { value, sure }) = &chunks {
            checks.may(!sure || value.over, BAD_STATE);
            let is_other = value.pairs.is_some_and(|before| before != pairs);
            checks.must(
                is_other && !value.is_one_order() && value.next < value.rows.len(),
                BAD_STATE,
            );
            checks.may(is_other && !model.ids.is_empty(), BAD_STATE);
            let by_rank = !value.is_one_order() && value.pairs.unwrap_or(pairs);
            rows = value.next_rows(by_rank);
            over = rows.is_empty() || pairs && rows.iter().all(|&row| value.rows[row].is_empty());
        }
        let all = chunks.as_ref().map_or(&[][..], |chunks| &chunks.value.rows[..]);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        let count = self.arena.write::<i64>(1, is_null(0));
        let ids = self.arena.lend::<i32>(is_null(1));
        let mut kept = Vec::new();
        let status;
        let is_given;
        let entries = rows.iter().map(|&row| all[row].len()).sum::<usize>();
        if pairs {
            let left = self.arena.lend::<i32>(is_null(2));
            status = call!(self, h, neargrid_chunks_next_pairs(count, left, ids));
            let [wanted_i, wanted_j] = self.model(h).pairs_of(all, &rows);
            is_given = self.judge(status, checks.answer(|| ()), None)?.is_some();
            if is_given {
                same("the number of pairs", &count.values(), &[entries as i64])?;
                if over {
                    let are_null = left.lent().is_null() && ids.lent().is_null();
                    are_null
                        .then_some(())
                        .ok_or("behind the last chunk arrays are not NULL")?;
                } else {
                    // SAFETY: just lent, and as many as was told.
                    let [i, j] = unsafe { [left.values(entries), ids.values(entries)] };
                    same("pair_i", &i, &wanted_i)?;
                    same("pair_j", &j, &wanted_j)?;
                    kept = vec![
                        Kept::new("pair_i", left.lent(), &i),
                        Kept::new("pair_j", ids.lent(), &j),
                    ];
                }
            }
        } else {
            let first_row = self.arena.write::<i64>(1, is_null(3));
            let offsets = self.arena.lend::<i64>(is_null(2));
            status = call!(self, h, neargrid_chunks_next(first_row, count, offsets, ids));
            let (wanted_offsets, wanted_ids) = self.model(h).csr_of(all, &rows);
            is_given = self.judge(status, checks.answer(|| ()), None)?.is_some();
            if is_given {
                same("the number of rows", &count.values(), &[rows.len() as i64])?;
                if over {
                    let are_null = offsets.lent().is_null() && ids.lent().is_null();
                    are_null
                        .then_some(())
                        .ok_or("behind the last chunk arrays are not NULL")?;
                    first_row
                        .is_untouched_from(0)
                        .then_some(())
                        .ok_or("behind the last chunk first_row was written")?;
                } else {
                    same(
                        "the first row",
                        &first_row.values(),
                        &[i64::from(self.model(h).number(rows[0]))],
                    )?;
                    // SAFETY: just lent, and as many as was told.
                    let (o, j) = unsafe { (offsets.values(rows.len() + 1), ids.values(entries)) };
                    same("offsets", &o, &wanted_offsets)?;
                    same("ids", &j, &wanted_ids)?;
                    kept = vec![
                        Kept::new("offsets", offsets.lent(), &o),
                        Kept::new("ids", ids.lent(), &j),
                    ];
                }
            }
        }
        let handle = &mut self.handles[h];
        handle.last = None;
        if let Some(promise) = &mut handle.model.chunks {
            if is_given {
                promise.sure = true;
                let chunks = &mut promise.value;
                chunks.next += rows.len();
                chunks.pairs = chunks.pairs.or(Some(pairs));
                chunks.over = over;
                handle.view = Some(View {
                    kept,
                    of_groups: false,
                    list: None,
                });
            } else {
                promise.sure = false;
            }
        }
        Ok(())
    }
}
