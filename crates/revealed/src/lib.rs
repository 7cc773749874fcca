//! Exact maximum-entropy inverse reinforcement learning.

mod backward;
mod distribution;
mod ends;
mod error;
mod features;
mod forward;
mod identify;
mod inference;
mod learn;
mod likelihood;
mod marginals;
mod mdp;
mod messages;
mod network;
mod number;
mod optimise;
#[cfg(feature = "oracle")]
pub mod oracle;
mod plan;
mod reward;
mod sample;
mod scaled;
mod trajectory;
mod weights;
pub mod worlds;

pub use distribution::PathDistribution;
pub use ends::{Ends, Stop};
pub use error::{DemonstrationFault, Error};
pub use features::{Features, FeaturesBuilder, Occupancy, Sparse};
pub use identify::{NullDirection, null_directions};
pub use learn::{Bounds, Fit, MaxEnt, Progress};
pub use likelihood::{DEFAULT_MEMORY, Evaluation, Likelihood, Options};
pub use marginals::Marginals;
pub use mdp::{Mdp, MdpBuilder};
pub use optimise::Stopped;
pub use plan::{optimal_policy, rollouts};
pub use reward::Reward;
pub use sample::sample;
pub use scaled::Scaled;
pub use trajectory::{Demonstrations, Trajectory};
