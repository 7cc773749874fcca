//! Planning on a known reward: what states are worth, and what is best to do.

mod search;

use self::search::PolicySearch;
use crate::Error;
use crate::numeric::threads::Threads;
use crate::planning::Policy;
use crate::planning::bellman::{Bellman, worth_sharing};
use crate::planning::chain::Chain;
use crate::world::{Mdp, Reward};

/// What a terminal state is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AtTerminal {
    /// The episode is over: V(s) = R(s), paid once. The value of a state is the mean R(τ) of the episodes from there.
    #[default]
    Ends,
    /// It pays for ever: V(s) = R(s) / (1 - γ). The paper's ILE figures are of this kind, with [`Paid::OnArrival`].
    KeepsPaying,
}

impl AtTerminal {
    /// Both, the default first.
    pub const ALL: [AtTerminal; 2] = [AtTerminal::Ends, AtTerminal::KeepsPaying];

    /// As it is written in files and on the command line.
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
    /// For being there, from the first state on: R(τ) = Σ_t γ^{t-1} R_s(s_t) + …, as the paper defines it.
    #[default]
    InState,
    /// By the step that leads there, as in Gymnasium: the first state pays nothing, and every other one a step earlier. A
    /// terminal state that ends an episode is then worth 0.
    OnArrival,
}

impl Paid {
    /// As it is written in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Paid::InState => "in-state",
            Paid::OnArrival => "on-arrival",
        }
    }
}

/// How planning is done.
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
/// // Wandering about is worth much less.
/// let wandering = planning.evaluate(&lake.mdp, &reward, &Policy::uniform(&lake.mdp))?;
/// assert!((wandering.values[0] - 0.0124).abs() < 1e-4);
/// // And if the goal kept paying 1 for ever, it would be worth 1 / (1 - 0.99).
/// let planning = Planning { at_terminal: AtTerminal::KeepsPaying, ..planning };
/// assert!((planning.solve(&lake.mdp, &reward)?.values[15] - 100.0).abs() < 1e-9);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Planning {
    /// γ; the MDP's unless set. With 1, episodes must end.
    pub discount: Option<f64>,
    /// How far values may be from the true ones. What rounding does not let be told apart counts as reached:
    /// [`Plan::error_bound`] says what was.
    pub tolerance: f64,
    /// Improvements of the policy, or sweeps where a given policy is evaluated or the discount is 1, at most.
    pub max_iterations: usize,
    /// What terminal states are worth.
    pub at_terminal: AtTerminal,
    /// When R_s(s) is paid.
    pub paid: Paid,
    /// Threads to use; as many as there are cores unless set. Any number gives the same bits.
    pub threads: Option<usize>,
}

impl Default for Planning {
    fn default() -> Self {
        Planning {
            discount: None,
            tolerance: 1e-10,
            max_iterations: 100_000,
            at_terminal: AtTerminal::Ends,
            paid: Paid::InState,
            threads: None,
        }
    }
}

/// What states are worth, with an error bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// V(s) of each state.
    pub values: Vec<f64>,
    /// No value is further from the true one than this, rounding included. `None` with discount 1, where nothing bounds
    /// the error: values had then stopped moving by more than the tolerance.
    pub error_bound: Option<f64>,
    /// How often every state was visited.
    pub sweeps: usize,
    /// Whether the tolerance was reached, or rounding alone is left.
    pub converged: bool,
}

/// An optimal policy and what it is worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// V*(s) of each state.
    pub values: Vec<f64>,
    /// Greedy for these values. Actions count as equal if their values differ by less than twice the error bound, and by
    /// less than 1e-9 of the better one: of those the lowest is taken.
    pub policy: Policy,
    /// No value is further from V* than this, rounding included. `None` with discount 1.
    pub error_bound: Option<f64>,
    /// The policy is worth at most this much less than V* in any state. `None` with discount 1.
    pub policy_loss: Option<f64>,
    /// How often the policy was improved.
    pub iterations: usize,
    /// How often every state was visited, improvements included.
    pub sweeps: usize,
    /// Whether the tolerance was reached, or rounding alone is left.
    pub converged: bool,
}

impl Planning {
    /// Solves V(s) = R_s(s) + max_a Σ_s' T(s'|s,a) (R_sa(s,a) + R_sas'(s,a,s') + γ V(s')).
    ///
    /// Modified policy iteration: improvements of the policy, and between them sweeps that evaluate it. The values rise
    /// towards V* from below, and the bounds of MacQueen say how far they have to go. With discount 1 there is no such
    /// bound, and a policy may never end: then it is value iteration from 0, which is the best that can be had in k steps
    /// as k grows.
    ///
    /// # Errors
    /// If the reward or a setting does not fit, if values would not be finite, or if they do not settle with discount 1.
    pub fn solve(&self, mdp: &Mdp, reward: &Reward) -> Result<Plan, Error> {
        let (bellman, start) = self.prepare(mdp, reward)?;
        self.on_threads(mdp, || {
            let search = PolicySearch::new(self, &bellman, start);
            if bellman.modulus < 1.0 { Ok(search.iterate_policies()) } else { search.iterate_values() }
        })
    }

    /// Solves v(s) = R_s(s) + Σ_a π(a|s) Σ_s' T(s'|s,a) (R_sa(s,a) + R_sas'(s,a,s') + γ v(s')).
    ///
    /// # Errors
    /// As [`solve`](Self::solve), or if the policy is one of another MDP.
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

    /// The operator, and values to start from: those of terminal states, and 0.
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
        Threads::new(self.threads)?.run_if(worth_sharing(mdp.n_states()), work)
    }
}
