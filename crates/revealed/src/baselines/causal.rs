//! Maximum causal entropy (Ziebart's thesis, 2010, chapters 5 and 9): a policy instead of a distribution over paths.
//!
//! ```text
//! V_L(s) = R(s)                                     V_t(s) = R(s) at terminal states
//! V_t(s) = R(s) + log Σ_a π0(a|s) e^{Q_t(s,a)}      Q_t(s,a) = Σ_s' T(s'|s,a) (R(s,a) + R(s,a,s') + γ V_{t+1}(s'))
//! π_t(a|s) = π0(a|s) e^{Q_t(s,a)} / Σ_a' π0(a'|s) e^{Q_t(s,a')}
//! p_1 = p0,   p_t(s,a,s') = p_t(s) π_t(a|s) T(s'|s,a),   p_{t+1}(s') = Σ_{s,a} p_t(s,a,s')
//! ```
//!
//! An episode has L states and L-1 actions, or fewer if it reaches a terminal state. Among all policies with the same
//! expected features, this one has the largest causal entropy Σ_t E[H(π_t(·|s_t))]; with γ < 1, the largest
//! *discounted* causal entropy Σ_t γ^{t-1} E[H(π_t(·|s_t))]. With a reference policy π0, entropy is relative to it.
//!
//! MaxEnt differs: there, e^R tilts the outcomes (and the start), as if the agent could choose its luck. Here outcomes
//! keep their probabilities. With γ = 1, a deterministic MDP and paths that end at the horizon, both models are the
//! same.
//!
//! `imitation` (PyPI) also lets the last state choose an action. With its horizon H = L and A actions in every state,
//! its values are V_t + γ^{L-t} log A. Its policies, and its visits to the first L states, are the same as here. It
//! counts one more state, whose reward is not in its values.

mod likelihood;
mod values;

pub use likelihood::{CausalEvaluation, CausalLikelihood};

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use crate::Error;
use crate::engine::Stop;
use crate::engine::inference::{check_horizon, check_reward_size};
use crate::model::Marginals;
use crate::numeric::Work;
use crate::numeric::random::check_number;
use crate::numeric::random::draw;
use crate::numeric::random::stream;
use crate::numeric::threads::Threads;
use crate::world::{Mdp, Occupancy, Reward, Trajectory};
use values::{Backup, CausalValues, LogSum};

/// The policy of maximum causal entropy for one reward, and the distribution of its episodes.
///
/// ```
/// use revealed::{CausalEntropy, Work, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let reward = lake.features.reward(&lake.mdp, &lake.theta)?;
/// let mut causal = CausalEntropy::new(&lake.mdp, reward, 20, &Work::default())?;
/// let policy = causal.policy(1)?;
/// let first: f64 = lake.mdp.choices(0).map(|choice| policy[choice]).sum();
/// assert!((first - 1.0).abs() < 1e-12);
/// assert_eq!(causal.sample(10, 1)?.len(), 10);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug)]
pub struct CausalEntropy<'a> {
    horizon: usize,
    backup: Backup<'a>,
    values: CausalValues,
    threads: Threads,
    expected_value: f64,
    occupancy: Occupancy,
}

/// One time step of the forward pass.
struct CausalStep<'b> {
    t: usize,
    /// γ^{t-1}.
    discount: f64,
    /// p_t(s).
    state: &'b [f64],
    /// p_t(s, a, s'); zeros at t = L.
    transition: &'b [f64],
}

impl<'a> CausalEntropy<'a> {
    /// Computes the policy and its occupancy.
    ///
    /// The cost is two visits to every transition, and two exponentials for every choice, per unit of the horizon.
    ///
    /// # Errors
    /// If the reward does not fit the MDP, or the memory is too small.
    pub fn new(mdp: &'a Mdp, reward: Reward, horizon: usize, work: &Work) -> Result<Self, Error> {
        check_horizon(horizon)?;
        let mut causal = CausalEntropy {
            horizon,
            backup: Backup::new(mdp, Reward::of_states(vec![0.0; mdp.n_states()])),
            values: CausalValues::new(mdp.n_states(), horizon, work.memory)?,
            threads: Threads::new(work.threads)?,
            expected_value: 0.0,
            occupancy: Occupancy::default(),
        };
        causal.solve(reward)?;
        Ok(causal)
    }

    /// Computes them for another reward, in the same memory.
    ///
    /// # Errors
    /// If the reward does not fit the MDP.
    pub fn solve(&mut self, reward: Reward) -> Result<(), Error> {
        let mdp = self.backup.mdp;
        reward.check(mdp)?;
        check_reward_size(&reward, self.horizon)?;
        self.backup = Backup::new(mdp, reward);
        self.threads.clone().run(|| {
            let causal = self;
            causal.values.sweep(&causal.backup);
            let first = causal.values.at(&causal.backup, 1);
            causal.expected_value = mdp.start().iter().map(|&(state, p)| p * first[state]).sum();
            let mut occupancy = Occupancy { state: vec![0.0; mdp.n_states()], transition: vec![0.0; mdp.n_transitions()] };
            causal.walk(causal.horizon, &mut |step| {
                add(step.discount, step.state, &mut occupancy.state);
                add(step.discount, step.transition, &mut occupancy.transition);
            });
            causal.occupancy = occupancy;
        });
        Ok(())
    }

    /// E[V_1(s)] over p0: the largest expected reward plus (discounted) causal entropy.
    pub fn expected_value(&self) -> f64 {
        self.expected_value
    }

    /// Σ_t γ^{t-1} p_t of every state and transition.
    pub fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }

    /// V_t(s) of each state, for t from 1.
    ///
    /// # Errors
    /// If t is not in 1..L.
    pub fn values(&mut self, t: usize) -> Result<Vec<f64>, Error> {
        self.check_time(t, self.horizon)?;
        Ok(self.values.at(&self.backup, t).to_vec())
    }

    /// π_t(a|s) of each choice, for t from 1 to L-1.
    ///
    /// # Errors
    /// If t is not in 1..L-1.
    pub fn policy(&mut self, t: usize) -> Result<Vec<f64>, Error> {
        self.check_time(t, self.horizon - 1)?;
        Ok(self.policy_where(t, |_| true))
    }

    /// p_t(s), p_t(s, a) and p_t(s, a, s'), for t from 1.
    ///
    /// # Errors
    /// If t is not in 1..L.
    pub fn marginals(&mut self, t: usize) -> Result<Marginals, Error> {
        self.check_time(t, self.horizon)?;
        let mdp = self.backup.mdp;
        let mut marginals = Marginals::zeros(mdp);
        self.threads.clone().run(|| {
            self.walk(t, &mut |step| {
                if step.t == t {
                    marginals.state.copy_from_slice(step.state);
                    marginals.transition.copy_from_slice(step.transition);
                }
            });
        });
        for (p, &choice) in marginals.transition.iter().zip(mdp.choice_of()) {
            marginals.choice[choice as usize] += p;
        }
        Ok(marginals)
    }

    /// log p(τ) = log p0(s_1) + Σ_t log π_t(a_t|s_t) + log T(s_{t+1}|s_t,a_t); -∞ if τ is not an episode of the model.
    ///
    /// # Errors
    /// If it is not a path of the MDP.
    pub fn log_prob(&mut self, path: &Trajectory) -> Result<f64, Error> {
        let mdp = self.backup.mdp;
        let fault = |fault| Error::Demonstration { index: 0, id: path.id.clone(), fault };
        let transitions = path.transitions(mdp).map_err(fault)?;
        let (last, length) = (path.states[path.states.len() - 1], path.states.len());
        if length > self.horizon || !Stop::Horizon.allows(mdp.is_terminal(last), last, length, self.horizon) {
            return Ok(f64::NEG_INFINITY);
        }
        let mut log_prob = mdp.start_probability(path.states[0]).ln();
        for (step, &transition) in transitions.iter().enumerate() {
            let next = self.values.at(&self.backup, step + 2);
            log_prob += self.backup.log_policy(mdp.choice_of()[transition] as usize, next);
            log_prob += mdp.probability()[transition].ln();
        }
        Ok(log_prob)
    }

    /// Draws `n` independent episodes. The same seed gives the same episodes.
    ///
    /// # Errors
    /// None after [`new`](Self::new) succeeded.
    pub fn sample(&mut self, n: usize, seed: u64) -> Result<Vec<Trajectory>, Error> {
        check_number(n)?;
        let mdp = self.backup.mdp;
        let mut walkers: Vec<(Trajectory, Pcg64Mcg)> = (0..n as u64)
            .map(|index| {
                let mut rng = Pcg64Mcg::seed_from_u64(stream(seed, index));
                let first = draw(mdp.start().iter().copied(), &mut rng);
                (Trajectory::new(vec![first], Vec::new()), rng)
            })
            .collect();
        for t in 1..self.horizon {
            let next = self.values.at(&self.backup, t + 1);
            for (path, rng) in walkers.iter_mut().filter(|walker| !mdp.is_terminal(walker.0.states[walker.0.states.len() - 1]))
            {
                let state = path.states[path.states.len() - 1];
                let LogSum { largest, sum } = self.backup.log_sum(state, next);
                let policy = |choice| (choice, (self.backup.log_weight(choice, next) - largest).exp() / sum);
                let choice = draw(mdp.choices(state).map(policy), rng);
                path.actions.push(mdp.action_of(choice));
                path.states.push(draw(mdp.outcomes(choice).map(|t| (mdp.to()[t] as usize, mdp.probability()[t])), rng));
            }
        }
        Ok(walkers.into_iter().map(|walker| walker.0).collect())
    }

    fn check_time(&self, t: usize, most: usize) -> Result<(), Error> {
        if (1..=most).contains(&t) { Ok(()) } else { Err(Error::Count { what: "t", value: t, least: 1, most }) }
    }

    /// π_t in the wanted states; zeros elsewhere.
    fn policy_where(&mut self, t: usize, wanted: impl Fn(usize) -> bool + Sync) -> Vec<f64> {
        let (backup, next) = (&self.backup, self.values.at(&self.backup, t + 1));
        let mdp = backup.mdp;
        let mut normaliser = vec![LogSum { largest: 0.0, sum: 0.0 }; mdp.n_states()];
        backup.fill(&mut normaliser, |state| match wanted(state) {
            true => backup.log_sum(state, next),
            false => LogSum { largest: 0.0, sum: 0.0 },
        });
        let mut policy = vec![0.0; mdp.n_choices()];
        backup.fill(&mut policy, |choice| {
            let state = mdp.state_of(choice);
            let LogSum { largest, sum } = normaliser[state];
            if wanted(state) { (backup.log_weight(choice, next) - largest).exp() / sum } else { 0.0 }
        });
        policy
    }

    /// The forward pass up to time `until`.
    fn walk(&mut self, until: usize, visit: &mut dyn FnMut(&CausalStep<'_>)) {
        let mdp = self.backup.mdp;
        let mut state = vec![0.0; mdp.n_states()];
        mdp.start().iter().for_each(|&(first, p)| state[first] = p);
        let mut transition = vec![0.0; mdp.n_transitions()];
        let mut discount = 1.0;
        for t in 1..=until {
            if t < self.horizon {
                let policy = self.policy_where(t, |place| state[place] > 0.0);
                self.backup.fill(&mut transition, |edge| {
                    let chosen = policy[mdp.choice_of()[edge] as usize];
                    state[mdp.from()[edge] as usize] * chosen * mdp.probability()[edge]
                });
            } else {
                transition.fill(0.0);
            }
            visit(&CausalStep { t, discount, state: &state, transition: &transition });
            state.fill(0.0);
            for (p, &to) in transition.iter().zip(mdp.to()) {
                state[to as usize] += p;
            }
            discount *= mdp.discount();
        }
    }
}

fn add(factor: f64, numbers: &[f64], sums: &mut [f64]) {
    sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += factor * number);
}
