//! Makes an extract of some million segments and imports it: `country [MILLIONS]` prints time and peak memory after
//! each stage.
//!
//! The country is a grid of streets with three bends between junctions, both ways, with names, lanes and limits as real
//! ones have.

#[path = "../tests/roads/helpers/pbf.rs"]
mod pbf;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::time::Instant;

use pbf::{blob, block, bytes, differences, list, number};
use revealed_roads::{Extract, Group, Network, NetworkOptions, Roads};

/// Elements in a block, as other writers do.
const BLOCK: usize = 8000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let millions: f64 = std::env::args().nth(1).map_or(Ok(1.0), |text| text.parse())?;
    // Each junction has a street to the east and one to the north, of four segments each way.
    let side = (millions * 1e6 / 16.0).sqrt().ceil() as i64;
    let directory = tempfile::tempdir()?;
    let [extract, network] = ["country.osm.pbf", "country.npz"].map(|name| directory.path().join(name));
    write(&extract, side)?;
    println!("extract of {:.1} MB; at the beginning {} MB", std::fs::metadata(&extract)?.len() as f64 / 1e6, peak());
    let clock = Instant::now();
    let stage = |name: &str| println!("{name}: {:.1} s, peak {} MB", clock.elapsed().as_secs_f64(), peak());
    let made = Extract::read(&extract, false)?;
    stage("read");
    let made = Network::new(&made, NetworkOptions::default())?;
    stage("segments and turns");
    let segments = made.n_segments() as f64;
    println!("{segments} segments, {} turns", made.n_turns());
    let roads = Roads::new(made, &Group::PAPER);
    stage("features");
    let roads = if std::env::args().any(|argument| argument == "--compress") { roads.compressed() } else { roads };
    roads.save(&network)?;
    stage("saved");
    println!(
        "{} states; {:.1} s and {:.0} MB for a million segments",
        roads.n_states(),
        clock.elapsed().as_secs_f64() / segments * 1e6,
        peak() as f64 / segments * 1e6
    );
    Ok(())
}

/// The largest memory so far in MB; 0 where the system does not tell.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()).unwrap_or(0) / 1000
}

fn write(path: &std::path::Path, side: i64) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(&blob("OSMHeader", &[bytes(4, b"OsmSchema-V0.6"), bytes(4, b"DenseNodes")].concat(), true))?;
    // Junction k is node 8k; the bends to the east are 8k + 1, 2, 3, and to the north 8k + 5, 6, 7. In units of 1e-7
    // degrees.
    let nodes: Vec<i64> = (0..side * side).flat_map(|k| [0, 1, 2, 3, 5, 6, 7].map(|part| 8 * k + part)).collect();
    let place = |node: i64| {
        let (k, part) = (node / 8, node % 8);
        let [east, north] = if part < 4 { [part, 0] } else { [0, part - 4] };
        [k / side * 10_000 + north * 2500, k % side * 10_000 + east * 2500]
    };
    for ids in nodes.chunks(BLOCK) {
        let column = |axis: usize| differences(ids.iter().map(|&id| place(id)[axis]));
        let dense = [list(1, differences(ids.iter().copied())), list(8, column(0)), list(9, column(1))].concat();
        file.write_all(&block(&bytes(2, &dense), &[String::new()], true))?;
    }
    let streets: Vec<(i64, i64, i64)> = (0..side * side)
        .flat_map(|k| [(k, 1, if (k + 1) % side == 0 { -1 } else { k + 1 }), (k, 5, k + side)])
        .filter(|street| (0..side * side).contains(&street.2))
        .collect();
    for (number_of_block, part) in streets.chunks(BLOCK).enumerate() {
        let mut texts: Vec<String> =
            ["", "highway", "residential", "tertiary", "name", "maxspeed", "50", "lanes", "2"].map(String::from).to_vec();
        let mut group = Vec::new();
        for (place, &(from, bend, to)) in part.iter().enumerate() {
            let id = number_of_block * BLOCK + place;
            let (mut keys, mut values) = (vec![1], vec![2 + u64::from(id.is_multiple_of(4))]);
            if id.is_multiple_of(4) {
                (keys, values) = ([keys, vec![5, 7]].concat(), [values, vec![6, 8]].concat());
            }
            keys.push(4);
            values.push(texts.len() as u64);
            texts.push(format!("Rua {id}"));
            let nodes = [8 * from, 8 * from + bend, 8 * from + bend + 1, 8 * from + bend + 2, 8 * to];
            let way = [number(1, id as u64), list(2, keys), list(3, values), list(8, differences(nodes))].concat();
            group.extend(bytes(3, &way));
        }
        file.write_all(&block(&group, &texts, true))?;
    }
    file.flush()
}
