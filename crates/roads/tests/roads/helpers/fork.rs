//! A network that fits on a page: two routes from B to D, and one way back.

use revealed::Trajectory;
use revealed_roads::network::{Node, Segment};
use revealed_roads::{Group, Network, RoadType, Roads};

use super::drawing::Drawing;
use super::scene::{plane, way};

/// B to D by C is a local road at 30 km/h, by E a motorway at 100 km/h. The other roads are major ones at 50 km/h, also
/// the one from F back to A. All roads are one-way.
const FORK: &str = r"
           C
         /   \
    A----B   D----F
         \   /
           E
";
/// Metres from column to column and from row to row.
const SCALE: [f64; 2] = [20.0, 15.0];

/// The segments by local roads and by the motorway.
pub const LOCAL: [u32; 4] = [0, 1, 2, 5];
pub const MOTORWAY: [u32; 4] = [0, 3, 4, 5];

pub fn fork() -> Roads {
    let nodes = Drawing::new(FORK).marks(|mark| mark.is_ascii_uppercase());
    let node = |&(_, [x, y]): &(char, [f64; 2])| {
        let position = plane().lift([SCALE[0] * x, SCALE[1] * y]);
        Node { id: 0, position, signal: false, crossing: false, elevation: None }
    };
    let ways = vec![way(RoadType::Major, 50.0), way(RoadType::Local, 30.0), way(RoadType::Highway, 100.0)];
    let number = |node: char| nodes.iter().position(|one| one.0 == node).unwrap() as u32;
    let segment = |(from, to, way, length): (char, char, u32, f64)| Segment { from: number(from), to: number(to), way, length };
    let segments = [
        ('A', 'B', 0, 100.0),
        ('B', 'C', 1, 50.0),
        ('C', 'D', 1, 50.0),
        ('B', 'E', 2, 80.0),
        ('E', 'D', 2, 80.0),
        ('D', 'F', 0, 100.0),
        ('F', 'A', 0, 300.0),
    ];
    let turns = vec![(0, 1), (0, 3), (1, 2), (3, 4), (2, 5), (4, 5), (5, 6), (6, 0)];
    let network = Network::from_parts(nodes.iter().map(node).collect(), ways, segments.map(segment).to_vec(), turns);
    Roads::new(network, &Group::PAPER)
}

pub fn trip(roads: &Roads, segments: &[u32]) -> Trajectory {
    roads.path(segments).unwrap()
}
