//! Rows in little memory: the first id, and the gaps between ids, each in as many bytes as the longest of the row needs. Rows
//! are appended in any order, and each is read by itself.

use crate::error::{Error, Result};
use crate::list::{prefetch, reserve_discarding, resize_keeping};

const WHAT: &str = "rows kept for chunks";

/// Bytes before the gaps: the first id, and the width of a gap.
const HEAD: usize = 5;

/// Rows begin at multiples of this.
const ALIGN: usize = 4;

/// Rows of one worker, one after the other.
#[derive(Debug, Default)]
pub struct Codes {
    /// Kept at its full length; only `len` bytes are in use.
    bytes: Vec<u8>,
    len: usize,
}

impl Codes {
    /// Forgets all, and makes room for `bytes`; memory is touched only as it is used.
    pub fn restart(&mut self, bytes: usize) -> Result<()> {
        self.len = 0;
        if self.bytes.capacity() < bytes {
            reserve_discarding(&mut self.bytes, bytes, WHAT)?;
        }
        Ok(())
    }

    /// Bytes in use.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Forgets what was appended since there were `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.len = len;
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.bytes.capacity()
    }

    /// Appends a row, which ascends and is not empty; returns where, in units of [`ALIGN`] bytes.
    #[inline]
    pub fn push(&mut self, row: &[i32]) -> Result<usize> {
        let mut all = 0;
        for (before, id) in row.iter().zip(&row[1..]) {
            all |= (id - before) as u32;
        }
        let width = 4 - (all | 1).leading_zeros() as usize / 8;
        let size = (HEAD + width * (row.len() - 1)).next_multiple_of(ALIGN);
        let start = self.len;
        self.reserve(size)?;
        let code = &mut self.bytes[start..start + size];
        code[..4].copy_from_slice(&row[0].to_le_bytes());
        code[4] = width as u8;
        let gaps = row.iter().zip(&row[1..]).map(|(before, id)| (id - before) as u32);
        let code = &mut code[HEAD..];
        match width {
            1 => put::<1>(code, gaps),
            2 => put::<2>(code, gaps),
            3 => put::<3>(code, gaps),
            _ => put::<4>(code, gaps),
        }
        self.len += size;
        Ok(start / ALIGN)
    }

    /// Has the row at `at` fetched, of `len` ids, to be read soon: all of most rows.
    #[inline]
    pub fn prefetch(&self, at: usize, len: usize) {
        let start = self.bytes.as_ptr().wrapping_add(at * ALIGN);
        for line in 0..=(2 * len / 64).min(7) {
            prefetch(start.wrapping_add(64 * line));
        }
    }

    /// Reads the row at `at` into `row`, which is as long as the row and not empty; ids become more by `base`.
    #[inline]
    pub fn read(&self, at: usize, base: i32, row: &mut [i32]) {
        let code = &self.bytes[at * ALIGN..];
        let first = i32::from_le_bytes([code[0], code[1], code[2], code[3]]) + base;
        let (width, code) = (code[4], &code[HEAD..]);
        row[0] = first;
        let row = &mut row[1..];
        match width {
            1 => take::<1>(code, first, row),
            2 => take::<2>(code, first, row),
            3 => take::<3>(code, first, row),
            _ => take::<4>(code, first, row),
        }
    }

    fn reserve(&mut self, bytes: usize) -> Result<()> {
        let need = self.len + bytes;
        if self.bytes.len() < need {
            const STEP: usize = 1 << 16;
            let len = (need + STEP).min(self.bytes.capacity()).max(need);
            resize_keeping(&mut self.bytes, len, 0, WHAT)?;
        }
        Ok(())
    }

    /// Refuses a place beyond `stride`, in units of [`ALIGN`] bytes.
    pub fn check(at: usize, stride: usize) -> Result<()> {
        let bytes = (at * ALIGN) as u64;
        if at < stride {
            Ok(())
        } else {
            Err(Error::OutOfMemory { what: WHAT, bytes })
        }
    }
}

/// Writes gaps of `WIDTH` bytes.
#[inline(always)]
fn put<const WIDTH: usize>(code: &mut [u8], gaps: impl Iterator<Item = u32>) {
    for (to, gap) in code.as_chunks_mut::<WIDTH>().0.iter_mut().zip(gaps) {
        to.copy_from_slice(&gap.to_le_bytes()[..WIDTH]);
    }
}

/// Reads gaps of `WIDTH` bytes, which follow the id `last`.
#[inline(always)]
fn take<const WIDTH: usize>(code: &[u8], mut last: i32, row: &mut [i32]) {
    for (id, gap) in row.iter_mut().zip(code.as_chunks::<WIDTH>().0) {
        let mut bytes = [0; 4];
        bytes[..WIDTH].copy_from_slice(gap);
        last += i32::from_le_bytes(bytes);
        *id = last;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows come back as they were, whatever their gaps, from the first id to the last there may be.
    #[test]
    fn rows_come_back() {
        let mut codes = Codes::default();
        let mut rows = Vec::new();
        for step in [1, 255, 256, 65_535, 65_536, 1 << 24, (1 << 24) - 1] {
            for len in [1, 2, 3, 17, 100] {
                let row: Vec<i32> = (0..len).map(|k| 7 + k * step).take_while(|&id| id > 0).collect();
                rows.push((codes.push(&row).unwrap(), row));
            }
        }
        for row in [vec![0, i32::MAX - 1], vec![0, 1, i32::MAX - 1], vec![i32::MAX - 1]] {
            rows.push((codes.push(&row).unwrap(), row));
        }
        for (at, row) in rows {
            let mut found = vec![0; row.len()];
            codes.read(at, 1, &mut found);
            assert!(found.iter().map(|id| id - 1).eq(row));
        }
    }
}
