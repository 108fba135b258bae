//! Ghosts of other ranks: points after those of the handle, which rows list and which have no rows of their own.

use super::Search;
use super::skin::Moved;
use crate::cell::{Cell, Torus, farthest};
use crate::error::{Error, Result, Status, Words, words};
use crate::exclusions::ExcludedIds;
use crate::list::push;
use crate::points::{PointsView, Precision, Real, Values};
use crate::search::neighbors::NeighborsKind;
use crate::search::precision::{by_precision, in_precision};
use crate::search::restored::restoring;
use crate::version::Version;

/// The name and the value of a fact that ranks compare.
type Fact = (&'static str, Words);

impl Search {
    /// Makes the points of `parts` the ghosts, one part after the other, in the place of those before. Queries stay.
    pub(crate) fn set_ghosts<T: Precision>(&mut self, parts: &[PointsView<T>]) -> Result<()> {
        let (owned, queries) = (self.inputs.owned(), self.inputs.queries);
        self.inputs.kinds.set_foreign(None);
        if self.inputs.ghosts == 0 && parts.iter().all(PointsView::is_empty) {
            return Ok(());
        }
        self.points_home()?;
        let len = self.inputs.len;
        self.inputs.set_len(owned);
        self.forget_ghosts(); // the plan that brings others may fail
        let points = &mut self.session_of::<T>()?.points;
        let after = points.take_from(len)?;
        points.truncate(owned);
        let added = parts.iter().try_for_each(|part| points.extend(part));
        let ghosts = points.len() - owned;
        let back = added.and_then(|()| points.put_back(&after));
        if back.is_err() {
            points.truncate(owned);
        }
        back?;
        (self.inputs.len, self.inputs.ghosts, self.inputs.queries) = (owned + ghosts, ghosts, queries);
        self.inputs.kinds.set_foreign((ghosts > 0).then_some(owned));
        Ok(())
    }

    /// Forgets the ids of ghosts that the handle has no more. Queries leave ghosts where they are.
    pub(crate) fn forget_ghosts(&mut self) {
        self.inputs.ids.keep(self.inputs.len);
    }

    /// Makes the points of `view` those of the handle, without ghosts. They are others, or have moved too far.
    pub(crate) fn take_others<T: Precision>(&mut self, view: &PointsView<T>, moved: Option<Moved>) -> Result<()> {
        self.set_points(view)?;
        self.forget_ghosts();
        self.note(moved);
        Ok(())
    }

    /// The points that the handle holds are these as long as the version is the same, wherever they move.
    pub(crate) fn lineage(&self) -> Version {
        self.session.stamp().lineage
    }

    /// The facts that must be equal on all ranks for rows of a kind, if a kind is given: names and values. The first set is that of
    /// ranks with points or queries, and the second that of ranks with points. The third is that of ranks that know the rule for
    /// the radii of queries.
    pub(crate) fn shared(&self, kind: Option<NeighborsKind>) -> Result<[Option<Vec<Fact>>; 3]> {
        const OF_QUERIES: NeighborsKind = NeighborsKind::Queries;
        let inputs = &self.inputs;
        let (has_points, has_queries) = (!self.is_empty(), inputs.queries.is_some_and(|queries| queries > 0));
        let rule_of = |kind| words(format_args!("{:?}", inputs.radius_rule(kind)));
        let asked_about = has_queries || has_points && inputs.radii.are_set();
        let made = |facts: &mut dyn Iterator<Item = Fact>, are_there: bool| {
            let mut made = Vec::new();
            for fact in facts.filter(|_| are_there) {
                push(&mut made, fact, "the settings that ranks compare")?;
            }
            Ok(are_there.then_some(made))
        };
        let of_points = [
            ("radius rule", rule_of(NeighborsKind::Full)),
            ("types", words(format_args!("{:?}", inputs.kinds.rules()))),
        ];
        let of_queries = [("radius rule of queries", rule_of(OF_QUERIES))];
        Ok([
            made(&mut self.settings_in_words().into_iter(), has_points || has_queries)?,
            made(&mut of_points.into_iter(), has_points)?,
            made(&mut of_queries.into_iter(), kind == Some(OF_QUERIES) && asked_about)?,
        ])
    }

    fn settings_in_words(&self) -> [Fact; 9] {
        let (inputs, settings) = (&self.inputs, &self.inputs.settings);
        let of_points = match self.is_single() {
            Some(true) => f32::NAME,
            _ => f64::NAME,
        };
        [
            ("dim", words(self.dim())),
            ("precision", Words::Borrowed(of_points)),
            ("cutoff", settings.cutoff.map_or(Words::Borrowed("none"), words)),
            ("skin", words(settings.skin)),
            ("radius of k nearest", words(format_args!("{:?}", settings.knn_within))),
            ("tie rule", words(format_args!("{:?}", settings.tie_rule))),
            ("box", words(format_args!("{:?}", settings.domain))),
            ("cell", inputs.cell.map_or(Words::Borrowed("none"), words)),
            ("index base", words(settings.index_base)),
        ]
    }

    /// Refuses inputs that ranks do not have yet, excluded pairs that no row of a kind has, and a cell for what is not by rows.
    pub(crate) fn check_across(
        &self,
        is_by_rows: bool,
        kind: Option<NeighborsKind>,
        excluded: &ExcludedIds,
    ) -> Result<()> {
        self.check_points_held()?;
        kind.map_or(Ok(()), |kind| self.inputs.check_exclusions_across(kind, excluded))?;
        match is_by_rows {
            true => Ok(()),
            false => self.inputs.check_no_cell(),
        }
    }

    /// Whether lists with a skin may be kept while points move. A cell has no such list.
    pub(crate) fn has_a_skin(&self) -> bool {
        self.inputs.settings.skin > 0.0 && self.inputs.cell.is_none()
    }

    /// The cell, if one is set.
    pub(crate) fn cell(&self) -> Option<Cell> {
        self.inputs.cell
    }

    /// The largest distance of a point that is no ghost from the origin; 0 without a cell, which alone needs it.
    pub(crate) fn farthest(&mut self) -> Result<f64> {
        if self.inputs.cell.is_none() || self.is_empty() {
            return Ok(0.0);
        }
        self.points_home()?;
        let owned = self.inputs.owned();
        Ok(in_precision!(&self.session, session => farthest(session.points.axes(), owned), none => 0.0))
    }

    /// The torus of the cell, if there is one, for points of all ranks of which the farthest is so far from the origin.
    pub(crate) fn torus<T: Precision>(&self, cutoff: f64, farthest: f64) -> Result<Option<Torus>> {
        if cutoff == 0.0 {
            return self.inputs.settings.cutoff().map(|_| None); // no rank has one
        }
        let torus = |cell: &Cell| Torus::new::<T>(cell, cutoff, farthest);
        self.inputs.cell.as_ref().map(torus).transpose()
    }

    /// The versions of what the points have beside coordinates, of which ghosts have a part: types and roles, and radii.
    pub(crate) fn versions_of_ghosts(&self) -> [Version; 2] {
        [self.inputs.kinds.version(), self.inputs.radii.version()]
    }

    /// The types and radii that the caller set; refused where there are not as many as points.
    pub(crate) fn own_types_and_radii(&self) -> Result<(&[u8], &Values)> {
        let (owned, types, (radii, len)) = (
            self.inputs.owned(),
            self.inputs.kinds.own_types(),
            self.inputs.radii.own(),
        );
        let (has_types, has_radii) = (!types.is_empty(), self.inputs.radii.are_set());
        for (what, len, is_set) in [
            ("number of types", types.len(), has_types),
            ("number of radii", len, has_radii),
        ] {
            if is_set && len != owned {
                let allowed = format_args!("{owned}, the number of points");
                return Err(Error::not_allowed(Status::BadCount, what, len, allowed));
            }
        }
        by_precision!(self.session, T => self.inputs.radii.check_precision::<T>())?;
        Ok((types, radii))
    }

    /// The roles of the points that the caller set, as they travel; none where all are active.
    pub(crate) fn own_roles(&self) -> Result<Vec<u8>> {
        let mut flags = Vec::new();
        self.inputs.kinds.write_own_flags(self.inputs.owned(), &mut flags)?;
        Ok(flags)
    }

    /// Gives ghosts the roles that they have at home; `None`: the points of all ranks are active.
    pub(crate) fn set_foreign_roles(&mut self, flags: Option<&Vec<u8>>) -> Result<()> {
        let (kinds, owned) = (&mut self.inputs.kinds, self.inputs.len - self.inputs.ghosts);
        match flags {
            Some(flags) => kinds.set_foreign_roles(owned, flags),
            None if kinds.roles().are_across() => {
                kinds.set_foreign((self.inputs.ghosts > 0).then_some(owned));
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Gives ghosts their types and radii, those of real numbers as bytes.
    pub(crate) fn set_types_and_radii(&mut self, types: &[u8], radii: &[u8]) -> Result<()> {
        if !self.inputs.kinds.own_types().is_empty() {
            self.inputs.kinds.set_ghosts(types)?;
        }
        match self.inputs.radii.are_set() {
            true => self.inputs.radii.set_ghosts(radii),
            false => Ok(()),
        }
    }

    /// The distance within which points may be neighbors in rows of a kind.
    pub(crate) fn distance_of(&self, kind: NeighborsKind) -> Result<f64> {
        let inputs = &self.inputs;
        match inputs.type_cutoffs(kind) {
            _ if inputs.is_by_radii(kind) => Ok(inputs.radii.most()),
            Some(table) => Ok(table.largest()), // other ranks may have points of other types
            None => inputs.cutoff(kind),
        }
    }

    /// The distance within which points may link into groups: these have the one cutoff, also where types have others.
    pub(crate) fn linking_distance(&self) -> Result<f64> {
        self.inputs.settings.cutoff()
    }

    /// The skin of lists of a kind; 0 where there are no such lists.
    pub(crate) fn skin_of(&self, kind: NeighborsKind) -> f64 {
        match self.inputs.has_skin(kind) {
            true => self.inputs.settings.skin,
            false => 0.0,
        }
    }

    /// Lists with a skin that were made of the points are no longer theirs.
    pub(crate) fn forget_lineage(&mut self) {
        in_precision!(&mut self.session, session => session.points.come_back(), none => ());
    }

    /// A distance, rounded as the points are.
    pub(crate) fn rounded(&self, distance: f64) -> f64 {
        in_precision!(&self.session, session => session.points.rounded(distance), none => distance)
    }

    /// Moves the points to those of `view`, which has the ghosts after the points. A list with a skin keeps them all.
    pub(crate) fn move_with_ghosts<T: Precision>(&mut self, view: &PointsView<T>, moved: Option<Moved>) -> Result<()> {
        let ghosts = std::mem::take(&mut self.inputs.ghosts);
        let done = restoring(
            self,
            |search| search.take_moved(view, moved, true),
            |search| {
                search.inputs.ghosts = ghosts;
                if search.inputs.len == 0 {
                    search.inputs.set_len(0); // the failure has dropped the points
                }
            },
        );
        done.map(|_| ())
    }
}
