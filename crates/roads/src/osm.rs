//! Extracts of OpenStreetMap: `.osm.pbf`, `.osm`, `.osm.gz`.

mod pbf;
mod xml;

use std::collections::HashMap;
use std::path::Path;

use crate::error::{Error, Fault};
use crate::geometry::Position;
use crate::tags::{NotForCars, Road, road};

/// What a file holds, one after another.
pub(crate) enum Element<'a> {
    Node { id: i64, position: Position, tags: &'a [(&'a str, &'a str)] },
    Way { id: i64, nodes: &'a [i64], tags: &'a [(&'a str, &'a str)] },
    Relation { members: &'a [Member<'a>], tags: &'a [(&'a str, &'a str)] },
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

/// A node of a road.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoadNode {
    /// Where it is.
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
    /// The nodes that it goes through.
    pub nodes: Vec<i64>,
    /// What its tags say.
    pub road: Road,
}

/// A rule about a turn from one way over a node into another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restriction {
    /// The way that one comes from.
    pub from: i64,
    /// The node.
    pub via: i64,
    /// The way that one goes into.
    pub to: i64,
    /// `only_...`: all other turns are forbidden. Otherwise this one is.
    pub only: bool,
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
    /// Their nodes, by number.
    pub nodes: HashMap<i64, RoadNode>,
    /// Rules about turns.
    pub restrictions: Vec<Restriction>,
    /// What was left out.
    pub counts: OsmCounts,
}

impl Extract {
    /// Reads the roads of a file, in two passes: the ways first, and then their nodes, so that nothing else takes memory.
    /// Service ways only with `service`.
    ///
    /// # Errors
    /// If the file cannot be read, or is none of these formats.
    pub fn read(path: impl AsRef<Path>, service: bool) -> Result<Extract, Error> {
        let path = path.as_ref();
        let mut extract = Extract::default();
        scan(path, &mut |element| match element {
            Element::Way { id, nodes, tags } => extract.way(id, nodes, tags, service),
            Element::Relation { members, tags } => extract.relation(members, tags),
            Element::Node { .. } => {}
        })
        .map_err(|fault| fault.of(path))?;
        let nowhere =
            RoadNode { position: Position { lat: f64::NAN, lon: f64::NAN }, signal: false, crossing: false, barrier: false };
        extract.nodes = extract.ways.iter().flat_map(|way| &way.nodes).map(|&node| (node, nowhere)).collect();
        scan(path, &mut |element| {
            if let Element::Node { id, position, tags } = element
                && let Some(node) = extract.nodes.get_mut(&id)
            {
                *node = road_node(position, tags);
            }
        })
        .map_err(|fault| fault.of(path))?;
        let before = extract.nodes.len();
        extract.nodes.retain(|_, node| node.position.is_valid());
        extract.counts.missing_nodes = before - extract.nodes.len();
        Ok(extract)
    }

    fn way(&mut self, id: i64, nodes: &[i64], tags: &[(&str, &str)], service: bool) {
        let Some(found) = road(tags, service) else { return };
        self.counts.highways += 1;
        match found {
            Ok(road) => self.ways.push(RoadWay { id, nodes: nodes.to_vec(), road }),
            Err(NotForCars::Kind) => self.counts.other_kind += 1,
            Err(NotForCars::Access) => self.counts.closed += 1,
            Err(NotForCars::Area) => self.counts.areas += 1,
            Err(NotForCars::Reversible) => self.counts.reversible += 1,
        }
    }

    fn relation(&mut self, members: &[Member<'_>], tags: &[(&str, &str)]) {
        let get = |key: &str| tags.iter().find(|tag| tag.0 == key).map(|tag| tag.1);
        if !get("type").is_some_and(|kind| kind == "restriction" || kind.starts_with("restriction:")) {
            return;
        }
        self.counts.restrictions += 1;
        let rule = ["restriction:motorcar", "restriction:motor_vehicle", "restriction"].into_iter().find_map(get);
        let excepted =
            get("except").is_some_and(|list| list.split(';').any(|one| matches!(one.trim(), "motorcar" | "motor_vehicle")));
        let (Some(rule), false) = (rule, excepted) else {
            self.counts.restrictions_skipped += 1;
            return;
        };
        let of = |role: &str, kind: Kind| -> Vec<i64> {
            members.iter().filter(|member| member.role == role && member.kind == kind).map(|member| member.id).collect()
        };
        if !of("via", Kind::Way).is_empty() {
            self.counts.restrictions_via_ways += 1;
            return;
        }
        let only = rule.starts_with("only_");
        let (from, via, to) = (of("from", Kind::Way), of("via", Kind::Node), of("to", Kind::Way));
        if from.is_empty() || via.len() != 1 || to.is_empty() || !(only || rule.starts_with("no_")) {
            self.counts.restrictions_skipped += 1;
            return;
        }
        // no_entry and no_exit may have several.
        let each = from.iter().flat_map(|&from| to.iter().map(move |&to| (from, to)));
        self.restrictions.extend(each.map(|(from, to)| Restriction { from, via: via[0], to, only }));
    }
}

fn road_node(position: Position, tags: &[(&str, &str)]) -> RoadNode {
    let get = |key: &str| tags.iter().find(|tag| tag.0 == key).map(|tag| tag.1);
    let blocks =
        matches!(get("barrier"), Some("bollard" | "block" | "jersey_barrier" | "log" | "debris" | "cycle_barrier" | "planter"));
    let open = matches!(
        ["motorcar", "motor_vehicle", "vehicle", "access"].into_iter().find_map(get),
        Some("yes" | "permissive" | "designated")
    );
    RoadNode {
        position,
        signal: get("highway") == Some("traffic_signals") || get("crossing") == Some("traffic_signals"),
        crossing: get("highway") == Some("crossing"),
        barrier: blocks && !open,
    }
}

/// Shows every element of a file.
fn scan(path: &Path, visit: &mut dyn FnMut(Element<'_>)) -> Result<(), Fault> {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    if name.ends_with(".pbf") {
        pbf::scan(path, visit)
    } else if name.ends_with(".osm") || name.ends_with(".xml") {
        xml::scan(std::fs::File::open(path)?, visit)
    } else if name.ends_with(".osm.gz") || name.ends_with(".xml.gz") {
        xml::scan(flate2::read::MultiGzDecoder::new(std::fs::File::open(path)?), visit)
    } else {
        Err(Fault::Extension)
    }
}
