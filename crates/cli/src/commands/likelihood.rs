//! `revealed likelihood`: ℓ(θ) and its gradient.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::{ArgGroup, Args};
use revealed::{Chance, Ends, Horizon, MaxEnt, Method, Options};
use revealed_formats::{LearnedHistory, Model, ModelEvaluation, ModelLikelihood, Problem, Seen, load_theta};
use serde_json::json;

use crate::args::ends::ends;
use crate::args::horizon::{horizon, in_json};
use crate::args::inference::inference;
use crate::args::problem::ProblemAndDemos;
use crate::args::work::Work;
use crate::files::model::load_any_model;
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
    /// Of which model, and whose gradient [default: the model's, or exact]
    #[arg(long, value_parser = inference())]
    inference: Option<Method>,
    /// Where a path may end [default: the model's, or the usual one of --inference]
    #[arg(long, value_parser = ends())]
    ends: Option<Ends>,
    /// Maximum number of states in a path, or any for no maximum [default: the model's, or the length of the longest
    /// demonstration; with --inference recursive-logit, any]
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
    let (mut problem, mut demos) = args.files.load_seen()?;
    let model = args.model.as_ref().map(|path| load_any_model(path, &problem)).transpose()?;
    let theta = theta(args, &problem, model.as_ref())?;
    let inference = args.inference.or(model.as_ref().map(|model| model.inference)).unwrap_or_default();
    let ends = args.ends.or(model.as_ref().map(|model| model.ends)).unwrap_or(inference.usual_ends());
    let mut options = args.work.options(ends, args.horizon.or(model.as_ref().map(|model| model.horizon)));
    if let Some(history) = model.as_ref().and_then(|model| model.history.as_ref()) {
        let windows = history.windows(&problem.mdp)?;
        let Seen::Whole(whole) = &demos else {
            return Err(Failure::new(
                "this model has a history, which needs demonstrations that are seen whole: complete them first with another \
                 model (`revealed complete`)",
            ));
        };
        let product = LearnedHistory::new(&problem, whole, &windows, None, (ends, &options.work))?;
        options = product.settings(MaxEnt { options, ..MaxEnt::default() }).options;
        (problem, demos) = (product.problem, Seen::Whole(product.demos));
    }
    let answer = evaluate(args, inference, &problem, &demos, options, &theta)?;
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
    evaluation: ModelEvaluation,
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
        if inference.chance() == Chance::Fixed {
            json["inference"] = json!(inference.name());
            json["objective"] = json!(evaluation.objective);
            let _ = writeln!(words, "inference       {}", of_what(inference));
        }
        let _ = writeln!(words, "seconds         {seconds:.6}");
        let _ = writeln!(words, "gradient by theta (the largest first)");
        for (name, value) in largest(&evaluation.gradient, &problem.features, LISTED) {
            let _ = writeln!(words, "  {name:<24} {value:>16.8}");
        }
        output.print(&words, &json)
    }
}

/// What the gradient of a causal model is that of.
fn of_what(inference: Method) -> &'static str {
    match inference {
        Method::CausalDual => "causal-dual; the gradient is that of the dual, observed less expected features",
        _ => "causal; the gradient is that of the log-likelihood of the actions",
    }
}

fn evaluate(
    args: &LikelihoodArgs,
    inference: Method,
    problem: &Problem,
    demos: &Seen,
    mut options: Options,
    theta: &[f64],
) -> Result<Answer, Failure> {
    let all = options.work.memory;
    if args.work.memory.is_none() {
        options.work.memory = all.min(ENOUGH_FOR_ONCE);
    }
    let prepare = |options: &Options| {
        let (mdp, features) = (&problem.mdp, &problem.features);
        let prepared = match demos {
            Seen::Whole(demos) => ModelLikelihood::new(inference, mdp, features, demos, options),
            Seen::Partial(demos) => ModelLikelihood::partial(inference, mdp, features, demos, options),
        };
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
    let evaluation = evaluation.map_err(|error| Failure::in_demos(error, &args.files.demos))?;
    Ok(Answer { evaluation, horizon: likelihood.horizon(), seconds: begun.elapsed().as_secs_f64() })
}
