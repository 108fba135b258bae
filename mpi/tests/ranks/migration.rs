//! Points redistributed over ranks that are threads: the same points in the same order on the same ranks, however they were spread
//! before; as many on each; near each other.

use crate::common::clouds::{Case, Domain, Random, all_cases, clustered_cases, periodic_cases};
use crate::common::fake::{Fake, on_ranks};
use crate::common::{Both, SIZES, SPREADS, Spread, given, part, search_for, set_part};
use neargrid_mpi::{Counter, Error, Real, Search, status};

/// The points of a rank after a migration: ids and coordinates, and messages of the plan and of a field.
type Moved<T> = (Vec<i64>, Vec<T>, [i64; 2]);

fn bytes_of<T: Copy>(values: &[T], to_bytes: impl Fn(T) -> Vec<u8>) -> Vec<u8> {
    values.iter().flat_map(|&value| to_bytes(value)).collect()
}

/// Moves this rank's part: coordinates and ids travel as fields.
fn move_part<T: Both>(search: &mut Search<Fake>, case: &Case, ranks: &[usize], ids: &[i64]) -> Moved<T> {
    let (coords, mine) = part::<T>(case, ranks, ids, search.rank_and_size().0);
    let to_bytes = |value: T| <T as Real>::to_f64(value).to_ne_bytes().to_vec();
    let real = |bytes: &[u8]| <T as Real>::from_f64(f64::from_ne_bytes(bytes.try_into().unwrap()));
    let field = bytes_of(&coords, to_bytes);
    let after = search.plan_migration(given(case.dim, coords, Some(&mine))).unwrap();
    let planned = search.counter(Counter::MigrationMessages).unwrap();
    let mut came = vec![0; 8 * case.dim * after];
    search
        .migrate(Ok((8 * case.dim, &field, came.as_mut_slice().into())))
        .unwrap();
    let mut came_ids = vec![0; 8 * after];
    let field = bytes_of(&mine, |id: i64| id.to_ne_bytes().to_vec());
    search.migrate(Ok((8, &field, came_ids.as_mut_slice().into()))).unwrap();
    let moved = search.counter(Counter::MigrationMessages).unwrap();
    let ids = came_ids.chunks(8).map(|id| i64::from_ne_bytes(id.try_into().unwrap()));
    (ids.collect(), came.chunks(8).map(real).collect(), [planned, moved])
}

/// Checks what all ranks have together, and returns the ids in the order of ranks.
fn check_moved<T: Both>(case: &Case, spread: Spread, size: usize, ids: &[i64]) -> Vec<i64> {
    let name = format!("{}, {spread:?} on {size} ranks", case.name);
    let (n, ranks) = (ids.len(), spread.ranks(case, size));
    let found = on_ranks(size, |comm| {
        move_part::<T>(&mut search_for(comm, case, 0), case, &ranks, ids)
    });
    let coords = case.coords_as::<T>();
    let place: std::collections::HashMap<_, _> = ids.iter().enumerate().map(|(k, &id)| (id, k)).collect();
    for (rank, (mine, at, [planned, moved])) in found.iter().enumerate() {
        assert_eq!(
            mine.len(),
            (rank + 1) * n / size - rank * n / size,
            "{name}: rank {rank}"
        );
        for (id, at) in mine.iter().zip(at.chunks(case.dim)) {
            let k = place[id];
            assert!(at == &coords[k * case.dim..(k + 1) * case.dim], "{name}: {id}");
        }
        let others = size as i64 - 1;
        assert!(
            *planned <= 3 * others && *moved <= others,
            "{name}: {planned} and {moved} messages"
        );
    }
    let together: Vec<i64> = found.into_iter().flat_map(|(ids, ..)| ids).collect();
    let mut sorted = together.clone();
    sorted.sort_unstable();
    let mut all = ids.to_vec();
    all.sort_unstable();
    assert!(sorted == all, "{name}: points are lost or there twice");
    together
}

fn check<T: Both>(case: &Case, k: usize) {
    let n = case.coords.len() / case.dim;
    let ids: Vec<i64> = match k % 3 {
        0 => (0..n as i64).collect(),
        1 => (0..n as i64).map(|i| 7 - 3 * i).collect(),
        _ => (0..n as i64)
            .map(|i| i.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ i64::MIN)
            .collect(),
    };
    let whole = std::env::var_os("NEARGRID_TEST_ALL").is_some();
    let want = check_moved::<T>(case, Spread::Block, 1, &ids);
    for (which, size) in SIZES.into_iter().enumerate() {
        for spread in SPREADS {
            if whole || spread == SPREADS[(k + which) % 5] && which % 2 == k % 2 {
                let found = check_moved::<T>(case, spread, size, &ids);
                assert!(
                    found == want,
                    "{}, {spread:?} on {size} ranks: another order",
                    case.name
                );
            }
        }
    }
}

#[test]
fn any_spread_becomes_the_same() {
    let whole = std::env::var_os("NEARGRID_TEST_ALL").is_some();
    let cases = [all_cases(), periodic_cases(), clustered_cases()].concat();
    for (k, case) in cases.iter().enumerate().step_by(if whole { 1 } else { 3 }) {
        if case.fits::<f64>() {
            check::<f64>(case, k);
        }
        if case.fits::<f32>() && (whole || k % 2 == 0) {
            check::<f32>(case, k);
        }
    }
}

/// Parts have fewer ghosts than those of points spread at random, and not many more than slabs; and few near ranks.
#[test]
fn parts_are_compact() {
    let mut random = Random(3);
    let case = Case::new("a box", 3, random.cloud(3, 4000), 0.05).with_domain(Domain::periodic(0.0, 1.0));
    let ids: Vec<i64> = (0..4000).collect();
    let ghosts = |spread: Option<Spread>| -> i64 {
        let ranks = spread.unwrap_or(Spread::Random).ranks(&case, 8);
        let each = on_ranks(8, |comm| {
            let mut search = search_for(comm, &case, 0);
            match spread {
                Some(_) => set_part::<_, f64>(&mut search, &case, &ranks, &ids).unwrap(),
                None => {
                    let (ids, coords, _) = move_part::<f64>(&mut search, &case, &ranks, &ids);
                    search.set_points(given(3, coords, Some(&ids))).unwrap();
                }
            }
            search.ghosts(Ok(())).unwrap().ids.len() as i64
        });
        each.iter().sum()
    };
    let [moved, slabs, dice] = [ghosts(None), ghosts(Some(Spread::Slab)), ghosts(Some(Spread::Random))];
    println!("ghosts: {moved} after a migration, {slabs} of slabs, {dice} at random");
    assert!(
        moved < slabs && 4 * moved < dice,
        "{moved} after a migration, {slabs} of slabs, {dice} at random"
    );
}

/// Without ids points stand as they did, rank by rank, where they are at the same place of the curve.
#[test]
fn without_ids() {
    let found = on_ranks(3, |comm| {
        let me = neargrid_mpi::Comm::rank(&comm);
        let mut search = Search::create(comm).unwrap();
        let coords = vec![0.5f64; [4, 0, 3][me]];
        let before: Vec<u8> = (0..coords.len()).map(|k| (10 * me + k) as u8).collect();
        let after = search.plan_migration(given(1, coords, None)).unwrap();
        let mut came = vec![0; after];
        search.migrate(Ok((1, &before, came.as_mut_slice().into()))).unwrap();
        came
    });
    assert_eq!(found, [vec![0, 1], vec![2, 3], vec![20, 21, 22]]);
}

/// A failure of any rank is that of all, and the plan from before is still there.
#[test]
fn refusals() {
    let outcomes = on_ranks(3, |comm| {
        let me = neargrid_mpi::Comm::rank(&comm);
        let mut search = Search::create(comm).unwrap();
        let mut errors: Vec<Error> = Vec::new();
        let mut field = [7u8; 2];
        errors.push(
            search
                .migrate(Ok((1, &[1, 2], field.as_mut_slice().into())))
                .unwrap_err(),
        );
        let points = || vec![me as f64, 9.0];
        assert_eq!(search.plan_migration(given(1, points(), None)), Ok(2));
        let nan = if me == 2 { f64::NAN } else { 0.0 };
        errors.push(search.plan_migration(given(1, vec![nan], None)).unwrap_err());
        errors.push(search.plan_migration(given(1 + me / 2, points(), None)).unwrap_err());
        let ids = [5, 6];
        errors.push(
            search
                .plan_migration(given(1, points(), (me == 1).then_some(&ids[..])))
                .unwrap_err(),
        );
        let short = &[1u8, 2][..if me == 1 { 1 } else { 2 }];
        errors.push(search.migrate(Ok((1, short, field.as_mut_slice().into()))).unwrap_err());
        let mut wide = vec![7u8; 2 * (1 + me)];
        errors.push(
            search
                .migrate(Ok((1 + me, &vec![0; 2 * (1 + me)], wide.as_mut_slice().into())))
                .unwrap_err(),
        );
        assert!(field == [7; 2] && wide.iter().all(|&byte| byte == 7), "outputs changed");
        search
            .migrate(Ok((1, &[me as u8, 9], field.as_mut_slice().into())))
            .unwrap();
        (errors, field)
    });
    assert!(
        outcomes.iter().all(|(errors, _)| *errors == outcomes[0].0),
        "{outcomes:?}"
    );
    assert_eq!(
        outcomes.iter().map(|(_, field)| *field).collect::<Vec<_>>(),
        [[0, 1], [2, 9], [9, 9]]
    );
    let wanted = [
        (status::BAD_STATE, "plan_migration"),
        (status::NON_FINITE, "rank 2: the x coordinate of point 0 is NaN"),
        (status::DISAGREEMENT, "dim = 1 on rank 0, 2 on rank 2"),
        (status::DISAGREEMENT, "global ids are given on rank 1 and not on rank 0"),
        (status::BAD_COUNT, "rank 1: a field of 1 elements"),
        (status::DISAGREEMENT, "bytes of an element = 1 on rank 0, 2 on rank 1"),
    ];
    for (error, (number, text)) in outcomes[0].0.iter().zip(wanted) {
        assert!(
            error.status == number && error.text.contains(text),
            "{error:?}, wanted {text}"
        );
    }
}
