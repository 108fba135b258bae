//! Rows of images: what they are made from, and what the caller gets.

use super::inputs::Inputs;
use super::made_from::{ImagesOf, LayerOf};
use super::neighbors::NeighborsKind;
use crate::cell::{Cell, ImageRows, Layer};
use crate::domain::bound;
use crate::error::{Error, Result};
use crate::exclusions::ExcludedIds;
use crate::list::holds;
use crate::plan::Backend;
use crate::points::Precision;
use crate::version::Derived;

/// Rows of neighbors and their images in compressed form (CSR), in the handle's index base: row `i` is
/// `ids[offsets[i] - base .. offsets[i + 1] - base]`, and `shifts` likewise.
#[derive(Clone, Copy, Debug)]
pub struct Images<'a> {
    /// One more element than rows. The first is the index base.
    pub offsets: &'a [i64],
    /// Point numbers, ascending within a row, or ordered by the global ids if points have them.
    pub ids: &'a [i32],
    /// The shift of each entry: image `j` is at `x_j + S1*a + S2*b + S3*c`, with `x_j` as it was given. Entries of one point
    /// ascend by `S1`, then `S2`, then `S3`.
    pub shifts: &'a [[i32; 3]],
}

/// Rows of images in memory of the handle, and the layer in which candidates were searched.
#[derive(Debug, Default)]
pub struct ImagesMade {
    pub layer: Derived<LayerOf, Layer>,
    pub rows: Derived<ImagesOf, ImageRows>,
}

holds! { ImagesMade { layer, rows } }

impl ImagesMade {
    /// The rows made last.
    pub fn show(&self) -> Images<'_> {
        let rows = self.rows.get();
        Images {
            offsets: &rows.offsets,
            ids: &rows.ids,
            shifts: &rows.shifts,
        }
    }
}

/// So few points are tested with all images of a layer: to search among these takes longer, and memory for each.
const FEW: usize = 8;

impl Inputs {
    /// Whether all images of a layer are tested for each row. A GPU that is asked for searches among them, and so does who brings them
    /// into the order of ids.
    pub fn tests_all_images(&self) -> bool {
        self.owned() <= FEW && self.ids.ascend() && self.settings.asked_backend() != Backend::Gpu
    }

    /// Rows of images list each pair with a point before this number once.
    pub fn listed_once(&self, kind: NeighborsKind) -> usize {
        match kind {
            NeighborsKind::Half if self.kinds.lists_all_ghosts() => self.owned(),
            NeighborsKind::Half => self.len,
            _ => 0,
        }
    }

    /// The cell, if its images can be searched among points of `dim` axes, and the largest distance squared of a pair.
    pub fn cell_for<T: Precision>(&self, kind: NeighborsKind, dim: usize) -> Result<(Cell, T)> {
        let cell = self.cell.ok_or(Error::BadState {
            missing: "cell",
            remedy: "set_cell",
        })?;
        cell.check_dim(dim)?;
        let refused = [
            (kind.is_of_queries(), "images of points around queries"),
            (self.queries.is_some(), "images with queries (set_queries)"),
            (self.radii.are_set(), "images with radii (set_radii)"),
            (
                self.kinds.active_of(self.len)? < self.owned(),
                "images with ghosts (set_active or set_roles)",
            ),
        ];
        if let Some(&(_, what)) = refused.iter().find(|(is_set, _)| *is_set) {
            return Err(Error::NotSupported { what });
        }
        self.kinds.check(self.len)?;
        self.check_ids()?;
        self.check_exclusions(kind)?;
        if let Some(table) = self.type_cutoffs(kind) {
            self.check_type_cutoffs::<T>(table, (kind, false))?;
        }
        Ok((cell, bound(self.cutoff(kind)?, self.settings.tie_rule)?))
    }

    /// Refuses exclusions that are not those of the points, and shifts that no row of a kind has.
    pub fn check_exclusions(&self, kind: NeighborsKind) -> Result<()> {
        self.exclusions.check(self.len, &self.ids)?;
        if kind.is_of_queries() || !self.exclusions.are_of_images() {
            return Ok(());
        }
        let (periodic, has_cell) = self.vectors_of_images()?;
        self.exclusions
            .check_along(periodic, has_cell, self.settings.index_base)
    }

    /// As [`check_exclusions`](Inputs::check_exclusions), of the rows of a rank, which also has pairs with points that are not here.
    pub fn check_exclusions_across(&self, kind: NeighborsKind, rows: &ExcludedIds) -> Result<()> {
        if kind.is_of_queries() || !rows.are_of_images() {
            return Ok(());
        }
        let (periodic, has_cell) = self.vectors_of_images()?;
        rows.check_along(periodic, has_cell, self.settings.index_base)
    }

    /// The vectors along which images may be excluded, and whether there is a cell; refused in a periodic box.
    fn vectors_of_images(&self) -> Result<([bool; 3], bool)> {
        if self.settings.domain.longest_period() > 0.0 {
            // Points are brought into a box, so that shifts from where they were given are not known.
            return Err(Error::NotSupported {
                what: "exclusions by shifts in a periodic box (use a cell: set_cell)",
            });
        }
        let periodic = |axis: usize| self.cell.is_some_and(|cell| cell.is_periodic(axis));
        Ok(([0, 1, 2].map(periodic), self.cell.is_some()))
    }
}
