//! Bins of squared distances. The bin of a square is found in a few steps, whatever the edges are.

use crate::error::Result;
use crate::list::{reserve_keeping, resize_discarding};
use crate::real::Real;

const WHAT: &str = "the bins of distance";

/// Parts of equal width from the first edge to the last.
const PARTS: usize = 1 << 11;

/// Squared edges of bins, in ascending order.
#[derive(Debug)]
pub struct Bins<T> {
    edges: Vec<T>,
    /// The number of edges before each part, and at last the number of all edges.
    before: Vec<u32>,
    first: f64,
    scale: f64,
}

impl<T: Real> Bins<T> {
    /// Makes the bins between `edges`, rounded to the precision and squared.
    pub fn new(edges: &[f64]) -> Result<Bins<T>> {
        let square = |&edge: &f64| T::from_f64(edge).mul(T::from_f64(edge));
        let mut bins = Bins {
            edges: Vec::new(),
            before: Vec::new(),
            first: edges.first().map_or(0.0, |edge| square(edge).to_f64()),
            scale: 0.0,
        };
        bins.scale = PARTS as f64 / (edges.last().map_or(0.0, |edge| square(edge).to_f64()) - bins.first);
        reserve_keeping(&mut bins.edges, edges.len(), WHAT)?;
        bins.edges.extend(edges.iter().map(square));
        resize_discarding(&mut bins.before, PARTS + 1, 0, WHAT)?;
        for k in 0..bins.edges.len() {
            let part = bins.part(bins.edges[k]);
            bins.before[part + 1] += 1;
        }
        for part in 0..PARTS {
            bins.before[part + 1] += bins.before[part];
        }
        Ok(bins)
    }

    /// The part of a square. Every step is monotone, so edges in earlier parts are smaller than the square, and edges in later
    /// parts are greater.
    #[inline(always)]
    fn part(&self, square: T) -> usize {
        (((square.to_f64() - self.first) * self.scale) as usize).min(PARTS - 1)
    }

    /// The bin of a square: it includes its lower edge and excludes its upper one. `None` if no bin has the square.
    #[inline(always)]
    pub fn of(&self, square: T) -> Option<usize> {
        let part = self.part(square);
        let (from, to) = (self.before[part] as usize, self.before[part + 1] as usize);
        let among = self.edges.get(from..to).unwrap_or_default();
        let bin = (from + among.partition_point(|&edge| edge <= square)).checked_sub(1)?;
        (bin + 1 < self.edges.len()).then_some(bin)
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
        let mut random = Random(7);
        let last = edges[edges.len() - 1];
        let others = (0..1000).map(|_| T::from_f64(1.1 * (last * random.uniform()).powi(2)));
        let beside = squares.iter().flat_map(|e| [*e, e.next_up(), e.next_down()]);
        for square in beside.chain(others).chain([T::default()]) {
            let found = squares.partition_point(|&edge| edge <= square);
            let truth = (found > 0 && found < squares.len()).then(|| found - 1);
            assert_eq!(bins.of(square), truth, "{square:?} among {edges:?}");
        }
    }

    #[test]
    fn agrees_with_a_search_among_all_edges() {
        let even: Vec<f64> = (0..=100).map(|k| 0.37 * f64::from(k) / 100.0).collect();
        let far: Vec<f64> = (0..=40).map(|k| 1e8 + f64::from(k) * 20.0).collect();
        let powers: Vec<f64> = (0..40).map(|k| 10f64.powi(k / 2 - 18) * f64::from(1 + k % 2)).collect();
        for edges in [
            &even[..],
            &far,
            &powers,
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
