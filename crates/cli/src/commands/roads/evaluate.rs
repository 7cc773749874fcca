//! `revealed roads evaluate`: forecasts against what was driven, and against simpler forecasts.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use revealed::{Demonstrations, Ends, MaxEnt, Method, PathModel, Reward, RouteChoice, Trajectory};
use revealed_draw::{Flows, MapOptions, RoadMap, TripPicture, Values, cost_per_metre, flow_scatter};
use revealed_formats::{Model, Problem, atomic, demonstrations};
use revealed_roads::prediction::{DestinationOptions, SPREAD, destination_prior, evaluate_destinations};
use revealed_roads::{Evaluation, Metrics, Predictions, Roads, Score, baselines, predict};
use serde_json::json;

use super::drawing::write_picture;
use crate::args::path_set::path_model;
use crate::args::work::Work;
use crate::files::model::load_model;
use crate::files::output_file::{check_extension, check_output};
use crate::terminal::progress_bar::{Bar, Done};
use crate::terminal::{Failure, Output, interrupt};

/// Forecast the routes and destinations of trips, and compare with what was driven and with simpler forecasts
#[derive(Args)]
#[command(after_help = "Example:\n  \
    revealed roads evaluate city.npz taxi.json test.jsonl --train train.jsonl --maps maps")]
pub struct RoadsEvaluateArgs {
    /// The road network (.npz)
    roads: PathBuf,
    /// Model file (.json)
    model: PathBuf,
    /// Paths that the model has not seen (.jsonl or .npz)
    paths: PathBuf,
    /// The paths that it was learned from: for Ziebart's model and for where trips usually end
    #[arg(long, value_name = "FILE")]
    train: Option<PathBuf>,
    /// Where to write the numbers of every trip (.csv)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Folder for maps: costs, flows, trips
    #[arg(long, value_name = "DIR")]
    maps: Option<PathBuf>,
    /// Forecast the destinations of this many trips
    #[arg(long, value_name = "N", default_value_t = 500)]
    destinations: usize,
    /// Seed of random weights and of the choice of trips
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// Forecasts, judges, draws and prints.
pub fn run(args: &RoadsEvaluateArgs, output: Output) -> Result<(), Failure> {
    let inputs: Vec<&Path> =
        [&args.roads, &args.model, &args.paths].into_iter().chain(&args.train).map(|path| path.as_path()).collect();
    if let Some(file) = &args.output {
        check_output(file, &inputs, "the numbers")?;
        check_extension(file, "csv")?;
    }
    if let Some(folder) = &args.maps {
        fs::create_dir_all(folder).map_err(|cause| Failure::new(format!("{}: {cause}", folder.display())))?;
    }
    let roads = Roads::load(&args.roads)?;
    let problem = roads.problem()?;
    let model = load_model(&args.model, &problem)?;
    let test = demonstrations::load(&args.paths)?;
    Demonstrations::new(&problem.mdp, &test).map_err(|error| Failure::in_demos(error, &args.paths))?;
    let train = args.train.as_ref().map(demonstrations::load).transpose()?;
    interrupt::listen();
    let judge = Judge { args, roads: &roads, problem: &problem, test: &test };
    // Trips may be longer than those that were learned from.
    let horizon = test.iter().map(|trip| trip.states.len()).max().unwrap_or(1).max(model.horizon);
    let paths = path_model(&problem, &model, Some(horizon), None)?;
    let metrics = Metrics::new(&roads);
    let mut evaluation =
        Evaluation { trained_on: train.as_ref().map_or(0, Vec::len), judged_by: test.len(), scores: Vec::new() };
    let learned = judge.predict("learned", &paths, model.inference != Method::RecursiveLogit)?;
    evaluation.scores.push(Score::new("learned", &metrics, &test, &learned));
    let mut others =
        vec![("shortest path", baselines::shortest(&roads), false), ("fastest path", baselines::fastest(&roads), false)];
    if let Some(train) = train.as_ref().filter(|_| problem.features.on_states_only()) {
        others.push(("Ziebart 2008", judge.ziebart(train)?, true));
    }
    let theta = baselines::random_weights(problem.features.n_features(), args.seed);
    others.push(("random weights", problem.features.reward(&problem.mdp, &theta)?, true));
    let mut shortest = None;
    for (name, reward, bounded) in others {
        let other = PathModel::new(&problem.mdp, reward, paths.horizon(), Ends::Anywhere)?;
        let found = judge.predict(name, &other, bounded)?;
        evaluation.scores.push(Score::new(name, &metrics, &test, &found));
        shortest = shortest.or(Some(found));
    }
    let mut words = evaluation.table();
    let mut json = evaluation.to_json();
    if let Some(train) = train.as_ref().filter(|_| args.destinations > 0) {
        let prior = destination_prior(&roads, train, SPREAD);
        let options = DestinationOptions {
            most: args.destinations,
            seed: args.seed,
            threads: args.work.threads,
            ..DestinationOptions::default()
        };
        let found = evaluate_destinations(&roads, &paths, &prior, &test, &options, &|_| (), &interrupt::asked);
        if interrupt::asked() {
            return Err(Failure::Interrupted("routes are judged, destinations are not; nothing is written".to_string()));
        }
        let found = found?;
        let _ = write!(words, "\n{}", found.table());
        json["destinations"] = found.to_json();
    }
    if let Some(file) = &args.output {
        write_rows(file, &metrics, &test, &learned)?;
        let _ = writeln!(words, "written to {}", file.display());
    }
    if let Some(folder) = &args.maps {
        let drawn = judge.draw(folder, &model, &metrics, &learned, shortest.as_ref())?;
        let _ = writeln!(words, "drawn in {}: {}", folder.display(), drawn.join(", "));
        json["maps"] = json!(drawn);
    }
    output.print(&words, &json)
}

struct Judge<'a> {
    args: &'a RoadsEvaluateArgs,
    roads: &'a Roads,
    problem: &'a Problem,
    test: &'a [Trajectory],
}

impl Judge<'_> {
    fn predict(&self, name: &'static str, model: &PathModel<'_>, bounded: bool) -> Result<Predictions, Failure> {
        let mut bar = Bar::named(name);
        let mut watch = |done: usize| bar.show("trips", Done::Of(done, self.test.len()), String::new);
        let found = predict(model, self.test, bounded, self.args.work.threads, &mut watch, &interrupt::asked);
        bar.finish();
        if interrupt::asked() {
            return Err(Failure::Interrupted("the forecasts are not finished, and nothing is written".to_string()));
        }
        Ok(found?)
    }

    /// The reward that Ziebart's algorithm of 2008 learns from the same paths.
    fn ziebart(&self, train: &[Trajectory]) -> Result<Reward, Failure> {
        let demos = Demonstrations::new(&self.problem.mdp, train)?;
        let options = self.args.work.options(Ends::Anywhere, None);
        let settings = MaxEnt { method: Method::Ziebart2008, options, max_iterations: 200, ..MaxEnt::default() };
        eprintln!("learning by Ziebart's algorithm of 2008, to compare");
        let mut hear = |_: &revealed::Step<'_>| match interrupt::asked() {
            true => std::ops::ControlFlow::Break(()),
            false => std::ops::ControlFlow::Continue(()),
        };
        let watch = revealed::Watch::new(&mut hear);
        let fit = settings.fit_watched(&self.problem.mdp, &self.problem.features, &demos, &watch)?;
        Ok(self.problem.features.reward(&self.problem.mdp, &fit.theta)?)
    }

    fn draw(
        &self,
        folder: &Path,
        model: &Model,
        metrics: &Metrics,
        learned: &Predictions,
        shortest: Option<&Predictions>,
    ) -> Result<Vec<String>, Failure> {
        let map = RoadMap::new(self.roads, MapOptions::of(self.roads))?;
        let mut drawn = Vec::new();
        let mut write = |name: &str, canvas: &revealed_draw::Canvas| {
            for end in ["svg", "png"] {
                let file = format!("{name}.{end}");
                write_picture(&folder.join(&file), canvas)?;
                drawn.push(file);
            }
            Ok::<(), Failure>(())
        };
        let costs = cost_per_metre(self.roads, &model.theta)?;
        let values =
            Values { title: "What drivers avoid", label: "learned cost of a metre", values: &costs, ..Values::default() };
        write("costs", &map.coloured(&values)?)?;
        let (data, flows) = self.flows(model, learned)?;
        let label = format!("visits of {} trips", self.test.len());
        let both = Flows { title: "Where they drive: the data, and the model", label: &label, data: &data, model: &flows };
        write("flows", &map.flows(&both)?)?;
        write("flow-difference", &map.flow_difference(&both)?)?;
        write("flow-scatter", &flow_scatter("Visits of each segment", &data, &flows)?)?;
        for (name, title, trip) in examples(metrics, self.test, learned) {
            let Ok(forecast) = &learned.routes[trip] else { continue };
            let truth = &self.test[trip].states;
            let other = shortest.and_then(|found| found.routes[trip].as_ref().ok());
            let others: Vec<(&str, &[usize])> = other.iter().map(|route| ("shortest path", &route[..])).collect();
            let matched = Some(metrics.compare(forecast, truth).distance_match);
            // They may have been matched, or be known from elsewhere: the file does not say.
            let truth_name = "driven route";
            let picture =
                TripPicture { title: &title, truth, truth_name, forecast, matched, others: &others, ..TripPicture::default() };
            write(name, &map.trip(&picture)?)?;
        }
        Ok(drawn)
    }

    /// How often each state was driven, and how often the model expects it between the same ends.
    fn flows(&self, model: &Model, learned: &Predictions) -> Result<(Vec<f64>, Vec<f64>), Failure> {
        let count = |routes: &mut dyn Iterator<Item = &Vec<usize>>| {
            let mut visits = vec![0.0; self.roads.n_states()];
            routes.flatten().for_each(|&state| visits[state] += 1.0);
            visits
        };
        let data = count(&mut self.test.iter().map(|trip| &trip.states));
        if model.inference != Method::RecursiveLogit {
            return Ok((data, count(&mut learned.routes.iter().flatten())));
        }
        let demos = Demonstrations::new(&self.problem.mdp, self.test)?;
        let mut choice = RouteChoice::new(&self.problem.mdp, &self.problem.features, &demos, self.args.work.threads)?;
        let visits = choice.visits(&model.theta)?.state;
        Ok((data, visits.iter().map(|visits| visits * self.test.len() as f64).collect()))
    }
}

/// The trips whose forecasts are the best, the median and the worst, of those that are neither short nor trivial.
fn examples(metrics: &Metrics, test: &[Trajectory], learned: &Predictions) -> Vec<(&'static str, String, usize)> {
    let matches = |trip: &usize| {
        learned.routes[*trip].as_ref().map_or(0.0, |route| metrics.compare(route, &test[*trip].states).distance_match)
    };
    let mut trips: Vec<usize> =
        (0..test.len()).filter(|&trip| learned.routes[trip].is_ok() && test[trip].states.len() > 20).collect();
    if trips.is_empty() {
        trips = (0..test.len()).filter(|&trip| learned.routes[trip].is_ok()).collect();
    }
    trips.sort_by(|a, b| matches(b).total_cmp(&matches(a)).then(a.cmp(b)));
    let at = |share: f64| trips.get((share * trips.len().saturating_sub(1) as f64) as usize).copied();
    let named = [
        ("trip-good", "A forecast among the best", 0.1),
        ("trip-median", "A median forecast", 0.5),
        ("trip-bad", "A forecast among the worst", 0.9),
    ];
    named.into_iter().filter_map(|(name, title, share)| Some((name, title.to_string(), at(share)?))).collect()
}

/// The numbers of every trip.
fn write_rows(file: &Path, metrics: &Metrics, test: &[Trajectory], learned: &Predictions) -> Result<(), Failure> {
    Ok(atomic::write(file, |writer| {
        writeln!(writer, "trip,states,km,distance_match,covered,feature_distance_km,predicted_km,identical")?;
        for (trip, route) in test.iter().zip(&learned.routes) {
            let id = trip.id.as_deref().unwrap_or("").replace([',', '"', '\n'], " ");
            let Ok(route) = route else { continue };
            let one = metrics.compare(route, &trip.states);
            writeln!(
                writer,
                "{id},{},{},{},{},{},{},{}",
                trip.states.len(),
                one.driven,
                one.distance_match,
                one.covered,
                one.feature_distance,
                one.predicted,
                one.identical
            )?;
        }
        Ok(())
    })?)
}
