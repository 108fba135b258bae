//! Calls for the report of a handle.

use std::fmt;

use super::Search;
use crate::error::Result;
use crate::gpu::Gpu;
use crate::plan::Backend;
use crate::search::precision::in_precision;
use crate::search::report::{Counter, Evaluated, Indexed, Phase};

impl Search {
    /// The time in seconds that the last query spent in `phase`; 0 if the query did not need it. A query that only counts may let the
    /// GPU begin to fill: it reports 0 for phases on the GPU, and the next query reports them.
    pub fn timing(&self, phase: Phase) -> f64 {
        self.report.seconds[phase as usize]
    }

    /// The value of a [`Counter`].
    pub fn counter(&self, counter: Counter) -> i64 {
        let (report, gpu) = (&self.report, self.device.held());
        let plan = report.plan.map(|(plan, _)| plan);
        let [on_device, on_host] = gpu.map_or([0; 2], Gpu::bytes);
        match counter {
            Counter::Points => self.inputs.owned() as i64,
            Counter::Entries => report.entries,
            Counter::IndexBuilds => report.index_builds,
            Counter::Counts => report.counts,
            Counter::Fills => report.fills,
            Counter::SkinLists => report.lists_made,
            Counter::Threads => plan.map_or(0, |plan| plan.threads as i64),
            Counter::Cells => in_precision!(&self.session, s => s.grid().cells() as i64, none => 0),
            Counter::BytesHeld => self.bytes() as i64 + on_host as i64,
            Counter::DeviceBytes => on_device as i64 + self.of_layer(counter),
            Counter::DeviceAllocations => self.device.allocations() as i64,
            Counter::Plans => 0,
            Counter::Dim => self.dim() as i64,
            Counter::Queries => self.inputs.counts()[1] as i64,
            Counter::DistanceTests => report.tests,
            Counter::Active => {
                let points = self.inputs.owned();
                self.inputs.kinds.own_roles().active_of(points).unwrap_or(points) as i64
            }
            Counter::Backend => plan.map_or(Backend::Auto, |plan| plan.backend) as i64,
        }
    }

    /// The value of a counter in the search of a layer.
    pub(super) fn of_layer(&self, counter: Counter) -> i64 {
        self.layer.as_ref().map_or(0, |layer| layer.counter(counter))
    }

    /// A text that says how the last query ran and why, one line for each topic: `name: value (reason)`.
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
        let Some((plan, indexed)) = self.report.plan else {
            text.write_str("backend: none yet (no query so far)\n")?;
            return self.write_stages(text);
        };
        let in_cell = match indexed {
            Indexed::Layer => Some("searched in open space"),
            Indexed::Images => Some("all tested with each point"),
            _ => None,
        };
        if let Some(how) = in_cell {
            let [points, images] = self.images.layer.get().counts();
            writeln!(text, "cell: {points} points and {images} images, {how}:")?;
        }
        if let (Indexed::Layer, Some(layer)) = (indexed, &self.layer) {
            layer.write_info(text)?;
            if let Some(Evaluated::OnCpu(why)) = self.report.evaluated {
                writeln!(text, "formula: on the CPU ({why})")?;
            }
            return self.write_stages(text);
        }
        writeln!(text, "backend: {} ({})", plan.backend.name(), plan.backend_reason)?;
        match (self.device.held(), self.device.failure(&self.inputs)) {
            (Some(gpu), _) if plan.backend == Backend::Gpu => text.write_str(&gpu.describe())?,
            (_, Some(failure)) => writeln!(text, "gpu: {failure}")?,
            _ => {}
        }
        writeln!(text, "threads: {} ({})", plan.threads, plan.threads_reason)?;
        write!(
            text,
            "simd: {}\npoints: {}\nindex: ",
            plan.isa.name(),
            self.inputs.owned()
        )?;
        self.write_index(plan.backend, indexed, text)?;
        match self.report.evaluated {
            None => (),
            Some(Evaluated::OnDevice) => text.write_str("\nformula: on the device")?,
            Some(Evaluated::OnCpu(why)) => write!(text, "\nformula: on the CPU ({why})")?,
        }
        text.write_str("\n")?;
        self.write_stages(text)?;
        writeln!(text, "bytes held: {}", self.counter(Counter::BytesHeld))
    }

    /// The lines of a run.
    fn write_stages(&self, text: &mut dyn fmt::Write) -> fmt::Result {
        let report = &self.report;
        if report.stages.is_empty() {
            return Ok(());
        }
        writeln!(text, "stages: {}", report.stages)?;
        if !report.pair_fields.is_empty() {
            writeln!(
                text,
                "pair fields: {} (rows are listed, values kept for each entry, on the CPU; a name without _ij is a temporary and costs \
                 nothing)",
                report.pair_fields
            )?;
        }
        for name in self.pair_fields.not_in_run() {
            writeln!(text, "pair field {name}: set, not read by the last run")?;
        }
        let is_on_gpu = report.plan.is_some_and(|(plan, _)| plan.backend == Backend::Gpu);
        if let Some(why) = report.by_stages.filter(|_| is_on_gpu) {
            writeln!(text, "run: stage by stage ({why})")?;
        }
        if report.is_single_by_default {
            text.write_str(
                "precision: single (by default, also for points in real64; set_precision chooses double)\n",
            )?;
        }
        Ok(())
    }

    fn write_index(&self, backend: Backend, indexed: Indexed, text: &mut dyn fmt::Write) -> fmt::Result {
        match (backend, indexed) {
            (Backend::Gpu, Indexed::Curve) => {
                text.write_str("leaves on the device (along a z-order curve")?;
                match self.device.held().map_or(0, Gpu::hard_rows) {
                    0 => text.write_str(")"),
                    hard => write!(text, "; {hard} rows took a workgroup each)"),
                }
            }
            (_, Indexed::Curve) => {
                let leaves = in_precision!(&self.session, s => s.curve().leaves(), none => 0);
                write!(text, "{leaves} leaves (along a z-order curve)")
            }
            (_, Indexed::Layer) => text.write_str("of a layer of images"),
            (_, Indexed::Images) => text.write_str("none"),
            (Backend::Gpu, Indexed::Radii(rule)) => write!(text, "on the device (radii, rule {})", rule.name()),
            (_, Indexed::Radii(rule)) => write!(text, "a tree (radii, rule {})", rule.name()),
            (_, Indexed::Types) => text.write_str("a tree (cutoffs by types)"),
            (Backend::Gpu, Indexed::Cells) => text.write_str("on the device"),
            (_, Indexed::Cells) => {
                let which = in_precision!(&self.session, s => s.grid().what(), none => "");
                write!(text, "{} cells ({which})", self.counter(Counter::Cells))
            }
        }
    }

    /// For tests: bytes of points and fields that were sent to a GPU so far.
    #[doc(hidden)]
    pub fn bytes_sent(&self) -> u64 {
        self.device.held().map_or(0, Gpu::sent)
    }

    /// For tests: bytes of results and fields that came from a GPU so far.
    #[doc(hidden)]
    pub fn bytes_fetched(&self) -> u64 {
        self.device.held().map_or(0, Gpu::fetched)
    }

    /// For benchmarks: repeats the search of the last query, from the points on the device to the rows on the device. Returns
    /// the seconds by the host's clock; timings have the phases by the clock of the device.
    #[doc(hidden)]
    pub fn again_on_device(&mut self) -> Result<f64> {
        let Some(gpu) = self.device.held_mut() else {
            return Ok(0.0);
        };
        let seconds = gpu.again(&self.counted.counts.get().offsets)?;
        self.report.seconds = [0.0; 6];
        self.report.take_gpu_seconds(&mut self.device);
        Ok(seconds)
    }
}
