//! The method for each function of C.

use super::{LeftOut, Numbers, Python, Spoken, list, real};

pub(super) fn none() -> Numbers {
    Numbers::Integers(Vec::new())
}

/// Whether a function is of real32.
pub(super) fn is_single(name: &str) -> bool {
    name.ends_with("_f32")
}

/// Numbers of the kind of a function, where there may be none.
pub(super) fn of_kind(name: &str, values: Numbers) -> Numbers {
    match (values.len(), is_single(name)) {
        (0, true) => Numbers::Singles(Vec::new()),
        (0, false) => Numbers::Reals(Vec::new()),
        _ => values,
    }
}

pub(super) fn dtype(name: &str) -> &'static str {
    if is_single(name) { "F([]).dtype" } else { "D([]).dtype" }
}

/// A table of rows.
pub(super) fn table(values: &Numbers, columns: usize) -> String {
    match values.len() {
        0 => format!("{}.reshape(0, {columns})", list(values, false)),
        _ => format!("{}.reshape(-1, {columns})", list(values, false)),
    }
}

impl Python<'_> {
    pub(super) fn real(&self, argument: usize) -> String {
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
            _ if short.to_lowercase().contains("celllist") => LeftOut,
            _ if short.starts_with("groups_") || short.starts_with("fof_") => self.groups(short),
            _ if short.starts_with("chunks_") => self.chunks(short),
            _ if short.starts_with("list_") => self.list(short),
            _ if !self.asked.has_object() => LeftOut,
            _ => self.query(short),
        }
    }

    pub(super) fn search(&self) -> String {
        format!("s[{}]", self.asked.object(0))
    }
}
