//! The expert that demonstrates: an optimal policy for the true reward. Other policies are compared with it.

use revealed::worlds::World;
use revealed::{AtTerminal, Error, Paid, Plan, Planning, Recovery, Reward, Trajectory, Work, rollouts};

/// The paper does not state the discount of its planning. 0.99 reproduces its largest inverse learning error on
/// FrozenLake, 634.0.
pub(crate) const DISCOUNT: f64 = 0.99;
const TOLERANCE: f64 = 1e-10;
/// Long enough for every episode of FrozenLake and of Taxi to end before.
pub(crate) const UNLIMITED: usize = 100_000;
/// The scale of values in the paper's figures.
pub(crate) const SCALE: &str = "the scale of the paper's figures: policies are optimal for a discount of 0.99, a terminal state gives its reward in every later step, and a \
                                reward is received on arrival; so the goal of FrozenLake has the value 100, and the largest error is 634.0";

/// The paper's scale: rewards are received on arrival, and terminal states give theirs in every later step.
pub(crate) fn keeps_paying() -> Planning {
    Planning {
        discount: Some(DISCOUNT),
        tolerance: TOLERANCE,
        at_terminal: AtTerminal::KeepsPaying,
        paid: Paid::OnArrival,
        work: Work::on(1),
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

    /// The loss of a policy that is optimal for a learned reward, on the paper's scale.
    pub fn recovery(&self, world: &World, learned: &Reward) -> Result<Recovery, Error> {
        Recovery::against(&world.mdp, &self.reward, &self.plan, learned, &keeps_paying())
    }
}
