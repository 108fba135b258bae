//! Stores that go past the caches, for results far larger than they are: an ordinary store first reads the line it
//! writes, which costs as much again. Intrinsics of the x86-64 baseline; elsewhere ordinary stores.

/// Copies `source` to `target`.
///
/// # Safety
/// `target` is writable for `source.len()` elements and does not overlap `source`.
pub unsafe fn copy(target: *mut i32, source: &[i32]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
        const LANES: usize = 4;
        let head = (target.align_offset(align_of::<__m128i>())).min(source.len());
        let (head, body) = source.split_at(head);
        let vectors = body.chunks_exact(LANES);
        let tail = vectors.remainder();
        // SAFETY: all writes lie inside the target's `source.len()` elements; those of the vectors are aligned to 16, as
        // they start `head` elements in, or there are none.
        unsafe {
            target.copy_from_nonoverlapping(head.as_ptr(), head.len());
            let start = target.add(head.len());
            for (k, vector) in vectors.enumerate() {
                _mm_stream_si128(start.add(LANES * k).cast(), _mm_loadu_si128(vector.as_ptr().cast()));
            }
            start
                .add(body.len() - tail.len())
                .copy_from_nonoverlapping(tail.as_ptr(), tail.len());
            // What follows must not overtake these stores: another thread is told that the row is there.
            _mm_sfence();
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: the caller's promise.
    unsafe {
        target.copy_from_nonoverlapping(source.as_ptr(), source.len());
    }
}
