//! The model's flows against the data's, state by state.

use super::classes::Classes;
use super::{cannot, colours, sheet};
use crate::axis::Axis;
use crate::canvas::{Anchor, Canvas, FAINT, GREY, INK, Point};
use crate::error::Error;
use crate::hexagons::Hexagons;

const WIDTH: f64 = 480.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = WIDTH - 18.0;
const SIZE: u32 = 16;

/// The flows of each state against each other, on logarithmic axes: hexagons by how many states they have, and the line
/// where both are equal. States that one of the two does not visit are counted below.
///
/// # Errors
/// If there are not as many flows of the one as of the other, or no state has both.
pub fn flow_scatter(title: &str, data: &[f64], model: &[f64]) -> Result<Canvas, Error> {
    if data.len() != model.len() {
        return Err(cannot(format!("there are {} flows of the data and {} of the model", data.len(), model.len())));
    }
    let seen = |flow: f64| flow.is_finite() && flow > 0.0;
    let most = data.iter().chain(model).copied().filter(|&flow| seen(flow)).fold(0.0, f64::max);
    // A million times less than the most is next to nothing.
    let shown = |flow: f64| seen(flow) && flow > 1e-6 * most;
    let pairs = || data.iter().copied().zip(model.iter().copied());
    let both: Vec<Point> = pairs().filter(|pair| shown(pair.0) && shown(pair.1)).collect();
    let either = pairs().filter(|pair| shown(pair.0) || shown(pair.1)).count();

    let head = 8.0 + sheet::title_height(title, SIZE, WIDTH - 16.0);
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
    let classes = Classes::new(counts, [0.0, 100.0], true).ok_or_else(|| cannot("no state has both flows".to_string()))?;

    let mut canvas = Canvas::new(WIDTH, bottom + 164.0);
    sheet::title(&mut canvas, (8.0, 4.0), title, SIZE, WIDTH - 16.0);
    canvas.text((8.0, top - 20.0), "model's flow", SIZE, Anchor::Start, INK);
    canvas.text(((LEFT + RIGHT) / 2.0, bottom + 44.0), "data's flow", SIZE, Anchor::Middle, INK);
    for (value, label) in across.ticks() {
        let (x, y) = (across.place(value), up.place(value));
        canvas.line((x, top), (x, bottom), FAINT, 1.0);
        canvas.line((LEFT, y), (RIGHT, y), FAINT, 1.0);
        canvas.text((x, bottom + 22.0), &label, SIZE, Anchor::Middle, INK);
        canvas.text((LEFT - 8.0, y + 5.5), &label, SIZE, Anchor::End, INK);
    }
    let colour = |class: usize| colours::sequential(classes.part(class));
    for class in 0..classes.len() {
        let of_class = hexagons.cells.iter().filter(|cell| classes.of(*cell.1) == Some(class));
        let polygons: Vec<Vec<Point>> = of_class.map(|cell| hexagons.corners(*cell.0).to_vec()).collect();
        canvas.polygons(&polygons, &colour(class));
    }
    canvas.line((LEFT, bottom), (RIGHT, top), INK, 1.2);
    canvas.line((LEFT, top), (LEFT, bottom), INK, 1.2);
    canvas.line((LEFT, bottom), (RIGHT, bottom), INK, 1.2);
    sheet::colour_bar(&mut canvas, (8.0, bottom + 56.0), WIDTH - 26.0, &classes, &colour, "segments in a hexagon");
    let words = format!(
        "{} segments that both visit, {} more that only one does; correlation of the logarithms {:.2}",
        sheet::grouped(both.len()),
        sheet::grouped(either - both.len()),
        correlation(&both)
    );
    for (line, words) in sheet::wrap(&words, sheet::SMALL, WIDTH - 16.0).iter().enumerate() {
        canvas.text((8.0, bottom + 132.0 + 18.0 * line as f64), words, sheet::SMALL, Anchor::Start, GREY);
    }
    Ok(canvas)
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
