//! Groups of features, chosen by name.

use crate::error::Error;
use crate::network::Network;
use crate::osm::RoadType;

/// A road is steep if it rises by more than this share of its length.
const STEEP: f64 = 0.05;

/// A group of features. The first four are the paper's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    /// One lane, two, more: each times the length in metres. A way without the tag has one.
    Lanes,
    /// Local, major, highway, other: each times the length in metres.
    RoadType,
    /// Speed limits below 35 km/h, to 55, to 85, above, and unknown: each times the length in metres.
    Speed,
    /// Toll and no toll: each times the length in metres.
    Toll,
    /// The length in metres.
    Length,
    /// The time in seconds, at the speed limit or at the usual speed of such roads.
    Time,
    /// 1 for each link, from one junction to the next: the link constant of route-choice models. The last segment of the
    /// link has it, so that it does not depend on how the road between is drawn.
    Link,
    /// 1 for each segment, of which a road has the more the finer it is drawn.
    Segments,
    /// Metres up and metres down, from the beginning of a segment to its end: two features. They are 0 where an elevation
    /// is not known.
    Climb,
    /// Metres of road that rises by more than 5 m in 100 m.
    Steep,
    /// 1 for each segment that ends at traffic lights.
    Signals,
    /// 1 for each segment that ends at a pedestrian crossing.
    Crossings,
    /// 1 for a turn of more than 45 degrees to the left, for one to the right, and for a U-turn: three features.
    Turns,
    /// The absolute angle of a turn in radians.
    Angle,
}

impl Group {
    /// All groups.
    pub const ALL: [Group; 14] = [
        Group::Lanes,
        Group::RoadType,
        Group::Speed,
        Group::Toll,
        Group::Length,
        Group::Time,
        Group::Link,
        Group::Segments,
        Group::Climb,
        Group::Steep,
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
            Group::Segments => "segments",
            Group::Climb => "climb",
            Group::Steep => "steep",
            Group::Signals => "signals",
            Group::Crossings => "crossings",
            Group::Turns => "turns",
            Group::Angle => "angle",
        }
    }

    /// Parses a list of names such as `paper,turns`; `paper` stands for its four groups.
    ///
    /// # Errors
    /// If a name is not known, or is given twice.
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
            Group::Segments => &["segment"],
            Group::Climb => &["climb", "descent"],
            Group::Steep => &["steep"],
            Group::Signals => &["signal"],
            Group::Crossings => &["crossing"],
            Group::Turns => &["left", "right", "u_turn"],
            Group::Angle => &["angle"],
        }
    }

    /// The feature of this group that a segment has, and its value. `link_ends` says which segments are the last of a link.
    pub(super) fn of_segment(self, network: &Network, link_ends: &[bool], segment: usize) -> Option<(usize, f64)> {
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
            Group::Link => when(link_ends[segment]),
            Group::Segments => Some((0, 1.0)),
            Group::Climb => network.climb(segment).filter(|&up| up != 0.0).map(|up| (usize::from(up < 0.0), up.abs())),
            Group::Steep => network.climb(segment).filter(|up| *up > STEEP * one.length).map(|_| (0, one.length)),
            Group::Signals => when(end.signal),
            Group::Crossings => when(end.crossing),
            Group::Turns | Group::Angle => None,
        }
    }

    /// The feature of this group that a turn has, and its value.
    pub(super) fn of_turn(self, network: &Network, from: usize, to: usize) -> Option<(usize, f64)> {
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
