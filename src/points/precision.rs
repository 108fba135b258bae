//! The precision of points, values in one precision or the other, and the choice between two things by it.

use crate::memory::Holds;
use crate::simd::Width;

/// Values in one precision or the other.
#[derive(Debug, Default)]
pub enum Values {
    #[default]
    None,
    F32(Vec<f32>),
    F64(Vec<f64>),
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

impl Holds for Values {
    fn bytes(&self) -> usize {
        match self {
            Values::None => 0,
            Values::F32(values) => values.bytes(),
            Values::F64(values) => values.bytes(),
        }
    }
}
