//! A comparison as JSON has it.

use revealed::{Compared, ComparedFit, ComparedModel, Comparison, Demonstrations, Horizon, ModelKind, Vuong};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::verdict::verdict;
use crate::models::{Model, SummaryRecord};
use crate::problems::Problem;
use crate::summaries::summary_notes;

/// The confidence level of the intervals in the summary of the chosen model.
const LEVEL: f64 = 0.95;

/// The result of `revealed compare`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparisonRecord {
    /// The number of demonstrations.
    pub n_demonstrations: usize,
    /// The number of folds.
    pub folds: usize,
    /// The seed of the folds.
    pub seed: u64,
    /// Where paths end.
    pub ends: String,
    /// Whether some outcome of an action has a probability below 1.
    pub has_chance: bool,
    /// The four models.
    pub models: Vec<ComparedRecord>,
    /// The name of the model with the largest held-out log-likelihood of the choices.
    pub best: Option<String>,
    /// The name of the model to take.
    pub chosen: Option<String>,
    /// Why it is taken.
    pub preference: String,
    /// Which model explains the choices, and what each is for.
    pub verdict: Vec<String>,
    /// The fold of each demonstration; null for those of weight 0.
    pub fold_of: Vec<Option<usize>>,
}

/// One model of a comparison. Numbers are absent if it was not fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedRecord {
    /// Its name.
    pub model: String,
    /// Its name for people.
    pub title: String,
    /// Why it was not fitted.
    pub reason: Option<String>,
    /// How it is learned.
    pub inference: Option<String>,
    /// How many states a path may have: a number, or `"any"`.
    pub horizon: Value,
    /// Where paths end.
    pub ends: Option<String>,
    /// θ.
    pub theta: Option<Vec<f64>>,
    /// The standard errors of θ; null where there is none.
    pub standard_errors: Option<Vec<Option<f64>>>,
    /// Why there are no standard errors.
    pub no_standard_errors: Option<String>,
    /// Whether the search converged.
    pub converged: Option<bool>,
    /// Why the search ended.
    pub stopped_because: Option<String>,
    /// The mean log-likelihood of the choices.
    pub in_sample: Option<f64>,
    /// The same, each demonstration under a fit that did not see it; null for minus infinity.
    pub held_out: Option<f64>,
    /// By how much the log-likelihood of the outcomes exceeds that at θ = 0.
    pub luck: Option<f64>,
    /// The part of what the fit explains that is luck.
    pub luck_share: Option<f64>,
    /// Identified directions of θ.
    pub parameters: Option<usize>,
    /// Akaike's criterion of the choices.
    pub aic: Option<f64>,
    /// Schwarz's criterion of the choices.
    pub bic: Option<f64>,
    /// How many of the fits without a fold did not converge.
    pub unconverged_folds: Option<usize>,
    /// The best model against this one.
    pub vuong: Option<VuongRecord>,
    /// Twice the log-likelihood ratio against θ = 0, the only model that is nested in this one.
    pub likelihood_ratio: Option<f64>,
    /// Its p-value, by chi-squared.
    pub likelihood_ratio_p_value: Option<f64>,
    /// The held-out log-likelihood of the choices of each demonstration.
    pub demonstrations: Option<Vec<Option<f64>>>,
}

/// Vuong's test of the best model against another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VuongRecord {
    /// The mean difference of held-out log-likelihoods.
    pub difference: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The difference in units of its standard error.
    pub statistic: f64,
    /// The two-sided p-value.
    pub p_value: f64,
}

impl ComparisonRecord {
    /// The record of a comparison.
    pub fn new(found: &Compared, plan: &Comparison, demos: &Demonstrations) -> ComparisonRecord {
        let name = |place: usize| found.models[place].kind.name().to_string();
        ComparisonRecord {
            n_demonstrations: demos.len(),
            folds: plan.folds,
            seed: plan.seed,
            ends: found.ends.name().to_string(),
            has_chance: found.has_chance,
            models: found.models.iter().map(ComparedRecord::new).collect(),
            best: found.best.map(name),
            chosen: found.chosen.map(name),
            preference: found.preference.name().to_string(),
            verdict: verdict(found),
            fold_of: found.fold_of.clone(),
        }
    }
}

impl ComparedRecord {
    fn new(model: &ComparedModel) -> ComparedRecord {
        let fitted = model.fitted.as_ref().ok();
        let finite = |of: fn(&ComparedFit) -> f64| fitted.map(of).filter(|value| value.is_finite());
        let sure = fitted.and_then(|fitted| fitted.uncertainty.as_ref().ok());
        ComparedRecord {
            model: model.kind.name().to_string(),
            title: title(model),
            reason: model.fitted.as_ref().err().cloned(),
            inference: fitted.map(|fitted| fitted.fit.method.name().to_string()),
            horizon: fitted.map_or(Value::Null, |fitted| match fitted.fit.horizon {
                Horizon::AtMost(states) => json!(states),
                Horizon::Any => json!("any"),
            }),
            ends: fitted.map(|fitted| fitted.fit.ends.name().to_string()),
            theta: fitted.map(|fitted| fitted.fit.theta.clone()),
            standard_errors: sure.map(|sure| sure.standard_errors.clone()),
            no_standard_errors: fitted.and_then(|fitted| fitted.uncertainty.as_ref().err().cloned()),
            converged: fitted.map(|fitted| fitted.fit.converged),
            stopped_because: fitted.map(|fitted| fitted.fit.stopped_because.clone()),
            in_sample: finite(|fitted| fitted.in_sample),
            held_out: finite(|fitted| fitted.held_out),
            luck: fitted.and_then(|fitted| fitted.luck),
            luck_share: fitted.and_then(|fitted| fitted.luck_share),
            parameters: fitted.map(|fitted| fitted.parameters),
            aic: finite(|fitted| fitted.aic),
            bic: finite(|fitted| fitted.bic),
            unconverged_folds: fitted.map(|fitted| fitted.unconverged),
            vuong: fitted.and_then(|fitted| fitted.vuong).map(|vuong| VuongRecord::new(&vuong)),
            likelihood_ratio: sure.and_then(|sure| sure.statistics.likelihood_ratio),
            likelihood_ratio_p_value: sure.and_then(|sure| sure.statistics.p_value),
            demonstrations: fitted.map(|fitted| fitted.each.clone()),
        }
    }
}

impl VuongRecord {
    fn new(vuong: &Vuong) -> VuongRecord {
        let &Vuong { difference, standard_error, statistic, p_value } = vuong;
        VuongRecord { difference, standard_error, statistic, p_value }
    }
}

impl Model {
    /// The model that a comparison chose, with its summary; `None` if it chose none.
    pub fn of_comparison(found: &Compared, problem: &Problem, demos: &Demonstrations) -> Option<Model> {
        let fitted = found.chosen_fit()?;
        let mut model = Model::of_fit(&fitted.fit, &fitted.settings, problem, demos);
        if let Ok(sure) = &fitted.uncertainty {
            let notes = summary_notes(sure, &model, &problem.features);
            model.summary = SummaryRecord::new(sure, LEVEL, notes).ok();
        }
        Some(model)
    }
}

/// The name of a model for people.
pub(super) fn title(model: &ComparedModel) -> String {
    let horizon = model.fitted.as_ref().ok().and_then(|fitted| fitted.fit.horizon.at_most());
    match (model.kind, horizon) {
        (ModelKind::PathsWithin, Some(states)) => format!("paths within {states} states"),
        (ModelKind::PathsWithin, None) => "paths within a horizon".to_string(),
        (ModelKind::PathsAny, _) => "paths of any length".to_string(),
        (ModelKind::CausalWithin, Some(states)) => format!("causal within {states} states"),
        (ModelKind::CausalWithin, None) => "causal within a horizon".to_string(),
        (ModelKind::CausalAny, _) => "causal without a horizon".to_string(),
    }
}
