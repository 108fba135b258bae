//! A radius per point: setting radii, and the steps of a search by them.

use super::session::{Job, Precision, Session, searched};
use super::{NeighborsKind, Search};
use crate::cpu::spans::{Batch, Spans};
use crate::cpu::varied::{Counted, Spanned, Varied, Worker};
use crate::domain::Periods;
use crate::error::{Error, Result, Status, number};
use crate::gpu::{Gpu, Want};
use crate::list::{Delivery, Rows, fill_left, scan};
use crate::plan::Backend;
use crate::points::Real;
use crate::radii::tree::Tree;
use crate::radii::{Radii, Radius, RadiusRule, Reach};

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
        self.radii.points.set("radii", radii, self.settings.index_base)?;
        self.radii.rule = rule;
        self.drop_skin();
        self.forget(true);
        Ok(())
    }

    /// Sets a radius per query, which every rule but [`RadiusRule::Scatter`] asks for; all else as for
    /// [`set_radii`](Search::set_radii).
    pub fn set_query_radii<T: Precision>(&mut self, radii: &[T]) -> Result<()> {
        self.radii.queries.set("query radii", radii, self.settings.index_base)?;
        self.forget(true);
        Ok(())
    }

    /// Undoes [`set_radii`](Search::set_radii) and [`set_query_radii`](Search::set_query_radii): the cutoff counts again.
    pub fn clear_radii(&mut self) {
        self.radii = Radii::default();
        self.drop_skin();
        self.forget(true);
    }

    /// Whether a GPU cannot search by the radii: it finds rows where they are counted, not where ids would have them.
    pub(super) fn radii_are_for_cpu(&self) -> bool {
        self.radii.are_set() && !self.global_ids.ascend()
    }

    /// Refuses what radii are not for.
    pub(super) fn check_radii(&self, kind: NeighborsKind) -> Result<()> {
        if !self.radii.are_set() {
            return Ok(());
        }
        if self.radii_are_for_cpu() && self.settings.asked_backend() == Backend::Gpu {
            return Err(Error::NotSupported {
                what: "backend gpu for a radius per point with global ids that do not ascend",
            });
        }
        if kind != NeighborsKind::Half || self.radii.rule.is_symmetric() {
            return Ok(());
        }
        let rule = self.radii.rule.name();
        let allowed = "max, min or mean for pairs and half neighbors";
        Err(Error::not_allowed(Status::BadValue, "radius rule", rule, allowed))
    }
}

/// Index and scratch of a search by radii.
#[derive(Debug, Default)]
pub struct ByRadii<T> {
    tree: Tree<T>,
    workers: Vec<Worker>,
    counted: Counted,
}

impl<T> ByRadii<T> {
    /// Bytes held.
    pub fn bytes(&self) -> usize
    where
        T: Real,
    {
        self.tree.bytes() + self.counted.bytes() + self.workers.iter().map(Worker::bytes).sum::<usize>()
    }
}

impl Job<'_> {
    /// The radii in the precision of the points.
    fn reach<T: Radius>(&self) -> Result<Reach<'_, T>> {
        let of_queries = self.kind == NeighborsKind::Queries;
        self.radii.reach(self.counts, of_queries, self.settings.tie_rule)
    }

    /// Whether rows are found by radii.
    pub fn is_by_radii(&self) -> bool {
        self.radii.are_set()
    }
}

impl<T: Precision> Session<T> {
    /// Builds the index of the points as they are searched, in `order`, and their radii, on the GPU where one is given.
    pub fn build_by_radii(&mut self, job: &Job, order: Option<&[u32]>, gpu: Option<&mut Gpu>) -> Result<()> {
        let reach = job.reach::<T>()?;
        check_periods(self.points.periods(), reach.largest())?;
        let points = searched(&self.points, &self.ordered);
        let radius = |i: usize| reach.of(order.map_or(i, |order| order[i] as usize));
        match gpu {
            Some(gpu) => {
                let most = (reach.largest(), reach.rule);
                gpu.index_by_radii(&points.view(), points.periods(), most, radius, job.team)
            }
            None => self.by_radii.tree.build(points, radius, job.team),
        }
    }

    /// Counts the rows of the points held into `offsets`; returns the total. A GPU may be told to fill them right away.
    pub fn count_by_radii(&mut self, job: &Job, offsets: &mut [i64], gpu: Option<(&mut Gpu, bool)>) -> Result<i64> {
        if let Some((gpu, eager)) = gpu {
            return gpu.count_by_radii(job.settings.tie_rule, job.rows_wanted(eager), job.team, offsets);
        }
        self.spans = Spans::default();
        let periods = self.points.periods();
        let ByRadii { tree, workers, counted } = &mut self.by_radii;
        let workers = workers_of(workers, job);
        offsets[0] = 0;
        varied(tree, periods, job)?.count(job.team, workers, counted, &mut offsets[1..])?;
        Ok(scan(offsets, job.settings.index_base))
    }

    /// Fills the rows counted last and, where it is wanted, the column of left points.
    pub fn fill_by_radii(
        &mut self,
        job: &Job,
        delivery: Delivery,
        [ids, left]: [Option<Rows>; 2],
        gpu: Option<&mut Gpu>,
    ) -> Result<()> {
        if let (Some(gpu), Some(ids)) = (gpu, ids) {
            return gpu.fill(job.team, Want { delivery, ids, left });
        }
        let offsets = delivery.places.offsets;
        if let Some(ids) = ids {
            let periods = self.points.periods();
            let ByRadii { tree, workers, counted } = &mut self.by_radii;
            let workers = workers_of(workers, job);
            varied(tree, periods, job)?.fill(job.team, workers, counted, delivery, &ids)?;
        }
        left.map_or(Ok(()), |left| {
            fill_left(job.team, offsets, |i| delivery.labels.of(i), left)
        })
    }

    /// [`count_spans`](Session::count_spans) by radii.
    pub fn count_spans_by_radii(&mut self, job: &Job, offsets: &mut [i64], kept: usize) -> Result<i64> {
        let periods = self.points.periods();
        let ByRadii { tree, workers, counted } = &mut self.by_radii;
        let (workers, varied) = (workers_of(workers, job), varied(tree, periods, job)?);
        offsets[0] = 0;
        let source = Spanned {
            varied,
            blocks: varied.cut_anew(job.team, counted)?,
        };
        let rows = (job.rows.clone(), kept);
        (self.spans).count(&source, job.team, workers, rows, &mut offsets[1..])?;
        Ok(scan(offsets, job.settings.index_base))
    }

    /// Fills some of the rows counted last by [`count_spans_by_radii`](Session::count_spans_by_radii).
    pub fn fill_batch_by_radii(&mut self, job: &Job, batch: &Batch, ids: &Rows) -> Result<()> {
        let periods = self.points.periods();
        let ByRadii { tree, workers, counted } = &mut self.by_radii;
        let workers = workers_of(workers, job);
        let source = Spanned {
            varied: varied(tree, periods, job)?,
            blocks: counted.blocks(),
        };
        self.spans.fill(&source, job.team, workers, batch, ids)
    }
}

/// A worker for each thread.
fn workers_of<'a>(workers: &'a mut Vec<Worker>, job: &Job) -> &'a mut [Worker] {
    if workers.len() < job.plan.threads {
        workers.resize_with(job.plan.threads, Worker::default);
    }
    &mut workers[..job.plan.threads]
}

fn varied<'a, T: Precision>(tree: &'a Tree<T>, periods: &'a Periods<T>, job: &'a Job) -> Result<Varied<'a, T>> {
    Ok(Varied {
        tree,
        reach: job.reach()?,
        periods,
        classes: job.classes,
        full: job.kind != NeighborsKind::Half,
        isa: job.plan.isa,
        wanted: None,
    })
}

/// Refuses a box that is shorter than twice the largest radius: a pair could then have several images in reach.
fn check_periods<T: Real>(periods: &Periods<T>, largest: T) -> Result<()> {
    let too_short = periods.0.iter().flatten().find(|period| period.half < largest);
    too_short.map_or(Ok(()), |period| {
        let allowed = format_args!("at least twice the largest radius, {}", number(largest.to_f64()));
        let length = number(period.length.to_f64());
        Err(Error::not_allowed(Status::BadDomain, "length", length, allowed))
    })
}
