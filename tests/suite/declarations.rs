//! Texts that are written twice, against those that they come from: names of calls, the version, lists of sources. Only texts are
//! read, so that this needs neither a compiler nor an MPI.
//!
//! The headers are right: cbindgen writes them from `src/capi`, scripts/fortran writes the Fortran interfaces from them, and
//! `make check` compares.

mod calls;
mod imports;
mod unsafe_code;

use std::collections::BTreeSet;
use std::path::Path;

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The C functions that the headers declare.
fn functions() -> BTreeSet<String> {
    let headers = ["neargrid", "neargrid_celllist", "neargrid_sum"].map(|name| read(&format!("include/{name}.h")));
    let declarations = headers.iter().flat_map(|text| text.lines());
    let names = declarations
        .filter(|line| !line.starts_with([' ', '/', '#']))
        .filter_map(|line| line.split_once('(')?.0.rsplit([' ', '*']).next())
        .filter(|name| name.starts_with("neargrid_") || name.starts_with("cellList"));
    names.map(str::to_owned).collect()
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
    for manifest in ["Cargo.toml", "benches/Cargo.toml"] {
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

/// The list of sources has every file beside it, once.
#[test]
fn list_of_sources() {
    let text = read("fortran/sources.txt");
    let listed: BTreeSet<_> = text.lines().map(str::to_owned).collect();
    assert_eq!(listed.len(), text.lines().count(), "a name comes twice");
    let files = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fortran")).unwrap();
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let files: BTreeSet<_> = files.filter(|name| name.to_lowercase().ends_with(".f90")).collect();
    assert_eq!(listed, files);
}
