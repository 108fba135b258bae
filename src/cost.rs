//! The number of distances that a query tests. It may be no more than a constant times points, queries and entries, for any cloud.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Distance tests of a query, added up by all its threads.
#[derive(Debug, Default)]
pub struct Cost(AtomicU64);

impl Cost {
    /// Adds the tests of a block or of a task. A test alone is too little to be added here: threads share the sum.
    pub fn add(&self, tests: usize) {
        self.0.fetch_add(tests as u64, Relaxed);
    }

    /// All tests so far.
    pub fn tests(&self) -> i64 {
        self.0.load(Relaxed) as i64
    }
}
