//! The motorway around the city: two carriageways, and ramps at the arterial roads out of the city.

use std::f64::consts::{PI, TAU};

use super::ground::{along, polar};
use super::sketch::{Direction, Sketch};

/// Its distance from the city, half the distance of its carriageways, and the distance of the junctions on either side.
const OUTSIDE: f64 = 140.0;
const HALF: f64 = 9.0;
const JUNCTION: f64 = 55.0;
/// The distance of a ramp from the road that it leads to.
const RAMP: f64 = 170.0;
/// The distance between its other nodes.
const STEP: f64 = 110.0;
/// The smallest angle between two roads out of the city, in radians.
const ROADS_APART: f64 = 0.7;
/// Roads that end farther inside than this share of the radius do not lead out: they would cross other streets.
const NEAR: f64 = 0.22;
/// The distance from the ring to the ends of the roads out of the city.
const COUNTRY: f64 = 300.0;

/// Draws the motorway.
pub(super) fn draw(sketch: &mut Sketch) {
    let roads = roads_out(sketch);
    let angles: Vec<f64> = roads.iter().map(|road| road.angle).collect();
    // Traffic drives on the right: the outer carriageway runs anticlockwise.
    let outer = Carriageway::new(sketch, &angles, HALF, Direction::Forward);
    let inner = Carriageway::new(sketch, &angles, -HALF, Direction::Backward);
    for (place, road) in roads.iter().enumerate() {
        let within = ring(sketch, road.angle, -JUNCTION);
        let without = ring(sketch, road.angle, JUNCTION);
        let [within, without] = [within, without].map(|at| sketch.document.node(at));
        let line = sketch.line(road.highway);
        sketch.lines[line].name = road.name.clone();
        sketch.edge(line, road.node, within);
        let over = sketch.lines.len();
        sketch.lines.push(sketch.lines[line].clone());
        sketch.lines[over].is_bridge = true;
        sketch.edge(over, within, without);
        inner.ramps(sketch, place, within, road.angle);
        outer.ramps(sketch, place, without, road.angle);
        country(sketch, road.angle, without);
    }
}

/// A point beside the ring.
fn ring(sketch: &Sketch, angle: f64, outward: f64) -> [f64; 2] {
    polar(sketch.ground.reach(angle) + OUTSIDE + outward, angle)
}

/// An arterial road out of the city.
struct RoadOut {
    node: usize,
    angle: f64,
    highway: &'static str,
    name: String,
}

/// The ends of arterial roads that are nearest to the ring.
fn roads_out(sketch: &Sketch) -> Vec<RoadOut> {
    let mut found: Vec<(f64, RoadOut)> = Vec::new();
    for (place, line) in sketch.lines.iter().enumerate().filter(|(_, line)| line.is_arterial()) {
        let nodes = sketch.edges.iter().filter(|edge| edge.line == place).flat_map(|edge| [edge.a, edge.b]);
        for node in nodes {
            let [x, y] = sketch.at(node);
            let angle = y.atan2(x);
            let inside = sketch.ground.reach(angle) - x.hypot(y);
            if inside < NEAR * sketch.ground.radius {
                found.push((inside, RoadOut { node, angle, highway: line.highway, name: line.name.clone() }));
            }
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut kept: Vec<RoadOut> = Vec::new();
    for (_, road) in found {
        let far = |other: &RoadOut| ((road.angle - other.angle + PI).rem_euclid(TAU) - PI).abs() > ROADS_APART;
        if kept.iter().all(far) {
            kept.push(road);
        }
    }
    kept.sort_by(|a, b| a.angle.total_cmp(&b.angle));
    kept
}

/// A closed line of one-way segments.
struct Carriageway {
    /// The nodes where ramps meet it, before and behind each road by angle.
    meets: Vec<[usize; 2]>,
    outward: f64,
}

impl Carriageway {
    fn new(sketch: &mut Sketch, angles: &[f64], outward: f64, direction: Direction) -> Carriageway {
        let radius = sketch.ground.radius + OUTSIDE;
        // (angle, which road's ramps: before or behind).
        let mut places: Vec<(f64, Option<(usize, usize)>)> = Vec::new();
        for (road, angle) in angles.iter().enumerate() {
            places.push((angle - RAMP / radius, Some((road, 0))));
            places.push((angle + RAMP / radius, Some((road, 1))));
        }
        let count = (TAU * radius / STEP).round();
        for step in 0..count as usize {
            let angle = TAU * step as f64 / count - PI;
            let near = |other: f64| ((angle - other + PI).rem_euclid(TAU) - PI).abs() < 0.5 * STEP / radius;
            if !places.iter().any(|place| near(place.0)) {
                places.push((angle, None));
            }
        }
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut meets = vec![[0; 2]; angles.len()];
        let mut nodes = Vec::new();
        for (angle, meet) in &places {
            let node = sketch.document.node(ring(sketch, *angle, outward));
            if let Some((road, side)) = *meet {
                meets[road][side] = node;
            }
            nodes.push(node);
        }
        if direction == Direction::Backward {
            nodes.reverse();
        }
        // In pieces of some kilometres, each with its own lanes and speed limit.
        let pieces = angles.len().max(3);
        let mut line = 0;
        for (place, &node) in nodes.iter().enumerate() {
            if place % nodes.len().div_ceil(pieces) == 0 {
                line = sketch.line("motorway");
                sketch.lines[line].direction = Direction::Forward;
            }
            sketch.edge(line, node, nodes[(place + 1) % nodes.len()]);
        }
        Carriageway { meets, outward }
    }

    /// Draws two ramps: one leaves the motorway before the road, and one joins it behind the road.
    fn ramps(&self, sketch: &mut Sketch, road: usize, junction: usize, angle: f64) {
        let [before, behind] = self.meets[road];
        let (off, on) = if self.outward > 0.0 { (before, behind) } else { (behind, before) };
        for (a, b) in [(off, junction), (junction, on)] {
            let line = sketch.line("motorway_link");
            sketch.lines[line].direction = Direction::Forward;
            let edge = sketch.edge(line, a, b);
            let on_ring = if a == junction { b } else { a };
            let [x, y] = sketch.at(on_ring);
            let towards = (y.atan2(x) - angle + PI).rem_euclid(TAU) - PI;
            let bend = ring(sketch, angle + 0.45 * towards, 3.2 * self.outward);
            sketch.edges[edge].bends = vec![sketch.document.node(bend)];
        }
    }
}

/// Draws the country outside: a road that ends, with one or two lanes off it.
fn country(sketch: &mut Sketch, angle: f64, from: usize) {
    let line = sketch.line("tertiary");
    let (village, end) = (ring(sketch, angle, 0.6 * COUNTRY), ring(sketch, angle + 0.04, COUNTRY));
    let [village, end] = [village, end].map(|at| sketch.document.node(at));
    sketch.edge(line, from, village);
    sketch.edge(line, village, end);
    for side in [-1.0, 1.0] {
        if sketch.chance(0.7) {
            let line = sketch.line("residential");
            let [x, y] = along(sketch.at(village), sketch.at(end), 0.2);
            let [east, north] = polar(sketch.between(70.0, 140.0), angle + side * PI / 2.0);
            let lane = sketch.document.node([x + east, y + north]);
            sketch.edge(line, village, lane);
        }
    }
}
