//! Queries on a model: a reward, and the paths or policies that follow from it.
//!
//! The messages are computed again for every query. This module uses `inputs`, `threads`, `mdp` and
//! `gradients::prepared`. Begin with `path_model`.

pub mod path_model;
pub mod routes;
