//! The core against the slow obvious versions of itself, against closed forms, and against what must hold of any
//! answer.
//!
//! Modules stand in the order of the rooms. The table in `lib.rs` names the test of each equation as `module::test`.

mod helpers;

mod equation_index;
mod layers;

// The slow obvious versions.
mod oracles;
mod random_worlds;
mod worked_example;

// What must not change, and what must.
mod metamorphic;

// engine, model
mod claims;
mod engine;
mod errata;
mod given;
mod laws;
mod marginals;
mod partition;

// every room
mod cancelling;

// partial
mod completions;
mod partial;
mod partial_causal;
mod partial_coverage;

// routes
mod best_paths;
mod different_paths;
mod itineraries;
mod path_queries;
mod routes;

// questions
mod destinations;
mod lengths;
mod samples;
mod scores;
mod spread;

// any_length
mod flow_elasticities;
mod route_choice;

// planning, policies
mod metrics;
mod planning;
mod policies;
mod policy_gaps;

// history
mod histories;
mod histories_learned;

// baselines
mod any_length;
mod baseline_fits;
mod baselines;
mod causal;
mod causal_any_length;
mod causal_counterfactual;
mod causal_fits;
mod imitation;

// learning
mod cross_validation;
mod learning;
mod many_worlds;
mod relative_entropy;

// uncertainty
mod comparison;
mod coverage;
mod route_scores;
mod route_uncertainty;
mod uncertainty;
mod mixed;
mod nested;
mod trips;
mod unidentified;

// counterfactual
mod counterfactual;
mod counterfactual_coverage;

// model_free
mod model_free;
mod sample_fits;
