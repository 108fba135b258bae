//! Fields: named values of the points or of the queries.

use std::borrow::Cow;

use super::Search;
use crate::arguments::check_name;
use crate::error::{Error, Result, Status};
use crate::fields::{Field, FieldView, Of};
use crate::points::{Precision, Real};
use crate::search::precision::in_precision;
use crate::threads::Team;

/// The field of the points.
pub(super) const POINTS: &str = "x";

impl Search {
    /// Sets a field: `values` has `components` numbers for each point, one point after the other. `components` is 1, or the dimension of
    /// the points for a vector. The handle keeps a copy until the field is set again, or a formula makes it. A formula reads it as `name_i`
    /// and `name_j`.
    ///
    /// ```
    /// # use neargrid::{Formula, NeighborsKind, PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(2.0)?;
    /// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 2.5])?)?;
    /// search.set_field("m", &[1.0, 2.0, 4.0], 1)?;
    /// search.run(&mut Formula::new("rho += m_j*(1 - r/c)")?, NeighborsKind::Full, 1)?;
    /// assert_eq!(search.field::<f32>("rho")?, [1.0, 1.5, 0.5]);
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn set_field<T: Precision>(&mut self, name: &str, values: &[T], components: usize) -> Result<()> {
        self.set_values(name, Of::Points, values, components)
    }

    /// Sets the values that a field has for queries: `name_i` reads them where rows are those of queries. Otherwise as
    /// [`set_field`](Search::set_field).
    pub fn set_query_field<T: Precision>(&mut self, name: &str, values: &[T], components: usize) -> Result<()> {
        self.set_values(name, Of::Queries, values, components)
    }

    pub(crate) fn set_values<T: Precision>(
        &mut self,
        name: &str,
        of: Of,
        values: &[T],
        components: usize,
    ) -> Result<()> {
        check_name(name)?;
        if name == POINTS {
            let allowed = "the name of a field; 'x' is the field of the points: set_points or update";
            return Err(Error::not_allowed(Status::BadValue, "name", name, allowed));
        }
        let team = self.inputs.team_for(values.len())?;
        self.fields.set(name, of, values, components, &team)
    }

    /// The values of a field that was set or that a formula has made: a number for each point, or `components` numbers, one point after
    /// the other. `T` is their precision. Values that a run has left on a GPU come home. If the GPU is lost, the error names the fields
    /// that were only there, which are set no longer.
    pub fn field<T: Precision>(&mut self, name: &str) -> Result<&[T]> {
        self.values(name, Of::Points)
    }

    /// The values that a field has for queries.
    pub fn query_field<T: Precision>(&mut self, name: &str) -> Result<&[T]> {
        self.values(name, Of::Queries)
    }

    fn values<T: Precision>(&mut self, name: &str, of: Of) -> Result<&[T]> {
        self.field_home(name, of)?;
        let field = self.fields.get(name, of)?;
        T::held(&field.values).ok_or_else(|| {
            let held = if field.view().is_single() { f32::NAME } else { f64::NAME };
            let allowed = format_args!("{held}, the precision of the field");
            Error::not_allowed(Status::BadValue, "precision", T::NAME, allowed)
        })
    }

    /// The numbers that a field has for each point, and the number of points. `x` is the field of the points.
    pub fn field_size(&self, name: &str) -> Result<[usize; 2]> {
        self.size_of(name, Of::Points)
    }

    /// The same of queries.
    pub fn query_field_size(&self, name: &str) -> Result<[usize; 2]> {
        self.size_of(name, Of::Queries)
    }

    pub(crate) fn size_of(&self, name: &str, of: Of) -> Result<[usize; 2]> {
        if name != POINTS {
            let view = self.fields.get(name, of)?.view();
            return Ok([view.components, view.len()]);
        }
        self.check_points_held()?;
        Ok([self.dim(), self.inputs.own_counts()[of as usize]])
    }

    /// The numbers of a field, or of the points where `name` is `x`, in the precision asked for: real64 numbers are rounded for real32.
    /// Periodic axes have the points between their ends.
    pub fn field_as<T: Precision>(&mut self, name: &str) -> Result<Cow<'_, [T]>> {
        self.values_as(name, Of::Points)
    }

    pub(crate) fn values_as<T: Precision>(&mut self, name: &str, of: Of) -> Result<Cow<'_, [T]>> {
        match name {
            POINTS => self.points_home()?,
            name => self.field_home(name, of)?,
        }
        match self.fields.find(name, of).and_then(|field| T::held(&field.values)) {
            Some(values) => Ok(Cow::Borrowed(values)),
            None => self.view_of(name, of)?.copy().map(Cow::Owned),
        }
    }

    /// The threads that copy so many numbers.
    pub(crate) fn team_for(&self, numbers: usize) -> Result<Team> {
        self.inputs.team_for(numbers)
    }

    fn view_of(&self, name: &str, of: Of) -> Result<FieldView<'_>> {
        if name != POINTS {
            return self.fields.get(name, of).map(Field::view);
        }
        self.check_points_held()?;
        let (owned, len, all) = (self.inputs.owned(), self.inputs.len, self.inputs.everyone());
        let range = match of {
            Of::Points => 0..owned,
            Of::Queries => len..all,
        };
        in_precision!(&self.session, session => Ok(FieldView::of_axes(session.points.axes(), range)), none => Err(Error::NO_POINTS))
    }
}
