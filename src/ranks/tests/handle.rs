//! Groups and fields of handles across ranks.

use super::{LINKS, POINTS, RANKS, World, ids_in, properties_of};
use crate::error::Status;
use crate::groups::Properties;
use crate::list::Out;
use crate::points::PointsView;
use crate::ranks::across::Ranks;
use crate::ranks::fake::on_ranks;
use crate::search::Search;

/// The search of a rank, and its ranks.
fn handle(world: &World, comm: &super::Comm) -> (Search, Ranks, Vec<usize>) {
    let mine = world.of(comm.rank());
    let mut search = world.search(&mine);
    search.set_cutoff(LINKS[world.dim - 1]).unwrap();
    (search, Ranks::new(comm.clone()), mine)
}

/// Groups are found once, and again where the cutoff is another; a rank that asks for other groups fails all.
#[test]
fn groups_are_kept() {
    for world in World::all() {
        let all: Vec<usize> = (0..POINTS).collect();
        let mut alone = world.search(&all);
        let mut groups_with = |cutoff: f64| {
            alone.set_cutoff(cutoff).unwrap();
            alone.fof().unwrap().groups as i64
        };
        let cutoffs = [LINKS[world.dim - 1], 0.5 * LINKS[world.dim - 1]];
        let groups = cutoffs.map(&mut groups_with);
        on_ranks(RANKS, |comm| {
            let (mut search, mut ranks, mine) = handle(&world, comm);
            ranks.set_ids(&world.ids(&mine)).unwrap();
            assert!(ranks.friends(&search).is_err());
            for (cutoff, groups) in [0, 0, 1].map(|k| (cutoffs[k], groups[k])) {
                search.set_cutoff(cutoff).unwrap();
                let found = ranks.fof(&mut search, Ok(())).unwrap().1;
                assert_eq!((found.groups, found.labels.len()), (groups, mine.len()));
            }
            let (masses, _) = properties_of(&world, &mine);
            let masses = Some(&masses[..]);
            let properties = Properties {
                masses,
                velocities: None,
            };
            let catalogue = ranks.groups(&mut search, Ok((1, &properties))).unwrap();
            let (shown, is_owner) = (catalogue, |&label: &i64| world.owner(label as usize) == comm.rank());
            assert!(shown.labels.iter().all(is_owner) && shown.totals.velocities.is_none());
            assert!(ranks.catalogue(&search).is_ok());
            search.set_cutoff(cutoffs[0]).unwrap();
            assert!(ranks.catalogue(&search).is_err());
            let least = 1 + (comm.rank() == 2) as i64;
            let error = ranks.groups(&mut search, Ok((least, &properties))).unwrap_err();
            assert_eq!(error.status(), Status::Disagreement, "{error}");
        });
    }
}

/// A field moves with its points, in the order of the plan; without a plan all refuse.
#[test]
fn fields_migrate() {
    let world = World::new(2, true);
    let moved = on_ranks(RANKS, |comm| {
        let (search, mut ranks, mine) = handle(&world, comm);
        let (ids, coords) = (world.ids(&mine), world.coords(&mine));
        let bytes: &[u8] = bytemuck::cast_slice(&ids);
        assert!(ranks.migrate(Ok((8, bytes, Out::empty()))).is_err());
        let points = PointsView::interleaved(world.dim, &coords).unwrap();
        let after = ranks.plan_migration(&search, Ok((points, None))).unwrap();
        let mut field = vec![0u8; 8 * after];
        assert!(ranks.migrate(Ok((4, bytes, Out::new(&mut field)))).is_err());
        ranks.migrate(Ok((8, bytes, Out::new(&mut field)))).unwrap();
        ids_in(&field).collect::<Vec<_>>()
    });
    let mut all = moved.concat();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..POINTS));
}
