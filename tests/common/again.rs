//! A test program that runs itself again with another environment, which is read when a handle is made.

use std::io::Write;
use std::process::Command;

/// The tests of a module that run again.
pub struct Again {
    /// Arguments of the test program. None of them may leave `widths` or `devices` in.
    arguments: Vec<String>,
    /// A test that must have passed, so that nothing passes for having run nothing.
    shows: String,
}

impl Again {
    /// The tests of `module` (`module_path!()`) whose names begin with one of `names`.
    pub fn only(module: &str, names: &[&str], shows: &str) -> Again {
        let arguments = names.iter().map(|name| full(module, name)).collect();
        let shows = full(module, shows);
        Again { arguments, shows }
    }

    /// All tests of `module` but those whose names begin with one of `names`, and those that run the program again.
    pub fn without(module: &str, names: &[&str], shows: &str) -> Again {
        let skipped = ["widths", "devices"].iter().chain(names);
        let all = full(module, "");
        // Filters are parts of names: other modules may end like this one.
        let others = ["::", "_"].map(|before| format!("{before}{all}"));
        let skipped = skipped.map(|name| full(module, name)).chain(others);
        let skipped = skipped.flat_map(|name| ["--skip".to_owned(), name]);
        let arguments = std::iter::once(all).chain(skipped).collect();
        let shows = full(module, shows);
        Again { arguments, shows }
    }

    /// Once more for each instruction set of `parts` that this machine has, and the part of the suite it takes (see
    /// [`super::Part`]) unless `NEARGRID_TEST_ALL` is set. The tests themselves take the widest. Says which ran, also where all
    /// pass; with `NEARGRID_TEST_ALL` it fails where this machine lacks one of its architecture.
    pub fn in_widths(&self, parts: &[(&str, &str)]) {
        let mut ran = vec![widest()];
        for &(width, part) in parts {
            let (passed, text) = self.run(&[("SIMD", width), ("TEST_PART", whole_or(part))]);
            if text.contains("NEARGRID_SIMD") && text.contains("available on this machine") && width != "scalar" {
                continue; // a machine without it
            }
            self.check(passed, &text, &format!("{width}, part \"{part}\""));
            ran.push(width);
        }
        let missing: Vec<_> = WIDTHS.iter().filter(|width| !ran.contains(width)).collect();
        let said = format!(
            "{}: ran with {}; this machine lacks {missing:?}",
            self.shows,
            ran.join(", ")
        );
        let _ = writeln!(std::io::stderr(), "{said}"); // where tests pass, nothing that macros print is shown
        assert!(ran.len() > 1, "no other instruction set was tested");
        assert!(missing.is_empty() || !is_whole(), "{said}: take one that has all");
    }

    /// Once more on a GPU: what the device is made to lack (`NEARGRID_GPU_MASK`), and the part of the suite it takes. That is the
    /// first of `parts`, because the CPU plays the GPU on most machines that test; with `NEARGRID_TEST_ALL` it is all of the
    /// suite in each configuration.
    pub fn on_devices(&self, parts: &[(&str, &str)]) {
        let configurations = if is_whole() { parts.len() } else { 1 };
        for &(mask, part) in &parts[..configurations] {
            let part = whole_or(part);
            let (passed, text) = self.run(&[("BACKEND", "gpu"), ("GPU_MASK", mask), ("TEST_PART", part)]);
            self.check(passed, &text, &format!("mask \"{mask}\", part \"{part}\""));
        }
    }

    /// Whether all passed, and what the program wrote, with variables whose names lack `NEARGRID_`.
    pub fn run(&self, variables: &[(&str, &str)]) -> (bool, String) {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(&self.arguments)
            .envs(
                variables
                    .iter()
                    .map(|(name, value)| (format!("NEARGRID_{name}"), value)),
            )
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        (output.status.success(), text)
    }

    fn check(&self, passed: bool, text: &str, what: &str) {
        assert!(passed, "{what}:\n{text}");
        assert!(text.contains(&format!("test {} ... ok", self.shows)), "{what}:\n{text}");
    }
}

/// The instruction sets of this architecture.
const WIDTHS: &[&str] = if cfg!(target_arch = "x86_64") {
    &["scalar", "avx2", "avx512"]
} else if cfg!(target_arch = "aarch64") {
    &["scalar", "neon"]
} else {
    &["scalar"]
};

/// The one that a search takes, unless it is told another.
fn widest() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        let has_wide = std::is_x86_feature_detected!("avx512bw") && std::is_x86_feature_detected!("avx512vbmi2");
        match std::is_x86_feature_detected!("avx2") {
            true if has_wide => "avx512",
            true => "avx2",
            false => "scalar",
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    WIDTHS[WIDTHS.len() - 1]
}

/// The name of a test of `module` as the test program calls it.
fn full(module: &str, name: &str) -> String {
    let module = module.split_once("::").map_or(module, |(_, module)| module);
    format!("{module}::{name}")
}

/// Whether all is asked for, however long it takes: `make test-all`.
pub fn is_whole() -> bool {
    std::env::var_os("NEARGRID_TEST_ALL").is_some()
}

/// `part`, or if all is asked for what it says beside the cases to take.
fn whole_or(part: &str) -> &str {
    match is_whole() {
        true => part.split_once(',').map_or("", |(_, rest)| rest),
        false => part,
    }
}
