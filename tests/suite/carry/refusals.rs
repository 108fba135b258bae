//! Lists, columns and values that are refused: the text names the argument, and nothing is written.

use super::{List, worker};
use neargrid::{Columns, Contacts, Status};

#[test]
fn lists_and_columns() {
    let search = worker(1, 3);
    let good = Contacts {
        first_row: 1,
        offsets: &[1, 3, 4],
        ids: &[2, 3, 1],
        global_ids: None,
    };
    let none = Columns { count: 1, signs: &[] };
    let mut values = [-7.0; 4];
    let mut refused =
        |old: Contacts, new: Contacts, columns: &Columns, lens: [usize; 2], status: Status, words: &str| {
            let error = search.carry(&old, &new, columns, &[0.0; 4][..lens[0]], &mut values[..lens[1]]);
            let error = error.unwrap_err();
            assert!(error.status() == status && error.to_string().contains(words), "{error}");
            assert_eq!(values, [-7.0; 4]);
        };
    let (count, value) = (Status::BadCount, Status::BadValue);
    let lists: [(Contacts, Status, &str); 12] = [
        (
            Contacts { offsets: &[], ..good },
            count,
            "the length of * ids = 3 is not allowed: it must be 0",
        ),
        (
            Contacts {
                offsets: &[0, 3, 4],
                ..good
            },
            value,
            "element 1 of * offsets is 0",
        ),
        (
            Contacts {
                offsets: &[1, 4, 3],
                ..good
            },
            value,
            "element 3 of * offsets is 3",
        ),
        (
            Contacts {
                offsets: &[1, 2],
                ..good
            },
            count,
            "the length of * ids = 3",
        ),
        (Contacts { first_row: 0, ..good }, value, "* first_row = 0"),
        (
            Contacts {
                first_row: i64::MIN,
                ..good
            },
            value,
            "* first_row = -9223372036854775808",
        ),
        (
            Contacts {
                first_row: 1 << 31,
                ..good
            },
            value,
            "it must be 1 to 2147483646, as there are 2 rows",
        ),
        (
            Contacts {
                ids: &[2, 0, 1],
                ..good
            },
            value,
            "element 2 of * ids is 0",
        ),
        (
            Contacts {
                ids: &[3, 2, 1],
                ..good
            },
            value,
            "element 2 of * ids is 2: it must be more than 3, which is before it in row 1",
        ),
        (
            Contacts {
                ids: &[2, 2, 1],
                ..good
            },
            value,
            "element 2 of * ids is 2",
        ),
        (
            Contacts {
                ids: &[i32::MIN, 2, 1],
                ..good
            },
            value,
            "element 1 of * ids is -2147483648",
        ),
        (
            Contacts {
                global_ids: Some(&[5, 6, 7]),
                ..good
            },
            value,
            "global_ids = no array is not allowed",
        ),
    ];
    for (list, status, words) in lists {
        refused(list, good, &none, [3, 3], status, &words.replace("* ", "old_"));
        refused(good, list, &none, [3, 3], status, &words.replace("* ", ""));
    }
    let named = Contacts {
        global_ids: Some(&[5, 6, 7]),
        ..good
    };
    let wrong: [(Contacts, Status, &str); 4] = [
        (
            Contacts {
                global_ids: Some(&[5]),
                ..good
            },
            count,
            "* global_ids = 1 is not allowed: it must be at least 2",
        ),
        (
            Contacts {
                global_ids: Some(&[5, 6]),
                ..good
            },
            value,
            "element 2 of * ids is 3: it must be 1 to 2",
        ),
        (
            Contacts { first_row: 3, ..named },
            value,
            "* first_row = 3 is not allowed: it must be 1 to 2",
        ),
        (
            Contacts {
                ids: &[3, 2, 1],
                ..named
            },
            value,
            "more than 3, which is before it in row 1, unless all rows ascend by global ids",
        ),
    ];
    for (list, status, words) in wrong {
        refused(list, named, &none, [3, 3], status, &words.replace("* ", "old_"));
        refused(named, list, &none, [3, 3], status, &words.replace("* ", ""));
    }
    refused(good, good, &none, [4, 3], count, "the length of old_values = 4");
    refused(good, good, &none, [3, 4], count, "the length of values = 4");
    let many = Columns {
        count: usize::MAX,
        signs: &[],
    };
    refused(good, good, &many, [3, 3], count, "the length of old_values = 3");
    let two = Columns {
        count: 1,
        signs: &[1, 1],
    };
    refused(good, good, &two, [3, 3], count, "the length of signs = 2");
    for sign in [0, 2, -2, i32::MIN] {
        let columns = Columns {
            count: 1,
            signs: &[sign],
        };
        refused(
            good,
            good,
            &columns,
            [3, 3],
            value,
            &format!("element 1 of signs is {sign}: it must be 1 or -1"),
        );
    }
}

/// The first row that does not ascend is named, whichever thread finds one first.
#[test]
fn the_first_wrong_row() {
    let search = worker(0, 4);
    let rows: Vec<_> = (0..20_000).map(|k| vec![k, k + 1, k + 2]).collect();
    let good = List::<f64>::new(0, &rows, 0, None);
    let mut wrong = good.clone();
    for row in [19_999, 15_000, 1024, 1023, 2] {
        wrong.ids[3 * row + 2] = 0;
        let error = search.lost_contacts(&good.contacts(), &wrong.contacts()).unwrap_err();
        let words = format!(
            "element {} of ids is 0: it must be more than {}, which is before it in row {row}",
            3 * row + 2,
            row + 1
        );
        assert!(error.to_string().contains(&words), "{error}");
    }
}
