//! Results in chunks: bit for bit those of the plain loop, whatever the size of the chunks, the kind of rows, and how little of
//! the search can be kept from chunk to chunk.

mod common;

use common::{Case, Part, Random, cases, periodic_cases, ruled_cases};
use neargrid::{Chunks, Counter, NeighborsKind, PointsView, Precision, Search, Status, oracle};

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
            assert!(error.status() == Status::Capacity && error.to_string().contains(&format!("{longest} are needed")));
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
    let part = Part::of_environment();
    let mut search = Search::new().unwrap();
    let (open, periodic) = (cases(), periodic_cases());
    let ruled = [ruled_cases(&open, 13), ruled_cases(&periodic, 5)].concat();
    let all = [open, periodic, ruled].into_iter().flat_map(|cases| part.of(cases));
    for (k, case) in all.enumerate().filter(|(k, _)| k % 3 == 0) {
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
    let n = 30_000;
    for threads in [1, 2, 3, 8] {
        for kind in [NeighborsKind::Half, NeighborsKind::Full] {
            let mut coords = Random(threads as u64).cloud(3, n);
            for in_order in [false, true] {
                let mut search = Search::new().unwrap();
                search.set_threads(threads).unwrap();
                search.set_cutoff(0.08).unwrap();
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
                let expected = search.neighbors(kind).unwrap();
                let expected = (expected.offsets.to_vec(), expected.ids.to_vec());
                let most = 5000;
                for limit in [0, 4_000_000, 1_000_000] {
                    search.set_memory_limit(limit).unwrap();
                    let found = rows(search.chunks(kind, most).unwrap(), most, 0);
                    assert!(
                        found == expected,
                        "{threads} threads, {kind:?}, {in_order}, {limit} bytes"
                    );
                }
            }
        }
    }
}
