//! The kernel: one step of the forward and of the backward message, and the two passes that consist of such steps.
//!
//! It uses `world` and `numeric`, and does not depend on models or learning. Begin with `messages.rs`, which has the
//! recursions; `inference.rs` runs both passes.

pub(crate) mod backward;
pub(crate) mod forward;
pub(crate) mod inference;
pub(crate) mod messages;
pub(crate) mod network;
pub(crate) mod number;
pub(crate) mod stop;
pub(crate) mod view;
pub(crate) mod weights;

pub use stop::Stop;
