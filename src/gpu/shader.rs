//! Shader sources: every stage is a file of its own, shared pieces are imported by name, once each.
//!
//! in: the name of a stage; out: its WGSL with `#import name` lines replaced by `shaders/shared/name.wgsl`.

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
    "shared/cell",
    "shared/chunk",
    "shared/coords",
    "shared/extents",
    "shared/fixed",
    "shared/grid_of_workgroups",
    "shared/masks",
    "shared/params",
    "shared/probe",
    "shared/real",
    "shared/rows",
    "shared/runs",
    "shared/scan",
    "shared/selected",
    "shared/shape",
    "shared/sorted",
];

/// The whole source of the stage `name`; `None` where a file is missing.
pub fn expand(name: &str) -> Option<String> {
    let (mut text, mut imported) = (String::new(), Vec::new());
    append(name, &mut imported, &mut text)?;
    Some(text)
}

fn append(name: &str, imported: &mut Vec<String>, text: &mut String) -> Option<()> {
    let (_, source) = SOURCES.iter().find(|(file, _)| *file == name)?;
    for line in source.lines() {
        match line.strip_prefix("#import ") {
            Some(piece) => {
                let piece = format!("shared/{}", piece.trim());
                if !imported.contains(&piece) {
                    imported.push(piece.clone());
                    append(&piece, imported, text)?;
                }
            }
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    Some(())
}
