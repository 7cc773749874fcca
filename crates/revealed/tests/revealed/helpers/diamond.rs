//! Two paths that meet again.

use revealed::{Mdp, MdpBuilder, Trajectory};

/// From 0 by action 0 over 1, or by action 1 over 2, to the terminal state 3.
pub fn diamond() -> Mdp {
    let mut builder = MdpBuilder::new(4, 2);
    builder.start(0, 1.0).terminal(3).transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
    builder.transition(1, 0, 3, 1.0).transition(2, 0, 3, 1.0);
    builder.build().unwrap()
}

/// The path over state 1 or 2.
pub fn through(over: usize, weight: f64) -> Trajectory {
    Trajectory { weight, ..Trajectory::new(vec![0, over, 3], vec![over - 1, 0]) }
}
