//! The arguments that several commands share: their names, and the values that they are parsed to.
//! They may use the modules `terminal` and `files`. The arguments of a single command are in the file of that command.
//! Begin with `problem`, then `path_set` and `asked_paths`; `choice` turns an enum of the core into an option.

pub mod asked_paths;
pub mod bounds;
pub mod choice;
pub mod ends;
pub mod errors;
pub mod feature;
pub mod fitted_paths;
pub mod history;
pub mod horizon;
pub mod inference;
pub mod level;
pub mod memory;
pub mod path_set;
pub mod policy;
pub mod prefix;
pub mod problem;
pub mod reward;
pub mod scenario;
pub mod search;
pub mod states;
pub mod work;
