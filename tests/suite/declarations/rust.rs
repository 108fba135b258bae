//! The declaration in Rust that one in C needs, and the one that there is.

use std::collections::BTreeMap;

use super::header::Type;
use super::{Function, arguments, words};

/// A C type in Rust.
pub fn of(c: &Type) -> String {
    let name = match c.name.as_str() {
        "int32_t" => "i32",
        "int64_t" => "i64",
        "size_t" => "usize",
        "float" => "f32",
        "double" => "f64",
        "char" => "c_char",
        "neargrid_search" => "RawSearch",
        name if name.starts_with("neargrid_") => "i32", // a status, or a choice
        "void" if c.stars == 0 => "()",
        _ => panic!("no type in Rust for {c:?}"),
    };
    let mut text = name.to_owned();
    for star in 0..c.stars {
        let constant = c.constant && star == 0;
        text = format!("*{} {text}", if constant { "const" } else { "mut" });
    }
    text
}

/// The functions of the one `extern "C"` block.
pub fn functions(text: &str) -> BTreeMap<String, Function<String>> {
    let (_, block) = text.split_once("unsafe extern \"C\" {\n").expect("a block");
    let (block, rest) = block.split_once("\n}\n").expect("a block ends");
    assert!(!rest.contains("extern \"C\""), "a second block");
    let lines = block.lines().map(|line| line.split("//").next().unwrap());
    let code = words(&lines.collect::<Vec<_>>().join("\n"));
    let (statements, rest) = code.rsplit_once(';').expect("a block has statements");
    assert_eq!(rest.trim(), "", "left over");
    let mut functions = BTreeMap::new();
    for statement in statements.split(';').map(str::trim) {
        let (name, function) = function(statement).unwrap_or_else(|| panic!("not understood: {statement}"));
        assert!(functions.insert(name, function).is_none(), "twice: {statement}");
    }
    functions
}

fn function(statement: &str) -> Option<(String, Function<String>)> {
    let (name, rest) = statement.strip_prefix("pub fn ")?.split_once('(')?;
    let (inside, returns) = rest.split_once(')')?;
    let returns = if returns.is_empty() {
        "()"
    } else {
        returns.strip_prefix(" -> ")?
    };
    let argument = |text: &str| {
        let (name, kind) = text.split_once(": ")?;
        Some((name.to_owned(), kind.to_owned()))
    };
    let arguments = arguments(inside.trim_end_matches([' ', ','])).into_iter().map(argument);
    let function = Function {
        returns: returns.to_owned(),
        arguments: arguments.collect::<Option<_>>()?,
    };
    Some((name.to_owned(), function))
}

/// Constants by name, of the lines that define an `i32`.
pub fn constants(text: &str) -> BTreeMap<String, i64> {
    let lines = text.lines().map(str::trim);
    let defined = lines.filter_map(|line| line.strip_prefix("pub ").unwrap_or(line).strip_prefix("const "));
    let pairs = defined.filter_map(|line| line.split_once(": i32 = "));
    pairs
        .map(|(name, value)| {
            let value = value.strip_suffix(';').and_then(|value| value.parse().ok());
            (
                name.to_owned(),
                value.unwrap_or_else(|| panic!("{name} is not a number")),
            )
        })
        .collect()
}
