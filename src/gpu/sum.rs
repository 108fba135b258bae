//! Sums over neighbors on the device. No list is made: `count` finds the hits of blocks, and `sum` evaluates their rows (`blocks`). By
//! radii the ids of rows are found, a chunk at a time (`rows`).
//!
//! in: an index, a formula as shader code, and the fields; out: the outputs of all rows. Stages: `shaders/columns.wgsl`, `count`, `sum`.

mod blocks;
pub mod each_point;
mod fields;
mod kernels;
mod program;
mod rows;

pub use program::{
    Makes as ShaderMakes, PlacedTable, Points as ShaderPoints, Reads as ShaderReads, Shader, TotalWords,
};

use std::ops::Range;
use std::sync::Arc;

use super::arithmetic::exact_arithmetic;
use super::attempt::Attempt;
use super::channel::Channel;
use super::device::Exact;
use super::kernels::{Kernels, Slot};
use super::params::Params;
use super::row_search::RowSearch;
use super::shader::{Form, Piece};
use super::speeds::{Load, Pass};
use super::transfer::SHARE;
use crate::error::Result;
use crate::exclusions::ExcludedPairs;
use crate::kinds::Classes;
use crate::points::Real;
use crate::threads::Team;
use crate::version::Version;

/// Words of fields on their way, or as many as the results have.
const FIELDS: u64 = 8 << 20;

/// Puts the numbers of some points: takes the first point, and the bytes.
pub type Put<'a> = dyn FnMut(usize, &[u8]) + 'a;

/// Takes numbers, the first of which has a place among all, by their bytes.
pub type Take<'a> = dyn Fn(usize, &[u8]) + Sync + 'a;

/// A sum to be evaluated.
pub struct Summed<'a, T> {
    /// Both sides of each pair, or only ids above the row's own.
    pub full: bool,
    pub classes: Option<&'a Classes<'a>>,
    /// Pairs that no row lists, and their version.
    pub excluded: Option<(Version, &'a ExcludedPairs)>,
    /// Pairs whose classes the formula reads, and their version.
    pub classes_of_pairs: Option<(Version, &'a ExcludedPairs)>,
    pub bound: T,
    /// The points that have rows, by their numbers on the device.
    pub rows: Range<usize>,
    pub with_self: bool,
    /// The bytes of a result that the handle may take, of which hits are kept in a part.
    pub memory_limit: Option<u64>,
    pub formula: OfFormula<'a>,
    /// Takes the bytes of numbers of the outputs, the first of which has this place; none, where they stay on the device.
    pub take: Option<&'a Take<'a>>,
}

/// The source of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The caller puts it each time.
    Given,
    /// The caller puts it where the device has no field of this version.
    Field(Version),
    /// The positions of the points.
    Points,
}

/// A formula, and all that it reads and makes.
pub struct OfFormula<'a> {
    pub shader: &'a Shader,
    /// The constants of the shader, and the numbers of tables.
    pub constants: &'a [u8],
    pub tables: &'a [u8],
    /// Bytes of a number.
    pub size: usize,
    /// Of each output its numbers of a point, and the version of the field that it becomes, where that may stay on the device.
    pub outputs: &'a [(usize, Option<Version>)],
    /// Some points may be left to the host.
    pub asks_host: bool,
    /// The source of each field, by its number.
    pub sources: &'a [Source],
    /// Puts what a field, by its number, has for a range of points.
    pub fill: &'a (dyn Fn(usize, Range<usize>, &mut Put) + Sync),
}

impl OfFormula<'_> {
    /// Numbers of all outputs of a point.
    pub fn width(&self) -> usize {
        self.outputs.iter().map(|(width, _)| width).sum()
    }
}

/// Twin of the front of `Summed` in `shaders/shared/summed.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
struct Head {
    first_row: u32,
    rows: u32,
    with_self: u32,
    sign_bit: u32,
    first_point: u32,
    points: u32,
    first_listed: u32,
    listed: u32,
    start: u32,
    done: u32,
    shares: u32,
    reserved: u32,
}

/// The place of the constants after the head: vectors of four numbers of that many bytes.
pub(super) fn first_constant(size: usize) -> u64 {
    size_of::<Head>().next_multiple_of(4 * size) as u64
}

const NO_REAL64: &str = "real64, which the device has not or not as the CPU has it";
const TOO_LARGE: &str = "points, fields or outputs larger than a binding";

impl RowSearch {
    /// Sums over the neighbors of the points that are indexed. Returns the number of neighbors, or why this device does not evaluate
    /// the formula.
    pub fn sum<T: Real>(&mut self, channel: &mut Channel, summed: &Summed<T>, team: &Team) -> Result<Attempt> {
        let exact = match self.exact_for_sums(channel, summed)? {
            Ok(exact) => exact,
            Err(found) => return Ok(found),
        };
        (self.filled, self.placed) = (None, false);
        channel.forget_times();
        self.params.set_bound(summed.bound);
        self.params = Params {
            full: summed.full.into(),
            every_block: 1,
            room: 0,
            ..self.params
        };
        let is_counted = self.hits.is_of(&self.hits_of((summed.classes, summed.excluded)));
        if !is_counted {
            self.set_classes(channel, (summed.classes, summed.excluded), team)?;
        }
        self.take_formula(channel, summed.formula.shader, exact)?;
        self.set_classes_of_pairs(channel, summed.classes_of_pairs, team)?;
        if !self.make_room_for_sums(channel, summed)? {
            return Ok(Err(TOO_LARGE));
        }
        let found = match is_counted {
            true => Ok(self.sum_kept(channel, summed, team)?),
            false => self.count_and_sum(channel, summed, team)?,
        };
        if found.is_ok() {
            self.take_results(channel, summed, team)?;
        }
        Ok(found)
    }

    /// The arithmetic of the device, or what is to be said of a sum without it.
    fn exact_for_sums<T: Real>(
        &self,
        channel: &mut Channel,
        summed: &Summed<T>,
    ) -> Result<std::result::Result<Exact, Attempt>> {
        let Some(exact) = exact_arithmetic(channel, &self.kernels)? else {
            return Ok(Err(Err("its arithmetic is not that of the CPU")));
        };
        if summed.formula.shader.is_double && exact.real64_rate.is_none() {
            return Ok(Err(Err(NO_REAL64)));
        }
        if self.params.points == 0 || summed.rows.is_empty() {
            return Ok(Err(Ok(0)));
        }
        match self.kernels.form().windows {
            true => Ok(Err(Err(TOO_LARGE))),
            false => Ok(Ok(exact)),
        }
    }

    /// Brings the outputs home.
    fn take_results<T: Real>(&mut self, channel: &mut Channel, summed: &Summed<T>, team: &Team) -> Result<()> {
        let size = summed.formula.size;
        let bytes = (size * summed.rows.len() * summed.formula.width()) as u64;
        self.keep_results(channel, summed)?;
        if let Some(take) = summed.take {
            let results = self.buffers.get(Slot::Results)?;
            channel.download(team, results, bytes, &|share, bytes| {
                take(share * (SHARE / size), bytes)
            })?;
        }
        channel.read_clock()
    }

    /// Room for records, results and fields, and for what is the same for all pairs, which is written; false where a
    /// binding is too small.
    fn make_room_for_sums<T: Real>(&mut self, channel: &mut Channel, summed: &Summed<T>) -> Result<bool> {
        let points = u64::from(self.params.points);
        let formula = &summed.formula;
        let size = formula.size as u64;
        let records = size * points * formula.shader.record.len() as u64;
        let fields = points * formula.shader.record.words() as u64;
        let results = (size * (summed.rows.len() * formula.width()) as u64).max(4 * fields.min(FIELDS));
        if records.max(results).max(formula.tables.len() as u64) > channel.device.max_binding {
            return Ok(false);
        }
        let head = Head {
            first_row: summed.rows.start as u32,
            rows: summed.rows.len() as u32,
            with_self: summed.with_self.into(),
            sign_bit: 1 << 31,
            ..Head::default()
        };
        for (slot, bytes) in [(Slot::Records, records), (Slot::Results, results)] {
            self.buffers.ensure(&channel.device, slot, bytes, "a sum on the GPU")?;
        }
        self.write_formula(channel, formula, head)?;
        Ok(true)
    }

    /// Writes what is the same for all points and pairs.
    fn write_formula(&mut self, channel: &Channel, formula: &OfFormula, head: Head) -> Result<()> {
        let first = first_constant(formula.size);
        for (slot, bytes) in [
            (Slot::Tables, formula.tables.len() as u64),
            (Slot::Summed, first + formula.constants.len() as u64),
        ] {
            self.buffers
                .ensure(&channel.device, slot, bytes, "the constants of a formula")?;
        }
        let (head_to, tables_to) = (self.buffers.get(Slot::Summed)?, self.buffers.get(Slot::Tables)?);
        channel.device.checked("the constants of a formula", 0, || {
            let queue = &channel.device.queue;
            queue.write_buffer(head_to, 0, bytemuck::bytes_of(&head));
            queue.write_buffer(head_to, first, formula.constants);
            queue.write_buffer(tables_to, 0, formula.tables);
        })
    }

    /// The load of all parts of a sum; `is_rest`: of those after the first.
    fn sum_load(&self, is_rest: bool) -> Load {
        Load {
            is_rest,
            ..self.load(Pass::Sum)
        }
    }

    /// Takes the kernels of a formula, beside those of the search.
    fn take_formula(&mut self, channel: &mut Channel, shader: &Shader, exact: Exact) -> Result<()> {
        let form = Form {
            fused: exact.is_fused,
            doubles: exact.has_doubles && shader.has_doubles,
            real64: shader.is_double,
            excluded: false, // of counts
            ..self.kernels.form()
        };
        let pieces = &shader.pieces;
        let is_known = |(of, known): &(Vec<Piece>, Arc<Kernels>)| of == pieces && Arc::ptr_eq(known, &self.kernels);
        if self.formula.as_ref().is_some_and(is_known) {
            return Ok(());
        }
        let kernels = kernels::of(&channel.device, form, pieces, exact.controls)?;
        self.kernels = Arc::new(self.kernels.with(&kernels));
        self.formula = Some((pieces.clone(), self.kernels.clone()));
        Ok(())
    }
}
