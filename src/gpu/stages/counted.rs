//! Counting, selecting and filling stage by stage, with every way a row can go: counted and filled by lanes or by
//! workgroups, its hits kept or found again.
//!
//! in: clouds, and the settings that decide the way; out: failures wherever a stage differs from the oracle's rows.

use std::collections::BTreeSet;
use std::ops::Range;

use super::clouds::{Cloud, Coordinate, clouds};
use super::twin::{rows, sums};
use super::{Params, RowsHead, Slot, Stage, clear_rows, gpu, index, read, read_one, run, write, write_params};
use crate::domain::TieRule;
use crate::gpu::Gpu;
use crate::gpu::index::SCAN_BLOCK;
use crate::gpu::params::{CROWDED, Chunk, GROUP, LONGEST, ROWS_HEAD_BYTES};
use crate::gpu::reflection::constant;
use crate::kinds::Classes;
use crate::threads::Team;

/// The bit of `Found` that makes a row long.
const LONG: u32 = 1 << 31;

/// Both sides of each pair?, ids of the longest short row, candidates of the most crowded lane, words for hits.
pub type Way = (bool, u32, u32, u32);

pub const WAYS: [Way; 4] = [
    (false, LONGEST, CROWDED, u32::MAX), // as searches go
    (true, LONGEST, CROWDED, 6000),
    (false, 6, 250, u32::MAX),
    (true, 0, CROWDED, 0),
];

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn count_and_fill_stages() {
    let mut searches = [1, 2, 3].map(gpu);
    let mut crowded = 0;
    for dim in 1..=3 {
        crowded += check_all::<f32>(&mut searches, dim) + check_all::<f64>(&mut searches, dim);
    }
    let least = if is_whole() { 1000 } else { 300 };
    assert!(crowded > least, "only {crowded} rows were counted by a workgroup");
}

/// Whether all is asked for, however long it takes: `make test-all`.
fn is_whole() -> bool {
    std::env::var_os("NEARGRID_TEST_ALL").is_some()
}

/// Every third cloud, or each if all is asked for, the way searches go, and another way with each number of cells per cutoff.
fn check_all<T: Coordinate>(searches: &mut [Gpu], dim: usize) -> u32 {
    let mut crowded = 0;
    let every = if is_whole() { 1 } else { 3 };
    for (k, cloud) in clouds::<T>(dim).iter().enumerate().skip(dim % every).step_by(every) {
        let rows = [false, true].map(|full| rows(cloud, full));
        let points = cloud.len();
        for gpu in &mut *searches {
            for way in [0, 1 + (k + gpu.reach as usize) % (WAYS.len() - 1)] {
                // Workgroups with barriers take a device in software long: not all rows by them.
                let most = if way == 0 && gpu.device.subgroups { points } else { 30 };
                let parts = [
                    0..points.min(most),
                    points / 3..points.min(points / 3 + 30),
                    points - 1..points,
                    0..0,
                ];
                crowded += check(gpu, cloud, &rows, WAYS[way], None, parts);
            }
        }
    }
    crowded
}

/// Rows longer than a workgroup sorts in its own memory.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn crowds() {
    for dim in [1, 3] {
        let mut coords = vec![0.25f32; dim * 3000];
        coords[..dim * 100].fill(5.0);
        let (name, rule) = (format!("two crowds in {dim}D"), TieRule::Inclusive);
        let cloud = Cloud {
            name,
            dim,
            coords,
            cutoff: 1.0,
            rule,
            lengths: [0.0; 3],
            lo: 0.0,
        };
        let rows = [false, true].map(|full| rows(&cloud, full));
        assert!(rows[1][100].len() > constant("fill_long", "TILE") as usize);
        let crowded = check(
            &mut gpu(1),
            &cloud,
            &rows,
            (true, LONGEST, 500, u32::MAX),
            None,
            [98..108, 2990..3000],
        );
        assert_eq!(crowded, 2900);
    }
}

/// Checks all stages on the way `way`, those that fill for some parts of the rows; returns how many rows were counted by
/// a workgroup. `classes`: what makes them `rows` where points are of several kinds.
pub fn check<T: Coordinate>(
    gpu: &mut Gpu,
    cloud: &Cloud<T>,
    rows: &[Vec<Vec<u32>>; 2],
    (full, longest, most, words): Way,
    classes: Option<&Classes>,
    parts: impl IntoIterator<Item = Range<usize>>,
) -> u32 {
    let (points, rows) = (cloud.len(), &rows[usize::from(full)]);
    let name = format!(
        "{}, {} cells per cutoff, full: {full}, long from {longest}",
        cloud.name, gpu.reach
    );
    index(gpu, cloud);
    gpu.set_classes(classes, &Team::caller()).unwrap();
    let ids: Vec<[u32; 4]> = read(gpu, Slot::Sorted, 0, points);
    let ids: Vec<u32> = ids.iter().map(|point| point[3]).collect();
    gpu.params = Params {
        full: full.into(),
        base: full.into(),
        longest: if gpu.device.subgroups { longest } else { 0 },
        crowded: most,
        mask_words: gpu.params.mask_words.min(words),
        ..gpu.params
    };
    let crowded = count(gpu);
    let found = check_count(gpu, &ids, rows, &name);
    // Whatever a mask leaves room for.
    let fits = |part: &Range<usize>| {
        let ids: usize = rows[part.clone()].iter().map(Vec::len).sum();
        4 * (ids as u64 + 64) < gpu.device.max_binding
    };
    for part in parts.into_iter().filter(fits).collect::<Vec<_>>() {
        let name = format!("{name}: rows {part:?}");
        check_select(gpu, part.clone(), &ids, &found, &name);
        check_fill(gpu, &rows[part], &name);
    }
    crowded
}

/// Runs the stages that count; returns how many rows were left to workgroups.
fn count(gpu: &mut Gpu) -> u32 {
    let points = gpu.params.points as usize;
    let (groups, blocks) = (
        points.div_ceil(GROUP as usize),
        (points + 1).div_ceil(SCAN_BLOCK as usize),
    );
    write_params(gpu);
    write(gpu, Slot::MaskBases, &vec![0u32; 4 + groups]); // with room for the groups that `run` adds
    clear_rows(gpu, points);
    if gpu.kernels.form().kinds {
        run(gpu, Stage::Scope, points.div_ceil(256));
    }
    run(gpu, Stage::Count, groups);
    let crowded = read_one::<RowsHead>(gpu, Slot::Rows).longs;
    run(gpu, Stage::CountLong, crowded.max(1) as usize);
    run(gpu, Stage::ReduceRows, blocks);
    run(gpu, Stage::ScanRowSums, 1);
    run(gpu, Stage::ApplyRows, blocks);
    crowded
}

/// Lengths, offsets and `Found`, which is returned.
fn check_count(gpu: &Gpu, ids: &[u32], rows: &[Vec<u32>], name: &str) -> Vec<u32> {
    let points = rows.len();
    let lengths: Vec<u32> = rows.iter().map(|row| row.len() as u32).collect();
    assert_eq!(read::<u32>(gpu, Slot::Lengths, 0, points), lengths, "{name}: lengths");
    let offsets: Vec<u64> = read(gpu, Slot::Offsets, 0, points + 1);
    assert_eq!(offsets, sums(lengths.iter().copied()), "{name}: offsets");
    let found: Vec<u32> = read(gpu, Slot::Found, 0, points);
    for (&found, &i) in found.iter().zip(ids) {
        let (length, long) = (found & !LONG, found & LONG != 0);
        assert_eq!(length, lengths[i as usize], "{name}: row {i}, by place");
        // Only a crowd makes a row long that is not; in a small box it may be one of images.
        let must = length > gpu.params.longest;
        let images = if gpu.params.is_periodic() { 27 } else { 1 };
        let may = must || length > 0 && points * images > gpu.params.crowded as usize;
        assert!(
            long >= must && long <= may,
            "{name}: row {i} of {length} ids is long: {long}"
        );
    }
    found
}

/// Selects the rows of `part` and compares with what their places should be.
fn check_select(gpu: &mut Gpu, part: Range<usize>, ids: &[u32], found: &[u32], name: &str) {
    let points = ids.len();
    let offset = |row: usize| read::<[u32; 2]>(gpu, Slot::Offsets, row, 1)[0];
    let chunk = Chunk {
        start: offset(part.start),
        end: offset(part.end),
    };
    write(gpu, Slot::Chunk, &[chunk]);
    clear_rows(gpu, points);
    run(gpu, Stage::SelectRows, points.div_ceil(256));
    let head: RowsHead = read_one(gpu, Slot::Rows);
    let places: Vec<u32> = read(gpu, Slot::Rows, ROWS_HEAD_BYTES as usize / 4, points);
    let shorts = places[..head.shorts as usize].to_vec();
    let longs = places.iter().rev().take(head.longs as usize).copied().collect();
    for (long, list) in [(false, shorts), (true, longs)] {
        let is_listed = |&place: &u32| {
            let (found, id) = (found[place as usize], ids[place as usize]);
            part.contains(&(id as usize)) && found != 0 && long == (found & LONG != 0)
        };
        let expected: BTreeSet<u32> = (0..points as u32).filter(is_listed).collect();
        check_list(&list, &expected, &format!("{name}, long: {long}"));
    }
}

/// `places` are those `expected`, and go up within the part of each workgroup.
fn check_list(places: &[u32], expected: &BTreeSet<u32>, name: &str) {
    assert_eq!(places.len(), expected.len(), "{name}");
    assert_eq!(&places.iter().copied().collect::<BTreeSet<_>>(), expected, "{name}");
    let turns = places
        .windows(2)
        .filter(|pair| pair[0] / 256 != pair[1] / 256 || pair[0] > pair[1])
        .count();
    let workgroups: BTreeSet<_> = places.iter().map(|place| place / 256).collect();
    assert_eq!(turns, workgroups.len().saturating_sub(1), "{name}: not in order");
}

/// Fills the rows selected, which are to become `rows`.
fn check_fill(gpu: &mut Gpu, rows: &[Vec<u32>], name: &str) {
    const UNTOUCHED: u32 = u32::MAX;
    let expected: Vec<u32> = rows.iter().flatten().map(|&id| id + gpu.params.base).collect();
    let mut ids = vec![UNTOUCHED; expected.len() + 8];
    write(gpu, Slot::Ids, &ids);
    run(gpu, Stage::SizeDispatches, 1);
    let head: RowsHead = read_one(gpu, Slot::Rows);
    for (stage, size) in [
        (Stage::Fill, head.short_workgroups),
        (Stage::FillLong, head.long_workgroups),
    ] {
        if size[0] > 0 {
            run(gpu, stage, (size[0] * size[1]) as usize);
        }
    }
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
