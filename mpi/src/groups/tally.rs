//! Sums over members of one group, as the core's catalogue has them: the same terms, so the same bits.

use crate::core::Sum;
use crate::error::{Result, reserve};
use crate::mail::Reader;
use crate::points::{Domain, Real};

/// Terms that are summed in one call of the core.
const CHUNK: usize = 128;

/// Periodic axes, in real64: where they begin and how long they are.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub dim: usize,
    pub periods: [Option<[f64; 2]>; 3],
}

/// Sums about a group's label: which members of a rank there are, and what they have.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub size: u64,
    mass: Sum,
    positions: [Sum; 3],
    momenta: [Sum; 3],
    lowest: [f64; 3],
    highest: [f64; 3],
}

/// A group that is large enough.
#[derive(Clone, Debug)]
pub struct Made {
    pub label: i64,
    pub size: u64,
    pub mass: f64,
    /// The displacement of the center from the label.
    pub mean: [f64; 3],
    pub center: [f64; 3],
    pub velocity: [f64; 3],
    pub radius: f64,
    pub wide: bool,
}

/// A point of a group: where it is from the label, its mass and velocity.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub off: [f64; 3],
    pub mass: f64,
    pub velocity: [f64; 3],
}

impl Frame {
    pub fn new<T: Real>(dim: usize, domain: &Domain) -> Frame {
        let period = |axis: usize| {
            let repeats = axis < dim && domain.periodic.get(axis).copied().unwrap_or(false);
            repeats.then(|| [domain.lo[axis], domain.length[axis]].map(|value| T::from_f64(value).to_f64()))
        };
        Frame {
            dim,
            periods: std::array::from_fn(period),
        }
    }

    /// A point as the core has it, wrapped in the precision it was given in.
    pub fn wrap<T: Real>(&self, at: impl IntoIterator<Item = T>) -> [f64; 3] {
        let mut wrapped = [0.0; 3];
        for ((wrapped, at), period) in wrapped.iter_mut().zip(at).zip(&self.periods) {
            *wrapped = match period {
                Some([lo, length]) => at.wrap(T::from_f64(*lo), T::from_f64(*length)).to_f64(),
                None => at.to_f64(),
            };
        }
        wrapped
    }

    /// The displacement of a point from another, to the nearest image; of two equally near ones as it is.
    pub fn difference(&self, a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| {
            let d = a[axis] - b[axis];
            match self.periods[axis] {
                Some([_, length]) if d > 0.5 * length => d - length,
                Some([_, length]) if d < -0.5 * length => d + length,
                _ => d,
            }
        })
    }

    /// A center, `mean` from the label at `origin`, wrapped as points are, in real64.
    fn center(&self, origin: &[f64; 3], mean: &[f64; 3]) -> [f64; 3] {
        self.wrap([0, 1, 2].map(|axis| origin[axis] + mean[axis]))
    }
}

impl Tally {
    /// Over some members.
    pub fn of(members: impl Iterator<Item = Member>, dim: usize, moving: bool) -> Result<Tally> {
        let (mut tally, mut members) = (Tally::default(), members.fuse());
        loop {
            let mut count = 0;
            let (mut masses, mut columns) = ([0.0; CHUNK], [[0.0; CHUNK]; 6]);
            for member in members.by_ref().take(CHUNK) {
                masses[count] = member.mass;
                for axis in 0..dim {
                    (columns[axis][count], columns[axis + 3][count]) = (member.off[axis], member.velocity[axis]);
                    tally.lowest[axis] = tally.lowest[axis].min(member.off[axis]);
                    tally.highest[axis] = tally.highest[axis].max(member.off[axis]);
                }
                count += 1;
            }
            if count == 0 {
                return Ok(tally);
            }
            tally.size += count as u64;
            let masses = &masses[..count];
            tally.mass.add(masses)?;
            for axis in 0..dim {
                tally.positions[axis].add_products(masses, &columns[axis][..count])?;
                if moving {
                    tally.momenta[axis].add_products(masses, &columns[axis + 3][..count])?;
                }
            }
        }
    }

    /// The sums that travel.
    fn sums(&self, dim: usize, moving: bool) -> impl Iterator<Item = &Sum> {
        let momenta = &self.momenta[..if moving { dim } else { 0 }];
        std::iter::once(&self.mass).chain(&self.positions[..dim]).chain(momenta)
    }

    pub fn write(&self, dim: usize, moving: bool, bytes: &mut Vec<u8>) -> Result<()> {
        reserve(bytes, 56, super::WHAT)?;
        bytes.extend_from_slice(&self.size.to_ne_bytes());
        bytes.extend_from_slice(bytemuck::bytes_of(&[self.lowest, self.highest]));
        self.sums(dim, moving).try_for_each(|sum| write_sum(sum, bytes))
    }

    pub fn read(reader: &mut Reader, dim: usize, moving: bool) -> Tally {
        let size = reader.one();
        let [lowest, highest] = reader.one();
        let mut tally = Tally {
            size,
            lowest,
            highest,
            mass: read_sum(reader),
            ..Tally::default()
        };
        tally.positions[..dim]
            .iter_mut()
            .for_each(|sum| *sum = read_sum(reader));
        let momenta = &mut tally.momenta[..if moving { dim } else { 0 }];
        momenta.iter_mut().for_each(|sum| *sum = read_sum(reader));
        tally
    }

    pub fn merge(&mut self, other: &Tally) -> Result<()> {
        self.size += other.size;
        self.mass.merge(&other.mass)?;
        for axis in 0..3 {
            self.positions[axis].merge(&other.positions[axis])?;
            self.momenta[axis].merge(&other.momenta[axis])?;
            self.lowest[axis] = self.lowest[axis].min(other.lowest[axis]);
            self.highest[axis] = self.highest[axis].max(other.highest[axis]);
        }
        Ok(())
    }

    /// The group, except for its radius; its label is at `origin`.
    pub fn made(&self, label: i64, origin: &[f64; 3], frame: &Frame) -> Result<Made> {
        let mass = self.mass.rounded()?;
        let (mut mean, mut velocity) = ([0.0; 3], [0.0; 3]);
        for axis in 0..frame.dim {
            mean[axis] = self.positions[axis].rounded()? / mass;
            velocity[axis] = self.momenta[axis].rounded()? / mass;
        }
        let is_wide = |axis: usize| {
            let width = self.highest[axis] - self.lowest[axis];
            frame.periods[axis].is_some_and(|[_, length]| width >= 0.5 * length)
        };
        Ok(Made {
            label,
            size: self.size,
            mass,
            mean,
            center: frame.center(origin, &mean),
            velocity,
            radius: 0.0,
            wide: (0..frame.dim).any(is_wide),
        })
    }
}

/// The sum of masses times distances squared from the center.
pub fn squares(members: impl Iterator<Item = Member>, dim: usize, mean: &[f64; 3]) -> Result<Sum> {
    let (mut sum, mut members) = (Sum::default(), members.fuse());
    loop {
        let (mut count, mut masses, mut column) = (0, [0.0; CHUNK], [0.0; CHUNK]);
        for member in members.by_ref().take(CHUNK) {
            let square = (0..dim)
                .map(|axis| member.off[axis] - mean[axis])
                .fold(0.0, |square, d| square + d * d);
            // where it has overflowed, factors that make the sum infinite, as in the core
            let is_finite = f64::is_finite(square);
            (masses[count], column[count]) = if is_finite {
                (member.mass, square)
            } else {
                (f64::MAX, f64::MAX)
            };
            count += 1;
        }
        if count == 0 {
            return Ok(sum);
        }
        sum.add_products(&masses[..count], &column[..count])?;
    }
}

/// A sum as it travels: where its words begin, how many there are, and these.
pub fn write_sum(sum: &Sum, bytes: &mut Vec<u8>) -> Result<()> {
    let (first, words) = sum.words();
    reserve(bytes, 4 + size_of_val(words), super::WHAT)?;
    bytes.extend_from_slice(bytemuck::bytes_of(&[first as u16, words.len() as u16]));
    bytes.extend_from_slice(bytemuck::cast_slice(words));
    Ok(())
}

pub fn read_sum(reader: &mut Reader) -> Sum {
    let [first, len] = reader.one::<[u16; 2]>();
    Sum::of_words(first.into(), reader.take(len.into()))
}
