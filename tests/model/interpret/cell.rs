//! A cell of three vectors, and the rows of images in it.

use neargrid::capi::cell::*;

use super::super::model::images::{Cell, Entry};
use super::*;

impl Run {
    pub(super) fn set_cell(&mut self, h: usize, call: &Call, checks: &mut Checks, after: &mut Model) -> i32 {
        let Call::Cell { cell, periodic, null } = call else {
            return -1;
        };
        let had_box = after.is_periodic();
        after.cell = None;
        if let Some(vectors) = cell {
            checks.must(*null, NULL_POINTER);
            checks.must(periodic.iter().any(|flag| !(0..=1).contains(flag)), BAD_VALUE);
            let made = Cell::new(vectors, periodic);
            checks.must(!made.has_lengths() || made.volume() < 1e-14, BAD_DOMAIN);
            checks.may(made.volume() < 1e-6, BAD_DOMAIN);
            (after.cell, after.domain) = (Some(made), None);
        }
        match had_box && cell.is_some() {
            true => {
                (after.dim, after.points, after.queries) = (None, Vec::new(), Vec::new());
                after.has_queries = false;
                after.changed_points();
                after.moved = None;
            }
            false => after.changed(),
        }
        let vectors = self.arena.read(&cell.clone().unwrap_or_default(), cell.is_none());
        let flags = self.arena.read(periodic, *null);
        call!(self, h, neargrid_search_set_cell(vectors, flags))
    }

    pub(super) fn images(&mut self, h: usize, call: &Call) -> Checked {
        let &Call::Images {
            kind,
            how,
            capacity,
            nulls,
        } = call
        else {
            return Ok(());
        };
        let mut checks = Checks::default();
        let asked = kind_of(kind);
        checks.must(asked.is_none(), BAD_VALUE);
        let model = self.model(h);
        model.check_images(&mut checks, asked.unwrap_or(Kind::Full));
        if !checks.is_refused() && !model.is_small() {
            return Ok(());
        }
        let rows = match checks.is_refused() {
            true => Vec::new(),
            false => model.images(asked.unwrap_or(Kind::Full)),
        };
        match how {
            0 => {
                self.refuse_null(&mut checks, h, nulls, 1);
                let need = rows.iter().map(Vec::len).sum::<usize>() as i64;
                let total = self.arena.write::<i64>(1, nulls & 1 != 0);
                let status = call!(self, h, neargrid_images_count(kind, total));
                if self.judge(status, checks.answer(|| ()), None)?.is_some() {
                    same("the count of images", &total.values(), &[need])?;
                }
            }
            1 => self.copy_images(h, (kind, capacity, nulls), checks, &rows)?,
            _ => self.view_images(h, (kind, nulls), checks, &rows)?,
        }
        self.handles[h].last = None;
        self.model_mut(h).doubt_chunks();
        Ok(())
    }

    fn copy_images(
        &mut self,
        h: usize,
        (kind, capacity, nulls): (i32, Capacity, u8),
        mut checks: Checks,
        rows: &[Vec<Entry>],
    ) -> Checked {
        let need = rows.iter().map(Vec::len).sum::<usize>() as i64;
        let capacity = match capacity {
            Capacity::More(more) => need + more,
            Capacity::Less(less) => (need - less).max(0),
            Capacity::Is(capacity) => capacity,
        };
        let is_null = |k: u32| nulls >> k & 1 != 0;
        checks.must(capacity < 0, BAD_COUNT);
        checks.must(capacity < need && !checks.is_refused(), CAPACITY);
        checks.must(h == 2 || is_null(0) || is_null(1), NULL_POINTER);
        checks.must(is_null(2) && need > 0 && capacity >= need, NULL_POINTER);
        checks.may(is_null(2) && capacity > 0, NULL_POINTER);
        let (n, room) = (self.model(h).n(), capacity.max(0) as usize);
        let total = self.arena.write::<i64>(1, is_null(0));
        let offsets = self.arena.write::<i64>(n + 1, is_null(1));
        let ids = self.arena.write::<i32>(room, is_null(2));
        let shifts = self.arena.write::<i32>(3 * room, is_null(3));
        let want = checks.answer(|| self.model(h).csr_of_images(rows));
        let status = call!(
            self,
            h,
            neargrid_images_copy(kind, n as i64, capacity, total, offsets, ids, shifts)
        );
        if let Some((wanted_offsets, wanted_ids, wanted)) = self.judge(status, want, Some((&total, need)))? {
            same("the number of images", &total.values(), &[need])?;
            same("offsets of images", &offsets.values(), &wanted_offsets)?;
            same_front("ids of images", &ids, &wanted_ids)?;
            same_front("shifts", &shifts, &wanted)?;
            self.check_entries(h, need as usize)?;
        }
        Ok(())
    }

    fn view_images(&mut self, h: usize, (kind, nulls): (i32, u8), mut checks: Checks, rows: &[Vec<Entry>]) -> Checked {
        self.refuse_null(&mut checks, h, nulls, 4);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        let entries = rows.iter().map(Vec::len).sum::<usize>();
        let [n, total] = [0, 1].map(|k| self.arena.write::<i64>(1, is_null(k)));
        let (offsets, ids) = (self.arena.lend::<i64>(is_null(2)), self.arena.lend::<i32>(is_null(3)));
        let shifts = self.arena.lend::<i32>(is_null(4));
        let want = checks.answer(|| self.model(h).csr_of_images(rows));
        let status = call!(self, h, neargrid_images_view(kind, n, total, offsets, ids, shifts));
        let Some((wanted_offsets, wanted_ids, wanted)) = self.judge(status, want, None)? else {
            return Ok(());
        };
        same("the number of rows", &n.values(), &[rows.len() as i64])?;
        same("the number of images", &total.values(), &[entries as i64])?;
        // SAFETY: just lent, and as many as was told.
        let (found, j) = unsafe { (offsets.values(rows.len() + 1), ids.values(entries)) };
        same("offsets of images", &found, &wanted_offsets)?;
        same("ids of images", &j, &wanted_ids)?;
        let mut kept = vec![
            Kept::new("offsets", offsets.lent(), &found),
            Kept::new("ids", ids.lent(), &j),
        ];
        if !is_null(4) {
            // SAFETY: the same.
            let of_entries = unsafe { shifts.values(3 * entries) };
            same("shifts", &of_entries, &wanted)?;
            kept.push(Kept::new("shifts", shifts.lent(), &of_entries));
        }
        self.handles[h].view = Some(View {
            kept,
            of_groups: false,
            list: None,
        });
        Ok(())
    }
}

impl Model {
    /// Offsets, ids and shifts.
    fn csr_of_images(&self, rows: &[Vec<Entry>]) -> (Vec<i64>, Vec<i32>, Vec<i32>) {
        let ids: Vec<Vec<usize>> = (rows.iter()).map(|row| row.iter().map(|&(j, _)| j).collect()).collect();
        let (offsets, ids) = self.csr_of(&ids, &(0..rows.len()).collect::<Vec<_>>());
        (
            offsets,
            ids,
            rows.iter().flatten().flat_map(|&(_, shift)| shift).collect(),
        )
    }
}
