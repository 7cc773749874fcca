//! The streets of both banks, which are two bent grids, and the bridges between them.

use super::ground::{BLOCK, Point, apart};
use super::sketch::{Direction, Sketch};

/// Every fourth street is an arterial road.
const ARTERIAL: i32 = 4;
/// The share of missing edges of local streets, and the share of local streets that are one-way.
const MISSING: f64 = 0.1;
const ONE_WAY: f64 = 0.3;
/// The smallest distance of two bridges, as a share of the radius of the city.
const BRIDGES_APART: f64 = 0.42;
/// The longest bridge in metres.
const SPAN: f64 = 3.8 * BLOCK;

/// A junction of the plan.
#[derive(Clone, Copy)]
struct Corner {
    at: Point,
    node: Option<usize>,
}

/// The grid of one bank, by column and row.
struct District {
    half: i32,
    corners: Vec<Option<Corner>>,
}

impl District {
    fn place(&self, column: i32, row: i32) -> usize {
        ((column + self.half) * (2 * self.half + 1) + row + self.half) as usize
    }

    fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        self.corners.iter().flatten().filter_map(|corner| corner.node)
    }
}

/// Draws both banks and their bridges.
pub(super) fn draw(sketch: &mut Sketch) {
    let [north, south] = [1, -1].map(|side| {
        let angle = if side == 1 { sketch.between(0.05, 0.2) } else { sketch.between(-0.4, -0.2) };
        let mut district = plan(sketch, side, angle);
        for line in -district.half..=district.half {
            street(sketch, &mut district, line, true);
            street(sketch, &mut district, line, false);
        }
        district
    });
    bridges(sketch, &north, &south);
}

fn plan(sketch: &mut Sketch, side: i32, angle: f64) -> District {
    let half = (1.5 * sketch.ground.radius / BLOCK).ceil() as i32;
    let [columns, rows] = [spaced(sketch, half), spaced(sketch, half)];
    let mut district = District { half, corners: Vec::new() };
    let (sin, cos) = angle.sin_cos();
    for x in &columns {
        for y in &rows {
            let mut jitter = || sketch.between(-0.1, 0.1) * BLOCK;
            let (x, y) = (x + jitter(), y + jitter());
            let at = sketch.ground.warp([x * cos - y * sin, x * sin + y * cos]);
            let built = sketch.ground.is_free(at) && sketch.ground.side(at) == side;
            district.corners.push(built.then_some(Corner { at, node: None }));
        }
    }
    district
}

/// The positions of parallel streets, which are closer together in the middle of the city.
fn spaced(sketch: &mut Sketch, half: i32) -> Vec<f64> {
    let mut places = vec![0.0; 2 * half as usize + 1];
    for step in 1..=half {
        let wide = 0.85 + 0.45 * f64::from(step) / f64::from(half);
        for sign in [1, -1] {
            let before = places[(half + sign * (step - 1)) as usize];
            places[(half + sign * step) as usize] = before + f64::from(sign) * BLOCK * wide * sketch.between(0.75, 1.25);
        }
    }
    places
}

/// Draws one column or row.
fn street(sketch: &mut Sketch, district: &mut District, index: i32, is_column: bool) {
    let highway = kind(sketch, index, is_column);
    let line = sketch.line(highway);
    let one_way = sketch.lines[line].is_local() && index.abs() < district.half / 2 && sketch.chance(ONE_WAY);
    if one_way {
        sketch.lines[line].direction = if index % 2 == 0 { Direction::Forward } else { Direction::Backward };
    }
    let missing = if sketch.lines[line].is_local() { MISSING } else { 0.0 };
    for step in -district.half..district.half {
        let [a, b] = [step, step + 1].map(|at| match is_column {
            true => district.place(index, at),
            false => district.place(at, index),
        });
        if district.corners[a].is_none() || district.corners[b].is_none() || sketch.chance(missing) {
            continue;
        }
        let [a, b] = [a, b].map(|place| corner_node(sketch, district, place));
        sketch.edge(line, a, b);
    }
}

/// The node of a corner, which is made when the first street reaches it.
fn corner_node(sketch: &mut Sketch, district: &mut District, place: usize) -> usize {
    let corner = district.corners[place].as_mut().expect("the caller checks that the corner exists");
    *corner.node.get_or_insert_with(|| sketch.document.node(corner.at))
}

fn kind(sketch: &mut Sketch, index: i32, is_column: bool) -> &'static str {
    if index == 0 && is_column {
        return "primary";
    }
    if index % ARTERIAL == 0 {
        return "secondary";
    }
    if index.rem_euclid(ARTERIAL) == 2 && sketch.chance(0.4) {
        return "tertiary";
    }
    match sketch.between(0.0, 1.0) {
        // Every city has one of these, so that every feature can be learned.
        _ if index == 3 && is_column => "road",
        draw if draw < 0.08 => "living_street",
        draw if draw < 0.12 => "road",
        draw if draw < 0.26 => "unclassified",
        _ => "residential",
    }
}

/// Draws a few bridges, of arterial streets first. One of them has a toll.
fn bridges(sketch: &mut Sketch, north: &District, south: &District) {
    let mut columns: Vec<i32> = (-north.half..=north.half).collect();
    columns.sort_by_key(|column| (column % ARTERIAL != 0, column.abs()));
    let far = BRIDGES_APART * sketch.ground.radius;
    let mut built: Vec<Point> = Vec::new();
    for column in columns {
        let banks = (-north.half..=north.half).filter_map(|row| north.corners[north.place(column, row)]?.node);
        let Some(a) = banks.min_by(|&a, &b| sketch.at(a)[1].total_cmp(&sketch.at(b)[1])) else { continue };
        let from = sketch.at(a);
        let nearest =
            south.nodes().min_by(|&one, &other| apart(from, sketch.at(one)).total_cmp(&apart(from, sketch.at(other))));
        let Some(b) = nearest.filter(|&b| apart(from, sketch.at(b)) < SPAN) else { continue };
        if built.iter().any(|&other| apart(other, from) < far) {
            continue;
        }
        let line = sketch.line(if column == 0 { "primary" } else { "secondary" });
        sketch.lines[line].name = ["Toll Bridge", "Old Bridge", "Mill Bridge", "New Bridge"][built.len().min(3)].to_string();
        sketch.lines[line].is_bridge = true;
        sketch.lines[line].toll = built.is_empty();
        sketch.edge(line, a, b);
        built.push(from);
    }
}
