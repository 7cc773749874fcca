//! `revealed roads import`: from a map to a road network that every command reads.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use revealed_roads::export::ExportFormat;
use revealed_roads::osm::OsmCounts;
use revealed_roads::{EdgeList, Extract, Group, Network, NetworkOptions, OwnFeatures, Roads};
use serde_json::{Value, json};

use crate::args::roads::Import;
use crate::commands::learn::{check_extension, check_output};
use crate::counter::Counter;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::Output;

/// Who has waited so long wants to know what is going on.
const LONG: Duration = Duration::from_secs(5);

/// Reads, makes the network, and writes it.
pub fn run(args: &Import, output: Output) -> Result<(), Failure> {
    check_output(&args.output, &[&args.input], "the network")?;
    check_extension(&args.output, "npz")?;
    for file in &args.export {
        check_output(file, &[&args.input, &args.output], "the roads")?;
        ExportFormat::of(file)?;
    }
    let groups = Group::parse(&args.features)?;
    let options = NetworkOptions { u_turns: args.u_turns, keep_all: args.keep_all };
    interrupt::listen();
    let begun = Instant::now();
    let (network, counts) = match is_table(&args.input) {
        true => {
            let list = EdgeList::read(&args.input, args.nodes.as_deref(), options)?;
            if !list.ignored.is_empty() {
                eprintln!("note: columns that mean nothing here are ignored: {}", list.ignored.join(", "));
            }
            (list.network, None)
        }
        false => {
            let extract = read(args)?;
            stage(begun, "making segments and turns")?;
            (Network::new(&extract, options)?, Some(extract.counts))
        }
    };
    stage(begun, "making features")?;
    let mut roads = Roads::new(network, &groups);
    if let Some(file) = &args.columns {
        let options = OwnFeatures { missing: args.missing, skip_unknown: args.skip_unknown, per_metre: args.per_metre };
        let read = roads.add_features(file, options)?;
        eprintln!("note: {} adds {}", file.display(), read.names.join(", "));
        if read.unknown > 0 {
            eprintln!("note: {} of its rows are about nothing in the network, and are skipped", read.unknown);
        }
        if read.missing > 0 {
            eprintln!("note: {} segments have no row, and get {}", read.missing, args.missing.unwrap_or_default());
        }
    }
    if args.compress {
        roads = roads.compressed();
    }
    stage(begun, "writing")?;
    roads.save(&args.output)?;
    for file in &args.export {
        roads.export(file, &[])?;
    }
    report(&roads, counts, begun.elapsed().as_secs_f64(), &args.output, output)
}

/// Reads an extract, with progress.
fn read(args: &Import) -> Result<Extract, Failure> {
    let mut counter = Counter::new("MB read");
    let mega = |bytes: u64| bytes.div_ceil(1_000_000) as usize;
    let mut progress = |done: u64, all: u64| counter.show(mega(done), mega(all));
    let extract = Extract::read_watched(&args.input, args.service, &mut progress, &interrupt::asked);
    counter.finish();
    match interrupt::asked() {
        true => Err(interrupted()),
        false => Ok(extract?),
    }
}

/// Goes on with the next stage, unless the user asked to stop; after a long one it says so.
fn stage(begun: Instant, what: &str) -> Result<(), Failure> {
    if interrupt::asked() {
        return Err(interrupted());
    }
    if begun.elapsed() >= LONG {
        eprintln!("{what}");
    }
    Ok(())
}

fn interrupted() -> Failure {
    Failure::Interrupted("the network is not made, and nothing is written".to_string())
}

fn is_table(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    name.ends_with(".csv") || name.ends_with(".csv.gz")
}

fn report(roads: &Roads, osm: Option<OsmCounts>, seconds: f64, file: &Path, output: Output) -> Result<(), Failure> {
    let network = &roads.network;
    let metres: f64 = network.segments.iter().map(|segment| segment.length).sum();
    let counts = network.counts;
    let mut words = String::new();
    if let Some(osm) = osm {
        let roads = osm.highways - osm.other_kind - osm.closed - osm.areas - osm.reversible;
        let _ = writeln!(words, "ways            {roads} roads for cars of {} with a tag highway", osm.highways);
        let _ = writeln!(
            words,
            "left out        {} of other kinds, {} closed to cars, {} areas, {} reversible",
            osm.other_kind, osm.closed, osm.areas, osm.reversible
        );
        let _ = writeln!(
            words,
            "turn rules      {}; {} turns forbidden; {} rules are not for cars, hold at some hours only or lack a part",
            osm.restrictions, counts.forbidden, osm.restrictions_skipped
        );
        if osm.restrictions_via_ways > 0 {
            let _ = writeln!(
                words,
                "not applied     {} rules over a way: they are about three roads, and a turn is between two",
                osm.restrictions_via_ways
            );
        }
        if counts.unclear_rules > 0 {
            let _ = writeln!(
                words,
                "not applied     {} rules at a node inside a road: they do not tell which of its turns they are about",
                counts.unclear_rules
            );
        }
        if osm.missing_nodes > 0 {
            let _ = writeln!(words, "missing         {} nodes of these ways are not in the file", osm.missing_nodes);
        }
    }
    let _ = writeln!(words, "segments        {}, {:.0} km, {} nodes", network.n_segments(), metres / 1e3, network.nodes.len());
    let _ = writeln!(words, "turns           {}; {} U-turns left out", network.n_turns(), counts.u_turns);
    let _ = writeln!(words, "not connected   {} segments left out", counts.unconnected);
    let _ = writeln!(words, "states          {}, {} features", roads.n_states(), roads.features.names.len());
    let _ = writeln!(words, "written to {} in {seconds:.1} s", file.display());
    let json = json!({
        "segments": network.n_segments(), "turns": network.n_turns(), "nodes": network.nodes.len(), "metres": metres,
        "states": roads.n_states(), "features": roads.features.names,
        "u_turns_left_out": counts.u_turns, "turns_forbidden": counts.forbidden, "rules_idle": counts.idle_rules,
        "rules_unclear": counts.unclear_rules,
        "unconnected_left_out": counts.unconnected, "osm": osm.map(of_osm),
        "file": file.display().to_string(), "seconds": seconds,
    });
    output.print(&words, &json)
}

fn of_osm(counts: OsmCounts) -> Value {
    json!({
        "highways": counts.highways, "other_kind": counts.other_kind, "closed": counts.closed, "areas": counts.areas,
        "reversible": counts.reversible, "restrictions": counts.restrictions,
        "restrictions_via_ways": counts.restrictions_via_ways, "restrictions_skipped": counts.restrictions_skipped,
        "missing_nodes": counts.missing_nodes,
    })
}
