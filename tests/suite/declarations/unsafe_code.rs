//! The files that allow unsafe code are those that ARCHITECTURE.md lists, and no other has any.

use std::collections::BTreeSet;
use std::path::Path;

use super::read;

/// The files that ARCHITECTURE.md lists, a folder by the file of its module.
fn unsafe_files() -> BTreeSet<String> {
    let text = read("ARCHITECTURE.md");
    let (_, list) = text.split_once("\n## Unsafe\n").expect("a section");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = BTreeSet::new();
    for item in list.split("\n* ").skip(1) {
        let names: Vec<&str> = item.split('`').skip(1).step_by(2).collect();
        for name in names.iter().filter(|name| name.ends_with(".rs") || name.ends_with('/')) {
            files.insert(match name.strip_suffix('/') {
                Some(module) if root.join(format!("{module}.rs")).exists() => format!("{module}.rs"),
                Some(module) => format!("{module}/mod.rs"),
                None => (*name).to_owned(),
            });
        }
    }
    files
}

/// The files of a folder that the compiler reads, and of the folders in it.
fn rust_files(folder: &str, files: &mut Vec<String>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for entry in std::fs::read_dir(root.join(folder)).unwrap() {
        let (entry, path) = (entry.as_ref().unwrap(), |name: &str| format!("{folder}/{name}"));
        let name = entry.file_name().into_string().unwrap();
        match entry.path().is_dir() {
            true => rust_files(&path(&name), files),
            false if name.ends_with(".rs") => files.push(path(&name)),
            false => {}
        }
    }
}

/// A module inherits what the one around it allows, so that the compiler alone would not tell.
#[test]
fn as_listed() {
    let (listed, mut files) = (unsafe_files(), Vec::new());
    rust_files("src", &mut files);
    assert!(
        read("src/lib.rs").contains("#![deny(unsafe_code)]"),
        "src/lib.rs allows unsafe code"
    );
    let allow: BTreeSet<String> = (files.iter())
        .filter(|path| read(path).contains("\n#![allow(unsafe_code)]\n"))
        .cloned()
        .collect();
    assert_eq!(allow, listed, "who allows unsafe code, and who is listed");
    let folders: Vec<String> = (listed.iter())
        .filter_map(|path| path.strip_suffix("/mod.rs").or(path.strip_suffix(".rs")))
        .filter(|folder| {
            ["capi", "src/simd", "cpu/kernels", "list"]
                .iter()
                .any(|name| folder.ends_with(name))
        })
        .map(|folder| format!("{folder}/"))
        .collect();
    let forms = [
        "unsafe {",
        "unsafe fn",
        "unsafe impl",
        "unsafe trait",
        "unsafe extern",
        "#[unsafe(",
    ];
    for path in &files {
        let text = read(path);
        let code = text.lines().map(str::trim).filter(|line| !line.starts_with("//"));
        let has = code
            .into_iter()
            .any(|line| forms.iter().any(|form| line.contains(form)));
        let may = listed.contains(path) || folders.iter().any(|folder| path.starts_with(folder.as_str()));
        assert!(may || !has, "{path} has unsafe code and is not listed");
    }
}
