//! Hints for what has no meaning in a formula: words, functions and characters of other languages. In: what is
//! written. Out: parts of messages.

use std::fmt::{self, Display, Formatter};

use super::program::{AXES, FUNCTIONS};

const SELECT: &str = "select(a, b, condition) is a where the condition holds and b elsewhere";
const REMAINDER: &str = "x - y*floor(x/y) is the remainder of x/y";

/// Words and operators, which are reserved, so that they are no names of constants.
const WORDS: &[(&[&str], &str)] = &[
    (
        &["and", "&&", ".and."],
        "write and: a and b holds where both conditions do",
    ),
    (
        &["or", "||", ".or."],
        "write or: a or b holds where one of the conditions does",
    ),
    (
        &["|"],
        "abs(a) is the magnitude of a number a, sqrt(dot(a, a)) is the length of a vector, and 'or' joins conditions",
    ),
    (
        &["not", "~", ".not."],
        "write not: not a holds where the condition a does not",
    ),
    (&["if", "then", "else", "elif", "elseif", "endif", "where", "?"], SELECT),
    (
        &["for", "while", "do"],
        "+=, max= and min= run over all neighbors by themselves",
    ),
    (
        &["&", "\\"],
        "inside parentheses an expression continues on the next line",
    ),
    (&[".lt."], "write <"),
    (&[".le."], "write <="),
    (&[".gt."], "write >"),
    (&[".ge."], "write >="),
    (&[".eq."], "write =="),
    (&[".ne.", "/=", "<>"], "write != for not equal"),
    (&["%"], REMAINDER),
    (
        &["[", "]", "{", "}"],
        "parentheses group, and a vector has no index: d.x, d.y and d.z are components",
    ),
    (&["_"], "a name begins with a letter, and a number has no kind"),
];

/// Functions of other languages.
const STRANGERS: &[(&[&str], &str)] = &[
    (&["fabs", "fabsf", "dabs"], "write abs"),
    (&["ln", "alog", "dlog", "logf"], "write log"),
    (&["sqrtf", "dsqrt"], "write sqrt"),
    (&["expf", "dexp"], "write exp"),
    (&["fmin", "fminf", "amin1", "dmin1", "minimum"], "write min"),
    (&["fmax", "fmaxf", "amax1", "dmax1", "maximum"], "write max"),
    (&["dot_product", "vdot", "inner"], "write dot"),
    (&["cross_product"], "write cross"),
    (
        &["vec", "vec2", "vec3", "float2", "float3", "double2", "double3"],
        "write vector",
    ),
    (&["powf", "power"], "write pow"),
    (&["sinf", "dsin"], "write sin"),
    (&["cosf", "dcos"], "write cos"),
    (&["tanf", "dtan", "tg"], "write tan"),
    (&["tanhf", "dtanh"], "write tanh"),
    (&["atan2f", "datan2", "arctan2"], "write atan2"),
    (&["erff", "derf"], "write erf"),
    (&["erfcf", "derfc"], "write erfc"),
    (&["int", "trunc", "floorf"], "write floor"),
    (&["sgn", "signum"], "write sign"),
    (
        &["norm", "norm2", "length", "len", "mag", "magnitude", "hypot"],
        "sqrt(dot(a, a)) is the length of a vector a",
    ),
    (&["sqr", "square"], "x^2 is the square of x"),
    (&["cbrt"], "pow(x, 1/3) is the cube root of x"),
    (&["log10"], "log(x)/log(10) is the logarithm to base 10"),
    (&["log2"], "log(x)/log(2) is the logarithm to base 2"),
    (&["exp2"], "pow(2, x) is 2 to the power of x"),
    (&["ceil", "ceiling"], "-floor(-x) is the whole number at or above x"),
    (&["round", "nint", "anint", "rint"], "floor(x + 0.5) is x rounded"),
    (&["mod", "modulo", "fmod"], REMAINDER),
    (&["merge", "ifelse", "iif", "heaviside"], SELECT),
    (&["sinh"], "(exp(x) - exp(-x))/2 is sinh(x)"),
    (&["cosh"], "(exp(x) + exp(-x))/2 is cosh(x)"),
    (&["atan", "arctan"], "atan2(x, 1) is atan(x)"),
    (&["asin", "arcsin"], "atan2(x, sqrt((1 - x)*(1 + x))) is asin(x)"),
    (&["acos", "arccos"], "atan2(sqrt((1 - x)*(1 + x)), x) is acos(x)"),
    (&["sum"], "+= adds the terms of all neighbors"),
    (
        &["random", "rand", "randn", "rnd", "random_number", "gauss"],
        "noise comes from your program, which sets a field of random numbers before each run: noise_i reads the field noise",
    ),
    (&["gamma"], "a table under another name can have its values for each r"),
];

fn found(table: &[(&[&str], &'static str)], written: &str) -> Option<&'static str> {
    let holds = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(written));
    table.iter().find(|(words, _)| holds(words)).map(|&(_, hint)| hint)
}

/// The replacement of a word or an operator of another language.
pub fn instead(written: &str) -> Option<&'static str> {
    found(WORDS, written)
}

/// Whether a name is that of a function of another language, or of ours in other letters: then it is no name of a
/// table.
pub fn is_stranger(name: &str) -> bool {
    let is_ours = |(known, _): &(&str, _)| name.eq_ignore_ascii_case(known);
    found(STRANGERS, name).is_some() || FUNCTIONS.iter().any(is_ours)
}

/// The function that a name was perhaps meant for.
pub fn near_function(name: &str) -> Option<&'static str> {
    let same = FUNCTIONS.iter().find(|(known, _)| name.eq_ignore_ascii_case(known));
    let near = same.or_else(|| FUNCTIONS.iter().find(|(known, _)| is_near(name, known)));
    near.map(|&(known, _)| known)
}

/// Whether a name is another one in other letters, or with one mistake in typing.
pub fn is_near(name: &str, known: &str) -> bool {
    let (a, b) = (name.as_bytes(), known.as_bytes());
    let same = |a: u8, b: u8| a.eq_ignore_ascii_case(&b);
    let most = a.len().min(b.len());
    let front = (0..most).take_while(|&k| same(a[k], b[k])).count();
    let behind = |k: &usize| same(a[a.len() - 1 - k], b[b.len() - 1 - k]);
    let back = (0..most - front).take_while(behind).count();
    match [&a[front..a.len() - back], &b[front..b.len() - back]] {
        [a, b] if a.is_empty() && b.is_empty() => true,
        _ if most < 3 => false,
        [a, b] if a.len().max(b.len()) == 1 => true,
        [[a, b], [c, d]] => same(*a, *d) && same(*b, *c),
        _ => false,
    }
}

/// A vector of three components with a new value for one of them, as a text writes it.
pub struct Components<'a>(pub &'a str, pub usize);

impl Display for Components<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("vector(")?;
        for (axis, letter) in AXES.iter().enumerate() {
            let comma = if axis > 0 { ", " } else { "" };
            match axis == self.1 {
                true => write!(f, "{comma}...")?,
                false => write!(f, "{comma}{}.{letter}", self.0)?,
            }
        }
        f.write_str("), with as many components as the points have axes")
    }
}

/// The refusal of a name that is called and is no function.
pub struct NotFunction<'a>(pub &'a str);

impl Display for NotFunction<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = self.0;
        write!(f, "{} is not a function: ", Quoted(name))?;
        match (found(STRANGERS, name), near_function(name)) {
            (Some(hint), _) => f.write_str(hint)?,
            (_, Some(known)) if name.eq_ignore_ascii_case(known) => write!(f, "write {known}")?,
            (_, Some(known)) => write!(f, "perhaps {known}")?,
            _ => {
                let name = Short(name);
                write!(
                    f,
                    "a table is called with r, r2 or r/c, as in {name}(r), and * multiplies"
                )?;
            }
        }
        f.write_str("; the functions are ")?;
        let [others @ .., last] = &FUNCTIONS;
        for (k, (known, _)) in others.iter().enumerate() {
            write!(f, "{}{known}", if k > 0 { ", " } else { "" })?;
        }
        write!(f, " and {}", last.0)
    }
}

/// The refusal of text whose first character has no meaning.
pub struct NoMeaning<'a>(pub &'a str);

impl Display for NoMeaning<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(c) = self.0.chars().next() else { return Ok(()) };
        let len = ["&&", "||"].iter().find(|sign| self.0.starts_with(**sign));
        let written = &self.0[..len.map_or(c.len_utf8(), |sign| sign.len())];
        if let Some(hint) = instead(written) {
            return write!(f, "'{written}' has no meaning in a formula: {hint}");
        }
        match (c.is_ascii_graphic(), described(c)) {
            (true, _) => write!(f, "'{c}' has no meaning in a formula: ")?,
            (_, Some((name, _))) if is_invisible(c) => {
                write!(f, "the character {} ({name}) has no meaning in a formula: ", Code(c))?;
            }
            _ if is_invisible(c) => write!(f, "the character {} has no meaning in a formula: ", Code(c))?,
            (_, Some((name, _))) => write!(f, "'{c}' ({}, {name}) has no meaning in a formula: ", Code(c))?,
            _ => write!(f, "'{c}' ({}) has no meaning in a formula: ", Code(c))?,
        }
        match described(c) {
            Some((_, "")) => f.write_str("remove it"),
            Some((_, " ")) => f.write_str("write a blank instead"),
            Some((_, instead)) => write!(f, "write {instead} instead"),
            None if is_full_width(c) => write!(f, "write {} instead", narrow(c)),
            None => f.write_str("names have letters a to z, digits and _; comments begin with # or !"),
        }
    }
}

/// A character by its code point.
struct Code(char);

impl Display for Code {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "U+{:04X}", self.0 as u32)
    }
}

fn is_full_width(c: char) -> bool {
    ('\u{ff01}'..='\u{ff5e}').contains(&c)
}

/// The character of ASCII that a full-width one looks like.
fn narrow(c: char) -> char {
    char::from_u32(c as u32 - 0xfee0).unwrap_or(c)
}

/// Whether a reader sees nothing, a blank, or a mark on the character before.
fn is_invisible(c: char) -> bool {
    const OTHERS: [std::ops::RangeInclusive<char>; 7] = [
        '\u{ad}'..='\u{ad}',
        '\u{300}'..='\u{36f}',
        '\u{61c}'..='\u{61c}',
        '\u{180e}'..='\u{180e}',
        '\u{200b}'..='\u{200f}',
        '\u{202a}'..='\u{206f}',
        '\u{feff}'..='\u{feff}',
    ];
    c.is_control() || c.is_whitespace() && c != ' ' || OTHERS.iter().any(|range| range.contains(&c))
}

/// The name of a character that gets into texts unseen, and what to write instead: nothing, a blank, or what it looks
/// like.
fn described(c: char) -> Option<(&'static str, &'static str)> {
    Some(match c {
        '\0' => ("NUL", ""),
        '\u{b}' => ("vertical tab", " "),
        '\u{c}' => ("form feed", " "),
        '\u{a0}' | '\u{202f}' => ("no-break space", " "),
        '\u{ad}' => ("soft hyphen", ""),
        '\u{2000}'..='\u{200a}' | '\u{205f}' => ("space of another width", " "),
        '\u{3000}' => ("ideographic space", " "),
        '\u{200b}' => ("zero-width space", ""),
        '\u{200c}' | '\u{200d}' => ("zero-width joiner", ""),
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => ("direction mark", ""),
        '\u{2028}' | '\u{2029}' | '\u{85}' => ("line separator", "a newline"),
        '\u{2060}' => ("word joiner", ""),
        '\u{feff}' => ("byte order mark", ""),
        '\u{fffd}' => ("replacement of a broken character", ""),
        '\u{2018}'..='\u{201f}' => ("quotation mark", ""),
        '\u{2010}'..='\u{2015}' => ("dash", "-"),
        '\u{2212}' => ("minus sign", "-"),
        '\u{d7}' => ("multiplication sign", "*"),
        '\u{b7}' | '\u{22c5}' | '\u{2217}' => ("multiplication dot", "*"),
        '\u{f7}' => ("division sign", "/"),
        '\u{2044}' | '\u{2215}' => ("division slash", "/"),
        '\u{2264}' => ("less or equal", "<="),
        '\u{2265}' => ("greater or equal", ">="),
        '\u{2260}' => ("not equal", "!="),
        '\u{221a}' => ("root", "sqrt"),
        '\u{b2}' => ("superscript 2", "^2"),
        '\u{b3}' => ("superscript 3", "^3"),
        _ => return None,
    })
}

/// A name of the caller's in quotation marks.
pub struct Quoted<'a>(pub &'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", Short(self.0))
    }
}

/// A name of the caller's: short, and without characters that are not seen.
struct Short<'a>(&'a str);

impl Display for Short<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 40;
        for c in self.0.chars().take(LONGEST) {
            match is_invisible(c) {
                true => write!(f, "<{}>", Code(c))?,
                false => write!(f, "{c}")?,
            }
        }
        f.write_str(if self.0.chars().nth(LONGEST).is_some() {
            "..."
        } else {
            ""
        })
    }
}

/// Part of a formula in a message: on one line, without comments. With `#` it is part of a suggestion, which would be
/// wrong if it were cut.
#[derive(Clone, Copy)]
pub struct Written<'a>(pub &'a str);

impl Display for Written<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 40;
        let is_long = on_one_line(self.0).nth(LONGEST).is_some();
        if !(is_long && f.alternate()) {
            on_one_line(self.0).take(LONGEST).try_for_each(|c| write!(f, "{c}"))?;
        }
        f.write_str(if is_long { "..." } else { "" })
    }
}

/// The characters of an expression, with a blank for blanks, newlines and comments.
fn on_one_line(text: &str) -> impl Iterator<Item = char> + '_ {
    let mut rest = text;
    std::iter::from_fn(move || {
        let before = rest.len();
        loop {
            rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
            if !rest.starts_with(['#', '!']) || rest.starts_with("!=") {
                break;
            }
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        }
        if rest.len() < before {
            return Some(' ');
        }
        let c = rest.chars().next()?;
        rest = &rest[c.len_utf8()..];
        Some(c)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        for (name, known) in [
            ("MIN", "min"),
            ("mni", "min"),
            ("mn", "min"),
            ("floot", "floor"),
            ("sqrrt", "sqrt"),
        ] {
            assert_eq!(
                is_near(name, known),
                known.len().min(name.len()) > 2 || name == "MIN",
                "{name}"
            );
        }
        for (name, known) in [
            ("w", "min"),
            ("kernel", "sqrt"),
            ("fool", "log"),
            ("", "min"),
            ("m", "M_"),
        ] {
            assert!(!is_near(name, known), "{name}");
        }
    }

    #[test]
    fn parts_of_formulas_on_one_line() {
        let shown = |text| format!("{} {:#}", Written(text), Written(text));
        assert_eq!(shown("(a\n  - b # c\n )"), "(a - b ) (a - b )");
        assert_eq!(shown("a != b ! c\n*d"), "a != b *d a != b *d");
        let long = "a + b*(".to_owned() + &"c".repeat(60);
        assert_eq!(shown(&long), format!("a + b*({}... ...", "c".repeat(33)));
    }
}
