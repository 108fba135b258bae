//! Sequences of calls, drawn from the bytes of the fuzzer, each answer compared with the model of tests/model/.
#![no_main]

#[path = "../../tests/model/mod.rs"]
#[allow(dead_code)] // tests of the model use the rest
mod machine;

use std::sync::Once;

use libfuzzer_sys::fuzz_target;
use machine::draw::Draw;
use machine::generate::{Taste, sequence};
use machine::interpret::{Forced, Program, run};
use machine::{print, shrink};

/// The environment is read when a handle is made.
static CPU: Once = Once::new();

fuzz_target!(|bytes: &[u8]| {
    // SAFETY: no other thread of this process reads the environment meanwhile.
    CPU.call_once(|| unsafe { std::env::set_var("NEARGRID_BACKEND", "cpu") });
    let taste = Taste {
        calls: 40,
        backends: false,
        large: false,
    };
    let steps = sequence(&mut Draw::of_bytes(bytes), taste);
    let (Err(failure), _) = run(&steps, Forced::Cpu, Program::None) else {
        return;
    };
    let fails =
        |steps: &[_]| matches!(run(steps, Forced::Cpu, Program::None), (Err(other), _) if other.what == failure.what);
    let short = shrink::shrink(steps, 2000, fails);
    let (_, program) = run(&short, Forced::Cpu, Program::Text(String::new()));
    panic!(
        "{}\n{short:?}\n{}",
        failure.text,
        print::program(&program, &failure.text, "the fuzzer's bytes")
    );
});
