//! Road networks.
//!
//! Map matching of trips. It uses `inputs`, `threads` and the errors. Begin with `matching`.

pub mod matching;
