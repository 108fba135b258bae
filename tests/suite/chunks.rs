//! Results in chunks: bit for bit those of the plain loop, whatever the size of the chunks, the kind of rows, and how little of
//! the search can be kept from chunk to chunk.

use crate::common::{Again, Case, Part, Random, cases, is_whole, periodic_cases, ruled_cases};
use neargrid::{Chunks, Counter, NeighborsKind, PointsView, Precision, RadiusRule, Search, Status, oracle};

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

fn check<T: Precision>(search: &mut Search, case: &Case, base: i64) {
    let coords = case.coords_as::<T>();
    let view = PointsView::interleaved(case.dim, &coords).unwrap();
    let (truth, name) = (case.truth::<T>(), format!("{} {}", case.name, T::NAME));
    search.set_index_base(base).unwrap();
    search.set_cutoff(case.cutoff).unwrap();
    search.set_tie_rule(case.rule);
    case.domain.set(search, case.dim);
    let types: Vec<i32> = case.rules.types.iter().map(|t| t + base as i32).collect();
    search.set_types(&types, &case.rules.mask).unwrap();
    search
        .set_active(case.rules.active.map(|active| active as i64))
        .unwrap();
    search.set_points(&view).unwrap();
    for (kind, full) in [(NeighborsKind::Half, false), (NeighborsKind::Full, true)] {
        let expected = oracle::neighbors(view.len(), &truth, full);
        let (total, longest) = (expected.1.len() as i64, longest(&expected.0));
        // As small as may be, a few rows, all but one entry, all, and more.
        for most in [
            longest.max(1),
            3 * longest.max(1),
            (total - 1).max(longest).max(1),
            total.max(1),
            1 << 40,
        ] {
            let found = rows(search.chunks(kind, most).unwrap(), most, base);
            assert!(found == expected, "{name}: {kind:?} by {most}");
        }
        if longest > 1 {
            let error = search.chunks(kind, longest - 1).unwrap_err();
            assert!(error.status() == Status::Capacity && error.to_string().contains(&format!("at least {longest}")));
        }
        if !full {
            let most = longest.max(1) + total / 7;
            assert!(
                pairs(search.chunks(kind, most).unwrap(), most, base) == truth,
                "{name}: pairs"
            );
        }
    }
}

#[test]
fn all_cases() {
    let mut search = Search::new().unwrap();
    let (open, periodic) = (cases(), periodic_cases());
    let ruled = [ruled_cases(&open, 13), ruled_cases(&periodic, 5)].concat();
    let all = [open, periodic, ruled].into_iter().flatten();
    let some = Part::of_environment().of(all.step_by(3).collect());
    for (k, case) in some.into_iter().enumerate() {
        if case.fits::<f32>() && k % 2 == 0 {
            check::<f32>(&mut search, &case, k as i64 / 2 % 2);
        }
        if case.fits::<f64>() {
            check::<f64>(&mut search, &case, k as i64 % 2);
        }
    }
}

/// So little memory that rows are searched again many times, in random order and along a curve, by one thread and several.
#[test]
fn little_memory() {
    let n = 20_000 / Part::of_environment().every.min(10);
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

/// Rows of queries, and rows delivered while a skin is set.
#[test]
fn queries_and_skin() {
    let (coords, queries) = (Random(5).cloud(2, 3000), Random(6).cloud(2, 700));
    let mut search = Search::new().unwrap();
    search.set_cutoff(0.05).unwrap();
    search
        .set_points(&PointsView::interleaved(2, &coords).unwrap())
        .unwrap();
    let expected = search.neighbors(NeighborsKind::Full).unwrap().ids.to_vec();
    search.set_skin(0.01).unwrap();
    assert_eq!(
        rows(search.chunks(NeighborsKind::Full, 300).unwrap(), 300, 0).1,
        expected
    );
    assert_eq!(search.neighbors(NeighborsKind::Full).unwrap().ids, expected);
    assert_eq!(
        rows(search.chunks(NeighborsKind::Full, 5000).unwrap(), 5000, 0).1,
        expected
    );
    search.set_index_base(1).unwrap();
    search
        .set_queries(&PointsView::interleaved(2, &queries).unwrap())
        .unwrap();
    for most in [100, 2000, 1 << 30] {
        let expected = search.queries().unwrap();
        let expected = (expected.offsets.to_vec(), expected.ids.to_vec());
        let zero_based = (
            expected.0.iter().map(|offset| offset - 1).collect::<Vec<_>>(),
            expected.1.iter().map(|id| id - 1).collect::<Vec<_>>(),
        );
        assert!(
            rows(search.chunks(NeighborsKind::Queries, most).unwrap(), most, 1) == zero_based,
            "{most}"
        );
        let pairs = pairs(search.chunks(NeighborsKind::Queries, most).unwrap(), most, 1);
        let left = (0..700).flat_map(|q| vec![q; (zero_based.0[q as usize + 1] - zero_based.0[q as usize]) as usize]);
        assert!(pairs.iter().copied().eq(left.zip(zero_based.1)), "{most}");
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

/// A change in the middle, and a second beginning.
#[test]
fn interrupted() {
    let coords = Random(1).cloud(2, 500);
    let mut search = Search::new().unwrap();
    search.set_cutoff(0.2).unwrap();
    assert_eq!(
        search.chunks(NeighborsKind::Half, 9).unwrap_err().status(),
        Status::BadState
    );
    search
        .set_points(&PointsView::interleaved(2, &coords).unwrap())
        .unwrap();
    assert_eq!(
        search.chunks(NeighborsKind::Half, 0).unwrap_err().status(),
        Status::BadCount
    );
    let truth = search.pairs().unwrap().right.to_vec();
    let mut chunks = search.chunks(NeighborsKind::Half, 100).unwrap();
    assert_eq!(chunks.total(), truth.len() as i64);
    let first = chunks.next().unwrap().unwrap().ids.to_vec();
    assert!(truth.starts_with(&first));
    assert_eq!(search.pairs().unwrap().right, truth, "a list in the middle");
    search.set_tie_rule(neargrid::TieRule::Exclusive);
    assert_eq!(rows(search.chunks(NeighborsKind::Half, 150).unwrap(), 150, 0).1, truth);
    assert_eq!(search.count_pairs().unwrap(), truth.len() as i64);
    let line = [0.0, 1.0];
    search
        .count_pairs_of(&PointsView::interleaved(1, &line).unwrap())
        .unwrap();
    assert_eq!(
        search.chunks(NeighborsKind::Half, 9).unwrap_err().status(),
        Status::BadState
    );
}

/// The suite once more on a GPU, in each of its configurations, as `devices` in tests/suite/pairs.rs does.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    // Rows that are sorted by each of the stages there are for it, in each of the two buffers that chunks take turns in.
    Again::only(module_path!(), &["little_memory"], "little_memory").on_devices(&[("", "240:0")]);
    let again = match is_whole() {
        true => Again::without(module_path!(), &["bounded", "little_memory"], "all_cases"),
        false => Again::only(module_path!(), &["all_cases"], "all_cases"),
    };
    again.on_devices(&[
        ("no-subgroups", "240:10"),
        ("binding=1048576", "120:20"),
        ("guarded", "120:30"),
        ("", "120:41,exclusive"),
    ]);
}
