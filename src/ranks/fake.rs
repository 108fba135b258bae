//! Ranks that are threads of one process, for tests. Whoever waits for a minute ends the test.

#![allow(unsafe_code)]

mod functions;

use std::time::Duration;

use super::comm::{Comm, Functions};
use crate::error::Result;
use functions::{World, all_gather, all_to_all, min, post, release, text, wait};

const PATIENCE: Duration = Duration::from_secs(60);

const FUNCTIONS: Functions = Functions {
    min,
    all_gather,
    all_to_all,
    post,
    wait,
    text,
    release,
};

/// Runs `body` on `size` ranks and returns what each made of it. Mail that nobody fetched ends the test.
pub fn on_ranks<R: Send>(size: usize, body: impl Fn(&Comm) -> R + Sync) -> Vec<R> {
    on_failing_ranks(size, usize::MAX, |comm| body(&comm.unwrap()))
}

/// The same with communicators that fail after some calls.
pub fn on_failing_ranks<R: Send>(size: usize, calls: usize, body: impl Fn(Result<Comm>) -> R + Sync) -> Vec<R> {
    let world = World::new(PATIENCE);
    let made = std::thread::scope(|scope| {
        let run = |rank| {
            let (world, body) = (world.clone(), &body);
            scope.spawn(move || {
                let context = world.context(rank, size, calls);
                // SAFETY: the functions do what they say with this context, which `release` frees.
                let comm = unsafe { Comm::new(FUNCTIONS, context, rank, size, rank) };
                if comm.is_err() {
                    // SAFETY: a communicator that was not made does not use it.
                    unsafe { release(context) };
                }
                body(comm)
            })
        };
        let ranks: Vec<_> = (0..size).map(run).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    });
    world.check_end(size, calls < usize::MAX).unwrap();
    made
}
