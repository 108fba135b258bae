//! The C and Fortran programs of `mpi/tests/`, on ranks of a real MPI: `scripts/test-mpi` builds the library and says where.
//!
//! in: MPICC, MPIFC and MPIEXEC of one MPI; NEARGRID_MPI_LIBS: a folder with the shared library under the names that programs look
//! for. Each program runs all its cases inside one mpirun for each number of ranks.

#[path = "../../tests/common/fortran.rs"]
mod fortran;
#[path = "../../tests/common/markdown.rs"]
mod markdown;

use std::env::var;
use std::path::{Path, PathBuf};
use std::process::Command;

use fortran::sources;
use markdown::{Block, framed, is_program};
use tempfile::TempDir;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const SIZES: [usize; 4] = [1, 2, 3, 5];
const DAM_BREAK: &str = "examples/fortran/dam_break";
const COMM: &str = "mpi/comm/neargrid_comm_mpi.c";
const STRICT: &[&str] = &[
    "-pedantic",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-O1",
    "-g",
    "-Iinclude",
    "-Impi/comm",
];

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

/// A folder with the communicator of this MPI, whose messages travel in small pieces here.
fn workshop() -> TempDir {
    let folder = scratch();
    let mut compiler = Command::new(setting("MPICC"));
    compiler
        .args(STRICT)
        .args(["-std=c11", "-DNEARGRID_MPI_PIECE=100", "-c", COMM, "-o"]);
    run(compiler.arg(folder.path().join("comm.o")));
    folder
}

fn scratch() -> TempDir {
    let mut builder = tempfile::Builder::new();
    builder.prefix("mpi-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Compiles and links one C program.
fn compile_c(folder: &Path, source: &str) -> PathBuf {
    let program = folder.join(Path::new(source).file_stem().unwrap());
    let mut command = Command::new(setting("MPICC"));
    command
        .args(STRICT)
        .args(["-std=c99", "-Itests/c"])
        .arg(source)
        .arg("-o")
        .arg(&program);
    run(link(folder, &mut command));
    program
}

fn link<'a>(folder: &Path, command: &'a mut Command) -> &'a mut Command {
    command
        .arg(folder.join("comm.o"))
        .arg("-L")
        .arg(setting("NEARGRID_MPI_LIBS"))
        .args(["-lneargrid", "-lm"])
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
    var("NEARGRID_TEST_RANKS").map_or(SIZES.to_vec(), |ranks| vec![ranks.parse().unwrap()])
}

fn expect_pass(program: &Path, arguments: &[&Path]) {
    for ranks in sizes() {
        expect_verdict(ranks, program, arguments);
    }
}

#[test]
fn c_programs() {
    let folder = workshop();
    let folder = folder.path();
    for name in ["collective", "failures", "wrong", "busy"] {
        expect_pass(&compile_c(folder, &format!("mpi/tests/c/{name}.c")), &[]);
    }
}

/// The example writes the same halos on any number of ranks, to the last digit.
#[test]
fn example() {
    let folder = workshop();
    let folder = folder.path();
    let program = compile_c(folder, "mpi/examples/c/fof.c");
    let halos = [1, 2, 5].map(|ranks| {
        let text = run(&mut mpiexec(ranks, &program, &[folder]));
        assert!(text.contains("of at least 20 points"), "{text}");
        std::fs::read_to_string(folder.join("halos.csv")).unwrap()
    });
    assert!(halos[0].lines().count() > 50, "{}", halos[0]);
    assert!(halos.iter().all(|other| *other == halos[0]), "{halos:?}");
}

/// The modules, in the order in which they are compiled.
fn modules() -> Vec<String> {
    let mut modules = sources(ROOT, "fortran/sources.txt");
    modules.push("mpi/fortran/neargrid_mpi.f90".to_owned());
    modules
}

/// The modules and programs on top of them, as strictly as those of the core.
#[test]
fn fortran_programs() {
    let folder = workshop();
    let strict = [
        "-std=f2018",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fcheck=all,no-array-temps",
        "-g",
        "-ffp-contract=off",
    ];
    let program = folder.path().join("across");
    let mut command = Command::new(setting("MPIFC"));
    command.args(strict).arg("-J").arg(folder.path()).args(modules());
    command.args(["tests/fortran/support.f90", "mpi/tests/fortran/across.f90", "-o"]);
    run(link(folder.path(), command.arg(&program)));
    expect_pass(&program, &[]);
}

/// The dam break, a little of it: the same table on any number of ranks, to the last digit.
#[test]
fn dam_break() {
    let folder = workshop();
    let folder = folder.path();
    let program = folder.join("dam_break_mpi");
    let serial = ["settings_m", "particles_m", "sph_m", "monitor_m", "program_m"];
    let mut command = Command::new(setting("MPIFC"));
    command
        .args(["-O2", "-ffp-contract=off", "-J"])
        .arg(folder)
        .args(modules());
    command.args(serial.map(|name| format!("{DAM_BREAK}/{name}.f90")));
    command
        .arg(format!("mpi/{DAM_BREAK}/dam_break_mpi.f90"))
        .arg("-o")
        .arg(&program);
    run(link(folder, &mut command));
    for case in ["2d_variable_h", "3d_periodic"] {
        let tables = [1, 2, 4].map(|ranks| energies(folder, &program, case, ranks));
        assert_eq!(tables[0].lines().count(), 4, "{}", tables[0]);
        assert!(
            tables.iter().all(|table| *table == tables[0]),
            "{case}: {}",
            tables.join("\n")
        );
    }
}

/// The table of a short run on so many ranks.
fn energies(folder: &Path, program: &Path, case: &str, ranks: usize) -> String {
    let mut command = mpiexec(ranks, program, &[]);
    command.env("NEARGRID_THREADS", "1"); // ranks of MPICH spin while they wait, and have the cores of others
    command.arg(format!("{DAM_BREAK}/dam_break_{case}.nml"));
    command.args(["cells=12", "t_end=0.1", "table_every=0.05"]);
    command.arg(format!("output_dir={}", folder.display()));
    let text = run(&mut command);
    let steps = text.lines().last().filter(|line| line.starts_with("dam_break_mpi: OK"));
    println!("{case}: {}", steps.unwrap_or_else(|| panic!("{command:?}:\n{text}")));
    std::fs::read_to_string(folder.join("energies.csv")).unwrap()
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
    let folder = workshop();
    let folder = folder.path();
    let mut compiler = Command::new(setting("MPIFC"));
    run(compiler.args(["-fsyntax-only", "-J"]).arg(folder).args(modules()));
    let blocks = documented();
    let blocks: Vec<&Block> = blocks.iter().filter(|block| block.language() != "sh").collect();
    for block in &blocks {
        let (source, program) = (folder.join(block.file_name()), folder.join("documented"));
        let is_program = is_program(block);
        let text = match is_program {
            true => block.text.clone(),
            false => framed(Path::new(ROOT), block),
        };
        std::fs::write(&source, text).unwrap();
        let is_c = block.language() == "c";
        let mut command = Command::new(setting(if is_c { "MPICC" } else { "MPIFC" }));
        match is_c {
            true => command.args(["-Iinclude", "-Impi/comm"]),
            false => command.arg("-I").arg(folder),
        };
        println!("{}", block.place());
        if !is_program {
            run(command.arg("-fsyntax-only").arg(&source));
            continue;
        }
        if !is_c {
            command.arg("-J").arg(folder).args(modules());
        }
        run(link(folder, command.arg(&source)).arg("-o").arg(&program));
        run(&mut mpiexec(2, &program, &[]));
    }
    assert!(blocks.len() > 3, "{} blocks", blocks.len());
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
