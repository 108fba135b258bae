//! Random sequences of calls across ranks that are threads, against one search of all points: the same code drives both.

mod calls;
mod cells;
mod differ;
mod failures;
mod restart;
mod roles;
mod side;
mod world;

use crate::error::Status;
use crate::plan::Backend;
use crate::random::Random;
use crate::ranks::Comm;
use crate::ranks::fake::on_ranks;
use crate::search::NeighborsKind;
use side::{Got, Side};
use world::World;

/// A sequence of calls on one side; all sides draw the same numbers.
fn sequence((seed, backend): (u64, Backend), ranks: usize, comm: Option<&Comm>) -> Vec<Got> {
    let (mut world, mut random) = World::new(seed, backend);
    world.renew(&mut random, ranks);
    let mut side = Side::new(comm, &world);
    let (mut cutoff, mut got, on_cpu) = (0.15, Vec::new(), backend == Backend::Cpu);
    side.search.set_cutoff(cutoff).unwrap();
    side.set_points(&world).unwrap();
    for _ in 0..12 {
        let kind = [NeighborsKind::Half, NeighborsKind::Full][(random.bits() % 2) as usize];
        match random.bits() % 21 {
            0 => {
                world.renew(&mut random, ranks);
                side.set_points(&world).unwrap();
            }
            1 => {
                world.renew_kinds(&mut random);
                side.set_kinds(&world).unwrap();
                side.set_excluded(&world).unwrap();
            }
            2 => {
                cutoff = 0.05 + 0.15 * random.uniform();
                side.search.set_cutoff(cutoff).unwrap();
            }
            3 => {
                let skin = [0.0, 0.04][(random.bits() % 2) as usize];
                side.search.set_skin(skin).unwrap();
            }
            4 => {
                let far = [0.001, 0.004, 0.05][(random.bits() % 3) as usize];
                let move_one = |coord: f64, random: &mut Random| coord + far * (random.uniform() - 0.5);
                for at in &mut world.coords {
                    *at = at.map(|coord| move_one(coord, &mut random));
                }
                side.update(&world).unwrap();
            }
            5 => got.push(side.pairs(&world).unwrap()),
            6 => got.push(side.chunks(&world, kind).unwrap()),
            7 => got.push(side.run(&world, kind, 1 + (random.bits() % 2) as i64).unwrap()),
            8 if world.radii.is_none() && world.cutoffs.is_none() => got.push(side.histogram(kind, cutoff).unwrap()),
            9 if world.radii.is_none() => {
                let count = (random.bits() % 30) as usize;
                side.set_queries(&world, count).unwrap();
                got.push(side.rows(&world, NeighborsKind::Queries).unwrap());
            }
            12 => {
                let first = world.grow(&mut random, ranks);
                side.add_points(&world, first).unwrap();
            }
            10 => got.push(side.forms(&world, kind).unwrap()),
            11 if side.search.has_a_skin() => got.push(side.verlet(&world, kind).unwrap()),
            13 if world.radii.is_none() && world.cutoffs.is_none() => {
                got.push(side.by_cutoffs(&world, kind, cutoff).unwrap())
            }
            14 if on_cpu && world.cutoffs.is_none() => got.push(side.solve_radii(&world).unwrap()),
            18 => {
                got.push(side.springs(&world).unwrap());
                world.spread(&mut random, ranks);
                side.set_points(&world).unwrap();
                got.push(side.springs(&world).unwrap());
            }
            17 => got.push(side.springs(&world).unwrap()),
            20 => got.push(
                side.restart(&mut world, |world| world.spread(&mut random, ranks))
                    .unwrap(),
            ),
            // A GPU that is asked for refuses these with ids that do not ascend.
            15 if on_cpu && (world.has_absent() || !world.has_active_first()) => {
                // One search has its active points at other places.
                let is_refused = side.ranks.is_none() || side.nearest(&world, 3).is_err();
                assert!(is_refused);
            }
            15 if on_cpu => got.push(side.nearest(&world, 1 + (random.bits() % 9) as usize).unwrap()),
            16 | 19 if world.radii.is_none() && world.has_absent() => {
                assert_eq!(side.groups(&world).unwrap_err().status(), Status::NotSupported);
            }
            16 | 19 if world.radii.is_none() && world.cutoffs.is_none() => got.push(side.groups(&world).unwrap()),
            _ => got.push(side.rows(&world, kind).unwrap()),
        }
    }
    got
}

/// The drive of one side.
type Sequence = fn((u64, Backend), usize, Option<&Comm>) -> Vec<Got>;

/// The results of all ranks together.
fn joined(parts: Vec<Got>) -> Got {
    let mut all = Got::default();
    for part in parts {
        all.rows.extend(part.rows);
        all.values.extend(part.values);
        all.counts.resize(all.counts.len().max(part.counts.len()), 0);
        all.counts
            .iter_mut()
            .zip(&part.counts)
            .for_each(|(sum, count)| *sum += count);
        assert!(
            all.numbers.is_empty() || all.numbers == part.numbers,
            "numbers differ between ranks"
        );
        all.numbers = part.numbers;
    }
    all.rows.sort();
    all.values.sort();
    all
}

/// Every result is that of one search of all points on the CPU, bit for bit.
fn check(sequence: Sequence, seeds: std::ops::Range<u64>, backend: Backend, sizes: &[usize]) {
    for (seed, &ranks) in seeds.flat_map(|seed| sizes.iter().map(move |ranks| (seed, ranks))) {
        let truth = sequence((seed, backend), ranks, None);
        let mut parts = on_ranks(ranks, |comm| sequence((seed, backend), ranks, Some(comm)));
        for (step, truth) in truth.into_iter().enumerate() {
            let got = parts.iter_mut().map(|part| std::mem::take(&mut part[step])).collect();
            assert_eq!(
                joined(got),
                joined(vec![truth]),
                "seed {seed}, {ranks} ranks, result {step}"
            );
        }
    }
}

#[test]
fn sequences() {
    check(sequence, 0..60, Backend::Cpu, &[1, 2, 3, 5, 8]);
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn sequences_on_a_gpu() {
    check(sequence, 100..104, Backend::Gpu, &[1, 2, 3]);
}
