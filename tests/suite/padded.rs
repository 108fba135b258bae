//! Rows padded to one length, rows with offsets of 32 bits, and counts in bins of distance: `neighbors` in other forms.

use crate::common::{Case, Part, Random, all_cases};
use neargrid::{Counter, NeighborsKind, PointsView, Precision, Search, Status};

const KINDS: [NeighborsKind; 3] = [NeighborsKind::Half, NeighborsKind::Full, NeighborsKind::Queries];

fn check_rows(search: &mut Search, kind: NeighborsKind, base: i64, name: &str) {
    let rows = search.neighbors(kind).unwrap();
    let (offsets, want) = (rows.offsets.to_vec(), rows.ids.to_vec());
    let lens: Vec<i64> = offsets.windows(2).map(|ends| ends[1] - ends[0]).collect();
    let longest = lens.iter().copied().max().unwrap_or(0);
    let n = lens.len();
    if n.saturating_mul(longest as usize) > 4_000_000 {
        return;
    }
    for width in [longest as usize, longest as usize + 3] {
        let (mut ids, mut counts) = (vec![-7; n * width], vec![-7; n]);
        assert_eq!(
            search.padded_neighbors(kind, width, &mut ids, &mut counts).unwrap(),
            longest,
            "{name}"
        );
        for (i, &len) in lens.iter().enumerate() {
            let row = &ids[i * width..(i + 1) * width];
            let (own, rest) = row.split_at(len as usize);
            let first = (offsets[i] - base) as usize;
            assert!(
                own == &want[first..first + own.len()],
                "{name}: row {i} of width {width}"
            );
            assert!(
                rest.iter().all(|&id| id == base as i32 - 1),
                "{name}: the rest of row {i}"
            );
            assert_eq!(i64::from(counts[i]), len, "{name}: the count of row {i}");
        }
    }
    if longest > 0 {
        let width = longest as usize - 1;
        let (mut ids, mut counts) = (vec![-7; n * width], vec![-7; n]);
        let error = search.padded_neighbors(kind, width, &mut ids, &mut counts).unwrap_err();
        let text = format!("width = {width} is too small: {longest} are needed");
        assert!(
            error.status() == Status::Capacity && error.to_string().contains(&text),
            "{name}: {error}"
        );
        assert!(
            ids.iter().chain(&counts).all(|&number| number == -7),
            "{name}: something was written"
        );
    }
    let (mut narrow, mut ids) = (vec![-7; n + 1], vec![-7; want.len() + 2]);
    assert_eq!(
        search.neighbors_into_32(kind, &mut narrow, &mut ids).unwrap(),
        want.len(),
        "{name}"
    );
    assert!(
        narrow.iter().map(|&offset| i64::from(offset)).eq(offsets),
        "{name}: offsets of 32 bits"
    );
    assert!(ids[..want.len()] == want && ids[want.len()..] == [-7; 2], "{name}: ids");
    if !want.is_empty() {
        let mut narrow = vec![-7; n + 1];
        let error = search
            .neighbors_into_32(kind, &mut narrow, &mut ids[..want.len() - 1])
            .unwrap_err();
        assert!(
            error.status() == Status::Capacity && narrow.iter().all(|&offset| offset == -7),
            "{name}: {error}"
        );
    }
}

/// Counts in bins, of which some begin at the distance of a pair.
fn check_bins<T: Precision>(search: &mut Search, case: &Case, name: &str) {
    let rows = search.neighbors(NeighborsKind::Half).unwrap();
    let (offsets, ids) = (rows.offsets.to_vec(), rows.ids.to_vec());
    let mut displacements = vec![T::default(); ids.len() * case.dim];
    search
        .neighbor_displacements(&offsets, &ids, &mut displacements)
        .unwrap();
    let square = |d: &[T]| d[1..].iter().fold(d[0].mul(d[0]), |sum, &d| sum.add(d.mul(d)));
    let squares: Vec<T> = displacements.chunks(case.dim).map(square).collect();
    let mut edges = vec![0.0, 0.25 * case.cutoff, 0.7 * case.cutoff, case.cutoff];
    edges.extend(
        squares
            .iter()
            .step_by(squares.len() / 3 + 1)
            .map(|d2| d2.sqrt().to_f64()),
    );
    edges.retain(|&edge| edge <= case.cutoff);
    edges.sort_by(f64::total_cmp);
    edges.dedup();
    let rounded: Vec<T> = edges
        .iter()
        .map(|&edge| T::from_f64(edge))
        .map(|edge| edge.mul(edge))
        .collect();
    let mut want = vec![0; edges.len() - 1];
    for d2 in squares {
        for (count, ends) in want.iter_mut().zip(rounded.windows(2)) {
            *count += i64::from(ends[0] <= d2 && d2 < ends[1]);
        }
    }
    for (kind, times) in [(NeighborsKind::Half, 1), (NeighborsKind::Full, 2)] {
        let mut counts = vec![-7; want.len()];
        search.histogram(kind, &edges, &mut counts).unwrap();
        assert!(
            counts
                .iter()
                .eq(want.iter().map(|count| times * count).collect::<Vec<_>>().iter()),
            "{name}, {kind:?}"
        );
    }
    let mut counts = vec![-7; want.len()];
    search.histogram(NeighborsKind::Queries, &edges, &mut counts).unwrap();
    let itself = i64::from(rounded[0] < rounded[1]) * search.len() as i64; // the queries are the points
    assert!(
        counts[0] == 2 * want[0] + itself && counts[1..].iter().zip(&want[1..]).all(|(a, b)| *a == 2 * b),
        "{name}: queries"
    );
}

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

fn check<T: Precision>(search: &mut Search, case: &Case, k: usize) {
    let n = case.coords.len() / case.dim;
    if !case.fits::<T>() {
        return;
    }
    let coords = case.coords_as::<T>();
    let view = PointsView::interleaved(case.dim, &coords).unwrap();
    search.set_cutoff(case.cutoff).unwrap();
    search.set_tie_rule(case.rule);
    case.domain.set(search, case.dim);
    search.set_ids(&[]).unwrap();
    search.set_points(&view).unwrap();
    search.set_queries(&view).unwrap();
    if k % 3 == 1 {
        search.set_ids(&(0..n as i64).rev().collect::<Vec<_>>()).unwrap();
    }
    let base = k as i64 % 2;
    search.set_index_base(base).unwrap();
    for kind in KINDS {
        check_rows(
            search,
            kind,
            base,
            &format!("{} {}, {kind:?}, base {base}", case.name, T::NAME),
        );
    }
    check_bins::<T>(search, case, &format!("{} {}, bins", case.name, T::NAME));
}

#[test]
fn clouds() {
    let mut search = Search::new().unwrap();
    let cases = Part::of_environment().of(all_cases().into_iter().step_by(7).collect());
    for (k, case) in cases.iter().enumerate() {
        search.set_threads([1, 3][k / 2 % 2]).unwrap();
        check::<f32>(&mut search, case, k);
        check::<f64>(&mut search, case, k);
    }
}

/// Wider rows for the same points take no other search.
#[test]
fn searched_once() {
    let mut search = Search::new().unwrap();
    search.set_cutoff(0.2).unwrap();
    let coords = Random(3).cloud(3, 500);
    search
        .set_points(&PointsView::interleaved(3, &coords).unwrap())
        .unwrap();
    let mut counts = vec![0; 500];
    assert!(
        search
            .padded_neighbors(NeighborsKind::Full, 1, &mut [0; 500], &mut counts)
            .is_err()
    );
    let before = search.counter(Counter::Counts);
    search
        .padded_neighbors(NeighborsKind::Full, 200, &mut vec![0; 100_000], &mut counts)
        .unwrap();
    assert_eq!(search.counter(Counter::Counts), before);
    let error = search
        .padded_neighbors(NeighborsKind::Full, 200, &mut [0; 5], &mut counts)
        .unwrap_err();
    assert!(
        error.status() == Status::BadCount && error.to_string().contains("length of ids"),
        "{error}"
    );
}
