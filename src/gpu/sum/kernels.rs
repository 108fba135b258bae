//! The kernels of formulas, which a process keeps for all handles.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use crate::error::{Error, Result};
use crate::gpu::beside::{self, Later};
use crate::gpu::device::Device;
use crate::gpu::device::FloatControls;
use crate::gpu::kernels::{Kernel, Row, Stage, TABLE_OF_SUMS};
use crate::gpu::shader::{self, Form, Piece};
use crate::gpu::strict;
use crate::gpu::sum::program::FORMULA_POINT;

/// Formulas whose kernels a process keeps.
const KEPT: usize = 64;

/// The stages that are made for a formula.
type OfFormula = Vec<(Stage, Kernel)>;

/// A formula on a device, and its kernels once they are compiled.
struct Place {
    device: Weak<Device>,
    form: Form,
    pieces: Vec<Piece>,
    controls: FloatControls,
    made: OnceLock<OfFormula>,
    later: Arc<Later>,
}

/// The kernels of the formula of `pieces`, compiled at its first use. No lock is held meanwhile. Who is in a
/// [hurry](beside::Hurry) is told that they are late.
pub fn of(device: &Arc<Device>, form: Form, pieces: &[Piece], controls: FloatControls) -> Result<OfFormula> {
    let place = place_of(device, form, pieces, controls);
    if let Some(made) = place.made.get() {
        return Ok(made.clone());
    }
    if beside::is_in_hurry() {
        let (device, of) = (device.clone(), place.clone());
        let work = move || of.make(&device).map(drop);
        return Err(place.later.ask(beside::COMPILING, work));
    }
    place.make(device)
}

impl Place {
    fn make(&self, device: &Device) -> Result<OfFormula> {
        let [_, _, columns, of_blocks, by_radii, each_point] = &TABLE_OF_SUMS;
        let is_of_points = self.pieces.iter().any(|(name, _)| *name == FORMULA_POINT);
        let rows: &[&Row] = match (is_of_points, self.form.radii) {
            (true, _) => &[each_point],
            (false, true) => &[columns, by_radii],
            (false, false) => &[columns, of_blocks],
        };
        let compile = |row: &&Row| compile(device, row, self.form, &self.pieces, self.controls);
        let made = rows.iter().map(compile).collect::<Result<_>>()?;
        Ok(self.made.get_or_init(|| made).clone())
    }
}

fn place_of(device: &Arc<Device>, form: Form, pieces: &[Piece], controls: FloatControls) -> Arc<Place> {
    static PLACES: Mutex<Vec<Arc<Place>>> = Mutex::new(Vec::new());
    let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    places.retain(|known| known.device.strong_count() > 0);
    let is_wanted = |known: &&Arc<Place>| {
        known.device.as_ptr() == Arc::as_ptr(device) && known.form == form && known.pieces == pieces
    };
    if let Some(known) = places.iter().find(is_wanted) {
        return known.clone();
    }
    if places.len() == KEPT {
        places.remove(0);
    }
    let place = Arc::new(Place {
        device: Arc::downgrade(device),
        form,
        pieces: pieces.to_vec(),
        controls,
        made: OnceLock::new(),
        later: Arc::default(),
    });
    places.push(place.clone());
    place
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
