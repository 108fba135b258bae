//! Work of a team on what only belongs to ranks.

use std::sync::{Mutex, PoisonError};

use crate::error::Result;
use crate::memory::reserve_keeping;
use crate::threads::Team;

/// Makes `states` one for each thread.
pub fn one_each<S: Default>(team: &Team, states: &mut Vec<S>, what: &'static str) -> Result<()> {
    reserve_keeping(states, team.threads(), what)?;
    states.resize_with(team.threads(), S::default);
    Ok(())
}

/// Does `work` to each of `items`; the first failure is returned.
pub fn for_all<S: Send>(team: &Team, items: &mut [S], work: impl Fn(&mut S) -> Result<()> + Sync) -> Result<()> {
    let failure = Mutex::new(None);
    team.each(items, |item| {
        if let Err(error) = work(item) {
            let mut first = failure.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(error);
        }
    });
    let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    failure.map_or(Ok(()), Err)
}

/// Has threads, each with one of `states`, take item after item; the first failure is returned.
pub fn in_turns<S: Send, I: Send>(
    team: &Team,
    states: &mut [S],
    items: impl Iterator<Item = I> + Send,
    work: impl Fn(&mut S, I) -> Result<()> + Sync,
) -> Result<()> {
    let items = Mutex::new(items);
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    for_all(team, states, |state| {
        while let Some(item) = next() {
            work(state, item)?; // others go on
        }
        Ok(())
    })
}

/// Does `work` to pieces of `items`, at most that many long, beside the number of each piece's first.
pub fn pieces<S: Send>(team: &Team, items: &mut [S], most: usize, work: impl Fn(usize, &mut [S]) + Sync) {
    team.share(items.chunks_mut(most).enumerate(), |(k, piece)| work(k * most, piece));
}

/// Both results.
pub fn both<A: Send, B: Send>(team: &Team, a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    enum Half<A, B> {
        A(A),
        B(B),
    }
    let (mut made_a, mut made_b) = (None, None);
    let halves = [Half::A((a, &mut made_a)), Half::B((b, &mut made_b))];
    team.share(halves.into_iter(), |half| match half {
        Half::A((work, made)) => *made = Some(work()),
        Half::B((work, made)) => *made = Some(work()),
    });
    made_a.zip(made_b).unwrap_or_else(|| unreachable!("each half is done"))
}
