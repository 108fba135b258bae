//! Forces by formulas, and the whole step as a text: the flow of the list path, up to the rounding of its sums.

use std::fs;

use super::{Row, check_energy, floats, integers, succeed};

/// Energies and front differ by 1e-10 at most, relative to the energy at the beginning and to the column.
fn compare(list: &[Row], other: &[Row], about: &str) {
    assert_eq!(list.len(), other.len(), "{about}");
    let whole = list[0].total;
    for (a, b) in list.iter().zip(other) {
        for (name, scale, a, b) in [
            ("time", 1.0, a.time, b.time),
            ("front", 1.0, a.front, b.front),
            ("kinetic", whole, a.kinetic, b.kinetic),
            ("potential", whole, a.potential, b.potential),
            ("internal", whole, a.internal, b.internal),
            ("total", whole, a.total, b.total),
        ] {
            assert!((a - b).abs() <= 1e-10 * scale, "{about}: {name} {a:e} and {b:e}");
        }
    }
}

/// What the program says of the stages of its step.
fn stages(said: &str) -> &str {
    let line = said.lines().find(|line| line.starts_with("stages: "));
    line.unwrap_or_else(|| panic!("no stages in\n{said}"))
}

/// Runs an input in each way.
fn check_same(input: &str, words: &[&str], folder: &str) {
    let run = |forces: &str| {
        let forces_word = format!("forces={forces}");
        let words = [words, &[&forces_word[..]]].concat();
        let run = succeed(input, &words, 2, &format!("{folder}_{forces}"));
        assert!(
            run.1.contains(&format!("steps a second (forces: {forces})")),
            "{}",
            run.1
        );
        run
    };
    let list = run("list");
    let last_frame = |folder: &std::path::Path| {
        let frames = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let last = frames
            .filter(|path| path.extension().is_some_and(|end| end == "vtp"))
            .max();
        fs::read(last.unwrap()).unwrap()
    };
    for forces in ["formula", "program"] {
        let about = format!("{folder}, {forces}");
        let (rows, said, files) = run(forces);
        check_energy(&rows);
        compare(&list.0, &rows, &about);
        let (a, b) = (last_frame(&list.2), last_frame(&files));
        assert_eq!(integers(&a, "kind"), integers(&b, "kind"), "{about}");
        for name in ["position", "velocity", "pressure", "density"] {
            let (a, b) = (floats(&a, name), floats(&b, name));
            let scale = a.iter().fold(0.0, |top: f64, a| top.max(a.abs()));
            let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(
                a.len() == b.len() && off <= 1e-6 * scale,
                "{about}: {name} is off by {off:e} of {scale:e}"
            );
        }
        if forces == "program" {
            // With variable h the last text begins after the first move.
            let whole = stages(&said).contains("numbers: stable longest dt time;");
            assert_eq!(whole, !input.contains("variable_h"), "{said}");
            assert!(stages(&said).ends_with("numbers: fastest strongest"), "{said}");
        }
    }
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn formulas_and_a_program_give_the_flow_of_the_list() {
    check_same("dam_break_2d.nml", &["cells=12", "t_end=1.5"], "two");
    check_same("dam_break_2d_variable_h.nml", &["cells=12", "t_end=1.0"], "variable_h");
    check_same(
        "dam_break_3d_periodic.nml",
        &["cells=8", "t_end=1.0", "wall_friction=1.0"],
        "periodic",
    );
}

/// A post in the water's way, and side walls.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn a_program_knows_walls_in_three_dimensions() {
    let words = [
        "cells=4",
        "tank=3.0,2.5,1.0",
        "obstacle_lo=1.5,0.0,0.25",
        "obstacle_hi=2.0,1.0,0.75",
        "t_end=1.5",
    ];
    check_same("dam_break_3d.nml", &words, "post");
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn a_program_gives_the_same_bits_with_any_threads() {
    let words = ["cells=12", "t_end=0.5", "forces=program"];
    let [one, three] = [1, 3].map(|threads| {
        let (_, _, folder) = succeed("dam_break_2d.nml", &words, threads, &format!("program_{threads}"));
        ["front.csv", "frame_0005.vtp"].map(|name| fs::read(folder.join(name)).unwrap())
    });
    assert!(one == three);
}
