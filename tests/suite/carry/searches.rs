//! Lists that searches make of points that move: many entries, and chunks.

use super::{List, check, worker};
use crate::common::{Random, is_whole};
use neargrid::{Columns, Contacts, NeighborsKind, PointsView, Search};

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
    let (mut random, n) = (Random(3), if is_whole() { 100_000 } else { 5000 });
    for base in 0..=1 {
        let mut search = worker(base, 2);
        search.set_cutoff(1.54 * (n as f64).powf(-1.0 / 3.0)).unwrap();
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
