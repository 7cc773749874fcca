//! The engine runs on the binding's own threads. So Python's other threads continue, Ctrl-C is noticed, and the engine
//! still works after a fork.
//!
//! This module runs any work. It reports the steps of a search, or the progress of a count, to a callback of Python. It
//! uses no other module of the binding. Begin with `run`.

pub mod pools;
pub mod progress;
pub mod run;
