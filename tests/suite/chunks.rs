//! Results in chunks of many points are those of lists, however little of the search can be kept from chunk to chunk, and take no more
//! memory than that.

use crate::common::{Again, Part, Random};
use neargrid::{Chunks, Counter, NeighborsKind, PointsView, RadiusRule, Search};

/// All rows of what comes in chunks, 0-based, whose chunks must be as large as they may be.
fn rows(mut chunks: Chunks, most: i64, base: i64) -> (Vec<i64>, Vec<i32>) {
    let (mut offsets, mut ids, total) = (vec![0], Vec::new(), chunks.total());
    let mut last = 0;
    while let Some(chunk) = chunks.next().unwrap() {
        assert_eq!(chunk.first_row - base, offsets.len() as i64 - 1);
        assert_eq!(chunk.offsets[0], base);
        let (rows, entries) = (chunk.offsets.len() - 1, chunk.ids.len() as i64);
        assert!(rows > 0 && entries <= most && chunk.offsets[rows] - base == entries);
        let first = chunk.offsets[1] - base;
        assert!(
            offsets.len() == 1 || last + first > most,
            "a chunk could have had a row more"
        );
        last = entries;
        let start = ids.len() as i64;
        offsets.extend(chunk.offsets[1..].iter().map(|offset| start + offset - base));
        ids.extend(chunk.ids.iter().map(|id| id - base as i32));
    }
    assert!(chunks.next().unwrap().is_none() && chunks.next_pairs().unwrap().is_none());
    assert_eq!(total, ids.len() as i64);
    (offsets, ids)
}

fn pairs(mut chunks: Chunks, most: i64, base: i64) -> Vec<(i32, i32)> {
    let mut all = Vec::new();
    while let Some(pairs) = chunks.next_pairs().unwrap() {
        assert!(pairs.left.len() == pairs.right.len() && !pairs.left.is_empty() && pairs.left.len() as i64 <= most);
        let pairs = pairs.left.iter().zip(pairs.right);
        all.extend(pairs.map(|(i, j)| (i - base as i32, j - base as i32)));
    }
    all
}

fn longest(offsets: &[i64]) -> i64 {
    offsets.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
}

/// So little memory that rows are searched again many times, in random order and along a curve, by one thread and several.
#[test]
fn little_memory() {
    let n = 20_000 / Part::of_environment().every.clamp(7, 10);
    let mut coords = Random(3).cloud(3, n);
    for (in_order, by_radii) in [(false, false), (false, true), (true, false)] {
        let mut search = Search::new().unwrap();
        let cutoff = 0.1 * (20_000.0 / n as f64).cbrt();
        search.set_cutoff(cutoff).unwrap();
        if by_radii {
            // Some reach so far that they are searched alone.
            let radius = |k: usize| cutoff * if k % 997 == 3 { 4.0 } else { 0.3 + (k % 8) as f64 / 10.0 };
            let radii: Vec<f64> = (0..n).map(radius).collect();
            search.set_radii(&radii, RadiusRule::Max).unwrap();
        }
        search
            .set_points(&PointsView::interleaved(3, &coords).unwrap())
            .unwrap();
        if in_order {
            let mut order = vec![0; n];
            search.order(&mut order).unwrap();
            coords = order
                .iter()
                .flat_map(|&k| coords[3 * k as usize..][..3].to_vec())
                .collect();
            search
                .set_points(&PointsView::interleaved(3, &coords).unwrap())
                .unwrap();
        }
        for kind in [NeighborsKind::Half, NeighborsKind::Full] {
            search.set_memory_limit(0).unwrap();
            let expected = search.neighbors(kind).unwrap();
            let expected = (expected.offsets.to_vec(), expected.ids.to_vec());
            for (threads, bytes) in [(1, 30), (1, 90), (2, 60), (3, 40), (8, 100)] {
                search.set_threads(threads).unwrap();
                let most = 4 * longest(&expected.0);
                search.set_memory_limit(bytes * n as i64 + 8 * most).unwrap();
                let found = rows(search.chunks(kind, most).unwrap(), most, 0);
                assert!(
                    found == expected,
                    "{threads} threads, {kind:?}, {in_order}, {by_radii}, {bytes} bytes a point"
                );
            }
        }
    }
}

/// Batches of one chunk and of several, so large that each thread reads its own rows of all blocks.
#[test]
fn many_entries() {
    let n = 20_000;
    let coords = Random(11).cloud(3, n);
    let mut search = Search::new().unwrap();
    search.set_backend(neargrid::Backend::Cpu);
    search.set_cutoff(0.09).unwrap();
    search
        .set_points(&PointsView::interleaved(3, &coords).unwrap())
        .unwrap();
    let expected = search.neighbors(NeighborsKind::Half).unwrap();
    let expected = (expected.offsets.to_vec(), expected.ids.to_vec());
    assert!(expected.1.len() > 500_000);
    let row = |k: usize| expected.0[k] as usize..expected.0[k + 1] as usize;
    let expected_pairs: Vec<_> = (0..n)
        .flat_map(|k| expected.1[row(k)].iter().map(move |&right| (k as i32, right)))
        .collect();
    for (threads, most) in [(1, 250_000), (2, 250_000), (2, 1 << 21), (3, 1 << 21), (8, 1000)] {
        search.set_threads(threads).unwrap();
        let found = rows(search.chunks(NeighborsKind::Half, most).unwrap(), most, 0);
        assert!(found == expected, "{threads} threads, {most}");
        let found = pairs(search.chunks(NeighborsKind::Half, most).unwrap(), most, 0);
        assert!(found == expected_pairs, "{threads} threads, {most}");
    }
}

/// Memory of a handle meanwhile is bounded by the points and the size of chunks, whatever the result.
#[test]
fn bounded() {
    let (n, most) = (40_000, 50_000);
    for threads in [1, 2] {
        for crowd in [1, 20, 100] {
            // So many points about each place.
            let mut random = Random(crowd as u64);
            let centers = random.cloud(3, n / crowd);
            let coords: Vec<f64> = (0..3 * n)
                .map(|k| centers[k / 3 % (n / crowd) * 3 + k % 3] + 1e-4 * random.uniform())
                .collect();
            let mut search = Search::new().unwrap();
            search.set_backend(neargrid::Backend::Cpu);
            search.set_threads(threads).unwrap();
            search.set_cutoff(0.01).unwrap();
            search
                .set_points(&PointsView::interleaved(3, &coords).unwrap())
                .unwrap();
            search.trim().unwrap();
            let points = search.counter(Counter::BytesHeld);
            let mut chunks = search.chunks(NeighborsKind::Full, most).unwrap();
            let (mut held, mut entries) = (0, 0);
            while let Some(pairs) = chunks.next_pairs().unwrap() {
                entries += pairs.left.len();
                held = held.max(chunks.search().counter(Counter::BytesHeld));
            }
            let bytes = held - points - 20 * n as i64; // less the index
            let bound = 64 * n as i64 + 9 * (1 << 20) + 4_000_000 * threads;
            assert!(
                bytes < bound,
                "{bytes} of {bound} bytes for {entries} entries, {threads} threads"
            );
            assert!(entries as i64 >= (crowd as i64 - 1) * n as i64);
        }
    }
}

/// The suite once more on a GPU, in each of its configurations, as `devices` in tests/suite/pairs.rs does.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    // Rows that are sorted by each of the stages there are for it, in each of the two buffers that chunks take turns in.
    Again::only(module_path!(), &["little_memory"], "little_memory").on_devices(&[
        ("", "240:0"),
        ("no-subgroups", "240:10"),
        ("binding=1048576", "120:20"),
        ("guarded", "120:30"),
    ]);
}
