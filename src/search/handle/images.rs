//! A cell of three vectors, and the rows of images in it.
//!
//! Candidates come from another handle, whose box is open: its points are those of the handle, brought into the cell, and a
//! layer of their images. So every backend serves cells, and its kernels know none. Ghosts of other ranks are among the points, as
//! they were given; their images are made here, and they have no rows.

use std::time::Instant;

use super::Search;
use crate::cell::{Candidates, Cell, Entry, Found, Layer};
use crate::domain::{Domain, TieRule};
use crate::error::{Error, Result};
use crate::formula::Number;
use crate::ids::Order;
use crate::kinds::GhostRows;
use crate::list::{Cells, Holds, boxed};
use crate::plan::{Plan, Purpose, Settings};
use crate::points::{PointsView, Precision};
use crate::search::images::Images;
use crate::search::inputs::Inputs;
use crate::search::neighbors::{NeighborsKind, Sought};
use crate::search::precision::{InPrecision, by_precision};
use crate::search::report::{Evaluated, Indexed, Phase};
use crate::search::session::OfSession;
use crate::search::sum::{Given, RowsListed};
use crate::simd::Isa;

const IMAGES: &str = "the images of the points in the cell";

impl Search {
    /// Sets a cell of three vectors in any orientation, each a row of `vectors`, and which of them are periodic. A vector that is
    /// not periodic means nothing and may be any numbers: space is open along it. [`images`](Search::images) returns the rows of
    /// neighbors in a cell, [`run`](Search::run) evaluates formulas over them, and other queries are refused while a cell is set.
    /// It takes the place of a box: if that was periodic, the handle discards its points. The cell may be smaller than the cutoff, and points may lie outside. For points in 1D and 2D,
    /// components of periodic vectors along the other axes must be 0.
    pub fn set_cell(&mut self, vectors: &[[f64; 3]; 3], periodic: [bool; 3]) -> Result<()> {
        let cell = Cell::new(vectors, periodic)?;
        if self.inputs.settings.domain != Domain::default() {
            self.drop_points();
        }
        (self.inputs.settings.domain, self.inputs.cell) = (Domain::default(), Some(cell));
        Ok(())
    }

    /// Removes the cell: space is open again.
    pub fn clear_cell(&mut self) {
        self.forget_cell();
    }

    /// The same, with the memory that was for it.
    pub(super) fn forget_cell(&mut self) {
        (self.inputs.cell, self.layer, self.images) = Default::default();
    }

    /// The rows of neighbors in the cell of [`set_cell`](Search::set_cell), images included: an entry of row `i` is a point `j`
    /// and a shift `S` of three integers, where the image of `j`, the point `x_j + S1*a + S2*b + S3*c`, is within the cutoff of
    /// `x_i`. `x_i` and `x_j` are the positions as they were given, also outside of the cell. So the vector from `i` to the image
    /// is `D = x_j - x_i + S * cell`. Displacements of this library have the other sign, `x_i - x_j`.
    ///
    /// A row ascends by `(j, S1, S2, S3)`. If points have global ids, these are compared instead of `j`, and of `i` below. Full rows also list images of the point itself, with `S` not zero. Half rows list one
    /// of the entries `(i, j, S)` and `(j, i, -S)`: that with `i < j`, or if `i` is `j` that with a positive sum of `S`, or with
    /// a sum of 0 and `S3 > 0`, or with a sum of 0, `S3 = 0` and `S2 > 0`.
    ///
    /// The image is the point `x_j + ((S1*a + S2*b) + S3*c)`, where the part in parentheses is computed in `f64` and rounded to
    /// the precision of the points. Whether it is in reach of `x_i` is decided as in an open box. Full rows have both entries of
    /// each entry of half rows, which decides for both, as `(i, j, S)` and `(j, i, -S)` may round differently.
    ///
    /// ```
    /// # use neargrid::{NeighborsKind, PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(1.0)?;
    /// search.set_cell(&[[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 5.0]], [true, true, false])?;
    /// search.set_points(&PointsView::interleaved(3, &[0.25, 0.25, 0.25])?)?;
    /// let rows = search.images(NeighborsKind::Half)?;
    /// assert_eq!((rows.ids, rows.shifts), (&[0][..], &[[1, 0, 0]][..]));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn images(&mut self, kind: NeighborsKind) -> Result<Images<'_>> {
        self.check_points_held()?;
        self.points_home()?;
        by_precision!(&self.session, T => self.find_images::<T>(kind.into()))?;
        Ok(self.images.show())
    }

    /// Counts the entries of [`images`](Search::images). The rows are kept for it.
    pub fn count_images(&mut self, kind: NeighborsKind) -> Result<i64> {
        Ok(self.images(kind)?.ids.len() as i64)
    }

    /// Refuses images that can be refused before a search.
    pub(super) fn check_images(&mut self, kind: NeighborsKind) -> Result<()> {
        self.inputs.exclusions.follow(&self.inputs.ids)?;
        by_precision!(&self.session, T => self.inputs.cell_for::<T>(kind, self.dim()).map(|_| ()))
    }

    /// Makes the rows of images, unless they are there.
    pub(super) fn find_images<T: Precision>(&mut self, sought: Sought) -> Result<()> {
        let kind = sought.kind;
        self.inputs.exclusions.follow(&self.inputs.ids)?;
        let (cell, bound) = self.inputs.cell_for::<T>(kind, self.dim())?;
        let of = self.inputs.images_of(self.session.stamp(), sought);
        self.report.begin();
        let (start, is_new) = (Instant::now(), !self.images.rows.is_of(&of));
        if is_new {
            self.make_layer::<T>(&cell, kind)?;
            let layer = self.images.layer.get();
            let global_ids = self.inputs.ids.by_point(self.inputs.len)?;
            // Half rows of an open search follow ids only where ghosts do.
            let open = if global_ids.is_some() {
                NeighborsKind::Full
            } else {
                kind
            };
            let found = match &mut self.layer {
                None => Found::All(layer.len()),
                Some(search) => search.neighbors(open).map(|open| Found::Rows(open.offsets, open.ids))?,
            };
            let order = Order::default(); // in which they are numbered
            let reach = reach_of(&self.inputs, (sought, &order), bound)?;
            let candidates = Candidates {
                cell: &cell,
                layer,
                axes: axes_of::<T>(&self.session)?,
                found,
                rows: self.inputs.owned(),
                global_ids,
                reach,
                listed_once: self.inputs.listed_once(kind),
            };
            let (inputs, base) = (&self.inputs, self.inputs.settings.index_base);
            let team = inputs.team_for(candidates.rows)?;
            // The layer, the candidates, a byte to mark each candidate, and the list.
            let [layer, rows] = [layer.bytes(), 8 * (candidates.rows + 1)].map(|bytes| bytes as u64);
            let marked = candidates.bytes();
            let bytes = size_of::<[i32; 4]>() as u64;
            let need = |entries: usize| layer + marked + rows + bytes * entries as u64;
            let check = |entries| inputs.check_limit("the list of images", need(entries));
            let rows = &mut self.images.rows;
            rows.make(of, |rows| rows.make(&candidates, base, &team, check))?;
        }
        if is_new {
            self.report_candidates(start);
        }
        self.report.plan = match &self.layer {
            Some(search) => search.report.plan.map(|(plan, _)| (plan, Indexed::Layer)),
            None => Some((self.plan_of_tests()?, Indexed::Images)),
        };
        self.report.entries = self.images.rows.get().ids.len() as i64;
        Ok(())
    }

    /// Evaluates the rows of images in a cell.
    pub(super) fn sum_images<T: Precision, F: Number>(
        &mut self,
        given: &Given<F>,
        sought: Sought,
        results: &[Cells<F>],
    ) -> Result<()> {
        self.find_images::<T>(sought)?;
        let (points, images) = (self.held::<T>()?, self.images.show());
        let team = self.inputs.team_for(self.inputs.len)?;
        let isa = self.inputs.settings.environment.isa.unwrap_or_else(Isa::best);
        let rows = RowsListed {
            first: 0,
            offsets: images.offsets,
            ids: images.ids,
            base: self.inputs.settings.index_base,
            shifts: Some(images.shifts),
        };
        given.sum_listed(&self.inputs, points, (sought.kind, isa, &team), &rows, results)?;
        self.report.evaluated = Some(Evaluated::OnCpu("rows of images"));
        Ok(())
    }

    /// Reports how rows were made from `start` on.
    fn report_candidates(&mut self, start: Instant) {
        match &self.layer {
            Some(search) => (self.report.seconds, self.report.tests) = (search.report.seconds, search.report.tests),
            None => {
                self.report.tests = (self.inputs.owned() * self.images.layer.get().len()) as i64;
                self.report.took(Phase::Count, start);
            }
        }
    }

    /// The plan of tests of all images.
    fn plan_of_tests(&self) -> Result<Plan> {
        let inputs = &self.inputs;
        let query = (inputs.owned(), Purpose::Neighbors);
        let why = Some("auto: few points are tested with all images");
        Plan::new(&inputs.settings, query, inputs.in_parallel, why, |_| Ok(None))
    }

    /// Makes the layer and hands it to its search, if there is to be one, unless it is there.
    fn make_layer<T: Precision>(&mut self, cell: &Cell, kind: NeighborsKind) -> Result<()> {
        let of = self.inputs.layer_of(self.session.stamp(), kind);
        let cutoff = T::from_f64(self.inputs.cutoff(kind)?).to_f64();
        if self.inputs.tests_all_images() {
            self.layer = None;
            let (axes, inputs) = (axes_of::<T>(&self.session)?, &self.inputs);
            let check = |bytes| inputs.check_limit(IMAGES, bytes);
            let make = |layer: &mut Layer| layer.make((axes, inputs.owned()), cell, cutoff, (None, &check));
            return self.images.layer.make(of, make).map(|_| ());
        }
        if self.layer.is_none() {
            self.layer = Some(boxed(Search::new()?, "the search of a layer")?);
            self.images.layer.begin();
        }
        let search = self.layer.as_mut().ok_or(Error::NO_POINTS)?;
        search.inputs.in_parallel = self.inputs.in_parallel;
        search.inputs.settings = Settings {
            skin: 0.0,
            tie_rule: TieRule::Inclusive,
            domain: Domain::default(),
            index_base: 0,
            ..self.inputs.settings.clone()
        };
        let (axes, inputs) = (axes_of::<T>(&self.session)?, &self.inputs);
        let check = |bytes| inputs.check_limit(IMAGES, bytes);
        self.images.layer.make(of, |layer| {
            let mut coords = [Vec::new(), Vec::new(), Vec::new()];
            layer.make((axes, self.inputs.owned()), cell, cutoff, (Some(&mut coords), &check))?;
            let [x, y, z] = &coords;
            search.set_points(&PointsView::separate(&[x, y, z])?)?;
            search.set_active(Some(self.inputs.owned() as i64))?;
            search.set_ghost_rows(GhostRows::None);
            match self.inputs.ids.by_point(self.inputs.len)? {
                Some(ids) => search.set_ids(&layer.ids(ids)?),
                None => search.set_ids(&[]),
            }
        })?;
        search.inputs.settings.cutoff = Some(self.images.layer.get().cutoff());
        Ok(())
    }
}

/// The largest distance squared of a point and an image of another, of which `bound` is the largest of all; `None` of what is excluded or of
/// types that are never neighbors.
fn reach_of<'a, T: Precision>(
    inputs: &'a Inputs,
    (sought, order): (Sought, &'a Order),
    bound: T,
) -> Result<impl Fn(usize, Entry) -> Option<T> + Sync + use<'a, T>> {
    let kind = sought.kind;
    let table = inputs.type_cutoffs(kind);
    let bounds = table
        .map(|table| table.bounds::<T>(0.0, inputs.settings.tie_rule))
        .transpose()?;
    let classes = inputs.kinds.classes(inputs.counts(), kind.classes_of(), order)?;
    let excluded = inputs.exclusions.pairs().filter(|_| inputs.excludes(sought));
    let of_images = excluded.filter(|pairs| pairs.are_of_images());
    let with_all = excluded.filter(|pairs| !pairs.are_of_images());
    Ok(move |i: usize, (j, shift): Entry| {
        if with_all.is_some_and(|pairs| pairs.has(i as u32, j as u32))
            || of_images.is_some_and(|pairs| pairs.class_of_image(i as u32, (j as u32, shift)) > 0)
        {
            return None;
        }
        let Some(classes) = &classes else {
            return Some(bound);
        };
        let (mine, other) = (classes.of(i), classes.of(j));
        let reach = || bounds.as_ref().map_or(bound, |bounds| bounds.of(mine, other));
        classes.allows(mine, other).then(reach)
    })
}

/// The coordinates of the points that are set, an axis each.
fn axes_of<T: Precision>(session: &InPrecision<OfSession>) -> Result<&[Vec<T>]> {
    let held = session.held::<T>().ok_or(Error::NO_POINTS)?;
    Ok(held.points.axes())
}
