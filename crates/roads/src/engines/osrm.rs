//! OSRM: a table of segments and a table of turns, which `osrm-customize` and `osrm-contract` read.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use revealed_formats::atomic;

use super::costs::RoadCosts;
use crate::error::Error;
use crate::geometry::Position;
use crate::network::{Network, Segment};

/// OSRM keeps weights as whole multiples of 0.1 (`weight_precision = 1`), and at least that.
const STEP: f64 = 0.1;
/// The largest weights that it can store.
const MOST_OF_SEGMENT: f64 = 419_430.0;
const MOST_OF_TURN: f64 = 3_276.0;
/// The mean weight of a segment, unless a larger one would not fit. It is a thousand steps, so little is lost.
const MEAN: f64 = 100.0;

/// The weights of segments and turns for OSRM: learned costs times a factor.
#[derive(Debug, Clone, PartialEq)]
pub struct OsrmTables {
    /// By the ids of both nodes: the speed in km/h, and the rate in metres per unit of weight.
    segments: BTreeMap<[i64; 2], [f64; 2]>,
    /// By the ids of the nodes before, at and after the turn: the weight.
    turns: BTreeMap<[i64; 3], f64>,
    /// The weight of a unit of cost.
    pub scale: f64,
    /// What the tables cannot say.
    pub lost: Vec<String>,
}

impl OsrmTables {
    /// The tables of these costs.
    ///
    /// # Errors
    /// If the network is not from OpenStreetMap's data, whose ids OSRM knows.
    pub fn new(costs: &RoadCosts<'_>) -> Result<OsrmTables, Error> {
        let network: &Network = &costs.network;
        if let Some(node) = network.nodes.iter().find(|node| node.id < 0) {
            let message =
                format!("node {} has no id of OpenStreetMap, by which OSRM knows nodes: import an OpenStreetMap file", node.id);
            return Err(Error::Network(message));
        }
        let scale = scale_of(costs);
        let mut tables = OsrmTables { segments: BTreeMap::new(), turns: BTreeMap::new(), scale, lost: Vec::new() };
        let (mut parallel, mut pointlike) = (0, 0);
        for (segment, ends) in network.segments.iter().enumerate() {
            let length = length(network, segment);
            pointlike += usize::from(length == 0.0);
            // A segment that is a point to OSRM has the least weight there, whatever the rate.
            let rate = length.max(1e-3) / (scale * costs.of_segments[segment]).max(STEP);
            let row = [network.way_of(segment).driven_speed().round().max(1.0), rate];
            let key = [ends.from, ends.to].map(|node| network.nodes[node as usize].id);
            parallel += usize::from(tables.segments.contains_key(&key));
            let known = tables.segments.entry(key).or_insert(row);
            // Of roads between the same nodes, the cheapest is the likeliest.
            if known[1] < rate {
                *known = row;
            }
        }
        let mut negative = 0;
        for ((from, to), &cost) in network.turns().zip(&costs.of_turns) {
            let [Segment { from, to: via, .. }, Segment { to, .. }] =
                [from, to].map(|segment| &network.segments[segment as usize]);
            let key = [*from, *via, *to].map(|node| network.nodes[node as usize].id);
            negative += usize::from(cost < 0.0);
            let weight = scale * cost;
            let known = tables.turns.entry(key).or_insert(weight);
            *known = known.min(weight);
        }
        tables.tell(parallel, pointlike, negative);
        Ok(tables)
    }

    fn tell(&mut self, parallel: usize, pointlike: usize, negative: usize) {
        let mut say = |count: usize, what: &str| {
            if count > 0 {
                self.lost.push(format!("{count} {what}"));
            }
        };
        say(parallel, "segments lie between the same two nodes as another: the table has the cheapest of them");
        say(pointlike, "segments are shorter than OSRM's coordinates can tell, and get its least weight");
        say(negative, "turns have a negative cost: OSRM may raise it to keep weights positive");
        self.lost.push(
            "weights are rounded to 0.1; ways that the profile leaves out, such as highway=road, stay unused; set its \
             penalties of traffic lights and U-turns to 0, because the tables contain what was learned about them"
                .to_string(),
        );
    }

    /// The number of rows: segments, and turns.
    pub fn len(&self) -> [usize; 2] {
        [self.segments.len(), self.turns.len()]
    }

    /// Whether there are no segments.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Writes the segments (`from,to,speed,rate`) and the turns (`from,via,to,seconds,weight`), without headers.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn save(&self, segments: &Path, turns: &Path) -> Result<(), Error> {
        atomic::write(segments, |writer| self.write_segments(writer))?;
        Ok(atomic::write(turns, |writer| self.write_turns(writer))?)
    }

    fn write_segments(&self, writer: &mut dyn Write) -> io::Result<()> {
        self.segments.iter().try_for_each(|([from, to], [speed, rate])| writeln!(writer, "{from},{to},{speed},{rate}"))
    }

    fn write_turns(&self, writer: &mut dyn Write) -> io::Result<()> {
        // Turns take no time in the learned model, only cost.
        self.turns.iter().try_for_each(|([from, via, to], weight)| writeln!(writer, "{from},{via},{to},0,{weight}"))
    }
}

fn scale_of(costs: &RoadCosts<'_>) -> f64 {
    let most = |costs: &[f64]| costs.iter().fold(0.0, |most: f64, cost| most.max(cost.abs()));
    let mean = costs.of_segments.iter().sum::<f64>() / costs.of_segments.len() as f64;
    let (segments, turns) = (most(&costs.of_segments), most(&costs.of_turns));
    (MEAN / mean).min(MOST_OF_SEGMENT / segments).min(MOST_OF_TURN / turns.max(f64::MIN_POSITIVE))
}

/// The length of a segment in metres as OSRM knows it: its coordinates have six decimals.
fn length(network: &Network, segment: usize) -> f64 {
    let rounded = |degrees: f64| (degrees * 1e6).round() / 1e6;
    let [a, b] = network.ends_of(segment).map(|place| Position { lat: rounded(place.lat), lon: rounded(place.lon) });
    a.distance(b)
}
