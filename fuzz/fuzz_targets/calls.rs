//! Sequences of calls, drawn from the bytes of the fuzzer, each answer compared with the model of tests/model/.
#![no_main]

#[path = "../../tests/model/mod.rs"]
#[allow(dead_code)] // tests of the model use the rest
mod machine;

use std::sync::Once;

use libfuzzer_sys::fuzz_target;
use machine::draw::Draw;
use machine::generate::{Taste, sequence};
use machine::interpret::{Forced, Record, run};
use machine::trace::Trace;
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
        most: usize::MAX,
    };
    let steps = sequence(&mut Draw::of_bytes(bytes), taste);
    let (Err(failure), _) = run(&steps, Forced::Cpu, Record::None) else {
        return;
    };
    let fails =
        |steps: &[_]| matches!(run(steps, Forced::Cpu, Record::None), (Err(other), _) if other.what == failure.what);
    let short = shrink::shrink(steps, 2000, fails);
    let (_, trace) = run(&short, Forced::Cpu, Record::Trace(Trace::default()));
    panic!(
        "{}\n{short:?}\n{}",
        failure.text,
        print::c::program(&failure.text, &[("bytes".to_owned(), print::c::calls(&trace))], &print::c::C)
    );
});
