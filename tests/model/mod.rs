//! A model of the handle, and what runs random sequences of calls on both: for the test of that name and for the fuzzer.

pub mod call;
mod carried;
pub mod draw;
pub mod generate;
pub mod interpret;
mod memory;
mod model;
#[path = "../common/order.rs"]
mod order;
mod pairs;
pub mod print;
#[allow(dead_code)] // the fuzzer has one handle
pub mod ranks;
mod runs;
pub mod shrink;
mod solved;
mod sums;
pub mod trace;
pub mod truth;
