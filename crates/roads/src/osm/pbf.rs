//! Protocol buffers, as Geofabrik and others publish them.

use std::path::Path;

use osmpbf::{Element as Pbf, ElementReader, RelMemberType};

use super::{Element, Kind, Member};
use crate::error::Fault;
use crate::geometry::Position;

pub(super) fn scan(path: &Path, visit: &mut dyn FnMut(Element<'_>)) -> Result<(), Fault> {
    let reader = ElementReader::from_path(path).map_err(|error| Fault::Pbf(error.to_string()))?;
    let mut nodes = Vec::new();
    let read = reader.for_each(|element| match element {
        Pbf::Node(node) => {
            let tags: Vec<(&str, &str)> = node.tags().collect();
            visit(Element::Node { id: node.id(), position: Position { lat: node.lat(), lon: node.lon() }, tags: &tags });
        }
        Pbf::DenseNode(node) => {
            let tags: Vec<(&str, &str)> = node.tags().collect();
            visit(Element::Node { id: node.id(), position: Position { lat: node.lat(), lon: node.lon() }, tags: &tags });
        }
        Pbf::Way(way) => {
            nodes.clear();
            nodes.extend(way.refs());
            let tags: Vec<(&str, &str)> = way.tags().collect();
            visit(Element::Way { id: way.id(), nodes: &nodes, tags: &tags });
        }
        Pbf::Relation(relation) => {
            let known = |member: &osmpbf::elements::RelMember<'_>| {
                let kind = match member.member_type {
                    RelMemberType::Node => Kind::Node,
                    RelMemberType::Way => Kind::Way,
                    RelMemberType::Relation => Kind::Relation,
                };
                (kind, member.member_id, member.role().unwrap_or("").to_string())
            };
            let members: Vec<_> = relation.members().map(|member| known(&member)).collect();
            let members: Vec<Member<'_>> =
                members.iter().map(|(kind, id, role)| Member { kind: *kind, id: *id, role }).collect();
            let tags: Vec<(&str, &str)> = relation.tags().collect();
            visit(Element::Relation { members: &members, tags: &tags });
        }
    });
    read.map_err(|error| Fault::Pbf(error.to_string()))
}
