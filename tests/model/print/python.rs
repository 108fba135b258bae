//! Python: calls of the package neargrid.

use std::fmt::Write;

use super::super::trace::{Event, Trace};
use super::{Asked, Counts, Numbers, Spoken, count};
use Spoken::{LeftOut, Printed, Unspeakable};

mod calls;
mod queries;
mod settings;
mod values;

/// The module that compares.
pub const ANSWERS: &str = include_str!("answers.py");

/// A whole program of the functions of sequences.
pub fn program(sequences: &[(u64, String)]) -> String {
    let mut text = "import neargrid\nfrom answers import *\n".to_owned();
    sequences.iter().for_each(|(_, function)| text += function);
    let names: Vec<String> = sequences.iter().map(|(seed, _)| format!("seed_{seed}")).collect();
    write!(text, "\n\nrun([{}])\n", names.join(", ")).unwrap();
    text
}

/// The function of a sequence: as much of it as Python can say.
pub fn sequence(seed: u64, trace: &Trace, counts: &mut Counts) -> String {
    let mut printer = Python {
        asked: Asked { trace, number: 0 },
        text: format!(
            "\n\ndef seed_{seed}():\n    s = [neargrid.Search(), neargrid.Search()]\n\
             \x20   f, l, g, c = [None] * 2, [None] * 4, [None] * 2, [None] * 2\n"
        ),
        have_ids: [false; 2],
        have_pairs: [false; 2],
        are_ids_mixed: [false; 2],
        bases: [0; 2],
        is_cleared: false,
    };
    for (number, event) in trace.events.iter().enumerate() {
        printer.asked.number = number;
        if !event.is_ok() {
            continue;
        }
        let spoken = printer.event();
        count(counts, event.name, &spoken);
        if spoken == Unspeakable {
            break;
        }
    }
    printer.text
}

/// What is known while a sequence is printed.
struct Python<'a> {
    asked: Asked<'a>,
    text: String,
    have_ids: [bool; 2],
    /// Whether there may be pair fields, and whether ids changed since.
    have_pairs: [bool; 2],
    are_ids_mixed: [bool; 2],
    bases: [i64; 2],
    /// Whether the radii of points have just been removed, with those of queries.
    is_cleared: bool,
}

impl<'a> Python<'a> {
    fn line(&mut self, line: &str) -> Spoken {
        writeln!(self.text, "    {line}").unwrap();
        Printed
    }

    /// A statement that calls something.
    fn call(&mut self, statement: &str) -> Spoken {
        let number = self.asked.number;
        self.line(&format!("place[1] = {number}"));
        self.line(statement)
    }

    /// Compares a result with what the call answered there.
    fn compare(&mut self, result: &str, argument: usize, wide: bool) {
        if let Some(wanted) = self.asked.answer(argument) {
            self.line(&format!("same({result}, {})", list(&wanted, wide)));
        }
    }

    fn compare_one(&mut self, result: &str, argument: usize) {
        if let Some(wanted) = self.asked.answered_integer(argument) {
            self.line(&format!("same({result}, {wanted})"));
        }
    }

    fn is_odd(&self) -> bool {
        self.asked.number % 2 == 1
    }

    /// A word for a number of the call.
    fn word(&self, kind: &str, argument: usize) -> String {
        format!("word(\"{kind}\", {})", self.asked.integer(argument))
    }

    fn name_of(&self, argument: usize) -> String {
        string(self.asked.text(argument))
    }

    /// The next calls of a formula, which belong to its creation.
    fn next_of(&self, name: &str, after: usize) -> Option<(&'a Event, Asked<'a>)> {
        let number = self.asked.number + after;
        let event = self.asked.trace.events.get(number)?;
        let asked = Asked { number, ..self.asked };
        (event.name == name && event.is_ok()).then_some((event, asked))
    }
}

/// An array.
fn list(values: &Numbers, wide: bool) -> String {
    match values {
        Numbers::Integers(values) => {
            let list: Vec<String> = values.iter().map(i64::to_string).collect();
            format!("{}([{}])", if wide { "L" } else { "I" }, list.join(","))
        }
        Numbers::Singles(values) => {
            let list: Vec<String> = values
                .iter()
                .map(|&value| real(value.into(), format!("{value:?}")))
                .collect();
            format!("F([{}])", list.join(","))
        }
        Numbers::Reals(values) => {
            let list: Vec<String> = values.iter().map(|&value| real(value, format!("{value:?}"))).collect();
            format!("D([{}])", list.join(","))
        }
    }
}

fn real(value: f64, text: String) -> String {
    match value {
        x if x.is_nan() => "nan".to_owned(),
        x if x.is_infinite() => if x > 0.0 { "inf" } else { "-inf" }.to_owned(),
        _ => text,
    }
}

fn string(bytes: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(bytes))
}
