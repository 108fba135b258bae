//! The rules that this layer has beside the core, which must not differ from it at any scale: how points are wrapped, what is in
//! reach, ties, the order of the nearest, and linked points. Clouds are small, with many points at the ends of what is in reach.

use crate::common::clouds::{Case, Domain, Random, some_ids};
use crate::common::{Both, SPREADS};
use crate::{friends, lists, nearest};
use neargrid::{Precision, TieRule};
use neargrid_mpi::Real;

/// Multiples of the cutoff at which points are.
const PLACES: [f64; 12] = [
    0.0,
    0.5,
    1.0,
    1.0 - f64::EPSILON,
    1.0 + f64::EPSILON,
    1.0 + 1e-7,
    1.5,
    -1.0,
    2.0,
    3.0,
    -1e3,
    1e9,
];

/// Lengths of periodic axes, in cutoffs: as short as may be, and far longer than a precision can tell cutoffs apart.
const LENGTHS: [f64; 9] = [2.0, 2.0 + 1e-6, 2.5, 17.0, 1e6, 1e9, 1e17, 1e40, 1e150];

/// The lower ends of periodic axes, in lengths.
const STARTS: [f64; 4] = [0.0, -0.5, 0.3, -20.0];

fn cloud(random: &mut Random, dim: usize, cutoff: f64, [lo, length]: [f64; 2], most: f64) -> Vec<f64> {
    let coord = |_| {
        let near = PLACES[random.below(PLACES.len())] * cutoff;
        let coord = match random.below(7) {
            0 => lo + near,
            1 => lo + length + near,
            2 => lo + 3.0 * length - near,
            3 => lo + random.uniform() * length,
            4 if random.below(20) == 0 => [most, -most][random.below(2)],
            _ => near,
        };
        coord.clamp(-most, most)
    };
    (0..dim * 36).map(coord).collect()
}

/// Clouds that precision `T` can hold, for a cutoff.
fn cases<T: Both>(random: &mut Random, cutoff: f64) -> Vec<Case> {
    let (largest, masks) = (0.1 * T::RANGE[1], [[true; 3], [true, false, true], [false, true, true]]);
    let mut cases = Vec::new();
    for dim in 1..=3 {
        let open = cloud(random, dim, cutoff, [0.0, 3.0 * cutoff], largest);
        cases.push(Case::new(format!("open, {cutoff:e}, {dim}D"), dim, open, cutoff));
        for (k, length) in LENGTHS.iter().map(|length| length * cutoff).enumerate() {
            let (lo, periodic) = (STARTS[(k + dim) % 4] * length, masks[if dim == 1 { 0 } else { k % 3 }]);
            if !(length < largest && lo.abs() < largest && <T as Real>::from_f64(length) > T::default()) {
                continue;
            }
            let coords = cloud(random, dim, cutoff, [lo, length], largest);
            let name = format!("from {lo:e} over {length:e}, {cutoff:e}, {dim}D");
            cases.push(Case::new(name, dim, coords, cutoff).with_domain(Domain::new([lo; 3], [length; 3], periodic)));
        }
    }
    let exclusive: Vec<_> = cases.iter().map(|case| case.with_rule(TieRule::Exclusive)).collect();
    cases.extend(exclusive);
    cases.retain(|case| case.fits::<T>());
    cases
}

fn check<T: Both + Precision>(cutoffs: &[f64]) {
    let mut random = Random(50);
    let cases: Vec<_> = cutoffs
        .iter()
        .flat_map(|&cutoff| cases::<T>(&mut random, cutoff))
        .collect();
    assert!(cases.len() > 20 * cutoffs.len(), "{} clouds", cases.len());
    for (k, case) in cases.iter().enumerate() {
        let (ids, spread) = (
            &some_ids(case.coords.len() / case.dim, &mut random)[k % 4],
            SPREADS[k % 5],
        );
        let (size, base) = (1 + k % 3, (k % 2) as i32);
        lists::check::<T>(case, spread, size, ids, base);
        nearest::check::<T>(case, &[(size, spread)], ids, base);
        friends::check::<T>(case, spread, size, ids, base);
    }
}

#[test]
fn real64() {
    check::<f64>(&[1.23e-150, 1e-140, 1e-100, 1e-20, 1.0, 1e20, 1e100, 6.6e153]);
}

#[test]
fn real32() {
    check::<f32>(&[9e-16, 1e-12, 1e-5, 1.0, 1e7, 1e12, 9e18]);
}
