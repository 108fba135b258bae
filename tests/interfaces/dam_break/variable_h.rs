//! The dam break with a smoothing length per particle, searched by radii: close to the one with one length for all, but not
//! the same, and the same for any number of threads.

use std::fs;

use super::{WIDTH, check_energy, check_frames, floats, succeed};

const WORDS: &[&str] = &["cells=16", "tank=4.0,2.5,1.0", "t_end=2.0"];

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn variable_h() {
    let (rows, said, folder) = succeed("dam_break_2d_variable_h.nml", WORDS, 2, "variable_h");
    assert!(said.contains("radii, rule mean"), "{said}");
    check_energy(&rows);
    check_frames(&folder, 21, 4.0 * WIDTH, WIDTH / 16.0, 800.0);
    let (alike, said, _) = succeed("dam_break_2d.nml", WORDS, 2, "variable_h_alike");
    assert!(!said.contains("radii"), "{said}");
    assert_eq!(rows.len(), alike.len());
    for (a, b) in rows.iter().zip(&alike) {
        assert!(
            (a.front - b.front).abs() < 0.1,
            "T = {}: {} and {}",
            a.time,
            a.front,
            b.front
        );
        let total = (a.total - b.total).abs() / b.total;
        assert!(total < 0.01, "T = {}: {total}", a.time);
    }
    let (last, other) = (rows.last().unwrap(), alike.last().unwrap());
    assert!(last.kinetic != other.kinetic, "smoothing lengths made no difference");
    let (_, _, again) = succeed("dam_break_2d_variable_h.nml", WORDS, 1, "variable_h_1");
    let frame = |folder: &std::path::Path| fs::read(folder.join("frame_0020.vtp")).unwrap();
    assert!(
        floats(&frame(&folder), "position") == floats(&frame(&again), "position"),
        "threads matter"
    );
}
