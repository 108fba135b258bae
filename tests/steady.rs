//! A thousand steps on one handle, the number of points going up and down and every query in turn: memory stays what it was,
//! in the process, in the handle and on a device. A process of its own: others would be seen in its memory.

mod common;

use std::sync::{Mutex, PoisonError};

use common::{Random, is_whole};
use neargrid::{Backend, Counter, KnnKind, Measure, NeighborsKind, PointsView, RadiusRule, Search};

/// Steps after which all cases have occurred: every number of points with every query takes fewer.
const SETTLED: usize = 100;
const SIZES: usize = 13;
const QUERIES: usize = 7;

/// The growth that the process may have, in KiB: pieces that the allocator has free between those in use.
const SPARE: i64 = 4096;

/// Memory that the process has in RAM, in KiB.
fn resident() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// One query; returns how much was found.
fn ask(search: &mut Search, step: usize, n: usize, cutoff: f64) -> usize {
    match step % QUERIES {
        0 => search.pairs().unwrap().left.len(),
        1 => search.neighbors(NeighborsKind::Full).unwrap().ids.len(),
        2 => {
            let (mut chunks, mut found) = (search.chunks(NeighborsKind::Half, 20_000).unwrap(), 0);
            while let Some(chunk) = chunks.next().unwrap() {
                found += chunk.ids.len();
            }
            found
        }
        3 => search
            .knn::<f64>(KnnKind::Others, 8, Measure::Distance)
            .unwrap()
            .ids
            .len(),
        4 => search.fof().unwrap().labels.len(),
        5 => {
            let radii: Vec<f64> = (0..n)
                .map(|k| 3.0 * cutoff * 50f64.powf(-(k as f64 * 0.618).fract()))
                .collect();
            let rules = [RadiusRule::Max, RadiusRule::Min, RadiusRule::Mean];
            search.set_radii(&radii, rules[step % SIZES % 3]).unwrap();
            let found = search.neighbors(NeighborsKind::Half).unwrap().ids.len();
            search.clear_radii();
            found
        }
        _ => {
            let queries = Random(step as u64).cloud(3, n / 3);
            let view = PointsView::interleaved(3, &queries).unwrap();
            search.set_queries(&view).unwrap();
            search.queries().unwrap().ids.len()
        }
    }
}

/// A measurement: KiB of the process, bytes of the handle, bytes on the device.
type Seen = [[i64; 3]];

fn most(seen: &Seen) -> [i64; 3] {
    std::array::from_fn(|which| seen.iter().map(|counters| counters[which]).max().unwrap())
}

/// Of the process, what it has half of the time.
fn usual(seen: &Seen) -> i64 {
    let mut resident: Vec<i64> = seen.iter().map(|counters| counters[0]).collect();
    resident.sort_unstable();
    resident[resident.len() / 2]
}

fn check(backend: Backend, threads: i64, steps: usize, largest: usize) {
    let mut search = Search::new().unwrap();
    search.set_backend(backend);
    search.set_threads(threads).unwrap();
    let cutoff = (12.0 / largest as f64).cbrt();
    search.set_cutoff(cutoff).unwrap();
    let cloud = Random(51).cloud(3, largest);
    let (mut seen, mut coords) = (Vec::with_capacity(steps), cloud.clone());
    for step in 0..steps {
        // Up and down, never the same points again.
        let wave = step % SIZES;
        let size = 1 + if wave < 7 { 2 * wave } else { 25 - 2 * wave };
        let n = largest * size / SIZES;
        for (to, from) in coords.iter_mut().zip(&cloud) {
            *to = (from + 0.37 * step as f64).fract();
        }
        let view = PointsView::interleaved(3, &coords[..3 * n]).unwrap();
        search.set_points(&view).unwrap();
        assert!(ask(&mut search, step, n, cutoff) > 0, "step {step}: nothing was found");
        assert_eq!(search.counter(Counter::Backend), backend as i64);
        let [held, device] = [Counter::BytesHeld, Counter::DeviceBytes].map(|counter| search.counter(counter));
        seen.push([resident(), held, device]);
    }
    let [before, after] = [&seen[..SETTLED], &seen[SETTLED..]].map(most);
    let last = usual(&seen[steps - SETTLED..]);
    println!(
        "{backend:?}, {threads} threads, {steps} steps of up to {largest} points: in the first {SETTLED} and afterwards"
    );
    for (which, name) in ["KiB resident", "bytes held", "bytes on the device"].iter().enumerate() {
        println!("  {name}: at most {}, {}", before[which], after[which]);
    }
    println!("  KiB resident in the last {SETTLED}, half of the time: {last}");
    assert!(
        last <= before[0] + SPARE,
        "resident: {before:?}, then half of the time {last}"
    );
    // The thread that frees is chance, and so are the pieces that lie about at a time.
    assert!(
        after[0] <= before[0] + before[0] / 2,
        "resident: {before:?}, then {after:?}"
    );
    // Points move, and with them what is found and who finds it: a little more may be once.
    let is_flat = |which: usize| after[which] <= before[which] + before[which] / 6;
    assert!(is_flat(1) && is_flat(2), "held: {before:?}, then {after:?}");
}

/// One test at a time: another would be seen in the memory of the process.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn memory_stays_flat() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for threads in [1, 2] {
        check(Backend::Cpu, threads, 1000, if is_whole() { 30_000 } else { 3_000 });
    }
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn memory_of_a_gpu_stays_flat() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (steps, largest) = if is_whole() { (1000, 3_000) } else { (200, 600) };
    check(Backend::Gpu, 1, steps, largest);
}
