//! Random sequences of calls on ranks that are threads, each answer compared with what the plain loop says of all points
//! together. The model keeps the points, where they are, and the settings; it knows nothing of plans, ghosts or lists kept.
//!
//! `NEARGRID_MODEL_SEED` and `NEARGRID_MODEL_SEQUENCES` choose which and how many; a sequence that fails is made shorter and
//! printed.

#[path = "../../../tests/model/draw.rs"]
#[allow(dead_code)] // the core's test uses the rest
mod draw;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::fake::{Fake, on_ranks};
use crate::common::{Both, given};
use draw::Draw;
use neargrid::{PointsView, oracle};
use neargrid_mpi::{Domain, Error, Kind, KnnKind, Measure, Nearest, Real, Search, Sides, status};

/// All points, which rank has each, and their ids.
#[derive(Clone, Debug, Default, PartialEq)]
struct Points {
    coords: Vec<f64>,
    ranks: Vec<usize>,
    /// Given, or numbered rank by rank.
    ids: Option<Vec<i64>>,
    /// On this rank one coordinate is no number.
    wrong: Option<usize>,
}

/// A call that all ranks make.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Set(Points),
    Update(Points),
    Cutoff(f64),
    Tie(i32),
    Base(i32),
    /// Lower corner, length, and which axes are periodic.
    Box(f64, f64, Vec<bool>),
    Skin(f64),
    Threads(i32),
    Pairs(Sides),
    Rows(Kind),
    Knn(Nearest),
    Fof,
}

/// The answers of a rank, by global ids.
#[derive(Clone, Debug, PartialEq)]
enum Answer {
    Nothing,
    Pairs(Vec<(i64, i64)>),
    Rows(Vec<(i64, Vec<i64>)>),
    /// With the bits of distances.
    Knn(Vec<(i64, Vec<(i64, u64)>)>),
    Labels(Vec<i64>, i64),
}

/// The right answers of all ranks: each its own, unless they fail.
#[derive(Clone, Debug)]
struct Want {
    answers: Option<Vec<Answer>>,
    may_fail: bool,
    /// The ids of each rank's points.
    owned: Vec<Vec<i64>>,
}

/// The inputs of the ranks.
#[derive(Clone, Debug)]
struct Model {
    size: usize,
    dim: usize,
    points: Option<Points>,
    ids: Vec<i64>,
    cutoff: Option<f64>,
    exclusive: bool,
    base: i64,
    domain: Option<(f64, f64, Vec<bool>)>,
    skin: f64,
}

impl Model {
    fn new(size: usize, dim: usize) -> Model {
        Model {
            size,
            dim,
            points: None,
            ids: Vec::new(),
            cutoff: None,
            exclusive: false,
            base: 0,
            domain: None,
            skin: 0.0,
        }
    }

    /// Takes a step, and says what it answers.
    fn take<T: Both>(&mut self, step: &Step) -> Want {
        match step {
            Step::Set(points) | Step::Update(points) => {
                if points.wrong.is_some() {
                    return self.want(None, true);
                }
                self.points = Some(points.clone());
                self.ids = points.ids.clone().unwrap_or_else(|| self.numbered(points));
            }
            Step::Cutoff(cutoff) => self.cutoff = Some(*cutoff),
            Step::Tie(rule) => self.exclusive = *rule == 1,
            Step::Base(base) => self.base = i64::from(*base),
            Step::Box(lo, length, periodic) => self.domain = Some((*lo, *length, periodic.clone())),
            Step::Skin(skin) => self.skin = *skin,
            Step::Threads(_) => {}
            _ => return self.answer::<T>(step),
        }
        self.want(Some(vec![Answer::Nothing; self.size]), false)
    }

    fn want(&self, answers: Option<Vec<Answer>>, may_fail: bool) -> Want {
        let mut owned = vec![Vec::new(); self.size];
        for (&rank, &id) in self.points.iter().flat_map(|points| &points.ranks).zip(&self.ids) {
            owned[rank].push(id);
        }
        Want {
            answers,
            may_fail,
            owned,
        }
    }

    /// Ids of points that have none: from the base on, rank by rank.
    fn numbered(&self, points: &Points) -> Vec<i64> {
        let before = |k: usize| {
            let all = points.ranks.iter().enumerate();
            all.filter(|&(other, &rank)| (rank, other) < (points.ranks[k], k))
                .count() as i64
        };
        (0..points.ranks.len()).map(|k| self.base + before(k)).collect()
    }

    fn periods<T: Both>(&self) -> [Option<[T; 2]>; 3] {
        let mut periods = [None; 3];
        if let Some((lo, length, periodic)) = &self.domain {
            for axis in (0..self.dim).filter(|&axis| periodic[axis]) {
                periods[axis] = Some([*lo, *length].map(<T as Real>::from_f64));
            }
        }
        periods
    }

    fn answer<T: Both>(&self, step: &Step) -> Want {
        let (is_knn, periods) = (matches!(step, Step::Knn(_)), self.periods::<T>());
        let half = self.domain.as_ref().filter(|(_, _, periodic)| periodic.contains(&true));
        let half = half.map_or(f64::INFINITY, |(_, length, _)| {
            Real::to_f64(<T as Real>::from_f64(*length)) * 0.5
        });
        let (Some(points), false) = (&self.points, self.cutoff.is_none() && !is_knn) else {
            return self.want(None, true);
        };
        let reach = |reach: f64| Real::to_f64(<T as Real>::from_f64(reach));
        let cutoff = self.cutoff.unwrap_or(0.0);
        if half < reach(cutoff) && !is_knn {
            return self.want(None, true);
        }
        let coords: Vec<T> = points.coords.iter().map(|&c| <T as Real>::from_f64(c)).collect();
        let view = PointsView::interleaved(self.dim, &coords).unwrap();
        let n = points.ranks.len();
        let c = <T as Real>::from_f64(cutoff);
        let c2 = neargrid::Real::mul(c, c);
        let near = |i: usize, j: usize| {
            let d2 = oracle::distance2_in(&view, &periods, i, j);
            if self.exclusive { d2 < c2 } else { d2 <= c2 }
        };
        let mine = |rank: usize| (0..n).filter(move |&k| points.ranks[k] == rank);
        let id = |k: usize| self.ids[k];
        let row = |i: usize, lists: &dyn Fn(usize) -> bool| {
            let mut row: Vec<i64> = (0..n).filter(|&j| j != i && lists(j) && near(i, j)).map(id).collect();
            row.sort_unstable();
            row
        };
        let of_rank = |rank: usize| match step {
            Step::Pairs(sides) => {
                let lists = |i: usize, j: usize| id(j) > id(i) || *sides == Sides::Both && points.ranks[j] != rank;
                let pairs = mine(rank).flat_map(|i| row(i, &|j| lists(i, j)).into_iter().map(move |j| (id(i), j)));
                let mut pairs: Vec<_> = pairs.collect();
                pairs.sort_unstable();
                Answer::Pairs(pairs)
            }
            Step::Rows(kind) => {
                let lists = |i: usize, j: usize| *kind == Kind::Full || id(j) > id(i);
                Answer::Rows(mine(rank).map(|i| (id(i), row(i, &|j| lists(i, j)))).collect())
            }
            Step::Knn(asked) => {
                let nearest = |i: usize| {
                    let others = (0..n).filter(|&j| asked.kind == KnnKind::All || j != i);
                    let mut row: Vec<(T, i64)> = others
                        .map(|j| (oracle::distance2_in(&view, &periods, i, j), id(j)))
                        .collect();
                    row.sort_by(|a, b| a.partial_cmp(b).unwrap());
                    row.truncate(asked.k);
                    let measured = |d2: T| match asked.measure {
                        Measure::Square => d2,
                        Measure::Distance => neargrid::Real::sqrt(d2),
                        Measure::Radius => neargrid::Measure::Radius.of(d2),
                    };
                    row.into_iter()
                        .map(|(d2, id)| (id, Real::to_f64(measured(d2)).to_bits()))
                        .collect()
                };
                Answer::Knn(mine(rank).map(|i| (id(i), nearest(i))).collect())
            }
            _ => {
                let mut labels: Vec<i64> = (0..n).map(id).collect();
                loop {
                    let mut is_done = true;
                    for i in 0..n {
                        for j in 0..i {
                            if labels[i] != labels[j] && near(i, j) {
                                let least = labels[i].min(labels[j]);
                                (labels[i], labels[j], is_done) = (least, least, false);
                            }
                        }
                    }
                    if is_done {
                        break;
                    }
                }
                let groups = (0..n).filter(|&i| labels[i] == id(i)).count() as i64;
                Answer::Labels(mine(rank).map(|i| labels[i]).collect(), groups)
            }
        };
        // A list with a skin needs a longer box; whether groups do nobody said.
        let may_fail = half < reach(cutoff + self.skin) && !is_knn;
        self.want(Some((0..self.size).map(of_rank).collect()), may_fail)
    }
}

/// Makes one call on one rank.
fn call<T: Both>(search: &mut Search<Fake>, dim: usize, step: &Step, owned: &[i64]) -> Result<Answer, Error> {
    let me = search.rank_and_size().0;
    match step {
        Step::Set(points) | Step::Update(points) => {
            let mine: Vec<usize> = (0..points.ranks.len()).filter(|&k| points.ranks[k] == me).collect();
            let coords = mine.iter().flat_map(|&k| &points.coords[k * dim..(k + 1) * dim]);
            let mut coords: Vec<T> = coords.map(|&c| <T as Real>::from_f64(c)).collect();
            if points.wrong == Some(me) {
                coords[0] = <T as Real>::from_f64(f64::NAN);
            }
            let ids: Option<Vec<i64>> = points.ids.as_ref().map(|ids| mine.iter().map(|&k| ids[k]).collect());
            match step {
                Step::Set(_) => search.set_points(given(dim, coords, ids.as_deref()))?,
                _ => {
                    search.update(given(dim, coords, ids.as_deref()))?;
                }
            }
        }
        Step::Cutoff(cutoff) => search.set_cutoff(*cutoff)?,
        Step::Tie(rule) => search.set_tie_rule(*rule)?,
        Step::Base(base) => search.set_index_base(*base)?,
        Step::Box(lo, length, periodic) => search.set_box(Domain {
            lo: vec![*lo; dim],
            length: vec![*length; dim],
            periodic: periodic.clone(),
        })?,
        Step::Skin(skin) => search.set_skin(*skin)?,
        Step::Threads(threads) => search.set_threads(*threads)?,
        Step::Pairs(sides) => {
            let pairs = search
                .pairs(Ok(*sides))
                .map(|pairs| [pairs.left.to_vec(), pairs.right.to_vec()])?;
            let known = known(search, owned)?;
            let pair = |(i, j): (&i32, &i32)| (known(*i), known(*j));
            return Ok(Answer::Pairs(pairs[0].iter().zip(&pairs[1]).map(pair).collect()));
        }
        Step::Rows(kind) => {
            let (offsets, ids) = search
                .neighbors(Ok(*kind))
                .map(|rows| (rows.offsets.to_vec(), rows.ids.to_vec()))?;
            let (base, known) = (search.base(), known(search, owned)?);
            let place = |offset: i64| (offset - i64::from(base)) as usize;
            let row = |k: usize| {
                let ids = &ids[place(offsets[k])..place(offsets[k + 1])];
                (known(k as i32 + base), ids.iter().map(|&i| known(i)).collect())
            };
            return Ok(Answer::Rows((0..offsets.len() - 1).map(row).collect()));
        }
        Step::Knn(asked) => return nearest::<T>(search, *asked, owned),
        Step::Fof => {
            let found = search.fof(Ok(()))?;
            return Ok(Answer::Labels(found.labels.to_vec(), found.groups));
        }
    }
    Ok(Answer::Nothing)
}

fn nearest<T: Both>(search: &mut Search<Fake>, asked: Nearest, owned: &[i64]) -> Result<Answer, Error> {
    let found = search.knn::<T>(Ok(asked))?;
    let (ids, distances, counts) = (found.ids.to_vec(), found.distances.to_vec(), found.counts.to_vec());
    let mut all = owned.to_vec();
    all.extend(search.knn_ghosts(Ok(()))?.ids);
    let base = search.base();
    let row = |i: usize| {
        let places = i * asked.k..i * asked.k + counts[i] as usize;
        let named = ids[places.clone()].iter().map(|&number| all[(number - base) as usize]);
        let bits = distances[places].iter().map(|&d| Real::to_f64(d).to_bits());
        (all[i], named.zip(bits).collect())
    };
    Ok(Answer::Knn((0..owned.len()).map(row).collect()))
}

/// The meaning of the number of an owned point or a ghost.
fn known(search: &mut Search<Fake>, owned: &[i64]) -> Result<impl Fn(i32) -> i64 + use<>, Error> {
    let mut ids = owned.to_vec();
    ids.extend(search.ghosts(Ok(()))?.ids);
    let base = search.base();
    Ok(move |number: i32| ids[(number - base) as usize])
}

/// The first failure, if there was any.
fn run<T: Both>(size: usize, dim: usize, steps: &[Step]) -> Result<(), String> {
    let mut model = Model::new(size, dim);
    let wants: Vec<Want> = steps.iter().map(|step| model.take::<T>(step)).collect();
    let ran = catch_unwind(AssertUnwindSafe(|| {
        on_ranks(size, |comm| {
            let me = neargrid_mpi::Comm::rank(&comm);
            let mut search = Search::create(comm).unwrap();
            search.set_backend(1).unwrap(); // the CPU
            // Whoever is wrong goes on, or the others would wait.
            let mut wrong = None;
            for (k, (step, want)) in steps.iter().zip(&wants).enumerate() {
                let found = call::<T>(&mut search, dim, step, &want.owned[me]);
                let difference = match (&found, &want.answers) {
                    (Ok(found), Some(answers)) if *found == answers[me] => None,
                    (Err(error), _) if want.may_fail && error.status != status::INTERNAL => None,
                    (found, Some(answers)) => Some(format!("{found:?}, {:?} is right", answers[me])),
                    (found, None) => Some(format!("{found:?}, a failure is right")),
                };
                let difference = difference.map(|text| format!("call {k}, rank {me} of {size}: {text}"));
                wrong = wrong.or(difference);
            }
            wrong
        })
    }));
    match ran {
        Err(_) => Err("a rank ended early".to_owned()),
        Ok(wrong) => wrong.into_iter().flatten().next().map_or(Ok(()), Err),
    }
}

/// Fewer calls, and fewer points, while it still goes wrong.
fn shrunk<T: Both>(size: usize, dim: usize, mut steps: Vec<Step>) -> Vec<Step> {
    let mut tries = 400;
    let mut fails = |steps: &[Step]| {
        tries -= 1;
        tries > 0 && run::<T>(size, dim, steps).is_err()
    };
    loop {
        let before = steps.clone();
        for at in (0..steps.len()).rev() {
            let mut fewer = steps.clone();
            fewer.remove(at);
            if fails(&fewer) {
                steps = fewer;
            }
        }
        let most = |step: &Step| match step {
            Step::Set(points) | Step::Update(points) => points.ranks.len(),
            _ => 0,
        };
        let n = steps.iter().map(most).max().unwrap_or(0);
        let mut width = n.div_ceil(2);
        while width > 0 {
            for first in (0..n).step_by(width).rev() {
                let fewer: Vec<Step> = steps.iter().map(|step| without(step, dim, first, width)).collect();
                if fewer != steps && fails(&fewer) {
                    steps = fewer;
                }
            }
            width = if width == 1 { 0 } else { width.div_ceil(2) };
        }
        if steps == before {
            return steps;
        }
    }
}

/// Without some of the points.
fn without(step: &Step, dim: usize, first: usize, width: usize) -> Step {
    let mut step = step.clone();
    if let Step::Set(points) | Step::Update(points) = &mut step {
        let n = points.ranks.len();
        let range = first.min(n)..(first + width).min(n);
        points.coords.drain(range.start * dim..range.end * dim);
        points.ranks.drain(range.clone());
        points.ids.iter_mut().for_each(|ids| drop(ids.drain(range.clone())));
        points.wrong = points.wrong.filter(|wrong| points.ranks.contains(wrong));
    }
    step
}

/// A random sequence for points of `dim` axes.
fn sequence(draw: &mut Draw, size: usize, dim: usize) -> Vec<Step> {
    let spacing = draw.pick(&[1.0, 0.1, 7.0]);
    let (lo, length) = (
        draw.pick(&[0.0, -3.0, 0.3]) * spacing,
        draw.pick(&[4.0, 6.0, 9.0]) * spacing,
    );
    let mut last: Option<Points> = None;
    let mut steps = Vec::new();
    let calls = draw.between(4, 24) as usize;
    while steps.len() < calls {
        let step = match draw.below(22) {
            _ if steps.is_empty() && draw.once_in(2) => Step::Cutoff(spacing),
            0..2 => {
                let points = points(draw, size, dim, [spacing, lo, length]);
                last = Some(points.clone());
                Step::Set(points)
            }
            2..7 => {
                let mut points = match &last {
                    Some(points) => points.clone(),
                    None => points(draw, size, dim, [spacing, lo, length]),
                };
                let far = spacing * draw.pick(&[0.0, 0.01, 0.05, 0.2]);
                points.coords.iter_mut().for_each(|c| *c += far * (draw.unit() - 0.5));
                if !points.ranks.is_empty() && draw.once_in(10) {
                    points.wrong = Some(draw.pick(&points.ranks));
                } else {
                    last = Some(points.clone());
                }
                Step::Update(points)
            }
            7 => Step::Cutoff(spacing * draw.pick(&[0.5, 1.0, 1.0, 1.5, 2.0])),
            8 => Step::Tie(draw.below(2) as i32),
            9 if draw.once_in(2) => Step::Base(draw.below(2) as i32),
            9 => Step::Threads(draw.between(0, 2) as i32),
            10 => Step::Box(lo, length, (0..dim).map(|_| draw.once_in(2)).collect()),
            11 => Step::Skin(spacing * draw.pick(&[0.0, 0.1, 0.5, 0.5])),
            12..15 => Step::Pairs(draw.pick(&[Sides::Once, Sides::Both])),
            15..18 => Step::Rows(draw.pick(&[Kind::Half, Kind::Full])),
            18..20 => Step::Knn(Nearest {
                kind: draw.pick(&[KnnKind::Others, KnnKind::All]),
                k: draw.between(1, 9) as usize,
                measure: draw.pick(&[Measure::Distance, Measure::Square, Measure::Radius]),
            }),
            _ => Step::Fof,
        };
        steps.push(step);
    }
    steps
}

fn points(draw: &mut Draw, size: usize, dim: usize, [spacing, lo, length]: [f64; 3]) -> Points {
    let n = draw.pick(&[0, 1, 2, 5, 20, 60, 150]);
    let (kind, spread) = (draw.below(5), draw.below(4));
    let coord = |draw: &mut Draw| match kind {
        0 => lo + spacing * draw.below(5) as f64,
        1 => lo + length * draw.unit(),
        2 => lo + length * (3.0 * draw.unit() - 1.0),
        3 => lo + spacing * [0.0, 2.5, 2.5][draw.below(3)] + 0.3 * spacing * draw.unit(),
        _ => lo + length * draw.pick(&[0.0, 1.0, 0.5, 0.25, -1.0]),
    };
    let coords: Vec<f64> = (0..n * dim).map(|_| coord(draw)).collect();
    let rank = |draw: &mut Draw, k: usize| match spread {
        0 => k * size / n,
        1 => size - 1,
        2 => (((coords[k * dim] - lo) / length * size as f64).max(0.0) as usize).min(size - 1),
        _ => draw.below(size),
    };
    let ranks = (0..n).map(|k| rank(draw, k)).collect();
    let mut ids: Vec<i64> = (0..n as i64).map(|k| 3 * k - 40).collect();
    if draw.once_in(2) {
        (1..n).for_each(|k| ids.swap(k, draw.below(k + 1)));
    }
    let ids = (!draw.once_in(4)).then_some(ids);
    Points {
        coords,
        ranks,
        ids,
        wrong: None,
    }
}

#[test]
fn random_sequences() {
    let number = |name: &str, default: u64| {
        let text = std::env::var(format!("NEARGRID_MODEL_{name}")).ok();
        text.map_or(default, |text| text.parse().unwrap())
    };
    let whole = std::env::var_os("NEARGRID_TEST_ALL").is_some();
    let first = number("SEED", crate::common::clouds::seed());
    for seed in first..first + number("SEQUENCES", if whole { 10_000 } else { 400 }) {
        let mut draw = Draw::seeded(seed);
        let (size, dim) = (draw.between(1, 4) as usize, draw.between(1, 3) as usize);
        let is_single = draw.once_in(2);
        let steps = sequence(&mut draw, size, dim);
        let run = |steps: &[Step]| match is_single {
            true => run::<f32>(size, dim, steps),
            false => run::<f64>(size, dim, steps),
        };
        if run(&steps).is_ok() {
            continue;
        }
        let steps = match is_single {
            true => shrunk::<f32>(size, dim, steps),
            false => shrunk::<f64>(size, dim, steps),
        };
        let precision = if is_single { "real32" } else { "real64" };
        panic!(
            "seed {seed}, {size} ranks, dim {dim}, {precision}: {:?}\n{steps:#?}",
            run(&steps)
        );
    }
}
