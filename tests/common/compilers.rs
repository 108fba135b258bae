//! The compilers of the tests in C and Fortran: GNU's, or those that `CC`, `CXX` and `FC` name.
#![allow(dead_code)] // each test uses its part

use std::path::Path;

fn named(variable: &str, usual: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| usual.to_owned())
}

pub fn c() -> String {
    named("CC", "cc")
}

pub fn cxx() -> String {
    named("CXX", "g++")
}

pub fn fortran() -> String {
    named("FC", "gfortran")
}

/// `flags` of gfortran as the Fortran compiler at hand takes them for `source`.
///
/// Flang has one level of warnings, which it gives unasked, and no checks at run time. Some of its warnings are no errors here:
/// of calls without an interface that pass arrays of several shapes, as the legacy programs do on purpose, and of every use of
/// iso_fortran_env where default kinds are changed. Its `-pedantic` is left out: it warns wherever what is passed to a dummy with
/// `target` is no target itself.
pub fn spelled<'a>(flags: &[&'a str], source: impl AsRef<Path>) -> Vec<&'a str> {
    if !fortran().contains("flang") {
        return flags.to_vec();
    }
    let is_lenient =
        source.as_ref().to_string_lossy().contains("legacy") || flags.iter().any(|flag| flag.starts_with("-fdefault-"));
    let is_foreign = |flag: &str| {
        ["-Wall", "-Wextra", "-std=legacy", "-fmax-errors=0"].contains(&flag)
            || flag.starts_with("-fcheck=")
            || flag == "-Werror" && is_lenient
    };
    flags.iter().copied().filter(|flag| !is_foreign(flag)).collect()
}
