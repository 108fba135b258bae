//! Crowds of points that take no part in a search, or whose rows are not wanted, cost nothing.

use super::*;
use neargrid::{GhostRows, Role};

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
    let mut roles = vec![Role::Active; live];
    roles.extend(vec![role; crowd]);
    for k in (1..live + crowd).rev() {
        let other = random.below(k + 1);
        roles.swap(k, other);
        (0..dim).for_each(|axis| coords.swap(k * dim + axis, other * dim + axis));
    }
    (coords, roles)
}

fn check(backend: Backend, counts: (usize, usize, usize), parked: [f64; 2]) {
    let (live, mut bound) = (counts.0, Bound::new(MOST));
    for dim in 1..=3 {
        for (role, rows) in [
            (Role::Absent, GhostRows::All),
            (Role::Ghost, GhostRows::None),
            (Role::Ghost, GhostRows::Active),
        ] {
            let place = parked[usize::from(role == Role::Ghost)];
            let (coords, roles) = crowd_of(dim, counts, (role, place));
            let cutoff = 1.5 * (live as f64).powf(-1.0 / dim as f64);
            let world: World = Case::new(format!("{counts:?} {role:?} {dim}D"), dim, coords, cutoff).into();
            let mut search = world.search::<f64>(backend, 0);
            search.set_roles(&roles).unwrap();
            search.set_ghost_rows(rows);
            for kind in [NeighborsKind::Half, NeighborsKind::Full] {
                let entries = search.neighbors(kind).unwrap().ids.len();
                let tests = search.counter(Counter::DistanceTests) as usize;
                assert!(tests >= entries / 2, "{}: {tests} for {entries}", world.case.name);
                bound.check(&search, &world, &format!("{kind:?}"), entries);
            }
            if backend == Backend::Cpu {
                search.set_radii(&vec![cutoff; roles.len()], RadiusRule::Max).unwrap();
                let entries = search.neighbors(NeighborsKind::Full).unwrap().ids.len();
                bound.check(&search, &world, "by radii", entries);
            }
        }
    }
    bound.report();
}

/// Points with neighbors may be among them.
#[test]
fn crowds() {
    check(Backend::Cpu, (4000, 20_000, 0), [0.5, 1.5]);
    check(Backend::Cpu, (4000, 60_000, 200), [0.5, 1.5]);
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn crowds_on_a_gpu() {
    check(Backend::Gpu, (3000, 9000, 0), [5.0, 1.5]);
    check(Backend::Gpu, (3000, 9000, 0), [0.5, 1.5]);
}
