//! What a handle tells about itself and its last query.

use super::Search;
use super::session::Sessions;
use crate::gpu::Gpu;
use crate::plan::Backend;

/// What [`Search::counter`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Points set.
    Points,
    /// Entries of the last result: pairs, or ids of neighbors.
    Entries,
    /// Indexes built since the handle was created.
    IndexBuilds,
    /// Searches that counted.
    Counts,
    /// Lists filled.
    Fills,
    /// Lists made with a skin.
    SkinLists,
    /// Threads of the last query.
    Threads,
    /// Cells of the index; 0 for one on a device, which alone knows them.
    Cells,
    /// Bytes the handle holds.
    BytesHeld,
    /// Backend of the last query.
    Backend,
    /// Bytes the handle holds on a GPU.
    DeviceBytes,
    /// Buffers made for a GPU since the handle was created: on the device, and on the host for transfers.
    DeviceAllocations,
    /// Axes of the points held; 0 where none are.
    Dim,
    /// Queries set.
    Queries,
}

/// A phase of the last query whose time is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Points to the device.
    Upload = 0,
    /// Building the index.
    Index = 1,
    /// Counting rows.
    Count = 2,
    /// Filling rows.
    Fill = 3,
    /// Result to the host.
    Download = 4,
    /// All of the query.
    Total = 5,
}

impl Search {
    /// Seconds the last query spent in `phase`; 0 for a phase it did not need.
    pub fn timing(&self, phase: Phase) -> f64 {
        self.seconds[phase as usize]
    }

    /// See [`Counter`].
    pub fn counter(&self, counter: Counter) -> i64 {
        let grid = match &self.session {
            Sessions::None => (0, 0),
            Sessions::F32(s) => (s.grid.cells(), s.bytes()),
            Sessions::F64(s) => (s.grid.cells(), s.bytes()),
        };
        let offsets = [&self.offsets, &self.placed_offsets, &self.chunk_offsets];
        let offsets: usize = offsets.iter().map(|offsets| offsets.capacity()).sum();
        let lists = offsets * 8 + self.left.capacity() * 4 + self.ids.bytes();
        match counter {
            Counter::Points => self.len as i64,
            Counter::Entries => self.entries() as i64,
            Counter::IndexBuilds => self.index_builds,
            Counter::Counts => self.counts,
            Counter::Fills => self.fills,
            Counter::SkinLists => self.lists_made,
            Counter::Threads => self.plan.map_or(0, |plan| plan.threads as i64),
            Counter::Cells => grid.0 as i64,
            Counter::BytesHeld => {
                let caller = self.kinds.bytes() + self.global_ids.bytes() + self.radii.bytes();
                (grid.1 + lists + caller + self.fof.bytes()) as i64
                    + self.gpu.as_ref().map_or(0, |gpu| gpu.bytes()[1] as i64)
            }
            Counter::DeviceBytes => self.gpu.as_ref().map_or(0, |gpu| gpu.bytes()[0] as i64),
            Counter::DeviceAllocations => (self.gpu_allocations + self.allocations_of_gpu()) as i64,
            Counter::Dim => self.dim() as i64,
            Counter::Queries => self.queries as i64,
            Counter::Backend => self.plan.map_or(Backend::Auto, |plan| plan.backend) as i64,
        }
    }

    /// What the last query ran on and why, a line each: `name: value (reason)`.
    pub fn info(&self) -> String {
        let Some(plan) = self.plan else {
            return "backend: none yet (no query so far)\n".to_owned();
        };
        let which = match &self.session {
            Sessions::F32(s) => s.grid.what(),
            Sessions::F64(s) => s.grid.what(),
            Sessions::None => "",
        };
        let gpu = match (&self.gpu, &self.gpu_failure) {
            (Some(gpu), _) if plan.backend == Backend::Gpu => gpu.describe(),
            (_, Some(failure)) => format!("gpu: {failure}\n"),
            _ => String::new(),
        };
        let rule = self.radii.rule.name();
        let index = match (plan.backend, self.leaves()) {
            (Backend::Gpu, Some(_)) => {
                let hard = match self.gpu.as_deref().map_or(0, Gpu::hard_rows) {
                    0 => String::new(),
                    hard => format!("; {hard} rows took a workgroup each"),
                };
                format!("leaves on the device (along a z-order curve{hard})")
            }
            (_, Some(leaves)) => format!("{leaves} leaves (along a z-order curve)"),
            (Backend::Gpu, None) if self.radii.are_set() => format!("on the device (radii, rule {rule})"),
            (Backend::Gpu, None) => "on the device".to_owned(),
            _ if self.radii.are_set() => format!("a tree (radii, rule {rule})"),
            _ => format!("{} cells ({which})", self.counter(Counter::Cells)),
        };
        format!(
            "backend: {} ({})\n{gpu}threads: {} ({})\nsimd: {}\npoints: {}\nindex: {index}\nbytes held: {}\n",
            plan.backend.name(),
            plan.backend_reason,
            plan.threads,
            plan.threads_reason,
            plan.isa.name(),
            self.len,
            self.counter(Counter::BytesHeld),
        )
    }
}
