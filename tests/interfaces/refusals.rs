//! Calls that are refused: the tables of tests/refusals/ as a program of each language, and every function of the headers, called
//! wrongly an argument at a time.

use std::fs;
use std::path::{Path, PathBuf};

use crate::c::compilers;
use crate::c::{Library, STRICT, Workshop, expect_verdict, run, tool};

/// The program that a script of tests/refusals/ prints.
pub fn text(script: &str, table: &[&str]) -> String {
    let mut python = tool("python3");
    run(python.arg("-B").arg(format!("tests/refusals/{script}")).args(table))
}

fn made(shop: &Workshop, script: &str, table: &[&str], name: &str) -> PathBuf {
    let source = shop.path().join(name);
    fs::write(&source, text(script, table)).unwrap();
    source
}

/// The same flags for C and C++, and the folder of the frames.
fn compiled(shop: &Workshop, source: &Path, compiler: String, flags: &[&str]) -> PathBuf {
    let program = source.with_extension("");
    let mut command = tool(compiler);
    command
        .args(&STRICT[1..])
        .args(flags)
        .args(["-Iinclude", "-Itests/refusals"]);
    command.arg(source).arg("-o").arg(&program);
    shop.link(&mut command, &Library::Shared);
    run(&mut command);
    program
}

/// The program of the calls in C.
pub fn calls(shop: &Workshop) -> PathBuf {
    let source = made(shop, "programs.py", &["calls.txt"], "calls.c");
    compiled(shop, &source, compilers::c(), &["-std=c99"])
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn c() {
    let shop = Workshop::new();
    expect_verdict(&mut tool(calls(&shop)));
    let sanitized = [
        "-x",
        "c++",
        "-std=c++11",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
    ];
    let cxx = compiled(&shop, &shop.path().join("calls.c"), compilers::cxx(), &sanitized);
    expect_verdict(tool(cxx).env("ASAN_OPTIONS", "detect_leaks=0"));
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn every_argument() {
    let shop = Workshop::new();
    let source = made(&shop, "sweep.py", &[], "sweep.c");
    expect_verdict(&mut tool(compiled(&shop, &source, compilers::c(), &["-std=c99"])));
}
