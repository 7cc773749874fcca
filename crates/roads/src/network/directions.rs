//! A route described street by street.

use super::graph::Network;

/// A part of a route on one street.
#[derive(Debug, Clone, PartialEq)]
pub struct Leg {
    /// The name of the street; its kind in brackets if it has no name.
    pub street: String,
    /// Its length in metres.
    pub metres: f64,
    /// The time to drive it in seconds, at the speed limit or at the usual speed.
    pub seconds: f64,
}

/// The streets of a route through these segments, in order. Consecutive segments of one street are one leg.
pub fn directions(network: &Network, segments: &[u32]) -> Vec<Leg> {
    let mut legs: Vec<Leg> = Vec::new();
    for &segment in segments {
        let (segment, way) = (segment as usize, network.way_of(segment as usize));
        let street = match way.name.as_str() {
            "" => format!("({})", way.highway.replace('_', " ")),
            name => name.to_string(),
        };
        let (metres, seconds) = (network.segments[segment].length, network.seconds(segment));
        match legs.last_mut().filter(|leg| leg.street == street) {
            Some(leg) => {
                leg.metres += metres;
                leg.seconds += seconds;
            }
            None => legs.push(Leg { street, metres, seconds }),
        }
    }
    legs
}
