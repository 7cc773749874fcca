//! A road network for cars.

use revealed::Cancel;

use super::parts::{Node, Segment, WayInfo};
use super::rules::Rules;
use super::split::{Split, minimise};
use super::turns::TurnCounts;
use super::way_rules::WayRules;
use super::{components, turns};
use crate::error::Error;
use crate::geometry::Position;
use crate::osm::{Extract, Profile, RoadNode, RoadWay, Source};

/// Stands for a node of the extract that is not in the network.
pub(super) const NOWHERE: u32 = u32::MAX;

/// How a network is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NetworkOptions {
    /// Allows U-turns on every two-way road; otherwise only at dead ends.
    pub u_turns: bool,
    /// Keeps segments outside the largest strongly connected component as well.
    pub keep_all: bool,
    /// Leaves out turn restrictions over a way, which need copies of segments.
    pub no_copies: bool,
}

/// A road network: directed segments are states, and the k-th of a segment's [turns](Self::turns_of) is its action k.
///
/// The last segments may be [copies](Self::original) of others. A copy is the same piece of road for those who came from
/// a certain road, and lacks a turn that a restriction over several roads forbids them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Network {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The ways.
    pub ways: Vec<WayInfo>,
    /// The segments: the states. Copies come last.
    pub segments: Vec<Segment>,
    /// The segments that the last ones are copies of, sorted.
    pub(super) copies: Vec<u32>,
    /// Where the turns of each segment begin in `next`.
    first_turn: Vec<u32>,
    /// The segment that each turn leads into.
    next: Vec<u32>,
    /// What was removed when it was made.
    pub counts: TurnCounts,
    /// The origin of its data.
    pub source: Source,
    /// Who travels on it.
    pub profile: Profile,
}

impl Network {
    /// The network of an extract: its largest strongly connected component, unless [`NetworkOptions::keep_all`] is set.
    ///
    /// # Errors
    /// If there are no roads, or no two of them are connected.
    pub fn new(extract: &Extract, options: NetworkOptions) -> Result<Network, Error> {
        let mut network = Network { source: extract.source, profile: extract.profile, ..Network::default() };
        let mut index = vec![NOWHERE; extract.nodes.len()];
        for way in &extract.ways {
            Cancel::check()?;
            network.add_way(way, extract, &mut index);
        }
        if network.segments.is_empty() {
            let who = extract.profile.travellers();
            return Err(Error::Network(format!(
                "there are no roads for {who}: no way has a tag highway of a kind that {who} use, with nodes that are in the file"
            )));
        }
        let mut barriers = vec![false; network.nodes.len()];
        for (node, &place) in extract.nodes.iter().zip(&index).filter(|(_, place)| **place != NOWHERE) {
            barriers[place as usize] = node.barrier;
        }
        let rules = Rules::new(extract, &network, &index);
        let of_ways = if options.no_copies { WayRules::default() } else { WayRules::new(extract, &network) };
        network.connect(&barriers, (&rules, &of_ways), options)
    }

    /// The network of segments from any source, without turn restrictions.
    pub(crate) fn of_segments(
        nodes: Vec<Node>,
        ways: Vec<WayInfo>,
        segments: Vec<Segment>,
        options: NetworkOptions,
    ) -> Result<Network, Error> {
        let barriers = vec![false; nodes.len()];
        let source = Source::Unknown;
        Network { nodes, ways, segments, source, ..Network::default() }.connect(
            &barriers,
            (&Rules::default(), &WayRules::default()),
            options,
        )
    }

    fn connect(
        mut self,
        barriers: &[bool],
        (rules, of_ways): (&Rules, &WayRules),
        options: NetworkOptions,
    ) -> Result<Network, Error> {
        turns::add(&mut self, barriers, rules, options.u_turns, None);
        let split = Split::new(&self, of_ways);
        self.counts.forbidden += split.forbidden;
        self.counts.unclear_rules += of_ways.unclear;
        self.counts.idle_rules += of_ways.count - of_ways.unclear - split.used;
        if options.keep_all {
            split.apply(&mut self);
            minimise(&mut self);
            return Ok(self);
        }
        // Restrictions may be why roads are not connected: what they forbid is counted before those roads are removed.
        let of_all = self.counts;
        // Where every road ahead leads out of the component, as at the edge of an extract, a U-turn is allowed as at a
        // dead end.
        turns::add(&mut self, barriers, rules, true, None);
        let alive = components::is_in_largest(&self);
        turns::add(&mut self, barriers, rules, options.u_turns, Some(&alive));
        self.counts = TurnCounts { u_turns: self.counts.u_turns, ..of_all };
        Split::new(&self, of_ways).apply(&mut self);
        let mut largest = components::largest(self)?;
        minimise(&mut largest);
        Ok(largest)
    }

    fn add_way(&mut self, way: &RoadWay, extract: &Extract, index: &mut [u32]) {
        let number = self.ways.len() as u32;
        let road = &way.road;
        self.ways.push(WayInfo {
            id: way.id,
            highway: road.highway.clone(),
            road_type: road.road_type,
            lanes: road.lanes,
            speed: road.speed,
            toll: road.toll,
            roundabout: road.roundabout,
            name: road.name.clone(),
        });
        for pair in way.nodes.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|node| &extract.nodes[node as usize]);
            // Nodes that the extract does not have leave a gap; a repeated node is not a segment.
            if pair[0] == pair[1] || !a.position.is_valid() || !b.position.is_valid() {
                continue;
            }
            let [from, to] = [pair[0], pair[1]].map(|node| {
                let (place, node) = (&mut index[node as usize], &extract.nodes[node as usize]);
                if *place == NOWHERE {
                    *place = self.nodes.len() as u32;
                    let RoadNode { id, position, signal, crossing, elevation, .. } = *node;
                    self.nodes.push(Node { id, position, signal, crossing, elevation });
                }
                *place
            });
            let length = a.position.distance(b.position);
            if road.forward {
                self.segments.push(Segment { from, to, way: number, length });
            }
            if road.backward {
                self.segments.push(Segment { from: to, to: from, way: number, length });
            }
        }
    }

    /// A network from consistent parts: the segments in any order, and the pairs of segments that are turns.
    pub fn from_parts(nodes: Vec<Node>, ways: Vec<WayInfo>, segments: Vec<Segment>, mut turns: Vec<(u32, u32)>) -> Network {
        turns.sort_unstable();
        turns.dedup();
        let mut network = Network { nodes, ways, segments, ..Network::default() };
        network.set_turns(&turns);
        network
    }

    /// Sets the turns, which are sorted.
    pub(super) fn set_turns(&mut self, sorted: &[(u32, u32)]) {
        self.first_turn = vec![0; self.segments.len() + 1];
        sorted.iter().for_each(|turn| self.first_turn[turn.0 as usize + 1] += 1);
        for segment in 0..self.segments.len() {
            self.first_turn[segment + 1] += self.first_turn[segment];
        }
        self.next = sorted.iter().map(|turn| turn.1).collect();
    }

    /// The number of segments.
    pub fn n_segments(&self) -> usize {
        self.segments.len()
    }

    /// The number of turns.
    pub fn n_turns(&self) -> usize {
        self.next.len()
    }

    /// The segments that may follow a segment.
    pub fn turns_of(&self, segment: usize) -> &[u32] {
        &self.next[self.first_turn[segment] as usize..self.first_turn[segment + 1] as usize]
    }

    /// The number of the first turn of a segment.
    pub(crate) fn first_turn_of(&self, segment: usize) -> usize {
        self.first_turn[segment] as usize
    }

    /// All turns as pairs of segments, in order.
    pub fn turns(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.segments.len()).flat_map(|from| self.turns_of(from).iter().map(move |&to| (from as u32, to)))
    }

    /// The way of a segment.
    pub fn way_of(&self, segment: usize) -> &WayInfo {
        &self.ways[self.segments[segment].way as usize]
    }

    /// The time to drive a segment, in seconds.
    pub fn seconds(&self, segment: usize) -> f64 {
        self.segments[segment].length / (self.way_of(segment).driven_speed() / 3.6)
    }

    /// The positions of the two ends of a segment.
    pub fn ends_of(&self, segment: usize) -> [Position; 2] {
        let Segment { from, to, .. } = self.segments[segment];
        [from, to].map(|node| self.nodes[node as usize].position)
    }

    /// The angle of a turn in degrees: positive to the right, 180 for a U-turn.
    pub fn turn_angle(&self, from: usize, to: usize) -> f64 {
        let [a, b] = self.ends_of(from);
        let [c, d] = self.ends_of(to);
        let bend = (c.bearing(d) - a.bearing(b)).rem_euclid(360.0);
        if bend > 180.0 { bend - 360.0 } else { bend }
    }

    /// Whether a turn goes back along the same segment of road.
    pub fn is_u_turn(&self, from: usize, to: usize) -> bool {
        let (from, to) = (&self.segments[from], &self.segments[to]);
        (from.from, from.to) == (to.to, to.from)
    }
}
