//! Tests with data that is not ours to publish: the map and the table of Porto, and tracks that others recorded. They
//! are reported as ignored where their files are absent.

#[path = "roads/helpers/drives.rs"]
mod drives;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Trial};
use revealed_roads::matching::{MatchOptions, Matched, Matcher, Method};
use revealed_roads::{EdgeList, Extract, Network, NetworkOptions, Plane, Trip, Trips, nearest};

fn main() -> ExitCode {
    let trials = vec![
        with_files("drives_in_porto_are_found", ["porto_osm/porto_2022-11.osm.gz"], drives_in_porto_are_found),
        with_files(
            "the_table_of_porto_is_the_network_of_porto",
            ["porto_osm/porto_drive_segments.csv.gz", "porto_osm/porto_drive_nodes.csv.gz"],
            the_table_of_porto_is_the_network_of_porto,
        ),
        with_files(
            "the_track_of_andorra_lies_on_its_route",
            ["osm_fixtures/andorra.osm.pbf", "osm_fixtures/andorra_for_map_matching.gpx"],
            a_track_lies_on_its_route,
        ),
        with_files(
            "the_track_of_issue_13_lies_on_its_route",
            ["osm_fixtures/map-issue13.osm.gz", "osm_fixtures/issue-13.gpx"],
            a_track_lies_on_its_route,
        ),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A test that needs files of the folder `shared/data` beside the repository.
fn with_files<const N: usize>(name: &str, files: [&'static str; N], test: fn([PathBuf; N])) -> Trial {
    Trial::ignorable_test(name, move || {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
        if let Some(absent) = files.iter().find(|file| !data.join(file).exists()) {
            return Ok(Completion::ignored_with(format!("{absent} is absent")));
        }
        test(files.map(|file| data.join(file)));
        Ok(Completion::Completed)
    })
}

fn drives_in_porto_are_found([map]: [PathBuf; 1]) {
    let network = Network::new(&Extract::read(map, false).unwrap(), NetworkOptions::default()).unwrap();
    let (hmm, dropped) = drives::right(&network, 500, Method::Hmm);
    let (particles, lost) = drives::right(&network, 100, Method::Particles);
    eprintln!("Porto: HMM {hmm:.4} right, {dropped} dropped; particles {particles:.4}, {lost} of 100 dropped");
    assert!(hmm > 0.97 && particles > 0.8 && particles < hmm, "{hmm} {particles}");
}

fn the_table_of_porto_is_the_network_of_porto([edges, nodes]: [PathBuf; 2]) {
    let options = NetworkOptions { keep_all: true, ..NetworkOptions::default() };
    let all = EdgeList::read(&edges, Some(&nodes), options).unwrap();
    assert_eq!((all.network.n_segments(), all.network.n_turns()), (87_988, 104_104));
    assert_eq!(all.ignored, ["junction", "bridge"]);
}

/// The fixes of a track, the network of its map, and the route that was found.
fn track([map, gpx]: &[PathBuf; 2]) -> (Trip, Network, Matched) {
    let network =
        Network::new(&Extract::read(map, true).unwrap(), NetworkOptions { keep_all: true, ..NetworkOptions::default() })
            .unwrap();
    let trip = Trips::first(gpx).unwrap();
    let options =
        MatchOptions { least_seconds: 0.0, least_metres: 0.0, keep_cyclic: true, fastest: 1e4, ..MatchOptions::default() };
    let found = Matcher::new(&network, options).unwrap().match_trip(&trip).unwrap();
    (trip, network, found)
}

/// The share of a line that lies within `within` metres of another, by points a metre apart.
fn share_near(line: &[[f64; 2]], other: &[[f64; 2]], within: f64) -> f64 {
    let (mut near, mut all) = (0.0, 0.0);
    for pair in line.windows(2) {
        let [[ax, ay], [bx, by]] = [pair[0], pair[1]];
        let count = (bx - ax).hypot(by - ay).ceil() as usize;
        for step in 0..count {
            let share = step as f64 / count as f64;
            let point = [ax + share * (bx - ax), ay + share * (by - ay)];
            let distance = other.windows(2).map(|pair| nearest(pair[0], pair[1], point).1).fold(f64::INFINITY, f64::min);
            near += f64::from(u8::from(distance <= within));
            all += 1.0;
        }
    }
    near / all
}

fn a_track_lies_on_its_route(files: [PathBuf; 2]) {
    let (trip, network, found) = track(&files);
    let plane = Plane::at(trip.fixes[0].position);
    let fixes: Vec<[f64; 2]> = trip.fixes.iter().map(|fix| plane.project(fix.position)).collect();
    let mut line = vec![plane.project(network.ends_of(found.segments[0] as usize)[0])];
    line.extend(found.segments.iter().map(|&segment| plane.project(network.ends_of(segment as usize)[1])));
    let (route, back) = (share_near(&line, &fixes, 20.0), share_near(&fixes, &line, 20.0));
    eprintln!(
        "{} fixes, {} used; {route:.3} of the route and {back:.3} of the track within 20 m, confidence {:.3}",
        trip.fixes.len(),
        found.used,
        found.confidence
    );
    assert!(route > 0.9 && back > 0.9, "{route} {back}");
}
