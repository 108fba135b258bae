//! A failure on one rank is that of all, and no rank waits for another that has failed.

use super::side::Side;
use super::world::World;
use crate::error::{Error, Result, Status};
use crate::exclusions::ExcludedIds;
use crate::formula::Formula;
use crate::plan::Backend;
use crate::points::PointsView;
use crate::ranks::fake::{on_failing_ranks, on_ranks};
use crate::ranks::{Comm, Need, Ranks};
use crate::search::{NeighborsKind, Search};

const FULL: Need = Need::Rows(NeighborsKind::Full);

/// A handle whose ranks have two points each, in a row over all ranks.
pub fn begin(comm: &Comm) -> Result<(Search, Ranks)> {
    let (mut search, mut ranks) = (Search::new()?, Ranks::new(comm.clone()));
    search.set_cutoff(1.5)?;
    let first = 2.0 * comm.rank() as f64;
    let coords = [first, first + 1.0];
    let view = PointsView::interleaved(1, &coords)?;
    ranks.each(&mut search, "set_points", Ok(()), |search, ()| search.set_points(&view))?;
    Ok((search, ranks))
}

fn count(search: &mut Search, ranks: &mut Ranks, asked: Result<()>) -> Result<i64> {
    let mut total = 0;
    ranks.together(search, "neighbors", asked.map(|()| (FULL, ())), |search, (), _| {
        total = search.count_neighbors(NeighborsKind::Full)?;
        Ok(())
    })?;
    Ok(total)
}

/// Arguments, settings and work that fail on one rank fail on all with its error; afterwards all go on.
#[test]
fn of_one_rank() {
    type Step = fn(&mut Search, &mut Ranks, bool) -> Result<i64>;
    let steps: [(Step, Status); 10] = [
        (
            |search, ranks, fails| {
                match fails {
                    true => ranks.refuse(Error::Refused {
                        status: Status::BadDim,
                        text: "size(pos, 1) = 9".into(),
                    }),
                    false => count(search, ranks, Ok(())).map(|_| ()),
                }
                .map(|()| 0)
            },
            Status::BadDim,
        ),
        (
            |search, ranks, fails| {
                let refused = Error::not_allowed(Status::BadValue, "kind", 9, "0 to 2");
                count(search, ranks, if fails { Err(refused) } else { Ok(()) })
            },
            Status::BadValue,
        ),
        (
            |search, ranks, fails| {
                search.set_types(if fails { &[0; 3] } else { &[0; 2] }, &[true])?;
                count(search, ranks, Ok(()))
            },
            Status::BadCount,
        ),
        (
            |search, ranks, fails| {
                search.set_types(&[], &[])?;
                search.set_active(if fails { Some(3) } else { None })?;
                count(search, ranks, Ok(()))
            },
            Status::BadCount,
        ),
        (
            |search, ranks, fails| {
                search.set_active(None)?;
                search.set_cutoff(if fails { 1.25 } else { 1.5 })?;
                count(search, ranks, Ok(()))
            },
            Status::Disagreement,
        ),
        (
            |search, ranks, fails| {
                search.set_cutoff(1.5)?;
                ranks.set_ids(&[0; 2][..if fails { 2 } else { 0 }])?;
                count(search, ranks, Ok(()))
            },
            Status::Disagreement,
        ),
        (
            |search, ranks, fails| {
                ranks.set_ids(&[])?;
                let partner = (2 * ranks.comm().rank() + 2) % (2 * ranks.comm().size());
                let offsets: &[i64] = if fails { &[0, 1, 1] } else { &[] };
                let ids = &[partner as i64][..offsets.len() / 3];
                ranks.set_exclusions(ExcludedIds::new(offsets, ids, None, 0)?);
                count(search, ranks, Ok(()))
            },
            Status::BadValue,
        ),
        (
            |search, ranks, fails| {
                let offsets: &[i64] = if fails { &[0, 0] } else { &[0, 0, 0] };
                ranks.set_exclusions(ExcludedIds::new(offsets, &[], None, 0)?);
                count(search, ranks, Ok(()))
            },
            Status::BadCount,
        ),
        (
            // The second stage fails on a rank, while others are about to bring its values.
            |search, ranks, fails| {
                ranks.set_exclusions(ExcludedIds::default());
                search.set_memory_limit(if fails { 1 } else { 0 })?;
                let mut formula = Formula::new("n += 1\nm += n_j")?;
                ranks.run(search, Ok((&mut formula, NeighborsKind::Full, 2)))?;
                Ok(search.field::<f32>("m")?.iter().sum::<f32>() as i64)
            },
            Status::MemoryLimit,
        ),
        (
            |search, ranks, fails| {
                search.set_memory_limit(0)?;
                ranks.together(search, "neighbors", Ok((FULL, ())), |_, (), _| match fails {
                    true => Err(Error::LENT_POINTS),
                    false => Ok(()),
                })?;
                Ok(0)
            },
            Status::BadState,
        ),
    ];
    on_ranks(3, |comm| {
        let (mut search, mut ranks) = begin(comm).unwrap();
        for (k, (step, status)) in steps.iter().enumerate() {
            let failed = step(&mut search, &mut ranks, comm.rank() == k % 3).unwrap_err();
            assert_eq!(failed.status(), *status, "step {k}: {failed}");
        }
        let middle = i64::from(comm.rank() == 1);
        assert_eq!(count(&mut search, &mut ranks, Ok(())), Ok(3 + middle));
    });
}

/// Different calls and kinds are told by name.
#[test]
fn of_different_calls() {
    let told = on_ranks(2, |comm| {
        let (mut search, mut ranks) = begin(comm).unwrap();
        let name = ["neighbors_view", "pairs_view"][comm.rank()];
        let done = ranks.together(&mut search, name, Ok((FULL, ())), |_, (), _| Ok(()));
        done.unwrap_err().to_string()
    });
    assert!(
        told[0].contains("neighbors_view") && told[0].contains("pairs_view"),
        "{}",
        told[0]
    );
    assert_eq!(told[0], told[1]);
}

/// A communicator that fails at any call ends the call on all ranks.
#[test]
fn of_the_communicator() {
    let mut calls = 0;
    loop {
        let ends = on_failing_ranks(3, calls, |comm| -> Result<()> {
            let comm = comm?;
            let (mut world, mut random) = World::new(5, Backend::Cpu);
            world.renew(&mut random, 3);
            let mut side = Side::new(Some(&comm), &world);
            side.search.set_cutoff(0.2)?;
            side.search.set_skin(0.05)?;
            side.set_points(&world)?;
            side.rows(&world, NeighborsKind::Full)?;
            side.update(&world)?;
            side.run(&world, NeighborsKind::Full, 2).map(|_| ())
        });
        if ends.iter().all(Result::is_ok) {
            break;
        }
        for end in ends {
            assert_eq!(end.unwrap_err().status(), Status::Communication, "call {calls}");
        }
        calls += 1;
    }
    assert!(calls > 20, "{calls} calls");
}

/// A run that fails leaves the queries, whether it has moved points or not.
#[test]
fn of_a_run_with_queries() {
    let none = "x_i = x_i/(x_i - x_i)";
    let texts = [
        none.to_owned(),
        format!("a += 1; {none}"),
        format!("x_i = x_i + 0.25; a += 1; {none}"),
    ];
    on_ranks(3, |comm| {
        let (mut search, mut ranks) = begin(comm).unwrap();
        let place = [2.0 * comm.rank() as f64 + 1.5];
        let queries = PointsView::interleaved(1, &place).unwrap();
        let set = |search: &mut Search, ()| search.set_queries(&queries);
        ranks.each(&mut search, "set_queries", Ok(()), set).unwrap();
        for text in &texts {
            let mut found = 0;
            let rows = Need::Rows(NeighborsKind::Queries);
            let mut count = |search: &mut Search, ranks: &mut Ranks| {
                ranks.together(search, "queries", Ok((rows, ())), |search, (), _| {
                    found = search.count_queries()?;
                    Ok(())
                })?;
                Ok::<_, Error>(found)
            };
            let right = if comm.rank() == 2 { 2 } else { 4 };
            assert_eq!(count(&mut search, &mut ranks), Ok(right), "before {text}");
            let mut formula = Formula::new(text).unwrap();
            let failed = ranks.run(&mut search, Ok((&mut formula, NeighborsKind::Full, 1)));
            assert_eq!(failed.unwrap_err().status(), Status::NonFinite, "{text}");
            assert_eq!(count(&mut search, &mut ranks), Ok(right), "after {text}");
        }
    });
}

/// Excluded pairs that one handle refuses are refused where their points are on two ranks, too, and no ghosts of each other.
#[test]
fn of_pairs_far_apart() {
    let tell = |times: usize, shift: Option<i32>, boxed: bool| {
        let told = on_ranks(2, |comm| -> Result<i64> {
            let (mut search, mut ranks) = begin(comm)?;
            if boxed {
                search.set_box(&[0.0], &[40.0], &[true])?;
                let coords = [0.0, 1.0].map(|x| x + 2.0 * comm.rank() as f64);
                let view = PointsView::interleaved(1, &coords)?;
                ranks.each(&mut search, "set_points", Ok(()), |search, ()| search.set_points(&view))?;
            }
            // The first point of all and the last.
            let (len, first) = (times as i64, comm.rank() == 0);
            let offsets = if first { [0, len, len] } else { [0, 0, len] };
            let ids = vec![if first { 3 } else { 0 }; times];
            let shifts = shift.map(|shift| vec![[if first { shift } else { -shift }, 0, 0]; times]);
            ranks.set_exclusions(ExcludedIds::new(&offsets, &ids, None, 0)?.of_images(shifts.as_deref(), 0)?);
            count(&mut search, &mut ranks, Ok(()))
        });
        assert_eq!(told[0].as_ref().err(), told[1].as_ref().err());
        told[0].clone().map_err(|error| error.to_string())
    };
    assert!(tell(1, None, true).is_ok() && tell(1, Some(0), false).is_ok());
    for (refused, part) in [
        (tell(2, None, false), "a row 0 with 3 twice"),
        (tell(2, Some(0), false), "a row 0 with 3 by the shift (0, 0, 0) twice"),
        (tell(1, Some(1), false), "a row 0 with 3 by the shift (1, 0, 0)"),
        (tell(1, Some(0), true), "exclusions by shifts in a periodic box"),
    ] {
        let text = refused.unwrap_err();
        assert!(text.contains(part), "{text}");
    }
}
