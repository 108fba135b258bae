//! The k nearest of this rank's points among the points of all ranks.
//!
//! Each rank first finds the nearest among its own points, which bounds how far other neighbors can be. Every rank sends a few
//! boxes around its points to all others. A point whose bound reaches a box of another rank becomes a question to that rank,
//! which answers with its nearest points within the bound. The rows are merged, and the points named by answers are ghosts.
//! Both ranks search with the core, so that squared distances have the same bits wherever they are computed; ties by global id
//! are decided once, in the merge.

mod answers;
mod atlas;
mod questions;

use answers::{Arrival, answer, merge};
use atlas::{Atlas, Limits, Seeker, outline};
use questions::{ask, pack};

use crate::agree::{agree, agree_on};
use crate::comm::Comm;
use crate::core::{Core, KnnKind};
use crate::error::{Error, Result, filled, room, status};
use crate::held::{Ghosts, Held, no_points};
use crate::mail::deliver;
use crate::points::{Coords, Domain, Real, lengths, place};
use crate::search::Search;
use crate::stats::Traffic;

/// `NEARGRID_KNN_MAX`.
pub(crate) const MAX_K: usize = 1024;

const WHAT: &str = "the list of k nearest";

/// The contents of a row besides the ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Distances: correctly rounded roots of the distances squared.
    Distance,
    /// Distances squared.
    Square,
    /// The smallest numbers with squares, as computed, of at least the distances squared.
    Radius,
}

impl Measure {
    /// The number that is made of a distance squared.
    fn of<T: Real>(self, square: T) -> T {
        let root = T::from_f64(square.to_f64().sqrt()); // rounded twice, and right all the same
        match self {
            Measure::Square => square,
            Measure::Distance => root,
            Measure::Radius => radius_of(square, root),
        }
    }
}

/// The smallest number whose square, as computed, is at least `square`, which has this root.
fn radius_of<T: Real>(square: T, root: T) -> T {
    let reaches = |c: T| T::from_f64(c.to_f64() * c.to_f64()) >= square; // rounded once
    let near = |share: f64| T::from_f64(share * root.to_f64());
    let (mut below, mut radius) = (near(1.0 - 4.0 * T::ROUNDOFF), near(1.0 + 4.0 * T::ROUNDOFF));
    if reaches(below) {
        below = near(0.5); // squares have few digits
    }
    loop {
        let middle = T::from_f64(0.5 * below.to_f64() + 0.5 * radius.to_f64());
        if !(below < middle && middle < radius) {
            return radius;
        }
        match reaches(middle) {
            true => radius = middle,
            false => below = middle,
        }
    }
}

/// The arguments of a query for k nearest, the same on all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Among which points the nearest ones are searched.
    pub kind: KnnKind,
    /// Elements of a row, 1 to 1024.
    pub k: usize,
    /// Distances, squared distances or radii.
    pub measure: Measure,
}

/// The k nearest neighbors of this rank's points, ordered by squared distance and then by global id. Row `i` is
/// `ids[i * k .. (i + 1) * k]`. Only the first `counts[i]` entries are neighbors; the rest have the index base minus 1 as id
/// and an infinite distance.
#[derive(Clone, Copy, Debug)]
pub struct Knn<'a, T> {
    /// Elements of a row.
    pub k: usize,
    /// Numbers of owned points, followed by those of the ghosts of this query.
    pub ids: &'a [i32],
    /// Distances, squared distances or radii, as requested.
    pub distances: &'a [T],
    /// Neighbors of each row.
    pub counts: &'a [i32],
}

/// Rows as they are made: numbers of points from the index base on, distances squared.
#[derive(Debug)]
pub(crate) struct Rows {
    k: usize,
    ids: Vec<i32>,
    squares: Coords,
    counts: Vec<i32>,
}

/// The last result.
#[derive(Debug)]
pub(crate) struct Found {
    asked: Nearest,
    rows: Rows,
    ghosts: Arrival,
    pub(crate) questions: i64,
    pub(crate) traffic: Traffic,
}

impl Found {
    /// The number of points of other ranks that rows may name.
    pub fn ghost_count(&self) -> i64 {
        self.ghosts.ids.len() as i64
    }
}

/// A search of its own, for this rank's points alone, and what it found.
pub(crate) struct Finder {
    pub(crate) core: Core,
    /// The core has the current points.
    is_ready: bool,
    pub(crate) found: Option<Found>,
}

impl Finder {
    pub fn new() -> Result<Finder> {
        Ok(Finder {
            core: Core::new()?,
            is_ready: false,
            found: None,
        })
    }

    /// Points or box are others.
    pub fn forget(&mut self) {
        (self.is_ready, self.found) = (false, None);
    }

    /// The nearest among this rank's own points.
    fn own_rows<T: Real>(&mut self, held: &Held, asked: Nearest) -> Result<Rows> {
        let Nearest { kind, k, .. } = asked;
        let n = held.owned;
        if !self.is_ready {
            self.core.set_first_points(held.dim, &held.coords, n)?;
            self.core.set_ids(&held.ids[..n])?;
            self.is_ready = true;
        }
        let others = n.saturating_sub(usize::from(kind == KnnKind::Others));
        let mut rows = Rows {
            k,
            ids: filled(n * k, 0, WHAT)?,
            squares: T::hold(filled(n * k, T::default(), WHAT)?),
            counts: filled(n, others.min(k) as i32, WHAT)?,
        };
        self.core.knn(Some(kind), k, &mut rows.ids, &mut rows.squares)?;
        Ok(rows)
    }
}

impl<C: Comm> Search<C> {
    /// The k nearest of this rank's points among the points of all ranks. `T` is the precision of the points. No cutoff is
    /// needed. Collective.
    pub fn knn<T: Real>(&mut self, asked: Result<Nearest>) -> Result<Knn<'_, T>> {
        let local = self.admit(asked).and_then(|asked| {
            self.check_idle()?;
            self.held.as_ref().ok_or_else(no_points)?;
            self.check_precision::<T>()?;
            match (1..=MAX_K).contains(&asked.k) {
                true => Ok(asked),
                false => Err(bad_k(asked.k)),
            }
        });
        let say = |say: &dyn Fn(&Nearest) -> String| local.as_ref().map_or(String::new(), say);
        let [_, _, _, base, domain, _] = self.facts("knn", &local);
        let facts = [
            ("knn", String::new()),
            ("kind", say(&|asked| format!("{:?}", asked.kind))),
            ("k", say(&|asked| asked.k.to_string())),
            ("measure", say(&|asked| format!("{:?}", asked.measure))),
            base,
            domain,
        ];
        let found = self.finder.found.as_ref().map(|found| found.asked);
        let is_there = found.is_some() && found == local.as_ref().ok().copied();
        let (asked, is_there) = agree_on(&self.comm, local, is_there, &facts)?;
        if !is_there {
            self.finder.found = None;
            self.finder.found = Some(self.find_nearest::<T>(asked)?);
        }
        self.held_knn()
    }

    /// The rows found last. Not collective.
    pub fn held_knn<T: Real>(&self) -> Result<Knn<'_, T>> {
        let found = self.finder.found.as_ref().ok_or_else(none_found)?;
        Ok(Knn {
            k: found.rows.k,
            ids: &found.rows.ids,
            distances: T::held(&found.rows.squares),
            counts: &found.rows.counts,
        })
    }

    /// The ghosts of the last query for k nearest: all points of other ranks that its rows may name. Collective.
    pub fn knn_ghosts(&mut self, asked: Result<()>) -> Result<Ghosts<'_>> {
        let local = self.admit(asked).and_then(|()| {
            self.check_idle()?;
            self.finder.found.as_ref().map(|_| ()).ok_or_else(none_found)
        });
        agree_on(&self.comm, local, true, &[("knn ghosts", String::new())])?;
        let ghosts = &self.finder.found.as_ref().ok_or_else(none_found)?.ghosts;
        Ok(Ghosts {
            ids: &ghosts.ids,
            ranks: &ghosts.ranks,
            coords: &ghosts.coords,
            start: 0,
        })
    }

    fn find_nearest<T: Real>(&mut self, asked: Nearest) -> Result<Found> {
        let held = self.held.as_ref().ok_or_else(no_points)?;
        let domain = self.domain();
        let base = self.base();
        let own = self.finder.own_rows::<T>(held, asked);
        let mut found = Found {
            asked,
            rows: agree(&self.comm, own)?,
            ghosts: Arrival::none::<T>(),
            questions: 0,
            traffic: Traffic::default(),
        };
        if self.comm.size() > 1 {
            let limits = Limits::new::<T>(lengths::<T>(&domain, held.dim));
            let asked_of = questions_of::<_, T>(&self.comm, held, &domain, &found.rows, (&limits, base))?;
            found.questions = asked_of.iter().map(|(_, points)| points.len() as i64).sum();
            let out = agree(&self.comm, pack::<T>(held, &found.rows, &asked_of))?;
            let came = deliver(&self.comm, out, &mut found.traffic)?;
            let out = answer::<T>(&mut self.finder.core, held, &came, (asked.k, base));
            let came = deliver(&self.comm, agree(&self.comm, out)?, &mut found.traffic)?;
            let merged = merge::<T>(held, &mut found.rows, &asked_of, &came, base);
            found.ghosts = agree(&self.comm, merged)?;
        }
        if asked.measure != Measure::Square {
            let squares = T::held_mut(&mut found.rows.squares);
            squares.iter_mut().for_each(|d2| *d2 = asked.measure.of(*d2));
        }
        Ok(found)
    }
}

/// The points that each other rank is asked about; collective.
fn questions_of<C: Comm, T: Real>(
    comm: &C,
    held: &Held,
    domain: &Domain,
    rows: &Rows,
    (limits, base): (&Limits, i32),
) -> Result<Vec<(usize, Vec<u32>)>> {
    let own = &T::held(&held.coords)[..held.owned * held.dim];
    let outlined = place(held.dim, own, domain, base.into()).and_then(|placed| {
        let mut seekers = room(held.owned, WHAT)?;
        let farthest = T::held(&rows.squares).chunks_exact(rows.k).map(|row| row[rows.k - 1]);
        seekers.extend(placed.iter().zip(farthest).map(|(placed, square)| Seeker {
            at: placed.at,
            limit: limits.of(square.to_f64()),
            point: placed.point,
        }));
        let told = outline(&mut seekers)?;
        Ok((seekers, told))
    });
    let (mut seekers, told) = agree(comm, outlined)?;
    let atlas = agree(comm, Atlas::new(&comm.all_gather(&told)?, comm.rank()))?;
    let asked_of = ask(&mut seekers, &atlas, limits, rows.k + 1);
    agree(comm, asked_of)
}

fn bad_k(k: usize) -> Error {
    Error::not_allowed(status::BAD_COUNT, "k", k, &format!("1 to {MAX_K}"))
}

fn none_found() -> Error {
    Error::new(
        status::BAD_STATE,
        "no k nearest for the current points and settings yet: first call knn",
    )
}
