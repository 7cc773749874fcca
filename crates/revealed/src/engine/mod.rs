//! The kernel: one step of the forward and of the backward message, the two passes that consist of such steps, and the
//! messages of paths of any length, which are the fixed point of the same recursion.
//!
//! It uses `world` and `numeric`, and does not depend on models or learning. Begin with `messages.rs`, which has the
//! recursions; `inference.rs` runs both passes, and `fixed_point.rs` solves for paths of any length.

pub(crate) mod backward;
pub(crate) mod digits;
pub(crate) mod elimination;
pub(crate) mod fixed_point;
pub(crate) mod forward;
pub(crate) mod horizon;
pub(crate) mod inference;
pub(crate) mod messages;
pub(crate) mod network;
pub(crate) mod number;
pub(crate) mod path_set;
pub(crate) mod stop;
pub(crate) mod view;
pub(crate) mod weights;

pub use fixed_point::TAIL;
pub use horizon::Horizon;
pub use stop::Stop;
