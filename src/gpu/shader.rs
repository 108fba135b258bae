//! Shader sources: every stage has its own file, and shared pieces are imported by name, once each.
//!
//! in: the name of a stage, and its form; out: its WGSL with `#import name` lines replaced by `shaders/shared/name.wgsl`.

use super::device::Device;

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
    "blocks",
    "block_sizes",
    "count",
    "split",
    "scan_rows",
    "select",
    "dispatch",
    "fill",
    "pack",
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
    "knn",
    "knn_doubts",
    "knn_long",
    "regroup",
    "leaves",
    "planes",
    "seek_count",
    "seek_fill",
    "sort_rows",
    "sort_long",
    "sort_longest",
    "direct",
    "parts",
    "shared/buckets",
    "link_leaf",
    "link_node",
    "link",
    "label",
    "arithmetic",
    "columns",
    "sum",
    "self_test",
    "shared/arithmetic",
    "shared/around",
    "shared/batch",
    "shared/behind",
    "shared/blocks",
    "shared/candidates",
    "shared/cell",
    "shared/classes",
    "shared/chunk",
    "shared/coord_words",
    "shared/coord_words_windows",
    "shared/coords",
    "shared/decide",
    "shared/direct",
    "shared/doubts",
    "shared/doubts_listed",
    "shared/entries",
    "shared/exact",
    "shared/exchange",
    "shared/exchange_subgroups",
    "shared/extents",
    "shared/far",
    "shared/fixed",
    "shared/form",
    "shared/grid_of_workgroups",
    "shared/hits",
    "shared/image",
    "shared/image_periodic",
    "shared/index",
    "shared/kept",
    "shared/knn",
    "shared/lanes",
    "shared/lanes_subgroups",
    "shared/listed",
    "shared/listed_kinds",
    "shared/lay_out",
    "shared/linking",
    "shared/near",
    "shared/nearest",
    "shared/nearest_rows",
    "shared/network",
    "shared/node",
    "shared/nodes",
    "shared/nodes_made",
    "shared/order",
    "shared/params",
    "shared/parents",
    "shared/pair",
    "shared/parts",
    "shared/place_point",
    "shared/place_point_windows",
    "shared/place_zpoint",
    "shared/place_zpoint_windows",
    "shared/point_cell",
    "shared/queries",
    "shared/queries_windows",
    "shared/radius",
    "shared/rank",
    "shared/real",
    "shared/real_words",
    "shared/row",
    "shared/row_radii",
    "shared/rows",
    "shared/runs",
    "shared/runs_periodic",
    "shared/scan",
    "shared/scope",
    "shared/scope_kinds",
    "shared/scope_parts",
    "shared/seek",
    "shared/selected",
    "shared/separation",
    "shared/separation_periodic",
    "shared/shape",
    "shared/sorted",
    "shared/sorted_windows",
    "shared/step",
    "shared/summed",
    "shared/transpose",
    "shared/transpose_subgroups",
    "shared/tree",
    "shared/triple",
    "shared/units",
    "shared/votes",
    "shared/votes_subgroups",
    "shared/zbits",
    "shared/zorder",
    "shared/zpoint",
    "shared/zpoints",
    "shared/zpoints_windows",
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
    /// For a radius per point: a search of its own.
    pub radii: bool,
    /// For coordinates in two words, along the z-order curve.
    pub wide: bool,
    /// For subgroups of 32 lanes.
    pub subgroups: bool,
    /// For devices whose fma rounds once.
    pub fused: bool,
    /// Neighbors of a row, if lanes keep them; otherwise 0.
    pub k: usize,
    /// Neighbors that a workgroup gathers.
    pub room: usize,
}

/// Points that a lane keeps beside the k nearest.
const MORE: usize = 4;

impl Form {
    /// What depends on the device alone.
    pub fn of(device: &Device) -> Form {
        Form {
            subgroups: device.subgroups && device.subgroup_sizes == (32, 32),
            ..Form::default()
        }
    }

    /// What stands for what it says, in `shared/form.wgsl` and elsewhere: a name before those that begin it.
    fn names(self) -> [(&'static str, String); 9] {
        let kept = self.k + MORE;
        [
            ("$wide", self.wide.to_string()),
            ("$periodic", self.periodic.to_string()),
            ("$fused", self.fused.to_string()),
            ("$room", format!("{}u", self.room.max(1))),
            (
                "$low_room",
                format!("{}u", if self.wide { self.room.max(1) } else { 1 }),
            ),
            ("$kept", format!("{kept}u")),
            ("$last", (kept - 1).to_string()),
            ("$kth", self.k.max(1).saturating_sub(1).to_string()),
            ("$k", format!("{}u", self.k)),
        ]
    }

    /// `line` with what it says in place of names.
    fn spell(self, line: &str) -> String {
        let names = self.names().into_iter();
        names.fold(line.to_owned(), |line, (name, value)| line.replace(name, &value))
    }

    /// Lines to be repeated for each point that a lane keeps: between `#each` and `#end` for `$i` from 0 on, between
    /// `#each_down` and `#end` from the last one down to 1, with `$j` for the one before.
    fn repeat(self, lines: &[&str], down: bool) -> String {
        let numbers: Vec<_> = match down {
            true => (1..self.k + MORE).rev().collect(),
            false => (0..self.k + MORE).collect(),
        };
        let mut text = String::new();
        for i in numbers {
            for line in lines {
                let line = line.replace("$i", &i.to_string());
                text.push_str(&self.spell(&line.replace("$j", &i.saturating_sub(1).to_string())));
                text.push('\n');
            }
        }
        text
    }
}

/// A piece that is written for one formula: the name under which it is imported, and its lines.
pub type Piece = (&'static str, String);

/// The whole source of the stage `name`; `None` where a file is missing.
pub fn expand(name: &str, form: Form) -> Option<String> {
    expand_with(name, form, &[])
}

/// The same of a stage that imports `pieces`.
pub fn expand_with(name: &str, form: Form, pieces: &[Piece]) -> Option<String> {
    let (mut text, mut imported) = (String::new(), Vec::new());
    append((name, form), pieces, &mut imported, &mut text)?;
    Some(text)
}

fn append((name, form): (&str, Form), pieces: &[Piece], imported: &mut Vec<String>, text: &mut String) -> Option<()> {
    let find = |name: &str| SOURCES.iter().find(|(file, _)| *file == name);
    let forms = [
        (form.windows, "windows"),
        (form.periodic, "periodic"),
        (form.kinds, "kinds"),
        (form.radii, "radii"),
        (form.subgroups, "subgroups"),
    ];
    let special = forms
        .into_iter()
        .find_map(|(wanted, suffix)| find(&format!("{name}_{suffix}")).filter(|_| wanted));
    let (_, source) = special.or_else(|| find(name))?;
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        if line == "#each" || line == "#each_down" {
            let each: Vec<_> = lines.by_ref().take_while(|&line| line != "#end").collect();
            text.push_str(&form.repeat(&each, line == "#each_down"));
            continue;
        }
        match line.trim_start().strip_prefix("#import ") {
            Some(piece) => {
                if let Some((_, lines)) = pieces.iter().find(|(name, _)| *name == piece.trim()) {
                    text.push_str(lines);
                    continue;
                }
                let piece = format!("shared/{}", piece.trim());
                if !imported.contains(&piece) {
                    imported.push(piece.clone());
                    append((&piece, form), pieces, imported, text)?;
                }
            }
            None => {
                text.push_str(&form.spell(line));
                text.push('\n');
            }
        }
    }
    Some(())
}
