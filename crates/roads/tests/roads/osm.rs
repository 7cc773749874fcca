//! Files of OpenStreetMap: what is read, and what is wrong with them.

use std::ops::ControlFlow;

use revealed::{Step, Watch};
use revealed_roads::osm::{Restriction, RuleTurn};
use revealed_roads::{Error, Extract, Network, NetworkOptions, Profile, ReadOptions, RoadType, Source};

use crate::helpers::map::{Map, ONE_WAY, STREET, Tags};
use crate::helpers::pbf::{blob, bytes, number};
use crate::helpers::{file, gzip};

/// With a bollard at 2, lights at 3 and 4, and a turn restriction.
fn sample() -> Map<'static> {
    Map::drawn("1-2-3-4")
        .tag(2, &[("barrier", "bollard")])
        .tag(3, &[("highway", "traffic_signals")])
        .tag(4, &[("highway", "crossing"), ("crossing", "traffic_signals")])
        .tagged(-5, -4.5, -1.25, &[("barrier", "bollard"), ("motor_vehicle", "yes")])
        .node(99, 0.0, 3.0)
        .way(10, &[1, 2, 3], &[("highway", "tertiary"), ("name", "Rua Formosa"), ("lanes", "2"), ("maxspeed", "50")])
        .way(11, &[3, 4, -5, 77], STREET)
        .way(12, &[99, 1], &[("highway", "footway")])
        .way(13, &[99, 1], &[("building", "yes")])
        .rule(10, 3, 11, &[("type", "restriction"), ("restriction", "no_left_turn")])
}

#[test]
fn xml_gz_and_pbf_say_the_same() {
    let sample = sample();
    let (_directory, path) = file("a.osm", sample.xml().as_bytes());
    let xml = Extract::read(path, false).unwrap();
    assert_eq!(xml.nodes.iter().map(|node| node.id).collect::<Vec<_>>(), [-5, 1, 2, 3, 4, 77]);
    let of = |id: i64| xml.nodes[xml.node(id).unwrap()];
    assert_eq!([of(2).barrier, of(-5).barrier], [true, false]);
    assert_eq!([of(3).signal, of(4).signal, of(4).crossing, of(1).signal], [true, true, true, false]);
    assert!((of(-5).position.lat + 0.00125).abs() < 1e-9 && (of(-5).position.lon + 0.0045).abs() < 1e-9);
    assert_eq!(xml.restrictions, [Restriction { from: 10, via: 3, to: 11, only: false, turn: RuleTurn::Left }]);
    assert_eq!((xml.counts.highways, xml.counts.other_kind, xml.counts.missing_nodes), (3, 1, 1));
    assert_eq!(xml.ways[0].road.name, "Rua Formosa");

    let of = |name: &str, content: &[u8]| {
        let (_directory, path) = file(name, content);
        let mut extract = Extract::read(path, false).unwrap();
        // Not a number is not equal to itself.
        extract.nodes.iter_mut().filter(|node| node.id == 77).for_each(|node| node.position = Default::default());
        extract
    };
    let xml = of("a.osm", sample.xml().as_bytes());
    assert_eq!(of("A.OSM.GZ", &gzip(sample.xml().as_bytes())), xml);
    for (dense, packed) in [(true, true), (true, false), (false, true), (false, false)] {
        let mut pbf = of("a.osm.pbf", &sample.pbf(dense, packed));
        // Nine digits instead of seven decimals: the last bit may differ.
        for (ours, theirs) in pbf.nodes.iter_mut().zip(&xml.nodes) {
            assert!(ours.position.distance(theirs.position) < 1e-6);
            ours.position = theirs.position;
        }
        assert_eq!(pbf, xml, "dense {dense}, packed {packed}");
    }
}

#[test]
fn tags_decide_who_may_drive_where() {
    // (tags, forward, backward); no direction at all: not for cars.
    let cases: &[(Tags<'_>, bool, bool)] = &[
        (&[("highway", "residential")], true, true),
        (&[("highway", "motorway")], true, false),
        (&[("highway", "motorway_link")], true, true),
        (&[("highway", "motorway"), ("oneway", "no")], true, true),
        (&[("highway", "primary"), ("junction", "roundabout")], true, false),
        (&[("highway", "primary"), ("junction", "circular")], true, false),
        (&[("highway", "residential"), ("oneway", "yes")], true, false),
        (&[("highway", "residential"), ("oneway", "-1")], false, true),
        (&[("highway", "residential"), ("oneway", "yes"), ("oneway:motor_vehicle", "no")], true, true),
        (&[("highway", "residential"), ("oneway", "reversible")], false, false),
        (&[("highway", "footway")], false, false),
        (&[("highway", "service")], false, false),
        (&[("highway", "construction")], false, false),
        (&[("highway", "residential"), ("area", "yes")], false, false),
        (&[("highway", "residential"), ("access", "private")], false, false),
        (&[("highway", "residential"), ("access", "destination")], true, true),
        (&[("highway", "residential"), ("access", "permit")], false, false),
        (&[("highway", "residential"), ("access", "private;customers")], false, false),
        (&[("highway", "residential"), ("access", "customers")], true, true),
        (&[("highway", "residential"), ("access", "private; destination")], true, true),
        (&[("highway", "residential"), ("access", "yes"), ("vehicle", "agricultural;forestry")], false, false),
        (&[("highway", "residential"), ("access", "no"), ("motor_vehicle", "yes")], true, true),
        (&[("highway", "residential"), ("motorcar", "no"), ("access", "yes")], false, false),
    ];
    for (tags, forward, backward) in cases {
        let extract = Map::drawn("1-2").way(10, &[1, 2], tags).extract();
        let found = extract.ways.first().map_or((false, false), |way| (way.road.forward, way.road.backward));
        assert_eq!(found, (*forward, *backward), "{tags:?}");
    }
    let counts = |tags| Map::default().way(10, &[1, 2], tags).extract().counts;
    assert_eq!(counts(&[("highway", "residential"), ("area", "yes")]).areas, 1);
    assert_eq!(counts(&[("highway", "residential"), ("access", "private")]).closed, 1);
    assert_eq!(counts(&[("highway", "residential"), ("oneway", "alternating")]).reversible, 1);
}

/// Whether a way is open forward, and backward.
type Directions = (bool, bool);

#[test]
fn tags_decide_who_may_cycle_and_walk_where() {
    // (tags, by bicycle: forward and backward, on foot: forward and backward).
    let (both, none, forward, backward) = ((true, true), (false, false), (true, false), (false, true));
    let cases: &[(Tags<'_>, Directions, Directions)] = &[
        (&[("highway", "residential")], both, both),
        (&[("highway", "motorway")], none, none),
        (&[("highway", "trunk_link")], both, none),
        (&[("highway", "trunk"), ("sidewalk", "right")], both, both),
        (&[("highway", "primary"), ("motorroad", "yes")], none, none),
        (&[("highway", "cycleway")], both, none),
        (&[("highway", "cycleway"), ("foot", "designated")], both, both),
        (&[("highway", "footway")], none, both),
        (&[("highway", "footway"), ("bicycle", "yes")], both, both),
        (&[("highway", "footway"), ("bicycle", "dismount")], both, both),
        (&[("highway", "steps")], none, both),
        (&[("highway", "path"), ("foot", "no")], both, none),
        (&[("highway", "track"), ("access", "private")], none, none),
        (&[("highway", "residential"), ("motor_vehicle", "no")], both, both),
        (&[("highway", "residential"), ("bicycle", "use_sidepath")], none, both),
        (&[("highway", "residential"), ("oneway", "yes")], forward, both),
        (&[("highway", "residential"), ("oneway", "-1")], backward, both),
        (&[("highway", "residential"), ("oneway", "yes"), ("oneway:bicycle", "no")], both, both),
        (&[("highway", "residential"), ("oneway", "yes"), ("cycleway", "opposite_lane")], both, both),
        (&[("highway", "path"), ("oneway:foot", "yes")], both, forward),
        (&[("highway", "primary"), ("junction", "roundabout")], forward, both),
        (&[("highway", "pedestrian"), ("area", "yes")], none, none),
        (&[("highway", "service")], none, none),
    ];
    for (tags, cycled, walked) in cases {
        for (profile, expected) in [(Profile::Bicycle, cycled), (Profile::Foot, walked)] {
            let extract = read_for(&Map::drawn("1-2").way(10, &[1, 2], tags), profile);
            let found = extract.ways.first().map_or((false, false), |way| (way.road.forward, way.road.backward));
            assert_eq!(found, *expected, "{profile:?} {tags:?}");
        }
    }
    let speed =
        |tags: Tags<'_>, profile: Profile| read_for(&Map::drawn("1-2").way(10, &[1, 2], tags), profile).ways[0].road.speed;
    assert_eq!(speed(&[("highway", "steps")], Profile::Foot), Some(2.5));
    assert_eq!(speed(&[("highway", "primary"), ("maxspeed", "80")], Profile::Foot), Some(5.0));
    assert_eq!(speed(&[("highway", "cycleway")], Profile::Bicycle), Some(18.0));
    assert_eq!(speed(&[("highway", "footway"), ("bicycle", "dismount")], Profile::Bicycle), Some(5.0));
    assert!((speed(&[("highway", "path"), ("surface", "gravel")], Profile::Bicycle).unwrap() - 8.4).abs() < 1e-12);
}

/// A bollard stops cars, a stile bicycles; a rule of turning holds for those whom it names.
#[test]
fn barriers_and_rules_are_those_of_the_traveller() {
    let barred = |kind: &str, profile: Profile| {
        let tags = [("barrier", kind)];
        let map = Map::drawn("1-2").way(10, &[1, 2], STREET).tag(2, &tags);
        read_for(&map, profile).nodes[1].barrier
    };
    let all = |kind: &str| Profile::ALL.map(|profile| barred(kind, profile));
    assert_eq!(all("bollard"), [true, false, false]);
    assert_eq!(all("stile"), [false, true, false]);
    let held = |tags: Tags<'_>| {
        let map = Map::drawn("1-2-3").way(10, &[1, 2], STREET).way(11, &[2, 3], STREET).rule(10, 2, 11, tags);
        Profile::ALL.map(|profile| read_for(&map, profile).restrictions.len())
    };
    assert_eq!(held(&[("type", "restriction"), ("restriction", "no_left_turn")]), [1, 1, 0]);
    assert_eq!(held(&[("type", "restriction"), ("restriction", "no_left_turn"), ("except", "bicycle")]), [1, 0, 0]);
    assert_eq!(held(&[("type", "restriction:bicycle"), ("restriction", "no_left_turn")]), [0, 1, 0]);
    assert_eq!(held(&[("type", "restriction:foot"), ("restriction", "no_left_turn")]), [0, 0, 1]);
    let none = Network::new(&read_for(&Map::default(), Profile::Foot), NetworkOptions::default());
    assert!(none.unwrap_err().to_string().starts_with("there are no roads for walkers"));
}

fn read_for(map: &Map<'_>, profile: Profile) -> Extract {
    Extract::read_xml_for(map.xml().as_bytes(), ReadOptions { profile, ..ReadOptions::default() }).unwrap()
}

#[test]
fn tags_say_lanes_speeds_tolls_and_types() {
    let road = |key: &str, value: &str| {
        let tags = [("highway", "primary"), (key, value)];
        Map::default().way(10, &[1, 2], &tags).extract().ways.remove(0).road
    };
    let lanes = [("2", Some(2)), ("2;3", Some(2)), ("1.5", Some(2)), ("0", None), ("many", None), ("-1", None), ("1e9", None)];
    for (text, expected) in lanes {
        assert_eq!(road("lanes", text).lanes, expected, "{text}");
    }
    let speeds = [
        ("50", Some(50.0)),
        ("30 mph", Some(48.280_32)),
        ("10 knots", Some(18.52)),
        ("80 km/h", Some(80.0)),
        ("50;70", Some(50.0)),
        ("PT:urban", Some(50.0)),
        ("DE:zone:30", Some(30.0)),
        ("PT:zone30", Some(30.0)),
        ("GB:zone20", Some(32.186_88)),
        ("DE:zone:fast", None),
        ("walk", Some(7.0)),
        ("none", Some(130.0)),
        ("signals", None),
        ("0", None),
        ("5000", None),
        ("50 furlongs", None),
        ("1.2.3", None),
        ("", None),
    ];
    for (text, expected) in speeds {
        assert_eq!(road("maxspeed", text).speed, expected, "{text}");
    }
    assert_eq!([("yes", true), ("no", false)].map(|(text, toll)| road("toll", text).toll == toll), [true; 2]);
    let types = [
        ("motorway", RoadType::Highway),
        ("trunk_link", RoadType::Highway),
        ("tertiary", RoadType::Major),
        ("living_street", RoadType::Local),
        ("road", RoadType::Other),
    ];
    for (highway, expected) in types {
        let extract = Map::default().way(10, &[1, 2], &[("highway", highway)]).extract();
        assert_eq!(extract.ways[0].road.road_type, expected, "{highway}");
    }
    let map = Map::drawn("1-2").way(10, &[1, 2], &[("highway", "service")]);
    let (_directory, path) = file("a.osm", map.xml().as_bytes());
    assert_eq!(Extract::read(path, true).unwrap().ways[0].road.road_type, RoadType::Other);
}

/// More events than are read between two looks.
fn large() -> String {
    let nodes: String = (100..20_000).map(|id| format!("<node id=\"{id}\" lat=\"1\" lon=\"2\"/>\n")).collect();
    sample().xml().replace("</osm>", &format!("{nodes}</osm>"))
}

#[test]
fn reading_is_watched_and_can_be_stopped() {
    let large = large();
    let cases =
        [("a.osm", large.clone().into_bytes()), ("a.osm.gz", gzip(large.as_bytes())), ("a.osm.pbf", sample().pbf(true, true))];
    for (name, content) in cases {
        let (_directory, path) = file(name, &content);
        let mut seen = Vec::new();
        let mut hear = |step: &Step<'_>| {
            seen.extend(step.parts());
            ControlFlow::Continue(())
        };
        let watched = Extract::read_watched(&path, false, &Watch::new(&mut hear)).unwrap();
        // The place of a node that is not there equals nothing, not even itself.
        let plain = Extract::read(&path, false).unwrap();
        assert_eq!((&watched.ways, watched.counts), (&plain.ways, plain.counts), "{name}");
        assert_eq!((watched.nodes.len(), watched.counts.missing_nodes), (6, 1), "{name}");
        // Both passes: the end of the first, and the end of all.
        let size = content.len();
        assert!(seen.iter().all(|one| one.1 == 2 * size) && seen.is_sorted(), "{name}: {seen:?}");
        assert!(seen.contains(&(size, 2 * size)) && seen.last() == Some(&(2 * size, 2 * size)), "{name}: {seen:?}");

        // Whenever it is stopped, it is an error that says so.
        for looks in 0..seen.len() {
            let mut heard = 0;
            let mut hear = |_: &Step<'_>| {
                heard += 1;
                if heard > looks { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let stopped = Extract::read_watched(&path, false, &Watch::new(&mut hear)).unwrap_err();
            assert!(matches!(stopped, Error::Stopped), "{name}: {stopped}");
        }
    }
}

#[test]
fn a_map_knows_where_it_is_from() {
    let source = |xml: &str| Extract::read_xml(xml.as_bytes(), false).unwrap().source;
    assert_eq!(source(&sample().xml()), Source::OpenStreetMap);
    for (program, expected) in [("revealed", Source::MadeUp), ("Overpass API 0.7", Source::OpenStreetMap)] {
        assert_eq!(source(&format!("<osm version=\"0.6\" generator=\"{program}\"></osm>")), expected);
    }
}

#[test]
fn rules_that_are_not_for_cars_are_counted() {
    let rule = |tags| Map::default().rule(10, 3, 11, tags).extract();
    assert_eq!(rule(&[("type", "restriction"), ("restriction", "only_straight_on")]).restrictions.len(), 1);
    assert_eq!(rule(&[("type", "restriction"), ("restriction:motorcar", "no_u_turn")]).restrictions.len(), 1);
    assert_eq!(rule(&[("type", "multipolygon")]).counts.restrictions, 0);
    let bound: [Tags<'_>; 3] = [
        &[("type", "restriction:motorcar"), ("restriction", "no_left_turn")],
        &[("type", "restriction:motor_vehicle"), ("restriction", "no_left_turn")],
        &[("type", "restriction:vehicle"), ("restriction", "no_left_turn")],
    ];
    for tags in bound {
        assert_eq!(rule(tags).restrictions.len(), 1, "{tags:?}");
    }
    assert_eq!(rule(&[("type", "restrictions"), ("restriction", "no_left_turn")]).counts.restrictions, 0);
    let skipped: [Tags<'_>; 7] = [
        &[("type", "restriction:hgv"), ("restriction", "no_left_turn")],
        &[("type", "restriction"), ("restriction", "no_left_turn"), ("hour_on", "07:00"), ("hour_off", "09:00")],
        &[("type", "restriction"), ("restriction", "no_left_turn"), ("day_on", "Monday"), ("day_off", "Friday")],
        &[("type", "restriction"), ("restriction:hgv", "no_left_turn")],
        &[("type", "restriction"), ("restriction", "no_left_turn"), ("except", "psv;motorcar")],
        &[("type", "restriction"), ("restriction:conditional", "no_left_turn @ (07:00-09:00)")],
        &[("type", "restriction"), ("restriction", "give_way")],
    ];
    for tags in skipped {
        let extract = rule(tags);
        assert_eq!((extract.restrictions.len(), extract.counts.restrictions_skipped), (0, 1), "{tags:?}");
    }
    let no = &[("type", "restriction"), ("restriction", "no_left_turn")];
    let over_ways = Map::default().relation(&[(1, 10, "from"), (1, 12, "via"), (1, 11, "to")], no).extract();
    assert_eq!(over_ways.counts.restrictions_via_ways, 1);
    let without_from = Map::default().relation(&[(0, 3, "via"), (1, 11, "to")], no).extract();
    assert_eq!(without_from.counts.restrictions_skipped, 1);
    let no_exit = &[("type", "restriction"), ("restriction", "no_exit")];
    let two = Map::default().relation(&[(1, 10, "from"), (0, 3, "via"), (1, 11, "to"), (1, 12, "to")], no_exit).extract();
    assert_eq!(two.restrictions.len(), 2);
}

fn complaint(name: &str, content: &[u8]) -> String {
    let (_directory, path) = file(name, content);
    let error = Extract::read(&path, false).unwrap_err().to_string();
    assert!(error.starts_with(path.to_str().unwrap()), "{error}");
    error[path.to_str().unwrap().len() + 2..].to_string()
}

#[test]
fn what_is_no_extract_is_said_to_be_none() {
    let xml = sample().xml();
    let starts = |name: &str, content: &[u8], expected: &str| {
        let found = complaint(name, content);
        assert!(found.starts_with(expected), "{name}: {found}");
    };
    starts("a.osm", b"", "not valid OpenStreetMap XML, at byte 0: there is no element <osm>");
    starts("a.osm", b"<html><body/></html>", "not valid OpenStreetMap XML, at byte 20: there is no element <osm>");
    starts("a.osm", &xml.as_bytes()[..xml.len() / 2], "not valid OpenStreetMap XML, at byte ");
    starts(
        "a.osm",
        b"<osm><node id=\"x\"/></osm>",
        "not valid OpenStreetMap XML, at byte 19: the id of a node is not a number",
    );
    starts("a.osm", b"<osm><way id=\"1\"><nd/></way></osm>", "not valid OpenStreetMap XML, at byte ");
    starts("a.osm", b"<osm><way></osm>", "not valid OpenStreetMap XML, at byte ");
    starts("a.osm.gz", xml.as_bytes(), "not valid OpenStreetMap XML, at byte 0: ");
    let packed = gzip(xml.as_bytes());
    starts("a.osm.gz", &packed[..packed.len() / 2], "not valid OpenStreetMap XML, at byte ");
    starts("a.osm.gz", &packed[..packed.len() - 3], "not valid OpenStreetMap XML, at byte ");
    starts("a.shp", xml.as_bytes(), "the extension is not known: give .osm.pbf, .osm or .osm.gz");
    starts("a.osm.pbf", b"", "not a complete .osm.pbf file: it is empty; download it again");
    starts(
        "a.osm.pbf",
        xml.as_bytes(),
        "not a complete .osm.pbf file: the blob at byte 0: its header would be longer than the format",
    );
    starts("a.osm.pbf", &blob("OSMData", b"", true), "not a complete .osm.pbf file: it does not begin with a header");
    let header = |feature: &[u8]| blob("OSMHeader", &bytes(4, feature), true);
    starts(
        "a.pbf",
        &header(b"HistoricalInformation"),
        "not a complete .osm.pbf file: the blob at byte 0: it holds the history of all versions",
    );
    starts(
        "a.pbf",
        &header(b"Novelty"),
        "not a complete .osm.pbf file: the blob at byte 0: it requires a reader that supports \"Novelty\"",
    );
    let directory = tempfile::tempdir().unwrap();
    let error = |name: &str| Extract::read(directory.path().join(name), false).unwrap_err().to_string();
    assert!(error("none.osm.pbf").contains("none.osm.pbf: No such file"), "{}", error("none.osm.pbf"));
    std::fs::create_dir(directory.path().join("folder.osm")).unwrap();
    assert!(error("folder.osm").ends_with("folder.osm: it is a directory: give a file"));
}

#[cfg(unix)]
#[test]
fn a_pipe_cannot_be_read_twice() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["pipe.osm", "pipe.osm.pbf"] {
        let path = directory.path().join(name);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let error = Extract::read(&path, false).unwrap_err().to_string();
        assert!(error.ends_with("it is not a regular file, and it must be read twice: save it as a file first"), "{error}");
    }
}

#[test]
fn a_file_without_roads_or_connections_is_no_network() {
    let network = |map: Map<'_>| map.try_network(NetworkOptions::default()).map(|_| ()).unwrap_err().to_string();
    let no_roads = Map::drawn("1-2").way(10, &[1, 2], &[("highway", "footway")]);
    assert!(network(no_roads).starts_with("there are no roads for cars"));
    assert!(network(Map::default().way(10, &[1, 2], STREET)).starts_with("there are no roads for cars"));
    let single = Map::drawn("1-2").way(10, &[1, 2], ONE_WAY);
    assert!(network(single).starts_with("none of the 1 segments can be left and reached again"));
}

#[test]
fn broken_pbf_is_an_error_or_harmless() {
    let sample = sample();
    for (dense, packed) in [(true, true), (true, false), (false, false)] {
        let whole = sample.pbf(dense, packed);
        let (_directory, path) = file("a.osm.pbf", &whole);
        let read = |content: &[u8]| {
            std::fs::write(&path, content).unwrap();
            Extract::read(&path, false)
        };
        let expected = read(&whole).unwrap();
        // Where a blob ends, a file may end.
        let mut ends = 0;
        for length in 0..whole.len() {
            ends += usize::from(read(&whole[..length]).is_ok());
        }
        assert_eq!(ends, 3, "the header, the nodes and the ways end there");
        let mut caught = 0;
        for place in 0..whole.len() {
            let mut broken = whole.clone();
            broken[place] ^= if place % 2 == 0 { 0xff } else { 0x01 };
            match read(&broken) {
                Ok(extract) => drop(Network::new(&extract, NetworkOptions::default())),
                Err(_) => caught += 1,
            }
        }
        // Checksums catch what is packed.
        let share = f64::from(caught) / whole.len() as f64;
        assert!(share > if packed { 0.9 } else { 0.2 }, "{share}");
        assert_eq!(read(&whole).unwrap().ways, expected.ways);
    }
}

#[test]
fn sizes_in_a_pbf_are_not_believed() {
    let header = blob("OSMHeader", &bytes(4, b"DenseNodes"), true);
    let with = |rest: &[u8]| complaint("a.osm.pbf", &[&header, rest].concat());
    // A blob that says that it has 2 GB, and one of 31 MB that are not there.
    let claims = |size: u64| {
        let header = [bytes(1, b"OSMData"), number(3, size)].concat();
        [(header.len() as u32).to_be_bytes().to_vec(), header].concat()
    };
    assert!(with(&claims(1 << 31)).contains("it would be longer than the format allows"));
    assert!(with(&claims(31 << 20)).contains("the file ends within it: it is truncated"));
    // 40 MB of zeros pack well.
    assert!(
        with(&blob("OSMData", &vec![0; 40 << 20], true)).contains("its decompressed size would be more than the format allows")
    );
    // A list that would be longer than its message.
    let list = [number(1, 5), vec![2 << 3 | 2], vec![0xff, 0xff, 0xff, 0xff, 0x7f]].concat();
    let group = bytes(2, &bytes(3, &list));
    assert!(with(&blob("OSMData", &group, true)).contains("a message ends before its last field"));
    // Blobs of kinds that are not known are skipped.
    let (_directory, path) = file("a.osm.pbf", &[header.clone(), blob("Novelty", b"xyz", true)].concat());
    assert!(Extract::read(path, false).unwrap().ways.is_empty());
}
