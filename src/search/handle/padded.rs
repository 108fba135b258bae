//! Rows in the forms of other codes: padded to one length, and with offsets of 32 bits.

use super::Search;
use crate::arguments::check_len;
use crate::error::{Error, Result, Status};
use crate::list::{Out, Rows};
use crate::search::neighbors::NeighborsKind;

impl Search {
    /// Copies the rows of [`neighbors`](Search::neighbors) to rows of `width` elements each: row `i` begins at `ids[i * width]` and
    /// has `counts[i]` neighbors, and the index base minus 1 fills its rest. Returns the length of the longest row. If that is more
    /// than `width`, nothing is written and the error reports the length. The handle keeps the rows as a list, so another call
    /// with longer rows does not repeat the search.
    ///
    /// ```
    /// # use neargrid::{NeighborsKind, PointsView, Search};
    /// let mut search = Search::new()?;
    /// search.set_cutoff(1.0)?;
    /// search.set_points(&PointsView::interleaved(1, &[0.0, 1.0, 2.0])?)?;
    /// let (mut ids, mut counts) = ([0; 6], [0; 3]);
    /// search.padded_neighbors(NeighborsKind::Full, 2, &mut ids, &mut counts)?;
    /// assert_eq!((ids, counts), ([1, -1, 0, 2, 1, -1], [1, 2, 1]));
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn padded_neighbors(
        &mut self,
        kind: NeighborsKind,
        width: usize,
        ids: &mut [i32],
        counts: &mut [i32],
    ) -> Result<i64> {
        let rows = self.rows(kind);
        check_len("the length of ids", ids.len(), rows.saturating_mul(width))?;
        check_len("the length of counts", counts.len(), rows)?;
        self.padded_into(kind, width, (Out::new(ids), Out::new(counts)), &|_| Ok(()))
    }

    /// [`padded_neighbors`](Search::padded_neighbors) for memory that need not be initialised, all of it checked. `check` may refuse rows of
    /// which the longest has so many entries.
    pub(crate) fn padded_into(
        &mut self,
        kind: NeighborsKind,
        width: usize,
        (ids, counts): (Out<i32>, Out<i32>),
        check: &dyn Fn(usize) -> Result<()>,
    ) -> Result<i64> {
        let found = self.neighbors(kind)?;
        let longest = found
            .offsets
            .windows(2)
            .map(|ends| ends[1] - ends[0])
            .max()
            .unwrap_or(0);
        if longest > width as i64 {
            return Err(Error::Capacity {
                argument: "width",
                capacity: width as i64,
                need: longest,
            });
        }
        let entries = found.ids.len();
        check(longest as usize)?;
        let team = self.inputs.team_for(entries)?;
        let (base, offsets) = (
            self.inputs.settings.index_base,
            self.counted.offsets_of(&self.inputs, self.order.get(), kind),
        );
        let rows: &[i32] = self.lists.ids.get();
        let row = |i: usize| &rows[(offsets[i] - base) as usize..(offsets[i + 1] - base) as usize];
        if width > 0 {
            ids.in_pieces(&team, width, |first, out| {
                for at in (0..out.len()).step_by(width) {
                    let row = row((first + at) / width);
                    out.write_all(at, row);
                    (row.len()..width).for_each(|k| out.write(at + k, base as i32 - 1));
                }
            })?;
        }
        counts.in_pieces(&team, 1, |first, out| {
            (0..out.len()).for_each(|at| out.write(at, row(first + at).len() as i32));
        })?;
        Ok(longest)
    }

    /// [`neighbors_into`](Search::neighbors_into) with offsets of 32 bits, which have one element more than there are rows. More
    /// entries than 32 bits can count are refused.
    pub fn neighbors_into_32(&mut self, kind: NeighborsKind, offsets: &mut [i32], ids: &mut [i32]) -> Result<usize> {
        check_len("the length of offsets", offsets.len(), self.rows(kind) + 1)?;
        self.neighbors_into_rows_32(kind, Out::new(offsets), Rows::new(ids), &|_| Ok(()))
    }

    /// [`neighbors_into_32`](Search::neighbors_into_32) for memory that need not be initialised. `check` may refuse arrays of which
    /// that many ids would be written.
    pub(crate) fn neighbors_into_rows_32(
        &mut self,
        kind: NeighborsKind,
        mut offsets: Out<i32>,
        ids: Rows,
        check: &dyn Fn(usize) -> Result<()>,
    ) -> Result<usize> {
        let base = self.inputs.settings.index_base;
        let fits = |entries: usize| {
            check_32(entries, base)?;
            check(entries)
        };
        let (made, entries) = self.neighbors_into_rows("capacity", kind, ids, &fits)?;
        for (at, &offset) in made.iter().enumerate() {
            offsets.write(at, offset as i32);
        }
        Ok(entries)
    }
}

/// Refuses entries that offsets of 32 bits cannot count from `base`.
fn check_32(entries: usize, base: i64) -> Result<()> {
    let most = i64::from(i32::MAX) - base;
    if entries as i64 <= most {
        return Ok(());
    }
    let allowed = format_args!("0 to {most} for offsets of 32 bits");
    Err(Error::not_allowed(
        Status::BadCount,
        "number of entries",
        entries,
        allowed,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last offset is the number of entries plus the base.
    #[test]
    fn offsets_of_32_bits() {
        let most = i32::MAX as usize;
        assert!(check_32(most, 0).is_ok() && check_32(most - 1, 1).is_ok());
        for (entries, base) in [(most + 1, 0), (most, 1)] {
            let error = check_32(entries, base).unwrap_err();
            assert_eq!(error.status(), Status::BadCount);
            assert!(
                error.to_string().contains(&format!("number of entries = {entries}")),
                "{error}"
            );
        }
    }
}
