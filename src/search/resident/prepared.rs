//! Stages that are prepared once for all steps of a run. In: a text and the shapes of its fields. Out: a shader for each stage, or the
//! reason why the device does not evaluate one.

use crate::error::Result;
use crate::fields::{Field, Fields, Of};
use crate::formula::{Formula, Schedule, StageKind, StageOfText, SumPrecision};
use crate::gpu::{Attempt, Shader, ShaderMakes};
use crate::list::push;
use crate::search::sum::device::{Place, shader_of};
use crate::search::sum::put::Shape;

const WHAT: &str = "a run on the GPU";

/// Evaluates an expression with the type of a precision.
macro_rules! by_number {
    ($precision:expr, $number:ident => $body:expr) => {
        match $precision {
            SumPrecision::Single => {
                type $number = f32;
                $body
            }
            SumPrecision::Double => {
                type $number = f64;
                $body
            }
        }
    };
}
pub(super) use by_number;

/// A stage for the device. None of numbers.
pub struct Prepared {
    pub schedule: Schedule,
    pub shader: Option<Shader>,
}

/// The shaders of all stages, or why the device does not evaluate one of them.
pub fn prepare(
    formula: &Formula,
    given: &Fields,
    stages: &[StageOfText],
    place: &Place,
) -> Result<Attempt<Vec<Prepared>>> {
    let (syntax, mut prepared) = (formula.syntax(), Vec::new());
    let shapes = match shapes(formula, given, stages, place.positions())? {
        Ok(shapes) => shapes,
        Err(why) => return Ok(Err(why)),
    };
    let mut positions = syntax.points.and_then(|name| syntax.fields.initial(name));
    for stage in stages {
        let schedule = Schedule::new(&stage.program, true)?;
        let mut makes = Vec::new();
        let (precision, of_points) = match stage.kind {
            StageKind::Pairs { .. } => (formula.precision(), None),
            StageKind::Points(precision) => {
                for statement in syntax.statements_of(&stage.statements) {
                    let made = match statement.makes.total() {
                        Some(reduction) => ShaderMakes::Total(reduction),
                        None if syntax.is_of_points(statement) => ShaderMakes::Positions,
                        None => ShaderMakes::Field,
                    };
                    push(&mut makes, made, WHAT)?;
                }
                let moves = makes.iter().filter(|made| **made == ShaderMakes::Positions);
                if moves.count() > 1 {
                    return Ok(Err("points that move twice at once"));
                }
                (precision, Some(&makes[..]))
            }
            StageKind::Numbers => {
                let shader = None;
                push(&mut prepared, Prepared { schedule, shader }, WHAT)?;
                continue;
            }
        };
        let program = (&stage.program, &schedule);
        let shader = match by_number!(precision, F => {
            let tables = formula.tables::<F>()?;
            shader_of::<F>(program, &tables, (&shapes, positions), place, of_points)?
        }) {
            Ok(shader) => Some(shader),
            Err(why) => return Ok(Err(why)),
        };
        if makes.contains(&ShaderMakes::Positions) {
            let mut statements = syntax.statements_of(&stage.statements);
            positions = statements.find(|made| syntax.is_of_points(made)).map(|made| made.slot);
        }
        push(&mut prepared, Prepared { schedule, shader }, WHAT)?;
    }
    Ok(Ok(prepared))
}

/// Of each slot the components, and whether they are in real64.
fn shapes(formula: &Formula, given: &Fields, stages: &[StageOfText], positions: Shape) -> Result<Attempt<Vec<Shape>>> {
    let (syntax, mut shapes) = (formula.syntax(), Vec::new());
    for (slot, known) in (0..).zip(&syntax.fields.slots) {
        let field = given.find(formula.field_name(slot), Of::Points).map(Field::view);
        let shape = match Some(known.name) == syntax.points {
            true => positions,
            false => field.map_or((1, false), |view| (view.components, !view.is_single())),
        };
        push(&mut shapes, shape, WHAT)?;
    }
    for stage in stages {
        let precision = match stage.kind {
            StageKind::Pairs { .. } => formula.precision(),
            StageKind::Points(precision) => precision,
            StageKind::Numbers => continue,
        };
        for (statement, output) in syntax.statements_of(&stage.statements).zip(&stage.program.outputs) {
            if statement.makes.total().is_none() {
                shapes[statement.slot as usize] = (output.width, precision == SumPrecision::Double);
            }
        }
    }
    // A run begins with what the one before has made.
    for (slot, known) in (0..).zip(&syntax.fields.slots) {
        let Some(last) = syntax.fields.last(known.name).map(|last| shapes[last as usize]) else {
            continue;
        };
        let is_initial = known.made_by.is_none();
        if last.1 != shapes[slot].1 || is_initial && last != shapes[slot] {
            return Ok(Err("a field whose precision changes"));
        }
    }
    Ok(Ok(shapes))
}
