//! Demonstrations that were seen in part: their likelihood, and what is known of the rest.
//!
//! A demonstration is evidence. Its likelihood is a ratio of two sums: over the paths that agree with what was seen, and
//! over all paths. The second is that of `model`. The first is a pass of the same recursion that is clamped to what was
//! seen: it runs over the states and times that agree.
//!
//! It uses `model` and the modules before it. Begin with `split.rs`, which cuts demonstrations where a state was seen
//! without doubt. `trellis.rs` has the graph of a hidden stretch, and `sweep.rs` the two passes over it.

mod amount;
mod causal_partial;
mod completion;
mod deeds;
mod hidden;
mod needed;
mod open;
mod partial_likelihood;
mod passage;
mod passage_paths;
mod prices;
mod sights;
mod split;
mod summary;
mod sweep;
mod trellis;
mod trellis_paths;
mod visits;

pub use causal_partial::CausalPartialLikelihood;
pub use completion::{Completed, Completion, StepPosterior};
pub use partial_likelihood::PartialLikelihood;
pub(crate) use summary::Summary;
