//! Roads as GraphHopper distinguishes them.

use super::costs::RoadCosts;
use crate::network::WayInfo;

/// GraphHopper's speed limit of roads without one; newer versions have infinity.
const NO_LIMIT: f64 = 150.0;
/// The limits between the speeds of the group of features `speed`.
const SPEEDS: [f64; 3] = [35.0, 55.0, 85.0];

/// The attributes of roads by which the learned costs differ.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RoadClasses {
    /// The distinct speed limits, if the time matters.
    limits: Option<Vec<f64>>,
    speeds: bool,
    lanes: bool,
    toll: bool,
}

/// The attributes of one road; `None` where they do not matter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RoadClass {
    /// GraphHopper's name, and whether it is a ramp.
    kind: String,
    ramp: bool,
    toll: Option<bool>,
    lanes: Option<u8>,
    /// The place among the limits of speed; the last is that of roads without a limit.
    speed: Option<usize>,
}

impl RoadClasses {
    /// What the features with a weight distinguish.
    pub fn new(costs: &RoadCosts<'_>) -> RoadClasses {
        let matters = |names: &[&str]| names.iter().any(|name| costs.weight(name) != 0.0);
        let limits = matters(&["time"]).then(|| {
            let mut limits: Vec<f64> = costs.network.ways.iter().filter_map(|way| way.speed).collect();
            limits.sort_by(f64::total_cmp);
            limits.dedup();
            limits
        });
        RoadClasses {
            limits,
            speeds: matters(&["speed_below_35", "speed_35_55", "speed_55_85", "speed_above_85", "speed_unknown"]),
            lanes: matters(&["lanes_1", "lanes_2", "lanes_more"]),
            toll: matters(&["toll", "no_toll"]),
        }
    }

    /// The class of a way.
    pub fn of(&self, way: &WayInfo) -> RoadClass {
        let kind = way.highway.strip_suffix("_link").unwrap_or(&way.highway);
        let speed = match (&self.limits, way.speed) {
            (Some(limits), None) => Some(limits.len()),
            (Some(limits), Some(speed)) => Some(limits.partition_point(|&limit| limit < speed)),
            (None, None) => self.speeds.then_some(SPEEDS.len() + 1),
            // As the features have it: below 35, to 55, to 85, above.
            (None, Some(speed)) => {
                self.speeds.then(|| usize::from(speed >= SPEEDS[0]) + SPEEDS[1..].iter().filter(|&&most| speed > most).count())
            }
        };
        RoadClass {
            kind: kind.to_uppercase(),
            ramp: kind.len() < way.highway.len(),
            toll: self.toll.then_some(way.toll),
            lanes: self.lanes.then(|| way.lanes.unwrap_or(1).clamp(1, 3) as u8),
            speed,
        }
    }

    /// The condition of a class in GraphHopper's language.
    pub fn condition(&self, class: &RoadClass) -> String {
        let ramp = if class.ramp { "road_class_link" } else { "!road_class_link" };
        let mut terms = vec![format!("road_class == {}", class.kind), ramp.to_string()];
        terms.extend(class.toll.map(|toll| format!("toll {} ALL", if toll { "==" } else { "!=" })));
        terms.extend(class.lanes.map(|lanes| match lanes {
            1 => "lanes < 2".to_string(),
            2 => "lanes >= 2 && lanes < 3".to_string(),
            _ => "lanes >= 3".to_string(),
        }));
        terms.extend(class.speed.and_then(|place| match &self.limits {
            Some(limits) => between(limits, place),
            None => groups(place),
        }));
        terms.join(" && ")
    }
}

/// The speed limit at a place of a list. GraphHopper rounds limits, so the borders are halfway to the neighbours.
fn between(limits: &[f64], place: usize) -> Option<String> {
    let Some(&limit) = limits.get(place) else { return Some(format!("max_speed >= {NO_LIMIT}")) };
    let below = place.checked_sub(1).map(|before| format!("max_speed >= {}", (limits[before] + limit) / 2.0));
    let next = limits.get(place + 1).copied().unwrap_or(2.0 * NO_LIMIT - limit).max(limit);
    let above = format!("max_speed < {}", (limit + next) / 2.0);
    Some(below.into_iter().chain([above]).collect::<Vec<_>>().join(" && "))
}

/// The speed limits of a group of the features `speed`.
fn groups(place: usize) -> Option<String> {
    Some(match place {
        0 => format!("max_speed < {}", SPEEDS[0]),
        1 => format!("max_speed >= {} && max_speed <= {}", SPEEDS[0], SPEEDS[1]),
        2 => format!("max_speed > {} && max_speed <= {}", SPEEDS[1], SPEEDS[2]),
        3 => format!("max_speed > {} && max_speed < {NO_LIMIT}", SPEEDS[2]),
        _ => format!("max_speed >= {NO_LIMIT}"),
    })
}
