//! Versions of inputs, and values derived from them.
//!
//! No computed value is ever marked stale by hand. It records the versions of the inputs it was made from, and is valid
//! exactly while they are the current versions.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::error::Result;
use crate::memory::Holds;

/// The version of an input, or of something derived: a number that nothing else in the process has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version(u64);

impl Version {
    /// A version that nothing had before.
    pub fn new() -> Version {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Version(LAST.fetch_add(1, Relaxed) + 1)
    }
}

impl Default for Version {
    fn default() -> Version {
        Version::new()
    }
}

/// A value, with what it was made from. `Of` names the versions of all that the value depends on.
#[derive(Debug)]
pub struct Derived<Of, V> {
    made: Option<(Of, Version)>,
    value: V,
}

impl<Of, V: Holds> Holds for Derived<Of, V> {
    fn bytes(&self) -> usize {
        self.value.bytes()
    }
}

impl<Of, V: Default> Default for Derived<Of, V> {
    fn default() -> Derived<Of, V> {
        Derived {
            made: None,
            value: V::default(),
        }
    }
}

impl<Of: PartialEq, V> Derived<Of, V> {
    /// Makes the value from `of`, unless it was made from that already. Returns whether it was made now. After a
    /// failure the value counts as made from nothing.
    pub fn make(&mut self, of: Of, make: impl FnOnce(&mut V) -> Result<()>) -> Result<bool> {
        if self.is_of(&of) {
            return Ok(false);
        }
        make(self.begin())?;
        self.finish(of);
        Ok(true)
    }

    /// The version of the value, if it was made from `of`.
    pub fn version_of(&self, of: &Of) -> Option<Version> {
        self.version().filter(|_| self.is_of(of))
    }

    /// Whether the value was made from `of`.
    pub fn is_of(&self, of: &Of) -> bool {
        self.of() == Some(of)
    }
}

impl<Of, V> Derived<Of, V> {
    /// The value, to be made. Until [`finish`](Derived::finish) it counts as made from nothing.
    pub fn begin(&mut self) -> &mut V {
        self.made = None;
        &mut self.value
    }

    /// The value is made from `of` now.
    pub fn finish(&mut self, of: Of) {
        self.made = Some((of, Version::new()));
    }

    /// The inputs that the value was made from.
    pub fn of(&self) -> Option<&Of> {
        self.made.as_ref().map(|(of, _)| of)
    }

    /// The version of the value itself, for what is derived from it.
    pub fn version(&self) -> Option<Version> {
        self.made.as_ref().map(|&(_, version)| version)
    }

    /// The value. The caller has made sure what it was made from.
    pub fn get(&self) -> &V {
        &self.value
    }

    /// Scratch memory inside the value, not part of the result.
    pub fn scratch(&mut self) -> &mut V {
        &mut self.value
    }
}
