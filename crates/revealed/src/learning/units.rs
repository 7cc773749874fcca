//! Units in which all features have a similar scale.

use crate::world::{Demonstrations, Features, Mdp, PlaceSums};

/// The search runs in x = unit · θ. In these units every feature has a scale of about 1, whether it is a length in
/// metres or an indicator.
pub(crate) struct Units(Vec<f64>);

impl Units {
    pub fn new(mdp: &Mdp, features: &Features, demos: &Demonstrations) -> Self {
        Units::of_sums(&mean_squares(mdp, features, demos), &PlaceSums::new(features))
    }

    /// A scale for each feature: the larger of two root mean squares, that of its sum along a demonstration, and that of
    /// its values that are not zero. It is 1 for a feature that is zero everywhere.
    pub fn of_sums(over_paths: &[f64], places: &[PlaceSums]) -> Self {
        let unit = |(over_paths, places): (&f64, &PlaceSums)| match over_paths
            .max(places.squares / f64::max(places.entries, 1.0))
            .sqrt()
        {
            unit if unit > 0.0 && unit.is_finite() => unit,
            _ => 1.0,
        };
        Units(over_paths.iter().zip(places).map(unit).collect())
    }

    /// These units.
    pub fn each(units: Vec<f64>) -> Self {
        Units(units)
    }

    /// Units from each feature's mean and standard deviation over samples.
    pub fn of_spread(spread: &[(f64, f64)]) -> Self {
        let unit = |&(mean, deviation): &(f64, f64)| match deviation {
            unit if unit > 1e-9 * mean.abs() && unit.is_finite() => unit,
            // Constant, except for rounding.
            _ if mean != 0.0 => mean.abs(),
            _ => 1.0,
        };
        Units(spread.iter().map(unit).collect())
    }

    pub fn to_theta(&self, x: &[f64]) -> Vec<f64> {
        x.iter().zip(&self.0).map(|(x, unit)| x / unit).collect()
    }

    /// θ within its bounds. Due to rounding, x·unit/unit may miss a bound on either side, and the optimiser may stop
    /// one rounding error inside it.
    pub fn to_theta_within(&self, x: &[f64], bounds: &[(f64, f64)]) -> Vec<f64> {
        let at = |x: f64, bound: f64| bound.is_finite() && (x - bound).abs() <= 4.0 * f64::EPSILON * bound.abs();
        let snapped = |((x, unit), &(lo, hi)): ((&f64, &f64), &(f64, f64))| match *x {
            x if x <= lo * unit || at(x, lo * unit) => lo,
            x if x >= hi * unit || at(x, hi * unit) => hi,
            x => (x / unit).clamp(lo, hi),
        };
        x.iter().zip(&self.0).zip(bounds).map(snapped).collect()
    }

    /// The same, followed by the units of more parameters.
    pub fn with(mut self, more: &[f64]) -> Units {
        self.0.extend(more);
        self
    }

    /// The unit of one feature.
    pub fn of(&self, feature: usize) -> f64 {
        self.0[feature]
    }

    pub fn in_units(&self, theta: impl IntoIterator<Item = f64>) -> Vec<f64> {
        theta.into_iter().zip(&self.0).map(|(theta, unit)| theta * unit).collect()
    }
}

/// The mean over the demonstrations of φ(τ)², for each feature.
pub(crate) fn mean_squares(mdp: &Mdp, features: &Features, demos: &Demonstrations) -> Vec<f64> {
    let n = features.n_features();
    let (mut squares, mut path) = (vec![0.0; n], vec![0.0; n]);
    let total = demos.total_weight();
    for index in 0..demos.len() {
        path.fill(0.0);
        features.add_path(mdp, demos, index, 1.0, &mut path);
        squares.iter_mut().zip(&path).for_each(|(sum, phi)| *sum += demos.weight(index) / total * phi * phi);
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_at_its_bound_stays_there() {
        for step in 1..2000 {
            let units = Units(vec![f64::from(step) * 0.137, 1.0]);
            let bounds = [(-3.0, 3.0), (f64::NEG_INFINITY, f64::INFINITY)];
            for end in [-3.0, 3.0] {
                let x = units.in_units([end, 0.5]);
                assert_eq!(units.to_theta_within(&x, &bounds), [end, 0.5]);
            }
        }
    }
}
