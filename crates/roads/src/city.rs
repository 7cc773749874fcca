//! A made-up city, with known preferences: everything runs on it without real data.

mod agreement;
mod details;
mod districts;
mod document;
mod ground;
mod junctions;
mod names;
mod preferences;
mod ring;
mod routes;
mod sketch;
mod traces;
mod trips;

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use revealed_formats::Problem;

pub use self::agreement::Agreement;
use self::sketch::Sketch;
pub use self::traces::{TraceOptions, trace, write_trips_csv};
use crate::error::Error;
use crate::features::Group;
use crate::network::{Network, NetworkOptions};
use crate::osm::Extract;
use crate::roads::Roads;

/// Fewer blocks have no room for a river and its bridges, and more are no city.
const BLOCKS: std::ops::RangeInclusive<usize> = 12..=400;

/// What a city is to be like.
#[derive(Debug, Clone, PartialEq)]
pub struct CityOptions {
    /// The same seed gives the same city.
    pub seed: u64,
    /// How many blocks of about 110 m it is wide. The number of segments grows with its square.
    pub blocks: usize,
    /// What its drivers care about.
    pub groups: Vec<Group>,
    /// L: the most states of a trip.
    pub horizon: usize,
    /// The mean number of states of trips that may end anywhere. The smaller it is, the more drivers care: 35 makes trips that wander
    /// a little and seldom turn back on themselves, and 10 suits trips between two places.
    pub mean_states: f64,
}

impl Default for CityOptions {
    fn default() -> Self {
        let groups = vec![Group::RoadType, Group::Time, Group::Signals, Group::Turns];
        CityOptions { seed: 1, blocks: 22, groups, horizon: 150, mean_states: 35.0 }
    }
}

/// A city, and what its drivers are after.
#[derive(Debug, Clone)]
pub struct City {
    xml: String,
    /// Its roads, as they are read from [`osm_xml`](Self::osm_xml).
    pub roads: Roads,
    /// The true preferences, one for each feature.
    pub theta: Vec<f64>,
    /// L: the most states of a trip.
    pub horizon: usize,
}

/// Builds a city: an OpenStreetMap document is drawn, and read by the importer as any other.
///
/// There is a river with few bridges, one with a toll; a bent grid on either bank with arterial, local and one-way streets, dead
/// ends, roundabouts, traffic lights, crossings and rules about turns; and a motorway around it, with ramps.
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
    /// The city as a file that any reader of OpenStreetMap takes.
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
