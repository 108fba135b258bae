//! Questions, which change nothing.

use super::*;

/// A place for a text.
struct Text<'a>(&'a Out<u8>);

impl Argument for Text<'_> {
    type Raw = *mut std::ffi::c_char;
    fn raw(&self) -> *mut std::ffi::c_char {
        self.0.pointer.cast()
    }
    fn value(&self, arena: &Arena) -> Value {
        self.0.value(arena)
    }
}

impl Run {
    pub(super) fn quantity(&mut self, h: usize, call: &Call) -> Checked {
        let Call::Quantity {
            displacements,
            rows,
            single,
            list,
            nulls,
        } = call
        else {
            return Ok(());
        };
        let asked = (*displacements, if *rows { Form::Rows } else { Form::Pairs });
        match single {
            true => self.quantity_in::<f32>(h, asked, list, *nulls),
            false => self.quantity_in::<f64>(h, asked, list, *nulls),
        }
    }

    /// Distances or displacements in a list of this form.
    pub(super) fn quantity_in<T: Coordinate>(
        &mut self,
        h: usize,
        (displacements, form): (bool, Form),
        list: &List,
        nulls: u8,
    ) -> Checked {
        let rows = form != Form::Pairs;
        let mut checks = Checks::default();
        checks.must(h == 2, NULL_POINTER);
        let model = self.model(h);
        checks.must(model.dim.is_none(), BAD_STATE);
        checks.must((size_of::<T>() == 4) != model.single, BAD_VALUE);
        checks.must(form == Form::OfQueries && !model.has_queries, BAD_STATE);
        // Nothing is refused for it where nothing is wanted.
        checks.must(model.cell.is_some(), NOT_SUPPORTED);
        let (n, base) = (model.n(), model.base);
        // Queries follow points.
        let (first_row, nrows) = match form {
            Form::OfQueries => (n, model.nqueries()),
            _ => (0, n),
        };
        let is_null = |k: u32| nulls >> k & 1 != 0;
        let width = if displacements { model.dim.unwrap_or(1) } else { 1 };
        let lent = self.handles[h].view.as_ref().and_then(|view| view.list.as_ref());
        let lent = lent.filter(|lent| lent.1 == form && matches!(list, List::View));
        let (mut pairs, mut first, mut second, count) = if let Some((pairs, _, first, second)) = lent {
            (pairs.clone(), first.clone(), second.clone(), pairs.len() as i64)
        } else {
            let (columns, count) = self.columns(h, list, rows.then_some(nrows));
            let point = |id: i32| usize::try_from(i64::from(id) - base).unwrap_or(usize::MAX);
            let pairs: Vec<(usize, usize)> = columns
                .0
                .iter()
                .zip(&columns.1)
                .map(|(&i, &j)| (point(i), point(j)))
                .collect();
            checks.must(pairs.iter().any(|&(i, j)| i >= nrows || j >= n), BAD_VALUE);
            let second = self.arena.read(&columns.1, false);
            let first = if rows {
                let offsets = offsets_of(&columns.0, nrows, base, count);
                self.arena.read(&offsets, false)
            } else {
                let left = self.arena.read(&columns.0, false);
                In {
                    pointer: left.pointer.cast(),
                }
            };
            (pairs, first, second, count)
        };
        checks.must(!(0..=1 << 40).contains(&count), BAD_COUNT);
        checks.may(rows && !(0..=1 << 40).contains(&count), BAD_VALUE);
        if is_null(0) {
            checks.must(rows || !pairs.is_empty(), NULL_POINTER);
            first = In::null();
        }
        if is_null(1) {
            checks.must(!pairs.is_empty(), NULL_POINTER);
            second = In::null();
        }
        checks.must(is_null(2) && !pairs.is_empty(), NULL_POINTER);
        let out = self.arena.write::<T>(pairs.len() * width, is_null(2));
        let want = {
            let model = self.model(h);
            checks.answer(|| {
                pairs.iter_mut().for_each(|(i, _)| *i += first_row);
                model.quantities(displacements, &pairs)
            })
        };
        let left = In {
            pointer: first.pointer.cast::<i32>(),
        };
        // Every other time displacements come with distances.
        let are_both = displacements && pairs.len() % 2 == 1 && !is_null(2);
        let more = self.arena.write::<T>(pairs.len(), !are_both);
        let results = if displacements { [&more, &out] } else { [&out, &more] };
        let status = match form {
            Form::Rows => T::of_rows(self, h, [n as i64, count], (&first, &second), results),
            Form::OfQueries => T::of_queries(self, h, [nrows as i64, count], (&first, &second), results),
            Form::Pairs => T::of_pairs(self, h, count, (&left, &second), results),
        };
        if let Some(wanted) = self.judge(status, want, None)?
            && !is_null(2)
        {
            if are_both {
                let distances = self.model(h).quantities(false, &pairs);
                same("distances", &more.values(), &T::all(&distances))?;
            }
            same(
                if displacements { "displacements" } else { "distances" },
                &out.values(),
                &T::all(&wanted),
            )?;
        }
        Ok(())
    }

    /// Pairs to ask about, in the index base, and the number that is passed. Of so many rows the first of each ascends.
    pub(super) fn columns(&self, h: usize, list: &List, rows: Option<usize>) -> ((Vec<i32>, Vec<i32>), i64) {
        let model = self.model(h);
        let n = model.n();
        let number = |k: i64| model.number((k.unsigned_abs() as usize) % n.max(1));
        let mut columns = match list {
            List::Given(i, j) => (i.clone(), j.clone()),
            List::Refused(count) => return ((Vec::new(), Vec::new()), *count),
            List::Some(_) | List::View if n == 0 => (Vec::new(), Vec::new()),
            List::Some(count) => (
                (0..*count).map(|k| number(k * 7 + 1)).collect(),
                (0..*count).map(|k| number(k * 13 + 2)).collect(),
            ),
            List::View => ((0..7).map(|k| number(k * 5)).collect(), (0..7).map(number).collect()),
        };
        if let Some(rows) = rows {
            // The rest of the first column has no row.
            let row = |i: i32| model.number((i64::from(i) - model.base).unsigned_abs() as usize % rows.max(1));
            columns.0.iter_mut().for_each(|i| *i = row(*i));
            if rows == 0 {
                columns = (Vec::new(), Vec::new());
            }
            columns.0.sort_unstable();
        }
        let count = columns.0.len() as i64;
        (columns, count)
    }

    pub(super) fn order(&mut self, h: usize, off: i64, null: bool) -> Checked {
        let mut checks = Checks::default();
        checks.must(h == 2, NULL_POINTER);
        let model = self.model(h);
        let n = model.n();
        checks.must(model.dim.is_none(), BAD_STATE);
        checks.must(off != 0, BAD_COUNT);
        checks.must(null && n > 0, NULL_POINTER);
        let want = checks.answer(|| model.order());
        let order = self.arena.write::<i32>(n, null);
        let status = call!(self, h, neargrid_search_order(n as i64 + off, order));
        match self.judge(status, want, None)? {
            Some(wanted) if !null => same("order", &order.values(), &wanted),
            _ => Ok(()),
        }
    }

    pub(super) fn counter(&mut self, h: usize, counter: i32, null: bool) -> Checked {
        let mut checks = Checks::default();
        self.refuse_null(&mut checks, h, null.into(), 1);
        checks.must(!(0..=16).contains(&counter), BAD_VALUE);
        let value = self.arena.write::<i64>(1, null);
        let status = call!(self, h, neargrid_search_counter(counter, value));
        if self.judge(status, checks.answer(|| ()), None)?.is_none() {
            return Ok(());
        }
        let model = self.model(h);
        let wanted = match counter {
            0 => model.n(),
            11 => model.dim.unwrap_or(0),
            13 => model.nqueries(),
            15 if model.misfit() => model.n(), // the next query refuses it
            15 => (0..model.n()).filter(|&i| model.is_active(i)).count(),
            16 => 0,
            _ => {
                return (value.values()[0] >= 0)
                    .then_some(())
                    .ok_or("a counter is negative".to_owned());
            }
        };
        same(format!("counter {counter}"), &value.values(), &[wanted as i64])
    }

    pub(super) fn timing(&mut self, h: usize, phase: i32, null: bool) -> Checked {
        let mut checks = Checks::default();
        self.refuse_null(&mut checks, h, null.into(), 1);
        checks.must(!(0..=5).contains(&phase), BAD_VALUE);
        let seconds = self.arena.write::<f64>(1, null);
        let status = call!(self, h, neargrid_search_timing(phase, seconds));
        if self.judge(status, checks.answer(|| ()), None)?.is_some()
            && !(0.0..f64::INFINITY).contains(&seconds.values()[0])
        {
            return Err(format!("{} seconds", seconds.values()[0]));
        }
        Ok(())
    }

    pub(super) fn info(&mut self, h: usize, capacity: usize, nulls: u8) -> Checked {
        let mut checks = Checks::default();
        checks.must(h == 2 || nulls & 1 != 0 && capacity > 0, NULL_POINTER);
        let text = |run: &mut Run, buffer: &Out<u8>, capacity: usize, length: &Out<usize>| {
            call!(run, h, neargrid_search_info(Text(buffer), capacity, *length))
        };
        self.check_text(capacity, nulls, checks, text)
    }

    pub(super) fn last_error(&mut self, capacity: usize, nulls: u8) -> Checked {
        let mut checks = Checks::default();
        checks.must(nulls & 1 != 0 && capacity > 0, NULL_POINTER);
        let text = |run: &mut Run, buffer: &Out<u8>, capacity: usize, length: &Out<usize>| {
            call!(run, neargrid_last_error(Text(buffer), capacity, *length))
        };
        self.check_text(capacity, nulls, checks, text)
    }

    /// A text is cut to fit, and ends with a NUL.
    pub(super) fn check_text(
        &mut self,
        capacity: usize,
        nulls: u8,
        checks: Checks,
        call: impl Fn(&mut Run, &Out<u8>, usize, &Out<usize>) -> i32,
    ) -> Checked {
        let buffer = self.arena.write::<u8>(capacity, nulls & 1 != 0);
        let length = self.arena.write::<usize>(1, nulls & 2 != 0);
        let status = call(self, &buffer, capacity, &length);
        if self.judge(status, checks.answer(|| ()), None)?.is_none() || nulls & 3 != 0 {
            return Ok(());
        }
        let len = length.values()[0];
        let whole = self.arena.write::<u8>(len + 1, false);
        let again = self.arena.write::<usize>(1, false);
        if call(self, &whole, len + 1, &again) != OK || again.values()[0] != len {
            return Err("a text changed while nothing was called".to_owned());
        }
        let (whole, buffer) = (whole.values(), buffer.values());
        let is_text = whole[len] == 0 && !whole[..len].contains(&0) && std::str::from_utf8(&whole[..len]).is_ok();
        is_text.then_some(()).ok_or("a text is none")?;
        if let Some(cut) = buffer.iter().position(|&byte| byte == 0) {
            same("the front of a text", &buffer[..cut], &whole[..cut])?;
            return (cut + 4 >= capacity.min(len + 1))
                .then_some(())
                .ok_or("a text was cut too short".to_owned());
        }
        (capacity == 0).then_some(()).ok_or("a text has no end".to_owned())
    }

    pub(super) fn skin_used(&mut self, h: usize, null: bool) -> Checked {
        let mut checks = Checks::default();
        self.refuse_null(&mut checks, h, null.into(), 1);
        let share = self.arena.write::<f64>(1, null);
        let status = call!(self, h, neargrid_search_skin_used(share));
        if self.judge(status, checks.answer(|| ()), None)?.is_none() {
            return Ok(());
        }
        let (found, model) = (share.values()[0], self.model(h));
        // A square that overflows is far beyond any skin.
        let is_far = |share: f64| share > 1e150;
        let is_near = |wanted: f64| {
            let is_same = found == wanted || is_far(found) && is_far(wanted);
            is_same || (found - wanted).abs() <= 1e-5 * wanted.max(1.0)
        };
        // If a list was made since the last update, or there is none, the answer may be 0.
        let is_kept = model.list.as_ref().is_some_and(|list| list.value.kept && list.sure);
        let is_right = match model.moved {
            Some(moved) => is_near(moved) || found == 0.0 && !is_kept,
            None => found == 0.0,
        };
        let wanted = (model.list.as_ref().map(|list| list.sure), model.moved);
        is_right
            .then_some(())
            .ok_or(format!("skin used: {found}, list sure and moved {wanted:?}"))
    }
}
