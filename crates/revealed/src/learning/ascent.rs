//! A search that follows a direction without a value. Ziebart's expectations are not the gradient of any function, so a
//! line search has no value with which to accept or reject a step.

use std::ops::ControlFlow;

use crate::Error;
use crate::learning::optimise::{Iteration, Optimum, SearchSettings, Stopped};

/// Step i changes no parameter by more than FIRST_STEP / √i, in units of the scale of its feature.
const FIRST_STEP: f64 = 1.0;
/// The search gives up if this many steps have not reduced the mismatch to [`WORTHWHILE`] times what it was.
const PATIENCE: usize = 200;
/// The factor by which a worthwhile reduction multiplies the mismatch.
const WORTHWHILE: f64 = 0.999;
/// The search gives up when steps become shorter than this.
const SHORTEST_STEP: f64 = 1e-12;

/// Projected ascent with decreasing steps: x ← x - η_i g / max(1, |g|), η_i = 1/√i, within the bounds. Returns the
/// point with the smallest mismatch. `objective` writes g and returns a value. The value is only reported; if it is not
/// finite, the step was too long and is halved.
pub(crate) fn ascend(
    mut objective: impl FnMut(&[f64], &mut [f64]) -> Result<f64, Error>,
    search: &SearchSettings<'_>,
    mut watch: impl FnMut(&Iteration<'_>) -> ControlFlow<()>,
) -> Result<Optimum, Error> {
    let bounds = || search.lower.iter().zip(search.upper);
    let mut x: Vec<f64> = search.start.iter().zip(bounds()).map(|(x, (&lower, &upper))| x.clamp(lower, upper)).collect();
    let mut gradient = vec![0.0; x.len()];
    let value = objective(&x, &mut gradient)?;
    let gradient_norm = projected(&x, &gradient, search);
    let (iterations, evaluations, stop) = (0, 1, Stopped::MaxIterations);
    let mut best = Optimum { x: x.clone(), value, gradient: gradient.clone(), gradient_norm, iterations, evaluations, stop };
    if !value.is_finite() {
        return Ok(Optimum { stop: Stopped::StartNotFinite, ..best });
    }
    let mut length = FIRST_STEP;
    let (mut last_gain, mut norm_then) = (0, f64::INFINITY);
    for number in 1..=search.max_iterations {
        if best.gradient_norm <= search.gradient_tolerance {
            return Ok(Optimum { stop: Stopped::Gradient, ..best });
        }
        if best.gradient_norm < WORTHWHILE * norm_then {
            (last_gain, norm_then) = (number, best.gradient_norm);
        }
        if number - last_gain > PATIENCE || length < SHORTEST_STEP {
            return Ok(Optimum { stop: Stopped::NoProgress, ..best });
        }
        let largest = gradient.iter().fold(1.0, |largest: f64, g| largest.max(g.abs()));
        let step = length / (number as f64).sqrt() / largest;
        for ((x, g), (&lower, &upper)) in x.iter_mut().zip(&gradient).zip(bounds()) {
            *x = (*x - step * g).clamp(lower, upper);
        }
        let value = objective(&x, &mut gradient)?;
        (best.iterations, best.evaluations) = (number, number + 1);
        if !value.is_finite() {
            x.copy_from_slice(&best.x);
            gradient.copy_from_slice(&best.gradient);
            length /= 2.0;
            continue;
        }
        let gradient_norm = projected(&x, &gradient, search);
        if gradient_norm < best.gradient_norm {
            best = Optimum { x: x.clone(), value, gradient: gradient.clone(), gradient_norm, ..best };
        }
        if watch(&Iteration { number, evaluations: number + 1, x: &x, value, gradient_norm }).is_break() {
            return Ok(Optimum { stop: Stopped::Interrupted, ..best });
        }
    }
    let stop = if best.gradient_norm <= search.gradient_tolerance { Stopped::Gradient } else { Stopped::MaxIterations };
    Ok(Optimum { stop, ..best })
}

/// The largest component of the gradient that is not held by a bound.
fn projected(x: &[f64], gradient: &[f64], search: &SearchSettings<'_>) -> f64 {
    let free =
        |k: &usize| !(x[*k] <= search.lower[*k] && gradient[*k] >= 0.0 || x[*k] >= search.upper[*k] && gradient[*k] <= 0.0);
    (0..x.len()).filter(free).map(|k| gradient[k].abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search<'a>(start: &'a [f64], lower: &'a [f64], upper: &'a [f64]) -> SearchSettings<'a> {
        SearchSettings { start, lower, upper, memory: 1, gradient_tolerance: 1e-8, max_iterations: 10_000, max_evaluations: 0 }
    }

    /// A vector field with a curl, which is not a gradient: g = x + (y, -x) around (1, 2).
    #[test]
    fn it_finds_the_zero_of_a_field_that_is_not_a_gradient() {
        let field = |x: &[f64], g: &mut [f64]| {
            let (a, b) = (x[0] - 1.0, x[1] - 2.0);
            (g[0], g[1]) = (a + b, b - a);
            Ok(0.0)
        };
        let free = [f64::NEG_INFINITY, f64::NEG_INFINITY];
        let found = ascend(field, &search(&[5.0, -7.0], &free, &[f64::INFINITY; 2]), |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(found.stop, Stopped::Gradient);
        assert!((found.x[0] - 1.0).abs() < 1e-7 && (found.x[1] - 2.0).abs() < 1e-7, "{:?}", found.x);
        let held = ascend(field, &search(&[5.0, -7.0], &free, &[0.5, 9.0]), |_| ControlFlow::Continue(())).unwrap();
        // At x = 1/2 the other component is y - 2 + 1/2 = 0.
        assert_eq!((held.stop, held.x[0]), (Stopped::Gradient, 0.5));
        assert!((held.x[1] - 1.5).abs() < 1e-7, "{:?}", held.x);
    }

    #[test]
    fn it_gives_up_without_progress_and_stops_on_request() {
        let constant = |_: &[f64], g: &mut [f64]| {
            g[0] = 3.0;
            Ok(0.0)
        };
        let free = search(&[0.0], &[f64::NEG_INFINITY], &[f64::INFINITY]);
        let stuck = ascend(constant, &free, |_| ControlFlow::Continue(())).unwrap();
        assert_eq!((stuck.stop, stuck.gradient_norm), (Stopped::NoProgress, 3.0));
        assert!(stuck.iterations <= PATIENCE + 2);
        let stop = |step: &Iteration<'_>| if step.number == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let stopped = ascend(constant, &free, stop).unwrap();
        assert_eq!((stopped.stop, stopped.iterations, stopped.evaluations), (Stopped::Interrupted, 3, 4));
        let falls = |x: &[f64], g: &mut [f64]| {
            g[0] = 1.0;
            Ok(if x[0] < -1e-3 { f64::INFINITY } else { 0.0 })
        };
        assert_eq!(ascend(falls, &free, |_| ControlFlow::Continue(())).unwrap().stop, Stopped::NoProgress);
    }
}
