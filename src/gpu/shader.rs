//! Shader sources: every stage is a file of its own, shared pieces are imported by name, once each.
//!
//! in: the name of a stage, and in which form; out: its WGSL with `#import name` lines replaced by `shaders/shared/name.wgsl`.

macro_rules! sources {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../shaders/", $name, ".wgsl")))),*]
    };
}

/// All files, stages first.
const SOURCES: &[(&str, &str)] = sources![
    "extent",
    "shape",
    "key",
    "scan_cells",
    "scatter",
    "count",
    "count_long",
    "scan_rows",
    "select",
    "dispatch",
    "fill",
    "fill_long",
    "scope",
    "zorder_spread",
    "zorder_window",
    "zorder_key",
    "zorder_survey",
    "zorder_relabel",
    "sort",
    "scan_digits",
    "scan_runs",
    "gather",
    "plane",
    "link_leaf",
    "link",
    "label",
    "shared/cell",
    "shared/chunk",
    "shared/coord_words",
    "shared/coord_words_windows",
    "shared/coords",
    "shared/entries",
    "shared/exact",
    "shared/extents",
    "shared/fixed",
    "shared/form",
    "shared/grid_of_workgroups",
    "shared/image",
    "shared/image_periodic",
    "shared/index",
    "shared/linking",
    "shared/masks",
    "shared/near",
    "shared/params",
    "shared/parents",
    "shared/place_point",
    "shared/place_point_windows",
    "shared/point_cell",
    "shared/probe",
    "shared/real",
    "shared/rows",
    "shared/runs",
    "shared/runs_periodic",
    "shared/scan",
    "shared/scope",
    "shared/scope_kinds",
    "shared/scope_parts",
    "shared/selected",
    "shared/shape",
    "shared/sorted",
    "shared/sorted_windows",
    "shared/tree",
    "shared/zbits",
    "shared/zorder",
    "shared/zpoint",
];

/// For what the stages of a search are made: a piece that has a form for it is imported in that form, so that other searches
/// pay nothing for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// For buffers larger than a binding.
    pub windows: bool,
    /// For periodic axes.
    pub periodic: bool,
    /// For points of several kinds.
    pub kinds: bool,
    /// For coordinates in two words, along the z-order curve.
    pub wide: bool,
}

impl Form {
    /// What `shared/form.wgsl` says of it.
    fn names(self) -> [(&'static str, String); 2] {
        [
            ("$wide", self.wide.to_string()),
            ("$periodic", self.periodic.to_string()),
        ]
    }
}

/// The whole source of the stage `name`; `None` where a file is missing.
pub fn expand(name: &str, form: Form) -> Option<String> {
    let (mut text, mut imported) = (String::new(), Vec::new());
    append(name, form, &mut imported, &mut text)?;
    Some(text)
}

fn append(name: &str, form: Form, imported: &mut Vec<String>, text: &mut String) -> Option<()> {
    let find = |name: &str| SOURCES.iter().find(|(file, _)| *file == name);
    let forms = [
        (form.windows, "windows"),
        (form.periodic, "periodic"),
        (form.kinds, "kinds"),
    ];
    let special = forms
        .into_iter()
        .find_map(|(wanted, suffix)| find(&format!("{name}_{suffix}")).filter(|_| wanted));
    let (_, source) = special.or_else(|| find(name))?;
    for line in source.lines() {
        match line.strip_prefix("#import ") {
            Some(piece) => {
                let piece = format!("shared/{}", piece.trim());
                if !imported.contains(&piece) {
                    imported.push(piece.clone());
                    append(&piece, form, imported, text)?;
                }
            }
            None => {
                let names = form.names().into_iter();
                text.push_str(&names.fold(line.to_owned(), |line, (name, value)| line.replace(name, &value)));
                text.push('\n');
            }
        }
    }
    Some(())
}
