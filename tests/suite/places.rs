//! The page docs/manual/what-works-where.md, cell by cell: where each call runs that was asked to run on a GPU.

use neargrid::{
    Backend, Formula, KnnKind, Measure, NeighborList, NeighborsKind, PointsView, Properties, RadiusRange, RadiusRule,
    Result, Search, Status, SumPrecision,
};

const N: usize = 300;

/// The place where a query ran.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    Gpu,
    /// The GPU finds the rows, the CPU evaluates the formula.
    Rows,
    Refused,
}

/// A search on a GPU among points in a unit cube and as many queries.
fn search(backend: Backend) -> Search {
    let points = crate::common::Random(7).cloud(3, 2 * N);
    let view = |part: usize| PointsView::interleaved(3, &points[3 * N * part..3 * N * (part + 1)]).unwrap();
    let mut search = Search::new().unwrap();
    search.set_backend(backend);
    search.set_cutoff(0.2).unwrap();
    search.set_points::<f64>(&view(0)).unwrap();
    search.set_queries::<f64>(&view(1)).unwrap();
    search
}

fn place(search: &Search, done: Result<()>) -> Place {
    match done {
        Err(error) => {
            assert_eq!(error.status(), Status::NotSupported, "{error}");
            Place::Refused
        }
        Ok(()) => {
            let info = search.info();
            assert!(info.starts_with("backend: gpu"), "{info}");
            match info.contains("\nformula: on the CPU") {
                true => Place::Rows,
                false => Place::Gpu,
            }
        }
    }
}

fn sum(search: &mut Search, precision: SumPrecision, kind: NeighborsKind) -> Result<()> {
    let mut formula = Formula::new("n += 1; most max= r2")?;
    formula.set_precision(precision);
    search.run(&mut formula, kind, 1)
}

type Call = (&'static str, Place, fn(&mut Search) -> Result<()>);

const CALLS: &[Call] = &[
    ("pairs", Place::Gpu, |search| search.pairs().map(drop)),
    ("half rows", Place::Gpu, |search| {
        search.neighbors(NeighborsKind::Half).map(drop)
    }),
    ("full rows", Place::Gpu, |search| {
        search.neighbors(NeighborsKind::Full).map(drop)
    }),
    ("counts", Place::Gpu, |search| search.count_pairs().map(drop)),
    ("rows of queries", Place::Gpu, |search| search.queries().map(drop)),
    ("lists that callers keep", Place::Gpu, |search| {
        search.take_neighbors(NeighborsKind::Full, &mut NeighborList::new())
    }),
    ("chunks", Place::Gpu, |search| {
        let mut chunks = search.chunks(NeighborsKind::Full, 1000)?;
        while chunks.next()?.is_some() {}
        Ok(())
    }),
    ("k nearest", Place::Gpu, |search| {
        search.knn::<f64>(KnnKind::Others, 8, Measure::Distance).map(drop)
    }),
    ("k nearest of queries", Place::Gpu, |search| {
        search.knn::<f64>(KnnKind::Queries, 8, Measure::Distance).map(drop)
    }),
    ("k nearest within a radius", Place::Gpu, |search| {
        search.set_knn_within(0.3)?;
        search.knn::<f64>(KnnKind::Others, 8, Measure::Distance).map(drop)
    }),
    ("lists by several cutoffs", Place::Gpu, |search| {
        let mut lists = [NeighborList::new(), NeighborList::new()];
        search.take_neighbors_by_cutoffs(NeighborsKind::Full, &[0.1, 0.2], &mut lists)
    }),
    ("radii at which sums reach a target", Place::Gpu, |search| {
        let range = RadiusRange {
            smallest: 0.01,
            largest: 1.0,
            tolerance: 0.1,
            max_iterations: 5,
        };
        let (mut formula, kind) = (Formula::new("n += 1 - r/c")?, NeighborsKind::Full);
        search
            .solve_radii::<f64>(&mut formula, kind, ("n", 3.0), &range)
            .map(drop)
    }),
    ("k nearest by ids", Place::Refused, |search| {
        search.set_ids(&descending())?;
        search.knn::<f64>(KnnKind::Others, 8, Measure::Distance).map(drop)
    }),
    ("groups", Place::Gpu, |search| search.fof().map(drop)),
    ("groups by ids", Place::Gpu, |search| {
        search.set_ids(&descending())?;
        search.fof().map(drop)
    }),
    ("catalogue", Place::Gpu, |search| {
        search.groups::<f64>(1, &Properties::default()).map(drop)
    }),
    ("primary types", Place::Refused, |search| {
        search.set_types(&[0; N], &[true])?;
        search.set_primary_types(&[true])?;
        search.fof().map(drop)
    }),
    ("single sum", Place::Gpu, |search| {
        sum(search, SumPrecision::Single, NeighborsKind::Full)
    }),
    ("single sum of queries", Place::Gpu, |search| {
        sum(search, SumPrecision::Single, NeighborsKind::Queries)
    }),
    ("double sum", Place::Gpu, |search| {
        sum(search, SumPrecision::Double, NeighborsKind::Full)
    }),
    ("double sum by radii", Place::Rows, |search| {
        search.set_radii(&[0.2; N], RadiusRule::Mean)?;
        sum(search, SumPrecision::Double, NeighborsKind::Full)
    }),
    ("single sum by radii", Place::Gpu, |search| {
        search.set_radii(&[0.2; N], RadiusRule::Mean)?;
        sum(search, SumPrecision::Single, NeighborsKind::Full)
    }),
    ("single sum with ghosts of small ids", Place::Rows, |search| {
        search.set_ids(&descending())?;
        search.set_active(Some(N as i64 / 2))?;
        sum(search, SumPrecision::Single, NeighborsKind::Half)
    }),
    ("radii", Place::Gpu, |search| {
        search.set_radii(&[0.2; N], RadiusRule::Max)?;
        search.pairs().map(drop)
    }),
    ("radii by ids", Place::Refused, |search| {
        search.set_ids(&descending())?;
        search.set_radii(&[0.2; N], RadiusRule::Max)?;
        search.pairs().map(drop)
    }),
    ("cutoffs by types", Place::Gpu, |search| {
        cutoffs_by_types(search)?;
        search.pairs().map(drop)
    }),
    ("cutoffs by types and ids", Place::Gpu, |search| {
        cutoffs_by_types(search)?;
        search.set_ids(&descending())?;
        search.pairs().map(drop)
    }),
    ("cutoffs by types and radii", Place::Refused, |search| {
        cutoffs_by_types(search)?;
        search.set_radii(&[0.2; N], RadiusRule::Max)?;
        search.pairs().map(drop)
    }),
    ("double sum with cutoffs by types", Place::Gpu, |search| {
        cutoffs_by_types(search)?;
        sum(search, SumPrecision::Double, NeighborsKind::Full)
    }),
    ("single sum that reads cutoffs by types", Place::Gpu, |search| {
        cutoffs_by_types(search)?;
        search.run(&mut Formula::new("n += r/c")?, NeighborsKind::Full, 1)
    }),
    ("double sum that reads cutoffs by types", Place::Rows, |search| {
        cutoffs_by_types(search)?;
        let mut formula = Formula::new("n += r/c")?;
        formula.set_precision(SumPrecision::Double);
        search.run(&mut formula, NeighborsKind::Full, 1)
    }),
    ("ids, types, ghosts and a box", Place::Gpu, |search| {
        search.set_ids(&descending())?;
        search.set_types(&[0; N], &[true])?;
        search.set_active(Some(N as i64 / 2))?;
        search.set_box(&[0.0; 3], &[1.0; 3], &[true, false, false])?;
        let points = crate::common::Random(7).cloud(3, N);
        search.set_points::<f64>(&PointsView::interleaved(3, &points)?)?;
        search.pairs().map(drop)
    }),
    ("Verlet list", Place::Gpu, |search| {
        search.set_skin(0.02)?;
        search.verlet_list(NeighborsKind::Full).map(drop)
    }),
    ("groups by radii", Place::Refused, |search| {
        search.set_radii(&[0.2; N], RadiusRule::Max)?;
        search.fof().map(drop)
    }),
    ("Verlet list by radii", Place::Gpu, |search| {
        search.set_radii(&[0.2; N], RadiusRule::Max)?;
        search.set_skin(0.02)?;
        search.verlet_list(NeighborsKind::Full).map(drop)
    }),
];

fn cutoffs_by_types(search: &mut Search) -> Result<()> {
    let types: Vec<i32> = (0..N as i32).map(|i| i % 2).collect();
    search.set_types(&types, &[true; 4])?;
    search.set_type_cutoffs(&[0.2, 0.1, 0.1, 0.15])
}

fn descending() -> Vec<i64> {
    (0..N as i64).rev().collect()
}

#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn on_a_gpu() {
    for (name, expected, call) in CALLS {
        let mut search = search(Backend::Gpu);
        let done = call(&mut search);
        assert_eq!(place(&search, done), *expected, "{name}");
    }
}

/// The automatic backend does what a GPU refuses, and refuses what no backend does.
#[test]
fn on_the_automatic_backend() {
    for (name, _, call) in CALLS {
        let done = call(&mut search(Backend::Auto));
        let nowhere = ["groups by radii", "cutoffs by types and radii"].contains(name);
        assert_eq!(done.is_err(), nowhere, "{name}: {done:?}");
    }
}
