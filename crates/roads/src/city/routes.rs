//! Trips of any length between two places, drawn from the recursive logit.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{Reward, RouteSums, Trajectory, Work};
use revealed_formats::Problem;

use super::build::City;
use super::trips::{DESTINATIONS, numbered};
use crate::error::Error;

impl City {
    /// Draws `n` trips as [`trips_between`](Self::trips_between) does, but among routes of any length: from
    /// [`Method::RecursiveLogit`](revealed::Method::RecursiveLogit). Their ids are their numbers, from 1.
    ///
    /// # Errors
    /// If θ does not fit the features, or makes loops so cheap that the model does not exist.
    pub fn routes_between(&self, n: usize, seed: u64) -> Result<Vec<Trajectory>, Error> {
        let problem = self.roads.problem()?;
        let reward = problem.features.reward(&problem.mdp, &self.theta)?;
        let sums = RouteSums::new(&problem.mdp, &reward, &Work::default())?;
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let goals = n.min(DESTINATIONS);
        let mut drawn = Vec::new();
        for place in 0..goals {
            let (goal, starts) = self.destination(&mut rng)?;
            let known = vec![None; problem.mdp.n_states()];
            let mut walk = Walk { problem: &problem, reward: &reward, sums: &sums, goal, known };
            for _ in 0..n / goals + usize::from(place < n % goals) {
                let (start, _) = starts[rng.random_range(0..starts.len())];
                drawn.push(walk.draw(start, &mut rng)?);
            }
        }
        Ok(numbered(drawn))
    }
}

/// Walks to one goal, step by step: p(s → s') = w(s → s') G(s', goal) / G(s, goal), and a walk ends in the goal with
/// probability 1 / G(goal, goal).
struct Walk<'a> {
    problem: &'a Problem,
    reward: &'a Reward,
    sums: &'a RouteSums,
    goal: usize,
    /// log G(s, goal), if it is known.
    known: Vec<Option<f64>>,
}

impl Walk<'_> {
    fn draw(&mut self, start: usize, rng: &mut Pcg64Mcg) -> Result<Trajectory, Error> {
        let mdp = &self.problem.mdp;
        let (mut states, mut actions) = (vec![start], Vec::new());
        let mut here = start;
        loop {
            let log_sum = self.log_sum(here)?;
            let mut left: f64 = rng.random_range(0.0..1.0);
            if here == self.goal {
                left -= (-log_sum).exp();
                if left < 0.0 {
                    return Ok(Trajectory::new(states, actions));
                }
            }
            let mut taken = None;
            for step in mdp.children(here) {
                let to = mdp.to()[step] as usize;
                let log_weight = mdp.log_base_weight(step) + self.reward.of_transition(step) + self.reward.state[to];
                let p = (log_weight + self.log_sum(to)? - log_sum).exp();
                if p > 0.0 {
                    // If rounding leaves a remainder, the last possible step is taken.
                    taken = Some(step);
                    left -= p;
                }
                if left < 0.0 {
                    break;
                }
            }
            let step = taken.ok_or(revealed::Error::NoSum { pair: Some([here, self.goal]) })?;
            here = mdp.to()[step] as usize;
            states.push(here);
            actions.push(mdp.action_of(mdp.choice_of()[step] as usize));
        }
    }

    /// log G(from, goal); -∞ if no path leads there.
    fn log_sum(&mut self, from: usize) -> Result<f64, Error> {
        if let Some(known) = self.known[from] {
            return Ok(known);
        }
        let log_sum = self.sums.between(from, self.goal)?.unwrap_or(f64::NEG_INFINITY);
        self.known[from] = Some(log_sum);
        Ok(log_sum)
    }
}
