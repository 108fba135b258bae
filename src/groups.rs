//! The catalogue of groups: which are large enough, their members, and sums over their members.
//!
//! in: a label per point, the points, masses and velocities; out: [`HeldGroups`], what [`Groups`] shows. Sums are exact, each
//! rounded once ([`ExactSum`]), so that they depend neither on threads nor on how the members are numbered or dealt
//! out.

mod source;
mod sums;

pub use source::{Properties, Source};
pub use sums::Sums;

use crate::error::Result;
use crate::list::{holds, reserve_discarding, resize_discarding};
use crate::real::Real;
use crate::threads::Team;

const WHAT: &str = "the catalogue of groups";

/// Members of a group that one thread sums at once; larger groups are dealt out.
const SHARE: usize = 1 << 14;

/// A catalogue of groups, the largest first; groups of equal size are ordered by label, or by the global id of the
/// label. Arrays of vectors have `dim` elements for each group.
#[derive(Clone, Copy, Debug)]
pub struct Groups<'a> {
    /// Dimension of the points.
    pub dim: usize,
    /// The label of each group: a point number in the handle's index base.
    pub labels: &'a [i32],
    /// The number of points in each group.
    pub sizes: &'a [i64],
    /// The members of group `g` are `order[offsets[g] - base .. offsets[g + 1] - base]`. There is one more offset than
    /// groups.
    pub offsets: &'a [i64],
    /// All points: the members of each group in ascending order, then the points of groups that are too small.
    pub order: &'a [i32],
    /// The total mass of each group.
    pub masses: &'a [f64],
    /// The center of mass, wrapped into the box along periodic axes.
    pub centers: &'a [f64],
    /// The mean velocity weighted by mass, if velocities were given.
    pub velocities: Option<&'a [f64]>,
    /// The root mean square distance from the center, weighted by mass.
    pub radii: &'a [f64],
    /// 1 for a group that extends over half the box or more along a periodic axis, otherwise 0. Center and radius of
    /// such a group depend on its label.
    pub wide: &'a [i32],
}

/// Sums over the members of groups, one element for each group, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Totals<'a> {
    /// As in [`Groups`].
    pub dim: usize,
    pub sizes: &'a [i64],
    pub masses: &'a [f64],
    pub centers: &'a [f64],
    pub velocities: Option<&'a [f64]>,
    pub radii: &'a [f64],
    pub wide: &'a [i32],
}

impl<'a> Groups<'a> {
    /// The part of the catalogue that does not say which points are members.
    pub(crate) fn totals(&self) -> Totals<'a> {
        Totals {
            dim: self.dim,
            sizes: self.sizes,
            masses: self.masses,
            centers: self.centers,
            velocities: self.velocities,
            radii: self.radii,
            wide: self.wide,
        }
    }
}

/// A catalogue, in memory of the handle.
#[derive(Debug, Default)]
pub struct HeldGroups {
    dim: usize,
    /// Velocities were given.
    moving: bool,
    labels: Vec<i32>,
    sizes: Vec<i64>,
    offsets: Vec<i64>,
    order: Vec<i32>,
    masses: Vec<f64>,
    centers: Vec<f64>,
    velocities: Vec<f64>,
    radii: Vec<f64>,
    wide: Vec<i32>,
    /// By point: how large the group is whose label it is, then where its next member goes.
    places: Vec<u32>,
}

holds! { HeldGroups { labels, sizes, offsets, order, masses, centers, velocities, radii, wide, places; dim, moving } }

impl HeldGroups {
    /// Its contents.
    pub fn show(&self) -> Groups<'_> {
        Groups {
            dim: self.dim,
            labels: &self.labels,
            sizes: &self.sizes,
            offsets: &self.offsets,
            order: &self.order,
            masses: &self.masses,
            centers: &self.centers,
            velocities: self.moving.then_some(&self.velocities),
            radii: &self.radii,
            wide: &self.wide,
        }
    }

    /// Makes the catalogue of all groups of at least `min_size` points.
    pub fn make<T: Real>(&mut self, source: &Source<T>, min_size: u64, team: &Team) -> Result<()> {
        self.dim = source.points.dim();
        self.sort(source, min_size)?;
        let groups = self.labels.len();
        let vectors = groups * self.dim;
        resize_discarding(&mut self.masses, groups, 0.0, WHAT)?;
        resize_discarding(&mut self.centers, vectors, 0.0, WHAT)?;
        self.moving = source.properties.velocities.is_some();
        resize_discarding(&mut self.velocities, if self.moving { vectors } else { 0 }, 0.0, WHAT)?;
        resize_discarding(&mut self.radii, groups, 0.0, WHAT)?;
        resize_discarding(&mut self.wide, groups, 0, WHAT)?;
        self.sum(source, team)
    }

    /// Finds the groups that are large enough, and brings the points into their order.
    fn sort<T: Real>(&mut self, source: &Source<T>, min_size: u64) -> Result<()> {
        let (len, base) = (source.labels.len(), source.base);
        let point = |label: i32| (i64::from(label) - base) as usize;
        resize_discarding(&mut self.places, len, 0, WHAT)?;
        self.places.fill(0);
        source.labels.iter().for_each(|&label| self.places[point(label)] += 1);
        let places = &mut self.places;
        let is_large = |&size: &u32| size > 0 && u64::from(size) >= min_size;
        let groups = places.iter().filter(|size| is_large(size)).count();
        reserve_discarding(&mut self.labels, groups, WHAT)?;
        reserve_discarding(&mut self.sizes, groups, WHAT)?;
        reserve_discarding(&mut self.offsets, groups + 1, WHAT)?;
        resize_discarding(&mut self.order, len, 0, WHAT)?;
        self.labels.clear();
        self.sizes.clear();
        self.offsets.clear();
        let large = (0..).zip(&*places).filter(|(_, size)| is_large(size));
        self.labels.extend(large.map(|(label, _)| label));
        let rank = |label: i32| source.global_ids.map_or(label.into(), |ids| ids[label as usize]);
        let size = |label: i32| places[label as usize];
        let by_size = |&label: &i32| (std::cmp::Reverse(size(label)), rank(label));
        self.labels.sort_unstable_by_key(by_size);
        self.sizes
            .extend(self.labels.iter().map(|&label| i64::from(size(label))));
        let mut end = 0;
        self.offsets.push(base);
        places.fill(u32::MAX);
        for (&label, &size) in self.labels.iter().zip(&self.sizes) {
            places[label as usize] = end;
            end += size as u32;
            self.offsets.push(i64::from(end) + base);
        }
        self.labels.iter_mut().for_each(|label| *label += base as i32);
        for (i, &label) in (base as i32..).zip(source.labels) {
            let place = match &mut places[point(label)] {
                &mut u32::MAX => &mut end,
                place => place,
            };
            self.order[*place as usize] = i;
            *place += 1;
        }
        Ok(())
    }

    /// Sums over the members of each group.
    fn sum<T: Real>(&mut self, source: &Source<T>, team: &Team) -> Result<()> {
        let (dim, base) = (self.dim, source.base);
        let mut workers = Vec::new();
        reserve_discarding(&mut workers, team.threads(), WHAT)?;
        workers.resize_with(team.threads(), || Sums::new(source));
        let crowds = self.sizes.partition_point(|&size| size as usize > SHARE);
        let members = |g: usize| {
            let [first, end] = [self.offsets[g], self.offsets[g + 1]].map(|offset| (offset - base) as usize);
            &self.order[first..end]
        };
        let mut velocities = self.velocities.chunks_mut(dim);
        let mut rows = Vec::new();
        reserve_discarding(&mut rows, self.labels.len(), WHAT)?;
        let scalars = self.masses.iter_mut().zip(&mut self.radii).zip(&mut self.wide);
        for (g, (((mass, radius), wide), center)) in scalars.zip(self.centers.chunks_mut(dim)).enumerate() {
            let velocity = velocities.next();
            let group = GroupSums {
                label: self.labels[g],
                members: members(g),
                mass,
                radius,
                wide,
                center,
                velocity,
            };
            rows.push(group);
        }
        let (large, small) = rows.split_at_mut(crowds);
        for row in large {
            row.sum_shared(&mut workers, team)?;
        }
        let share = small.len().div_ceil(4 * team.threads()).clamp(1, 64);
        let mut tasks = Vec::new();
        reserve_discarding(&mut tasks, small.len().div_ceil(share), WHAT)?;
        tasks.extend(small.chunks_mut(share).map(std::sync::Mutex::new));
        let count = tasks.len();
        team.run(&mut workers, count, |sums, task| {
            let mut rows = tasks[task].lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            rows.iter_mut().for_each(|row| row.sum(sums));
            Ok(())
        })
    }
}

/// A group, and where its sums go.
struct GroupSums<'a> {
    label: i32,
    members: &'a [i32],
    mass: &'a mut f64,
    radius: &'a mut f64,
    wide: &'a mut i32,
    center: &'a mut [f64],
    velocity: Option<&'a mut [f64]>,
}

impl GroupSums<'_> {
    fn sum<T: Real>(&mut self, sums: &mut Sums<T>) {
        sums.begin(self.label);
        sums.add(self.members);
        let mean = sums.mean();
        sums.add_squares(self.members, &mean);
        self.write(sums, &mean);
    }

    /// The same by all threads: exact sums may be merged in any order.
    fn sum_shared<T: Real>(&mut self, workers: &mut [Sums<T>], team: &Team) -> Result<()> {
        let (members, tasks) = (self.members, self.members.len().div_ceil(SHARE));
        let share = |task: usize| &members[task * SHARE..((task + 1) * SHARE).min(members.len())];
        workers.iter_mut().for_each(|sums| sums.begin(self.label));
        team.run(workers, tasks, |sums, task| {
            sums.add(share(task));
            Ok(())
        })?;
        let merge = |workers: &mut [Sums<T>]| {
            if let Some((first, others)) = workers.split_first_mut() {
                others.iter_mut().for_each(|sums| first.merge(sums));
            }
        };
        merge(workers);
        let mean = workers[0].mean();
        team.run(workers, tasks, |sums, task| {
            sums.add_squares(share(task), &mean);
            Ok(())
        })?;
        merge(workers);
        self.write(&mut workers[0], &mean);
        Ok(())
    }

    fn write<T: Real>(&mut self, sums: &mut Sums<T>, mean: &[f64; 3]) {
        *self.mass = sums.mass();
        *self.radius = sums.radius();
        *self.wide = sums.is_wide().into();
        sums.center(mean, self.center);
        if let Some(velocity) = &mut self.velocity {
            sums.velocity(velocity);
        }
    }
}
