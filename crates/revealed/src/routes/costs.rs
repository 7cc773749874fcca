//! The cost of each step of a path: −log of its weight, reduced so that no cost is negative.
//!
//! Without a discount, the log-weight of a path is R(s_1) minus the sum of the costs of its steps, so a likeliest path
//! is a shortest path. Shortest-path searches need costs that are not negative. If all weights are at most 1, no cost
//! is negative (the paper's special case, sec:me-inference). If some weights are larger, but no cycle has a weight
//! above 1, potentials h(s) remove the negative costs (D. B. Johnson): c(s, s') + h(s) − h(s') ≥ 0. This changes all
//! paths between the same two states by the same amount.

use crate::Error;
use crate::cancel::Cancel;
use crate::model::PathModel;
use crate::world::Mdp;

/// Improvements below this fraction of the numbers that they are computed from count as rounding errors.
const ROUNDING: f64 = 1e-12;
/// The number of sweeps between two searches for a cycle.
const PATIENCE: usize = 8;

/// −log m(s, a, s') e^{R(s')} of each transition, reduced by potentials.
#[derive(Debug, Clone)]
pub(crate) struct Costs {
    /// c + h(s) − h(s') of each transition: 0 or more. Infinite if the reference policy never takes it, or if it leaves
    /// `within`.
    pub reduced: Vec<f64>,
    /// h of each state: 0 or less.
    pub potential: Vec<f64>,
}

impl Costs {
    /// The costs of a model without a discount, among the states that `within` marks.
    ///
    /// # Errors
    /// [`Error::Gains`] if a cycle of these states has a weight above 1, so that each further round makes a path
    /// likelier; [`Error::DiscountedRoute`] if there is a discount below 1.
    pub fn new(model: &PathModel<'_>, within: &[bool]) -> Result<Costs, Error> {
        let mdp = model.mdp();
        if mdp.discount() != 1.0 {
            return Err(Error::DiscountedRoute { discount: mdp.discount() });
        }
        let inside = |state: u32| within[state as usize];
        let cost = |transition: usize| {
            let (from, to) = (mdp.from()[transition], mdp.to()[transition]);
            if !(inside(from) && inside(to)) {
                return f64::INFINITY;
            }
            let reward = model.reward().of_transition(transition) + model.reward().state[to as usize];
            -(mdp.log_base_weight(transition) + reward)
        };
        let mut costs = Costs { reduced: (0..mdp.n_transitions()).map(cost).collect(), potential: vec![0.0; mdp.n_states()] };
        if costs.reduced.iter().any(|&cost| cost < 0.0) {
            costs.reduce_by_potentials(mdp)?;
        }
        Ok(costs)
    }

    /// Finds the potentials by the Bellman–Ford algorithm, from a virtual state with steps of cost 0 to all states, and
    /// reduces the costs.
    fn reduce_by_potentials(&mut self, mdp: &Mdp) -> Result<(), Error> {
        let mut by: Vec<Option<u32>> = vec![None; mdp.n_states()];
        let mut sweep = 0;
        let order = parents_first(mdp);
        loop {
            Cancel::check()?;
            let mut changed = false;
            for transition in order.iter().flat_map(|&state| mdp.children(state as usize)) {
                let cost = self.reduced[transition];
                let (from, to) = (mdp.from()[transition] as usize, mdp.to()[transition] as usize);
                let reached = self.potential[from] + cost;
                let rounding = ROUNDING * (self.potential[from].abs() + cost.abs());
                if reached < self.potential[to] - rounding {
                    self.potential[to] = reached;
                    by[to] = Some(transition as u32);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
            sweep += 1;
            if sweep % PATIENCE == 0
                && let Some(cycle) = cycle(mdp, &by)
            {
                return Err(self.gains(mdp, &cycle));
            }
        }
        for (transition, cost) in self.reduced.iter_mut().enumerate() {
            let (from, to) = (mdp.from()[transition] as usize, mdp.to()[transition] as usize);
            *cost = (*cost + self.potential[from] - self.potential[to]).max(0.0);
        }
        Ok(())
    }

    fn gains(&self, mdp: &Mdp, cycle: &[usize]) -> Error {
        let gain = -cycle.iter().map(|&transition| self.reduced[transition]).sum::<f64>();
        Error::Gains { states: cycle.iter().map(|&transition| mdp.from()[transition] as usize).collect(), gain }
    }
}

/// The states in an order in which each comes before its children, except in cycles. So a long path of negative costs
/// takes one sweep.
fn parents_first(mdp: &Mdp) -> Vec<u32> {
    let mut order = Vec::with_capacity(mdp.n_states());
    let mut seen = vec![false; mdp.n_states()];
    let mut stack: Vec<(u32, std::ops::Range<usize>)> = Vec::new();
    for root in 0..mdp.n_states() {
        if !std::mem::replace(&mut seen[root], true) {
            stack.push((root as u32, mdp.children(root)));
        }
        while let Some((state, children)) = stack.last_mut() {
            let child = children.map(|transition| mdp.to()[transition] as usize).find(|&child| !seen[child]);
            match child {
                Some(child) => {
                    seen[child] = true;
                    stack.push((child as u32, mdp.children(child)));
                }
                None => {
                    order.push(*state);
                    stack.pop();
                }
            }
        }
    }
    order.reverse();
    order
}

/// A cycle of the transitions by which states were last improved. If a cycle has a negative cost, there is such a cycle
/// after a few sweeps.
fn cycle(mdp: &Mdp, by: &[Option<u32>]) -> Option<Vec<usize>> {
    let mut seen_by = vec![usize::MAX; by.len()];
    for root in 0..by.len() {
        let mut state = root;
        while let (usize::MAX, Some(transition)) = (seen_by[state], by[state]) {
            seen_by[state] = root;
            state = mdp.from()[transition as usize] as usize;
        }
        if seen_by[state] == root && by[state].is_some() {
            let mut cycle = Vec::new();
            let mut at = state;
            while let Some(transition) = by[at] {
                cycle.push(transition as usize);
                at = mdp.from()[transition as usize] as usize;
                if at == state {
                    cycle.reverse();
                    return Some(cycle);
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Ends;
    use crate::world::{MdpBuilder, Reward};

    /// 0 → 1 → 2 → 0 and 1 → 3, where 3 is terminal.
    fn ring() -> Mdp {
        let mut builder = MdpBuilder::new(4, 2);
        builder.start(0, 1.0).terminal(3);
        builder.transition(0, 0, 1, 1.0).transition(1, 0, 2, 1.0).transition(2, 0, 0, 1.0).transition(1, 1, 3, 1.0);
        builder.build().unwrap()
    }

    fn costs(state: [f64; 4], within: [bool; 4]) -> Result<Costs, Error> {
        let mdp = ring();
        Costs::new(&PathModel::new(&mdp, Reward::of_states(state.to_vec()), 10, Ends::Anywhere).unwrap(), &within)
    }

    #[test]
    fn costs_are_those_of_the_weights_where_nothing_gains() {
        let found = costs([-1.0, -2.0, 0.0, -0.5], [true; 4]).unwrap();
        // In the order of (state, action): into 1, into 2, into 3, into 0.
        assert_eq!(found.reduced, [2.0, 0.0, 0.5, 1.0]);
        assert_eq!(found.potential, [0.0; 4]);
    }

    #[test]
    fn potentials_lift_what_gains_once_and_keep_every_cycle() {
        let found = costs([-4.0, 1.0, 2.0, 7.0], [true; 4]).unwrap();
        assert!(found.reduced.iter().all(|&cost| cost >= 0.0), "{found:?}");
        let around = found.reduced[0] + found.reduced[1] + found.reduced[3];
        assert!((around - 1.0).abs() < 1e-12, "{found:?}");
    }

    /// The states are numbered against the direction of the path: sweeps in the order of their numbers would advance
    /// one step each.
    #[test]
    fn a_long_path_of_negative_costs_takes_one_sweep() {
        let n = 200_000;
        let mut builder = MdpBuilder::new(n, 1);
        builder.start(n - 1, 1.0).terminal(0);
        (1..n).for_each(|state| {
            builder.transition(state, 0, state - 1, 1.0);
        });
        let mdp = builder.build().unwrap();
        let model = PathModel::new(&mdp, Reward::of_states(vec![1.0; n]), 10, Ends::Anywhere).unwrap();
        let found = Costs::new(&model, &vec![true; n]).unwrap();
        assert_eq!(found.potential[0], -(n as f64 - 1.0));
        assert!(found.reduced.iter().all(|&cost| cost == 0.0));
    }

    #[test]
    fn a_cycle_that_gains_is_named_and_one_that_does_not_matter_is_passed_over() {
        let error = costs([1.0, 1.0, -1.0, 0.0], [true; 4]).unwrap_err();
        let Error::Gains { mut states, gain } = error else { panic!("{error}") };
        states.sort_unstable();
        assert_eq!((states, gain), (vec![0, 1, 2], 1.0));
        assert!(costs([1.0, 1.0, -1.0, 0.0], [true, true, false, true]).is_ok());
        // A ring of cost 0 is not a gain.
        assert!(costs([0.1, 0.2, -0.3, 0.0], [true; 4]).is_ok());
    }
}
