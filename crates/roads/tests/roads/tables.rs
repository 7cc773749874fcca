//! Edge lists, and additional features from tables.

use std::path::Path;

use revealed_roads::{EdgeList, Group, Network, NetworkOptions, OwnFeatures, Roads};

use crate::helpers::map::{Map, ONE_WAY, STREET, segments};
use crate::helpers::{file, gzip};

const NODES: &str = "node,lat,lon\n1,0,0\n2,0,0.001\n3,0.001,0.001\n4,0.002,0.001\n";

fn read(edges: &str, nodes: Option<&str>) -> Result<EdgeList, String> {
    let (_first, edges) = file("edges.csv", edges.as_bytes());
    let nodes = nodes.map(|nodes| file("nodes.csv", nodes.as_bytes()));
    let nodes = nodes.as_ref().map(|(_, path)| path.as_path());
    EdgeList::read(edges, nodes, NetworkOptions::default()).map_err(|error| {
        let text = error.to_string();
        text.rfind(".csv: ").map_or(text.clone(), |place| text[place + 6..].to_string())
    })
}

#[test]
fn an_edge_list_is_a_network() {
    // 1 > 2 - 3 > 1, and 3 - 4 is a dead end.
    let edges = "from,to,highway,lanes,maxspeed,toll,name,length,oneway,colour\n\
                 1,2,primary,2,50,yes,Rua A,120.5,,red\n2,3,residential,,30 mph,no,,,no,\n3,1,,,,,,,yes,\n4,3,,,,,,,no,\n";
    let found = read(edges, Some(NODES)).unwrap();
    assert_eq!(found.ignored, ["colour"]);
    let network = found.network;
    assert_eq!(segments(&network), [(1, 2), (2, 3), (3, 1), (3, 2), (3, 4), (4, 3)]);
    assert_eq!(network.segments[0].length, 120.5);
    assert!((network.segments[1].length - 111.195).abs() < 0.01);
    let way = network.way_of(0);
    assert_eq!((way.highway.as_str(), way.lanes, way.speed, way.toll), ("primary", Some(2), Some(50.0), true));
    assert_eq!((way.name.as_str(), way.id), ("Rua A", 2));
    assert_eq!(network.way_of(1).speed, Some(48.280_32));
    assert_eq!(network.way_of(3).highway, "road");
    assert_eq!(network.n_turns(), 8, "one turns back at 2 and 4 alone");
}

#[test]
fn places_may_stand_beside_the_edges_and_tables_may_be_packed() {
    let edges = "from_node,to_node,from_lat,from_lon,to_lat,to_lon,way_id\n1,2,0,0,0,0.001,7\n2,1,0,0.001,0,0,7\n";
    let found = read(edges, None).unwrap().network;
    assert_eq!((found.n_segments(), found.ways.len(), found.ways[0].id), (2, 1, 7));
    let (_directory, path) = file("edges.csv.gz", &gzip(edges.as_bytes()));
    assert_eq!(EdgeList::read(&path, None, NetworkOptions::default()).unwrap().network, found);
    let (_directory, path) = file("edges.csv.gz", &gzip(edges.as_bytes())[..40]);
    let error = EdgeList::read(&path, None, NetworkOptions::default()).unwrap_err().to_string();
    assert!(error.contains("the rest of the file cannot be read"), "{error}");
}

#[test]
fn an_edge_list_of_a_map_is_its_network() {
    let ring = r"
          3
         v|
        1-2
    ";
    let osm = Map::drawn(ring).way(10, &[1, 2, 3], STREET).way(11, &[3, 1], ONE_WAY).network();
    let edges = "from,to,way,highway,oneway\n1,2,10,residential,no\n2,3,10,residential,no\n3,1,11,residential,yes\n";
    let found = read(edges, Some(NODES)).unwrap().network;
    assert_eq!(segments(&found), segments(&osm));
    assert!(found.turns().eq(osm.turns()));
}

#[test]
fn faults_of_edge_lists_have_their_lines() {
    let edges = |rows: &str| read(&format!("from,to,length,lanes,maxspeed,toll,oneway\n{rows}"), Some(NODES)).unwrap_err();
    assert_eq!(edges("1,2,,,,,\nx,2,,,,,\n"), "line 3: from is \"x\", which is not a whole number");
    assert_eq!(edges("1,,,,,,\n"), "line 2: to is \"\", which is not a whole number");
    assert_eq!(edges("1,9,,,,,\n"), "line 2: node 9 is not in the table of nodes");
    assert_eq!(edges("1,2,,,,\n"), "line 2: there are 6 entries, and 7 columns");
    assert_eq!(edges("1,2,-3,,,,\n"), "line 2: it is -3.0 m long: a length is from 0 to 1000000 m");
    assert_eq!(edges("1,2,1e308,,,,\n"), "line 2: it is 1e308 m long: a length is from 0 to 1000000 m");
    let in_km = "line 3: it is 0.112 m long, but its ends are 111 m apart: give lengths in metres, or omit the column";
    assert_eq!(edges("1,2,111.2,,,,\n2,1,0.112,,,,\n"), in_km);
    assert_eq!(edges("1,2,inf,,,,\n"), "line 2: length is inf, which is not finite");
    assert_eq!(edges("1,2,,many,,,\n"), "line 2: lanes is \"many\", which is not known");
    assert_eq!(edges("1,2,,,fast,,\n"), "line 2: maxspeed is \"fast\", which is not known");
    assert_eq!(edges("1,2,,,,maybe,\n"), "line 2: toll is \"maybe\": give one of no, yes");
    assert_eq!(edges("1,2,,,,,both\n"), "line 2: oneway is \"both\": give one of yes, no, -1");
    assert_eq!(edges("1,1,,,,,\n"), "it has no edges between two nodes, only 1 from a node to itself");
    assert_eq!(edges(""), "it has no edges");
    assert!(edges("1,2,,,,,\n").starts_with("none of the 1 segments can be left and reached again"));
    let error = |edges: &str, nodes: Option<&str>| read(edges, nodes).unwrap_err();
    assert_eq!(error("", Some(NODES)), "the file is empty: its first line must name the columns");
    assert_eq!(error("from,length\n", Some(NODES)), "the column \"to\" is missing: the columns are from, length");
    assert!(error("from,to\n1,2\n", None).starts_with("the positions of its nodes are missing: give a second table"));
    assert_eq!(
        error("from,to,from_lat\n1,2,0\n", None),
        "the column \"from_lon\" is missing: the columns are from, to, from_lat"
    );
    assert_eq!(error("from,to,to\n", Some(NODES)), "line 1: the column \"to\" appears twice");
    let swapped = error("from,to\n1,2\n", Some("node,lat,lon\n1,-95.2,41\n"));
    assert!(swapped.starts_with("line 2: node 1 is at latitude -95.2, longitude 41, which is out of range: are they swapped"));
    let moved = error("from,to\n1,2\n", Some("node,lat,lon\n1,0,0\n1,0,1\n"));
    assert_eq!(moved, "line 3: node 1 is at 0, 1, and was at 0, 0 before");
    let (_directory, path) = file("edges.parquet", b"PAR1");
    let error = EdgeList::read(&path, None, NetworkOptions::default()).unwrap_err().to_string();
    assert!(error.ends_with("a table is a .csv or .csv.gz file: give one of these"));
    let (_directory, path) = file("edges.csv", b"from,to\n\xff,2\n");
    let error = EdgeList::read(&path, Some(Path::new("none.csv")), NetworkOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("none.csv: No such file"), "{error}");
}

fn street() -> Network {
    // Segments 0: 1 > 2, 1: 2 > 1, 2: 2 > 3, 3: 3 > 2.
    let drawing = "
          3
          |
          |
          |
        1-2
    ";
    Map::drawn(drawing).way(10, &[1, 2], STREET).way(11, &[2, 3], STREET).network()
}

fn add(table: &str, options: OwnFeatures, roads: &mut Roads) -> Result<Vec<String>, String> {
    let (_directory, path) = file("own.csv", table.as_bytes());
    let read = roads.add_features(&path, options).map_err(|error| error.to_string());
    read.map(|read| read.names).map_err(|text| text.rfind(".csv: ").map_or(text.clone(), |place| text[place + 6..].to_string()))
}

#[test]
fn own_features_come_from_a_table() {
    let mut roads = Roads::new(street(), &[Group::Length]);
    let lengths = roads.lengths();
    add("segment,slope,trees\n0,1.5,0\n1,-1.5,0\n2,0,3\n3,0,4\n", OwnFeatures::default(), &mut roads).unwrap();
    let column = |roads: &Roads, name: &str| -> Vec<f64> {
        let feature = roads.features.names.iter().position(|known| known == name).unwrap();
        let mut values = vec![0.0; roads.n_states()];
        roads.features.of_segments.iter().filter(|row| row.1 == feature).for_each(|row| values[row.0] = row.2);
        values
    };
    assert_eq!(column(&roads, "slope"), [1.5, -1.5, 0.0, 0.0]);
    assert_eq!(column(&roads, "trees"), [0.0, 0.0, 3.0, 4.0]);
    roads.problem().unwrap();
    let options = OwnFeatures { per_metre: true, ..OwnFeatures::default() };
    add("way,noise\n10,2\n11,0.5\n", options, &mut roads).unwrap();
    assert_eq!(column(&roads, "noise"), [2.0 * lengths[0], 2.0 * lengths[1], 0.5 * lengths[2], 0.5 * lengths[3]]);
    let options = OwnFeatures { missing: Some(0.25), skip_unknown: true, ..OwnFeatures::default() };
    let (_directory, path) = file("own.csv", b"way,shade\n10,1\n99,7\n");
    let read = roads.add_features(&path, options).unwrap();
    assert_eq!((read.missing, read.unknown), (2, 1));
    assert_eq!(column(&roads, "shade"), [1.0, 1.0, 0.25, 0.25]);
    // Before or after compression is the same.
    let table = "segment,slope\n0,1.5\n1,-1.5\n2,5\n3,7\n";
    let (mut before, mut after) = (Roads::new(street(), &[Group::Length]), Roads::new(street(), &[Group::Length]).compressed());
    add(table, OwnFeatures::default(), &mut before).unwrap();
    add(table, OwnFeatures::default(), &mut after).unwrap();
    assert!(after.n_states() < before.n_states());
    assert_eq!(before.compressed(), after);
}

#[test]
fn faults_of_own_features_have_their_lines_and_add_nothing() {
    let mut roads = Roads::new(street(), &[Group::Length]);
    let untouched = roads.clone();
    let mut error = |table: &str| add(table, OwnFeatures::default(), &mut roads).unwrap_err();
    assert_eq!(
        error("segment,slope\n0,1\n4,1\n"),
        "line 3: segment 4 is not in the network: remove the row, or skip such rows with --skip-unknown"
    );
    assert_eq!(
        error("way,slope\n12,1\n"),
        "line 2: way 12 is not in the network: remove the row, or skip such rows with --skip-unknown"
    );
    assert_eq!(error("segment,slope\n0,1\n0,1\n"), "line 3: segment 0 appears twice: it is in line 2 already");
    assert_eq!(error("segment,slope\n0,steep\n"), "line 2: slope is \"steep\", which is not a number");
    assert_eq!(error("segment,slope\n0,NaN\n"), "line 2: slope is NaN, which is not finite");
    assert_eq!(error("segment,slope\n0,\n"), "line 2: slope is \"\", which is not a number");
    let missing = "2 of 4 segments have no row, the first of them way 11: add them, or give their value with --missing";
    assert_eq!(error("way,slope\n10,1\n"), missing);
    assert_eq!(error("segment\n0\n"), "it has no column for a feature: add one beside the key");
    assert_eq!(error("slope\n0\n"), "its columns are slope: the key is missing, add a column segment or a column way");
    assert!(error("segment,way,slope\n0,1,2\n").starts_with("it has both a column segment and a column way"));
    let taken = "segment,slope,length\n0,1,1\n1,1,1\n2,1,1\n3,1,1\n";
    assert!(error(taken).contains("the feature \"length\" exists already"));
    assert_eq!(roads, untouched);
}
