//! Rows of many systems of points, none of which is a neighbor of a point of another.
//!
//! in: points, one system after the other, with a cutoff and a box for each, and searches; out: rows of all points. A thread searches a
//! system with a search of its own, which it keeps for the next one. Nothing here knows how.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::neighbors::{Neighbors, NeighborsKind};
use crate::arguments::{check_len, check_offsets};
use crate::domain::{Domain, bound};
use crate::error::{Error, Result, words};
use crate::list::{holds, push, reserve_keeping, resize_discarding, scan};
use crate::memory::Holds;
use crate::plan::Settings;
use crate::points::{PointsView, Precision};
use crate::threads::Team;

const WHAT: &str = "the rows of systems";

/// Points that a thread takes at once, at least: small systems take no longer than handing them out.
const SHARE: usize = 2048;

/// The systems of points that a call searches. Points of one system follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Systems<'a> {
    /// The first point of each system, in the handle's index base, and one element more: the end of the last system.
    pub firsts: &'a [i64],
    /// The cutoff of each system.
    pub cutoffs: &'a [f64],
    /// The box of each system, `dim` elements a system, as [`set_box`](crate::Search::set_box) takes them. All three are empty where space is
    /// open.
    pub lo: &'a [f64],
    /// Its edges.
    pub length: &'a [f64],
    /// Its periodic axes.
    pub periodic: &'a [bool],
}

impl Systems<'_> {
    fn len(&self) -> usize {
        self.cutoffs.len()
    }

    /// The box of system `k`.
    fn domain(&self, k: usize, dim: usize) -> Result<Domain> {
        let of_system = k * dim..(k + 1) * dim;
        match self.periodic.is_empty() {
            true => Ok(Domain::default()),
            false => Domain::new(
                &self.lo[of_system.clone()],
                &self.length[of_system.clone()],
                &self.periodic[of_system],
            ),
        }
    }

    /// The points of system `k`.
    fn points(&self, k: usize, base: i64) -> Range<usize> {
        let [first, end] = [self.firsts[k], self.firsts[k + 1]].map(|point| (point - base) as usize);
        first..end
    }

    /// Refuses systems that are not those of `view`, and the first one that cannot be searched.
    pub fn check<T: Precision>(&self, view: &PointsView<T>, settings: &Settings) -> Result<()> {
        let (base, dim) = (settings.index_base, view.dim());
        check_len("size of firsts", self.firsts.len(), self.len() + 1)?;
        check_len(
            "points of all systems",
            check_offsets("firsts", self.firsts, base)?,
            view.len(),
        )?;
        let of_boxes = [self.lo.len(), self.length.len(), self.periodic.len()];
        if of_boxes != [0; 3] {
            let names = ["size of lo", "size of length", "size of periodic"];
            for (name, len) in names.into_iter().zip(of_boxes) {
                check_len(name, len, self.len() * dim)?;
            }
        }
        for k in 0..self.len() {
            self.check_system(k, view, settings)
                .map_err(|error| of_system(error, k as i64 + base))?;
        }
        Ok(())
    }

    fn check_system<T: Precision>(&self, k: usize, view: &PointsView<T>, settings: &Settings) -> Result<()> {
        bound::<T>(self.cutoffs[k], settings.tie_rule)?;
        let (base, points) = (settings.index_base, self.points(k, settings.index_base));
        let periods = self.domain(k, view.dim())?.periods::<T>(view.dim())?;
        periods.check_cutoff(T::from_f64(self.cutoffs[k]))?;
        let first = base + points.start as i64;
        view.part(points).check_wraps(&periods, first)
    }
}

/// The refusal of a value, which names its system.
fn of_system(error: Error, system: i64) -> Error {
    match error {
        Error::NotAllowed {
            status,
            argument,
            value,
            allowed,
        } => Error::NotAllowed {
            status,
            argument,
            value: words(format_args!("{value} of system {system}")),
            allowed,
        },
        other => other,
    }
}

/// A search for one system at a time.
pub trait Alone: Holds + Send + Sized {
    /// A new one.
    fn new() -> Result<Self>;

    /// Takes the settings of another search, except what is a system's; it uses `threads`.
    fn take_settings(&mut self, settings: &Settings, threads: usize);

    /// The rows of the points of `view`, numbered from 0, and the number of distance tests. `check` is given the number of entries,
    /// and may refuse it.
    fn rows<T: Precision>(
        &mut self,
        view: &PointsView<T>,
        of_system: (f64, Domain),
        kind: NeighborsKind,
        check: impl FnOnce(i64) -> Result<()>,
    ) -> Result<(Neighbors<'_>, i64)>;
}

/// The memory for the rows of all systems: the rows of the threads, and the list into which they are copied.
struct Room {
    points: u64,
    /// Entries of the rows of all threads.
    entries: AtomicU64,
    limit: Option<u64>,
}

impl Room {
    /// Counts `entries` more before they are made. Refuses them beyond the limit.
    fn take(&self, entries: i64) -> Result<()> {
        let (entries, columns) = (entries as u64, 2); // one of a thread, and one of the list
        let entries = self.entries.fetch_add(entries, Relaxed) + entries;
        let need = 8 * (columns * self.points + 1) + 4 * columns * entries;
        match self.limit {
            Some(limit) if need > limit => Err(Error::MemoryLimit {
                what: "a list of a part of the result",
                need,
                limit,
            }),
            _ => Ok(()),
        }
    }
}

/// The rows of all systems, and the threads that find them.
#[derive(Debug)]
pub struct SystemsRows<S> {
    workers: Vec<Worker<S>>,
    offsets: Vec<i64>,
    ids: Vec<i32>,
}

holds! { SystemsRows<S> { workers, offsets, ids } }

impl<S> Default for SystemsRows<S> {
    fn default() -> Self {
        SystemsRows {
            workers: Vec::new(),
            offsets: Vec::new(),
            ids: Vec::new(),
        }
    }
}

/// A thread with a search of its own, and the rows that it has found.
#[derive(Debug)]
struct Worker<S> {
    search: S,
    /// Lengths of rows, and their ids.
    lengths: Vec<i64>,
    ids: Vec<i32>,
    shares: Vec<Share>,
}

holds! { Worker<S> { search, lengths, ids, shares } }

/// Systems that a thread has searched at once, and where it has put what it found.
#[derive(Clone, Debug)]
struct Share {
    points: Range<usize>,
    lengths: Range<usize>,
    ids: Range<usize>,
}

holds! { nothing for Share }

impl<S: Alone> Worker<S> {
    fn new() -> Result<Self> {
        Ok(Worker {
            search: S::new()?,
            lengths: Vec::new(),
            ids: Vec::new(),
            shares: Vec::new(),
        })
    }

    /// Begins with nothing found.
    fn begin(&mut self, settings: &Settings, threads: usize) {
        self.search.take_settings(settings, threads);
        self.lengths.clear();
        self.ids.clear();
        self.shares.clear();
    }

    /// Searches systems that follow each other.
    fn search<T: Precision>(
        &mut self,
        (view, systems): (&PointsView<T>, &Systems),
        (these, kind, base): (Range<usize>, NeighborsKind, i64),
        (team, room): (&Team, &Room),
    ) -> Result<()> {
        let begin = systems.points(these.start, base).start;
        let (mut end, first_length, first_id) = (begin, self.lengths.len(), self.ids.len());
        for k in these {
            let (points, domain) = (systems.points(k, base), systems.domain(k, view.dim())?);
            let first = (points.start as i64 + base) as i32;
            end = points.end;
            let of_system = (systems.cutoffs[k], domain);
            let check = |entries| room.take(entries);
            let (rows, tests) = self.search.rows(&view.part(points), of_system, kind, check)?;
            let (lengths, ids) = (&mut self.lengths, &mut self.ids);
            reserve_keeping(lengths, lengths.len() + rows.offsets.len() - 1, WHAT)?;
            lengths.extend(rows.offsets.windows(2).map(|two| two[1] - two[0]));
            reserve_keeping(ids, ids.len() + rows.ids.len(), WHAT)?;
            ids.extend(rows.ids.iter().map(|&id| id + first));
            team.cost().add(tests as usize);
        }
        let share = Share {
            points: begin..end,
            lengths: first_length..self.lengths.len(),
            ids: first_id..self.ids.len(),
        };
        push(&mut self.shares, share, WHAT)
    }
}

/// A share of the rows, and the place where they are wanted.
struct Move<'a> {
    lengths: &'a [i64],
    ids: &'a [i32],
    to_lengths: &'a mut [i64],
    to_ids: &'a mut [i32],
}

impl<S: Alone> SystemsRows<S> {
    /// Finds the rows: those of a system on one thread, or of one system after the other on all threads where there are few. Returns how
    /// many entries they have.
    pub fn find<T: Precision>(
        &mut self,
        (view, systems): (&PointsView<T>, &Systems),
        settings: &Settings,
        kind: NeighborsKind,
        team: &Team,
    ) -> Result<i64> {
        let are_few = systems.len() < 2 * team.threads();
        let (workers, threads) = match are_few {
            true => (1, team.threads()),
            false => (team.threads(), 1),
        };
        let room = Room {
            points: view.len() as u64,
            entries: AtomicU64::new(0),
            limit: settings.memory_limit,
        };
        room.take(0)?;
        self.workers.truncate(workers);
        while self.workers.len() < workers {
            push(&mut self.workers, Worker::new()?, WHAT)?;
        }
        for worker in &mut self.workers {
            worker.begin(settings, threads);
        }
        let (base, work) = (settings.index_base, (view, systems));
        let shares = shares(systems, SHARE.max(view.len() / (8 * workers)), base)?;
        let with = (team, &room);
        let search = |worker: &mut Worker<S>, k: usize| worker.search(work, (shares[k].clone(), kind, base), with);
        match are_few {
            true => (0..shares.len()).try_for_each(|k| search(&mut self.workers[0], k))?,
            false => team.run(&mut self.workers, shares.len(), search)?,
        }
        self.join(view.len(), base, team)
    }

    /// The rows that were found last.
    pub fn rows(&self) -> Neighbors<'_> {
        Neighbors {
            offsets: &self.offsets,
            ids: &self.ids,
        }
    }

    /// Brings what all workers have found together.
    fn join(&mut self, points: usize, base: i64, team: &Team) -> Result<i64> {
        let SystemsRows { workers, offsets, ids } = self;
        let total: usize = workers.iter().map(|worker| worker.ids.len()).sum();
        resize_discarding(offsets, points + 1, 0, WHAT)?;
        resize_discarding(ids, total, 0, WHAT)?;
        let mut found = Vec::new();
        for worker in workers.iter() {
            for share in &worker.shares {
                push(&mut found, (share, worker), WHAT)?;
            }
        }
        found.sort_unstable_by_key(|(share, _)| (share.points.start, share.points.end));
        let (mut moves, mut rest_lengths, mut rest_ids) = (Vec::new(), &mut offsets[1..], &mut ids[..]);
        for (share, worker) in found {
            let (to_lengths, to_ids);
            (to_lengths, rest_lengths) = rest_lengths.split_at_mut(share.lengths.len());
            (to_ids, rest_ids) = rest_ids.split_at_mut(share.ids.len());
            let found = Move {
                lengths: &worker.lengths[share.lengths.clone()],
                ids: &worker.ids[share.ids.clone()],
                to_lengths,
                to_ids,
            };
            push(&mut moves, found, WHAT)?;
        }
        team.each(&mut moves, |found| {
            found.to_lengths.copy_from_slice(found.lengths);
            found.to_ids.copy_from_slice(found.ids);
        });
        drop(moves);
        offsets[0] = 0;
        Ok(scan(offsets, base))
    }
}

/// Systems that follow each other, of `most` points or one system more.
fn shares(systems: &Systems, most: usize, base: i64) -> Result<Vec<Range<usize>>> {
    let (mut shares, mut begin) = (Vec::new(), 0);
    for k in 0..systems.len() {
        let points = systems.points(k, base).end - systems.points(begin, base).start;
        if points >= most || k + 1 == systems.len() {
            push(&mut shares, begin..k + 1, WHAT)?;
            begin = k + 1;
        }
    }
    Ok(shares)
}
