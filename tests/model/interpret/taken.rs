//! Lists that were taken out of a handle, and keep their rows whatever comes.

use neargrid::capi::list::*;

use super::*;

/// A list, NULL at first, the rows that it must have, and the global ids of the points when it took them.
pub(super) struct Slot {
    pub raw: *mut neargrid_list,
    pub rows: (Vec<i64>, Vec<i32>),
    pub global_ids: Vec<i64>,
    kept: Vec<Kept>,
}

impl Default for Slot {
    fn default() -> Slot {
        Slot {
            raw: std::ptr::null_mut(),
            rows: (vec![0], Vec::new()),
            global_ids: Vec::new(),
            kept: Vec::new(),
        }
    }
}

/// A list as an argument, or the place of one.
pub(super) struct Given<T>(T, Value);

impl<T: Copy> Argument for Given<T> {
    type Raw = T;
    fn raw(&self) -> T {
        self.0
    }
    fn value(&self, _: &Arena) -> Value {
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
            true => Given(std::ptr::null_mut(), Value::Null),
            false => Given(&raw mut self.lists[which].raw, Value::Place(Object::List(which))),
        };
        let was = self.lists[which].raw;
        let status = call!(self, h, neargrid_neighbors_take(kind, place));
        let wanted = self.model(h).csr_of(&rows, &order);
        let now = self.lists[which].raw;
        match self.judge(status, checks.answer(|| wanted), None)? {
            Some(rows) => {
                if now.is_null() || !was.is_null() && now != was {
                    return Err("a list that was there is another one, or none".to_owned());
                }
                self.put_rows(h, which, rows)?;
            }
            None if now != was => return Err("a call that failed made another list".to_owned()),
            None => {}
        }
        self.asked(h, status, what, false, before)?;
        self.handles[h].last = None; // the handle has the rows no more
        Ok(())
    }

    /// The places of lists from `first` on.
    pub(super) fn places(&mut self, first: usize, null: bool) -> Given<*mut *mut neargrid_list> {
        self.places = self.lists.each_ref().map(|list| list.raw);
        match null {
            true => Given(std::ptr::null_mut(), Value::Null),
            false => Given(self.places[first..].as_mut_ptr(), Value::Place(Object::List(first))),
        }
    }

    /// Takes up the lists that are at these places now; returns those before.
    pub(super) fn take_places(&mut self) -> [*mut neargrid_list; LISTS] {
        let were = self.lists.each_ref().map(|list| list.raw);
        for (list, place) in self.lists.iter_mut().zip(self.places) {
            list.raw = place;
        }
        were
    }

    /// Has a list that has just taken rows keep them.
    pub(super) fn put_rows(&mut self, h: usize, which: usize, rows: (Vec<i64>, Vec<i32>)) -> Checked {
        self.lists[which].rows = rows;
        self.lists[which].global_ids = self.model(h).ids.clone();
        self.view_list(which, 0)
    }

    /// A list as an argument.
    fn list(&self, which: usize) -> Given<*const neargrid_list> {
        Given(self.lists[which].raw.cast_const(), Value::Object(Object::List(which)))
    }

    pub(super) fn view_list(&mut self, which: usize, nulls: u8) -> Checked {
        let mut checks = Checks::default();
        checks.must(self.lists[which].raw.is_null() || nulls & 15 != 0, NULL_POINTER);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        let [n, total] = [0, 1].map(|k| self.arena.write::<i64>(1, is_null(k)));
        let (offsets, ids) = (self.arena.lend::<i64>(is_null(2)), self.arena.lend::<i32>(is_null(3)));
        let list = self.list(which);
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
        let object = Value::Object(Object::List(which));
        self.arena.calls("neargrid_list_destroy", |_| vec![object]);
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
