//! Learning: the search for θ, its standard errors, cross-validation, the comparison of models, and model files.
//!
//! This module uses `inputs`, `threads`, `mdp` and the file formats. Begin with `fit`.

pub mod comparison;
pub mod counterfactual;
pub mod cross_validation;
pub mod fit;
pub mod history;
pub mod mixed;
pub mod model_file;
pub mod nested;
pub mod partial;
pub mod parts;
pub mod report;
pub mod samples;
pub mod summary;
pub mod table;
