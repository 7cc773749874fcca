//! Who demonstrates: an optimal policy for the true reward; and what another policy loses against it.

use revealed::worlds::World;
use revealed::{AtTerminal, Error, Paid, Plan, Planning, Recovery, Reward, Trajectory, rollouts};

/// The paper does not tell the discount of its planning. With 0.99 its largest inverse learning error on FrozenLake,
/// 634.0, comes out.
pub(crate) const DISCOUNT: f64 = 0.99;
const TOLERANCE: f64 = 1e-10;
/// So long that an episode on FrozenLake or in a taxi ends before.
pub(crate) const UNLIMITED: usize = 100_000;
/// How the paper's figures value policies.
pub(crate) const SCALE: &str = "policies are optimal for a discount of 0.99; a terminal state keeps paying its reward for ever, and a reward is paid on \
                                arrival (so that the goal of FrozenLake is worth 100, and 634.0 is the largest error): the scale of the paper's figures";

/// The paper's scale: terminal states keep paying, on arrival.
pub(crate) fn keeps_paying() -> Planning {
    Planning {
        discount: Some(DISCOUNT),
        tolerance: TOLERANCE,
        at_terminal: AtTerminal::KeepsPaying,
        paid: Paid::OnArrival,
        threads: Some(1),
        ..Planning::default()
    }
}

/// Gymnasium's scale: a terminal state ends the episode.
pub(crate) fn episodes_end() -> Planning {
    Planning { at_terminal: AtTerminal::Ends, ..keeps_paying() }
}

/// An optimal policy, and its values on the paper's scale.
pub(crate) struct Expert {
    pub reward: Reward,
    pub plan: Plan,
}

impl Expert {
    /// Plans for the true reward.
    pub fn new(world: &World) -> Result<Expert, Error> {
        let reward = world.features.reward(&world.mdp, &world.theta)?;
        Ok(Expert { plan: keeps_paying().solve(&world.mdp, &reward)?, reward })
    }

    /// `n` of its episodes, of at most `longest` states.
    pub fn episodes(&self, world: &World, n: usize, longest: usize, seed: u64) -> Result<Vec<Trajectory>, Error> {
        rollouts(&world.mdp, &self.plan.policy, n, longest, seed)
    }

    /// What is lost by following a learned reward instead, on the paper's scale.
    pub fn recovery(&self, world: &World, learned: &Reward) -> Result<Recovery, Error> {
        Recovery::against(&world.mdp, &self.reward, &self.plan, learned, &keeps_paying())
    }
}
