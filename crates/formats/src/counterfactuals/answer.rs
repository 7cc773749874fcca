//! From a model and a request to the answer.

use revealed::{Counterfactual, Error, Outcome, OutcomeChange, Scenario, Standing, ThetaCovariance, Watch, WeightRatio, Work};

use super::names::{feature, of_outcome, ratio, short};
use super::notes::notes;
use super::record::{CounterfactualRecord, ElasticityRecord, MeasuredRecord, OutcomeRecord, RatioRecord};
use super::request::CounterfactualRequest;
use crate::Fault;
use crate::models::Model;
use crate::problems::Problem;

impl Model {
    /// How well θ is known, from the summary of the model.
    ///
    /// # Errors
    /// If the model has no standard errors, or none of this kind.
    pub fn theta_covariance(&self, robust: bool) -> Result<ThetaCovariance, Fault> {
        let Some(summary) = &self.summary else {
            return Err(Fault::Request(
                "the model has no standard errors, and intervals need them: learn again with --summary".to_string(),
            ));
        };
        let Some(covariance) = summary.whole_covariance(robust) else {
            return Err(match robust {
                true if summary.robust_standard_errors.is_none() => Error::NoRobustCovariance.into(),
                _ if self.theta.len() > 500 => Fault::Request(format!(
                    "the model has {} parameters, and files have the covariance of at most 500: use fewer features",
                    self.theta.len()
                )),
                _ => Fault::Request(
                    "the model was written by an older version, without the whole covariance: learn again with \
                     --summary"
                        .to_string(),
                ),
            });
        };
        let all = [Standing::Estimated, Standing::AtBound, Standing::Unidentified, Standing::NoOptimum];
        let standing = |name: &String| all.into_iter().find(|one| one.name() == name).unwrap_or(Standing::NoOptimum);
        let directions = summary.unidentified.iter().map(|one| one.terms.clone()).collect();
        let standing = summary.standing.iter().map(standing).collect();
        Ok(ThetaCovariance::new(self.theta.clone(), covariance, standing, directions)?)
    }
}

/// Answers a request. `world` is another world to compare with, to which the changes of the request are made; without
/// it they are made to the world of the model. `work` has threads and memory.
///
/// # Errors
/// If the model has no standard errors, something in the request does not exist, or no path is left in the scenario;
/// [`revealed::Error::Stopped`] as [`Fault::Content`] if `watch` stops the work.
pub fn counterfactual(
    problem: &Problem,
    model: &Model,
    world: Option<&Problem>,
    request: &CounterfactualRequest,
    work: &Work,
    watch: &Watch<'_>,
) -> Result<CounterfactualRecord, Fault> {
    check(model, world, request)?;
    let known = model.theta_covariance(request.robust)?;
    let question = Counterfactual {
        work: *work,
        chance: model.chance,
        ..Counterfactual::new(&problem.mdp, &problem.features, model.horizon, model.ends)
            .with_demand(request.demand(problem, model)?)
    };
    let mut record = CounterfactualRecord {
        level: request.level,
        robust: request.robust,
        travellers: request.travellers,
        outcomes: Vec::new(),
        elasticities: Vec::new(),
        ratios: Vec::new(),
        base_visits: Vec::new(),
        scenario_visits: Vec::new(),
        notes: Vec::new(),
    };
    let outcomes = request.outcomes(&problem.features)?;
    if let Some(scenario) = scenario(problem, world, request)? {
        compare(&question, &known, &scenario, outcomes.clone(), request, &mut record, watch)?;
    }
    for name in &request.elasticities {
        let k = feature(name, &problem.features)?;
        for one in question.elasticities(&known, k, None, &outcomes, watch)? {
            let elasticity = one.elasticity.map(|one| MeasuredRecord::new(one, request.level)).transpose()?;
            let outcome = of_outcome(one.outcome, &problem.features);
            record.elasticities.push(ElasticityRecord { outcome, feature: short(k, &problem.features), elasticity });
        }
    }
    for text in &request.ratios {
        let (above, below) = ratio(text, &problem.features)?;
        let found = WeightRatio::new(&known, above, below)?;
        let fieller = found.fieller(request.level)?.map(RatioRecord::fieller);
        let [numerator, denominator] = [above, below].map(|k| short(k, &problem.features));
        let ratio = MeasuredRecord::new(found.ratio, request.level)?;
        let (fieller, fieller_ends) = fieller.map_or((None, None), |(kind, ends)| (Some(kind), ends));
        record.ratios.push(RatioRecord { numerator, denominator, ratio, fieller, fieller_ends });
    }
    record.notes = notes(&record, &known, model, &problem.features);
    Ok(record)
}

fn check(model: &Model, world: Option<&Problem>, request: &CounterfactualRequest) -> Result<(), Fault> {
    if model.model_free.is_some() {
        return Err(Fault::Request(
            "counterfactuals need the standard errors of an exact model: learn with inference exact, causal or \
             recursive-logit"
                .to_string(),
        ));
    }
    if request.scenario.is_none() && world.is_none() && request.ratios.is_empty() && request.elasticities.is_empty() {
        return Err(Fault::Request(
            "there is nothing to compare: give a scenario, another world, a ratio or an elasticity".into(),
        ));
    }
    if !(request.travellers.is_finite() && request.travellers > 0.0) {
        return Err(Fault::value("travellers", None, request.travellers, "a finite number above 0"));
    }
    Ok(())
}

/// The world to compare with.
fn scenario(problem: &Problem, world: Option<&Problem>, request: &CounterfactualRequest) -> Result<Option<Scenario>, Fault> {
    match (&request.scenario, world) {
        (Some(changes), world) => Ok(Some(changes.build(world.unwrap_or(problem))?)),
        (None, Some(world)) => Ok(Some(Scenario::new(world.mdp.clone(), world.features.clone(), None)?)),
        (None, None) => Ok(None),
    }
}

/// Adds the outcomes in both worlds to the record.
fn compare(
    question: &Counterfactual<'_>,
    known: &ThetaCovariance,
    scenario: &Scenario,
    mut outcomes: Vec<Outcome>,
    request: &CounterfactualRequest,
    record: &mut CounterfactualRecord,
    watch: &Watch<'_>,
) -> Result<(), Fault> {
    let times = |visits: Vec<f64>| visits.into_iter().map(|visits| request.travellers * visits).collect::<Vec<f64>>();
    record.base_visits = times(question.visits(&question.base()?, known.theta())?);
    record.scenario_visits = times(question.visits(scenario, known.theta())?);
    let changed = |state: usize| (record.scenario_visits[state] - record.base_visits[state]).abs();
    let mut order: Vec<usize> = (0..record.base_visits.len()).filter(|&state| changed(state) > 1e-12).collect();
    order.sort_by(|&a, &b| changed(b).total_cmp(&changed(a)));
    for &state in order.iter().take(request.flows) {
        if !outcomes.contains(&Outcome::Visits(state)) {
            outcomes.push(Outcome::Visits(state));
        }
    }
    let factor = request.scenario.as_ref().and_then(super::ScenarioRecord::only_scaled);
    for change in question.compare(known, scenario, &outcomes, watch)? {
        record.outcomes.push(of_change(&change, question, request, factor)?);
    }
    Ok(())
}

fn of_change(
    change: &OutcomeChange,
    question: &Counterfactual<'_>,
    request: &CounterfactualRequest,
    factor: Option<f64>,
) -> Result<OutcomeRecord, Fault> {
    let travellers = if change.outcome.is_flow() { request.travellers } else { 1.0 };
    let measured = |one: revealed::Measured| MeasuredRecord::new(one, request.level);
    let relative = |ratio: revealed::Measured| {
        let times = ratio.value.exp();
        revealed::Measured { value: times - 1.0, standard_error: ratio.standard_error.map(|error| times * error) }
    };
    Ok(OutcomeRecord {
        outcome: of_outcome(change.outcome, question.features),
        base: measured(change.base.times(travellers))?,
        scenario: measured(change.scenario.times(travellers))?,
        difference: measured(change.difference.times(travellers))?,
        relative: change.log_ratio.map(|ratio| measured(relative(ratio))).transpose()?,
        arc_elasticity: factor.and_then(|factor| change.arc_elasticity(factor)).map(measured).transpose()?,
    })
}
