//! What is known of the rest of a demonstration that was seen in part.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::needed::Needed;
use super::passage::Passage;
use super::passage_paths::{likeliest as likeliest_passage, sampled as sampled_passage};
use super::prices::Prices;
use super::sights::Sights;
use super::split::{Paths, chain_of, chain_trellis};
use super::sweep::{Messages, Sink};
use super::trellis::{Chain, Place, Trellis};
use super::trellis_paths::{likeliest, sampled};
use crate::Error;
use crate::causal::passes::CausalPasses;
use crate::engine::Horizon;
use crate::engine::elimination::{Elimination, Limit};
use crate::engine::path_set::PathSet;
use crate::error::DemonstrationFault;
use crate::model::{Chance, Ends, PathModel};
use crate::numeric::random::stream;
use crate::numeric::{Scaled, Work};
use crate::partial::partial_likelihood::check_sightings;
use crate::watch::Watch;
use crate::world::{Mdp, PartialDemonstrations, Trajectory};

/// What is known of one step of a demonstration that was seen in part.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepPosterior {
    /// p(state | what was seen), in the order of the states. States of probability 0 are left out.
    pub states: Vec<(usize, f64)>,
    /// p(action | what was seen), of the action that follows. They sum to the probability that one follows.
    pub actions: Vec<(usize, f64)>,
    /// The expected number of unseen states in the gap before this step; 0 without a gap.
    pub unseen_before: f64,
}

/// A path that agrees with what was seen of a demonstration.
#[derive(Debug, Clone, PartialEq)]
pub struct Completed {
    /// The path, with the weight, the name and the columns of the demonstration.
    pub path: Trajectory,
    /// log p(path | what was seen). If a gap can be filled with it in several ways, that of the likeliest one.
    pub log_probability: f64,
}

/// The distribution over the paths that agree with what was seen of one demonstration.
///
/// ```
/// use revealed::{Completion, Ends, MdpBuilder, PartialDemonstrations, PartialTrajectory, PathModel, Reward, Sighting, Work};
///
/// // From 0 by 1 or by 2 to 3. Nobody saw which, but 2 is liked.
/// let mut builder = MdpBuilder::new(4, 2);
/// builder.start(0, 1.0).transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
/// builder.transition(1, 0, 3, 1.0).transition(2, 0, 3, 1.0).terminal(3);
/// let mdp = builder.build()?;
/// let model = PathModel::new(&mdp, Reward::of_states(vec![0.0, 0.0, 3f64.ln(), 0.0]), 3, Ends::Terminal)?;
/// let seen = PartialTrajectory::new(vec![Sighting::state(0), Sighting::unseen(), Sighting::state(3)]);
/// let demos = PartialDemonstrations::new(&mdp, &[seen])?;
///
/// let completion = Completion::new(&model, &demos, 0, &Work::default())?;
/// assert!((completion.posterior()[1].states[1].1 - 0.75).abs() < 1e-15);
/// let best = completion.likeliest()?;
/// assert_eq!(best.path.states, [0, 2, 3]);
/// assert!((best.log_probability - 0.75f64.ln()).abs() < 1e-15);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug)]
pub struct Completion<'a> {
    mdp: &'a Mdp,
    like: Trajectory,
    chain: Chain,
    sights: Sights,
    paths: Paths,
    kind: Kind,
    prices: Owned,
    posterior: Vec<StepPosterior>,
    unseen_after: f64,
    total: Scaled,
}

/// What the prices are made of.
#[derive(Debug)]
enum Owned {
    Tilted(crate::world::Reward, usize),
    /// log weights of steps and of ends, by (time, transition) and (time, state).
    Causal(super::prices::PolicyTable),
}

#[derive(Debug)]
enum Kind {
    Bounded { trellis: Box<Trellis>, messages: Box<Messages<Scaled>> },
    AnyLength { elimination: Box<Elimination>, log: Vec<f64> },
}

impl Owned {
    fn prices<'p>(&'p self, mdp: &'p Mdp) -> Prices<'p> {
        match self {
            Owned::Tilted(reward, longest) => Prices::tilted(mdp, reward, *longest),
            Owned::Causal(policy) => Prices::Causal { mdp, policy: policy.clone() },
        }
    }
}

impl<'a> Completion<'a> {
    /// The paths of the model that agree with one of the demonstrations.
    ///
    /// # Errors
    /// If no path of the model agrees with it; with [`Ends::Goal`], if its first or last state was not seen;
    /// [`Error::HiddenMemory`]; for gaps without a horizon, [`Error::Diverges`] and [`Error::FillIn`].
    pub fn new(
        model: &PathModel<'a>,
        demos: &PartialDemonstrations,
        index: usize,
        work: &Work,
    ) -> Result<Completion<'a>, Error> {
        let (mdp, demo) = (model.mdp(), demos.demo(index));
        let name = |error: Error| match error {
            Error::Demonstration { fault, .. } => demos.fault(index, fault),
            error => error,
        };
        check_sightings(mdp, &demos.subset(&[index]), model.ends(), model.horizon()).map_err(name)?;
        let causal = model.chance() == Chance::Fixed;
        let timed = mdp.discount() != 1.0 || (causal && model.horizon() != Horizon::Any);
        let paths = Paths { horizon: model.horizon(), ends: model.ends(), timed, memory: work.memory };
        let mut sights = Sights::default();
        let chain = chain_of(demo, 0..demo.steps().len(), true, &mut sights);
        let open = model.horizon() == Horizon::Any && demo.has_gaps();
        let trellis = match open {
            true => Trellis::default(),
            false => chain_trellis(mdp, &sights, paths, None, &chain, 1.0, work.memory)?,
        };
        let impossible = || {
            let rule = "the horizon is too short for it, or the paths that agree do not end where paths end";
            demos.fault(index, DemonstrationFault::NotInPathSet { rule })
        };
        if !open && trellis.outcomes.iter().all(|outcome| outcome.nodes.is_empty()) {
            return Err(impossible());
        }
        let prices = match causal {
            false => {
                let longest = trellis.layers.len().max(demo.steps().len());
                Owned::Tilted(model.reward().clone(), longest)
            }
            true => Owned::Causal(policy(model, demo.last(), &trellis, open, work)?),
        };
        let like = Trajectory {
            weight: demo.weight(),
            id: demo.id().map(str::to_string),
            trip: demo.trip().clone(),
            ..Trajectory::new(Vec::new(), Vec::new())
        };
        let kind = match open {
            true => {
                let elimination = Elimination::new(mdp, &Limit::of_sums(work.memory), &Watch::none())?;
                let table = prices.prices(mdp);
                let log = (0..mdp.n_transitions()).map(|transition| table.log_step(0, transition)).collect();
                Kind::AnyLength { elimination: Box::new(elimination), log }
            }
            false => {
                let messages = Messages::new(&trellis, &prices.prices(mdp)).ok_or(Error::NoSum { pair: None })?;
                Kind::Bounded { trellis: Box::new(trellis), messages: Box::new(messages) }
            }
        };
        let (posterior, unseen_after, total) = (Vec::new(), 0.0, Scaled::ZERO);
        let mut completion = Completion { mdp, like, chain, sights, paths, kind, prices, posterior, unseen_after, total };
        completion.find_posterior()?;
        if completion.total.is_zero() { Err(impossible()) } else { Ok(completion) }
    }

    /// What is known of each step, in the order of what was seen without the gaps.
    pub fn posterior(&self) -> &[StepPosterior] {
        &self.posterior
    }

    /// The expected number of unseen states after the last step; 0 without a gap there.
    pub fn unseen_after(&self) -> f64 {
        self.unseen_after
    }

    /// The likeliest path that agrees with what was seen.
    ///
    /// # Errors
    /// [`Error::Diverges`] if loops do not cost enough.
    pub fn likeliest(&self) -> Result<Completed, Error> {
        let prices = self.prices.prices(self.mdp);
        let found = match &self.kind {
            Kind::Bounded { trellis, .. } => likeliest(trellis, &prices),
            Kind::AnyLength { .. } => likeliest_passage(self.mdp, &prices, &self.sights, self.paths, &self.chain)?,
        };
        let (first, transitions, log) = found.ok_or(Error::NoSum { pair: None })?;
        // Rounding must not make it likelier than certain.
        let log_probability = (log - self.total.ln()).min(0.0);
        Ok(Completed { path: self.path(first, &transitions), log_probability })
    }

    /// Paths that agree with what was seen, drawn from their distribution. The n-th depends on the seed and on n alone.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn sample(&self, number: usize, seed: u64) -> Result<Vec<Trajectory>, Error> {
        let prices = self.prices.prices(self.mdp);
        let mut paths = Vec::with_capacity(number);
        let passage = self.passage(&prices)?;
        for draw in 0..number {
            let mut rng = Pcg64Mcg::seed_from_u64(stream(seed, draw as u64));
            let found = match (&self.kind, &passage) {
                (Kind::Bounded { trellis, messages }, _) => sampled(trellis, messages, &prices, &mut rng),
                (Kind::AnyLength { .. }, Some(passage)) => sampled_passage(passage, &mut rng)?,
                (Kind::AnyLength { .. }, None) => None,
            };
            let (first, transitions) = found.ok_or(Error::NoSum { pair: None })?;
            paths.push(self.path(first, &transitions));
        }
        Ok(paths)
    }

    fn passage<'p>(&'p self, prices: &Prices<'_>) -> Result<Option<Passage<'p>>, Error> {
        let Kind::AnyLength { elimination, log } = &self.kind else { return Ok(None) };
        let Completion { mdp, sights, paths, chain, .. } = self;
        Passage::new(elimination, mdp, prices, log, sights, *paths, None, chain, true).map(Some)
    }

    fn find_posterior(&mut self) -> Result<(), Error> {
        let n = self.chain.len();
        let mut sink = Seen {
            states: vec![BTreeMap::new(); n],
            actions: vec![BTreeMap::new(); n],
            unseen: vec![0.0; n + 1],
            mdp: self.mdp,
        };
        let prices = self.prices.prices(self.mdp);
        let total = match &self.kind {
            Kind::Bounded { trellis, messages } => {
                if !messages.total[0].is_zero() {
                    let nodes = messages.backward(trellis, &prices, &[(0, 1.0)], &mut sink);
                    for (node, p) in nodes.into_iter().enumerate().filter(|row| row.1 > 0.0) {
                        let place = Place(trellis.place[node]);
                        match place.as_step() {
                            Some(step) => *sink.states[step].entry(trellis.state[node] as usize).or_insert(0.0) += p,
                            None => sink.unseen[place.0 as usize / 2] += p,
                        }
                    }
                }
                messages.total[0]
            }
            Kind::AnyLength { .. } => match self.passage(&prices)? {
                Some(passage) if !passage.total.is_zero() => {
                    for (step, states) in passage.forward(1.0, &mut sink).into_iter().enumerate() {
                        sink.states[step] = states.into_iter().filter(|row| row.1 > 0.0).collect();
                    }
                    passage.total
                }
                _ => Scaled::ZERO,
            },
        };
        drop(prices);
        self.total = total;
        self.unseen_after = sink.unseen[n];
        let rows = sink.states.into_iter().zip(sink.actions).zip(sink.unseen);
        let list = |map: BTreeMap<usize, f64>| map.into_iter().map(|(index, p)| (index, p.min(1.0))).collect();
        self.posterior = rows
            .map(|((states, actions), unseen_before)| StepPosterior { states: list(states), actions: list(actions), unseen_before })
            .collect();
        Ok(())
    }

    fn path(&self, first: usize, transitions: &[usize]) -> Trajectory {
        let mdp = self.mdp;
        let states = std::iter::once(first).chain(transitions.iter().map(|&step| mdp.to()[step] as usize)).collect();
        let actions = transitions.iter().map(|&step| mdp.action_of(mdp.choice_of()[step] as usize)).collect();
        Trajectory { states, actions, ..self.like.clone() }
    }
}

/// The causal policy where it matters.
fn policy(
    model: &PathModel<'_>,
    goal: Option<usize>,
    trellis: &Trellis,
    open: bool,
    work: &Work,
) -> Result<super::prices::PolicyTable, Error> {
    let (mdp, horizon) = (model.mdp(), model.horizon());
    let stop = model.stop(goal.filter(|_| model.ends() == Ends::Goal))?;
    let paths = PathSet { horizon, stop };
    let mut passes = CausalPasses::new(mdp, horizon, false, work.memory)?;
    let needed = Needed::new(mdp, paths, std::slice::from_ref(trellis), &[], open);
    needed.policy(mdp, model.reward(), paths, &mut passes)
}

/// The actions after each step, and how many states lie in each gap.
struct Seen<'a> {
    mdp: &'a Mdp,
    states: Vec<BTreeMap<usize, f64>>,
    actions: Vec<BTreeMap<usize, f64>>,
    unseen: Vec<f64>,
}

impl Sink for Seen<'_> {
    fn step(&mut self, _: usize, _: usize, _: f64) {}

    fn first(&mut self, _: usize, _: f64) {}

    fn end(&mut self, _: usize, _: usize, _: f64) {}

    fn leave(&mut self, step: usize, transition: usize, probability: f64) {
        let action = self.mdp.action_of(self.mdp.choice_of()[transition] as usize);
        *self.actions[step].entry(action).or_insert(0.0) += probability;
    }

    fn gap(&mut self, gap: usize, unseen: f64) {
        self.unseen[gap] += unseen;
    }
}
