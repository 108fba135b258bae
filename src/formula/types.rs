//! From syntax to the program. In: expressions, the dimension of the points, and which fields and pair fields are vectors. Out: the
//! operations, each with its shape; what is written twice is computed once, and what no output needs is left out.

mod compound;

use std::collections::HashMap;

use super::hints::Written;
use super::names::Slot;
use super::parse::{Node, POINTS, Statement, Syntax};
use super::program::{AXES, At, Kind, Makes, Operation, Side};
use super::typed::Typed;
use crate::error::{Error, Result, words};
use crate::list::push;

/// Operations of a formula, at most.
const MOST_OPERATIONS: usize = 1 << 16;

const WHAT: &str = "the operations of a formula";

/// The form of a result. In 1D, vectors are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Number,
    Vector,
    Condition,
}

struct Typer<'a> {
    text: &'a str,
    syntax: &'a Syntax,
    dim: usize,
    is_vector: Vectors<'a>,
    /// Of each node so far: its shape and its operation.
    typed: Vec<(Form, u32)>,
    operations: Vec<Operation>,
    known: HashMap<Operation, u32>,
}

/// Says which fields, by their names, are vectors where no statement has made them, and which pair fields.
#[derive(Clone, Copy)]
pub struct Vectors<'a> {
    pub fields: &'a dyn Fn(u32, Side) -> bool,
    pub pairs: &'a dyn Fn(u32) -> bool,
}

/// The operations of a text for points of `dim` axes.
pub fn typed(text: &str, syntax: &Syntax, dim: usize, is_vector: Vectors) -> Result<Typed> {
    let mut typer = Typer {
        text,
        syntax,
        dim,
        is_vector,
        typed: Vec::new(),
        operations: Vec::new(),
        known: HashMap::new(),
    };
    for node in &syntax.nodes {
        let typed = typer.node(node)?;
        push(&mut typer.typed, typed, WHAT)?;
    }
    let mut terms = Vec::new();
    for statement in &syntax.statements {
        let node = &syntax.nodes[statement.node as usize];
        let (form, operation) = typer.typed[statement.node as usize];
        if form == Form::Condition {
            return Err(typer.wrong_condition(node));
        }
        typer.check_value(statement, node, form)?;
        let width = if form == Form::Vector { dim } else { 1 };
        push(&mut terms, (operation, width), WHAT)?;
    }
    Ok(Typed {
        dim,
        operations: typer.operations,
        terms,
    })
}

impl<'a> Typer<'a> {
    fn emit(&mut self, kind: Kind, operands: [u32; 3], shape: Form) -> Result<u32> {
        let operation = Operation {
            kind,
            operands,
            is_vector: shape == Form::Vector,
        };
        if let Some(&known) = self.known.get(&operation) {
            return Ok(known);
        }
        self.known.try_reserve(1).map_err(|_| Error::OutOfMemory {
            what: WHAT,
            bytes: (self.known.len() * size_of::<(Operation, u32)>()) as u64,
        })?;
        let number = self.operations.len() as u32;
        self.known.insert(operation, number);
        push(&mut self.operations, operation, WHAT)?;
        Ok(number)
    }

    /// The form of `dim` numbers for each point.
    fn vector(&self) -> Form {
        if self.dim == 1 { Form::Number } else { Form::Vector }
    }

    fn shape(&self, node: u32) -> Form {
        self.typed[node as usize].0
    }

    fn written(&self, node: u32) -> Written<'a> {
        let [start, end] = self.syntax.nodes[node as usize].bytes;
        Written(&self.text[start..end])
    }

    fn node(&mut self, node: &Node) -> Result<(Form, u32)> {
        if self.operations.len() >= MOST_OPERATIONS {
            return Err(node.at.wrong(format_args!(
                "more than {MOST_OPERATIONS} operations: divide the formula"
            )));
        }
        let used = &node.operands[..node.kind.operands()];
        let are_numbers = match node.kind {
            Kind::Select => &used[..2],
            Kind::And | Kind::Or | Kind::Not => &[],
            _ => used,
        };
        if let Some(&condition) = are_numbers.iter().find(|&&of| self.shape(of) == Form::Condition) {
            return Err(self.wrong_condition(&self.syntax.nodes[condition as usize]));
        }
        let shape = self.shape_of(node)?;
        let operands = node
            .operands
            .map(|of| self.typed.get(of as usize).map_or(0, |typed| typed.1));
        let mut all = [0; 3];
        all[..used.len()].copy_from_slice(&operands[..used.len()]);
        let operation = match node.kind {
            Kind::Square | Kind::Distance => {
                let d = self.emit(Kind::Displacement, [0; 3], self.vector())?;
                let square = self.dot(d, d)?;
                match node.kind {
                    Kind::Square => square,
                    _ => self.emit(Kind::Sqrt, [square, 0, 0], Form::Number)?,
                }
            }
            Kind::Dot => self.dot(all[0], all[1])?,
            Kind::Cross => self.cross(all[0], all[1])?,
            Kind::Component(_) | Kind::Vector(_) if self.dim == 1 => all[0],
            // A condition is 1 where it holds and 0 elsewhere.
            Kind::And => self.emit(Kind::Multiply, all, shape)?,
            Kind::Or => self.emit(Kind::Max, all, shape)?,
            Kind::Not => {
                let one = self.one()?;
                self.emit(Kind::Subtract, [one, all[0], 0], shape)?
            }
            Kind::Pow => match self.whole_exponent(node.operands[1]) {
                Some(exponent) => self.whole_power(all[0], exponent)?,
                None => self.emit(Kind::Pow, all, shape)?,
            },
            kind => self.emit(kind, all, shape)?,
        };
        Ok((shape, operation))
    }

    /// The shape of a node, or what is wrong with the shapes of its operands.
    fn shape_of(&self, node: &Node) -> Result<Form> {
        let [a, b, c] = node.operands;
        Ok(match node.kind {
            Kind::Displacement => self.vector(),
            Kind::Field(slot, side) => {
                let slot = self.syntax.fields.slots[slot as usize];
                self.shape_of_slot(slot, || (self.is_vector.fields)(slot.name, side))
            }
            Kind::OfPair(slot) => {
                let slot = self.syntax.pairs.slots[slot as usize];
                self.shape_of_slot(slot, || (self.is_vector.pairs)(slot.name))
            }
            Kind::Negate => self.shape(a),
            Kind::Add | Kind::Subtract => self.alike(node)?,
            Kind::Multiply => match (self.shape(a), self.shape(b)) {
                (Form::Vector, Form::Vector) => {
                    let (a, b) = (self.written(a), self.written(b));
                    return Err(node
                        .at
                        .wrong(format_args!("'{a}' and '{b}' are vectors here; dot({a:#}, {b:#})?")));
                }
                (Form::Number, Form::Number) => Form::Number,
                _ => Form::Vector,
            },
            Kind::Divide => {
                if self.shape(b) == Form::Vector {
                    let b = self.written(b);
                    return Err(node.at.wrong(format_args!(
                        "'{b}' is a vector here, by which nothing can be divided; sqrt(dot({b:#}, {b:#}))?"
                    )));
                }
                self.shape(a)
            }
            Kind::Dot | Kind::Cross | Kind::Component(_) | Kind::Vector(_) => self.of_axes(node)?,
            Kind::Select => {
                self.condition(node.at, c, ["select(a, b, ", ")"])?;
                self.alike(node)?
            }
            Kind::And | Kind::Or | Kind::Not => {
                for &of in &node.operands[..node.kind.operands()] {
                    self.condition(self.syntax.nodes[of as usize].at, of, ["", ""])?;
                }
                Form::Condition
            }
            Kind::Less | Kind::LessEqual | Kind::Equal | Kind::NotEqual => {
                self.numbers(node)?;
                Form::Condition
            }
            _ => {
                self.numbers(node)?;
                Form::Number
            }
        })
    }

    /// The shape of a field: that of the value that a statement gave it, or as it is there.
    fn shape_of_slot(&self, slot: Slot, is_vector: impl FnOnce() -> bool) -> Form {
        match slot.made_by {
            Some(by) => self.shape(self.syntax.statements[by as usize].node),
            None if is_vector() => self.vector(),
            None => Form::Number,
        }
    }

    /// The shape of what is made of components or of vectors.
    fn of_axes(&self, node: &Node) -> Result<Form> {
        let dim = self.dim;
        let axes = if dim == 1 {
            "1 axis"
        } else {
            ["2 axes", "3 axes"][dim - 2]
        };
        let used = &node.operands[..node.kind.operands()];
        let number = used.iter().find(|&&of| self.shape(of) != self.vector());
        let number = number.map(|&number| self.written(number));
        let text = match (node.kind, number) {
            (Kind::Vector(given), _) => {
                self.numbers(node)?;
                if usize::from(given) == dim {
                    return Ok(self.vector());
                }
                let form = ["vector(a)", "vector(a, b)", "vector(a, b, c)"][dim - 1];
                let s = if given == 1 { "" } else { "s" };
                words(format_args!(
                    "a vector of {given} number{s}, and the points have {axes}; {form}?"
                ))
            }
            (Kind::Component(axis), None) if usize::from(axis) < dim => return Ok(Form::Number),
            (Kind::Component(axis), number) => {
                let name = AXES[usize::from(axis)];
                match number {
                    Some(number) => words(format_args!(
                        "'{number}' is a number here, and has no component .{name}"
                    )),
                    None => words(format_args!("there is no component .{name}: the points have {axes}")),
                }
            }
            (Kind::Cross, _) if dim == 1 => words("cross takes vectors in 2D and 3D, and the points have 1 axis"),
            (Kind::Cross, Some(number)) => words(format_args!(
                "'{number}' is a number here, and cross takes two vectors; * instead?"
            )),
            (Kind::Cross, None) => return Ok(if dim == 2 { Form::Number } else { Form::Vector }),
            (_, Some(number)) => words(format_args!(
                "'{number}' is a number here, and dot takes two vectors; * instead?"
            )),
            (_, None) => return Ok(Form::Number),
        };
        Err(node.at.wrong(text))
    }

    /// Refuses a node that is no condition. `around` is what the suggestion has around it.
    fn condition(&self, at: At, node: u32, [before, after]: [&str; 2]) -> Result<()> {
        let c = self.written(node);
        Err(match self.shape(node) {
            Form::Condition => return Ok(()),
            Form::Number => at.wrong(format_args!("'{c}' is not a condition; {before}{c:#} > 0{after}?")),
            Form::Vector => at.wrong(format_args!(
                "'{c}' is not a condition; {before}dot({c:#}, {c:#}) > 0{after}?"
            )),
        })
    }

    /// The one shape that two operands have.
    fn alike(&self, node: &Node) -> Result<Form> {
        let [a, b, _] = node.operands;
        let (mine, other) = (self.shape(a), self.shape(b));
        if mine == other {
            return Ok(mine);
        }
        let [vector, number] = if mine == Form::Vector { [a, b] } else { [b, a] };
        let (vector, number) = (self.written(vector), self.written(number));
        Err(node.at.wrong(format_args!(
            "'{vector}' is a vector here and '{number}' a number; dot({vector:#}, d)?"
        )))
    }

    /// Refuses operands that are vectors.
    fn numbers(&self, node: &Node) -> Result<()> {
        let used = &node.operands[..node.kind.operands()];
        let Some(&vector) = used.iter().find(|&&of| self.shape(of) == Form::Vector) else {
            return Ok(());
        };
        let at = self.syntax.nodes[vector as usize].at;
        let v = self.written(vector);
        Err(match node.kind {
            Kind::Pow => at.wrong(format_args!(
                "'{v}' is a vector here; dot({v:#}, {v:#}) for its square?"
            )),
            Kind::Vector(_) => at.wrong(format_args!("'{v}' is a vector here, and vector takes numbers")),
            Kind::Abs | Kind::Sqrt => at.wrong(format_args!(
                "'{v}' is a vector here; sqrt(dot({v:#}, {v:#})) for its length?"
            )),
            _ => at.wrong(format_args!("'{v}' is a vector here; dot({v:#}, d)?")),
        })
    }

    /// Refuses a value that its name cannot have: positions are vectors, and there is no vector but of points.
    fn check_value(&self, statement: &Statement, node: &Node, form: Form) -> Result<()> {
        let value = Written(&self.text[node.bytes[0]..node.bytes[1]]);
        let name = &self.text[statement.name.start..statement.name.end];
        match statement.makes {
            Makes::Point if name == POINTS && form != self.vector() => Err(node.at.wrong(format_args!(
                "'{value}' is a number here, and a point has {} coordinates",
                self.dim
            ))),
            Makes::All(_) if form == Form::Vector => Err(node.at.wrong(format_args!(
                "'{value}' is a vector here, and '{name}' is one number; dot({value:#}, {value:#})?"
            ))),
            _ => Ok(()),
        }
    }

    fn wrong_condition(&self, node: &Node) -> Error {
        let [start, end] = node.bytes;
        let condition = Written(&self.text[start..end]);
        let text = format_args!("'{condition}' is a condition here, not a number; select(1, 0, {condition:#})?");
        node.at.wrong(text)
    }
}
