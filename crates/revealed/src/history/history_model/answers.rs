//! The questions: asked in the product, answered about the world.

use std::borrow::Cow;

use super::{Asked, HistoryModel};
use crate::Error;
use crate::engine::Horizon;
use crate::error::DemonstrationFault;
use crate::model::{Ends, Given, MarginalKind, PathDistribution};
use crate::numeric::Work;
use crate::numeric::scaled::Scaled;
use crate::policies::PolicyAt;
use crate::questions::{
    Destinations, Event, Factor, Lengths, Prior, Score, ScoredStep, Spread, lengths, sample, sample_first, scores, soft_values,
    with_prior,
};
use crate::routes::{BestPath, BestPaths, PathQuery, best_paths};
use crate::world::{Demonstrations, Trajectory};

impl HistoryModel<'_> {
    /// As [`best_paths`](crate::best_paths).
    ///
    /// # Errors
    /// The same, and [`Error::HistoryCannot`] for paths without loops.
    pub fn best_paths(&self, query: &PathQuery) -> Result<BestPaths, Error> {
        if query.loopless {
            let what = "paths that visit no state twice; ask for more paths (k), and leave out those that do";
            return Err(Error::HistoryCannot { what });
        }
        let (asked, query) = self.queried(query)?;
        let found = best_paths(&self.path_model(&asked.made)?, &query)?;
        let original = |best: BestPath| BestPath { path: asked.made.world.original(best.path), ..best };
        Ok(BestPaths { paths: found.paths.into_iter().map(original).collect(), ..found })
    }

    /// The logarithm of the sum of the weights of all paths of a query.
    ///
    /// # Errors
    /// As [`Spread::endings`].
    pub fn log_total(&self, query: &PathQuery) -> Result<f64, Error> {
        let (asked, query) = self.queried(query)?;
        let endings = Spread::new(&self.path_model(&asked.made)?, &query.work)?.endings(&query.from, 1)?;
        let total: Scaled = match &query.to {
            None => endings.into_iter().sum(),
            Some(to) => to.iter().map(|&(state, weight)| Scaled::from(weight) * endings[state]).sum(),
        };
        Ok(total.ln())
    }

    /// A query in the product.
    fn queried(&self, query: &PathQuery) -> Result<(Asked<'_>, PathQuery), Error> {
        query.from.iter().try_for_each(|&(state, _)| self.plain.check_state("the first states", state))?;
        let last = query.to.iter().flatten();
        last.clone().try_for_each(|&(state, _)| self.plain.stop(Some(state)).map(|_| ()))?;
        let in_place = |state: usize| self.ends() == Ends::Goal || self.mdp.is_terminal(state);
        let asked = match &query.to {
            None => self.asked(None)?,
            Some(to) if to.iter().all(|row| in_place(row.0)) => Asked { made: Cow::Borrowed(&self.usual), to: None },
            Some(to) => {
                let states: Vec<usize> = to.iter().map(|row| row.0).collect();
                Asked { made: Cow::Owned(self.with_exits(&states)?), to: None }
            }
        };
        let exit = |&(state, weight): &(usize, f64)| (asked.made.world.exit(state).unwrap_or(state), weight);
        let to = query.to.as_ref().map(|to| to.iter().map(exit).collect());
        Ok((asked, PathQuery { to, ..query.clone() }))
    }

    /// As [`Destinations::posterior`].
    ///
    /// # Errors
    /// The same.
    pub fn posterior(&self, prefix: &Trajectory, prior: &Prior, work: &Work) -> Result<Vec<f64>, Error> {
        self.plain.check_prefix(prefix)?;
        // Checks the prior.
        Destinations::new(&self.plain, prior.clone(), work)?;
        let weight = |state: usize| if let Prior::Given(weights) = prior { weights[state] } else { 1.0 };
        let (made, prior) = match (prior, self.ends()) {
            (Prior::Model, _) => (&self.usual, Prior::Model),
            (_, Ends::Goal) => {
                let mut weights = vec![0.0; self.usual.world.mdp.n_states()];
                let exits = (0..self.mdp.n_states()).filter_map(|state| Some((self.usual.world.exit(state)?, state)));
                exits.for_each(|(exit, state)| weights[exit] = weight(state));
                (&self.usual, Prior::Given(weights))
            }
            (_, Ends::Terminal) => {
                let mut weights = vec![0.0; self.usual.world.mdp.n_states()];
                let ends = (0..self.mdp.n_states()).filter(|&state| self.mdp.is_terminal(state));
                ends.for_each(|state| weights[state] = weight(state));
                (&self.usual, Prior::Given(weights))
            }
            (_, Ends::Anywhere | Ends::Horizon) => return self.by_prior(prefix, &weight, work),
        };
        let mut destinations = Destinations::new(&self.path_model(made)?, prior, work)?;
        let found = destinations.posterior(&made.world.lift(prefix));
        let posterior = self.named(&Given::after(prefix.clone()), found)?;
        // Exits have no place of their own: they are from states.
        let mut summed = made.world.summed(MarginalKind::State, &posterior);
        let exits = (0..self.mdp.n_states()).filter_map(|state| Some((state, made.world.exit(state)?)));
        exits.for_each(|(state, exit)| summed[state] += posterior[exit]);
        Ok(summed)
    }

    /// P(G | prefix) ∝ S(G) / Z(G) · p(G), where S and Z are sums over the histories in which a path ends.
    fn by_prior(&self, prefix: &Trajectory, weight: &dyn Fn(usize) -> f64, work: &Work) -> Result<Vec<f64>, Error> {
        let made = &self.usual;
        let mut spread = Spread::new(&self.path_model(made)?, work)?;
        let (lifted, t) = (made.world.lift(prefix), prefix.states.len());
        let mut of = |state: usize, t: usize| -> Result<Vec<Scaled>, Error> {
            let mut sums = vec![Scaled::ZERO; self.mdp.n_states()];
            for (state, ending) in spread.endings(&[(state, 1.0)], t)?.into_iter().enumerate() {
                made.world.place(state).into_iter().for_each(|place| sums[place] += ending);
            }
            Ok(sums)
        };
        let whole = of(lifted.states[0], 1)?;
        let after = of(lifted.states[t - 1], t)?;
        if after.iter().all(|weight| weight.is_zero()) {
            return Err(Given::after(prefix.clone()).no_path(&self.plain));
        }
        let terms = with_prior(&after, &whole, weight);
        let (last, horizon) = (prefix.states[t - 1], self.horizon().at_most());
        Scaled::normalised(&terms).ok_or(Error::PriorExcludes { length: t, last, horizon })
    }

    /// As [`Destinations::lengths`]: the mixture of the distributions for each destination, with this posterior.
    ///
    /// # Errors
    /// As [`lengths`](Self::lengths).
    pub fn lengths_to(&self, prefix: &Trajectory, prior: &Prior, posterior: &[f64], work: &Work) -> Result<Lengths, Error> {
        let after = Given::after(prefix.clone());
        if *prior == Prior::Model {
            return self.lengths(&after, work);
        }
        let (mut probability, mut mean, mut square) = (Vec::new(), 0.0, 0.0);
        for (goal, &p) in posterior.iter().enumerate().filter(|row| *row.1 > 0.0) {
            let of_goal = self.lengths(&after.clone().to(goal), work)?;
            probability.resize(of_goal.probability.len().max(probability.len()), 0.0);
            probability.iter_mut().zip(&of_goal.probability).for_each(|(sum, length)| *sum += p * length);
            mean += p * of_goal.mean();
            square += p * (of_goal.variance() + of_goal.mean().powi(2));
        }
        let moments = (self.horizon() == Horizon::Any).then_some([mean, square - mean * mean]);
        Ok(Lengths { first: prefix.states.len(), probability, moments })
    }

    /// As [`lengths`](crate::lengths).
    ///
    /// # Errors
    /// The same.
    pub fn lengths(&self, given: &Given, work: &Work) -> Result<Lengths, Error> {
        let asked = self.asked(given.to)?;
        let lifted = self.lifted(given, &asked)?;
        let found = self.named(given, lengths(&self.path_model(&asked.made)?, &lifted, work))?;
        if !asked.made.world.has_exits() {
            return Ok(found);
        }
        // The exit is a state more, and no path is there at once.
        let moments = found.moments.map(|[mean, variance]| [mean - 1.0, variance]);
        Ok(Lengths { probability: found.probability.into_iter().skip(1).collect(), moments, ..found })
    }

    /// As [`sample`](crate::sample), or with a number of states as [`sample_first`](crate::sample_first).
    ///
    /// # Errors
    /// The same.
    pub fn sample(
        &self,
        given: &Given,
        states: Option<usize>,
        (n, seed): (usize, u64),
        work: &Work,
    ) -> Result<Vec<Trajectory>, Error> {
        let asked = self.asked(given.to)?;
        let (lifted, model) = (self.lifted(given, &asked)?, self.path_model(&asked.made)?);
        let found = match states {
            Some(states) => sample_first(&model, &lifted, states, n, seed, work),
            None => sample(&model, &lifted, n, seed, work),
        };
        Ok(self.named(given, found)?.into_iter().map(|path| asked.made.world.original(path)).collect())
    }

    /// As [`PathDistribution::visits`] of the distribution given what is known.
    ///
    /// # Errors
    /// The same.
    pub fn visits(&self, given: &Given, kind: MarginalKind, t: Option<usize>, work: &Work) -> Result<Vec<f64>, Error> {
        let asked = self.asked(given.to)?;
        let mut paths = self.distribution(given, &asked, t, work)?;
        Ok(asked.made.world.summed(kind, &paths.visits(kind, t)?))
    }

    fn distribution<'m>(
        &self,
        given: &Given,
        asked: &'m Asked<'_>,
        t: Option<usize>,
        work: &Work,
    ) -> Result<PathDistribution<'m>, Error> {
        let lifted = self.lifted(given, asked)?;
        let before = given.prefix.as_ref().map_or(0, |prefix| prefix.states.len() - 1);
        if let (Some(t), Horizon::AtMost(most)) = (t, self.horizon().after(before))
            && !(1..=most).contains(&t)
        {
            return Err(Error::Count { what: "t", value: t, least: 1, most });
        }
        self.named(given, self.path_model(&asked.made)?.distribution(&lifted, work))
    }

    /// The policy at time t, whatever the history. With a prefix, that of its last state, at which t is 1: the policy
    /// given the history.
    ///
    /// ```text
    /// π_t(a|s) = p_t(s,a) / Σ_a' p_t(s,a')       σ_t(s) = 1 - Σ_a p_t(s,a) / p_t(s)
    /// ```
    ///
    /// # Errors
    /// As [`visits`](Self::visits); [`Error::HistoryCannot`] for paths of any length without a prefix.
    pub fn policy(&self, given: &Given, t: usize, work: &Work) -> Result<PolicyAt, Error> {
        let asked = self.asked(given.to)?;
        if let Some(prefix) = given.prefix.as_ref().filter(|_| t == 1) {
            return self.policy_after(given, prefix, &asked, work);
        }
        if self.horizon() == Horizon::Any {
            let what = "the policy of paths of any length, whatever the history; give a prefix";
            return Err(Error::HistoryCannot { what });
        }
        let mut paths = self.distribution(given, &asked, Some(t), work)?;
        let mut of = |kind| Ok::<_, Error>(asked.made.world.summed(kind, &paths.visits(kind, Some(t))?));
        let (there, taken) = (of(MarginalKind::State)?, of(MarginalKind::StateAction)?);
        let mut policy = self.undefined();
        for (state, &p) in there.iter().enumerate().filter(|(_, p)| **p > 0.0) {
            let going: f64 = taken[self.mdp.choices(state)].iter().sum();
            policy.defined[state] = true;
            policy.stop[state] = if going > 0.0 { (1.0 - going / p).clamp(0.0, 1.0) } else { 1.0 };
            if going > 0.0 {
                self.mdp.choices(state).for_each(|choice| policy.choice[choice] = taken[choice] / going);
            }
        }
        Ok(policy)
    }

    /// The policy given a history.
    fn policy_after(&self, given: &Given, prefix: &Trajectory, asked: &Asked<'_>, work: &Work) -> Result<PolicyAt, Error> {
        let (mut paths, world) = (self.distribution(given, asked, None, work)?, &asked.made.world);
        let (found, mut policy) = (paths.policy(1)?, self.undefined());
        let (node, state) = (*world.lift(prefix).states.last().unwrap_or(&0), prefix.states[prefix.states.len() - 1]);
        let exit = world.mdp.choice(node, world.exit_action()).filter(|_| world.exit(state).is_some());
        let leaves = exit.map_or(0.0, |exit| found.choice[exit]);
        (policy.defined[state], policy.stop[state]) = (found.defined[node], found.stop[node].max(leaves));
        for choice in self.mdp.choices(state).filter(|_| leaves < 1.0) {
            let of_product = world.mdp.choice(node, self.mdp.action_of(choice));
            policy.choice[choice] = of_product.map_or(0.0, |place| found.choice[place] / (1.0 - leaves));
        }
        Ok(policy)
    }

    /// A policy that is defined nowhere.
    fn undefined(&self) -> PolicyAt {
        let n_states = self.mdp.n_states();
        let uniform = |choice: usize| 1.0 / self.mdp.choices(self.mdp.state_of(choice)).len() as f64;
        let choice = match self.mdp.reference() {
            Some(reference) => reference.to_vec(),
            None => (0..self.mdp.n_choices()).map(uniform).collect(),
        };
        PolicyAt { choice, stop: vec![0.0; n_states], defined: vec![false; n_states] }
    }

    /// As [`soft_values`](crate::soft_values): of paths that begin in each state.
    ///
    /// # Errors
    /// The same.
    pub fn values(&self, to: Option<usize>, work: &Work) -> Result<Vec<f64>, Error> {
        let asked = self.asked(to)?;
        let mut values = soft_values(&self.path_model(&asked.made)?, asked.to, work)?;
        values.truncate(self.mdp.n_states());
        Ok(values)
    }

    /// As [`scores`](crate::scores).
    ///
    /// # Errors
    /// The same.
    pub fn scores(&self, demos: &Demonstrations, work: &Work) -> Result<Vec<Result<Score, DemonstrationFault>>, Error> {
        let made = &self.usual;
        let lifted = made.world.lift_all(self.mdp, demos)?;
        let scored = scores(&self.path_model(made)?, &lifted, work)?;
        let exit_fault = |fault| match fault {
            // The exit is a state more.
            DemonstrationFault::TooLong { length, horizon } if made.world.has_exits() => {
                DemonstrationFault::TooLong { length: length - 1, horizon: horizon - 1 }
            }
            fault => fault,
        };
        let original = |score: Score| self.original(score);
        Ok(scored.into_iter().map(|score| score.map(original).map_err(exit_fault)).collect())
    }

    /// A score in the world: the exit is the end of the path.
    fn original(&self, score: Score) -> Score {
        let world = &self.usual.world;
        let event = |event: Event| match event {
            Event::State(state) => world.place(state).map_or(Event::Stop, Event::State),
            Event::Action(action) if world.has_exits() && action == world.exit_action() => Event::Stop,
            event => event,
        };
        let factor = |factor: Factor| Factor { likeliest: event(factor.likeliest), ..factor };
        let step = |step: ScoredStep| ScoredStep { choice: factor(step.choice), outcome: factor(step.outcome) };
        let mut steps: Vec<ScoredStep> = score.steps.into_iter().map(step).collect();
        let exit = if world.has_exits() { steps.pop() } else { None };
        let stop = exit.map_or_else(|| factor(score.stop), |exit| exit.choice);
        Score { start: factor(score.start), steps, stop, ..score }
    }
}
