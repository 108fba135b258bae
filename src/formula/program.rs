//! The intermediate form of a formula: a flat list of operations. An operation reads results of earlier ones and has
//! one result, a number or a vector of `dim` numbers. Every backend runs this list in its order, so that every result
//! is rounded in the same way.

use std::fmt::Display;

use crate::error::{Error, Status, words};

/// The place of a character, from line 1 and column 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    pub line: u32,
    pub column: u32,
}

impl At {
    /// The error for what is wrong there.
    pub fn error(self, status: Status, text: impl Display) -> Error {
        Error::Formula {
            status,
            line: self.line,
            column: self.column,
            text: words(text),
        }
    }

    /// The error for text that is not a formula.
    pub fn wrong(self, text: impl Display) -> Error {
        self.error(Status::BadValue, text)
    }
}

/// In which precision a formula is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SumPrecision {
    /// real32.
    #[default]
    Single,
    /// real64.
    Double,
}

/// A point of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The point whose row it is.
    I,
    /// The neighbor.
    J,
}

impl Side {
    /// The length of `_i` and `_j`.
    pub(crate) const SUFFIX: usize = 2;
}

/// The operation, which computes from its operands `a`, `b` and `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A number, by its bits in both precisions.
    Number {
        single: u32,
        double: u64,
    },
    /// The constant of that number, or another number: its slot.
    Constant(u32),
    /// The field of that slot.
    Field(u32, Side),
    /// The pair field of that slot.
    OfPair(u32),
    /// x_i - x_j to the nearest image.
    Displacement,
    /// The cutoff of the pair.
    Cutoff,
    /// The class of an excluded pair, 0 of all others.
    Class,
    /// dot(d, d): in syntax only.
    Square,
    /// The root of it: in syntax only.
    Distance,
    /// The table of that number, at `a`.
    Table(u32),
    /// The component of a vector along that axis.
    Component(u8),
    /// A vector of that many numbers.
    Vector(u8),
    /// The cross product of two vectors: in syntax only.
    Cross,
    Negate,
    Abs,
    Sqrt,
    Exp,
    Log,
    Sin,
    Cos,
    Tan,
    Tanh,
    Erf,
    Erfc,
    Sign,
    Floor,
    Add,
    Subtract,
    Multiply,
    Divide,
    /// `b` if `b < a`, else `a`.
    Min,
    /// `b` if `a < b`, else `a`.
    Max,
    Pow,
    /// The angle of the point whose coordinates are `b` and `a`.
    Atan2,
    /// (a0 b0 + a1 b1) + a2 b2.
    Dot,
    Less,
    LessEqual,
    Equal,
    NotEqual,
    /// Of conditions: in syntax only.
    And,
    Or,
    Not,
    /// `a` if the condition `c` holds, else `b`.
    Select,
}

impl Kind {
    /// The number of operands.
    pub fn operands(self) -> usize {
        match self {
            Kind::Number { .. } | Kind::Constant(_) | Kind::Field(..) | Kind::OfPair(_) => 0,
            Kind::Displacement | Kind::Cutoff | Kind::Class | Kind::Square | Kind::Distance => 0,
            Kind::Table(_) | Kind::Negate | Kind::Abs | Kind::Sqrt | Kind::Exp => 1,
            Kind::Log | Kind::Sign | Kind::Floor | Kind::Component(_) | Kind::Not => 1,
            Kind::Vector(numbers) => usize::from(numbers),
            Kind::Sin | Kind::Cos | Kind::Tan | Kind::Tanh | Kind::Erf | Kind::Erfc => 1,
            Kind::Select => 3,
            _ => 2,
        }
    }
}

/// Functions by their names in formulas.
pub const FUNCTIONS: [(&str, Kind); 20] = [
    ("select", Kind::Select),
    ("min", Kind::Min),
    ("max", Kind::Max),
    ("abs", Kind::Abs),
    ("sqrt", Kind::Sqrt),
    ("exp", Kind::Exp),
    ("log", Kind::Log),
    ("pow", Kind::Pow),
    ("sin", Kind::Sin),
    ("cos", Kind::Cos),
    ("tan", Kind::Tan),
    ("tanh", Kind::Tanh),
    ("atan2", Kind::Atan2),
    ("erf", Kind::Erf),
    ("erfc", Kind::Erfc),
    ("dot", Kind::Dot),
    ("cross", Kind::Cross),
    ("vector", Kind::Vector(0)),
    ("sign", Kind::Sign),
    ("floor", Kind::Floor),
];

/// Axes by their names after a dot.
pub const AXES: [&str; 3] = ["x", "y", "z"];

/// One operation. Operands that there are not are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    pub kind: Kind,
    pub operands: [u32; 3],
    /// The result is a vector.
    pub is_vector: bool,
}

impl Operation {
    /// The operands that there are.
    pub fn operands(&self) -> &[u32] {
        &self.operands[..self.kind.operands()]
    }
}

/// The way in which the terms of an output are joined, in the order of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Added, from 0 on.
    Sum,
    /// The largest, -infinity if there is none.
    Max,
    /// The smallest, infinity if there is none.
    Min,
}

/// The way in which a statement makes its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Makes {
    /// A field, of a term for each neighbor: `name += e`, `name max= e`, `name min= e`.
    Neighbors(Reduction),
    /// A pair field, pair by pair: `name_ij = e`.
    Pair,
    /// A field, point by point: `name_i = e`.
    Point,
    /// A number, of a term for each point: `name all+= e`, `name all max= e`, `name all min= e`.
    All(Reduction),
    /// A number, of numbers: `name := e`.
    Numbers,
}

impl Makes {
    /// The way in which the terms of all points make a number, if they do.
    pub fn total(self) -> Option<Reduction> {
        match self {
            Makes::All(reduction) => Some(reduction),
            _ => None,
        }
    }
}

/// An output: the operation whose results are its terms.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    pub operation: u32,
    pub reduction: Reduction,
    /// Numbers for each row, or for each pair.
    pub width: usize,
    /// Each pair keeps its term, and none are joined.
    pub is_of_pairs: bool,
}

/// A formula for points of a dimension and fields of known shapes.
#[derive(Debug, Default)]
pub struct Program {
    pub dim: usize,
    pub operations: Vec<Operation>,
    pub outputs: Vec<Output>,
    /// Whether the text reads the class of pairs, even if the program has no operation left for it.
    pub reads_class: bool,
}

impl Program {
    /// Whether it reads the cutoff of pairs.
    #[cfg(feature = "gpu")]
    pub fn reads_cutoff(&self) -> bool {
        let is_cutoff = |operation: &Operation| matches!(operation.kind, Kind::Cutoff);
        self.operations.iter().any(is_cutoff)
    }

    /// Whether it reads a slot of fields.
    pub fn reads(&self, slot: u32) -> bool {
        let is_read = |operation: &Operation| matches!(operation.kind, Kind::Field(read, _) if read == slot);
        self.operations.iter().any(is_read)
    }

    /// The slots of fields that it reads.
    pub fn fields(&self) -> impl Iterator<Item = u32> {
        self.operations.iter().filter_map(|operation| match operation.kind {
            Kind::Field(slot, _) => Some(slot),
            _ => None,
        })
    }

    /// The highest of these slots plus one.
    pub fn slots(&self) -> usize {
        self.fields().map(|slot| slot as usize + 1).max().unwrap_or(0)
    }

    /// Whether it reads a slot of fields for neighbors.
    pub fn reads_of_neighbors(&self, slot: u32) -> bool {
        let is_read = |operation: &Operation| operation.kind == Kind::Field(slot, Side::J);
        self.operations.iter().any(is_read)
    }

    /// Whether it reads a slot of pair fields.
    pub fn reads_pair_field(&self, slot: u32) -> bool {
        let is_read = |operation: &Operation| operation.kind == Kind::OfPair(slot);
        self.operations.iter().any(is_read)
    }

    /// Whether it reads or makes pair fields.
    pub fn has_pair_fields(&self) -> bool {
        let is_read = |operation: &Operation| matches!(operation.kind, Kind::OfPair(_));
        self.outputs.iter().any(|output| output.is_of_pairs) || self.operations.iter().any(is_read)
    }
}

/// The place of a name in the text.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    pub start: usize,
    pub end: usize,
    pub at: At,
}
