//! How fast one quantity grows with another.

/// The slope of log y against log x by least squares.
///
/// ```
/// let slope = revealed_reproduce::statistics::log_slope(&[(1.0, 2.0), (10.0, 200.0), (100.0, 20000.0)]);
/// assert!((slope - 2.0).abs() < 1e-12);
/// ```
pub fn log_slope(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let (mean_x, mean_y) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let across: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    across / logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum::<f64>()
}
