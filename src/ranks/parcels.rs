//! Messages from every rank to any other, when no rank knows yet who receives some, and of which size.

use super::agree::agree;
use super::comm::{Comm, Mail};
use super::mail::{self, expect};
use super::stats::Traffic;
use crate::error::Result;

const WHAT: &str = "data from other ranks";

/// One for each rank, in their order, still empty.
pub fn for_each_rank(comm: &Comm) -> Result<Vec<Mail>> {
    expect((0..comm.size()).map(|rank| (rank, 0)), WHAT)
}

/// Gives each rank its parcel and returns what each had for this one; both are in the order of ranks. The parcel for this rank
/// itself stays. Collective. One message to each rank that gets something, and the sizes beforehand.
pub fn deliver(comm: &Comm, mut parcels: Vec<Mail>, traffic: &mut Traffic) -> Result<Vec<Mail>> {
    let own = std::mem::take(&mut parcels[comm.rank()].bytes);
    let mut all = agree(comm, for_each_rank(comm))?;
    parcels.retain(|mail| !mail.bytes.is_empty());
    for mail in mail::deliver(comm, parcels, traffic)? {
        all[mail.rank].bytes = mail.bytes;
    }
    all[comm.rank()].bytes = own;
    Ok(all)
}

/// The same where all know how large the parcels are that come to them.
pub fn deliver_known(
    comm: &Comm,
    mut parcels: Vec<Mail>,
    sizes: impl ExactSizeIterator<Item = usize>,
    traffic: &mut Traffic,
) -> Result<Vec<Mail>> {
    let me = comm.rank();
    let own = std::mem::take(&mut parcels[me].bytes);
    let sizes = sizes
        .enumerate()
        .map(|(rank, size)| (rank, if rank == me { 0 } else { size }));
    let expected = agree(comm, expect(sizes, WHAT))?;
    traffic.add(Traffic::of(&parcels));
    let mut came = comm.exchange(parcels, expected)?;
    came[me].bytes = own;
    Ok(came)
}
