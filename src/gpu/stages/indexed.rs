//! The index stage by stage: extent, shape, cells, starts, points in cell order.

use super::clouds::{Cloud, Coordinate, Random, clouds};
use super::twin::{MOST, Twin, cell, fixed, from_origin, histogram, least_multiplier, offset, sums};
use super::{Params, Shape, Slot, gpu, index, read, read_one};
use crate::domain::{Period, Periods, TieRule, bound};
use crate::gpu::Gpu;
use crate::gpu::params::SHARES;
use crate::gpu::reflection::constant;

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn index_stages() {
    let most_folded = constant("shape", "MOST_FOLDED");
    let mut gpu = gpu(); // one for all clouds: nothing must be left of the last
    for dim in 1..=3 {
        clouds::<f32>(dim)
            .iter()
            .for_each(|cloud| check(&mut gpu, cloud, most_folded));
        clouds::<f64>(dim)
            .iter()
            .for_each(|cloud| check(&mut gpu, cloud, most_folded));
    }
}

/// More points than the workgroups that find the extent see at once, with the farthest in the last share.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn extent_of_many_shares() {
    let (mut gpu, mut random) = (gpu(), Random(7));
    for points in [1024, 1025, 70_000, 270_000] {
        let mut coords: Vec<f64> = (0..3 * points).map(|_| random.uniform()).collect();
        let far = 3 * (points - 1 - random.below(100) as usize);
        coords[far..far + 3].copy_from_slice(&[-3.0, 4.0, 0.5]);
        let (name, rule) = (format!("{points} points"), TieRule::Inclusive);
        let cloud = Cloud {
            name,
            dim: 3,
            coords,
            cutoff: 0.02,
            rule,
            lengths: [0.0; 3],
            lo: 0.0,
        };
        check(&mut gpu, &cloud, constant("shape", "MOST_FOLDED"));
    }
    assert_eq!(u64::from(gpu.params.shares), SHARES);
}

fn check<T: Coordinate>(gpu: &mut Gpu, cloud: &Cloud<T>, most_folded: u64) {
    let name = cloud.name.clone();
    index(gpu, cloud);
    let (params, shape) = (gpu.params, read_one::<Shape>(gpu, Slot::Shape));
    let twin = Twin::new(cloud, params);
    check_extent(gpu, &twin, &name);
    check_shape(&shape, &params, &twin, most_folded, &name);

    let cells = twin.cells(&shape);
    let starts: Vec<u32> = read(gpu, Slot::Starts, 0, shape.cells as usize + 1);
    let expected = sums(histogram(&cells, shape.cells as usize));
    assert!(
        starts.iter().map(|&start| u64::from(start)).eq(expected),
        "{name}: starts"
    );
    check_order(gpu, &twin, &cells, &starts, &name);
}

/// The shares' extents make that of the cloud.
fn check_extent(gpu: &Gpu, twin: &Twin, name: &str) {
    let extents: Vec<[u32; 4]> = read(gpu, Slot::Extents, 0, 3 * gpu.params.shares as usize);
    let unbias = |low: u32, high: u32| (u64::from(high ^ 1 << 31) << 32 | u64::from(low)) as i64;
    for axis in 0..gpu.params.dim as usize {
        let along = extents.iter().skip(axis).step_by(3);
        let shares: Vec<_> = along.map(|&[a, b, c, d]| (unbias(a, b), unbias(c, d))).collect();
        let low = shares.iter().map(|share| share.0).min().unwrap();
        let high = shares.iter().map(|share| share.1).max().unwrap();
        assert_eq!(low..=high, twin.extent(axis), "{name}: extent along axis {axis}");
    }
}

fn check_shape(shape: &Shape, params: &Params, twin: &Twin, most_folded: u64, name: &str) {
    let (dim, most) = (params.dim as usize, u128::from(params.most_cells));
    let name = format!("{name}: {shape:?} for at most {most} cells");
    let natural: Vec<u64> = (0..dim).map(|axis| twin.cells_along(axis)).collect();
    let folds = |axis: usize| shape.folds >> axis & 1 == 1;
    let mut saturates = [false; 2]; // surely, perhaps
    for (axis, &natural) in natural.iter().enumerate() {
        let extent = twin.extent(axis);
        let origin = u64::from(shape.origin_high[axis]) << 32 | u64::from(shape.origin_low[axis]);
        assert_eq!(origin as i64, twin.origin(axis), "{name}");
        assert_eq!(shape.wraps >> axis & 1 == 1, twin.wraps(axis), "{name}");
        let multiplier = twin.multiplier(axis, shape.dims[axis].into());
        assert_eq!(shape.multiplier[axis], multiplier, "{name}");
        let near = |slack| *extent.start() <= slack - MOST || *extent.end() >= MOST - slack;
        saturates = [saturates[0] || near(0), saturates[1] || near(1 << 32)];
        let side = u64::from(shape.dims[axis]);
        if folds(axis) {
            assert!(side > 2 * u64::from(params.reach) && side < most_folded, "{name}");
            for other in (0..axis).filter(|&other| folds(other)) {
                assert_eq!(gcd(side, shape.dims[other].into()), 1, "{name}");
            }
        } else {
            assert_eq!(side, natural, "{name}");
        }
    }
    assert!(
        shape.dims[dim..].iter().all(|&side| side == 1) && (shape.folds | shape.wraps) >> dim == 0,
        "{name}"
    );
    let product = |sides: &[u64]| {
        sides
            .iter()
            .fold(1u128, |product, &side| product.saturating_mul(side.into()))
    };
    let cells = product(&shape.dims.map(u64::from));
    assert_eq!(cells, shape.cells.into(), "{name}");
    assert!(cells <= most, "{name}");
    let wanted = product(&natural);
    assert!(shape.folds != 0 || wanted <= most, "{name}");
    assert!(
        shape.folds == 0 || wanted > most - most / 100_000,
        "{name}: room for {wanted} cells"
    );
    assert!(
        shape.folds == 0 || 4 * cells >= most,
        "{name}: little of the room is used"
    );
    let verify = shape.verify == 1;
    assert!(verify || shape.folds == 0 && !saturates[0], "{name}");
    assert!(
        !verify || shape.folds != 0 || saturates[1],
        "{name}: verifies without need"
    );
}

/// The points are a permutation of the caller's, each inside its cell, with the low words of its coordinates.
fn check_order(gpu: &Gpu, twin: &Twin, cells: &[u32], starts: &[u32], name: &str) {
    let points = cells.len();
    let sorted: Vec<[i32; 4]> = read(gpu, Slot::Sorted, 0, points);
    let cells_by_place: Vec<u32> = read(gpu, Slot::Cells, 0, points);
    let mut seen = vec![false; points];
    for (place, &[x, y, z, id]) in sorted.iter().enumerate() {
        let i = id as usize;
        assert!(!std::mem::replace(&mut seen[i], true), "{name}: point {i} stands twice");
        assert_eq!(
            [x, y, z],
            twin.fixed[i].map(|coordinate| coordinate as i32),
            "{name}: point {i}"
        );
        assert_eq!(cells_by_place[place], cells[i], "{name}: the cell of point {i}");
        let run = starts[cells[i] as usize]..starts[cells[i] as usize + 1];
        assert!(
            run.contains(&(place as u32)),
            "{name}: point {i} at {place} is not in {run:?}"
        );
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Points in reach of each other are at most `reach` cells apart, wherever the origin lies.
#[test]
fn pairs_stay_within_reach() {
    for reach in 1..=3 {
        assert_eq!(
            farthest::<f32>(reach, 1.0),
            reach.into(),
            "cells between points of a real32 pair"
        );
        assert_eq!(
            farthest::<f64>(reach, 1.0),
            reach.into(),
            "cells between points of a real64 pair"
        );
        // Pairs are close enough to the cutoff to tell cells that are a little too small.
        assert!(farthest::<f32>(reach, 1.002) > reach.into());
        assert!(farthest::<f64>(reach, 1.002) > reach.into());
    }
}

/// The most cells between points of a pair, where cells are `shrink` times too small.
fn farthest<T: Coordinate>(reach: u32, shrink: f64) -> u64 {
    let (mut random, mut farthest) = (Random(reach.into()), 0);
    for round in 0..60_000 {
        // Just below and above a power of two, and anything; at any scale whose square both precisions hold.
        let fraction = match round % 4 {
            0 => 1.0,
            1 => T::from_f64(2.0).next_down().to_f64(),
            _ => 1.0 + random.uniform(),
        };
        let cutoff = T::from_f64(fraction * 2f64.powi(random.below(80) as i32 - 40)).to_f64();
        let bound: T = bound(cutoff, TieRule::Inclusive).unwrap();
        let mut params = Params {
            reach,
            ..Params::default()
        };
        params.set_search(cutoff, bound, &Periods::default());
        let multiplier = (f64::from(params.multiplier) * shrink) as u32;
        let fixed_of = |x: T| fixed(x.to_f64(), params.shift);

        let scale = cutoff * 2f64.powi(random.below(20) as i32 - 4);
        let mut a = T::from_f64((random.uniform() - 0.5) * scale);
        let origin = fixed_of(a) - (random.uniform().powi(4) * (1u64 << 40) as f64) as i64;
        if round % 2 == 0 {
            a = last_of_cell(a, origin, multiplier, params.shift);
        }
        let b = farthest_partner(a, T::from_f64(cutoff), bound);
        let [low, high] = [a, b].map(|x| cell(offset(fixed_of(x), origin), multiplier));
        farthest = farthest.max(high - low);
    }
    farthest
}

/// Points in reach of each other across a boundary too, folded or not, wherever they lie; and cells divide a period evenly.
#[test]
fn pairs_stay_within_reach_across_boundaries() {
    for reach in 1..=3 {
        assert_eq!(farthest_across::<f32>(reach), reach.into(), "real32");
        assert_eq!(farthest_across::<f64>(reach), reach.into(), "real64");
    }
}

/// The most cells between points of a pair on either side of a boundary.
fn farthest_across<T: Coordinate>(reach: u32) -> u64 {
    let (mut random, mut farthest) = (Random(10 + u64::from(reach)), 0);
    for round in 0..60_000 {
        let cutoff = T::from_f64((1.0 + random.uniform()) * 2f64.powi(random.below(80) as i32 - 40));
        // Mostly a few cutoffs, up to far more than either precision tells apart.
        let far = [0, 0, 4, 30, 70][round % 5];
        let length = cutoff.to_f64() * 2.0 * (1.0 + random.uniform()) * 2f64.powf(random.uniform() * f64::from(far));
        let length = if round % 7 == 0 { cutoff.to_f64() * 2.0 } else { length };
        let (length, bound): (T, T) = (T::from_f64(length), bound(cutoff.to_f64(), TieRule::Inclusive).unwrap());
        // From 0 on, around it, or so far away that few digits are left.
        let start = [0.0, -0.5, random.uniform() - 3.0, 1e3, -1e5][round % 11 % 5];
        let period = Period::new(T::from_f64(start * length.to_f64()), length);
        let periods = Periods([Some(period), None, None]);
        let mut params = Params {
            reach,
            ..Params::default()
        };
        params.set_search(cutoff.to_f64(), bound, &periods);
        let whole = fixed(length.to_f64(), params.shift) as u64;
        let natural = cell(whole, params.multiplier);
        assert!(
            natural >= u64::from(2 * reach - 1) && whole < 1 << 50,
            "{natural} cells of {whole} units"
        );
        let dim = 1 + random.below(natural);
        let cells = natural - natural % dim;
        let multiplier = least_multiplier(whole, cells);
        assert_eq!(cell(whole, multiplier), cells);
        let above = |x: T| from_origin(x.to_f64(), period.lo.to_f64(), params.shift);
        let cell_of = |x: T| cell(above(x) as u64, multiplier).min(cells - 1);
        assert!((0..=whole as i64 + 1).contains(&above(period.hi.next_down())));

        // One point somewhere above the lower end, the other as far below the upper as makes a pair.
        let a = period.lo.add(T::from_f64(cutoff.to_f64() * random.uniform().powi(3)));
        let Some(b) = lowest_partner(&periods, a, cutoff, bound) else {
            continue;
        };
        farthest = farthest.max(cells + cell_of(a) - cell_of(b));
    }
    farthest
}

/// About the lowest coordinate below the upper end that is in reach of `a` across it.
fn lowest_partner<T: Coordinate>(periods: &Periods<T>, a: T, cutoff: T, bound: T) -> Option<T> {
    let Period { hi, length, half, .. } = periods.0[0]?;
    let is_pair = |b: T| {
        let d = periods.difference(0, b, a);
        b.sub(a) > half && d.mul(d) <= bound
    };
    let mut b = a.sub(cutoff).add(length);
    (0..12).for_each(|_| b = b.next_down());
    let near = std::iter::successors(Some(b), |b| Some(b.next_up())).take(24);
    near.into_iter().find(|&b| b < hi && is_pair(b))
}

/// A coordinate in the cell of `a`, near its upper end.
fn last_of_cell<T: Coordinate>(a: T, origin: i64, multiplier: u32, shift: i32) -> T {
    let cell_of = |fixed| cell(offset(fixed, origin), multiplier);
    let first = fixed(a.to_f64(), shift);
    let (mut inside, mut beyond) = (first, first + (1 << 22));
    while beyond - inside > 1 {
        let middle = inside + (beyond - inside) / 2;
        if cell_of(middle) == cell_of(first) {
            inside = middle
        } else {
            beyond = middle
        }
    }
    // Almost a unit above the last unit of the cell.
    let mut last = T::from_f64((inside as f64 + 1.0) * 2f64.powi(-shift));
    while fixed(last.to_f64(), shift) > inside {
        last = last.next_down();
    }
    last
}

/// About the largest coordinate that is in reach of `a`.
fn farthest_partner<T: Coordinate>(a: T, cutoff: T, bound: T) -> T {
    let is_pair = |b: T| {
        let d = a.sub(b);
        d.mul(d) <= bound
    };
    let mut b = a.add(cutoff);
    while !is_pair(b) {
        b = b.next_down();
    }
    while is_pair(b.next_up()) {
        b = b.next_up();
    }
    b
}
