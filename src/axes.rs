//! Values per axis.

/// An array of `of(0)`, `of(1)` and so on. `std::array::from_fn` does the same for elements of any type, with a destructor or
/// without. So it takes several times as long to compile, and this is needed for every type, dimension and instruction set.
#[inline(always)]
pub fn per_axis<A: Copy, const DIM: usize>(mut of: impl FnMut(usize) -> A) -> [A; DIM] {
    let mut values = [of(0); DIM];
    let mut axis = 1;
    while axis < DIM {
        values[axis] = of(axis);
        axis += 1;
    }
    values
}
