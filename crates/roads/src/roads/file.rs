//! A road network as a file: a problem with the roads beside it.

use std::collections::HashMap;
use std::path::Path;

use revealed_formats::{Addition, ProblemColumns, load_additions};

use super::Roads;
use crate::chains::Chains;
use crate::error::{Error, Fault};
use crate::features::RoadFeatures;
use crate::geometry::Position;
use crate::network::{Network, Node, Segment, WayInfo};
use crate::source::Source;
use crate::tags::road_type_of;

/// How the names of the arrays begin.
const BEGINNING: &str = "roads.";
/// Stands for "not tagged".
const UNKNOWN: f64 = -1.0;
/// Where the segments of each chain begin, and the segments: in a compressed network alone.
const OFFSETS: &str = "chain.offsets";
const SEGMENTS: &str = "chain.segments";
/// Where the data is from; files of old do not say.
const SOURCE: &str = "source";

impl Roads {
    /// Writes an `.npz` file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        if path.extension().is_none_or(|extension| extension != "npz") {
            return Err(Fault::Content("a road network is an .npz file: give it such a name".to_string()).of(path));
        }
        let mut columns = self.columns();
        columns.additions = additions(&self.network);
        let source = self.network.source.name().to_string();
        columns.additions.push((format!("{BEGINNING}{SOURCE}"), Addition::Texts(vec![source])));
        if let Some(chains) = &self.chains {
            let integers = |list: &[u32]| Addition::Integers(list.iter().map(|&entry| i64::from(entry)).collect());
            columns.additions.push((format!("{BEGINNING}{OFFSETS}"), integers(chains.offsets())));
            columns.additions.push((format!("{BEGINNING}{SEGMENTS}"), integers(chains.segments())));
        }
        Ok(columns.save(path)?)
    }

    /// Reads what [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// If it is no such file.
    pub fn load(path: impl AsRef<Path>) -> Result<Roads, Error> {
        let path = path.as_ref();
        let columns = ProblemColumns::load(path)?;
        let wrong = |what: String| Fault::Content(what).of(path);
        if let Err(fault) = columns.build() {
            return Err(wrong(fault.to_string()));
        }
        let found = load_additions(path, BEGINNING)?;
        if found.is_empty() {
            return Err(wrong("it is a problem without a road network: make one with `revealed roads import`".to_string()));
        }
        let found = found.into_iter().collect();
        let (mut network, chains) = network(&found, &columns).map_err(wrong)?;
        network.source = source(&found).map_err(wrong)?;
        let features = RoadFeatures {
            names: columns.names.clone(),
            of_segments: columns.state_features.rows().map(|([state, feature], value)| (state, feature, value)).collect(),
            of_turns: columns.transition_features.rows().map(|([turn, feature], value)| (turn, feature, value)).collect(),
        };
        Ok(Roads { network, features, chains })
    }
}

fn additions(network: &Network) -> Vec<(String, Addition)> {
    let mut found = Vec::new();
    let mut add = |name: &str, addition| found.push((format!("{BEGINNING}{name}"), addition));
    let of_nodes = |value: fn(&Node) -> f64| Addition::Floats(network.nodes.iter().map(value).collect());
    add("node.lat", of_nodes(|node| node.position.lat));
    add("node.lon", of_nodes(|node| node.position.lon));
    let of_nodes = |value: fn(&Node) -> i64| Addition::Integers(network.nodes.iter().map(value).collect());
    add("node.id", of_nodes(|node| node.id));
    add("node.signal", of_nodes(|node| i64::from(node.signal)));
    add("node.crossing", of_nodes(|node| i64::from(node.crossing)));
    let of_segments = |value: fn(&Segment) -> u32| {
        Addition::Integers(network.segments.iter().map(|segment| i64::from(value(segment))).collect())
    };
    add("segment.from", of_segments(|segment| segment.from));
    add("segment.to", of_segments(|segment| segment.to));
    add("segment.way", of_segments(|segment| segment.way));
    add("segment.length", Addition::Floats(network.segments.iter().map(|segment| segment.length).collect()));
    let of_ways = |value: fn(&WayInfo) -> i64| Addition::Integers(network.ways.iter().map(value).collect());
    add("way.id", of_ways(|way| way.id));
    add("way.lanes", of_ways(|way| way.lanes.map_or(UNKNOWN as i64, i64::from)));
    add("way.toll", of_ways(|way| i64::from(way.toll)));
    add("way.roundabout", of_ways(|way| i64::from(way.roundabout)));
    add("way.speed", Addition::Floats(network.ways.iter().map(|way| way.speed.unwrap_or(UNKNOWN)).collect()));
    // A name stands once, however many ways have it: arrays of texts are as wide as the longest.
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

fn network(found: &HashMap<String, Addition>, columns: &ProblemColumns) -> Result<(Network, Option<Chains>), String> {
    let get = |name: &str| {
        let name = format!("{BEGINNING}{name}");
        found.get(&name).ok_or_else(|| format!("the array {name:?} is missing: import the network again"))
    };
    let wrong = |name: &str| format!("the array \"{BEGINNING}{name}\" is of the wrong kind: import the network again");
    let integers = |name: &str| get(name)?.integers().ok_or_else(|| wrong(name));
    let floats = |name: &str| get(name)?.floats().ok_or_else(|| wrong(name));
    let texts = |name: &str| get(name)?.texts().ok_or_else(|| wrong(name));
    let same = |name: &str, found: usize, expected: usize| match found == expected {
        true => Ok(()),
        false => Err(format!("the array \"{BEGINNING}{name}\" has {found} entries, and {expected} are expected")),
    };
    let index = |name: &str, entry: usize, value: i64, count: usize| {
        let found = usize::try_from(value).ok().filter(|&value| value < count);
        found.ok_or_else(|| format!("entry {entry} of \"{BEGINNING}{name}\" is {value}, and there are {count}"))
    };

    let (lat, lon) = (floats("node.lat")?, floats("node.lon")?);
    let (ids, signals, crossings) = (integers("node.id")?, integers("node.signal")?, integers("node.crossing")?);
    for (name, length) in
        [("node.lon", lon.len()), ("node.id", ids.len()), ("node.signal", signals.len()), ("node.crossing", crossings.len())]
    {
        same(name, length, lat.len())?;
    }
    let node = |at: usize| {
        let position = Position { lat: lat[at], lon: lon[at] };
        match position.is_valid() {
            true => Ok(Node { id: ids[at], position, signal: signals[at] != 0, crossing: crossings[at] != 0 }),
            false => Err(format!("node {at} is at ({}, {}), which is no place", lat[at], lon[at])),
        }
    };
    let nodes: Vec<Node> = (0..lat.len()).map(node).collect::<Result<_, String>>()?;

    let (way_ids, lanes, tolls, circles) =
        (integers("way.id")?, integers("way.lanes")?, integers("way.toll")?, integers("way.roundabout")?);
    let (speeds, names_of, kinds_of) = (floats("way.speed")?, integers("way.name")?, integers("way.highway")?);
    let (names, kinds) = (texts("names")?, texts("highways")?);
    for (name, length) in [
        ("way.lanes", lanes.len()),
        ("way.toll", tolls.len()),
        ("way.roundabout", circles.len()),
        ("way.speed", speeds.len()),
        ("way.name", names_of.len()),
        ("way.highway", kinds_of.len()),
    ] {
        same(name, length, way_ids.len())?;
    }
    let way = |at: usize| -> Result<WayInfo, String> {
        let highway = kinds[index("way.highway", at, kinds_of[at], kinds.len())?].clone();
        Ok(WayInfo {
            id: way_ids[at],
            road_type: road_type_of(&highway),
            highway,
            lanes: u32::try_from(lanes[at]).ok(),
            speed: Some(speeds[at]).filter(|&speed| speed > 0.0),
            toll: tolls[at] != 0,
            roundabout: circles[at] != 0,
            name: names[index("way.name", at, names_of[at], names.len())?].clone(),
        })
    };
    let ways: Vec<WayInfo> = (0..way_ids.len()).map(way).collect::<Result<_, String>>()?;

    let (from, to) = (integers("segment.from")?, integers("segment.to")?);
    let (way_of, lengths) = (integers("segment.way")?, floats("segment.length")?);
    for (name, length) in [("segment.to", to.len()), ("segment.way", way_of.len()), ("segment.length", lengths.len())] {
        same(name, length, from.len())?;
    }
    let segment = |at: usize| -> Result<Segment, String> {
        let length = lengths[at];
        if !(length.is_finite() && length >= 0.0) {
            return Err(format!("segment {at} is {length} m long"));
        }
        Ok(Segment {
            from: index("segment.from", at, from[at], nodes.len())? as u32,
            to: index("segment.to", at, to[at], nodes.len())? as u32,
            way: index("segment.way", at, way_of[at], ways.len())? as u32,
            length,
        })
    };
    let segments: Vec<Segment> = (0..from.len()).map(segment).collect::<Result<_, String>>()?;
    let written = match found.contains_key(&format!("{BEGINNING}{OFFSETS}")) {
        true => Some(chains(integers(OFFSETS)?, integers(SEGMENTS)?, segments.len())?),
        false => None,
    };
    let n_states = written.as_ref().map_or(segments.len(), Vec::len);
    if n_states as i64 != columns.n_states {
        return Err(format!("it has {n_states} segments or chains, and the problem has {} states", columns.n_states));
    }
    let [first, last] = [|chain: &Vec<u32>| chain[0], |chain: &Vec<u32>| chain[chain.len() - 1]].map(|end| {
        let written = &written;
        move |state: usize| written.as_ref().map_or(state as u32, |chains| end(&chains[state]))
    });
    let mut turns: Vec<(u32, u32)> = columns.transitions.rows().map(|([from, _, to], _)| (last(from), first(to))).collect();
    turns.extend(written.iter().flatten().flat_map(|chain| chain.windows(2)).map(|pair| (pair[0], pair[1])));
    let network = Network::from_parts(nodes, ways, segments, turns);
    let chains = written.as_ref().map(|_| Chains::new(&network));
    let as_made = |chains: &Chains| (0..chains.len()).map(|chain| chains.segments_of(chain)).eq(written.iter().flatten());
    if chains.as_ref().is_some_and(|chains| !as_made(chains)) {
        return Err("its chains are not those of its network: import the network again".to_string());
    }
    // Features of turns go by their rows, and actions by their order: another order would be another world.
    let turns_of = |state: usize| match &chains {
        Some(chains) => chains.turns_of(state),
        None => network.turns_of(state),
    };
    let expected =
        (0..n_states).flat_map(|from| turns_of(from).iter().enumerate().map(move |(action, &to)| [from, action, to as usize]));
    if !columns.transitions.rows().map(|row| row.0).eq(expected) {
        return Err("its transitions are not in the order of segments and turns: import the network again".to_string());
    }
    Ok((network, chains))
}

/// Where the data is from: OpenStreetMap, unless it says so.
fn source(found: &HashMap<String, Addition>) -> Result<Source, String> {
    let Some(array) = found.get(&format!("{BEGINNING}{SOURCE}")) else { return Ok(Source::OpenStreetMap) };
    let known = |name: &String| Source::ALL.into_iter().find(|source| source.name() == name);
    let source = array.texts().and_then(|texts| texts.first()).and_then(known);
    source.ok_or_else(|| format!("the array \"{BEGINNING}{SOURCE}\" has no source that is known: import the network again"))
}

/// The segments of each chain, each of them once.
fn chains(offsets: &[i64], segments: &[i64], n_segments: usize) -> Result<Vec<Vec<u32>>, String> {
    let fits = offsets.first() == Some(&0)
        && offsets.last() == Some(&(segments.len() as i64))
        && offsets.windows(2).all(|pair| pair[0] < pair[1]);
    let mut sorted = segments.to_vec();
    sorted.sort_unstable();
    if !fits || !sorted.into_iter().eq(0..n_segments as i64) {
        return Err(format!("\"{BEGINNING}{OFFSETS}\" and \"{BEGINNING}{SEGMENTS}\" do not have every segment once"));
    }
    let chain = |pair: &[i64]| segments[pair[0] as usize..pair[1] as usize].iter().map(|&segment| segment as u32).collect();
    Ok(offsets.windows(2).map(chain).collect())
}
