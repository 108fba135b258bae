//! The method for each function of C.

use super::{LeftOut, Numbers, Printed, Python, Spoken, Unspeakable, list, real, string};

fn none() -> Numbers {
    Numbers::Integers(Vec::new())
}

/// Whether a function is of real32.
fn is_single(name: &str) -> bool {
    name.ends_with("_f32")
}

/// Numbers of the kind of a function, where there may be none.
fn of_kind(name: &str, values: Numbers) -> Numbers {
    match (values.len(), is_single(name)) {
        (0, true) => Numbers::Singles(Vec::new()),
        (0, false) => Numbers::Reals(Vec::new()),
        _ => values,
    }
}

fn dtype(name: &str) -> &'static str {
    if is_single(name) { "F([]).dtype" } else { "D([]).dtype" }
}

/// A table of rows.
fn table(values: &Numbers, columns: usize) -> String {
    match values.len() {
        0 => format!("{}.reshape(0, {columns})", list(values, false)),
        _ => format!("{}.reshape(-1, {columns})", list(values, false)),
    }
}

impl Python<'_> {
    fn real(&self, argument: usize) -> String {
        let value = self.asked.real(argument);
        real(value, format!("{value:?}"))
    }

    pub(super) fn event(&mut self) -> Spoken {
        let name = self.asked.event().name;
        let was_cleared = std::mem::take(&mut self.is_cleared);
        let short = name
            .trim_start_matches("neargrid_")
            .trim_end_matches("_f32")
            .trim_end_matches("_f64");
        match short {
            "search_create" | "search_destroy" => self.life(short),
            "search_set_radii" => self.radii(was_cleared),
            _ if short.starts_with("formula_") => self.formula(short),
            "search_set_points" | "search_add_points" | "search_set_queries" | "search_update" => self.points(short),
            _ if short.contains("pair_field") => self.pair_field(short),
            _ if short.starts_with("search_set_field") || short.starts_with("field_") => self.field(short),
            _ if short.starts_with("search_set_") => self.setting(short.trim_start_matches("search_")),
            // There is no drop-in.
            _ if short.starts_with("celllist_") => LeftOut,
            _ if short.starts_with("groups_") || short.starts_with("fof_") => self.groups(short),
            _ if short.starts_with("chunks_") => self.chunks(short),
            _ if short.starts_with("list_") => self.list(short),
            _ => self.query(short),
        }
    }

    fn life(&mut self, short: &str) -> Spoken {
        let place = usize::from(short == "search_create");
        if self.asked.is_null(place) {
            return LeftOut;
        }
        let h = self.asked.object(place);
        (self.bases[h], self.have_ids[h]) = (0, false);
        (self.have_pairs[h], self.are_ids_mixed[h]) = (false, false);
        match short {
            "search_create" => self.call(&format!("s[{h}] = neargrid.Search()")),
            _ => self.call(&format!("s[{h}].close()")),
        }
    }

    fn search(&self) -> String {
        format!("s[{}]", self.asked.object(0))
    }

    fn setting(&mut self, short: &str) -> Spoken {
        let (asked, h) = (self.asked, self.asked.object(0));
        let given = match short {
            "set_index_base" => {
                self.bases[h] = asked.integer(1);
                asked.integer(1).to_string()
            }
            "set_cutoff" | "set_skin" | "set_knn_within" => self.real(1),
            "set_memory_limit" | "set_threads" | "set_active" => asked.integer(1).to_string(),
            "set_tie_rule" => self.word("TIE", 1),
            "set_backend" => self.word("BACKEND", 1),
            "set_ghost_pairs" => self.word("GHOST_PAIRS", 1),
            "set_ghost_rows" => self.word("GHOST_ROWS", 1),
            "set_device" => match asked.integer(1) {
                0 => "None".to_owned(),
                1 => asked.integer(2).to_string(),
                _ => return LeftOut, // the turn of a process, which changes no answer
            },
            "set_box" => {
                let dim = asked.integer(1) as usize;
                let [lo, length, periodic] = [2, 3, 4].map(|k| list(&asked.given(k, dim), false));
                format!("{lo}, {length}, {periodic}")
            }
            "set_cell" if asked.is_null(1) => "None".to_owned(),
            "set_cell" => format!("{}, {}", table(&asked.given(1, 9), 3), list(&asked.given(2, 3), false)),
            "set_roles" => {
                let roles = asked.spaced(2, asked.integer(3), asked.integer(1) as usize);
                let is_flags = roles.len() > 0 && self.is_odd() && roles.integers().iter().all(|&role| role > 0);
                if is_flags {
                    let search = self.search();
                    return self.call(&format!("{search}.set_active({} == 1)", list(&roles, false)));
                }
                if roles.len() > 0 {
                    list(&roles, false)
                } else {
                    "None".to_owned()
                }
            }
            "set_types" => {
                let (n, ntypes) = (asked.integer(1) as usize, asked.integer(4) as usize);
                match n {
                    0 => "None, None".to_owned(),
                    _ => {
                        let types = list(&asked.spaced(2, asked.integer(3), n), false);
                        format!("{types}, {}", table(&asked.given(5, ntypes * ntypes), ntypes))
                    }
                }
            }
            "set_type_cutoffs" => match asked.integer(1) as usize {
                0 => "None".to_owned(),
                ntypes => table(&asked.given(2, ntypes * ntypes), ntypes),
            },
            "set_primary_types" => match asked.integer(1) as usize {
                0 => "None".to_owned(),
                ntypes => format!("{} == 1", list(&asked.given(2, ntypes), false)),
            },
            "set_ids" => {
                let n = asked.integer(1) as usize;
                self.are_ids_mixed[h] |= self.have_pairs[h];
                self.have_ids[h] = n > 0;
                match n {
                    0 => "None".to_owned(),
                    _ => list(&asked.spaced(2, asked.integer(3), n), true),
                }
            }
            "set_exclusions" | "set_exclusions_shifts" => {
                let search = self.search();
                return match asked.is_null(2) {
                    true => self.call(&format!("{search}.set_exclusions(None)")),
                    false => {
                        let given = self.exclusions(short == "set_exclusions_shifts");
                        self.call(&format!("{search}.set_exclusions({given})"))
                    }
                };
            }
            _ => return Unspeakable,
        };
        let search = self.search();
        self.call(&format!("{search}.{short}({given})"))
    }

    fn exclusions(&self, by_shifts: bool) -> String {
        let asked = self.asked;
        let n = asked.integer(1) as usize;
        let offsets = asked.given(2, n + 1);
        let entries = (offsets.integers()[n] - offsets.integers()[0]) as usize;
        let mut given = format!("{}, {}", list(&offsets, true), list(&asked.given(3, entries), false));
        let classes = if by_shifts { 5 } else { 4 };
        if !asked.is_null(classes) {
            given += &format!(", {}", list(&asked.given(classes, entries), false));
        }
        if by_shifts && !asked.is_null(4) {
            given += &format!(", shifts={}", table(&asked.given(4, 3 * entries), 3));
        }
        given
    }

    /// Radii. Those of points are removed together with those of queries.
    fn radii(&mut self, was_cleared: bool) -> Spoken {
        let (asked, search) = (self.asked, self.search());
        let (of_queries, n) = (asked.integer(1) == 1, asked.integer(2) as usize);
        if asked.is_null(3) {
            let next = asked.trace.events.get(asked.number + 1);
            let is_both = next.is_some_and(|next| next.name.starts_with("neargrid_search_set_radii") && next.is_ok());
            return match of_queries {
                true if was_cleared => Printed,
                true => self.call(&format!("{search}.set_query_radii(None)")),
                false if is_both => {
                    self.is_cleared = true;
                    self.call(&format!("{search}.set_radii(None)"))
                }
                false => Unspeakable,
            };
        }
        let radii = of_kind(asked.event().name, asked.spaced(3, asked.integer(4), n));
        let radii = list(&radii, false);
        match of_queries {
            true => self.call(&format!("{search}.set_query_radii({radii})")),
            false => {
                let rule = self.word("RADIUS", 5);
                self.call(&format!("{search}.set_radii({radii}, {rule})"))
            }
        }
    }

    fn points(&mut self, short: &str) -> Spoken {
        let (asked, search) = (self.asked, self.search());
        let (dim, n, stride) = (asked.integer(1) as usize, asked.integer(2) as usize, asked.integer(6));
        let points = of_kind(asked.event().name, asked.points(3, dim, stride, n));
        let rows = table(&points, dim);
        let given = match asked.number % 5 {
            1 if dim > 1 => {
                let axes: Vec<String> = (0..dim).map(|axis| list(&points.every(axis, dim), false)).collect();
                axes.join(", ")
            }
            2 if dim == 1 => list(&points, false),
            2 => format!("np.asfortranarray({rows})"),
            3 => format!("np.hstack([{rows}] * 2)[:, :{dim}]"),
            4 => format!("{rows}[::-1].copy()[::-1]"),
            _ => rows,
        };
        let method = short.trim_start_matches("search_");
        match short {
            "search_update" => {
                self.call(&format!("found = {search}.update({given})"));
                if let Some(rebuilt) = asked.answered_integer(7) {
                    self.line(&format!("same(found, {})", if rebuilt != 0 { "True" } else { "False" }));
                }
                Printed
            }
            _ => self.call(&format!("{search}.{method}({given})")),
        }
    }

    fn query(&mut self, short: &str) -> Spoken {
        let asked = self.asked;
        if short == "last_error" {
            return LeftOut;
        }
        let search = self.search();
        let kind = |argument: usize| self.word("NEIGHBORS", argument);
        match short {
            "pairs_count" => {
                self.call(&format!("found = {search}.count_pairs()"));
                self.compare_one("found", 1);
            }
            "pairs_view" | "pairs_copy" => {
                let first = if short == "pairs_view" { 2 } else { 3 };
                self.call(&format!("i, j = {search}.pairs()"));
                self.compare("i", first, false);
                self.compare("j", first + 1, false);
            }
            "neighbors_count" => {
                self.call(&format!("found = {search}.count_neighbors({})", kind(1)));
                self.compare_one("found", 2);
            }
            "neighbors_view" | "neighbors_copy" => {
                let first = if short == "neighbors_view" { 4 } else { 5 };
                self.call(&format!("offsets, ids = {search}.neighbors({})", kind(1)));
                self.compare("offsets", first, true);
                self.compare("ids", first + 1, false);
            }
            // The list with a skin is made, but no method has it.
            "verlet_view" => {
                self.call(&format!("{search}.neighbors({})", kind(1)));
            }
            "neighbors_padded" => {
                let (n, width) = (asked.integer(2) as usize, asked.integer(3) as usize);
                let longest = asked.answered_integer(4).unwrap_or(0) as usize;
                self.call(&format!("ids, counts = {search}.padded_neighbors({})", kind(1)));
                if let Some(ids) = asked.answer(5) {
                    let rows = (0..n).flat_map(|row| &ids.integers()[row * width..row * width + longest]);
                    let wanted = Numbers::Integers(rows.copied().collect());
                    self.line(&format!("same(ids, {})", list(&wanted, false)));
                }
                self.compare("counts", 6, false);
            }
            "neighbors_histogram" => {
                let edges = list(&asked.given(3, asked.integer(2) as usize + 1), false);
                self.call(&format!("found = {search}.histogram({edges}, {})", kind(1)));
                self.compare("found", 4, true);
            }
            "images_count" => return LeftOut,
            "images_view" | "images_copy" => {
                let first = if short == "images_view" { 4 } else { 5 };
                self.call(&format!("offsets, ids, shifts = {search}.images({})", kind(1)));
                self.compare("offsets", first, true);
                self.compare("ids", first + 1, false);
                self.compare("shifts", first + 2, false);
            }
            "neighbors_take" => {
                let list = asked.object(2);
                self.call(&format!("l[{list}] = {search}.take_neighbors({})", kind(1)));
            }
            "neighbors_take_by_cutoffs" => {
                let (first, count) = (asked.object(4), asked.integer(2) as usize);
                let cutoffs = list(&asked.given(3, count), false);
                let last = first + count;
                self.call(&format!(
                    "l[{first}:{last}] = {search}.take_neighbors_by_cutoffs({cutoffs}, {})",
                    kind(1)
                ));
            }
            "systems_view" => self.systems(),
            "knn_view" | "knn_copy" => {
                let first = if short == "knn_view" { 5 } else { 6 };
                let (kind, measure) = (self.word("KNN", 1), self.word("MEASURE", 3));
                self.call(&format!(
                    "found = {search}.knn({}, {kind}, {measure})",
                    asked.integer(2)
                ));
                self.compare("found.ids", first, false);
                self.compare("found.distances", first + 1, false);
                self.compare("found.counts", first + 2, false);
            }
            "pairs_distances" | "neighbors_distances" | "queries_distances" => return self.distances(short),
            "carry" => self.carry(),
            "search_order" => {
                self.call(&format!("found = {search}.order()"));
                self.compare("found", 2, false);
            }
            "search_run" => {
                self.have_pairs[asked.object(0)] = true;
                let (kind, times) = (self.word("NEIGHBORS", 2), asked.integer(3));
                self.call(&format!("{search}.run(f[{}], {kind}, {times})", asked.object(1)));
            }
            "solve_radii" => self.solve(),
            "search_skin_used" => {
                self.call(&format!("found = {search}.skin_used"));
                if let Some(Numbers::Reals(wanted)) = asked.answer(1) {
                    self.line(&format!("same(found, {})", real(wanted[0], format!("{:?}", wanted[0]))));
                }
            }
            "search_counter" => {
                self.call(&format!("found = {search}.counter({})", self.word("COUNTER", 1)));
                if matches!(asked.integer(1), 0 | 11 | 13 | 15 | 16) {
                    self.compare_one("found", 2);
                }
            }
            "search_timing" => {
                self.call(&format!("same({search}.timing({}) >= 0, True)", self.word("PHASE", 1)));
            }
            "search_info" => {
                self.call(&format!("same(len({search}.info()) > 0, True)"));
            }
            "search_trim" => {
                self.call(&format!("{search}.trim()"));
            }
            _ => return Unspeakable,
        }
        Printed
    }

    fn list(&mut self, short: &str) -> Spoken {
        let list = self.asked.object(0);
        match short {
            "list_destroy" => self.call(&format!("l[{list}] = None")),
            _ => {
                self.call(&format!("found = l[{list}]"));
                self.compare("found.offsets", 3, true);
                self.compare("found.ids", 4, false);
                Printed
            }
        }
    }

    fn systems(&mut self) {
        let (asked, search) = (self.asked, self.search());
        let (dim, count) = (asked.integer(2) as usize, asked.integer(3) as usize);
        let firsts = asked.given(4, count + 1);
        let n = (firsts.integers()[count] - firsts.integers()[0]) as usize;
        let points = of_kind(asked.event().name, asked.points(5, dim, asked.integer(8), n));
        let mut given = format!("{}, {}", table(&points, dim), list(&firsts, true));
        given += &format!(
            ", {}, {}",
            list(&asked.given(9, count), false),
            self.word("NEIGHBORS", 1)
        );
        for (name, k) in [("lo", 10), ("length", 11), ("periodic", 12)] {
            if !asked.is_null(k) {
                given += &format!(", {name}={}", table(&asked.given(k, dim * count), dim));
            }
        }
        self.call(&format!("offsets, ids = {search}.systems({given})"));
        self.compare("offsets", 14, true);
        self.compare("ids", 15, false);
    }

    /// Distances of pairs, those of rows too.
    fn distances(&mut self, short: &str) -> Spoken {
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

    fn carry(&mut self) {
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

    /// Chunks are those of a generator, which begins with the first.
    fn chunks(&mut self, short: &str) -> Spoken {
        let (asked, h, search) = (self.asked, self.asked.object(0), self.search());
        match short {
            "chunks_begin" => {
                let kind = self.word("NEIGHBORS", 1);
                return self.call(&format!("c[{h}] = {search}.chunks({}, {kind})", asked.integer(2)));
            }
            "chunks_next" => {
                self.call(&format!("found = next(c[{h}], None)"));
                match asked.answered_integer(2) {
                    Some(0) => {
                        self.line("same(found, None)");
                    }
                    _ => {
                        self.compare_one("found[0]", 1);
                        self.compare("found[1]", 3, true);
                        self.compare("found[2]", 4, false);
                    }
                }
            }
            // Pairs are those of rows, but where they ascend by ids.
            _ => {
                self.call(&format!("found = next(c[{h}], None)"));
                match asked.answered_integer(1) {
                    Some(0) => {
                        self.line("same(found is None or len(found[2]) == 0, True)");
                    }
                    _ if !self.have_ids[h] => {
                        self.compare(
                            &format!("rows_of(found[1]) + I(found[0] - {})", self.bases[h]),
                            2,
                            false,
                        );
                        self.compare("found[2]", 3, false);
                    }
                    _ => {}
                }
            }
        }
        Printed
    }

    fn groups(&mut self, short: &str) -> Spoken {
        let (asked, h, search) = (self.asked, self.asked.object(0), self.search());
        match short {
            "fof_copy" | "fof_view" => {
                self.call(&format!("labels, n = {search}.fof()"));
                self.compare("labels", 2, false);
                self.compare_one("n", 3);
            }
            "groups_find" => {
                let (n, stride, name) = (asked.integer(2) as usize, asked.integer(8), asked.event().name);
                let mut given = asked.integer(1).to_string();
                if !asked.is_null(3) {
                    given += &format!(
                        ", {}",
                        list(&of_kind(name, asked.spaced(3, asked.integer(4), n)), false)
                    );
                }
                if !asked.is_null(5) {
                    let dim = stride as usize / if is_single(name) { 4 } else { 8 };
                    let values = of_kind(name, asked.points(5, dim, stride, n));
                    given += &format!(", velocities={}", table(&values, dim));
                }
                self.call(&format!("g[{h}] = {search}.groups({given})"));
                self.compare_one(&format!("len(g[{h}].labels)"), 9);
            }
            "groups_view_members" => {
                self.call(&format!("found = g[{h}]"));
                for (part, argument, wide) in [("labels", 2, false), ("sizes", 3, true), ("offsets", 4, true)] {
                    self.compare(&format!("found.{part}"), argument, wide);
                }
                if let (Some(offsets), Some(order)) = (asked.answer(4), asked.answer(5)) {
                    let offsets = offsets.integers();
                    let members = (offsets[offsets.len() - 1] - offsets[0]) as usize;
                    let wanted = Numbers::Integers(order.integers()[..members].to_vec());
                    self.line(&format!("same(found.members, {})", list(&wanted, false)));
                }
            }
            "groups_view_sums" => {
                self.call(&format!("found = g[{h}]"));
                for (part, argument) in [("masses", 3), ("centers", 4), ("velocities", 5), ("radii", 6)] {
                    // No velocities were given, or there is no group.
                    if asked.answer(argument).is_some_and(|answer| answer.len() > 0) {
                        self.compare(&format!("found.{part}"), argument, false);
                    }
                }
                if let Some(wide) = asked.answer(7).filter(|wide| wide.len() > 0) {
                    self.line(&format!("same(I(found.wide), {})", list(&wide, false)));
                }
            }
            _ => return Unspeakable,
        }
        Printed
    }

    fn formula(&mut self, short: &str) -> Spoken {
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

    fn field(&mut self, short: &str) -> Spoken {
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

    fn pair_field(&mut self, short: &str) -> Spoken {
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

    fn solve(&mut self) {
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
