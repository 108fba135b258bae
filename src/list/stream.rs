//! Stores that go past the caches, for results larger than they are: an ordinary store first reads the line it writes,
//! which costs as much again. They need AVX; elsewhere, ordinary stores.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__cpuid, __m256i, _mm_sfence, _mm256_loadu_si256, _mm256_stream_si256};

use std::marker::PhantomData;
use std::ops::Range;

use super::rows::Rows;
use crate::room::Room;

/// Elements of a result that is stored past the caches. Of less, second-level caches keep enough for the code that
/// reads it next.
const LARGE: usize = (16 << 20) / size_of::<i32>();

/// Whether a column of that many elements is large enough.
pub fn pays(elements: usize) -> bool {
    elements >= LARGE
}

/// Whether rows of that many elements in all are, where each is stored by itself, its ends by masked stores: those are
/// slow on AMD's processors (Zen 4), which also gain nothing by the rest.
pub fn pays_for_rows(elements: usize) -> bool {
    pays(elements) && is_intel()
}

#[cfg(target_arch = "x86_64")]
fn is_intel() -> bool {
    // SAFETY: every x86-64 processor has the instruction. Newer releases of Rust know that.
    #[allow(unused_unsafe)]
    let maker = unsafe { __cpuid(0) };
    let name = [maker.ebx, maker.edx, maker.ecx].map(u32::to_le_bytes);
    name.as_flattened() == b"GenuineIntel"
}

#[cfg(not(target_arch = "x86_64"))]
fn is_intel() -> bool {
    false
}

/// Once it is dropped, nothing that follows can overtake this thread's stores past the caches: not what tells another
/// thread that they are done, nor another store to the same memory.
struct Fence;

impl Drop for Fence {
    fn drop(&mut self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 processor has it.
        unsafe {
            _mm_sfence();
        }
    }
}

/// The writer of a range of elements on one thread, which may store past the caches: see [`Rows::stores`].
pub struct Stores<'a> {
    rows: Rows<'a>,
    past_caches: bool,
    thread: PhantomData<*const ()>,
}

impl Rows<'_> {
    /// Has `work` store rows, past the caches if that is wanted. Afterwards they are visible to every thread.
    pub fn stores<R>(&mut self, past_caches: bool, work: impl FnOnce(&mut Stores) -> R) -> R {
        let _fence = past_caches.then_some(Fence);
        work(&mut Stores {
            rows: self.again(),
            past_caches,
            thread: PhantomData,
        })
    }
}

impl Stores<'_> {
    /// The place of the elements of `range`, all of them writable.
    #[inline]
    pub fn at(&mut self, range: Range<usize>) -> *mut i32 {
        self.rows.at(range)
    }

    /// The elements as memory that kernels write.
    #[inline]
    pub fn room(&mut self) -> Room<'_> {
        let (start, len) = (self.rows.start, self.rows.len());
        // SAFETY: this writer has the elements for itself until after the fence.
        unsafe { Room::new(start, len, self.past_caches) }
    }

    /// Stores a finished row at its place.
    #[inline]
    pub fn store(&mut self, place: Range<usize>, row: &[i32]) {
        self.rows.store(place, row);
    }

    /// Copies `row` to `at`, past the caches.
    pub fn stream(&mut self, at: usize, row: &[i32]) {
        assert!(self.past_caches && at <= self.rows.len() && row.len() <= self.rows.len() - at);
        // SAFETY: inside the memory (checked above), which this writer has for itself until after the fence.
        unsafe { copy(self.rows.at(at..at + row.len()), row) }
    }
}

/// Copies `source` to `target`.
///
/// # Safety
/// `target` is writable for `source.len()` elements and does not overlap `source`. Any code that reads or writes there
/// next does so after this thread's next [`Fence`].
unsafe fn copy(target: *mut i32, source: &[i32]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx") {
        // SAFETY: AVX is there; else as promised.
        return unsafe { copy_by_vectors(target, source) };
    }
    // SAFETY: the caller's promise.
    unsafe { target.copy_from_nonoverlapping(source.as_ptr(), source.len()) }
}

/// [`copy`] with AVX.
///
/// # Safety
/// As for [`copy`], and AVX is there.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
unsafe fn copy_by_vectors(target: *mut i32, source: &[i32]) {
    const LANES: usize = 8;
    let head = target.align_offset(align_of::<__m256i>()).min(source.len());
    let (head, body) = source.split_at(head);
    let (vectors, tail) = body.as_chunks::<LANES>();
    // SAFETY: all writes lie inside the target's `source.len()` elements; those of the vectors are aligned to 32 bytes,
    // as they start `head` elements in, or there are none.
    unsafe {
        target.copy_from_nonoverlapping(head.as_ptr(), head.len());
        let mut to = target.add(head.len());
        for vector in vectors {
            _mm256_stream_si256(to.cast(), _mm256_loadu_si256(vector.as_ptr().cast()));
            to = to.add(LANES);
        }
        to.copy_from_nonoverlapping(tail.as_ptr(), tail.len());
    }
}
