//! Whole fits of the recursive logit with standard errors, beside SciPy's sparse LU: a town and a dense grid, both of
//! about 7,300 links and 20,000 turns.
//!
//! The town is drawn with the counts of the network of Borlänge on which the model was introduced (Fosgerau, Frejinger
//! and Karlström 2013): 3,077 junctions, 7,459 links and 20,202 turns, U-turns included, so that a junction has 2.4
//! streets on average. It is a grid from which streets are taken at random as long as it stays connected. The positions
//! of junctions and the places of dead ends are therefore not those of a town, and all streets are two-way. The grid
//! has as many links, but 3.8 streets at each junction.

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

/// A network, and the model with which trips are drawn.
struct Plan {
    name: &'static str,
    /// Junctions across and down.
    junctions: [usize; 2],
    links: usize,
    turns: usize,
    /// Whether U-turns are allowed. If so, the network stays connected.
    u_turns: bool,
    /// The weights with which trips are drawn: length, left turns, and two more.
    truth: [f64; 4],
}

/// The third and fourth weights of the town are those of each link and of U-turns, and those of the grid are those of
/// right turns and of busy streets.
const PLANS: [Plan; 2] = [
    Plan { name: "town", junctions: [56, 55], links: 7_460, turns: 20_202, u_turns: true, truth: [-1.6, -0.9, -0.4, -4.5] },
    Plan { name: "grid", junctions: [44, 44], links: 7_300, turns: 20_000, u_turns: false, truth: [-1.6, -0.9, -0.4, -0.5] },
];
const TRIPS: usize = 1_800;
const DESTINATIONS: usize = 466;
/// The longest trip, in links.
const LONGEST: usize = 5_000;
/// The largest difference from SciPy's estimates, in standard errors.
const SAME: f64 = 1e-4;

/// Markdown tables.
pub fn run(peers: &Peers, rounds: usize) -> Result<String, String> {
    let tables: Result<Vec<String>, String> = PLANS.iter().map(|plan| measure(plan, peers, rounds)).collect();
    Ok(format!("## Maximum likelihood with standard errors\n\n{}", tables?.join("\n")))
}

fn measure(plan: &Plan, peers: &Peers, rounds: usize) -> Result<String, String> {
    let words = |error: revealed::Error| error.to_string();
    let mut draw = Drawing::new();
    let (world, streets) = town(plan, &mut draw).map_err(words)?;
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
        ours.push(seconds(|| result = Some(settings.estimate(&world.mdp, &world.features, &demos))));
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
        "### A {}\n\n{links} links, {turns} turns, {TRIPS} trips to {DESTINATIONS} destinations, drawn with θ = {:?}. \
         {streets} Standard errors: {}.\n\n{}",
        plan.name,
        plan.truth,
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
    let (problem, _) = peers.write(world, &world.name)?;
    let paths = peers.files.join(format!("{}.jsonl", world.name));
    demonstrations::save(trips, &paths).map_err(|error| error.to_string())?;
    Ok([problem, paths])
}

/// A network, and how many streets meet at its junctions.
fn town(plan: &Plan, draw: &mut Drawing) -> Result<(World, String), revealed::Error> {
    let links = thinned(plan, draw);
    let mut turns: Vec<(usize, usize)> = Vec::new();
    for (at, link) in links.iter().enumerate() {
        let allowed = |next: &Street| plan.u_turns || next.direction != (link.direction + 2) % 4;
        let onward = |(_, next): &(usize, &Street)| next.from == link.to && allowed(next);
        turns.extend(links.iter().enumerate().filter(onward).map(|(next, _)| (at, next)));
    }
    while turns.len() > plan.turns {
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
    let features = features(plan, &mdp, &links, &turns, draw)?;
    let across = plan.junctions[0];
    let [x, y] = [0, 1].map(|which| links.iter().map(|link| [link.to % across, link.to / across][which] as f64).collect());
    let layout = Layout::Points { x, y };
    let world = World { name: plan.name.into(), mdp, features, theta: plan.truth.to_vec(), layout };
    Ok((world, degrees(plan, &links)))
}

/// The streets of a grid without some that are drawn.
fn thinned(plan: &Plan, draw: &mut Drawing) -> Vec<Street> {
    let mut links = streets(plan.junctions);
    while links.len() > plan.links {
        let Street { from, to, .. } = links[draw.below(links.len())];
        let other = |link: &Street| [link.from, link.to] != [from, to] && [link.from, link.to] != [to, from];
        let fewer: Vec<Street> = links.iter().copied().filter(other).collect();
        if !plan.u_turns || reaches(&fewer, plan.junctions[0] * plan.junctions[1], [from, to]) {
            links = fewer;
        }
    }
    links
}

/// Whether two-way streets lead from one junction to another.
fn reaches(links: &[Street], junctions: usize, [from, to]: [usize; 2]) -> bool {
    let (mut seen, mut waiting) = (vec![false; junctions], vec![from]);
    while let Some(junction) = waiting.pop() {
        if std::mem::replace(&mut seen[junction], true) {
            continue;
        }
        // They are sorted by their beginnings.
        let first = links.partition_point(|link| link.from < junction);
        waiting.extend(links[first..].iter().take_while(|link| link.from == junction).map(|link| link.to));
    }
    seen[to]
}

/// How many streets meet at the junctions.
fn degrees(plan: &Plan, links: &[Street]) -> String {
    let mut streets = vec![0usize; plan.junctions[0] * plan.junctions[1]];
    links.iter().for_each(|link| streets[link.from] += 1);
    let share = |degree: usize| 100.0 * streets.iter().filter(|&&of| of == degree).count() as f64 / streets.len() as f64;
    let shares: Vec<String> = (1..=4).map(|degree| format!("{:.0} %", share(degree))).collect();
    format!("Junctions with 1, 2, 3 and 4 streets: {} of {}.", shares.join(", "), streets.len())
}

fn features(
    plan: &Plan,
    mdp: &Mdp,
    links: &[Street],
    turns: &[(usize, usize)],
    draw: &mut Drawing,
) -> Result<Features, revealed::Error> {
    let mut features = FeaturesBuilder::new(plan.truth.len());
    for link in 0..links.len() {
        features.state(link, 0, 0.5 + draw.below(1000) as f64 / 1000.0);
        if plan.u_turns {
            features.state(link, 2, 1.0);
        } else if draw.below(4) == 0 {
            features.state(link, 3, 1.0);
        }
    }
    for &(link, next) in turns {
        // Directions are clockwise: east, south, west, north.
        let feature = match (links[next].direction + 4 - links[link].direction) % 4 {
            3 => 1,
            2 => 3,
            1 if !plan.u_turns => 2,
            _ => continue,
        };
        features.state_action(link, links[next].direction, feature, 1.0);
    }
    features.build(mdp)
}

/// Trips of the model with the weights of the world, to some destinations.
fn trips(world: &World, draw: &mut Drawing) -> Result<Vec<Trajectory>, revealed::Error> {
    let reward = world.features.reward(&world.mdp, &world.theta)?;
    let sums = RouteSums::new(&world.mdp, &reward, &Work::default())?;
    let (mut ends, n) = (BTreeSet::new(), world.mdp.n_states());
    let mut trips = Vec::new();
    while ends.len() < DESTINATIONS {
        let end = draw.below(n);
        let to_end = sums.to(end)?;
        // Where turns are missing, few links may lead to one.
        if 2 * to_end.iter().filter(|sum| sum.is_finite()).count() < n || !ends.insert(end) {
            continue;
        }
        let wanted = TRIPS * ends.len() / DESTINATIONS;
        while trips.len() < wanted {
            let first = draw.below(n);
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
