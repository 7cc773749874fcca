//! Worlds that pay for steps: the payment of each step, and the features that describe it.

use crate::Error;
use crate::world::{Features, FeaturesBuilder, Mdp, MdpBuilder};
use std::collections::BTreeMap;

/// The features of a world that pays for steps, not for states.
///
/// ```
/// use revealed::worlds::{StepFeatures, n_chain};
/// let n_features = |features| n_chain(10, 0.2, 2.0, 10.0, features).map(|chain| chain.theta.len());
/// assert_eq!(n_features(StepFeatures::Kinds)?, 3);
/// assert_eq!(n_features(StepFeatures::StateActions)?, 20);
/// assert_eq!(n_features(StepFeatures::Transitions)?, 40);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepFeatures {
    /// One feature per kind of payment, such as a delivery: there are few, and θ lists the amounts. If outcomes of
    /// different kinds lead from s by a to the same s', each counts by its share, so R(s, a, s') is the mean payment.
    Kinds,
    /// One indicator per (s, a), as in the paper's experiments: the true R(s, a) is the mean payment.
    StateActions,
    /// One indicator per (s, a, s'): the true R(s, a, s') is the mean payment.
    Transitions,
}

/// The steps of a world and their payments, each of one of K kinds.
pub(super) struct Payments<const K: usize> {
    kinds: [(&'static str, f64); K],
    /// (s, a, s') → the probability of each kind of payment on this transition.
    steps: BTreeMap<(usize, usize, usize), [f64; K]>,
}

impl<const K: usize> Payments<K> {
    /// No steps yet; each kind has a name and an amount.
    pub fn new(kinds: [(&'static str, f64); K]) -> Self {
        Payments { kinds, steps: BTreeMap::new() }
    }

    /// Adds an outcome: `action` leads from `from` to `to` with probability `p` and this kind of payment.
    pub fn add(&mut self, [from, action, to]: [usize; 3], p: f64, kind: usize) {
        if p > 0.0 {
            self.steps.entry((from, action, to)).or_insert([0.0; K])[kind] += p;
        }
    }

    /// The MDP of these steps, its features, and the true θ. The builder already has the start and terminal states.
    pub fn build(
        &self,
        mut builder: MdpBuilder,
        features: StepFeatures,
        state_name: impl Fn(usize) -> String,
        action_names: &[&str],
    ) -> Result<(Mdp, Features, Vec<f64>), Error> {
        // In the order of the MDP, so that rows of the builder and transitions have the same numbers.
        for (&(from, action, to), p) in &self.steps {
            builder.transition(from, action, to, p.iter().sum());
        }
        let mdp = builder.build()?;
        let pair_name = |from, action| format!("{}_{}", state_name(from), action_names[action]);
        let (theta, names) = match features {
            StepFeatures::Kinds => self.kinds.iter().map(|&(name, amount)| (amount, name.to_string())).unzip(),
            StepFeatures::StateActions => self.state_actions(&mdp, pair_name),
            StepFeatures::Transitions => self.transitions(|(from, action, to)| {
                let pair = pair_name(from, action);
                format!("{pair}_to_{}", state_name(to))
            }),
        };
        let features = self.describe(&mdp, features, names)?;
        Ok((mdp, features, theta))
    }

    fn state_actions(&self, mdp: &Mdp, name: impl Fn(usize, usize) -> String) -> (Vec<f64>, Vec<String>) {
        let mut theta = vec![0.0; mdp.n_choices()];
        for (p, &choice) in self.steps.values().zip(mdp.choice_of()) {
            theta[choice as usize] += self.paid(p);
        }
        let names = (0..mdp.n_choices()).map(|choice| name(mdp.state_of(choice), mdp.action_of(choice)));
        (theta, names.collect())
    }

    fn transitions(&self, name: impl Fn((usize, usize, usize)) -> String) -> (Vec<f64>, Vec<String>) {
        self.steps.iter().map(|(&step, p)| (self.paid(&shares(p)), name(step))).unzip()
    }

    /// Σ weight · amount.
    fn paid(&self, weights: &[f64; K]) -> f64 {
        weights.iter().zip(&self.kinds).map(|(weight, kind)| weight * kind.1).sum()
    }

    fn describe(&self, mdp: &Mdp, features: StepFeatures, names: Vec<String>) -> Result<Features, Error> {
        let mut builder = FeaturesBuilder::new(names.len());
        builder.names(names);
        match features {
            StepFeatures::Kinds => {
                for (row, p) in self.steps.values().enumerate() {
                    for (kind, share) in shares(p).into_iter().enumerate().filter(|entry| entry.1 > 0.0) {
                        builder.transition(row, kind, share);
                    }
                }
            }
            StepFeatures::StateActions => {
                for choice in 0..mdp.n_choices() {
                    builder.state_action(mdp.state_of(choice), mdp.action_of(choice), choice, 1.0);
                }
            }
            StepFeatures::Transitions => {
                for row in 0..mdp.n_transitions() {
                    builder.transition(row, row, 1.0);
                }
            }
        }
        builder.build(mdp)
    }
}

/// The share of each kind in a transition.
fn shares<const K: usize>(p: &[f64; K]) -> [f64; K] {
    let sum: f64 = p.iter().sum();
    p.map(|of_kind| of_kind / sum)
}
