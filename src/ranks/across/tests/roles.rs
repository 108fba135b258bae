//! Points that are active, ghosts or absent on their own ranks.

use super::side::{Row, Side};
use super::world::World;
use crate::error::{Result, Status};
use crate::kinds::{GhostPairs, Role};
use crate::plan::Backend;
use crate::ranks::fake::on_ranks;
use crate::search::NeighborsKind;

impl Side {
    /// Sets which of the points are active, in one of two ways.
    pub fn set_roles(&mut self, world: &World) -> Result<()> {
        let roles: Vec<Role> = self.mine.iter().map(|&point| world.role(point)).collect();
        let are_first = !roles.contains(&Role::Absent) && roles.is_sorted_by_key(|&role| role == Role::Ghost);
        let Some((_, rows)) = &world.roles else {
            return self.search.set_active(None);
        };
        self.search.set_ghost_rows(*rows);
        match are_first {
            true => self.search.set_active(Some(self.active_of(world) as i64)),
            false => self.search.set_roles(&roles),
        }
    }

    /// The number of active points of this side.
    pub fn active_of(&self, world: &World) -> usize {
        let active = self.mine.iter().filter(|&&point| world.role(point) == Role::Active);
        active.count()
    }
}

/// A world with roles, and the side of a rank or of all points.
fn of_roles(seed: u64, ranks: usize, comm: Option<&crate::ranks::Comm>) -> (World, Side) {
    let (mut world, mut random) = World::new(seed, Backend::Cpu);
    while world.roles.is_none() || world.radii.is_some() || world.coords.len() < 2 {
        world.renew(&mut random, ranks);
    }
    let mut side = Side::new(comm, &world);
    side.search.set_cutoff(0.15).unwrap();
    side.set_points(&world).unwrap();
    (world, side)
}

/// Half rows have all active points of other ranks if both ranks list their pairs. They have ghosts as always.
#[test]
fn pairs_on_both_ranks() {
    const RANKS: usize = 3;
    for seed in 0..40 {
        let (world, mut all) = of_roles(seed, RANKS, None);
        let full = all.rows(&world, NeighborsKind::Full).unwrap().rows;
        let place = |number: i64| {
            (0..world.coords.len())
                .find(|&point| world.number(point) == number)
                .unwrap()
        };
        let is_active = |number: i64| world.role(place(number)) == Role::Active;
        let owner = |number: i64| world.owners[place(number)];
        let is_listed = |row: i64, &other: &i64| owner(row) != owner(other) || row < other || !is_active(other);
        let half = |(row, ids): (i64, Vec<i64>)| match is_active(row) {
            true => (row, ids.into_iter().filter(|other| is_listed(row, other)).collect()),
            false => (row, Vec::new()),
        };
        let mut truth: Vec<Row> = full.into_iter().map(half).collect();
        let parts = on_ranks(RANKS, |comm| {
            let (world, mut side) = of_roles(seed, RANKS, Some(comm));
            side.search.set_ghost_pairs(GhostPairs::All);
            side.rows(&world, NeighborsKind::Half).unwrap().rows
        });
        let mut got = parts.concat();
        got.sort();
        truth.sort();
        assert_eq!(got, truth, "seed {seed}");
    }
}

/// Points of 32 types leave no room for roles across ranks; without roles there is room.
#[test]
fn of_32_types() {
    on_ranks(2, |comm| {
        let (world, mut side) = of_roles(1, 2, Some(comm));
        let types: Vec<i32> = side.mine.iter().map(|_| side.search.index_base() as i32 + 31).collect();
        let table = vec![true; if types.is_empty() { 0 } else { 32 * 32 }];
        side.search.set_type_cutoffs(&[]).unwrap();
        side.search.set_primary_types(&[]).unwrap();
        side.search.set_types(&types, &table).unwrap();
        let refused = side.rows(&world, NeighborsKind::Full).unwrap_err();
        assert_eq!(refused.status(), Status::NotSupported, "{refused}");
        side.search.set_active(None).unwrap();
        let mut world = world;
        world.roles = None;
        assert!(side.rows(&world, NeighborsKind::Full).is_ok());
    });
}
