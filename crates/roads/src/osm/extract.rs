//! The roads of a file.

use std::path::Path;

use revealed::{Threads, Watch, parallel};

use super::element::{Element, TagSlice, VisitElement, Wanted};
use super::part::Part;
use super::passes::{Halt, Passes};
use super::profile::Profile;
use super::restriction::{Restriction, WayRestriction};
use super::source::Source;
use super::tags::{Road, elevation};
use super::{pbf, xml};
use crate::error::{Error, Fault};
use crate::files::{lower_case_name, refuse_directory};
use crate::geometry::Position;

/// A way with the ids of its nodes.
pub(super) type UnresolvedWay = (i64, Vec<i64>, Road);

/// One pass over a file: visits its elements, and merges the parts in the order of the file.
type Scan<'a> = &'a mut dyn FnMut(Wanted, VisitElement<'_>, &mut dyn FnMut(Part)) -> Result<(), Halt>;

/// Which roads are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// Whether service ways (car parks, drives) are read, too.
    pub service: bool,
    /// Who travels.
    pub profile: Profile,
}

/// A node of a road.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoadNode {
    /// Its id in OpenStreetMap.
    pub id: i64,
    /// Its position; NaN if the file does not have the node, as at the edge of an extract.
    pub position: Position,
    /// Whether it has traffic lights.
    pub signal: bool,
    /// Whether it is a pedestrian crossing.
    pub crossing: bool,
    /// Whether it cannot be passed, for a car for example because of a bollard.
    pub barrier: bool,
    /// Its elevation in metres, if it is tagged.
    pub elevation: Option<f64>,
}

/// A way that cars may use.
#[derive(Debug, Clone, PartialEq)]
pub struct RoadWay {
    /// Its id in OpenStreetMap.
    pub id: i64,
    /// Its nodes in order, as indices into [`Extract::nodes`].
    pub nodes: Vec<u32>,
    /// What its tags say.
    pub road: Road,
}

/// How many ways and restrictions were read, and how many were skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OsmCounts {
    /// Ways with a tag `highway`.
    pub highways: usize,
    /// Skipped: of a kind that cars do not use.
    pub other_kind: usize,
    /// Skipped: closed to cars.
    pub closed: usize,
    /// Skipped: areas.
    pub areas: usize,
    /// Skipped: the direction changes with the time of day.
    pub reversible: usize,
    /// Turn restrictions.
    pub restrictions: usize,
    /// Restrictions over a way or several instead of a node.
    pub restrictions_via_ways: usize,
    /// Restrictions that are not for cars, hold only at some hours, or are incomplete. They are not applied.
    pub restrictions_skipped: usize,
    /// Nodes of roads that the file does not have, as at the edge of an extract.
    pub missing_nodes: usize,
}

/// The roads of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Extract {
    /// The ways, in the order of the file.
    pub ways: Vec<RoadWay>,
    /// Their nodes, sorted by id.
    pub nodes: Vec<RoadNode>,
    /// Turn restrictions at a node.
    pub restrictions: Vec<Restriction>,
    /// Turn restrictions over ways.
    pub way_restrictions: Vec<WayRestriction>,
    /// What was read and skipped.
    pub counts: OsmCounts,
    /// The origin of the data.
    pub source: Source,
    /// Who travels on these roads.
    pub profile: Profile,
}

impl Extract {
    /// Reads the roads of a file in two passes, first the ways and then their nodes, so that memory holds nothing else.
    /// Service ways (car parks, drives) are read only with `service`.
    ///
    /// # Errors
    /// If the file cannot be read, or is not in one of the formats.
    pub fn read(path: impl AsRef<Path>, service: bool) -> Result<Extract, Error> {
        Extract::read_watched(path, service, &Watch::none())
    }

    /// The same for large files. `watch` counts bytes: the number of all is twice the size of the file because
    /// there are two passes.
    ///
    /// # Errors
    /// As [`read`](Self::read), and [`Error::Stopped`].
    pub fn read_watched(path: impl AsRef<Path>, service: bool, watch: &Watch<'_>) -> Result<Extract, Error> {
        Extract::read_for(path, ReadOptions { service, ..ReadOptions::default() }, watch)
    }

    /// The same for bicycles or walkers. Their speed takes the place of the speed limit.
    ///
    /// # Errors
    /// As [`read_watched`](Self::read_watched).
    pub fn read_for(path: impl AsRef<Path>, options: ReadOptions, watch: &Watch<'_>) -> Result<Extract, Error> {
        let path = path.as_ref();
        let mut passes = Passes::new(path, watch);
        Extract::of(options, &mut |wanted, visit, merge| scan(path, wanted, visit, merge, &mut passes))
            .map_err(|halt| halt.of(path))
    }

    /// Reads the roads of OpenStreetMap XML in memory. Service ways are read only with `service`.
    ///
    /// # Errors
    /// If it is not valid OpenStreetMap XML.
    pub fn read_xml(xml: &[u8], service: bool) -> Result<Extract, Fault> {
        Extract::read_xml_for(xml, ReadOptions { service, ..ReadOptions::default() })
    }

    /// The same for bicycles or walkers.
    ///
    /// # Errors
    /// As [`read_xml`](Self::read_xml).
    pub fn read_xml_for(xml: &[u8], options: ReadOptions) -> Result<Extract, Fault> {
        Extract::of(options, &mut |_, visit, merge| scan_xml(xml, visit, merge, &mut || Ok(()))).map_err(|halt| match halt {
            Halt::Fault(fault) => fault,
            Halt::Stopped => unreachable!("it has no watch"),
        })
    }

    fn of(options: ReadOptions, scan: Scan<'_>) -> Result<Extract, Halt> {
        let profile = options.profile;
        let (mut extract, ways) = read_ways(options, scan)?;
        let mut ids: Vec<i64> = ways.iter().flat_map(|way| &way.1).copied().collect();
        let threads = Threads::default();
        threads.run(|| parallel::sort_unstable(&mut ids));
        ids.dedup();
        if u32::try_from(ids.len()).is_err() {
            return Err(Fault::Content(format!("its roads have {} nodes: fewer than 2^32 can be read", ids.len())).into());
        }
        let resolve = |(id, nodes, road): UnresolvedWay| {
            let nodes = nodes.iter().filter_map(|node| ids.binary_search(node).ok()).map(|place| place as u32).collect();
            RoadWay { id, nodes, road }
        };
        extract.ways = threads.run(|| parallel::map(ways, resolve));
        let nowhere = Position { lat: f64::NAN, lon: f64::NAN };
        extract.nodes = ids.iter().map(|&id| road_node(id, nowhere, &[], profile)).collect();
        let visit = |element: Element<'_>, part: &mut Part| {
            if let Element::Node { id, position, tags } = element
                && let Ok(place) = ids.binary_search(&id)
            {
                part.nodes.push((place, road_node(id, position, tags, profile)));
            }
        };
        let mut merge = |part: Part| part.nodes.into_iter().for_each(|(place, node)| extract.nodes[place] = node);
        scan(Wanted::Nodes, &visit, &mut merge)?;
        extract.counts.missing_nodes = extract.nodes.iter().filter(|node| !node.position.is_valid()).count();
        Ok(extract)
    }

    /// The index in [`nodes`](Self::nodes) of the node with this id in OpenStreetMap.
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

/// The first pass: the ways with the ids of their nodes, and everything else that is no node.
fn read_ways(options: ReadOptions, scan: Scan<'_>) -> Result<(Extract, Vec<UnresolvedWay>), Halt> {
    let (mut extract, mut ways) = (Extract { profile: options.profile, ..Extract::default() }, Vec::new());
    let visit = |element: Element<'_>, part: &mut Part| match element {
        Element::Way { id, nodes, tags } => part.way(id, nodes, tags, options),
        Element::Relation { members, tags } => part.relation(members, tags, options.profile),
        Element::Generator(program) => part.source = Source::of_generator(program),
        Element::Node { .. } => {}
    };
    let mut merge = |part: Part| {
        ways.extend(part.ways);
        extract.restrictions.extend(part.restrictions);
        extract.way_restrictions.extend(part.way_restrictions);
        extract.counts.add(&part.counts);
        if part.source != Source::default() {
            extract.source = part.source;
        }
    };
    scan(Wanted::Rest, &visit, &mut merge)?;
    Ok((extract, ways))
}

fn road_node(id: i64, position: Position, tags: TagSlice<'_>, profile: Profile) -> RoadNode {
    let get = |key: &str| tags.iter().find(|tag| tag.0 == key).map(|tag| tag.1);
    RoadNode {
        id,
        position,
        signal: get("highway") == Some("traffic_signals") || get("crossing") == Some("traffic_signals"),
        crossing: get("highway") == Some("crossing"),
        barrier: profile.is_barred(tags),
        elevation: get("ele").and_then(elevation),
    }
}

/// Makes one pass over a file of any of the formats.
fn scan(
    path: &Path,
    wanted: Wanted,
    visit: VisitElement<'_>,
    merge: &mut dyn FnMut(Part),
    passes: &mut Passes<'_, '_>,
) -> Result<(), Halt> {
    refuse_directory(path)?;
    let name = lower_case_name(path);
    let [pbf, xml, packed] = [&[".pbf"] as &[&str], &[".osm", ".xml"], &[".osm.gz", ".xml.gz"]]
        .map(|endings| endings.iter().any(|ending| name.ends_with(ending)));
    if !(pbf || xml || packed) {
        return Err(Fault::Extension.into());
    }
    if !std::fs::metadata(path).map_err(Fault::Read)?.is_file() {
        let message = "it is not a regular file, and it must be read twice: save it as a file first";
        return Err(Fault::Content(message.to_string()).into());
    }
    let file = passes.begin(std::fs::File::open(path).map_err(Fault::Read)?);
    let mut look = || passes.look();
    match (pbf, xml) {
        (true, _) => pbf::scan(file, wanted, visit, merge, &mut look),
        (_, true) => scan_xml(file, visit, merge, &mut look),
        _ => scan_xml(flate2::read::MultiGzDecoder::new(file), visit, merge, &mut look),
    }
}

/// XML is read one element after another: it is all one part.
fn scan_xml(
    file: impl std::io::Read,
    visit: VisitElement<'_>,
    merge: &mut dyn FnMut(Part),
    look: &mut dyn FnMut() -> Result<(), Halt>,
) -> Result<(), Halt> {
    let mut part = Part::default();
    xml::scan(file, &mut |element: Element<'_>| visit(element, &mut part), look)?;
    merge(part);
    Ok(())
}
