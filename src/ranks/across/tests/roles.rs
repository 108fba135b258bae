//! Points that are active, ghosts or absent on their own ranks.

use super::side::Side;
use super::world::World;
use crate::error::{Result, Status};
use crate::kinds::Role;
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
