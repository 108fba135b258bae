//! Markdown as the tests of the documentation read it: code blocks, links, anchors.
#![allow(dead_code)] // each test uses its part

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A fenced code block. `info` is what follows the fence: the language, then words such as `fragment` and `mpi`.
pub struct Block {
    pub page: String,
    pub line: usize,
    pub info: String,
    pub text: String,
}

impl Block {
    pub fn place(&self) -> String {
        format!("{}:{}", self.page, self.line)
    }

    pub fn language(&self) -> &str {
        self.info.split_whitespace().next().unwrap_or("")
    }

    pub fn is(&self, word: &str) -> bool {
        self.info.split_whitespace().skip(1).any(|other| other == word)
    }

    /// The file that the first line names in a comment, such as `! main.f90`, or else `main` with the language's ending.
    pub fn file_name(&self) -> String {
        let first = self.text.lines().next().unwrap_or("");
        let name = first.trim_matches(|c: char| "!/*#".contains(c) || c.is_whitespace());
        let is_comment = first.starts_with(['!', '/', '#']) && !first.starts_with("#include");
        if is_comment && name.contains('.') && !name.contains(char::is_whitespace) {
            return name.to_owned();
        }
        match self.language() {
            "fortran" => "main.f90",
            "c" => "main.c",
            "cpp" => "main.cpp",
            "rust" => "main.rs",
            "python" => "main.py",
            "cmake" => "CMakeLists.txt",
            other => panic!(
                "{}: the first line must name the file of this {other} block",
                self.place()
            ),
        }
        .to_owned()
    }
}

/// A page: its code blocks, and its lines outside of them with their numbers.
pub struct Page {
    pub blocks: Vec<Block>,
    pub prose: Vec<(usize, String)>,
}

/// The fence that a line begins or ends with: how long it is, and what follows.
fn fence(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start();
    let info = rest.trim_start_matches('`');
    let length = rest.len() - info.len();
    (length >= 3 && !info.contains('`')).then_some((length, info.trim()))
}

/// Reads a page. Directives of MyST, ```{name}, are not code: what they enclose is read like the rest.
pub fn read(page: &str, text: &str) -> Page {
    let mut read = Page {
        blocks: Vec::new(),
        prose: Vec::new(),
    };
    let mut directives: Vec<usize> = Vec::new();
    let mut open: Option<(usize, usize)> = None; // length and indentation of the fence of the last block
    for (line, number) in text.lines().zip(1..) {
        if let Some((length, indent)) = open {
            if fence(line).is_some_and(|(other, info)| other >= length && info.is_empty()) {
                open = None;
            } else {
                let blanks = line.len() - line.trim_start().len();
                let block = read.blocks.last_mut().unwrap();
                block.text += &line[blanks.min(indent)..];
                block.text.push('\n');
            }
            continue;
        }
        match fence(line) {
            Some((length, info)) if info.starts_with('{') => directives.push(length),
            Some((length, "")) if directives.last().is_some_and(|&last| length >= last) => {
                directives.pop();
            }
            Some((length, info)) => {
                open = Some((length, line.len() - line.trim_start().len()));
                read.blocks.push(Block {
                    page: page.to_owned(),
                    line: number,
                    info: info.to_owned(),
                    text: String::new(),
                });
            }
            None => read.prose.push((number, line.to_owned())),
        }
    }
    assert!(open.is_none() && directives.is_empty(), "{page}: a fence is not closed");
    read
}

impl Page {
    /// Lines that Markdown takes for code because they are indented. Paragraphs of a list are indented, too.
    pub fn indented(&self) -> Vec<usize> {
        let (mut found, mut in_list, mut after_blank) = (Vec::new(), false, true);
        for (number, line) in &self.prose {
            let text = line.trim_start();
            if text.is_empty() {
                after_blank = true;
                continue;
            }
            let marker = text.split(' ').next().unwrap();
            let is_item = ["*", "-", "+"].contains(&marker)
                || marker.len() > 1 && marker.trim_end_matches('.').chars().all(|c| c.is_ascii_digit());
            if is_item {
                in_list = true;
            } else if !line.starts_with(' ') && after_blank {
                in_list = false;
            }
            if line.starts_with("    ") && after_blank && !in_list {
                found.push(*number);
            }
            after_blank = false;
        }
        found
    }

    /// All lines outside of code, with what is between backticks blanked.
    fn plain(&self) -> String {
        let text: String = self.prose.iter().map(|(_, line)| line.to_owned() + "\n").collect();
        let mut plain = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find('`') {
            let ticks = rest[at..].len() - rest[at..].trim_start_matches('`').len();
            let after = &rest[at + ticks..];
            plain += &rest[..at];
            let end = after.find("\n\n").unwrap_or(after.len());
            match after[..end].find(&"`".repeat(ticks)) {
                Some(length) => rest = &after[length + ticks..],
                None => rest = after,
            }
        }
        plain + rest
    }

    /// The targets of links and pictures.
    pub fn links(&self) -> Vec<String> {
        let text = self.plain();
        let inline = text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap());
        let named = text.lines().filter_map(|line| {
            let (name, target) = line.trim_start().strip_prefix('[')?.split_once("]:")?;
            (!name.contains(']')).then_some(target.trim())
        });
        let target = |link: &str| {
            link.split_whitespace()
                .next()
                .unwrap_or("")
                .trim_matches(['<', '>'])
                .to_owned()
        };
        inline.chain(named).map(target).collect()
    }

    /// The anchors that GitHub makes for headings, and those that the page names itself.
    pub fn anchors(&self) -> BTreeSet<String> {
        let mut anchors = BTreeSet::new();
        for (_, line) in &self.prose {
            let text = line.trim_start_matches('#');
            let level = line.len() - text.len();
            if (1..=6).contains(&level) && text.starts_with(' ') {
                let slug = slug(text);
                let again = (1..).map(|k| format!("{slug}-{k}"));
                let free = std::iter::once(slug.clone())
                    .chain(again)
                    .find(|one| !anchors.contains(one));
                anchors.extend(free);
            }
            for attribute in ["id=\"", "name=\""] {
                let named = line.split(attribute).skip(1).filter_map(|rest| rest.split('"').next());
                anchors.extend(named.map(str::to_owned));
            }
        }
        anchors
    }
}

/// A heading as GitHub writes it in addresses: of links the text, no punctuation, hyphens for blanks.
fn slug(heading: &str) -> String {
    let mut text = String::new();
    let mut rest = heading;
    while let Some((before, after)) = rest.split_once("](") {
        text += before;
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    text += rest;
    let kept = text
        .trim()
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.flat_map(char::to_lowercase)
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// Every Markdown file below a root, by its path from there. What is built, and what begins with a dot, is left out.
pub fn files(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let path = folder.join(&name);
            let built = folder.as_os_str().is_empty() && ["target", "demo", "build", "vendor"].contains(&name.as_str());
            if name.starts_with('.') || built {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if name.ends_with(".md") {
                found.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// The pages that say how to use the library: every code block on them is tested.
pub fn guides(root: &Path) -> Vec<(String, Page)> {
    let kept = |name: &String| {
        let for_users =
            name.starts_with("docs/") && !["adr", "design", "lab", "proofs"].contains(&name.split('/').nth(1).unwrap());
        for_users || ["README.md", "CONTRIBUTING.md", "examples/README.md"].contains(&name.as_str())
    };
    let pages = files(root).into_iter().filter(kept);
    pages
        .map(|name| {
            let page = read(&name, &fs::read_to_string(root.join(&name)).unwrap());
            (name, page)
        })
        .collect()
}

/// A fragment inside the frame of its language in tests/snippets/, which declares what fragments may use.
pub fn framed(root: &Path, block: &Block) -> String {
    let ending = match block.language() {
        "fortran" => "f90",
        "c" => "c",
        other => panic!("{}: no frame for {other}", block.place()),
    };
    let name = if block.is("mpi") { "frame_mpi" } else { "frame" };
    let path = root.join("tests/snippets").join(name).with_extension(ending);
    let frame = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(frame.contains("@FRAGMENT@"), "{}", path.display());
    frame.replace("@FRAGMENT@", &block.text)
}

/// Commands with a path in the place of the word PREFIX.
pub fn with_prefix(commands: &str, prefix: &Path) -> String {
    let mut text = String::new();
    let mut rest = commands;
    while let Some((before, after)) = rest.split_once("PREFIX") {
        text += before;
        let in_a_name = before.ends_with('_') || after.starts_with('_'); // CMAKE_PREFIX_PATH, say
        text += if in_a_name { "PREFIX" } else { prefix.to_str().unwrap() };
        rest = after;
    }
    text + rest
}

/// Whether a block is a whole program.
pub fn is_program(block: &Block) -> bool {
    ["fortran", "c", "cpp", "rust", "python"].contains(&block.language())
        && !block.is("fragment")
        && (!block.is("mpi") || block.text.contains("end program") || block.text.contains("int main("))
}

/// Whether a block is to be pasted into a frame.
pub fn is_fragment(block: &Block) -> bool {
    ["fortran", "c"].contains(&block.language()) && !is_program(block)
}
