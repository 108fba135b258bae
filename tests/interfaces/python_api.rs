//! The Python package: tests/python with the library of this build, and the wheel.

use std::path::Path;

use crate::c::{Workshop, run, tool};
use crate::consumer::{SOURCE, tool as installed};

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn unittests() {
    run_python(&["-W", "error", "-m", "unittest", "discover", "tests/python"]);
}

/// Other libraries, from PyPI, find the same rows of images.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn peers() {
    run_python(&["-m", "unittest", "tests/python/peers.py"]);
}

/// Runs Python with the package and the library of this build.
fn run_python(arguments: &[&str]) {
    let shop = Workshop::new();
    let mut python = tool(installed("python/bin/python"));
    python
        .args(arguments)
        .env("PYTHONPATH", Path::new(SOURCE).join("python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("NEARGRID_LIBRARY", shop.path().join("libneargrid.so"));
    run(&mut python);
}

/// A wheel, installed into an environment of its own, finds the library that it has.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn slow_wheel() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let at = folder.path().display();
    let python = installed("python/bin/python");
    let line = format!(
        "make wheel && {0} -m venv --system-site-packages {at} && {at}/bin/python -m pip install --quiet --no-deps target/wheels/*.whl && \
         cd {at} && PYTHONPATH=$({0} -c 'import sysconfig; print(sysconfig.get_path(\"purelib\"))') {at}/bin/python -W error -m unittest \
         discover {SOURCE}/tests/python",
        python.display()
    );
    run(tool("bash").args(["-euo", "pipefail", "-c", &line]));
}
