//! Rows padded to one length, rows with offsets of 32 bits, and counts in bins of distance: `neighbors` in other forms.

use crate::common::Random;
use neargrid::{Counter, NeighborsKind, PointsView, Search, Status};

/// Wider rows for the same points, and rows with offsets of 32 bits, take no other search.
#[test]
fn searched_once() {
    const FULL: NeighborsKind = NeighborsKind::Full;
    let mut search = Search::new().unwrap();
    search.set_cutoff(0.2).unwrap();
    let coords = Random(3).cloud(3, 500);
    search
        .set_points(&PointsView::interleaved(3, &coords).unwrap())
        .unwrap();
    let mut counts = vec![0; 500];
    search
        .padded_neighbors(FULL, 1, &mut [0; 500], &mut counts)
        .unwrap_err();
    let before = search.counter(Counter::Counts);
    let mut wide = vec![0; 100_000];
    let longest = search.padded_neighbors(FULL, 200, &mut wide, &mut counts).unwrap();
    let (mut offsets, mut ids) = (vec![0; 501], vec![0; 100_000]);
    let total = search.neighbors_into_32(FULL, &mut offsets, &mut ids).unwrap();
    let rows = offsets.windows(2).zip(wide.chunks(200));
    let is_same = |(ends, row): (&[i32], &[i32])| row.starts_with(&ids[ends[0] as usize..ends[1] as usize]);
    assert!(rows.into_iter().all(|(ends, row)| is_same((ends, row))));
    assert_eq!(
        (search.counter(Counter::Counts), total),
        (before, offsets[500] as usize)
    );
    assert_eq!(counts.iter().max().map(|&most| i64::from(most)), Some(longest));
    let error = search
        .padded_neighbors(FULL, 200, &mut [0; 5], &mut counts)
        .unwrap_err();
    assert_eq!(error.status(), Status::BadCount);
    assert!(error.to_string().contains("length of ids"), "{error}");
}
