//! The speed of a device, as it was measured: whether a pass may be one submission.
//!
//! in: the work of passes and the time that they took; out: whether the next one of a kind ends soon.

use super::adapters::DeviceKind;
use super::clock::Phase;
use super::device::Device;

/// Seconds that a submission takes at most. Points may move between two searches so that one of the same size takes far longer.
pub(crate) const TARGET: f64 = 0.1;

/// Work that may take long.
#[derive(Clone, Copy, Debug)]
pub enum Pass {
    /// Rows are counted: an item is a point.
    Count,
    /// Rows are filled: an item is an id.
    Fill,
    /// The same by radii.
    CountByRadii,
    FillByRadii,
    /// The k nearest: an item is an element of a row.
    Nearest,
    /// Groups: an item is a point.
    Link,
    /// Rows are summed over: an item is a point.
    Sum,
}

/// For a pass that was not measured yet: this many items are few on any device. (65,536 points have 2^31 pairs at most.)
const FEW: [u64; PASSES] = [1 << 16, 1 << 23, 1 << 16, 1 << 23, 1 << 19, 1 << 16, 1 << 15];

/// Number of passes.
const PASSES: usize = Pass::Sum as usize + 1;

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
    last: [Option<(Load, f64)>; PASSES],
    /// Passes that were submitted and whose time the clock will tell.
    pending: [Option<Load>; PASSES],
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
                Pass::Count | Pass::CountByRadii => Phase::Count,
                _ => Phase::Fill,
            };
            let at = 1 + phase as usize;
            self.note(load, after[at] - before[at]);
        }
    }

    /// Whether no pass was submitted whose kind was never measured.
    pub fn are_known(&self) -> bool {
        let mut both = self.pending.iter().zip(&self.last);
        both.all(|(pending, last)| pending.is_none() || last.is_some())
    }

    /// The passes that were submitted are of no use.
    pub fn drop_pending(&mut self) {
        self.pending = Default::default();
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
