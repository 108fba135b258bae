//! Rows padded to one length, rows with offsets of 32 bits, and counts in bins of distance: `neighbors` in other forms.

use crate::common::Random;
use neargrid::{Counter, NeighborsKind, PointsView, Search, Status};

/// Edges that do not ascend, or that are above the cutoff, are refused.
#[test]
fn refusals_of_bins() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.0).unwrap();
    let mut counts = [-7; 2];
    let refused = |search: &mut Search, edges: &[f64], counts: &mut [i64]| {
        let error = search.histogram(NeighborsKind::Half, edges, counts).unwrap_err();
        (error.status(), error.to_string())
    };
    assert_eq!(refused(&mut search, &[0.0, 0.5, 1.0], &mut counts).0, Status::BadState);
    search
        .set_points(&PointsView::interleaved(1, &[0.0, 0.5, 2.0]).unwrap())
        .unwrap();
    for (edges, at) in [
        ([0.0, 0.5, 1.1], "1.1 at element 2"),
        ([0.0, 0.0, 1.0], "0 at element 1"),
        ([-0.5, 0.1, 1.0], "-0.5 at element 0"),
        ([0.0, f64::NAN, 1.0], "NaN at element 1"),
        ([f64::NAN, 0.5, 1.0], "NaN at element 0"),
    ] {
        let (status, text) = refused(&mut search, &edges, &mut counts);
        assert!(status == Status::BadValue && text.contains(at), "{text}");
    }
    assert_eq!(refused(&mut search, &[0.0, 1.0], &mut counts).0, Status::BadCount);
    search.set_radii(&[1.0; 3], neargrid::RadiusRule::Max).unwrap();
    assert_eq!(
        refused(&mut search, &[0.0, 0.5, 1.0], &mut counts).0,
        Status::NotSupported
    );
    assert_eq!(counts, [-7; 2]);
    search.clear_radii();
    search
        .histogram(NeighborsKind::Half, &[0.0, 0.5, 1.0], &mut counts)
        .unwrap();
    assert_eq!(counts, [0, 1]);
}

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
