//! Queries and their results.

use super::calls::{columns, precision};
use super::words::*;
use super::*;

impl Fortran<'_> {
    pub(super) fn query(&mut self, short: &str) -> Spoken {
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

    pub(super) fn neighbors_copy(&mut self) {
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

    pub(super) fn images_copy(&mut self) {
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

    pub(super) fn list_view(&mut self) -> Spoken {
        let list = self.asked.object(0);
        let shift = 1 - self.list_bases[list];
        self.call(&format!("l({list})%neighbors"), &["po".into(), "pi".into()]);
        self.compare("same", "po", 3, shift, true);
        self.compare("same", "pi", 4, shift, false);
        Printed
    }

    pub(super) fn systems(&mut self) {
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

    pub(super) fn knn(&mut self, is_view: bool) {
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

    pub(super) fn chunks(&mut self, short: &str) -> Spoken {
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

    pub(super) fn groups(&mut self, short: &str) -> Spoken {
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
}
