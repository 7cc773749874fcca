//! Exact maximum-entropy inverse reinforcement learning.
//!
//! Given demonstrations and a model of the world (an [`Mdp`] with [`Features`]), [`MaxEnt`] learns the reward that
//! explains the demonstrations. [`PathDistribution`] is the distribution over paths that a reward gives: which paths
//! are likely, where they are at each time, and how long they are.
//!
//! A [`PathModel`] answers queries: the [`best_paths`], the posterior over [`Destinations`], the [`lengths`] of
//! paths, a [`sample`] of them, and the [`scores`] of demonstrations. [`Given`] is what is known of a path, and [`Work`]
//! is how the work is done: threads and memory. [`MaxEnt::uncertainty`] gives standard errors, and [`Counterfactual`]
//! says what would change in another world. [`Planning`] finds an optimal policy and [`rollouts`] follows it.
//! [`Recovery`] and [`HeldOut`] measure how good a learned reward is.
//!
//! The crate implements "Revisiting Maximum Entropy Inverse Reinforcement Learning: New Perspectives and Algorithms"
//! (Snoswell, Singh, Ye). Inference is exact for stochastic and discounted MDPs, with features of states, of
//! state-action pairs and of transitions. Demonstrations may differ in length. The time is linear in the length of the
//! longest one.
//!
//! ```
//! use revealed::{Demonstrations, Ends, Features, MaxEnt, MdpBuilder, Options, Trajectory};
//!
//! // A fork: from 0 to 1 (home) or to 2 (work).
//! let mut builder = MdpBuilder::new(3, 2);
//! builder.start(0, 1.0).terminal(1).terminal(2);
//! builder.transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
//! let mdp = builder.build()?;
//! let features = Features::one_hot(&mdp);
//!
//! // Three go to work, one goes home.
//! let path = |action, to| Trajectory::new(vec![0, to], vec![action]);
//! let demos = Demonstrations::new(&mdp, &[path(1, 2), path(1, 2), path(1, 2), path(0, 1)])?;
//!
//! let options = Options { ends: Ends::Terminal, ..Options::default() };
//! let fit = MaxEnt { options, ..MaxEnt::default() }.fit(&mdp, &features, &demos)?;
//! // The reward of work is log 3 above that of home.
//! assert!((fit.theta[2] - fit.theta[1] - 3f64.ln()).abs() < 1e-6);
//! # Ok::<(), revealed::Error>(())
//! ```
//!
//! # From a demonstration to θ, in four files
//!
//! `learning/maxent.rs` ([`MaxEnt::fit`]: the search) → `model/likelihood.rs` ([`Likelihood::evaluate`]: ℓ and ∇ℓ) →
//! `engine/inference.rs` (both passes) → `engine/messages.rs` (one step of each pass: the kernel). [`Method`] replaces
//! the last three: `baselines/ziebart.rs`, or `model/causal_likelihood.rs` for the causal model.
//!
//! # Where each equation is
//!
//! | in the paper | here | tested by |
//! |---|---|---|
//! | eq:maxent-dist | [`PathDistribution::log_prob`] | `laws::samples_follow_the_distribution` |
//! | eq:log-likelihood | [`Likelihood::evaluate`] | `engine::log_likelihood_is_the_mean_of_log_p` |
//! | eq:kl (one model for MaxEnt and Relative Entropy IRL) | [`Mdp::reference`] | `engine::*` |
//! | eq:kl, learned | [`MaxEnt::fit`] with [`MdpBuilder::reference`] | `relative_entropy::*` |
//! | Boularias 2011, Eq. 8, and its MaxEnt variant | [`Samples::evaluate`], [`ModelFree::fit`] | `model_free::*` |
//! | eq:s-grad, eq:sa-grad, eq:sas-grad | [`Features::expectation`] | `engine::gradient_equals_*` |
//! | the same, with a discount | [`Features::expectation`] | `errata::gradients_need_the_discount` |
//! | eq:alpha-basecase, eq:alpha-recurrence | `messages::Forward` | `worked_example::forward_message`, `engine::*` |
//! | eq:beta-basecase, eq:beta-recurrence | `oracle::beta_quadratic` | `worked_example::backward_messages_*` |
//! | eq:partition-variablelength | [`PathDistribution::log_partition`] | `worked_example::partition`, `engine::*` |
//! | eq:s-marginals, eq:sa-marginals, eq:sas-marginals | [`PathDistribution::marginals`] | `engine::engine_algorithm_1_*` |
//! | the same, by kind, and summed over t | [`PathDistribution::visits`] | `marginals::*` |
//! | eq:beta-basecase-padded | `oracle::beta_padded` | `worked_example::padded_backward_message` |
//! | eq:beta-recurrence-padded | `messages::Backward` | `worked_example::padded_backward_message` |
//! | eq:s-marginals-padded and the two after it | `messages::Forward` | `engine::*` |
//! | alg:maxent-irl | `oracle::algorithm1` | `oracles::all_three_agree` |
//! | alg:maxent-irl-padded | [`MaxEnt::fit`]; literally, `oracle::padded` | `oracles::all_three_agree` |
//! | thm:zb08 and the proposition after it | [`Ziebart::visits`] | `baselines::the_appendix_*` |
//! | tab:padded-s-rewards (wrong as printed) | `oracle::padded` | `errata::terminal_states_keep_their_reward` |
//! | sec:me-inference, arg max over paths | [`best_paths`] | `best_paths::the_ith_best_path_is_*` |
//! | sec:me-inference, shortest paths | [`Search::ShortestPath`] | `best_paths::shortest_paths_and_viterbi_agree_*` |
//! | sec:me-inference, shortest paths of many pairs | [`Routes`], [`Itineraries`] | `routes::*` |
//! | sec:me-inference, destinations | [`Destinations::posterior`] | `destinations::posteriors_equal_enumeration` |
//! | the same, as printed | [`Destinations::posterior`] | `destinations::the_printed_ratio_is_wrong` |
//! | sec:me-inference, path lengths | [`lengths`] | `lengths::lengths_equal_enumeration` |
//! | the same, with a prior over destinations | [`Destinations::lengths`] | `lengths::lengths_equal_enumeration` |
//! | eq:alpha-recurrence, from anywhere | [`Spread`] | `spread::*` |
//! | eq:partition-variablelength as a function of R | [`Partition`] | `partition::log_partition_equals_enumeration_*` |
//! | eq:beta-recurrence-padded at t = 1 | [`soft_values`] | `partition::the_value_of_a_state_is_*` |
//! | eq:maxent-dist, by the chain rule | [`scores`] | `scores::every_factor_equals_enumeration` |
//! | eq:maxent-dist, given a first state, a prefix, a last state | [`sample`], [`Given`] | `samples::*` |
//! | eq:log-likelihood, held out | [`CrossValidation::run`] | `cross_validation::every_fold_is_the_fit_*` |
//! | the choices alone, held out (not in the paper) | [`Comparison::run`] | `comparison::*` |
//! | −∇² of eq:log-likelihood (not in the paper) | [`Information`] | `uncertainty::*`, `unidentified::*` |
//! | the same, of any length | [`MaxEnt::uncertainty`] | `uncertainty::*`, `route_uncertainty::*` |
//! | random coefficients (not in the paper) | [`MixedLogit`] | `mixed::*` |
//! | link size and other features of trips (not in the paper) | [`TripWorld`] | `trips::*` |
//! | features of the last states and the next step (not in the paper) | [`HistoryWorld`], [`HistoryModel`] | `histories::*`, `histories_learned::*` |
//! | p_Θ in another world, with errors (not in the paper) | [`Counterfactual`] | `counterfactual::*` |
//! | p_Θ as a non-stationary policy | [`PathDistribution::policy`] | `policies::policies_equal_enumeration` |
//! | when a stationary policy is enough (discussion) | [`PolicyGap`] | `policies::projections_and_divergences_*` |
//! | the same, for executed policies | [`Execution`] | `policies::executions_equal_enumeration` |
//! | ILE (no label) | [`Recovery`] | `metrics::the_largest_inverse_learning_error_of_frozen_lake_*` |
//!
//! Without a model of the world, [`ModelFree`] learns from [`Samples`]: trajectories of a known policy. It needs only
//! their features and the probabilities of that policy.
//!
//! Most users can ignore the lower-level parts: [`Likelihood`] (for your own optimiser), [`Scaled`] (the number type),
//! and the feature `oracle` (enumeration, Algorithm 1 and literal padding, for tests).

// The Rust blocks of the README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

// The modules in reading order. A module may use only the modules above it (tests/revealed/layers.rs).
mod error;
mod watch;
mod cancel;
mod numeric;
mod world;
mod engine;
mod causal;
mod model;
mod partial;
mod trips;
mod routes;
mod questions;
mod planning;
mod policies;
mod history;
mod baselines;
mod learning;
mod uncertainty;
mod nested;
mod mixed;
mod counterfactual;
mod model_free;
pub mod worlds;
#[cfg(feature = "oracle")]
pub mod oracle;

pub use baselines::{Terminals, Ziebart, ZiebartPass, ZiebartVersion};
pub use cancel::Cancel;
pub use counterfactual::{
    Counterfactual, Demand, Elasticity, Fieller, Measured, Outcome, OutcomeChange, Places, Scenario, ScenarioBuilder,
    ThetaCovariance, Trip, WeightRatio,
};
pub use engine::{Horizon, Stop, TAIL};
pub use error::{DemonstrationFault, Error, PartFault, shown};
pub use history::{HistoryModel, HistoryWorld, Window, Windows};
pub use learning::{
    Answer, Asked, Bounds, Census, Cluster, CrossValidation, Evidence, FeatureGap, Fit, Fold, Gram, HeldOut, MaxEnt, Method,
    NullDirection, Part, PartialFit, Parts, Penalty, Point, Question, Scores, Starts, Stopped, Validation, feature_gap,
    null_directions,
};
pub use mixed::{Distribution, MixedFit, MixedLikelihood, MixedLogit, RandomCoefficient, Sharing};
pub use model::{
    CausalEvaluation, CausalLikelihood, CausalObjective, Chance, Ends, Evaluation, FlowElasticities, Given, Likelihood,
    MarginalKind, Marginals, Options, Partition, PathDistribution, PathModel, RouteChoice, RouteLengths, RouteSums,
    flow_elasticities, route_flows,
};
pub use model_free::{Baseline, Estimate, ModelFree, ModelFreeFit, SampleColumns, Samples, Warning, samples_from_rollouts};
pub use nested::{NestedFit, NestedLikelihood, NestedLogit};
pub use numeric::{DEFAULT_MEMORY, MOST_THREADS, Scaled, Threads, Work, parallel};
pub use partial::{CausalPartialLikelihood, Completed, Completion, PartialLikelihood, StepPosterior};
pub use planning::{
    AtTerminal, Paid, Plan, Planning, Policy, Recovery, Values, expected_value_difference, inverse_learning_error, rollouts,
};
pub use policies::{Executed, Execution, PolicyAt, PolicyGap, RolloutMean, StationaryPolicy};
pub use questions::{
    Aspect, Destinations, Event, Factor, Lengths, Prior, Score, ScoreParts, ScoredStep, Spread, Surprise, lengths,
    route_scores, sample, sample_first, scores, soft_values, with_prior,
};
pub use routes::{BestPath, BestPaths, Itineraries, PathQuery, Route, Routes, Search, best_paths, different_paths};
pub use trips::{TripTerms, TripWorld};
pub use uncertainty::{
    COMPARISON_L2, Compared, ComparedFit, ComparedModel, Comparison, ErrorKind, FitStatistics, Information, ModelKind,
    Preference, Standing, Uncertainty, Unidentified, Vuong, WeaklyIdentified, chi_squared_tail,
};
pub use watch::{Progress, Step, ValidationProgress, Watch};
pub use world::{
    Demonstrations, Features, FeaturesBuilder, Mdp, MdpBuilder, Occupancy, PartialDemonstration, PartialDemonstrations,
    PartialTrajectory, PlaceSums, Reward, SeenStep, Sight, Sighting, Sparse, Trajectory, TripColumns, TripValue, check_names,
};
