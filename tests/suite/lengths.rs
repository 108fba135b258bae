//! Slices whose lengths do not fit each other: only Rust has lengths, so the table of calls in C (tests/refusals) knows nothing
//! of them. Nothing is written.

use neargrid::{
    Columns, Contacts, Formula, KnnKind, Measure, NeighborList, NeighborsKind, PointsView, Properties, Search, Status,
    Systems, reorder, restore,
};

const LINE: [f64; 3] = [0.0, 1.0, 2.5];

fn line() -> Search {
    let mut search = Search::new().unwrap();
    search.set_cutoff(1.0).unwrap();
    search.set_points(&PointsView::interleaved(1, &LINE).unwrap()).unwrap();
    search
}

fn refused<R>(result: neargrid::Result<R>, words: &str) {
    let error = result.map(drop).unwrap_err();
    assert!(
        error.status() == Status::BadCount && error.to_string().contains(words),
        "{error}, not {words}"
    );
}

#[test]
fn of_points() {
    let mut search = line();
    refused(search.order(&mut [0; 4]), "the length of order = 4");
    let mut to = [7; 3];
    for move_array in [reorder::<i32>, restore::<i32>] {
        refused(move_array(&[0, 1], 0, &[1, 2, 3], &mut to), "the length of from = 3");
        refused(
            move_array(&[0, 1, 2], 0, &[1, 2, 3], &mut to[..2]),
            "the length of to = 2",
        );
    }
    assert_eq!(to, [7; 3]);
    refused(search.set_type_cutoffs(&[1.0; 3]), "size of cutoffs");
    refused(
        search.fof_into(&mut [0; 2]),
        "the length of labels = 2 is not allowed: it must be 3",
    );
    refused(search.set_field("m", &[1.0], 2), "a multiple of 2");
    let (mut ids, mut distances) = ([-7; 5], [-7.0; 6]);
    refused(
        search.knn_into(KnnKind::Others, 2, Measure::Distance, &mut ids, &mut distances),
        "the length of ids = 5 is not allowed: it must be 6",
    );
    assert_eq!((ids, distances), ([-7; 5], [-7.0; 6]));
    let values = [1.0; 3];
    for (masses, velocities, words) in [
        (2, 3, "number of masses = 2 is not allowed: it must be 3"),
        (3, 2, "number of velocities = 2"),
    ] {
        let properties = Properties {
            masses: Some(&values[..masses]),
            velocities: Some(PointsView::interleaved(1, &values[..velocities]).unwrap()),
        };
        refused(search.groups(1, &properties), words);
    }
}

#[test]
fn of_lists() {
    let mut search = line();
    let ids = [2, 1];
    for (offsets, classes, words) in [
        (
            [0, 1, 2, 3],
            None,
            "number of ids = 2 is not allowed: it must be 3, as many as offsets say",
        ),
        (
            [0, 1, 2, 2],
            Some(&[1][..]),
            "number of classes = 1 is not allowed: it must be 2, the number of ids",
        ),
    ] {
        refused(search.set_exclusions(&offsets, &ids, classes), words);
    }
    let shifts = [[0, 1, 0]];
    refused(
        search.set_exclusions_shifts(&[0, 1, 2, 2], &ids, Some(&shifts), None),
        "number of shifts = 1 is not allowed: it must be 2, the number of ids",
    );
    refused(
        search.set_exclusions_by_ids_shifts(&[0, 1, 2, 2], &[2, 1], Some(&shifts), None),
        "number of shifts",
    );
    let kind = NeighborsKind::Full;
    let mut lists = [NeighborList::default(), NeighborList::default()];
    refused(
        search.take_neighbors_by_cutoffs(kind, &[1.0], &mut lists),
        "the number of lists = 2 is not allowed",
    );
    refused(
        search.take_neighbors_by_cutoffs(kind, &[], &mut []),
        "the number of cutoffs = 0",
    );
    refused(
        search.histogram(kind, &[0.0, 1.0], &mut [0; 2]),
        "the length of edges = 2",
    );
    for values in [&[1.0][..], &[1.0; 3]] {
        refused(
            search.set_pair_field("a", (&[0, 1, 2], &ids), values, 1),
            "the length of values",
        );
    }
}

#[test]
fn of_distances() {
    let mut search = line();
    let mut d = [-7.0; 3];
    refused(
        search.pair_distances(&[0], &[1, 2], &mut d[..1]),
        "the length of pair_j = 2",
    );
    refused(
        search.pair_distances(&[0], &[1], &mut d[..2]),
        "the length of distances = 2",
    );
    for (offsets, words) in [
        (&[0, 1, 2][..], "the length of offsets = 3"),
        (&[0, 2, 2, 3], "the length of ids = 2"),
    ] {
        refused(search.neighbor_distances(offsets, &[1, 2], &mut d[..2]), words);
    }
    search
        .set_queries(&PointsView::interleaved(1, &LINE[..2]).unwrap())
        .unwrap();
    refused(search.query_distances(&[0, 0, 0, 1], &[1], &mut d[..1]), "it must be 3");
    refused(
        search.query_distances(&[0, 0, 1], &[2], &mut d[..2]),
        "the length of distances = 2",
    );
    assert_eq!(d, [-7.0; 3]);
}

#[test]
fn of_systems() {
    let view = PointsView::interleaved(1, &LINE).unwrap();
    let good = Systems {
        firsts: &[0, 1, 3],
        cutoffs: &[0.5, 0.5],
        lo: &[0.0, 0.0],
        length: &[4.0, 4.0],
        periodic: &[true, false],
    };
    for (systems, words) in [
        (
            Systems {
                firsts: &[0, 3],
                ..good
            },
            "size of firsts = 2",
        ),
        (
            Systems {
                firsts: &[0, 1, 2],
                ..good
            },
            "points of all systems = 2",
        ),
        (Systems { lo: &[0.0], ..good }, "size of lo = 1"),
        (Systems { periodic: &[], ..good }, "size of periodic = 0"),
    ] {
        refused(
            Search::new().unwrap().systems(&view, &systems, NeighborsKind::Half),
            words,
        );
    }
}

#[test]
fn of_contacts() {
    let search = Search::new().unwrap();
    let good = Contacts {
        first_row: 0,
        offsets: &[0, 2, 3],
        ids: &[1, 2, 0],
        global_ids: None,
    };
    let named = Contacts {
        global_ids: Some(&[5, 6, 7]),
        ..good
    };
    let mut values = [-7.0; 4];
    let mut carry = |old: &Contacts, new: &Contacts, signs: &[i32], lens: [usize; 2], words: &str| {
        let columns = Columns { count: 1, signs };
        refused(
            search.carry(old, new, &columns, &[0.0; 4][..lens[0]], &mut values[..lens[1]]),
            words,
        );
    };
    for (list, other, words) in [
        (
            Contacts { offsets: &[], ..good },
            good,
            "the length of * ids = 3 is not allowed: it must be 0",
        ),
        (
            Contacts {
                offsets: &[0, 1],
                ..good
            },
            good,
            "the length of * ids = 3",
        ),
        (
            Contacts {
                global_ids: Some(&[5]),
                ..good
            },
            named,
            "* global_ids = 1 is not allowed: it must be at least 2",
        ),
    ] {
        carry(&list, &other, &[], [3, 3], &words.replace("* ", "old_"));
        carry(&other, &list, &[], [3, 3], &words.replace("* ", ""));
    }
    carry(&good, &good, &[], [4, 3], "the length of old_values = 4");
    carry(&good, &good, &[], [3, 4], "the length of values = 4");
    carry(&good, &good, &[1, 1], [3, 3], "the length of signs = 2");
    assert_eq!(values, [-7.0; 4]);
}

/// A field as numbers of the other precision, and points of many dimensions: in C the type is in the name of the call.
#[test]
fn of_types() {
    let mut search = line();
    search
        .run(&mut Formula::new("s += 1").unwrap(), NeighborsKind::Full, 1)
        .unwrap();
    let error = search.field::<f64>("s").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("precision = real64 is not allowed: it must be real32, the precision of the field"),
        "{error}"
    );
    assert_eq!(PointsView::interleaved(4, &[0.0]).unwrap_err().status(), Status::BadDim);
}
