//! The mixed recursive logit: coefficients that differ from traveller to traveller, by simulated maximum likelihood.
//!
//! It uses `uncertainty` and the modules before it. Begin with `mixed_logit.rs`; `draws.rs` makes the draws,
//! `travellers.rs` groups the demonstrations, and `mixed_likelihood.rs` has the likelihood and its gradient.

mod draws;
mod mixed_fit;
mod mixed_likelihood;
mod mixed_logit;
mod random_coefficient;
mod travellers;

pub use draws::Sharing;
pub use mixed_fit::MixedFit;
pub use mixed_likelihood::MixedLikelihood;
pub use mixed_logit::MixedLogit;
pub use random_coefficient::{Distribution, RandomCoefficient};
