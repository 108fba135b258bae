//! Global ids, and what the pairs of the plain loop become by them.

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
