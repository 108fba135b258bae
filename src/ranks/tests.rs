//! Ranks that are threads, against the truth of all pairs.

use super::boxes::Reach;
use super::cloud::Cloud;
use super::comm::Comm;
use super::fake::on_ranks;
use super::plan::{Arrived, Plan, Scene, Workshop, make};
use crate::domain::{Period, Periods};
use crate::points::{Points, PointsView};
use crate::random::Random;
use crate::threads::Team;

const RANKS: usize = 4;
const POINTS: usize = 300;
const CUTOFF: f64 = 0.12;

/// Points of all ranks, of which each has a slice along x. Their ids are their numbers.
struct World {
    dim: usize,
    coords: Vec<f64>,
    periods: Periods<f64>,
}

impl World {
    fn new(dim: usize, is_periodic: bool) -> World {
        let mut random = Random(dim as u64);
        let period = |axis: usize| (is_periodic && axis < dim).then(|| Period::new(0.0, 1.0));
        World {
            dim,
            coords: (0..POINTS * dim).map(|_| random.uniform()).collect(),
            periods: Periods(std::array::from_fn(period)),
        }
    }

    fn all() -> [World; 4] {
        [(1, false), (2, true), (3, false), (3, true)].map(|(dim, is_periodic)| World::new(dim, is_periodic))
    }

    fn at(&self, point: usize) -> &[f64] {
        &self.coords[point * self.dim..(point + 1) * self.dim]
    }

    fn owner(&self, point: usize) -> usize {
        (self.at(point)[0] * RANKS as f64) as usize
    }

    fn of(&self, rank: usize) -> Vec<usize> {
        (0..POINTS).filter(|&point| self.owner(point) == rank).collect()
    }

    fn distance2(&self, a: usize, b: usize) -> f64 {
        let ends = |axis: usize| [self.at(a)[axis], self.at(b)[axis]];
        self.periods.distance2(self.dim, ends)
    }

    fn points(&self, mine: &[usize], team: &Team) -> Points<f64> {
        let (mut points, coords) = (Points::default(), mine.iter().flat_map(|&point| self.at(point)));
        let coords: Vec<f64> = coords.copied().collect();
        let view = PointsView::interleaved(self.dim, &coords).unwrap();
        points.copy(&view, &self.periods, team).unwrap();
        points
    }
}

fn ids_in(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let ids = bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned::<i64>);
    ids.map(|id| id as usize)
}

/// The ghosts that came, sorted: they are there once each, where they are.
fn check_arrived(world: &World, arrived: &Arrived) -> Vec<usize> {
    let mut came = Vec::new();
    for part in arrived.parts::<f64>(world.dim) {
        let (rank, ids, view) = part.unwrap();
        for (k, id) in ids_in(ids).enumerate() {
            assert!((0..world.dim).all(|axis| view.get(axis, k) == world.at(id)[axis]));
            assert_eq!(world.owner(id), rank);
            came.push(id);
        }
    }
    came.sort_unstable();
    assert!(came.windows(2).all(|pair| pair[0] < pair[1]));
    came
}

/// The ranks that have a point as a ghost are sent what belongs to it.
fn check_sends(comm: &Comm, plan: &Plan, ids: &[i64], came: &[usize]) {
    let out = plan.pack(8, bytemuck::cast_slice(ids)).unwrap();
    let told = comm.exchange(out, plan.expect_ghosts(8).unwrap()).unwrap();
    let mut told: Vec<usize> = told.iter().flat_map(|mail| ids_in(&mail.bytes)).collect();
    told.sort_unstable();
    assert_eq!(told, came);
}

/// Every rank gets all points within the cutoff of its own, also by a second plan.
#[test]
fn ghosts_are_complete() {
    for world in World::all() {
        on_ranks(RANKS, |comm| {
            let (mine, team) = (world.of(comm.rank()), Team::new(2).unwrap());
            let ids: Vec<i64> = mine.iter().map(|&point| point as i64).collect();
            let points = world.points(&mine, &team);
            let scene = Scene {
                cloud: Cloud::new(&points, mine.len()),
                ids: &ids,
                cutoff: CUTOFF,
                reach: Reach::new(CUTOFF, f64::EPSILON, world.periods.lengths()),
                team: &team,
            };
            let mut workshop = Workshop::default();
            for _ in 0..2 {
                let (plan, arrived) = make(comm, &scene, &mut workshop, Ok(())).unwrap();
                let came = check_arrived(&world, &arrived);
                assert_eq!(came.len(), plan.ghosts());
                for other in (0..POINTS).filter(|&other| world.owner(other) != comm.rank()) {
                    let is_near = mine
                        .iter()
                        .any(|&point| world.distance2(point, other) <= CUTOFF * CUTOFF);
                    assert!(!is_near || came.binary_search(&other).is_ok(), "point {other}");
                }
                check_sends(comm, &plan, &ids, &came);
                workshop.keep(arrived);
            }
        });
    }
}
