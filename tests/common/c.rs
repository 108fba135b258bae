//! Compiles C programs as strictly as compilers allow, links them with the library cargo built for this test, runs them.
#![allow(dead_code)] // each test uses its part

#[path = "compilers.rs"]
pub mod compilers;

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

pub const SOURCE: &str = env!("CARGO_MANIFEST_DIR");

/// Every warning is an error. Optimized a little, so that the compiler sees what it warns about.
pub const STRICT: &[&str] = &["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-g"];

/// The system libraries of a program that links the static library.
const NATIVE: &[&str] = &["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl", "-lc"];

/// The form of the library that a program links.
pub enum Library {
    Shared,
    Static,
    /// A static library other than the one of this test's profile.
    File(PathBuf),
}

/// A folder for one test's programs, gone when the test ends, with the shared library under the names linkers look for.
pub struct Workshop {
    folder: TempDir,
}

impl Workshop {
    pub fn new() -> Workshop {
        Workshop::of(&built().join("libneargrid.so"))
    }

    /// One with that shared library.
    pub fn of(shared: &Path) -> Workshop {
        let folder = tempfile::Builder::new()
            .prefix("c-")
            .tempdir_in(env!("CARGO_TARGET_TMPDIR"))
            .unwrap();
        let name = soname(shared);
        symlink(shared, folder.path().join(&name)).unwrap();
        symlink(&name, folder.path().join("libneargrid.so")).unwrap();
        Workshop { folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Compiles and links one C source of this project; returns the program.
    pub fn compile(&self, source: &str, more: &[&str], library: &Library) -> PathBuf {
        let program = self.path().join(Path::new(source).file_stem().unwrap());
        let mut command = tool(compilers::c());
        command.args(STRICT).arg("-Iinclude").args(more);
        command.arg(source).arg("-o").arg(&program);
        self.link(&mut command, library);
        run(&mut command);
        program
    }

    /// The last arguments of a compiler that links.
    pub fn link(&self, command: &mut Command, library: &Library) {
        match library {
            Library::Shared => {
                command.arg("-L").arg(self.path()).arg("-lneargrid").arg("-lm");
                command.arg(format!("-Wl,-rpath,{}", self.path().display()))
            }
            Library::Static => command.arg(built().join("libneargrid.a")).args(NATIVE),
            Library::File(file) => command.arg(file).args(NATIVE),
        };
    }
}

/// The folder in which cargo leaves the libraries of the profile under test.
pub fn built() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_owned()
}

fn soname(shared: &Path) -> String {
    let text = run(tool("readelf").arg("-dW").arg(shared));
    let name = text
        .lines()
        .find_map(|line| line.split_once("soname: [")?.1.split_once(']'));
    name.unwrap_or_else(|| panic!("{} has no SONAME:\n{text}", shared.display()))
        .0
        .to_owned()
}

/// A command in the project's root, free of the caller's settings: cargo's own search path would hide a wrong rpath, and
/// a user's variables are not part of the tests.
pub fn tool(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(SOURCE);
    for name in [
        "LD_LIBRARY_PATH",
        "NEARGRID_BACKEND",
        "NEARGRID_DEVICE",
        "NEARGRID_GPU_FAULT",
        "NEARGRID_GPU_MASK",
        "NEARGRID_SIMD",
        "NEARGRID_THREADS",
        "OMP_NUM_THREADS",
    ] {
        command.env_remove(name);
    }
    command.env("NODEVICE_SELECT", "1"); // or Mesa prints a line for every instance where no desktop runs
    command
}

/// Runs a command to its end. One that is not installed fails the test with the line that installs it.
pub fn attempt(command: &mut Command) -> Output {
    match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let tool = command.get_program().to_string_lossy().into_owned();
            let packages = match tool.as_str() {
                "cc" => "gcc libc6-dev",
                "nm" | "readelf" => "binutils",
                other => other,
            };
            panic!("{tool} is missing here; as root: apt-get install -y --no-install-recommends {packages}")
        }
        Err(error) => panic!("{command:?}: {error}"),
    }
}

/// Runs a command that must succeed, and returns what it said; a failure shows all of it.
pub fn run(command: &mut Command) -> String {
    let output = attempt(command);
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?} ended with {}:\n{text}",
        output.status
    );
    text
}

/// Runs a test program: its one line says that all checks passed, and beside that line nothing is printed, also not by
/// the library about the failures that the program provokes.
pub fn expect_verdict(command: &mut Command) {
    let text = run(command);
    let lines: Vec<_> = text.lines().collect();
    assert!(
        lines.len() == 1 && lines[0].ends_with(" checks passed"),
        "{command:?}:\n{text}"
    );
    println!("{}", lines[0]);
}

/// A tool that make deps put into the checkout.
pub fn installed(name: &str) -> PathBuf {
    let tools = std::env::var_os("NEARGRID_TOOLS").map_or_else(|| Path::new(SOURCE).join(".tools"), PathBuf::from);
    let path = tools.join(name);
    assert!(
        path.exists(),
        "{} is missing: run make deps (or make deps FOR=test-all)",
        path.display()
    );
    path
}

pub fn read(path: &str) -> String {
    fs::read_to_string(Path::new(SOURCE).join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The static library users get.
pub fn release_library() -> PathBuf {
    let target = built().join("../..");
    run(tool(env!("CARGO"))
        .args(["build", "--release", "--locked", "--offline", "--quiet", "--target-dir"])
        .arg(&target));
    target.join("release/libneargrid.a")
}
