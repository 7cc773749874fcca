//! The likeliest paths: the k best between two states, and those of thousands of pairs on a prepared network.
//!
//! It uses `model` and the modules before it. Begin with `best_paths.rs` (Viterbi's recursion and Dijkstra's algorithm,
//! then the k best). `prepared.rs` contracts a network for many queries.

pub(crate) mod best_paths;
pub(crate) mod costs;
pub(crate) mod different_paths;
pub(crate) mod itineraries;
pub(crate) mod junctions;
pub(crate) mod prepared;

pub use best_paths::{BestPath, BestPaths, PathQuery, Search, best_paths};
pub use different_paths::different_paths;
pub use itineraries::Itineraries;
pub use prepared::{Route, Routes};
