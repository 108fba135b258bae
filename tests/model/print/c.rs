//! C, which is C++ too.

use std::fmt::Write;

use super::super::memory::PATTERN;
use super::super::trace::{Array, Event, Kind, Object, Trace, Use, Value};
use super::{Numbers, numbers, written};

/// The functions of a program that compare.
const COMPARISONS: &str = r#"
static const char *sequence;

static void wrong(int call, const char *what, long at)
{
    printf("%s, call %d: %s %ld\n", sequence, call, what, at);
    exit(1);
}

static void answered(int call, neargrid_status found, neargrid_status wanted, const char *text)
{
    char said[4000] = "";
    if (found != NEARGRID_STATUS_OK) neargrid_last_error(said, sizeof said, NULL);
    if (found != wanted) printf("%s\n", said), wrong(call, "status", found);
    if (text && strcmp(said, text)) printf("%s\nnot\n%s\n", said, text), wrong(call, "text of status", found);
}

/* Any NaN is one. */
static int same_number(const void *found, const void *wanted, size_t size, int real)
{
    double f, w;
    float f4, w4;
    if (!memcmp(found, wanted, size)) return 1;
    if (!real) return 0;
    if (size == 4) {
        memcpy(&f4, found, 4), memcpy(&w4, wanted, 4);
        return f4 != f4 && w4 != w4;
    }
    memcpy(&f, found, 8), memcpy(&w, wanted, 8);
    return f != f && w != w;
}

/* The first `bytes` of an array are those wanted, and the others, up to `all`, were left alone. */
static void same(int call, const char *name, const void *found, size_t all, const void *wanted, size_t bytes, size_t size, int real)
{
    const unsigned char *f = (const unsigned char *)found, *w = (const unsigned char *)wanted;
    size_t k;
    for (k = 0; k < bytes; k += size)
        if (!same_number(f + k, w + k, size, real)) wrong(call, name, (long)(k / size));
    for (k = bytes; k < all; k++)
        if (f[k] != PATTERN) wrong(call, name, (long)(k / size));
}
"#;

/// What sequences begin and end with in a language.
pub struct Frame {
    pub header: &'static str,
    pub begin: &'static str,
    pub end: &'static str,
}

pub const C: Frame = Frame {
    header: "neargrid.h",
    begin: r#"    neargrid_search *s0 = NULL, *s1 = NULL;
    neargrid_formula *f0 = NULL, *f1 = NULL;
    neargrid_list *l[4] = {NULL};
    int k;
    answered(0, neargrid_search_create(NEARGRID_ABI_VERSION, &s0), 0, NULL);
    answered(0, neargrid_search_create(NEARGRID_ABI_VERSION, &s1), 0, NULL);
"#,
    end: r#"    cellList_set_tie_rule(-1);
    neargrid_celllist_release();
    neargrid_search_destroy(s0);
    neargrid_search_destroy(s1);
    for (k = 0; k < 4; k++) neargrid_list_destroy(l[k]);
    neargrid_formula_destroy(f0);
    neargrid_formula_destroy(f1);
"#,
};

/// A whole program of the calls of sequences, which have names.
pub fn program(text: &str, sequences: &[(String, String)], frame: &Frame) -> String {
    let text = text.replace("*/", "* /");
    let Frame { header, begin, end } = frame;
    let mut program = format!(
        "/* {text} */\n#include <celllist.h>\n#include <math.h>\n#include <{header}>\n#include <neargrid_celllist.h>\n\
         #include <neargrid_sum.h>\n#include <stdio.h>\n\
         #include <stdlib.h>\n#include <string.h>\n\n#define PATTERN {PATTERN}\n{COMPARISONS}"
    );
    for (name, real) in [("celllist_", "double"), ("scelllist_", "float")] {
        let ints = "const int32_t *, const int32_t *, const int32_t *";
        let outs = "const int32_t *, int32_t *, int32_t *, int32_t *";
        writeln!(
            program,
            "#ifdef __cplusplus\nextern \"C\"\n#endif\nvoid {name}({ints}, const {real} *, const {real} *, {outs});"
        )
        .unwrap();
    }
    for (number, (name, calls)) in sequences.iter().enumerate() {
        let body = format!("{begin}    sequence = \"{name}\";\n{calls}{end}");
        write!(program, "\nstatic void sequence_{number}(void)\n{{\n{body}}}\n").unwrap();
    }
    program += "\nint main(void)\n{\n";
    for number in 0..sequences.len() {
        writeln!(program, "    sequence_{number}();").unwrap();
    }
    program + "    printf(\"all answers are right\\n\");\n    return 0;\n}\n"
}

/// The calls of a sequence.
pub fn calls(trace: &Trace) -> String {
    calls_by(trace, |_, _| false)
}

/// The calls of a sequence, except for those that another language has written.
pub fn calls_by(trace: &Trace, mut other: impl FnMut(&mut String, usize) -> bool) -> String {
    let (mut text, mut declared, mut has_failed) = (String::new(), 0, false);
    for (number, event) in trace.events.iter().enumerate() {
        for (array, k) in trace.arrays[declared..event.arrays].iter().zip(declared..) {
            declare(&mut text, array, k);
        }
        declared = event.arrays;
        has_failed |= !event.is_ok();
        if event.is_ok() && other(&mut text, number) {
            continue;
        }
        call(&mut text, trace, event, number, true);
        if is_certain(event, has_failed) {
            answers(&mut text, trace, event, number);
        }
    }
    text
}

/// The last call, whose answer is not known yet.
pub fn last_call(trace: &Trace) -> String {
    let mut text = String::new();
    let number = trace.events.len() - 1;
    let event = &trace.events[number];
    let declared = number.checked_sub(1).map_or(0, |before| trace.events[before].arrays);
    for (array, k) in trace.arrays[declared..event.arrays].iter().zip(declared..) {
        declare(&mut text, array, k);
    }
    call(&mut text, trace, event, number, false);
    text
}

/// Whether the answer is the same each time. The text of a failure may be that of another sequence.
pub fn is_certain(event: &Event, has_failed: bool) -> bool {
    match event.name {
        "neargrid_search_info" | "neargrid_search_timing" => !event.is_ok(),
        "neargrid_last_error" => has_failed,
        // What was made and counted, but not how much memory and how many tests that took.
        "neargrid_search_counter" => !matches!(event.arguments[1], Value::Integer(5..=10 | 14)),
        _ => true,
    }
}

pub(super) fn name_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Byte => "unsigned char",
        Kind::I32 => "int32_t",
        Kind::I64 => "int64_t",
        Kind::Size => "size_t",
        Kind::F32 => "float",
        Kind::F64 => "double",
    }
}

fn declare(text: &mut String, array: &Array, k: usize) {
    let name = name_of(array.kind);
    let (bytes, len) = (array.bytes.len(), (array.bytes.len() / array.kind.size()).max(1));
    match array.used {
        Use::Read => writeln!(
            text,
            "    static const {name} a{k}[] = {{{}}};",
            list(array.kind, &array.bytes)
        ),
        Use::Changed => writeln!(
            text,
            "    static {name} a{k}[] = {{{}}};",
            list(array.kind, &array.bytes)
        ),
        Use::Written => writeln!(
            text,
            "    static {name} a{k}[{len}];\n    memset(a{k}, PATTERN, {bytes});"
        ),
        Use::Lent => writeln!(
            text,
            "    static const {name} *a{k};\n    memset(&a{k}, PATTERN, sizeof a{k});"
        ),
    }
    .unwrap();
}

pub(super) fn list(kind: Kind, bytes: &[u8]) -> String {
    let list: Vec<String> = match numbers(kind, bytes) {
        Numbers::Integers(values) => values.into_iter().map(integer).collect(),
        Numbers::Singles(values) => values.into_iter().map(single).collect(),
        Numbers::Reals(values) => values.into_iter().map(real).collect(),
    };
    match list.is_empty() {
        true => "0".to_owned(),
        false => list.join(","),
    }
}

pub(super) fn integer(value: i64) -> String {
    match value {
        i64::MIN => "INT64_MIN".to_owned(),
        value => value.to_string(),
    }
}

fn single(value: f32) -> String {
    match value.is_finite() {
        true => format!("{value:?}f"),
        false => real(value.into()),
    }
}

pub(super) fn real(value: f64) -> String {
    match value {
        x if x.is_nan() => "NAN".to_owned(),
        x if x.is_infinite() => if x > 0.0 { "INFINITY" } else { "-INFINITY" }.to_owned(),
        x => format!("{x:?}"),
    }
}

pub(super) fn string(bytes: &[u8]) -> String {
    let mut text = "\"".to_owned();
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => text.extend(['\\', byte.into()]),
            b' '..=b'~' => text.push(byte.into()),
            _ => write!(text, "\\{byte:03o}").unwrap(),
        }
    }
    text + "\""
}

fn object(object: Object) -> String {
    match object {
        Object::Search(k) => format!("s{k}"),
        Object::Formula(k) => format!("f{k}"),
        Object::List(k) => format!("l[{k}]"),
    }
}

pub(super) fn argument(trace: &Trace, value: &Value) -> String {
    match value {
        Value::Integer(value) => integer(*value),
        Value::Single(value) => single(*value),
        Value::Real(value) => real(*value),
        Value::Text(bytes) => string(bytes),
        Value::Null => "NULL".to_owned(),
        Value::At(array, 0, Kind::Byte) => format!("(char *)a{array}"),
        &Value::At(array, offset, kind) => {
            let Array { kind: of, used, .. } = trace.arrays[array];
            match offset {
                _ if used == Use::Lent => format!("&a{array}"),
                0 if kind == of => format!("a{array}"),
                _ if kind == of && offset % kind.size() == 0 => format!("a{array} + {}", offset / kind.size()),
                _ => format!(
                    "(const {} *)(const void *)((const char *)a{array} + {offset})",
                    name_of(kind)
                ),
            }
        }
        Value::Of(array, kind) => format!("(const {} *)(const void *)a{array}", name_of(*kind)),
        Value::Object(it) => object(*it),
        Value::Place(it) => format!("&{}", object(*it)),
    }
}

fn call(text: &mut String, trace: &Trace, event: &Event, number: usize, is_answered: bool) {
    let arguments: Vec<String> = event.arguments.iter().map(|value| argument(trace, value)).collect();
    let call = format!("{}({})", event.name, arguments.join(", "));
    match event.status {
        // A subroutine of Fortran.
        _ if event.name.ends_with('_') => writeln!(text, "    {call};").unwrap(),
        _ if event.name.ends_with("_destroy") || event.name.ends_with("_release") => {
            writeln!(text, "    {call};").unwrap();
            if let [Value::Object(it)] = event.arguments[..] {
                writeln!(text, "    {} = NULL;", object(it)).unwrap();
            }
        }
        Some(status) if is_answered => {
            let error = match status {
                0 => "NULL".to_owned(),
                // Offsets that are wrong make arrays longer than they are: another text where they lie side by side.
                _ if event.name.starts_with("neargrid_carry") => "NULL".to_owned(),
                _ => string(event.error.as_bytes()),
            };
            writeln!(text, "    answered({number}, {call}, {status}, {error});").unwrap();
        }
        _ => writeln!(text, "    printf(\"%d: %d\\n\", {number}, (int){call});").unwrap(),
    }
}

/// Comparisons of all that a call has written.
fn answers(text: &mut String, trace: &Trace, event: &Event, number: usize) {
    for (array, after) in &event.after {
        let Array { kind, used, bytes } = &trace.arrays[*array];
        let (all, is_real) = (after.borrow(), u8::from(matches!(kind, Kind::F32 | Kind::F64)));
        let (wanted, len) = match used {
            Use::Lent if event.is_ok() => (&all[..], all.len()),
            Use::Lent => continue,
            Use::Changed => (&all[..], bytes.len()),
            _ => (written(*kind, &all), bytes.len()),
        };
        let (name, size, much) = (event.name, kind.size(), wanted.len());
        let values = match much {
            0 => "NULL".to_owned(),
            _ => {
                let list = list(*kind, wanted);
                writeln!(
                    text,
                    "    static const {} w{number}_{array}[] = {{{list}}};",
                    name_of(*kind)
                )
                .unwrap();
                format!("w{number}_{array}")
            }
        };
        writeln!(
            text,
            "    same({number}, \"{name}\", a{array}, {len}, {values}, {much}, {size}, {is_real});"
        )
        .unwrap();
    }
}
