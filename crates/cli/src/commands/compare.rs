//! `revealed compare`: which of the four models explains demonstrations.

use std::path::PathBuf;

use clap::Args;
use revealed::{Comparison, Ends, Horizon, MaxEnt, Method};
use revealed_draw::{Axis, BLUE, Bars, Canvas, Interval, VERMILION, bars};
use revealed_formats::{ComparedRecord, ComparisonRecord, Model, atomic, comparison_table};

use crate::args::ends::ends;
use crate::args::horizon::horizon;
use crate::args::problem::ProblemAndDemos;
use crate::args::search::SearchLimits;
use crate::args::work::Work;
use crate::files::output_file::{check_apart, check_optional, check_output};
use crate::terminal::progress_bar::Bar;
use crate::terminal::watched::watched;
use crate::terminal::{Failure, Output};

/// Which model explains demonstrations: paths or causal, with a horizon or without one
#[derive(Args)]
#[command(after_help = "Example:\n  revealed compare lake.json demos.jsonl --l2 0.001 -o model.json")]
pub struct CompareArgs {
    /// The problem and the demonstrations
    #[command(flatten)]
    files: ProblemAndDemos,
    /// Where to write the model that is chosen (.json)
    #[arg(short, long, value_name = "MODEL")]
    output: Option<PathBuf>,
    /// Draw the log-likelihoods of the models (.svg)
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Maximum number of states in a path, or any for models without a maximum only [default: the length of the longest
    /// demonstration]
    #[arg(long, value_name = "L", value_parser = horizon)]
    horizon: Option<Horizon>,
    /// Where a path may end [default: horizon if all demonstrations end in a terminal state or at the horizon, else
    /// anywhere]
    #[arg(long, value_parser = ends())]
    ends: Option<Ends>,
    /// Number of folds; the number of demonstrations gives leave-one-out
    #[arg(long, value_name = "K", default_value_t = 5)]
    folds: usize,
    /// The same seed gives the same folds
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Subtract X/2 times the squared length of theta from the mean log-likelihood
    #[arg(long, value_name = "X", default_value_t = revealed::COMPARISON_L2, allow_negative_numbers = true)]
    l2: f64,
    /// The search for theta
    #[command(flatten)]
    limits: SearchLimits,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// Fits the models and prints the table.
pub fn run(args: &CompareArgs, output: Output) -> Result<(), Failure> {
    let inputs = [args.files.problem.as_path(), args.files.demos.as_path()];
    if let Some(file) = &args.output {
        check_output(file, &inputs, "the model")?;
    }
    check_optional(args.picture.as_deref(), &inputs, "the picture", "svg")?;
    check_apart(&[args.output.as_deref(), args.picture.as_deref()])?;
    let (problem, demos) = args.files.load()?;
    let options = args.work.options(Ends::default(), args.horizon);
    let settings = args.limits.settings(Method::default(), options, problem.features.n_features())?;
    let plan = Comparison { settings: MaxEnt { l2: args.l2, ..settings }, ends: args.ends, folds: args.folds, seed: args.seed };
    let found = watched(Bar::named("fits"), |watch| plan.run_watched(&problem.mdp, &problem.features, &demos, watch));
    let found = found.map_err(|error| {
        Failure::in_demos(error, &args.files.demos).if_interrupted("nothing was kept: run it again for an answer")
    })?;
    let record = ComparisonRecord::new(&found, &plan, &demos);
    let mut words = comparison_table(&record);
    if let Some(file) = &args.output {
        let Some(model) = Model::of_comparison(&found, &problem, &demos) else {
            return Err(Failure::in_file(file, "there is no model to write: no model explains all demonstrations"));
        };
        model.save(file)?;
        words.push_str(&format!("written to {}\n", file.display()));
    }
    if let Some(file) = &args.picture {
        atomic::write(file, |writer| writer.write_all(picture(&record).svg().as_bytes()))?;
        words.push_str(&format!("drawn to {}\n", file.display()));
    }
    output.print(&words, &serde_json::to_value(&record).map_err(Failure::new)?)
}

/// The log-likelihoods of the models that were fitted, with intervals of two standard errors of the difference from the
/// best.
fn picture(record: &ComparisonRecord) -> Canvas {
    let fitted: Vec<&ComparedRecord> = record.models.iter().filter(|model| model.reason.is_none()).collect();
    let groups: Vec<String> = fitted.iter().map(|model| model.title.replacen(' ', "\n", 1)).collect();
    let exactly = |value: Option<f64>| Interval::exactly(value.unwrap_or(f64::NAN));
    let held_out = |model: &&ComparedRecord| match &model.vuong {
        Some(vuong) => Interval { middle: model.held_out.unwrap_or(f64::NAN), half_width: 2.0 * vuong.standard_error },
        None => exactly(model.held_out),
    };
    let series = [
        Bars::new("in sample", BLUE, fitted.iter().map(|model| exactly(model.in_sample)).collect()),
        Bars::new("held out", VERMILION, fitted.iter().map(held_out).collect()),
    ];
    bars("model", &Axis::linear("log-likelihood of the choices"), &groups, &series)
}
