//! Processes and threads around the library: one pool of threads, handles that several threads enter, forks, ends of threads,
//! limits of the system. Most of the tests are C programs, each in its own process.

use crate::common::Random;
use neargrid::{Backend, PointsView, Search, TieRule, oracle};

use crate::c::{Library, Workshop, expect_verdict, tool};

/// Compiles a program of tests/c and runs it on the CPU.
fn expect_pass(name: &str) {
    let shop = Workshop::new();
    let program = shop.compile(&format!("tests/c/{name}.c"), &["-pthread"], &Library::Shared);
    expect_verdict(tool(program).env("NEARGRID_BACKEND", "cpu"));
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn pool() {
    expect_pass("pool");
}

/// A handle that several threads enter at once.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn busy() {
    expect_pass("busy");
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn fork() {
    expect_pass("fork");
}

/// After a search on a GPU.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
#[cfg(feature = "gpu")]
fn fork_with_gpu() {
    let shop = Workshop::new();
    let program = shop.compile("tests/c/fork_gpu.c", &[], &Library::Shared);
    expect_verdict(tool(program).env("NEARGRID_GPU_MASK", "software"));
}

/// Closed standard streams, small stacks, threads that end without a word.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn surroundings() {
    expect_pass("surroundings");
}

/// If a GPU is looked for, the stack that the documentation asks for is enough for the driver's loader too.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
#[cfg(feature = "gpu")]
fn stack_for_a_gpu() {
    let shop = Workshop::new();
    let program = shop.compile("tests/c/surroundings.c", &["-pthread"], &Library::Shared);
    expect_verdict(tool(&program).arg("gpu").env("NEARGRID_GPU_MASK", "software"));
}

/// Each allocation of each call is refused in turn, and address space is limited in steps.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn exhausted() {
    let shop = Workshop::new();
    let program = shop.compile("tests/c/exhausted.c", &["-pthread"], &Library::Shared);
    let mut command = tool(program); // without NEARGRID_BACKEND: who reads a variable takes memory for its value
    if !crate::common::is_whole() {
        command.arg("short");
    }
    expect_verdict(&mut command);
}

/// Threads with handles of their own, all of which want helpers, find what the plain loop finds.
#[test]
fn own_handles() {
    let work = |thread: u64| {
        let mut search = Search::new().unwrap();
        search.set_backend(Backend::Cpu);
        for round in 0..6 {
            let (n, cutoff) = (300 + 150 * round as usize, 0.05 + 0.02 * thread as f64);
            let coords = Random(100 * thread + round).cloud(3, n);
            let view = PointsView::interleaved(3, &coords).unwrap();
            search.set_threads(2 + (thread + round) as i64 % 5).unwrap();
            search.set_cutoff(cutoff).unwrap();
            search.set_points(&view).unwrap();
            let expected = oracle::pairs(&view, cutoff, TieRule::Inclusive);
            let found = search.pairs().unwrap();
            let found: Vec<_> = found.left.iter().copied().zip(found.right.iter().copied()).collect();
            assert!(found == expected, "thread {thread}, {n} points");
        }
    };
    std::thread::scope(|scope| (0..8).for_each(|thread| drop(scope.spawn(move || work(thread)))));
}
