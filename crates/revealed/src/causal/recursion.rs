//! The soft Bellman recursion for one reward: everything that does not depend on the time.

use std::sync::Arc;

use super::kernel::{Backup, worth_sharing};
use super::layout::ChoiceLayout;
use crate::engine::Horizon;
use crate::engine::network::{LANES, PADDING};
use crate::engine::path_set::PathSet;
use crate::world::{Mdp, Reward};

/// The constants of the recursion. V, π and the like are vectors over the places and slots of the layout.
#[derive(Debug)]
pub(crate) struct Recursion {
    pub layout: Arc<ChoiceLayout>,
    /// See [`Backup`].
    constant: Vec<f64>,
    /// R(s) of each place.
    pub reward: Vec<f64>,
    /// log stop_t(s) of each place for t < L.
    pub stop: Vec<f64>,
    /// V where no action follows: V_L of all places, and V_t of terminal states for any t.
    pub last: Vec<f64>,
    pub discount: f64,
    /// See [`Backup`].
    is_simple: bool,
    pub share: bool,
}

impl Recursion {
    pub fn new(layout: Arc<ChoiceLayout>, mdp: &Mdp) -> Recursion {
        let (share, discount) = (worth_sharing(&layout), mdp.discount());
        let (constant, reward, stop, last) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Recursion { layout, constant, reward, stop, last, discount, is_simple: false, share }
    }

    /// Prepares for a reward that fits the MDP. Episodes have the lengths and the ends of `paths`.
    pub fn set(&mut self, mdp: &Mdp, reward: &Reward, paths: PathSet) {
        let layout = &self.layout;
        let of_choice = |choice: usize| {
            let reference = mdp.reference().map_or(0.0, |reference| reference[choice].ln());
            let pays = |transition: usize| mdp.probability()[transition] * reward.of_transition(transition);
            reference + mdp.outcomes(choice).map(pays).sum::<f64>()
        };
        // Padding after the last choice of a state is never taken. Padding without a state only has to be finite.
        let mut constant = vec![f64::NEG_INFINITY; layout.n_slots()];
        for (slice, blocks) in layout.first_block.windows(2).enumerate() {
            let slots = blocks[0] as usize * LANES..blocks[1] as usize * LANES;
            for (slot, constant) in slots.clone().zip(&mut constant[slots]) {
                *constant = match layout.choice_of_slot[slot] {
                    PADDING if layout.state_of_place[slice * LANES + slot % LANES] == PADDING => 0.0,
                    PADDING => f64::NEG_INFINITY,
                    choice => of_choice(choice as usize),
                };
            }
        }
        self.constant = constant;
        self.reward = layout.by_place(|state| reward.state[state]);
        let log = |allowed: bool| if allowed { 0.0 } else { f64::NEG_INFINITY };
        // Before the horizon, whether an episode may end does not depend on the time. With one state to go, it may be
        // at the horizon.
        let early = |state| paths.horizon.at_most() != Some(1) && paths.may_end(mdp.is_terminal(state), state, 1);
        self.stop = layout.by_place(|state| log(early(state)));
        let longest = paths.horizon.at_most().unwrap_or(1);
        let late = |state| log(paths.may_end(mdp.is_terminal(state), state, longest));
        self.last = layout.by_place(|state| reward.state[state] + late(state));
        let ends_early = |state: usize| !mdp.is_terminal(state) && early(state);
        let is_alive = self.last.iter().all(|value| value.is_finite());
        // A reference policy may leave a state without any choice.
        let taken = |choice: usize| mdp.reference().is_none_or(|reference| reference[choice] > 0.0);
        let chooses = |state: usize| mdp.is_terminal(state) || mdp.choices(state).any(taken);
        let is_simple = |state: usize| chooses(state) && !ends_early(state);
        self.is_simple = paths.horizon != Horizon::Any && is_alive && (0..mdp.n_states()).all(is_simple);
    }

    /// One step of the recursion.
    pub fn backup(&self) -> Backup<'_> {
        Backup {
            layout: &self.layout,
            constant: &self.constant,
            reward: &self.reward,
            stop: &self.stop,
            discount: self.discount,
            is_simple: self.is_simple,
            share: self.share,
        }
    }

    /// log π_t(a|s) of one choice, from V_t and V_{t+1}.
    pub fn log_policy(&self, mdp: &Mdp, choice: usize, value: &[f64], next: &[f64]) -> f64 {
        let slot = self.layout.slot_of_choice[choice] as usize;
        let place = self.layout.place_of_state[mdp.state_of(choice)] as usize;
        match value[place] {
            f64::NEG_INFINITY => f64::NEG_INFINITY,
            value => (self.backup().of_choice(slot, next) - (value - self.reward[place])).min(0.0),
        }
    }

    /// log σ_t(s), from V_t: the log-probability that an episode ends in s before the horizon.
    pub fn log_stop(&self, state: usize, value: &[f64]) -> f64 {
        let place = self.layout.place_of_state[state] as usize;
        match value[place] {
            f64::NEG_INFINITY => f64::NEG_INFINITY,
            value => (self.stop[place] - (value - self.reward[place])).min(0.0),
        }
    }

    /// A vector over places in which the terminal states have their values.
    pub fn blank(&self) -> Vec<f64> {
        self.last.clone()
    }
}
