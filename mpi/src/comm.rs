//! The functions that this layer needs of MPI: a communicator of its own.
//!
//! There are two implementations: the site's MPI through the shim (`site`), and threads of one process for the tests.

#[cfg(feature = "mpi")]
pub mod site;

use std::cell::RefCell;

use crate::error::{Error, Result, status};

/// A message to or from one rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mail {
    /// The other rank.
    pub rank: usize,
    /// Its content. For a message to receive, only the length matters.
    pub bytes: Vec<u8>,
}

/// The messages of an exchange that is complete.
#[derive(Debug, Default)]
pub struct Delivered {
    /// Messages received.
    pub came: Vec<Mail>,
    /// Messages sent, if their memory is still there.
    pub sent: Vec<Mail>,
}

/// A communicator: the ranks that search together. Calls are collective unless stated otherwise: every rank makes the same
/// calls in the same order. An error means that communication failed; ranks may then wait for each other forever.
pub trait Comm {
    /// Messages in progress. Dropping them waits for them.
    type Posted;

    /// The number of this rank. Not collective.
    fn rank(&self) -> usize;

    /// The number of ranks. Not collective.
    fn size(&self) -> usize;

    /// The number of ranks of this one's node that have a smaller number. Not collective.
    fn node_rank(&self) -> usize;

    /// Replaces each value by its minimum over all ranks.
    fn min(&self, values: &mut [i64]) -> Result<()>;

    /// The bytes that each rank gave, any number, in the order of ranks.
    fn all_gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>>;

    /// One number for each rank; returns the one that each rank had for this.
    fn all_to_all(&self, values: &[i64]) -> Result<Vec<i64>>;

    /// Sends and starts to receive, in order between any two ranks; empty mail does not travel. Not collective, but each rank
    /// must expect what the others send.
    fn post(&self, out: Vec<Mail>, expected: Vec<Mail>) -> Result<Self::Posted>;

    /// Waits until all of it has come and gone.
    fn wait(&self, posted: Self::Posted) -> Result<Delivered>;

    /// Sends and receives; returns what came.
    fn exchange(&self, out: Vec<Mail>, expected: Vec<Mail>) -> Result<Vec<Mail>> {
        let posted = self.post(out, expected)?;
        Ok(self.wait(posted)?.came)
    }
}

/// A communicator that takes part in nothing any more once it failed: what other ranks received then nobody knows, and another
/// call would take their messages for its own, or wait for ranks that wait elsewhere.
pub struct Steady<C> {
    comm: C,
    /// The text of later calls.
    failure: RefCell<Option<Error>>,
}

impl<C: Comm> Steady<C> {
    pub fn new(comm: C) -> Steady<C> {
        let failure = RefCell::new(None);
        Steady { comm, failure }
    }

    /// Whether it failed.
    pub fn has_failed(&self) -> bool {
        self.failure.borrow().is_some()
    }

    /// The result of `call` on the communicator, unless that failed.
    fn try_to<R>(&self, call: impl FnOnce(&C) -> Result<R>) -> Result<R> {
        if let Some(error) = &*self.failure.borrow() {
            return Err(error.clone());
        }
        call(&self.comm).inspect_err(|error| {
            if error.status == status::COMMUNICATION {
                let text = format!("communication failed in an earlier call ({error}): destroy this search");
                *self.failure.borrow_mut() = Some(Error::new(status::COMMUNICATION, text));
            }
        })
    }
}

impl<C: Comm> Comm for Steady<C> {
    type Posted = C::Posted;

    fn rank(&self) -> usize {
        self.comm.rank()
    }

    fn size(&self) -> usize {
        self.comm.size()
    }

    fn node_rank(&self) -> usize {
        self.comm.node_rank()
    }

    fn min(&self, values: &mut [i64]) -> Result<()> {
        self.try_to(|comm| comm.min(values))
    }

    fn all_gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.try_to(|comm| comm.all_gather(mine))
    }

    fn all_to_all(&self, values: &[i64]) -> Result<Vec<i64>> {
        self.try_to(|comm| comm.all_to_all(values))
    }

    fn post(&self, out: Vec<Mail>, expected: Vec<Mail>) -> Result<C::Posted> {
        self.try_to(|comm| comm.post(out, expected))
    }

    fn wait(&self, posted: C::Posted) -> Result<Delivered> {
        self.try_to(|comm| comm.wait(posted))
    }
}
