//! Life, settings and points.

use super::calls::{columns, none, of_kind, precision};
use super::words::*;
use super::*;

impl Fortran<'_> {
    pub(super) fn life(&mut self, short: &str) -> Spoken {
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

    pub(super) fn setting(&mut self, short: &str) -> Spoken {
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
    pub(super) fn radii(&mut self, was_cleared: bool) -> Spoken {
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
        let radii = of_kind(asked.event().name, asked.spaced(3, asked.integer(4), n));
        match of_queries {
            true => self.call(&self.of_search("set_query_radii"), &[integers(&radii)]),
            false => self.call(&self.of_search("set_radii"), &[integers(&radii), int(asked.integer(5))]),
        }
    }

    pub(super) fn points(&mut self, short: &str) -> Spoken {
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
}
