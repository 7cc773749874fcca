//! The files that commands write and check: the output, pictures, the checkpoint of a search, and the model that was
//! loaded.
//! It uses the file system and the module `terminal`.
//! Begin with `output_file`, which every command that writes something asks first.

pub mod checkpoint;
pub mod model;
pub mod output_file;
pub mod picture;
pub mod worlds;
