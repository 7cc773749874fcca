//! `stationary-policy`: what a policy that does not change with time loses, in worlds from deterministic to slippery.
//!
//! A reward is learned from an expert's episodes. The model's policy at each time is executed, and so is its stationary
//! projection, and the stationary policy that is optimal for the learned reward. The numbers are those of
//! `revealed policy`.

mod section;

use revealed::worlds::{FROZEN_LAKE_4X4, StepFeatures, World, frozen_lake, n_chain, random_lake};
use revealed::{
    Bounds, Demonstrations, Ends, Error as EngineError, Execution, Given, Horizon, MaxEnt, Mdp, MdpBuilder, Method, Options,
    PolicyGap, StationaryPolicy, Work,
};

use super::expert::{DISCOUNT, Expert, keeps_paying};
use crate::work::{Plan, Row, Settings, Unit};

pub(crate) use section::section;

const WORLDS: [&str; 3] = ["FrozenLake4x4", "random-lake-6x6", "NChain10"];
/// 0 is deterministic, 1 is Gymnasium's.
const SLIPS: [&str; 5] = ["0", "0.25", "0.5", "0.75", "1"];
const QUICK_SLIPS: [&str; 3] = ["0", "0.5", "1"];
const DEMONSTRATIONS: usize = 50;
/// The largest number of states of an episode, and the longer of the two horizons.
const LONGEST: usize = 100;
/// θ lies within these bounds.
const BOUNDS: (f64, f64) = (-10.0, 10.0);
/// The share of a random lake that is ice.
const ICE: f64 = 0.8;

/// Which model is learned.
#[derive(Debug, Clone, Copy, PartialEq)]
enum LearnedModel {
    /// Maximum entropy; paths may end anywhere (the paper).
    Anywhere,
    /// Maximum entropy; paths end in terminal states or at the horizon.
    AtHorizon,
    /// Causal entropy; the same ends.
    Causal,
}

impl LearnedModel {
    const ALL: [LearnedModel; 3] = [LearnedModel::Anywhere, LearnedModel::AtHorizon, LearnedModel::Causal];

    fn name(self) -> &'static str {
        match self {
            LearnedModel::Anywhere => "anywhere",
            LearnedModel::AtHorizon => "at-horizon",
            LearnedModel::Causal => "causal",
        }
    }

    /// Its name for people.
    fn title(self) -> &'static str {
        match self {
            LearnedModel::Anywhere => "MaxEnt, ends anywhere",
            LearnedModel::AtHorizon => "MaxEnt, ends at the horizon",
            LearnedModel::Causal => "causal",
        }
    }

    fn settings(self, horizon: usize) -> MaxEnt {
        let ends = if self == LearnedModel::Anywhere { Ends::Anywhere } else { Ends::Horizon };
        let method = if self == LearnedModel::Causal { Method::Causal } else { Method::Exact };
        MaxEnt {
            method,
            options: Options { ends, horizon: Some(horizon.into()), work: Work::on(1) },
            bounds: Bounds::Same(BOUNDS.0, BOUNDS.1),
            tolerance: 1e-6,
            ..MaxEnt::default()
        }
    }
}

/// The horizons: that of the longest demonstration (the default), and a longer one.
const HORIZONS: [&str; 2] = ["longest", "100"];

fn world(name: &str, slip: f64, seed: u64) -> Result<World, EngineError> {
    match name {
        "NChain10" => n_chain(10, 0.2 * slip, 2.0, 10.0, StepFeatures::StateActions),
        "random-lake-6x6" => between(&random_lake(6, ICE, seed)?, slip),
        _ => between(&FROZEN_LAKE_4X4, slip),
    }
}

/// A lake between the dry one (0) and Gymnasium's slippery one (1): the mean of their probabilities.
fn between(map: &[impl AsRef<str>], slip: f64) -> Result<World, EngineError> {
    let (dry, icy) = (frozen_lake(map, false)?, frozen_lake(map, true)?);
    if slip == 0.0 {
        return Ok(dry);
    }
    let mut builder = MdpBuilder::new(icy.mdp.n_states(), icy.mdp.n_actions());
    icy.mdp.start().iter().for_each(|&(state, p)| _ = builder.start(state, p));
    (0..icy.mdp.n_states()).filter(|&state| icy.mdp.is_terminal(state)).for_each(|state| _ = builder.terminal(state));
    let of =
        |mdp: &Mdp, [state, action, to]: [usize; 3]| mdp.transition(state, action, to).map_or(0.0, |t| mdp.probability()[t]);
    for choice in 0..icy.mdp.n_choices() {
        let (state, action) = (icy.mdp.state_of(choice), icy.mdp.action_of(choice));
        for transition in icy.mdp.outcomes(choice) {
            let step = [state, action, icy.mdp.to()[transition] as usize];
            builder.transition(step[0], step[1], step[2], (1.0 - slip) * of(&dry.mdp, step) + slip * of(&icy.mdp, step));
        }
    }
    Ok(World { mdp: builder.build()?, ..icy })
}

pub(crate) fn plan(settings: &Settings) -> Plan {
    let slips: &[&str] = if settings.quick { &QUICK_SLIPS } else { &SLIPS };
    Plan {
        version: 1,
        cases: WORLDS.iter().flat_map(|world| slips.iter().map(move |slip| format!("{world}/{slip}"))).collect(),
        repeats: settings.repeats(30, 4),
        seeded: true,
        alone: false,
        columns: &[
            "world",
            "slip",
            "model",
            "horizon",
            "repeat",
            "states",
            "divergence",
            "at_horizon",
            "expert",
            "policy",
            "stationary",
            "optimal",
            "policy_learned",
            "stationary_learned",
            "optimal_learned",
        ],
        timings: &[],
    }
}

/// One data set: a row for each model and horizon.
pub(crate) fn work(unit: &Unit) -> Result<Vec<Row>, EngineError> {
    let (name, slip) = unit.case.split_once('/').unwrap_or((&unit.case, "0"));
    // A random lake is the same at every slip.
    let world = world(name, slip.parse().unwrap_or(0.0), unit.repeat as u64)?;
    let expert = Expert::new(&world)?;
    let demos = Demonstrations::new(&world.mdp, &expert.episodes(&world, DEMONSTRATIONS, LONGEST, unit.seed)?)?;
    let mut rows = Vec::new();
    for (kind, horizon) in LearnedModel::ALL.into_iter().flat_map(|kind| HORIZONS.map(|horizon| (kind, horizon))) {
        let states = if horizon == "longest" { demos.longest() } else { LONGEST };
        let numbers = compare(&world, &expert, &demos, kind, states)?;
        let names = [name, slip, kind.name(), horizon].map(str::to_string);
        let mut cells: Vec<String> = names.into_iter().chain([unit.repeat.to_string(), states.to_string()]).collect();
        cells.extend(numbers.iter().map(f64::to_string));
        rows.push(Row { cells, seconds: Vec::new() });
    }
    Ok(rows)
}

/// The divergence, the share of paths that the horizon ends, and the values of the policies: by the true reward of the
/// expert, of the model's policy, of its projection and of the optimal policy for the learned reward; and of the last
/// three by the learned reward.
fn compare(
    world: &World,
    expert: &Expert,
    demos: &Demonstrations,
    kind: LearnedModel,
    states: usize,
) -> Result<[f64; 9], EngineError> {
    let fit = kind.settings(states).fit(&world.mdp, &world.features, demos)?;
    let learned = world.features.reward(&world.mdp, &fit.theta)?;
    let mut paths = fit.path_model(&world.mdp, &world.features)?.distribution(&Given::default(), &Work::on(1))?;
    let execution =
        Execution { start: world.mdp.start().to_vec(), discount: DISCOUNT, rewards: vec![&learned, &expert.reward] };
    let gap = PolicyGap::new(&mut paths, &execution, &keeps_paying())?;
    let best = StationaryPolicy::never_stops(&world.mdp, expert.plan.policy.clone());
    let best = execution.of_policy(&world.mdp, Horizon::AtMost(states), &best)?.values[1];
    let survival = paths.survival()?.last().copied().unwrap_or(0.0);
    let optimal = gap.optimal?;
    let by = |reward: usize| [gap.policy.values[reward], gap.projected.values[reward], optimal.values[reward]];
    let ([a, b, c], [d, e, f]) = (by(1), by(0));
    Ok([gap.divergence, survival, best, a, b, c, d, e, f])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lakes_lie_between_the_dry_and_the_slippery_one() {
        let p = |slip: f64, to: usize| {
            let mdp = between(&FROZEN_LAKE_4X4, slip).unwrap().mdp;
            mdp.transition(0, 2, to).map_or(0.0, |transition| mdp.probability()[transition])
        };
        assert_eq!([0, 1, 4].map(|to| p(0.0, to)), [0.0, 1.0, 0.0]);
        let half = [0, 1, 4].map(|to| p(0.5, to));
        assert!(
            half.iter().zip([1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0]).all(|(p, expected)| (p - expected).abs() < 1e-15),
            "{half:?}"
        );
        assert_eq!(between(&FROZEN_LAKE_4X4, 1.0).unwrap().mdp, frozen_lake(&FROZEN_LAKE_4X4, true).unwrap().mdp);
        assert_eq!(between(&FROZEN_LAKE_4X4, 0.0).unwrap().mdp, frozen_lake(&FROZEN_LAKE_4X4, false).unwrap().mdp);
    }
}
