//! The k nearest across ranks.

use super::{Need, Ranks};
use crate::error::{Error, Result, Words, words};
use crate::points::Precision;
use crate::ranks::knn::{self, Finder, Found, Nearest};
use crate::search::Search;

/// The search of this rank's points alone, and the rows found last.
#[derive(Debug, Default)]
pub struct State {
    finder: Finder,
    found: Option<Found>,
}

impl Ranks {
    /// Finds the k nearest of this rank's points, or of its queries, among the points of all ranks. Returns what came with the question, too.
    pub fn knn<T: Precision, A>(&mut self, search: &mut Search, asked: Result<(Nearest, A)>) -> Result<(A, &Found)> {
        self.nearest.found = None;
        let say = |say: &dyn Fn(&Nearest) -> Words| asked.as_ref().map_or(Words::Borrowed(""), |(asked, _)| say(asked));
        let facts = [
            ("among", say(&|asked| words(format_args!("{:?}", asked.kind)))),
            ("k", say(&|asked| words(asked.k))),
            ("measure", say(&|asked| words(format_args!("{:?}", asked.measure)))),
        ];
        let asked = asked.and_then(|asked| search.held::<T>().map(|_| (Need::Ids, asked)));
        let (asked, rest) = self.meet(search, "knn", &facts, asked)?;
        let ids = (&self.numbered.get().ids[..], self.numbered.version());
        let found = knn::find::<T>(&self.comm, (search, &mut self.nearest.finder), ids, asked)?;
        Ok((rest, self.nearest.found.insert(found)))
    }

    /// The rows found last, which also have the points of other ranks that they name.
    pub fn nearest(&self) -> Result<&Found> {
        self.nearest.found.as_ref().ok_or(Error::BadState {
            missing: "k nearest",
            remedy: "knn",
        })
    }
}
