//! A test program that runs itself again with another environment, which is read when a handle is made.

use std::process::Command;

/// Which tests run again.
pub struct Again<'a> {
    /// Arguments of the test program. None of them may leave `widths` or `devices` in.
    pub arguments: Vec<&'a str>,
    /// A test that must have passed, so that nothing passes for having run nothing.
    pub shows: &'a str,
}

impl<'a> Again<'a> {
    /// The tests whose names hold one of `names`.
    pub fn only(names: &[&'a str], shows: &'a str) -> Again<'a> {
        let arguments = names.to_vec();
        Again { arguments, shows }
    }

    /// All tests but those whose names hold one of `names`, and those that run the program again.
    pub fn without(names: &[&'a str], shows: &'a str) -> Again<'a> {
        let names = ["widths", "devices"].iter().chain(names);
        let arguments = names.flat_map(|name| ["--skip", name]).collect();
        Again { arguments, shows }
    }

    /// The tests whose names hold one of `names`, or if `NEARGRID_TEST_ALL` is set all without `skipped`. A device in software
    /// compiles the kernels of every kind of search for seconds, in each process anew.
    pub fn briefly(names: &[&'a str], skipped: &[&'a str], shows: &'a str) -> Again<'a> {
        match whole_or("brief") {
            "" => Again::without(skipped, shows),
            _ => Again::only(names, shows),
        }
    }

    /// Once more for each instruction set of `parts` that this machine has, and the part of the suite it takes (see
    /// [`super::Part`]) unless `NEARGRID_TEST_ALL` is set.
    pub fn in_widths(&self, parts: &[(&str, &str)]) {
        let mut ran = 0;
        for &(width, part) in parts {
            let part = whole_or(part);
            let (passed, text) = self.run(&[("SIMD", width), ("TEST_PART", part)]);
            if text.contains("NEARGRID_SIMD") && text.contains("available on this machine") && width != "scalar" {
                continue; // a machine without it
            }
            self.check(passed, &text, &format!("{width}, part \"{part}\""));
            ran += 1;
        }
        assert!(ran > 0, "no instruction set was tested");
    }

    /// Once more on a GPU in each configuration of `parts`: what the device is made to lack (`NEARGRID_GPU_MASK`), and the
    /// part of the suite it takes unless `NEARGRID_TEST_ALL` is set. Where the CPU plays the GPU, all of it takes long.
    pub fn on_devices(&self, parts: &[(&str, &str)]) {
        for &(mask, part) in parts {
            self.on_device(mask, whole_or(part));
        }
    }

    /// Once more on a GPU, in one configuration.
    pub fn on_device(&self, mask: &str, part: &str) {
        let (passed, text) = self.run(&[("BACKEND", "gpu"), ("GPU_MASK", mask), ("TEST_PART", part)]);
        self.check(passed, &text, &format!("mask \"{mask}\", part \"{part}\""));
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

/// `part`, or all if `NEARGRID_TEST_ALL` is set.
pub fn whole_or(part: &str) -> &str {
    match std::env::var_os("NEARGRID_TEST_ALL") {
        Some(_) => "",
        None => part,
    }
}
