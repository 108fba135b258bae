//! The points that two numberings share, by their global ids.

use crate::error::{Error, Result, Status};
use crate::list::{reserve_discarding, resize_discarding};
use crate::threads::Team;

const WHAT: &str = "the numbers of the same points";

/// A point that the other numbering does not have.
const GONE: u32 = u32::MAX;

/// The numbers that points of one numbering have in another. All begin with 0.
#[derive(Debug)]
pub enum Numbers {
    /// The same.
    Same,
    /// By point.
    Other(Vec<u32>),
}

impl Numbers {
    /// Whether each point keeps its number.
    #[inline]
    pub fn are_same(&self) -> bool {
        matches!(self, Numbers::Same)
    }

    /// The other number of a point, if it has one.
    #[inline]
    pub fn of(&self, point: usize) -> Option<usize> {
        match self {
            Numbers::Same => Some(point),
            Numbers::Other(numbers) => Some(numbers[point] as usize).filter(|&number| number != GONE as usize),
        }
    }
}

/// Two numberings of the same points.
#[derive(Debug)]
pub struct Both<'a> {
    /// The old numbers of new points, and the new numbers of old points. If points share an id, the first old point is the first
    /// new one, and so on.
    pub numbers: [Numbers; 2],
    /// The points of the old and of the new numbering by their ids, if points share ids.
    pub shared: Option<[Shared<'a>; 2]>,
}

impl Both<'_> {
    /// Numberings in which each point keeps its number.
    pub fn same() -> Both<'static> {
        Both {
            numbers: [Numbers::Same, Numbers::Same],
            shared: None,
        }
    }
}

/// The points of a numbering in which points share ids.
#[derive(Debug)]
pub struct Shared<'a> {
    /// The id of each point.
    ids: &'a [i64],
    /// Ids and their points, sorted by id and then by number.
    sorted: Vec<(i64, u32)>,
    /// The same points, sorted by id, then with ghosts last, then by number.
    ranked: Vec<u32>,
}

impl<'a> Shared<'a> {
    fn new(ids: &'a [i64], sorted: Vec<(i64, u32)>, ghosts: &[bool]) -> Result<Shared<'a>> {
        let mut ranked = Vec::new();
        reserve_discarding(&mut ranked, ids.len(), WHAT)?;
        let is_ghost = |point: u32| ghosts.get(point as usize) == Some(&true);
        for group in sorted.chunk_by(|a, b| a.0 == b.0) {
            let points = group.iter().map(|&(_, point)| point);
            ranked.extend(points.clone().filter(|&point| !is_ghost(point)));
            ranked.extend(points.filter(|&point| is_ghost(point)));
        }
        Ok(Shared { ids, sorted, ranked })
    }

    /// The id of a point.
    #[inline]
    pub fn id(&self, point: usize) -> i64 {
        self.ids[point]
    }

    /// The points with an id, in the order of their numbers.
    pub fn points(&self, id: i64) -> &[(i64, u32)] {
        let first = self.sorted.partition_point(|&(other, _)| other < id);
        let len = self.sorted[first..].partition_point(|&(other, _)| other == id);
        &self.sorted[first..first + len]
    }

    /// The first point with an id. A point that is no ghost comes before ghosts.
    pub fn owner(&self, id: i64) -> Option<usize> {
        let at = self.sorted.partition_point(|&(other, _)| other < id);
        (self.sorted.get(at)?.0 == id).then(|| self.ranked[at] as usize)
    }
}

/// Matches two numberings by their global ids. `ghosts` marks the ghosts, if points share ids and the roles are known.
pub fn between<'a>([old, new]: [Option<&'a [i64]>; 2], ghosts: [&[bool]; 2], team: &Team) -> Result<Both<'a>> {
    let (old, new) = match (old, new) {
        (Some(old), Some(new)) => (old, new),
        (None, None) => return Ok(Both::same()),
        (Some(_), None) => return Err(alone("global_ids", "old_global_ids")),
        (None, Some(_)) => return Err(alone("old_global_ids", "global_ids")),
    };
    let sorted = [sorted(old, team)?, sorted(new, team)?];
    let have_twins = |sorted: &Vec<(i64, u32)>| sorted.windows(2).any(|two| two[0].0 == two[1].0);
    if !sorted.iter().any(have_twins) {
        let same = old == new;
        let numbers = if same {
            [Numbers::Same, Numbers::Same]
        } else {
            matched(sorted.each_ref().map(|side| (&side[..], |at: usize| side[at].1)))?
        };
        return Ok(Both { numbers, shared: None });
    }
    let [old_sorted, new_sorted] = sorted;
    let shared = [
        Shared::new(old, old_sorted, ghosts[0])?,
        Shared::new(new, new_sorted, ghosts[1])?,
    ];
    let numbers = matched(
        shared
            .each_ref()
            .map(|side| (&side.sorted[..], |at: usize| side.ranked[at])),
    )?;
    Ok(Both {
        numbers,
        shared: Some(shared),
    })
}

/// The old numbers of new points, and the new numbers of old points. Each argument has ids in ascending order, and a function from
/// a place among them to the point.
fn matched<F: Fn(usize) -> u32>([(old, old_point), (new, new_point)]: [(&[(i64, u32)], F); 2]) -> Result<[Numbers; 2]> {
    let (mut to_old, mut to_new) = (Vec::new(), Vec::new());
    resize_discarding(&mut to_old, new.len(), GONE, WHAT)?;
    resize_discarding(&mut to_new, old.len(), GONE, WHAT)?;
    let mut rest = old.iter().enumerate().peekable();
    for (at, &(id, _)) in new.iter().enumerate() {
        while rest.next_if(|(_, before)| before.0 < id).is_some() {}
        if let Some((place, _)) = rest.next_if(|(_, same)| same.0 == id) {
            let (number, point) = (old_point(place), new_point(at));
            to_old[point as usize] = number;
            to_new[number as usize] = point;
        }
    }
    Ok([Numbers::Other(to_old), Numbers::Other(to_new)])
}

/// The error for global ids of one list alone.
fn alone(argument: &'static str, other: &str) -> Error {
    let allowed = format_args!("global ids too, as {other} are given");
    Error::not_allowed(Status::BadValue, argument, "no array", allowed)
}

/// Global ids and their points, in ascending order.
fn sorted(ids: &[i64], team: &Team) -> Result<Vec<(i64, u32)>> {
    let mut entries = Vec::new();
    reserve_discarding(&mut entries, ids.len(), WHAT)?;
    entries.extend(ids.iter().copied().zip(0..));
    if !ids.is_sorted() {
        team.sort(&mut entries);
    }
    Ok(entries)
}
