//! What the tests of files share.

mod archive;
mod place;
mod problem;

pub use archive::{archive, arrays, arrays_with, float64, int64, npy, scalar};
pub use place::{Place, message};
pub use problem::{columns, document};
