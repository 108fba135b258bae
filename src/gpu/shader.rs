//! Shader sources: every stage has its own file, and shared pieces are imported by name, once each.
//!
//! in: the name of a stage, and its form; out: its WGSL with `#import name` lines replaced by `shaders/shared/name.wgsl`.

use super::device::Device;

/// All files in `shaders/`: the name of each, as in `#import` or in the table of stages, and its source.
pub(crate) const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shaders.rs"));

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
    /// For excluded pairs.
    pub excluded: bool,
    /// For a radius per point: a search of its own.
    pub radii: bool,
    /// For coordinates in two words, along the z-order curve.
    pub wide: bool,
    /// For subgroups of 32 lanes.
    pub subgroups: bool,
    /// For devices whose fma rounds once.
    pub fused: bool,
    /// For devices that subtract numbers of f64 as the CPU does.
    pub doubles: bool,
    /// For formulas in real64.
    pub real64: bool,
    /// Neighbors of a row, if lanes keep them; otherwise 0.
    pub k: usize,
    /// Neighbors that a workgroup gathers.
    pub room: usize,
}

/// Points that a lane keeps beside the k nearest.
const MORE: usize = 4;

impl Form {
    /// The part that depends on the device alone.
    pub fn of(device: &Device) -> Form {
        Form {
            subgroups: device.subgroups,
            ..Form::default()
        }
    }

    /// Names and their meaning, in `shared/form.wgsl` and elsewhere: a name before those that begin it.
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

/// A buffer that shaders read by a function of a name, or write, as `read zpoint vec4<u32> ZPOINT_WINDOW 27 46` says: by the
/// first of the bindings, or if it is larger than one can be, by all of them, the windows.
fn buffer(words: &[&str], has_windows: bool) -> Option<String> {
    let [access, name, ty, window, bindings @ ..] = words else {
        return None;
    };
    let (parameters, result) = match *access {
        "read" => ("at: u32".to_owned(), format!("-> {ty} ")),
        _ => (format!("at: u32, value: {ty}"), String::new()),
    };
    let (mut buffers, mut cases) = (String::new(), String::new());
    if has_windows {
        buffers = format!("override {window}: u32 = 1u;\n");
    }
    let last = if has_windows { bindings.len() - 1 } else { 0 };
    for (k, binding) in bindings.iter().enumerate().take(last + 1) {
        buffers += &format!("@group(0) @binding({binding}) var<storage, {access}> {name}_{k}: array<{ty}>;\n");
        let element = match k {
            0 => format!("{name}_0[at]"),
            _ => format!("{name}_{k}[at - {k}u * {window}]"),
        };
        let step = match *access {
            "read" => format!("return {element};"),
            _ => format!("{element} = value; return;"),
        };
        cases += &match k < last {
            true => format!("    if at < {}u * {window} {{ {step} }}\n", k + 1),
            false => format!("    {step}\n"),
        };
    }
    Some(format!("{buffers}fn {name}({parameters}) {result}{{\n{cases}}}\n"))
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
        (form.excluded, "excluded"),
        (form.subgroups, "subgroups"),
        (form.real64, "real64"),
        (form.doubles, "doubles"),
        (form.radii, "radii"),
    ];
    let special = forms
        .into_iter()
        .find_map(|(wanted, suffix)| find(&format!("{name}_{suffix}")).filter(|_| wanted));
    let (_, source) = special.or_else(|| find(name))?;
    append_lines((source, form), pieces, imported, text)
}

/// Appends lines, with what they import.
fn append_lines(
    (source, form): (&str, Form),
    pieces: &[Piece],
    imported: &mut Vec<String>,
    text: &mut String,
) -> Option<()> {
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        if line == "#each" || line == "#each_down" {
            let each: Vec<_> = lines.by_ref().take_while(|&line| line != "#end").collect();
            text.push_str(&form.repeat(&each, line == "#each_down"));
            continue;
        }
        if let Some(words) = line.strip_prefix("#buffer ") {
            text.push_str(&buffer(&words.split_whitespace().collect::<Vec<_>>(), form.windows)?);
            continue;
        }
        match line.trim_start().strip_prefix("#import ") {
            Some(piece) => {
                if let Some((_, lines)) = pieces.iter().find(|(name, _)| *name == piece.trim()) {
                    append_lines((lines, form), pieces, imported, text)?;
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
