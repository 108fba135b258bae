//! The precision of points, values in one precision or the other, and the choice between two things by it.

use crate::error::Result;
use crate::memory::{Holds, reserve_keeping, resize_keeping};
use crate::simd::Width;

/// Values in one precision or the other.
#[derive(Debug, Default)]
pub enum Values {
    #[default]
    None,
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// Numbers in one precision or the other, to be read.
#[derive(Clone, Copy, Debug)]
pub enum Numbers<'a> {
    F32(&'a [f32]),
    F64(&'a [f64]),
}

/// Two things of one kind, one for each precision, of which [`Precision::choose`] makes one.
pub trait Choice {
    /// A thing of a precision.
    type Of<T: Precision>;
    /// The one of real32.
    fn single(self) -> Self::Of<f32>;
    /// The one of real64.
    fn double(self) -> Self::Of<f64>;
}

/// The precision of points: `f32` or `f64`. Sealed.
pub trait Precision: Width {
    /// That of two things which has this precision.
    #[doc(hidden)]
    fn choose<C: Choice>(choice: C) -> C::Of<Self>;
    /// Values as they are held.
    #[doc(hidden)]
    fn hold(values: Vec<Self>) -> Values;
    /// Numbers of this precision.
    #[doc(hidden)]
    fn numbers(values: &[Self]) -> Numbers<'_>;
    /// Those held, if they are of this precision.
    #[doc(hidden)]
    fn held(values: &Values) -> Option<&[Self]>;
    /// The same, to be set again.
    #[doc(hidden)]
    fn held_mut(values: &mut Values) -> Option<&mut Vec<Self>>;
}

macro_rules! precision {
    ($type:ident, $variant:ident, $choice:ident) => {
        impl Precision for $type {
            fn choose<C: Choice>(choice: C) -> C::Of<$type> {
                choice.$choice()
            }
            fn hold(values: Vec<$type>) -> Values {
                Values::$variant(values)
            }
            fn numbers(values: &[$type]) -> Numbers<'_> {
                Numbers::$variant(values)
            }
            fn held(values: &Values) -> Option<&[$type]> {
                match values {
                    Values::$variant(values) => Some(values),
                    _ => None,
                }
            }
            fn held_mut(values: &mut Values) -> Option<&mut Vec<$type>> {
                match values {
                    Values::$variant(values) => Some(values),
                    _ => None,
                }
            }
        }
    };
}
precision!(f32, F32, single);
precision!(f64, F64, double);

impl Values {
    /// All of them.
    pub fn numbers(&self) -> Numbers<'_> {
        match self {
            Values::None => Numbers::F32(&[]),
            Values::F32(values) => Numbers::F32(values),
            Values::F64(values) => Numbers::F64(values),
        }
    }
}

impl Values {
    /// Keeps the first `len` numbers only.
    pub fn truncate(&mut self, len: usize) {
        match self {
            Values::None => {}
            Values::F32(values) => values.truncate(len),
            Values::F64(values) => values.truncate(len),
        }
    }

    /// Appends numbers in the same precision, given as bytes.
    pub fn append_bytes(&mut self, bytes: &[u8], what: &'static str) -> Result<()> {
        fn append<T: bytemuck::Pod>(values: &mut Vec<T>, bytes: &[u8], what: &'static str) -> Result<()> {
            let numbers = bytes
                .chunks_exact(size_of::<T>())
                .map(bytemuck::pod_read_unaligned::<T>);
            reserve_keeping(values, values.len() + numbers.len(), what)?;
            values.extend(numbers);
            Ok(())
        }
        match self {
            Values::None => Ok(()),
            Values::F32(values) => append(values, bytes, what),
            Values::F64(values) => append(values, bytes, what),
        }
    }

    /// Appends `more` zeros.
    pub fn append_zeros(&mut self, more: usize, what: &'static str) -> Result<()> {
        match self {
            Values::None => Ok(()),
            Values::F32(values) => resize_keeping(values, values.len() + more, 0.0, what),
            Values::F64(values) => resize_keeping(values, values.len() + more, 0.0, what),
        }
    }

    /// The numbers as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Values::None => &[],
            Values::F32(values) => bytemuck::cast_slice(values),
            Values::F64(values) => bytemuck::cast_slice(values),
        }
    }

    /// The largest number, or 0 where none is larger.
    pub fn largest(&self) -> f64 {
        match self {
            Values::None => 0.0,
            Values::F32(values) => values.iter().fold(0.0, |most, &value| most.max(value.into())),
            Values::F64(values) => values.iter().fold(0.0, |most, &value| most.max(value)),
        }
    }

    /// The number of numbers.
    pub fn len(&self) -> usize {
        self.numbers().len()
    }

    /// The bytes of a number.
    pub fn width(&self) -> usize {
        match self {
            Values::None => 0,
            Values::F32(_) => size_of::<f32>(),
            Values::F64(_) => size_of::<f64>(),
        }
    }
}

impl<'a> Numbers<'a> {
    /// The numbers from one on; none where there are no more.
    pub fn from(self, first: usize) -> Numbers<'a> {
        match self {
            Numbers::F32(numbers) => Numbers::F32(numbers.get(first..).unwrap_or_default()),
            Numbers::F64(numbers) => Numbers::F64(numbers.get(first..).unwrap_or_default()),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Numbers::F32(numbers) => numbers.len(),
            Numbers::F64(numbers) => numbers.len(),
        }
    }
}

impl Holds for Values {
    fn bytes(&self) -> usize {
        match self {
            Values::None => 0,
            Values::F32(values) => values.bytes(),
            Values::F64(values) => values.bytes(),
        }
    }
}
