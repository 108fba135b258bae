//! Sums over neighbors: bit for bit those of plain loops. Texts of all sorts are tested in run/random.rs, which also has those of one
//! statement; here are rows of all sorts, and what sums alone do.

mod kept;
mod language;
mod refusals;
mod shapes;
pub mod tables;
mod wide;

use crate::common::{Again, Case, Part, Random, cases, periodic_cases, ruled_cases};
use crate::run::plain::Width;
use neargrid::{
    Formula, NeighborsKind, PointsView, Precision, RadiusRule, Real, Search, Status, SumPrecision, TableOf,
};

/// A GPU evaluates what it can, and says what it cannot.
fn check_place<F: Width>(search: &Search) {
    let info = search.info();
    let (_, place) = info.split_once("\nformula: ").expect(&info);
    if info.contains("backend: cpu") {
        assert!(place.starts_with("on the CPU ("), "{info}");
        return;
    }
    let is_inexact = std::env::var("NEARGRID_GPU_MASK").is_ok_and(|mask| mask.contains("inexact"));
    let reason = match is_inexact {
        true => "on the CPU (its arithmetic is not that of the CPU)",
        false => "on the device",
    };
    let is_double = F::PRECISION == SumPrecision::Double;
    let of_doubles = ["on the CPU (real64", "on the CPU (a function in real64"];
    let mut known = vec![reason, "on the CPU (ghosts whose ids"];
    known.extend(of_doubles.iter().filter(|_| is_double));
    let is_known = known.iter().any(|known| place.starts_with(known));
    assert!(is_known, "{info}");
}

fn set<T: Precision>(search: &mut Search, case: &Case, base: i64) {
    search.set_index_base(base).unwrap();
    search.set_cutoff(case.cutoff).unwrap();
    search.set_tie_rule(case.rule);
    case.domain.set(search, case.dim);
    let types: Vec<i32> = case.rules.types.iter().map(|t| t + base as i32).collect();
    search.set_types(&types, &case.rules.mask).unwrap();
    search
        .set_active(case.rules.active.map(|active| active as i64))
        .unwrap();
    let coords = case.coords_as::<T>();
    search
        .set_points(&PointsView::interleaved(case.dim, &coords).unwrap())
        .unwrap();
}

/// The sums of a text, and the same by a loop over the rows and displacements that the handle finds.
fn check_case<T: Precision, F: Width>(search: &mut Search, (case, base): (&Case, i64), kind: NeighborsKind) {
    const TEXT: &str = "n += 1; s += m_j*(c - r); acc += d*(m_i - m_j); most max= r2; least min= d";
    let (n, dim, about) = (search.len(), case.dim, &case.name);
    let cutoff = F::from_f64(T::from_f64(case.cutoff).to_f64());
    let rows = search.neighbors(kind).unwrap();
    let (offsets, ids) = (rows.offsets.to_vec(), rows.ids.to_vec());
    let mut displacements = vec![T::default(); ids.len() * dim];
    search
        .neighbor_displacements(&offsets, &ids, &mut displacements)
        .unwrap();
    let mass: Vec<f64> = (0..n).map(|k| 0.5 + (k % 13) as f64 / 7.0).collect();
    search.set_field("m", &mass, 1).unwrap();
    let mut formula = Formula::new(TEXT).unwrap();
    formula.set_precision(F::PRECISION);
    search.run(&mut formula, kind, 1).unwrap();
    check_place::<F>(search);
    let found = ["n", "s", "acc", "most", "least"].map(|name| search.field::<F>(name).unwrap().to_vec());
    let m = |point: usize| F::from_f64(mass[point]);
    for i in 0..n {
        let (zero, mut sums) = (F::default(), [F::default(); 2]);
        let (mut acc, mut most, mut least) = ([zero; 3], F::NEG_INFINITY, [F::INFINITY; 3]);
        for at in (offsets[i] - base) as usize..(offsets[i + 1] - base) as usize {
            let j = (i64::from(ids[at]) - base) as usize;
            let mut d = [zero; 3];
            (0..dim).for_each(|axis| d[axis] = F::from_f64(displacements[at * dim + axis].to_f64()));
            let r2 = (1..dim).fold(d[0] * d[0], |sum, axis| sum + d[axis] * d[axis]);
            sums = [sums[0] + F::ONE, sums[1] + m(j) * (cutoff - Real::sqrt(r2))];
            most = [most, r2][usize::from(most < r2)];
            for axis in 0..dim {
                acc[axis] = acc[axis] + d[axis] * (m(i) - m(j));
                least[axis] = [least[axis], d[axis]][usize::from(d[axis] < least[axis])];
            }
        }
        let wanted = [
            vec![sums[0]],
            vec![sums[1]],
            acc[..dim].to_vec(),
            vec![most],
            least[..dim].to_vec(),
        ];
        for (found, wanted) in found.iter().zip(wanted) {
            let found = &found[i * wanted.len()..][..wanted.len()];
            let is_right = found.iter().zip(&wanted).all(|(&a, &b)| a.is_same(b));
            assert!(
                is_right,
                "{about} in {}, {kind:?}, row {i}: {found:?}, not {wanted:?}",
                F::NAME
            );
        }
    }
}

/// One of every few clouds, if it is small enough for the loop.
fn some_cases(every: usize) -> Vec<Case> {
    let (open, periodic) = (cases(), periodic_cases());
    let ruled = [ruled_cases(&open, 13), ruled_cases(&periodic, 5)].concat();
    let all = [open, periodic, ruled].into_iter().flatten();
    Part::of_environment().of(all.step_by(every).collect())
}

#[test]
fn all_cases() {
    fn check<T: Precision>(search: &mut Search, case: &Case, k: usize) {
        if !case.fits::<T>() {
            return;
        }
        let base = k as i64 % 2;
        set::<T>(search, case, base);
        let kind = [NeighborsKind::Full, NeighborsKind::Half][usize::from(k % 5 == 4)];
        match k % 3 {
            0 => check_case::<T, f64>(search, (case, base), kind),
            _ => check_case::<T, f32>(search, (case, base), kind),
        }
    }
    let mut search = Search::new().unwrap();
    for (k, case) in some_cases(3).into_iter().enumerate() {
        search.set_threads([1, 2, 3, 8][k % 4]).unwrap();
        check::<f32>(&mut search, &case, k);
        check::<f64>(&mut search, &case, k + 7);
    }
}

/// Chunks of any size, and any number of threads, in little memory.
#[test]
fn threads_and_memory() {
    let n = 6000 / Part::of_environment().every.min(10);
    let case = Case::new("many", 3, Random(3).cloud(3, n), 0.12 * (6000.0 / n as f64).cbrt());
    let mut search = Search::new().unwrap();
    set::<f32>(&mut search, &case, 0);
    check_case::<f32, f32>(&mut search, (&case, 0), NeighborsKind::Full);
    let mut results = Vec::new();
    for threads in [1, 2, 3, 8] {
        search.set_threads(threads).unwrap();
        for limit in [0, 100 * n as i64] {
            search.set_memory_limit(limit).unwrap();
            let mut formula = Formula::new("a += m_j*r/c").unwrap();
            search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
            check_place::<f32>(&search);
            results.push(search.field::<f32>("a").unwrap().to_vec());
        }
    }
    assert!(results.windows(2).all(|two| two[0] == two[1]));
}

/// The same on a GPU that finds the rows, as `devices` in tests/suite/pairs.rs does.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn devices() {
    let again = Again::only(
        module_path!(),
        &[
            "all_cases",
            "threads_and_memory",
            "rows_longer",
            "tables::",
            "wide::",
            "several_tables",
            "kept::",
            "language::",
        ],
        "all_cases",
    );
    again.on_devices(&[
        ("", "60:30"), // in one case blocks find no room at first
        ("no-subgroups", "240:10"),
        ("binding=1048576", "120:20"),
        ("batches,guarded", "120:30"),
        ("inexact", "120:50"),
        ("no-f64", "120:40"),
    ]);
}

/// Division by zero gives what IEEE arithmetic says, and so does all that is computed with it.
#[test]
fn division_by_zero() {
    fn check<F: Width>() {
        let coords = [0.5, 0.5, 0.5, 0.5, 4.0, 4.0]; // two points in one place, and a lonely one
        let mut search = Search::new().unwrap();
        search.set_cutoff(1.0).unwrap();
        search
            .set_points(&PointsView::interleaved(2, &coords).unwrap())
            .unwrap();
        let text = "a += 1/r2; b += -1/r; nan += r/r2; v += d/r; most max= -1/r; least min= 1/r2 - 1/r; cube += r^-3";
        let mut formula = Formula::new(text).unwrap();
        formula.set_precision(F::PRECISION);
        search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
        let (infinite, none) = (F::INFINITY, F::default());
        let mut has = |name: &str, wanted: [F; 3]| {
            let found = search.field::<F>(name).unwrap();
            let is_right = found.iter().zip(wanted).all(|(&a, b)| a.is_same(b));
            assert!(is_right, "{name}: {found:?}, not {wanted:?}");
        };
        let nan = none / none;
        has("a", [infinite, infinite, none]);
        has("b", [F::NEG_INFINITY, F::NEG_INFINITY, none]);
        has("nan", [nan, nan, none]);
        has("v", [nan, nan, nan]);
        has("most", [F::NEG_INFINITY; 3]);
        has("least", [infinite; 3]); // a NaN is ignored
        has("cube", [infinite, infinite, none]);
    }
    check::<f32>();
    check::<f64>();
}

/// Tables of any lengths beside each other are read as each of them alone.
#[test]
fn several_tables() {
    let lengths = [2, 3, 40, 5, 300, 2];
    let coords: Vec<f64> = Random(21).cloud(3, 200);
    let mut search = Search::new().unwrap();
    search.set_cutoff(0.4).unwrap();
    search
        .set_points(&PointsView::interleaved(3, &coords).unwrap())
        .unwrap();
    let values = |k: usize| -> Vec<f64> { (0..lengths[k]).map(|i| (k * 1000 + i * i) as f64).collect() };
    let text = |k: usize| format!("s{k} += T{k}(r)");
    let mut sums = |tables: std::ops::Range<usize>| -> Vec<Vec<f32>> {
        let texts: Vec<_> = tables.clone().map(text).collect();
        let mut formula = Formula::new(&texts.join("; ")).unwrap();
        for k in tables.clone() {
            let range = [0.01 * k as f64, 0.5];
            let set = match k {
                2 | 4 => Formula::set_cubic_table,
                _ => Formula::set_table,
            };
            set(&mut formula, &format!("T{k}"), TableOf::R, range, &values(k)).unwrap();
        }
        search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
        tables
            .map(|k| search.field::<f32>(&format!("s{k}")).unwrap().to_vec())
            .collect()
    };
    let together = sums(0..lengths.len());
    for (k, together) in together.iter().enumerate() {
        assert_eq!(*together, sums(k..k + 1)[0], "table {k}");
    }
}

/// Rows of more neighbors than are evaluated at once, in a crowd that no block can hold and by radii; each point is a neighbor of all.
#[test]
fn rows_longer_than_a_batch() {
    const N: usize = 4500;
    let coords: Vec<f32> = (0..N).map(|k| (k * 7919 % N) as f32 / N as f32).collect();
    let mass: Vec<f32> = (0..N).map(|k| 1.0 / (1 + k % 11) as f32).collect();
    for (threads, with_self, by_radii) in [(1, false, false), (2, true, false), (2, true, true)] {
        let mut search = Search::new().unwrap();
        search.set_threads(threads).unwrap();
        search.set_cutoff(2.0).unwrap();
        search
            .set_points(&PointsView::interleaved(1, &coords).unwrap())
            .unwrap();
        if by_radii {
            search.set_radii(&[2.0_f32; N], RadiusRule::Max).unwrap();
        }
        let mut formula = Formula::new("a += m_j*r; most max= r2").unwrap();
        formula.set_include_self(with_self);
        search.set_field("m", &mass, 1).unwrap();
        search.run(&mut formula, NeighborsKind::Full, 1).unwrap();
        let [a, most] = ["a", "most"].map(|name| search.field::<f32>(name).unwrap().to_vec());
        for i in (0..N).step_by(97) {
            let (mut sum, mut largest) = (0.0_f32, f32::NEG_INFINITY);
            for j in (0..N).filter(|&j| with_self || j != i) {
                let d = coords[i] - coords[j];
                sum += mass[j] * (d * d).sqrt();
                largest = largest.max(d * d);
            }
            assert!(
                a[i].is_same(sum) && most[i].is_same(largest),
                "row {i}, {threads} threads, radii: {by_radii}"
            );
        }
    }
}
