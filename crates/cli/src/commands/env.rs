//! `revealed env`: a known environment as a problem file.

use revealed::worlds::{self, World};
use revealed_formats::Problem;
use serde_json::json;

use crate::args::Env;
use crate::failure::Failure;
use crate::output::Output;

/// Names as they are listed; any case, with or without a version, is understood.
const NAMES: [&str; 2] = ["frozenlake-4x4", "frozenlake-8x8"];

/// Writes the environment.
pub fn run(args: &Env, output: Output) -> Result<(), Failure> {
    let world = world(&args.name, !args.not_slippery)?.with_discount(args.discount)?;
    let name = world.name.clone();
    let problem = problem(world);
    problem.save(&args.output)?;
    let (mdp, features) = (&problem.mdp, &problem.features);
    let json = json!({
        "name": name,
        "n_states": mdp.n_states(),
        "n_actions": mdp.n_actions(),
        "n_features": features.n_features(),
        "n_transitions": mdp.n_transitions(),
        "n_terminal": (0..mdp.n_states()).filter(|&state| mdp.is_terminal(state)).count(),
        "discount": mdp.discount(),
        "problem": args.output.display().to_string(),
    });
    let words = format!(
        "{name}: {} states, {} actions, {} transitions, {} features, discount {}; written to {}\n",
        mdp.n_states(),
        mdp.n_actions(),
        mdp.n_transitions(),
        features.n_features(),
        mdp.discount(),
        args.output.display()
    );
    output.print(&words, &json)
}

fn world(name: &str, slippery: bool) -> Result<World, Failure> {
    let plain: String = name.to_lowercase().chars().filter(|letter| letter.is_ascii_alphanumeric()).collect();
    let world = match plain.trim_end_matches("v0").trim_end_matches("v1") {
        "frozenlake" | "frozenlake4x4" => worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, slippery),
        "frozenlake8x8" => worlds::frozen_lake(&worlds::FROZEN_LAKE_8X8, slippery),
        _ => return Err(Failure::new(format!("there is no environment {name:?}: choose one of {}", NAMES.join(", ")))),
    };
    Ok(world?)
}

/// A world as a problem file has it.
pub fn problem(world: World) -> Problem {
    Problem { mdp: world.mdp, features: world.features, layout: Some(world.layout), true_theta: Some(world.theta) }
}
