//! Lists that searches make of points that move: lists with a skin, chunks, other numberings, and lists read back from bytes.

use super::{List, check, plain, shuffle, worker};
use crate::common::Random;
use neargrid::{Columns, Contacts, NeighborsKind, PointsView, Search, reorder};

const KINDS: [NeighborsKind; 2] = [NeighborsKind::Half, NeighborsKind::Full];

const COLUMNS: Columns = Columns {
    count: 3,
    signs: &[1, -1, -1],
};

/// The rows that a search makes of points in the unit cube.
fn found(search: &mut Search, kind: NeighborsKind, coords: &[f64]) -> List<f64> {
    search.set_points(&PointsView::interleaved(3, coords).unwrap()).unwrap();
    rows_of(search, kind)
}

fn rows_of(search: &mut Search, kind: NeighborsKind) -> List<f64> {
    let rows = search.neighbors(kind).unwrap();
    List {
        first_row: rows.offsets[0],
        offsets: rows.offsets.to_vec(),
        ids: rows.ids.to_vec(),
        ..List::default()
    }
}

fn move_on(coords: &mut [f64], most: f64, random: &mut Random) {
    coords.iter_mut().for_each(|c| *c += most * (random.uniform() - 0.5));
}

/// Several tasks, some of them with whole rows that stay: the same with any number of threads, from half to full rows and back.
#[test]
fn moving_points() {
    let (mut random, n) = (Random(3), 5000);
    for base in 0..=1 {
        let mut search = worker(base, 2);
        search.set_cutoff(0.09).unwrap();
        let mut coords = random.cloud(3, n);
        let mut old = found(&mut search, NeighborsKind::Half, &coords);
        old.fill(COLUMNS.count, &mut random);
        let (mut carried, mut lost) = (0, 0);
        for step in 0..8 {
            let range = if step % 2 == 0 { 0..coords.len() } else { 600..900 };
            move_on(&mut coords[range], 0.01, &mut random);
            let mut new = found(&mut search, KINDS[step / 2 % 2], &coords);
            let mut again = new.clone();
            search.set_threads([1, 2, 3, 7][step % 4]).unwrap();
            let [values, gone] = check(&search, &old, &mut new, &COLUMNS, base);
            search.set_threads(5).unwrap();
            check(&search, &old, &mut again, &COLUMNS, base);
            (carried, lost) = (carried + values, lost + gone);
            old = new;
        }
        assert!(carried > 200_000 && lost > 1000, "{carried} values, {lost} lost");
    }
}

/// Lists with a skin, which stay for some steps and are then made again.
#[test]
fn lists_with_a_skin() {
    let (mut random, n) = (Random(4), 2000);
    for kind in KINDS {
        let mut search = worker(1, 2);
        search.set_cutoff(0.1).unwrap();
        search.set_skin(0.02).unwrap();
        let mut coords = random.cloud(3, n);
        let mut old: Option<List<f64>> = None;
        let mut rebuilds = 0;
        for _ in 0..12 {
            search.update(&PointsView::interleaved(3, &coords).unwrap()).unwrap();
            let rows = search.verlet_list(kind).unwrap();
            rebuilds += usize::from(rows.rebuilt);
            let mut new = List {
                first_row: 1,
                offsets: rows.neighbors.offsets.to_vec(),
                ids: rows.neighbors.ids.to_vec(),
                ..List::default()
            };
            match &old {
                Some(old) => drop(check(&search, old, &mut new, &COLUMNS, 1)),
                None => new.fill(COLUMNS.count, &mut random),
            }
            old = Some(new);
            move_on(&mut coords, 0.01, &mut random);
        }
        assert!((3..12).contains(&rebuilds), "{rebuilds} rebuilds");
    }
}

/// A new list in chunks gets the values of the whole, piece by piece.
#[test]
fn chunks() {
    let (mut random, n) = (Random(5), 3000);
    for (base, kind) in [(0, KINDS[0]), (1, KINDS[1])] {
        let mut search = worker(base, 3);
        search.set_cutoff(0.1).unwrap();
        let mut coords = random.cloud(3, n);
        let mut old = found(&mut search, kind, &coords);
        old.fill(COLUMNS.count, &mut random);
        move_on(&mut coords, 0.02, &mut random);
        let mut whole = found(&mut search, kind, &coords);
        check(&search, &old, &mut whole, &COLUMNS, base);
        let (mut pieces, mut values) = (0, Vec::new());
        let mut chunks = search.chunks(kind, 1500).unwrap();
        let worker = worker(base, 2);
        while let Some(chunk) = chunks.next().unwrap() {
            let piece = Contacts {
                first_row: chunk.first_row,
                offsets: chunk.offsets,
                ids: chunk.ids,
                global_ids: None,
            };
            let mut part = vec![7.0; chunk.ids.len() * COLUMNS.count];
            worker
                .carry(&old.contacts(), &piece, &COLUMNS, &old.values, &mut part)
                .unwrap();
            values.extend(part);
            pieces += 1;
        }
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert!(pieces > 3 && bits(&values) == bits(&whole.values), "{pieces} pieces");
    }
}

/// Points in another order, some gone and some new: values follow the global ids, whether rows are ordered by number or by id.
#[test]
fn other_numbers() {
    let (mut random, n) = (Random(6), 3000);
    for (step, kind) in [(0, KINDS[0]), (1, KINDS[1]), (2, KINDS[0])] {
        let base = step % 2;
        let mut search = worker(base, 2);
        search.set_cutoff(0.1).unwrap();
        let mut coords = random.cloud(3, n);
        let mut ids: Vec<i64> = (0..n as i64).map(|k| 1_000_000_007 * k).collect();
        shuffle(&mut ids, &mut random);
        if step == 1 {
            search.set_ids(&ids).unwrap();
        }
        let mut old = found(&mut search, kind, &coords);
        old.global_ids = Some(ids.clone());
        old.fill(COLUMNS.count, &mut random);

        move_on(&mut coords, 0.01, &mut random);
        search
            .set_points(&PointsView::interleaved(3, &coords).unwrap())
            .unwrap();
        let mut order = vec![0; n];
        search.order(&mut order).unwrap();
        let points: Vec<[f64; 3]> = coords.chunks(3).map(|c| [c[0], c[1], c[2]]).collect();
        let (mut new_points, mut new_ids) = (points.clone(), ids.clone());
        reorder(&order, base, &points, &mut new_points).unwrap();
        reorder(&order, base, &ids, &mut new_ids).unwrap();
        new_points.truncate(n - 200);
        new_ids.truncate(n - 200);
        for k in 0..50 {
            new_points.insert(40 * k, [random.uniform(), random.uniform(), random.uniform()]);
            new_ids.insert(40 * k, -1 - k as i64);
        }
        if step > 0 {
            search.set_ids(&new_ids).unwrap();
        }
        let mut new = found(&mut search, kind, &new_points.concat());
        new.global_ids = Some(new_ids);
        let [values, lost] = check(&search, &old, &mut new, &COLUMNS, base);
        assert!(values > 20_000 && lost > 1000, "{values} values, {lost} lost");
    }
}

/// An old list, its values and global ids that were written to bytes: a restart with points in another order.
#[test]
fn a_restart() {
    let (mut random, n) = (Random(7), 1500);
    let mut search = worker(1, 2);
    search.set_cutoff(0.12).unwrap();
    let coords = random.cloud(3, n);
    let ids: Vec<i64> = (0..n as i64).map(|k| 3 * k + 1).collect();
    let mut written = found(&mut search, KINDS[0], &coords);
    written.fill(COLUMNS.count, &mut random);
    let bytes: Vec<u8> = [
        written.offsets.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>(),
        ids.iter().flat_map(|v| v.to_le_bytes()).collect(),
        written.values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        written.ids.iter().flat_map(|v| v.to_le_bytes()).collect(),
    ]
    .concat();
    drop(search);

    let words = |from: usize, len: usize| {
        let words = bytes[8 * from..8 * (from + len)].chunks(8);
        words
            .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
            .collect::<Vec<_>>()
    };
    let signed = |words: Vec<u64>| words.into_iter().map(|word| word as i64).collect::<Vec<_>>();
    let offsets = signed(words(0, n + 1));
    let total = (offsets[n] - 1) as usize;
    let at = n + 1 + n + COLUMNS.count * total;
    let old = List {
        first_row: 1,
        offsets,
        global_ids: Some(signed(words(n + 1, n))),
        values: words(2 * n + 1, COLUMNS.count * total)
            .into_iter()
            .map(f64::from_bits)
            .collect(),
        ids: bytes[8 * at..]
            .chunks(4)
            .map(|word| i32::from_le_bytes(word.try_into().unwrap()))
            .collect(),
    };
    let mut numbers: Vec<usize> = (0..n).collect();
    shuffle(&mut numbers, &mut random);
    let moved: Vec<f64> = numbers
        .iter()
        .flat_map(|&k| coords[3 * k..3 * k + 3].to_vec())
        .collect();
    let mut search = worker(1, 2);
    search.set_cutoff(0.12).unwrap();
    let mut new = found(&mut search, KINDS[0], &moved);
    new.global_ids = Some(numbers.iter().map(|&k| ids[k]).collect());
    let [values, lost] = check(&search, &old, &mut new, &COLUMNS, 1);
    assert!(values > 10_000 && lost == 0, "{values} values, {lost} lost");
    // And back: each value with the sign that it had.
    let (back, _) = plain(&new, &old, &COLUMNS, 1);
    assert_eq!(back, old.values.iter().map(|v| v.to_bits()).collect::<Vec<_>>());
}
