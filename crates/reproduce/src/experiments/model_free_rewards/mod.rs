//! `model-free-rewards`: rewards that are learned from samples against rewards that are learned exactly.
//!
//! Both learn from the same demonstrations. The learned rewards are compared, not the gradients: by the exact
//! log-likelihood of the demonstrations, by θ, and by the loss of the policy that is optimal for them.

mod section;

use revealed::worlds::{FROZEN_LAKE_4X4, StepFeatures, World, frozen_lake, n_chain};
use revealed::{
    Baseline, Bounds, Demonstrations, Ends, Error as EngineError, Likelihood, MaxEnt, Mdp, ModelFree, Options,
    PathDistribution, Policy, Samples, Stop, Trajectory, Work, rollouts, samples_from_rollouts,
};

use super::expert::Expert;
use crate::work::{Plan, Row, Settings, Unit};

pub(crate) use section::section;

/// The number at the end is the largest number of states of a path.
const WORLDS: [&str; 3] = ["FrozenLake4x4-10", "NChain10-20", "FrozenLake4x4-50"];
/// The policies that draw the samples: every action equally often, or as the demonstrations act.
const SAMPLERS: [&str; 2] = ["uniform", "cloned"];
const ROLLOUTS: [usize; 5] = [100, 400, 1600, 6400, 25_600];
const QUICK_ROLLOUTS: [usize; 3] = [100, 400, 1600];
/// Demonstrations of a data set.
const DEMONSTRATIONS: usize = 30;
/// Both methods learn weights within these bounds.
const BOUNDS: (f64, f64) = (-1.0, 1.0);

fn world(name: &str) -> Result<World, EngineError> {
    match name.starts_with("NChain10") {
        true => n_chain(10, 0.2, 2.0, 10.0, StepFeatures::StateActions),
        false => frozen_lake(&FROZEN_LAKE_4X4, true),
    }
}

/// The largest number of states of a path.
fn longest(name: &str) -> usize {
    name.rsplit_once('-').and_then(|(_, states)| states.parse().ok()).unwrap_or(10)
}

pub(crate) fn plan(settings: &Settings) -> Plan {
    let sizes: &[usize] = if settings.quick { &QUICK_ROLLOUTS } else { &ROLLOUTS };
    let arms = WORLDS.iter().flat_map(|world| SAMPLERS.iter().map(move |sampler| format!("{world}/{sampler}")));
    Plan {
        version: 1,
        cases: arms.flat_map(|arm| sizes.iter().map(move |n| format!("{arm}/{n}"))).collect(),
        repeats: settings.repeats(30, 4),
        seeded: true,
        alone: false,
        columns: &[
            "world",
            "sampler",
            "rollouts",
            "repeat",
            "ile_exact",
            "ile",
            "likelihood_gap",
            "likelihood_unlearned",
            "theta_gap",
            "length_exact",
            "length",
            "effective_sample_size",
            "converged",
        ],
        timings: &[],
    }
}

/// A reward and what it leads to.
struct LearnedReward {
    theta: Vec<f64>,
    /// The mean log-likelihood of the demonstrations, by exact inference.
    log_likelihood: f64,
    /// The mean number of states of the model's paths, by exact inference.
    length: f64,
    /// The loss of the policy that is optimal for it.
    ile: f64,
}

/// One data set and one set of samples.
pub(crate) fn work(unit: &Unit) -> Result<Vec<Row>, EngineError> {
    let mut parts = unit.case.split('/');
    let [name, sampler, n] = [(); 3].map(|()| parts.next().unwrap_or_default());
    let (world, longest, rollouts_asked) = (world(name)?, longest(name), n.parse().unwrap_or(100));
    let expert = Expert::new(&world)?;
    let paths = expert.episodes(&world, DEMONSTRATIONS, longest, unit.seed)?;
    let demos = Demonstrations::new(&world.mdp, &paths)?;
    let options = Options { horizon: Some(longest.into()), work: Work::on(1), ..Options::default() };
    let mut likelihood = Likelihood::new(&world.mdp, &world.features, &demos, &options)?;
    let bounds = Bounds::Same(BOUNDS.0, BOUNDS.1);

    let exact = MaxEnt { options, bounds: bounds.clone(), tolerance: 1e-6, ..MaxEnt::default() };
    let exact = exact.fit(&world.mdp, &world.features, &demos)?.theta;

    let policy = if sampler == "cloned" { cloned(&world.mdp, &paths)? } else { Policy::uniform(&world.mdp) };
    // Samples must not depend on the demonstrations' own random numbers.
    let sampled = rollouts(&world.mdp, &policy, rollouts_asked, longest, unit.seed ^ 0x5a3d)?;
    let columns = samples_from_rollouts(&world.mdp, &world.features, &sampled, &policy, Ends::Anywhere)?;
    let settings = ModelFree { bounds, tolerance: 1e-6, max_iterations: 1000, work: Work::on(1), ..ModelFree::default() };
    let fit = settings.fit(&Samples::new(&columns, Baseline::One)?, likelihood.observed())?;

    let [exact, free] = [exact, fit.theta].map(|theta| learned(&world, &expert, &mut likelihood, theta, longest));
    let (exact, free) = (exact?, free?);
    let unlearned = likelihood.evaluate(&vec![0.0; world.features.n_features()])?.log_likelihood;
    let squares: f64 = exact.theta.iter().zip(&free.theta).map(|(one, other)| (one - other).powi(2)).sum();
    let numbers = [
        exact.ile,
        free.ile,
        exact.log_likelihood - free.log_likelihood,
        exact.log_likelihood - unlearned,
        (squares / exact.theta.len() as f64).sqrt(),
        exact.length,
        free.length,
        fit.estimate.effective_sample_size,
    ];
    let mut cells = vec![name.to_string(), sampler.to_string(), n.to_string(), unit.repeat.to_string()];
    cells.extend(numbers.map(|number| number.to_string()));
    cells.push(fit.converged.to_string());
    Ok(vec![Row { cells, seconds: Vec::new() }])
}

fn learned(
    world: &World,
    expert: &Expert,
    likelihood: &mut Likelihood<'_>,
    theta: Vec<f64>,
    longest: usize,
) -> Result<LearnedReward, EngineError> {
    let reward = world.features.reward(&world.mdp, &theta)?;
    let ile = expert.recovery(world, &reward)?.inverse_learning_error;
    let log_likelihood = likelihood.evaluate(&theta)?.log_likelihood;
    let length = PathDistribution::new(&world.mdp, reward, longest, Stop::Anywhere)?.length_moments()?[0];
    Ok(LearnedReward { theta, log_likelihood, length, ile })
}

/// The policy of the demonstrations: how often each action is taken in a state, counted from 1 so that every action is
/// sampled.
fn cloned(mdp: &Mdp, paths: &[Trajectory]) -> Result<Policy, EngineError> {
    let mut count = vec![1.0; mdp.n_choices()];
    for path in paths {
        for (&state, &action) in path.states.iter().zip(&path.actions) {
            if let Some(choice) = mdp.choice(state, action) {
                count[choice] += 1.0;
            }
        }
    }
    let share = |choice: usize| count[choice] / count[mdp.choices(mdp.state_of(choice))].iter().sum::<f64>();
    Policy::new(mdp, (0..mdp.n_choices()).map(share).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cloned_policy_has_the_frequencies_of_the_demonstrations() {
        let world = world("FrozenLake4x4-10").unwrap();
        let path = |actions: Vec<usize>| Trajectory::new(vec![0; actions.len() + 1], actions);
        let policy = cloned(&world.mdp, &[path(vec![0, 0, 1]), path(vec![0])]).unwrap();
        let of = |state, action| policy.probability(world.mdp.choice(state, action).unwrap());
        assert_eq!([0, 1, 2, 3].map(|action| of(0, action)), [0.5, 0.25, 0.125, 0.125]);
        assert_eq!(of(1, 3), 0.25);
    }

    /// With the demonstrator's own policy and many rollouts, the samples lead to the exact reward.
    #[test]
    fn many_samples_lead_to_the_exact_reward() {
        let gap = |n: usize| {
            let unit = Unit { case: format!("NChain10-20/cloned/{n}"), repeat: 0, seed: 3 };
            work(&unit).unwrap()[0].cells[6].parse::<f64>().unwrap()
        };
        let (few, many) = (gap(20), gap(4000));
        assert!(many < 0.2 * few && many > -1e-6, "{few} {many}");
    }
}
