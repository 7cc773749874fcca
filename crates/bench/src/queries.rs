//! Queries to a model of a city: destinations, most likely paths and samples; compared with Dijkstra's algorithm in
//! SciPy and rustworkx.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use revealed::worlds::{World, road_like};
use revealed::{Destinations, Ends, Given, PathModel, Prior, Route, Routes, Trajectory, Work, sample};
use serde_json::{Value, json};

use crate::clock::{fastest, seconds, shown, table};
use crate::peers::Peers;

const STATES: usize = 292_604;
const TRANSITIONS: usize = 594_933;
const HORIZON: usize = 400;
/// The number of pairs in the paper's evaluation.
const PAIRS: usize = 5808;
const SAMPLES: usize = 10_000;
/// The number of observed states of a path whose destination is inferred.
const PREFIX: usize = 20;
/// The number of pairs that the other programs answer as well.
const SHARED: usize = 20;
const PACKAGES: [&str; 2] = ["scipy", "rustworkx"];

/// Pairs of a first and a last state.
type Pairs = Vec<(usize, usize)>;

/// Markdown tables.
pub fn run(peers: &Peers, rounds: usize) -> Result<String, String> {
    let world = road_like(STATES, TRANSITIONS, 1).map_err(words)?;
    let reward = world.features.reward(&world.mdp, &world.theta).map_err(words)?;
    let model = PathModel::new(&world.mdp, reward, HORIZON, Ends::Anywhere).map_err(words)?;
    let questions = [destinations(&model, rounds)?, samples(&model, rounds)?].concat();
    Ok(format!(
        "### Queries at {STATES} states, L = {HORIZON}, ends anywhere\n\n{}\nFastest of {rounds} rounds. Two threads give the same \
         bits as one (asserted). The time of samples includes the messages that they need.\n\n{}",
        table(&["query", "one thread", "two threads", "target"], &questions),
        paths(&world, &model, peers, rounds)?
    ))
}

fn words(error: revealed::Error) -> String {
    error.to_string()
}

/// Posteriors over all states, given the first twenty states of a path.
fn destinations(model: &PathModel<'_>, rounds: usize) -> Result<Vec<Vec<String>>, String> {
    let prefix = begun(model, PREFIX)?;
    let shorter = Trajectory::new(prefix.states[..PREFIX - 1].to_vec(), prefix.actions[..PREFIX - 2].to_vec());
    let mut times: [[Vec<f64>; 2]; 3] = Default::default();
    let mut expected: [Option<Vec<f64>>; 3] = Default::default();
    for _ in 0..rounds {
        for (place, threads) in [1, 2].into_iter().enumerate() {
            eprintln!("queries: destinations, {threads} threads");
            let from_nothing = |prior: Prior| {
                let mut answer = Ok(Vec::new());
                let time = seconds(|| {
                    let made = Destinations::new(model, prior, &Work::on(threads));
                    answer = made.and_then(|mut destinations| destinations.posterior(&prefix));
                });
                answer.map(|answer| (time, answer)).map_err(words)
            };
            let mut following = Destinations::new(model, Prior::Uniform, &Work::on(threads)).map_err(words)?;
            following.posterior(&shorter).map_err(words)?;
            let mut step = Ok(Vec::new());
            let time = seconds(|| step = following.posterior(&prefix));
            let answers = [from_nothing(Prior::Model)?, from_nothing(Prior::Uniform)?, (time, step.map_err(words)?)];
            for (at, (time, answer)) in answers.into_iter().enumerate() {
                times[at][place].push(time);
                assert!(expected[at].as_ref().is_none_or(|expected| *expected == answer), "two threads give other bits");
                expected[at] = Some(answer);
            }
        }
    }
    let names =
        ["the model's prior, from scratch", "uniform prior, from scratch", "uniform prior, each further step (--follow)"];
    let row = |(name, times): (&str, &[Vec<f64>; 2])| {
        let [one, two] = times.each_ref().map(|times| shown(fastest(times)));
        vec![format!("destination posterior over all states, {name}"), one, two, "1 s".to_string()]
    };
    Ok(names.into_iter().zip(&times).map(row).collect())
}

/// The beginning of a sampled path that is long enough.
fn begun(model: &PathModel<'_>, length: usize) -> Result<Trajectory, String> {
    let long = draw(model, 1000, 2)?.into_iter().find(|path| path.states.len() > length);
    let path = long.ok_or(format!("none of 1000 sampled paths has more than {length} states"))?;
    Ok(Trajectory::new(path.states[..length].to_vec(), path.actions[..length - 1].to_vec()))
}

fn samples(model: &PathModel<'_>, rounds: usize) -> Result<Vec<Vec<String>>, String> {
    let mut times: [Vec<f64>; 2] = Default::default();
    let mut expected = None;
    for _ in 0..rounds {
        for (times, threads) in times.iter_mut().zip([1, 2]) {
            eprintln!("queries: {SAMPLES} samples, {threads} threads");
            let mut drawn = Err(String::new());
            times.push(seconds(|| drawn = draw(model, SAMPLES, threads)));
            let drawn = drawn?;
            assert!(expected.as_ref().is_none_or(|expected| *expected == drawn), "two threads give other samples");
            expected = Some(drawn);
        }
    }
    let [one, two] = times.map(|times| shown(fastest(&times)));
    Ok(vec![vec![format!("{SAMPLES} samples"), one, two, "10 s".to_string()]])
}

fn draw(model: &PathModel<'_>, n: usize, threads: usize) -> Result<Vec<Trajectory>, String> {
    sample(model, &Given::default(), n, 1, &Work::on(threads)).map_err(words)
}

/// Random pairs of states, and the first and last states of sampled paths.
fn pairs(model: &PathModel<'_>) -> Result<[(&'static str, Pairs); 2], String> {
    let anywhere = (0..PAIRS as u64).map(|pair| (scattered(2 * pair), scattered(2 * pair + 1))).collect();
    let ends = |path: Trajectory| (path.states[0], path.states[path.states.len() - 1]);
    let sampled = draw(model, PAIRS, 2)?.into_iter().map(ends).collect();
    Ok([("random", anywhere), ("sampled trips", sampled)])
}

/// A pseudo-random state: the numbers of SplitMix64.
fn scattered(number: u64) -> usize {
    let mut mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) % STATES as u64) as usize
}

fn paths(world: &World, model: &PathModel<'_>, peers: &Peers, rounds: usize) -> Result<String, String> {
    let files = peers.write(world, "queries")?;
    let mut peer = peers.python.as_deref().map(|python| Dijkstra::start(python, &files)).transpose()?;
    let kinds = pairs(model)?;
    let mut preparing = Vec::new();
    let mut queries = kinds.map(PathQueries::new);
    for round in 0..rounds {
        eprintln!("queries: paths, round {} of {rounds}", round + 1);
        let mut routes = Err(String::new());
        preparing.push(seconds(|| routes = Routes::new(model).map_err(words)));
        let routes = routes?;
        for query in &mut queries {
            query.measure(&routes, peer.as_mut(), model)?;
        }
    }
    let prepared = fastest(&preparing);
    let head = [
        "pairs",
        "mean length",
        "a query, one thread",
        "two threads",
        "preparing",
        "all, two threads",
        "SciPy",
        "SciPy / one",
        "rustworkx",
        "rustworkx / one",
    ];
    let versions = peer.as_ref().map_or("Without them".to_string(), |peer| peer.versions.clone());
    Ok(format!(
        "### {PAIRS} most likely paths at {STATES} states\n\n{}\nThe target is one minute, including the preparation. Fastest of \
         {rounds} alternating rounds. {versions}: the mean time of Dijkstra's algorithm for {SHARED} of the pairs, with graphs built \
         before; costs equal to 1e-9 (asserted). SciPy searches to all states; rustworkx stops at the goal and returns no path.\n",
        table(&head, &queries.map(|query| query.row(prepared)))
    ))
}

/// The measurements of one kind of pairs.
struct PathQueries {
    name: &'static str,
    pairs: Pairs,
    /// The seconds of each round for all pairs, with one and with two threads.
    times: [Vec<f64>; 2],
    /// The mean seconds of each round for a pair, by each of [`PACKAGES`].
    theirs: [Vec<f64>; 2],
    /// The mean number of states of a path.
    length: f64,
}

impl PathQueries {
    fn new((name, pairs): (&'static str, Pairs)) -> PathQueries {
        PathQueries { name, pairs, times: Default::default(), theirs: Default::default(), length: 0.0 }
    }

    /// Times one round.
    fn measure(&mut self, routes: &Routes<'_>, peer: Option<&mut Dijkstra>, model: &PathModel<'_>) -> Result<(), String> {
        let mut last = None;
        for (times, threads) in self.times.iter_mut().zip([1, 2]) {
            let mut found = Ok(Vec::new());
            times.push(seconds(|| found = routes.find_all(&self.pairs, &Work::on(threads))));
            let found = found.and_then(|found| found.into_iter().collect::<Result<Vec<_>, _>>()).map_err(words)?;
            assert!(last.is_none_or(|last| last == found), "two threads find other paths");
            last = Some(found);
        }
        let found = last.unwrap_or_default();
        self.length = found.iter().map(|route| route.states.len() as f64).sum::<f64>() / PAIRS as f64;
        if let Some(peer) = peer {
            for (times, package) in self.theirs.iter_mut().zip(PACKAGES) {
                times.push(peer.time(package, &self.pairs[..SHARED], &found, model)?);
            }
        }
        Ok(())
    }

    fn row(&self, prepared: f64) -> Vec<String> {
        let [one, two] = self.times.each_ref().map(|times| fastest(times));
        let mut row = vec![self.name.to_string(), format!("{:.0}", self.length)];
        row.extend([one, two].map(|time| shown(time / PAIRS as f64)));
        row.extend([shown(prepared), shown(prepared + two)]);
        for times in &self.theirs {
            let each = (!times.is_empty()).then(|| fastest(times));
            row.push(each.map_or("–".to_string(), shown));
            row.push(each.map_or("–".to_string(), |each| format!("{:.0}×", each * PAIRS as f64 / one)));
        }
        row
    }
}

/// The other packages' searches in a process that answers each line with one line.
struct Dijkstra {
    child: Child,
    ask: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    versions: String,
}

impl Dijkstra {
    fn start(python: &Path, (problem, theta): &(PathBuf, PathBuf)) -> Result<Dijkstra, String> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/dijkstra_baseline.py");
        let mut command = Command::new(python);
        command.arg(&script).args([problem, theta]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("{}: {error}", python.display()))?;
        let (Some(ask), Some(answers)) = (child.stdin.take(), child.stdout.take()) else { return Err("no pipe".to_string()) };
        let answers = BufReader::new(answers).lines();
        let mut peer = Dijkstra { child, ask, answers, versions: String::new() };
        let first = peer.answer()?;
        let version = |package: &str| format!("{package} {}", first["packages"][package].as_str().unwrap_or("?"));
        peer.versions = PACKAGES.map(version).join(" and ");
        Ok(peer)
    }

    fn answer(&mut self) -> Result<Value, String> {
        let line = self.answers.next().ok_or("dijkstra_baseline.py ended early: see above")?;
        serde_json::from_str(&line.map_err(|error| error.to_string())?).map_err(|error| error.to_string())
    }

    /// The mean seconds of a search, after a check that it finds the same costs.
    fn time(&mut self, package: &str, pairs: &[(usize, usize)], ours: &[Route], model: &PathModel<'_>) -> Result<f64, String> {
        let question = json!({ "package": package, "pairs": pairs });
        writeln!(self.ask, "{question}").map_err(|error| error.to_string())?;
        let answer = self.answer()?;
        let numbers = |name: &str| answer[name].as_array().into_iter().flatten().filter_map(Value::as_f64).collect::<Vec<_>>();
        let (costs, seconds) = (numbers("costs"), numbers("seconds"));
        if costs.len() != pairs.len() {
            return Err(format!("{package} answered {} of {} pairs", costs.len(), pairs.len()));
        }
        for ((&(from, to), route), theirs) in pairs.iter().zip(ours).zip(costs) {
            let ours = model.reward().state[from] - route.log_weight;
            if (ours - theirs).abs() > 1e-9 * theirs.abs().max(1e-9) {
                return Err(format!("from {from} to {to} costs {ours} here and {theirs} by {package}"));
            }
        }
        Ok(seconds.iter().sum::<f64>() / pairs.len() as f64)
    }
}

impl Drop for Dijkstra {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
