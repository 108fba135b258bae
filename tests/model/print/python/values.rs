//! Values of points and pairs, and formulas.

use super::calls::{dtype, none, of_kind, table};
use super::*;

impl Python<'_> {
    /// Distances of pairs, those of rows too.
    pub(super) fn distances(&mut self, short: &str) -> Spoken {
        let (asked, search) = (self.asked, self.search());
        let first = if short == "pairs_distances" { 4 } else { 5 };
        if asked.is_null(first) && asked.is_null(first + 1) {
            return LeftOut;
        }
        let (before, given) = match short {
            "pairs_distances" => {
                let n = asked.integer(1) as usize;
                let [i, j] = [2, 3].map(|k| list(&asked.given(k, n), false));
                ("", format!("{i}, {j}"))
            }
            _ => {
                let (n, total) = (asked.integer(1) as usize, asked.integer(2) as usize);
                let offsets = if asked.is_null(3) {
                    none()
                } else {
                    asked.given(3, n + 1)
                };
                let (offsets, ids) = (list(&offsets, true), list(&asked.given(4, total), false));
                match short {
                    "queries_distances" => ("query_", format!("{offsets}, {ids}")),
                    _ => ("", format!("rows_of({offsets}), {ids}")),
                }
            }
        };
        if !asked.is_null(first) {
            self.call(&format!("found = {search}.{before}distances({given})"));
            self.compare("found", first, false);
        }
        if !asked.is_null(first + 1) {
            self.call(&format!("found = {search}.{before}displacements({given})"));
            self.compare("found", first + 1, false);
        }
        Printed
    }

    pub(super) fn carry(&mut self) {
        let (asked, search, name) = (self.asked, self.search(), self.asked.event().name);
        let rows = |n: usize, offsets: usize, ids: usize| {
            let n = asked.integer(n) as usize;
            let offsets = if n > 0 { asked.given(offsets, n + 1) } else { none() };
            let entries = offsets.integers().last().map_or(0, |end| end - offsets.integers()[0]) as usize;
            let ids = if n > 0 { asked.given(ids, entries) } else { none() };
            (format!("({}, {})", list(&offsets, true), list(&ids, false)), entries)
        };
        let ((old, old_entries), (new, _)) = (rows(2, 3, 4), rows(8, 9, 10));
        let columns = asked.integer(13) as usize;
        let values = of_kind(name, asked.given(15, old_entries * columns));
        let values = match columns {
            1 if self.is_odd() => list(&values, false),
            _ => format!("{}.reshape({old_entries}, {columns})", list(&values, false)),
        };
        let mut points = String::new();
        for (name, n, k) in [("old_global_ids", 5, 6), ("global_ids", 11, 12)] {
            if !asked.is_null(k) {
                points += &format!(", {name}={}", list(&asked.given(k, asked.integer(n) as usize), true));
            }
        }
        let signs = match asked.is_null(14) {
            true => String::new(),
            false => format!(", signs={}", list(&asked.given(14, columns), false)),
        };
        self.call(&format!(
            "found = {search}.carry({old}, {values}, {new}{signs}{points})"
        ));
        self.compare("found", 16, false);
        if !asked.is_null(18) {
            self.call(&format!("found = {search}.lost_contacts({old}, {new}{points})"));
            self.compare("found", 18, true);
        }
    }

    pub(super) fn formula(&mut self, short: &str) -> Spoken {
        let asked = self.asked;
        let place = usize::from(short == "formula_create");
        if asked.is_null(place) {
            return LeftOut;
        }
        let formula = format!("f[{}]", asked.object(place));
        match short {
            "formula_create" => {
                let mut given = string(asked.text(0));
                let precision = self.next_of("neargrid_formula_set_precision", 1);
                if let Some((_, next)) = precision {
                    given += &format!(", precision=word(\"PRECISION\", {})", next.integer(1));
                }
                if let Some((_, next)) = self.next_of("neargrid_formula_set_include_self", 2) {
                    given += &format!(", include_self={}", next.integer(1));
                }
                self.call(&format!("{formula} = neargrid.Formula({given})"))
            }
            "formula_destroy" => self.call(&format!("{formula} = None")),
            // Said where the formula is made.
            "formula_set_precision" | "formula_set_include_self" => Printed,
            "formula_set_constant" => {
                let (name, value) = (self.name_of(1), self.real(2));
                self.call(&format!("{formula}.set({name}, {value})"))
            }
            "formula_number" => {
                let name = self.name_of(1);
                self.call(&format!("found = {formula}.get({name})"));
                if let Some(Numbers::Reals(wanted)) = asked.answer(2) {
                    self.line(&format!("same(found, {})", real(wanted[0], format!("{:?}", wanted[0]))));
                }
                Printed
            }
            "formula_set_table" | "formula_set_cubic_table" => {
                let values = list(&asked.given(6, asked.integer(5) as usize), false);
                let (name, first, last) = (self.name_of(1), self.real(3), self.real(4));
                let method = short.trim_start_matches("formula_");
                let of = ["r", "r2", "r/c"][asked.integer(2) as usize];
                self.call(&format!(
                    "{formula}.{method}({name}, {values}, {first}, {last}, \"{of}\")"
                ))
            }
            _ => Unspeakable,
        }
    }

    pub(super) fn field(&mut self, short: &str) -> Spoken {
        if short == "field_size" {
            return LeftOut;
        }
        let (asked, search, function) = (self.asked, self.search(), self.asked.event().name);
        let (components, n) = (asked.integer(3) as usize, asked.integer(4) as usize);
        let query = if asked.integer(2) == 1 { "_query" } else { "" };
        let name = self.name_of(1);
        if short == "search_set_field" {
            let values = of_kind(function, asked.points(5, components, asked.integer(8), n));
            let values = match components {
                1 => list(&values, false),
                _ => table(&values, components),
            };
            return self.call(&format!("{search}.set{query}({name}, {values})"));
        }
        self.call(&format!("found = {search}.get{query}({name}, {})", dtype(function)));
        self.compare("found", 5, false);
        Printed
    }

    pub(super) fn pair_field(&mut self, short: &str) -> Spoken {
        let (asked, search, function) = (self.asked, self.search(), self.asked.event().name);
        let h = asked.object(0);
        if short == "pair_field_size" {
            return LeftOut;
        }
        let (name, components, n) = (self.name_of(1), asked.integer(2) as usize, asked.integer(3) as usize);
        let by_ids = short.contains("_ids");
        let how = if by_ids { "_by_ids" } else { "" };
        if short.starts_with("search_set") {
            self.have_pairs[h] = true;
            let offsets = if n > 0 { asked.given(4, n + 1) } else { none() };
            let entries = offsets.integers().last().map_or(0, |end| end - offsets.integers()[0]) as usize;
            let ids = if entries > 0 { asked.given(5, entries) } else { none() };
            let values = of_kind(function, asked.given(6, entries * components));
            let values = match components {
                1 => list(&values, false),
                _ => table(&values, components),
            };
            let rows = format!("({}, {})", list(&offsets, true), list(&ids, by_ids));
            return self.call(&format!("{search}.set_pair_field{how}({name}, {rows}, {values})"));
        }
        self.call(&format!(
            "offsets, ids, found = {search}.pair_field{how}({name}, {})",
            dtype(function)
        ));
        self.compare("offsets", 5, true);
        self.compare("ids", 6, by_ids);
        self.compare("found", 7, false);
        Printed
    }

    pub(super) fn solve(&mut self) {
        let (asked, search) = (self.asked, self.search());
        self.have_pairs[asked.object(0)] = true;
        let given: Vec<String> = (4..8).map(|k| self.real(k)).collect();
        let (formula, name, kind) = (asked.object(1), self.name_of(3), self.word("NEIGHBORS", 2));
        let (given, times) = (given.join(", "), asked.integer(8));
        self.call(&format!(
            "found = {search}.solve_radii(f[{formula}], {name}, {given}, {times}, {kind})"
        ));
        self.compare("found[0]", 11, false);
        if let Some(outcomes) = asked.answer(12) {
            let numbers: Vec<i64> = outcomes.integers().to_vec();
            self.line(&format!(
                "same(list(found[1]), [word(\"OUTCOME\", k) for k in {numbers:?}])"
            ));
        }
    }
}
