//! An OpenStreetMap document.

use std::fmt::Write;

use crate::geometry::{Plane, Position};

/// The position of the city: in the Atlantic, so that it cannot be mistaken for a real place.
const CENTRE: Position = Position { lat: 43.0, lon: -20.0 };

/// The tags of a node, a way or a relation.
pub(super) type Tags = Vec<(&'static str, String)>;

/// Nodes, ways and turn restrictions. Their ids in the file are their indices, from 1.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// Metres to the east and north of the centre.
    pub nodes: Vec<([f64; 2], Tags)>,
    pub ways: Vec<(Vec<usize>, Tags)>,
    pub rules: Vec<Rule>,
}

/// A turn restriction: from a way over a node into a way.
#[derive(Debug)]
pub(super) struct Rule {
    pub from: usize,
    pub via: usize,
    pub to: usize,
    pub kind: &'static str,
}

impl Document {
    pub fn node(&mut self, at: [f64; 2]) -> usize {
        self.nodes.push((at, Tags::new()));
        self.nodes.len() - 1
    }

    /// Adds a tag to a node, unless it has one with this key.
    pub fn tag(&mut self, node: usize, key: &'static str, value: &str) {
        let tags = &mut self.nodes[node].1;
        if tags.iter().all(|tag| tag.0 != key) {
            tags.push((key, value.to_string()));
        }
    }

    /// The text of the file.
    pub fn xml(&self) -> String {
        let plane = Plane::at(CENTRE);
        let mut text =
            String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<osm version=\"0.6\" generator=\"revealed\">\n");
        for (place, (at, tags)) in self.nodes.iter().enumerate() {
            let Position { lat, lon } = plane.lift(*at);
            // Seven decimals as in OpenStreetMap, which is a centimetre.
            let line = format!(" <node id=\"{}\" version=\"1\" lat=\"{lat:.7}\" lon=\"{lon:.7}\"", place + 1);
            element(&mut text, "node", &line, "", tags);
        }
        for (place, (nodes, tags)) in self.ways.iter().enumerate() {
            let mut inside = String::new();
            for node in nodes {
                let _ = writeln!(inside, "  <nd ref=\"{}\"/>", node + 1);
            }
            element(&mut text, "way", &format!(" <way id=\"{}\" version=\"1\"", place + 1), &inside, tags);
        }
        for (place, rule) in self.rules.iter().enumerate() {
            let mut inside = String::new();
            for (kind, id, role) in [("way", rule.from, "from"), ("node", rule.via, "via"), ("way", rule.to, "to")] {
                let _ = writeln!(inside, "  <member type=\"{kind}\" ref=\"{}\" role=\"{role}\"/>", id + 1);
            }
            let tags = vec![("type", "restriction".to_string()), ("restriction", rule.kind.to_string())];
            element(&mut text, "relation", &format!(" <relation id=\"{}\" version=\"1\"", place + 1), &inside, &tags);
        }
        text.push_str("</osm>\n");
        text
    }
}

fn element(text: &mut String, name: &str, opening: &str, inside: &str, tags: &Tags) {
    text.push_str(opening);
    if inside.is_empty() && tags.is_empty() {
        text.push_str("/>\n");
        return;
    }
    text.push_str(">\n");
    text.push_str(inside);
    for (key, value) in tags {
        let _ = writeln!(text, "  <tag k=\"{key}\" v=\"{}\"/>", quick_xml::escape::escape(value));
    }
    let _ = writeln!(text, " </{name}>");
}
