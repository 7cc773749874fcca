//! The targets.

use std::fs;
use std::path::Path;

use crate::scratch::Scratch;
use crate::{differential, maps, readers, seeds};

/// Something that takes any bytes.
pub struct Target {
    /// Its name, which is that of its folder in the corpus.
    pub name: &'static str,
    /// Runs it. `Ok` means that the input was accepted; otherwise the message that a user would see. It panics if
    /// something is wrong with the program.
    pub run: fn(&mut Scratch, &[u8]) -> Result<(), String>,
    /// Valid inputs to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words that mean something in its format.
    pub words: &'static [&'static str],
}

const JSON: &[&str] = &[
    "null",
    "true",
    "-1",
    "0",
    "1e400",
    "1e308",
    "-0.0",
    "1e-320",
    "18446744073709551616",
    "9223372036854775807",
    "[]",
    "{}",
    "\"\"",
    "\"\\u0000\"",
    "NaN",
    "Infinity",
    "\u{feff}",
    "[[[[[[[[",
    ",",
    ":",
    "\"goal\"",
    "\"terminal\"",
    "\"horizon\"",
];
const NPY: &[&str] =
    &["<f8", "<i8", "|b1", "<U1", ">f4", "|O", "|S3", "(3,)", "(1, 2)", "()", "True", "False", "fortran_order"];
const CSV: &[&str] =
    &[",", "\"", "\n", "\r\n", "nan", "inf", "-1", "1e999", "4294967296", "[[", "]]", "null", "True", "yes", "no", "\u{feff}"];
const XML: &[&str] = &[
    "<node",
    "<way",
    "<relation",
    "<nd ref=\"",
    "<tag k=\"",
    "v=\"",
    "/>",
    "</osm>",
    "<![CDATA[",
    "<!--",
    "&#x0;",
    "&lt;",
    "<trkseg>",
    "<trkpt lat=\"",
    "<time>",
    "2013-07-01T00:00:00Z",
    "highway",
    "oneway",
    "maxspeed",
    "restriction",
    "<!DOCTYPE x [",
];

const fn reader(
    name: &'static str,
    run: fn(&mut Scratch, &[u8]) -> Result<(), String>,
    seeds: fn() -> Vec<Vec<u8>>,
    words: &'static [&'static str],
) -> Target {
    Target { name, run, seeds, words }
}

/// Every target: first the readers, then the comparisons.
pub static TARGETS: &[Target] = &[
    reader("problem_json", readers::problem_json, seeds::problem_json, JSON),
    reader("problem_npz", readers::problem_npz, seeds::problem_npz, NPY),
    reader("npz_raw", readers::npz_raw, seeds::npz_raw, NPY),
    reader("demonstrations_jsonl", readers::demonstrations_jsonl, seeds::demonstrations_jsonl, JSON),
    reader("demonstrations_npz", readers::demonstrations_npz, seeds::demonstrations_npz, NPY),
    reader("model_json", readers::model_json, seeds::model_json, JSON),
    reader("theta_json", readers::theta_json, seeds::theta_json, JSON),
    reader("samples_jsonl", readers::samples_jsonl, seeds::samples_jsonl, JSON),
    reader("samples_npz", readers::samples_npz, seeds::samples_npz, NPY),
    reader("pairs_csv", readers::pairs_csv, seeds::pairs_csv, CSV),
    reader("pairs_jsonl", readers::pairs_jsonl, seeds::pairs_jsonl, JSON),
    reader("prior_json", readers::prior_json, seeds::prior_json, JSON),
    reader("scenario_json", readers::scenario_json, seeds::scenario_json, JSON),
    reader("osm_xml", maps::osm_xml, seeds::osm_xml, XML),
    reader("osm_pbf", maps::osm_pbf, seeds::osm_pbf, &[]),
    reader("osm_pbf_raw", maps::osm_pbf_raw, seeds::osm_pbf_raw, &["OSMData", "OSMHeader", "OsmSchema-V0.6"]),
    reader("roads_npz", maps::roads_npz, seeds::roads_npz, NPY),
    reader("trips_uci", maps::trips_csv, seeds::trips_uci, CSV),
    reader("trips_plain", maps::trips_csv, seeds::trips_plain, CSV),
    reader("trips_gz", maps::trips_gz, seeds::trips_gz, &[]),
    reader("gpx", maps::gpx, seeds::gpx, XML),
    reader("edges_csv", maps::edges_csv, seeds::edges_csv, CSV),
    reader("columns_csv", maps::columns_csv, seeds::columns_csv, CSV),
    reader("engine_against_enumeration", differential::engine, seeds::any_bytes, &[]),
    reader("elimination_against_dense", differential::elimination, seeds::any_bytes, &[]),
    reader("viterbi_against_enumeration", differential::viterbi, seeds::any_bytes, &[]),
];

/// The target of this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

impl Target {
    /// Its seeds, and the inputs that are kept for it below a folder such as `fuzz/corpus`.
    pub fn inputs(&self, corpus: &Path) -> Vec<Vec<u8>> {
        let mut inputs = (self.seeds)();
        let kept = fs::read_dir(corpus.join(self.name)).into_iter().flatten().flatten();
        let mut files: Vec<_> = kept.map(|entry| entry.path()).collect();
        files.sort();
        inputs.extend(files.iter().filter_map(|file| fs::read(file).ok()));
        inputs
    }
}
