//! What a network is made of, and how.

use std::path::{Path, PathBuf};

use revealed::{Step, Watch, shown};
use serde_json::{Value, json};

use crate::error::Error;
use crate::features::Group;
use crate::files::lower_case_name;
use crate::network::{EdgeList, Network, NetworkOptions};
use crate::osm::{Extract, OsmCounts, Profile, ReadOptions};
use crate::speeds::Slowness;
use crate::world::{OwnFeatures, Roads};

/// What a network is made of, and how.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Import {
    /// OpenStreetMap (`.osm.pbf`, `.osm`, `.osm.gz`), or an edge list (`.csv`, `.csv.gz`).
    pub input: PathBuf,
    /// The positions of the nodes of an edge list, if they are in a table of their own.
    pub nodes: Option<PathBuf>,
    /// The groups of features.
    pub groups: Vec<Group>,
    /// A table of more features of segments or ways.
    pub columns: Option<PathBuf>,
    /// How that table is read. Unknown rows of the table of turns are skipped as well.
    pub own: OwnFeatures,
    /// A table of features of turns.
    pub turn_columns: Option<PathBuf>,
    /// A table of elevations of nodes.
    pub elevation: Option<PathBuf>,
    /// A table of observed speeds, for the feature `time`.
    pub speeds: Option<PathBuf>,
    /// Whether segments between which there is no choice become one state.
    pub compress: bool,
    /// Which turns and segments the network has.
    pub network: NetworkOptions,
    /// Which roads of OpenStreetMap are read.
    pub read: ReadOptions,
}

/// A network, and what was read to make it.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The network with its features.
    pub roads: Roads,
    /// What OpenStreetMap has; `None` for an edge list.
    pub osm: Option<OsmCounts>,
}

impl Import {
    /// Whether the input is an edge list, by its extension.
    pub fn is_edge_list(&self) -> bool {
        let name = lower_case_name(&self.input);
        name.ends_with(".csv") || name.ends_with(".csv.gz")
    }

    /// Makes the network. `note` receives remarks on the tables. `watch` receives the bytes of a map that are read, and
    /// the stages after that.
    ///
    /// # Errors
    /// If a file cannot be read, if features need elevations or a table that are not there; [`Error::Stopped`].
    pub fn run(&self, note: &mut dyn FnMut(String), watch: &Watch<'_>) -> Result<Imported, Error> {
        let (mut network, osm) = self.network(note, watch)?;
        self.set_elevations(&mut network, note)?;
        stage("making features", watch)?;
        let mut roads = Roads::new(network, &self.groups);
        if let Some(file) = &self.speeds {
            let slowness = Slowness::load(file)?;
            roads.slow_down(&slowness, None).map_err(|error| Error::Network(format!("--speeds: {error}")))?;
        }
        if let Some(file) = &self.columns {
            self.add_columns(&mut roads, file, note)?;
        }
        if let Some(file) = &self.turn_columns {
            let read = roads.add_turn_features(file, self.own.skip_unknown)?;
            note(format!("{} adds {} to turns", file.display(), shown(&read.names.join(", "))));
            if read.unknown > 0 {
                note(format!("{} of its rows are about no turn of the network, and are skipped", read.unknown));
            }
        }
        if self.compress {
            roads = roads.compressed();
        }
        Ok(Imported { roads, osm })
    }

    fn network(&self, note: &mut dyn FnMut(String), watch: &Watch<'_>) -> Result<(Network, Option<OsmCounts>), Error> {
        if self.is_edge_list() {
            let list = EdgeList::read(&self.input, self.nodes.as_deref(), self.network)?;
            if !list.ignored.is_empty() {
                note(format!("unknown columns are ignored: {}", list.ignored.join(", ")));
            }
            if list.loops > 0 {
                note(format!("edges from a node to itself are skipped: {}; to keep one, put a node in between", list.loops));
            }
            return Ok((list.network, None));
        }
        let extract = Extract::read_for(&self.input, self.read, watch)?;
        stage("making segments and turns", watch)?;
        let network = Network::new(&extract, self.network).map_err(|error| error.in_file(&self.input))?;
        Ok((network, Some(extract.counts)))
    }

    /// Reads elevations, which some features need.
    fn set_elevations(&self, network: &mut Network, note: &mut dyn FnMut(String)) -> Result<(), Error> {
        if let Some(file) = &self.elevation {
            let set = network.read_elevations(file)?;
            note(format!("{} has the elevation of {set} of {} nodes", file.display(), network.nodes.len()));
        }
        let without = network.without_elevation();
        if without > 0 && self.groups.iter().any(|group| matches!(group, Group::Climb | Group::Steep)) {
            return Err(Error::Network(format!(
                "--features climb, steep: {without} of {} nodes have no elevation; give them by --elevation TABLE",
                network.nodes.len()
            )));
        }
        Ok(())
    }

    fn add_columns(&self, roads: &mut Roads, file: &Path, note: &mut dyn FnMut(String)) -> Result<(), Error> {
        let read = roads.add_features(file, self.own)?;
        note(format!("{} adds {}", file.display(), shown(&read.names.join(", "))));
        if read.unknown > 0 {
            note(format!("{} of its rows are not in the network, and are skipped", read.unknown));
        }
        if read.missing > 0 {
            note(format!("{} segments have no row, and get {}", read.missing, self.own.missing.unwrap_or_default()));
        }
        Ok(())
    }
}

impl Imported {
    /// Who travels on the network.
    pub fn profile(&self) -> Profile {
        self.roads.network.profile
    }

    /// For files: the size of the network, and what was left out.
    pub fn to_json(&self) -> Value {
        let network = &self.roads.network;
        let (n_segments, counts) = (network.n_originals(), network.counts);
        json!({
            "segments": n_segments, "copies": network.n_segments() - n_segments, "turns": network.n_turns(),
            "nodes": network.nodes.len(), "metres": self.metres(), "states": self.roads.n_states(),
            "features": self.roads.features.names, "u_turns_left_out": counts.u_turns, "turns_forbidden": counts.forbidden,
            "rules_idle": counts.idle_rules, "rules_unclear": counts.unclear_rules, "unconnected_left_out": counts.unconnected,
            "osm": self.osm.map(of_osm),
        })
    }

    /// The length of all segments, in metres. Copies do not count.
    pub fn metres(&self) -> f64 {
        let network = &self.roads.network;
        network.segments[..network.n_originals()].iter().map(|segment| segment.length).sum()
    }
}

fn of_osm(counts: OsmCounts) -> Value {
    json!({
        "highways": counts.highways, "other_kind": counts.other_kind, "closed": counts.closed, "areas": counts.areas,
        "reversible": counts.reversible, "restrictions": counts.restrictions,
        "restrictions_via_ways": counts.restrictions_via_ways, "restrictions_skipped": counts.restrictions_skipped,
        "missing_nodes": counts.missing_nodes,
    })
}

/// Continues with the next stage, unless the caller asked to stop.
fn stage(what: &'static str, watch: &Watch<'_>) -> Result<(), Error> {
    match watch.tell(&Step::Stage { what, done: 0, all: 0 }) {
        std::ops::ControlFlow::Break(()) => Err(Error::Stopped),
        std::ops::ControlFlow::Continue(()) => Ok(()),
    }
}
