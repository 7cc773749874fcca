//! The paths on one network, divided into training and test paths.

use revealed::{Demonstrations, Trajectory};
use revealed_formats::Problem;
use revealed_roads::{Roads, split};

use super::reading::{Dataset, Reading, Start};
use super::stages::Stages;
use super::{LONGEST, SHORTEST, TRAIN, engine};
use crate::error::Error;

/// A network with its training and test paths.
pub(super) struct Division {
    pub dataset: Dataset,
    pub roads: Roads,
    pub train: Vec<Trajectory>,
    pub test: Vec<Trajectory>,
    /// The number of trips by what became of them.
    pub counts: Vec<(String, usize)>,
    /// The time of the import and of matching.
    pub seconds: [Option<f64>; 2],
}

impl Division {
    /// The division of the paths of a dataset. The same seed gives the same division.
    pub fn new(stages: &Stages<'_, '_>, dataset: Dataset, seed: u64) -> Result<Division, Error> {
        let (roads, import) = stages.network(dataset)?;
        let (paths, counts, matching) = stages.paths(dataset, &roads)?;
        let sizes = SHORTEST..=LONGEST;
        let paths: Vec<Trajectory> = paths.into_iter().filter(|path| sizes.contains(&path.states.len())).collect();
        let (train, test) = split(&paths, TRAIN, seed)?.of(&paths);
        Ok(Division { dataset, roads, train, test, counts, seconds: [import, matching] })
    }

    /// At most this number of test paths, evenly spaced.
    pub fn some(&self, most: usize) -> Vec<Trajectory> {
        self.test.iter().step_by(self.test.len().div_ceil(most.max(1)).max(1)).cloned().collect()
    }

    /// The problem of a reading on this network.
    pub fn problem(&self, reading: &Reading) -> Result<Problem, Error> {
        let problem = match reading.start {
            Start::Uniform => self.roads.problem()?,
            Start::Training => starting_as(&self.roads, &self.train)?,
        };
        let mdp = problem.mdp.clone().with_discount(reading.discount).map_err(engine)?;
        Ok(Problem { mdp, ..problem })
    }

    /// The training paths, checked against a problem.
    pub fn demonstrations(&self, problem: &Problem) -> Result<Demonstrations, Error> {
        Demonstrations::new(&problem.mdp, &self.train).map_err(engine)
    }
}

/// The problem of the network with the paper's stochastic start: that of the training paths. The weight of one more
/// path is uniform over states, so that no start is impossible.
pub(super) fn starting_as(roads: &Roads, train: &[Trajectory]) -> Result<Problem, Error> {
    let mut columns = roads.problem()?.columns();
    let (n, all) = (roads.n_states() as f64, train.len() as f64 + 1.0);
    let mut starts = vec![1.0 / n / all; roads.n_states()];
    train.iter().for_each(|path| starts[path.states[0]] += 1.0 / all);
    columns.start = Default::default();
    starts.iter().enumerate().for_each(|(state, &p)| columns.start.push([state], p));
    columns.build().map_err(|fault| revealed_roads::Error::Network(fault.to_string()).into())
}
