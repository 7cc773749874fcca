//! Valid inputs to begin with, made by the library's own writers.

use std::fs;

use revealed::oracle::RandomProblem;
use revealed::{SampleColumns, Trajectory};
use revealed_formats::{Model, Problem, demonstrations, samples};

use crate::containers::{field, gzip, join, pbf, unzip, varint};
use crate::maps::CITY;
use crate::scratch::Scratch;

/// What a writer writes to a file of this name.
fn written(name: &str, write: impl FnOnce(&std::path::Path)) -> Vec<u8> {
    let scratch = Scratch::new();
    let path = scratch.path(name);
    write(&path);
    fs::read(&path).expect("it was written")
}

/// The parts of what a writer writes to an archive, as targets take them.
fn parts(write: impl FnOnce(&std::path::Path)) -> Vec<u8> {
    join(&unzip(&written("seed.npz", write)))
}

fn problems() -> Vec<Problem> {
    let problem = |seed: u64| {
        let RandomProblem { mdp, features, theta, .. } = RandomProblem::new(seed);
        Problem { mdp, features, layout: None, true_theta: seed.is_multiple_of(2).then_some(theta) }
    };
    (1..=6).map(problem).collect()
}

pub fn problem_json() -> Vec<Vec<u8>> {
    let save = |problem: &Problem| written("seed.json", |path| problem.save(path).expect("a problem can be written"));
    let mut seeds: Vec<Vec<u8>> = problems().iter().map(save).collect();
    let layout = br#"{"n_states": 2, "n_actions": 1, "n_features": 1, "discount": 0.9, "start": {"state": [0], "p": [1.0]},
        "terminal": [1], "transitions": {"from": [0], "action": [0], "to": [1], "p": [1.0]},
        "reference": {"state": [0], "action": [0], "p": [1.0]}, "layout": {"kind": "grid", "rows": 1, "cols": 2},
        "features": {"state": {"state": [1], "feature": [0], "value": [1.0]}, "names": ["goal"]}, "true_theta": [1.0]}"#;
    seeds.push(layout.to_vec());
    seeds
}

pub fn problem_npz() -> Vec<Vec<u8>> {
    problems().iter().map(|problem| parts(|path| problem.save(path).expect("a problem can be written"))).collect()
}

pub fn npz_raw() -> Vec<Vec<u8>> {
    let save = |problem: &Problem| written("seed.npz", |path| problem.save(path).expect("a problem can be written"));
    problems().iter().take(2).map(save).collect()
}

fn trajectories() -> Vec<Trajectory> {
    let path = |states: &[usize], actions: &[usize], id: Option<&str>| Trajectory {
        id: id.map(str::to_string),
        ..Trajectory::new(states.to_vec(), actions.to_vec())
    };
    vec![path(&[0, 1, 2], &[0, 1], None), path(&[3], &[], Some("b")), path(&[0, 0, 0, 4], &[2, 2, 0], Some("c \u{e9}"))]
}

pub fn demonstrations_jsonl() -> Vec<Vec<u8>> {
    let save = |path: &std::path::Path| demonstrations::save(&trajectories(), path).expect("paths can be written");
    let weighted = b"{\"states\": [0, 1], \"actions\": [0], \"weight\": 2.5, \"id\": \"x\"}\n\n{\"features\": [0.5, 1]}\n";
    vec![written("seed.jsonl", save), weighted.to_vec()]
}

pub fn demonstrations_npz() -> Vec<Vec<u8>> {
    vec![parts(|path| demonstrations::save(&trajectories(), path).expect("paths can be written"))]
}

pub fn model_json() -> Vec<Vec<u8>> {
    let model = Model::new(vec![0.5, -1.25], 7, revealed::Ends::Goal);
    let named = Model { names: vec!["a".to_string(), "b".to_string()], converged: Some(true), ..model.clone() };
    let save = |model: &Model| written("seed.json", |path| model.save(path).expect("a model can be written"));
    let any =
        br#"{"format": "revealed-model/1", "theta": [1, 2], "horizon": null, "ends": "goal", "inference": "recursive-logit"}"#;
    vec![save(&model), save(&named), any.to_vec()]
}

pub fn theta_json() -> Vec<Vec<u8>> {
    vec![b"[0.5, -1, 2e3]".to_vec(), br#"{"theta": [1.0]}"#.to_vec()]
}

fn columns() -> SampleColumns {
    SampleColumns {
        n_features: 2,
        names: vec!["a".to_string(), "b".to_string()],
        features: vec![1.0, 2.0, 0.5, -1.0],
        log_policy: vec![-1.0, -2.5],
        log_reference: Some(vec![-0.5, -1.0]),
        length: Some(vec![3, 4]),
        rollout: Some(vec![0, 1]),
    }
}

pub fn samples_jsonl() -> Vec<Vec<u8>> {
    vec![written("seed.jsonl", |path| samples::save(&columns(), path).expect("samples can be written"))]
}

pub fn samples_npz() -> Vec<Vec<u8>> {
    vec![parts(|path| samples::save(&columns(), path).expect("samples can be written"))]
}

pub fn pairs_csv() -> Vec<Vec<u8>> {
    vec![b"from,to,id,weight\n0,1,a,1\n2,3,\"b, c\",0.5\n".to_vec(), b"to,from\r\n5,0\r\n".to_vec()]
}

pub fn pairs_jsonl() -> Vec<Vec<u8>> {
    vec![b"{\"from\": 0, \"to\": 1}\n{\"from\": 2, \"to\": 3, \"id\": \"b\", \"weight\": 2}\n".to_vec()]
}

pub fn prior_json() -> Vec<Vec<u8>> {
    vec![b"[0, 0.5, 1, 2, 0, 3e-4]".to_vec()]
}

pub fn scenario_json() -> Vec<Vec<u8>> {
    let scenario = br#"{"format": "revealed-scenario/1", "close": {"states": [1], "choices": [[0, 1]]},
        "features": [{"feature": "a", "factor": 1.5, "states": [0, 2]}], "rewards": [{"reward": -1.0, "states": [3]}]}"#;
    vec![scenario.to_vec(), b"{}".to_vec()]
}

pub fn osm_xml() -> Vec<Vec<u8>> {
    let text = CITY.osm_xml();
    // A part of it is enough, and faster: the nodes and ways that it refers to may be missing, as at the edge of a map.
    let middle = text.find("<way").unwrap_or(0);
    let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
    let cut = [part(0..6000.min(middle)), part(middle..(middle + 6000).min(text.len()))].concat();
    let small = br#"<?xml version='1.0' encoding='UTF-8'?><osm version="0.6">
        <node id="1" lat="41.15" lon="-8.61"><tag k="highway" v="traffic_signals"/></node><node id="2" lat="41.151" lon="-8.61"/>
        <node id="3" lat="41.152" lon="-8.609"/><way id="7"><nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="primary"/>
        <tag k="maxspeed" v="50 mph"/><tag k="lanes" v="2"/><tag k="name" v="Rua &amp; &#233;"/></way>
        <relation id="9"><member type="way" ref="7" role="from"/><member type="node" ref="2" role="via"/>
        <member type="way" ref="7" role="to"/><tag k="type" v="restriction"/><tag k="restriction" v="no_u_turn"/></relation></osm>"#;
    vec![small.to_vec(), cut.into_bytes()]
}

/// A header, three nodes and a way.
fn blocks() -> Vec<(String, Vec<u8>)> {
    let list =
        |number: u64, values: &[u64]| field(number, &values.iter().flat_map(|&value| varint(value)).collect::<Vec<u8>>());
    let zigzag = |value: i64| (value << 1 ^ value >> 63) as u64;
    let texts = |texts: &[&str]| field(1, &texts.iter().flat_map(|text| field(1, text.as_bytes())).collect::<Vec<u8>>());
    let header = [field(4, b"OsmSchema-V0.6"), field(4, b"DenseNodes")].concat();
    let (lat, lon) = ([411_500_000, 10_000, 10_000].map(zigzag), [-86_100_000, 0, 10_000].map(zigzag));
    let dense = [list(1, &[1, 1, 1].map(zigzag)), list(8, &lat), list(9, &lon), list(10, &[0, 0, 0])].concat();
    let nodes = [texts(&[""]), field(2, &field(2, &dense))].concat();
    let way = [vec![8, 7], list(2, &[1]), list(3, &[2]), list(8, &[1, 1, 1].map(zigzag))].concat();
    let ways = [texts(&["", "highway", "primary"]), field(2, &field(3, &way))].concat();
    [("OSMHeader", header), ("OSMData", nodes), ("OSMData", ways)].map(|(kind, bytes)| (kind.to_string(), bytes)).into()
}

pub fn osm_pbf() -> Vec<Vec<u8>> {
    vec![join(&blocks())]
}

pub fn osm_pbf_raw() -> Vec<Vec<u8>> {
    vec![pbf(&blocks())]
}

pub fn roads_npz() -> Vec<Vec<u8>> {
    let edges = edges_csv().remove(0);
    let mut scratch = Scratch::new();
    let path = scratch.file("edges.csv", &edges);
    let list = revealed_roads::EdgeList::read(&path, None, revealed_roads::NetworkOptions::default()).expect("edges are read");
    let groups = revealed_roads::Group::parse("length").expect("a group of features");
    vec![parts(|path| revealed_roads::Roads::new(list.network, &groups).save(path).expect("roads can be written"))]
}

pub fn trips_uci() -> Vec<Vec<u8>> {
    let place = CITY.roads.network.nodes[0].position;
    let point = |k: f64| format!("[{:.6},{:.6}]", place.lon + 1e-4 * k, place.lat);
    let line = (0..8).map(|k| point(f64::from(k))).collect::<Vec<_>>().join(",");
    let header = "\"TRIP_ID\",\"CALL_TYPE\",\"TIMESTAMP\",\"MISSING_DATA\",\"POLYLINE\"\n";
    vec![
        format!("{header}\"1\",\"C\",\"1372636858\",\"False\",\"[{line}]\"\n\"2\",\"B\",\"1372636858\",\"True\",\"[]\"\n")
            .into_bytes(),
    ]
}

pub fn trips_plain() -> Vec<Vec<u8>> {
    let place = CITY.roads.network.nodes[0].position;
    let row = |k: i32| format!("a,{:.6},{:.6},{}\n", place.lat + 1e-4 * f64::from(k), place.lon, 15 * k);
    vec![format!("trip,lat,lon,time\n{}b,1,2,\n", (0..6).map(row).collect::<String>()).into_bytes()]
}

pub fn trips_gz() -> Vec<Vec<u8>> {
    let plain = trips_plain().remove(0);
    vec![gzip(&plain), plain]
}

pub fn gpx() -> Vec<Vec<u8>> {
    let place = CITY.roads.network.nodes[0].position;
    let point = |k: i32| {
        let (lat, lon) = (place.lat + 1e-4 * f64::from(k), place.lon);
        format!("<trkpt lat=\"{lat}\" lon=\"{lon}\"><time>2013-07-01T00:00:{:02}Z</time></trkpt>", 10 * k)
    };
    let points: String = (0..6).map(point).collect();
    let text = format!("<?xml version=\"1.0\"?><gpx version=\"1.1\"><trk><name>a</name><trkseg>{points}</trkseg></trk></gpx>");
    vec![text.into_bytes()]
}

pub fn edges_csv() -> Vec<Vec<u8>> {
    let head = "from,to,from_lat,from_lon,to_lat,to_lon,length,highway,oneway,maxspeed,lanes,toll,name,way\n";
    let rows = "1,2,41.15,-8.61,41.151,-8.61,120,primary,no,50,2,no,A,1\n2,3,41.151,-8.61,41.15,-8.609,,residential,no,,,yes,,2\n\
                3,1,41.15,-8.609,41.15,-8.61,,service,no,,,,,3\n";
    vec![format!("{head}{rows}").into_bytes(), b"from_node,to_node\n1,2\n2,3\n3,4\n4,1\n".to_vec()]
}

pub fn columns_csv() -> Vec<Vec<u8>> {
    vec![b"segment,trees,noise\n0,1.5,-2\n1,0,1e3\n2,7,0\n".to_vec(), b"way,trees\n1,2\n2,3\n".to_vec()]
}

/// For comparisons, in which every input is a problem.
pub fn any_bytes() -> Vec<Vec<u8>> {
    (0..8u8).map(|seed| (0..96u8).map(|k| k.wrapping_mul(seed.wrapping_add(91)).wrapping_add(seed)).collect()).collect()
}
