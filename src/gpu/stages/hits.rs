//! Hits in every way that they can go from counting to filling: kept, kept in part, or found again, of whole blocks and of windows of
//! a crowd, and of points of several kinds.

use std::process::Command;

use super::memory::{count, fill, ids_of};
use super::points::Cloud;
use super::{gpu, index};
use crate::gpu::queries::Rule;
use crate::gpu::reflection::constant;
use crate::gpu::scopes::{NO_SCOPE, Scopes};
use crate::ids::Order;
use crate::kinds::{Classes, Kinds, RowsOf};
use crate::points::Real;
use crate::random::Random;

const NAME: &str = "gpu::stages::hits::kept_and_found_again";

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn kept_and_found_again() {
    let uniform = Random(5).cloud(3, 1100);
    check(&Cloud::<f64>::new("uniform", 3, uniform.clone(), 0.1));
    let mut periodic = Cloud::<f32>::new("periodic", 3, uniform, 0.15);
    periodic.length = 1.0;
    check(&periodic);
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn of_crowds() {
    check(&Cloud::<f64>::new(
        "couples",
        2,
        couples(&Random(5).cloud(3, 1100)),
        1e-3,
    ));
    for (dim, spread, is_mixed) in [(1, 0.0, false), (2, 0.5, true), (3, 0.1, false), (3, 0.7, true)] {
        check(&crowd(dim, spread, is_mixed));
    }
}

/// The same with points seen through windows of 16 KiB. The mask holds for a process, hence another one.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn windows() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", NAME])
        .env("NEARGRID_GPU_MASK", "binding=16384,guarded")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// Points in 2D of which every other one is near the one before, so far apart that cells fold.
fn couples(unit: &[f64]) -> Vec<f64> {
    let couple = |at: &[f64]| [at[0], at[1], at[0] + 4e-13, at[1] + 4e-13].map(|c| (c - 0.5) * 1e9);
    unit.chunks_exact(3).flat_map(couple).collect()
}

/// Points with more candidates than a workgroup has room for, in one place or spread, their numbers mixed with those of a few far
/// away, or not.
fn crowd(dim: usize, spread: f32, is_mixed: bool) -> Cloud<f32> {
    let points = constant("shared/blocks", "MOST") as usize * 2;
    let is_far = |i: usize| if is_mixed { i.is_multiple_of(17) } else { i < 100 };
    let coord = |k: usize| match is_far(k / dim) {
        true => 5.0,
        false => 0.25 + spread * (k as f32 * 0.618_034).fract(),
    };
    let name = format!("a crowd in {dim}D, spread by {spread}");
    Cloud::new(name, dim, (0..dim * points).map(|k| coord(k).into()), 1.0)
}

/// Rows in every way, and those of points of several kinds.
fn check<T: Real>(cloud: &Cloud<T>) {
    let (kinds, order) = (kinds(cloud.len(), 5), Order::default());
    let mut gpu = gpu();
    for full in [false, true] {
        let rows = cloud.rows(full);
        let rows_of = if full { RowsOf::Full } else { RowsOf::Half };
        let classes = kinds
            .classes([cloud.len(), 0], rows_of, &order)
            .unwrap()
            .expect("kinds");
        let listed = listed(&rows, &classes);
        for words in [u64::MAX, 6000, 0] {
            for (classes, rows) in [(None, &rows), (Some(&classes), &listed)] {
                let name = format!(
                    "{}, full: {full}, room for {words} words, kinds: {}",
                    cloud.name,
                    classes.is_some()
                );
                index(&mut gpu, cloud);
                gpu.rows.most_hits = words;
                let rule = Rule {
                    full,
                    classes,
                    excluded: None,
                    base: 0,
                    lower_ghosts: [0; 2],
                    eager: false,
                };
                let offsets = count(&mut gpu, rows.len(), rule);
                let expected = rows.iter().scan(0, |end, row| {
                    *end += row.len() as i64;
                    Some(*end)
                });
                assert!(offsets[1..].iter().copied().eq(expected), "{name}: offsets");
                assert!(fill(&mut gpu, &offsets).unwrap() == ids_of(rows), "{name}: ids");
            }
        }
    }
}

/// Active points and ghosts of some types, all of which have other neighbors.
fn kinds(points: usize, types: usize) -> Kinds {
    let (mut kinds, mut random) = (Kinds::default(), Random(points as u64));
    let of_points: Vec<i32> = (0..points).map(|_| random.below(types as u64) as i32).collect();
    let mask: Vec<bool> = (0..types * types).map(|k| k / types + k % types < types).collect();
    kinds.set_types(&of_points, 0, &mask).unwrap();
    kinds.set_active(Some(points * 7 / 10));
    kinds
}

/// The rest of rows of points of several kinds.
fn listed(rows: &[Vec<u32>], classes: &Classes) -> Vec<Vec<u32>> {
    let class = |i: usize| classes.of(i);
    let lists = |i: usize, j: &u32| classes.allows(class(i), class(*j as usize));
    let row = |(i, row): (usize, &Vec<u32>)| row.iter().copied().filter(|j| lists(i, j)).collect();
    rows.iter().enumerate().map(row).collect()
}

/// As many scopes as the mask that `Scopes` makes has room for.
#[test]
fn most_scopes() {
    let (kinds, order) = (kinds(4000, 32), Order::default());
    let classes = kinds.classes([4000, 0], RowsOf::Full, &order).unwrap().expect("kinds");
    let scopes = Scopes::new(&classes).of_class.map(|words| words[2]);
    assert_eq!(scopes.into_iter().filter(|&scope| scope != NO_SCOPE).max(), Some(63));
}
