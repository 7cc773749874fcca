//! The inputs from Python: columns of numpy, and options by name.
//!
//! The Python side has checked and converted it, so this module only translates. Of the other modules of the binding it
//! uses only the errors. Begin with `arrays`.

pub mod arrays;
pub mod options;
