//! The binary interface: what the shared library exports, what the header declares, what Fortran binds to, and numbers
//! that programs already compiled rely on.
//!
//! tests/abi/symbols.txt: every exported symbol. tests/abi/constants.txt: every number of the header. A line may be added
//! to either; one that changes or goes needs a new NEARGRID_ABI_VERSION.

#[path = "common/c.rs"]
mod c;

use std::collections::BTreeSet;
use std::ffi::CStr;

use c::{built, read, run, tool};
use neargrid::capi::error::{neargrid_abi_version, neargrid_version};
use neargrid::capi::status::NEARGRID_ABI_VERSION;

/// The lines of a committed list, which is kept sorted or in the header's order and free of repetitions.
fn list(path: &str) -> Vec<String> {
    let lines: Vec<String> = read(path).lines().map(str::to_owned).collect();
    assert_eq!(
        lines.iter().collect::<BTreeSet<_>>().len(),
        lines.len(),
        "{path} repeats a line"
    );
    lines
}

fn symbols() -> BTreeSet<String> {
    list("tests/abi/symbols.txt").into_iter().collect()
}

/// Names in front of a parenthesis, outside of comments and preprocessor lines.
fn prototypes(header: &str) -> BTreeSet<String> {
    let text = read(header);
    let mut code = String::new();
    for piece in text.split("/*") {
        code += piece.split_once("*/").map_or(piece, |(_, after)| after);
    }
    let code: Vec<_> = code
        .lines()
        .map(|line| line.split("//").next().unwrap())
        .filter(|line| !line.starts_with('#') && !line.starts_with("extern \"C\""))
        .collect();
    let code = code.join(" ");
    let statements = code.split(';').filter_map(|statement| statement.split_once('('));
    let name = |before: &str| {
        before
            .trim_end()
            .rsplit([' ', '*'])
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    statements.map(|(before, _)| name(before)).collect()
}

#[test]
fn exports() {
    let library = built().join("libneargrid.so");
    let text = run(tool("nm").args(["-D", "--defined-only"]).arg(library));
    let exported: BTreeSet<String> = text
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2))
        .map(str::to_owned)
        .collect();
    let added: Vec<_> = exported.difference(&symbols()).cloned().collect();
    let gone: Vec<_> = symbols().difference(&exported).cloned().collect();
    assert!(
        added.is_empty() && gone.is_empty(),
        "tests/abi/symbols.txt lacks {added:?}; the library lacks {gone:?}"
    );
}

/// What is exported is declared: for C in the two headers, for Fortran without modules by its two names.
#[test]
fn declarations() {
    let mut declared = prototypes("include/neargrid.h");
    assert!(declared.len() > 30, "{declared:?}");
    let dropin = prototypes("include/celllist.h");
    assert_eq!(dropin.len(), 4, "{dropin:?}");
    declared.extend(dropin);
    declared.extend(["celllist_", "scelllist_"].map(str::to_owned));
    assert_eq!(declared, symbols());
}

/// Every name that a Fortran module binds to is exported.
#[test]
fn fortran() {
    for path in ["fortran/neargrid_c.f90", "fortran/celllist_m.F90"] {
        let text = read(path);
        let names: BTreeSet<String> = text
            .split("bind(c, name=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().to_owned())
            .collect();
        assert!(names.len() > 3, "{path}: {names:?}");
        let unknown: Vec<_> = names.difference(&symbols()).cloned().collect();
        assert!(unknown.is_empty(), "{path} binds to {unknown:?}, which is not exported");
    }
}

/// Numbers are never reused or changed.
#[test]
fn constants() {
    let header = read("include/neargrid.h");
    let defined: Vec<String> = header
        .lines()
        .filter_map(|line| line.strip_prefix("#define "))
        .filter(|line| line.starts_with("NEARGRID_") && line.contains(' '))
        .map(str::to_owned)
        .collect();
    assert_eq!(defined, list("tests/abi/constants.txt"));
}

#[test]
fn versions() {
    assert_eq!(neargrid_abi_version(), NEARGRID_ABI_VERSION);
    let line = format!("NEARGRID_ABI_VERSION {NEARGRID_ABI_VERSION}");
    assert!(
        read("include/neargrid.h").contains(&format!("#define {line}\n")),
        "{line}"
    );
    // SAFETY: static and NUL-terminated, says its documentation.
    let version = unsafe { CStr::from_ptr(neargrid_version()) };
    assert_eq!(version.to_str(), Ok(env!("CARGO_PKG_VERSION")));
}
