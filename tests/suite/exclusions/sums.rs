//! Formulas over rows with exclusions: what a plain loop adds, bit for bit.

use super::*;
use neargrid::{Formula, Real, SumPrecision};

const TEXT: &str = "
    few += m_j                                              # of pairs that are not excluded
    all += m_j*(1 + class)
    scaled += select(0, select(0.25*m_j, m_j, class == 3), class == 1 or class == 2)
    most max= m_j
    highest max= class
    both_i = few_i + all_i
    later += both_j
";

/// The fields that the text makes, by a loop over full rows of all pairs.
fn truth<F: Real>(n: usize, rows: &[Vec<i32>], excluded: &Excluded, m: &[F]) -> [Vec<F>; 6] {
    let number = |x: f64| F::from_f64(x);
    let class = |i: usize, j: &i32| excluded.class(i as i32, *j);
    let mut made: [Vec<F>; 6] = std::array::from_fn(|_| vec![number(0.0); n]);
    let [few, all, scaled, most, highest, later] = &mut made;
    for (i, row) in rows.iter().enumerate() {
        (most[i], highest[i]) = (number(f64::NEG_INFINITY), number(f64::NEG_INFINITY));
        for j in row {
            let (mj, class) = (m[*j as usize], class(i, j));
            all[i] = all[i].add(mj.mul(number(1.0).add(number(class.into()))));
            scaled[i] = scaled[i].add(match class {
                0 => mj,
                3 => number(0.25).mul(mj),
                _ => number(0.0),
            });
            highest[i] = if highest[i] < number(class.into()) {
                number(class.into())
            } else {
                highest[i]
            };
            if class == 0 {
                few[i] = few[i].add(mj);
                most[i] = if most[i] < mj { mj } else { most[i] };
            }
        }
    }
    for (i, row) in rows.iter().enumerate() {
        for j in row.iter().filter(|j| class(i, j) == 0) {
            let n = few[*j as usize].add(all[*j as usize]);
            later[i] = later[i].add(n);
        }
    }
    made
}

const NAMES: [&str; 6] = ["few", "all", "scaled", "most", "highest", "later"];

fn check<F: Precision>(search: &mut Search, name: &str, truth: &[Vec<F>; 6]) {
    // A field keeps the precision that it had.
    let mut formula = Formula::new(&TEXT.replace("both", F::NAME)).unwrap();
    formula.set_precision(if F::NAME == "real32" {
        SumPrecision::Single
    } else {
        SumPrecision::Double
    });
    for times in [1, 2] {
        search.run(&mut formula, NeighborsKind::Full, times).unwrap();
        for (field, want) in NAMES.iter().zip(truth) {
            let found = search.field::<F>(field).unwrap();
            let differs = found
                .iter()
                .zip(want)
                .position(|(a, b)| a.to_f64().to_bits() != b.to_f64().to_bits());
            assert!(
                differs.is_none() && found.len() == want.len(),
                "{name}: {field} of {differs:?} is {:?}, not {:?}",
                differs.map(|at| found[at]),
                differs.map(|at| want[at])
            );
        }
    }
}

fn rows_of(n: usize, pairs: &[(i32, i32)]) -> Vec<Vec<i32>> {
    let (offsets, ids) = oracle::neighbors(n, pairs, true);
    offsets
        .windows(2)
        .map(|ends| ids[ends[0] as usize..ends[1] as usize].to_vec())
        .collect()
}

fn check_case<T: Precision>(search: &mut Search, case: &Case, random: &mut Random) {
    let n = case.coords.len() / case.dim;
    if !case.fits::<T>() || n < 2 {
        return;
    }
    set::<T>(search, case);
    let all = case.truth::<T>();
    let (m32, m64): (Vec<f32>, Vec<f64>) = (0..n).map(|_| random.uniform()).map(|m| (m as f32, m)).unzip();
    for (k, excluded) in [
        Excluded::some(n, &all, 0.2, random),
        Excluded::chain(n, 3),
        Excluded::default(),
    ]
    .iter()
    .enumerate()
    {
        excluded.set(search, n, 0, random);
        let (rows, name) = (rows_of(n, &all), format!("{} {} exclusions {k}", case.name, T::NAME));
        search.set_field("m", &m32, 1).unwrap();
        check(search, &name, &truth(n, &rows, excluded, &m32));
        search.set_field("m", &m64, 1).unwrap();
        check(search, &name, &truth(n, &rows, excluded, &m64));
        let pairs = excluded.left(&all);
        assert!(pairs_found(search, 0) == pairs, "{name}: pairs after the formula");
    }
    search.set_exclusions(&[], &[], None).unwrap();
    search.set_field("m", &m32, 1).unwrap();
    let rows = rows_of(n, &all);
    check(search, &case.name, &truth(n, &rows, &Excluded::default(), &m32));
}

#[test]
fn sums() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(73));
    for case in some_cases().iter().step_by(2).chain(&many()) {
        check_case::<f32>(&mut search, case, &mut random);
        check_case::<f64>(&mut search, case, &mut random);
    }
}

/// By global ids the terms are added in the order of these, and a point that is its own neighbor has class 0.
#[test]
fn sums_with_ids_and_self() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(79));
    for case in &many()[..5] {
        set::<f64>(&mut search, case);
        let (all, n) = (case.truth::<f64>(), case.coords.len() / case.dim);
        let m: Vec<f32> = (0..n).map(|_| random.uniform() as f32).collect();
        search.set_field("m", &m, 1).unwrap();
        for ids in some_ids(n, &mut random) {
            let excluded = Excluded::some(n, &all, 0.3, &mut random);
            excluded.set(&mut search, n, 0, &mut random);
            search.set_ids(&ids).unwrap();
            let mut rows = rows_of(n, &all);
            for (i, row) in rows.iter_mut().enumerate() {
                row.push(i as i32);
                row.sort_by_key(|&j| ids[j as usize]);
            }
            let mut formula = Formula::new("few += m_j; all += m_j*(1 + class)").unwrap();
            formula.set_include_self(true);
            search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
            let [few, all, ..] = truth(n, &rows, &excluded, &m);
            assert!(search.field::<f32>("few").unwrap() == few, "{}", case.name);
            assert!(search.field::<f32>("all").unwrap() == all, "{}", case.name);
        }
        search.set_ids(&[]).unwrap();
    }
}

/// By radii, and of ghosts.
#[test]
fn sums_with_radii_and_ghosts() {
    let (mut search, mut random) = (Search::new().unwrap(), Random(83));
    for case in &many()[..5] {
        set::<f64>(&mut search, case);
        let n = case.coords.len() / case.dim;
        let m: Vec<f32> = (0..n).map(|_| random.uniform() as f32).collect();
        search.set_field("m", &m, 1).unwrap();
        search.set_active(Some(n as i64 / 2)).unwrap();
        for by_radii in [false, true] {
            if by_radii {
                let radii: Vec<f64> = (0..n).map(|_| case.cutoff * random.uniform()).collect();
                search.set_radii(&radii, RadiusRule::Max).unwrap();
            }
            search.set_exclusions(&[], &[], None).unwrap();
            let (offsets, ids) = rows_found(search.neighbors(NeighborsKind::Full).unwrap(), 0);
            let rows: Vec<_> = offsets
                .windows(2)
                .map(|ends| ids[ends[0] as usize..ends[1] as usize].to_vec())
                .collect();
            let pairs: Vec<_> = (0..n as i32)
                .flat_map(|i| rows[i as usize].iter().map(move |&j| (i, j)))
                .collect();
            let excluded = Excluded::some(n, &pairs, 0.2, &mut random);
            excluded.set(&mut search, n, 0, &mut random);
            check(&mut search, &case.name, &truth(n, &rows, &excluded, &m));
        }
        search.clear_radii();
        search.set_active(None).unwrap();
    }
}

/// The places in a text where `class` means something.
#[test]
fn where_class_is() {
    let texts = [
        ("a_i = class", "of a pair"),
        ("class = 2; a += class", "class"),
        ("a := class", "of a pair"),
    ];
    for (text, part) in texts {
        let error = Formula::new(text).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}
