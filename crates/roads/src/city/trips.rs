//! Trips of drivers with known preferences.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{Ends, Given, PathModel, Trajectory, Work, sample};

use super::build::City;
use crate::error::Error;

/// The largest number of destinations of trips between two places.
pub(super) const DESTINATIONS: usize = 20;
/// The minimum number of turns of such a trip is between these fractions of the horizon.
const NEAR: f64 = 0.1;
const FAR: f64 = 0.5;

impl City {
    /// Draws `n` trips from the model, p(τ) ∝ e^{R(τ)} over all paths of at most [`horizon`](Self::horizon) states
    /// ([`Ends::Anywhere`]). Some are short, and some contain loops. Their ids are their numbers, from 1.
    ///
    /// # Errors
    /// If θ does not fit the features, or `n` trips do not fit into memory.
    pub fn trips(&self, n: usize, seed: u64) -> Result<Vec<Trajectory>, Error> {
        let problem = self.roads.problem()?;
        let reward = problem.features.reward(&problem.mdp, &self.theta)?;
        let model = PathModel::new(&problem.mdp, reward, self.horizon, Ends::Anywhere)?;
        let drawn = sample(&model, &Given::default(), n, seed, &Work::default())?;
        Ok(numbered(drawn))
    }

    /// Draws `n` trips from one place to another, to at most 20 destinations: p(τ) ∝ e^{R(τ)} given both ends
    /// ([`Ends::Goal`]). Their ids are their numbers, from 1.
    ///
    /// # Errors
    /// If θ does not fit the features, or `n` trips do not fit into memory.
    pub fn trips_between(&self, n: usize, seed: u64) -> Result<Vec<Trajectory>, Error> {
        let problem = self.roads.problem()?;
        let reward = problem.features.reward(&problem.mdp, &self.theta)?;
        let model = PathModel::new(&problem.mdp, reward, self.horizon, Ends::Goal)?;
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let goals = n.min(DESTINATIONS);
        let mut drawn = Vec::new();
        for place in 0..goals {
            let (goal, starts) = self.destination(&mut rng)?;
            let share = n / goals + usize::from(place < n % goals);
            drawn.extend(sample(&model, &Given::from_states(starts).to(goal), share, rng.random(), &Work::default())?);
        }
        Ok(numbered(drawn))
    }

    /// A random destination, and the states where trips to it begin.
    pub(super) fn destination(&self, rng: &mut Pcg64Mcg) -> Result<(usize, Vec<(usize, f64)>), Error> {
        let horizon = self.horizon as f64;
        let range = (NEAR * horizon) as usize..=(FAR * horizon) as usize;
        let mut back = vec![Vec::new(); self.roads.n_states()];
        self.roads.network.turns().for_each(|(from, to)| back[to as usize].push(from as usize));
        let first = rng.random_range(0..self.roads.n_states());
        // A dead end may have no start at this distance: the next state is tried.
        for goal in (first..self.roads.n_states()).chain(0..first) {
            let away = fewest(&back, goal);
            let starts: Vec<usize> = (0..away.len()).filter(|&state| range.contains(&away[state])).collect();
            if !starts.is_empty() {
                return Ok((goal, starts.iter().map(|&state| (state, 1.0 / starts.len() as f64)).collect()));
            }
        }
        let message = format!("no trip takes {} to {} states: give another horizon", range.start(), range.end());
        Err(Error::Network(message))
    }
}

/// The minimum number of turns from each state to the goal.
fn fewest(back: &[Vec<usize>], goal: usize) -> Vec<usize> {
    let mut away = vec![usize::MAX; back.len()];
    let mut queue = std::collections::VecDeque::from([goal]);
    away[goal] = 0;
    while let Some(state) = queue.pop_front() {
        for &before in &back[state] {
            if away[before] == usize::MAX {
                away[before] = away[state] + 1;
                queue.push_back(before);
            }
        }
    }
    away
}

pub(super) fn numbered(mut trips: Vec<Trajectory>) -> Vec<Trajectory> {
    trips.iter_mut().enumerate().for_each(|(place, trip)| trip.id = Some((place + 1).to_string()));
    trips
}
