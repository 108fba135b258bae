//! Cutoffs by pairs of types: a search by the largest one, in which the classes of two points decide how far they reach.
//!
//! in: [`Classes`] with bounds, the units of a grid; out: [`ByTypes`], the bounds of any two classes, and [`Uppers`], those of
//! a leaf's targets for the kernels.

use super::kernels::quantized::find::{TestByTypes, TestFixed};
use super::kernels::quantized::{TARGET_PADDING, WORD};
use super::quantized::LeafBox;
use crate::error::Result;
use crate::grid::{FixedBounds, Grid, ZOOMS};
use crate::kinds::{CLASSES, Classes, MAX_TYPES, TypeBounds, type_of};
use crate::list::{Aligned, holds, push, resize_discarding};
use crate::real::Real;

const WHAT: &str = "the cutoffs of a leaf's targets";

/// Classes of rows whose bounds are looked up at once.
const ROWS: usize = 4;

/// The bounds of pairs of classes in the units of a grid.
#[derive(Debug)]
pub struct ByTypes {
    ntypes: usize,
    /// For each pair of types.
    fixed: Vec<FixedBounds>,
    /// For each zoom and the class of a row, for each class the upper bound and 1; 0 where the row does not list it.
    uppers: Vec<i16>,
    /// A hit whose distance is at least so much below its upper bound and 1 is sure, whatever the types are: for each zoom.
    margins: [i16; ZOOMS],
}

impl ByTypes {
    /// The bounds of points of a precision, whose differences err by `slack` along periodic axes.
    pub fn new<T: Real>(classes: &Classes, exact: &TypeBounds, grid: &Grid, slack: f64) -> Result<ByTypes> {
        let (mut fixed, mut margins) = (Vec::new(), [1; ZOOMS]);
        for &bound in exact.all() {
            let bounds = grid.fixed_bounds(T::from_f64(bound), slack);
            for (margin, coarse) in margins.iter_mut().zip(&bounds.coarse) {
                *margin = coarse.upper.saturating_sub(coarse.lower).saturating_add(1).max(*margin);
            }
            push(&mut fixed, bounds, WHAT)?;
        }
        let mut made = ByTypes {
            ntypes: exact.ntypes(),
            fixed,
            uppers: Vec::new(),
            margins,
        };
        made.set_uppers(classes)?;
        Ok(made)
    }

    fn set_uppers(&mut self, classes: &Classes) -> Result<()> {
        let count = self.classes();
        resize_discarding(&mut self.uppers, ZOOMS * count * count, 0, WHAT)?;
        for (at, upper) in self.uppers.iter_mut().enumerate() {
            let [zoom, row, other] = [at / (count * count), at / count % count, at % count];
            if classes.allows(row as u8, other as u8) {
                let bounds = &self.fixed[type_of(row as u8) * self.ntypes + type_of(other as u8)];
                *upper = bounds.coarse[zoom].upper.saturating_add(1);
            }
        }
        Ok(())
    }

    /// The number of classes that points of these types may have.
    fn classes(&self) -> usize {
        self.ntypes * CLASSES / MAX_TYPES
    }

    /// The bounds of points of two classes.
    #[inline]
    pub fn fixed(&self, row: u8, other: u8) -> &FixedBounds {
        &self.fixed[type_of(row) * self.ntypes + type_of(other)]
    }

    /// The upper bounds of a class of rows and each other class, and 1.
    fn row(&self, zoom: u32, row: u8) -> &[i16] {
        let count = self.classes();
        &self.uppers[(zoom as usize * count + usize::from(row)) * count..][..count]
    }
}

/// The upper bounds of a leaf's targets: for each class that a member has, one for each target.
#[derive(Debug, Default)]
pub struct Uppers {
    uppers: Aligned<i16>,
    /// For each member, the start of the bounds of its class.
    starts: Vec<u32>,
    margin: i16,
}

holds! { Uppers { uppers, starts; margin } }

impl Uppers {
    /// Takes up the targets of a leaf, for the members at `ranks`.
    pub fn load(&mut self, by_types: &ByTypes, leaf: &LeafBox, ranks: &[u16]) -> Result<()> {
        let (len, stride) = (
            leaf.targets.len,
            (leaf.targets.len + TARGET_PADDING).next_multiple_of(WORD),
        );
        let class = |rank: usize| leaf.around.classes[leaf.number(rank)];
        // The classes of members in the order in which they are met, and for each class the start of its bounds.
        let (mut rows, mut found, mut starts) = ([0; CLASSES], 0, [u32::MAX; CLASSES]);
        self.starts.clear();
        for &rank in ranks {
            let row = class(rank.into());
            let start = &mut starts[usize::from(row) % CLASSES];
            if *start == u32::MAX {
                *start = (found * stride) as u32;
                (rows[found], found) = (row, found + 1);
            }
            push(&mut self.starts, *start, WHAT)?;
        }
        self.margin = by_types.margins[leaf.zoom.bits as usize];
        self.uppers.grow(found.next_multiple_of(ROWS) * stride, WHAT)?;
        for (rows, uppers) in (rows[..found].chunks(ROWS)).zip(self.uppers.chunks_exact_mut(ROWS * stride)) {
            let mut table = [[0; ROWS]; CLASSES];
            for (k, &row) in rows.iter().enumerate() {
                let of_row = table.iter_mut().zip(by_types.row(leaf.zoom.bits, row));
                of_row.for_each(|(to, &upper)| to[k] = upper);
            }
            let (first, rest) = uppers.split_at_mut(stride);
            let (second, rest) = rest.split_at_mut(stride);
            let (third, fourth) = rest.split_at_mut(stride);
            let columns = first[..len].iter_mut().zip(&mut second[..len]);
            let columns = columns.zip(third[..len].iter_mut().zip(&mut fourth[..len]));
            for (((a, b), (c, d)), &index) in columns.zip(leaf.targets.index) {
                let class = leaf.around.classes[usize::from(index as u16)];
                [*a, *b, *c, *d] = table[usize::from(class) % CLASSES];
            }
        }
        Ok(())
    }

    /// A test of members by the bounds of their classes, of those from `first` on.
    pub fn test<'a>(&'a self, test: TestFixed<'a>, first: usize) -> TestByTypes<'a> {
        TestByTypes {
            test,
            uppers: &self.uppers,
            starts: &self.starts[first..],
            margin: self.margin,
        }
    }
}
