//! Friends-of-friends groups on the device: points are linked within leaves, then leaves to each other, then labels are
//! written.
//!
//! in: points and the bound of a pair; out: for each point the lowest number of its group. Stages: `shaders/link_leaf.wgsl`,
//! `link`, `label`. The CPU twin, with the same results and the same rules of the walk, is `src/cpu/fof.rs`.

use super::buffers::Buffers;
use super::channel::Channel;
use super::clock::Phase;
use super::curve::Curve;
use super::dispatch::Size;
use super::kernels::{self, Family, Slot, Stage};
use super::queries::{Linked, Links};
use super::shader::Form;
use super::speeds::{Load, Pass};
use super::transfer::{SHARE_IDS, store_changed};
use super::ztree::{LEAF, LEAST_PERIOD, in_units};
use crate::domain::Periods;
use crate::error::Result;
use crate::list::{Pieces, Rows};
use crate::points::Real;
use crate::threads::Team;

const WHAT: &str = "the search for groups on the GPU";

/// Coordinates in two words are off by less than this of the larger one: 2^-48 each for what their words leave out, and the
/// roundings of the second words, on three axes.
const WIDE_SHARE: f64 = 1.0 / (1u64 << 42) as f64;

/// The error of a difference where a period was taken off, in periods: in real32 the caller's rounding and the device's, in
/// real64 the words of the period.
const AROUND: f64 = 1.0 / (1u64 << 21) as f64;
const WIDE_AROUND: f64 = 1.0 / (1u64 << 40) as f64;

/// Coordinates below 2^-100 units are 0.
const SLACK: f32 = 1.0 / (1u128 << 97) as f32;

/// No distance in units is larger, and its square is finite.
const MOST_RADIUS: f64 = (1u64 << 63) as f64;

/// Coordinates and linking lengths below are those of the caller, whatever is cut off elsewhere.
const BORDER: f64 = (1u64 << 59) as f64;

/// Twin of `Linking` in `shaders/shared/linking.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Linking {
    pub period_high: [f32; 3],
    pub radius: f32,
    pub period_low: [f32; 3],
    pub slack: f32,
    pub share: f32,
    pub around: f32,
    pub border: f32,
    pub reserved: f32,
}

impl Linking {
    /// For coordinates in units of 2^`unit`, some of which are cut off.
    fn new<T: Real>(bound: T, periods: &Periods<T>, unit: i32, is_cut: bool) -> Linking {
        let wide = size_of::<T>() > size_of::<f32>();
        let radius = in_units(bound.to_f64().sqrt(), unit).min(MOST_RADIUS);
        let mut linking = Linking {
            radius: radius as f32,
            slack: SLACK,
            share: if wide { WIDE_SHARE as f32 } else { 0.0 },
            border: match is_cut {
                false => f32::MAX,
                true if radius < BORDER => BORDER as f32,
                true => -1.0,
            },
            ..Linking::default()
        };
        for (axis, length) in periods.lengths().into_iter().enumerate() {
            let length = length.map_or(0.0, |length| in_units(length, unit).clamp(LEAST_PERIOD, MOST_RADIUS));
            let high = length as f32;
            linking.period_high[axis] = high;
            linking.period_low[axis] = (length - f64::from(high)) as f32;
            let around = length * if wide { WIDE_AROUND } else { AROUND };
            linking.around = linking.around.max(around as f32);
        }
        linking
    }
}

/// Twin of how `Groups` in `shaders/shared/groups.wgsl` begins.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
struct LinkProgress {
    groups: u32,
    /// Leaves whose walk is not over.
    unfinished: u32,
}

/// The buffers of a search for groups.
#[derive(Debug, Default)]
pub struct Fof {
    pub buffers: Buffers,
}

impl Fof {
    /// Writes for each point the lowest number of its group to `labels`.
    pub fn link<T: Real>(
        &mut self,
        channel: &mut Channel,
        curve: &mut Curve,
        team: &Team,
        links: &Links<T>,
        labels: Rows,
    ) -> Result<Linked> {
        let (asking, points) = (links.asking, links.asking.points);
        if points == 0 {
            return Ok(Linked {
                groups: 0,
                built: false,
            });
        }
        let built = curve.index_points(channel, asking, Some(links.bound.to_f64().sqrt()), team)?;
        let groups = self.submit_links(channel, curve, links)?;
        let source = self.buffers.get(Slot::Labels)?;
        let labels = Pieces::every(labels.into_part(0..points), SHARE_IDS)?;
        let take = |share: usize, bytes: &[u8]| store_changed(&labels, share, bytes, |label| *label += links.base);
        channel.download(team, source, 4 * points as u64, &take)?;
        Ok(Linked { groups, built })
    }

    /// Links the points of the index and makes their labels; returns how many groups there are.
    fn submit_links<T: Real>(&mut self, channel: &mut Channel, curve: &Curve, links: &Links<T>) -> Result<usize> {
        let (asking, ztree) = (links.asking, curve.points.get());
        let form = Form {
            windows: curve.has_windows(channel.device.max_binding),
            wide: size_of::<T>() > size_of::<f32>(),
            periodic: !asking.periods.is_open(),
            ..Form::default()
        };
        let kernels = kernels::of(&channel.device, Family::Groups, form)?;
        // Entries are of no use once points are sorted.
        let shared = [
            (Slot::Params, Slot::Params),
            (Slot::Tree, Slot::Tree),
            (Slot::Zpoints, Slot::Zpoints),
            (Slot::Nodes, Slot::Nodes),
            (Slot::Parents, Slot::Entries),
            (Slot::Labels, Slot::OtherEntries),
        ];
        self.buffers.lend(Slot::Coords, curve.coords()?);
        for (slot, home) in shared {
            self.buffers.lend(slot, ztree.buffers.get(home)?);
        }
        let is_cut = ztree.zorder.saturated > 0;
        let linking = Linking::new(links.bound, asking.periods, ztree.tree.unit, is_cut);
        let mut params = asking.params();
        params.set_bound(links.bound);
        (self.buffers).ensure(&channel.device, Slot::Linking, size_of::<Linking>() as u64, WHAT)?;
        let leaves = (asking.points as u64).div_ceil(LEAF);
        (self.buffers).ensure(
            &channel.device,
            Slot::Groups,
            size_of::<LinkProgress>() as u64 + 4 * leaves,
            WHAT,
        )?;
        channel.write(&self.buffers, Slot::Params, &params)?;
        channel.write(&self.buffers, Slot::Linking, &linking)?;
        let points = asking.points as u64;
        let stages = [
            (Stage::LinkLeaf, Size::Lanes(points, LEAF)),
            (Stage::LinkNode, Size::Workgroups(ztree.tree.nodes.into())),
            (Stage::Link, Size::Lanes(points, LEAF)),
            (Stage::Label, Size::Lanes(points, 256)),
        ];
        let mut load = Load {
            pass: Pass::Link,
            items: points,
            reach: links.bound.to_f64().sqrt(),
            is_rest: false,
        };
        // Walks that are too long for one dispatch are continued by the next: the last two stages once more.
        let mut first = 0;
        loop {
            channel.write(&self.buffers, Slot::Groups, &LinkProgress::default())?;
            let (bound, pass) = ((&mut self.buffers, &*kernels), (Phase::Fill, &stages[first..]));
            let found: LinkProgress = channel.run(bound, Some(load), pass, Slot::Groups)?;
            if found.unfinished == 0 {
                return Ok(found.groups as usize);
            }
            (first, load.is_rest) = (2, true);
        }
    }
}
