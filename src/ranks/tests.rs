//! Ranks that are threads, against the truth of all pairs.

mod handle;

use super::boxes::Reach;
use super::cloud::Cloud;
use super::comm::Comm;
use super::fake::on_ranks;
use super::fof::{self, Friends, Known};
use super::groups;
use super::knn::{self, Finder, Nearest};
use super::migration::{self, Crowd};
use super::plan::{Arrived, Plan, Scene, Workshop, make};
use crate::domain::{Period, Periods};
use crate::groups::Properties;
use crate::list::Out;
use crate::measure::Measure;
use crate::points::{Points, PointsView};
use crate::random::Random;
use crate::search::{KnnKind, Search};
use crate::threads::Team;
use crate::version::Version;

const RANKS: usize = 4;
const POINTS: usize = 300;
const CUTOFF: f64 = 0.12;

/// Linking lengths by dim, for many groups.
const LINKS: [f64; 3] = [0.005, 0.06, 0.11];

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
                cloud: Cloud::new(&points, 0..mine.len()),
                places: None,
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

/// Gives a search its ghosts; the plan, their ids and their ranks.
fn add_ghosts(comm: &Comm, world: &World, search: &mut Search, ids: &[i64]) -> (Plan, Vec<i64>, Vec<i32>) {
    let team = Team::caller();
    let scene = Scene {
        cloud: Cloud::new(search.held::<f64>().unwrap(), 0..ids.len()),
        places: None,
        ids,
        cutoff: CUTOFF,
        reach: Reach::new(CUTOFF, f64::EPSILON, world.periods.lengths()),
        team: &team,
    };
    let (plan, arrived) = make(comm, &scene, &mut Workshop::default(), Ok(())).unwrap();
    let parts: Vec<_> = arrived.parts::<f64>(world.dim).map(Result::unwrap).collect();
    let ghost_ids: Vec<i64> = parts
        .iter()
        .flat_map(|(_, ids, _)| ids_in(ids))
        .map(|id| id as i64)
        .collect();
    let ranks = parts
        .iter()
        .flat_map(|(rank, _, view)| std::iter::repeat_n(*rank as i32, view.len()));
    let views: Vec<_> = parts.iter().map(|(_, _, view)| *view).collect();
    search.set_ghosts::<f64>(&views).unwrap();
    search.set_ids(&[ids, &ghost_ids].concat()).unwrap();
    (plan, ghost_ids, ranks.collect())
}

/// The groups of a rank's points, whose ids are these, and the search that has them.
fn friends_of(comm: &Comm, world: &World, ids: &[i64]) -> (Search, Friends) {
    let mut search = world.search(&world.of(comm.rank()));
    search.set_cutoff(LINKS[world.dim - 1]).unwrap();
    let (plan, ghosts, ranks) = add_ghosts(comm, world, &mut search, ids);
    let known = Known {
        plan: &plan,
        own: ids,
        ghosts: &ghosts,
        ranks: &ranks,
        attaches: false,
    };
    let friends = fof::find::<f64>(comm, &mut search, &known, Vec::new()).unwrap();
    (search, friends)
}

/// Masses and velocities of some points.
fn properties_of(world: &World, mine: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let masses = mine.iter().map(|&point| 1.0 + world.at(point)[0]).collect();
    let velocities = world.coords(mine).iter().map(|c| c - 0.3).collect();
    (masses, velocities)
}

/// Labels and the catalogue are those of a search by one rank, bit by bit.
#[test]
fn groups_are_those_of_all_ranks() {
    const LEAST: i64 = 2;
    for world in World::all() {
        let all: Vec<usize> = (0..POINTS).collect();
        let mut alone = world.search(&all);
        alone.set_cutoff(LINKS[world.dim - 1]).unwrap();
        let truth = alone.fof().unwrap();
        let (labels, groups) = (truth.labels.to_vec(), truth.groups);
        let (masses, velocities) = properties_of(&world, &all);
        let properties = Properties {
            masses: Some(&masses[..]),
            velocities: Some(PointsView::interleaved(world.dim, &velocities).unwrap()),
        };
        let truth = alone.groups::<f64>(LEAST, &properties).unwrap();
        assert!(truth.labels.len() > 1);
        let found = on_ranks(RANKS, |comm| {
            let mine = world.of(comm.rank());
            let ids = world.ids(&mine);
            let (mut search, friends) = friends_of(comm, &world, &ids);
            let found = friends.labels.iter().map(|&label| label as i32);
            assert!(found.eq(mine.iter().map(|&point| labels[point])));
            assert_eq!(friends.groups, groups as i64);
            let (masses, velocities) = properties_of(&world, &mine);
            let properties = Properties {
                masses: Some(&masses[..]),
                velocities: Some(PointsView::interleaved(world.dim, &velocities).unwrap()),
            };
            let made = groups::find(comm, &mut search, (&ids, &friends), (LEAST, &properties));
            let (catalogue, _) = made.unwrap();
            let (labels, found) = (catalogue.show().labels, catalogue.show().totals);
            for (g, &label) in labels.iter().enumerate() {
                let t = truth
                    .labels
                    .iter()
                    .position(|&other| i64::from(other) == label)
                    .unwrap();
                let vector = |g: usize| g * world.dim..(g + 1) * world.dim;
                assert_eq!(world.owner(label as usize), comm.rank());
                assert_eq!((found.sizes[g], found.wide[g]), (truth.sizes[t], truth.wide[t]));
                assert_eq!((found.masses[g], found.radii[g]), (truth.masses[t], truth.radii[t]));
                assert_eq!(found.centers[vector(g)], truth.centers[vector(t)]);
                assert_eq!(
                    found.velocities.unwrap()[vector(g)],
                    truth.velocities.unwrap()[vector(t)]
                );
            }
            labels.len()
        });
        assert_eq!(found.iter().sum::<usize>(), truth.labels.len());
    }
}

/// Every point moves to one rank, and all ranks get as many, in an order that the ranks before do not change.
#[test]
fn points_migrate() {
    for world in World::all() {
        let moved = |owner: &(dyn Fn(usize) -> usize + Sync)| {
            on_ranks(RANKS, |comm| {
                let mine: Vec<usize> = (0..POINTS).filter(|&point| owner(point) == comm.rank()).collect();
                let (ids, coords) = (world.ids(&mine), world.coords(&mine));
                let crowd = Crowd {
                    points: PointsView::interleaved(world.dim, &coords).unwrap(),
                    periods: world.periods,
                    ids: Some(&ids),
                };
                let (migration, _) = migration::plan(comm, &crowd).unwrap();
                let [before, after] = migration.counts();
                assert_eq!([before, after], [mine.len(), POINTS / RANKS]);
                let mut field = vec![0u8; 8 * after];
                let out = &mut Out::new(&mut field);
                migration.migrate(comm, 8, bytemuck::cast_slice(&ids), out).unwrap();
                ids_in(&field).collect::<Vec<_>>()
            })
        };
        let found = moved(&|point| world.owner(point));
        assert_eq!(found, moved(&|point| point * point % 7 % RANKS));
        let mut all = found.concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..POINTS));
    }
}
