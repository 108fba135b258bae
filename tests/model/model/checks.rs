//! The reasons why a call gets no answer.

use super::*;

/// Excluded pairs that a point may have on a GPU.
const MOST_EXCLUDED: usize = 256;

impl Model {
    /// Faults of coordinates.
    pub fn check_points(&self, role: Role, coords: &Coords) -> Checks {
        let mut checks = Checks::default();
        let (axes, n) = (coords.axes(), coords.len());
        checks.must(!(1..=3).contains(&coords.dim), BAD_DIM);
        checks.must(coords.n.is_some_and(|n| !(0..=MAX_POINTS).contains(&n)), BAD_COUNT);
        checks.must(n > 0 && coords.nulls & ((1 << axes) - 1) != 0, NULL_POINTER);
        if let Layout::Refused(stride) = coords.layout {
            let size = if coords.single { 4 } else { 8 };
            checks.must(
                n > 1 && (stride.unsigned_abs() < size || stride.unsigned_abs() > 1 << 40),
                BAD_VALUE,
            );
        }
        checks.must(coords.layout == Layout::OneNumber && n > 1 && axes > 1, BAD_VALUE);
        let values = || coords.values.iter().map(|&x| rounded(coords.single, x));
        checks.must(values().any(|x| !x.is_finite()), NON_FINITE);
        match role {
            Role::Set | Role::Update => {
                if let Some((lo, length, flags)) = self.domain.as_ref().filter(|_| self.is_periodic()) {
                    checks.must(lo.len() as i32 != coords.dim, BAD_DIM);
                    for axis in (0..flags.len()).filter(|&axis| flags[axis]) {
                        checks.must(!can_repeat(coords.single, lo[axis], length[axis]), BAD_DOMAIN);
                        let lo = rounded(coords.single, lo[axis]);
                        if axis < axes {
                            let column = values().skip(axis).step_by(axes);
                            checks.must(column.into_iter().any(|x| !can_wrap(coords.single, x, lo)), NON_FINITE);
                        }
                    }
                }
            }
            Role::Add | Role::Queries => {
                checks.must(self.dim.is_none(), BAD_STATE);
                if let Some(dim) = self.dim {
                    checks.must(coords.single != self.single, BAD_VALUE);
                    checks.must(coords.dim != dim as i32, BAD_DIM);
                    if let Some((lo, _, flags)) = self.domain.as_ref().filter(|_| self.is_periodic()) {
                        for axis in (0..axes.min(flags.len())).filter(|&axis| flags[axis]) {
                            let lo = rounded(coords.single, lo[axis]);
                            let column = values().skip(axis).step_by(axes);
                            checks.must(column.into_iter().any(|x| !can_wrap(coords.single, x, lo)), NON_FINITE);
                        }
                    }
                }
            }
        }
        checks
    }

    /// The reasons why a search for rows of a kind gets no answer.
    pub fn check_search(&self, checks: &mut Checks, kind: Kind, in_chunks: bool) {
        in_precision!(self, T => self.check_search_in::<T>(checks, kind, in_chunks))
    }

    fn check_search_in<T: Real>(&self, checks: &mut Checks, kind: Kind, in_chunks: bool) {
        let (n, nqueries) = (self.n() as i64, self.nqueries());
        checks.must(self.dim.is_none(), BAD_STATE);
        checks.must(self.cell.is_some(), NOT_SUPPORTED);
        checks.must(kind == Kind::Queries && !self.has_queries, BAD_STATE);
        let table = self.type_cutoffs.as_ref().filter(|_| kind != Kind::Queries);
        if let Some((ntypes, _)) = table {
            checks.must(self.radii.is_some(), NOT_SUPPORTED);
            checks.must(n > 0 && self.types.is_none(), BAD_STATE);
            checks.must(
                n > 0 && self.types.as_ref().is_some_and(|(_, of, _)| of != ntypes),
                BAD_COUNT,
            );
        }
        let halves = self
            .periods::<T>()
            .map(|period| period.map(|[_, length]| length.mul(T::from_f64(0.5))));
        let is_short = |reach: T| halves.iter().flatten().any(|&half| half < reach);
        if let (None, Some((single, radii)), Kind::Queries) = (&self.radii, &self.query_radii, kind) {
            if nqueries > 0 {
                checks.must(*single != self.single, BAD_VALUE);
                checks.must(radii.len() != nqueries, BAD_COUNT);
                checks.must(n > 0 && radii.iter().any(|&r| is_short(T::from_f64(r))), BAD_DOMAIN);
            }
            checks.must(self.on_gpu && !self.ids_ascend(), NOT_SUPPORTED);
        } else if let Some((single, radii, rule)) = &self.radii {
            checks.must(kind == Kind::Half && *rule < 2, BAD_VALUE);
            checks.must(*single != self.single, BAD_VALUE);
            checks.must(radii.len() as i64 != n, BAD_COUNT);
            let of_points: Vec<T> = radii.iter().map(|&r| T::from_f64(r)).collect();
            let mut rows = of_points.clone();
            if kind == Kind::Queries {
                rows = vec![T::default(); nqueries];
                if nqueries > 0 && *rule != 1 {
                    checks.must(self.query_radii.is_none(), BAD_STATE);
                    if let Some((single, radii)) = &self.query_radii {
                        checks.must(*single != self.single, BAD_VALUE);
                        checks.must(radii.len() != nqueries, BAD_COUNT);
                        rows = radii.iter().map(|&r| T::from_f64(r)).collect();
                    }
                }
            }
            let reaches = |skin: T| {
                let mut rows = rows.iter().map(|mine| mine.add(skin)).enumerate();
                rows.any(|(i, mine)| {
                    let others = of_points.iter().map(|other| other.add(skin)).enumerate();
                    let mut others = others.filter(|&(j, _)| kind == Kind::Queries || i != j);
                    others.any(|(_, other)| is_short(cutoff_of(*rule, mine, other)))
                })
            };
            checks.must(reaches(T::default()), BAD_DOMAIN);
            if self.skin > 0.0 && kind != Kind::Queries {
                let skin = T::from_f64(self.skin);
                let largest = of_points
                    .iter()
                    .fold(skin, |most, r| if most < r.add(skin) { r.add(skin) } else { most });
                let is_huge = largest.mul(largest).to_f64() > T::CUTOFF2_MAX;
                let is_wide = reaches(skin);
                match in_chunks {
                    true => checks.may(is_huge || is_wide, if is_huge { BAD_RADIUS } else { BAD_DOMAIN }),
                    false => {
                        checks.must(is_huge, BAD_RADIUS);
                        checks.must(is_wide, BAD_DOMAIN);
                    }
                }
            }
            checks.must(self.on_gpu && kind == Kind::Half && self.are_mixed(), NOT_SUPPORTED);
            checks.must(
                self.on_gpu && kind != Kind::Queries && self.exclusions.is_some(),
                NOT_SUPPORTED,
            );
            checks.must(self.on_gpu && !self.ids_ascend(), NOT_SUPPORTED);
        } else if let Some(cutoff) = table.map_or(self.cutoff, |_| self.cutoff_of_points()) {
            checks.must(!is_cutoff::<T>(cutoff), BAD_CUTOFF);
            let skin = if kind == Kind::Queries { 0.0 } else { self.skin };
            for cutoff in table
                .iter()
                .flat_map(|(_, cutoffs)| cutoffs)
                .filter(|&&cutoff| cutoff > 0.0)
            {
                checks.must(!is_cutoff::<T>(*cutoff), BAD_CUTOFF);
                checks.may(!is_cutoff::<T>(cutoff + skin), BAD_CUTOFF);
            }
            checks.must(is_short(T::from_f64(cutoff)), BAD_DOMAIN);
            if self.skin > 0.0 && kind != Kind::Queries {
                let both = cutoff + self.skin;
                let (once, twice) = (T::from_f64(both), T::from_f64(cutoff).add(T::from_f64(self.skin)));
                let [range, short] = [!is_cutoff::<T>(both), is_short(once) && is_short(twice)];
                match in_chunks {
                    true => checks.may(range || short, if range { BAD_CUTOFF } else { BAD_DOMAIN }),
                    false => {
                        checks.must(range, BAD_CUTOFF);
                        checks.must(short, BAD_DOMAIN);
                    }
                }
            }
        } else {
            checks.must(true, BAD_STATE);
        }
        checks.must(
            self.types.as_ref().is_some_and(|(types, ..)| types.len() as i64 != n),
            BAD_COUNT,
        );
        checks.must(self.misfit(), BAD_COUNT);
        self.check_exclusions(checks);
        checks.must(
            self.on_gpu && kind != Kind::Queries && self.most_excluded() > MOST_EXCLUDED,
            NOT_SUPPORTED,
        );
        checks.must(
            self.excludes_images() && kind != Kind::Queries && self.is_periodic(),
            NOT_SUPPORTED,
        );
        checks.must(!self.ids.is_empty() && self.ids.len() as i64 != n, BAD_COUNT);
        checks.must(self.active_share(&self.ids), BAD_VALUE);
        // Below this nobody said what the limit refuses.
        let everyone = (n as u64) + nqueries as u64 + 1;
        let generous = 64 * everyone + everyone * everyone / 4 + (1 << 20) + if self.on_gpu { 1 << 28 } else { 0 };
        checks.may(
            self.limit > 0 && (self.limit < generous || self.skin > 0.0 && self.limit < 1 << 32),
            MEMORY_LIMIT,
        );
    }

    /// The most partners that exclusions give a point.
    fn most_excluded(&self) -> usize {
        self.exclusions.as_ref().map_or(0, |exclusions| {
            let of_each = |i: usize| (0..self.n()).filter(|&j| self.excludes(i, j)).count();
            match 2 * exclusions.far > MOST_EXCLUDED {
                true => (0..self.n()).map(of_each).max().unwrap_or(0),
                false => 0,
            }
        })
    }

    /// Exclusions that do not fit the points.
    pub(super) fn check_exclusions(&self, checks: &mut Checks) {
        let (n, have_ids) = (self.n(), !self.ids.is_empty());
        match self.exclusions.as_ref().map(|exclusions| &exclusions.names) {
            Some(Names::Numbers(points)) => checks.must(*points != n, BAD_COUNT),
            Some(Names::NumbersAsIds(points)) => {
                checks.must(*points != n, BAD_COUNT);
                checks.must(have_ids, BAD_STATE);
            }
            Some(Names::Ids(_)) => checks.must(n > 0 && !have_ids, BAD_STATE),
            None => {}
        }
    }

    /// The least that a list in memory of the library takes.
    pub fn check_limit(&self, checks: &mut Checks, rows: usize, entries: usize, with_left: bool) {
        let need = 8 * (rows as u64 + 1) + 4 * entries as u64 * if with_left { 2 } else { 1 };
        checks.must(self.limit > 0 && need > self.limit, MEMORY_LIMIT);
        checks.may(
            self.limit > 0 && self.limit < 64 * (entries as u64 + 1) + need,
            MEMORY_LIMIT,
        );
    }

    /// The reasons why groups are not found.
    pub fn check_groups(&self, checks: &mut Checks) {
        in_precision!(self, T => self.check_groups_in::<T>(checks))
    }

    fn check_groups_in<T: Real>(&self, checks: &mut Checks) {
        let n = self.n();
        checks.must(self.dim.is_none(), BAD_STATE);
        checks.must(self.radii.is_some() || self.have_absent(), NOT_SUPPORTED);
        checks.must(self.cell.is_some(), NOT_SUPPORTED);
        checks.must(Model::shared(&self.ids, |_| true), NOT_SUPPORTED);
        checks.must(!self.ids.is_empty() && self.ids.len() != n, BAD_COUNT);
        match self.cutoff {
            None => checks.must(true, BAD_STATE),
            Some(cutoff) => {
                checks.must(!is_cutoff::<T>(cutoff), BAD_CUTOFF);
                let half = |[_, length]: [T; 2]| length.mul(T::from_f64(0.5));
                let is_short = self
                    .periods::<T>()
                    .into_iter()
                    .flatten()
                    .any(|period| half(period) < T::from_f64(cutoff));
                checks.must(is_short, BAD_DOMAIN);
            }
        }
        let types = self.types.as_ref().map(|(types, ..)| types.len());
        let mismatch = types.is_some_and(|types| types != n);
        match &self.primary {
            None => checks.may(mismatch, BAD_COUNT),
            Some(flags) => {
                checks.must(types.is_none() && n > 0, BAD_STATE);
                checks.may(types.is_none(), BAD_STATE);
                checks.must(mismatch, BAD_COUNT);
                let other = self.types.as_ref().is_some_and(|(_, ntypes, _)| *ntypes != flags.len());
                checks.must(other && n > 0, BAD_COUNT);
                checks.may(other, BAD_COUNT);
                checks.must(self.on_gpu, NOT_SUPPORTED);
            }
        }
        checks.may(self.limit > 0 && self.limit < 64 * n as u64 + (1 << 20), MEMORY_LIMIT);
    }
}

/// Whether a precision holds a periodic axis: both ends, the upper one above the lower, and half of the length.
pub fn can_repeat(single: bool, lo: f64, length: f64) -> bool {
    let [lo, length] = [lo, length].map(|x| rounded(single, x));
    let (hi, least) = match single {
        true => (f64::from(lo as f32 + length as f32), f64::from(2.0 * f32::MIN_POSITIVE)),
        false => (lo + length, 2.0 * f64::MIN_POSITIVE),
    };
    lo.is_finite() && length.is_finite() && length >= least && hi.is_finite() && hi > lo
}

/// Whether a coordinate has a finite distance from the box.
fn can_wrap(single: bool, x: f64, lo: f64) -> bool {
    if single {
        (x as f32 - lo as f32).is_finite()
    } else {
        (x - lo).is_finite()
    }
}
