//! The engine works on its own threads, so that Python's other threads go on, Ctrl-C is noticed, and a fork is
//! survived.
//!
//! This room runs any work, and passes the steps of a search or a count on to a callback of Python. It touches no other
//! room of the binding. Begin with `run`.

pub mod pools;
pub mod progress;
pub mod run;
