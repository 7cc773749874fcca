//! A route in words: street after street.

use crate::network::Network;

/// A part of a route on one street.
#[derive(Debug, Clone, PartialEq)]
pub struct Leg {
    /// What the street is called; its kind in brackets where it has no name.
    pub street: String,
    /// In metres.
    pub metres: f64,
    /// In seconds, at the speed limit or at what is usual.
    pub seconds: f64,
}

/// The streets of a route through these segments, in order. Segments of one street that follow each other are one leg.
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
