//! Runs a sequence of calls on the library and on the model, and compares every answer.

use std::ffi::c_void;
use std::sync::atomic::Ordering;

use neargrid::capi::{
    celllist::*, chunks::*, error::*, exclusions::*, fields::*, fof::*, formula::*, groups::*, ids::*, knn::*,
    list::neargrid_list, neighbors::*, order::*,
};
use neargrid::capi::{
    pairs::*, points::*, queries::*, radii::*, roles::*, search::*, settings::*, skin::*, type_cutoffs::*,
};

use super::call::{Act, Call, Capacity, Coords, LISTS, Layout, List, Properties, Role, SUMS, Step, What};
pub use super::memory::Record;
use super::memory::{Arena, Argument, In, Kept, Lent, Number, Out, same};
use super::model::*;
use super::trace::{Object, Trace, Value};
use super::truth::PROGRESS;

/// The backend that the environment forces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forced {
    #[default]
    None,
    Cpu,
    Gpu,
}

/// The place where a sequence went wrong.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The failure without numbers: shrinking keeps to it.
    pub what: String,
    pub text: String,
}

type Checked = Result<(), String>;

/// Runs `steps`; the record of the calls as far as they came, where it is wanted.
pub fn run(steps: &[Step], forced: Forced, record: Record) -> (Result<(), Failure>, Trace) {
    let mut run = Run::new(forced, record);
    let mut result = Ok(());
    for step in steps {
        PROGRESS.fetch_add(1, Ordering::Relaxed);
        run.arena.begin();
        if let Err(text) = run.step(step).and_then(|()| run.arena.check_guards()) {
            let cut = text.split([':', '(']).next().unwrap_or_default();
            let what = format!(
                "{} {}",
                step.call.name(),
                cut.replace(|c: char| c.is_ascii_digit(), "#")
            );
            result = Err(Failure { what, text });
            break;
        }
    }
    (result, run.arena.record.take())
}

/// A handle and its model.
struct Handle {
    raw: *mut c_void,
    model: Model,
    view: Option<View>,
    last: Option<Asked>,
}

/// A view that is valid.
struct View {
    kept: Vec<Kept>,
    /// Questions about groups leave it valid.
    of_groups: bool,
    /// Pairs (0-based) that its arrays hold, and the arrays.
    list: Option<ListOfView>,
}

/// Pairs, the form of the list, and the arrays.
type ListOfView = (Vec<(usize, usize)>, Form, In<i64>, In<i32>);

/// The form of a list: pairs, or rows of points or of queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Pairs,
    Rows,
    OfQueries,
}

/// The query before, with nothing changed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    List { kind: Kind, pairs: bool, view: bool },
    Fof,
}

/// The report of a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Work {
    builds: i64,
    counts: i64,
    fills: i64,
    lists: i64,
}

/// The search of the thread.
struct OfThread {
    model: Model,
    /// The tie rule of the drop-in.
    rule: i32,
    /// `None`: no result; not sure after a failure.
    sure: Option<bool>,
}

struct Run {
    arena: Arena,
    /// The last is NULL.
    handles: [Handle; 3],
    of_thread: OfThread,
    exact: [exact::Slot; SUMS],
    formulas: [sums::Slot; 2],
    lists: [taken::Slot; LISTS],
    /// Those of a call that takes several.
    places: [*mut neargrid_list; LISTS],
    forced: Forced,
}

/// Calls a function, and records it.
macro_rules! call {
    ($run:ident, $handle:expr, $name:ident($($argument:expr),*)) => {{
        let handle: usize = $handle;
        let arguments = |_arena: &Arena| vec![handle_value(handle), $(Argument::value(&$argument, _arena)),*];
        $run.arena.calls(stringify!($name), arguments);
        let raw = $run.handles[handle].raw;
        // SAFETY: the handle is valid or NULL, the arrays are as long as the call wants them, or it is one that is refused.
        let status = unsafe { $name(raw.cast(), $(Argument::raw(&$argument)),*) };
        $run.arena.returned(status as i32, text_of_last_error);
        status
    }};
    ($run:ident, $name:ident($($argument:expr),*)) => {{
        $run.arena.calls(stringify!($name), |arena| vec![$(Argument::value(&$argument, arena)),*]);
        // SAFETY: the arrays are as long as the call wants them, or it is one that is refused.
        let status = unsafe { $name($(Argument::raw(&$argument)),*) };
        $run.arena.returned(status as i32, text_of_last_error);
        status
    }};
}

// After the macro that they use.
mod alone;
mod by_ids;
mod carry;
mod cell;
mod chunks;
mod drop_in;
mod exact;
mod forms;
mod groups;
mod lists;
mod nearest;
mod of_thread;
mod pair_fields;
mod points;
mod precision;
mod questions;
mod settings;
mod solve;
mod sums;
mod systems;
mod taken;
mod verlet;

use alone::constants;
use precision::Coordinate;

impl Drop for Run {
    fn drop(&mut self) {
        for handle in &self.handles {
            // SAFETY: made by the library, and not used again.
            unsafe { neargrid_search_destroy(handle.raw.cast()) };
        }
        for formula in &self.formulas {
            // SAFETY: the same.
            unsafe { neargrid_formula_destroy(formula.raw.cast()) };
        }
        for list in 0..self.lists.len() {
            self.destroy_list(list);
        }
        neargrid_celllist_release();
        drop_in::forget_rule();
    }
}

impl Run {
    fn new(forced: Forced, record: Record) -> Run {
        let handle = |raw| Handle {
            raw,
            model: Model::default(),
            view: None,
            last: None,
        };
        let mut run = Run {
            arena: Arena::default(),
            handles: [create(), create(), std::ptr::null_mut()].map(handle),
            of_thread: OfThread {
                model: Model::default(),
                rule: -1,
                sure: None,
            },
            exact: Default::default(),
            formulas: Default::default(),
            lists: Default::default(),
            places: [std::ptr::null_mut(); LISTS],
            forced,
        };
        for handle in &mut run.handles {
            handle.model.on_gpu = forced == Forced::Gpu;
        }
        run.arena.record = record;
        run
    }

    fn model(&self, handle: usize) -> &Model {
        &self.handles[handle].model
    }

    /// One call.
    fn step(&mut self, step: &Step) -> Checked {
        let h = step.handle;
        let is_question = matches!(
            step.call,
            Call::Quantity { .. }
                | Call::OfQueries { .. }
                | Call::Carry { .. }
                | Call::Order { .. }
                | Call::Counter { .. }
                | Call::Timing { .. }
                | Call::Info { .. }
        );
        let is_of_thread = matches!(
            step.call,
            Call::LastError { .. }
                | Call::CellCount { .. }
                | Call::CellFetch { .. }
                | Call::CellRelease
                | Call::DropIn { .. }
                | Call::DropInFetch { .. }
                | Call::DropInRule(_)
                | Call::DropInRelease
                | Call::Constants { .. }
                | Call::Reorder { .. }
                | Call::Sum { .. }
                | Call::Create { .. }
                | Call::ListView { .. }
                | Call::ListDestroy { .. }
        );
        let is_of_groups = matches!(step.call, Call::GroupsView { .. } | Call::GroupIds { .. });
        let stays = |view: &View| is_question || is_of_thread || is_of_groups && view.of_groups;
        self.handles[h].view = self.handles[h].view.take().filter(stays);
        self.take_step(h, &step.call)?;
        self.check_lists()?;
        if stays(&View {
            kept: Vec::new(),
            of_groups: true,
            list: None,
        }) {
            for kept in self
                .handles
                .iter()
                .filter_map(|handle| handle.view.as_ref())
                .flat_map(|view| &view.kept)
            {
                // SAFETY: the view is still valid.
                unsafe { kept.check()? };
            }
        }
        Ok(())
    }

    fn take_step(&mut self, h: usize, call: &Call) -> Checked {
        match call {
            Call::Renew => self.renew(h),
            Call::Create { abi, null } => self.create(*abi, *null),
            Call::Points { role, coords, null } => self.points(h, *role, coords, *null),
            Call::Count { what, null } => self.count(h, *what, *null),
            Call::Copy { what, capacity, nulls } => self.copy(h, *what, *capacity, *nulls),
            Call::View { what, nulls } => self.view(h, *what, *nulls),
            Call::Solve { .. } => self.solve(h, call),
            Call::PairFieldSet { .. } => self.set_pair_field(h, call),
            Call::PairFieldGet { .. } => self.get_pair_field(h, call),
            Call::Systems { .. } => self.systems(h, call),
            Call::Carry { .. } => self.carry(h, call),
            Call::Images { .. } => self.images(h, call),
            Call::Padded { .. } => self.padded(h, call),
            Call::Histogram { kind, shares, nulls } => self.histogram(h, *kind, shares, *nulls),
            Call::ByCutoffs { .. } => self.by_cutoffs(h, call),
            Call::Take { list, kind, null } => self.take(h, *list, *kind, *null),
            Call::ListView { list, nulls } => self.view_list(*list, *nulls),
            Call::ListDestroy { list } => {
                self.destroy_list(*list);
                Ok(())
            }
            Call::Verlet { kind, nulls } => self.verlet(h, *kind, *nulls),
            Call::ChunksBegin {
                kind,
                max_entries,
                null,
            } => self.chunks_begin(h, *kind, *max_entries, *null),
            Call::ChunksNext { pairs, nulls } => self.chunks_next(h, *pairs, *nulls),
            Call::Knn { .. } => self.knn(h, call),
            Call::Fof { view, off, nulls } => self.fof(h, *view, *off, *nulls),
            Call::Groups {
                min_size,
                properties,
                null,
            } => self.groups(h, *min_size, properties.as_ref(), *null),
            Call::GroupsView { sums, nulls } => self.groups_view(h, *sums, *nulls),
            Call::Quantity { .. } => self.quantity(h, call),
            Call::Order { off, null } => self.order(h, *off, *null),
            Call::Counter { counter, null } => self.counter(h, *counter, *null),
            Call::Timing { phase, null } => self.timing(h, *phase, *null),
            Call::Info { capacity, nulls } => self.info(h, *capacity, *nulls),
            Call::SkinUsed { null } => self.skin_used(h, *null),
            Call::LastError { capacity, nulls } => self.last_error(*capacity, *nulls),
            Call::Formula { .. } => self.make_formula(call),
            Call::FieldSet { .. } => self.set_field(h, call),
            Call::FormulaConstant { which, name, value } => self.set_constant(*which, *name, *value),
            Call::FormulaNumber { which, name, null } => self.get_number(*which, *name, *null),
            Call::FormulaTable { .. } => self.set_table(call),
            Call::Run { .. } => self.run_formula(h, call),
            Call::FieldGet { .. } => self.get_field(h, call),
            Call::CellCount { .. } => self.cell_count(call),
            Call::CellFetch {
                compact,
                capacity,
                nulls,
            } => self.cell_fetch(*compact, *capacity, *nulls),
            Call::CellRelease => {
                self.arena.calls("neargrid_celllist_release", |_| Vec::new());
                neargrid_celllist_release();
                self.of_thread.sure = None;
                Ok(())
            }
            Call::DropIn { .. } => self.drop_in(call),
            Call::DropInFetch { capacity, nulls } => self.fetch_drop_in(*capacity, *nulls),
            Call::DropInRule(rule) => self.set_rule_of_drop_in(*rule),
            Call::DropInRelease => self.release_drop_in(),
            Call::Constants { status } => constants(*status),
            Call::Copy32 { kind, capacity, nulls } => self.copy_32(h, *kind, *capacity, *nulls),
            Call::OfQueries {
                displacements,
                single,
                list,
                nulls,
            } => {
                let asked = (*displacements, Form::OfQueries);
                match single {
                    true => self.quantity_in::<f32>(h, asked, list, *nulls),
                    false => self.quantity_in::<f64>(h, asked, list, *nulls),
                }
            }
            Call::FofIds { off, nulls } => self.fof_by_ids(h, *off, *nulls),
            Call::GroupIds { capacity, nulls } => self.groups_by_ids(h, *capacity, *nulls),
            Call::PairFieldByIds { .. } => self.set_pair_field_by_ids(h, call),
            Call::ForRanks { which, nulls } => self.for_ranks(h, *which, *nulls),
            Call::Refuse { reason, text, null } => self.refuse(h, *reason, *text, *null),
            Call::Reorder { .. } => self.reorder(call),
            Call::Sum { which, act, null } => self.sum_exactly(*which, act, *null),
            setting => self.setting(h, setting),
        }
    }

    /// Whether the call succeeded, once its status is one that is right; outputs of one that failed were left alone, except for
    /// `need`, which says what was needed.
    fn judge<V>(&mut self, status: i32, want: Want<V>, need: Option<(&Out<i64>, i64)>) -> Result<Option<V>, String> {
        self.judge_need(status, want, need)
    }

    /// The same, with a need of any number of bits.
    fn judge_need<V, N: Number>(
        &mut self,
        status: i32,
        want: Want<V>,
        need: Option<(&Out<N>, N)>,
    ) -> Result<Option<V>, String> {
        self.arena.check_guards()?;
        if status == OK {
            return match want.answer {
                Some(answer) => Ok(Some(answer)),
                None => Err(format!("status OK, one of {:?} is right", want.statuses)),
            };
        }
        let text = text_of_last_error();
        if !want.statuses.contains(&status) {
            let right = if want.answer.is_some() {
                "OK, or one of"
            } else {
                "one of"
            };
            return Err(format!(
                "status {status} ({text}), {right} {:?} is right",
                want.statuses
            ));
        }
        if text.is_empty() {
            return Err(format!("status {status} without a text"));
        }
        let told = need.filter(|_| status == CAPACITY);
        self.arena
            .check_untouched(told.map_or(std::ptr::null(), |(out, _)| out.pointer.cast()))?;
        if let Some((out, need)) = told {
            same("the need", &out.values(), &[need])?;
        }
        Ok(None)
    }

    fn refuse_null(&self, checks: &mut Checks, h: usize, nulls: u8, pointers: u32) {
        checks.must(h == 2 || nulls & ((1 << pointers) - 1) as u8 != 0, NULL_POINTER);
    }

    fn work(&self, h: usize) -> Work {
        let counter = |counter| {
            let mut value = 0;
            if h < 2 {
                // SAFETY: a valid handle.
                unsafe { neargrid_search_counter(self.handles[h].raw.cast_const().cast(), counter, &mut value) };
            }
            value
        };
        Work {
            builds: counter(2),
            counts: counter(3),
            fills: counter(4),
            lists: counter(12),
        }
    }

    fn renew(&mut self, h: usize) -> Checked {
        self.arena.calls("neargrid_search_destroy", |_| vec![handle_value(h)]);
        if h < 2 {
            let place = || vec![Value::Integer(1), Value::Place(Object::Search(h))];
            self.arena.calls("neargrid_search_create", |_| place());
            self.arena.returned(OK, String::new);
        }
        let handle = &mut self.handles[h];
        // SAFETY: made by the library or NULL, and not used again.
        unsafe { neargrid_search_destroy(handle.raw.cast()) };
        if h < 2 {
            handle.raw = create();
        }
        let on_gpu = self.forced == Forced::Gpu;
        (handle.model, handle.last) = (
            Model {
                on_gpu,
                ..Model::default()
            },
            None,
        );
        Ok(())
    }

    fn create(&mut self, abi: i32, null: bool) -> Checked {
        let mut checks = Checks::default();
        checks.must(null, NULL_POINTER);
        checks.must(abi != 1, ABI_MISMATCH);
        let mut made: *mut c_void = std::ptr::dangling_mut();
        let out = if null { std::ptr::null_mut() } else { &raw mut made };
        // SAFETY: a place for a pointer, or NULL.
        let status = unsafe { neargrid_search_create(abi, out.cast()) };
        let is_made = self.judge(status, checks.answer(|| ()), None)?.is_some();
        if is_made {
            // SAFETY: just made.
            unsafe { neargrid_search_destroy(made.cast()) };
        } else if !null && !made.is_null() {
            return Err("a handle that was not made is not NULL".to_owned());
        }
        Ok(())
    }
}

/// The front of an array, and that nothing after it was touched.
fn same_front(what: &str, out: &Out<i32>, wanted: &[i32]) -> Checked {
    if out.pointer.is_null() {
        return Ok(());
    }
    same(what, &out.values()[..wanted.len()], wanted)?;
    out.is_untouched_from(wanted.len())
        .then_some(())
        .ok_or(format!("{what} behind the result was written"))
}

fn of_view<T: Number>(lent: &Lent<T>) -> In<T> {
    In { pointer: lent.lent() }
}

/// Offsets of `n` rows whose ids belong to the ascending rows of `first`; some that are none where a number is refused.
fn offsets_of(first: &[i32], n: usize, base: i64, count: i64) -> Vec<i64> {
    let mut offsets: Vec<i64> = (0..=n as i64)
        .map(|row| base + first.iter().filter(|&&i| i64::from(i) - base < row).count() as i64)
        .collect();
    if count != first.len() as i64 {
        offsets[0] = if count < 0 { base - 1 } else { base + 1 };
    }
    offsets
}

/// A handle as the record has it.
fn handle_value(handle: usize) -> Value {
    match handle {
        2 => Value::Null,
        _ => Value::Object(Object::Search(handle)),
    }
}

fn create() -> *mut c_void {
    let mut made: *mut c_void = std::ptr::null_mut();
    // SAFETY: a place for a pointer.
    let status = unsafe { neargrid_search_create(1, (&raw mut made).cast()) };
    assert_eq!(status, OK, "{}", text_of_last_error());
    made
}

/// The text of the last failure.
fn text_of_last_error() -> String {
    let (mut buffer, mut length) = (vec![0u8; 2000], 0);
    // SAFETY: a buffer of that many bytes.
    unsafe { neargrid_last_error(buffer.as_mut_ptr().cast(), buffer.len(), &mut length) };
    buffer.truncate(length.min(1999));
    String::from_utf8_lossy(&buffer).into_owned()
}
