//! The inputs from Python: columns of numpy, and options by name.
//!
//! The Python side has checked and converted it, so this room only translates; it touches no other room of the binding
//! but the errors. Begin with `arrays`.

pub mod arrays;
pub mod options;
