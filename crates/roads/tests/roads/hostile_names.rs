//! Names of streets and ids of trips go to terminals and spreadsheets without commanding them.

use revealed::{Ends, PathModel, Watch, Work};
use revealed_roads::{CityOptions, MatchOptions, MatchOutputs, Matcher, city, likeliest_routes, match_files};

#[test]
fn names_of_streets_are_shown_escaped() {
    let mut city = city(&CityOptions { blocks: 12, ..CityOptions::default() }).unwrap();
    city.roads.network.ways.iter_mut().for_each(|way| way.name = "Rua\u{1b}[2J\nerror: forged\u{9b}m".to_string());
    let problem = city.roads.problem().unwrap();
    let reward = problem.features.reward(&problem.mdp, &city.theta).unwrap();
    let model = PathModel::new(&problem.mdp, reward, city.horizon, Ends::Goal).unwrap();
    let found = likeliest_routes(&city.roads, &model, [&[0], &[40]], 1, &Work::default()).unwrap();
    let text = found.description();
    assert!(text.contains("Rua\\u{1b}[2J\\u{a}error: forged\\u{9b}m"), "{text}");
    assert!(!text.contains(|character: char| character.is_control() && character != '\n'), "{text}");
}

#[test]
fn ids_in_tables_are_no_formulas_and_can_be_restored() {
    let city = city(&CityOptions { blocks: 12, ..CityOptions::default() }).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let [trips, paths, dropped] = ["trips.csv", "paths.jsonl", "dropped.csv"].map(|name| folder.path().join(name));
    let ids = ["=1+1", "+a", "-2", "@sum(a1)", "'quoted", "plain, with \"comma\"", "\u{7}bell"];
    let mut table = csv::Writer::from_path(&trips).unwrap();
    table.write_record(["trip", "lat", "lon", "time"]).unwrap();
    ids.iter().for_each(|id| table.write_record([id, "0", "0", "0"]).unwrap());
    table.flush().unwrap();
    let matcher = Matcher::new(&city.roads.network, MatchOptions { least_seconds: 0.0, ..MatchOptions::default() }).unwrap();
    let outputs = MatchOutputs { paths: &paths, details: true, lines: None, dropped: Some(&dropped) };
    let tally = match_files(&city.roads, &matcher, &trips, &outputs, &Work::default(), &Watch::none()).unwrap();
    assert_eq!((tally.trips, tally.matched), (ids.len(), 0));
    let mut table = csv::Reader::from_path(&dropped).unwrap();
    let cells: Vec<String> = table.records().map(|row| row.unwrap()[0].to_string()).collect();
    let runs = |cell: &String| cell.starts_with(['=', '+', '-', '@', '\u{7}']);
    assert!(!cells.iter().any(runs), "{cells:?}");
    let restored: Vec<&str> = cells.iter().map(|cell| cell.strip_prefix('\'').unwrap_or(cell)).collect();
    assert_eq!(restored, ids);
}
