//! What the tests share: comparisons, tiny worlds, enumerated paths, and ways to ask a random problem.

mod answers;
mod close;
mod dense;
mod diamond;
mod drawn;
mod fork;
mod lake;
mod machine;
mod path;
mod problem;
mod refusal;
mod slippery;
mod slope;
mod streets;
mod world;

pub use answers::{Answers, Names, answers, demo};
pub use close::{all_close, close, furthest, relatively_close};
pub use dense::{Matrix, inverse_of_rest};
pub use diamond::{diamond, through};
pub use drawn::{drawn, walks};
pub use fork::{finished, fork, left, left_indicator, right};
pub use lake::lake;
pub use machine::machine;
pub use path::{action_of, begins_with, last_of, shares, trajectory_of, weight_of};
pub use problem::{likelihood_of, model_of, open_stop, options_of};
pub use refusal::refusal;
pub use slippery::{slippery, slippery_features};
pub use slope::{moved, slope};
pub use streets::{far_pairs, streets};
pub use world::reward_of;
