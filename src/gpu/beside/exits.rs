//! Exits in the middle of a driver's work. The driver is played: it registers a destructor, which must not run while the thread is in
//! the driver. Each case is a process of its own.

use std::process::{Command, exit};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::thread::{sleep, spawn};

use super::*;

/// The case that a child plays.
const CASE: &str = "NEARGRID_TEST_EXIT";

static IS_IN_DRIVER: AtomicBool = AtomicBool::new(false);

/// The destructor.
extern "C" fn destroy() {
    if IS_IN_DRIVER.load(SeqCst) {
        std::process::abort();
    }
}

/// A step that lasts until an exit waits for its end.
fn long_step() {
    while PAUSES.load(Acquire) == 0 {
        sleep(Duration::from_millis(1));
    }
    sleep(Duration::from_millis(20));
    IS_IN_DRIVER.store(false, SeqCst);
}

/// Whether this is a child that plays `case`. Otherwise runs one, which must exit well.
fn plays(case: &str) -> bool {
    if std::env::var(CASE).is_ok_and(|name| name == case) {
        return true;
    }
    let name = format!("gpu::beside::exits::{case}");
    let mut child = Command::new(std::env::current_exe().unwrap());
    let output = child
        .args(["--exact", &name, "--nocapture"])
        .env(CASE, case)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains(LAST_WORDS),
        "{}: {text}",
        output.status
    );
    false
}

const LAST_WORDS: &str = "exits now";

/// Asks for the work of a driver, and waits until its last step has begun: the one in which it registers the destructor, or the next.
fn begin(is_step_ended: bool) {
    let (begin, begun) = channel();
    Arc::new(Later::default()).ask(OPENING, move || {
        IS_IN_DRIVER.store(true, SeqCst);
        at_exit(destroy);
        if is_step_ended {
            check()?;
        }
        begin.send(()).unwrap();
        long_step();
        check()
    });
    begun.recv().unwrap();
    println!("{LAST_WORDS}");
}

/// The destructor was registered after all hooks. The thread that exits is not the main one, but it has wanted the work.
#[test]
fn a_thread_that_searched() {
    if plays("a_thread_that_searched") {
        begin(false);
        exit(0);
    }
}

/// A thread that knows nothing of this library exits. The step that registered the destructor has ended.
#[test]
fn a_thread_that_did_not_search() {
    if plays("a_thread_that_did_not_search") {
        begin(true);
        spawn(|| exit(0)).join().unwrap();
    }
}

/// A thread that ends does not wait for the driver, and breaks nothing off.
#[test]
fn a_thread_that_ends() {
    if plays("a_thread_that_ends") {
        let later = Arc::new(Later::default());
        let (end, ended) = channel();
        let (done, count) = channel();
        let asking = later.clone();
        spawn(move || {
            asking.ask(OPENING, move || {
                ended.recv().unwrap();
                check()?;
                done.send(()).unwrap();
                Ok(())
            })
        })
        .join()
        .unwrap();
        end.send(()).unwrap();
        wait_for_gpus();
        assert_eq!(count.try_iter().count(), 1);
        println!("{LAST_WORDS}");
    }
}

/// Work that is broken off leaves nothing under way on the device.
#[test]
#[ignore = "needs a Vulkan device: make test-gpu"]
fn submitted_work_ends_first() {
    use crate::gpu::acquire::acquire_masked;
    use crate::gpu::channel::Channel;
    use crate::gpu::fault::Mask;

    let device = acquire_masked(crate::plan::WantedDevice::Best, true, Mask::default()).unwrap();
    help(true);
    let channel = Channel::new(device.clone()).unwrap();
    device.queue.submit([]);
    let (done, is_done) = std::sync::mpsc::channel();
    device.queue.on_submitted_work_done(move || done.send(()).unwrap());
    drop(channel);
    help(false);
    is_done.try_recv().unwrap();
}
