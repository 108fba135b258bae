//! The distance that points may move before something made with a skin may miss a neighbor. The layer across ranks uses this file as well.

/// Displacements of points since something was made with a skin, squared in a unit of their own.
#[derive(Clone, Copy, Debug)]
pub struct Drift {
    skin: f64,
    /// The change of the box that is taken off the skin.
    of_box: f64,
    /// Twice the largest displacement may be this.
    allowance: f64,
    unit: f64,
    per_unit: f64,
}

impl Drift {
    /// For numbers that rounding changes by at most `roundoff`, relative, and differences of coordinates that are wrong
    /// by at most `slack` besides; and for a periodic box whose edges have changed since by a vector of length `of_box`.
    ///
    /// The largest value of twice the displacement is the skin, less what rounding may add to the distances of two points then and
    /// now (each is wrong by some units of roundoff of itself, and by the slack), and to the displacement.
    ///
    /// The change of the box is taken off, too. Two points in reach now are `w_i - w_j + S*L` apart, and along each periodic axis
    /// `w = t + u - k*L` is where a point was then, with its displacement `u` and a whole number `k` of lengths. So they were
    /// `t_i - t_j + (S - k_i + k_j)*L'` apart, with the length `L'` of then: by `u_i - u_j` and a multiple of `L - L'` less. That
    /// multiple is -1, 0 or 1, because cutoff and skin together are at most half of `L'`, and `t` are in one box.
    pub fn new([cutoff, skin]: [f64; 2], roundoff: f64, slack: f64, of_box: f64) -> Drift {
        let unit = unit_of(skin);
        Drift {
            skin,
            of_box,
            allowance: skin - 32.0 * roundoff * (cutoff + skin) - 16.0 * slack - of_box,
            unit,
            per_unit: 1.0 / unit,
        }
    }

    /// The part that one axis has in the square of a displacement: from coordinate to coordinate, both wrapped, to the
    /// nearest image where the axis repeats after a `length`.
    #[inline(always)]
    pub fn square(&self, then: f64, now: f64, length: Option<f64>) -> f64 {
        let d = (now - then).abs();
        let d = length.map_or(d, |length| d.min((length - d).abs()));
        (d * self.per_unit) * (d * self.per_unit)
    }

    /// Whether all neighbors are still among those found, where this is the square of the largest displacement.
    pub fn is_allowed(&self, square: f64) -> bool {
        self.twice(square) <= self.allowance
    }

    /// Twice that displacement and the change of the box, divided by the skin.
    pub fn used(&self, square: f64) -> f64 {
        (self.twice(square) + self.of_box) / self.skin
    }

    fn twice(&self, square: f64) -> f64 {
        2.0 * (square.sqrt() * self.unit)
    }
}

/// The power of two that displacements are measured in, about as large as the skin: the square of one that matters then
/// does not vanish, and one whose square overflows is far beyond the skin.
fn unit_of(skin: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    const LEAST: f64 = f64::MIN_POSITIVE * (1u64 << 32) as f64;
    f64::from_bits(skin.to_bits() & EXPONENT).clamp(LEAST, 1.0 / LEAST)
}
