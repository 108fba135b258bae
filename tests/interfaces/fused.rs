//! Proves that the suite would notice a fused multiply-add: the library is built once more with sums of products fused on
//! purpose (`--cfg neargrid_fuse`), and the program of tests/c/cases.c must fail with it on the rounding ties of
//! tests/suite/pairs.rs, for every width.
//!
//! out: target/fused/, another target folder, kept for the next time

use std::path::{Path, PathBuf};

use crate::c::{Library, Workshop, attempt, run, tool};
use neargrid::TieRule;

/// Of each precision the first tenth of those of tests/suite/pairs.rs: if these show it, all do. The wrong library is slow.
const TIES: usize = 60;

/// The library that is wrong: without the GPU, whose compiler is not what is wrong here and takes minutes to build.
fn fused_library() -> PathBuf {
    let target = crate::c::built().join("../../fused");
    let library = ["--lib", "--crate-type=cdylib", "--no-default-features"];
    run(tool(env!("CARGO"))
        .args(["rustc", "--locked", "--offline", "--quiet"])
        .args(library)
        .arg("--target-dir")
        .arg(&target)
        .args(["--", "--cfg", "neargrid_fuse"]));
    target.join("debug/libneargrid.so")
}

/// Whether all ties are decided as they should be, and what the program says.
fn decide(shop: &Workshop, ties: &Path, width: &str) -> (bool, String) {
    let output = attempt(tool(shop.path().join("cases")).arg(ties).env("NEARGRID_SIMD", width));
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text)
}

#[test]
#[ignore = "takes minutes: make test-all"]
fn slow_is_noticed() {
    let shops = [Workshop::new(), Workshop::of(&fused_library())];
    for shop in &shops {
        shop.compile("tests/c/cases.c", &["-O2"], &Library::Shared);
    }
    let [right, wrong] = &shops;
    let ties = right.path().join("ties.bin");
    let mut cases = crate::common::rounding_ties::<f32>(TIES);
    cases.extend(crate::common::rounding_ties::<f64>(TIES));
    let both: Vec<_> = cases
        .into_iter()
        .flat_map(|case| [case.with_rule(TieRule::Exclusive), case])
        .collect();
    crate::common::write_cases(&ties, &both);

    let mut widths = 0;
    for width in ["scalar", "avx2", "avx512"] {
        let (passed, said) = decide(right, &ties, width);
        if said.contains("NEARGRID_SIMD") && width != "scalar" {
            println!("{width}: not on this machine");
            continue;
        }
        assert!(
            passed && said.contains("checks passed"),
            "{width}, as it should be: {said}"
        );
        let (passed, said) = decide(wrong, &ties, width);
        assert!(
            !passed && said.contains("case ") && said.contains(", cutoff "),
            "{width}: nobody noticed that products are fused: {said}"
        );
        widths += 1;
    }
    assert!(widths >= 1);
}
