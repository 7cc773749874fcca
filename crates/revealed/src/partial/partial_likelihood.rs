//! ℓ(Θ) of demonstrations that were seen in part, and its gradient.

use std::collections::BTreeMap;

use super::hidden::Hidden;
use super::open::{Open, Solved};
use super::prices::Prices;
use super::split::{Paths, Pieces, SeenPart, Stretch, split};
use super::summary::Summary;
use super::sweep::Sink;
use super::visits::{Phi, Visits, add};
use crate::Error;
use crate::engine::Horizon;
use crate::engine::digits::Payment;
use crate::error::DemonstrationFault;
use crate::model::likelihood::{ending_rule, size_of_sum};
use crate::model::path_model::check_path_set;
use crate::model::route_choice::{between_solved, expected_between, is_large};
use crate::model::{Ends, Evaluation, Likelihood, Options};
use crate::numeric::rounding::is_known;
use crate::numeric::threads::Threads;
use crate::numeric::vector::{all_representable, dot, minus};
use crate::watch::Watch;
use crate::world::{Features, Mdp, PartialDemonstration, PartialDemonstrations, Reward};

/// The log-likelihood of demonstrations that were seen in part, as a function of θ.
///
/// ```text
/// ℓ(Θ) = mean over the demonstrations of log Σ_τ p_Θ(τ) e(τ)        ∇ℓ = E[φ | what was seen] - E[φ]
/// ```
///
/// e(τ) is the product of the weights of what was seen, summed over the ways in which gaps of unknown length can be
/// filled. Where everything was seen it is 0 or 1, and this is [`Likelihood`], bit by bit.
///
/// ```
/// use revealed::{MdpBuilder, Features, Options, PartialDemonstrations, PartialLikelihood, PartialTrajectory, Sighting};
///
/// // From 0 to 1 or 2, and from both to 3. The middle was not seen.
/// let mut builder = MdpBuilder::new(4, 2);
/// builder.start(0, 1.0).transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
/// builder.transition(1, 0, 3, 1.0).transition(2, 0, 3, 1.0).terminal(3);
/// let mdp = builder.build()?;
/// let features = Features::one_hot(&mdp);
/// let seen = PartialTrajectory::new(vec![Sighting::state(0), Sighting::unseen(), Sighting::state(3)]);
/// let demos = PartialDemonstrations::new(&mdp, &[seen])?;
/// let mut likelihood = PartialLikelihood::new(&mdp, &features, &demos, &Options::default())?;
/// // Of the five paths with at most three states, two agree with it.
/// let evaluation = likelihood.evaluate(&[0.0; 4])?;
/// assert!((evaluation.log_likelihood - (2.0f64 / 5.0).ln()).abs() < 1e-15);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug)]
pub struct PartialLikelihood<'a> {
    mdp: &'a Mdp,
    features: &'a Features,
    kind: Kind<'a>,
}

#[derive(Debug)]
enum Kind<'a> {
    /// Everything was seen.
    Whole(Box<Likelihood<'a>>),
    Partly(Box<Partly<'a>>),
}

/// Demonstrations of which something was not seen.
#[derive(Debug)]
struct Partly<'a> {
    demos: &'a PartialDemonstrations,
    paths: Paths,
    seen: Vec<SeenPart>,
    stretches: Vec<Vec<Stretch>>,
    hidden: Hidden,
    open: Option<Open>,
    /// The mean features of what was seen.
    observed: Vec<f64>,
    mean_log_q: f64,
    longest: usize,
    free: Free<'a>,
    threads: Threads,
}

/// All paths of the model.
#[derive(Debug)]
enum Free<'a> {
    Sums(Box<Likelihood<'a>>),
    /// Paths of any length between these ends, with their shares: one elimination serves them and the gaps.
    Pairs(Vec<([usize; 2], f64)>),
}

impl<'a> PartialLikelihood<'a> {
    /// Checks that paths of the path set agree with what was seen, and prepares the evaluation.
    ///
    /// # Errors
    /// If no path of the path set agrees with a demonstration; [`Error::GapNeedsHorizon`]; [`Error::HiddenMemory`]. With
    /// [`Ends::Goal`], if a first or last state was not seen.
    pub fn new(
        mdp: &'a Mdp,
        features: &'a Features,
        demos: &'a PartialDemonstrations,
        options: &Options,
    ) -> Result<Self, Error> {
        PartialLikelihood::watched(mdp, features, demos, options, &Watch::none())
    }

    /// The same, and for paths of any length reports how many states have been eliminated.
    pub(crate) fn watched(
        mdp: &'a Mdp,
        features: &'a Features,
        demos: &'a PartialDemonstrations,
        options: &Options,
        watch: &Watch<'_>,
    ) -> Result<Self, Error> {
        if let Some(whole) = demos.whole(mdp) {
            let likelihood = Likelihood::watched(mdp, features, &whole, options, watch)?;
            return Ok(PartialLikelihood { mdp, features, kind: Kind::Whole(Box::new(likelihood)) });
        }
        let horizon = horizon_of(demos, options.horizon)?;
        check_path_set(mdp, horizon, options.ends)?;
        let goals = check_sightings(mdp, demos, options.ends, horizon)?;
        let paths = Paths { horizon, ends: options.ends, timed: mdp.discount() != 1.0, memory: options.work.memory };
        let Pieces { seen, trellises, open, stretches, sights } = split(mdp, demos, paths)?;
        check_trellises(demos, &trellises, &stretches)?;
        let options = Options { horizon: Some(horizon), ..options.clone() };
        let free = match (horizon, options.ends) {
            (Horizon::Any, Ends::Goal) => Free::Pairs(shares_of(goals)),
            _ => Free::Sums(Box::new(Likelihood::without_demonstrations(mdp, features, &goals, &options, watch)?)),
        };
        let open = match open.is_empty() && matches!(free, Free::Sums(_)) {
            true => None,
            false => Some(Open::new(mdp, open, sights, paths, watch)?),
        };
        let mut partly = Partly {
            demos,
            paths,
            seen,
            stretches,
            hidden: Hidden::new(trellises),
            open,
            observed: Vec::new(),
            mean_log_q: 0.0,
            longest: demos.longest().max(horizon.at_most().unwrap_or(0)),
            free,
            threads: Threads::new(options.work.threads)?,
        };
        partly.observe(mdp, features)?;
        Ok(PartialLikelihood { mdp, features, kind: Kind::Partly(Box::new(partly)) })
    }

    /// How many states a path may have.
    pub fn horizon(&self) -> Horizon {
        match &self.kind {
            Kind::Whole(likelihood) => likelihood.horizon(),
            Kind::Partly(partly) => partly.paths.horizon,
        }
    }

    /// The path set.
    pub fn ends(&self) -> Ends {
        match &self.kind {
            Kind::Whole(likelihood) => likelihood.ends(),
            Kind::Partly(partly) => partly.paths.ends,
        }
    }

    /// Whether every demonstration was seen whole.
    pub fn is_whole(&self) -> bool {
        matches!(self.kind, Kind::Whole(_))
    }

    /// ℓ(Θ), its gradient, and log Z. Weights of what was seen, and gaps of unknown length, can make ℓ positive.
    ///
    /// # Errors
    /// As [`Likelihood::evaluate`].
    pub fn evaluate(&mut self, theta: &[f64]) -> Result<Evaluation, Error> {
        let (mdp, features) = (self.mdp, self.features);
        match &mut self.kind {
            Kind::Whole(likelihood) => likelihood.evaluate(theta),
            Kind::Partly(partly) => partly.evaluate(mdp, features, theta),
        }
    }

    /// What the demonstrations have, or might have where nobody saw them.
    pub(crate) fn summary(&self) -> Result<Summary, Error> {
        match &self.kind {
            Kind::Whole(likelihood) => Ok(Summary { observed: likelihood.observed().to_vec(), mean_squares: Vec::new() }),
            Kind::Partly(partly) => {
                let Partly { demos, seen, stretches, hidden, .. } = &**partly;
                Summary::new(self.mdp, self.features, demos, seen, stretches, hidden)
            }
        }
    }

    /// The gradient of the log-likelihood of each demonstration: E\[φ | what was seen of it\] - E\[φ\]. Their weighted
    /// mean is the gradient. That of a demonstration of weight 0 is 0.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate); [`Error::NeedsWhole`] if every demonstration was seen whole: see
    /// [`MaxEnt::uncertainty`](crate::MaxEnt::uncertainty).
    pub fn scores(&mut self, theta: &[f64]) -> Result<Vec<Vec<f64>>, Error> {
        let (mdp, features) = (self.mdp, self.features);
        match &mut self.kind {
            Kind::Whole(_) => Err(Error::NeedsWhole { what: "the score of each demonstration", rule: "use Scores" }),
            Kind::Partly(partly) => partly.scores(mdp, features, theta),
        }
    }
}

/// The horizon, which gaps do not give.
pub(crate) fn horizon_of(demos: &PartialDemonstrations, given: Option<Horizon>) -> Result<Horizon, Error> {
    match given {
        Some(horizon) => Ok(horizon),
        None if demos.has_gaps() => Err(Error::GapNeedsHorizon),
        None => Ok(Horizon::AtMost(demos.longest())),
    }
}

/// Checks what can be checked before the hidden stretches are known, and returns the ends with their weights if the path
/// set needs them.
pub(crate) fn check_sightings(
    mdp: &Mdp,
    demos: &PartialDemonstrations,
    ends: Ends,
    horizon: Horizon,
) -> Result<Vec<([usize; 2], f64)>, Error> {
    let mut goals = Vec::new();
    for (index, demo) in demos.iter().enumerate() {
        let (steps, fault) = (demo.steps(), |fault| Err(demos.fault(index, fault)));
        if !horizon.allows(steps.len()) {
            return fault(DemonstrationFault::TooLong { length: steps.len(), horizon: horizon.longest() });
        }
        if let (Some(state), false) = (demo.last(), demo.has_gaps())
            && let Some(rule) = ending_rule(mdp, ends, horizon, state, steps.len())
        {
            return fault(DemonstrationFault::Ending { length: steps.len(), state, ends: ends.name(), rule });
        }
        if ends == Ends::Goal {
            let rule = "with ends = goal a path is one between its own first and last state: give both, or set other ends";
            let unseen = |step: usize, what| DemonstrationFault::NotSeen { step, what, rule };
            match (demo.first(), demo.last()) {
                (None, _) => return fault(unseen(0, "the first state")),
                (_, None) => return fault(unseen(steps[steps.len() - 1].place, "the last state")),
                (Some(first), Some(last)) => goals.push(([first, last], demo.weight())),
            }
        }
    }
    Ok(goals)
}

/// Rejects demonstrations of which a hidden stretch has no path within the path set.
pub(crate) fn check_trellises(
    demos: &PartialDemonstrations,
    trellises: &[super::trellis::Trellis],
    stretches: &[Vec<Stretch>],
) -> Result<(), Error> {
    for (index, stretches) in stretches.iter().enumerate() {
        for stretch in stretches {
            if let Stretch::Bounded { trellis, outcome } = *stretch
                && trellises[trellis].outcomes[outcome].nodes.is_empty()
            {
                let rule = "the horizon is too short for it, or the paths that agree do not end where paths end";
                return Err(demos.fault(index, DemonstrationFault::NotInPathSet { rule }));
            }
        }
    }
    Ok(())
}

impl Partly<'_> {
    /// Adds up what was seen.
    fn observe(&mut self, mdp: &Mdp, features: &Features) -> Result<(), Error> {
        let total = self.demos.total_weight();
        let mut observed = vec![0.0; features.n_features()];
        for (seen, demo) in self.seen.iter().zip(self.demos.iter()).filter(|row| row.1.weight() > 0.0) {
            let share = demo.weight() / total;
            let phi = phi_of(mdp, features, seen);
            observed.iter_mut().zip(phi).for_each(|(sum, phi)| *sum += share * phi);
            self.mean_log_q += share * log_q(mdp, seen, self.paths.ends);
        }
        all_representable("a mean feature of the demonstrations", &observed)?;
        self.observed = observed;
        Ok(())
    }

    fn evaluate(&mut self, mdp: &Mdp, features: &Features, theta: &[f64]) -> Result<Evaluation, Error> {
        let reward = features.reward(mdp, theta)?;
        let prices = Prices::tilted(mdp, &reward, self.longest);
        let solved = match &self.open {
            Some(open) => Some(self.threads.run_if(open.is_large(), || open.solve(mdp, &prices))?),
            None => None,
        };
        let (log_partition, expected) = self.all_paths(mdp, features, &reward, solved.as_ref())?;
        let (log_hidden, agreeing) = self.hidden_sums(mdp, features, &prices, solved.as_ref())?;
        let seen = dot(&self.observed, theta) + self.mean_log_q;
        let log_likelihood = seen + log_hidden - log_partition;
        all_representable("the log-likelihood", &[log_likelihood])?;
        let size = size_of_sum(&self.observed, theta) + self.mean_log_q.abs() + log_hidden.abs() + log_partition.abs();
        if !is_known(log_likelihood, size) {
            return Err(Payment::largest(&reward).digits_lost(mdp));
        }
        let observed: Vec<f64> = self.observed.iter().zip(&agreeing).map(|(seen, hidden)| seen + hidden).collect();
        let gradient = minus(&observed, &expected);
        all_representable("a component of the gradient", &gradient)?;
        let log_partition = (self.paths.ends != Ends::Goal).then_some(log_partition);
        Ok(Evaluation { log_partition, log_likelihood, gradient })
    }

    /// The mean of log Z, and of the expected features.
    fn all_paths(
        &mut self,
        mdp: &Mdp,
        features: &Features,
        reward: &Reward,
        solved: Option<&Solved>,
    ) -> Result<(f64, Vec<f64>), Error> {
        match (&mut self.free, &self.open, solved) {
            (Free::Pairs(pairs), Some(open), Some(Solved { solution, .. })) => {
                let (elimination, limit) = (&open.elimination, &open.limit);
                let run = || between_solved(mdp, elimination, solution, reward, pairs, None, limit);
                let (mean, visits) = self.threads.run_if(is_large(elimination, pairs.len()), run)?;
                Ok((mean, features.expectation(mdp, &visits)))
            }
            (Free::Sums(likelihood), ..) => likelihood.expected(reward),
            (Free::Pairs(_), ..) => Err(Error::NoSum { pair: None }),
        }
    }

    /// The mean of the logarithms of the hidden stretches, and the expected features in them.
    fn hidden_sums(
        &self,
        mdp: &Mdp,
        features: &Features,
        prices: &Prices<'_>,
        solved: Option<&Solved>,
    ) -> Result<(f64, Vec<f64>), Error> {
        let transitions = !features.on_states_only();
        let large = self.hidden.is_large() || self.open.as_ref().is_some_and(Open::is_large);
        self.threads.run_if(large, || {
            let (sum, visits) = self.hidden.expect(prices, || Visits::new(mdp, transitions))?;
            // The path model gives every path a weight.
            let mut log_hidden = sum.map_err(|_| Error::NoSum { pair: None })?;
            let mut visits = Visits::sum(mdp, transitions, visits);
            if let (Some(open), Some(solved)) = (&self.open, solved) {
                let (sum, parts) = open.expect(mdp, prices, solved, || Visits::new(mdp, transitions))?;
                log_hidden += sum.map_err(|_| Error::NoSum { pair: None })?;
                add(&mut visits, &Visits::sum(mdp, transitions, parts));
            }
            Ok((log_hidden, features.expectation(mdp, &visits)))
        })
    }

    fn scores(&mut self, mdp: &Mdp, features: &Features, theta: &[f64]) -> Result<Vec<Vec<f64>>, Error> {
        let reward = features.reward(mdp, theta)?;
        let prices = Prices::tilted(mdp, &reward, self.longest);
        let agreeing = self.threads.run_if(self.hidden.is_large(), || self.agreeing(mdp, features, &prices))?;
        let expected = self.expected_by_demo(mdp, features, theta, &reward, &prices)?;
        Ok(agreeing.into_iter().zip(expected).map(|(phi, expected)| minus(&phi, &expected)).collect())
    }

    /// E\[φ\] of the paths that are compared with each demonstration; 0 for weight 0, as is what was seen of it.
    fn expected_by_demo(
        &mut self,
        mdp: &Mdp,
        features: &Features,
        theta: &[f64],
        reward: &Reward,
        prices: &Prices<'_>,
    ) -> Result<Vec<Vec<f64>>, Error> {
        let by_ends: BTreeMap<[usize; 2], Vec<f64>> = match (&mut self.free, &self.open) {
            (Free::Sums(likelihood), _) if self.paths.ends == Ends::Goal => likelihood.expected_by_ends(theta)?,
            (Free::Pairs(pairs), Some(open)) => {
                let solved = open.solve(mdp, prices)?;
                let pairs: Vec<[usize; 2]> = pairs.iter().map(|pair| pair.0).collect();
                let run = || expected_between(mdp, features, &open.elimination, &solved.solution, &pairs, &open.limit);
                let means = self.threads.run_if(is_large(&open.elimination, pairs.len()), run)?;
                pairs.into_iter().zip(means).collect()
            }
            (Free::Sums(likelihood), _) => {
                let (_, expected) = likelihood.expected(reward)?;
                let of = |demo: &PartialDemonstration| {
                    if demo.weight() > 0.0 { expected.clone() } else { vec![0.0; expected.len()] }
                };
                return Ok(self.demos.iter().map(of).collect());
            }
            (Free::Pairs(_), None) => BTreeMap::new(),
        };
        let of = |demo: &PartialDemonstration| {
            let ends = demo.first().zip(demo.last()).filter(|_| demo.weight() > 0.0);
            ends.and_then(|(first, last)| by_ends.get(&[first, last]).cloned()).unwrap_or_else(|| vec![0.0; theta.len()])
        };
        Ok(self.demos.iter().map(of).collect())
    }

    /// E\[φ | what was seen\] of each demonstration.
    fn agreeing(&self, mdp: &Mdp, features: &Features, prices: &Prices<'_>) -> Result<Vec<Vec<f64>>, Error> {
        let bounded = self.hidden.by_outcome(prices, || Phi::new(mdp, features))?;
        let open = match &self.open {
            Some(open) => open.features(mdp, features, prices)?,
            None => Vec::new(),
        };
        let of_demo = |(seen, stretches): (&SeenPart, &Vec<Stretch>)| {
            let mut phi = phi_of(mdp, features, seen);
            for stretch in stretches {
                let part = match *stretch {
                    Stretch::Bounded { trellis, outcome } => bounded[trellis][outcome].as_ref().map(|phi| &phi.sum),
                    Stretch::AnyLength(number) => Some(&open[number]),
                };
                phi.iter_mut().zip(part.into_iter().flatten()).for_each(|(sum, part)| *sum += part);
            }
            phi
        };
        Ok(self.seen.iter().zip(&self.stretches).map(of_demo).collect())
    }
}

/// The ends in order, with their shares of the total weight.
fn shares_of(ends: Vec<([usize; 2], f64)>) -> Vec<([usize; 2], f64)> {
    let total: f64 = ends.iter().map(|row| row.1).sum();
    let mut shares = BTreeMap::new();
    for (ends, weight) in ends.into_iter().filter(|row| row.1 > 0.0) {
        *shares.entry(ends).or_insert(0.0) += weight / total;
    }
    shares.into_iter().collect()
}

/// The features of what was seen.
fn phi_of(mdp: &Mdp, features: &Features, seen: &SeenPart) -> Vec<f64> {
    let mut phi = Phi::new(mdp, features);
    seen.first.into_iter().for_each(|state| phi.first(state, 1.0));
    seen.transitions.iter().for_each(|&(time, transition)| phi.step(time, transition, 1.0));
    phi.sum
}

/// log q of what was seen, and the logarithms of its weights.
fn log_q(mdp: &Mdp, seen: &SeenPart, ends: Ends) -> f64 {
    let first = match seen.first {
        Some(state) if ends != Ends::Goal => mdp.start_probability(state).ln(),
        _ => 0.0,
    };
    let steps: f64 = seen.transitions.iter().map(|row| mdp.log_base_weight(row.1)).sum();
    first + steps + seen.log_factor
}
