//! Grains with tangential springs: the springs of a list, carried from step to step, against a table of all pairs.

use super::worker;
use crate::common::Random;
use neargrid::{Columns, Contacts, NeighborList, NeighborsKind, PointsView};

type Vector = [f64; 3];

/// Positions and velocities of the grains. They go back where they leave the unit cube.
#[derive(Clone)]
struct Grains {
    x: Vec<Vector>,
    v: Vec<Vector>,
    diameter: f64,
    dt: f64,
}

impl Grains {
    fn new(n: usize, diameter: f64, seed: u64) -> Grains {
        let mut random = Random(seed);
        let mut vectors = |scale: f64, shift: f64| -> Vec<Vector> {
            let mut vector = || [0; 3].map(|_| scale * random.uniform() + shift);
            (0..n).map(|_| vector()).collect()
        };
        let (x, v, dt) = (vectors(1.0, 0.0), vectors(2.0, -1.0), diameter / 40.0);
        Grains { x, v, diameter, dt }
    }

    fn len(&self) -> usize {
        self.x.len()
    }

    /// The grains that touch each one, ascending, found among those of the cells around its own.
    fn touching(&self) -> Vec<Vec<usize>> {
        let side = (1.0 / self.diameter).floor(); // a cell is at least a diameter long
        let cells = side as usize + 2; // with a layer around that stays empty
        let cell = |x: &Vector| {
            let [a, b, c] = x.map(|x| (x * side).clamp(0.0, side - 1.0) as usize + 1);
            a + cells * (b + cells * c)
        };
        let mut of_cells = vec![Vec::new(); cells * cells * cells];
        self.x.iter().enumerate().for_each(|(i, x)| of_cells[cell(x)].push(i));
        let around = |i: usize| {
            let first = cell(&self.x[i]) - 1 - cells - cells * cells;
            let near = (0..27).flat_map(|k| &of_cells[first + k % 3 + cells * (k / 3 % 3 + cells * (k / 9))]);
            let mut near: Vec<usize> = near.copied().filter(|&j| i != j && self.touch(i, j)).collect();
            near.sort_unstable();
            near
        };
        let (n, threads) = (self.len(), std::thread::available_parallelism().map_or(1, usize::from));
        let part = |k: usize| (k * n / threads..(k + 1) * n / threads).map(around).collect::<Vec<_>>();
        std::thread::scope(|scope| {
            let parts: Vec<_> = (0..threads).map(|k| scope.spawn(move || part(k))).collect();
            parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
        })
    }

    fn touch(&self, i: usize, j: usize) -> bool {
        let d = [0, 1, 2].map(|a: usize| self.x[i][a] - self.x[j][a]);
        d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= self.diameter * self.diameter
    }

    /// The next spring of a contact, and the force on `i`. The exchange of `i` and `j` changes only signs.
    fn contact(&self, i: usize, j: usize, spring: Vector) -> (Vector, Vector) {
        let d = [0, 1, 2].map(|a: usize| self.x[i][a] - self.x[j][a]);
        let v = [0, 1, 2].map(|a: usize| self.v[i][a] - self.v[j][a]);
        let along = (v[0] * d[0] + v[1] * d[1] + v[2] * d[2]) / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        let spring = [0, 1, 2].map(|a: usize| spring[a] + self.dt * (v[a] - along * d[a]));
        let r = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
        let force = [0, 1, 2].map(|a: usize| 200.0 * (self.diameter - r) * d[a] / r - 80.0 * spring[a]);
        (spring, force)
    }

    fn move_on(&mut self, force: &[Vector]) {
        let dt = self.dt;
        for ((x, v), force) in self.x.iter_mut().zip(&mut self.v).zip(force) {
            for ((x, v), force) in x.iter_mut().zip(v).zip(force) {
                *v += dt * force;
                *x += dt * *v;
                if !(0.0..=1.0).contains(x) {
                    *v = if *x < 0.0 { v.abs() } else { -v.abs() };
                }
            }
        }
    }
}

fn add(to: &mut Vector, force: Vector, sign: f64) {
    to.iter_mut().zip(force).for_each(|(to, force)| *to += sign * force);
}

/// Positions after all steps, with a table of the springs of each grain; the sums go by `(i, j)`, each pair once, or by rows.
/// Returns how often a spring lived on, too.
fn by_table(mut grains: Grains, steps: usize, full: bool) -> (Vec<Vector>, usize) {
    let (mut springs, mut lived) = (vec![Vec::new(); grains.len()], 0);
    for _ in 0..steps {
        let mut forces = vec![[0.0; 3]; grains.len()];
        for (i, touching) in grains.touching().into_iter().enumerate() {
            let old: Vec<(usize, Vector)> = std::mem::take(&mut springs[i]);
            for j in touching.into_iter().filter(|&j| full || i < j) {
                let before = old.iter().find(|(other, _)| *other == j).map(|(_, spring)| *spring);
                lived += usize::from(before.is_some());
                let (spring, force) = grains.contact(i, j, before.unwrap_or_default());
                springs[i].push((j, spring));
                add(&mut forces[i], force, 1.0);
                if !full {
                    add(&mut forces[j], force, -1.0);
                }
            }
        }
        grains.move_on(&forces);
    }
    (grains.x, lived)
}

/// The same with lists, half or full in each step, as `kind` says.
fn by_lists(mut grains: Grains, steps: usize, kind: impl Fn(usize) -> NeighborsKind) -> Vec<Vector> {
    let mut search = worker(1, 2);
    let (mut old, mut new) = (NeighborList::new(), NeighborList::new());
    let mut old_springs: Vec<f64> = Vec::new();
    let columns = Columns {
        count: 3,
        signs: &[-1; 3],
    };
    search.set_cutoff(grains.diameter).unwrap();
    for step in 0..steps {
        let is_full = kind(step) == NeighborsKind::Full;
        search
            .set_points(&PointsView::interleaved(3, grains.x.as_flattened()).unwrap())
            .unwrap();
        search.take_neighbors(kind(step), &mut new).unwrap();
        let [from, to] = [&old, &new].map(|list| Contacts {
            first_row: 1,
            offsets: list.neighbors().offsets,
            ids: list.neighbors().ids,
            global_ids: None,
        });
        let mut springs = vec![f64::NAN; 3 * to.ids.len()];
        search.carry(&from, &to, &columns, &old_springs, &mut springs).unwrap();
        let mut forces = vec![[0.0; 3]; grains.len()];
        for i in 0..grains.len() {
            for at in to.offsets[i] as usize - 1..to.offsets[i + 1] as usize - 1 {
                let (j, place) = (to.ids[at] as usize - 1, 3 * at..3 * at + 3);
                let before = [0, 1, 2].map(|a: usize| springs[3 * at + a]);
                let (spring, force) = grains.contact(i, j, before);
                springs[place].copy_from_slice(&spring);
                add(&mut forces[i], force, 1.0);
                if !is_full {
                    add(&mut forces[j], force, -1.0);
                }
            }
        }
        grains.move_on(&forces);
        std::mem::swap(&mut old, &mut new);
        old_springs = springs;
    }
    grains.x
}

fn bits(x: &[Vector]) -> Vec<u64> {
    x.as_flattened().iter().map(|x| x.to_bits()).collect()
}

#[test]
fn springs_live_on() {
    const STEPS: usize = 100;
    for seed in [1, 2] {
        let grains = || Grains::new(120, 0.16, seed);
        for (kind, full) in [(NeighborsKind::Half, false), (NeighborsKind::Full, true)] {
            let (wanted, lived) = by_table(grains(), STEPS, full);
            assert!(lived > 5000, "{lived} springs lived on");
            assert_eq!(bits(&by_lists(grains(), STEPS, |_| kind)), bits(&wanted), "{kind:?}");
        }
        // Half and full rows in turn: the springs of a pair differ in their signs alone.
        let turns = |step: usize| [NeighborsKind::Half, NeighborsKind::Full][step / 10 % 2];
        let far = by_lists(grains(), STEPS, turns)
            .iter()
            .zip(by_table(grains(), STEPS, true).0)
            .map(|(a, b)| (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f64::max))
            .fold(0.0, f64::max);
        assert!(far < 1e-6, "{far}");
    }
}

/// Many grains, for long.
#[test]
#[ignore = "takes minutes: make test-all"]
fn slow_springs_of_many_grains() {
    const STEPS: usize = 1000;
    let grains = || Grains::new(100_000, 0.0243, 3);
    let (wanted, lived) = by_table(grains(), STEPS, false);
    assert!(lived > 100_000_000, "{lived} springs lived on");
    assert!(bits(&by_lists(grains(), STEPS, |_| NeighborsKind::Half)) == bits(&wanted));
}
