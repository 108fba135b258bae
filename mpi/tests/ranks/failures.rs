//! Failures beneath the layer: a communicator at any of its calls, and memory at any larger request of one rank. Every call
//! returns a status on all ranks.

use crate::common::clouds::{Case, Random};
use crate::common::fake::{Fake, Fault, on_faulty_ranks, on_ranks};
use crate::common::refusing::{granted, is_pending, refuse};
use crate::common::{Spread, given, part, set_case};
use neargrid_mpi::{Error, Kind, KnnKind, Measure, Nearest, Output, Search, Sides, Wanted, status};

const SIZE: usize = 3;
const DIM: usize = 2;

/// The points of a rank, and the same points a little and far from there.
struct Part {
    steps: [Vec<f64>; 3],
    ids: Vec<i64>,
}

/// A cloud that crosses ranks, in parts.
fn parts(n: usize, spread: Spread) -> (Case, Vec<Part>) {
    let mut random = Random(31);
    let case = Case::new("a cloud", DIM, random.cloud(DIM, n), 1.5 / (n as f64).sqrt());
    let ids: Vec<i64> = (0..n as i64).map(|k| (k * 7919) % n as i64 - 9).collect();
    let ranks = spread.ranks(&case, SIZE);
    let skin = 0.2 * case.cutoff;
    let mut moved = |far: f64| {
        let mut moved = case.clone();
        moved
            .coords
            .iter_mut()
            .for_each(|c| *c += far * (random.uniform() - 0.5));
        moved
    };
    let steps = [case.clone(), moved(0.3 * skin), moved(3.0 * skin)];
    let of = |rank: usize| Part {
        steps: steps.each_ref().map(|case| part::<f64>(case, &ranks, &ids, rank).0),
        ids: part::<f64>(&case, &ranks, &ids, rank).1,
    };
    let parts = (0..SIZE).map(of).collect();
    (case, parts)
}

/// The result of a call, by global ids where points are meant.
type Found = Vec<i64>;

type Call = fn(&mut Search<Fake>, &Part) -> Result<Found, Error>;

/// Global ids of this rank's points and ghosts; all ranks ask after a call that succeeded on all.
fn known(search: &mut Search<Fake>, part: &Part) -> Result<Vec<i64>, Error> {
    granted(|| Ok([&part.ids, search.ghosts(Ok(()))?.ids].concat()))
}

fn set(search: &mut Search<Fake>, part: &Part) -> Result<Found, Error> {
    let (n, coords) = (part.ids.len(), &part.steps[0]);
    let taken = search.take_in(DIM, n, |first, to: &mut [f64]| {
        to.copy_from_slice(&coords[first * DIM..][..to.len()])
    });
    let asked = taken.and_then(|coords| given(DIM, coords, Some(&part.ids)));
    search.set_points(asked).map(|()| Vec::new())
}

fn set_without_ids(search: &mut Search<Fake>, part: &Part) -> Result<Found, Error> {
    let coords = granted(|| part.steps[0].clone());
    search.set_points(given(DIM, coords, None)).map(|()| Vec::new())
}

fn update<const STEP: usize>(search: &mut Search<Fake>, part: &Part) -> Result<Found, Error> {
    let coords = granted(|| part.steps[STEP].clone());
    search.update(given(DIM, coords, Some(&part.ids))).map(|_| Vec::new())
}

fn pairs(search: &mut Search<Fake>, part: &Part) -> Result<Found, Error> {
    let found = search.pairs(Ok(Sides::Both))?;
    let numbers = granted(|| [found.left, found.right].concat());
    let known = known(search, part)?;
    Ok(granted(|| {
        numbers.iter().map(|&number| known[number as usize]).collect()
    }))
}

fn once(search: &mut Search<Fake>, _: &Part) -> Result<Found, Error> {
    search.pairs(Ok(Sides::Once)).map(|found| vec![found.left.len() as i64])
}

fn rows(search: &mut Search<Fake>, part: &Part) -> Result<Found, Error> {
    let found = search.neighbors(Ok(Kind::Full))?;
    let (offsets, ids) = granted(|| (found.offsets.to_vec(), found.ids.to_vec()));
    let known = known(search, part)?;
    let ids = ids.iter().map(|&number| known[number as usize]);
    Ok(granted(|| offsets.into_iter().chain(ids).collect()))
}

fn ghosts(search: &mut Search<Fake>, _: &Part) -> Result<Found, Error> {
    search.ghosts(Ok(())).map(|_| Vec::new())
}

fn exchange(search: &mut Search<Fake>, part: &Part) -> Result<Found, Error> {
    let mut field = granted(|| vec![0i64; search.ghost_count()]);
    let mut ids = granted(|| part.ids.clone());
    search.halo_exchange(Ok((8, as_bytes(&mut ids), Output::from(as_bytes(&mut field)))))?;
    assert_eq!(known(search, part)?[part.ids.len()..], field);
    Ok(Vec::new())
}

fn begin(search: &mut Search<Fake>, part: &Part) -> Result<Found, Error> {
    let mut ids = granted(|| part.ids.clone());
    search.halo_begin(Ok((8, as_bytes(&mut ids)))).map(|()| Vec::new())
}

fn finish(search: &mut Search<Fake>, part: &Part) -> Result<Found, Error> {
    let mut field = granted(|| vec![0i64; search.ghost_count()]);
    search.halo_finish(Ok(Output::from(as_bytes(&mut field))))?;
    assert_eq!(known(search, part)?[part.ids.len()..], field);
    Ok(Vec::new())
}

fn as_bytes(numbers: &mut [i64]) -> &mut [u8] {
    bytemuck::cast_slice_mut(numbers)
}

fn sum(search: &mut Search<Fake>, part: &Part) -> Result<Found, Error> {
    let (ghosts, mut owned) = granted(|| (vec![0i64; search.ghost_count()], part.ids.clone()));
    search.halo_sum(Ok((1, &ghosts[..], &mut owned[..])))?;
    assert_eq!(owned, part.ids);
    Ok(Vec::new())
}

fn knn(search: &mut Search<Fake>, part: &Part) -> Result<Found, Error> {
    let asked = Nearest {
        kind: KnnKind::Others,
        k: 5,
        measure: Measure::Square,
    };
    search.knn::<f64>(Ok(asked))?;
    let ghosts = search.knn_ghosts(Ok(()))?;
    let known = granted(|| [&part.ids, ghosts.ids].concat());
    Ok(granted(|| {
        let found = search.held_knn::<f64>().unwrap();
        let named = found.ids.iter().map(|&number| known[number as usize]);
        named
            .chain(found.distances.iter().map(|d| d.to_bits() as i64))
            .collect()
    }))
}

fn fof(search: &mut Search<Fake>, _: &Part) -> Result<Found, Error> {
    let found = search.fof(Ok(()))?;
    Ok(granted(|| found.labels.iter().copied().chain([found.groups]).collect()))
}

fn groups(search: &mut Search<Fake>, part: &Part) -> Result<Found, Error> {
    let wanted = granted(|| Wanted {
        min_size: 1,
        masses: Some(vec![1.5; part.ids.len()]),
        velocities: Some(part.steps[1].clone()),
    });
    let found = search.groups::<f64>(Ok(wanted))?;
    let sums = || {
        found
            .masses
            .iter()
            .chain(found.centers)
            .chain(found.radii)
            .map(|sum| sum.to_bits() as i64)
    };
    Ok(granted(|| {
        found.labels.iter().chain(found.sizes).copied().chain(sums()).collect()
    }))
}

fn plan_migration(search: &mut Search<Fake>, part: &Part) -> Result<Found, Error> {
    let coords = granted(|| part.steps[0].clone());
    let after = search.plan_migration(given(DIM, coords, Some(&part.ids)))?;
    Ok(vec![after as i64])
}

fn migrate(search: &mut Search<Fake>, part: &Part) -> Result<Found, Error> {
    let after = search.migration_counts()[1];
    let (mut before, mut after) = granted(|| (part.ids.clone(), vec![0; after]));
    search.migrate(Ok((8, as_bytes(&mut before), Output::from(as_bytes(&mut after)))))?;
    Ok(after)
}

/// A program: all collective calls, in an order in which each is possible.
const PROGRAM: [Call; 24] = [
    set,
    pairs,
    rows,
    exchange,
    begin,
    finish,
    sum,
    update::<1>,
    pairs,
    update::<2>,
    pairs,
    once,
    knn,
    fof,
    groups,
    plan_migration,
    migrate,
    set,
    knn,
    fof,
    pairs,
    set_without_ids,
    ghosts,
    once,
];

fn create(comm: Fake, case: &Case) -> Result<Search<Fake>, Error> {
    let mut search = Search::create(comm)?;
    set_case(&mut search, case);
    search.set_threads(1).unwrap();
    search.set_backend(1).unwrap(); // the CPU
    search.set_skin(0.2 * case.cutoff).unwrap();
    Ok(search)
}

/// The results of the program's calls on each rank where nothing fails.
fn truth(case: &Case, parts: &[Part]) -> Vec<Vec<Found>> {
    on_ranks(SIZE, |comm| {
        let part = &parts[neargrid_mpi::Comm::rank(&comm)];
        let mut search = create(comm, case).unwrap();
        PROGRAM.map(|call| call(&mut search, part).unwrap()).to_vec()
    })
}

/// A communicator that fails at a call, on one rank or on all: until then all is right, and from then on every call says so.
#[test]
fn communicator() {
    let (case, parts) = parts(150, Spread::Slab);
    let truth = truth(&case, &parts);
    let run = |fault: Fault| -> Vec<usize> {
        on_faulty_ranks(SIZE, fault, |comm| {
            let me = neargrid_mpi::Comm::rank(&comm);
            let check = |error: &Error| {
                assert_eq!(error.status, status::COMMUNICATION, "{fault:?}, rank {me}: {error}");
            };
            let mut search = match create(comm, &case) {
                Ok(search) => search,
                Err(error) => {
                    check(&error);
                    return 0;
                }
            };
            for (k, call) in PROGRAM.iter().enumerate() {
                match call(&mut search, &parts[me]) {
                    Ok(found) => assert_eq!(found, truth[me][k], "{fault:?}, rank {me}, call {k}"),
                    Err(error) => {
                        check(&error);
                        for later in PROGRAM {
                            let error = later(&mut search, &parts[me]).unwrap_err();
                            check(&error);
                            let says_why = error.text.contains("an earlier call") && error.text.contains("destroy");
                            assert!(says_why, "{fault:?}, rank {me}: {error}");
                        }
                        return k + 1;
                    }
                }
            }
            PROGRAM.len() + 1
        })
    };
    let last = |ends: &[usize]| ends.iter().all(|&end| end > PROGRAM.len());
    let mut number = 0;
    while !last(&run(Fault::OnAll(number))) {
        number += 1;
    }
    println!("{number} calls of the communicator");
    assert!(number > 100);
    let all = std::env::var_os("NEARGRID_TEST_ALL").is_some();
    for call in 0..number {
        for rank in (0..SIZE).filter(|rank| all || call % SIZE == *rank) {
            let ends = run(Fault::OnOne(rank, call));
            assert!(!last(&ends), "call {call} of rank {rank}: {ends:?}");
        }
    }
}

/// Memory that one rank is refused: all ranks say the same, and the same call does its work once there is memory.
#[test]
fn memory() {
    let (case, parts) = parts(3000, Spread::Slab);
    let truth = truth(&case, &parts);
    let run = |rank: usize, request: usize| {
        let outcomes = on_ranks(SIZE, |comm| {
            let me = neargrid_mpi::Comm::rank(&comm);
            let mut search = create(comm, &case).unwrap();
            if me == rank {
                refuse(Some(request));
            }
            let mut failure = None;
            for (k, call) in PROGRAM.iter().enumerate() {
                let found = match call(&mut search, &parts[me]) {
                    Err(error) if failure.is_none() => {
                        failure = Some((k, error));
                        call(&mut search, &parts[me])
                    }
                    found => found,
                };
                let found = found.unwrap_or_else(|error| panic!("request {request} of rank {rank}, call {k}: {error}"));
                assert!(found == truth[me][k], "request {request} of rank {rank}, call {k}");
            }
            let is_pending = is_pending();
            refuse(None);
            (failure, is_pending)
        });
        let failures: Vec<_> = outcomes.iter().map(|(failure, _)| failure).collect();
        assert!(
            failures.iter().all(|failure| *failure == failures[0]),
            "request {request}: {failures:?}"
        );
        if let Some((call, error)) = failures[0] {
            let is_memory = error.status == status::OUT_OF_MEMORY && error.text.starts_with(&format!("rank {rank}: "));
            assert!(is_memory, "request {request}, call {call}: {error}");
        }
        outcomes[rank].1
    };
    let all = std::env::var_os("NEARGRID_TEST_ALL").is_some();
    let mut request = 0;
    while (0..SIZE)
        .filter(|rank| all || request % SIZE == *rank)
        .all(|rank| !run(rank, request))
    {
        request += 1;
    }
    println!("{request} requests");
    assert!(request > 50);
}

/// Each call where one rank refuses: all ranks say so, and the same call does its work once no rank does. Some ranks have no points.
#[test]
fn one_wrong_rank() {
    for spread in [Spread::Slab, Spread::AllOnOne, Spread::EverySecond] {
        let (case, parts) = parts(150, spread);
        let truth = truth(&case, &parts);
        for wrong in 0..SIZE {
            on_ranks(SIZE, |comm| {
                let me = neargrid_mpi::Comm::rank(&comm);
                let mut search = create(comm, &case).unwrap();
                for (k, call) in PROGRAM.iter().enumerate() {
                    if me == wrong {
                        search.refuse_next(Error::new(status::BAD_VALUE, "not this time"));
                    }
                    let refused = call(&mut search, &parts[me]).unwrap_err();
                    let told = (status::BAD_VALUE, format!("rank {wrong}: not this time"));
                    assert_eq!((refused.status, refused.text), told, "{spread:?}, call {k}");
                    let found = call(&mut search, &parts[me]).unwrap();
                    assert_eq!(
                        found, truth[me][k],
                        "{spread:?}, wrong rank {wrong}, rank {me}, call {k}"
                    );
                }
            });
        }
    }
}
