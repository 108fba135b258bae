//! The binary interface: what the shared library exports, what the header declares, and numbers that programs already
//! compiled rely on.
//!
//! tests/abi/symbols.txt: every exported symbol. tests/abi/constants.txt: every number of the header. A line may be added
//! to either; one that changes or goes needs a new NEARGRID_ABI_VERSION.

use std::collections::BTreeSet;
use std::ffi::CStr;

use crate::c::{built, read, run, tool};
use neargrid::capi::error::{neargrid_abi_version, neargrid_version};
use neargrid::capi::status::NEARGRID_ABI_VERSION;

/// The lines of a committed list, which is kept sorted and free of repetitions.
fn list(path: &str) -> BTreeSet<String> {
    let text = read(path);
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines.is_sorted_by(|a, b| a < b),
        "{path} is not sorted or repeats a line"
    );
    lines.into_iter().map(str::to_owned).collect()
}

fn symbols() -> BTreeSet<String> {
    list("tests/abi/symbols.txt")
}

/// Nothing came and nothing went.
fn expect_same(found: &BTreeSet<String>, path: &str) {
    let listed = list(path);
    let added: Vec<_> = found.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(found).collect();
    assert!(
        added.is_empty() && gone.is_empty(),
        "{path} lacks {added:?} and has {gone:?}, which is gone"
    );
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
    let functions = code
        .split(';')
        .filter(|statement| !statement.trim_start().starts_with("typedef"));
    let statements = functions.filter_map(|statement| statement.split_once('('));
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

/// The table of statuses has every one of the header, with its number.
#[test]
fn the_documentation_lists_every_status() {
    let (table, constants) = (read("docs/guarantees.md"), read("tests/abi/constants.txt"));
    let statuses = constants
        .lines()
        .filter_map(|line| line.strip_prefix("NEARGRID_STATUS_")?.split_once(' '));
    let missing: Vec<_> = statuses
        .filter(|(name, number)| !table.contains(&format!("| {number} | `{name}` |")))
        .collect();
    assert!(missing.is_empty(), "docs/guarantees.md lacks {missing:?}");
    assert!(constants.contains("NEARGRID_STATUS_OK 0"));
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn exports() {
    let library = built().join("libneargrid.so");
    let text = run(tool("nm").args(["-D", "--defined-only"]).arg(library));
    let exported: BTreeSet<String> = text
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2))
        .map(str::to_owned)
        .collect();
    expect_same(&exported, "tests/abi/symbols.txt");
}

/// Every exported symbol is declared: for C in the headers, for Fortran without modules by its two names.
#[test]
fn declarations() {
    let mut declared = prototypes("include/neargrid.h");
    assert!(declared.len() > 30, "{declared:?}");
    for (header, functions) in [("neargrid_celllist", 5), ("neargrid_sum", 4)] {
        let more = prototypes(&format!("include/{header}.h"));
        assert_eq!(more.len(), functions, "{more:?}");
        declared.extend(more);
    }
    let dropin = prototypes("include/celllist.h");
    assert_eq!(dropin.len(), 5, "{dropin:?}");
    declared.extend(dropin);
    declared.extend(["celllist_", "scelllist_"].map(str::to_owned));
    assert_eq!(declared, symbols());
}

/// Numbers are never reused or changed.
#[test]
fn constants() {
    let headers = ["neargrid", "neargrid_celllist", "neargrid_sum"].map(|name| read(&format!("include/{name}.h")));
    let headers = headers.concat();
    let defined: BTreeSet<String> = headers
        .lines()
        .filter_map(|line| line.strip_prefix("#define "))
        .filter(|line| !line.starts_with("NEARGRID_VERSION_"))
        .filter(|line| {
            line.split_once(' ')
                .is_some_and(|(_, value)| value.parse::<i64>().is_ok())
        })
        .map(str::to_owned)
        .collect();
    expect_same(&defined, "tests/abi/constants.txt");
}

#[test]
fn versions() {
    assert_eq!(neargrid_abi_version(), NEARGRID_ABI_VERSION);
    let line = format!("NEARGRID_ABI_VERSION {NEARGRID_ABI_VERSION}");
    assert!(
        read("include/neargrid.h").contains(&format!("#define {line}\n")),
        "{line}"
    );
    let numbers = ["MAJOR", "MINOR", "PATCH"].map(|part| format!("#define NEARGRID_VERSION_{part} "));
    let header = read("include/neargrid.h");
    let found = numbers.map(|start| {
        header
            .lines()
            .find_map(|line| line.strip_prefix(&start[..]))
            .map(str::to_owned)
    });
    assert_eq!(
        found.map(Option::unwrap_or_default).join("."),
        env!("CARGO_PKG_VERSION")
    );
    // SAFETY: static and NUL-terminated, says its documentation.
    let version = unsafe { CStr::from_ptr(neargrid_version()) };
    assert_eq!(version.to_str(), Ok(env!("CARGO_PKG_VERSION")));
}
