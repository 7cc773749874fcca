//! How well θ fits: the log-likelihood, and observed against expected features.

use revealed::{Demonstrations, MaxEnt, Options, Work};
use serde_json::{Value, json};

use super::path_set_json;
use crate::Fault;
use crate::models::{Model, ModelLikelihood, SummaryRecord};
use crate::problems::Problem;
use crate::summaries::summary_notes;

/// The evaluation of θ on the demonstrations.
pub(super) fn fit(problem: &Problem, model: &Model, demos: &Demonstrations, work: &Work) -> Result<Value, Fault> {
    let options = Options { ends: model.ends, horizon: Some(model.horizon), work: *work };
    let mut likelihood = ModelLikelihood::new(model.inference, &problem.mdp, &problem.features, demos, &options)?;
    let evaluation = likelihood.evaluate(&model.theta)?;
    let scores = likelihood.held_out(demos, &model.theta)?;
    let nothing = likelihood.evaluate(&vec![0.0; model.theta.len()]);
    let observed = likelihood.observed().unwrap_or_default();
    let difference = scores.feature_gap.difference;
    let expected: Vec<f64> = observed.iter().zip(&difference).map(|(observed, gap)| observed - gap).collect();
    let mut json = path_set_json(likelihood.horizon(), likelihood.ends());
    json["log_likelihood"] = json!(evaluation.log_likelihood);
    json["total_log_likelihood"] = json!(scores.total_log_likelihood);
    json["log_partition"] = json!(evaluation.log_partition);
    json["gradient"] = json!(evaluation.gradient);
    json["null_log_likelihood"] = json!(nothing.ok().map(|at| at.log_likelihood));
    json["observed"] = json!(observed);
    json["expected"] = json!(expected);
    json["n_demonstrations"] = json!(demos.len());
    Ok(json)
}

/// The standard errors of a model that was learned from these demonstrations.
pub(super) fn summary(
    problem: &Problem,
    model: &Model,
    demos: &Demonstrations,
    level: f64,
    work: &Work,
) -> Result<SummaryRecord, Fault> {
    let settings = MaxEnt {
        method: model.inference,
        options: Options { ends: model.ends, horizon: Some(model.horizon), work: *work },
        bounds: model.bounds_of_theta(),
        l2: model.l2.unwrap_or(0.0),
        ..MaxEnt::default()
    };
    let sure = settings.uncertainty(&problem.mdp, &problem.features, demos, &model.theta)?;
    let notes = summary_notes(&sure, model, &problem.features);
    Ok(SummaryRecord::new(&sure, level, notes)?)
}
