//! Statements for each point on the device: values that become fields or positions, and terms of totals.
//!
//! in: a formula as shader code, and the fields; out: fields on the device, and what each workgroup makes of the terms. Stage:
//! `shaders/each_point.wgsl`.

use super::fields::copy;
use super::{NO_REAL64, OfFormula, Source, TOO_LARGE};
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
        if let Some(why) = formula.shader.why_not_on(&channel.device.device.limits()) {
            return Ok(Err(why));
        }
        let exact = match exact_arithmetic(channel, &self.kernels)? {
            Some(exact) if formula.shader.is_double && exact.real64_rate.is_none() => return Ok(Err(NO_REAL64)),
            Some(exact) => exact,
            None => return Ok(Err("its arithmetic is not that of the CPU")),
        };
        self.take_formula(channel, formula.shader, exact)?;
        let points = self.params.points as usize;
        let at_once = match channel.device.mask.batches {
            true => points.min(super::fields::FEW),
            false => points.max(1),
        };
        let all: usize = (0..points)
            .step_by(at_once)
            .map(|first| shares(at_once.min(points - first)))
            .sum();
        let bytes = (4 * all * formula.shader.totals.all()) as u64;
        let most_of_share = at_once.div_ceil(shares(at_once));
        if bytes.max(formula.tables.len() as u64) > channel.device.max_binding || most_of_share > MOST_OF_SHARE {
            return Ok(Err(TOO_LARGE));
        }
        self.buffers.ensure(&channel.device, Slot::Totals, bytes, WHAT)?;
        let mut head = super::Head {
            rows: work.active as u32,
            sign_bit: 1 << 31,
            ..super::Head::default()
        };
        self.write_formula(channel, formula, head)?;
        let fields = match self.bind_fields(channel, formula, team)? {
            Ok(fields) => fields,
            Err(why) => return Ok(Err(why)),
        };
        let mut begun = 0;
        for first in (0..points).step_by(at_once) {
            let range = first..points.min(first + at_once);
            let count = shares(range.len());
            head = super::Head {
                first_point: range.start as u32,
                points: range.len() as u32,
                start: begun as u32,
                shares: count as u32,
                ..head
            };
            let before = [Before::Write(Slot::Summed, 0, bytemuck::bytes_of(&head))];
            let stage = [(Stage::EachPoint, Size::Workgroups(count as u64))];
            let bound = (&mut self.buffers, &*self.kernels);
            channel.submit_with_fields(bound, &before, (Phase::Fill, &stage), fields.as_ref())?;
            begun += count;
        }
        let mut words = Vec::new();
        if formula.shader.totals.all() > 1 || formula.asks_host {
            resize_discarding(&mut words, bytes as usize / size_of::<u32>(), 0, WHAT)?;
            channel.fetch_words(&self.buffers, Slot::Totals, &mut words)?;
        }
        Ok(Ok(words))
    }

    /// Binds the fields that a formula reads, and after them those that it makes.
    fn bind_fields(
        &mut self,
        channel: &mut Channel,
        formula: &OfFormula,
        team: &Team,
    ) -> Result<Attempt<Option<wgpu::BindGroup>>> {
        let Some(layout) = self
            .kernels
            .get(Stage::EachPoint)
            .and_then(|kernel| kernel.of_fields.clone())
        else {
            return Ok(Ok(None));
        };
        let mut bound = Vec::new();
        for placed in &formula.shader.record.fields {
            let buffer = match formula.sources[placed.field as usize] {
                Source::Points => self.buffers.get(Slot::Coords)?.clone(),
                Source::Field(of) => self.keep_field(channel, formula, (of, placed), team)?,
                Source::Given => return Ok(Err("a field that has no version")),
            };
            push(&mut bound, buffer, WHAT)?;
        }
        for &(width, version) in formula.outputs {
            let Some(version) = version else { continue };
            let bytes = (formula.size * width) as u64 * u64::from(self.params.points);
            let of = (version, formula.size / size_of::<u32>());
            push(&mut bound, self.fields.make(&channel.device, of, bytes)?, WHAT)?;
        }
        if bound.iter().any(|buffer| buffer.size() > channel.device.max_binding) {
            return Ok(Err(TOO_LARGE));
        }
        let group = channel.device.checked("fields that are bound", 0, || {
            let entries = (0..).zip(&bound).map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            });
            channel.device.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &layout,
                entries: &entries.collect::<Vec<_>>(),
            })
        })?;
        Ok(Ok(Some(group)))
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
