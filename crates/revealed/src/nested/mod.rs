//! Recursive logits that are not log-linear: the nested one, whose errors have a scale for each link, and the
//! discounted one.
//!
//! It uses `uncertainty` and the modules before it. Begin with `nested_logit.rs`; `values.rs` solves the Bellman
//! equation of one destination, and `nested_likelihood.rs` has the likelihood and its gradient.

mod nested_fit;
mod nested_likelihood;
mod nested_logit;
mod values;

pub use nested_fit::NestedFit;
pub use nested_likelihood::NestedLikelihood;
pub use nested_logit::NestedLogit;
