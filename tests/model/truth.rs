//! Answers from scratch, as simple and slow as possible: plain loops over the oracle's distances.

use neargrid::{PointsView, Real, oracle};

/// A cutoff for all, or one for each two points.
#[derive(Clone, Debug)]
pub enum Reach<T> {
    Cutoff(T),
    /// The type of each point, how many types there are, and a cutoff for each two of them.
    Types(Vec<usize>, usize, Vec<T>),
    /// Radii of points and of queries after them, and the number of the rule.
    Radii(Vec<T>, i32),
}

impl<T: Real> Reach<T> {
    /// The cutoff of point `j` and of `i`, whose row it is.
    pub fn cutoff(&self, i: usize, j: usize) -> T {
        match self {
            Reach::Cutoff(cutoff) => *cutoff,
            Reach::Types(types, ntypes, cutoffs) => cutoffs[types[i] * ntypes + types[j]],
            Reach::Radii(radii, rule) => cutoff_of(*rule, radii[i], radii[j]),
        }
    }

    /// Whether a distance squared of two points is within their cutoff.
    pub fn holds(&self, exclusive: bool, (i, j): (usize, usize), d2: T) -> bool {
        let cutoff = self.cutoff(i, j);
        let c2 = cutoff.mul(cutoff);
        if exclusive { d2 < c2 } else { d2 <= c2 }
    }
}

/// The cutoff of two radii, the first of them the row's, by the number of a rule.
pub fn cutoff_of<T: Real>(rule: i32, mine: T, other: T) -> T {
    match rule {
        0 => mine,
        1 => other,
        2 => [mine, other][usize::from(other > mine)],
        3 => [mine, other][usize::from(other < mine)],
        _ => T::from_f64(0.5).mul(mine.add(other)),
    }
}

/// Points, queries after them, and the box.
#[derive(Clone, Debug)]
pub struct Cloud<T> {
    pub dim: usize,
    pub n: usize,
    /// Point after point, wrapped.
    coords: Vec<T>,
    /// Lower corner and length, and half of that.
    periods: [Option<[T; 3]>; 3],
}

impl<T: Real> Cloud<T> {
    pub fn new(dim: usize, coords: Vec<T>, n: usize, periods: [Option<[T; 2]>; 3]) -> Cloud<T> {
        let wrap = |(k, &c): (usize, &T)| periods[k % dim].map_or(c, |[lo, length]| oracle::wrapped(c, lo, length));
        let with_half = |[lo, length]: [T; 2]| [lo, length, length.mul(T::from_f64(0.5))];
        let cloud = Cloud {
            dim,
            n,
            coords: coords.iter().enumerate().map(wrap).collect(),
            periods: periods.map(|period| period.map(with_half)),
        };
        // The arithmetic is the oracle's, here on coordinates that were wrapped once.
        let (view, last) = (
            PointsView::interleaved(dim, &coords).unwrap(),
            cloud.everyone().saturating_sub(1),
        );
        for i in (0..cloud.everyone()).step_by(37) {
            let truth = oracle::distance2_in(&view, &periods, i, last);
            assert_eq!(cloud.distance2(i, last).to_f64().to_bits(), truth.to_f64().to_bits());
        }
        cloud
    }

    /// Points and queries.
    pub fn everyone(&self) -> usize {
        self.coords.len() / self.dim
    }

    pub fn wrapped(&self, i: usize, axis: usize) -> T {
        self.coords[i * self.dim + axis]
    }

    /// The displacement of `i` and `j` along an axis, to the nearest image.
    pub fn displacement(&self, i: usize, j: usize, axis: usize) -> T {
        let d = self.wrapped(i, axis).sub(self.wrapped(j, axis));
        match self.periods[axis] {
            Some([_, length, half]) if d > half => d.sub(length),
            Some([_, length, half]) if d < T::default().sub(half) => d.add(length),
            _ => d,
        }
    }

    pub fn distance2(&self, i: usize, j: usize) -> T {
        let d = |axis: usize| self.displacement(i, j, axis);
        (1..self.dim).fold(d(0).mul(d(0)), |sum, axis| sum.add(d(axis).mul(d(axis))))
    }

    /// Whether point `j` is in reach of `i`, a point or a query, whose row it is.
    pub fn is_near(&self, reach: &Reach<T>, exclusive: bool, i: usize, j: usize) -> bool {
        reach.holds(exclusive, (i, j), self.distance2(i, j))
    }

    /// The k nearest of `i` among the points that are `near`: by distance squared, then by rank.
    pub fn nearest(
        &self,
        i: usize,
        k: usize,
        near: impl Fn(usize) -> bool,
        rank: impl Fn(usize) -> (i64, usize),
    ) -> Vec<(T, usize)> {
        let others = (0..self.n).filter(|&j| near(j));
        let mut row: Vec<_> = others.map(|j| (self.distance2(i, j), j)).collect();
        row.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap().then(rank(a.1).cmp(&rank(b.1))));
        row.truncate(k);
        row
    }

    /// The group of each point, by the number of its member of the smallest rank. `links`: which points link; the others attach
    /// to the nearest that does.
    pub fn groups(
        &self,
        reach: &Reach<T>,
        exclusive: bool,
        links: impl Fn(usize) -> bool,
        rank: impl Fn(usize) -> (i64, usize),
    ) -> Vec<usize> {
        let mut group: Vec<usize> = (0..self.n).collect();
        let mut open: Vec<usize> = Vec::new();
        let mut seen = vec![false; self.n];
        for first in (0..self.n).filter(|&i| links(i)) {
            if !std::mem::replace(&mut seen[first], true) {
                open.push(first);
            }
            while let Some(i) = open.pop() {
                group[i] = first;
                for (j, seen) in seen.iter_mut().enumerate() {
                    if !*seen && links(j) && self.is_near(reach, exclusive, i, j) {
                        *seen = true;
                        open.push(j);
                    }
                }
            }
        }
        for i in (0..self.n).filter(|&i| !links(i)) {
            let near = (0..self.n).filter(|&j| links(j) && self.is_near(reach, exclusive, i, j));
            let d2 = |j: usize| self.distance2(i, j);
            let nearest = near.min_by(|&a, &b| d2(a).partial_cmp(&d2(b)).unwrap().then(rank(a).cmp(&rank(b))));
            if let Some(j) = nearest {
                group[i] = group[j];
            }
        }
        let mut label: Vec<Option<usize>> = vec![None; self.n];
        for i in 0..self.n {
            let best = &mut label[group[i]];
            if best.is_none_or(|b| rank(i) < rank(b)) {
                *best = Some(i);
            }
        }
        group.iter().map(|&g| label[g].unwrap()).collect()
    }
}

/// A sum that is rounded once (Shewchuk 1997, as Python's `fsum`); `None` where it leaves the range in which that is exact.
pub fn exact_sum(terms: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let mut partials: Vec<f64> = Vec::new();
    for (a, b) in terms {
        let product = a * b;
        let rest = a.mul_add(b, -product);
        let in_range = product == 0.0 && (a == 0.0 || b == 0.0) || (1e-200..1e200).contains(&product.abs());
        if !in_range {
            return None;
        }
        for mut x in [product, rest] {
            let mut kept = 0;
            for k in 0..partials.len() {
                let mut y = partials[k];
                if x.abs() < y.abs() {
                    std::mem::swap(&mut x, &mut y);
                }
                let sum = x + y;
                let low = y - (sum - x);
                if low != 0.0 {
                    partials[kept] = low;
                    kept += 1;
                }
                x = sum;
            }
            partials.truncate(kept);
            partials.push(x);
        }
    }
    // Partials do not overlap: the sum of the largest ones, rounded half to even by what is below.
    let mut high = partials.pop().unwrap_or(0.0);
    let mut low = 0.0;
    while let Some(next) = partials.pop() {
        let sum = high + next;
        low = next - (sum - high);
        high = sum;
        if low != 0.0 {
            break;
        }
    }
    if let Some(&below) = partials.last()
        && (low < 0.0 && below < 0.0 || low > 0.0 && below > 0.0)
    {
        let twice = low * 2.0;
        let sum = high + twice;
        if twice == sum - high {
            high = sum;
        }
    }
    Some(high)
}
