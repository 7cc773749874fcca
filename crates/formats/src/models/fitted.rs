//! Models of fits: to demonstrations, and to samples.

use revealed::{
    Baseline, Bounds, Demonstrations, Ends, Fit, MaxEnt, ModelFree, ModelFreeFit, PartialFit, Samples, Warning, shown,
};

use super::luck::LuckRecord;
use super::model::Model;
use super::model_free_record::ModelFreeRecord;
use super::world_record::WorldRecord;
use crate::problems::Problem;

impl Model {
    /// The model of a fit.
    pub fn of_fit(fit: &Fit, settings: &MaxEnt, problem: &Problem, demos: &Demonstrations) -> Model {
        Model::of_worlds(fit, settings, &[(problem, demos)])
    }

    /// The model of a fit to several worlds.
    pub fn of_worlds(fit: &Fit, settings: &MaxEnt, worlds: &[(&Problem, &Demonstrations)]) -> Model {
        let records: Vec<WorldRecord> = worlds.iter().map(|(problem, demos)| WorldRecord::new(problem, demos)).collect();
        let (names, discount) = match worlds.first() {
            Some((first, _)) => {
                let discount = first.mdp.discount();
                let same = worlds.iter().all(|(problem, _)| problem.mdp.discount() == discount);
                (first.features.names().to_vec(), same.then_some(discount))
            }
            None => (Vec::new(), None),
        };
        let luck = LuckRecord::new(fit, settings, worlds);
        let mut model = Model::of_records(fit, settings, names, discount, records);
        model.notes.extend(luck.as_ref().map(LuckRecord::words));
        Model { luck, ..model }
    }

    /// The model of a fit to demonstrations that were seen in part.
    pub fn of_partial(found: &PartialFit, settings: &MaxEnt, problem: &Problem, n_demonstrations: usize) -> Model {
        let (features, discount) = (&problem.features, problem.mdp.discount());
        let record = WorldRecord { problem_digest: problem.digest(), n_demonstrations };
        let mut model = Model::of_records(&found.fit, settings, features.names().to_vec(), Some(discount), vec![record]);
        model.notes.push(
            "some demonstrations are seen in part: the log-likelihood is that of what was seen, and may have several optima"
                .to_string(),
        );
        let starts = found.log_likelihoods.len();
        if starts > 1 {
            model.notes.push(format!("{} of {starts} searches ended at this optimum, the best of them", found.agree));
        }
        model
    }

    /// The model of a fit to worlds that are elsewhere.
    pub fn of_records(
        fit: &Fit,
        settings: &MaxEnt,
        names: Vec<String>,
        discount: Option<f64>,
        mut worlds: Vec<WorldRecord>,
    ) -> Model {
        let n_demonstrations = worlds.iter().map(|world| world.n_demonstrations).sum();
        let one = if worlds.len() == 1 { worlds.pop() } else { None };
        Model {
            notes: notes(fit, &names, discount),
            discount,
            log_likelihood: Some(fit.log_likelihood),
            iterations: Some(fit.iterations),
            evaluations: Some(fit.evaluations),
            converged: Some(fit.converged),
            stopped_because: Some(fit.stopped_because.clone()),
            gradient_norm: Some(fit.gradient_norm),
            n_demonstrations: Some(n_demonstrations),
            bounds: in_model(&settings.bounds, fit.theta.len()),
            l2: Some(settings.l2),
            problem_digest: one.map(|world| world.problem_digest),
            worlds: (!worlds.is_empty()).then_some(worlds),
            inference: fit.method,
            chance: fit.method.chance(),
            names,
            ..Model::new(fit.theta.clone(), fit.horizon, fit.ends)
        }
    }

    /// The model of a fit to samples. An unknown horizon is written as 1.
    pub fn of_samples(
        fit: &ModelFreeFit,
        samples: &Samples,
        settings: &ModelFree,
        baseline: Baseline,
        ends: Ends,
        horizon: Option<usize>,
    ) -> Model {
        let estimate = &fit.estimate;
        Model {
            iterations: Some(fit.iterations),
            evaluations: Some(fit.evaluations),
            converged: Some(fit.converged),
            stopped_because: Some(fit.stopped_because.clone()),
            gradient_norm: Some(fit.gradient_norm),
            bounds: in_model(&settings.bounds, fit.theta.len()),
            l2: Some(settings.l2),
            model_free: Some(ModelFreeRecord {
                samples: samples.n_samples(),
                rollouts: samples.n_rollouts(),
                baseline: baseline.name().to_string(),
                objective: fit.objective,
                log_partition: estimate.log_partition,
                log_partition_error: estimate.log_partition_error,
                effective_sample_size: estimate.effective_sample_size,
                largest_share: estimate.largest_share,
                gradient_error: estimate.standard_error.clone(),
                standard_error: fit.standard_error.clone(),
                flat_directions: fit.flat_directions,
                worthless: fit.warnings.iter().any(Warning::worthless),
            }),
            ..Model::new(fit.theta.clone(), horizon.unwrap_or(1), ends)
        }
    }

    /// The bounds that it was learned with.
    pub fn bounds_of_theta(&self) -> Bounds {
        let pair = |[lo, hi]: [Option<f64>; 2]| (lo.unwrap_or(f64::NEG_INFINITY), hi.unwrap_or(f64::INFINITY));
        self.bounds.as_ref().map_or(Bounds::None, |each| Bounds::Each(each.iter().copied().map(pair).collect()))
    }
}

/// Bounds as a model file has them: `None` if no parameter has any.
fn in_model(bounds: &Bounds, n_features: usize) -> Option<Vec<[Option<f64>; 2]>> {
    let finite = |bound: f64| bound.is_finite().then_some(bound);
    let each = match bounds {
        Bounds::None => return None,
        bounds => bounds.each(n_features).ok()?,
    };
    Some(each.into_iter().map(|(lo, hi)| [finite(lo), finite(hi)]).collect())
}

/// Notes for readers of θ.
fn notes(fit: &Fit, names: &[String], discount: Option<f64>) -> Vec<String> {
    let mut notes = Vec::new();
    if fit.method.ziebart().is_some() {
        let method = fit.method.name();
        notes.push(format!("{method} is a baseline: its expectations are not those of the model; the log-likelihood is exact"));
        if let Some(discount) = discount.filter(|&discount| discount < 1.0) {
            notes.push(format!("{method} ignores the discount: only the log-likelihood uses {discount}"));
        }
    }
    let name = |k: usize| names.get(k).map_or(format!("feature {k}"), |name| shown(name).into_owned());
    let list = |indices: &[usize]| {
        let named: Vec<String> = indices.iter().take(5).map(|&k| name(k)).collect();
        let more = if indices.len() > 5 { format!(" and {} more", indices.len() - 5) } else { String::new() };
        named.join(", ") + &more
    };
    if !fit.null_directions.is_empty() {
        let directions: Vec<String> = fit.null_directions.iter().map(|direction| format!("({direction})")).collect();
        notes.push(format!(
            "theta is not identified: adding a multiple of any of {} direction{} changes no reward, so compare rewards or \
             likelihoods instead: {}",
            directions.len(),
            if directions.len() == 1 { "" } else { "s" },
            directions.join(", ")
        ));
    }
    if !fit.never_seen.is_empty() {
        notes.push(format!("no demonstration ever has {}", list(&fit.never_seen)));
    }
    if !fit.at_bounds.is_empty() {
        notes.push(format!("at a bound: {}", list(&fit.at_bounds)));
    }
    notes
}

/// The warnings of a fit to samples, as texts. Of the features that the samples do not cover, at most three are named.
pub fn warning_texts(fit: &ModelFreeFit, names: &[String]) -> Vec<String> {
    let of_one_feature = |warning: &&Warning| matches!(warning, Warning::Uncovered { .. });
    let (of_features, others): (Vec<&Warning>, Vec<&Warning>) = fit.warnings.iter().partition(of_one_feature);
    let mut words: Vec<String> = others.iter().chain(of_features.iter().take(3)).map(|warning| warning.text(names)).collect();
    if of_features.len() > 3 {
        words.push(format!("the same holds for {} more features", of_features.len() - 3));
    }
    words
}
