//! GraphHopper: a custom model, with rules for speeds, priorities and turns.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::agreement::EngineAgreement;
use super::costs::RoadCosts;
use super::road_class::{RoadClass, RoadClasses};
use crate::error::Error;

/// The features that rules can express.
const KNOWN: [&str; 20] = [
    "lanes_1",
    "lanes_2",
    "lanes_more",
    "local",
    "major",
    "highway",
    "other",
    "speed_below_35",
    "speed_35_55",
    "speed_55_85",
    "speed_above_85",
    "speed_unknown",
    "toll",
    "no_toll",
    "length",
    "time",
    "left",
    "right",
    "u_turn",
    "angle",
];
/// A turn to the side is one of more degrees, as in the features.
const SIDE: f64 = 45.0;
/// The width of the rules for the angle of a turn, in degrees.
const WIDTH: i32 = 15;

/// A custom model of GraphHopper. Its weight of an edge is distance / (speed · priority), in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphHopperModel {
    /// The model, as GraphHopper reads it.
    pub json: Value,
    /// The seconds of weight of a unit of cost.
    pub scale: f64,
    /// The number of classes of roads that it distinguishes.
    pub n_classes: usize,
    /// How well its costs of segments agree with the learned ones.
    pub agreement: EngineAgreement,
    /// What it cannot say.
    pub lost: Vec<String>,
}

/// The sums over the segments of a class.
#[derive(Default)]
struct Sums {
    metres: f64,
    seconds: f64,
    cost: f64,
}

impl Sums {
    /// The speed in km/h.
    fn speed(&self) -> f64 {
        3.6 * self.metres / self.seconds
    }

    /// The seconds of driving for a unit of cost.
    fn seconds_per_cost(&self) -> f64 {
        self.seconds / self.cost
    }
}

impl GraphHopperModel {
    /// The model of these costs. Roads are distinguished by what the features with a weight distinguish, and other
    /// features count by their mean on such roads.
    ///
    /// # Errors
    /// If the network is not for cars.
    pub fn new(costs: &RoadCosts<'_>) -> Result<GraphHopperModel, Error> {
        costs.check_cars("GraphHopper")?;
        let (network, classes) = (&*costs.network, RoadClasses::new(costs));
        let class_of: Vec<RoadClass> = (0..network.n_segments()).map(|segment| classes.of(network.way_of(segment))).collect();
        let (mut sums, mut all): (BTreeMap<&RoadClass, Sums>, Sums) = Default::default();
        for (segment, class) in class_of.iter().enumerate() {
            for sum in [sums.entry(class).or_default(), &mut all] {
                sum.metres += network.segments[segment].length;
                sum.seconds += network.seconds(segment);
                sum.cost += costs.of_segments[segment];
            }
        }
        sums.retain(|_, sum| sum.metres > 0.0 && sum.cost > 0.0);
        // The largest priority is 1.
        let scale = sums.values().map(Sums::seconds_per_cost).fold(0.0, f64::max);
        let priority = |sum: &Sums| sum.seconds_per_cost() / scale;
        let of_class = |class: &RoadClass| sums.get(class).map_or(0.0, |sum| sum.cost / sum.metres);
        let engine: Vec<f64> =
            class_of.iter().zip(&network.segments).map(|(class, segment)| of_class(class) * segment.length).collect();
        let access = json!({ "if": "!car_access", "multiply_by": "0" });
        let mut model = Map::new();
        model.insert("distance_influence".to_string(), json!(0));
        let speeds = rules(&classes, &sums, &all, "limit_to", Sums::speed);
        model.insert("speed".to_string(), Value::Array(speeds));
        let priorities = rules(&classes, &sums, &all, "multiply_by", |sum| priority(sum).min(1.0));
        model.insert("priority".to_string(), Value::Array(priorities.into_iter().chain([access]).collect()));
        let (turns, mut lost) = (turn_rules(costs, scale), Vec::new());
        if !turns.is_empty() {
            model.insert("turn_penalty".to_string(), Value::Array(turns));
            lost.push(
                "turns need turn_costs in the profile; bends inside an edge count by their mean on such roads".to_string(),
            );
        }
        lost.extend(told(costs));
        let agreement = EngineAgreement::new(&costs.of_segments, &engine);
        Ok(GraphHopperModel { json: Value::Object(model), scale, n_classes: sums.len(), agreement, lost })
    }
}

/// A rule for each class of roads, and one for roads of other classes, which get the mean of all.
fn rules(
    classes: &RoadClasses,
    sums: &BTreeMap<&RoadClass, Sums>,
    all: &Sums,
    operation: &str,
    value: impl Fn(&Sums) -> f64,
) -> Vec<Value> {
    let rule = |(place, (class, sum)): (usize, (&&RoadClass, &Sums))| {
        let when = if place == 0 { "if" } else { "else_if" };
        json!({ when: classes.condition(class), operation: number(value(sum)) })
    };
    let last = json!({ "else": "", operation: number(value(all)) });
    sums.iter().enumerate().map(rule).chain([last]).collect()
}

/// A number as GraphHopper reads it: a text without an exponent.
fn number(value: f64) -> String {
    format!("{value:.12}").trim_end_matches('0').trim_end_matches('.').to_string()
}

/// The rules of turns: by direction, and in steps of some degrees if the angle matters. A turn cannot cost less than
/// nothing.
fn turn_rules(costs: &RoadCosts<'_>, scale: f64) -> Vec<Value> {
    let [left, right, back, angle] = ["left", "right", "u_turn", "angle"].map(|name| -costs.weight(name));
    if [left, right, back, angle].iter().all(|&cost| cost == 0.0) {
        return Vec::new();
    }
    let mut bounds = vec![-180, -45, 45, 180];
    if angle != 0.0 {
        bounds = (-180..=180).step_by(WIDTH as usize).collect();
    }
    let mut rules = Vec::new();
    for pair in bounds.windows(2) {
        let middle = f64::from(pair[0] + pair[1]) / 2.0;
        let side = if middle < -SIDE {
            left
        } else if middle > SIDE {
            right
        } else {
            0.0
        };
        let seconds = scale * (side + angle * middle.abs().to_radians()).max(0.0);
        let when = if rules.is_empty() { "if" } else { "else_if" };
        // A turn of exactly 45 degrees is not one to the side.
        let [low, high] = [if middle > 0.0 { ">" } else { ">=" }, if middle < 0.0 { "<" } else { "<=" }];
        let condition = format!("change_angle {low} {} && change_angle {high} {}", pair[0], pair[1]);
        rules.push(json!({ when: condition, "add": number(seconds) }));
    }
    let back = scale * (back + angle * std::f64::consts::PI).max(0.0);
    rules.push(json!({ "else": "", "add": number(back) }));
    rules
}

/// What the model cannot say.
fn told(costs: &RoadCosts<'_>) -> Vec<String> {
    let mut lost = Vec::new();
    let others = costs.others(&KNOWN);
    if !others.is_empty() {
        let what = "GraphHopper has no such attribute of a road, so that each counts by its mean on roads of a class";
        lost.push(format!("{}: {what}", others.join(", ")));
    }
    if costs.weight("angle") != 0.0 {
        lost.push(format!("angle: turns are in steps of {WIDTH} degrees"));
    }
    let negative: Vec<&str> =
        ["left", "right", "u_turn", "angle"].into_iter().filter(|name| costs.weight(name) > 0.0).collect();
    if !negative.is_empty() {
        lost.push(format!("{}: a turn cannot cost less than nothing", negative.join(", ")));
    }
    lost
}
