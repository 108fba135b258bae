//! Forces by formulas: the flow of the list path, up to the rounding of its sums.

use super::{check_energy, succeed};

/// Energies and front differ by 1e-10 at most, relative to the energy at the beginning and to the column.
fn check_same(input: &str, words: &[&str], folder: &str) {
    let run = |forces: &str| {
        let forces_word = format!("forces={forces}");
        let words = [words, &[&forces_word[..]]].concat();
        succeed(input, &words, 2, &format!("{folder}_{forces}"))
    };
    let ((list, said, _), (formula, said_by_formula, _)) = (run("list"), run("formula"));
    assert!(said.contains("steps a second (forces: list)"), "{said}");
    assert!(
        said_by_formula.contains("steps a second (forces: formula)"),
        "{said_by_formula}"
    );
    check_energy(&formula);
    assert_eq!(list.len(), formula.len());
    let whole = list[0].total;
    for (a, b) in list.iter().zip(&formula) {
        for (name, scale, a, b) in [
            ("front", 1.0, a.front, b.front),
            ("kinetic", whole, a.kinetic, b.kinetic),
            ("potential", whole, a.potential, b.potential),
            ("internal", whole, a.internal, b.internal),
            ("total", whole, a.total, b.total),
        ] {
            assert!((a - b).abs() <= 1e-10 * scale, "{folder}: {name} {a:e} and {b:e}");
        }
    }
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn a_formula_gives_the_forces_of_the_list() {
    check_same("dam_break_2d.nml", &["cells=12", "t_end=1.5"], "two");
    check_same("dam_break_2d_variable_h.nml", &["cells=12", "t_end=1.0"], "variable_h");
    check_same(
        "dam_break_3d_periodic.nml",
        &["cells=8", "t_end=1.0", "wall_friction=1.0"],
        "periodic",
    );
}
