//! Groups of friends of friends, and their catalogue.

use super::*;

impl Run {
    pub(super) fn fof(&mut self, h: usize, view: bool, off: i64, nulls: u8) -> Checked {
        let mut checks = Checks::default();
        let model = self.model(h);
        model.check_groups(&mut checks);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        checks.must(h == 2 || is_null(0), NULL_POINTER);
        let n = model.n();
        if view {
            checks.must(nulls & 7 != 0, NULL_POINTER);
        } else {
            checks.must(off != 0, BAD_COUNT);
            checks.must(is_null(1) && n > 0, NULL_POINTER);
        }
        let want = checks.answer(|| {
            let labels = model.groups();
            let groups = (0..n).filter(|&i| labels[i] == i).count() as i64;
            (labels.iter().map(|&i| model.number(i)).collect::<Vec<_>>(), groups)
        });
        let before = self.work(h);
        let ngroups = self.arena.write::<i64>(1, is_null(0));
        if !view {
            let labels = self.arena.write::<i32>(n, is_null(1));
            let status = call!(self, h, neargrid_fof_copy(n as i64 + off, labels, ngroups));
            if let Some((wanted, groups)) = self.judge(status, want, None)? {
                same("the number of groups", &ngroups.values(), &[groups])?;
                if !is_null(1) {
                    same("labels", &labels.values(), &wanted)?;
                }
            }
            self.handles[h].last = None;
            self.model_mut(h).doubt_chunks();
            return Ok(());
        }
        let count = self.arena.write::<i64>(1, is_null(2));
        let labels = self.arena.lend::<i32>(is_null(1));
        let status = call!(self, h, neargrid_fof_view(count, labels, ngroups));
        let mut last = None;
        if let Some((wanted, groups)) = self.judge(status, want, None)? {
            same("the number of groups", &ngroups.values(), &[groups])?;
            same("the number of points", &count.values(), &[n as i64])?;
            // SAFETY: just lent, and as many as was told.
            let found = unsafe { labels.values(n) };
            same("labels", &found, &wanted)?;
            let now = self.work(h);
            if self.handles[h].last == Some(Asked::Fof) && before != now {
                return Err(format!(
                    "asked again without a change, it searched again: {before:?} before, {now:?} now"
                ));
            }
            let kept = vec![Kept::new("labels", labels.lent(), &found)];
            self.handles[h].view = Some(View {
                kept,
                of_groups: true,
                list: None,
            });
            last = Some(Asked::Fof);
        }
        self.handles[h].last = last;
        self.model_mut(h).doubt_chunks();
        Ok(())
    }

    pub(super) fn groups(&mut self, h: usize, min_size: i64, properties: Option<&Properties>, null: bool) -> Checked {
        match properties {
            Some(properties) if properties.single => self.groups_in::<f32>(h, min_size, Some(properties), null),
            _ => self.groups_in::<f64>(h, min_size, properties, null),
        }
    }

    pub(super) fn groups_in<T: Coordinate>(
        &mut self,
        h: usize,
        min_size: i64,
        properties: Option<&Properties>,
        null: bool,
    ) -> Checked {
        let mut checks = Checks::default();
        self.refuse_null(&mut checks, h, null.into(), 1);
        checks.must(min_size < 1, BAD_COUNT);
        let model = self.model(h);
        model.check_groups(&mut checks);
        let (n, dim) = (model.n(), model.dim.unwrap_or(1));
        let all = |few: &Vec<f64>, len: usize| -> Vec<f64> {
            (0..len)
                .map(|k| rounded(size_of::<T>() == 4, few[k % few.len()]))
                .collect()
        };
        let masses = properties.and_then(|p| p.masses.as_ref()).map(|few| all(few, n));
        let velocities = properties
            .and_then(|p| p.velocities.as_ref())
            .map(|few| all(few, n * dim));
        if let Some(properties) = properties {
            checks.must(properties.off != 0, BAD_COUNT);
            let are_given = masses.is_some() || velocities.is_some();
            checks.must(are_given && properties.single != model.single, BAD_VALUE);
            let is_mass = |mass: &f64| mass.is_finite() && *mass > 0.0;
            checks.must(masses.iter().flatten().any(|mass| !is_mass(mass)), BAD_VALUE);
            checks.must(velocities.iter().flatten().any(|v| !v.is_finite()), NON_FINITE);
        }
        let want = checks.answer(|| model.catalogue(min_size, masses.as_deref(), velocities.as_deref()));
        let ngroups = self.arena.write::<i64>(1, null);
        let status = match properties {
            None => {
                let none = || In::null();
                call!(
                    self,
                    h,
                    neargrid_groups_find_f32(
                        min_size,
                        n as i64,
                        none(),
                        0_i64,
                        none(),
                        none(),
                        none(),
                        0_i64,
                        ngroups
                    )
                )
            }
            Some(properties) => {
                let given = T::all(&masses.clone().unwrap_or_default());
                let masses = self.arena.read_spaced(&given, masses.is_none());
                let velocities = match &velocities {
                    None => [In::null(), In::null(), In::null()],
                    Some(velocities) => {
                        let all = self.arena.read(&T::all(velocities), false);
                        [0, 1, 2].map(|axis| In {
                            pointer: all.pointer.wrapping_add(axis),
                        })
                    }
                };
                let stride = (dim * size_of::<T>()) as i64;
                T::groups_find(
                    self,
                    h,
                    (min_size, n as i64 + properties.off),
                    (&masses.0, masses.1),
                    velocities,
                    stride,
                    &ngroups,
                )
            }
        };
        let found = self.judge(status, want, None)?;
        let handle = &mut self.handles[h];
        handle.last = None;
        handle.model.doubt_chunks();
        match found {
            Some(catalogue) => {
                same(
                    "the number of groups",
                    &ngroups.values(),
                    &[catalogue.sizes.len() as i64],
                )?;
                handle.model.groups = None;
                let told = Box::new(handle.model.clone());
                let value = Found { catalogue, told };
                handle.model.groups = Some(Promise { value, sure: true });
            }
            None => handle.model.doubt_groups(),
        }
        Ok(())
    }

    pub(super) fn groups_view(&mut self, h: usize, sums: bool, nulls: u8) -> Checked {
        let mut checks = Checks::default();
        self.refuse_null(&mut checks, h, nulls, if sums { 7 } else { 5 });
        let model = self.model(h);
        let promise = model
            .groups
            .clone()
            .filter(|found| found.value.told.has_groups_of(model));
        checks.must(promise.is_none(), BAD_STATE);
        checks.may(promise.as_ref().is_some_and(|promise| !promise.sure), BAD_STATE);
        let want = checks.answer(|| promise.map(|promise| promise.value.catalogue));
        let is_null = |k: u32| nulls >> k & 1 != 0;
        let ngroups = self.arena.write::<i64>(1, is_null(0));
        let points = self.model(h).n();
        if !sums {
            let (labels, order) = (self.arena.lend::<i32>(is_null(1)), self.arena.lend::<i32>(is_null(2)));
            let (sizes, offsets) = (self.arena.lend::<i64>(is_null(3)), self.arena.lend::<i64>(is_null(4)));
            let status = call!(
                self,
                h,
                neargrid_groups_view_members(ngroups, labels, sizes, offsets, order)
            );
            let Some(Some(wanted)) = self.judge(status, want, None)? else {
                return Ok(());
            };
            let groups = wanted.sizes.len();
            same("the number of groups", &ngroups.values(), &[groups as i64])?;
            // SAFETY: just lent, and as many as was told.
            unsafe {
                same("labels", &labels.values(groups), &wanted.labels)?;
                same("sizes", &sizes.values(groups), &wanted.sizes)?;
                same("offsets", &offsets.values(groups + 1), &wanted.offsets)?;
                same("order", &order.values(points), &wanted.order)?;
            }
            return Ok(());
        }
        let (dim, wide) = (
            self.arena.write::<i32>(1, is_null(1)),
            self.arena.lend::<i32>(is_null(2)),
        );
        let masses = self.arena.lend::<f64>(is_null(3));
        let [centers, velocities, radii] = [4, 5, 6].map(|k| self.arena.lend::<f64>(is_null(k)));
        let status = call!(
            self,
            h,
            neargrid_groups_view_sums(ngroups, dim, masses, centers, velocities, radii, wide)
        );
        let Some(Some(wanted)) = self.judge(status, want, None)? else {
            return Ok(());
        };
        let groups = wanted.sizes.len();
        same("the number of groups", &ngroups.values(), &[groups as i64])?;
        same("dim", &dim.values(), &[wanted.dim as i32])?;
        let sure = |found: Vec<f64>, wanted: &[f64]| -> Vec<f64> {
            found
                .iter()
                .zip(wanted)
                .map(|(&f, &w)| if w.is_nan() { w } else { f })
                .collect()
        };
        // SAFETY: just lent, and as many as was told.
        unsafe {
            same("masses", &sure(masses.values(groups), &wanted.masses), &wanted.masses)?;
            same("radii", &sure(radii.values(groups), &wanted.radii), &wanted.radii)?;
            same("wide", &wide.values(groups), &wanted.wide)?;
            match &wanted.velocities {
                Some(wanted) => {
                    same("velocities", &sure(velocities.values(wanted.len()), wanted), wanted)?;
                }
                None if !velocities.lent().is_null() => return Err("velocities are not NULL".to_owned()),
                None => {}
            }
            for (k, (found, right)) in centers
                .values(groups * wanted.dim)
                .into_iter()
                .zip(&wanted.centers)
                .enumerate()
            {
                let (mut off, length) = ((found - right).abs(), wanted.lengths[k % wanted.dim]);
                if let Some(length) = length {
                    off = off.min((off - length).abs());
                }
                let slack = 1e-14 * (found.abs() + right.abs() + length.unwrap_or(0.0));
                if !right.is_nan() && off > slack {
                    return Err(format!("centers: element {k} is {found}, {right} is right"));
                }
            }
        }
        Ok(())
    }
}
