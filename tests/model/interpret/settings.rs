//! Settings, a call each.

use super::*;

impl Run {
    pub(super) fn setting(&mut self, h: usize, call: &Call) -> Checked {
        let mut checks = Checks::default();
        let mut after = self.model(h).clone();
        let status = match call {
            Call::Cutoff(cutoff) => {
                checks.must(!(cutoff.is_finite() && *cutoff > 0.0), BAD_CUTOFF);
                after.cutoff = Some(*cutoff);
                after.changed();
                call!(self, h, neargrid_search_set_cutoff(*cutoff))
            }
            Call::Tie(rule) => {
                checks.must(!(0..=1).contains(rule), BAD_VALUE);
                after.exclusive = *rule == 1;
                after.changed();
                call!(self, h, neargrid_search_set_tie_rule(*rule))
            }
            Call::Base(base) => {
                checks.must(!(0..=1).contains(base), BAD_VALUE);
                after.base = i64::from(*base);
                after.changed();
                call!(self, h, neargrid_search_set_index_base(*base))
            }
            Call::Threads(threads) => {
                checks.must(!(0..=1024).contains(threads), BAD_VALUE);
                after.set_again();
                call!(self, h, neargrid_search_set_threads(*threads))
            }
            Call::Backend(backend) => {
                checks.must(!(0..=2).contains(backend), BAD_VALUE);
                after.on_gpu = self.forced == Forced::Gpu || self.forced == Forced::None && *backend == 2;
                after.set_again();
                call!(self, h, neargrid_search_set_backend(*backend))
            }
            Call::Device(device) => {
                checks.must(*device < -1, BAD_VALUE);
                after.set_again();
                let (choice, number) = if *device == -1 { (0, -1) } else { (1, *device) };
                call!(self, h, neargrid_search_set_device(choice, number))
            }
            Call::DeviceTurn(turn) => {
                checks.must(*turn < 0, BAD_VALUE);
                after.set_again();
                call!(self, h, neargrid_search_set_device(2, *turn))
            }
            Call::Limit(bytes) => {
                checks.must(*bytes < 0, BAD_COUNT);
                after.limit = *bytes as u64;
                after.changed();
                call!(self, h, neargrid_search_set_memory_limit(*bytes))
            }
            Call::Skin(skin) => {
                checks.must(!(skin.is_finite() && *skin >= 0.0), BAD_VALUE);
                after.skin = *skin;
                after.changed();
                call!(self, h, neargrid_search_set_skin(*skin))
            }
            Call::Cell { .. } => self.set_cell(h, call, &mut checks, &mut after),
            Call::Box { .. } => self.set_box(h, call, &mut checks, &mut after),
            Call::Active(active) => {
                checks.must(!(-1..=MAX_POINTS).contains(active), BAD_COUNT);
                after.active = Some(*active).filter(|&active| active >= 0);
                after.roles.clear();
                after.changed();
                call!(self, h, neargrid_search_set_active(*active))
            }
            Call::GhostPairs(which) => {
                checks.must(!(0..=1).contains(which), BAD_VALUE);
                after.larger_ids = *which == 1;
                after.changed();
                call!(self, h, neargrid_search_set_ghost_pairs(*which))
            }
            Call::GhostRows(which) => {
                checks.must(!(0..=2).contains(which), BAD_VALUE);
                after.ghost_rows = *which;
                after.changed();
                call!(self, h, neargrid_search_set_ghost_rows(*which))
            }
            Call::Exclusions(near) => self.set_exclusions(h, *near, &mut after),
            Call::ExclusionsByIds { .. } => self.set_exclusions_by_ids(h, call, &mut checks, &mut after),
            Call::Roles { n, roles, null } => {
                checks.must(n.is_some(), BAD_COUNT);
                checks.must(*null && !roles.is_empty(), NULL_POINTER);
                checks.must(roles.iter().any(|role| !(0..=2).contains(role)), BAD_VALUE);
                (after.active, after.roles) = (None, roles.clone());
                after.changed();
                let (given, stride) = self.arena.read_spaced(roles, *null);
                let n = n.unwrap_or(roles.len() as i64);
                call!(self, h, neargrid_search_set_roles(n, given, stride))
            }
            Call::Types { .. } => self.set_types(h, call, &mut checks, &mut after),
            Call::TypeCutoffs { .. } => self.set_type_cutoffs(h, call, &mut checks, &mut after),
            Call::KnnWithin(radius) => {
                checks.must(!(radius.is_finite() && *radius >= 0.0), BAD_RADIUS);
                after.knn_within = *radius;
                after.changed();
                call!(self, h, neargrid_search_set_knn_within(*radius))
            }
            Call::Primary { ntypes, flags, null } => {
                checks.must(!(0..=32).contains(ntypes), BAD_COUNT);
                checks.must(*null && *ntypes > 0, NULL_POINTER);
                checks.must(flags.iter().any(|flag| !(0..=1).contains(flag)), BAD_VALUE);
                after.primary = (*ntypes > 0).then(|| flags.iter().map(|&flag| flag == 1).collect());
                after.changed();
                let flags = self.arena.read(flags, *null);
                call!(self, h, neargrid_search_set_primary_types(*ntypes, flags))
            }
            Call::Ids { n, ids, null } => {
                checks.must(n.is_some(), BAD_COUNT);
                checks.must(*null && !ids.is_empty(), NULL_POINTER);
                checks.must(after.active_share(ids), BAD_VALUE);
                after.ids.clone_from(ids);
                after.changed();
                let (given, stride) = self.arena.read_spaced(ids, *null);
                call!(
                    self,
                    h,
                    neargrid_search_set_ids(n.unwrap_or(ids.len() as i64), given, stride)
                )
            }
            Call::Radii { .. } | Call::QueryRadii { .. } => self.set_radii(h, call, &mut checks, &mut after),
            Call::ClearRadii => {
                (after.radii, after.query_radii) = (None, None);
                after.changed();
                let status = call!(
                    self,
                    h,
                    neargrid_search_set_radii_f64(0, 0_i64, In::<f64>::null(), 0_i64, -1)
                );
                call!(
                    self,
                    h,
                    neargrid_search_set_radii_f32(1, 0_i64, In::<f32>::null(), 0_i64, -1)
                )
                .max(status)
            }
            _ => {
                after.changed();
                call!(self, h, neargrid_search_trim())
            }
        };
        checks.must(h == 2, NULL_POINTER);
        if self.judge(status, checks.answer(|| ()), None)?.is_none() {
            return Ok(());
        }
        let before = std::mem::take(&mut self.handles[h].model);
        let is_same = !matches!(call, Call::Trim) && before.is_told_as(&after);
        self.handles[h].model = if is_same { before } else { after };
        if is_same {
            self.model_mut(h).set_again();
        }
        self.handles[h].last = None;
        if matches!(call, Call::Box { .. } | Call::Cell { .. }) {
            self.ask_whether_points_stayed(h)?;
        }
        Ok(())
    }

    pub(super) fn set_box(&mut self, h: usize, call: &Call, checks: &mut Checks, after: &mut Model) -> i32 {
        let Call::Box {
            dim,
            lo,
            length,
            periodic,
            nulls,
        } = call
        else {
            return -1;
        };
        checks.must(!(1..=3).contains(dim), BAD_DIM);
        checks.must(nulls & 7 != 0, NULL_POINTER);
        checks.must(periodic.iter().any(|flag| !(0..=1).contains(flag)), BAD_VALUE);
        let flags: Vec<bool> = periodic.iter().map(|&flag| flag == 1).collect();
        let axes = lo.iter().zip(length).zip(&flags);
        let mut repeated = axes.filter(|(_, repeats)| **repeats).map(|(ends, _)| ends);
        let holds = repeated.all(|(&lo, &length)| can_repeat(false, lo, length));
        checks.must(!holds, BAD_DOMAIN);
        (after.domain, after.cell) = (Some((lo.clone(), length.clone(), flags)), None);
        if after.periodic_axes() == self.model(h).periodic_axes() {
            // Nobody said whether a box of another dim with the same periodic axes forgets points.
            after.set_again();
        } else {
            // An update may bring the points again, as long as the same axes are periodic.
            let list = after.list.take().filter(|_| after.has_axes_of(self.model(h)));
            (after.dim, after.points, after.queries) = (None, Vec::new(), Vec::new());
            after.changed_points();
            after.list = list;
            after.doubt_list();
            after.moved = None;
        }
        let (lo, length) = (
            self.arena.read(lo, nulls & 1 != 0),
            self.arena.read(length, nulls & 2 != 0),
        );
        let periodic = self.arena.read(periodic, nulls & 4 != 0);
        call!(self, h, neargrid_search_set_box(*dim, lo, length, periodic))
    }

    /// If the model is not sure that a box left the points alone, it asks.
    pub(super) fn ask_whether_points_stayed(&mut self, h: usize) -> Checked {
        let mut dim = 0;
        // SAFETY: a valid handle.
        unsafe { neargrid_search_counter(self.handles[h].raw.cast_const().cast(), 11, &mut dim) };
        let model = &mut self.handles[h].model;
        let boxed = model.domain.as_ref().map(|(lo, ..)| lo.len());
        if dim == 0 && model.dim.is_some() && model.is_periodic() && boxed != model.dim {
            (model.dim, model.points, model.queries) = (None, Vec::new(), Vec::new());
            model.changed_points();
            model.moved = None;
        }
        same(
            "dim of the points after set_box",
            &[dim],
            &[self.model(h).dim.unwrap_or(0) as i64],
        )
    }

    /// Excludes the pairs of points whose numbers are at most so far apart.
    fn set_exclusions(&mut self, h: usize, near: Option<[usize; 3]>, after: &mut Model) -> i32 {
        after.exclusions = near.map(|[points, far, by_shift]| Exclusions {
            names: Names::Numbers(points),
            far,
            by_shift: by_shift == 1,
        });
        after.changed();
        let Some([n, far, by_shift]) = near else {
            let none = In::<i32>::null;
            return call!(
                self,
                h,
                neargrid_search_set_exclusions(0_i64, In::<i64>::null(), none(), none())
            );
        };
        let (base, mut offsets, mut ids) = (after.base, vec![after.base], Vec::new());
        for i in 0..n {
            // The order of a row means nothing.
            let row = (i.saturating_sub(far)..(i + far + 1).min(n)).rev();
            ids.extend(row.filter(|&j| j != i).map(|j| (j as i64 + base) as i32));
            offsets.push(base + ids.len() as i64);
        }
        let (classes, shifts) = (vec![2; ids.len()], vec![0; 3 * ids.len()]);
        let (offsets, ids) = (self.arena.read(&offsets, false), self.arena.read(&ids, false));
        let classes = self.arena.read(&classes, false);
        if by_shift == 1 {
            let shifts = self.arena.read(&shifts, false);
            return call!(
                self,
                h,
                neargrid_search_set_exclusions_shifts(n as i64, offsets, ids, shifts, classes)
            );
        }
        call!(self, h, neargrid_search_set_exclusions(n as i64, offsets, ids, classes))
    }

    pub(super) fn set_types(&mut self, h: usize, call: &Call, checks: &mut Checks, after: &mut Model) -> i32 {
        let Call::Types {
            n,
            types,
            ntypes,
            mask,
            nulls,
        } = call
        else {
            return -1;
        };
        let base = self.model(h).base;
        checks.must(n.is_some(), BAD_COUNT);
        if !types.is_empty() {
            let count = *ntypes as usize;
            checks.must(!(1..=32).contains(ntypes), BAD_COUNT);
            checks.must(nulls & 3 != 0, NULL_POINTER);
            checks.must(mask.iter().any(|flag| !(0..=1).contains(flag)), BAD_VALUE);
            if (1..=32).contains(ntypes) {
                let is_symmetric = (0..count).all(|a| (0..a).all(|b| mask[a * count + b] == mask[b * count + a]));
                checks.must(!is_symmetric, BAD_VALUE);
                checks.must(
                    types
                        .iter()
                        .any(|&t| !(base..base + count as i64).contains(&i64::from(t))),
                    BAD_VALUE,
                );
            }
        }
        let numbers = types.iter().map(|&t| (i64::from(t) - base) as usize).collect();
        let flags = mask.iter().map(|&flag| flag == 1).collect();
        after.types = (!types.is_empty()).then_some((numbers, *ntypes as usize, flags));
        after.changed();
        let (given, stride) = self.arena.read_spaced(types, nulls & 1 != 0);
        let mask = self.arena.read(mask, nulls & 2 != 0);
        call!(
            self,
            h,
            neargrid_search_set_types(n.unwrap_or(types.len() as i64), given, stride, *ntypes, mask)
        )
    }

    fn set_type_cutoffs(&mut self, h: usize, call: &Call, checks: &mut Checks, after: &mut Model) -> i32 {
        let Call::TypeCutoffs { ntypes, cutoffs, null } = call else {
            return -1;
        };
        checks.must(!(0..=32).contains(ntypes), BAD_COUNT);
        checks.must(*null && *ntypes > 0, NULL_POINTER);
        if (1..=32).contains(ntypes) {
            let count = *ntypes as usize;
            let is_one = |cutoff: &f64| cutoff.is_finite() && *cutoff >= 0.0;
            checks.must(!cutoffs.iter().all(is_one), BAD_CUTOFF);
            checks.must(cutoffs.iter().all(|&cutoff| cutoff == 0.0), BAD_CUTOFF);
            let is_symmetric = (0..count).all(|a| (0..a).all(|b| cutoffs[a * count + b] == cutoffs[b * count + a]));
            checks.must(!is_symmetric, BAD_VALUE);
        }
        after.type_cutoffs = (*ntypes > 0).then(|| (*ntypes as usize, cutoffs.clone()));
        after.changed();
        let cutoffs = self.arena.read(cutoffs, *null);
        call!(self, h, neargrid_search_set_type_cutoffs(*ntypes, cutoffs))
    }

    pub(super) fn set_radii(&mut self, h: usize, call: &Call, checks: &mut Checks, after: &mut Model) -> i32 {
        let (single, n, radii, rule, null) = match call {
            Call::Radii {
                single,
                n,
                radii,
                rule,
                null,
            } => (*single, n, radii, Some(*rule), *null),
            Call::QueryRadii { single, n, radii, null } => (*single, n, radii, None, *null),
            _ => return -1,
        };
        checks.must(n.is_some(), BAD_COUNT);
        checks.must(null && !radii.is_empty(), NULL_POINTER);
        checks.must(
            radii
                .iter()
                .any(|&r| rounded(single, r) != 0.0 && !is_radius(single, r)),
            BAD_RADIUS,
        );
        let are_removed = null && radii.is_empty();
        checks.must(
            !are_removed && rule.is_some_and(|rule| !(0..=4).contains(&rule)),
            BAD_VALUE,
        );
        let numbers: Vec<f64> = radii.iter().map(|&r| rounded(single, r)).collect();
        let count = n.unwrap_or(radii.len() as i64);
        match rule {
            Some(rule) => {
                after.radii = (!are_removed).then_some((single, numbers, rule));
                after.changed();
            }
            None => {
                after.query_radii = (!are_removed).then_some((single, numbers));
                after.changed();
            }
        }
        let of_queries = i32::from(rule.is_none());
        if single {
            let radii: Vec<f32> = radii.iter().map(|&r| r as f32).collect();
            let (radii, stride) = self.arena.read_spaced(&radii, null);
            call!(
                self,
                h,
                neargrid_search_set_radii_f32(of_queries, count, radii, stride, rule.unwrap_or(-1))
            )
        } else {
            let (radii, stride) = self.arena.read_spaced(radii, null);
            call!(
                self,
                h,
                neargrid_search_set_radii_f64(of_queries, count, radii, stride, rule.unwrap_or(-1))
            )
        }
    }
}
