//! Exact maximum-entropy inverse reinforcement learning.
//!
//! Given what somebody did (demonstrations) and a model of the world (an [`Mdp`] with [`Features`]), [`MaxEnt`] learns the
//! reward that the behaviour reveals, and [`PathDistribution`] says what follows from a reward: which paths are likely, where
//! they are at each time, how long they are; [`sample`] draws some. A [`PathModel`] is asked for the [`best_paths`], for
//! [`Destinations`], for [`lengths`], for [`scores`]; [`MaxEnt::uncertainty`] says how sure it all is. [`Planning`] finds what is
//! best to do, [`rollouts`] does it, and [`Recovery`] and [`HeldOut`] say how good a learned reward is.
//!
//! It implements "Revisiting Maximum Entropy Inverse Reinforcement Learning: New Perspectives and Algorithms" (Snoswell, Singh,
//! Ye): exact inference for stochastic and discounted MDPs with features of states, state-action pairs and transitions, and
//! demonstrations of any length, in time linear in the longest.
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
//! // Work is worth log 3 more than home.
//! assert!((fit.theta[2] - fit.theta[1] - 3f64.ln()).abs() < 1e-6);
//! # Ok::<(), revealed::Error>(())
//! ```
//!
//! # From a demonstration to θ, in four files
//!
//! `learn.rs` ([`MaxEnt::fit`]: the search) → `likelihood.rs` ([`Likelihood::evaluate`]: ℓ and ∇ℓ) → `inference.rs` (both
//! passes) → `messages.rs` (one step of each: the kernel). [`Method`] puts a baseline in the place of the last three:
//! `ziebart.rs` or `causal.rs`.
//!
//! # Where each equation is
//!
//! | in the paper | here | tested by |
//! |---|---|---|
//! | eq:maxent-dist | [`PathDistribution::log_prob`] | `laws::samples_follow_the_distribution` |
//! | eq:log-likelihood | [`Likelihood::evaluate`] | `engine::log_likelihood_is_the_mean_of_log_p` |
//! | eq:kl | [`Mdp::reference`]: MaxEnt and Relative Entropy IRL are one model | `engine::*` (random reference policies) |
//! | eq:kl, learned | [`MaxEnt::fit`] with [`MdpBuilder::reference`] | `relative_entropy::*` |
//! | Boularias 2011, Eq. 8, and the MaxEnt variant of it | [`Samples::evaluate`], [`ModelFree::fit`] | `model_free::*` |
//! | eq:s-grad, eq:sa-grad, eq:sas-grad | [`Features::expectation`] | `engine::gradient_equals_*`, `errata::gradients_need_the_discount` |
//! | eq:alpha-basecase, eq:alpha-recurrence | `messages::Forward` | `worked_example::forward_message`, `engine::*` |
//! | eq:beta-basecase, eq:beta-recurrence | `oracle::beta_quadratic` | `worked_example::backward_messages_*` |
//! | eq:partition-variablelength | [`PathDistribution::log_partition`] | `worked_example::partition`, `engine::*` |
//! | eq:s-marginals, eq:sa-marginals, eq:sas-marginals | [`PathDistribution::marginals`] | `engine::engine_algorithm_1_and_padding_equal_enumeration` |
//! | eq:beta-basecase-padded, eq:beta-recurrence-padded | `messages::Backward`; `oracle::beta_padded` | `worked_example::padded_backward_message` |
//! | eq:s-marginals-padded and the two after it | `messages::Forward` | `engine::*` |
//! | alg:maxent-irl | `oracle::algorithm1` | `oracles::all_three_agree` |
//! | alg:maxent-irl-padded | [`MaxEnt::fit`]; literally, `oracle::padded` | `oracles::all_three_agree` |
//! | thm:zb08 and the proposition after it | [`Ziebart::visits`] | `baselines::the_appendix_*` |
//! | tab:padded-s-rewards (wrong as printed) | `oracle::padded` | `errata::terminal_states_keep_their_reward` |
//! | sec:me-inference, arg max over paths | [`best_paths`] | `best_paths::the_ith_best_path_is_the_ith_of_the_enumeration` |
//! | sec:me-inference, shortest paths | [`Search::ShortestPath`] | `best_paths::shortest_paths_and_viterbi_agree_on_road_networks` |
//! | sec:me-inference, shortest paths of many pairs | [`Routes`], [`Itineraries`] | `routes::*` |
//! | sec:me-inference, destinations | [`Destinations::posterior`] | `destinations::posteriors_equal_enumeration`, `destinations::the_printed_ratio_is_wrong` |
//! | sec:me-inference, path lengths | [`lengths`], [`lengths_after`], [`Destinations::lengths`] | `lengths::lengths_equal_enumeration` |
//! | eq:alpha-recurrence, from anywhere | [`Spread`] | `spread::*` |
//! | eq:partition-variablelength by the reward (no label) | [`Partition`] | `partition::log_partition_equals_enumeration_and_its_gradient_the_differences` |
//! | eq:beta-recurrence-padded at t = 1 | [`soft_values`] | `partition::the_value_of_a_state_is_the_weight_of_its_paths` |
//! | eq:maxent-dist, by the chain rule | [`scores`] | `scores::every_factor_equals_enumeration` |
//! | eq:maxent-dist, given a first state, a prefix, a last state | [`sample_from`], [`sample_after`] | `samples::*` |
//! | eq:log-likelihood, held out | [`CrossValidation::run`] | `cross_validation::every_fold_is_the_fit_that_one_does_by_hand` |
//! | −∇² of eq:log-likelihood (not in the paper) | [`Information`], [`MaxEnt::uncertainty`] | `uncertainty::*`, `unidentified::*`, `route_uncertainty::*` |
//! | p_Θ as a non-stationary policy (no label) | [`PathDistribution::policy`] | `policies::policies_equal_enumeration` |
//! | when a stationary policy suits (discussion) | [`PolicyGap`] | `policies::projections_and_divergences_equal_enumeration`, `policies::executions_equal_enumeration` |
//! | ILE (no label) | [`Recovery`] | `metrics::the_largest_inverse_learning_error_of_frozen_lake_on_each_scale` |
//!
//! Without a model of the world, [`ModelFree`] learns from [`Samples`]: trajectories of a known policy, of which only the features and
//! the policy's probabilities are needed.
//!
//! Lower-level parts that most users can ignore: [`Likelihood`] (for an optimiser of your own), [`Scaled`] (the number type),
//! and the feature `oracle` (enumeration, Algorithm 1 and literal padding, for tests).

// The README's Rust blocks run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

mod ascent;
mod backward;
mod bellman;
mod best_paths;
mod bounds;
mod causal;
mod chain;
mod checkpoints;
mod costs;
mod cross_validation;
mod demonstration_fault;
mod destinations;
mod diagnosis;
mod distribution;
mod elimination;
mod ends;
mod error;
mod execution;
mod features;
mod fisher;
mod forward;
mod identify;
mod importance;
mod inference;
mod itineraries;
mod junctions;
mod learn;
mod lengths;
mod likelihood;
mod marginals;
mod mdp;
mod messages;
mod method;
mod metrics;
mod model_free;
mod network;
mod number;
mod objective;
mod optimise;
#[cfg(feature = "oracle")]
pub mod oracle;
mod partition;
mod path_model;
mod path_policy;
mod plan;
mod policy;
mod policy_gap;
mod reward;
mod rollout_samples;
mod rollouts;
mod route_choice;
mod route_lengths;
mod route_sums;
mod routes;
mod rows;
mod runaway;
mod sample;
mod samples;
mod scaled;
mod score;
mod soft_values;
mod spread;
mod standard_error;
mod stationary;
mod symmetric;
mod trajectory;
mod uncertainty;
mod units;
mod view;
mod weights;
pub mod worlds;
mod ziebart;

pub use best_paths::{BestPath, BestPaths, PathQuery, Search, best_paths};
pub use bounds::Bounds;
pub use causal::{CausalEntropy, CausalEvaluation, CausalLikelihood};
pub use cross_validation::{CrossValidation, Fold, Penalty, Validation, ValidationProgress};
pub use demonstration_fault::DemonstrationFault;
pub use destinations::{Destinations, Prior};
pub use diagnosis::Warning;
pub use distribution::PathDistribution;
pub use ends::{Ends, Stop};
pub use error::Error;
pub use execution::{Executed, Execution, RolloutMean};
pub use features::{Features, FeaturesBuilder, Occupancy, Sparse};
pub use fisher::Information;
pub use identify::{NullDirection, null_directions};
pub use importance::Estimate;
pub use inference::MOST_THREADS;
pub use itineraries::Itineraries;
pub use learn::{Fit, MaxEnt, Progress};
pub use lengths::{Lengths, lengths, lengths_after};
pub use likelihood::{DEFAULT_MEMORY, Evaluation, Likelihood, Options};
pub use marginals::Marginals;
pub use mdp::{Mdp, MdpBuilder};
pub use method::Method;
pub use metrics::{FeatureGap, HeldOut, Recovery, expected_value_difference, feature_gap, inverse_learning_error};
pub use model_free::{ModelFree, ModelFreeFit};
pub use optimise::Stopped;
pub use partition::Partition;
pub use path_model::PathModel;
pub use path_policy::PolicyAt;
pub use plan::{AtTerminal, Paid, Plan, Planning, Values};
pub use policy::Policy;
pub use policy_gap::PolicyGap;
pub use reward::Reward;
pub use rollout_samples::samples_from_rollouts;
pub use rollouts::rollouts;
pub use route_choice::RouteChoice;
pub use route_lengths::RouteLengths;
pub use route_sums::RouteSums;
pub use routes::{Route, Routes};
pub use sample::{sample, sample_after, sample_from};
pub use samples::{Baseline, SampleColumns, Samples};
pub use scaled::Scaled;
pub use score::{Aspect, Event, Factor, Score, ScoredStep, Surprise, route_scores, scores};
pub use soft_values::soft_values;
pub use spread::Spread;
pub use stationary::StationaryPolicy;
pub use trajectory::{Demonstrations, Trajectory};
pub use uncertainty::{FitStatistics, Standing, Uncertainty, Unidentified, WeaklyIdentified};
pub use ziebart::{Terminals, Ziebart, ZiebartPass, ZiebartVersion};
