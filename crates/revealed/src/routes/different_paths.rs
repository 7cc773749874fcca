//! Likely paths that differ from each other.

use std::collections::BinaryHeap;

use super::best_paths::endpoints::Endpoints;
use super::best_paths::shortest::Open;
use super::best_paths::{BestPath, PathQuery};
use super::costs::Costs;
use crate::Error;
use crate::model::path_model::log_weight;
use crate::model::{Chance, PathModel};
use crate::world::parents::Parents;
use crate::world::{Mdp, Trajectory};

/// Paths whose costs differ by less than this share are one path that was found from two of its states.
const SAME: f64 = 1e-9;

/// The likeliest path, and further likely ones of which no two share more than `most` of the length of the shorter one.
///
/// The k likeliest paths usually differ by a block or a stub. Here the candidates are the paths that are likeliest to
/// some state and likeliest from there on: the *via paths* of Abraham, Delling, Goldberg and Werneck (2013). They are
/// taken from the likeliest on, unless one has a loop or shares too much with one that was taken before. So there may
/// be fewer than `query.k`.
///
/// ```
/// use revealed::{Ends, PathModel, PathQuery, different_paths, worlds};
///
/// let roads = worlds::road_like(400, 800, 1)?;
/// let reward = roads.features.reward(&roads.mdp, &roads.theta)?;
/// let model = PathModel::new(&roads.mdp, reward, 100, Ends::Goal)?;
/// let query = PathQuery { k: 3, bounded: false, ..PathQuery::between(5, 300) };
/// let found = different_paths(&model, &query, &vec![1.0; 400], 0.5)?;
/// assert!(found[0].log_weight >= found[found.len() - 1].log_weight);
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Cost
/// Two runs of Dijkstra's algorithm, and a walk along each candidate until enough are found.
///
/// # Errors
/// As [`best_paths`](crate::best_paths) for paths of any length; if a length is negative or not finite, or `most` is
/// not between 0 and 1.
pub fn different_paths(model: &PathModel<'_>, query: &PathQuery, lengths: &[f64], most: f64) -> Result<Vec<BestPath>, Error> {
    let mdp = model.mdp();
    if lengths.len() != mdp.n_states() {
        return Err(Error::Length { what: "the lengths of the states", found: lengths.len(), expected: mdp.n_states() });
    }
    if let Some(&value) = lengths.iter().find(|length| !(length.is_finite() && **length >= 0.0)) {
        return Err(Error::Setting { what: "a length of a state", value, expected: "a finite number, 0 or more" });
    }
    if !(0.0..=1.0).contains(&most) {
        return Err(Error::Setting { what: "the largest overlap", value: most, expected: "a share between 0 and 1" });
    }
    if model.chance() == Chance::Fixed {
        return Err(Error::AnyLength { rule: "a causal model has no weights of paths by which routes are searched" });
    }
    let endpoints = Endpoints::new(model, &query.from, query.to.as_deref())?;
    let trees = Trees::new(model, &endpoints)?;
    let taken = trees.take(query.k, lengths, most);
    if taken.is_empty() {
        return Err(Error::Unreachable { what: endpoints.description.clone() });
    }
    let weigh = |(states, transitions): Via| {
        let log_weight = log_weight(mdp, model.reward(), &states, &transitions);
        let log_f = endpoints.first.iter().find(|row| row.0 == states[0]).map_or(0.0, |row| row.1);
        let log_score = log_f + log_weight + endpoints.last[states[states.len() - 1]];
        let actions = transitions.iter().map(|&transition| mdp.action_of(mdp.choice_of()[transition] as usize)).collect();
        BestPath { path: Trajectory::new(states, actions), log_weight, log_score }
    };
    Ok(taken.into_iter().map(weigh).collect())
}

/// The states and the transitions of a candidate.
type Via = (Vec<usize>, Vec<usize>);

/// The shortest paths from the first states to each state, and from each to the last states.
struct Trees<'a> {
    mdp: &'a Mdp,
    /// The cost and the number of steps; infinite if there is no path.
    label: [Vec<(f64, u32)>; 2],
    /// The transition into the state on the way from the first states, and out of it on the way to the last.
    step: [Vec<Option<u32>>; 2],
}

impl<'a> Trees<'a> {
    fn new(model: &'a PathModel<'_>, endpoints: &Endpoints) -> Result<Trees<'a>, Error> {
        let mdp = model.mdp();
        let n = mdp.n_states();
        let costs = Costs::new(model, &vec![true; n])?;
        let mut trees = Trees {
            mdp,
            label: [vec![(f64::INFINITY, 0); n], vec![(f64::INFINITY, 0); n]],
            step: [vec![None; n], vec![None; n]],
        };
        let first = endpoints
            .first
            .iter()
            .map(|&(state, log_f)| (state, -(log_f + model.reward().state[state] + costs.potential[state])));
        let last = endpoints.last.iter().enumerate().filter(|entry| *entry.1 > f64::NEG_INFINITY);
        let last = last.map(|(state, log_g)| (state, costs.potential[state] - log_g)).collect::<Vec<_>>();
        trees.grow(0, first.collect(), &costs, |state, visit| mdp.children(state).for_each(visit));
        let parents = Parents::taken(mdp);
        trees.grow(1, last, &costs, |state, visit| parents.of(state).iter().for_each(|&transition| visit(transition as usize)));
        Ok(trees)
    }

    /// Dijkstra's algorithm from some states, along the transitions that `neighbours` visits.
    fn grow(
        &mut self,
        side: usize,
        roots: Vec<(usize, f64)>,
        costs: &Costs,
        neighbours: impl Fn(usize, &mut dyn FnMut(usize)),
    ) {
        // Costs must not be negative for the algorithm, so those of the roots are counted from the least.
        let least = roots.iter().map(|root| root.1).fold(f64::INFINITY, f64::min);
        let mut open = BinaryHeap::new();
        for (state, cost) in roots {
            self.label[side][state] = (cost - least, 0);
            open.push(Open::new(cost - least, 0, state));
        }
        while let Some(entry) = open.pop() {
            let state = entry.state as usize;
            if entry.key() != self.label[side][state] {
                continue;
            }
            let (cost, steps) = self.label[side][state];
            neighbours(state, &mut |transition| {
                let other = if side == 0 { self.mdp.to()[transition] } else { self.mdp.from()[transition] } as usize;
                let found = (cost + costs.reduced[transition], steps + 1);
                if found < self.label[side][other] && found.0.is_finite() {
                    self.label[side][other] = found;
                    self.step[side][other] = Some(transition as u32);
                    open.push(Open::new(found.0, found.1, other));
                }
            });
        }
    }

    /// The path from the first states over this state to the last ones.
    fn via(&self, state: usize) -> Via {
        let (mut states, mut transitions) = (vec![state], Vec::new());
        while let Some(transition) = self.step[0][states[states.len() - 1]] {
            transitions.push(transition as usize);
            states.push(self.mdp.from()[transition as usize] as usize);
        }
        states.reverse();
        transitions.reverse();
        while let Some(transition) = self.step[1][states[states.len() - 1]] {
            transitions.push(transition as usize);
            states.push(self.mdp.to()[transition as usize] as usize);
        }
        (states, transitions)
    }

    fn take(&self, k: usize, lengths: &[f64], most: f64) -> Vec<Via> {
        let n = self.mdp.n_states();
        let cost = |state: usize| self.label[0][state].0 + self.label[1][state].0;
        let steps = |state: usize| self.label[0][state].1 + self.label[1][state].1;
        let mut order: Vec<usize> = (0..n).filter(|&state| cost(state).is_finite()).collect();
        order.sort_by(|&a, &b| cost(a).total_cmp(&cost(b)).then(steps(a).cmp(&steps(b))).then(a.cmp(&b)));
        let mut seen = vec![false; n];
        // The number of the last candidate that visits each state.
        let mut visited = vec![0; n];
        let (mut taken, mut on): (Vec<Via>, Vec<(Vec<bool>, f64)>) = Default::default();
        for (number, state) in order.into_iter().enumerate() {
            if taken.len() == k {
                break;
            }
            if seen[state] {
                continue;
            }
            let path = self.via(state);
            let has_loop = path.0.iter().any(|&state| std::mem::replace(&mut visited[state], number + 1) == number + 1);
            path.0
                .iter()
                .filter(|&&other| cost(other) <= cost(state) * (1.0 + SAME) + SAME)
                .for_each(|&other| seen[other] = true);
            let length: f64 = path.0.iter().map(|&state| lengths[state]).sum();
            let shared = |(other, _): &(Vec<bool>, f64)| -> f64 {
                path.0.iter().filter(|&&state| other[state]).map(|&state| lengths[state]).sum()
            };
            let overlaps = |other: &(Vec<bool>, f64)| shared(other) > most * length.min(other.1);
            if !has_loop && !on.iter().any(overlaps) {
                let mut is_on = vec![false; n];
                path.0.iter().for_each(|&state| is_on[state] = true);
                on.push((is_on, length));
                taken.push(path);
            }
        }
        taken
    }
}
