//! Traces as programs in other languages, which make the same calls and compare every answer, bit for bit.

use std::collections::BTreeMap;

use super::memory::PATTERN;
use super::trace::{Event, Kind, Object, Trace, Use, Value};

pub mod c;
pub mod cpp;
pub mod fortran;
pub mod python;

/// The fate of a call that succeeded.
#[derive(PartialEq, Debug)]
pub enum Spoken {
    Printed,
    /// A question that the language cannot ask, or a call that it need not make.
    LeftOut,
    /// A call that the language cannot make, which changes what comes later: the program ends before it.
    Unspeakable,
}

/// Calls of each function that a language has printed, those that it left out, and those that ended a program.
pub type Counts = BTreeMap<&'static str, [usize; 3]>;

pub fn count(counts: &mut Counts, name: &'static str, spoken: &Spoken) {
    let place = match spoken {
        Spoken::Printed => 0,
        Spoken::LeftOut => 1,
        Spoken::Unspeakable => 2,
    };
    counts.entry(name).or_default()[place] += 1;
}

/// The numbers of an array.
#[derive(Clone, PartialEq, Debug)]
pub enum Numbers {
    Integers(Vec<i64>),
    Singles(Vec<f32>),
    Reals(Vec<f64>),
}

impl Numbers {
    pub fn len(&self) -> usize {
        match self {
            Numbers::Integers(values) => values.len(),
            Numbers::Singles(values) => values.len(),
            Numbers::Reals(values) => values.len(),
        }
    }

    /// Integers, each more by a number.
    pub fn shifted(self, by: i64) -> Numbers {
        match self {
            Numbers::Integers(values) => Numbers::Integers(values.into_iter().map(|value| value + by).collect()),
            other => other,
        }
    }

    pub fn integers(&self) -> &[i64] {
        match self {
            Numbers::Integers(values) => values,
            _ => &[],
        }
    }

    /// Every `step`th from `first` on.
    pub fn every(&self, first: usize, step: usize) -> Numbers {
        fn of<T: Copy>(values: &[T], first: usize, step: usize) -> Vec<T> {
            values.iter().skip(first).step_by(step).copied().collect()
        }
        match self {
            Numbers::Integers(values) => Numbers::Integers(of(values, first, step)),
            Numbers::Singles(values) => Numbers::Singles(of(values, first, step)),
            Numbers::Reals(values) => Numbers::Reals(of(values, first, step)),
        }
    }
}

/// The numbers that bytes are.
pub fn numbers(kind: Kind, bytes: &[u8]) -> Numbers {
    let four = || bytes.chunks_exact(4).map(|bytes| bytes.try_into().unwrap());
    let eight = || bytes.chunks_exact(8).map(|bytes| bytes.try_into().unwrap());
    match kind {
        Kind::Byte => Numbers::Integers(bytes.iter().map(|&byte| byte.into()).collect()),
        Kind::I32 => Numbers::Integers(four().map(i32::from_ne_bytes).map(i64::from).collect()),
        Kind::I64 | Kind::Size => Numbers::Integers(eight().map(i64::from_ne_bytes).collect()),
        Kind::F32 => Numbers::Singles(four().map(f32::from_ne_bytes).collect()),
        Kind::F64 => Numbers::Reals(eight().map(f64::from_ne_bytes).collect()),
    }
}

/// Bytes of an output up to the last that was written, as whole elements.
pub fn written(kind: Kind, bytes: &[u8]) -> &[u8] {
    let last = bytes
        .iter()
        .rposition(|&byte| byte != PATTERN)
        .map_or(0, |last| last + 1);
    &bytes[..last.next_multiple_of(kind.size()).min(bytes.len())]
}

/// A call of a trace, and its arguments by their numbers.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    pub trace: &'a Trace,
    pub number: usize,
}

impl<'a> Asked<'a> {
    pub fn event(self) -> &'a Event {
        &self.trace.events[self.number]
    }

    fn value(self, argument: usize) -> &'a Value {
        &self.event().arguments[argument]
    }

    pub fn is_null(self, argument: usize) -> bool {
        *self.value(argument) == Value::Null
    }

    pub fn integer(self, argument: usize) -> i64 {
        match self.value(argument) {
            Value::Integer(value) => *value,
            other => panic!("{}, argument {argument}: {other:?} is no integer", self.event().name),
        }
    }

    pub fn real(self, argument: usize) -> f64 {
        match self.value(argument) {
            Value::Real(value) => *value,
            Value::Single(value) => f64::from(*value),
            other => panic!(
                "{}, argument {argument}: {other:?} is no real number",
                self.event().name
            ),
        }
    }

    pub fn text(self, argument: usize) -> &'a [u8] {
        match self.value(argument) {
            Value::Text(text) => text,
            other => panic!("{}, argument {argument}: {other:?} is no text", self.event().name),
        }
    }

    /// Whether the call is about a handle.
    pub fn has_object(self) -> bool {
        matches!(self.event().arguments.first(), Some(Value::Object(_) | Value::Place(_)))
    }

    /// The number of an object, or of the object at a place.
    pub fn object(self, argument: usize) -> usize {
        match self.value(argument) {
            Value::Object(object) | Value::Place(object) => match *object {
                Object::Search(k) | Object::Formula(k) | Object::List(k) => k,
            },
            other => panic!("{}, argument {argument}: {other:?} is no object", self.event().name),
        }
    }

    /// The bytes from an address on, and the kind of their elements.
    fn bytes(self, argument: usize) -> (Vec<u8>, Kind) {
        match *self.value(argument) {
            Value::At(array, offset, kind) => {
                let bytes = &self.trace.arrays[array].bytes;
                (bytes[offset.min(bytes.len())..].to_vec(), kind)
            }
            Value::Of(array, kind) => {
                let mut before = self.trace.events[..self.number].iter().rev();
                let after = before.find_map(|event| event.after.iter().find(|(number, _)| *number == array));
                (after.map(|(_, bytes)| bytes.borrow().clone()).unwrap_or_default(), kind)
            }
            _ => (Vec::new(), Kind::I64),
        }
    }

    /// The first elements of an array; none where the pointer is NULL.
    pub fn given(self, argument: usize, len: usize) -> Numbers {
        let (bytes, kind) = self.bytes(argument);
        numbers(kind, &bytes[..(len * kind.size()).min(bytes.len())])
    }

    /// Elements that are so many bytes apart. A negative number counts from the address back.
    pub fn spaced(self, argument: usize, stride: i64, len: usize) -> Numbers {
        let &Value::At(array, offset, kind) = self.value(argument) else {
            return self.given(argument, len);
        };
        let all = &self.trace.arrays[array].bytes;
        let mut bytes = Vec::new();
        for k in 0..len as i64 {
            let first = (offset as i64 + k * stride) as usize;
            bytes.extend_from_slice(&all[first..first + kind.size()]);
        }
        numbers(kind, &bytes)
    }

    /// Points one after the other, whose axes are arguments from `x` on.
    pub fn points(self, x: usize, dim: usize, stride: i64, n: usize) -> Numbers {
        let axes: Vec<Numbers> = (0..dim).map(|axis| self.spaced(x + axis, stride, n)).collect();
        match &axes[0] {
            Numbers::Singles(_) => Numbers::Singles(woven(n, &axes, |axis| match axis {
                Numbers::Singles(values) => values.clone(),
                _ => Vec::new(),
            })),
            _ => Numbers::Reals(woven(n, &axes, |axis| match axis {
                Numbers::Reals(values) => values.clone(),
                _ => Vec::new(),
            })),
        }
    }

    /// The contents of an output after the call: all of a lent array, or what was written of another; `None` where it is NULL.
    pub fn answer(self, argument: usize) -> Option<Numbers> {
        let &Value::At(array, ..) = self.value(argument) else {
            return None;
        };
        let (_, after) = self.event().after.iter().find(|(number, _)| *number == array)?;
        let (kind, used) = (self.trace.arrays[array].kind, self.trace.arrays[array].used);
        let after = after.borrow();
        let bytes = if used == Use::Lent {
            &after[..]
        } else {
            written(kind, &after)
        };
        Some(numbers(kind, bytes))
    }

    /// The one integer of an output.
    pub fn answered_integer(self, argument: usize) -> Option<i64> {
        self.answer(argument)?.integers().first().copied()
    }

    /// All elements that an output has room for.
    pub fn room(self, argument: usize) -> usize {
        match *self.value(argument) {
            Value::At(array, ..) => self.trace.arrays[array].bytes.len() / self.trace.arrays[array].kind.size(),
            _ => 0,
        }
    }
}

/// Arrays of axes, point after point.
fn woven<T: Copy>(n: usize, axes: &[Numbers], values: impl Fn(&Numbers) -> Vec<T>) -> Vec<T> {
    let axes: Vec<Vec<T>> = axes.iter().map(values).collect();
    (0..n).flat_map(|k| axes.iter().map(move |axis| axis[k])).collect()
}
