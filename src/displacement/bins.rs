//! Bins of squared distances. The bin of a square is found in a few steps, whatever the edges are.

use crate::error::Result;
use crate::list::{reserve_keeping, resize_discarding};
use crate::real::Real;

const WHAT: &str = "the bins of distance";

/// Parts of equal width from the first edge to the last, for each edge. Most parts then have at most one edge.
const PARTS_FOR_EACH: usize = 8;
const PARTS_AT_LEAST: usize = 1 << 10;
const PARTS_AT_MOST: usize = 1 << 16;

/// Squares whose parts are found at once.
const AT_ONCE: usize = 64;

/// Squared edges of bins, in ascending order.
#[derive(Debug)]
pub struct Bins<T> {
    edges: Vec<T>,
    parts: Vec<Part<T>>,
    first: f64,
    scale: f64,
}

/// Edges in a part.
#[derive(Clone, Copy, Debug, Default)]
struct Part<T> {
    /// The edge in it, where there is one; infinite where there is none.
    edge: T,
    /// Edges in parts before it. Where it has several, [`SEVERAL`] more: no counter has such a number.
    before: u32,
    len: u32,
}

const SEVERAL: u32 = 1 << 31;

impl<T: Real> Bins<T> {
    /// Makes the bins between `edges`, rounded to the precision and squared.
    pub fn new(edges: &[f64]) -> Result<Bins<T>> {
        let square = |&edge: &f64| T::from_f64(edge).mul(T::from_f64(edge));
        let number = edges.len().saturating_mul(PARTS_FOR_EACH);
        let number = number.clamp(PARTS_AT_LEAST, PARTS_AT_MOST);
        let mut bins = Bins {
            edges: Vec::new(),
            parts: Vec::new(),
            first: edges.first().map_or(0.0, |edge| square(edge).to_f64()),
            scale: 0.0,
        };
        bins.scale = number as f64 / (edges.last().map_or(0.0, |edge| square(edge).to_f64()) - bins.first);
        reserve_keeping(&mut bins.edges, edges.len(), WHAT)?;
        bins.edges.extend(edges.iter().map(square));
        let none = Part {
            edge: T::INFINITY,
            ..Part::default()
        };
        resize_discarding(&mut bins.parts, number, none, WHAT)?;
        for &edge in &bins.edges {
            let at = bins.part(edge);
            let part = &mut bins.parts[at];
            if part.len == 0 {
                part.edge = edge;
            }
            part.len += 1;
        }
        let mut before = 0;
        for part in &mut bins.parts {
            part.before = before + if part.len > 1 { SEVERAL } else { 0 };
            before += part.len;
        }
        Ok(bins)
    }

    /// Counters that [`count`](Bins::count) needs, all 0: one of squares below the first edge, one of each bin, and one of
    /// squares from the last edge on.
    pub fn counters(&self) -> Result<Vec<i64>> {
        let mut counters = Vec::new();
        resize_discarding(&mut counters, self.edges.len() + 1, 0, WHAT)?;
        Ok(counters)
    }

    /// The counters of the bins.
    pub fn of_bins<'c>(&self, counters: &'c [i64]) -> &'c [i64] {
        &counters[1..self.edges.len().max(1)]
    }

    /// The part of a square. Every step is monotone, so edges in earlier parts are smaller than the square, and edges in later
    /// parts are greater.
    #[inline(always)]
    fn part(&self, square: T) -> usize {
        let part = ((square.to_f64() - self.first) * self.scale) as i32;
        part.clamp(0, self.parts.len() as i32 - 1) as usize
    }

    /// The number of edges that are at most a square, which is in a part that has several.
    #[inline(never)]
    fn among_several(&self, square: T) -> usize {
        let Part { before, len, .. } = self.parts[self.part(square)];
        let before = (before - SEVERAL) as usize;
        before + self.edges[before..before + len as usize].partition_point(|&edge| edge <= square)
    }

    /// Counts squares: one more for each in the counter of its bin, which has those from one edge on and below the next.
    #[inline(always)]
    pub fn count(&self, squares: &[T], counters: &mut [i64]) {
        let mut parts = [0; AT_ONCE];
        for squares in squares.chunks(AT_ONCE) {
            // All parts first: vectors do that.
            (parts.iter_mut().zip(squares)).for_each(|(part, &square)| *part = self.part(square) as u32);
            for (&square, &part) in squares.iter().zip(&parts) {
                let Part { edge, before, .. } = self.parts[part as usize];
                let at = before as usize + usize::from(edge <= square);
                match counters.get_mut(at) {
                    Some(counter) => *counter += 1,
                    None => counters[self.among_several(square)] += 1,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Compares with a search among all edges: squares at edges, next to edges and elsewhere have the same bins.
    fn check<T: Real>(edges: &[f64]) {
        let bins = Bins::<T>::new(edges).unwrap();
        let squares: Vec<T> = edges.iter().map(|&e| T::from_f64(e).mul(T::from_f64(e))).collect();
        let (mut random, mut all) = (Random(7), Vec::new());
        let last = edges[edges.len() - 1];
        let others = (0..1000).map(|_| T::from_f64(1.1 * (last * random.uniform()).powi(2)));
        let beside = squares.iter().flat_map(|e| [*e, e.next_up(), e.next_down()]);
        for square in beside.chain(others).chain([T::default()]) {
            let found = squares.partition_point(|&edge| edge <= square);
            let mut counters = bins.counters().unwrap();
            bins.count(&[square], &mut counters);
            assert_eq!(counters[found], 1, "{square:?} among {edges:?}");
            all.push(square);
        }
        let (mut counters, mut truth) = (bins.counters().unwrap(), vec![0; edges.len() - 1]);
        bins.count(&all, &mut counters);
        for square in all {
            let found = squares.partition_point(|&edge| edge <= square);
            if found > 0 && found < squares.len() {
                truth[found - 1] += 1;
            }
        }
        assert_eq!(bins.of_bins(&counters), truth, "{edges:?}");
    }

    #[test]
    fn agrees_with_a_search_among_all_edges() {
        let even: Vec<f64> = (0..=100).map(|k| 0.37 * f64::from(k) / 100.0).collect();
        let far: Vec<f64> = (0..=40).map(|k| 1e8 + f64::from(k) * 20.0).collect();
        let many: Vec<f64> = (0..=9000).map(|k| 2.5 * f64::from(k) / 9000.0).collect();
        let crowded: Vec<f64> = (0..=300).map(|k| 1e-5 * f64::from(k)).chain([7.0, 1e3]).collect();
        let tiny: Vec<f64> = (0..=10).map(|k| 1e-160 * f64::from(k)).collect();
        let powers: Vec<f64> = (0..40).map(|k| 10f64.powi(k / 2 - 18) * f64::from(1 + k % 2)).collect();
        for edges in [
            &even[..],
            &far,
            &powers,
            &many,
            &crowded,
            &tiny,
            &[0.0],
            &[0.5],
            &[0.0, 1.0],
            &[1e-15, 1e-14, 9e18],
        ] {
            check::<f64>(edges);
            check::<f32>(edges);
        }
    }
}
