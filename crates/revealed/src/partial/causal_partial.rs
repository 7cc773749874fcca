//! The causal model and demonstrations that were seen in part.

use std::collections::BTreeMap;

use super::deeds::ExpectedDeeds;
use super::hidden::Hidden;
use super::needed::Needed;
use super::open::Open;
use super::partial_likelihood::{check_sightings, check_trellises, horizon_of};
use super::prices::{PolicyTable, Prices};
use super::split::{Paths, Pieces, SeenPart, Stretch, split};
use super::summary::Summary;
use super::sweep::Sink;
use crate::Error;
use crate::causal::passes::{CausalPasses, Sources};
use crate::engine::inference::check_horizon;
use crate::engine::path_set::PathSet;
use crate::engine::{Horizon, Stop};
use crate::error::DemonstrationFault;
use crate::model::{CausalEvaluation, Ends, Options};
use crate::numeric::threads::Threads;
use crate::numeric::vector::all_representable;
use crate::watch::Watch;
use crate::world::{Features, Mdp, PartialDemonstrations, Reward};

/// The log-likelihood of demonstrations that were seen in part in the causal model, in which chance decides the outcomes
/// of actions:
///
/// ```text
/// ℓ(Θ) = mean over the demonstrations of log Σ_τ p0 Π_t π_t(a_t|s_t) T(s_{t+1}|s_t, a_t) · e(τ)
/// ```
///
/// By Fisher's identity its gradient is that of the likelihood of whole demonstrations
/// ([`CausalLikelihood`](crate::CausalLikelihood)), with the expected numbers of choices given what was seen.
#[derive(Debug)]
pub struct CausalPartialLikelihood<'a> {
    mdp: &'a Mdp,
    features: &'a Features,
    demos: &'a PartialDemonstrations,
    ends: Ends,
    horizon: Horizon,
    groups: Vec<CausalGroup>,
    passes: CausalPasses,
    threads: Threads,
}

/// Demonstrations with the same goal, or all of them.
#[derive(Debug)]
struct CausalGroup {
    stop: Stop,
    members: Vec<usize>,
    /// The share of the total weight.
    share: f64,
    seen: Vec<SeenPart>,
    stretches: Vec<Vec<Stretch>>,
    hidden: Hidden,
    open: Option<Open>,
    starts: Vec<(usize, f64)>,
    needed: Needed,
    /// The mean of log p0 + Σ log T over what was seen, and the logarithms of its weights.
    mean_log_chance: f64,
}

impl<'a> CausalPartialLikelihood<'a> {
    /// Checks that episodes of the model agree with what was seen, and prepares the evaluation.
    ///
    /// # Errors
    /// As [`PartialLikelihood::new`](crate::PartialLikelihood::new).
    pub fn new(
        mdp: &'a Mdp,
        features: &'a Features,
        demos: &'a PartialDemonstrations,
        options: &Options,
    ) -> Result<Self, Error> {
        let (ends, horizon) = (options.ends, horizon_of(demos, options.horizon)?);
        check_horizon(horizon)?;
        check_sightings(mdp, demos, ends, horizon)?;
        let memory = options.work.memory;
        let passes = CausalPasses::new(mdp, horizon, !features.on_states_only(), memory)?;
        let paths = Paths { horizon, ends, timed: horizon != Horizon::Any, memory };
        let mut groups = Vec::new();
        for (goal, members) in by_goal(demos, ends) {
            groups.push(CausalGroup::new(mdp, demos, members, goal, paths)?);
        }
        let threads = Threads::new(options.work.threads)?;
        Ok(CausalPartialLikelihood { mdp, features, demos, ends, horizon, groups, passes, threads })
    }

    /// How many states an episode may have.
    pub fn horizon(&self) -> Horizon {
        self.horizon
    }

    /// Where episodes end.
    pub fn ends(&self) -> Ends {
        self.ends
    }

    /// ℓ(Θ) and its gradient.
    ///
    /// # Errors
    /// As [`CausalLikelihood::evaluate`](crate::CausalLikelihood::evaluate); if an episode of the model cannot agree with
    /// what was seen.
    pub fn evaluate(&mut self, theta: &[f64]) -> Result<CausalEvaluation, Error> {
        let reward = self.features.reward(self.mdp, theta)?;
        let large = self.passes.is_large() || self.groups.iter().any(|group| group.hidden.is_large());
        let (log_likelihood, gradient) = self.threads.clone().run_if(large, || self.sums(&reward))?;
        all_representable("the log-likelihood", &[log_likelihood])?;
        all_representable("a component of the gradient", &gradient)?;
        Ok(CausalEvaluation { objective: log_likelihood, log_likelihood, gradient })
    }

    fn sums(&mut self, reward: &Reward) -> Result<(f64, Vec<f64>), Error> {
        let CausalPartialLikelihood { mdp, features, demos, groups, passes, horizon, ends, .. } = self;
        let (mut log_likelihood, mut gradient) = (0.0, vec![0.0; features.n_features()]);
        for group in groups.iter() {
            let paths = PathSet { horizon: *horizon, stop: group.stop };
            let prices = Prices::Causal { mdp, policy: group.policy(mdp, reward, paths, passes)? };
            let (_, alive) = passes.alive(&group.starts);
            let new = || ExpectedDeeds::new(mdp, paths);
            let (sum, parts) = group.hidden.expect(&prices, new)?;
            let found = |(trellis, outcome)| Stretch::Bounded { trellis, outcome };
            let mut log = sum.map_err(|at| group.impossible(demos, found(at)))?;
            let mut deeds = new();
            parts.iter().for_each(|part| deeds.add(part, 1.0));
            if let Some(open) = &group.open {
                let solved = open.solve(mdp, &prices)?;
                let (sum, parts) = open.expect(mdp, &prices, &solved, new)?;
                log += sum.map_err(|number| group.impossible(demos, Stretch::AnyLength(number)))?;
                parts.iter().for_each(|part| deeds.add(part, 1.0));
            }
            log += group.add_seen(mdp, demos, paths, &prices, &mut deeds)?;
            log_likelihood += group.share * (log + group.mean_log_chance);
            // p0 is normalised over the first states of the model.
            log_likelihood -= if *ends == Ends::Goal { 0.0 } else { group.share * alive.ln() };
            let deeds = deeds.lists();
            passes.check_digits(mdp, reward, paths, &deeds)?;
            let visits = passes.visits(mdp, Sources::Deeds(&deeds))?;
            let of_group = features.expectation(mdp, &visits);
            gradient.iter_mut().zip(of_group).for_each(|(sum, part)| *sum += group.share * part);
        }
        Ok((log_likelihood, gradient))
    }

    /// The gradient of the log-likelihood of each demonstration. Their weighted mean is the gradient. It costs a backward
    /// pass for each parameter.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn scores(&mut self, theta: &[f64]) -> Result<Vec<Vec<f64>>, Error> {
        let reward = self.features.reward(self.mdp, theta)?;
        let CausalPartialLikelihood { mdp, features, demos, groups, passes, horizon, .. } = self;
        let (layout, n) = (passes.layout(), features.n_features());
        let mut scores = vec![vec![0.0; n]; demos.len()];
        for group in groups.iter() {
            let paths = PathSet { horizon: *horizon, stop: group.stop };
            let prices = Prices::Causal { mdp, policy: group.policy(mdp, &reward, paths, passes)? };
            let done = group.deeds_by_demo(mdp, paths, &prices)?;
            (0..n).try_for_each(|k| {
                let (of_state, of_choice) = features.of_one(mdp, k);
                let of_place = layout.by_place(|state| of_state[state]);
                let slots = layout.choice_of_slot.iter();
                let of_slot: Vec<f64> = slots.map(|&c| of_choice.get(c as usize).copied().unwrap_or(0.0)).collect();
                passes.derivative(mdp, &of_place, &of_slot, &mut |t, value, next| {
                    let at = if *horizon == Horizon::Any { 0 } else { t - 1 };
                    let own = |state: usize| {
                        let place = layout.place_of_state[state] as usize;
                        value[place] - of_place[place]
                    };
                    for (deeds, &index) in done.iter().zip(&group.members) {
                        let score = &mut scores[index][k];
                        for (&(_, choice), weight) in deeds.choices.range((at, 0)..(at + 1, 0)) {
                            let later = layout.expected(layout.slot_of_choice[choice] as usize, next);
                            let chosen = of_choice[choice] + mdp.discount() * later;
                            *score += weight * (chosen - own(mdp.state_of(choice)));
                        }
                        for (&(_, state), weight) in deeds.stops.range((at, 0)..(at + 1, 0)) {
                            *score -= weight * own(state);
                        }
                    }
                })
            })?;
        }
        Ok(scores)
    }

    /// What the demonstrations have, or might have where nobody saw them.
    pub(crate) fn summary(&self) -> Result<Summary, Error> {
        let mut summary = Summary::nothing(self.features.n_features());
        for group in &self.groups {
            let demos = self.demos.subset(&group.members);
            let part = Summary::new(self.mdp, self.features, &demos, &group.seen, &group.stretches, &group.hidden)?;
            summary.add(&part, group.share);
        }
        Ok(summary)
    }
}

/// The demonstrations of positive weight by their goals.
fn by_goal(demos: &PartialDemonstrations, ends: Ends) -> BTreeMap<Option<usize>, Vec<usize>> {
    let mut groups: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for (index, demo) in demos.iter().enumerate().filter(|row| row.1.weight() > 0.0) {
        groups.entry(demo.last().filter(|_| ends == Ends::Goal)).or_default().push(index);
    }
    groups
}

impl CausalGroup {
    fn new(
        mdp: &Mdp,
        demos: &PartialDemonstrations,
        members: Vec<usize>,
        goal: Option<usize>,
        paths: Paths,
    ) -> Result<CausalGroup, Error> {
        let stop = match (paths.ends, goal) {
            (Ends::Goal, Some(goal)) => Stop::At(goal),
            (Ends::Anywhere | Ends::Goal, _) => Stop::Anywhere,
            (Ends::Horizon, _) => Stop::Horizon,
            (Ends::Terminal, _) => Stop::Terminal,
        };
        let subset = demos.subset(&members);
        let share = subset.total_weight() / demos.total_weight();
        let Pieces { seen, trellises, open, stretches, sights } = split(mdp, &subset, paths)?;
        check_trellises(&subset, &trellises, &stretches)?;
        let starts = match paths.ends {
            Ends::Goal => {
                subset.iter().filter_map(|demo| Some((demo.first()?, demo.weight() / subset.total_weight()))).collect()
            }
            _ => mdp.start().to_vec(),
        };
        let open = match open.is_empty() {
            true => None,
            false => Some(Open::new(mdp, open, sights, paths, &Watch::none())?),
        };
        let mean_log_chance = mean_log_chance(mdp, &subset, &seen, paths.ends);
        let hidden = Hidden::new(trellises);
        let of_model = PathSet { horizon: paths.horizon, stop };
        let needed = Needed::new(mdp, of_model, &hidden.trellises, &seen, open.is_some());
        Ok(CausalGroup { stop, members, share, seen, stretches, hidden, open, starts, needed, mean_log_chance })
    }

    /// The probabilities that matter.
    fn policy(&self, mdp: &Mdp, reward: &Reward, paths: PathSet, passes: &mut CausalPasses) -> Result<PolicyTable, Error> {
        self.needed.policy(mdp, reward, paths, passes)
    }

    /// Adds what was seen to what was done, and returns its mean log-probability.
    fn add_seen(
        &self,
        mdp: &Mdp,
        demos: &PartialDemonstrations,
        paths: PathSet,
        prices: &Prices<'_>,
        deeds: &mut ExpectedDeeds<'_>,
    ) -> Result<f64, Error> {
        let mut mean = 0.0;
        let total: f64 = self.members.iter().map(|&index| demos.weights()[index]).sum();
        for (seen, &index) in self.seen.iter().zip(&self.members) {
            let share = demos.weights()[index] / total;
            let mut log = 0.0;
            for &(time, transition) in &seen.transitions {
                log += prices.log_step(time, transition) - mdp.probability()[transition].ln();
                deeds.step(time, transition, share);
            }
            if let Some((time, state)) = seen.last
                && ExpectedDeeds::decides(mdp, paths, time, state)
            {
                log += prices.log_end(time, state);
                deeds.end(time, state, share);
            }
            if log == f64::NEG_INFINITY {
                return Err(demos.fault(index, impossible()));
            }
            mean += share * log;
        }
        Ok(mean)
    }

    /// What each demonstration did.
    fn deeds_by_demo<'m>(&self, mdp: &'m Mdp, paths: PathSet, prices: &Prices<'_>) -> Result<Vec<ExpectedDeeds<'m>>, Error> {
        let new = || ExpectedDeeds::new(mdp, paths);
        let bounded = self.hidden.by_outcome(prices, new)?;
        let open = match &self.open {
            Some(open) => open.by_stretch(mdp, prices, new)?,
            None => Vec::new(),
        };
        let of_demo = |(seen, stretches): (&SeenPart, &Vec<Stretch>)| {
            let mut deeds = new();
            seen.transitions.iter().for_each(|&(time, transition)| deeds.step(time, transition, 1.0));
            seen.last.into_iter().for_each(|(time, state)| deeds.end(time, state, 1.0));
            for stretch in stretches {
                let part = match *stretch {
                    Stretch::Bounded { trellis, outcome } => bounded[trellis][outcome].as_ref(),
                    Stretch::AnyLength(number) => Some(&open[number]),
                };
                part.into_iter().for_each(|part| deeds.add(part, 1.0));
            }
            deeds
        };
        Ok(self.seen.iter().zip(&self.stretches).map(of_demo).collect())
    }

    /// The error of the first demonstration that has a stretch.
    fn impossible(&self, demos: &PartialDemonstrations, stretch: Stretch) -> Error {
        let which = self.stretches.iter().position(|of_demo| of_demo.contains(&stretch)).unwrap_or(0);
        demos.fault(self.members[which], impossible())
    }
}

fn impossible() -> DemonstrationFault {
    DemonstrationFault::NotInPathSet {
        rule: "the agent would have to take an action that may lead where chance decides whether the episode ends as the \
               model says; set ends to horizon, or the horizon to any",
    }
}

/// The mean of log p0 + Σ log T over what was seen, without p0 if the first state is given.
fn mean_log_chance(mdp: &Mdp, demos: &PartialDemonstrations, seen: &[SeenPart], ends: Ends) -> f64 {
    let of = |seen: &SeenPart| {
        let first = match seen.first {
            Some(state) if ends != Ends::Goal => mdp.start_probability(state).ln(),
            _ => 0.0,
        };
        first + seen.log_factor + seen.transitions.iter().map(|step| mdp.probability()[step.1].ln()).sum::<f64>()
    };
    demos.iter().zip(seen).map(|(demo, seen)| demo.weight() / demos.total_weight() * of(seen)).sum()
}
