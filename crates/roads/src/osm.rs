//! Extracts of OpenStreetMap: `.osm.pbf`, `.osm`, `.osm.gz`.

mod part;
mod pbf;
mod restriction;
mod watch;
mod wire;
mod xml;

use std::path::Path;

use rayon::prelude::*;

use self::part::Part;
pub use self::restriction::{Restriction, RuleTurn};
use self::watch::Watch;
use crate::error::{Error, Fault};
use crate::geometry::Position;
use crate::source::Source;
use crate::tags::{Access, Road, access};

/// What a file holds, one after another.
pub(crate) enum Element<'a> {
    /// The program that wrote the file, by its own word.
    Generator(&'a str),
    Node {
        id: i64,
        position: Position,
        tags: &'a [(&'a str, &'a str)],
    },
    Way {
        id: i64,
        nodes: &'a [i64],
        tags: &'a [(&'a str, &'a str)],
    },
    Relation {
        members: &'a [Member<'a>],
        tags: &'a [(&'a str, &'a str)],
    },
}

/// A part of a relation.
pub(crate) struct Member<'a> {
    pub kind: Kind,
    pub id: i64,
    pub role: &'a str,
}

/// What a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Node,
    Way,
    Relation,
}

/// Which elements a pass over a file is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Nodes,
    /// Ways and relations.
    Rest,
}

type Visit<'a> = &'a (dyn Fn(Element<'_>, &mut Part) + Sync);
type Scan<'a> = &'a mut dyn FnMut(Wanted, Visit<'_>, &mut dyn FnMut(Part)) -> Result<(), Fault>;

/// A node of a road.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoadNode {
    /// Its number in OpenStreetMap.
    pub id: i64,
    /// Where it is; not a number if the file does not have the node, as at the edge of an extract.
    pub position: Position,
    /// Traffic lights.
    pub signal: bool,
    /// A crossing for people on foot.
    pub crossing: bool,
    /// Cars cannot pass: bollards and the like.
    pub barrier: bool,
}

/// A way that cars may use.
#[derive(Debug, Clone, PartialEq)]
pub struct RoadWay {
    /// Its number in OpenStreetMap.
    pub id: i64,
    /// The nodes that it goes through: indices into [`Extract::nodes`].
    pub nodes: Vec<u32>,
    /// What its tags say.
    pub road: Road,
}

/// What was read, and what was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OsmCounts {
    /// Ways with a tag `highway`.
    pub highways: usize,
    /// Of them, ways of a kind that cars do not use.
    pub other_kind: usize,
    /// Closed to cars.
    pub closed: usize,
    /// Areas.
    pub areas: usize,
    /// Ways whose direction changes with the hour.
    pub reversible: usize,
    /// Rules about turns.
    pub restrictions: usize,
    /// Rules over ways instead of a node, which are about three segments and not two: not applied.
    pub restrictions_via_ways: usize,
    /// Rules that are not for cars, hold at some hours only, or lack a part: not applied.
    pub restrictions_skipped: usize,
    /// Nodes of ways that the file does not have, as at the edge of an extract.
    pub missing_nodes: usize,
}

/// The roads of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Extract {
    /// The ways, in the order of the file.
    pub ways: Vec<RoadWay>,
    /// Their nodes, sorted by number.
    pub nodes: Vec<RoadNode>,
    /// Rules about turns.
    pub restrictions: Vec<Restriction>,
    /// What was left out.
    pub counts: OsmCounts,
    /// Where the data is from.
    pub source: Source,
}

impl Extract {
    /// Reads the roads of a file, in two passes: the ways first, and then their nodes, so that nothing else takes memory.
    /// Service ways only with `service`.
    ///
    /// # Errors
    /// If the file cannot be read, or is none of these formats.
    pub fn read(path: impl AsRef<Path>, service: bool) -> Result<Extract, Error> {
        Extract::read_watched(path, service, &mut |_, _| (), &|| false)
    }

    /// The same for large files. `progress` gets how many bytes are read, and how many there are to read: those of the file twice,
    /// as there are two passes. Once `stop` says so, reading ends with [`Fault::Stopped`].
    ///
    /// # Errors
    /// As [`read`](Self::read), and if it was stopped.
    pub fn read_watched(
        path: impl AsRef<Path>,
        service: bool,
        progress: &mut dyn FnMut(u64, u64),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Extract, Error> {
        let path = path.as_ref();
        let mut watch = Watch::new(path, progress, stop);
        Extract::of(service, &mut |wanted, visit, merge| scan(path, wanted, visit, merge, &mut watch))
            .map_err(|fault| fault.of(path))
    }

    /// Reads the roads of OpenStreetMap XML that is in memory. Service ways only with `service`.
    ///
    /// # Errors
    /// If it is no such XML.
    pub fn read_xml(xml: &[u8], service: bool) -> Result<Extract, Fault> {
        Extract::of(service, &mut |_, visit, merge| scan_xml(xml, visit, merge, &mut || Ok(())))
    }

    fn of(service: bool, scan: Scan<'_>) -> Result<Extract, Fault> {
        let (mut extract, mut ways) = (Extract::default(), Vec::new());
        let visit = |element: Element<'_>, part: &mut Part| match element {
            Element::Way { id, nodes, tags } => part.way(id, nodes, tags, service),
            Element::Relation { members, tags } => part.relation(members, tags),
            Element::Generator(program) => part.source = Source::of_generator(program),
            Element::Node { .. } => {}
        };
        let mut merge = |part: Part| {
            ways.extend(part.ways);
            extract.restrictions.extend(part.restrictions);
            extract.counts.add(&part.counts);
            if part.source != Source::default() {
                extract.source = part.source;
            }
        };
        scan(Wanted::Rest, &visit, &mut merge)?;
        let mut ids: Vec<i64> = ways.iter().flat_map(|way| &way.1).copied().collect();
        ids.par_sort_unstable();
        ids.dedup();
        if u32::try_from(ids.len()).is_err() {
            return Err(Fault::Content(format!("its roads have {} nodes, and 2^32 is too many", ids.len())));
        }
        let resolve = |(id, nodes, road): (i64, Vec<i64>, Road)| {
            let nodes = nodes.iter().filter_map(|node| ids.binary_search(node).ok()).map(|place| place as u32).collect();
            RoadWay { id, nodes, road }
        };
        extract.ways = ways.into_par_iter().map(resolve).collect();
        let nowhere = Position { lat: f64::NAN, lon: f64::NAN };
        extract.nodes = ids.iter().map(|&id| road_node(id, nowhere, &[])).collect();
        let visit = |element: Element<'_>, part: &mut Part| {
            if let Element::Node { id, position, tags } = element
                && let Ok(place) = ids.binary_search(&id)
            {
                part.nodes.push((place, road_node(id, position, tags)));
            }
        };
        let mut merge = |part: Part| part.nodes.into_iter().for_each(|(place, node)| extract.nodes[place] = node);
        scan(Wanted::Nodes, &visit, &mut merge)?;
        extract.counts.missing_nodes = extract.nodes.iter().filter(|node| !node.position.is_valid()).count();
        Ok(extract)
    }

    /// The node of this number in OpenStreetMap, as an index into [`nodes`](Self::nodes).
    pub fn node(&self, id: i64) -> Option<usize> {
        self.nodes.binary_search_by_key(&id, |node| node.id).ok()
    }
}

impl OsmCounts {
    fn add(&mut self, other: &OsmCounts) {
        self.highways += other.highways;
        self.other_kind += other.other_kind;
        self.closed += other.closed;
        self.areas += other.areas;
        self.reversible += other.reversible;
        self.restrictions += other.restrictions;
        self.restrictions_via_ways += other.restrictions_via_ways;
        self.restrictions_skipped += other.restrictions_skipped;
        self.missing_nodes += other.missing_nodes;
    }
}

fn road_node(id: i64, position: Position, tags: &[(&str, &str)]) -> RoadNode {
    let get = |key: &str| tags.iter().find(|tag| tag.0 == key).map(|tag| tag.1);
    // What is said of access decides for all barriers, and what they usually are where nothing is said.
    let barrier = match (get("barrier"), access(tags)) {
        (None, _) | (_, Access::Public) => false,
        (Some(_), Access::Closed) => true,
        (Some(kind), Access::Unknown) => {
            matches!(kind, "bollard" | "block" | "jersey_barrier" | "log" | "debris" | "cycle_barrier" | "planter")
        }
    };
    RoadNode {
        id,
        position,
        signal: get("highway") == Some("traffic_signals") || get("crossing") == Some("traffic_signals"),
        crossing: get("highway") == Some("crossing"),
        barrier,
    }
}

/// Shows the elements of a file.
fn scan(
    path: &Path,
    wanted: Wanted,
    visit: Visit<'_>,
    merge: &mut dyn FnMut(Part),
    watch: &mut Watch<'_>,
) -> Result<(), Fault> {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let [pbf, xml, packed] = [&[".pbf"] as &[&str], &[".osm", ".xml"], &[".osm.gz", ".xml.gz"]]
        .map(|endings| endings.iter().any(|ending| name.ends_with(ending)));
    if !(pbf || xml || packed) {
        return Err(Fault::Extension);
    }
    if path.is_dir() {
        return Err(Fault::Content("it is a directory: give a file".to_string()));
    }
    if !std::fs::metadata(path)?.is_file() {
        return Err(Fault::Content("it is no regular file, and it has to be read twice: save it as a file first".to_string()));
    }
    let file = watch.pass(std::fs::File::open(path)?);
    let mut look = || watch.look();
    match (pbf, xml) {
        (true, _) => pbf::scan(file, wanted, visit, merge, &mut look),
        (_, true) => scan_xml(file, visit, merge, &mut look),
        _ => scan_xml(flate2::read::MultiGzDecoder::new(file), visit, merge, &mut look),
    }
}

/// One element after another: there is nothing to be put together.
fn scan_xml(
    file: impl std::io::Read,
    visit: Visit<'_>,
    merge: &mut dyn FnMut(Part),
    look: &mut dyn FnMut() -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut part = Part::default();
    xml::scan(file, &mut |element: Element<'_>| visit(element, &mut part), look)?;
    merge(part);
    Ok(())
}
