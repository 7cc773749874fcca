//! A whole fit of the recursive logit with standard errors, beside SciPy's sparse LU: a town of 7,300 links.

use std::collections::BTreeSet;
use std::path::PathBuf;

use revealed::worlds::{Layout, World};
use revealed::{
    Demonstrations, Ends, Features, FeaturesBuilder, Fit, Horizon, MaxEnt, Mdp, MdpBuilder, Method, Options, RouteSums,
    Trajectory, Uncertainty, Work,
};
use revealed_formats::demonstrations;
use serde_json::Value;

use crate::clock::{fastest, seconds, shown, table};
use crate::peers::Peers;
use crate::routes::{Drawing, Street, streets};

/// The network, and the trips in it.
const SIDE: usize = 44;
const LINKS: usize = 7_300;
const TURNS: usize = 20_000;
const TRIPS: usize = 1_800;
const DESTINATIONS: usize = 466;
/// The weights with which trips are drawn: length, left turns, right turns, busy streets.
const TRUTH: [f64; 4] = [-1.6, -0.9, -0.4, -0.5];
/// The longest trip, in links.
const LONGEST: usize = 5_000;
/// The largest difference from SciPy's estimates, in standard errors.
const SAME: f64 = 1e-4;

/// A Markdown table.
pub fn run(peers: &Peers, rounds: usize) -> Result<String, String> {
    let words = |error: revealed::Error| error.to_string();
    let mut draw = Drawing::new();
    let world = town(&mut draw).map_err(words)?;
    let trips = trips(&world, &mut draw).map_err(words)?;
    let demos = Demonstrations::new(&world.mdp, &trips).map_err(words)?;
    let files = write(peers, &world, &trips)?;
    let work = Work { threads: Some(2), ..Work::default() };
    let options = Options { ends: Ends::Goal, horizon: Some(Horizon::Any), work };
    let settings = MaxEnt { method: Method::RecursiveLogit, options, ..MaxEnt::default() };
    let start = MaxEnt { max_iterations: 0, ..settings.clone() }.fit(&world.mdp, &world.features, &demos).map_err(words)?;
    let (mut ours, mut theirs, mut scipy, mut found) = (Vec::new(), Vec::new(), None, None);
    // SciPy takes so long that a second round of it tells nothing new.
    for round in 0..rounds {
        let mut result = None;
        ours.push(seconds(|| result = Some(estimate(&settings, &world, &demos))));
        found = Some(result.expect("it ran").map_err(words)?);
        if round == 0 {
            scipy = peers.scipy_logit([&files[0], &files[1]], &start.theta)?;
            theirs.extend(scipy.as_ref().and_then(|answer| answer["seconds"].as_f64()));
        }
    }
    let (fit, uncertainty) = found.ok_or("no round")?;
    let ours = fastest(&ours);
    let mut rows = vec![row("revealed, two threads", ours, fit.evaluations, &fit.theta, 1.0)];
    if let Some(scipy) = scipy {
        let theta = numbers(&scipy["theta"]);
        check(&fit, &uncertainty, &theta, &numbers(&scipy["errors"]))?;
        let evaluations = scipy["evaluations"].as_u64().unwrap_or(0) as usize;
        rows.push(row("SciPy, sparse LU", fastest(&theirs), evaluations, &theta, fastest(&theirs) / ours));
    }
    let errors: Vec<String> = uncertainty.standard_errors.iter().flatten().map(|error| format!("{error:.4}")).collect();
    let head = ["", "fit and standard errors", "evaluations of the fit", "theta", "ratio"];
    let (links, turns) = (world.mdp.n_states(), world.mdp.n_transitions());
    Ok(format!(
        "### Maximum likelihood with standard errors\n\n{links} links, {turns} turns, {TRIPS} trips to {DESTINATIONS} \
         destinations, drawn with θ = {TRUTH:?}. Standard errors: {}.\n\n{}",
        errors.join(", "),
        table(&head, &rows)
    ))
}

fn row(name: &str, time: f64, evaluations: usize, theta: &[f64], ratio: f64) -> Vec<String> {
    let theta: Vec<String> = theta.iter().map(|theta| format!("{theta:.6}")).collect();
    vec![name.to_string(), shown(time), evaluations.to_string(), theta.join(", "), format!("{ratio:.1}")]
}

fn numbers(array: &Value) -> Vec<f64> {
    array.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

fn estimate(settings: &MaxEnt, world: &World, demos: &Demonstrations) -> Result<(Fit, Uncertainty), revealed::Error> {
    let fit = settings.fit(&world.mdp, &world.features, demos)?;
    let uncertainty = settings.uncertainty(&world.mdp, &world.features, demos, &fit.theta)?;
    Ok((fit, uncertainty))
}

/// An error if the two programs disagree.
fn check(fit: &Fit, uncertainty: &Uncertainty, theta: &[f64], errors: &[f64]) -> Result<(), String> {
    for (k, error) in uncertainty.standard_errors.iter().enumerate() {
        let error = error.ok_or("a weight has no standard error")?;
        let (theirs, their_error) = (theta.get(k).copied(), errors.get(k).copied());
        let same = theirs.is_some_and(|theirs| (theirs - fit.theta[k]).abs() < SAME * error);
        if !same || their_error.is_none_or(|their| (their / error - 1.0).abs() > SAME) {
            return Err(format!("weight {k} is {} ± {error} here and {theirs:?} ± {their_error:?} there", fit.theta[k]));
        }
    }
    Ok(())
}

fn write(peers: &Peers, world: &World, trips: &[Trajectory]) -> Result<[PathBuf; 2], String> {
    let (problem, _) = peers.write(world, "town")?;
    let paths = peers.files.join("town.jsonl");
    demonstrations::save(trips, &paths).map_err(|error| error.to_string())?;
    Ok([problem, paths])
}

/// A grid of two-way streets of which some are missing and some turns are forbidden.
fn town(draw: &mut Drawing) -> Result<World, revealed::Error> {
    let mut links = streets(SIDE);
    while links.len() > LINKS {
        let Street { from, to, .. } = links[draw.below(links.len())];
        links.retain(|link| [link.from, link.to] != [from, to] && [link.from, link.to] != [to, from]);
    }
    let mut turns: Vec<(usize, usize)> = Vec::new();
    for (at, link) in links.iter().enumerate() {
        let onward = |(_, next): &(usize, &Street)| next.from == link.to && next.direction != (link.direction + 2) % 4;
        turns.extend(links.iter().enumerate().filter(onward).map(|(next, _)| (at, next)));
    }
    while turns.len() > TURNS {
        turns.swap_remove(draw.below(turns.len()));
    }
    turns.sort_unstable();
    let mut builder = MdpBuilder::new(links.len(), 4);
    for (link, _) in links.iter().enumerate() {
        builder.start(link, 1.0 / links.len() as f64);
    }
    for &(link, next) in &turns {
        builder.transition(link, links[next].direction, next, 1.0);
    }
    let with_turns: BTreeSet<usize> = turns.iter().map(|turn| turn.0).collect();
    (0..links.len()).filter(|link| !with_turns.contains(link)).for_each(|link| _ = builder.terminal(link));
    let mdp = builder.build()?;
    let features = features(&mdp, &links, &turns, draw)?;
    let [x, y] = [0, 1].map(|which| links.iter().map(|link| [link.to % SIDE, link.to / SIDE][which] as f64).collect());
    let layout = Layout::Points { x, y };
    Ok(World { name: "town".into(), mdp, features, theta: TRUTH.to_vec(), layout })
}

fn features(mdp: &Mdp, links: &[Street], turns: &[(usize, usize)], draw: &mut Drawing) -> Result<Features, revealed::Error> {
    let mut features = FeaturesBuilder::new(TRUTH.len());
    for link in 0..links.len() {
        features.state(link, 0, 0.5 + draw.below(1000) as f64 / 1000.0);
        if draw.below(4) == 0 {
            features.state(link, 3, 1.0);
        }
    }
    for &(link, next) in turns {
        // Directions are clockwise: east, south, west, north.
        match (links[next].direction + 4 - links[link].direction) % 4 {
            3 => _ = features.state_action(link, links[next].direction, 1, 1.0),
            1 => _ = features.state_action(link, links[next].direction, 2, 1.0),
            _ => {}
        }
    }
    features.build(mdp)
}

/// Trips of the model with the weights of the world, to some destinations.
fn trips(world: &World, draw: &mut Drawing) -> Result<Vec<Trajectory>, revealed::Error> {
    let reward = world.features.reward(&world.mdp, &world.theta)?;
    let sums = RouteSums::new(&world.mdp, &reward, &Work::default())?;
    let mut ends = BTreeSet::new();
    while ends.len() < DESTINATIONS {
        ends.insert(draw.below(world.mdp.n_states()));
    }
    let mut trips = Vec::new();
    for (number, &end) in ends.iter().enumerate() {
        let to_end = sums.to(end)?;
        let wanted = TRIPS * (number + 1) / DESTINATIONS;
        while trips.len() < wanted {
            let first = draw.below(world.mdp.n_states());
            if first != end && to_end[first].is_finite() {
                trips.extend(walk(world, &reward, &to_end, [first, end], draw));
            }
        }
    }
    Ok(trips)
}

/// One trip: the next link is drawn in proportion to the weight of all paths over it. `None` if it takes too long.
fn walk(
    world: &World,
    reward: &revealed::Reward,
    to_end: &[f64],
    [first, end]: [usize; 2],
    draw: &mut Drawing,
) -> Option<Trajectory> {
    let mdp = &world.mdp;
    let (mut states, mut actions) = (vec![first], Vec::new());
    while states.len() < LONGEST {
        let here = states[states.len() - 1];
        let mut left = draw.share() * to_end[here].exp();
        if here == end {
            left -= 1.0;
            if left < 0.0 {
                return Some(Trajectory::new(states, actions));
            }
        }
        let weight = |step: usize| {
            let to = mdp.to()[step] as usize;
            (reward.of_transition(step) + reward.state[to] + to_end[to]).exp()
        };
        let mut steps = mdp.children(here).filter(|&step| weight(step) > 0.0).peekable();
        while let Some(step) = steps.next() {
            left -= weight(step);
            if left < 0.0 || steps.peek().is_none() {
                actions.push(mdp.action_of(mdp.choice_of()[step] as usize));
                states.push(mdp.to()[step] as usize);
                break;
            }
        }
    }
    None
}
