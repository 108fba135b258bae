//! Valgrind over the C and Fortran test programs: no stray read or write, nothing lost after destroy and release.
//!
//! In `make test` the C programs, on a part of the clouds; `NEARGRID_TEST_ALL=1` adds more clouds, threads, and the
//! Fortran side's comparison of cases (its other programs run under valgrind in fortran_api). Valgrind 3.19 knows no
//! AVX-512, so the widths are forced.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::c::{Library, SOURCE, Workshop, expect_verdict, run, tool};
use crate::common::{Case, is_whole};
use crate::fortran::sources;

const WIDTHS: [&str; 2] = ["scalar", "avx2"];

fn valgrind(program: &Path, width: &str) -> Command {
    let mut command = tool("valgrind");
    command.args(["--quiet", "--error-exitcode=1", "--leak-check=full"]);
    // The process's pools live until it exits, and so do their threads' stacks: "possibly lost" is no finding.
    command.args(["--errors-for-leak-kinds=definite", "--show-leak-kinds=definite"]);
    command.arg(program).env("NEARGRID_SIMD", width);
    command
}

/// Findings in the loader, when a GPU is looked for, are not ours.
fn without_gpu(mut command: Command) -> Command {
    command.env("NEARGRID_BACKEND", "cpu");
    command
}

/// Every so many of the clouds, without those whose lists are long: valgrind is fifty times slower.
fn few_cases(every: usize) -> Vec<Case> {
    let (mut cases, periodic) = (crate::common::all_cases(), crate::common::periodic_cases());
    cases.extend(crate::common::ruled_cases(&periodic, 5));
    cases.extend(periodic);
    let short = cases.into_iter().filter(|case| case.truth::<f64>().len() < 30_000);
    short.step_by(every).collect()
}

fn case_file(folder: &Path, every: usize) -> PathBuf {
    let path = folder.join("cases.bin");
    crate::common::write_cases(&path, &few_cases(every));
    path
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn cases() {
    let shop = Workshop::new();
    let program = shop.compile("tests/c/cases.c", &[], &Library::Shared);
    let file = case_file(shop.path(), if is_whole() { 23 } else { 97 });
    for width in WIDTHS {
        expect_verdict(valgrind(&program, width).arg(&file));
    }
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn programs() {
    let shop = Workshop::new();
    let version = concat!("-DVERSION=\"", env!("CARGO_PKG_VERSION"), "\"");
    for name in ["api", "refusals", "dropin", "own_symbols"] {
        let program = match name {
            "refusals" => crate::refusals::calls(&shop),
            _ => shop.compile(&format!("tests/c/{name}.c"), &[version], &Library::Shared),
        };
        for width in &WIDTHS[..if is_whole() { 2 } else { 1 }] {
            let mut command = without_gpu(valgrind(&program, width));
            if name == "refusals" {
                command.env_remove("NEARGRID_BACKEND"); // where one is asked for is a part of it
            }
            expect_verdict(command.arg("short"));
        }
    }
}

/// Handles hidden in 64 threads, half of which never release theirs.
#[test]
#[ignore = "takes minutes: make test-all"]
fn slow_threads() {
    let shop = Workshop::new();
    let program = shop.compile("tests/c/threads.c", &["-fopenmp"], &Library::Shared);
    expect_verdict(without_gpu(valgrind(&program, "avx2")).arg("short"));
}

#[test]
#[ignore = "takes minutes: make test-all"]
fn slow_fortran_cases() {
    let shop = Workshop::new();
    let program = shop.path().join("cases");
    let mut command = tool("gfortran");
    command.args(["-std=f2018", "-Wall", "-g", "-O1", "-ffp-contract=off", "-J"]);
    command
        .arg(shop.path())
        .args(sources(SOURCE, "fortran/sources.txt"))
        .args(["tests/fortran/support.f90", "tests/fortran/cases.f90"]);
    command.arg("-o").arg(&program);
    shop.link(&mut command, &Library::Shared);
    run(&mut command);
    let file = case_file(shop.path(), 11);
    for width in WIDTHS {
        let text = run(valgrind(&program, width).arg(&file));
        assert!(text.trim_end().ends_with("comparisons passed"), "{text}");
    }
}
