//! Maps of what is asked about a network: costs, flows and trips of an evaluation, routes, destinations.

use revealed_roads::{AssignedFlows, Baseline, Evaluated, Judge, LikelyRoute, LikelyRoutes, Roads, TraceForecast};

use super::destinations::DestinationPicture;
use super::flows::Flows;
use super::road_map::{MapOptions, RoadMap, cannot};
use super::trips::TripPicture;
use super::values::{Values, cost_per_metre};
use crate::canvas::Canvas;
use crate::charts::flow_scatter;
use crate::error::Error;

/// Shorter trips are not drawn.
const LEAST_STATES: usize = 21;
/// The trips that are drawn, by their rank among all forecasts as a fraction, the best first: name, title and rank.
const EXAMPLES: [(&str, &str, f64); 3] = [
    ("trip-good", "A forecast among the best", 0.1),
    ("trip-median", "A median forecast", 0.5),
    ("trip-bad", "A forecast among the worst", 0.9),
];

/// A map with its name.
pub type NamedMap = (&'static str, Canvas);

/// The maps of an evaluation: the costs of roads, the flows of data and model, and three trips. `visits` is how often the
/// model visits each state ([`Judge::model_visits`]).
///
/// # Errors
/// If no road has a valid position, or there is not one weight for each feature and one visit for each state.
pub fn evaluation_maps(judge: &Judge<'_>, theta: &[f64], visits: &[f64], found: &Evaluated) -> Result<Vec<NamedMap>, Error> {
    let map = RoadMap::new(judge.roads, MapOptions::of(judge.roads))?;
    let costs = cost_per_metre(judge.roads, theta)?;
    let (title, label) = ("Cost of a metre of each road", "learned cost, nats per metre");
    let mut maps = vec![("costs", map.coloured(&Values { title, label, values: &costs, ..Values::default() })?)];
    let data = judge.driven_visits();
    let label = format!("visits of {} trips", judge.trips.len());
    let title = "Visits of each road: data and model";
    let both = Flows { title, label: &label, data: &data, model: visits, ..Flows::default() };
    maps.push(("flows", map.flows(&both)?));
    maps.push(("flow-difference", map.flow_difference(&both)?));
    maps.push(("flow-scatter", flow_scatter("Visits of each segment", &data, visits)?));
    let trips = judge.examples(&found.learned, LEAST_STATES, EXAMPLES.map(|example| example.2));
    for ((name, title, _), trip) in EXAMPLES.into_iter().zip(trips) {
        if let Some(trip) = trip {
            maps.push((name, trip_map(&map, judge, found, title, trip)?));
        }
    }
    Ok(maps)
}

fn trip_map(map: &RoadMap<'_>, judge: &Judge<'_>, found: &Evaluated, title: &str, trip: usize) -> Result<Canvas, Error> {
    let truth = &judge.trips[trip].states;
    let forecast = found.learned.routes[trip].as_deref().unwrap_or_default();
    let others: Vec<(&str, &[usize])> =
        found.shortest.routes[trip].iter().map(|route| (Baseline::Shortest.name(), &route[..])).collect();
    map.trip(&TripPicture {
        title,
        truth,
        // The paths may have been matched, or be known from elsewhere: nobody says.
        truth_name: "driven route",
        forecast,
        matched: Some(judge.metrics().compare(forecast, truth).distance_match),
        others: &others,
        ..TripPicture::default()
    })
}

/// A map of the likeliest routes between two places.
///
/// # Errors
/// If no road has a valid position, or there is no route.
pub fn routes_map(roads: &Roads, found: &LikelyRoutes) -> Result<Canvas, Error> {
    let Some((first, rest)) = found.routes.split_first() else {
        return Err(cannot("there is no route to draw"));
    };
    let size = |route: &LikelyRoute| format!("{:.2} km, {:.0} min", route.metres() / 1e3, route.seconds() / 60.0);
    let name = |(number, route): (usize, &LikelyRoute)| format!("{number}. route, {}", size(route));
    let names: Vec<String> = (2..).zip(rest).map(name).collect();
    let title = format!("The likeliest route: {} at the usual speeds", size(first));
    let others: Vec<(&str, &[usize])> =
        names.iter().zip(rest).map(|(name, route)| (name.as_str(), &route.states[..])).collect();
    let picture = TripPicture { title: &title, forecast: &first.states, others: &others, ..TripPicture::default() };
    RoadMap::new(roads, MapOptions::of(roads))?.trip(&picture)
}

/// A map of the destinations of a trip that has begun.
///
/// # Errors
/// If no road has a valid position.
pub fn destination_map(roads: &Roads, found: &TraceForecast) -> Result<Canvas, Error> {
    let picture = DestinationPicture {
        title: "Destination of the trip",
        prefix: &found.states,
        posterior: &found.posterior,
        ..DestinationPicture::default()
    };
    RoadMap::new(roads, MapOptions::of(roads))?.destinations(&picture)
}

/// A map of expected flows.
///
/// # Errors
/// If no road has a valid position.
pub fn flow_map(roads: &Roads, found: &AssignedFlows) -> Result<Canvas, Error> {
    if let Some(changed) = &found.changed {
        let title = format!("Expected flows of {} trips: the scenario compared with the base", found.trips);
        let flows = Flows {
            title: &title,
            label: "trips in a direction, the mean of both",
            data: &found.flows,
            model: &changed.flows,
            names: ["base", "scenario"],
            ..Flows::default()
        };
        return RoadMap::new(roads, MapOptions::of(roads))?.flow_difference(&flows);
    }
    let title = format!("Expected flows of {} trips", found.trips);
    let values = Values {
        title: &title,
        label: "trips in a direction, the mean of both",
        values: &found.flows,
        log: true,
        ..Values::default()
    };
    RoadMap::new(roads, MapOptions::of(roads))?.coloured(&values)
}
