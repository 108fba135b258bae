//! Values per axis.

/// An array of `of(0)`, `of(1)` and so on. `std::array::from_fn` does the same for elements of any type, with a
/// destructor or without. So it takes several times as long to compile, and this is needed for every type, dimension
/// and instruction set.
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

/// An expression that is compiled for each number of axes.
macro_rules! in_dim {
    ($dim:expr, $name:ident => $body:expr) => {
        match $dim {
            1 => {
                const $name: usize = 1;
                $body
            }
            2 => {
                const $name: usize = 2;
                $body
            }
            _ => {
                const $name: usize = 3;
                $body
            }
        }
    };
}
pub(crate) use in_dim;
