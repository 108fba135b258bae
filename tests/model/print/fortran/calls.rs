//! The procedure for each function of C.

use super::words::{int, integers, real, single, table};
use super::{Fortran, Numbers, Spoken};

/// An array of a column each for points.
pub(super) fn columns(values: &Numbers, rows: usize) -> String {
    table(&integers(values), rows, values.len().checked_div(rows).unwrap_or(0))
}

pub(super) fn none() -> Numbers {
    Numbers::Integers(Vec::new())
}

/// The suffix of names of variables and the bytes of a real, by the name of a function.
pub(super) fn precision(name: &str) -> (&'static str, i64) {
    if name.ends_with("_f32") { ("f32", 4) } else { ("f64", 8) }
}

/// Numbers of the kind of a function, where there may be none.
pub(super) fn of_kind(name: &str, values: Numbers) -> Numbers {
    match (values.len(), precision(name).0) {
        (0, "f32") => Numbers::Singles(Vec::new()),
        (0, _) => Numbers::Reals(Vec::new()),
        _ => values,
    }
}

pub(super) fn is_single(value: f64) -> bool {
    f64::from(value as f32) == value
}

impl Fortran<'_> {
    /// A real of either kind: now and then of real32, where it is one.
    pub(super) fn either(&self, value: f64) -> String {
        match self.is_odd() && is_single(value) && value as f32 != 0.0 && !(value as f32).is_subnormal() {
            true => single(value as f32),
            false => real(value),
        }
    }

    /// A real of the kind of the points.
    pub(super) fn of_points(name: &str, value: f64) -> String {
        match precision(name).0 {
            "f32" => single(value as f32),
            _ => real(value),
        }
    }

    pub(super) fn kind(&self, argument: usize) -> String {
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
            // The thread's search is another one after a drop-in of C.
            "celllist_" | "scelllist_" => Spoken::Unspeakable,
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
            _ if short.to_lowercase().contains("celllist") => Spoken::Unspeakable,
            _ if !self.asked.has_object() => Spoken::LeftOut,
            _ => self.query(short),
        }
    }
}
