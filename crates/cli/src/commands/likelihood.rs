//! `revealed likelihood`: ℓ(θ) and its gradient.

use std::fmt::Write;
use std::time::Instant;

use revealed::{CausalLikelihood, Demonstrations, Ends, Evaluation, Likelihood, Method, Options, RouteChoice};
use revealed_formats::{Problem, demonstrations, load_theta};
use serde_json::json;

use super::load_model;
use crate::args;
use crate::failure::Failure;
use crate::output::Output;

/// Memory is used for the first time here, and the system takes longer to hand it out than it would take to compute what was
/// not kept: less is faster, unless the problem needs more.
const ENOUGH_FOR_ONCE: usize = 300_000_000;

/// Evaluates once.
pub fn run(args: &args::Likelihood, output: Output) -> Result<(), Failure> {
    let problem = Problem::load(&args.problem)?;
    let demos = demonstrations::load_for(&problem.mdp, &args.demos)?;
    let model = args.model.as_ref().map(|path| load_model(path, &problem)).transpose()?;
    let theta = match (&model, &args.theta) {
        (Some(model), _) => model.theta.clone(),
        (None, Some(path)) => {
            let theta = load_theta(path)?;
            let checked = problem.features.check_theta(&theta);
            checked.map_err(|error| Failure::new(format!("{}: {error}: one for each feature", path.display())))?;
            theta
        }
        (None, None) => return Err(Failure::new("give --theta FILE or --model FILE")),
    };
    let inference = model.as_ref().map_or(Method::Exact, |model| model.inference);
    let ends = args.ends.map_or(model.as_ref().map_or(Ends::Anywhere, |model| model.ends), Ends::from);
    let horizon = args.horizon.or(model.as_ref().map(|model| model.horizon));
    let options = args.work.options(ends, horizon);
    let answer = match inference {
        Method::CausalEntropy => {
            inference.check(&problem.mdp, &problem.features, ends)?;
            of_causal(args, &problem, &demos, &options, &theta)?
        }
        Method::RecursiveLogit if args.horizon.is_none() => of_routes(args, &problem, &demos, &theta)?,
        _ => of_maxent(args, &problem, &demos, options, &theta)?,
    };
    let Answer { evaluation, horizon, seconds } = answer;

    let mut json = json!({
        "log_likelihood": evaluation.log_likelihood,
        "gradient": evaluation.gradient,
        "horizon": horizon,
        "ends": ends.name(),
        "n_demonstrations": demos.len(),
        "seconds": seconds,
    });
    let mut words = String::new();
    let _ = writeln!(words, "log-likelihood  {:.10} (mean of {} demonstrations)", evaluation.log_likelihood, demos.len());
    if let Some(log_partition) = evaluation.log_partition {
        json["log_partition"] = json!(log_partition);
        let _ = writeln!(words, "log Z           {log_partition:.10}");
    }
    let longest = horizon.map_or("none".to_string(), |horizon| horizon.to_string());
    let _ = writeln!(words, "horizon         {longest}, ends {}", ends.name());
    if inference == Method::CausalEntropy {
        json["inference"] = json!(inference.name());
        let _ = writeln!(words, "inference       causal; the gradient is that of the dual, observed less expected features");
    }
    let _ = writeln!(words, "seconds         {seconds:.6}");
    let _ = writeln!(words, "gradient by theta (the largest first)");
    for (name, value) in super::learn::largest(&evaluation.gradient, &problem.features, 20) {
        let _ = writeln!(words, "  {name:<24} {value:>16.8}");
    }
    output.print(&words, &json)
}

/// What a model says about demonstrations.
struct Answer {
    evaluation: Evaluation,
    /// None where paths may have any length.
    horizon: Option<usize>,
    seconds: f64,
}

fn of_maxent(
    args: &args::Likelihood,
    problem: &Problem,
    demos: &Demonstrations,
    mut options: Options,
    theta: &[f64],
) -> Result<Answer, Failure> {
    let all = options.memory;
    if args.work.memory.is_none() {
        options.memory = all.min(ENOUGH_FOR_ONCE);
    }
    let prepare = |options: &Options| {
        let prepared = Likelihood::new(&problem.mdp, &problem.features, demos, options);
        prepared.map_err(|error| Failure::in_demos(error, &args.demos))
    };
    let mut likelihood = prepare(&options)?;
    let mut begun = Instant::now();
    let mut evaluation = likelihood.evaluate(theta);
    if let Err(revealed::Error::Memory { .. }) = evaluation
        && options.memory < all
    {
        likelihood = prepare(&Options { memory: all, ..options })?;
        begun = Instant::now();
        evaluation = likelihood.evaluate(theta);
    }
    Ok(Answer { evaluation: evaluation?, horizon: Some(likelihood.horizon()), seconds: begun.elapsed().as_secs_f64() })
}

fn of_routes(args: &args::Likelihood, problem: &Problem, demos: &Demonstrations, theta: &[f64]) -> Result<Answer, Failure> {
    let mut choice = RouteChoice::new(&problem.mdp, &problem.features, demos, args.work.threads)?;
    let begun = Instant::now();
    Ok(Answer { evaluation: choice.evaluate(theta)?, horizon: None, seconds: begun.elapsed().as_secs_f64() })
}

fn of_causal(
    args: &args::Likelihood,
    problem: &Problem,
    demos: &Demonstrations,
    options: &Options,
    theta: &[f64],
) -> Result<Answer, Failure> {
    let prepared = CausalLikelihood::new(&problem.mdp, &problem.features, demos, options);
    let mut causal = prepared.map_err(|error| Failure::in_demos(error, &args.demos))?;
    let begun = Instant::now();
    let at = causal.evaluate(theta)?;
    let evaluation = Evaluation { log_partition: None, log_likelihood: at.log_likelihood, gradient: at.gradient };
    Ok(Answer { evaluation, horizon: Some(causal.horizon()), seconds: begun.elapsed().as_secs_f64() })
}
