//! Messages to any ranks, which do not expect them.

use super::agree::agree;
use super::comm::{Comm, Mail};
use super::stats::Traffic;
use crate::error::Result;
use crate::memory::{filled, push, resize_keeping, with_capacity};

/// Mail to receive: the rank and the bytes of each.
pub fn expect(mails: impl ExactSizeIterator<Item = (usize, usize)>, what: &'static str) -> Result<Vec<Mail>> {
    let mut expected = with_capacity(mails.len(), what)?;
    for (rank, bytes) in mails {
        let bytes = filled(bytes, 0, what)?;
        expected.push(Mail { rank, bytes });
    }
    Ok(expected)
}

/// Delivers `out`, one or no mail to each rank, and returns what came for this one, by rank; empty mail does not travel. All
/// ranks first send all others one number, the size. Collective.
pub fn deliver(comm: &Comm, out: Vec<Mail>, traffic: &mut Traffic) -> Result<Vec<Mail>> {
    const WHAT: &str = "message sizes";
    let sizes = filled(comm.size(), 0, WHAT).and_then(|mut sizes| {
        out.iter().for_each(|mail| sizes[mail.rank] = mail.bytes.len() as i64);
        Ok((sizes, filled(comm.size(), 0, WHAT)?))
    });
    let (sizes, mut coming) = agree(comm, sizes)?;
    comm.all_to_all(&sizes, &mut coming)?;
    let expected = expect(coming.iter().map(|&bytes| bytes as usize).enumerate(), "messages");
    let mut expected = agree(comm, expected)?;
    expected.retain(|mail| !mail.bytes.is_empty());
    traffic.add(Traffic::of(&out));
    comm.exchange(out, expected)
}

/// The bytes for a rank, of mail that is written rank by rank.
pub fn letter(out: &mut Vec<Mail>, rank: usize) -> Result<&mut Vec<u8>> {
    let at = match out.iter().position(|mail| mail.rank == rank) {
        Some(at) => at,
        None => {
            let bytes = Vec::new();
            push(out, Mail { rank, bytes }, "messages")?;
            out.len() - 1
        }
    };
    Ok(&mut out[at].bytes)
}

/// Memory of letters that came and went, for others: a system takes longer to provide new pages than to write to them.
#[derive(Debug, Default)]
pub struct Letters {
    spare: Vec<Vec<u8>>,
    /// The number that were given and are not back: no more are taken back, so that there are never more than were in use at once.
    given: usize,
}

impl Letters {
    /// A letter of a number of bytes with any content.
    pub fn take(&mut self, bytes: usize, what: &'static str) -> Result<Vec<u8>> {
        let room = |k: &usize| self.spare[*k].capacity();
        let all = 0..self.spare.len();
        let fitting = all.clone().filter(|k| room(k) >= bytes).min_by_key(room);
        let best = fitting.or_else(|| all.max_by_key(room));
        let mut letter = best.map(|k| self.spare.swap_remove(k)).unwrap_or_default();
        letter.truncate(bytes);
        resize_keeping(&mut letter, bytes, 0, what)?;
        self.given += 1;
        Ok(letter)
    }

    /// Takes back what was read or has gone.
    pub fn keep(&mut self, letters: impl IntoIterator<Item = Mail>) {
        for letter in letters.into_iter().take(self.given) {
            let _ = push(&mut self.spare, letter.bytes, "messages"); // without memory, a letter less is kept
            self.given -= 1;
        }
    }
}

/// Numbers one after the other, as they travel.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// The next `n` numbers.
    pub fn take<T: bytemuck::Pod>(&mut self, n: usize) -> impl ExactSizeIterator<Item = T> + Clone + use<'a, T> {
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
        let mail = |bytes| Mail { rank: 0, bytes };
        let [long, short] = [9000, 10].map(|bytes| take(&mut letters, bytes));
        let at = [long.as_ptr(), short.as_ptr()];
        letters.keep([mail(long), mail(short), mail(vec![0; 100])]);
        letters.keep([mail(vec![0; 100])]);
        assert_eq!(letters.spare.len(), 2);
        let [short, long] = [10, 8000].map(|bytes| take(&mut letters, bytes));
        assert_eq!([long.as_ptr(), short.as_ptr()], at);
        assert_eq!([long.len(), short.len()], [8000, 10]);
    }
}
