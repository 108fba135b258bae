//! Settings: ranks make these calls alone, all in the same way.

use std::ffi::c_void;

use neargrid::capi::{cell::*, fof::*, knn::*, roles::*, search::*, settings::*, skin::*, type_cutoffs::*};

use super::super::model::images::Cell;
use super::*;

/// A setting that a single handle refuses in the same way.
const ALONE: Played = Played::Skipped("a setting that one handle refuses: no rank tells another of it");

impl World {
    pub(super) fn setting(&mut self, h: usize, call: &Call) -> Result<Played, String> {
        match call {
            Call::Cutoff(cutoff) => {
                let cutoff = *cutoff;
                // SAFETY: here and below, a handle of ours, and arrays as long as the call says.
                let set = |s: *mut c_void| unsafe { neargrid_search_set_cutoff(s.cast(), cutoff) };
                self.scalar(h, set, |model| model.cutoff = Some(cutoff))
            }
            &Call::Tie(rule) => {
                // SAFETY: as above.
                let set = |s: *mut c_void| unsafe { neargrid_search_set_tie_rule(s.cast(), rule) };
                self.scalar(h, set, |model| model.exclusive = rule == 1)
            }
            &Call::Base(base) => {
                // SAFETY: as above.
                let set = |s: *mut c_void| unsafe { neargrid_search_set_index_base(s.cast(), base) };
                let played = self.scalar(h, set, |model| model.base = base.into())?;
                self.give_exclusions(h)?; // by numbers, where there are no ids
                self.hands[h].are_pairs_elsewhere = true;
                Ok(played)
            }
            &Call::Threads(threads) => {
                let odd = self.odd;
                let set = |seat: &mut team::Seat| {
                    let threads = if odd == Some(seat.rank) { 1 } else { threads };
                    // SAFETY: as above.
                    unsafe { neargrid_search_set_threads(seat.searches[h].cast(), threads) }
                };
                self.team.each(set);
                self.changed(h);
                Ok(Played::Done)
            }
            &Call::Limit(bytes) => {
                // SAFETY: as above.
                let set = |s: *mut c_void| unsafe { neargrid_search_set_memory_limit(s.cast(), bytes) };
                self.scalar(h, set, |model| model.limit = bytes as u64)
            }
            &Call::Skin(skin) => {
                // SAFETY: as above.
                let set = |s: *mut c_void| unsafe { neargrid_search_set_skin(s.cast(), skin) };
                self.scalar(h, set, |model| model.skin = skin)
            }
            &Call::GhostPairs(which) => {
                // SAFETY: as above.
                let set = |s: *mut c_void| unsafe { neargrid_search_set_ghost_pairs(s.cast(), which) };
                let played = self.scalar(h, set, |_| ())?;
                if (0..=1).contains(&which) {
                    self.hands[h].all_pairs = which == 0;
                }
                Ok(played)
            }
            &Call::GhostRows(which) => {
                // SAFETY: as above.
                let set = |s: *mut c_void| unsafe { neargrid_search_set_ghost_rows(s.cast(), which) };
                self.scalar(h, set, |model| model.ghost_rows = which)
            }
            &Call::KnnWithin(radius) => {
                // SAFETY: as above.
                let set = |s: *mut c_void| unsafe { neargrid_search_set_knn_within(s.cast(), radius) };
                self.scalar(h, set, |model| model.knn_within = radius)
            }
            Call::TypeCutoffs { ntypes, cutoffs, null } => {
                // SAFETY: as above.
                let set = |s: *mut c_void| unsafe {
                    let first = if *null { std::ptr::null() } else { cutoffs.as_ptr() };
                    neargrid_search_set_type_cutoffs(s.cast(), *ntypes, first)
                };
                let made = (*ntypes > 0).then(|| (*ntypes as usize, cutoffs.clone()));
                self.scalar(h, set, |model| model.type_cutoffs = made)
            }
            Call::Primary { ntypes, flags, null } => {
                // SAFETY: as above.
                let set = |s: *mut c_void| unsafe {
                    let first = if *null { std::ptr::null() } else { flags.as_ptr() };
                    neargrid_search_set_primary_types(s.cast(), *ntypes, first)
                };
                let made = (*ntypes > 0).then(|| flags.iter().map(|&flag| flag == 1).collect());
                self.scalar(h, set, |model| model.primary = made)
            }
            Call::Trim => {
                // SAFETY: as above.
                let set = |s: *mut c_void| unsafe { neargrid_search_trim(s.cast()) };
                self.scalar(h, set, |_| ())
            }
            Call::Box { .. } => self.set_box(h, call),
            Call::Cell { .. } => self.set_cell(h, call),
            _ => self.of_points(h, call),
        }
    }

    /// A setting that is the same on all ranks. If it is refused, nothing changes.
    fn scalar(
        &mut self,
        h: usize,
        set: impl Fn(*mut c_void) -> i32 + Sync,
        take: impl FnOnce(&mut Model),
    ) -> Result<Played, String> {
        let statuses = self.team.each(|seat| set(seat.searches[h]));
        if statuses.iter().any(|status| *status != statuses[0]) {
            return Err(format!("ranks differ in a setting: {statuses:?}"));
        }
        if statuses[0] == OK {
            take(&mut self.hands[h].model);
            self.changed(h);
        }
        Ok(Played::Done)
    }

    /// Arrays of points or queries, which are dealt. If a rank refuses its part, all get what they had.
    fn of_points(&mut self, h: usize, call: &Call) -> Result<Played, String> {
        let before = self.hands[h].model.clone();
        let model = &mut self.hands[h].model;
        type Give = fn(&mut World, usize) -> Checked;
        let give: Give = match call {
            Call::Ids {
                n: None,
                ids,
                null: false,
            } => {
                model.ids.clone_from(ids);
                |world, h| world.give_ids(h).and_then(|()| world.give_exclusions(h))
            }
            Call::Ids { ids, n: None, .. } if ids.is_empty() => {
                model.ids.clear();
                |world, h| world.give_ids(h).and_then(|()| world.give_exclusions(h))
            }
            Call::Active(active) => {
                (model.active, model.roles) = (Some(*active).filter(|&active| active >= 0), Vec::new());
                World::give_roles
            }
            Call::Roles {
                n: None,
                roles,
                null: false,
            } => {
                (model.active, model.roles) = (None, roles.clone());
                World::give_roles
            }
            Call::Types {
                n: None,
                types,
                ntypes,
                mask,
                nulls: 0,
            } if *ntypes > 0 || types.is_empty() => {
                let numbers = types.iter().map(|&of| (i64::from(of) - model.base) as usize).collect();
                let flags = mask.iter().map(|&flag| flag == 1).collect();
                if !mask.iter().all(|flag| (0..=1).contains(flag)) {
                    return Ok(ALONE);
                }
                model.types = (!types.is_empty()).then_some((numbers, *ntypes as usize, flags));
                World::give_types
            }
            Call::Radii {
                single,
                n: None,
                radii,
                rule,
                null: false,
            } => {
                let numbers = radii.iter().map(|&r| rounded(*single, r)).collect();
                model.radii = Some((*single, numbers, *rule));
                World::give_radii
            }
            Call::QueryRadii {
                single,
                n: None,
                radii,
                null: false,
            } => {
                let numbers = radii.iter().map(|&r| rounded(*single, r)).collect();
                model.query_radii = Some((*single, numbers));
                World::give_query_radii
            }
            Call::ClearRadii => {
                (model.radii, model.query_radii) = (None, None);
                |world, h| world.give_radii(h).and_then(|()| world.give_query_radii(h))
            }
            Call::Exclusions(near) => {
                model.exclusions = near.map(|[points, far, by_shift]| Exclusions {
                    names: Names::Numbers(points),
                    far,
                    by_shift: by_shift == 1,
                });
                World::give_exclusions
            }
            &Call::ExclusionsByIds {
                far,
                by_shift,
                wrong: 0,
                rows: 0,
            } => {
                if model.ids.is_empty() || model.ids.len() != model.n() {
                    return Ok(Played::Skipped("without ids, exclusions by numbers are by ids, too"));
                }
                let mut names = model.ids.clone();
                names.sort_unstable();
                names.dedup();
                let names = Names::Ids(names);
                model.exclusions = Some(Exclusions { names, far, by_shift });
                World::give_exclusions
            }
            Call::Backend(_) | Call::Device(_) | Call::DeviceTurn(_) => {
                return Ok(Played::Skipped("backends and devices are each rank's own"));
            }
            _ => return Ok(ALONE),
        };
        let is_taken = give(self, h).is_ok();
        self.changed(h);
        // Rows of pair fields are those of the points with the ids before.
        self.hands[h].are_pairs_elsewhere |= matches!(call, Call::Ids { .. });
        if !is_taken {
            let list = self.hands[h].model.list.take();
            self.hands[h].model = Model { list, ..before };
            give(self, h)?;
            return Ok(Played::Done);
        }
        Ok(Played::Done)
    }

    fn set_box(&mut self, h: usize, call: &Call) -> Result<Played, String> {
        let Call::Box {
            dim,
            lo,
            length,
            periodic,
            nulls: 0,
        } = call
        else {
            return Ok(ALONE);
        };
        let before = self.hands[h].model.clone();
        // SAFETY: as many numbers as axes, or a number of axes that is refused.
        let set = |s: *mut c_void| unsafe {
            neargrid_search_set_box(s.cast(), *dim, lo.as_ptr(), length.as_ptr(), periodic.as_ptr())
        };
        let flags: Vec<bool> = periodic.iter().map(|&flag| flag == 1).collect();
        self.scalar(h, set, |after| {
            (after.domain, after.cell) = (Some((lo.clone(), length.clone(), flags)), None);
            if after.periodic_axes() != before.periodic_axes() {
                // An update may bring the points again, as long as the same axes are periodic.
                let list = after.list.take().filter(|_| after.has_axes_of(&before));
                forget_points(after);
                after.list = list;
            }
        })?;
        self.ask_for_points(h)
    }

    fn set_cell(&mut self, h: usize, call: &Call) -> Result<Played, String> {
        let Call::Cell { cell, periodic, null } = call else {
            return Ok(ALONE);
        };
        // SAFETY: three vectors and a flag for each, or NULL.
        let set = |s: *mut c_void| unsafe {
            let vectors = cell.as_ref().map_or(std::ptr::null(), |cell| cell.as_ptr());
            let flags = if *null { std::ptr::null() } else { periodic.as_ptr() };
            neargrid_search_set_cell(s.cast(), vectors, flags)
        };
        self.scalar(h, set, |after| {
            let had_box = after.is_periodic();
            after.cell = cell.as_ref().map(|vectors| Cell::new(vectors, periodic));
            if after.cell.is_some() {
                after.domain = None;
                if had_box {
                    forget_points(after);
                    after.has_queries = false;
                }
            }
        })?;
        self.ask_for_points(h)
    }

    /// If the model is not sure that a box left the points alone, it asks.
    fn ask_for_points(&mut self, h: usize) -> Result<Played, String> {
        let dims = self.team.each(|seat| {
            let mut dim = 0;
            // SAFETY: a handle of ours, and a place for a number.
            unsafe { neargrid_search_counter(seat.searches[h].cast_const().cast(), 11, &mut dim) };
            dim
        });
        let model = &mut self.hands[h].model;
        let boxed = model.domain.as_ref().map(|(lo, ..)| lo.len());
        if dims[0] == 0 && model.dim.is_some() && model.is_periodic() && boxed != model.dim {
            forget_points(model);
        }
        let wanted = model.dim.unwrap_or(0) as i64;
        match dims.iter().all(|&dim| dim == wanted) {
            true => Ok(Played::Done),
            false => Err(format!("dim of the points after a box: {dims:?}, {wanted} is right")),
        }
    }
}

fn forget_points(model: &mut Model) {
    (model.dim, model.points, model.queries) = (None, Vec::new(), Vec::new());
    model.changed_points();
    model.moved = None;
}
