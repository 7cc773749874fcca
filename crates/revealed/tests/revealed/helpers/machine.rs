//! A world without an end.

use revealed::{Features, FeaturesBuilder, Mdp, MdpBuilder};

/// Ten states of wear: a machine is kept, and wears by chance, or is replaced. The features are what both cost.
pub fn machine() -> (Mdp, Features) {
    let mut builder = MdpBuilder::new(10, 2);
    builder.discount(0.95).start(0, 1.0);
    for wear in 0..9 {
        builder.transition(wear, 0, wear + 1, 0.6).transition(wear, 0, wear, 0.4).transition(wear, 1, 0, 1.0);
    }
    builder.transition(9, 0, 9, 1.0).transition(9, 1, 0, 1.0);
    let mdp = builder.build().unwrap();
    let mut features = FeaturesBuilder::new(2);
    for wear in 0..10 {
        features.state_action(wear, 0, 0, -(wear as f64)).state_action(wear, 1, 1, -1.0);
    }
    let features = features.build(&mdp).unwrap();
    (mdp, features)
}
