//! What was seen of a path: its states and actions, exactly, with noise, or not at all.

use crate::world::{Trajectory, TripColumns};

/// What was seen of one state or of one action.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Sight {
    /// Nothing: it may be any.
    #[default]
    Unseen,
    /// It was seen, without doubt.
    Exactly(usize),
    /// How well each agrees with what was seen: p(what was seen | it is this one), up to a constant. Those that are not
    /// in the list do not agree at all.
    Weighted(Vec<(usize, f64)>),
}

impl Sight {
    /// The weight of one state or action.
    pub fn weight(&self, index: usize) -> f64 {
        match self {
            Sight::Unseen => 1.0,
            Sight::Exactly(seen) => f64::from(u8::from(*seen == index)),
            Sight::Weighted(weights) => weights.iter().find(|row| row.0 == index).map_or(0.0, |row| row.1),
        }
    }

    /// The same if the weights are in order.
    pub(crate) fn sorted_weight(&self, index: usize) -> f64 {
        match self {
            Sight::Weighted(weights) => weights.binary_search_by_key(&index, |row| row.0).map_or(0.0, |row| weights[row].1),
            sight => sight.weight(index),
        }
    }

    /// The one that it was, if there is no doubt.
    pub fn exactly(&self) -> Option<usize> {
        if let Sight::Exactly(seen) = self { Some(*seen) } else { None }
    }
}

/// One entry of a path that was seen in part.
#[derive(Debug, Clone, PartialEq)]
pub enum Sighting {
    /// One state of the path, and the action that follows it. After the last state there is none.
    Step {
        /// What was seen of the state.
        state: Sight,
        /// What was seen of the action.
        action: Sight,
    },
    /// Any number of states that nobody saw, or none.
    Gap,
}

impl Sighting {
    /// A state that was seen without doubt, and an unseen action.
    pub fn state(state: usize) -> Sighting {
        Sighting::Step { state: Sight::Exactly(state), action: Sight::Unseen }
    }

    /// A state and an action that nobody saw.
    pub fn unseen() -> Sighting {
        Sighting::Step { state: Sight::Unseen, action: Sight::Unseen }
    }
}

/// A path that was seen in part.
///
/// ```
/// use revealed::{PartialTrajectory, Sight, Sighting};
///
/// // From 0 by an unknown state to 2, and by any number of states to 5.
/// let seen = [Sighting::state(0), Sighting::unseen(), Sighting::state(2), Sighting::Gap, Sighting::state(5)];
/// let path = PartialTrajectory::new(seen.to_vec());
/// assert_eq!((path.sightings.len(), path.weight), (5, 1.0));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PartialTrajectory {
    /// What was seen, in the order of the path.
    pub sightings: Vec<Sighting>,
    /// Its weight in the likelihood; 1 unless set.
    pub weight: f64,
    /// A name that appears in error messages.
    pub id: Option<String>,
    /// What is known of it besides the path.
    pub trip: TripColumns,
}

impl PartialTrajectory {
    /// A path of weight 1.
    pub fn new(sightings: Vec<Sighting>) -> Self {
        PartialTrajectory { sightings, weight: 1.0, id: None, trip: TripColumns::new() }
    }
}

impl From<&Trajectory> for PartialTrajectory {
    /// A path that was seen whole.
    fn from(path: &Trajectory) -> Self {
        let action = |step: usize| path.actions.get(step).map_or(Sight::Unseen, |&action| Sight::Exactly(action));
        let step = |(step, &state): (usize, &usize)| Sighting::Step { state: Sight::Exactly(state), action: action(step) };
        PartialTrajectory {
            sightings: path.states.iter().enumerate().map(step).collect(),
            weight: path.weight,
            id: path.id.clone(),
            trip: path.trip.clone(),
        }
    }
}
