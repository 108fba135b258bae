//! Literals and lines.

use super::Numbers;

/// A line of the body of a subroutine, in as many as it takes.
pub fn wrapped(line: &str) -> String {
    const WIDTH: usize = 116;
    let mut text = " ".repeat(8);
    let (mut column, mut quoted, mut piece) = (0, false, String::new());
    let mut put = |text: &mut String, piece: &mut String| {
        if column > 0 && column + piece.len() > WIDTH {
            *text += "&\n            ";
            column = 0;
        }
        column += piece.len();
        *text += piece;
        piece.clear();
    };
    for letter in line.chars() {
        quoted ^= letter == '"';
        piece.push(letter);
        if !quoted && letter == ',' {
            put(&mut text, &mut piece);
        }
        if !quoted && piece.ends_with("//") {
            put(&mut text, &mut piece);
        }
    }
    put(&mut text, &mut piece);
    text + "\n"
}

/// An `integer(c_int)`.
pub fn int(value: i64) -> String {
    match value == i64::from(i32::MIN) {
        true => "-2147483647_c_int - 1_c_int".to_owned(),
        false => format!("{value}_c_int"),
    }
}

/// An `integer(int64)`.
pub fn long(value: i64) -> String {
    match value {
        i64::MIN => "-9223372036854775807_int64 - 1_int64".to_owned(),
        value => format!("{value}_int64"),
    }
}

pub fn logical(value: bool) -> &'static str {
    if value { ".true." } else { ".false." }
}

/// A `real(real64)`.
pub fn real(value: f64) -> String {
    match value {
        x if x.is_nan() => "nan".to_owned(),
        x if x.is_infinite() => if x > 0.0 { "inf" } else { "-inf" }.to_owned(),
        x if x.is_subnormal() => format!("transfer({}, 1d0)", long(x.to_bits() as i64)),
        x => {
            let text = format!("{x:?}");
            if text.contains('e') {
                text.replace('e', "d")
            } else {
                text + "d0"
            }
        }
    }
}

/// A `real(real32)`.
pub fn single(value: f32) -> String {
    match value {
        x if x.is_nan() => "nan4".to_owned(),
        x if x.is_infinite() => if x > 0.0 { "inf4" } else { "-inf4" }.to_owned(),
        x if x.is_subnormal() => format!("transfer({}, 1e0)", int((x.to_bits() as i32).into())),
        x => format!("{x:?}"),
    }
}

/// An array of numbers; integers are `integer(c_int)`.
pub fn integers(values: &Numbers) -> String {
    match values {
        Numbers::Integers(values) => {
            let list: Vec<String> = values
                .iter()
                .map(|&value| match value == i64::from(i32::MIN) {
                    true => int(value),
                    false => value.to_string(),
                })
                .collect();
            format!("[integer(c_int) :: {}]", list.join(","))
        }
        Numbers::Singles(values) => {
            let list: Vec<String> = values.iter().map(|&value| single(value)).collect();
            format!("[real(real32) :: {}]", list.join(","))
        }
        Numbers::Reals(values) => {
            let list: Vec<String> = values.iter().map(|&value| real(value)).collect();
            format!("[real(real64) :: {}]", list.join(","))
        }
    }
}

/// An array of numbers; integers are `integer(int64)`.
pub fn longs(values: &Numbers) -> String {
    let Numbers::Integers(values) = values else {
        return integers(values);
    };
    let list: Vec<String> = values
        .iter()
        .map(|&value| match i32::try_from(value) {
            Ok(value) if value != i32::MIN => value.to_string(),
            _ => long(value),
        })
        .collect();
    format!("[integer(int64) :: {}]", list.join(","))
}

/// An array of logicals.
pub fn logicals(values: &[i64]) -> String {
    let list: Vec<&str> = values.iter().map(|&value| logical(value != 0)).collect();
    format!("[logical :: {}]", list.join(","))
}

/// A table of so many rows.
pub fn table(list: &str, rows: usize, columns: usize) -> String {
    format!("reshape({list}, [{rows}, {columns}])")
}

/// A text.
pub fn strings(bytes: &[u8]) -> String {
    let mut parts = Vec::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        let text = String::from_utf8_lossy(line).replace('"', "\"\"");
        parts.push(format!("\"{text}\""));
    }
    parts.join(" // achar(10) // ")
}
