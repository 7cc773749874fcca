//! Nine questions to a random world, each answered twice: by the library and by enumeration.
//!
//! | question | what is compared |
//! |---|---|
//! | likelihood | the log-likelihood of the demonstrations |
//! | gradient | its gradient; for a causal model, that of the dual |
//! | marginals | p_t of states, actions and transitions at every t |
//! | lengths | the distribution of the number of states, its mean and its variance |
//! | destinations | the posterior after half of a demonstration |
//! | best paths | the log-weights of the three best paths |
//! | samples | that drawn paths are possible, and their log-probabilities |
//! | policy | π_t and σ_t at every t, and the stationary projection |
//! | scores | log p(τ) of every demonstration |
//!
//! An answer is [`WorldOutcome::Equal`] or [`WorldOutcome::Refused`]. Everything else is [`WorldOutcome::Wrong`].

use super::exact::{ExactPath, continuations, exact_paths, exact_visits, left_out, log_sum};
use super::{DoubleDouble, ExtremeWorld};
use crate::engine::{Horizon, Stop};
use crate::model::{CausalLikelihood, CausalObjective, Chance, Ends, Given, Likelihood, Options, PathDistribution, PathModel};
use crate::numeric::Work;
use crate::policies::PolicyAt;
use crate::questions::{Destinations, Prior, lengths, sample, scores};
use crate::routes::{PathQuery, best_paths};
use crate::world::{Demonstrations, Mdp, Occupancy, Reward, Trajectory};
use crate::{Error, StationaryPolicy};

/// The questions.
pub const QUESTIONS: [&str; 9] =
    ["likelihood", "gradient", "marginals", "lengths", "destinations", "best paths", "samples", "policy", "scores"];

/// Those that are refused if there is no path, and only then.
const NEEDS_PATHS: [&str; 4] = ["marginals", "lengths", "samples", "policy"];
/// Answers agree to this where rewards are small.
const TOLERANCE: f64 = 1e-9;
/// Where rewards are large, answers agree to at least this: what `Error::DigitsLost` promises, for a few steps.
const LEAST_AGREEMENT: f64 = 1e-2;
/// Log-probabilities agree to this share of their size.
const RELATIVE: f64 = 1e-8;
/// The probability of states whose policy is compared, and the least of a path that is drawn.
const SEEN: f64 = 1e-12;

/// What became of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum WorldOutcome {
    /// The answer is that of enumeration.
    Equal,
    /// An error, by the name of its kind.
    Refused(String),
    /// Anything else.
    Wrong(String),
    /// Enumeration has no answer.
    NotCompared,
}

/// The outcomes of the nine questions, in the order of [`QUESTIONS`].
pub fn ask(world: &ExtremeWorld) -> Vec<WorldOutcome> {
    let prepared = world.reward().and_then(|reward| Ok((reward, world.model()?)));
    let (reward, model) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return vec![refused(&error); QUESTIONS.len()],
    };
    let asked = Asked::new(world, &reward, &model);
    if asked.is_incomplete() {
        return vec![WorldOutcome::NotCompared; QUESTIONS.len()];
    }
    let impossible_demo = asked.shares_of_demos().any(|(index, _)| asked.log_p_of_demo(index) == f64::NEG_INFINITY);
    let questions: [&dyn Fn() -> Result<(), Failure>; 9] = [
        &|| asked.likelihood(),
        &|| asked.gradient(),
        &|| asked.marginals(),
        &|| asked.lengths(),
        &|| asked.destinations(),
        &|| asked.best_paths(),
        &|| asked.samples(),
        &|| asked.policy(),
        &|| asked.scores(),
    ];
    let answer = |(place, question): (usize, &&dyn Fn() -> Result<(), Failure>)| match outcome(question()) {
        // Errors that say that something does not exist must be true.
        WorldOutcome::Refused(kind)
            if kind == "NoPath" && NEEDS_PATHS.contains(&QUESTIONS[place]) && !asked.paths.is_empty() =>
        {
            WorldOutcome::Wrong("no path, but there are some".to_string())
        }
        WorldOutcome::Refused(kind) if kind == "Demonstration" && !impossible_demo => {
            WorldOutcome::Wrong("an impossible demonstration, but all are possible".to_string())
        }
        outcome => outcome,
    };
    questions.iter().enumerate().map(answer).collect()
}

/// Why an answer is not equal.
enum Failure {
    Refused(Error),
    Wrong(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Refused(error)
    }
}

fn outcome(answer: Result<(), Failure>) -> WorldOutcome {
    match answer {
        Ok(()) => WorldOutcome::Equal,
        Err(Failure::Refused(error)) => refused(&error),
        Err(Failure::Wrong(what)) => WorldOutcome::Wrong(what),
    }
}

fn refused(error: &Error) -> WorldOutcome {
    let text = format!("{error:?}");
    WorldOutcome::Refused(text.split([' ', '(', '{']).next().unwrap_or_default().to_string())
}

/// A world, its model, and its paths by enumeration.
struct Asked<'a> {
    world: &'a ExtremeWorld,
    reward: &'a Reward,
    model: &'a PathModel<'a>,
    /// The last state, for a model with goals: that of the first demonstration.
    to: Option<usize>,
    paths: Vec<ExactPath>,
    tolerance: f64,
}

impl<'a> Asked<'a> {
    fn new(world: &'a ExtremeWorld, reward: &'a Reward, model: &'a PathModel<'a>) -> Asked<'a> {
        let last = |states: &[u32]| states[states.len() - 1] as usize;
        let to = (world.ends == Ends::Goal).then(|| last(world.demonstrations.states(0)));
        let error = 20.0 * f64::EPSILON * world.longest as f64 * world.largest_reward();
        let tolerance = (TOLERANCE + error).min(LEAST_AGREEMENT);
        let mut asked = Asked { world, reward, model, to, paths: Vec::new(), tolerance };
        asked.paths = asked.paths_from(world.mdp.start(), asked.stop(to));
        asked
    }

    fn stop(&self, to: Option<usize>) -> Stop {
        match (self.world.ends, to) {
            (Ends::Goal, Some(goal)) => Stop::At(goal),
            (Ends::Anywhere | Ends::Goal, _) => Stop::Anywhere,
            (Ends::Horizon, _) => Stop::Horizon,
            (Ends::Terminal, _) => Stop::Terminal,
        }
    }

    /// The paths from these states. With goals, each first state has its own distribution, and they are drawn by their
    /// weights.
    fn paths_from(&self, start: &[(usize, f64)], stop: Stop) -> Vec<ExactPath> {
        if self.world.ends != Ends::Goal || self.world.chance == Chance::Fixed {
            return exact_paths(self.world, self.reward, start, stop);
        }
        let of_state = |row: &(usize, f64)| (row.1, exact_paths(self.world, self.reward, &[(row.0, 1.0)], stop));
        let each: Vec<(f64, Vec<ExactPath>)> =
            start.iter().map(of_state).filter(|row| row.0 > 0.0 && !row.1.is_empty()).collect();
        let total: f64 = each.iter().map(|row| row.0).sum();
        let shared = |(p, paths): (f64, Vec<ExactPath>)| {
            paths.into_iter().map(move |path| ExactPath { log_p: path.log_p + (p / total).ln(), ..path })
        };
        each.into_iter().flat_map(shared).collect()
    }

    /// Whether enumeration leaves out episodes of a causal model that chance makes long.
    fn is_incomplete(&self) -> bool {
        let is_causal = self.world.chance == Chance::Fixed && self.world.horizon == Horizon::Any;
        let leaves_out = |paths: &[ExactPath]| paths.is_empty() || left_out(paths) > TOLERANCE / 10.0;
        is_causal && (leaves_out(&self.paths) || (0..self.demos().len()).any(|index| leaves_out(&self.paths_of_demo(index))))
    }

    fn mdp(&self) -> &'a Mdp {
        &self.world.mdp
    }

    fn demos(&self) -> &'a Demonstrations {
        &self.world.demonstrations
    }

    fn given(&self) -> Given {
        Given::default().to(self.to)
    }

    fn options(&self) -> Options {
        Options { ends: self.world.ends, horizon: Some(self.world.horizon), ..Options::default() }
    }

    fn distribution(&self) -> Result<PathDistribution<'a>, Error> {
        self.model.distribution(&self.given(), &Work::default())
    }

    /// Fails if a number is not that of enumeration. Infinite numbers and NaN never are.
    fn close(&self, what: &str, found: f64, exact: f64, scale: f64) -> Result<(), Failure> {
        match (found - exact).abs() <= self.tolerance * scale {
            true => Ok(()),
            false => Err(Failure::Wrong(format!("{what}: {found:e}, by enumeration {exact:e}"))),
        }
    }

    /// The same for a log-probability.
    fn log_close(&self, what: &str, found: f64, exact: f64) -> Result<(), Failure> {
        if found > 0.0 {
            return Err(Failure::Wrong(format!("{what}: {found:e} is no log-probability")));
        }
        self.close(what, found, exact, (exact.abs() * RELATIVE / self.tolerance).max(10.0))
    }

    /// The same for probabilities.
    fn shares(&self, what: &str, found: &[f64], exact: &[f64]) -> Result<(), Failure> {
        for (&found, &exact) in found.iter().zip(exact) {
            if !(0.0..=1.0).contains(&found) {
                return Err(Failure::Wrong(format!("{what}: {found:e} is no probability")));
            }
            self.close(what, found, exact, 1.0)?;
        }
        match found.len() == exact.len() {
            true => Ok(()),
            false => Err(Failure::Wrong(format!("{what}: {} numbers, expected {}", found.len(), exact.len()))),
        }
    }

    /// The paths of the distribution of one demonstration.
    fn paths_of_demo(&self, index: usize) -> Vec<ExactPath> {
        let states = self.demos().states(index);
        if self.world.ends != Ends::Goal {
            return self.paths.clone();
        }
        exact_paths(self.world, self.reward, &[(states[0] as usize, 1.0)], self.stop(Some(states[states.len() - 1] as usize)))
    }

    fn log_p_of_demo(&self, index: usize) -> f64 {
        let demo = |path: &&ExactPath| {
            path.states.iter().eq(self.demos().states(index).iter().map(|&state| state as usize).collect::<Vec<_>>().iter())
                && path.transitions.iter().zip(self.demos().transitions(index)).all(|(one, &other)| *one == other as usize)
        };
        self.paths_of_demo(index).iter().find(demo).map_or(f64::NEG_INFINITY, |path| path.log_p)
    }

    /// The demonstrations that count, with their shares.
    fn shares_of_demos(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let share = |index: usize| (index, self.demos().weight(index) / self.demos().total_weight());
        (0..self.demos().len()).map(share).filter(|row| row.1 > 0.0)
    }

    fn likelihood(&self) -> Result<(), Failure> {
        let (mdp, features, theta) = (self.mdp(), &self.world.features, &self.world.theta);
        let found = match self.world.chance {
            Chance::Tilted => Likelihood::new(mdp, features, self.demos(), &self.options())?.evaluate(theta)?.log_likelihood,
            Chance::Fixed => self.causal(CausalObjective::Likelihood)?.evaluate(theta)?.log_likelihood,
        };
        let exact: f64 = self.shares_of_demos().map(|(index, share)| share * self.log_p_of_demo(index)).sum();
        self.log_close("log-likelihood", found, exact)
    }

    fn causal(&self, objective: CausalObjective) -> Result<CausalLikelihood<'a>, Error> {
        CausalLikelihood::new(self.mdp(), &self.world.features, self.demos(), &self.options(), objective)
    }

    fn gradient(&self) -> Result<(), Failure> {
        let (mdp, features, theta) = (self.mdp(), &self.world.features, &self.world.theta);
        let found = match self.world.chance {
            Chance::Tilted => Likelihood::new(mdp, features, self.demos(), &self.options())?.evaluate(theta)?.gradient,
            Chance::Fixed => self.causal(CausalObjective::Dual)?.feature_difference(theta)?,
        };
        let mut exact = vec![0.0; theta.len()];
        for (index, share) in self.shares_of_demos() {
            let expected = features.expectation(mdp, &self.expected_visits(index));
            let seen = features.of_path(mdp, self.demos(), index);
            exact
                .iter_mut()
                .zip(seen.iter().zip(&expected))
                .for_each(|(sum, (seen, expected))| *sum += share * (seen - expected));
        }
        let scale = 4.0 * self.world.longest as f64;
        found.iter().zip(&exact).try_for_each(|(&found, &exact)| self.close("gradient", found, exact, scale))
    }

    fn expected_visits(&self, index: usize) -> Occupancy {
        exact_visits(self.mdp(), &self.paths_of_demo(index))
    }

    fn marginals(&self) -> Result<(), Failure> {
        let mut distribution = self.distribution()?;
        for t in 1..=self.world.longest {
            let found = distribution.marginals(t)?;
            let [mut state, mut choice, mut transition] =
                [&found.state, &found.choice, &found.transition].map(|p| vec![0.0; p.len()]);
            for path in self.paths.iter().filter(|path| path.states.len() >= t) {
                state[path.states[t - 1]] += path.p();
                if let Some(&step) = path.transitions.get(t - 1) {
                    transition[step] += path.p();
                    choice[self.mdp().choice_of()[step] as usize] += path.p();
                }
            }
            self.shares("p_t(s)", &found.state, &state)?;
            self.shares("p_t(s, a)", &found.choice, &choice)?;
            self.shares("p_t(s, a, s')", &found.transition, &transition)?;
        }
        Ok(())
    }

    fn lengths(&self) -> Result<(), Failure> {
        let found = lengths(self.model, &self.given(), &Work::default())?;
        let mut exact = vec![0.0; self.world.longest.max(found.probability.len())];
        self.paths.iter().for_each(|path| exact[path.states.len() - 1] += path.p());
        let mut probability = found.probability.clone();
        probability.resize(exact.len(), 0.0);
        self.shares("P(length)", &probability, &exact)?;
        let mean: f64 = exact.iter().enumerate().map(|(place, p)| (place + 1) as f64 * p).sum();
        let variance: f64 = exact.iter().enumerate().map(|(place, p)| ((place + 1) as f64 - mean).powi(2) * p).sum();
        let most = self.world.horizon.at_most().map_or(f64::INFINITY, |horizon| horizon as f64);
        if !(1.0..=most).contains(&found.mean()) || found.variance() < 0.0 {
            return Err(Failure::Wrong(format!("a mean length of {}, a variance of {}", found.mean(), found.variance())));
        }
        self.close("mean length", found.mean(), mean, 10.0)?;
        self.close("variance of the length", found.variance(), variance, 100.0)
    }

    fn destinations(&self) -> Result<(), Failure> {
        let states: Vec<usize> = self.demos().states(0).iter().map(|&state| state as usize).collect();
        let steps: Vec<usize> = self.demos().transitions(0).iter().map(|&step| step as usize).collect();
        let t = states.len().div_ceil(2);
        let (states, steps) = (&states[..t], &steps[..t - 1]);
        let actions = steps.iter().map(|&step| self.mdp().action_of(self.mdp().choice_of()[step] as usize)).collect();
        let prefix = Trajectory::new(states.to_vec(), actions);
        // A causal model with goals has a policy for each of them, and its own definition of this question.
        if self.world.chance == Chance::Fixed && self.world.ends == Ends::Goal {
            let found = Destinations::new(self.model, Prior::Uniform, &Work::default())?.posterior(&prefix)?;
            return self.sums_to_one("destinations", &found);
        }
        let paths = exact_paths(self.world, self.reward, &[(states[0], 1.0)], self.stop(None));
        let begun = paths.iter().any(|path| path.begins_with(states, steps));
        let after = if begun { continuations(self.world, self.reward, states[t - 1], t, self.stop(None)) } else { Vec::new() };
        // A causal model may never begin like this. Then the question is what follows the last state.
        if after.is_empty() {
            return Destinations::new(self.model, Prior::Uniform, &Work::default())?
                .posterior(&prefix)
                .map_err(Failure::from)
                .and_then(|found| self.sums_to_one("destinations", &found));
        }
        if self.world.ends != Ends::Goal {
            let found = Destinations::new(self.model, Prior::Model, &Work::default())?.posterior(&prefix)?;
            let mut exact = vec![0.0; found.len()];
            after.iter().for_each(|path| exact[path.last()] += path.p());
            self.shares("P(destination)", &found, &exact)?;
        }
        let found = Destinations::new(self.model, Prior::Uniform, &Work::default())?.posterior(&prefix)?;
        self.shares("P(destination), uniform prior", &found, &self.uniform_posterior(&paths, &after))
    }

    /// P(G | prefix) ∝ S(G) / Z(G).
    fn uniform_posterior(&self, whole: &[ExactPath], after: &[ExactPath]) -> Vec<f64> {
        let weight = |paths: &[ExactPath], goal: usize| {
            log_sum(paths.iter().filter(move |path| path.last() == goal).map(|path| path.log_weight))
        };
        let n = self.mdp().n_states();
        let ratios: Vec<Option<DoubleDouble>> = (0..n).map(|goal| Some(weight(after, goal)? - weight(whole, goal)?)).collect();
        let total = log_sum(ratios.iter().flatten().copied());
        let share =
            |ratio: &Option<DoubleDouble>| ratio.zip(total).map_or(0.0, |(ratio, total)| (ratio - total).to_f64().exp());
        ratios.iter().map(share).collect()
    }

    fn sums_to_one(&self, what: &str, p: &[f64]) -> Result<(), Failure> {
        if let Some(p) = p.iter().find(|p| !(0.0..=1.0).contains(*p)) {
            return Err(Failure::Wrong(format!("{what}: {p:e} is no probability")));
        }
        self.close(what, p.iter().sum(), 1.0, 1.0)
    }

    fn best_paths(&self) -> Result<(), Failure> {
        let to = self.to.map(|goal| vec![(goal, 1.0)]);
        let first = self.demos().states(0)[0] as usize;
        let from = if self.to.is_some() { vec![(first, 1.0)] } else { self.mdp().start().to_vec() };
        let query = PathQuery { k: 3, ..PathQuery::new(from.clone(), to) };
        let found = best_paths(self.model, &query)?;
        // Without a horizon, good paths may be longer than what is enumerated.
        let longest = self.world.longest;
        let found: Vec<f64> =
            found.paths.iter().filter(|path| path.path.states.len() <= longest).map(|path| path.log_score).collect();
        let mut exact: Vec<DoubleDouble> =
            exact_paths(self.world, self.reward, &from, self.stop(self.to)).iter().map(|path| path.log_weight).collect();
        exact.sort_by(|one, other| other.partial_cmp(one).unwrap_or(std::cmp::Ordering::Equal));
        if found.len() < exact.len().min(3) && self.world.horizon != Horizon::Any {
            return Err(Failure::Wrong(format!("{} best paths of {}", found.len(), exact.len())));
        }
        for (&found, exact) in found.iter().zip(&exact) {
            let exact = exact.to_f64();
            self.close("log-weight of a best path", found, exact, (exact.abs() * RELATIVE / self.tolerance).max(10.0))?;
        }
        Ok(())
    }

    fn samples(&self) -> Result<(), Failure> {
        let drawn = sample(self.model, &self.given(), 20, 1, &Work::default())?;
        let mut distribution = self.distribution()?;
        for path in &drawn {
            let steps = path.transitions(self.mdp()).map_err(|fault| Failure::Wrong(format!("drawn: {fault}")))?;
            let exact = self.paths.iter().find(|exact| exact.states == path.states && exact.transitions == steps);
            let log_p = exact.map_or(f64::NEG_INFINITY, |exact| exact.log_p);
            if log_p < SEEN.ln() {
                return Err(Failure::Wrong(format!("a path of probability e^{log_p} was drawn")));
            }
            self.log_close("log-probability of a path", distribution.log_prob(path)?, log_p)?;
        }
        Ok(())
    }

    fn policy(&self) -> Result<(), Failure> {
        let mut distribution = self.distribution()?;
        // Without a horizon, the policy is the same at every time.
        for t in 1..=self.world.horizon.at_most().unwrap_or(1) {
            let at = distribution.policy(t)?;
            let here: Vec<&ExactPath> = self.paths.iter().filter(|path| path.states.len() >= t).collect();
            self.policy_at(&at, &here, &|path| path.states[t - 1], &|path| path.transitions.get(t - 1).copied())?;
        }
        self.projection(&distribution.stationary_projection()?)
    }

    /// Compares the policy of one time in the states that paths visit, and checks that of the others.
    fn policy_at(
        &self,
        found: &PolicyAt,
        here: &[&ExactPath],
        state_of: &dyn Fn(&ExactPath) -> usize,
        step_of: &dyn Fn(&ExactPath) -> Option<usize>,
    ) -> Result<(), Failure> {
        for state in (0..self.mdp().n_states()).filter(|&state| !self.mdp().is_terminal(state)) {
            let choices = self.mdp().choices(state);
            self.sums_to_one("π_t(·|s)", &found.choice[choices.clone()])?;
            let visiting = || here.iter().filter(|path| state_of(path) == state);
            let visits: f64 = visiting().map(|path| path.p()).sum();
            if visits < SEEN {
                continue;
            }
            let mut exact = vec![0.0; self.mdp().n_choices()];
            for path in visiting() {
                if let Some(step) = step_of(path) {
                    exact[self.mdp().choice_of()[step] as usize] += path.p() / visits;
                }
            }
            let going: f64 = exact[choices.clone()].iter().sum();
            self.shares("σ_t(s)", &[found.stop[state]], &[1.0 - going])?;
            if going * visits > SEEN {
                let exact: Vec<f64> = exact[choices.clone()].iter().map(|p| p / going).collect();
                self.shares("π_t(a|s)", &found.choice[choices], &exact)?;
            }
        }
        Ok(())
    }

    /// Compares the stationary projection: how often each action is taken, over all times.
    fn projection(&self, found: &StationaryPolicy) -> Result<(), Failure> {
        let mut taken = vec![0.0; self.mdp().n_choices()];
        for path in &self.paths {
            path.transitions.iter().for_each(|&step| taken[self.mdp().choice_of()[step] as usize] += path.p());
        }
        for state in (0..self.mdp().n_states()).filter(|&state| !self.mdp().is_terminal(state)) {
            let choices = self.mdp().choices(state);
            self.sums_to_one("π̄(·|s)", &found.policy.probabilities()[choices.clone()])?;
            let leaving: f64 = taken[choices.clone()].iter().sum();
            if leaving > SEEN {
                let exact: Vec<f64> = taken[choices.clone()].iter().map(|p| p / leaving).collect();
                self.shares("π̄(a|s)", &found.policy.probabilities()[choices], &exact)?;
            }
        }
        Ok(())
    }

    fn scores(&self) -> Result<(), Failure> {
        for (index, score) in scores(self.model, self.demos(), &Work::default())?.iter().enumerate() {
            let exact = self.log_p_of_demo(index);
            match score {
                Ok(score) => self.log_close("score", score.log_likelihood, exact)?,
                Err(_) if exact == f64::NEG_INFINITY => {}
                Err(fault) => return Err(Failure::Wrong(format!("{fault}, by enumeration log p is {exact}"))),
            }
        }
        Ok(())
    }
}
