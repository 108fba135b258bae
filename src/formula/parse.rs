//! From tokens to syntax. In: the text of a formula. Out: its expressions as a flat list in which operands are before
//! what uses them, its outputs, and the names that the caller gives values. Shapes are not known yet.

use std::fmt::{self, Display, Formatter};

use super::hints::{self, NotFunction, Quoted};
use super::lexer::{Sign, Token, TokenKind, tokens};
use super::program::{At, FUNCTIONS, Kind, Name, Reduction, Side};
use crate::error::Result;
use crate::list::push;

/// Parentheses, powers and signs may be nested this deep: the parser calls itself for each.
const DEEPEST: usize = 100;

const WHAT: &str = "a formula";

/// Part of an expression.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub kind: Kind,
    pub operands: [u32; 3],
    /// Its place: its operator, or its name.
    pub at: At,
    /// Bytes of the text.
    pub bytes: [usize; 2],
    /// With the parentheses around it.
    pub outer: [usize; 2],
}

#[derive(Clone, Copy, Debug)]
pub struct OutputNode {
    pub name: Name,
    pub node: u32,
    pub reduction: Reduction,
}

/// A formula whose shapes are not known yet.
#[derive(Debug, Default)]
pub struct Syntax {
    pub nodes: Vec<Node>,
    pub outputs: Vec<OutputNode>,
    pub temporaries: Vec<Name>,
    pub constants: Vec<Name>,
    /// Without `_i` and `_j`.
    pub fields: Vec<Name>,
    pub tables: Vec<Name>,
    /// Whether a table is called with r2; otherwise with r.
    pub tables_of_square: Vec<bool>,
}

pub const QUANTITIES: [(&str, Kind); 4] = [
    ("d", Kind::Displacement),
    ("r", Kind::Distance),
    ("r2", Kind::Square),
    ("c", Kind::Cutoff),
];

fn function(name: &str) -> Option<Kind> {
    FUNCTIONS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|&(_, kind)| kind)
}

fn quantity(name: &str) -> Option<Kind> {
    QUANTITIES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|&(_, kind)| kind)
}

/// The name of a field and whose value it is, if the name ends like one.
fn field(name: &str) -> Option<(&str, Side)> {
    let i = name.strip_suffix("_i").map(|field| (field, Side::I));
    i.or_else(|| name.strip_suffix("_j").map(|field| (field, Side::J)))
        .filter(|(field, _)| !field.is_empty())
}

/// The precedence of an operator: the tighter it binds, the higher. Negation binds like a product on its left, and less
/// than a power.
const COMPARISON: u8 = 1;
const SUM: u8 = 2;
const PRODUCT: u8 = 3;
const POWER: u8 = 5;

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
    syntax: Syntax,
    /// Names of temporaries, and their nodes.
    temporaries: Vec<(Name, u32)>,
    /// The name that the statement gives a value, and how it makes an output.
    target: Option<(Name, Option<Reduction>)>,
}

/// Parses `text`.
pub fn parse(text: &str) -> Result<Syntax> {
    let mut parser = Parser {
        text,
        tokens: tokens(text)?,
        next: 0,
        depth: 0,
        syntax: Syntax::default(),
        temporaries: Vec::new(),
        target: None,
    };
    loop {
        match parser.peek().kind {
            TokenKind::EndOfText => break,
            TokenKind::EndOfStatement => parser.next += 1,
            _ => parser.statement()?,
        }
    }
    if parser.syntax.outputs.is_empty() {
        let hint = "write for example rho += m_j*(1 - r/c)";
        return Err(parser
            .peek()
            .at
            .wrong(format_args!("the formula has no output: {hint}")));
    }
    for (name, _) in parser.temporaries {
        push(&mut parser.syntax.temporaries, name, WHAT)?;
    }
    Ok(parser.syntax)
}

impl<'a> Parser<'a> {
    fn peek(&self) -> &Token {
        &self.tokens[self.next]
    }

    fn take(&mut self) -> Token {
        let token = self.peek().clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    fn written(&self, token: &Token) -> &'a str {
        match token.kind {
            TokenKind::EndOfText => "the end of the text",
            TokenKind::EndOfStatement => "the end of the statement",
            _ => &self.text[token.bytes.clone()],
        }
    }

    fn name_of(token: &Token) -> Name {
        Name {
            start: token.bytes.start,
            end: token.bytes.end,
            at: token.at,
        }
    }

    fn same(&self, name: &Name, text: &str) -> bool {
        &self.text[name.start..name.end] == text
    }

    /// Takes the sign, or says that it is missing.
    fn expect(&mut self, sign: Sign, looks: &str) -> Result<()> {
        let token = self.peek();
        if token.kind == TokenKind::Sign(sign) {
            self.next += 1;
            return Ok(());
        }
        let found = self.written(token);
        let (found, hint) = (quoted(found), self.hint_for(token));
        let [colon, hint] = hint.map_or(["", ""], |hint| [": ", hint]);
        Err(token
            .at
            .wrong(format_args!("'{looks}' is missing before {found}{colon}{hint}")))
    }

    /// The replacement of a token that cannot follow an expression.
    fn hint_for(&self, token: &Token) -> Option<&'static str> {
        match token.kind {
            TokenKind::Name => hints::instead(self.written(token)),
            TokenKind::Sign(Sign::Assign) => Some("== compares"),
            _ => None,
        }
    }

    /// Refuses a word of another language.
    fn check_word(&self, token: &Token) -> Result<()> {
        let word = self.written(token);
        match hints::instead(word) {
            Some(hint) if token.kind == TokenKind::Name => Err(token
                .at
                .wrong(format_args!("'{word}' has no meaning in a formula: {hint}"))),
            _ => Ok(()),
        }
    }

    fn statement(&mut self) -> Result<()> {
        let target = self.take();
        let name = self.written(&target);
        if target.kind != TokenKind::Name {
            let hint = "begin a statement with a name: name = ..., name += ..., name max= ... or name min= ...";
            return Err(target
                .at
                .wrong(format_args!("{} begins a statement: {hint}", quoted(name))));
        }
        self.check_word(&target)?;
        let reduction = self.assignment(name)?;
        self.check_target(&target, name)?;
        self.target = Some((Self::name_of(&target), reduction));
        let node = self.expression(COMPARISON)?;
        let end = self.peek();
        if !matches!(end.kind, TokenKind::EndOfStatement | TokenKind::EndOfText) {
            let (found, hint) = (quoted(self.written(end)), self.hint_for(end));
            let hint = hint.unwrap_or("write an operator before it, or begin a new line");
            return Err(end
                .at
                .wrong(format_args!("{found} does not continue the expression: {hint}")));
        }
        self.target = None;
        let name = Self::name_of(&target);
        match reduction {
            Some(reduction) => push(&mut self.syntax.outputs, OutputNode { name, node, reduction }, WHAT),
            None => push(&mut self.temporaries, (name, node), WHAT),
        }
    }

    /// The sign that follows the name that begins a statement: the way in which an output is made, or `None` for a
    /// temporary.
    fn assignment(&mut self, name: &str) -> Result<Option<Reduction>> {
        let sign = self.take();
        let reduction = match sign.kind {
            TokenKind::Sign(Sign::Assign) => return Ok(None),
            TokenKind::Sign(Sign::AddAssign) => return Ok(Some(Reduction::Sum)),
            TokenKind::Name if self.written(&sign) == "max" => Reduction::Max,
            TokenKind::Name if self.written(&sign) == "min" => Reduction::Min,
            TokenKind::Sign(_) | TokenKind::Name
                if self.peek().kind == TokenKind::Sign(Sign::Assign) && self.peek().bytes.start == sign.bytes.end =>
            {
                let found = &self.text[sign.bytes.start..self.peek().bytes.end];
                return Err(sign
                    .at
                    .wrong(format_args!("'{found}' is not expected here: {}", Assignments(name))));
            }
            _ => {
                let found = quoted(self.written(&sign));
                return Err(sign
                    .at
                    .wrong(format_args!("{found} is not expected here: {}", Assignments(name))));
            }
        };
        let equals = self.take();
        match equals.kind {
            TokenKind::Sign(Sign::Assign) => Ok(Some(reduction)),
            _ => Err(equals.at.wrong(format_args!("'=' is missing: {}", Assignments(name)))),
        }
    }

    /// Refuses a name that cannot be given a value here.
    fn check_target(&self, target: &Token, name: &str) -> Result<()> {
        let at = target.at;
        if quantity(name).is_some() || function(name).is_some() {
            return Err(at.wrong(format_args!("'{name}' is built in: choose another name")));
        }
        if field(name).is_some() {
            return Err(at.wrong(format_args!(
                "'{name}' is a field, which a formula only reads: choose a name that does not end in _i or _j"
            )));
        }
        let outputs = self.syntax.outputs.iter().map(|output| &output.name);
        let given = outputs.chain(self.temporaries.iter().map(|(name, _)| name));
        if let Some(first) = given.into_iter().find(|given| self.same(given, name)) {
            let line = first.at.line;
            return Err(at.wrong(format_args!(
                "'{name}' has a value from line {line}: choose another name"
            )));
        }
        let asked = self.syntax.constants.iter().chain(&self.syntax.tables);
        if let Some(first) = asked.into_iter().find(|asked| self.same(asked, name)) {
            let line = first.at.line;
            return Err(at.wrong(format_args!(
                "'{name}' is used in line {line} already: give it its value before"
            )));
        }
        Ok(())
    }

    /// Goes one level deeper.
    fn deeper<R>(&mut self, at: At, inner: impl FnOnce(&mut Self) -> Result<R>) -> Result<R> {
        if self.depth == DEEPEST {
            let hint = "name parts of the expression in statements of their own";
            return Err(at.wrong(format_args!(
                "the expression is nested more than {DEEPEST} deep: {hint}"
            )));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn push(&mut self, kind: Kind, operands: [u32; 3], at: At, bytes: [usize; 2]) -> Result<u32> {
        let node = Node {
            kind,
            operands,
            at,
            bytes,
            outer: bytes,
        };
        push(&mut self.syntax.nodes, node, WHAT)?;
        Ok(self.syntax.nodes.len() as u32 - 1)
    }

    /// The place of an operand, with its parentheses.
    fn bytes_of(&self, node: u32) -> [usize; 2] {
        self.syntax.nodes[node as usize].outer
    }

    /// An expression whose operators bind at least as tightly as `least`.
    fn expression(&mut self, least: u8) -> Result<u32> {
        let mut left = self.operand()?;
        let mut compared = false;
        loop {
            let TokenKind::Sign(sign) = self.peek().kind else {
                return Ok(left);
            };
            let (kind, binds, swapped) = match sign {
                Sign::Plus => (Kind::Add, SUM, false),
                Sign::Minus => (Kind::Subtract, SUM, false),
                Sign::Times => (Kind::Multiply, PRODUCT, false),
                Sign::Divide => (Kind::Divide, PRODUCT, false),
                Sign::Power => (Kind::Pow, POWER, false),
                Sign::Less => (Kind::Less, COMPARISON, false),
                Sign::LessEqual => (Kind::LessEqual, COMPARISON, false),
                Sign::Greater => (Kind::Less, COMPARISON, true),
                Sign::GreaterEqual => (Kind::LessEqual, COMPARISON, true),
                Sign::Equal => (Kind::Equal, COMPARISON, false),
                Sign::NotEqual => (Kind::NotEqual, COMPARISON, false),
                _ => return Ok(left),
            };
            if binds < least {
                return Ok(left);
            }
            let at = self.take().at;
            if compared && binds == COMPARISON {
                let hint = "select(select(1, 0, b < c), 0, a < b) > 0 is a < b < c";
                return Err(at.wrong(format_args!("a second comparison: {hint}")));
            }
            compared |= binds == COMPARISON;
            // The power of a power is taken from the right, everything else from the left.
            let right = match binds {
                POWER => self.deeper(at, |parser| parser.expression(POWER))?,
                _ => self.expression(binds + 1)?,
            };
            let bytes = [self.bytes_of(left)[0], self.bytes_of(right)[1]];
            let operands = if swapped { [right, left, 0] } else { [left, right, 0] };
            left = self.push(kind, operands, at, bytes)?;
        }
    }

    fn operand(&mut self) -> Result<u32> {
        let token = self.take();
        let bytes = [token.bytes.start, token.bytes.end];
        match token.kind {
            TokenKind::Number { single, double } => {
                let (single, double) = (single.to_bits(), double.to_bits());
                self.push(Kind::Number { single, double }, [0; 3], token.at, bytes)
            }
            TokenKind::Name => self.named(&token),
            TokenKind::Sign(Sign::Plus) => self.deeper(token.at, |parser| parser.expression(PRODUCT + 1)),
            TokenKind::Sign(Sign::Minus) => {
                let of = self.deeper(token.at, |parser| parser.expression(PRODUCT + 1))?;
                let bytes = [token.bytes.start, self.bytes_of(of)[1]];
                self.push(Kind::Negate, [of, 0, 0], token.at, bytes)
            }
            TokenKind::Sign(Sign::Open) => self.deeper(token.at, |parser| {
                let inner = parser.expression(COMPARISON)?;
                parser.expect(Sign::Close, ")")?;
                let end = parser.tokens[parser.next - 1].bytes.end;
                parser.syntax.nodes[inner as usize].outer = [bytes[0], end];
                Ok(inner)
            }),
            _ => {
                self.check_pair(&token)?;
                let found = quoted(self.written(&token));
                Err(token
                    .at
                    .wrong(format_args!("{found} stands where a number, a name or '(' is expected")))
            }
        }
    }

    /// Refuses a sign that makes an operator of another language with the one before it.
    fn check_pair(&self, token: &Token) -> Result<()> {
        let mut before = self.tokens[..self.next]
            .iter()
            .rev()
            .filter(|other| other.bytes.end <= token.bytes.start);
        let Some(before) = before.next().filter(|before| before.bytes.end == token.bytes.start) else {
            return Ok(());
        };
        let written = &self.text[before.bytes.start..token.bytes.end];
        match hints::instead(written) {
            Some(hint) => Err(before
                .at
                .wrong(format_args!("'{written}' has no meaning in a formula: {hint}"))),
            None => Ok(()),
        }
    }

    /// Refuses the name that the statement is about to give a value.
    fn check_own(&self, at: At, name: &str) -> Result<()> {
        let Some((_, reduction)) = self.target.filter(|(target, _)| self.same(target, name)) else {
            return Ok(());
        };
        let why = match reduction {
            Some(Reduction::Sum) => "+= adds to it, so write only the term of a neighbor",
            Some(_) => "max= and min= compare with it, so write only the value of a neighbor",
            None => "it has no value before",
        };
        Err(at.wrong(format_args!("'{name}' is what this statement makes: {why}")))
    }

    /// The meaning of a name in an expression.
    fn named(&mut self, token: &Token) -> Result<u32> {
        self.check_word(token)?;
        let (name, at) = (self.written(token), token.at);
        let bytes = [token.bytes.start, token.bytes.end];
        let is_called = self.peek().kind == TokenKind::Sign(Sign::Open);
        if let Some(kind) = function(name) {
            return self.call(kind, name, token);
        }
        self.check_own(at, name)?;
        if let Some(output) = self.syntax.outputs.iter().find(|output| self.same(&output.name, name)) {
            let line = output.name.at.line;
            return Err(at.wrong(format_args!(
                "'{name}' is an output (line {line}), which is known after all terms only: use a temporary"
            )));
        }
        if let Some((_, node)) = self.temporaries.iter().find(|(given, _)| self.same(given, name)) {
            let node = *node;
            return match is_called {
                true => Err(at.wrong(format_args!(
                    "'{name}' is a temporary: write * to multiply by the parentheses"
                ))),
                false => {
                    // Named again, so that messages about it show the name.
                    let of = self.syntax.nodes[node as usize];
                    self.push(of.kind, of.operands, at, bytes)
                }
            };
        }
        if let Some(kind) = quantity(name) {
            return self.push(kind, [0; 3], at, bytes);
        }
        if is_called {
            return self.table(token);
        }
        if let Some((field, side)) = field(name) {
            let end = token.bytes.start + field.len();
            let known = Name {
                end,
                ..Self::name_of(token)
            };
            let number = number_of(self.text, &mut self.syntax.fields, known)?;
            return self.push(Kind::Field(number, side), [0; 3], at, bytes);
        }
        let number = number_of(self.text, &mut self.syntax.constants, Self::name_of(token))?;
        self.push(Kind::Constant(number), [0; 3], at, bytes)
    }

    fn call(&mut self, kind: Kind, name: &str, token: &Token) -> Result<u32> {
        self.expect(Sign::Open, "(")?;
        let wanted = kind.operands();
        let (mut operands, mut given) = ([0; 3], 0);
        self.deeper(token.at, |parser| {
            loop {
                let operand = parser.expression(COMPARISON)?;
                if let Some(place) = operands.get_mut(given) {
                    *place = operand;
                }
                given += 1;
                if parser.peek().kind != TokenKind::Sign(Sign::Comma) {
                    return parser.expect(Sign::Close, ")");
                }
                parser.next += 1;
            }
        })?;
        if given != wanted {
            let form = match kind {
                Kind::Select => "select(a, b, condition), which is a where the condition holds and b elsewhere",
                Kind::Pow => "pow(x, y), which is x to the power of y",
                Kind::Atan2 => "atan2(y, x), which is the angle of the point (x, y)",
                _ if wanted == 2 => "two",
                _ => "one",
            };
            let plural = if given == 1 { "" } else { "s" };
            return Err(token.at.wrong(format_args!(
                "{name} has {given} argument{plural} here: it takes {form}"
            )));
        }
        let end = self.tokens[self.next - 1].bytes.end;
        self.push(kind, operands, token.at, [token.bytes.start, end])
    }

    fn table(&mut self, token: &Token) -> Result<u32> {
        let (name, at) = (self.written(token), token.at);
        self.next += 1;
        let argument = self.take();
        let is_alone = self.peek().kind == TokenKind::Sign(Sign::Close);
        let of = match quantity(self.written(&argument)) {
            Some(kind @ (Kind::Distance | Kind::Square)) if is_alone && !hints::is_stranger(name) => kind,
            _ => return Err(at.wrong(NotFunction(name))),
        };
        let end = self.take().bytes.end;
        let known = self.syntax.tables.len();
        let number = number_of(self.text, &mut self.syntax.tables, Self::name_of(token))?;
        let is_square = of == Kind::Square;
        if number as usize == known {
            push(&mut self.syntax.tables_of_square, is_square, WHAT)?;
        } else if self.syntax.tables_of_square[number as usize] != is_square {
            return Err(at.wrong(format_args!(
                "'{name}' is called with r and with r2: use a table for each"
            )));
        }
        let inner = self.push(of, [0; 3], argument.at, [argument.bytes.start, argument.bytes.end])?;
        self.push(Kind::Table(number), [inner, 0, 0], at, [token.bytes.start, end])
    }
}

/// The number of a name among those known; it becomes known.
fn number_of(text: &str, known: &mut Vec<Name>, name: Name) -> Result<u32> {
    let spelled = |name: &Name| &text[name.start..name.end];
    if let Some(at) = known.iter().position(|known| spelled(known) == spelled(&name)) {
        return Ok(at as u32);
    }
    push(known, name, WHAT)?;
    Ok(known.len() as u32 - 1)
}

/// The way in which a statement gives a name a value.
struct Assignments<'a>(&'a str);

impl Display for Assignments<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = self.0;
        write!(f, "write '{name} = ...' for a temporary, or '{name} += ...', ")?;
        write!(f, "'{name} max= ...' or '{name} min= ...' for an output")
    }
}

/// Tokens are quoted, ends are described.
fn quoted(written: &str) -> impl Display {
    struct Shown<'a>(&'a str);
    impl Display for Shown<'_> {
        fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
            match self.0.starts_with("the end of") {
                true => f.write_str(self.0),
                false => write!(f, "{}", Quoted(self.0)),
            }
        }
    }
    Shown(written)
}
