//! `revealed demo`: from episodes to a reward, without any input.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use revealed::worlds::{self, FROZEN_LAKE_4X4};
use revealed::{Bounds, Demonstrations, MaxEnt, Options, Planning, Trajectory, Work, rollouts};
use revealed_formats::{Model, Problem, WorldFiles, demonstrations};
use serde_json::json;

use super::learn::search::fit;
use super::report::{self, Parts};
use crate::args::memory;
use crate::files::checkpoint::Checkpoint;
use crate::files::worlds::World;
use crate::terminal::grid::{Grid, side_by_side};
use crate::terminal::stdout::colours;
use crate::terminal::{Failure, Output};

/// Show everything on FrozenLake: sample episodes, learn the reward, compare
#[derive(Args)]
#[command(after_help = "Example:\n  revealed demo --out demo")]
pub struct DemoArgs {
    /// Folder for the problem, demonstration and model files, and the page
    #[arg(long, value_name = "DIR", default_value = "revealed-demo")]
    out: PathBuf,
    /// The same seed gives the same demonstrations
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// How many demonstrations
    #[arg(short, value_name = "N", default_value_t = 50)]
    n: usize,
}

const DISCOUNT: f64 = 0.99;
const LONGEST: usize = 100;
const BOUND: f64 = 10.0;

/// FrozenLake: an expert's episodes, and the reward that they reveal.
pub fn run(args: &DemoArgs, output: Output) -> Result<(), Failure> {
    if args.n == 0 {
        return Err(Failure::new("-n is 0: ask for at least one demonstration"));
    }
    let (problem, trajectories) = expert(args)?;
    std::fs::create_dir_all(&args.out).map_err(|error| {
        Failure::new(format!("--out {}: {error}: name a folder that can be written to", args.out.display()))
    })?;
    let files = ["problem.json", "demos.jsonl", "model.json", "report.html"].map(|name| args.out.join(name));
    let [problem_file, demos_file, model_file, page] = &files;
    problem.save(problem_file)?;
    demonstrations::save(&trajectories, demos_file)?;
    let demos = Demonstrations::new(&problem.mdp, &trajectories)?;
    let model = learn(&problem, &demos, demos_file, model_file)?;
    let parts = Parts {
        problem: (&problem, problem_file),
        model: (&model, model_file),
        demos: Some((&demos, demos_file)),
        work: Work { memory: memory::default(), ..Work::default() },
    };
    report::write(&parts, page)?;

    let reached = trajectories.iter().filter(|path| path.states.last() == Some(&(problem.mdp.n_states() - 1))).count();
    let words = words(args, &problem, &model, reached, &files);
    let [problem_file, demos_file, model_file, page] = files.map(|path| path.display().to_string());
    let json = json!({
        "problem": problem_file, "demonstrations": demos_file, "model_file": model_file, "page": page,
        "true_theta": problem.true_theta, "n_demonstrations": args.n, "n_successful": reached,
        "model": serde_json::to_value(&model).map_err(Failure::new)?,
    });
    output.print(&words, &json)
}

/// The lake, and episodes of an optimal policy on it.
fn expert(args: &DemoArgs) -> Result<(Problem, Vec<Trajectory>), Failure> {
    let world = worlds::frozen_lake(&FROZEN_LAKE_4X4, true)?.with_discount(DISCOUNT)?;
    let reward = world.features.reward(&world.mdp, &world.theta)?;
    let policy = Planning::default().solve(&world.mdp, &reward)?.policy;
    let trajectories = rollouts(&world.mdp, &policy, args.n, LONGEST, args.seed)?;
    Ok((Problem::from(world), trajectories))
}

fn learn(problem: &Problem, demos: &Demonstrations, demos_file: &Path, model_file: &Path) -> Result<Model, Failure> {
    let options = Options { work: Work { memory: memory::default(), ..Work::default() }, ..Options::default() };
    let settings = MaxEnt { options, bounds: Bounds::Same(-BOUND, BOUND), ..MaxEnt::default() };
    let files = WorldFiles { problem: PathBuf::new(), demos: demos_file.to_path_buf() };
    let worlds = [World { problem: problem.clone(), demos: demos.clone(), files, history: None }];
    let mut checkpoint = Checkpoint::new(model_file, &worlds, &settings)?;
    let (model, _) = fit(&settings, &worlds, None, &mut checkpoint)?;
    model.save(model_file)?;
    checkpoint.remove();
    Ok(model)
}

fn words(args: &DemoArgs, problem: &Problem, model: &Model, reached: usize, files: &[PathBuf; 4]) -> String {
    let marks: Vec<char> = FROZEN_LAKE_4X4.concat().chars().map(|letter| if letter == 'F' { ' ' } else { letter }).collect();
    let grid = |theta: &[f64]| theta.iter().copied().map(Some).collect::<Vec<_>>();
    let (truth, learned) = (grid(problem.true_theta.as_deref().unwrap_or(&[])), grid(&model.theta));
    let n = args.n;
    let mut words =
        format!("FrozenLake 4x4, slippery: {n} episodes of an optimal policy, {reached} of which reach the goal.\n");
    let _ = writeln!(words, "S start, H hole, G goal. Which reward explains them?\n");
    let pair = [
        Grid { title: "the true reward", columns: 4, values: &truth, marks: &marks },
        Grid { title: "the reward that the episodes reveal", columns: 4, values: &learned, marks: &marks },
    ];
    words.push_str(&side_by_side(&pair, colours()));
    let _ = writeln!(
        words,
        "\nlog-likelihood {:.4} per episode; {} iterations, {} evaluations in {:.1} ms; {}",
        model.log_likelihood.unwrap_or(f64::NAN),
        model.iterations.unwrap_or(0),
        model.evaluations.unwrap_or(0),
        1e3 * model.seconds.unwrap_or(0.0),
        model.stopped_because.as_deref().unwrap_or("?")
    );
    let [p, d, m, page] = files.each_ref().map(|path| quoted(path));
    let s = quoted(&args.out.join("sampled.jsonl"));
    let _ = writeln!(words, "\nThe page of this model, with the engine inside, opens in any browser: {page}");
    let _ = writeln!(words, "\nNow try (`revealed` may be `cargo run --release --` on your machine):");
    let _ = writeln!(words, "  revealed marginals {p} {m} --t 5");
    let _ = writeln!(words, "  revealed likelihood {p} {d} --model {m}");
    let _ = writeln!(words, "  revealed sample {p} {m} -n 10 -o {s}");
    words
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+,=:@".contains(letter);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
