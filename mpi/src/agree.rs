//! Collective errors: before ranks continue, they agree on whether all of them can, and whether all mean the same call.
//!
//! A rank that fails waits for the next agreement. There, all ranks return the error of the lowest rank that failed.

use crate::comm::Comm;
use crate::error::{Error, Result, status};

/// A value that must be the same on all ranks: its name and its value, as error texts print them.
pub type Fact = (&'static str, String);

/// Returns `local` if no rank failed; otherwise the error of the lowest rank that failed, on all ranks. Collective.
pub fn agree<C: Comm, R>(comm: &C, local: Result<R>) -> Result<R> {
    let mut first = [verdict(comm, &local)];
    comm.min(&mut first)?;
    told(comm, local, first[0])
}

/// As [`agree`], and fails if `facts` differ between ranks. Also returns whether all ranks are `ready`.
pub fn agree_on<C: Comm, R>(comm: &C, local: Result<R>, ready: bool, facts: &[Fact]) -> Result<(R, bool)> {
    let digest = digest(facts);
    let mut values = [verdict(comm, &local), i64::from(ready), digest, !digest];
    comm.min(&mut values)?;
    let local = told(comm, local, values[0])?;
    if values[2] != !values[3] {
        return Err(disagreement(comm, facts)?);
    }
    Ok((local, values[1] != 0))
}

/// This rank's number if it failed.
fn verdict<C: Comm, R>(comm: &C, local: &Result<R>) -> i64 {
    match local {
        Ok(_) => i64::MAX,
        Err(_) => comm.rank() as i64,
    }
}

/// The failure of rank `first`, if it is one.
fn told<C: Comm, R>(comm: &C, local: Result<R>, first: i64) -> Result<R> {
    if first == i64::MAX {
        return local;
    }
    let mine = match local {
        Err(error) if comm.rank() as i64 == first => [&error.status.to_ne_bytes()[..], error.text.as_bytes()].concat(),
        _ => Vec::new(),
    };
    let all = comm.all_gather(&mine)?;
    let (number, text) = all[first as usize].split_at(4);
    let number = i32::from_ne_bytes(number.try_into().unwrap_or_default());
    Err(Error::new(
        number,
        format!("rank {first}: {}", String::from_utf8_lossy(text)),
    ))
}

/// FNV-1a over names and values: ranks compare one number, and texts only where it differs.
fn digest(facts: &[Fact]) -> i64 {
    let bytes = facts
        .iter()
        .flat_map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes(), b";"]);
    let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.flatten().fold(0xcbf2_9ce4_8422_2325, mix) as i64
}

/// The first fact that differs, and the ranks on which it does.
fn disagreement<C: Comm>(comm: &C, facts: &[Fact]) -> Result<Error> {
    let mine: Vec<_> = facts
        .iter()
        .map(|(name, value)| format!("{name}\u{1f}{value}"))
        .collect();
    let all = comm.all_gather(mine.join("\u{1e}").as_bytes())?;
    let all: Vec<_> = all
        .iter()
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .collect();
    let apart = |text: &'_ str| text.split('\u{1e}').map(str::to_owned).collect::<Vec<_>>();
    let first = apart(&all[0]);
    for (rank, other) in all.iter().enumerate() {
        let other = apart(other);
        let differs = first.iter().zip(&other).find(|(a, b)| a != b);
        let Some((a, b)) = differs else { continue };
        let (name, value) = a.split_once('\u{1f}').unwrap_or((a, ""));
        let (other_name, other_value) = b.split_once('\u{1f}').unwrap_or((b, ""));
        let text = match name == other_name {
            true => {
                format!("{name} = {value} on rank 0, {other_value} on rank {rank}: it must be the same on all ranks")
            }
            false => {
                format!("rank 0 called {name}, rank {rank} called {other_name}: all ranks must make the same calls")
            }
        };
        return Ok(Error::new(status::DISAGREEMENT, text));
    }
    Ok(Error::new(
        status::DISAGREEMENT,
        "ranks were called with different arguments",
    ))
}
