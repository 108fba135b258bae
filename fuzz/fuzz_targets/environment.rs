//! Any values in the variables that a handle reads: what is allowed makes one, all else is refused by name.
#![no_main]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use libfuzzer_sys::fuzz_target;
use neargrid::{PointsView, Search, Status};

const NAMES: [&str; 4] = [
    "NEARGRID_BACKEND",
    "NEARGRID_DEVICE",
    "NEARGRID_THREADS",
    "NEARGRID_SIMD",
];

fuzz_target!(|bytes: &[u8]| {
    // One value after the other, with a NUL between: no variable can hold one.
    let values: Vec<&[u8]> = bytes.splitn(4, |&byte| byte == 0).collect();
    let mut texts = [const { String::new() }; 4];
    let mut is_text = [true; 4];
    for (k, name) in NAMES.iter().enumerate() {
        let value = values.get(k).copied().unwrap_or_default();
        let value: Vec<u8> = value.iter().copied().filter(|&byte| byte != 0).collect();
        // SAFETY: no other thread of this process reads the environment meanwhile.
        unsafe { std::env::set_var(name, OsStr::from_bytes(&value)) };
        is_text[k] = std::str::from_utf8(&value).is_ok();
        texts[k] = String::from_utf8_lossy(&value).into_owned();
    }
    let word = |k: usize| texts[k].trim();
    let threads = word(2)
        .parse::<usize>()
        .ok()
        .filter(|threads| (1..=1024).contains(threads));
    let is_unset = |k: usize| texts[k].is_empty();
    let allowed = [
        is_unset(0) || ["auto", "cpu", "gpu"].contains(&word(0)),
        is_text[1],
        is_unset(2) || threads.is_some(),
        is_unset(3) || is_width(word(3)),
    ];
    match Search::new() {
        Ok(mut search) => {
            assert!(allowed.iter().all(|&is| is), "taken: {texts:?}");
            if threads.is_none_or(|threads| threads < 9) && word(0) != "gpu" {
                search.set_cutoff(1.0).unwrap();
                let points: Vec<f64> = (0..300).map(f64::from).collect();
                search
                    .set_points(&PointsView::interleaved(1, &points).unwrap())
                    .unwrap();
                assert_eq!(search.count_pairs().unwrap(), 299);
            }
        }
        Err(error) => {
            assert_eq!(error.status(), Status::BadEnvironment);
            let wrong = allowed.iter().position(|&is| !is);
            let wrong = wrong.unwrap_or_else(|| panic!("refused: {texts:?}: {error}"));
            assert!(error.to_string().contains(NAMES[wrong]), "{error}");
        }
    }
});

/// Whether this machine has the instruction set.
fn is_width(name: &str) -> bool {
    #[cfg(target_arch = "x86_64")]
    match name {
        "avx2" => return std::is_x86_feature_detected!("avx2"),
        "avx512" => return std::is_x86_feature_detected!("avx512vbmi2"),
        _ => {}
    }
    name == "scalar" || name == "neon" && cfg!(target_arch = "aarch64")
}
