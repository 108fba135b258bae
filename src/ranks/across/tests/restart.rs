//! Pair fields by global ids: a run that stops and goes on with another number of ranks, and values that are refused.

use super::failures::begin;
use crate::error::{Result, Status};
use crate::formula::{Formula, SumPrecision};
use crate::points::PointsView;
use crate::ranks::fake::on_ranks;
use crate::ranks::{Comm, Ranks};
use crate::search::{NeighborsKind, PairFieldAsked, Search};

/// Grains on springs, which are stretched while they touch.
const TEXT: &str = "spring_ij = spring_ij + 0.01*(v_i - v_j)\n\
                    age_ij = age_ij + 1\n\
                    f += (c - r)*d - spring_ij*age_ij\n\
                    v_i = v_i + 0.01*f_i\n\
                    x_i = x_i + 0.01*v_i";

const POINTS: usize = 60;

/// All that a grain has: the id, place and velocity, and for each of both pair fields the ids of partners and values.
#[derive(Clone, Debug, PartialEq)]
struct Grain {
    id: i64,
    x: [f64; 2],
    v: [f64; 2],
    rows: [(Vec<i64>, Vec<f64>); 2],
}

const FIELDS: [(&str, usize); 2] = [("spring", 2), ("age", 1)];

fn grains() -> Vec<Grain> {
    let mut random = crate::random::Random(3);
    let mut pair = || [random.uniform(), random.uniform()];
    let grain = |k: i64| Grain {
        id: k * 37 % 61 - 20,
        x: pair(),
        v: pair().map(|v| 4.0 * v - 2.0),
        rows: Default::default(),
    };
    (0..POINTS as i64).map(grain).collect()
}

/// Goes on with these grains of this rank, or of all, and returns what becomes of them.
fn run(comm: Option<&Comm>, mut mine: Vec<Grain>, steps: i64) -> Result<Vec<Grain>> {
    let mut search = Search::new()?;
    let mut ranks = comm.map(|comm| Ranks::new(comm.clone()));
    search.set_cutoff(0.2)?;
    let together = |get: fn(&Grain) -> [f64; 2]| mine.iter().flat_map(get).collect::<Vec<f64>>();
    let (x, v) = (together(|grain| grain.x), together(|grain| grain.v));
    let ids: Vec<i64> = mine.iter().map(|grain| grain.id).collect();
    let view = PointsView::interleaved(2, &x)?;
    match &mut ranks {
        Some(ranks) => {
            ranks.each(&mut search, "set_points", Ok(()), |search, ()| search.set_points(&view))?;
            ranks.set_ids(&ids)?;
        }
        None => {
            search.set_points(&view)?;
            search.set_ids(&ids)?;
        }
    }
    search.set_field("v", &v, 2)?;
    for (field, (name, components)) in FIELDS.into_iter().enumerate() {
        let (mut offsets, mut ids, mut values) = (vec![0], Vec::new(), Vec::new());
        for grain in &mine {
            ids.extend_from_slice(&grain.rows[field].0);
            values.extend_from_slice(&grain.rows[field].1);
            offsets.push(ids.len() as i64);
        }
        let (offsets, ids, values) = (&offsets[..], &ids[..], &values[..]);
        let asked = PairFieldAsked {
            name,
            offsets,
            ids,
            values,
            components,
        };
        match &mut ranks {
            Some(ranks) => ranks.set_pair_field(&mut search, Ok(asked))?,
            None => search.set_pair_field_by_ids(name, (offsets, ids), values, components)?,
        }
    }
    let mut formula = Formula::new(TEXT)?;
    formula.set_precision(SumPrecision::Double);
    match &mut ranks {
        Some(ranks) => ranks.run(&mut search, Ok((&mut formula, NeighborsKind::Full, steps)))?,
        None => search.run(&mut formula, NeighborsKind::Full, steps)?,
    }
    let x = search.field_as::<f64>("x")?.to_vec();
    let v = search.field_as::<f64>("v")?.to_vec();
    for (k, grain) in mine.iter_mut().enumerate() {
        [grain.x, grain.v] = [&x, &v].map(|values| [values[2 * k], values[2 * k + 1]]);
    }
    for (field, (name, components)) in FIELDS.into_iter().enumerate() {
        let found = search.pair_field_by_ids::<f64>(name)?;
        for (grain, ends) in mine.iter_mut().zip(found.offsets.windows(2)) {
            let [begin, end] = [ends[0] as usize, ends[1] as usize];
            let values = &found.values[begin * components..end * components];
            grain.rows[field] = (found.ids[begin..end].to_vec(), values.to_vec());
        }
    }
    Ok(mine)
}

/// The grains of a rank, when they are dealt out.
fn dealt(all: &[Grain], rank: usize, size: usize) -> Vec<Grain> {
    let mine = all
        .iter()
        .filter(|grain| grain.id.rem_euclid(size as i64) == rank as i64);
    mine.cloned().collect()
}

/// A run that goes on with another number of ranks has the bits of a run of one search that never stops.
#[test]
fn on_other_ranks() {
    let whole = run(None, grains(), 40).unwrap();
    let ages: f64 = whole.iter().flat_map(|grain| &grain.rows[1].1).sum();
    assert!(ages > 1000.0, "{ages}");
    let mut all = grains();
    for (size, steps) in [(3, 15), (2, 10), (1, 5), (5, 10)] {
        let parts = on_ranks(size, |comm| {
            run(Some(comm), dealt(&all, comm.rank(), size), steps).unwrap()
        });
        all = parts.concat();
        all.sort_by_key(|grain| grain.id);
    }
    let mut whole = whole;
    whole.sort_by_key(|grain| grain.id);
    assert_eq!(all, whole);
    let mut alone = grains();
    for steps in [15, 25] {
        alone.reverse();
        alone = run(None, alone, steps).unwrap();
    }
    alone.sort_by_key(|grain| grain.id);
    assert_eq!(alone, whole);
}

/// Rows of two points on each rank.
fn two_rows() -> PairFieldAsked<'static, f64> {
    PairFieldAsked {
        name: "a",
        offsets: &[0, 1, 2],
        ids: &[1, 2],
        values: &[1.0, 2.0],
        components: 1,
    }
}

/// No rank takes an argument that one rank gives wrongly, or that differs between ranks.
#[test]
fn refused() {
    let good = two_rows();
    let cases: [(PairFieldAsked<f64>, Status); 7] = [
        (PairFieldAsked { name: "b", ..good }, Status::Disagreement),
        (PairFieldAsked { components: 2, ..good }, Status::Disagreement),
        (
            PairFieldAsked {
                offsets: &[0, 2],
                ids: &[7, 0],
                ..good
            },
            Status::BadValue,
        ),
        (
            PairFieldAsked {
                offsets: &[0, 1, 1, 2],
                ..good
            },
            Status::BadCount,
        ),
        (PairFieldAsked { ids: &[0], ..good }, Status::BadCount),
        (PairFieldAsked { values: &[0.0], ..good }, Status::BadCount),
        (
            PairFieldAsked {
                offsets: &[1, 2, 3],
                ..good
            },
            Status::BadValue,
        ),
    ];
    on_ranks(3, |comm| {
        let (mut search, mut ranks) = begin(comm).unwrap();
        ranks.set_pair_field(&mut search, Ok(good)).unwrap();
        for (k, (wrong, status)) in cases.iter().enumerate() {
            let asked = if comm.rank() == k % 3 { *wrong } else { good };
            let failed = ranks.set_pair_field(&mut search, Ok(asked)).unwrap_err();
            assert_eq!(failed.status(), *status, "case {k}: {failed}");
            assert_eq!(search.pair_field_by_ids::<f64>("a").unwrap().values, good.values);
            assert_eq!(
                search.pair_field_by_ids::<f64>("b").unwrap_err().status(),
                Status::BadState
            );
        }
    });
}

/// All ranks give values of one precision, and entries of points elsewhere play no part.
#[test]
fn of_points_elsewhere() {
    on_ranks(3, |comm| {
        let (mut search, mut ranks) = begin(comm).unwrap();
        let single = PairFieldAsked {
            name: "a",
            offsets: &[0, 0],
            ids: &[],
            values: &[],
            components: 1,
        };
        ranks.set_pair_field(&mut search, Ok(two_rows())).unwrap();
        let done = match comm.rank() {
            0 => ranks.set_pair_field::<f32>(&mut search, Ok(single)),
            _ => ranks.set_pair_field(&mut search, Ok(two_rows())),
        };
        assert_eq!(done.unwrap_err().status(), Status::Disagreement);
        let mut formula = Formula::new("a_ij = a_ij + 1; n += a_ij").unwrap();
        ranks
            .run(&mut search, Ok((&mut formula, NeighborsKind::Full, 1)))
            .unwrap();
        let first = search.field::<f32>("n").unwrap()[0];
        assert_eq!(first, [2.0, 3.0, 2.0][comm.rank()]); // points 0 and 2 are near point 1, point 4 is not
    });
}
