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
    "shared/coord_words",
    "shared/coord_words_windows",
    "shared/coords",
    "shared/extents",
    "shared/fixed",
    "shared/grid_of_workgroups",
    "shared/masks",
    "shared/params",
    "shared/place_point",
    "shared/place_point_windows",
    "shared/probe",
    "shared/real",
    "shared/rows",
    "shared/runs",
    "shared/scan",
    "shared/selected",
    "shared/shape",
    "shared/sorted",
    "shared/sorted_windows",
];

/// The whole source of the stage `name`; `None` where a file is missing. With `windows`, a piece that has a form for
/// buffers larger than a binding is imported in that form.
pub fn expand(name: &str, windows: bool) -> Option<String> {
    let (mut text, mut imported) = (String::new(), Vec::new());
    append(name, windows, &mut imported, &mut text)?;
    Some(text)
}

fn append(name: &str, windows: bool, imported: &mut Vec<String>, text: &mut String) -> Option<()> {
    let find = |name: &str| SOURCES.iter().find(|(file, _)| *file == name);
    let windowed = find(&format!("{name}_windows")).filter(|_| windows);
    let (_, source) = windowed.or_else(|| find(name))?;
    for line in source.lines() {
        match line.strip_prefix("#import ") {
            Some(piece) => {
                let piece = format!("shared/{}", piece.trim());
                if !imported.contains(&piece) {
                    imported.push(piece.clone());
                    append(&piece, windows, imported, text)?;
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
