//! Small road networks: drawn in ASCII, or as grids.

use revealed_roads::network::{Node, Segment, WayInfo};
use revealed_roads::{Group, Network, Position, RoadType, Roads};

use crate::ascii::Plan;

/// From one node to the next, in degrees.
const STEP: f64 = 0.002;

/// Nine nodes on three lines; the middle one is a highway.
pub const NINE: &str = "
6 - 7 - 8
|   |   |
3 = 4 = 5
|   |   |
0 - 1 - 2";

/// Four nodes around a block, with a highway in the north.
pub const BLOCK: &str = "
2 = 3
|   |
0 - 1";

/// The network of a plan. All streets have two directions: state 2k + 1 is state 2k driven back.
pub fn town(drawing: &str) -> Roads {
    let plan = Plan::read(drawing);
    roads(plan.nodes.iter().map(|node| node.1).collect(), &plan.streets)
}

/// A square grid of streets; the middle street from west to east is a highway.
pub fn grid(side: usize) -> Roads {
    let at = |node: usize| [(node % side) as f64, (node / side) as f64];
    let mut streets = Vec::new();
    for node in 0..side * side {
        if node % side + 1 < side {
            streets.push((node, node + 1, node / side == side / 2));
        }
        if node / side + 1 < side {
            streets.push((node, node + side, false));
        }
    }
    roads((0..side * side).map(at).collect(), &streets)
}

/// The states along these nodes.
pub fn along(roads: &Roads, nodes: &[u32]) -> Vec<usize> {
    let find = |pair: &[u32]| roads.network.segments.iter().position(|one| (one.from, one.to) == (pair[0], pair[1]));
    nodes.windows(2).filter_map(find).collect()
}

fn roads(places: Vec<[f64; 2]>, streets: &[(usize, usize, bool)]) -> Roads {
    let node = |(id, [east, north]): (usize, &[f64; 2])| Node {
        id: id as i64,
        position: Position { lat: 41.15 + STEP * north, lon: -8.6 + STEP * east },
        signal: false,
        crossing: false,
        elevation: None,
    };
    let segment = |from: usize, to: usize, highway: bool| Segment {
        from: from as u32,
        to: to as u32,
        way: u32::from(highway),
        length: 200.0,
    };
    let both = |&(a, b, highway): &(usize, usize, bool)| [segment(a, b, highway), segment(b, a, highway)];
    let segments: Vec<Segment> = streets.iter().flat_map(both).collect();
    let mut turns = Vec::new();
    for (from, a) in segments.iter().enumerate() {
        let next = segments.iter().enumerate().filter(|(_, b)| a.to == b.from && a.from != b.to);
        turns.extend(next.map(|(to, _)| (from as u32, to as u32)));
    }
    let ways = vec![way(RoadType::Local), way(RoadType::Highway)];
    let nodes = places.iter().enumerate().map(node).collect();
    Roads::new(Network::from_parts(nodes, ways, segments, turns), &[Group::RoadType, Group::Length])
}

fn way(road_type: RoadType) -> WayInfo {
    let (lanes, speed, name) = (None, None, String::new());
    WayInfo { id: 1, highway: "road".into(), road_type, lanes, speed, toll: false, roundabout: false, name }
}
