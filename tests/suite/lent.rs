//! Points that were lent for a count: the handle has their pairs, and nothing else.

use crate::common::{Case, Random};
use neargrid::{
    Backend, GhostPairs, KnnKind, Measure, NeighborList, NeighborsKind, PointsView, Properties, RadiusRule, Result,
    Search, Status, TieRule,
};

/// A change between the count and a query.
type Change = (&'static str, fn(&mut Search) -> Result<()>);

/// Changes after which the pairs that were counted are still those that are asked for.
const HARMLESS: [Change; 13] = [
    ("nothing", |_| Ok(())),
    ("the same cutoff", |search| search.set_cutoff(0.11)),
    ("skin", |search| search.set_skin(0.02)),
    ("threads", |search| search.set_threads(3)),
    ("device", |search| {
        search.set_device(Some(0));
        Ok(())
    }),
    ("backend cpu", |search| {
        search.set_backend(Backend::Cpu);
        Ok(())
    }),
    ("primary types", |search| search.set_primary_types(&[true])),
    ("no ids", |search| search.set_ids(&[])),
    ("ids that ascend", |search| {
        let ids: Vec<i64> = (0..search.len() as i64).map(|id| 7 * id).collect();
        search.set_ids(&ids)
    }),
    ("all active", |search| search.set_active(None)),
    ("no radii", |search| {
        search.clear_radii();
        Ok(())
    }),
    ("radii of queries", |search| search.set_query_radii(&[0.1])),
    ("the same box", |search| {
        search.set_box(&[0.0; 3], &[1.0; 3], &[false; 3])
    }),
];

/// Changes after which other pairs are asked for, or the same ones in another way.
const HARMFUL: [Change; 14] = [
    ("cutoff", |search| search.set_cutoff(0.12)),
    ("tie rule", |search| {
        search.set_tie_rule(TieRule::Exclusive);
        Ok(())
    }),
    ("index base", |search| search.set_index_base(1)),
    ("radii", |search| {
        search.set_radii(&vec![0.11; search.len()], RadiusRule::Max)
    }),
    ("single radii", |search| {
        search.set_radii(&vec![0.11f32; search.len()], RadiusRule::Max)
    }),
    ("radii of another rule", |search| {
        search.set_radii(&vec![0.11; search.len()], RadiusRule::Mean)
    }),
    ("ids", |search| {
        let ids: Vec<i64> = (0..search.len() as i64).rev().collect();
        search.set_ids(&ids)
    }),
    ("types", |search| search.set_types(&vec![0; search.len()], &[true])),
    ("no types", |search| search.set_types(&[], &[])),
    ("active", |search| search.set_active(Some(10))),
    ("ghost pairs", |search| {
        search.set_ghost_pairs(GhostPairs::LargerIds);
        Ok(())
    }),
    ("memory limit", |search| search.set_memory_limit(1 << 40)),
    ("trim", |search| {
        search.trim().unwrap();
        Ok(())
    }),
    ("box", |search| search.set_box(&[-1e301; 3], &[2e301; 3], &[true; 3])),
];

/// Clouds that the CPU counts in different ways: few points, a grid, one with strays, and all alike.
fn clouds() -> Vec<Case> {
    let mut random = Random(11);
    let cloud = random.cloud(3, 2000);
    let strays = [cloud.as_slice(), &[1e300, 0.5, 0.5, -1e300, 0.5, 0.5]].concat();
    vec![
        Case::new("few", 3, random.cloud(3, 40), 0.11),
        Case::new("box", 3, cloud, 0.11),
        Case::new("strays", 3, strays, 0.11),
        Case::new("alike", 3, vec![0.25; 300], 0.11),
        Case::new("none", 3, Vec::new(), 0.11),
    ]
}

/// A handle that counted the points of a case without holding them.
fn lent(case: &Case) -> Search {
    let mut search = Search::new().unwrap();
    search.set_backend(Backend::Cpu);
    search.set_cutoff(case.cutoff).unwrap();
    let view = PointsView::interleaved(3, &case.coords).unwrap();
    let counted = search.count_pairs_of(&view).unwrap();
    assert_eq!(counted, case.truth::<f64>().len() as i64, "{}", case.name);
    search
}

/// Asks for pairs and half rows in every way: the right ones, or why not.
fn half(search: &mut Search, case: &Case) -> Vec<Result<bool>> {
    let (left, right): (Vec<i32>, Vec<i32>) = case.truth::<f64>().into_iter().unzip();
    let n = left.len();
    let (mut i, mut j, mut ids) = (vec![-1; n], vec![-1; n], vec![-1; n]);
    vec![
        search.pairs().map(|pairs| pairs.left == left && pairs.right == right),
        search.pairs_into(&mut i, &mut j).map(|_| i == left && j == right),
        search.count_pairs().map(|count| count == n as i64),
        search
            .count_neighbors(NeighborsKind::Half)
            .map(|count| count == n as i64),
        search.neighbors(NeighborsKind::Half).map(|rows| rows.ids == right),
        search
            .neighbors_into(NeighborsKind::Half, &mut ids)
            .map(|_| ids == right),
        search.pairs().map(|pairs| pairs.left == left && pairs.right == right),
    ]
}

/// Refused, with a text that says what to do.
fn refused<R>(answer: Result<R>, what: &str) {
    let Err(error) = answer else {
        panic!("{what}: answered");
    };
    assert_eq!(error.status(), Status::BadState, "{what}: {error}");
    let text = error.to_string();
    assert!(text.contains("first call set_points"), "{what}: {text}");
}

/// Pairs are right after the count, whatever index they needed and whatever else changes, until it changes which pairs there are.
/// Then they are refused, and are there again once the setting is what it was.
#[test]
fn pairs() {
    for case in clouds() {
        for (name, change) in HARMLESS {
            let mut search = lent(&case);
            change(&mut search).unwrap();
            for (k, answer) in half(&mut search, &case).into_iter().enumerate() {
                assert!(answer.unwrap_or_else(|error| panic!("{}, {name}, {k}: {error}", case.name)));
            }
        }
        for (name, change) in HARMFUL {
            if case.coords.is_empty() {
                break; // ids, types and radii of no points are none
            }
            let mut search = lent(&case);
            change(&mut search).unwrap();
            if name == "single radii" {
                assert_eq!(search.pairs().unwrap_err().status(), Status::BadValue, "precision");
                continue;
            }
            for answer in half(&mut search, &case) {
                refused(answer, &format!("{}, {name}", case.name));
            }
            search.set_cutoff(case.cutoff).unwrap();
            search.set_tie_rule(TieRule::Inclusive);
            search.set_index_base(0).unwrap();
            search.set_memory_limit(0).unwrap();
            search.set_ids(&[]).unwrap();
            search.clear_radii();
            if matches!(
                name,
                "cutoff" | "tie rule" | "index base" | "radii" | "ids" | "memory limit"
            ) {
                let answers = half(&mut search, &case);
                assert!(
                    answers.into_iter().all(|answer| answer.unwrap()),
                    "{}, {name}",
                    case.name
                );
            }
        }
    }
}

/// No other query is answered, on any cloud, and none takes the pairs away; then the points are set.
#[test]
fn other_queries() {
    let other = [0.5; 3];
    let other = PointsView::interleaved(3, &other).unwrap();
    for case in clouds() {
        let name = &case.name;
        let mut search = lent(&case);
        search.set_skin(0.01).unwrap();
        refused(search.count_neighbors(NeighborsKind::Full), name);
        refused(search.neighbors(NeighborsKind::Full).map(drop), name);
        refused(search.neighbors_into(NeighborsKind::Full, &mut []).map(drop), name);
        refused(search.verlet_list(NeighborsKind::Half).map(drop), name);
        refused(search.chunks(NeighborsKind::Half, 1 << 30).map(drop), name);
        refused(search.knn::<f64>(KnnKind::Others, 1, Measure::Distance).map(drop), name);
        refused(search.fof().map(drop), name);
        refused(search.groups::<f64>(1, &Properties::default()).map(drop), name);
        refused(search.pair_distances::<f64>(&[], &[], &mut []), name);
        refused(search.order(&mut vec![0; search.len()]), name);
        refused(search.add_points(&other), name);
        refused(search.set_queries(&other), name);
        let mut formula = neargrid::Formula::new("n += 1").unwrap();
        refused(search.run(&mut formula, NeighborsKind::Half, 1), name);
        assert_eq!(search.count_queries().unwrap_err().status(), Status::BadState, "{name}");
        assert!(
            half(&mut search, &case).into_iter().all(|answer| answer.unwrap()),
            "{name}"
        );
        let view = PointsView::interleaved(3, &case.coords).unwrap();
        search.set_points(&view).unwrap();
        let full = 2 * case.truth::<f64>().len() as i64;
        assert_eq!(search.count_neighbors(NeighborsKind::Full).unwrap(), full, "{name}");
        assert!(
            half(&mut search, &case).into_iter().all(|answer| answer.unwrap()),
            "{name}"
        );
    }
}

/// A count that is refused leaves no points and no pairs, at whatever step it is refused.
#[test]
fn refused_counts() {
    let case = &clouds()[1];
    let good = PointsView::interleaved(3, &case.coords).unwrap();
    let bad = [0.0, f64::NAN, 0.0];
    let bad = PointsView::interleaved(3, &bad).unwrap();
    let steps: [Change; 4] = [
        ("coordinates", |_| Ok(())),
        ("cutoff", |search| search.set_cutoff(1e-200)),
        ("ids", |search| search.set_ids(&[5, 4])),
        ("types", |search| search.set_types(&[0, 0], &[true])),
    ];
    for (name, change) in steps {
        let view = if name == "coordinates" { &bad } else { &good };
        for holds in [false, true] {
            let mut search = lent(case);
            if holds {
                search.set_points(&good).unwrap();
            }
            change(&mut search).unwrap();
            search.count_pairs_of(view).expect_err(name);
            assert!(search.is_empty(), "{name}");
            search.set_cutoff(case.cutoff).unwrap();
            search.set_ids(&[]).unwrap();
            search.set_types(&[], &[]).unwrap();
            refused(search.pairs().map(drop), name);
        }
    }
}

/// The pairs may be taken instead: then they are the caller's, and the handle has nothing.
#[test]
fn taken() {
    for case in clouds() {
        let mut search = lent(&case);
        let mut list = NeighborList::new();
        search.take_neighbors(NeighborsKind::Half, &mut list).unwrap();
        let right: Vec<i32> = case.truth::<f64>().into_iter().map(|(_, j)| j).collect();
        assert_eq!(list.neighbors().ids, right, "{}", case.name);
        refused(search.take_neighbors(NeighborsKind::Half, &mut list), &case.name);
        refused(search.pairs().map(drop), &case.name);
        assert_eq!(list.neighbors().ids, right, "{}", case.name);
        search
            .count_pairs_of(&PointsView::interleaved(3, &case.coords).unwrap())
            .unwrap();
        assert!(
            half(&mut search, &case).into_iter().all(|answer| answer.unwrap()),
            "{}",
            case.name
        );
    }
}
