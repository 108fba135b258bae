//! The model of a handle: its inputs, and no earlier results. Every answer is computed from the inputs from scratch.
//! The model keeps promises beside: lists that are delivered in chunks, groups that may be looked at, a list with a skin.

use std::collections::BTreeMap;

use neargrid::Real;

use super::call::{Coords, Layout, Role, What};
use super::order::spatial_order;
use super::pairs::PairFields;
use super::sums::Field;
use super::truth::{Cloud, Reach, cutoff_of, exact_sum};

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

/// The right outcome of a call: its answer, unless it must fail, and the statuses it may fail with.
#[derive(Clone, Debug)]
pub struct Want<V> {
    pub answer: Option<V>,
    pub statuses: Vec<i32>,
}

/// The fault of a call.
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

    /// Takes the faults of `other`.
    pub fn join(&mut self, other: Checks) {
        self.must.extend(other.must);
        self.may.extend(other.may);
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
    /// The inputs of the handle when they were begun.
    pub told: Box<Model>,
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

/// Groups that were found, and the inputs of the handle at that time.
#[derive(Clone, Debug)]
pub struct Found {
    pub catalogue: Catalogue,
    pub told: Box<Model>,
}

/// A box: lower ends, lengths, and which axes are periodic.
pub type Domain = Option<(Vec<f64>, Vec<f64>, Vec<bool>)>;

/// The list made with a skin.
#[derive(Clone, Debug)]
pub struct SkinList {
    pub kind: Kind,
    /// The points then, wrapped, and the box.
    pub reference: Vec<Vec<f64>>,
    pub domain: Domain,
    pub dim: usize,
    pub single: bool,
    /// This is its reference, if it is there.
    pub known: bool,
    /// The last update kept it.
    pub kept: bool,
    /// It was delivered as it is.
    pub seen: bool,
}

/// Pairs that no row lists.
#[derive(Clone, Debug, PartialEq)]
pub struct Exclusions {
    pub names: Names,
    /// Points whose places among the names are up to that far apart exclude each other.
    pub far: usize,
    /// As they are, and not with all images.
    pub by_shift: bool,
}

/// The points that a caller named.
#[derive(Clone, Debug, PartialEq)]
pub enum Names {
    /// So many, by their numbers.
    Numbers(usize),
    /// The same by ids, while points had none: their numbers were their ids.
    NumbersAsIds(usize),
    /// Ids that ascend.
    Ids(Vec<i64>),
}

/// The inputs of a handle.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The dimension of the points set.
    pub dim: Option<usize>,
    pub single: bool,
    /// Coordinates, rounded to the precision of the points.
    pub points: Vec<f64>,
    pub queries: Vec<f64>,
    /// Queries were set, perhaps none, since the points changed.
    pub has_queries: bool,
    pub cutoff: Option<f64>,
    pub exclusive: bool,
    pub base: i64,
    pub limit: u64,
    pub domain: Domain,
    pub cell: Option<images::Cell>,
    pub active: Option<i64>,
    /// The role of each point; none: by the number of active points.
    pub roles: Vec<i32>,
    pub exclusions: Option<Exclusions>,
    pub larger_ids: bool,
    pub ghost_rows: i32,
    pub types: Option<(Vec<usize>, usize, Vec<bool>)>,
    /// A cutoff for each two of so many types.
    pub type_cutoffs: Option<(usize, Vec<f64>)>,
    pub primary: Option<Vec<bool>>,
    pub knn_within: f64,
    pub skin: f64,
    pub ids: Vec<i64>,
    pub radii: Option<(bool, Vec<f64>, i32)>,
    pub query_radii: Option<(bool, Vec<f64>)>,
    /// By the number of the name, and whether it is of queries.
    pub fields: BTreeMap<(usize, bool), Field>,
    pub pair_fields: PairFields,
    /// The handle searches on a GPU.
    pub on_gpu: bool,
    pub chunks: Option<Promise<Chunks>>,
    pub groups: Option<Promise<Found>>,
    pub list: Option<Promise<SkinList>>,
    /// The last update's result, if it kept or gave up a list: twice the displacement as a share of the skin.
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

// After the macro that they use.
mod answers;
mod checks;
pub mod images;
pub use checks::can_repeat;

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
        periods_of(&self.domain)
    }

    /// The same axes are periodic as in `other`, with whatever lengths.
    pub fn has_axes_of(&self, other: &Model) -> bool {
        let axes = |model: &Model| model.periodic_axes().iter().map(|&(axis, ..)| axis).collect::<Vec<_>>();
        let dim = |model: &Model| model.domain.as_ref().map(|(lo, ..)| lo.len());
        (dim(self), axes(self)) == (dim(other), axes(other))
    }

    pub fn cloud<T: Real>(&self) -> Cloud<T> {
        let coords = self.points.iter().chain(&self.queries);
        let coords = coords.map(|&c| T::from_f64(c)).collect();
        Cloud::new(self.dim.unwrap_or(1), coords, self.n(), self.periods())
    }

    /// The key that orders a point.
    pub fn rank(&self, i: usize) -> (i64, usize) {
        (self.ids.get(i).copied().unwrap_or_default(), i)
    }

    pub fn ids_ascend(&self) -> bool {
        self.ids.is_sorted_by(|a, b| a < b)
    }

    pub fn is_active(&self, i: usize) -> bool {
        match self.roles.get(i) {
            Some(&role) => role == 1,
            None => self.active.is_none_or(|active| (i as i64) < active),
        }
    }

    fn is_absent(&self, i: usize) -> bool {
        self.roles.get(i) == Some(&0)
    }

    /// Whether a ghost comes before a point that is none.
    pub fn are_mixed(&self) -> bool {
        !self.roles.is_sorted_by_key(|&role| role == 2)
    }

    pub fn have_absent(&self) -> bool {
        self.roles.contains(&0)
    }

    /// The number of active points, or of roles, is not that of the points.
    pub fn misfit(&self) -> bool {
        let (n, roles) = (self.n(), self.roles.len());
        self.active.is_some_and(|active| active > n as i64) || roles > 0 && roles != n
    }

    /// Whether two points that `is_active` says of have one of these ids.
    pub fn shared(ids: &[i64], is_active: impl Fn(usize) -> bool) -> bool {
        let mut sorted: Vec<_> = (0..ids.len()).filter(|&i| is_active(i)).map(|i| ids[i]).collect();
        sorted.sort_unstable();
        sorted.windows(2).any(|two| two[0] == two[1])
    }

    /// Whether each point that has an id is a ghost.
    pub fn ghosts(&self) -> Vec<bool> {
        (0..self.ids.len()).map(|i| !self.is_active(i)).collect()
    }

    /// Whether two active points have one of these ids.
    pub fn active_share(&self, ids: &[i64]) -> bool {
        Model::shared(ids, |i| self.is_active(i))
    }

    /// Whether two points are an excluded pair.
    pub fn excludes(&self, i: usize, j: usize) -> bool {
        let is_excluded = |exclusions: &Exclusions| {
            let place = |point: usize| match &exclusions.names {
                Names::Ids(ids) => self.ids.get(point).and_then(|id| ids.binary_search(id).ok()),
                _ => Some(point),
            };
            let apart = place(i).zip(place(j)).map(|(here, there)| here.abs_diff(there));
            apart.is_some_and(|apart| apart > 0 && apart <= exclusions.far)
        };
        self.exclusions.as_ref().is_some_and(is_excluded)
    }

    /// Whether one image of some point is excluded.
    pub fn excludes_images(&self) -> bool {
        let Some(Exclusions {
            names,
            far,
            by_shift: true,
        }) = &self.exclusions
        else {
            return false;
        };
        match names {
            Names::Numbers(points) | Names::NumbersAsIds(points) => *points > 1 && *far > 0,
            Names::Ids(ids) => {
                let mut places: Vec<_> = self.ids.iter().filter_map(|id| ids.binary_search(id).ok()).collect();
                places.sort_unstable();
                places.dedup();
                places.windows(2).any(|two| two[1] - two[0] <= *far)
            }
        }
    }

    fn interact(&self, i: usize, j: usize) -> bool {
        let all_images = |exclusions: &Exclusions| self.cell.is_none() || !exclusions.by_shift;
        if self.exclusions.as_ref().is_some_and(all_images) && self.excludes(i, j) {
            return false;
        }
        let Some((types, ntypes, mask)) = &self.types else {
            return true;
        };
        let both = types[i] * ntypes + types[j];
        mask[both]
            && self
                .type_cutoffs
                .as_ref()
                .is_none_or(|(_, cutoffs)| cutoffs[both] > 0.0)
    }

    /// Takes coordinates that were not refused.
    pub fn take_points(&mut self, role: Role, coords: &Coords) {
        let values = coords.values.iter().map(|&x| rounded(coords.single, x));
        self.has_queries = role == Role::Queries;
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

    /// Takes coordinates of an update that was not refused. Returns what it may say of the list with a skin (1: make it again), and the
    /// list as it is where it is kept.
    pub fn update(&mut self, coords: &Coords) -> (Vec<i32>, Option<Promise<SkinList>>) {
        let had_queries = self.nqueries() > 0;
        self.take_points(Role::Update, coords);
        let mut list = self.list.take();
        self.changed_points();
        self.moved = None;
        let Some(promise) = list.as_mut().filter(|list| {
            let list = &list.value;
            (list.single, list.reference.len(), list.dim) == (self.single, self.n(), coords.axes())
        }) else {
            return (vec![1], None);
        };
        promise.value.kept = true;
        let twice = self.twice_moved(&promise.value);
        let radii = self.radii.iter().flat_map(|(_, radii, _)| radii.iter().copied());
        let of_types = self
            .type_cutoffs
            .iter()
            .flat_map(|(_, cutoffs)| cutoffs.iter().copied());
        let cutoff = radii.chain(of_types).fold(self.cutoff.unwrap_or(0.0), f64::max);
        let lengths = (self.periodic_axes().iter()).fold(0.0, |longest: f64, &(_, _, length)| longest.max(length));
        let roundoff = if self.single { 6e-8 } else { 1.2e-16 };
        let slack = 1e-6 * self.skin + 64.0 * roundoff * (cutoff + self.skin + lengths);
        self.moved = Some(twice / self.skin);
        let rebuilt = match (twice > self.skin + slack, twice < self.skin - slack) {
            (true, _) if promise.value.known => vec![1],
            (_, true) if promise.sure && !had_queries => vec![0],
            _ if self.skin == 0.0 => vec![1],
            _ => vec![0, 1],
        };
        (rebuilt, list)
    }

    /// Whether both have the same inputs.
    pub fn is_told_as(&self, other: &Model) -> bool {
        let points = |m: &Model| (m.dim, m.single, m.points.clone(), m.queries.clone());
        let numbers = |m: &Model| {
            (
                m.cutoff,
                m.exclusive,
                m.base,
                m.limit,
                m.active,
                (m.larger_ids, m.ghost_rows, m.exclusions.clone()),
                (m.skin, m.knn_within),
                m.on_gpu,
            )
        };
        // Of a box only periodic axes matter, and how many axes it has where one is periodic.
        let axes = |m: &Model| m.domain.as_ref().filter(|_| m.is_periodic()).map(|(lo, ..)| lo.len());
        let boxes = |m: &Model| (axes(m), m.periodic_axes());
        let lists = |m: &Model| {
            (
                boxes(m),
                (m.types.clone(), m.type_cutoffs.clone()),
                m.primary.clone(),
                m.ids.clone(),
                m.roles.clone(),
            )
        };
        let radii = |m: &Model| (m.radii.clone(), m.query_radii.clone());
        numbers(self) == numbers(other)
            && self.cell == other.cell
            && lists(self) == lists(other)
            && radii(self) == radii(other)
            && points(self) == points(other)
    }

    /// The axes that repeat, from where, and after how much.
    pub fn periodic_axes(&self) -> Vec<(usize, f64, f64)> {
        let mut axes = Vec::new();
        if let Some((lo, length, flags)) = &self.domain {
            axes.extend((0..flags.len()).filter(|&a| flags[a]).map(|a| (a, lo[a], length[a])));
        }
        axes
    }

    /// Whether groups are the same for both.
    pub fn has_groups_of(&self, other: &Model) -> bool {
        let numbers = |m: &Model| (m.cutoff, m.exclusive, m.base, m.dim, m.single);
        let types = |m: &Model| m.types.clone().filter(|_| m.primary.is_some());
        let lists = |m: &Model| {
            (
                m.periodic_axes(),
                m.primary.clone(),
                types(m),
                m.ids.clone(),
                m.points.clone(),
            )
        };
        numbers(self) == numbers(other) && self.cell == other.cell && lists(self) == lists(other)
    }

    /// Points are others.
    pub fn changed_points(&mut self) {
        self.changed();
        (self.chunks, self.list) = (None, None);
    }

    /// A setting changed. What was made with it is there again where it changes back, unless it was an array.
    pub fn changed(&mut self) {
        self.set_again();
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

    /// The number of a point or row for the caller.
    pub fn number(&self, i: usize) -> i32 {
        (i as i64 + self.base) as i32
    }

    /// The kind and layout of a list.
    pub fn kind(&self, what: What) -> Option<Kind> {
        match what {
            What::Pairs => Some(Kind::Half),
            What::Rows(kind) => kind_of(kind),
        }
    }

    /// The number of rows that k nearest have.
    pub fn knn_rows(&self, kind: i32) -> usize {
        match kind {
            2 => self.nqueries(),
            _ => (0..self.n()).filter(|&i| self.is_active(i)).count(),
        }
    }

    /// A list with a skin that is made now.
    pub fn skin_list(&self, kind: Kind, sure: bool) -> Promise<SkinList> {
        let value = SkinList {
            kind,
            reference: self.held(),
            domain: self.domain.clone(),
            dim: self.dim.unwrap_or(0),
            single: self.single,
            known: true,
            kept: false,
            seen: false,
        };
        Promise { value, sure }
    }

    /// Twice the largest displacement since the list with a skin was made, and the change of the box.
    pub fn twice_moved(&self, list: &SkinList) -> f64 {
        let of = |domain: &Domain| {
            periods_of::<f64>(domain).map(|period| period.map(|[_, length]| rounded(self.single, length)))
        };
        let (lengths, before) = (of(&self.domain), of(&list.domain));
        let changes = lengths
            .iter()
            .zip(before)
            .map(|(now, then)| now.zip(then).map_or(0.0, |(a, b)| a - b));
        let of_box = changes.fold(0.0, f64::hypot);
        let square = |now: &[f64], then: &[f64]| -> f64 {
            let axes = now.iter().zip(then).zip(lengths);
            axes.map(|((now, then), length)| {
                let d = (now - then).abs();
                length.map_or(d, |length| d.min((length - d).abs())).powi(2)
            })
            .sum()
        };
        let all = self.held();
        let squares = all.iter().zip(&list.reference).map(|(now, then)| square(now, then));
        2.0 * squares.fold(0.0, f64::max).sqrt() + of_box
    }
}

/// The lower end and the length of each periodic axis.
fn periods_of<T: Real>(domain: &Domain) -> [Option<[T; 2]>; 3] {
    let mut periods = [None; 3];
    if let Some((lo, length, flags)) = domain {
        for axis in (0..flags.len()).filter(|&axis| flags[axis]) {
            periods[axis] = Some([T::from_f64(lo[axis]), T::from_f64(length[axis])]);
        }
    }
    periods
}
