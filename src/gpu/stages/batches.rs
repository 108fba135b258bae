//! Work in one submission, and work in batches: queries of a device that is masked as if it were very slow, and large searches
//! of one whose speed is not known yet.
//!
//! in: the queries of `memory`; out: failures where results are not the CPU's, or where submissions are too many or too few.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::index;
use super::memory::{QUERIES, Query, cloud, count, rule, search};
use crate::gpu::Gpu;
use crate::gpu::acquire;
use crate::gpu::device::Device;
use crate::gpu::speeds::{Load, Pass, Speeds};
use crate::plan::{Backend, WantedDevice};
use crate::points::PointsView;

const NAME: &str = "gpu::stages::batches::few_submissions_or_many";

/// Submissions of each query: the index of the k nearest and that of groups take two, that by radii two of its own.
const SUBMISSIONS: [u64; 5] = [3, 3, 3, 3, 4];

/// Runs this test again, in a process whose devices have `mask`.
fn run_again(mask: &str) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", NAME])
        .env("NEARGRID_GPU_MASK", mask)
        .env("NEARGRID_TEST_CHILD", NAME)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{mask}: {said}");
}

/// The submissions that a query takes of a new handle, and of the same with its points set again.
fn submissions(device: &Arc<Device>, (name, ask): Query) -> [u64; 2] {
    let truth = ask(&mut search(Backend::Cpu)).unwrap();
    let (mut search, coords) = (search(Backend::Gpu), cloud(600).coords);
    [(); 2].map(|()| {
        let before = device.submissions.load(Relaxed);
        assert!(ask(&mut search).unwrap() == truth, "{name}");
        search
            .set_points(&PointsView::interleaved(3, &coords).unwrap())
            .unwrap();
        device.submissions.load(Relaxed) - before
    })
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn few_submissions_or_many() {
    let is_child = std::env::var_os("NEARGRID_TEST_CHILD").is_some();
    if !is_child {
        for mask in ["no-timestamps", "batches", "batches,no-timestamps"] {
            run_again(mask);
        }
        return;
    }
    let device = acquire(WantedDevice::Best, true).unwrap();
    let found = QUERIES.map(|query| submissions(&device, query));
    let few = found.map(|found| found[1]);
    match device.mask.batches {
        false => assert_eq!(few, SUBMISSIONS, "{found:?}"),
        true => assert!(
            few.iter().zip(SUBMISSIONS).all(|(&few, whole)| few > 3 * whole),
            "{found:?}"
        ),
    }
}

/// The first search for many points runs in batches. Then the speed is known, and the next is one submission: no driver resets a
/// device in software.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn speed_is_measured_once() {
    let device = acquire(WantedDevice::Best, true).unwrap();
    let (mut gpu, mut cloud) = (Gpu::new(device.clone()).unwrap(), cloud(70_000));
    cloud.cutoff = 0.01;
    let mut lengths = Vec::new();
    for round in 0..2 {
        index(&mut gpu, &cloud);
        let before = gpu.channel.speeds.is_short(&device, gpu.rows.count_load());
        lengths.push(count(&mut gpu, 70_000, rule(false)));
        assert_eq!(before, round > 0);
    }
    assert!(lengths[0] == lengths[1] && lengths[0][70_000] > 0);
}

/// A measured time holds for as much work again, and for twice the cutoff; far slower devices get batches.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn speeds() {
    let device = acquire(WantedDevice::Best, true).unwrap();
    let load = |items, reach| Load {
        pass: Pass::Count,
        items,
        reach,
        is_rest: false,
    };
    let mut speeds = Speeds::default();
    assert!(speeds.is_short(&device, load(1 << 16, 1.0)) && !speeds.is_short(&device, load(1 << 17, 1.0)));
    speeds.note(load(1 << 20, 1.0), 1e-3);
    for (items, reach, short) in [(1 << 21, 2.0, true), (1 << 22, 1.0, false), (1 << 20, 2.5, false)] {
        assert_eq!(speeds.is_short(&device, load(items, reach)), short, "{items}, {reach}");
    }
}
