//! The drop-ins, which search with the handle of the thread: `cellList`, and `celllist` of Fortran without modules.

use super::*;

unsafe extern "C" {
    fn cellList_set_tie_rule(rule: i32) -> i32;
    safe fn cellList_release();
    fn cellList_fetch(maxnpair: i32, npairs: *mut i32, pair_i: *mut i32, pair_j: *mut i32) -> i32;
}

/// The drop-ins of a precision. The number of points in a cell means nothing to them.
macro_rules! drop_in {
    ($trait:ident: $($type:ident $by_value:ident $by_reference:ident),*) => {
        $(unsafe extern "C" {
            fn $by_value(
                dim: i32,
                npoints: i32,
                maxpercell: i32,
                x: *const $type,
                cutoff: $type,
                maxnpair: i32,
                npairs: *mut i32,
                pair_i: *mut i32,
                pair_j: *mut i32,
            ) -> i32;
            fn $by_reference(
                dim: *const i32,
                npoints: *const i32,
                maxpercell: *const i32,
                x: *const $type,
                cutoff: *const $type,
                maxnpair: *const i32,
                npairs: *mut i32,
                pair_i: *mut i32,
                pair_j: *mut i32,
            );
        })*

        /// A precision that has drop-ins.
        pub(super) trait $trait: Coordinate {
            fn by_value(run: &mut Run, numbers: [i32; 3], x: &In<Self>, cutoff: Self, out: &[Out<i32>; 3]) -> i32;
            fn by_reference(run: &mut Run, numbers: [In<i32>; 3], x: &In<Self>, cutoff: &In<Self>, out: &[Out<i32>; 3]);
        }

        $(impl $trait for $type {
            fn by_value(
                run: &mut Run,
                [dim, n, capacity]: [i32; 3],
                x: &In<$type>,
                cutoff: $type,
                [npairs, i, j]: &[Out<i32>; 3],
            ) -> i32 {
                call!(run, $by_value(dim, n, 7, *x, cutoff, capacity, *npairs, *i, *j))
            }
            fn by_reference(
                run: &mut Run,
                [dim, n, capacity]: [In<i32>; 3],
                x: &In<$type>,
                cutoff: &In<$type>,
                [npairs, i, j]: &[Out<i32>; 3],
            ) {
                let arguments = |arena: &Arena| {
                    let [dim, n, capacity] = [&dim, &n, &capacity].map(|number| number.value(arena));
                    let [npairs, i, j] = [npairs, i, j].map(|out| out.value(arena));
                    vec![dim.clone(), n, dim, x.value(arena), cutoff.value(arena), capacity, npairs, i, j]
                };
                run.arena.calls(stringify!($by_reference), arguments);
                let (x, cutoff) = (x.pointer, cutoff.pointer);
                let [dim, n, capacity] = [&dim, &n, &capacity].map(|number| number.pointer);
                // SAFETY: the arrays are as long as the numbers say, or NULL.
                unsafe { $by_reference(dim, n, dim, x, cutoff, capacity, npairs.pointer, i.pointer, j.pointer) };
                run.arena.returned(OK, String::new);
            }
        })*
    };
}
drop_in!(DropIn: f32 cellListf scelllist_, f64 cellList celllist_);

/// The rule of a new thread.
pub(super) fn forget_rule() {
    // SAFETY: any number may be given.
    unsafe { cellList_set_tie_rule(-1) };
}

impl Run {
    pub(super) fn drop_in(&mut self, call: &Call) -> Checked {
        match call {
            Call::DropIn { single: true, .. } => self.drop_in_of::<f32>(call),
            _ => self.drop_in_of::<f64>(call),
        }
    }

    fn drop_in_of<T: DropIn>(&mut self, call: &Call) -> Checked {
        let Call::DropIn {
            single,
            by_reference,
            dim,
            n,
            values,
            cutoff,
            capacity,
            nulls,
        } = call
        else {
            return Ok(());
        };
        let coords = Coords {
            single: *single,
            dim: *dim,
            values: values.clone(),
            n: n.map(i64::from),
            layout: Layout::Interleaved,
            nulls: 0,
        };
        let mut model = Model::default();
        let mut checks = model.check_points(Role::Set, &coords);
        checks.must(!is_radius(*single, *cutoff), BAD_CUTOFF);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        let mut rows = Vec::new();
        if !checks.is_refused() {
            model.take_points(Role::Set, &coords);
            (model.cutoff, model.base) = (Some(rounded(*single, *cutoff)), i64::from(*by_reference));
            model.exclusive = !by_reference && self.of_thread.rule == 1;
            rows = model.rows(Kind::Half);
        }
        let need = rows.iter().map(Vec::len).sum::<usize>() as i64;
        let capacity = capacity.of(need).max(i64::from(i32::MIN));
        let mut of_outputs = Checks::default();
        of_outputs.must(is_null(0) || (is_null(1) || is_null(2)) && capacity > 0, NULL_POINTER);
        of_outputs.must(capacity < 0, BAD_COUNT);
        of_outputs.must(*by_reference && nulls >> 4 & 15 != 0, NULL_POINTER);
        let looks = !of_outputs.is_refused();
        checks.join(of_outputs);
        checks.must(is_null(3) && coords.len() > 0, NULL_POINTER);
        let is_refused = checks.is_refused();
        checks.must(capacity < need && !is_refused, CAPACITY);
        let room = capacity.max(0) as usize;
        let x = self.arena.read(&T::all(values), is_null(3));
        let out = [
            self.arena.write::<i32>(1, is_null(0)),
            self.arena.write::<i32>(room, is_null(1)),
            self.arena.write::<i32>(room, is_null(2)),
        ];
        let numbers = [*dim, n.unwrap_or(coords.len() as i32), capacity as i32];
        let order: Vec<usize> = (0..rows.len()).collect();
        let pairs = model.pairs_of(&rows, &order);
        if *by_reference {
            let cutoff = self.arena.read(&[T::of(*cutoff)], is_null(6));
            let numbers = [0, 1, 2].map(|k| self.arena.read(&[numbers[k]], is_null([4, 5, 7][k])));
            T::by_reference(self, numbers, &x, &cutoff, &out);
            self.judge_reference(&checks, is_refused, need, &out)?;
        } else {
            let status = T::by_value(self, numbers, &x, T::of(*cutoff), &out);
            let is_done = self
                .judge_need(status, checks.clone().answer(|| ()), Some((&out[0], need as i32)))?
                .is_some();
            if is_done {
                same("the number of pairs", &out[0].values(), &[need as i32])?;
            }
        }
        if !is_refused {
            if capacity >= need {
                same_front("pair_i", &out[1], &pairs[0])?;
                same_front("pair_j", &out[2], &pairs[1])?;
            }
            (self.of_thread.model, self.of_thread.sure) = (model, Some(true));
        } else {
            // The call reads nothing where outputs are wrong. No text says whether it forgets a result then.
            self.of_thread.sure = self.of_thread.sure.filter(|_| !looks).map(|_| false);
        }
        Ok(())
    }

    /// After a call by reference: its number of pairs is what was needed, or the status of a refusal below 0.
    fn judge_reference(&mut self, checks: &Checks, is_refused: bool, need: i64, out: &[Out<i32>; 3]) -> Checked {
        self.arena.check_guards()?;
        let statuses = checks.clone().answer(|| ()).statuses;
        let is_short = statuses.contains(&CAPACITY);
        if is_refused || is_short {
            self.arena.check_untouched(out[0].pointer.cast())?;
        }
        let Some(&found) = out[0].values().first() else {
            return Ok(());
        };
        let is_right = match is_refused {
            true => statuses.contains(&-found),
            false => i64::from(found) == need,
        };
        is_right.then_some(()).ok_or(format!(
            "npairs = {found}, {need} or minus one of {statuses:?} is right"
        ))
    }

    pub(super) fn fetch_drop_in(&mut self, capacity: Capacity, nulls: u8) -> Checked {
        let mut checks = Checks::default();
        let sure = self.of_thread.sure;
        checks.must(sure.is_none(), BAD_STATE);
        checks.may(sure == Some(false), BAD_STATE);
        let model = &self.of_thread.model;
        let rows = if sure.is_some() {
            model.rows(Kind::Half)
        } else {
            Vec::new()
        };
        let need = rows.iter().map(Vec::len).sum::<usize>() as i64;
        let capacity = capacity.of(need).max(i64::from(i32::MIN));
        let is_null = |k: u32| nulls >> k & 1 != 0;
        checks.must(is_null(0) || (is_null(1) || is_null(2)) && capacity > 0, NULL_POINTER);
        checks.must(capacity < 0, BAD_COUNT);
        checks.must(capacity < need && !checks.is_refused(), CAPACITY);
        let pairs = model.pairs_of(&rows, &(0..rows.len()).collect::<Vec<_>>());
        let room = capacity.max(0) as usize;
        let npairs = self.arena.write::<i32>(1, is_null(0));
        let [i, j] = [1, 2].map(|k| self.arena.write::<i32>(room, is_null(k)));
        let status = call!(self, cellList_fetch(capacity as i32, npairs, i, j));
        let need = need as i32;
        if self
            .judge_need(status, checks.answer(|| ()), Some((&npairs, need)))?
            .is_some()
        {
            same("the number of pairs", &npairs.values(), &[need])?;
            same_front("pair_i", &i, &pairs[0])?;
            same_front("pair_j", &j, &pairs[1])?;
        }
        Ok(())
    }

    pub(super) fn set_rule_of_drop_in(&mut self, rule: i32) -> Checked {
        let mut checks = Checks::default();
        checks.must(!(-1..=1).contains(&rule), BAD_VALUE);
        let status = call!(self, cellList_set_tie_rule(rule));
        if self.judge(status, checks.answer(|| ()), None)?.is_some() {
            self.of_thread.rule = rule;
        }
        Ok(())
    }

    pub(super) fn release_drop_in(&mut self) -> Checked {
        self.arena.calls("cellList_release", |_| Vec::new());
        cellList_release();
        self.of_thread.sure = None;
        Ok(())
    }
}
