//! What the texts say to type, typed: programs and commands are taken from README.md, the guide and the examples, and run against
//! the installation. PREFIX in a text is where that is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::consumer::{INSTALLED, SOURCE, needs_shared, run};

fn text_of(path: &str) -> String {
    fs::read_to_string(Path::new(SOURCE).join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What stands between a heading and the next.
fn section(text: &str, heading: &str) -> String {
    let (_, after) = text
        .split_once(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("no {heading}"));
    after.split("\n## ").next().unwrap().to_owned()
}

/// Fenced blocks in a language.
fn programs(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let blocks = text.split(&fence).skip(1);
    blocks
        .map(|block| block.split("```").next().unwrap().to_owned())
        .collect()
}

/// Lines that are indented as code.
fn commands(text: &str) -> String {
    let lines = text.lines().filter_map(|line| line.strip_prefix("    "));
    lines.map(|line| line.to_owned() + "\n").collect()
}

/// The commands in the first comment of a source: its indented lines.
fn head_commands(source: &str) -> String {
    let head = source
        .lines()
        .take_while(|line| line.starts_with(['/', ' ', '!']) || line.starts_with("*/"));
    let lines = head.filter_map(|line| line.strip_prefix("!>     ").or_else(|| line.strip_prefix(" *     ")));
    lines
        .map(|line| line.trim_end_matches("*/").to_owned() + "\n")
        .collect()
}

/// A new folder with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = INSTALLED.root.join("snippets").join(name);
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
    folder
}

/// Runs commands as somebody who typed them would, until one fails; returns what they said.
fn type_in(folder: &Path, commands: &str) -> String {
    let commands = commands.replace("PREFIX", &INSTALLED.prefix.display().to_string());
    let mut shell = Command::new("bash");
    shell
        .current_dir(folder)
        .args(["-euc", &commands])
        .env_remove("PKG_CONFIG_PATH");
    run(shell.env("NODEVICE_SELECT", "1")) // or Mesa prints a line where no desktop runs
}

/// The README's programs compile and run by the README's commands.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn readme() {
    let text = text_of("README.md");
    let (c, fortran) = (programs(&text, "c"), programs(&text, "fortran"));
    assert_eq!((c.len(), fortran.len()), (1, 2));
    for (k, fortran) in fortran.iter().enumerate() {
        let folder = folder(&format!("readme-{k}"), &[("main.c", &c[0]), ("main.f90", fortran)]);
        let said = type_in(&folder, &commands(&section(&text, "## Linking")));
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines[0], "2 pairs; the first: 0 1", "{said}");
        assert!(lines[1].contains(" pairs") && lines.len() == 2, "{said}");
        let npairs: usize = lines[1].split_whitespace().next().unwrap().parse().unwrap();
        assert!((1000..4000).contains(&npairs), "{said}");
    }
}

/// Each way of the guide to find the library works by itself.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn guide() {
    let (readme, guide) = (text_of("README.md"), text_of("docs/guide/README.md"));
    let (c, fortran) = (programs(&readme, "c").remove(0), programs(&readme, "fortran").remove(1));
    let folder = folder("guide", &[("main.c", &c), ("main.f90", &fortran)]);
    let lines = commands(&section(&guide, "## Linking"));
    let (exports, compilers): (Vec<&str>, Vec<&str>) = lines.lines().partition(|line| line.starts_with("export"));
    assert_eq!((exports.len(), compilers.len()), (2, 4), "{lines}");
    type_in(&folder, &format!("{}\n{}", exports[0], compilers.join("\n")));
    for (before, program, shared) in [
        (exports[1], "main_c", true),
        (exports[1], "main_f", true),
        ("", "main_rpath", true),
        ("", "main_static", false),
    ] {
        let said = type_in(&folder, &format!("{before}\n./{program}"));
        assert!(said.contains(" pairs"), "{program}: {said}");
        assert_eq!(needs_shared(&folder.join(program)), shared, "{program}");
    }
    let told = type_in(&folder, "./main_c 2>&1 || true");
    let (message, _) = guide
        .split_once("`error while loading")
        .map(|(_, rest)| rest.split_once('`').unwrap())
        .unwrap();
    assert!(told.contains(message), "the guide says {message}; {told}");
}

/// Every example in C and Fortran is compiled and run by the commands in its first lines.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn examples() {
    let exports = commands(&text_of("examples/README.md"));
    let mut ran = 0;
    for language in ["c", "fortran"] {
        for entry in fs::read_dir(Path::new(SOURCE).join("examples").join(language)).unwrap() {
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
            let said = type_in(
                &folder(&format!("example-{name}"), &[(name, &text)]),
                &(exports.clone() + &commands),
            );
            assert!(!said.is_empty(), "{name} says nothing");
            ran += 1;
        }
    }
    assert!(ran > 9, "{ran} examples");
}

/// The dam break by its README's commands, coarse and short. Not by those for cargo (the library is built) and the picture
/// (matplotlib).
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn dam_break() {
    let text = text_of("examples/fortran/dam_break/README.md");
    let head = text.split("\n| file |").next().unwrap();
    let lines = commands(head);
    let kept = |line: &&str| !line.starts_with("cargo ") && !line.starts_with("python3 ");
    let kept: Vec<&str> = lines.lines().filter(kept).collect();
    assert_eq!(lines.lines().count(), kept.len() + 2, "{lines}");
    let folder = folder("dam_break", &[]);
    let release = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("release");
    let prepare = format!(
        "ln -sfn {SOURCE}/fortran {SOURCE}/examples {SOURCE}/cmake . && mkdir -p target && ln -sfn {} target/release",
        release.display()
    );
    type_in(&folder, &prepare);
    let said = type_in(&folder, &format!("{} cells=12 t_end=1", kept.join("\n")));
    assert!(said.contains("dam_break: OK"), "{said}");
}
