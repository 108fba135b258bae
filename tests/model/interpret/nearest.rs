//! The k nearest.

use super::*;

impl Run {
    pub(super) fn knn(&mut self, h: usize, call: &Call) -> Checked {
        match call {
            Call::Knn { single: true, .. } => self.knn_in::<f32>(h, call),
            _ => self.knn_in::<f64>(h, call),
        }
    }

    pub(super) fn knn_in<T: Coordinate>(&mut self, h: usize, call: &Call) -> Checked {
        let &Call::Knn {
            single,
            view,
            kind,
            k,
            measure,
            off,
            nulls,
        } = call
        else {
            return Ok(());
        };
        let mut checks = Checks::default();
        let model = self.model(h);
        checks.must(!(0..=2).contains(&kind), BAD_VALUE);
        checks.must(!(0..=2).contains(&measure), BAD_VALUE);
        checks.must(!(1..=1024).contains(&k), BAD_COUNT);
        checks.must(
            model.knn_within > 0.0 && !is_radius(model.single, model.knn_within),
            BAD_RADIUS,
        );
        checks.must(model.dim.is_none(), BAD_STATE);
        checks.must(single != model.single, BAD_VALUE);
        let too_many = model.misfit();
        checks.must(kind == 2 && !model.has_queries, BAD_STATE);
        checks.must(too_many && kind != 2, BAD_COUNT);
        checks.may(too_many, BAD_COUNT);
        checks.must(!model.ids.is_empty() && model.ids.len() != model.n(), BAD_COUNT);
        checks.must(model.active_share(&model.ids), BAD_VALUE);
        checks.must(model.cell.is_some(), NOT_SUPPORTED);
        checks.must(model.have_absent() || kind != 2 && model.are_mixed(), NOT_SUPPORTED);
        let rows = if checks.is_refused() { 1 } else { model.knn_rows(kind) };
        checks.must(model.on_gpu && !model.ids_ascend() && rows > 0, NOT_SUPPORTED);
        checks.may(model.on_gpu, NOT_SUPPORTED);
        let elements = rows * k.clamp(0, 1024) as usize;
        checks.may(
            model.limit > 0 && model.limit < 64 * (elements + model.n()) as u64 + (1 << 20),
            MEMORY_LIMIT,
        );
        let is_null = |k: u32| nulls >> k & 1 != 0;
        checks.must(h == 2, NULL_POINTER);
        if view {
            checks.must(nulls & 15 != 0, NULL_POINTER);
        } else {
            checks.must(is_null(3), NULL_POINTER);
            checks.must(rows as i64 + off < 0, BAD_COUNT);
            checks.must((0..rows as i64).contains(&(rows as i64 + off)), CAPACITY);
            checks.must(is_null(0) && elements > 0, NULL_POINTER);
        }
        let want = {
            let model = self.model(h);
            checks.answer(|| model.knn(kind, k as usize, measure))
        };
        let (mut kept, mut is_found) = (Vec::new(), false);
        if view {
            let n = self.arena.write::<i64>(1, is_null(3));
            let (ids, distances) = (self.arena.lend::<i32>(is_null(0)), self.arena.lend::<T>(is_null(1)));
            let counts = self.arena.lend::<i32>(is_null(2));
            let status = T::knn_view(self, h, (kind, k, measure), &n, (&ids, &distances, &counts));
            if let Some((wanted_ids, wanted, wanted_counts)) = self.judge(status, want, None)? {
                is_found = true;
                same("the number of rows", &n.values(), &[rows as i64])?;
                // SAFETY: just lent, and as many as was told.
                let (i, d, c) = unsafe { (ids.values(elements), distances.values(elements), counts.values(rows)) };
                same("counts", &c, &wanted_counts)?;
                same("ids", &i, &wanted_ids)?;
                same("distances", &d, &T::all(&wanted))?;
                kept = vec![
                    Kept::new("ids", ids.lent(), &i),
                    Kept::new("distances", distances.lent(), &d),
                ];
                kept.push(Kept::new("counts", counts.lent(), &c));
            }
        } else {
            let ids = self.arena.write::<i32>(elements, is_null(0));
            let (distances, counts) = (
                self.arena.write::<T>(elements, is_null(1)),
                self.arena.write::<i32>(rows, is_null(2)),
            );
            let (n, capacity) = (self.arena.write::<i64>(1, is_null(3)), rows as i64 + off);
            let sizes = (capacity, &n);
            let status = T::knn_copy(self, h, (kind, k, measure), sizes, (&ids, &distances, &counts));
            let found = self.judge(status, want, Some((&n, rows as i64)))?;
            if let Some((wanted_ids, wanted, wanted_counts)) = found {
                is_found = true;
                same("the number of rows", &n.values(), &[rows as i64])?;
                if !is_null(2) {
                    same("counts", &counts.values(), &wanted_counts)?;
                }
                if !is_null(0) {
                    same("ids", &ids.values(), &wanted_ids)?;
                }
                if !is_null(1) {
                    same("distances", &distances.values(), &T::all(&wanted))?;
                }
            }
        }
        let handle = &mut self.handles[h];
        handle.last = None;
        if is_found {
            handle.model.chunks = None;
            handle.view = view.then_some(View {
                kept,
                of_groups: false,
                list: None,
            });
        } else {
            handle.model.doubt_chunks();
        }
        Ok(())
    }
}
