//! Whole fits: FrozenLake, and the recovery of a known reward at the size of Porto.

use revealed::worlds::{FROZEN_LAKE_4X4, frozen_lake, road_like};
use revealed::{Bounds, Demonstrations, Likelihood, MaxEnt, Options, PathDistribution, Planning, Stop, rollouts};

use crate::clock::{fastest, seconds, shown};

/// Markdown.
pub fn run() -> Result<String, String> {
    Ok(format!("### Learning\n\n{}{}", lake()?, roads()?))
}

/// A fit on FrozenLake from 50 demonstrations of an optimal policy.
fn lake() -> Result<String, String> {
    let words = |error: revealed::Error| error.to_string();
    let world = frozen_lake(&FROZEN_LAKE_4X4, true).map_err(words)?.with_discount(0.99).map_err(words)?;
    let reward = world.features.reward(&world.mdp, &world.theta).map_err(words)?;
    let policy = Planning::default().solve(&world.mdp, &reward).map_err(words)?.policy;
    let episodes = rollouts(&world.mdp, &policy, 50, 100, 1).map_err(words)?;
    let demos = Demonstrations::new(&world.mdp, &episodes).map_err(words)?;
    let settings = MaxEnt { bounds: Bounds::Same(-10.0, 10.0), ..MaxEnt::default() };
    let mut fit = None;
    let times: Vec<f64> = (0..20).map(|_| seconds(|| fit = Some(settings.fit(&world.mdp, &world.features, &demos)))).collect();
    let fit = fit.expect("timed twenty times").map_err(words)?;
    Ok(format!(
        "- FrozenLake 4x4, 50 demonstrations: {} (fastest of 20), {} evaluations, largest gradient component not at a bound {:.1e}, converged: {}\n",
        shown(fastest(&times)),
        fit.evaluations,
        fit.gradient_norm,
        fit.converged
    ))
}

/// A fit to 1,000 demonstrations sampled from a known θ, at the size of Porto.
fn roads() -> Result<String, String> {
    let words = |error: revealed::Error| error.to_string();
    eprintln!("learning: 292604 states, 1000 demonstrations");
    let world = road_like(292_604, 594_933, 1).map_err(words)?;
    let reward = world.features.reward(&world.mdp, &world.theta).map_err(words)?;
    let mut paths = PathDistribution::new(&world.mdp, reward.clone(), 400, Stop::Anywhere).map_err(words)?;
    let drawn = paths.sample(1000, 5).map_err(words)?;
    drop(paths);
    let demos = Demonstrations::new(&world.mdp, &drawn).map_err(words)?;
    let options = Options { horizon: Some(400.into()), ..Options::default() };
    let settings = MaxEnt { options: options.clone(), ..MaxEnt::default() };
    let mut fit = None;
    let time = seconds(|| fit = Some(settings.fit(&world.mdp, &world.features, &demos)));
    let fit = fit.expect("timed once").map_err(words)?;
    let mut likelihood = Likelihood::new(&world.mdp, &world.features, &demos, &options).map_err(words)?;
    let truth = likelihood.evaluate(&world.theta).map_err(words)?.log_likelihood;
    // Wilks: twice the gain in log-likelihood over the truth is χ² distributed, with one degree of freedom per
    // identified direction of θ.
    let statistic = 2.0 * demos.len() as f64 * (fit.log_likelihood - truth);
    let degrees = world.features.n_features() - fit.null_directions.len();
    let learned = world.features.reward(&world.mdp, &fit.theta).map_err(words)?;
    let mut errors: Vec<f64> =
        reward.state.iter().zip(&learned.state).map(|(truth, learned)| (learned / truth - 1.0).abs()).collect();
    errors.sort_by(f64::total_cmp);
    let mean_length = drawn.iter().map(|path| path.states.len() as f64).sum::<f64>() / drawn.len() as f64;
    Ok(format!(
        "- Road-like, 292604 states, 14 features, 1000 demonstrations (mean length {mean_length:.0}): {}, {} evaluations, \
         converged: {}; likelihood-ratio statistic against the true theta {statistic:.1} on {degrees} degrees of freedom \
         (99.9 % of samples stay below 31.3); errors of state rewards {:.1} % (median) and {:.1} % (largest); {} null directions\n",
        shown(time),
        fit.evaluations,
        fit.converged,
        100.0 * errors[errors.len() / 2],
        100.0 * errors[errors.len() - 1],
        fit.null_directions.len()
    ))
}
