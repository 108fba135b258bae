//! Formulas over the images in a cell, bit for bit against plain loops over the rows of the oracle.

use super::{Crystal, KINDS, random_crystal};
use crate::common::{Random, seed};
use neargrid::{
    Backend, Formula, NeighborsKind, PointsView, Precision, Real, Search, Status, SumPrecision, TieRule, oracle,
};

/// Sums, an extremum and moved points, of which the second reads what the first has made.
const STEP: &str = "rho += m_j + dot(d, d); f += m_j*d; far max= dot(d, d); g += rho_j*d; x_i = x_i + 0.125*g_i";

/// Positions after a step, and the values that it makes.
#[derive(Debug, PartialEq)]
struct State<T> {
    x: Vec<T>,
    rho: Vec<T>,
    f: Vec<T>,
    far: Vec<T>,
    g: Vec<T>,
}

/// Rows of an oracle: offsets, ids and shifts.
type Rows = (Vec<i64>, Vec<i32>, Vec<[i32; 3]>);

/// The positions of the image of an entry, and of the point itself without a shift.
fn image<T: Real>(view: &PointsView<T>, crystal: &Crystal, (j, shift): (usize, [i32; 3])) -> [T; 3] {
    match shift {
        [0, 0, 0] => [0, 1, 2].map(|axis| view.get(axis, j)),
        _ => oracle::image(view, &crystal.vectors(), j, shift),
    }
}

/// A step by loops over rows of the truth.
fn step<T: Precision>(crystal: &Crystal, (x, m): (&[T], &[T]), rows: &Rows, with_self: bool) -> State<T> {
    let (view, n) = (PointsView::interleaved(3, x).unwrap(), m.len());
    let zero = T::default();
    let (mut rho, mut f, mut far) = (
        vec![zero; n],
        vec![zero; 3 * n],
        vec![T::from_f64(f64::NEG_INFINITY); n],
    );
    let mut g = vec![zero; 3 * n];
    let each = |i: usize, act: &mut dyn FnMut(usize, [T; 3], T)| {
        let range = rows.0[i] as usize..rows.0[i + 1] as usize;
        let mut row: Vec<_> = range.map(|at| (rows.1[at] as usize, rows.2[at])).collect();
        if with_self {
            row.push((i, [0; 3]));
            row.sort_unstable();
        }
        for entry in row {
            let other = image(&view, crystal, entry);
            let d = [0, 1, 2].map(|axis| view.get(axis, i).sub(other[axis]));
            let d2 = d[0].mul(d[0]).add(d[1].mul(d[1])).add(d[2].mul(d[2]));
            act(entry.0, d, d2);
        }
    };
    for i in 0..n {
        each(i, &mut |j, d, d2| {
            rho[i] = rho[i].add(m[j].add(d2));
            far[i] = if far[i] < d2 { d2 } else { far[i] };
            (0..3).for_each(|k| f[3 * i + k] = f[3 * i + k].add(m[j].mul(d[k])));
        });
    }
    for i in 0..n {
        each(i, &mut |j, d, _| {
            (0..3).for_each(|k| g[3 * i + k] = g[3 * i + k].add(rho[j].mul(d[k])));
        });
    }
    let by = |(x, g): (&T, &T)| x.add(T::from_f64(0.125).mul(*g));
    let x = x.iter().zip(&g).map(by).collect();
    State { x, rho, f, far, g }
}

/// Runs the step in one precision as a program, which is compared with the loops.
fn check<T: Precision>(search: &mut Search, crystal: &Crystal, precision: SumPrecision, random: &mut Random) -> usize {
    let m: Vec<T> = (0..crystal.coords.len() / 3)
        .map(|_| T::from_f64(random.uniform()))
        .collect();
    let truth = crystal.truth::<T>(TieRule::Inclusive);
    for (kind, with_self) in [(KINDS[0], false), (KINDS[1], false), (KINDS[1], true)] {
        crystal.set::<T>(search);
        search.set_field("m", &m, 1).unwrap();
        let mut formula = Formula::new(STEP).unwrap();
        formula.set_precision(precision);
        formula.set_include_self(with_self);
        search.run(&mut formula, kind, 1).unwrap();
        let rows = oracle::image_rows(m.len(), &truth, kind == NeighborsKind::Full);
        let wanted = step(crystal, (&crystal.coords_as::<T>(), &m), &rows, with_self);
        let mut values = |name: &str| search.field_as::<T>(name).unwrap().into_owned();
        let found = State {
            x: values("x"),
            rho: values("rho"),
            f: values("f"),
            far: values("far"),
            g: values("g"),
        };
        assert!(
            found == wanted,
            "{} {kind:?} {with_self}: {crystal:?}\n{found:?}\n{wanted:?}",
            T::NAME
        );
        assert!(search.info().contains("rows of images"), "{}", search.info());
    }
    truth.len()
}

fn random_sums(search: &mut Search, crystals: usize) {
    let (mut random, mut pairs) = (Random(seed()), 0);
    for k in 0..crystals {
        let periodic = [0, 1, 2].map(|axis| (k >> axis) & 1 == 1);
        let crystal = random_crystal(&mut random, periodic, k as i32 % 2);
        pairs += match k / 8 % 2 {
            0 => check::<f64>(search, &crystal, SumPrecision::Double, &mut random),
            _ => check::<f32>(search, &crystal, SumPrecision::Single, &mut random),
        };
    }
    assert!(pairs > 5 * crystals, "{pairs}");
}

/// Sums over images, by programs that move the points.
#[test]
fn sums_over_images() {
    let mut search = Search::new().unwrap();
    for threads in [1, 2] {
        search.set_threads(threads).unwrap();
        random_sums(&mut search, 96);
    }
}

/// Many steps of one program, of which each searches anew where the last has moved the points to.
#[test]
fn many_steps_in_a_cell() {
    let (mut random, mut search) = (Random(seed()), Search::new().unwrap());
    let mut crystal = random_crystal(&mut random, [true, true, false], 0);
    crystal.set::<f64>(&mut search);
    let mut formula = Formula::new("g += (c*c - dot(d, d))*d; x_i = x_i + 0.0625*g_i").unwrap();
    formula.set_precision(SumPrecision::Double);
    search.run(&mut formula, NeighborsKind::Full, 20).unwrap();
    for _ in 0..20 {
        crystal.most = 40;
        let coords = crystal.coords.clone();
        let rows = oracle::image_rows(coords.len() / 3, &crystal.truth::<f64>(TieRule::Inclusive), true);
        let (view, c2) = (
            PointsView::interleaved(3, &coords).unwrap(),
            crystal.cutoff * crystal.cutoff,
        );
        let mut moved = coords.clone();
        for i in 0..coords.len() / 3 {
            let mut g = [0.0; 3];
            for at in rows.0[i] as usize..rows.0[i + 1] as usize {
                let other = image(&view, &crystal, (rows.1[at] as usize, rows.2[at]));
                let d = [0, 1, 2].map(|axis| coords[3 * i + axis] - other[axis]);
                let factor = c2 - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
                (0..3).for_each(|k| g[k] += factor * d[k]);
            }
            (0..3).for_each(|k| moved[3 * i + k] += 0.0625 * g[k]);
        }
        crystal.coords = moved;
    }
    assert_eq!(*search.field_as::<f64>("x").unwrap(), crystal.coords);
}

/// Rows of queries are refused in a cell.
#[test]
fn refusals() {
    let mut search = Search::new().unwrap();
    let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    search.set_cutoff(1.0).unwrap();
    search.set_cell(&unit, [true; 3]).unwrap();
    search
        .set_points(&PointsView::interleaved(3, &[0.0; 3]).unwrap())
        .unwrap();
    let mut formula = Formula::new("n += 1").unwrap();
    let error = search.run(&mut formula, NeighborsKind::Queries, 1).unwrap_err();
    assert_eq!(error.status(), Status::NotSupported);
    search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
    assert_eq!(search.field::<f32>("n").unwrap(), [6.0]);
}

/// The same with candidates of a GPU.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn sums_over_images_of_a_gpu() {
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Gpu);
    random_sums(&mut search, 16);
    assert_eq!(search.counter(neargrid::Counter::Backend), Backend::Gpu as i64);
}
