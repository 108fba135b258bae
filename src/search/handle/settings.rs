//! The settings of a handle. Results record the settings they were made with, so a setter only stores a value.

use super::Search;
use crate::domain::{Domain, TieRule};
use crate::error::{Error, Result, Status, number};
use crate::plan::{Backend, WantedDevice};

impl Search {
    /// Sets the cutoff: the search radius, in the unit of the coordinates, finite and greater than 0. For `f32` points it is
    /// rounded to `f32`.
    pub fn set_cutoff(&mut self, cutoff: f64) -> Result<()> {
        self.inputs.settings.set_cutoff(cutoff)
    }

    /// Sets whether two points exactly one cutoff apart are a pair. Until it is set, the environment variable `NEARGRID_TIE`
    /// decides; if that is not set either, they are.
    pub fn set_tie_rule(&mut self, rule: TieRule) {
        self.inputs.settings.tie_rule = rule;
    }

    /// The rule of a search whose caller sets none.
    pub(crate) fn default_tie_rule(&self) -> TieRule {
        self.inputs.settings.environment.tie_rule()
    }

    /// Sets a skin, in the unit of the coordinates; 0 (default) means no skin. Queries for pairs and neighbors then build a list
    /// of all pairs within cutoff plus skin. [`update`](Search::update) keeps this list while no point has moved too far, and
    /// queries take their result from it. Results are exact for the current points.
    pub fn set_skin(&mut self, skin: f64) -> Result<()> {
        if !(skin.is_finite() && skin >= 0.0) {
            let allowed = "finite and at least 0";
            return Err(Error::not_allowed(Status::BadValue, "skin", number(skin), allowed));
        }
        self.inputs.settings.skin = skin;
        Ok(())
    }

    /// Sets an axis-aligned box: its lower corner, its edge lengths, and which axes are periodic. Points may lie outside: along a
    /// periodic axis the handle wraps its copy of them. Along an open axis the box has no effect: corner and length may be any
    /// numbers. When the periodic axes change, the handle discards its points. With a skin, [`update`](Search::update) takes the change of
    /// the edges off the skin, and keeps the list where enough is left and the same axes are periodic. A cell of [`set_cell`](Search::set_cell) is unset.
    pub fn set_box(&mut self, lo: &[f64], length: &[f64], periodic: &[bool]) -> Result<()> {
        let domain = Domain::new(lo, length, periodic)?;
        let before = &self.inputs.settings.domain;
        match domain.has_axes_of(before) {
            true if domain != *before => self.leave_box(),
            true => (),
            false => self.drop_points(),
        }
        self.inputs.settings.domain = domain;
        self.forget_cell();
        Ok(())
    }

    /// Sets the number of the first point, 0 (default) or 1. It applies to ids, offsets and the point numbers in error texts.
    pub fn set_index_base(&mut self, base: i64) -> Result<()> {
        self.inputs.settings.set_index_base(base)
    }

    /// Limits the memory in bytes that the handle may use for a result; 0 (default) means no limit. The limit covers offsets, ids
    /// and left points in memory of the handle, k nearest neighbors and labels of groups there, the data that a search keeps to
    /// fill lists, and chunks, including those on a GPU. It does not cover points, the index, a few megabytes for each thread,
    /// and the caller's slices. A list that needs more fails with [`Status::MemoryLimit`]; use [`chunks`](Search::chunks) or your
    /// own slices instead.
    pub fn set_memory_limit(&mut self, bytes: i64) -> Result<()> {
        let bytes =
            u64::try_from(bytes).map_err(|_| Error::not_allowed(Status::BadCount, "bytes", bytes, "0 or greater"))?;
        self.inputs.settings.memory_limit = Some(bytes).filter(|&bytes| bytes > 0);
        Ok(())
    }

    /// Sets the number of threads of a query. With 0 (default) a query uses all threads available to the process, but only the
    /// calling thread for few points and inside a parallel region of the caller.
    pub fn set_threads(&mut self, threads: i64) -> Result<()> {
        self.inputs.settings.set_threads(threads)
    }

    /// Sets where queries run; the default is [`Backend::Auto`].
    pub fn set_backend(&mut self, backend: Backend) {
        self.inputs.settings.backend = backend;
    }

    /// Selects the GPU by its index among [`devices`](crate::devices); `None` (default) means the best one. The first query that
    /// needs the GPU checks that it exists. `NEARGRID_DEVICE` overrides this setting.
    pub fn set_device(&mut self, index: Option<usize>) {
        self.inputs.settings.device = index.map_or(WantedDevice::Best, WantedDevice::Index);
    }

    /// Distributes processes of one machine over its GPUs: the handle uses GPU number `turn` modulo the number of GPUs of the
    /// best kind present. `NEARGRID_DEVICE` overrides this setting.
    pub fn set_device_turn(&mut self, turn: usize) {
        self.inputs.settings.device = WantedDevice::Turn(turn);
    }

    /// Sets a function that reports whether the calling thread is inside a parallel region of the caller.
    pub fn set_parallel_probe(&mut self, in_parallel: fn() -> bool) {
        self.inputs.in_parallel = in_parallel;
    }
}
