//! The drop-ins' own symbols, each a single call into `celllist`. They stand apart, in modules that nothing refers to, so
//! that a program which has its own `celllist_` or `cellList` can link the static library: the linker never pulls these
//! objects in. (That is why release builds keep one object per module, see `codegen-units` in Cargo.toml, and why no
//! closure or generic function stands here, which the compiler would put into others' objects. A test links such a
//! program.)

mod c;
mod fortran;
