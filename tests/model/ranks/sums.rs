//! Fields, formulas, and runs of them.

use std::ffi::CStr;

use neargrid::capi::{fields::*, formula::*};

use super::super::call::Call;
use super::super::runs::Course;
use super::super::sums::{FIELDS, Field, Formula, NUMBERS, TEXTS, Table, X, text_of, values};
use super::precision::Precise;
use super::rows::{same, same_bits};
use super::team::{Room, Told};
use super::*;

impl World {
    pub(super) fn make_formula(&mut self, call: &Call) -> Result<Played, String> {
        let &Call::Formula {
            which,
            text,
            precision,
            with_self,
        } = call
        else {
            return Ok(Played::Done);
        };
        let statuses = self.team.each(|seat| {
            let place = &mut seat.formulas[which];
            // SAFETY: a formula of ours or NULL, a text, and a place for a pointer.
            unsafe {
                neargrid_formula_destroy(std::mem::replace(place, std::ptr::null_mut()));
                let made = neargrid_formula_create(TEXTS[text].as_ptr(), place);
                let precise = neargrid_formula_set_precision(*place, precision);
                (made, precise, neargrid_formula_set_include_self(*place, with_self))
            }
        });
        let (made, precise, includes) = statuses[0];
        self.formulas[which] = (made == OK).then(|| Formula {
            text,
            double: precise == OK && precision == 1,
            with_self: includes == OK && with_self == 1,
            ..Formula::default()
        });
        Ok(Played::Done)
    }

    pub(super) fn set_field(&mut self, h: usize, call: &Call) -> Result<Played, String> {
        let &Call::FieldSet {
            name,
            of_queries,
            single,
            components,
            off,
            seed,
            null: false,
        } = call
        else {
            return Ok(Played::Skipped("a field that one handle refuses"));
        };
        let model = &mut self.hands[h].model;
        let n = if of_queries { model.nqueries() } else { model.n() } as i64 + off.clamp(-7, 7);
        if name == X || !(1..=3).contains(&components) || n < 0 {
            return Ok(Played::Skipped("a field that one handle refuses"));
        }
        let components = components as usize;
        let set = Field {
            components,
            single,
            values: values(seed, n as usize * components, single),
        };
        model.fields.insert((name, of_queries), set);
        self.give_field(h, (name, of_queries))?;
        Ok(Played::Done)
    }

    pub(super) fn set_constant(&mut self, which: usize, number: usize, value: f64) -> Result<Played, String> {
        let Some(formula) = self.formulas[which]
            .as_mut()
            .filter(|formula| formula.has_number(number))
        else {
            return Ok(Played::Skipped("a formula that has no such number"));
        };
        formula.numbers[number] = Some(value);
        self.team.alone("a constant", |seat| {
            // SAFETY: a formula of ours and a name.
            let status =
                unsafe { neargrid_formula_set_constant(seat.formulas[which], NUMBERS[number].as_ptr(), value) };
            Told::of(status, &[], || ())
        })?;
        Ok(Played::Done)
    }

    pub(super) fn set_table(&mut self, call: &Call) -> Result<Played, String> {
        let &Call::FormulaTable {
            which,
            is_known: true,
            is_cubic,
            of: 2,
            n,
            last,
            seed,
            null: false,
        } = call
        else {
            return Ok(Played::Skipped("a table that a formula refuses"));
        };
        let least = if is_cubic { 4 } else { 2 };
        let Some(formula) = self.formulas[which].as_mut().filter(|formula| formula.has_table()) else {
            return Ok(Played::Skipped("a formula without a table"));
        };
        if n < least || last.is_nan() || last <= 0.0 {
            return Ok(Played::Skipped("a table that a formula refuses"));
        }
        let all = values(seed, n as usize, false);
        formula.table = Some(Table {
            cubic: is_cubic,
            last,
            values: all.clone(),
        });
        self.team.alone("a table", |seat| {
            let (formula, name, first) = (seat.formulas[which], c"W".as_ptr(), all.as_ptr());
            // SAFETY: a formula of ours, a name, and as many values.
            let status = unsafe {
                match is_cubic {
                    true => neargrid_formula_set_cubic_table(formula, name, of_ratio(), 0.0, last, n, first),
                    false => neargrid_formula_set_table(formula, name, of_ratio(), 0.0, last, n, first),
                }
            };
            Told::of(status, &[], || ())
        })?;
        Ok(Played::Done)
    }

    /// The numbers of a formula are the same on all ranks.
    pub(super) fn check_numbers(&mut self, which: usize) -> Result<Played, String> {
        let Some(formula) = self.formulas[which].clone() else {
            return Ok(Played::Skipped("no formula"));
        };
        for (number, name) in NUMBERS.iter().enumerate().take(formula.numbers.len()) {
            let Some(wanted) = formula.numbers[number].filter(|_| formula.has_number(number)) else {
                continue;
            };
            let found = self.team.alone("a number", |seat| {
                let mut value = Room::<f64>::new(1);
                let name = name.as_ptr();
                // SAFETY: a formula of ours, a name, and a place for a number.
                let status =
                    unsafe { neargrid_formula_number(seat.formulas[which].cast_const(), name, value.at(false)) };
                Told::of(status, &[], || value.first())
            })?;
            same_bits("a number of ranks", &found, &vec![wanted; found.len()])?;
        }
        Ok(Played::Done)
    }

    pub(super) fn run_formula(&mut self, h: usize, call: &Call) -> Result<Played, String> {
        let &Call::Run {
            which,
            kind,
            times,
            seed,
            null,
        } = call
        else {
            return Ok(Played::Done);
        };
        let fault = self.team.fault.take();
        if let Some(seed) = seed {
            if self.formulas[which].is_none() {
                self.make_formula(&Call::Formula {
                    which,
                    text: text_of((seed >> 8) as usize),
                    precision: i32::from(seed & 16 == 0),
                    with_self: i32::from(seed & 96 == 0),
                })?;
            }
            let dim = self.hands[h].model.dim.unwrap_or(1) as i32;
            let calls = self.formulas[which]
                .as_ref()
                .map(|formula| formula.fitting(which, dim, seed));
            for call in calls.iter().flatten() {
                self.play(h, call)?;
            }
        }
        self.team.fault = fault;
        let (Some(formula), Some(asked)) = (self.formulas[which].clone(), kind_of(kind)) else {
            return Ok(Played::Skipped("no formula, or no kind of rows"));
        };
        if asked == Kind::Half && self.hands[h].all_pairs {
            return Ok(Played::Skipped("sums over half rows that hang on who has the points"));
        }
        let mut checks = Checks::default();
        let hand = &self.hands[h];
        let mut of_search = Checks::default();
        hand.model.check_run(&mut of_search, asked);
        hand.check_ranks(&mut of_search);
        match times {
            0 => of_search
                .answer(|| ())
                .statuses
                .into_iter()
                .for_each(|status| checks.may(true, status)),
            _ => checks.join(of_search),
        }
        formula.check(&mut checks, &hand.model, asked);
        // Ranks make their plan for texts without sums, too.
        checks.may(hand.model.cell.is_some(), BAD_DOMAIN);
        // The formula is checked before the points.
        let is_of_pairs = formula.pair_field().is_some() && kind_of(kind) != Some(Kind::Full);
        checks.may(hand.model.dim.is_none() && is_of_pairs, NOT_SUPPORTED);
        let nulls = self.nulls(null.into());
        checks.must(nulls.contains(&1), NULL_POINTER);
        checks.must(times < 0, BAD_COUNT);
        let truth = hand.truth();
        let course = (!checks.is_refused()).then(|| Course::new(&truth, &formula, asked, times));
        if let Some(course) = &course {
            if course.is_large {
                return Ok(Played::Skipped("too many images to look at"));
            }
            course.refused.iter().for_each(|&status| checks.must(true, status));
            course.doubtful.iter().for_each(|&status| checks.may(true, status));
        }
        let told = self.team.together(&checks.answer(|| ()), |seat| {
            let formula = if nulls[seat.rank] == 1 {
                std::ptr::null_mut()
            } else {
                seat.formulas[which]
            };
            // SAFETY: a handle and a formula of ours.
            let status = unsafe { neargrid_search_run(seat.searches[h].cast(), formula, kind, times) };
            Told::of(status, &[], || ())
        })?;
        self.changed(h);
        let Some(course) = course else {
            return Ok(Played::Done);
        };
        if let Err(status) = told
            && !course.refused.contains(&status)
        {
            // Nobody knows how far the runs came.
            self.renew(h);
            self.make_formula(&Call::Formula {
                which,
                text: formula.text,
                precision: i32::from(formula.double),
                with_self: i32::from(formula.with_self),
            })?;
            return Ok(Played::Done);
        }
        self.take_state(h, which, &course);
        self.check_fields(h, asked == Kind::Queries)?;
        self.check_pair_fields(h)?;
        self.check_numbers(which)
    }

    /// Takes what the runs have made.
    fn take_state(&mut self, h: usize, which: usize, course: &Course) {
        let state = course.last();
        self.formulas[which] = Some(state.formula.clone());
        let hand = &mut self.hands[h];
        let (ids, larger_ids) = (std::mem::take(&mut hand.model.ids), hand.model.larger_ids);
        hand.model = Model {
            ids,
            larger_ids,
            // Of a list with a skin nobody says when it was made.
            list: None,
            ..state.model.clone()
        };
        hand.are_pairs_elsewhere = false;
    }

    /// All fields, and the points.
    pub(super) fn get_fields(&mut self, h: usize) -> Result<Played, String> {
        self.check_fields(h, false)?;
        if !self.hands[h].model.queries.is_empty() {
            self.check_fields(h, true)?;
        }
        Ok(Played::Done)
    }

    fn check_fields(&mut self, h: usize, of_queries: bool) -> Checked {
        for (name, text) in FIELDS.iter().enumerate() {
            let Some((field, parts)) = self.field_of(h, name, of_queries) else {
                continue;
            };
            match field.single {
                true => self.check_field::<f32>(h, (text, of_queries), field.components, &parts)?,
                false => self.check_field::<f64>(h, (text, of_queries), field.components, &parts)?,
            }
        }
        Ok(())
    }

    /// A field, and the values of each rank's points.
    fn field_of(&self, h: usize, name: usize, of_queries: bool) -> Option<(Field, Vec<Vec<f64>>)> {
        let hand = &self.hands[h];
        let deal = if of_queries { &hand.queries } else { &hand.deal };
        let model = &hand.model;
        let (n, everyone) = (model.n(), model.n() + model.nqueries());
        let field = match name == X {
            false => model.fields.get(&(name, of_queries)).cloned()?,
            true => Field {
                components: model.dim?,
                single: model.single,
                values: model.held_of(if of_queries { n..everyone } else { 0..n }).concat(),
            },
        };
        let parts = deal.parts(&field.values, field.components);
        Some((field, parts))
    }

    fn check_field<T: Precise>(
        &mut self,
        h: usize,
        (name, of_queries): (&CStr, bool),
        width: usize,
        parts: &[Vec<f64>],
    ) -> Checked {
        let of = i32::from(of_queries);
        let found = self.team.alone(&format!("field {name:?}"), |seat| {
            let len = parts[seat.rank].len();
            let (mut sizes, mut components) = (Room::<i64>::new(1), Room::<i32>::new(1));
            let (search, numbers) = (
                seat.searches[h].cast_const().cast(),
                (components.at(false), sizes.at(false)),
            );
            let mut x = Room::<T>::new(len);
            // SAFETY: a handle of ours, places for numbers, and room for all values.
            let status = unsafe {
                let status = neargrid_field_size(search, name.as_ptr(), of, numbers.0, numbers.1);
                match status {
                    OK => T::field(
                        seat.searches[h],
                        (name, of),
                        (width as i32, (len / width) as i64),
                        x.at(false),
                    ),
                    _ => status,
                }
            };
            Told::of(status, &[], || (components.first(), sizes.first(), x.values().to_vec()))
        })?;
        for (rank, (components, n, found)) in found.into_iter().enumerate() {
            let part = &parts[rank];
            let sizes = [(part.len() / width) as i64, width as i64];
            same(
                &format!("the size of field {name:?} on rank {rank}"),
                &[n, components.into()],
                &sizes,
            )?;
            same_bits(&format!("field {name:?} on rank {rank}"), &found, &T::all(part))?;
        }
        Ok(())
    }
}

/// Tables are of r/c.
fn of_ratio() -> i32 {
    2
}
