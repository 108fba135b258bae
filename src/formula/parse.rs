//! From tokens to syntax. In: the text of a formula. Out: its expressions as a flat list in which operands are before
//! what uses them, its statements, and the names that have values. Shapes are not known yet.

use std::collections::{BinaryHeap, HashMap};
use std::fmt::{self, Display, Formatter};

use super::hints::{self, NotFunction, Quoted};
use super::lexer::{Sign, Token, TokenKind, tokens};
use super::names::Names;
use super::program::{At, FUNCTIONS, Kind, Makes, Name, Reduction, Side};
use super::tables::TableOf;
use crate::error::{Error, Result};
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
    /// The values that it and its operands read.
    pub reads: Reads,
}

/// The kinds of values that an expression reads, one bit for each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reads(u8);

impl Reads {
    /// Positions of points, or values of pairs.
    pub const PLACES: Reads = Reads(1);
    /// Any value of a pair.
    pub const PAIR: Reads = Reads(2);
    /// Values of the point.
    pub const POINT: Reads = Reads(4);
    /// The class of the pair.
    pub const CLASS: Reads = Reads(8);

    fn of(kind: Kind) -> Reads {
        match kind {
            Kind::Displacement | Kind::Square | Kind::Distance | Kind::OfPair(_) => Reads::PLACES.and(Reads::PAIR),
            Kind::Field(_, Side::J) | Kind::Cutoff => Reads::PAIR,
            Kind::Class => Reads::CLASS.and(Reads::PAIR),
            Kind::Field(_, Side::I) => Reads::POINT,
            _ => Reads::default(),
        }
    }

    /// Joins the kinds of both.
    pub const fn and(self, other: Reads) -> Reads {
        Reads(self.0 | other.0)
    }

    /// Whether it has any of `these` kinds.
    pub fn any(self, these: Reads) -> bool {
        self.0 & these.0 != 0
    }
}

/// A statement that makes a field or a number.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// Without `_i` and `_ij`.
    pub name: Name,
    pub makes: Makes,
    pub node: u32,
    /// Among the slots of fields, of pair fields, or of numbers.
    pub slot: u32,
    /// Statements before this one that move the points.
    pub moves: u32,
}

/// A formula whose shapes are not known yet.
#[derive(Debug, Default)]
pub struct Syntax {
    pub nodes: Vec<Node>,
    /// In the order of the text.
    pub statements: Vec<Statement>,
    pub temporaries: Vec<Name>,
    /// Constants, and numbers that statements make.
    pub numbers: Names,
    /// Without `_i` and `_j`.
    pub fields: Names,
    /// Without `_ij`.
    pub pairs: Names,
    pub tables: Vec<Name>,
    /// The argument of each.
    pub tables_of: Vec<TableOf>,
    /// The name of the field of the points, if there is one.
    pub points: Option<u32>,
}

/// The end of the name of a pair field.
pub const PAIR_SUFFIX: &str = "_ij";

/// The name of the field that is the points.
pub const POINTS: &str = "x";

impl Syntax {
    /// Whether a statement makes positions.
    pub fn is_of_points(&self, statement: &Statement) -> bool {
        statement.makes == Makes::Point && Some(self.fields.slots[statement.slot as usize].name) == self.points
    }

    /// Statements by their numbers.
    pub fn statements_of<'a>(&'a self, numbers: &'a [u32]) -> impl Iterator<Item = &'a Statement> {
        numbers.iter().map(|&number| &self.statements[number as usize])
    }

    /// Calls `see` for the nodes that an expression consists of, each once, from the last one on.
    pub fn walk(&self, root: u32, mut see: impl FnMut(&Node)) -> Result<()> {
        let (mut left, mut last) = (BinaryHeap::new(), None);
        let room = |_| Error::OutOfMemory {
            what: WHAT,
            bytes: size_of::<u32>() as u64,
        };
        left.try_reserve(1).map_err(room)?;
        left.push(root);
        while let Some(at) = left.pop() {
            if last.replace(at) == Some(at) {
                continue;
            }
            let node = &self.nodes[at as usize];
            see(node);
            let operands = &node.operands[..node.kind.operands()];
            left.try_reserve(operands.len()).map_err(room)?;
            left.extend(operands);
        }
        Ok(())
    }
}

/// Names that are built in: those of a pair, and numbers.
pub const QUANTITIES: [(&str, Kind); 6] = [
    ("d", Kind::Displacement),
    ("r", Kind::Distance),
    ("r2", Kind::Square),
    ("c", Kind::Cutoff),
    ("class", Kind::Class),
    ("pi", PI),
];

const PI: Kind = Kind::Number {
    single: std::f32::consts::PI.to_bits(),
    double: std::f64::consts::PI.to_bits(),
};

pub fn function(name: &str) -> Option<Kind> {
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

/// The name of a pair field, if the name ends like one.
fn pair_field(name: &str) -> Option<&str> {
    name.strip_suffix(PAIR_SUFFIX).filter(|field| !field.is_empty())
}

/// The precedence of an operator: the tighter it binds, the higher. Negation binds like a product on its left, and less
/// than a power. `not` binds less than a comparison.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const POWER: u8 = 8;
/// That of a whole expression.
const ANY: u8 = OR;

/// An expression that has a name.
struct Temporary {
    name: Name,
    node: u32,
    /// Statements before it that move the points, where it is of pairs.
    moves: Option<u32>,
}

/// The meaning of a name that is written without `_i` or `_ij`.
#[derive(Clone, Copy)]
enum Whole {
    /// A field of sums over neighbors.
    Sum,
    Number,
    /// The temporary with this number.
    Temporary(usize),
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
    syntax: Syntax,
    /// Temporaries.
    temporaries: Vec<Temporary>,
    /// Names with a value that are written without `_i` or `_ij`: the line of each, and its meaning.
    given: HashMap<&'a str, (u32, Whole)>,
    /// The name that the statement gives a value, and how.
    target: Option<(Name, Option<Makes>)>,
    /// Statements so far that move the points.
    moves: u32,
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
        given: HashMap::new(),
        target: None,
        moves: 0,
    };
    loop {
        match parser.peek().kind {
            TokenKind::EndOfText => break,
            TokenKind::EndOfStatement => parser.next += 1,
            _ => parser.statement()?,
        }
    }
    if parser.syntax.statements.is_empty() {
        let hint = "write for example rho += m_j*(1 - r/c)";
        return Err(parser
            .peek()
            .at
            .wrong(format_args!("the formula makes nothing: {hint}")));
    }
    parser.check_pair_fields()?;
    parser.syntax.points = parser.syntax.fields.find(POINTS);
    for temporary in parser.temporaries {
        push(&mut parser.syntax.temporaries, temporary.name, WHAT)?;
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
        let (found, hint) = (quoted(found), self.hint_for(token).or_else(|| self.hidden_not()));
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

    /// The hint that a comment of the statement hides an operand, because `!` negates in other languages.
    fn hidden_not(&self) -> Option<&'static str> {
        let read = &self.tokens[..=self.next];
        let is_hidden = |pair: &[Token]| {
            let between = self.text[pair[0].bytes.end..pair[1].bytes.start].trim_start();
            let is_open = matches!(
                pair[0].kind,
                TokenKind::Sign(Sign::Open | Sign::Comma | Sign::And | Sign::Or | Sign::Not)
            );
            let hides = |after: &str| after.starts_with(|c: char| c == '(' || c.is_ascii_alphabetic());
            is_open && between.strip_prefix('!').is_some_and(hides)
        };
        let is_inside = |pair: &&[Token]| pair[0].kind != TokenKind::EndOfStatement;
        let mut pairs = read.windows(2).rev().take_while(is_inside);
        pairs.any(is_hidden).then_some("! begins a comment; not is the word")
    }

    /// Refuses a word of another language.
    fn check_word(&self, token: &Token) -> Result<()> {
        let word = self.written(token);
        if let Some(field) = word.strip_suffix("_ji").filter(|field| !field.is_empty())
            && token.kind == TokenKind::Name
        {
            return Err(token.at.wrong(format_args!(
                "'{word}' has no meaning in a formula: write {field}_ij, the value that the row of i has for its neighbor j"
            )));
        }
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
        self.check_left(&target)?;
        let makes = self.assignment(name)?;
        self.check_target(&target, makes)?;
        self.target = Some((Self::name_of(&target), makes));
        let node = self.expression(ANY)?;
        let end = self.peek();
        if !matches!(end.kind, TokenKind::EndOfStatement | TokenKind::EndOfText) {
            let (found, hint) = (quoted(self.written(end)), self.hint_for(end));
            let hint = hint.unwrap_or("write an operator before it, or begin a new line");
            return Err(end
                .at
                .wrong(format_args!("{found} does not continue the expression: {hint}")));
        }
        self.target = None;
        match makes {
            Some(makes) => self.made(&target, makes, node),
            None => self.temporary(&target, node),
        }
    }

    /// Refuses text that begins like a statement but is none: an assignment to a component, and a comparison.
    fn check_left(&self, target: &Token) -> Result<()> {
        let (name, sign) = (self.written(target), self.peek());
        match sign.kind {
            TokenKind::Component(axis) => {
                let whole = hints::Components(name, usize::from(axis));
                Err(target.at.wrong(format_args!(
                    "a component can only be read: a statement gives a value to all of {}, as in {name} = {whole}",
                    Quoted(name)
                )))
            }
            TokenKind::Sign(Sign::Equal) => Err(sign.at.wrong(format_args!(
                "'==' compares two values, and a statement gives a value: write {name} = ..."
            ))),
            _ => Ok(()),
        }
    }

    /// Adds a temporary.
    fn temporary(&mut self, target: &Token, node: u32) -> Result<()> {
        let is_of_pairs = self.syntax.nodes[node as usize].reads.any(Reads::PLACES);
        self.give(target, Whole::Temporary(self.temporaries.len()))?;
        let temporary = Temporary {
            name: Self::name_of(target),
            node,
            moves: is_of_pairs.then_some(self.moves),
        };
        push(&mut self.temporaries, temporary, WHAT)
    }

    /// Notes that a name has a value from here on.
    fn give(&mut self, target: &Token, what: Whole) -> Result<()> {
        self.given.try_reserve(1).map_err(|_| Error::OutOfMemory {
            what: WHAT,
            bytes: size_of::<(&str, Whole)>() as u64,
        })?;
        self.given.insert(self.written(target), (target.at.line, what));
        Ok(())
    }

    /// Takes up a statement that makes a field or a number.
    fn made(&mut self, target: &Token, makes: Makes, node: u32) -> Result<()> {
        self.check_reads(target, makes, node)?;
        let mut name = Self::name_of(target);
        let number = self.syntax.statements.len() as u32;
        let slot = match makes {
            Makes::Point => {
                name.end -= Side::SUFFIX;
                self.syntax.fields.make(self.text, name, number)?
            }
            Makes::Pair => {
                name.end -= PAIR_SUFFIX.len();
                self.syntax.pairs.make(self.text, name, number)?
            }
            Makes::Neighbors(_) => {
                self.give(target, Whole::Sum)?;
                self.syntax.fields.make(self.text, name, number)?
            }
            Makes::All(_) | Makes::Numbers => {
                self.give(target, Whole::Number)?;
                self.syntax.numbers.make(self.text, name, number)?
            }
        };
        let moves = self.moves;
        self.moves += u32::from(makes == Makes::Point && self.same(&name, POINTS));
        let statement = Statement {
            name,
            makes,
            node,
            slot,
            moves,
        };
        push(&mut self.syntax.statements, statement, WHAT)
    }

    /// Refuses what is of pairs where a statement has no pairs, and what is of points where it has none.
    fn check_reads(&self, target: &Token, makes: Makes, node: u32) -> Result<()> {
        let wrong = match makes {
            Makes::Neighbors(_) | Makes::Pair => return Ok(()),
            Makes::Point | Makes::All(_) => Reads::PAIR,
            Makes::Numbers => Reads::PAIR.and(Reads::POINT),
        };
        if !self.syntax.nodes[node as usize].reads.any(wrong) {
            return Ok(());
        }
        let (mut of_pair, mut of_point) = (None, None);
        self.syntax.walk(node, |node| match node.kind {
            Kind::Field(_, Side::I) => of_point = Some(*node),
            Kind::Field(_, Side::J) | Kind::OfPair(_) | Kind::Class => of_pair = Some(*node),
            Kind::Displacement | Kind::Cutoff | Kind::Square | Kind::Distance => of_pair = Some(*node),
            _ => (),
        })?;
        let (found, is) = match makes {
            Makes::Neighbors(_) | Makes::Pair => (None, ""),
            Makes::Point | Makes::All(_) => (of_pair, "of a pair"),
            Makes::Numbers => (
                of_pair.or(of_point),
                if of_pair.is_some() { "of a pair" } else { "of a point" },
            ),
        };
        let Some(found) = found else { return Ok(()) };
        let [start, end] = found.bytes;
        let (written, name) = (&self.text[start..end], self.written(target));
        let base = name.strip_suffix("_i").unwrap_or(name);
        Err(match makes {
            Makes::Numbers => found.at.wrong(format_args!(
                "'{written}' is {is}, and '{name}' is one number: '{name} all+= ...' adds the terms of all points"
            )),
            _ => found.at.wrong(format_args!(
                "'{written}' is {is}, and there are no pairs here: '{base} += ...' adds the terms of all neighbors"
            )),
        })
    }

    /// The sign that follows the name that begins a statement, and says what it makes; `None` for a temporary.
    fn assignment(&mut self, name: &str) -> Result<Option<Makes>> {
        let is_word =
            |token: &Token, word: &str| token.kind == TokenKind::Name && &self.text[token.bytes.clone()] == word;
        let of_all = is_word(self.peek(), "all");
        self.next += usize::from(of_all);
        let made = |reduction| match of_all {
            true => Makes::All(reduction),
            false => Makes::Neighbors(reduction),
        };
        let sign = self.take();
        let reduction = match sign.kind {
            TokenKind::Sign(Sign::Assign) if !of_all && pair_field(name).is_some() => return Ok(Some(Makes::Pair)),
            TokenKind::Sign(Sign::Assign) if !of_all => {
                let side = field(name).map(|(_, side)| side);
                return Ok(side.filter(|side| *side == Side::I).map(|_| Makes::Point));
            }
            TokenKind::Sign(Sign::Keep) if !of_all => return Ok(Some(Makes::Numbers)),
            TokenKind::Sign(Sign::AddAssign) => return Ok(Some(made(Reduction::Sum))),
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
            TokenKind::Sign(Sign::Assign) => Ok(Some(made(reduction))),
            _ => Err(equals.at.wrong(format_args!("'=' is missing: {}", Assignments(name)))),
        }
    }

    /// Refuses a name that cannot be given a value here.
    fn check_target(&self, target: &Token, makes: Option<Makes>) -> Result<()> {
        let (at, name) = (target.at, self.written(target));
        if quantity(name).is_some() || function(name).is_some() {
            return Err(at.wrong(format_args!("'{name}' is built in: choose another name")));
        }
        if matches!(makes, Some(Makes::Point | Makes::Pair)) {
            return Ok(());
        }
        if pair_field(name).is_some() {
            return Err(at.wrong(format_args!(
                "'{name}' is a value of each pair: '{name} = ...' gives each pair its own, and other names do not end in _ij"
            )));
        }
        if let Some((base, side)) = field(name) {
            return Err(match (makes, side) {
                (Some(Makes::Neighbors(_)), Side::I) => at.wrong(format_args!(
                    "'{name}' is a value of one point: '{base} += ...' adds the terms of all its neighbors, and '{name} = {name} + ...' \
                     adds to its own"
                )),
                (Some(Makes::All(_) | Makes::Numbers), _) => at.wrong(format_args!(
                    "'{name}' is a value of each point, and this makes one number: choose a name that does not end in _i or _j"
                )),
                _ => at.wrong(format_args!(
                    "'{name}' is a value of the neighbor, which is only read: '{base}_i = ...' gives each point its own"
                )),
            });
        }
        if name == POINTS && !matches!(makes, Some(Makes::All(_) | Makes::Numbers)) {
            return Err(at.wrong(format_args!(
                "'{name}' is the field of the points: '{name}_i = ...' moves them"
            )));
        }
        if let Some((line, _)) = self.given.get(name) {
            return Err(at.wrong(format_args!(
                "'{name}' has a value from line {line}: choose another name"
            )));
        }
        let is_number = matches!(makes, Some(Makes::All(_) | Makes::Numbers));
        let Syntax { numbers, tables, .. } = &self.syntax;
        let number = numbers.find(name).filter(|_| !is_number); // such a statement reads the value of the step before
        let number = number.map(|number| &numbers.all[number as usize]);
        if let Some(first) = number.or_else(|| tables.iter().find(|asked| self.same(asked, name))) {
            let line = first.at.line;
            return Err(at.wrong(format_args!(
                "'{name}' is used in line {line} already: give it its value before"
            )));
        }
        Ok(())
    }

    /// Refuses pair fields whose names are those of fields.
    fn check_pair_fields(&self) -> Result<()> {
        for name in &self.syntax.pairs.all {
            let (spelled, at) = (&self.text[name.start..name.end], name.at);
            if spelled == POINTS {
                return Err(at.wrong("'x' is the field of the points: d is the vector x_i - x_j"));
            }
            if let Some(field) = self.syntax.fields.find(spelled) {
                let line = self.syntax.fields.all[field as usize].at.line;
                return Err(at.wrong(format_args!(
                    "'{spelled}' is a field in line {line}: choose another name for the pair field"
                )));
            }
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
        let used = operands[..kind.operands()].iter();
        let reads = used.fold(Reads::of(kind), |reads, &of| {
            reads.and(self.syntax.nodes[of as usize].reads)
        });
        let node = Node {
            kind,
            operands,
            at,
            bytes,
            outer: bytes,
            reads,
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
                Sign::And => (Kind::And, AND, false),
                Sign::Or => (Kind::Or, OR, false),
                _ => return Ok(left),
            };
            if binds < least {
                return Ok(left);
            }
            let at = self.take().at;
            if compared && binds == COMPARISON {
                return Err(at.wrong("a second comparison: write a < b and b < c"));
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

    /// An operand with the components that are read of it.
    fn operand(&mut self) -> Result<u32> {
        let mut of = self.whole_operand()?;
        while let TokenKind::Component(axis) = self.peek().kind {
            let token = self.take();
            let bytes = [self.bytes_of(of)[0], token.bytes.end];
            of = self.push(Kind::Component(axis), [of, 0, 0], token.at, bytes)?;
        }
        Ok(of)
    }

    fn whole_operand(&mut self) -> Result<u32> {
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
            TokenKind::Sign(Sign::Not) => {
                let of = self.deeper(token.at, |parser| parser.expression(NOT))?;
                let bytes = [token.bytes.start, self.bytes_of(of)[1]];
                self.push(Kind::Not, [of, 0, 0], token.at, bytes)
            }
            TokenKind::Sign(Sign::Open) => self.deeper(token.at, |parser| {
                let inner = parser.expression(ANY)?;
                parser.expect(Sign::Close, ")")?;
                let end = parser.tokens[parser.next - 1].bytes.end;
                parser.syntax.nodes[inner as usize].outer = [bytes[0], end];
                Ok(inner)
            }),
            _ => {
                self.check_pair(&token)?;
                let found = quoted(self.written(&token));
                let [colon, hint] = self.hidden_not().map_or(["", ""], |hint| [": ", hint]);
                let text = format_args!("{found} stands where a number, a name or '(' is expected{colon}{hint}");
                Err(token.at.wrong(text))
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
        let Some((_, makes)) = self.target.filter(|(target, _)| self.same(target, name)) else {
            return Ok(());
        };
        let why = match makes {
            Some(Makes::Numbers | Makes::Point | Makes::Pair) => return Ok(()),
            Some(Makes::Neighbors(Reduction::Sum)) => "+= adds to it, so write only the term of a neighbor",
            Some(Makes::Neighbors(_)) => "max= and min= compare with it, so write only the value of a neighbor",
            Some(Makes::All(_)) => "write only the term of a point",
            None => "it has no value before",
        };
        Err(at.wrong(format_args!("'{name}' is what this statement makes: {why}")))
    }

    /// Names a temporary again, if the token is the name of one, so that messages about it show the name.
    fn temporary_named(&mut self, token: &Token) -> Result<Option<u32>> {
        let (name, at, bytes) = (self.written(token), token.at, [token.bytes.start, token.bytes.end]);
        let Some(&(_, Whole::Temporary(number))) = self.given.get(name) else {
            return Ok(None);
        };
        let temporary = &self.temporaries[number];
        let (of, line) = (self.syntax.nodes[temporary.node as usize], temporary.name.at.line);
        if temporary.moves.is_some_and(|moves| moves < self.moves) {
            return Err(at.wrong(format_args!(
                "'{name}' is of pairs of points before they move (line {line}): give it a value again under another name"
            )));
        }
        if self.peek().kind == TokenKind::Sign(Sign::Open) {
            return Err(at.wrong(format_args!(
                "'{name}' is a temporary: write * to multiply by the parentheses"
            )));
        }
        self.push(of.kind, of.operands, at, bytes).map(Some)
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
        if let Some((line, Whole::Sum)) = self.given.get(name) {
            return Err(at.wrong(format_args!(
                "'{name}' has a value for each point (line {line}): {name}_i and {name}_j read it"
            )));
        }
        if let Some(temporary) = self.temporary_named(token)? {
            return Ok(temporary);
        }
        if is_called && (quantity(name).is_some() || field(name).is_some() || pair_field(name).is_some()) {
            return Err(at.wrong(format_args!(
                "'{name}' is no function: write * to multiply by the parentheses, and .x, .y or .z for a component"
            )));
        }
        if let Some(kind) = quantity(name) {
            return self.push(kind, [0; 3], at, bytes);
        }
        if is_called {
            return self.table(token);
        }
        if let Some(field) = pair_field(name) {
            let end = token.bytes.start + field.len();
            let known = Name {
                end,
                ..Self::name_of(token)
            };
            let slot = self.syntax.pairs.read(self.text, known)?;
            return self.push(Kind::OfPair(slot), [0; 3], at, bytes);
        }
        if let Some((field, side)) = field(name) {
            let end = token.bytes.start + field.len();
            let known = Name {
                end,
                ..Self::name_of(token)
            };
            let slot = self.syntax.fields.read(self.text, known)?;
            return self.push(Kind::Field(slot, side), [0; 3], at, bytes);
        }
        if let Some(table) = self.syntax.tables.iter().find(|table| self.same(table, name)) {
            let line = table.at.line;
            return Err(at.wrong(format_args!(
                "'{name}' is a table from line {line}: call it, or choose another name for a constant"
            )));
        }
        let slot = self.syntax.numbers.read(self.text, Self::name_of(token))?;
        self.push(Kind::Constant(slot), [0; 3], at, bytes)
    }

    fn call(&mut self, kind: Kind, name: &str, token: &Token) -> Result<u32> {
        self.expect(Sign::Open, "(")?;
        let (mut operands, mut given) = ([0; 3], 0);
        self.deeper(token.at, |parser| {
            loop {
                let operand = parser.expression(ANY)?;
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
        let kind = match kind {
            Kind::Vector(_) if given <= operands.len() => Kind::Vector(given as u8),
            kind => kind,
        };
        let wanted = kind.operands();
        if given != wanted {
            let form = match kind {
                Kind::Vector(_) => "a number for each axis, at most three",
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
        if let Some(constant) = self.syntax.numbers.find(name) {
            let line = self.syntax.numbers.all[constant as usize].at.line;
            return Err(at.wrong(format_args!(
                "'{name}' is a constant from line {line}: write * to multiply by the parentheses"
            )));
        }
        if hints::is_stranger(name) {
            return Err(at.wrong(NotFunction(name)));
        }
        self.next += 1;
        let argument = self.deeper(at, |parser| parser.expression(ANY))?;
        let of = match self.argument(argument) {
            Some(of) if self.peek().kind != TokenKind::Sign(Sign::Comma) => of,
            _ => return Err(at.wrong(NotFunction(name))),
        };
        self.expect(Sign::Close, ")")?;
        let end = self.tokens[self.next - 1].bytes.end;
        let known = self.syntax.tables.len();
        let number = number_of(self.text, &mut self.syntax.tables, Self::name_of(token))?;
        if number as usize == known {
            push(&mut self.syntax.tables_of, of, WHAT)?;
        }
        let before = self.syntax.tables_of[number as usize];
        if before != of {
            let (before, of) = (before.name(), of.name());
            return Err(at.wrong(format_args!(
                "'{name}' is called with {before} and with {of}: use a table for each"
            )));
        }
        self.push(Kind::Table(number), [argument, 0, 0], at, [token.bytes.start, end])
    }

    /// The argument of a table that an expression is.
    fn argument(&self, node: u32) -> Option<TableOf> {
        let Node { kind, operands, .. } = self.syntax.nodes[node as usize];
        let is = |operand: usize, kind| self.syntax.nodes[operands[operand] as usize].kind == kind;
        match kind {
            Kind::Distance => Some(TableOf::R),
            Kind::Square => Some(TableOf::R2),
            Kind::Divide if is(0, Kind::Distance) && is(1, Kind::Cutoff) => Some(TableOf::ROverC),
            _ => None,
        }
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
        write!(
            f,
            "'{name} max= ...' or '{name} min= ...' for a field of all neighbors' terms"
        )
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
