//! `roads match` with preferences, with rounds of learning, and as lines on a map.

use serde_json::Value;

use crate::helpers::Place;

/// A city, its network, trips with a fix a minute, and the preferences of its drivers by trips with more fixes.
fn place() -> Place {
    let place = Place::new();
    place.run("roads city -o city.osm --trips trips.csv --paths truth.jsonl -n 150 --seed 5").ended(0);
    place.run("roads import city.osm -o city.npz --features type,time,signals,turns").ended(0);
    place.run("roads match city.npz trips.csv -o paths.jsonl --min-seconds 0").ended(0);
    place.run("roads learn city.npz paths.jsonl -o drivers.json").ended(0);
    let mut sparse = String::from("trip,time,lat,lon,driver\n");
    for row in place.read("trips.csv").lines().skip(1) {
        let cells: Vec<&str> = row.trim_matches('"').split("\",\"").collect();
        let fixes: Vec<[f64; 2]> = serde_json::from_str(cells[8]).unwrap();
        for (at, [lon, lat]) in fixes.iter().enumerate().filter(|(at, _)| at % 4 == 0 || at + 1 == fixes.len()) {
            sparse += &format!("{},{},{lat},{lon},{}\n", cells[0], 15 * at, cells[4]);
        }
    }
    place.write("sparse.csv", sparse);
    place
}

fn lines(place: &Place, name: &str) -> Vec<Value> {
    place.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The mean share of states that are in both the route and the truth.
fn right(place: &Place, name: &str) -> f64 {
    let states = |one: &Value| -> Vec<u64> { one["states"].as_array().unwrap().iter().map(|s| s.as_u64().unwrap()).collect() };
    let truth = lines(place, "truth.jsonl");
    let paths = lines(place, name);
    let share = |path: &Value| {
        let truth = states(truth.iter().find(|one| one["id"] == path["id"]).unwrap());
        let path = states(path);
        path.iter().filter(|state| truth.contains(state)).count() as f64 / path.len().max(truth.len()) as f64
    };
    paths.iter().map(share).sum::<f64>() / paths.len() as f64
}

#[test]
fn preferences_and_times_find_the_routes_between_fixes_a_minute_apart() {
    let place = place();
    place.run("roads match city.npz sparse.csv -o lengths.jsonl --min-seconds 0").ended(0);
    let one =
        place.run("roads match city.npz sparse.csv -o model.jsonl --model drivers.json --min-seconds 0 --threads 1").ended(0);
    assert!(one.stdout.contains("matched"), "{}", one.stdout);
    let (lengths, model) = (right(&place, "lengths.jsonl"), right(&place, "model.jsonl"));
    assert!(model > lengths + 0.1 && model > 0.75, "{lengths} {model}");
    place.run("roads match city.npz sparse.csv -o two.jsonl --model drivers.json --min-seconds 0 --threads 2").ended(0);
    assert!(place.read("model.jsonl") == place.read("two.jsonl"), "the number of threads changes routes");

    let strict = "roads match city.npz sparse.csv -o new.jsonl --model drivers.json --strict";
    assert!(place.run(strict).ended(2).stderr.contains("--strict"));
    let particles = "roads match city.npz sparse.csv -o new.jsonl --model drivers.json --method particles";
    place.refuses(particles, &["leave out --strict and --method particles"]);
    place.run("roads import city.osm -o chains.npz --features type,time,signals,turns --compress").ended(0);
    let chains = place.run("roads match chains.npz sparse.csv -o new.jsonl --model drivers.json").ended(1).stderr;
    assert!(chains.contains("import it without --compress"), "{chains}");
}

#[test]
fn rounds_of_learning_write_a_model_that_other_commands_read() {
    let place = place();
    let line = "roads match city.npz sparse.csv -o refined.jsonl --learn 2 --learned learned.json --min-seconds 0 --json";
    let answer = place.run(line).json();
    let rounds = answer["rounds"].as_array().unwrap();
    assert!((1..=2).contains(&rounds.len()), "{answer}");
    assert!(rounds.iter().all(|round| (0.0..=1.0).contains(&round["changed"].as_f64().unwrap())), "{answer}");
    assert_eq!(answer["parts"].as_u64().unwrap() as usize, lines(&place, "refined.jsonl").len());
    place.run("roads match city.npz sparse.csv -o again.jsonl --model learned.json --min-seconds 0").ended(0);
    assert!(right(&place, "again.jsonl") > 0.6);
    let alone = place.run("roads match city.npz sparse.csv -o new.jsonl --learn 2").ended(2).stderr;
    assert!(alone.contains("--learned"), "{alone}");
}

#[test]
fn routes_are_lines_from_the_first_fix_to_the_last() {
    let place = place();
    let line = "roads match city.npz sparse.csv -o paths.jsonl --geojson lines.geojson --model drivers.json --min-seconds 0";
    place.run(line).ended(0);
    let drawn: Value = serde_json::from_str(&place.read("lines.geojson")).unwrap();
    let (features, paths) = (drawn["features"].as_array().unwrap(), lines(&place, "paths.jsonl"));
    assert_eq!(features.len(), paths.len());
    let sparse = place.read("sparse.csv");
    for (feature, path) in features.iter().zip(&paths) {
        let properties = &feature["properties"];
        assert_eq!((&properties["id"], &properties["part"]), (&path["id"], &path["part"]));
        assert_eq!(properties["trip"]["driver"], 20_000_001);
        let line = feature["geometry"]["coordinates"].as_array().unwrap();
        assert!(line.len() >= 2 && feature["geometry"]["type"] == "LineString");
        let id = format!("{},", path["id"].as_str().unwrap());
        let row = sparse.lines().find(|row| row.starts_with(&id)).unwrap();
        let fix: Vec<f64> = row.split(',').skip(2).take(2).map(|cell| cell.parse().unwrap()).collect();
        // Half a thousandth of a degree is some fifty metres.
        assert!((line[0][1].as_f64().unwrap() - fix[0]).abs() < 1e-3 && (line[0][0].as_f64().unwrap() - fix[1]).abs() < 1e-3);
        let times = path["times"].as_array().unwrap();
        assert_eq!(times.len(), path["states"].as_array().unwrap().len());
        assert!(times.windows(2).all(|pair| pair[0].as_f64() <= pair[1].as_f64()));
    }
}

#[test]
fn what_is_no_network_can_be_made_one() {
    let place = Place::new();
    place.run("roads city -o city.osm --trips trips.csv -n 5").ended(0);
    place.write("edges.csv", "from,to,from_lat,from_lon,to_lat,to_lon\n");
    place.write("broken.npz", "no archive");
    for name in ["city.osm", "edges.csv", "broken.npz"] {
        let words = [name, "is not a road network", "make one with `revealed roads import`"];
        place.refuses(&format!("roads match {name} trips.csv -o paths.jsonl"), &words);
    }
    let missing = place.run("roads match nothing.npz trips.csv -o paths.jsonl").ended(1).stderr;
    assert!(missing.contains("nothing.npz") && !missing.contains("import"), "{missing}");
}
