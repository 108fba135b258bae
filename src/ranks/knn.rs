//! The k nearest of this rank's points, or of its queries, among the points of all ranks.
//!
//! Each rank first finds the nearest among its own points, which bounds how far other neighbors can be. Every rank sends a few
//! boxes around its points to all others. A point whose bound reaches a box of another rank becomes a question to that rank,
//! which answers with its nearest points within the bound. The rows are merged, and the points named by answers are ghosts.
//! Both ranks search by the same rules, so that squared distances have the same bits wherever they are computed; ties by global
//! id are decided once, in the merge.

mod answers;
mod atlas;
mod questions;
mod rows;

use answers::{Arrival, answer, merge};
use atlas::{Atlas, Limits, Seeker, outline};
use questions::{ask, pack};
use rows::{Own, Rows, WHAT};

use super::agree::agree;
use super::cloud::{Cloud, Placed};
use super::comm::Comm;
use super::mail::deliver;
use super::stats::Traffic;
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::memory::{boxed, filled, with_capacity};
use crate::points::{Precision, Values};
use crate::search::{Knn, KnnKind, Search};
use crate::version::{Derived, Version};

/// A query for k nearest, the same on all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Among which points the nearest ones are searched.
    pub kind: KnnKind,
    /// Elements of a row.
    pub k: usize,
    /// Distances, squared distances or radii.
    pub measure: Measure,
}

/// Rows that were found, and the points of other ranks that they name. These have the numbers after this rank's own points.
#[derive(Debug)]
pub struct Found {
    k: usize,
    ids: Vec<i32>,
    distances: Values,
    counts: Vec<i32>,
    pub ghosts: Arrival,
    /// Points that other ranks were asked about, once for each such rank.
    pub questions: i64,
    pub traffic: Traffic,
}

impl Found {
    /// The rows, in the precision of the points.
    pub fn show<T: Precision>(&self) -> Knn<'_, T> {
        Knn {
            k: self.k,
            ids: &self.ids,
            distances: T::held(&self.distances).unwrap_or_default(),
            counts: &self.counts,
        }
    }
}

/// The points and ids of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OwnOf {
    /// The points set together, and the number of all.
    points: Version,
    len: usize,
    ids: Option<Version>,
}

/// A search of this rank's points alone, without ghosts.
#[derive(Debug, Default)]
pub struct Finder {
    search: Option<Box<Search>>,
    own: Derived<OwnOf, ()>,
}

impl Finder {
    /// The search of the points of `from`, which have global ids of a version.
    fn of<T: Precision>(&mut self, from: &mut Search, ids: (&[i64], Option<Version>)) -> Result<&mut Search> {
        if self.search.is_none() {
            self.search = Some(boxed(Search::new()?, WHAT)?);
            self.own.begin();
        }
        let search = self.search.as_mut().ok_or(Error::NO_POINTS)?;
        let of = OwnOf {
            points: from.version_of_own(),
            len: from.len(),
            ids: ids.1,
        };
        from.share_settings(search);
        self.own.make(of, |()| {
            from.share_points::<T>(search)?;
            search.set_ids(ids.0)
        })?;
        Ok(search)
    }
}

/// Finds the k nearest of the points of `search`, or of its queries. Its points have these global ids of a version. All ranks `asked` the same. Collective.
pub fn find<T: Precision>(
    comm: &Comm,
    (search, finder): (&mut Search, &mut Finder),
    (ids, version): (&[i64], Option<Version>),
    asked: Nearest,
) -> Result<Found> {
    let own = finder.of::<T>(search, (ids, version)).and_then(|finder| {
        search.share_active(finder, asked.kind)?;
        if asked.kind == KnnKind::Queries {
            search.share_queries::<T>(finder)?;
        }
        Ok(finder)
    });
    let own = own.and_then(|finder| Ok((own_rows::<T>(finder, asked)?, finder)));
    let local = own.and_then(|(rows, finder)| {
        let (points, owned) = (search.held::<T>()?, 0..search.len());
        let own = Own {
            cloud: Cloud::new(points, owned),
            ids,
            base: search.index_base() as i32,
        };
        let askers = match asked.kind {
            KnnKind::Queries => search.queries_held()?,
            _ => 0..search.knn_rows(asked.kind)?,
        };
        let askers = Cloud::new(points, askers);
        let periods = own.cloud.periods;
        let bound = finder.knn_bound::<T>()?.unwrap_or(T::INFINITY);
        Ok((rows, finder, (own, askers), Limits::new(periods, bound)))
    });
    let (mut rows, finder, (own, askers), limits) = agree(comm, local)?;
    let (mut ghosts, mut asked_about, mut traffic) = (Arrival::none::<T>(), 0, Traffic::default());
    if comm.size() > 1 {
        let asked_of = questions_of(comm, (&own.cloud, &askers), &rows, &limits)?;
        asked_about = asked_of.iter().map(|(_, points)| points.len() as i64).sum();
        let out = agree(comm, pack(&askers, &rows, &asked_of))?;
        let came = deliver(comm, out, &mut traffic)?;
        let out = answer(finder, &own, &came, asked.k);
        let came = deliver(comm, agree(comm, out)?, &mut traffic)?;
        ghosts = agree(comm, merge(&own, &mut rows, &asked_of, &came))?;
    }
    rows.squares.iter_mut().for_each(|d2| *d2 = asked.measure.of(*d2));
    Ok(Found {
        k: rows.k,
        ids: rows.ids,
        distances: T::hold(rows.squares),
        counts: rows.counts,
        ghosts,
        questions: asked_about,
        traffic,
    })
}

/// The nearest among this rank's own points, of these or of queries.
fn own_rows<T: Precision>(search: &mut Search, asked: Nearest) -> Result<Rows<T>> {
    let Nearest { kind, k, .. } = asked;
    let n = search.check_knn::<T>(kind, k as i64)?;
    let mut rows = Rows {
        k,
        ids: filled(n * k, 0, WHAT)?,
        squares: filled(n * k, T::INFINITY, WHAT)?,
        counts: with_capacity(n, WHAT)?,
    };
    search.knn_into(kind, k, Measure::Square, &mut rows.ids, &mut rows.squares)?;
    let base = search.index_base() as i32;
    let count = |row: &[i32]| row.partition_point(|&id| id >= base) as i32;
    rows.counts.extend(rows.ids.chunks_exact(k).map(count));
    Ok(rows)
}

/// The points that each other rank is asked about; collective. All ranks learn where the points of this one are.
fn questions_of<T: Precision>(
    comm: &Comm,
    (points, askers): (&Cloud<T>, &Cloud<T>),
    rows: &Rows<T>,
    limits: &Limits,
) -> Result<Vec<(usize, Vec<u32>)>> {
    let farthest = rows.squares.chunks_exact(rows.k).map(|row| row[rows.k - 1]);
    let told = seekers(points, std::iter::repeat(0.0)).and_then(|mut points| outline(&mut points));
    let local = told.and_then(|told| {
        Ok((
            told,
            seekers(askers, farthest.map(|square| limits.of(square.to_f64())))?,
        ))
    });
    let (told, mut seekers) = agree(comm, local)?;
    let all = comm.all_gather(&told)?;
    let atlas = agree(comm, Atlas::new(all.iter(), comm.rank()))?;
    agree(comm, ask(&mut seekers, &atlas, limits, rows.k + 1))
}

/// Points, and how far the neighbors of each may be.
fn seekers<T: Precision>(points: &Cloud<T>, limits: impl Iterator<Item = f64>) -> Result<Vec<Seeker>> {
    let mut seekers = with_capacity(points.len, WHAT)?;
    seekers.extend(
        points
            .placed()
            .zip(limits)
            .map(|(Placed { at, point }, limit)| Seeker { at, limit, point }),
    );
    Ok(seekers)
}
