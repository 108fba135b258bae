//! The kernels of formulas, which a process keeps for all handles.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::error::{Error, Result};
use crate::gpu::device::Device;
use crate::gpu::device::FloatControls;
use crate::gpu::kernels::{Kernel, Row, Stage, TABLE_OF_SUMS};
use crate::gpu::shader::{self, Form, Piece};
use crate::gpu::strict;

/// Formulas whose kernels a process keeps.
const KEPT: usize = 64;

/// The stages that are made for a formula.
type OfFormula = [(Stage, Kernel); 2];

/// Those of a formula on a device.
struct Compiled {
    device: Weak<Device>,
    form: Form,
    pieces: Vec<Piece>,
    kernels: OfFormula,
}

/// The kernels of the formula of `pieces`, compiled at its first use. No lock is held meanwhile.
pub fn of(device: &Arc<Device>, form: Form, pieces: &[Piece], controls: FloatControls) -> Result<OfFormula> {
    static COMPILED: Mutex<Vec<Compiled>> = Mutex::new(Vec::new());
    let lock = || COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_wanted = |known: &&Compiled| {
        known.device.as_ptr() == Arc::as_ptr(device) && known.form == form && known.pieces == pieces
    };
    if let Some(known) = lock().iter().find(is_wanted) {
        return Ok(known.kernels.clone());
    }
    let [_, columns, sum] = &TABLE_OF_SUMS;
    let kernels = [
        compile(device, columns, form, pieces, controls)?,
        compile(device, sum, form, pieces, controls)?,
    ];
    let mut compiled = lock();
    compiled.retain(|known| known.device.strong_count() > 0);
    if compiled.len() == KEPT {
        compiled.remove(0);
    }
    compiled.push(Compiled {
        device: Arc::downgrade(device),
        form,
        pieces: pieces.to_vec(),
        kernels: kernels.clone(),
    });
    Ok(kernels)
}

fn compile(
    device: &Device,
    &(stage, file, entry, slots): &Row,
    form: Form,
    pieces: &[Piece],
    controls: FloatControls,
) -> Result<(Stage, Kernel)> {
    let source = shader::expand_with(file, form, pieces).ok_or_else(|| Error::Internal {
        text: format!("shader {file} has an import that does not exist").into(),
    })?;
    Ok((stage, strict::kernel(device, [file, entry], &source, slots, controls)?))
}
