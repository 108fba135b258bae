//! The examples, as they are installed, compiled and run by the commands that they state.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{folder, must_type};
use crate::consumer::{INSTALLED, SOURCE, run};
use crate::markdown::{self, Page};

fn page(name: &str) -> Page {
    markdown::read(name, &fs::read_to_string(Path::new(SOURCE).join(name)).unwrap())
}

/// A folder of the installed examples.
fn installed(name: &str) -> PathBuf {
    INSTALLED.prefix.join("share/doc/neargrid/examples").join(name)
}

/// The commands in the first comment of a source: its indented lines.
fn head_commands(source: &str) -> String {
    let head = source
        .lines()
        .take_while(|line| line.starts_with(['/', ' ', '!', '#']) || line.starts_with("*/"));
    let marks = ["!>     ", " *     ", "#     "];
    let lines = head.filter_map(|line| marks.iter().find_map(|mark| line.strip_prefix(mark)));
    lines
        .map(|line| line.trim_end_matches("*/").to_owned() + "\n")
        .collect()
}

/// Every example in C and Fortran by the commands in its first lines.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn examples() {
    let readme = page("examples/README.md");
    let exports = &readme
        .blocks
        .iter()
        .find(|block| block.language() == "sh")
        .unwrap()
        .text;
    let mut ran = 0;
    for language in ["c", "fortran"] {
        for entry in fs::read_dir(installed(language)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                continue; // the dam break, below
            }
            let (name, text) = (
                path.file_name().unwrap().to_str().unwrap(),
                fs::read_to_string(&path).unwrap(),
            );
            let commands = head_commands(&text);
            let program = format!("./{}", path.file_stem().unwrap().to_str().unwrap());
            assert!(
                commands.contains(name) && commands.contains(&program),
                "{name}: {commands}"
            );
            let folder = folder(&format!("example-{name}"));
            fs::write(folder.join(name), &text).unwrap();
            let said = must_type(&folder, &(exports.clone() + &commands));
            assert!(!said.is_empty(), "{name} says nothing");
            ran += 1;
        }
    }
    assert!(ran > 16, "{ran} examples");
}

/// The project in examples/cmake by the commands in its CMakeLists.txt: both programs find both pairs.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn cmake_project() {
    let folder = folder("example-cmake");
    let project = installed("cmake");
    run(Command::new("cp").arg("-r").arg(project.join(".")).arg(&folder));
    let commands = head_commands(&fs::read_to_string(project.join("CMakeLists.txt")).unwrap());
    let said = must_type(&folder, &commands);
    assert!(said.ends_with("0 1\n2 3\n1 2\n3 4\n"), "{said}");
}

/// The dam break by its README's commands, coarse and short, without the one for the picture (matplotlib).
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn dam_break() {
    let readme = page("examples/fortran/dam_break/README.md");
    let lines = readme.blocks[0].text.replace("\\\n", " ");
    let kept: Vec<&str> = lines.lines().filter(|line| !line.starts_with("python3 ")).collect();
    assert_eq!(lines.lines().count(), kept.len() + 1, "{lines}");
    let folder = folder("example-dam_break");
    run(Command::new("cp")
        .arg("-r")
        .arg(installed("fortran/dam_break/."))
        .arg(&folder));
    let said = must_type(&folder, &format!("{} cells=12 t_end=1", kept.join("\n")));
    assert!(said.contains("dam_break: OK"), "{said}");
}
