//! Differences of coordinates in real64, rounded to real32: of any size, subnormal and infinite ones among them.

use super::*;
use crate::run::{Setting, check};

/// Points of a lattice, about a number of real32 and half between two, and anywhere, some of them beside each other.
fn coords(dim: usize, n: usize, scale: f64, random: &mut Random) -> Vec<f64> {
    let half = f64::from(f32::EPSILON) / 2.0;
    let mut coords: Vec<f64> = Vec::new();
    for k in 0..n * dim {
        let x = match random.below(5) {
            0 => random.below(5) as f64 * 0.25,
            1 => (0.25 + random.below(4) as f64 * 0.125) * (1.0 + half),
            2 if k >= dim => coords[k - dim] / scale + half * random.uniform(),
            3 => random.uniform().powi(8),
            _ => random.uniform(),
        };
        coords.push(scale * x.min(1.0 - half));
    }
    coords
}

/// In boxes of all sizes that a search takes, open and periodic, with the origin at a corner, in the middle and far away.
#[test]
fn sizes() {
    let scales = [
        1.0, 5e-150, 1e-46, 3e-44, 1e-41, 2e-38, 1e-30, 7.0, 1e30, 6e38, 1e40, 1e150,
    ];
    for (k, scale) in scales.into_iter().enumerate() {
        for dim in 1..=3 {
            let mut random = Random((10 * k + dim) as u64);
            let coords = coords(dim, 80, scale, &mut random);
            for (periodic, origin) in [
                (false, 0.0),
                (true, 0.0),
                (true, -0.5),
                (false, -0.5),
                (true, 1e3),
                (false, -1e6),
            ] {
                let moved: Vec<f64> = coords.iter().map(|x| x + origin * scale).collect();
                let mut setting = Setting::new(dim, 0.3 * scale);
                if periodic {
                    setting.periods = [Some([origin * scale, scale]); 3];
                }
                let text = "sum += d; most max= d; least min= d; far += r";
                check_place::<f32>(&check::<f64, f32>(&setting, &moved, text, 1, k as u64));
            }
        }
    }
}

/// The same on a GPU, with its f64 and without.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    let again = Again::only(module_path!(), &["sizes"], "sizes");
    again.on_devices(&[("", ""), ("binding=1048576", "")]);
    again.on_devices(&[("no-f64", ""), ("no-f64,guarded", "")]);
}
