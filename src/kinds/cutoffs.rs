//! Cutoffs by pairs of types.
//!
//! in: the caller's symmetric table; out: [`TypeCutoffs`] of formulas and [`TypeBounds`] of searches, in the precision of
//! the points.

use super::roles::FLAGS;
use crate::domain::{TieRule, bound};
use crate::error::{Error, Result, Status, number};
use crate::list::{holds, push, reserve_discarding};
use crate::real::Real;

/// The most types.
pub const MAX_TYPES: usize = 32;

const WHAT: &str = "the cutoffs by types";

/// The number of types of a symmetric table, which messages call `argument`, and its size `size`. Types have numbers from `base`
/// on.
pub(super) fn types_of_table<V: PartialEq>(
    [argument, size]: [&'static str; 2],
    table: &[V],
    base: i64,
) -> Result<usize> {
    let ntypes = table.len().isqrt();
    if ntypes * ntypes != table.len() || !(1..=MAX_TYPES).contains(&ntypes) {
        let allowed = format_args!("the square of 1 to {MAX_TYPES}");
        return Err(Error::not_allowed(Status::BadCount, size, table.len(), allowed));
    }
    let mut pairs = (0..ntypes).flat_map(|a| (0..a).map(move |b| [a, b]));
    if let Some([a, b]) = pairs.find(|&[a, b]| table[a * ntypes + b] != table[b * ntypes + a]) {
        let [row, column] = [a, b].map(|number| number as i64 + base);
        let at = format_args!("a table where {argument}({row}, {column}) differs from {argument}({column}, {row})");
        return Err(Error::not_allowed(Status::BadValue, argument, at, "symmetric"));
    }
    Ok(ntypes)
}

/// A cutoff for each pair of types, as the caller set it; 0 for types that are never neighbors.
#[derive(Debug)]
pub struct TypeTable {
    ntypes: usize,
    cutoffs: Vec<f64>,
    /// The number of the first type in messages.
    base: i64,
}

holds! { TypeTable { cutoffs; ntypes, base } }

impl TypeTable {
    /// Takes up a symmetric table, whose types have numbers from `base` on.
    pub(super) fn new(cutoffs: &[f64], base: i64) -> Result<TypeTable> {
        let refused = cutoffs.iter().position(|&c| !(c.is_finite() && c >= 0.0));
        let ntypes = match refused {
            Some(_) => cutoffs.len().isqrt(), // NaN differs from itself
            None => types_of_table(["cutoffs", "size of cutoffs"], cutoffs, base)?,
        };
        let mut held = Vec::new();
        reserve_discarding(&mut held, cutoffs.len(), WHAT)?;
        held.extend_from_slice(cutoffs);
        let table = TypeTable {
            ntypes,
            cutoffs: held,
            base,
        };
        if let Some(at) = refused {
            return Err(table.refused(at, "0, or finite and greater than 0"));
        }
        if table.largest() == 0.0 {
            let allowed = "at least one cutoff greater than 0";
            return Err(Error::not_allowed(
                Status::BadCutoff,
                "cutoffs",
                "0 everywhere",
                allowed,
            ));
        }
        Ok(table)
    }

    /// The number of types.
    #[cfg(feature = "gpu")]
    pub fn ntypes(&self) -> usize {
        self.ntypes
    }

    /// Refuses to serve points that have another number of types.
    pub(super) fn check(&self, ntypes: usize) -> Result<()> {
        if ntypes == 0 {
            return Err(Error::BadState {
                missing: "types",
                remedy: "set_types",
            });
        }
        if ntypes != self.ntypes {
            let allowed = format_args!("{}, the number of types of the cutoffs", self.ntypes);
            let what = "number of types that points may have";
            return Err(Error::not_allowed(Status::BadCount, what, ntypes, allowed));
        }
        Ok(())
    }

    /// The largest cutoff of the table, including types without points.
    pub fn largest(&self) -> f64 {
        self.cutoffs.iter().copied().fold(0.0, f64::max)
    }

    /// The smallest cutoff greater than 0.
    pub(super) fn smallest(&self) -> f64 {
        let cutoffs = self.cutoffs.iter().copied();
        cutoffs.filter(|&cutoff| cutoff > 0.0).fold(f64::INFINITY, f64::min)
    }

    /// The cutoff of two types. 0 if the table has none.
    pub(super) fn of(&self, a: usize, b: usize) -> f64 {
        self.cutoffs.get(a * self.ntypes + b).copied().unwrap_or_default()
    }

    /// Whether two types may be neighbors at all.
    pub(super) fn reaches(&self, a: usize, b: usize) -> bool {
        self.of(a, b) > 0.0
    }

    /// Whether two types have the same cutoffs with all types.
    pub(super) fn are_alike(&self, a: usize, b: usize) -> bool {
        (0..self.ntypes).all(|other| self.of(a, other) == self.of(b, other))
    }

    /// The refusal of the cutoff at a place of the table.
    fn refused(&self, at: usize, allowed: impl std::fmt::Display) -> Error {
        let [a, b] = [at / self.ntypes, at % self.ntypes].map(|number| number as i64 + self.base);
        let value = format_args!("{} at ({a}, {b})", number(self.cutoffs[at]));
        Error::not_allowed(Status::BadCutoff, "cutoffs", value, allowed)
    }

    /// The bounds on distances squared of a search with a `skin`, which may be 0, in the precision of the points.
    pub fn bounds<T: Real>(&self, skin: f64, tie_rule: TieRule) -> Result<TypeBounds> {
        let mut bounds = Vec::new();
        for (at, &cutoff) in self.cutoffs.iter().enumerate() {
            let square = match cutoff > 0.0 {
                true => bound::<T>(cutoff + skin, tie_rule).map_err(|error| self.explained(at, skin, error))?,
                false => T::from_f64(-1.0),
            };
            push(&mut bounds, square.to_f64(), WHAT)?;
        }
        let ntypes = self.ntypes;
        Ok(TypeBounds { ntypes, bounds })
    }

    /// The error of a cutoff out of the range of a precision, with its place in the table.
    fn explained(&self, at: usize, skin: f64, error: Error) -> Error {
        match error {
            Error::NotAllowed { allowed, .. } if skin > 0.0 => {
                let allowed = format_args!("with the skin {}, {allowed}", number(skin));
                self.refused(at, allowed)
            }
            Error::NotAllowed { allowed, .. } => self.refused(at, allowed),
            error => error,
        }
    }

    /// The cutoffs of points of these types, in their precision.
    pub fn of_types<'a, T: Real>(&self, types: &'a [u8]) -> Result<TypeCutoffs<'a, T>> {
        let mut cutoffs = Vec::new();
        for &cutoff in &self.cutoffs {
            push(&mut cutoffs, T::from_f64(cutoff), WHAT)?;
        }
        let ntypes = self.ntypes;
        Ok(TypeCutoffs { types, ntypes, cutoffs })
    }
}

/// The bound on the distance squared of each pair of types, a number of the precision of the points; negative where they
/// are never neighbors.
#[derive(Debug)]
pub struct TypeBounds {
    ntypes: usize,
    bounds: Vec<f64>,
}

impl TypeBounds {
    /// The same bounds with `first` types before these, which are never neighbors.
    pub(super) fn behind(self, first: usize) -> Result<TypeBounds> {
        let (ntypes, mut bounds) = (first + self.ntypes, Vec::new());
        if first == 0 {
            return Ok(self);
        }
        for [a, b] in (0..ntypes).flat_map(|a| (0..ntypes).map(move |b| [a, b])) {
            let pair = a.checked_sub(first).zip(b.checked_sub(first));
            let bound = pair.map_or(-1.0, |(a, b)| self.bounds[a * self.ntypes + b]);
            push(&mut bounds, bound, WHAT)?;
        }
        Ok(TypeBounds { ntypes, bounds })
    }

    /// The types.
    pub fn ntypes(&self) -> usize {
        self.ntypes
    }

    /// The bounds of all pairs of types, row by row.
    pub fn all(&self) -> &[f64] {
        &self.bounds
    }

    /// The bound of points of two classes.
    #[inline]
    pub fn of<T: Real>(&self, row: u8, other: u8) -> T {
        T::from_f64(self.bounds[type_of(row) * self.ntypes + type_of(other)])
    }
}

impl TypeBounds {
    /// The shortest reach of points of a class; 0 where they have no neighbors.
    pub fn shortest(&self, class: u8) -> f64 {
        let of_class = self.bounds.chunks(self.ntypes).nth(type_of(class)).unwrap_or_default();
        let bounds = of_class.iter().copied().filter(|&bound| bound > 0.0);
        bounds.reduce(f64::min).unwrap_or_default().sqrt()
    }
}

/// The type of a class.
#[inline]
pub fn type_of(class: u8) -> usize {
    usize::from(class >> FLAGS)
}

/// The cutoff of two points by their types.
#[derive(Debug)]
pub struct TypeCutoffs<'a, T> {
    types: &'a [u8],
    ntypes: usize,
    cutoffs: Vec<T>,
}

impl<T: Real> TypeCutoffs<'_, T> {
    /// The cutoffs of all pairs of types, row by row.
    #[cfg(feature = "gpu")]
    pub fn cutoffs(&self) -> &[T] {
        &self.cutoffs
    }

    /// The cutoff of the points with two numbers of the caller's.
    #[inline]
    pub fn of(&self, i: usize, j: usize) -> T {
        let [mine, other] = [i, j].map(|point| usize::from(self.types[point]));
        self.cutoffs[mine * self.ntypes + other]
    }
}
