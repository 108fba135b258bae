//! A rank with a handle that is ready for every collective call, and memory for what these give.

use std::ffi::c_char;
use std::ptr::null;

use crate::capi::error::neargrid_last_error;
use crate::capi::formula::{neargrid_formula, neargrid_formula_create, neargrid_formula_destroy};
use crate::capi::ghosts::{neargrid_ghosts_view_f32, neargrid_ghosts_view_f64};
use crate::capi::handle::{self, neargrid_search};
use crate::capi::list::{neargrid_list, neargrid_list_destroy};
use crate::capi::migration::{neargrid_migration_plan_f32, neargrid_migration_plan_f64};
use crate::capi::neighbors::{NEARGRID_NEIGHBORS_FULL, neargrid_neighbors};
use crate::capi::points::{neargrid_search_set_points_f32, neargrid_search_set_points_f64};
use crate::capi::search::neargrid_search_destroy;
use crate::capi::settings::neargrid_search_set_cutoff;
use crate::capi::skin::neargrid_search_set_skin;
use crate::capi::status::{NEARGRID_STATUS_OK, neargrid_status};
use crate::kinds::GhostPairs;
use crate::random::Random;
use crate::ranks::{Comm, Ranks};
use crate::search::Search;

/// Points of a rank.
pub const N: usize = 12;
pub const CUTOFF: f64 = 0.5;
/// Elements of each array for results: more than there are pairs of any rank.
pub const ROOM: usize = 2000;
/// Both as C counts.
pub const POINTS: i64 = N as i64;
pub const SPACE: i64 = ROOM as i64;
pub const FULL: neargrid_neighbors = NEARGRID_NEIGHBORS_FULL;

/// Calls a function of C.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: pointers are those of a `Side`, whose arrays have as many elements as the call says, or are NULL.
        unsafe { $function($($argument),*) }
    };
}
pub(super) use call;

/// One of the ranks.
pub struct Side {
    pub search: *mut neargrid_search,
    pub formula: *mut neargrid_formula,
    pub rank: usize,
    pub ranks: usize,
    pub doubles: [f64; 3 * N],
    pub singles: [f32; 3 * N],
    pub ids: [i64; N],
    pub ghosts: i64,
    /// Points after the migration that is planned.
    pub after: i64,
    pub lists: [*mut neargrid_list; 2],
    /// Results.
    pub counts: [i64; 4],
    pub longs: Vec<i64>,
    pub numbers: [Vec<i32>; 3],
    pub reals: Vec<f64>,
    /// The text of a failure, where another call came after it.
    pub text: String,
    /// Failures of calls that should not fail.
    pub unexpected: Vec<String>,
}

impl Side {
    pub fn new(comm: &Comm, is_single: bool) -> Side {
        let mut search = Search::new().unwrap();
        search.set_ghost_pairs(GhostPairs::LargerIds);
        let (rank, mut random) = (comm.rank(), Random(comm.rank() as u64 + 1));
        let doubles = [(); 3 * N].map(|()| random.uniform());
        let mut side = Side {
            search: handle::into_raw(search, Some(Ranks::new(comm.clone()))).unwrap(),
            formula: std::ptr::null_mut(),
            rank,
            ranks: comm.size(),
            doubles,
            singles: doubles.map(|place| place as f32),
            ids: std::array::from_fn(|k| (N * rank + k) as i64),
            ghosts: 0,
            after: 0,
            lists: [std::ptr::null_mut(); 2],
            counts: [0; 4],
            longs: vec![0; ROOM],
            numbers: [(); 3].map(|()| vec![0; ROOM]),
            reals: vec![0.0; ROOM],
            text: String::new(),
            unexpected: Vec::new(),
        };
        side.begin(is_single);
        side
    }

    fn begin(&mut self, is_single: bool) {
        let (search, formula) = (self.search, &raw mut self.formula);
        self.ok(call!(neargrid_formula_create(c"n += 1 - r/c".as_ptr(), formula)));
        self.ok(call!(neargrid_search_set_cutoff(search, CUTOFF)));
        self.ok(call!(neargrid_search_set_skin(search, 0.02)));
        match is_single {
            true => self.ready::<f32>(),
            false => self.ready::<f64>(),
        }
    }

    fn ready<T: Real>(&mut self) {
        let (search, x) = (self.search, T::places(self));
        let (y, z, stride) = (x.wrapping_add(1), x.wrapping_add(2), 3 * size_of::<T>() as i64);
        let (set_points, view, plan) = (T::SET_POINTS, T::VIEW, T::PLAN);
        self.ok(call!(set_points(search, 3, N as i64, x, y, z, stride)));
        let (mut ids, mut ranks, mut positions) = (null(), null(), null());
        let ghosts = &raw mut self.ghosts;
        self.ok(call!(view(
            search,
            ghosts,
            &raw mut ids,
            &raw mut ranks,
            &raw mut positions
        )));
        let (ids, after) = (self.ids.as_ptr(), &raw mut self.after);
        self.ok(call!(plan(search, 3, N as i64, x, y, z, stride, ids, after)));
    }

    /// Notes a failure.
    pub fn ok(&mut self, status: neargrid_status) {
        if status != NEARGRID_STATUS_OK {
            let text = self.told();
            self.unexpected.push(text);
        }
    }

    /// The text of the last failure.
    pub fn told(&mut self) -> String {
        if !self.text.is_empty() {
            return std::mem::take(&mut self.text);
        }
        let (mut text, mut length) = ([0u8; 1000], 0);
        let place = text.as_mut_ptr().cast::<c_char>();
        let _ = call!(neargrid_last_error(place, text.len(), &raw mut length));
        String::from_utf8_lossy(&text[..length.min(text.len())]).into_owned()
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        for list in self.lists {
            call!(neargrid_list_destroy(list));
        }
        call!(neargrid_formula_destroy(self.formula));
        call!(neargrid_search_destroy(self.search));
    }
}

/// A function that sets points.
pub type SetPoints<T> =
    unsafe extern "C" fn(*mut neargrid_search, i32, i64, *const T, *const T, *const T, i64) -> neargrid_status;

/// One that returns ghosts.
pub type View<T> = unsafe extern "C" fn(
    *mut neargrid_search,
    *mut i64,
    *mut *const i64,
    *mut *const i32,
    *mut *const T,
) -> neargrid_status;

/// One that plans a migration.
pub type Plan<T> = unsafe extern "C" fn(
    *mut neargrid_search,
    i32,
    i64,
    *const T,
    *const T,
    *const T,
    i64,
    *const i64,
    *mut i64,
) -> neargrid_status;

/// A precision of points, and the functions for it.
pub trait Real: Copy + 'static {
    const SET_POINTS: SetPoints<Self>;
    const VIEW: View<Self>;
    const PLAN: Plan<Self>;

    fn places(side: &Side) -> *const Self;
}

impl Real for f32 {
    const SET_POINTS: SetPoints<f32> = neargrid_search_set_points_f32;
    const VIEW: View<f32> = neargrid_ghosts_view_f32;
    const PLAN: Plan<f32> = neargrid_migration_plan_f32;

    fn places(side: &Side) -> *const f32 {
        side.singles.as_ptr()
    }
}

impl Real for f64 {
    const SET_POINTS: SetPoints<f64> = neargrid_search_set_points_f64;
    const VIEW: View<f64> = neargrid_ghosts_view_f64;
    const PLAN: Plan<f64> = neargrid_migration_plan_f64;

    fn places(side: &Side) -> *const f64 {
        side.doubles.as_ptr()
    }
}
