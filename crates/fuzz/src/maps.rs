//! The readers of maps, road networks, trips and tables.

use std::path::Path;
use std::sync::LazyLock;

use revealed_roads::{
    City, CityOptions, EdgeList, Extract, MatchOptions, Matcher, Network, NetworkOptions, OwnFeatures, Roads, Trips, city,
};

use crate::containers::{gzip, pbf, split, zip};
use crate::readers::message;
use crate::scratch::Scratch;

/// A small city, whose roads tables and trips refer to.
pub(crate) static CITY: LazyLock<City> =
    LazyLock::new(|| city(&CityOptions { blocks: 12, seed: 5, ..CityOptions::default() }).expect("a city can be made"));

/// Its roads, prepared.
static MATCHER: LazyLock<Matcher<'static>> = LazyLock::new(|| {
    let options = MatchOptions { least_seconds: 0.0, least_metres: 0.0, ..MatchOptions::default() };
    Matcher::new(&CITY.roads.network, options).expect("the usual options are valid")
});

/// At most so many trips are matched.
const TRIPS: usize = 3;

pub fn osm_xml(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    extract(&scratch.file("in.osm", input))
}

pub fn osm_pbf(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    extract(&scratch.file("in.osm.pbf", &pbf(&split(input))))
}

/// A file whose very bytes are mutated.
pub fn osm_pbf_raw(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    extract(&scratch.file("in.osm.pbf", input))
}

fn extract(path: &Path) -> Result<(), String> {
    let extract = Extract::read(path, true).map_err(message)?;
    let all = Network::new(&extract, NetworkOptions { keep_all: true, u_turns: true, no_copies: false }).map_err(message)?;
    for (from, to) in all.turns() {
        assert_eq!(all.segments[from as usize].to, all.segments[to as usize].from, "a turn jumps");
    }
    assert!(all.segments.iter().all(|segment| segment.length >= 0.0), "a length is negative or no number");
    Network::new(&extract, NetworkOptions::default()).map(drop).map_err(message)
}

pub fn roads_npz(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    let archive = zip(&split(input)).ok_or("the archive cannot be made")?;
    let roads = Roads::load(scratch.file("in.npz", &archive)).map_err(message)?;
    let out = scratch.path("out.npz");
    roads.save(&out).map_err(message)?;
    Roads::load(&out).unwrap_or_else(|error| panic!("they cannot be read again: {error}"));
    for name in ["out.geojson", "out.parquet", "out.gpkg"] {
        roads.export(scratch.path(name), &[]).map_err(message)?;
    }
    roads.problem().map(drop).map_err(message)
}

pub fn trips_csv(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    trips(&scratch.file("in.csv", input))
}

pub fn trips_gz(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    trips(&scratch.file("raw.csv.gz", input)).or_else(|_| trips(&scratch.file("in.csv.gz", &gzip(input))))
}

pub fn gpx(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    trips(&scratch.file("in.gpx", input))
}

fn trips(path: &Path) -> Result<(), String> {
    for (number, trip) in Trips::open(path).map_err(message)?.enumerate() {
        let trip = trip.map_err(message)?;
        if number < TRIPS
            && trip.fixes.len() < 50
            && let Ok(found) = MATCHER.match_trip(&trip)
        {
            assert!((0.0..=1.0).contains(&found.confidence), "the confidence is {}", found.confidence);
            assert!(CITY.roads.path(&found.segments).is_ok(), "the matched segments are not connected");
        }
    }
    Ok(())
}

pub fn edges_csv(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    let path = scratch.file("edges.csv", input);
    let nodes = scratch.file("nodes.csv", b"node,lat,lon\n1,41.15,-8.61\n2,41.151,-8.61\n3,41.15,-8.609\n4,41.152,-8.608\n");
    let alone = EdgeList::read(&path, None, NetworkOptions::default()).map(drop).map_err(message);
    EdgeList::read(&path, Some(&nodes), NetworkOptions { keep_all: true, u_turns: true, no_copies: false })
        .map(drop)
        .map_err(message)?;
    alone
}

pub fn columns_csv(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    let path = scratch.file("in.csv", input);
    let mut roads = CITY.roads.clone();
    let before = roads.features.names.len();
    let options = OwnFeatures { missing: Some(0.0), skip_unknown: true, per_metre: false };
    let read = roads.add_features(&path, options);
    if read.is_err() {
        assert_eq!(roads.features.names.len(), before, "something was added by a table that was refused");
    }
    read.map(drop).map_err(message)
}
