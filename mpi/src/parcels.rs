//! Messages from every rank to any other, when no rank knows yet who receives some, and of which size.

use crate::agree::agree;
use crate::comm::{Comm, Mail};
use crate::error::{Result, filled};
use crate::mail;
use crate::stats::Traffic;

/// Gives each rank its parcel and returns what each had for this one, in the order of ranks; the parcel for this rank itself
/// stays. Collective. One message to each rank that gets something, and the sizes beforehand.
pub fn deliver<C: Comm>(comm: &C, mut parcels: Vec<Vec<u8>>, traffic: &mut Traffic) -> Result<Vec<Vec<u8>>> {
    let me = comm.rank();
    let own = std::mem::take(&mut parcels[me]);
    let out = parcels.into_iter().enumerate().filter(|(_, bytes)| !bytes.is_empty());
    let came = mail::deliver(comm, out.map(|(rank, bytes)| Mail { rank, bytes }).collect(), traffic)?;
    let mut all = vec![Vec::new(); comm.size()];
    came.into_iter().for_each(|mail| all[mail.rank] = mail.bytes);
    all[me] = own;
    Ok(all)
}

/// The same where all know how large the parcels are that come to them.
pub fn deliver_known<C: Comm>(
    comm: &C,
    mut parcels: Vec<Vec<u8>>,
    sizes: impl Iterator<Item = usize>,
    traffic: &mut Traffic,
) -> Result<Vec<Vec<u8>>> {
    let me = comm.rank();
    let own = std::mem::take(&mut parcels[me]);
    let expect = |(rank, size): (usize, usize)| {
        let size = if rank == me { 0 } else { size };
        let bytes = filled(size, 0, "data from other ranks")?;
        Ok(Mail { rank, bytes })
    };
    let expected = sizes.enumerate().map(expect).collect::<Result<Vec<_>>>();
    let expected = agree(comm, expected)?;
    let out = parcels.into_iter().enumerate();
    let out: Vec<_> = out.map(|(rank, bytes)| Mail { rank, bytes }).collect();
    out.iter().for_each(|mail| traffic.count(mail.bytes.len()));
    let came = comm.exchange(out, expected)?;
    let mut came: Vec<_> = came.into_iter().map(|mail| mail.bytes).collect();
    came[me] = own;
    Ok(came)
}
