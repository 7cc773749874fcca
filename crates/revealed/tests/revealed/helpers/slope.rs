//! Derivatives by central differences.

/// (f(h) - f(-h)) / 2h, where `f` takes the distance from the point.
pub fn slope(step: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    (f(step) - f(-step)) / (2.0 * step)
}

/// θ with one component moved.
pub fn moved(theta: &[f64], k: usize, by: f64) -> Vec<f64> {
    let mut theta = theta.to_vec();
    theta[k] += by;
    theta
}
