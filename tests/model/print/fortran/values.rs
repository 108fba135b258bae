//! Values of points and pairs, and formulas.

use super::calls::{is_single, none, of_kind, precision};
use super::words::*;
use super::*;

impl Fortran<'_> {
    /// Distances and displacements, by themselves.
    pub(super) fn distances(&mut self, short: &str) -> Spoken {
        let (asked, shift, suffix) = (self.asked, self.shift(), precision(self.asked.event().name).0);
        let of_pairs = short == "pairs_distances";
        let (list, total) = match of_pairs {
            true => {
                let n = asked.integer(1) as usize;
                let [i, j] = [2, 3].map(|k| integers(&asked.given(k, n).shifted(shift)));
                ([i, j], n)
            }
            false => {
                let (n, total) = (asked.integer(1) as usize, asked.integer(2) as usize);
                let (offsets, ids) = (asked.given(3, n + 1), asked.given(4, total));
                ([longs(&offsets.shifted(shift)), integers(&ids.shifted(shift))], total)
            }
        };
        let first = if of_pairs { 4 } else { 5 };
        let before = if short == "queries_distances" { "query_" } else { "" };
        if total == 0 || asked.is_null(first) && asked.is_null(first + 1) {
            return LeftOut;
        }
        let [i, j] = list;
        if !asked.is_null(first) {
            self.line(&format!("call room(x_{suffix}, {})", total + 1));
            let procedure = self.of_search(&format!("{before}distances"));
            self.call(&procedure, &[i.clone(), j.clone(), format!("x_{suffix}")]);
            self.compare("front", &format!("x_{suffix}"), first, 0, false);
        }
        if !asked.is_null(first + 1) {
            let dim = asked.room(first + 1) / total;
            self.line(&format!("call room(v_{suffix}, {dim}, {})", total + 1));
            let procedure = self.of_search(&format!("{before}displacements"));
            self.call(&procedure, &[i, j, format!("v_{suffix}")]);
            self.compare("front", &format!("v_{suffix}"), first + 1, 0, false);
        }
        Printed
    }

    pub(super) fn carry(&mut self) {
        let (asked, shift, suffix) = (self.asked, self.shift(), precision(self.asked.event().name).0);
        let rows = |n: usize, offsets: usize, ids: usize| {
            let n = asked.integer(n) as usize;
            let offsets = if n > 0 { asked.given(offsets, n + 1) } else { none() };
            let entries = offsets.integers().last().map_or(0, |end| end - offsets.integers()[0]) as usize;
            let ids = if n > 0 { asked.given(ids, entries) } else { none() };
            ([longs(&offsets.shifted(shift)), integers(&ids.shifted(shift))], entries)
        };
        let ([old_offsets, old_ids], old_entries) = rows(2, 3, 4);
        let ([offsets, ids], entries) = rows(8, 9, 10);
        let columns_of_values = asked.integer(13) as usize;
        let of_kind = |values: Numbers| of_kind(asked.event().name, values);
        let old_values = of_kind(asked.given(15, old_entries * columns_of_values));
        let is_list = columns_of_values == 1 && self.is_odd();
        let values = if is_list {
            format!("x_{suffix}")
        } else {
            format!("v_{suffix}")
        };
        match is_list {
            true => self.line(&format!("call room({values}, {})", entries + 1)),
            false => self.line(&format!("call room({values}, {columns_of_values}, {})", entries + 1)),
        }
        let old = match is_list {
            true => integers(&old_values),
            false => table(&integers(&old_values), columns_of_values, old_entries),
        };
        let mut arguments = vec![old_offsets, old_ids, old, offsets, ids, values.clone()];
        if !asked.is_null(14) {
            arguments.push(format!("signs={}", integers(&asked.given(14, columns_of_values))));
        }
        for (name, n, k) in [("old_global_ids", 5, 6), ("global_ids", 11, 12)] {
            if !asked.is_null(k) {
                arguments.push(format!("{name}={}", longs(&asked.given(k, asked.integer(n) as usize))));
            }
        }
        if !asked.is_null(18) {
            arguments.push("lost=ap".into());
        }
        self.call(&self.of_search("carry"), &arguments);
        self.compare("front", &values, 16, 0, false);
        self.compare("same", "ap", 18, shift, true);
    }

    pub(super) fn formula(&mut self, short: &str) -> Spoken {
        let asked = self.asked;
        let place = usize::from(short == "formula_create");
        if asked.is_null(place) {
            return LeftOut;
        }
        let of = |procedure: &str| format!("f({})%{procedure}", asked.object(place));
        match short {
            "formula_create" => self.call(&of("create"), &[strings(asked.text(0))]),
            "formula_destroy" => {
                self.line(&format!("call {}()", of("destroy")));
                Printed
            }
            "formula_set_precision" => self.call(&of("set_precision"), &[int(asked.integer(1))]),
            "formula_set_include_self" => {
                self.call(&of("set_include_self"), &[logical(asked.integer(1) == 1).to_owned()])
            }
            "formula_set_constant" => {
                let value = self.either(asked.real(2));
                self.call(&of("set"), &[self.name_of(1), value])
            }
            "formula_number" => {
                self.call(&of("get"), &[self.name_of(1), "r_f64".into()]);
                if let Some(Numbers::Reals(wanted)) = asked.answer(2) {
                    self.line(&format!("call same(r_f64, {})", real(wanted[0])));
                }
                Printed
            }
            "formula_set_table" | "formula_set_cubic_table" => {
                let values = integers(&asked.given(6, asked.integer(5) as usize));
                let arguments = [
                    self.name_of(1),
                    int(asked.integer(2)),
                    real(asked.real(3)),
                    real(asked.real(4)),
                    values,
                ];
                self.call(&of(short.trim_start_matches("formula_")), &arguments)
            }
            _ => Unspeakable,
        }
    }

    pub(super) fn field(&mut self, short: &str) -> Spoken {
        if short == "field_size" {
            return LeftOut;
        }
        let (asked, suffix) = (self.asked, precision(self.asked.event().name).0);
        let (components, n) = (asked.integer(3) as usize, asked.integer(4) as usize);
        let query = if asked.integer(2) == 1 { "_query" } else { "" };
        let name = self.name_of(1);
        if short == "search_set_field" {
            let values = of_kind(asked.event().name, asked.points(5, components, asked.integer(8), n));
            let procedure = self.of_search(&format!("set{query}"));
            let mut arguments = vec![name];
            match components {
                1 => arguments.push(integers(&values)),
                _ if self.is_odd() && n > 0 => {
                    arguments.extend((0..components).map(|axis| integers(&values.every(axis, components))));
                }
                _ => arguments.push(table(&integers(&values), components, n)),
            }
            return self.call(&procedure, &arguments);
        }
        let procedure = self.of_search(&format!("get{query}"));
        let (is_fill, by_axes) = (asked.number % 2 == 0, components > 1 && asked.number % 4 > 1);
        let names: Vec<String> = match components {
            1 => vec![format!("x_{suffix}")],
            _ if by_axes => (0..components)
                .map(|axis| format!("{}_{suffix}", ["x", "y", "z"][axis]))
                .collect(),
            _ => vec![format!("v_{suffix}")],
        };
        let mut arguments = vec![name];
        if is_fill {
            for name in &names {
                match name.starts_with('v') {
                    true => self.line(&format!("call room({name}, {components}, {})", n + 1)),
                    false => self.line(&format!("call room({name}, {})", n + 1)),
                }
            }
            arguments.push("n".into());
        }
        arguments.extend(names.clone());
        self.call(&procedure, &arguments);
        if is_fill {
            self.line(&format!("call same(n, {})", long(n as i64)));
        }
        let how = if is_fill { "front" } else { "same" };
        let Some(all) = asked.answer(5) else { return Printed };
        for (axis, name) in names.iter().enumerate() {
            let wanted = if by_axes {
                all.every(axis, components)
            } else {
                all.clone()
            };
            self.wanted(how, name, &wanted, false);
        }
        Printed
    }

    pub(super) fn pair_field(&mut self, short: &str) -> Spoken {
        let (asked, shift, suffix) = (self.asked, self.shift(), precision(self.asked.event().name).0);
        let h = asked.object(0);
        if short == "pair_field_size" {
            return LeftOut;
        }
        let (name, components, n) = (self.name_of(1), asked.integer(2) as usize, asked.integer(3) as usize);
        let by_ids = short.contains("_ids");
        if short.starts_with("search_set") {
            self.have_pairs[h] = true;
            let offsets = if n > 0 { asked.given(4, n + 1) } else { none() };
            let entries = offsets.integers().last().map_or(0, |end| end - offsets.integers()[0]) as usize;
            let ids = if entries > 0 { asked.given(5, entries) } else { none() };
            let values = of_kind(asked.event().name, asked.given(6, entries * components));
            let values = match components {
                1 => integers(&values),
                _ => table(&integers(&values), components, entries),
            };
            let ids = match by_ids {
                true if self.have_ids[h] => longs(&ids),
                true => longs(&ids.shifted(shift)),
                false => integers(&ids.shifted(shift)),
            };
            let procedure = self.of_search("set_pair_field");
            return self.call(&procedure, &[name, longs(&offsets.shifted(shift)), ids, values]);
        }
        let values = if components == 1 {
            format!("x_{suffix}")
        } else {
            format!("v_{suffix}")
        };
        let ids = if by_ids { "ap" } else { "ai" };
        self.call(
            &self.of_search("pair_field"),
            &[name, "ao".into(), ids.into(), values.clone()],
        );
        self.compare("same", "ao", 5, shift, true);
        match by_ids {
            true if self.are_ids_mixed[h] => {}
            true if self.have_ids[h] => self.compare("same", "ap", 6, 0, true),
            true => self.compare("same", "ap", 6, shift, true),
            false => self.compare("same", "ai", 6, shift, false),
        }
        self.compare("same", &values, 7, 0, false);
        Printed
    }

    pub(super) fn solve(&mut self) -> Spoken {
        let asked = self.asked;
        let name = asked.event().name;
        let suffix = precision(name).0;
        let Ok(times) = i32::try_from(asked.integer(8)) else {
            return Unspeakable;
        };
        if suffix == "f32" && !(is_single(asked.real(4)) && is_single(asked.real(7))) {
            return Unspeakable;
        }
        self.have_pairs[asked.object(0)] = true;
        let mut arguments = vec![format!("f({})", asked.object(1)), self.name_of(3)];
        arguments.extend([4, 5, 6].map(|k| Self::of_points(name, asked.real(k))));
        arguments.push(format!("x_{suffix}"));
        arguments.push(format!("tolerance={}", Self::of_points(name, asked.real(7))));
        arguments.push(format!("max_iterations={}", int(times.into())));
        arguments.push(self.kind(2));
        arguments.extend(["outcomes=ai".to_owned(), "nunsolved=n".to_owned()]);
        self.call(&self.of_search("solve_radii"), &arguments);
        self.compare("same", &format!("x_{suffix}"), 11, 0, false);
        self.compare("same", "ai", 12, 0, false);
        self.compare_one("n", 13, 0);
        Printed
    }

    /// The drop-ins ask at once for what C counts and fetches.
    pub(super) fn drop_in(&mut self, short: &str) -> Spoken {
        let asked = self.asked;
        match short {
            "celllist_count" => {
                self.celllist = Some(asked.number);
                return LeftOut;
            }
            "celllist_fetch" | "celllist_fetch_compact" => {}
            _ => return LeftOut,
        }
        let Some(number) = self.celllist else {
            return Unspeakable;
        };
        let count = super::Asked { number, ..asked };
        let name = count.event().name;
        let (dim, n) = (count.integer(0) as usize, count.integer(1) as usize);
        let shift = 1 - count.integer(5);
        let room = asked.integer(0);
        let x = of_kind(name, count.given(2, dim * n));
        let x = if self.is_odd() {
            integers(&x)
        } else {
            table(&integers(&x), dim, n)
        };
        let mut arguments = vec![int(dim as i64), int(n as i64), x, Self::of_points(name, count.real(3))];
        let more = match count.integer(4) {
            0 => vec!["exclusive=.false.".to_owned()],
            1 => vec!["exclusive=.true.".to_owned()],
            _ => Vec::new(),
        };
        if short == "celllist_fetch_compact" {
            self.line(&format!("call room(ai, {n})"));
            self.line(&format!("call room(aj, {room})"));
            arguments.extend([int(room), "k".into(), "ai".into(), "aj".into()]);
            arguments.extend(more);
            self.call("cellList_compact", &arguments);
            self.compare_one("int(k, int64)", 1, 0);
            self.compare("same", "ai", 2, 0, false);
            self.compare("front", "aj", 3, shift, false);
            return Printed;
        }
        if asked.number % 4 < 2 {
            arguments.extend(["ai".to_owned(), "aj".to_owned()]);
            arguments.extend(more);
            self.call("cellList", &arguments);
            self.compare("same", "ai", 2, shift, false);
            self.compare("same", "aj", 3, shift, false);
            return Printed;
        }
        self.line(&format!("call room(ai, {room})"));
        self.line(&format!("call room(aj, {room})"));
        arguments.insert(2, int(1));
        arguments.extend([int(room), "k".into(), "ai".into(), "aj".into()]);
        arguments.extend(more);
        self.call("cellList", &arguments);
        self.compare_one("int(k, int64)", 1, 0);
        self.compare("front", "ai", 2, shift, false);
        self.compare("front", "aj", 3, shift, false);
        Printed
    }
}
