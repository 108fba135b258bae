//! Grains with tangential springs: the springs of a list, carried from step to step, against a table of all pairs.

use super::worker;
use crate::common::Random;
use neargrid::{Columns, Contacts, NeighborList, NeighborsKind, PointsView};

const N: usize = 120;
const STEPS: usize = 100;
const DIAMETER: f64 = 0.16;
const DT: f64 = 0.004;

type Vector = [f64; 3];

/// Positions and velocities of the grains. They go back where they leave the unit cube.
struct Grains {
    x: Vec<Vector>,
    v: Vec<Vector>,
}

impl Grains {
    fn new(seed: u64) -> Grains {
        let mut random = Random(seed);
        let mut vectors = |scale: f64, shift: f64| -> Vec<Vector> {
            let mut vector = || [0; 3].map(|_| scale * random.uniform() + shift);
            (0..N).map(|_| vector()).collect()
        };
        let (x, v) = (vectors(1.0, 0.0), vectors(2.0, -1.0));
        Grains { x, v }
    }

    /// The next spring of a contact, and the force on `i`. The exchange of `i` and `j` changes only signs.
    fn contact(&self, i: usize, j: usize, spring: Vector) -> (Vector, Vector) {
        let d = [0, 1, 2].map(|a: usize| self.x[i][a] - self.x[j][a]);
        let v = [0, 1, 2].map(|a: usize| self.v[i][a] - self.v[j][a]);
        let along = (v[0] * d[0] + v[1] * d[1] + v[2] * d[2]) / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        let spring = [0, 1, 2].map(|a: usize| spring[a] + DT * (v[a] - along * d[a]));
        let r = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
        let force = [0, 1, 2].map(|a: usize| 200.0 * (DIAMETER - r) * d[a] / r - 80.0 * spring[a]);
        (spring, force)
    }

    fn move_on(&mut self, force: &[Vector]) {
        for ((x, v), force) in self.x.iter_mut().zip(&mut self.v).zip(force) {
            for ((x, v), force) in x.iter_mut().zip(v).zip(force) {
                *v += DT * force;
                *x += DT * *v;
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

/// Positions after all steps, with a spring for each pair in a table; the sums go by `(i, j)`, each pair once, or by rows.
fn by_table(seed: u64, full: bool) -> (Vec<Vector>, usize) {
    let (mut grains, mut springs, mut lived) = (Grains::new(seed), vec![[0.0; 3]; N * N], 0);
    for _ in 0..STEPS {
        let mut forces = vec![[0.0; 3]; N];
        for i in 0..N {
            for j in 0..N {
                if i == j || (!full && i > j) {
                    continue;
                }
                let d = [0, 1, 2].map(|a: usize| grains.x[i][a] - grains.x[j][a]);
                if d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > DIAMETER * DIAMETER {
                    springs[i * N + j] = [0.0; 3];
                    continue;
                }
                lived += usize::from(springs[i * N + j] != [0.0; 3]);
                let (spring, force) = grains.contact(i, j, springs[i * N + j]);
                springs[i * N + j] = spring;
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
fn by_lists(seed: u64, kind: impl Fn(usize) -> NeighborsKind) -> Vec<Vector> {
    let (mut grains, mut search) = (Grains::new(seed), worker(1, 2));
    let (mut old, mut new) = (NeighborList::new(), NeighborList::new());
    let mut old_springs: Vec<f64> = Vec::new();
    let columns = Columns {
        count: 3,
        signs: &[-1; 3],
    };
    search.set_cutoff(DIAMETER).unwrap();
    for step in 0..STEPS {
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
        let mut forces = vec![[0.0; 3]; N];
        for i in 0..N {
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
    for seed in [1, 2] {
        for (kind, full) in [(NeighborsKind::Half, false), (NeighborsKind::Full, true)] {
            let (wanted, lived) = by_table(seed, full);
            assert!(lived > 5000, "{lived} springs lived on");
            assert_eq!(bits(&by_lists(seed, |_| kind)), bits(&wanted), "{kind:?}");
        }
        // Half and full rows in turn: the springs of a pair differ in their signs alone.
        let turns = |step: usize| [NeighborsKind::Half, NeighborsKind::Full][step / 10 % 2];
        let far = by_lists(seed, turns)
            .iter()
            .zip(by_table(seed, true).0)
            .map(|(a, b)| (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f64::max))
            .fold(0.0, f64::max);
        assert!(far < 1e-6, "{far}");
    }
}
