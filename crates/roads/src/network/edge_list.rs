//! Edge lists: tables of roads from node to node, from any source.

use std::collections::HashMap;
use std::path::Path;

use revealed::Cancel;

use super::graph::{Network, NetworkOptions};
use super::parts::{Node, Segment, WayInfo};
use crate::error::Error;
use crate::files::Table;
use crate::geometry::Position;
use crate::osm::{lanes, road_type_of, speed};

/// A network that was read from tables.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeList {
    /// The network.
    pub network: Network,
    /// Columns that were ignored because their names are not known.
    pub ignored: Vec<String>,
    /// Rows that were skipped because they lead from a node to itself. A segment is a straight line between two nodes.
    pub loops: usize,
}

impl EdgeList {
    /// Reads a table of edges: `.csv` or `.csv.gz`, with a first line that names its columns.
    ///
    /// - `from`, `to`: ids of nodes. Their positions are in a second table, `node,lat,lon`, or here in `from_lat`,
    ///   `from_lon`, `to_lat`, `to_lon`.
    /// - `length`: in metres, at least the straight-line distance; the great-circle distance if it is absent.
    /// - `highway`, `lanes`, `maxspeed`, `toll` (yes or no), `name`: as in OpenStreetMap; unknown where they are
    ///   absent.
    /// - `way`: the id of the road that the edge is a part of.
    /// - `oneway`: `yes`, `-1`, or `no` for both directions. Without this column every row is one direction.
    ///
    /// `from_node`, `to_node`, `way_id` and `length_m` are accepted as well.
    ///
    /// # Errors
    /// If a table cannot be read (the error names the line), if a node has no position, or if [`Network::new`] fails.
    pub fn read(edges: impl AsRef<Path>, nodes: Option<&Path>, options: NetworkOptions) -> Result<EdgeList, Error> {
        let mut table = Table::open(edges.as_ref())?;
        let columns = EdgeColumns::new(&table)?;
        let mut made = EdgeReader::default();
        match (nodes, columns.places) {
            (Some(nodes), _) => made.read_nodes(nodes)?,
            (None, Some(_)) => {}
            (None, None) => {
                let what = "the positions of its nodes are missing: give a second table node,lat,lon, or the columns \
                            from_lat, from_lon, to_lat, to_lon";
                return Err(table.of_all(what.to_string()));
            }
        }
        while table.next()? {
            made.row(&table, &columns)?;
        }
        if made.segments.is_empty() {
            let what = match made.loops {
                0 => "it has no edges".to_string(),
                loops => format!("it has no edges between two nodes, only {loops} from a node to itself"),
            };
            return Err(table.of_all(what));
        }
        let ignored = table.names.iter().filter(|name| !KNOWN.contains(&name.as_str())).cloned().collect();
        let network = Network::of_segments(made.nodes, made.ways, made.segments, options);
        let network = network.map_err(|error| error.in_file(edges.as_ref()))?;
        Ok(EdgeList { network, ignored, loops: made.loops })
    }
}

/// The longest segment in metres. The longest roads without a junction have some hundred kilometres.
const LONGEST: f64 = 1e6;

/// The known names of columns.
const KNOWN: [&str; 18] = [
    "from",
    "from_node",
    "to",
    "to_node",
    "way",
    "way_id",
    "length",
    "length_m",
    "highway",
    "lanes",
    "maxspeed",
    "toll",
    "oneway",
    "name",
    "from_lat",
    "from_lon",
    "to_lat",
    "to_lon",
];

/// The indices of the columns.
struct EdgeColumns {
    ends: [usize; 2],
    /// Latitude and longitude of both ends.
    places: Option<[[usize; 2]; 2]>,
    way: Option<usize>,
    length: Option<usize>,
    highway: Option<usize>,
    lanes: Option<usize>,
    speed: Option<usize>,
    toll: Option<usize>,
    oneway: Option<usize>,
    name: Option<usize>,
}

impl EdgeColumns {
    fn new(table: &Table) -> Result<EdgeColumns, Error> {
        let needed = |known: &[&str]| {
            let names = table.names.join(", ");
            let missing = || table.of_all(format!("the column {:?} is missing: the columns are {names}", known[0]));
            table.column(known).ok_or_else(missing)
        };
        let has_places = ["from_lat", "from_lon", "to_lat", "to_lon"].iter().any(|name| table.column(&[name]).is_some());
        let place = |lat: &str, lon: &str| Ok::<_, Error>([needed(&[lat])?, needed(&[lon])?]);
        Ok(EdgeColumns {
            ends: [needed(&["from", "from_node"])?, needed(&["to", "to_node"])?],
            places: match has_places {
                true => Some([place("from_lat", "from_lon")?, place("to_lat", "to_lon")?]),
                false => None,
            },
            way: table.column(&["way", "way_id"]),
            length: table.column(&["length", "length_m"]),
            highway: table.column(&["highway"]),
            lanes: table.column(&["lanes"]),
            speed: table.column(&["maxspeed"]),
            toll: table.column(&["toll"]),
            oneway: table.column(&["oneway"]),
            name: table.column(&["name"]),
        })
    }
}

/// Id, highway, lanes, speed, toll and name.
type WayKey = (i64, String, Option<u32>, Option<u64>, bool, String);

/// The parts of the network that have been read.
#[derive(Default)]
struct EdgeReader {
    nodes: Vec<Node>,
    /// The index of each node by its id.
    place: HashMap<i64, u32>,
    ways: Vec<WayInfo>,
    /// Rows with the same values in every column are one way.
    known: HashMap<WayKey, u32>,
    segments: Vec<Segment>,
    /// The number of rows that lead from a node to itself.
    loops: usize,
}

impl EdgeReader {
    fn read_nodes(&mut self, path: &Path) -> Result<(), Error> {
        let mut table = Table::open(path)?;
        let needed = |name: &str| table.column(&[name]).ok_or_else(|| table.of_all(format!("the column {name:?} is missing")));
        let [id, lat, lon] = [needed("node")?, needed("lat")?, needed("lon")?];
        while table.next()? {
            self.node(&table, id, [lat, lon])?;
        }
        Ok(())
    }

    /// The index of a node, which is added if it is new.
    fn node(&mut self, table: &Table, id: usize, [lat, lon]: [usize; 2]) -> Result<u32, Error> {
        let id: i64 = table.number(id, "whole number")?;
        let position = Position { lat: table.finite(lat)?, lon: table.finite(lon)? };
        if !position.is_valid() {
            let Position { lat, lon } = position;
            return Err(table.wrong(format!(
                "node {id} is at latitude {lat}, longitude {lon}, which is out of range: are they swapped, or not in \
                 degrees?"
            )));
        }
        let place = *self.place.entry(id).or_insert_with(|| {
            self.nodes.push(Node { id, position, signal: false, crossing: false, elevation: None });
            self.nodes.len() as u32 - 1
        });
        let before = self.nodes[place as usize].position;
        if before.distance(position) > 1.0 {
            return Err(table.wrong(format!(
                "node {id} is at {}, {}, and was at {}, {} before",
                position.lat, position.lon, before.lat, before.lon
            )));
        }
        Ok(place)
    }

    fn row(&mut self, table: &Table, columns: &EdgeColumns) -> Result<(), Error> {
        Cancel::check()?;
        let [from, to] = self.ends(table, columns)?;
        if from == to {
            self.loops += 1;
            return Ok(());
        }
        let length = self.length(table, columns, [from, to])?;
        let way = self.way(table, columns)?;
        let both = match choice(table, columns.oneway, &["yes", "true", "1"], &["no", "false", "0"], &["-1", "reverse"])? {
            None | Some(0) => [true, false],
            Some(1) => [true, true],
            Some(_) => [false, true],
        };
        let directions = [Segment { from, to, way, length }, Segment { from: to, to: from, way, length }];
        self.segments.extend(directions.into_iter().zip(both).filter(|(_, drives)| *drives).map(|(segment, _)| segment));
        Ok(())
    }

    /// The nodes of both ends.
    fn ends(&mut self, table: &Table, columns: &EdgeColumns) -> Result<[u32; 2], Error> {
        let mut ends = [0; 2];
        for (end, &column) in columns.ends.iter().enumerate() {
            ends[end] = match columns.places {
                Some(places) => self.node(table, column, places[end])?,
                None => {
                    let id: i64 = table.number(column, "whole number")?;
                    let unknown = || table.wrong(format!("node {id} is not in the table of nodes"));
                    *self.place.get(&id).ok_or_else(unknown)?
                }
            };
        }
        Ok(ends)
    }

    /// The length in metres.
    fn length(&self, table: &Table, columns: &EdgeColumns, ends: [u32; 2]) -> Result<f64, Error> {
        let [a, b] = ends.map(|end| self.nodes[end as usize].position);
        let straight = a.distance(b);
        let length = match columns.length.filter(|&column| table.text(column).is_some()) {
            Some(column) => table.finite(column)?,
            None => straight,
        };
        if !(0.0..=LONGEST).contains(&length) {
            return Err(table.wrong(format!("it is {length:?} m long: a length is from 0 to {LONGEST} m")));
        }
        // Matching relies on roads being no shorter than the straight line; lengths may be rounded to metres.
        if length + 1.0 < 0.99 * straight {
            return Err(table.wrong(format!(
                "it is {length} m long, but its ends are {straight:.0} m apart: give lengths in metres, or omit the \
                 column"
            )));
        }
        Ok(length)
    }

    fn way(&mut self, table: &Table, columns: &EdgeColumns) -> Result<u32, Error> {
        let text = |column: Option<usize>| column.and_then(|column| table.text(column));
        let not_known = |what: &str, value: &str| table.wrong(format!("{what} is {value:?}, which is not known"));
        let id = match columns.way {
            Some(column) => table.number(column, "whole number")?,
            None => table.line as i64,
        };
        let highway = text(columns.highway).unwrap_or("road").to_string();
        let lanes = text(columns.lanes).map(|value| lanes(value).ok_or_else(|| not_known("lanes", value))).transpose()?;
        let speed = text(columns.speed).map(|value| speed(value).ok_or_else(|| not_known("maxspeed", value))).transpose()?;
        let toll = choice(table, columns.toll, &["no", "false", "0"], &["yes", "true", "1"], &[])? == Some(1);
        let name = text(columns.name).unwrap_or_default().to_string();
        let key = (id, highway.clone(), lanes, speed.map(f64::to_bits), toll, name.clone());
        Ok(*self.known.entry(key).or_insert_with(|| {
            let road_type = road_type_of(&highway);
            self.ways.push(WayInfo { id, highway, road_type, lanes, speed, toll, roundabout: false, name });
            self.ways.len() as u32 - 1
        }))
    }
}

/// Which of three lists has the value of a column; `None` if the value is absent.
fn choice(table: &Table, column: Option<usize>, a: &[&str], b: &[&str], c: &[&str]) -> Result<Option<usize>, Error> {
    let Some((column, text)) = column.and_then(|column| Some((column, table.text(column)?))) else { return Ok(None) };
    let found = [a, b, c].iter().position(|list| list.iter().any(|known| known.eq_ignore_ascii_case(text)));
    let known = [a, b, c].iter().filter_map(|list| list.first().copied()).collect::<Vec<_>>().join(", ");
    let wrong = || table.wrong(format!("{} is {text:?}: give one of {known}", table.names[column]));
    found.map(Some).ok_or_else(wrong)
}
