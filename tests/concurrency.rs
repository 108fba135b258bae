//! Processes and threads around the library: one pool of threads, handles that several threads enter, forks, ends of threads,
//! limits of the system. Most of it is told by C programs, each a process of its own.

#[path = "common/c.rs"]
mod c;

use c::{Library, Workshop, expect_verdict, tool};

/// Compiles a program of tests/c and runs it on the CPU.
fn expect_pass(name: &str) {
    let shop = Workshop::new();
    let program = shop.compile(&format!("tests/c/{name}.c"), &["-pthread"], &Library::Shared);
    expect_verdict(tool(program).env("NEARGRID_BACKEND", "cpu"));
}

#[test]
fn pool() {
    expect_pass("pool");
}

/// A handle that several threads enter at once.
#[test]
fn busy() {
    expect_pass("busy");
}

#[test]
fn fork() {
    expect_pass("fork");
}

/// After a search on a GPU.
#[test]
#[cfg(feature = "gpu")]
fn fork_with_gpu() {
    let shop = Workshop::new();
    let program = shop.compile("tests/c/fork_gpu.c", &[], &Library::Shared);
    expect_verdict(tool(program).env("NEARGRID_GPU_MASK", "software"));
}
