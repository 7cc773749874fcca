//! `revealed env`: a known environment as a problem file.

use std::path::Path;

use revealed::worlds::World;
use revealed_formats::Problem;
use serde_json::json;

use crate::args::Env;
use crate::catalogue::{CATALOGUE, Environment, world};
use crate::failure::Failure;
use crate::output::Output;

/// Writes the environment, or lists them all.
pub fn run(args: &Env, output: Output) -> Result<(), Failure> {
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
