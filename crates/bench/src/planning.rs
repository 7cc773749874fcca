//! Planning on slippery lakes, compared with QuantEcon's DiscreteDP; and on large worlds, without comparison.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use revealed::worlds::{World, frozen_lake, random_lake, road_like};
use revealed::{Planning, Reward, Work};
use serde_json::Value;

use crate::clock::{seconds, shown, table};
use crate::peers::Peers;

const SIDES: [usize; 6] = [8, 16, 32, 64, 128, 256];
const DISCOUNT: f64 = 0.99;
const TOLERANCE: f64 = 1e-9;
/// A short solution is repeated for at least this many seconds in a round.
const LEAST: f64 = 0.05;

/// Markdown tables.
pub fn run(peers: &Peers, rounds: usize) -> Result<String, String> {
    Ok(format!("{}\n{}", lakes(peers, rounds)?, large()?))
}

fn words(error: revealed::Error) -> String {
    error.to_string()
}

fn lake(side: usize) -> Result<(World, Reward), String> {
    let world = frozen_lake(&random_lake(side, 0.8, 1).map_err(words)?, true).map_err(words)?;
    let reward = world.features.reward(&world.mdp, &world.theta).map_err(words)?;
    Ok((world, reward))
}

fn settings(discount: f64, threads: usize) -> Planning {
    Planning { discount: Some(discount), tolerance: TOLERANCE, work: Work::on(threads), ..Planning::default() }
}

fn lakes(peers: &Peers, rounds: usize) -> Result<String, String> {
    let mut rows = Vec::new();
    for side in SIDES {
        eprintln!("planning: {} states", side * side);
        let (world, reward) = lake(side)?;
        let (problem, _) = peers.write(&world, &format!("planning-{side}"))?;
        let planning = [1, 2].map(|threads| settings(DISCOUNT, threads));
        let solve = |planning: &Planning| planning.solve(&world.mdp, &reward).map_err(words);
        let plan = solve(&planning[0])?;
        let mut times: [Vec<f64>; 2] = Default::default();
        let mut theirs = peers.python.as_deref().map(|python| DiscreteDp::start(python, &problem)).transpose()?;
        if let Some(theirs) = &theirs {
            agree(&plan.values, &theirs.values)?;
        }
        for _ in 0..rounds {
            for (planning, times) in planning.iter().zip(&mut times) {
                assert_eq!(solve(planning)?, plan);
                times.push(repeated(|| drop(solve(planning))));
            }
            if let Some(theirs) = &mut theirs {
                theirs.time()?;
            }
        }
        let [one, two] = times.map(|times| median(&times));
        let mut row = vec![(side * side).to_string(), shown(one), shown(two), plan.sweeps.to_string()];
        row.extend(theirs.map_or(vec!["–".to_string(); 5], |theirs| theirs.columns(one, two)));
        rows.push(row);
    }
    let head = ["states", "one thread", "two threads", "sweeps", "DiscreteDP VI", "PI", "MPI", "best / one", "best / two"];
    Ok(format!(
        "### Planning on slippery lakes, discount {DISCOUNT}, values accurate to {TOLERANCE:e}\n\n{}\n\
         Medians of {rounds} alternating rounds, without loading the files and after DiscreteDP was built and compiled. \
         The values agree to 1e-8 (asserted), and two threads give the same bits as one (asserted). \"cycles\": policy iteration did not end in 100 steps.\n",
        table(&head, &rows)
    ))
}

fn large() -> Result<String, String> {
    let mut rows = Vec::new();
    let mut add = |name: &str, world: &World, discount: f64| -> Result<(), String> {
        let reward = world.features.reward(&world.mdp, &world.theta).map_err(words)?;
        let mut row = vec![name.to_string(), world.mdp.n_states().to_string(), discount.to_string()];
        let mut last = None;
        for threads in [1, 2] {
            eprintln!("planning: {name}, {} states, discount {discount}, {threads} threads", world.mdp.n_states());
            let mut plan = None;
            row.push(shown(seconds(|| plan = Some(settings(discount, threads).solve(&world.mdp, &reward)))));
            let plan = plan.expect("timed once").map_err(words)?;
            assert!(last.is_none_or(|last| last == plan), "two threads give other bits");
            last = Some(plan);
        }
        let plan = last.expect("two runs");
        let bound = |bound: Option<f64>| bound.map_or("–".to_string(), |bound| format!("{bound:.1e}"));
        row.extend([plan.iterations.to_string(), plan.sweeps.to_string(), bound(plan.error_bound), bound(plan.policy_loss)]);
        rows.push(row);
        Ok(())
    };
    let (world, _) = lake(1000)?;
    add("slippery lake", &world, 0.99)?;
    add("slippery lake", &world, 0.999)?;
    for (n_states, n_transitions) in [(300_000, 613_000), (1_000_000, 2_040_000)] {
        let roads = road_like(n_states, n_transitions, 1).map_err(words)?;
        add("road-like", &roads, 0.99)?;
        add("road-like", &roads, 0.999)?;
    }
    let head =
        ["world", "states", "discount", "one thread", "two threads", "iterations", "sweeps", "error bound", "policy loss"];
    Ok(format!("### Planning on large worlds, tolerance {TOLERANCE:e}, timed once\n\n{}", table(&head, &rows)))
}

/// The seconds that `work` takes, on average over repetitions for at least [`LEAST`] seconds.
fn repeated(mut work: impl FnMut()) -> f64 {
    let begun = Instant::now();
    for repeats in 1.. {
        work();
        let total = begun.elapsed().as_secs_f64();
        if total >= LEAST {
            return total / f64::from(repeats);
        }
    }
    f64::NAN
}

fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

fn agree(ours: &[f64], theirs: &[f64]) -> Result<(), String> {
    let apart = ours.iter().zip(theirs).fold(0.0, |most: f64, (ours, theirs)| most.max((ours - theirs).abs()));
    let same = ours.len() == theirs.len() && apart <= 1e-8;
    if same { Ok(()) } else { Err(format!("values differ by {apart:e}, or in number")) }
}

/// DiscreteDP in a process that answers each line with one line.
struct DiscreteDp {
    child: Child,
    ask: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    values: Vec<f64>,
    /// The methods that work, with their times.
    methods: Vec<(String, Vec<f64>)>,
}

impl DiscreteDp {
    fn start(python: &Path, problem: &Path) -> Result<DiscreteDp, String> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/quantecon_baseline.py");
        let mut child = Command::new(python)
            .arg(&script)
            .arg(problem)
            .args(["--discount", &DISCOUNT.to_string(), "--tolerance", &TOLERANCE.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", python.display()))?;
        let (Some(ask), Some(answers)) = (child.stdin.take(), child.stdout.take()) else { return Err("no pipe".to_string()) };
        let answers = BufReader::new(answers).lines();
        let mut peer = DiscreteDp { child, ask, answers, values: Vec::new(), methods: Vec::new() };
        let first = peer.answer()?;
        peer.values = first["values"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
        let methods = first["methods"].as_array().into_iter().flatten().filter_map(Value::as_str);
        peer.methods = methods.map(|method| (method.to_string(), Vec::new())).collect();
        Ok(peer)
    }

    fn answer(&mut self) -> Result<Value, String> {
        let line = self.answers.next().ok_or("quantecon_baseline.py ended early: see above")?;
        serde_json::from_str(&line.map_err(|error| error.to_string())?).map_err(|error| error.to_string())
    }

    /// Times each method once.
    fn time(&mut self) -> Result<(), String> {
        for at in 0..self.methods.len() {
            writeln!(self.ask, "{}", self.methods[at].0).map_err(|error| error.to_string())?;
            let seconds = self.answer()?["seconds"].as_f64().unwrap_or(f64::NAN);
            self.methods[at].1.push(seconds);
        }
        Ok(())
    }

    /// The median of each method, and the ratio of the best one to our times.
    fn columns(&self, one: f64, two: f64) -> Vec<String> {
        let of = |name: &str| self.methods.iter().find(|method| method.0 == name).map(|method| median(&method.1));
        let times = ["value_iteration", "policy_iteration", "modified_policy_iteration"].map(of);
        let best = times.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let mut columns: Vec<String> = times.iter().map(|time| time.map_or("cycles".to_string(), shown)).collect();
        columns.extend([one, two].map(|ours| format!("{:.1}×", best / ours)));
        columns
    }
}

impl Drop for DiscreteDp {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
