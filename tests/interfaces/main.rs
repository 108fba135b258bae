//! The library as C and Fortran programs, build systems and tools meet it. Tests that need compilers or tools are ignored unless
//! they are asked for (`make test-interfaces`).

/// Tests of a program each, which `expect_pass` runs.
macro_rules! programs {
    ($($name:ident: $($argument:expr),+;)*) => {
        $(
            #[test]
            #[ignore = "needs compilers and tools: make test-interfaces"]
            fn $name() {
                expect_pass($($argument),+);
            }
        )*
    };
}

#[path = "../common/c.rs"]
mod c;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/fortran.rs"]
mod fortran;
#[path = "../common/markdown.rs"]
mod markdown;

mod abi;
mod c_api;
mod c_header;
mod concurrency;
mod consumer;
mod dam_break;
mod fortran_api;
mod fused;
mod install;
mod memcheck;
mod python_api;
mod refusals;
mod scale;
mod snippets;
