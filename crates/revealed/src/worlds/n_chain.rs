//! Gym's NChain: a long path to a large reward, or back to the start for a small one.

use super::chain_length;
use super::payments::Payments;
use super::{Layout, StepFeatures, World};
use crate::Error;
use crate::world::MdpBuilder;

const START: usize = 0;
const ACTION_NAMES: [&str; 2] = ["forward", "back"];

const ADVANCE: usize = 0;
const RETURN: usize = 1;
const STAY: usize = 2;

/// Gym's NChain-v0 (last in gym 0.17.3, with the defaults n = 5, slip = 0.2, small = 2 and large = 10).
///
/// Action 0 goes one state forward, which pays nothing; in the last state it stays, which pays `large`. Action 1 goes
/// back to the start and pays `small`. With probability `slip` an action has the effect and the payment of the other
/// one. With [`StepFeatures::StateActions`], as in the paper, R(s, a) is therefore the mean over slips. Paths start in
/// state 0, and no state is terminal.
///
/// ```
/// use revealed::worlds::{StepFeatures, n_chain};
/// let chain = n_chain(5, 0.2, 2.0, 10.0, StepFeatures::StateActions)?;
/// let last_forward = chain.mdp.choice(4, 0).unwrap();
/// assert_eq!(chain.theta[last_forward], 0.8 * 10.0 + 0.2 * 2.0);
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// If `n` is 0 or above a million, `slip` is not a probability, or a payment is not finite.
pub fn n_chain(n: usize, slip: f64, small: f64, large: f64, features: StepFeatures) -> Result<World, Error> {
    chain_length(n, 1)?;
    if !(0.0..=1.0).contains(&slip) {
        return Err(Error::Setting { what: "slip", value: slip, expected: "a probability, between 0 and 1" });
    }
    for (what, value) in [("small", small), ("large", large)] {
        if !value.is_finite() {
            return Err(Error::Setting { what, value, expected: "a finite number" });
        }
    }
    let mut builder = MdpBuilder::new(n, ACTION_NAMES.len());
    builder.start(START, 1.0);
    let mut payments = Payments::new([("advance", 0.0), ("return", small), ("stay", large)]);
    for state in 0..n {
        let forward = if state + 1 < n { (state + 1, ADVANCE) } else { (state, STAY) };
        let back = (START, RETURN);
        for (action, meant, slipped) in [(0, forward, back), (1, back, forward)] {
            for ((to, kind), p) in [(meant, 1.0 - slip), (slipped, slip)] {
                payments.add([state, action, to], p, kind);
            }
        }
    }
    let state_name = |state| format!("state{state}");
    let (mdp, features, theta) = payments.build(builder, features, state_name, &ACTION_NAMES)?;
    Ok(World { name: format!("n-chain-{n}"), mdp, features, theta, layout: Layout::Grid { rows: 1, columns: n } })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (s', T(s'|s, a), R(s, a, s')) of the possible outcomes of an action.
    fn outcomes(chain: &World, state: usize, action: usize) -> Vec<(u32, f64, f64)> {
        let reward = chain.features.reward(&chain.mdp, &chain.theta).unwrap();
        assert!(reward.state.iter().all(|&reward| reward == 0.0));
        let outcomes = chain.mdp.outcomes(chain.mdp.choice(state, action).unwrap());
        outcomes.map(|row| (chain.mdp.to()[row], chain.mdp.probability()[row], reward.transition[row])).collect()
    }

    #[test]
    fn it_is_gyms() {
        for features in [StepFeatures::Kinds, StepFeatures::Transitions] {
            let chain = n_chain(5, 0.2, 2.0, 10.0, features).unwrap();
            assert_eq!((chain.mdp.n_states(), chain.mdp.n_transitions()), (5, 20));
            assert_eq!(chain.mdp.start(), [(0, 1.0)]);
            assert!((0..5).all(|state| !chain.mdp.is_terminal(state)));
            assert_eq!(outcomes(&chain, 0, 0), [(0, 0.2, 2.0), (1, 0.8, 0.0)]);
            assert_eq!(outcomes(&chain, 0, 1), [(0, 0.8, 2.0), (1, 0.2, 0.0)]);
            assert_eq!(outcomes(&chain, 2, 0), [(0, 0.2, 2.0), (3, 0.8, 0.0)]);
            assert_eq!(outcomes(&chain, 4, 0), [(0, 0.2, 2.0), (4, 0.8, 10.0)]);
            assert_eq!(outcomes(&chain, 4, 1), [(0, 0.8, 2.0), (4, 0.2, 10.0)]);
        }
    }

    #[test]
    fn the_papers_rewards_are_means_over_slips() {
        let chain = n_chain(10, 0.2, 2.0, 10.0, StepFeatures::StateActions).unwrap();
        let mut expected = [[0.2 * 2.0, 0.8 * 2.0]; 10];
        expected[9] = [0.8 * 10.0 + 0.2 * 2.0, 0.2 * 10.0 + 0.8 * 2.0];
        for (found, expected) in chain.theta.iter().zip(expected.as_flattened()) {
            assert!((found - expected).abs() < 1e-15, "{found} {expected}");
        }
        assert_eq!(chain.features.names()[18], "state9_forward");
    }

    #[test]
    fn no_slipping_and_a_single_state() {
        let sure = n_chain(3, 0.0, 2.0, 10.0, StepFeatures::Transitions).unwrap();
        assert_eq!(sure.mdp.n_transitions(), 6);
        assert_eq!(outcomes(&sure, 2, 0), [(2, 1.0, 10.0)]);
        assert_eq!(sure.features.names()[5], "state2_back_to_state0");
        // Both actions stay, and one transition holds both payments: 0.75 · 10 + 0.25 · 2.
        for features in [StepFeatures::Kinds, StepFeatures::StateActions, StepFeatures::Transitions] {
            let single = n_chain(1, 0.25, 2.0, 10.0, features).unwrap();
            assert_eq!(outcomes(&single, 0, 0), [(0, 1.0, 8.0)]);
            assert_eq!(outcomes(&single, 0, 1), [(0, 1.0, 4.0)]);
        }
    }

    #[test]
    fn bad_settings_are_refused() {
        let refused = |n, slip, small| n_chain(n, slip, small, 10.0, StepFeatures::Kinds).unwrap_err().to_string();
        assert!(refused(0, 0.2, 2.0).contains("the length of the chain is 0"));
        assert!(refused(usize::MAX, 0.2, 2.0).contains("between 1 and 1000000"));
        assert!(refused(5, 1.5, 2.0).contains("slip is 1.5"));
        assert!(refused(5, f64::NAN, 2.0).contains("slip is NaN"));
        assert!(refused(5, 0.2, f64::INFINITY).contains("small is inf"));
    }
}
