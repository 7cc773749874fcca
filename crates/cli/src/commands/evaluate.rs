//! `revealed evaluate`: compares a learned reward with the true one.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use revealed::{AtTerminal, Error, HeldOut, Paid, Planning, Recovery, Reward};
use revealed_formats::{Model, ModelLikelihood, Problem, demonstrations};
use serde_json::{Value, json};

use crate::args::horizon::in_json;
use crate::args::problem::ProblemAndModel;
use crate::args::reward::planning;
use crate::args::work::Work;
use crate::terminal::listing::largest;
use crate::terminal::{Failure, Output};

/// Compare a learned reward with the true one, if it is known
#[derive(Args)]
#[command(after_help = "Example:\n  revealed evaluate lake.json model.json --discount 0.99 --demos demos.jsonl")]
pub struct EvaluateArgs {
    /// The problem, which has a true reward, and the model
    #[command(flatten)]
    files: ProblemAndModel,
    /// Demonstrations to score, such as held-out ones (.jsonl or .npz)
    #[arg(long, value_name = "DEMOS")]
    demos: Option<PathBuf>,
    /// Discount of planning [default: the problem's]
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    discount: Option<f64>,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// The value of terminal states, when rewards are paid, and the name of that scale.
const SCALES: [(AtTerminal, Paid, &str); 2] = [
    (AtTerminal::Ends, Paid::InState, "episodes end in terminal states"),
    (AtTerminal::KeepsPaying, Paid::OnArrival, "terminal states keep paying: the paper's scale"),
];

/// Plans for both rewards and compares.
pub fn run(args: &EvaluateArgs, output: Output) -> Result<(), Failure> {
    let planning = planning(args.discount, args.work.of_engine())?;
    let (problem, model) = args.files.load()?;
    let Some(true_theta) = &problem.true_theta else {
        let message = "the problem has no true reward (`reward.true`) to compare with: `revealed likelihood` needs none";
        return Err(Failure::in_file(&args.files.problem, message));
    };
    let [truth, learned] = [true_theta, &model.theta].map(|theta| problem.features.reward(&problem.mdp, theta));
    let (truth, learned) = (truth?, learned?);

    let discount = planning.discount(&problem.mdp);
    let mut words = format!("discount {discount}\n");
    let mut scales = Vec::new();
    for (at_terminal, paid, called) in SCALES {
        let planning = Planning { at_terminal, paid, ..planning.clone() };
        scales.push(scale(&problem, [&truth, &learned], &planning, called, &mut words)?);
    }
    let mut json = json!({ "discount": discount, "n_states": problem.mdp.n_states(), "scales": scales });
    if let Some(demos) = &args.demos {
        json["held_out"] = held_out(&problem, &model, demos, &args.work, &mut words)?;
    }
    output.print(&words, &json)
}

/// ILE and EVD on one scale. Without a discount, terminal states that keep paying have no finite value: that is said.
fn scale(
    problem: &Problem,
    [truth, learned]: [&Reward; 2],
    planning: &Planning,
    called: &str,
    words: &mut String,
) -> Result<Value, Failure> {
    let mut json = json!({
        "at_terminal": planning.at_terminal.name(),
        "paid": planning.paid.name(),
        "is_the_papers": planning.at_terminal == AtTerminal::KeepsPaying && planning.paid == Paid::OnArrival,
    });
    let _ = writeln!(words, "{called} ({}, {})", planning.at_terminal.name(), planning.paid.name());
    let mdp = &problem.mdp;
    let recovery = match planning.solve(mdp, truth) {
        Ok(optimal) => Recovery::against(mdp, truth, &optimal, learned, planning),
        // Where not even the true reward has a best policy, there is nothing to compare with.
        Err(error @ Error::Unsettled { .. }) => return Err(error.into()),
        Err(error) => Err(error),
    };
    match recovery {
        Ok(recovery) => {
            json["inverse_learning_error"] = json!(recovery.inverse_learning_error);
            json["expected_value_difference"] = json!(recovery.expected_value_difference);
            json["error_bound"] = json!(recovery.error_bound);
            json["n_different"] = json!(recovery.n_different);
            let bound = recovery.error_bound.map_or(String::new(), |bound| format!(" (off by at most {bound:.1e})"));
            let n_states = problem.mdp.n_states();
            let _ = writeln!(words, "  inverse learning error     {:.8}{bound}", recovery.inverse_learning_error);
            let _ = writeln!(words, "  expected value difference  {:.8}", recovery.expected_value_difference);
            let _ = writeln!(words, "  the policies differ in     {} of {n_states} states", recovery.n_different);
        }
        Err(error @ (Error::PaysForEver { .. } | Error::Unsettled { .. })) => {
            json["inverse_learning_error"] = Value::Null;
            json["not_finite_because"] = json!(error.to_string());
            let _ = writeln!(words, "  not finite: {error}");
        }
        Err(error) => return Err(error.into()),
    }
    Ok(json)
}

/// The scores of demonstrations, with the horizon and the ends of the model.
fn held_out(problem: &Problem, model: &Model, file: &Path, work: &Work, words: &mut String) -> Result<Value, Failure> {
    let demos = demonstrations::load_for(&problem.mdp, file)?;
    let options = work.options(model.ends, Some(model.horizon));
    let in_demos = |error| Failure::in_demos(error, file);
    let (mdp, features) = (&problem.mdp, &problem.features);
    let held_out = ModelLikelihood::new(model.inference, mdp, features, &demos, &options)
        .and_then(|mut likelihood| likelihood.held_out(&demos, &model.theta));
    let HeldOut { mean_log_likelihood, total_log_likelihood, feature_gap } = held_out.map_err(in_demos)?;
    let (largest_gap, euclidean) = (feature_gap.largest, feature_gap.euclidean);
    let _ = writeln!(words, "held out: {} demonstrations, horizon {}, ends {}", demos.len(), model.horizon, model.ends.name());
    let _ = writeln!(words, "  log-likelihood             {mean_log_likelihood:.8} (mean), {total_log_likelihood:.8} (total)");
    let _ = writeln!(words, "  feature gap                {largest_gap:.8} (largest), {euclidean:.8} (Euclidean)");
    for (name, value) in largest(&feature_gap.difference, &problem.features, 5) {
        let _ = writeln!(words, "    {name:<24} {value:>16.8}");
    }
    Ok(json!({
        "n_demonstrations": demos.len(),
        "horizon": in_json(model.horizon),
        "ends": model.ends.name(),
        "mean_log_likelihood": mean_log_likelihood,
        "total_log_likelihood": total_log_likelihood,
        "feature_gap": { "difference": feature_gap.difference, "largest": largest_gap, "euclidean": euclidean },
    }))
}
