//! Work in batches. A driver gives a device up that is busy with one submission for too long, on Windows for two seconds, and slow
//! devices take that long for a large search.
//!
//! in: the stages of a pass, and how much work it is; out: one submission, where the last pass of the kind shows that it ends soon.
//! Otherwise stages with many workgroups run in batches. The time of each batch gives the size of the next.

use std::time::Instant;

use super::Gpu;
use super::adapters::DeviceKind;
use super::buffers::Buffers;
use super::clock::Phase;
use super::device::Device;
use super::dispatch::{Before, ROW, Size};
use super::kernels::{Slot, Stage};
use super::lane::{Bound, Lane};
use crate::error::Result;

/// Seconds that a submission takes at most. Points may move between two searches so that one of the same size takes far longer.
const TARGET: f64 = 0.1;

/// Workgroups of a stage's first batch: those of a crowded cloud take a slow device a tenth of a second.
const FIRST: u64 = 1024;

/// A batch has this many times the workgroups of the one before at most.
const GROWTH: f64 = 8.0;

/// Workgroups of a batch on a device that is masked for tests.
const MASKED: u64 = 3;

/// Work that may take long.
#[derive(Clone, Copy, Debug)]
pub enum Pass {
    /// Rows are counted: an item is a point.
    Count,
    /// Rows are filled: an item is an id.
    Fill,
    /// The k nearest: an item is an element of a row.
    Nearest,
    /// Groups: an item is a point.
    Link,
    /// Rows are summed over: an item is a point.
    Sum,
}

/// For a pass that was not measured yet: this many items are few on any device. (65,536 points have 2^31 pairs at most.)
const FEW: [u64; 5] = [1 << 16, 1 << 23, 1 << 19, 1 << 16, 1 << 15];

/// The amount of work in a pass.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub pass: Pass,
    pub items: u64,
    /// The cutoff, on which the time of an item depends; the same number for passes without one.
    pub reach: f64,
    /// The pass began with another submission, which had the same items.
    pub is_rest: bool,
}

/// The duration of the last pass of each kind.
#[derive(Debug, Default)]
pub struct Speeds {
    last: [Option<(Load, f64)>; 5],
    /// Passes that were submitted and whose time the clock will tell.
    pending: [Option<Load>; 5],
}

impl Speeds {
    /// Whether a pass may be one submission. A measured time says nothing about far more points or a far larger cutoff.
    pub fn is_short(&self, device: &Device, load: Load) -> bool {
        let Load { pass, items, reach, .. } = load;
        match self.last[pass as usize] {
            _ if device.mask.batches => false,
            Some((last, seconds)) if items <= 2 * last.items && reach <= 2.0 * last.reach => {
                let is_software = device.info.kind == DeviceKind::Software; // no driver resets it
                is_software || seconds * items as f64 <= TARGET * last.items as f64
            }
            _ => items <= FEW[pass as usize],
        }
    }

    /// Notes how long a pass took, or the rest of one.
    pub fn note(&mut self, load: Load, seconds: f64) {
        match &mut self.last[load.pass as usize] {
            Some((_, before)) if load.is_rest => *before += seconds,
            last if load.items > 0 => *last = Some((load, seconds)),
            _ => (),
        }
    }

    /// A pass, or a part of it, was submitted.
    pub fn begin(&mut self, load: Load) {
        let pending = &mut self.pending[load.pass as usize];
        *pending = Some(match *pending {
            Some(before) if load.is_rest => before,
            Some(before) => Load {
                items: before.items + load.items,
                ..load
            },
            None => load,
        });
    }

    /// Notes the times of the passes that were submitted. `before` and `after` are the seconds of upload, index, count, fill and
    /// download, before these passes and after them.
    pub fn end(&mut self, before: [f64; 5], after: [f64; 5]) {
        for load in std::mem::take(&mut self.pending).into_iter().flatten() {
            let phase = match load.pass {
                Pass::Count => Phase::Count,
                Pass::Fill | Pass::Nearest | Pass::Link | Pass::Sum => Phase::Fill,
            };
            let at = 1 + phase as usize;
            self.note(load, after[at] - before[at]);
        }
    }

    /// The passes that were submitted are of no use.
    pub fn drop_pending(&mut self) {
        self.pending = Default::default();
    }
}

impl Lane {
    /// Runs `stages`, those of many workgroups a batch at a time. Returns the seconds that these took.
    pub(super) fn run_in_batches(
        &mut self,
        (buffers, kernels): Bound,
        (phase, stages): (Phase, &[(Stage, Size)]),
    ) -> Result<f64> {
        let seconds = self.run_each((buffers, kernels), (phase, stages));
        let reset = self.write(buffers, Slot::Batch, &0u32);
        seconds.and_then(|seconds| reset.map(|()| seconds))
    }

    fn run_each(&mut self, (buffers, kernels): Bound, (phase, mut stages): (Phase, &[(Stage, Size)])) -> Result<f64> {
        let mut seconds = 0.0;
        while !stages.is_empty() {
            let light = stages.iter().take_while(|(stage, _)| !stage.is_long()).count();
            if light > 0 {
                self.run_and_wait((buffers, kernels), 0, (phase, &stages[..light]))?;
            }
            stages = &stages[light..];
            if let [(stage, size), rest @ ..] = stages {
                let all = self.workgroups(buffers, *size)?;
                seconds += self.run_stage((buffers, kernels), phase, (*stage, all))?;
                stages = rest;
            }
        }
        Ok(seconds)
    }

    /// Runs `stage` in batches of its workgroups, which are `all` of them.
    fn run_stage(&mut self, (buffers, kernels): Bound, phase: Phase, (stage, all): (Stage, u64)) -> Result<f64> {
        let (mut first, mut batch, mut seconds) = (0, FIRST as f64, 0.0);
        while first < all {
            let mut next = (batch as u64).clamp(1, all - first);
            if self.device.mask.batches {
                next = next.min(MASKED);
            }
            if next > ROW {
                next -= next % ROW; // whole rows: the rest of one would be workgroups of the next batch
            }
            let stages = [(stage, Size::Workgroups(next))];
            let took = self.run_and_wait((buffers, kernels), first as u32, (phase, &stages))?;
            batch = next as f64 * (TARGET / took).min(GROWTH);
            (first, seconds) = (first + next, seconds + took);
        }
        Ok(seconds)
    }

    /// Runs `stages` from workgroup `first` on in one submission and waits for it. Returns the seconds that this took.
    fn run_and_wait(&mut self, (buffers, kernels): Bound, first: u32, pass: (Phase, &[(Stage, Size)])) -> Result<f64> {
        let begin = Instant::now();
        let batch = [Before::Write(Slot::Batch, 0, bytemuck::bytes_of(&first))];
        self.submit((buffers, kernels), &batch, pass)?;
        self.finish()?;
        Ok(begin.elapsed().as_secs_f64())
    }

    /// The number of workgroups, or a few more.
    fn workgroups(&mut self, buffers: &Buffers, size: Size) -> Result<u64> {
        let (slot, at) = match size {
            Size::Indirect(slot, at) => (slot, at),
            Size::Workgroups(workgroups) => return Ok(workgroups),
            Size::Lanes(lanes, each) => return Ok(lanes.div_ceil(each)),
        };
        let workgroups: [u32; 3] = self.fetch(buffers, (slot, at))?;
        Ok(workgroups.into_iter().map(u64::from).product())
    }
}

impl Gpu {
    /// The load of a count of all rows.
    pub(super) fn count_load(&self) -> Load {
        Load {
            pass: Pass::Count,
            items: self.params.points.into(),
            reach: self.reach,
            is_rest: false,
        }
    }
}

/// The load of filling rows of that many ids.
pub(super) fn fill_load(ids: u64) -> Load {
    Load {
        pass: Pass::Fill,
        items: ids,
        reach: 1.0,
        is_rest: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(pass: Pass, items: u64, is_rest: bool) -> Load {
        Load {
            pass,
            items,
            reach: 1.0,
            is_rest,
        }
    }

    /// Parts of a pass take the time of the pass together: the items that each of them names are the same.
    #[test]
    fn parts_count_once() {
        let mut speeds = Speeds::default();
        let mut now = [0.0; 5];
        let mut end = |speeds: &mut Speeds, seconds: f64| {
            let before = now;
            now[3] += seconds;
            speeds.end(before, now);
        };
        speeds.begin(load(Pass::Sum, 1000, false));
        speeds.begin(load(Pass::Sum, 1000, true));
        speeds.begin(load(Pass::Sum, 1000, true));
        end(&mut speeds, 3.0);
        speeds.begin(load(Pass::Sum, 1000, true));
        end(&mut speeds, 0.5);
        let (last, seconds) = speeds.last[Pass::Sum as usize].unwrap();
        assert_eq!((last.items, seconds), (1000, 3.5));
        // Chunks of ids are items of their own.
        speeds.begin(load(Pass::Fill, 300, false));
        speeds.begin(load(Pass::Fill, 200, false));
        end(&mut speeds, 1.0);
        let (last, seconds) = speeds.last[Pass::Fill as usize].unwrap();
        assert_eq!((last.items, seconds), (500, 1.0));
    }
}
