//! Texts of formulas from bytes: statements of every kind, most of which have a meaning. In: bytes, each of which chooses. Out: a text.

/// Bytes that choose, one after the other; zeros when they are used up.
pub struct Choices<'a>(pub &'a [u8]);

impl Choices<'_> {
    pub fn of(&mut self, count: usize) -> usize {
        let Some((&first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        usize::from(first) % count
    }

    fn word(&mut self, words: &[&'static str]) -> &'static str {
        words[self.of(words.len())]
    }

    fn is_one_in(&mut self, count: usize) -> bool {
        self.of(count) == count - 1
    }
}

/// Fields that are there; statements for each point make them again.
pub const FIELDS: [&str; 3] = ["a", "b", "m"];
pub const VECTORS: [&str; 2] = ["v", "u"];
/// Constants and numbers that are there.
pub const NUMBERS: [&str; 3] = ["h", "k", "dt"];
pub const TABLES: [&str; 3] = ["T", "U", "V"];
/// Pair fields: two of numbers, and one of vectors.
pub const PAIRS: [&str; 3] = ["p", "q", "s"];
/// Names for what statements make, one for each.
pub const MADE: [&str; 6] = ["n0", "n1", "n2", "n3", "n4", "n5"];

/// The values that an expression may read.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    Pairs,
    Points,
    Numbers,
}

/// A text for points of `dim` axes.
pub struct Text<'a> {
    choices: Choices<'a>,
    dim: usize,
    pub written: String,
    fields: Vec<&'static str>,
    vectors: Vec<&'static str>,
    numbers: Vec<&'static str>,
    /// Temporaries of numbers.
    temporaries: Vec<&'static str>,
    made: usize,
}

impl<'a> Text<'a> {
    pub fn new(bytes: &'a [u8], dim: usize) -> Text<'a> {
        Text {
            choices: Choices(bytes),
            dim,
            written: String::new(),
            fields: FIELDS.to_vec(),
            vectors: VECTORS.to_vec(),
            numbers: NUMBERS.to_vec(),
            temporaries: Vec::new(),
            made: 0,
        }
    }

    /// Statements until the bytes end, six at most.
    pub fn statements(&mut self) {
        for _ in MADE {
            self.statement();
            self.made += 1;
            if self.choices.0.is_empty() {
                return;
            }
            let between = self.choices.word(&["\n", "; ", "  # a word\n", "\n\n"]);
            self.write(between);
        }
    }

    fn write(&mut self, words: &str) {
        self.written.push_str(words);
    }

    /// One of these names, or rarely a name of another kind.
    fn name(&mut self, names: &[&'static str]) {
        const OTHERS: [&str; 10] = ["x", "r", "d", "select", "and", "c", "W", "e5", "_", "a"];
        let names = if self.choices.is_one_in(32) { &OTHERS } else { names };
        let name = self.choices.word(names);
        self.write(name);
    }

    fn known(&mut self, of: fn(&Self) -> &Vec<&'static str>) {
        let names = of(self).clone();
        self.name(&names);
    }

    fn statement(&mut self) {
        let new = MADE[self.made];
        match self.choices.of(12) {
            0 => {
                self.name(&[new]);
                self.write(" = ");
                self.number([Of::Pairs, Of::Points, Of::Numbers][self.made % 3], 2);
                self.temporaries.push(new);
            }
            1 | 2 => {
                self.name(&[new]);
                let sign = self.choices.word(&[" += ", " max= ", " min= "]);
                self.write(sign);
                self.number(Of::Pairs, 3);
                self.fields.push(new);
            }
            3 => {
                self.name(&[new]);
                self.write(" += ");
                self.vector(Of::Pairs, 3);
                self.vectors.push(new);
            }
            4 => {
                self.known(|text| &text.fields);
                self.write("_i = ");
                self.number(Of::Points, 3);
            }
            5 => {
                self.known(|text| &text.vectors);
                self.write("_i = ");
                self.vector(Of::Points, 3);
            }
            6 => {
                self.write("x_i = ");
                self.vector(Of::Points, 3);
            }
            7 | 8 => {
                self.name(&[new]);
                let sign = self.choices.word(&[" all+= ", " all max= ", " all min= ", " all += "]);
                self.write(sign);
                self.number(Of::Points, 3);
                self.numbers.push(new);
            }
            9 => {
                self.name(&PAIRS[..2]);
                self.write("_ij = ");
                self.number(Of::Pairs, 3);
            }
            10 => {
                self.name(&PAIRS[2..]);
                self.write("_ij = ");
                self.vector(Of::Pairs, 3);
            }
            _ => {
                let names = [&NUMBERS[..], &[new]].concat();
                self.name(&names);
                self.write(" := ");
                self.number(Of::Numbers, 3);
                self.numbers.push(new);
            }
        }
    }

    /// The side of a field.
    fn side(&mut self, of: Of) {
        let side = if of == Of::Pairs || self.choices.is_one_in(32) {
            self.choices.of(2)
        } else {
            0
        };
        self.write(["_i", "_j"][side]);
    }

    fn number(&mut self, of: Of, depth: usize) {
        let kinds = if depth == 0 { 4 } else { 14 };
        match self.choices.of(kinds) {
            0 => {
                let literal = self
                    .choices
                    .word(&["1", "0.5", "2e-3", "3", "1e300", "0", "7.25", "pi"]);
                self.write(literal);
            }
            1 => self.known(|text| &text.numbers),
            2 if of != Of::Numbers => {
                self.known(|text| &text.fields);
                self.side(of);
            }
            3 if of == Of::Pairs => {
                let words = ["r", "r2", "c", "d.x", "(r/c)", "p_ij", "q_ij", "s_ij.x", "class"];
                let of_pairs = self.choices.word(&words);
                self.write(of_pairs);
            }
            2 | 3 if !self.temporaries.is_empty() => self.known(|text| &text.temporaries),
            2 | 3 => self.write("2"),
            4 | 5 => self.joined(of, depth, &[" + ", " - ", "*", "/"], Self::number),
            6 => {
                self.write("-");
                self.number(of, depth - 1);
            }
            7 => {
                self.write("(");
                self.number(of, depth - 1);
                let power = self.choices.word(&["^2", "**3", "^0.5", "^(-1)", "^7", ""]);
                self.write(&[")", power].concat());
            }
            8 => {
                let function = self.choices.word(&[
                    "abs", "sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "erf", "erfc", "sign", "floor",
                ]);
                self.called(function, of, depth, 1);
            }
            9 => {
                let function = self.choices.word(&["min", "max", "pow", "atan2"]);
                self.called(function, of, depth, 2);
            }
            10 => {
                self.write("select(");
                self.number(of, depth - 1);
                self.write(", ");
                self.number(of, depth - 1);
                self.write(", ");
                self.condition(of, depth - 1);
                self.write(")");
            }
            11 if of != Of::Numbers => {
                let function = self.choices.word(&["dot", "cross"]);
                self.write(&[function, "("].concat());
                self.vector(of, depth - 1);
                self.write(", ");
                self.vector(of, depth - 1);
                self.write(")");
            }
            12 if of != Of::Numbers => {
                self.write("(");
                self.vector(of, depth - 1);
                let axis = self.choices.word(&[").x", ").y", ").z"]);
                self.write(axis);
            }
            13 if of == Of::Pairs => {
                let (table, called) = [("T", "(r)"), ("U", "(r2)"), ("V", "(r/c)")][self.choices.of(3)];
                self.write(&[table, called].concat());
            }
            _ => self.number(of, depth - 1),
        }
    }

    fn vector(&mut self, of: Of, depth: usize) {
        match self.choices.of(if depth == 0 { 3 } else { 7 }) {
            0 if of == Of::Pairs => self.write("d"),
            0 | 1 => {
                self.known(|text| &text.vectors);
                self.side(of);
            }
            2 => {
                self.write("x");
                self.side(of);
            }
            3 => self.joined(of, depth, &[" + ", " - "], Self::vector),
            4 => {
                self.number(of, depth - 1);
                self.write("*");
                self.vector(of, depth - 1);
            }
            5 => {
                self.write("(");
                self.vector(of, depth - 1);
                self.write(")/");
                self.number(of, depth - 1);
            }
            _ => self.called("vector", of, depth, self.dim),
        }
    }

    fn condition(&mut self, of: Of, depth: usize) {
        if depth > 0 && self.choices.is_one_in(3) {
            return self.joined(of, depth, &[" and ", " or ", " and not "], Self::condition);
        }
        self.number(of, depth);
        let sign = self.choices.word(&[" < ", " <= ", " > ", " >= ", " == ", " != "]);
        self.write(sign);
        self.number(of, depth);
    }

    fn joined(&mut self, of: Of, depth: usize, signs: &[&'static str], side: fn(&mut Self, Of, usize)) {
        side(self, of, depth - 1);
        let sign = self.choices.word(signs);
        self.write(sign);
        side(self, of, depth - 1);
    }

    fn called(&mut self, function: &str, of: Of, depth: usize, arguments: usize) {
        self.write(function);
        for k in 0..arguments {
            self.write(if k == 0 { "(" } else { ", " });
            self.number(of, depth - 1);
        }
        self.write(")");
    }
}
