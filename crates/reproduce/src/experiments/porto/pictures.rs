//! What the maps of the report show, kept beside the stages so that drawing needs no new forecasts.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use revealed_draw::{DestinationPicture, Flows, MapOptions, RoadMap, TripPicture, Values, cost_per_metre, flow_scatter};
use revealed_formats::atomic;
use revealed_roads::{Extract, Group, MatchOptions, Matcher, Metrics, Network, NetworkOptions, Position, Roads, Trips};
use serde::{Deserialize, Serialize};

use super::case::{Case, Learned, name};
use crate::error::Error;
use crate::report::Figure;

/// The file.
const FILE: &str = "pictures.json";
/// Shorter trips show little.
const LEAST_STATES: usize = 60;

/// What is drawn.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Pictures {
    /// Trips whose forecasts are good, usual and bad.
    trips: Vec<Example>,
    /// How often each state was driven by the trips that are judged.
    data: Vec<f64>,
    /// How often the recursive logit with more features expects it between the same ends.
    model: Vec<f64>,
    /// The same with the paper's features.
    model_of_paper_features: Vec<f64>,
    n_trips: usize,
    theta: Vec<f64>,
    theta_of_paper: Vec<f64>,
    /// Where the second of the trips may end after half of it, by the recursive logit and the prior.
    posterior: Vec<f64>,
    prefix: usize,
    tracks: Vec<Track>,
}

/// A track that somebody recorded, on a map of its own.
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
    pub fn keep(case: &Case<'_>, learned: &Learned) -> Result<(), Error> {
        let (metrics, folder) = (Metrics::new(case.roads), case.stages.folder());
        let [logit, paper] = [name::LOGIT, name::COSTS].map(|name| &learned.models[name]);
        let forecasts = &learned.routes[name::WIDE];
        let matched = |trip: usize| {
            forecasts[trip].as_ref().map_or(0.0, |route| metrics.compare(route, &case.test[trip].states).distance_match)
        };
        let mut order: Vec<usize> = (0..case.test.len()).filter(|&trip| forecasts[trip].is_ok()).collect();
        let long: Vec<usize> = order.iter().copied().filter(|&trip| case.test[trip].states.len() >= LEAST_STATES).collect();
        if !long.is_empty() {
            order = long;
        }
        order.sort_by(|&a, &b| matched(b).total_cmp(&matched(a)).then(a.cmp(&b)));
        let chosen =
            [("A forecast among the better ones", 0.2), ("A usual forecast", 0.5), ("A forecast among the worse ones", 0.8)];
        let at = |share: f64| order.get((share * order.len().saturating_sub(1) as f64) as usize).copied();
        let chosen: Vec<(&str, usize)> = chosen.into_iter().filter_map(|(title, share)| Some((title, at(share)?))).collect();
        let mut fixes = case.stages.fixes(&chosen.iter().map(|&(_, trip)| id(case, trip)).collect::<Vec<_>>())?;
        let route = |name: &str, trip: usize| learned.routes[name][trip].clone().unwrap_or_default();
        let trips: Vec<Example> = chosen
            .iter()
            .map(|&(title, trip)| Example {
                title: title.to_string(),
                id: id(case, trip),
                fixes: fixes.remove(&id(case, trip)).unwrap_or_default(),
                truth: case.test[trip].states.clone(),
                forecast: route(name::WIDE, trip),
                paper: route(name::COSTS, trip),
                shortest: route(name::SHORTEST, trip),
                matched: matched(trip),
            })
            .collect();
        let mut data = vec![0.0; case.roads.n_states()];
        case.test.iter().flat_map(|trip| &trip.states).for_each(|&state| data[state] += 1.0);
        let of_all = |name: &str| learned.visits[name].iter().map(|visits| visits * case.test.len() as f64).collect();
        let (posterior, prefix) =
            case.destination_picture(&learned.models[name::WIDE], chosen.get(1).map_or(0, |one| one.1))?;
        let pictures = Pictures {
            trips,
            data,
            model: of_all(name::WIDE),
            model_of_paper_features: of_all(name::LOGIT),
            n_trips: case.test.len(),
            theta: logit.theta.clone(),
            theta_of_paper: paper.theta.clone(),
            posterior,
            prefix,
            tracks: tracks(case, folder)?,
        };
        let text = serde_json::to_string(&pictures).map_err(|fault| Error::damaged(folder, fault))?;
        Ok(atomic::write(folder.join(FILE), |writer| writer.write_all(text.as_bytes()))?)
    }

    /// The figures, if what they show is there.
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
        let mut figures = Vec::new();
        let costs = |theta: &[f64], title: &str| -> Result<_, revealed_draw::Error> {
            let values = cost_per_metre(roads, theta)?;
            map.coloured(&Values { title, label: "learned cost of a metre", values: &values, ..Values::default() })
        };
        let caption = "What a metre of each road costs, as learned from routes between their ends (recursive logit, the paper's features).";
        figures.push(Figure::new("costs", caption, costs(&self.theta, "What drivers avoid, given where they go")?));
        let caption = "The same as learned by the paper's model of whole trips, costs only. It has to explain with the same weights how long trips are, where they end and why they do not wander.";
        figures.push(Figure::new(
            "costs-paper",
            caption,
            costs(&self.theta_of_paper, "What the paper's model makes of the same trips")?,
        ));
        let label = format!("visits of {} trips", self.n_trips);
        let flows =
            Flows { title: "Where they drive: the data, and the model", label: &label, data: &self.data, model: &self.model };
        let caption = "Visits of every road by the trips that were held out, and what the recursive logit with more features expects \
                       between the same ends.";
        figures.push(Figure::new("flows", caption, map.flows(&flows)?));
        let caption = "Each hexagon holds segments with about as many visits in the data (across) and in the model (up).";
        let canvas = flow_scatter("Visits of each segment: recursive logit, more features", &self.data, &self.model)?;
        figures.push(Figure::new("flow-scatter", caption, canvas));
        let caption = "The same with the paper's features alone. They are all lengths, so that going round a small roundabout costs next to \
                       nothing: the points far above the line are such loops.";
        let canvas = flow_scatter(
            "Visits of each segment: recursive logit, the paper's features",
            &self.data,
            &self.model_of_paper_features,
        )?;
        figures.push(Figure::new("flow-scatter-paper-features", caption, canvas));
        for (number, trip) in self.trips.iter().enumerate() {
            let fixes: Vec<Position> = trip.fixes.iter().map(|&[lat, lon]| Position { lat, lon }).collect();
            let others: Vec<(&str, &[usize])> = [(name::SHORTEST, &trip.shortest), (name::COSTS, &trip.paper)]
                .into_iter()
                .filter(|(_, route)| !route.is_empty())
                .map(|(name, route)| (name, &route[..]))
                .collect();
            let picture = TripPicture {
                title: &trip.title,
                fixes: &fixes,
                truth: &trip.truth,
                truth_name: "matched route",
                forecast: &trip.forecast,
                matched: Some(trip.matched),
                others: &others,
            };
            let caption = format!(
                "Trip {}: GPS points, the matched route, the forecast of the recursive logit with more features, and those of others.",
                trip.id
            );
            figures.push(Figure::new(&format!("trip-{}", number + 1), caption, map.trip(&picture)?));
        }
        if let Some(trip) = self.trips.get(1).filter(|trip| self.prefix > 0 && self.prefix <= trip.truth.len()) {
            let (prefix, rest) = trip.truth.split_at(self.prefix);
            let picture = DestinationPicture {
                title: "Where will it end? After half of the trip",
                prefix,
                posterior: &self.posterior,
                rest,
                truth: trip.truth.last().copied(),
            };
            let caption = format!(
                "Trip {}: where it may end, by the paper's ratio with the recursive logit (more features) and where training trips ended.",
                trip.id
            );
            figures.push(Figure::new("destinations", caption, map.destinations(&picture)?));
        }
        Ok(figures)
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

/// Matches the tracks that are there, and keeps their networks.
fn tracks(case: &Case<'_>, folder: &Path) -> Result<Vec<Track>, Error> {
    let mut found = Vec::new();
    for [map, track] in case.stages.tracks() {
        let network = Network::new(&Extract::read(map, false)?, NetworkOptions::default())?;
        let roads = Roads::new(network, &[Group::Length]);
        let options = MatchOptions { least_seconds: 0.0, least_metres: 0.0, keep_cyclic: true, ..MatchOptions::default() };
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

fn id(case: &Case<'_>, trip: usize) -> String {
    case.test[trip].id.clone().unwrap_or_default()
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
