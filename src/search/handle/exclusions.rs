//! Exclusions: pairs that no row lists.

use super::Search;
use crate::error::Result;
use crate::exclusions::{ExcludedIds, ExcludedPairs, Shift};

impl Search {
    /// Sets pairs of points that are not neighbors, however near they are, such as atoms that bonds join. Point `i` does not
    /// list the points `ids[offsets[i] - base .. offsets[i + 1] - base]`, where `base` is the index base, from which the
    /// numbers of points begin, too. Each pair stands in the rows of both points, and a row may be in any order.
    ///
    /// `classes` gives each pair a class from 1 to 3, the same in both rows; without it all have class 1. A statement of a
    /// [`Formula`](crate::Formula) that reads `class` has the terms of all pairs within the cutoff, and `class` is 0 for
    /// pairs that are not excluded. Other statements have no terms of excluded pairs.
    ///
    /// Exclusions hold for pairs, rows of points, counts, chunks, Verlet lists and formulas, and not for rows of queries, k
    /// nearest neighbors, groups and many systems. They remain when points are set again, and the next query checks that
    /// there is a row for each point. No offsets at all remove them. On failure the previous exclusions remain.
    ///
    /// ```
    /// # use neargrid::{Formula, NeighborsKind, PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(1.5)?;
    /// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 2.0])?)?;
    /// search.set_exclusions(&[0, 1, 2, 2], &[1, 0], Some(&[2, 2]))?; // points 0 and 1
    /// let pairs = search.pairs()?;
    /// assert_eq!((pairs.left, pairs.right), (&[1][..], &[2][..]));
    /// let mut formula = Formula::new("count += 1; all += 1 + 10*class")?;
    /// search.run(&mut formula, NeighborsKind::Full, 1)?;
    /// assert_eq!(search.field::<f32>("count")?, [0.0, 1.0, 1.0]);
    /// assert_eq!(search.field::<f32>("all")?, [21.0, 22.0, 1.0]);
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn set_exclusions(&mut self, offsets: &[i64], ids: &[i32], classes: Option<&[i32]>) -> Result<()> {
        self.set_exclusions_shifts(offsets, ids, None, classes)
    }

    /// As [`set_exclusions`](Search::set_exclusions), of one image of each point in a cell: that by its shift, which has the meaning of the
    /// shifts of [`images`](Search::images). Without `shifts` a pair is excluded with all its images.
    ///
    /// A row may list a point several times, with a shift each, and its own point by shifts that are not 0. The point that row `i` lists as
    /// `(j, S)` lists `(i, -S)`, with the same class. Shifts are 0 along vectors that are not periodic, and everywhere where there is no
    /// cell; a query refuses others. It also refuses them in a periodic box.
    ///
    /// ```
    /// # use neargrid::{NeighborsKind, PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(2.5)?;
    /// search.set_cell(&[[1.0, 0.0, 0.0], [0.0; 3], [0.0; 3]], [true, false, false])?;
    /// search.set_points(&PointsView::interleaved(1, &[0.25])?)?;
    /// search.set_exclusions_shifts(&[0, 2], &[0, 0], Some(&[[1, 0, 0], [-1, 0, 0]]), None)?;
    /// assert_eq!(search.images(NeighborsKind::Full)?.shifts, [[-2, 0, 0], [2, 0, 0]]);
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn set_exclusions_shifts(
        &mut self,
        offsets: &[i64],
        ids: &[i32],
        shifts: Option<&[Shift]>,
        classes: Option<&[i32]>,
    ) -> Result<()> {
        let base = self.inputs.settings.index_base;
        self.inputs.exclusions.set(offsets, (ids, shifts), classes, base)
    }

    /// As [`set_exclusions`](Search::set_exclusions), but with the global ids of points instead of their numbers. Set the points
    /// and their ids before. Row `i` belongs to the present point `i`. From then on the exclusions follow the ids, also if the
    /// points get other numbers or their count changes. Ids without a point play no part. If no ids are set, the numbers of the
    /// points are their ids, and a query refuses ids that are set later.
    pub fn set_exclusions_by_ids(&mut self, offsets: &[i64], ids: &[i64], classes: Option<&[i32]>) -> Result<()> {
        self.set_exclusions_by_ids_shifts(offsets, ids, None, classes)
    }

    /// As [`set_exclusions_shifts`](Search::set_exclusions_shifts), with global ids as
    /// [`set_exclusions_by_ids`](Search::set_exclusions_by_ids) has them.
    pub fn set_exclusions_by_ids_shifts(
        &mut self,
        offsets: &[i64],
        ids: &[i64],
        shifts: Option<&[Shift]>,
        classes: Option<&[i32]>,
    ) -> Result<()> {
        let inputs = &mut self.inputs;
        let (base, len) = (inputs.settings.index_base, inputs.len);
        let rows = ExcludedIds::new(offsets, ids, classes, base)?.of_images(shifts, base)?;
        match rows.are_set() {
            true => inputs.exclusions.set_by_ids(rows, &inputs.ids, len, base),
            false => self.set_exclusions(&[], &[], None),
        }
    }

    /// Sets pairs by numbers, of points and of the ghosts after them, or none.
    pub(crate) fn put_exclusions(&mut self, pairs: Option<ExcludedPairs>) {
        if pairs.is_some() || self.inputs.exclusions.are_set() {
            self.inputs.exclusions.put(pairs.unwrap_or_default());
        }
    }
}
