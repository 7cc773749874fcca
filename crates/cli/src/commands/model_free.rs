//! `revealed learn --model-free`: from sampled trajectories to a model file, with or without a problem.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use revealed::{Baseline, Demonstrations, Ends, ModelFree, ModelFreeFit, SampleColumns, Samples, Step, Stopped, Watch};
use revealed_formats::{FeatureDemonstrations, Model, Problem, demonstrations, samples, warnings_in_words};

use crate::args::Learn;
use crate::bounds;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::Output;
use crate::progress::LearningProgress;

/// Learns from samples and writes the model.
pub fn run(args: &Learn, samples_file: &Path, output: Output) -> Result<(), Failure> {
    let columns = samples::load(samples_file)?;
    let (ends, horizon) = path_set(args, &columns)?;
    let demos = Demos::load(args, samples_file, &columns)?;
    let baseline = match (args.baseline, &columns.log_reference) {
        (Some(baseline), _) => baseline.into(),
        (None, Some(_)) => Baseline::Reference,
        (None, None) => Baseline::One,
    };
    let in_samples = |error: revealed::Error| Failure::new(format!("{}: {error}", samples_file.display()));
    let samples = Samples::new(&columns, baseline).map_err(in_samples)?;
    let settings = ModelFree {
        bounds: bounds::parse(args.search.bounds.as_deref(), columns.n_features)?,
        l2: args.search.l2,
        max_iterations: args.search.max_iterations,
        threads: args.work.threads,
        ..ModelFree::default()
    };

    interrupt::listen();
    let mut progress = LearningProgress::new(settings.tolerance);
    let begun = Instant::now();
    let mut hear = |step: &Step<'_>| {
        step.iteration().into_iter().for_each(|step| progress.show(step));
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let fit = settings.fit_watched(&samples, &demos.mean, &Watch::new(&mut hear));
    progress.finish();
    let fit = fit?;

    let mut model = Model {
        discount: demos.discount,
        seconds: Some(begun.elapsed().as_secs_f64()),
        n_demonstrations: Some(demos.n),
        problem_digest: demos.problem_digest.clone(),
        ..Model::of_samples(&fit, &samples, &settings, baseline, ends, horizon)
    };
    model.names = demos.names;
    let mut warnings = warnings_in_words(&fit, &model.names);
    if let (Some(demo), Some(sample)) = (demos.longest, horizon)
        && demo > sample
    {
        warnings.push(format!("a demonstration has {demo} states and no sample more than {sample}: sample longer paths"));
    }
    model.notes = warnings.iter().cloned().chain(notes(&fit, &model.names, &columns, horizon.is_none())).collect();
    model.save(&args.output)?;
    warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
    if fit.stop == Stopped::Interrupted {
        return Err(Failure::Interrupted(format!("the best theta so far is in {}", args.output.display())));
    }
    let words = format!("{}written to {}\n", summary(&model, &fit), args.output.display());
    output.print(&words, &serde_json::to_value(&model).map_err(Failure::new)?)
}

/// What is known of the demonstrations.
struct Demos {
    mean: Vec<f64>,
    n: usize,
    longest: Option<usize>,
    names: Vec<String>,
    discount: Option<f64>,
    problem_digest: Option<String>,
}

impl Demos {
    fn load(args: &Learn, samples_file: &Path, columns: &SampleColumns) -> Result<Demos, Failure> {
        let (problem_file, demos_file) = args.inputs();
        let n_features = columns.n_features;
        let differ = |file: &Path, found: usize| {
            Failure::new(format!(
                "{}: it has {found} features, but the samples in {} have {n_features}: give both the same",
                file.display(),
                samples_file.display()
            ))
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

/// Which paths the samples are about. Rollouts of several samples each are prefixes; how long paths get is known only if the
/// samples or the user say.
fn path_set(args: &Learn, columns: &SampleColumns) -> Result<(Ends, Option<usize>), Failure> {
    let ends = match args.ends.map(Ends::from) {
        Some(Ends::Goal) => {
            let message = "--ends goal does not go with --model-free: every goal would need samples of its own";
            return Err(Failure::new(message));
        }
        Some(ends @ (Ends::Horizon | Ends::Terminal)) if has_prefixes(columns) => {
            let message = "the samples hold several parts of a rollout, which are paths that end anywhere: leave --ends out, or \
                           sample whole rollouts";
            return Err(Failure::new(format!("--ends {}: {message}", ends.name())));
        }
        Some(ends) => ends,
        None if has_prefixes(columns) => Ends::Anywhere,
        None => Ends::Horizon,
    };
    if args.horizon == Some(0) {
        return Err(Failure::new("--horizon is 0: a path has at least one state"));
    }
    let longest = columns.length.as_ref().and_then(|length| length.iter().copied().max());
    if let (Some(horizon), Some(longest)) = (args.horizon, longest)
        && longest > horizon
    {
        let message = format!("--horizon {horizon}: a sample has {longest} states; leave it out, or leave longer samples out");
        return Err(Failure::new(message));
    }
    Ok((ends, args.horizon.or(longest)))
}

fn has_prefixes(columns: &SampleColumns) -> bool {
    let Some(rollout) = &columns.rollout else { return false };
    let mut sorted = rollout.clone();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}

/// What a reader of θ has to know.
fn notes(fit: &ModelFreeFit, names: &[String], columns: &SampleColumns, no_horizon: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if fit.flat_directions > 0 {
        let (n, s) = (fit.flat_directions, if fit.flat_directions == 1 { "" } else { "s" });
        notes.push(format!(
            "theta is one of many: {n} direction{s} of it change{} nothing among the samples",
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
            "the samples do not say how long they are, so the horizon stands at 1: give --horizon, or `length`".to_string(),
        );
    }
    if columns.log_policy.iter().all(|log| *log > 0.0) {
        notes.push("every log_policy is above 0, which no probability's logarithm is: right for densities alone".to_string());
    }
    notes
}

fn name(names: &[String], feature: usize) -> String {
    names.get(feature).cloned().unwrap_or(format!("feature {feature}"))
}

fn summary(model: &Model, fit: &ModelFreeFit) -> String {
    let (mut text, estimate) = (String::new(), &fit.estimate);
    let record = model.model_free.as_ref();
    let (samples, rollouts) = record.map_or((0, 0), |record| (record.samples, record.rollouts));
    let baseline = record.map_or("?", |record| record.baseline.as_str());
    let _ = writeln!(text, "samples         {samples} of {rollouts} rollouts, baseline {baseline}");
    let _ = writeln!(
        text,
        "worth           {:.1} samples of the learned model; the heaviest rollout has {:.2} % of the weight",
        estimate.effective_sample_size,
        100.0 * estimate.largest_share
    );
    let _ = writeln!(text, "objective       {:.8} (log-likelihood but for a constant)", fit.objective);
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
    for k in order.into_iter().take(20) {
        let error = fit.standard_error.as_ref().map_or("?".to_string(), |errors| format!("{:.8}", errors[k]));
        let _ = writeln!(text, "  {:<24} {:>16.8} ± {error}", name(&model.names, k), fit.theta[k]);
    }
    for note in &model.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}
