//! Handles: the one place that turns a `neargrid_search *` into a Rust reference and back.

use std::ops::{Deref, DerefMut};

use super::exclusive::{self, Exclusive, Refused};
use crate::error::{Error, Result, Status};
use crate::ranks::{Meeting, Need, Ranks};
use crate::search::Search;

/// A neighbor search: settings, points, index and results, all reused from call to call.
///
/// neargrid_search_create makes a handle and neargrid_search_destroy frees it. Handles are independent of each other.
/// Different threads may use the same handle, but only one at a time.
#[allow(non_camel_case_types)]
pub struct neargrid_search {
    _opaque: [u8; 0],
}

/// The target of a handle: a search, and its ranks where there are such.
pub struct Handle {
    pub search: Search,
    pub ranks: Option<Ranks>,
}

/// The search behind a handle while a call uses it.
pub struct Entered<'a>(exclusive::Entered<'a, Handle>);

impl Deref for Entered<'_> {
    type Target = Search;

    fn deref(&self) -> &Search {
        &self.0.search
    }
}

impl DerefMut for Entered<'_> {
    fn deref_mut(&mut self) -> &mut Search {
        &mut self.0.search
    }
}

impl Entered<'_> {
    /// The search, and its ranks where there are such.
    pub fn both(&mut self) -> (&mut Search, Option<&mut Ranks>) {
        let Handle { search, ranks } = &mut *self.0;
        (search, ranks.as_mut())
    }

    /// A query. `asked` are its arguments, and the ghosts that it needs; `work` does it. Ranks first agree on the arguments, and then on the
    /// result.
    pub fn together<A>(
        &mut self,
        call: &'static str,
        asked: impl FnOnce(&mut Search) -> Result<(Need, A)>,
        work: impl FnOnce(&mut Search, A, &Meeting) -> Result<()>,
    ) -> Result<()> {
        let (search, ranks) = self.both();
        let asked = asked(search);
        match ranks {
            Some(ranks) => ranks.together(search, call, asked, work),
            None => work(search, asked?.1, &Meeting::alone()),
        }
    }

    /// A call that sets the points. `asked` are its arguments, with all that may be wrong with them; `work` takes them. Ranks agree
    /// before any of them takes its own: a call that fails leaves the points of all as they were.
    pub fn each<A>(
        &mut self,
        call: &'static str,
        asked: impl FnOnce(&mut Search) -> Result<A>,
        work: impl FnOnce(&mut Search, A) -> Result<()>,
    ) -> Result<()> {
        let (search, ranks) = self.both();
        let asked = asked(search);
        match ranks {
            Some(ranks) => ranks.each(search, call, asked, work),
            None => work(search, asked?),
        }
    }
}

/// A handle for the caller, who owns it from now on.
pub fn into_raw(search: Search, ranks: Option<Ranks>) -> Result<*mut neargrid_search> {
    let made = exclusive::into_raw(Handle { search, ranks }).ok_or(Error::OutOfMemory {
        what: "a handle",
        bytes: size_of::<Exclusive<Handle>>() as u64,
    })?;
    Ok(made.cast())
}

/// Frees a handle, unless it is NULL. If a call on it is in progress, that call frees it when it ends.
///
/// # Safety
/// `handle` is NULL or came from [`into_raw`], was not freed before, and no call on it begins any more.
pub unsafe fn free(handle: *mut neargrid_search) {
    if !handle.is_null() {
        // SAFETY: the caller's promise.
        unsafe { exclusive::free(handle.cast::<Exclusive<Handle>>()) };
    }
}

/// The search behind a handle, for this call alone.
///
/// # Safety
/// `handle` is NULL or came from [`into_raw`], and is not freed before the call has begun.
pub unsafe fn enter<'a>(handle: *const neargrid_search) -> Result<Entered<'a>> {
    if handle.is_null() {
        return Err(Error::NullPointer {
            argument: "search",
            expected: "a handle made by neargrid_search_create",
        });
    }
    // SAFETY: not NULL, and the caller's promise.
    let entered = unsafe { exclusive::enter(handle.cast::<Exclusive<Handle>>()) };
    entered
        .map(Entered)
        .map_err(|refused| not_entered(refused, "search", "neargrid_search_create"))
}

/// The same for a call that ranks do not have: one across ranks is refused.
///
/// # Safety
/// As for [`enter`].
pub unsafe fn enter_alone<'a>(handle: *const neargrid_search, what: &'static str) -> Result<Entered<'a>> {
    // SAFETY: the caller's promise.
    let entered = unsafe { enter(handle)? };
    match &entered.0.ranks {
        Some(_) => Err(Error::NotSupported { what }),
        None => Ok(entered),
    }
}

/// Why a call does not get what is behind a handle that `create` makes.
pub fn not_entered(refused: Refused, argument: &'static str, create: &str) -> Error {
    match refused {
        Refused::Busy => Error::Busy,
        Refused::Gone => {
            let allowed = format_args!("a handle made by {create}");
            let value = "a handle that was destroyed, or no handle,";
            Error::not_allowed(Status::BadValue, argument, value, allowed)
        }
    }
}
