//! Planning for a given reward: the values of states, and an optimal policy.

mod search;

use self::search::PolicySearch;
use crate::Error;
use crate::numeric::Work;
use crate::numeric::threads::Threads;
use crate::planning::Policy;
use crate::planning::bellman::{Bellman, worth_sharing};
use crate::planning::chain::Chain;
use crate::world::{Mdp, Reward};

/// The value of a terminal state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AtTerminal {
    /// The episode ends: V(s) = R(s), paid once. The value of a state is the mean R(τ) of the episodes from there.
    #[default]
    Ends,
    /// The reward is paid for ever: V(s) = R(s) / (1 - γ). The paper's ILE figures use this, with [`Paid::OnArrival`].
    KeepsPaying,
}

impl AtTerminal {
    /// Both variants, the default first.
    pub const ALL: [AtTerminal; 2] = [AtTerminal::Ends, AtTerminal::KeepsPaying];

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            AtTerminal::Ends => "ends",
            AtTerminal::KeepsPaying => "keeps-paying",
        }
    }
}

/// When R_s(s) is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Paid {
    /// In each state, from the first one on: R(τ) = Σ_t γ^{t-1} R_s(s_t) + …, as the paper defines it.
    #[default]
    InState,
    /// By the step that leads to the state, as in Gymnasium: the first state pays nothing, and every other state pays
    /// one step earlier. A terminal state that ends an episode then has the value 0.
    OnArrival,
}

impl Paid {
    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Paid::InState => "in-state",
            Paid::OnArrival => "on-arrival",
        }
    }
}

/// The settings of planning.
///
/// ```
/// use revealed::worlds::{FROZEN_LAKE_4X4, frozen_lake};
/// use revealed::{AtTerminal, Paid, Planning, Policy};
///
/// let lake = frozen_lake(&FROZEN_LAKE_4X4, true)?.with_discount(0.99)?;
/// let reward = lake.features.reward(&lake.mdp, &lake.theta)?;
/// // Gymnasium's scale: the goal pays 1 on arrival, and the episode ends.
/// let planning = Planning { paid: Paid::OnArrival, ..Planning::default() };
/// let plan = planning.solve(&lake.mdp, &reward)?;
/// assert!((plan.values[0] - 0.5420).abs() < 1e-4);
/// assert_eq!(plan.policy.action(&lake.mdp, 0), Some(0));
/// // A uniform policy has a much lower value.
/// let uniform = planning.evaluate(&lake.mdp, &reward, &Policy::uniform(&lake.mdp))?;
/// assert!((uniform.values[0] - 0.0124).abs() < 1e-4);
/// // If the goal kept paying 1 for ever, its value would be 1 / (1 - 0.99).
/// let planning = Planning { at_terminal: AtTerminal::KeepsPaying, ..planning };
/// assert!((planning.solve(&lake.mdp, &reward)?.values[15] - 100.0).abs() < 1e-9);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Planning {
    /// γ; the MDP's if `None`. With 1, episodes must end.
    pub discount: Option<f64>,
    /// The largest accepted distance of values from the true ones. If rounding does not allow this accuracy, the limit
    /// of rounding counts as converged: see [`Plan::error_bound`].
    pub tolerance: f64,
    /// The maximum number of policy improvements, or of sweeps if a given policy is evaluated or the discount is 1.
    pub max_iterations: usize,
    /// The value of terminal states.
    pub at_terminal: AtTerminal,
    /// When R_s(s) is paid.
    pub paid: Paid,
    /// The threads. The memory budget is not used. The result does not depend on it.
    pub work: Work,
}

impl Default for Planning {
    fn default() -> Self {
        Planning {
            discount: None,
            tolerance: 1e-10,
            max_iterations: 100_000,
            at_terminal: AtTerminal::Ends,
            paid: Paid::InState,
            work: Work::default(),
        }
    }
}

/// The values of states, with an error bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// V(s) of each state.
    pub values: Vec<f64>,
    /// No value is further from the true one than this, rounding included. `None` with discount 1, where there is no
    /// bound: values have then stopped changing by more than the tolerance.
    pub error_bound: Option<f64>,
    /// The number of sweeps over all states.
    pub sweeps: usize,
    /// Whether the tolerance was reached, or only rounding errors remain.
    pub converged: bool,
}

/// An optimal policy and its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// V*(s) of each state.
    pub values: Vec<f64>,
    /// Greedy for these values. Actions are tied if their values differ by less than twice the error bound and by less
    /// than 1e-9 of the better one; of tied actions the lowest is taken.
    pub policy: Policy,
    /// No value is further from V* than this, rounding included. `None` with discount 1.
    pub error_bound: Option<f64>,
    /// The policy's value is at most this much below V* in any state. `None` with discount 1.
    pub policy_loss: Option<f64>,
    /// The number of policy improvements.
    pub iterations: usize,
    /// The number of sweeps over all states, improvements included.
    pub sweeps: usize,
    /// Whether the tolerance was reached, or only rounding errors remain.
    pub converged: bool,
}

impl Planning {
    /// Solves V(s) = R_s(s) + max_a Σ_s' T(s'|s,a) (R_sa(s,a) + R_sas'(s,a,s') + γ V(s')).
    ///
    /// Uses modified policy iteration: improvements of the policy, with sweeps that evaluate it between them. The
    /// values rise towards V* from below, and MacQueen's bounds tell how far away they still are. With discount 1 there
    /// is no such bound, and a policy may never end. Value iteration from 0 is used instead: after k sweeps it has the
    /// best value that k steps can collect.
    ///
    /// # Errors
    /// If the reward or a setting does not fit, if values would not be finite, or if the discount is 1 and they do not
    /// converge.
    pub fn solve(&self, mdp: &Mdp, reward: &Reward) -> Result<Plan, Error> {
        let (bellman, start) = self.prepare(mdp, reward)?;
        self.on_threads(mdp, || {
            let search = PolicySearch::new(self, &bellman, start);
            if bellman.modulus < 1.0 { search.iterate_policies() } else { search.iterate_values() }
        })
    }

    /// Solves v(s) = R_s(s) + Σ_a π(a|s) Σ_s' T(s'|s,a) (R_sa(s,a) + R_sas'(s,a,s') + γ v(s')).
    ///
    /// # Errors
    /// As [`solve`](Self::solve), or if the policy does not fit the MDP.
    pub fn evaluate(&self, mdp: &Mdp, reward: &Reward, policy: &Policy) -> Result<Values, Error> {
        let (bellman, start) = self.prepare(mdp, reward)?;
        policy.check(mdp)?;
        let chain = Chain::of_policy(&bellman, policy);
        self.on_threads(mdp, || PolicySearch::new(self, &bellman, start).evaluate(&chain))
    }

    /// Q(s, a) of each choice, given V.
    ///
    /// # Errors
    /// If the reward, the values or a setting does not fit.
    pub fn action_values(&self, mdp: &Mdp, reward: &Reward, values: &[f64]) -> Result<Vec<f64>, Error> {
        let (bellman, _) = self.prepare(mdp, reward)?;
        if values.len() != mdp.n_states() {
            return Err(Error::Length { what: "the values", found: values.len(), expected: mdp.n_states() });
        }
        Ok((0..mdp.n_choices()).map(|choice| bellman.action_value(values, choice)).collect())
    }

    /// γ.
    pub fn discount(&self, mdp: &Mdp) -> f64 {
        self.discount.unwrap_or(mdp.discount())
    }

    /// The operator, and the initial values: those of terminal states, and 0 elsewhere.
    fn prepare<'a>(&self, mdp: &'a Mdp, reward: &Reward) -> Result<(Bellman<'a>, Vec<f64>), Error> {
        let discount = self.discount(mdp);
        reward.check(mdp)?;
        if !(0.0..=1.0).contains(&discount) {
            return Err(Error::Discount(discount));
        }
        if self.tolerance.is_nan() || self.tolerance <= 0.0 {
            return Err(Error::Setting { what: "the tolerance of planning", value: self.tolerance, expected: "above 0" });
        }
        if self.max_iterations == 0 {
            return Err(Error::Count { what: "max_iterations", value: 0, least: 1, most: usize::MAX });
        }
        let bellman = Bellman::new(mdp, reward, discount, self.paid);
        let mut start = vec![0.0; mdp.n_states()];
        for state in (0..mdp.n_states()).filter(|&state| mdp.is_terminal(state)) {
            start[state] = self.at_terminal(state, reward.state[state], discount)?;
        }
        let largest = bellman.reward.iter().chain(&start).fold(0.0, |most: f64, pays| most.max(pays.abs()));
        let steps = if discount < 1.0 { 1.0 / (1.0 - discount) } else { self.max_iterations as f64 };
        if largest * steps * 8.0 > f64::MAX {
            return Err(Error::Overflow { what: "the value of a state", value: largest * steps });
        }
        if discount == 1.0 {
            bellman.check_ends()?;
        }
        Ok((bellman, start))
    }

    fn at_terminal(&self, state: usize, reward: f64, discount: f64) -> Result<f64, Error> {
        match (self.at_terminal, self.paid) {
            (AtTerminal::Ends, Paid::InState) => Ok(reward),
            (AtTerminal::Ends, Paid::OnArrival) => Ok(0.0),
            (AtTerminal::KeepsPaying, _) if reward == 0.0 => Ok(0.0),
            (AtTerminal::KeepsPaying, _) if discount < 1.0 => Ok(reward / (1.0 - discount)),
            (AtTerminal::KeepsPaying, _) => Err(Error::PaysForEver { state, reward }),
        }
    }

    fn on_threads<T: Send>(&self, mdp: &Mdp, work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
        Threads::new(self.work.threads)?.run_if(worth_sharing(mdp.n_states()), work)
    }
}
