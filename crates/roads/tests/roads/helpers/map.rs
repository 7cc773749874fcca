//! Small maps, written as files of OpenStreetMap.

use revealed_roads::{Error, Extract, Network, NetworkOptions};

use super::drawing::Drawing;
use super::file;
use super::pbf::{blob, block, bytes, differences, list, number, zigzag};

pub type Tags<'a> = &'a [(&'a str, &'a str)];
/// 0 for a node, 1 for a way, 2 for a relation; its number, and its role.
pub type Member<'a> = (u8, i64, &'a str);

/// A two-way street.
pub const STREET: Tags<'static> = &[("highway", "residential")];
pub const ONE_WAY: Tags<'static> = &[("highway", "residential"), ("oneway", "yes")];

/// Columns and rows of a drawing to a unit of the grid.
const UNIT: f64 = 2.0;

/// Nodes stand on a grid of about 111 m; y goes north.
#[derive(Default)]
pub struct Map<'a> {
    nodes: Vec<(i64, f64, f64, Tags<'a>)>,
    ways: Vec<(i64, Vec<i64>, Tags<'a>)>,
    relations: Vec<(Vec<Member<'a>>, Tags<'a>)>,
}

impl<'a> Map<'a> {
    /// The nodes of a drawing, which are digits: node 7 has the id 7. Two columns or rows are a unit of the grid. What
    /// is drawn between them says how they are to be connected; ways are given one by one, because they have ids and
    /// tags.
    pub fn drawn(drawing: &str) -> Self {
        let nodes = Drawing::new(drawing).marks(|mark| mark.is_ascii_digit());
        let id = |mark: char| i64::from(mark.to_digit(10).expect("it is a digit"));
        nodes.into_iter().fold(Map::default(), |map, (mark, [x, y])| map.node(id(mark), x / UNIT, y / UNIT))
    }

    pub fn node(self, id: i64, x: f64, y: f64) -> Self {
        self.tagged(id, x, y, &[])
    }

    /// Tags a node that is there.
    pub fn tag(mut self, id: i64, tags: Tags<'a>) -> Self {
        self.nodes.iter_mut().find(|node| node.0 == id).expect("there is such a node").3 = tags;
        self
    }

    pub fn tagged(mut self, id: i64, x: f64, y: f64, tags: Tags<'a>) -> Self {
        self.nodes.push((id, 0.001 * y, 0.001 * x, tags));
        self
    }

    pub fn way(mut self, id: i64, nodes: &[i64], tags: Tags<'a>) -> Self {
        self.ways.push((id, nodes.to_vec(), tags));
        self
    }

    pub fn relation(mut self, members: &[Member<'a>], tags: Tags<'a>) -> Self {
        self.relations.push((members.to_vec(), tags));
        self
    }

    /// A rule about the turn from a way over a node into another.
    pub fn rule(self, from: i64, via: i64, to: i64, tags: Tags<'a>) -> Self {
        self.relation(&[(1, from, "from"), (0, via, "via"), (1, to, "to")], tags)
    }

    pub fn extract(&self) -> Extract {
        let (_directory, path) = file("map.osm", self.xml().as_bytes());
        Extract::read(path, false).unwrap()
    }

    pub fn try_network(&self, options: NetworkOptions) -> Result<Network, Error> {
        Network::new(&self.extract(), options)
    }

    pub fn network(&self) -> Network {
        self.try_network(NetworkOptions::default()).unwrap()
    }

    /// With the segments from which one cannot get everywhere.
    pub fn all(&self) -> Network {
        self.try_network(NetworkOptions { keep_all: true, ..NetworkOptions::default() }).unwrap()
    }

    pub fn xml(&self) -> String {
        let tags = |tags: Tags<'_>| tags.iter().map(|(k, v)| format!("<tag k=\"{k}\" v=\"{v}\"/>")).collect::<String>();
        let mut text = String::from("<?xml version='1.0' encoding='UTF-8'?>\n<osm version=\"0.6\">\n");
        for (id, lat, lon, of) in &self.nodes {
            text += &format!("<node id=\"{id}\" lat=\"{lat:.7}\" lon=\"{lon:.7}\">{}</node>\n", tags(of));
        }
        for (id, nodes, of) in &self.ways {
            let nodes: String = nodes.iter().map(|node| format!("<nd ref=\"{node}\"/>")).collect();
            text += &format!("<way id=\"{id}\">{nodes}{}</way>\n", tags(of));
        }
        for (members, of) in &self.relations {
            let kinds = ["node", "way", "relation"];
            let member = |(kind, id, role): &Member<'_>| {
                format!("<member type=\"{}\" ref=\"{id}\" role=\"{role}\"/>", kinds[*kind as usize])
            };
            let members: String = members.iter().map(member).collect();
            text += &format!("<relation id=\"1\">{members}{}</relation>\n", tags(of));
        }
        text + "</osm>\n"
    }

    /// A `.osm.pbf` of a header and three blobs: nodes (dense or plain), ways, relations.
    pub fn pbf(&self, dense: bool, packed: bool) -> Vec<u8> {
        let mut file = blob("OSMHeader", &[bytes(4, b"OsmSchema-V0.6"), bytes(4, b"DenseNodes")].concat(), packed);
        let mut texts = vec![String::new()];
        let group = match dense {
            true => bytes(2, &self.dense(&mut texts)),
            false => self.nodes.iter().flat_map(|node| bytes(1, &plain_node(node, &mut texts))).collect(),
        };
        file.extend(block(&group, &texts, packed));
        let mut texts = vec![String::new()];
        let way = |(id, nodes, tags): &(i64, Vec<i64>, Tags<'_>), texts: &mut Vec<String>| {
            let refs = list(8, differences(nodes.iter().copied()));
            bytes(3, &[number(1, *id as u64), key_values(tags, texts), refs].concat())
        };
        let group: Vec<u8> = self.ways.iter().flat_map(|one| way(one, &mut texts)).collect();
        file.extend(block(&group, &texts, packed));
        let mut texts = vec![String::new()];
        let relation = |(members, tags): &(Vec<Member<'_>>, Tags<'_>), texts: &mut Vec<String>| {
            let roles: Vec<u64> = members.iter().map(|member| place(member.2, texts)).collect();
            let ids = differences(members.iter().map(|member| member.1));
            let kinds = members.iter().map(|member| u64::from(member.0));
            let lists = [list(8, roles), list(9, ids), list(10, kinds)].concat();
            bytes(4, &[number(1, 1), key_values(tags, texts), lists].concat())
        };
        let group: Vec<u8> = self.relations.iter().flat_map(|one| relation(one, &mut texts)).collect();
        file.extend(block(&group, &texts, packed));
        file
    }

    fn dense(&self, texts: &mut Vec<String>) -> Vec<u8> {
        let column =
            |value: fn(&(i64, f64, f64, Tags<'_>)) -> i64| differences(self.nodes.iter().map(value).collect::<Vec<_>>());
        let mut tags = Vec::new();
        for node in &self.nodes {
            tags.extend(node.3.iter().flat_map(|(key, value)| [place(key, texts), place(value, texts)]));
            tags.push(0);
        }
        let (ids, lats, lons) = (column(|node| node.0), column(|node| units(node.1)), column(|node| units(node.2)));
        [list(1, ids), list(8, lats), list(9, lons), list(10, tags)].concat()
    }
}

fn plain_node((id, lat, lon, tags): &(i64, f64, f64, Tags<'_>), texts: &mut Vec<String>) -> Vec<u8> {
    let place = [number(8, zigzag(units(*lat))), number(9, zigzag(units(*lon)))].concat();
    [number(1, zigzag(*id)), key_values(tags, texts), place].concat()
}

fn units(degrees: f64) -> i64 {
    (degrees * 1e7).round() as i64
}

fn place(text: &str, texts: &mut Vec<String>) -> u64 {
    let known = texts.iter().position(|known| known == text);
    known.unwrap_or_else(|| {
        texts.push(text.to_string());
        texts.len() - 1
    }) as u64
}

fn key_values(tags: Tags<'_>, texts: &mut Vec<String>) -> Vec<u8> {
    let keys: Vec<u64> = tags.iter().map(|tag| place(tag.0, texts)).collect();
    let values: Vec<u64> = tags.iter().map(|tag| place(tag.1, texts)).collect();
    [list(2, keys), list(3, values)].concat()
}

/// The segment between two nodes.
pub fn segment(network: &Network, from: i64, to: i64) -> usize {
    let ends = |node: u32| network.nodes[node as usize].id;
    let found: Vec<usize> = (0..network.n_segments())
        .filter(|&segment| {
            let one = &network.segments[segment];
            (ends(one.from), ends(one.to)) == (from, to)
        })
        .collect();
    assert_eq!(found.len(), 1, "segments from {from} to {to}");
    found[0]
}

/// The segments as pairs of nodes, sorted.
pub fn segments(network: &Network) -> Vec<(i64, i64)> {
    let id = |node: u32| network.nodes[node as usize].id;
    let mut found: Vec<(i64, i64)> = network.segments.iter().map(|one| (id(one.from), id(one.to))).collect();
    found.sort_unstable();
    found
}

/// Where one may go after driving from one node to another, sorted.
pub fn after(network: &Network, from: i64, to: i64) -> Vec<i64> {
    let turns = network.turns_of(segment(network, from, to)).iter();
    let mut found: Vec<i64> = turns.map(|&turn| network.nodes[network.segments[turn as usize].to as usize].id).collect();
    found.sort_unstable();
    found
}
