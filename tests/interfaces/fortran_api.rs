//! The Fortran side, with gfortran or the compiler that `FC` names: the modules, the drop-ins and the old ways of calling.
//!
//! in: fortran/, tests/fortran/, examples/fortran/, the library cargo built for this test
//! out: target/tmp/fortran_api/
//!
//! The programs of tests/fortran/ judge themselves: they exit with an error when a check fails or is missing. What only
//! an outsider can see (a program that stops, its text) is judged here.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use crate::c::compilers;
use crate::markdown::{Block, is_program};

const SOURCE: &str = env!("CARGO_MANIFEST_DIR");

/// Everything is a warning and every warning an error. Only the note that an array was packed is off: some tests pack
/// on purpose. Sums of products are never contracted, for the programs' own loops are the oracle.
const STRICT: &[&str] = &[
    "-std=f2018",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fcheck=all,no-array-temps",
    "-g",
    "-ffp-contract=off",
];
/// The library's modules, and that of the test programs.
static MODULES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut sources = crate::fortran::sources(SOURCE, "fortran/sources.txt");
    sources.push("tests/fortran/support.f90".to_owned());
    sources
});
/// The system libraries of a program that links the static library.
const NATIVE: &[&str] = &["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl", "-lc"];

/// The folder all tests work in, with the library under the names that linkers look for.
struct Workshop {
    root: PathBuf,
    static_library: PathBuf,
    _lock: File, // a second `cargo test` in this checkout waits
}

static WORKSHOP: LazyLock<Workshop> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fortran_api");
    fs::create_dir_all(&root).unwrap();
    let lock = File::create(root.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    fs::remove_dir_all(&root).unwrap();
    fs::create_dir_all(root.join("lib")).unwrap();

    let test = std::env::current_exe().unwrap();
    let built = test.parent().unwrap();
    let shared = built.join("libneargrid.so");
    let text = run(Command::new("readelf").arg("-dW").arg(&shared));
    let soname = text
        .lines()
        .find_map(|line| line.split_once("soname: [")?.1.split_once(']'))
        .unwrap_or_else(|| panic!("{} has no SONAME:\n{text}", shared.display()))
        .0;
    symlink(&shared, root.join("lib").join(soname)).unwrap();
    symlink(soname, root.join("lib/libneargrid.so")).unwrap();
    Workshop {
        root,
        static_library: built.join("libneargrid.a"),
        _lock: lock,
    }
});

/// The modules compiled with the usual flags, once for all tests.
static OBJECTS: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = folder("modules");
    compile_modules(&folder, STRICT, &MODULES);
    folder
});

fn folder(name: &str) -> PathBuf {
    let folder = WORKSHOP.root.join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn compiler() -> Command {
    let mut command = Command::new(compilers::fortran());
    command.current_dir(SOURCE);
    command
}

fn compile_modules(folder: &Path, flags: &[&str], sources: &[impl AsRef<Path>]) {
    for source in sources.iter().map(AsRef::as_ref) {
        let object = source.with_extension("o");
        run(compiler()
            .args(compilers::spelled(flags, source))
            .arg("-J")
            .arg(folder)
            .arg("-c")
            .arg(source)
            .arg("-o")
            .arg(folder.join(object.file_name().unwrap())));
    }
}

#[derive(Clone, Copy)]
enum Link {
    Shared,
    Static,
    /// The static library as users get it: what shares an object file depends on the profile.
    Release,
}

/// Compiles a program against the modules in `modules` and links it.
fn compile_program(modules: &Path, flags: &[&str], source: &str, name: &str, link: Link) -> PathBuf {
    let program = modules.join(name);
    let mut command = compiler();
    command.args(compilers::spelled(flags, source)).arg("-I").arg(modules);
    command.arg("-J").arg(folder("unused")); // own modules of a program, were there any
    command.arg(source).arg("-o").arg(&program);
    command.args(objects(modules));
    match link {
        Link::Shared => {
            let lib = WORKSHOP.root.join("lib");
            command.arg("-L").arg(&lib).arg("-lneargrid");
            command.arg(format!("-Wl,-rpath,{}", lib.display()));
        }
        Link::Static => {
            command.arg(&WORKSHOP.static_library).args(NATIVE);
        }
        Link::Release => {
            command.arg(crate::c::release_library()).args(NATIVE);
        }
    }
    run(&mut command);
    program
}

fn objects(modules: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(modules).unwrap().map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.extension().is_some_and(|e| e == "o"))
        .collect()
}

/// Compiles a test program the usual way, runs it and expects its last line to say that it passed.
fn expect_pass(name: &str) {
    let source = format!("tests/fortran/{name}.f90");
    let program = compile_program(&OBJECTS, STRICT, &source, name, Link::Shared);
    expect_verdict(&mut Command::new(program));
}

fn expect_verdict(command: &mut Command) {
    let text = run(command);
    assert!(text.trim_end().ends_with("checks passed"), "{command:?}:\n{text}");
    println!("{}", text.trim_end());
}

/// Modules compiled again with more flags, and one program on top of them.
fn compile_variant(variant: &str, more: &[&str], program: &str) -> PathBuf {
    let source = format!("tests/fortran/{program}.f90");
    compile_source(variant, more, &source, program)
}

fn compile_source(variant: &str, more: &[&str], source: &str, name: &str) -> PathBuf {
    let flags = [STRICT, more].concat();
    let modules = folder(variant);
    if objects(&modules).is_empty() {
        compile_modules(&modules, &flags, &MODULES);
    }
    compile_program(&modules, &flags, source, name, Link::Shared)
}

/// Runs a command to its end and returns what it said; a failure shows all of it.
fn run(command: &mut Command) -> String {
    let output = attempt(command);
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?} ended with {}:\n{text}",
        output.status
    );
    text
}

fn attempt(command: &mut Command) -> Output {
    // cargo's own search path would hide a wrong rpath, and a user's settings are not part of the test.
    for name in [
        "LD_LIBRARY_PATH",
        "NEARGRID_BACKEND",
        "NEARGRID_SIMD",
        "NEARGRID_THREADS",
    ] {
        if !command.get_envs().any(|(set, _)| set == name) {
            command.env_remove(name);
        }
    }
    command.env("NODEVICE_SELECT", "1"); // or Mesa prints a line for every instance where no desktop runs
    match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let tool = command.get_program().to_string_lossy().into_owned();
            let package = if tool == "readelf" { "binutils" } else { &tool };
            panic!("{tool} is missing here; as root: apt-get install -y --no-install-recommends {package}")
        }
        Err(error) => panic!("{command:?}: {error}"),
    }
}

/// The table of refused calls.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn refusals() {
    let source = folder("refusals").join("refusals.f90");
    fs::write(&source, crate::refusals::text("programs.py", &["fortran.txt"])).unwrap();
    let program = compile_program(&OBJECTS, STRICT, source.to_str().unwrap(), "refusals", Link::Shared);
    expect_verdict(Command::new(program).env("VK_DRIVER_FILES", "/nonexistent"));
}

programs! {
    api: "api";
    drop_in: "dropin";
    data: "data";
    kinds: "kinds";
    ids: "ids";
    exclusions: "exclusions";
    knn: "knn";
    fof: "fof";
    formula: "formula";
    cell: "cell";
    skin: "skin";
    chunks: "chunks";
    carry: "carry";
    pair_fields: "pair_fields";
    lists: "lists";
    systems: "systems";
    radii: "radii";
    more_pairs_than_32_bits_count: "many";
    legacy_shapes: "legacy";
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn drop_in_in_single_precision() {
    expect_verdict(&mut Command::new(compile_variant(
        "single",
        &["-DSINGLEPRECISION"],
        "dropin",
    )));
}

/// No call of the program makes the compiler pack an array; gfortran's check says where one does.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn strides() {
    let text = run(&mut Command::new(compile_variant(
        "strides",
        &["-fcheck=array-temps"],
        "strides",
    )));
    assert!(text.trim_end().ends_with("checks passed"), "{text}");
    assert!(!text.contains("array temporary"), "{text}");
}

/// Programs whose floating-point exceptions trap, as debug builds do: no query raises one, and `stop` has none to name. Groups are
/// tested by tests/c/fenv.c.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn traps() {
    const TRAPS: &[&str] = &["-ffpe-trap=invalid,zero,overflow"];
    for name in [
        "traps",
        "data",
        "kinds",
        "ids",
        "exclusions",
        "knn",
        "formula",
        "radii",
        "skin",
        "chunks",
        "lists",
        "systems",
        "cell",
        "dropin",
    ] {
        let text = run(&mut Command::new(compile_variant("traps", TRAPS, name)));
        let lines: Vec<_> = text.lines().collect();
        assert!(
            lines.len() == 1 && lines[0].ends_with("checks passed"),
            "{name}: {text}"
        );
    }
}

/// No module at all, and no standard later than 1977's.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn fortran_77() {
    let folder = folder("fortran_77");
    let flags = [
        "-std=legacy",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fcheck=all",
        "-g",
        "-ffp-contract=off",
    ];
    for (link, name) in [(Link::Shared, "shared"), (Link::Static, "static")] {
        let program = compile_program(&folder, &flags, "tests/fortran/legacy77.f", name, link);
        expect_verdict(&mut Command::new(program));
    }
}

/// A program with a `celllist` of its own links the static library: ours must stay in the archive.
#[test]
#[ignore = "takes minutes, for it builds the release: make test-all"]
fn slow_own_celllist() {
    let source = "tests/fortran/own_celllist.f90";
    let program = compile_program(&OBJECTS, STRICT, source, "own_celllist", Link::Release);
    expect_verdict(&mut Command::new(program));
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn default_integers_of_8_bytes() {
    for program in [
        "wide",
        "many",
        "kinds",
        "ids",
        "exclusions",
        "knn",
        "fof",
        "formula",
        "radii",
        "skin",
        "chunks",
        "lists",
        "systems",
        "cell",
        "strides",
    ] {
        expect_verdict(&mut Command::new(compile_variant(
            "wide",
            &["-fdefault-integer-8"],
            program,
        )));
    }
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn default_reals_of_8_bytes() {
    for program in ["api", "dropin"] {
        expect_verdict(&mut Command::new(compile_variant(
            "real8",
            &["-fdefault-real-8"],
            program,
        )));
    }
}

/// README's programs, in codes whose flags change the default kinds, with modules that have these flags and that have not.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn readme_with_other_default_kinds() {
    let pages = crate::markdown::guides(Path::new(SOURCE));
    let (_, readme) = pages.iter().find(|(name, _)| name == "README.md").unwrap();
    let is_ours = |block: &&Block| is_program(block) && block.language() == "fortran";
    let mut compiled = 0;
    for (variant, flag) in [("wide", "-fdefault-integer-8"), ("real8", "-fdefault-real-8")] {
        for block in readme.blocks.iter().filter(is_ours) {
            let source = folder("readme").join(block.file_name());
            fs::write(&source, &block.text).unwrap();
            let program = compile_source(variant, &[flag], source.to_str().unwrap(), "readme");
            run(&mut Command::new(program));
            let flags = [STRICT, &[flag]].concat();
            let program = compile_program(&OBJECTS, &flags, source.to_str().unwrap(), "readme", Link::Shared);
            run(&mut Command::new(program));
            compiled += 2;
        }
    }
    assert_eq!(compiled, 8);
}

/// As users compile: the optimizer sees through the interfaces, so a wrong one would show.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn optimized() {
    for program in [
        "api",
        "data",
        "dropin",
        "kinds",
        "ids",
        "exclusions",
        "knn",
        "fof",
        "formula",
        "radii",
        "legacy",
        "skin",
        "chunks",
        "lists",
        "systems",
        "cell",
        "strides",
    ] {
        expect_verdict(&mut Command::new(compile_variant("optimized", &["-O3"], program)));
    }
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn parallel_regions() {
    let program = compile_variant("threads", &["-fopenmp"], "threads");
    expect_verdict(
        Command::new(program)
            .arg(std::thread::available_parallelism().unwrap().to_string())
            .env("OMP_WAIT_POLICY", "passive")
            .env("OMP_DYNAMIC", "false"),
    );
}

/// The clouds of the Rust tests, through the Fortran API and the drop-ins, bit for bit.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn all_cases() {
    let file = folder("cases").join("cases.bin");
    crate::common::case_file(&file);
    let program = compile_variant("optimized_cases", &["-O2"], "cases");
    let text = run(Command::new(program).arg(&file));
    assert!(text.trim_end().ends_with("comparisons passed"), "{text}");
    println!("{}", text.trim_end());
}

/// An integer that could be `n` as well as `stat` does not compile by position.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn misread_calls_do_not_compile() {
    let source = "tests/fortran/misread.f90";
    let text = fs::read_to_string(Path::new(SOURCE).join(source)).unwrap();
    let lines = |text: &str, mark: &str| -> BTreeSet<usize> {
        let marked = text.lines().zip(1..).filter(|(line, _)| line.ends_with(mark));
        marked.map(|(_, number)| number).collect()
    };
    let mut command = compiler();
    command
        .args(compilers::spelled(&["-fsyntax-only", "-fmax-errors=0", "-I"], source))
        .arg(&*OBJECTS);
    let output = attempt(command.arg(source));
    let said = String::from_utf8_lossy(&output.stderr);
    let refused: BTreeSet<usize> = said
        .lines()
        .filter_map(|line| {
            line.trim_start_matches("./")
                .strip_prefix(source)?
                .split(':')
                .nth(1)?
                .parse()
                .ok()
        })
        .collect();
    assert_eq!(refused, lines(&text, "! refused"), "{said}");
}

/// Without `stat` a failure ends the program with the text, as `allocate` does.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn stops_without_stat() {
    let program = compile_program(&OBJECTS, STRICT, "tests/fortran/stops.f90", "stops", Link::Shared);
    let expected = [
        ("cutoff", "neargrid set_cutoff: cutoff = -1 "),
        ("errmsg-alone", "neargrid set_cutoff: cutoff = -2 "),
        (
            "points",
            "neargrid set_points: size(pos, 2) = 10 is not allowed: it must be at least n = 11",
        ),
        ("order", "neargrid count_pairs: no "),
        ("capacity", "neargrid pairs: capacity = 2 is too small: 45 are needed"),
        (
            "sizes",
            "neargrid pairs: size(pair_j) = 3 is not allowed: it must be size(pair_i) = 2",
        ),
        (
            "missing",
            "neargrid set_cutoff: this search does not exist: call create first",
        ),
        ("copy", "neargrid: a neargrid_search cannot be copied by assignment"),
        ("source", "neargrid: this neargrid_search is a copy"),
        ("source-destroyed", "neargrid: this neargrid_search is a copy"),
        ("source-finalized", "neargrid: this neargrid_search is a copy"),
        ("source-list", "neargrid: this neargrid_list is a copy"),
        ("copy-list", "neargrid: a neargrid_list cannot be copied by assignment"),
        (
            "list",
            "neargrid neighbors: this list has no rows: call take_neighbors first",
        ),
        ("source-formula", "neargrid: this neargrid_formula is a copy"),
        (
            "overwrite",
            "neargrid: a neargrid_search cannot be copied by assignment",
        ),
        ("environment", "NEARGRID_THREADS"),
        ("celllist", "cellList: cutoff = -1 "),
        (
            "celllist-capacity",
            "cellList: maxnpair = 2 is too small: 45 are needed",
        ),
        ("celllist-fit", "cellList: dim = 5 "),
        ("celllist-compact", "cellList_compact: npoints = -3 "),
    ];
    for (mode, words) in expected {
        let mut command = Command::new(&program);
        if mode == "environment" {
            command.env("NEARGRID_THREADS", "several");
        }
        let output = attempt(command.arg(mode));
        let (out, err) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        assert_eq!(output.status.code(), Some(1), "{mode}: {}\n{err}", output.status);
        assert!(out.is_empty(), "{mode} printed or went on: {out}");
        let line = err
            .lines()
            .find(|line| line.trim_start_matches("Fortran ").starts_with("ERROR STOP"))
            .unwrap_or_default();
        assert!(line.contains(words), "{mode}: \"{words}\" is not in\n{err}");
    }
    assert_eq!(run(Command::new(&program).arg("nothing")), "went on\n");
}

/// The example prints a list that is one: numbered, ordered, as long as it says.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn find_pairs() {
    let source = "examples/fortran/find_pairs.f90";
    for (variant, more, link) in [
        ("find_pairs", &[][..], Link::Shared),
        ("find_pairs_single", &["-DSINGLEPRECISION"][..], Link::Static),
    ] {
        let flags = [STRICT, more].concat();
        let modules = folder(variant);
        compile_modules(&modules, &flags, &["fortran/celllist_m.F90"]); // this one file is all it needs
        let text = run(&mut Command::new(compile_program(
            &modules,
            &flags,
            source,
            "find_pairs",
            link,
        )));
        let npairs: usize = text.split_whitespace().next().unwrap().parse().unwrap();
        assert!(npairs > 10, "{text}");
        let numbers =
            |line: &str| -> Vec<usize> { line.split_whitespace().map(|word| word.parse().unwrap()).collect() };
        let rows: Vec<_> = text
            .lines()
            .skip(2)
            .filter(|line| !line.contains("..."))
            .map(numbers)
            .collect();
        let order: Vec<_> = rows.iter().map(|row| row[0]).collect();
        assert_eq!(
            order,
            [(1..=5).collect::<Vec<_>>(), (npairs - 4..=npairs).collect()].concat(),
            "{text}"
        );
        assert!(rows.iter().all(|row| row[1] < row[2]), "{text}");
        assert!(rows.windows(2).all(|two| two[0][1..] < two[1][1..]), "{text}");
    }
}

/// The example brings pairs together, loses none, and goes back.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn reorder() {
    let source = "examples/fortran/reorder.f90";
    let text = run(&mut Command::new(compile_program(
        &OBJECTS,
        STRICT,
        source,
        "reorder",
        Link::Shared,
    )));
    let numbers = |line: &str| -> Vec<usize> { line.split_whitespace().filter_map(|word| word.parse().ok()).collect() };
    let lines: Vec<_> = text.lines().map(numbers).collect();
    assert!(
        lines.len() == 3 && lines[0].len() == 2 && lines[0] == lines[2],
        "{text}"
    );
    assert!(lines[0][0] == lines[1][0] && 4 * lines[1][1] < lines[0][1], "{text}");
}

/// The example distinguishes clumps over ten orders of magnitude.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn densities() {
    let source = "examples/fortran/densities.f90";
    let program = compile_program(&OBJECTS, STRICT, source, "densities", Link::Shared);
    let text = run(&mut Command::new(program));
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert_eq!(numbers.len(), 2 + 8, "{text}");
    assert!(numbers[0] > 100.0 && numbers[1] > 1e8 * numbers[0], "{text}");
}

/// The example keeps its list for many steps.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn periodic() {
    let text = run(&mut Command::new(compile_program(
        &OBJECTS,
        STRICT,
        "examples/fortran/periodic.f90",
        "periodic",
        Link::Shared,
    )));
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert!(text.lines().count() == 2 && numbers.len() == 3, "{text}");
    let [steps, lists, pairs] = numbers[..] else {
        unreachable!()
    };
    assert!(
        steps >= 100.0 && lists >= 2.0 && 5.0 * lists < steps && pairs > 1000.0,
        "{text}"
    );
}

/// The example finds with images what a periodic axis finds, and its handle grows no more after the first steps than images do.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn kinds_example() {
    let source = "examples/fortran/kinds.f90";
    let program = compile_program(&OBJECTS, STRICT, source, "kinds_example", Link::Shared);
    let text = run(&mut Command::new(program));
    let words = text.split(|c: char| !c.is_ascii_digit());
    let numbers: Vec<i64> = words.filter_map(|word| word.parse().ok()).collect();
    let [points, images, inner, outer, periodic, early, late, trimmed] = numbers[..] else {
        panic!("{text}");
    };
    assert!(images > 0 && 10 * images < points, "{text}");
    assert!(outer > 0 && inner + outer / 2 == periodic && outer % 2 == 0, "{text}");
    assert!(late < early + early / 10 && 2 * trimmed < late, "{text}");
}

/// Steps of a fluid as a text: its energy falls as theory says, and its density stays.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn sph_step() {
    let source = "examples/fortran/sph_step.f90";
    let program = compile_program(&OBJECTS, STRICT, source, "sph_step", Link::Shared);
    let text = run(&mut Command::new(program));
    let numbers = |line: &str| -> Vec<f64> { line.split_whitespace().filter_map(|word| word.parse().ok()).collect() };
    let rows: Vec<_> = text.lines().skip(1).take(10).map(numbers).collect();
    assert!(rows.iter().all(|row| row.len() == 4), "{text}");
    assert!(rows.windows(2).all(|two| two[0][0] < two[1][0]), "{text}");
    for row in &rows {
        let (energy, exact, off) = (row[1], row[2], row[3]);
        assert!((energy - exact).abs() < 0.02 && 0.0 < off && off < 0.02, "{text}");
    }
    assert!(rows[0][1] > 0.8 && rows[9][1] < 0.4, "{text}");
    assert!(text.contains("; 3: neighbors: acc; 4: numbers: dt time;"), "{text}");
}

/// Leaks and stray reads, in the part of `make test-all`.
#[test]
#[ignore = "takes minutes: make test-all"]
fn slow_valgrind() {
    for name in [
        "api",
        "data",
        "dropin",
        "kinds",
        "ids",
        "exclusions",
        "knn",
        "fof",
        "formula",
        "radii",
        "legacy",
        "skin",
        "chunks",
        "lists",
        "systems",
        "cell",
        "strides",
    ] {
        let source = format!("tests/fortran/{name}.f90");
        let program = compile_program(&OBJECTS, STRICT, &source, &format!("{name}_valgrind"), Link::Shared);
        expect_verdict(
            Command::new("valgrind")
                .args([
                    "--quiet",
                    "--leak-check=full",
                    "--errors-for-leak-kinds=definite,indirect",
                    "--show-leak-kinds=definite,indirect",
                ])
                .arg("--error-exitcode=9")
                .arg(program),
        );
    }
}
