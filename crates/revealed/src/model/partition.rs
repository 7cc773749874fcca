//! log Z as a function of the reward.

use std::borrow::Cow;

use crate::Error;
use crate::engine::inference::{Expectation, Inference, Settings, Start};
use crate::engine::path_set::PathSet;
use crate::model::Ends;
use crate::model::border;
use crate::model::distribution::check_states;
use crate::model::solver::{Inquiry, Solver};
use crate::model::{Chance, Given, PathModel};
use crate::numeric::Work;
use crate::numeric::threads::Threads;
use crate::world::{Mdp, Occupancy, Reward};

/// log Z(R) and its gradient, for rewards that are not of the form θᵀφ, such as the output of a neural network. ∂ log
/// Z / ∂R(s) is the expected discounted number of visits of s (sec:maxent-irl), and the same holds for transitions.
/// Everything that does not depend on the reward is prepared once.
///
/// For a causal model it is the mean of V_1 over the first states, whose gradient are the expected visits as well.
///
/// ```
/// use revealed::{Ends, Given, Partition, PathModel, Reward, Work, worlds};
///
/// let chain = worlds::linear_chain(3)?;
/// let nothing = Reward::of_states(vec![0.0; 3]);
/// let model = PathModel::new(&chain.mdp, nothing.clone(), 3, Ends::Anywhere)?;
/// let mut partition = Partition::new(&model, &Given::default(), &Work::default())?;
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
    /// γ^{t-1} of the time t at which the unknown part of a path begins.
    power: f64,
    transitions: bool,
    solver: Solver,
    threads: Threads,
}

impl<'a> Partition<'a> {
    /// Prepares for the path set of a model, given what is known of its paths. The reward of the model only decides
    /// whether transitions have rewards. If it has no rewards of transitions, later rewards must not have them either,
    /// and the visits of transitions are not counted. With [`Ends::Goal`] the first state is given, and log Z is the
    /// mean of log Z(R | s_1) over the start. With a prefix, log Z is that of the continuations
    /// ([`PathModel::after`]): the last state of the prefix counts, earlier ones do not.
    ///
    /// # Errors
    /// If a state does not exist or no path may end there, or the prefix cannot happen; [`Error::StartAndPrefix`].
    pub fn new(model: &PathModel<'a>, given: &Given, work: &Work) -> Result<Self, Error> {
        let (start, t) = given.beginning(model)?;
        let (mdp, horizon) = (model.mdp(), model.horizon().after(t - 1));
        let (stop, to) = match model.chance() {
            Chance::Tilted => (model.stop(given.to)?, None),
            Chance::Fixed => model.causal_stop(given.to)?,
        };
        if to.is_some() {
            let rule = "V_1 is that of episodes with any end: omit the last state, or set ends to goal";
            return Err(Error::MethodEnds { method: "causal", ends: model.ends().name(), rule });
        }
        let paths = PathSet { horizon, stop };
        check_states(mdp, &start, paths.stop)?;
        let transitions = !model.reward().transition.is_empty();
        let settings = Settings { discount: mdp.discount(), horizon, transitions, memory: work.memory };
        Ok(Partition {
            mdp,
            start,
            given_first: model.ends() == Ends::Goal,
            paths,
            // The values of a causal model are discounted from the present state on.
            power: if model.chance() == Chance::Fixed { 1.0 } else { mdp.discount().powi(t as i32 - 1) },
            transitions,
            solver: Solver::new(model.chance(), mdp, || Inference::network(mdp, transitions), settings, true),
            threads: Threads::new(work.threads)?,
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
        let Partition { mdp, start, given_first, paths, power, solver, threads, .. } = self;
        let reward = &if *power == 1.0 { Cow::Borrowed(reward) } else { Cow::Owned(reward.times(*power)) };
        let start = if *given_first { Start::Drawn(start) } else { Start::Joint(start) };
        let large = solver.is_large();
        let run = || solver.expect(mdp, reward, Inquiry { start, paths: *paths, to: None });
        let Expectation { log_partition, occupancy, .. } = threads.run_if(large, run)?;
        let mut occupancy = border::visits(occupancy, paths.horizon)?;
        if !self.transitions {
            occupancy.transition = Vec::new();
        }
        if *power != 1.0 {
            occupancy.state.iter_mut().chain(&mut occupancy.transition).for_each(|visits| *visits *= *power);
        }
        Ok((log_partition, occupancy))
    }
}
