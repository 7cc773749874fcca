//! 𝓓, where some of it was not seen.

use crate::Error;
use crate::error::DemonstrationFault;
use crate::world::trajectory::{trip_fault, weight_sum_fault};
use crate::world::{Demonstrations, Mdp, PartialTrajectory, Sight, Sighting, Trajectory, TripColumns};

/// One state of a path that was seen in part.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenStep {
    /// Its place in [`PartialTrajectory::sightings`], which errors name.
    pub place: usize,
    /// Any number of unseen states, or none, lie between the step before and this one.
    pub after_gap: bool,
    /// What was seen of the state. Weights are positive, and in the order of the states.
    pub state: Sight,
    /// What was seen of the action that follows.
    pub action: Sight,
}

/// One demonstration that was seen in part.
#[derive(Debug, Clone, PartialEq)]
pub struct PartialDemonstration {
    steps: Vec<SeenStep>,
    open_end: bool,
    weight: f64,
    id: Option<String>,
    trip: TripColumns,
}

impl PartialDemonstration {
    /// The states of which something is known, if only that they are there.
    pub fn steps(&self) -> &[SeenStep] {
        &self.steps
    }

    /// Whether any number of unseen states, or none, follow the last step.
    pub fn open_end(&self) -> bool {
        self.open_end
    }

    /// Whether the number of its states is unknown.
    pub fn has_gaps(&self) -> bool {
        self.open_end || self.steps.iter().any(|step| step.after_gap)
    }

    /// Its weight.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Its name.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// What is known of it besides its path.
    pub fn trip(&self) -> &TripColumns {
        &self.trip
    }

    /// The first state, if it was seen without doubt.
    pub fn first(&self) -> Option<usize> {
        self.steps.first().filter(|step| !step.after_gap)?.state.exactly()
    }

    /// The last state, if it was seen without doubt.
    pub fn last(&self) -> Option<usize> {
        self.steps.last().filter(|_| !self.open_end)?.state.exactly()
    }

    /// The path, if all of it was seen.
    fn whole(&self) -> Option<Trajectory> {
        if self.has_gaps() {
            return None;
        }
        let states = self.steps.iter().map(|step| step.state.exactly()).collect::<Option<Vec<usize>>>()?;
        let actions = self.steps[..states.len() - 1].iter().map(|step| step.action.exactly());
        let actions = actions.collect::<Option<Vec<usize>>>()?;
        let (weight, id, trip) = (self.weight, self.id.clone(), self.trip.clone());
        Some(Trajectory { states, actions, weight, id, trip })
    }
}

/// Demonstrations that were seen in part, checked against their MDP.
///
/// ```
/// use revealed::{MdpBuilder, PartialDemonstrations, PartialTrajectory, Sighting};
///
/// let mut builder = MdpBuilder::new(3, 1);
/// builder.start(0, 1.0).transition(0, 0, 1, 1.0).transition(1, 0, 2, 1.0).terminal(2);
/// let mdp = builder.build()?;
/// let seen = |states: &[Sighting]| PartialTrajectory::new(states.to_vec());
/// assert!(PartialDemonstrations::new(&mdp, &[seen(&[Sighting::state(0), Sighting::unseen()])]).is_ok());
/// // No path leads from 1 to 0.
/// let error = PartialDemonstrations::new(&mdp, &[seen(&[Sighting::state(1), Sighting::Gap, Sighting::state(0)])]);
/// assert!(error.is_err());
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PartialDemonstrations {
    demos: Vec<PartialDemonstration>,
    weights: Vec<f64>,
}

impl PartialDemonstrations {
    /// Checks each of them against the MDP.
    ///
    /// # Errors
    /// The first fault, with the index of its demonstration: what does not exist, weights that are negative or all zero,
    /// and sightings that no path agrees with.
    pub fn new(mdp: &Mdp, trajectories: &[PartialTrajectory]) -> Result<Self, Error> {
        let mut demos = Vec::with_capacity(trajectories.len());
        for (index, trajectory) in trajectories.iter().enumerate() {
            let name = |fault| Error::Demonstration { index, id: trajectory.id.clone(), fault };
            demos.push(check(mdp, trajectory).map_err(name)?);
        }
        let weights: Vec<f64> = demos.iter().map(|demo| demo.weight).collect();
        match weight_sum_fault(weights.iter().sum()) {
            Some(fault) => Err(fault),
            None => Ok(PartialDemonstrations { demos, weights }),
        }
    }

    /// All faults of these; empty if [`new`](Self::new) succeeds.
    pub fn faults(mdp: &Mdp, trajectories: &[PartialTrajectory]) -> Vec<Error> {
        let name = |(index, trajectory): (usize, &PartialTrajectory)| {
            let fault = check(mdp, trajectory).err()?;
            Some(Error::Demonstration { index, id: trajectory.id.clone(), fault })
        };
        let mut faults: Vec<Error> = trajectories.iter().enumerate().filter_map(name).collect();
        if faults.is_empty() {
            faults.extend(weight_sum_fault(trajectories.iter().map(|trajectory| trajectory.weight).sum()));
        }
        faults
    }

    /// |𝓓|.
    pub fn len(&self) -> usize {
        self.demos.len()
    }

    /// Always false: an empty set is rejected.
    pub fn is_empty(&self) -> bool {
        self.demos.is_empty()
    }

    /// One of them.
    pub fn demo(&self, index: usize) -> &PartialDemonstration {
        &self.demos[index]
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &PartialDemonstration> {
        self.demos.iter()
    }

    /// The weights of all.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The sum of the weights.
    pub fn total_weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// The number of states of the longest, unseen ones included; those in gaps of unknown length are not counted.
    pub fn longest(&self) -> usize {
        self.demos.iter().map(|demo| demo.steps.len()).max().unwrap_or(0)
    }

    /// Whether the number of states of some of them is unknown.
    pub fn has_gaps(&self) -> bool {
        self.demos.iter().any(PartialDemonstration::has_gaps)
    }

    /// The demonstrations with these indices, in this order. At least one must have a positive weight.
    pub(crate) fn subset(&self, indices: &[usize]) -> PartialDemonstrations {
        let demos: Vec<PartialDemonstration> = indices.iter().map(|&index| self.demos[index].clone()).collect();
        PartialDemonstrations { weights: demos.iter().map(|demo| demo.weight).collect(), demos }
    }

    /// The same as ordinary demonstrations, if all of them were seen whole.
    pub fn whole(&self, mdp: &Mdp) -> Option<Demonstrations> {
        let paths = self.demos.iter().map(PartialDemonstration::whole).collect::<Option<Vec<Trajectory>>>()?;
        Demonstrations::new(mdp, &paths).ok()
    }

    /// The error of one of them.
    pub(crate) fn fault(&self, index: usize, fault: DemonstrationFault) -> Error {
        Error::Demonstration { index, id: self.demos[index].id.clone(), fault }
    }
}

fn check(mdp: &Mdp, trajectory: &PartialTrajectory) -> Result<PartialDemonstration, DemonstrationFault> {
    if !(trajectory.weight.is_finite() && trajectory.weight >= 0.0) {
        return Err(DemonstrationFault::Weight(trajectory.weight));
    }
    trip_fault(&trajectory.trip)?;
    let (mut steps, mut gap) = (Vec::new(), false);
    for (place, sighting) in trajectory.sightings.iter().enumerate() {
        let Sighting::Step { state, action } = sighting else {
            gap = true;
            continue;
        };
        let state = sight(state, place, "state", mdp.n_states())?;
        let action = sight(action, place, "action", mdp.n_actions())?;
        steps.push(SeenStep { place, after_gap: gap, state, action });
        gap = false;
    }
    let Some(last) = steps.last() else { return Err(DemonstrationFault::Empty) };
    if !gap && last.action != Sight::Unseen {
        return Err(DemonstrationFault::LastAction { step: last.place });
    }
    possible(mdp, &steps, gap)?;
    let PartialTrajectory { weight, id, trip, .. } = trajectory.clone();
    Ok(PartialDemonstration { steps, open_end: gap, weight, id, trip })
}

/// The sight in its normal form: positive weights in order, and one of weight 1 is an exact one.
fn sight(sight: &Sight, step: usize, what: &'static str, count: usize) -> Result<Sight, DemonstrationFault> {
    let outside = |index: usize| match what {
        "state" => DemonstrationFault::State { step, state: index, count },
        _ => DemonstrationFault::ActionRange { step, action: index, count },
    };
    match sight {
        Sight::Unseen => Ok(Sight::Unseen),
        Sight::Exactly(index) if *index >= count => Err(outside(*index)),
        Sight::Exactly(index) => Ok(Sight::Exactly(*index)),
        Sight::Weighted(weights) => {
            for &(index, weight) in weights {
                if index >= count {
                    return Err(outside(index));
                }
                if !(weight.is_finite() && weight >= 0.0) {
                    return Err(DemonstrationFault::SightWeight { step, what, index, weight });
                }
            }
            let mut kept: Vec<(usize, f64)> = weights.iter().copied().filter(|row| row.1 > 0.0).collect();
            kept.sort_by_key(|row| row.0);
            if let Some(pair) = kept.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(DemonstrationFault::SightTwice { step, what, index: pair[0].0 });
            }
            match kept[..] {
                [] => Err(DemonstrationFault::SightZero { step, what }),
                [(index, 1.0)] => Ok(Sight::Exactly(index)),
                _ => Ok(Sight::Weighted(kept)),
            }
        }
    }
}

/// Whether some path agrees with all of it, whatever its length and its end.
fn possible(mdp: &Mdp, steps: &[SeenStep], open_end: bool) -> Result<(), DemonstrationFault> {
    let starts: Vec<usize> = mdp.start().iter().filter(|row| row.1 > 0.0).map(|row| row.0).collect();
    let mut here = starts;
    for (number, step) in steps.iter().enumerate() {
        let before = number.checked_sub(1).map(|before| &steps[before]);
        let mut ahead = match before {
            None => here.clone(),
            Some(before) => next_states(mdp, &here, &before.action),
        };
        if step.after_gap {
            ahead = closure(mdp, ahead);
        }
        here = ahead.into_iter().filter(|&state| step.state.sorted_weight(state) > 0.0).collect();
        if here.is_empty() {
            return Err(why_impossible(mdp, before, step));
        }
    }
    let last = &steps[steps.len() - 1];
    if open_end && last.action != Sight::Unseen && next_states(mdp, &here, &last.action).is_empty() {
        return Err(DemonstrationFault::Impossible { step: last.place });
    }
    Ok(())
}

/// The fault of a step that no path agrees with.
fn why_impossible(mdp: &Mdp, before: Option<&SeenStep>, step: &SeenStep) -> DemonstrationFault {
    let general = DemonstrationFault::Impossible { step: step.place };
    let seen = |sight: &Sight| sight.exactly();
    match (before, seen(&step.state)) {
        (None, Some(state)) if !step.after_gap => DemonstrationFault::Start { state },
        (Some(before), Some(to)) if !step.after_gap => match (seen(&before.state), seen(&before.action)) {
            (Some(state), _) if mdp.is_terminal(state) => DemonstrationFault::AfterTerminal { step: before.place, state },
            (Some(state), Some(action)) => match mdp.choice(state, action) {
                None => DemonstrationFault::Action { step: before.place, state, action },
                Some(_) if mdp.transition(state, action, to).is_none() => {
                    DemonstrationFault::Transition { step: before.place, state, action, to }
                }
                Some(_) => DemonstrationFault::Reference { step: before.place, state, action },
            },
            _ => general,
        },
        _ => general,
    }
}

/// The states that one step leads to, in order.
fn next_states(mdp: &Mdp, from: &[usize], action: &Sight) -> Vec<usize> {
    let taken = |&transition: &usize| {
        mdp.base_weight(transition) > 0.0 && action.sorted_weight(mdp.action_of(mdp.choice_of()[transition] as usize)) > 0.0
    };
    let steps = from.iter().flat_map(|&state| mdp.children(state)).filter(taken);
    let mut next: Vec<usize> = steps.map(|transition| mdp.to()[transition] as usize).collect();
    next.sort_unstable();
    next.dedup();
    next
}

/// These states and all that can be reached from them.
fn closure(mdp: &Mdp, first: Vec<usize>) -> Vec<usize> {
    let mut reached = vec![false; mdp.n_states()];
    first.iter().for_each(|&state| reached[state] = true);
    let mut open = first;
    while let Some(state) = open.pop() {
        for to in next_states(mdp, &[state], &Sight::Unseen) {
            if !std::mem::replace(&mut reached[to], true) {
                open.push(to);
            }
        }
    }
    (0..mdp.n_states()).filter(|&state| reached[state]).collect()
}
