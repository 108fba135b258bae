//! Checks of arguments: dimensions, counts, lengths, and indices of points. An error names the argument, its value and
//! what is allowed.

use std::fmt::Arguments;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, Result, Status, Words, words};
use crate::threads::Team;

/// The largest number of points of a search, because ids are int32.
pub const MAX_POINTS: i64 = i32::MAX as i64;

/// `dim` must be 1, 2 or 3.
pub fn check_dim(dim: i64) -> Result<usize> {
    match dim {
        1..=3 => Ok(dim as usize),
        _ => Err(Error::not_allowed(Status::BadDim, "dim", dim, "1, 2 or 3")),
    }
}

/// Refuses the name of a field or a pair field that no text can read. A text reads a name with `_i`, `_j` or `_ij` after it.
pub fn check_name(name: &str) -> Result<()> {
    let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    let ends = ["_i", "_j", "_ij", "_ji"].iter().any(|end| name.ends_with(end));
    if is_word && begins && !ends {
        return Ok(());
    }
    const SHOWN: usize = 40;
    let more = if name.chars().nth(SHOWN).is_some() { "..." } else { "" };
    let shown = name.chars().take(SHOWN).flat_map(char::escape_debug);
    let mut value = String::new();
    value.try_reserve(12 * SHOWN).map_err(|_| Error::OutOfMemory {
        what: "a name",
        bytes: 12 * SHOWN as u64,
    })?;
    value.extend(shown);
    let allowed =
        "a letter, and then letters, digits and _, without _i, _j, _ij or _ji at its end: only texts add these";
    let value = format_args!("'{value}{more}'");
    Err(Error::not_allowed(Status::BadValue, "name", value, allowed))
}

/// A count of points must be 0 to [`MAX_POINTS`].
pub fn check_count(argument: &'static str, len: i64) -> Result<usize> {
    if (0..=MAX_POINTS).contains(&len) {
        return Ok(len as usize);
    }
    Err(Error::not_allowed(
        Status::BadCount,
        argument,
        len,
        format_args!("0 to {MAX_POINTS}"),
    ))
}

/// Refuses an array that is not of the length `wanted`.
pub fn check_len(argument: &'static str, len: usize, wanted: usize) -> Result<()> {
    if len == wanted {
        return Ok(());
    }
    Err(Error::not_allowed(Status::BadCount, argument, len, wanted.to_string()))
}

/// Offsets begin at the index base and never descend. Returns how many elements they are of.
pub fn check_offsets(argument: &'static str, offsets: &[i64], base: i64) -> Result<usize> {
    let refused = |at: usize, allowed: Arguments| Error::Element {
        argument,
        position: at as i64 + base,
        value: offsets[at],
        allowed: words(allowed),
    };
    let (Some(&first), Some(&end)) = (offsets.first(), offsets.last()) else {
        return Ok(0);
    };
    if first != base {
        return Err(refused(0, format_args!("{base}, the index base")));
    }
    match offsets.windows(2).position(|two| two[1] < two[0]) {
        Some(k) => {
            let allowed = format_args!("at least {}, the element before it", offsets[k]);
            Err(refused(k + 1, allowed))
        }
        None => Ok((end - base) as usize),
    }
}

/// Refuses the first of `ids` that is not one of `points` in the caller's index base.
pub fn check_ids(argument: &'static str, ids: &[i32], points: usize, base: i64, team: &Team) -> Result<()> {
    const IDS: usize = 1 << 14;
    let first = AtomicUsize::new(usize::MAX);
    // At most 2^31 - 1 points: what lies below the base wraps to more.
    let is_wrong = |id: i32| id.wrapping_sub(base as i32) as u32 >= points as u32;
    team.run(&mut vec![(); team.threads()], ids.len().div_ceil(IDS), |(), task| {
        let piece = &ids[task * IDS..((task + 1) * IDS).min(ids.len())];
        // Without an early end the compiler vectorises the loop.
        if piece.iter().fold(false, |wrong, &id| wrong | is_wrong(id))
            && let Some(k) = piece.iter().position(|&id| is_wrong(id))
        {
            first.fetch_min(task * IDS + k, Ordering::Relaxed);
        }
        Ok(())
    })?;
    match first.into_inner() {
        usize::MAX => Ok(()),
        at => Err(Error::Element {
            argument,
            position: at as i64 + base,
            value: ids[at].into(),
            allowed: allowed_points(points, base),
        }),
    }
}

/// The numbers of points, in words.
pub fn allowed_points(points: usize, base: i64) -> Words {
    match points {
        0 => "one of the points, of which there are none".into(),
        _ => words(format_args!("{base} to {}", points as i64 - 1 + base)),
    }
}
