//! Values of which a handle holds one, in the precision of its points.

use std::fmt::Debug;

use crate::error::Result;
use crate::list::{Holds, boxed};
use crate::points::{Choice, Precision};

/// Evaluates an expression with the value that there is, in its precision; `$none` where there is none.
macro_rules! in_precision {
    ($values:expr, $value:ident => $body:expr, none => $none:expr) => {
        match $values {
            $crate::search::precision::InPrecision::F32($value) => $body,
            $crate::search::precision::InPrecision::F64($value) => $body,
            $crate::search::precision::InPrecision::None => $none,
        }
    };
}
pub(super) use in_precision;

/// Evaluates an expression, a result, with `$T` as the precision of the points that there are; an error where there are none.
macro_rules! by_precision {
    ($points:expr, $T:ident => $body:expr) => {
        match $points {
            $crate::search::precision::InPrecision::F32(_) => {
                type $T = f32;
                $body
            }
            $crate::search::precision::InPrecision::F64(_) => {
                type $T = f64;
                $body
            }
            $crate::search::precision::InPrecision::None => Err(crate::error::Error::NO_POINTS),
        }
    };
}
pub(super) use by_precision;

/// Types of one kind, one for each precision.
pub trait Family {
    /// The type of a precision.
    type Of<T: Precision>: Debug + Default;
}

/// A value of a family, in the precision that was asked for last.
#[derive(Debug, Default)]
pub enum InPrecision<F: Family> {
    #[default]
    None,
    F32(Box<F::Of<f32>>),
    F64(Box<F::Of<f64>>),
}

impl<F: Family> InPrecision<F> {
    /// The value of precision `T`, made where there is none; one of the other precision is dropped.
    pub fn of<T: Precision>(&mut self) -> Result<&mut F::Of<T>> {
        T::choose(Made(self))
    }

    /// The value, if it is of precision `T`.
    pub fn held<T: Precision>(&self) -> Option<&F::Of<T>> {
        T::choose(Held(self))
    }
}

impl<F: Family> Holds for InPrecision<F>
where
    F::Of<f32>: Holds,
    F::Of<f64>: Holds,
{
    fn bytes(&self) -> usize {
        in_precision!(self, value => value.bytes(), none => 0)
    }
}

struct Made<'a, F: Family>(&'a mut InPrecision<F>);

struct Held<'a, F: Family>(&'a InPrecision<F>);

macro_rules! choices {
    ($($choice:ident: $variant:ident $type:ident),*) => {
        impl<'a, F: Family> Choice for Made<'a, F> {
            type Of<T: Precision> = Result<&'a mut F::Of<T>>;
            $(fn $choice(self) -> Result<&'a mut F::Of<$type>> {
                if !matches!(self.0, InPrecision::$variant(_)) {
                    *self.0 = InPrecision::$variant(boxed(Default::default(), "a handle")?);
                }
                match self.0 {
                    InPrecision::$variant(value) => Ok(value),
                    _ => unreachable!("set just above"),
                }
            })*
        }
        impl<'a, F: Family> Choice for Held<'a, F> {
            type Of<T: Precision> = Option<&'a F::Of<T>>;
            $(fn $choice(self) -> Option<&'a F::Of<$type>> {
                match self.0 {
                    InPrecision::$variant(value) => Some(value),
                    _ => None,
                }
            })*
        }
    };
}
choices!(single: F32 f32, double: F64 f64);
