//! Calls as they were made: arguments, arrays before and after, and answers. The printers write them as programs.

use std::cell::RefCell;
use std::rc::Rc;

/// The type of the elements of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Byte,
    I32,
    I64,
    Size,
    F32,
    F64,
}

impl Kind {
    /// Bytes of an element.
    pub fn size(self) -> usize {
        match self {
            Kind::Byte => 1,
            Kind::I32 | Kind::F32 => 4,
            Kind::I64 | Kind::Size | Kind::F64 => 8,
        }
    }
}

/// The use that a call makes of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    Read,
    /// Its contents before matter, and change.
    Changed,
    Written,
    /// A place for a pointer to values of the library's.
    Lent,
}

/// An array of calls.
#[derive(Clone, Debug)]
pub struct Array {
    pub kind: Kind,
    pub used: Use,
    /// Contents before the first call.
    pub bytes: Vec<u8>,
}

/// What the library makes and a call takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Object {
    Search(usize),
    Formula(usize),
    List(usize),
}

/// An argument.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Integer(i64),
    Single(f32),
    Real(f64),
    Text(Vec<u8>),
    Null,
    /// The address so many bytes after the start of an array, as that of elements of a kind.
    At(usize, usize, Kind),
    /// The values that a lent pointer points to.
    Of(usize, Kind),
    Object(Object),
    /// The place of an object, or of the first of several.
    Place(Object),
}

/// Bytes of an array after a call; of a lent pointer those that it points to, as far as the model looks at them.
pub type After = (usize, Rc<RefCell<Vec<u8>>>);

/// A call.
#[derive(Clone, Debug)]
pub struct Event {
    pub name: &'static str,
    pub arguments: Vec<Value>,
    /// `None` for a function without one.
    pub status: Option<i32>,
    /// The text of the error of a call that failed.
    pub error: String,
    pub after: Vec<After>,
    /// Arrays of the trace so far.
    pub arrays: usize,
}

impl Event {
    pub fn is_ok(&self) -> bool {
        self.status.is_none_or(|status| status == 0)
    }
}

/// The calls of a sequence.
#[derive(Clone, Default, Debug)]
pub struct Trace {
    pub arrays: Vec<Array>,
    pub events: Vec<Event>,
}
