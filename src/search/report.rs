//! What a handle reports about itself and its last query.

use std::fmt;

use std::time::Instant;

use super::Search;
use super::device::Device;
use super::session::in_precision;
use crate::gpu::Gpu;
use crate::memory::Holds;
use crate::plan::{Backend, Plan};
use crate::radii::RadiusRule;
use crate::threads::Team;
use crate::version::Version;

/// A number that [`Search::counter`] returns.
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
}

/// A phase of a query whose time [`Search::timing`] returns.
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

/// Where a formula is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evaluated {
    #[cfg_attr(not(feature = "gpu"), allow(dead_code))] // there is no device
    OnDevice,
    /// On the CPU, and why.
    OnCpu(&'static str),
}

/// What is known about the last query, and how often each step was done.
#[derive(Debug)]
pub(super) struct Report {
    /// The version of the last query.
    pub query: Version,
    pub plan: Option<Plan>,
    /// Whether the last query was for k nearest or for groups.
    pub asked_tree: bool,
    /// The rule of the last query, if that was by radii.
    pub by_radii: Option<RadiusRule>,
    /// Where the last query evaluated a formula, if it did.
    pub evaluated: Option<Evaluated>,
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
            asked_tree: false,
            by_radii: None,
            evaluated: None,
            entries: 0,
            tests: 0,
            seconds: [0.0; 6],
            index_builds: 0,
            counts: 0,
            fills: 0,
            lists_made: 0,
        }
    }

    /// Starts the report of a query.
    pub fn begin(&mut self) {
        (self.query, self.seconds, self.evaluated) = (Version::new(), [0.0; 6], None);
        self.tests = 0;
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

impl Search {
    /// The time in seconds that the last query spent in `phase`; 0 if the query did not need it. A query that only counts may let the
    /// GPU begin to fill: it reports 0 for phases on the GPU, and the next query reports them.
    pub fn timing(&self, phase: Phase) -> f64 {
        self.report.seconds[phase as usize]
    }

    /// The value of a [`Counter`].
    pub fn counter(&self, counter: Counter) -> i64 {
        let (report, plan, gpu) = (&self.report, self.report.plan, self.device.held());
        let [on_device, on_host] = gpu.map_or([0; 2], Gpu::bytes);
        match counter {
            Counter::Points => self.inputs.len as i64,
            Counter::Entries => report.entries,
            Counter::IndexBuilds => report.index_builds,
            Counter::Counts => report.counts,
            Counter::Fills => report.fills,
            Counter::SkinLists => report.lists_made,
            Counter::Threads => plan.map_or(0, |plan| plan.threads as i64),
            Counter::Cells => in_precision!(&self.sessions, s => s.grid.get().cells() as i64, none => 0),
            Counter::BytesHeld => {
                let lists = self.found.bytes() + self.lists.bytes() + self.stream.get().bytes() + self.fof.bytes();
                let ranks = self.ranks.get().capacity() * size_of::<u32>();
                (self.sessions.bytes() + self.inputs.bytes() + lists + ranks) as i64 + on_host as i64
            }
            Counter::DeviceBytes => on_device as i64,
            Counter::DeviceAllocations => self.device.allocations() as i64,
            Counter::Dim => self.dim() as i64,
            Counter::Queries => self.inputs.counts()[1] as i64,
            Counter::DistanceTests => report.tests,
            Counter::Backend => plan.map_or(Backend::Auto, |plan| plan.backend) as i64,
        }
    }

    /// How the last query ran and why, one line for each topic: `name: value (reason)`.
    pub fn info(&self) -> String {
        struct Info<'a>(&'a Search);
        impl fmt::Display for Info<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write_info(f)
            }
        }
        Info(self).to_string()
    }

    /// [`info`](Search::info), to any text.
    pub(crate) fn write_info(&self, text: &mut dyn fmt::Write) -> fmt::Result {
        let Some(plan) = self.report.plan else {
            return text.write_str("backend: none yet (no query so far)\n");
        };
        writeln!(text, "backend: {} ({})", plan.backend.name(), plan.backend_reason)?;
        match (self.device.held(), self.device.failure(&self.inputs)) {
            (Some(gpu), _) if plan.backend == Backend::Gpu => text.write_str(&gpu.describe())?,
            (_, Some(failure)) => writeln!(text, "gpu: {failure}")?,
            _ => {}
        }
        writeln!(text, "threads: {} ({})", plan.threads, plan.threads_reason)?;
        write!(text, "simd: {}\npoints: {}\nindex: ", plan.isa.name(), self.inputs.len)?;
        self.write_index(plan.backend, text)?;
        match self.report.evaluated {
            None => (),
            Some(Evaluated::OnDevice) => text.write_str("\nformula: on the device")?,
            Some(Evaluated::OnCpu(why)) => write!(text, "\nformula: on the CPU ({why})")?,
        }
        writeln!(text, "\nbytes held: {}", self.counter(Counter::BytesHeld))
    }

    fn write_index(&self, backend: Backend, text: &mut dyn fmt::Write) -> fmt::Result {
        let (radii, rule) = match self.report.by_radii {
            Some(rule) => (true, rule.name()),
            None => (false, ""),
        };
        match (backend, self.report.asked_tree) {
            (Backend::Gpu, true) => {
                text.write_str("leaves on the device (along a z-order curve")?;
                match self.device.held().map_or(0, Gpu::hard_rows) {
                    0 => text.write_str(")"),
                    hard => write!(text, "; {hard} rows took a workgroup each)"),
                }
            }
            (_, true) => {
                let leaves = in_precision!(&self.sessions, s => s.knn.leaves(), none => 0);
                write!(text, "{leaves} leaves (along a z-order curve)")
            }
            (Backend::Gpu, false) if radii => write!(text, "on the device (radii, rule {rule})"),
            (Backend::Gpu, false) => text.write_str("on the device"),
            _ if radii => write!(text, "a tree (radii, rule {rule})"),
            _ => {
                let which = in_precision!(&self.sessions, s => s.grid.get().what(), none => "");
                write!(text, "{} cells ({which})", self.counter(Counter::Cells))
            }
        }
    }
}
