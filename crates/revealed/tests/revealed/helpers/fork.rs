//! One choice between two ends: a logit.

use revealed::{Ends, Features, FeaturesBuilder, MaxEnt, Mdp, MdpBuilder, Options, Trajectory};

/// From 0 by action 0 to 1, by action 1 to 2; both end the path.
pub fn fork() -> Mdp {
    let mut builder = MdpBuilder::new(3, 2);
    builder.start(0, 1.0).terminal(1).terminal(2).transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
    builder.build().unwrap()
}

/// From 0 to 1.
pub fn left(weight: f64) -> Trajectory {
    Trajectory { weight, ..Trajectory::new(vec![0, 1], vec![0]) }
}

/// From 0 to 2.
pub fn right(weight: f64) -> Trajectory {
    Trajectory { weight, ..Trajectory::new(vec![0, 2], vec![1]) }
}

/// One feature on the left end: θ = log(p / (1 - p)).
pub fn left_indicator() -> Features {
    FeaturesBuilder::new(1).state(1, 0, 1.0).build(&fork()).unwrap()
}

/// Learning among paths that have ended.
pub fn finished() -> MaxEnt {
    MaxEnt { options: Options { ends: Ends::Terminal, ..Options::default() }, ..MaxEnt::default() }
}
