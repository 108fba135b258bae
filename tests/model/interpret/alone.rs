//! Calls that need no handle, and those for ranks on a handle that has none.

use std::ffi::{CStr, c_void};

use neargrid::capi::{comm::*, ghosts::*, migration::*};

use super::*;

/// Texts for refusals.
const TEXTS: [&CStr; 3] = [c"a reason", c"", c"\xc3\xa4 is no number"];

/// The header that says the number of each status.
const HEADER: &str = include_str!("../../../include/neargrid.h");

/// The version of the library: another package may compile this file.
fn version_of_library() -> &'static str {
    let mut lines = include_str!("../../../Cargo.toml").lines();
    let version = lines.find_map(|line| line.strip_prefix("version = \""));
    version.and_then(|rest| rest.split('"').next()).unwrap_or_default()
}

/// Constants: the versions, and the name of a status.
pub(super) fn constants(status: i32) -> Checked {
    // SAFETY: the texts are static, and end with a NUL.
    let [version, name] = unsafe {
        [neargrid_version(), neargrid_status_name(status)]
            .map(|text| CStr::from_ptr(text).to_str().unwrap_or("no UTF-8"))
    };
    let of_header = HEADER
        .lines()
        .filter_map(|line| line.strip_prefix("#define ")?.split_once(' '))
        .find(|(name, number)| name.starts_with("NEARGRID_STATUS_") && number.parse() == Ok(status));
    let wanted = of_header.map_or("unknown status", |(name, _)| name);
    let is_right = (neargrid_abi_version(), version, name) == (1, version_of_library(), wanted);
    is_right.then_some(()).ok_or(format!(
        "version {version}, status {status} is {name}, {wanted} is right"
    ))
}

impl Run {
    /// Refused on a handle without ranks, whatever the arguments.
    pub(super) fn for_ranks(&mut self, h: usize, which: usize, nulls: u8) -> Checked {
        let mut checks = Checks::default();
        checks.must(h == 2, NULL_POINTER);
        checks.must(h < 2, BAD_STATE);
        checks.may(nulls != 0, NULL_POINTER);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        let n = self.arena.write::<i64>(1, is_null(0));
        let status = match which {
            0..4 => {
                let (ids, ranks) = (self.arena.lend::<i64>(is_null(1)), self.arena.lend::<i32>(is_null(2)));
                if which.is_multiple_of(2) {
                    let positions = self.arena.lend::<f32>(is_null(3));
                    match which {
                        0 => call!(self, h, neargrid_ghosts_view_f32(n, ids, ranks, positions)),
                        _ => call!(self, h, neargrid_knn_ghosts_view_f32(n, ids, ranks, positions)),
                    }
                } else {
                    let positions = self.arena.lend::<f64>(is_null(3));
                    match which {
                        1 => call!(self, h, neargrid_ghosts_view_f64(n, ids, ranks, positions)),
                        _ => call!(self, h, neargrid_knn_ghosts_view_f64(n, ids, ranks, positions)),
                    }
                }
            }
            4 | 5 => {
                let ids = self.arena.read(&[1_i64, 2], is_null(1));
                if which == 4 {
                    let [x, y, z] = self.arena.read(&[1.0_f32; 6], false).of_axes();
                    call!(self, h, neargrid_migration_plan_f32(3, 2_i64, x, y, z, 12_i64, ids, n))
                } else {
                    let [x, y, z] = self.arena.read(&[1.0_f64; 6], false).of_axes();
                    call!(self, h, neargrid_migration_plan_f64(3, 2_i64, x, y, z, 24_i64, ids, n))
                }
            }
            _ => {
                let from = Untyped(self.arena.read(&[7_u8; 16], is_null(1)));
                let to = UntypedOut(self.arena.write::<u8>(16, is_null(2)));
                match which {
                    6 => call!(self, h, neargrid_halo_exchange(8_i64, 2_i64, from, 2_i64, to)),
                    _ => call!(self, h, neargrid_migration_move(8_i64, 2_i64, from, 2_i64, to)),
                }
            }
        };
        self.judge(status, checks.answer(|| ()), None).map(drop)
    }

    /// A refusal that the caller asks for.
    pub(super) fn refuse(&mut self, h: usize, reason: i32, text: usize, null: bool) -> Checked {
        let text = TEXTS[text % TEXTS.len()];
        let mut checks = Checks::default();
        checks.must(h == 2 || null, NULL_POINTER);
        checks.must(reason < 1, BAD_VALUE);
        let is_asked = !checks.is_refused();
        checks.must(is_asked, reason);
        let status = match null {
            true => call!(self, h, neargrid_search_refuse(reason, Nothing)),
            false => call!(self, h, neargrid_search_refuse(reason, text)),
        };
        // An empty reason is one, too.
        let said = text_of_last_error();
        if is_asked && !(status == reason && said.as_bytes() == text.to_bytes()) {
            return Err(format!("refused with {status} ({said}), {reason} ({text:?}) is right"));
        }
        match is_asked {
            true => Ok(()),
            false => self.judge(status, checks.answer(|| ()), None).map(drop),
        }
    }

    /// Elements in another order, and back.
    pub(super) fn reorder(&mut self, call: &Call) -> Checked {
        let Call::Reorder {
            restores,
            base,
            bytes,
            n,
            order,
            in_place,
            nulls,
        } = call
        else {
            return Ok(());
        };
        let (restores, base, bytes, in_place) = (*restores, *base, *bytes, *in_place);
        let (count, each) = (order.len(), bytes.clamp(0, 64) as usize);
        let mut checks = Checks::default();
        checks.must(!(0..=1).contains(&restores), BAD_VALUE);
        checks.must(!(0..=1).contains(&base) || bytes < 1, BAD_VALUE);
        checks.must(n.is_some_and(|n| !(0..=MAX_POINTS).contains(&n)), BAD_COUNT);
        checks.may(n.is_some(), BAD_VALUE);
        let mut seen = vec![false; count];
        let is_new = |&k: &i32| {
            let place = seen.get_mut((i64::from(k) - i64::from(base)) as usize);
            place.is_some_and(|seen| !std::mem::replace(seen, true))
        };
        checks.must(!order.iter().all(is_new), BAD_VALUE);
        let is_null = |k: u32| nulls >> k & 1 != 0;
        let some_null = is_null(0) || is_null(1) || !in_place && is_null(2);
        checks.must(some_null && count > 0, NULL_POINTER);
        let from: Vec<u8> = (0..count * each).map(|k| (k * 37 + 11) as u8).collect();
        let want = checks.answer(|| {
            let mut to = from.clone();
            for (k, &place) in order.iter().enumerate() {
                let place = (place - base) as usize;
                let (into, out_of) = if restores == 1 { (place, k) } else { (k, place) };
                to[into * each..][..each].copy_from_slice(&from[out_of * each..][..each]);
            }
            to
        });
        let order = self.arena.read(order, is_null(0));
        let (source, to) = match in_place {
            true => {
                let both = self.arena.change(&from, is_null(1));
                let source = In {
                    pointer: both.pointer.cast_const(),
                };
                (Untyped(source), both)
            }
            false => {
                let source = self.arena.read(&from, is_null(1));
                (Untyped(source), self.arena.write::<u8>(from.len(), is_null(2)))
            }
        };
        let into = UntypedOut(to.clone());
        let status = call!(
            self,
            neargrid_reorder(restores, n.unwrap_or(count as i64), order, base, bytes, source, into)
        );
        match self.judge(status, want, None)? {
            Some(wanted) if count > 0 => same("elements in order", &to.values(), &wanted),
            None if in_place && !is_null(1) => same("elements of a refused call", &to.values(), &from),
            _ => Ok(()),
        }
    }
}

/// No text.
struct Nothing;

impl Argument for Nothing {
    type Raw = *const std::ffi::c_char;
    fn raw(&self) -> Self::Raw {
        std::ptr::null()
    }
    fn value(&self, _: &Arena) -> Value {
        Value::Null
    }
}

/// Bytes that are elements of any type.
struct Untyped(In<u8>);
struct UntypedOut(Out<u8>);

impl Argument for Untyped {
    type Raw = *const c_void;
    fn raw(&self) -> Self::Raw {
        self.0.pointer.cast()
    }
    fn value(&self, arena: &Arena) -> Value {
        self.0.value(arena)
    }
}

impl Argument for UntypedOut {
    type Raw = *mut c_void;
    fn raw(&self) -> Self::Raw {
        self.0.pointer.cast()
    }
    fn value(&self, arena: &Arena) -> Value {
        self.0.value(arena)
    }
}
