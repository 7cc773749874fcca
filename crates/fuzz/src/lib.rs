//! Fuzzing: every reader of files with inputs that nobody would write, and the fast algorithms against slow and obvious
//! ones on problems that nobody would choose.
//!
//! A [`Target`] takes any bytes. It must not panic, hang, or take much memory, and whatever a reader accepts must
//! survive being written and read again. Two drivers run the same targets:
//!
//! - on stable Rust, [`drive`] mutates seeds, and keeps what led to a new answer. `tests/minute.rs` runs it for a while
//!   on every target; `cargo run --release -p revealed-fuzz` runs it for as long as you like.
//! - on nightly Rust, `cargo fuzz run TARGET` in `fuzz/` is guided by coverage.
//!
//! Inputs that once found a fault are kept in `fuzz/corpus/TARGET`, and both drivers begin with them.

mod bytes;
mod containers;
mod differential;
mod driver;
mod maps;
mod mutation;
mod readers;
mod scratch;
mod seeds;
mod target;

pub use self::driver::{Drive, Finding, Tally, drive};
pub use self::mutation::Mutator;
pub use self::scratch::Scratch;
pub use self::target::{TARGETS, Target, target};
