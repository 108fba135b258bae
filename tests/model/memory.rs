//! Arrays for calls of C: each ends at a page that nobody may touch, and bytes that nobody may change are before it.

use std::cell::RefCell;
use std::ffi::{CStr, c_char};
use std::fmt::Display;
use std::fs::File;
use std::io::Write;
use std::marker::PhantomData;
use std::rc::Rc;

use super::print::c;
use super::trace::{Array, Event, Kind, Trace, Use, Value};

/// The bytes around arrays, and in those that wait to be written.
pub const PATTERN: u8 = 0xa5;
const GUARD: usize = 64;
const PAGE: usize = 4096;

struct Slot {
    base: *mut u8,
    len: usize,
}

impl Drop for Slot {
    fn drop(&mut self) {
        if !self.base.is_null() {
            // SAFETY: the pages are ours, and nobody uses them any more.
            unsafe { libc::munmap(self.base.cast(), self.len + PAGE) };
        }
    }
}

/// Arrays of one call.
#[derive(Default)]
pub struct Arena {
    slots: Vec<Slot>,
    used: usize,
    /// Arrays of the call that are written.
    outs: Vec<(*mut u8, usize)>,
    pub record: Record,
    /// Arrays of the call: addresses, bytes and numbers in the record.
    live: Vec<(usize, usize, usize)>,
    /// Addresses that the library lent, and the arrays that got them.
    lents: Vec<(usize, usize)>,
    /// Values seen behind lent pointers of the call.
    seen: Vec<(usize, Seen)>,
}

type Seen = Rc<RefCell<Vec<u8>>>;

/// The record of calls that is wanted.
#[derive(Default)]
pub enum Record {
    #[default]
    None,
    Trace(Trace),
    /// Lines of C, one by one, for calls that end the process.
    File(File, Trace),
}

impl Record {
    /// The part of it that there is.
    pub fn take(&mut self) -> Trace {
        match std::mem::take(self) {
            Record::None => Trace::default(),
            Record::Trace(trace) | Record::File(_, trace) => trace,
        }
    }

    fn trace(&mut self) -> Option<&mut Trace> {
        match self {
            Record::None => None,
            Record::Trace(trace) | Record::File(_, trace) => Some(trace),
        }
    }
}

impl Arena {
    /// Arrays of the call before are not needed any more.
    pub fn begin(&mut self) {
        self.used = 0;
        self.outs.clear();
        self.live.clear();
        self.seen.clear();
    }

    /// An address for `bytes` bytes, as aligned as `align` says, as near to the end of the pages as that allows.
    fn place(&mut self, bytes: usize, align: usize) -> *mut u8 {
        let len = (bytes + GUARD + align).next_multiple_of(PAGE);
        if self.used == self.slots.len() {
            self.slots.push(Slot {
                base: std::ptr::null_mut(),
                len: 0,
            });
        }
        let slot = &mut self.slots[self.used];
        self.used += 1;
        if slot.len < len {
            *slot = map(len.max(4 * PAGE));
        }
        let end = slot.base.wrapping_add(slot.len);
        let start = end.wrapping_sub(bytes);
        let start = start.wrapping_sub(start.addr() % align);
        // SAFETY: it lies in the pages of the slot, which nobody else uses.
        unsafe { start.sub(GUARD).write_bytes(PATTERN, GUARD) };
        // SAFETY: the same.
        unsafe { start.write_bytes(PATTERN, end.addr() - start.addr()) };
        start
    }

    /// Has the record know an array.
    fn note(&mut self, pointer: *const u8, bytes: usize, kind: Kind, used: Use) -> Option<usize> {
        let trace = self.record.trace()?;
        let number = trace.arrays.len();
        // SAFETY: an array of ours, with as many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(pointer, bytes) }.to_vec();
        self.live.push((pointer.addr(), bytes.len(), number));
        trace.arrays.push(Array { kind, used, bytes });
        Some(number)
    }

    /// An address as the record has it.
    pub fn value_of(&self, pointer: *const u8, kind: Kind) -> Value {
        if pointer.is_null() {
            return Value::Null;
        }
        let address = pointer.addr();
        // Addresses of components that there are not lie behind their array.
        let is_of = |(start, len, _): &&(usize, usize, usize)| (*start..=start + len + 16).contains(&address);
        match self.live.iter().filter(is_of).max_by_key(|(start, ..)| *start) {
            Some(&(start, _, number)) => Value::At(number, address - start, kind),
            None => match self.lents.iter().rfind(|(lent, _)| *lent == address) {
                Some(&(_, number)) => Value::Of(number, kind),
                None => Value::Null,
            },
        }
    }

    /// Records a call that is about to be made.
    pub fn calls(&mut self, name: &'static str, arguments: impl FnOnce(&Arena) -> Vec<Value>) {
        if matches!(self.record, Record::None) {
            return;
        }
        let arguments = arguments(self);
        let Some(trace) = self.record.trace() else { return };
        trace.events.push(Event {
            name,
            arguments,
            status: None,
            error: String::new(),
            after: Vec::new(),
            arrays: trace.arrays.len(),
        });
        if let Record::File(file, trace) = &mut self.record {
            file.write_all(c::last_call(trace).as_bytes()).unwrap();
        }
    }

    /// Records the answer.
    pub fn returned(&mut self, status: i32, error: impl FnOnce() -> String) {
        let Some(trace) = self.record.trace() else { return };
        let event = trace.events.last_mut().unwrap();
        event.status = Some(status);
        if status != 0 {
            event.error = error();
        }
        for argument in &event.arguments {
            let &Value::At(number, ..) = argument else { continue };
            if event.after.iter().any(|(known, _)| *known == number) {
                continue;
            }
            let &(start, bytes, _) = self.live.iter().find(|(.., live)| *live == number).unwrap();
            let pointer = std::ptr::with_exposed_provenance::<u8>(start);
            let after = match trace.arrays[number].used {
                Use::Read => continue,
                // SAFETY: an array of ours, with as many bytes.
                Use::Written | Use::Changed => Rc::new(RefCell::new(
                    unsafe { std::slice::from_raw_parts(pointer, bytes) }.to_vec(),
                )),
                Use::Lent => {
                    // SAFETY: a place for an address, of ours.
                    let lent = unsafe { pointer.cast::<usize>().read() };
                    self.lents.push((lent, number));
                    self.seen.iter().find(|(of, _)| *of == number).unwrap().1.clone()
                }
            };
            event.after.push((number, after));
        }
    }

    /// Values that are read.
    pub fn read<T: Copy + Number>(&mut self, values: &[T], null: bool) -> In<T> {
        self.read_as(values, null, Use::Read)
    }

    fn read_as<T: Copy + Number>(&mut self, values: &[T], null: bool, used: Use) -> In<T> {
        if null {
            return In::null();
        }
        let pointer = self.place(size_of_val(values), align_of::<T>()).cast::<T>();
        for (k, &value) in values.iter().enumerate() {
            // SAFETY: there is room for as many as there are values.
            unsafe { pointer.add(k).write(value) };
        }
        self.note(pointer.cast(), size_of_val(values), T::KIND, used);
        In { pointer }
    }

    /// Values that are read, and how many bytes they are apart: one after the other, with others between them, or backwards.
    pub fn read_spaced<T: Copy + Number>(&mut self, values: &[T], null: bool) -> (In<T>, i64) {
        let step = 1 + values.len() % 3;
        let stride = (step * size_of::<T>()) as i64;
        if null || values.is_empty() || step == 1 {
            return (self.read(values, null), stride);
        }
        let backwards = values.len() % 2 == 1;
        let order: Vec<T> = match backwards {
            true => values.iter().rev().copied().collect(),
            false => values.to_vec(),
        };
        let last = (values.len() - 1) * step;
        let between: Vec<T> = (0..=last).map(|k| order[k.div_ceil(step)]).collect();
        let mut all = self.read(&between, false);
        if backwards {
            all.pointer = all.pointer.wrapping_add(last);
            return (all, -stride);
        }
        (all, stride)
    }

    /// Values that are read and written.
    pub fn change<T: Copy + Number>(&mut self, values: &[T], null: bool) -> Out<T> {
        let In { pointer } = self.read_as(values, null, Use::Changed);
        Out {
            pointer: pointer.cast_mut(),
            len: if null { 0 } else { values.len() },
        }
    }

    /// Room for `len` values that are written.
    pub fn write<T: Number>(&mut self, len: usize, null: bool) -> Out<T> {
        if null {
            return Out {
                pointer: std::ptr::null_mut(),
                len: 0,
            };
        }
        let bytes = len * size_of::<T>();
        let pointer = self.place(bytes, align_of::<T>());
        self.outs.push((pointer, bytes));
        self.note(pointer, bytes, T::KIND, Use::Written);
        Out {
            pointer: pointer.cast(),
            len,
        }
    }

    /// Room for a pointer to values that the library keeps.
    pub fn lend<T: Number>(&mut self, null: bool) -> Lent<T> {
        if null {
            return Lent {
                pointer: std::ptr::null_mut(),
                seen: Seen::default(),
            };
        }
        let pointer = self.place(size_of::<*const T>(), align_of::<*const T>());
        self.outs.push((pointer, size_of::<*const T>()));
        let seen = Seen::default();
        if let Some(number) = self.note(pointer, size_of::<*const T>(), T::KIND, Use::Lent) {
            self.seen.push((number, seen.clone()));
        }
        Lent {
            pointer: pointer.cast(),
            seen,
        }
    }

    /// The bytes that were written where nothing may be written.
    pub fn check_guards(&self) -> Result<(), String> {
        for slot in &self.slots[..self.used] {
            // Reading what the kernel forbids would end the process; the pages before that are ours.
            if slot.base.is_null() {
                return Err("an array has no memory".to_owned());
            }
        }
        for &(pointer, bytes) in &self.outs {
            // SAFETY: the guard is before each array.
            let guard = unsafe { std::slice::from_raw_parts(pointer.sub(GUARD), GUARD) };
            if guard.iter().any(|&byte| byte != PATTERN) {
                return Err(format!("memory before an array of {bytes} bytes was written"));
            }
        }
        Ok(())
    }

    /// Whether the arrays that are written were left alone, except for `except`.
    pub fn check_untouched(&self, except: *const u8) -> Result<(), String> {
        for &(pointer, bytes) in self.outs.iter().filter(|(pointer, _)| !std::ptr::eq(*pointer, except)) {
            // SAFETY: these are the bytes of an array of ours.
            let array = unsafe { std::slice::from_raw_parts(pointer, bytes) };
            if array.iter().any(|&byte| byte != PATTERN) {
                return Err(format!("an output of {bytes} bytes was written by a call that failed"));
            }
        }
        Ok(())
    }
}

/// Pages that may be used, and one after them that may not.
fn map(len: usize) -> Slot {
    // SAFETY: new pages, of nobody else.
    let base = unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        libc::mmap(std::ptr::null_mut(), len + PAGE, libc::PROT_NONE, flags, -1, 0)
    };
    assert!(base != libc::MAP_FAILED, "no memory for {len} bytes");
    // SAFETY: the pages are ours.
    let allowed = unsafe { libc::mprotect(base, len, libc::PROT_READ | libc::PROT_WRITE) };
    assert_eq!(allowed, 0);
    Slot { base: base.cast(), len }
}

/// A number as C has it.
pub trait Number: Copy + PartialEq + std::fmt::Debug {
    const KIND: Kind;
    /// The number as an argument.
    fn argument(self) -> Value;
    /// Whether they are the same to the last bit.
    fn is_same(self, other: Self) -> bool;
}

macro_rules! integer {
    ($($type:ident $kind:ident),*) => {$(
        impl Number for $type {
            const KIND: Kind = Kind::$kind;
            fn argument(self) -> Value {
                Value::Integer(self as i64)
            }
            fn is_same(self, other: Self) -> bool {
                self == other
            }
        }
    )*};
}
integer!(u8 Byte, i32 I32, i64 I64, usize Size);

macro_rules! real {
    ($($type:ident $kind:ident $value:ident),*) => {$(
        impl Number for $type {
            const KIND: Kind = Kind::$kind;
            fn argument(self) -> Value {
                Value::$value(self)
            }
            fn is_same(self, other: Self) -> bool {
                self.to_bits() == other.to_bits()
            }
        }
    )*};
}
real!(f32 F32 Single, f64 F64 Real);

/// An argument of a call, and how the record has it.
pub trait Argument {
    type Raw;
    fn raw(&self) -> Self::Raw;
    fn value(&self, arena: &Arena) -> Value;
}

macro_rules! plain {
    ($($type:ident),*) => {$(
        impl Argument for $type {
            type Raw = $type;
            fn raw(&self) -> $type {
                *self
            }
            fn value(&self, _: &Arena) -> Value {
                self.argument()
            }
        }
    )*};
}
plain!(i32, i64, usize, f32, f64);

impl Argument for &CStr {
    type Raw = *const c_char;
    fn raw(&self) -> *const c_char {
        self.as_ptr()
    }
    fn value(&self, _: &Arena) -> Value {
        Value::Text(self.to_bytes().to_vec())
    }
}

/// An array that is read.
#[derive(Clone)]
pub struct In<T> {
    pub pointer: *const T,
}

impl<T> In<T> {
    pub fn null() -> In<T> {
        In {
            pointer: std::ptr::null(),
        }
    }

    /// The addresses of the components of elements that stand one after the other.
    pub fn of_axes(&self) -> [In<T>; 3] {
        [0, 1, 2].map(|axis| match self.pointer.is_null() {
            true => In::null(),
            false => In {
                pointer: self.pointer.wrapping_add(axis),
            },
        })
    }

    /// The address a number of bytes after that of bytes.
    pub fn behind(bytes: &In<u8>, offset: usize) -> In<T> {
        In {
            pointer: bytes.pointer.wrapping_add(offset).cast(),
        }
    }
}

impl<T: Number> Argument for In<T> {
    type Raw = *const T;
    fn raw(&self) -> *const T {
        self.pointer
    }
    fn value(&self, arena: &Arena) -> Value {
        arena.value_of(self.pointer.cast(), T::KIND)
    }
}

/// An array that is written.
#[derive(Clone)]
pub struct Out<T> {
    pub pointer: *mut T,
    pub len: usize,
}

impl<T: Number> Out<T> {
    /// Its contents.
    pub fn values(&self) -> Vec<T> {
        // SAFETY: the array is as long, and was written with a pattern at least.
        (0..self.len)
            .map(|k| unsafe { self.pointer.add(k).read_unaligned() })
            .collect()
    }

    /// The addresses of the components of elements that stand one after the other.
    pub fn of_axes(&self) -> [Out<T>; 3] {
        [0, 1, 2].map(|axis| match self.pointer.is_null() {
            true => self.clone(),
            false => Out {
                pointer: self.pointer.wrapping_add(axis),
                len: 0,
            },
        })
    }

    /// Whether all from element `first` on was left alone.
    pub fn is_untouched_from(&self, first: usize) -> bool {
        let values = self.values();
        values[first.min(self.len)..].iter().all(|value| {
            // SAFETY: numbers have no padding.
            let bytes = unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast::<u8>(), size_of::<T>()) };
            bytes.iter().all(|&byte| byte == PATTERN)
        })
    }
}

impl<T: Number> Argument for Out<T> {
    type Raw = *mut T;
    fn raw(&self) -> *mut T {
        self.pointer
    }
    fn value(&self, arena: &Arena) -> Value {
        arena.value_of(self.pointer.cast(), T::KIND)
    }
}

/// The place of a pointer to values of the library's.
#[derive(Clone)]
pub struct Lent<T> {
    pub pointer: *mut *const T,
    seen: Seen,
}

impl<T: Number> Lent<T> {
    /// The pointer that was written.
    pub fn lent(&self) -> *const T {
        // SAFETY: it is an address of ours.
        unsafe { self.pointer.read() }
    }

    /// The first `len` of the values it points to.
    ///
    /// # Safety
    /// The library keeps as many readable.
    pub unsafe fn values(&self, len: usize) -> Vec<T> {
        let pointer = self.lent();
        if len > 0 {
            // SAFETY: the caller's promise; numbers have no padding.
            let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), len * size_of::<T>()) };
            *self.seen.borrow_mut() = bytes.to_vec();
        }
        // SAFETY: the caller's promise.
        (0..len).map(|k| unsafe { pointer.add(k).read() }).collect()
    }
}

impl<T: Number> Argument for Lent<T> {
    type Raw = *mut *const T;
    fn raw(&self) -> *mut *const T {
        self.pointer
    }
    fn value(&self, arena: &Arena) -> Value {
        arena.value_of(self.pointer.cast(), T::KIND)
    }
}

/// Refuses the first value that is not the one wanted.
pub fn same<T: Number>(what: impl Display, found: &[T], wanted: &[T]) -> Result<(), String> {
    if found.len() != wanted.len() {
        return Err(format!("{what}: {} elements, {} are right", found.len(), wanted.len()));
    }
    match found.iter().zip(wanted).position(|(a, b)| !a.is_same(*b)) {
        None => Ok(()),
        Some(k) => {
            let near = k.saturating_sub(3)..(k + 4).min(found.len());
            let (found, wanted) = (&found[near.clone()], &wanted[near.clone()]);
            Err(format!(
                "{what}: from element {} on {found:?}, {wanted:?} is right",
                near.start
            ))
        }
    }
}

/// Values of the library's that must stay as they are.
pub struct Kept {
    what: &'static str,
    pointer: *const u8,
    bytes: Vec<u8>,
    marker: PhantomData<*const u8>,
}

impl Kept {
    pub fn new<T: Number>(what: &'static str, pointer: *const T, values: &[T]) -> Kept {
        // SAFETY: numbers have no padding.
        let bytes = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) };
        Kept {
            what,
            pointer: pointer.cast(),
            bytes: bytes.to_vec(),
            marker: PhantomData,
        }
    }

    /// Whether they are still there.
    ///
    /// # Safety
    /// The library still keeps them.
    pub unsafe fn check(&self) -> Result<(), String> {
        // SAFETY: the caller's promise; as many were there.
        let now = unsafe { std::slice::from_raw_parts(self.pointer, self.bytes.len()) };
        if self.bytes.is_empty() || now == self.bytes {
            return Ok(());
        }
        Err(format!("{} of a view changed while it was valid", self.what))
    }
}
