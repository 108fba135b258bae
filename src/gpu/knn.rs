//! The k nearest on the device: rows, a chunk at a time, over the indexes of `curve`.
//!
//! in: the points held, followed by queries; out: rows in place, the same bits as the CPU's. One lane for each query keeps the
//! nearest by distances in real32, and the caller's arithmetic orders them (`shaders/knn.wgsl`). If real32 cannot decide, or
//! rows are long, a workgroup for each query does all the work (`shaders/knn_long.wgsl`). `docs/proofs/real32-bands.md` has the
//! proof.

use std::ops::Range;

use super::buffers::Buffers;
use super::channel::Channel;
use super::clock::Phase;
use super::curve::Curve;
use super::dispatch::Size;
use super::kernels::{self, Family, Slot, Stage};
use super::params::Params;
use super::queries::{Asking, Wanted};
use super::shader::Form;
use super::speeds::{Load, Pass};
use super::transfer::{SHARE, SHARE_IDS, store_changed};
use super::ztree::{LEAF, LEAST_PERIOD, Ztree, in_units};
use crate::domain::Periods;
use crate::error::{Error, Result};
use crate::list::Pieces;
use crate::measure::Measure;
use crate::points::Real;
use crate::threads::Team;

/// Rows of at most this many neighbors are kept by lanes.
const KEPT_BY_LANES: usize = 64;

/// Nodes and leaves that 32 queries look at before each gets a workgroup: a box around queries that are far apart, as two
/// parts of the curve meet there, reaches far too many.
const BUDGET: u32 = 300;

/// Below this, in units, distances squared tell nothing: coordinates are cut off.
const LEAST_BAND: f64 = 1.0 / (1u128 << 100) as f64;

/// More than rounding moves the distance squared from which on it overflows, relative.
const OVERFLOW_BAND: f64 = 1.0 / (1 << 16) as f64;

/// As in `shaders/shared/nearest.wgsl`: more than any distance squared, in units.
const FAR: f64 = (1u128 << 126) as f64;

/// Coordinates at the border, times points: more are refused, as rows of such points are found by looking at all others.
const MOST_AT_BORDER: u64 = 1 << 28;

const WHAT: &str = "the k nearest neighbors on the GPU";

/// Kernels for rows of `k`.
pub(super) fn form(k: usize) -> Form {
    Form {
        k: if k <= KEPT_BY_LANES { k } else { 0 },
        room: match k {
            0..=32 => 96,
            33..=256 => 512,
            _ => 1280,
        },
        ..Form::default()
    }
}

/// Twin of `Knn` in `shaders/shared/knn.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct KnnInputs {
    pub queries: u32,
    pub first: u32,
    pub k: u32,
    pub row: u32,
    pub end: u32,
    pub selves: u32,
    pub query_nodes: u32,
    pub budget: u32,
    pub band: f32,
    pub wide_band: f32,
    pub all: u32,
    pub query_places: u32,
    pub period_high: [f32; 3],
    pub finite: f32,
    pub period_low: [f32; 3],
    pub infinite: f32,
    pub within: [u32; 4],
}

/// Results of a handle on the device.
#[derive(Debug, Default)]
pub struct Nearest {
    pub buffers: Buffers,
    /// Coordinates at the border, of all queries.
    queries_at_border: u64,
    form: Form,
    /// Rows of the last chunk that lanes left to workgroups.
    doubts: u32,
}

impl Nearest {
    /// The last search was another.
    pub fn forget_rows(&mut self) {
        self.doubts = 0;
    }

    /// Rows of the last search for k nearest that real32 could not decide, of its last chunk.
    pub fn hard_rows(&self) -> u32 {
        self.doubts
    }

    /// Indexes points and, where rows are theirs, queries, unless the device has the index already. Returns whether it had not.
    pub fn index<T: Real>(
        &mut self,
        channel: &mut Channel,
        curve: &mut Curve,
        asking: Asking<T>,
        team: &Team,
    ) -> Result<bool> {
        let needs_queries = asking.of_queries && curve.queries.of().is_none_or(|(of, ..)| *of != asking.of());
        let needs_points = curve.index_points(channel, asking, None, team)?;
        if needs_queries {
            let mut at_border = 0;
            for part in curve.parts(channel, asking) {
                curve.index_queries(channel, asking, part)?;
                at_border += at_border_of(curve.queries.get());
            }
            self.queries_at_border = at_border;
        }
        let mut at_border = at_border_of(curve.points.get());
        if asking.of_queries {
            at_border += self.queries_at_border;
        }
        if at_border * asking.points as u64 > MOST_AT_BORDER {
            return Err(Error::NotSupported {
                what: "backend gpu for k nearest neighbors of points on more scales than real32 can represent",
            });
        }
        Ok(needs_points || needs_queries)
    }

    /// Writes the rows of what was indexed.
    pub fn fill<T: Real>(
        &mut self,
        channel: &mut Channel,
        curve: &mut Curve,
        asking: Asking<T>,
        wanted: &mut Wanted<T>,
        team: &Team,
    ) -> Result<()> {
        if wanted.rows == 0 {
            return Ok(());
        }
        if asking.points == 0 {
            pad(wanted);
            return Ok(());
        }
        if !asking.of_queries {
            return self.fill_part(channel, curve, asking, wanted, 0..wanted.rows, team);
        }
        for part in curve.parts(channel, asking) {
            curve.index_queries(channel, asking, part.clone())?;
            self.fill_part(channel, curve, asking, wanted, part, team)?;
        }
        Ok(())
    }

    /// Writes the rows of what is indexed now, which are those of `part`.
    fn fill_part<T: Real>(
        &mut self,
        channel: &mut Channel,
        curve: &Curve,
        asking: Asking<T>,
        wanted: &mut Wanted<T>,
        part: Range<usize>,
        team: &Team,
    ) -> Result<()> {
        let k = wanted.k;
        let asked = self.prepare(channel, curve, asking, wanted)?;
        let limit = channel.memory_limit.map_or(u64::MAX, |limit| (limit / 3).max(1 << 20));
        let row_bytes = (k * size_of::<T>()) as u64;
        let most = (channel.device.max_binding.min(limit) / row_bytes).clamp(1, 1 << 30) as usize;
        for row in part.clone().step_by(most) {
            let rows = part.end.min(row + most) - row;
            self.fill_rows::<T>(channel, asked, [row - part.start, rows])?;
            self.land(channel, wanted, row * k..(row + rows) * k, team)?;
        }
        Ok(())
    }

    /// Kernels, and the buffers that stay the same for all rows.
    fn prepare<T: Real>(
        &mut self,
        channel: &mut Channel,
        curve: &Curve,
        asking: Asking<T>,
        wanted: &Wanted<T>,
    ) -> Result<KnnInputs> {
        let buffers = &mut self.buffers;
        let points = curve.points.get();
        let wide = size_of::<T>() > size_of::<f32>();
        let form = Form {
            windows: curve.has_windows(channel.device.max_binding),
            wide,
            periodic: !asking.periods.is_open(),
            subgroups: Form::of(&channel.device).subgroups,
            ..form(wanted.k)
        };
        self.form = form;
        let queries = match asking.of_queries {
            true => curve.queries.get(),
            false => points,
        };
        buffers.lend(Slot::Coords, curve.coords()?);
        for (slot, bytes) in [
            (Slot::Params, size_of::<Params>() as u64),
            (Slot::Asked, size_of::<KnnInputs>() as u64),
        ] {
            buffers.ensure(&channel.device, slot, bytes, WHAT)?;
        }
        for (slot, tree, of) in [
            (Slot::Tree, points, Slot::Tree),
            (Slot::Zpoints, points, Slot::Zpoints),
            (Slot::Nodes, points, Slot::Nodes),
            (Slot::QueryPoints, queries, Slot::Zpoints),
            (Slot::QueryNodes, queries, Slot::Nodes),
            (Slot::Doubts, queries, Slot::OtherEntries), // of no use once points are sorted
        ] {
            buffers.lend(slot, tree.buffers.get(of)?);
        }
        let params = Params {
            base: wanted.base as u32,
            ..asking.params()
        };
        channel.write(buffers, Slot::Params, &params)?;
        let unit = points.tree.unit;
        let mut asked = KnnInputs {
            queries: queries.tree.points,
            first: queries.tree.first,
            k: wanted.k as u32,
            selves: if asking.of_queries {
                0
            } else {
                1 + u32::from(wanted.skips_self)
            },
            query_nodes: queries.tree.nodes,
            query_places: queries.tree.places,
            budget: BUDGET,
            all: u32::from(form.k == 0),
            ..KnnInputs::default()
        };
        asked.set_bands(asking.periods, unit);
        asked.set_within(wanted.within);
        Ok(asked)
    }

    /// Makes the rows of a chunk on the device.
    fn fill_rows<T: Real>(&mut self, channel: &mut Channel, asked: KnnInputs, [row, rows]: [usize; 2]) -> Result<()> {
        let Nearest { buffers, form, .. } = self;
        let elements = (rows * asked.k as usize) as u64;
        buffers.ensure(&channel.device, Slot::Ids, 4 * elements, WHAT)?;
        buffers.ensure(&channel.device, Slot::Squares, size_of::<T>() as u64 * elements, WHAT)?;
        let asked = KnnInputs {
            row: row as u32,
            end: (row + rows) as u32,
            ..asked
        };
        channel.write(buffers, Slot::Asked, &asked)?;
        channel.write(buffers, Slot::Doubts, &[0u32; 4])?;
        let stages: &[(Stage, Size)] = match asked.all {
            0 => &[
                (Stage::Nearest, Size::Lanes(asked.queries.into(), LEAF)),
                (Stage::SizeDoubts, Size::Workgroups(1)),
                (Stage::NearestLong, Size::Indirect(Slot::Doubts, 0)),
            ],
            _ => &[(Stage::NearestLong, Size::Workgroups(asked.queries.into()))],
        };
        let kernels = kernels::of(&channel.device, Family::Knn, *form)?;
        let load = Load {
            pass: Pass::Nearest,
            items: elements,
            reach: f64::from(asked.k),
            is_rest: false,
        };
        let pass = (Phase::Fill, stages);
        let doubts: [u32; 4] = channel.run((buffers, &kernels), Some(load), pass, Slot::Doubts)?;
        self.doubts = doubts[3];
        Ok(())
    }

    /// Brings the rows of a chunk home, to the elements of `place`.
    fn land<T: Real>(
        &mut self,
        channel: &mut Channel,
        wanted: &mut Wanted<T>,
        place: Range<usize>,
        team: &Team,
    ) -> Result<()> {
        let elements = place.len();
        let ids = Pieces::every(wanted.ids.part(place.clone()), SHARE_IDS)?;
        let take = |share: usize, bytes: &[u8]| ids.store(share, bytemuck::cast_slice(bytes));
        let source = self.buffers.get(Slot::Ids)?;
        channel.download(team, source, 4 * elements as u64, &take)?;
        if let Some(distances) = &mut wanted.distances {
            let distances = Pieces::every(distances.part(place), SHARE / size_of::<T>())?;
            let take = |share: usize, bytes: &[u8]| match wanted.measure {
                Measure::Square => store_changed(&distances, share, bytes, |_| ()),
                measure => store_changed(&distances, share, bytes, |square| *square = measure.of(*square)),
            };
            let source = self.buffers.get(Slot::Squares)?;
            channel.download(team, source, (size_of::<T>() * elements) as u64, &take)?;
        }
        Ok(())
    }
}

/// Coordinates at the border.
fn at_border_of(tree: &Ztree) -> u64 {
    match tree.tree.points {
        0 => 0,
        _ => tree.zorder.saturated.into(),
    }
}

/// Rows without any neighbor.
fn pad<T: Real>(wanted: &mut Wanted<T>) {
    for at in 0..wanted.rows * wanted.k {
        wanted.ids.store(at..at + 1, &[wanted.base as i32 - 1]);
        if let Some(distances) = &mut wanted.distances {
            distances.store(at..at + 1, &[T::INFINITY]);
        }
    }
}

impl KnnInputs {
    /// Bits of the largest distance squared of a neighbor, and those of infinity.
    fn set_within<T: Real>(&mut self, within: Option<T>) {
        let words = |number: f64| match size_of::<T>() > size_of::<f32>() {
            true => [(number.to_bits() >> 32) as u32, number.to_bits() as u32],
            false => [(number as f32).to_bits(), 0],
        };
        let bound = words(within.map_or(f64::INFINITY, |within| within.to_f64()));
        let infinity = words(f64::INFINITY);
        self.within = [bound[0], bound[1], infinity[0], infinity[1]];
    }

    /// Depends on lengths, in units of 2^unit.
    fn set_bands<T: Real>(&mut self, periods: &Periods<T>, unit: i32) {
        let (wide, scale) = (size_of::<T>() > size_of::<f32>(), -f64::from(unit));
        let mut longest = 0.0f64;
        for (axis, length) in periods.lengths().into_iter().enumerate() {
            let length = length.map_or(0.0, |length| in_units(length, unit).max(LEAST_PERIOD));
            longest = longest.max(length);
            self.period_high[axis] = length as f32;
            self.period_low[axis] = (length - f64::from(self.period_high[axis])) as f32;
        }
        // Differences err by this much of the longest period, and in two words by 2^-44 of a coordinate; the caller's squares
        // by a few of the least numbers.
        let across = longest * if wide { 2f64.powi(-43) } else { 2f64.powi(-22) };
        let least = if wide { -1072.0 } else { -147.0 };
        let underflow = (least + 2.0 * scale).min(126.0).exp2();
        self.band = (2f64.powi(18) * across * across + LEAST_BAND + underflow).min(FAR) as f32;
        self.wide_band = if wide { 2f32.powi(-70) } else { 0.0 };
        // Numbers that round to more than the largest one are infinite.
        let overflow = if wide { 1024.0 } else { 128.0 };
        let square = (overflow + 2.0 * scale).clamp(-200.0, 126.0).exp2();
        self.finite = (square * (1.0 - OVERFLOW_BAND)) as f32;
        self.infinite = (square.max(LEAST_BAND) * (1.0 + OVERFLOW_BAND)) as f32;
    }
}
