//! The place with the smallest expected distance.

/// The largest number of steps.
const MOST_STEPS: usize = 100;
/// The search ends when a step is shorter than this, in metres.
const SHORT: f64 = 0.1;
/// A distance d counts as (d² + NEAR²)^½, in metres, so that it has derivatives everywhere.
const NEAR: f64 = 1.0;

/// The sum of weighted distances from a place, and its derivatives.
struct Slopes {
    value: f64,
    gradient: [f64; 2],
    /// The second derivatives: twice to the east, mixed, twice to the north.
    curvature: [f64; 3],
    /// The sum of weights divided by distances.
    pull: f64,
}

/// The place whose expected distance from a random place is smallest: the geometric median. `None` if all weights are
/// zero. The weights need not sum to 1.
///
/// The function is convex. Newton's steps from the mean find its minimum. Where such a step does not go down, one of
/// Weiszfeld's algorithm does.
pub(crate) fn middle(places: &[[f64; 2]], weights: &[f64]) -> Option<[f64; 2]> {
    let points: Vec<([f64; 2], f64)> =
        places.iter().copied().zip(weights.iter().copied()).filter(|point| point.1 > 0.0).collect();
    let sum: f64 = points.iter().map(|point| point.1).sum();
    let mean = |k: usize| points.iter().map(|(at, weight)| weight * at[k]).sum::<f64>() / sum;
    let mut at = if points.is_empty() { return None } else { [mean(0), mean(1)] };
    let mut here = slopes(&points, at);
    for _ in 0..MOST_STEPS {
        let mut step = newton(&here);
        let mut there = slopes(&points, [at[0] + step[0], at[1] + step[1]]);
        if there.value > here.value || there.value.is_nan() {
            step = here.gradient.map(|slope| -slope / here.pull);
            there = slopes(&points, [at[0] + step[0], at[1] + step[1]]);
        }
        at = [at[0] + step[0], at[1] + step[1]];
        here = there;
        if step[0].hypot(step[1]) < SHORT {
            break;
        }
    }
    Some(at)
}

fn newton(here: &Slopes) -> [f64; 2] {
    let ([x, y], [xx, xy, yy]) = (here.gradient, here.curvature);
    let determinant = xx * yy - xy * xy;
    [(xy * y - yy * x) / determinant, (xy * x - xx * y) / determinant]
}

fn slopes(points: &[([f64; 2], f64)], [x, y]: [f64; 2]) -> Slopes {
    let mut sum = Slopes { value: 0.0, gradient: [0.0; 2], curvature: [0.0; 3], pull: 0.0 };
    for &([east, north], weight) in points {
        let (dx, dy) = (x - east, y - north);
        let squared = dx * dx + dy * dy + NEAR * NEAR;
        let distance = squared.sqrt();
        let pull = weight / distance;
        let bend = pull / squared;
        sum.value += weight * distance;
        sum.pull += pull;
        sum.gradient = [sum.gradient[0] + pull * dx, sum.gradient[1] + pull * dy];
        let [xx, xy, yy] = sum.curvature;
        sum.curvature = [xx + bend * (dy * dy + NEAR * NEAR), xy - bend * dx * dy, yy + bend * (dx * dx + NEAR * NEAR)];
    }
    sum
}
