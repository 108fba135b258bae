//! Answers, computed from the inputs of a handle.

use std::ops::Range;

use super::*;

impl Model {
    /// The rows of a kind, by the numbers of points or queries; what is in them, in order.
    pub fn rows(&self, kind: Kind) -> Vec<Vec<usize>> {
        in_precision!(self, T => self.rows_in::<T>(kind))
    }

    /// Cutoffs of rows of a kind. Where only queries have radii, they alone decide about their rows.
    pub fn reach<T: Real>(&self, kind: Kind) -> Reach<T> {
        let alone = (vec![0.0; self.n()], 0);
        let of_points = match (&self.radii, kind == Kind::Queries && self.query_radii.is_some()) {
            (Some((_, radii, rule)), _) => Some((radii, rule)),
            (None, true) => Some((&alone.0, &alone.1)),
            (None, false) => None,
        };
        match of_points {
            None if kind != Kind::Queries && self.type_cutoffs.is_some() && self.types.is_some() => {
                let (types, ntypes, _) = self.types.clone().unwrap_or_default();
                let (_, cutoffs) = self.type_cutoffs.clone().unwrap_or_default();
                Reach::Types(types, ntypes, cutoffs.into_iter().map(T::from_f64).collect())
            }
            None => Reach::Cutoff(T::from_f64(self.cutoff.unwrap_or(0.0))),
            Some((radii, rule)) => {
                let of_queries = self.query_radii.iter().flat_map(|(_, radii)| radii);
                let mut radii: Vec<T> = radii.iter().chain(of_queries).map(|&r| T::from_f64(r)).collect();
                radii.resize(self.n() + self.nqueries(), T::default());
                Reach::Radii(radii, *rule)
            }
        }
    }

    fn rows_in<T: Real>(&self, kind: Kind) -> Vec<Vec<usize>> {
        let (cloud, reach) = (self.cloud::<T>(), self.reach::<T>(kind));
        let n = self.n();
        let near = |i: usize, j: usize| cloud.is_near(&reach, self.exclusive, i, j);
        let lists = |i: usize, j: usize| match kind {
            _ if self.is_absent(j) || kind != Kind::Queries && self.is_absent(i) => false,
            Kind::Queries => true,
            Kind::Full => {
                let lists = match self.ghost_rows {
                    0 => self.is_active(i) || self.is_active(j),
                    1 => true,
                    _ => self.is_active(i),
                };
                i != j && lists && self.interact(i, j)
            }
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
        let candidates = cloud.candidates(&reach);
        rows.map(|i| {
            let mut row: Vec<usize> = candidates
                .of(&cloud, i)
                .filter(|&j| near(i, j) && lists(i, j))
                .collect();
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

    /// Ids, distances and counts of the k nearest.
    pub fn knn(&self, kind: i32, k: usize, measure: i32) -> (Vec<i32>, Vec<f64>, Vec<i32>) {
        in_precision!(self, T => self.knn_in::<T>(kind, k, measure))
    }

    fn knn_in<T: Real>(&self, kind: i32, k: usize, measure: i32) -> (Vec<i32>, Vec<f64>, Vec<i32>) {
        let cloud = self.cloud::<T>();
        let first = if kind == 2 { self.n() } else { 0 };
        let (mut ids, mut distances, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        let within = Reach::Cutoff(T::from_f64(self.knn_within));
        for i in first..first + self.knn_rows(kind) {
            let is_near = |j| self.knn_within == 0.0 || cloud.is_near(&within, self.exclusive, i, j);
            let row = cloud.nearest(i, k, |j| !(kind == 0 && j == i) && is_near(j), |j| self.rank(j));
            counts.push(row.len() as i32);
            for m in 0..k {
                ids.push(row.get(m).map_or(self.base as i32 - 1, |&(_, j)| self.number(j)));
                let d2 = row.get(m).map_or(T::INFINITY, |&(d2, _)| d2);
                distances.push(measured(measure, d2).to_f64());
            }
        }
        (ids, distances, counts)
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
        let mut members = vec![Vec::new(); n];
        labels.iter().enumerate().for_each(|(i, &label)| members[label].push(i));
        let size = |label: usize| members[label].len() as i64;
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
            let members = &members[label];
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
        self.held_of(0..self.n())
    }

    /// Those of points, or of queries after them.
    pub fn held_of(&self, range: Range<usize>) -> Vec<Vec<f64>> {
        in_precision!(self, T => {
            let cloud = self.cloud::<T>();
            let point = |i: usize| (0..cloud.dim).map(|axis| cloud.wrapped(i, axis).to_f64()).collect();
            range.map(point).collect()
        })
    }

    pub fn order(&self) -> Vec<i32> {
        let mut order = Vec::new();
        spatial_order(&self.held(), (0..self.n()).collect(), &mut order);
        order.iter().map(|&i| self.number(i)).collect()
    }
}

/// The number that is made of a distance squared.
fn measured<T: Real>(measure: i32, d2: T) -> T {
    match measure {
        0 => d2.sqrt(),
        1 => d2,
        _ => neargrid::oracle::radius_of(d2),
    }
}
