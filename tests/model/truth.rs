//! Answers from scratch, as simple and slow as possible: plain loops over the oracle's distances. Among many points the loops leave
//! out those that are too far along one axis.

use std::sync::atomic::{AtomicU64, Ordering};

use neargrid::{PointsView, Real, oracle};

/// Calls that were begun, and rows that the model has looked at, in this process: who waits for an answer sees that it goes on.
pub static PROGRESS: AtomicU64 = AtomicU64::new(0);

/// Among fewer points all are looked at.
const MANY: usize = 100;

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

    /// No cutoff of two points is larger.
    fn largest(&self) -> f64 {
        let largest = |all: &[T]| all.iter().map(|cutoff| cutoff.to_f64()).fold(0.0, f64::max);
        match self {
            Reach::Cutoff(cutoff) => cutoff.to_f64(),
            Reach::Types(_, _, cutoffs) => largest(cutoffs),
            Reach::Radii(radii, _) => largest(radii),
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

/// The points that may be in reach of a point or a query.
pub struct Candidates {
    /// The points by their places along an axis; few points have none.
    by_place: Option<Vec<(f64, usize)>>,
    axis: usize,
    length: Option<f64>,
    reach: f64,
    n: usize,
}

impl Candidates {
    /// Those of `i`, in any order.
    pub fn of<T: Real>(&self, cloud: &Cloud<T>, i: usize) -> impl Iterator<Item = usize> + use<'_, T> {
        PROGRESS.fetch_add(1, Ordering::Relaxed);
        let by_place = self.by_place.as_deref().unwrap_or_default();
        let place = match self.by_place {
            Some(_) => cloud.wrapped(i, self.axis).to_f64(),
            None => 0.0,
        };
        // Rounding of distances is a small part of this. Squares of differences below the root of the smallest number are 0.
        let length = self.length.unwrap_or(f64::INFINITY);
        let vanishes = if size_of::<T>() == 4 { 1e-22 } else { 1e-161 };
        let width = 1.001 * self.reach + 1e-9 * (place.abs() + self.length.unwrap_or(0.0)) + vanishes;
        let first_from = |least: f64| by_place.partition_point(|&(other, _)| other < least);
        let ranges = match 2.0 * width < length {
            true => [
                0..first_from(place + width - length),
                first_from(place - width)..by_place.partition_point(|&(other, _)| other <= place + width),
                first_from(place + length - width)..by_place.len(),
            ],
            false => [0..0, 0..by_place.len(), 0..0],
        };
        let all = if self.by_place.is_none() { 0..self.n } else { 0..0 };
        let near = ranges.into_iter().flat_map(move |range| &by_place[range]);
        near.map(|&(_, j)| j).chain(all)
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

    /// The points that may be in a reach of points and queries.
    pub fn candidates(&self, reach: &Reach<T>) -> Candidates {
        let places = |axis: usize| (0..self.n).map(move |j| self.wrapped(j, axis).to_f64());
        let extent =
            |axis: usize| places(axis).fold(f64::NEG_INFINITY, f64::max) - places(axis).fold(f64::INFINITY, f64::min);
        let (mut axis, mut by_place) = (0, None);
        if self.n >= MANY {
            axis = (1..self.dim).fold(0, |best, axis| if extent(axis) > extent(best) { axis } else { best });
            let mut sorted: Vec<_> = places(axis).zip(0..).collect();
            sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
            by_place = Some(sorted);
        }
        Candidates {
            by_place,
            axis,
            length: self.periods[axis].map(|[_, length, _]| length.to_f64()),
            reach: reach.largest(),
            n: self.n,
        }
    }

    /// The k nearest of `i` among the points that are `near`: by distance squared, then by rank.
    pub fn nearest(
        &self,
        i: usize,
        k: usize,
        near: impl Fn(usize) -> bool,
        rank: impl Fn(usize) -> (i64, usize),
    ) -> Vec<(T, usize)> {
        PROGRESS.fetch_add(1, Ordering::Relaxed);
        let others = (0..self.n).filter(|&j| near(j));
        let mut row: Vec<_> = others.map(|j| (self.distance2(i, j), j)).collect();
        let order = |a: &(T, usize), b: &(T, usize)| a.0.partial_cmp(&b.0).unwrap().then(rank(a.1).cmp(&rank(b.1)));
        if k < row.len() {
            row.select_nth_unstable_by(k, order);
            row.truncate(k);
        }
        row.sort_unstable_by(order);
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
        let candidates = self.candidates(reach);
        for first in (0..self.n).filter(|&i| links(i)) {
            if !std::mem::replace(&mut seen[first], true) {
                open.push(first);
            }
            while let Some(i) = open.pop() {
                group[i] = first;
                for j in candidates.of(self, i) {
                    if !seen[j] && links(j) && self.is_near(reach, exclusive, i, j) {
                        seen[j] = true;
                        open.push(j);
                    }
                }
            }
        }
        for i in (0..self.n).filter(|&i| !links(i)) {
            let near = candidates
                .of(self, i)
                .filter(|&j| links(j) && self.is_near(reach, exclusive, i, j));
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

/// A sum of products in fixed point: the terms above 0 and those below in two numbers of many digits, which carry as on paper.
#[derive(Clone)]
pub struct Exact {
    /// Of 32 bits, the least first; the lowest bit of the first is 2^-2148, which is that of the smallest product.
    sides: [Vec<u32>; 2],
}

impl Default for Exact {
    fn default() -> Exact {
        Exact {
            sides: [vec![0; 136], vec![0; 136]],
        }
    }
}

impl Exact {
    pub fn add_product(&mut self, x: f64, y: f64) {
        // A number is its digits times 2^(place - 1074).
        let parts = |number: f64| {
            let (bits, exponent) = (number.to_bits(), (number.to_bits() >> 52 & 0x7ff) as usize);
            let digits = bits & ((1 << 52) - 1) | u64::from(exponent > 0) << 52;
            (u128::from(digits), exponent.saturating_sub(1))
        };
        let ((a, first), (b, second)) = (parts(x), parts(y));
        let (product, place) = (a * b, first + second);
        let side = &mut self.sides[usize::from(x.is_sign_negative() != y.is_sign_negative())];
        // Its 106 bits, moved by less than 32, are five digits.
        let (mut at, mut carry) = (place / 32, 0u64);
        for k in 0..5 {
            let digit = match (32 * k) as u32 {
                0 => product << (place % 32),
                above => product.checked_shr(above - place as u32 % 32).unwrap_or(0),
            };
            carry += u64::from(side[at]) + u64::from(digit as u32);
            (side[at], carry) = (carry as u32, carry >> 32);
            at += 1;
        }
        while carry > 0 {
            carry += u64::from(side[at]);
            (side[at], carry) = (carry as u32, carry >> 32);
            at += 1;
        }
    }

    pub fn merge(&mut self, other: &Exact) {
        for (side, other) in self.sides.iter_mut().zip(&other.sides) {
            let mut carry = 0u64;
            for (digit, &more) in side.iter_mut().zip(other) {
                carry += u64::from(*digit) + u64::from(more);
                (*digit, carry) = (carry as u32, carry >> 32);
            }
        }
    }

    /// The nearest real64, of two that are as near the even one.
    pub fn rounded(&self) -> f64 {
        let [above, below] = &self.sides;
        let is_negative = below.iter().rev().gt(above.iter().rev());
        let (large, small) = if is_negative { (below, above) } else { (above, below) };
        let (mut rest, mut borrow) = (Vec::new(), 0i64);
        for (&a, &b) in large.iter().zip(small) {
            let digit = i64::from(a) - i64::from(b) - borrow;
            borrow = i64::from(digit < 0);
            rest.push(digit as u32);
        }
        let bit = |k: usize| rest[k / 32] >> (k % 32) & 1 == 1;
        let Some(top) = (0..32 * rest.len()).rev().find(|&k| bit(k)) else {
            return 0.0;
        };
        // Bit 1074 is the last of a real64.
        let last = top.saturating_sub(52).max(1074);
        let mut kept = (last..=top).rev().fold(0u64, |kept, k| kept << 1 | u64::from(bit(k)));
        let is_half = bit(last - 1);
        let is_more = (0..last - 1).any(bit);
        kept += u64::from(is_half && (is_more || kept & 1 == 1));
        let power = 2f64.powi(((last - 1074) / 2) as i32);
        let size = kept as f64 * f64::from_bits(1) * power * 2f64.powi((last - 1074 - (last - 1074) / 2) as i32);
        if is_negative { -size } else { size }
    }
}
