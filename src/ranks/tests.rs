//! State that ranks keep, and calls that they refuse. tests/model/ranks/ tests their answers.

mod handle;

use super::comm::Comm;
use crate::domain::{Period, Periods};
use crate::points::PointsView;
use crate::random::Random;
use crate::search::Search;

const RANKS: usize = 4;
const POINTS: usize = 300;

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
}

fn ids_in(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let ids = bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned::<i64>);
    ids.map(|id| id as usize)
}

/// Masses and velocities of some points.
fn properties_of(world: &World, mine: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let masses = mine.iter().map(|&point| 1.0 + world.at(point)[0]).collect();
    let velocities = world.coords(mine).iter().map(|c| c - 0.3).collect();
    (masses, velocities)
}
