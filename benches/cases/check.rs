//! Whether a result that was timed is right. In: the arrays. Out: nothing, or where they are wrong.
//!
//! The judge is the other backend where there is one, and it must give the same bits. Otherwise it is the plain loop, for
//! every point of small clouds and for as many rows of large ones as it can do in about a second.

use std::ops::Range;

use neargrid::oracle::{distance2_in, nearest};
use neargrid::{Backend, KnnKind, Measure, Neighbors, NeighborsKind, Precision};

use crate::cloud::Cloud;
use crate::options::Outcome;

/// Distances the plain loop may look at.
const DISTANCES: usize = 100_000_000;

/// A result, as its reader has it.
pub enum Found<'a> {
    /// Two columns.
    Pairs { left: &'a [i32], right: &'a [i32] },
    /// Rows that list both sides.
    Full(Neighbors<'a>),
}

impl<'a> Found<'a> {
    fn kind(&self) -> NeighborsKind {
        match self {
            Found::Pairs { .. } => NeighborsKind::Half,
            _ => NeighborsKind::Full,
        }
    }

    fn ids(&self) -> &'a [i32] {
        match self {
            Found::Pairs { right, .. } => right,
            Found::Full(rows) => rows.ids,
        }
    }

    /// The place of row `i` among the ids.
    fn row(&self, i: usize) -> Range<usize> {
        match self {
            Found::Pairs { left, .. } => {
                let start = left.partition_point(|&l| l < i as i32);
                start..start + left[start..].partition_point(|&l| l == i as i32)
            }
            Found::Full(rows) => rows.offsets[i] as usize..rows.offsets[i + 1] as usize,
        }
    }

    /// Whether the rows are where `offsets` say.
    fn has_rows(&self, offsets: &[i64]) -> bool {
        let each = |(i, ends): (usize, &[i64])| (i as i32, ends[0] as usize..ends[1] as usize);
        match self {
            Found::Pairs { left, .. } => offsets
                .windows(2)
                .enumerate()
                .map(each)
                .all(|(i, row)| left[row].iter().all(|&l| l == i)),
            Found::Full(rows) => rows.offsets == offsets,
        }
    }
}

/// Searches again on `backend` and compares every bit.
pub fn by_backend<T: Precision>(found: &Found, cloud: &Cloud<T>, backend: Backend) -> Outcome<()> {
    let judge = backend.name();
    let mut search = cloud.search()?;
    search.set_backend(backend);
    search.set_points(&cloud.view()?)?;
    let truth = search.neighbors(found.kind())?;
    let (ids, there) = (found.ids(), truth.ids.len());
    if ids.len() != there {
        return Err(format!("{} entries, but the {judge} finds {there}", ids.len()).into());
    }
    if let Some(k) = (0..there).find(|&k| ids[k] != truth.ids[k]) {
        return Err(format!("entry {k} is point {}, but the {judge} finds {}", ids[k], truth.ids[k]).into());
    }
    if !found.has_rows(truth.offsets) {
        return Err(format!("the rows do not begin where the {judge} has them").into());
    }
    Ok(())
}

/// Compares labels with the lowest point that a walk from neighbor to neighbor leads to.
pub fn by_components<T: Precision>(labels: &[i32], cloud: &Cloud<T>) -> Outcome<()> {
    let truth = match cloud.crowded {
        true => components_by_distances(cloud)?,
        false => components_by_pairs(cloud)?,
    };
    match (0..labels.len()).find(|&i| labels[i] != truth[i]) {
        None => Ok(()),
        Some(i) => Err(format!("point {i} is in group {}, but by pairs in {}", labels[i], truth[i]).into()),
    }
}

fn components_by_pairs<T: Precision>(cloud: &Cloud<T>) -> Outcome<Vec<i32>> {
    let mut search = cloud.search()?;
    search.set_backend(Backend::Cpu);
    search.set_cutoff(cloud.linking_length())?;
    search.set_points(&cloud.view()?)?;
    let rows = search.neighbors(NeighborsKind::Full)?;
    let mut labels = vec![-1; rows.offsets.len() - 1];
    let mut ahead = Vec::new();
    for first in 0..labels.len() {
        ahead.push(first);
        while let Some(i) = ahead.pop() {
            if labels[i] < 0 {
                labels[i] = first as i32;
                let row = rows.offsets[i] as usize..rows.offsets[i + 1] as usize;
                ahead.extend(rows.ids[row].iter().map(|&j| j as usize));
            }
        }
    }
    Ok(labels)
}

/// The same by the plain loop over the points that are still in no group, which are soon few in a crowd.
fn components_by_distances<T: Precision>(cloud: &Cloud<T>) -> Outcome<Vec<i32>> {
    let (view, periods) = (cloud.view()?, cloud.periods());
    let length = T::from_f64(cloud.linking_length());
    let c2 = length.mul(length);
    let mut labels = vec![-1; view.len()];
    let mut left: Vec<usize> = (0..view.len()).collect();
    while let Some(&first) = left.first() {
        let mut ahead = vec![first];
        left.remove(0);
        labels[first] = first as i32;
        while let Some(i) = ahead.pop() {
            left.retain(|&j| {
                let is_near = distance2_in(&view, &periods, i, j) <= c2;
                if is_near {
                    labels[j] = first as i32;
                    ahead.push(j);
                }
                !is_near
            });
        }
    }
    Ok(labels)
}

/// Searches the `k` nearest again on `backend` and compares every bit.
pub fn nearest_by_backend<T: Precision>(
    ids: &[i32],
    distances: &[T],
    k: usize,
    cloud: &Cloud<T>,
    backend: Backend,
) -> Outcome<()> {
    let mut search = cloud.search()?;
    search.set_backend(backend);
    search.set_points(&cloud.view()?)?;
    let truth = search.knn::<T>(KnnKind::Others, k, Measure::Distance)?;
    match (0..ids.len()).find(|&at| ids[at] != truth.ids[at] || distances[at] != truth.distances[at]) {
        None => Ok(()),
        Some(at) => Err(format!(
            "entry {at} is point {}, but the {} finds {}",
            ids[at],
            backend.name(),
            truth.ids[at]
        )
        .into()),
    }
}

/// Compares rows of the `k` nearest all over the cloud with what the plain loop finds; returns how many.
pub fn by_distances<T: Precision>(ids: &[i32], k: usize, cloud: &Cloud<T>) -> Outcome<usize> {
    let (view, periods) = (cloud.view()?, cloud.periods());
    let n = view.len();
    let rows = n.min(DISTANCES / n.max(1)).max(1);
    for i in (0..rows).map(|row| row * n / rows) {
        let truth = nearest(&view, &periods, n, i, k, true);
        let row = ids[i * k..(i + 1) * k].iter();
        if !truth.iter().map(|&(_, j)| j).eq(row.copied()) {
            return Err(format!("row {i} is not what the plain loop finds").into());
        }
    }
    Ok(rows)
}

/// Compares rows all over the cloud with what the plain loop finds; returns how many.
pub fn by_oracle<T: Precision>(found: &Found, cloud: &Cloud<T>) -> Outcome<usize> {
    let (view, periods) = (cloud.view()?, cloud.periods());
    let n = view.len();
    let bound = |i: usize, j: usize| {
        let cutoff = match &cloud.radii {
            Some((radii, rule)) => rule.cutoff(radii[i], radii[j]),
            None => T::from_f64(cloud.cutoff),
        };
        cutoff.mul(cutoff)
    };
    let rows = n.min(DISTANCES / n.max(1)).max(1);
    let mut entries = 0;
    for i in (0..rows).map(|k| k * n / rows) {
        let full = found.kind() != NeighborsKind::Half;
        let first = if full { 0 } else { i + 1 };
        let near = (first..n)
            .filter(|&j| j != i && cloud.may_list(i, j, full) && distance2_in(&view, &periods, i, j) <= bound(i, j));
        let row = &found.ids()[found.row(i)];
        entries += row.len();
        if !near.map(|j| j as i32).eq(row.iter().copied()) {
            return Err(format!("row {i} is not what the plain loop finds").into());
        }
    }
    if rows == n && entries != found.ids().len() {
        let all = found.ids().len();
        return Err(format!("{all} entries, but the rows of all points have {entries}").into());
    }
    Ok(rows)
}
