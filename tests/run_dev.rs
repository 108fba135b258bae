#[path = "common/mod.rs"]
mod common;
mod suite {
    mod run;
}
