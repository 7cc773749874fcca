//! The settings of a run.

use std::path::PathBuf;

/// The settings of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// How often each case is repeated; the paper's number unless set.
    pub repeats: Option<usize>,
    /// The same seed gives the same results, except for timings.
    pub seed: u64,
    /// Fewer repeats and cases, for a first look.
    pub quick: bool,
    /// The number of threads; one for each core unless set. It does not change the results.
    pub threads: Option<usize>,
    /// The raw files of the experiment `porto`.
    pub porto: PortoFiles,
    /// The commit that the program was built from, if it is known. It is shown in the report.
    pub commit: Option<String>,
}

impl Settings {
    /// The number of repeats: as set, or the paper's number, or fewer for a first look.
    pub(crate) fn repeats(&self, paper: usize, quick: usize) -> usize {
        self.repeats.unwrap_or(if self.quick { quick } else { paper })
    }
}

/// The raw files of the experiment `porto`.
#[derive(Debug, Clone, PartialEq)]
pub struct PortoFiles {
    /// GPS trips, in the format of UCI's taxi data.
    pub trips: PathBuf,
    /// The map, from OpenStreetMap.
    pub map: PathBuf,
    /// Recorded tracks, each with its map: matched and drawn if the files exist.
    pub tracks: Vec<[PathBuf; 2]>,
}

impl Default for PortoFiles {
    fn default() -> Self {
        let data = |file: &str| PathBuf::from("../shared/data").join(file);
        let track = |map: &str, track: &str| [map, track].map(|file| data("osm_fixtures").join(file));
        PortoFiles {
            trips: data("porto_trips/porto_trips_17084.csv.gz"),
            map: data("porto_osm/porto_2022-11.osm.gz"),
            tracks: vec![track("andorra.osm.pbf", "andorra_for_map_matching.gpx"), track("map-issue13.osm.gz", "issue-13.gpx")],
        }
    }
}

impl PortoFiles {
    /// The file that does not exist, and the remedy.
    pub(crate) fn missing(&self) -> Option<String> {
        let missing = [("--trips", &self.trips), ("--osm", &self.map)].into_iter().find(|(_, path)| !path.is_file());
        missing.map(|(option, path)| {
            format!(
                "porto needs {}, which does not exist: give GPS trips with --trips and OpenStreetMap with --osm; `revealed roads city` generates \
                 both ({option} is missing)",
                path.display()
            )
        })
    }
}
