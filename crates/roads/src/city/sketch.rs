//! A sketch of the city: streets, and their edges between junctions.

use std::collections::HashSet;

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

use super::document::{Document, Tags};
use super::ground::{Ground, Point, apart};
use super::names::Names;

/// The directions in which a street may be driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Both,
    /// In the order of its nodes.
    Forward,
    /// Against the order of its nodes.
    Backward,
}

/// A street: what its edges have in common.
#[derive(Debug, Clone)]
pub(super) struct Street {
    pub highway: &'static str,
    pub name: String,
    pub lanes: Option<u32>,
    pub speed: Option<u32>,
    pub direction: Direction,
    pub is_roundabout: bool,
    pub is_bridge: bool,
    pub toll: bool,
}

impl Street {
    /// Whether it is a main road.
    pub fn is_arterial(&self) -> bool {
        matches!(self.highway, "primary" | "secondary")
    }

    /// Whether it is a local street.
    pub fn is_local(&self) -> bool {
        matches!(self.highway, "residential" | "living_street" | "unclassified" | "road")
    }

    fn tags(&self) -> Tags {
        let mut tags = vec![("highway", self.highway.to_string())];
        let mut add = |key: &'static str, value: Option<String>| tags.extend(value.map(|value| (key, value)));
        add("name", Some(self.name.clone()).filter(|name| !name.is_empty()));
        add("lanes", self.lanes.map(|lanes| lanes.to_string()));
        add("maxspeed", self.speed.map(|speed| speed.to_string()));
        add("junction", self.is_roundabout.then(|| "roundabout".to_string()));
        add("bridge", self.is_bridge.then(|| "yes".to_string()));
        add("toll", self.toll.then(|| "yes".to_string()));
        // Motorways and roundabouts are one-way without a tag.
        let implied = self.highway == "motorway" || self.is_roundabout;
        match self.direction {
            Direction::Forward if !implied => add("oneway", Some("yes".to_string())),
            Direction::Backward => add("oneway", Some("-1".to_string())),
            _ => {}
        }
        tags
    }
}

/// A part of a street from one junction to the next.
#[derive(Debug, Clone)]
pub(super) struct Edge {
    pub line: usize,
    pub a: usize,
    pub b: usize,
    /// Nodes between them.
    pub bends: Vec<usize>,
}

/// A sketch of the city.
pub(super) struct Sketch {
    pub rng: Pcg64Mcg,
    pub ground: Ground,
    pub document: Document,
    pub lines: Vec<Street>,
    /// The edges of one street are in their order along it.
    pub edges: Vec<Edge>,
    names: Names,
}

impl Sketch {
    pub fn new(blocks: usize, mut rng: Pcg64Mcg) -> Sketch {
        let ground = Ground::new(blocks, &mut rng);
        let names = Names::new(&mut rng);
        Sketch { rng, ground, names, document: Document::default(), lines: Vec::new(), edges: Vec::new() }
    }

    pub fn chance(&mut self, p: f64) -> bool {
        self.rng.random::<f64>() < p
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.rng.random::<f64>()
    }

    pub fn at(&self, node: usize) -> Point {
        self.document.nodes[node].0
    }

    /// Adds a street of a kind, with the usual lanes and speed limit. Many are not tagged.
    pub fn line(&mut self, highway: &'static str) -> usize {
        let draw: f64 = self.rng.random();
        let some = |p: f64, value: u32| (draw < p).then_some(value);
        let (lanes, speed) = match highway {
            "motorway" => (some(0.5, 3).or(Some(2)), some(0.6, 100).or(Some(80))),
            "motorway_link" => (Some(1), some(0.5, 60)),
            "primary" => (Some(4), some(0.5, 70).or(Some(50))),
            "secondary" => (some(0.4, 4).or(Some(2)), some(0.3, 60).or(some(0.8, 50))),
            "tertiary" => (some(0.6, 2), some(0.7, 50)),
            "living_street" => (Some(1), some(0.7, 20)),
            "residential" => (some(0.2, 2).or(some(0.5, 1)), some(0.1, 50).or(some(0.45, 30))),
            _ => (None, None),
        };
        let name = self.names.street(highway);
        let direction = Direction::Both;
        self.lines.push(Street { highway, name, lanes, speed, direction, is_roundabout: false, is_bridge: false, toll: false });
        self.lines.len() - 1
    }

    pub fn edge(&mut self, line: usize, a: usize, b: usize) -> usize {
        self.edges.push(Edge { line, a, b, bends: Vec::new() });
        self.edges.len() - 1
    }

    pub fn line_of(&self, edge: usize) -> &Street {
        &self.lines[self.edges[edge].line]
    }

    /// The length of an edge from junction to junction.
    pub fn length(&self, edge: usize) -> f64 {
        apart(self.at(self.edges[edge].a), self.at(self.edges[edge].b))
    }

    /// The edges that end at each node.
    pub fn junctions(&self) -> Vec<Vec<usize>> {
        let mut of = vec![Vec::new(); self.document.nodes.len()];
        for (place, edge) in self.edges.iter().enumerate() {
            of[edge.a].push(place);
            of[edge.b].push(place);
        }
        of
    }

    /// Makes ways of the edges: each follows its street until the street ends or one of the `breaks` is reached.
    /// Returns the way of each edge.
    pub fn draw_ways(&mut self, breaks: &HashSet<usize>) -> Vec<usize> {
        let mut way_of = Vec::with_capacity(self.edges.len());
        for place in 0..self.edges.len() {
            let edge = &self.edges[place];
            let last = place.checked_sub(1).map(|before| &self.edges[before]);
            let goes_on = last.is_some_and(|last| last.line == edge.line && last.b == edge.a && !breaks.contains(&edge.a));
            if !goes_on {
                self.document.ways.push((vec![edge.a], self.lines[edge.line].tags()));
            }
            let ways = self.document.ways.len();
            self.document.ways[ways - 1].0.extend(edge.bends.iter().chain([&edge.b]));
            way_of.push(ways - 1);
        }
        way_of
    }
}
