//! Labels of rows that came from a device.

use std::ops::Range;

use crate::error::Result;
use crate::ids::Labels;
use crate::memory::{grow, push};
use crate::threads::Team;

/// Rows that a thread labels at once.
const LABELED: usize = 1024;

/// Brings rows to labels: those of `rows` that have `least` ids or more. Their offsets are `offsets`, and the first of their ids is at the
/// front of `ids`.
pub fn label_rows(
    team: &Team,
    offsets: &[i64],
    rows: Range<usize>,
    (labels, least): (&Labels, usize),
    ids: &mut [i32],
) -> Result<()> {
    if labels.are_plain() {
        return Ok(());
    }
    let (mut rest, mut pieces) = (ids, Vec::new());
    let len = |rows: Range<usize>| (offsets[rows.end] - offsets[rows.start]) as usize;
    for first in rows.clone().step_by(LABELED) {
        let rows = first..rows.end.min(first + LABELED);
        let (piece, after) = rest.split_at_mut(len(rows.clone()));
        push(&mut pieces, (rows, piece, Ok(())), "rows that are labeled")?;
        rest = after;
    }
    team.each(&mut pieces, |(rows, ids, labeled)| {
        let (mut spare, mut rest) = (Vec::new(), &mut **ids);
        *labeled = rows.clone().try_for_each(|row| {
            let (ids, after) = std::mem::take(&mut rest).split_at_mut(len(row..row + 1));
            rest = after;
            if ids.len() < least {
                return Ok(());
            }
            grow(&mut spare, labels.spare(ids.len()), 0, "a row")?;
            labels.row(ids, &mut spare);
            Ok(())
        });
    });
    pieces.into_iter().try_for_each(|(_, _, labeled)| labeled)
}
