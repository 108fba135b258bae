//! What a handle is told before it is asked. A setting that changes makes it forget what was found with the one before, and no more.

use super::Search;
use super::session::Sessions;
use crate::domain::{Domain, TieRule};
use crate::error::Result;
use crate::plan::{Backend, WantedDevice};

impl Search {
    /// The search radius, in the unit of the coordinates; rounded to `f32` for points of that precision.
    pub fn set_cutoff(&mut self, cutoff: f64) -> Result<()> {
        let before = self.settings.cutoff;
        self.settings.set_cutoff(cutoff)?;
        if before != self.settings.cutoff {
            self.drop_skin();
            self.forget(true);
        }
        Ok(())
    }

    /// Whether points exactly one cutoff apart are a pair.
    pub fn set_tie_rule(&mut self, rule: TieRule) {
        if self.settings.tie_rule != rule {
            self.settings.tie_rule = rule;
            self.forget(false);
        }
    }

    /// An axis-aligned box: its lower corner, its edges (greater than 0), and which axes are periodic. Points may lie outside:
    /// along a periodic axis a search wraps its copy of them, along an open one the box says nothing. Where periodic axes
    /// change, the handle forgets its points.
    pub fn set_box(&mut self, lo: &[f64], length: &[f64], periodic: &[bool]) -> Result<()> {
        let domain = Domain::new(lo, length, periodic)?;
        if !domain.repeats_as(&self.settings.domain) {
            self.forget(true);
            self.session = Sessions::None;
            (self.len, self.queries) = (0, 0);
        }
        self.settings.domain = domain;
        Ok(())
    }

    /// 0 (default) or 1: ids, offsets and points in messages start there.
    pub fn set_index_base(&mut self, base: i64) -> Result<()> {
        let before = self.settings.index_base;
        self.settings.set_index_base(base)?;
        if before != base {
            self.forget(false);
        }
        Ok(())
    }

    /// Cells of the GPU's index that the cutoff spans, 1 to 3, or 0 (default) for what was measured to be best.
    pub fn set_cells_per_cutoff(&mut self, cells: i64) -> Result<()> {
        self.settings.set_cells_per_cutoff(cells)?;
        self.drop_gpu();
        self.forget(true);
        Ok(())
    }

    /// Threads a query uses; 0 (default): all the process may use, but only the calling one for few points and inside
    /// the caller's own parallel region.
    pub fn set_threads(&mut self, threads: i64) -> Result<()> {
        self.settings.set_threads(threads)?;
        self.stream = None;
        Ok(())
    }

    /// Who searches; the default is [`Backend::Auto`].
    pub fn set_backend(&mut self, backend: Backend) {
        if self.settings.backend != backend {
            self.settings.backend = backend;
            self.gpu_failure = None;
        }
        self.stream = None;
    }

    /// Which GPU the handle uses, by its index among [`devices`](crate::devices); `None` (default): the best. Whether there is
    /// such a one turns out at the first query that wants it. `NEARGRID_DEVICE` overrides this.
    pub fn set_device(&mut self, index: Option<usize>) {
        self.want_device(index.map_or(WantedDevice::Best, WantedDevice::Index));
    }

    /// Has the handle take its turn among the GPUs of the best kind that is there: number `turn` of them, counted round and
    /// round. For processes that share a machine. `NEARGRID_DEVICE` overrides this.
    pub fn set_device_turn(&mut self, turn: usize) {
        self.want_device(WantedDevice::Turn(turn));
    }

    fn want_device(&mut self, device: WantedDevice<'static>) {
        if self.settings.device == device {
            return;
        }
        self.settings.device = device;
        self.gpu_failure = None;
        if self.gpu.is_some() {
            self.drop_gpu();
            self.forget(true);
        }
    }

    /// How the handle finds out that it is called from inside a parallel region of the caller's.
    pub fn set_parallel_probe(&mut self, in_parallel: fn() -> bool) {
        self.in_parallel = in_parallel;
    }
}
