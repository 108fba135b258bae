//! The report of a handle about itself and its last query.

use std::time::Instant;

use super::device::Device;
use super::inputs::{Asked, Inputs};
use crate::error::Words;
use crate::plan::{Backend, Plan};
use crate::radii::RadiusRule;
use crate::threads::Team;
use crate::version::Version;

/// A number that [`Search::counter`](super::Search::counter) returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Number of points set.
    Points,
    /// Entries of the last result: pairs, or ids in rows.
    Entries,
    /// Times an index was built since the handle was created.
    IndexBuilds,
    /// Times a search counted its result since the handle was created.
    Counts,
    /// Times a list was filled since the handle was created.
    Fills,
    /// Times the list with a skin was built since the handle was created.
    SkinLists,
    /// Threads of the last query, including the calling thread.
    Threads,
    /// Cells of the index on the CPU; 0 if the index is on a GPU.
    Cells,
    /// Bytes of host memory that the handle holds.
    BytesHeld,
    /// Backend of the last query.
    Backend,
    /// Bytes of GPU memory that the handle holds.
    DeviceBytes,
    /// Buffers allocated for a GPU since the handle was created: on the device, and on the host for transfers.
    DeviceAllocations,
    /// Dimension of the points held; 0 if there are none.
    Dim,
    /// Number of queries set.
    Queries,
    /// Distances that the last query tested; 0 if it needed no search.
    DistanceTests,
    /// Number of active points, which have rows.
    Active,
    /// Number of times that the ranks of a handle searched for ghosts; 0 without ranks.
    Plans,
}

/// A phase of a query whose time [`Search::timing`](super::Search::timing) returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Copying the points to the GPU.
    Upload = 0,
    /// Building the index.
    Index = 1,
    /// Counting the rows.
    Count = 2,
    /// Filling the rows, or summing over them.
    Fill = 3,
    /// Copying the result from the GPU.
    Download = 4,
    /// The whole query.
    Total = 5,
}

/// The place where a formula is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evaluated {
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))] // there is no device
    OnDevice,
    /// On the CPU, and why.
    OnCpu(&'static str),
}

/// The index that a query is answered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Indexed {
    /// Cells, for a cutoff.
    Cells,
    /// A radius for each point, by a rule.
    Radii(RadiusRule),
    /// A tree, for uneven cutoffs by types.
    Types,
    /// Leaves along the curve.
    Curve,
    /// That of another search, for a layer of images.
    Layer,
    /// None: all images are tested.
    Images,
}

/// A report of the last query, and how often each step was done.
#[derive(Debug)]
pub(super) struct Report {
    /// The version of the last query.
    pub query: Version,
    /// The plan by which it ran, and its index.
    pub plan: Option<(Plan, Indexed)>,
    /// The place where the last query evaluated a formula, if it did.
    pub evaluated: Option<Evaluated>,
    /// The stages of the formula, where a run was last; otherwise empty.
    pub stages: Words,
    /// The pair fields that this run makes, in words. Otherwise empty.
    pub pair_fields: Words,
    /// The reason why the last run was done stage by stage, where it could not stay on the GPU.
    pub by_stages: Option<&'static str>,
    /// In the last run, sums over points in real64 were in single precision, which nobody had chosen.
    pub is_single_by_default: bool,
    /// Entries of the last query for rows.
    pub entries: i64,
    /// Distance tests of the last query.
    pub tests: i64,
    pub seconds: [f64; 6],
    pub index_builds: i64,
    pub counts: i64,
    pub fills: i64,
    pub lists_made: i64,
}

impl Report {
    pub fn new() -> Report {
        Report {
            query: Version::new(),
            plan: None,
            evaluated: None,
            stages: Words::default(),
            pair_fields: Words::default(),
            by_stages: None,
            is_single_by_default: false,
            entries: 0,
            tests: 0,
            seconds: [0.0; 6],
            index_builds: 0,
            counts: 0,
            fills: 0,
            lists_made: 0,
        }
    }

    /// Adds the tests and seconds of earlier stages to the report of a stage. Returns the sums.
    pub fn join(&mut self, (tests, seconds): (i64, [f64; 6])) -> (i64, [f64; 6]) {
        self.tests += tests;
        self.seconds.iter_mut().zip(seconds).for_each(|(to, more)| *to += more);
        (self.tests, self.seconds)
    }

    /// Starts the report of a query.
    pub fn begin(&mut self) {
        (self.query, self.seconds, self.evaluated) = (Version::new(), [0.0; 6], None);
        (self.tests, self.stages) = (0, Words::default());
    }

    /// Notes how the query runs.
    pub fn planned(&mut self, inputs: &Inputs, asked: Asked, plan: Plan) {
        let indexed = match asked {
            Asked::Rows(sought) | Asked::Sums(sought, _) | Asked::Run(sought) => {
                let is_uneven = || inputs.has_uneven_cutoffs(sought.kind, inputs.settings.skin);
                match inputs.radius_rule(sought.kind) {
                    Some(rule) => Indexed::Radii(rule),
                    None if plan.backend == Backend::Cpu && is_uneven() => Indexed::Types,
                    None => Indexed::Cells,
                }
            }
            Asked::Nearest | Asked::Groups => Indexed::Curve,
        };
        self.plan = Some((plan, indexed));
    }

    /// Adds the distance tests of a team.
    pub fn tested(&mut self, team: &Team) {
        self.tests += team.cost().tests();
    }

    /// Records the time of a phase that began at `start`.
    pub fn took(&mut self, phase: Phase, start: Instant) {
        self.seconds[phase as usize] = start.elapsed().as_secs_f64();
    }

    /// Ends the report of the query that began at `start`. If a GPU was used, the phases have the times of its clock.
    pub fn end(&mut self, start: Instant, device: &mut Device) {
        self.take_gpu_seconds(device);
        self.took(Phase::Total, start);
    }

    pub fn take_gpu_seconds(&mut self, device: &mut Device) {
        let Some(gpu) = device.held_mut() else { return };
        for phase in gpu.unread_phases() {
            self.seconds[phase] = 0.0; // the device is still busy: the query that waits for it reads them
        }
        let phases = [Phase::Upload, Phase::Index, Phase::Count, Phase::Fill, Phase::Download];
        for (phase, seconds) in phases.into_iter().zip(gpu.take_seconds()) {
            if seconds > 0.0 {
                self.seconds[phase as usize] = seconds;
            }
        }
    }
}
