//! Names the shared library for the run-time linker.
//!
//! A plain `cargo build` leaves a shared library without a SONAME, so a program would record the
//! path it was linked with and no two versions could live side by side. While the version is 0.y
//! each minor version may change the ABI, hence `libneargrid.so.0.y`; from 1.0 on, the major
//! version alone. cargo-c passes the same argument itself, so here it is left out then.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_CAPI").is_some() {
        return;
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
}

fn package(part: &str) -> String {
    let key = format!("CARGO_PKG_VERSION_{part}");
    var(&key).unwrap_or_else(|_| panic!("cargo sets {key} for build scripts"))
}
