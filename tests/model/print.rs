//! Traces as programs in other languages, which make the same calls and compare every answer, bit for bit.

use super::memory::PATTERN;
use super::trace::Kind;

pub mod c;

/// The numbers of an array.
#[derive(Clone, PartialEq, Debug)]
pub enum Numbers {
    Integers(Vec<i64>),
    Singles(Vec<f32>),
    Reals(Vec<f64>),
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
