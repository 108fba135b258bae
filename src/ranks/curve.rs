//! Keys along a space-filling curve: points that are near each other on it are near each other in space.
//!
//! Hilbert's curve through the cells of a cube, made from coordinates bit by bit (Skilling 2004, "Programming the Hilbert
//! curve").

use super::boxes::Tight;

/// Bits of an axis, by their number: keys fit into 64.
const BITS: [u32; 3] = [62, 31, 21];

/// A cube around all points, cut into cells that the curve visits one by one.
#[derive(Clone, Copy, Debug)]
pub struct Curve {
    dim: usize,
    lo: [f64; 3],
    edge: f64,
}

impl Curve {
    /// The curve through the cube around `all`, in a number of dimensions.
    pub fn new(dim: usize, all: &Tight) -> Curve {
        let lo = all.lo.map(|c| 0.5 * c);
        let edges = (0..dim).map(|axis| 0.5 * all.hi[axis] - lo[axis]);
        let edge = edges.fold(0.0, f64::max);
        Curve { dim, lo, edge }
    }

    /// The place along the curve of a point of the cube. Coordinates are halved first: no edge is too long then.
    pub fn key(&self, at: &[f64; 3]) -> u64 {
        let bits = BITS[self.dim - 1];
        let mut cell = [0; 3];
        for (axis, cell) in cell.iter_mut().enumerate().take(self.dim) {
            let share = (0.5 * at[axis] - self.lo[axis]) / self.edge; // NaN where all are in one place
            *cell = ((share * (1u64 << bits) as f64) as u64).min((1 << bits) - 1);
        }
        hilbert(&mut cell[..self.dim], bits)
    }
}

/// The number of a cell along the curve; `cell` has as many coordinates as there are axes, of that many bits.
fn hilbert(cell: &mut [u64], bits: u32) -> u64 {
    if let [cell] = cell {
        return *cell;
    }
    let last = cell.len() - 1;
    for bit in (1..bits).rev() {
        let (here, below) = (1u64 << bit, (1u64 << bit) - 1);
        for axis in 0..=last {
            if cell[axis] & here != 0 {
                cell[0] ^= below;
            } else {
                let differ = (cell[0] ^ cell[axis]) & below;
                cell[0] ^= differ;
                cell[axis] ^= differ;
            }
        }
    }
    for axis in 1..=last {
        cell[axis] ^= cell[axis - 1];
    }
    let turned = (1..bits).filter(|bit| cell[last] >> bit & 1 != 0);
    let turn = turned.fold(0, |turn, bit| turn ^ ((1u64 << bit) - 1));
    let bit_of = |bit: u32| cell.iter().map(move |c| (c ^ turn) >> bit & 1);
    (0..bits).rev().flat_map(bit_of).fold(0, |key, bit| key << 1 | bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The curve visits every cell once, and goes from each to one that has a side in common with it.
    #[test]
    fn one_step_at_a_time() {
        for (dim, bits) in [(1usize, 5u32), (2, 1), (2, 5), (3, 1), (3, 4)] {
            let edge = 1u64 << bits;
            let cells = edge.pow(dim as u32);
            let mut visits = vec![None; cells as usize];
            for number in 0..cells {
                let cell: Vec<u64> = (0..dim as u32).map(|axis| number / edge.pow(axis) % edge).collect();
                let key = hilbert(&mut cell.clone(), bits) as usize;
                assert!(
                    visits[key].replace(cell).is_none(),
                    "{dim}D, {bits} bits: two cells at {key}"
                );
            }
            for pair in visits.windows(2) {
                let [a, b] = [0, 1].map(|k: usize| pair[k].as_ref().unwrap());
                let steps: u64 = a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).sum();
                assert_eq!(steps, 1, "{dim}D, {bits} bits: from {a:?} to {b:?}");
            }
        }
    }

    #[test]
    fn corners() {
        let all = Tight {
            lo: [-1e308, 0.0, 5.0],
            hi: [1e308, 1.0, 5.0],
        };
        let curve = Curve::new(3, &all);
        assert_eq!(curve.key(&all.lo), 0);
        assert_ne!(curve.key(&all.hi), 0);
        let line = Curve::new(1, &all);
        let keys: Vec<_> = [-1e308, -1e300, 0.0, 1e293, 1e308]
            .map(|x| line.key(&[x, 0.0, 0.0]))
            .to_vec();
        assert!(keys.is_sorted_by(|a, b| a < b) && keys[4] == (1 << 62) - 1, "{keys:?}");
        let place = Curve::new(2, &Tight::of([3.0; 3]));
        assert_eq!(place.key(&[3.0; 3]), 0);
    }
}
