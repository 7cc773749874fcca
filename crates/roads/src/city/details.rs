//! Bends, dead ends, and objects that are not roads for cars.

use super::ground::{Point, along, apart};
use super::sketch::Sketch;

/// The largest deviation of a bend from the straight line, as a share of the length of the street.
const BEND: f64 = 0.07;
/// The share of local streets with a dead end.
const DEAD_END: f64 = 0.1;

/// The point at a share of the line from `a` to `b`, `left` metres to the left of it.
fn beside(a: Point, b: Point, share: f64, left: f64) -> Point {
    let ([x, y], length) = (along(a, b, share), apart(a, b).max(1.0));
    [x - left * (b[1] - a[1]) / length, y + left * (b[0] - a[0]) / length]
}

/// Adds bends to streets.
pub(super) fn bends(sketch: &mut Sketch) {
    for place in 0..sketch.edges.len() {
        let (line, length) = (sketch.line_of(place), sketch.length(place));
        if line.highway.starts_with("motorway") || line.is_roundabout {
            continue;
        }
        let (straight, is_tolled) = (line.is_arterial(), line.toll);
        let count = match sketch.between(0.0, 1.0) {
            _ if is_tolled || length > 250.0 => 3,
            draw if draw < 0.35 || length < 55.0 => 0,
            draw if draw < 0.85 => 1,
            _ => 2,
        };
        let (a, b) = (sketch.at(sketch.edges[place].a), sketch.at(sketch.edges[place].b));
        let bend = sketch.between(-BEND, BEND) * length * if straight { 0.25 } else { 1.0 };
        let points = (1..=count).map(|step| {
            let share = step as f64 / (count + 1) as f64;
            beside(a, b, share, 4.0 * share * (1.0 - share) * bend)
        });
        let points: Vec<Point> = points.collect();
        sketch.edges[place].bends = points.into_iter().map(|at| sketch.document.node(at)).collect();
    }
}

/// Adds short dead ends to local streets.
pub(super) fn dead_ends(sketch: &mut Sketch) {
    for place in 0..sketch.edges.len() {
        let edge = sketch.edges[place].clone();
        let Some(&from) = edge.bends.first() else { continue };
        if !sketch.lines[edge.line].is_local() || !sketch.chance(DEAD_END) {
            continue;
        }
        let side = if sketch.chance(0.5) { 1.0 } else { -1.0 };
        let deep = side * sketch.between(0.3, 0.48) * sketch.length(place);
        let (a, b) = (sketch.at(edge.a), sketch.at(edge.b));
        let end = beside(sketch.at(from), b, 0.02, deep);
        if !sketch.ground.is_free(end) || sketch.ground.side(end) != sketch.ground.side(a) {
            continue;
        }
        let line = sketch.line("residential");
        let end = sketch.document.node(end);
        sketch.edge(line, from, end);
    }
}

/// Adds the river, paths through the parks, and a private drive, which an importer must skip.
pub(super) fn surroundings(sketch: &mut Sketch) {
    let reach = 1.35 * sketch.ground.radius;
    let xs = (0..=40).map(|step| reach * (f64::from(step) / 20.0 - 1.0));
    let river: Vec<Point> = xs.map(|x| [x, sketch.ground.river(x)]).collect();
    let river = river.into_iter().map(|at| sketch.document.node(at)).collect();
    sketch.document.ways.push((river, vec![("waterway", "river".to_string()), ("name", "River".to_string())]));
    for ([x, y], radius) in sketch.ground.parks.clone() {
        let path = [[x - 0.8 * radius, y], [x, y + 0.2 * radius], [x + 0.8 * radius, y]];
        let path = path.map(|at| sketch.document.node(at)).to_vec();
        sketch.document.ways.push((path, vec![("highway", "footway".to_string())]));
    }
    if let Some(edge) = sketch.edges.first().cloned() {
        let (a, b) = (sketch.at(edge.a), sketch.at(edge.b));
        let drive = sketch.document.node(beside(a, b, 0.0, 0.3 * apart(a, b)));
        let tags = [("highway", "residential"), ("access", "private")].map(|(key, value)| (key, value.to_string()));
        sketch.document.ways.push((vec![edge.a, drive], tags.to_vec()));
    }
}
