//! Checks that need no tools: every code block has a tag that says how it is tested, and every link leads somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::{NOT_RUN, SOURCE, excuse, is_fragment, is_program};
use crate::markdown::{self, Block, Page};

/// Why a block cannot be tested, if so.
fn complaint(block: &Block) -> Option<String> {
    let words: Vec<&str> = block.info.split_whitespace().collect();
    let known = match words[..] {
        ["text"] | ["cmake"] | ["toml"] | ["rust"] | ["cpp"] | ["python"] | ["sh"] | ["sh", "mpi"] => true,
        ["fortran" | "c"] => is_program(block),
        ["fortran" | "c", "fragment"] => is_fragment(block),
        ["fortran" | "c", "mpi"] => true,
        _ => false,
    };
    (!known).then(|| format!("{}: the tag \"{}\" is not known", block.place(), block.info))
}

#[test]
fn every_block_is_known() {
    let mut complaints = Vec::new();
    let mut blocks = 0;
    for (name, page) in markdown::guides(Path::new(SOURCE)) {
        blocks += page.blocks.len();
        complaints.extend(page.blocks.iter().filter_map(complaint));
        // Lists of commands for people who change the library: most install, or take minutes.
        if name != "CONTRIBUTING.md" {
            let indented = page.indented().into_iter();
            complaints
                .extend(indented.map(|line| format!("{name}:{line}: code without a tag that says how it is tested")));
        }
        let fpm = page.blocks.iter().position(|block| block.language() == "toml");
        let used = |at: usize| {
            page.blocks[at..]
                .iter()
                .any(|block| block.language() == "sh" && block.text.contains("fpm "))
        };
        if !fpm.is_none_or(used) {
            complaints.push(format!("{name}: no command uses the manifest"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(blocks > 5, "{blocks} blocks");
}

/// Commands are left out only by a reason that is written down, and each reason is needed.
#[test]
fn every_excuse_is_needed() {
    let pages = markdown::guides(Path::new(SOURCE));
    let shells = pages
        .iter()
        .flat_map(|(_, page)| &page.blocks)
        .filter(|block| block.language() == "sh");
    let used: BTreeSet<&str> = shells.flat_map(|block| block.text.lines().filter_map(excuse)).collect();
    let listed: BTreeSet<&str> = NOT_RUN.iter().map(|(start, _)| *start).collect();
    assert_eq!(used, listed);
}

/// `base/link` without `.` and `..`; None where it leads out of the project.
fn resolve(base: &str, link: &str) -> Option<PathBuf> {
    let mut path = PathBuf::from(base);
    path.pop();
    for part in Path::new(link).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::ParentDir if !path.pop() => return None,
            Component::ParentDir | Component::CurDir => {}
            _ => return None,
        }
    }
    Some(path)
}

/// Why a link is dead, if it is.
fn dead(pages: &BTreeMap<String, Page>, from: &str, link: &str) -> Option<String> {
    let root = Path::new(SOURCE);
    let (path, anchor) = link
        .split_once('#')
        .map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    let Some(target) = (if path.is_empty() {
        Some(from.into())
    } else {
        resolve(from, path)
    }) else {
        return Some("leads out of the project".to_owned());
    };
    let name = target.to_str().unwrap();
    // make docs writes these, and checks links to them
    let generated = name.starts_with("docs/reference/") && name.ends_with(".html");
    // a package that cargo made is without the other crates of the workspace, and without files that begin with a dot
    let top = root.join(
        target
            .components()
            .next()
            .map_or(Path::new(""), |part| Path::new(part.as_os_str())),
    );
    let packaged = root.join("Cargo.toml.orig").exists() && !top.exists();
    if generated || packaged {
        return None;
    }
    if !root.join(&target).exists() {
        return Some("does not exist".to_owned());
    }
    let (anchor, page) = (anchor?, pages.get(name)?);
    (!page.anchors().contains(anchor)).then(|| format!("has no heading #{anchor}"))
}

#[test]
fn links() {
    let root = Path::new(SOURCE);
    let read = |name: String| {
        let page = markdown::read(&name, &fs::read_to_string(root.join(&name)).unwrap());
        (name, page)
    };
    let pages: BTreeMap<String, Page> = markdown::files(root).into_iter().map(read).collect();
    let (mut broken, mut checked) = (Vec::new(), 0);
    for (name, page) in &pages {
        for link in page.links() {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            checked += 1;
            if let Some(why) = dead(&pages, name, &link) {
                broken.push(format!("{name}: {link} {why}"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(checked > 30, "{checked} links");
}

/// The reader of Markdown itself, on what is easily misread.
#[test]
fn markdown_is_read() {
    let text = "# A `b` [c](d.md), e\n\n````{note}\n```c fragment\nx[1](2);\n```\n````\n\n    code\n\n* item\n\n      more\n\n\
                [see `f`](g.md#h\n\"title\") `[no](link)` ![p](q.png)\n\n[r]: s.md\n\n## E\n## e\n";
    let page = markdown::read("page", text);
    let blocks: Vec<_> = page
        .blocks
        .iter()
        .map(|b| (b.line, b.info.as_str(), b.text.as_str()))
        .collect();
    assert_eq!(blocks, [(4, "c fragment", "x[1](2);\n")]);
    assert_eq!(page.indented(), [9]);
    assert_eq!(page.links(), ["d.md", "g.md#h", "q.png", "s.md"]);
    let anchors = ["a-b-c-e", "e", "e-1"].map(str::to_owned);
    assert_eq!(page.anchors(), BTreeSet::from(anchors));
    assert_eq!(resolve("docs/a.md", "../b/./c.md"), Some("b/c.md".into()));
    assert_eq!(resolve("a.md", "../b.md"), None);
    let commands = markdown::with_prefix("cmake -DCMAKE_PREFIX_PATH=PREFIX -LPREFIX/lib", Path::new("/p"));
    assert_eq!(commands, "cmake -DCMAKE_PREFIX_PATH=/p -L/p/lib");
}
