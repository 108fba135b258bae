//! Sequences as programs in other languages, compiled and run: the library behind each interface gives the answers that it gives here.
//!
//! in: include/, the library that cargo built for this test
//! out: folders below target/tmp/ that are gone afterwards; those below `NEARGRID_MODEL_PROGRAMS` stay

use std::path::{Path, PathBuf};

use crate::c::{Library, Workshop, compilers, run, tool};
use crate::machine::draw::Draw;
use crate::machine::generate::{Taste, sequence};
use crate::machine::interpret::{Forced, Record};
use crate::machine::print;
use crate::machine::trace::Trace;
use crate::{interpreted, number, seed, variable};

/// Sequences of one file, which is compiled at once.
const OF_A_FILE: u64 = 20;

/// The traces of sequences, as many as are wanted or `few`.
fn traces(few: u64) -> Vec<(u64, Trace)> {
    let first = number("SEED").unwrap_or_else(seed::seed);
    let seeds = first..first.saturating_add(number("PRINTED").unwrap_or(few));
    seeds.map(|seed| (seed, trace_of(seed))).collect()
}

/// The trace of a sequence of few points, so that it is a short program.
fn trace_of(seed: u64) -> Trace {
    let taste = Taste {
        calls: 40,
        backends: false,
        large: false,
        most: 40,
    };
    let steps = sequence(&mut Draw::seeded(seed), taste);
    let (result, trace) = interpreted(&steps, Forced::None, Record::Trace(Trace::default()));
    result.unwrap_or_else(|failure| panic!("seed {seed}: {}", failure.text));
    trace
}

/// A folder for programs.
fn folder(shop: &Workshop, language: &str) -> PathBuf {
    let folder = variable("PROGRAMS").map_or(shop.path().to_owned(), |kept| Path::new(&kept).join(language));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
#[ignore = "needs compilers: make test-interfaces"]
fn printed_c() {
    compile_and_run("c", compilers::c(), &["-std=c99"], 60);
}

#[test]
#[ignore = "needs compilers: make test-interfaces"]
fn printed_cpp() {
    compile_and_run("cpp", compilers::cxx(), &["-std=c++17"], 40);
}

/// Compiles programs of some sequences each, and runs them.
fn compile_and_run(language: &str, compiler: String, flags: &[&str], few: u64) {
    let shop = Workshop::new();
    let folder = folder(&shop, language);
    let traces = traces(few);
    for (number, some) in traces.chunks(OF_A_FILE as usize).enumerate() {
        let sequences: Vec<(String, String)> = (some.iter())
            .map(|(seed, trace)| (format!("seed {seed}"), print::c::calls(trace)))
            .collect();
        let (source, program) = (
            folder.join(format!("{number}.{language}")),
            folder.join(number.to_string()),
        );
        std::fs::write(&source, print::c::program("calls and their answers", &sequences)).unwrap();
        let mut command = tool(&compiler);
        command
            .args(flags)
            .args(["-O0", "-Iinclude"])
            .arg(&source)
            .arg("-o")
            .arg(&program);
        shop.link(&mut command, &Library::Shared);
        run(&mut command);
        run(&mut tool(&program));
    }
}
