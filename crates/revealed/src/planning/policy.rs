//! π(a|s): the probability of each action in each state.

use crate::Error;
use crate::world::Mdp;

/// The probabilities of a state may differ from a sum of 1 by this much.
const SUM_TOLERANCE: f64 = 1e-6;

/// π(a|s): a probability for each choice (s, a) of an [`Mdp`].
///
/// ```
/// use revealed::{MdpBuilder, Policy};
///
/// let mut builder = MdpBuilder::new(3, 2);
/// builder.start(0, 1.0).terminal(1).terminal(2);
/// builder.transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
/// let mdp = builder.build()?;
/// assert_eq!(Policy::uniform(&mdp).probabilities(), [0.5, 0.5]);
/// assert_eq!(Policy::deterministic(&mdp, &[Some(1), None, None])?.action(&mdp, 0), Some(1));
/// // The second action's value is log 3 higher, so it is taken three times as often.
/// let soft = Policy::boltzmann(&mdp, &[0.0, 3f64.ln()], 1.0)?;
/// assert!((soft.probability(1) - 0.75).abs() < 1e-15);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    probability: Vec<f64>,
}

impl Policy {
    /// A probability for each choice, in the order of the MDP's choice numbers.
    ///
    /// # Errors
    /// If there are too many or too few, one is negative or not a number, or those of a state do not sum to 1.
    pub fn new(mdp: &Mdp, probability: Vec<f64>) -> Result<Policy, Error> {
        if probability.len() != mdp.n_choices() {
            return Err(Error::Length { what: "the policy", found: probability.len(), expected: mdp.n_choices() });
        }
        if let Some(row) = probability.iter().position(|&p| !(p.is_finite() && p >= 0.0)) {
            let expected = "a finite number, 0 or more";
            return Err(Error::BadNumber { table: "policy", row, what: "p", value: probability[row], expected });
        }
        for state in (0..mdp.n_states()).filter(|&state| !mdp.is_terminal(state)) {
            let sum: f64 = probability[mdp.choices(state)].iter().sum();
            if (sum - 1.0).abs() > SUM_TOLERANCE {
                return Err(Error::PolicySum { state, sum });
            }
        }
        Ok(Policy { probability })
    }

    /// All actions of a state are equally likely.
    pub fn uniform(mdp: &Mdp) -> Policy {
        let share = |choice| 1.0 / mdp.choices(mdp.state_of(choice)).len() as f64;
        Policy { probability: (0..mdp.n_choices()).map(share).collect() }
    }

    /// The action that is taken in each state, `None` in terminal states.
    ///
    /// # Errors
    /// If there is not one entry per state, a state does not offer its action, or a state that is not terminal has no
    /// action.
    pub fn deterministic(mdp: &Mdp, actions: &[Option<usize>]) -> Result<Policy, Error> {
        if actions.len() != mdp.n_states() {
            return Err(Error::Length { what: "the policy", found: actions.len(), expected: mdp.n_states() });
        }
        let mut probability = vec![0.0; mdp.n_choices()];
        for (state, &action) in actions.iter().enumerate() {
            match action.map(|action| mdp.choice(state, action)) {
                Some(Some(choice)) => probability[choice] = 1.0,
                None if mdp.is_terminal(state) => {}
                _ => return Err(Error::PolicyAction { state, action }),
            }
        }
        Ok(Policy { probability })
    }

    /// π(a|s) ∝ e^{Q(s,a)/temperature}: nearly greedy at a low temperature, nearly uniform at a high one.
    /// `action_values` holds Q of each choice, as [`Planning::action_values`](crate::Planning::action_values) returns
    /// it.
    ///
    /// # Errors
    /// If there is not one value per choice, one is not finite, or the temperature is not above 0.
    pub fn boltzmann(mdp: &Mdp, action_values: &[f64], temperature: f64) -> Result<Policy, Error> {
        if action_values.len() != mdp.n_choices() {
            return Err(Error::Length { what: "the action values", found: action_values.len(), expected: mdp.n_choices() });
        }
        crate::numeric::vector::all_finite("the action values", action_values)?;
        if !(temperature.is_finite() && temperature > 0.0) {
            return Err(Error::Setting { what: "the temperature", value: temperature, expected: "a finite number above 0" });
        }
        let mut probability = vec![0.0; mdp.n_choices()];
        for state in 0..mdp.n_states() {
            let choices = mdp.choices(state);
            let best = action_values[choices.clone()].iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let weights = &mut probability[choices.clone()];
            for (weight, value) in weights.iter_mut().zip(&action_values[choices]) {
                // The difference of two finite numbers may be -∞, and e^-∞ = 0 is then correct.
                *weight = ((value - best) / temperature).exp();
            }
            let sum: f64 = weights.iter().sum();
            weights.iter_mut().for_each(|weight| *weight /= sum);
        }
        Ok(Policy { probability })
    }

    /// Takes one given choice in each state. Entries of terminal states are ignored.
    pub(crate) fn of_choices(mdp: &Mdp, choice: &[u32]) -> Policy {
        let mut probability = vec![0.0; mdp.n_choices()];
        for (state, &choice) in choice.iter().enumerate().filter(|&(state, _)| !mdp.is_terminal(state)) {
            debug_assert!(mdp.choices(state).contains(&(choice as usize)));
            probability[choice as usize] = 1.0;
        }
        Policy { probability }
    }

    /// Rejects a policy that does not fit the MDP.
    pub(crate) fn check(&self, mdp: &Mdp) -> Result<(), Error> {
        let (found, expected) = (self.probability.len(), mdp.n_choices());
        if found == expected { Ok(()) } else { Err(Error::Length { what: "the policy", found, expected }) }
    }

    /// π(a|s) of a choice (s, a).
    pub fn probability(&self, choice: usize) -> f64 {
        self.probability[choice]
    }

    /// π(a|s) of each choice.
    pub fn probabilities(&self) -> &[f64] {
        &self.probability
    }

    /// π(a|s) of each choice.
    pub(crate) fn into_probabilities(self) -> Vec<f64> {
        self.probability
    }

    /// The most likely choice of a state, the lowest action if several are tied; `None` in a terminal state.
    pub fn choice(&self, mdp: &Mdp, state: usize) -> Option<usize> {
        let better = |best: usize, choice: usize| if self.probability[choice] > self.probability[best] { choice } else { best };
        mdp.choices(state).reduce(better)
    }

    /// The most likely action of a state, the lowest if several are tied; `None` in a terminal state.
    pub fn action(&self, mdp: &Mdp, state: usize) -> Option<usize> {
        self.choice(mdp, state).map(|choice| mdp.action_of(choice))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worlds::{FROZEN_LAKE_4X4, frozen_lake};

    #[test]
    fn bad_policies_are_refused() {
        let mdp = frozen_lake(&FROZEN_LAKE_4X4, true).unwrap().mdp;
        assert!(matches!(Policy::new(&mdp, vec![0.25; 43]), Err(Error::Length { found: 43, expected: 44, .. })));
        let with = |p: f64| [vec![p], vec![0.25; 43]].concat();
        assert!(Policy::new(&mdp, with(0.25)).is_ok());
        assert!(matches!(Policy::new(&mdp, with(f64::NAN)), Err(Error::BadNumber { row: 0, .. })));
        assert!(matches!(Policy::new(&mdp, with(-0.25)), Err(Error::BadNumber { row: 0, .. })));
        assert_eq!(Policy::new(&mdp, with(0.5)), Err(Error::PolicySum { state: 0, sum: 1.25 }));
        let mut actions: Vec<Option<usize>> = (0..16).map(|state| (!mdp.is_terminal(state)).then_some(3)).collect();
        assert!(Policy::deterministic(&mdp, &actions).is_ok());
        actions[2] = Some(4);
        assert_eq!(Policy::deterministic(&mdp, &actions), Err(Error::PolicyAction { state: 2, action: Some(4) }));
        actions[2] = None;
        assert_eq!(Policy::deterministic(&mdp, &actions), Err(Error::PolicyAction { state: 2, action: None }));
        actions[2] = Some(0);
        actions[5] = Some(0);
        assert_eq!(Policy::deterministic(&mdp, &actions), Err(Error::PolicyAction { state: 5, action: Some(0) }));
        for temperature in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(Policy::boltzmann(&mdp, &[0.0; 44], temperature), Err(Error::Setting { .. })));
        }
        assert!(matches!(Policy::boltzmann(&mdp, &[f64::NAN; 44], 1.0), Err(Error::NotFinite { .. })));
    }

    #[test]
    fn extreme_values_make_a_boltzmann_policy_too() {
        let mdp = frozen_lake(&FROZEN_LAKE_4X4, true).unwrap().mdp;
        let values: Vec<f64> = (0..44).map(|choice| [-1e308, 1e308, 0.0, 1e308][choice % 4]).collect();
        let policy = Policy::boltzmann(&mdp, &values, 1e-300).unwrap();
        assert_eq!(policy.probabilities()[..4], [0.0, 0.5, 0.0, 0.5]);
        assert_eq!((policy.action(&mdp, 0), policy.action(&mdp, 5)), (Some(1), None));
        assert!(Policy::new(&mdp, policy.probabilities().to_vec()).is_ok());
    }
}
