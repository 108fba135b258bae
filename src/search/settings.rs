//! The settings of a handle. What was found with another setting knows it, so a setter only stores.

use super::Search;
use super::session::Sessions;
use crate::domain::{Domain, TieRule};
use crate::error::{Error, Result, Status, number};
use crate::plan::{Backend, WantedDevice};

impl Search {
    /// The search radius, in the unit of the coordinates; rounded to `f32` for points of that precision.
    pub fn set_cutoff(&mut self, cutoff: f64) -> Result<()> {
        self.inputs.settings.set_cutoff(cutoff)
    }

    /// Whether points exactly one cutoff apart are a pair.
    pub fn set_tie_rule(&mut self, rule: TieRule) {
        self.inputs.settings.tie_rule = rule;
    }

    /// Sets a skin, in the unit of the coordinates; 0 (default): none. Queries for pairs and neighbors then make a list of all
    /// within cutoff plus skin, and after [`update`](Search::update) answer from it as long as that is exact. What they
    /// deliver is always exact for the current points.
    pub fn set_skin(&mut self, skin: f64) -> Result<()> {
        if !(skin.is_finite() && skin >= 0.0) {
            let allowed = "finite and at least 0";
            return Err(Error::not_allowed(Status::BadValue, "skin", number(skin), allowed));
        }
        self.inputs.settings.skin = skin;
        Ok(())
    }

    /// An axis-aligned box: its lower corner, its edges (greater than 0), and which axes are periodic. Points may lie outside:
    /// along a periodic axis a search wraps its copy of them, along an open one the box says nothing. Where periodic axes
    /// change, the handle forgets its points.
    pub fn set_box(&mut self, lo: &[f64], length: &[f64], periodic: &[bool]) -> Result<()> {
        let domain = Domain::new(lo, length, periodic)?;
        if domain != self.inputs.settings.domain {
            self.drop_points();
        }
        self.inputs.settings.domain = domain;
        Ok(())
    }

    /// The handle has no points from now on.
    pub(super) fn drop_points(&mut self) {
        self.sessions = Sessions::None;
        (self.inputs.len, self.inputs.queries) = (0, 0);
    }

    /// 0 (default) or 1: ids, offsets and points in messages start there.
    pub fn set_index_base(&mut self, base: i64) -> Result<()> {
        self.inputs.settings.set_index_base(base)
    }

    /// Cells of the GPU's index that the cutoff spans, 1 to 3, or 0 (default) for what was measured to be best.
    pub fn set_cells_per_cutoff(&mut self, cells: i64) -> Result<()> {
        self.inputs.settings.set_cells_per_cutoff(cells)
    }

    /// Sets the most bytes that the handle takes for a result, 0 (default) for no limit: offsets, ids and left points in memory
    /// of its own, k nearest and labels of groups there, what the search keeps to fill lists, and chunks, on a GPU too. Points,
    /// the index, some megabytes for each thread, and arrays of the caller's do not count. A list that would take more is refused
    /// ([`Status::MemoryLimit`]): it can be had in [`chunks`](Search::chunks) or in the caller's arrays.
    pub fn set_memory_limit(&mut self, bytes: i64) -> Result<()> {
        let bytes =
            u64::try_from(bytes).map_err(|_| Error::not_allowed(Status::BadCount, "bytes", bytes, "0 or greater"))?;
        self.inputs.settings.memory_limit = Some(bytes).filter(|&bytes| bytes > 0);
        Ok(())
    }

    /// Threads a query uses; 0 (default): all the process may use, but only the calling one for few points and inside
    /// the caller's own parallel region.
    pub fn set_threads(&mut self, threads: i64) -> Result<()> {
        self.inputs.settings.set_threads(threads)
    }

    /// Who searches; the default is [`Backend::Auto`].
    pub fn set_backend(&mut self, backend: Backend) {
        self.inputs.settings.backend = backend;
    }

    /// Which GPU the handle uses, by its index among [`devices`](crate::devices); `None` (default): the best. Whether there is
    /// a GPU of that index turns out at the first query that wants it. `NEARGRID_DEVICE` overrides this.
    pub fn set_device(&mut self, index: Option<usize>) {
        self.inputs.settings.device = index.map_or(WantedDevice::Best, WantedDevice::Index);
    }

    /// Has the handle take its turn among the GPUs of the best kind that is there: number `turn` of them, counted round and
    /// round. For processes that share a machine. `NEARGRID_DEVICE` overrides this.
    pub fn set_device_turn(&mut self, turn: usize) {
        self.inputs.settings.device = WantedDevice::Turn(turn);
    }

    /// How the handle finds out that it is called from inside a parallel region of the caller's.
    pub fn set_parallel_probe(&mut self, in_parallel: fn() -> bool) {
        self.inputs.in_parallel = in_parallel;
    }
}
