//! The search of the thread, which has no handle.

use super::*;

impl Run {
    pub(super) fn cell_count(&mut self, call: &Call) -> Checked {
        match call {
            Call::CellCount { single: true, .. } => self.cell_count_in::<f32>(call),
            _ => self.cell_count_in::<f64>(call),
        }
    }

    pub(super) fn cell_count_in<T: Coordinate>(&mut self, call: &Call) -> Checked {
        let Call::CellCount {
            single,
            dim,
            n,
            values,
            cutoff,
            rule,
            base,
            nulls,
        } = call
        else {
            return Ok(());
        };
        let coords = Coords {
            single: *single,
            dim: *dim,
            values: values.clone(),
            n: *n,
            layout: Layout::Interleaved,
            nulls: 0,
        };
        let mut model = Model::default();
        let mut checks = model.check_points(Role::Set, &coords);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        checks.must(is_null(0) || is_null(1) && coords.len() > 0, NULL_POINTER);
        checks.must(!is_radius(*single, *cutoff), BAD_CUTOFF);
        checks.must(!(-1..=1).contains(rule), BAD_VALUE);
        checks.must(!(0..=1).contains(base), BAD_VALUE);
        if !checks.is_refused() {
            model.take_points(Role::Set, &coords);
            (model.cutoff, model.base) = (Some(rounded(*single, *cutoff)), i64::from(*base));
            model.exclusive = *rule == 1;
        }
        let want = checks.answer(|| model.rows(Kind::Half).iter().map(Vec::len).sum::<usize>() as i64);
        let x = self.arena.read(&T::all(values), is_null(1));
        let npairs = self.arena.write::<i64>(1, is_null(0));
        let count = n.unwrap_or(coords.len() as i64);
        let status = T::cell_count(self, (*dim, count), &x, T::of(*cutoff), (*rule, *base), &npairs);
        match self.judge(status, want, None)? {
            Some(pairs) => {
                same("the number of pairs", &npairs.values(), &[pairs])?;
                (self.of_thread.model, self.of_thread.sure) = (model, Some(true));
            }
            // Without npairs nothing is looked at, and no text says whether a result is forgotten then.
            None if is_null(0) => self.of_thread.sure = self.of_thread.sure.map(|_| false),
            None => self.of_thread.sure = None,
        }
        // The points need not stay where they are, and fetching must do without them.
        Ok(())
    }

    pub(super) fn cell_fetch(&mut self, compact: bool, capacity: Capacity, nulls: u8) -> Checked {
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
        let capacity = match capacity {
            Capacity::More(more) => need + more,
            Capacity::Less(less) => (need - less).max(0),
            Capacity::Is(capacity) => capacity,
        };
        let is_null = |k: u32| nulls >> k & 1 != 0;
        checks.must(capacity < 0, BAD_COUNT);
        checks.must(is_null(0) || is_null(1) && capacity > 0, NULL_POINTER);
        let first_needs = if compact { !rows.is_empty() } else { capacity > 0 };
        checks.must(is_null(2) && first_needs, NULL_POINTER);
        checks.must(capacity < need && !checks.is_refused(), CAPACITY);
        let room = capacity.max(0) as usize;
        let order: Vec<usize> = (0..rows.len()).collect();
        let ([wanted_i, wanted_j], (offsets, _)) = (model.pairs_of(&rows, &order), model.csr_of(&rows, &order));
        let ends: Vec<i32> = offsets[1..].iter().map(|end| (end - offsets[0]) as i32).collect();
        let npairs = self.arena.write::<i64>(1, is_null(0));
        let first = self
            .arena
            .write::<i32>(if compact { rows.len() } else { room }, is_null(2));
        let second = self.arena.write::<i32>(room, is_null(1));
        let status = match compact {
            true => call!(self, neargrid_celllist_fetch_compact(capacity, npairs, first, second)),
            false => call!(self, neargrid_celllist_fetch(capacity, npairs, first, second)),
        };
        if self
            .judge(status, checks.answer(|| ()), Some((&npairs, need)))?
            .is_some()
        {
            same("the number of pairs", &npairs.values(), &[need])?;
            match compact {
                true if is_null(2) => {}
                true => same("endpos", &first.values(), &ends)?,
                false => same_front("pair_i", &first, &wanted_i)?,
            }
            same_front("pair_j", &second, &wanted_j)?;
        }
        Ok(())
    }
}
