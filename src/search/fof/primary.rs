//! Groups of points of which only some types link: first the groups of those, with an index of their own, then the nearest of
//! them for each other point.

use crate::cpu::fof::{Fof, Scratch};
use crate::cpu::knn::{Knn, KnnRows, KnnWorker};
use crate::error::Result;
use crate::kinds::Primary;
use crate::list::{Rows, holds, reserve_discarding, reserve_keeping, resize_discarding};
use crate::measure::Measure;
use crate::plan::Plan;
use crate::points::Points;
use crate::search::inputs::Inputs;
use crate::simd::Width;
use crate::threads::Team;
use crate::ztree::ZTree;

const WHAT: &str = "the groups of points that do not link";

/// The inputs of a search for groups.
pub struct FofJob<'a> {
    pub plan: &'a Plan,
    pub inputs: &'a Inputs,
    /// Points; queries are after them.
    pub len: usize,
    pub global_ids: Option<&'a [i64]>,
    pub primary: Option<Primary<'a>>,
    pub team: &'a Team,
}

/// The points, those that link before the others, and an index of either.
#[derive(Debug, Default)]
pub struct Attached<T> {
    /// The numbers of the points: by global id where they have such, else as they are.
    order: Vec<u32>,
    points: Points<T>,
    primary: ZTree<T>,
    others: ZTree<T>,
    /// By their place in `order`: the place of the first of the group, and how far the nearest is.
    groups: Vec<i32>,
    distances: Vec<T>,
    /// For the first of each group the lowest of it, as a place among all.
    lowest: Vec<u32>,
    workers: Vec<KnnWorker<T>>,
}

holds! { Attached<T> { order, points, primary, others, groups, distances, lowest, workers } }

impl<T: Width> Attached<T> {
    /// Brings the points into order and indexes them.
    pub(super) fn index(&mut self, points: &Points<T>, primary: &Primary, job: &FofJob) -> Result<()> {
        reserve_discarding(&mut self.order, points.len(), WHAT)?;
        self.order.clear();
        self.order.extend((0..job.len as u32).filter(|&i| primary.holds(i)));
        let links = self.order.len();
        if let Some(ids) = job.global_ids {
            self.order.sort_unstable_by_key(|&i| ids[i as usize]);
        }
        self.order.extend((0..job.len as u32).filter(|&i| !primary.holds(i)));
        self.order.extend(job.len as u32..points.len() as u32); // queries
        self.points.set_in_order(points, &self.order, job.team)?;
        self.order.truncate(job.len);
        self.primary.build(self.points.axes(), 0..links, None, job.team)?;
        self.others.build(self.points.axes(), links..job.len, None, job.team)
    }

    /// Writes the labels of all points and returns how many groups there are.
    pub(super) fn find(
        &mut self,
        bound: T,
        base: i32,
        job: &FofJob,
        scratch: &mut Scratch,
        labels: Rows,
    ) -> Result<usize> {
        let (links, periods) = (self.primary.len(), self.points.periods());
        resize_discarding(&mut self.groups, job.len, 0, WHAT)?;
        resize_discarding(&mut self.distances, job.len - links, T::INFINITY, WHAT)?;
        let (linked, nearest) = self.groups.split_at_mut(links);
        let fof = Fof {
            tree: &self.primary,
            periods,
            bound,
            global_ids: None,
            base: 0,
            isa: job.plan.isa,
        };
        let mut count = fof.run(job.team, scratch, Rows::new(linked))?;
        if self.workers.len() < job.plan.threads {
            reserve_keeping(&mut self.workers, job.plan.threads, "workers")?;
            self.workers.resize_with(job.plan.threads, KnnWorker::default);
        }
        let knn = Knn {
            tree: &self.primary,
            queries: Some(&self.others),
            periods,
            k: 1,
            skips_self: false,
            rows: nearest.len(),
            within: None,
            measure: Measure::Square,
            base: 0,
            by_id: None,
            isa: job.plan.isa,
        };
        let into = KnnRows {
            ids: Rows::new(nearest),
            distances: Some(Rows::new(&mut self.distances)),
        };
        knn.run(job.team, &mut self.workers[..job.plan.threads], into)?;
        for (k, (nearest, &d2)) in nearest.iter_mut().zip(&self.distances).enumerate() {
            // Ghosts of other ranks join groups there: nearer ones may be unknown here.
            let is_own = (self.order[links + k] as usize) < job.inputs.owned();
            let is_near = is_own && links > 0 && d2 <= bound;
            count += usize::from(!is_near);
            *nearest = if is_near {
                linked[*nearest as usize]
            } else {
                (links + k) as i32
            };
        }
        self.label(base, job, labels)?;
        Ok(count)
    }

    /// Labels are the lowest of a group, attached ones among them.
    fn label(&mut self, base: i32, job: &FofJob, mut labels: Rows) -> Result<()> {
        let is_lower = |a: u32, b: u32| match job.global_ids {
            Some(ids) => ids[a as usize] < ids[b as usize],
            None => a < b,
        };
        reserve_discarding(&mut self.lowest, job.len, WHAT)?;
        self.lowest.clear();
        self.lowest.extend_from_slice(&self.order);
        for (&point, &group) in self.order.iter().zip(&self.groups) {
            let lowest = &mut self.lowest[group as usize];
            if is_lower(point, *lowest) {
                *lowest = point;
            }
        }
        let labels = labels.cells();
        for (&point, &group) in self.order.iter().zip(&self.groups) {
            let label = self.lowest[group as usize] as i32 + base;
            labels.put(point as usize, label);
        }
        Ok(())
    }
}
