//! One gradient of the causal model: against SciPy on slippery grids, at Porto's size, with a long horizon, and a whole
//! fit without a horizon.

use revealed::worlds::{World, frozen_lake, random_lake, road_like};
use revealed::{
    CausalLikelihood, CausalObjective, Demonstrations, Ends, FeaturesBuilder, Given, Horizon, MaxEnt, MdpBuilder, Method,
    Options, PathModel, Work, sample, sample_first,
};

use crate::clock::{fastest, seconds, shown, some_demonstration, table};
use crate::peers::{Peers, agree};

/// Side of the lake, and L.
const LAKES: [(usize, usize); 2] = [(32, 100), (64, 200)];

/// The versions in SciPy, and their titles.
const SCIPY: [(&str, &str); 3] =
    [("logsumexp", "SciPy, `logsumexp`"), ("shared", "SciPy, one exponential"), ("tuned", "SciPy, tuned by hand")];

/// Markdown tables.
pub fn run(peers: &Peers, rounds: usize) -> Result<String, String> {
    let words = |error: revealed::Error| error.to_string();
    let mut rows = Vec::new();
    for (side, horizon) in LAKES {
        let world = lake(side).map_err(words)?;
        let files = peers.write(&world, &format!("causal-lake-{side}"))?;
        let (mut ours, mut scipy) = (Vec::new(), SCIPY.map(|_| Vec::new()));
        for _ in 0..rounds {
            let (value, time) = gradient(&world, horizon, 1, 100).map_err(words)?;
            ours.push(time);
            for ((version, _), seconds) in SCIPY.into_iter().zip(&mut scipy) {
                if let Some(theirs) = peers.scipy_causal(&files, horizon, 20, version)? {
                    agree(value, theirs.log_partition.unwrap_or(f64::NAN))?;
                    seconds.extend(theirs.seconds);
                }
            }
        }
        let mut row = vec![(side * side).to_string(), horizon.to_string(), shown(fastest(&ours))];
        for seconds in &scipy {
            row.extend(match seconds.is_empty() {
                true => ["–".to_string(), "–".to_string()],
                false => [shown(fastest(seconds)), format!("{:.1}×", fastest(seconds) / fastest(&ours))],
            });
        }
        rows.push(row);
    }
    let mut head = vec!["states", "L", "revealed, one thread"];
    SCIPY.iter().for_each(|(_, title)| head.extend([*title, "ratio"]));
    let mut text = format!("### One gradient of the causal model on slippery grids\n\n{}", table(&head, &rows));
    text +=
        &format!("\n### The causal model on large problems\n\n{}", table(&["problem", "time"], &large(rounds).map_err(words)?));
    Ok(text)
}

fn lake(side: usize) -> Result<World, revealed::Error> {
    let map = random_lake(side, 0.8, 1)?;
    let rows: Vec<&str> = map.iter().map(String::as_str).collect();
    let mut world = frozen_lake(&rows, true)?;
    world.theta = (0..side * side).map(|state| (state * 7 % 5) as f64 / 10.0 - 0.3).collect();
    Ok(world)
}

/// The mean of V_1, and the time of one gradient of the dual, which has the same passes as the likelihood.
fn gradient(world: &World, horizon: usize, threads: usize, repeats: usize) -> Result<(f64, f64), revealed::Error> {
    let demos = some_demonstration(&world.mdp)?;
    let work = Work { threads: Some(threads), ..Work::default() };
    // A demonstration of one state is a part of an episode only if it may end anywhere.
    let full = sample(
        &PathModel::causal(&world.mdp, world.features.reward(&world.mdp, &world.theta)?, horizon, Ends::Horizon)?,
        &Given::default(),
        1,
        1,
        &work,
    )?;
    let demos = if horizon > 1 { Demonstrations::new(&world.mdp, &full)? } else { demos };
    let options = Options { ends: Ends::Horizon, horizon: Some(horizon.into()), work };
    let mut causal = CausalLikelihood::new(&world.mdp, &world.features, &demos, &options, CausalObjective::Dual)?;
    let at = causal.evaluate(&world.theta)?;
    let observed: f64 = causal.observed().iter().zip(&world.theta).map(|(phi, theta)| phi * theta).sum();
    let mut likelihood = CausalLikelihood::new(&world.mdp, &world.features, &demos, &options, CausalObjective::Likelihood)?;
    likelihood.evaluate(&world.theta)?;
    let one = |_| seconds(|| assert!(likelihood.evaluate(&world.theta).is_ok()));
    let times: Vec<f64> = (0..repeats).map(one).collect();
    Ok((observed - at.objective, fastest(&times)))
}

fn large(rounds: usize) -> Result<Vec<Vec<String>>, revealed::Error> {
    let mut rows = Vec::new();
    let small = lake(8)?;
    let times: Result<Vec<f64>, _> = (0..rounds).map(|_| Ok(gradient(&small, 10_000, 1, 3)?.1)).collect();
    rows.push(vec!["a lake of 64 states, L = 10,000, one gradient, one thread".to_string(), shown(fastest(&times?))]);
    let (states, turns) = crate::PORTO;
    let city = road_like(states, turns, 1)?;
    let times: Result<Vec<f64>, _> = (0..2).map(|_| Ok(gradient(&city, 400, 2, 1)?.1)).collect();
    rows.push(vec![format!("a network of {states} states, L = 400, one gradient, two threads"), shown(fastest(&times?))]);
    let (time, evaluations) = endless_fit()?;
    let what =
        format!("100,000 states, no horizon, discount 0.99, fit of ten features, two threads, {evaluations} evaluations");
    rows.push(vec![what, shown(time)]);
    Ok(rows)
}

/// A slippery grid of 320 × 313 states without an end, ten features, and 1,000 parts of episodes.
fn endless_fit() -> Result<(f64, usize), revealed::Error> {
    let (wide, high) = (320usize, 313usize);
    let n = wide * high;
    let mut builder = MdpBuilder::new(n, 4);
    builder.discount(0.99);
    let step = |state: usize, action: usize| {
        let (x, y) = (state % wide, state / wide);
        match action {
            0 => y * wide + (x + 1) % wide,
            1 => y * wide + (x + wide - 1) % wide,
            2 => ((y + 1) % high) * wide + x,
            _ => ((y + high - 1) % high) * wide + x,
        }
    };
    for state in 0..n {
        builder.start(state, 1.0 / n as f64);
        for action in 0..4 {
            let side = if action < 2 { [2, 3] } else { [0, 1] };
            builder.transition(state, action, step(state, action), 0.8);
            builder.transition(state, action, step(state, side[0]), 0.1).transition(state, action, step(state, side[1]), 0.1);
        }
    }
    let mdp = builder.build()?;
    let mut features = FeaturesBuilder::new(10);
    for state in 0..n {
        let (x, y) = (state % wide, state / wide);
        features.state(state, (x / 32 + y / 32) % 8, 1.0);
        features.state_action(state, state % 4, 8, 1.0);
        features.state(state, 9, ((x as f64 / 20.0).sin() + (y as f64 / 25.0).cos()) / 2.0);
    }
    let features = features.build(&mdp)?;
    let theta: Vec<f64> = (0..10).map(|k| 0.3 * ((k * 3 % 7) as f64 - 3.0) / 3.0).collect();
    let work = Work { threads: Some(2), ..Work::default() };
    let model = PathModel::causal(&mdp, features.reward(&mdp, &theta)?, Horizon::Any, Ends::Horizon)?;
    let parts = sample_first(&model, &Given::default(), 100, 1000, 1, &work)?;
    let demos = Demonstrations::new(&mdp, &parts)?;
    let options = Options { ends: Ends::Horizon, horizon: Some(Horizon::Any), work };
    let settings = MaxEnt { method: Method::Causal, options, ..MaxEnt::default() };
    let mut fit = None;
    let time = seconds(|| fit = Some(settings.fit(&mdp, &features, &demos)));
    let fit = fit.expect("it ran")?;
    assert!(fit.converged, "{}", fit.stopped_because);
    Ok((time, fit.evaluations))
}
