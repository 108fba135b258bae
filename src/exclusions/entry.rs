//! Entries of a row before they are sorted: a point, all images of which are excluded or the one by a shift, and a class.

use crate::error::{Error, Result, Status};

/// The shift of an image: how often each vector of a cell is added to a point.
pub type Shift = [i32; 3];

/// The largest class. Pairs that are not excluded have class 0.
pub const MOST_CLASS: i32 = 3;

/// Bits of a class below an id.
const CLASS_BITS: u32 = 2;

const _: () = assert!(MOST_CLASS < 1 << CLASS_BITS);

/// A point that a row excludes, with the class of the pair. Entries sort by the point, then by the shift.
pub trait Entry: Ord + Copy {
    fn new(id: u32, class: u8, shift: Shift) -> Self;

    fn id(&self) -> u32;

    fn class(&self) -> u8;

    /// The shift of the one image that is excluded; `None` where all are.
    fn shift(&self) -> Option<Shift>;
}

/// A point with all its images.
impl Entry for u64 {
    fn new(id: u32, class: u8, _: Shift) -> u64 {
        u64::from(id) << CLASS_BITS | u64::from(class)
    }

    fn id(&self) -> u32 {
        (self >> CLASS_BITS) as u32
    }

    fn class(&self) -> u8 {
        (self & ((1 << CLASS_BITS) - 1)) as u8
    }

    fn shift(&self) -> Option<Shift> {
        None
    }
}

/// A point with one image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shifted {
    id: u32,
    shift: Shift,
    class: u8,
}

impl Entry for Shifted {
    fn new(id: u32, class: u8, shift: Shift) -> Shifted {
        Shifted { id, shift, class }
    }

    fn id(&self) -> u32 {
        self.id
    }

    fn class(&self) -> u8 {
        self.class
    }

    fn shift(&self) -> Option<Shift> {
        Some(self.shift)
    }
}

/// The shift by which the other point of a pair sees the first.
pub fn opposite(shift: Shift) -> Shift {
    shift.map(|by| -by)
}

/// Refuses shifts that are not as many as `ids` say, and a number that has no opposite.
pub fn check_shifts(shifts: &[Shift], ids: usize, base: i64) -> Result<()> {
    if shifts.len() != ids {
        let (what, allowed) = ("number of shifts", format_args!("{ids}, the number of ids"));
        return Err(Error::not_allowed(Status::BadCount, what, shifts.len(), allowed));
    }
    match shifts.iter().position(|shift| shift.contains(&i32::MIN)) {
        None => Ok(()),
        Some(at) => {
            let value = format_args!("{} of element {}", i32::MIN, at as i64 + base);
            let allowed = format_args!("{} to {}", -i32::MAX, i32::MAX);
            Err(Error::not_allowed(Status::BadValue, "shifts", value, allowed))
        }
    }
}
