//! Work that is wanted, is done once, or fails.

use std::sync::mpsc::channel;

use super::*;

/// Work is done once, however often it is asked for. Each call returns the reason to wait, and after a failure its error.
#[test]
fn work_is_done_once() {
    let (later, failing) = (Arc::new(Later::default()), Arc::new(Later::default()));
    let (begin, begun) = channel();
    let (done, count) = channel();
    let work = |done: &std::sync::mpsc::Sender<()>| {
        let done = done.clone();
        move || {
            done.send(()).unwrap();
            Ok(())
        }
    };
    let waiting = work(&done);
    let first = later.ask(OPENING, move || {
        begun.recv().unwrap();
        assert!(is_here() && !is_in_hurry());
        waiting()
    });
    assert_eq!(late_reason(&first), Some(OPENING));
    for _ in 0..3 {
        assert_eq!(late_reason(&later.ask(COMPILING, work(&done))), Some(COMPILING));
    }
    failing.ask(OPENING, || Err(Error::NO_POINTS));
    begin.send(()).unwrap();
    wait_for_gpus();
    assert_eq!(count.try_iter().count(), 1);
    for _ in 0..2 {
        assert_eq!(failing.ask(OPENING, work(&done)), Error::NO_POINTS);
    }
    later.ask(OPENING, work(&done)); // what was made may be lost
    wait_for_gpus();
    assert_eq!(count.try_iter().count(), 1);
}

/// A panic is a failure, prints nothing, and the thread goes on.
#[test]
fn a_panic_is_a_failure() {
    let (later, next) = (Arc::new(Later::default()), Arc::new(Later::default()));
    later.ask(OPENING, || panic!("on {}", "purpose"));
    let (done, count) = channel();
    next.ask(OPENING, move || {
        done.send(()).unwrap();
        Ok(())
    });
    wait_for_gpus();
    let error = later.ask(OPENING, || Ok(()));
    assert!(error.to_string().contains("on purpose"), "{error}");
    assert_eq!(count.try_iter().count(), 1);
}

/// A search in a hurry is so until it ends, also inside of another.
#[test]
fn hurries_are_nested() {
    assert!(!is_in_hurry());
    let outer = Hurry::begin();
    drop(Hurry::begin());
    assert!(is_in_hurry());
    drop(outer);
    assert!(!is_in_hurry());
}
