//! Queries and their results.

use super::calls::{is_single, of_kind, table};
use super::*;

impl Python<'_> {
    pub(super) fn query(&mut self, short: &str) -> Spoken {
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

    pub(super) fn list(&mut self, short: &str) -> Spoken {
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

    pub(super) fn systems(&mut self) {
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

    /// Chunks are those of a generator, which begins with the first.
    pub(super) fn chunks(&mut self, short: &str) -> Spoken {
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

    pub(super) fn groups(&mut self, short: &str) -> Spoken {
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
}
