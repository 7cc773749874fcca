//! A coefficient that differs from traveller to traveller.

/// How a coefficient is distributed over travellers, with a location b and a spread s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Distribution {
    /// b + s z: normal, with mean b and standard deviation s.
    #[default]
    Normal,
    /// e^{b + s z}: lognormal, always positive.
    Positive,
    /// −e^{b + s z}: the mirror image, always negative, as costs are.
    Negative,
}

impl Distribution {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Distribution::Normal => "normal",
            Distribution::Positive => "positive lognormal",
            Distribution::Negative => "negative lognormal",
        }
    }

    /// The coefficient for a standard normal z, and its derivatives by location and spread.
    pub(super) fn at(self, location: f64, spread: f64, z: f64) -> (f64, [f64; 2]) {
        let lognormal = |sign: f64| {
            let coefficient = sign * (location + spread * z).exp();
            (coefficient, [coefficient, coefficient * z])
        };
        match self {
            Distribution::Normal => (location + spread * z, [1.0, z]),
            Distribution::Positive => lognormal(1.0),
            Distribution::Negative => lognormal(-1.0),
        }
    }
}

/// A coefficient that differs from traveller to traveller, independently of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandomCoefficient {
    /// Its feature.
    pub feature: usize,
    /// How it is distributed.
    pub distribution: Distribution,
}

impl RandomCoefficient {
    /// A normal coefficient.
    pub fn normal(feature: usize) -> RandomCoefficient {
        RandomCoefficient { feature, distribution: Distribution::Normal }
    }
}
