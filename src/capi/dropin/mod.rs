//! The drop-ins' own symbols. They stand apart, in modules that nothing else refers to, so that a program which has its
//! own `celllist_` or `cellList` can link the static library: the linker never pulls these objects in. (That is why
//! release builds keep one object per module, see `codegen-units` in Cargo.toml; a test links such a program.)

mod c;
mod fortran;
