//! Active points, ghosts and absent points in any order, rows of ghosts, and ghosts that share global ids: bit for bit against the
//! plain loop with the rules written out.

mod few;

use crate::common::{
    Again, Case, Part, Random, cases, check_chunks, is_whole, pairs_found, periodic_cases, rows_found, some_ids,
};
use Role::{Absent, Active, Ghost};
use neargrid::{
    Backend, Counter, Formula, GhostPairs, GhostRows, KnnKind, Measure, NeighborsKind, PointsView, Precision,
    RadiusRule, Role, Search, Status,
};

/// Settings of the points of a case.
#[derive(Clone)]
struct World {
    roles: Vec<Role>,
    ids: Vec<i64>,
    types: Vec<i32>,
    pairs: GhostPairs,
    rows: GhostRows,
}

/// Walls do not feel each other.
const MASK: [bool; 4] = [true, true, true, false];

impl World {
    fn key(&self, i: i32) -> (i64, i32) {
        (self.ids.get(i as usize).copied().unwrap_or_default(), i)
    }

    fn role(&self, i: i32) -> Role {
        self.roles[i as usize]
    }

    /// Whether neither of two near points is absent, and their types interact.
    fn interact(&self, i: i32, j: i32) -> bool {
        let of_types = |[a, b]: [i32; 2]| MASK[(2 * a + b) as usize];
        let types = || of_types([i, j].map(|k| self.types[k as usize]));
        self.role(i) != Absent && self.role(j) != Absent && (self.types.is_empty() || types())
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
        search
            .set_types(&types, if types.is_empty() { &[] } else { &MASK })
            .unwrap();
    }

    /// Worlds of all sorts, of which `k` picks one of each.
    fn some(n: usize, k: usize, random: &mut Random) -> World {
        let roles = |k: usize, random: &mut Random| match k {
            0 => [Active, Ghost][random.below(2)],
            1 => [Absent, Active, Ghost][random.below(3)],
            2 => [Active, Absent][random.below(2)],
            3 => [Active, Ghost, Ghost, Ghost, Ghost, Ghost][random.below(6)],
            _ => [Absent, Ghost][random.below(2)],
        };
        let mut world = World {
            roles: (0..n).map(|_| roles(k % 7, random)).collect(),
            ids: Vec::new(),
            types: Vec::new(),
            pairs: [GhostPairs::All, GhostPairs::LargerIds][k / 7 % 2],
            rows: [GhostRows::Active, GhostRows::All, GhostRows::None][k % 3],
        };
        if k % 7 == 5 {
            let halo = |i: usize| if (n / 5..n - n / 3).contains(&i) { Active } else { Ghost };
            world.roles = (0..n).map(halo).collect(); // on both sides
        }
        if k % 7 == 6 {
            world.roles = (0..n).map(|i| if i < n / 2 { Active } else { Ghost }).collect();
        }
        if k % 4 == 1 {
            world.types = (0..n).map(|_| random.below(2) as i32).collect();
        }
        if k % 5 > 2 {
            world.ids = some_ids(n, random).swap_remove(k % 4);
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
    assert!(
        want.eq(search.field::<f32>("s").unwrap().iter().copied()),
        "{name}: sums of {kind:?}"
    );
}

fn check_rows(search: &mut Search, world: &World, near: &[(i32, i32)], base: i64, name: &str) {
    let pairs = world.pairs_of(near);
    assert_eq!(search.count_pairs().unwrap(), pairs.len() as i64, "{name}: count");
    assert!(pairs_found(search, base) == pairs, "{name}: pairs");
    for (kind, half) in [(NeighborsKind::Half, true), (NeighborsKind::Full, false)] {
        let rows = world.rows(half, near);
        let found = rows_found(search.neighbors(kind).unwrap(), base);
        assert!(found == rows, "{name}: {kind:?}");
        let mut into = vec![-7; rows.1.len()];
        let (offsets, len) = search.neighbors_into(kind, &mut into).unwrap();
        assert!(offsets.iter().map(|offset| offset - base).eq(rows.0.iter().copied()));
        assert!(
            into[..len].iter().map(|id| id - base as i32).eq(rows.1.iter().copied()),
            "{name}: {kind:?} into"
        );
        check_chunks(search, name, kind, base);
        check_sums(search, kind, &rows, name);
    }
}

fn set<T: Precision>(search: &mut Search, case: &Case) {
    search.set_cutoff(case.cutoff).unwrap();
    search.set_tie_rule(case.rule);
    case.domain.set(search, case.dim);
    let coords = case.coords_as::<T>();
    search
        .set_points(&PointsView::interleaved(case.dim, &coords).unwrap())
        .unwrap();
}

/// Rows with the skin, by radii and of queries.
fn check_others<T: Precision>(
    search: &mut Search,
    case: &Case,
    world: &World,
    near: &[(i32, i32)],
    base: i64,
    name: &str,
) {
    let n = world.roles.len();
    search.set_skin(0.3 * case.cutoff).unwrap();
    if search.count_pairs().is_ok() {
        check_rows(search, world, near, base, &format!("{name}, with a skin"));
    }
    let wide = Case {
        cutoff: case.cutoff + 0.3 * case.cutoff,
        ..case.clone()
    };
    for (kind, half) in [(NeighborsKind::Half, true), (NeighborsKind::Full, false)] {
        match search.verlet_list(kind) {
            Ok(list) => {
                let rows = world.rows(half, &wide.truth::<T>());
                assert!(
                    rows_found(list.neighbors, base) == rows,
                    "{name}: Verlet list, {kind:?}"
                );
            }
            Err(error) => assert_eq!(error.status(), Status::BadDomain, "{name}: {error}"),
        }
    }
    search.set_skin(0.0).unwrap();
    search
        .set_radii(&vec![T::from_f64(case.cutoff); n], RadiusRule::Max)
        .unwrap();
    match search.count_pairs() {
        Ok(_) => check_rows(search, world, near, base, &format!("{name}, by radii")),
        Err(error) => assert_eq!(error.status(), Status::NotSupported, "{name}: {error}"),
    }
    search.clear_radii();
    let coords = case.coords_as::<T>();
    search
        .set_queries(&PointsView::interleaved(case.dim, &coords).unwrap())
        .unwrap();
    let mut rows: Vec<Vec<i32>> = (0..n as i32).map(|i| vec![i]).collect();
    for &(i, j) in near {
        rows[i as usize].push(j);
        rows[j as usize].push(i);
    }
    for row in &mut rows {
        row.retain(|&j| world.role(j) != Absent);
        row.sort_by_key(|&j| world.key(j));
    }
    assert!(
        rows_found(search.queries().unwrap(), base) == csr(&rows),
        "{name}: queries"
    );
}

fn check_case<T: Precision>(search: &mut Search, case: &Case, k: usize, random: &mut Random) {
    let n = case.coords.len() / case.dim;
    if !case.fits::<T>() || n == 0 {
        return;
    }
    let near = case.truth::<T>();
    for k in [3 * k, 3 * k + 1, 3 * k + 2] {
        let (world, base) = (World::some(n, k, random), k as i64 % 2);
        let name = format!("{} {}, world {k}", case.name, T::NAME);
        set::<T>(search, case);
        world.set(search, base);
        check_rows(search, &world, &near, base, &name);
        check_others::<T>(search, case, &world, &near, base, &name);
    }
    search.set_ids(&[]).unwrap();
    search.set_types(&[], &[]).unwrap();
    search.set_roles(&[]).unwrap();
    search.set_index_base(0).unwrap();
    set::<T>(search, case);
    assert_eq!(
        search.count_pairs().unwrap(),
        near.len() as i64,
        "{}: undone",
        case.name
    );
}

#[test]
fn rules() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(17));
    let all = cases().into_iter().chain(periodic_cases());
    let every = if is_whole() { 3 } else { 10 };
    let some = Part::of_environment().of(all.step_by(every).collect());
    for (k, case) in some.iter().enumerate() {
        check_case::<f32>(&mut search, case, 2 * k, &mut random);
        check_case::<f64>(&mut search, case, 2 * k + 1, &mut random);
    }
}

/// Enough points for blocks that are searched again, and for several threads.
#[test]
fn many_points() {
    let (mut random, every) = (Random(12), Part::of_environment().every.min(10));
    let n = 30_000 / every;
    let case = Case::new("many points", 3, random.cloud(3, n), 0.05 * (every as f64).cbrt());
    let mut search = Search::new().unwrap();
    set::<f64>(&mut search, &case);
    let near = pairs_found(&mut search, 0);
    for (threads, k) in [(1, 0), (3, 1), (3, 5), (2, 9), (3, 14)] {
        search.set_threads(threads).unwrap();
        let world = World::some(n, k, &mut random);
        world.set(&mut search, 0);
        check_rows(&mut search, &world, &near, 0, &format!("{threads} threads, world {k}"));
    }
}

/// Totals have the terms of active points.
#[test]
fn totals() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(5));
    let n = 300;
    let case = Case::new("totals", 2, random.cloud(2, n), 0.1);
    set::<f64>(&mut search, &case);
    let world = World::some(n, 1, &mut random);
    world.set(&mut search, 0);
    let (_, ids) = world.rows(false, &case.truth::<f64>());
    let active = world.roles.iter().filter(|&&role| role == Active).count();
    let mut formula = Formula::new("k += 1; active all+= 1; last all max= i_i; entries all+= k_i").unwrap();
    search
        .set_field("i", &(0..n).map(|i| i as f32).collect::<Vec<_>>(), 1)
        .unwrap();
    search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
    assert_eq!(formula.number("active").unwrap(), active as f64);
    let last = world.roles.iter().rposition(|&role| role == Active).unwrap();
    assert_eq!(formula.number("last").unwrap(), last as f64);
    let of_active = |rows: GhostRows| {
        World { rows, ..world.clone() }
            .rows(false, &case.truth::<f64>())
            .1
            .len()
    };
    assert!(formula.number("entries").unwrap() as usize <= ids.len());
    assert_eq!(formula.number("entries").unwrap() as usize, of_active(GhostRows::None));
}

/// Points of a cloud, some of them in a clump, and a crowd of others at one place among them, in any order.
fn crowd_of(
    dim: usize,
    (live, crowd, clump): (usize, usize, usize),
    (role, parked): (Role, f64),
) -> (Vec<f64>, Vec<Role>) {
    let mut random = Random(9);
    let mut coords = random.cloud(dim, live);
    coords[..clump * dim].iter_mut().for_each(|c| *c = 0.5 + 1e-4 * *c);
    coords.extend((0..crowd * dim).map(|_| parked));
    let mut roles = vec![Active; live];
    roles.extend(vec![role; crowd]);
    for k in (1..live + crowd).rev() {
        let other = random.below(k + 1);
        roles.swap(k, other);
        (0..dim).for_each(|axis| coords.swap(k * dim + axis, other * dim + axis));
    }
    (coords, roles)
}

/// Bounds the distance tests of a search among crowds that take no part, or whose rows are not wanted.
fn check_crowds(backend: Backend, counts: (usize, usize, usize), parked: [f64; 2]) {
    const MOST: usize = 40;
    let (live, crowd, _) = counts;
    for dim in 1..=3 {
        for (role, rows) in [
            (Absent, GhostRows::All),
            (Ghost, GhostRows::None),
            (Ghost, GhostRows::Active),
        ] {
            let place = parked[usize::from(role == Ghost)];
            let (coords, roles) = crowd_of(dim, counts, (role, place));
            let cutoff = 1.5 * (live as f64).powf(-1.0 / dim as f64);
            let mut search = Search::new().unwrap();
            search.set_backend(backend);
            search.set_cutoff(cutoff).unwrap();
            search
                .set_points(&PointsView::interleaved(dim, &coords).unwrap())
                .unwrap();
            search.set_roles(&roles).unwrap();
            search.set_ghost_rows(rows);
            for kind in [NeighborsKind::Half, NeighborsKind::Full] {
                let entries = search.neighbors(kind).unwrap().ids.len();
                let (tests, allowed) = (search.counter(Counter::DistanceTests) as usize, live + crowd + entries);
                assert!(
                    tests >= entries / 2 && tests < MOST * allowed,
                    "{role:?} {dim}D {kind:?}: {tests} of {allowed}"
                );
            }
            if backend == Backend::Cpu {
                search.set_radii(&vec![cutoff; live + crowd], RadiusRule::Max).unwrap();
                let entries = search.neighbors(NeighborsKind::Full).unwrap().ids.len();
                let (tests, allowed) = (search.counter(Counter::DistanceTests) as usize, live + crowd + entries);
                assert!(tests < MOST * allowed, "{role:?} {dim}D by radii: {tests} of {allowed}");
            }
        }
    }
}

/// Crowds cost nothing, also where points with neighbors are among them.
#[test]
fn crowds() {
    check_crowds(Backend::Cpu, (4000, 20_000, 0), [0.5, 1.5]);
    check_crowds(Backend::Cpu, (4000, 60_000, 200), [0.5, 1.5]);
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn crowds_on_a_gpu() {
    check_crowds(Backend::Gpu, (3000, 9000, 0), [5.0, 1.5]);
    check_crowds(Backend::Gpu, (3000, 9000, 0), [0.5, 1.5]);
}

/// Once more in each instruction set.
#[test]
fn widths() {
    let names = ["rules", "many_points"];
    Again::only(module_path!(), &names, "rules").in_widths(&[("scalar", "40:3"), ("avx2", "40:5")]);
}

/// The suite once more on a GPU, in each of its configurations, as `devices` in tests/suite/pairs.rs does.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    Again::without(module_path!(), &["crowds", "refusals"], "rules").on_devices(&[
        ("no-subgroups", "240:11"),
        ("", "60:1"),
        ("binding=1048576", "60:21"),
        ("guarded", "60:31"),
        ("batches", "60:31"),
    ]);
}

#[test]
fn refusals() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.5).unwrap();
    search
        .set_points(&PointsView::interleaved(1, &[0.0, 1.0, 2.0, 3.0]).unwrap())
        .unwrap();
    fn status<R>(result: neargrid::Result<R>, text: &str) -> Status {
        let error = result.map(drop).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
        error.status()
    }
    search.set_roles(&[Active; 3]).unwrap();
    assert_eq!(status(search.count_pairs(), "number of roles = 3"), Status::BadCount);
    search.set_roles(&[Active, Absent, Ghost, Active]).unwrap();
    assert_eq!(search.count_pairs().unwrap(), 1);
    assert_eq!(status(search.fof(), "absent points"), Status::NotSupported);
    let nearest = |search: &mut Search, kind| {
        search
            .knn::<f64>(kind, 1, Measure::Distance)
            .map(|knn| knn.ids.to_vec())
    };
    assert_eq!(
        status(nearest(&mut search, KnnKind::Others), "absent points"),
        Status::NotSupported
    );
    search.set_roles(&[Ghost, Active, Active, Ghost]).unwrap();
    assert_eq!(
        status(nearest(&mut search, KnnKind::All), "behind ghosts"),
        Status::NotSupported
    );
    search
        .set_queries(&PointsView::interleaved(1, &[0.2]).unwrap())
        .unwrap();
    assert_eq!(nearest(&mut search, KnnKind::Queries).unwrap(), [0]);
    assert_eq!(search.fof().unwrap().groups, 1);
    search.set_active(Some(1)).unwrap();
    assert_eq!(search.count_pairs().unwrap(), 1, "the number replaces the roles");
    search.set_ids(&[7, 5, 7, 5]).map(drop).unwrap();
    assert_eq!(status(search.fof(), "share global ids"), Status::NotSupported);
    search.set_active(Some(3)).unwrap();
    let text = "element 2 of ids is 7: it must be unique, but point 0 has it too";
    assert_eq!(status(search.count_pairs(), text), Status::BadValue);
    assert_eq!(status(search.set_ids(&[7, 5, 7, 5]), text), Status::BadValue);
    search.set_active(Some(2)).unwrap();
    assert_eq!(search.count_pairs().unwrap(), 2);
}
