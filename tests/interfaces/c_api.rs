//! The C side, with the C compiler: the headers, the drop-ins, threads, memory.
//!
//! in: include/, tests/c/, examples/, the library cargo built for this test
//! out: folders below target/tmp/ that are gone afterwards
//!
//! The programs of tests/c/ judge themselves and print one line. What only an outsider can see (nothing printed, the
//! environment, which symbols are linked) is judged here.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::c::compilers;
use crate::c::{Library, STRICT, Workshop, attempt, built, expect_verdict, run, tool};

const VERSION: &str = concat!("-DVERSION=\"", env!("CARGO_PKG_VERSION"), "\"");

/// Compiles a program of tests/c/ the usual way and expects it to pass.
fn expect_pass(name: &str, flags: &[&str]) {
    let shop = Workshop::new();
    expect_verdict(&mut tool(shop.compile(
        &format!("tests/c/{name}.c"),
        flags,
        &Library::Shared,
    )));
}

programs! {
    api: "api", &[VERSION];
    formula: "formula", &[];
    chunks: "chunks", &[];
    list: "list", &[];
    drop_in: "dropin", &[];
    threads: "threads", &["-fopenmp"];
    memory: "memory", &[];
    starved: "starve", &[];
}

/// Any floating-point environment of the caller, also that of a program built with -Ofast, which starts with subnormal numbers
/// flushed. The second argument says in which the helpers start.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn floating_point_environment() {
    for flags in [&[] as &[&str], &["-Ofast"]] {
        let shop = Workshop::new();
        let program = shop.compile("tests/c/fenv.c", flags, &Library::Shared);
        for first in ["0", "2", "3"] {
            expect_verdict(tool(&program).args(["1", first]));
        }
        expect_verdict(tool(&program).args(["2", "2", "2"])); // from a device opened while they are flushed
    }
}

/// Helper threads outlive `dlclose`.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn closed_by_dlclose() {
    let shop = Workshop::new();
    let program = compile_alone(&shop, "dlclose", &["-ldl"]);
    expect_verdict(tool(program).arg(shop.path().join("libneargrid.so")));
}

/// A program that is linked with -static, and has no loader.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn without_a_loader() {
    let shop = Workshop::new();
    let library = built().join("libneargrid.a");
    let system = [
        "-static",
        library.to_str().unwrap(),
        "-lgcc_eh",
        "-lpthread",
        "-lm",
        "-ldl",
        "-lc",
    ];
    expect_verdict(&mut tool(compile_alone(&shop, "static", &system)));
}

/// Compiles a program of tests/c/ with the libraries that are named and no other.
fn compile_alone(shop: &Workshop, name: &str, libraries: &[&str]) -> PathBuf {
    let program = shop.path().join(name);
    let mut command = tool(compilers::c());
    command.args(STRICT).arg("-Iinclude").arg(format!("tests/c/{name}.c"));
    run(command.args(libraries).arg("-o").arg(&program));
    program
}

/// The clouds of the Rust tests, through the C API and the drop-ins, bit for bit.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn all_cases() {
    let shop = Workshop::new();
    let file = shop.path().join("cases.bin");
    crate::common::case_file(&file);
    let program = shop.compile("tests/c/cases.c", &["-O2"], &Library::Shared);
    expect_verdict(tool(&program).arg(&file).arg("whole"));
}

/// Each header alone, in every standard that may include them.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn headers() {
    for header in [
        "include/neargrid.h",
        "include/celllist.h",
        "include/neargrid_celllist.h",
        "include/neargrid_sum.h",
    ] {
        for standard in ["c99", "c11", "c17", "c++98", "c++11", "c++17", "c++20"] {
            let (compiler, language) = match standard.starts_with("c++") {
                true => (compilers::cxx(), "c++"),
                false => (compilers::c(), "c"),
            };
            run(tool(compiler)
                .arg(format!("-std={standard}"))
                .args([
                    "-pedantic",
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    "-fsyntax-only",
                    "-x",
                    language,
                ])
                .arg(header));
        }
    }
}

/// A C++ program finds the C names.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn cpp() {
    let shop = Workshop::new();
    let source = shop.path().join("cpp.cpp");
    let text = "#include <celllist.h>\n#include <neargrid.h>\n\
        int main() {\n  neargrid_search *search = 0;\n  int npairs = -1;\n\
        if (neargrid_search_create(NEARGRID_ABI_VERSION, &search) != NEARGRID_STATUS_OK) return 1;\n\
        neargrid_search_destroy(search);\n\
        return cellList(3, 0, 0, 0, 1.0, 0, &npairs, 0, 0) == 0 && npairs == 0 ? 0 : 2;\n}\n";
    fs::write(&source, text).unwrap();
    for library in [Library::Shared, Library::Static] {
        let program = shop.path().join("cpp");
        let mut command = tool(compilers::cxx());
        command.args(["-std=c++11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Iinclude"]);
        command.arg(&source).arg("-o").arg(&program);
        shop.link(&mut command, &library);
        run(&mut command);
        assert_eq!(run(&mut tool(&program)), "");
    }
}

/// The classes of the header for C++.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn cpp_wrappers() {
    let shop = Workshop::new();
    for more in [
        &["-std=c++17"] as &[&str],
        &["-std=c++20", "-fsanitize=address,undefined"],
    ] {
        let program = shop.path().join("wrappers");
        let mut command = tool(compilers::cxx());
        command.args(["-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-Iinclude"]);
        command.args(more).arg("tests/c/wrappers.cpp").arg("-o").arg(&program);
        shop.link(&mut command, &Library::Shared);
        run(&mut command);
        expect_verdict(&mut tool(&program));
    }
}

/// The programs that provoke most, under the compiler's sanitizers. Leaks are memcheck's subject.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn sanitized() {
    let shop = Workshop::new();
    let flags = [
        VERSION,
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
        "-fno-omit-frame-pointer",
    ];
    for name in ["api", "formula", "chunks", "dropin"] {
        let program = shop.compile(&format!("tests/c/{name}.c"), &flags, &Library::Shared);
        expect_verdict(tool(program).arg("short").env("ASAN_OPTIONS", "detect_leaks=0"));
    }
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn static_library() {
    let shop = Workshop::new();
    for name in ["api", "dropin"] {
        let program = shop.compile(&format!("tests/c/{name}.c"), &[VERSION], &Library::Static);
        expect_verdict(tool(program).arg("short"));
    }
}

/// A program with a `celllist_` and a `cellList` of its own links the shared library: the program's own come first.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn own_symbols() {
    expect_pass("own_symbols", &[]);
}

/// The same with the static library, as it is shipped: ours stay in the archive. Only a release has an object file for each module.
#[test]
#[ignore = "takes minutes, for it builds the release: make test-all"]
fn slow_own_symbols_in_the_archive() {
    let release = Library::File(crate::c::release_library());
    let shop = Workshop::new();
    expect_verdict(&mut tool(shop.compile("tests/c/own_symbols.c", &[], &release)));
}

// --- the environment -------------------------------------------------------------------------

/// The output of tests/c/environment.c with one variable set.
fn with_variable(shop: &Workshop, variable: &str, value: &OsStr) -> Vec<String> {
    let output = attempt(tool(shop.path().join("environment")).env(variable, value));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && error.is_empty(),
        "{variable}={value:?}: {}: {error}",
        output.status
    );
    let text = String::from_utf8(output.stdout).expect("texts are UTF-8, also where they are cut");
    text.lines().map(str::to_owned).collect()
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn environment() {
    let shop = Workshop::new();
    shop.compile("tests/c/environment.c", &[], &Library::Shared);
    let refused = [
        ("NEARGRID_BACKEND", &b"nonsense"[..], "auto, cpu or gpu"),
        ("NEARGRID_BACKEND", b"GPU", "auto, cpu or gpu"),
        ("NEARGRID_BACKEND", "größer".as_bytes(), "auto, cpu or gpu"),
        ("NEARGRID_BACKEND", b"cpu\xff", "auto, cpu or gpu"),
        ("NEARGRID_THREADS", b"0", "1 to 1024"),
        ("NEARGRID_THREADS", b"-1", "1 to 1024"),
        ("NEARGRID_THREADS", b"1025", "1 to 1024"),
        ("NEARGRID_THREADS", b"99999999999999999999999", "1 to 1024"),
        ("NEARGRID_THREADS", b"two", "1 to 1024"),
        ("NEARGRID_THREADS", b"1.5", "1 to 1024"),
        ("NEARGRID_SIMD", b"avx1024", "scalar, neon, avx2 or avx512"),
        ("NEARGRID_TIE", b"Exclusive", "inclusive or exclusive"),
    ];
    for (variable, value, allowed) in refused {
        let lines = with_variable(&shop, variable, OsStr::from_bytes(value));
        let shown = String::from_utf8_lossy(value);
        let text = format!("environment variable {variable} = \"{shown}\" is not allowed: it must be ");
        for call in ["create 9 ", "cellList 9 "] {
            let line = lines.iter().find(|line| line.starts_with(call));
            let line = line.unwrap_or_else(|| panic!("no \"{call}\" in {lines:?}"));
            assert!(
                line[call.len()..].starts_with(&text) && line.contains(allowed),
                "{line}"
            );
        }
        assert!(
            lines.contains(&"npairs -5 -5 -5".to_owned()),
            "outputs changed: {lines:?}"
        );
        assert!(lines.contains(&"celllist_ -9".to_owned()), "{lines:?}");
        let cuts: Vec<_> = lines.iter().filter_map(|line| line.strip_prefix("cut ")).collect();
        assert!(
            cuts.len() > 50 && cuts.iter().all(|cut| text.starts_with(cut) || cut.starts_with(&text)),
            "{cuts:?}"
        );
    }
}

/// Valid values override what the program sets; an empty one says nothing.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn environment_overrides() {
    let shop = Workshop::new();
    shop.compile("tests/c/environment.c", &[], &Library::Shared);
    let found = "create 0 1|points 0 0|count 0 9|threads T|backend 1|cellList 0 9|npairs 9 0 1|celllist_ 9|ties 9|inclusive 0 9";
    for (variable, value, threads) in [
        ("NEARGRID_BACKEND", "", "2"),
        ("NEARGRID_THREADS", "", "2"),
        ("NEARGRID_SIMD", "", "2"),
        ("NEARGRID_BACKEND", "cpu", "2"),
        ("NEARGRID_BACKEND", "auto", "2"),
        ("NEARGRID_THREADS", "1", "1"),
        ("NEARGRID_THREADS", "3", "3"),
        ("NEARGRID_SIMD", "scalar", "2"),
        ("NEARGRID_TIE", "inclusive", "2"),
    ] {
        let lines = with_variable(&shop, variable, value.as_ref()).join("|");
        assert_eq!(lines, found.replace('T', threads), "{variable}={value}");
    }
    let lines = with_variable(&shop, "NEARGRID_BACKEND", "gpu".as_ref()).join("|");
    assert_eq!(lines, found.replace('T', "2").replace("backend 1", "backend 2"));
    let lines = with_variable(&shop, "NEARGRID_TIE", "exclusive".as_ref()).join("|");
    assert_eq!(lines, found.replace('T', "2").replace("ties 9", "ties 0"));
}

// --- the examples ----------------------------------------------------------------------------

/// The list an example prints is one: as long as it says, ordered, `i < j`, with the first and the last pairs.
fn expect_list(text: &str) {
    let mut lines = text.lines();
    let npairs: usize = lines
        .next()
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(npairs > 10, "{text}");
    let rows: Vec<Vec<usize>> = lines
        .skip(1)
        .filter(|line| !line.contains("..."))
        .map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect())
        .collect();
    let numbers: Vec<_> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(
        numbers,
        [(0..5).collect::<Vec<_>>(), (npairs - 5..npairs).collect()].concat(),
        "{text}"
    );
    assert!(rows.iter().all(|row| row[1] < row[2]), "{text}");
    assert!(rows.windows(2).all(|two| two[0][1..] < two[1][1..]), "{text}");
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn example_in_c() {
    let shop = Workshop::new();
    expect_list(&run(&mut tool(shop.compile(
        "examples/c/find_pairs.c",
        &[],
        &Library::Shared,
    ))));
}

/// Forces of pairs: there are some, and they cancel.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn example_of_forces() {
    let shop = Workshop::new();
    let text = run(&mut tool(shop.compile(
        "examples/c/pair_forces.c",
        &[],
        &Library::Shared,
    )));
    let words: Vec<_> = text.split_whitespace().collect();
    let npairs: usize = words[0].parse().unwrap();
    let largest: f64 = words[7].trim_end_matches(',').parse().unwrap();
    let sum: f64 = words[words.len() - 1].parse().unwrap();
    assert!(npairs > 5000 && largest > 0.05 && sum < 1e-10, "{text}");
}

/// Atoms of a lattice attract each other, and their forces cancel.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn example_of_sums() {
    let shop = Workshop::new();
    let text = run(&mut tool(shop.compile(
        "examples/c/lennard_jones.c",
        &[],
        &Library::Shared,
    )));
    let words: Vec<_> = text.split_whitespace().collect();
    let energy: f64 = words[1].parse().unwrap();
    let sum: f64 = words[words.len() - 1].parse().unwrap();
    assert!((-10.0..-3.0).contains(&energy) && sum < 1e-8, "{text}");
}

/// Steps of atoms as a text: the lattice melts, and energy and momentum are kept.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn example_of_steps() {
    let shop = Workshop::new();
    let text = run(&mut tool(shop.compile("examples/c/md_step.c", &[], &Library::Shared)));
    let numbers = |line: &str| -> Vec<f64> { line.split_whitespace().filter_map(|word| word.parse().ok()).collect() };
    let rows: Vec<_> = text.lines().skip(1).take(10).map(numbers).collect();
    assert!(rows.iter().all(|row| row.len() == 4), "{text}");
    let (first, last) = (&rows[0], &rows[9]);
    assert!((last[0] - 1.6).abs() < 1e-9 && last[1] > 2.0 * first[1], "{text}");
    for row in &rows {
        assert!((row[2] - first[2]).abs() < 5e-4 && row[3] < 1e-11, "{text}");
    }
    let ends = numbers(text.lines().last().unwrap().trim_end_matches(';'));
    let drift = ends[ends.len() - 1];
    assert!(0.0 < drift && drift < 5e-4, "{text}");
}

/// Two halves of a cloud with ghosts sum as the whole does.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn example_of_global_ids() {
    let shop = Workshop::new();
    let program = shop.compile("examples/c/global_ids.c", &[], &Library::Shared);
    let text = run(&mut tool(program));
    let numbers = text.split_whitespace().filter_map(|word| word.parse().ok());
    let numbers: Vec<u32> = numbers.collect();
    assert!(
        numbers[1] + numbers[2] == 3000 && numbers[3].min(numbers[4]) > 100,
        "{text}"
    );
    assert!(text.trim_end().ends_with(": 0 sums differ"), "{text}");
}

/// Pairs in chunks: as many distances as pairs, the more the longer.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn example_of_chunks() {
    let shop = Workshop::new();
    let text = run(&mut tool(shop.compile("examples/c/chunks.c", &[], &Library::Shared)));
    let last = |line: &str| line.split_whitespace().last().unwrap().parse::<i64>().unwrap();
    let words: Vec<_> = text.split_whitespace().collect();
    let [total, chunks] = [words[0], words[3]].map(|word| word.parse::<i64>().unwrap());
    let bins: Vec<_> = text.lines().skip(1).map(last).collect();
    assert!(total > 100_000 && chunks >= total / 10_000, "{text}");
    assert!(
        bins.len() == 5 && bins.is_sorted() && bins.iter().sum::<i64>() == total,
        "{text}"
    );
}

/// A wall in a fluid: each of its points, once, with the fluid it feels, and less at the ends of the wall than inside.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn example_of_queries() {
    let shop = Workshop::new();
    let text = run(&mut tool(shop.compile("examples/c/queries.c", &[], &Library::Shared)));
    let lines: Vec<_> = text.lines().collect();
    let number = |word: &str| word.parse::<f64>().unwrap();
    let rows: Vec<Vec<&str>> = lines[1..]
        .iter()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert!(
        rows.len() == 11 && lines[0].contains("wall points among 4000 fluid points"),
        "{text}"
    );
    assert!(
        rows.iter().all(|row| number(row[2]) > 5.0 && number(row[4]) > 0.0),
        "{text}"
    );
    assert!(
        number(rows[0][2]) < number(rows[5][2]) && number(rows[10][2]) < number(rows[5][2]),
        "{text}"
    );
}

/// Halos in a square: a line of the catalogue for each, and a picture with a circle for every point and one around each halo.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn example_of_groups() {
    let shop = Workshop::new();
    let program = shop.compile("examples/c/groups.c", &[], &Library::Shared);
    let text = run(tool(program).arg(shop.path()));
    let words: Vec<&str> = text.split([' ', ';', ',', '\n']).collect();
    let groups: usize = words[0].parse().unwrap();
    let read = |name: &str| std::fs::read_to_string(shop.path().join(name)).unwrap();
    let (table, picture) = (read("groups.csv"), read("groups.svg"));
    let column = |line: &str, k: usize| line.split(',').nth(k).unwrap().parse::<f64>().unwrap();
    let sizes: Vec<f64> = table.lines().skip(1).map(|line| column(line, 1)).collect();
    assert!((20..60).contains(&groups) && sizes.len() == groups, "{text}{table}");
    assert!(
        sizes.is_sorted_by(|a, b| a >= b) && sizes[groups - 1] >= 20.0,
        "{table}"
    );
    assert_eq!(picture.matches("<circle").count(), 20_000 + groups, "{text}");
    assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"), "{text}");
}

/// Built by cargo together with the tests; here only where this test runs alone.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn example_in_rust() {
    let target = crate::c::built().join("../..");
    let arguments = [
        "run",
        "--profile=test",
        "--locked",
        "--offline",
        "--quiet",
        "--example=find_pairs",
    ];
    expect_list(&run(tool(env!("CARGO"))
        .args(arguments)
        .arg("--target-dir")
        .arg(target)));
}
