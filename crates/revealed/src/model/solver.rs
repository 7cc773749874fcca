//! The engine of a model: the messages of the path model, or the policy of the causal model.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::Error;
use crate::causal::chain::{CausalInference, KnownEnds};
use crate::engine::Horizon;
use crate::engine::digits::Bounded;
use crate::engine::inference::{Expectation, Inference, Settings, Start, View};
use crate::engine::network::Network;
use crate::engine::path_set::PathSet;
use crate::model::Chance;
use crate::world::{Mdp, Reward};

/// The arrays of either model. This is the only place where a query meets the difference.
#[derive(Debug)]
pub(crate) enum Solver {
    Tilted(Box<Inference>),
    Fixed(Box<CausalInference>),
}

/// Which paths a query is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inquiry<'a> {
    pub start: Start<'a>,
    pub paths: PathSet,
    /// The last state, if it is known and not already part of `paths`.
    pub to: Option<usize>,
}

impl Solver {
    /// `forward` says whether visits are counted.
    pub fn new(chance: Chance, mdp: &Mdp, network: impl FnOnce() -> Arc<Network>, settings: Settings, forward: bool) -> Solver {
        match chance {
            Chance::Tilted if forward => Solver::Tilted(Box::new(Inference::new(network(), settings))),
            Chance::Tilted => Solver::Tilted(Box::new(Inference::backward_only(network(), settings))),
            Chance::Fixed => Solver::Fixed(Box::new(CausalInference::new(mdp, settings.horizon, settings.memory, forward))),
        }
    }

    /// Passes the messages of t = 1, 2, … to `visit` until it answers `Break`: see [`Inference::watch`].
    pub fn watch(
        &mut self,
        mdp: &Mdp,
        reward: &Reward,
        asked: Inquiry<'_>,
        visit: &mut (dyn FnMut(View<'_>) -> ControlFlow<()> + Send),
    ) -> Result<Expectation, Error> {
        match self {
            Solver::Tilted(inference) => inference.watch(mdp, reward, asked.start, asked.paths, visit),
            Solver::Fixed(causal) => causal.watch(mdp, reward, asked.known(), asked.paths, visit),
        }
    }

    /// log Z, or the mean of V_1, and the expected visits.
    pub fn expect(&mut self, mdp: &Mdp, reward: &Reward, asked: Inquiry<'_>) -> Result<Expectation, Error> {
        match asked.paths.horizon {
            Horizon::AtMost(_) => self.watch(mdp, reward, asked, &mut |_| ControlFlow::Continue(())),
            Horizon::Any => self.watch(mdp, reward, asked, &mut |_| ControlFlow::Break(())),
        }
    }

    /// Whether several threads make a pass faster.
    pub fn is_large(&self) -> bool {
        match self {
            Solver::Tilted(inference) => inference.is_large(),
            Solver::Fixed(causal) => causal.is_large(),
        }
    }

    /// The mean and the variance of the number of states, for paths of any length.
    pub fn length_moments(&mut self, mdp: &Mdp, reward: &Reward, asked: Inquiry<'_>) -> Result<[f64; 2], Error> {
        match self {
            Solver::Tilted(inference) => inference.length_moments(mdp, reward, asked.start, asked.paths.stop),
            Solver::Fixed(causal) => causal.length_moments(mdp, reward, asked.known(), asked.paths),
        }
    }

    /// Shows what is known of the digits of what follows each state at t = L, …, 1, or at any time without a horizon.
    /// Nothing is shown if the rewards are so small that nothing can be lost.
    pub fn show_digits(
        &mut self,
        mdp: &Mdp,
        reward: &Reward,
        asked: Inquiry<'_>,
        visit: &mut dyn FnMut(usize, &[Bounded]),
    ) -> Result<(), Error> {
        match self {
            Solver::Tilted(inference) => inference.show_digits(mdp, reward, asked.start, asked.paths, visit),
            Solver::Fixed(causal) => causal.show_digits(mdp, reward, asked.paths, visit),
        }
    }

    /// Whether the weights of steps are the same at every time.
    pub fn steps_are_constant(&self, mdp: &Mdp, reward: &Reward, horizon: Horizon) -> bool {
        match self {
            Solver::Tilted(_) => mdp.discount() == 1.0 || reward.transition.is_empty(),
            Solver::Fixed(_) => horizon == Horizon::Any,
        }
    }
}

impl<'a> Inquiry<'a> {
    fn known(&self) -> KnownEnds<'a> {
        // Scores give every state as a start, and check the states of the demonstrations themselves.
        KnownEnds { start: self.start.rows(), to: self.to, checks_digits: !matches!(self.start, Start::Each(_)) }
    }
}
