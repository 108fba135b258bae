//! Classes of the points that the cells of the grid hold.

use super::cells::Grid;
use crate::error::Result;
use crate::kinds::Classes;
use crate::list::{Out, resize_discarding};
use crate::threads::Team;

impl Grid {
    /// Writes the classes of the points of each cell, a bit each, to `to`.
    pub fn classes_by_cell(&self, classes: &Classes, team: &Team, to: &mut Vec<u128>) -> Result<()> {
        resize_discarding(to, self.cells(), 0, "the classes of cells")?;
        Out::new(to).in_pieces(team, 1, |first, to| {
            for k in 0..to.len() {
                let cell = first + k;
                let places = self.starts[cell] as usize..self.starts[cell + 1] as usize;
                to.write(k, classes.among(&self.ids[places]));
            }
        })
    }
}
