//! The distribution over paths: the path set, the weight of each path, log Z, marginals, and the likelihood of
//! demonstrations.
//!
//! It uses `engine` and the modules before it. Begin with `path_model.rs`, the description of a model that every
//! query takes; `likelihood.rs` is the objective of learning.

pub(crate) mod border;
pub(crate) mod causal_likelihood;
pub(crate) mod chance;
pub(crate) mod distribution;
pub(crate) mod ends;
pub(crate) mod flow_elasticities;
pub(crate) mod given;
pub(crate) mod likelihood;
pub(crate) mod marginal_kind;
pub(crate) mod marginals;
pub(crate) mod options;
pub(crate) mod partition;
pub(crate) mod path_model;
pub(crate) mod route_choice;
pub(crate) mod route_flows;
pub(crate) mod route_lengths;
pub(crate) mod route_sums;
pub(crate) mod solver;

pub use causal_likelihood::{CausalEvaluation, CausalLikelihood, CausalObjective};
pub use chance::Chance;
pub use distribution::PathDistribution;
pub use ends::Ends;
pub use flow_elasticities::{FlowElasticities, flow_elasticities};
pub use given::Given;
pub use likelihood::{Evaluation, Likelihood};
pub use marginal_kind::MarginalKind;
pub use marginals::Marginals;
pub use options::Options;
pub use partition::Partition;
pub use path_model::PathModel;
pub use route_choice::RouteChoice;
pub use route_flows::route_flows;
pub use route_lengths::RouteLengths;
pub use route_sums::RouteSums;
