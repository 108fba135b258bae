//! The way home of values that a run has left on a GPU.

use crate::error::Result;
use crate::fields::Field;
use crate::gpu::{FieldOf, Gpu};
use crate::list::{Rows, resize_discarding};
use crate::points::{Points, Precision};
use crate::threads::Team;
use crate::version::Version;

const WHAT: &str = "values of a run on the GPU";

/// A field of a version on the GPU, in a precision.
pub fn field_in<T: Precision>(version: Version) -> FieldOf {
    (version, size_of::<T>() / size_of::<u32>())
}

/// A field on the GPU.
pub fn field_of(field: &Field) -> FieldOf {
    match field.view().is_single() {
        true => field_in::<f32>(field.version),
        false => field_in::<f64>(field.version),
    }
}

/// The field that points are on the GPU, where it alone has them.
pub fn points_of<T: Precision>(points: &Points<T>) -> Option<FieldOf> {
    points.on_device().map(field_in::<T>)
}

/// Brings the numbers of a field home.
pub fn fetch<T: Precision>(
    gpu: &mut Gpu,
    version: Version,
    numbers: usize,
    values: &mut Vec<T>,
    team: &Team,
) -> Result<()> {
    if values.len() != numbers {
        resize_discarding(values, numbers, T::default(), WHAT)?;
    }
    let mut rows = Rows::new(values);
    let cells = rows.cells();
    gpu.fetch_field((field_in::<T>(version), numbers), team, &|first, bytes| {
        let fetched = bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned);
        for (at, number) in (first / size_of::<T>()..).zip(fetched) {
            cells.put(at, number);
        }
    })
}
