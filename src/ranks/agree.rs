//! Collective errors: before ranks continue, they agree on whether all of them can, and whether all mean the same call.
//!
//! A rank that fails waits for the next agreement. There, all ranks return the error of the lowest rank that failed.

use std::fmt::Write;

use super::comm::{Comm, Delivered, Mail};
use crate::error::{Error, Growing, Result, Status, Words, words};
use crate::memory::with_capacity;

/// A value that must be the same on all ranks: its name and its value, as error texts print them.
pub type Fact = (&'static str, Words);

/// Between the name and the value of a fact, and after each fact, where facts travel.
const APART: char = '\u{1f}';
const END: char = '\u{1e}';

/// Returns `local` if no rank failed; otherwise the error of the lowest rank that failed, on all ranks. Collective. It exchanges as much as
/// [`meet`]: a rank that fails may be here while others are there.
pub fn agree<R>(comm: &Comm, local: Result<R>) -> Result<R> {
    meet(comm, local, [&[]; 2], None, &mut [])
}

/// Sets of facts that only some ranks have. In each set, the facts of these ranks must be equal.
pub type Shared = [Option<Vec<Fact>>; SETS];
const SETS: usize = 3;

/// As [`agree`], but it also fails if the facts of the call differ between ranks, or if `shared` facts differ between the ranks
/// that have them. Afterwards a flag is set if it was set on all ranks. It needs one exchange if nothing differs.
pub fn meet<R>(
    comm: &Comm,
    local: Result<R>,
    call: [&[Fact]; 2],
    shared: Option<&Shared>,
    flags: &mut [bool],
) -> Result<R> {
    meet_with(comm, local.as_ref().err(), call, shared, flags)?;
    local
}

/// The same for any result, compiled once: only the failure counts.
fn meet_with(
    comm: &Comm,
    failure: Option<&Error>,
    call: [&[Fact]; 2],
    shared: Option<&Shared>,
    flags: &mut [bool],
) -> Result<()> {
    const MOST: usize = 8;
    const FLAGS: usize = 3 + 2 * SETS;
    let digest_of_call = digest(call.into_iter().flatten());
    let mut values = [i64::MAX; FLAGS + MOST];
    values[0] = failure.map_or(i64::MAX, |_| comm.rank() as i64);
    (values[1], values[2]) = (digest_of_call, !digest_of_call);
    for (k, facts) in shared.into_iter().flatten().enumerate() {
        if let Some(digest) = facts.as_deref().map(digest) {
            (values[3 + 2 * k], values[4 + 2 * k]) = (digest, !digest);
        }
    }
    values[FLAGS..]
        .iter_mut()
        .zip(&*flags)
        .for_each(|(value, &flag)| *value = i64::from(flag));
    comm.min(&mut values)?;
    told(comm, failure, values[0])?;
    let differ = |k: usize| values[k] != !values[k + 1];
    if differ(1) {
        return Err(disagreement(comm, call)?);
    }
    for set in (0..SETS).filter(|set| values[3 + 2 * set] != i64::MAX) {
        if differ(3 + 2 * set) {
            let mine = shared.and_then(|shared| shared[set].as_deref());
            return Err(disagreement(comm, [mine.unwrap_or_default(), &[]])?);
        }
    }
    flags
        .iter_mut()
        .zip(&values[FLAGS..])
        .for_each(|(flag, &value)| *flag = value != 0);
    Ok(())
}

/// Sends and receives. The next step of the other ranks is an agreement: there they learn that a message did not have the size that
/// this rank expected.
pub fn exchange(comm: &Comm, out: Vec<Mail>, expected: Vec<Mail>) -> Result<Delivered> {
    let done = comm.post(out, expected).and_then(|posted| comm.wait(posted));
    match done {
        Err(error) if !comm.has_failed() => agree(comm, Err(error)),
        done => done,
    }
}

/// The failure of rank `first`, if it is one.
fn told(comm: &Comm, failure: Option<&Error>, first: i64) -> Result<()> {
    if first == i64::MAX {
        return Ok(());
    }
    let rank = first as usize;
    let all = match failure {
        Some(error) if comm.rank() == rank => {
            let (status, text) = ((error.status() as i32).to_ne_bytes(), words(error));
            let told = with_capacity(status.len() + text.len(), "the text of an error").map(|mut told| {
                told.extend_from_slice(&status);
                told.extend_from_slice(text.as_bytes());
                told
            });
            comm.all_gather(told.as_deref().unwrap_or(&status))?
        }
        _ => comm.all_gather(&[])?,
    };
    let (number, text) = all[rank].split_at(size_of::<i32>());
    Err(Error::OnRank {
        rank,
        status: Status::of(bytemuck::pod_read_unaligned(number)),
        text: words(std::str::from_utf8(text).unwrap_or_default()),
    })
}

/// FNV-1a over names and values: ranks compare one number, and texts only where it differs.
fn digest<'a>(facts: impl IntoIterator<Item = &'a Fact>) -> i64 {
    let bytes = facts
        .into_iter()
        .flat_map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes(), b";"]);
    let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.flatten().fold(0xcbf2_9ce4_8422_2325, mix) as i64
}

/// The first fact that differs, and the ranks on which it does.
fn disagreement(comm: &Comm, facts: [&[Fact]; 2]) -> Result<Error> {
    let mut mine = Growing(String::new());
    for (name, value) in facts.into_iter().flatten() {
        if write!(mine, "{name}{APART}{value}{END}").is_err() {
            break; // without memory, as far as it goes
        }
    }
    let all = comm.all_gather(mine.0.as_bytes())?;
    let text_of = |rank: usize| std::str::from_utf8(&all[rank]).unwrap_or_default();
    let with_facts = |rank: &usize| !text_of(*rank).is_empty();
    let first = (0..all.len()).find(with_facts).unwrap_or(0);
    for rank in (first + 1..all.len()).filter(with_facts) {
        let mut both = text_of(first).split(END).zip(text_of(rank).split(END));
        let Some((a, b)) = both.find(|(a, b)| a != b) else {
            continue;
        };
        let (name, value) = a.split_once(APART).unwrap_or((a, ""));
        let (other_name, other) = b.split_once(APART).unwrap_or((b, ""));
        let text = match name == other_name {
            true => words(format_args!(
                "{name} = {value} on rank {first}, {other} on rank {rank}: it must be the same on all ranks"
            )),
            false => words(format_args!(
                "rank {first} called {name}, rank {rank} called {other_name}: all ranks must make the same calls"
            )),
        };
        return Ok(Error::Refused {
            status: Status::Disagreement,
            text,
        });
    }
    let text = Words::Borrowed("ranks were called with different arguments");
    Ok(Error::Refused {
        status: Status::Disagreement,
        text,
    })
}

#[cfg(test)]
mod tests {
    use super::super::fake::on_ranks;
    use super::*;

    /// All ranks return the failure of the lowest that failed, with its status and text.
    #[test]
    fn the_lowest_failure() {
        let told = on_ranks(4, |comm| {
            let (argument, rank) = ("k", comm.rank());
            let failure = || Error::not_allowed(Status::BadCount, argument, rank, "0");
            let local = if [1, 2].contains(&rank) {
                Err(failure())
            } else {
                Ok(rank)
            };
            assert_eq!(agree(comm, Ok(rank)), Ok(rank));
            agree(comm, local).unwrap_err()
        });
        for error in told {
            assert_eq!(error.status(), Status::BadCount);
            assert_eq!(error.to_string(), "rank 1: k = 1 is not allowed: it must be 0");
        }
    }

    /// A message that does not have the expected size is a failure of all ranks. They can go on after it.
    #[test]
    fn unexpected_size() {
        on_ranks(2, |comm| {
            let mail = |bytes: usize| {
                let (rank, bytes) = (1 - comm.rank(), vec![1; bytes]);
                vec![Mail { rank, bytes }]
            };
            for (size, fails) in [(4, false), (9, true), (2, true), (4, false)] {
                let expected = if comm.rank() == 0 { size } else { 4 };
                let done = exchange(comm, mail(4), mail(expected));
                let done = if done.is_ok() {
                    agree(comm, Ok(()))
                } else {
                    done.map(|_| ())
                };
                let status = done.err().map(|error| error.status());
                assert_eq!(status, fails.then_some(Status::Communication));
            }
        });
    }

    /// Facts that differ are told with both values, and calls that differ with both names.
    #[test]
    fn disagreements() {
        let tell = |other: Fact| {
            let told = on_ranks(3, |comm| {
                let ready = comm.rank() > 0;
                let mut facts = [("box", "none".into()), ("cutoff", "2.5".into())];
                let mut flags = [ready, true];
                assert_eq!(meet(comm, Ok(5), [&facts, &[]], None, &mut flags), Ok(5));
                assert_eq!(flags, [false, true]);
                if comm.rank() == 2 {
                    facts[1] = other.clone();
                }
                // Facts that are shared differ as those of a call do, but not from those of a rank that has none.
                for set in 0..SETS {
                    let shared = |first: usize| {
                        let mut shared = Shared::default();
                        shared[set] = (comm.rank() >= first).then(|| facts.to_vec());
                        shared
                    };
                    assert!(meet(comm, Ok(()), [&[], &[]], Some(&shared(1)), &mut []).is_err());
                    assert_eq!(meet(comm, Ok(5), [&[], &[]], Some(&shared(2)), &mut []), Ok(5));
                }
                meet(comm, Ok(()), [&facts, &[]], None, &mut []).unwrap_err()
            });
            assert!(told.iter().all(|error| error.status() == Status::Disagreement));
            told[1].to_string()
        };
        let differ = "cutoff = 2.5 on rank 0, 3 on rank 2: it must be the same on all ranks";
        assert_eq!(tell(("cutoff", "3".into())), differ);
        let differ = "rank 0 called cutoff, rank 2 called pairs: all ranks must make the same calls";
        assert_eq!(tell(("pairs", "".into())), differ);
    }
}
