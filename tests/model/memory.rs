//! Arrays for calls of C: each ends at a page that nobody may touch, and bytes that nobody may change are before it.

use std::ffi::{CStr, c_char};
use std::fmt::Display;
use std::io::Write;
use std::marker::PhantomData;

/// The bytes around arrays, and in those that wait to be written.
const PATTERN: u8 = 0xa5;
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
    /// The number of arrays that the printed program has.
    pub names: usize,
    pub program: Program,
}

/// The lines of a program in C that makes the calls.
#[derive(Default)]
pub enum Program {
    #[default]
    None,
    Text(String),
    /// Line by line, for calls that end the process.
    File(std::fs::File),
}

impl Program {
    /// The part of it that there is.
    pub fn take(&mut self) -> String {
        match std::mem::take(self) {
            Program::Text(text) => text,
            _ => String::new(),
        }
    }
}

impl Arena {
    /// Arrays of the call before are not needed any more.
    pub fn begin(&mut self) {
        self.used = 0;
        self.outs.clear();
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

    fn name(&mut self) -> String {
        self.names += 1;
        format!("a{}", self.names)
    }

    pub fn say(&mut self, line: impl FnOnce() -> String) {
        match &mut self.program {
            Program::None => {}
            Program::Text(program) => program.push_str(&(line() + "\n")),
            Program::File(file) => file.write_all((line() + "\n").as_bytes()).unwrap(),
        }
    }

    /// Values that are read.
    pub fn read<T: Copy + Number>(&mut self, values: &[T], null: bool) -> In<T> {
        if null {
            return In {
                pointer: std::ptr::null(),
                text: "NULL".to_owned(),
            };
        }
        let pointer = self.place(size_of_val(values), align_of::<T>()).cast::<T>();
        for (k, &value) in values.iter().enumerate() {
            // SAFETY: there is room for as many as there are values.
            unsafe { pointer.add(k).write(value) };
        }
        let text = self.name();
        self.say(|| {
            let list: Vec<String> = values.iter().map(|&value| value.literal()).collect();
            let list = if list.is_empty() {
                "0".to_owned()
            } else {
                list.join(", ")
            };
            format!("    static const {} {text}[] = {{{list}}};", T::NAME)
        });
        In { pointer, text }
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
            all.text = format!("{} + {last}", all.text);
            return (all, -stride);
        }
        (all, stride)
    }

    /// Values that are read and written.
    pub fn change<T: Copy + Number>(&mut self, values: &[T], null: bool) -> Out<T> {
        let mut out = self.write(values.len(), null);
        if null {
            return out;
        }
        // What is in them is no output that a refused call must leave alone.
        self.outs.pop();
        let given = self.read(values, false);
        self.say(|| format!("    memcpy({}, {}, sizeof {});", out.text, given.text, given.text));
        for (k, &value) in values.iter().enumerate() {
            // SAFETY: there is room for as many as there are values.
            unsafe { out.pointer.add(k).write(value) };
        }
        out.len = values.len();
        out
    }

    /// Room for `len` values that are written.
    pub fn write<T: Number>(&mut self, len: usize, null: bool) -> Out<T> {
        if null {
            return Out {
                pointer: std::ptr::null_mut(),
                len: 0,
                text: "NULL".to_owned(),
            };
        }
        let bytes = len * size_of::<T>();
        let pointer = self.place(bytes, align_of::<T>());
        self.outs.push((pointer, bytes));
        let text = self.name();
        self.say(|| format!("    {} {text}[{}];", T::NAME, len.max(1)));
        Out {
            pointer: pointer.cast(),
            len,
            text,
        }
    }

    /// Room for a pointer to values that the library keeps.
    pub fn lend<T: Number>(&mut self, null: bool) -> Lent<T> {
        if null {
            return Lent {
                pointer: std::ptr::null_mut(),
                text: "NULL".to_owned(),
            };
        }
        let pointer = self.place(size_of::<*const T>(), align_of::<*const T>());
        self.outs.push((pointer, size_of::<*const T>()));
        let text = self.name();
        self.say(|| format!("    const {} *{text};", T::NAME));
        Lent {
            pointer: pointer.cast(),
            text: format!("&{text}"),
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
    const NAME: &'static str;
    fn literal(self) -> String;
    /// Whether they are the same to the last bit.
    fn is_same(self, other: Self) -> bool;
}

macro_rules! integer {
    ($($type:ident $name:literal),*) => {$(
        impl Number for $type {
            const NAME: &'static str = $name;
            fn literal(self) -> String {
                if self as i128 == i64::MIN as i128 { "INT64_MIN".to_owned() } else { self.to_string() }
            }
            fn is_same(self, other: Self) -> bool {
                self == other
            }
        }
    )*};
}
integer!(u8 "unsigned char", i32 "int32_t", i64 "int64_t", usize "size_t");

macro_rules! real {
    ($($type:ident $name:literal $suffix:literal),*) => {$(
        impl Number for $type {
            const NAME: &'static str = $name;
            fn literal(self) -> String {
                match self {
                    x if x.is_nan() => "NAN".to_owned(),
                    x if x.is_infinite() => if x > 0.0 { "INFINITY" } else { "-INFINITY" }.to_owned(),
                    x => format!("{x:?}{}", $suffix),
                }
            }
            fn is_same(self, other: Self) -> bool {
                self.to_bits() == other.to_bits()
            }
        }
    )*};
}
real!(f32 "float" "f", f64 "double" "");

/// An argument of a call, and how a program in C has it.
pub trait Argument {
    type Raw;
    fn raw(&self) -> Self::Raw;
    fn text(&self) -> String;
}

macro_rules! plain {
    ($($type:ident),*) => {$(
        impl Argument for $type {
            type Raw = $type;
            fn raw(&self) -> $type {
                *self
            }
            fn text(&self) -> String {
                Number::literal(*self)
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
    fn text(&self) -> String {
        format!("\"{}\"", self.to_bytes().escape_ascii())
    }
}

/// An array that is read.
#[derive(Clone)]
pub struct In<T> {
    pub pointer: *const T,
    pub text: String,
}

impl<T> In<T> {
    pub fn null() -> In<T> {
        In {
            pointer: std::ptr::null(),
            text: "NULL".to_owned(),
        }
    }

    /// The addresses of the components of elements that stand one after the other.
    pub fn of_axes(&self) -> [In<T>; 3] {
        [0, 1, 2].map(|axis| match self.pointer.is_null() {
            true => In::null(),
            false => In {
                pointer: self.pointer.wrapping_add(axis),
                text: format!("{} + {axis}", self.text),
            },
        })
    }

    /// The address a number of bytes after that of bytes.
    pub fn behind(bytes: &In<u8>, offset: usize) -> In<T>
    where
        T: Number,
    {
        In {
            pointer: bytes.pointer.wrapping_add(offset).cast(),
            text: format!("(const {} *)(const void *)({} + {offset})", T::NAME, bytes.text),
        }
    }
}

impl<T> Argument for In<T> {
    type Raw = *const T;
    fn raw(&self) -> *const T {
        self.pointer
    }
    fn text(&self) -> String {
        self.text.clone()
    }
}

/// An array that is written.
#[derive(Clone)]
pub struct Out<T> {
    pub pointer: *mut T,
    pub len: usize,
    pub text: String,
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
                text: format!("{} + {axis}", self.text),
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

impl<T> Argument for Out<T> {
    type Raw = *mut T;
    fn raw(&self) -> *mut T {
        self.pointer
    }
    fn text(&self) -> String {
        self.text.clone()
    }
}

/// The place of a pointer to values of the library's.
#[derive(Clone)]
pub struct Lent<T> {
    pub pointer: *mut *const T,
    pub text: String,
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
        // SAFETY: the caller's promise.
        (0..len).map(|k| unsafe { pointer.add(k).read() }).collect()
    }
}

impl<T> Argument for Lent<T> {
    type Raw = *mut *const T;
    fn raw(&self) -> *mut *const T {
        self.pointer
    }
    fn text(&self) -> String {
        self.text.clone()
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
