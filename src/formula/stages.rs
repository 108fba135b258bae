//! The stages of a text: which statements run together, and in which order. In: statements, the fields and numbers that they read, and
//! the precision of each. Out: stages, each with its program.
//!
//! Statements take part in the first stage of their kind that comes after all that they read. So sums that need nothing of each other
//! share one search, and statements for each point share one pass. A statement that reads what a sum has made waits for all its rows.
//! Statements for one point go on with what those before them in the same stage have made of it, and so do those of one pair.

use std::fmt::{self, Display, Formatter};

use super::parse::{PAIR_SUFFIX, Reads, Statement, Syntax};
use super::program::{Kind, Makes, Program, SumPrecision};
use super::typed::Typed;
use crate::error::Result;
use crate::memory::push;

const WHAT: &str = "the stages of a formula";

/// The kind of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageKind {
    /// Terms of all neighbors and values of pairs, where the points are after so many moves; with `of_classes` also of excluded pairs, whose
    /// classes are read.
    Pairs { moves: u32, of_classes: bool },
    /// Values and terms of each point, in a precision.
    Points(SumPrecision),
    /// Numbers made of numbers.
    Numbers,
}

/// Statements that run together.
#[derive(Debug)]
pub struct StageOfText {
    pub kind: StageKind,
    /// In the order of the text, as the outputs of the program. Those whose values nothing needs after the stage are left out.
    pub statements: Vec<u32>,
    pub program: Program,
}

/// Divides the statements of a text into stages. `precisions` has the precision of each statement.
pub fn stages(syntax: &Syntax, typed: &Typed, precisions: &[SumPrecision]) -> Result<Vec<StageOfText>> {
    let mut plan = Plan {
        syntax,
        has_classes: typed.operations.iter().any(|operation| operation.kind == Kind::Class),
        stages: Vec::new(),
        of: Vec::new(),
        reads: None,
        moves: None,
    };
    for number in 0..syntax.statements.len() as u32 {
        plan.place(number, precisions[number as usize])?;
    }
    let (mut made, is_kept, mut places) = (Vec::new(), plan.kept()?, typed.places()?);
    let Plan { stages, of, .. } = plan;
    for (at, (kind, mut statements)) in stages.into_iter().enumerate() {
        let goes_on = !matches!(kind, StageKind::Pairs { .. });
        let is_here = |statement: u32| of[statement as usize] == at;
        let mut program = typed.program(syntax, (&statements, &is_here), goes_on, &mut places)?;
        program.reads_class = matches!(kind, StageKind::Pairs { of_classes: true, .. });
        let mut kept = statements.iter().map(|&of| is_kept[of as usize]);
        program.outputs.retain(|_| kept.next() == Some(true));
        statements.retain(|&of| is_kept[of as usize]);
        if !statements.is_empty() {
            let stage = StageOfText {
                kind,
                statements,
                program,
            };
            push(&mut made, stage, WHAT)?;
        }
    }
    Ok(made)
}

struct Plan<'a> {
    syntax: &'a Syntax,
    has_classes: bool,
    stages: Vec<(StageKind, Vec<u32>)>,
    /// The stage of each statement so far.
    of: Vec<usize>,
    /// The last stage that reads positions, and the last one that moves the points.
    reads: Option<usize>,
    moves: Option<usize>,
}

impl Plan<'_> {
    fn place(&mut self, number: u32, precision: SumPrecision) -> Result<()> {
        let statement = &self.syntax.statements[number as usize];
        let kind = match statement.makes {
            Makes::Neighbors(_) | Makes::Pair => StageKind::Pairs {
                moves: statement.moves,
                of_classes: self.has_classes && self.syntax.nodes[statement.node as usize].reads.any(Reads::CLASS),
            },
            Makes::Point | Makes::All(_) => StageKind::Points(precision),
            Makes::Numbers => StageKind::Numbers,
        };
        let (is_move, is_of_pairs) = (
            self.syntax.is_of_points(statement),
            matches!(kind, StageKind::Pairs { .. }),
        );
        let first = self.first(statement, kind)?.max(self.after(is_move, is_of_pairs));
        let fits = (first..self.stages.len()).find(|&at| self.stages[at].0 == kind);
        let at = match fits {
            Some(at) => at,
            None => {
                push(&mut self.stages, (kind, Vec::new()), WHAT)?;
                self.stages.len() - 1
            }
        };
        if is_move {
            self.moves = Some(at);
        }
        if is_of_pairs {
            self.reads = self.reads.max(Some(at));
        }
        push(&mut self.stages[at].1, number, WHAT)?;
        push(&mut self.of, at, WHAT)
    }

    /// The first stage in which a statement may read the positions of points, or move the points. Each value of a name has a slot
    /// of its own, but the points have one position at a time. So a statement that reads positions runs after all moves that the
    /// text has before it. A move runs after all earlier statements that read positions, and not before an earlier move. Moves of
    /// one stage are done in the order of the text.
    fn after(&self, is_move: bool, is_of_pairs: bool) -> usize {
        let next = |stage: Option<usize>| stage.map_or(0, |at| at + 1);
        match (is_move, is_of_pairs) {
            (true, _) => next(self.reads).max(self.moves.unwrap_or(0)),
            (_, true) => next(self.moves),
            _ => 0,
        }
    }

    /// By statement: whether its values leave its stage. Those of a pair field that is made again do not, unless another stage reads them.
    fn kept(&self) -> Result<Vec<bool>> {
        let Syntax { statements, pairs, .. } = self.syntax;
        let mut is_kept = Vec::new();
        for statement in statements {
            let is_last = || pairs.last(pairs.slots[statement.slot as usize].name) == Some(statement.slot);
            push(&mut is_kept, statement.makes != Makes::Pair || is_last(), WHAT)?;
        }
        for (statement, at) in statements.iter().zip(&self.of) {
            self.syntax.walk(statement.node, |node| {
                let Kind::OfPair(slot) = node.kind else { return };
                let by = pairs.slots[slot as usize].made_by;
                if let Some(by) = by.filter(|&by| self.of[by as usize] != *at) {
                    is_kept[by as usize] = true;
                }
            })?;
        }
        Ok(is_kept)
    }

    /// The first stage in which a statement finds all values that it reads.
    fn first(&self, statement: &Statement, kind: StageKind) -> Result<usize> {
        let Syntax {
            fields, pairs, numbers, ..
        } = self.syntax;
        let mut first = 0;
        self.syntax.walk(statement.node, |node| {
            let (slot, goes_on) = match node.kind {
                Kind::Field(slot, _) => {
                    let slot = fields.slots[slot as usize];
                    let is_position = Some(slot.name) == self.syntax.points; // it is wrapped after its stage
                    (slot, matches!(kind, StageKind::Points(_)) && !is_position)
                }
                Kind::Constant(slot) => (numbers.slots[slot as usize], kind == StageKind::Numbers),
                Kind::OfPair(slot) => (pairs.slots[slot as usize], true),
                _ => return,
            };
            let Some(by) = slot.made_by else { return };
            let at = self.of[by as usize];
            let is_same = goes_on && self.stages[at].0 == kind;
            first = first.max(at + usize::from(!is_same));
        })?;
        Ok(first)
    }
}

/// Stages, in words.
pub struct Shown<'a> {
    pub text: &'a str,
    pub syntax: &'a Syntax,
    pub stages: &'a [StageOfText],
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (number, stage) in self.stages.iter().enumerate() {
            let kind = match stage.kind {
                StageKind::Pairs { .. } => "neighbors",
                StageKind::Points(SumPrecision::Single) => "points, real32",
                StageKind::Points(SumPrecision::Double) => "points, real64",
                StageKind::Numbers => "numbers",
            };
            write!(f, "{}{}: {kind}:", if number > 0 { "; " } else { "" }, number + 1)?;
            for &at in &stage.statements {
                let Statement { name, makes, .. } = &self.syntax.statements[at as usize];
                let suffix = if *makes == Makes::Pair { PAIR_SUFFIX } else { "" };
                write!(f, " {}{suffix}", &self.text[name.start..name.end])?;
            }
        }
        Ok(())
    }
}
