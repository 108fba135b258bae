//! Loops over rows as users write them. In: a cloud, its rows, values of its points. Out: a value for each point, with the bits that a
//! formula gives.

use std::ops::{Add, Div, Mul, Neg, Sub};

use neargrid::{Neighbors, Precision};

use crate::cloud::Cloud;

/// Numbers to compute with.
pub trait Float:
    Precision + Neg<Output = Self> + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
}

impl Float for f32 {}
impl Float for f64 {}

/// Gives each element what `value` makes of its number, by that many threads; 0 is all that there are.
pub fn each<R: Send>(threads: usize, values: &mut [R], value: impl Fn(usize) -> R + Sync) {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if threads == 0 { all() } else { threads };
    let length = values.len().div_ceil(8 * threads).max(1);
    let pieces = std::sync::Mutex::new(values.chunks_mut(length).enumerate());
    std::thread::scope(|scope| {
        let work = || {
            loop {
                let next = pieces.lock().map(|mut pieces| pieces.next());
                let Ok(Some((piece, values))) = next else { return };
                for (k, place) in values.iter_mut().enumerate() {
                    *place = value(piece * length + k);
                }
            }
        };
        (1..threads).for_each(|_| drop(scope.spawn(work)));
        work();
    });
}

/// The neighbors of a point.
#[inline]
pub fn row<'a>(rows: &Neighbors<'a>, i: usize) -> &'a [i32] {
    &rows.ids[rows.offsets[i] as usize..rows.offsets[i + 1] as usize]
}

/// The vector from a neighbor to a point, or to its nearest image.
#[inline(always)]
pub fn between<T: Float, F: Float, const DIM: usize>(periodic: bool, x: &[T; DIM], y: &[T; DIM]) -> [F; DIM] {
    let (half, one) = (T::from_f64(0.5), T::from_f64(1.0));
    std::array::from_fn(|axis| {
        let d = x[axis] - y[axis];
        let nearest = match periodic {
            true if d > half => d - one,
            true if d < -half => d + one,
            _ => d,
        };
        F::from_f64(nearest.to_f64())
    })
}

#[inline(always)]
pub fn dot<F: Float, const DIM: usize>(a: &[F; DIM], b: &[F; DIM]) -> F {
    (1..DIM).fold(a[0] * b[0], |sum, axis| sum + a[axis] * b[axis])
}

/// The cutoff as formulas have it.
pub fn cutoff<T: Float, F: Float>(cloud: &Cloud<T>) -> F {
    F::from_f64(T::from_f64(cloud.cutoff).to_f64())
}

/// Wendland's kernel of degree two, not normalized.
#[inline(always)]
pub fn kernel<F: Float>(r: F, c: F) -> F {
    let t = F::from_f64(1.0) - r / c;
    (t * t) * (t * t) * (F::from_f64(4.0) * r / c + F::from_f64(1.0))
}

/// Values of all particles.
pub struct Fluid<'a, F> {
    pub m: &'a [F],
    pub rho: &'a [F],
    pub p: &'a [F],
    pub v: &'a [F],
}

/// Acceleration and density rate of a particle by pressure and Monaghan's viscosity.
#[inline]
pub fn momentum<T: Float, F: Float, const DIM: usize>(
    (x, periodic, c): (&[T], bool, F),
    fluid: &Fluid<F>,
    row: &[i32],
    i: usize,
) -> ([F; DIM], F) {
    let ((x, _), (v, _)) = (x.as_chunks::<DIM>(), fluid.v.as_chunks::<DIM>());
    let (zero, one, two) = (F::default(), F::from_f64(1.0), F::from_f64(2.0));
    let (rho, h) = (fluid.rho[i], c / two);
    let own = fluid.p[i] / (rho * rho);
    let (mut a, mut rate) = ([zero; DIM], zero);
    for &j in row {
        let j = j as usize;
        let d: [F; DIM] = between(periodic, &x[i], &x[j]);
        let r2 = dot(&d, &d);
        let t = one - r2.sqrt() / c;
        let slope = -F::from_f64(20.0) * ((t * t) * t) / (c * c);
        let relative: [F; DIM] = std::array::from_fn(|axis| v[i][axis] - v[j][axis]);
        let vr = dot(&relative, &d);
        let approach = if zero < vr { zero } else { vr };
        let mu = h * approach / (r2 + h * h / F::from_f64(100.0));
        let other = fluid.rho[j];
        let f = -fluid.m[j] * (own + fluid.p[j] / (other * other) - mu / ((rho + other) / two)) * slope;
        (0..DIM).for_each(|axis| a[axis] = a[axis] + f * d[axis]);
        rate = rate + fluid.m[j] * vr * slope;
    }
    (a, rate)
}
