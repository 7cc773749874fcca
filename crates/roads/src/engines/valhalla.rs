//! Valhalla: the options of its costing `auto`.

use serde_json::{Value, json};

use super::agreement::EngineAgreement;
use super::costs::RoadCosts;
use crate::error::Error;
use crate::network::WayInfo;

/// The speed in m/s by which Valhalla turns metres into seconds.
const SPEED: f64 = 16.0;
/// The range of its factor for motorways, and of that for tolls.
const HIGHWAYS: [f64; 2] = [-0.125, 8.0];
const TOLLS: [f64; 2] = [-0.015, 4.0];

/// The options of Valhalla's costing `auto` that come closest to the learned costs.
///
/// Its cost of an edge is (seconds · (1 − u) + metres / 16 · u) · (1 + h · motorway + t · toll), where u is
/// `use_distance`, h depends on `use_highways` and t on `use_tolls`, and trunk roads count as half a motorway.
#[derive(Debug, Clone, PartialEq)]
pub struct ValhallaOptions {
    /// A part of a request: `costing` and `costing_options`.
    pub json: Value,
    /// Valhalla's cost of a unit of learned cost.
    pub scale: f64,
    /// How well its costs of segments agree with the learned ones.
    pub agreement: EngineAgreement,
    /// What it cannot say.
    pub lost: Vec<String>,
}

impl ValhallaOptions {
    /// The options for these costs. Time and distance are fitted to the costs of roads that are neither motorways nor
    /// have a toll, by least squares; the two factors then make the mean cost of the others right.
    ///
    /// # Errors
    /// If the network is not for cars.
    pub fn new(costs: &RoadCosts<'_>) -> Result<ValhallaOptions, Error> {
        costs.check_cars("Valhalla")?;
        let network = &*costs.network;
        let rows: Vec<Row> = (0..network.n_segments())
            .map(|segment| {
                let way = network.way_of(segment);
                let metres = network.segments[segment].length / SPEED;
                Row {
                    seconds: network.seconds(segment),
                    metres,
                    motorway: motorway(way),
                    toll: way.toll,
                    cost: costs.of_segments[segment],
                }
            })
            .collect();
        let plain = |row: &&Row| row.motorway == 0.0 && !row.toll;
        let usual: Vec<&Row> =
            if rows.iter().any(|row| plain(&row)) { rows.iter().filter(plain).collect() } else { rows.iter().collect() };
        let [time, distance] = fitted(&usual);
        let use_distance = distance / (time + distance);
        let base = |row: &Row| (1.0 - use_distance) * row.seconds + use_distance * row.metres;
        let scale = 1.0 / (time + distance);
        // Such that the costs of these roads have the right sum, given the other factor.
        let excess = |is: &dyn Fn(&Row) -> f64, other: &dyn Fn(&Row) -> f64| -> Option<f64> {
            let sum = |value: &dyn Fn(&Row) -> f64| rows.iter().filter(|row| is(row) > 0.0).map(value).sum::<f64>();
            let size = sum(&|row| is(row) * base(row));
            (size > 0.0).then(|| sum(&|row| scale * row.cost - base(row) * (1.0 + other(row))) / size)
        };
        let highways =
            excess(&|row| if row.toll { 0.0 } else { row.motorway }, &|_| 0.0).map(|h| h.clamp(HIGHWAYS[0], HIGHWAYS[1]));
        let of_highways = |row: &Row| highways.unwrap_or(0.0) * row.motorway;
        let tolls = excess(&|row| f64::from(row.toll), &of_highways).map(|t| t.clamp(TOLLS[0], TOLLS[1]));
        let engine: Vec<f64> = rows
            .iter()
            .map(|row| base(row) * (1.0 + of_highways(row) + tolls.unwrap_or(0.0) * f64::from(row.toll)) / scale)
            .collect();
        let mut options = json!({ "use_distance": use_distance });
        if let Some(factor) = highways {
            options["use_highways"] = json!(use_highways(factor));
        }
        if let Some(factor) = tolls {
            options["use_tolls"] = json!(use_tolls(factor));
        }
        Ok(ValhallaOptions {
            json: json!({ "costing": "auto", "costing_options": { "auto": options } }),
            scale,
            agreement: EngineAgreement::new(&costs.of_segments, &engine),
            lost: told(costs),
        })
    }
}

struct Row {
    seconds: f64,
    /// Divided by [`SPEED`].
    metres: f64,
    motorway: f64,
    toll: bool,
    cost: f64,
}

/// Valhalla's share of a motorway.
fn motorway(way: &WayInfo) -> f64 {
    match way.highway.strip_suffix("_link").unwrap_or(&way.highway) {
        "motorway" => 1.0,
        "trunk" => 0.5,
        _ => 0.0,
    }
}

/// The weights of time and distance that come closest to the costs, none of them negative.
fn fitted(rows: &[&Row]) -> [f64; 2] {
    let sum = |value: &dyn Fn(&Row) -> f64| rows.iter().map(|row| value(row)).sum::<f64>();
    let [tt, td, dd] =
        [sum(&|row| row.seconds * row.seconds), sum(&|row| row.seconds * row.metres), sum(&|row| row.metres * row.metres)];
    let [tc, dc] = [sum(&|row| row.seconds * row.cost), sum(&|row| row.metres * row.cost)];
    let determinant = tt * dd - td * td;
    let [time, distance] = [(dd * tc - td * dc) / determinant, (tt * dc - td * tc) / determinant];
    // Where all speeds are the same, both are one thing.
    if determinant <= 1e-9 * tt * dd || distance <= 0.0 {
        [tc / tt, 0.0]
    } else if time <= 0.0 {
        [0.0, dc / dd]
    } else {
        [time, distance]
    }
}

/// The option whose factor this is: 8 (1 − 2x)² below one half, and (½ − x)³ above.
fn use_highways(factor: f64) -> f64 {
    if factor > 0.0 { (1.0 - (factor / HIGHWAYS[1]).sqrt()) / 2.0 } else { 0.5 + (-factor).cbrt() }
}

/// The option whose factor this is: 4 − 8x below one half, and 0.03 (½ − x) above.
fn use_tolls(factor: f64) -> f64 {
    if factor > 0.0 { (TOLLS[1] - factor) / 8.0 } else { 0.5 - factor / 0.03 }
}

fn told(costs: &RoadCosts<'_>) -> Vec<String> {
    let mut lost =
        vec!["Valhalla has its own costs of turns, of dense places and of slow roads, which no option turns off".to_string()];
    let others = costs.others(&["length", "time", "toll", "no_toll", "highway"]);
    if !others.is_empty() {
        lost.push(format!("{}: only as far as time, distance, motorways and tolls stand for them", others.join(", ")));
    }
    lost
}
