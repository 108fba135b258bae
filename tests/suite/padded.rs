//! Rows padded to one length, and rows with offsets of 32 bits: those of `neighbors` in another form.

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
