//! Runs the commands and programs of the documentation. Every code block of README.md, CONTRIBUTING.md, examples/README.md and the pages
//! of docs/ is taken from there and judged by its tag:
//!
//! * `fortran`, `c`, `cpp`, `rust`, `python`: a program. It compiles without warnings, runs, and ends with status 0.
//! * `fortran fragment`, `c fragment`: compiles in the frame of tests/snippets/.
//! * `cmake`: a CMakeLists.txt for the programs of its page. It is configured and built, and the programs run.
//! * `toml`: a manifest of fpm. The commands on its page use it.
//! * `sh`: commands that are by themselves, beside the programs of the page up to there (or those of README.md). PREFIX is
//!   where the library is installed.
//! * `text`: nothing to run.
//! * With the word `mpi` after it, mpi/tests/mpirun.rs judges the block.
//!
//! The first line of a program may name its file in a comment, as in `! main.f90`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::consumer::{INSTALLED, SOURCE, attempt, run, tool};
use crate::markdown::{self, Block, Page, is_fragment, is_program};

#[path = "snippets/examples.rs"]
mod examples;
#[path = "snippets/texts.rs"]
mod texts;

/// Commands that no test types, by how they begin, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("make install ", "every test here uses what it installs"),
    ("make install-mpi ", "scripts/test-mpi runs it"),
    (
        "make demo",
        "it installs packages; tests/interfaces/dam_break.rs and mpi/tests/mpirun.rs run its programs",
    ),
    ("make test", "it is what runs this"),
    ("make bench", "it measures for minutes"),
    (
        "cargo run --release --example ",
        "the example is compiled by cargo test, and needs a GPU's driver to say much",
    ),
];

/// The commands of a block, one a line, without those that cannot run here.
fn commands(text: &str) -> String {
    let text = text.replace("\\\n", " ");
    let kept = text.lines().filter(|line| excuse(line).is_none());
    kept.map(|line| line.to_owned() + "\n").collect()
}

/// The entry of NOT_RUN that a command falls under.
fn excuse(line: &str) -> Option<&'static str> {
    let found = NOT_RUN.iter().find(|(start, _)| line.starts_with(start));
    found.map(|(start, _)| *start)
}

/// A new folder below the installation's root.
fn folder(name: &str) -> PathBuf {
    let folder = INSTALLED.root.join("snippets").join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs commands as somebody who typed them would, until one fails; whether all succeeded, and what they said.
fn type_in(folder: &Path, commands: &str) -> (bool, String) {
    let commands = markdown::with_prefix(commands, &INSTALLED.prefix);
    let mut shell = Command::new("bash");
    shell.current_dir(folder).args(["-euo", "pipefail", "-c", &commands]);
    shell.env_remove("PKG_CONFIG_PATH").env("NODEVICE_SELECT", "1"); // or Mesa prints a line where no desktop runs
    attempt(&mut shell)
}

/// The same where all must succeed.
fn must_type(folder: &Path, commands: &str) -> String {
    let (ok, said) = type_in(folder, commands);
    assert!(ok, "{commands}\n{said}");
    said
}

/// Compiles a program by itself and runs it.
fn compile_and_run(folder: &Path, block: &Block) -> (bool, String) {
    let name = block.file_name();
    let openmp = if block.text.contains("omp") { "-fopenmp" } else { "" };
    let (compiler, package) = match block.language() {
        "c" => ("cc -std=c11", "neargrid"),
        "cpp" => ("c++ -std=c++17", "neargrid"),
        // gfortran warns of allocatables that an assignment allocates
        "fortran" => ("gfortran -Wno-error=maybe-uninitialized", "neargrid-fortran"),
        _ => return compile_and_run_rust(folder, &name),
    };
    let line = format!(
        "export PKG_CONFIG_PATH=PREFIX/lib/pkgconfig\n{compiler} -Wall -Wextra -Werror {openmp} {name} \
         $(pkg-config --cflags --libs {package}) -lm -Wl,-rpath,PREFIX/lib -o alone && ./alone"
    );
    type_in(folder, &line)
}

/// The crate is the one that cargo built for this test.
fn compile_and_run_rust(folder: &Path, name: &str) -> (bool, String) {
    let built = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| {
        let beside = Path::new(env!("CARGO")).with_file_name("rustc");
        beside.to_str().unwrap().to_owned()
    });
    let line = format!(
        "{rustc} --edition 2024 -D warnings --extern neargrid={0}/libneargrid.rlib -L dependency={0} {name} -o alone && ./alone",
        built.display()
    );
    type_in(folder, &line)
}

/// The package is that of this tree, with the installed library.
fn run_python(folder: &Path, name: &str) -> (bool, String) {
    let python = tool("python/bin/python");
    let line = format!(
        "PYTHONPATH={SOURCE}/python NEARGRID_LIBRARY=PREFIX/lib/libneargrid.so {} -W error {name}",
        python.display()
    );
    type_in(folder, &line)
}

/// Configures and builds a CMakeLists.txt and runs all that it builds.
fn build_by_cmake(folder: &Path, block: &Block) -> (bool, String) {
    let programs = block.text.split("add_executable(").skip(1);
    let programs: Vec<&str> = programs.map(|rest| rest.split_whitespace().next().unwrap()).collect();
    assert!(!programs.is_empty(), "{}: no program", block.place());
    let build =
        "rm -rf alone.build && cmake -S . -B alone.build -DCMAKE_PREFIX_PATH=PREFIX && cmake --build alone.build";
    type_in(
        folder,
        &format!("{build} && alone.build/{}", programs.join(" && alone.build/")),
    )
}

/// The surroundings that a manifest of fpm expects: the checkout beside the project, and the program in `app/`.
fn lay_out_for_fpm(folder: &Path) {
    let checkout = folder.with_file_name("neargrid");
    fs::create_dir_all(&checkout).unwrap();
    fs::create_dir_all(folder.join("app")).unwrap();
    for part in ["fpm.toml", "fortran"] {
        run(Command::new("cp")
            .arg("-r")
            .arg(Path::new(SOURCE).join(part))
            .arg(&checkout));
    }
    fs::copy(folder.join("main.f90"), folder.join("app/main.f90")).unwrap();
}

/// Takes a block of a page for what it is; whether all went well, and what was said.
fn judge(folder: &Path, block: &Block) -> (bool, String) {
    match block.language() {
        "c" | "cpp" | "fortran" | "rust" => {
            fs::write(folder.join(block.file_name()), &block.text).unwrap();
            compile_and_run(folder, block)
        }
        "python" => {
            fs::write(folder.join(block.file_name()), &block.text).unwrap();
            run_python(folder, &block.file_name())
        }
        "cmake" => {
            fs::write(folder.join(block.file_name()), &block.text).unwrap();
            build_by_cmake(folder, block)
        }
        "toml" => {
            fs::write(folder.join(block.file_name()), &block.text).unwrap();
            lay_out_for_fpm(folder);
            (true, String::new())
        }
        "sh" => {
            let tools = if block.text.contains("fpm ") {
                format!("PATH={}:$PATH\n", tool("python/bin").display())
            } else {
                String::new()
            };
            type_in(folder, &(tools + &commands(&block.text)))
        }
        other => panic!("{}: {other}", block.place()),
    }
}

/// Runs all blocks of a page in one folder, in their order; what failed.
fn failures_of(name: &str, page: &Page, readme: &Page) -> Vec<String> {
    let folder = folder(&format!("{}/page", name.replace('/', "-")));
    for block in readme.blocks.iter().filter(|block| is_program(block)) {
        fs::write(folder.join(block.file_name()), &block.text).unwrap();
    }
    let run_here = |block: &&Block| !block.is("mpi") && !is_fragment(block) && block.language() != "text";
    let mut failures = Vec::new();
    for block in page.blocks.iter().filter(run_here) {
        let (ok, said) = judge(&folder, block);
        if !ok {
            failures.push(format!("{} failed:\n{}\n{said}", block.place(), block.text));
        }
    }
    failures
}

/// Programs, projects and commands of all pages.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn pages() {
    let pages = markdown::guides(Path::new(SOURCE));
    let (_, readme) = pages.iter().find(|(name, _)| name == "README.md").unwrap();
    let failures: Vec<String> = pages
        .iter()
        .flat_map(|(name, page)| failures_of(name, page, readme))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Fragments compile in their frames. Fortran's say so by gfortran's check of syntax and types, which writes no object.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn fragments() {
    let folder = folder("fragments");
    let mut failures = Vec::new();
    let mut compiled = 0;
    for (_, page) in markdown::guides(Path::new(SOURCE)) {
        for block in page
            .blocks
            .iter()
            .filter(|block| is_fragment(block) && !block.is("mpi"))
        {
            let (name, line) = match block.language() {
                "fortran" => (
                    "fragment.f90",
                    "gfortran -fsyntax-only fragment.f90 $(pkg-config --cflags neargrid-fortran)",
                ),
                _ => (
                    "fragment.c",
                    "cc -std=c11 -fsyntax-only -Wall -Werror -Wno-unused fragment.c $(pkg-config --cflags neargrid)",
                ),
            };
            fs::write(folder.join(name), markdown::framed(Path::new(SOURCE), block)).unwrap();
            let (ok, said) = type_in(&folder, &format!("export PKG_CONFIG_PATH=PREFIX/lib/pkgconfig\n{line}"));
            if !ok {
                failures.push(format!("{} does not compile in its frame:\n{said}", block.place()));
            }
            compiled += 1;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(compiled > 9, "{compiled} fragments");
}
