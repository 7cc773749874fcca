//! A fingerprint of a problem, so that a model can say what it was learned on.

use revealed::{Features, Mdp};

use super::problem::entries;
use crate::files::Fnv1a;

/// FNV-1a (64 bits) over a canonical encoding: counts, then tables in the order of their indices, each with its
/// length, every number as 8 little-endian bytes. A fingerprint against mix-ups, not against forgery.
pub(crate) fn digest(mdp: &Mdp, features: &Features) -> String {
    let mut hash = Encoding(Fnv1a::new());
    hash.integer(mdp.n_states());
    hash.integer(mdp.n_actions());
    hash.float(mdp.discount());
    hash.integer(mdp.start().len());
    for &(state, p) in mdp.start() {
        hash.integer(state);
        hash.float(p);
    }
    for state in (0..mdp.n_states()).filter(|&state| mdp.is_terminal(state)) {
        hash.integer(state);
    }
    hash.integer(mdp.n_transitions());
    for (transition, &p) in mdp.probability().iter().enumerate() {
        let choice = mdp.choice_of()[transition] as usize;
        hash.integer(mdp.state_of(choice));
        hash.integer(mdp.action_of(choice));
        hash.integer(mdp.to()[transition] as usize);
        hash.float(p);
    }
    hash.integer(mdp.reference().map_or(0, <[f64]>::len));
    for &p in mdp.reference().into_iter().flatten() {
        hash.float(p);
    }
    hash.integer(features.n_features());
    for block in features.blocks() {
        hash.integer(entries(block).filter(|entry| entry.2 != 0.0).count());
        for (row, feature, value) in entries(block).filter(|entry| entry.2 != 0.0) {
            hash.integer(row);
            hash.integer(feature);
            hash.float(value);
        }
    }
    format!("fnv1a64:{:016x}", hash.0.value())
}

struct Encoding(Fnv1a);

impl Encoding {
    fn integer(&mut self, value: usize) {
        self.0.write(&(value as u64).to_le_bytes());
    }

    fn float(&mut self, value: f64) {
        // -0 and 0 are one number.
        self.0.write(&(value + 0.0).to_le_bytes());
    }
}
