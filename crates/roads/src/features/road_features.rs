//! The features of a network.

use super::group::Group;
use crate::error::Error;
use crate::network::Network;

/// The features of a network as sparse rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RoadFeatures {
    /// Their names.
    pub names: Vec<String>,
    /// (segment, feature, value).
    pub of_segments: Vec<(usize, usize, f64)>,
    /// (turn, feature, value).
    pub of_turns: Vec<(usize, usize, f64)>,
}

impl RoadFeatures {
    /// The features of these groups.
    pub fn new(network: &Network, groups: &[Group]) -> RoadFeatures {
        let mut made = RoadFeatures::default();
        let link_ends = if groups.contains(&Group::Link) { network.link_ends() } else { Vec::new() };
        for group in groups {
            let first = made.names.len();
            made.names.extend(group.features().iter().map(ToString::to_string));
            let of_segment = |segment: usize| Some((segment, group.of_segment(network, &link_ends, segment)?));
            let segments = (0..network.n_segments()).filter_map(of_segment);
            made.of_segments.extend(segments.map(|(segment, (place, value))| (segment, first + place, value)));
            let turns = network.turns().enumerate();
            let turns =
                turns.filter_map(|(turn, (from, to))| Some((turn, group.of_turn(network, from as usize, to as usize)?)));
            made.of_turns.extend(turns.map(|(turn, (place, value))| (turn, first + place, value)));
        }
        made.of_segments.sort_unstable_by_key(|row| (row.0, row.1));
        made.of_turns.sort_unstable_by_key(|row| (row.0, row.1));
        made
    }

    /// Adds a feature given as a number for each segment.
    ///
    /// # Errors
    /// If there is not exactly one finite number for each segment, or the name is taken.
    pub fn add(&mut self, name: &str, values: &[f64], n_segments: usize) -> Result<(), Error> {
        if self.names.iter().any(|known| known == name) {
            return Err(Error::Network(format!("the feature {name:?} exists already: choose another name")));
        }
        if values.len() != n_segments {
            return Err(Error::Network(format!(
                "the feature {name:?} has {} values, but there are {n_segments} segments",
                values.len()
            )));
        }
        if let Some(segment) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::Network(format!(
                "the feature {name:?} of segment {segment} is {}: it must be a number",
                values[segment]
            )));
        }
        let feature = self.names.len();
        self.names.push(name.to_string());
        let some = values.iter().enumerate().filter(|entry| *entry.1 != 0.0);
        self.of_segments.extend(some.map(|(segment, &value)| (segment, feature, value)));
        self.of_segments.sort_unstable_by_key(|row| (row.0, row.1));
        Ok(())
    }
}
