//! The reach of images: the parts around a cell where they are searched, and the refusal of what real numbers cannot tell apart.
//!
//! in: a cell, a cutoff, and how far points are from the origin; out: a [`Reach`]; `docs/proofs/cell.md`.

use std::fmt;

use super::vectors::Cell;
use crate::error::{Error, Result, Status, Words, number, words};
use crate::real::Real;

/// The largest component of a shift, so that differences of moves fit into 32 bits.
const MOST: f64 = (1 << 29) as f64;

/// The parts of the cell's faces that are in reach, and the cutoff of the open search.
pub(super) struct Reach {
    cutoff: f64,
    /// The distance that rounding moves an image by, at most.
    rounding: f64,
    /// The reach along each periodic axis, in lengths of that axis.
    places: [f64; 3],
}

impl Reach {
    /// The reach around a cell for points of which `farthest` is how far they are from the origin.
    pub(super) fn new<T: Real>(cell: &Cell, cutoff: f64, farthest: f64) -> Result<Reach> {
        let (needs, lattice) = (Needs::new::<T>(cell, cutoff, farthest), cell.lattice());
        if !needs.are_met(cutoff) {
            return Err(refused::<T>(cell, cutoff, farthest));
        }
        let larger = cutoff * (1.0 + 32.0 * T::ROUNDOFF) + needs.rounding;
        let mut places = [0.0; 3];
        for axis in axes(cell) {
            places[axis] = larger / lattice.height(axis) * (1.0 + 1.0 / 32.0) + blur(cell, farthest, axis) + 1e-12;
        }
        Ok(Reach {
            cutoff: larger,
            rounding: needs.rounding,
            places,
        })
    }

    /// The cutoff of the open search, which no pair within reach exceeds.
    pub(super) fn cutoff(&self) -> f64 {
        self.cutoff
    }

    /// The distance that rounding moves an image by, at most.
    pub(super) fn rounding(&self) -> f64 {
        self.rounding
    }

    /// The axis along which most images are in reach.
    pub(super) fn longest(&self) -> usize {
        let longer = |a: usize, b: usize| if self.places[b] > self.places[a] { b } else { a };
        (1..3).fold(0, longer)
    }

    /// The first and the last move that brings a place from inside the cell to where the cell is in reach.
    pub(super) fn moves(&self, cell: &Cell, places: [f64; 3]) -> [[f64; 2]; 3] {
        std::array::from_fn(|axis| match cell.is_periodic(axis) {
            true => [
                (-self.places[axis] - places[axis]).ceil(),
                (1.0 + self.places[axis] - places[axis]).floor(),
            ],
            false => [0.0; 2],
        })
    }
}

fn axes(cell: &Cell) -> impl Iterator<Item = usize> {
    let cell = *cell;
    (0..3).filter(move |&axis| cell.is_periodic(axis))
}

/// The distance of a computed place from that of the point, at most, in lengths of an axis.
fn blur(cell: &Cell, farthest: f64, axis: usize) -> f64 {
    3.0 * cell.lattice().error * farthest / cell.lattice().height(axis)
}

/// The errors and the numbers that images have, at most.
struct Needs {
    /// The distance that rounding moves an image by.
    rounding: f64,
    /// The largest component of a shift.
    shift: f64,
    /// The error of a place, in lengths of an axis.
    blur: f64,
}

/// The things that images may have too much of, in the order of [`Needs::shares`].
#[derive(Clone, Copy, Debug, PartialEq)]
enum Excess {
    Rounding,
    Shift,
    Blur,
}

const EXCESSES: [Excess; 3] = [Excess::Rounding, Excess::Shift, Excess::Blur];

impl Needs {
    fn new<T: Real>(cell: &Cell, cutoff: f64, farthest: f64) -> Needs {
        let lattice = cell.lattice();
        let across = |axis| lattice.length(axis) * (3.0 * cutoff / lattice.height(axis) + 3.0);
        let farthest_image = farthest + axes(cell).map(across).sum::<f64>();
        let (mut extent, mut shift) = (farthest, 0.0);
        for axis in axes(cell) {
            let shifts = 2.0 * (farthest_image + 2.0 * cutoff) / cell.height(axis) + 2.0;
            extent += shifts * cell.length(axis);
            shift = shifts.max(shift);
        }
        Needs {
            rounding: (13.0 * T::ROUNDOFF + 26.0 * f64::ROUNDOFF) * extent,
            shift,
            blur: axes(cell).map(|axis| blur(cell, farthest, axis)).fold(0.0, f64::max),
        }
    }

    fn are_met(&self, cutoff: f64) -> bool {
        self.rounding <= cutoff && self.shift <= MOST && self.blur <= 1.0
    }

    /// Each by the most that is allowed.
    fn shares(&self, cutoff: f64) -> [f64; 3] {
        [self.rounding / cutoff, self.shift / MOST, self.blur]
    }
}

/// The refusal of points, a cutoff or a cell, for which images would be lost among roundings or have too large shifts.
fn refused<T: Real>(cell: &Cell, cutoff: f64, farthest: f64) -> Error {
    let needs = |cutoff: f64, farthest: f64| Needs::new::<T>(cell, cutoff, farthest);
    let reason = |excess: Excess| match excess {
        Excess::Rounding => words(format_args!(
            "so that rounding in {} moves no image by the cutoff ({})",
            T::NAME,
            number(cutoff)
        )),
        Excess::Shift => words(format_args!("so that no shift of an image is above {MOST}")),
        Excess::Blur => words("so that it is certain in which cell a point is"),
    };
    let wrong = |argument, value: fmt::Arguments, allowed: fmt::Arguments| {
        Error::not_allowed(Status::BadDomain, argument, value, allowed)
    };
    if needs(cutoff, 0.0).are_met(cutoff) {
        let (excess, most) = farthest_allowed(|farthest| needs(cutoff, farthest).shares(cutoff), farthest);
        let (value, reason) = (number(farthest), reason(excess));
        let allowed = format_args!("at most {}, {reason}", about(0.995 * most)); // it is not rounded up
        return wrong(
            "the distance of a point from the origin",
            format_args!("{value}"),
            allowed,
        );
    }
    let [one, two] = [1.0, 2.0].map(|times| needs(times * cutoff, 0.0).shares(times * cutoff));
    let excess = EXCESSES.into_iter().find(|&excess| one[excess as usize] > 1.0);
    let excess = excess.unwrap_or(Excess::Rounding);
    let [one, two] = [one, two].map(|shares| shares[excess as usize]);
    // One share is a sum of two parts: the cell's, which stays, and the cutoff's, by which that of rounding is divided.
    let (of_cell, words_of, better) = match excess {
        Excess::Rounding => {
            let of_cell = 2.0 * two - one;
            (of_cell, "at least", 1.005 * cutoff * (one - of_cell) / (1.0 - of_cell))
        }
        _ => {
            let of_cell = 2.0 * one - two;
            (of_cell, "at most", 0.995 * cutoff * (1.0 - of_cell) / (one - of_cell))
        }
    };
    let reason = reason(excess);
    match of_cell < 1.0 && needs(better, 0.0).are_met(better) {
        true => wrong(
            "cutoff",
            format_args!("{}", number(cutoff)),
            format_args!("{words_of} {}, {reason}", about(better)),
        ),
        false => wrong(
            "the cell",
            format_args!("{cell}"),
            format_args!("nearer to a cube, {reason}"),
        ),
    }
}

/// Three digits of a number, or all before the point.
fn about(value: f64) -> Words {
    let digits = (2.0 - value.log10().floor()).max(0.0) as usize;
    match (1e-4..1e7).contains(&value) {
        true => words(format_args!("{value:.digits$}")),
        false => words(format_args!("{value:.2e}")),
    }
}

/// The largest distance that is allowed beside what is not at `refused`, and the reason: shares grow in a line with the distance, and are
/// allowed at the origin.
fn farthest_allowed(shares: impl Fn(f64) -> [f64; 3], refused: f64) -> (Excess, f64) {
    let (near, mut far) = (shares(0.0), refused.min(f64::MAX));
    while shares(far).iter().any(|share| !share.is_finite()) {
        far *= 1e-10;
    }
    let most = |excess: Excess| {
        let [near, beyond] = [near, shares(far)].map(|shares| shares[excess as usize]);
        (excess, far * (1.0 - near) / (beyond - near))
    };
    let nearer = |a: (Excess, f64), b: (Excess, f64)| if b.1 < a.1 { b } else { a };
    let all = EXCESSES.map(most);
    nearer(nearer(all[0], all[1]), all[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<T: Real>(vectors: [[f64; 3]; 3], periodic: [bool; 3], cutoff: f64, farthest: f64) -> Option<String> {
        let cell = Cell::new(&vectors, periodic).unwrap();
        let refused = Reach::new::<T>(&cell, cutoff, farthest).err();
        refused.map(|error| {
            assert_eq!(error.status(), Status::BadDomain);
            error.to_string()
        })
    }

    /// The number that a text allows.
    fn named(text: &str, words: &str) -> f64 {
        let (_, rest) = text.split_once(words).unwrap_or_else(|| panic!("{words} in {text}"));
        let number = rest.split([',', ' ']).find(|part| !part.is_empty()).unwrap();
        number.parse().unwrap_or_else(|_| panic!("{number} in {text}"))
    }

    const CUBE: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// Reduced by pairs, and nearly flat all the same.
    const FLAT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 1e-6]];

    /// Each reason to refuse a point says how far points may be. Points there are allowed, and none 2 percent farther away.
    #[test]
    fn points_too_far_away() {
        let check = |text: &dyn Fn(f64) -> Option<String>, reason: &str, about: f64| {
            for far in [1.5 * about, 1e3 * about, 1e30 * about, f64::MAX, f64::INFINITY] {
                let refused = text(far).unwrap_or_else(|| panic!("{reason}: {far} is allowed"));
                assert!(
                    refused.contains(reason) && refused.contains("from the origin = "),
                    "{refused}"
                );
                let most = named(&refused, "at most ");
                assert!((0.9..1.1).contains(&(most / about)), "{refused}");
                assert_eq!(text(most), None, "{refused}");
                assert!(text(1.02 * most).is_some_and(|text| text.contains(reason)), "{refused}");
            }
        };
        let all = [true; 3];
        check(
            &|far| text::<f64>(CUBE, all, 0.31, far),
            "shift of an image is above 536870912",
            2.68e8,
        );
        check(&|far| text::<f64>(CUBE, all, 1e-6, far), "rounding in real64", 3.29e7);
        check(
            &|far| text::<f64>(FLAT, all, 1e-5, far),
            "in which cell a point is",
            6.87,
        );
        check(&|far| text::<f32>(CUBE, all, 0.31, far), "rounding in real32", 5.72e4);
        let line = [true, false, false];
        check(
            &|far| text::<f32>(CUBE, line, 2e3, far),
            "shift of an image is above 536870912",
            2.68e8,
        );
    }

    /// Some cutoffs are refused wherever points are. The text names a cutoff that is allowed, or says that the cell has none.
    #[test]
    fn cutoffs_and_cells() {
        let large = CUBE.map(|vector| vector.map(|x| 1e6 * x));
        let long = [[1e6, 0.0, 0.0], [0.0, 1e-6, 0.0], [0.0, 0.0, 1.0]];
        type Text = fn([[f64; 3]; 3], [bool; 3], f64, f64) -> Option<String>;
        type Case = (Text, [[f64; 3]; 3], f64, &'static str, &'static str);
        let cases: [Case; 5] = [
            (text::<f32>, large, 0.1, "at least ", "rounding in real32"),
            (text::<f64>, large, 1e-9, "at least ", "rounding in real64"),
            (text::<f64>, CUBE, 1e9, "at most ", "above 536870912"),
            (text::<f64>, long, 1.0, "nearer to a cube", "above 536870912"),
            (text::<f32>, long, 1.0, "nearer to a cube", "rounding in real32"),
        ];
        for (text, vectors, cutoff, words, reason) in cases {
            let refused = text(vectors, [true; 3], cutoff, 0.0).unwrap();
            assert!(refused.contains(words) && refused.contains(reason), "{refused}");
            assert_eq!(text(vectors, [true; 3], cutoff, 1e9), Some(refused.clone()));
            if words.starts_with("at ") {
                let better = named(&refused, words);
                assert!(refused.starts_with("cutoff = "), "{refused}");
                assert_eq!(text(vectors, [true; 3], better, 0.0), None, "{refused}");
                let worse = if words == "at least " {
                    better / 1.02
                } else {
                    better * 1.02
                };
                assert!(text(vectors, [true; 3], worse, 0.0).is_some(), "{refused}");
            } else {
                assert!(refused.starts_with("the cell = [["), "{refused}");
            }
        }
    }
}
