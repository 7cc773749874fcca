//! Outcomes in the world of the model and in a scenario, with standard errors.

use super::demand::Demand;
use super::expected::{Asked, Expected, Wanted, expected};
use super::measured::Measured;
use super::outcome::Outcome;
use super::scenario::Scenario;
use super::slopes::Slopes;
use super::theta_covariance::ThetaCovariance;
use crate::Error;
use crate::engine::Horizon;
use crate::model::{Chance, Ends};
use crate::numeric::Work;
use crate::watch::Watch;
use crate::world::{Features, Mdp};

/// Questions of the form "what if": a model with its path set, and a demand.
///
/// Variances are by the delta method: gᵀ Σ g, with Σ the covariance of θ̂ and g the gradient of an outcome, by
/// differences of the exact outcome along the columns of a root of Σ. Each column takes four evaluations of either
/// world.
///
/// ```
/// use revealed::{
///     Counterfactual, Demonstrations, Ends, FeaturesBuilder, MaxEnt, MdpBuilder, Options, Outcome, ScenarioBuilder,
///     ThetaCovariance, Trajectory, Watch,
/// };
///
/// // Three roads from 0 to 4, over 1, 2 or 3. The first is liked, by log 2.
/// let mut builder = MdpBuilder::new(5, 3);
/// builder.start(0, 1.0).terminal(4);
/// for road in 1..4 {
///     builder.transition(0, road - 1, road, 1.0).transition(road, 0, 4, 1.0);
/// }
/// let mdp = builder.build()?;
/// let features = FeaturesBuilder::new(1).state(1, 0, 1.0).build(&mdp)?;
/// let trip = |road: usize, weight| Trajectory { weight, ..Trajectory::new(vec![0, road, 4], vec![road - 1, 0]) };
/// let demos = Demonstrations::new(&mdp, &[trip(1, 50.0), trip(2, 25.0), trip(3, 25.0)])?;
/// let settings = MaxEnt { options: Options { ends: Ends::Terminal, ..Options::default() }, ..MaxEnt::default() };
/// let fit = settings.fit(&mdp, &features, &demos)?;
/// let known = ThetaCovariance::of(&settings.uncertainty(&mdp, &features, &demos, &fit.theta)?, false)?;
///
/// // Road 3 is closed: two thirds take the first.
/// let closed = ScenarioBuilder::new(&mdp, &features).close_state(3).build()?;
/// let question = Counterfactual::new(&mdp, &features, 3, Ends::Terminal);
/// let found = question.compare(&known, &closed, &[Outcome::Visits(1)], &Watch::none())?;
/// assert!((found[0].scenario.value - 2.0 / 3.0).abs() < 1e-6);
/// // The variance of θ̂ is 1/50 + 1/50, and the derivative of the share is 2/9.
/// assert!((found[0].scenario.standard_error.unwrap() - 2.0 / 9.0 * 0.2).abs() < 1e-6);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Counterfactual<'a> {
    /// The world of the model.
    pub mdp: &'a Mdp,
    /// Its features.
    pub features: &'a Features,
    /// How many states a path may have.
    pub horizon: Horizon,
    /// Where paths end.
    pub ends: Ends,
    /// Over which paths outcomes are averaged; those from p0 unless set.
    pub demand: Demand,
    /// Who decides the outcomes of actions.
    pub chance: Chance,
    /// How the work is done.
    pub work: Work,
}

/// One outcome in both worlds.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeChange {
    /// Which outcome.
    pub outcome: Outcome,
    /// Its value in the world of the model.
    pub base: Measured,
    /// Its value in the scenario.
    pub scenario: Measured,
    /// The value in the scenario minus that in the world of the model.
    pub difference: Measured,
    /// The logarithm of the ratio of the two, scenario to model; `None` unless both are positive.
    pub log_ratio: Option<Measured>,
}

impl OutcomeChange {
    /// The arc elasticity of the outcome: the logarithm of its ratio over that of a feature's, where the scenario is the
    /// feature times `factor`. `None` if the outcome is not positive.
    pub fn arc_elasticity(&self, factor: f64) -> Option<Measured> {
        self.log_ratio.map(|ratio| ratio.times(1.0 / factor.ln()))
    }
}

impl<'a> Counterfactual<'a> {
    /// Over the paths from p0.
    pub fn new(mdp: &'a Mdp, features: &'a Features, horizon: impl Into<Horizon>, ends: Ends) -> Self {
        let (chance, work) = (Chance::Tilted, Work::default());
        Counterfactual { mdp, features, horizon: horizon.into(), ends, demand: Demand::Start, chance, work }
    }

    /// The same with another demand.
    pub fn with_demand(self, demand: Demand) -> Self {
        Counterfactual { demand, ..self }
    }

    /// Outcomes in the world of the model and in the scenario, with the same θ̂, and their differences.
    ///
    /// # Errors
    /// If the scenario has other numbers of states or features, an outcome refers to something that does not exist, a
    /// trip has no path in one of the worlds ([`Error::NoTripLeft`]), a sum over paths of any length
    /// is not finite, or `watch` stops the work.
    pub fn compare(
        &self,
        known: &ThetaCovariance,
        scenario: &Scenario,
        outcomes: &[Outcome],
        watch: &Watch<'_>,
    ) -> Result<Vec<OutcomeChange>, Error> {
        scenario.check_against(self.mdp, self.features)?;
        let worlds = [self.base()?, scenario.clone()];
        let slopes = self.slopes(known, &worlds, outcomes, watch)?;
        let n = outcomes.len();
        let change = |(place, &outcome): (usize, &Outcome)| {
            let [base, other] = [slopes.value[place], slopes.value[n + place]];
            let is_positive = base > 0.0 && other > 0.0;
            OutcomeChange {
                outcome,
                base: slopes.measured(base, &[(place, 1.0)], 0.0),
                scenario: slopes.measured(other, &[(n + place, 1.0)], 0.0),
                difference: slopes.measured(other - base, &[(place, -1.0), (n + place, 1.0)], 0.0),
                log_ratio: is_positive
                    .then(|| slopes.measured((other / base).ln(), &[(place, -1.0 / base), (n + place, 1.0 / other)], 1.0)),
            }
        };
        Ok(outcomes.iter().enumerate().map(change).collect())
    }

    /// Outcomes in one world, without standard errors.
    ///
    /// # Errors
    /// As [`compare`](Self::compare).
    pub fn outcomes(&self, world: &Scenario, theta: &[f64], outcomes: &[Outcome]) -> Result<Vec<f64>, Error> {
        world.check_against(self.mdp, self.features)?;
        self.check(outcomes)?;
        self.values(world, theta, outcomes)
    }

    /// The expected visits to each state in one world at θ: all flows at once, without standard errors.
    ///
    /// # Errors
    /// As [`compare`](Self::compare).
    pub fn visits(&self, world: &Scenario, theta: &[f64]) -> Result<Vec<f64>, Error> {
        world.check_against(self.mdp, self.features)?;
        self.demand.check(self.mdp)?;
        Ok(expected(world, theta, self.asked(Wanted::default()))?.occupancy.state)
    }

    /// The world of the model, as a scenario without changes.
    ///
    /// # Errors
    /// None for a world that was built.
    pub fn base(&self) -> Result<Scenario, Error> {
        Scenario::new(self.mdp.clone(), self.features.clone(), None)
    }

    /// The outcomes of all worlds, one after the other, and their slopes.
    fn slopes(
        &self,
        known: &ThetaCovariance,
        worlds: &[Scenario],
        outcomes: &[Outcome],
        watch: &Watch<'_>,
    ) -> Result<Slopes, Error> {
        self.check(outcomes)?;
        let at = |theta: &[f64]| {
            let mut values = Vec::with_capacity(worlds.len() * outcomes.len());
            for world in worlds {
                values.extend(self.values(world, theta, outcomes)?);
            }
            Ok(values)
        };
        Slopes::new(known, self.sizes(known.theta(), worlds)?, at, watch)
    }

    /// A function of a direction of θ: by how much it changes the rewards along a path, in sum and feature by feature,
    /// in the world where it changes them most.
    pub(super) fn sizes(
        &self,
        theta: &[f64],
        worlds: &[Scenario],
    ) -> Result<impl Fn(&[f64]) -> Result<[f64; 2], Error>, Error> {
        self.features.check_theta(theta)?;
        let visits = worlds.iter().map(|world| Ok(expected(world, theta, self.asked(Wanted::default()))?.occupancy));
        let visits = visits.collect::<Result<Vec<_>, Error>>()?;
        Ok(move |direction: &[f64]| {
            let mut largest: [f64; 2] = [0.0; 2];
            for (world, visits) in worlds.iter().zip(&visits) {
                let change = world.features().reward(world.mdp(), direction)?;
                let of = |visits: &[f64], change: &[f64]| visits.iter().zip(change).map(|(v, r)| v * r.abs()).sum::<f64>();
                let sum = of(&visits.state, &change.state) + of(&visits.transition, &change.transition);
                let each = world.features().absolute_expectation(world.mdp(), visits);
                let each: f64 = each.iter().zip(direction).map(|(phi, d)| phi * d.abs()).sum();
                largest = [largest[0].max(sum), largest[1].max(each)];
            }
            Ok(largest)
        })
    }

    /// Rejects outcomes and demands that refer to something that does not exist.
    pub(super) fn check(&self, outcomes: &[Outcome]) -> Result<(), Error> {
        self.demand.check(self.mdp)?;
        let n_states = self.mdp.n_states();
        outcomes.iter().enumerate().try_for_each(|(row, outcome)| outcome.check(row, n_states, self.features))
    }

    /// Outcomes in one world.
    pub(super) fn values(&self, world: &Scenario, theta: &[f64], outcomes: &[Outcome]) -> Result<Vec<f64>, Error> {
        let wanted = outcomes.iter().map(Outcome::wants).fold(Wanted::default(), Wanted::or);
        let is_free = |outcome: &&Outcome| matches!(outcome, Outcome::Surplus(k) if theta.get(*k) == Some(&0.0));
        if let Some(&Outcome::Surplus(feature)) = outcomes.iter().find(is_free) {
            return Err(Error::NoCost { feature });
        }
        let found: Expected = expected(world, theta, self.asked(wanted))?;
        Ok(outcomes.iter().map(|outcome| outcome.value(world, theta, &found)).collect())
    }

    fn asked(&self, wanted: Wanted) -> Asked<'_> {
        let Counterfactual { horizon, ends, chance, demand, work, .. } = self;
        Asked { horizon: *horizon, ends: *ends, chance: *chance, demand, work, wanted }
    }
}
