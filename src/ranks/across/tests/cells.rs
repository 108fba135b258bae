//! Rows of images and formulas in a cell of three vectors.

use super::side::{Got, Row, Side};
use super::world::World;
use super::{Sequence, check};
use crate::error::{Error, Result, Status};
use crate::exclusions::{ExcludedIds, Shift};
use crate::kinds::GhostPairs;
use crate::plan::Backend;
use crate::points::PointsView;
use crate::ranks::fake::on_ranks;
use crate::ranks::{Comm, Need, Ranks};
use crate::search::{NeighborsKind, Search};

impl Side {
    /// Rows of images: numbers and shifts.
    fn images(&mut self, world: &World, kind: NeighborsKind) -> Result<Got> {
        let (offsets, ids, shifts) = self.together(kind, |search| {
            let found = search.images(kind)?;
            Ok((found.offsets.to_vec(), found.ids.to_vec(), found.shifts.to_vec()))
        })?;
        let named = self.named(world, kind, &offsets, &ids);
        let mut shifts = shifts.into_iter();
        let shifted = named.into_iter().map(|(row, ids)| {
            let entries = ids.into_iter().zip(&mut shifts);
            let entries = entries.flat_map(|(id, shift)| [id].into_iter().chain(shift.map(i64::from)));
            (row, entries.collect())
        });
        Ok(Got {
            rows: shifted.collect(),
            ..Got::default()
        })
    }

    /// Half rows with all pairs with ghosts have those of full rows.
    fn check_ghost_pairs(&mut self, world: &World) -> Result<()> {
        let Some(ranks) = &self.ranks else { return Ok(()) };
        let me = ranks.comm().rank();
        let is_foreign = |number: i64| {
            let mut points = 0..world.coords.len();
            points.any(|point| world.number(point) == number && world.owners[point] != me)
        };
        let full = self.images(world, NeighborsKind::Full)?;
        self.search.set_ghost_pairs(GhostPairs::All);
        let half = self.images(world, NeighborsKind::Half)?;
        self.search.set_ghost_pairs(GhostPairs::LargerIds);
        for ((_, full), (_, half)) in full.rows.iter().zip(&half.rows) {
            let [full, half] = [full, half].map(|row| row.chunks(4).filter(|entry| is_foreign(entry[0])));
            assert!(full.eq(half));
        }
        Ok(())
    }

    /// Ghosts are where their ranks have them.
    fn check_ghosts(&mut self, world: &World) -> Result<()> {
        let base = if world.with_ids { 0 } else { self.search.index_base() };
        let Some(ranks) = &mut self.ranks else { return Ok(()) };
        let asked = Ok((Need::Rows(NeighborsKind::Full), ()));
        let ((), ghosts) = ranks.ghosts::<f64, ()>(&mut self.search, asked)?;
        let each = ghosts
            .ids
            .iter()
            .zip(ghosts.ranks)
            .zip(ghosts.positions.chunks(world.dim));
        for ((&id, &rank), at) in each {
            let point = (0..world.coords.len()).find(|&point| world.number(point) == id - base);
            let point = point.unwrap();
            assert_eq!(
                (rank as usize, at),
                (world.owners[point], &world.coords[point][..world.dim])
            );
        }
        Ok(())
    }
}

/// A sequence of calls in a cell.
fn sequence((seed, backend): (u64, Backend), ranks: usize, comm: Option<&Comm>) -> Vec<Got> {
    let (mut world, mut random) = World::new(seed, backend);
    world.renew(&mut random, ranks);
    world.renew_cell(&mut random);
    world.leave_in_cell();
    let mut side = Side::new(comm, &world);
    let mut got = Vec::new();
    side.search.set_cutoff(0.15).unwrap();
    side.set_points(&world).unwrap();
    for _ in 0..12 {
        let kind = [NeighborsKind::Half, NeighborsKind::Full][(random.bits() % 2) as usize];
        match random.bits() % 14 {
            0 => {
                world.renew(&mut random, ranks);
                world.leave_in_cell();
                side.set_points(&world).unwrap();
            }
            1 => {
                world.renew_kinds(&mut random);
                world.leave_in_cell();
                side.set_kinds(&world).unwrap();
                side.set_excluded(&world).unwrap();
            }
            2 => side.search.set_cutoff(0.03 + 0.2 * random.uniform()).unwrap(),
            3 => {
                world.renew_cell(&mut random);
                let (vectors, periodic) = world.cell.unwrap();
                side.search.set_cell(&vectors, periodic).unwrap();
                side.set_points(&world).unwrap();
            }
            4 => {
                let far = [0.001, 0.05][(random.bits() % 2) as usize];
                for at in &mut world.coords {
                    *at = at.map(|coord| coord + far * (random.uniform() - 0.5));
                }
                side.update(&world).unwrap();
            }
            5 => {
                let first = world.grow(&mut random, ranks);
                world.leave_in_cell();
                side.add_points(&world, first).unwrap();
            }
            6 => {
                world.spread(&mut random, ranks);
                side.set_points(&world).unwrap();
            }
            7 => side.search.set_skin([0.0, 0.04][(random.bits() % 2) as usize]).unwrap(),
            8 => {
                side.check_ghosts(&world).unwrap();
                side.check_ghost_pairs(&world).unwrap();
            }
            9 | 10 => got.push(side.run(&world, kind, 1 + (random.bits() % 2) as i64).unwrap()),
            _ => got.push(side.images(&world, kind).unwrap()),
        }
    }
    got
}

const SEQUENCE: Sequence = sequence;

#[test]
fn sequences() {
    check(SEQUENCE, 0..60, Backend::Cpu, &[1, 2, 3, 5, 8]);
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn sequences_on_a_gpu() {
    check(SEQUENCE, 100..108, Backend::Gpu, &[1, 3]);
}

/// Rows in real32 by global numbers.
fn rows_in_single(search: &mut Search, numbers: &[i64], kind: NeighborsKind) -> Result<Vec<Row>> {
    let found = search.images(kind)?;
    let entries = |row: usize| found.offsets[row] as usize..found.offsets[row + 1] as usize;
    let named = |at: usize| {
        let number = numbers[found.ids[at] as usize];
        [number].into_iter().chain(found.shifts[at].map(i64::from))
    };
    let rows = (0..found.offsets.len() - 1).map(|row| (numbers[row], entries(row).flat_map(named).collect()));
    Ok(rows.collect())
}

/// Points in real32, of which some are far away, have the rows of one rank, too.
#[test]
fn in_single_precision() {
    let mut entries = 0;
    for seed in 0..40 {
        let (mut world, mut random) = World::new(seed, Backend::Cpu);
        world.renew(&mut random, 3);
        world.renew_cell(&mut random);
        let (dim, kind) = (world.dim, [NeighborsKind::Half, NeighborsKind::Full][seed as usize % 2]);
        let (vectors, periodic) = world.cell.unwrap();
        let coords: Vec<f32> = (world.coords.iter())
            .flat_map(|at| &at[..dim])
            .map(|&coord| (coord * if random.bits().is_multiple_of(9) { 40.0 } else { 1.0 }) as f32)
            .collect();
        let begin = || -> Result<Search> {
            let mut search = Search::new()?;
            search.set_ghost_pairs(GhostPairs::LargerIds);
            search.set_cutoff(0.15)?;
            search.set_cell(&vectors, periodic)?;
            Ok(search)
        };
        let (mut alone, n) = (begin().unwrap(), coords.len() / dim);
        alone
            .set_points(&PointsView::interleaved(dim, &coords).unwrap())
            .unwrap();
        let truth = rows_in_single(&mut alone, &(0..n as i64).collect::<Vec<_>>(), kind).unwrap();
        let parts = on_ranks(3, |comm| -> Result<Vec<Row>> {
            let (mut search, mut ranks) = (begin()?, Ranks::new(comm.clone()));
            let [first, end] = [0, 1].map(|next| n * (comm.rank() + next) / 3);
            let view = PointsView::interleaved(dim, &coords[first * dim..end * dim])?;
            ranks.each(&mut search, "set_points", Ok(()), |search, ()| search.set_points(&view))?;
            ranks.together(&mut search, "images", Ok((Need::Rows(kind), ())), |_, (), _| Ok(()))?;
            let numbers: Vec<i64> = (first as i64..end as i64)
                .chain(ranks.ghost_ids.iter().copied())
                .collect();
            rows_in_single(&mut search, &numbers, kind)
        });
        entries += truth.iter().map(|(_, row)| row.len()).sum::<usize>();
        assert_eq!(
            parts.into_iter().flat_map(Result::unwrap).collect::<Vec<_>>(),
            truth,
            "seed {seed}"
        );
    }
    assert!(entries > 10_000, "{entries}");
}

/// Ranks that have two points each. The last one has none, and no cell.
fn begin(comm: &Comm, far: f64) -> Result<(Search, Ranks)> {
    let (mut search, mut ranks) = (Search::new()?, Ranks::new(comm.clone()));
    let (rank, is_last) = (comm.rank() as f64, comm.rank() == comm.size() - 1);
    let coords = [rank, 0.25, 0.0, rank + 0.5 + far, 0.25, 0.0];
    let coords = &coords[..if is_last { 0 } else { 6 }];
    if !is_last {
        search.set_cutoff(0.5)?;
        search.set_cell(&CELL, [true, true, false])?;
    }
    let view = PointsView::interleaved(3, coords)?;
    ranks.each(&mut search, "set_points", Ok(()), |search, ()| search.set_points(&view))?;
    Ok((search, ranks))
}

const CELL: [[f64; 3]; 3] = [[2.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.0; 3]];

/// The statuses of calls that a cell does not have are those of all ranks, which go on afterwards.
#[test]
fn refusals() {
    let full = NeighborsKind::Full;
    on_ranks(3, |comm| {
        let count = |search: &mut Search, ranks: &mut Ranks| -> Result<usize> {
            let (mut total, asked) = (0, Ok((Need::Rows(full), ())));
            ranks.together(search, "images", asked, |search, (), meeting| {
                total = meeting.agree(match search.is_empty() {
                    true => Ok(0),
                    false => search.images(full).map(|images| images.ids.len()),
                })?;
                Ok(())
            })?;
            Ok(total)
        };
        let (mut search, mut ranks) = begin(comm, 0.0).unwrap();
        let (search, ranks) = (&mut search, &mut ranks);
        let of_rank = if search.is_empty() { 0 } else { 4 };
        assert_eq!(count(search, ranks), Ok(of_rank));
        let rows = ranks.together(search, "rows", Ok((Need::Rows(full), ())), |search, (), _| {
            search.neighbors(full).map(drop)
        });
        let within = Ok((Need::Within(full, 0.5), ()));
        let within = ranks.together(search, "within", within, |_, (), _| Ok(()));
        let groups = ranks.fof(search, Ok(())).map(drop);
        for refused in [rows, within, groups] {
            assert_eq!(refused.map_err(|error| error.status()), Err(Status::NotSupported));
        }
        assert_eq!(count(search, ranks), Ok(of_rank));
        if comm.rank() == 1 {
            search.set_cell(&CELL, [true, false, false]).unwrap();
        }
        let error = count(search, ranks).unwrap_err();
        assert!(
            error.status() == Status::Disagreement && error.to_string().contains("cell"),
            "{error}"
        );
        let (mut search, mut ranks) = begin(comm, if comm.rank() == 1 { 1e15 } else { 0.0 }).unwrap();
        let error: Error = count(&mut search, &mut ranks).unwrap_err();
        assert!(
            error.status() == Status::BadDomain && error.to_string().contains("origin"),
            "{error}"
        );
    });
}

/// The rows of a pair on two ranks have opposite shifts; what one rank refuses, all do.
#[test]
fn excluded_images_of_two_ranks() {
    let full = NeighborsKind::Full;
    let along = |by: i32| Some([by, 0, 0]);
    // The shifts in the rows of two points, and the status, or the entries of each rank.
    type Given = ([Option<Shift>; 2], std::result::Result<usize, Status>);
    let cases: [Given; 7] = [
        ([along(-1), along(1)], Ok(3)),
        ([along(1), along(1)], Err(Status::BadValue)),
        ([along(0), along(0)], Ok(4)),
        ([None, along(0)], Err(Status::BadValue)),
        ([along(0), None], Err(Status::BadValue)),
        ([Some([0, 0, 1]), Some([0, 0, -1])], Err(Status::BadValue)),
        ([None, None], Ok(3)),
    ];
    on_ranks(3, |comm| {
        let (mut search, mut ranks) = begin(comm, 0.0).unwrap();
        for (given, wanted) in cases {
            let (ids, shift) = match comm.rank() {
                0 => (vec![3], given[0]),
                1 => (vec![0], given[1]),
                _ => (Vec::new(), None),
            };
            let offsets = [vec![0, 1, 1], vec![0, 0, 1], vec![0]][comm.rank()].clone();
            let rows = ExcludedIds::new(&offsets, &ids, None, 0).unwrap();
            let shifts = shift.map(|shift| vec![shift]);
            ranks.set_exclusions(rows.of_images(shifts.as_deref(), 0).unwrap());
            let mut total = 0;
            let found = ranks.together(
                &mut search,
                "images",
                Ok((Need::Rows(full), ())),
                |search, (), meeting| {
                    total = meeting.agree(match search.is_empty() {
                        true => Ok(wanted.unwrap_or(0)),
                        false => search.images(full).map(|images| images.ids.len()),
                    })?;
                    Ok(())
                },
            );
            let found = found.map(|()| total).map_err(|error| error.status());
            assert_eq!(found, wanted, "{given:?}");
        }
    });
}
