//! The arrays of a road network in its file.

use std::collections::HashMap;

use revealed_formats::Addition;

use crate::geometry::Position;
use crate::network::{Network, Node, Segment, WayInfo};
use crate::osm::road_type_of;

/// The prefix of the names of the arrays.
pub(super) const PREFIX: &str = "roads.";
/// The segments that the last ones are copies of. Files of networks without copies do not have it.
const COPIES: &str = "segment.copy_of";
/// The elevations of nodes in metres, NaN where they are not known. Files without any do not have it.
const ELEVATIONS: &str = "node.elevation";
/// Stands for a value that is not tagged.
const UNKNOWN: f64 = -1.0;

/// The arrays of a network, with their names.
pub(super) fn arrays_of(network: &Network) -> Vec<(String, Addition)> {
    let mut found = Vec::new();
    let mut add = |name: &str, addition| found.push((format!("{PREFIX}{name}"), addition));
    let of_nodes = |value: fn(&Node) -> f64| Addition::Floats(network.nodes.iter().map(value).collect());
    add("node.lat", of_nodes(|node| node.position.lat));
    add("node.lon", of_nodes(|node| node.position.lon));
    let of_nodes = |value: fn(&Node) -> i64| Addition::Integers(network.nodes.iter().map(value).collect());
    add("node.id", of_nodes(|node| node.id));
    add("node.signal", of_nodes(|node| i64::from(node.signal)));
    add("node.crossing", of_nodes(|node| i64::from(node.crossing)));
    if network.nodes.iter().any(|node| node.elevation.is_some()) {
        let heights = network.nodes.iter().map(|node| node.elevation.unwrap_or(f64::NAN));
        add(ELEVATIONS, Addition::Floats(heights.collect()));
    }
    let of_segments = |value: fn(&Segment) -> u32| {
        Addition::Integers(network.segments.iter().map(|segment| i64::from(value(segment))).collect())
    };
    add("segment.from", of_segments(|segment| segment.from));
    add("segment.to", of_segments(|segment| segment.to));
    add("segment.way", of_segments(|segment| segment.way));
    add("segment.length", Addition::Floats(network.segments.iter().map(|segment| segment.length).collect()));
    if !network.copies().is_empty() {
        add(COPIES, Addition::Integers(network.copies().iter().map(|&original| i64::from(original)).collect()));
    }
    let of_ways = |value: fn(&WayInfo) -> i64| Addition::Integers(network.ways.iter().map(value).collect());
    add("way.id", of_ways(|way| way.id));
    add("way.lanes", of_ways(|way| way.lanes.map_or(UNKNOWN as i64, i64::from)));
    add("way.toll", of_ways(|way| i64::from(way.toll)));
    add("way.roundabout", of_ways(|way| i64::from(way.roundabout)));
    add("way.speed", Addition::Floats(network.ways.iter().map(|way| way.speed.unwrap_or(UNKNOWN)).collect()));
    // Each name is written once, however many ways have it: all entries of an array of texts take the space of the
    // longest.
    for (name, text) in [("name", (|way| &way.name) as fn(&WayInfo) -> &String), ("highway", |way| &way.highway)] {
        let mut places = HashMap::new();
        let mut texts = Vec::new();
        let place_of = |way: &WayInfo| {
            *places.entry(text(way).clone()).or_insert_with(|| {
                texts.push(text(way).clone());
                texts.len() as i64 - 1
            })
        };
        let indices = network.ways.iter().map(place_of).collect();
        add(&format!("way.{name}"), Addition::Integers(indices));
        add(&format!("{name}s"), Addition::Texts(texts));
    }
    found
}

/// The arrays of a file, by their names.
pub(super) struct Arrays {
    found: HashMap<String, Addition>,
}

impl Arrays {
    pub fn new(found: Vec<(String, Addition)>) -> Arrays {
        Arrays { found: found.into_iter().collect() }
    }

    /// An array that may be absent.
    pub fn maybe(&self, name: &str) -> Option<&Addition> {
        self.found.get(&format!("{PREFIX}{name}"))
    }

    fn get(&self, name: &str) -> Result<&Addition, String> {
        self.maybe(name).ok_or_else(|| format!("the array \"{PREFIX}{name}\" is missing: import the network again"))
    }

    pub fn integers(&self, name: &str) -> Result<&[i64], String> {
        self.get(name)?.integers().ok_or_else(|| wrong_kind(name))
    }

    fn floats(&self, name: &str) -> Result<&[f64], String> {
        self.get(name)?.floats().ok_or_else(|| wrong_kind(name))
    }

    fn texts(&self, name: &str) -> Result<&[String], String> {
        self.get(name)?.texts().ok_or_else(|| wrong_kind(name))
    }

    pub fn nodes(&self) -> Result<Vec<Node>, String> {
        let (lat, lon) = (self.floats("node.lat")?, self.floats("node.lon")?);
        let (ids, signals) = (self.integers("node.id")?, self.integers("node.signal")?);
        let crossings = self.integers("node.crossing")?;
        let lengths = [lon.len(), ids.len(), signals.len(), crossings.len()];
        same_lengths(["node.lon", "node.id", "node.signal", "node.crossing"], lengths, lat.len())?;
        let heights = self.maybe(ELEVATIONS).map(|found| found.floats().ok_or_else(|| wrong_kind(ELEVATIONS))).transpose()?;
        same_lengths([ELEVATIONS], [heights.map_or(lat.len(), <[f64]>::len)], lat.len())?;
        let node = |at: usize| {
            let position = Position { lat: lat[at], lon: lon[at] };
            match position.is_valid() {
                true => {
                    let elevation = heights.map(|heights| heights[at]).filter(|height| height.is_finite());
                    Ok(Node { id: ids[at], position, signal: signals[at] != 0, crossing: crossings[at] != 0, elevation })
                }
                false => Err(format!("node {at} is at ({}, {}), which is out of range", lat[at], lon[at])),
            }
        };
        (0..lat.len()).map(node).collect()
    }

    pub fn ways(&self) -> Result<Vec<WayInfo>, String> {
        let (ids, lanes) = (self.integers("way.id")?, self.integers("way.lanes")?);
        let (tolls, circles) = (self.integers("way.toll")?, self.integers("way.roundabout")?);
        let speeds = self.floats("way.speed")?;
        let (names_of, kinds_of) = (self.integers("way.name")?, self.integers("way.highway")?);
        let (names, kinds) = (self.texts("names")?, self.texts("highways")?);
        let lengths = [lanes.len(), tolls.len(), circles.len(), speeds.len(), names_of.len(), kinds_of.len()];
        let array_names = ["way.lanes", "way.toll", "way.roundabout", "way.speed", "way.name", "way.highway"];
        same_lengths(array_names, lengths, ids.len())?;
        let way = |at: usize| -> Result<WayInfo, String> {
            let highway = kinds[index("way.highway", at, kinds_of[at], kinds.len())?].clone();
            Ok(WayInfo {
                id: ids[at],
                road_type: road_type_of(&highway),
                highway,
                lanes: u32::try_from(lanes[at]).ok(),
                speed: Some(speeds[at]).filter(|&speed| speed > 0.0),
                toll: tolls[at] != 0,
                roundabout: circles[at] != 0,
                name: names[index("way.name", at, names_of[at], names.len())?].clone(),
            })
        };
        (0..ids.len()).map(way).collect()
    }

    /// The segments that the last of `n_segments` are copies of.
    pub fn copies(&self, n_segments: usize) -> Result<Vec<u32>, String> {
        if self.maybe(COPIES).is_none() {
            return Ok(Vec::new());
        }
        let found = self.integers(COPIES)?.iter().enumerate();
        found.map(|(at, &original)| Ok(index(COPIES, at, original, n_segments)? as u32)).collect()
    }

    pub fn segments(&self, n_nodes: usize, n_ways: usize) -> Result<Vec<Segment>, String> {
        let (from, to) = (self.integers("segment.from")?, self.integers("segment.to")?);
        let (ways, metres) = (self.integers("segment.way")?, self.floats("segment.length")?);
        let lengths = [to.len(), ways.len(), metres.len()];
        same_lengths(["segment.to", "segment.way", "segment.length"], lengths, from.len())?;
        let segment = |at: usize| -> Result<Segment, String> {
            let length = metres[at];
            if !(length.is_finite() && length >= 0.0) {
                return Err(format!("segment {at} is {length} m long"));
            }
            Ok(Segment {
                from: index("segment.from", at, from[at], n_nodes)? as u32,
                to: index("segment.to", at, to[at], n_nodes)? as u32,
                way: index("segment.way", at, ways[at], n_ways)? as u32,
                length,
            })
        };
        (0..from.len()).map(segment).collect()
    }
}

fn wrong_kind(name: &str) -> String {
    format!("the array \"{PREFIX}{name}\" is of the wrong kind: import the network again")
}

fn same_lengths<const N: usize>(names: [&str; N], found: [usize; N], expected: usize) -> Result<(), String> {
    match names.iter().zip(found).find(|(_, found)| *found != expected) {
        None => Ok(()),
        Some((name, found)) => Err(format!("the array \"{PREFIX}{name}\" has {found} entries, and {expected} are expected")),
    }
}

/// An entry that is an index into something with `count` entries.
fn index(name: &str, entry: usize, value: i64, count: usize) -> Result<usize, String> {
    let found = usize::try_from(value).ok().filter(|&value| value < count);
    found.ok_or_else(|| format!("entry {entry} of \"{PREFIX}{name}\" is {value}, and there are {count}"))
}
