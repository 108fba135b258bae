//! Runs a sequence of calls on the library and on the model, and compares every answer.

use std::ffi::c_void;

use neargrid::capi::{celllist::*, chunks::*, error::*, fof::*, groups::*, ids::*, knn::*, neighbors::*, order::*};
use neargrid::capi::{pairs::*, points::*, queries::*, radii::*, search::*, settings::*, skin::*};

use super::call::{Call, Capacity, Coords, Layout, List, Properties, Role, Step, What};
pub use super::memory::Program;
use super::memory::{Arena, Argument, In, Kept, Lent, Number, Out, same};
use super::model::*;

/// Which backend the environment forces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forced {
    #[default]
    None,
    Cpu,
    Gpu,
}

/// Where a sequence went wrong.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What failed, without numbers: shrinking keeps to it.
    pub what: String,
    pub text: String,
}

type Checked = Result<(), String>;

/// Runs `steps`; the program in C as far as it came, where it is wanted.
pub fn run(steps: &[Step], forced: Forced, program: Program) -> (Result<(), Failure>, String) {
    let mut run = Run::new(forced, program);
    let mut result = Ok(());
    for step in steps {
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
    (result, run.arena.program.take())
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
    /// Pairs (0-based) that its arrays hold, whether they are rows, and the arrays.
    list: Option<(Vec<(usize, usize)>, bool, In<i64>, In<i32>)>,
}

/// The query before, with nothing changed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    List { kind: Kind, pairs: bool, view: bool },
    Fof,
}

/// What a handle says it did.
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
    /// `None`: no result; not sure after a failure.
    sure: Option<bool>,
}

struct Run {
    arena: Arena,
    /// The last is NULL.
    handles: [Handle; 3],
    of_thread: OfThread,
    forced: Forced,
}

/// Calls a function, and has the program call it.
macro_rules! call {
    ($run:ident, $handle:expr, $name:ident($($argument:expr),*)) => {{
        let handle: usize = $handle;
        $run.arena.say(|| {
            let arguments: Vec<String> = vec![["s0", "s1", "NULL"][handle].to_owned(), $(Argument::text(&$argument)),*];
            format!("    status({}({}));", stringify!($name), arguments.join(", "))
        });
        let raw = $run.handles[handle].raw;
        // SAFETY: the handle is valid or NULL, the arrays are as long as the call wants them, or it is one that is refused.
        unsafe { $name(raw.cast(), $(Argument::raw(&$argument)),*) }
    }};
    ($run:ident, $name:ident($($argument:expr),*)) => {{
        $run.arena.say(|| {
            let arguments: Vec<String> = vec![$(Argument::text(&$argument)),*];
            format!("    status({}({}));", stringify!($name), arguments.join(", "))
        });
        // SAFETY: the arrays are as long as the call wants them, or it is one that is refused.
        unsafe { $name($(Argument::raw(&$argument)),*) }
    }};
}

impl Drop for Run {
    fn drop(&mut self) {
        for handle in &self.handles {
            // SAFETY: made by the library, and not used again.
            unsafe { neargrid_search_destroy(handle.raw.cast()) };
        }
        neargrid_celllist_release();
    }
}

impl Run {
    fn new(forced: Forced, program: Program) -> Run {
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
                sure: None,
            },
            forced,
        };
        for handle in &mut run.handles {
            handle.model.on_gpu = forced == Forced::Gpu;
        }
        run.arena.program = program;
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
            Call::Quantity { .. } | Call::Order { .. } | Call::Counter { .. } | Call::Timing { .. } | Call::Info { .. }
        );
        let is_of_thread = matches!(
            step.call,
            Call::LastError { .. }
                | Call::CellCount { .. }
                | Call::CellFetch { .. }
                | Call::CellRelease
                | Call::Create { .. }
        );
        let is_of_groups = matches!(step.call, Call::GroupsView { .. });
        let stays = |view: &View| is_question || is_of_thread || is_of_groups && view.of_groups;
        self.handles[h].view = self.handles[h].view.take().filter(stays);
        self.take_step(h, &step.call)?;
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
            Call::ChunksBegin {
                kind,
                max_entries,
                null,
            } => self.chunks_begin(h, *kind, *max_entries, *null),
            Call::ChunksNext { pairs, nulls } => self.chunks_next(h, *pairs, *nulls),
            Call::KnnRows { kind, null } => self.knn_rows(h, *kind, *null),
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
            Call::CellCount { .. } => self.cell_count(call),
            Call::CellFetch {
                compact,
                capacity,
                nulls,
            } => self.cell_fetch(*compact, *capacity, *nulls),
            Call::CellRelease => {
                self.arena.say(|| "    neargrid_celllist_release();".to_owned());
                neargrid_celllist_release();
                self.of_thread.sure = None;
                Ok(())
            }
            setting => self.setting(h, setting),
        }
    }

    /// Whether the call succeeded, once its status is one that is right; outputs of one that failed were left alone, but for
    /// `need`, which says what was needed.
    fn judge<V>(&mut self, status: i32, want: Want<V>, need: Option<(&Out<i64>, i64)>) -> Result<Option<V>, String> {
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

    // Handles.

    fn renew(&mut self, h: usize) -> Checked {
        self.arena.say(|| match h {
            2 => "    neargrid_search_destroy(NULL);".to_owned(),
            h => format!(
                "    neargrid_search_destroy(s{h});\n    status(neargrid_search_create(NEARGRID_ABI_VERSION, &s{h}));"
            ),
        });
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

    // Points.

    fn points(&mut self, h: usize, role: Role, coords: &Coords, null: bool) -> Checked {
        if coords.single {
            self.points_in::<f32>(h, role, coords, null)
        } else {
            self.points_in::<f64>(h, role, coords, null)
        }
    }

    fn points_in<T: Coordinate>(&mut self, h: usize, role: Role, coords: &Coords, null: bool) -> Checked {
        let mut checks = self.model(h).check_points(role, coords);
        self.refuse_null(&mut checks, h, u8::from(null && role == Role::Update), 1);
        let ([x, y, z], stride) = self.place::<T>(coords);
        let (dim, n) = (coords.dim, coords.n.unwrap_or(coords.len() as i64));
        let mut rebuilt = None;
        let status = match role {
            Role::Update => {
                let out = self.arena.write::<i32>(1, null);
                let status = T::update(self, h, (dim, n), [x, y, z], stride, &out);
                rebuilt = Some(out);
                status
            }
            _ => T::give(self, h, role, (dim, n), [x, y, z], stride),
        };
        let is_taken = self.judge(status, checks.answer(|| ()), None)?.is_some();
        if !is_taken {
            self.model_mut(h).doubt_list();
            return Ok(());
        }
        let handle = &mut self.handles[h];
        handle.last = None;
        let model = &mut handle.model;
        if role == Role::Update {
            return self.updated(h, coords, &rebuilt.map(|out| out.values()).unwrap_or_default());
        }
        let had_queries = !model.queries.is_empty();
        model.take_points(role, coords);
        match role {
            Role::Queries if !had_queries && model.queries.is_empty() => model.set_again(),
            Role::Queries => {
                model.changed_otherwise();
            }
            _ if role == Role::Add && coords.values.is_empty() => {
                model.set_again();
            }
            _ => model.changed(),
        }
        if model.list.is_none() {
            model.moved = None;
        }
        Ok(())
    }

    fn model_mut(&mut self, h: usize) -> &mut Model {
        &mut self.handles[h].model
    }

    /// After an update: whether the list must be made anew.
    fn updated(&mut self, h: usize, coords: &Coords, rebuilt: &[i32]) -> Checked {
        let model = &mut self.handles[h].model;
        let had_queries = model.nqueries() > 0;
        model.take_points(Role::Update, coords);
        let list = model.list.take();
        (model.chunks, model.groups, model.moved) = (None, None, None);
        let (mut allowed, mut share) = (vec![1], None);
        if let Some(promise) = &list
            && promise.value.single == model.single
            && promise.value.reference.len() == model.n()
            && promise.value.reference.first().map_or(coords.axes(), Vec::len) == coords.axes()
        {
            let (twice, cutoff) = (model.twice_moved(&promise.value), model.cutoff.unwrap_or(0.0));
            let lengths = model
                .domain
                .iter()
                .flat_map(|(_, length, _)| length)
                .fold(0.0, |a: f64, &b| a.max(b));
            let roundoff = if model.single { 6e-8 } else { 1.2e-16 };
            let slack = 1e-6 * model.skin + 64.0 * roundoff * (cutoff + model.skin + lengths);
            share = Some(twice / model.skin);
            allowed = match (twice > model.skin + slack, twice < model.skin - slack) {
                (true, _) => vec![1],
                (_, true) if promise.sure && !had_queries => vec![0],
                _ => vec![0, 1],
            };
        }
        let [rebuilt] = *rebuilt else {
            return Err("no rebuilt".to_owned());
        };
        if !allowed.contains(&rebuilt) {
            return Err(format!(
                "rebuilt = {rebuilt}, {allowed:?} is right, moved by {share:?} of the skin"
            ));
        }
        let model = &mut self.handles[h].model;
        model.moved = share;
        if rebuilt == 0 {
            model.list = list;
        }
        Ok(())
    }

    /// Puts coordinates into memory: where each axis begins, and the stride.
    fn place<T: Coordinate>(&mut self, coords: &Coords) -> ([In<T>; 3], i64) {
        let (axes, n, size) = (coords.axes(), coords.len(), size_of::<T>());
        let values: Vec<T> = coords.values.iter().map(|&x| T::of(x)).collect();
        let (mut bases, stride) = match coords.layout {
            Layout::Interleaved => {
                let all = self.arena.read(&values, false);
                let base = |axis: usize| In {
                    pointer: all.pointer.wrapping_add(axis),
                    text: format!("{} + {axis}", all.text),
                };
                ([0, 1, 2].map(base), axes * size)
            }
            Layout::Columns | Layout::Refused(_) => {
                let column = |axis: usize| values.iter().skip(axis).step_by(axes).copied().collect::<Vec<_>>();
                let columns: Vec<In<T>> = (0..axes).map(|axis| self.arena.read(&column(axis), false)).collect();
                let base = |axis: usize| columns.get(axis).cloned().unwrap_or(In::null());
                ([0, 1, 2].map(base), size)
            }
            Layout::Structures { gap, odd, back } => {
                let each = axes * size + gap;
                let mut bytes = vec![0xff; (n * each).saturating_sub(gap) + odd];
                let first = |i: usize| if back { n - 1 - i } else { i } * each;
                for (i, point) in values.chunks_exact(axes).enumerate() {
                    for (axis, value) in point.iter().enumerate() {
                        let at = first(i) + axis * size;
                        bytes[at..at + size].copy_from_slice(&value.bytes());
                    }
                }
                let all = self.arena.read(&bytes, false);
                let start = if n > 0 { first(0) } else { 0 };
                ([0, 1, 2].map(|axis| In::behind(&all, start + axis * size)), each)
            }
        };
        let stride = match coords.layout {
            Layout::Refused(stride) => stride,
            Layout::Structures { back: true, .. } => -(stride as i64),
            _ => stride as i64,
        };
        for (axis, base) in bases.iter_mut().enumerate() {
            if axis >= axes || coords.nulls >> axis & 1 == 1 {
                *base = In::null();
            }
        }
        (bases, stride)
    }

    // Settings.

    fn setting(&mut self, h: usize, call: &Call) -> Checked {
        let mut checks = Checks::default();
        let mut after = self.model(h).clone();
        let status = match call {
            Call::Cutoff(cutoff) => {
                checks.must(!(cutoff.is_finite() && *cutoff > 0.0), BAD_CUTOFF);
                after.cutoff = Some(*cutoff);
                after.changed();
                call!(self, h, neargrid_search_set_cutoff(*cutoff))
            }
            Call::Tie(rule) => {
                checks.must(!(0..=1).contains(rule), BAD_VALUE);
                after.exclusive = *rule == 1;
                (after.chunks, after.groups) = (None, None);
                after.doubt_list();
                call!(self, h, neargrid_search_set_tie_rule(*rule))
            }
            Call::Base(base) => {
                checks.must(!(0..=1).contains(base), BAD_VALUE);
                after.base = i64::from(*base);
                (after.chunks, after.groups) = (None, None);
                after.doubt_list();
                call!(self, h, neargrid_search_set_index_base(*base))
            }
            Call::Threads(threads) => {
                checks.must(!(0..=1024).contains(threads), BAD_VALUE);
                after.set_again();
                call!(self, h, neargrid_search_set_threads(*threads))
            }
            Call::Backend(backend) => {
                checks.must(!(0..=2).contains(backend), BAD_VALUE);
                after.on_gpu = self.forced == Forced::Gpu || self.forced == Forced::None && *backend == 2;
                after.set_again();
                call!(self, h, neargrid_search_set_backend(*backend))
            }
            Call::Device(device) => {
                checks.must(*device < -1, BAD_VALUE);
                after.set_again();
                call!(self, h, neargrid_search_set_device(*device))
            }
            Call::DeviceTurn(turn) => {
                checks.must(*turn < 0, BAD_VALUE);
                after.set_again();
                call!(self, h, neargrid_search_set_device_turn(*turn))
            }
            Call::Limit(bytes) => {
                checks.must(*bytes < 0, BAD_COUNT);
                after.limit = *bytes as u64;
                after.changed_otherwise();
                call!(self, h, neargrid_search_set_memory_limit(*bytes))
            }
            Call::Skin(skin) => {
                checks.must(!(skin.is_finite() && *skin >= 0.0), BAD_VALUE);
                after.skin = *skin;
                after.changed_lists();
                call!(self, h, neargrid_search_set_skin(*skin))
            }
            Call::Box { .. } => self.set_box(h, call, &mut checks, &mut after),
            Call::Domain => {
                checks.must(true, NOT_SUPPORTED);
                let null = In::<f64>::null();
                call!(self, h, neargrid_search_set_domain(3, null, null, In::<i32>::null()))
            }
            Call::Active(active) => {
                checks.must(!(-1..=MAX_POINTS).contains(active), BAD_COUNT);
                after.active = Some(*active).filter(|&active| active >= 0);
                after.changed_lists();
                call!(self, h, neargrid_search_set_active(*active))
            }
            Call::GhostPairs(which) => {
                checks.must(!(0..=1).contains(which), BAD_VALUE);
                after.larger_ids = *which == 1;
                after.changed_lists();
                call!(self, h, neargrid_search_set_ghost_pairs(*which))
            }
            Call::Types { .. } => self.set_types(h, call, &mut checks, &mut after),
            Call::Primary { ntypes, flags, null } => {
                checks.must(!(0..=32).contains(ntypes), BAD_COUNT);
                checks.must(*null && *ntypes > 0, NULL_POINTER);
                checks.must(flags.iter().any(|flag| !(0..=1).contains(flag)), BAD_VALUE);
                after.primary = (*ntypes > 0).then(|| flags.iter().map(|&flag| flag == 1).collect());
                (after.chunks, after.groups) = (None, None);
                after.doubt_list();
                let flags = self.arena.read(flags, *null);
                call!(self, h, neargrid_search_set_primary_types(*ntypes, flags))
            }
            Call::Ids { n, ids, null } => {
                checks.must(n.is_some(), BAD_COUNT);
                checks.must(*null && !ids.is_empty(), NULL_POINTER);
                let mut sorted = ids.clone();
                sorted.sort_unstable();
                checks.must(sorted.windows(2).any(|two| two[0] == two[1]), BAD_VALUE);
                after.ids.clone_from(ids);
                after.changed();
                let given = self.arena.read(ids, *null);
                call!(self, h, neargrid_search_set_ids(n.unwrap_or(ids.len() as i64), given))
            }
            Call::Radii { .. } | Call::QueryRadii { .. } => self.set_radii(h, call, &mut checks, &mut after),
            Call::ClearRadii => {
                (after.radii, after.query_radii) = (None, None);
                after.changed_lists();
                call!(self, h, neargrid_search_clear_radii())
            }
            _ => {
                after.chunks = None;
                after.doubt_groups();
                after.doubt_list();
                call!(self, h, neargrid_search_trim())
            }
        };
        checks.must(h == 2, NULL_POINTER);
        if self.judge(status, checks.answer(|| ()), None)?.is_none() {
            return Ok(());
        }
        let before = std::mem::take(&mut self.handles[h].model);
        let is_same = !matches!(call, Call::Trim) && before.is_told_as(&after);
        self.handles[h].model = if is_same { before } else { after };
        if is_same {
            self.model_mut(h).set_again();
        }
        self.handles[h].last = None;
        if matches!(call, Call::Box { .. }) {
            self.ask_whether_points_stayed(h)?;
        }
        Ok(())
    }

    fn set_box(&mut self, h: usize, call: &Call, checks: &mut Checks, after: &mut Model) -> i32 {
        let Call::Box {
            dim,
            lo,
            length,
            periodic,
            nulls,
        } = call
        else {
            return -1;
        };
        checks.must(!(1..=3).contains(dim), BAD_DIM);
        checks.must(nulls & 7 != 0, NULL_POINTER);
        checks.must(periodic.iter().any(|flag| !(0..=1).contains(flag)), BAD_VALUE);
        let is_length = |length: &f64| length.is_finite() && *length > 0.0;
        checks.must(
            !lo.iter().all(|lo| lo.is_finite()) || !length.iter().all(is_length),
            BAD_DOMAIN,
        );
        let flags: Vec<bool> = periodic.iter().map(|&flag| flag == 1).collect();
        let axes = lo.iter().zip(length).zip(&flags);
        let mut repeated = axes.filter(|(_, repeats)| **repeats).map(|(ends, _)| ends);
        checks.must(
            !repeated.all(|(&lo, &length)| can_repeat(false, lo, length)),
            BAD_DOMAIN,
        );
        after.domain = Some((lo.clone(), length.clone(), flags));
        let axes = |domain: &Option<(Vec<f64>, Vec<f64>, Vec<bool>)>| {
            let mut axes = Vec::new();
            for (lo, length, flags) in domain.iter() {
                axes.extend((0..flags.len()).filter(|&a| flags[a]).map(|a| (a, lo[a], length[a])));
            }
            axes
        };
        if axes(&after.domain) == axes(&self.model(h).domain) {
            // Nobody said whether a box of another dim with the same periodic axes forgets points.
            after.set_again();
        } else {
            (after.dim, after.points, after.queries) = (None, Vec::new(), Vec::new());
            after.changed();
            after.moved = None;
        }
        let (lo, length) = (
            self.arena.read(lo, nulls & 1 != 0),
            self.arena.read(length, nulls & 2 != 0),
        );
        let periodic = self.arena.read(periodic, nulls & 4 != 0);
        call!(self, h, neargrid_search_set_box(*dim, lo, length, periodic))
    }

    /// Where the model is not sure that a box left the points alone, it asks.
    fn ask_whether_points_stayed(&mut self, h: usize) -> Checked {
        let mut dim = 0;
        // SAFETY: a valid handle.
        unsafe { neargrid_search_counter(self.handles[h].raw.cast_const().cast(), 11, &mut dim) };
        let model = &mut self.handles[h].model;
        let boxed = model.domain.as_ref().map(|(lo, ..)| lo.len());
        if dim == 0 && model.dim.is_some() && model.is_periodic() && boxed != model.dim {
            (model.dim, model.points, model.queries) = (None, Vec::new(), Vec::new());
            model.changed();
            model.moved = None;
        }
        same(
            "dim of the points after set_box",
            &[dim],
            &[self.model(h).dim.unwrap_or(0) as i64],
        )
    }

    fn set_types(&mut self, h: usize, call: &Call, checks: &mut Checks, after: &mut Model) -> i32 {
        let Call::Types {
            n,
            types,
            ntypes,
            mask,
            nulls,
        } = call
        else {
            return -1;
        };
        let base = self.model(h).base;
        checks.must(n.is_some(), BAD_COUNT);
        if !types.is_empty() {
            let count = *ntypes as usize;
            checks.must(!(1..=32).contains(ntypes), BAD_COUNT);
            checks.must(nulls & 3 != 0, NULL_POINTER);
            checks.must(mask.iter().any(|flag| !(0..=1).contains(flag)), BAD_VALUE);
            if (1..=32).contains(ntypes) {
                let is_symmetric = (0..count).all(|a| (0..a).all(|b| mask[a * count + b] == mask[b * count + a]));
                checks.must(!is_symmetric, BAD_VALUE);
                checks.must(
                    types
                        .iter()
                        .any(|&t| !(base..base + count as i64).contains(&i64::from(t))),
                    BAD_VALUE,
                );
            }
        }
        let numbers = types.iter().map(|&t| (i64::from(t) - base) as usize).collect();
        let flags = mask.iter().map(|&flag| flag == 1).collect();
        after.types = (!types.is_empty()).then_some((numbers, *ntypes as usize, flags));
        if after.primary.is_some() {
            after.changed();
        } else {
            after.changed_lists();
        }
        let given = self.arena.read(types, nulls & 1 != 0);
        let mask = self.arena.read(mask, nulls & 2 != 0);
        call!(
            self,
            h,
            neargrid_search_set_types(n.unwrap_or(types.len() as i64), given, *ntypes, mask)
        )
    }

    fn set_radii(&mut self, h: usize, call: &Call, checks: &mut Checks, after: &mut Model) -> i32 {
        let (single, n, radii, rule, null) = match call {
            Call::Radii {
                single,
                n,
                radii,
                rule,
                null,
            } => (*single, n, radii, Some(*rule), *null),
            Call::QueryRadii { single, n, radii, null } => (*single, n, radii, None, *null),
            _ => return -1,
        };
        checks.must(n.is_some(), BAD_COUNT);
        checks.must(null && !radii.is_empty(), NULL_POINTER);
        checks.must(radii.iter().any(|&r| !is_radius(single, r)), BAD_RADIUS);
        checks.must(rule.is_some_and(|rule| !(0..=4).contains(&rule)), BAD_VALUE);
        let numbers: Vec<f64> = radii.iter().map(|&r| rounded(single, r)).collect();
        let count = n.unwrap_or(radii.len() as i64);
        match rule {
            Some(rule) => {
                after.radii = Some((single, numbers, rule));
                after.changed_lists();
            }
            None => {
                after.query_radii = Some((single, numbers));
                after.changed_otherwise();
            }
        }
        if single {
            let radii: Vec<f32> = radii.iter().map(|&r| r as f32).collect();
            let radii = self.arena.read(&radii, null);
            match rule {
                Some(rule) => call!(self, h, neargrid_search_set_radii_f32(count, radii, rule)),
                None => call!(self, h, neargrid_search_set_query_radii_f32(count, radii)),
            }
        } else {
            let radii = self.arena.read(radii, null);
            match rule {
                Some(rule) => call!(self, h, neargrid_search_set_radii_f64(count, radii, rule)),
                None => call!(self, h, neargrid_search_set_query_radii_f64(count, radii)),
            }
        }
    }

    // Lists.

    fn check_list(&self, h: usize, what: What) -> Checks {
        let mut checks = Checks::default();
        let kind = self.model(h).kind(what);
        checks.must(kind.is_none(), BAD_VALUE);
        self.model(h)
            .check_search(&mut checks, kind.unwrap_or(Kind::Full), false);
        checks
    }

    /// After a query: what it did, and what it ended.
    fn asked(&mut self, h: usize, status: i32, what: What, view: bool, before: Work) -> Checked {
        let Some(kind) = self.model(h).kind(what).filter(|_| h < 2) else {
            return Ok(());
        };
        let now = self.work(h);
        let asked = Asked::List {
            kind,
            pairs: what == What::Pairs,
            view,
        };
        let handle = &mut self.handles[h];
        if status != OK && status != CAPACITY {
            handle.model.doubt_chunks();
            handle.model.doubt_list();
            handle.last = None;
            if now.lists > before.lists {
                let value = SkinList {
                    kind,
                    reference: handle.model.held(),
                    single: handle.model.single,
                };
                handle.model.list = Some(Promise { value, sure: false });
            }
            return Ok(());
        }
        handle.model.chunks = None;
        let last = handle.last.replace(asked);
        if let Some(Asked::List { kind: last_kind, .. }) = last
            && last_kind == kind
        {
            if (before.builds, before.counts, before.lists) != (now.builds, now.counts, now.lists) {
                return Err(format!(
                    "asked again without a change, it searched again: {before:?} before, {now:?} now"
                ));
            }
            if view && last == Some(asked) && before.fills != now.fills {
                return Err(format!(
                    "asked again without a change, it filled again: {before:?} before, {now:?} now"
                ));
            }
        }
        if handle.model.skin > 0.0 && handle.model.radii.is_none() && kind != Kind::Queries {
            let made = now.lists - before.lists;
            let serves = |list: &Promise<SkinList>| {
                list.value.kind == kind || list.value.kind == Kind::Full && kind == Kind::Half
            };
            if let Some(list) = handle.model.list.as_ref().filter(|list| serves(list))
                && made > 0
                && list.sure
            {
                return Err("a list with a skin was made anew though nothing changed".to_owned());
            }
            if made > 0 {
                let value = SkinList {
                    kind,
                    reference: handle.model.held(),
                    single: handle.model.single,
                };
                handle.model.list = Some(Promise { value, sure: true });
                handle.model.moved = Some(0.0);
            }
        } else if now.lists != before.lists {
            return Err("a list with a skin was made without a skin".to_owned());
        }
        Ok(())
    }

    fn count(&mut self, h: usize, what: What, null: bool) -> Checked {
        let mut checks = self.check_list(h, what);
        self.refuse_null(&mut checks, h, null.into(), 1);
        let want = {
            let model = self.model(h);
            checks.answer(|| {
                model
                    .rows(model.kind(what).unwrap_or(Kind::Half))
                    .iter()
                    .map(Vec::len)
                    .sum::<usize>()
            })
        };
        let total = self.arena.write::<i64>(1, null);
        let before = self.work(h);
        let status = match what {
            What::Pairs => call!(self, h, neargrid_pairs_count(total)),
            What::Queries => call!(self, h, neargrid_queries_count(total)),
            What::Rows(kind) => call!(self, h, neargrid_neighbors_count(kind, total)),
        };
        if let Some(count) = self.judge(status, want, None)? {
            same("the count", &total.values(), &[count as i64])?;
            self.check_entries(h, count)?;
        }
        self.asked(h, status, what, false, before)
    }

    fn check_entries(&self, h: usize, entries: usize) -> Checked {
        let mut value = 0;
        // SAFETY: a valid handle.
        unsafe { neargrid_search_counter(self.handles[h].raw.cast_const().cast(), 1, &mut value) };
        same("the counter of entries", &[value], &[entries as i64])
    }

    fn copy(&mut self, h: usize, what: What, capacity: Capacity, nulls: u8) -> Checked {
        let mut checks = self.check_list(h, what);
        let is_pairs = what == What::Pairs;
        let rows = match checks.is_refused() {
            true => Vec::new(),
            false => self.model(h).rows(self.model(h).kind(what).unwrap_or(Kind::Half)),
        };
        let need = rows.iter().map(Vec::len).sum::<usize>() as i64;
        let capacity = match capacity {
            Capacity::More(more) => need + more,
            Capacity::Less(less) => (need - less).max(0),
            Capacity::Is(capacity) => capacity,
        };
        checks.must(capacity < 0, BAD_COUNT);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        checks.must(h == 2 || is_null(0), NULL_POINTER);
        let [first, second] = [1, 2].map(is_null);
        checks.must(
            second && capacity > 0 || first && (capacity > 0 || !is_pairs),
            NULL_POINTER,
        );
        checks.must(capacity < need && !checks.is_refused(), CAPACITY);
        let room = capacity.max(0) as usize;
        let total = self.arena.write::<i64>(1, is_null(0));
        let before = self.work(h);
        let model = self.model(h);
        let order: Vec<usize> = match is_pairs {
            true => model.by_rank(Kind::Half),
            false => (0..rows.len()).collect(),
        };
        if is_pairs {
            let pairs = if rows.is_empty() {
                [Vec::new(), Vec::new()]
            } else {
                model.pairs_of(&rows, &order)
            };
            let [i, j] = [first, second].map(|null| self.arena.write::<i32>(room, null));
            let status = call!(self, h, neargrid_pairs_copy(capacity, total, i, j));
            if let Some([wanted_i, wanted_j]) = self.judge(status, checks.answer(|| pairs), Some((&total, need)))? {
                same("the number of pairs", &total.values(), &[need])?;
                same_front("pair_i", &i, &wanted_i)?;
                same_front("pair_j", &j, &wanted_j)?;
                self.check_entries(h, need as usize)?;
            }
            return self.asked(h, status, what, false, before);
        }
        let wanted = model.csr_of(&rows, &order);
        // Of a call that is refused nobody knows how many rows there are.
        let offsets = self.arena.write::<i64>(rows.len() + 1, first);
        let ids = self.arena.write::<i32>(room, second);
        let status = match what {
            What::Rows(kind) => call!(self, h, neargrid_neighbors_copy(kind, capacity, total, offsets, ids)),
            _ => call!(self, h, neargrid_queries_copy(capacity, total, offsets, ids)),
        };
        if let Some((wanted_offsets, wanted_ids)) =
            self.judge(status, checks.answer(|| wanted), Some((&total, need)))?
        {
            same("the number of ids", &total.values(), &[need])?;
            same("offsets", &offsets.values(), &wanted_offsets)?;
            same_front("ids", &ids, &wanted_ids)?;
            self.check_entries(h, need as usize)?;
        }
        self.asked(h, status, what, false, before)
    }

    fn view(&mut self, h: usize, what: What, nulls: u8) -> Checked {
        let mut checks = self.check_list(h, what);
        let is_pairs = what == What::Pairs;
        self.refuse_null(&mut checks, h, nulls, if is_pairs { 3 } else { 4 });
        let rows = match checks.is_refused() {
            true => Vec::new(),
            false => self.model(h).rows(self.model(h).kind(what).unwrap_or(Kind::Half)),
        };
        let entries = rows.iter().map(Vec::len).sum::<usize>();
        self.model(h).check_limit(&mut checks, rows.len(), entries, is_pairs);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        let before = self.work(h);
        let total = self.arena.write::<i64>(1, is_null(0));
        let n = if is_pairs {
            None
        } else {
            Some(self.arena.write::<i64>(1, is_null(3)))
        };
        let order: Vec<usize> = match is_pairs {
            true if !rows.is_empty() => self.model(h).by_rank(Kind::Half),
            _ => (0..rows.len()).collect(),
        };
        let ids = self.arena.lend::<i32>(is_null(1));
        let Some(n) = n else {
            let left = self.arena.lend::<i32>(is_null(2));
            let status = call!(self, h, neargrid_pairs_view(total, left, ids));
            let wanted = self.model(h).pairs_of(&rows, &order);
            if let Some([wanted_i, wanted_j]) = self.judge(status, checks.answer(|| wanted), None)? {
                same("the number of pairs", &total.values(), &[entries as i64])?;
                // SAFETY: just lent, and as many as was told.
                let [i, j] = unsafe { [left.values(entries), ids.values(entries)] };
                same("pair_i", &i, &wanted_i)?;
                same("pair_j", &j, &wanted_j)?;
                let pairs = order
                    .iter()
                    .flat_map(|&i| rows[i].iter().map(move |&j| (i, j)))
                    .collect();
                let kept = vec![
                    Kept::new("pair_i", left.lent(), &i),
                    Kept::new("pair_j", ids.lent(), &j),
                ];
                let columns = (
                    In {
                        pointer: left.lent().cast(),
                        text: left.text[1..].to_owned(),
                    },
                    of_view(&ids),
                );
                let list = Some((pairs, false, columns.0, columns.1));
                self.handles[h].view = Some(View {
                    kept,
                    of_groups: false,
                    list,
                });
            }
            return self.asked(h, status, what, true, before);
        };
        let offsets = self.arena.lend::<i64>(is_null(2));
        let status = match what {
            What::Rows(kind) => call!(self, h, neargrid_neighbors_view(kind, n, total, offsets, ids)),
            _ => call!(self, h, neargrid_queries_view(n, total, offsets, ids)),
        };
        let wanted = self.model(h).csr_of(&rows, &order);
        if let Some((wanted_offsets, wanted_ids)) = self.judge(status, checks.answer(|| wanted), None)? {
            same("the number of rows", &n.values(), &[rows.len() as i64])?;
            same("the number of ids", &total.values(), &[entries as i64])?;
            // SAFETY: just lent, and as many as was told.
            let (found, j) = unsafe { (offsets.values(rows.len() + 1), ids.values(entries)) };
            same("offsets", &found, &wanted_offsets)?;
            same("ids", &j, &wanted_ids)?;
            let pairs = order
                .iter()
                .flat_map(|&i| rows[i].iter().map(move |&j| (i, j)))
                .collect();
            let kept = vec![
                Kept::new("offsets", offsets.lent(), &found),
                Kept::new("ids", ids.lent(), &j),
            ];
            let list = (what != What::Queries).then(|| (pairs, true, of_view(&offsets), of_view(&ids)));
            self.handles[h].view = Some(View {
                kept,
                of_groups: false,
                list,
            });
        }
        self.asked(h, status, what, true, before)
    }

    // Chunks.

    fn chunks_begin(&mut self, h: usize, kind: i32, max_entries: i64, null: bool) -> Checked {
        let mut checks = Checks::default();
        self.refuse_null(&mut checks, h, null.into(), 1);
        let asked = kind_of(kind);
        checks.must(asked.is_none(), BAD_VALUE);
        checks.must(max_entries < 1, BAD_COUNT);
        let asked = asked.unwrap_or(Kind::Full);
        let model = self.model(h);
        model.check_search(&mut checks, asked, true);
        let rows = if checks.is_refused() {
            Vec::new()
        } else {
            model.rows(asked)
        };
        let longest = rows.iter().map(Vec::len).max().unwrap_or(0) as i64;
        checks.must(longest > max_entries && !checks.is_refused(), CAPACITY);
        if model.limit > 0 {
            let everyone = (model.n() + model.nqueries()) as u64;
            let chunk = (max_entries.max(0) as u64).min(everyone * everyone);
            checks.may(model.limit < 64 * (chunk + everyone) + (1 << 16), MEMORY_LIMIT);
        }
        let total = rows.iter().map(Vec::len).sum::<usize>() as i64;
        let out = self.arena.write::<i64>(1, null);
        let status = call!(self, h, neargrid_chunks_begin(kind, max_entries, out));
        let is_begun = self.judge(status, checks.answer(|| ()), None)?.is_some();
        let handle = &mut self.handles[h];
        if is_begun {
            same("the entries of all chunks", &out.values(), &[total])?;
            let by_rank = handle.model.by_rank(asked);
            let value = Chunks {
                rows,
                by_rank,
                max_entries,
                next: 0,
                pairs: None,
                over: false,
            };
            handle.model.chunks = Some(Promise { value, sure: true });
            handle.last = None;
        } else if [CAPACITY, MEMORY_LIMIT, NOT_SUPPORTED].contains(&status) {
            handle.model.doubt_chunks();
            handle.last = None;
        }
        Ok(())
    }

    fn chunks_next(&mut self, h: usize, pairs: bool, nulls: u8) -> Checked {
        let mut checks = Checks::default();
        self.refuse_null(&mut checks, h, nulls, if pairs { 3 } else { 4 });
        let model = self.model(h);
        let chunks = model.chunks.clone();
        checks.must(chunks.is_none(), BAD_STATE);
        let (mut rows, mut over, mut by_rank) = (Vec::new(), false, false);
        if let Some(Promise { value, sure }) = &chunks {
            checks.may(!sure || value.over, BAD_STATE);
            let is_other = value.pairs.is_some_and(|before| before != pairs);
            checks.must(
                is_other && !value.is_one_order() && value.next < value.rows.len(),
                BAD_STATE,
            );
            checks.may(is_other && !model.ids.is_empty(), BAD_STATE);
            by_rank = !value.is_one_order() && value.pairs.unwrap_or(pairs);
            rows = value.next_rows(by_rank);
            over = rows.is_empty() || pairs && rows.iter().all(|&row| value.rows[row].is_empty());
        }
        let all = chunks.as_ref().map_or(&[][..], |chunks| &chunks.value.rows[..]);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        let count = self.arena.write::<i64>(1, is_null(0));
        let ids = self.arena.lend::<i32>(is_null(1));
        let mut kept = Vec::new();
        let status;
        let is_given;
        let entries = rows.iter().map(|&row| all[row].len()).sum::<usize>();
        if pairs {
            let left = self.arena.lend::<i32>(is_null(2));
            status = call!(self, h, neargrid_chunks_next_pairs(count, left, ids));
            let [wanted_i, wanted_j] = self.model(h).pairs_of(all, &rows);
            is_given = self.judge(status, checks.answer(|| ()), None)?.is_some();
            if is_given {
                same("the number of pairs", &count.values(), &[entries as i64])?;
                if over {
                    let are_null = left.lent().is_null() && ids.lent().is_null();
                    are_null
                        .then_some(())
                        .ok_or("behind the last chunk arrays are not NULL")?;
                } else {
                    // SAFETY: just lent, and as many as was told.
                    let [i, j] = unsafe { [left.values(entries), ids.values(entries)] };
                    same("pair_i", &i, &wanted_i)?;
                    same("pair_j", &j, &wanted_j)?;
                    kept = vec![
                        Kept::new("pair_i", left.lent(), &i),
                        Kept::new("pair_j", ids.lent(), &j),
                    ];
                }
            }
        } else {
            let first_row = self.arena.write::<i64>(1, is_null(3));
            let offsets = self.arena.lend::<i64>(is_null(2));
            status = call!(self, h, neargrid_chunks_next(first_row, count, offsets, ids));
            let (wanted_offsets, wanted_ids) = self.model(h).csr_of(all, &rows);
            is_given = self.judge(status, checks.answer(|| ()), None)?.is_some();
            if is_given {
                same("the number of rows", &count.values(), &[rows.len() as i64])?;
                if over {
                    let are_null = offsets.lent().is_null() && ids.lent().is_null();
                    are_null
                        .then_some(())
                        .ok_or("behind the last chunk arrays are not NULL")?;
                    first_row
                        .is_untouched_from(0)
                        .then_some(())
                        .ok_or("behind the last chunk first_row was written")?;
                } else {
                    same(
                        "the first row",
                        &first_row.values(),
                        &[i64::from(self.model(h).number(rows[0]))],
                    )?;
                    // SAFETY: just lent, and as many as was told.
                    let (o, j) = unsafe { (offsets.values(rows.len() + 1), ids.values(entries)) };
                    same("offsets", &o, &wanted_offsets)?;
                    same("ids", &j, &wanted_ids)?;
                    kept = vec![
                        Kept::new("offsets", offsets.lent(), &o),
                        Kept::new("ids", ids.lent(), &j),
                    ];
                }
            }
        }
        let handle = &mut self.handles[h];
        handle.last = None;
        if let Some(promise) = &mut handle.model.chunks {
            if is_given {
                promise.sure = true;
                let chunks = &mut promise.value;
                chunks.next += rows.len();
                chunks.pairs = chunks.pairs.or(Some(pairs));
                chunks.over = over;
                handle.view = Some(View {
                    kept,
                    of_groups: false,
                    list: None,
                });
            } else if status == BAD_STATE && !by_rank && promise.value.is_one_order() {
                handle.model.chunks = None;
            } else {
                promise.sure = false;
            }
        }
        Ok(())
    }

    // The k nearest.

    fn knn_rows(&mut self, h: usize, kind: i32, null: bool) -> Checked {
        let mut checks = Checks::default();
        self.refuse_null(&mut checks, h, null.into(), 1);
        checks.must(!(0..=2).contains(&kind), BAD_VALUE);
        let model = self.model(h);
        checks.must(model.dim.is_none(), BAD_STATE);
        let too_many = model.active.is_some_and(|active| active > model.n() as i64);
        checks.must(too_many && kind != 2, BAD_COUNT);
        checks.may(too_many, BAD_COUNT);
        let want = checks.answer(|| model.knn_rows(kind) as i64);
        let n = self.arena.write::<i64>(1, null);
        let status = call!(self, h, neargrid_knn_rows(kind, n));
        match self.judge(status, want, None)? {
            Some(rows) => same("the number of rows", &n.values(), &[rows]),
            None => Ok(()),
        }
    }

    fn knn(&mut self, h: usize, call: &Call) -> Checked {
        match call {
            Call::Knn { single: true, .. } => self.knn_in::<f32>(h, call),
            _ => self.knn_in::<f64>(h, call),
        }
    }

    fn knn_in<T: Coordinate>(&mut self, h: usize, call: &Call) -> Checked {
        let &Call::Knn {
            single,
            view,
            kind,
            k,
            measure,
            off,
            nulls,
        } = call
        else {
            return Ok(());
        };
        let mut checks = Checks::default();
        let model = self.model(h);
        checks.must(!(0..=2).contains(&kind), BAD_VALUE);
        checks.must(!(0..=1).contains(&measure), BAD_VALUE);
        checks.must(!(1..=1024).contains(&k), BAD_COUNT);
        checks.must(model.dim.is_none(), BAD_STATE);
        checks.must(single != model.single, BAD_VALUE);
        let too_many = model.active.is_some_and(|active| active > model.n() as i64);
        checks.must(too_many && kind != 2, BAD_COUNT);
        checks.may(too_many, BAD_COUNT);
        checks.must(!model.ids.is_empty() && model.ids.len() != model.n(), BAD_COUNT);
        let rows = if checks.is_refused() { 1 } else { model.knn_rows(kind) };
        checks.must(model.on_gpu && !model.ids.is_sorted() && rows > 0, NOT_SUPPORTED);
        checks.may(model.on_gpu, NOT_SUPPORTED);
        let elements = rows * k.clamp(0, 1024) as usize;
        checks.may(
            model.limit > 0 && model.limit < 64 * (elements + model.n()) as u64 + (1 << 20),
            MEMORY_LIMIT,
        );
        let is_null = |k: u32| nulls >> k & 1 != 0;
        checks.must(h == 2, NULL_POINTER);
        if view {
            checks.must(nulls & 15 != 0, NULL_POINTER);
        } else {
            checks.must(off != 0, BAD_COUNT);
            checks.must(is_null(0) && elements > 0, NULL_POINTER);
        }
        let want = {
            let model = self.model(h);
            checks.answer(|| model.knn(kind, k as usize, measure))
        };
        let (mut kept, mut is_found) = (Vec::new(), false);
        if view {
            let n = self.arena.write::<i64>(1, is_null(3));
            let (ids, distances) = (self.arena.lend::<i32>(is_null(0)), self.arena.lend::<T>(is_null(1)));
            let counts = self.arena.lend::<i32>(is_null(2));
            let status = T::knn_view(self, h, (kind, k, measure), &n, (&ids, &distances, &counts));
            if let Some((wanted_ids, wanted, wanted_counts)) = self.judge(status, want, None)? {
                is_found = true;
                same("the number of rows", &n.values(), &[rows as i64])?;
                // SAFETY: just lent, and as many as was told.
                let (i, d, c) = unsafe { (ids.values(elements), distances.values(elements), counts.values(rows)) };
                same("counts", &c, &wanted_counts)?;
                same("ids", &i, &wanted_ids)?;
                same("distances", &d, &T::all(&wanted))?;
                kept = vec![
                    Kept::new("ids", ids.lent(), &i),
                    Kept::new("distances", distances.lent(), &d),
                ];
                kept.push(Kept::new("counts", counts.lent(), &c));
            }
        } else {
            let ids = self.arena.write::<i32>(elements, is_null(0));
            let (distances, counts) = (
                self.arena.write::<T>(elements, is_null(1)),
                self.arena.write::<i32>(rows, is_null(2)),
            );
            let n = rows as i64 + off;
            let status = T::knn_copy(self, h, (kind, k, measure), n, (&ids, &distances, &counts));
            if let Some((wanted_ids, wanted, wanted_counts)) = self.judge(status, want, None)? {
                is_found = true;
                if !is_null(2) {
                    same("counts", &counts.values(), &wanted_counts)?;
                }
                if !is_null(0) {
                    same("ids", &ids.values(), &wanted_ids)?;
                }
                if !is_null(1) {
                    same("distances", &distances.values(), &T::all(&wanted))?;
                }
            }
        }
        let handle = &mut self.handles[h];
        handle.last = None;
        if is_found {
            handle.model.chunks = None;
            handle.view = view.then_some(View {
                kept,
                of_groups: false,
                list: None,
            });
        } else {
            handle.model.doubt_chunks();
        }
        Ok(())
    }

    // Groups.

    fn fof(&mut self, h: usize, view: bool, off: i64, nulls: u8) -> Checked {
        let mut checks = Checks::default();
        let model = self.model(h);
        model.check_groups(&mut checks);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        checks.must(h == 2 || is_null(0), NULL_POINTER);
        let n = model.n();
        if view {
            checks.must(nulls & 7 != 0, NULL_POINTER);
        } else {
            checks.must(off != 0, BAD_COUNT);
            checks.must(is_null(1) && n > 0, NULL_POINTER);
        }
        let want = checks.answer(|| {
            let labels = model.groups();
            let groups = (0..n).filter(|&i| labels[i] == i).count() as i64;
            (labels.iter().map(|&i| model.number(i)).collect::<Vec<_>>(), groups)
        });
        let before = self.work(h);
        let ngroups = self.arena.write::<i64>(1, is_null(0));
        if !view {
            let labels = self.arena.write::<i32>(n, is_null(1));
            let status = call!(self, h, neargrid_fof_copy(n as i64 + off, labels, ngroups));
            if let Some((wanted, groups)) = self.judge(status, want, None)? {
                same("the number of groups", &ngroups.values(), &[groups])?;
                if !is_null(1) {
                    same("labels", &labels.values(), &wanted)?;
                }
            }
            self.handles[h].last = None;
            self.model_mut(h).doubt_chunks();
            return Ok(());
        }
        let count = self.arena.write::<i64>(1, is_null(2));
        let labels = self.arena.lend::<i32>(is_null(1));
        let status = call!(self, h, neargrid_fof_view(count, labels, ngroups));
        let mut last = None;
        if let Some((wanted, groups)) = self.judge(status, want, None)? {
            same("the number of groups", &ngroups.values(), &[groups])?;
            same("the number of points", &count.values(), &[n as i64])?;
            // SAFETY: just lent, and as many as was told.
            let found = unsafe { labels.values(n) };
            same("labels", &found, &wanted)?;
            let now = self.work(h);
            if self.handles[h].last == Some(Asked::Fof) && before != now {
                return Err(format!(
                    "asked again without a change, it searched again: {before:?} before, {now:?} now"
                ));
            }
            let kept = vec![Kept::new("labels", labels.lent(), &found)];
            self.handles[h].view = Some(View {
                kept,
                of_groups: true,
                list: None,
            });
            last = Some(Asked::Fof);
        }
        self.handles[h].last = last;
        self.model_mut(h).doubt_chunks();
        Ok(())
    }

    fn groups(&mut self, h: usize, min_size: i64, properties: Option<&Properties>, null: bool) -> Checked {
        match properties {
            Some(properties) if properties.single => self.groups_in::<f32>(h, min_size, Some(properties), null),
            _ => self.groups_in::<f64>(h, min_size, properties, null),
        }
    }

    fn groups_in<T: Coordinate>(
        &mut self,
        h: usize,
        min_size: i64,
        properties: Option<&Properties>,
        null: bool,
    ) -> Checked {
        let mut checks = Checks::default();
        self.refuse_null(&mut checks, h, null.into(), 1);
        checks.must(min_size < 1, BAD_COUNT);
        let model = self.model(h);
        model.check_groups(&mut checks);
        let (n, dim) = (model.n(), model.dim.unwrap_or(1));
        let all = |few: &Vec<f64>, len: usize| -> Vec<f64> {
            (0..len)
                .map(|k| rounded(size_of::<T>() == 4, few[k % few.len()]))
                .collect()
        };
        let masses = properties.and_then(|p| p.masses.as_ref()).map(|few| all(few, n));
        let velocities = properties
            .and_then(|p| p.velocities.as_ref())
            .map(|few| all(few, n * dim));
        if let Some(properties) = properties {
            checks.must(properties.off != 0, BAD_COUNT);
            checks.must(properties.single != model.single, BAD_VALUE);
            let is_mass = |mass: &f64| mass.is_finite() && *mass > 0.0;
            checks.must(masses.iter().flatten().any(|mass| !is_mass(mass)), BAD_VALUE);
            checks.must(velocities.iter().flatten().any(|v| !v.is_finite()), NON_FINITE);
        }
        let want = checks.answer(|| model.catalogue(min_size, masses.as_deref(), velocities.as_deref()));
        let ngroups = self.arena.write::<i64>(1, null);
        let status = match properties {
            None => call!(self, h, neargrid_groups_find(min_size, ngroups)),
            Some(properties) => {
                let masses = self
                    .arena
                    .read(&T::all(&masses.clone().unwrap_or_default()), masses.is_none());
                let velocities = match &velocities {
                    None => [In::null(), In::null(), In::null()],
                    Some(velocities) => {
                        let all = self.arena.read(&T::all(velocities), false);
                        [0, 1, 2].map(|axis| In {
                            pointer: all.pointer.wrapping_add(axis),
                            text: format!("{} + {axis}", all.text),
                        })
                    }
                };
                let stride = (dim * size_of::<T>()) as i64;
                T::groups_find(
                    self,
                    h,
                    (min_size, n as i64 + properties.off),
                    &masses,
                    velocities,
                    stride,
                    &ngroups,
                )
            }
        };
        let found = self.judge(status, want, None)?;
        let handle = &mut self.handles[h];
        handle.last = None;
        handle.model.doubt_chunks();
        match found {
            Some(catalogue) => {
                same(
                    "the number of groups",
                    &ngroups.values(),
                    &[catalogue.sizes.len() as i64],
                )?;
                handle.model.groups = Some(Promise {
                    value: catalogue,
                    sure: true,
                });
            }
            None => handle.model.doubt_groups(),
        }
        Ok(())
    }

    fn groups_view(&mut self, h: usize, sums: bool, nulls: u8) -> Checked {
        let mut checks = Checks::default();
        self.refuse_null(&mut checks, h, nulls, if sums { 7 } else { 5 });
        let promise = self.model(h).groups.clone();
        checks.must(promise.is_none(), BAD_STATE);
        checks.may(promise.as_ref().is_some_and(|promise| !promise.sure), BAD_STATE);
        let want = checks.answer(|| promise.map(|promise| promise.value));
        let is_null = |k: u32| nulls >> k & 1 != 0;
        let ngroups = self.arena.write::<i64>(1, is_null(0));
        let points = self.model(h).n();
        if !sums {
            let (labels, order) = (self.arena.lend::<i32>(is_null(1)), self.arena.lend::<i32>(is_null(2)));
            let (sizes, offsets) = (self.arena.lend::<i64>(is_null(3)), self.arena.lend::<i64>(is_null(4)));
            let status = call!(
                self,
                h,
                neargrid_groups_view_members(ngroups, labels, sizes, offsets, order)
            );
            let Some(Some(wanted)) = self.judge(status, want, None)? else {
                return Ok(());
            };
            let groups = wanted.sizes.len();
            same("the number of groups", &ngroups.values(), &[groups as i64])?;
            // SAFETY: just lent, and as many as was told.
            unsafe {
                same("labels", &labels.values(groups), &wanted.labels)?;
                same("sizes", &sizes.values(groups), &wanted.sizes)?;
                same("offsets", &offsets.values(groups + 1), &wanted.offsets)?;
                same("order", &order.values(points), &wanted.order)?;
            }
            return Ok(());
        }
        let (dim, wide) = (
            self.arena.write::<i32>(1, is_null(1)),
            self.arena.lend::<i32>(is_null(2)),
        );
        let masses = self.arena.lend::<f64>(is_null(3));
        let [centers, velocities, radii] = [4, 5, 6].map(|k| self.arena.lend::<f64>(is_null(k)));
        let status = call!(
            self,
            h,
            neargrid_groups_view_sums(ngroups, dim, masses, centers, velocities, radii, wide)
        );
        let Some(Some(wanted)) = self.judge(status, want, None)? else {
            return Ok(());
        };
        let groups = wanted.sizes.len();
        same("the number of groups", &ngroups.values(), &[groups as i64])?;
        same("dim", &dim.values(), &[wanted.dim as i32])?;
        let sure = |found: Vec<f64>, wanted: &[f64]| -> Vec<f64> {
            found
                .iter()
                .zip(wanted)
                .map(|(&f, &w)| if w.is_nan() { w } else { f })
                .collect()
        };
        // SAFETY: just lent, and as many as was told.
        unsafe {
            same("masses", &sure(masses.values(groups), &wanted.masses), &wanted.masses)?;
            same("radii", &sure(radii.values(groups), &wanted.radii), &wanted.radii)?;
            same("wide", &wide.values(groups), &wanted.wide)?;
            match &wanted.velocities {
                Some(wanted) => {
                    same("velocities", &sure(velocities.values(wanted.len()), wanted), wanted)?;
                }
                None if !velocities.lent().is_null() => return Err("velocities are not NULL".to_owned()),
                None => {}
            }
            for (k, (found, right)) in centers
                .values(groups * wanted.dim)
                .into_iter()
                .zip(&wanted.centers)
                .enumerate()
            {
                let (mut off, length) = ((found - right).abs(), wanted.lengths[k % wanted.dim]);
                if let Some(length) = length {
                    off = off.min((off - length).abs());
                }
                let slack = 1e-14 * (found.abs() + right.abs() + length.unwrap_or(0.0));
                if !right.is_nan() && off > slack {
                    return Err(format!("centers: element {k} is {found}, {right} is right"));
                }
            }
        }
        Ok(())
    }

    // Questions.

    fn quantity(&mut self, h: usize, call: &Call) -> Checked {
        match call {
            Call::Quantity { single: true, .. } => self.quantity_in::<f32>(h, call),
            _ => self.quantity_in::<f64>(h, call),
        }
    }

    fn quantity_in<T: Coordinate>(&mut self, h: usize, call: &Call) -> Checked {
        let Call::Quantity {
            displacements,
            rows,
            single,
            list,
            nulls,
        } = call
        else {
            return Ok(());
        };
        let (displacements, rows, nulls) = (*displacements, *rows, *nulls);
        let mut checks = Checks::default();
        checks.must(h == 2, NULL_POINTER);
        let model = self.model(h);
        checks.must(model.dim.is_none(), BAD_STATE);
        checks.must(*single != model.single, BAD_VALUE);
        let (n, base) = (model.n(), model.base);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        let width = if displacements { model.dim.unwrap_or(1) } else { 1 };
        let lent = self.handles[h].view.as_ref().and_then(|view| view.list.as_ref());
        let lent = lent.filter(|(_, is_rows, ..)| *is_rows == rows && matches!(list, List::View));
        let (pairs, mut first, mut second, count) = if let Some((pairs, _, first, second)) = lent {
            (pairs.clone(), first.clone(), second.clone(), pairs.len() as i64)
        } else {
            let (columns, count) = self.columns(h, list, rows);
            let point = |id: i32| usize::try_from(i64::from(id) - base).unwrap_or(usize::MAX);
            let pairs: Vec<(usize, usize)> = columns
                .0
                .iter()
                .zip(&columns.1)
                .map(|(&i, &j)| (point(i), point(j)))
                .collect();
            checks.must(pairs.iter().any(|&(i, j)| i >= n || j >= n), BAD_VALUE);
            let second = self.arena.read(&columns.1, false);
            let first = if rows {
                let offsets = offsets_of(&columns.0, n, base, count);
                self.arena.read(&offsets, false)
            } else {
                let left = self.arena.read(&columns.0, false);
                In {
                    pointer: left.pointer.cast(),
                    text: left.text,
                }
            };
            (pairs, first, second, count)
        };
        checks.must(count < 0 || count > 1 << 40, if rows { BAD_VALUE } else { BAD_COUNT });
        if is_null(0) {
            checks.must(rows || !pairs.is_empty(), NULL_POINTER);
            first = In::null();
        }
        if is_null(1) {
            checks.must(!pairs.is_empty(), NULL_POINTER);
            second = In::null();
        }
        checks.must(is_null(2) && !pairs.is_empty(), NULL_POINTER);
        let out = self.arena.write::<T>(pairs.len() * width, is_null(2));
        let want = {
            let model = self.model(h);
            checks.answer(|| model.quantities(displacements, &pairs))
        };
        let left = In {
            pointer: first.pointer.cast::<i32>(),
            text: first.text.clone(),
        };
        let status = match rows {
            true => T::of_rows(self, h, displacements, (&first, &second), &out),
            false => T::of_pairs(self, h, displacements, count, (&left, &second), &out),
        };
        if let Some(wanted) = self.judge(status, want, None)?
            && !is_null(2)
        {
            same(
                if displacements { "displacements" } else { "distances" },
                &out.values(),
                &T::all(&wanted),
            )?;
        }
        Ok(())
    }

    /// Pairs to ask about, in the index base, and the number of them that is told. Of rows the first of each ascends.
    fn columns(&self, h: usize, list: &List, rows: bool) -> ((Vec<i32>, Vec<i32>), i64) {
        let model = self.model(h);
        let n = model.n();
        let number = |k: i64| model.number((k.unsigned_abs() as usize) % n.max(1));
        let mut columns = match list {
            List::Given(i, j) => (i.clone(), j.clone()),
            List::Refused(count) => return ((Vec::new(), Vec::new()), *count),
            List::Some(_) | List::View if n == 0 => (Vec::new(), Vec::new()),
            List::Some(count) => (
                (0..*count).map(|k| number(k * 7 + 1)).collect(),
                (0..*count).map(|k| number(k * 13 + 2)).collect(),
            ),
            List::View => ((0..7).map(|k| number(k * 5)).collect(), (0..7).map(number).collect()),
        };
        if rows {
            // Rows of points only: what else there is in the first column has no row.
            columns
                .0
                .iter_mut()
                .for_each(|i| *i = number(i64::from(*i) - model.base));
            if n == 0 {
                columns = (Vec::new(), Vec::new());
            }
            columns.0.sort_unstable();
        }
        let count = columns.0.len() as i64;
        (columns, count)
    }

    fn order(&mut self, h: usize, off: i64, null: bool) -> Checked {
        let mut checks = Checks::default();
        checks.must(h == 2, NULL_POINTER);
        let model = self.model(h);
        let n = model.n();
        checks.must(model.dim.is_none(), BAD_STATE);
        checks.must(off != 0, BAD_COUNT);
        checks.must(null && n > 0, NULL_POINTER);
        let want = checks.answer(|| model.order());
        let order = self.arena.write::<i32>(n, null);
        let status = call!(self, h, neargrid_search_order(n as i64 + off, order));
        match self.judge(status, want, None)? {
            Some(wanted) if !null => same("order", &order.values(), &wanted),
            _ => Ok(()),
        }
    }

    fn counter(&mut self, h: usize, counter: i32, null: bool) -> Checked {
        let mut checks = Checks::default();
        self.refuse_null(&mut checks, h, null.into(), 1);
        checks.must(!(0..=13).contains(&counter), BAD_VALUE);
        let value = self.arena.write::<i64>(1, null);
        let status = call!(self, h, neargrid_search_counter(counter, value));
        if self.judge(status, checks.answer(|| ()), None)?.is_none() {
            return Ok(());
        }
        let model = self.model(h);
        let wanted = match counter {
            0 => model.n(),
            11 => model.dim.unwrap_or(0),
            13 => model.nqueries(),
            _ => {
                return (value.values()[0] >= 0)
                    .then_some(())
                    .ok_or("a counter is negative".to_owned());
            }
        };
        same(format!("counter {counter}"), &value.values(), &[wanted as i64])
    }

    fn timing(&mut self, h: usize, phase: i32, null: bool) -> Checked {
        let mut checks = Checks::default();
        self.refuse_null(&mut checks, h, null.into(), 1);
        checks.must(!(0..=5).contains(&phase), BAD_VALUE);
        let seconds = self.arena.write::<f64>(1, null);
        let status = call!(self, h, neargrid_search_timing(phase, seconds));
        if self.judge(status, checks.answer(|| ()), None)?.is_some() && !(0.0..1e4).contains(&seconds.values()[0]) {
            return Err(format!("{} seconds", seconds.values()[0]));
        }
        Ok(())
    }

    fn info(&mut self, h: usize, capacity: usize, nulls: u8) -> Checked {
        let mut checks = Checks::default();
        checks.must(h == 2 || nulls & 1 != 0 && capacity > 0, NULL_POINTER);
        let text = |run: &mut Run, buffer: &Out<u8>, capacity: usize, length: &Out<usize>| {
            let buffer = Out {
                pointer: buffer.pointer.cast::<std::ffi::c_char>(),
                len: 0,
                text: format!("(char *){}", buffer.text),
            };
            call!(run, h, neargrid_search_info(buffer, capacity, *length))
        };
        self.check_text(capacity, nulls, checks, text)
    }

    fn last_error(&mut self, capacity: usize, nulls: u8) -> Checked {
        let mut checks = Checks::default();
        checks.must(nulls & 1 != 0 && capacity > 0, NULL_POINTER);
        let text = |run: &mut Run, buffer: &Out<u8>, capacity: usize, length: &Out<usize>| {
            let buffer = Out {
                pointer: buffer.pointer.cast::<std::ffi::c_char>(),
                len: 0,
                text: format!("(char *){}", buffer.text),
            };
            call!(run, neargrid_last_error(buffer, capacity, *length))
        };
        self.check_text(capacity, nulls, checks, text)
    }

    /// A text is cut to fit, and ends with a NUL.
    fn check_text(
        &mut self,
        capacity: usize,
        nulls: u8,
        checks: Checks,
        call: impl Fn(&mut Run, &Out<u8>, usize, &Out<usize>) -> i32,
    ) -> Checked {
        let buffer = self.arena.write::<u8>(capacity, nulls & 1 != 0);
        let length = self.arena.write::<usize>(1, nulls & 2 != 0);
        let status = call(self, &buffer, capacity, &length);
        if self.judge(status, checks.answer(|| ()), None)?.is_none() || nulls & 3 != 0 {
            return Ok(());
        }
        let len = length.values()[0];
        let whole = self.arena.write::<u8>(len + 1, false);
        let again = self.arena.write::<usize>(1, false);
        if call(self, &whole, len + 1, &again) != OK || again.values()[0] != len {
            return Err("a text changed while nothing was called".to_owned());
        }
        let (whole, buffer) = (whole.values(), buffer.values());
        let is_text = whole[len] == 0 && !whole[..len].contains(&0) && std::str::from_utf8(&whole[..len]).is_ok();
        is_text.then_some(()).ok_or("a text is none")?;
        if let Some(cut) = buffer.iter().position(|&byte| byte == 0) {
            same("the front of a text", &buffer[..cut], &whole[..cut])?;
            return (cut + 4 >= capacity.min(len + 1))
                .then_some(())
                .ok_or("a text was cut too short".to_owned());
        }
        (capacity == 0).then_some(()).ok_or("a text has no end".to_owned())
    }

    fn skin_used(&mut self, h: usize, null: bool) -> Checked {
        let mut checks = Checks::default();
        self.refuse_null(&mut checks, h, null.into(), 1);
        let share = self.arena.write::<f64>(1, null);
        let status = call!(self, h, neargrid_search_skin_used(share));
        if self.judge(status, checks.answer(|| ()), None)?.is_none() {
            return Ok(());
        }
        let (found, model) = (share.values()[0], self.model(h));
        let is_near = |wanted: f64| (found - wanted).abs() <= 1e-5 * wanted.max(1.0) || found == wanted;
        let is_right = match (&model.list, model.moved) {
            (None, None) => found == 0.0,
            (None, Some(moved)) => found == 0.0 || is_near(moved),
            (Some(list), moved) => is_near(moved.unwrap_or(0.0)) || !list.sure && found == 0.0,
        };
        let wanted = (model.list.as_ref().map(|list| list.sure), model.moved);
        is_right
            .then_some(())
            .ok_or(format!("skin used: {found}, list sure and moved {wanted:?}"))
    }

    // The search of the thread.

    fn cell_count(&mut self, call: &Call) -> Checked {
        match call {
            Call::CellCount { single: true, .. } => self.cell_count_in::<f32>(call),
            _ => self.cell_count_in::<f64>(call),
        }
    }

    fn cell_count_in<T: Coordinate>(&mut self, call: &Call) -> Checked {
        let Call::CellCount {
            single,
            dim,
            n,
            values,
            cutoff,
            base,
            nulls,
        } = call
        else {
            return Ok(());
        };
        let coords = Coords {
            single: *single,
            dim: *dim,
            values: values.clone(),
            n: *n,
            layout: Layout::Interleaved,
            nulls: 0,
        };
        let mut model = Model::default();
        let mut checks = model.check_points(Role::Set, &coords);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        checks.must(is_null(0) || is_null(1) && coords.len() > 0, NULL_POINTER);
        checks.must(!is_radius(*single, *cutoff), BAD_CUTOFF);
        checks.must(!(0..=1).contains(base), BAD_VALUE);
        if !checks.is_refused() {
            model.take_points(Role::Set, &coords);
            (model.cutoff, model.base) = (Some(rounded(*single, *cutoff)), i64::from(*base));
        }
        let want = checks.answer(|| model.rows(Kind::Half).iter().map(Vec::len).sum::<usize>() as i64);
        let x = self.arena.read(&T::all(values), is_null(1));
        let npairs = self.arena.write::<i64>(1, is_null(0));
        let count = n.unwrap_or(coords.len() as i64);
        let status = T::cell_count(self, (*dim, count), &x, T::of(*cutoff), *base, &npairs);
        match self.judge(status, want, None)? {
            Some(pairs) => {
                same("the number of pairs", &npairs.values(), &[pairs])?;
                self.of_thread = OfThread {
                    model,
                    sure: Some(true),
                };
            }
            // Where there is no npairs nothing is looked at, and nobody said whether a result is forgotten then.
            None if is_null(0) => self.of_thread.sure = self.of_thread.sure.map(|_| false),
            None => self.of_thread.sure = None,
        }
        // The points need not stay where they are, and fetching must do without them.
        Ok(())
    }

    fn cell_fetch(&mut self, compact: bool, capacity: Capacity, nulls: u8) -> Checked {
        let mut checks = Checks::default();
        let sure = self.of_thread.sure;
        checks.must(sure.is_none(), BAD_STATE);
        checks.may(sure == Some(false), BAD_STATE);
        let model = &self.of_thread.model;
        let rows = if sure.is_some() {
            model.rows(Kind::Half)
        } else {
            Vec::new()
        };
        let need = rows.iter().map(Vec::len).sum::<usize>() as i64;
        let capacity = match capacity {
            Capacity::More(more) => need + more,
            Capacity::Less(less) => (need - less).max(0),
            Capacity::Is(capacity) => capacity,
        };
        let is_null = |k: u32| nulls >> k & 1 != 0;
        checks.must(capacity < 0, BAD_COUNT);
        checks.must(is_null(0) || is_null(1) && capacity > 0, NULL_POINTER);
        let first_needs = if compact { !rows.is_empty() } else { capacity > 0 };
        checks.must(is_null(2) && first_needs, NULL_POINTER);
        checks.must(capacity < need && !checks.is_refused(), CAPACITY);
        let room = capacity.max(0) as usize;
        let order: Vec<usize> = (0..rows.len()).collect();
        let ([wanted_i, wanted_j], (offsets, _)) = (model.pairs_of(&rows, &order), model.csr_of(&rows, &order));
        let ends: Vec<i32> = offsets[1..].iter().map(|end| (end - offsets[0]) as i32).collect();
        let npairs = self.arena.write::<i64>(1, is_null(0));
        let first = self
            .arena
            .write::<i32>(if compact { rows.len() } else { room }, is_null(2));
        let second = self.arena.write::<i32>(room, is_null(1));
        let status = match compact {
            true => call!(self, neargrid_celllist_fetch_compact(capacity, npairs, first, second)),
            false => call!(self, neargrid_celllist_fetch(capacity, npairs, first, second)),
        };
        if self
            .judge(status, checks.answer(|| ()), Some((&npairs, need)))?
            .is_some()
        {
            same("the number of pairs", &npairs.values(), &[need])?;
            match compact {
                true if is_null(2) => {}
                true => same("endpos", &first.values(), &ends)?,
                false => same_front("pair_i", &first, &wanted_i)?,
            }
            same_front("pair_j", &second, &wanted_j)?;
        }
        Ok(())
    }
}

/// The front of an array, and that nothing behind it was touched.
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
    In {
        pointer: lent.lent(),
        text: lent.text[1..].to_owned(),
    }
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

/// The functions of a precision.
trait Coordinate: Number + Argument<Raw = Self> {
    fn of(x: f64) -> Self;
    fn bytes(self) -> Vec<u8>;
    fn all(values: &[f64]) -> Vec<Self> {
        values.iter().map(|&x| Self::of(x)).collect()
    }
    fn give(run: &mut Run, h: usize, role: Role, dn: (i32, i64), bases: [In<Self>; 3], stride: i64) -> i32;
    fn update(run: &mut Run, h: usize, dn: (i32, i64), bases: [In<Self>; 3], stride: i64, rebuilt: &Out<i32>) -> i32;
    fn knn_copy(run: &mut Run, h: usize, what: (i32, i32, i32), n: i64, out: (&Out<i32>, &Out<Self>, &Out<i32>))
    -> i32;
    fn knn_view(
        run: &mut Run,
        h: usize,
        what: (i32, i32, i32),
        n: &Out<i64>,
        out: (&Lent<i32>, &Lent<Self>, &Lent<i32>),
    ) -> i32;
    fn groups_find(
        run: &mut Run,
        h: usize,
        numbers: (i64, i64),
        masses: &In<Self>,
        velocities: [In<Self>; 3],
        stride: i64,
        ngroups: &Out<i64>,
    ) -> i32;
    fn of_rows(run: &mut Run, h: usize, displacements: bool, rows: (&In<i64>, &In<i32>), out: &Out<Self>) -> i32;
    fn of_pairs(
        run: &mut Run,
        h: usize,
        displacements: bool,
        n: i64,
        pairs: (&In<i32>, &In<i32>),
        out: &Out<Self>,
    ) -> i32;
    fn cell_count(run: &mut Run, dn: (i32, i64), x: &In<Self>, cutoff: Self, base: i32, npairs: &Out<i64>) -> i32;
}

macro_rules! coordinate {
    (
        $type:ident, $set:ident, $add:ident, $queries:ident, $update:ident, $knn_copy:ident, $knn_view:ident, $find:ident,
        $row_d:ident, $row_v:ident, $pair_d:ident, $pair_v:ident, $cell:ident
    ) => {
        impl Coordinate for $type {
            fn of(x: f64) -> $type {
                x as $type
            }
            fn bytes(self) -> Vec<u8> {
                self.to_ne_bytes().to_vec()
            }
            fn give(
                run: &mut Run,
                h: usize,
                role: Role,
                (dim, n): (i32, i64),
                [x, y, z]: [In<$type>; 3],
                stride: i64,
            ) -> i32 {
                match role {
                    Role::Set | Role::Update => call!(run, h, $set(dim, n, x, y, z, stride)),
                    Role::Add => call!(run, h, $add(dim, n, x, y, z, stride)),
                    Role::Queries => call!(run, h, $queries(dim, n, x, y, z, stride)),
                }
            }
            fn update(
                run: &mut Run,
                h: usize,
                (dim, n): (i32, i64),
                [x, y, z]: [In<$type>; 3],
                stride: i64,
                rebuilt: &Out<i32>,
            ) -> i32 {
                call!(run, h, $update(dim, n, x, y, z, stride, *rebuilt))
            }
            fn knn_copy(
                run: &mut Run,
                h: usize,
                (kind, k, measure): (i32, i32, i32),
                n: i64,
                (ids, distances, counts): (&Out<i32>, &Out<$type>, &Out<i32>),
            ) -> i32 {
                call!(run, h, $knn_copy(kind, k, measure, n, *ids, *distances, *counts))
            }
            fn knn_view(
                run: &mut Run,
                h: usize,
                (kind, k, measure): (i32, i32, i32),
                n: &Out<i64>,
                (ids, distances, counts): (&Lent<i32>, &Lent<$type>, &Lent<i32>),
            ) -> i32 {
                call!(run, h, $knn_view(kind, k, measure, *n, *ids, *distances, *counts))
            }
            fn groups_find(
                run: &mut Run,
                h: usize,
                (least, n): (i64, i64),
                masses: &In<$type>,
                [x, y, z]: [In<$type>; 3],
                stride: i64,
                ngroups: &Out<i64>,
            ) -> i32 {
                call!(run, h, $find(least, n, *masses, x, y, z, stride, *ngroups))
            }
            fn of_rows(
                run: &mut Run,
                h: usize,
                displacements: bool,
                rows: (&In<i64>, &In<i32>),
                out: &Out<$type>,
            ) -> i32 {
                let (offsets, ids) = rows;
                match displacements {
                    true => call!(run, h, $row_v(*offsets, *ids, *out)),
                    false => call!(run, h, $row_d(*offsets, *ids, *out)),
                }
            }
            fn of_pairs(
                run: &mut Run,
                h: usize,
                displacements: bool,
                n: i64,
                (i, j): (&In<i32>, &In<i32>),
                out: &Out<$type>,
            ) -> i32 {
                match displacements {
                    true => call!(run, h, $pair_v(n, *i, *j, *out)),
                    false => call!(run, h, $pair_d(n, *i, *j, *out)),
                }
            }
            fn cell_count(
                run: &mut Run,
                (dim, n): (i32, i64),
                x: &In<$type>,
                cutoff: $type,
                base: i32,
                npairs: &Out<i64>,
            ) -> i32 {
                call!(run, $cell(dim, n, *x, cutoff, base, *npairs))
            }
        }
    };
}
coordinate!(
    f32,
    neargrid_search_set_points_f32,
    neargrid_search_add_points_f32,
    neargrid_search_set_queries_f32,
    neargrid_search_update_f32,
    neargrid_knn_copy_f32,
    neargrid_knn_view_f32,
    neargrid_groups_find_f32,
    neargrid_neighbors_distances_f32,
    neargrid_neighbors_displacements_f32,
    neargrid_pairs_distances_f32,
    neargrid_pairs_displacements_f32,
    neargrid_celllist_count_f32
);
coordinate!(
    f64,
    neargrid_search_set_points_f64,
    neargrid_search_add_points_f64,
    neargrid_search_set_queries_f64,
    neargrid_search_update_f64,
    neargrid_knn_copy_f64,
    neargrid_knn_view_f64,
    neargrid_groups_find_f64,
    neargrid_neighbors_distances_f64,
    neargrid_neighbors_displacements_f64,
    neargrid_pairs_distances_f64,
    neargrid_pairs_displacements_f64,
    neargrid_celllist_count_f64
);
