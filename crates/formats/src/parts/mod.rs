//! Questions to parts of the evidence and their answers, as lines of JSON between processes, and lists of worlds.
//!
//! It uses `files`. Begin with `manifest.rs`, the list of worlds and demonstrations; `messages.rs` has the lines.

mod manifest;
mod messages;

pub use manifest::{WorldFiles, load_manifest, save_manifest};
pub use messages::{answer_line, answer_of_line, question_line, question_of_line};
