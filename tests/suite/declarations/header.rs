//! Reads a C header as cbindgen writes it.

use std::collections::BTreeMap;

use super::{Function, arguments, words};

/// The declarations of a header.
pub struct Header {
    pub functions: BTreeMap<String, Function<Type>>,
    pub constants: BTreeMap<String, i64>,
}

/// A type as C writes it: a name without `struct`, whether the innermost is const, and how many stars follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    pub name: String,
    pub constant: bool,
    pub stars: usize,
}

/// Reads a header. What is neither a constant nor a function nor one of the few lines around them is a failure.
pub fn read(text: &str) -> Header {
    let mut code = String::new();
    let mut constants = BTreeMap::new();
    for line in without_comments(text).lines() {
        match line.strip_prefix("#define ").map(|rest| rest.split_once(' ')) {
            Some(Some((name, value))) => {
                // Others are attributes and texts.
                if let Ok(value) = value.trim().parse() {
                    assert!(constants.insert(name.to_owned(), value).is_none(), "twice: {line}");
                }
            }
            Some(None) => {} // the guard
            None if line.starts_with('#') => {
                let known = ["#if", "#el", "#endif", "#include "];
                assert!(
                    known.iter().any(|start| line.starts_with(start)),
                    "not understood: {line}"
                );
            }
            None => code += &format!("{line}\n"),
        }
    }
    let code = without_inline(&code)
        .replace("NEARGRID_NODISCARD ", "")
        .replace("NEARGRID_EXPORT", "")
        .replace("extern \"C\" {\n", "")
        .replace("\n}\n", "\n");
    let mut functions = BTreeMap::new();
    let (statements, rest) = code.rsplit_once(';').expect("a header has statements");
    assert_eq!(rest.trim(), "", "left over");
    for statement in statements.split(';').map(words) {
        if !is_typedef(&statement) {
            let (name, function) = prototype(&statement);
            assert!(functions.insert(name, function).is_none(), "twice: {statement}");
        }
    }
    Header { functions, constants }
}

fn without_comments(text: &str) -> String {
    let mut pieces = text.split("/*");
    let mut code = pieces.next().unwrap().to_owned();
    for piece in pieces {
        code += piece.split_once("*/").expect("a comment ends").1;
    }
    let lines = code.lines().map(|line| line.split("//").next().unwrap().trim_end());
    lines.map(|line| line.to_owned() + "\n").collect()
}

/// Functions written out in the header are for C alone.
fn without_inline(code: &str) -> String {
    let mut pieces = code.split("static inline ");
    let mut kept = pieces.next().unwrap().to_owned();
    for piece in pieces {
        kept += piece.split_once("\n}\n").expect("a body ends").1;
    }
    kept
}

/// The only typedefs: statuses and choices are int32_t, handles are opaque, and functions of a communicator.
fn is_typedef(statement: &str) -> bool {
    let Some(defined) = statement.strip_prefix("typedef ") else {
        return false;
    };
    let opaque = defined
        .strip_prefix("struct ")
        .and_then(|names| names.split_once(' '))
        .is_some_and(|(name, alias)| name == alias);
    let function = |returns: &str| defined.starts_with(&format!("{returns} (*neargrid_comm_"));
    assert!(
        opaque || defined.starts_with("int32_t neargrid_") || function("int32_t") || function("void"),
        "not understood: {statement}"
    );
    true
}

fn prototype(statement: &str) -> (String, Function<Type>) {
    let parts = statement
        .strip_suffix(')')
        .and_then(|statement| statement.split_once('('));
    let (declared, inside) = parts.unwrap_or_else(|| panic!("not understood: {statement}"));
    let (name, returns) = declaration(declared);
    let inside = if inside == "void" { "" } else { inside };
    // cbindgen takes over the underscore of an argument that Rust does not use
    let argument = |text: &str| {
        let (name, kind) = declaration(text);
        (name.trim_start_matches('_').to_owned(), kind)
    };
    let arguments = arguments(inside).into_iter().map(argument).collect();
    (name, Function { returns, arguments })
}

/// A type and the name after it.
fn declaration(text: &str) -> (String, Type) {
    let at = text
        .rfind([' ', '*'])
        .unwrap_or_else(|| panic!("not understood: {text}"));
    let (kind, name) = text.split_at(at + 1);
    let base = kind.trim_end_matches([' ', '*']);
    let constant = base.starts_with("const ");
    let base = base.trim_start_matches("const ").trim_start_matches("struct ");
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    assert!(is_name(base) && is_name(name), "not understood: {text}");
    let stars = kind.matches('*').count();
    assert!(!constant || stars > 0, "a const value: {text}");
    let name = name.to_owned();
    let kind = Type {
        name: base.to_owned(),
        constant,
        stars,
    };
    (name, kind)
}
