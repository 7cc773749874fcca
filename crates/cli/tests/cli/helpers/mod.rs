//! What the tests share: a directory to run the command in, a run in the background, small problems, and numbers.

pub mod chain;
pub mod fixtures;
mod json;
pub mod network;
mod place;
mod running;
pub mod slow_roads;
mod snapshot;

pub use self::json::{close, keys, lines, number, numbers};
pub use self::place::{Place, REVEALED, Ran, files_in};
pub use self::running::{HANGS, Running};
pub use self::snapshot::same_as_snapshot;
