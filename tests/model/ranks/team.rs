//! Ranks that are threads: calls that all of them make at once, and the rules of failures.

use std::ffi::c_void;
use std::time::Duration;

use neargrid::capi::comm::*;
use neargrid::capi::error::neargrid_last_error;
use neargrid::capi::formula::{neargrid_formula, neargrid_formula_destroy};

use neargrid::capi::list::{neargrid_list, neargrid_list_destroy};
use neargrid::capi::pairs::neargrid_pairs_count;
use neargrid::capi::search::neargrid_search_destroy;

use super::super::call::LISTS;
use super::super::model::{OK, Want};
use super::functions;

/// Ranks wait so long for each other.
const PATIENCE: Duration = Duration::from_secs(20);
const COMMUNICATION: i32 = 150;
const DISAGREEMENT: i32 = 151;
/// The status of a rank that refuses.
const REFUSED: i32 = 3;

/// What a rank has.
pub struct Seat {
    pub rank: usize,
    comm: *mut neargrid_comm,
    pub searches: [*mut c_void; 2],
    pub formulas: [*mut neargrid_formula; 2],
    pub lists: [*mut neargrid_list; LISTS],
}

// SAFETY: handles are used by one thread at a time.
unsafe impl Send for Seat {}

impl Seat {
    /// Makes a search in the place of one.
    pub fn renew(&mut self, h: usize) {
        let mut made: *mut c_void = std::ptr::null_mut();
        // SAFETY: the old one is NULL or one of ours that is not used again; the communicator is there.
        let status = unsafe {
            neargrid_search_destroy(self.searches[h].cast());
            neargrid_search_create_across(1, self.comm, (&raw mut made).cast())
        };
        assert_eq!(status, OK);
        self.searches[h] = made;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // SAFETY: made by the library or NULL, and not used again.
        unsafe {
            self.searches
                .iter()
                .for_each(|search| neargrid_search_destroy(search.cast()));
            self.formulas
                .iter()
                .for_each(|&formula| neargrid_formula_destroy(formula));
            self.lists.iter().for_each(|&list| neargrid_list_destroy(list));
            neargrid_comm_destroy(self.comm);
        }
    }
}

/// The outcome of a call on a rank.
#[derive(Clone, Debug)]
pub struct Told<V> {
    pub status: i32,
    text: String,
    value: Option<V>,
    /// Outputs were left alone, or the call succeeded.
    is_clean: bool,
}

impl<V> Told<V> {
    /// That of a call which this thread has just made.
    pub fn of(status: i32, outs: &[&dyn Out], value: impl FnOnce() -> V) -> Told<V> {
        let is_done = status == OK;
        Told {
            status,
            text: if is_done { String::new() } else { text_of_last_error() },
            is_clean: is_done || outs.iter().all(|out| out.is_untouched()),
            value: is_done.then(value),
        }
    }

    /// Not clean, where another output was written.
    pub fn and(self, is_clean: bool) -> Told<V> {
        Told {
            is_clean: self.is_clean && is_clean,
            ..self
        }
    }
}

/// An array that a call writes, with a pattern in it and behind it.
pub struct Room<T>(Vec<T>);

/// Whether a call left it alone.
pub trait Out {
    fn is_untouched(&self) -> bool;
}

/// A number of any bits.
pub trait Plain: Copy {
    const PATTERN: Self;
    fn is_pattern(self) -> bool;
}

macro_rules! plain {
    ($($type:ident $size:literal),*) => {$(
        impl Plain for $type {
            const PATTERN: $type = $type::from_ne_bytes([0xa5; $size]);
            fn is_pattern(self) -> bool {
                self.to_ne_bytes() == [0xa5; $size]
            }
        }
    )*};
}
plain!(u8 1, i32 4, i64 8, f32 4, f64 8, usize 8);

impl<T: Plain> Room<T> {
    pub fn new(len: usize) -> Room<T> {
        Room(vec![T::PATTERN; len + 1])
    }

    /// Its address, or NULL.
    pub fn at(&mut self, null: bool) -> *mut T {
        match null {
            true => std::ptr::null_mut(),
            false => self.0.as_mut_ptr(),
        }
    }

    pub fn values(&self) -> &[T] {
        &self.0[..self.0.len() - 1]
    }

    pub fn first(&self) -> T {
        self.0[0]
    }

    /// Whether all from an element on was left alone.
    pub fn is_untouched_from(&self, first: usize) -> bool {
        self.0[first.min(self.0.len() - 1)..]
            .iter()
            .all(|value| value.is_pattern())
    }
}

impl Room<usize> {
    /// The place of a pointer that a call writes.
    pub fn pointer<P>(&mut self, null: bool) -> *mut *const P {
        self.at(null).cast()
    }

    /// The numbers at the pointer that was written.
    ///
    /// # Safety
    /// There are as many.
    pub unsafe fn lent<P: Copy>(&self, len: usize) -> Vec<P> {
        let first = std::ptr::with_exposed_provenance::<P>(self.first());
        // SAFETY: the caller's promise.
        (0..len).map(|k| unsafe { first.add(k).read() }).collect()
    }
}

impl<T: Plain> Out for Room<T> {
    fn is_untouched(&self) -> bool {
        self.is_untouched_from(0)
    }
}

/// The fault of a rank, which makes another call than the others.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    Refusal,
    Other,
}

/// All ranks.
pub struct Team {
    seats: Vec<Seat>,
    world: std::sync::Arc<functions::World>,
    /// The rank that makes the next call that is collective wrongly, before all make it rightly; the number of its handle.
    pub fault: Option<(usize, Fault, usize)>,
    /// Calls that a rank made wrongly.
    pub faults: usize,
}

impl Team {
    pub fn new(ranks: usize) -> Team {
        let world = functions::World::new(PATIENCE);
        let seats = std::thread::scope(|scope| {
            let sit = |rank| {
                let world = &world;
                scope.spawn(move || {
                    let (context, mut comm) = (world.context(rank, ranks, usize::MAX), std::ptr::null_mut());
                    let [number, size] = [rank, ranks].map(|number| number as i32);
                    // SAFETY: functions of this context, and a place for a pointer.
                    let status = unsafe {
                        neargrid_comm_create(
                            1,
                            number,
                            size,
                            number,
                            context,
                            Some(functions::min),
                            Some(functions::all_gather),
                            Some(functions::all_to_all),
                            Some(functions::post),
                            Some(functions::wait),
                            Some(functions::text),
                            Some(functions::release),
                            &raw mut comm,
                        )
                    };
                    assert_eq!(status, OK);
                    let mut seat = Seat {
                        rank,
                        comm,
                        searches: [std::ptr::null_mut(); 2],
                        formulas: [std::ptr::null_mut(); 2],
                        lists: [std::ptr::null_mut(); LISTS],
                    };
                    (0..2).for_each(|h| seat.renew(h));
                    seat
                })
            };
            let ranks: Vec<_> = (0..ranks).map(sit).collect();
            ranks.into_iter().map(|seat| seat.join().unwrap()).collect()
        });
        Team {
            seats,
            world,
            fault: None,
            faults: 0,
        }
    }

    pub fn ranks(&self) -> usize {
        self.seats.len()
    }

    /// What each rank makes of `call`, all at once.
    pub fn each<V: Send>(&mut self, call: impl Fn(&mut Seat) -> V + Sync) -> Vec<V> {
        let call = &call;
        std::thread::scope(|scope| {
            let ranks: Vec<_> = (self.seats.iter_mut())
                .map(|seat| scope.spawn(move || call(seat)))
                .collect();
            ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
        })
    }

    /// A call that all ranks make together: the value of each, once the status is one that is right. It fails on all ranks alike, or on
    /// none.
    pub fn together<V: Send>(
        &mut self,
        want: &Want<()>,
        call: impl Fn(&mut Seat) -> Told<V> + Sync,
    ) -> Result<Result<Vec<V>, i32>, String> {
        if let Some((rank, fault, h)) = self.fault.take().filter(|_| self.ranks() > 1) {
            self.faults += 1;
            let told = self.each(|seat| match seat.rank == rank {
                true => wrongly(seat, fault, h),
                false => call(seat),
            });
            let status = one_outcome(&told)?;
            let is_refusal = matches!(fault, Fault::Refusal) && want.answer.is_some();
            let is_other = status != REFUSED && !want.statuses.contains(&status);
            if status == OK || is_refusal && is_other {
                return Err(format!("rank {rank} made another call ({fault:?}): status {status}"));
            }
        }
        let told = self.each(call);
        let status = one_outcome(&told)?;
        let (is_allowed, text) = (want.statuses.contains(&status), &told[0].text);
        match (status, &want.answer) {
            (OK, Some(())) => Ok(Ok(told.into_iter().filter_map(|told| told.value).collect())),
            (OK, None) => Err(format!("status OK, one of {:?} is right", want.statuses)),
            (COMMUNICATION, _) => Err(format!("ranks wait in vain: {text}")),
            (DISAGREEMENT, None) => Ok(Err(status)),
            _ if is_allowed => Ok(Err(status)),
            (_, answer) => {
                let or = if answer.is_some() { "OK, or " } else { "" };
                Err(format!(
                    "status {status} ({text}), {or}one of {:?} is right",
                    want.statuses
                ))
            }
        }
    }

    /// A call that ranks make alone, and that succeeds on all of them.
    pub fn alone<V: Send>(&mut self, what: &str, call: impl Fn(&mut Seat) -> Told<V> + Sync) -> Result<Vec<V>, String> {
        let told = self.each(call);
        match told.iter().position(|told| told.status != OK) {
            None => Ok(told.into_iter().filter_map(|told| told.value).collect()),
            Some(rank) => {
                let Told { status, text, .. } = &told[rank];
                Err(format!("{what}: status {status} on rank {rank} ({text})"))
            }
        }
    }

    /// Ends all: a complaint about what is left.
    pub fn end(self) -> Result<(), String> {
        let Team { seats, world, .. } = self;
        let ranks = seats.len();
        drop(seats);
        world.check_end(ranks, false)
    }
}

/// Another call than that of the other ranks.
fn wrongly<V>(seat: &mut Seat, fault: Fault, h: usize) -> Told<V> {
    let mut count = 0;
    // SAFETY: a handle of ours, a text, and a place for a number.
    let status = unsafe {
        match fault {
            Fault::Refusal => neargrid_search_refuse(seat.searches[h].cast(), REFUSED, c"size(x) = 3".as_ptr()),
            Fault::Other => neargrid_pairs_count(seat.searches[h].cast(), &raw mut count),
        }
    };
    let told = Told::of(status, &[], || ());
    Told {
        status,
        text: told.text,
        value: None,
        is_clean: true,
    }
}

/// The status of all ranks, which failed alike or not at all.
fn one_outcome<V>(told: &[Told<V>]) -> Result<i32, String> {
    let outcome = |told: &Told<V>| (told.status, told.text.clone());
    let first = outcome(&told[0]);
    if told.iter().any(|told| outcome(told) != first) {
        let all: Vec<_> = told.iter().map(outcome).collect();
        return Err(format!("ranks differ: {all:?}"));
    }
    match told.iter().position(|told| !told.is_clean) {
        None => Ok(first.0),
        Some(rank) => Err(format!("rank {rank} wrote an output of a call that failed: {first:?}")),
    }
}

/// The text of the last failure of this thread.
fn text_of_last_error() -> String {
    let (mut buffer, mut length) = (vec![0u8; 2000], 0);
    // SAFETY: a buffer of that many bytes.
    unsafe { neargrid_last_error(buffer.as_mut_ptr().cast(), buffer.len(), &mut length) };
    buffer.truncate(length.min(1999));
    String::from_utf8_lossy(&buffer).into_owned()
}
