//! The city: its options, its roads, and the true preferences.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use revealed_formats::Problem;

use super::sketch::Sketch;
use super::{details, districts, junctions, preferences, ring};
use crate::error::Error;
use crate::features::Group;
use crate::network::{Network, NetworkOptions};
use crate::osm::Extract;
use crate::world::Roads;

/// Fewer blocks leave no room for a river and its bridges; more take too long.
const BLOCKS: std::ops::RangeInclusive<usize> = 12..=400;

/// The options of a city.
#[derive(Debug, Clone, PartialEq)]
pub struct CityOptions {
    /// The same seed gives the same city.
    pub seed: u64,
    /// The width of the city in blocks of about 110 m. The number of segments grows with its square.
    pub blocks: usize,
    /// The features that its drivers care about.
    pub groups: Vec<Group>,
    /// L, the largest number of states of a trip.
    pub horizon: usize,
    /// The mean number of states of trips that may end anywhere. The smaller it is, the larger are the costs: with 35,
    /// trips make small detours and rarely contain a loop; 10 suits trips between two places.
    pub mean_states: f64,
}

impl Default for CityOptions {
    fn default() -> Self {
        let groups = vec![Group::RoadType, Group::Time, Group::Signals, Group::Turns];
        CityOptions { seed: 1, blocks: 22, groups, horizon: 150, mean_states: 35.0 }
    }
}

/// A city, and the preferences of its drivers.
#[derive(Debug, Clone)]
pub struct City {
    xml: String,
    /// Its roads, as read from [`osm_xml`](Self::osm_xml).
    pub roads: Roads,
    /// The true preferences, one for each feature.
    pub theta: Vec<f64>,
    /// L, the largest number of states of a trip.
    pub horizon: usize,
}

/// Builds a city: draws an OpenStreetMap document, and imports it like any other.
///
/// It has a river with a few bridges, one of them with a toll; a bent grid on either bank with arterial, local and
/// one-way streets, dead ends, roundabouts, traffic lights, crossings and turn restrictions; and a motorway around it,
/// with ramps.
///
/// ```
/// use revealed_roads::{CityOptions, city};
///
/// let city = city(&CityOptions { seed: 7, ..CityOptions::default() })?;
/// let trips = city.trips(100, 1)?;
/// assert!(trips.iter().all(|trip| trip.states.len() <= city.horizon));
/// # Ok::<(), revealed_roads::Error>(())
/// ```
///
/// # Errors
/// If a setting is out of range.
pub fn city(options: &CityOptions) -> Result<City, Error> {
    if !BLOCKS.contains(&options.blocks) {
        let (low, high) = (BLOCKS.start(), BLOCKS.end());
        let message = format!("a city of {} blocks cannot be built: give {low} to {high}", options.blocks);
        return Err(Error::Network(message));
    }
    let xml = draw(options);
    let extract = Extract::read_xml(xml.as_bytes(), false).map_err(|fault| Error::Network(format!("the city: {fault}")))?;
    let roads = Roads::new(Network::new(&extract, NetworkOptions::default())?, &options.groups);
    let theta = preferences::theta(&roads, options)?;
    Ok(City { xml, roads, theta, horizon: options.horizon })
}

impl City {
    /// The city as OpenStreetMap XML, which any reader of OpenStreetMap accepts.
    pub fn osm_xml(&self) -> &str {
        &self.xml
    }

    /// The world to learn in, with the true preferences.
    ///
    /// # Errors
    /// As [`Roads::problem`].
    pub fn problem(&self) -> Result<Problem, Error> {
        Ok(Problem { true_theta: Some(self.theta.clone()), ..self.roads.problem()? })
    }
}

fn draw(options: &CityOptions) -> String {
    let mut sketch = Sketch::new(options.blocks, Pcg64Mcg::seed_from_u64(options.seed));
    districts::draw(&mut sketch);
    ring::draw(&mut sketch);
    junctions::roundabouts(&mut sketch);
    details::bends(&mut sketch);
    details::dead_ends(&mut sketch);
    let lit = junctions::lights(&mut sketch);
    let turns = junctions::ruled_turns(&sketch, &lit);
    let way_of = sketch.draw_ways(&junctions::breaks(&turns));
    junctions::rules(&mut sketch, &turns, &way_of);
    details::surroundings(&mut sketch);
    sketch.document.xml()
}
