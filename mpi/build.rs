//! Compiles the shim with the site's mpicc, and links what it and the core need.
//!
//! in: `MPICC` (mpicc by default), and the folder of libneargrid.so: `NEARGRID_LIB_DIR`, or where cargo builds this. Only the
//! linker needs that library: cargo check and clippy work before it is built. `NEARGRID_MPI_PIECE`: the most bytes of one message,
//! for tests. Without the feature `mpi` nothing is needed.

#[cfg(feature = "mpi")]
mod site {
    use std::env::var;
    use std::path::PathBuf;
    use std::process::Command;

    pub fn build() {
        for name in ["MPICC", "NEARGRID_LIB_DIR", "NEARGRID_MPI_PIECE"] {
            println!("cargo::rerun-if-env-changed={name}");
        }
        println!("cargo::rerun-if-changed=shim/shim.c");
        let mpicc = var("MPICC").unwrap_or_else(|_| "mpicc".to_owned());
        let wanted = link_words(&mpicc);
        let mut build = cc::Build::new();
        build
            .compiler(&mpicc)
            .file("shim/shim.c")
            .std("c99")
            .extra_warnings(true)
            .flag_if_supported("-Wno-stringop-overflow"); // MPICH's MPI_STATUSES_IGNORE has no elements, and gcc says so
        if let Ok(bytes) = var("NEARGRID_MPI_PIECE") {
            build.define("SHIM_PIECE", bytes.as_str());
        }
        build.compile("neargrid_mpi_shim");
        link(&format!("-Wl,-soname,libneargrid_mpi.so.{}", abi()));
        link("-Wl,-z,defs");
        link("-Wl,-z,nodelete"); // helper threads live until the process ends, and so must their code
        // beside it lies the core: a program that names this folder alone, and needs nothing of the core's, starts too
        link("-Wl,-rpath,$ORIGIN");
        link(&format!("-L{}", core().display()));
        link("-lneargrid");
        wanted.iter().for_each(|word| link(word));
    }

    fn link(word: &str) {
        println!("cargo::rustc-cdylib-link-arg={word}");
    }

    /// The part of the version that names the ABI, as in the core's build.rs.
    fn abi() -> String {
        let package = |part| var(format!("CARGO_PKG_VERSION_{part}")).expect("cargo sets it for build scripts");
        let (major, minor) = (package("MAJOR"), package("MINOR"));
        if major == "0" { format!("0.{minor}") } else { major }
    }

    /// The flags that mpicc gives the linker, by its own account: both Open MPI and MPICH, and what derives from them, know `-show`.
    fn link_words(mpicc: &str) -> Vec<String> {
        let output = Command::new(mpicc)
            .arg("-show")
            .output()
            .unwrap_or_else(|error| panic!("{mpicc}: {error}; set MPICC to the site's MPI compiler"));
        assert!(output.status.success(), "{mpicc} -show: {}", output.status);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let is_linkers = |word: &&str| ["-L", "-l", "-Wl,"].iter().any(|start| word.starts_with(start));
        text.split_whitespace().filter(is_linkers).map(str::to_owned).collect()
    }

    /// The folder of libneargrid.so, which need not be there yet.
    fn core() -> PathBuf {
        var("NEARGRID_LIB_DIR").map(PathBuf::from).unwrap_or_else(|_| {
            let out = PathBuf::from(var("OUT_DIR").expect("cargo sets OUT_DIR"));
            out.ancestors().nth(3).expect("OUT_DIR lies deep").to_owned()
        })
    }
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "mpi")]
    site::build();
}
