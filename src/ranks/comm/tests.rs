//! Communicators that are threads: data that comes, and failures.

use super::*;
use crate::ranks::fake::{on_failing_ranks, on_ranks};

fn mail(rank: usize, bytes: Vec<u8>) -> Vec<Mail> {
    vec![Mail { rank, bytes }]
}

/// Small and large data of all ranks, in their order; and numbers for each.
#[test]
fn all_to_all() {
    on_ranks(3, |comm| {
        for len in [0, 5, SMALL] {
            let mine = vec![comm.rank() as u8; len * comm.rank()];
            let all = comm.all_gather(&mine).unwrap();
            assert!(
                all.iter()
                    .enumerate()
                    .all(|(rank, bytes)| *bytes == vec![rank as u8; len * rank])
            );
        }
        let (rank, mut received) = (comm.rank() as i64, [0; 3]);
        comm.all_to_all(&[10 * rank, 10 * rank + 1, 10 * rank + 2], &mut received)
            .unwrap();
        assert_eq!(received, [rank, 10 + rank, 20 + rank]);
    });
}

/// Messages that are dropped have come and gone, so that others are not taken for them; also after all other users are gone.
#[test]
fn dropped_messages() {
    on_ranks(2, |comm| {
        let other = 1 - comm.rank();
        drop(
            comm.clone()
                .post(mail(other, vec![1; 9]), mail(other, vec![0; 9]))
                .unwrap(),
        );
        let came = comm.exchange(mail(other, vec![2; 4]), mail(other, vec![0; 4])).unwrap();
        assert_eq!(came, mail(other, vec![2; 4]));
    });
}

/// After the first failure, all calls fail with its text, and nothing waits.
#[test]
fn failures_last() {
    let first = on_failing_ranks(2, 0, |comm| comm.unwrap_err().to_string());
    assert!(
        first.iter().all(|text| text.ends_with("failed: it fails on purpose")),
        "{first:?}"
    );
    on_failing_ranks(1, 2, |comm| {
        let comm = comm.unwrap();
        let posted = comm.post(mail(0, vec![1; 3]), mail(0, vec![0; 3])).unwrap();
        let error = comm.min(&mut [1]).unwrap_err();
        let text = "the minimum over all ranks failed: it fails on purpose";
        assert_eq!(
            (error.status(), error.to_string()),
            (Status::Communication, text.to_owned())
        );
        assert!(comm.has_failed());
        drop(posted);
        let later = comm.clone().all_gather(&[]).unwrap_err();
        assert!(later.to_string().contains(text) && later.status() == Status::Communication);
    });
}
