//! A road network with the features of its states.

use revealed::Trajectory;
use revealed_formats::{Layout, Problem, ProblemColumns};

use super::chains::Chains;
use crate::error::Error;
use crate::features::{Group, RoadFeatures};
use crate::geometry::Position;
use crate::network::Network;

/// A road network with the features of its states. State s is segment s, and its action k is the k-th of its turns. In
/// a [compressed](Self::compressed) network, state s is chain s, and its action k is the k-th turn of the chain's last
/// segment.
///
/// Its file is a problem (`.npz`) that every command reads. It also contains the network, in arrays whose names begin
/// with `roads.`.
#[derive(Debug, Clone, PartialEq)]
pub struct Roads {
    /// The network.
    pub network: Network,
    /// The features of states and of turns between states.
    pub features: RoadFeatures,
    /// The chains that are the states; `None` if every segment is a state.
    pub chains: Option<Chains>,
}

impl Roads {
    /// A network with these groups of features.
    pub fn new(network: Network, groups: &[Group]) -> Roads {
        let features = RoadFeatures::new(&network, groups);
        Roads { network, features, chains: None }
    }

    /// The compressed network, whose states are chains. [`Chains`] says when this does not change what is learned.
    pub fn compressed(self) -> Roads {
        if self.chains.is_some() {
            return self;
        }
        let chains = Chains::new(&self.network);
        let features = chains.features(&self.network, &self.features);
        Roads { network: self.network, features, chains: Some(chains) }
    }

    /// The number of states.
    pub fn n_states(&self) -> usize {
        self.chains.as_ref().map_or(self.network.n_segments(), Chains::len)
    }

    /// The states that the actions of a state lead to.
    pub fn turns_of(&self, state: usize) -> &[u32] {
        match &self.chains {
            Some(chains) => chains.turns_of(state),
            None => self.network.turns_of(state),
        }
    }

    /// The segments of a state, in the order in which they are driven.
    pub fn segments_of(&self, state: usize) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let many = self.chains.as_ref().map_or(&[] as &[u32], |chains| chains.segments_of(state));
        let one = self.chains.is_none().then_some(state);
        many.iter().map(|&segment| segment as usize).chain(one)
    }

    /// The segments of a path of states, in the order in which they are driven.
    pub fn segments_of_path(&self, states: &[usize]) -> Vec<u32> {
        states.iter().flat_map(|&state| self.segments_of(state)).map(|segment| segment as u32).collect()
    }

    /// The state that a segment is a part of.
    pub fn state_of(&self, segment: usize) -> usize {
        self.chains.as_ref().map_or(segment, |chains| chains.chain_of(segment))
    }

    /// The state that a state is a copy of; itself if it is none. Copies of a state are the same road for those who came
    /// from a certain road, where a turn restriction over several roads forbids them a turn.
    pub fn original(&self, state: usize) -> usize {
        match &self.chains {
            None => self.network.original(state),
            Some(chains) => match chains.segments_of(state) {
                &[segment] => chains.chain_of(self.network.original(segment as usize)),
                _ => state,
            },
        }
    }

    /// The states that are copies of a state that is none.
    pub fn copies_of(&self, original: usize) -> impl Iterator<Item = usize> + '_ {
        let segment = match &self.chains {
            None => Some(original),
            Some(chains) => Some(chains.segments_of(original)).filter(|some| some.len() == 1).map(|some| some[0] as usize),
        };
        let copies = segment.filter(|&segment| self.network.original(segment) == segment);
        copies.into_iter().flat_map(|segment| self.network.copies_of(segment)).map(|copy| self.state_of(copy))
    }

    /// The states that are not copies of others: each road once.
    pub fn roads(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.n_states()).filter(|&state| self.original(state) == state)
    }

    /// Whether some states are copies of others.
    pub fn has_copies(&self) -> bool {
        !self.network.copies().is_empty()
    }

    /// The sums of values over each state and its copies. They are in the places of the originals; copies have 0.
    pub fn over_copies(&self, mut values: Vec<f64>) -> Vec<f64> {
        self.copies().for_each(|(original, copy)| values[original] += std::mem::take(&mut values[copy]));
        values
    }

    /// All copies, each after the state that it is a copy of.
    pub(crate) fn copies(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let copies = self.network.n_originals()..self.network.n_segments();
        copies.map(|copy| (self.state_of(self.network.original(copy)), self.state_of(copy)))
    }

    /// The length of a state in metres.
    pub fn length(&self, state: usize) -> f64 {
        self.segments_of(state).map(|segment| self.network.segments[segment].length).sum()
    }

    /// The lengths of all states in metres.
    pub fn lengths(&self) -> Vec<f64> {
        (0..self.n_states()).map(|state| self.length(state)).collect()
    }

    /// The time to drive a state, in seconds.
    pub fn seconds(&self, state: usize) -> f64 {
        self.segments_of(state).map(|segment| self.network.seconds(segment)).sum()
    }

    /// The learned cost of each state: minus its reward.
    ///
    /// # Errors
    /// If there is not one weight for each feature.
    pub fn costs(&self, theta: &[f64]) -> Result<Vec<f64>, Error> {
        let (found, expected) = (theta.len(), self.features.names.len());
        if found != expected {
            return Err(Error::Network(format!("there are {found} weights, but the network has {expected} features")));
        }
        let mut costs = vec![0.0; self.n_states()];
        self.features.of_segments.iter().for_each(|&(state, feature, value)| costs[state] -= theta[feature] * value);
        Ok(costs)
    }

    /// The line of a state on the map.
    pub fn line(&self, state: usize) -> Vec<Position> {
        let begin = self.segments_of(state).next().map(|segment| self.network.ends_of(segment)[0]);
        begin.into_iter().chain(self.segments_of(state).map(|segment| self.network.ends_of(segment)[1])).collect()
    }

    /// The path of the states that cover these segments, or copies of them: those for someone who begins with the first.
    /// In a compressed network it includes the whole first and last chain.
    ///
    /// # Errors
    /// If no turn connects two consecutive segments: the index of the first of them.
    pub fn path(&self, segments: &[u32]) -> Result<Trajectory, usize> {
        let segments = self.network.route(segments)?;
        let mut states: Vec<usize> = segments.first().map(|&first| self.state_of(first as usize)).into_iter().collect();
        let mut actions = Vec::with_capacity(segments.len().saturating_sub(1));
        for (place, pair) in segments.windows(2).enumerate() {
            let turn = self.network.turns_of(pair[0] as usize).binary_search(&pair[1]).map_err(|_| place)?;
            // Within a chain there is no choice.
            if self.is_last_of_state(pair[0] as usize) {
                states.push(self.state_of(pair[1] as usize));
                actions.push(turn);
            }
        }
        Ok(Trajectory::new(states, actions))
    }

    /// Whether a segment is the last of its state.
    pub(crate) fn is_last_of_state(&self, segment: usize) -> bool {
        self.segments_of(self.state_of(segment)).next_back() == Some(segment)
    }

    /// The world to learn in: deterministic turns, discount 1, and a uniform start over segments that are not
    /// copies, so that a chain is as likely as its segments together. A segment without a turn is terminal; strongly connected networks have none.
    ///
    /// # Errors
    /// If the problem is not valid.
    pub fn problem(&self) -> Result<Problem, Error> {
        self.columns().build().map_err(|fault| Error::Network(fault.to_string()))
    }

    pub(super) fn columns(&self) -> ProblemColumns {
        let n_states = self.n_states();
        let n_actions = (0..n_states).map(|state| self.turns_of(state).len()).max().unwrap_or(0).max(1);
        let mut columns = ProblemColumns::new(n_states, n_actions, self.features.names.len());
        for state in 0..n_states {
            // Paths begin with no past.
            if self.original(state) == state {
                let share = self.segments_of(state).count() as f64 / self.network.n_originals() as f64;
                columns.start.push([state], share);
            }
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
        // Next to each other also where the roads cross the antimeridian.
        let origin = (0..n_states).next().map(|state| self.middle(state)).unwrap_or_default();
        let point = |place: Position| (origin.lon + origin.degrees_east(place), place.lat);
        let (x, y) = (0..n_states).map(|state| point(self.middle(state))).unzip();
        columns.layout = Some(Layout::Points { x, y });
        columns
    }

    /// The position halfway along a state.
    fn middle(&self, state: usize) -> Position {
        let mut left = self.length(state) / 2.0;
        for segment in self.segments_of(state) {
            let (length, [a, b]) = (self.network.segments[segment].length, self.network.ends_of(segment));
            if left <= length {
                let share = if length > 0.0 { left / length } else { 0.5 };
                return a.toward(b, share);
            }
            left -= length;
        }
        // Only rounding leads here.
        self.line(state).last().copied().unwrap_or_default()
    }
}
