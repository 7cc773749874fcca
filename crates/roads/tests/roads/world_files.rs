//! Road networks as files: our own, GeoJSON, FlatGeobuf, GeoParquet and GeoPackage.

use flatgeobuf::{FallibleStreamingIterator, FeatureProperties, FgbReader};
use revealed_formats::{Addition, ProblemColumns, load_additions};
use revealed_roads::export::ExportFormat;
use revealed_roads::{CityOptions, EdgeList, Group, NetworkOptions, Profile, Roads, Source, city};

use crate::helpers::map::{Map, ONE_WAY, STREET, segment};

/// With lights at 2, and a crossing at 5.
fn roads() -> Roads {
    let drawing = r"
        1-2-3
         ^| v
          5<4
    ";
    let network = Map::drawn(drawing)
        .tag(2, &[("highway", "traffic_signals")])
        .tag(5, &[("highway", "crossing")])
        .way(
            10,
            &[1, 2, 3],
            &[("highway", "primary"), ("name", "Rua \\ do Ouro"), ("lanes", "2"), ("maxspeed", "50"), ("toll", "yes")],
        )
        .way(11, &[3, 4, 5, 1], ONE_WAY)
        .way(12, &[2, 5], STREET)
        .network();
    Roads::new(network, &Group::ALL)
}

#[test]
fn what_is_saved_is_read_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("roads.npz");
    for roads in [roads(), roads().compressed()] {
        roads.save(&path).unwrap();
        let again = Roads::load(&path).unwrap();
        assert_eq!((&again.features, &again.chains), (&roads.features, &roads.chains));
        assert_eq!(again.network.nodes, roads.network.nodes);
        assert_eq!(again.network.ways, roads.network.ways);
        assert_eq!(again.network.segments, roads.network.segments);
        assert!(again.network.turns().eq(roads.network.turns()));
        let problem = revealed_formats::Problem::load(&path).unwrap();
        assert_eq!(problem.digest(), roads.problem().unwrap().digest());
    }
    let first = std::fs::read(&path).unwrap();
    roads().compressed().save(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), first, "the same network is the same file");
    let error = roads().save(directory.path().join("roads.json")).unwrap_err().to_string();
    assert!(error.ends_with("a road network is an .npz file: give it this extension"), "{error}");
}

#[test]
fn networks_know_where_they_are_from_and_old_files_are_of_openstreetmap() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("roads.npz");
    let mut roads = roads();
    assert_eq!(roads.network.source, Source::OpenStreetMap);
    for source in Source::ALL {
        roads.network.source = source;
        roads.save(&path).unwrap();
        assert_eq!(Roads::load(&path).unwrap().network.source, source);
    }
    let mut columns = ProblemColumns::load(&path).unwrap();
    columns.additions = load_additions(&path, "roads.").unwrap();
    columns.additions.retain(|addition| addition.0 != "roads.source");
    columns.save(&path).unwrap();
    assert_eq!(Roads::load(&path).unwrap().network.source, Source::OpenStreetMap);

    let city = city(&CityOptions { blocks: 12, ..CityOptions::default() }).unwrap();
    assert_eq!(city.roads.network.source, Source::MadeUp);
    let table = directory.path().join("edges.csv");
    std::fs::write(&table, "from,to,oneway,from_lat,from_lon,to_lat,to_lon\n1,2,no,41.1,-8.6,41.2,-8.6\n").unwrap();
    assert_eq!(EdgeList::read(&table, None, NetworkOptions::default()).unwrap().network.source, Source::Unknown);
}

/// Loads a file of which one array has been replaced or removed.
fn damaged(roads: &Roads, name: &str, array: Option<Addition>) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("roads.npz");
    roads.save(&path).unwrap();
    let mut columns = ProblemColumns::load(&path).unwrap();
    columns.additions = load_additions(&path, "roads.").unwrap();
    let before = columns.additions.len();
    columns.additions.retain(|addition| addition.0 != name);
    assert!(columns.additions.len() < before, "there is no {name}");
    columns.additions.extend(array.map(|array| (name.to_string(), array)));
    columns.save(&path).unwrap();
    Roads::load(&path).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn damaged_networks_are_refused() {
    let (fine, coarse) = (roads(), roads().compressed());
    let n = fine.n_states();
    let integers = |value: i64, n: usize| Some(Addition::Integers(vec![value; n]));
    let cases = [
        (damaged(&fine, "roads.node.lat", None), "the array \"roads.node.lat\" is missing: import the network again"),
        (damaged(&fine, "roads.node.lat", integers(1, 5)), "is of the wrong kind"),
        (
            damaged(&fine, "roads.node.lat", Some(Addition::Floats(vec![95.0; 5]))),
            "node 0 is at (95, 0), which is out of range",
        ),
        (damaged(&fine, "roads.source", Some(Addition::Texts(vec!["the moon".to_string()]))), "does not name a known source"),
        (damaged(&fine, "roads.source", integers(1, 1)), "does not name a known source"),
        (damaged(&fine, "roads.node.id", integers(1, 4)), "has 4 entries, and 5 are expected"),
        (damaged(&fine, "roads.segment.from", integers(7, n)), "entry 0 of \"roads.segment.from\" is 7, and there are 5"),
        (damaged(&fine, "roads.segment.way", integers(-1, n)), "entry 0 of \"roads.segment.way\" is -1, and there are 3"),
        (damaged(&fine, "roads.segment.length", Some(Addition::Floats(vec![f64::NAN; n]))), "segment 0 is NaN m long"),
        (damaged(&fine, "roads.way.name", integers(9, 3)), "entry 0 of \"roads.way.name\" is 9"),
        (damaged(&coarse, "roads.chain.segments", None), "the array \"roads.chain.segments\" is missing"),
        (damaged(&coarse, "roads.chain.segments", integers(0, n)), "do not have every segment once"),
        (damaged(&coarse, "roads.chain.offsets", integers(0, 3)), "do not have every segment once"),
        (damaged(&coarse, "roads.chain.offsets", None), "and the problem has"),
    ];
    for (found, expected) in cases {
        assert!(found.contains(expected), "{found}");
    }
    let mut swapped: Vec<i64> = (0..coarse.n_states())
        .flat_map(|state| coarse.segments_of(state).map(|segment| segment as i64).collect::<Vec<_>>())
        .collect();
    let last = swapped.len() - 1;
    swapped.swap(0, last);
    let found = damaged(&coarse, "roads.chain.segments", Some(Addition::Integers(swapped)));
    assert!(found.contains("import the network again"), "{found}");
}

#[test]
fn damaged_files_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("roads.npz");
    roads().compressed().save(&path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(whole.len() / 200) {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(Roads::load(&path).is_err(), "{length} bytes of {}", whole.len());
    }
    for place in (0..whole.len()).step_by(whole.len() / 300) {
        let mut broken = whole.clone();
        broken[place] ^= 0xff;
        std::fs::write(&path, &broken).unwrap();
        // Not every byte matters: dates of files in the archive do not.
        let _ = Roads::load(&path);
    }
    let columns = roads().problem().unwrap().columns();
    columns.save(&path).unwrap();
    let error = Roads::load(&path).unwrap_err().to_string();
    assert!(error.ends_with("it is a problem without a road network: make one with `revealed roads import`"), "{error}");
    assert!(Roads::load(directory.path().join("none.npz")).is_err());
    assert!(Roads::load(directory.path()).is_err());
}

#[test]
fn geojson_has_a_line_for_each_state() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("roads.geojson");
    for roads in [roads(), roads().compressed()] {
        let mut costs: Vec<f64> = (0..roads.n_states()).map(|state| state as f64 / 2.0).collect();
        costs[1] = f64::NAN;
        roads.export(&path, &[("cost", &costs)]).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(value["type"], "FeatureCollection");
        let features = value["features"].as_array().unwrap();
        assert_eq!(features.len(), roads.n_states());
        for (state, feature) in features.iter().enumerate() {
            let properties = &feature["properties"];
            let way = roads.network.way_of(roads.segments_of(state).next().unwrap());
            assert_eq!(properties["state"], state);
            assert_eq!(properties["way"], way.id);
            assert_eq!(properties["highway"], way.highway);
            assert_eq!(properties["name"].as_str().unwrap_or_default(), way.name);
            assert_eq!(properties["lanes"].as_u64(), way.lanes.map(u64::from));
            assert_eq!(properties["speed"].as_f64(), way.speed);
            assert_eq!(properties["toll"], way.toll);
            assert_eq!(properties["length"].as_f64(), Some(roads.length(state)));
            assert_eq!(properties["cost"].as_f64(), Some(costs[state]).filter(|cost| cost.is_finite()));
            assert_eq!(feature["geometry"]["type"], "LineString");
            let line = feature["geometry"]["coordinates"].as_array().unwrap();
            assert_eq!(line.len(), roads.line(state).len());
            for (place, position) in line.iter().zip(roads.line(state)) {
                assert!((place[0].as_f64().unwrap() - position.lon).abs() < 1e-7, "longitude first");
                assert!((place[1].as_f64().unwrap() - position.lat).abs() < 1e-7);
            }
        }
    }
}

#[test]
fn routes_are_lines_with_their_properties() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("routes.geojson");
    let roads = roads();
    let states: Vec<usize> = [(1, 2), (2, 3), (3, 4)].map(|(from, to)| segment(&roads.network, from, to)).to_vec();
    let properties = serde_json::json!({ "name": "a" });
    roads.export_routes(&path, &[(&states, &properties), (&states[1..], &properties)]).unwrap();
    let value: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let lines = [4, 3];
    for (feature, points) in value["features"].as_array().unwrap().iter().zip(lines) {
        assert_eq!(feature["properties"], properties);
        // Segments that follow each other share their ends.
        assert_eq!(feature["geometry"]["coordinates"].as_array().unwrap().len(), points);
    }
    assert_eq!(value["features"][0]["geometry"]["coordinates"][0], serde_json::json!([0.0, 0.001]), "longitude first");
    assert!(roads.export_routes(directory.path(), &[]).is_err());
}

#[test]
fn flatgeobuf_has_a_line_for_each_state() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("roads.fgb");
    let roads = roads().compressed();
    let costs: Vec<f64> = (0..roads.n_states()).map(|state| state as f64 / 2.0).collect();
    roads.export(&path, &[("cost", &costs)]).unwrap();
    let mut file = std::fs::File::open(&path).unwrap();
    let mut features = FgbReader::open(&mut file).unwrap().select_all().unwrap();
    let mut seen = vec![false; roads.n_states()];
    while let Some(feature) = features.next().unwrap() {
        let state = feature.property::<i64>("state").unwrap() as usize;
        let line = feature.geometry().unwrap().xy().unwrap();
        let expected: Vec<f64> = roads.line(state).iter().flat_map(|place| [place.lon, place.lat]).collect();
        assert_eq!(line.iter().collect::<Vec<f64>>(), expected);
        assert_eq!(feature.property::<f64>("cost").unwrap(), costs[state]);
        assert_eq!(feature.property::<f64>("length").unwrap(), roads.length(state));
        let way = roads.network.way_of(roads.segments_of(state).next().unwrap());
        assert_eq!(feature.property::<i64>("way").unwrap(), way.id);
        assert_eq!(feature.property::<String>("highway").unwrap(), way.highway);
        assert_eq!(feature.property::<bool>("toll").unwrap(), way.toll);
        assert_eq!(feature.property::<f64>("speed").ok(), way.speed);
        assert!(!std::mem::replace(&mut seen[state], true));
    }
    assert!(seen.iter().all(|seen| *seen));
}

#[test]
fn networks_know_who_travels() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("roads.npz");
    let mut roads = roads();
    for profile in Profile::ALL {
        roads.network.profile = profile;
        roads.save(&path).unwrap();
        assert_eq!(Roads::load(&path).unwrap().network.profile, profile);
        let has_it = load_additions(&path, "roads.profile").unwrap().len();
        assert_eq!(has_it, usize::from(profile != Profile::Car), "files of cars are as they were");
    }
}

/// What is in them is tested with geopandas, in `tests/command_line/test_exports.py`.
#[test]
fn tables_of_lines_are_the_same_each_time() {
    let directory = tempfile::tempdir().unwrap();
    for (name, begin, end) in [("roads.parquet", &b"PAR1"[..], &b"PAR1"[..]), ("roads.gpkg", b"SQLite format 3\0", b"")] {
        let path = directory.path().join(name);
        let write = |roads: &Roads| {
            roads.export(&path, &[]).unwrap();
            std::fs::read(&path).unwrap()
        };
        let file = write(&roads());
        assert!(file.starts_with(begin) && file.ends_with(end), "{name}");
        assert_eq!(file, write(&roads()), "{name}");
        assert_ne!(file, write(&roads().compressed()), "{name}");
        roads().export_routes(&path, &[]).unwrap();
        assert!(std::fs::read(&path).unwrap().starts_with(begin), "{name}: no lines");
    }
}

#[test]
fn exports_that_cannot_be_are_refused() {
    let roads = roads();
    let directory = tempfile::tempdir().unwrap();
    let n = roads.n_states();
    let zeros = vec![0.0; n];
    let error =
        |name: &str, columns: &[(&str, &[f64])]| roads.export(directory.path().join(name), columns).unwrap_err().to_string();
    assert!(ExportFormat::of("a.shp").unwrap_err().to_string().starts_with("a.shp: the extension is not known"));
    assert_eq!(ExportFormat::of("A.FGB").unwrap(), ExportFormat::FlatGeobuf);
    assert!(error("a.shp", &[]).ends_with("the extension is not known: give .geojson, .fgb, .parquet or .gpkg"));
    assert!(error("a.fgb", &[("cost", &zeros[1..])]).contains("the column \"cost\" has"));
    assert!(error("a.fgb", &[("length", &zeros)]).contains("the column \"length\" exists already"));
    assert!(error("a.fgb", &[("a", &zeros), ("a", &zeros)]).contains("the column \"a\" exists already"));
    assert!(error("a.gpkg", &[("Geometry", &zeros)]).contains("a GeoPackage cannot have a second column \"Geometry\""));
    let many: Vec<String> = (0..400).map(|number| format!("column_{number}")).collect();
    let many: Vec<(&str, &[f64])> = many.iter().map(|name| (name.as_str(), &zeros[..])).collect();
    assert!(error("a.gpkg", &many).contains("there are too many columns for the first page of a GeoPackage"));
    for name in ["no/a.geojson", "no/a.parquet", "no/a.gpkg"] {
        assert!(error(name, &[]).contains("cannot be written"));
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}
