//! What is said of many points beside their places: roles in any order, ghosts that share global ids, types, and excluded pairs. Rows
//! of every form are all that are near with the rules written out.

use std::collections::BTreeMap;

use crate::common::{Again, Case, Part, Random, check_chunks, ids_in_blocks, pairs_found, rows_found, some_ids};
use Role::{Absent, Active, Ghost};
use neargrid::{Formula, GhostPairs, GhostRows, NeighborsKind, PointsView, Role, Search};

const KINDS: [(NeighborsKind, bool); 2] = [(NeighborsKind::Half, true), (NeighborsKind::Full, false)];

/// Settings of the points of a case.
#[derive(Clone)]
struct World {
    roles: Vec<Role>,
    ids: Vec<i64>,
    types: Vec<i32>,
    mask: Vec<bool>,
    pairs: GhostPairs,
    rows: GhostRows,
    /// Excluded pairs, the lower number first, and their classes.
    excluded: BTreeMap<(i32, i32), i32>,
}

impl World {
    fn of(roles: Vec<Role>) -> World {
        World {
            roles,
            ids: Vec::new(),
            types: Vec::new(),
            mask: Vec::new(),
            pairs: GhostPairs::All,
            rows: GhostRows::Active,
            excluded: BTreeMap::new(),
        }
    }

    fn key(&self, i: i32) -> (i64, i32) {
        (self.ids.get(i as usize).copied().unwrap_or_default(), i)
    }

    fn role(&self, i: i32) -> Role {
        self.roles[i as usize]
    }

    /// Whether neither of two near points is absent, their types interact, and they are not excluded.
    fn interact(&self, i: i32, j: i32) -> bool {
        let of_type = |k: i32| self.types[k as usize] as usize;
        let types = || self.mask[of_type(i) * self.mask.len().isqrt() + of_type(j)];
        let is_there = self.role(i) != Absent && self.role(j) != Absent;
        is_there && (self.types.is_empty() || types()) && !self.excluded.contains_key(&(i.min(j), i.max(j)))
    }

    /// The pairs that lists have, out of all that are near.
    fn pairs_of(&self, near: &[(i32, i32)]) -> Vec<(i32, i32)> {
        let turned = |&(i, j): &(i32, i32)| {
            let both = (self.role(i), self.role(j)) == (Active, Active);
            let [left, right] = match (self.role(i), both && self.key(i) > self.key(j)) {
                (Active, false) => [i, j],
                _ => [j, i],
            };
            let is_behind = both || self.pairs == GhostPairs::All || self.key(left) < self.key(right);
            (self.interact(i, j) && self.role(left) == Active && is_behind).then_some((left, right))
        };
        let mut pairs: Vec<_> = near.iter().filter_map(turned).collect();
        pairs.sort_by_key(|&(i, j)| (self.key(i), self.key(j)));
        pairs
    }

    fn rows(&self, half: bool, near: &[(i32, i32)]) -> (Vec<i64>, Vec<i32>) {
        let mut rows = vec![Vec::new(); self.roles.len()];
        let pairs = if half { self.pairs_of(near) } else { near.to_vec() };
        for (i, j) in pairs {
            if half {
                rows[i as usize].push(j);
                continue;
            }
            for (i, j) in [(i, j), (j, i)] {
                let lists = match (self.role(i), self.rows) {
                    (Active, _) => true,
                    (_, GhostRows::Active) => self.role(j) == Active,
                    (_, rows) => rows == GhostRows::All,
                };
                if lists && self.interact(i, j) {
                    rows[i as usize].push(j);
                }
            }
        }
        rows.iter_mut().for_each(|row| row.sort_by_key(|&j| self.key(j)));
        csr(&rows)
    }

    fn set(&self, search: &mut Search, base: i64) {
        search.set_index_base(base).unwrap();
        search.set_ids(&[]).unwrap();
        search.set_roles(&self.roles).unwrap();
        search.set_ids(&self.ids).unwrap();
        search.set_ghost_pairs(self.pairs);
        search.set_ghost_rows(self.rows);
        let types: Vec<i32> = self.types.iter().map(|t| t + base as i32).collect();
        search.set_types(&types, &self.mask).unwrap();
        let mut rows = vec![Vec::new(); self.roles.len()];
        for (&(i, j), &class) in self.excluded.iter().rev() {
            rows[i as usize].push((j + base as i32, class));
            rows[j as usize].push((i + base as i32, class));
        }
        let (offsets, _) = csr(&rows.iter().map(|row| vec![0; row.len()]).collect::<Vec<_>>());
        let offsets: Vec<i64> = offsets.iter().map(|offset| offset + base).collect();
        let (ids, classes): (Vec<i32>, Vec<i32>) = rows.into_iter().flatten().unzip();
        match self.excluded.is_empty() {
            true => search.set_exclusions(&[], &[], None).unwrap(),
            false => search.set_exclusions(&offsets, &ids, Some(&classes)).unwrap(),
        }
    }

    /// Excludes some of the pairs that are near, and others.
    fn exclude(&mut self, near: &[(i32, i32)], share: f64, random: &mut Random) {
        let n = self.roles.len();
        let on_gpu = std::env::var("NEARGRID_BACKEND").is_ok_and(|backend| backend == "gpu");
        let most = if on_gpu { 250 } else { usize::MAX }; // with more than 256 the device does not search
        let mut counts = vec![0; n];
        let others = (0..n / 2).map(|_| (random.below(n) as i32, random.below(n) as i32));
        let others: Vec<_> = others.collect();
        for (k, &(i, j)) in near.iter().chain(&others).enumerate() {
            let both = [i, j].map(|i| i as usize);
            let is_taken = i != j && (k >= near.len() || random.uniform() < share);
            if is_taken && both.iter().all(|&i| counts[i] < most) {
                self.excluded.insert((i.min(j), i.max(j)), 1 + random.below(3) as i32);
                both.iter().for_each(|&i| counts[i] += 1);
            }
        }
    }

    /// Excludes pairs of numbers that follow each other, as of bonds along a chain.
    fn chain(&mut self, reach: usize) {
        let n = self.roles.len();
        let pairs = (0..n).flat_map(|i| (i + 1..n.min(i + 1 + reach)).map(move |j| (i, j)));
        self.excluded
            .extend(pairs.map(|(i, j)| ((i as i32, j as i32), (j - i).min(3) as i32)));
    }

    /// Worlds of all sorts, of which `k` picks one of each.
    fn some(case: &Case, near: &[(i32, i32)], k: usize, random: &mut Random) -> World {
        let n = case.len();
        let role = |k: usize, random: &mut Random| match k {
            0 => [Active, Ghost][random.below(2)],
            1 => [Absent, Active, Ghost][random.below(3)],
            2 => [Active, Absent][random.below(2)],
            3 => [Active, Ghost, Ghost, Ghost, Ghost, Ghost][random.below(6)],
            4 => [Absent, Ghost][random.below(2)],
            _ => Active,
        };
        let mut world = World::of((0..n).map(|_| role(k % 8, random)).collect());
        world.pairs = [GhostPairs::All, GhostPairs::LargerIds][k / 7 % 2];
        world.rows = [GhostRows::Active, GhostRows::All, GhostRows::None][k % 3];
        if k % 8 == 5 {
            let halo = |i: usize| if (n / 5..n - n / 3).contains(&i) { Active } else { Ghost };
            world.roles = (0..n).map(halo).collect(); // on both sides
        }
        if k % 8 == 7 && !k.is_multiple_of(3) {
            world.roles = (0..n).map(|i| if i % 97 == 5 { Active } else { Ghost }).collect(); // few
        }
        if k % 8 == 6 {
            world.roles = (0..n).map(|i| if i < n / 2 { Active } else { Ghost }).collect();
        }
        match k % 4 {
            1 => world.regions(case, random),
            2 => world.chain(60),
            3 => world.exclude(near, [0.2, 1.0][k / 4 % 2], random),
            _ => {}
        }
        if k % 5 > 2 {
            world.ids = match k % 8 {
                6 => ids_in_blocks(n, n / 2, random),
                _ => some_ids(n, random).swap_remove(k / 5 % 4),
            };
        }
        if k % 5 == 4 && n > 0 {
            for i in 0..n {
                if world.roles[i] != Active {
                    world.ids[i] = world.ids[random.below(n)]; // an image of a point, or of an image
                }
            }
        }
        world
    }

    /// Types by region, as real codes have them: a ball of fluid in walls that do not interact, dust in a slab that interacts with
    /// nothing, and tracers that the walls alone interact with.
    fn regions(&mut self, case: &Case, random: &mut Random) {
        let of = |point: &[f64]| {
            let square: f64 = point.iter().map(|c| (c - 0.5) * (c - 0.5)).sum();
            match square.sqrt() {
                _ if point[0] > 0.93 => 2,
                radius if radius < 0.22 => 0,
                _ if random.below(200) == 0 => 3,
                _ => 1,
            }
        };
        self.types = case.coords.chunks(case.dim).map(of).collect();
        self.mask = vec![false; 16];
        for [a, b] in [[0, 0], [0, 1], [1, 3]] {
            (self.mask[4 * a + b], self.mask[4 * b + a]) = (true, true);
        }
    }
}

fn csr(rows: &[Vec<i32>]) -> (Vec<i64>, Vec<i32>) {
    let mut offsets = vec![0];
    for row in rows {
        offsets.push(offsets[offsets.len() - 1] + row.len() as i64);
    }
    (offsets, rows.concat())
}

/// Sums over the rows, term by term in their order.
fn check_sums(search: &mut Search, kind: NeighborsKind, (offsets, ids): &(Vec<i64>, Vec<i32>), name: &str) {
    let n = offsets.len() - 1;
    let m: Vec<f32> = (0..n).map(|i| 1.0 / (i + 3) as f32).collect();
    search.set_field("m", &m, 1).unwrap();
    let mut formula = Formula::new("s += m_j").unwrap();
    search.run(&mut formula, kind, 1).unwrap();
    let want = offsets.windows(2).map(|row| {
        let row = &ids[row[0] as usize..row[1] as usize];
        row.iter().fold(0.0f32, |sum, &j| sum + m[j as usize])
    });
    let found = search.field::<f32>("s").unwrap().iter().copied();
    assert!(want.eq(found), "{name}: sums of {kind:?}");
}

/// A text that reads the class of pairs gets excluded ones, too.
fn check_classes(search: &mut Search, world: &World, near: &[(i32, i32)], name: &str) {
    let mut all = world.clone();
    all.excluded.clear();
    let class = |i: i32, j: i32| world.excluded.get(&(i.min(j), i.max(j))).copied().unwrap_or(0);
    let mut formula = Formula::new("of += class").unwrap();
    for (kind, half) in KINDS {
        let (offsets, ids) = all.rows(half, near);
        search.run(&mut formula, kind, 1).unwrap();
        let rows = offsets.windows(2).zip(0..);
        let want = rows.map(|(row, i)| {
            let row = ids[row[0] as usize..row[1] as usize].iter();
            row.map(|&j| class(i, j)).sum::<i32>() as f32
        });
        let found = search.field::<f32>("of").unwrap().iter().copied();
        assert!(want.eq(found), "{name}: classes of {kind:?}");
    }
}

fn check_rows(search: &mut Search, world: &World, near: &[(i32, i32)], base: i64, name: &str) {
    let pairs = world.pairs_of(near);
    assert_eq!(search.count_pairs().unwrap(), pairs.len() as i64, "{name}: count");
    assert!(pairs_found(search, base) == pairs, "{name}: pairs");
    for (kind, half) in KINDS {
        let rows = world.rows(half, near);
        let found = rows_found(search.neighbors(kind).unwrap(), base);
        assert!(found == rows, "{name}: {kind:?}");
        let mut into = vec![-7; rows.1.len()];
        let (offsets, _) = search.neighbors_into(kind, &mut into).unwrap();
        assert!(offsets.iter().map(|offset| offset - base).eq(rows.0.iter().copied()));
        let into = into.iter().map(|id| id - base as i32);
        assert!(into.eq(rows.1.iter().copied()), "{name}: {kind:?} into");
        check_chunks(search, name, kind, base);
        check_sums(search, kind, &rows, name);
    }
}

/// Enough points for blocks that are searched again, and for several threads, among them a crowd; in any order and sorted.
#[test]
fn many_points() {
    let (mut random, every) = (Random(12), Part::of_environment().every.min(10));
    let n = 30_000 / every;
    let mut coords = random.cloud(3, n);
    coords[..n / 16].iter_mut().for_each(|c| *c = 0.4 + 0.05 * *c);
    for is_sorted in [false, true] {
        if is_sorted {
            let mut points: Vec<&[f64]> = coords.chunks(3).collect();
            points.sort_by(|a, b| a[2].total_cmp(&b[2]));
            coords = points.concat();
        }
        let case = Case::new("many points", 3, coords.clone(), 0.04 * (every as f64).cbrt());
        let mut search = Search::new().unwrap();
        case.set::<f64>(&mut search);
        let near = pairs_found(&mut search, 0);
        let worlds = match is_sorted {
            false => &[(1, 0), (3, 1), (3, 5), (2, 9), (3, 14), (8, 15), (2, 7)][..],
            true => &[(3, 19), (2, 22)],
        };
        for &(threads, k) in worlds {
            search.set_threads(threads).unwrap();
            let world = World::some(&case, &near, k, &mut random);
            world.set(&mut search, 0);
            let name = format!("{threads} threads, world {k}");
            check_rows(&mut search, &world, &near, 0, &name);
            check_classes(&mut search, &world, &near, &name);
        }
    }
}

/// Totals have the terms of active points.
#[test]
fn totals() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.5).unwrap();
    let line = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    search.set_points(&PointsView::interleaved(1, &line).unwrap()).unwrap();
    search
        .set_roles(&[Ghost, Active, Absent, Active, Active, Ghost])
        .unwrap();
    search.set_ghost_rows(GhostRows::All);
    search.set_field("i", &line.map(|x| x as f32), 1).unwrap();
    let mut formula = Formula::new("k += 1; active all+= 1; last all max= i_i; entries all+= k_i").unwrap();
    search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
    assert_eq!(search.field::<f32>("k").unwrap(), [1.0, 1.0, 0.0, 1.0, 2.0, 1.0]);
    let totals = ["active", "last", "entries"].map(|name| formula.number(name).unwrap());
    assert_eq!(totals, [3.0, 4.0, 4.0]);
}

/// Once more in each instruction set.
#[test]
fn widths() {
    Again::only(module_path!(), &["many_points"], "many_points").in_widths(&[("scalar", "40:3"), ("avx2", "40:5")]);
}

/// The suite once more on a GPU, in each of its configurations, as `devices` in tests/suite/pairs.rs does.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    Again::only(module_path!(), &["many_points"], "many_points").on_devices(&[
        ("no-subgroups", "240:11"),
        ("", "60:1"),
        ("binding=1048576", "60:21"),
        ("guarded", "60:31"),
        ("batches", "60:31"),
    ]);
}
