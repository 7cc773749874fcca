//! Matches tracks whose true routes are known, each on its own network, and prints how much of the length is right:
//! the benchmark of Kubička, Cela, Moulin, Mounier and Niculescu (2015).
//!
//! ```sh
//! cargo run --release -p revealed-roads --example tracks -- FOLDER [strict] [seconds between fixes]
//! ```
//!
//! The folder has four files for each track: `N.nodes.gz` (longitude, latitude), `N.arcs.gz` (from, to), `N.route.gz`
//! (the true arcs) and `N.track.gz` (longitude, latitude, seconds). Arcs with the same ends are the same road, because
//! the files do not distinguish them. "Right" is the length of the true arcs that were found, divided by the true length.
//! "Added" is the length of the other arcs that were found, divided by the true length. Newson and Krumm's mismatch is
//! the sum of what is missing and what is added. Seconds are of matching on one core, without reading.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::collections::HashMap;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use flate2::read::MultiGzDecoder;
use revealed_roads::{EdgeList, Fix, MatchOptions, Matcher, Network, NetworkOptions, Position, Trip};

/// How a track was matched, in metres.
#[derive(Default)]
struct Outcome {
    truth: f64,
    right: f64,
    added: f64,
    parts: usize,
    seconds: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let folder = PathBuf::from(words.next().ok_or("give the folder of the tracks")?);
    let (mut strict, mut every) = (false, 0.0);
    for word in words {
        if word == "strict" { strict = true } else { every = word.parse()? }
    }
    let mut names: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let name = entry?.file_name().to_string_lossy().to_string();
        names.extend(name.strip_suffix(".track.gz").map(str::to_string));
    }
    names.sort();
    let (mut all, mut shares, mut lost) = (Outcome::default(), 0.0, 0);
    println!("| track | km | right | added | parts | seconds |\n|---|---|---|---|---|---|");
    for name in &names {
        let one = track(&folder, name, strict, every)?;
        row(name, &one);
        all.truth += one.truth;
        all.right += one.right;
        all.added += one.added;
        all.parts += one.parts;
        all.seconds += one.seconds;
        shares += one.right / one.truth;
        lost += usize::from(one.parts == 0);
    }
    row("all", &all);
    let n = names.len() as f64;
    println!("\nmean of the tracks: {:.4} right; {lost} lost; {:.2} s a track", shares / n, all.seconds / n);
    Ok(())
}

fn row(name: &str, one: &Outcome) {
    let Outcome { truth, right, added, parts, seconds } = one;
    println!("| {name} | {:.1} | {:.4} | {:.4} | {parts} | {seconds:.2} |", truth / 1e3, right / truth, added / truth);
}

/// The lines of a file as numbers.
fn rows(file: PathBuf) -> Result<Vec<Vec<f64>>, Box<dyn Error>> {
    let mut found = Vec::new();
    for line in BufReader::new(MultiGzDecoder::new(std::fs::File::open(file)?)).lines() {
        found.push(line?.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>()?);
    }
    Ok(found)
}

fn track(folder: &Path, name: &str, strict: bool, every: f64) -> Result<Outcome, Box<dyn Error>> {
    let read = |kind: &str| rows(folder.join(format!("{name}.{kind}.gz")));
    let (nodes, arcs, route) = (read("nodes")?, read("arcs")?, read("route")?);
    let network = network(&nodes, &arcs)?;
    let mut trip = Trip { id: name.to_string(), ..Trip::default() };
    let mut next = f64::NEG_INFINITY;
    for row in read("track")? {
        if row[2] >= next {
            next = row[2] + every;
            trip.fixes.push(Fix { position: Position { lat: row[1], lon: row[0] }, seconds: Some(row[2]) });
        }
    }
    let options = MatchOptions { strict, least_seconds: 0.0, least_metres: 0.0, keep_cyclic: true, ..MatchOptions::default() };
    let matcher = Matcher::new(&network, options)?;
    let begun = Instant::now();
    let parts = matcher.match_parts(&trip).unwrap_or_default();
    let seconds = begun.elapsed().as_secs_f64();
    let metres = |&(from, to): &(i64, i64)| {
        let place = |node: i64| Position { lat: nodes[node as usize][1], lon: nodes[node as usize][0] };
        place(from).distance(place(to))
    };
    // As often as it is driven.
    let mut left: HashMap<(i64, i64), usize> = HashMap::new();
    let mut outcome = Outcome { parts: parts.len(), seconds, ..Outcome::default() };
    for arc in &route {
        let ends = (arcs[arc[0] as usize][0] as i64, arcs[arc[0] as usize][1] as i64);
        outcome.truth += metres(&ends);
        *left.entry(ends).or_default() += 1;
    }
    for &segment in parts.iter().flat_map(|part| &part.segments) {
        let segment = &network.segments[segment as usize];
        let ends = (network.nodes[segment.from as usize].id, network.nodes[segment.to as usize].id);
        match left.get_mut(&ends).filter(|left| **left > 0) {
            Some(left) => {
                *left -= 1;
                outcome.right += metres(&ends);
            }
            None => outcome.added += metres(&ends),
        }
    }
    Ok(outcome)
}

/// The network, by way of an edge list.
fn network(nodes: &[Vec<f64>], arcs: &[Vec<f64>]) -> Result<Network, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let files = ["nodes.csv", "edges.csv"].map(|name| folder.path().join(name));
    let mut table = std::io::BufWriter::new(std::fs::File::create(&files[0])?);
    writeln!(table, "node,lat,lon")?;
    for (node, place) in nodes.iter().enumerate() {
        writeln!(table, "{node},{},{}", place[1], place[0])?;
    }
    table.flush()?;
    let mut table = std::io::BufWriter::new(std::fs::File::create(&files[1])?);
    writeln!(table, "from,to")?;
    for arc in arcs {
        writeln!(table, "{},{}", arc[0], arc[1])?;
    }
    table.flush()?;
    let options = NetworkOptions { keep_all: true, ..NetworkOptions::default() };
    Ok(EdgeList::read(&files[1], Some(&files[0]), options)?.network)
}
