//! Arrays of the caller, moved by a permutation.

use crate::arguments::{allowed_points, check_len};
use crate::error::{Error, Result, Status, words};
use crate::list::{Out, reserve_discarding, resize_discarding};

/// The direction in which an array is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `to[k] = from[order[k]]`.
    Reorder,
    /// `to[order[k]] = from[k]`, which undoes the other.
    Restore,
}

/// Permutes a slice: `to[k] = from[order[k]]`, for example with the order of [`Search::order`](crate::Search::order).
/// The numbers in `order` start at `base`, 0 or 1. All three slices have the same length. `order` must contain each
/// number once; this is checked before anything is written, and takes one bit of memory for each element.
///
/// ```
/// let mut mass = [0.0; 3];
/// neargrid::reorder(&[2, 0, 1], 0, &[1.5, 2.5, 3.5], &mut mass)?;
/// assert_eq!(mass, [3.5, 1.5, 2.5]);
/// # Ok::<(), neargrid::Error>(())
/// ```
pub fn reorder<T: Copy + Send>(order: &[i32], base: i64, from: &[T], to: &mut [T]) -> Result<()> {
    move_array(Direction::Reorder, order, base, 1, from, Out::new(to))
}

/// Reverses [`reorder`]: `to[order[k]] = from[k]`.
pub fn restore<T: Copy + Send>(order: &[i32], base: i64, from: &[T], to: &mut [T]) -> Result<()> {
    move_array(Direction::Restore, order, base, 1, from, Out::new(to))
}

/// [`reorder`] or [`restore`] of elements that are `width` of `T` each.
pub fn move_array<T: Copy + Send>(
    direction: Direction,
    order: &[i32],
    base: i64,
    width: usize,
    from: &[T],
    mut to: Out<T>,
) -> Result<()> {
    check_len("the length of from", from.len(), order.len() * width)?;
    check_len("the length of to", to.len(), order.len() * width)?;
    check_permutation(order, base)?;
    for (k, &number) in order.iter().enumerate() {
        let number = (i64::from(number) - base) as usize;
        let (source, target) = match direction {
            Direction::Reorder => (number, k),
            Direction::Restore => (k, number),
        };
        to.write_all(target * width, &from[source * width..(source + 1) * width]);
    }
    Ok(())
}

/// [`move_array`] within one array, by a copy of it.
pub fn move_in_place<T: Copy + Send>(
    direction: Direction,
    order: &[i32],
    base: i64,
    width: usize,
    array: &mut [T],
) -> Result<()> {
    let mut from = Vec::new();
    reserve_discarding(&mut from, array.len(), "a copy of the array to reorder")?;
    from.extend_from_slice(array);
    move_array(direction, order, base, width, &from, Out::new(array))
}

/// Refuses the first of `order` that is out of range or was there before.
fn check_permutation(order: &[i32], base: i64) -> Result<()> {
    if !(0..=1).contains(&base) {
        return Err(Error::not_allowed(Status::BadValue, "base", base, "0 or 1"));
    }
    let mut seen = Vec::new();
    resize_discarding(&mut seen, order.len().div_ceil(64), 0u64, "checking a permutation")?;
    for (k, &number) in order.iter().enumerate() {
        let place = i64::from(number) - base;
        let bit = 1 << (place & 63);
        if !(0..order.len() as i64).contains(&place) || seen[place as usize / 64] & bit != 0 {
            return Err(Error::Element {
                argument: "order",
                position: k as i64 + base,
                value: number.into(),
                allowed: words(format_args!("{}, each once", allowed_points(order.len(), base))),
            });
        }
        seen[place as usize / 64] |= bit;
    }
    Ok(())
}
