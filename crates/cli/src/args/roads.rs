//! The command line of road networks.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{Ends, Inference, Search, Work};

/// `revealed roads`
#[derive(Subcommand)]
pub enum Roads {
    /// Make a road network of an OpenStreetMap file or an edge list
    #[command(after_help = "Example:\n  revealed roads import city.osm -o city.npz --features type,time,signals,turns")]
    Import(Import),
    /// Make up a small city with drivers whose preferences are known
    #[command(after_help = "Example:\n  revealed roads city -o city.osm --trips trips.csv --seed 1")]
    City(City),
    /// Find the roads that GPS trips took
    #[command(
        after_help = "Example:\n  revealed roads match city.npz trips.csv -o paths.jsonl --shortest 60 --dropped out.csv"
    )]
    Match(Match),
    /// Learn what drivers are after, from matched paths
    #[command(
        after_help = "Example:\n  revealed roads learn city.npz paths.jsonl -o taxi.json --held-out test.jsonl --train train.jsonl"
    )]
    Learn(Box<Learn>),
    /// Forecast the routes and destinations of trips, and compare with what was driven and with simpler forecasts
    #[command(after_help = "Example:\n  revealed roads evaluate city.npz taxi.json test.jsonl --train train.jsonl --maps maps")]
    Evaluate(Evaluate),
    /// Forecast a route between two places, or where a trip that was begun will end
    #[command(
        after_help = "Example:\n  revealed roads forecast city.npz taxi.json --from 10 --to 900 --k 3 --map route.svg\n  \
        revealed roads forecast city.npz taxi.json --trace trips.csv --map ends.png"
    )]
    Forecast(Forecast),
}

/// `revealed roads import`
#[derive(Args)]
pub struct Import {
    /// OpenStreetMap (.osm.pbf, .osm, .osm.gz), or an edge list (.csv, .csv.gz)
    pub input: PathBuf,
    /// Where to write the network (.npz): a problem that every command reads
    #[arg(short, long, value_name = "ROADS")]
    pub output: PathBuf,
    /// Where the nodes of an edge list are: a table of node, lat and lon
    #[arg(long, value_name = "FILE")]
    pub nodes: Option<PathBuf>,
    /// Groups of features: paper (its four: lanes, type, speed, toll), length, time, link, signals, crossings, turns, angle
    #[arg(long, value_name = "LIST", default_value = "paper")]
    pub features: String,
    /// A table of more features (.csv): a column `segment` or `way`, and one for each feature
    #[arg(long, value_name = "TABLE")]
    pub columns: Option<PathBuf>,
    /// What a segment has that is not in the table of --columns; without it, every segment has to be
    #[arg(long, value_name = "X", requires = "columns", allow_negative_numbers = true)]
    pub missing: Option<f64>,
    /// Skip rows of --columns about segments or ways that are not in the network; without it, there may be none
    #[arg(long, requires = "columns")]
    pub skip_unknown: bool,
    /// Multiply the values of --columns by the length of each segment in metres, as the paper's features are
    #[arg(long, requires = "columns")]
    pub per_metre: bool,
    /// Join segments between which there is no choice into one state
    #[arg(long)]
    pub compress: bool,
    /// Allow U-turns wherever a road is driven both ways, not at dead ends only
    #[arg(long)]
    pub u_turns: bool,
    /// Keep what is not in the largest strongly connected part, too
    #[arg(long)]
    pub keep_all: bool,
    /// Keep service ways (car parks, drives), too
    #[arg(long)]
    pub service: bool,
    /// Write the roads for other programs, too (.geojson, .fgb); may be repeated
    #[arg(long, value_name = "FILE")]
    pub export: Vec<PathBuf>,
}

/// `revealed roads city`
#[derive(Args)]
pub struct City {
    /// Where to write the map (.osm)
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Where to write GPS trips of its drivers (.csv, as the Porto taxis have it)
    #[arg(long, value_name = "FILE")]
    pub trips: Option<PathBuf>,
    /// Where to write the roads that they took (.jsonl)
    #[arg(long, value_name = "FILE")]
    pub paths: Option<PathBuf>,
    /// How many trips
    #[arg(short, value_name = "N", default_value_t = 1000)]
    pub n: usize,
    /// The same seed gives the same city and trips
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub seed: u64,
}

/// How trips are matched.
#[derive(Clone, Copy, ValueEnum)]
pub enum MatchMethod {
    /// A hidden Markov model (Newson and Krumm)
    Hmm,
    /// A particle filter, as in the paper
    Particles,
}

/// `revealed roads match`
#[derive(Args)]
pub struct Match {
    /// The road network
    pub roads: PathBuf,
    /// GPS trips: .csv or .csv.gz with TRIP_ID and POLYLINE as the Porto taxis have it, or with trip, lat, lon and time (seconds), a fix a row and those of a trip together; .gpx or .gpx.gz
    pub trips: PathBuf,
    /// Where to write the paths (.jsonl), each with its trip's id and a confidence
    #[arg(short, long, value_name = "PATHS")]
    pub output: PathBuf,
    /// Where to write the trips that were dropped, and why (.csv)
    #[arg(long, value_name = "FILE")]
    pub dropped: Option<PathBuf>,
    /// How trips are matched
    #[arg(long, value_enum, default_value = "hmm")]
    pub method: MatchMethod,
    /// Standard deviation of the GPS in metres
    #[arg(long, value_name = "M")]
    pub sigma: Option<f64>,
    /// Roads farther than this from a fix are not considered, in metres
    #[arg(long, value_name = "M")]
    pub radius: Option<f64>,
    /// Drop trips that take less time, in seconds; 120 by default, as in the paper
    #[arg(long, value_name = "S")]
    pub shortest: Option<f64>,
    /// Drop trips whose route is shorter, in metres; 250 by default, the shortest of the paper
    #[arg(long, value_name = "M")]
    pub least_metres: Option<f64>,
    /// Drop trips that leave this circle
    #[arg(long, value_name = "LAT,LON,KM", allow_hyphen_values = true)]
    pub area: Option<String>,
    /// Keep trips that take a segment twice
    #[arg(long)]
    pub keep_cyclic: bool,
    /// Seed of the particles
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub seed: u64,
    /// Threads to use; all cores by default. Any number gives the same paths
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// `revealed roads learn`
#[derive(Args)]
pub struct Learn {
    /// The road network
    pub roads: PathBuf,
    /// Matched paths (.jsonl or .npz)
    pub paths: PathBuf,
    /// Where to write the model (.json)
    #[arg(short, long, value_name = "MODEL")]
    pub output: PathBuf,
    /// Leave out paths of more states
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub longest: usize,
    /// Learn from a part of the paths and write the others here (.jsonl); no route is in both
    #[arg(long, value_name = "FILE")]
    pub held_out: Option<PathBuf>,
    /// The share of paths that are held out
    #[arg(long, value_name = "P", default_value_t = 0.3, requires = "held_out")]
    pub share: f64,
    /// Where to write the paths that were learned from (.jsonl)
    #[arg(long, value_name = "FILE")]
    pub train: Option<PathBuf>,
    /// The same seed holds out the same paths
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub seed: u64,
    /// What is learned: recursive-logit is the choice of a route between the ends of each trip; exact is the paper's model of whole trips
    #[arg(long, value_enum, default_value = "recursive-logit")]
    pub inference: Inference,
    /// Where a path may end [default: goal with recursive-logit, and else anywhere]
    #[arg(long, value_enum)]
    pub ends: Option<Ends>,
    /// Most states of a path of the model [default: the longest path]
    #[arg(long, value_name = "L")]
    pub horizon: Option<usize>,
    /// How theta is searched for
    #[command(flatten)]
    pub search: Search,
    /// How the work is done
    #[command(flatten)]
    pub work: Work,
}

/// `revealed roads evaluate`
#[derive(Args)]
pub struct Evaluate {
    /// The road network
    pub roads: PathBuf,
    /// The learned model
    pub model: PathBuf,
    /// Paths that the model has not seen (.jsonl or .npz)
    pub paths: PathBuf,
    /// The paths that it was learned from: for Ziebart's model and for where trips usually end
    #[arg(long, value_name = "FILE")]
    pub train: Option<PathBuf>,
    /// Where to write the numbers of every trip (.csv)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Folder for maps: costs, flows, trips
    #[arg(long, value_name = "DIR")]
    pub maps: Option<PathBuf>,
    /// Forecast the destinations of this many trips
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub destinations: usize,
    /// Seed of random weights and of the choice of trips
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub seed: u64,
    /// How the work is done
    #[command(flatten)]
    pub work: Work,
}

/// `revealed roads forecast`
#[derive(Args)]
#[command(override_usage = "revealed roads forecast [OPTIONS] --from <PLACE> --to <PLACE> <ROADS> <MODEL>\n       \
    revealed roads forecast [OPTIONS] --trace <FILE> <ROADS> <MODEL>")]
pub struct Forecast {
    /// The road network
    pub roads: PathBuf,
    /// The learned model
    pub model: PathBuf,
    /// Where the route begins: LAT,LON, or the number of a state
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true, requires = "to", required_unless_present = "trace")]
    pub from: Option<String>,
    /// Where it ends
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true, requires = "from")]
    pub to: Option<String>,
    /// How many routes, the likeliest first
    #[arg(long, value_name = "K", default_value_t = 1, requires = "from")]
    pub k: usize,
    /// A trip that was begun (.gpx, or the first of a .csv): where will it end?
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from", "to"])]
    pub trace: Option<PathBuf>,
    /// Draw it (.svg or .png)
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Write it for other programs (.geojson)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How the work is done
    #[command(flatten)]
    pub work: Work,
}
