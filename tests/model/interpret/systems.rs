//! Rows of many systems in one call.

use neargrid::capi::systems::*;

use super::*;

impl Run {
    pub(super) fn systems(&mut self, h: usize, call: &Call) -> Checked {
        match call {
            Call::Systems { coords, .. } if coords.single => self.systems_in::<f32>(h, call),
            _ => self.systems_in::<f64>(h, call),
        }
    }

    fn systems_in<T: Coordinate + OfSystems>(&mut self, h: usize, call: &Call) -> Checked {
        let Call::Systems {
            kind,
            coords,
            firsts,
            cutoffs,
            boxes,
            nulls,
        } = call
        else {
            return Ok(());
        };
        let (kind, nulls) = (*kind, *nulls);
        let mut checks = Model::default().check_points(Role::Set, coords);
        self.refuse_null(&mut checks, h, nulls, 4);
        checks.must(nulls & 16 != 0 && !cutoffs.is_empty(), NULL_POINTER);
        let asked = kind_of(kind).filter(|&kind| kind != Kind::Queries);
        checks.must(asked.is_none(), BAD_VALUE);
        let asked = asked.unwrap_or(Kind::Full);
        let model = self.model(h);
        checks.must(model.on_gpu, NOT_SUPPORTED);
        checks.may(model.limit > 0, MEMORY_LIMIT);
        let is_wrong = firsts[0] != 0 || !firsts.is_sorted();
        checks.must(is_wrong, BAD_VALUE);
        let (mut rows, axes) = (Vec::new(), coords.axes());
        if let Some((_, _, periodic)) = boxes {
            checks.must(periodic.iter().any(|flag| !(0..=1).contains(flag)), BAD_VALUE);
        }
        let mut models = Vec::new();
        for (k, &cutoff) in cutoffs.iter().enumerate().filter(|_| !is_wrong) {
            let mut system = Model {
                exclusive: model.exclusive,
                base: model.base,
                ..Model::default()
            };
            if let Some((lo, length, periodic)) = boxes {
                let [lo, length] = [lo, length].map(|all| all[k * axes..(k + 1) * axes].to_vec());
                let flags: Vec<bool> = periodic[k * axes..(k + 1) * axes]
                    .iter()
                    .map(|&flag| flag == 1)
                    .collect();
                let holds = |axis: usize| !flags[axis] || can_repeat(false, lo[axis], length[axis]);
                checks.must(!(0..axes).all(holds), BAD_DOMAIN);
                system.domain = Some((lo, length, flags));
            }
            let of_system = Coords {
                values: coords.values[firsts[k] as usize * axes..firsts[k + 1] as usize * axes].to_vec(),
                n: None,
                layout: Layout::Interleaved,
                nulls: 0,
                ..coords.clone()
            };
            checks.join(system.check_points(Role::Set, &of_system));
            checks.must(!(cutoff.is_finite() && cutoff > 0.0), BAD_CUTOFF);
            system.cutoff = Some(cutoff);
            system.take_points(Role::Set, &of_system);
            system.check_search(&mut checks, asked, false);
            models.push((firsts[k] as usize, system));
        }
        if !checks.is_refused() {
            for (first, system) in &models {
                let found = system.rows(asked).into_iter();
                rows.extend(found.map(|row| row.into_iter().map(|j| j + first).collect::<Vec<_>>()));
            }
        }
        let want = checks.answer(|| self.model(h).csr_of(&rows, &(0..rows.len()).collect::<Vec<_>>()));
        let (bases, stride) = self.place::<T>(coords);
        let base = self.model(h).base;
        let firsts: Vec<i64> = firsts.iter().map(|first| first + base).collect();
        let is_null = |k: u32| nulls >> k & 1 != 0;
        let (lo, length, periodic) = match boxes {
            Some((lo, length, periodic)) => (
                self.arena.read(lo, false),
                self.arena.read(length, false),
                self.arena.read(periodic, false),
            ),
            None => (In::null(), In::null(), In::null()),
        };
        let given = Given {
            numbers: (kind, coords.dim, cutoffs.len() as i64),
            firsts: self.arena.read(&firsts, is_null(3)),
            bases,
            stride,
            cutoffs: self.arena.read(cutoffs, is_null(4)),
            boxes: (lo, length, periodic),
            total: self.arena.write::<i64>(1, is_null(0)),
            offsets: self.arena.lend::<i64>(is_null(1)),
            ids: self.arena.lend::<i32>(is_null(2)),
        };
        let status = T::systems_view(self, h, &given);
        let wanted = self.judge(status, want, None)?;
        self.handles[h].last = None;
        self.model_mut(h).doubt_chunks();
        let Some((wanted_offsets, wanted_ids)) = wanted else {
            return Ok(());
        };
        let entries = wanted_ids.len();
        same("the number of ids", &given.total.values(), &[entries as i64])?;
        // SAFETY: just lent, and as many as was told.
        let (found, j) = unsafe { (given.offsets.values(wanted_offsets.len()), given.ids.values(entries)) };
        same("offsets of systems", &found, &wanted_offsets)?;
        same("ids of systems", &j, &wanted_ids)?;
        self.check_entries(h, entries)?;
        let kept = vec![
            Kept::new("offsets of systems", given.offsets.lent(), &found),
            Kept::new("ids of systems", given.ids.lent(), &j),
        ];
        self.handles[h].view = Some(View {
            kept,
            of_groups: false,
            list: None,
        });
        Ok(())
    }
}

/// The arguments.
pub(super) struct Given<T> {
    numbers: (i32, i32, i64),
    firsts: In<i64>,
    bases: [In<T>; 3],
    stride: i64,
    cutoffs: In<f64>,
    boxes: (In<f64>, In<f64>, In<i32>),
    total: Out<i64>,
    offsets: Lent<i64>,
    ids: Lent<i32>,
}

/// The call in each precision.
pub(super) trait OfSystems: Sized {
    fn systems_view(run: &mut Run, h: usize, given: &Given<Self>) -> i32;
}

macro_rules! of_systems {
    ($type:ident, $name:ident) => {
        impl OfSystems for $type {
            fn systems_view(run: &mut Run, h: usize, given: &Given<$type>) -> i32 {
                let ((kind, dim, nsystems), (lo, length, periodic)) = (given.numbers, &given.boxes);
                let ([x, y, z], stride) = (&given.bases, given.stride);
                let Given {
                    firsts,
                    cutoffs,
                    total,
                    offsets,
                    ids,
                    ..
                } = given;
                call!(
                    run,
                    h,
                    $name(
                        kind, dim, nsystems, *firsts, *x, *y, *z, stride, *cutoffs, *lo, *length, *periodic, *total,
                        *offsets, *ids
                    )
                )
            }
        }
    };
}
of_systems!(f32, neargrid_systems_view_f32);
of_systems!(f64, neargrid_systems_view_f64);
