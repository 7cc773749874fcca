//! Questions about a model: destinations, lengths, samples, scores, soft values.
//!
//! It touches `routes`, `model` and the rooms below them. Begin with `destinations.rs`; `spread.rs` is the forward pass
//! that most questions share.

pub(crate) mod destinations;
pub(crate) mod lengths;
pub(crate) mod sample;
pub(crate) mod score;
pub(crate) mod soft_values;
pub(crate) mod spread;

pub use destinations::{Destinations, Prior, with_prior};
pub use lengths::{Lengths, lengths};
pub use sample::{sample, sample_first};
pub use score::{Aspect, Event, Factor, Score, ScoreParts, ScoredStep, Surprise, route_scores, scores};
pub use soft_values::soft_values;
pub use spread::Spread;
