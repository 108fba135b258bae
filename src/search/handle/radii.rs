//! Setting a radius for each point or query.

use super::Search;
use crate::error::Result;
use crate::points::Precision;
use crate::radii::{Radii, RadiusRule};

impl Search {
    /// Sets a radius for each point, in the precision of the points, and the rule that gives the cutoff of a pair from its two
    /// radii. While radii are set, cutoff and skin are not used. Each radius is 0, or finite and positive with a square in the
    /// range of a cutoff's square. Radii remain when points are set again, and the next query checks that they match the points.
    /// On failure the previous radii remain.
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

    /// Sets a radius for each query, which every rule except [`RadiusRule::Scatter`] needs. Where points have no radii, the rule is
    /// [`RadiusRule::Gather`], and rows of points have the cutoff. Otherwise as [`set_radii`](Search::set_radii).
    pub fn set_query_radii<T: Precision>(&mut self, radii: &[T]) -> Result<()> {
        self.inputs.radii.set_queries(radii, self.inputs.settings.index_base)
    }

    /// Removes the radii of the points, or those of the queries.
    pub(crate) fn remove_radii(&mut self, of_queries: bool) {
        self.inputs.radii.remove(of_queries);
    }

    /// Removes the radii of [`set_radii`](Search::set_radii) and [`set_query_radii`](Search::set_query_radii). The cutoff applies
    /// again.
    pub fn clear_radii(&mut self) {
        self.inputs.radii = Radii::default();
    }
}
