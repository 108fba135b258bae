//! Texts that are written twice, against those that they come from: declarations of C that were copied by hand, constants, the
//! version, lists of sources. Only texts are read, so that this needs neither a compiler nor an MPI.
//!
//! The headers are right: cbindgen writes them from `src/capi` and `mpi/src/capi`, scripts/fortran writes the Fortran interfaces
//! from them, and `make check` compares.

mod calls;
mod header;
mod imports;
mod rust;
mod unsafe_code;

use std::collections::BTreeSet;
use std::path::Path;

use header::{Header, Type};

/// The result of a function, and its arguments by name, in a language's way of writing types.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Function<T> {
    returns: T,
    arguments: Vec<(String, T)>,
}

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn core() -> Header {
    let headers = ["neargrid", "neargrid_celllist", "neargrid_sum"].map(|name| read(&format!("include/{name}.h")));
    header::read(&headers.concat())
}

fn layer() -> Header {
    header::read(&read("mpi/include/neargrid_mpi.h"))
}

/// Words with one blank between them.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The parts that commas separate.
fn arguments(text: &str) -> Vec<&str> {
    let parts = text.split(',').map(str::trim);
    if text.trim().is_empty() {
        vec![]
    } else {
        parts.collect()
    }
}

/// The difference between the copy of a function in Rust and its declaration in C.
fn difference(c: &Function<Type>, copy: &Function<String>) -> Option<String> {
    let arguments = c
        .arguments
        .iter()
        .map(|(name, kind)| (name.to_lowercase(), rust::of(kind)));
    let wanted = Function {
        returns: rust::of(&c.returns),
        arguments: arguments.collect(),
    };
    (*copy != wanted).then(|| format!("is {copy:?}, and in C {wanted:?}"))
}

/// Each call of the core that the layer makes is declared in Rust as in the header.
#[test]
fn calls_of_the_core() {
    let header = core();
    let copies = rust::functions(&read("mpi/src/core/raw.rs"));
    assert!(copies.len() > 30, "{:?}", copies.keys());
    for (name, copy) in &copies {
        let c = header.functions.get(name);
        let c = c.unwrap_or_else(|| panic!("{name} is not in the header"));
        assert_eq!(difference(c, copy), None, "{name} in mpi/src/core/raw.rs");
    }
}

#[test]
fn constants_in_the_layer() {
    let mut constants = core().constants;
    constants.extend(layer().constants);
    let statuses = rust::constants(&read("mpi/src/error.rs"));
    assert!(statuses.len() > 10, "{statuses:?}");
    for (name, value) in statuses {
        let found = ["", "MPI_"].map(|layer| constants.get(&format!("NEARGRID_{layer}STATUS_{name}")));
        assert!(
            found.contains(&Some(&value)),
            "{name} = {value}, mpi/src/error.rs, and in C {found:?}"
        );
    }
    let text = read("mpi/src/core.rs");
    let numbers = rust::constants(&text);
    assert!(numbers.len() > 3, "{numbers:?}");
    for (name, value) in numbers {
        let name = name.replace("CORE_ABI", "ABI_VERSION");
        assert_eq!(
            constants.get(&format!("NEARGRID_{name}")),
            Some(&value),
            "{name}, mpi/src/core.rs"
        );
    }
    for (variant, name) in [
        ("Half", "NEIGHBORS_HALF"),
        ("Full", "NEIGHBORS_FULL"),
        ("Others", "KNN_OTHERS"),
        ("All", "KNN_ALL"),
    ] {
        let line = format!("    {variant} = {},", constants[&format!("NEARGRID_{name}")]);
        assert!(text.lines().any(|it| it == line), "mpi/src/core.rs has no{line}");
    }
}

/// Files that cannot take the version from Cargo.toml have the same.
#[test]
fn versions() {
    let version = env!("CARGO_PKG_VERSION");
    for (file, start) in [
        ("fpm.toml", format!("version = \"{version}\"")),
        ("CITATION.cff", format!("version: {version}")),
        (
            "include/neargrid.h",
            format!("#define NEARGRID_VERSION_STRING \"{version}\""),
        ),
        ("packaging/debian/changelog", format!("neargrid ({version}-")),
        ("packaging/conda/recipe.yaml", format!("  version: \"{version}\"")),
        ("packaging/spack/package.py", format!("    version(\"{version}\"")),
    ] {
        let found = read(file).lines().any(|line| line.starts_with(&start));
        assert!(found, "{file} has no line that starts with {start}");
    }
    for manifest in ["Cargo.toml", "mpi/Cargo.toml", "benches/Cargo.toml"] {
        let inherits = read(manifest).lines().any(|line| line == "version.workspace = true");
        assert!(inherits, "{manifest} has a version of its own");
    }
    let (major, rest) = version.split_once('.').unwrap();
    let abi = if major == "0" {
        format!("0.{}", rest.split('.').next().unwrap())
    } else {
        major.to_owned()
    };
    let (linking, name) = (
        read("docs/manual/linking.md"),
        format!("`error while loading shared libraries: libneargrid.so.{abi}`"),
    );
    assert!(linking.contains(&name), "docs/manual/linking.md has no {name}");
}

/// A list of sources has every file beside it, once.
#[test]
fn lists_of_sources() {
    for list in ["fortran/sources.txt", "mpi/fortran/sources.txt"] {
        let text = read(list);
        let listed: BTreeSet<_> = text.lines().map(str::to_owned).collect();
        assert_eq!(listed.len(), text.lines().count(), "{list} repeats a name");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(list).with_file_name("");
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
        let files = files.map(|name| name.into_string().unwrap());
        let files: BTreeSet<_> = files.filter(|name| name.to_lowercase().ends_with(".f90")).collect();
        assert_eq!(listed, files, "{list}, its folder");
    }
}
