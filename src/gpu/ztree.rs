//! The index along the z-order curve on the device: points sorted by place, leaves of 32 of them, planes of nodes with boxes.
//!
//! in: coordinates that were uploaded; out: [`Ztree`], which searches walk. Twin of `src/ztree` in what it is for, not in how:
//! nodes are runs of one length, so nothing but boxes and lowest numbers is stored. Stages: `shaders/zorder_*.wgsl`, `sort`,
//! `gather`, `plane`.

use std::sync::Arc;

use super::buffers::Buffers;
use super::channel::Channel;
use super::clock::Phase;
use super::device::Device;
use super::dispatch::Size;
use super::kernels::{self, Family, Kernels, Slot, Stage};
use super::params::{Params, SCAN_BLOCK, ZPOINT_BYTES};
use super::shader::Form;
use crate::error::{Error, Result};

/// Points of a leaf, nodes of a node: `LEAF` in `shaders/shared/zpoint.wgsl`.
pub(crate) const LEAF: u64 = 32;

/// Planes that `Tree` has room for: for 2^32 points six are enough.
const PLANES: usize = 8;

/// Entries of a workgroup that sorts: lanes times `ROWS` in `shaders/sort.wgsl`.
const SORT_BLOCK: u64 = 4096;

/// Points of a workgroup that looks at all: lanes times `EACH` in `shaders/zorder_spread.wgsl`.
const SPREAD_BLOCK: u64 = 4096;

/// Passes of a sort by 32 bits.
const PASSES: usize = 4;

/// From this many points on they are sorted by more bits than a key has: cells of one window would be crowded, and a round
/// of its own costs more. Tests have fewer points.
pub(crate) const FINE_FROM: u64 = if cfg!(test) { 20_000 } else { 1 << 21 };

/// Passes by bits below the first window: for `FINE` bits in `shaders/zorder_window.wgsl`.
const FINE_PASSES: usize = 2;

/// The first place: `PLACES` in `shaders/shared/zbits.wgsl`.
const PLACES: i32 = 2048;

/// Coordinates beyond this many bits from 0, in units, are brought nearer: `BORDER` in `shaders/shared/zpoint.wgsl`.
const BORDER: i32 = 60;

/// The highest bit that parts crowded points is at least 2^-20 units, so that what is left out below 2^-50 matters to few.
const LEAST_TOP: i32 = -20;

/// Radii of fewer bits are no longer surely larger than what real32 squares lose: `LEAST_SURE` in `shaders/shared/near.wgsl`.
const LEAST_SCALE: i32 = -50;

const WHAT: &str = "the index along the z-order curve on the GPU";

/// Bytes of that many points along the curve, which have second words where they are `wide`.
pub(crate) fn zpoints_bytes(points: u32, wide: bool) -> u64 {
    ZPOINT_BYTES * (1 + u64::from(wide)) * u64::from(points).next_multiple_of(LEAF)
}

/// Coordinates below this many units are 0, and a period counts as so many at least: 0 says that an axis is open.
pub(super) const LEAST_PERIOD: f64 = 1.0 / (1u128 << 100) as f64;

/// The exponent of a normal number; of smaller ones the least.
fn exponent(x: f64) -> i32 {
    (x.to_bits() >> 52) as i32 - 1023
}

/// A length in units of 2^`unit`.
pub(super) fn in_units(length: f64, unit: i32) -> f64 {
    let half = unit / 2; // 2^-unit may be no number
    length * 2f64.powi(-half) * 2f64.powi(half - unit)
}

/// Twin of `Tree` in `shaders/shared/tree.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Tree {
    pub points: u32,
    pub first: u32,
    pub blocks: u32,
    pub planes: u32,
    pub firsts: [u32; PLANES],
    pub counts: [u32; PLANES],
    pub unit: i32,
    pub nodes: u32,
    pub places: u32,
    pub reserved_2: u32,
}

impl Tree {
    /// The layout of `points` points, the first of which has the number `first`.
    pub fn new(points: u32, first: u32) -> Tree {
        let mut tree = Tree {
            points,
            first,
            blocks: u64::from(points).div_ceil(SORT_BLOCK) as u32,
            places: u64::from(points).next_multiple_of(LEAF) as u32,
            ..Tree::default()
        };
        let mut count = u64::from(points);
        for plane in 0..PLANES {
            count = count.div_ceil(LEAF);
            (tree.firsts[plane], tree.counts[plane]) = (tree.nodes, count as u32);
            tree.nodes += count as u32;
            tree.planes = plane as u32 + 1;
            if count <= LEAF {
                break;
            }
        }
        tree
    }
}

/// Twin of `Zorder` in `shaders/shared/zorder.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Zorder {
    pub magnitude: u32,
    pub differs: u32,
    pub signs: u32,
    pub crowd: u32,
    pub saturated: u32,
    pub top: u32,
    pub bottom: i32,
    pub sign: u32,
    pub rounds: u32,
    pub shift: u32,
    pub plane: u32,
    pub windows: u32,
    pub drops: u32,
    pub sorted: i32,
    pub reserved_1: u32,
    pub reserved_2: u32,
}

impl Zorder {
    /// The unit of coordinates, which are below `longest` along periodic axes: 1 where that will do, as real32 is exact then.
    /// A search within `radius` needs a unit near it where the points spread over many scales, or those nearer than 2^-100
    /// units coincide and all of them are tested.
    pub fn unit(&self, longest: f64, radius: Option<f64>) -> i32 {
        let end = exponent(longest) + 1; // the period is below 2^end
        let highest = |place: u32| place as i32 - PLACES;
        let top = match self.top {
            0 => highest(self.magnitude.max(PLACES as u32)), // all coincide
            top => highest(top),
        };
        let scale = radius.map(exponent);
        let is_plain = top >= LEAST_TOP && highest(self.magnitude).max(end) < BORDER - 2;
        if is_plain && scale.is_none_or(|scale| scale >= LEAST_SCALE) {
            0
        } else {
            scale.unwrap_or(top - LEAST_TOP).max(end - (BORDER - 2))
        }
    }
}

/// The index of some of the points that were uploaded, in [`Slot::Zpoints`] and [`Slot::Nodes`].
#[derive(Debug, Default)]
pub struct Ztree {
    pub buffers: Buffers,
    pub tree: Tree,
    /// The course of the sort.
    pub zorder: Zorder,
    form: Form,
}

impl Ztree {
    /// Builds the index of `points` points from number `first` on of those in `coords`, of which `params` has number of axes
    /// and precision, in the unit that `unit` chooses.
    pub fn build(
        &mut self,
        channel: &mut Channel,
        coords: &wgpu::Buffer,
        params: &Params,
        [points, first]: [u32; 2],
        unit: impl FnOnce(&Zorder) -> i32,
    ) -> Result<()> {
        let kernels = self.order(channel, coords, params, [points, first])?;
        if points == 0 {
            return Ok(());
        }
        let words = 1 + u64::from(self.form.wide);
        for (slot, bytes) in [
            (Slot::Zpoints, zpoints_bytes(points, self.form.wide)),
            (Slot::Nodes, 32 * words * u64::from(self.tree.nodes)),
        ] {
            self.buffers.ensure(&channel.device, slot, bytes, WHAT)?;
        }
        self.tree.unit = unit(&self.zorder);
        channel.write(&self.buffers, Slot::Tree, &self.tree)?;
        self.zorder = self.gather(channel, &kernels)?;
        Ok(())
    }

    /// Sorts the points along the curve and no more: their numbers then are in [`Slot::Entries`].
    pub fn order(
        &mut self,
        channel: &mut Channel,
        coords: &wgpu::Buffer,
        params: &Params,
        [points, first]: [u32; 2],
    ) -> Result<Arc<Kernels>> {
        self.tree = Tree::new(points, first);
        let wide = params.words > 1;
        let form = Form {
            windows: coords.size().max(zpoints_bytes(points, wide)) > channel.device.max_binding,
            wide,
            ..Form::default()
        };
        let kernels = kernels::of(&channel.device, Family::Ztree, form)?;
        self.form = form;
        if points == 0 {
            return Ok(kernels);
        }
        self.buffers.lend(Slot::Coords, coords);
        self.make_room(&channel.device)?;
        channel.write(&self.buffers, Slot::Params, params)?;
        channel.write(&self.buffers, Slot::Tree, &self.tree)?;
        channel.write(&self.buffers, Slot::Zorder, &Zorder::default())?;
        self.zorder = self.sort(channel, &kernels)?;
        Ok(kernels)
    }

    fn make_room(&mut self, device: &Device) -> Result<()> {
        let points = u64::from(self.tree.points);
        let blocks = u64::from(self.tree.blocks);
        for (slot, bytes) in [
            (Slot::Params, size_of::<Params>() as u64),
            (Slot::Tree, size_of::<Tree>() as u64),
            (Slot::Zorder, size_of::<Zorder>() as u64),
            (Slot::Entries, 8 * points),
            (Slot::OtherEntries, 8 * points + 16), // or `Doubts`, in shaders/shared/doubts.wgsl
            (Slot::Digits, 4 * 256 * blocks),
            (Slot::Sums, 4 * (256 * blocks).max(points).div_ceil(SCAN_BLOCK)),
        ] {
            self.buffers.ensure(device, slot, bytes, WHAT)?;
        }
        Ok(())
    }

    /// Sorts the points by windows of bits, until no more than a leaf's share one, or they coincide.
    fn sort(&mut self, channel: &mut Channel, kernels: &Kernels) -> Result<Zorder> {
        let points = u64::from(self.tree.points);
        let mut stages = vec![(Stage::Spread, Size::Lanes(points, SPREAD_BLOCK))];
        if points >= FINE_FROM {
            stages.push((Stage::LayFineWindow, Size::Workgroups(1)));
            stages.push((Stage::Zkey, Size::Lanes(points, 256)));
            stages.extend(self.passes(FINE_PASSES));
        }
        stages.extend([
            (Stage::LayWindow, Size::Workgroups(1)),
            (Stage::Zkey, Size::Lanes(points, 256)),
        ]);
        stages.extend(self.passes(PASSES));
        stages.push((Stage::Survey, Size::Lanes(points, 256)));
        let mut zorder: Zorder = channel.run(
            (&mut self.buffers, kernels),
            None,
            (Phase::Index, &stages),
            Slot::Zorder,
        )?;
        while zorder.crowd > 0 {
            // By the next window within the cells of this one: first by the window, then by cell.
            self.buffers.ensure(&channel.device, Slot::Zruns, 4 * points, WHAT)?;
            let mut stages = vec![
                (Stage::ReduceRuns, Size::Lanes(points, SCAN_BLOCK)),
                (Stage::ApplyRuns, Size::Lanes(points, SCAN_BLOCK)),
                (Stage::LayWindow, Size::Workgroups(1)),
                (Stage::Zkey, Size::Lanes(points, 256)),
            ];
            stages.extend(self.passes(PASSES));
            stages.push((Stage::Relabel, Size::Lanes(points, 256)));
            stages.extend(self.passes(PASSES));
            stages.push((Stage::Survey, Size::Lanes(points, 256)));
            let before = zorder.crowd;
            zorder = channel.run(
                (&mut self.buffers, kernels),
                None,
                (Phase::Index, &stages),
                Slot::Zorder,
            )?;
            if zorder.crowd >= before {
                return Err(Error::Internal {
                    text: format!("points are not parted by bit {before} of their coordinates").into(),
                });
            }
        }
        Ok(zorder)
    }

    /// So many passes of a sort of the entries by their keys.
    fn passes(&self, passes: usize) -> Vec<(Stage, Size)> {
        let blocks = u64::from(self.tree.blocks);
        let pass = [
            (Stage::CountDigits, Size::Workgroups(blocks)),
            (Stage::ReduceDigits, Size::Lanes(256 * blocks, SCAN_BLOCK)),
            (Stage::ApplyDigits, Size::Lanes(256 * blocks, SCAN_BLOCK)),
            (Stage::ScatterDigits, Size::Workgroups(blocks)),
            (Stage::NextDigit, Size::Workgroups(1)),
        ];
        pass.repeat(passes)
    }

    /// Brings the points into their order and makes the planes.
    fn gather(&mut self, channel: &mut Channel, kernels: &Kernels) -> Result<Zorder> {
        let mut stages = vec![(Stage::Gather, Size::Lanes(u64::from(self.tree.points), 256))];
        for plane in 1..self.tree.planes as usize {
            stages.push((Stage::Plane, Size::Lanes(8 * u64::from(self.tree.counts[plane]), 256)));
            stages.push((Stage::NextPlane, Size::Workgroups(1)));
        }
        let index = (Phase::Index, &stages[..]);
        channel.run((&mut self.buffers, kernels), None, index, Slot::Zorder)
    }

    /// Whether points or their coordinates are more than one binding holds.
    pub fn has_windows(&self) -> bool {
        self.form.windows
    }
}
