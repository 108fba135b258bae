//! C++: the classes of neargrid.hpp, and C for the rest.

use std::fmt::Write;

use super::super::trace::{Kind, Trace, Value};
use super::c::{self, Frame, argument, integer, list, name_of};
use super::{Asked, Counts, Numbers, Spoken, count, written};

pub const CPP: Frame = Frame {
    header: "neargrid.hpp",
    begin: r#"    neargrid::search s[2];
    std::unique_ptr<neargrid::formula> f[2];
    neargrid::list lists[4];
    neargrid_search *s0 = s[0].get(), *s1 = s[1].get();
    neargrid_formula *f0 = NULL, *f1 = NULL;
    neargrid_list *l[4] = {NULL};
    (void)s0, (void)s1, (void)f0, (void)f1, (void)l;
"#,
    end: "    neargrid_celllist_release();\n",
};

/// The calls of a sequence.
pub fn calls(trace: &Trace, counts: &mut Counts) -> String {
    c::calls_by(trace, |text, number| {
        let mut printer = Cpp {
            asked: Asked { trace, number },
            text: String::new(),
        };
        let is_written = printer.event().is_some();
        let name = trace.events[number].name;
        count(
            counts,
            name,
            if is_written { &Spoken::Printed } else { &Spoken::LeftOut },
        );
        if is_written {
            *text += &printer.text;
        }
        is_written
    })
}

struct Cpp<'a> {
    asked: Asked<'a>,
    text: String,
}

impl Cpp<'_> {
    fn line(&mut self, line: &str) -> Option<()> {
        writeln!(self.text, "    {line}").unwrap();
        Some(())
    }

    /// An argument as in C.
    fn value(&self, k: usize) -> String {
        argument(self.asked.trace, &self.asked.event().arguments[k])
    }

    fn search(&self) -> String {
        format!("s[{}]", self.asked.object(0))
    }

    /// Elements of an array; none where it is NULL.
    fn span(&self, k: usize, len: usize, kind: Kind) -> String {
        let name = name_of(kind);
        match self.asked.is_null(k) {
            true => format!("neargrid::span<const {name}>()"),
            false => format!("neargrid::span<const {name}>({}, {len})", self.value(k)),
        }
    }

    /// Compares values of a container with the answer, all of them.
    fn same(&mut self, container: &str, k: usize) {
        let asked = self.asked;
        let Value::At(array, ..) = asked.event().arguments[k] else {
            return;
        };
        let Some((_, after)) = asked.event().after.iter().find(|(number, _)| *number == array) else {
            return;
        };
        let of = &asked.trace.arrays[array];
        let after = after.borrow();
        let is_lent = of.used == super::super::trace::Use::Lent;
        let wanted = if is_lent { &after[..] } else { written(of.kind, &after) };
        let (size, is_real) = (of.kind.size(), u8::from(matches!(of.kind, Kind::F32 | Kind::F64)));
        let (len, much, number) = (wanted.len() / size, wanted.len(), asked.number);
        self.line(&format!(
            "if ({container}.size() != {len}) wrong({number}, \"size\", (long){container}.size());"
        ));
        if much > 0 {
            let name = name_of(of.kind);
            self.line(&format!("static const {name} w{k}[] = {{{}}};", list(of.kind, wanted)));
            self.line(&format!(
                "same({number}, \"{}\", {container}.data(), {much}, w{k}, {much}, {size}, {is_real});",
                asked.event().name
            ));
        }
        if is_lent {
            self.line(&format!("a{array} = {container}.data();"));
        }
    }

    fn same_number(&mut self, found: &str, k: usize) {
        if let Some(wanted) = self.asked.answered_integer(k) {
            let number = self.asked.number;
            self.line(&format!(
                "if ({found} != {}) wrong({number}, \"number\", (long)({found}));",
                integer(wanted)
            ));
        }
    }

    fn event(&mut self) -> Option<()> {
        let name = self.asked.event().name;
        let kind = if name.ends_with("_f32") { Kind::F32 } else { Kind::F64 };
        let short = name
            .trim_start_matches("neargrid_")
            .trim_end_matches("_f32")
            .trim_end_matches("_f64");
        match short {
            "last_error" => None,
            _ if short.starts_with("celllist_") => None,
            "search_create" | "search_destroy" => self.life(short),
            _ if short.starts_with("formula_") => self.formula(short),
            _ if short.starts_with("list_") => self.list(short),
            _ if short.starts_with("search_set_") => self.setting(short.trim_start_matches("search_"), kind),
            _ if !self.asked.has_object() => None,
            _ => {
                self.line("{");
                self.query(short, kind)?;
                self.line("}")
            }
        }
    }

    fn life(&mut self, short: &str) -> Option<()> {
        if short == "search_destroy" {
            return Some(()); // with the next one
        }
        let h = self.asked.object(1);
        self.line(&format!("s[{h}] = neargrid::search();"));
        self.line(&format!("s{h} = s[{h}].get();"))
    }

    fn list(&mut self, short: &str) -> Option<()> {
        let k = self.asked.object(0);
        if short == "list_destroy" {
            self.line(&format!("lists[{k}] = neargrid::list();"));
            return self.line(&format!("l[{k}] = NULL;"));
        }
        self.line("{");
        self.line(&format!("const auto found = lists[{k}].neighbors();"));
        self.same("found.offsets", 3);
        self.same("found.ids", 4);
        self.line("}")
    }

    fn formula(&mut self, short: &str) -> Option<()> {
        let place = usize::from(short == "formula_create");
        if self.asked.is_null(place) {
            return None;
        }
        let k = self.asked.object(place);
        let value = |argument: usize| self.value(argument);
        let method = short.trim_start_matches("formula_");
        let line = match method {
            "create" => format!(
                "f[{k}].reset(new neargrid::formula({})); f{k} = f[{k}]->get();",
                value(0)
            ),
            "destroy" => format!("f[{k}].reset(); f{k} = NULL;"),
            "set_precision" => format!("f[{k}]->set_precision({});", value(1)),
            "set_include_self" => format!("f[{k}]->include_self({} != 0);", value(1)),
            "set_constant" => format!("f[{k}]->set({}, {});", value(1), value(2)),
            "set_table" | "set_cubic_table" => {
                let values = self.span(6, self.asked.integer(5) as usize, Kind::F64);
                format!(
                    "f[{k}]->{method}({}, {}, {}, {}, {values});",
                    value(1),
                    value(2),
                    value(3),
                    value(4)
                )
            }
            "number" => {
                let Some(Numbers::Reals(wanted)) = self.asked.answer(2) else {
                    return None;
                };
                let number = self.asked.number;
                format!(
                    "{{ const double found = f[{k}]->number({}), wanted = {}; same({number}, \"number\", &found, 8, &wanted, 8, 8, 1); }}",
                    value(1),
                    c::real(wanted[0])
                )
            }
            _ => return None,
        };
        self.line(&line)
    }

    fn setting(&mut self, short: &str, kind: Kind) -> Option<()> {
        let (asked, search) = (self.asked, self.search());
        let len = |k: usize| asked.integer(k) as usize;
        let one = |method: &str| format!("{search}.{method}({});", self.value(1));
        let line = match short {
            "set_cutoff" | "set_skin" | "set_knn_within" | "set_tie_rule" | "set_index_base" | "set_threads"
            | "set_backend" | "set_memory_limit" | "set_active" | "set_ghost_rows" | "set_ghost_pairs" => one(short),
            "set_box" => {
                let [lo, length] = [2, 3].map(|k| self.span(k, len(1), Kind::F64));
                format!("{search}.set_box({lo}, {length}, {});", self.span(4, len(1), Kind::I32))
            }
            "set_cell" if asked.is_null(1) => format!("{search}.clear_cell();"),
            "set_cell" => {
                let (vectors, periodic) = (self.span(1, 9, Kind::F64), self.span(2, 3, Kind::I32));
                format!("{search}.set_cell({vectors}, {periodic});")
            }
            "set_roles" if asked.integer(3) == 4 => format!("{search}.set_roles({});", self.span(2, len(1), Kind::I32)),
            "set_ids" if asked.integer(3) == 8 => format!("{search}.set_ids({});", self.span(2, len(1), Kind::I64)),
            "set_types" if asked.integer(3) == 4 && len(1) > 0 => {
                let (types, mask) = (
                    self.span(2, len(1), Kind::I32),
                    self.span(5, len(4) * len(4), Kind::I32),
                );
                format!("{search}.set_types({types}, {}, {mask});", self.value(4))
            }
            "set_type_cutoffs" => {
                let cutoffs = self.span(2, len(1) * len(1), Kind::F64);
                format!("{search}.set_type_cutoffs({}, {cutoffs});", self.value(1))
            }
            "set_exclusions" if asked.is_null(2) => format!("{search}.clear_exclusions();"),
            "set_exclusions" | "set_exclusions_shifts" => {
                let offsets = asked.given(2, len(1) + 1);
                let entries = (offsets.integers()[len(1)] - offsets.integers()[0]) as usize;
                let (offsets, ids) = (self.span(2, len(1) + 1, Kind::I64), self.span(3, entries, Kind::I32));
                let more = match short {
                    "set_exclusions" => self.span(4, entries, Kind::I32),
                    _ => {
                        let (classes, shifts) =
                            (self.span(5, entries, Kind::I32), self.span(4, 3 * entries, Kind::I32));
                        format!("{classes}, {shifts}")
                    }
                };
                format!("{search}.set_exclusions({{{offsets}, {ids}}}, {more});")
            }
            "set_radii" if !asked.is_null(3) && asked.integer(4) == kind.size() as i64 => {
                let radii = self.span(3, len(2), kind);
                match asked.integer(1) {
                    0 => format!("{search}.set_radii({radii}, {});", self.value(5)),
                    _ => format!("{search}.set_query_radii({radii});"),
                }
            }
            "set_points" | "set_queries" if !asked.is_null(3) => {
                let values: Vec<String> = (1..7).map(|k| self.value(k)).collect();
                format!("{search}.{short}({});", values.join(", ")).replace("NULL", "nullptr")
            }
            "set_field" if !asked.is_null(5) && asked.integer(8) == asked.integer(3) * kind.size() as i64 => {
                let values = self.span(5, len(3) * len(4), kind);
                let method = if asked.integer(2) == 1 {
                    "set_query_field"
                } else {
                    short
                };
                format!("{search}.{method}({}, {values}, {});", self.value(1), self.value(3))
            }
            "set_pair_field" => {
                let n = len(3);
                let offsets = if n > 0 {
                    asked.given(4, n + 1)
                } else {
                    Numbers::Integers(Vec::new())
                };
                let entries = offsets.integers().last().map_or(0, |end| end - offsets.integers()[0]) as usize;
                let rows = match n {
                    0 => "neargrid::contacts()".to_owned(),
                    _ => {
                        let (offsets, ids) = (self.span(4, n + 1, Kind::I64), self.span(5, entries, Kind::I32));
                        format!("neargrid::neighbors{{{offsets}, {ids}}}")
                    }
                };
                let values = self.span(6, entries * len(2), kind);
                format!(
                    "{search}.set_pair_field({}, {rows}, {values}, {});",
                    self.value(1),
                    self.value(2)
                )
            }
            _ => return None,
        };
        self.line(&line)
    }

    fn query(&mut self, short: &str, kind: Kind) -> Option<()> {
        let (asked, search, real) = (self.asked, self.search(), name_of(kind));
        let len = |k: usize| asked.integer(k) as usize;
        let value = |k: usize| self.value(k);
        let begin = |call: String| format!("const auto found = {search}.{call};");
        match short {
            "pairs_count" => {
                self.line(&begin("count_pairs()".to_owned()));
                self.same_number("found", 1);
            }
            "pairs_view" => {
                self.line(&begin("pairs()".to_owned()));
                self.same("found.i", 2);
                self.same("found.j", 3);
            }
            "neighbors_view" => {
                self.line(&begin(format!("neighbors({})", value(1))));
                self.same("found.offsets", 4);
                self.same("found.ids", 5);
            }
            "neighbors_take" => {
                let list = asked.object(2);
                self.line(&format!("{search}.take_neighbors(lists[{list}], {});", value(1)));
                self.line(&format!("l[{list}] = lists[{list}].get();"));
            }
            "neighbors_take_by_cutoffs" => {
                let (first, count) = (asked.object(4), len(2));
                let cutoffs = self.span(3, count, Kind::F64);
                let lists = format!("neargrid::span<neargrid::list>(lists + {first}, {count})");
                self.line(&format!(
                    "{search}.take_neighbors_by_cutoffs({lists}, {cutoffs}, {});",
                    value(1)
                ));
                self.line(&format!(
                    "for (int k = {first}; k < {}; k++) l[k] = lists[k].get();",
                    first + count
                ));
            }
            "neighbors_padded" => {
                self.line(&begin(format!("padded_neighbors({}, {})", value(1), value(3))));
                self.same("found.ids", 5);
                self.same("found.counts", 6);
            }
            "neighbors_histogram" => {
                let edges = self.span(3, len(2) + 1, Kind::F64);
                self.line(&begin(format!("histogram({edges}, {})", value(1))));
                self.same("found", 4);
            }
            "images_view" => {
                self.line(&begin(format!("images({})", value(1))));
                self.same("found.rows.offsets", 4);
                self.same("found.rows.ids", 5);
                self.same("found.shifts", 6);
            }
            "systems_view" if asked.integer(8) == asked.integer(2) * kind.size() as i64 => self.systems(kind),
            "carry" => self.carry(kind),
            "knn_view" => {
                self.line(&begin(format!("knn<{real}>({}, {}, {})", value(2), value(1), value(3))));
                self.same("found.ids", 5);
                self.same("found.distances", 6);
                self.same("found.counts", 7);
            }
            "fof_view" => {
                self.line(&begin("fof()".to_owned()));
                self.same("found.labels", 2);
                self.same_number("found.count", 3);
            }
            "field_copy" => {
                let method = if asked.integer(2) == 1 { "query_field" } else { "field" };
                self.line(&begin(format!("{method}<{real}>({})", value(1))));
                self.same("found", 5);
            }
            "pair_field_copy" | "pair_field_copy_ids" => {
                let by = if short == "pair_field_copy" { "" } else { "_by_ids" };
                self.line(&begin(format!("pair_field{by}<{real}>({})", value(1))));
                self.same("found.offsets", 5);
                self.same("found.ids", 6);
                self.same("found.values", 7);
            }
            "solve_radii" => {
                let given: Vec<String> = (3..9).map(value).collect();
                let (formula, kind, given) = (asked.object(1), value(2), given.join(", "));
                self.line(&begin(format!("solve_radii<{real}>(*f[{formula}], {given}, {kind})")));
                self.same("found.radii", 11);
                self.same("found.outcomes", 12);
                self.same_number("found.unsolved", 13);
            }
            "search_run" => {
                let (kind, times) = (value(2), value(3));
                self.line(&format!("{search}.run(*f[{}], {kind}, {times});", asked.object(1)));
            }
            "search_info" => {
                self.line(&format!(
                    "if ({search}.info().empty()) wrong({}, \"info\", 0);",
                    asked.number
                ));
            }
            _ => return None,
        }
        Some(())
    }

    fn systems(&mut self, kind: Kind) {
        let (asked, search) = (self.asked, self.search());
        let (dim, count) = (asked.integer(2) as usize, asked.integer(3) as usize);
        let firsts = asked.given(4, count + 1);
        let n = (firsts.integers()[count] - firsts.integers()[0]) as usize;
        let boxes = [10, 11].map(|k| self.span(k, dim * count, Kind::F64)).join(", ");
        let (points, periodic) = (self.span(5, dim * n, kind), self.span(12, dim * count, Kind::I32));
        let (firsts, cutoffs) = (self.span(4, count + 1, Kind::I64), self.span(9, count, Kind::F64));
        let systems = format!("neargrid::systems{{{firsts}, {cutoffs}, {boxes}, {periodic}}}");
        let (dim, rows) = (self.value(2), self.value(1));
        self.line(&format!(
            "const auto found = {search}.systems({dim}, {points}, {systems}, {rows});"
        ));
        self.same("found.offsets", 14);
        self.same("found.ids", 15);
    }

    fn carry(&mut self, kind: Kind) {
        let (asked, search) = (self.asked, self.search());
        let rows = |printer: &Self, n: usize, points: usize| {
            let rows = asked.integer(n) as usize;
            if rows == 0 {
                return ("neargrid::contacts()".to_owned(), 0);
            }
            let offsets = asked.given(n + 1, rows + 1);
            let entries = (offsets.integers()[rows] - offsets.integers()[0]) as usize;
            let ids = match asked.is_null(points + 1) {
                true => String::new(),
                false => format!(
                    ", {}",
                    printer.span(points + 1, asked.integer(points) as usize, Kind::I64)
                ),
            };
            let (offsets, list) = (
                printer.span(n + 1, rows + 1, Kind::I64),
                printer.span(n + 2, entries, Kind::I32),
            );
            (
                format!("neargrid::contacts(neargrid::neighbors{{{offsets}, {list}}}{ids})"),
                entries,
            )
        };
        let ((old, entries), (new, _)) = (rows(self, 2, 5), rows(self, 8, 11));
        let columns = asked.integer(13) as usize;
        let (values, signs) = (
            self.span(15, entries * columns, kind),
            self.span(14, columns, Kind::I32),
        );
        self.line(&format!(
            "const auto found = {search}.carry({old}, {values}, {new}, {columns}, {signs});"
        ));
        self.same("found.values", 16);
        self.same("found.lost", 18);
    }
}
