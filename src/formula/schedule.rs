//! A program in steps on numbers. Each step runs as seldom as possible: once, once a row, once a neighbor for all rows
//! that list it, or once a pair. In: a program. Out: the steps, and the registers of their results.

use super::program::{Kind, Operation, Program, Side};
use crate::error::Result;
use crate::list::{push, resize_discarding, resize_keeping};

const WHAT: &str = "the steps of a formula";

/// The places where a step is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Once: all pairs have the same result.
    Uniform,
    /// For each row.
    Row,
    /// For each point that rows list.
    Target,
    Pair,
}

/// The operation of a step.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// An operation on numbers.
    Operation(Kind),
    /// `a + b*c`, both rounded.
    AddProduct,
    /// An axis of the displacement.
    Displace(usize),
    /// The cutoff of a pair.
    Cut,
    /// The class of a pair.
    Class,
    /// A component of a field, for the points of the stage.
    Read(u32, Side, usize),
    /// A component of a pair field.
    OfPair(u32, usize),
    /// Of each pair: what a column has for its row or its neighbor.
    Spread(Side, usize),
    /// Keeps `a` in a column.
    Keep(usize),
}

/// A step. Operands and result are registers.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub what: What,
    pub operands: [u32; 3],
    pub to: u32,
}

/// The steps of a program.
#[derive(Debug, Default)]
pub struct Schedule {
    /// By [`Stage`].
    pub stages: [Vec<Step>; 4],
    pub registers: usize,
    /// The number of those that hold what is the same for all pairs. They come first.
    pub uniform: usize,
    /// Columns of rows, and of neighbors.
    pub columns: [usize; 2],
    /// The register of each number of each output, one output after the other.
    pub terms: Vec<u32>,
    /// Whether the displacement and the radii of pairs are read.
    pub displaces: bool,
    pub cuts: bool,
}

/// A step whose operands are nodes.
#[derive(Clone, Copy, Debug)]
struct StepNode {
    what: What,
    operands: [u32; 3],
    arity: usize,
    stage: Stage,
    is_used: bool,
    /// Columns that keep what rows or neighbors have for pairs.
    column: Option<usize>,
}

/// No node.
const NONE: u32 = u32::MAX;

impl Schedule {
    /// `one_cutoff`: all pairs have the same.
    pub fn new(program: &Program, one_cutoff: bool) -> Result<Schedule> {
        let mut nodes = Nodes::default();
        for operation in &program.operations {
            nodes.add(program.dim, operation, one_cutoff)?;
        }
        let mut terms = Vec::new();
        for output in &program.outputs {
            for &node in &nodes.of[output.operation as usize][..output.width] {
                push(&mut terms, node, WHAT)?;
            }
        }
        let mut made = Schedule::default();
        made.mark(&mut nodes.all, &terms);
        let mut allocation = Allocation::new(nodes.all.len())?;
        for stage in [Stage::Uniform, Stage::Row, Stage::Target] {
            let lines = lines(&nodes.all, stage)?;
            made.stages[stage as usize] = allocation.steps(&lines, &[])?;
            if stage == Stage::Uniform {
                allocation.keep();
            }
            allocation.restart();
        }
        let lines = pair_lines(&nodes.all, &terms)?;
        made.stages[Stage::Pair as usize] = allocation.steps(&lines, &terms)?;
        terms
            .iter_mut()
            .for_each(|term| *term = allocation.register[*term as usize]);
        (made.terms, made.registers) = (terms, allocation.most as usize);
        made.uniform = allocation.uniform as usize;
        Ok(made)
    }

    /// Marks what terms need, and gives columns to what pairs read of rows and of neighbors.
    fn mark(&mut self, nodes: &mut [StepNode], terms: &[u32]) {
        let mut of_pair = |nodes: &mut [StepNode], at: u32| {
            let node = &mut nodes[at as usize];
            node.is_used = true;
            let count = match node.stage {
                Stage::Row => &mut self.columns[0],
                Stage::Target => &mut self.columns[1],
                Stage::Uniform | Stage::Pair => return,
            };
            if node.column.is_none() {
                node.column = Some(*count);
                *count += 1;
            }
        };
        terms.iter().for_each(|&term| of_pair(nodes, term));
        for at in (0..nodes.len()).rev() {
            let node = nodes[at];
            if !node.is_used {
                continue;
            }
            self.displaces |= matches!(node.what, What::Displace(_));
            self.cuts |= matches!(node.what, What::Cut) && node.stage == Stage::Pair;
            for &operand in &node.operands[..node.arity] {
                match node.stage {
                    Stage::Pair => of_pair(nodes, operand),
                    _ => nodes[operand as usize].is_used = true,
                }
            }
        }
    }
}

/// Operations on numbers, those of vectors taken apart.
#[derive(Default)]
struct Nodes {
    all: Vec<StepNode>,
    /// Of each operation: the node of each axis; of a number thrice the same.
    of: Vec<[u32; 3]>,
}

impl Nodes {
    fn add(&mut self, dim: usize, operation: &Operation, one_cutoff: bool) -> Result<()> {
        let width = if operation.is_vector { dim } else { 1 };
        let operands = operation.operands.map(|of| self.of.get(of as usize).copied());
        let of_axis = |axis: usize| operands.map(|of| of.map_or(0, |of| of[axis]));
        let mut made = [0; 3];
        if let Kind::Component(axis) = operation.kind {
            made[0] = of_axis(usize::from(axis))[0];
        } else if let Kind::Vector(_) = operation.kind {
            made = of_axis(0);
        } else if operation.kind == Kind::Dot {
            made[0] = self.push(What::Operation(Kind::Multiply), of_axis(0), 2, Stage::Uniform)?;
            for axis in 1..dim {
                let [a, b, _] = of_axis(axis);
                made[0] = self.push(What::AddProduct, [made[0], a, b], 3, Stage::Uniform)?;
            }
        } else {
            for (axis, made) in made.iter_mut().enumerate().take(width) {
                let (what, stage) = match operation.kind {
                    Kind::Displacement => (What::Displace(axis), Stage::Pair),
                    Kind::Class => (What::Class, Stage::Pair),
                    Kind::Cutoff if one_cutoff => (What::Cut, Stage::Uniform),
                    Kind::Cutoff => (What::Cut, Stage::Pair),
                    Kind::OfPair(slot) => (What::OfPair(slot, axis), Stage::Pair),
                    Kind::Field(field, Side::I) => (What::Read(field, Side::I, axis), Stage::Row),
                    Kind::Field(field, Side::J) => (What::Read(field, Side::J, axis), Stage::Target),
                    kind => (What::Operation(kind), Stage::Uniform),
                };
                *made = self.push(what, of_axis(axis), operation.kind.operands(), stage)?;
            }
        }
        if !operation.is_vector {
            made = [made[0]; 3];
        }
        push(&mut self.of, made, WHAT)
    }

    /// Appends a node that is done as often as its operands, at least as often as `stage` says.
    fn push(&mut self, what: What, operands: [u32; 3], arity: usize, stage: Stage) -> Result<u32> {
        let stages = operands[..arity].iter().map(|&of| self.all[of as usize].stage);
        let stage = stages.fold(stage, |a, b| match (a, b) {
            (Stage::Uniform, other) | (other, Stage::Uniform) => other,
            _ if a == b => a,
            _ => Stage::Pair,
        });
        let node = StepNode {
            what,
            operands,
            arity,
            stage,
            is_used: false,
            column: None,
        };
        push(&mut self.all, node, WHAT)?;
        Ok(self.all.len() as u32 - 1)
    }
}

/// A step of a stage: it makes a node, or none.
struct Line {
    what: What,
    operands: [u32; 3],
    arity: usize,
    node: u32,
}

/// The steps of a stage other than that of pairs.
fn lines(nodes: &[StepNode], stage: Stage) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    for (at, node) in nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.is_used && node.stage == stage)
    {
        push(&mut lines, Line::of(node, at as u32), WHAT)?;
        if let Some(column) = node.column {
            let kept = Line {
                what: What::Keep(column),
                operands: [at as u32, 0, 0],
                arity: 1,
                node: NONE,
            };
            push(&mut lines, kept, WHAT)?;
        }
    }
    Ok(lines)
}

/// The steps of pairs. What rows and neighbors have is spread where it is first read.
fn pair_lines(nodes: &[StepNode], terms: &[u32]) -> Result<Vec<Line>> {
    let mut is_there = Vec::new();
    resize_discarding(&mut is_there, nodes.len(), false, WHAT)?;
    let mut lines = Vec::new();
    let mut spread = |lines: &mut Vec<Line>, at: u32| {
        let node = &nodes[at as usize];
        let Some(column) = node.column.filter(|_| !is_there[at as usize]) else {
            return Ok(());
        };
        is_there[at as usize] = true;
        let side = if node.stage == Stage::Row { Side::I } else { Side::J };
        let line = Line {
            what: What::Spread(side, column),
            operands: [0; 3],
            arity: 0,
            node: at,
        };
        push(lines, line, WHAT)
    };
    for (at, node) in nodes.iter().enumerate() {
        if node.is_used && node.stage == Stage::Pair {
            for &operand in &node.operands[..node.arity] {
                spread(&mut lines, operand)?;
            }
            push(&mut lines, Line::of(node, at as u32), WHAT)?;
        }
    }
    for &term in terms {
        spread(&mut lines, term)?;
    }
    Ok(lines)
}

impl Line {
    fn of(node: &StepNode, at: u32) -> Line {
        Line {
            what: node.what,
            operands: node.operands,
            arity: node.arity,
            node: at,
        }
    }
}

/// Registers of nodes. Registers are used again when no later step reads them.
struct Allocation {
    register: Vec<u32>,
    /// The last line that reads each node.
    last: Vec<usize>,
    free: Vec<u32>,
    /// Registers of what is the same for all pairs, those in use, and the most there were.
    uniform: u32,
    used: u32,
    most: u32,
    /// The stage's results are of no use after it.
    frees: bool,
}

impl Allocation {
    fn new(nodes: usize) -> Result<Allocation> {
        let (mut register, mut last) = (Vec::new(), Vec::new());
        resize_keeping(&mut register, nodes, 0, WHAT)?;
        resize_keeping(&mut last, nodes, 0, WHAT)?;
        Ok(Allocation {
            register,
            last,
            free: Vec::new(),
            uniform: 0,
            used: 0,
            most: 0,
            frees: false,
        })
    }

    /// Keeps the registers that are in use for all later stages.
    fn keep(&mut self) {
        (self.uniform, self.frees) = (self.used, true);
    }

    /// Begins another stage, which reads none of the results of the last but those that were kept.
    fn restart(&mut self) {
        self.free.clear();
        self.used = self.uniform;
    }

    /// The steps of `lines`; the results of `terms` remain.
    fn steps(&mut self, lines: &[Line], terms: &[u32]) -> Result<Vec<Step>> {
        for (at, line) in lines.iter().enumerate() {
            line.operands[..line.arity]
                .iter()
                .for_each(|&of| self.last[of as usize] = at);
        }
        terms.iter().for_each(|&term| self.last[term as usize] = usize::MAX);
        let mut steps = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let operands = line
                .operands
                .map(|of| self.register.get(of as usize).copied().unwrap_or(0));
            let mut to = 0;
            if line.node != NONE {
                to = self.free.pop().unwrap_or(self.used);
                self.used += u32::from(to == self.used);
                self.most = self.most.max(self.used);
                self.register[line.node as usize] = to;
            }
            let step = Step {
                what: line.what,
                operands,
                to,
            };
            push(&mut steps, step, WHAT)?;
            for (k, &of) in line.operands[..line.arity].iter().enumerate() {
                let register = self.register[of as usize];
                let is_again = line.operands[..k].contains(&of);
                if self.frees && self.last[of as usize] == at && register >= self.uniform && !is_again {
                    push(&mut self.free, register, WHAT)?;
                }
            }
        }
        Ok(steps)
    }
}
