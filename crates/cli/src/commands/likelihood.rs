//! `revealed likelihood`: ℓ(θ) and its gradient.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::{ArgGroup, Args};
use revealed::{CausalLikelihood, Demonstrations, Ends, Evaluation, Horizon, Likelihood, Method, Options};
use revealed_formats::{Model, Problem, load_theta};
use serde_json::json;

use crate::args::ends::ends;
use crate::args::horizon::{horizon, in_json};
use crate::args::problem::ProblemAndDemos;
use crate::args::work::Work;
use crate::files::model::load_model;
use crate::terminal::listing::{LISTED, largest};
use crate::terminal::{Failure, Output};

/// Log-likelihood of demonstrations and its gradient
#[derive(Args)]
#[command(
    group(ArgGroup::new("parameters").required(true).args(["theta", "model"])),
    after_help = "Example:\n  revealed likelihood lake.json demos.jsonl --model model.json --json"
)]
pub struct LikelihoodArgs {
    /// The problem and the demonstrations
    #[command(flatten)]
    files: ProblemAndDemos,
    /// theta as a JSON array
    #[arg(long, value_name = "FILE")]
    theta: Option<PathBuf>,
    /// A model file; its ends and horizon are used unless others are given
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,
    /// Where a path may end [default: the model's, or anywhere]
    #[arg(long, value_parser = ends())]
    ends: Option<Ends>,
    /// Maximum number of states in a path, or any for no maximum [default: the model's, or the length of the longest
    /// demonstration]
    #[arg(long, value_name = "L", value_parser = horizon)]
    horizon: Option<Horizon>,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// A single evaluation uses its memory for the first time. The system then takes longer to hand memory out than
/// recomputing takes: less is faster, unless the problem needs more.
const ENOUGH_FOR_ONCE: usize = 300_000_000;

/// Evaluates once.
pub fn run(args: &LikelihoodArgs, output: Output) -> Result<(), Failure> {
    let (problem, demos) = args.files.load()?;
    let model = args.model.as_ref().map(|path| load_model(path, &problem)).transpose()?;
    let theta = theta(args, &problem, model.as_ref())?;
    let inference = model.as_ref().map_or(Method::Exact, |model| model.inference);
    let ends = args.ends.unwrap_or(model.as_ref().map_or(Ends::Anywhere, |model| model.ends));
    let options = args.work.options(ends, args.horizon.or(model.as_ref().map(|model| model.horizon)));
    let answer = match inference {
        Method::CausalEntropy => {
            inference.check(&problem.mdp, &problem.features, ends)?;
            of_causal(args, &problem, &demos, &options, &theta)?
        }
        _ => of_maxent(args, &problem, &demos, options, &theta)?,
    };
    answer.print(inference, ends, &problem, demos.len(), output)
}

fn theta(args: &LikelihoodArgs, problem: &Problem, model: Option<&Model>) -> Result<Vec<f64>, Failure> {
    match (model, &args.theta) {
        (Some(model), _) => Ok(model.theta.clone()),
        (None, Some(file)) => {
            let theta = load_theta(file)?;
            let checked = problem.features.check_theta(&theta);
            checked.map_err(|error| Failure::in_file(file, format!("{error}: one for each feature")))?;
            Ok(theta)
        }
        (None, None) => Err(Failure::new("give --theta FILE or --model FILE")),
    }
}

/// What a model says about demonstrations.
struct Answer {
    evaluation: Evaluation,
    horizon: Horizon,
    seconds: f64,
}

impl Answer {
    fn print(
        &self,
        inference: Method,
        ends: Ends,
        problem: &Problem,
        n_demonstrations: usize,
        output: Output,
    ) -> Result<(), Failure> {
        let Answer { evaluation, horizon, seconds } = self;
        let mut json = json!({
            "log_likelihood": evaluation.log_likelihood,
            "gradient": evaluation.gradient,
            "horizon": in_json(*horizon),
            "ends": ends.name(),
            "n_demonstrations": n_demonstrations,
            "seconds": seconds,
        });
        let mut words = String::new();
        let log_likelihood = evaluation.log_likelihood;
        let _ = writeln!(words, "log-likelihood  {log_likelihood:.10} (mean of {n_demonstrations} demonstrations)");
        if let Some(log_partition) = evaluation.log_partition {
            json["log_partition"] = json!(log_partition);
            let _ = writeln!(words, "log Z           {log_partition:.10}");
        }
        let _ = writeln!(words, "horizon         {horizon}, ends {}", ends.name());
        if inference == Method::CausalEntropy {
            json["inference"] = json!(inference.name());
            let _ =
                writeln!(words, "inference       causal; the gradient is that of the dual, observed less expected features");
        }
        let _ = writeln!(words, "seconds         {seconds:.6}");
        let _ = writeln!(words, "gradient by theta (the largest first)");
        for (name, value) in largest(&evaluation.gradient, &problem.features, LISTED) {
            let _ = writeln!(words, "  {name:<24} {value:>16.8}");
        }
        output.print(&words, &json)
    }
}

fn of_maxent(
    args: &LikelihoodArgs,
    problem: &Problem,
    demos: &Demonstrations,
    mut options: Options,
    theta: &[f64],
) -> Result<Answer, Failure> {
    let all = options.work.memory;
    if args.work.memory.is_none() {
        options.work.memory = all.min(ENOUGH_FOR_ONCE);
    }
    let prepare = |options: &Options| {
        let prepared = Likelihood::new(&problem.mdp, &problem.features, demos, options);
        prepared.map_err(|error| Failure::in_demos(error, &args.files.demos))
    };
    let mut likelihood = prepare(&options)?;
    let mut begun = Instant::now();
    let mut evaluation = likelihood.evaluate(theta);
    if let Err(revealed::Error::Memory { .. }) = evaluation
        && options.work.memory < all
    {
        options.work.memory = all;
        likelihood = prepare(&options)?;
        begun = Instant::now();
        evaluation = likelihood.evaluate(theta);
    }
    Ok(Answer { evaluation: evaluation?, horizon: likelihood.horizon(), seconds: begun.elapsed().as_secs_f64() })
}

fn of_causal(
    args: &LikelihoodArgs,
    problem: &Problem,
    demos: &Demonstrations,
    options: &Options,
    theta: &[f64],
) -> Result<Answer, Failure> {
    let prepared = CausalLikelihood::new(&problem.mdp, &problem.features, demos, options);
    let mut causal = prepared.map_err(|error| Failure::in_demos(error, &args.files.demos))?;
    let begun = Instant::now();
    let at = causal.evaluate(theta)?;
    let evaluation = Evaluation { log_partition: None, log_likelihood: at.log_likelihood, gradient: at.gradient };
    Ok(Answer { evaluation, horizon: causal.horizon().into(), seconds: begun.elapsed().as_secs_f64() })
}
