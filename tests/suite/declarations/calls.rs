//! Calls that texts of errors name. Some have another name in Fortran, which module `neargrid_errors` puts into the text.

use std::collections::{BTreeMap, BTreeSet};

use super::{functions, read};

/// The texts in quotation marks of Rust code, without comments and tests.
fn literals(code: &str) -> Vec<String> {
    let code = code.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let (mut texts, mut rest) = (Vec::new(), code);
    while let Some(at) = rest.find(['"', '/', '\'']) {
        rest = &rest[at..];
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\") {
            rest = &rest[3..];
        } else if rest.starts_with('"') {
            let (mut text, mut chars) = (String::new(), rest[1..].char_indices());
            let mut end = rest.len();
            while let Some((k, c)) = chars.next() {
                match c {
                    '"' => {
                        end = k + 2;
                        break;
                    }
                    '\\' => drop(chars.next()),
                    _ => text.push(c),
                }
            }
            texts.push(text);
            rest = &rest[end..];
        } else {
            rest = &rest[1..];
        }
    }
    texts
}

fn sources(folder: &std::path::Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// The name of a call as texts have it: without the library, the handle and the precision.
fn short(call: &str) -> &str {
    let name = call.strip_prefix("neargrid_").unwrap_or(call);
    let name = ["search_", "formula_"]
        .iter()
        .find_map(|handle| name.strip_prefix(handle))
        .unwrap_or(name);
    let name = name.strip_suffix("_f32").unwrap_or(name);
    name.strip_suffix("_f64").unwrap_or(name)
}

fn is_part_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The procedures that the types of module `neargrid` have.
fn procedures() -> BTreeSet<String> {
    let text = read("fortran/neargrid.f90");
    let after = |line: &str| {
        let name = ["procedure, public :: ", "generic, public :: "]
            .iter()
            .find_map(|front| line.trim().strip_prefix(front))?;
        Some(
            name.split(|c| !is_part_of_name(c))
                .next()
                .unwrap_or_default()
                .to_owned(),
        )
    };
    text.lines().filter_map(after).collect()
}

/// The table in `neargrid_errors`: names of calls, and of the procedures that make them.
fn table() -> BTreeMap<String, String> {
    let text = read("fortran/neargrid_errors.f90");
    let (_, rest) = text.split_once(":: procedures(").expect("the table");
    let (rows, _) = rest.split_once("])").expect("its end");
    let names: Vec<&str> = rows.split('"').skip(1).step_by(2).collect();
    names
        .chunks_exact(2)
        .map(|pair| (pair[0].to_owned(), pair[1].to_owned()))
        .collect()
}

/// Calls that are methods in Python, and calls whose other names are in the package's table.
fn in_python() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in ["search", "formula"] {
        let text = read(&format!("python/neargrid/{file}.py"));
        let methods = text.lines().filter_map(|line| line.trim().strip_prefix("def "));
        found.extend(methods.map(|line| line.split('(').next().unwrap_or_default().to_owned()));
    }
    let text = read("python/neargrid/_library.py");
    let (_, rest) = text.split_once("CALLS = {").expect("the table");
    let (rows, _) = rest.split_once('}').expect("its end");
    found.extend(rows.split('"').skip(1).step_by(4).map(str::to_owned));
    found
}

/// The procedures that make each call, as the bodies of the procedures say.
fn made_by() -> BTreeMap<String, BTreeSet<String>> {
    let mut found = BTreeMap::<_, BTreeSet<_>>::new();
    for name in read("fortran/sources.txt").split_whitespace() {
        let text = read(&format!("fortran/{name}"));
        for (at, front) in text.match_indices("(owned(self)") {
            let call = text[..at].rsplit(|c| !is_part_of_name(c)).next().unwrap_or_default();
            let behind = &text[at + front.len()..];
            let body = behind.split("end procedure").next().unwrap_or_default();
            let caller = body.split('"').skip(1).step_by(2).next();
            if let Some(caller) = caller.filter(|_| call.starts_with("neargrid_")) {
                found
                    .entry(short(call).to_owned())
                    .or_default()
                    .insert(caller.to_owned());
            }
        }
    }
    found
}

#[test]
fn named_in_texts() {
    let (table, procedures, made_by) = (table(), procedures(), made_by());
    assert!(made_by.len() > 20, "{made_by:?}");
    for (call, procedure) in &table {
        assert!(procedures.contains(procedure), "{procedure} is no procedure");
        let is_right = made_by.get(call).is_none_or(|makers| makers.contains(procedure));
        assert!(
            is_right,
            "{procedure} does not make {call}, but {:?}",
            made_by.get(call)
        );
    }
    let functions = functions();
    let calls: BTreeSet<&str> = functions.iter().map(|call| short(call)).collect();
    assert!(calls.len() > 80, "{calls:?}");
    assert!(table.keys().all(|call| calls.contains(&call[..])), "{table:?}");
    let (mut files, mut named) = (Vec::new(), BTreeSet::new());
    sources(
        std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")),
        &mut files,
    );
    for text in files.iter().flat_map(|code| literals(code)) {
        // Alone, other words are names of arguments and variables.
        let is_call = text.contains(' ')
            || ["set_", "chunks_", "groups_"]
                .iter()
                .any(|front| text.starts_with(front));
        let words = text
            .split(|c| !is_part_of_name(c))
            .filter(|word| is_call && word.contains('_'));
        let calls = words.filter(|word| calls.contains(word) && *word != "abi_version"); // which is an argument as well
        named.extend(calls.map(str::to_owned));
    }
    assert!(
        ["set_cutoff", "set_field", "set_queries"]
            .iter()
            .all(|call| named.contains(*call)),
        "{named:?}"
    );
    let in_python = in_python();
    for call in &named {
        assert!(
            in_python.contains(call),
            "texts name {call}, which is no method in Python: add it to CALLS in _library.py"
        );
        let known = procedures.contains(call) || table.contains_key(call);
        assert!(
            known,
            "texts name {call}, which is no procedure in Fortran: add it to neargrid_errors"
        );
    }
}
