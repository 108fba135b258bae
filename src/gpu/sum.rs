//! Sums over neighbors on the device. No list is made: `count` finds the hits of blocks, and `sum` evaluates their rows (`blocks`). By
//! radii the ids of rows are found, a chunk at a time (`rows`).
//!
//! in: an index, a formula as shader code, and the fields; out: the outputs of all rows. Stages: `shaders/columns.wgsl`, `count`, `sum`.

mod blocks;
mod fields;
mod kernels;
mod program;
mod rows;

pub use program::{PlacedTable, Points as ShaderPoints, Reads as ShaderReads, Shader};

use std::ops::Range;
use std::sync::Arc;

use super::arithmetic::exact_arithmetic;
use super::channel::Channel;
use super::device::Exact;
use super::kernels::{Kernels, Slot};
use super::params::Params;
use super::row_search::RowSearch;
use super::shader::{Form, Piece};
use super::speeds::{Load, Pass};
use super::transfer::SHARE;
use crate::error::Result;
use crate::kinds::Classes;
use crate::points::Real;
use crate::threads::Team;
use crate::version::Version;

/// Words of fields on their way, or as many as the results have.
const FIELDS: u64 = 8 << 20;

/// Puts the numbers of some points: takes the first point, and the bytes.
pub type Put<'a> = dyn FnMut(usize, &[u8]) + 'a;

/// A sum to be evaluated.
pub struct Summed<'a, T> {
    /// Both sides of each pair, or only ids above the row's own.
    pub full: bool,
    pub classes: Option<&'a Classes<'a>>,
    pub bound: T,
    /// The points that have rows, by their numbers on the device.
    pub rows: Range<usize>,
    pub with_self: bool,
    /// The bytes of a result that the handle may take, of which hits are kept in a part.
    pub memory_limit: Option<u64>,
    pub shader: &'a Shader,
    /// Data that is the same for all pairs, and the numbers of tables.
    pub uniforms: &'a [f32],
    pub tables: &'a [f32],
    /// Numbers of all outputs of a row.
    pub width: usize,
    /// Of each output its numbers of a row, and the version of the field that it becomes, where that may stay on the device.
    pub outputs: &'a [(usize, Option<Version>)],
    /// The version of each field, by its number, where it may stay on the device.
    pub versions: &'a [Option<Version>],
    /// Puts what a field, by its number, has for a range of points.
    pub fill: &'a (dyn Fn(usize, Range<usize>, &mut Put) + Sync),
    /// Takes numbers of the outputs, the first of which has this place.
    pub take: &'a (dyn Fn(usize, &[f32]) + Sync),
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
    reserved: [u32; 2],
}

/// The result of a sum, or the reason why a device does not evaluate a formula.
pub type Attempt<N = i64> = std::result::Result<N, &'static str>;

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
        let is_counted = self.hits.is_of(&self.hits_of(summed.classes));
        if !is_counted {
            self.set_classes(channel, summed.classes, team)?;
        }
        self.take_formula(channel, summed.shader, exact)?;
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
        let bytes = 4 * (summed.rows.len() * summed.width) as u64;
        self.keep_results(channel, summed)?;
        let results = self.buffers.get(Slot::Results)?;
        channel.download(team, results, bytes, &|share, bytes| {
            (summed.take)(share * (SHARE / size_of::<f32>()), bytemuck::cast_slice(bytes));
        })?;
        channel.read_clock()
    }

    /// Room for records, results and fields, and for what is the same for all pairs, which is written; false where a
    /// binding is too small.
    fn make_room_for_sums<T: Real>(&mut self, channel: &mut Channel, summed: &Summed<T>) -> Result<bool> {
        let points = u64::from(self.params.points);
        let records = 4 * points * summed.shader.record.len() as u64;
        let fields = points * summed.shader.record.components() as u64;
        let results = 4 * ((summed.rows.len() * summed.width) as u64).max(fields.min(FIELDS));
        let tables = 4 * summed.tables.len() as u64;
        if records.max(results).max(tables) > channel.device.max_binding {
            return Ok(false);
        }
        let constants = summed.shader.constants(summed.uniforms)?;
        let head = Head {
            first_row: summed.rows.start as u32,
            rows: summed.rows.len() as u32,
            with_self: summed.with_self.into(),
            sign_bit: 1 << 31,
            ..Head::default()
        };
        for (slot, bytes) in [
            (Slot::Records, records),
            (Slot::Results, results),
            (Slot::Tables, tables),
            (Slot::Summed, (size_of::<Head>() + size_of_val(&*constants)) as u64),
        ] {
            self.buffers.ensure(&channel.device, slot, bytes, "a sum on the GPU")?;
        }
        let (head_to, tables_to) = (self.buffers.get(Slot::Summed)?, self.buffers.get(Slot::Tables)?);
        channel.device.checked("the constants of a sum", 0, || {
            let queue = &channel.device.queue;
            queue.write_buffer(head_to, 0, bytemuck::bytes_of(&head));
            queue.write_buffer(head_to, size_of::<Head>() as u64, bytemuck::cast_slice(&constants));
            queue.write_buffer(tables_to, 0, bytemuck::cast_slice(summed.tables));
        })?;
        Ok(true)
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
            doubles: exact.has_doubles && shader.is_wide,
            ..self.kernels.form()
        };
        let pieces = &shader.pieces;
        let is_known = |(of, known): &(Vec<Piece>, Arc<Kernels>)| of == pieces && Arc::ptr_eq(known, &self.kernels);
        if self.formula.as_ref().is_some_and(is_known) {
            return Ok(());
        }
        let kernels = kernels::of(&channel.device, form, pieces, exact.controls)?;
        self.kernels = Arc::new(self.kernels.with(kernels));
        self.formula = Some((pieces.clone(), self.kernels.clone()));
        Ok(())
    }
}
