//! Small networks and trips in metres, drawn or given by coordinates.

use revealed_roads::network::{Node, Segment, WayInfo};
use revealed_roads::{Fix, Network, Plane, Position, RoadType, Trip};

use super::drawing::Drawing;

/// The plane in which the maps of tests are drawn.
pub fn plane() -> Plane {
    Plane::at(Position { lat: 41.15, lon: -8.61 })
}

/// A drawing to scale: capital letters are nodes, and digits are fixes.
pub struct Scene {
    pub network: Network,
    fixes: Vec<(char, [f64; 2])>,
}

impl Scene {
    /// Metres from column to column and from row to row, and the drawing.
    pub fn new([column, row]: [f64; 2], drawing: &str) -> Scene {
        let drawing = Drawing::new(drawing);
        let is_node = |mark: char| mark.is_ascii_uppercase();
        let metres = |(mark, [x, y]): (char, [f64; 2])| (mark, [column * x, row * y]);
        let nodes: Vec<(char, [f64; 2])> = drawing.marks(is_node).into_iter().map(metres).collect();
        let number = |node: char| nodes.iter().position(|one| one.0 == node).unwrap() as u32;
        let streets: Vec<(u32, u32, bool)> =
            drawing.streets(is_node).into_iter().map(|(a, b, both)| (number(a), number(b), both)).collect();
        let places: Vec<[f64; 2]> = nodes.iter().map(|node| node.1).collect();
        assert!(nodes.iter().map(|node| node.0).eq(('A'..='Z').take(nodes.len())), "nodes are A, B, C and so on");
        let fixes = drawing.marks(|mark| mark.is_ascii_digit()).into_iter().map(metres).collect();
        Scene { network: network(&places, &streets), fixes }
    }

    /// The segments through these nodes.
    pub fn route(&self, nodes: &str) -> Vec<u32> {
        route(&self.network, &nodes.bytes().map(|node| u32::from(node - b'A')).collect::<Vec<_>>())
    }

    /// A trip with these fixes, every 15 seconds.
    pub fn trip(&self, fixes: &str) -> Trip {
        let place = |fix: char| self.fixes.iter().find(|one| one.0 == fix).expect("the fix is drawn").1;
        trip(&fixes.chars().map(place).collect::<Vec<_>>())
    }
}

/// A network of nodes at (east, north) metres and streets between them: `(a, b, true)` is driven both ways. U-turns are
/// at dead ends only.
pub fn network(nodes: &[[f64; 2]], streets: &[(u32, u32, bool)]) -> Network {
    let at = |place: &[f64; 2]| plane().lift(*place);
    let node = |(id, place): (usize, &[f64; 2])| Node {
        id: id as i64,
        position: at(place),
        signal: false,
        crossing: false,
        elevation: None,
    };
    let mut segments = Vec::new();
    for &(a, b, both) in streets {
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
    let nodes = nodes.iter().enumerate().map(node).collect();
    Network::from_parts(nodes, vec![way(RoadType::Local, 36.0)], segments, turns)
}

/// A way of which only the type and the speed limit are known.
pub fn way(road_type: RoadType, speed: f64) -> WayInfo {
    WayInfo {
        id: 1,
        highway: "residential".to_string(),
        road_type,
        lanes: None,
        speed: Some(speed),
        toll: false,
        roundabout: false,
        name: String::new(),
    }
}

/// The segments that visit these nodes in turn.
pub fn route(network: &Network, nodes: &[u32]) -> Vec<u32> {
    let segment = |pair: &[u32]| {
        let found = network.segments.iter().position(|segment| (segment.from, segment.to) == (pair[0], pair[1]));
        found.expect("there is such a segment") as u32
    };
    nodes.windows(2).map(segment).collect()
}

/// A trip with a fix every 15 seconds at (east, north) metres.
pub fn trip(places: &[[f64; 2]]) -> Trip {
    let fix = |(at, place): (usize, &[f64; 2])| Fix { position: plane().lift(*place), seconds: Some(15.0 * at as f64) };
    Trip { id: "trip".to_string(), fixes: places.iter().enumerate().map(fix).collect(), ..Trip::default() }
}

/// A grid of streets, `side` nodes by `side`, `block` metres apart: node `side * row + column`.
pub fn grid(side: u32, block: f64) -> Network {
    let nodes: Vec<[f64; 2]> = (0..side * side).map(|n| [f64::from(n % side) * block, f64::from(n / side) * block]).collect();
    let right = (0..side * side).filter(|n| n % side + 1 < side).map(|n| (n, n + 1, true));
    let up = (0..side * (side - 1)).map(|n| (n, n + side, true));
    network(&nodes, &right.chain(up).collect::<Vec<_>>())
}

/// Two such grids that no road connects, the second one so many metres to the east. Its nodes follow those of the first.
pub fn two_grids(n: u32, block: f64, east: f64) -> Network {
    let near = grid(n, block);
    let mut nodes = near.nodes.clone();
    let mut segments = near.segments.clone();
    let first = nodes.len() as u32;
    for node in &near.nodes {
        let [x, y] = plane().project(node.position);
        nodes.push(Node { position: plane().lift([x + east, y]), ..*node });
    }
    for segment in &near.segments {
        let mut moved = segment.clone();
        (moved.from, moved.to) = (segment.from + first, segment.to + first);
        segments.push(moved);
    }
    let m = near.n_segments() as u32;
    let turns = near.turns().flat_map(|(from, to)| [(from, to), (from + m, to + m)]).collect();
    Network::from_parts(nodes, near.ways.clone(), segments, turns)
}
