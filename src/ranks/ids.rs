//! Global ids: those of the caller, unique over all ranks, or numbers assigned rank by rank.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use super::agree::agree;
use super::comm::{Comm, Gathered, Mail};
use super::parcels;
use super::stats::Traffic;
use super::team::pieces;
use crate::error::{Error, Result, Status, words};
use crate::memory::{filled, resize_keeping, with_capacity};
use crate::threads::Team;

const WHAT: &str = "the check of ids";

/// Ids that a thread takes at once.
const AT_ONCE: usize = 1 << 13;

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
        resize_keeping(&mut spare, n, 0, "the global ids")?;
        pieces(team, &mut spare, AT_ONCE, |start, piece| match (self.first, given) {
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
pub fn number(comm: &Comm, n: usize, ids: Option<&[i64]>, base: i64, team: &Team) -> Result<Numbering> {
    let given = ids.unwrap_or_default();
    let ascend = ascend(given, team);
    let (first, last) = (given.first().copied().unwrap_or(0), given.last().copied().unwrap_or(0));
    let mine: [i64; SUMMARY] = [n as i64, i64::from(ids.is_some()), i64::from(ascend), first, last];
    let all = comm.all_gather(bytemuck::cast_slice(&mine))?;
    let rank_where = |given: i64| {
        all.iter()
            .map(summary)
            .position(|[n, is_given, ..]| n > 0 && is_given == given)
    };
    match (rank_where(1), rank_where(0)) {
        (Some(with), Some(without)) => Err(given_on_some(with, without)),
        (Some(_), None) => {
            if !agree(comm, are_apart(&all))? {
                check_unique(comm, given, base)?;
            }
            Ok(Numbering { first: None, ascend })
        }
        _ => {
            let before = all.iter().take(comm.rank()).map(|bytes| summary(bytes)[0]);
            Ok(Numbering {
                first: Some(base + before.sum::<i64>()),
                ascend: true,
            })
        }
    }
}

/// The refusal of ids that are given on a rank with points and not on another.
pub fn given_on_some(with: usize, without: usize) -> Error {
    let text = words(format_args!(
        "global ids are given on rank {with} and not on rank {without}: all ranks that have points must give them, or none"
    ));
    Error::Refused {
        status: Status::Disagreement,
        text,
    }
}

/// Whether ids ascend.
fn ascend(ids: &[i64], team: &Team) -> bool {
    let ascend = AtomicBool::new(true);
    team.share((0..ids.len()).step_by(AT_ONCE), |start| {
        let share = &ids[start..ids.len().min(start + AT_ONCE + 1)];
        ascend.fetch_and(share.is_sorted_by(|a, b| a < b), Relaxed);
    });
    ascend.into_inner()
}

fn summary(bytes: &[u8]) -> [i64; SUMMARY] {
    bytemuck::pod_read_unaligned(bytes)
}

/// Whether ids ascend on every rank, and no rank's are among another's: unique without a look at each.
fn are_apart(all: &Gathered) -> Result<bool> {
    let mut ranges = with_capacity(all.len(), WHAT)?;
    let mut ascend = true;
    for [_, _, ascends, first, last] in all.iter().map(summary).filter(|summary| summary[0] > 0) {
        ascend &= ascends != 0;
        ranges.push((first, last));
    }
    ranges.sort_unstable();
    Ok(ascend && ranges.windows(2).all(|pair| pair[0].1 < pair[1].0))
}

/// Refuses an id that two points have. Each id is looked at by the rank that its hash names.
fn check_unique(comm: &Comm, ids: &[i64], base: i64) -> Result<()> {
    let parcels = agree(comm, parcels(comm.size(), ids, base))?;
    let came = parcels::deliver(comm, parcels, &mut Traffic::default())?;
    agree(comm, find_twice(&came))
}

/// Ids and their points' numbers, as they travel, by the rank that looks at them.
fn parcels(ranks: usize, ids: &[i64], base: i64) -> Result<Vec<Mail>> {
    // The upper bits of a product with an odd number: ids that follow a pattern spread all the same.
    let rank_of = |id: i64| {
        let hash = (id as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        ((hash * ranks as u64) >> 32) as usize
    };
    let mut counts = filled(ranks, 0usize, WHAT)?;
    ids.iter().for_each(|&id| counts[rank_of(id)] += 1);
    let mut parcels = with_capacity(ranks, WHAT)?;
    for (rank, &count) in counts.iter().enumerate() {
        let bytes = with_capacity(count * size_of::<[i64; 2]>(), WHAT)?;
        parcels.push(Mail { rank, bytes });
    }
    for (&id, point) in ids.iter().zip(base..) {
        let to = &mut parcels[rank_of(id)].bytes;
        to.extend_from_slice(bytemuck::bytes_of(&[id, point]));
    }
    Ok(parcels)
}

fn find_twice(mails: &[Mail]) -> Result<()> {
    let total = mails.iter().map(|mail| mail.bytes.len()).sum::<usize>() / size_of::<[i64; 2]>();
    let mut all = with_capacity(total, WHAT)?;
    for mail in mails {
        let entries = mail.bytes.chunks_exact(size_of::<[i64; 2]>());
        let entries = entries.map(bytemuck::pod_read_unaligned::<[i64; 2]>);
        all.extend(entries.map(|[id, point]| (id, mail.rank, point)));
    }
    all.sort_unstable();
    let Some(twice) = all.windows(2).find(|pair| pair[0].0 == pair[1].0) else {
        return Ok(());
    };
    let [(id, rank, point), (_, other_rank, other)] = [twice[0], twice[1]];
    Err(Error::not_allowed(
        Status::BadValue,
        "global id",
        id,
        format_args!("unique: point {point} on rank {rank} and point {other} on rank {other_rank} have it"),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::fake::on_ranks;
    use super::*;

    /// The numbering, or the failure, of each rank, where ranks give these ids.
    fn numbered(given: [Option<&[i64]>; 3]) -> Vec<Result<Numbering>> {
        on_ranks(3, |comm| {
            let ids = given[comm.rank()];
            number(comm, ids.map_or(2, <[i64]>::len), ids, 1, &Team::caller())
        })
    }

    /// Points without ids are numbered rank by rank, those with ids as they are, in any order.
    #[test]
    fn in_a_row_or_given() {
        let firsts = numbered([None; 3]).into_iter().map(|made| made.unwrap().first);
        assert!(firsts.eq([Some(1), Some(3), Some(5)]));
        for (ids, ascend) in [
            ([&[7, 8][..], &[], &[-3, 5]], [true, true, true]),
            ([&[7, 9], &[8], &[1]], [true, true, true]),
            ([&[9, 7], &[], &[1]], [false, true, true]),
        ] {
            let made = numbered(ids.map(Some)).into_iter().map(Result::unwrap);
            assert!(
                made.zip(ascend)
                    .all(|(made, ascend)| made.first.is_none() && made.ascend == ascend)
            );
        }
    }

    /// All ranks refuse an id of two points, on one rank or two, and ids that only some ranks give.
    #[test]
    fn refused() {
        let refusal = |given| {
            let made = numbered(given);
            let errors = made.into_iter().map(|made| made.unwrap_err().to_string());
            let texts: Vec<_> = errors.collect();
            assert!(texts.windows(2).all(|pair| pair[0] == pair[1]), "{texts:?}");
            texts[0].clone()
        };
        let twice = refusal([Some(&[5, 6]), Some(&[]), Some(&[1, 5])]);
        assert!(
            twice.contains("global id = 5 is not allowed")
                && twice.ends_with("point 1 on rank 0 and point 2 on rank 2 have it")
        );
        assert!(refusal([Some(&[4, 4]), Some(&[]), Some(&[])]).contains("point 1 on rank 0 and point 2 on rank 0"));
        assert!(refusal([Some(&[]), None, Some(&[1])]).contains("given on rank 2 and not on rank 1"));
    }
}
