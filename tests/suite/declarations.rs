//! What is written twice, against where it comes from: declarations of C that were copied by hand, constants, the version, lists
//! of sources. Only texts are read, so that this needs neither a compiler nor an MPI.
//!
//! The headers are right: cbindgen writes them from `src/capi` and `mpi/src/capi`, and `make check` compares.

mod calls;
mod fortran;
mod header;
mod imports;
mod rust;
mod unsafe_code;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use header::{Header, Type};

/// What a function returns, and its arguments by name, in a language's way of writing types.
#[derive(Clone, Debug)]
struct Function<T> {
    returns: T,
    arguments: Vec<(String, T)>,
}

/// Functions across ranks that Fortran does not declare, and why.
const NOT_IN_FORTRAN: &[(&str, &str)] = &[
    ("neargrid_mpi_abi_version", "search_create_f compares it"),
    ("neargrid_mpi_version", "the core's tells it"),
    ("neargrid_mpi_status_name", "errmsg has the text"),
    ("neargrid_mpi_pairs_copy", "arrays are filled from the view"),
    ("neargrid_mpi_neighbors_copy", "the same"),
    ("neargrid_mpi_knn_copy_f32", "the same"),
    ("neargrid_mpi_knn_copy_f64", "the same"),
    ("neargrid_mpi_fof_copy", "the same"),
];

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

/// What commas separate.
fn arguments(text: &str) -> Vec<&str> {
    let parts = text.split(',').map(str::trim);
    if text.trim().is_empty() {
        vec![]
    } else {
        parts.collect()
    }
}

/// How the copy of a function differs from its declaration in C; `argument` and `result` say what a type may be in the copy.
fn difference(
    c: &Function<Type>,
    copy: &Function<String>,
    argument: impl Fn(&Type) -> Vec<String>,
    result: impl Fn(&Type) -> Vec<String>,
) -> Option<String> {
    let names = |names: Vec<&String>| names.into_iter().map(|name| name.to_lowercase()).collect::<Vec<_>>();
    let wanted = names(c.arguments.iter().map(|(name, _)| name).collect());
    let found = names(copy.arguments.iter().map(|(name, _)| name).collect());
    if found != wanted {
        return Some(format!("takes {found:?}, and in C {wanted:?}"));
    }
    for ((name, wanted), (_, found)) in c.arguments.iter().zip(&copy.arguments) {
        if !argument(wanted).contains(found) {
            return Some(format!("{name} is {found:?}, and may be {:?}", argument(wanted)));
        }
    }
    let (wanted, found) = (result(&c.returns), &copy.returns);
    (!wanted.contains(found)).then(|| format!("returns {found:?}, and may return {wanted:?}"))
}

/// How interfaces in Fortran differ from the header's functions.
fn fortran_differences(header: &Header, fortran: &BTreeMap<String, Function<String>>) -> Vec<String> {
    let known = |name: &str| header.functions.get(name);
    let differences = fortran.iter().filter_map(|(name, copy)| {
        let difference = match known(name) {
            Some(c) => difference(c, copy, fortran::argument, fortran::result)?,
            None => "is not in the header".to_owned(),
        };
        Some(format!("{name} {difference}"))
    });
    differences.collect()
}

fn names<T>(functions: &BTreeMap<String, T>) -> BTreeSet<&str> {
    functions.keys().map(String::as_str).collect()
}

/// Every function of the core's header has an interface, those of the drop-in in its own file.
#[test]
fn interfaces_of_the_core() {
    let header = core();
    assert!(header.functions.len() > 70, "{:?}", header.functions.keys());
    let raw = fortran::functions(&read("fortran/neargrid_c.f90"));
    let dropin = fortran::functions(&read("fortran/celllist_m.F90"));
    assert_eq!(fortran_differences(&header, &raw), [""; 0], "fortran/neargrid_c.f90");
    assert_eq!(fortran_differences(&header, &dropin), [""; 0], "fortran/celllist_m.F90");
    let (raw, dropin) = (names(&raw), names(&dropin));
    assert_eq!(&raw | &dropin, names(&header.functions), "Fortran, C");
    assert_eq!(&raw & &dropin, BTreeSet::from(["neargrid_last_error"]), "in both files");
}

/// Every function of the layer's header has an interface, or a reason for none.
#[test]
fn interfaces_of_the_layer() {
    let header = layer();
    assert!(header.functions.len() > 40, "{:?}", header.functions.keys());
    let raw = fortran::functions(&read("mpi/fortran/neargrid_mpi_c.f90"));
    assert_eq!(
        fortran_differences(&header, &raw),
        [""; 0],
        "mpi/fortran/neargrid_mpi_c.f90"
    );
    let left_out: BTreeSet<_> = NOT_IN_FORTRAN.iter().map(|(name, _)| *name).collect();
    let missing = &names(&header.functions) - &names(&raw);
    assert_eq!(missing, left_out, "not in Fortran, and without need there");
}

/// What the layer calls of the core is declared in Rust as in the header.
#[test]
fn calls_of_the_core() {
    let header = core();
    let copies = rust::functions(&read("mpi/src/core/raw.rs"));
    assert!(copies.len() > 30, "{:?}", copies.keys());
    let of = |c: &Type| vec![rust::of(c)];
    for (name, copy) in &copies {
        let c = header.functions.get(name);
        let c = c.unwrap_or_else(|| panic!("{name} is not in the header"));
        assert_eq!(difference(c, copy, of, of), None, "{name} in mpi/src/core/raw.rs");
    }
}

/// Each wrong copy below fails the comparison.
#[test]
fn wrong_copies() {
    let (header, text) = (core(), read("fortran/neargrid_c.f90"));
    for (right, wrong) in [
        (
            "integer(c_int64_t), intent(in), value :: n\n",
            "integer(c_int32_t), intent(in), value :: n\n",
        ),
        (
            "integer(c_int64_t), intent(in), value :: n\n",
            "integer(c_int64_t), intent(in) :: n\n",
        ),
        (
            "integer(c_int64_t), intent(inout) :: npairs",
            "integer(c_int64_t), intent(in) :: npairs",
        ),
        (
            "integer(c_int64_t), intent(inout) :: npairs",
            "integer(c_int64_t), intent(out) :: npairs",
        ),
        (
            "type(c_ptr), intent(inout) :: search",
            "type(c_ptr), intent(in), value :: search",
        ),
        (
            "real(c_float), intent(in) :: radii(*)",
            "real(c_double), intent(in) :: radii(*)",
        ),
        (
            "real(c_float), intent(in) :: radii(*)",
            "real(c_float), intent(in) :: radii(:)",
        ),
        (
            "real(c_double), intent(in), value :: cutoff",
            "real(c_float), intent(in), value :: cutoff",
        ),
        ("(search, n, radii, rule)", "(search, radii, n, rule)"),
        (
            "(search, dim, lo, length, periodic)",
            "(search, dim, length, lo, periodic)",
        ),
        ("integer(c_int) :: status", "integer(c_int64_t) :: status"),
    ] {
        assert!(text.contains(right), "no {right} to change");
        let changed = fortran::functions(&text.replace(right, wrong));
        assert!(
            !fortran_differences(&header, &changed).is_empty(),
            "{wrong} goes unnoticed"
        );
    }
}

/// Every number of a header has its twin in Fortran. The module for users makes the twin public, except those in `kept`.
fn check_constants(header: &Header, twins: &BTreeMap<String, i64>, module: &str, kept: impl Fn(&str) -> bool) {
    let text = read(module).replace("&\n", "");
    let public = text.lines().filter(|line| line.trim_start().starts_with("public ::"));
    let public: BTreeSet<&str> = public
        .flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'))
        .collect();
    let twin = |name: &str| {
        let name = name.to_lowercase().replace("tie_", "").replace("sides_", "");
        name.replace("abi_version", "abi")
    };
    let of_dropin = |name: &str| name == "NEARGRID_TIE_DEFAULT"; // which names it itself
    let wanted: BTreeMap<_, _> = (header.constants.iter())
        .filter(|(name, _)| !of_dropin(name))
        .map(|(name, value)| (twin(name), *value))
        .collect();
    assert_eq!(*twins, wanted, "Fortran, C");
    for name in twins.keys().filter(|name| !kept(name)) {
        assert!(public.contains(name.as_str()), "{module} does not hand on {name}");
    }
}

#[test]
fn constants_in_fortran() {
    let core = core();
    let twins = fortran::constants(&read("fortran/neargrid_c.f90"));
    let kinds = ["neargrid_neighbors_", "neargrid_knn_"]; // users call other procedures instead
    check_constants(&core, &twins, "fortran/neargrid.f90", |name| {
        name == "neargrid_abi" || name != "neargrid_knn_max" && kinds.iter().any(|kind| name.starts_with(kind))
    });
    let mut twins = fortran::constants(&read("mpi/fortran/neargrid_mpi_c.f90"));
    twins.extend(fortran::constants(&read("mpi/fortran/neargrid_mpi_fields.f90")));
    check_constants(&layer(), &twins, "mpi/fortran/neargrid_mpi.f90", |name| {
        ["neargrid_mpi_abi", "neargrid_mpi_counter_dim"].contains(&name)
    });
    let dropin = fortran::constants(&read("fortran/celllist_m.F90"));
    let statuses = dropin.iter().filter(|(name, _)| name.starts_with("status_"));
    let statuses: Vec<_> = statuses
        .map(|(name, value)| (format!("NEARGRID_{}", name.to_uppercase()), value))
        .collect();
    assert_eq!(statuses.len(), 4, "{statuses:?}");
    for (name, value) in statuses {
        assert_eq!(core.constants.get(&name), Some(value), "{name}, fortran/celllist_m.F90");
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

/// What cannot take the version from Cargo.toml has the same.
#[test]
fn versions() {
    let version = env!("CARGO_PKG_VERSION");
    for (file, start) in [
        ("fpm.toml", format!("version = \"{version}\"")),
        ("CITATION.cff", format!("version: {version}")),
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
