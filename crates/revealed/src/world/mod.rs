//! The input: an MDP, its features, a reward on it, and demonstrations in it.
//!
//! It uses `numeric` and `error`. Begin with `mdp.rs`: states, actions and transitions in one sparse table, which
//! every other module reads.

pub(crate) mod feature_names;
pub(crate) mod features;
pub(crate) mod mdp;
pub(crate) mod parents;
pub(crate) mod partial_demonstrations;
pub(crate) mod place_sums;
pub(crate) mod reward;
pub(crate) mod sighting;
pub(crate) mod state_weights;
pub(crate) mod trajectory;
pub(crate) mod trip;

pub use feature_names::check_names;
pub use features::{Features, FeaturesBuilder, Occupancy, Sparse};
pub use mdp::{Mdp, MdpBuilder};
pub use partial_demonstrations::{PartialDemonstration, PartialDemonstrations, SeenStep};
pub use place_sums::PlaceSums;
pub use reward::Reward;
pub use sighting::{PartialTrajectory, Sight, Sighting};
pub use trajectory::{Demonstrations, Trajectory};
pub use trip::{TripColumns, TripValue};
