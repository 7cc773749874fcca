//! The objectives of learning in the causal model.

use std::collections::BTreeMap;

use crate::Error;
use crate::causal::passes::{CausalPasses, Deeds, Impossible, Sources};
use crate::engine::path_set::PathSet;
use crate::engine::{Horizon, Stop};
use crate::error::DemonstrationFault;
use crate::model::border;
use crate::model::likelihood::{check_endings, observed};
use crate::model::{Ends, Options};
use crate::numeric::threads::Threads;
use crate::numeric::vector::{all_representable, dot, minus};
use crate::world::{Demonstrations, Features, Mdp};

/// What learning in the causal model maximises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CausalObjective {
    /// The likelihood of the actions given the states, Σ_t log π_t(a_t|s_t): the dynamic discrete choice model. The
    /// luck of the demonstrations is not evidence. Not concave in general.
    #[default]
    Likelihood,
    /// The dual of feature matching, J(θ) = `E_D[θ·φ(τ)] - E[V_1]`: at its maximum, the expected features of the model
    /// are those of the demonstrations. Concave. Lucky outcomes count as if they had been chosen.
    Dual,
}

/// Demonstrations under the causal model, as a function of θ.
///
/// ```
/// use revealed::{CausalLikelihood, CausalObjective, Demonstrations, Ends, Features, MdpBuilder, Options, Trajectory};
///
/// let mut builder = MdpBuilder::new(3, 2);
/// builder.start(0, 1.0).terminal(1).terminal(2).transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
/// let mdp = builder.build()?;
/// let features = Features::one_hot(&mdp);
/// let demos = Demonstrations::new(&mdp, &[Trajectory::new(vec![0, 1], vec![0])])?;
/// let options = Options { ends: Ends::Horizon, ..Options::default() };
/// let mut causal = CausalLikelihood::new(&mdp, &features, &demos, &options, CausalObjective::Likelihood)?;
/// let evaluation = causal.evaluate(&[0.0, 3f64.ln(), 0.0])?;
/// assert!((evaluation.log_likelihood - 0.75f64.ln()).abs() < 1e-15);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug)]
pub struct CausalLikelihood<'a> {
    mdp: &'a Mdp,
    features: &'a Features,
    demos: &'a Demonstrations,
    objective: CausalObjective,
    ends: Ends,
    horizon: Horizon,
    groups: Vec<CausalGroup>,
    observed: Vec<f64>,
    /// E_D[log p0 + Σ log T]: what the agent does not decide.
    mean_log_chance: f64,
    passes: CausalPasses,
    threads: Threads,
}

/// Demonstrations with the same ends.
#[derive(Debug)]
struct CausalGroup {
    stop: Stop,
    /// The demonstrations.
    members: Vec<usize>,
    deeds: Deeds,
    /// The first states and their weights.
    starts: Vec<(usize, f64)>,
}

/// The causal model at one θ.
#[derive(Debug, Clone, PartialEq)]
pub struct CausalEvaluation {
    /// The value that learning maximises. For [`CausalObjective::Likelihood`] it is `log_likelihood`.
    pub objective: f64,
    /// Its gradient.
    pub gradient: Vec<f64>,
    /// The mean over the demonstrations of log p(τ), where p(τ) = p0 Π π_t T is the model's distribution over episodes.
    /// With [`Ends::Goal`] the first state is given, and p0 is left out. The demonstrated actions have the same
    /// likelihood up to a constant.
    pub log_likelihood: f64,
}

impl<'a> CausalLikelihood<'a> {
    /// Checks that the demonstrations are episodes of the model, and prepares the evaluation. Without a horizon and with
    /// [`Ends::Horizon`], they may be parts of episodes.
    ///
    /// # Errors
    /// If a demonstration is longer than the horizon, or ends where no episode ends.
    pub fn new(
        mdp: &'a Mdp,
        features: &'a Features,
        demos: &'a Demonstrations,
        options: &Options,
        objective: CausalObjective,
    ) -> Result<CausalLikelihood<'a>, Error> {
        let (ends, horizon) = (options.ends, options.horizon.unwrap_or(Horizon::AtMost(demos.longest())));
        crate::engine::inference::check_horizon(horizon)?;
        check_endings(mdp, demos, ends, horizon)?;
        let observed = observed(mdp, features, demos);
        all_representable("a mean feature of the demonstrations", &observed)?;
        let passes = CausalPasses::new(mdp, horizon, !features.on_states_only(), options.work.memory)?;
        Ok(CausalLikelihood {
            mdp,
            features,
            demos,
            objective,
            ends,
            horizon,
            groups: groups(mdp, demos, ends, horizon),
            observed,
            mean_log_chance: mean_log_chance(mdp, demos, ends),
            passes,
            threads: Threads::new(options.work.threads)?,
        })
    }

    /// How many states an episode may have.
    pub fn horizon(&self) -> Horizon {
        self.horizon
    }

    /// Where episodes end.
    pub fn ends(&self) -> Ends {
        self.ends
    }

    /// E_D[φ(τ)].
    pub fn observed(&self) -> &[f64] {
        &self.observed
    }

    /// The objective, its gradient, and the log-likelihood. It visits every transition twice per time step. Without a
    /// horizon it solves the soft Bellman equation and one linear system.
    ///
    /// # Errors
    /// If θ has the wrong length or is not finite, if a demonstration is impossible, or if a result is not finite.
    pub fn evaluate(&mut self, theta: &[f64]) -> Result<CausalEvaluation, Error> {
        self.at(theta, self.objective)
    }

    /// `E_D[φ] - E_π[φ]`, discounted: the observed minus the expected features.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn feature_difference(&mut self, theta: &[f64]) -> Result<Vec<f64>, Error> {
        Ok(self.at(theta, CausalObjective::Dual)?.gradient)
    }

    fn at(&mut self, theta: &[f64], objective: CausalObjective) -> Result<CausalEvaluation, Error> {
        let reward = self.features.reward(self.mdp, theta)?;
        let large = self.passes.is_large();
        let (likelihood, value, sum) = self.threads.clone().run_if(large, || self.sums(&reward, objective))?;
        let log_likelihood = border::log_probability("the log-likelihood", likelihood + self.mean_log_chance)?;
        let (objective, gradient) = match objective {
            CausalObjective::Likelihood => (log_likelihood, sum),
            CausalObjective::Dual => (dot(&self.observed, theta) - value, minus(&self.observed, &sum)),
        };
        all_representable("the objective or the log-likelihood", &[objective, log_likelihood])?;
        all_representable("a component of the gradient", &gradient)?;
        Ok(CausalEvaluation { objective, gradient, log_likelihood })
    }

    /// The gradient of log p(τ) of each demonstration: one row for each, in their order. Their weighted mean is the
    /// gradient of the log-likelihood. It costs a backward pass for each parameter.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn scores(&mut self, theta: &[f64]) -> Result<Vec<Vec<f64>>, Error> {
        let reward = self.features.reward(self.mdp, theta)?;
        let CausalLikelihood { mdp, features, demos, groups, passes, horizon, .. } = self;
        let (layout, n) = (passes.layout(), features.n_features());
        let mut scores = vec![vec![0.0; n]; demos.len()];
        for group in groups.iter() {
            let paths = PathSet { horizon: *horizon, stop: group.stop };
            if let Err(impossible) = passes.solve(mdp, &reward, paths, &group.deeds)? {
                return Err(fault(mdp, demos, *horizon, impossible));
            }
            let done = done_at(mdp, demos, &group.members, paths);
            (0..n).try_for_each(|k| {
                let (of_state, of_choice) = features.of_one(mdp, k);
                let of_place = layout.by_place(|state| of_state[state]);
                let slots = layout.choice_of_slot.iter();
                let of_slot: Vec<f64> = slots.map(|&c| of_choice.get(c as usize).copied().unwrap_or(0.0)).collect();
                let mut terms = Vec::new();
                passes.derivative(mdp, &of_place, &of_slot, &mut |t, value, next| {
                    for &(index, choice, state) in &done[if *horizon == Horizon::Any { 0 } else { t - 1 }] {
                        let place = layout.place_of_state[state] as usize;
                        let chosen = choice.map_or(0.0, |choice: usize| {
                            let later = layout.expected(layout.slot_of_choice[choice] as usize, next);
                            of_choice[choice] + mdp.discount() * later
                        });
                        terms.push((index, chosen - (value[place] - of_place[place])));
                    }
                })?;
                terms.into_iter().for_each(|(index, term)| scores[index][k] += term);
                Ok::<(), Error>(())
            })?;
        }
        Ok(scores)
    }

    /// The log-likelihood of what was done, E[V_1], and the features of the (signed) visits.
    fn sums(&mut self, reward: &crate::world::Reward, objective: CausalObjective) -> Result<(f64, f64, Vec<f64>), Error> {
        let CausalLikelihood { mdp, features, groups, passes, horizon, ends, .. } = self;
        let (mut likelihood, mut value, mut sum) = (0.0, 0.0, vec![0.0; features.n_features()]);
        for group in groups.iter() {
            let paths = PathSet { horizon: *horizon, stop: group.stop };
            match passes.solve(mdp, reward, paths, &group.deeds)? {
                Ok(of_group) => likelihood += of_group,
                Err(impossible) => return Err(fault(mdp, self.demos, *horizon, impossible)),
            }
            let (starts, share) = passes.alive(&group.starts);
            // p0 is normalised over the first states of the model.
            likelihood -= if *ends == Ends::Goal { 0.0 } else { share.ln() };
            let sources = match objective {
                CausalObjective::Likelihood => Sources::Deeds(&group.deeds),
                CausalObjective::Dual => {
                    passes.check_start(mdp, reward, paths, &starts)?;
                    Sources::Start(&starts)
                }
            };
            value += passes.expected_value(&starts);
            let visits = passes.visits(mdp, sources)?;
            sum.iter_mut().zip(features.expectation(mdp, &visits)).for_each(|(sum, of_group)| *sum += of_group);
        }
        Ok((likelihood, value, sum))
    }
}

/// The groups of demonstrations, with weights that sum to 1 over all groups.
fn groups(mdp: &Mdp, demos: &Demonstrations, ends: Ends, horizon: Horizon) -> Vec<CausalGroup> {
    let mut by_stop: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for index in (0..demos.len()).filter(|&index| demos.weight(index) > 0.0) {
        let states = demos.states(index);
        let goal = (ends == Ends::Goal).then(|| states[states.len() - 1] as usize);
        by_stop.entry(goal).or_default().push(index);
    }
    let stop = |goal: Option<usize>| match (ends, goal) {
        (Ends::Goal, Some(goal)) => Stop::At(goal),
        (Ends::Anywhere | Ends::Goal, _) => Stop::Anywhere,
        (Ends::Horizon, _) => Stop::Horizon,
        (Ends::Terminal, _) => Stop::Terminal,
    };
    let group = |(goal, members): (Option<usize>, Vec<usize>)| {
        let stop = stop(goal);
        let starts = match ends {
            Ends::Goal => {
                let share = |&index: &usize| (demos.states(index)[0] as usize, demos.weight(index) / demos.total_weight());
                members.iter().map(share).collect()
            }
            _ => mdp.start().to_vec(),
        };
        CausalGroup { stop, deeds: deeds(mdp, demos, &members, PathSet { horizon, stop }), members, starts }
    };
    by_stop.into_iter().map(group).collect()
}

/// A choice, or the end, of a demonstration: (the demonstration, the choice, the state).
type Done = (usize, Option<usize>, usize);

/// What each of these demonstrations chose, by time; in one list without a horizon.
fn done_at(mdp: &Mdp, demos: &Demonstrations, members: &[usize], paths: PathSet) -> Vec<Vec<Done>> {
    let mut done: Vec<Vec<Done>> = vec![Vec::new(); paths.horizon.at_most().unwrap_or(1)];
    for &index in members {
        let place = |step: usize| if paths.horizon == Horizon::Any { 0 } else { step };
        for (step, &transition) in demos.transitions(index).iter().enumerate() {
            let choice = mdp.choice_of()[transition as usize] as usize;
            done[place(step)].push((index, Some(choice), mdp.state_of(choice)));
        }
        let (length, last) = (demos.states(index).len(), demos.states(index)[demos.states(index).len() - 1] as usize);
        // At the horizon and in terminal states, every episode ends.
        let chose = !mdp.is_terminal(last) && paths.horizon != Horizon::AtMost(length);
        if chose && paths.may_end(false, last, length) {
            done[place(length - 1)].push((index, None, last));
        }
    }
    done
}

/// What these demonstrations did together, by time.
fn deeds(mdp: &Mdp, demos: &Demonstrations, members: &[usize], paths: PathSet) -> Deeds {
    let done = done_at(mdp, demos, members, paths);
    let mut choices: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); done.len()];
    let mut stops = choices.clone();
    for (time, done) in done.into_iter().enumerate() {
        for (index, choice, state) in done {
            let weight = demos.weight(index) / demos.total_weight();
            match choice {
                Some(choice) => *choices[time].entry(choice).or_default() += weight,
                None => *stops[time].entry(state).or_default() += weight,
            }
        }
    }
    let lists = |maps: Vec<BTreeMap<usize, f64>>| maps.into_iter().map(|map| map.into_iter().collect()).collect();
    Deeds { choices: lists(choices), stops: lists(stops) }
}

/// E_D[log p0 + Σ log T], without p0 if the first state is given.
fn mean_log_chance(mdp: &Mdp, demos: &Demonstrations, ends: Ends) -> f64 {
    let of = |index: usize| {
        let start = if ends == Ends::Goal { 0.0 } else { mdp.start_probability(demos.states(index)[0] as usize).ln() };
        let steps: f64 = demos.transitions(index).iter().map(|&step| mdp.probability()[step as usize].ln()).sum();
        demos.weight(index) / demos.total_weight() * (start + steps)
    };
    (0..demos.len()).filter(|&index| demos.weight(index) > 0.0).map(of).sum()
}

/// The error that names the demonstration.
fn fault(mdp: &Mdp, demos: &Demonstrations, horizon: Horizon, impossible: Impossible) -> Error {
    let is_at = |t: usize, step: usize| horizon == Horizon::Any || t == step + 1;
    let of_demo = |index: usize| {
        let (states, steps) = (demos.states(index), demos.transitions(index));
        match impossible {
            Impossible::Choice(t, choice) => {
                let is_it = |(step, transition): (usize, &u32)| {
                    is_at(t, step) && mdp.choice_of()[*transition as usize] as usize == choice
                };
                let step = steps.iter().enumerate().position(is_it)?;
                let (state, action) = (mdp.state_of(choice), mdp.action_of(choice));
                Some((index, DemonstrationFault::Unsafe { step, state, action }))
            }
            Impossible::Stop(_, state) => {
                let fault = DemonstrationFault::Unsafe { step: states.len() - 1, state, action: 0 };
                (states[states.len() - 1] as usize == state).then_some((index, fault))
            }
        }
    };
    match (0..demos.len()).find_map(of_demo) {
        Some((index, fault)) => Error::Demonstration { index, id: demos.id(index).map(str::to_string), fault },
        None => Error::Overflow { what: "the log-likelihood", value: f64::NEG_INFINITY },
    }
}
