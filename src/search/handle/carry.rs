//! Values of contacts, from one list to the next.

use super::Search;
use crate::carry::{Carrying, Columns, Contacts};
use crate::error::Result;
use crate::list::{Out, resize_discarding};
use crate::points::Precision;
use crate::threads::Team;

impl Search {
    /// Carries the values of contacts from an old list to a new one. The entry of the new list that lists `j` in the row of `i`
    /// takes the values that the old list has for `j` in the row of `i`. If it has none, it takes those for `i` in the row of
    /// `j`, each with its sign in `columns`; and if there is neither, zeros.
    ///
    /// Both lists may have half or full rows, as [`Contacts`] says. With global ids a point is the one with the same id, whatever
    /// its number is in either list; without, it is the one with the same number. `old_values` and `values` have
    /// `columns.count` numbers for each entry, entry after entry. The handle gives its index base and threads. It needs no
    /// points, and its results stay. On failure nothing is written.
    ///
    /// ```
    /// # use neargrid::{Columns, Contacts, Search};
    /// let search = Search::new()?;
    /// let list = |offsets, ids| Contacts { first_row: 0, offsets, ids, global_ids: None };
    /// let old = list(&[0, 2, 2, 2], &[1, 2]); // 0 touches 1 and 2
    /// let new = list(&[0, 0, 1, 2], &[2, 0]); // 1 touches 2, and 2 touches 0
    /// let (mut values, columns) = ([9.0; 2], Columns { count: 1, signs: &[-1] });
    /// search.carry(&old, &new, &columns, &[0.5, 0.25], &mut values)?;
    /// assert_eq!(values, [0.0, -0.25]);
    /// assert_eq!(search.lost_contacts(&old, &new)?, [0]);
    /// # Ok::<(), neargrid::Error>(())
    /// ```
    pub fn carry<T: Precision>(
        &self,
        old: &Contacts,
        new: &Contacts,
        columns: &Columns,
        old_values: &[T],
        values: &mut [T],
    ) -> Result<()> {
        let (carrying, team) = self.carrying(old, new)?;
        carrying.check_values(columns, old_values.len(), values.len())?;
        let parts = carrying.parts(columns, Out::new(values))?;
        carrying.write(columns, old_values, &team, parts);
        Ok(())
    }

    /// Positions, in the handle's index base, of the entries of the old list whose pair the new list has in neither order. They
    /// ascend. The lists are those of [`carry`](Search::carry).
    pub fn lost_contacts(&self, old: &Contacts, new: &Contacts) -> Result<Vec<i64>> {
        let (carrying, team) = self.carrying(old, new)?;
        let (lost, mut positions) = (carrying.count_lost(&team)?, Vec::new());
        resize_discarding(&mut positions, lost.len(), 0, "the positions of lost contacts")?;
        carrying.write_lost(&team, lost.parts(Out::new(&mut positions))?);
        Ok(positions)
    }

    /// The lists, checked, and the threads for them.
    pub(crate) fn carrying<'a>(&self, old: &Contacts<'a>, new: &Contacts<'a>) -> Result<(Carrying<'a>, Team)> {
        let team = self.inputs.team_for(old.ids.len().max(new.ids.len()))?;
        let carrying = Carrying::new(old, new, self.inputs.settings.index_base, &team)?;
        Ok((carrying, team))
    }
}
