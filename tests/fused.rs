//! Proves that the suite would notice a fused multiply-add: it builds the crate once more with sums of products fused on
//! purpose (`--cfg neargrid_fuse`), and the rounding test of tests/pairs.rs must fail in that build, for every width.
//!
//! out: target/fused/, another target folder, kept for the next time

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs the rounding test of tests/pairs.rs with one width; `fused` is the build that is wrong.
fn rounding(target: &Path, flags: &str, width: &str) -> (bool, String) {
    let output = cargo(target, flags)
        .args(["--", "--exact", "rounding"])
        .env("NEARGRID_SIMD", width)
        .output()
        .unwrap();
    (output.status.success(), text(&output))
}

fn cargo(target: &Path, flags: &str) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command.env_remove("CARGO_ENCODED_RUSTFLAGS").env("RUST_BACKTRACE", "0");
    let inherited = std::env::var("RUSTFLAGS").unwrap_or_default();
    command.env("RUSTFLAGS", format!("{inherited} {flags}").trim());
    command.arg("test");
    if !flags.is_empty() {
        command.arg("--no-default-features"); // a GPU's compiler is not what is wrong here, and takes minutes to build
    }
    command.args(["--locked", "--offline", "--quiet", "--test=pairs", "--target-dir"]);
    command.arg(target);
    command
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn is_noticed() {
    let deps = std::env::current_exe().unwrap();
    let target = deps.ancestors().nth(3).unwrap().to_owned();
    let wrong: PathBuf = target.join("fused");
    let built = cargo(&wrong, "--cfg neargrid_fuse").arg("--no-run").output().unwrap();
    assert!(built.status.success(), "{}", text(&built));

    let mut widths = 0;
    for width in ["scalar", "avx2", "avx512"] {
        let (passed, said) = rounding(&target, "", width);
        if said.contains("NEARGRID_SIMD") && width != "scalar" {
            println!("{width}: not on this machine");
            continue;
        }
        assert!(passed && said.contains("1 passed"), "{width}, as it should be: {said}");
        let (passed, said) = rounding(&wrong, "--cfg neargrid_fuse", width);
        assert!(
            !passed && said.contains("0 passed; 1 failed") && said.contains("rounding tie"),
            "{width}: nobody noticed that products are fused: {said}"
        );
        widths += 1;
    }
    assert!(widths >= 1);
}
