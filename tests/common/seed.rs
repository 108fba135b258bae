//! The seed of random tests. It is fixed, so that a change is judged by what it changes. With `NEARGRID_TEST_SEED=clock`, which the
//! weekly run of CI sets, it is another each time, and a number repeats what failed.

/// The seed; it is printed, so that a failure says it.
pub fn seed() -> u64 {
    let seed = match std::env::var("NEARGRID_TEST_SEED").as_deref() {
        Err(_) => 1,
        Ok("clock") => std::time::UNIX_EPOCH.elapsed().unwrap().as_micros() as u64,
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("NEARGRID_TEST_SEED={text}: a number, or clock")),
    };
    println!("random cases of seed {seed}: repeat with NEARGRID_TEST_SEED={seed}");
    seed
}
