//! Work in batches. A driver gives a device up that is busy with one submission for too long, on Windows for two seconds, and slow
//! devices take that long for a large search.
//!
//! in: the stages of a pass, and how much work it is; out: one submission, where the last pass of the kind shows that it ends soon.
//! Otherwise stages with many workgroups run in batches. The time of each batch gives the size of the next.

use std::time::Instant;

use super::buffers::Buffers;
use super::channel::{Bound, Channel};
use super::clock::Phase;
use super::dispatch::{Before, ROW, Size};
use super::kernels::{Slot, Stage};
use super::speeds::{Load, TARGET};
use crate::error::Result;

/// Workgroups of a stage's first batch: those of a crowded cloud take a slow device a tenth of a second.
const FIRST: u64 = 1024;

/// A batch has this many times the workgroups of the one before at most.
const GROWTH: f64 = 8.0;

/// Workgroups of a batch on a device that is masked for tests.
const MASKED: u64 = 3;

impl Channel {
    /// [`submit`](Channel::submit) of a pass that may take long: as one submission, or in batches, whose end is waited for.
    pub fn submit_pass(
        &mut self,
        (buffers, kernels): Bound,
        load: Load,
        before: &[Before],
        (phase, stages): (Phase, &[(Stage, Size)]),
    ) -> Result<()> {
        if self.speeds.is_short(&self.device, load) {
            self.submit((buffers, kernels), before, (phase, stages))?;
            self.speeds.begin(load);
            return Ok(());
        }
        self.submit((buffers, kernels), before, (phase, &[]))?;
        self.finish()?;
        let seconds = self.run_in_batches((buffers, kernels), (phase, stages))?;
        self.speeds.note(load, seconds);
        Ok(())
    }

    /// Runs `stages`, which may take long where they have a `load`, and brings the first bytes of `slot` home.
    pub fn run<P: bytemuck::Pod>(
        &mut self,
        (buffers, kernels): Bound,
        load: Option<Load>,
        pass: (Phase, &[(Stage, Size)]),
        slot: Slot,
    ) -> Result<P> {
        self.read_clock()?; // or times of work before would count as times of this
        if let Some(load) = load {
            self.submit_pass((buffers, kernels), load, &[], pass)?;
        } else {
            self.submit((buffers, kernels), &[], pass)?;
        }
        let found = self.fetch(buffers, (slot, 0))?;
        self.read_clock()?;
        Ok(found)
    }

    /// Runs `stages`, those of many workgroups a batch at a time. Returns the seconds that these took.
    fn run_in_batches(&mut self, (buffers, kernels): Bound, (phase, stages): (Phase, &[(Stage, Size)])) -> Result<f64> {
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
