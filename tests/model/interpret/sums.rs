//! Fields, formulas, and runs of them.

use std::ffi::CStr;

use super::super::runs::{Course, State};
use super::super::sums::{FIELDS, Field, Formula, NUMBERS, TEXTS, Table, X, text_of, values};
use super::*;

/// A formula and its model.
#[derive(Default)]
pub(super) struct Slot {
    pub raw: Pointer,
    pub model: Formula,
}

impl Slot {
    /// Whether the formula counts neighbors.
    pub fn counts(&self) -> bool {
        !self.raw.0.is_null() && self.model.text == 0
    }
}

/// NULL at first.
#[derive(Clone, Copy)]
pub(super) struct Pointer(*mut c_void);

impl Default for Pointer {
    fn default() -> Pointer {
        Pointer(std::ptr::null_mut())
    }
}

impl Pointer {
    pub fn cast<T>(self) -> *mut T {
        self.0.cast()
    }
}

/// A formula as an argument.
pub(super) struct Given(*mut neargrid_formula, usize);

impl Argument for Given {
    type Raw = *mut neargrid_formula;
    fn raw(&self) -> *mut neargrid_formula {
        self.0
    }
    fn value(&self, _: &Arena) -> Value {
        match self.0.is_null() {
            true => Value::Null,
            false => Value::Object(Object::Formula(self.1)),
        }
    }
}

impl Run {
    pub(super) fn given(&self, which: usize, null: bool) -> Given {
        match null {
            true => Given(std::ptr::null_mut(), which),
            false => Given(self.formulas[which].raw.cast(), which),
        }
    }

    pub(super) fn make_formula(&mut self, call: &Call) -> Checked {
        let &Call::Formula {
            which,
            text,
            precision,
            with_self,
        } = call
        else {
            return Ok(());
        };
        let object = Object::Formula(which);
        self.arena
            .calls("neargrid_formula_destroy", |_| vec![Value::Object(object)]);
        self.arena.calls("neargrid_formula_create", |arena| {
            vec![TEXTS[text].value(arena), Value::Place(object)]
        });
        let slot = &mut self.formulas[which];
        // SAFETY: made by the library or NULL, and not used again.
        unsafe { neargrid_formula_destroy(slot.raw.cast()) };
        slot.model = Formula {
            text,
            ..Formula::default()
        };
        // SAFETY: a text, and a place for a pointer.
        let status = unsafe { neargrid_formula_create(TEXTS[text].as_ptr(), (&raw mut slot.raw.0).cast()) };
        self.arena.returned(status as i32, text_of_last_error);
        let mut checks = Checks::default();
        let is_none = text + 1 == TEXTS.len();
        checks.must(is_none, BAD_VALUE);
        if self.judge(status as i32, checks.answer(|| ()), None)?.is_none() {
            let is_null = self.formulas[which].raw.0.is_null();
            return is_null
                .then_some(())
                .ok_or("a formula that was not made is not NULL".to_owned());
        }
        let mut checks = Checks::default();
        checks.must(!(0..=1).contains(&precision), BAD_VALUE);
        let formula = self.given(which, false);
        let status = call!(self, neargrid_formula_set_precision(formula, precision));
        if self.judge(status as i32, checks.answer(|| ()), None)?.is_some() {
            self.formulas[which].model.double = precision == 1;
        }
        let mut checks = Checks::default();
        checks.must(!(0..=1).contains(&with_self), BAD_VALUE);
        let formula = self.given(which, false);
        let status = call!(self, neargrid_formula_set_include_self(formula, with_self));
        if self.judge(status as i32, checks.answer(|| ()), None)?.is_some() {
            self.formulas[which].model.with_self = with_self == 1;
        }
        Ok(())
    }

    pub(super) fn set_field(&mut self, h: usize, call: &Call) -> Checked {
        let &Call::FieldSet {
            name,
            of_queries,
            single,
            components,
            off,
            seed,
            null,
        } = call
        else {
            return Ok(());
        };
        let model = self.model(h);
        let points = if of_queries { model.nqueries() } else { model.n() };
        let n = points as i64 + off;
        let mut checks = Checks::default();
        checks.must(h == 2, NULL_POINTER);
        checks.must(name == X, BAD_VALUE);
        checks.must(!(1..=3).contains(&components), BAD_DIM);
        checks.must(!(0..=1 << 24).contains(&n), BAD_COUNT);
        let is_sized = (0..=1 << 24).contains(&n) && (1..=3).contains(&components);
        let len = if is_sized { n as usize * components as usize } else { 0 };
        checks.must(null && n > 0, NULL_POINTER);
        let all = values(seed, len, single);
        let status = if single {
            let given = self
                .arena
                .read(&all.iter().map(|&x| x as f32).collect::<Vec<_>>(), null);
            self.give_f32(h, (name, of_queries), (components, n), given)
        } else {
            let given = self.arena.read(&all, null);
            self.give_f64(h, (name, of_queries), (components, n), given)
        };
        if self.judge(status, checks.answer(|| ()), None)?.is_some() {
            let set = Field {
                components: components as usize,
                single,
                values: all,
            };
            self.handles[h].model.fields.insert((name, of_queries), set);
        }
        Ok(())
    }

    fn give_f32(&mut self, h: usize, of: (usize, bool), (components, n): (i32, i64), values: In<f32>) -> i32 {
        let (name, [x, y, z]) = (FIELDS[of.0], values.of_axes());
        let stride = i64::from(components) * 4;
        call!(
            self,
            h,
            neargrid_search_set_field_f32(name, i32::from(of.1), components, n, x, y, z, stride)
        ) as i32
    }

    fn give_f64(&mut self, h: usize, of: (usize, bool), (components, n): (i32, i64), values: In<f64>) -> i32 {
        let (name, [x, y, z]) = (FIELDS[of.0], values.of_axes());
        let stride = i64::from(components) * 8;
        call!(
            self,
            h,
            neargrid_search_set_field_f64(name, i32::from(of.1), components, n, x, y, z, stride)
        ) as i32
    }

    pub(super) fn set_constant(&mut self, which: usize, number: usize, value: f64) -> Checked {
        let mut checks = Checks::default();
        let formula = &self.formulas[which];
        checks.must(formula.raw.0.is_null(), NULL_POINTER);
        checks.must(!formula.model.has_number(number), BAD_VALUE);
        let (formula, name) = (self.given(which, false), NUMBERS[number]);
        let status = call!(self, neargrid_formula_set_constant(formula, name, value));
        if self.judge(status as i32, checks.answer(|| ()), None)?.is_some() {
            self.formulas[which].model.numbers[number] = Some(value);
        }
        Ok(())
    }

    pub(super) fn get_number(&mut self, which: usize, number: usize, null: bool) -> Checked {
        let mut checks = Checks::default();
        let formula = &self.formulas[which];
        let value = formula.model.numbers.get(number).copied().flatten();
        checks.must(null || formula.raw.0.is_null(), NULL_POINTER);
        checks.must(!formula.model.has_number(number), BAD_VALUE);
        checks.must(value.is_none(), BAD_STATE);
        let (formula, name) = (self.given(which, false), NUMBERS[number]);
        let out = self.arena.write::<f64>(1, null);
        let status = call!(self, neargrid_formula_number(formula, name, out)) as i32;
        match self.judge(status, checks.answer(|| value.unwrap_or(0.0)), None)? {
            Some(wanted) => same_numbers(name, out.values(), &[wanted]),
            None => Ok(()),
        }
    }

    pub(super) fn set_table(&mut self, call: &Call) -> Checked {
        let &Call::FormulaTable {
            which,
            is_known,
            is_cubic,
            of,
            n,
            last,
            seed,
            null,
        } = call
        else {
            return Ok(());
        };
        let mut all = values(seed, n.max(0) as usize, false);
        if let Some(value) = all.first_mut().filter(|_| seed % 8 == 0) {
            *value = f64::INFINITY;
        }
        let mut checks = Checks::default();
        let formula = &self.formulas[which];
        checks.must(formula.raw.0.is_null(), NULL_POINTER);
        checks.must(!(is_known && formula.model.has_table()), BAD_VALUE);
        checks.must(of != 2, BAD_VALUE);
        checks.must(n < if is_cubic { 4 } else { 2 }, BAD_COUNT);
        checks.must(null && n > 0, NULL_POINTER);
        checks.must(last.is_nan() || last <= 0.0, BAD_VALUE);
        checks.must(is_cubic && !all.iter().all(|value| value.is_finite()), NON_FINITE);
        let name: &CStr = if is_known { c"W" } else { c"none" };
        let (formula, given) = (self.given(which, false), self.arena.read(&all, null));
        let status = match is_cubic {
            true => call!(
                self,
                neargrid_formula_set_cubic_table(formula, name, of, 0.0, last, n, given)
            ),
            false => call!(self, neargrid_formula_set_table(formula, name, of, 0.0, last, n, given)),
        };
        if self.judge(status as i32, checks.answer(|| ()), None)?.is_some() {
            self.formulas[which].model.table = Some(Table {
                cubic: is_cubic,
                last,
                values: all,
            });
        }
        Ok(())
    }

    /// Gives all that the formula reads values that fit.
    fn fit(&mut self, h: usize, which: usize, seed: u64) -> Checked {
        let dim = self.model(h).dim.unwrap_or(1) as i32;
        let calls = self.formulas[which].model.fitting(which, dim, seed);
        calls.iter().try_for_each(|call| self.take_step(h, call))
    }

    pub(super) fn run_formula(&mut self, h: usize, call: &Call) -> Checked {
        let &Call::Run {
            which,
            kind,
            times,
            seed,
            null,
        } = call
        else {
            return Ok(());
        };
        if let Some(seed) = seed {
            // Most runs have a formula, where none was made before.
            if self.formulas[which].raw.0.is_null() && seed % 8 != 0 {
                self.make_formula(&Call::Formula {
                    which,
                    text: text_of((seed >> 8) as usize),
                    precision: i32::from(seed & 16 == 0),
                    with_self: i32::from(seed & 96 == 0),
                })?;
            }
            if !self.formulas[which].raw.0.is_null() {
                self.fit(h, which, seed)?;
            }
        }
        let mut checks = Checks::default();
        let formula = &self.formulas[which];
        checks.must(h == 2 || null || formula.raw.0.is_null(), NULL_POINTER);
        let asked = kind_of(kind);
        checks.must(asked.is_none(), BAD_VALUE);
        checks.must(times < 0, BAD_COUNT);
        let asked = asked.unwrap_or(Kind::Full);
        let model = self.model(h);
        if times == 0 {
            // Nothing is searched, so not all that a search refuses is seen.
            let mut of_search = Checks::default();
            model.check_run(&mut of_search, asked);
            (of_search.answer(|| ()).statuses.into_iter()).for_each(|status| checks.may(true, status));
        } else {
            model.check_run(&mut checks, asked);
        }
        formula.model.check(&mut checks, model, asked);
        let everyone = (model.n() + model.nqueries()) as u64;
        checks.may(
            model.limit > 0 && model.limit < 64 * everyone * 40 + (1 << 20),
            MEMORY_LIMIT,
        );
        let course = (!checks.is_refused()).then(|| Course::new(model, &formula.model, asked, times));
        if let Some(course) = &course {
            if course.is_large {
                return Ok(());
            }
            course.refused.iter().for_each(|&status| checks.must(true, status));
            course.doubtful.iter().for_each(|&status| checks.may(true, status));
        }
        let given = self.given(which, null);
        let before = self.work(h).lists;
        let status = call!(self, h, neargrid_search_run(given, kind, times)) as i32;
        let is_done = self.judge(status, checks.answer(|| ()), None)?.is_some();
        self.handles[h].last = None;
        let lists = self.work(h).lists - before;
        let Some(course) = course else {
            self.model_mut(h).doubt_chunks();
            return Ok(());
        };
        if lists != if is_done { course.lists } else { 0 } {
            // A list with a skin of which nobody knows when it was made.
            return self.renew(h);
        }
        if !is_done {
            // A run before may have been refused for the same reason.
            let last = course.refused.contains(&status).then(|| course.last().clone());
            return self.find_state(h, which, last.into_iter().chain(course.early()));
        }
        let last = course.last();
        self.set_state(h, which, last.clone());
        self.model_mut(h).chunks = None;
        if is_done && times > 0 {
            self.check_entries(h, course.entries)?;
        }
        // Not always, for a run finds them where the one before has left them.
        match seed {
            Some(seed) if seed >> 24 & 1 == 0 => Ok(()),
            _ => {
                self.check_fields(h, asked == Kind::Queries)?;
                self.check_pair_fields(h)
            }
        }
    }

    fn set_state(&mut self, h: usize, which: usize, state: State) {
        self.handles[h].model = state.model;
        self.formulas[which].model = state.formula;
    }

    /// Runs that ended early, for another reason than a move: the first state in which the handle is.
    fn find_state(&mut self, h: usize, which: usize, states: impl Iterator<Item = State>) -> Checked {
        let mut found = Ok(());
        for state in states {
            self.set_state(h, which, state);
            self.model_mut(h).doubt_chunks();
            found = self.check_fields(h, false).and_then(|()| self.check_pair_fields(h));
            if found.is_ok() {
                break;
            }
        }
        found
    }

    /// All fields there are, in their precision, and the points.
    pub(super) fn check_fields(&mut self, h: usize, of_queries: bool) -> Checked {
        for name in 0..FIELDS.len() {
            let Some(field) = self.found(h, name, of_queries) else {
                continue;
            };
            let get = Call::FieldGet {
                name,
                of_queries,
                single: field.single,
                off: 0,
                null: false,
            };
            self.arena.begin();
            self.get_field(h, &get)?;
        }
        Ok(())
    }

    /// The values of a field, or the coordinates.
    fn found(&self, h: usize, name: usize, of_queries: bool) -> Option<Field> {
        let model = self.model(h);
        if name != X {
            return model.fields.get(&(name, of_queries)).cloned();
        }
        let (n, everyone) = (model.n(), model.n() + model.nqueries());
        let range = if of_queries { n..everyone } else { 0..n };
        Some(Field {
            components: model.dim?,
            single: model.single,
            values: model.held_of(range).concat(),
        })
    }

    pub(super) fn get_field(&mut self, h: usize, call: &Call) -> Checked {
        let &Call::FieldGet {
            name,
            of_queries,
            single,
            off,
            null,
        } = call
        else {
            return Ok(());
        };
        let mut checks = Checks::default();
        let found = self.found(h, name, of_queries);
        checks.must(h == 2, NULL_POINTER);
        checks.must(found.is_none(), BAD_STATE);
        let (mut n, mut len, mut width) = (off, 0, 1);
        if let Some(field) = &found {
            (width, len) = (field.components, field.values.len());
            n = (len / width) as i64 + off;
            checks.must(off != 0, BAD_COUNT);
            checks.must(null && len > 0, NULL_POINTER);
        }
        self.check_size(h, (name, of_queries), found.as_ref())?;
        self.arena.begin();
        let want = checks.answer(|| {
            let values = found.map_or(Vec::new(), |field| field.values);
            values
                .into_iter()
                .map(|value| rounded(single, value))
                .collect::<Vec<_>>()
        });
        let (name, of, components) = (FIELDS[name], i32::from(of_queries), width as i32);
        if single {
            let out = self.arena.write::<f32>(len, null);
            let ([x, y, z], stride) = (out.of_axes(), width as i64 * 4);
            let status = call!(
                self,
                h,
                neargrid_field_copy_f32(name, of, components, n, x, y, z, stride)
            ) as i32;
            let wanted = self.judge(status, want, None)?;
            let as_double = |values: Vec<f32>| values.into_iter().map(f64::from).collect();
            wanted.map_or(Ok(()), |wanted| same_numbers(name, as_double(out.values()), &wanted))
        } else {
            let out = self.arena.write::<f64>(len, null);
            let ([x, y, z], stride) = (out.of_axes(), width as i64 * 8);
            let status = call!(
                self,
                h,
                neargrid_field_copy_f64(name, of, components, n, x, y, z, stride)
            ) as i32;
            let wanted = self.judge(status, want, None)?;
            wanted.map_or(Ok(()), |wanted| same_numbers(name, out.values(), &wanted))
        }
    }

    fn check_size(&mut self, h: usize, (name, of_queries): (usize, bool), found: Option<&Field>) -> Checked {
        let mut checks = Checks::default();
        checks.must(h == 2, NULL_POINTER);
        checks.must(found.is_none(), BAD_STATE);
        let wanted = found.map_or((0, 0), |field| {
            (field.components, field.values.len() / field.components)
        });
        let (components, n) = (self.arena.write::<i32>(1, false), self.arena.write::<i64>(1, false));
        let (name, of) = (FIELDS[name], i32::from(of_queries));
        let status = call!(self, h, neargrid_field_size(name, of, components, n)) as i32;
        if self.judge(status, checks.answer(|| ()), None)?.is_none() {
            return Ok(());
        }
        same("components", &components.values(), &[wanted.0 as i32])?;
        same("the size of a field", &n.values(), &[wanted.1 as i64])
    }
}

/// The same bits; any NaN is one.
pub(super) fn same_numbers(name: &CStr, found: Vec<f64>, wanted: &[f64]) -> Checked {
    let one = |x: &f64| if x.is_nan() { f64::NAN } else { *x };
    let [found, wanted] = [&found[..], wanted].map(|values| values.iter().map(one).collect::<Vec<f64>>());
    same(format_args!("field {name:?}"), &found, &wanted)
}
