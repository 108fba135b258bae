//! Global ids: those of the caller, unique over all ranks, or numbers assigned rank by rank.

use crate::agree::agree;
use crate::comm::{Comm, Mail};
use crate::error::{Error, Result, filled, reserve, room, status};
use crate::team::Team;

/// The number of words about its ids that a rank sends to the others.
const SUMMARY: usize = 5;

/// The ids of the points of this rank.
#[derive(Clone, Copy, Debug)]
pub struct Numbering {
    /// That of the first, where they are numbers in a row; none where they are the caller's.
    pub first: Option<i64>,
    /// Whether they ascend.
    pub ascend: bool,
}

impl Numbering {
    /// The ids of `n` points, those `given` if any are, in the memory of `spare`.
    pub fn ids(&self, n: usize, given: Option<&[i64]>, mut spare: Vec<i64>, team: &Team) -> Result<Vec<i64>> {
        spare.truncate(n);
        let more = n - spare.len();
        reserve(&mut spare, more, "the global ids")?;
        spare.resize(n, 0);
        team.pieces(&mut spare, 1 << 13, |start, piece| match (self.first, given) {
            (None, Some(given)) => piece.copy_from_slice(&given[start..start + piece.len()]),
            _ => (self.first.unwrap_or(0) + start as i64..)
                .zip(piece)
                .for_each(|(id, to)| *to = id),
        });
        Ok(spare)
    }
}

/// Numbers the `n` points of this rank: by the caller, whose ids are checked, or from `base` on in the order of ranks.
/// Collective.
pub fn number<C: Comm>(comm: &C, n: usize, ids: Option<&[i64]>, base: i64, team: &Team) -> Result<Numbering> {
    let given = ids.unwrap_or_default();
    let ascend = team.shares(given.len(), |share| {
        given[share.start..given.len().min(share.end + 1)].is_sorted_by(|a, b| a < b)
    });
    let ascend = ascend.into_iter().all(|ascend| ascend);
    let (first, last) = (given.first().copied().unwrap_or(0), given.last().copied().unwrap_or(0));
    let mine: [i64; SUMMARY] = [n as i64, i64::from(ids.is_some()), i64::from(ascend), first, last];
    let all = comm.all_gather(bytemuck::cast_slice(&mine))?;
    let all: Vec<[i64; SUMMARY]> = all.iter().map(|bytes| bytemuck::pod_read_unaligned(bytes)).collect();
    let with_points = || all.iter().enumerate().filter(|(_, summary)| summary[0] > 0);
    let rank_where = |given: i64| {
        with_points()
            .find(|(_, summary)| summary[1] == given)
            .map(|(rank, _)| rank)
    };
    match (rank_where(1), rank_where(0)) {
        (Some(with), Some(without)) => {
            let text = format!(
                "global ids are given on rank {with} and not on rank {without}: all ranks that have points must give them, or none"
            );
            Err(Error::new(status::DISAGREEMENT, text))
        }
        (Some(_), None) => {
            if !are_apart(with_points().map(|(_, summary)| summary)) {
                check_unique(comm, given, base)?;
            }
            Ok(Numbering { first: None, ascend })
        }
        _ => {
            let start = base + all[..comm.rank()].iter().map(|summary| summary[0]).sum::<i64>();
            Ok(Numbering {
                first: Some(start),
                ascend: true,
            })
        }
    }
}

/// Whether ids ascend on every rank, and no rank's are among another's: unique without a look at each.
fn are_apart<'a>(summaries: impl Iterator<Item = &'a [i64; SUMMARY]>) -> bool {
    let mut ranges = Vec::new();
    for &[_, _, ascend, first, last] in summaries {
        if ascend == 0 {
            return false;
        }
        ranges.push((first, last));
    }
    ranges.sort_unstable();
    ranges.windows(2).all(|pair| pair[0].1 < pair[1].0)
}

/// Refuses an id that two points have. Each id is looked at by the rank that its hash names.
fn check_unique<C: Comm>(comm: &C, ids: &[i64], base: i64) -> Result<()> {
    let parcels = agree(comm, parcels(comm.size(), ids, base))?;
    let count = |parcel: &Vec<u8>| (parcel.len() / size_of::<[i64; 2]>()) as i64;
    let counts: Vec<i64> = parcels.iter().map(count).collect();
    let coming = comm.all_to_all(&counts)?;
    let expected = || -> Result<Vec<Mail>> {
        let empty = |(rank, &count): (usize, &i64)| {
            let bytes = filled(count as usize * size_of::<[i64; 2]>(), 0, "the check of ids")?;
            Ok(Mail { rank, bytes })
        };
        coming.iter().enumerate().map(empty).collect()
    };
    let expected = agree(comm, expected())?;
    let out = parcels.into_iter().enumerate();
    let came = comm.exchange(out.map(|(rank, bytes)| Mail { rank, bytes }).collect(), expected)?;
    agree(comm, find_twice(&came))
}

/// Ids and their points' numbers, as they travel, by the rank that looks at them.
fn parcels(ranks: usize, ids: &[i64], base: i64) -> Result<Vec<Vec<u8>>> {
    // The upper bits of a product with an odd number: ids that follow a pattern spread all the same.
    let rank_of = |id: i64| {
        let hash = (id as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        ((hash * ranks as u64) >> 32) as usize
    };
    let mut counts = vec![0usize; ranks];
    ids.iter().for_each(|&id| counts[rank_of(id)] += 1);
    let mut parcels = Vec::with_capacity(ranks);
    for &count in &counts {
        parcels.push(room(count * size_of::<[i64; 2]>(), "the check of ids")?);
    }
    for (&id, point) in ids.iter().zip(base..) {
        parcels[rank_of(id)].extend_from_slice(bytemuck::bytes_of(&[id, point]));
    }
    Ok(parcels)
}

fn find_twice(mails: &[Mail]) -> Result<()> {
    let total = mails.iter().map(|mail| mail.bytes.len()).sum::<usize>() / size_of::<[i64; 2]>();
    let mut all = room(total, "the check of ids")?;
    for mail in mails {
        let entries = mail
            .bytes
            .chunks_exact(size_of::<[i64; 2]>())
            .map(bytemuck::pod_read_unaligned::<[i64; 2]>);
        all.extend(entries.map(|[id, point]| (id, mail.rank, point)));
    }
    all.sort_unstable();
    let Some(twice) = all.windows(2).find(|pair| pair[0].0 == pair[1].0) else {
        return Ok(());
    };
    let [(id, rank, point), (_, other_rank, other)] = [twice[0], twice[1]];
    let text = format!(
        "global id {id} belongs to point {point} on rank {rank} and to point {other} on rank {other_rank}: \
         global ids must be unique"
    );
    Err(Error::new(status::BAD_VALUE, text))
}
