//! Global ids, and what the pairs of the plain loop become by them.

use neargrid::{Neighbors, NeighborsKind, Search, oracle};

use super::Random;

/// Ids of all sorts for `n` points, each once: ascending ones last.
pub fn some_ids(n: usize, random: &mut Random) -> Vec<Vec<i64>> {
    let mut shuffled: Vec<i64> = (0..n as i64).collect();
    for k in (1..n).rev() {
        shuffled.swap(k, random.below(k + 1));
    }
    let huge = |&k: &i64| match k {
        0 => i64::MIN,
        1 => i64::MAX,
        _ => (k - n as i64 / 2) * (i64::MAX / (n as i64 + 1)),
    };
    vec![
        shuffled.iter().map(huge).collect(),
        shuffled,
        (0..n as i64).map(|k| 5 - 3 * k).collect(),
        (0..n as i64).map(|k| 7 * k - 1000).collect(),
    ]
}

/// Ids as ranks have them: `active` points ascend, and so do the ghosts after them, some of which have smaller ids than all points and
/// the others larger ones.
pub fn ids_in_blocks(n: usize, active: usize, random: &mut Random) -> Vec<i64> {
    let lower = random.below(n - active + 1) as i64;
    let (n, active) = (n as i64, active as i64);
    let id = |point: i64| match point {
        _ if point < active => point,
        _ if point < active + lower => point - n - active,
        _ => point + n,
    };
    (0..n).map(|point| 3 * id(point) + 1).collect()
}

/// `pairs` with the point of the smaller id left, or of an active point and a ghost the active one, ordered by ids.
pub fn pairs_by_ids(pairs: &[(i32, i32)], ids: &[i64], active: Option<usize>) -> Vec<(i32, i32)> {
    let id = |i: i32| ids[i as usize];
    let is_ghost = |i: i32| i as usize >= active.unwrap_or(usize::MAX);
    let turned = |&(i, j): &(i32, i32)| match (is_ghost(i), id(i)) > (is_ghost(j), id(j)) {
        true => (j, i),
        false => (i, j),
    };
    let mut pairs: Vec<_> = pairs.iter().map(turned).collect();
    pairs.sort_by_key(|&(i, j)| (id(i), id(j)));
    pairs
}

/// Rows of `n` points out of pairs that are turned already; `full`: both sides of each.
pub fn rows_by_ids(n: usize, pairs: &[(i32, i32)], ids: &[i64], full: bool) -> (Vec<i64>, Vec<i32>) {
    let mut rows = vec![Vec::new(); n];
    for &(i, j) in pairs {
        rows[i as usize].push(j);
        if full {
            rows[j as usize].push(i);
        }
    }
    rows.iter_mut().for_each(|row| row.sort_by_key(|&j| ids[j as usize]));
    let mut offsets = vec![0];
    offsets.extend(rows.iter().scan(0, |end, row| {
        *end += row.len() as i64;
        Some(*end)
    }));
    (offsets, rows.concat())
}

/// The pairs that a search finds, 0-based.
pub fn pairs_found(search: &mut Search, base: i64) -> Vec<(i32, i32)> {
    let (pairs, base) = (search.pairs().unwrap(), base as i32);
    let pairs = pairs.left.iter().zip(pairs.right);
    pairs.map(|(i, j)| (i - base, j - base)).collect()
}

/// Offsets and ids of rows, 0-based.
pub fn rows_found(found: Neighbors, base: i64) -> (Vec<i64>, Vec<i32>) {
    let ids = found.ids.iter().map(|id| id - base as i32).collect();
    (found.offsets.iter().map(|offset| offset - base).collect(), ids)
}

/// Pairs, and half and full rows of `n` points, are those of `truth`.
pub fn check_pairs(search: &mut Search, name: &str, n: usize, truth: &[(i32, i32)], base: i64) {
    assert_eq!(search.count_pairs().unwrap(), truth.len() as i64, "{name}: count");
    assert!(pairs_found(search, base) == truth, "{name}: pairs in base {base}");
    for (kind, full) in [(NeighborsKind::Half, false), (NeighborsKind::Full, true)] {
        let wanted = oracle::neighbors(n, truth, full);
        let count = search.count_neighbors(kind).unwrap();
        assert_eq!(count, wanted.1.len() as i64, "{name}: {kind:?} count");
        let found = rows_found(search.neighbors(kind).unwrap(), base);
        assert!(found == wanted, "{name}: {kind:?} in base {base}");
    }
}

/// Rows in chunks are those of the list, and pairs those of the pairs.
pub fn check_chunks(search: &mut Search, name: &str, kind: NeighborsKind, base: i64) {
    let rows = search.neighbors(kind).unwrap();
    let (want_offsets, want) = (rows.offsets.to_vec(), rows.ids.to_vec());
    let longest = want_offsets.windows(2).map(|row| row[1] - row[0]).max().unwrap_or(0);
    let most = longest + 1 + want.len() as i64 / 5;
    let (mut offsets, mut ids) = (vec![base], Vec::new());
    let mut chunks = search.chunks(kind, most).unwrap();
    while let Some(chunk) = chunks.next().unwrap() {
        let end = offsets[offsets.len() - 1];
        offsets.extend(chunk.offsets[1..].iter().map(|offset| end + offset - base));
        ids.extend_from_slice(chunk.ids);
    }
    assert!(
        offsets == want_offsets && ids == want,
        "{name}: {kind:?} in chunks, base {base}"
    );
    if kind == NeighborsKind::Half {
        let want = pairs_found(search, base);
        let (mut found, mut chunks) = (Vec::new(), search.chunks(kind, most).unwrap());
        while let Some(pairs) = chunks.next_pairs().unwrap() {
            let pairs = pairs.left.iter().zip(pairs.right);
            found.extend(pairs.map(|(i, j)| (i - base as i32, j - base as i32)));
        }
        assert!(found == want, "{name}: pairs in chunks, base {base}");
    }
}
