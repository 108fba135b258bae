//! Migration of points and their fields to other ranks.

use super::Ranks;
use crate::error::{Error, Result, Status, Words, words};
use crate::list::Out;
use crate::points::{PointsView, Precision};
use crate::ranks::agree::meet;
use crate::ranks::halo::check_field;
use crate::ranks::migration::{Crowd, Migration, plan};
use crate::ranks::stats::Traffic;
use crate::search::Search;

/// The migration planned last, and what the last call sent.
#[derive(Debug, Default)]
pub struct State {
    planned: Option<Migration>,
    traffic: Traffic,
}

impl Ranks {
    /// Plans a migration of points with these ids, if any, that gives each rank the same number, or one more, near each other in space.
    /// Returns the number of points that this rank will have. The points of the search stay. On failure an earlier plan remains.
    pub fn plan_migration<T: Precision>(
        &mut self,
        search: &Search,
        asked: Result<(PointsView<T>, Option<&[i64]>)>,
    ) -> Result<usize> {
        let dim = asked.as_ref().map_or(0, |(points, _)| points.dim());
        let facts = [
            ("plan_migration", Words::Borrowed("")),
            ("dim", words(dim)),
            ("precision", Words::Borrowed(T::NAME)),
            ("box", search.box_in_words()),
        ];
        let crowd = asked.and_then(|(points, ids)| {
            if let Some(ids) = ids.filter(|ids| ids.len() != points.len()) {
                let allowed = format_args!("{}, the number of points", points.len());
                return Err(Error::not_allowed(
                    Status::BadCount,
                    "number of ids",
                    ids.len(),
                    allowed,
                ));
            }
            let (periods, _) = search.check_points(&points)?;
            Ok(Crowd { points, periods, ids })
        });
        let crowd = meet(&self.comm, crowd, [&facts, &[]], None, &mut [])?;
        let (migration, traffic) = plan(&self.comm, &crowd)?;
        let [_, after] = migration.counts();
        (self.migration.planned, self.migration.traffic) = (Some(migration), traffic);
        Ok(after)
    }

    /// Moves a field of the points that the migration was planned for, `bytes` for each, to their new ranks.
    pub fn migrate(&mut self, asked: Result<(usize, &[u8], Out<u8>)>) -> Result<()> {
        let bytes = asked.as_ref().map_or(0, |(bytes, ..)| *bytes);
        let facts = [("migrate", Words::Borrowed("")), ("bytes of an element", words(bytes))];
        let asked = asked.and_then(|(_, before, after)| {
            let migration = self.migration()?;
            let counts = migration.counts();
            check_field(before.len(), bytes, counts[0])?;
            check_field(after.len(), bytes, counts[1])?;
            Ok((migration, before, after))
        });
        let (migration, before, mut after) = meet(&self.comm, asked, [&facts, &[]], None, &mut [])?;
        self.migration.traffic = migration.migrate(&self.comm, bytes, before, &mut after)?;
        Ok(())
    }

    /// The migration planned last.
    pub fn migration(&self) -> Result<&Migration> {
        self.migration.planned.as_ref().ok_or(Error::BadState {
            missing: "migration planned",
            remedy: "plan_migration",
        })
    }
}
