//! The scores of demonstrations, all in one pass over the messages.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::Error;
use crate::engine::inference::{Inference, Settings, Start, View};
use crate::engine::path_set::PathSet;
use crate::engine::{Horizon, Stop};
use crate::error::DemonstrationFault;
use crate::model::Ends;
use crate::model::distribution::LARGE_MDP;
use crate::model::likelihood::ending_fault;
use crate::model::solver::{Inquiry, Solver};
use crate::model::{Chance, PathModel, border};
use crate::numeric::Work;
use crate::numeric::parallel;
use crate::numeric::scaled::Scaled;
use crate::numeric::threads::Threads;
use crate::questions::sample::WORTH_SHARING;
use crate::questions::score::route_scores::route_scores;
use crate::questions::score::{Event, Factor, Score, ScoredStep};
use crate::world::Demonstrations;

/// Scores every demonstration. If a demonstration is not in the path set (too long, or with another end), its
/// log-likelihood is -∞, and its entry is the reason. Any number of threads gives the same bits.
///
/// It costs as much as one gradient, or less if the demonstrations are shorter than the horizon; with [`Ends::Goal`],
/// once for every distinct last state.
///
/// ```
/// use revealed::{Demonstrations, Ends, Event, MdpBuilder, PathModel, Reward, Trajectory, Work, scores};
///
/// // A fork: from 0 to 1, or to 2, which pays log 9.
/// let mut builder = MdpBuilder::new(3, 2);
/// builder.start(0, 1.0).terminal(1).terminal(2);
/// builder.transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
/// let mdp = builder.build()?;
/// let model = PathModel::new(&mdp, Reward::of_states(vec![0.0, 0.0, 9f64.ln()]), 2, Ends::Terminal)?;
/// let demos = Demonstrations::new(&mdp, &[Trajectory::new(vec![0, 1], vec![0]), Trajectory::new(vec![0], vec![])])?;
///
/// let scores = scores(&model, &demos, &Work::default())?;
/// let surprise = scores[0].as_ref().unwrap().surprises(1)[0];
/// assert!((surprise.factor.log_probability - 0.1f64.ln()).abs() < 1e-12);
/// assert_eq!((surprise.t, surprise.factor.likeliest), (1, Event::Action(1)));
/// // The other one does not end in a terminal state.
/// assert!(scores[1].is_err());
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// If the threads cannot be started, or the memory budget is too small.
pub fn scores(
    model: &PathModel<'_>,
    demos: &Demonstrations,
    work: &Work,
) -> Result<Vec<Result<Score, DemonstrationFault>>, Error> {
    if (model.horizon(), model.ends(), model.chance()) == (Horizon::Any, Ends::Goal, Chance::Tilted) {
        let scores = route_scores(model.mdp(), model.reward(), demos, work)?;
        return Ok(scores.into_iter().map(Ok).collect());
    }
    let fault = |index| ending_fault(model.mdp(), demos, index, model.ends(), model.horizon());
    let faults: Vec<Option<DemonstrationFault>> = (0..demos.len()).map(fault).collect();
    let sound: Vec<usize> = (0..demos.len()).filter(|&index| faults[index].is_none()).collect();
    let groups = groups(model, demos, &sound)?;
    let scoring = Scoring { model, demos };
    let large = groups.len() > 1 || demos.len() >= WORTH_SHARING || model.mdp().n_transitions() >= LARGE_MDP;
    let scored = Threads::new(work.threads)?.run_if(large, || scoring.of_groups(&groups, work.memory))?;
    let mut by_index: BTreeMap<usize, Score> =
        groups.iter().flat_map(|group| group.members.iter().copied()).zip(scored).collect();
    let answer = |(index, fault): (usize, Option<DemonstrationFault>)| match fault {
        Some(fault) => Err(fault),
        None => {
            let score = by_index.remove(&index).expect("each demonstration is in one group");
            score.impossible_step().map_or(Ok(score), |step| Err(unsafe_step(model, demos, index, step)))
        }
    };
    Ok(faults.into_iter().enumerate().map(answer).collect())
}

/// Demonstrations that share a path set: all of them, or with [`Ends::Goal`] those with the same last state.
struct ScoredGroup {
    stop: Stop,
    /// From the longest to the shortest.
    members: Vec<usize>,
}

fn groups(model: &PathModel<'_>, demos: &Demonstrations, sound: &[usize]) -> Result<Vec<ScoredGroup>, Error> {
    let mut by_goal: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for &index in sound {
        let goal = (model.ends() == Ends::Goal).then(|| demos.states(index)[demos.states(index).len() - 1] as usize);
        by_goal.entry(goal).or_default().push(index);
    }
    let group = |(goal, mut members): (Option<usize>, Vec<usize>)| {
        members.sort_by_key(|&index| std::cmp::Reverse(demos.states(index).len()));
        Ok(ScoredGroup { stop: model.stop(goal)?, members })
    };
    by_goal.into_iter().map(group).collect()
}

struct Scoring<'a> {
    model: &'a PathModel<'a>,
    demos: &'a Demonstrations,
}

impl Scoring<'_> {
    /// The scores of all groups, one group after the other.
    fn of_groups(&self, groups: &[ScoredGroup], memory: usize) -> Result<Vec<Score>, Error> {
        let (mdp, horizon) = (self.model.mdp(), self.model.horizon());
        let network = Inference::network(mdp, !self.model.reward().transition.is_empty());
        let settings = Settings { discount: mdp.discount(), horizon, transitions: false, memory };
        let with = |settings| Solver::new(self.model.chance(), mdp, || Arc::clone(&network), settings, false);
        let scored: Result<Vec<Vec<Score>>, Error> = match Inference::at_once(&network, settings, groups.len()) {
            Some(share) => {
                let scored = parallel::map_with(groups, || with(share), |solver, group| self.of_group(solver, group));
                scored.into_iter().collect()
            }
            None => {
                let mut solver = with(settings);
                groups.iter().map(|group| self.of_group(&mut solver, group)).collect()
            }
        };
        Ok(scored?.into_iter().flatten().collect())
    }

    /// The scores of one group, all in one pass over the messages.
    fn of_group(&self, solver: &mut Solver, group: &ScoredGroup) -> Result<Vec<Score>, Error> {
        let Scoring { model, demos } = *self;
        let (mdp, members) = (model.mdp(), &group.members);
        let (first, length) = (|index: usize| demos.states(index)[0] as usize, |index: usize| demos.states(index).len());
        let mut scores: Vec<Score> = members.iter().map(|&index| Score::starting_in(first(index))).collect();
        // Only backward messages are read, and they do not depend on the first states. A demonstration may begin where
        // no episode of a causal model can begin, so all states stand for them there.
        let given = match model.chance() {
            Chance::Tilted => vec![(first(members[0]), 1.0)],
            Chance::Fixed => (0..mdp.n_states()).map(|state| (state, 1.0)).collect(),
        };
        let is_given = model.ends() == Ends::Goal;
        let is_tilted = model.chance() == Chance::Tilted;
        let start = if is_given || !is_tilted { Start::Each(&given) } else { Start::Joint(mdp.start()) };
        let asked = Inquiry { start, paths: PathSet { horizon: model.horizon(), stop: group.stop }, to: None };
        self.check_digits(solver, group, asked)?;
        solver.watch(mdp, model.reward(), asked, &mut |view| {
            if view.t == 1 {
                if !is_given {
                    let options = first_states(mdp.start(), &view);
                    let factor = |&index: &usize| Factor::of(&options, Event::State(first(index)));
                    scores.iter_mut().zip(members).for_each(|(score, index)| score.start = factor(index));
                }
                return ControlFlow::Continue(());
            }
            let t = view.t - 1;
            let walking = members.partition_point(|&index| length(index) >= t);
            let steps = scores[..walking].iter_mut().zip(&members[..walking]);
            parallel::for_each(steps, |(score, &index)| self.step(score, index, &view));
            if length(members[0]) <= t { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        for score in &mut scores {
            let sum = score.factors().map(|surprise| surprise.factor.log_probability).sum();
            score.log_likelihood = border::log_probability("the log-likelihood of a demonstration", sum)?;
        }
        Ok(scores)
    }

    /// Refuses if digits are lost of what follows a state of a demonstration.
    fn check_digits(&self, solver: &mut Solver, group: &ScoredGroup, asked: Inquiry<'_>) -> Result<(), Error> {
        let Scoring { model, demos } = *self;
        let mut found = Ok(());
        let any_time = model.horizon() == Horizon::Any;
        solver.show_digits(model.mdp(), model.reward(), asked, &mut |t, known| {
            for &index in &group.members {
                let states = demos.states(index);
                let shown = if any_time { states } else { states.get(t - 1..t).unwrap_or_default() };
                if found.is_ok() {
                    found = shown.iter().try_for_each(|&state| known[state as usize].check(model.mdp()));
                }
            }
        })?;
        found
    }

    /// Adds the factors at t, from the messages of t + 1.
    fn step(&self, score: &mut Score, index: usize, next: &View<'_>) {
        let (mdp, t) = (self.model.mdp(), next.t - 1);
        let weight = |transition: usize| next.onward(transition, mdp.to()[transition] as usize);
        let outcomes = |choice: usize| mdp.outcomes(choice).map(|o| (Event::State(mdp.to()[o] as usize), weight(o)));
        let state = self.demos.states(index)[t - 1] as usize;
        let of_choice = |choice| (Event::Action(mdp.action_of(choice)), outcomes(choice).map(|outcome| outcome.1).sum());
        let mut moves: Vec<(Event, Scaled)> = mdp.choices(state).map(of_choice).collect();
        moves.push((Event::Stop, next.previous_stop(state)));
        let Some(&transition) = self.demos.transitions(index).get(t - 1) else {
            // A demonstration that is a part of an episode has no end.
            if (self.model.horizon(), self.model.ends()) != (Horizon::Any, Ends::Horizon) {
                score.stop = Factor::of(&moves, Event::Stop);
            }
            return;
        };
        let choice = mdp.choice_of()[transition as usize] as usize;
        let to = mdp.to()[transition as usize] as usize;
        score.steps.push(ScoredStep {
            choice: Factor::of(&moves, Event::Action(mdp.action_of(choice))),
            outcome: Factor::of(&outcomes(choice).collect::<Vec<_>>(), Event::State(to)),
        });
    }
}

/// Why a demonstration is impossible in a causal model: it may have led where the model lets no episode be.
fn unsafe_step(model: &PathModel<'_>, demos: &Demonstrations, index: usize, step: usize) -> DemonstrationFault {
    let choice = |&transition: &u32| model.mdp().choice_of()[transition as usize] as usize;
    let action = demos.transitions(index).get(step).map_or(0, |transition| model.mdp().action_of(choice(transition)));
    DemonstrationFault::Unsafe { step, state: demos.states(index)[step] as usize, action }
}

/// p0(s) e^{R(s)} b_1(s) of each first state.
fn first_states(start: &[(usize, f64)], view: &View<'_>) -> Vec<(Event, Scaled)> {
    let paid = |state: usize| view.of_state(state) * view.after(state);
    start.iter().map(|&(state, p)| (Event::State(state), Scaled::from(p) * paid(state))).collect()
}
