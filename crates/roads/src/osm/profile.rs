//! Who travels: by car, by bicycle or on foot.

use super::element::TagSlice;
use super::tags::{Access, NotForCars, Road, access_by, lanes, road, road_type_of};

/// The speeds of a bicycle in km/h: on a cycleway, on a road, on a path, where walkers have priority, and pushed.
const CYCLEWAY: f64 = 18.0;
const ROAD: f64 = 16.0;
const PATH: f64 = 12.0;
const AMONG_WALKERS: f64 = 8.0;
const PUSHED: f64 = 5.0;
/// A bicycle is slower by this factor where the surface is loose or cobbled.
const ROUGH: f64 = 0.7;
/// The speeds on foot in km/h: on the level, and on steps.
const WALKED: f64 = 5.0;
const STEPS: f64 = 2.5;

/// Who travels. It decides which ways are open, in which directions, and how fast they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// By car.
    #[default]
    Car,
    /// By bicycle: also on cycleways, paths and tracks, not on motorways; one-way streets as tagged for bicycles.
    Bicycle,
    /// On foot: also on footways, steps and paths, not on motorways; in both directions of one-way streets.
    Foot,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Profile; 3] = [Profile::Car, Profile::Bicycle, Profile::Foot];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Car => "car",
            Profile::Bicycle => "bicycle",
            Profile::Foot => "foot",
        }
    }

    /// Who uses the roads, as in "roads for cars".
    pub fn travellers(self) -> &'static str {
        match self {
            Profile::Car => "cars",
            Profile::Bicycle => "bicycles",
            Profile::Foot => "walkers",
        }
    }

    /// Reads the tags of a way; `None` if it has no tag `highway`. Service ways count only with `service`.
    pub(super) fn road(self, tags: TagSlice<'_>, service: bool) -> Option<Result<Road, NotForCars>> {
        match self {
            Profile::Car => road(tags, service),
            Profile::Bicycle => other_road(tags, |tags| cycled(tags, service)),
            Profile::Foot => other_road(tags, |tags| walked(tags, service)),
        }
    }

    /// The tags of access, the most specific first.
    fn access_keys(self) -> &'static [&'static str] {
        match self {
            Profile::Car => &["motorcar", "motor_vehicle", "vehicle", "access"],
            Profile::Bicycle => &["bicycle", "vehicle", "access"],
            Profile::Foot => &["foot", "access"],
        }
    }

    /// Whether a node cannot be passed. Access tags decide for all barriers; without them, the usual kind of each does.
    pub(super) fn is_barred(self, tags: TagSlice<'_>) -> bool {
        match (get(tags, "barrier"), access_by(tags, self.access_keys())) {
            (None, _) | (_, Access::Public) => false,
            (Some(_), Access::Closed) => true,
            (Some(kind), Access::Unknown) => match self {
                Profile::Car => {
                    matches!(kind, "bollard" | "block" | "jersey_barrier" | "log" | "debris" | "cycle_barrier" | "planter")
                }
                Profile::Bicycle => matches!(kind, "kissing_gate" | "stile" | "turnstile" | "full-height_turnstile"),
                Profile::Foot => false,
            },
        }
    }

    /// The suffixes of the tags `type` and `restriction` of turn restrictions that hold, the most specific first; the
    /// values of `except` that lift them.
    pub(super) fn restrictions(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Profile::Car => (&[":motorcar", ":motor_vehicle", ":vehicle", ""], &["motorcar", "motor_vehicle"]),
            Profile::Bicycle => (&[":bicycle", ":vehicle", ""], &["bicycle"]),
            Profile::Foot => (&[":foot"], &[]),
        }
    }
}

fn get<'t>(tags: TagSlice<'t>, key: &str) -> Option<&'t str> {
    tags.iter().find(|tag| tag.0 == key).map(|tag| tag.1)
}

fn is_any(value: Option<&str>, known: &[&str]) -> bool {
    value.is_some_and(|value| known.contains(&value))
}

/// A way that is open: its speed, and its directions.
struct Open {
    speed: f64,
    forward: bool,
    backward: bool,
}

fn other_road(
    tags: TagSlice<'_>,
    open: impl FnOnce(TagSlice<'_>) -> Result<Open, NotForCars>,
) -> Option<Result<Road, NotForCars>> {
    let highway = get(tags, "highway")?;
    if get(tags, "area") == Some("yes") {
        return Some(Err(NotForCars::Area));
    }
    Some(open(tags).map(|Open { speed, forward, backward }| Road {
        highway: highway.to_string(),
        road_type: road_type_of(highway),
        lanes: get(tags, "lanes").and_then(lanes),
        speed: Some(speed),
        toll: false,
        forward,
        backward,
        roundabout: is_any(get(tags, "junction"), &["roundabout", "circular"]),
        name: get(tags, "name").unwrap_or_default().to_string(),
    }))
}

/// Values of an access tag by which a way of another kind is open, too.
const WELCOME: [&str; 5] = ["yes", "designated", "permissive", "destination", "official"];

fn cycled(tags: TagSlice<'_>, service: bool) -> Result<Open, NotForCars> {
    let highway = get(tags, "highway").unwrap_or_default();
    let (bicycle, kind) = (get(tags, "bicycle"), highway.strip_suffix("_link").unwrap_or(highway));
    let is_welcome = is_any(bicycle, &WELCOME);
    let speed = match kind {
        "cycleway" => CYCLEWAY,
        "path" | "track" | "living_street" => PATH,
        "footway" | "pedestrian" | "bridleway" if is_welcome || bicycle == Some("dismount") => AMONG_WALKERS,
        "trunk" | "primary" | "secondary" | "tertiary" | "residential" | "unclassified" | "road" => ROAD,
        "service" if service => PATH,
        _ => return Err(NotForCars::Kind),
    };
    let closed = access_by(tags, Profile::Bicycle.access_keys()) == Access::Closed && bicycle != Some("dismount");
    if closed || bicycle == Some("use_sidepath") || get(tags, "motorroad") == Some("yes") && !is_welcome {
        return Err(NotForCars::Access);
    }
    let rough = ["unpaved", "gravel", "dirt", "ground", "grass", "sand", "mud", "earth", "cobblestone", "sett", "pebblestone"];
    let surface = if is_any(get(tags, "surface"), &rough) { ROUGH } else { 1.0 };
    let speed = if bicycle == Some("dismount") { PUSHED } else { surface * speed };
    let opposite = is_any(get(tags, "cycleway"), &["opposite", "opposite_lane", "opposite_track"]);
    let implied = is_any(get(tags, "junction"), &["roundabout", "circular"]);
    let (forward, backward) = match ["oneway:bicycle", "oneway"].into_iter().find_map(|key| get(tags, key)) {
        Some("yes" | "true" | "1") => (true, opposite),
        Some("-1" | "reverse") => (opposite, true),
        Some("no" | "false" | "0") => (true, true),
        _ => (true, !implied),
    };
    Ok(Open { speed, forward, backward })
}

fn walked(tags: TagSlice<'_>, service: bool) -> Result<Open, NotForCars> {
    let highway = get(tags, "highway").unwrap_or_default();
    let is_welcome = is_any(get(tags, "foot"), &WELCOME);
    let beside = is_any(get(tags, "sidewalk"), &["yes", "both", "left", "right"]);
    let speed = match highway.strip_suffix("_link").unwrap_or(highway) {
        "steps" => STEPS,
        "trunk" if !(is_welcome || beside) => return Err(NotForCars::Access),
        "footway" | "pedestrian" | "path" | "track" | "living_street" | "residential" | "unclassified" | "road" => WALKED,
        "trunk" | "primary" | "secondary" | "tertiary" => WALKED,
        "cycleway" | "bridleway" if is_welcome => WALKED,
        "service" if service => WALKED,
        _ => return Err(NotForCars::Kind),
    };
    let closed = access_by(tags, Profile::Foot.access_keys()) == Access::Closed;
    if closed || get(tags, "motorroad") == Some("yes") && !is_welcome {
        return Err(NotForCars::Access);
    }
    let (forward, backward) = match get(tags, "oneway:foot") {
        Some("yes" | "true" | "1") => (true, false),
        Some("-1" | "reverse") => (false, true),
        _ => (true, true),
    };
    Ok(Open { speed, forward, backward })
}
