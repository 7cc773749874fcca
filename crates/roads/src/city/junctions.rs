//! Roundabouts, traffic lights, crossings, and turn restrictions.

use std::collections::HashSet;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::document::Rule;
use super::ground::{apart, polar};
use super::sketch::{Direction, Sketch};

/// The radius of a roundabout, and the smallest distance of two of them.
const ROUNDABOUT: f64 = 24.0;
const ROUNDABOUTS_APART: f64 = 500.0;
/// The number of roundabouts, and of turn restrictions.
const ROUNDABOUTS: usize = 2;
const RULES: usize = 6;

/// Turns some junctions of larger roads into roundabouts.
pub(super) fn roundabouts(sketch: &mut Sketch) {
    let junctions = sketch.junctions();
    let suits = |node: &usize| {
        let edges = &junctions[*node];
        let larger = |&&edge: &&usize| !sketch.line_of(edge).is_local();
        let roomy = |&edge: &usize| sketch.length(edge) > 3.0 * ROUNDABOUT && !sketch.line_of(edge).is_bridge;
        let plain = |&edge: &usize| !sketch.line_of(edge).highway.starts_with("motorway");
        edges.len() == 4 && edges.iter().filter(larger).count() == 4 && edges.iter().all(|edge| roomy(edge) && plain(edge))
    };
    let mut candidates: Vec<usize> = (0..junctions.len()).filter(suits).collect();
    let mut made: Vec<usize> = Vec::new();
    while made.len() < ROUNDABOUTS && !candidates.is_empty() {
        let place = sketch.between(0.0, candidates.len() as f64) as usize;
        let node = candidates.swap_remove(place.min(candidates.len() - 1));
        if made.iter().all(|&other| apart(sketch.at(other), sketch.at(node)) > ROUNDABOUTS_APART) {
            roundabout(sketch, node, &junctions[node]);
            made.push(node);
        }
    }
}

fn roundabout(sketch: &mut Sketch, node: usize, edges: &[usize]) {
    let middle = sketch.at(node);
    let bearing = |sketch: &Sketch, edge: usize| {
        let other = if sketch.edges[edge].a == node { sketch.edges[edge].b } else { sketch.edges[edge].a };
        let [x, y] = sketch.at(other);
        (y - middle[1]).atan2(x - middle[0])
    };
    let mut arms: Vec<(f64, Option<usize>)> = edges.iter().map(|&edge| (bearing(sketch, edge), Some(edge))).collect();
    for step in 0..8 {
        let angle = TAU * f64::from(step) / 8.0 - PI;
        let near = |other: f64| ((angle - other + PI).rem_euclid(TAU) - PI).abs() < 0.4;
        if !arms.iter().any(|arm| near(arm.0)) {
            arms.push((angle, None));
        }
    }
    arms.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut circle = Vec::new();
    for (angle, edge) in arms {
        let [east, north] = polar(ROUNDABOUT, angle);
        // The node of the junction becomes a node of the circle, so that every node has a road.
        let at = [middle[0] + east, middle[1] + north];
        let place = if circle.is_empty() { node } else { sketch.document.node(at) };
        sketch.document.nodes[place].0 = at;
        if let Some(edge) = edge {
            let edge = &mut sketch.edges[edge];
            *(if edge.a == node { &mut edge.a } else { &mut edge.b }) = place;
        }
        circle.push(place);
    }
    let line = sketch.line("secondary");
    let name = format!("{} Circus", sketch.line_of(edges[0]).name.split(' ').next().unwrap_or_default());
    let one = &mut sketch.lines[line];
    (one.name, one.lanes, one.speed) = (name, Some(2), Some(30));
    (one.is_roundabout, one.direction) = (true, Direction::Forward);
    for (place, &a) in circle.iter().enumerate() {
        sketch.edge(line, a, circle[(place + 1) % circle.len()]);
    }
}

/// Adds traffic lights at some junctions, and pedestrian crossings at others and along roads. Larger roads have more.
/// Returns the junctions with traffic lights.
pub(super) fn lights(sketch: &mut Sketch) -> Vec<usize> {
    let mut lit = Vec::new();
    for (node, edges) in sketch.junctions().into_iter().enumerate().filter(|(_, edges)| edges.len() >= 3) {
        let is_roundabout = edges.iter().any(|&edge| sketch.line_of(edge).is_roundabout);
        let is_motorway = edges.iter().any(|&edge| sketch.line_of(edge).highway == "motorway");
        let arterial = edges.iter().filter(|&&edge| sketch.line_of(edge).is_arterial()).count();
        let larger = edges.iter().filter(|&&edge| !sketch.line_of(edge).is_local()).count();
        let chance = match (arterial, larger) {
            _ if is_roundabout || is_motorway => 0.0,
            (3.., _) => 0.9,
            (1.., 3..) => 0.6,
            (1.., _) => 0.15,
            _ => 0.02,
        };
        if sketch.chance(chance) {
            sketch.document.tag(node, "highway", "traffic_signals");
            lit.push(node);
        } else if larger > 0 && !is_motorway && sketch.chance(0.1) {
            sketch.document.tag(node, "highway", "crossing");
        }
    }
    for edge in 0..sketch.edges.len() {
        let line = sketch.line_of(edge);
        let busy = !line.is_local() && !line.highway.starts_with("motorway") && !line.is_bridge;
        let bends = sketch.edges[edge].bends.clone();
        for bend in bends {
            if sketch.chance(if busy { 0.35 } else { 0.04 }) {
                sketch.document.tag(bend, "highway", "crossing");
            }
        }
    }
    lit
}

/// A restricted turn.
pub(super) struct RuledTurn {
    from: usize,
    via: usize,
    to: usize,
    kind: &'static str,
}

/// Forbids some left turns at traffic lights, and requires straight on at one.
pub(super) fn ruled_turns(sketch: &Sketch, lit: &[usize]) -> Vec<RuledTurn> {
    let junctions = sketch.junctions();
    let mut found = Vec::new();
    for &via in lit.iter().filter(|&&node| junctions[node].len() == 4) {
        let both = |&edge: &usize| sketch.line_of(edge).direction == Direction::Both;
        if found.len() == RULES || !junctions[via].iter().all(both) {
            continue;
        }
        let from = junctions[via][found.len() % 4];
        let bearing = |edge: usize| {
            let edge = &sketch.edges[edge];
            let other = if edge.a == via { edge.b } else { edge.a };
            let ([x, y], [x0, y0]) = (sketch.at(other), sketch.at(via));
            (y - y0).atan2(x - x0)
        };
        // Seen from the junction, traffic comes from `bearing(from)`: straight on is half a turn away, left three
        // quarters.
        let (kind, wanted) = if found.len() == 2 { ("only_straight_on", PI) } else { ("no_left_turn", PI + FRAC_PI_2) };
        let off = |edge: usize| ((bearing(edge) - bearing(from) - wanted + PI).rem_euclid(TAU) - PI).abs();
        let others = junctions[via].iter().copied().filter(|&edge| edge != from);
        let Some(to) = others.min_by(|&a, &b| off(a).total_cmp(&off(b))) else { continue };
        found.push(RuledTurn { from, via, to, kind });
    }
    found
}

/// Ways are split at restrictions, as in OpenStreetMap, so that two ways and a node name one turn.
pub(super) fn breaks(turns: &[RuledTurn]) -> HashSet<usize> {
    turns.iter().map(|turn| turn.via).collect()
}

/// Writes the restrictions, once each edge has its way.
pub(super) fn rules(sketch: &mut Sketch, turns: &[RuledTurn], way_of: &[usize]) {
    let rule = |turn: &RuledTurn| Rule { from: way_of[turn.from], via: turn.via, to: way_of[turn.to], kind: turn.kind };
    sketch.document.rules.extend(turns.iter().map(rule));
}
