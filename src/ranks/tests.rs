//! Ranks that are threads, against the truth of all pairs.

use super::boxes::Reach;
use super::cloud::Cloud;
use super::comm::Comm;
use super::fake::on_ranks;
use super::knn::{self, Finder, Nearest};
use super::plan::{Arrived, Plan, Scene, Workshop, make};
use crate::domain::{Period, Periods};
use crate::measure::Measure;
use crate::points::{Points, PointsView};
use crate::random::Random;
use crate::search::{KnnKind, Search};
use crate::threads::Team;
use crate::version::Version;

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

    fn ids(&self, mine: &[usize]) -> Vec<i64> {
        mine.iter().map(|&point| point as i64).collect()
    }

    fn coords(&self, mine: &[usize]) -> Vec<f64> {
        mine.iter().flat_map(|&point| self.at(point)).copied().collect()
    }

    fn search(&self, mine: &[usize]) -> Search {
        let mut search = Search::new().unwrap();
        let (lo, length) = ([0.0; 3], [1.0; 3]);
        let periodic = [!self.periods.is_open(); 3];
        search.set_threads(2).unwrap();
        search
            .set_box(&lo[..self.dim], &length[..self.dim], &periodic[..self.dim])
            .unwrap();
        search
            .set_points(&PointsView::interleaved(self.dim, &self.coords(mine)).unwrap())
            .unwrap();
        search
    }

    fn points(&self, mine: &[usize], team: &Team) -> Points<f64> {
        let (mut points, coords) = (Points::default(), self.coords(mine));
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
            let ids = world.ids(&mine);
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

/// The rows of a rank's points, by global ids and distances squared.
fn rows_of(
    comm: &Comm,
    world: &World,
    (search, finder): (&mut Search, &mut Finder),
    asked: Nearest,
) -> Vec<Vec<(f64, usize)>> {
    let mine = world.of(comm.rank());
    let ids = world.ids(&mine);
    let found = knn::find::<f64>(comm, (search, finder), (&ids, Some(Version::new())), asked).unwrap();
    let rows = found.show::<f64>();
    let id = |number: i32| match mine.get(number as usize) {
        Some(&id) => id,
        None => found.ghosts.ids[number as usize - mine.len()] as usize,
    };
    let row = |point: usize| {
        let at = point * asked.k..point * asked.k + rows.counts[point] as usize;
        let row = rows.distances[at.clone()].iter().zip(&rows.ids[at]);
        row.map(|(&square, &number)| (square, id(number))).collect()
    };
    (0..mine.len()).map(row).collect()
}

/// Rows are those of a search by one rank, whatever the number of neighbors, also within a radius.
#[test]
fn the_nearest_are_those_of_all_ranks() {
    for world in World::all() {
        on_ranks(RANKS, |comm| {
            let mine = world.of(comm.rank());
            let (mut search, mut finder) = (world.search(&mine), Finder::default());
            for (k, within, kind) in [
                (1, 0.0, KnnKind::Others),
                (7, 0.0, KnnKind::All),
                (POINTS + 5, 0.0, KnnKind::Others),
                (9, 0.1, KnnKind::Others),
            ] {
                search.set_knn_within(within).unwrap();
                let measure = Measure::Square;
                let asked = Nearest { kind, k, measure };
                let rows = rows_of(comm, &world, (&mut search, &mut finder), asked);
                let bound = if within > 0.0 { within * within } else { f64::INFINITY };
                for (&point, row) in mine.iter().zip(&rows) {
                    let others = (0..POINTS).filter(|&other| kind == KnnKind::All || other != point);
                    let squares = others.map(|other| (world.distance2(point, other), other));
                    let mut truth: Vec<_> = squares.filter(|&(square, _)| square <= bound).collect();
                    truth.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                    truth.truncate(k);
                    assert_eq!(row, &truth, "point {point}, k = {k}");
                }
            }
        });
    }
}
