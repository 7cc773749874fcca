//! `revealed env`: a known environment as a problem file.

mod catalogue;

use std::path::{Path, PathBuf};

use clap::Args;
use revealed::worlds::World;
use revealed_formats::Problem;
use serde_json::json;

use self::catalogue::{CATALOGUE, Environment, EnvironmentSettings, world};
use crate::terminal::{Failure, Output};

/// Write a known environment as a problem file
#[derive(Args)]
#[command(after_help = "Example:\n  revealed env --list\n  revealed env frozenlake-4x4 -o lake.json")]
pub struct EnvArgs {
    /// An environment of --list, in any case, with or without a version, such as Taxi-v3
    #[arg(required_unless_present = "list")]
    name: Option<String>,
    /// Where to write the problem (.json or .npz)
    #[arg(short, long, value_name = "PROBLEM", required_unless_present = "list")]
    output: Option<PathBuf>,
    /// List the environments with their descriptions and options
    #[arg(long, conflicts_with_all = ["name", "output", "discount", "EnvironmentSettings"])]
    list: bool,
    /// Discount of the problem
    #[arg(long, value_name = "G", default_value_t = 1.0, allow_negative_numbers = true)]
    discount: f64,
    /// The settings of some environments
    #[command(flatten)]
    settings: EnvironmentSettings,
}

/// Writes the environment, or lists them all.
pub fn run(args: &EnvArgs, output: Output) -> Result<(), Failure> {
    match (&args.name, &args.output) {
        (Some(name), Some(file)) => write(world(name, &args.settings)?.with_discount(args.discount)?, file, output),
        _ => list(output),
    }
}

fn list(output: Output) -> Result<(), Failure> {
    let mut words = String::new();
    for Environment { name, about, options, .. } in &CATALOGUE {
        words += &format!("{name:<18} {about}\n{:<18} {}\n", "", options.join(" "));
    }
    let entry = |one: &Environment| json!({"name": one.name, "about": one.about, "options": one.options});
    output.print(&words, &json!({"environments": CATALOGUE.iter().map(entry).collect::<Vec<_>>()}))
}

fn write(world: World, file: &Path, output: Output) -> Result<(), Failure> {
    let name = world.name.clone();
    let problem = Problem::from(world);
    problem.save(file)?;
    let (mdp, features) = (&problem.mdp, &problem.features);
    let json = json!({
        "name": name,
        "n_states": mdp.n_states(),
        "n_actions": mdp.n_actions(),
        "n_features": features.n_features(),
        "n_transitions": mdp.n_transitions(),
        "n_terminal": (0..mdp.n_states()).filter(|&state| mdp.is_terminal(state)).count(),
        "discount": mdp.discount(),
        "problem": file.display().to_string(),
    });
    let words = format!(
        "{name}: {} states, {} action{}, {} transitions, {} features, discount {}; written to {}\n",
        mdp.n_states(),
        mdp.n_actions(),
        if mdp.n_actions() == 1 { "" } else { "s" },
        mdp.n_transitions(),
        features.n_features(),
        mdp.discount(),
        file.display()
    );
    output.print(&words, &json)
}
