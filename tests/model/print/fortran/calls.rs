//! The procedure for each function of C.

use super::words::{int, integers, logical, logicals, long, longs, real, single, strings, table};
use super::{Fortran, LeftOut, Numbers, Printed, Spoken, Unspeakable};

/// An array of a column each for points.
fn columns(values: &Numbers, rows: usize) -> String {
    table(&integers(values), rows, if rows > 0 { values.len() / rows } else { 0 })
}

fn none() -> Numbers {
    Numbers::Integers(Vec::new())
}

/// The suffix of names of variables and the bytes of a real, by the name of a function.
fn precision(name: &str) -> (&'static str, i64) {
    if name.ends_with("_f32") { ("f32", 4) } else { ("f64", 8) }
}

fn is_single(value: f64) -> bool {
    f64::from(value as f32) == value
}

impl Fortran<'_> {
    /// A real of either kind: now and then of real32, where it is one.
    fn either(&self, value: f64) -> String {
        match self.is_odd() && is_single(value) && value as f32 != 0.0 && !(value as f32).is_subnormal() {
            true => single(value as f32),
            false => real(value),
        }
    }

    /// A real of the kind of the points.
    fn of_points(name: &str, value: f64) -> String {
        match precision(name).0 {
            "f32" => single(value as f32),
            _ => real(value),
        }
    }

    fn kind(&self, argument: usize) -> String {
        format!("kind={}", int(self.asked.integer(argument)))
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
            _ if short.starts_with("search_set_field") || short.starts_with("field_") => self.field(short),
            _ if short.contains("pair_field") => self.pair_field(short),
            _ if short.starts_with("search_set_") => self.setting(short.trim_start_matches("search_")),
            _ if short.starts_with("celllist_") => self.drop_in(short),
            _ if short.starts_with("groups_") || short.starts_with("fof_") => self.groups(short),
            _ if short.starts_with("chunks_") => self.chunks(short),
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
            "search_create" => self.call(&format!("s({h})%create"), &[]),
            _ => {
                self.line(&format!("call s({h})%destroy()"));
                Printed
            }
        }
    }

    fn setting(&mut self, short: &str) -> Spoken {
        let (asked, h, shift) = (self.asked, self.asked.object(0), self.shift());
        let search = self.of_search(short);
        match short {
            "set_index_base" => {
                self.bases[h] = asked.integer(1);
                LeftOut
            }
            "set_cutoff" | "set_skin" | "set_knn_within" => {
                let value = self.either(asked.real(1));
                self.call(&search, &[value])
            }
            "set_memory_limit" => self.call(&search, &[long(asked.integer(1))]),
            "set_tie_rule" | "set_threads" | "set_backend" | "set_ghost_pairs" | "set_ghost_rows" | "set_active" => {
                self.call(&search, &[int(asked.integer(1))])
            }
            "set_device" => match asked.integer(1) {
                0 => self.call(&search, &["neargrid_device_auto".to_owned()]),
                1 => self.call(&search, &[int(asked.integer(2))]),
                _ => self.call(&self.of_search("set_device_turn"), &[int(asked.integer(2))]),
            },
            "set_box" => {
                let dim = asked.integer(1) as usize;
                let [lo, length] = [2, 3].map(|k| integers(&asked.given(k, dim)));
                let periodic = logicals(asked.given(4, dim).integers());
                self.call(&search, &[lo, length, periodic])
            }
            "set_cell" if asked.is_null(1) => self.call(&self.of_search("clear_cell"), &[]),
            "set_cell" => {
                let cell = columns(&asked.given(1, 9), 3);
                let periodic = logicals(asked.given(2, 3).integers());
                self.call(&search, &[cell, periodic])
            }
            "set_roles" => {
                let n = asked.integer(1) as usize;
                let roles = asked.spaced(2, asked.integer(3), n);
                let is_flags = n > 0 && self.is_odd() && roles.integers().iter().all(|&role| role > 0);
                if is_flags {
                    let flags: Vec<i64> = roles.integers().iter().map(|&role| i64::from(role == 1)).collect();
                    return self.call(&self.of_search("set_active"), &[logicals(&flags)]);
                }
                self.call(&search, &[integers(&roles)])
            }
            "set_types" => {
                let n = asked.integer(1) as usize;
                let types = asked.spaced(2, asked.integer(3), n).shifted(shift);
                let ntypes = if n > 0 { asked.integer(4) as usize } else { 0 };
                let mask = logicals(asked.given(5, ntypes * ntypes).integers());
                let types = if n > 0 { types } else { none() };
                self.call(&search, &[integers(&types), table(&mask, ntypes, ntypes)])
            }
            "set_type_cutoffs" => {
                let ntypes = asked.integer(1) as usize;
                let cutoffs = match asked.given(2, ntypes * ntypes) {
                    Numbers::Reals(cutoffs) => Numbers::Reals(cutoffs),
                    _ => Numbers::Reals(Vec::new()),
                };
                self.call(&search, &[table(&integers(&cutoffs), ntypes, ntypes)])
            }
            "set_primary_types" => {
                let ntypes = asked.integer(1) as usize;
                self.call(&search, &[logicals(asked.given(2, ntypes).integers())])
            }
            "set_ids" => {
                let n = asked.integer(1) as usize;
                let ids = match n {
                    0 => none(),
                    _ => asked.spaced(2, asked.integer(3), n),
                };
                self.are_ids_mixed[h] |= self.have_pairs[h];
                self.have_ids[h] = n > 0;
                let is_short = self.is_odd() && ids.integers().iter().all(|&id| i32::try_from(id).is_ok());
                self.call(&search, &[if is_short { integers(&ids) } else { longs(&ids) }])
            }
            "set_exclusions" | "set_exclusions_shifts" => {
                let n = asked.integer(1) as usize;
                let by_shifts = short == "set_exclusions_shifts";
                let search = self.of_search("set_exclusions");
                if asked.is_null(2) {
                    return self.call(&search, &[]);
                }
                let offsets = asked.given(2, n + 1);
                let entries = (offsets.integers()[n] - offsets.integers()[0]) as usize;
                let ids = asked.given(3, entries);
                let mut arguments = vec![longs(&offsets.shifted(shift)), integers(&ids.shifted(shift))];
                let classes = if by_shifts { 5 } else { 4 };
                if !asked.is_null(classes) {
                    arguments.push(integers(&asked.given(classes, entries)));
                }
                if by_shifts && !asked.is_null(4) {
                    let shifts = columns(&asked.given(4, 3 * entries), 3);
                    arguments.push(format!("shifts={shifts}"));
                }
                self.call(&search, &arguments)
            }
            _ => Unspeakable,
        }
    }

    /// Radii. Those of points are removed together with those of queries.
    fn radii(&mut self, was_cleared: bool) -> Spoken {
        let asked = self.asked;
        let (of_queries, n) = (asked.integer(1) == 1, asked.integer(2) as usize);
        if asked.is_null(3) {
            let next = asked.trace.events.get(asked.number + 1);
            let is_both = next.is_some_and(|next| next.name.starts_with("neargrid_search_set_radii") && next.is_ok());
            return match of_queries {
                true if was_cleared => Printed,
                false if is_both => {
                    self.is_cleared = true;
                    self.call(&self.of_search("clear_radii"), &[])
                }
                _ => Unspeakable,
            };
        }
        let radii = match (n, precision(asked.event().name).0) {
            (0, "f32") => Numbers::Singles(Vec::new()),
            (0, _) => Numbers::Reals(Vec::new()),
            _ => asked.spaced(3, asked.integer(4), n),
        };
        match of_queries {
            true => self.call(&self.of_search("set_query_radii"), &[integers(&radii)]),
            false => self.call(&self.of_search("set_radii"), &[integers(&radii), int(asked.integer(5))]),
        }
    }

    fn points(&mut self, short: &str) -> Spoken {
        let asked = self.asked;
        let procedure = self.of_search(short.trim_start_matches("search_"));
        let (dim, n, stride) = (asked.integer(1) as usize, asked.integer(2) as usize, asked.integer(6));
        let (suffix, bytes) = precision(asked.event().name);
        let points = asked.points(3, dim, stride, n);
        let is_update = short == "search_update";
        let mut more = if is_update {
            vec!["rebuilt=flag".to_owned()]
        } else {
            Vec::new()
        };
        let mut arguments = Vec::new();
        match asked.number % 6 {
            // gfortran takes an optional argument for absent where it is a list of nothing.
            1 if dim > 1 && n > 0 => arguments.extend((0..dim).map(|axis| integers(&points.every(axis, dim)))),
            2 => {
                arguments.push(integers(&points));
                more.push(format!("dim={}", int(dim as i64)));
            }
            // The first point's coordinates, and the bytes from one point to the next.
            3 if n > 0 => {
                self.line(&format!("x_{suffix} = {}", integers(&points)));
                arguments.extend((1..=dim).map(|axis| format!("x_{suffix}({axis})")));
                more.extend([
                    format!("stride={}", int(dim as i64 * bytes)),
                    format!("n={}", int(n as i64)),
                ]);
            }
            // More columns than points.
            4 => {
                self.line(&format!("v_{suffix} = {}", columns(&points, dim)));
                let pad = if suffix == "f32" { "7.0" } else { "7d0" };
                self.line(&format!(
                    "v_{suffix} = reshape(v_{suffix}, [{dim}, {}], pad=[{pad}])",
                    n + 2
                ));
                arguments.push(format!("v_{suffix}"));
                more.push(format!("n={}", int(n as i64)));
            }
            // Sections of an array.
            5 if dim > 1 && n > 0 => {
                self.line(&format!("v_{suffix} = {}", columns(&points, dim)));
                arguments.extend((1..=dim).map(|axis| format!("v_{suffix}({axis}, :)")));
            }
            _ => arguments.push(columns(&points, dim)),
        }
        arguments.extend(more);
        self.call(&procedure, &arguments);
        if is_update && let Some(rebuilt) = asked.answered_integer(7) {
            self.line(&format!("call same(flag, {})", logical(rebuilt != 0)));
        }
        Printed
    }

    fn query(&mut self, short: &str) -> Spoken {
        let asked = self.asked;
        match short {
            "list_view" => return self.list_view(),
            "list_destroy" => {
                let list = asked.object(0);
                self.line(&format!("call l({list})%destroy()"));
                return Printed;
            }
            "last_error" => return LeftOut,
            _ => {}
        }
        let (search, shift, is_odd) = (self.search(), self.shift(), self.is_odd());
        let of = |procedure: &str| format!("{search}%{procedure}");
        match short {
            "pairs_count" => {
                self.call(&of("count_pairs"), &["n".into()]);
                self.compare_one("n", 1, 0);
            }
            "pairs_view" => {
                self.call(&of("pairs"), &["pi".into(), "pj".into()]);
                self.compare("same", "pi", 2, shift, false);
                self.compare("same", "pj", 3, shift, false);
            }
            "pairs_copy" if is_odd => {
                self.call(&of("pairs"), &["ai".into(), "aj".into()]);
                self.compare("same", "ai", 3, shift, false);
                self.compare("same", "aj", 4, shift, false);
            }
            "pairs_copy" => {
                let room = asked.integer(1);
                self.line(&format!("call room(ai, {room})"));
                self.line(&format!("call room(aj, {room})"));
                self.call(&of("pairs"), &["n".into(), "ai".into(), "aj".into()]);
                self.compare_one("n", 2, 0);
                self.compare("front", "ai", 3, shift, false);
                self.compare("front", "aj", 4, shift, false);
            }
            "neighbors_count" => {
                self.call(&of("count_neighbors"), &["n".into(), self.kind(1)]);
                self.compare_one("n", 2, 0);
            }
            "neighbors_view" => {
                self.call(&of("neighbors"), &["po".into(), "pi".into(), self.kind(1)]);
                self.compare("same", "po", 4, shift, true);
                self.compare("same", "pi", 5, shift, false);
            }
            "neighbors_copy" => self.neighbors_copy(),
            "neighbors_padded" => {
                let (n, width) = (asked.integer(2), asked.integer(3));
                self.line(&format!("call room(at2, {width}, {n})"));
                self.line(&format!("call room(ai, {n})"));
                self.call(
                    &of("padded_neighbors"),
                    &["n".into(), "at2".into(), "ai".into(), self.kind(1)],
                );
                self.compare_one("n", 4, 0);
                self.compare("front", "at2", 5, shift, false);
                self.compare("front", "ai", 6, 0, false);
            }
            "neighbors_histogram" => {
                let nbins = asked.integer(2) as usize;
                self.line(&format!("call room(ao, {nbins})"));
                let edges = integers(&asked.given(3, nbins + 1));
                self.call(&of("histogram"), &[edges, "ao".into(), self.kind(1)]);
                self.compare("same", "ao", 4, 0, true);
            }
            "images_count" => {
                self.call(&of("count_images"), &["n".into(), self.kind(1)]);
                self.compare_one("n", 2, 0);
            }
            "images_view" => {
                let mut arguments = vec!["po".to_owned(), "pi".to_owned()];
                if !asked.is_null(6) {
                    arguments.push("pt".into());
                }
                arguments.push(self.kind(1));
                self.call(&of("images"), &arguments);
                self.compare("same", "po", 4, shift, true);
                self.compare("same", "pi", 5, shift, false);
                self.compare("same", "pt", 6, 0, false);
            }
            "images_copy" => self.images_copy(),
            "neighbors_take" => {
                let list = asked.object(2);
                self.list_bases[list] = self.bases[asked.object(0)];
                self.call(&of("take_neighbors"), &[format!("l({list})"), self.kind(1)]);
            }
            "neighbors_take_by_cutoffs" => {
                let (first, count) = (asked.object(4), asked.integer(2) as usize);
                self.list_bases[first..first + count].fill(self.bases[asked.object(0)]);
                let lists = format!("l({first}:{})", first + count - 1);
                let cutoffs = integers(&asked.given(3, count));
                self.call(&of("take_neighbors_by_cutoffs"), &[cutoffs, lists, self.kind(1)]);
            }
            "verlet_view" => {
                let mut arguments = vec!["po".to_owned(), "pi".to_owned(), self.kind(1)];
                if !asked.is_null(6) {
                    arguments.push("rebuilt=flag".into());
                }
                self.call(&of("verlet_list"), &arguments);
                self.compare("same", "po", 4, shift, true);
                self.compare("same", "pi", 5, shift, false);
                if let Some(rebuilt) = asked.answered_integer(6) {
                    self.line(&format!("call same(flag, {})", logical(rebuilt != 0)));
                }
            }
            "systems_view" => self.systems(),
            "knn_view" | "knn_copy" => self.knn(short == "knn_view"),
            "pairs_distances" | "neighbors_distances" | "queries_distances" => return self.distances(short),
            "carry" => self.carry(),
            "search_order" => {
                self.call(&of("order"), &["ai".into()]);
                self.compare("same", "ai", 2, shift, false);
            }
            "search_run" => {
                self.have_pairs[asked.object(0)] = true;
                let mut arguments = vec![format!("f({})", asked.object(1)), self.kind(2)];
                match asked.integer(3) {
                    1 if is_odd => {}
                    times if i32::try_from(times).is_ok() && !is_odd => arguments.push(format!("times={}", int(times))),
                    times => arguments.push(format!("times={}", long(times))),
                }
                self.call(&of("run"), &arguments);
            }
            "solve_radii" => return self.solve(),
            "search_skin_used" => {
                self.call(&of("skin_used"), &["r_f64".into()]);
                if let Some(Numbers::Reals(wanted)) = asked.answer(1) {
                    self.line(&format!("call same(r_f64, {})", real(wanted[0])));
                }
            }
            "search_counter" => {
                self.call(&of("counter"), &[int(asked.integer(1)), "n".into()]);
                if matches!(asked.integer(1), 0 | 11 | 13 | 15 | 16) {
                    self.compare_one("n", 2, 0);
                }
            }
            "search_timing" => {
                self.call(&of("timing"), &[int(asked.integer(1)), "r_f64".into()]);
                self.line("call must(r_f64 >= 0, 0)");
            }
            "search_info" => {
                self.call(&of("info"), &["text".into()]);
                self.line("call must(len(text) > 0, 0)");
            }
            "search_trim" => {
                self.call(&of("trim"), &[]);
            }
            _ => return Unspeakable,
        }
        Printed
    }

    fn neighbors_copy(&mut self) {
        let (asked, shift) = (self.asked, self.shift());
        let (procedure, kind) = (self.of_search("neighbors"), self.kind(1));
        let (n, room) = (asked.integer(2), asked.integer(3));
        match asked.number % 3 {
            0 => {
                self.call(&procedure, &["ao".into(), "ai".into(), kind]);
                self.compare("same", "ao", 5, shift, true);
                self.compare("same", "ai", 6, shift, false);
            }
            1 => {
                self.line(&format!("call room(ao, {})", n + 2));
                self.line(&format!("call room(ai, {room})"));
                self.call(&procedure, &["n".into(), "ao".into(), "ai".into(), kind]);
                self.compare_one("n", 4, 0);
                self.compare("front", "ao", 5, shift, true);
                self.compare("front", "ai", 6, shift, false);
            }
            _ => {
                self.line(&format!("call room(aj, {})", n + 1));
                self.line(&format!("call room(ai, {room})"));
                self.call(&procedure, &["k".into(), "aj".into(), "ai".into(), kind]);
                self.compare_one("int(k, int64)", 4, 0);
                self.compare("same", "aj", 5, shift, false);
                self.compare("front", "ai", 6, shift, false);
            }
        }
    }

    fn images_copy(&mut self) {
        let (asked, shift, is_odd) = (self.asked, self.shift(), self.is_odd());
        let mut arguments = match is_odd {
            true => vec!["ao".to_owned(), "ai".to_owned()],
            false => {
                let (n, room) = (asked.integer(2), asked.integer(3));
                self.line(&format!("call room(ao, {})", n + 1));
                self.line(&format!("call room(ai, {room})"));
                self.line(&format!("call room(at2, 3, {room})"));
                vec!["n".to_owned(), "ao".to_owned(), "ai".to_owned()]
            }
        };
        if !asked.is_null(7) {
            arguments.push("at2".into());
        }
        arguments.push(self.kind(1));
        self.call(&self.of_search("images"), &arguments);
        let how = if is_odd { "same" } else { "front" };
        if !is_odd {
            self.compare_one("n", 4, 0);
        }
        self.compare("same", "ao", 5, shift, true);
        self.compare(how, "ai", 6, shift, false);
        self.compare(how, "at2", 7, 0, false);
    }

    fn list_view(&mut self) -> Spoken {
        let list = self.asked.object(0);
        let shift = 1 - self.list_bases[list];
        self.call(&format!("l({list})%neighbors"), &["po".into(), "pi".into()]);
        self.compare("same", "po", 3, shift, true);
        self.compare("same", "pi", 4, shift, false);
        Printed
    }

    fn systems(&mut self) {
        let (asked, shift) = (self.asked, self.shift());
        let (dim, count) = (asked.integer(2) as usize, asked.integer(3) as usize);
        let firsts = asked.given(4, count + 1);
        let n = (firsts.integers()[count] - firsts.integers()[0]) as usize;
        let mut arguments = vec![
            columns(&asked.points(5, dim, asked.integer(8), n), dim),
            longs(&firsts.shifted(shift)),
            integers(&asked.given(9, count)),
            "po".into(),
            "pi".into(),
            self.kind(1),
        ];
        for (name, k) in [("lo", 10), ("length", 11)] {
            if !asked.is_null(k) {
                arguments.push(format!("{name}={}", columns(&asked.given(k, dim * count), dim)));
            }
        }
        if !asked.is_null(12) {
            let periodic = logicals(asked.given(12, dim * count).integers());
            arguments.push(format!("periodic={}", table(&periodic, dim, count)));
        }
        self.call(&self.of_search("systems"), &arguments);
        self.compare("same", "po", 14, shift, true);
        self.compare("same", "pi", 15, shift, false);
    }

    fn knn(&mut self, is_view: bool) {
        let (asked, shift) = (self.asked, self.shift());
        let (k, suffix) = (asked.integer(2), precision(asked.event().name).0);
        let outs = if is_view { 5 } else { 6 };
        let is_fill = !is_view && !self.is_odd();
        let names = match is_view {
            true => ["pt".to_owned(), format!("pd_{suffix}"), "pi".to_owned()],
            false => ["at2".to_owned(), format!("v_{suffix}"), "ai".to_owned()],
        };
        let mut arguments = vec![int(k)];
        if is_fill {
            let room = asked.integer(4);
            self.line(&format!("call room(at2, {k}, {room})"));
            self.line(&format!("call room(v_{suffix}, {k}, {room})"));
            self.line(&format!("call room(ai, {room})"));
            arguments.push("n".into());
        }
        arguments.extend([names[0].clone(), names[1].clone(), self.kind(1)]);
        arguments.push(format!("measure={}", int(asked.integer(3))));
        if !asked.is_null(outs + 2) {
            arguments.push(format!("counts={}", names[2]));
        }
        self.call(&self.of_search("knn"), &arguments);
        let how = if is_fill { "front" } else { "same" };
        if is_fill {
            self.compare_one("n", 5, 0);
        }
        self.compare(how, &names[0], outs, shift, false);
        self.compare(how, &names[1], outs + 1, 0, false);
        self.compare(how, &names[2], outs + 2, 0, false);
    }

    /// Distances and displacements, by themselves.
    fn distances(&mut self, short: &str) -> Spoken {
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

    fn carry(&mut self) {
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
        let of_kind = |values: Numbers| match (values.len(), suffix) {
            (0, "f32") => Numbers::Singles(Vec::new()),
            (0, _) => Numbers::Reals(Vec::new()),
            _ => values,
        };
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

    fn chunks(&mut self, short: &str) -> Spoken {
        let (asked, shift) = (self.asked, self.shift());
        let procedure = self.of_search(short);
        match short {
            "chunks_begin" => {
                self.call(&procedure, &[long(asked.integer(2)), "n".into(), self.kind(1)]);
                self.compare_one("n", 3, 0);
            }
            "chunks_next" => {
                self.call(&procedure, &["m".into(), "n".into(), "po".into(), "pi".into()]);
                self.compare_one("n", 2, 0);
                if asked.answered_integer(2) != Some(0) {
                    self.compare_one("m", 1, shift);
                    self.compare("same", "po", 3, shift, true);
                    self.compare("same", "pi", 4, shift, false);
                }
            }
            _ => {
                self.call(&procedure, &["n".into(), "pi".into(), "pj".into()]);
                self.compare_one("n", 1, 0);
                self.compare("same", "pi", 2, shift, false);
                self.compare("same", "pj", 3, shift, false);
            }
        }
        Printed
    }

    fn groups(&mut self, short: &str) -> Spoken {
        let (asked, shift, h) = (self.asked, self.shift(), self.asked.object(0));
        match short {
            "fof_copy" | "fof_view" => {
                let labels = if short == "fof_view" { "pi" } else { "ai" };
                let mut arguments = vec![labels.to_owned()];
                if !asked.is_null(3) {
                    arguments.push("ngroups=n".into());
                }
                self.call(&self.of_search("fof"), &arguments);
                self.compare("same", labels, 2, shift, false);
                self.compare_one("n", 3, 0);
            }
            "groups_find" => {
                let (n, stride) = (asked.integer(2) as usize, asked.integer(8));
                // No group has as many points.
                let least = asked.integer(1).min(i32::MAX.into());
                let mut arguments = vec![format!("found({h})"), int(least)];
                let dim = (5..8).take_while(|&k| !asked.is_null(k)).count();
                let suffix = precision(asked.event().name).0;
                if n > 0 && !asked.is_null(3) {
                    arguments.push(integers(&asked.spaced(3, asked.integer(4), n)));
                } else if n > 0 && dim > 0 {
                    // Without masses each is 1.
                    arguments.push(integers(&match suffix {
                        "f32" => Numbers::Singles(vec![1.0; n]),
                        _ => Numbers::Reals(vec![1.0; n]),
                    }));
                }
                if n > 0 && dim > 0 {
                    let dim = stride as usize / precision(asked.event().name).1 as usize;
                    arguments.push(columns(&asked.points(5, dim, stride, n), dim));
                }
                self.call(&self.of_search("groups"), &arguments);
                self.compare_one(&format!("size(found({h})%labels, kind=int64)"), 9, 0);
            }
            "groups_view_members" => {
                let of = |part: &str| format!("found({h})%{part}");
                self.line(&format!("call next({})", asked.number));
                self.compare("same", &of("labels"), 2, shift, false);
                self.compare("same", &of("sizes"), 3, 0, true);
                self.compare("same", &of("offsets"), 4, shift, true);
                self.compare("same", &of("order"), 5, shift, false);
            }
            "groups_view_sums" => {
                let of = |part: &str| format!("found({h})%{part}");
                self.line(&format!("call next({})", asked.number));
                self.compare("same", &of("masses"), 3, 0, false);
                self.compare("same", &of("centers"), 4, 0, false);
                if asked.answer(5).is_some_and(|velocities| velocities.len() > 0) {
                    self.compare("same", &of("velocities"), 5, 0, false);
                }
                self.compare("same", &of("radii"), 6, 0, false);
                if let Some(wide) = asked.answer(7) {
                    self.line(&format!("call same({}, {})", of("wide"), logicals(wide.integers())));
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

    fn field(&mut self, short: &str) -> Spoken {
        if short == "field_size" {
            return LeftOut;
        }
        let (asked, suffix) = (self.asked, precision(self.asked.event().name).0);
        let (components, n) = (asked.integer(3) as usize, asked.integer(4) as usize);
        let query = if asked.integer(2) == 1 { "_query" } else { "" };
        let name = self.name_of(1);
        if short == "search_set_field" {
            let values = match (n, suffix) {
                (0, "f32") => Numbers::Singles(Vec::new()),
                (0, _) => Numbers::Reals(Vec::new()),
                _ => asked.points(5, components, asked.integer(8), n),
            };
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

    fn pair_field(&mut self, short: &str) -> Spoken {
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
            let values = match (entries, suffix) {
                (0, "f32") => Numbers::Singles(Vec::new()),
                (0, _) => Numbers::Reals(Vec::new()),
                _ => asked.given(6, entries * components),
            };
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

    fn solve(&mut self) -> Spoken {
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
    fn drop_in(&mut self, short: &str) -> Spoken {
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
        let x = match (n, precision(name).0) {
            (0, "f32") => Numbers::Singles(Vec::new()),
            (0, _) => Numbers::Reals(Vec::new()),
            _ => count.given(2, dim * n),
        };
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
