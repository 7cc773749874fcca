//! Demonstrations that were seen in part, by their definition: how well one path agrees with what was seen.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::world::{Demonstrations, Mdp, PartialTrajectory, Sight, Sighting};

/// e(τ): the product of the weights of what was seen, summed over all ways in which this path fills the gaps.
pub fn agreement(seen: &[Sighting], states: &[usize], actions: &[usize]) -> f64 {
    ways(seen, states, actions).iter().map(|way| way.1).sum()
}

/// Each way in which a path fills the gaps: the state of the path at which each sighting that is no gap stands, and the
/// product of the weights.
pub fn ways(seen: &[Sighting], states: &[usize], actions: &[usize]) -> Vec<(Vec<usize>, f64)> {
    let mut found = Vec::new();
    place(seen, states, actions, 0, &mut Vec::new(), 1.0, false, &mut found);
    found
}

#[allow(clippy::too_many_arguments)]
fn place(
    seen: &[Sighting],
    states: &[usize],
    actions: &[usize],
    next: usize,
    places: &mut Vec<usize>,
    weight: f64,
    in_gap: bool,
    found: &mut Vec<(Vec<usize>, f64)>,
) {
    let Some((first, rest)) = seen.split_first() else {
        if next == states.len() || in_gap {
            found.push((places.clone(), weight));
        }
        return;
    };
    let Sighting::Step { state, action } = first else {
        return place(rest, states, actions, next, places, weight, true, found);
    };
    let last = if in_gap { states.len() } else { (next + 1).min(states.len()) };
    for at in next..last {
        let of_action = match (actions.get(at), action) {
            (Some(&taken), action) => action.weight(taken),
            (None, Sight::Unseen) => 1.0,
            (None, _) => 0.0,
        };
        let weight = weight * state.weight(states[at]) * of_action;
        if weight > 0.0 {
            places.push(at);
            place(rest, states, actions, at + 1, places, weight, false, found);
            places.pop();
        }
    }
}

/// What somebody saw of one demonstration, drawn at random: states and actions without doubt, with noise or not at all,
/// and, if `gaps`, gaps of unknown length. With `ends` the first and the last state are seen without doubt.
pub fn glimpse(mdp: &Mdp, demos: &Demonstrations, index: usize, seed: u64, ends: bool, gaps: bool) -> PartialTrajectory {
    let mut rng = Pcg64Mcg::seed_from_u64(seed ^ (index as u64) << 40);
    let (states, transitions) = (demos.states(index), demos.transitions(index));
    let hides = rng.random_range(0.0..0.9);
    let mut seen = Vec::new();
    if gaps && !ends && rng.random_bool(0.15) {
        seen.push(Sighting::Gap);
    }
    for (step, &state) in states.iter().enumerate() {
        let is_end = step == 0 || step + 1 == states.len();
        if gaps && !is_end && rng.random_bool(0.2) {
            // The state is lost in a gap, or lies beside one.
            seen.push(Sighting::Gap);
            if rng.random_bool(0.5) {
                continue;
            }
        }
        let certain = ends && is_end;
        let of_state =
            if certain { Sight::Exactly(state as usize) } else { sight(&mut rng, state as usize, mdp.n_states(), hides) };
        // What precedes a gap may have been followed by anything.
        let of_action = match transitions.get(step) {
            Some(&transition) => {
                let action = mdp.action_of(mdp.choice_of()[transition as usize] as usize);
                sight(&mut rng, action, mdp.n_actions(), hides)
            }
            None => Sight::Unseen,
        };
        seen.push(Sighting::Step { state: of_state, action: of_action });
    }
    if gaps && !ends && rng.random_bool(0.15) {
        seen.push(Sighting::Gap);
    }
    PartialTrajectory { weight: demos.weight(index), id: demos.id(index).map(str::to_string), ..PartialTrajectory::new(seen) }
}

fn sight(rng: &mut Pcg64Mcg, truth: usize, count: usize, hides: f64) -> Sight {
    if !rng.random_bool(hides) {
        return Sight::Exactly(truth);
    }
    if rng.random_bool(0.6) {
        return Sight::Unseen;
    }
    let row = |index: usize| {
        let weight = if index == truth {
            1.0
        } else if rng.random_bool(0.3) {
            0.0
        } else {
            rng.random_range(0.01..2.0)
        };
        (index, weight)
    };
    Sight::Weighted((0..count).map(row).collect())
}
