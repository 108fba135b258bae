//! The installation that tests/interfaces/install.rs judges, and how foreign projects get at it.
//!
//! in: the working tree, the projects beside this file    out: target/tmp/install/

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use crate::c::built;
pub use crate::c::installed as tool;
use crate::common::is_whole;

pub const VERSION: &str = env!("CARGO_PKG_VERSION");
pub const SOURCE: &str = env!("CARGO_MANIFEST_DIR");

/// The installation that all tests share.
pub struct Installed {
    pub root: PathBuf,
    pub prefix: PathBuf,
    _lock: File, // a second `cargo test` in this checkout waits
}

pub static INSTALLED: LazyLock<Installed> = LazyLock::new(|| {
    for tool in ["make", "gcc", "gfortran", "cmake", "pkg-config", "readelf"] {
        run(Command::new(tool).arg("--version"));
    }
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("install");
    fs::create_dir_all(&root).unwrap();
    let lock = File::create(root.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    fs::remove_dir_all(&root).unwrap();
    fs::create_dir_all(&root).unwrap();

    if !is_whole() {
        stand_in_for_cargo();
    }
    // Moved after installing: nothing in it may remember where it was.
    let first = root.join("first");
    let prefix = root.join("prefix");
    make_install(&first, None, "build");
    fs::rename(&first, &prefix).unwrap();
    Installed {
        root,
        prefix,
        _lock: lock,
    }
});

/// The target folder that cmake gives cargo. With every case it is this run's, and cargo builds the release there. A release compiles
/// everything a second time, which takes minutes, so otherwise the libraries that cargo built for this test lie in its place.
pub fn target() -> PathBuf {
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR"));
    if is_whole() {
        tmp.parent().unwrap().to_owned()
    } else {
        tmp.join("install/cargo")
    }
}

/// Has cmake find the cargo that [`target`] needs.
pub fn with_cargo(command: &mut Command) -> &mut Command {
    if !is_whole() {
        command.env("CMAKE_PROGRAM_PATH", target().join("bin"));
    }
    command
}

/// Fills [`target`], with a `cargo` that builds nothing and refuses all but the command that builds what lies there.
fn stand_in_for_cargo() {
    let target = target();
    for folder in ["bin", "release"] {
        fs::create_dir_all(target.join(folder)).unwrap();
    }
    for library in ["libneargrid.so", "libneargrid.a"] {
        symlink(built().join(library), target.join("release").join(library)).unwrap();
    }
    let script = format!(
        "#!/bin/sh\n[ \"$*\" = 'build --release --lib --locked --target-dir {}' ] || {{ echo \"not expected: cargo $*\" >&2; exit 1; }}\n",
        target.display()
    );
    let cargo = target.join("bin/cargo");
    fs::write(&cargo, script).unwrap();
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
}

pub fn make_install(prefix: &Path, destdir: Option<&Path>, build: &str) {
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut make = Command::new("make");
    with_cargo(&mut make)
        .current_dir(SOURCE)
        .env("CARGO_TARGET_DIR", target())
        .arg("install")
        .arg(format!("PREFIX={}", prefix.display()))
        .arg(format!("BUILD={}", tmp.join("install").join(build).display()));
    if let Some(destdir) = destdir {
        make.arg(format!("DESTDIR={}", destdir.display()));
    }
    run(&mut make);
}

/// Runs a command to its end and returns what it said; a failure shows all of it.
pub fn run(command: &mut Command) -> String {
    let (ok, text) = attempt(command);
    assert!(ok, "{command:?} failed:\n{text}");
    text
}

pub fn attempt(command: &mut Command) -> (bool, String) {
    // cargo's own search path would hide a wrong rpath, make's job server is not for us, and a
    // user's installation must not be found.
    for name in [
        "LD_LIBRARY_PATH",
        "MAKEFLAGS",
        "MFLAGS",
        "MAKELEVEL",
        "DESTDIR",
        "CMAKE_PREFIX_PATH",
    ] {
        command.env_remove(name);
    }
    let output = match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            panic!("{command:?} is missing here: run make deps")
        }
        Err(error) => panic!("{command:?}: {error}"),
    };
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text += &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text)
}

/// A consumer project copied out of the tree, its links followed.
pub fn stage(project: &str, variant: &str) -> PathBuf {
    let to = INSTALLED.root.join(format!("{project}-{variant}"));
    let from = Path::new(SOURCE).join("tests/interfaces/consumer").join(project);
    run(Command::new("cp").arg("-rL").arg(from).arg(&to));
    to
}

/// The consumers' own verdicts; they also exit non-zero when a pair differs.
pub fn assert_agree(text: &str, programs: &[&str]) {
    for program in programs {
        let line = text.lines().find(|line| line.starts_with(program));
        let line = line.unwrap_or_else(|| panic!("{program} said nothing:\n{text}"));
        assert!(line.ends_with(" pairs agree"), "{text}");
    }
}

/// Whether a program asks the run-time linker for the library, by its SONAME.
pub fn needs_shared(program: &Path) -> bool {
    let dynamic = run(Command::new("readelf").arg("-dW").arg(program));
    dynamic
        .lines()
        .any(|line| line.contains("(NEEDED)") && line.contains(&format!("[{}]", soname())))
}

pub fn soname() -> String {
    let mut parts = VERSION.split('.');
    match (parts.next().unwrap(), parts.next().unwrap()) {
        ("0", minor) => format!("libneargrid.so.0.{minor}"),
        (major, _) => format!("libneargrid.so.{major}"),
    }
}

pub fn files_below(root: &Path) -> BTreeSet<String> {
    let list = run(Command::new("find")
        .args([".", "-not", "-type", "d", "-printf", "%P\\n"])
        .current_dir(root));
    list.lines().map(str::to_owned).collect()
}

pub fn gfortran_major() -> String {
    let version = run(Command::new("gfortran").arg("-dumpversion"));
    version.trim().split('.').next().unwrap().to_owned()
}
