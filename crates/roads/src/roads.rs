//! A road network as a world to learn in: states are directed segments, actions are turns.

mod file;

use revealed::Trajectory;
use revealed_formats::{Layout, Problem, ProblemColumns};

use crate::error::Error;
use crate::features::{Group, RoadFeatures};
use crate::geometry::Position;
use crate::network::Network;

/// A road network with the features of its states. State s is segment s, and its action k is the k-th of its turns.
///
/// As a file it is a problem (`.npz`, the contract's fields) that every command reads, with the network beside it in arrays
/// whose names begin with `roads.`.
#[derive(Debug, Clone, PartialEq)]
pub struct Roads {
    /// The network.
    pub network: Network,
    /// What drivers may care about.
    pub features: RoadFeatures,
}

impl Roads {
    /// A network with these groups of features.
    pub fn new(network: Network, groups: &[Group]) -> Roads {
        let features = RoadFeatures::new(&network, groups);
        Roads { network, features }
    }

    /// How many states there are.
    pub fn n_states(&self) -> usize {
        self.network.n_segments()
    }

    /// The states that the actions of a state lead to.
    pub fn turns_of(&self, state: usize) -> &[u32] {
        self.network.turns_of(state)
    }

    /// The length of a state in metres.
    pub fn length(&self, state: usize) -> f64 {
        self.network.segments[state].length
    }

    /// The lengths of all states in metres.
    pub fn lengths(&self) -> Vec<f64> {
        (0..self.n_states()).map(|state| self.length(state)).collect()
    }

    /// The time that a state takes, in seconds.
    pub fn seconds(&self, state: usize) -> f64 {
        self.network.seconds(state)
    }

    /// The line of a state on the map.
    pub fn line(&self, state: usize) -> Vec<Position> {
        self.network.ends_of(state).to_vec()
    }

    /// The path through these segments; the place of the first two segments that no turn connects, if there are such.
    pub fn path(&self, segments: &[u32]) -> Result<Trajectory, usize> {
        let states: Vec<usize> = segments.iter().map(|&segment| segment as usize).collect();
        let mut actions = Vec::with_capacity(states.len().saturating_sub(1));
        for (place, pair) in states.windows(2).enumerate() {
            let turns = self.turns_of(pair[0]);
            actions.push(turns.binary_search(&(pair[1] as u32)).map_err(|_| place)?);
        }
        Ok(Trajectory::new(states, actions))
    }

    /// The world to learn in: deterministic turns, discount 1, no terminal states, and every segment as likely a start as any other.
    ///
    /// # Errors
    /// If a segment has no turn and is not the end of the world: networks of one connected part have none.
    pub fn problem(&self) -> Result<Problem, Error> {
        self.columns().build().map_err(|fault| Error::Network(fault.to_string()))
    }

    fn columns(&self) -> ProblemColumns {
        let n_states = self.n_states();
        let n_actions = (0..n_states).map(|state| self.turns_of(state).len()).max().unwrap_or(0).max(1);
        let mut columns = ProblemColumns::new(n_states, n_actions, self.features.names.len());
        for state in 0..n_states {
            columns.start.push([state], 1.0 / n_states as f64);
            let turns = self.turns_of(state);
            for (action, &to) in turns.iter().enumerate() {
                columns.transitions.push([state, action, to as usize], 1.0);
            }
            if turns.is_empty() {
                columns.terminal.push(state as i64);
            }
        }
        for &(state, feature, value) in &self.features.of_segments {
            columns.state_features.push([state, feature], value);
        }
        for &(turn, feature, value) in &self.features.of_turns {
            columns.transition_features.push([turn, feature], value);
        }
        columns.names = self.features.names.clone();
        let middle = |state: usize| {
            let [a, b] = self.network.ends_of(state);
            ((a.lon + b.lon) / 2.0, (a.lat + b.lat) / 2.0)
        };
        let (x, y) = (0..n_states).map(middle).unzip();
        columns.layout = Some(Layout::Points { x, y });
        columns
    }
}
