//! The model of a handle: what it was told, and nothing that was computed before. Every answer is made from that, from scratch.
//! What is kept beside are promises: lists that are delivered in chunks, groups that may be looked at, a list with a skin.

use neargrid::Real;

use super::call::{Coords, Layout, Role, What};
use super::truth::{Cloud, Reach, exact_sum, spatial_order};

pub const OK: i32 = 0;
pub const NULL_POINTER: i32 = 1;
pub const BAD_DIM: i32 = 2;
pub const BAD_COUNT: i32 = 3;
pub const BAD_CUTOFF: i32 = 4;
pub const NON_FINITE: i32 = 5;
pub const BAD_VALUE: i32 = 6;
pub const BAD_STATE: i32 = 7;
pub const CAPACITY: i32 = 8;
pub const BAD_DOMAIN: i32 = 10;
pub const BAD_RADIUS: i32 = 11;
pub const NOT_SUPPORTED: i32 = 50;
pub const MEMORY_LIMIT: i32 = 105;
pub const ABI_MISMATCH: i32 = 254;

pub const MAX_POINTS: i64 = i32::MAX as i64;

/// What a call should do: its answer, unless it must fail, and the statuses it may fail with.
#[derive(Clone, Debug)]
pub struct Want<V> {
    pub answer: Option<V>,
    pub statuses: Vec<i32>,
}

/// What is wrong with a call.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    must: Vec<i32>,
    may: Vec<i32>,
}

impl Checks {
    /// Refused with `status`, or for another reason that is as good.
    pub fn must(&mut self, wrong: bool, status: i32) {
        if wrong {
            self.must.push(status);
        }
    }

    /// Perhaps refused.
    pub fn may(&mut self, wrong: bool, status: i32) {
        if wrong {
            self.may.push(status);
        }
    }

    pub fn is_refused(&self) -> bool {
        !self.must.is_empty()
    }

    pub fn answer<V>(self, answer: impl FnOnce() -> V) -> Want<V> {
        let answer = (!self.is_refused()).then(answer);
        Want {
            answer,
            statuses: [self.must, self.may].concat(),
        }
    }
}

/// Rows that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Half,
    Full,
    Queries,
}

pub fn kind_of(number: i32) -> Option<Kind> {
    match number {
        0 => Some(Kind::Half),
        1 => Some(Kind::Full),
        2 => Some(Kind::Queries),
        _ => None,
    }
}

/// Something promised, until something changes; not `sure` after a change of which nobody said whether it matters.
#[derive(Clone, Debug)]
pub struct Promise<V> {
    pub value: V,
    pub sure: bool,
}

/// Rows on their way in chunks.
#[derive(Clone, Debug)]
pub struct Chunks {
    pub rows: Vec<Vec<usize>>,
    /// The rows in the order of pairs.
    pub by_rank: Vec<usize>,
    pub max_entries: i64,
    /// Rows delivered, in the order of `pairs`.
    pub next: usize,
    pub pairs: Option<bool>,
    /// Nothing was left at the last call.
    pub over: bool,
}

impl Chunks {
    /// Whether rows and pairs come in one order.
    pub fn is_one_order(&self) -> bool {
        let order = self.by_rank.iter().filter(|&&row| !self.rows[row].is_empty());
        order.is_sorted()
    }

    /// The rows of the next chunk.
    pub fn next_rows(&self, pairs: bool) -> Vec<usize> {
        let order: Vec<usize> = if pairs {
            self.by_rank.clone()
        } else {
            (0..self.rows.len()).collect()
        };
        let mut entries = 0;
        let fits = |&row: &usize| {
            entries += self.rows[row].len() as i64;
            entries <= self.max_entries
        };
        order[self.next..].iter().copied().take_while(fits).collect()
    }
}

/// A catalogue of groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalogue {
    pub dim: usize,
    pub labels: Vec<i32>,
    pub sizes: Vec<i64>,
    pub offsets: Vec<i64>,
    pub order: Vec<i32>,
    /// Numbers that are not certain, because the arithmetic left its range, are NaN.
    pub masses: Vec<f64>,
    pub centers: Vec<f64>,
    pub velocities: Option<Vec<f64>>,
    pub radii: Vec<f64>,
    pub wide: Vec<i32>,
    /// Lengths of periodic axes: centers are compared modulo these.
    pub lengths: [Option<f64>; 3],
}

/// The list made with a skin.
#[derive(Clone, Debug)]
pub struct SkinList {
    pub kind: Kind,
    /// The points then, wrapped.
    pub reference: Vec<Vec<f64>>,
    pub single: bool,
}

/// What a handle was told.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Points of so many axes are set.
    pub dim: Option<usize>,
    pub single: bool,
    /// Coordinates, rounded to the precision of the points.
    pub points: Vec<f64>,
    pub queries: Vec<f64>,
    pub cutoff: Option<f64>,
    pub exclusive: bool,
    pub base: i64,
    pub limit: u64,
    pub domain: Option<(Vec<f64>, Vec<f64>, Vec<bool>)>,
    pub active: Option<i64>,
    pub larger_ids: bool,
    pub types: Option<(Vec<usize>, usize, Vec<bool>)>,
    pub primary: Option<Vec<bool>>,
    pub skin: f64,
    pub ids: Vec<i64>,
    pub radii: Option<(bool, Vec<f64>, i32)>,
    pub query_radii: Option<(bool, Vec<f64>)>,
    /// The handle searches on a GPU.
    pub on_gpu: bool,
    pub chunks: Option<Promise<Chunks>>,
    pub groups: Option<Promise<Catalogue>>,
    pub list: Option<Promise<SkinList>>,
    /// What the last update found, if it kept or gave up a list: twice the displacement as a share of the skin.
    pub moved: Option<f64>,
}

/// Runs `$body` with `$T` the precision of the points.
macro_rules! in_precision {
    ($model:expr, $T:ident => $body:expr) => {
        if $model.single {
            type $T = f32;
            $body
        } else {
            type $T = f64;
            $body
        }
    };
}

/// A number as the precision has it.
pub fn rounded(single: bool, x: f64) -> f64 {
    if single { f64::from(x as f32) } else { x }
}

/// Whether a cutoff, or a radius, is one in the precision.
fn is_cutoff<T: Real>(cutoff: f64) -> bool {
    let c = T::from_f64(cutoff);
    c > T::default() && (T::CUTOFF2_MIN..=T::CUTOFF2_MAX).contains(&c.mul(c).to_f64())
}

pub fn is_radius(single: bool, radius: f64) -> bool {
    if single {
        is_cutoff::<f32>(radius)
    } else {
        is_cutoff::<f64>(radius)
    }
}

impl Model {
    pub fn n(&self) -> usize {
        self.dim.map_or(0, |dim| self.points.len() / dim)
    }

    pub fn nqueries(&self) -> usize {
        self.dim.map_or(0, |dim| self.queries.len() / dim)
    }

    /// Some point or query repeats along this axis.
    pub fn is_periodic(&self) -> bool {
        self.domain.as_ref().is_some_and(|(_, _, flags)| flags.contains(&true))
    }

    fn periods<T: Real>(&self) -> [Option<[T; 2]>; 3] {
        let mut periods = [None; 3];
        if let Some((lo, length, flags)) = &self.domain {
            for axis in (0..flags.len()).filter(|&axis| flags[axis]) {
                periods[axis] = Some([T::from_f64(lo[axis]), T::from_f64(length[axis])]);
            }
        }
        periods
    }

    pub fn cloud<T: Real>(&self) -> Cloud<T> {
        let coords = self.points.iter().chain(&self.queries);
        let coords = coords.map(|&c| T::from_f64(c)).collect();
        Cloud::new(self.dim.unwrap_or(1), coords, self.n(), self.periods())
    }

    /// What orders a point.
    pub fn rank(&self, i: usize) -> i64 {
        self.ids.get(i).copied().unwrap_or(i as i64)
    }

    fn ids_ascend(&self) -> bool {
        self.ids.is_sorted_by(|a, b| a < b)
    }

    fn is_active(&self, i: usize) -> bool {
        self.active.is_none_or(|active| (i as i64) < active)
    }

    fn interact(&self, i: usize, j: usize) -> bool {
        self.types
            .as_ref()
            .is_none_or(|(types, ntypes, mask)| mask[types[i] * ntypes + types[j]])
    }

    /// What is wrong with coordinates.
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

    /// Takes coordinates that were not refused.
    pub fn take_points(&mut self, role: Role, coords: &Coords) {
        let values = coords.values.iter().map(|&x| rounded(coords.single, x));
        match role {
            Role::Set | Role::Update => {
                (self.dim, self.single) = (Some(coords.axes()), coords.single);
                self.points = values.collect();
                self.queries.clear();
            }
            Role::Add => {
                self.points.extend(values);
                self.queries.clear();
            }
            Role::Queries => self.queries = values.collect(),
        }
    }

    /// Whether both were told the same.
    pub fn is_told_as(&self, other: &Model) -> bool {
        let points = |m: &Model| (m.dim, m.single, m.points.clone(), m.queries.clone());
        let numbers = |m: &Model| {
            (
                m.cutoff,
                m.exclusive,
                m.base,
                m.limit,
                m.active,
                m.larger_ids,
                m.skin,
                m.on_gpu,
            )
        };
        let lists = |m: &Model| (m.domain.clone(), m.types.clone(), m.primary.clone(), m.ids.clone());
        let radii = |m: &Model| (m.radii.clone(), m.query_radii.clone());
        numbers(self) == numbers(other)
            && lists(self) == lists(other)
            && radii(self) == radii(other)
            && points(self) == points(other)
    }

    /// Points and settings changed in a way that matters for all that was promised.
    pub fn changed(&mut self) {
        (self.chunks, self.groups, self.list) = (None, None, None);
    }

    /// A setting changed that groups do not depend on; lists may.
    pub fn changed_lists(&mut self) {
        (self.chunks, self.list) = (None, None);
        self.doubt_groups();
    }

    /// A setting changed that says nothing about results.
    pub fn changed_otherwise(&mut self) {
        self.chunks = None;
        self.doubt_groups();
        self.doubt_list();
    }

    /// A setting was set to what it was.
    pub fn set_again(&mut self) {
        self.doubt_chunks();
        self.doubt_groups();
        self.doubt_list();
    }

    pub fn doubt_chunks(&mut self) {
        self.chunks.iter_mut().for_each(|chunks| chunks.sure = false);
    }

    pub fn doubt_groups(&mut self) {
        self.groups.iter_mut().for_each(|groups| groups.sure = false);
    }

    pub fn doubt_list(&mut self) {
        self.list.iter_mut().for_each(|list| list.sure = false);
    }

    /// What keeps a search for rows of a kind from an answer.
    pub fn check_search(&self, checks: &mut Checks, kind: Kind, in_chunks: bool) {
        in_precision!(self, T => self.check_search_in::<T>(checks, kind, in_chunks))
    }

    fn check_search_in<T: Real>(&self, checks: &mut Checks, kind: Kind, in_chunks: bool) {
        let (n, nqueries) = (self.n() as i64, self.nqueries());
        checks.must(self.dim.is_none(), BAD_STATE);
        let halves = self
            .periods::<T>()
            .map(|period| period.map(|[_, length]| length.mul(T::from_f64(0.5))));
        let is_short = |reach: T| halves.iter().flatten().any(|&half| half < reach);
        if let Some((single, radii, rule)) = &self.radii {
            checks.must(kind == Kind::Half && *rule < 2, BAD_VALUE);
            checks.must(*single != self.single, BAD_VALUE);
            checks.must(radii.len() as i64 != n, BAD_COUNT);
            let mut all = radii.clone();
            if kind == Kind::Queries && nqueries > 0 && *rule != 1 {
                checks.must(self.query_radii.is_none(), BAD_STATE);
                if let Some((single, radii)) = &self.query_radii {
                    checks.must(*single != self.single, BAD_VALUE);
                    checks.must(radii.len() != nqueries, BAD_COUNT);
                    all.extend(radii);
                }
            }
            checks.must(all.iter().any(|&r| is_short(T::from_f64(r))), BAD_DOMAIN);
            checks.must(self.on_gpu && !self.ids_ascend(), NOT_SUPPORTED);
        } else if let Some(cutoff) = self.cutoff {
            checks.must(!is_cutoff::<T>(cutoff), BAD_CUTOFF);
            checks.must(is_short(T::from_f64(cutoff)), BAD_DOMAIN);
            if self.skin > 0.0 && kind != Kind::Queries {
                let both = cutoff + self.skin;
                let [range, short] = [!is_cutoff::<T>(both), is_short(T::from_f64(both))];
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
        checks.must(self.active.is_some_and(|active| active > n), BAD_COUNT);
        checks.must(!self.ids.is_empty() && self.ids.len() as i64 != n, BAD_COUNT);
        // Below this nobody said what the limit refuses.
        let everyone = (n as u64) + nqueries as u64 + 1;
        let generous = 64 * everyone + everyone * everyone / 4 + (1 << 20) + if self.on_gpu { 1 << 28 } else { 0 };
        checks.may(
            self.limit > 0 && (self.limit < generous || self.skin > 0.0 && self.limit < 1 << 32),
            MEMORY_LIMIT,
        );
    }

    /// What a list in memory of the library takes at the least.
    pub fn check_limit(&self, checks: &mut Checks, rows: usize, entries: usize, with_left: bool) {
        let need = 8 * (rows as u64 + 1) + 4 * entries as u64 * if with_left { 2 } else { 1 };
        checks.must(self.limit > 0 && need > self.limit, MEMORY_LIMIT);
        checks.may(
            self.limit > 0 && self.limit < 64 * (entries as u64 + 1) + need,
            MEMORY_LIMIT,
        );
    }

    /// The rows of a kind, by the numbers of points or queries; what stands in them, in order.
    pub fn rows(&self, kind: Kind) -> Vec<Vec<usize>> {
        in_precision!(self, T => self.rows_in::<T>(kind))
    }

    fn reach<T: Real>(&self) -> Reach<T> {
        match &self.radii {
            None => Reach::Cutoff(T::from_f64(self.cutoff.unwrap_or(0.0))),
            Some((_, radii, rule)) => {
                let of_queries = self.query_radii.iter().flat_map(|(_, radii)| radii);
                let mut radii: Vec<T> = radii.iter().chain(of_queries).map(|&r| T::from_f64(r)).collect();
                radii.resize(self.n() + self.nqueries(), T::default());
                Reach::Radii(radii, *rule)
            }
        }
    }

    fn rows_in<T: Real>(&self, kind: Kind) -> Vec<Vec<usize>> {
        let (cloud, reach) = (self.cloud::<T>(), self.reach::<T>());
        let n = self.n();
        let near = |i: usize, j: usize| cloud.is_near(&reach, self.exclusive, i, j);
        let lists = |i: usize, j: usize| match kind {
            Kind::Queries => true,
            Kind::Full => i != j && (self.is_active(i) || self.is_active(j)) && self.interact(i, j),
            Kind::Half => {
                let is_later = match (self.is_active(i), self.is_active(j)) {
                    (true, true) => self.rank(j) > self.rank(i),
                    (true, false) => !self.larger_ids || self.rank(j) > self.rank(i),
                    (false, _) => false,
                };
                is_later && self.interact(i, j)
            }
        };
        let rows = if kind == Kind::Queries {
            n..cloud.everyone()
        } else {
            0..n
        };
        rows.map(|i| {
            let mut row: Vec<usize> = (0..n).filter(|&j| lists(i, j) && near(i, j)).collect();
            row.sort_by_key(|&j| self.rank(j));
            row
        })
        .collect()
    }

    /// The rows of a kind in the order in which their pairs come.
    pub fn by_rank(&self, kind: Kind) -> Vec<usize> {
        if kind == Kind::Queries {
            return (0..self.nqueries()).collect();
        }
        let mut rows: Vec<usize> = (0..self.n()).collect();
        rows.sort_by_key(|&i| self.rank(i));
        rows
    }

    /// The number of a point or row for the caller.
    pub fn number(&self, i: usize) -> i32 {
        (i as i64 + self.base) as i32
    }

    /// The pairs of some rows.
    pub fn pairs_of(&self, rows: &[Vec<usize>], order: &[usize]) -> [Vec<i32>; 2] {
        let mut pairs = [Vec::new(), Vec::new()];
        for &i in order {
            for &j in &rows[i] {
                pairs[0].push(self.number(i));
                pairs[1].push(self.number(j));
            }
        }
        pairs
    }

    /// Offsets and ids of some rows.
    pub fn csr_of(&self, rows: &[Vec<usize>], order: &[usize]) -> (Vec<i64>, Vec<i32>) {
        let (mut offsets, mut ids) = (vec![self.base], Vec::new());
        for &i in order {
            ids.extend(rows[i].iter().map(|&j| self.number(j)));
            offsets.push(self.base + ids.len() as i64);
        }
        (offsets, ids)
    }

    /// The kind and layout of a list.
    pub fn kind(&self, what: What) -> Option<Kind> {
        match what {
            What::Pairs => Some(Kind::Half),
            What::Queries => Some(Kind::Queries),
            What::Rows(kind) => kind_of(kind).filter(|&kind| kind != Kind::Queries),
        }
    }

    /// How many rows k nearest have.
    pub fn knn_rows(&self, kind: i32) -> usize {
        match kind {
            2 => self.nqueries(),
            _ => self.active.map_or(self.n(), |active| active as usize),
        }
    }

    /// Ids, distances and counts of the k nearest.
    pub fn knn(&self, kind: i32, k: usize, measure: i32) -> (Vec<i32>, Vec<f64>, Vec<i32>) {
        in_precision!(self, T => self.knn_in::<T>(kind, k, measure))
    }

    fn knn_in<T: Real>(&self, kind: i32, k: usize, measure: i32) -> (Vec<i32>, Vec<f64>, Vec<i32>) {
        let cloud = self.cloud::<T>();
        let first = if kind == 2 { self.n() } else { 0 };
        let (mut ids, mut distances, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        for i in first..first + self.knn_rows(kind) {
            let row = cloud.nearest(i, k, kind == 0, |j| self.rank(j));
            counts.push(row.len() as i32);
            for m in 0..k {
                ids.push(row.get(m).map_or(self.base as i32 - 1, |&(_, j)| self.number(j)));
                let d2 = row.get(m).map_or(T::INFINITY, |&(d2, _)| d2);
                distances.push(if measure == 0 { d2.sqrt() } else { d2 }.to_f64());
            }
        }
        (ids, distances, counts)
    }

    /// What keeps groups from being found.
    pub fn check_groups(&self, checks: &mut Checks) {
        in_precision!(self, T => self.check_groups_in::<T>(checks))
    }

    fn check_groups_in<T: Real>(&self, checks: &mut Checks) {
        let n = self.n();
        checks.must(self.dim.is_none(), BAD_STATE);
        checks.must(self.radii.is_some(), NOT_SUPPORTED);
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

    /// The label of each point, its number.
    pub fn groups(&self) -> Vec<usize> {
        in_precision!(self, T => {
            let links = |i: usize| match (&self.primary, &self.types) {
                (Some(primary), Some((types, ..))) => primary[types[i]],
                _ => true,
            };
            let reach = Reach::Cutoff(T::from_f64(self.cutoff.unwrap_or(0.0)));
            self.cloud::<T>().groups(&reach, self.exclusive, links, |i| self.rank(i))
        })
    }

    /// The catalogue of the groups of at least `min_size` points.
    pub fn catalogue(&self, min_size: i64, masses: Option<&[f64]>, velocities: Option<&[f64]>) -> Catalogue {
        in_precision!(self, T => self.catalogue_in::<T>(min_size, masses, velocities))
    }

    fn catalogue_in<T: Real>(&self, min_size: i64, masses: Option<&[f64]>, velocities: Option<&[f64]>) -> Catalogue {
        let (dim, n, cloud) = (self.dim.unwrap_or(1), self.n(), self.cloud::<T>());
        let labels = self.groups();
        let size = |label: usize| labels.iter().filter(|&&l| l == label).count() as i64;
        let mut groups: Vec<(i64, usize)> = (0..n)
            .filter(|&i| labels[i] == i)
            .map(|i| (size(i), i))
            .filter(|&(size, _)| size >= min_size)
            .collect();
        groups.sort_by_key(|&(size, label)| (-size, self.rank(label)));
        let lengths = self
            .periods::<T>()
            .map(|period| period.map(|[_, length]| length.to_f64()));
        let mut made = Catalogue {
            dim,
            labels: groups.iter().map(|&(_, label)| self.number(label)).collect(),
            sizes: groups.iter().map(|&(size, _)| size).collect(),
            offsets: vec![self.base],
            order: Vec::new(),
            masses: Vec::new(),
            centers: Vec::new(),
            velocities: velocities.map(|_| Vec::new()),
            radii: Vec::new(),
            wide: Vec::new(),
            lengths,
        };
        let mut is_listed = vec![false; n];
        for &(_, label) in &groups {
            let members: Vec<usize> = (0..n).filter(|&i| labels[i] == label).collect();
            members.iter().for_each(|&i| is_listed[i] = true);
            made.order.extend(members.iter().map(|&i| self.number(i)));
            made.offsets.push(made.order.len() as i64 + self.base);
            let mass = |i: usize| masses.map_or(1.0, |masses| masses[i]);
            let origin = |axis: usize| cloud.wrapped(label, axis).to_f64();
            let off = |i: usize, axis: usize| {
                let d = cloud.wrapped(i, axis).to_f64() - origin(axis);
                match lengths[axis] {
                    Some(length) if d > 0.5 * length => d - length,
                    Some(length) if d < -0.5 * length => d + length,
                    _ => d,
                }
            };
            let sum =
                |term: &dyn Fn(usize) -> (f64, f64)| exact_sum(members.iter().map(|&i| term(i))).unwrap_or(f64::NAN);
            let total = sum(&|i| (mass(i), 1.0));
            made.masses.push(total);
            let mean: Vec<f64> = (0..dim).map(|axis| sum(&|i| (mass(i), off(i, axis))) / total).collect();
            made.centers.extend((0..dim).map(|axis| origin(axis) + mean[axis]));
            if let (Some(made), Some(given)) = (&mut made.velocities, velocities) {
                made.extend((0..dim).map(|axis| sum(&|i| (mass(i), given[i * dim + axis])) / total));
            }
            let square = |i: usize| {
                (0..dim).fold(0.0, |sum, axis| {
                    let d = off(i, axis) - mean[axis];
                    sum + d * d
                })
            };
            made.radii.push((sum(&|i| (mass(i), square(i))) / total).sqrt());
            let is_wide = (0..dim).any(|axis| {
                let offs = || members.iter().map(|&i| off(i, axis));
                let width = offs().fold(0.0, f64::max) - offs().fold(0.0, f64::min);
                lengths[axis].is_some_and(|length| width >= 0.5 * length)
            });
            made.wide.push(is_wide.into());
        }
        made.order
            .extend((0..n).filter(|&i| !is_listed[i]).map(|i| self.number(i)));
        made
    }

    /// The distance, or displacement along each axis, of some pairs of points.
    pub fn quantities(&self, displacements: bool, pairs: &[(usize, usize)]) -> Vec<f64> {
        in_precision!(self, T => {
            let cloud = self.cloud::<T>();
            let mut out = Vec::new();
            for &(i, j) in pairs {
                let d: Vec<T> = (0..cloud.dim).map(|axis| cloud.displacement(i, j, axis)).collect();
                if displacements {
                    out.extend(d.iter().map(|d| d.to_f64()));
                } else {
                    let d2 = d[1..].iter().fold(d[0].mul(d[0]), |sum, d| sum.add(d.mul(*d)));
                    out.push(d2.sqrt().to_f64());
                }
            }
            out
        })
    }

    /// Coordinates as the handle holds them.
    pub fn held(&self) -> Vec<Vec<f64>> {
        in_precision!(self, T => {
            let cloud = self.cloud::<T>();
            let point = |i: usize| (0..cloud.dim).map(|axis| cloud.wrapped(i, axis).to_f64()).collect();
            (0..self.n()).map(point).collect()
        })
    }

    pub fn order(&self) -> Vec<i32> {
        let mut order = Vec::new();
        spatial_order(&self.held(), (0..self.n()).collect(), &mut order);
        order.iter().map(|&i| self.number(i)).collect()
    }

    /// Twice the largest displacement since the list with a skin was made.
    pub fn twice_moved(&self, list: &SkinList) -> f64 {
        let lengths = self
            .periods::<f64>()
            .map(|period| period.map(|[_, length]| rounded(self.single, length)));
        let square = |now: &[f64], then: &[f64]| -> f64 {
            let axes = now.iter().zip(then).zip(lengths);
            axes.map(|((now, then), length)| {
                let d = (now - then).abs();
                length.map_or(d, |length| d.min((length - d).abs())).powi(2)
            })
            .sum()
        };
        let all = self.held();
        2.0 * all
            .iter()
            .zip(&list.reference)
            .map(|(now, then)| square(now, then))
            .fold(0.0, f64::max)
            .sqrt()
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
