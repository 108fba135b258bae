//! The imports of `src` go down: a room knows the rooms below it alone, and no files form a circle. Only texts are read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::read;

/// The rooms, a file or a folder each, from the ground up. A room imports rooms of the lines before its own. ARCHITECTURE.md has
/// the same lines.
const ROOMS: &[&[&str]] = &[
    &["axes", "cost", "drift", "error", "exact_sum", "fenv", "real", "room"],
    &["measure", "memory", "quiet", "simd", "spare"],
    &["threads", "version"],
    &["arguments", "list"],
    &["domain", "ids", "order"],
    &[
        "carry",
        "cell",
        "displacement",
        "environment",
        "exclusions",
        "kinds",
        "points",
        "ztree",
    ],
    &["fields", "grid", "groups", "plan", "radii"],
    &["pair_fields"],
    &["formula", "oracle"],
    &["cpu"],
    &["gpu"],
    &["search"],
    &["ranks"],
    &["capi"],
];

/// Texts by the path of their module, with `/` between its parts.
type Files = BTreeMap<String, String>;

/// For each file those that it imports.
type Imports<'a> = BTreeMap<&'a str, BTreeSet<String>>;

fn room_of(file: &str) -> &str {
    file.split('/').next().unwrap()
}

/// The text without comments, strings and modules of tests.
fn code_of(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', '/', '\'']) {
        code.push_str(&rest[..at]);
        rest = &rest[at..];
        let len = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(literal) = rest.strip_prefix('"') {
            let mut escaped = false;
            let end = literal.find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("'\"'") || rest.starts_with("'/'") {
            3
        } else {
            code.push_str(&rest[..1]);
            1
        };
        rest = &rest[len..];
    }
    code.push_str(rest);
    without_tests(&code)
}

fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]\nmod ";
    let Some(start) = code.find(MARK) else {
        return code.into();
    };
    let (before, tests) = code.split_at(start);
    let mut depth = 0;
    let end = tests.find(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        (c == ';' || c == '}') && depth == 0
    });
    before.to_owned() + &without_tests(&tests[end.map_or(tests.len(), |end| end + 1)..])
}

/// The paths of a `use`, each in full.
fn paths_of(tree: &str, before: &str, paths: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((start, rest)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap().trim();
        paths.push(format!("{before}{path}"));
        return;
    };
    let (before, inner) = (format!("{before}{}", start.trim()), &rest[..rest.rfind('}').unwrap()]);
    let (mut depth, mut from) = (0, 0);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == ',' && depth == 0 {
            if !inner[from..at].trim().is_empty() {
                paths_of(&inner[from..at], &before, paths);
            }
            from = at + 1;
        }
    }
}

/// All paths of a text that may lead to another file.
fn paths(text: &str) -> Vec<String> {
    let (code, mut paths) = (code_of(text), Vec::new());
    for (at, _) in code.match_indices("use ") {
        let is_word = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if let (false, Some(tree)) = (is_word, code[at + 4..].split(';').next()) {
            paths_of(tree, "", &mut paths);
        }
    }
    for root in ["crate::", "super::"] {
        for (at, _) in code.match_indices(root) {
            let is_path = |c: char| c.is_alphanumeric() || "_:".contains(c);
            if !code[..at].ends_with("::") {
                let path = code[at..].split(|c| !is_path(c)).next().unwrap();
                paths.push(path.trim_end_matches(':').to_owned());
            }
        }
    }
    paths
}

/// The file that a path in `file` leads to; `None` for another crate's.
fn target(files: &Files, file: &str, path: &str) -> Option<String> {
    let mut parts = path.split("::").map(str::trim).peekable();
    let mut module: Vec<&str> = file.split('/').collect();
    match *parts.peek()? {
        "crate" => module.clear(),
        "self" | "super" => {}
        child if files.contains_key(&format!("{file}/{child}")) => {}
        _ => return None,
    }
    while let Some(part) = parts.next_if(|part| ["crate", "self", "super"].contains(part)) {
        if part == "super" {
            module.pop();
        }
    }
    for part in parts {
        module.push(part);
        if !files.contains_key(&module.join("/")) {
            module.pop();
            break;
        }
    }
    Some(module.join("/"))
}

fn imports(files: &Files) -> Imports<'_> {
    let read = files.iter().filter(|(file, _)| *file != "lib");
    read.map(|(file, text)| {
        let targets = paths(text).into_iter().filter_map(|path| target(files, file, &path));
        (&file[..], targets.filter(|target| target != file).collect())
    })
    .collect()
}

/// The arrows that do not go down, in words.
fn upward(files: &Files, rooms: &[&[&str]]) -> Vec<String> {
    let line = |room: &str| rooms.iter().position(|line| line.contains(&room));
    let mut wrong = Vec::new();
    for (file, targets) in imports(files) {
        let from = room_of(file);
        let Some(height) = line(from) else {
            wrong.push(format!("{file}: the room is on no line"));
            continue;
        };
        for target in targets {
            let to = room_of(&target);
            if to != from && line(to).is_none_or(|below| below >= height) {
                wrong.push(format!("{file} imports {target}, which is not below it"));
            }
        }
    }
    wrong
}

/// The imports within a room by which a file leads back to itself, in words.
fn circles(files: &Files) -> Vec<String> {
    let mut imports = imports(files);
    for (file, targets) in &mut imports {
        targets.retain(|target| room_of(target) == room_of(file));
    }
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for &file in imports.keys() {
        let (mut seen, mut waiting) = (BTreeSet::new(), vec![file]);
        while let Some(file) = waiting.pop() {
            let next = imports.get(file).into_iter().flatten();
            waiting.extend(next.map(|next| &next[..]).filter(|next| seen.insert(*next)));
        }
        reached.insert(file, seen);
    }
    let is_circle = |file: &str, to: &str| reached.get(to).is_some_and(|reached| reached.contains(file));
    imports
        .iter()
        .flat_map(|(file, targets)| targets.iter().map(move |to| (*file, to)))
        .filter(|(file, to)| is_circle(file, to))
        .map(|(file, to)| format!("{file} imports {to}, which leads back to it"))
        .collect()
}

fn add(folder: &Path, module: &str, files: &mut Files) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let inner = if module.is_empty() {
            name.to_owned()
        } else {
            format!("{module}/{name}")
        };
        if path.is_dir() {
            add(&path, &inner, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let module = if name == "mod" { module.to_owned() } else { inner };
            files.insert(module, std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// The modules that are compiled for tests alone, which may import anything.
fn for_tests(files: &Files) -> Vec<String> {
    const MARK: &str = "#[cfg(test)]\nmod ";
    let mut found = Vec::new();
    for (file, text) in files {
        for declared in text.split(MARK).skip(1) {
            let (name, _) = declared.split_once([';', ' ']).unwrap();
            found.push(match &file[..] {
                "lib" => name.to_owned(),
                file => format!("{file}/{name}"),
            });
        }
    }
    found
}

/// All files but those for tests.
fn files() -> Files {
    let mut files = Files::new();
    add(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut files);
    let left_out = for_tests(&files);
    let is_in = |file: &str, module: &str| {
        file.strip_prefix(module)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    files.retain(|file, _| !left_out.iter().any(|module| is_in(file, module)));
    files
}

#[test]
fn imports_go_down() {
    let wrong = upward(&files(), ROOMS);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_form_no_circle() {
    let wrong = circles(&files());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every room is on one line, and ARCHITECTURE.md has these lines.
#[test]
fn rooms_are_listed() {
    let rooms: BTreeSet<String> = files().keys().map(|file| room_of(file).to_owned()).collect();
    let listed: Vec<String> = ROOMS.concat().iter().map(|room| room.to_string()).collect();
    assert_eq!(listed.len(), listed.iter().collect::<BTreeSet<_>>().len());
    let mut expected = rooms;
    expected.retain(|room| room != "lib");
    assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), expected);
    let text = read("ARCHITECTURE.md");
    let (_, section) = text.split_once("\n## Order of the rooms\n").expect("a section");
    let section = section.split("\n## ").next().unwrap();
    let lines: Vec<Vec<&str>> = (section.lines())
        .filter_map(|line| line.strip_prefix("    "))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(lines, ROOMS);
}

/// Modules for tests are known by their declaration.
#[test]
fn modules_for_tests_are_left_out() {
    let files = planted(&[
        ("lib", "mod list;\n#[cfg(test)]\nmod random;"),
        (
            "list",
            "mod rows;\n#[cfg(test)]\nmod checks;\n#[cfg(test)]\nmod tests {}",
        ),
    ]);
    assert_eq!(for_tests(&files), ["random", "list/checks", "list/tests"]);
}

fn planted(files: &[(&str, &str)]) -> Files {
    files
        .iter()
        .map(|(file, text)| (file.to_string(), text.to_string()))
        .collect()
}

/// An import that goes up is found in every form that it may have.
#[test]
fn planted_imports_are_found() {
    let rooms: &[&[&str]] = &[&["error"], &["list"], &["search"]];
    let forms = [
        "use crate::search::Search;",
        "use crate::{error::Error, search::{Search, session::Session}};",
        "pub(crate) use crate::{\n    error::Error,\n    search,\n};",
        "use super::super::search::Search;",
        "fn f() -> crate::search::Search { g() }",
        "fn f() { super::super::search::g() }",
        "const C: char = '\"'; fn f() { use crate::search::*; }",
        "#[cfg(test)]\nmod tests { fn f() {} }\nuse crate::search as above;",
        "use crate::nowhere::Room;\nfn f() { crate::search::session::g() }",
    ];
    for form in forms {
        let files = planted(&[
            ("error", ""),
            ("list", ""),
            ("list/rows", form),
            ("search", ""),
            ("search/session", ""),
        ]);
        let wrong = upward(&files, rooms);
        assert!(
            wrong.iter().any(|wrong| wrong.starts_with("list/rows imports search")),
            "{form}: {wrong:?}"
        );
    }
    let allowed = [
        "// use crate::search::Search;",
        "/// See [`Search`](crate::search::Search).\nuse crate::error::Error;",
        "const TEXT: &str = \"use crate::search::Search; \\\" crate::search\";",
        "#[cfg(test)]\nmod tests {\n    use crate::search::Search;\n}",
        "use super::Rows;\nuse std::fmt::{self, Display};",
    ];
    for form in allowed {
        let files = planted(&[("error", ""), ("list", ""), ("list/rows", form), ("search", "")]);
        assert_eq!(upward(&files, rooms), [] as [String; 0], "{form}");
    }
}

/// A circle is found between siblings, and between a module and the one around it, but not where a child only uses its parent.
#[test]
fn planted_circles_are_found() {
    let siblings = planted(&[
        ("grid", "mod a;\nmod b;"),
        ("grid/a", "use super::b::B;"),
        ("grid/b", "use super::c::C;"),
        ("grid/c", "fn f() { super::a::g() }"),
    ]);
    assert_eq!(circles(&siblings).len(), 3);
    let parent = planted(&[("grid", "mod a;\nuse a::A;"), ("grid/a", "use super::Grid;")]);
    assert_eq!(circles(&parent).len(), 2);
    let down = planted(&[("grid", "mod a;\nstruct Grid;"), ("grid/a", "use super::Grid;")]);
    assert_eq!(circles(&down).len(), 0);
}
