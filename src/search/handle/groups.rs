//! Friends-of-friends groups, and their catalogue.

use super::{Run, Search};
use crate::arguments::check_len;
use crate::error::{Error, Result, Status};
use crate::groups::{Groups, Properties};
use crate::list::{Out, Rows};
use crate::points::Precision;
use crate::search::fof::{Fof, check};
use crate::search::inputs::Asked;
use crate::search::precision::{by_precision, in_precision};

impl Search {
    /// Finds friends-of-friends groups. Two points are friends if they are a pair within the cutoff, which is the linking length,
    /// by the tie rule. A group is a set of points connected by chains of friends. The labels are in memory of the handle; a
    /// repeated call does not repeat the search.
    ///
    /// Every point belongs to a group, including ghosts, whatever its type (but see
    /// [`set_primary_types`](Search::set_primary_types)). Queries are not included. A GPU finds the same labels; groups with
    /// primary types run on the CPU only.
    ///
    /// ```
    /// use neargrid::{PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(1.0)?;
    /// search.set_points(&PointsView::interleaved(1, &[2.0, 9.0, 0.0, 1.0])?)?;
    /// let fof = search.fof()?;
    /// assert_eq!((fof.labels, fof.groups), (&[0, 1, 0, 0][..], 2));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn fof(&mut self) -> Result<Fof<'_>> {
        let n = self.check_fof()?;
        let of = self.inputs.fof_of(self.session.stamp());
        if !self.groups.has(&of) {
            (self.inputs).check_limit("the labels of the points", (n * size_of::<i32>()) as u64)?;
            let mut labels = self.groups.take_labels(n)?;
            let groups = self.fof_into_rows(Rows::new(&mut labels))?;
            self.groups.keep_labels(of, labels, groups);
        }
        Ok(self.groups.show())
    }

    /// Copies the labels of [`fof`](Search::fof) to `labels`, which has one element for each point, and returns the number of
    /// groups. On failure nothing is written.
    pub fn fof_into(&mut self, labels: &mut [i32]) -> Result<usize> {
        let n = self.check_fof()?;
        check_len("the length of labels", labels.len(), n)?;
        self.fof_into_rows(Rows::new(labels))
    }

    /// The groups of [`fof`](Search::fof), with the global ids of the points that labels name, one for each point. Where no ids are set, they
    /// are the point numbers. Returns the number of groups.
    pub fn fof_ids_into(&mut self, labels: &mut [i64]) -> Result<usize> {
        check_len("the length of labels", labels.len(), self.check_fof()?)?;
        self.fof_ids_into_array(Out::new(labels))
    }

    /// The same for memory that need not be initialised, all of it checked.
    pub(crate) fn fof_ids_into_array(&mut self, mut labels: Out<i64>) -> Result<usize> {
        let groups = self.fof()?.groups;
        for (point, &label) in self.labels().iter().enumerate() {
            labels.write(point, self.id_of(label));
        }
        Ok(groups)
    }

    /// The global id of a point by its number, or the number where no ids are set.
    pub(crate) fn id_of(&self, point: i32) -> i64 {
        let (number, base) = (i64::from(point), self.inputs.settings.index_base);
        self.inputs
            .ids
            .all()
            .map_or(number, |ids| ids[(number - base) as usize])
    }

    /// Sets which types link into groups (`primary[t]` for type `t`). A point of another type connects nothing: it joins the
    /// group of the nearest linking point within the cutoff; among equally near ones, of the one with the smaller number or
    /// global id. An empty slice (default) means that points of all types link. Only searches for groups use this setting, and
    /// check that it matches the types. On failure the previous setting remains.
    pub fn set_primary_types(&mut self, primary: &[bool]) -> Result<()> {
        self.inputs.kinds.set_primary(primary)
    }

    /// The groups with at least `min_size` points (1 or more), with sums over their members. `T` is the precision of the points,
    /// masses and velocities; results are `f64`. The labels are those of [`fof`](Search::fof), which are searched if necessary.
    ///
    /// Positions are taken relative to the label, at the nearest image. Sums are exact and rounded once, so that they do not
    /// depend on threads. They may be infinite.
    ///
    /// ```
    /// use neargrid::{PointsView, Properties, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(1.0)?;
    /// search.set_box(&[0.0], &[10.0], &[true])?;
    /// search.set_points(&PointsView::interleaved(1, &[9.5, 5.0, 0.0])?)?;
    /// let groups = search.groups::<f64>(2, &Properties::default())?;
    /// assert_eq!((groups.labels, groups.order), (&[0][..], &[0, 2, 1][..]));
    /// assert_eq!((groups.centers, groups.radii), (&[9.75][..], &[0.25][..]));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn groups<T: Precision>(&mut self, min_size: i64, properties: &Properties<T>) -> Result<Groups<'_>> {
        self.held::<T>()?;
        let Some(least) = u64::try_from(min_size).ok().filter(|&size| size > 0) else {
            let allowed = "at least 1";
            return Err(Error::not_allowed(Status::BadCount, "min_size", min_size, allowed));
        };
        let base = self.inputs.settings.index_base;
        properties.check(self.check_fof()?, self.dim(), base)?;
        self.fof()?;
        let session = self.session.of::<T>()?;
        self.groups.make_catalogue(&self.inputs, session, least, properties)
    }

    /// The groups found last, for the current points and settings.
    pub(crate) fn groups_held(&self) -> Result<Groups<'_>> {
        self.groups.catalogue(&self.inputs.fof_of(self.session.stamp()))
    }

    /// The number of labels, after all checks that need no search.
    pub(crate) fn check_fof(&self) -> Result<usize> {
        self.check_points_held()?;
        in_precision!(&self.session, session => check(&self.inputs, session)?, none => ());
        Ok(self.inputs.len)
    }

    /// [`fof_into`](Search::fof_into) for memory that need not be initialised, all of it checked.
    pub(crate) fn fof_into_rows(&mut self, mut labels: Rows) -> Result<usize> {
        self.check_fof()?;
        self.carry_out(Asked::Groups, |search, plan, team| {
            let run = &mut Run {
                device: search.device.planned(plan),
                report: &mut search.report,
            };
            by_precision!(search.session, T => {
                let session = search.session.of::<T>()?;
                search.groups.find(run, &search.inputs, (plan, team), session, labels.again())
            })
        })
    }
}
