//! Messages to any ranks, which do not expect them.

use crate::agree::agree;
use crate::comm::{Comm, Mail};
use crate::error::{Result, filled, resize};
use crate::stats::Traffic;

/// Delivers `out`, one or no mail to each rank, and returns what came for this one, by rank; empty mail does not travel. All
/// ranks first send all others one number, the size. Collective.
pub fn deliver<C: Comm>(comm: &C, out: Vec<Mail>, traffic: &mut Traffic) -> Result<Vec<Mail>> {
    let sizes = filled(comm.size(), 0, "message sizes").map(|mut sizes| {
        out.iter().for_each(|mail| sizes[mail.rank] = mail.bytes.len() as i64);
        sizes
    });
    let coming = comm.all_to_all(&agree(comm, sizes)?)?;
    let expected = coming.iter().enumerate().filter(|&(_, &bytes)| bytes > 0);
    let expected = expected.map(|(rank, &bytes)| {
        Ok(Mail {
            rank,
            bytes: filled(bytes as usize, 0, "messages")?,
        })
    });
    let expected = agree(comm, expected.collect::<Result<Vec<_>>>())?;
    out.iter().for_each(|mail| traffic.count(mail.bytes.len()));
    comm.exchange(out, expected)
}

/// The bytes for a rank, of mail that is written rank by rank.
pub fn letter(out: &mut Vec<Mail>, rank: usize) -> &mut Vec<u8> {
    let at = out.iter().position(|mail| mail.rank == rank).unwrap_or_else(|| {
        let bytes = Vec::new();
        out.push(Mail { rank, bytes });
        out.len() - 1
    });
    &mut out[at].bytes
}

/// Memory of letters that came and went, for others: a system takes longer to provide new pages than to write to them.
#[derive(Default)]
pub struct Letters {
    spare: Vec<Vec<u8>>,
    /// The number that were given and are not back: no more are taken back, so that there are never more than were in use at once.
    given: usize,
}

impl Letters {
    /// A letter of a number of bytes with any content.
    pub fn take(&mut self, bytes: usize, what: &str) -> Result<Vec<u8>> {
        let room = |k: &usize| self.spare[*k].capacity();
        let all = 0..self.spare.len();
        let fitting = all.clone().filter(|k| room(k) >= bytes).min_by_key(room);
        let best = fitting.or_else(|| all.max_by_key(room));
        let mut letter = best.map(|k| self.spare.swap_remove(k)).unwrap_or_default();
        letter.truncate(bytes);
        resize(&mut letter, bytes, 0, what)?;
        self.given += 1;
        Ok(letter)
    }

    /// Takes back what was read or has gone.
    pub fn keep(&mut self, letters: impl IntoIterator<Item = Vec<u8>>) {
        for letter in letters.into_iter().take(self.given) {
            self.spare.push(letter);
            self.given -= 1;
        }
    }
}

/// Numbers one after the other, as they travel.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// The next `n` numbers.
    pub fn take<T: bytemuck::Pod>(&mut self, n: usize) -> impl Iterator<Item = T> + Clone + use<'a, T> {
        let (numbers, rest) = self.0.split_at(n * size_of::<T>());
        self.0 = rest;
        numbers.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned)
    }

    /// The next number.
    pub fn one<T: bytemuck::Pod>(&mut self) -> T {
        let (number, rest) = self.0.split_at(size_of::<T>());
        self.0 = rest;
        bytemuck::pod_read_unaligned(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same memory comes again, the smallest that will do, and no more is kept than was given.
    #[test]
    fn letters() {
        let mut letters = Letters::default();
        let take = |letters: &mut Letters, bytes| letters.take(bytes, "letters").unwrap();
        let [long, short] = [9000, 10].map(|bytes| take(&mut letters, bytes));
        let at = [long.as_ptr(), short.as_ptr()];
        letters.keep([long, short, vec![0; 100]]);
        letters.keep([vec![0; 100]]);
        assert_eq!(letters.spare.len(), 2);
        let [short, long] = [10, 8000].map(|bytes| take(&mut letters, bytes));
        assert_eq!([long.as_ptr(), short.as_ptr()], at);
        assert_eq!([long.len(), short.len()], [8000, 10]);
    }
}
