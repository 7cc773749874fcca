//! Questions to a model: a reward and the paths or policies that it leads to.
//!
//! The messages are computed again for every question. This room touches `inputs`, `threads`, `mdp` and
//! `gradients::prepared`. Begin with `path_model`.

pub mod causal_model;
pub mod path_model;
pub mod routes;
