//! Statements for each point on the device: values that become fields or positions, and terms of totals.
//!
//! in: a formula as shader code, and the fields; out: fields on the device, and what each workgroup makes of the terms. Stage:
//! `shaders/each_point.wgsl`.

use std::ops::Range;

use super::fields::copy;
use super::{NO_REAL64, OfFormula, TOO_LARGE};
use crate::error::Result;
use crate::gpu::arithmetic::exact_arithmetic;
use crate::gpu::attempt::Attempt;
use crate::gpu::channel::Channel;
use crate::gpu::clock::Phase;
use crate::gpu::dispatch::{Before, BufferCopy, Size};
use crate::gpu::fields::FieldOf;
use crate::gpu::kernels::{Slot, Stage};
use crate::gpu::row_search::RowSearch;
use crate::list::{push, resize_discarding};
use crate::threads::Team;

const WHAT: &str = "statements for each point";

/// Points of a workgroup, about; most workgroups; and the most points of one, whose digits have room for no more.
const SHARE: usize = 2048;
const MOST_SHARES: usize = 4096;
const MOST_OF_SHARE: usize = 1 << 15;

/// Statements to be evaluated for each point.
pub struct EachPoint<'a> {
    pub formula: OfFormula<'a>,
    /// Points from this one on have no terms.
    pub active: usize,
}

impl RowSearch {
    /// Evaluates the statements for all points that are indexed. Returns the words that workgroups make of terms, or why this device does
    /// not evaluate the statements.
    pub fn each_point(&mut self, channel: &mut Channel, work: &EachPoint, team: &Team) -> Result<Attempt<Vec<u32>>> {
        let formula = &work.formula;
        let Some(exact) = exact_arithmetic(channel, &self.kernels)? else {
            return Ok(Err("its arithmetic is not that of the CPU"));
        };
        if formula.shader.is_double && !exact.has_real64 {
            return Ok(Err(NO_REAL64));
        }
        self.take_formula(channel, formula.shader, exact)?;
        let points = self.params.points as usize;
        let at_once = self.points_at_once(channel, formula);
        let all: usize = (0..points)
            .step_by(at_once)
            .map(|first| shares(at_once.min(points - first)))
            .sum();
        let bytes = (4 * all * formula.shader.totals.all()) as u64;
        let records = (formula.size * formula.width() * at_once.min(points)) as u64;
        let mut head = super::Head {
            rows: work.active as u32,
            sign_bit: 1 << 31,
            ..super::Head::default()
        };
        let fields = (4 * at_once.min(points) * formula.shader.record.words()) as u64;
        let too_large = bytes.max(records).max(formula.tables.len() as u64).max(fields) > channel.device.max_binding;
        if too_large || at_once.min(points).div_ceil(shares(at_once.min(points))) > MOST_OF_SHARE {
            return Ok(Err(TOO_LARGE));
        }
        for (slot, bytes) in [(Slot::Totals, bytes), (Slot::Records, records), (Slot::Results, fields)] {
            self.buffers.ensure(&channel.device, slot, bytes, WHAT)?;
        }
        self.write_formula(channel, formula, head)?;
        let mut begun = 0;
        for first in (0..points).step_by(at_once) {
            let range = first..points.min(first + at_once);
            let count = shares(range.len());
            let copies = self.send_fields_of(channel, formula, range.clone(), team)?;
            let kept = self.keep_values(channel, formula, (Slot::Records, range.clone()))?;
            head = super::Head {
                first_point: range.start as u32,
                points: range.len() as u32,
                start: begun as u32,
                shares: count as u32,
                ..head
            };
            let before = [
                Before::Write(Slot::Summed, 0, bytemuck::bytes_of(&head)),
                Before::Copy(&copies),
            ];
            let stage = [(Stage::EachPoint, Size::Workgroups(count as u64))];
            let bound = (&mut self.buffers, &*self.kernels);
            channel.submit_and_copy(bound, &before, (Phase::Fill, &stage), &kept)?;
            begun += count;
        }
        let mut words = Vec::new();
        if formula.shader.totals.all() > 1 || formula.asks_host {
            resize_discarding(&mut words, bytes as usize / size_of::<u32>(), 0, WHAT)?;
            channel.fetch_words(&self.buffers, Slot::Totals, &mut words)?;
        }
        Ok(Ok(words))
    }

    /// Points whose fields and values have room at once.
    fn points_at_once(&self, channel: &Channel, formula: &OfFormula) -> usize {
        let points = (self.params.points as usize).max(1);
        if channel.device.mask.batches {
            return points.min(super::fields::FEW);
        }
        let words = formula
            .shader
            .record
            .words()
            .max(formula.width() * formula.size / size_of::<u32>());
        (super::FIELDS as usize / words.max(1)).clamp(1, points)
    }

    /// The copies that keep the values of a range of points, which are in the buffer of a slot one output after the other, as fields on
    /// the device.
    pub(super) fn keep_values(
        &mut self,
        channel: &Channel,
        formula: &OfFormula,
        (from, range): (Slot, Range<usize>),
    ) -> Result<Vec<BufferCopy>> {
        let (mut first, mut copies) = (0, Vec::new());
        let words = formula.size / size_of::<u32>();
        for &(width, version) in formula.outputs {
            let (item, points) = ((formula.size * width) as u64, u64::from(self.params.points));
            let Some(version) = version else {
                first += item * range.len() as u64;
                continue;
            };
            let of = (version, words);
            let kept = match self.fields.find(of) {
                Some(buffer) => buffer.clone(),
                None => self.fields.make(&channel.device, of, item * points)?,
            };
            let bytes = item * range.len() as u64;
            let copy = BufferCopy {
                from: (self.buffers.get(from)?.clone(), first),
                to: (kept, item * range.start as u64),
                bytes,
            };
            push(&mut copies, copy, "copies of fields")?;
            first += bytes;
        }
        Ok(copies)
    }

    /// Makes a field on the device that of the positions of all points: the points move there.
    pub fn move_points(&mut self, channel: &Channel, of: FieldOf, dim: usize) -> Result<()> {
        let bytes = (4 * of.1 * dim) as u64 * u64::from(self.params.points);
        let (from, to) = ((self.field(of)?, 0), (self.buffers.get(Slot::Coords)?.clone(), 0));
        copy(&channel.device, &[BufferCopy { from, to, bytes }])
    }

    /// Keeps the positions that the points have now as a field.
    pub fn keep_points(&mut self, channel: &Channel, of: FieldOf, dim: usize) -> Result<()> {
        let bytes = (4 * of.1 * dim) as u64 * u64::from(self.params.points);
        let kept = self.fields.make(&channel.device, of, bytes)?;
        let (from, to) = ((self.buffers.get(Slot::Coords)?.clone(), 0), (kept, 0));
        copy(&channel.device, &[BufferCopy { from, to, bytes }])
    }

    /// Brings all numbers of a field home.
    pub fn fetch_field(
        &mut self,
        channel: &mut Channel,
        (of, numbers): (FieldOf, usize),
        team: &Team,
        take: &(dyn Fn(usize, &[u8]) + Sync),
    ) -> Result<()> {
        let (bytes, from) = ((4 * of.1 * numbers) as u64, self.field(of)?);
        channel.download(team, &from, bytes, &|share, bytes| {
            take(share * crate::gpu::transfer::SHARE, bytes)
        })
    }

    fn field(&self, of: FieldOf) -> Result<wgpu::Buffer> {
        self.fields
            .find(of)
            .cloned()
            .ok_or_else(|| crate::error::Error::Internal {
                text: "a field is not on the device".into(),
            })
    }
}

/// The number of workgroups that share `points` points.
fn shares(points: usize) -> usize {
    points.div_ceil(SHARE).clamp(1, MOST_SHARES)
}
