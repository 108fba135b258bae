//! Kinds of points stage by stage: scopes in cell order, and rows that list only what is in theirs.
//!
//! in: clouds, and kinds of all sorts; out: failures where a stage differs from what [`Classes`] says.

use super::clouds::{Cloud, Coordinate, Random, clouds};
use super::counted::{WAYS, check, is_whole};
use super::twin::rows;
use super::{Gpu, Slot, Stage, gpu, index, read, run, write, write_params};
use crate::domain::TieRule;
use crate::gpu::scopes::{NO_SCOPE, Scopes, cells_words};
use crate::ids::Order;
use crate::kinds::{Classes, Kinds, RowsOf};
use crate::threads::Team;

/// Types, of which every other pair interacts, or all; active points out of a hundred; queries among the points.
type Sort = (usize, bool, usize, usize);

const SORTS: [Sort; 6] = [
    (2, true, 60, 0),
    (1, true, 40, 9),
    (32, false, 70, 0), // as many scopes as there can be
    (5, false, 100, 30),
    (1, true, 0, 0), // nothing but ghosts
    (3, true, 50, 1),
];

/// Kinds of that sort for points, some of which are queries.
fn kinds(points: usize, (types, all, active, _): Sort) -> Kinds {
    let (mut kinds, mut random) = (Kinds::default(), Random(points as u64));
    let of_points: Vec<i32> = (0..points).map(|_| random.below(types as u64) as i32).collect();
    // No two rows of the mask are the same.
    let mask: Vec<bool> = (0..types * types)
        .map(|k| all || k / types + k % types < types)
        .collect();
    kinds.set_types(&of_points, 0, &mask).unwrap();
    kinds.set_active(Some(points * active / 100));
    kinds
}

/// A way for each sort of kinds, and rows of points or of queries where there are any.
fn each_sort(points: usize, mut check: impl FnMut(usize, &Classes, &str)) {
    for (k, &sort) in SORTS.iter().enumerate() {
        let queries = points * sort.3 / 100;
        let (kinds, order) = (kinds(points - queries, sort), Order::default());
        for rows_of in [RowsOf::Half, RowsOf::Full, RowsOf::Queries] {
            let classes = kinds.classes([points - queries, queries], rows_of, &order).unwrap();
            let name = format!("{points} points of kinds {sort:?}, rows: {rows_of:?}");
            check(k, &classes.expect("kinds"), &name);
        }
    }
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn scope_stage() {
    let mut gpu = gpu();
    for points in [1, 3, 4, 31, 33, 64, 255, 256, 257, 600] {
        let mut random = Random(points as u64);
        let cloud = Cloud {
            name: format!("{points} points"),
            dim: 2,
            coords: (0..2 * points).map(|_| random.uniform() as f32).collect(),
            cutoff: 0.1,
            rule: TieRule::Inclusive,
            lengths: [0.0; 3],
            lo: 0.0,
        };
        each_sort(points, |_, classes, name| check_scopes(&mut gpu, &cloud, classes, name));
    }
}

/// Every place has its class, behind them stands what rows of each class list, and the cells are untouched.
fn check_scopes(gpu: &mut Gpu, cloud: &Cloud<f32>, classes: &Classes, name: &str) {
    index(gpu, cloud);
    gpu.set_classes(Some(classes), &Team::caller()).unwrap();
    write_params(gpu);
    let points = cloud.len();
    let cells: Vec<u32> = read(gpu, Slot::Cells, 0, points);
    let ids: Vec<[u32; 4]> = read(gpu, Slot::Sorted, 0, points);
    let mut poisoned = cells.clone();
    poisoned.resize(cells_words(points as u64) as usize, 0xdead_beef);
    write(gpu, Slot::Cells, &poisoned);
    run(gpu, Stage::Scope, points.div_ceil(4).max(128).div_ceil(256));
    let all: Vec<u32> = read(gpu, Slot::Cells, 0, poisoned.len());
    let (left, behind) = all.split_at(points);
    assert_eq!(left, cells, "{name}: cells");
    let (of_places, of_classes) = behind.split_at(points.div_ceil(4));
    for (place, id) in ids.iter().enumerate() {
        let class = of_places[place / 4] >> (8 * (place % 4)) & 0xff;
        assert_eq!(class, u32::from(classes.of(id[3] as usize)), "{name}: place {place}");
    }
    let scopes = Scopes::new(classes).of_class;
    let (of_classes, of_groups) = of_classes.split_at(scopes.as_flattened().len());
    assert_eq!(of_classes, scopes.as_flattened(), "{name}");
    for (group, (found, ids)) in of_groups.chunks_exact(2).zip(ids.chunks(32)).enumerate() {
        let of_ids = ids.iter().map(|id| scopes[classes.of(id[3] as usize) as usize]);
        let all = of_ids.fold([0; 2], |all, scopes| [all[0] | scopes[0], all[1] | scopes[1]]);
        assert_eq!(found, all, "{name}: places from {} on", 32 * group);
    }
}

/// As many scopes as the mask that `Scopes` makes has room for.
#[test]
fn most_scopes() {
    let (kinds, order) = (kinds(4000, SORTS[2]), Order::default());
    let classes = kinds.classes([4000, 0], RowsOf::Full, &order).unwrap().expect("kinds");
    let scopes = Scopes::new(&classes).of_class.map(|words| words[2]);
    assert_eq!(scopes.into_iter().filter(|&scope| scope != NO_SCOPE).max(), Some(63));
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn count_and_fill_stages_of_kinds() {
    let mut gpu = gpu();
    for dim in 1..=3 {
        check_clouds::<f32>(&mut gpu, dim);
        check_clouds::<f64>(&mut gpu, dim);
    }
}

/// The clouds, or every other one unless all is asked for, each with some sorts of kinds and another way to search.
fn check_clouds<T: Coordinate>(gpu: &mut Gpu, dim: usize) {
    let every = if is_whole() { 1 } else { 2 };
    for (k, cloud) in clouds::<T>(dim).iter().enumerate().skip(dim % every).step_by(every) {
        let (points, all) = (cloud.len(), [false, true].map(|full| rows(cloud, full)));
        each_sort(points, |sort, classes, name| {
            if !(k + dim + sort).is_multiple_of(SORTS.len()) {
                return;
            }
            let lists = |i: usize, j: u32| classes.allows(classes.of(i), classes.of(j as usize));
            let mut rows = all.clone();
            for (i, row) in rows.iter_mut().flat_map(|rows| rows.iter_mut().enumerate()) {
                row.retain(|&j| lists(i, j));
            }
            let cloud = Cloud {
                name: format!("{}: {name}", cloud.name),
                ..cloud.clone()
            };
            let parts = [0..points.min(40), points - 1..points];
            check(gpu, &cloud, &rows, WAYS[k % WAYS.len()], Some(classes), parts);
        });
    }
}
