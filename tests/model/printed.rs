//! Sequences as programs in other languages, compiled and run: the library behind each interface gives the answers that it gives here.
//!
//! in: include/, the library that cargo built for this test
//! out: folders below target/tmp/ that are gone afterwards; those below `NEARGRID_MODEL_PROGRAMS` stay

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::c::{Library, SOURCE, Workshop, compilers, installed, run, tool};
use crate::machine::draw::Draw;
use crate::machine::generate::{Taste, sequence};
use crate::machine::interpret::{Forced, Record};
use crate::machine::print::{self, Counts};
use crate::machine::trace::Trace;
use crate::{interpreted, number, seed, variable};

/// Sequences of one file, which is compiled at once.
const OF_A_FILE: u64 = 20;

/// The traces of sequences, as many as are wanted or `few`. Each has a successful call of a function that the others have seldom, for
/// most of what is drawn at random are settings. Large arrays take compilers long.
fn traces(few: u64) -> Vec<(u64, Trace)> {
    const BYTES: usize = 20_000;
    let first = number("SEED").unwrap_or_else(seed::seed);
    let most = number("PRINTED").unwrap_or(few);
    let (mut seen, mut chosen) = (BTreeMap::<&str, usize>::new(), Vec::new());
    for seed in first..first.saturating_add(20 * most) {
        let trace = trace_of(seed);
        let is_small = trace.arrays.iter().all(|array| array.bytes.len() < BYTES)
            && (trace.events.iter().flat_map(|event| &event.after)).all(|(_, bytes)| bytes.borrow().len() < BYTES);
        let names: BTreeSet<&str> = (trace.events.iter().filter(|event| event.is_ok()))
            .map(|event| event.name)
            .collect();
        let is_rare = |name: &&str| 30 * seen.get(name).copied().unwrap_or(0) <= chosen.len();
        if is_small && names.iter().any(is_rare) {
            names.into_iter().for_each(|name| *seen.entry(name).or_default() += 1);
            chosen.push((seed, trace));
        }
        if chosen.len() as u64 == most {
            break;
        }
    }
    chosen
}

/// The trace of a sequence of few points, so that it is a short program.
fn trace_of(seed: u64) -> Trace {
    let taste = Taste {
        calls: 24,
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
    compile_and_run("c", (compilers::c(), "-std=c99"), &print::c::C, 200, print::c::calls);
}

/// Calls through the classes of neargrid.hpp, and others as in C.
#[test]
#[ignore = "needs compilers: make test-interfaces"]
fn printed_cpp() {
    let mut counts = Counts::new();
    let calls = |trace: &Trace| print::cpp::calls(trace, &mut counts);
    compile_and_run("cpp", (compilers::cxx(), "-std=c++17"), &print::cpp::CPP, 100, calls);
    println!("{}", table(&counts));
}

/// Compiles programs of some sequences each, and runs them.
fn compile_and_run(
    language: &str,
    (compiler, standard): (String, &str),
    frame: &print::c::Frame,
    few: u64,
    mut calls: impl FnMut(&Trace) -> String,
) {
    let shop = Workshop::new();
    let folder = folder(&shop, language);
    for (number, some) in traces(few).chunks(OF_A_FILE as usize).enumerate() {
        let sequences: Vec<(String, String)> = (some.iter())
            .map(|(seed, trace)| (format!("seed {seed}"), calls(trace)))
            .collect();
        let (source, program) = (
            folder.join(format!("{number}.{language}")),
            folder.join(number.to_string()),
        );
        let text = print::c::program("calls and their answers", &sequences, frame);
        std::fs::write(&source, text).unwrap();
        let mut command = tool(&compiler);
        command
            .args([standard, "-O0", "-Iinclude"])
            .arg(&source)
            .arg("-o")
            .arg(&program);
        shop.link(&mut command, &Library::Shared);
        run(&mut command);
        run(&mut tool(&program));
    }
}

#[test]
#[ignore = "needs compilers: make test-interfaces"]
fn printed_fortran() {
    let shop = Workshop::new();
    let folder = folder(&shop, "fortran");
    let compile = |source: &str, object: &str| {
        let mut command = in_folder(&folder, compilers::fortran());
        run(command.args(["-O0", "-c"]).arg(source).arg("-o").arg(object));
    };
    let mut objects = Vec::new();
    std::fs::write(folder.join("answers.f90"), print::fortran::ANSWERS).unwrap();
    let mut sources: Vec<String> = (crate::fortran::sources(SOURCE, "fortran/sources.txt").iter())
        .map(|source| format!("{SOURCE}/{source}"))
        .collect();
    sources.push("answers.f90".to_owned());
    for source in &sources {
        let object = Path::new(source).with_extension("o");
        objects.push(object.file_name().unwrap().to_str().unwrap().to_owned());
        compile(source, objects.last().unwrap());
    }
    let mut counts = Counts::new();
    let sequences: Vec<(u64, String)> = (traces(150).iter())
        .map(|(seed, trace)| (*seed, print::fortran::sequence(*seed, trace, &mut counts)))
        .collect();
    for (number, some) in sequences.chunks(OF_A_FILE as usize).enumerate() {
        let (source, program) = (format!("{number}.f90"), folder.join(number.to_string()));
        std::fs::write(folder.join(&source), print::fortran::program(some)).unwrap();
        let mut command = in_folder(&folder, compilers::fortran());
        command
            .args(["-O0", "-fcheck=bounds"])
            .arg(&source)
            .args(&objects)
            .arg("-o")
            .arg(&program);
        shop.link(&mut command, &Library::Shared);
        run(&mut command);
        run(&mut tool(&program));
    }
    println!("{}", table(&counts));
}

#[test]
#[ignore = "needs Python with numpy: make test-interfaces"]
fn printed_python() {
    let shop = Workshop::new();
    let folder = folder(&shop, "python");
    std::fs::write(folder.join("answers.py"), print::python::ANSWERS).unwrap();
    let mut counts = Counts::new();
    let sequences: Vec<(u64, String)> = (traces(400).iter())
        .map(|(seed, trace)| (*seed, print::python::sequence(*seed, trace, &mut counts)))
        .collect();
    for (number, some) in sequences.chunks(100).enumerate() {
        let source = folder.join(format!("sequences_{number}.py"));
        std::fs::write(&source, print::python::program(some)).unwrap();
        let mut python = tool(installed("python/bin/python"));
        python
            .args(["-W", "error"])
            .arg(&source)
            .env("PYTHONPATH", Path::new(SOURCE).join("python"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("NEARGRID_LIBRARY", shop.path().join("libneargrid.so"));
        run(&mut python);
    }
    println!("{}", table(&counts));
}

/// A command in a folder.
fn in_folder(folder: &Path, program: String) -> Command {
    let mut command = tool(program);
    command.current_dir(folder);
    command
}

/// Calls that were printed, left out, and those that ended a program.
fn table(counts: &Counts) -> String {
    let mut text = format!("{:42} printed  left out  ended\n", "calls that succeeded");
    for (name, [printed, left_out, ended]) in counts {
        writeln!(text, "{name:42} {printed:7} {left_out:9} {ended:6}").unwrap();
    }
    text
}
