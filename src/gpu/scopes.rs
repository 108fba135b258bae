//! Kinds of points on the device: rows that list points of the same classes share a scope. Stage: `shaders/scope.wgsl`.
//!
//! in: [`Classes`]; out: the class of each point and [`Scopes`] in [`Slot::Classes`], room for what the stage makes of them
//! after [`Slot::Cells`]; by radii both are after [`Slot::Order`].

use super::channel::Channel;
use super::excluded::ListedBy;
use super::kernels::Slot;
use super::row_search::RowSearch;
use super::shader::Form;
use crate::error::Result;
use crate::kinds::{CLASSES, Classes};
use crate::threads::Team;

/// The scope of a row that lists nothing: `NO_SCOPE` in `shaders/shared/scope_parts.wgsl`.
pub(crate) const NO_SCOPE: u32 = 0xff;

/// Words of classes, four points each, that a thread brings into a staging buffer at once.
const WORDS: usize = 256;

/// The classes that rows list; twin of the front of `Classes` in `shaders/scope.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Scopes {
    /// For each class: the scopes it is in, a bit each in two words, and the scope of its rows; for the first class the number
    /// of types of which pairs have cutoffs of their own.
    pub of_class: [[u32; 4]; CLASSES],
}

impl Scopes {
    /// The scopes of `classes`: 64 at most, as rows are those of active points and ghosts of 32 types.
    pub fn new(classes: &Classes) -> Scopes {
        let (mut known, mut count) = ([0; CLASSES], 0);
        let mut of_class = [[0, 0, NO_SCOPE, 0]; CLASSES];
        for (class, words) in of_class.iter_mut().enumerate() {
            let lists = classes.lists(class as u8);
            if lists == 0 {
                continue;
            }
            let scope = known[..count].iter().position(|&other| other == lists);
            if scope.is_none() {
                known[count] = lists;
                count += 1;
            }
            words[2] = scope.unwrap_or(count - 1) as u32;
        }
        for (scope, lists) in known[..count].iter().enumerate() {
            for (class, words) in of_class.iter_mut().enumerate() {
                words[scope / 32] |= ((lists >> class & 1) as u32) << (scope % 32);
            }
        }
        of_class[0][3] = classes.bounds.as_ref().map_or(0, |bounds| bounds.ntypes() as u32);
        Scopes { of_class }
    }
}

/// Words of the cells of that many points and of what is after them: `shaders/shared/scope_parts.wgsl`.
pub(crate) fn cells_words(points: u64) -> u64 {
    points + classes_words(points) + 4 * points.div_ceil(32)
}

/// Words of the bounds of pairs of types, which are after the classes, and after the cells.
fn bounds_words(classes: &Classes) -> u64 {
    classes
        .bounds
        .as_ref()
        .map_or(0, |bounds| 4 * bounds.all().len() as u64)
}

/// Words that the classes of that many points take after an order, by radii.
pub(crate) fn classes_words(points: u64) -> u64 {
    size_of::<Scopes>() as u64 / 4 + points.div_ceil(4)
}

impl RowSearch {
    /// Brings the classes of the points and excluded pairs to the device, for kernels that mind them; without any, takes kernels that do
    /// not.
    pub(super) fn set_classes(
        &mut self,
        channel: &mut Channel,
        (classes, excluded): ListedBy,
        team: &Team,
    ) -> Result<()> {
        self.take_form(
            channel,
            Form {
                kinds: classes.is_some(),
                excluded: excluded.is_some(),
                ..self.kernels.form()
            },
        )?;
        if let Some(excluded) = excluded {
            self.set_excluded(channel, excluded, team)?;
        }
        let Some(classes) = classes else {
            return Ok(());
        };
        let points = u64::from(self.params.points);
        let scopes = Scopes::new(classes);
        let (device, buffers) = (&channel.device, &mut self.buffers);
        let what = "the kinds of points on the device";
        let (slot, at) = match self.kernels.form().radii {
            true => (Slot::Order, 4 * points),
            false => (Slot::Classes, 0),
        };
        if slot == Slot::Classes {
            let bounds = bounds_words(classes);
            buffers.ensure(device, slot, 4 * (classes_words(points) + bounds), what)?;
            buffers.extend(device, Slot::Cells, 4 * (cells_words(points) + bounds), what)?;
        }
        let (buffer, words) = (buffers.get(slot)?, points.div_ceil(4) as usize);
        let bounds = self.params.bounds_of_types(classes)?;
        device.checked(what, 0, || {
            device.queue.write_buffer(buffer, at, bytemuck::bytes_of(&scopes));
            if !bounds.is_empty() {
                device
                    .queue
                    .write_buffer(buffer, 4 * classes_words(points), bytemuck::cast_slice(&bounds));
            }
        })?;
        let front = at + size_of::<Scopes>() as u64;
        channel.upload(team, [words, 4], buffer, front, |range, put| {
            let mut few = [0; 4 * WORDS];
            for first in range.clone().step_by(WORDS) {
                let few = &mut few[..4 * (range.end - first).min(WORDS)];
                for (i, class) in (4 * first..).zip(&mut *few) {
                    *class = classes.of(i);
                }
                put(first, few);
            }
        })
    }
}
