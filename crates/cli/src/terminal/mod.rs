//! What the user sees: the answer on stdout; notes, progress, Ctrl-C and failures on stderr.
//! It uses stdout, stderr and signals, but no file and no other module of this crate.
//! Begin with `failure`, which says how a command ends, then `progress_bar` and `interrupt`, which `watched` joins.

pub mod failure;
pub mod grid;
pub mod interrupt;
pub mod listing;
pub mod notes;
mod printable;
pub mod progress_bar;
pub mod stdout;
pub mod watched;

pub use self::failure::Failure;
pub use self::stdout::Output;
