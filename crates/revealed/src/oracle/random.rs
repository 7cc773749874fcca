//! Small random problems that cover all that the model allows, for tests.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::engine::Stop;
use crate::model::Ends;
use crate::world::{Demonstrations, Features, FeaturesBuilder, Mdp, MdpBuilder, Reward, Trajectory};

const MOST_STATES: usize = 5;
const MOST_ACTIONS: usize = 3;
const MOST_OUTCOMES: usize = 3;
const LONGEST_HORIZON: usize = 6;
/// Up to this number, enumeration takes milliseconds.
pub(super) const MOST_PATHS: f64 = 50_000.0;
/// Without a minimum, half of the problems would have a single path. One seed in ten has no minimum.
const ENOUGH_PATHS: f64 = 10.0;
const DISCOUNTS: [f64; 4] = [0.0, 0.5, 0.9, 1.0];
/// φ_s, φ_sa, φ_sas': every combination except the empty one.
const N_MIXTURES: u64 = 7;
/// The number of failed walks after which the whole problem is drawn again.
const WALKS: usize = 20;

/// An MDP with features, a θ and demonstrations that are valid for `horizon` and `ends`.
#[derive(Debug, Clone)]
pub struct RandomProblem {
    /// 1 to 5 states, 1 to 3 actions.
    pub mdp: Mdp,
    /// 1 to 4 parameters, shared between the kinds of features.
    pub features: Features,
    /// In [-2, 2].
    pub theta: Vec<f64>,
    /// 1 to 4 demonstrations, with random weights.
    pub demonstrations: Demonstrations,
    /// L, from 1 to 6; may be larger than the longest demonstration.
    pub horizon: usize,
    /// Where paths end.
    pub ends: Ends,
}

impl RandomProblem {
    /// The problem of this seed. `ends`, the discount and the combination of feature kinds cycle, so that any 112
    /// consecutive seeds have every combination of the three. Everything else is drawn at random.
    pub fn new(seed: u64) -> RandomProblem {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let fewest_paths = if rng.random_bool(0.1) { 1.0 } else { ENOUGH_PATHS };
        let mut draw = Draw {
            rng,
            fewest_paths,
            ends: Ends::ALL[(seed % 4) as usize],
            discount: DISCOUNTS[(seed / 4 % 4) as usize],
            mixture: 1 + seed / 16 % N_MIXTURES,
        };
        loop {
            if let Some(problem) = draw.problem() {
                return problem;
            }
        }
    }

    /// R = θᵀφ.
    pub fn reward(&self) -> Reward {
        self.features.reward(&self.mdp, &self.theta).expect("a random reward is finite")
    }

    /// The (start, stop) of each path distribution of the demonstrations: one, or one per demonstration for
    /// [`Ends::Goal`].
    pub fn path_sets(&self) -> Vec<(Vec<(usize, f64)>, Stop)> {
        let stop = match self.ends {
            Ends::Anywhere => Stop::Anywhere,
            Ends::Horizon => Stop::Horizon,
            Ends::Terminal => Stop::Terminal,
            Ends::Goal => return (0..self.demonstrations.len()).map(|index| self.goal(index)).collect(),
        };
        vec![(self.mdp.start().to_vec(), stop)]
    }

    fn goal(&self, index: usize) -> (Vec<(usize, f64)>, Stop) {
        let states = self.demonstrations.states(index);
        (vec![(states[0] as usize, 1.0)], Stop::At(states[states.len() - 1] as usize))
    }
}

struct Draw {
    rng: Pcg64Mcg,
    fewest_paths: f64,
    ends: Ends,
    discount: f64,
    mixture: u64,
}

impl Draw {
    /// `None` if there are too many or too few paths, or if no demonstration was found.
    fn problem(&mut self) -> Option<RandomProblem> {
        let mdp = self.mdp();
        let horizon = self.rng.random_range(1..=LONGEST_HORIZON);
        if n_paths(&mdp, mdp.start(), horizon, Stop::Anywhere) > MOST_PATHS {
            return None;
        }
        let demonstrations = self.demonstrations(&mdp, horizon)?;
        let features = self.features(&mdp);
        let theta = (0..features.n_features()).map(|_| self.rng.random_range(-2.0..=2.0)).collect();
        let problem = RandomProblem { mdp, features, theta, demonstrations, horizon, ends: self.ends };
        let has_enough = |(start, stop): (Vec<_>, _)| n_paths(&problem.mdp, &start, horizon, stop) >= self.fewest_paths;
        problem.path_sets().into_iter().any(has_enough).then_some(problem)
    }

    fn mdp(&mut self) -> Mdp {
        let n_states = self.rng.random_range(1..=MOST_STATES);
        let n_actions = self.rng.random_range(1..=MOST_ACTIONS);
        let mut builder = MdpBuilder::new(n_states, n_actions);
        builder.discount(self.discount);

        let reachable = self.subset(n_states, 0.7);
        let starts = self.some_of(&reachable, n_states);
        for (&state, p) in starts.iter().zip(self.probabilities(starts.len())) {
            builder.start(state, p);
        }
        let all_states: Vec<usize> = (0..n_states).collect();
        let terminal = if self.rng.random_bool(0.6) { self.some_of(&all_states, 2) } else { Vec::new() };
        for &state in &terminal {
            builder.terminal(state);
        }
        let with_reference = self.rng.random_bool(0.3);
        let mut rows = Vec::new();
        for state in 0..n_states {
            if terminal.contains(&state) {
                rows.extend(self.rng.random_bool(0.3).then_some((state, 0, state, 1.0)));
                continue;
            }
            let actions = self.subset(n_actions, 0.5);
            for &action in &actions {
                self.outcomes(state, action, &reachable, &mut rows);
            }
            if with_reference {
                self.reference(state, &actions, &mut builder);
            }
        }
        rows.shuffle(&mut self.rng);
        for (from, action, to, p) in rows {
            builder.transition(from, action, to, p);
        }
        builder.build().expect("a random MDP is valid")
    }

    /// The transitions of one (state, action), sometimes with one of probability 0.
    fn outcomes(&mut self, state: usize, action: usize, reachable: &[usize], rows: &mut Vec<(usize, usize, usize, f64)>) {
        let most = if self.rng.random_bool(0.5) { 1 } else { MOST_OUTCOMES };
        let outcomes = self.some_of(reachable, most);
        for (&to, p) in outcomes.iter().zip(self.probabilities(outcomes.len())) {
            rows.push((state, action, to, p));
        }
        if let Some(&to) = reachable.iter().find(|to| !outcomes.contains(to))
            && self.rng.random_bool(0.1)
        {
            rows.push((state, action, to, 0.0));
        }
    }

    /// π0 of one state; actions that are not chosen have probability 0.
    fn reference(&mut self, state: usize, actions: &[usize], builder: &mut MdpBuilder) {
        let taken = self.some_of(actions, actions.len());
        for (&action, p) in taken.iter().zip(self.probabilities(taken.len())) {
            builder.reference(state, action, p);
        }
    }

    fn demonstrations(&mut self, mdp: &Mdp, horizon: usize) -> Option<Demonstrations> {
        let n_demonstrations = self.rng.random_range(1..=4);
        let weighted = self.rng.random_bool(0.5);
        let mut trajectories = Vec::new();
        for index in 0..n_demonstrations {
            let mut trajectory = (0..WALKS).find_map(|_| self.demonstration(mdp, horizon))?;
            if weighted {
                let never = index > 0 && self.rng.random_bool(0.1);
                trajectory.weight = if never { 0.0 } else { self.rng.random_range(0.1..3.0) };
            }
            trajectories.push(trajectory);
        }
        Some(Demonstrations::new(mdp, &trajectories).expect("a walk is a valid demonstration"))
    }

    /// A walk with the MDP's probabilities, or `None` if it does not end where paths may end.
    fn demonstration(&mut self, mdp: &Mdp, horizon: usize) -> Option<Trajectory> {
        let length = match self.ends {
            Ends::Anywhere | Ends::Goal => self.rng.random_range(1..=horizon),
            Ends::Horizon | Ends::Terminal => horizon,
        };
        let mut state = self.pick(mdp.start().iter().copied());
        let (mut states, mut actions) = (vec![state], Vec::new());
        while states.len() < length && !mdp.is_terminal(state) {
            let transition = self.pick(mdp.children(state).map(|transition| (transition, mdp.base_weight(transition))));
            state = mdp.to()[transition] as usize;
            actions.push(mdp.action_of(mdp.choice_of()[transition] as usize));
            states.push(state);
        }
        (self.ends != Ends::Terminal || mdp.is_terminal(state)).then(|| Trajectory::new(states, actions))
    }

    fn features(&mut self, mdp: &Mdp) -> Features {
        let n_features = self.rng.random_range(1..=4);
        let mut builder = FeaturesBuilder::new(n_features);
        let of_kind = |kind: u64| self.mixture >> kind & 1 == 1;
        let (on_states, on_choices, on_transitions) = (of_kind(0), of_kind(1), of_kind(2));
        for state in 0..mdp.n_states() {
            for (feature, value) in self.entries(on_states, n_features) {
                builder.state(state, feature, value);
            }
            for action in 0..mdp.n_actions() {
                for (feature, value) in self.entries(on_choices, n_features) {
                    builder.state_action(state, action, feature, value);
                }
            }
        }
        for row in 0..mdp.n_rows() {
            for (feature, value) in self.entries(on_transitions, n_features) {
                builder.transition(row, feature, value);
            }
        }
        builder.build(mdp).expect("random features are valid")
    }

    /// The features of one state, choice or transition: none to two, indicators or not, possibly the same column twice.
    fn entries(&mut self, present: bool, n_features: usize) -> Vec<(usize, f64)> {
        let count = if present { self.rng.random_range(0..=2) } else { 0 };
        let entry = |_| {
            let value = if self.rng.random_bool(0.3) { 1.0 } else { self.rng.random_range(-1.0..=1.0) };
            (self.rng.random_range(0..n_features), value)
        };
        (0..count).map(entry).collect()
    }

    /// With probability `all`, all numbers below `count`; otherwise one or more of them.
    fn subset(&mut self, count: usize, all: f64) -> Vec<usize> {
        let everything: Vec<usize> = (0..count).collect();
        if self.rng.random_bool(all) { everything } else { self.some_of(&everything, count) }
    }

    /// One to `most` of these, in order.
    fn some_of(&mut self, these: &[usize], most: usize) -> Vec<usize> {
        let count = self.rng.random_range(1..=most.min(these.len()));
        let mut chosen = these.to_vec();
        chosen.shuffle(&mut self.rng);
        chosen.truncate(count);
        chosen.sort_unstable();
        chosen
    }

    /// Positive numbers that sum to 1.
    fn probabilities(&mut self, count: usize) -> Vec<f64> {
        let weights: Vec<f64> = (0..count).map(|_| self.rng.random_range(0.05..1.0)).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect()
    }

    /// Draws a number by weight.
    fn pick(&mut self, things: impl Iterator<Item = (usize, f64)>) -> usize {
        let things: Vec<(usize, f64)> = things.filter(|thing| thing.1 > 0.0).collect();
        let mut left = self.rng.random_range(0.0..things.iter().map(|thing| thing.1).sum());
        for &(thing, weight) in &things {
            if left < weight {
                return thing;
            }
            left -= weight;
        }
        things[things.len() - 1].0
    }
}

/// The number of paths in a set of paths.
pub(super) fn n_paths(mdp: &Mdp, start: &[(usize, f64)], horizon: usize, stop: Stop) -> f64 {
    let mut reaching = vec![0.0; mdp.n_states()];
    for &(state, _) in start {
        reaching[state] = 1.0;
    }
    let mut total = 0.0;
    for length in 1..=horizon {
        let ending = reaching.iter().enumerate();
        let ending = ending.filter(|&(state, _)| stop.allows(mdp.is_terminal(state), state, length, horizon));
        total += ending.map(|(_, count)| count).sum::<f64>();
        let mut next = vec![0.0; mdp.n_states()];
        for transition in (0..mdp.n_transitions()).filter(|&transition| mdp.base_weight(transition) > 0.0) {
            next[mdp.to()[transition] as usize] += reaching[mdp.from()[transition] as usize];
        }
        reaching = next;
    }
    total
}
