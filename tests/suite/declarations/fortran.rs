//! What Fortran may say for a declaration in C, and what it says.

use std::collections::BTreeMap;

use super::header::Type;
use super::{Function, arguments, words};

/// Every way in which Fortran may declare an argument of a C type.
///
/// What a call may leave as it was is `inout`: `out` would let a compiler forget the value that it had. An address that may be
/// null, or of numbers of any type, is a `c_ptr`, or an array of `type(*)`.
pub fn argument(c: &Type) -> Vec<String> {
    if c.stars == 2 {
        return vec!["type(c_ptr), intent(inout)".to_owned()];
    }
    let mut ways = Vec::new();
    for scalar in scalars(&c.name) {
        match (c.stars, c.constant) {
            (0, _) => ways.push(format!("{scalar}, intent(in), value")),
            (1, true) => ways.extend(["", "(*)"].map(|shape| format!("{scalar}, intent(in){shape}"))),
            (1, false) => ways.extend(["", "(*)"].map(|shape| format!("{scalar}, intent(inout){shape}"))),
            _ => panic!("no declaration in Fortran for {c:?}"),
        }
    }
    if c.stars == 1 {
        ways.push("type(c_ptr), intent(in), value".to_owned());
        let intent = if c.constant { "in" } else { "inout" };
        ways.push(format!("type(*), intent({intent})(*)"));
    }
    ways
}

/// Every way in which Fortran may declare a result of a C type; nothing for a subroutine.
pub fn result(c: &Type) -> Vec<String> {
    match (c.name.as_str(), c.stars) {
        ("void", 0) => vec![String::new()],
        (_, 1) => vec!["type(c_ptr)".to_owned()],
        _ => scalars(&c.name).iter().map(|&scalar| scalar.to_owned()).collect(),
    }
}

/// A status is 32 bits, which is c_int on every system that this library is for.
fn scalars(name: &str) -> &'static [&'static str] {
    match name {
        "neargrid_status" => &["integer(c_int)", "integer(c_int32_t)"],
        "int32_t" => &["integer(c_int32_t)"],
        "int64_t" => &["integer(c_int64_t)"],
        "size_t" => &["integer(c_size_t)"],
        "float" => &["real(c_float)"],
        "double" => &["real(c_double)"],
        "char" => &["character(kind=c_char)"],
        "void" | "neargrid_search" | "neargrid_formula" | "neargrid_mpi_search" => &[], // a c_ptr or nothing
        _ => panic!("no type in Fortran for {name}"),
    }
}

/// One line for each statement, without comments.
fn statements(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.split('!').next().unwrap().trim());
    let code = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    code.replace("&\n", " ").lines().map(words).collect()
}

/// The functions of all nameless interfaces, by their names in C. Another statement in an interface is a failure.
pub fn functions(text: &str) -> BTreeMap<String, Function<String>> {
    let mut functions = BTreeMap::new();
    let mut statements = statements(text).into_iter();
    while statements.by_ref().any(|statement| statement == "interface") {
        loop {
            let head = statements.next().expect("an interface ends");
            if head == "end interface" {
                break;
            }
            let heading = heading(&head).unwrap_or_else(|| panic!("not understood: {head}"));
            let (name, c_name) = (&heading.name, &heading.c_name);
            assert!(c_name.ends_with(name), "{name} binds to {c_name}");
            let end = format!("end {} {}", heading.kind, heading.name);
            let body: Vec<_> = statements.by_ref().take_while(|statement| *statement != end).collect();
            let function = function(&heading, &body);
            assert!(
                functions.insert(heading.c_name.clone(), function).is_none(),
                "twice: {head}"
            );
        }
    }
    let bound = text.matches("bind(c, name=").count();
    assert_eq!(functions.len(), bound, "a bind(c) that is in no interface");
    functions
}

struct Heading {
    kind: String,
    name: String,
    arguments: Vec<String>,
    c_name: String,
    result: Option<String>,
}

/// `function NAME(A, B) bind(c, name="C_NAME") result(R)`, or a subroutine without result.
fn heading(statement: &str) -> Option<Heading> {
    let (kind, rest) = statement.split_once(' ')?;
    let (name, rest) = rest.split_once('(')?;
    let (inside, rest) = rest.split_once(") bind(c, name=\"")?;
    let (c_name, rest) = rest.split_once("\")")?;
    let result = match kind {
        "function" => Some(rest.strip_prefix(" result(")?.strip_suffix(')')?.to_owned()),
        "subroutine" if rest.is_empty() => None,
        _ => return None,
    };
    Some(Heading {
        kind: kind.to_owned(),
        name: name.to_owned(),
        arguments: arguments(inside).into_iter().map(str::to_owned).collect(),
        c_name: c_name.to_owned(),
        result,
    })
}

/// Arguments in the order of the heading, each as the body declares it.
fn function(heading: &Heading, body: &[String]) -> Function<String> {
    let name = &heading.name;
    let mut declared = BTreeMap::new();
    for statement in body.iter().filter(|statement| !statement.starts_with("import :: ")) {
        for (entity, kind) in declaration(statement) {
            assert!(declared.insert(entity, kind).is_none(), "{name}: twice: {statement}");
        }
    }
    let mut take = |entity: &str| {
        let kind = declared.remove(entity);
        kind.unwrap_or_else(|| panic!("{name} does not declare {entity}"))
    };
    let arguments = heading
        .arguments
        .iter()
        .map(|argument| (argument.clone(), take(argument)));
    let arguments = arguments.collect();
    let returns = heading.result.as_deref().map(take).unwrap_or_default();
    assert!(declared.is_empty(), "{name} has no {declared:?}");
    Function { returns, arguments }
}

/// Each entity of `TYPE, ATTRIBUTES :: ENTITIES` with all that is said of it, `(*)` after the rest.
fn declaration(statement: &str) -> Vec<(String, String)> {
    let parts = statement.split_once(" :: ");
    let (kind, entities) = parts.unwrap_or_else(|| panic!("not understood: {statement}"));
    let entity = |text: &str| match text.split_once('(') {
        Some((name, shape)) => (name.to_owned(), format!("{kind}({shape}")),
        None => (text.to_owned(), kind.to_owned()),
    };
    arguments(entities).into_iter().map(entity).collect()
}

/// Integer parameters by name, of a kind that C knows.
pub fn constants(text: &str) -> BTreeMap<String, i64> {
    let mut constants = BTreeMap::new();
    for statement in statements(text) {
        let Some((kind, defined)) = statement.split_once(" :: ") else {
            continue;
        };
        if !kind.starts_with("integer(c_int") || !kind.contains(", parameter") {
            continue;
        }
        for definition in arguments(defined) {
            let parts = definition.split_once(" = ");
            let parts = parts.and_then(|(name, value)| Some((name.to_owned(), value.parse().ok()?)));
            let (name, value) = parts.unwrap_or_else(|| panic!("not understood: {statement}"));
            assert!(constants.insert(name, value).is_none(), "twice: {definition}");
        }
    }
    constants
}
