//! The tags of a way: whether cars may use it, and how.

/// The paper's four types of roads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RoadType {
    /// Residential streets, living streets and unclassified roads.
    Local,
    /// Primary, secondary and tertiary roads.
    Major,
    /// Motorways and trunk roads.
    Highway,
    /// Everything else: service ways, roads of unknown kind.
    Other,
}

impl RoadType {
    /// All of them, in the order of the paper's features.
    pub const ALL: [RoadType; 4] = [RoadType::Local, RoadType::Major, RoadType::Highway, RoadType::Other];

    /// The name in features and tables.
    pub fn name(self) -> &'static str {
        match self {
            RoadType::Local => "local",
            RoadType::Major => "major",
            RoadType::Highway => "highway",
            RoadType::Other => "other",
        }
    }

    /// The type for a value of the tag `highway`; `None` if cars do not use such ways.
    fn of(highway: &str, service: bool) -> Option<RoadType> {
        match highway.strip_suffix("_link").unwrap_or(highway) {
            "motorway" | "trunk" => Some(RoadType::Highway),
            "primary" | "secondary" | "tertiary" => Some(RoadType::Major),
            "residential" | "living_street" | "unclassified" => Some(RoadType::Local),
            "road" => Some(RoadType::Other),
            "service" if service => Some(RoadType::Other),
            _ => None,
        }
    }
}

/// A way that cars may use.
#[derive(Debug, Clone, PartialEq)]
pub struct Road {
    /// The value of the tag `highway`.
    pub highway: String,
    /// Its type in the paper.
    pub road_type: RoadType,
    /// The lanes of both directions together, as tagged.
    pub lanes: Option<u32>,
    /// The speed limit in km/h.
    pub speed: Option<f64>,
    /// Whether it has a toll.
    pub toll: bool,
    /// Whether it may be driven in the order of its nodes.
    pub forward: bool,
    /// Whether it may be driven against the order of its nodes.
    pub backward: bool,
    /// Whether it is a part of a roundabout.
    pub roundabout: bool,
    /// Its name; empty if it has none.
    pub name: String,
}

/// Why a way with a tag `highway` is not a road for cars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotForCars {
    /// Footways, tracks, building sites and the like.
    Kind,
    /// It is closed to cars, or private.
    Access,
    /// An area, such as a square.
    Area,
    /// Its direction changes with the time of day.
    Reversible,
}

/// Reads the tags of a way; `None` if it has no tag `highway`. Service ways (car parks, drives) count only with
/// `service`.
pub fn road(tags: &[(&str, &str)], service: bool) -> Option<Result<Road, NotForCars>> {
    let get = |key: &str| tags.iter().find(|tag| tag.0 == key).map(|tag| tag.1);
    let highway = get("highway")?;
    let Some(road_type) = RoadType::of(highway, service) else { return Some(Err(NotForCars::Kind)) };
    if get("area") == Some("yes") {
        return Some(Err(NotForCars::Area));
    }
    if access(tags) == Access::Closed {
        return Some(Err(NotForCars::Access));
    }
    let roundabout = matches!(get("junction"), Some("roundabout" | "circular"));
    let implied = roundabout || highway == "motorway";
    let oneway = ["oneway:motorcar", "oneway:motor_vehicle", "oneway:vehicle", "oneway"].into_iter().find_map(get);
    let (forward, backward) = match oneway {
        Some("yes" | "true" | "1") => (true, false),
        Some("-1" | "reverse") => (false, true),
        Some("no" | "false" | "0") => (true, true),
        Some("reversible" | "alternating") => return Some(Err(NotForCars::Reversible)),
        _ => (true, !implied),
    };
    Some(Ok(Road {
        highway: highway.to_string(),
        road_type,
        lanes: get("lanes").and_then(lanes),
        speed: ["maxspeed:motorcar", "maxspeed"].into_iter().find_map(get).and_then(speed),
        toll: ["toll:motorcar", "toll"].into_iter().find_map(get).is_some_and(|toll| toll != "no"),
        forward,
        backward,
        roundabout,
        name: get("name").unwrap_or_default().to_string(),
    }))
}

/// Access for cars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// All cars, at least to reach a destination on it.
    Public,
    /// No cars, or only some.
    Closed,
    /// The tags do not say, or exclude no cars.
    Unknown,
}

/// What tags say about access for cars. The most specific tag decides: a private road may be open to cars.
pub(crate) fn access(tags: &[(&str, &str)]) -> Access {
    access_by(tags, &["motorcar", "motor_vehicle", "vehicle", "access"])
}

/// What tags say about access by the first of these keys that they have.
pub(super) fn access_by(tags: &[(&str, &str)], keys: &[&str]) -> Access {
    let get = |key: &&str| tags.iter().find(|tag| tag.0 == *key).map(|tag| tag.1);
    let Some(list) = keys.iter().find_map(get) else { return Access::Unknown };
    let has = |known: &[&str]| list.split(';').any(|value| known.contains(&value.trim()));
    if has(&["yes", "permissive", "designated", "destination", "public", "official"]) {
        Access::Public
    } else if has(&["no", "private", "permit", "agricultural", "forestry", "emergency", "delivery", "military"]) {
        Access::Closed
    } else {
        Access::Unknown
    }
}

/// The paper's type of a road in a network, by its value of the tag `highway`.
pub(crate) fn road_type_of(highway: &str) -> RoadType {
    RoadType::of(highway, true).unwrap_or(RoadType::Other)
}

/// Parses lanes: "2", or "2;3" where two ways were joined.
pub(crate) fn lanes(value: &str) -> Option<u32> {
    let first = value.split([';', ',']).next()?.trim();
    let number: f64 = first.parse().ok()?;
    (1.0..=99.0).contains(&number).then_some(number.round() as u32)
}

/// Parses a speed limit such as "50", "30 mph" or "PT:urban", in km/h.
pub(crate) fn speed(value: &str) -> Option<f64> {
    let first = value.split([';', ',']).next()?.trim();
    let split = first.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(first.len());
    let (number, unit) = (first[..split].parse::<f64>().ok(), first[split..].trim());
    let speed = match (number, unit) {
        (Some(number), "" | "km/h" | "kmh" | "kph") => number,
        (Some(number), "mph") => 1.609_344 * number,
        (Some(number), "knots") => 1.852 * number,
        (None, "walk") => 7.0,
        (None, "none") => 130.0,
        // "DE:zone:30" and "PT:zone30".
        (None, place) if place.contains(":zone") => {
            let number: f64 = place.split_once(":zone")?.1.trim_start_matches(':').parse().ok()?;
            if place.starts_with("GB:") { 1.609_344 * number } else { number }
        }
        (None, place) => match place.rsplit(':').next()? {
            "living_street" => 20.0,
            "urban" => 50.0,
            "rural" => 90.0,
            "trunk" => 100.0,
            "motorway" => 120.0,
            _ => return None,
        },
        _ => return None,
    };
    (1.0..=300.0).contains(&speed).then_some(speed)
}

/// The usual speed in km/h where no limit is tagged, by the value of the tag `highway`.
pub fn usual_speed(highway: &str) -> f64 {
    match highway {
        "motorway" => 110.0,
        "trunk" => 85.0,
        "motorway_link" | "trunk_link" => 60.0,
        "primary" | "primary_link" => 55.0,
        "secondary" | "secondary_link" => 50.0,
        "tertiary" | "tertiary_link" => 45.0,
        "living_street" => 15.0,
        "service" => 15.0,
        _ => 35.0,
    }
}

/// The elevation in metres in a tag `ele`, which may be in feet.
pub(super) fn elevation(value: &str) -> Option<f64> {
    let value = value.trim();
    let (number, metres) = match value.strip_suffix("ft").or_else(|| value.strip_suffix('\'')) {
        Some(feet) => (feet, 0.3048),
        None => (value.strip_suffix('m').unwrap_or(value), 1.0),
    };
    number.trim().parse::<f64>().ok().map(|number| number * metres).filter(|metres| metres.abs() < 20_000.0)
}
