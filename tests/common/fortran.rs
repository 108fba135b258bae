//! The Fortran sources of the core and of the layer across ranks.

use std::path::Path;

/// The files that `fortran/sources.txt`, or another list of that kind below `root`, names: paths from `root`, in the order in which
/// they are compiled.
pub fn sources(root: impl AsRef<Path>, list: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root.as_ref().join(list)).unwrap_or_else(|error| panic!("{list}: {error}"));
    let (folder, _) = list.rsplit_once('/').unwrap();
    text.lines().map(|name| format!("{folder}/{name}")).collect()
}
