//! The paper's table on one's own data: learns from matched trips, predicts the routes of others, and prints JSON (words to stderr).
//!
//! `porto ROADS.npz MATCHED.jsonl [--seed 1] [--features paper] [--ends anywhere|goal] [--start uniform|trips] [--random 1]
//! [--ziebart 2008|2010|no] [--destinations 500] [--train 0] [--route-part 0] [--upper inf]`

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Instant;

use revealed::{Bounds, Demonstrations, Ends, Likelihood, MaxEnt, Method, Options, PathModel, Reward, Trajectory};
use revealed_formats::{Problem, ProblemColumns, demonstrations};
use revealed_roads::prediction::{DestinationOptions, destination_prior, evaluate_destinations};
use revealed_roads::{Evaluation, Group, Metrics, Roads, Score, baselines, predict, split};
use serde_json::json;

/// The paper's paths have 5 to 400 states.
const SIZES: std::ops::RangeInclusive<usize> = 5..=400;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [network, matched, ..] = &arguments[..] else { return Err("give ROADS.npz and MATCHED.jsonl".into()) };
    let option = |name: &str, or: &str| {
        let place = arguments.iter().position(|argument| argument == name);
        place.and_then(|place| arguments.get(place + 1)).map_or(or.to_string(), String::clone)
    };
    let seed: u64 = option("--seed", "1").parse()?;
    let roads = Roads::new(Roads::load(network)?.network, &Group::parse(&option("--features", "paper"))?);
    let trips: Vec<Trajectory> =
        demonstrations::load(matched)?.into_iter().filter(|trip| SIZES.contains(&trip.states.len())).collect();
    let (mut train, test) = split(&trips, 0.7, seed)?.of(&trips);
    let most: usize = option("--train", "0").parse()?;
    if most > 0 {
        train.truncate(most);
    }
    let mut problem = roads.problem()?;
    if option("--start", "uniform") == "trips" {
        problem = starting_as(&problem, &train)?;
    }
    let ends = Ends::from_name(&option("--ends", "anywhere")).ok_or("--ends is anywhere or goal")?;
    let horizon = train.iter().chain(&test).map(|trip| trip.states.len()).max().unwrap_or(1);
    let options = Options { ends, horizon: Some(horizon), ..Options::default() };
    let demos = Demonstrations::new(&problem.mdp, &train)?;
    let mut report = json!({ "seed": seed, "horizon": horizon, "features": problem.features.names() });

    let upper: f64 = option("--upper", "inf").parse()?;
    let learn = |method: Method, max_iterations: usize| {
        let begun = Instant::now();
        let settings = MaxEnt {
            method,
            options: options.clone(),
            max_iterations,
            bounds: Bounds::Same(f64::NEG_INFINITY, upper),
            ..MaxEnt::default()
        };
        let fit = settings.fit_watched(&problem.mdp, &problem.features, &demos, |step| {
            if step.iteration % 10 == 0 {
                eprintln!("{} {:?}: {} {:.2e}", method.name(), begun.elapsed(), step.objective, step.gradient_norm);
            }
            ControlFlow::Continue(())
        })?;
        eprintln!("{}: {:.1?}, {} evaluations, {}", method.name(), begun.elapsed(), fit.evaluations, fit.stopped_because);
        Ok::<_, revealed::Error>((fit, begun.elapsed().as_secs_f64()))
    };
    let metrics = Metrics::new(&roads);
    let mut evaluation = Evaluation { trained_on: train.len(), judged_by: test.len(), scores: Vec::new() };
    let mut judge = |name: &str, reward: Reward, ends: Ends, bounded: bool| -> Result<(), Box<dyn std::error::Error>> {
        let model = PathModel::new(&problem.mdp, reward, horizon, ends)?;
        let predictions = predict(&model, &test, bounded, None, &mut |_| (), &|| false)?;
        evaluation.scores.push(Score::new(name, &metrics, &test, &predictions));
        eprint!("{}", evaluation.table());
        Ok(())
    };

    judge("shortest path", baselines::shortest(&roads), Ends::Anywhere, false)?;
    judge("fastest path", baselines::fastest(&roads), Ends::Anywhere, false)?;
    let (fit, seconds) = learn(Method::Exact, 500)?;
    let theta: BTreeMap<String, f64> =
        fit.theta.iter().enumerate().map(|(k, theta)| (problem.features.name(k), *theta)).collect();
    eprintln!("{theta:#?}");
    report["learned"] = json!({
        "seconds": seconds, "evaluations": fit.evaluations, "log_likelihood": fit.log_likelihood, "theta": theta,
        "ended": fit.stopped_because,
    });
    // How much of a path's log-likelihood is about the route, given where it begins and ends: of some trips, for it takes a pass a goal.
    let some: usize = option("--route-part", "0").parse()?;
    if some > 0 {
        let few = Demonstrations::new(&problem.mdp, &train[..some.min(train.len())])?;
        for (name, ends) in [("route", Ends::Goal), ("whole", Ends::Anywhere)] {
            let mut likelihood = Likelihood::new(&problem.mdp, &problem.features, &few, &Options { ends, ..options.clone() })?;
            let mean = likelihood.evaluate(&fit.theta)?.log_likelihood;
            eprintln!("log-likelihood of {} trips, {name}: {mean:.3}", few.len());
            report["log_likelihood_of_some"][name] = json!(mean);
        }
    }
    let learned = problem.features.reward(&problem.mdp, &fit.theta)?;
    judge("learned", learned.clone(), ends, true)?;
    for draw in 0..option("--random", "1").parse()? {
        let theta = baselines::random_weights(problem.features.n_features(), 1000 * seed + draw);
        judge(&format!("random weights {}", draw + 1), problem.features.reward(&problem.mdp, &theta)?, Ends::Anywhere, true)?;
    }
    for (method, name) in [(Method::Ziebart2008, "Ziebart 2008"), (Method::Ziebart2010, "Ziebart 2010")] {
        if !method.name().ends_with(&option("--ziebart", "2008"))
            || method.check(&problem.mdp, &problem.features, ends).is_err()
        {
            continue;
        }
        let (fit, seconds) = learn(method, 1000)?;
        report[method.name()] = json!({
            "seconds": seconds, "evaluations": fit.evaluations, "theta": fit.theta, "ended": fit.stopped_because,
            "log_likelihood": fit.log_likelihood,
        });
        judge(name, problem.features.reward(&problem.mdp, &fit.theta)?, Ends::Anywhere, true)?;
    }
    report["evaluation"] = evaluation.to_json();
    let most: usize = option("--destinations", "500").parse()?;
    if most > 0 {
        let model = PathModel::new(&problem.mdp, learned, horizon, ends)?;
        let prior = destination_prior(&roads, &train, 100.0);
        let options = DestinationOptions { most, seed, ..DestinationOptions::default() };
        let found = evaluate_destinations(&roads, &model, &prior, &test, &options, &|_| (), &|| false)?;
        eprint!("{}", found.table());
        report["destinations"] = found.to_json();
    }
    println!("{report:#}");
    Ok(())
}

/// The same problem with paths that begin where trips do.
fn starting_as(problem: &Problem, trips: &[Trajectory]) -> Result<Problem, Box<dyn std::error::Error>> {
    let mut starts: BTreeMap<usize, f64> = BTreeMap::new();
    trips.iter().for_each(|trip| *starts.entry(trip.states[0]).or_default() += 1.0 / trips.len() as f64);
    let mut columns = problem.columns();
    columns.start = ProblemColumns::new(problem.mdp.n_states(), problem.mdp.n_actions(), problem.features.n_features()).start;
    starts.into_iter().for_each(|(state, p)| columns.start.push([state], p));
    Ok(columns.build().map_err(|fault| fault.to_string())?)
}
