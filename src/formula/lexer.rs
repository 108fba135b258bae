//! From text to tokens. In: the text. Out: tokens with their places; comments and blanks are gone.

use std::ops::Range;

use super::hints::{self, NoMeaning};
use super::program::At;
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
                let len = self.run(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                self.take(len, TokenKind::Name)?;
            }
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

    fn read_number(&mut self) -> Result<()> {
        const LONGEST: usize = 64;
        let bytes = self.rest().as_bytes();
        let letters = bytes[1..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let dotted = self.rest().get(..letters + 2).unwrap_or_default();
        if let Some(hint) = hints::instead(dotted).filter(|_| bytes[0] == b'.') {
            let text = format_args!("'{dotted}' has no meaning in a formula: {hint}");
            return Err(self.at.wrong(text));
        }
        let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut len = digits(0);
        if bytes.get(len) == Some(&b'.') {
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
