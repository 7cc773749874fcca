//! The expected flow on every road, of trips between given ends.

use std::path::Path;

use revealed::{Mdp, PathModel, Reward, RouteSums, Scenario, Work, flow_elasticities, route_flows};
use revealed_formats::{Model, Problem, atomic, csv_cell};

use crate::error::Error;
use crate::world::Roads;

/// A number of trips from one state to another.
pub type Demand = ([usize; 2], f64);

/// The expected flows of an origin-destination table. A road and its copies count together, in the place of the road.
#[derive(Debug, Clone, PartialEq)]
pub struct AssignedFlows {
    /// The flow of each state, in trips.
    pub flows: Vec<f64>,
    /// What a scenario changes, if one was asked for.
    pub changed: Option<ChangedFlows>,
    /// By features: how many per cent the flow of each state changes if the feature is 1 % larger everywhere. It is not a
    /// number where there is no flow.
    pub elasticities: Vec<(String, Vec<f64>)>,
    /// All trips.
    pub trips: f64,
    /// The metres of all trips together.
    pub metres: f64,
}

/// The flows of the same trips in another world: with a toll, or without a road.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedFlows {
    /// The flow of each state there.
    pub flows: Vec<f64>,
    /// How much larger it is than without the changes.
    pub difference: Vec<f64>,
    /// The mean length of a trip there, in km.
    pub km_per_trip: f64,
}

impl AssignedFlows {
    /// Assigns trips to the routes of a model of any length between their ends, and derives the flows by some features:
    /// a name for the column, and the number of the feature.
    ///
    /// # Errors
    /// If a state does not exist, no route leads to it, or sums over routes of any length do not exist for θ.
    pub fn new(
        roads: &Roads,
        problem: &Problem,
        model: &Model,
        paths: &PathModel<'_>,
        demand: &[Demand],
        by: &[(String, usize)],
        work: &Work,
    ) -> Result<AssignedFlows, Error> {
        let trips = to_copies(roads, (paths.mdp(), paths.reward()), demand, work)?;
        let (flows, elasticities) = match by.is_empty() {
            true => (route_flows(&problem.mdp, paths.reward(), &trips, work)?.state, Vec::new()),
            false => {
                let features: Vec<usize> = by.iter().map(|feature| feature.1).collect();
                let found = flow_elasticities(&problem.mdp, &problem.features, &model.theta, &trips, &features, work)?;
                (found.flows, found.of_features)
            }
        };
        let names = by.iter().map(|(name, _)| format!("elasticity_{name}"));
        let mut named: Vec<(String, Vec<f64>)> = names.zip(elasticities).collect();
        if roads.has_copies() {
            // The elasticity of a sum of flows is their mean, weighed by the flows.
            for (_, values) in &mut named {
                let weigh = |(value, flow): (&f64, &f64)| if *flow > 0.0 { value * flow } else { 0.0 };
                *values = roads.over_copies(values.iter().zip(&flows).map(weigh).collect());
            }
        }
        let flows = roads.over_copies(flows);
        if roads.has_copies() {
            for (_, sums) in &mut named {
                sums.iter_mut().zip(&flows).for_each(|(sum, flow)| *sum /= flow);
            }
        }
        let (metres, trips) = (metres_of(roads, &flows), trips.iter().map(|trip| trip.1).sum());
        Ok(AssignedFlows { flows, changed: None, elasticities: named, trips, metres })
    }

    /// The same, with the flows of the same trips in a scenario. θ is that of `model`.
    ///
    /// # Errors
    /// If no route is left for a trip, or sums over routes of any length do not exist in the scenario.
    pub fn in_scenario(
        self,
        roads: &Roads,
        model: &Model,
        scenario: &Scenario,
        demand: &[Demand],
        work: &Work,
    ) -> Result<AssignedFlows, Error> {
        let (mdp, reward) = (scenario.mdp(), scenario.reward(&model.theta)?);
        let lost = |[from, to]: [usize; 2]| revealed::Error::NoTripLeft { from: Some(from), to: Some(to), horizon: None };
        let is_lost = |trip: &&Demand| trip.1 > 0.0 && trip.0.iter().any(|&state| scenario.is_closed(state));
        if let Some(&(ends, _)) = demand.iter().find(is_lost) {
            return Err(lost(ends).into());
        }
        let trips = to_copies(roads, (mdp, &reward), demand, work)?;
        let flows = route_flows(mdp, &reward, &trips, work).map_err(|error| match error {
            revealed::Error::NoSum { pair: Some(pair) } => lost(pair.map(|state| roads.original(state))),
            error => error,
        })?;
        let flows = roads.over_copies(flows.state);
        let difference = flows.iter().zip(&self.flows).map(|(changed, flow)| changed - flow).collect();
        let km_per_trip = metres_of(roads, &flows) / 1000.0 / self.trips;
        Ok(AssignedFlows { changed: Some(ChangedFlows { flows, difference, km_per_trip }), ..self })
    }

    /// The mean length of a trip in km.
    pub fn km_per_trip(&self) -> f64 {
        self.metres / 1000.0 / self.trips
    }

    /// The mean number of states of a trip.
    pub fn states_per_trip(&self) -> f64 {
        self.flows.iter().sum::<f64>() / self.trips
    }

    /// The elasticity of all driven metres together: the elasticity of each road, weighed by its metres.
    pub fn of_all_metres(&self, roads: &Roads, values: &[f64]) -> f64 {
        let metres = |state: usize| self.flows[state] * roads.length(state) * values[state];
        let of = |state: usize| if self.flows[state] > 0.0 { metres(state) } else { 0.0 };
        (0..self.flows.len()).map(of).sum::<f64>() / self.metres
    }

    /// The columns: the flow, the flow in the scenario and its difference, and the elasticities.
    pub fn columns(&self) -> Vec<(&str, &[f64])> {
        let more = self.elasticities.iter().map(|(name, values)| (name.as_str(), &values[..]));
        let changed = self
            .changed
            .iter()
            .flat_map(|ChangedFlows { flows, difference, .. }| [("scenario", &flows[..]), ("difference", &difference[..])]);
        std::iter::once(("flow", &self.flows[..])).chain(changed).chain(more).collect()
    }

    /// Writes a row for each road (`.csv`).
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, roads: &Roads, path: impl AsRef<Path>) -> Result<(), Error> {
        let columns = self.columns();
        Ok(atomic::write(path, |writer| {
            let quoted = |name: &str| format!("\"{}\"", csv_cell(name).replace('"', "\"\""));
            let plain = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
            let name = |name: &str| if plain(name) { name.to_string() } else { quoted(name) };
            let names: Vec<String> = columns.iter().map(|column| name(column.0)).collect();
            writeln!(writer, "state,{}", names.join(","))?;
            roads.roads().try_for_each(|state| {
                write!(writer, "{state}")?;
                // An elasticity of no flow is not a number, and is left blank.
                columns.iter().try_for_each(|(_, values)| match values[state] {
                    value if value.is_finite() => write!(writer, ",{value}"),
                    _ => write!(writer, ","),
                })?;
                writeln!(writer)
            })
        })?)
    }
}

fn metres_of(roads: &Roads, flows: &[f64]) -> f64 {
    flows.iter().enumerate().map(|(state, flow)| flow * roads.length(state)).sum()
}

/// Divides the trips to a road with copies: a route ends on any of them, as likely as the model says.
fn to_copies(roads: &Roads, world: (&Mdp, &Reward), trips: &[Demand], work: &Work) -> Result<Vec<Demand>, Error> {
    let is_split = |state: usize| roads.copies_of(roads.original(state)).next().is_some();
    if !trips.iter().any(|trip| is_split(trip.0[1])) {
        return Ok(trips.to_vec());
    }
    let sums = RouteSums::new(world.0, world.1, work)?;
    let mut divided = Vec::with_capacity(trips.len());
    for &([from, to], weight) in trips {
        if !is_split(to) {
            divided.push(([from, to], weight));
            continue;
        }
        let (original, logs) = (roads.original(to), sums.from(from)?);
        let ends: Vec<usize> = std::iter::once(original).chain(roads.copies_of(original)).collect();
        let most = ends.iter().map(|&end| logs[end]).fold(f64::NEG_INFINITY, f64::max);
        if most == f64::NEG_INFINITY {
            // No route: the assignment says so.
            divided.push(([from, to], weight));
            continue;
        }
        let share = |end: usize| (logs[end] - most).exp();
        let sum: f64 = ends.iter().map(|&end| share(end)).sum();
        let some = ends.iter().map(|&end| ([from, end], weight * share(end) / sum)).filter(|trip| trip.1 > 0.0);
        divided.extend(some);
    }
    Ok(divided)
}
