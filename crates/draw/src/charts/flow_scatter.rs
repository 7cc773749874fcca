//! The model's flows against the data's, state by state.

use super::{LABEL, WIDTH};
use crate::canvas::{Anchor, Canvas, FAINT, GREY, INK, Point};
use crate::error::Error;
use crate::legend::{SMALL_TEXT, colour_bar, grouped, title, title_height, wrap};
use crate::scales::{Axis, Classes, Hexagons, Scale, sequential};

const LEFT: f64 = 66.0;
const RIGHT: f64 = WIDTH - 18.0;

/// The model's flow of each state against the data's, on logarithmic axes: hexagons by how many states they hold, and
/// the line where both flows are equal. States that only one of the two visits are counted below the chart.
///
/// # Errors
/// If the numbers of flows differ, or no state has both.
pub fn flow_scatter(heading: &str, data: &[f64], model: &[f64]) -> Result<Canvas, Error> {
    if data.len() != model.len() {
        return Err(cannot(format!("there are {} flows of the data and {} of the model", data.len(), model.len())));
    }
    let seen = |flow: f64| flow.is_finite() && flow > 0.0;
    let most = data.iter().chain(model).copied().filter(|&flow| seen(flow)).fold(0.0, f64::max);
    // Less than a millionth of the largest flow is not shown.
    let shown = |flow: f64| seen(flow) && flow > 1e-6 * most;
    let pairs = || data.iter().copied().zip(model.iter().copied());
    let both: Vec<Point> = pairs().filter(|pair| shown(pair.0) && shown(pair.1)).collect();
    let either = pairs().filter(|pair| shown(pair.0) || shown(pair.1)).count();

    let head = 8.0 + title_height(heading, LABEL, WIDTH - 16.0);
    let top = head + 38.0;
    let bottom = top + (RIGHT - LEFT);
    let axis = Axis::log("");
    let values = || both.iter().flat_map(|&(x, y)| [x, y]);
    let (across, up) = (axis.scale(values(), LEFT, RIGHT), axis.scale(values(), bottom, top));
    let mut hexagons = Hexagons::new(9.0);
    for &(x, y) in &both {
        hexagons.add((across.place(x), up.place(y)), 1.0);
    }
    let counts = hexagons.cells.values().map(|&count| (count, 1.0));
    let classes = Classes::new(counts, [0.0, 100.0], true).ok_or_else(|| cannot("no state has both flows"))?;

    let mut canvas = Canvas::new(WIDTH, bottom + 164.0);
    title(&mut canvas, (8.0, 4.0), heading, LABEL, WIDTH - 16.0);
    axes(&mut canvas, &across, &up, [top, bottom]);
    let colour = |class: usize| sequential(classes.part(class));
    for class in 0..classes.len() {
        let of_class = hexagons.cells.iter().filter(|cell| classes.of(*cell.1) == Some(class));
        let polygons: Vec<Vec<Point>> = of_class.map(|cell| hexagons.corners(*cell.0).to_vec()).collect();
        canvas.polygons(&polygons, colour(class));
    }
    canvas.line((LEFT, bottom), (RIGHT, top), INK, 1.2);
    canvas.line((LEFT, top), (LEFT, bottom), INK, 1.2);
    canvas.line((LEFT, bottom), (RIGHT, bottom), INK, 1.2);
    colour_bar(&mut canvas, (8.0, bottom + 56.0), WIDTH - 26.0, &classes, &colour, "segments in a hexagon");
    let words = format!(
        "{} segments that both visit, {} more that only one does; correlation of the logarithms {:.2}",
        grouped(both.len()),
        grouped(either - both.len()),
        correlation(&both)
    );
    for (line, words) in wrap(&words, SMALL_TEXT, WIDTH - 16.0).iter().enumerate() {
        canvas.text((8.0, bottom + 132.0 + 18.0 * line as f64), words, SMALL_TEXT, Anchor::Start, GREY);
    }
    Ok(canvas)
}

/// The labels of both axes, and their ticks as a grid.
fn axes(canvas: &mut Canvas, across: &Scale, up: &Scale, [top, bottom]: [f64; 2]) {
    canvas.text((8.0, top - 20.0), "model's flow (visits)", LABEL, Anchor::Start, INK);
    canvas.text(((LEFT + RIGHT) / 2.0, bottom + 44.0), "data's flow (visits)", LABEL, Anchor::Middle, INK);
    for (value, label) in across.ticks() {
        let (x, y) = (across.place(value), up.place(value));
        canvas.line((x, top), (x, bottom), FAINT, 1.0);
        canvas.line((LEFT, y), (RIGHT, y), FAINT, 1.0);
        canvas.text((x, bottom + 22.0), &label, LABEL, Anchor::Middle, INK);
        canvas.text((LEFT - 8.0, y + 5.5), &label, LABEL, Anchor::End, INK);
    }
}

/// Pearson's correlation of the logarithms.
fn correlation(pairs: &[Point]) -> f64 {
    let n = pairs.len() as f64;
    let logs = || pairs.iter().map(|(x, y)| (x.ln(), y.ln()));
    let (x, y) = logs().fold((0.0, 0.0), |sum, (x, y)| (sum.0 + x / n, sum.1 + y / n));
    let (xx, xy, yy) =
        logs().map(|(a, b)| (a - x, b - y)).fold((0.0, 0.0, 0.0), |sum, (a, b)| (sum.0 + a * a, sum.1 + a * b, sum.2 + b * b));
    xy / (xx * yy).sqrt()
}

fn cannot(problem: impl Into<String>) -> Error {
    Error::new("the scatter plot", problem)
}
