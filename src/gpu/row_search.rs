//! The search for rows within a cutoff or by radii: what it keeps on the device from call to call.
//!
//! in: points; out: the rows counted, their ids, sums over them. The stages of its steps are recorded in `index`, `blocks`, `pairs`,
//! `radii` and `sum`.

use std::mem::{forget, take};
use std::ops::Range;
use std::sync::Arc;

use super::adapters::are_inherited;
use super::buffers::Buffers;
use super::channel::Channel;
use super::clock::Phase;
use super::device::Device;
use super::dispatch::{Before, Size};
use super::fields::Fields;
use super::hits::{Hits, HitsOf};
use super::kernels::{self, Family, Kernels, Slot, Stage};
use super::params::Params;
use super::report::BlockCounts;
use super::shader::{Form, Piece};
use super::speeds::{Load, Pass};
use super::ztree::Ztree;
use crate::error::Result;
use crate::points::Stamp;
use crate::version::{Derived, Version};

/// The state of searches for rows.
#[derive(Debug)]
pub struct RowSearch {
    pub kernels: Arc<Kernels>,
    pub buffers: Buffers,
    pub params: Params,
    /// The buffers in which points with radii are sorted.
    pub ztree: Ztree,
    /// The cutoff of the points that are indexed, or their largest radius.
    pub reach: f64,
    /// The stamp of the points whose coordinates the device has, and how many of them.
    pub sent: Option<(Stamp, usize)>,
    /// The version of the index.
    pub indexed: Version,
    /// The version of the excluded pairs that the device has.
    pub excluded: Option<Version>,
    /// The hits of all blocks, where the device has them all at once.
    pub hits: Derived<HitsOf, Hits>,
    /// Blocks of the last count.
    pub counts: BlockCounts,
    /// Blocks and windows of crowds that earlier searches turned out to have.
    pub block_room: [u64; 2],
    /// Windows that a single crowd turned out to have, where a sum had no room for them.
    pub crowd_room: u64,
    /// Words per point that hits took in the last sum over half rows, and over full ones.
    pub hits_per_point: [u64; 2],
    /// Words of hits to keep at most, for tests.
    pub most_hits: u64,
    /// Rows were filled since they were counted last, so that those counted next are filled ahead.
    pub fills: bool,
    /// Ids of a chunk for which there was memory since the count.
    pub most_ids: u64,
    /// Rows whose ids are on the device already, or soon will be.
    pub filled: Option<Range<usize>>,
    /// The offsets on the device are those of rows that are elsewhere than they were counted.
    pub placed: bool,
    /// The formula that the kernels are for, and these.
    pub formula: Option<(Vec<Piece>, Arc<Kernels>)>,
    /// The fields of sums.
    pub fields: Fields,
    /// Ranges of blocks that the last sum took, and of how many points.
    pub ranges: Option<(u32, u32)>,
}

impl Drop for RowSearch {
    /// As that of [`Channel`].
    fn drop(&mut self) {
        if are_inherited() {
            forget((self.kernels.clone(), self.formula.take()));
            forget((take(&mut self.buffers), take(&mut self.ztree), take(&mut self.fields)));
        }
    }
}

impl RowSearch {
    pub fn new(device: &Arc<Device>) -> Result<RowSearch> {
        Ok(RowSearch {
            kernels: kernels::of(device, Family::Pairs, Form::of(device))?,
            buffers: Buffers::default(),
            params: Params::default(),
            ztree: Ztree::default(),
            reach: 0.0,
            sent: None,
            indexed: Version::new(),
            excluded: None,
            hits: Derived::default(),
            counts: BlockCounts::default(),
            block_room: [0; 2],
            crowd_room: 0,
            hits_per_point: [0; 2],
            most_hits: u64::MAX,
            fills: false,
            most_ids: u64::MAX,
            filled: None,
            placed: false,
            formula: None,
            fields: Fields::default(),
            ranges: None,
        })
    }

    /// Takes the kernels of `form`.
    pub fn take_form(&mut self, channel: &mut Channel, form: Form) -> Result<()> {
        if form != self.kernels.form() {
            let family = if form.radii { Family::Radii } else { Family::Pairs };
            self.kernels = kernels::of(&channel.device, family, form)?;
        }
        Ok(())
    }

    /// [`Channel::write`] of the parameters.
    pub fn write_params(&self, channel: &Channel) -> Result<()> {
        channel.write(&self.buffers, Slot::Params, &self.params)
    }

    /// [`Channel::submit`] of stages of this search.
    pub fn submit(&mut self, channel: &mut Channel, before: &[Before], pass: (Phase, &[(Stage, Size)])) -> Result<()> {
        channel.submit((&mut self.buffers, &self.kernels), before, pass)?;
        Ok(())
    }

    /// [`Channel::submit_pass`] of stages of this search.
    pub fn submit_pass(
        &mut self,
        channel: &mut Channel,
        load: Load,
        before: &[Before],
        pass: (Phase, &[(Stage, Size)]),
    ) -> Result<()> {
        channel.submit_pass((&mut self.buffers, &self.kernels), load, before, pass)
    }

    /// The load of a count of all rows.
    pub fn count_load(&self) -> Load {
        self.load(if self.kernels.form().radii {
            Pass::CountByRadii
        } else {
            Pass::Count
        })
    }

    /// The load of filling rows of that many ids.
    pub fn fill_load(&self, ids: u64) -> Load {
        let pass = if self.kernels.form().radii {
            Pass::FillByRadii
        } else {
            Pass::Fill
        };
        Load {
            items: ids,
            reach: 1.0,
            ..self.load(pass)
        }
    }

    /// The load of a pass over all points.
    pub fn load(&self, pass: Pass) -> Load {
        Load {
            pass,
            items: self.params.points.into(),
            reach: self.reach,
            is_rest: false,
        }
    }
}
