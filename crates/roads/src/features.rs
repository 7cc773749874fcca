//! What a driver may care about: features of segments and turns, chosen by name.

use crate::error::Error;
use crate::network::Network;
use crate::tags::RoadType;

/// A group of features. Those of the first four times the length in metres are the paper's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    /// One lane, two, more: each times the length. A way without the tag has one.
    Lanes,
    /// Local, major, highway, other: each times the length.
    RoadType,
    /// Speed limits below 35 km/h, to 55, to 85, above, and unknown: each times the length.
    Speed,
    /// Toll and no toll: each times the length.
    Toll,
    /// The length in metres.
    Length,
    /// The time in seconds, at the limit or at what is usual on such roads.
    Time,
    /// 1 for each segment: the link constant of route-choice models.
    Link,
    /// 1 for each segment that ends at traffic lights.
    Signals,
    /// 1 for each segment that ends at a crossing for people on foot.
    Crossings,
    /// 1 for a turn of more than 45 degrees to the left, to the right, and for a U-turn.
    Turns,
    /// The angle of a turn in radians, without its sign.
    Angle,
}

impl Group {
    /// Every one.
    pub const ALL: [Group; 11] = [
        Group::Lanes,
        Group::RoadType,
        Group::Speed,
        Group::Toll,
        Group::Length,
        Group::Time,
        Group::Link,
        Group::Signals,
        Group::Crossings,
        Group::Turns,
        Group::Angle,
    ];

    /// The paper's 14 features.
    pub const PAPER: [Group; 4] = [Group::Lanes, Group::RoadType, Group::Speed, Group::Toll];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Group::Lanes => "lanes",
            Group::RoadType => "type",
            Group::Speed => "speed",
            Group::Toll => "toll",
            Group::Length => "length",
            Group::Time => "time",
            Group::Link => "link",
            Group::Signals => "signals",
            Group::Crossings => "crossings",
            Group::Turns => "turns",
            Group::Angle => "angle",
        }
    }

    /// The groups of a list of names such as `paper,turns`; `paper` stands for its four.
    ///
    /// # Errors
    /// If a name is not known, or stands there twice.
    pub fn parse(list: &str) -> Result<Vec<Group>, Error> {
        let mut groups = Vec::new();
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let named: Vec<Group> = match name {
                "paper" => Group::PAPER.to_vec(),
                name => Group::ALL.into_iter().filter(|group| group.name() == name).collect(),
            };
            if named.is_empty() {
                let known = Group::ALL.map(Group::name).join(", ");
                return Err(Error::Network(format!("there is no feature {name:?}: choose among paper, {known}")));
            }
            if let Some(twice) = named.iter().find(|group| groups.contains(*group)) {
                return Err(Error::Network(format!("the feature {:?} is chosen twice", twice.name())));
            }
            groups.extend(named);
        }
        if groups.is_empty() {
            return Err(Error::Network("no feature is chosen: give some, such as paper".to_string()));
        }
        Ok(groups)
    }

    /// The names of its features.
    pub fn features(self) -> &'static [&'static str] {
        match self {
            Group::Lanes => &["lanes_1", "lanes_2", "lanes_more"],
            Group::RoadType => &["local", "major", "highway", "other"],
            Group::Speed => &["speed_below_35", "speed_35_55", "speed_55_85", "speed_above_85", "speed_unknown"],
            Group::Toll => &["toll", "no_toll"],
            Group::Length => &["length"],
            Group::Time => &["time"],
            Group::Link => &["link"],
            Group::Signals => &["signal"],
            Group::Crossings => &["crossing"],
            Group::Turns => &["left", "right", "u_turn"],
            Group::Angle => &["angle"],
        }
    }

    /// Which of its features a segment has, and how much of it.
    fn of_segment(self, network: &Network, segment: usize) -> Option<(usize, f64)> {
        let (one, way) = (&network.segments[segment], network.way_of(segment));
        let end = &network.nodes[one.to as usize];
        let when = |is: bool| is.then_some((0, 1.0));
        match self {
            Group::Lanes => Some((way.lanes.unwrap_or(1).clamp(1, 3) as usize - 1, one.length)),
            Group::RoadType => {
                let place = RoadType::ALL.iter().position(|one| *one == way.road_type)?;
                Some((place, one.length))
            }
            Group::Speed => {
                let class = match way.speed {
                    None => 4,
                    Some(speed) if speed < 35.0 => 0,
                    Some(speed) if speed <= 55.0 => 1,
                    Some(speed) if speed <= 85.0 => 2,
                    Some(_) => 3,
                };
                Some((class, one.length))
            }
            Group::Toll => Some((usize::from(!way.toll), one.length)),
            Group::Length => Some((0, one.length)),
            Group::Time => Some((0, network.seconds(segment))),
            Group::Link => Some((0, 1.0)),
            Group::Signals => when(end.signal),
            Group::Crossings => when(end.crossing),
            Group::Turns | Group::Angle => None,
        }
    }

    /// The same of a turn.
    fn of_turn(self, network: &Network, from: usize, to: usize) -> Option<(usize, f64)> {
        let angle = || network.turn_angle(from, to);
        match self {
            Group::Turns if network.is_u_turn(from, to) => Some((2, 1.0)),
            Group::Turns => match angle() {
                bend if bend < -45.0 => Some((0, 1.0)),
                bend if bend > 45.0 => Some((1, 1.0)),
                _ => None,
            },
            Group::Angle => Some((0, angle().abs().to_radians())).filter(|entry| entry.1 > 0.0),
            _ => None,
        }
    }
}

/// The features of a network as sparse rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RoadFeatures {
    /// Their names.
    pub names: Vec<String>,
    /// (segment, feature, value).
    pub of_segments: Vec<(usize, usize, f64)>,
    /// (turn, feature, value).
    pub of_turns: Vec<(usize, usize, f64)>,
}

impl RoadFeatures {
    /// The features of these groups.
    pub fn new(network: &Network, groups: &[Group]) -> RoadFeatures {
        let mut made = RoadFeatures::default();
        for group in groups {
            let first = made.names.len();
            made.names.extend(group.features().iter().map(ToString::to_string));
            let segments = (0..network.n_segments()).filter_map(|segment| Some((segment, group.of_segment(network, segment)?)));
            made.of_segments.extend(segments.map(|(segment, (place, value))| (segment, first + place, value)));
            let turns = network.turns().enumerate();
            let turns =
                turns.filter_map(|(turn, (from, to))| Some((turn, group.of_turn(network, from as usize, to as usize)?)));
            made.of_turns.extend(turns.map(|(turn, (place, value))| (turn, first + place, value)));
        }
        made.of_segments.sort_unstable_by_key(|row| (row.0, row.1));
        made.of_turns.sort_unstable_by_key(|row| (row.0, row.1));
        made
    }

    /// Adds a feature of the user's own: a number for each segment.
    ///
    /// # Errors
    /// If it has not one number for each segment, all finite, or the name is taken.
    pub fn add(&mut self, name: &str, values: &[f64], n_segments: usize) -> Result<(), Error> {
        if self.names.iter().any(|known| known == name) {
            return Err(Error::Network(format!("the feature {name:?} is there already: call it something else")));
        }
        if values.len() != n_segments {
            return Err(Error::Network(format!(
                "the feature {name:?} has {} values, but there are {n_segments} segments",
                values.len()
            )));
        }
        if let Some(segment) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::Network(format!(
                "the feature {name:?} of segment {segment} is {}: it must be a number",
                values[segment]
            )));
        }
        let feature = self.names.len();
        self.names.push(name.to_string());
        let some = values.iter().enumerate().filter(|entry| *entry.1 != 0.0);
        self.of_segments.extend(some.map(|(segment, &value)| (segment, feature, value)));
        self.of_segments.sort_unstable_by_key(|row| (row.0, row.1));
        Ok(())
    }
}
