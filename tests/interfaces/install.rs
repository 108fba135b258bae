//! Installs into a fresh prefix, moves the prefix away, and lets foreign projects use it.
//!
//! The projects of tests/interfaces/consumer/ are copied out of the tree first and get nothing but the place of the installation;
//! each compares the library with a double loop of its own.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::consumer::{
    INSTALLED, SOURCE, VERSION, assert_agree, attempt, files_below, gfortran_major, make_install, needs_shared, run,
    soname, stage, target, tool, with_cargo,
};
use crate::fortran::sources;

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn the_installed_tree_is_complete_and_has_nothing_else() {
    let modules = format!("include/neargrid/gfortran-{}", gfortran_major());
    let mut expected: BTreeSet<String> = [
        "include/neargrid.h",
        "include/celllist.h",
        "include/neargrid.hpp",
        "include/neargrid_celllist.h",
        "include/neargrid_sum.h",
        "lib/libneargrid.a",
        "lib/libneargrid.so",
        &format!("lib/{}", soname()),
        &format!("lib/libneargrid.so.{VERSION}"),
        "lib/libneargrid_fortran.a",
        "lib/pkgconfig/neargrid.pc",
        "lib/pkgconfig/neargrid-fortran.pc",
        "lib/cmake/neargrid/neargrid-config.cmake",
        "lib/cmake/neargrid/neargrid-config-version.cmake",
        "share/neargrid/fortran/sources.txt",
        "share/neargrid/mpi/neargrid_comm_mpi.c",
        "share/neargrid/mpi/neargrid_comm_mpi.h",
        "share/neargrid/mpi/neargrid_mpi.f90",
        "share/doc/neargrid/LICENSE-MIT",
        "share/doc/neargrid/LICENSE-APACHE",
    ]
    .map(str::to_owned)
    .into();
    for source in sources(SOURCE, "fortran/sources.txt") {
        let text = fs::read_to_string(Path::new(SOURCE).join(&source)).unwrap();
        if text.lines().any(|line| line.starts_with("module ")) {
            // a submodule's file is for compiling, not for using
            let module = Path::new(&source).with_extension("mod");
            expected.insert(format!("{modules}/{}", module.file_name().unwrap().display()));
        }
        expected.insert(format!("share/neargrid/{source}"));
    }
    expected.extend(documents().into_iter().map(|name| format!("share/doc/neargrid/{name}")));
    assert_eq!(files_below(&INSTALLED.prefix), expected);
}

/// Pages, pictures and examples of the source tree that are installed.
fn documents() -> BTreeSet<String> {
    let top = ["README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
    let below = |folder: &'static str| {
        let files = files_below(&Path::new(SOURCE).join(folder));
        files.into_iter().map(move |name| format!("{folder}/{name}"))
    };
    let is_document = |name: &String| [".md", ".png", ".svg"].iter().any(|end| name.ends_with(end));
    let examples = below("examples").chain(below("mpi/examples"));
    top.map(str::to_owned)
        .into_iter()
        .chain(below("docs").filter(is_document))
        .chain(examples)
        .collect()
}

/// Links of the pages for users lead to pages and examples that are installed.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn installed_pages_link_to_what_is_installed() {
    let root = INSTALLED.prefix.join("share/doc/neargrid");
    let is_for_users = |name: &&String| {
        name.ends_with(".md")
            && !["ARCH", "CONTR", "docs/adr", "docs/design", "docs/lab", "docs/proofs"]
                .iter()
                .any(|start| name.starts_with(start))
    };
    let mut links = 0;
    for name in documents().iter().filter(is_for_users) {
        let page = root.join(name);
        for link in fs::read_to_string(&page).unwrap().split("](").skip(1) {
            let link = link.split([')', '#', ' ']).next().unwrap();
            // what doxygen, FORD and rustdoc write is in the site alone
            if link.is_empty() || link.contains("://") || link.ends_with(".html") {
                continue;
            }
            let target = page.with_file_name(link);
            assert!(target.exists(), "{name}: {link}");
            links += 1;
        }
    }
    assert!(links > 100, "{links}");
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn destdir_goes_before_the_prefix() {
    let stage = INSTALLED.root.join("stage");
    make_install(Path::new("/opt/neargrid"), Some(&stage), "build-destdir");
    let staged = files_below(&stage.join("opt/neargrid"));
    assert_eq!(staged, files_below(&INSTALLED.prefix));
    assert_eq!(staged.len(), files_below(&stage).len());
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn the_shared_library_carries_its_abi_name() {
    let lib = INSTALLED.prefix.join("lib");
    let dynamic = run(Command::new("readelf").arg("-dW").arg(lib.join("libneargrid.so")));
    let name = dynamic.lines().find(|line| line.contains("(SONAME)"));
    let name = name.expect("no SONAME");
    assert!(name.contains(&format!("[{}]", soname())), "{name}");
    // Helper threads outlive dlclose, however the library was built.
    assert!(dynamic.contains("NODELETE"), "{dynamic}");
    // A C program must not need the Fortran run time.
    assert!(!dynamic.contains("gfortran"), "{dynamic}");
    assert_eq!(fs::read_link(lib.join("libneargrid.so")).unwrap(), Path::new(&soname()));
    assert_eq!(
        fs::read_link(lib.join(soname())).unwrap(),
        PathBuf::from(format!("libneargrid.so.{VERSION}"))
    );
}

/// A GPU's library is opened when one is wanted, so that the same file runs on machines that have none.
#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn the_shared_library_needs_the_c_library_only() {
    let library = INSTALLED.prefix.join("lib/libneargrid.so");
    let dynamic = run(Command::new("readelf").arg("-dW").arg(&library));
    let needed: Vec<&str> = dynamic
        .lines()
        .filter(|line| line.contains("(NEEDED)"))
        .map(|line| line.split(['[', '.']).nth(1).unwrap())
        .collect();
    assert!(needed.contains(&"libc"), "{dynamic}");
    for name in needed {
        let system = ["libc", "libm", "libgcc_s", "libdl", "libpthread", "librt", "libutil"];
        assert!(
            system.contains(&name) || name.starts_with("ld-linux"),
            "{name}:\n{dynamic}"
        );
    }
    let loader = b"libvulkan.so";
    let bytes = fs::read(library).unwrap();
    assert!(
        bytes.windows(loader.len()).any(|part| part == loader),
        "installed without the GPU backend"
    );
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn the_installed_library_exports_the_listed_symbols() {
    let list = fs::read_to_string(Path::new(SOURCE).join("tests/abi/symbols.txt")).unwrap();
    let listed: BTreeSet<&str> = list
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let text = run(Command::new("nm")
        .args(["-D", "--defined-only", "--format=posix"])
        .arg(INSTALLED.prefix.join("lib/libneargrid.so")));
    let exported: BTreeSet<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(exported, listed);
}

/// Builds and runs the pkg-config project against an installation.
fn use_pkg_config(prefix: &Path, link: &str, variant: &str, fortran: bool) {
    let dir = stage("pkg_config", variant);
    let mut goals = vec![("run_c", "handle_c", ["handle.c", "dropin.c"])];
    if fortran {
        goals.push(("run_fortran", "handle_f", ["handle.f90", "dropin.f90"]));
    }
    for (goal, program, sources) in goals {
        let text = run(Command::new("make")
            .current_dir(&dir)
            .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))
            .args([goal, &format!("LINK={link}")]));
        assert_agree(&text, &sources);
        assert_eq!(needs_shared(&dir.join(program)), link == "shared");
    }
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn pkg_config_finds_the_shared_library() {
    use_pkg_config(&INSTALLED.prefix, "shared", "shared", true);
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn pkg_config_finds_the_static_library() {
    use_pkg_config(&INSTALLED.prefix, "static", "static", true);
}

/// Configures, builds and runs a CMake project; `link` sets BUILD_SHARED_LIBS.
fn use_cmake(project: &str, link: &str, define: &[String]) {
    let dir = stage(project, link);
    let shared = link == "shared";
    let mut configure = Command::new("cmake");
    configure
        .current_dir(&dir)
        .args(["-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Release"])
        .args(define);
    if !shared {
        configure.arg("-DBUILD_SHARED_LIBS=OFF");
    }
    run(with_cargo(&mut configure));
    run(Command::new("cmake").current_dir(&dir).args(["--build", "build"]));
    for (program, source) in [
        ("handle_c", "handle.c"),
        ("dropin_c", "dropin.c"),
        ("handle_f", "handle.f90"),
        ("dropin_f", "dropin.f90"),
    ] {
        let path = dir.join("build").join(program);
        assert_agree(&run(&mut Command::new(&path)), &[source]);
        assert_eq!(needs_shared(&path), shared, "{program}");
    }
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn find_package_gives_the_shared_library() {
    let place = format!("-DCMAKE_PREFIX_PATH={}", INSTALLED.prefix.display());
    use_cmake("find_package", "shared", &[place]);
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn find_package_gives_the_static_library() {
    let place = format!("-DCMAKE_PREFIX_PATH={}", INSTALLED.prefix.display());
    use_cmake("find_package", "static", &[place]);
}

/// The whole project inside another one.
fn use_add_subdirectory(link: &str) {
    let define = [
        format!("-DNEARGRID_SOURCE={SOURCE}"),
        format!("-DNEARGRID_CARGO_TARGET_DIR={}", target().display()),
    ];
    use_cmake("add_subdirectory", link, &define);
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn add_subdirectory_builds_and_links_the_shared_library() {
    use_add_subdirectory("shared");
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn add_subdirectory_builds_and_links_the_static_library() {
    use_add_subdirectory("static");
}

/// A clone built by CMake alone. Cargo's target folder is this run's, to compile once.
#[test]
#[ignore = "takes minutes: make test-all"]
fn slow_ctest_runs_programs_against_a_plain_build() {
    let build = INSTALLED.root.join("ctest");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    run(Command::new("cmake")
        .args(["-S", SOURCE, "-B"])
        .arg(&build)
        .arg(format!("-DNEARGRID_CARGO_TARGET_DIR={}", target.display())));
    run(Command::new("cmake").arg("--build").arg(&build));
    let text = run(Command::new("ctest").current_dir(&build).arg("--output-on-failure"));
    assert!(text.contains("100% tests passed, 0 tests failed out of 4"), "{text}");
}

/// The answer of find_package to a project that only asks: whether it found, and its words.
fn ask_find_package(name: &str, ask: &str) -> (bool, String) {
    let dir = INSTALLED.root.join(name);
    fs::create_dir_all(&dir).unwrap();
    let project = format!("cmake_minimum_required(VERSION 3.18)\nproject(ask LANGUAGES C)\n{ask}\n");
    fs::write(dir.join("CMakeLists.txt"), project).unwrap();
    attempt(
        Command::new("cmake")
            .current_dir(&dir)
            .args(["-S", ".", "-B", "build"])
            .arg(format!("-DCMAKE_PREFIX_PATH={}", INSTALLED.prefix.display())),
    )
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn find_package_refuses_another_minor_version() {
    let mut parts = VERSION.split('.').map(|part| part.parse::<u32>().unwrap());
    let (major, minor) = (parts.next().unwrap(), parts.next().unwrap());
    let mut versions: Vec<_> = (0..=minor + 1).map(|k| (format!("{major}.{k}"), k == minor)).collect();
    versions.extend([(VERSION.to_owned(), true), (format!("{}.{minor}", major + 1), false)]);
    for (wanted, found) in versions {
        let ask = format!("find_package(neargrid {wanted} REQUIRED CONFIG)");
        let (ok, text) = ask_find_package("versions", &ask);
        assert_eq!(ok, found, "version {wanted}:\n{text}");
    }
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn find_package_refuses_modules_of_another_compiler() {
    for (id, version, found) in [
        ("GNU", format!("{}.9.9", gfortran_major()), true),
        ("GNU", "4.8.5".to_owned(), false),
        ("Intel", format!("{}.9.9", gfortran_major()), false),
    ] {
        let ask = format!(
            "set(CMAKE_Fortran_COMPILER_ID {id})\nset(CMAKE_Fortran_COMPILER_VERSION {version})\n\
             find_package(neargrid REQUIRED COMPONENTS Fortran)"
        );
        let (ok, text) = ask_find_package("compilers", &ask);
        assert_eq!(ok, found, "{id} {version}:\n{text}");
        assert_eq!(text.contains("share/neargrid/fortran"), !found, "{text}");
    }
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn fpm_compiles_the_modules_and_links_the_installed_library() {
    let dir = stage("fpm", "path");
    let package = dir.join("neargrid");
    fs::create_dir_all(&package).unwrap();
    for part in ["fpm.toml", "fortran"] {
        let part = Path::new(SOURCE).join(part);
        run(Command::new("cp").arg("-r").arg(part).arg(&package));
    }
    let lib = INSTALLED.prefix.join("lib");
    let lib = lib.display();
    for (program, source) in [
        ("handle", "handle.f90"),
        ("dropin", "dropin.f90"),
        ("external", "external.f"),
    ] {
        let text = run(Command::new(tool("python/bin/fpm"))
            .current_dir(&dir)
            .env("FPM_LDFLAGS", format!("-L{lib} -Wl,-rpath,{lib}"))
            .args(["run", program]));
        assert_agree(&text, &[source]);
    }
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn an_old_makefile_compiles_the_installed_sources() {
    let dir = stage("makefile", "sources");
    let text = run(Command::new("make")
        .current_dir(&dir)
        .arg(format!("PREFIX={}", INSTALLED.prefix.display())));
    assert_agree(&text, &["handle.f90", "dropin.f90", "external.f"]);
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn the_recorded_native_libraries_are_rustcs() {
    // An archive around the library that cargo built for this test: rustc names what all of it needs.
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::write(dir.path().join("around.rs"), "extern crate neargrid;\n").unwrap();
    let built = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let rustc =
        std::env::var_os("RUSTC").map_or_else(|| Path::new(env!("CARGO")).with_file_name("rustc"), PathBuf::from);
    let text = run(Command::new(rustc)
        .current_dir(dir.path())
        .args(["--crate-type=staticlib", "--print=native-static-libs", "around.rs"])
        .arg("--extern")
        .arg(format!("neargrid={}", built.join("libneargrid.rlib").display()))
        .arg("-L")
        .arg(format!("dependency={}", built.display())));
    let said = text
        .lines()
        .find_map(|line| line.split("native-static-libs:").nth(1))
        .unwrap_or_else(|| panic!("rustc named no native libraries:\n{text}"));
    // Crates name the same library again; the linker needs each once, as late as it is named.
    let mut libs = Vec::new();
    for lib in said.split_whitespace().map(|lib| lib.trim_start_matches("-l")) {
        libs.retain(|&earlier| earlier != lib);
        libs.push(lib);
    }
    let recorded = fs::read_to_string(Path::new(SOURCE).join("cmake/native-libs.txt")).unwrap();
    assert_eq!(recorded.split_whitespace().collect::<Vec<_>>(), libs);
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn valgrind_finds_neither_errors_nor_leaks() {
    let dir = stage("pkg_config", "valgrind");
    run(Command::new("make")
        .current_dir(&dir)
        .env("PKG_CONFIG_PATH", INSTALLED.prefix.join("lib/pkgconfig"))
        .args(["handle_c", "dropin_c", "handle_f", "dropin_f"]));
    for program in ["handle_c", "dropin_c", "handle_f", "dropin_f"] {
        // Memory that belongs to the process stays reachable; a Fortran main program leaves its own arrays to the system.
        let leaks = if program.ends_with("_c") { "full" } else { "no" };
        run(Command::new("valgrind")
            .args([
                "--quiet",
                "--error-exitcode=9",
                "--errors-for-leak-kinds=definite,indirect,possible",
            ])
            .arg(format!("--leak-check={leaks}"))
            .arg(dir.join(program)));
    }
}

#[test]
#[ignore = "takes minutes: make test-all"]
fn slow_cargo_c_installs_the_same_c_part() {
    let prefix = INSTALLED.root.join("cargo-c");
    run(Command::new(tool("bin/cargo-cinstall"))
        .current_dir(SOURCE)
        .args(["cinstall", "--locked", "--release", "--libdir=lib"])
        .arg(format!("--prefix={}", prefix.display()))
        .arg("--target-dir")
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cargo-c")));

    let c_part = |root: &Path| -> BTreeSet<String> {
        let fortran_or_cmake = ["fortran", "include/neargrid/", "share/", "lib/cmake/"];
        files_below(root)
            .into_iter()
            .filter(|file| !fortran_or_cmake.iter().any(|part| file.contains(part)))
            .collect()
    };
    assert_eq!(files_below(&prefix), c_part(&INSTALLED.prefix));
    for header in [
        "include/neargrid.h",
        "include/celllist.h",
        "include/neargrid.hpp",
        "include/neargrid_celllist.h",
        "include/neargrid_sum.h",
    ] {
        let [ours, theirs] = [&INSTALLED.prefix, &prefix].map(|it| fs::read(it.join(header)));
        assert_eq!(ours.unwrap(), theirs.unwrap(), "{header}");
    }
    let symbols = |root: &Path| {
        run(Command::new("nm")
            .args(["-D", "--defined-only", "--format=just-symbols"])
            .arg(root.join("lib/libneargrid.so")))
    };
    assert_eq!(symbols(&prefix), symbols(&INSTALLED.prefix));
    for link in ["shared", "static"] {
        use_pkg_config(&prefix, link, &format!("cargo-c-{link}"), false);
    }
}
