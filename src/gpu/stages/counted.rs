//! Counting and filling, in every way that hits can go: kept, kept in part, or found again, whole or in windows of a crowd.
//!
//! in: clouds, and the room there is for hits; out: failures wherever lengths, offsets or ids differ from the oracle's rows.

use std::ops::Range;

use super::clouds::{Cloud, Coordinate, clouds};
use super::twin::{rows, sums};
use super::{Slot, gpu, index, read, write};
use crate::domain::TieRule;
use crate::gpu::Gpu;
use crate::gpu::pairs::Rule;
use crate::gpu::reflection::constant;
use crate::kinds::Classes;
use crate::threads::Team;

/// Both sides of each pair?, and words for hits.
pub type Way = (bool, u64);

pub const WAYS: [Way; 4] = [
    (false, u64::MAX), // as searches go
    (true, 6000),
    (true, u64::MAX),
    (false, 0),
];

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn count_and_fill_stages() {
    let mut gpu = gpu(); // one for all clouds: nothing must be left of the last
    for dim in 1..=3 {
        check_all::<f32>(&mut gpu, dim);
        check_all::<f64>(&mut gpu, dim);
    }
}

/// Every third cloud, or each if all is asked for, the way searches go, and another way.
fn check_all<T: Coordinate>(gpu: &mut Gpu, dim: usize) {
    let every = if is_whole() { 1 } else { 3 };
    for (k, cloud) in clouds::<T>(dim).iter().enumerate().skip(dim % every).step_by(every) {
        let rows = [false, true].map(|full| rows(cloud, full));
        let points = cloud.len();
        for way in [0, 1 + k / every % (WAYS.len() - 1)] {
            let parts = [0..points, points / 3..points.min(points / 3 + 30), points - 1..points];
            check(gpu, cloud, &rows, WAYS[way], None, parts);
        }
    }
}

/// Whether all is asked for, however long it takes: `make test-all`.
pub fn is_whole() -> bool {
    std::env::var_os("NEARGRID_TEST_ALL").is_some()
}

/// Points with more candidates than a workgroup has room for, some in one place, some spread, their numbers mixed or not.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn crowds() {
    let most = constant("shared/blocks", "MOST") as usize;
    for (dim, spread, mixed) in [(1, 0.0, false), (2, 0.5, true), (3, 0.1, false), (3, 0.7, true)] {
        let points = most * 5 / 2;
        let mut coords: Vec<f32> = (0..dim * points)
            .map(|k| 0.25 + spread * (k as f32 * 0.618_034).fract())
            .collect();
        for i in 0..points {
            if if mixed { i % 17 == 0 } else { i < 100 } {
                coords[dim * i..][..dim].fill(5.0);
            }
        }
        let cloud = Cloud {
            name: format!("a crowd in {dim}D, spread by {spread}"),
            dim,
            coords,
            cutoff: 1.0,
            rule: TieRule::Inclusive,
            lengths: [0.0; 3],
            lo: 0.0,
        };
        let rows = [false, true].map(|full| rows(&cloud, full));
        assert!(rows[1][points - 1].len() > most);
        for way in WAYS {
            check(&mut gpu(), &cloud, &rows, way, None, [98..108, points - 20..points]);
        }
    }
}

/// Counts rows, and fills some `parts` of them. `classes`: what makes them `rows` where points are of several kinds.
pub fn check<T: Coordinate>(
    gpu: &mut Gpu,
    cloud: &Cloud<T>,
    rows: &[Vec<Vec<u32>>; 2],
    (full, words): Way,
    classes: Option<&Classes>,
    parts: impl IntoIterator<Item = Range<usize>>,
) {
    let rows = &rows[usize::from(full)];
    let name = format!("{}, full: {full}, room for {words} words", cloud.name);
    index(gpu, cloud);
    gpu.most_hits = words;
    let rule = Rule {
        full,
        classes,
        base: full.into(),
        eager: false,
    };
    let mut offsets = vec![0; rows.len() + 1];
    gpu.count_rows(rule, &Team::caller(), &mut offsets).unwrap();
    let expected = sums(rows.iter().map(|row| row.len() as u32));
    let expected: Vec<i64> = expected.iter().map(|&sum| sum as i64 + rule.base).collect();
    assert_eq!(offsets, expected, "{name}: offsets");
    // Whatever a mask leaves room for.
    let fits = |part: &Range<usize>| 4 * (offsets[part.end] - offsets[part.start] + 64) < gpu.device.max_binding as i64;
    for part in parts.into_iter().filter(fits).collect::<Vec<_>>() {
        check_fill(gpu, &offsets, rows, part.clone(), &format!("{name}: rows {part:?}"));
    }
}

/// Fills the rows of `part`.
fn check_fill(gpu: &mut Gpu, offsets: &[i64], rows: &[Vec<u32>], part: Range<usize>, name: &str) {
    const UNTOUCHED: u32 = u32::MAX;
    let ids = rows[part.clone()].iter().flatten();
    let expected: Vec<u32> = ids.map(|&id| id + gpu.params.base).collect();
    if expected.is_empty() {
        return;
    }
    let mut ids = vec![UNTOUCHED; expected.len() + 8];
    write(gpu, Slot::Ids, &ids);
    gpu.submit_rows(offsets, part).unwrap();
    ids = read(gpu, Slot::Ids, 0, ids.len());
    assert!(
        ids.split_off(expected.len()).iter().all(|&id| id == UNTOUCHED),
        "{name}: more ids than there are"
    );
    let wrong = ids.iter().zip(&expected).position(|(id, expected)| id != expected);
    assert_eq!(
        wrong.map(|at| (at, ids[at], expected[at])),
        None,
        "{name}: place, id, expected id"
    );
}
