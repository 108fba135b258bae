//! The box of cells over a cloud, and what it promises: points of a pair are no more cells apart than a search looks.

use super::points::Cloud;
use super::{Params, Shape, gpu, index, read};
use crate::domain::{Period, Periods, TieRule, bound};
use crate::gpu::Gpu;
use crate::gpu::kernels::Slot;
use crate::gpu::params::SHARES;
use crate::points::Real;
use crate::random::Random;

/// Fixed-point coordinates stop here on either side.
const MOST: i64 = 1 << 62;

/// Whether a box folds, whether its pairs are verified, and which axes wrap around.
type Laid = (bool, bool, u32);

/// The box of a cloud uses the room for cells, and nothing is folded or verified without need.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn boxes() {
    let (mut gpu, mut random) = (gpu(), Random(1)); // one for all: nothing must be left of the last
    for dim in 1..=3 {
        let unit = random.cloud(dim, 600);
        let (cutoff, all) = (1.5 * 600f64.powf(-1.0 / dim as f64), (1 << dim) - 1);
        let stray = |far: f64| {
            let mut coords = unit.clone();
            coords[300 * dim..301 * dim].fill(far);
            coords
        };
        for (name, coords, cutoff, length, laid) in [
            ("uniform", unit.clone(), cutoff, 0.0, (false, false, 0)),
            ("sparse", unit.clone(), cutoff / 300.0, 0.0, (true, true, 0)),
            ("a stray", stray(1e6), cutoff, 0.0, (true, true, 0)),
            (
                "a stray beyond fixed point",
                stray(-1e300),
                cutoff,
                0.0,
                (true, true, 0),
            ),
            (
                "two points beyond fixed point",
                vec![1e300; 2 * dim],
                cutoff,
                0.0,
                (false, true, 0),
            ),
            ("periodic", unit.clone(), cutoff, 1.0, (false, false, all)),
            ("a box with a gap", unit.clone(), cutoff, 3.0, (false, false, 0)),
            (
                "a sparse box with a gap",
                unit.clone(),
                cutoff / 300.0,
                3.0,
                (true, true, 0),
            ),
        ] {
            let name = format!("{name} in {dim}D");
            let mut cloud = Cloud::<f64>::new(name.clone(), dim, coords, cutoff.min(0.5));
            cloud.length = length;
            assert_eq!(check_box(&mut gpu, &cloud).1, laid, "{name}");
        }
    }
}

fn check_box(gpu: &mut Gpu, cloud: &Cloud<f64>) -> (Shape, Laid) {
    index(gpu, cloud);
    let shape: Shape = read(gpu, Slot::Shape, 0, 1)[0];
    let (cells, most) = (u64::from(shape.cells), u64::from(gpu.rows.params.most_cells));
    let name = format!("{}: {shape:?} for at most {most} cells", cloud.name);
    assert_eq!(shape.dims.into_iter().map(u64::from).product::<u64>(), cells, "{name}");
    assert!(shape.dims[cloud.dim..].iter().all(|&side| side == 1), "{name}");
    assert!(cells <= most && (shape.folds == 0 || 4 * cells >= most), "{name}");
    (shape, (shape.folds != 0, shape.verify != 0, shape.wraps))
}

/// More points than the workgroups that find the extent see at once: the farthest counts wherever it is.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn extent_of_many_shares() {
    let (mut gpu, mut random) = (gpu(), Random(7));
    for points in [1024, 1025, 70_000, 270_000] {
        let mut coords = random.cloud(3, points);
        let boxes = [0, points - 1 - random.below(100) as usize].map(|at| {
            let kept = coords[3 * at..][..3].to_vec();
            coords[3 * at..][..3].copy_from_slice(&[-3.0, 4.0, 0.5]);
            let shape = check_box(
                &mut gpu,
                &Cloud::new(format!("{points} points"), 3, coords.clone(), 0.02),
            )
            .0;
            coords[3 * at..][..3].copy_from_slice(&kept);
            shape
        });
        assert_eq!(boxes[0], boxes[1], "{points} points");
    }
    assert_eq!(u64::from(gpu.rows.params.shares), SHARES);
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
fn farthest<T: Real>(reach: u32, shrink: f64) -> u64 {
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
fn farthest_across<T: Real>(reach: u32) -> u64 {
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
fn lowest_partner<T: Real>(periods: &Periods<T>, a: T, cutoff: T, bound: T) -> Option<T> {
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
fn last_of_cell<T: Real>(a: T, origin: i64, multiplier: u32, shift: i32) -> T {
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
fn farthest_partner<T: Real>(a: T, cutoff: T, bound: T) -> T {
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

/// floor(a * 2^shift), saturated.
fn fixed(a: f64, shift: i32) -> i64 {
    floor(a, shift).clamp(-i128::from(MOST), i128::from(MOST)) as i64
}

/// floor(a * 2^shift) of a number that is not far beyond [`MOST`].
fn floor(a: f64, shift: i32) -> i128 {
    let biased = (a.to_bits() >> 52 & 0x7ff) as i32;
    let hidden = u64::from(biased > 0) << 52;
    let magnitude = i128::from(a.to_bits() & ((1 << 52) - 1) | hidden);
    let mantissa = if a.is_sign_negative() { -magnitude } else { magnitude };
    let exponent = biased.max(1) - 1075 + shift;
    // Shifting to the right floors; 64 to the left is beyond the limits already, for all but zero.
    if exponent < 0 {
        mantissa >> (-exponent).min(127)
    } else {
        mantissa << exponent.min(64)
    }
}

/// floor(a * 2^shift) - floor(origin * 2^shift), which fits; the two themselves need not.
fn from_origin(a: f64, origin: f64, shift: i32) -> i64 {
    assert!(a.abs().max(origin.abs()) * 2f64.powi(shift) < 2f64.powi(116));
    i64::try_from(floor(a, shift) - floor(origin, shift)).unwrap()
}

/// Cell along an axis, as shaders/shared/cell.wgsl has it, before folding.
fn cell(offset: u64, multiplier: u32) -> u64 {
    ((u128::from(offset >> 8) * u128::from(multiplier)) >> 42) as u64
}

/// The least multiplier that makes `cells` cells of a period.
fn least_multiplier(period: u64, cells: u64) -> u32 {
    (u128::from(cells) << 42).div_ceil(u128::from(period >> 8)) as u32
}

/// The offset from `origin` of a coordinate that is not below it: up to 2^63.
fn offset(fixed: i64, origin: i64) -> u64 {
    fixed.wrapping_sub(origin) as u64
}
