//! The handle, and how each of its queries runs: planned, carried out, and once more without a GPU that failed.

mod by_cutoffs;
mod carry;
pub mod chunks;
mod distances;
mod exclusions;
mod fields;
mod ghosts;
mod groups;
mod histogram;
mod home;
mod ids;
mod images;
mod kinds;
mod knn;
mod memory;
mod order;
mod own;
mod padded;
mod pair_fields;
mod points;
mod queries;
mod radii;
mod report;
mod rows;
mod run;
mod run_on_device;
mod run_points;
mod run_sums;
mod settings;
pub mod skin;
mod solve_radii;
mod systems;

use std::time::Instant;

use super::by_cutoffs::ByCutoffs;
use super::chunks::Streams;
use super::counted::{Counted, Query, Run};
use super::device::Device;
use super::fof::FofState;
use super::images::ImagesMade;
use super::inputs::{Asked, Inputs};
use super::job::{ExcludedInOrder, Job, arrange_excluded, key_of, make_order};
use super::knn::Nearest;
use super::lists::Lists;
use super::made_from::{CountOf, OrderOf};
use super::neighbors::Sought;
use super::precision::{InPrecision, in_precision};
use super::report::Report;
use super::session::OfSession;
use super::skin::Skin;
use super::sum::SumRows;
use super::systems::SystemsRows;
use crate::error::Result;
use crate::fields::Fields;
use crate::gpu::{Hurry, late_reason};
use crate::ids::Order;
use crate::pair_fields::PairFields;
use crate::plan::{Backend, Environment, Plan, Settings};
use crate::points::Precision;
use crate::threads::{Team, Vigil};
use crate::version::Derived;

/// A neighbor search: settings, points, index and results, all reused from call to call. Handles are independent of each
/// other. Different threads may use the same handle, one at a time.
#[derive(Debug)]
pub struct Search {
    /// All inputs except the coordinates.
    inputs: Inputs,
    fields: Fields,
    pair_fields: PairFields,
    /// The order in which points are searched.
    order: Derived<OrderOf, Order>,
    /// The excluded pairs in that order.
    excluded: ExcludedInOrder,
    /// Points and their indexes, in the precision of the points set last.
    session: InPrecision<OfSession>,
    device: Device,
    report: Report,
    /// Rows counted last, and lists of them.
    counted: Counted,
    lists: Lists,
    by_cutoffs: ByCutoffs,
    skin: Skin,
    streams: Streams,
    nearest: Nearest,
    groups: FofState,
    /// Rows that were summed over.
    sums: Derived<CountOf, SumRows>,
    /// Rows of many systems of points.
    systems: SystemsRows<Search>,
    /// Rows of images, and the search of the layer that finds candidates for them.
    images: ImagesMade,
    layer: Option<Box<Search>>,
}

/// A query for rows, and the features that may answer it.
struct Parts<'a, T> {
    query: Query<'a, T>,
    lists: &'a mut Lists,
    skin: &'a mut Skin,
    streams: &'a mut Streams,
    sums: &'a mut Derived<CountOf, SumRows>,
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))] // runs on a GPU read them
    fields: &'a Fields,
}

impl Search {
    /// A search with default settings and without points. Fails if an environment variable `NEARGRID_*` has an invalid value.
    pub fn new() -> Result<Search> {
        let environment = Environment::read()?;
        let settings = Settings {
            tie_rule: environment.tie_rule(),
            environment,
            ..Settings::default()
        };
        Ok(Search {
            inputs: Inputs::new(settings),
            fields: Fields::default(),
            pair_fields: PairFields::default(),
            order: Derived::default(),
            excluded: Derived::default(),
            session: InPrecision::None,
            device: Device::default(),
            report: Report::new(),
            counted: Counted::default(),
            lists: Lists::default(),
            by_cutoffs: ByCutoffs::default(),
            skin: Skin::default(),
            streams: Streams::default(),
            nearest: Nearest::default(),
            groups: FofState::default(),
            sums: Derived::default(),
            systems: SystemsRows::default(),
            images: ImagesMade::default(),
            layer: None,
        })
    }

    /// Runs a query: `attempt` does all of it, by a plan and with its team.
    fn carry_out<R>(&mut self, asked: Asked, attempt: impl FnMut(&mut Search, &Plan, &Team) -> Result<R>) -> Result<R> {
        self.carry_out_as(asked, [true, true], attempt)
    }

    /// The same for a query that begins here, or goes on, and that can be repeated, or not. Where the backend was chosen
    /// automatically and the GPU fails or is late, the CPU does all of it, if it can be repeated.
    fn carry_out_as<R>(
        &mut self,
        asked: Asked,
        [begins, repeats]: [bool; 2],
        mut attempt: impl FnMut(&mut Search, &Plan, &Team) -> Result<R>,
    ) -> Result<R> {
        let start = Instant::now();
        if begins {
            self.report.begin();
        }
        let has_begun = self.has_begun(asked, [begins, repeats]);
        let mut stays = has_begun.then_some("auto: the CPU goes on with what it has begun");
        let done = loop {
            let settled = self.settle(asked);
            let planned = settled.and_then(|()| self.device.decide(&self.inputs, asked, stays));
            let (plan, team) = match planned.and_then(|plan| Ok((plan, Team::new(plan.threads)?))) {
                Ok(planned) => planned,
                Err(error) => break Err(error),
            };
            self.report.planned(&self.inputs, asked, plan);
            let done = {
                let _hurry = (!plan.forced && repeats).then(Hurry::begin);
                // A run leaves nothing to threads.
                let brings_results = plan.backend == Backend::Gpu && !matches!(asked, Asked::Run(_));
                let _awake = brings_results.then(Vigil::begin);
                attempt(self, &plan, &team)
            };
            self.report.tested(&team);
            let error = done.as_ref().err();
            stays = error.and_then(late_reason).filter(|_| repeats);
            if plan.backend == Backend::Gpu {
                self.device.lacks_kernels = stays.is_some();
            }
            let failed = error.filter(|_| stays.is_none());
            let gives_up = failed.is_some_and(|error| self.device.gives_up(&self.inputs, &plan, error));
            if gives_up {
                if let Err(lost) = self.all_home() {
                    break Err(lost);
                }
                self.device.give_back();
            }
            if stays.is_none() && (!gives_up || !repeats) {
                break done.map_err(|error| self.note_losses(error));
            }
        };
        if begins {
            self.report.end(start, &mut self.device);
        }
        done
    }

    /// Whether the CPU has begun what is asked: it has counted these rows, or was lent the points. It goes on with
    /// that, although a GPU may have become ready meanwhile.
    fn has_begun(&self, asked: Asked, [begins, repeats]: [bool; 2]) -> bool {
        let was_on_cpu = (self.report.plan).is_some_and(|(plan, _)| plan.backend == Backend::Cpu);
        was_on_cpu
            && match asked {
                _ if !begins || !repeats => true,
                Asked::Rows(sought) => in_precision!(&self.session, session => {
                    let (inputs, stamp) = (&self.inputs, session.points.stamp());
                    let order = key_of(&self.order);
                    let index = inputs.cutoff(sought.kind).ok().and_then(|cutoff| {
                        session.version_of_index(&inputs.index_of(stamp, order, sought.kind, [cutoff, 0.0]))
                    });
                    index.is_some_and(|from| self.counted.is_of(inputs.count_of(from, stamp, sought, None)))
                }, none => false),
                _ => false,
            }
    }

    /// A query for rows of points that are in the order in which they are searched.
    fn parts<'a, T: Precision>(&'a mut self, plan: &'a Plan, team: &'a Team, sought: Sought) -> Result<Parts<'a, T>> {
        self.parts_in_order(plan, team, (sought, false))
    }

    /// The same; `is_list`: rows are only listed.
    fn parts_in_order<'a, T: Precision>(
        &'a mut self,
        plan: &'a Plan,
        team: &'a Team,
        (sought, is_list): (Sought, bool),
    ) -> Result<Parts<'a, T>> {
        self.report.entries = 0;
        make_order(&self.inputs, &mut self.order, sought.kind, is_list)?;
        arrange_excluded(&self.inputs, &self.order, sought.kind, &mut self.excluded)?;
        if self.order.get().points().is_some() {
            self.points_home()?;
        }
        let session = self.session.of::<T>()?;
        session.arrange(&self.order, team)?;
        Ok(Parts {
            query: Query {
                job: Job::new::<T>(&self.inputs, plan, team, &self.order, &self.excluded, sought)?,
                session,
                view: None,
                skin: None,
                device: self.device.planned(plan),
                report: &mut self.report,
                counted: &mut self.counted,
            },
            lists: &mut self.lists,
            skin: &mut self.skin,
            streams: &mut self.streams,
            sums: &mut self.sums,
            fields: &self.fields,
        })
    }
}
