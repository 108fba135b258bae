//! Formulas, and sums by them.

use std::ffi::CStr;

use super::super::sums::{FIELDS, Field, Formula, TEXTS, Table, output_of, values};
use super::*;

/// A formula and its model.
#[derive(Default)]
pub(super) struct Slot {
    pub raw: Pointer,
    model: Formula,
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
struct Given(*mut neargrid_formula, usize);

impl Argument for Given {
    type Raw = *mut neargrid_formula;
    fn raw(&self) -> *mut neargrid_formula {
        self.0
    }
    fn text(&self) -> String {
        match self.0.is_null() {
            true => "NULL".to_owned(),
            false => format!("f{}", self.1),
        }
    }
}

impl Run {
    fn given(&self, which: usize, null: bool) -> Given {
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
        self.arena.say(|| {
            let text = Argument::text(&TEXTS[text]);
            format!("    neargrid_formula_destroy(f{which});\n    status(neargrid_formula_create({text}, &f{which}));")
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
        let &Call::FormulaField {
            which,
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
        let formula = &self.formulas[which];
        checks.must(formula.raw.0.is_null(), NULL_POINTER);
        checks.must(!formula.model.reads(name), BAD_VALUE);
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
            self.give_f32(which, (name, of_queries), (components, n), given)
        } else {
            let given = self.arena.read(&all, null);
            self.give_f64(which, (name, of_queries), (components, n), given)
        };
        if self.judge(status, checks.answer(|| ()), None)?.is_some() {
            self.formulas[which].model.fields[name][usize::from(of_queries)] = Some(Field {
                components: components as usize,
                values: all,
            });
        }
        Ok(())
    }

    fn give_f32(&mut self, which: usize, of: (usize, bool), (components, n): (i32, i64), values: In<f32>) -> i32 {
        let (formula, name) = (self.given(which, false), FIELDS[of.0]);
        let [x, y, z] = values.of_axes();
        let stride = i64::from(components) * 4;
        call!(
            self,
            neargrid_formula_set_field_f32(formula, name, i32::from(of.1), components, n, x, y, z, stride)
        ) as i32
    }

    fn give_f64(&mut self, which: usize, of: (usize, bool), (components, n): (i32, i64), values: In<f64>) -> i32 {
        let (formula, name) = (self.given(which, false), FIELDS[of.0]);
        let [x, y, z] = values.of_axes();
        let stride = i64::from(components) * 8;
        call!(
            self,
            neargrid_formula_set_field_f64(formula, name, i32::from(of.1), components, n, x, y, z, stride)
        ) as i32
    }

    pub(super) fn set_constant(&mut self, which: usize, is_known: bool, value: f64) -> Checked {
        let mut checks = Checks::default();
        let formula = &self.formulas[which];
        checks.must(formula.raw.0.is_null(), NULL_POINTER);
        checks.must(!(is_known && formula.model.has_constant()), BAD_VALUE);
        let name: &CStr = if is_known { c"h" } else { c"none" };
        let formula = self.given(which, false);
        let status = call!(self, neargrid_formula_set_constant(formula, name, value));
        if self.judge(status as i32, checks.answer(|| ()), None)?.is_some() {
            self.formulas[which].model.h = Some(value);
        }
        Ok(())
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
        for (name, of_queries) in [(0, false), (0, true), (1, false), (1, true)] {
            if self.formulas[which].model.reads(name) {
                self.set_field(
                    h,
                    &Call::FormulaField {
                        which,
                        name,
                        of_queries,
                        single: seed & 1 == 0,
                        components: if name == 1 { dim } else { 1 },
                        off: 0,
                        seed: seed.wrapping_add(name as u64),
                        null: false,
                    },
                )?;
            }
        }
        if self.formulas[which].model.has_table() {
            self.set_table(&Call::FormulaTable {
                which,
                is_known: true,
                is_cubic: seed & 2 == 0,
                of: 2,
                n: 4 + (seed % 50) as i64,
                last: 0.9,
                seed: seed | 1,
                null: false,
            })?;
        }
        match self.formulas[which].model.has_constant() {
            true => self.set_constant(which, true, 0.37),
            false => Ok(()),
        }
    }

    pub(super) fn sum(&mut self, h: usize, which: usize, kind: i32, seed: Option<u64>, null: bool) -> Checked {
        if let Some(seed) = seed.filter(|_| !self.formulas[which].raw.0.is_null()) {
            self.fit(h, which, seed)?;
        }
        let mut checks = Checks::default();
        let formula = &self.formulas[which];
        checks.must(h == 2 || null || formula.raw.0.is_null(), NULL_POINTER);
        let asked = kind_of(kind);
        checks.must(asked.is_none(), BAD_VALUE);
        let asked = asked.unwrap_or(Kind::Full);
        let model = self.model(h);
        model.check_search(&mut checks, asked, true);
        formula.model.check(&mut checks, model, asked);
        let everyone = (model.n() + model.nqueries()) as u64;
        checks.may(
            model.limit > 0 && model.limit < 64 * everyone * 40 + (1 << 20),
            MEMORY_LIMIT,
        );
        let want = checks.answer(|| {
            let entries = model.rows(asked).iter().map(Vec::len).sum::<usize>();
            (formula.model.sum(model, asked), entries)
        });
        let given = self.given(which, null);
        let status = call!(self, h, neargrid_search_sum(given, kind)) as i32;
        let Some((outputs, entries)) = self.judge(status, want, None)? else {
            let handle = &mut self.handles[h];
            handle.model.doubt_chunks();
            handle.last = None;
            return Ok(());
        };
        let handle = &mut self.handles[h];
        handle.model.chunks = None;
        handle.last = None;
        self.check_entries(h, entries)?;
        let model = &mut self.formulas[which].model;
        model.outputs = Some((model.double, outputs));
        let single = !model.double;
        let count = model.outputs.as_ref().map_or(0, |(_, outputs)| outputs.len());
        for output in 0..count {
            let get = Call::FormulaGet {
                which,
                output,
                single,
                off: 0,
                null: false,
            };
            self.arena.begin();
            self.get_output(&get)?;
        }
        Ok(())
    }

    pub(super) fn get_output(&mut self, call: &Call) -> Checked {
        let &Call::FormulaGet {
            which,
            output,
            single,
            off,
            null,
        } = call
        else {
            return Ok(());
        };
        let mut checks = Checks::default();
        let Formula { text, outputs, .. } = &self.formulas[which].model;
        let name = output_of(*text, output);
        checks.must(self.formulas[which].raw.0.is_null(), NULL_POINTER);
        checks.must(name == c"none", BAD_VALUE);
        checks.must(outputs.is_none(), BAD_STATE);
        let (mut n, mut len, mut width, mut found) = (off, 0, 1, None);
        if let Some((double, outputs)) = outputs {
            checks.must(*double == single, BAD_VALUE);
            found = outputs.get(output).cloned();
        }
        if let Some(output) = &found {
            let values = &output.values;
            width = output.width;
            n = (values.len() / width) as i64 + off;
            len = values.len();
            checks.must(off != 0, BAD_COUNT);
            checks.must(null && len > 0, NULL_POINTER);
        }
        let want = checks.answer(|| found.map_or(Vec::new(), |output| output.values));
        let formula = self.given(which, false);
        if single {
            let out = self.arena.write::<f32>(len, null);
            let ([x, y, z], width) = (out.of_axes(), width as i32);
            let stride = i64::from(width) * 4;
            let status = call!(
                self,
                neargrid_formula_copy_f32(formula, name, width, n, x, y, z, stride)
            ) as i32;
            let wanted = self.judge(status, want, None)?;
            let as_double = |values: Vec<f32>| values.into_iter().map(f64::from).collect();
            wanted.map_or(Ok(()), |wanted| same_numbers(name, as_double(out.values()), &wanted))
        } else {
            let out = self.arena.write::<f64>(len, null);
            let ([x, y, z], width) = (out.of_axes(), width as i32);
            let stride = i64::from(width) * 8;
            let status = call!(
                self,
                neargrid_formula_copy_f64(formula, name, width, n, x, y, z, stride)
            ) as i32;
            let wanted = self.judge(status, want, None)?;
            wanted.map_or(Ok(()), |wanted| same_numbers(name, out.values(), &wanted))
        }
    }
}

/// The same bits; any NaN is one.
fn same_numbers(name: &CStr, found: Vec<f64>, wanted: &[f64]) -> Checked {
    let one = |x: &f64| if x.is_nan() { f64::NAN } else { *x };
    let [found, wanted] = [&found[..], wanted].map(|values| values.iter().map(one).collect::<Vec<f64>>());
    same(format_args!("output {name:?}"), &found, &wanted)
}
