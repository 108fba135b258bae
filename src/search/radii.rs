//! A radius per point: setting radii.

use super::{Precision, Search};
use crate::error::Result;
use crate::radii::{Radii, RadiusRule};

impl Search {
    /// Sets a radius per point, in the precision of the points, and which cutoff two points have by them. As long as radii are
    /// set, cutoff and skin are not used. Each is finite, greater than 0, and has a square in the range a cutoff's must be
    /// in. They are checked against the points by the next query, and stay when points are set anew. On failure nothing
    /// changes.
    ///
    /// ```
    /// # use neargrid::{PointsView, RadiusRule, Search};
    /// let mut search = Search::new()?;
    /// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 3.0])?)?;
    /// search.set_radii(&[1.5, 0.5, 2.5], RadiusRule::Max)?;
    /// let pairs = search.pairs()?;
    /// assert_eq!((pairs.left, pairs.right), (&[0, 1][..], &[1, 2][..]));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn set_radii<T: Precision>(&mut self, radii: &[T], rule: RadiusRule) -> Result<()> {
        self.inputs.radii.set(radii, rule, self.inputs.settings.index_base)
    }

    /// Sets a radius per query, which every rule but [`RadiusRule::Scatter`] asks for; all else as for
    /// [`set_radii`](Search::set_radii).
    pub fn set_query_radii<T: Precision>(&mut self, radii: &[T]) -> Result<()> {
        self.inputs.radii.set_queries(radii, self.inputs.settings.index_base)
    }

    /// Undoes [`set_radii`](Search::set_radii) and [`set_query_radii`](Search::set_query_radii): the cutoff counts again.
    pub fn clear_radii(&mut self) {
        self.inputs.radii = Radii::default();
    }
}
