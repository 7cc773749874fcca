//! Gymnasium's CliffWalking-v1: the short path runs along a cliff.

use super::payments::Payments;
use super::{Layout, StepFeatures, World};
use crate::Error;
use crate::world::MdpBuilder;

const ROWS: usize = 4;
const COLUMNS: usize = 12;
const START: usize = (ROWS - 1) * COLUMNS;
const GOAL: usize = ROWS * COLUMNS - 1;
const ACTION_NAMES: [&str; 4] = ["up", "right", "down", "left"];
/// Row and column steps of the actions.
const STEPS: [(isize, isize); 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];

const STEP: usize = 0;
const FALL: usize = 1;
const KINDS: [(&str, f64); 2] = [("step", -1.0), ("fall", -100.0)];

/// Gymnasium's CliffWalking-v1 on its 4x12 grid, slippery or not (not by default in Gymnasium).
///
/// Actions are 0 up, 1 right, 2 down, 3 left; a step off the grid stays. On slippery ground the intended direction and
/// the two perpendicular to it have probability 1/3 each. The cliff lies between start and goal in the last row. A step
/// onto it falls, which pays -100 and leads back to the start; every other step pays -1. The goal is terminal. The
/// cells of the cliff are never entered; they keep the transitions that Gymnasium gives them.
///
/// On slippery ground, falling from the start and staying there lead to the same state. They are one transition, and
/// its reward is their mean: -50.5 if both are equally likely.
///
/// ```
/// use revealed::worlds::{StepFeatures, cliff_walking};
/// let cliff = cliff_walking(false, StepFeatures::Kinds)?;
/// assert_eq!(cliff.features.names(), ["step", "fall"]);
/// assert_eq!(cliff.theta, [-1.0, -100.0]);
/// assert!(cliff.mdp.transition(36, 1, 36).is_some(), "right of the start is the cliff");
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// None are expected.
pub fn cliff_walking(slippery: bool, features: StepFeatures) -> Result<World, Error> {
    let mut builder = MdpBuilder::new(ROWS * COLUMNS, ACTION_NAMES.len());
    builder.start(START, 1.0).terminal(GOAL);
    let turns: &[usize] = if slippery { &[3, 0, 1] } else { &[0] };
    let mut payments = Payments::new(KINDS);
    for state in (0..ROWS * COLUMNS).filter(|&state| state != GOAL) {
        for action in 0..ACTION_NAMES.len() {
            for turn in turns {
                let (to, kind) = step(state, (action + turn) % 4);
                payments.add([state, action, to], 1.0 / turns.len() as f64, kind);
            }
        }
    }
    let state_name = |state| format!("row{}_column{}", state / COLUMNS, state % COLUMNS);
    let (mdp, features, theta) = payments.build(builder, features, state_name, &ACTION_NAMES)?;
    let name = if slippery { "cliff-walking-slippery" } else { "cliff-walking" };
    Ok(World { name: name.to_string(), mdp, features, theta, layout: Layout::Grid { rows: ROWS, columns: COLUMNS } })
}

/// The state after a step in the direction of an action, and the kind of its payment.
fn step(state: usize, action: usize) -> (usize, usize) {
    let (down, right) = STEPS[action];
    let row = (state / COLUMNS).saturating_add_signed(down).min(ROWS - 1);
    let column = (state % COLUMNS).saturating_add_signed(right).min(COLUMNS - 1);
    let to = row * COLUMNS + column;
    if to > START && to < GOAL { (START, FALL) } else { (to, STEP) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (s', T(s'|s, a), R(s, a, s')) of the possible outcomes of an action.
    fn outcomes(cliff: &World, state: usize, action: usize) -> Vec<(u32, f64, f64)> {
        let reward = cliff.features.reward(&cliff.mdp, &cliff.theta).unwrap();
        assert!(reward.state.iter().all(|&reward| reward == 0.0));
        let outcomes = cliff.mdp.outcomes(cliff.mdp.choice(state, action).unwrap());
        outcomes.map(|row| (cliff.mdp.to()[row], cliff.mdp.probability()[row], reward.transition[row])).collect()
    }

    #[test]
    fn it_is_gymnasiums() {
        for features in [StepFeatures::Kinds, StepFeatures::StateActions, StepFeatures::Transitions] {
            let cliff = cliff_walking(false, features).unwrap();
            assert_eq!((cliff.mdp.n_states(), cliff.mdp.n_actions(), cliff.mdp.n_transitions()), (48, 4, 47 * 4));
            assert_eq!(cliff.mdp.start(), [(36, 1.0)]);
            assert!((0..48).all(|state| cliff.mdp.is_terminal(state) == (state == 47)));
            assert_eq!(outcomes(&cliff, 36, 0), [(24, 1.0, -1.0)]);
            assert_eq!(outcomes(&cliff, 36, 1), [(36, 1.0, -100.0)]);
            assert_eq!(outcomes(&cliff, 36, 3), [(36, 1.0, -1.0)]);
            assert_eq!(outcomes(&cliff, 30, 2), [(36, 1.0, -100.0)]);
            assert_eq!(outcomes(&cliff, 35, 2), [(47, 1.0, -1.0)]);
            assert_eq!(outcomes(&cliff, 35, 1), [(35, 1.0, -1.0)]);
        }
    }

    #[test]
    fn slipping_divides_and_merges() {
        let third = 1.0 / 3.0;
        for features in [StepFeatures::Kinds, StepFeatures::Transitions] {
            let cliff = cliff_walking(true, features).unwrap();
            assert_eq!(outcomes(&cliff, 30, 1), [(18, third, -1.0), (31, third, -1.0), (36, third, -100.0)]);
            // From the start: down stays, right falls, left stays; and up leaves.
            assert_eq!(outcomes(&cliff, 36, 1), [(24, third, -1.0), (36, 2.0 * third, -50.5)]);
            assert_eq!(outcomes(&cliff, 36, 3), [(24, third, -1.0), (36, 2.0 * third, -1.0)]);
            let [(36, 1.0, reward)] = outcomes(&cliff, 36, 2)[..] else { panic!("all three directions end at the start") };
            assert!((reward + 34.0).abs() < 1e-12);
        }
        // With one number per (s, a), it is the mean over all outcomes.
        let cliff = cliff_walking(true, StepFeatures::StateActions).unwrap();
        let mean = cliff.theta[cliff.mdp.choice(30, 1).unwrap()];
        assert!((mean + 34.0).abs() < 1e-12);
        assert_eq!(cliff.features.names()[4 * 47 - 1], "row3_column10_left");
    }
}
