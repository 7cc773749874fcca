//! Elasticities: by how many percent an outcome changes if a feature grows by one percent.

use super::comparison::Counterfactual;
use super::measured::Measured;
use super::outcome::Outcome;
use super::scenario::{Places, Scenario, ScenarioBuilder};
use super::slopes::Slopes;
use super::theta_covariance::ThetaCovariance;
use crate::Error;
use crate::watch::Watch;

/// The step changes the logarithm of a path's weight by about this much: the five-point formula then has an error of
/// about 1e-9, and its own slopes have one of about 1e-8.
const STEP: f64 = 1e-2;

/// The elasticity of an outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elasticity {
    /// Of which outcome.
    pub outcome: Outcome,
    /// ∂ log(outcome) / ∂ log(feature); `None` if the outcome is not positive.
    pub elasticity: Option<Measured>,
}

impl Counterfactual<'_> {
    /// The point elasticities of outcomes with respect to a feature, everywhere or in some places.
    ///
    /// # Errors
    /// If the feature is 0 at all of these places, and as [`compare`](Self::compare).
    pub fn elasticities(
        &self,
        known: &ThetaCovariance,
        feature: usize,
        places: Option<&Places>,
        outcomes: &[Outcome],
        watch: &Watch<'_>,
    ) -> Result<Vec<Elasticity>, Error> {
        self.check(outcomes)?;
        let base = [self.base()?];
        let theta = known.theta();
        self.features.check_theta(theta)?;
        let scaled = |step: f64| self.scaled(feature, places, step.exp());
        scaled(STEP)?;
        let sizes = self.sizes(theta, &base)?;
        let mut alone = vec![0.0; theta.len()];
        alone[feature] = theta[feature];
        let step = STEP / sizes(&alone)?[0].max(1.0);
        let worlds = [scaled(step)?, scaled(-step)?, scaled(2.0 * step)?, scaled(-2.0 * step)?];
        let positive: Vec<bool> = self.values(&base[0], theta, outcomes)?.iter().map(|&value| value > 0.0).collect();
        let at = |theta: &[f64]| {
            let mut logs = Vec::with_capacity(4);
            for world in &worlds {
                let values = self.values(world, theta, outcomes)?;
                logs.push(values.into_iter().map(f64::ln).collect::<Vec<f64>>());
            }
            let slope = |k: usize, up: usize, h: f64| (logs[up][k] - logs[up + 1][k]) / (2.0 * h);
            let one = |k: usize| match positive[k] {
                true => (4.0 * slope(k, 0, step) - slope(k, 2, 2.0 * step)) / 3.0,
                false => 0.0,
            };
            Ok((0..outcomes.len()).map(one).collect())
        };
        let slopes = Slopes::new(known, sizes, at, watch)?;
        let elasticity = |(place, &outcome): (usize, &Outcome)| {
            let measured = || slopes.measured(slopes.value[place], &[(place, 1.0)], 1.0);
            Elasticity { outcome, elasticity: positive[place].then(measured) }
        };
        Ok(outcomes.iter().enumerate().map(elasticity).collect())
    }

    /// The world of the model with a feature times a factor.
    fn scaled(&self, feature: usize, places: Option<&Places>, factor: f64) -> Result<Scenario, Error> {
        let mut builder = ScenarioBuilder::new(self.mdp, self.features);
        match places {
            None => builder.scale_feature(feature, factor),
            Some(places) => builder.scale_feature_at(feature, factor, places.clone()),
        };
        builder.build()
    }
}
