//! Fortran: calls of module `neargrid` and of the drop-ins.

use std::fmt::Write;

use super::super::trace::Trace;
use super::{Asked, Counts, Numbers, Spoken, count};
use Spoken::{LeftOut, Printed, Unspeakable};

mod calls;
mod queries;
mod settings;
mod values;
mod words;

use words::{integers, longs, strings};

/// The module that compares.
pub const ANSWERS: &str = include_str!("answers.f90");

/// A whole program of the subroutines of sequences.
pub fn program(sequences: &[(u64, String)]) -> String {
    let mut text = "program printed\n    implicit none (type, external)\n\n".to_owned();
    for (number, _) in sequences {
        writeln!(text, "    call sequence_{number}()").unwrap();
    }
    text += "    print \"(a)\", \"all answers are right\"\n\ncontains\n";
    sequences.iter().for_each(|(_, subroutine)| text += subroutine);
    text + "\nend program printed\n"
}

/// The subroutine of a sequence: as much of it as Fortran can say.
pub fn sequence(seed: u64, trace: &Trace, counts: &mut Counts) -> String {
    let mut printer = Fortran {
        asked: Asked { trace, number: 0 },
        text: String::new(),
        bases: [0; 2],
        list_bases: [0; 4],
        have_ids: [false; 2],
        have_pairs: [false; 2],
        are_ids_mixed: [false; 2],
        celllist: None,
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
    format!(
        "\n    subroutine sequence_{seed}()\n        use, intrinsic :: iso_c_binding, only: c_int\n\
         \x20       use, intrinsic :: iso_fortran_env, only: int64, real32, real64\n        use answers\n        use celllist_m\n\
         \x20       use neargrid\n        type(neargrid_search) :: s(0:1)\n        type(neargrid_formula) :: f(0:1)\n\
         \x20       type(neargrid_list) :: l(0:3)\n\n        call begin(\"seed {seed}\")\n\
         \x20       call s(0)%create()\n        call s(1)%create()\n{}    end subroutine sequence_{seed}\n",
        printer.text
    )
}

/// What is known while a sequence is printed. Fortran counts from 1, so ids shift where C counts from 0.
struct Fortran<'a> {
    asked: Asked<'a>,
    text: String,
    bases: [i64; 2],
    /// The bases in which lists have their rows.
    list_bases: [i64; 4],
    have_ids: [bool; 2],
    /// Whether there may be pair fields, and whether ids changed since.
    have_pairs: [bool; 2],
    are_ids_mixed: [bool; 2],
    /// The number of the last count of the drop-ins.
    celllist: Option<usize>,
    /// Whether the radii of points have just been removed, with those of queries.
    is_cleared: bool,
}

impl Fortran<'_> {
    fn line(&mut self, line: &str) {
        self.text += &words::wrapped(line);
    }

    /// Calls a procedure that takes `stat` and `errmsg`, and expects success.
    fn call(&mut self, procedure: &str, arguments: &[String]) -> Spoken {
        let number = self.asked.number;
        let all: String = arguments.iter().map(|argument| format!("{argument}, ")).collect();
        self.line(&format!("call next({number})"));
        self.line(&format!("call {procedure}({all}stat=stat, errmsg=errmsg)"));
        self.line("call done()");
        Printed
    }

    /// Compares a result with what the call answered there, shifted to the base of Fortran.
    fn compare(&mut self, how: &str, result: &str, argument: usize, shift: i64, wide: bool) {
        if let Some(wanted) = self.asked.answer(argument) {
            let wanted = wanted.shifted(shift);
            self.wanted(how, result, &wanted, wide);
        }
    }

    fn wanted(&mut self, how: &str, result: &str, wanted: &Numbers, wide: bool) {
        let list = if wide { longs(wanted) } else { integers(wanted) };
        self.line(&format!("call {how}({result}, {list})"));
    }

    /// Compares a number.
    fn compare_one(&mut self, result: &str, argument: usize, shift: i64) {
        if let Some(wanted) = self.asked.answered_integer(argument) {
            self.line(&format!("call same({result}, {})", words::long(wanted + shift)));
        }
    }

    /// The search of the call.
    fn search(&self) -> String {
        format!("s({})", self.asked.object(0))
    }

    fn of_search(&self, procedure: &str) -> String {
        format!("{}%{procedure}", self.search())
    }

    /// The shift from the ids of C to those of Fortran.
    fn shift(&self) -> i64 {
        1 - self.bases[self.asked.object(0)]
    }

    fn is_odd(&self) -> bool {
        self.asked.number % 2 == 1
    }

    /// Text of a call's name, or of a field's.
    fn name_of(&self, argument: usize) -> String {
        strings(self.asked.text(argument))
    }
}
