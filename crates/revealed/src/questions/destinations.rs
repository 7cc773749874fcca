//! Where a path ends, given its first states: the posterior over destinations.

use std::ops::ControlFlow;

use crate::Error;
use crate::engine::Horizon;
use crate::engine::digits::Bounded;
use crate::model::given::no_path_after;
use crate::model::{Chance, Ends, Given, PathDistribution, PathModel, border};
use crate::numeric::Work;
use crate::numeric::scaled::Scaled;
use crate::questions::{Lengths, Spread, lengths};
use crate::world::state_weights::check_state_weights;
use crate::world::{Mdp, Trajectory};

/// The prior over destinations.
#[derive(Debug, Clone, PartialEq)]
pub enum Prior {
    /// The prior of the model: P(G) under its distribution over paths.
    Model,
    /// The same weight for every state in which a path from the first state can end.
    Uniform,
    /// A weight for each state; the weights need not sum to 1.
    Given(Vec<f64>),
}

/// P(s_G | prefix) for all states at once, as a path grows (sec:me-inference).
///
/// Let S(G) be the weight Σ q(τ) e^{R(τ)} of the continuations of the prefix s_1 a_1 … s_t that end in G, and Z(G) the
/// weight of all paths from s_1 to G:
///
/// ```text
/// P(G | prefix) ∝ S(G)                   Prior::Model
/// P(G | prefix) ∝ S(G) / Z(G) · p(G)     otherwise
/// ```
///
/// The first posterior costs two forward passes, or one with [`Prior::Model`]. Later posteriors with the same first
/// state reuse Z and cost one pass each.
///
/// # Erratum
/// The paper sums over "paths from s_B to s_G". Their rewards must be discounted from time t on, and they have at most
/// L - t + 1 states. Without this, the posterior is wrong by more than 0.9 on some tiny problems
/// (`destinations::the_printed_ratio_is_wrong`).
///
/// ```
/// use revealed::{Destinations, Ends, PathModel, Prior, Trajectory, Work, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let reward = lake.features.reward(&lake.mdp, &lake.theta)?;
/// let model = PathModel::new(&lake.mdp, reward, 20, Ends::Terminal)?;
/// let mut destinations = Destinations::new(&model, Prior::Uniform, &Work::default())?;
/// let begun = destinations.posterior(&Trajectory::new(vec![0], vec![]))?;
/// let further = destinations.posterior(&Trajectory::new(vec![0, 4, 8, 9], vec![1, 1, 2]))?;
/// // Four holes and the goal; the goal is likelier now.
/// assert!((begun[15] - 0.2).abs() < 1e-12 && further[15] > begun[15]);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug)]
pub struct Destinations<'a> {
    spread: Spread<'a>,
    prior: Prior,
    /// s_1 and Z(s_1→·).
    first: Option<(usize, Vec<Scaled>)>,
    /// (s_t, t) and S of the last query.
    last: Option<((usize, usize), Vec<Scaled>)>,
}

impl<'a> Destinations<'a> {
    /// Prepares for one model and one prior. The memory budget is not used.
    ///
    /// # Errors
    /// If the prior does not fit the model: a wrong number of weights, a weight that is negative or not finite, all
    /// weights zero; or [`Prior::Model`] for a model of paths to a goal, which has no distribution over destinations.
    pub fn new(model: &PathModel<'a>, prior: Prior, work: &Work) -> Result<Self, Error> {
        match &prior {
            Prior::Model if model.ends() == Ends::Goal => return Err(Error::NoOwnPrior),
            Prior::Given(weights) => check_prior(weights, model.mdp())?,
            Prior::Model | Prior::Uniform => {}
        }
        Ok(Destinations { spread: Spread::new(model, work)?, prior, first: None, last: None })
    }

    /// The model.
    pub fn model(&self) -> &PathModel<'a> {
        self.spread.model()
    }

    /// P(G | prefix) for each state G. They sum to 1.
    ///
    /// # Errors
    /// If the prefix cannot happen ([`Error::Prefix`]), no path of the model begins with it ([`Error::NoPath`]), or the
    /// prior is 0 wherever its continuations end ([`Error::PriorExcludes`]).
    pub fn posterior(&mut self, prefix: &Trajectory) -> Result<Vec<f64>, Error> {
        self.model().check_prefix(prefix)?;
        if self.model().chance() == Chance::Fixed && self.model().ends() == Ends::Goal {
            return self.causal_goals(prefix);
        }
        let (first, t) = (prefix.states[0], prefix.states.len());
        let last = prefix.states[t - 1];
        if self.prior != Prior::Model && self.first.as_ref().is_none_or(|known| known.0 != first) {
            self.first = Some((first, self.spread.endings(&[(first, 1.0)], 1)?));
        }
        if self.last.as_ref().is_none_or(|known| known.0 != (last, t)) {
            let endings = match &self.first {
                Some((state, endings)) if t == 1 && *state == last => endings.clone(),
                _ => self.spread.endings(&[(last, 1.0)], t)?,
            };
            self.last = Some(((last, t), endings));
        }
        let after = self.last.as_ref().map_or(&[][..], |known| &known.1);
        if after.iter().all(|weight| weight.is_zero()) {
            return Err(no_path_after(self.model(), t, None));
        }
        if self.model().chance() == Chance::Fixed && self.prior != Prior::Model {
            self.check_underflow(after, prefix)?;
        }
        let terms = match (&self.prior, &self.first) {
            (Prior::Uniform, Some((_, whole))) => with_prior(after, whole, |_| 1.0),
            (Prior::Given(prior), Some((_, whole))) => with_prior(after, whole, |state| prior[state]),
            _ => after.to_vec(),
        };
        self.check_digits(prefix)?;
        let excludes = Error::PriorExcludes { length: t, last, horizon: self.model().horizon().at_most() };
        border::distribution("the probability of a destination", Scaled::normalised(&terms).ok_or(excludes)?)
    }

    /// Refuses if the probability of a destination that has a prior is 0 only because it underflows.
    fn check_underflow(&self, after: &[Scaled], prefix: &Trajectory) -> Result<(), Error> {
        let (first, t) = (prefix.states[0], prefix.states.len());
        let has_prior = |goal: usize| if let Prior::Given(prior) = &self.prior { prior[goal] > 0.0 } else { true };
        let whole = self.first.as_ref().map_or(&[][..], |known| &known.1);
        for (weights, state, t) in [(after, prefix.states[t - 1], t), (whole, first, 1)] {
            let possible = self.spread.possible_ends(state, t)?;
            let is_lost = |&goal: &usize| has_prior(goal) && possible[goal] && weights[goal].is_zero();
            if let Some(state) = (0..weights.len()).find(is_lost) {
                return Err(Error::TooUnlikely { state });
            }
        }
        Ok(())
    }

    /// Refuses if digits are lost of the posterior of a path model.
    fn check_digits(&self, prefix: &Trajectory) -> Result<(), Error> {
        let (first, t) = (prefix.states[0], prefix.states.len());
        let Some(after) = self.spread.known_endings(prefix.states[t - 1], t)? else { return Ok(()) };
        let mdp = self.model().mdp();
        if self.prior == Prior::Model {
            return Bounded::any_of(&after, f64::INFINITY).check(mdp);
        }
        let Some(whole) = self.spread.known_endings(first, 1)? else { return Ok(()) };
        let weight = |goal: usize| if let Prior::Given(prior) = &self.prior { prior[goal] } else { 1.0 };
        let ratio = |(goal, (after, whole)): (usize, (&Bounded, &Bounded))| match weight(goal) > 0.0 {
            true => after.over(whole).times(weight(goal).ln()),
            false => Bounded::NOTHING,
        };
        let ratios: Vec<Bounded> = after.iter().zip(&whole).enumerate().map(ratio).collect();
        Bounded::any_of(&ratios, f64::INFINITY).check(mdp)
    }

    /// The mixture of the distributions of |τ| for each destination.
    fn mixture(&self, prefix: &Trajectory, posterior: &[f64]) -> Result<Lengths, Error> {
        let (mut probability, mut mean, mut square) = (Vec::new(), 0.0, 0.0);
        for (goal, &p) in posterior.iter().enumerate().filter(|row| *row.1 > 0.0) {
            let of_goal = lengths(self.model(), &Given::after(prefix.clone()).to(goal), self.spread.work())?;
            probability.resize(of_goal.probability.len().max(probability.len()), 0.0);
            probability.iter_mut().zip(&of_goal.probability).for_each(|(sum, length)| *sum += p * length);
            mean += p * of_goal.mean();
            square += p * (of_goal.variance() + of_goal.mean().powi(2));
        }
        let moments = (self.model().horizon() == Horizon::Any).then_some([mean, square - mean * mean]);
        Lengths { first: prefix.states.len(), probability, moments }.checked()
    }

    /// P(G | prefix) ∝ p(G) Π_t π_t(a_t | s_t, G): in a causal model every goal has its own policy.
    fn causal_goals(&self, prefix: &Trajectory) -> Result<Vec<f64>, Error> {
        let (model, t) = (self.model(), prefix.states.len());
        let prior = |goal: usize| match &self.prior {
            Prior::Given(prior) => prior[goal],
            Prior::Model | Prior::Uniform => 1.0,
        };
        let of_goal = |goal: usize| match prior(goal) {
            0.0 => Ok(Scaled::ZERO),
            p => Ok(Scaled::from(p) * causal_prefix(model, prefix, goal, self.spread.work())?),
        };
        let weights: Result<Vec<Scaled>, Error> = (0..model.mdp().n_states()).map(of_goal).collect();
        let (last, horizon) = (prefix.states[t - 1], model.horizon().at_most());
        let posterior = Scaled::normalised(&weights?).ok_or(Error::PriorExcludes { length: t, last, horizon })?;
        border::distribution("the probability of a destination", posterior)
    }

    /// The distribution of |τ| given the prefix: the mixture of the distributions for each destination G, with weights
    /// P(G | prefix).
    ///
    /// It costs one forward pass more than [`posterior`](Self::posterior), which is not computed again if it was the
    /// last query.
    ///
    /// # Errors
    /// As [`posterior`](Self::posterior).
    pub fn lengths(&mut self, prefix: &Trajectory) -> Result<Lengths, Error> {
        let posterior = self.posterior(prefix)?;
        let t = prefix.states.len();
        let (model, any_length) = (self.model(), self.model().horizon() == Horizon::Any);
        let by_goal = model.ends() == Ends::Goal || (any_length && self.prior != Prior::Model);
        if model.chance() == Chance::Fixed && by_goal {
            return self.mixture(prefix, &posterior);
        }
        let start = [(prefix.states[t - 1], 1.0)];
        let by_length = match &self.last {
            Some((_, after)) if self.prior != Prior::Model => {
                let share = |(&p, &s): (&f64, &Scaled)| if p == 0.0 { Scaled::ZERO } else { Scaled::from(p) / s };
                let shares: Vec<Scaled> = posterior.iter().zip(after).map(share).collect();
                if self.model().horizon() == Horizon::Any {
                    return self.spread.any_lengths_of_shares(start[0].0, t, &shares);
                }
                self.spread.lengths_of_shares(&start, t, &shares)?
            }
            _ if self.model().horizon() == Horizon::Any => {
                return lengths(self.model(), &Given::after(prefix.clone()), &Work::default());
            }
            _ => self.spread.lengths(&start, t, None)?,
        };
        Lengths::of(t, &by_length).ok_or_else(|| no_path_after(self.model(), t, None))?.checked()
    }
}

/// The probability of the actions of a prefix, given that the agent wants to reach a goal and can make sure to.
fn causal_prefix(model: &PathModel<'_>, prefix: &Trajectory, goal: usize, work: &Work) -> Result<Scaled, Error> {
    let transitions = model.check_prefix(prefix)?;
    let t = prefix.states.len();
    let given = Given::from_state(prefix.states[0]).to(goal);
    let mut paths = PathDistribution::backward_only(model, &given, work, true)?;
    let mut likelihood = Scaled::ONE;
    let found = paths.watch(&mut |view| {
        if let Some(&transition) = view.t.checked_sub(2).and_then(|step| transitions.get(step)) {
            likelihood = likelihood * view.step(transition);
        }
        // The last state of the prefix must be one from which the goal can be reached.
        if view.t < t {
            return ControlFlow::Continue(());
        }
        likelihood = likelihood * view.after(prefix.states[t - 1]);
        ControlFlow::Break(())
    });
    match found {
        Ok(_) => Ok(likelihood),
        Err(Error::NoPath { .. }) => Ok(Scaled::ZERO),
        Err(error) => Err(error),
    }
}

/// The posterior over destinations up to a constant: S(G) / Z(G) · p(G) for each state G, and 0 where S(G) or Z(G) is
/// 0. [`Destinations`] has the definitions of S, Z and p.
pub fn with_prior(after: &[Scaled], whole: &[Scaled], prior: impl Fn(usize) -> f64) -> Vec<Scaled> {
    let pairs = after.iter().zip(whole).enumerate();
    let ratio = |(state, (&after, &whole)): (usize, (&Scaled, &Scaled))| {
        if after.is_zero() || whole.is_zero() { Scaled::ZERO } else { after / whole * Scaled::from(prior(state)) }
    };
    pairs.map(ratio).collect()
}

fn check_prior(weights: &[f64], mdp: &Mdp) -> Result<(), Error> {
    if weights.len() != mdp.n_states() {
        return Err(Error::Length { what: "the prior", found: weights.len(), expected: mdp.n_states() });
    }
    check_state_weights(mdp, "the prior", "the weight of that state", weights.iter().copied().enumerate())?;
    if weights.iter().all(|&weight| weight == 0.0) {
        return Err(Error::NoPrior);
    }
    Ok(())
}
