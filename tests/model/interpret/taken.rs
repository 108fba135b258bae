//! Lists that were taken out of a handle, and keep their rows whatever comes.

use neargrid::capi::list::*;

use super::*;

/// A list, NULL at first, and the rows that it must have.
pub(super) struct Slot {
    raw: *mut neargrid_list,
    rows: (Vec<i64>, Vec<i32>),
    kept: Vec<Kept>,
}

impl Default for Slot {
    fn default() -> Slot {
        Slot {
            raw: std::ptr::null_mut(),
            rows: (vec![0], Vec::new()),
            kept: Vec::new(),
        }
    }
}

/// A list as an argument, or the place of one.
struct Given<T>(T, String);

impl<T: Copy> Argument for Given<T> {
    type Raw = T;
    fn raw(&self) -> T {
        self.0
    }
    fn text(&self) -> String {
        self.1.clone()
    }
}

impl Run {
    pub(super) fn take(&mut self, h: usize, which: usize, kind: i32, null: bool) -> Checked {
        let what = What::Rows(kind);
        let mut checks = self.check_list(h, what);
        self.refuse_null(&mut checks, h, null.into(), 1);
        let rows = match checks.is_refused() {
            true => Vec::new(),
            false => self.model(h).rows(self.model(h).kind(what).unwrap_or(Kind::Half)),
        };
        let order: Vec<usize> = (0..rows.len()).collect();
        let entries = rows.iter().map(Vec::len).sum::<usize>();
        self.model(h).check_limit(&mut checks, rows.len(), entries, false);
        let before = self.work(h);
        let place = match null {
            true => Given(std::ptr::null_mut(), "NULL".to_owned()),
            false => Given(&raw mut self.lists[which].raw, format!("&l{which}")),
        };
        let was = self.lists[which].raw;
        let status = call!(self, h, neargrid_neighbors_take(kind, place));
        let wanted = self.model(h).csr_of(&rows, &order);
        let now = self.lists[which].raw;
        match self.judge(status, checks.answer(|| wanted), None)? {
            Some(rows) => {
                self.lists[which].rows = rows;
                if now.is_null() || !was.is_null() && now != was {
                    return Err("a list that was there is another one, or none".to_owned());
                }
                self.view_list(which, 0)?;
            }
            None if now != was => return Err("a call that failed made another list".to_owned()),
            None => {}
        }
        self.asked(h, status, what, false, before)?;
        self.handles[h].last = None; // the handle has the rows no more
        Ok(())
    }

    pub(super) fn view_list(&mut self, which: usize, nulls: u8) -> Checked {
        let mut checks = Checks::default();
        let raw = self.lists[which].raw.cast_const();
        checks.must(raw.is_null() || nulls & 15 != 0, NULL_POINTER);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        let [n, total] = [0, 1].map(|k| self.arena.write::<i64>(1, is_null(k)));
        let (offsets, ids) = (self.arena.lend::<i64>(is_null(2)), self.arena.lend::<i32>(is_null(3)));
        let list = Given(raw, format!("l{which}"));
        let status = call!(self, neargrid_list_view(list, n, total, offsets, ids));
        let rows = self.lists[which].rows.clone();
        if let Some((wanted_offsets, wanted_ids)) = self.judge(status, checks.answer(|| rows), None)? {
            same("rows of a list", &n.values(), &[wanted_offsets.len() as i64 - 1])?;
            same("ids of a list", &total.values(), &[wanted_ids.len() as i64])?;
            // SAFETY: just lent, and as many as was told.
            let (found, j) = unsafe { (offsets.values(wanted_offsets.len()), ids.values(wanted_ids.len())) };
            same("offsets of a list", &found, &wanted_offsets)?;
            same("ids of a list", &j, &wanted_ids)?;
            self.lists[which].kept = vec![
                Kept::new("offsets of a list", offsets.lent(), &found),
                Kept::new("ids of a list", ids.lent(), &j),
            ];
        }
        Ok(())
    }

    pub(super) fn destroy_list(&mut self, which: usize) {
        self.arena
            .say(|| format!("    neargrid_list_destroy(l{which});\n    l{which} = NULL;"));
        let list = std::mem::take(&mut self.lists[which]);
        // SAFETY: made by the library or NULL, and not used again.
        unsafe { neargrid_list_destroy(list.raw) };
    }

    /// Whether lists are what they were.
    pub(super) fn check_lists(&self) -> Checked {
        for kept in self.lists.iter().flat_map(|list| &list.kept) {
            // SAFETY: the list is there, and has taken nothing since.
            unsafe { kept.check()? };
        }
        Ok(())
    }
}
