//! The core, used through its C interface only: one search of this rank's points and ghosts.

#![allow(unsafe_code)]

mod raw;

use std::ops::Range;

use crate::error::{Error, Result, status};
use crate::points::{Coords, Domain};

use raw::*;

/// The version of the core's interface that this was written for.
const CORE_ABI: i32 = 1;

/// `NEARGRID_COUNTER_BACKEND`.
const COUNTER_BACKEND: i32 = 8;

/// A function that takes points of a precision: axes, how many, where each axis begins, and bytes from one to the next.
type Take<T> = unsafe extern "C" fn(*mut RawSearch, i32, i64, *const T, *const T, *const T, i64) -> i32;

/// The neighbors that a row lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Row i lists points of larger global ids: each pair once over all ranks.
    Half = 0,
    /// Row i lists all.
    Full = 1,
}

/// Among which points the nearest ones are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnnKind {
    /// Of each point of a rank, among all others.
    Others = 0,
    /// Of each point of a rank, among all, itself included.
    All = 1,
}

/// `NEARGRID_KNN_QUERIES` and `NEARGRID_MEASURE_SQUARE`.
const KNN_QUERIES: i32 = 2;
const MEASURE_SQUARE: i32 = 1;
/// `NEARGRID_DEVICE_TURN`.
pub const DEVICE_TURN: i32 = 2;

/// A search of the core's.
pub struct Core {
    raw: *mut RawSearch,
    /// Of which points it was checked that a search for pairs would not refuse the settings: dim, and bytes of a coordinate.
    checked: Option<(usize, usize)>,
}

// SAFETY: the core's handles may be used by any thread, by one at a time.
unsafe impl Send for Core {}

impl Drop for Core {
    fn drop(&mut self) {
        // SAFETY: made by neargrid_search_create and not used again.
        unsafe { neargrid_search_destroy(self.raw) };
    }
}

/// The core's verdict as a result.
fn check(number: i32) -> Result<()> {
    if number == 0 {
        return Ok(());
    }
    let (mut buffer, mut length) = ([0u8; 1024], 0);
    // SAFETY: the buffer has that many bytes, and `length` outlives the call.
    let read = unsafe { neargrid_last_error(buffer.as_mut_ptr().cast(), buffer.len(), &mut length) };
    let length = if read == 0 { length.min(buffer.len() - 1) } else { 0 };
    Err(Error::new(number, String::from_utf8_lossy(&buffer[..length])))
}

/// `len` elements at a pointer of the core's.
///
/// # Safety
/// The pointer is readable for that many elements as long as the result lives, or anything where there are none.
unsafe fn elements<'a, T>(pointer: *const T, len: i64) -> &'a [T] {
    if len == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(pointer, len as usize) }
}

impl Core {
    pub fn new() -> Result<Core> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the pointer is to a variable.
        check(unsafe { neargrid_search_create(CORE_ABI, &mut raw) })?;
        let mut core = Core { raw, checked: None };
        // Launchers hand the environment to some ranks only: NEARGRID_TIE must not make the rule differ between them.
        core.set_tie_rule(0)?;
        Ok(core)
    }

    pub fn set_cutoff(&mut self, cutoff: f64) -> Result<()> {
        self.checked = None;
        // SAFETY: here and below, the handle is valid and used by nobody else.
        check(unsafe { neargrid_search_set_cutoff(self.raw, cutoff) })
    }

    pub fn set_tie_rule(&mut self, rule: i32) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { neargrid_search_set_tie_rule(self.raw, rule) })
    }

    pub fn set_index_base(&mut self, base: i32) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { neargrid_search_set_index_base(self.raw, base) })
    }

    pub fn set_threads(&mut self, threads: i32) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { neargrid_search_set_threads(self.raw, threads) })
    }

    pub fn set_backend(&mut self, backend: i32) -> Result<()> {
        self.checked = None;
        // SAFETY: as above.
        check(unsafe { neargrid_search_set_backend(self.raw, backend) })
    }

    /// The GPU by one of NEARGRID_DEVICE_* and a number.
    pub fn set_device(&mut self, choice: i32, number: i32) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { neargrid_search_set_device(self.raw, choice, number) })
    }

    pub fn set_box(&mut self, domain: &Domain) -> Result<()> {
        let dim = domain.lo.len();
        if domain.length.len() != dim || domain.periodic.len() != dim {
            let text = format!("lo, length and periodic of a box must have {dim} elements each");
            return Err(Error::new(status::BAD_DIM, text));
        }
        self.checked = None;
        let periodic: Vec<i32> = domain.periodic.iter().map(|&flag| i32::from(flag)).collect();
        let (lo, length) = (domain.lo.as_ptr(), domain.length.as_ptr());
        // SAFETY: as above; three arrays of `dim` elements.
        check(unsafe { neargrid_search_set_box(self.raw, dim as i32, lo, length, periodic.as_ptr()) })
    }

    /// Gives points `range` of some to one of these two.
    fn give(
        &mut self,
        dim: usize,
        coords: &Coords,
        range: Range<usize>,
        (f32, f64): (Take<f32>, Take<f64>),
    ) -> Result<()> {
        let (n, range) = (range.len() as i64, range.start * dim..range.end * dim);
        check(match coords {
            Coords::F32(coords) => {
                let [x, y, z] = bases(&coords[range], dim);
                // SAFETY: as above; each axis has n coordinates that far apart.
                unsafe { f32(self.raw, dim as i32, n, x, y, z, (4 * dim) as i64) }
            }
            Coords::F64(coords) => {
                let [x, y, z] = bases(&coords[range], dim);
                // SAFETY: as above.
                unsafe { f64(self.raw, dim as i32, n, x, y, z, (8 * dim) as i64) }
            }
        })
    }

    /// The first `n` points of some, without ids.
    pub fn set_first_points(&mut self, dim: usize, coords: &Coords, n: usize) -> Result<()> {
        let both = (neargrid_search_set_points_f32 as _, neargrid_search_set_points_f64 as _);
        self.give(dim, coords, 0..n, both)?;
        self.set_ids(&[])
    }

    /// More of these points, those of a range that begins where it has the first.
    pub fn add_points(&mut self, dim: usize, coords: &Coords, range: Range<usize>) -> Result<()> {
        let both = (neargrid_search_add_points_f32 as _, neargrid_search_add_points_f64 as _);
        self.give(dim, coords, range, both)
    }

    /// Ids of all points; none for points without.
    pub fn set_ids(&mut self, ids: &[i64]) -> Result<()> {
        // SAFETY: as above; the array has that many elements.
        check(unsafe { neargrid_search_set_ids(self.raw, ids.len() as i64, ids.as_ptr(), size_of::<i64>() as i64) })
    }

    /// Sets a second set of points whose neighbors among the points are searched.
    pub fn set_queries(&mut self, dim: usize, coords: &Coords) -> Result<()> {
        let both = (
            neargrid_search_set_queries_f32 as _,
            neargrid_search_set_queries_f64 as _,
        );
        self.give(dim, coords, 0..coords.len() / dim, both)
    }

    pub fn set_skin(&mut self, skin: f64) -> Result<()> {
        self.checked = None;
        // SAFETY: as above.
        check(unsafe { neargrid_search_set_skin(self.raw, skin) })
    }

    /// Replaces the first `n` points by moved ones; ids and the number of active points stay.
    pub fn update(&mut self, dim: usize, coords: &Coords, n: usize) -> Result<()> {
        assert!(n * dim <= coords.len(), "as many points as there are");
        let (n, mut rebuilt) = (n as i64, 0);
        check(match coords {
            Coords::F32(coords) => {
                let [x, y, z] = bases(coords, dim);
                let stride = (4 * dim) as i64;
                // SAFETY: as above; each axis has n coordinates that far apart, and the last pointer is to a variable.
                unsafe { neargrid_search_update_f32(self.raw, dim as i32, n, x, y, z, stride, &mut rebuilt) }
            }
            Coords::F64(coords) => {
                let [x, y, z] = bases(coords, dim);
                let stride = (8 * dim) as i64;
                // SAFETY: as above.
                unsafe { neargrid_search_update_f64(self.raw, dim as i32, n, x, y, z, stride, &mut rebuilt) }
            }
        })
    }

    /// Sets how many of the points are active, from the first.
    pub fn set_active(&mut self, active: usize) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { neargrid_search_set_active(self.raw, active as i64) })
    }

    /// Whether half lists hold, of the pairs with ghosts, only those where the ghost has the larger id.
    pub fn set_ghost_pairs(&mut self, larger_ids: bool) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { neargrid_search_set_ghost_pairs(self.raw, i32::from(larger_ids)) })
    }

    /// Fails if a search for pairs of these points would be refused because of cutoff, box or environment. Unless this is known
    /// already, no points are set afterwards.
    pub fn check_settings(&mut self, dim: usize, precision_of: &Coords) -> Result<()> {
        let (of, none) = match precision_of {
            Coords::F32(_) => ((dim, size_of::<f32>()), Coords::F32(Vec::new())),
            Coords::F64(_) => ((dim, size_of::<f64>()), Coords::F64(Vec::new())),
        };
        if self.checked == Some(of) {
            return Ok(());
        }
        self.set_first_points(dim, &none, 0)?;
        self.set_active(0)?;
        let mut npairs = 0;
        // SAFETY: as above; the pointer is to a variable.
        check(unsafe { neargrid_pairs_count(self.raw, &mut npairs) })?;
        self.checked = Some(of);
        Ok(())
    }

    /// All pairs of an active point and another that half lists hold: active points left, and of two the one with the smaller id.
    pub fn pairs(&mut self) -> Result<(&[i32], &[i32])> {
        let (mut npairs, mut left, mut right) = (0, std::ptr::null(), std::ptr::null());
        // SAFETY: as above; pointers to variables.
        check(unsafe { neargrid_pairs_view(self.raw, &mut npairs, &mut left, &mut right) })?;
        // SAFETY: arrays of that many elements, valid until the next call on the handle, which needs `self`.
        Ok(unsafe { (elements(left, npairs), elements(right, npairs)) })
    }

    /// Rows of all points, ghosts too.
    pub fn neighbors(&mut self, kind: Kind) -> Result<(&[i64], &[i32])> {
        let (mut n, mut total, mut offsets, mut ids) = (0, 0, std::ptr::null(), std::ptr::null());
        // SAFETY: as above; pointers to variables.
        check(unsafe { neargrid_neighbors_view(self.raw, kind as i32, &mut n, &mut total, &mut offsets, &mut ids) })?;
        // SAFETY: as for `pairs`.
        Ok(unsafe { (elements(offsets, n + 1), elements(ids, total)) })
    }

    /// The `k` nearest of each point, or where no `kind` is given of each query, with distances squared: rows of `k` elements.
    pub fn knn(&mut self, kind: Option<KnnKind>, k: usize, ids: &mut [i32], squares: &mut Coords) -> Result<()> {
        assert_eq!(ids.len(), squares.len(), "an id beside each square");
        let (kind, rows) = (kind.map_or(KNN_QUERIES, |kind| kind as i32), (ids.len() / k) as i64);
        let (ids, none, k) = (ids.as_mut_ptr(), std::ptr::null_mut(), k as i32);
        let mut found = 0;
        check(match squares {
            Coords::F32(squares) => {
                let squares = squares.as_mut_ptr();
                // SAFETY: as above; both arrays have k elements for each of the rows, whose number is checked there.
                unsafe {
                    neargrid_knn_copy_f32(self.raw, kind, k, MEASURE_SQUARE, rows, &mut found, ids, squares, none)
                }
            }
            Coords::F64(squares) => {
                let squares = squares.as_mut_ptr();
                // SAFETY: the same.
                unsafe {
                    neargrid_knn_copy_f64(self.raw, kind, k, MEASURE_SQUARE, rows, &mut found, ids, squares, none)
                }
            }
        })
    }

    /// The label of each point: the number of the point with the smallest id in its group.
    pub fn fof(&mut self) -> Result<&[i32]> {
        let (mut n, mut labels, mut groups) = (0, std::ptr::null(), 0);
        // SAFETY: as above; pointers to variables.
        check(unsafe { neargrid_fof_view(self.raw, &mut n, &mut labels, &mut groups) })?;
        // SAFETY: as for `pairs`.
        Ok(unsafe { elements(labels, n) })
    }

    /// The backend of the last search, a NEARGRID_BACKEND_* number.
    pub fn backend(&self) -> Result<i64> {
        let mut value = 0;
        // SAFETY: as above; a pointer to a variable.
        check(unsafe { neargrid_search_counter(self.raw, COUNTER_BACKEND, &mut value) })?;
        Ok(value)
    }
}

/// `NEARGRID_SUM_WORDS`.
const SUM_WORDS: usize = 136;

/// An exact sum of the core.
#[derive(Clone, Debug)]
pub struct Sum([i64; SUM_WORDS]);

impl Default for Sum {
    fn default() -> Sum {
        Sum([0; SUM_WORDS])
    }
}

impl Sum {
    /// Adds numbers, all finite.
    pub fn add(&mut self, values: &[f64]) -> Result<()> {
        // SAFETY: here and below, sums have as many words as the core asks for; the array has that many elements.
        check(unsafe { neargrid_sum_add(self.0.as_mut_ptr(), values.len() as i64, values.as_ptr()) })
    }

    /// Adds products of numbers, all finite.
    pub fn add_products(&mut self, x: &[f64], y: &[f64]) -> Result<()> {
        assert_eq!(x.len(), y.len(), "two factors each");
        // SAFETY: both arrays have that many elements.
        check(unsafe { neargrid_sum_add_products(self.0.as_mut_ptr(), x.len() as i64, x.as_ptr(), y.as_ptr()) })
    }

    pub fn merge(&mut self, other: &Sum) -> Result<()> {
        // SAFETY: two sums.
        check(unsafe { neargrid_sum_merge(self.0.as_mut_ptr(), other.0.as_ptr()) })
    }

    /// The number nearest to the sum.
    pub fn rounded(&self) -> Result<f64> {
        let mut value = 0.0;
        // SAFETY: a sum, and a pointer to a variable.
        check(unsafe { neargrid_sum_round(self.0.as_ptr(), &mut value) })?;
        Ok(value)
    }

    /// The begin of its words that are not 0, and these.
    pub fn words(&self) -> (usize, &[i64]) {
        let first = self.0.iter().position(|&word| word != 0).unwrap_or(SUM_WORDS);
        let end = self
            .0
            .iter()
            .rposition(|&word| word != 0)
            .map_or(first, |last| last + 1);
        (first, &self.0[first..end])
    }

    /// The sum of such words.
    pub fn of_words(first: usize, words: impl Iterator<Item = i64>) -> Sum {
        let mut sum = Sum::default();
        sum.0
            .iter_mut()
            .skip(first)
            .zip(words)
            .for_each(|(word, value)| *word = value);
        sum
    }
}

/// The begin of each axis.
fn bases<T>(coords: &[T], dim: usize) -> [*const T; 3] {
    std::array::from_fn(|axis| match coords.get(axis) {
        Some(_) if axis < dim => coords.as_ptr().wrapping_add(axis),
        _ => std::ptr::null(),
    })
}
