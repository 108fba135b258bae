//! The text of steps: a line for each, with an arm for each operation in the order of the program.

use std::fmt::{self, Write};

use super::Writer;
use super::inputs::{Component, PlacedTable};
use super::record::{Content, LANES};
use crate::formula::program::{Kind, Side};
use crate::formula::schedule::{Stage, Step, What};

/// The text of an operand.
pub(super) struct Operand<'a> {
    names: &'a [u32],
    uniform: usize,
    register: u32,
}

impl fmt::Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let register = self.register as usize;
        match register < self.uniform {
            true => write!(f, "summed.uniforms[{}][{}]", register / LANES, register % LANES),
            false => write!(f, "v{}", self.names[register]),
        }
    }
}

impl Writer<'_> {
    pub(super) fn operand<'a>(&self, names: &'a [u32], register: u32) -> Operand<'a> {
        Operand {
            names,
            uniform: self.schedule.uniform,
            register,
        }
    }

    /// The steps of a stage. Returns the number of the value that each register has in the end.
    pub(super) fn steps(&self, text: &mut String, stage: Stage) -> std::result::Result<Vec<u32>, fmt::Error> {
        let mut names = vec![0; self.schedule.registers];
        let shared = self.shared_divisors(stage);
        let mut made = Vec::new();
        for (number, step) in (0..).zip(&self.schedule.stages[stage as usize]) {
            if let What::Keep(column) = step.what {
                let value = self.operand(&names, step.operands[0]);
                match stage {
                    Stage::Row => writeln!(text, "    row_{column} = {value};")?,
                    _ if self.record.aliases[column].is_none() => {
                        writeln!(text, "    {} = {value};", self.record.column(column))?;
                    }
                    _ => (), // the field is there
                }
                continue;
            }
            match self.divisor_of(step, &names).filter(|by| shared.contains(by)) {
                Some(by) => {
                    if !made.contains(&by) {
                        made.push(by);
                        writeln!(text, "    let divisor_{by} = divisor_of(v{by});")?;
                    }
                    let dividend = self.operand(&names, step.operands[0]);
                    writeln!(text, "    let v{number} = divide_by({dividend}, divisor_{by});")?;
                }
                None => {
                    write!(text, "    let v{number} = ")?;
                    self.value(text, &names, step)?;
                    writeln!(text, ";")?;
                }
            }
            names[step.to as usize] = number;
        }
        Ok(names)
    }

    /// The number of the value that a step divides by, if it is not the same for all pairs.
    fn divisor_of(&self, step: &Step, names: &[u32]) -> Option<u32> {
        let by = step.operands[1] as usize;
        let is_division = matches!(step.what, What::Operation(Kind::Divide)) && !self.is_double;
        let divides = is_division && by >= self.schedule.uniform;
        divides.then(|| names[by])
    }

    /// Those of a stage that several steps divide by, so that the reciprocal is made once.
    fn shared_divisors(&self, stage: Stage) -> Vec<u32> {
        let mut names = vec![0; self.schedule.registers];
        let (mut seen, mut shared) = (Vec::new(), Vec::new());
        for (number, step) in (0..).zip(&self.schedule.stages[stage as usize]) {
            if let Some(by) = self.divisor_of(step, &names) {
                let list = if seen.contains(&by) { &mut shared } else { &mut seen };
                list.push(by);
            }
            if !matches!(step.what, What::Keep(_)) {
                names[step.to as usize] = number;
            }
        }
        shared
    }

    /// The operation of a step.
    fn value(&self, text: &mut String, names: &[u32], step: &Step) -> fmt::Result {
        let [a, b, c] = step.operands.map(|of| self.operand(names, of));
        match step.what {
            What::AddProduct => write!(text, "{a} + {b} * {c}"),
            What::Displace(axis) if self.points.is_wide => write!(text, "d_{axis}"),
            What::Displace(axis) => {
                let other = self.coordinate("j", axis);
                match self.points.is_periodic {
                    true => write!(text, "of_single(to_nearest(x_{axis} - {other}, {axis}u))"),
                    false => write!(text, "of_single(x_{axis} - {other})"),
                }
            }
            What::Spread(Side::I, column) => write!(text, "row_{column}"),
            What::Spread(Side::J, column) => write!(text, "{}", self.record.column(column)),
            What::Read(field, _, component) => {
                let content = Content::Field(Component { field, component });
                write!(text, "{}", self.record.number(content))
            }
            What::Operation(kind) => self.operation(text, kind, [a, b, c]),
            What::Cut => self.cutoff(text),
            What::Class => write!(text, "class_of(i, j)"),
            What::OfPair(..) | What::Keep(_) => Ok(()), // of no step that comes here
        }
    }

    fn operation(&self, text: &mut String, kind: Kind, [a, b, c]: [Operand; 3]) -> fmt::Result {
        match kind {
            Kind::Negate => write!(text, "negated({a})"),
            Kind::Abs => write!(text, "magnitude_of({a})"),
            Kind::Sqrt => write!(text, "square_root({a})"),
            Kind::Exp => write!(text, "exponential({a})"),
            Kind::Log => write!(text, "logarithm({a})"),
            Kind::Sin => write!(text, "sine({a})"),
            Kind::Cos => write!(text, "cosine({a})"),
            Kind::Tan => write!(text, "tangent({a})"),
            Kind::Tanh => write!(text, "hyperbolic_tangent({a})"),
            Kind::Atan2 => write!(text, "angle_of({a}, {b})"),
            Kind::Erf => write!(text, "error_function({a})"),
            Kind::Erfc => write!(text, "complementary_error({a})"),
            Kind::Sign => write!(text, "sign_of({a})"),
            Kind::Floor => write!(text, "floor({a})"),
            Kind::Add => write!(text, "{a} + {b}"),
            Kind::Subtract => write!(text, "{a} - {b}"),
            Kind::Multiply => write!(text, "{a} * {b}"),
            Kind::Divide => match self.divisors.iter().position(|&known| known == b.register) {
                Some(k) => write!(text, "divide_by({a}, summed.divisors[{k}])"),
                None => write!(text, "divide({a}, {b})"),
            },
            Kind::Min => write!(text, "select({a}, {b}, is_less({b}, {a}))"),
            Kind::Max => write!(text, "select({a}, {b}, is_less({a}, {b}))"),
            Kind::Pow => write!(text, "power({a}, {b})"),
            Kind::Less => write!(text, "select(Number(0.0), Number(1.0), is_less({a}, {b}))"),
            Kind::LessEqual => write!(
                text,
                "select(Number(0.0), Number(1.0), is_less({a}, {b}) || is_equal({a}, {b}))"
            ),
            Kind::Equal => write!(text, "select(Number(0.0), Number(1.0), is_equal({a}, {b}))"),
            Kind::NotEqual => write!(text, "select(Number(1.0), Number(0.0), is_equal({a}, {b}))"),
            Kind::Select => write!(text, "select({a}, {b}, is_zero({c}))"),
            Kind::Table(table) => {
                let PlacedTable { at, is_cubic } = self.tables[table as usize];
                let function = if is_cubic { "spline_value" } else { "table_value" };
                write!(
                    text,
                    "{function}({at}u, {a}, tables[{}u], tables[{}u], tables[{}u], tables[{}u])",
                    at - 4,
                    at - 3,
                    at - 2,
                    at - 1
                )
            }
            // The same for all pairs, steps of another kind, or in syntax only.
            Kind::Number { .. } | Kind::Constant(_) | Kind::Cutoff | Kind::Field(..) => Ok(()),
            Kind::Displacement | Kind::Class | Kind::Dot | Kind::Square | Kind::Distance => Ok(()),
            Kind::OfPair(_) | Kind::Component(_) | Kind::Vector(_) | Kind::Cross => Ok(()),
            Kind::And | Kind::Or | Kind::Not => Ok(()),
        }
    }
}
