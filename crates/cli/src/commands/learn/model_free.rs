//! `revealed learn --model-free`: from sampled trajectories to a model file, with or without a problem.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use clap::builder::TypedValueParser;
use revealed::{Baseline, Demonstrations, Ends, Horizon, ModelFree, ModelFreeFit, SampleColumns, Samples, Stopped, shown};
use revealed_formats::{FeatureDemonstrations, Model, Problem, demonstrations, samples, warning_texts};

use super::LearnArgs;
use crate::args::bounds;
use crate::args::choice::choice;
use crate::terminal::listing::LISTED;
use crate::terminal::notes::warning;
use crate::terminal::progress_bar::Bar;
use crate::terminal::watched::watched;
use crate::terminal::{Failure, Output};

/// Parses `--baseline`.
pub fn baseline() -> impl TypedValueParser<Value = Baseline> {
    choice(&[Baseline::Reference, Baseline::One], Baseline::name, |baseline| match baseline {
        Baseline::Reference => "Its probability, log_reference: Relative Entropy IRL",
        Baseline::One => "1: maximum entropy",
    })
}

/// Learns from samples and writes the model.
pub fn run(args: &LearnArgs, samples_file: &Path, output: Output) -> Result<(), Failure> {
    let columns = samples::load(samples_file)?;
    let (ends, horizon) = path_set(args, &columns)?;
    let demos = Demos::load(args, samples_file, &columns)?;
    let baseline = match (args.baseline, &columns.log_reference) {
        (Some(baseline), _) => baseline,
        (None, Some(_)) => Baseline::Reference,
        (None, None) => Baseline::One,
    };
    let samples = Samples::new(&columns, baseline).map_err(|error| Failure::in_file(samples_file, error))?;
    let settings = ModelFree {
        bounds: bounds::parse(args.search.limits.bounds.as_deref(), columns.n_features)?,
        l2: args.search.l2,
        max_iterations: args.search.limits.max_iterations,
        work: args.work.of_engine(),
        ..ModelFree::default()
    };

    let begun = Instant::now();
    let fit = watched(Bar::of_search(settings.tolerance), |watch| settings.fit_watched(&samples, &demos.mean, watch))?;
    let seconds = begun.elapsed().as_secs_f64();
    let fitted = Model { seconds: Some(seconds), ..Model::of_samples(&fit, &samples, &settings, baseline, ends, horizon) };
    let (model, warnings) = complete(fitted, &fit, demos, &columns, horizon);
    model.save(&args.output)?;
    warnings.iter().for_each(warning);
    if fit.stop == Stopped::Interrupted {
        return Err(Failure::Interrupted(format!("the best theta so far is in {}", args.output.display())));
    }
    let words = format!("{}written to {}\n", summary(&model, &fit), args.output.display());
    output.print(&words, &serde_json::to_value(&model).map_err(Failure::new)?)
}

/// The model with the facts about the demonstrations, and the warnings, which are also among its notes.
fn complete(
    fitted: Model,
    fit: &ModelFreeFit,
    demos: Demos,
    columns: &SampleColumns,
    horizon: Option<usize>,
) -> (Model, Vec<String>) {
    let mut warnings = warning_texts(fit, &demos.names);
    if let (Some(demo), Some(sample)) = (demos.longest, horizon)
        && demo > sample
    {
        warnings.push(format!("a demonstration has {demo} states and no sample more than {sample}: sample longer paths"));
    }
    let notes = warnings.iter().cloned().chain(notes(fit, &demos.names, columns, horizon.is_none())).collect();
    let model = Model {
        discount: demos.discount,
        n_demonstrations: Some(demos.n),
        problem_digest: demos.problem_digest,
        names: demos.names,
        notes,
        ..fitted
    };
    (model, warnings)
}

/// The demonstrations, as far as learning from samples needs them.
struct Demos {
    mean: Vec<f64>,
    n: usize,
    longest: Option<usize>,
    names: Vec<String>,
    discount: Option<f64>,
    problem_digest: Option<String>,
}

impl Demos {
    fn load(args: &LearnArgs, samples_file: &Path, columns: &SampleColumns) -> Result<Demos, Failure> {
        let (problem_file, demos_file) = args.inputs()?;
        let n_features = columns.n_features;
        let differ = |file: &Path, found: usize| {
            let samples = samples_file.display();
            let message =
                format!("it has {found} features, but the samples in {samples} have {n_features}: give both the same");
            Failure::in_file(file, message)
        };
        let Some(problem_file) = problem_file else {
            let demos = FeatureDemonstrations::load(demos_file)?;
            if demos.n_features != n_features {
                return Err(differ(demos_file, demos.n_features));
            }
            return Ok(Demos {
                mean: demos.mean(),
                n: demos.len(),
                longest: demos.longest,
                names: columns.names.clone(),
                discount: None,
                problem_digest: None,
            });
        };
        let problem = Problem::load(problem_file)?;
        if problem.features.n_features() != n_features {
            return Err(differ(problem_file, problem.features.n_features()));
        }
        let demos = demonstrations::load_for(&problem.mdp, demos_file)?;
        Ok(Demos {
            mean: mean_features(&problem, &demos),
            n: demos.len(),
            longest: Some(demos.longest()),
            names: problem.features.names().to_vec(),
            discount: Some(problem.mdp.discount()),
            problem_digest: Some(problem.digest()),
        })
    }
}

/// E_D[φ(τ)].
fn mean_features(problem: &Problem, demos: &Demonstrations) -> Vec<f64> {
    let mut mean = vec![0.0; problem.features.n_features()];
    for index in 0..demos.len() {
        let share = demos.weight(index) / demos.total_weight();
        let phi = problem.features.of_path(&problem.mdp, demos, index);
        mean.iter_mut().zip(phi).for_each(|(mean, phi)| *mean += share * phi);
    }
    mean
}

/// The path set of the samples. Rollouts of several samples each are prefixes. The largest length is known only from
/// the samples or from the user.
fn path_set(args: &LearnArgs, columns: &SampleColumns) -> Result<(Ends, Option<usize>), Failure> {
    let ends = match args.paths.ends {
        Some(Ends::Goal) => {
            let message = "--ends goal cannot be used with --model-free: every goal would need its own samples";
            return Err(Failure::new(message));
        }
        Some(ends @ (Ends::Horizon | Ends::Terminal)) if has_prefixes(columns) => {
            let message = "the samples hold several parts of a rollout, which are paths that end anywhere: omit --ends, \
                           or sample whole rollouts";
            return Err(Failure::new(format!("--ends {}: {message}", ends.name())));
        }
        Some(ends) => ends,
        None if has_prefixes(columns) => Ends::Anywhere,
        None => Ends::Horizon,
    };
    let given = match args.paths.horizon {
        Some(Horizon::Any) => {
            let message = "--horizon any: samples have a number of states: omit it, or give their maximum";
            return Err(Failure::Usage(message.to_string()));
        }
        given => given.and_then(Horizon::at_most),
    };
    if given == Some(0) {
        return Err(Failure::new("--horizon is 0: a path has at least one state"));
    }
    let longest = columns.length.as_ref().and_then(|length| length.iter().copied().max());
    if let (Some(horizon), Some(longest)) = (given, longest)
        && longest > horizon
    {
        let message = format!("--horizon {horizon}: a sample has {longest} states: omit it, or remove the longer samples");
        return Err(Failure::new(message));
    }
    Ok((ends, given.or(longest)))
}

fn has_prefixes(columns: &SampleColumns) -> bool {
    let Some(rollout) = &columns.rollout else { return false };
    let mut sorted = rollout.clone();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}

/// Notes that a reader of θ needs.
fn notes(fit: &ModelFreeFit, names: &[String], columns: &SampleColumns, no_horizon: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if fit.flat_directions > 0 {
        let (n, s) = (fit.flat_directions, if fit.flat_directions == 1 { "" } else { "s" });
        notes.push(format!(
            "theta is not identified: {n} direction{s} of it change{} no weight of a sample, so other theta explain them equally well",
            if n == 1 { "s" } else { "" }
        ));
    }
    if !fit.at_bounds.is_empty() {
        let named = fit.at_bounds.iter().take(5).map(|&k| name(names, k));
        let more = fit.at_bounds.len().saturating_sub(5);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        notes.push(format!("at a bound: {}{more}", named.collect::<Vec<_>>().join(", ")));
    }
    if no_horizon {
        notes.push(
            "the samples do not say how long they are, so the horizon is set to 1: give --horizon, or `length`".to_string(),
        );
    }
    if columns.log_policy.iter().all(|log| *log > 0.0) {
        notes.push("every log_policy is above 0: this is possible for densities, but not for probabilities".to_string());
    }
    notes
}

fn name(names: &[String], feature: usize) -> String {
    names.get(feature).map_or(format!("feature {feature}"), |name| shown(name).into_owned())
}

fn summary(model: &Model, fit: &ModelFreeFit) -> String {
    let (mut text, estimate) = (String::new(), &fit.estimate);
    let record = model.model_free.as_ref();
    let (samples, rollouts) = record.map_or((0, 0), |record| (record.samples, record.rollouts));
    let baseline = record.map_or("?", |record| record.baseline.as_str());
    let _ = writeln!(text, "samples         {samples} of {rollouts} rollouts, baseline {baseline}");
    let _ = writeln!(
        text,
        "effective size  {:.1} samples of the learned model; the heaviest rollout has {:.2} % of the weight",
        estimate.effective_sample_size,
        100.0 * estimate.largest_share
    );
    let _ = writeln!(text, "objective       {:.8} (log-likelihood up to a constant)", fit.objective);
    let _ = writeln!(text, "log Z           {:.6} ± {:.6}", estimate.log_partition, estimate.log_partition_error);
    let _ = writeln!(
        text,
        "search          {} iterations, {} evaluations, {:.3} s, largest free gradient {:.1e}",
        fit.iterations,
        fit.evaluations,
        model.seconds.unwrap_or(0.0),
        fit.gradient_norm
    );
    let _ = writeln!(text, "ended           {}", fit.stopped_because);
    let _ = writeln!(text, "horizon         {}, ends {}", model.horizon, model.ends.name());
    let _ = writeln!(text, "theta (the largest first) and its standard error from sampling");
    let mut order: Vec<usize> = (0..fit.theta.len()).collect();
    order.sort_by(|&a, &b| fit.theta[b].abs().total_cmp(&fit.theta[a].abs()));
    for k in order.into_iter().take(LISTED) {
        let error = fit.standard_error.as_ref().map_or("?".to_string(), |errors| format!("{:.8}", errors[k]));
        let _ = writeln!(text, "  {:<24} {:>16.8} ± {error}", name(&model.names, k), fit.theta[k]);
    }
    for note in &model.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}
