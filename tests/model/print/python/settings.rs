//! Life, settings and points.

use super::calls::{of_kind, table};
use super::*;

impl Python<'_> {
    pub(super) fn life(&mut self, short: &str) -> Spoken {
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

    pub(super) fn setting(&mut self, short: &str) -> Spoken {
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

    pub(super) fn exclusions(&self, by_shifts: bool) -> String {
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
    pub(super) fn radii(&mut self, was_cleared: bool) -> Spoken {
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

    pub(super) fn points(&mut self, short: &str) -> Spoken {
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
}
