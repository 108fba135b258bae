//! The model plays every exported function.

use std::collections::BTreeSet;
use std::path::Path;

/// The names that the libraries export.
const SYMBOLS: &str = include_str!("../abi/symbols.txt");

/// Functions that only several ranks can call: tests/model/ranks plays them.
const ON_RANKS: [&str; 3] = [
    "neargrid_comm_create",
    "neargrid_comm_destroy",
    "neargrid_search_create_across",
];

/// The names in the code of sources, without comments.
fn names(folder: &Path, but: &Path, all: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path != but {
            names(&path, but, all);
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("every.rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let words = code.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
            all.extend(words.map(str::to_owned));
        }
    }
}

#[test]
fn every_function_is_played() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/model");
    let (mut here, mut on_ranks) = (BTreeSet::new(), BTreeSet::new());
    let of_ranks = folder.join("ranks");
    names(&folder, &of_ranks, &mut here);
    let is_missing = |name: &&str| !here.contains(*name);
    let missing: Vec<&str> = SYMBOLS.lines().filter(is_missing).collect();
    assert_eq!(
        missing, ON_RANKS,
        "these are played by no sequence, or by sequences of one rank"
    );
    if of_ranks.is_dir() {
        names(&of_ranks, Path::new(""), &mut on_ranks);
        let missing: Vec<&&str> = ON_RANKS.iter().filter(|name| !on_ranks.contains(**name)).collect();
        assert!(missing.is_empty(), "{missing:?} are played on no ranks");
    }
}
