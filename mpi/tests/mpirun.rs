//! The C and Fortran programs of `mpi/tests/`, on ranks of a real MPI: `scripts/test-mpi` builds the libraries and says where.
//!
//! in: MPICC, MPIFC and MPIEXEC of one MPI; NEARGRID_MPI_LIBS: a folder with both shared libraries under the names that programs
//! look for. Each program runs all its cases inside one mpirun for each number of ranks.

mod common;
#[path = "../../tests/common/fortran.rs"]
mod fortran;
#[path = "../../tests/common/markdown.rs"]
mod markdown;

use std::collections::BTreeSet;
use std::env::var;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::clouds::{Case, all_cases, periodic_cases, write_cases};
use fortran::sources;
use markdown::{Block, framed, is_program};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
/// The communicator from MPI, whose messages travel in small pieces here.
const COMM: &[&str] = &[
    "-std=c11",
    "-Impi/comm",
    "-DNEARGRID_MPI_PIECE=100",
    "mpi/comm/neargrid_comm_mpi.c",
];
const STRICT: &[&str] = &["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-g"];

fn setting(name: &str) -> String {
    var(name).unwrap_or_else(|_| panic!("{name} is not set: run scripts/test-mpi"))
}

fn run(command: &mut Command) -> String {
    let output = command.current_dir(ROOT).output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?} ended with {}:\n{text}",
        output.status
    );
    text
}

/// Compiles and links one C program; `more` are further flags and sources.
fn compile_c(folder: &Path, source: &str, more: &[&str]) -> PathBuf {
    let program = folder.join(Path::new(source).file_stem().unwrap());
    let mut command = Command::new(setting("MPICC"));
    command.args(STRICT).args(["-Iinclude", "-Impi/include", "-Itests/c"]);
    command.args(more).arg(source).arg("-o").arg(&program);
    run(link(&mut command));
    program
}

fn link(command: &mut Command) -> &mut Command {
    command
        .arg("-L")
        .arg(setting("NEARGRID_MPI_LIBS"))
        .args(["-lneargrid_mpi", "-lneargrid", "-lm"])
}

/// A program on a number of ranks.
fn mpiexec(ranks: usize, program: &Path, arguments: &[&Path]) -> Command {
    let mut command = Command::new(setting("MPIEXEC"));
    command.args(var("MPIEXEC_FLAGS").unwrap_or_default().split_whitespace());
    command.arg("-n").arg(ranks.to_string()).arg(program).args(arguments);
    for variable in [
        "NEARGRID_BACKEND",
        "NEARGRID_DEVICE",
        "NEARGRID_SIMD",
        "NEARGRID_THREADS",
    ] {
        command.env_remove(variable);
    }
    command.env("LD_LIBRARY_PATH", setting("NEARGRID_MPI_LIBS"));
    command
}

/// Runs a program on a number of ranks: one of them, or each, prints a line that all checks passed, and nothing else.
fn expect_verdict(ranks: usize, program: &Path, arguments: &[&Path]) {
    let mut command = mpiexec(ranks, program, arguments);
    let text = run(&mut command);
    let lines: Vec<_> = text.lines().collect();
    let passed = lines.iter().all(|line| line.ends_with(" checks passed"));
    assert!(passed && [1, ranks].contains(&lines.len()), "{command:?}:\n{text}");
    println!("{ranks} ranks: {}", lines[0]);
}

/// The numbers of ranks that programs run on: NEARGRID_TEST_RANKS, or every number there is a reason for.
fn sizes() -> Vec<usize> {
    var("NEARGRID_TEST_RANKS").map_or(common::SIZES.to_vec(), |ranks| vec![ranks.parse().unwrap()])
}

fn expect_pass(folder: &Path, name: &str, more: &[&str], arguments: &[&Path]) {
    let program = compile_c(folder, &format!("mpi/tests/c/{name}.c"), more);
    for ranks in sizes() {
        expect_verdict(ranks, &program, arguments);
    }
}

/// Every `step`-th cloud, times NEARGRID_TEST_STEP; all with NEARGRID_TEST_ALL=1.
fn some(cases: Vec<Case>, step: usize) -> Vec<Case> {
    let more: usize = var("NEARGRID_TEST_STEP").map_or(1, |text| text.parse().unwrap());
    let step = if var("NEARGRID_TEST_ALL").is_ok() {
        1
    } else {
        step * more
    };
    cases.into_iter().step_by(step).collect()
}

#[test]
fn c_programs() {
    let folder = tempfile::Builder::new()
        .prefix("mpi-")
        .tempdir_in(env!("CARGO_TARGET_TMPDIR"))
        .unwrap();
    let file = folder.path().join("cases.bin");
    write_cases(&file, &[some(all_cases(), 17), some(periodic_cases(), 7)].concat());
    for name in ["failures", "wrong", "busy", "friends", "steps"] {
        expect_pass(folder.path(), name, &[], &[]);
    }
    expect_pass(folder.path(), "across", &[], &[&file]);
    expect_pass(folder.path(), "ghosts", COMM, &[]);
}

/// The example writes the same halos on any number of ranks, to the last digit.
#[test]
fn example() {
    let folder = tempfile::Builder::new()
        .prefix("mpi-example-")
        .tempdir_in(env!("CARGO_TARGET_TMPDIR"))
        .unwrap();
    let program = compile_c(folder.path(), "mpi/examples/c/fof.c", &[]);
    let halos = [1, 2, 5].map(|ranks| {
        let text = run(&mut mpiexec(ranks, &program, &[folder.path()]));
        assert!(text.contains("of at least 20 points"), "{text}");
        std::fs::read_to_string(folder.path().join("halos.csv")).unwrap()
    });
    assert!(halos[0].lines().count() > 50, "{}", halos[0]);
    assert!(halos.iter().all(|other| *other == halos[0]), "{halos:?}");
}

/// The modules of both libraries, in the order in which they are compiled.
fn modules() -> Vec<String> {
    ["fortran/sources.txt", "mpi/fortran/sources.txt"]
        .map(|list| sources(ROOT, list))
        .concat()
}

fn scratch() -> tempfile::TempDir {
    let mut builder = tempfile::Builder::new();
    builder
        .prefix("mpi-fortran-")
        .tempdir_in(env!("CARGO_TARGET_TMPDIR"))
        .unwrap()
}

/// The modules and programs on top of them, as strictly as those of the core.
#[test]
fn fortran_programs() {
    let folder = scratch();
    let strict = [
        "-std=f2018",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fcheck=all,no-array-temps",
        "-g",
        "-ffp-contract=off",
    ];
    for name in ["across", "steps"] {
        let program = folder.path().join(name);
        let mut command = Command::new(setting("MPIFC"));
        command.args(strict).arg("-J").arg(folder.path()).args(modules());
        command.args([
            "tests/fortran/support.f90",
            &format!("mpi/tests/fortran/{name}.f90"),
            "-o",
        ]);
        run(link(command.arg(&program)));
        for ranks in sizes() {
            expect_verdict(ranks, &program, &[]);
        }
    }
}

/// An integer that could be `stat` as well as another argument does not compile by position.
#[test]
fn misread_calls_do_not_compile() {
    let folder = scratch();
    let source = "mpi/tests/fortran/misread.f90";
    let mut compiler = Command::new(setting("MPIFC"));
    compiler
        .args(["-fsyntax-only", "-J"])
        .arg(folder.path())
        .args(modules());
    run(&mut compiler);
    let mut compiler = Command::new(setting("MPIFC"));
    compiler
        .current_dir(ROOT)
        .args(["-fsyntax-only", "-fmax-errors=0", "-I"]);
    let output = compiler.arg(folder.path()).arg(source).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let refused: BTreeSet<usize> = said
        .lines()
        .filter_map(|line| line.strip_prefix(source)?.split(':').nth(1)?.parse().ok())
        .collect();
    let text = std::fs::read_to_string(Path::new(ROOT).join(source)).unwrap();
    let marked = text.lines().zip(1..).filter(|(line, _)| line.ends_with("! refused"));
    assert_eq!(refused, marked.map(|(_, number)| number).collect(), "{said}");
}

/// The dam break, a little of it: the same table on any number of ranks, to the last digit.
#[test]
fn dam_break() {
    let folder = scratch();
    let program = folder.path().join("dam_break_mpi");
    let core = ["settings_m", "particles_m", "sph_m"].map(|name| format!("examples/fortran/dam_break/{name}.f90"));
    let layer = ["part_m", "dam_break_mpi"].map(|name| format!("mpi/examples/fortran/dam_break/{name}.f90"));
    let mut command = Command::new(setting("MPIFC"));
    command.args(["-O2", "-ffp-contract=off", "-J"]).arg(folder.path());
    command.args(modules()).args(core).args(layer).arg("-o").arg(&program);
    run(link(&mut command));
    let case = Path::new(ROOT).join("examples/fortran/dam_break/dam_break_2d.nml");
    let mut tables = Vec::new();
    for ranks in [1, 2, 4] {
        let mut command = mpiexec(ranks, &program, &[]);
        command.arg(&case).args(["cells=12", "t_end=0.3", "table_every=0.05"]);
        command.arg(format!("output_dir={}", folder.path().display()));
        let text = run(&mut command);
        let steps = text.lines().last().filter(|line| line.starts_with("dam_break_mpi: OK"));
        println!("{}", steps.unwrap_or_else(|| panic!("{command:?}:\n{text}")));
        tables.push(std::fs::read_to_string(folder.path().join("energies.csv")).unwrap());
    }
    assert!(tables[0].lines().count() == 8, "{}", tables[0]);
    assert!(tables.iter().all(|table| *table == tables[0]), "{}", tables.join("\n"));
}

/// The blocks of the documentation that need MPI.
fn documented() -> Vec<Block> {
    let pages = markdown::guides(Path::new(ROOT));
    let blocks = pages.into_iter().flat_map(|(_, page)| page.blocks);
    blocks.filter(|block| block.is("mpi")).collect()
}

/// Programs of the documentation compile and run on two ranks, and fragments compile in their frames.
#[test]
fn documentation() {
    let folder = scratch();
    let mut compiler = Command::new(setting("MPIFC"));
    compiler
        .args(["-fsyntax-only", "-J"])
        .arg(folder.path())
        .args(modules());
    run(&mut compiler);
    let mut compiled = 0;
    for block in documented().iter().filter(|block| block.language() != "sh") {
        let source = folder.path().join(block.file_name());
        let is_program = is_program(block);
        let text = if is_program {
            block.text.clone()
        } else {
            framed(Path::new(ROOT), block)
        };
        std::fs::write(&source, text).unwrap();
        let mut command = match block.language() {
            "c" => Command::new(setting("MPICC")),
            _ => Command::new(setting("MPIFC")),
        };
        let program = folder.path().join("documented");
        match (block.language(), is_program) {
            ("c", true) => link(command.args(COMM).args(["-Iinclude", "-Impi/include"]).arg(&source)),
            ("c", false) => command
                .args(["-Iinclude", "-Impi/include", "-fsyntax-only"])
                .arg(&source),
            (_, true) => link(command.arg("-J").arg(folder.path()).args(modules()).arg(&source)),
            (_, false) => command.args(["-fsyntax-only", "-I"]).arg(folder.path()).arg(&source),
        };
        println!("{}", block.place());
        if is_program {
            run(command.arg("-o").arg(&program));
            run(&mut mpiexec(2, &program, &[]));
        } else {
            run(&mut command);
        }
        compiled += 1;
    }
    assert!(compiled > 3, "{compiled} blocks");
}

/// The commands that the documentation states for MPI, against the installation in NEARGRID_MPI_PREFIX and on the programs of
/// mpi/tests/consumer.
#[test]
#[ignore = "needs an installation with MPI: scripts/test-mpi openmpi"]
fn documented_commands() {
    let folder = scratch();
    for ending in ["c", "f90"] {
        let program = Path::new(ROOT).join("mpi/tests/consumer/line").with_extension(ending);
        std::fs::copy(program, folder.path().join("main").with_extension(ending)).unwrap();
    }
    let launcher = format!("{} {}", setting("MPIEXEC"), var("MPIEXEC_FLAGS").unwrap_or_default());
    let names = format!(
        "mpicc() {{ {} \"$@\"; }}\nmpifort() {{ {} \"$@\"; }}\nmpirun() {{ {launcher} \"$@\"; }}\n",
        setting("MPICC"),
        setting("MPIFC"),
    );
    let commands: Vec<Block> = documented()
        .into_iter()
        .filter(|block| block.language() == "sh")
        .collect();
    for block in &commands {
        let text = markdown::with_prefix(&block.text, Path::new(&setting("NEARGRID_MPI_PREFIX")));
        let mut shell = Command::new("bash");
        shell
            .current_dir(folder.path())
            .args(["-euo", "pipefail", "-c", &(names.clone() + &text)]);
        for name in ["LD_LIBRARY_PATH", "PKG_CONFIG_PATH"] {
            shell.env_remove(name);
        }
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{}: {output:?}", block.place());
    }
    assert!(!commands.is_empty());
}

/// Nothing but `neargrid_mpi_*`, and all of that is declared in the header.
#[test]
fn exports() {
    let library = Path::new(&setting("NEARGRID_MPI_LIBS")).join("libneargrid_mpi.so");
    let text = run(Command::new("nm").args(["-D", "--defined-only"]).arg(library));
    let names = text.lines().filter_map(|line| line.split_whitespace().nth(2));
    let exported: BTreeSet<String> = names.map(str::to_owned).collect();
    let header = std::fs::read_to_string(Path::new(ROOT).join("mpi/include/neargrid_mpi.h")).unwrap();
    let code = header
        .lines()
        .filter(|line| !line.starts_with("//") && !line.starts_with(' '));
    let declared: BTreeSet<String> = code
        .filter_map(|line| line.split_once('('))
        .filter_map(|(before, _)| before.rsplit([' ', '*']).next())
        .filter(|name| name.starts_with("neargrid_mpi_") && *name != "neargrid_mpi_search_create")
        .map(str::to_owned)
        .collect();
    assert!(exported.len() > 20, "{exported:?}");
    assert_eq!(exported, declared);
}
