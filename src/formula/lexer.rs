//! From text to tokens. In: the text. Out: tokens with their places; comments and blanks are gone.

use std::ops::Range;

use super::hints::{self, NoMeaning, Quoted};
use super::program::{AXES, At};
use crate::error::Result;
use crate::list::push;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sign {
    Plus,
    Minus,
    Times,
    Divide,
    Power,
    Open,
    Close,
    Comma,
    Assign,
    AddAssign,
    /// `:=`
    Keep,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
    Not,
}

/// The spelling of signs; longer ones first.
const SIGNS: [(&str, Sign); 18] = [
    ("**", Sign::Power),
    ("+=", Sign::AddAssign),
    (":=", Sign::Keep),
    ("<=", Sign::LessEqual),
    (">=", Sign::GreaterEqual),
    ("==", Sign::Equal),
    ("!=", Sign::NotEqual),
    ("+", Sign::Plus),
    ("-", Sign::Minus),
    ("*", Sign::Times),
    ("/", Sign::Divide),
    ("^", Sign::Power),
    ("(", Sign::Open),
    (")", Sign::Close),
    (",", Sign::Comma),
    ("=", Sign::Assign),
    ("<", Sign::Less),
    (">", Sign::Greater),
];

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TokenKind {
    Name,
    /// A number in both precisions, each rounded once.
    Number {
        single: f32,
        double: f64,
    },
    Sign(Sign),
    /// A dot and the name of that axis, directly after a vector.
    Component(u8),
    /// A newline outside parentheses, or a semicolon.
    EndOfStatement,
    EndOfText,
}

#[derive(Clone, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub at: At,
    /// Bytes of the text.
    pub bytes: Range<usize>,
}

struct Lexer<'a> {
    text: &'a str,
    next: usize,
    at: At,
    /// Parentheses that are open.
    depth: usize,
    tokens: Vec<Token>,
}

/// The tokens of `text`. The last one is the end of the text.
pub fn tokens(text: &str) -> Result<Vec<Token>> {
    let mut lexer = Lexer {
        text,
        next: 0,
        at: At { line: 1, column: 1 },
        depth: 0,
        tokens: Vec::new(),
    };
    while let Some(c) = lexer.rest().chars().next() {
        lexer.read(c)?;
    }
    lexer.take(0, TokenKind::EndOfText)?;
    Ok(lexer.tokens)
}

/// Whether a name may have the character after its first one.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Letters at the beginning of a text.
fn letters(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_alphabetic).count()
}

/// An operator such as `.lt.` at the beginning of a text that begins with a dot, and what to write instead.
fn operator_of_fortran(text: &str) -> Option<(&str, &'static str)> {
    let operator = text.get(..letters(&text[1..]) + 2)?;
    Some((operator, hints::instead(operator)?))
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.next..]
    }

    /// Moves on by `len` bytes of one line.
    fn skip(&mut self, len: usize) {
        self.at.column += self.rest()[..len].chars().count() as u32;
        self.next += len;
    }

    fn take(&mut self, len: usize, kind: TokenKind) -> Result<()> {
        let token = Token {
            kind,
            at: self.at,
            bytes: self.next..self.next + len,
        };
        self.skip(len);
        push(&mut self.tokens, token, "a formula")
    }

    /// Bytes from the next one on that fit.
    fn run(&self, fits: impl Fn(u8) -> bool) -> usize {
        self.rest().bytes().take_while(|&byte| fits(byte)).count()
    }

    fn read(&mut self, c: char) -> Result<()> {
        let rest = self.rest();
        match c {
            '\n' => {
                if self.depth == 0 {
                    self.take(1, TokenKind::EndOfStatement)?;
                } else {
                    self.skip(1);
                }
                self.at = At {
                    line: self.at.line + 1,
                    column: 1,
                };
            }
            ';' => {
                self.depth = 0;
                self.take(1, TokenKind::EndOfStatement)?;
            }
            ' ' | '\t' | '\r' => self.skip(1),
            '#' | '!' if !rest.starts_with("!=") => self.skip(rest.find('\n').unwrap_or(rest.len())),
            'a'..='z' | 'A'..='Z' => {
                let len = self.run(is_of_name);
                let word = match &rest[..len] {
                    "and" => TokenKind::Sign(Sign::And),
                    "or" => TokenKind::Sign(Sign::Or),
                    "not" => TokenKind::Sign(Sign::Not),
                    _ => TokenKind::Name,
                };
                self.take(len, word)?;
            }
            '.' if letters(&rest[1..]) > 0 => self.read_component()?,
            '0'..='9' | '.' => self.read_number()?,
            _ => {
                let Some(&(looks, sign)) = SIGNS.iter().find(|(looks, _)| rest.starts_with(looks)) else {
                    return Err(self.at.wrong(NoMeaning(rest)));
                };
                match sign {
                    Sign::Open => self.depth += 1,
                    Sign::Close => self.depth = self.depth.saturating_sub(1),
                    _ => (),
                }
                self.take(looks.len(), TokenKind::Sign(sign))?;
            }
        }
        Ok(())
    }

    /// Reads a component, such as `.x`, or says what else begins with a dot and letters.
    fn read_component(&mut self) -> Result<()> {
        if let Some((operator, hint)) = operator_of_fortran(self.rest()) {
            let text = format_args!("'{operator}' has no meaning in a formula: {hint}");
            return Err(self.at.wrong(text));
        }
        let is_after = self.tokens.last().is_some_and(|before| {
            let has_components = matches!(before.kind, TokenKind::Name | TokenKind::Component(_));
            before.bytes.end == self.next && (has_components || before.kind == TokenKind::Sign(Sign::Close))
        });
        let len = 1 + self.rest()[1..].bytes().take_while(|&byte| is_of_name(byte)).count();
        let component = &self.rest()[..len];
        match AXES.iter().position(|axis| component[1..] == **axis) {
            Some(axis) if is_after => self.take(len, TokenKind::Component(axis as u8)),
            None if is_after => {
                let name = Quoted(component);
                let text = format_args!("{name} is not a component: vectors have .x, .y and .z");
                Err(self.at.wrong(text))
            }
            _ => {
                let hint = "a component is directly after its vector, as in d.x or (v_i - v_j).x";
                Err(self
                    .at
                    .wrong(format_args!("{} is not a number: {hint}", Quoted(component))))
            }
        }
    }

    fn read_number(&mut self) -> Result<()> {
        const LONGEST: usize = 64;
        let bytes = self.rest().as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut len = digits(0);
        if bytes.get(len) == Some(&b'.') && operator_of_fortran(&self.rest()[len..]).is_none() {
            len += 1 + digits(len + 1);
        }
        if matches!(bytes.get(len), Some(b'e' | b'E' | b'd' | b'D')) {
            let signed = matches!(bytes.get(len + 1), Some(b'+' | b'-'));
            let start = len + 1 + usize::from(signed);
            if digits(start.min(bytes.len())) > 0 {
                len = start + digits(start);
            }
        }
        let written = &self.rest()[..len];
        let mut copy = [0; LONGEST];
        let Some(copy) = copy.get_mut(..len) else {
            let text = format_args!("a number of {len} characters: at most {LONGEST} are allowed");
            return Err(self.at.wrong(text));
        };
        copy.copy_from_slice(written.as_bytes());
        copy.iter_mut().for_each(|byte| {
            if matches!(byte, b'd' | b'D') {
                *byte = b'e'; // as Fortran writes real64
            }
        });
        let plain = std::str::from_utf8(copy).unwrap_or_default();
        let (Ok(single), Ok(double)) = (plain.parse::<f32>(), plain.parse::<f64>()) else {
            return Err(self
                .at
                .wrong(format_args!("'{written}' is not a number, such as 1, 0.5 or 1e-3")));
        };
        if !double.is_finite() {
            return Err(self
                .at
                .wrong(format_args!("{written} is too large: the largest number is 1.8e308")));
        }
        self.take(len, TokenKind::Number { single, double })
    }
}
