//! log Z as a function of the reward.

use crate::Error;
use crate::engine::inference::{Inference, Settings, Start};
use crate::engine::path_set::PathSet;
use crate::model::Ends;
use crate::model::distribution::check_states;
use crate::model::{Options, PathModel};
use crate::numeric::threads::Threads;
use crate::world::{Mdp, Occupancy, Reward};

/// log Z(R) and its gradient, for rewards that are not of the form θᵀφ, such as the output of a neural network. ∂ log
/// Z / ∂R(s) is the expected discounted number of visits of s (sec:maxent-irl), and the same holds for transitions.
/// Everything that does not depend on the reward is prepared once.
///
/// ```
/// use revealed::{Ends, Options, Partition, PathModel, Reward, worlds};
///
/// let chain = worlds::linear_chain(3)?;
/// let nothing = Reward::of_states(vec![0.0; 3]);
/// let model = PathModel::new(&chain.mdp, nothing.clone(), 3, Ends::Anywhere)?;
/// let mut partition = Partition::new(&model, chain.mdp.start().to_vec(), None, &Options::default())?;
/// // Three paths, of 1, 2 and 3 states, all of weight 1.
/// let (log_partition, visits) = partition.evaluate(&nothing)?;
/// assert!((log_partition - 3f64.ln()).abs() < 1e-12);
/// assert!((visits.state[2] - 1.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug)]
pub struct Partition<'a> {
    mdp: &'a Mdp,
    start: Vec<(usize, f64)>,
    given_first: bool,
    paths: PathSet,
    transitions: bool,
    inference: Inference,
    threads: Threads,
}

impl<'a> Partition<'a> {
    /// Prepares for the path set of a model: the paths from `start` (weights of first states, as p0), to the last state
    /// `to` if it is given. The reward of the model only decides whether transitions have rewards. If it has no rewards
    /// of transitions, later rewards must not have them either, and the visits of transitions are not counted. With
    /// [`Ends::Goal`] the first state is given, and log Z is the mean of log Z(R | s_1) over `start`.
    ///
    /// # Errors
    /// If a state does not exist or no path may end there.
    pub fn new(model: &PathModel<'a>, start: Vec<(usize, f64)>, to: Option<usize>, options: &Options) -> Result<Self, Error> {
        let (mdp, horizon) = (model.mdp(), model.horizon());
        let paths = PathSet { horizon, stop: model.stop(to)? };
        check_states(mdp, &start, paths.stop)?;
        let transitions = !model.reward().transition.is_empty();
        let settings = Settings { discount: mdp.discount(), horizon, transitions, memory: options.memory };
        Ok(Partition {
            mdp,
            start,
            given_first: model.ends() == Ends::Goal,
            paths,
            transitions,
            inference: Inference::new(Inference::network(mdp, transitions), settings),
            threads: Threads::new(options.threads)?,
        })
    }

    /// log Z(R) and its gradient, the expected discounted visits. The visits of transitions are empty if they are not
    /// counted.
    ///
    /// # Errors
    /// If the reward does not fit the MDP, or no path exists.
    pub fn evaluate(&mut self, reward: &Reward) -> Result<(f64, Occupancy), Error> {
        reward.check(self.mdp)?;
        if !self.transitions && !reward.transition.is_empty() {
            return Err(Error::Length { what: "the reward of transitions", found: reward.transition.len(), expected: 0 });
        }
        let Partition { mdp, start, given_first, paths, inference, threads, .. } = self;
        let start = if *given_first { Start::Drawn(start) } else { Start::Joint(start) };
        let run = || inference.expect(mdp, reward, start, *paths);
        let expectation = threads.run(run)?;
        Ok((expectation.log_partition, expectation.occupancy))
    }
}
