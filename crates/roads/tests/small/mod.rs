//! Small road networks for tests, drawn in metres.
#![allow(dead_code, reason = "each test file uses a part")]

use revealed_roads::network::{Node, Segment, WayInfo};
use revealed_roads::{Fix, Network, Plane, Position, RoadType, Trip};

/// The plane in which maps of tests are drawn.
pub fn plane() -> Plane {
    Plane::at(Position { lat: 41.15, lon: -8.61 })
}

/// A network of nodes at (east, north) metres and roads between them: `(a, b, true)` may be driven both ways. U-turns at dead ends only.
pub fn network(nodes: &[[f64; 2]], roads: &[(u32, u32, bool)]) -> Network {
    let at = |place: &[f64; 2]| plane().lift(*place);
    let node = |(id, place): (usize, &[f64; 2])| Node { id: id as i64, position: at(place), signal: false, crossing: false };
    let way = WayInfo {
        id: 1,
        highway: "residential".to_string(),
        road_type: RoadType::Local,
        lanes: None,
        speed: Some(36.0),
        toll: false,
        roundabout: false,
        name: String::new(),
    };
    let mut segments = Vec::new();
    for &(a, b, both) in roads {
        let length = at(&nodes[a as usize]).distance(at(&nodes[b as usize]));
        segments.push(Segment { from: a, to: b, way: 0, length });
        if both {
            segments.push(Segment { from: b, to: a, way: 0, length });
        }
    }
    let mut turns = Vec::new();
    for (from, one) in segments.iter().enumerate() {
        let out: Vec<usize> = (0..segments.len()).filter(|&to| segments[to].from == one.to).collect();
        let back = |to: usize| segments[to].to == one.from;
        let end = out.iter().all(|&to| back(to));
        turns.extend(out.into_iter().filter(|&to| end || !back(to)).map(|to| (from as u32, to as u32)));
    }
    Network::from_parts(nodes.iter().enumerate().map(node).collect(), vec![way], segments, turns)
}

/// The segments that visit these nodes in turn.
pub fn way(network: &Network, nodes: &[u32]) -> Vec<u32> {
    let segment = |pair: &[u32]| {
        let found = network.segments.iter().position(|segment| (segment.from, segment.to) == (pair[0], pair[1]));
        found.expect("there is such a segment") as u32
    };
    nodes.windows(2).map(segment).collect()
}

/// A trip with a fix every 15 seconds at (east, north) metres.
pub fn trip(places: &[[f64; 2]]) -> Trip {
    let fix = |(at, place): (usize, &[f64; 2])| Fix { position: plane().lift(*place), seconds: Some(15.0 * at as f64) };
    Trip { id: "trip".to_string(), fixes: places.iter().enumerate().map(fix).collect(), missing: false }
}

/// A grid of streets, `side` nodes by `side`, `block` metres apart: node `side * row + column`.
pub fn grid(side: u32, block: f64) -> Network {
    let nodes: Vec<[f64; 2]> = (0..side * side).map(|n| [f64::from(n % side) * block, f64::from(n / side) * block]).collect();
    let right = (0..side * side).filter(|n| n % side + 1 < side).map(|n| (n, n + 1, true));
    let up = (0..side * (side - 1)).map(|n| (n, n + side, true));
    network(&nodes, &right.chain(up).collect::<Vec<_>>())
}

/// Data that is not ours to hand on, where it is present.
pub fn shared(path: &str) -> Option<std::path::PathBuf> {
    let full = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(path);
    if !full.exists() {
        eprintln!("skipped: {} is not here", full.display());
    }
    full.exists().then_some(full)
}
