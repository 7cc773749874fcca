//! What the maps of the report show. It is kept beside the stages, so that drawing needs no new predictions.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use revealed_draw::{DestinationPicture, Flows, MapOptions, RoadMap, TripPicture, Values, cost_per_metre, flow_scatter};
use revealed_formats::atomic;
use revealed_roads::{
    Extract, Group, MatchOptions, Matcher, Network, NetworkOptions, Position, Predictions, Roads, Trips, visits_of_all,
};
use serde::{Deserialize, Serialize};

use super::case::{Case, Learned, name};
use crate::error::Error;
use crate::report::Figure;

/// The file.
const FILE: &str = "pictures.json";
/// Shorter trips are not drawn.
const LEAST_STATES: usize = 60;
/// Trips that are longer than this many times the shortest path are not drawn: they drive a loop or call somewhere.
const DETOUR: f64 = 1.5;
/// The trips that are drawn: a title, and the quantile of the quality of the prediction, from the best to the worst.
const SHARES: [(&str, f64); 3] = [("A good forecast", 0.2), ("A typical forecast", 0.5), ("A poor forecast", 0.8)];

/// What is drawn.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Pictures {
    /// Trips whose predictions are good, median and bad.
    trips: Vec<Example>,
    /// The visits of each state by the test trips.
    data: Vec<f64>,
    /// The visits of each state that the recursive logit with more features expects between the same ends.
    model: Vec<f64>,
    /// The same with the paper's features.
    model_of_paper_features: Vec<f64>,
    n_trips: usize,
    theta: Vec<f64>,
    theta_of_paper: Vec<f64>,
    /// The posterior of destinations of the second trip after half of it, by the recursive logit and the prior of
    /// training trips.
    posterior: Vec<f64>,
    prefix: usize,
    tracks: Vec<Track>,
}

/// A recorded GPS track, with its own map.
#[derive(Debug, Serialize, Deserialize)]
struct Track {
    name: String,
    /// The file of its network, in the same folder.
    network: String,
    fixes: Vec<[f64; 2]>,
    states: Vec<usize>,
    confidence: f64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Example {
    title: String,
    id: String,
    fixes: Vec<[f64; 2]>,
    truth: Vec<usize>,
    forecast: Vec<usize>,
    paper: Vec<usize>,
    shortest: Vec<usize>,
    matched: f64,
}

impl Pictures {
    /// Chooses and computes what is drawn, and keeps it.
    pub fn keep(case: &Case<'_, '_>, learned: &Learned) -> Result<(), Error> {
        let folder = case.stages.folder();
        let direct = direct(case, &learned.routes[name::WIDE], &learned.routes[name::SHORTEST]);
        let chosen = case.judge.examples(&direct, LEAST_STATES, SHARES.map(|share| share.1));
        let chosen: Vec<(&str, usize)> =
            SHARES.into_iter().zip(chosen).filter_map(|((title, _), trip)| Some((title, trip?))).collect();
        let n_trips = case.test().len();
        let (posterior, prefix) =
            case.destination_picture(&learned.models[name::WIDE], chosen.get(1).map_or(0, |one| one.1))?;
        let pictures = Pictures {
            trips: examples(case, learned, &chosen)?,
            data: case.judge.driven_visits(),
            model: visits_of_all(&learned.visits[name::WIDE], n_trips),
            model_of_paper_features: visits_of_all(&learned.visits[name::LOGIT], n_trips),
            n_trips,
            theta: learned.models[name::LOGIT].theta.clone(),
            theta_of_paper: learned.models[name::BOUNDED].theta.clone(),
            posterior,
            prefix,
            tracks: tracks(case, folder)?,
        };
        let text = serde_json::to_string(&pictures).map_err(|fault| Error::damaged(folder, fault))?;
        Ok(atomic::write(folder.join(FILE), |writer| writer.write_all(text.as_bytes()))?)
    }

    /// The figures, if what they show was kept.
    pub fn figures(folder: &Path) -> Result<Vec<Figure>, Error> {
        let (file, network) = (folder.join(FILE), folder.join("roads.npz"));
        let Ok(text) = fs::read_to_string(&file) else { return Ok(Vec::new()) };
        let pictures: Pictures = serde_json::from_str(&text).map_err(|fault| Error::damaged(&file, fault))?;
        let roads = Roads::load(&network)?;
        if pictures.data.len() != roads.n_states() {
            return Err(Error::damaged(
                &file,
                format!("it is of {} states, and the network has {}", pictures.data.len(), roads.n_states()),
            ));
        }
        let mut figures = pictures.draw(&roads)?;
        for (number, track) in pictures.tracks.iter().enumerate() {
            figures.push(track.draw(number, folder)?);
        }
        Ok(figures)
    }

    fn draw(&self, roads: &Roads) -> Result<Vec<Figure>, Error> {
        let map = RoadMap::new(roads, MapOptions::of(roads))?;
        let mut figures = Vec::from(self.costs(roads, &map)?);
        figures.extend(self.flows(&map)?);
        for (number, trip) in self.trips.iter().enumerate() {
            figures.push(trip.draw(number, &map)?);
        }
        figures.extend(self.destinations(&map)?);
        Ok(figures)
    }

    /// The cost of a km of each road, by two models on one scale.
    fn costs(&self, roads: &Roads, map: &RoadMap<'_>) -> Result<[Figure; 2], Error> {
        let per_km = |theta: &[f64]| -> Result<Vec<f64>, revealed_draw::Error> {
            Ok(cost_per_metre(roads, theta)?.into_iter().map(|cost| 1000.0 * cost).collect())
        };
        let [logit, paper] = [per_km(&self.theta)?, per_km(&self.theta_of_paper)?];
        let draw = |title: &str, values: &[f64], beside: &[f64]| {
            map.coloured(&Values { title, label: "learned cost, nats per km", values, beside, log: true, ..Values::default() })
        };
        let caption = "The cost of a km of each road, as learned from routes between given ends (recursive logit, the \
                       paper's features). The next map has the same scale. Roads that cost nothing are grey.";
        let title = "Cost of a km, given the destination";
        let first = Figure::new("costs", caption, draw(title, &logit, &paper)?);
        let caption = "The cost of a km as learned by the paper's model of whole trips, with weights of -10 to 0 per km. The \
                       same weights must explain how long trips are, where they end and why they make few detours.";
        let title = "Cost of a km, by the paper's model";
        Ok([first, Figure::new("costs-paper", caption, draw(title, &paper, &logit)?)])
    }

    /// Visits of each road, by the trips and by two models.
    fn flows(&self, map: &RoadMap<'_>) -> Result<[Figure; 3], Error> {
        let label = format!("visits of {} trips", self.n_trips);
        let flows = Flows {
            title: "Visits of each road: data and model",
            label: &label,
            data: &self.data,
            model: &self.model,
            stacked: true,
            ..Flows::default()
        };
        let caption = "Visits of every road by held-out trips, and those that the recursive logit with more features \
                       expects between the same ends.";
        let flows = Figure::new("flows", caption, map.flows(&flows)?);
        let caption = "Each hexagon holds segments with similar visits: horizontally in the data, vertically in the model.";
        let canvas = flow_scatter("Visits of each segment: recursive logit, more features", &self.data, &self.model)?;
        let scatter = Figure::new("flow-scatter", caption, canvas);
        let caption = "The same with the paper's features alone. All of them are lengths, so a loop around a small \
                       roundabout has almost no cost. The points far above the line are such loops.";
        let title = "Visits of each segment: recursive logit, the paper's features";
        let canvas = flow_scatter(title, &self.data, &self.model_of_paper_features)?;
        Ok([flows, scatter, Figure::new("flow-scatter-paper-features", caption, canvas)])
    }

    /// The posterior of destinations of the second trip, after half of it.
    fn destinations(&self, map: &RoadMap<'_>) -> Result<Option<Figure>, Error> {
        let trip = self.trips.get(1).filter(|trip| self.prefix > 0 && self.prefix <= trip.truth.len());
        let Some(trip) = trip else { return Ok(None) };
        let (prefix, rest) = trip.truth.split_at(self.prefix);
        let picture = DestinationPicture {
            title: "Destinations after half of the trip",
            prefix,
            posterior: &self.posterior,
            rest,
            truth: trip.truth.last().copied(),
        };
        let caption = format!(
            "Trip {}: the posterior of destinations, by the paper's ratio with the recursive logit (more features). The \
             prior is the distribution of the ends of training trips.",
            trip.id
        );
        Ok(Some(Figure::new("destinations", caption, map.destinations(&picture)?)))
    }
}

impl Example {
    fn draw(&self, number: usize, map: &RoadMap<'_>) -> Result<Figure, Error> {
        let fixes: Vec<Position> = self.fixes.iter().map(|&[lat, lon]| Position { lat, lon }).collect();
        let others: Vec<(&str, &[usize])> = [(name::SHORTEST, &self.shortest), (name::BOUNDED, &self.paper)]
            .into_iter()
            .filter(|(_, route)| !route.is_empty())
            .map(|(name, route)| (name, &route[..]))
            .collect();
        let picture = TripPicture {
            title: &self.title,
            fixes: &fixes,
            truth: &self.truth,
            truth_name: "matched route",
            forecast: &self.forecast,
            matched: Some(self.matched),
            others: &others,
        };
        let caption = format!(
            "Trip {}: GPS points, the matched route, the forecast of the recursive logit with more features, and other \
             forecasts.",
            self.id
        );
        Ok(Figure::new(&format!("trip-{}", number + 1), caption, map.trip(&picture)?))
    }
}

impl Track {
    fn draw(&self, number: usize, folder: &Path) -> Result<Figure, Error> {
        let roads = Roads::load(folder.join(&self.network))?;
        let fixes: Vec<Position> = self.fixes.iter().map(|&[lat, lon]| Position { lat, lon }).collect();
        let title = format!("{}: GPS points and the matched route", self.name);
        let truth_name = "matched route";
        let picture = TripPicture { title: &title, fixes: &fixes, truth: &self.states, truth_name, ..TripPicture::default() };
        let caption = format!("A track of GraphHopper's tests, matched with a confidence of {:.2}.", self.confidence);
        let canvas = RoadMap::new(&roads, MapOptions::of(&roads))?.trip(&picture)?;
        Ok(Figure::new(&format!("track-{}", number + 1), caption, canvas))
    }
}

/// The trips that are drawn, with their fixes and predictions.
fn examples(case: &Case<'_, '_>, learned: &Learned, chosen: &[(&str, usize)]) -> Result<Vec<Example>, Error> {
    let mut fixes = case.stages.fixes(&chosen.iter().map(|&(_, trip)| id(case, trip)).collect::<Vec<_>>())?;
    let route = |name: &str, trip: usize| learned.routes[name].routes[trip].clone().unwrap_or_default();
    let example = |&(title, trip): &(&str, usize)| {
        let (truth, forecast) = (case.test()[trip].states.clone(), route(name::WIDE, trip));
        Example {
            title: title.to_string(),
            id: id(case, trip),
            fixes: fixes.remove(&id(case, trip)).unwrap_or_default(),
            paper: route(name::BOUNDED, trip),
            shortest: route(name::SHORTEST, trip),
            matched: case.judge.metrics().compare(&forecast, &truth).distance_match,
            truth,
            forecast,
        }
    };
    Ok(chosen.iter().map(example).collect())
}

/// The predictions for trips that go to their ends without a loop. The others have none.
fn direct(case: &Case<'_, '_>, predictions: &Predictions, shortest: &Predictions) -> Predictions {
    let mut direct = predictions.clone();
    for ((trip, shortest), route) in case.test().iter().zip(&shortest.routes).zip(&mut direct.routes) {
        let least = shortest.as_ref().map_or(0.0, |route| metres(case.roads(), route));
        if has_loop(case.roads(), &trip.states) || metres(case.roads(), &trip.states) > DETOUR * least {
            *route = Err("it is not direct".to_string());
        }
    }
    direct
}

fn metres(roads: &Roads, route: &[usize]) -> f64 {
    route.iter().map(|&state| roads.length(state)).sum()
}

/// Whether a route comes through a node twice.
fn has_loop(roads: &Roads, route: &[usize]) -> bool {
    let mut seen = HashSet::new();
    let segments = route.iter().flat_map(|&state| roads.segments_of(state));
    segments.map(|segment| roads.network.segments[segment].to).any(|node| !seen.insert(node))
}

/// Matches the tracks whose files exist, and keeps their networks.
fn tracks(case: &Case<'_, '_>, folder: &Path) -> Result<Vec<Track>, Error> {
    let mut found = Vec::new();
    for [map, track] in case.stages.tracks() {
        let network = Network::new(&Extract::read(map, false)?, NetworkOptions::default())?;
        let roads = Roads::new(network, &[Group::Length]);
        let options =
            MatchOptions { strict: true, least_seconds: 0.0, least_metres: 0.0, keep_cyclic: true, ..MatchOptions::default() };
        let matcher = Matcher::new(&roads.network, options)?;
        for trip in Trips::open(track)? {
            let trip = trip?;
            let Ok(matched) = matcher.match_trip(&trip) else { continue };
            let Ok(path) = roads.path(&matched.segments) else { continue };
            let file = format!("track-{}.npz", found.len() + 1);
            roads.save(folder.join(&file))?;
            found.push(Track {
                name: track.file_stem().map(|name| name.to_string_lossy().to_string()).unwrap_or_default(),
                network: file,
                fixes: trip.fixes.iter().map(|fix| [fix.position.lat, fix.position.lon]).collect(),
                states: path.states,
                confidence: matched.confidence,
            });
        }
    }
    Ok(found)
}

fn id(case: &Case<'_, '_>, trip: usize) -> String {
    case.test()[trip].id.clone().unwrap_or_default()
}

/// The fixes of some trips of a file, by their ids.
pub(super) fn fixes_of(file: &Path, ids: &[String]) -> Result<HashMap<String, Vec<[f64; 2]>>, Error> {
    let mut found = HashMap::new();
    for trip in Trips::open(file)? {
        let trip = trip?;
        if ids.contains(&trip.id) {
            found
                .entry(trip.id.clone())
                .or_insert_with(|| trip.fixes.iter().map(|fix| [fix.position.lat, fix.position.lon]).collect());
        }
        if found.len() == ids.len() {
            break;
        }
    }
    Ok(found)
}
