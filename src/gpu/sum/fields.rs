//! The fields of a sum on their way to the device, which makes the records of the points of them. Stage: `shaders/columns.wgsl`.

use std::ops::Range;

use super::program::PlacedField;
use super::{Head, OfFormula, Source, Summed};
use crate::error::Result;
use crate::gpu::channel::Channel;
use crate::gpu::clock::Phase;
use crate::gpu::device::Device;
use crate::gpu::dispatch::{Before, BufferCopy, Size};
use crate::gpu::kernels::{Slot, Stage};
use crate::gpu::row_search::RowSearch;
use crate::list::push;
use crate::points::Real;
use crate::threads::Team;
use crate::version::Version;

/// Points whose records are made at once where a mask has the device work in batches.
pub(super) const FEW: usize = 100;

/// The place of `first_point` in `Head`.
const FIRST_POINT: u64 = std::mem::offset_of!(Head, first_point) as u64;

impl RowSearch {
    /// Has the device make the records of the points, as many at once as their fields have room where the results come later.
    pub(super) fn send_fields<T: Real>(
        &mut self,
        channel: &mut Channel,
        summed: &Summed<T>,
        team: &Team,
    ) -> Result<()> {
        let (points, words) = (self.params.points as usize, summed.formula.shader.record.words());
        let room = self.buffers.bytes_of(Slot::Results) as usize / size_of::<u32>();
        let most = match channel.device.mask.batches {
            true => FEW,
            false => (room / words.max(1)).max(1),
        };
        for first in (0..points).step_by(most) {
            let range = first..points.min(first + most);
            let copies = self.send_fields_of(channel, &summed.formula, range.clone(), team)?;
            let points = [range.start as u32, range.len() as u32];
            let before = [
                Before::Write(Slot::Summed, FIRST_POINT, bytemuck::bytes_of(&points)),
                Before::Copy(&copies),
            ];
            let columns = (Stage::Columns, Size::Lanes(range.len() as u64, 256));
            self.submit(channel, &before, (Phase::Fill, &[columns]))?;
        }
        Ok(())
    }

    /// Brings the fields of a range of points to where their records are made of them, one field after the other. Returns the copies
    /// that bring those that stay on the device.
    pub(super) fn send_fields_of(
        &mut self,
        channel: &mut Channel,
        formula: &OfFormula,
        points: Range<usize>,
        team: &Team,
    ) -> Result<Vec<BufferCopy>> {
        let mut copies = Vec::new();
        for placed in &formula.shader.record.fields {
            let (field, bytes) = (placed.field as usize, placed.bytes());
            let (items, first) = ([points.len(), bytes], (4 * placed.before * points.len()) as u64);
            let there = match formula.sources[field] {
                Source::Given => None,
                Source::Field(of) => Some(self.keep_field(channel, formula, (of, placed), team)?),
                Source::Points => Some(self.buffers.get(Slot::Coords)?.clone()),
            };
            let to = self.buffers.get(Slot::Results)?;
            if let Some(there) = there {
                // Queries may be after the points. A field has no values for them, and no row of points reads any.
                let start = (bytes * points.start) as u64;
                let bytes = ((items[0] * items[1]) as u64).min(there.size().saturating_sub(start));
                if bytes > 0 {
                    let (from, to) = ((there, start), (to.clone(), first));
                    push(&mut copies, BufferCopy { from, to, bytes }, "copies of fields")?;
                }
                continue;
            }
            channel.upload(team, items, to, first, |range, put| {
                let range = points.start + range.start..points.start + range.end;
                (formula.fill)(field, range, &mut |point, bytes| put(point - points.start, bytes));
            })?;
        }
        Ok(copies)
    }

    /// The buffer of a field that stays on the device, sent where it is not there.
    pub(super) fn keep_field(
        &mut self,
        channel: &mut Channel,
        formula: &OfFormula,
        (of, placed): (Version, &PlacedField),
        team: &Team,
    ) -> Result<wgpu::Buffer> {
        let of = (of, placed.words);
        if let Some(buffer) = self.fields.find(of) {
            return Ok(buffer.clone());
        }
        let items = [self.params.points as usize, placed.bytes()];
        let buffer = self.fields.make(&channel.device, of, (items[0] * items[1]) as u64)?;
        let sent = channel.upload(team, items, &buffer, 0, |range, put| {
            (formula.fill)(placed.field as usize, range, put)
        });
        if sent.is_err() {
            self.fields.forget(of);
        }
        sent.map(|()| buffer)
    }

    /// Keeps outputs as fields on the device. Where there is no memory for one, it is sent when it is read.
    pub(super) fn keep_results<T: Real>(&mut self, channel: &Channel, summed: &Summed<T>) -> Result<()> {
        let copies = self.copies_of_results(channel, summed);
        let kept = copies.and_then(|copies| copy(&channel.device, &copies));
        match summed.take {
            Some(_) => {
                if kept.is_err() {
                    let made = |version: Version| summed.formula.outputs.iter().any(|(_, of)| *of == Some(version));
                    self.fields.retain(|version| !made(version));
                }
                Ok(())
            }
            None => kept,
        }
    }

    /// The copies that keep outputs, which are one after the other, as fields on the device.
    fn copies_of_results<T: Real>(&mut self, channel: &Channel, summed: &Summed<T>) -> Result<Vec<BufferCopy>> {
        let (formula, rows) = (&summed.formula, &summed.rows);
        let (mut first, mut copies) = (0, Vec::new());
        for &(width, version) in formula.outputs {
            let (item, points) = ((formula.size * width) as u64, u64::from(self.params.points));
            let bytes = item * rows.len() as u64;
            if let Some(version) = version {
                let of = (version, formula.size / size_of::<u32>());
                let kept = self.fields.make(&channel.device, of, item * points)?;
                let copy = BufferCopy {
                    from: (self.buffers.get(Slot::Results)?.clone(), first),
                    to: (kept, item * rows.start as u64),
                    bytes,
                };
                push(&mut copies, copy, "copies of fields")?;
            }
            first += bytes;
        }
        Ok(copies)
    }
}

/// Copies bytes on the device, after all that was submitted.
pub(super) fn copy(device: &Device, copies: &[BufferCopy]) -> Result<()> {
    device.checked("copies of fields", 0, || {
        let mut encoder = device.device.create_command_encoder(&Default::default());
        copies.iter().for_each(|copy| copy.record(&mut encoder));
        device.queue.submit([encoder.finish()]);
    })
}
