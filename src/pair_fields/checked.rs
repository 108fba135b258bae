//! Pair fields as a caller gives them, checked.

use super::{Owners, PairRows, WHAT, columns};
use crate::arguments::{MAX_POINTS, check_len, check_offsets};
use crate::carry::{Carrying, Contacts};
use crate::error::{Error, Result, Status, words};
use crate::fields::Field;
use crate::list::{push, reserve_discarding, reserve_keeping, resize_discarding};
use crate::points::Precision;
use crate::threads::Team;
use crate::version::Version;

/// Values of pairs that a caller gave, checked: rows that begin with `base`, and `components` numbers for each entry.
pub fn checked<T: Precision>(
    (offsets, ids, values): (&[i64], &[i32], &[T]),
    components: usize,
    owners: Owners,
    (base, team): (i64, &Team),
) -> Result<(PairRows, Field)> {
    let global_ids = owners.ids;
    if !(1..=3).contains(&components) {
        let allowed = "1, or the dimension of the points";
        return Err(Error::not_allowed(Status::BadDim, "components", components, allowed));
    }
    let contacts = Contacts {
        first_row: base,
        offsets,
        ids,
        global_ids,
    };
    // Rows are checked as those that values are carried to.
    let (none, mut copy) = (PairRows::default(), Vec::new());
    let old = Contacts {
        global_ids,
        ..none.contacts()
    };
    Carrying::new(&old, &contacts, base, team)?.check_values(&columns(components), 0, values.len())?;
    resize_discarding(&mut copy, values.len(), T::default(), WHAT)?;
    copy.copy_from_slice(values);
    let (mut rows, offsets) = (PairRows::default(), if offsets.len() > 1 { offsets } else { &[] });
    rows.set((offsets, ids), owners, (base, team))?;
    let field = Field {
        values: T::hold(copy),
        components,
        version: Version::new(),
        on_device: None,
    };
    Ok((rows, field))
}

/// The same for rows that name points by ids. `own` are the global ids of the points that have the rows, where they are set; otherwise ids
/// are point numbers. Ids of points that are not among these are those of points elsewhere, or of none.
pub fn checked_by_ids<T: Precision>(
    (offsets, ids, values): (&[i64], &[i64], &[T]),
    components: usize,
    owners: Owners,
    (base, team): (i64, &Team),
) -> Result<(PairRows, Field)> {
    let (own, mut ghosts) = (owners.ids, Vec::new());
    let (mut numbers, mut all, rows) = (Vec::new(), Vec::new(), offsets.len().saturating_sub(1));
    let points = own.map_or(MAX_POINTS as usize, <[i64]>::len);
    if rows > points {
        let allowed = format_args!("0 to {points}, the number of points");
        return Err(Error::not_allowed(Status::BadCount, "n", rows, allowed));
    }
    check_len("the length of ids", ids.len(), check_offsets("offsets", offsets, base)?)?;
    check_order((offsets, ids), owners, base)?;
    match own {
        Some(own) => {
            number(own, &named(offsets, ids, base)?, base as i32, (&mut all, &mut numbers))?;
            if !owners.ghosts.is_empty() {
                resize_discarding(&mut ghosts, all.len(), true, WHAT)?;
                ghosts[..own.len()].fill(false);
                ghosts[..owners.ghosts.len()].copy_from_slice(owners.ghosts);
            }
        }
        None => {
            check_numbers(ids, base)?;
            reserve_discarding(&mut numbers, ids.len(), WHAT)?;
            numbers.extend(ids.iter().map(|&id| id as i32));
        }
    }
    checked(
        (offsets, &numbers, values),
        components,
        Owners {
            ids: own.map(|_| &all[..]),
            ghosts: &ghosts,
        },
        (base, team),
    )
}

/// Refuses an id that is no point number.
fn check_numbers(ids: &[i64], base: i64) -> Result<()> {
    let allowed = base..=base + MAX_POINTS - 1;
    match ids.iter().position(|id| !allowed.contains(id)) {
        Some(at) => Err(Error::Element {
            argument: "ids",
            position: at as i64 + base,
            value: ids[at],
            allowed: words(format_args!("{} to {}", allowed.start(), allowed.end())),
        }),
        None => Ok(()),
    }
}

/// Refuses rows that do not ascend. A row may have an id more than once if points share ids.
fn check_order((offsets, ids): (&[i64], &[i64]), owners: Owners, base: i64) -> Result<()> {
    let may_repeat = !owners.ghosts.is_empty();
    for (row, ends) in offsets.windows(2).enumerate() {
        let [begin, end] = [0, 1].map(|k| (ends[k] - base) as usize);
        let mut follow = ids[begin..end].windows(2);
        let falls = |two: &[i64]| two[0] > two[1] || two[0] == two[1] && !may_repeat;
        let Some(k) = follow.position(falls) else {
            continue;
        };
        let (before, row) = (ids[begin + k], row as i64 + base);
        return Err(Error::Element {
            argument: "ids",
            position: (begin + k + 1) as i64 + base,
            value: ids[begin + k + 1],
            allowed: words(format_args!("more than {before}, which is before it in row {row}")),
        });
    }
    Ok(())
}

/// The id of each entry, and the number of earlier entries of its row with the same id. The ids of each row ascend.
pub fn named(offsets: &[i64], ids: &[i64], base: i64) -> Result<Vec<(i64, u32)>> {
    let mut named = Vec::new();
    reserve_discarding(&mut named, ids.len(), WHAT)?;
    for ends in offsets.windows(2) {
        let row = &ids[(ends[0] - base) as usize..(ends[1] - base) as usize];
        let twins = row.chunk_by(|a, b| a == b);
        named.extend(twins.flat_map(|same| same.iter().copied().zip(0..)));
    }
    Ok(named)
}

/// Numbers points from `base` on: first the points with the ids `own`, then all others. `ids` has for each entry the id of its
/// point, and the number of points with this id before it. `all` receives the id of each number.
pub fn number(
    own: &[i64],
    ids: &[(i64, u32)],
    base: i32,
    (all, numbers): (&mut Vec<i64>, &mut Vec<i32>),
) -> Result<()> {
    let (mut by_id, mut sorted, mut others) = (Vec::new(), Vec::new(), Vec::new());
    reserve_discarding(&mut by_id, own.len(), WHAT)?;
    by_id.extend(own.iter().copied().zip(0u32..));
    by_id.sort_unstable();
    reserve_discarding(&mut sorted, own.len(), WHAT)?;
    for same in by_id.chunk_by(|a, b| a.0 == b.0) {
        sorted.extend(
            same.iter()
                .zip(0u32..)
                .map(|(&(id, point), before)| ((id, before), point)),
        );
    }
    for &named in ids {
        if sorted.binary_search_by_key(&named, |&(own, _)| own).is_err() {
            push(&mut others, named, WHAT)?;
        }
    }
    others.sort_unstable();
    others.dedup();
    let points = own.len() + others.len();
    if points as i64 > MAX_POINTS {
        let (argument, allowed) = ("number of points in rows", format_args!("at most {MAX_POINTS}"));
        return Err(Error::not_allowed(Status::BadCount, argument, points, allowed));
    }
    reserve_keeping(&mut sorted, points, WHAT)?;
    sorted.extend(others.iter().copied().zip(own.len() as u32..));
    sorted.sort_unstable();
    reserve_discarding(all, points, WHAT)?;
    all.extend_from_slice(own);
    all.extend(others.iter().map(|&(id, _)| id));
    reserve_discarding(numbers, ids.len(), WHAT)?;
    let number = |named: &(i64, u32)| sorted[sorted.partition_point(|(other, _)| other < named)].1;
    numbers.extend(ids.iter().map(|named| (number(named) as i32).wrapping_add(base)));
    Ok(())
}
