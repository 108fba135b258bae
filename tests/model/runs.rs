//! Runs of formulas, from scratch: the parts of a text one after the other, each for all points before the next begins.

use neargrid::Real;

use super::call::{Coords, Layout, Role};
use super::model::{Checks, Kind, Model, Promise, SkinList};
use super::pairs::Statement;
use super::sums::{F, Field, Formula, H, K, M, O, V};

/// Statements that follow each other.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// All sums.
    Sums,
    /// `k := k + 0.25`, `m_i = m_i*(h + k)`.
    Scale,
    /// `x_i = x_i + h*v_i`
    Move,
    /// `x_i = x_i - k*v_i`
    MoveBack,
    /// `o_i = x_i`
    KeepPoints,
    /// `v_i = v_i + k*f_i`
    Kick,
    /// A value for each pair.
    Pairs(Statement),
}

const PARTS: [&[Part]; 16] = [
    &[Part::Sums],
    &[Part::Sums],
    &[Part::Sums],
    &[Part::Sums],
    &[Part::Sums, Part::Scale],
    &[Part::Sums],
    &[Part::Sums],
    &[Part::Sums, Part::Move],
    &[Part::Move, Part::Sums, Part::MoveBack],
    &[Part::Move, Part::Sums, Part::Kick],
    &[Part::KeepPoints, Part::Move, Part::Sums],
    &[Part::Pairs(Statement::Mass), Part::Sums],
    &[Part::Pairs(Statement::Displacement), Part::Sums],
    &[
        Part::Pairs(Statement::One),
        Part::Move,
        Part::Pairs(Statement::Distance),
        Part::Sums,
    ],
    &[Part::Sums],
    &[],
];

/// The inputs of a handle and of a formula.
#[derive(Clone, Debug)]
pub struct State {
    pub model: Model,
    pub formula: Formula,
}

/// The course of runs.
#[derive(Debug)]
pub struct Course {
    /// The states in which runs may end: the state before them and that after each run. The last state is the one in which the runs
    /// end.
    pub states: Vec<State>,
    /// The states before sums, in which runs may end without enough memory.
    before_sums: Vec<State>,
    /// The statuses of a move or of sums that are refused, with which they end.
    pub refused: Vec<i32>,
    /// Statuses with which sums after a move may end.
    pub doubtful: Vec<i32>,
    /// Lists with a skin that are made for pair fields.
    pub lists: i64,
    /// A list with a skin may be another one than the model has.
    is_doubted: bool,
    /// Points have moved so that there are too many images to look at.
    pub is_large: bool,
    /// Pairs of the last sums.
    pub entries: usize,
}

impl Course {
    /// Runs a formula `times` times.
    pub fn new(model: &Model, formula: &Formula, kind: Kind, times: i64) -> Course {
        let start = State {
            model: model.clone(),
            formula: formula.clone(),
        };
        let mut course = Course {
            states: vec![start],
            before_sums: Vec::new(),
            refused: Vec::new(),
            doubtful: Vec::new(),
            lists: 0,
            is_doubted: false,
            is_large: false,
            entries: 0,
        };
        for _ in 0..times {
            course.run(kind);
            if course.is_large || !course.refused.is_empty() {
                break;
            }
        }
        course
    }

    /// The states in which runs may end for another reason than a move, the likely ones first.
    pub fn early(self) -> impl Iterator<Item = State> {
        self.before_sums.into_iter().chain(self.states)
    }

    /// The state in which the runs end.
    pub fn last(&self) -> &State {
        &self.states[self.states.len() - 1]
    }

    /// Runs once. Points, fields and numbers are those of the last complete run until this one is complete.
    fn run(&mut self, kind: Kind) {
        let mut before = self.last().clone();
        let State { mut model, mut formula } = before.clone();
        let (mut are_listed, mut has_moved) = (false, false);
        for part in PARTS[formula.text] {
            let number = |number: usize| formula.numbers[number].unwrap_or(0.0);
            match part {
                Part::Sums => {
                    if model.cell.is_some() && !self.check_cell(&model, kind) {
                        return;
                    }
                    self.before_sums.push(before.clone());
                    self.entries = formula.make_sums(&mut model, kind);
                }
                Part::Pairs(statement) => {
                    if !std::mem::replace(&mut are_listed, true) {
                        self.list(&mut model);
                    }
                    self.before_sums.push(before.clone());
                    self.refused = formula.make_pairs(&mut model, *statement);
                    if !self.refused.is_empty() {
                        if !has_moved {
                            before.model.list = model.list;
                        }
                        self.states.push(before);
                        return;
                    }
                }
                Part::Scale => formula.scale(&mut model, kind == Kind::Queries),
                Part::Kick => kick(&mut model, number(K)),
                Part::KeepPoints => keep_points(&mut model, !formula.double),
                Part::Move | Part::MoveBack => {
                    let by = match part {
                        Part::Move => number(H),
                        _ => -number(K),
                    };
                    self.refused = move_points(&mut model, by);
                    if !self.refused.is_empty() {
                        self.states.push(before);
                        return;
                    }
                    self.is_doubted |= model.list.as_ref().is_some_and(|list| !list.sure);
                    // A run that fails puts back the points. A list with a skin is then made again for them.
                    (has_moved, before.model.list) = (true, None);
                    are_listed = false;
                }
            }
        }
        self.states.push(State { model, formula });
    }

    /// Rows are listed for pair fields, by a list with a skin where there is a skin.
    fn list(&mut self, model: &mut Model) {
        let serves = |list: &Promise<SkinList>| list.value.kind == Kind::Full;
        if model.skin > 0.0 && !model.list.as_ref().is_some_and(serves) {
            self.lists += 1;
            let mut made = model.skin_list(Kind::Full, !self.is_doubted);
            made.value.known = !self.is_doubted;
            model.list = Some(made);
        }
    }

    /// Whether there are rows in the cell for points that may have moved.
    fn check_cell(&mut self, model: &Model, kind: Kind) -> bool {
        let mut checks = Checks::default();
        model.check_images(&mut checks, kind);
        let is_refused = checks.is_refused();
        let statuses = checks.answer(|| ()).statuses;
        match is_refused {
            true => self.refused = statuses,
            false => self.doubtful.extend(statuses),
        }
        self.is_large = !is_refused && !model.is_small();
        !is_refused && !self.is_large
    }
}

impl Formula {
    /// Whether it moves the points.
    pub fn moves(&self) -> bool {
        let is_move = |part: &Part| matches!(part, Part::Move | Part::MoveBack);
        PARTS[self.text].iter().any(is_move)
    }

    fn scale(&mut self, model: &mut Model, of_queries: bool) {
        if let [Some(h), Some(k)] = &mut self.numbers
            && let Some(m) = model.fields.get_mut(&(M, of_queries))
        {
            *k += 0.25;
            match m.single {
                true => (m.values.iter_mut()).for_each(|m| *m = f64::from(*m as f32 * (*h as f32 + *k as f32))),
                false => m.values.iter_mut().for_each(|m| *m *= *h + *k),
            }
        }
    }
}

fn kick(model: &mut Model, by: f64) {
    let Some(f) = model.fields.get(&(F, false)).cloned() else {
        return;
    };
    let Some(v) = model.fields.get_mut(&(V, false)) else {
        return;
    };
    let single = v.single;
    for (v, f) in v.values.iter_mut().zip(f.values) {
        *v = match single {
            true => f64::from(*v as f32 + by as f32 * f as f32),
            false => *v + by * f,
        };
    }
}

/// `single`: the precision, where the field was none before.
fn keep_points(model: &mut Model, single: bool) {
    let single = model.fields.get(&(O, false)).map_or(single, |field| field.single);
    let values = model.held().concat();
    let kept = Field {
        components: model.dim.unwrap_or(1),
        single,
        values: values.into_iter().map(|x| super::model::rounded(single, x)).collect(),
    };
    model.fields.insert((O, false), kept);
}

/// Adds `by` times `v` to the points; the statuses of a refusal, after which they are where they were.
fn move_points(model: &mut Model, by: f64) -> Vec<i32> {
    let Some(v) = model.fields.get(&(V, false)) else {
        return Vec::new();
    };
    let x = model.held().concat();
    let values = match model.single {
        true => moved::<f32>(&x, &v.values, by),
        false => moved::<f64>(&x, &v.values, by),
    };
    let coords = Coords {
        single: model.single,
        dim: model.dim.unwrap_or(1) as i32,
        values,
        n: None,
        layout: Layout::Interleaved,
        nulls: 0,
    };
    let checks = model.check_points(Role::Update, &coords);
    if checks.is_refused() {
        return checks.answer(|| ()).statuses;
    }
    let (rebuilt, list) = model.update(&coords);
    // Of a run nobody says whether it kept the list.
    let is_sure = rebuilt == [0];
    model.list = list.filter(|_| rebuilt != [1]).map(|list| Promise {
        sure: list.sure && is_sure,
        value: SkinList {
            known: list.value.known && is_sure,
            ..list.value
        },
    });
    Vec::new()
}

fn moved<T: Real>(x: &[f64], v: &[f64], by: f64) -> Vec<f64> {
    let by = T::from_f64(by);
    let one = |(&x, &v): (&f64, &f64)| T::from_f64(x).add(by.mul(T::from_f64(v))).to_f64();
    x.iter().zip(v).map(one).collect()
}
