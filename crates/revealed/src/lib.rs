//! Exact maximum-entropy inverse reinforcement learning.

mod ends;
mod error;
mod features;
mod mdp;
mod reward;
mod trajectory;

pub use ends::{Ends, Stop};
pub use error::{DemonstrationFault, Error};
pub use features::{Features, FeaturesBuilder, Occupancy, Sparse};
pub use mdp::{Mdp, MdpBuilder};
pub use reward::Reward;
pub use trajectory::{Demonstrations, Trajectory};
