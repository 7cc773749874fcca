//! The true preferences of drivers, to compare with what is learned.

use revealed::{Ends, Given, PathModel, Work, lengths};

use super::build::CityOptions;
use crate::error::Error;
use crate::world::Roads;

/// The range of the common factor.
const FACTORS: (f64, f64) = (1e-3, 1e3);
const HALVINGS: usize = 40;

/// The reward of one unit of each feature, up to a common factor. Drivers prefer major roads to local ones, and avoid
/// tolls, traffic lights and left turns.
fn unit_reward(feature: &str) -> f64 {
    match feature {
        "lanes_1" => -0.003,
        "lanes_2" => -0.002,
        "lanes_more" => -0.001,
        "local" => -0.004,
        "major" => -0.003,
        "highway" => -0.002,
        "other" => -0.005,
        "speed_below_35" => -0.003,
        "speed_35_55" => -0.002,
        "speed_55_85" => -0.0015,
        "speed_above_85" => -0.001,
        "speed_unknown" => -0.0025,
        "toll" => -0.004,
        "no_toll" => -0.001,
        "length" => -0.003,
        "time" => -0.02,
        "link" => -0.03,
        "signal" => -1.2,
        "crossing" => -0.3,
        "left" => -6.0,
        "right" => -5.0,
        "u_turn" => -7.0,
        "angle" => -3.0,
        _ => 0.0,
    }
}

/// The true preferences for these roads.
///
/// With [`Ends::Anywhere`] the lengths of trips follow from θ. If the weight of a path falls more slowly than the
/// number of paths grows, trips are as long as the horizon allows; if it falls faster, most have a few states. So θ is
/// the unit rewards times the factor for which trips have the wanted mean length.
pub(super) fn theta(roads: &Roads, options: &CityOptions) -> Result<Vec<f64>, Error> {
    let units: Vec<f64> = roads.features.names.iter().map(|name| unit_reward(name)).collect();
    let (horizon, wanted) = (options.horizon, options.mean_states);
    if !(wanted >= 1.0 && wanted <= horizon as f64) {
        let message = format!("trips cannot have a mean of {wanted} states: give 1 to {horizon}, the horizon");
        return Err(Error::Network(message));
    }
    let problem = roads.problem()?;
    let times = |factor: f64| -> Vec<f64> { units.iter().map(|unit| readable(factor * unit)).collect() };
    let mean = |factor: f64| -> Result<f64, Error> {
        let reward = problem.features.reward(&problem.mdp, &times(factor))?;
        let model = PathModel::new(&problem.mdp, reward, horizon, Ends::Anywhere)?;
        Ok(lengths(&model, &Given::default(), &Work::default())?.mean())
    };
    // The higher the cost, the shorter the trips.
    let (mut low, mut high) = FACTORS;
    for _ in 0..HALVINGS {
        let middle = (low * high).sqrt();
        if (high / low) < 1.001 {
            break;
        }
        *(if mean(middle)? > wanted { &mut low } else { &mut high }) = middle;
    }
    Ok(times((low * high).sqrt()))
}

/// Rounds to three significant digits.
fn readable(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}
