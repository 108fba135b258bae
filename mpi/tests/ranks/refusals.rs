//! A failure of one rank is a failure of all of them alike, and the search works afterwards.

use crate::common::clouds::{Case, Random};
use crate::common::fake::{Fake, on_ranks};
use crate::common::{Spread, given, part, search_for, set_part};
use neargrid_mpi::{Domain, Error, Kind, Output, Search, Sides, status};

const SIZE: usize = 3;

/// Faults of coordinates or ids of a rank.
type Change = dyn Fn(usize, &mut Vec<f64>, &mut Vec<i64>) + Sync;

fn case() -> Case {
    Case::new("uniform", 3, Random(9).cloud(3, 400), 0.15)
}

/// Runs `wrong` on all ranks of a search that works, expects of all the same failure, whose text has all of `words`, and that
/// `mended` then finds all pairs.
fn expect_failure(
    number: i32,
    words: &[&str],
    wrong: impl Fn(&mut Search<Fake>, usize) -> Result<(), Error> + Sync,
    mended: impl Fn(&mut Search<Fake>, usize) + Sync,
) {
    let case = case();
    let ids: Vec<i64> = (0..400).collect();
    let ranks = Spread::Random.ranks(&case, SIZE);
    let outcomes = on_ranks(SIZE, |comm| {
        let rank = neargrid_mpi::Comm::rank(&comm);
        let mut search = search_for(comm, &case, 0);
        set_part::<_, f64>(&mut search, &case, &ranks, &ids).unwrap();
        let before = search.pairs(Ok(Sides::Once)).unwrap().left.len();
        let error = wrong(&mut search, rank).unwrap_err();
        mended(&mut search, rank);
        assert_eq!(search.pairs(Ok(Sides::Once)).unwrap().left.len(), before);
        error
    });
    assert!(outcomes.iter().all(|error| error == &outcomes[0]), "{outcomes:?}");
    assert_eq!(outcomes[0].status, number, "{}", outcomes[0]);
    words
        .iter()
        .for_each(|word| assert!(outcomes[0].text.contains(word), "no {word:?} in {:?}", outcomes[0].text));
}

fn nothing(_: &mut Search<Fake>, _: usize) {}

#[test]
fn points() {
    let wrong_points = |change: &Change, number, words: &[&str]| {
        let case = case();
        let ids: Vec<i64> = (0..400).rev().collect();
        let ranks = Spread::Random.ranks(&case, SIZE);
        let wrong = |search: &mut Search<Fake>, rank| {
            let (mut coords, mut ids) = part::<f64>(&case, &ranks, &ids, rank);
            change(rank, &mut coords, &mut ids);
            search.set_points(given(3, coords, Some(&ids)))
        };
        expect_failure(number, words, wrong, nothing);
    };
    wrong_points(
        &|rank, coords, _| coords[7] = if rank == 1 { f64::NAN } else { coords[7] },
        status::NON_FINITE,
        &["rank 1: ", "the y coordinate of point 2 is NaN"],
    );
    wrong_points(
        &|rank, coords, _| coords[0] = if rank == 0 { 0.5 } else { f64::INFINITY },
        status::NON_FINITE,
        &["rank 1: ", "the x coordinate of point 0 is inf"],
    );
    wrong_points(
        &|rank, _, ids| ids[5] = if rank == 0 { ids[5] } else { 12345 },
        status::BAD_VALUE,
        &["global id 12345 belongs to point 5 on rank 1 and to point 5 on rank 2"],
    );
    wrong_points(
        &|rank, _, ids| ids.truncate(if rank == 2 { 7 } else { 400 }),
        status::BAD_COUNT,
        &["rank 2: number of ids = 7 "],
    );
}

#[test]
fn dimensions_and_precisions() {
    let differing = ["dim = 3 on rank 0, 2 on rank 2"];
    expect_failure(
        status::DISAGREEMENT,
        &differing,
        |s, rank| s.set_points(given(if rank == 2 { 2 } else { 3 }, vec![0.0; 6], None)),
        nothing,
    );
    expect_failure(
        status::DISAGREEMENT,
        &["precision = real32 on rank 0, real64 on rank 1"],
        |search, rank| match rank {
            0 => search.set_points(given(1, vec![0f32], None)),
            _ => search.set_points(given(1, vec![0f64], None)),
        },
        nothing,
    );
    expect_failure(
        status::BAD_DIM,
        &["rank 1: dim = 4 ", "1, 2 or 3"],
        |search, rank| search.set_points(given(if rank == 1 { 4 } else { 3 }, vec![0.0; 12], None)),
        nothing,
    );
    let differing = ["global ids are given on rank 1 and not on rank 0", "all ranks"];
    expect_failure(
        status::DISAGREEMENT,
        &differing,
        |search, rank| search.set_points(given(1, vec![0.0], Some(&[rank as i64][..]).filter(|_| rank == 1))),
        nothing,
    );
}

#[test]
fn settings() {
    let pairs = |search: &mut Search<Fake>| search.pairs(Ok(Sides::Once)).map(|_| ());
    expect_failure(
        status::DISAGREEMENT,
        &["cutoff = 0.15 on rank 0, 0.2 on rank 1"],
        |search, rank| {
            search.set_cutoff(if rank == 1 { 0.2 } else { 0.15 }).unwrap();
            pairs(search)
        },
        |search, _| search.set_cutoff(0.15).unwrap(),
    );
    expect_failure(
        status::DISAGREEMENT,
        &["tie rule = 0 on rank 0, 1 on rank 2"],
        |search, rank| {
            search.set_tie_rule(i32::from(rank == 2)).unwrap();
            pairs(search)
        },
        |search, _| search.set_tie_rule(0).unwrap(),
    );
    let ring = |length: f64, periodic: bool| Domain {
        lo: vec![0.0; 3],
        length: vec![length; 3],
        periodic: vec![periodic; 3],
    };
    expect_failure(
        10,
        &["rank 0: ", "length of axis x = 0.2 ", "twice the cutoff"],
        |search, _| {
            search.set_box(ring(0.2, true)).unwrap();
            pairs(search)
        },
        |search, rank| {
            // Along open axes corner and length mean nothing, so ranks need not agree on them.
            let any = [f64::NAN, 0.0, f64::INFINITY, -1.0][rank % 4];
            let mut open = ring(any, false);
            open.lo = vec![any; 3];
            search.set_box(open).unwrap();
        },
    );
    expect_failure(
        4,
        &["rank 0: cutoff = 1e-200"],
        |search, _| {
            search.set_cutoff(1e-200).unwrap();
            pairs(search)
        },
        |search, _| search.set_cutoff(0.15).unwrap(),
    );
}

#[test]
fn calls() {
    expect_failure(
        status::DISAGREEMENT,
        &["rank 0 called pairs, rank 1 called neighbors"],
        |search, rank| match rank {
            0 => search.pairs(Ok(Sides::Both)).map(|_| ()),
            _ => search.neighbors(Ok(Kind::Full)).map(|_| ()),
        },
        nothing,
    );
    expect_failure(
        status::DISAGREEMENT,
        &["neighbors = Half on rank 0, Full on rank 1"],
        |search, rank| {
            search
                .neighbors(Ok(if rank == 1 { Kind::Full } else { Kind::Half }))
                .map(|_| ())
        },
        nothing,
    );
    expect_failure(
        status::BAD_STATE,
        &["rank 0: no halo exchange is in progress"],
        |search, _| search.halo_finish(Ok(Output::empty())),
        nothing,
    );
    expect_failure(
        status::BAD_COUNT,
        &["rank 1: a field of 7 elements "],
        |search, rank| {
            let len = if rank == 1 { 7 } else { 8 * search.owned() };
            search.halo_begin(Ok((8, &vec![0; len])))
        },
        nothing,
    );
    expect_failure(
        status::BAD_STATE,
        &["rank 0: no ghosts for the current"],
        |search, _| {
            search.set_cutoff(0.2).unwrap();
            search.halo_begin(Ok((1, &vec![0; search.owned()])))
        },
        |search, _| search.set_cutoff(0.15).unwrap(),
    );
    expect_failure(
        status::CAPACITY,
        &["rank 2: capacity = 3 is too small: 4 are needed"],
        |search, rank| search.check_capacity(3, if rank == 2 { 4 } else { 2 }),
        nothing,
    );
}

/// Refusals of a rank's own arguments reach all, and a search in the middle of an exchange refuses the rest.
#[test]
fn arguments() {
    let refusal = || Error::new(status::NULL_POINTER, "x is NULL");
    expect_failure(
        status::NULL_POINTER,
        &["rank 1: x is NULL"],
        |search, rank| {
            search
                .pairs(if rank == 1 { Err(refusal()) } else { Ok(Sides::Once) })
                .map(|_| ())
        },
        nothing,
    );
    expect_failure(
        status::BAD_STATE,
        &["rank 0: a halo exchange is in progress"],
        |search, _| {
            search.halo_begin(Ok((1, &vec![0; search.owned()]))).unwrap();
            search.pairs(Ok(Sides::Once)).map(|_| ())
        },
        |search, _| {
            let mut ghosts = vec![0; search.ghost_count()];
            search.halo_finish(Ok(ghosts.as_mut_slice().into())).unwrap();
        },
    );
}

/// Without points or a cutoff there is nothing to search.
#[test]
fn states() {
    let texts = on_ranks(2, |comm| {
        let mut search = Search::create(comm).unwrap();
        let no_points = search.pairs(Ok(Sides::Once)).unwrap_err().text;
        search.set_points::<f32>(given(2, Vec::new(), None)).unwrap();
        let no_cutoff = search.pairs(Ok(Sides::Once)).unwrap_err().text;
        search.set_cutoff(1.0).unwrap();
        assert_eq!(search.pairs(Ok(Sides::Once)).map(|pairs| pairs.left.len()), Ok(0));
        (no_points, no_cutoff)
    });
    for (no_points, no_cutoff) in texts {
        assert!(
            no_points.contains("no points yet") && no_cutoff.contains("no cutoff yet"),
            "{no_points} {no_cutoff}"
        );
    }
}
