//! Lists the shaders for `src/gpu/shader.rs`, names the shared library for the run-time linker, and has it stay loaded.
//!
//! A plain `cargo build` leaves a shared library without a SONAME, so a program would record the
//! path it was linked with and no two versions could live side by side. While the version is 0.y
//! each minor version may change the ABI, hence `libneargrid.so.0.y`; from 1.0 on, the major
//! version alone. cargo-c passes the same argument itself, so here it is left out then.

use std::env::var;
use std::path::Path;
use std::{fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    list_shaders()?;
    // Helper threads live until the process ends, and so must their code: dlclose does not unload the library.
    if let Ok("linux" | "android" | "freebsd" | "netbsd" | "openbsd" | "dragonfly") =
        var("CARGO_CFG_TARGET_OS").as_deref()
    {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
    if std::env::var_os("CARGO_FEATURE_CAPI").is_some() {
        return Ok(());
    }
    let (major, minor) = (package("MAJOR"), package("MINOR"));
    let abi = if major == "0" { format!("0.{minor}") } else { major };
    match var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux" | "freebsd" | "netbsd" | "openbsd" | "dragonfly") => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libneargrid.so.{abi}");
        }
        Ok("macos") => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libneargrid.{abi}.dylib");
        }
        _ => {} // no such name on Windows
    }
    Ok(())
}

/// Writes an array of all shaders: the name by which each is imported, and its source.
fn list_shaders() -> io::Result<()> {
    let mut names = Vec::new();
    for (folder, prefix) in [("shaders", ""), ("shaders/shared", "shared/")] {
        println!("cargo::rerun-if-changed={folder}");
        for entry in fs::read_dir(folder)? {
            let file = entry?.file_name().to_string_lossy().into_owned();
            names.extend(file.strip_suffix(".wgsl").map(|name| format!("{prefix}{name}")));
        }
    }
    names.sort_unstable();
    let source =
        |name| format!("({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/shaders/{name}.wgsl\"))),\n");
    let list: String = names.iter().map(source).collect();
    let out = var("OUT_DIR").unwrap_or_else(|_| panic!("cargo sets OUT_DIR for build scripts"));
    fs::write(Path::new(&out).join("shaders.rs"), format!("&[\n{list}]"))
}

fn package(part: &str) -> String {
    let key = format!("CARGO_PKG_VERSION_{part}");
    var(&key).unwrap_or_else(|_| panic!("cargo sets {key} for build scripts"))
}
