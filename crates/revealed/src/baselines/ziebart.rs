//! "Expected Edge Frequency Calculation": Algorithm 1 of Ziebart, Maas, Bagnell and Dey (AAAI 2008), and its revision
//! of 2010, as printed. Both are baselines: the paper's appendix shows that neither computes the expectations of the
//! MaxEnt model.
//!
//! ```text
//!      2008                                                   2010, where it differs
//! (1)  Z_s = 1                                                Z_s = 1{s terminal}
//! (2)  N times:  Z_a = Σ_k P(s_k|s_i,a) e^{R(s_i)} Z_{s_k}
//!                Z_{s_i} = Σ_a Z_a                            Z_{s_i} = Σ_a Z_a + 1{s_i terminal}
//! (3)  P(a|s_i) = Z_a / Z_{s_i}
//! (4)  D_{s_i,1} = p0(s_i)
//! (5)  D_{s_i,t+1} = Σ_a Σ_k D_{s_k,t} P(a|s_i) P(s_k|a,s_i)  D_{s_k,t+1} = Σ_{s_i} Σ_a D_{s_i,t} P(a|s_i) P(s_k|a,s_i)
//! (6)  D_s = Σ_{t=1..N} D_{s,t}
//! ```
//!
//! Step (5) of 2008 has its indices in the printed order: visits flow from s_k back to s_i, and their sum is not
//! preserved. 2010 corrects it. Neither has a discount, a reference policy, or rewards of actions.

mod plain;

use crate::Error;
use crate::cancel::Pace;
use crate::engine::inference::{check_horizon, check_reward_size};
use crate::numeric::rows::{fill, worth_sharing};
use crate::numeric::scaled::{Scaled, power_of_two};
use crate::world::parents::Parents;
use crate::world::{Mdp, Reward};

/// The text that is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZiebartVersion {
    /// The paper of 2008.
    Y2008,
    /// Its revision of 2010.
    Y2010,
}

/// How a terminal state behaves in an algorithm that is written for states with actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminals {
    /// It leads to itself under every action and pays its reward each time: Gymnasium's encoding.
    Loop,
    /// It has no actions. Its sums over actions are empty: with 2008, Z is 0 there and wherever every path leads there.
    End,
}

/// One of the two published algorithms.
///
/// Choices where the text is not explicit:
/// - N is the horizon L, so that D counts the states of paths up to the longest one.
/// - Without any terminal state, 1{s terminal} is taken to be 1 everywhere: a path may end in any state. (Read
///   literally, Z would be 0 everywhere.) P(a|s) then sums to less than 1, and visits decrease from step to step.
/// - If Z_s = 0, because no terminal state can be reached in N steps, P(a|s) = 0/0 is taken to be uniform.
///
/// ```
/// use revealed::{Reward, Ziebart, ZiebartVersion, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let reward = lake.features.reward(&lake.mdp, &lake.theta)?;
/// let pass = Ziebart::new(ZiebartVersion::Y2010).visits(&lake.mdp, &reward, 20)?;
/// assert!(pass.visits.iter().sum::<f64>() <= 20.0);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ziebart {
    /// The text that is followed.
    pub version: ZiebartVersion,
    /// How terminal states are treated.
    pub terminals: Terminals,
}

/// All the numbers that the algorithm computes.
#[derive(Debug, Clone, PartialEq)]
pub struct ZiebartPass {
    /// log Z_s of each state after N iterations; -∞ where Z is 0.
    pub log_partition: Vec<f64>,
    /// P(a|s) of each choice (s, a).
    pub action_probability: Vec<f64>,
    /// D_s of each state.
    pub visits: Vec<f64>,
}

impl Ziebart {
    /// Treats terminal states in the way that suits the version: loops for 2008, which has no terminal states, ends for
    /// 2010.
    pub fn new(version: ZiebartVersion) -> Self {
        let terminals = match version {
            ZiebartVersion::Y2008 => Terminals::Loop,
            ZiebartVersion::Y2010 => Terminals::End,
        };
        Ziebart { version, terminals }
    }

    /// Runs the algorithm with N = `horizon`.
    ///
    /// The cost is two visits to every transition per unit of the horizon. Z is stored as `f64` with one common scale
    /// if all of it fits, and otherwise as mantissas and exponents, because rewards in metres can be very large. Both
    /// give the same rounding.
    ///
    /// # Errors
    /// If the reward does not fit the MDP, if it has rewards of actions, or if there is a reference policy.
    pub fn visits(&self, mdp: &Mdp, reward: &Reward, horizon: usize) -> Result<ZiebartPass, Error> {
        reward.check(mdp)?;
        check_horizon(horizon)?;
        check_reward_size(reward, horizon)?;
        if reward.transition.iter().any(|&reward| reward != 0.0) {
            return Err(Error::StateRewardsOnly { method: self.name() });
        }
        if mdp.reference().is_some() {
            return Err(Error::NoReference { method: self.name() });
        }
        let run = Run::new(*self, mdp, reward);
        let [before, last] = match run.plain_partitions(horizon)? {
            Some(plain) => plain,
            None => run.partitions(horizon)?,
        };
        let action_probability = run.action_probabilities(&before, &last);
        let visits = run.state_visits(&action_probability, &run.staying(&before, &last), horizon)?;
        let log_partition = last.iter().map(|z| z.ln()).collect();
        Ok(ZiebartPass { log_partition, action_probability, visits })
    }

    fn name(self) -> &'static str {
        match self.version {
            ZiebartVersion::Y2008 => "ziebart2008",
            ZiebartVersion::Y2010 => "ziebart2010",
        }
    }
}

/// The algorithm on one problem.
struct Run<'a> {
    algorithm: Ziebart,
    mdp: &'a Mdp,
    /// e^{R(s)}.
    factor: Vec<Scaled>,
    may_end_anywhere: bool,
    share: bool,
}

impl<'a> Run<'a> {
    fn new(algorithm: Ziebart, mdp: &'a Mdp, reward: &Reward) -> Self {
        Run {
            algorithm,
            mdp,
            factor: reward.state.iter().map(|&reward| Scaled::exp(reward)).collect(),
            may_end_anywhere: !(0..mdp.n_states()).any(|state| mdp.is_terminal(state)),
            share: worth_sharing(mdp.n_transitions()),
        }
    }

    /// 1{s terminal}.
    fn indicator(&self, state: usize) -> Scaled {
        if self.may_end_anywhere || self.mdp.is_terminal(state) { Scaled::ONE } else { Scaled::ZERO }
    }

    fn loops(&self, state: usize) -> bool {
        self.algorithm.terminals == Terminals::Loop && self.mdp.is_terminal(state)
    }

    /// Steps (1) and (2): Z of the last iteration but one, and of the last.
    fn partitions(&self, iterations: usize) -> Result<[Vec<Scaled>; 2], Error> {
        let n_states = self.mdp.n_states();
        let mut before: Vec<Scaled> = match self.algorithm.version {
            ZiebartVersion::Y2008 => vec![Scaled::ONE; n_states],
            ZiebartVersion::Y2010 => (0..n_states).map(|state| self.indicator(state)).collect(),
        };
        let (mut last, mut pace) = (vec![Scaled::ZERO; n_states], Pace::default());
        for iteration in 1..=iterations {
            pace.spend(self.mdp.n_transitions())?;
            fill(self.share, &mut last, |state| self.partition(state, &before));
            // Values that have converged to the last bit no longer change.
            if iteration == iterations || last == before {
                break;
            }
            std::mem::swap(&mut before, &mut last);
        }
        Ok([before, last])
    }

    /// Z_s from the Z of its children.
    fn partition(&self, state: usize, next: &[Scaled]) -> Scaled {
        let sum = if self.loops(state) {
            self.loop_weight(state, next)
        } else {
            self.factor[state] * self.weighted(self.mdp.children(state), next)
        };
        match self.algorithm.version {
            ZiebartVersion::Y2008 => sum,
            ZiebartVersion::Y2010 => sum + self.indicator(state),
        }
    }

    /// Σ_a Z_a of a terminal state that leads to itself.
    fn loop_weight(&self, state: usize, next: &[Scaled]) -> Scaled {
        Scaled::from(self.mdp.n_actions() as f64) * self.factor[state] * next[state]
    }

    /// Σ P(s_k|s_i,a) Z_{s_k} over some transitions.
    fn weighted(&self, transitions: std::ops::Range<usize>, next: &[Scaled]) -> Scaled {
        let (to, probability) = (&self.mdp.to()[transitions.clone()], &self.mdp.probability()[transitions]);
        let largest = to.iter().fold(f64::NEG_INFINITY, |largest, &to| largest.max(next[to as usize].exponent));
        if largest == f64::NEG_INFINITY {
            return Scaled::ZERO;
        }
        let term = |(&to, p): (&u32, &f64)| {
            let z = next[to as usize];
            p * z.mantissa * power_of_two(z.exponent - largest)
        };
        let sum = Scaled::from(to.iter().zip(probability).map(term).sum::<f64>());
        Scaled { exponent: sum.exponent + largest, ..sum }
    }

    /// Step (3): P(a|s) of each choice.
    fn action_probabilities(&self, before: &[Scaled], last: &[Scaled]) -> Vec<f64> {
        let mut probability = vec![0.0; self.mdp.n_choices()];
        fill(self.share, &mut probability, |choice| {
            let state = self.mdp.state_of(choice);
            if last[state].is_zero() {
                return 1.0 / self.mdp.choices(state).len() as f64;
            }
            (self.factor[state] * self.weighted(self.mdp.outcomes(choice), before) / last[state]).to_f64()
        });
        probability
    }

    /// Σ_a P(a|s) of the terminal states that lead to themselves; 0 elsewhere.
    fn staying(&self, before: &[Scaled], last: &[Scaled]) -> Vec<f64> {
        let stays = |state| if self.loops(state) { (self.loop_weight(state, before) / last[state]).to_f64() } else { 0.0 };
        (0..self.mdp.n_states()).map(stays).collect()
    }

    /// Steps (4) to (6).
    fn state_visits(&self, action_probability: &[f64], staying: &[f64], horizon: usize) -> Result<Vec<f64>, Error> {
        let (mdp, n_states) = (self.mdp, self.mdp.n_states());
        // The sources of each state's visits: its children in the printed order of 2008, its parents in 2010.
        let (mut first, mut from, mut flow) = (vec![0], Vec::new(), Vec::new());
        let of = |transition: usize| action_probability[mdp.choice_of()[transition] as usize] * mdp.probability()[transition];
        match self.algorithm.version {
            ZiebartVersion::Y2008 => {
                first = self.first_children();
                from.extend_from_slice(mdp.to());
                flow.extend((0..mdp.n_transitions()).map(of));
            }
            ZiebartVersion::Y2010 => {
                let parents = Parents::taken(mdp);
                for state in 0..n_states {
                    from.extend(parents.of(state).iter().map(|&transition| mdp.from()[transition as usize]));
                    flow.extend(parents.of(state).iter().map(|&transition| of(transition as usize)));
                    first.push(flow.len() as u32);
                }
            }
        }
        let mut now = vec![0.0; n_states];
        mdp.start().iter().for_each(|&(state, p)| now[state] = p);
        let (mut next, mut visits, mut pace) = (vec![0.0; n_states], now.clone(), Pace::default());
        for _ in 1..horizon {
            pace.spend(mdp.n_transitions())?;
            fill(self.share, &mut next, |state| {
                let steps = first[state] as usize..first[state + 1] as usize;
                let terms = from[steps.clone()].iter().zip(&flow[steps]).map(|(&from, flow)| now[from as usize] * flow);
                terms.fold(now[state] * staying[state], |sum, term| sum + term)
            });
            std::mem::swap(&mut now, &mut next);
            visits.iter_mut().zip(&now).for_each(|(visits, now)| *visits += now);
        }
        Ok(visits)
    }

    /// Where the transitions of each state begin, and the end of the last.
    fn first_children(&self) -> Vec<u32> {
        let starts = (0..self.mdp.n_states()).map(|state| self.mdp.children(state).start as u32);
        starts.chain([self.mdp.n_transitions() as u32]).collect()
    }
}
