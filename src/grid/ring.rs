//! A periodic axis of cells: which cells are beside others, and how far images are moved.

use std::ops::Range;

use super::place::FINE_BITS;

/// The cells of a periodic axis, from 0.
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    /// The axis' length in fine units, rounded.
    pub period: i64,
    /// Cells; the last ends where the axis does.
    pub cells: i64,
    /// Units of the others, as a power of two.
    bits: u32,
    /// 1 where the last cell is narrower than a cutoff; a point that reaches it may reach the one after it too.
    narrow: i64,
}

/// Ranges of cells, some of which may be empty, and how far each is moved, in fine units.
pub type Parts = [(Range<i64>, i64); 3];

impl Ring {
    /// The ring of an axis of `length`, with `scale` fine units to a unit length, in cells of `2^bits` units; a cutoff,
    /// with all that rounding may add, takes `cutoff` fine units.
    pub fn new(length: f64, scale: f64, bits: u32, cutoff: f64) -> Ring {
        let (period, shift) = ((length * scale).round() as i64, bits + FINE_BITS);
        let cells = ((period - 1).max(0) >> shift) + 1;
        let last = period - ((cells - 1) << shift);
        Ring {
            period,
            cells,
            bits,
            narrow: i64::from((last as f64) < cutoff + 2.0),
        }
    }

    /// The lower edge of a cell in units; after the last cell, the first unit that no point is in. The unit before may
    /// also hold images of points on the lower face.
    #[inline]
    pub fn edge(&self, cell: i64) -> i64 {
        if cell < self.cells {
            cell << self.bits
        } else {
            ((self.period - 1) >> FINE_BITS) + 1
        }
    }

    /// The most cells that have no cell around them twice.
    pub fn widest(&self) -> i64 {
        self.cells - 2 - self.narrow
    }

    /// Cells `lo .. hi` and those in reach of them, as images where the axis ends.
    #[inline]
    pub fn around(&self, lo: i64, hi: i64) -> Parts {
        let inside = (lo - 1).max(0)..(hi + 1).min(self.cells);
        let before = if lo == 0 {
            (self.cells - 1 - self.narrow).max(0)..self.cells
        } else {
            0..0
        };
        let behind = 0..i64::from(hi + self.narrow >= self.cells);
        [(before, -self.period), (inside, 0), (behind, self.period)]
    }

    /// The same, no cell twice.
    pub fn around_once(&self, lo: i64, hi: i64) -> [Range<i64>; 3] {
        if hi - lo > self.widest() {
            return [0..0, 0..self.cells, 0..0];
        }
        self.around(lo, hi).map(|part| part.0)
    }
}

/// The cells of an open axis with `cells` of them.
#[inline]
pub fn around_open(cells: i64, lo: i64, hi: i64) -> Parts {
    [(0..0, 0), ((lo - 1).max(0)..(hi + 1).min(cells), 0), (0..0, 0)]
}

/// Calls `action` with the cells along x, those along y and z, and how far all are moved, for each row of the parts.
#[inline(always)]
pub fn each_part([xs, ys, zs]: &[Parts; 3], mut action: impl FnMut(Range<i64>, [i64; 2], [i64; 3])) {
    for (zs, dz) in zs {
        for z in zs.clone() {
            for (ys, dy) in ys {
                for y in ys.clone() {
                    for (xs, dx) in xs.iter().filter(|(xs, _)| !xs.is_empty()) {
                        action(xs.clone(), [y, z], [*dx, *dy, *dz]);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is in reach of a place is in the cells around its cell, moved to where it is reached, and no cell is
    /// there twice.
    #[test]
    fn around_holds_all_in_reach() {
        let bits = 4;
        let fine = f64::from(1u32 << (bits + FINE_BITS));
        for cutoffs in [2.0, 2.2, 3.0, 3.9, 4.0, 4.1, 5.5, 9.0, 9.99, 16.001] {
            for per_cell in [1.0, 2.0] {
                let cutoff = fine / per_cell;
                let ring = Ring::new(cutoffs * cutoff, 1.0, bits, cutoff);
                let cell_of = |at: i64| at.rem_euclid(ring.period) >> (bits + FINE_BITS);
                for lo in 0..ring.cells {
                    for hi in lo + 1..=ring.cells {
                        let once: Vec<i64> = ring.around_once(lo, hi).into_iter().flatten().collect();
                        let mut sorted = once.clone();
                        sorted.sort_unstable();
                        sorted.dedup();
                        assert_eq!(sorted.len(), once.len(), "{ring:?} {lo} {hi}");
                        let from = (lo << (bits + FINE_BITS)) - cutoff as i64;
                        let to = (hi << (bits + FINE_BITS)).min(ring.period) + cutoff as i64;
                        for at in (from..to).step_by(7).chain([to - 1]) {
                            assert!(once.contains(&cell_of(at)), "{ring:?} {lo} {hi}: {at}");
                            let reached = |(cells, moved): &(Range<i64>, i64)| {
                                cells.contains(&cell_of(at)) && at - moved == at.rem_euclid(ring.period)
                            };
                            assert!(hi - lo > ring.widest() || ring.around(lo, hi).iter().any(reached));
                        }
                    }
                }
            }
        }
    }
}
