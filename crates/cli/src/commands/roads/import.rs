//! `revealed roads import`: from a map to a road network that every command reads.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::TypedValueParser;
use revealed::{Step, Watch};
use revealed_roads::export::ExportFormat;
use revealed_roads::osm::OsmCounts;
use revealed_roads::{Group, Import, Imported, Network, NetworkOptions, OwnFeatures, Profile, ReadOptions};
use serde_json::json;

use crate::args::choice::choice;
use crate::files::output_file::{check_apart, check_extension, check_output};
use crate::terminal::notes::{note, status};
use crate::terminal::progress_bar::{Bar, Done};
use crate::terminal::{Failure, Output, interrupt};

/// Make a road network of an OpenStreetMap file or an edge list
#[derive(Args)]
#[command(after_help = "Example:\n  revealed roads import city.osm -o city.npz --features type,time,signals,turns")]
pub struct ImportArgs {
    /// OpenStreetMap (.osm.pbf, .osm, .osm.gz), or an edge list (.csv, .csv.gz)
    input: PathBuf,
    /// Where to write the network (.npz): a problem that every command reads
    #[arg(short, long, value_name = "ROADS")]
    output: PathBuf,
    /// Where the nodes of an edge list are: a table of node, lat and lon
    #[arg(long, value_name = "FILE")]
    nodes: Option<PathBuf>,
    /// Groups of features: paper (its four: lanes, type, speed, toll), length, time, link, segments, climb, steep,
    /// signals, crossings, turns, angle
    #[arg(long, value_name = "LIST", default_value = "paper")]
    features: String,
    /// A table of more features (.csv): a column `segment` or `way`, and one for each feature
    #[arg(long, value_name = "TABLE")]
    columns: Option<PathBuf>,
    /// The value for segments that are not in the table of --columns; without it, every segment has to be in it
    #[arg(long, value_name = "X", requires = "columns", allow_negative_numbers = true)]
    missing: Option<f64>,
    /// Skip rows of --columns and --turn-columns about segments, ways or turns that are not in the network; without it, such
    /// rows are an error
    #[arg(long)]
    skip_unknown: bool,
    /// Multiply the values of --columns by the length of each segment in metres, like the paper's features
    #[arg(long, requires = "columns")]
    per_metre: bool,
    /// A table of features of turns (.csv): the columns `from_segment` and `to_segment`, or `from_way` and `to_way`, and one
    /// for each feature; other turns have 0
    #[arg(long, value_name = "TABLE")]
    turn_columns: Option<PathBuf>,
    /// A table of elevations (.csv): `elevation` in metres, and `node` or `lat` and `lon`; otherwise the tag `ele` of nodes
    ///
    /// With `lat` and `lon`, a node has the mean of the nearest places within 100 m, by the inverse of their distance.
    #[arg(long, value_name = "TABLE")]
    elevation: Option<PathBuf>,
    /// A table of observed speeds (.csv) of `roads speeds`, for the feature `time`
    #[arg(long, value_name = "TABLE")]
    speeds: Option<PathBuf>,
    /// Join segments between which there is no choice into one state
    #[arg(long)]
    compress: bool,
    /// Allow U-turns on every two-way road, not only at dead ends
    #[arg(long)]
    u_turns: bool,
    /// Keep segments outside the largest strongly connected component, too
    #[arg(long)]
    keep_all: bool,
    /// Who travels: which ways are open, in which directions, and how fast [default: car]
    #[arg(long, value_parser = profile())]
    profile: Option<Profile>,
    /// Keep service ways (car parks, drives), too
    #[arg(long)]
    service: bool,
    /// Write the roads for other programs, too (.geojson, .fgb, .parquet, .gpkg); may be repeated
    #[arg(long, value_name = "FILE")]
    export: Vec<PathBuf>,
}

fn profile() -> impl TypedValueParser<Value = Profile> {
    choice(&Profile::ALL, Profile::name, |profile| match profile {
        Profile::Car => "Cars, at the speed limit or the usual speed",
        Profile::Bicycle => "Bicycles: also cycleways, paths and tracks; slower on rough surfaces",
        Profile::Foot => "Walkers: also footways, paths and steps; one-way streets both ways",
    })
}

/// After so long the user wants to know what the command is doing.
const LONG: Duration = Duration::from_secs(5);

/// Reads, makes the network, and writes it.
pub fn run(args: &ImportArgs, output: Output) -> Result<(), Failure> {
    check_output(&args.output, &[&args.input], "the network")?;
    check_extension(&args.output, "npz")?;
    for file in &args.export {
        check_output(file, &[&args.input, &args.output], "the roads")?;
        ExportFormat::of(file)?;
    }
    check_apart(&args.export.iter().map(|file| Some(file.as_path())).chain([Some(args.output.as_path())]).collect::<Vec<_>>())?;
    let plan = plan(args)?;
    if plan.is_edge_list() && args.profile.is_some() {
        return Err(Failure::new("--profile is for OpenStreetMap data: an edge list has the edges that are open"));
    }
    interrupt::listen();
    let begun = Instant::now();
    let imported = make(&plan, begun)?;
    interrupt::check(nothing_is_written)?;
    say(begun, "writing");
    imported.roads.save(&args.output)?;
    for file in &args.export {
        imported.roads.export(file, &[])?;
    }
    report(args, &imported, begun.elapsed().as_secs_f64(), output)
}

/// What the options say.
fn plan(args: &ImportArgs) -> Result<Import, Failure> {
    Ok(Import {
        input: args.input.clone(),
        nodes: args.nodes.clone(),
        groups: Group::parse(&args.features)?,
        columns: args.columns.clone(),
        own: OwnFeatures { missing: args.missing, skip_unknown: args.skip_unknown, per_metre: args.per_metre },
        turn_columns: args.turn_columns.clone(),
        elevation: args.elevation.clone(),
        speeds: args.speeds.clone(),
        compress: args.compress,
        network: NetworkOptions { u_turns: args.u_turns, keep_all: args.keep_all, no_copies: false },
        read: ReadOptions { service: args.service, profile: args.profile.unwrap_or_default() },
    })
}

/// Makes the network, with progress.
fn make(plan: &Import, begun: Instant) -> Result<Imported, Failure> {
    let mut bar = Bar::new();
    let mega = |bytes: usize| bytes.div_ceil(1_000_000);
    let mut hear = |step: &Step<'_>| {
        match step {
            Step::Stage { what, .. } => {
                std::mem::replace(&mut bar, Bar::new()).finish();
                say(begun, what);
            }
            step => {
                if let Some((done, all)) = step.parts() {
                    bar.show("MB read", Done::Of(mega(done), mega(all)), String::new);
                }
            }
        }
        interrupt::flow()
    };
    let imported = plan.run(&mut |text| note(text), &Watch::new(&mut hear));
    bar.finish();
    imported.map_err(|error| Failure::from(error).if_interrupted(nothing_is_written()))
}

/// After a long stage it prints the name of the next.
fn say(begun: Instant, what: &str) {
    if begun.elapsed() >= LONG {
        status(what);
    }
}

fn nothing_is_written() -> String {
    "the network is not finished, and nothing is written".to_string()
}

fn report(args: &ImportArgs, imported: &Imported, seconds: f64, output: Output) -> Result<(), Failure> {
    let (roads, network, file) = (&imported.roads, &imported.roads.network, &args.output);
    let mut words = String::new();
    if let Some(osm) = imported.osm {
        tell_osm(&mut words, osm, network, imported.profile());
    }
    let counts = network.counts;
    let (n_segments, km, nodes) = (network.n_originals(), imported.metres() / 1e3, network.nodes.len());
    let _ = writeln!(words, "segments        {n_segments}, {km:.0} km, {nodes} nodes");
    let _ = writeln!(words, "turns           {}; {} U-turns omitted", network.n_turns(), counts.u_turns);
    let _ = writeln!(words, "not connected   {} segments removed", counts.unconnected);
    let _ = writeln!(words, "states          {}, {} features", roads.n_states(), roads.features.names.len());
    let _ = writeln!(words, "written to {} in {seconds:.1} s", file.display());
    let mut json = imported.to_json();
    json["file"] = json!(file.display().to_string());
    json["seconds"] = json!(seconds);
    output.print(&words, &json)
}

/// What was read from OpenStreetMap, and what was not used.
fn tell_osm(words: &mut String, osm: OsmCounts, network: &Network, profile: Profile) {
    let (counts, who) = (network.counts, profile.travellers());
    let roads = osm.highways - osm.other_kind - osm.closed - osm.areas - osm.reversible;
    let _ = writeln!(words, "ways            {roads} roads for {who} of {} with a tag highway", osm.highways);
    let _ = writeln!(
        words,
        "skipped         {} of other kinds, {} closed to {who}, {} areas, {} reversible",
        osm.other_kind, osm.closed, osm.areas, osm.reversible
    );
    let _ = writeln!(
        words,
        "turn rules      {}; {} turns forbidden; {} rules are not for {who}, hold at some hours only or lack a part",
        osm.restrictions, counts.forbidden, osm.restrictions_skipped
    );
    if osm.restrictions_via_ways > 0 {
        let copies = network.n_segments() - network.n_originals();
        let _ = writeln!(
            words,
            "over a way      {} of these rules; {copies} copies of segments for those who come from certain roads",
            osm.restrictions_via_ways
        );
    }
    if counts.unclear_rules > 0 {
        let _ =
            writeln!(words, "not applied     {} rules do not say which of several turns they restrict", counts.unclear_rules);
    }
    if osm.missing_nodes > 0 {
        let _ = writeln!(words, "missing         {} nodes of these ways are not in the file", osm.missing_nodes);
    }
}
