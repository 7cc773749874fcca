//! A small world with chance.

use revealed::{Features, FeaturesBuilder, Mdp, MdpBuilder};

/// Five states in a row, of which the last is terminal. Actions lead one or two states on, or slip one back.
pub fn slippery(discount: f64) -> Mdp {
    let mut builder = MdpBuilder::new(5, 2);
    builder.discount(discount).start(0, 0.7).start(1, 0.3).terminal(4);
    for (state, action) in (0..4usize).flat_map(|state| [(state, 0), (state, 1)]) {
        builder.transition(state, action, (state + 1 + action).min(4), 0.8);
        builder.transition(state, action, state.saturating_sub(1), 0.2);
    }
    builder.build().unwrap()
}

/// The same with three features, of states, of choices and of transitions, and with a θ.
pub fn slippery_features(discount: f64) -> (Mdp, Features, Vec<f64>) {
    let mdp = slippery(discount);
    let mut features = FeaturesBuilder::new(3);
    for state in 0..4 {
        features.state_action(state, 1, 1, 1.0);
    }
    // Every second row is a slip.
    for row in (1..mdp.n_rows()).step_by(2) {
        features.transition(row, 2, 1.0);
    }
    features.state(1, 0, 1.0).state(3, 0, -0.5);
    let features = features.build(&mdp).unwrap();
    (mdp, features, vec![0.5, -0.7, -0.4])
}
