//! Too little memory: a status and a handle that works on, or for ids chunks that are halved until there is enough.
//!
//! in: a cloud, and the allocation that fails; out: failures where results are not the oracle's or the CPU's.

use std::process::Command;
use std::sync::Arc;

use super::index;
use super::points::Cloud;
use crate::error::{Result, Status};
use crate::gpu::Gpu;
use crate::gpu::acquire::{acquire, acquire_masked};
use crate::gpu::device::Device;
use crate::gpu::fault::{Coming, Fault, Mask};
use crate::gpu::queries::{Rule, Want};
use crate::ids::{Labels, Offsets, OutputMap, Places};
use crate::list::Rows;
use crate::plan::{Backend, WantedDevice};
use crate::points::PointsView;
use crate::radii::RadiusRule;
use crate::random::Random;
use crate::search::{KnnKind, Measure, NeighborsKind, Search};
use crate::threads::Team;

/// A device that no other test uses: masks have their own.
fn device() -> Arc<Device> {
    let mask = Mask {
        binding: Some(1 << 23),
        ..Mask::default()
    };
    acquire_masked(WantedDevice::Best, true, mask).unwrap()
}

pub(super) fn cloud(points: usize) -> Cloud<f64> {
    Cloud::new(format!("{points} points"), 3, Random(7).cloud(3, points), 0.25)
}

/// Full rows, which the device goes on to fill where they are `eager`.
pub(super) fn rule(eager: bool) -> Rule<'static> {
    Rule {
        full: true,
        classes: None,
        excluded: None,
        base: 0,
        lower_ghosts: [0; 2],
        eager,
    }
}

/// The offsets of so many rows.
pub(super) fn count(gpu: &mut Gpu, rows: usize, rule: Rule) -> Offsets {
    let mut offsets = Offsets::default();
    let count = |offsets: &mut Vec<i64>| {
        offsets.resize(rows + 1, 0);
        gpu.rows.count_rows(&mut gpu.channel, rule, &Team::caller(), offsets)
    };
    offsets.make(&Team::caller(), count).unwrap();
    offsets
}

pub(super) fn fill(gpu: &mut Gpu, offsets: &Offsets) -> Result<Vec<i32>> {
    let mut ids = vec![-1; offsets[offsets.len() - 1] as usize];
    let places = Places::as_searched(offsets);
    let labels = Labels {
        base: 0,
        order: None,
        ghosts: None,
    };
    let want = Want {
        output: OutputMap { places, labels },
        ids: Rows::new(&mut ids),
        left: None,
    };
    gpu.fill(&Team::caller(), want)?;
    Ok(ids)
}

pub(super) fn ids_of(rows: &[Vec<u32>]) -> Vec<i32> {
    rows.iter().flatten().map(|&id| id as i32).collect()
}

/// Without memory for the ids of all rows, or for those of a second chunk, the next try takes half as much.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn chunks_are_halved() {
    let (device, cloud) = (device(), cloud(600));
    let rows = cloud.rows(true);
    let expected = ids_of(&rows);
    assert!(expected.len() > 8 << 10);
    for (limit, spared, eager) in [
        (None, 0, false),
        (None, 0, true),
        (Some(3 * (16 << 10)), 0, false),
        (Some(3 * (16 << 10)), 1, false),
    ] {
        let mut gpu = Gpu::new(device.clone()).unwrap();
        index(&mut gpu, &cloud);
        let offsets = count(&mut gpu, 600, rule(true)); // all but the ids stays
        gpu.rows.buffers.forget_ids();
        gpu.rows.filled = None;
        gpu.set_memory_limit(limit);
        let whole = gpu.rows.most_entries(&gpu.channel).min(expected.len() as u64);
        let coming = Coming {
            fault: Fault::Memory,
            spared,
        };
        device.arm(coming);
        if eager {
            assert_eq!(count(&mut gpu, 600, rule(true)), offsets);
            assert_eq!(gpu.rows.filled, None);
            device.arm(coming);
        }
        for _ in 0..2 {
            assert!(fill(&mut gpu, &offsets).unwrap() == expected, "{limit:?}, {spared}");
            let halved = whole * 2 / 5..=whole / 2;
            assert!(
                halved.contains(&gpu.rows.most_entries(&gpu.channel)),
                "{limit:?}, {spared}"
            );
        }
        // The next count tries again.
        let offsets = count(&mut gpu, 600, rule(true));
        assert!(fill(&mut gpu, &offsets).unwrap() == expected);
        assert!(gpu.rows.most_entries(&gpu.channel) >= whole);
    }
}

/// A chunk that is as small as any ends the search, and the next one works.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn the_smallest_chunk_is_a_status() {
    let (device, cloud) = (device(), cloud(60));
    let (mut gpu, rows) = (Gpu::new(device.clone()).unwrap(), cloud.rows(true));
    index(&mut gpu, &cloud);
    let offsets = count(&mut gpu, 60, rule(false));
    device.arm(Fault::Memory);
    assert_eq!(fill(&mut gpu, &offsets).unwrap_err().status(), Status::OutOfMemory);
    assert!(fill(&mut gpu, &offsets).unwrap() == ids_of(&rows));
}

/// A question to a handle: ids in the end.
pub(super) type Query = (&'static str, fn(&mut Search) -> Result<Vec<i32>>);

pub(super) const QUERIES: [Query; 5] = [
    ("pairs", |search| Ok(search.pairs()?.right.to_vec())),
    ("rows", |search| Ok(search.neighbors(NeighborsKind::Full)?.ids.to_vec())),
    ("the k nearest", |search| {
        Ok(search.knn::<f64>(KnnKind::Others, 4, Measure::Distance)?.ids.to_vec())
    }),
    ("groups", |search| Ok(search.fof()?.labels.to_vec())),
    ("radii", |search| {
        search.set_radii(&[0.2; 600], RadiusRule::Gather)?;
        Ok(search.neighbors(NeighborsKind::Full)?.ids.to_vec())
    }),
];

pub(super) fn search(backend: Backend) -> Search {
    let (mut search, cloud) = (Search::new().unwrap(), cloud(600));
    search.set_backend(backend);
    search.set_cutoff(cloud.cutoff / 3.0).unwrap();
    let view = PointsView::interleaved(3, &cloud.coords).unwrap();
    search.set_points(&view).unwrap();
    search
}

/// Every allocation of every query fails once, in a process of its own.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn every_allocation() {
    const NAME: &str = "gpu::stages::memory::every_allocation";
    if std::env::var_os("NEARGRID_TEST_CHILD").is_none() {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", NAME])
            .env("NEARGRID_TEST_CHILD", NAME)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let device = acquire(WantedDevice::Best, true).unwrap();
    for (name, ask) in QUERIES {
        let truth = ask(&mut search(Backend::Cpu)).unwrap();
        let mut failures = 0;
        for spared in 0.. {
            let mut search = search(Backend::Gpu);
            device.arm(Coming {
                fault: Fault::Memory,
                spared,
            });
            let answer = ask(&mut search);
            if device.is_armed() {
                break;
            }
            match answer {
                Ok(ids) => assert!(ids == truth, "{name}, without allocation {spared}"),
                Err(error) => {
                    failures += 1;
                    assert_eq!(error.status(), Status::OutOfMemory, "{name}, {spared}: {error}");
                    assert!(ask(&mut search).unwrap() == truth, "{name}, after allocation {spared}");
                }
            }
        }
        assert!(failures > 8, "{name}: {failures} failures");
    }
}
